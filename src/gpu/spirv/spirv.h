// Rewrites the kernels' SPIR-V modules for a device and for a graph. What the build does to them is in shaders/exact.h.
#ifndef LIMBER_SRC_GPU_SPIRV_SPIRV_H
#define LIMBER_SRC_GPU_SPIRV_SPIRV_H

#include "base/host.h"

// A module: words in the host's byte order.
typedef struct lmb_spirv {
    uint32_t *words;
    size_t count;
} lmb_spirv;

enum {
    SPIRV_HEADER_WORDS = 5,
    SPIRV_BOUND = 3 // index in the header; all ids are below its value
};

static inline uint32_t spirv_opcode(uint32_t first_word) {
    return first_word & 0xffffu;
}

static inline uint32_t spirv_length(uint32_t first_word) {
    return first_word >> 16;
}

void lmb_spirv_release(const lmb_host *host, lmb_spirv *module);

// Fails with LMB_ERROR_FORMAT unless every instruction is inside the module and has a length that this library can
// read.
lmb_result lmb_spirv_check_shape(const uint32_t *words, size_t count, lmb_error *error);

// Returns the position of the id that an instruction of a function defines, relative to the instruction; 0 for none.
size_t lmb_spirv_defined_at(const uint32_t *words);

// Returns whether an operation rounds its result to a float.
bool lmb_spirv_is_float_operation(uint32_t op);

// Returns whether an operation calculates with unsigned integers or booleans, compares integers, or selects a value:
// those that lmb_spirv_specialize() evaluates, and some that it leaves.
bool lmb_spirv_is_integer_operation(uint32_t op);

// Replaces, in place, requests to unroll loops by requests not to. Drivers that run on the processor compile loads so
// slowly that unrolled loops cost more than they save.
void lmb_spirv_keep_loops(uint32_t *words, size_t count);

// Returns how many loops an invocation enters if it runs all code of the entry point, and each call, once. Fails with
// LMB_ERROR_FORMAT as lmb_spirv_specialize() does.
lmb_result lmb_spirv_count_loops(const lmb_host *host, const uint32_t *words, size_t count, uint32_t *loops,
                                 lmb_error *error);

// Returns a copy that declares rounding to nearest even for 32-bit floats. Needs one entry point.
lmb_result lmb_spirv_declare_rte(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result,
                                 lmb_error *error);

// A call of a function, by its source name, with two unsigned constants. It has no result, unless `decides` is true:
// then it returns a bool that says whether to run the calls after it, up to one that ends them. Such sequences may be
// nested, LMB_SPIRV_MOST_NESTED deep.
typedef struct lmb_spirv_call {
    const char *function;
    uint32_t arguments[2];
    bool decides;
    uint32_t ends; // how many of these sequences, the innermost first, end with this call
} lmb_spirv_call;

#define LMB_SPIRV_MOST_NESTED 64u

// Returns a copy in which the body of `function` (no parameters, no result) is a sequence of calls, and no function is
// DontInline any more. Each call has a copy of the called function, in which the parameters are the constants. Names
// come from debug information. Fails with LMB_ERROR_FORMAT if a function is missing or has other parameters, if an id
// is beyond the module's bound, or if a function comes before the types.
lmb_result lmb_spirv_replace_body(const lmb_host *host, const uint32_t *words, size_t count, const char *function,
                                  const lmb_spirv_call *calls, size_t call_count, lmb_spirv *result, lmb_error *error);

// The words of the block that the members `program` of structs refer to.
typedef struct lmb_spirv_block {
    const uint32_t *words;
    uint32_t count;
    uint32_t changing_from; // the words from here to before `changing_end` may change later
    uint32_t changing_end;
} lmb_spirv_block;

// What is known of a module's values.
typedef struct lmb_spirv_known {
    const uint32_t *constants; // of the boolean specialisation constants, by constant_id
    uint32_t constant_count;
    const lmb_spirv_block *block; // or NULL
} lmb_spirv_known;

// Returns a copy without code that no invocation can run. Every boolean specialisation constant takes its value, or
// keeps its default if its id is not below `constant_count`. A load of the block at a known place becomes its word,
// unless it is used as a float. Integers and booleans that follow from these are found, and branches that depend on
// them are resolved. Unreachable blocks and functions are removed with their names and decorations. This helps because
// drivers read the whole module, and not all of them remove such branches themselves. Fails with LMB_ERROR_FORMAT if an
// id is beyond the module's bound.
lmb_result lmb_spirv_specialize(const lmb_host *host, const uint32_t *words, size_t count, const lmb_spirv_known *given,
                                lmb_spirv *result, lmb_error *error);

#endif
