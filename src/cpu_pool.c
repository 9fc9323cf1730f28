#include "host.h"
#include "thread.h"

#include <limber/cpu_pool.h>

#include <stdatomic.h>
#include <string.h>

// Characters that a thread takes at a time: whole vectors, many, so that those that play the same clips can be put
// together, and few enough that all threads finish at nearly the same time.
#define VECTOR 16u
#define MOST_SHARE 2048u
#define SHARES_A_THREAD 4u

typedef struct worker {
    lmb_cpu_pool *pool;
    lmb_cpu *cpu;
    lmb_thread thread;
    bool started;
    uint32_t refused[LMB_REFUSAL_COUNT];
    lmb_result result;
    lmb_error error;
} worker;

struct lmb_cpu_pool {
    lmb_host host;
    uint32_t worker_count;
    worker *workers; // the first one runs in the caller's thread
    lmb_mutex mutex;
    lmb_condition work;
    lmb_condition rest;
    bool has_mutex, has_work, has_rest;
    // Guarded by the mutex.
    uint64_t round; // counts runs; threads start when it grows
    uint32_t busy;  // threads that have not finished the round
    bool closing;
    // The current round; set before it starts.
    const lmb_batch_def *batch;
    const lmb_batch_inputs *inputs;
    lmb_batch_outputs outputs;
    uint32_t share;   // characters
    atomic_uint next; // the next share to take
};

static uint32_t find_share(uint32_t characters, uint32_t threads) {
    uint32_t share = characters / (threads * SHARES_A_THREAD) / VECTOR * VECTOR;
    share = share < MOST_SHARE ? share : MOST_SHARE;
    return share > VECTOR ? share : VECTOR;
}

static void run_shares(worker *w) {
    lmb_cpu_pool *pool = w->pool;
    uint32_t characters = pool->batch->character_count;
    uint32_t shares = characters / pool->share + (characters % pool->share != 0);
    lmb_batch_outputs outputs = pool->outputs;
    uint32_t refused[LMB_REFUSAL_COUNT];
    outputs.refused = refused;
    memset(w->refused, 0, sizeof w->refused);
    w->result = LMB_OK;
    for (uint32_t share = atomic_fetch_add(&pool->next, 1); share < shares && w->result == LMB_OK;
         share = atomic_fetch_add(&pool->next, 1)) {
        uint32_t first = share * pool->share;
        uint32_t count = characters - first < pool->share ? characters - first : pool->share;
        w->result = lmb_cpu_run_range(w->cpu, pool->batch, pool->inputs, &outputs, first, count, &w->error);
        for (int kind = 0; kind < LMB_REFUSAL_COUNT && w->result == LMB_OK; kind++) {
            w->refused[kind] += refused[kind];
        }
    }
}

static void work(void *argument) {
    worker *w = argument;
    lmb_cpu_pool *pool = w->pool;
    uint64_t done = 0;
    lmb_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->round == done && !pool->closing) {
            lmb_condition_wait(&pool->work, &pool->mutex);
        }
        if (pool->closing) {
            break;
        }
        done = pool->round;
        lmb_mutex_unlock(&pool->mutex);
        run_shares(w);
        lmb_mutex_lock(&pool->mutex);
        if (--pool->busy == 0) {
            lmb_condition_signal(&pool->rest);
        }
    }
    lmb_mutex_unlock(&pool->mutex);
}

static lmb_result start_workers(lmb_cpu_pool *pool, const lmb_graph *graph, lmb_cpu_path path, lmb_error *error) {
    pool->has_mutex = lmb_mutex_create(&pool->mutex);
    pool->has_work = lmb_condition_create(&pool->work);
    pool->has_rest = lmb_condition_create(&pool->rest);
    if (!pool->has_mutex || !pool->has_work || !pool->has_rest) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "cpu pool: no mutex or condition can be had");
    }
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        worker *w = &pool->workers[i];
        w->pool = pool;
        lmb_result result = lmb_cpu_create(graph, path, &pool->host, &w->cpu, error);
        if (result != LMB_OK) {
            return result;
        }
        w->started = i > 0 && lmb_thread_start(&w->thread, work, w);
        if (i > 0 && !w->started) {
            return lmb_fail(error, LMB_ERROR_MEMORY, "cpu pool: thread %u of %u cannot be started", (unsigned)i,
                            (unsigned)pool->worker_count);
        }
    }
    return LMB_OK;
}

