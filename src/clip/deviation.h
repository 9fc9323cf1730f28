// Bounds how far a compressed clip deviates from its source at any time, also between the times that are sampled.
#ifndef LIMBER_SRC_CLIP_DEVIATION_H
#define LIMBER_SRC_CLIP_DEVIATION_H

#include "clip.h"
#include "motion.h"
#include "pack.h"

typedef struct deviating_joint deviating_joint;

// Two clips of a rig. All their tracks are smooth between neighbouring times of `times`.
typedef struct deviation {
    const lmb_rig *rig;
    const lmb_clip *source;
    const lmb_clip *clip;
    const lmb_tolerance *tolerances; // [joint]
    const float *times;
    uint32_t count;          // of times
    uint32_t stride;         // between two of them in `times`
    deviating_joint *joints; // [joint], scratch
    double largest;          // the largest deviation found so far
    uint64_t halvings;       // that are still allowed
} deviation;

// Returns the bytes of deviation.joints for each joint.
size_t lmb_deviation_joint_bytes(void);

// Returns a bound of the deviation of a virtual point, as it counts, at all times. Before the first
// time and after the last one, clips hold their values. The bound is within 0.1 % of one that occurs, unless too
// many halvings are needed.
double lmb_deviation_bound(deviation *d);

// Returns whether a spline of rotations turns so fast somewhere that few samples do not show where it goes.
bool lmb_deviation_is_wild(const lmb_clip *source, uint32_t joint);

#endif
