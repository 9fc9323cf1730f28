// Signed integers below 2^448 in magnitude, for geometric predicates that must be exact.
#ifndef LIMBER_SRC_BIGINT_H
#define LIMBER_SRC_BIGINT_H

#include <stdbool.h>
#include <stdint.h>

#define LMB_WIDE_LIMBS 14u

typedef struct lmb_bigint {
    bool negative;
    uint32_t count; // limbs in use; the last one is not 0
    uint32_t limbs[LMB_WIDE_LIMBS];
} lmb_bigint;

// Returns x / 2^exponent, which must be a whole number below 2^128 in magnitude.
lmb_bigint lmb_bigint_from(float x, int exponent);
lmb_bigint lmb_bigint_negate(lmb_bigint a);
// The results of these three must be below 2^448 in magnitude.
lmb_bigint lmb_bigint_add(const lmb_bigint *a, const lmb_bigint *b);
lmb_bigint lmb_bigint_subtract(const lmb_bigint *a, const lmb_bigint *b);
lmb_bigint lmb_bigint_multiply(const lmb_bigint *a, const lmb_bigint *b);
// Returns -1, 0 or 1.
int lmb_bigint_sign(const lmb_bigint *a);

#endif
