// The words of a SPIR-V module, for the source files that rewrite modules.
#ifndef LIMBER_SRC_SPIRV_WORDS_H
#define LIMBER_SRC_SPIRV_WORDS_H

#include "spirv.h"

// The enumerants that this library uses, from the SPIR-V specification's tables.
enum {
    MAGIC = 0x07230203,
    HEADER_WORDS = 5,
    BOUND = 3, // index in the header; all ids are below its value
    MOST_IDS = 1 << 22,

    OP_NAME = 5,
    OP_MEMBER_NAME = 6,
    OP_LINE = 8,
    OP_EXT_INST = 12,
    OP_MEMORY_MODEL = 14,
    OP_ENTRY_POINT = 15,
    OP_CAPABILITY = 17,
    OP_TYPE_VOID = 19,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_POINTER = 32,
    OP_TYPE_LAST = 39,
    OP_CONSTANT_TRUE = 41,
    OP_CONSTANT_FALSE = 42,
    OP_CONSTANT = 43,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT_OP = 52,
    OP_FUNCTION = 54,
    OP_FUNCTION_END = 56,
    OP_FUNCTION_CALL = 57,
    OP_STORE = 62,
    OP_COPY_MEMORY_SIZED = 64,
    OP_ACCESS_CHAIN = 65,
    OP_IN_BOUNDS_ACCESS_CHAIN = 66,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_QUANTIZE_TO_F16 = 116,
    OP_F_NEGATE = 127,
    OP_F_ADD = 129,
    OP_F_SUB = 131,
    OP_F_MUL = 133,
    OP_F_DIV = 136,
    OP_F_REM = 140,
    OP_F_MOD = 141,
    OP_VECTOR_TIMES_SCALAR = 142,
    OP_DOT = 148,
    OP_LOGICAL_OR = 166,
    OP_LOGICAL_AND = 167,
    OP_LOGICAL_NOT = 168,
    OP_D_PDX = 207,
    OP_PHI = 245,
    OP_LOOP_MERGE = 246,
    OP_SELECTION_MERGE = 247,
    OP_LABEL = 248,
    OP_BRANCH = 249,
    OP_BRANCH_CONDITIONAL = 250,
    OP_SWITCH = 251,
    OP_RETURN = 253,
    OP_UNREACHABLE = 255,
    OP_LIFETIME_STOP = 257,
    OP_FWIDTH_COARSE = 215,
    OP_CONTROL_BARRIER = 224,
    OP_MEMORY_BARRIER = 225,
    OP_ATOMIC_STORE = 228,

    FUNCTION_CONTROL_DONT_INLINE = 2,
    STORAGE_CLASS_PHYSICAL_STORAGE_BUFFER = 5349,
    LOOP_CONTROL_UNROLL = 1,
    LOOP_CONTROL_DONT_UNROLL = 2,
    DECORATION_SPEC_ID = 1,
    DECORATION_NO_CONTRACTION = 42,
    EXTENDED_ABSOLUTE = 4, // of GLSL.std.450
    EXTENDED_FLOOR = 8,
    EXTENDED_CLAMP = 43,
    CAPABILITY_ROUNDING_MODE_RTE = 4467,
    EXECUTION_MODE_ROUNDING_MODE_RTE = 4462,
    OP_EXECUTION_MODE = 16
};

static inline uint32_t opcode(uint32_t first_word) {
    return first_word & 0xffffu;
}

static inline uint32_t length(uint32_t first_word) {
    return first_word >> 16;
}

// Fails with LMB_ERROR_FORMAT unless every instruction is inside the module and has a length that this library can
// read.
lmb_result lmb_spirv_check_shape(const uint32_t *words, size_t count, lmb_error *error);

#endif
