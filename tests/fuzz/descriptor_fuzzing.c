#include "descriptor_fuzzing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_begin(fuzz_input *input, const uint8_t *data, size_t size) {
    input->at = data;
    input->end = data + size;
    input->array_count = 0;
}

void fuzz_end(fuzz_input *input) {
    for (uint32_t i = 0; i < input->array_count; i++) {
        free(input->arrays[i]);
    }
    input->array_count = 0;
}

void fuzz_require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

uint8_t fuzz_byte(fuzz_input *input) {
    return input->at < input->end ? *input->at++ : 0;
}

uint32_t fuzz_word(fuzz_input *input) {
    uint32_t word = 0;
    for (int i = 0; i < 4; i++) {
        word |= (uint32_t)fuzz_byte(input) << (8 * i);
    }
    return word;
}

bool fuzz_flag(fuzz_input *input) {
    return fuzz_byte(input) % 2 != 0;
}

float fuzz_float(fuzz_input *input) {
    static const float usual[] = {0.0f,    1.0f,     -1.0f,     0.5f,   0.25f,    2.0f,        3.0f,  60.0f,
                                  1e-6f,   1e-42f,   -0.0f,     1e38f,  INFINITY, -INFINITY,   NAN,   16.0f,
                                  0x1p40f, -0x1p40f, 0x1p-40f,  100.0f, 64.0f,    1048576.0f,  1e5f,  1.0000001f,
                                  180.0f,  -180.0f,  0x1.2p40f, 0.1f,   -0.3f,    0.99999994f, 1e-9f, 0.75f};
    const uint8_t byte = fuzz_byte(input);
    if (byte < 64) {
        return (float)byte * 0.0625f;
    }
    if (byte < 224) {
        return usual[byte % (sizeof usual / sizeof usual[0])];
    }
    const uint32_t bits = fuzz_word(input);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

uint32_t fuzz_index(fuzz_input *input, uint32_t count) {
    const uint8_t byte = fuzz_byte(input);
    if (byte < 208) {
        return count == 0 ? LMB_NONE : byte % count;
    }
    return byte < 240 ? LMB_NONE : byte < 248 ? count : fuzz_word(input);
}

uint32_t fuzz_choice(fuzz_input *input, uint32_t count) {
    const uint8_t byte = fuzz_byte(input);
    return byte < 250 ? byte % count : byte < 253 ? count : fuzz_word(input);
}

uint32_t fuzz_count(fuzz_input *input, uint32_t usual, uint32_t most) {
    const uint8_t byte = fuzz_byte(input);
    if (byte < 246) {
        return byte % (usual + 1);
    }
    return byte < 249 ? most : byte < 252 ? most + 1 : fuzz_word(input);
}

lmb_curve fuzz_curve(fuzz_input *input) {
    const uint32_t drawn = fuzz_choice(input, LMB_CURVE_COUNT + 3);
    return drawn < LMB_CURVE_COUNT ? (lmb_curve)drawn : lmb_user_curve(drawn - LMB_CURVE_COUNT);
}

static void fill_key(fuzz_input *input, float x, lmb_curve_key *key) {
    const uint8_t fields = fuzz_byte(input);
    *key = lmb_key((fields & 1) != 0 ? fuzz_float(input) : x, (fields & 2) != 0 ? fuzz_float(input) : x);
    key->stepped = (fields & 4) != 0;
    for (int i = 0; i < 2 && (fields & 8) != 0; i++) {
        key->in[i] = fuzz_float(input);
        key->out[i] = fuzz_float(input);
    }
}

void fuzz_curves(fuzz_input *input, lmb_graph_def *def) {
    def->curve_count = fuzz_count(input, 2, LMB_MAX_CURVES);
    const uint32_t made = fuzz_elements(def->curve_count, LMB_MAX_CURVES);
    lmb_curve_def *curves = fuzz_array(input, def->curve_count, LMB_MAX_CURVES, sizeof *curves);
    for (uint32_t i = 0; i < def->curve_count && i < made && i < 2; i++) {
        curves[i].key_count = fuzz_count(input, 4, LMB_MAX_CURVE_KEYS);
        const uint32_t keys_made = fuzz_elements(curves[i].key_count, LMB_MAX_CURVE_KEYS);
        lmb_curve_key *keys = fuzz_array(input, curves[i].key_count, LMB_MAX_CURVE_KEYS, sizeof *keys);
        for (uint32_t k = 0; k < curves[i].key_count && k < keys_made; k++) {
            fill_key(input, k + 1 < keys_made ? (float)k / (float)(keys_made - 1) : 1.0f, &keys[k]);
        }
        curves[i].keys = keys;
    }
    def->curves = curves;
}

lmb_value fuzz_value(fuzz_input *input, uint32_t parameter_count) {
    const uint8_t kind = fuzz_byte(input);
    lmb_value value =
        kind % 2 == 0 ? lmb_constant(fuzz_float(input)) : lmb_parameter(fuzz_index(input, parameter_count));
    if (kind % 8 >= 4) {
        value.curve = fuzz_curve(input);
        value.control[0] = fuzz_float(input);
        value.control[1] = fuzz_float(input);
    }
    if (kind % 16 >= 8) {
        value.constant = fuzz_float(input);
    }
    return value;
}

uint32_t fuzz_elements(uint32_t count, uint32_t most) {
    return count <= most ? count : 1;
}

void *fuzz_array(fuzz_input *input, uint32_t count, uint32_t most, size_t size) {
    if (count == 0 && fuzz_flag(input)) {
        return NULL;
    }
    fuzz_require(input->array_count < FUZZ_MOST_ARRAYS, "too many arrays");
    void *array = calloc(fuzz_elements(count, most), size);
    fuzz_require(array != NULL || count == 0, "no memory");
    input->arrays[input->array_count++] = array;
    return array;
}

float *fuzz_floats(fuzz_input *input, uint32_t count, uint32_t most) {
    float *floats = fuzz_array(input, count, most, sizeof *floats);
    for (uint32_t i = 0; i < count && i < fuzz_elements(count, most); i++) {
        floats[i] = fuzz_float(input);
    }
    return floats;
}

uint8_t *fuzz_bytes(fuzz_input *input, uint32_t count) {
    uint8_t *bytes = fuzz_array(input, count, count, 1);
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = fuzz_byte(input);
    }
    return bytes;
}

uint32_t *fuzz_indices(fuzz_input *input, uint32_t count, uint32_t below) {
    uint32_t *indices = fuzz_array(input, count, count, sizeof *indices);
    for (uint32_t i = 0; i < count; i++) {
        indices[i] = fuzz_index(input, below);
    }
    return indices;
}

void fuzz_require_refused(lmb_result result, const void *made, const lmb_error *error) {
    fuzz_require(made == NULL && error->result == result, "a failure that leaves something, or has another error");
    fuzz_require(result == LMB_ERROR_ARGUMENT || result == LMB_ERROR_LIMIT, "a result that the header does not name");
    fuzz_require(error->message[0] != '\0' && memchr(error->message, '\0', sizeof error->message) != NULL,
                 "a failure without a message");
}
