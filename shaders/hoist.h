// Moves the arithmetic of small branches before the branch, so that an optimiser replaces the branch by selections.
// Only the build and the tests use this.
//
// spirv-opt replaces a branch only if both results exist before it. Drivers that run on the processor compile branches
// slowly: SwiftShader searches each loop for paths, and each pair of arms of equal length can double that search.
#ifndef LIMBER_SHADERS_HOIST_H
#define LIMBER_SHADERS_HOIST_H

#include "../src/gpu/spirv/spirv.h"

enum { HOIST_MOST_INSTRUCTIONS = 12 }; // of an arm that is moved

// Returns a copy in which such arms are empty, and the number of branches that this changed. An arm is moved if it is a
// single block of few instructions that have no effect but their result: no loads, which might read out of bounds.
// Branches on specialisation constants stay, because lmb_spirv_specialize() resolves them. The module must be valid.
// Fails with LMB_ERROR_FORMAT if an instruction is not inside it.
lmb_result hoist_branches(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result,
                          size_t *branches, lmb_error *error);

#endif
