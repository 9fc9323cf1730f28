// A pool of threads that divides what lmb_cpu_run() and its relatives do. A run is a description of its work and a
// number of shares. Threads take one share after another until none is left; which thread takes which share changes no
// bit.
//
// A share is a range of characters, or the characters of a list that a hash assigns to it. So a character that is
// listed twice is run twice by the same thread, in the order of the list, as by lmb_cpu_run_list().
#include "base/host.h"
#include "base/thread.h"
#include "control/run.h"
#include "cpu.h"
#include "shares.h"

#include <limber/cpu_pool.h>

#include <stdatomic.h>
#include <string.h>

#define MOST_LISTED 1024u // characters of a list that run at once

typedef struct work work;

// Runs characters [first, first + count) of a work. With 0 characters it checks the arguments.
typedef lmb_result run_function(lmb_cpu *cpu, const work *work, const lmb_batch_outputs *outputs, uint32_t first,
                                uint32_t count, lmb_error *error);

struct work {
    run_function *run;
    const lmb_batch_def *batch;
    const lmb_batch_inputs *inputs;
    const lmb_batch_outputs *outputs; // NULL if the control alone runs
    const lmb_control_frame *frame;
    const uint32_t *list; // or NULL
    uint32_t first;       // without a list
    uint32_t count;
    lmb_shares shares; // their size counts without a list
};

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
    const lmb_graph *graph;
    uint32_t worker_count;
    worker *workers; // the first one runs in the caller's thread
    lmb_mutex mutex;
    lmb_condition begin;
    lmb_condition rest;
    bool has_mutex, has_begin, has_rest;
    // Guarded by the mutex.
    uint64_t round; // counts runs; threads start when it grows
    uint32_t busy;  // threads that have not finished the round
    bool closing;
    work work;        // of the round; set before it starts
    atomic_uint next; // the next share to take
};

// ---- What is run ----

static lmb_result run_frame(lmb_cpu *cpu, const work *work, const lmb_batch_outputs *outputs, uint32_t first,
                            uint32_t count, lmb_error *error) {
    return lmb_cpu_run_range(cpu, work->batch, work->inputs, outputs, first, count, error);
}

static lmb_result run_poses(lmb_cpu *cpu, const work *work, const lmb_batch_outputs *outputs, uint32_t first,
                            uint32_t count, lmb_error *error) {
    return lmb_cpu_run_poses(cpu, work->batch, work->inputs, outputs, first, count, error);
}

static lmb_result run_control(lmb_cpu *cpu, const work *work, const lmb_batch_outputs *outputs, uint32_t first,
                              uint32_t count, lmb_error *error) {
    (void)outputs;
    return lmb_control_run_path(cpu->graph, cpu->path, work->frame, first, count, error);
}

static lmb_result run_listed(lmb_cpu *cpu, const work *work, const lmb_batch_outputs *outputs, uint32_t first,
                             uint32_t count, lmb_error *error) {
    return lmb_cpu_run_list(cpu, work->batch, work->inputs, outputs, work->list + first, count, error);
}

// ---- Shares ----

// Neighbours have the same owner, because they share cache lines.
static uint32_t owner_of(uint32_t character, uint32_t share_count) {
    return (uint32_t)((uint64_t)(character / LMB_SHARE_VECTOR * 0x9e3779b1u) * share_count >> 32);
}

static void count_refused(worker *w, const uint32_t *refused) {
    for (int kind = 0; kind < LMB_REFUSAL_COUNT; kind++) {
        w->refused[kind] += refused[kind];
    }
}

// Runs listed characters that belong to a share, as many at a time as lmb_cpu_run_list() does.
static lmb_result run_owned(worker *w, uint32_t share, const lmb_batch_outputs *outputs) {
    const work *all = &w->pool->work;
    uint32_t owned[MOST_LISTED];
    work part = *all;
    part.list = owned;
    lmb_result result = LMB_OK;
    for (uint32_t i = 0, count = 0; i < all->count && result == LMB_OK; i++) {
        owned[count] = all->list[i];
        count += owner_of(all->list[i], all->shares.count) == share;
        if (count == MOST_LISTED || (count > 0 && i + 1 == all->count)) {
            result = all->run(w->cpu, &part, outputs, 0, count, &w->error);
            count_refused(w, outputs->refused);
            count = 0;
        }
    }
    return result;
}

