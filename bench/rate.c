// Measures multiplications and additions per second of one core; compiled once for each SIMD width and its
// instructions.
#include "machine_limits.h"

#include "clock.h"

enum { CHAINS = 12, STEPS = 100000, RUNS = 20 };

#if RATE_LANES == 1
typedef float real;
#else
typedef float real __attribute__((vector_size(4 * RATE_LANES)));
#endif

#define JOIN_NAMES(a, b) a##b
#define NAME_SIMD(a, lanes) JOIN_NAMES(a, lanes)

// Enough independent chains of operations to keep every unit busy. The empty assembly statement keeps the results, so
// that the compiler cannot remove the computation.
static double run(real factor, real term) {
    real x[CHAINS] = {0};
    double start = clock_thread_seconds();
    for (int step = 0; step < STEPS; step++) {
#if defined(__clang__)
#pragma clang loop unroll(full)
#else
#pragma GCC unroll 12
#endif
        for (int i = 0; i < CHAINS; i++) {
            x[i] = x[i] * factor + term;
        }
    }
    double taken = clock_thread_seconds() - start;
    for (int i = 0; i < CHAINS; i++) {
        __asm__ volatile("" : : "m"(x[i]));
    }
    return 2.0 * CHAINS * STEPS * RATE_LANES / taken;
}

double NAME_SIMD(rate_lanes_, RATE_LANES)(void) {
    volatile float factor = 0.5f, term = 1.0f;
    double best = 0.0;
    for (int i = 0; i < RUNS; i++) {
        double rate = run((real){0} + factor, (real){0} + term);
        best = rate > best ? rate : best;
    }
    return best;
}
