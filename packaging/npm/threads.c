// The threads of limber-threads.wasm. worker.js runs each of them but the caller's, with a stack of its own: it calls
// threads_serve(), which sleeps until there are shares, and never returns. Shares are ranges of characters. Who takes
// which changes no bit.
//
// A share is taken by counting `untaken` down, which is 0 between runs. So a thread that wakes late finds nothing, and
// the caller waits only for threads that have taken something. Threads allocate nothing: malloc() is the caller's.
#include "threads.h"

#include "cpu/shares.h"

#include <emscripten.h>
#include <stdatomic.h>
#include <stdlib.h>

#pragma clang diagnostic ignored "-Wmissing-prototypes" // nothing in C calls what is exported

#define STACK_BYTES (256u * 1024)

static uint32_t thread_count = 1;
static bool caller_may_sleep; // not in the main thread of a page
static atomic_uint runs;      // changes with each run; threads sleep on it
static atomic_uint untaken;   // shares that no thread has taken
static atomic_uint unfinished;
static atomic_bool trapped; // a thread, in a share that it has not completed
static struct {
    threads_function *run;
    void *user;
    uint32_t count;
    uint32_t share; // characters of one
} work;             // constant while a share is unfinished

static void sleep_while(atomic_uint *value, uint32_t is) {
    __builtin_wasm_memory_atomic_wait32((int *)value, (int)is, -1);
}

static void wake(atomic_uint *value, uint32_t threads) {
    __builtin_wasm_memory_atomic_notify((int *)value, threads);
}

static bool take(uint32_t *share) {
    uint32_t left = atomic_load(&untaken);
    while (left > 0) {
        if (atomic_compare_exchange_weak(&untaken, &left, left - 1)) {
            *share = left - 1;
            return true;
        }
    }
    return false;
}

static void finish_share(void) {
    if (atomic_fetch_sub(&unfinished, 1) == 1) {
        wake(&unfinished, 1);
    }
}

static void run_shares(uint32_t thread) {
    for (uint32_t share = 0; take(&share);) {
        const uint32_t first = share * work.share, left = work.count - first;
        work.run(work.user, thread, first, left < work.share ? left : work.share);
        finish_share();
    }
}

uint32_t threads_count(void) {
    return thread_count;
}

bool threads_run(threads_function *run, void *user, uint32_t count) {
    const lmb_shares shares = lmb_shares_of(count, thread_count);
    if (thread_count == 1 || shares.count <= 1) {
        run(user, 0, 0, count);
        return true;
    }
    work.run = run;
    work.user = user;
    work.count = count;
    work.share = shares.size;
    atomic_store(&unfinished, shares.count);
    atomic_store(&untaken, shares.count);
    atomic_fetch_add(&runs, 1);
    wake(&runs, shares.count - 1);
    run_shares(0);
    for (uint32_t left = atomic_load(&unfinished); left > 0; left = atomic_load(&unfinished)) {
        if (caller_may_sleep) {
            sleep_while(&unfinished, left);
        }
    }
    return !atomic_exchange(&trapped, false);
}

EMSCRIPTEN_KEEPALIVE void threads_serve(uint32_t thread) {
    for (;;) {
        const uint32_t seen = atomic_load(&runs);
        run_shares(thread);
        sleep_while(&runs, seen);
    }
}

// Replaces the rest of a share for which threads_serve() has trapped. The thread takes no other.
EMSCRIPTEN_KEEPALIVE void threads_trapped(void) {
    atomic_store(&trapped, true);
    finish_share();
}

// Returns the top of a new stack for a thread, or NULL without memory. It stays for ever.
EMSCRIPTEN_KEEPALIVE void *threads_stack(void) {
    char *stack = aligned_alloc(16, STACK_BYTES);
    return stack != NULL ? stack + STACK_BYTES : NULL;
}

// Sets the number of threads, with the caller's.
EMSCRIPTEN_KEEPALIVE void threads_use(uint32_t count, bool may_sleep) {
    thread_count = count;
    caller_may_sleep = may_sleep;
}
