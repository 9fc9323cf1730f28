// Loads buffers, reads their views, and decodes the elements of accessors.
#include "file.h"
#include "gltf.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool lmb_gltf_read_uris(const lmb_gltf_list *list, bool checks, lmb_gltf_uris *uris) {
    lmb_importer *importer = list->gltf->importer;
    uris->count = list->count;
    uris->names = lmb_importer_scratch(importer, list->count, sizeof *uris->names);
    uris->files = lmb_importer_scratch(importer, list->count, sizeof *uris->files);
    bool success = uris->names != NULL && uris->files != NULL;
    for (uint32_t i = 0; success && i < list->count; i++) {
        lmb_gltf_object object = lmb_gltf_item(list, i);
        lmb_gltf_place place = lmb_gltf_place_of("%s.uri", object.place.text);
        const char *uri = NULL;
        success = lmb_gltf_read_string(&object, "uri", &uri) &&
                  (uri == NULL || !checks || lmb_uri_check(importer, uri, place.text));
        uris->names[i] = (lmb_name){.text = uri == NULL ? "" : uri, .index = i};
    }
    if (success) {
        lmb_names_sort(uris->names, list->count);
    }
    return success;
}

bool lmb_gltf_load_uri(const lmb_gltf_object *object, const char *uri, const lmb_gltf_uris *uris,
                       lmb_gltf_buffer *file) {
    lmb_gltf_buffer *kept = &uris->files[lmb_names_find(uris->names, uris->count, uri)];
    lmb_gltf_place place = lmb_gltf_place_of("%s.uri", object->place.text);
    if (kept->bytes == NULL && !lmb_uri_load(object->gltf->importer, uri, place.text, &kept->bytes, &kept->size)) {
        return false;
    }
    *file = *kept;
    return true;
}

// Reads a number of bytes or elements, which may be 0.
static bool read_size(const lmb_gltf_object *object, const char *key, uint64_t largest, uint64_t *result) {
    return lmb_gltf_read_integer(object, key, 0, largest, result) &&
           (*result > 0 || lmb_gltf_excuse(object, key, LMB_GLTF_EMPTY_DATA));
}

// Loads a buffer from its URI; the first buffer, if it has no URI, is the binary chunk.
static bool read_buffer(const lmb_gltf_object *object, uint32_t index) {
    lmb_gltf *gltf = object->gltf;
    lmb_gltf_buffer *buffer = &gltf->buffers[index];
    const char *uri = NULL;
    uint64_t length = 0;
    if (!lmb_gltf_require(object, "byteLength") || !read_size(object, "byteLength", UINT32_MAX, &length) ||
        !lmb_gltf_read_string(object, "uri", &uri)) {
        return false;
    }
    bool is_fallback;
    if (!lmb_gltf_is_fallback(object, &is_fallback)) {
        return false;
    }
    if (length == 0 || (is_fallback && uri == NULL)) {
        buffer->size = (size_t)length;
        return true;
    }
    if (uri == NULL && (index != 0 || gltf->binary.bytes == NULL)) {
        return lmb_gltf_fail(object, "uri", "is missing, and there is no binary chunk for this buffer");
    }
    *buffer = gltf->binary;
    if (uri != NULL && !lmb_gltf_load_uri(object, uri, &gltf->buffer_uris, buffer)) {
        return false;
    }
    if (length > buffer->size) {
        return lmb_gltf_fail(object, "byteLength", "%" PRIu64 ", but there are only %zu bytes", length, buffer->size);
    }
    buffer->size = (size_t)length;
    return true;
}

bool lmb_gltf_read_buffers(lmb_gltf *gltf) {
    lmb_gltf_list list;
    gltf->buffers = lmb_gltf_read_table(gltf, "buffers", sizeof *gltf->buffers, &list);
    gltf->buffer_count = list.count;
    return gltf->buffers != NULL && lmb_gltf_read_uris(&list, true, &gltf->buffer_uris) &&
           lmb_gltf_read_each(&list, read_buffer);
}