static lmb_result run_part(worker *w, uint32_t share, const lmb_batch_outputs *outputs) {
    const work *all = &w->pool->work;
    const uint32_t size = all->shares.size, done = share * size, left = all->count - done;
    const lmb_result result = all->run(w->cpu, all, outputs, all->first + done, left < size ? left : size, &w->error);
    count_refused(w, outputs->refused);
    return result;
}

static void run_shares(worker *w) {
    lmb_cpu_pool *pool = w->pool;
    const work *work = &pool->work;
    uint32_t refused[LMB_REFUSAL_COUNT] = {0};
    lmb_batch_outputs outputs = work->outputs != NULL ? *work->outputs : (lmb_batch_outputs){0};
    outputs.refused = refused;
    memset(w->refused, 0, sizeof w->refused);
    w->result = LMB_OK;
    for (uint32_t share = atomic_fetch_add(&pool->next, 1); share < work->shares.count && w->result == LMB_OK;
         share = atomic_fetch_add(&pool->next, 1)) {
        w->result = work->list != NULL ? run_owned(w, share, &outputs) : run_part(w, share, &outputs);
    }
}

// ---- Threads ----

static void serve(void *argument) {
    worker *w = argument;
    lmb_cpu_pool *pool = w->pool;
    uint64_t done = 0;
    lmb_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->round == done && !pool->closing) {
            lmb_condition_wait(&pool->begin, &pool->mutex);
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
    pool->has_begin = lmb_condition_create(&pool->begin);
    pool->has_rest = lmb_condition_create(&pool->rest);
    if (!pool->has_mutex || !pool->has_begin || !pool->has_rest) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "cpu pool: no mutex or condition can be had");
    }
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        worker *w = &pool->workers[i];
        w->pool = pool;
        lmb_result result = lmb_cpu_create(graph, path, &pool->host, &w->cpu, error);
        if (result != LMB_OK) {
            return result;
        }
        w->started = i > 0 && lmb_thread_start(&w->thread, serve, w);
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
    created->graph = graph;
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
    if (pool->has_mutex && pool->has_begin) {
        lmb_mutex_lock(&pool->mutex);
        pool->closing = true;
        lmb_condition_broadcast(&pool->begin);
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
    if (pool->has_begin) {
        lmb_condition_destroy(&pool->begin);
    }
    if (pool->has_mutex) {
        lmb_mutex_destroy(&pool->mutex);
    }
    lmb_host host = pool->host;
    lmb_host_release(&host, pool->workers);
    lmb_host_release(&host, pool);
}

// ---- Runs ----

static lmb_shares divide(const work *work, uint32_t threads) {
    lmb_shares shares = lmb_shares_of(work->count, threads);
    if (work->list != NULL) { // each of them reads the whole list
        const uint32_t vectors = work->count / LMB_SHARE_VECTOR + (work->count % LMB_SHARE_VECTOR != 0);
        shares.count = vectors < threads ? vectors : threads;
    }
    return shares;
}

static void run_with_threads(lmb_cpu_pool *pool) {
    lmb_mutex_lock(&pool->mutex);
    pool->busy = pool->worker_count - 1;
    pool->round++;
    lmb_condition_broadcast(&pool->begin);
    lmb_mutex_unlock(&pool->mutex);
    run_shares(&pool->workers[0]);
    lmb_mutex_lock(&pool->mutex);
    while (pool->busy > 0) {
        lmb_condition_wait(&pool->rest, &pool->mutex);
    }
    lmb_mutex_unlock(&pool->mutex);
}

