// Random programs on random rigs and clips, with inputs at the edges of the allowed ranges and beyond: arbitrary bits,
// values at the limits of the snapping rule, rotations whose products are zero.
#ifndef LIMBER_TESTS_SUPPORT_EXTREMES_H
#define LIMBER_TESTS_SUPPORT_EXTREMES_H

#include "suite.h"

#include <limber/compare.h>

enum { EXTREMES_CHARACTERS = 150, EXTREMES_JOINTS = 7, EXTREMES_CLIPS = 3, EXTREMES_POSES = 2 };

typedef struct extremes {
    lmb_rig *rig;
    lmb_clip *clips[EXTREMES_CLIPS];
    lmb_graph *program;
    lmb_batch_def batch; // every output is an output
    float *parameters;
    float *poses[EXTREMES_POSES];
    lmb_batch_inputs inputs;
    lmb_batch_outputs outputs[2]; // of the two compared sides
    uint32_t refused[2][LMB_REFUSAL_COUNT];
} extremes;

extremes *extremes_create(uint32_t seed);
void extremes_destroy(extremes *extremes);

// Expects the outputs and refusals of both sides to have the same bits.
void extremes_expect_same(const extremes *extremes, uint32_t seed);
// Expects every value of the first side to be +0 or to have a magnitude from 2^-40 to 2^40.
void extremes_expect_snapped(const extremes *extremes, uint32_t seed);

#endif
