// Signed integers below 2^447 in magnitude, for geometric predicates that must be exact.
#ifndef LIMBER_SRC_BASE_BIGINT_H
#define LIMBER_SRC_BASE_BIGINT_H

#include <stdint.h>

#define LMB_BIGINT_LIMBS 14u

// Two's complement; the lowest limb comes first.
typedef struct lmb_bigint {
    uint32_t limbs[LMB_BIGINT_LIMBS];
} lmb_bigint;

// Returns x / 2^exponent, which must be a whole number below 2^128 in magnitude.
lmb_bigint lmb_bigint_from(float x, int exponent);
// The results of these three must be below 2^447 in magnitude.
lmb_bigint lmb_bigint_add(const lmb_bigint *a, const lmb_bigint *b);
lmb_bigint lmb_bigint_subtract(const lmb_bigint *a, const lmb_bigint *b);
lmb_bigint lmb_bigint_multiply(const lmb_bigint *a, const lmb_bigint *b);
// Returns -1, 0 or 1.
int lmb_bigint_sign(const lmb_bigint *a);

#endif
