// The steps of lmb_control_hash(); control.h has the formula. Whole numbers, so no lane of SIMD code takes part.
#ifndef LMB_OPS_HASH_H
#define LMB_OPS_HASH_H

#include "language.h"

#define HASH_LANES 8u
#define HASH_BLOCK 16u // words that a step of all lanes takes
#define HASH_BEGIN 0x9e3779b9u

OP uint hash_rotate(uint x, uint count) {
    return x << count | x >> (32u - count);
}

// A lane is a pair (a, b), and takes two words (x, y): a = hash_first(a, b, x), and then b = hash_second(a, b, y).
OP uint hash_first(uint a, uint b, uint x) {
    return hash_rotate(a + x, 13u) ^ b;
}

OP uint hash_second(uint a, uint b, uint y) {
    return hash_rotate(b + y, 19u) + a;
}

// Spreads every bit over all, as the last steps of MurmurHash3 do.
OP uint hash_spread(uint x) {
    x = (x ^ x >> 16u) * 0x85ebca6bu;
    x = (x ^ x >> 13u) * 0xc2b2ae35u;
    return x ^ x >> 16u;
}

#endif
