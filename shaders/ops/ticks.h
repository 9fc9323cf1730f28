// Time as 64-bit integers, whose sums, products and quotients are exact on every device. Only control code uses them.
//
// There are two implementations: two words, for GPUs, which may lack 64-bit integers, for vectors, and for compilers
// without 128-bit integers; and the compiler's 64-bit integers. All results are exact, and so they are equal.
#ifndef LMB_OPS_TICKS_H
#define LMB_OPS_TICKS_H

#include "number.h"

// Positions in clips, fades and the like count 2^-16 of a tick (fine ticks).
#define FINE_BITS 16u

// Converts a word to float, rounded once. A GPU may convert words that a float cannot represent otherwise than the CPU,
// and vectors convert signed integers, so these convert a word in halves.
OP real real_of_word(word a) {
#if defined(LMB_GLSL) || defined(LMB_SIMD_WIDTH)
    real upper = TO_REAL(a >> 16u) * 65536.0f;
    return upper + TO_REAL(a & 0xffffu);
#else
    return TO_REAL(a);
#endif
}

// A test defines LMB_TICKS_IN_WORDS, to compare both.
#if !defined(LMB_TICKS_IN_WORDS) && (defined(LMB_GLSL) || !defined(__SIZEOF_INT128__) || defined(LMB_SIMD_WIDTH))
#define LMB_TICKS_IN_WORDS
#endif
#ifdef LMB_TICKS_IN_WORDS

STRUCT(ticks)
word low;
word high;
END_STRUCT(ticks)

OP ticks make_ticks(word low, word high) {
    ticks t;
    t.low = low;
    t.high = high;
    return t;
}

OP ticks load_ticks(memory base, address index) {
    return make_ticks(ALL_WORD(LOAD(base, index)), ALL_WORD(LOAD(base, index + 1u)));
}

#ifndef LMB_SIMD_WIDTH
OP void store_ticks(mutable_memory base, address index, ticks a) {
    STORE(base, index, a.low);
    STORE(base, index + 1u, a.high);
}
#endif

OP word ticks_low(ticks a) {
    return a.low;
}

OP word ticks_high(ticks a) {
    return a.high;
}

OP lane_mask no_ticks(ticks a) {
    return (a.low | a.high) == 0u;
}

OP lane_mask same_ticks(ticks a, ticks b) {
    return AND(a.low == b.low, a.high == b.high);
}

OP lane_mask ticks_less(ticks a, ticks b) {
    return OR(a.high < b.high, AND(a.high == b.high, a.low < b.low));
}

OP ticks add_ticks(ticks a, ticks b) {
    word low = a.low + b.low;
    word carry = SELECT_BITS(low < a.low, ALL_WORD(1u));
    return make_ticks(low, a.high + b.high + carry);
}

OP ticks subtract_ticks(ticks a, ticks b) {
    word borrow = SELECT_BITS(a.low < b.low, ALL_WORD(1u));
    return make_ticks(a.low - b.low, a.high - b.high - borrow);
}

OP ticks multiply_words(word a, word b) {
    word a_low = a & 0xffffu;
    word b_low = b & 0xffffu;
    word a_high = a >> 16u;
    word b_high = b >> 16u;
    word first = a_low * b_low;
    word second = a_high * b_low + (first >> 16u);
    word third = a_low * b_high + (second & 0xffffu);
    return make_ticks((third << 16u) | (first & 0xffffu), a_high * b_high + (second >> 16u) + (third >> 16u));
}

// The lower 64 bits.
OP ticks scale_ticks(ticks a, word factor) {
    ticks product = multiply_words(a.low, factor);
    product.high = product.high + a.high * factor;
    return product;
}

// floor(a * share / 2^32), where `share` is a fraction of 1.
OP ticks part_of_ticks(ticks a, word share) {
    ticks lower = multiply_words(a.low, share);
    return add_ticks(multiply_words(a.high, share), make_ticks(lower.high, ALL_WORD(0u)));
}

#ifdef LMB_SIMD_WIDTH
OP uint64_t lane_of_ticks(const ticks *a, int lane) {
    return (uint64_t)LANE(a->high, lane) << 32u | LANE(a->low, lane);
}

// The same as the scalar share_of_ticks(), one lane at a time. The quotient of doubles is off by less than 2^-18, so
// the integer below the estimate is the result or one less.
OP_COLD void share_lanes(const ticks *a, const ticks *b, word *shares) {
    for (int lane = 0; lane < LMB_SIMD_WIDTH; lane++) {
        const uint64_t x = lane_of_ticks(a, lane), y = lane_of_ticks(b, lane);
        const double part = x < y ? (double)(int64_t)x : 0.0; // a quotient of 1 or more may exceed 64 bits
        const double estimate = part * 4294967296.0 / (double)(int64_t)(y | (y == 0)) - 0x1p-16;
        const uint64_t below = estimate > 0.0 ? (uint64_t)(int64_t)estimate : 0u;
        const uint64_t rest = (x << 32u) - below * y;
        LANE(*shares, lane) = x < y ? (uint32_t)(below + (rest >= y)) : 0xffffffffu;
    }
}

