// Divides the characters of a step among the threads of limber-threads.wasm. In limber.wasm, which is compiled without
// atomics, the caller runs them all.
#ifndef LIMBER_NPM_THREADS_H
#define LIMBER_NPM_THREADS_H

#include <stdbool.h>
#include <stdint.h>

// Runs characters [first, first + count) in a thread, where 0 is the caller's.
typedef void threads_function(void *user, uint32_t thread, uint32_t first, uint32_t count);

#ifdef __wasm_atomics__
// Returns the number of threads, with the caller's.
uint32_t threads_count(void);
// Runs characters [0, count), each of them once, and returns when they are complete; false if a thread has trapped.
bool threads_run(threads_function *run, void *user, uint32_t count);
#else
static inline uint32_t threads_count(void) {
    return 1;
}

static inline bool threads_run(threads_function *run, void *user, uint32_t count) {
    run(user, 0, 0, count);
    return true;
}
#endif

#endif
