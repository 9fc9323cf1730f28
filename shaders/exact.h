// Makes the arithmetic of SPIR-V modules give the reference's bits, and checks that it does: no contraction, and no
// operation whose rounding devices may choose. Only the build and the tests use this.
#ifndef LIMBER_SHADERS_EXACT_H
#define LIMBER_SHADERS_EXACT_H

#include "../src/gpu/spirv/spirv.h"

// Returns a copy in which every float operation is decorated NoContraction. Fails with LMB_ERROR_FORMAT if the words
// are not a module.
lmb_result exact_forbid_contraction(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result,
                                    lmb_error *error);

// Declares, in place, every access chain into a buffer as in bounds. The kernels check their input themselves, and
// without this some drivers sign-extend each index to 64 bits. Takes a module that exact_forbid_contraction() returned.
void exact_declare_in_bounds(uint32_t *words, size_t count);

// Marks functions whose source names begin with `prefix` as DontInline, in place, so that an optimiser does not inline
// them. Returns how many.
size_t exact_keep_functions(uint32_t *words, size_t count, const char *prefix);

// Fails with LMB_ERROR_FORMAT, naming the instruction, if a float operation is not decorated NoContraction or is not
// rounded the same on every device. The latter are division, remainder, vector and matrix products, widths other than
// 32, and extended instructions except those for magnitude, floor and clamp.
lmb_result exact_check(const lmb_host *host, const uint32_t *words, size_t count, lmb_error *error);

// Returns the number of float operations in the module, so that tests can show that the check has operations to check.
size_t exact_count_float_operations(const uint32_t *words, size_t count);

#endif
