#include "gltf_fuzzing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_START 20u // after the headers of the file and of its first chunk

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

void import_require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "import: %s\n", what);
        abort();
    }
}

static void check_vertex(const lmb_vertex *vertex, uint32_t joint_count) {
    float sum = 0;
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        import_require(vertex->joints[i] < joint_count, "a vertex hangs on no joint");
        import_require(vertex->weights[i] >= 0, "a weight is negative");
        sum += vertex->weights[i];
    }
    import_require(fabsf(sum - 1) < 1e-4f, "weights do not sum to 1");
    for (int i = 0; i < 3; i++) {
        import_require(fabsf(vertex->position[i]) <= LMB_LARGEST, "a position is out of range");
        import_require(fabsf(vertex->normal[i]) <= 1.0001f, "a normal is no unit");
    }
}

static void check_mesh(const lmb_import *import, const lmb_mesh *mesh) {
    import_require(mesh->index_count > 0 && mesh->index_count % 3 == 0, "no whole triangles");
    import_require(mesh->image == LMB_NONE || mesh->image < lmb_import_get_content(import)->image_count,
                   "no such image");
    for (uint32_t i = 0; i < mesh->index_count; i++) {
        import_require(mesh->indices[i] < mesh->vertex_count, "no such vertex");
    }
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        check_vertex(&mesh->vertices[i], lmb_rig_get_def(lmb_import_get_content(import)->rig)->joint_count);
        import_require(mesh->influence_count == LMB_MAX_INFLUENCES ||
                           mesh->vertices[i].weights[mesh->influence_count] == 0,
                       "an influence beyond the number of influences");
    }
}

void import_require_whole(const lmb_import *import) {
    const lmb_import_content *content = lmb_import_get_content(import);
    import_require(lmb_rig_get_def(content->rig)->joint_count > 0, "a rig without joints");
    for (uint32_t i = 0; i < content->clip_count; i++) {
        const lmb_clip *clip = content->clips[i];
        import_require(lmb_clip_get_info(clip)->joint_count == lmb_rig_get_def(content->rig)->joint_count,
                       "a clip of another rig");
    }
    for (uint32_t i = 0; i < content->mesh_count; i++) {
        check_mesh(import, &content->meshes[i]);
    }
    for (uint32_t i = 0; i < content->note_count; i++) {
        import_require(strlen(content->notes[i]) > 0, "an empty note");
    }
}

void import_require_failed(lmb_result result, const lmb_import *import, const lmb_error *error, const char *begin) {
    import_require(import == NULL && error->result == result, "an error that is none");
    import_require(result == LMB_ERROR_FILE || result == LMB_ERROR_FORMAT || result == LMB_ERROR_UNSUPPORTED ||
                       result == LMB_ERROR_LIMIT || result == LMB_ERROR_UNTRUSTED,
                   "a result that the header does not name");
    import_require(memchr(error->message, '\0', sizeof error->message) != NULL &&
                       strncmp(error->message, begin, strlen(begin)) == 0,
                   "a message that does not name the file");
}

static uint32_t read_word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void write_word(uint8_t *bytes, size_t value) {
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

static bool is_digit(uint8_t character) {
    return character >= '0' && character <= '9';
}

// Replaces one of the numbers in the text by a number that is likely to have a meaning there.
static size_t change_number(uint8_t *text, size_t size, size_t max_size, unsigned int seed) {
    static const char *const numbers[] = {"0",    "1",     "2",          "3",    "4",    "5",    "6",    "7",
                                          "8",    "12",    "16",         "64",   "252",  "255",  "1000", "65535",
                                          "-1",   "65536", "4294967295", "5120", "5121", "5122", "5123", "5125",
                                          "5126", "0.5",   "1e-30",      "1e11", "1e39", "-0.0", "1e999"};
    size_t count = 0;
    for (size_t i = 1; i < size; i++) {
        count += is_digit(text[i]) && !is_digit(text[i - 1]);
    }
    size_t chosen = count == 0 ? 0 : seed % count;
    for (size_t i = 1; count > 0 && i < size; i++) {
        if (!is_digit(text[i]) || is_digit(text[i - 1]) || chosen-- > 0) {
            continue;
        }
        size_t end = i;
        while (end < size && is_digit(text[end])) {
            end++;
        }
        const char *number = numbers[seed / 7 % (sizeof numbers / sizeof numbers[0])];
        size_t length = strlen(number);
        if (size - (end - i) + length <= max_size) {
            memmove(text + i + length, text + end, size - end);
            memcpy(text + i, number, length);
            return size - (end - i) + length;
        }
        return size;
    }
    return size;
}

static bool take_apart(const uint8_t *data, size_t size, size_t *json_size, size_t *binary_size) {
    if (size < JSON_START || memcmp(data, "glTF", 4) != 0) {
        return false;
    }
    *json_size = read_word(data + 12);
    if (*json_size > size - JSON_START || size - JSON_START - *json_size < 8) {
        return false;
    }
    *binary_size = size - JSON_START - *json_size - 8;
    return true;
}

size_t gltf_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    enum { ROOM = 1 << 16 };
    static uint8_t json[ROOM + 4]; // with its padding
    static uint8_t binary[ROOM];
    size_t json_size;
    size_t binary_size;
    bool is_text = size > 0 && data[0] == '{';
    if (is_text && seed % 2 == 0) {
        return change_number(data, size, max_size, seed / 2);
    }
    if (seed % 16 == 1 || max_size > ROOM || !take_apart(data, size, &json_size, &binary_size)) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    memcpy(json, data + JSON_START, json_size);
    memcpy(binary, data + JSON_START + json_size + 8, binary_size);
    size_t room = max_size - (size < max_size ? size : max_size);
    if (seed % 4 == 0) {
        binary_size = LLVMFuzzerMutate(binary, binary_size, binary_size + room / 2);
    } else if (seed % 4 == 1) {
        json_size = LLVMFuzzerMutate(json, json_size, json_size + room / 2);
    } else {
        json_size = change_number(json, json_size, json_size + room / 2, seed / 4);
    }
    while (json_size % 4 != 0) {
        json[json_size++] = ' ';
    }
    binary_size -= binary_size % 4;
    size_t total = JSON_START + json_size + 8 + binary_size;
    if (total > max_size) {
        return size;
    }
    memcpy(data, "glTF\2\0\0\0", 8);
    write_word(data + 8, total);
    write_word(data + 12, json_size);
    memcpy(data + 16, "JSON", 4);
    memcpy(data + JSON_START, json, json_size);
    write_word(data + JSON_START + json_size, binary_size);
    memcpy(data + JSON_START + json_size + 4, "BIN", 4);
    memcpy(data + JSON_START + json_size + 8, binary, binary_size);
    return total;
}
