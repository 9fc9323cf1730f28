#include "bigint.h"

#include <assert.h>
#include <math.h>

static void trim(lmb_bigint *a) {
    while (a->count > 0 && a->limbs[a->count - 1] == 0) {
        a->count--;
    }
}

lmb_bigint lmb_bigint_from(float x, int exponent) {
    int own;
    const double mantissa = frexp(fabs((double)x), &own); // 24 bits
    lmb_bigint result = {.negative = x < 0.0f};
    const int shift = own - 24 - exponent;
    uint64_t whole = (uint64_t)ldexp(mantissa, 24 + (shift < 0 ? shift : 0));
    const uint32_t up = shift < 0 ? 0 : (uint32_t)shift;
    assert(whole == 0 || up + 24 <= 128);
    if (whole != 0) {
        whole <<= up % 32;
        result.limbs[up / 32] = (uint32_t)whole;
        result.limbs[up / 32 + 1] = (uint32_t)(whole >> 32);
        result.count = up / 32 + 2;
    }
    trim(&result);
    return result;
}

lmb_bigint lmb_bigint_negate(lmb_bigint a) {
    a.negative = !a.negative;
    return a;
}

static uint32_t limb(const lmb_bigint *a, uint32_t index) {
    return index < a->count ? a->limbs[index] : 0;
}

static bool is_below(const lmb_bigint *a, const lmb_bigint *b) {
    for (uint32_t i = a->count > b->count ? a->count : b->count; i-- > 0;) {
        if (limb(a, i) != limb(b, i)) {
            return limb(a, i) < limb(b, i);
        }
    }
    return false;
}

static lmb_bigint add_magnitudes(const lmb_bigint *a, const lmb_bigint *b) {
    lmb_bigint sum = {.negative = a->negative};
    uint64_t carry = 0;
    for (uint32_t i = 0; i < a->count || i < b->count || carry != 0; i++) {
        assert(i < LMB_WIDE_LIMBS);
        carry += (uint64_t)limb(a, i) + limb(b, i);
        sum.limbs[i] = (uint32_t)carry;
        sum.count = i + 1;
        carry >>= 32;
    }
    return sum;
}

// |a| must be at least |b|.
static lmb_bigint subtract_magnitudes(const lmb_bigint *a, const lmb_bigint *b) {
    lmb_bigint difference = {.negative = a->negative, .count = a->count};
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const uint64_t taken = (uint64_t)limb(b, i) + borrow;
        borrow = a->limbs[i] < taken;
        difference.limbs[i] = (uint32_t)(a->limbs[i] + (borrow << 32) - taken);
    }
    trim(&difference);
    return difference;
}

lmb_bigint lmb_bigint_add(const lmb_bigint *a, const lmb_bigint *b) {
    if (a->negative == b->negative) {
        return add_magnitudes(a, b);
    }
    return is_below(a, b) ? subtract_magnitudes(b, a) : subtract_magnitudes(a, b);
}

lmb_bigint lmb_bigint_subtract(const lmb_bigint *a, const lmb_bigint *b) {
    const lmb_bigint negated = lmb_bigint_negate(*b);
    return lmb_bigint_add(a, &negated);
}

lmb_bigint lmb_bigint_multiply(const lmb_bigint *a, const lmb_bigint *b) {
    lmb_bigint product = {.negative = a->negative != b->negative, .count = a->count + b->count};
    if (a->count == 0 || b->count == 0) {
        product.count = 0;
        return product;
    }
    assert(product.count <= LMB_WIDE_LIMBS);
    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t carry = 0;
        for (uint32_t k = 0; k < b->count; k++) {
            carry += (uint64_t)a->limbs[i] * b->limbs[k] + product.limbs[i + k];
            product.limbs[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
        product.limbs[i + b->count] = (uint32_t)carry;
    }
    trim(&product);
    return product;
}

int lmb_bigint_sign(const lmb_bigint *a) {
    return a->count == 0 ? 0 : a->negative ? -1 : 1;
}
