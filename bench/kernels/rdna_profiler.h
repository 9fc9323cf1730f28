// Fills an rdna_profile while a workgroup runs.
#ifndef LIMBER_BENCH_KERNELS_RDNA_PROFILER_H
#define LIMBER_BENCH_KERNELS_RDNA_PROFILER_H

#include "rdna_wave.h"

typedef struct rdna_profiler rdna_profiler;

// Returns NULL if there is no memory.
rdna_profiler *rdna_profiler_create(const rdna_dispatch *dispatch, uint32_t wave_count);
void rdna_profiler_destroy(rdna_profiler *profiler);

void rdna_profiler_begin(rdna_profiler *profiler);
// Before a wave runs an instruction.
void rdna_profiler_step(rdna_profiler *profiler, uint32_t number, const wave *wave, const instruction *instruction);
// When all waves are at a barrier or at their end.
void rdna_profiler_join(rdna_profiler *profiler, bool is_end);

#endif