static bool read_view(const lmb_gltf_object *object, uint32_t view) {
    lmb_gltf *gltf = object->gltf;
    uint32_t index = 0;
    uint64_t offset = 0;
    uint64_t length = 0;
    uint64_t stride = 0;
    if (!lmb_gltf_require(object, "buffer") ||
        !lmb_gltf_read_index(object, "buffer", gltf->buffer_count, "buffers", &index) ||
        !lmb_gltf_read_integer(object, "byteOffset", 0, UINT32_MAX, &offset) ||
        !lmb_gltf_require(object, "byteLength") || !read_size(object, "byteLength", UINT32_MAX, &length) ||
        !lmb_gltf_read_integer(object, "byteStride", 0, UINT16_MAX, &stride)) {
        return false;
    }
    const lmb_gltf_buffer *buffer = &gltf->buffers[index];
    if (offset > buffer->size || length > buffer->size - offset) {
        return lmb_gltf_fail(object, NULL, "%" PRIu64 " bytes from %" PRIu64 " on, but buffer %" PRIu32 " has %zu",
                             length, offset, index, buffer->size);
    }
    const uint8_t *bytes = buffer->bytes == NULL ? NULL : buffer->bytes + offset;
    lmb_gltf_view *result = &gltf->views[view];
    *result =
        (lmb_gltf_view){.bytes = bytes, .offset = (size_t)offset, .size = (size_t)length, .stride = (size_t)stride};
    bool decoded;
    if (!lmb_gltf_decompress_view(object, result, &decoded)) {
        return false;
    }
    if (length == 0 && !decoded) {
        result->bytes = (const uint8_t *)"";
    }
    if (result->bytes == NULL) {
        return lmb_gltf_fail(object, "buffer", "%" PRIu32 " has no data, and is for compressed views alone", index);
    }
    return stride % 4 == 0 || lmb_gltf_excuse(object, "byteStride", LMB_GLTF_UNALIGNED);
}

bool lmb_gltf_read_views(lmb_gltf *gltf) {
    lmb_gltf_list list;
    gltf->views = lmb_gltf_read_table(gltf, "bufferViews", sizeof *gltf->views, &list);
    gltf->view_count = list.count;
    return gltf->views != NULL && lmb_gltf_read_each(&list, read_view);
}

// ---- Accessors ----

