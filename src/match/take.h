// A take as databases and motion graphs read it.
//
// All arithmetic is float64 by operations that are rounded in the same way everywhere, and sines are those of
// limber/math.h, so what is made of takes has the same bits on every processor.
#ifndef LIMBER_SRC_MATCH_TAKE_H
#define LIMBER_SRC_MATCH_TAKE_H

#include "base/host.h"

#include <limber/motion_database.h>

static inline bool lmb_motion_in_range(float value, float low, float high) {
    return value >= low && value <= high;
}

// Refuses a take that is wrong: "motion database: take 3: why".
bool lmb_motion_check_take(lmb_error *error, const char *owner, const lmb_rig *rig, const lmb_motion_take *takes,
                           uint32_t index, float rate);
// Checks the motion and the velocity alone. Says why, if they are wrong.
bool lmb_motion_check_root(const lmb_motion_take *take, const char **why);
// Returns the rows of a take; more than LMB_MAX_MOTION_ROWS count as one more.
uint32_t lmb_motion_count_rows(const lmb_motion_take *take, float rate);

// Where a character is: a turn about y, then a displacement.
typedef struct place {
    double sine, cosine, position[3];
} place;

place lmb_place_compose(const place *a, const place *b);
place lmb_place_invert(const place *a);

typedef struct motion_of_take {
    const lmb_rig *rig;
    const lmb_motion_take *take;
    double duration, step; // seconds, in a row
    place end;             // at the end of the clip
    double velocity[3];    // there, over the ground
} motion_of_take;

motion_of_take lmb_motion_measure(const lmb_rig *rig, const lmb_motion_take *take, float rate);
// Returns the place after a time since the beginning of the clip: a loop goes on at its other end, another clip at its
// last velocity.
place lmb_place_at(const motion_of_take *m, double time);

#endif
