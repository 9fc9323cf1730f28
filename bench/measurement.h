// Compares the times of backends.
#ifndef LIMBER_BENCH_MEASUREMENT_H
#define LIMBER_BENCH_MEASUREMENT_H

#include "backend.h"

enum { MEASUREMENT_MOST_BACKENDS = 2 * (DEVICE_MAX + LMB_CPU_PATH_COUNT) }; // each may have a base

typedef struct measurement {
    double median, low, high; // microseconds per character: the median and the quartiles
    double control, poses;    // medians of the control's and the poses' part; 0 if not known
    double more;              // median of what a turn takes more than the same turn of the base; 0 without a base
    uint32_t samples;
} measurement;

// Runs the backends in turns until each has used its seconds, so that other load on the machine affects all of them
// equally: first the CPU's paths and devices that are processors, then GPUs, whose clock would fall while the former
// have their turn. A turn is a frame, or as many as take a millisecond, after a frame that warms up the caches again.
// On failure, `failed` is the backend's index.
lmb_result measurement_take(backend *backends, uint32_t count, double seconds, measurement *measured, uint32_t *failed,
                            lmb_error *error);

#endif
