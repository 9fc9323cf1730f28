#include "measurement.h"

#include <stdlib.h>

enum { MOST_SAMPLES = 101, FEWEST_SAMPLES = 5, FEWEST_LONG_SAMPLES = 3 };

static const double turn_seconds = 1e-3;

typedef struct samples {
    double values[MOST_SAMPLES];
    uint32_t count;
    uint32_t frame;
    double spent;
} samples;

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static lmb_result run_frame(backend *backend, samples *samples, double *taken, lmb_error *error) {
    lmb_result result = backend->run(backend, samples->frame++, taken, error);
    samples->spent += result == LMB_OK ? *taken : 0.0;
    if (backend->times != NULL) {
        trace_take(backend->trace, backend->process, 1, backend->times, backend->shift);
    }
    return result;
}

// A frame that warms up, not counted where it takes no longer than a turn, then the frames that are.
static lmb_result run_turn(backend *backend, samples *samples, lmb_error *error) {
    double taken, total;
    lmb_result result = run_frame(backend, samples, &taken, error);
    if (result != LMB_OK) {
        return result;
    }
    uint32_t frames = 1;
    total = taken;
    if (taken < turn_seconds) {
        frames = (uint32_t)(turn_seconds / (taken + 1e-9)) + 1;
        total = 0.0;
        for (uint32_t i = 0; i < frames && result == LMB_OK; i++) {
            result = run_frame(backend, samples, &taken, error);
            total += taken;
        }
    }
    samples->values[samples->count++] = total * 1e6 / backend->characters / frames;
    return result;
}

static bool has_enough(const samples *samples, double seconds) {
    uint32_t fewest = samples->spent > 4.0 * seconds ? FEWEST_LONG_SAMPLES : FEWEST_SAMPLES;
    return samples->count == MOST_SAMPLES || (samples->count >= fewest && samples->spent >= seconds);
}

static measurement summarise(samples *samples) {
    qsort(samples->values, samples->count, sizeof samples->values[0], compare_doubles);
    return (measurement){samples->values[samples->count / 2], samples->values[samples->count / 4],
                         samples->values[samples->count * 3 / 4], samples->count};
}

lmb_result measurement_take(backend *backends, uint32_t count, double seconds, measurement *measured, uint32_t *failed,
                            lmb_error *error) {
    static samples samples[MEASUREMENT_MOST_BACKENDS];
    for (uint32_t i = 0; i < count; i++) {
        samples[i] = (struct samples){0};
        lmb_result result = run_turn(&backends[i], &samples[i], error); // pages, caches, pipelines: not counted
        if (result != LMB_OK) {
            *failed = i;
            return result;
        }
        samples[i].count = 0;
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < count; i++) {
            if (has_enough(&samples[i], seconds)) {
                continue;
            }
            more = true;
            lmb_result result = run_turn(&backends[i], &samples[i], error);
            if (result != LMB_OK) {
                *failed = i;
                return result;
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        measured[i] = summarise(&samples[i]);
    }
    return LMB_OK;
}
