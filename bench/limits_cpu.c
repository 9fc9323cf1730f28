// Measures the limits of the CPU.
#include "machine_limits.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

enum { COPIES = 10 };

static double copy_bandwidth(size_t copy_size) {
    char *from = malloc(copy_size), *to = malloc(copy_size);
    double best = 1e30;
    if (from != NULL && to != NULL) {
        memset(from, 1, copy_size);
        memset(to, 2, copy_size);
        for (int i = 0; i < COPIES; i++) {
            from[i] = (char)i;
            double start = clock_thread_seconds();
            memcpy(to, from, copy_size);
            double taken = clock_thread_seconds() - start;
            // Uses the copy, so that the compiler keeps it.
            best = taken < best && to[i] == (char)i ? taken : best;
        }
    }
    free(from);
    free(to);
    return (double)copy_size / best;
}

limits limits_of_cpu(lmb_cpu_path path, double seconds) {
    static double copied; // equal for every path
    if (copied == 0.0) {
        copied = copy_bandwidth(limits_copy_bytes(seconds));
    }
    limits limits = {copied, 0.0};
    switch (path) {
#ifdef LIMBER_BENCH_LANES_4
    case LMB_CPU_SIMD_4:
        limits.operations = rate_lanes_4();
        break;
#endif
#ifdef LIMBER_BENCH_LANES_X86
    case LMB_CPU_SIMD_8:
        limits.operations = rate_lanes_8();
        break;
    case LMB_CPU_SIMD_16:
        limits.operations = rate_lanes_16();
        break;
#endif
    default:
        limits.operations = rate_lanes_1();
        break;
    }
    return limits;
}
