// Decodes compressed data: buffer views by meshoptimizer (EXT_meshopt_compression) and primitives by Draco
// (KHR_draco_mesh_compression). Both libraries are optional. Without one, a file that has the same data uncompressed
// beside it is still read.
#include "gltf.h"

#include "draco.h"

#include <inttypes.h>
#include <string.h>

#ifdef LMB_WITH_MESHOPT
#include <meshoptimizer.h>
#endif

const char lmb_gltf_draco[] = "KHR_draco_mesh_compression", lmb_gltf_meshopt[] = "EXT_meshopt_compression";

const char *lmb_gltf_missing_library(const char *extension) {
#ifndef LMB_WITH_DRACO
    if (strcmp(extension, lmb_gltf_draco) == 0) {
        return "LIMBER_DRACO (Debian: libdraco-dev)";
    }
#endif
#ifndef LMB_WITH_MESHOPT
    if (strcmp(extension, lmb_gltf_meshopt) == 0) {
        return "LIMBER_MESHOPT (Debian: libmeshoptimizer-dev)";
    }
#endif
    (void)extension;
    return NULL;
}

#if !defined(LMB_WITH_DRACO) || !defined(LMB_WITH_MESHOPT)
static bool fail_missing(const lmb_gltf_object *object, const char *extension) {
    return lmb_importer_fail(object->gltf->importer, LMB_ERROR_UNSUPPORTED, "%s: %s is read by a build with %s alone",
                             object->place.text, extension, lmb_gltf_missing_library(extension));
}
#endif

static bool read_extension(const lmb_gltf_object *object, const char *name, lmb_gltf_object *extension, bool *present) {
    lmb_gltf_object extensions;
    return lmb_gltf_read_object(object, "extensions", &extensions, present) &&
           (!*present || lmb_gltf_read_object(&extensions, name, extension, present));
}

// ---- Buffer views ----

bool lmb_gltf_is_fallback(const lmb_gltf_object *buffer, bool *is_fallback) {
    lmb_gltf_object extension;
    bool present;
    *is_fallback = false;
    return read_extension(buffer, lmb_gltf_meshopt, &extension, &present) &&
           (!present || lmb_gltf_read_boolean(&extension, "fallback", is_fallback));
}

#ifdef LMB_WITH_MESHOPT
typedef enum mode { ATTRIBUTES, TRIANGLES, INDICES } mode;
typedef enum filter { NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL } filter;

typedef struct stream {
    const uint8_t *bytes;
    size_t size;
    uint64_t count;
    uint64_t stride;
    uint32_t mode;
    uint32_t filter;
} stream;

static bool read_stream(const lmb_gltf_object *object, stream *stream) {
    static const char *const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char *const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
    lmb_gltf *gltf = object->gltf;
    uint32_t index = 0;
    uint64_t offset = 0, length = 0;
    *stream = (struct stream){0};
    if (!lmb_gltf_require(object, "buffer") ||
        !lmb_gltf_read_index(object, "buffer", gltf->buffer_count, "buffers", &index) ||
        !lmb_gltf_read_integer(object, "byteOffset", 0, UINT32_MAX, &offset) ||
        !lmb_gltf_require(object, "byteLength") ||
        !lmb_gltf_read_integer(object, "byteLength", 0, UINT32_MAX, &length) ||
        !lmb_gltf_require(object, "byteStride") ||
        !lmb_gltf_read_integer(object, "byteStride", 1, 256, &stream->stride) || !lmb_gltf_require(object, "count") ||
        !lmb_gltf_read_integer(object, "count", 0, UINT32_MAX, &stream->count) || !lmb_gltf_require(object, "mode") ||
        !lmb_gltf_read_choice(object, "mode", modes, 3, &stream->mode) ||
        !lmb_gltf_read_choice(object, "filter", filters, 4, &stream->filter)) {
        return false;
    }
    const lmb_gltf_buffer *buffer = &gltf->buffers[index];
    if (buffer->bytes == NULL || offset > buffer->size || length > buffer->size - offset) {
        return lmb_gltf_fail(object, NULL, "%" PRIu64 " bytes from %" PRIu64 " on, but buffer %" PRIu32 " has %zu",
                             length, offset, index, buffer->bytes == NULL ? 0 : buffer->size);
    }
    stream->bytes = buffer->bytes + offset;
    stream->size = (size_t)length;
    return true;
}

// Returns what is wrong with the numbers of a stream, which the decoders of meshoptimizer only assert, or NULL.
static const char *find_fault(const stream *stream) {
    const bool is_index = stream->mode != ATTRIBUTES;
    if (is_index && stream->stride != 2 && stream->stride != 4) {
        return "indices have a stride of 2 or 4 bytes";
    }
    if (stream->mode == TRIANGLES && stream->count % 3 != 0) {
        return "its count is no multiple of 3";
    }
    if (!is_index && stream->stride % 4 != 0) {
        return "attributes have a stride that is a multiple of 4";
    }
    if (stream->filter == OCTAHEDRAL && stream->stride != 4 && stream->stride != 8) {
        return "the filter OCTAHEDRAL is for a stride of 4 or 8 bytes";
    }
    if (stream->filter == QUATERNION && stream->stride != 8) {
        return "the filter QUATERNION is for a stride of 8 bytes";
    }
    return is_index && stream->filter != NONE ? "indices have no filter" : NULL;
}

