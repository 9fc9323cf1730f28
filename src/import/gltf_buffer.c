// Loads buffers and reads buffer views.
#include "gltf.h"

#include "uri.h"

#include <inttypes.h>

lmb_name *lmb_gltf_read_uris(lmb_gltf *gltf, const lmb_gltf_list *list) {
    lmb_importer *importer = gltf->importer;
    lmb_name *uris = lmb_importer_allocate(importer, &importer->scratch, list->count, sizeof *uris);
    for (uint32_t i = 0; uris != NULL && i < list->count; i++) {
        lmb_gltf_object object = lmb_gltf_item(list, i);
        uris[i] = (lmb_name){.text = "", .index = i};
        if (!lmb_gltf_read_string(gltf, &object, "uri", &uris[i].text)) {
            return NULL;
        }
    }
    if (uris != NULL) {
        lmb_names_sort(uris, list->count);
    }
    return uris;
}

// Loads a buffer from its URI; the first buffer, if it has no URI, is the binary chunk. If an earlier buffer has the
// same URI, its bytes are taken from `files`.
static bool load(lmb_gltf *gltf, const lmb_gltf_object *object, uint32_t index, const lmb_name *uris,
                 const lmb_gltf_buffer *files, lmb_gltf_buffer *buffer) {
    const char *uri = NULL;
    if (!lmb_gltf_read_string(gltf, object, "uri", &uri)) {
        return false;
    }
    if (uri == NULL) {
        if (index != 0 || gltf->glb.binary == NULL) {
            return lmb_gltf_fail(gltf, object, "uri", "is missing, and there is no binary chunk for this buffer");
        }
        buffer->bytes = gltf->glb.binary;
        buffer->size = gltf->glb.binary_size;
        return true;
    }
    uint32_t first = lmb_names_find(uris, gltf->buffer_count, uri);
    if (first < index) {
        *buffer = files[first];
        return true;
    }
    lmb_gltf_place place = lmb_gltf_place_of("%s.uri", object->place.text);
    return lmb_uri_check(gltf->importer, uri, place.text) &&
           lmb_uri_load(gltf->importer, uri, place.text, &buffer->bytes, &buffer->size);
}

static bool read_buffer(lmb_gltf *gltf, const lmb_gltf_object *object, uint32_t index, const lmb_name *uris,
                        lmb_gltf_buffer *files) {
    lmb_gltf_buffer *buffer = &gltf->buffers[index];
    uint64_t length = 0;
    if (!lmb_gltf_require(gltf, object, "byteLength") ||
        !lmb_gltf_read_integer(gltf, object, "byteLength", 1, UINT32_MAX, &length) ||
        !load(gltf, object, index, uris, files, buffer)) {
        return false;
    }
    files[index] = *buffer;
    if (length > buffer->size) {
        return lmb_gltf_fail(gltf, object, "byteLength", "%" PRIu64 ", but there are only %zu bytes", length,
                             buffer->size);
    }
    buffer->size = (size_t)length;
    return true;
}

bool lmb_gltf_read_buffers(lmb_gltf *gltf) {
    lmb_pool *scratch = &gltf->importer->scratch;
    lmb_gltf_list list;
    if (!lmb_gltf_read_list(gltf, scratch, &gltf->root, "buffers", LMB_JSON_OBJECT, &list)) {
        return false;
    }
    gltf->buffer_count = list.count;
    gltf->buffers = lmb_importer_allocate(gltf->importer, scratch, list.count, sizeof(lmb_gltf_buffer));
    lmb_gltf_buffer *files = gltf->buffers == NULL
                                 ? NULL
                                 : lmb_importer_allocate(gltf->importer, scratch, list.count, sizeof(lmb_gltf_buffer));
    lmb_name *uris = files == NULL ? NULL : lmb_gltf_read_uris(gltf, &list);
    for (uint32_t i = 0; uris != NULL && i < list.count; i++) {
        lmb_gltf_object object = lmb_gltf_item(&list, i);
        if (!read_buffer(gltf, &object, i, uris, files)) {
            return false;
        }
    }
    return uris != NULL;
}

static bool read_view(lmb_gltf *gltf, const lmb_gltf_object *object, lmb_gltf_view *view) {
    uint32_t index = 0;
    uint64_t offset = 0;
    uint64_t length = 0;
    uint64_t stride = 0;
    if (!lmb_gltf_require(gltf, object, "buffer") ||
        !lmb_gltf_read_index(gltf, object, "buffer", gltf->buffer_count, "buffers", &index) ||
        !lmb_gltf_read_integer(gltf, object, "byteOffset", 0, UINT32_MAX, &offset) ||
        !lmb_gltf_require(gltf, object, "byteLength") ||
        !lmb_gltf_read_integer(gltf, object, "byteLength", 1, UINT32_MAX, &length) ||
        !lmb_gltf_read_integer(gltf, object, "byteStride", 4, 252, &stride)) {
        return false;
    }
    const lmb_gltf_buffer *buffer = &gltf->buffers[index];
    if (offset > buffer->size || length > buffer->size - offset) {
        return lmb_gltf_fail(gltf, object, NULL,
                             "%" PRIu64 " bytes from %" PRIu64 " on, but buffer %" PRIu32 " has %zu", length, offset,
                             index, buffer->size);
    }
    if (stride % 4 != 0) {
        return lmb_gltf_fail(gltf, object, "byteStride", "%" PRIu64 " is no multiple of 4", stride);
    }
    *view = (lmb_gltf_view){
        .bytes = buffer->bytes + offset, .offset = (size_t)offset, .size = (size_t)length, .stride = (size_t)stride};
    return true;
}

bool lmb_gltf_read_views(lmb_gltf *gltf) {
    lmb_pool *scratch = &gltf->importer->scratch;
    lmb_gltf_list list;
    if (!lmb_gltf_read_list(gltf, scratch, &gltf->root, "bufferViews", LMB_JSON_OBJECT, &list)) {
        return false;
    }
    gltf->view_count = list.count;
    gltf->views = lmb_importer_allocate(gltf->importer, scratch, list.count, sizeof(lmb_gltf_view));
    for (uint32_t i = 0; gltf->views != NULL && i < list.count; i++) {
        lmb_gltf_object object = lmb_gltf_item(&list, i);
        if (!read_view(gltf, &object, &gltf->views[i])) {
            return false;
        }
    }
    return gltf->views != NULL;
}
