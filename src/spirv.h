// Rewrites and checks SPIR-V modules so that their arithmetic is the reference's: no contraction, no operation that
// devices may round as they like.
#ifndef LIMBER_SRC_SPIRV_H
#define LIMBER_SRC_SPIRV_H

#include "host.h"

// A module: words in the host's byte order.
typedef struct lmb_spirv {
    uint32_t *words;
    size_t count;
} lmb_spirv;

void lmb_spirv_release(const lmb_host *host, lmb_spirv *module);

// A copy in which every float operation is decorated NoContraction. Fails with LMB_ERROR_FORMAT on what is not a module.
lmb_result lmb_spirv_forbid_contraction(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result,
                                        lmb_error *error);

// Declares every access chain into a buffer in bounds, in place: the kernels check what they are given, and some drivers
// otherwise compute each index in 64 bits with its sign. Takes a module that lmb_spirv_forbid_contraction() returned.
void lmb_spirv_declare_in_bounds(uint32_t *words, size_t count);

// Takes back, in place, what asks drivers to unroll loops. Those that run on the processor take so long to compile a load
// that the loop is dearer unrolled.
void lmb_spirv_keep_loops(uint32_t *words, size_t count);

// A copy that declares rounding to nearest even for 32-bit floats. SPIR-V 1.4 or later, one entry point.
lmb_result lmb_spirv_declare_rte(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result,
                                 lmb_error *error);

// Marks functions whose names in the source begin with `prefix` so that an optimiser keeps them apart (DontInline), in
// place. Returns how many.
size_t lmb_spirv_keep_functions(uint32_t *words, size_t count, const char *prefix);

// A call of a function, by the name it has in the source, with two unsigned constants; without a result, or where `decides`
// with a bool: whether what follows is to run, up to the next such call.
typedef struct lmb_spirv_call {
    const char *function;
    uint32_t arguments[2];
    bool decides;
} lmb_spirv_call;

// A copy in which the body of `function` (no parameters, no result) is a row of calls, and no function is kept apart any
// more. Names are those that debug information keeps; LMB_ERROR_FORMAT where one is missing.
lmb_result lmb_spirv_replace_body(const lmb_host *host, const uint32_t *words, size_t count, const char *function,
                                  const lmb_spirv_call *calls, size_t call_count, lmb_spirv *result, lmb_error *error);

// A copy without what no invocation can run: every boolean specialisation constant takes its value from `constants`, by
// its constant_id, or keeps its default beyond `constant_count`; branches on what follows from them are decided; blocks and
// functions that nothing reaches any more are gone, with their names and decorations. Drivers read all that they are
// given, and not all of them close such branches themselves. LMB_ERROR_FORMAT where an id is out of the module's bound.
lmb_result lmb_spirv_specialize(const lmb_host *host, const uint32_t *words, size_t count, const uint32_t *constants,
                                uint32_t constant_count, lmb_spirv *result, lmb_error *error);

// Fails with LMB_ERROR_FORMAT, naming the instruction, where a float operation is not decorated NoContraction, or one is
// not rounded the same on every device: division, remainder, vector and matrix products, other widths than 32, and
// extended instructions but those for magnitudes, floor and clamping.
lmb_result lmb_spirv_check(const lmb_host *host, const uint32_t *words, size_t count, lmb_error *error);

// Number of float operations in the module, for tests that show that the check has something to check.
size_t lmb_spirv_count_float_operations(const uint32_t *words, size_t count);

#endif
