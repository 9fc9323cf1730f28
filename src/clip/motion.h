// Measures in double precision how far a compressed clip deviates from its source when it moves a rig.
#ifndef LIMBER_SRC_CLIP_MOTION_H
#define LIMBER_SRC_CLIP_MOTION_H

#include "layout.h"
#include "math/matrix.h"
#include "rig/rig.h"

matrix lmb_matrix_of(const lmb_transform *t);

// Returns a joint's model matrix. `parent` is NULL for a root.
matrix lmb_model_of(const lmb_transform *local, const matrix *parent);
// Returns the largest distance between corresponding virtual points of a joint: the six points at +-`shell` on its
// axes. Returns NaN if one is NaN.
double lmb_shell_distance(const matrix *a, const matrix *b, double shell);

// The motions of the source clip and of another clip, sampled at the same times. Arrays are joint-major:
// [joint][sample].
typedef struct motion {
    const lmb_rig *rig;
    uint32_t samples;
    double shell;         // distance of the virtual points from their joint
    lmb_transform *local; // local transforms of the other clip
    matrix *source_model;
    matrix *model;
    matrix *trial;
    bool *affected;  // [joint]
    double *reaches; // [joint]: distance of the farthest virtual point that its rotation moves
} motion;

// Returns the largest distance between two joints in the rest pose.
double lmb_rig_extent(const lmb_rig *rig, matrix *models);

void lmb_motion_model(const motion *m, const lmb_transform *local, matrix *models);
void lmb_motion_reaches(motion *m);

// Computes model matrices into `trial` for joint `first` and its descendants, or for all joints if `first` is LMB_NONE.
// Returns the largest distance of a virtual point of these joints from the same point in the source. Stops at the first
// distance above `limit` and returns it. Sets `worst` to the joint with the largest distance so far.
double lmb_motion_try(motion *m, uint32_t first, double limit, uint32_t *worst);
// Copies the result of the last try into `model`.
void lmb_motion_accept(motion *m);

// Returns the largest distance at one sample if the joints have the transforms `local` ([joint]). `models` is scratch
// memory for one matrix per joint.
double lmb_motion_distance(const motion *m, uint32_t sample, const lmb_transform *local, matrix *models);

#endif
