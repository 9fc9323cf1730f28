// Time as whole numbers of 64 bits, in two words: sums, products and quotients that are exact on every device. Control
// code alone uses these; there is one lane.
#ifndef LMB_OPS_TICKS_H
#define LMB_OPS_TICKS_H

#include "number.h"

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

OP bool no_ticks(ticks a) {
    return (a.low | a.high) == 0u;
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

// floor(a * share / 2^32): the part of a that a share, a fraction of 1, takes.
OP ticks part_of_ticks(ticks a, uint share) {
    ticks lower = multiply_words(a.low, share);
    return add_ticks(multiply_words(a.high, share), make_ticks(lower.high, 0u));
}

// floor(2^32 a / b) for a < b < 2^63.
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

// a over b, for a and b below 2^63 and b > 0.
OP ticks_quotient divide_ticks(ticks a, ticks b) {
    ticks_quotient q;
    q.times = 0u;
    q.rest = a;
    // As many places as it takes to bring b past a: none or one in nearly every frame.
    uint places = 0u;
    ticks scaled = b;
    while (!ticks_less(q.rest, scaled)) {
        scaled = add_ticks(scaled, scaled);
        places++;
    }
    for (; places > 0u; places--) {
        scaled = make_ticks((scaled.low >> 1u) | (scaled.high << 31u), scaled.high >> 1u);
        q.times = q.times << 1u;
        if (!ticks_less(q.rest, scaled)) {
            q.rest = subtract_ticks(q.rest, scaled);
            q.times = q.times | 1u;
        }
    }
    return q;
}

// How a place moved: where to, and how often past an end.
STRUCT(passage)
ticks from;
ticks to;
uint ends;
bool backwards;
END_STRUCT(passage)

// Around a length, by a distance.
OP passage move_around(ticks from, ticks by, ticks around, bool backwards) {
    passage p;
    p.from = from;
    p.to = from;
    p.ends = 0u;
    p.backwards = backwards;
    if (no_ticks(around)) {
        return p;
    }
    if (!backwards) {
        ticks_quotient q = divide_ticks(add_ticks(from, by), around);
        p.to = q.rest;
        p.ends = q.times;
    } else if (!ticks_less(from, by)) {
        p.to = subtract_ticks(from, by);
    } else {
        ticks_quotient q = divide_ticks(subtract_ticks(by, from), around);
        p.ends = q.times + (no_ticks(q.rest) ? 0u : 1u);
        p.to = no_ticks(q.rest) ? q.rest : subtract_ticks(around, q.rest);
    }
    return p;
}

// Places within clips, fades and the like count 2^-16 of a tick.
#define FINE_BITS 16u

OP ticks fine_of_ticks(ticks a) {
    return make_ticks(a.low << FINE_BITS, (a.high << FINE_BITS) | (a.low >> (32u - FINE_BITS)));
}

OP ticks ticks_of_fine(ticks a) {
    return make_ticks((a.low >> FINE_BITS) | (a.high << (32u - FINE_BITS)), a.high >> FINE_BITS);
}

// Seconds, within 3e-7, relative: from pieces that a float holds, summed from the greatest on.
OP real seconds_of_fine(ticks fine) {
    ticks a = ticks_of_fine(fine);
    real upper = TO_REAL(a.high & 0xffffu) * 65536.0f + TO_REAL(a.low >> 16u);
    real whole = upper * 65536.0f;
    whole = whole + TO_REAL(a.low & 0xffffu);
    return whole * 1.41723355e-09f;
}

#endif
