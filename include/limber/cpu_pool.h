/// @file cpu_pool.h
/// @ingroup cpu
/// A thread pool that runs what cpu.h runs: frames, poses, lists, the control. For hosts without a job system.
///
/// A host with a job system calls lmb_cpu_run_range() from its jobs instead, with one lmb_cpu per thread. The bits do
/// not depend on the number of threads, nor on which thread runs which characters.
#ifndef LIMBER_CPU_POOL_H
#define LIMBER_CPU_POOL_H

#include <limber/cpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup cpu
/// @{

#define LMB_MAX_THREADS 256u

/// A pool of threads. One thread at a time may use it.
typedef struct lmb_cpu_pool lmb_cpu_pool;

/// Starts `thread_count` - 1 threads, which sleep until there is work. The thread that calls lmb_cpu_pool_run() or its
/// relatives is the other one.
///
/// The graph must outlive the pool. Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_UNSUPPORTED as lmb_cpu_create() does,
/// #LMB_ERROR_LIMIT outside 1 to #LMB_MAX_THREADS threads, and #LMB_ERROR_MEMORY, also if a thread cannot be started.
LMB_API lmb_result lmb_cpu_pool_create(const lmb_graph *graph, lmb_cpu_path path, uint32_t thread_count,
                                       const lmb_host *host, lmb_cpu_pool **pool, lmb_error *error);
/// Ends the threads. NULL is allowed.
LMB_API void lmb_cpu_pool_destroy(lmb_cpu_pool *pool);

/// Runs the whole batch and returns when it is complete; otherwise as lmb_cpu_run(). Allocates nothing, as all calls
/// below. Up to 16 characters run in the caller's thread.
LMB_API lmb_result lmb_cpu_pool_run(lmb_cpu_pool *pool, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                                    const lmb_batch_outputs *outputs, lmb_error *error);
/// Runs characters [first, first + count) and returns when they are complete; otherwise as lmb_cpu_run_range().
LMB_API lmb_result lmb_cpu_pool_run_range(lmb_cpu_pool *pool, const lmb_batch_def *batch,
                                          const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                                          uint32_t first, uint32_t count, lmb_error *error);
/// Runs poses without the control, and returns when they are complete; otherwise as lmb_cpu_run_poses().
LMB_API lmb_result lmb_cpu_pool_run_poses(lmb_cpu_pool *pool, const lmb_batch_def *batch,
                                          const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                                          uint32_t first, uint32_t count, lmb_error *error);
/// Runs the poses of listed characters and returns when they are complete; otherwise as lmb_cpu_run_list(), also for a
/// character that is listed twice.
LMB_API lmb_result lmb_cpu_pool_run_list(lmb_cpu_pool *pool, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                                         const lmb_batch_outputs *outputs, const uint32_t *characters, uint32_t count,
                                         lmb_error *error);
/// Runs the control of the pool's graph alone, and returns when it is complete; otherwise as lmb_control_run(). Fails
/// with #LMB_ERROR_ARGUMENT if the graph has no control. Profiles do not count it.
LMB_API lmb_result lmb_cpu_pool_run_control(lmb_cpu_pool *pool, const lmb_control_frame *frame, uint32_t first,
                                            uint32_t count, lmb_error *error);

/// Returns the lmb_cpu of a thread, where 0 is the caller's; NULL if there is no such thread.
///
/// Use it while the pool is idle, to give each thread a profile of its own. A thread takes at least 16 characters at a
/// time, and several times as many of a large crowd.
LMB_API lmb_cpu *lmb_cpu_pool_cpu(lmb_cpu_pool *pool, uint32_t thread);

/// @}

#ifdef __cplusplus
}
#endif

#endif