OP word share_of_ticks(ticks a, ticks b) {
    word shares;
    share_lanes(&a, &b, &shares);
    return shares;
}

typedef struct ticks_quotient {
    word times;
    ticks rest;
} ticks_quotient;

OP_COLD void divide_lanes(const ticks *b, ticks_quotient *q) {
    for (uint32_t left = lmb_lane_bits(NOT(ticks_less(q->rest, *b))); left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint64_t x = lane_of_ticks(&q->rest, lane), y = lane_of_ticks(b, lane);
        LANE(q->times, lane) = (uint32_t)(x / y);
        LANE(q->rest.low, lane) = (uint32_t)(x % y);
        LANE(q->rest.high, lane) = (uint32_t)(x % y >> 32u);
    }
}

OP ticks_quotient divide_ticks(ticks a, ticks b) {
    ticks_quotient q = {ALL_WORD(0u), a};
    if (ANY(NOT(ticks_less(a, b)))) { // not in most frames
        const ticks divisor = b;
        ticks_quotient apart = q;
        divide_lanes(&divisor, &apart);
        q = apart;
    }
    return q;
}
#else
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
#endif

OP ticks fine_of_ticks(ticks a) {
    return make_ticks(a.low << FINE_BITS, (a.high << FINE_BITS) | (a.low >> (32u - FINE_BITS)));
}

// Whole ticks of fine ticks: the upper part is rounded, then its sum with the lower part.
OP real real_of_fine(ticks a) {
    real upper = real_of_word(a.high) * 65536.0f;
    return upper + TO_REAL(a.low >> FINE_BITS);
}

#else

typedef uint64_t ticks;
__extension__ typedef unsigned __int128 ticks_product;

OP ticks make_ticks(uint low, uint high) {
    return (ticks)high << 32u | low;
}

// Compilers combine the two loads, and the two stores.
OP ticks load_ticks(memory base, address index) {
    memory at = base + index;
    return (ticks)at[1] << 32u | at[0];
}

OP void store_ticks(mutable_memory base, address index, ticks a) {
    mutable_memory at = base + index;
    at[0] = (uint)a;
    at[1] = (uint)(a >> 32u);
}

OP uint ticks_low(ticks a) {
    return (uint)a;
}

OP uint ticks_high(ticks a) {
    return (uint)(a >> 32u);
}

OP bool no_ticks(ticks a) {
    return a == 0u;
}

OP bool same_ticks(ticks a, ticks b) {
    return a == b;
}

OP bool ticks_less(ticks a, ticks b) {
    return a < b;
}

OP ticks add_ticks(ticks a, ticks b) {
    return a + b;
}

OP ticks subtract_ticks(ticks a, ticks b) {
    return a - b;
}

OP ticks multiply_words(uint a, uint b) {
    return (ticks)a * b;
}

OP ticks scale_ticks(ticks a, uint factor) {
    return a * factor;
}

OP ticks part_of_ticks(ticks a, uint share) {
    return (ticks)((ticks_product)a * share >> 32u);
}

OP uint share_of_ticks(ticks a, ticks b) {
    return a < b ? (uint)(((ticks_product)a << 32u) / b) : 0xffffffffu;
}

typedef struct ticks_quotient {
    uint times;
    ticks rest;
} ticks_quotient;

OP ticks_quotient divide_ticks(ticks a, ticks b) {
    ticks_quotient q = {0u, a};
    if (a >= b) { // not in most frames
        q.times = (uint)(a / b);
        q.rest = a % b;
    }
    return q;
}

OP ticks fine_of_ticks(ticks a) {
    return a << FINE_BITS;
}

// If a float can represent the upper word, the version of two words rounds only the sum, so a single conversion is
// equal.
OP real real_of_fine(ticks a) {
    if (a >> 56u != 0u) {
        real upper = real_of_word((uint)(a >> 32u)) * 65536.0f;
        return upper + TO_REAL((uint)a >> FINE_BITS);
    }
    return TO_REAL((int64_t)(a >> FINE_BITS));
}

#endif

OP ticks select_ticks(lane_mask condition, ticks yes, ticks no) {
#ifdef LMB_TICKS_IN_WORDS
    return make_ticks(SELECT(condition, yes.low, no.low), SELECT(condition, yes.high, no.high));
#else
    return SELECT(condition, yes, no);
#endif
}

// Converts a number that is at least 0 and below 2^32. The fraction is cut off.
OP word word_of_real(real x) {
#ifdef LMB_SIMD_WIDTH
    real upper = FLOOR(x * 1.52587891e-05f); // 2^-16
    return (TO_WORD(upper) << 16u) + TO_WORD(x - upper * 65536.0f);
#else
    return TO_WORD(x);
#endif
}

// The time in the clip at a ping-pong position: from 0 to twice the duration, there and back.
OP ticks turned_time(ticks place, ticks duration) {
    return select_ticks(ticks_less(place, duration), place, subtract_ticks(add_ticks(duration, duration), place));
}

