// The workload of the bench: for each character three locomotion clips sampled at its own time and blended with weights
// .3 .5 .2, a fourth laid over them as an additive at .6, then model matrices and palette. Characters start in random
// phase and advance 1/60 s a frame.
#ifndef LIMBER_BENCH_WORKLOAD_H
#define LIMBER_BENCH_WORKLOAD_H

#include <limber/program.h>

enum { WORKLOAD_CLIPS = 4, WORKLOAD_PARAMETERS = 4 };

typedef struct workload {
    lmb_rig *rig;
    lmb_clip *clips[WORKLOAD_CLIPS];
    float durations[WORKLOAD_CLIPS];
    lmb_program *program;
} workload;

// A rig of `joints` shaped like a body with fingers, and clips with a key 30 times a second for the rotation of every
// joint and the translation of the root.
lmb_result workload_create(uint32_t joints, workload *workload, lmb_error *error);
void workload_destroy(workload *workload);

// Parameters [characters][WORKLOAD_PARAMETERS] of a frame: the clips' times, wrapped into their durations.
void workload_fill(const workload *workload, uint32_t characters, uint32_t frame, float *parameters);

// Bytes of palette that one character's frame cannot do without.
size_t workload_floor_bytes(const workload *workload);

#endif
