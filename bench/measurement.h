// Times backends against each other.
#ifndef LIMBER_BENCH_MEASUREMENT_H
#define LIMBER_BENCH_MEASUREMENT_H

#include "backend.h"

enum { MEASUREMENT_MOST_BACKENDS = DEVICE_MAX + LMB_CPU_PATH_COUNT };

typedef struct measurement {
    double median, low, high; // microseconds a character: median, and the quartiles about it
    double control, poses;    // medians of what both take of it, 0 where that is not known
    uint32_t samples;
} measurement;

// Runs the backends in turns until each has had its seconds, so that whatever else the machine does meets all alike.
// A turn is a frame, or as many as take a millisecond, after one that warms up what the others' turns cooled. On
// failure `failed` is the backend's index.
lmb_result measurement_take(backend *backends, uint32_t count, double seconds, measurement *measured, uint32_t *failed,
                            lmb_error *error);

#endif
