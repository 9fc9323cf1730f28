// Two's complement modulo 2^448. Overflow is not detected; callers stay within the bounds of bigint.h. The predicates
// run only when a graph is created, so schoolbook multiplication is fast enough.
#include "bigint.h"

#include <assert.h>
#include <math.h>

lmb_bigint lmb_bigint_from(float x, int exponent) {
    int own;
    const double mantissa = frexp(fabs((double)x), &own); // 24 bits
    const int shift = own - 24 - exponent;
    const uint64_t whole = (uint64_t)ldexp(mantissa, 24 + (shift < 0 ? shift : 0));
    const uint32_t up = shift < 0 ? 0 : (uint32_t)shift;
    lmb_bigint result = {{0}};
    assert(whole == 0 || up + 24 <= 128);
    if (whole != 0) {
        result.limbs[up / 32] = (uint32_t)(whole << up % 32);
        result.limbs[up / 32 + 1] = (uint32_t)(whole << up % 32 >> 32);
    }
    const lmb_bigint zero = {{0}};
    return x < 0.0f ? lmb_bigint_subtract(&zero, &result) : result;
}

lmb_bigint lmb_bigint_add(const lmb_bigint *a, const lmb_bigint *b) {
    lmb_bigint sum;
    uint64_t carry = 0;
    for (uint32_t i = 0; i < LMB_BIGINT_LIMBS; i++) {
        carry += (uint64_t)a->limbs[i] + b->limbs[i];
        sum.limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return sum;
}

lmb_bigint lmb_bigint_subtract(const lmb_bigint *a, const lmb_bigint *b) {
    lmb_bigint difference;
    uint64_t carry = 1; // a - b is a + ~b + 1
    for (uint32_t i = 0; i < LMB_BIGINT_LIMBS; i++) {
        carry += (uint64_t)a->limbs[i] + (uint32_t)~b->limbs[i];
        difference.limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return difference;
}

// Modulo 2^448 the product is the same for signed and unsigned integers.
lmb_bigint lmb_bigint_multiply(const lmb_bigint *a, const lmb_bigint *b) {
    lmb_bigint product = {{0}};
    for (uint32_t i = 0; i < LMB_BIGINT_LIMBS; i++) {
        uint64_t carry = 0;
        for (uint32_t k = 0; i + k < LMB_BIGINT_LIMBS && a->limbs[i] != 0; k++) {
            carry += (uint64_t)a->limbs[i] * b->limbs[k] + product.limbs[i + k];
            product.limbs[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return product;
}

int lmb_bigint_sign(const lmb_bigint *a) {
    uint32_t any = 0;
    for (uint32_t i = 0; i < LMB_BIGINT_LIMBS; i++) {
        any |= a->limbs[i];
    }
    return any == 0 ? 0 : a->limbs[LMB_BIGINT_LIMBS - 1] >> 31 != 0 ? -1 : 1;
}
