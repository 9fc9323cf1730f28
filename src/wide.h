// Whole numbers of either sign below 2^448, for predicates of geometry that have to be exact.
#ifndef LIMBER_SRC_WIDE_H
#define LIMBER_SRC_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#define LMB_WIDE_LIMBS 14u

typedef struct lmb_wide {
    bool negative;
    uint32_t count; // of limbs, the last of which is not 0
    uint32_t limbs[LMB_WIDE_LIMBS];
} lmb_wide;

// x / 2^exponent, which is whole and below 2^128.
lmb_wide lmb_wide_from(float x, int exponent);
lmb_wide lmb_wide_negate(lmb_wide a);
// The result has to be below 2^448.
lmb_wide lmb_wide_add(const lmb_wide *a, const lmb_wide *b);
lmb_wide lmb_wide_subtract(const lmb_wide *a, const lmb_wide *b);
lmb_wide lmb_wide_multiply(const lmb_wide *a, const lmb_wide *b);
// -1, 0 or 1.
int lmb_wide_sign(const lmb_wide *a);

#endif
