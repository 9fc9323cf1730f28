#include "glb.h"

#include <inttypes.h>
#include <string.h>

#define HEADER_SIZE 12u
#define CHUNK_HEADER_SIZE 8u
#define CHUNK_JSON 0x4E4F534Au
#define CHUNK_BINARY 0x004E4942u

static uint32_t read_word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

bool lmb_glb_recognise(const uint8_t *bytes, size_t size) {
    return size >= 4 && memcmp(bytes, "glTF", 4) == 0;
}

static bool check_header(lmb_importer *importer, const uint8_t *bytes, size_t size) {
    if (size < HEADER_SIZE) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GLB header: the file ends inside it");
    }
    uint32_t version = read_word(bytes + 4);
    if (version != 2) {
        return lmb_importer_fail(importer, LMB_ERROR_UNSUPPORTED, "GLB header: version %" PRIu32 ", 2 is read",
                                 version);
    }
    uint32_t length = read_word(bytes + 8);
    if (length != size) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GLB header: it says %" PRIu32 " bytes, the file has %zu",
                                 length, size);
    }
    return true;
}

static bool take_chunk(lmb_importer *importer, uint32_t type, uint32_t index, const uint8_t *content, size_t length,
                       lmb_glb *glb) {
    if ((type == CHUNK_JSON) != (index == 0)) {
        return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GLB chunk %" PRIu32 ": %s", index,
                                 index == 0 ? "the first one is not JSON" : "a second one of JSON");
    }
    if (type == CHUNK_JSON) {
        glb->json = (const char *)content;
        glb->json_size = length;
    }
    if (type == CHUNK_BINARY) {
        if (index != 1) {
            return lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GLB chunk %" PRIu32 ": %s", index,
                                     glb->binary != NULL ? "a second one of binary data"
                                                         : "binary data that does not follow the JSON");
        }
        glb->binary = content;
        glb->binary_size = length;
    }
    return true;
}

bool lmb_glb_read(lmb_importer *importer, const uint8_t *bytes, size_t size, lmb_glb *glb) {
    *glb = (lmb_glb){0};
    if (!check_header(importer, bytes, size)) {
        return false;
    }
    size_t at = HEADER_SIZE;
    for (uint32_t index = 0; at < size; index++) {
        if (size - at < CHUNK_HEADER_SIZE) {
            return lmb_importer_fail(importer, LMB_ERROR_FORMAT,
                                     "GLB chunk %" PRIu32 ": the file ends inside its header", index);
        }
        uint32_t length = read_word(bytes + at);
        uint32_t type = read_word(bytes + at + 4);
        at += CHUNK_HEADER_SIZE;
        if (length > size - at || length % 4 != 0) {
            return lmb_importer_fail(importer, LMB_ERROR_FORMAT,
                                     "GLB chunk %" PRIu32 ": a length of %" PRIu32 " bytes, %zu are left%s", index,
                                     length, size - at, length % 4 != 0 ? ", and it is no multiple of 4" : "");
        }
        if (!take_chunk(importer, type, index, bytes + at, length, glb)) {
            return false;
        }
        at += length;
    }
    return glb->json != NULL || lmb_importer_fail(importer, LMB_ERROR_FORMAT, "GLB: no chunk of JSON");
}