// Runs a work whose arguments are checked. One share does not wake a thread.
static lmb_result run_work(lmb_cpu_pool *pool, const work *work, lmb_error *error) {
    pool->work = *work;
    pool->work.shares = divide(work, pool->worker_count);
    atomic_store(&pool->next, 0);
    const uint32_t threads = pool->work.shares.count > 1 ? pool->worker_count : 1;
    if (threads > 1) {
        run_with_threads(pool);
    } else {
        run_shares(&pool->workers[0]);
    }
    for (uint32_t i = 0; i < threads; i++) {
        const worker *w = &pool->workers[i];
        if (w->result != LMB_OK) {
            return lmb_fail(error, w->result, "%s", w->error.message);
        }
        for (int kind = 0; kind < LMB_REFUSAL_COUNT && work->outputs != NULL && work->outputs->refused != NULL;
             kind++) {
            work->outputs->refused[kind] += w->refused[kind];
        }
    }
    return LMB_OK;
}

static lmb_result check(lmb_cpu_pool *pool, const work *work, lmb_error *error) {
    return pool == NULL ? lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu pool: it is NULL")
                        : work->run(pool->workers[0].cpu, work, work->outputs, 0, 0, error);
}

// Threads check the pointers of inputs and outputs again: a failure there is the same for all of them.
static lmb_result run_checked(lmb_cpu_pool *pool, const work *work, lmb_error *error) {
    const lmb_result result = check(pool, work, error);
    if (result != LMB_OK) {
        return result;
    }
    const uint32_t most = work->batch != NULL ? work->batch->character_count : work->frame->character_count;
    if (work->list == NULL && (work->first > most || work->count > most - work->first)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu pool: characters %u and %u more are not in a batch of %u",
                        (unsigned)work->first, (unsigned)work->count, (unsigned)most);
    }
    return run_work(pool, work, error);
}

lmb_result lmb_cpu_pool_run(lmb_cpu_pool *pool, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                            const lmb_batch_outputs *outputs, lmb_error *error) {
    return lmb_cpu_pool_run_range(pool, batch, inputs, outputs, 0, batch != NULL ? batch->character_count : 0, error);
}

lmb_result lmb_cpu_pool_run_range(lmb_cpu_pool *pool, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                                  const lmb_batch_outputs *outputs, uint32_t first, uint32_t count, lmb_error *error) {
    const work frame = {
        .run = run_frame, .batch = batch, .inputs = inputs, .outputs = outputs, .first = first, .count = count};
    return run_checked(pool, &frame, error);
}

lmb_result lmb_cpu_pool_run_poses(lmb_cpu_pool *pool, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                                  const lmb_batch_outputs *outputs, uint32_t first, uint32_t count, lmb_error *error) {
    const work poses = {
        .run = run_poses, .batch = batch, .inputs = inputs, .outputs = outputs, .first = first, .count = count};
    return run_checked(pool, &poses, error);
}

lmb_result lmb_cpu_pool_run_list(lmb_cpu_pool *pool, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                                 const lmb_batch_outputs *outputs, const uint32_t *characters, uint32_t count,
                                 lmb_error *error) {
    static const uint32_t none[1];
    if (characters == NULL && count > 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu pool: the list of characters is NULL");
    }
    const work listed = {.run = run_listed,
                         .batch = batch,
                         .inputs = inputs,
                         .outputs = outputs,
                         .list = characters != NULL ? characters : none,
                         .count = count};
    return run_checked(pool, &listed, error);
}

lmb_result lmb_cpu_pool_run_control(lmb_cpu_pool *pool, const lmb_control_frame *frame, uint32_t first, uint32_t count,
                                    lmb_error *error) {
    const work control = {.run = run_control, .frame = frame, .first = first, .count = count};
    return run_checked(pool, &control, error);
}

lmb_cpu *lmb_cpu_pool_cpu(lmb_cpu_pool *pool, uint32_t thread) {
    return thread < pool->worker_count ? pool->workers[thread].cpu : NULL;
}
