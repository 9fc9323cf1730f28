#include "exact.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

static bool is_banned(uint32_t op) {
    return op == SpvOpFDiv || op == SpvOpFRem || op == SpvOpFMod || (op >= SpvOpVectorTimesScalar && op <= SpvOpDot) ||
           op == SpvOpQuantizeToF16 || (op >= SpvOpDPdx && op <= SpvOpFwidthCoarse);
}

static bool is_exact(uint32_t extended) {
    return extended == GLSLstd450FAbs || extended == GLSLstd450Floor || extended == GLSLstd450FClamp ||
           extended == GLSLstd450FMin || extended == GLSLstd450FindILsb;
}

// Returns one byte per id: whether it is decorated NoContraction. Returns NULL if there is no memory.
static uint8_t *find_decorated(const lmb_host *host, const uint32_t *words, size_t count) {
    uint8_t *decorated = lmb_host_allocate(host, words[SPIRV_BOUND], 1);
    for (size_t at = SPIRV_HEADER_WORDS; decorated != NULL && at < count; at += spirv_length(words[at])) {
        if (spirv_opcode(words[at]) == SpvOpDecorate && words[at + 2] == SpvDecorationNoContraction &&
            words[at + 1] < words[SPIRV_BOUND]) {
            decorated[words[at + 1]] = 1;
        }
    }
    return decorated;
}

// Returns a copy with a gap of `more` words at `at`.
static uint32_t *copy_with_gap(const lmb_host *host, const uint32_t *words, size_t count, size_t at, size_t more) {
    uint32_t *copy = lmb_host_allocate(host, count + more, sizeof *copy);
    if (copy != NULL) {
        memcpy(copy, words, at * sizeof *copy);
        memcpy(copy + at + more, words + at, (count - at) * sizeof *copy);
    }
    return copy;
}

lmb_result exact_forbid_contraction(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result,
                                    lmb_error *error) {
    lmb_result shape = lmb_spirv_check_shape(words, count, error);
    if (shape != LMB_OK) {
        return shape;
    }
    uint8_t *decorated = find_decorated(host, words, count);
    if (decorated == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %u ids", (unsigned)words[SPIRV_BOUND]);
    }
    size_t bare = 0;
    size_t types = 0; // annotations come before the first type
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
        uint32_t op = spirv_opcode(words[at]);
        bare += lmb_spirv_is_float_operation(op) && !decorated[words[at + 2]];
        if (types == 0 && op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) {
            types = at;
        }
    }
    size_t gap = types != 0 ? types : count;
    uint32_t *copy = copy_with_gap(host, words, count, gap, 3 * bare);
    for (size_t at = SPIRV_HEADER_WORDS; copy != NULL && at < count; at += spirv_length(words[at])) {
        if (lmb_spirv_is_float_operation(spirv_opcode(words[at])) && !decorated[words[at + 2]]) {
            copy[gap++] = 3u << 16 | SpvOpDecorate;
            copy[gap++] = words[at + 2];
            copy[gap++] = SpvDecorationNoContraction;
        }
    }
    lmb_host_release(host, decorated);
    if (copy == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %zu words", count + 3 * bare);
    }
    *result = (lmb_spirv){copy, count + 3 * bare};
    return LMB_OK;
}

void exact_declare_in_bounds(uint32_t *words, size_t count) {
    for (size_t type = SPIRV_HEADER_WORDS; type < count; type += spirv_length(words[type])) {
        if (spirv_opcode(words[type]) != SpvOpTypePointer || words[type + 2] != SpvStorageClassPhysicalStorageBuffer) {
            continue;
        }
        for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
            if (spirv_opcode(words[at]) == SpvOpAccessChain && words[at + 1] == words[type + 1]) {
                words[at] = (words[at] & 0xffff0000u) | SpvOpInBoundsAccessChain;
            }
        }
    }
}

size_t exact_keep_functions(uint32_t *words, size_t count, const char *prefix) {
    size_t kept = 0;
    if (lmb_spirv_check_shape(words, count, NULL) != LMB_OK) {
        return 0;
    }
    for (size_t name = SPIRV_HEADER_WORDS; name < count; name += spirv_length(words[name])) {
        const char *text = (const char *)(words + name + 2);
        if (spirv_opcode(words[name]) != SpvOpName || (spirv_length(words[name]) - 2) * 4 < strlen(prefix) ||
            strncmp(text, prefix, strlen(prefix)) != 0) {
            continue;
        }
        for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
            if (spirv_opcode(words[at]) == SpvOpFunction && words[at + 2] == words[name + 1]) {
                words[at + 3] = SpvFunctionControlDontInlineMask;
                kept++;
            }
        }
    }
    return kept;
}

lmb_result exact_check(const lmb_host *host, const uint32_t *words, size_t count, lmb_error *error) {
    lmb_result result = lmb_spirv_check_shape(words, count, error);
    if (result != LMB_OK) {
        return result;
    }
    uint8_t *decorated = find_decorated(host, words, count);
    if (decorated == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "SPIR-V: no memory for %u ids", (unsigned)words[SPIRV_BOUND]);
    }
    for (size_t at = SPIRV_HEADER_WORDS; at < count && result == LMB_OK; at += spirv_length(words[at])) {
        uint32_t op = spirv_opcode(words[at]);
        if (lmb_spirv_is_float_operation(op) && !decorated[words[at + 2]]) {
            result = lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: word %zu: opcode %u, id %u, lacks NoContraction", at,
                              (unsigned)op, (unsigned)words[at + 2]);
        } else if (is_banned(op)) {
            result = lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: word %zu: opcode %u is not rounded alike everywhere",
                              at, (unsigned)op);
        } else if (op == SpvOpExtInst && !is_exact(words[at + 4])) {
            result = lmb_fail(error, LMB_ERROR_FORMAT,
                              "SPIR-V: word %zu: extended instruction %u is not rounded alike everywhere", at,
                              (unsigned)words[at + 4]);
        } else if (op == SpvOpTypeFloat && words[at + 2] != 32) {
            result =
                lmb_fail(error, LMB_ERROR_FORMAT, "SPIR-V: word %zu: floats of %u bits", at, (unsigned)words[at + 2]);
        }
    }
    lmb_host_release(host, decorated);
    return result;
}

size_t exact_count_float_operations(const uint32_t *words, size_t count) {
    size_t operations = 0;
    if (lmb_spirv_check_shape(words, count, NULL) == LMB_OK) {
        for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words[at])) {
            operations += lmb_spirv_is_float_operation(spirv_opcode(words[at]));
        }
    }
    return operations;
}
