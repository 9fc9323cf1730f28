// Makes a module of SPIR-V 1.5 one of 1.3, which Vulkan 1.1 takes. Only the build and the tests use this.
#ifndef LIMBER_SHADERS_LOWER_H
#define LIMBER_SHADERS_LOWER_H

#include "../src/gpu/spirv/spirv.h"

// Returns a copy that declares version 1.3 and the extension for buffers by address, and whose entry points list only
// inputs and outputs; structs are selected member by member. Fails with LMB_ERROR_FORMAT if the words are not a
// module, or if it copies between structs of different layouts, for which 1.3 has no instruction.
lmb_result lower_module(const lmb_host *host, const uint32_t *words, size_t count, lmb_spirv *result, lmb_error *error);

#endif
