// Ticks as two words: for GPUs, which may lack 64-bit integers, and for compilers without 128-bit integers.
// ticks_wide.h gives the same results.
#ifndef LMB_OPS_TICKS_WORDS_H
#define LMB_OPS_TICKS_WORDS_H

#include "ticks_parts.h"

STRUCT(ticks)
uint low;
uint high;
END_STRUCT(ticks)

OP ticks make_ticks(uint low, uint high) {
    ticks t;
    t.low = low;
    t.high = high;
    return t;
}

OP ticks load_ticks(memory base, address index) {
    return make_ticks(LOAD(base, index), LOAD(base, index + 1u));
}

OP void store_ticks(mutable_memory base, address index, ticks a) {
    STORE(base, index, a.low);
    STORE(base, index + 1u, a.high);
}

OP uint ticks_low(ticks a) {
    return a.low;
}

OP uint ticks_high(ticks a) {
    return a.high;
}

OP bool no_ticks(ticks a) {
    return (a.low | a.high) == 0u;
}

OP bool same_ticks(ticks a, ticks b) {
    return a.low == b.low && a.high == b.high;
}

OP bool ticks_less(ticks a, ticks b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

OP ticks add_ticks(ticks a, ticks b) {
    uint low = a.low + b.low;
    uint carry = low < a.low ? 1u : 0u;
    return make_ticks(low, a.high + b.high + carry);
}

OP ticks subtract_ticks(ticks a, ticks b) {
    uint borrow = a.low < b.low ? 1u : 0u;
    return make_ticks(a.low - b.low, a.high - b.high - borrow);
}

OP ticks multiply_words(uint a, uint b) {
    uint a_low = a & 0xffffu;
    uint b_low = b & 0xffffu;
    uint a_high = a >> 16u;
    uint b_high = b >> 16u;
    uint first = a_low * b_low;
    uint second = a_high * b_low + (first >> 16u);
    uint third = a_low * b_high + (second & 0xffffu);
    return make_ticks((third << 16u) | (first & 0xffffu), a_high * b_high + (second >> 16u) + (third >> 16u));
}

// The lower 64 bits.
OP ticks scale_ticks(ticks a, uint factor) {
    ticks product = multiply_words(a.low, factor);
    product.high = product.high + a.high * factor;
    return product;
}

// floor(a * share / 2^32), where `share` is a fraction of 1.
OP ticks part_of_ticks(ticks a, uint share) {
    ticks lower = multiply_words(a.low, share);
    return add_ticks(multiply_words(a.high, share), make_ticks(lower.high, 0u));
}

// floor(2^32 a / b) for a < b < 2^63; 2^32 - 1 for a = b.
OP uint share_of_ticks(ticks a, ticks b) {
    uint share = 0u;
    ticks rest = a;
    for (uint i = 0u; i < 32u; i++) {
        rest = add_ticks(rest, rest);
        share = share << 1u;
        if (!ticks_less(rest, b)) {
            rest = subtract_ticks(rest, b);
            share = share | 1u;
        }
    }
    return share;
}

STRUCT(ticks_quotient)
uint times; // the lower 32 bits
ticks rest;
END_STRUCT(ticks_quotient)

// Divides a by b, for b > 0.
OP ticks_quotient divide_ticks(ticks a, ticks b) {
    ticks_quotient q;
    q.times = 0u;
    q.rest = a;
    // Doubles b while it is at most a: in nearly every frame never or once. Doubling it beyond a could overflow 64
    // bits.
    uint places = ticks_less(a, b) ? 0u : 1u;
    ticks scaled = b;
    while (places > 0u && !ticks_less(subtract_ticks(a, scaled), scaled)) {
        scaled = add_ticks(scaled, scaled);
        places++;
    }
    for (; places > 0u; places--) {
        q.times = q.times << 1u;
        if (!ticks_less(q.rest, scaled)) {
            q.rest = subtract_ticks(q.rest, scaled);
            q.times = q.times | 1u;
        }
        scaled = make_ticks((scaled.low >> 1u) | (scaled.high << 31u), scaled.high >> 1u);
    }
    return q;
}

OP ticks fine_of_ticks(ticks a) {
    return make_ticks(a.low << FINE_BITS, (a.high << FINE_BITS) | (a.low >> (32u - FINE_BITS)));
}

// Whole ticks of fine ticks: the upper part is rounded, then its sum with the lower part.
OP real real_of_fine(ticks a) {
    real upper = real_of_word(a.high) * 65536.0f;
    return upper + TO_REAL(a.low >> FINE_BITS);
}

#endif
