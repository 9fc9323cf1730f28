// Measures in double precision how far a compressed clip deviates from its source when it moves a rig.
#ifndef LIMBER_SRC_CLIP_MOTION_H
#define LIMBER_SRC_CLIP_MOTION_H

#include "layout.h"
#include "math/matrix.h"
#include "rig/rig.h"

matrix lmb_matrix_of(const lmb_transform *t);

// Returns a joint's model matrix. `parent` is NULL for a root.
matrix lmb_model_of(const lmb_transform *local, const matrix *parent);
// How a joint's deviation counts.
typedef struct lmb_tolerance {
    double shell; // distance of the virtual points from the joint
    double share; // by which distances are multiplied before they are compared with the bound
} lmb_tolerance;

// Returns how far apart a joint is in two poses, as it counts: the largest distance between corresponding virtual
// points, the six at +-shell on its axes, times its share. Returns NaN if one is NaN.
double lmb_deviation_of(const matrix *a, const matrix *b, const lmb_tolerance *tolerance);

// The largest deviation of a virtual point at or below a joint, as it counts, if the joint moves by 1, or turns by
// 1 radian.
typedef struct lmb_lever {
    double moves;
    double turns;
} lmb_lever;

// The motions of the source clip and of another clip, sampled at the same times. Arrays are joint-major:
// [joint][sample].
typedef struct motion {
    const lmb_rig *rig;
    uint32_t samples;
    lmb_tolerance *tolerances; // [joint]
    lmb_transform *local;      // local transforms of the other clip
    matrix *source_model;
    matrix *model;
    matrix *trial;
    bool *affected;    // [joint]
    lmb_lever *levers; // [joint]
} motion;

// Returns the largest distance between two joints in the rest pose.
double lmb_rig_extent(const lmb_rig *rig, matrix *models);

void lmb_motion_model(const motion *m, const lmb_transform *local, matrix *models);
void lmb_motion_levers(motion *m);

// Computes model matrices into `trial` for joint `first` and its descendants, or for all joints if `first` is LMB_NONE.
// Returns the largest deviation, as it counts, of these joints. Stops at the first one above `limit` and returns it.
// Sets `worst` to the joint with the largest one so far.
double lmb_motion_try(motion *m, uint32_t first, double limit, uint32_t *worst);
// Copies the result of the last try into `model`.
void lmb_motion_accept(motion *m);

// Returns the largest deviation, as it counts, at one sample if the joints have the transforms `local` ([joint]).
// `models` is scratch memory for one matrix per joint.
double lmb_motion_distance(const motion *m, uint32_t sample, const lmb_transform *local, matrix *models);

#endif