lmb_result lmb_cpu_pool_create(const lmb_graph *graph, lmb_cpu_path path, uint32_t thread_count, const lmb_host *host,
                               lmb_cpu_pool **pool, lmb_error *error) {
    if (pool != NULL) {
        *pool = NULL;
    }
    if (graph == NULL || pool == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu pool: %s is NULL", graph == NULL ? "the graph" : "the result");
    }
    if (thread_count == 0 || thread_count > LMB_MAX_THREADS) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "cpu pool: %u threads are not 1 to %u", (unsigned)thread_count,
                        LMB_MAX_THREADS);
    }
    lmb_host resolved = lmb_host_resolve(host);
    lmb_cpu_pool *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    worker *workers = lmb_host_allocate(&resolved, thread_count, sizeof *workers);
    if (created == NULL || workers == NULL) {
        lmb_host_release(&resolved, created);
        lmb_host_release(&resolved, workers);
        return lmb_fail(error, LMB_ERROR_MEMORY, "cpu pool: no memory for %u threads", (unsigned)thread_count);
    }
    created->host = resolved;
    created->workers = workers;
    created->worker_count = thread_count;
    lmb_result result = start_workers(created, graph, path, error);
    if (result != LMB_OK) {
        lmb_cpu_pool_destroy(created);
        return result;
    }
    *pool = created;
    return LMB_OK;
}

void lmb_cpu_pool_destroy(lmb_cpu_pool *pool) {
    if (pool == NULL) {
        return;
    }
    if (pool->has_mutex && pool->has_work) {
        lmb_mutex_lock(&pool->mutex);
        pool->closing = true;
        lmb_condition_broadcast(&pool->work);
        lmb_mutex_unlock(&pool->mutex);
    }
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        if (pool->workers[i].started) {
            lmb_thread_join(&pool->workers[i].thread);
        }
        lmb_cpu_destroy(pool->workers[i].cpu);
    }
    if (pool->has_rest) {
        lmb_condition_destroy(&pool->rest);
    }
    if (pool->has_work) {
        lmb_condition_destroy(&pool->work);
    }
    if (pool->has_mutex) {
        lmb_mutex_destroy(&pool->mutex);
    }
    lmb_host host = pool->host;
    lmb_host_release(&host, pool->workers);
    lmb_host_release(&host, pool);
}

lmb_result lmb_cpu_pool_run(lmb_cpu_pool *pool, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                            const lmb_batch_outputs *outputs, lmb_error *error) {
    if (pool == NULL || outputs == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu pool: %s is NULL", pool == NULL ? "it" : "the outputs");
    }
    // Each thread checks the pointers again; an error there is the same for all of them.
    lmb_result result = lmb_cpu_run_range(pool->workers[0].cpu, batch, inputs, outputs, 0, 0, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_mutex_lock(&pool->mutex);
    pool->batch = batch;
    pool->inputs = inputs;
    pool->outputs = *outputs;
    pool->share = find_share(batch->character_count, pool->worker_count);
    atomic_store(&pool->next, 0);
    pool->busy = pool->worker_count - 1;
    pool->round++;
    lmb_condition_broadcast(&pool->work);
    lmb_mutex_unlock(&pool->mutex);
    run_shares(&pool->workers[0]);
    lmb_mutex_lock(&pool->mutex);
    while (pool->busy > 0) {
        lmb_condition_wait(&pool->rest, &pool->mutex);
    }
    lmb_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        const worker *w = &pool->workers[i];
        if (w->result != LMB_OK) {
            return lmb_fail(error, w->result, "%s", w->error.message);
        }
        for (int kind = 0; kind < LMB_REFUSAL_COUNT && outputs->refused != NULL; kind++) {
            outputs->refused[kind] += w->refused[kind];
        }
    }
    return LMB_OK;
}

lmb_cpu *lmb_cpu_pool_cpu(lmb_cpu_pool *pool, uint32_t thread) {
    return thread < pool->worker_count ? pool->workers[thread].cpu : NULL;
}
