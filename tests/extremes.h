// Random programs on random rigs and clips, with inputs at the edges of what is allowed and beyond: any bits, values at
// the limits of the snapping rule, rotations whose products vanish.
#ifndef LIMBER_TESTS_EXTREMES_H
#define LIMBER_TESTS_EXTREMES_H

#include "suite.h"

#include <limber/compare.h>

enum { EXTREMES_CHARACTERS = 150, EXTREMES_JOINTS = 7, EXTREMES_CLIPS = 3, EXTREMES_POSES = 2 };

typedef struct extremes {
    lmb_rig *rig;
    lmb_clip *clips[EXTREMES_CLIPS];
    lmb_graph *program;
    lmb_batch batch; // every stage is an output
    float *parameters;
    float *poses[EXTREMES_POSES];
    lmb_batch_inputs inputs;
    lmb_batch_outputs outputs[2]; // of the two sides that are compared
    uint32_t refused[2][LMB_REFUSAL_COUNT];
} extremes;

extremes *extremes_create(uint32_t seed);
void extremes_destroy(extremes *extremes);

// Both sides' outputs and refusals have the same bits.
void extremes_expect_same(const extremes *extremes, uint32_t seed);
// Every value of the first side is +0 or from 2^-40 to 2^40 in magnitude.
void extremes_expect_snapped(const extremes *extremes, uint32_t seed);

#endif
