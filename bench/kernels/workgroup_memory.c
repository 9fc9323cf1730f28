// Variables in workgroup memory are arrays of floats, integers and vectors of four, so they need no padding. The length
// of an array is a constant, or an integer operation on constants that the pipeline gives.
#include "workgroup_memory.h"

#include <spirv/unified1/spirv.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct id {
    uint32_t value; // of a constant, or the bytes of a type; a pointer's are those of what it points to
    uint32_t constant_id;
    bool is_specialized;
} id;

static uint32_t given_value(const id *id, uint32_t usual, const VkSpecializationInfo *constants) {
    for (uint32_t i = 0; id->is_specialized && constants != NULL && i < constants->mapEntryCount; i++) {
        if (constants->pMapEntries[i].constantID == id->constant_id) {
            memcpy(&usual, (const char *)constants->pData + constants->pMapEntries[i].offset, sizeof usual);
        }
    }
    return usual;
}

// Returns 0 for an operation that no array's length has.
static uint32_t calculate(uint32_t op, uint32_t a, uint32_t b) {
    switch (op) {
    case SpvOpIAdd:
        return a + b;
    case SpvOpISub:
        return a - b;
    case SpvOpIMul:
        return a * b;
    case SpvOpUDiv:
        return b > 0 ? a / b : 0;
    case SpvOpBitwiseOr:
        return a | b;
    case SpvOpShiftRightLogical:
        return a >> b;
    case SpvOpShiftLeftLogical:
        return a << b;
    default:
        return 0;
    }
}

static uint32_t count_bytes(const uint32_t *words, size_t count, const VkSpecializationInfo *constants, id *ids) {
    uint32_t sum = 0;
    for (size_t at = 5; at < count; at += words[at] >> 16) {
        const uint32_t *w = &words[at], op = w[0] & 0xffffu;
        if (op == SpvOpDecorate && w[2] == SpvDecorationSpecId) {
            ids[w[1]].constant_id = w[3];
            ids[w[1]].is_specialized = true;
        } else if (op == SpvOpTypeInt || op == SpvOpTypeFloat) {
            ids[w[1]].value = w[2] / 8;
        } else if (op == SpvOpTypeVector) {
            ids[w[1]].value = ids[w[2]].value * w[3];
        } else if (op == SpvOpTypeArray) {
            ids[w[1]].value = ids[w[2]].value * ids[w[3]].value;
        } else if (op == SpvOpTypePointer && w[2] == SpvStorageClassWorkgroup) {
            ids[w[1]].value = ids[w[3]].value;
        } else if (op == SpvOpConstant || op == SpvOpSpecConstant) {
            ids[w[2]].value = given_value(&ids[w[2]], w[3], constants);
        } else if (op == SpvOpSpecConstantOp && (w[0] >> 16) == 6) {
            ids[w[2]].value = calculate(w[3], ids[w[4]].value, ids[w[5]].value);
        } else if (op == SpvOpVariable && w[3] == SpvStorageClassWorkgroup) {
            sum += ids[w[1]].value;
        } else if (op == SpvOpFunction) {
            break;
        }
    }
    return sum;
}

uint32_t workgroup_memory_bytes(const uint32_t *words, size_t count, const VkSpecializationInfo *constants) {
    id *ids = calloc(words[3], sizeof *ids);
    const uint32_t bytes = ids != NULL ? count_bytes(words, count, constants, ids) : UINT32_MAX;
    free(ids);
    return bytes;
}
