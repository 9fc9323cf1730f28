// Counts the workgroup memory that a module declares, for drivers that do not say it.
#ifndef LIMBER_BENCH_KERNELS_WORKGROUP_MEMORY_H
#define LIMBER_BENCH_KERNELS_WORKGROUP_MEMORY_H

#include <volk.h>

// Returns the bytes of all variables in workgroup memory, with the constants of a pipeline; UINT32_MAX if there is no
// memory. `constants` may be NULL.
uint32_t workgroup_memory_bytes(const uint32_t *words, size_t count, const VkSpecializationInfo *constants);

#endif
