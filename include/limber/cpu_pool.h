/// @file cpu_pool.h
/// A thread pool that runs a batch, for hosts without a job system.
///
/// A host with a job system calls lmb_cpu_run_range() from its jobs instead, with one lmb_cpu per thread. The bits do
/// not depend on the number of threads, nor on which thread runs which characters.
#ifndef LIMBER_CPU_POOL_H
#define LIMBER_CPU_POOL_H

#include <limber/cpu.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_MAX_THREADS 256u

/// A pool of threads. One thread at a time may use it.
typedef struct lmb_cpu_pool lmb_cpu_pool;

/// Starts `thread_count` - 1 threads, which sleep until there is work. The thread that calls lmb_cpu_pool_run() is the
/// other one.
///
/// The graph must outlive the pool. Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_UNSUPPORTED as lmb_cpu_create() does,
/// #LMB_ERROR_LIMIT outside 1 to #LMB_MAX_THREADS threads, and #LMB_ERROR_MEMORY, also if a thread cannot be started.
LMB_API lmb_result lmb_cpu_pool_create(const lmb_graph *graph, lmb_cpu_path path, uint32_t thread_count,
                                       const lmb_host *host, lmb_cpu_pool **pool, lmb_error *error);
/// Ends the threads. NULL is allowed.
LMB_API void lmb_cpu_pool_destroy(lmb_cpu_pool *pool);

/// Runs the whole batch and returns when it is complete; otherwise as lmb_cpu_run(). Allocates nothing.
LMB_API lmb_result lmb_cpu_pool_run(lmb_cpu_pool *pool, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                                    const lmb_batch_outputs *outputs, lmb_error *error);

/// Returns the lmb_cpu of a thread, where 0 is the caller's; NULL if there is no such thread.
///
/// Use it while the pool is idle, to give each thread a profile of its own. A thread takes 64 characters at a time.
LMB_API lmb_cpu *lmb_cpu_pool_cpu(lmb_cpu_pool *pool, uint32_t thread);

#ifdef __cplusplus
}
#endif

#endif
