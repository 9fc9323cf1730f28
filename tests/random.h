// Numbers that look random and come out the same everywhere (SplitMix64, Steele, Lea and Flood 2014).
#ifndef LIMBER_TESTS_RANDOM_H
#define LIMBER_TESTS_RANDOM_H

#include <math.h>
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

static inline uint32_t random_below(random_source *source, uint32_t end) {
    return (uint32_t)((random_bits(source) >> 32) * end >> 32);
}

static inline double random_between(random_source *source, double low, double high) {
    return low + (high - low) * (double)(random_bits(source) >> 11) * 0x1p-53;
}

// A unit quaternion, every direction alike.
static inline void random_rotation(random_source *source, float rotation[4]) {
    double q[4], square;
    do {
        square = 0.0;
        for (int i = 0; i < 4; i++) {
            q[i] = random_between(source, -1.0, 1.0);
            square += q[i] * q[i];
        }
    } while (square > 1.0 || square < 0.01);
    for (int i = 0; i < 4; i++) {
        rotation[i] = (float)(q[i] / sqrt(square));
    }
}

#endif