// A move of a position: from, to, and how many times it passed an end.
STRUCT(passage)
ticks from;
ticks to;
word ends;
lane_mask backwards;
END_STRUCT(passage)

// Moves a position by a distance, wrapping at the length `around`, which is the same for all lanes.
OP passage move_around(ticks from, ticks by, ticks around, lane_mask backwards) {
    passage p;
    p.from = from;
    p.to = from;
    p.ends = ALL_WORD(0u);
    p.backwards = backwards;
    if (!ANY(NOT(no_ticks(around)))) {
        return p;
    }
    // Backwards and not beyond the beginning, nothing is divided.
    lane_mask within = AND(backwards, NOT(ticks_less(from, by)));
    ticks none = make_ticks(ALL_WORD(0u), ALL_WORD(0u));
    ticks_quotient q = divide_ticks(
        select_ticks(backwards, select_ticks(within, none, subtract_ticks(by, from)), add_ticks(from, by)), around);
    lane_mask before_end = AND(backwards, NOT(no_ticks(q.rest)));
    p.ends = q.times + SELECT_BITS(before_end, ALL_WORD(1u));
    p.to = select_ticks(before_end, subtract_ticks(around, q.rest), q.rest);
    p.to = select_ticks(within, subtract_ticks(from, by), p.to);
    return p;
}

OP ticks ticks_of_fine(ticks a) {
    word high = ticks_high(a);
    return make_ticks((ticks_low(a) >> FINE_BITS) | (high << (32u - FINE_BITS)), high >> FINE_BITS);
}

#ifndef LMB_SIMD_WIDTH
// The number of ticks, rounded up, that a fine distance takes at a rate in units of 2^-16. The rate must be above 0. If
// the result were 2^48 or more, returns the maximum.
OP ticks ticks_at_rate(ticks fine, uint rate) {
    if ((rate >> FINE_BITS) == 0u && ticks_high(fine) >= rate << FINE_BITS) {
        return make_ticks(0xffffffffu, 0xffffffffu);
    }
    ticks_quotient upper = divide_ticks(fine, make_ticks(rate << FINE_BITS, rate >> (32u - FINE_BITS)));
    ticks_quotient lower = divide_ticks(upper.rest, make_ticks(rate, 0u));
    ticks found = make_ticks(upper.times << FINE_BITS, upper.times >> (32u - FINE_BITS));
    return add_ticks(found, make_ticks(lower.times + (no_ticks(lower.rest) ? 0u : 1u), 0u));
}

// The number of ticks, rounded up, that a fine distance takes at a rate in units of 2^-16, from 1 to 2^22.
OP ticks ticks_to_pass(ticks fine, uint rate) {
#ifdef LMB_TICKS_IN_WORDS
    // A long division by eight bits at a time: the remainder is below 2^22, so that a word holds it with the next ones.
    ticks left = fine;
    ticks time = make_ticks(0u, 0u);
    uint rest = 0u;
    for (uint i = 0u; i < 8u; i++) {
        rest = (rest << 8u) | (left.high >> 24u);
        left = make_ticks(left.low << 8u, (left.high << 8u) | (left.low >> 24u));
        uint quotient = rest / rate;
        time = make_ticks((time.low << 8u) | quotient, (time.high << 8u) | (time.low >> 24u));
        rest = rest - quotient * rate;
    }
    return add_ticks(time, make_ticks(rest > 0u ? 1u : 0u, 0u));
#else
    return fine / rate + (fine % rate > 0u ? 1u : 0u);
#endif
}

// A time within a step, in units of 2^-24 tick. At most 2^64 of them are 1,558 s.
OP ticks time_of_ticks(ticks a) {
    return scale_ticks(a, 1u << 24u);
}

// The fine distance, rounded down, that a time takes a position at a rate in units of 2^-24.
OP ticks distance_at_rate(ticks time, uint rate) {
    return part_of_ticks(time, rate);
}

// The time, rounded up, that a fine distance takes at such a rate, which must be from 1 to 2^30. A long division of 96
// bits by two at a time: the remainder is below 2^30, so that a word holds it with the next two.
OP ticks time_at_rate(ticks fine, uint rate) {
    ticks left = fine;
    ticks time = make_ticks(0u, 0u);
    uint rest = 0u;
    for (uint i = 0u; i < 48u; i++) {
        rest = (rest << 2u) | (ticks_high(left) >> 30u);
        left = scale_ticks(left, 4u);
        time = add_ticks(scale_ticks(time, 4u), make_ticks(rest / rate, 0u));
        rest = rest % rate;
    }
    return add_ticks(time, make_ticks(rest > 0u ? 1u : 0u, 0u));
}
#endif

// Converts fine ticks to a float in units of 2^24, which is below 2^40, with a relative error of at most 3e-7.
OP real real_of_distance(ticks fine) {
    return real_of_word(ticks_high(fine)) * 256.0f + real_of_word(ticks_low(fine)) * 5.96046448e-08f;
}

// Converts to seconds, with a relative error of at most 3e-7.
OP real seconds_of_fine(ticks fine) {
    return real_of_fine(fine) * 1.41723355e-09f;
}

#endif