static const char *const shape_names[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"};
static const struct {
    uint32_t columns, rows;
} shapes[LMB_GLTF_SHAPE_COUNT] = {{1, 1}, {1, 2}, {1, 3}, {1, 4}, {2, 2}, {3, 3}, {4, 4}};

uint32_t lmb_gltf_component_count(lmb_gltf_shape shape) {
    return shapes[shape].columns * shapes[shape].rows;
}

size_t lmb_gltf_component_size(lmb_gltf_component component) {
    switch (component) {
    case LMB_GLTF_INT8:
    case LMB_GLTF_UINT8:
        return 1;
    case LMB_GLTF_INT16:
    case LMB_GLTF_UINT16:
        return 2;
    case LMB_GLTF_UINT32:
    case LMB_GLTF_FLOAT:
        return 4;
    }
    return 0;
}

// Each column of a matrix starts at a multiple of 4 bytes.
static size_t column_size(const lmb_gltf_accessor *accessor) {
    size_t size = shapes[accessor->shape].rows * lmb_gltf_component_size(accessor->component);
    return shapes[accessor->shape].columns == 1 ? size : (size + 3) / 4 * 4;
}

static size_t element_size(const lmb_gltf_accessor *accessor) {
    return shapes[accessor->shape].columns * column_size(accessor);
}

static bool read_component(const lmb_gltf_object *object, lmb_gltf_component *result) {
    uint64_t code = 0;
    if (!lmb_gltf_require(object, "componentType") ||
        !lmb_gltf_read_integer(object, "componentType", 0, UINT32_MAX, &code)) {
        return false;
    }
    *result = (lmb_gltf_component)code;
    return lmb_gltf_component_size(*result) != 0 ||
           lmb_gltf_fail(object, "componentType", "%" PRIu64 " is none of glTF's", code);
}

static bool read_shape(const lmb_gltf_object *object, lmb_gltf_shape *result) {
    uint32_t shape = LMB_GLTF_SCALAR;
    bool success = lmb_gltf_require(object, "type") &&
                   lmb_gltf_read_choice(object, "type", shape_names, LMB_GLTF_SHAPE_COUNT, &shape);
    *result = (lmb_gltf_shape)shape;
    return success;
}

// Finds where `count` elements of `size` bytes with a stride of `stride` are in a view.
static bool locate(const lmb_gltf_object *object, const lmb_gltf_view *view, uint64_t count, size_t size, size_t stride,
                   size_t alignment, const uint8_t **bytes) {
    uint64_t offset = 0;
    if (!lmb_gltf_read_integer(object, "byteOffset", 0, UINT32_MAX, &offset)) {
        return false;
    }
    if (offset % alignment != 0 || (offset + view->offset) % alignment != 0 || stride % alignment != 0) {
        lmb_gltf_excuse(object, NULL, LMB_GLTF_UNALIGNED);
    }
    if (stride < size) {
        return lmb_gltf_fail(object, "bufferView", "its stride of %zu bytes is less than an element's %zu", stride,
                             size);
    }
    uint64_t needed = count == 0 ? 0 : (count - 1) * stride + size; // below 2^32 times 2^17
    if (offset > view->size || needed > view->size - offset) {
        return lmb_gltf_fail(object, NULL,
                             "%" PRIu64 " elements from byte %" PRIu64 " on take %" PRIu64
                             " bytes, but the buffer view has %zu",
                             count, offset, needed, view->size);
    }
    *bytes = view->bytes + offset;
    return true;
}

// Locates the indices or values of a sparse accessor: contiguous elements in a view of their own.
static bool locate_sparse(const lmb_gltf_object *object, uint64_t count, size_t size, size_t alignment,
                          const uint8_t **bytes) {
    lmb_gltf *gltf = object->gltf;
    uint32_t index = 0;
    if (!lmb_gltf_require(object, "bufferView") ||
        !lmb_gltf_read_index(object, "bufferView", gltf->view_count, "buffer views", &index)) {
        return false;
    }
    if (gltf->views[index].stride != 0) {
        return lmb_gltf_fail(object, "bufferView", "has a byteStride, which sparse data must not have");
    }
    return locate(object, &gltf->views[index], count, size, size, alignment, bytes);
}

static bool read_sparse(const lmb_gltf_object *object, lmb_gltf_accessor *accessor) {
    lmb_gltf_object sparse;
    lmb_gltf_object indices;
    lmb_gltf_object values;
    bool present;
    uint64_t count = 0;
    if (!lmb_gltf_read_object(object, "sparse", &sparse, &present)) {
        return false;
    }
    if (!present) {
        return true;
    }
    if (!lmb_gltf_require(&sparse, "count") || !read_size(&sparse, "count", accessor->count, &count) ||
        !lmb_gltf_read_object(&sparse, "indices", &indices, NULL) ||
        !lmb_gltf_read_object(&sparse, "values", &values, NULL) ||
        !read_component(&indices, &accessor->sparse_component)) {
        return false;
    }
    lmb_gltf_component component = accessor->sparse_component;
    if (component != LMB_GLTF_UINT8 && component != LMB_GLTF_UINT16 && component != LMB_GLTF_UINT32) {
        return lmb_gltf_fail(&indices, "componentType", "%d is not an unsigned integer", (int)component);
    }
    size_t index_size = lmb_gltf_component_size(component);
    accessor->sparse_count = (uint32_t)count;
    return locate_sparse(&indices, count, index_size, index_size, &accessor->sparse_indices) &&
           locate_sparse(&values, count, element_size(accessor), lmb_gltf_component_size(accessor->component),
                         &accessor->sparse_values);
}

static bool read_accessor(const lmb_gltf_object *object, uint32_t index) {
    lmb_gltf *gltf = object->gltf;
    lmb_gltf_accessor *accessor = &gltf->accessors[index];
    uint32_t view = LMB_NONE;
    uint64_t count = 0;
    if (!read_component(object, &accessor->component) || !read_shape(object, &accessor->shape) ||
        !lmb_gltf_require(object, "count") || !read_size(object, "count", UINT32_MAX, &count) ||
        !lmb_gltf_read_boolean(object, "normalized", &accessor->normalized) ||
        !lmb_gltf_read_index(object, "bufferView", gltf->view_count, "buffer views", &view)) {
        return false;
    }
    accessor->count = (uint32_t)count;
    if (accessor->normalized && lmb_gltf_component_size(accessor->component) == 4) {
        accessor->normalized = false;
        lmb_gltf_excuse(object, "normalized", LMB_GLTF_NORMALIZED);
    }
    if (view != LMB_NONE) {
        size_t size = element_size(accessor);
        size_t stride = gltf->views[view].stride;
        accessor->stride = stride == 0 ? size : stride;
        if (!locate(object, &gltf->views[view], count, size, accessor->stride,
                    lmb_gltf_component_size(accessor->component), &accessor->bytes)) {
            return false;
        }
    }
    return read_sparse(object, accessor);
}

bool lmb_gltf_read_accessors(lmb_gltf *gltf) {
    lmb_gltf_list list;
    gltf->accessors = lmb_gltf_read_table(gltf, "accessors", sizeof *gltf->accessors, &list);
    gltf->accessor_count = list.count;
    return gltf->accessors != NULL && lmb_gltf_read_each(&list, read_accessor);
}

// Little-endian, and aligned only within a buffer.
static uint32_t read_unsigned(const uint8_t *bytes, lmb_gltf_component component) {
    uint32_t value = 0;
    memcpy(&value, bytes, lmb_gltf_component_size(component));
    return value;
}

static float read_float(const uint8_t *bytes, lmb_gltf_component component, bool normalized) {
    static const float largest[] = {127.0f, 255.0f, 32767.0f, 65535.0f};
    uint32_t bits = read_unsigned(bytes, component);
    float value;
    if (component == LMB_GLTF_FLOAT) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    value = component == LMB_GLTF_INT8    ? (float)(int8_t)bits
            : component == LMB_GLTF_INT16 ? (float)(int16_t)bits
                                          : (float)bits;
    return normalized ? fmaxf(value / largest[component - LMB_GLTF_INT8], -1.0f) : value;
}

// Decodes an element into words: floats, or the integers themselves.
static void decode_element(const lmb_gltf_accessor *accessor, const uint8_t *bytes, bool as_floats, uint32_t *words) {
    size_t size = lmb_gltf_component_size(accessor->component);
    for (uint32_t column = 0; column < shapes[accessor->shape].columns; column++) {
        for (uint32_t row = 0; row < shapes[accessor->shape].rows; row++, words++) {
            const uint8_t *at = bytes + column * column_size(accessor) + row * size;
            if (as_floats) {
                float value = read_float(at, accessor->component, accessor->normalized);
                memcpy(words, &value, sizeof value);
            } else {
                *words = read_unsigned(at, accessor->component);
            }
        }
    }
}

static bool decode_sparse(const lmb_gltf *gltf, uint32_t index, uint32_t count, bool as_floats, uint32_t *words) {
    const lmb_gltf_accessor *accessor = &gltf->accessors[index];
    size_t index_size = lmb_gltf_component_size(accessor->sparse_component);
    uint32_t components = lmb_gltf_component_count(accessor->shape);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < accessor->sparse_count; i++) {
        uint32_t element = read_unsigned(accessor->sparse_indices + i * index_size, accessor->sparse_component);
        if (element >= accessor->count || (i > 0 && element <= previous)) {
            return lmb_importer_fail(gltf->importer, LMB_ERROR_FORMAT,
                                     "accessors[%" PRIu32 "].sparse.indices: %" PRIu32 " at %" PRIu32
                                     " is outside or not in ascending order",
                                     index, element, i);
        }
        if (element >= count) {
            break;
        }
        previous = element;
        decode_element(accessor, accessor->sparse_values + i * element_size(accessor), as_floats,
                       words + (size_t)element * components);
    }
    return true;
}