static bool decode_stream(const stream *stream, uint8_t *to) {
    const size_t count = (size_t)stream->count, stride = (size_t)stream->stride;
    const int failed =
        stream->mode == ATTRIBUTES  ? meshopt_decodeVertexBuffer(to, count, stride, stream->bytes, stream->size)
        : stream->mode == TRIANGLES ? meshopt_decodeIndexBuffer(to, count, stride, stream->bytes, stream->size)
                                    : meshopt_decodeIndexSequence(to, count, stride, stream->bytes, stream->size);
    if (failed != 0) {
        return false;
    }
    switch (stream->filter) {
    case OCTAHEDRAL:
        meshopt_decodeFilterOct(to, count, stride);
        break;
    case QUATERNION:
        meshopt_decodeFilterQuat(to, count, stride);
        break;
    case EXPONENTIAL:
        meshopt_decodeFilterExp(to, count, stride);
        break;
    default:
        break;
    }
    return true;
}

bool lmb_gltf_decompress_view(const lmb_gltf_object *object, lmb_gltf_view *view, bool *decoded) {
    lmb_importer *importer = object->gltf->importer;
    lmb_gltf_object extension;
    stream stream;
    if (!read_extension(object, lmb_gltf_meshopt, &extension, decoded)) {
        return false;
    }
    if (!*decoded) {
        return true;
    }
    if (!read_stream(&extension, &stream)) {
        return false;
    }
    const char *fault = find_fault(&stream);
    if (fault != NULL) {
        return lmb_gltf_fail(&extension, NULL, "%s", fault);
    }
    const size_t size = (size_t)(stream.count * stream.stride);
    uint8_t *bytes = lmb_importer_decode(importer, size) ? lmb_importer_scratch(importer, size, 1) : NULL;
    if (bytes == NULL) {
        return false;
    }
    if (stream.count > 0 && !decode_stream(&stream, bytes)) {
        return lmb_gltf_fail(&extension, NULL, "its %zu bytes are not what meshoptimizer reads", stream.size);
    }
    view->bytes = bytes;
    view->size = size;
    view->offset = 0;
    return true;
}
#else
bool lmb_gltf_decompress_view(const lmb_gltf_object *object, lmb_gltf_view *view, bool *decoded) {
    lmb_gltf_object extension;
    bool present;
    *decoded = false;
    return read_extension(object, lmb_gltf_meshopt, &extension, &present) &&
           (!present || view->bytes != NULL || fail_missing(object, lmb_gltf_meshopt));
}
#endif

// ---- Primitives ----

#ifdef LMB_WITH_DRACO
typedef struct draco_primitive {
    const lmb_gltf_object *object;
    lmb_gltf_object attributes; // accessors by name
    lmb_gltf_object ids;        // Draco's numbers of attributes by name
    uint32_t view;
    uint32_t indices; // the accessor, or LMB_NONE
} draco_primitive;

static bool read_draco(const lmb_gltf_object *object, const lmb_gltf_object *extension, draco_primitive *p) {
    lmb_gltf *gltf = object->gltf;
    *p = (draco_primitive){.object = object, .view = LMB_NONE, .indices = LMB_NONE};
    return lmb_gltf_require(extension, "bufferView") &&
           lmb_gltf_read_index(extension, "bufferView", gltf->view_count, "buffer views", &p->view) &&
           lmb_gltf_read_object(extension, "attributes", &p->ids, NULL) &&
           lmb_gltf_read_object(object, "attributes", &p->attributes, NULL) &&
           lmb_gltf_read_index(object, "indices", gltf->accessor_count, "accessors", &p->indices);
}

// Replaces the data of an accessor by decoded elements.
static void set_data(lmb_gltf_accessor *accessor, uint32_t view, uint32_t count, size_t size, const void *bytes) {
    accessor->bytes = bytes;
    accessor->stride = size;
    accessor->count = count;
    accessor->sparse_count = 0;
    accessor->draco_view = view + 1;
}

