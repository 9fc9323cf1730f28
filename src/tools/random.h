// Pseudo-random numbers that are the same on every machine: SplitMix64, after G. Steele, D. Lea and C. Flood, "Fast
// Splittable Pseudorandom Number Generators", OOPSLA 2014.
#ifndef LIMBER_SRC_TOOLS_RANDOM_H
#define LIMBER_SRC_TOOLS_RANDOM_H

#include <stdint.h>

typedef struct random_source {
    uint64_t state;
} random_source;

static inline uint64_t random_bits(random_source *source) {
    uint64_t z = source->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Returns a separate source for each pair of numbers, so that draws for one purpose do not shift those for another.
static inline random_source random_branch(uint64_t seed, uint64_t branch) {
    random_source source = {seed};
    source.state = random_bits(&source) ^ branch;
    source.state = random_bits(&source);
    return source;
}

// Returns a number in [0, end). `end` must be at least 1, and small.
static inline uint32_t random_below(random_source *source, uint32_t end) {
    return (uint32_t)((random_bits(source) >> 32) * end >> 32);
}

static inline double random_between(random_source *source, double low, double high) {
    return low + (high - low) * (double)(random_bits(source) >> 11) * 0x1p-53;
}

// Returns a number in [0, 1) that depends only on a member of a crowd and a purpose.
static inline float random_chance(uint32_t member, uint32_t purpose) {
    uint32_t word = member * 747796405u + purpose * 2891336453u + 277803737u;
    for (int i = 0; i < 2; i++) {
        word = (word ^ word >> 16) * 0x7feb352du;
        word = (word ^ word >> 15) * 0x846ca68bu;
    }
    return (float)((word ^ word >> 16) >> 8) / 16777216.0f;
}

#endif
