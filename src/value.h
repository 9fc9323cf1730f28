// The public value types as the shared operations see them, and checks of values at the border.
#ifndef LIMBER_SRC_VALUE_H
#define LIMBER_SRC_VALUE_H

#include "../shaders/ops/layout.h"
#include "../shaders/ops/model.h"

#include <limber/math.h>

// The layouts agree: translation, rotation, scale; three rows of four.
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
    memcpy(&result, &a, sizeof result); // all but the weight
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

// Normalised in double precision and snapped; false where the rotation is as good as zero.
bool lmb_normalize_rotation(const float given[4], float unit[4]);

// Whether all are finite and at most LMB_LARGEST in magnitude; if not, which is the first that isn't.
bool lmb_usable(const float *values, size_t count, size_t *offender);

#endif
