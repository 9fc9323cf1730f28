// Conversions between the public value types and those of the shared operations, and checks of values from outside.
#ifndef LIMBER_SRC_MATH_VALUE_H
#define LIMBER_SRC_MATH_VALUE_H

#include "../../shaders/ops/layout.h"
#include "../../shaders/ops/transform.h"

#include <limber/math.h>

// The layouts are the same: translation, rotation, scale; and three rows of four.
_Static_assert(sizeof(lmb_transform) == offsetof(transform, weight),
               "lmb_transform and the operations' transform differ");
_Static_assert(sizeof(lmb_affine) == sizeof(affine), "lmb_affine and the operations' affine differ");

static inline transform lmb_to_op_transform(lmb_transform a) {
    transform result;
    memcpy(&result, &a, sizeof a);
    result.weight = WEIGHT_PRESENT;
    return result;
}

static inline lmb_transform lmb_from_op_transform(transform a) {
    lmb_transform result;
    memcpy(&result, &a, sizeof result); // all members except the weight
    return result;
}

static inline affine lmb_to_op_affine(lmb_affine a) {
    affine result;
    memcpy(&result, &a, sizeof result);
    return result;
}

static inline lmb_affine lmb_from_op_affine(affine a) {
    lmb_affine result;
    memcpy(&result, &a, sizeof result);
    return result;
}

// Normalises in double precision and snaps. Returns false if the rotation is practically zero.
bool lmb_normalize_rotation(const float given[4], float unit[4]);

// Returns the length of a rotation.
double lmb_rotation_length(const float rotation[4]);

// Normalises the rotation, and snaps all numbers.
lmb_transform lmb_snap_transform(const lmb_transform *given);

// Stores a joint of a static pose.
static inline void lmb_store_static_pose(const lmb_transform *pose, uint32_t *table, uint32_t joint) {
    uint32_t *at = table + (size_t)joint * WORDS_OF(STATIC_POSE);
    memcpy(at + FIELD(STATIC_POSE, translation), pose->translation, sizeof pose->translation);
    memcpy(at + FIELD(STATIC_POSE, rotation), pose->rotation, sizeof pose->rotation);
    memcpy(at + FIELD(STATIC_POSE, scale), pose->scale, sizeof pose->scale);
}

// The number of words to a multiple of those of STATIC_POSE.
static inline uint32_t lmb_static_pose_padding(uint64_t words) {
    return (uint32_t)(WORDS_OF(STATIC_POSE) - 1 - (words + WORDS_OF(STATIC_POSE) - 1) % WORDS_OF(STATIC_POSE));
}

// Returns whether all values are finite and at most LMB_LARGEST in magnitude. If not, sets `offender` to the first bad
// one.
bool lmb_usable(const float *values, size_t count, size_t *offender);

#endif
