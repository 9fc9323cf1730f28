// Runs backends in turns and computes medians and quartiles.
#include "measurement.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 101, FEWEST_SAMPLES = 5, FEWEST_LONG_SAMPLES = 3 };

static const double turn_seconds = 1e-3;
static const double warm_seconds = 0.3; // in which a GPU's clock rises from that of an idle one

typedef struct samples {
    double values[MOST_SAMPLES];
    double controls[MOST_SAMPLES];
    double poses[MOST_SAMPLES];
    uint32_t count;
    uint32_t frame;
    double spent;
} samples;

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static lmb_result run_frame(backend *backend, samples *samples, frame_time *taken, lmb_error *error) {
    const double start = clock_seconds();
    lmb_result result = backend->run(backend, samples->frame++, taken, error);
    samples->spent += clock_seconds() - start;
    if (backend->times != NULL) {
        trace_take(backend->trace, backend->process, 1, backend->times, backend->shift);
    }
    return result;
}

// Runs a frame that warms up, which counts only if it takes longer than a turn, then the frames that are measured.
static lmb_result run_turn(backend *backend, samples *samples, lmb_error *error) {
    frame_time taken, total;
    lmb_result result = run_frame(backend, samples, &taken, error);
    if (result != LMB_OK) {
        return result;
    }
    uint32_t frames = 1;
    total = taken;
    if (taken.whole < turn_seconds) {
        frames = (uint32_t)(turn_seconds / (taken.whole + 1e-6)) + 1;
        total = (frame_time){0};
        for (uint32_t i = 0; i < frames && result == LMB_OK; i++) {
            result = run_frame(backend, samples, &taken, error);
            total.whole += taken.whole;
            total.control += taken.control;
            total.poses += taken.poses;
        }
    }
    double share = 1e6 / backend->characters / frames;
    samples->values[samples->count] = total.whole * share;
    samples->controls[samples->count] = total.control * share;
    samples->poses[samples->count++] = total.poses * share;
    return result;
}

static bool has_enough(const samples *samples, double seconds) {
    uint32_t fewest = samples->spent > 4.0 * seconds ? FEWEST_LONG_SAMPLES : FEWEST_SAMPLES;
    return samples->count == MOST_SAMPLES || (samples->count >= fewest && samples->spent >= seconds);
}

static void sort(double *values, uint32_t count) {
    qsort(values, count, sizeof *values, compare_doubles);
}

// Backend and base run their turns one after another, so other load on the machine affects both turns of a pair.
static double compare_with_base(const samples *samples, const struct samples *base) {
    static double differences[MOST_SAMPLES];
    const uint32_t count = samples->count < base->count ? samples->count : base->count;
    for (uint32_t i = 0; i < count; i++) {
        differences[i] = samples->values[i] - base->values[i];
    }
    sort(differences, count);
    return differences[count / 2];
}

// Sorts the samples.
static measurement summarise(samples *samples) {
    uint32_t count = samples->count;
    sort(samples->values, count);
    sort(samples->controls, count);
    sort(samples->poses, count);
    return (measurement){.median = samples->values[count / 2],
                         .low = samples->values[count / 4],
                         .high = samples->values[count * 3 / 4],
                         .control = samples->controls[count / 2],
                         .poses = samples->poses[count / 2],
                         .samples = count};
}

// Runs turns that are not counted: one for pages, caches and pipelines, and for a GPU until its clock has risen.
static lmb_result warm_up(backend *backend, samples *samples, lmb_error *error) {
    lmb_result result;
    do {
        samples->count = 0;
        result = run_turn(backend, samples, error);
    } while (result == LMB_OK && backend->is_gpu && samples->spent < warm_seconds);
    samples->count = 0;
    samples->spent = 0.0;
    return result;
}

// Runs the backends of one kind in turns.
static lmb_result take_turns(backend *backends, samples *samples, uint32_t count, bool gpus, double seconds,
                             uint32_t *failed, lmb_error *error) {
    for (uint32_t i = 0; i < count; i++) {
        const lmb_result result = backends[i].is_gpu == gpus ? warm_up(&backends[i], &samples[i], error) : LMB_OK;
        if (result != LMB_OK) {
            *failed = i;
            return result;
        }
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < count; i++) {
            if (backends[i].is_gpu != gpus || has_enough(&samples[i], seconds)) {
                continue;
            }
            more = true;
            const lmb_result result = run_turn(&backends[i], &samples[i], error);
            if (result != LMB_OK) {
                *failed = i;
                return result;
            }
        }
    }
    return LMB_OK;
}

lmb_result measurement_take(backend *backends, uint32_t count, double seconds, measurement *measured, uint32_t *failed,
                            lmb_error *error) {
    static samples samples[MEASUREMENT_MOST_BACKENDS];
    memset(samples, 0, sizeof samples);
    lmb_result result = take_turns(backends, samples, count, false, seconds, failed, error);
    if (result == LMB_OK) {
        result = take_turns(backends, samples, count, true, seconds, failed, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    static double more[MEASUREMENT_MOST_BACKENDS];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t base = backends[i].base;
        more[i] = base != LMB_NONE ? compare_with_base(&samples[i], &samples[base]) : 0.0;
    }
    for (uint32_t i = 0; i < count; i++) {
        measured[i] = summarise(&samples[i]);
        measured[i].more = more[i];
    }
    return LMB_OK;
}