static bool decode_attribute(const draco_primitive *p, const lmb_draco *mesh, const char *name) {
    lmb_gltf *gltf = p->object->gltf;
    uint32_t index = LMB_NONE;
    uint64_t id = 0;
    if (!lmb_gltf_read_integer(&p->ids, name, 0, UINT32_MAX, &id) ||
        !lmb_gltf_read_index(&p->attributes, name, gltf->accessor_count, "accessors", &index)) {
        return false;
    }
    if (index == LMB_NONE) {
        return true; // nothing reads it
    }
    lmb_gltf_accessor *accessor = &gltf->accessors[index];
    const uint32_t count = lmb_draco_vertex_count(mesh), width = lmb_gltf_component_count(accessor->shape);
    const size_t size = width * lmb_gltf_component_size(accessor->component);
    if (accessor->count != count || accessor->shape > LMB_GLTF_VEC4) {
        return lmb_gltf_fail(&p->attributes, name,
                             "accessor %" PRIu32 " has %" PRIu32 " elements, Draco's data %" PRIu32, index,
                             accessor->count, count);
    }
    void *values =
        lmb_importer_decode(gltf->importer, count * size) ? lmb_importer_scratch(gltf->importer, count, size) : NULL;
    if (values == NULL) {
        return false;
    }
    if (!lmb_draco_attribute(mesh, (uint32_t)id, (int)accessor->component, width, values)) {
        return lmb_gltf_fail(&p->ids, name,
                             "%" PRIu64 " is no attribute of Draco's data, or not of the accessor's type", id);
    }
    set_data(accessor, p->view, count, size, values);
    return true;
}

static bool decode_indices(const draco_primitive *p, const lmb_draco *mesh) {
    lmb_gltf *gltf = p->object->gltf;
    if (p->indices == LMB_NONE) {
        return lmb_gltf_fail(p->object, "indices", "is missing beside Draco's data");
    }
    lmb_gltf_accessor *accessor = &gltf->accessors[p->indices];
    const uint32_t count = lmb_draco_index_count(mesh);
    if (accessor->count != count) {
        return lmb_gltf_fail(p->object, "indices",
                             "accessor %" PRIu32 " has %" PRIu32 " elements, Draco's data %" PRIu32, p->indices,
                             accessor->count, count);
    }
    uint32_t *indices = lmb_importer_decode(gltf->importer, count * sizeof *indices)
                            ? lmb_importer_scratch(gltf->importer, count, sizeof *indices)
                            : NULL;
    if (indices == NULL) {
        return false;
    }
    if (!lmb_draco_indices(mesh, indices)) {
        return lmb_gltf_fail(p->object, "indices", "Draco's data has one of no vertex");
    }
    accessor->component = LMB_GLTF_UINT32;
    set_data(accessor, p->view, count, sizeof *indices, indices);
    return true;
}

static bool decode_all(const draco_primitive *p, const lmb_draco *mesh) {
    const lmb_json *json = &p->object->gltf->json;
    if (!decode_indices(p, mesh)) {
        return false;
    }
    const uint32_t end = json->values[p->ids.value].next;
    for (uint32_t key = p->ids.value + 1; key < end; key = json->values[key].next) {
        size_t length;
        char *name = lmb_gltf_copy_string(p->object->gltf, key, &length);
        if (name == NULL || !decode_attribute(p, mesh, name)) {
            return false;
        }
        lmb_pool_release(&p->object->gltf->importer->scratch, name);
    }
    return true;
}

static bool decode_primitive(const draco_primitive *p, const lmb_gltf_object *extension) {
    lmb_gltf *gltf = p->object->gltf;
    lmb_importer *importer = gltf->importer;
    const lmb_budget *budget = &importer->import->budget;
    const lmb_gltf_view *view = &gltf->views[p->view];
    const char *why = "";
    bool exceeded = false;
    lmb_draco *mesh = lmb_draco_decode(view->bytes, view->size, budget->limit - budget->used, &exceeded, &why);
    if (mesh == NULL && exceeded) {
        importer->import->budget.exceeded = true;
        return lmb_importer_fail_memory(importer);
    }
    if (mesh == NULL) {
        return lmb_gltf_fail(extension, "bufferView", "%s", why);
    }
    const bool decoded = decode_all(p, mesh);
    lmb_draco_destroy(mesh);
    return decoded;
}

bool lmb_gltf_decompress_primitive(const lmb_gltf_object *primitive, bool *decoded) {
    lmb_gltf_object extension;
    draco_primitive p;
    if (!read_extension(primitive, lmb_gltf_draco, &extension, decoded)) {
        return false;
    }
    if (!*decoded) {
        return true;
    }
    // Many nodes may use one mesh, which is decoded once.
    return read_draco(primitive, &extension, &p) &&
           ((p.indices != LMB_NONE && primitive->gltf->accessors[p.indices].draco_view == p.view + 1) ||
            decode_primitive(&p, &extension));
}
#else
bool lmb_gltf_decompress_primitive(const lmb_gltf_object *primitive, bool *decoded) {
    const lmb_gltf *gltf = primitive->gltf;
    lmb_gltf_object extension, attributes;
    uint32_t position = LMB_NONE;
    bool present;
    *decoded = false;
    if (!read_extension(primitive, lmb_gltf_draco, &extension, &present)) {
        return false;
    }
    if (!present) {
        return true;
    }
    return lmb_gltf_read_object(primitive, "attributes", &attributes, NULL) &&
           lmb_gltf_read_index(&attributes, "POSITION", gltf->accessor_count, "accessors", &position) &&
           ((position != LMB_NONE && gltf->accessors[position].bytes != NULL) ||
            fail_missing(primitive, lmb_gltf_draco));
}
#endif
