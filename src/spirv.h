// Rewrites and checks SPIR-V modules so that their arithmetic gives the reference's bits: no contraction, and no
// operation whose rounding devices may choose.
#ifndef LIMBER_SRC_SPIRV_H
#define LIMBER_SRC_SPIRV_H

#include "host.h"

// A module: words in the host's byte order.
typedef struct lmb_spirv {
    uint32_t *words;
    size_t count;
} lmb_spirv;

void lmb_spirv_release(const lmb_host *host, lmb_spirv *module);

// Returns a copy in which every float operation is decorated NoContraction. Fails with LMB_ERROR_FORMAT if the words
// are not a module.
lmb_result lmb_spirv_forbid_contraction(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result,
                                        lmb_error *error);

// Declares, in place, every access chain into a buffer as in bounds. The kernels check their input themselves, and
// without this some drivers sign-extend each index to 64 bits. Takes a module that lmb_spirv_forbid_contraction()
// returned.
void lmb_spirv_declare_in_bounds(uint32_t *words, size_t count);

// Replaces, in place, requests to unroll loops by requests not to. Drivers that run on the processor compile loads so
// slowly that unrolled loops cost more than they save.
void lmb_spirv_keep_loops(uint32_t *words, size_t count);

// Returns a copy that declares rounding to nearest even for 32-bit floats. Needs SPIR-V 1.4 or later and one entry
// point.
lmb_result lmb_spirv_declare_rte(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result,
                                 lmb_error *error);

// Marks functions whose source names begin with `prefix` as DontInline, in place, so that an optimiser does not inline
// them. Returns how many.
size_t lmb_spirv_keep_functions(uint32_t *words, size_t count, const char *prefix);

// A call of a function, by its source name, with two unsigned constants. It has no result, unless `decides` is true:
// then it returns a bool that says whether to run the calls after it, up to the next deciding call.
typedef struct lmb_spirv_call {
    const char *function;
    uint32_t arguments[2];
    bool decides;
} lmb_spirv_call;

// Returns a copy in which the body of `function` (no parameters, no result) is a sequence of calls, and no function is
// DontInline any more. Names come from debug information. Fails with LMB_ERROR_FORMAT if one is missing.
lmb_result lmb_spirv_replace_body(const lmb_host *host, const uint32_t *words, size_t count, const char *function,
                                  const lmb_spirv_call *calls, size_t call_count, lmb_spirv *result, lmb_error *error);

// Returns a copy without code that no invocation can run. Every boolean specialisation constant takes its value from
// `constants` by its constant_id, or keeps its default if the id is not below `constant_count`. Branches that depend on
// these constants are resolved. Unreachable blocks and functions are removed with their names and decorations. This
// helps because drivers read the whole module, and not all of them remove such branches themselves. Fails with
// LMB_ERROR_FORMAT if an id is beyond the module's bound.
lmb_result lmb_spirv_specialize(const lmb_host *host, const uint32_t *words, size_t count, const uint32_t *constants,
                                uint32_t constant_count, lmb_spirv *result, lmb_error *error);

// Fails with LMB_ERROR_FORMAT, naming the instruction, if a float operation is not decorated NoContraction or is not
// rounded the same on every device. The latter are division, remainder, vector and matrix products, widths other than
// 32, and extended instructions except those for magnitude, floor and clamp.
lmb_result lmb_spirv_check(const lmb_host *host, const uint32_t *words, size_t count, lmb_error *error);

// Returns the number of float operations in the module, so that tests can show that the check has operations to check.
size_t lmb_spirv_count_float_operations(const uint32_t *words, size_t count);

#endif
