/// @file cpu.h
/// Runs a batch on the CPU. The reference is scalar C compiled from the sources of the kernels, and defines the bits.
#ifndef LIMBER_CPU_H
#define LIMBER_CPU_H

#include <limber/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Scratch memory for running batches of one program. One thread at a time uses it: threads that share a batch each
/// have their own and run ranges of characters that do not overlap.
typedef struct lmb_cpu lmb_cpu;

/// Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_MEMORY. The program must outlive it.
LMB_API lmb_result lmb_cpu_create(const lmb_program *program, const lmb_host *host, lmb_cpu **cpu, lmb_error *error);
/// NULL is fine.
LMB_API void lmb_cpu_destroy(lmb_cpu *cpu);

/// Runs the whole batch, whose program is the one of `cpu`. Allocates nothing. The caller's floating-point environment
/// (rounding, flushing) changes nothing in the result and is restored. Inputs and outputs must not overlap. Fails with
/// #LMB_ERROR_ARGUMENT where a needed pointer is NULL.
LMB_API lmb_result lmb_cpu_run(lmb_cpu *cpu, const lmb_batch *batch, const lmb_batch_inputs *inputs,
                               const lmb_batch_outputs *outputs, lmb_error *error);

/// Runs characters [first, first + count) alone; pointers are still those of the whole batch. Other characters' outputs
/// are not touched; `refused` is shared, so give each thread its own counters and add them up.
LMB_API lmb_result lmb_cpu_run_range(lmb_cpu *cpu, const lmb_batch *batch, const lmb_batch_inputs *inputs,
                                     const lmb_batch_outputs *outputs, uint32_t first, uint32_t count,
                                     lmb_error *error);

#ifdef __cplusplus
}
#endif

#endif
