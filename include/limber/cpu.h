/// @file cpu.h
/// Runs a batch on the CPU: by the reference, scalar C compiled from the sources of the kernels, which defines the bits;
/// or by the same sources compiled over vectors of characters, which gives the same bits several times faster.
#ifndef LIMBER_CPU_H
#define LIMBER_CPU_H

#include <limber/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How the CPU does the work. All give the same bits.
typedef enum lmb_cpu_path {
    LMB_CPU_REFERENCE, ///< one character at a time, scalar
    LMB_CPU_FAST,      ///< the widest of the following that this machine has, or the reference where it has none
    LMB_CPU_SIMD_4,    ///< 4 characters at a time: SSE2, NEON
    LMB_CPU_SIMD_8,    ///< 8 characters at a time: AVX2
    LMB_CPU_SIMD_16,   ///< 16 characters at a time: AVX-512
    LMB_CPU_PATH_COUNT
} lmb_cpu_path;

/// "reference", "fast", "simd 4" and so on; never NULL. The text is static.
LMB_API const char *lmb_cpu_path_name(lmb_cpu_path path);
/// Whether this build and this machine have a path. The reference and the fast path always exist.
LMB_API bool lmb_cpu_has(lmb_cpu_path path);

/// Scratch memory for running batches of one graph. One thread at a time uses it: threads that share a batch each
/// have their own and run ranges of characters that do not overlap.
typedef struct lmb_cpu lmb_cpu;

/// Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_MEMORY, and with #LMB_ERROR_UNSUPPORTED where this machine lacks the path.
/// The graph must outlive it.
LMB_API lmb_result lmb_cpu_create(const lmb_graph *graph, lmb_cpu_path path, const lmb_host *host, lmb_cpu **cpu,
                                  lmb_error *error);
/// NULL is fine.
LMB_API void lmb_cpu_destroy(lmb_cpu *cpu);
/// The path that is used: never #LMB_CPU_FAST itself.
LMB_API lmb_cpu_path lmb_cpu_path_of(const lmb_cpu *cpu);

/// Runs one frame of the whole batch, whose graph is the one of `cpu`: first the graph's control, where it has one
/// (lmb_batch_inputs.control), as lmb_control_run() does, then poses and what follows from them. Allocates nothing. The caller's floating-point environment
/// (rounding, flushing) changes nothing in the result and is restored. Inputs and outputs must not overlap. Fails with
/// #LMB_ERROR_ARGUMENT where a needed pointer is NULL, the graph has a control and no frame for it is given, and as
/// lmb_control_run() does.
LMB_API lmb_result lmb_cpu_run(lmb_cpu *cpu, const lmb_batch *batch, const lmb_batch_inputs *inputs,
                               const lmb_batch_outputs *outputs, lmb_error *error);

/// Runs characters [first, first + count) alone; pointers are still those of the whole batch. Other characters' outputs
/// are not touched; `refused` is shared, so give each thread its own counters and add them up.
LMB_API lmb_result lmb_cpu_run_range(lmb_cpu *cpu, const lmb_batch *batch, const lmb_batch_inputs *inputs,
                                     const lmb_batch_outputs *outputs, uint32_t first, uint32_t count,
                                     lmb_error *error);

/// The same without the control, whose lmb_batch_inputs.control is not looked at: for hosts that run lmb_control_run()
/// by themselves, at another rate or on another machine.
LMB_API lmb_result lmb_cpu_run_poses(lmb_cpu *cpu, const lmb_batch *batch, const lmb_batch_inputs *inputs,
                                     const lmb_batch_outputs *outputs, uint32_t first, uint32_t count,
                                     lmb_error *error);

/// Runs the poses of the characters listed, in the list's order; otherwise as lmb_cpu_run_poses(). One listed twice is run twice.
/// An index outside the batch is passed over and counted as #LMB_REFUSED_CHARACTER. The vector paths run side by side only
/// what follows each other in the list by one, so ascending lists are the fastest.
LMB_API lmb_result lmb_cpu_run_list(lmb_cpu *cpu, const lmb_batch *batch, const lmb_batch_inputs *inputs,
                                    const lmb_batch_outputs *outputs, const uint32_t *characters, uint32_t count,
                                    lmb_error *error);

#ifdef __cplusplus
}
#endif

#endif
