// What a clip does to a rig, in double precision, to say how far a compressed clip strays from it.
#ifndef LIMBER_SRC_CLIP_MOTION_H
#define LIMBER_SRC_CLIP_MOTION_H

#include "clip_layout.h"
#include "rig.h"

typedef struct matrix {
    double m[3][4];
} matrix;

matrix lmb_matrix_of(const lmb_transform *t);
matrix lmb_matrix_multiply(const matrix *a, const matrix *b);

// Both motions of a rig at a number of times. Joint-major: [joint][sample].
typedef struct motion {
    const lmb_rig *rig;
    uint32_t samples;
    double shell;         // distance of the virtual points from their joint
    lmb_transform *local; // the other motion
    matrix *source_model;
    matrix *model;
    matrix *trial;
    bool *affected;  // [joint]
    double *reaches; // [joint]: farthest virtual point that its rotation moves
} motion;

// A joint's transform in a clip, plain or packed, by the operations that run it.
lmb_transform lmb_clip_sample(const lmb_clip *clip, const lmb_rig *rig, uint32_t joint, float time);

// Largest distance between joints of the rest pose.
double lmb_rig_extent(const lmb_rig *rig, matrix *models);

void lmb_motion_model(const motion *m, const lmb_transform *local, matrix *models);
void lmb_motion_reaches(motion *m);

// The largest distance of a virtual point of joints from `first` on down from itself in the source: of all joints where
// `first` is LMB_NONE. Gives up above `limit`. `worst` is where it is largest so far. The models are in `trial`.
double lmb_motion_try(motion *m, uint32_t first, double limit, uint32_t *worst);
// Takes what was tried last.
void lmb_motion_accept(motion *m);

// The largest distance at one sample, for joints at `local` ([joint]); `models` is scratch for as many.
double lmb_motion_distance(const motion *m, uint32_t sample, const lmb_transform *local, matrix *models);

#endif
