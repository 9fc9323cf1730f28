// Ticks as the compiler's 64-bit integers. All results are exact, and so equal to those of ticks_words.h, which
// documents these functions.
#ifndef LMB_OPS_TICKS_WIDE_H
#define LMB_OPS_TICKS_WIDE_H

#include "ticks_parts.h"

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

// If a float can represent the upper word, only the sum is rounded in ticks_words.h, so a single conversion is equal.
OP real real_of_fine(ticks a) {
    if (a >> 56u != 0u) {
        real upper = real_of_word((uint)(a >> 32u)) * 65536.0f;
        return upper + TO_REAL((uint)a >> FINE_BITS);
    }
    return TO_REAL((int64_t)(a >> FINE_BITS));
}

#endif
