// Pseudo-random numbers, equal on every machine.
#ifndef LIMBER_BENCH_RANDOM_H
#define LIMBER_BENCH_RANDOM_H

#include <stdint.h>

// Returns 24 bits.
static inline uint32_t random_next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

#endif
