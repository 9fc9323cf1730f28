// Whole numbers of either sign below 2^448, for predicates of geometry that have to be exact.
#ifndef LIMBER_SRC_BIGINT_H
#define LIMBER_SRC_BIGINT_H

#include <stdbool.h>
#include <stdint.h>

#define LMB_WIDE_LIMBS 14u

typedef struct lmb_bigint {
    bool negative;
    uint32_t count; // of limbs, the last of which is not 0
    uint32_t limbs[LMB_WIDE_LIMBS];
} lmb_bigint;

// x / 2^exponent, which is whole and below 2^128.
lmb_bigint lmb_bigint_from(float x, int exponent);
lmb_bigint lmb_bigint_negate(lmb_bigint a);
// The result has to be below 2^448.
lmb_bigint lmb_bigint_add(const lmb_bigint *a, const lmb_bigint *b);
lmb_bigint lmb_bigint_subtract(const lmb_bigint *a, const lmb_bigint *b);
lmb_bigint lmb_bigint_multiply(const lmb_bigint *a, const lmb_bigint *b);
// -1, 0 or 1.
int lmb_bigint_sign(const lmb_bigint *a);

#endif