static void *decode(const lmb_gltf *gltf, lmb_pool *pool, uint32_t index, uint32_t count, bool as_floats) {
    const lmb_gltf_accessor *accessor = &gltf->accessors[index];
    size_t components = lmb_gltf_component_count(accessor->shape);
    uint32_t *words = lmb_importer_allocate(gltf->importer, pool, count, components * sizeof *words);
    if (words == NULL || !lmb_importer_decode(gltf->importer, count * components * sizeof *words)) {
        return NULL;
    }
    for (size_t i = 0; accessor->bytes != NULL && i < count; i++) {
        decode_element(accessor, accessor->bytes + i * accessor->stride, as_floats, words + i * components);
    }
    return decode_sparse(gltf, index, count, as_floats, words) ? words : NULL;
}

float *lmb_gltf_decode_floats(const lmb_gltf *gltf, lmb_pool *pool, uint32_t accessor, uint32_t count) {
    size_t components = lmb_gltf_component_count(gltf->accessors[accessor].shape);
    float *values = decode(gltf, pool, accessor, count, true);
    for (size_t i = 0; values != NULL && i < count * components; i++) {
        if (!(fabsf(values[i]) <= LMB_LARGEST)) {
            lmb_importer_fail(gltf->importer, LMB_ERROR_FORMAT,
                              "accessors[%" PRIu32 "]: element %zu holds %g, which is not finite or above 2^40",
                              accessor, i / components, (double)values[i]);
            return NULL;
        }
    }
    return values;
}

uint32_t *lmb_gltf_decode_integers(const lmb_gltf *gltf, lmb_pool *pool, uint32_t accessor, uint32_t count) {
    return decode(gltf, pool, accessor, count, false);
}
