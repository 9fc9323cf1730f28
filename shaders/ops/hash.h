// The steps of lmb_hash_words(); control.h has the formula. C and kernels share them.
#ifndef LMB_OPS_HASH_H
#define LMB_OPS_HASH_H

#include "language.h"

#define HASH_LANES 8u
#define HASH_BLOCK 16u // words that a step of all lanes takes
#define HASH_BEGIN 0x9e3779b9u

// A lane is a pair (a, b), and takes two words (x, y): a = HASH_FIRST(a, b, x), and then b = HASH_SECOND(a, b, y).
// Macros, so that they also take vectors of lanes.
#define HASH_ROTATE(x, count) ((x) << (count) | (x) >> (32u - (count)))
#define HASH_FIRST(a, b, x) (HASH_ROTATE((a) + (x), 13u) ^ (b))
#define HASH_SECOND(a, b, y) (HASH_ROTATE((b) + (y), 19u) + (a))

// Spreads every bit over all, as the last steps of MurmurHash3 do.
OP uint hash_spread(uint x) {
    x = (x ^ x >> 16u) * 0x85ebca6bu;
    x = (x ^ x >> 13u) * 0xc2b2ae35u;
    return x ^ x >> 16u;
}

// The seed of a draw: of a character's index or of what a host gives, and of the draw's index.
OP uint draw_seed(uint seed, uint index) {
    return hash_spread((seed + 1u) * HASH_BEGIN + index);
}

#endif
