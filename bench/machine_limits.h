// Measures the speed limits of a machine in the same run as the results; the floors are computed from them.
#ifndef LIMBER_BENCH_LIMITS_H
#define LIMBER_BENCH_LIMITS_H

#include <device.h>

#include <limber/cpu.h>

typedef struct limits {
    double copied;     // max bytes per second of several copies between two buffers larger than any cache
    double operations; // multiplications and additions per second, never fused into one instruction
} limits;

// The bytes to copy in a bench that takes `seconds` for a result: more than any cache has, and fewer below 0.05 s.
static inline size_t limits_copy_bytes(double seconds) {
    const size_t most = (size_t)256 << 20, row = (size_t)1 << 16;
    return seconds >= 0.05 ? most : row * (1 + (size_t)(seconds * 20.0 * (double)(most / row - 1)));
}

// Measures one core with the instructions of a path: SIMD of 4, 8 or 16 floats, scalar for the reference. The copy is
// memcpy.
limits limits_of_cpu(lmb_cpu_path path, double seconds);
// Measures a device; see device_timer.h.
lmb_result limits_of_device(device *device, double seconds, limits *limits, lmb_error *error);

// Return multiplications and additions per second with SIMD of that width. Call them only if the machine has the
// instructions.
double rate_lanes_1(void);
double rate_lanes_4(void);
double rate_lanes_8(void);
double rate_lanes_16(void);

#endif
