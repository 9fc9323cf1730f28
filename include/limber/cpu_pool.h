/// @file cpu_pool.h
/// Threads of Limber's own that run a batch together, for hosts without a job system. A host that has one calls
/// lmb_cpu_run_range() from its jobs instead, with an lmb_cpu for each of its threads. Same bits whatever the number of
/// threads, and whichever takes which characters.
#ifndef LIMBER_CPU_POOL_H
#define LIMBER_CPU_POOL_H

#include <limber/cpu.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_MAX_THREADS 256u

/// One thread at a time uses it.
typedef struct lmb_cpu_pool lmb_cpu_pool;

/// Starts `thread_count` - 1 threads, which sleep until there is work; the thread that calls lmb_cpu_pool_run() is the
/// other one. Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_UNSUPPORTED as lmb_cpu_create() does, #LMB_ERROR_LIMIT outside
/// 1 to #LMB_MAX_THREADS threads, #LMB_ERROR_MEMORY, also where a thread cannot be started. The graph must outlive it.
LMB_API lmb_result lmb_cpu_pool_create(const lmb_graph *graph, lmb_cpu_path path, uint32_t thread_count,
                                       const lmb_host *host, lmb_cpu_pool **pool, lmb_error *error);
/// Ends the threads. NULL is fine.
LMB_API void lmb_cpu_pool_destroy(lmb_cpu_pool *pool);

/// Runs the whole batch and returns when all of it is done; otherwise as lmb_cpu_run(). Allocates nothing.
LMB_API lmb_result lmb_cpu_pool_run(lmb_cpu_pool *pool, const lmb_batch *batch, const lmb_batch_inputs *inputs,
                                    const lmb_batch_outputs *outputs, lmb_error *error);

/// What one of the threads runs with, 0 the caller's; NULL where there is no such thread. For giving each a profile of its
/// own while the pool is at rest: what a thread runs at a time are 64 characters.
LMB_API lmb_cpu *lmb_cpu_pool_cpu(lmb_cpu_pool *pool, uint32_t thread);

#ifdef __cplusplus
}
#endif

#endif
