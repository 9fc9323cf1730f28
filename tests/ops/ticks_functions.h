// The 64-bit integer functions of shaders/ops, in both forms, over the 64-bit integers of C.
#ifndef LIMBER_TESTS_OPS_TICKS_FUNCTIONS_H
#define LIMBER_TESTS_OPS_TICKS_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ticks_functions {
    uint64_t (*store_and_load)(uint64_t a); // through memory, and through its two words
    bool (*none)(uint64_t a);
    bool (*same)(uint64_t a, uint64_t b);
    bool (*less)(uint64_t a, uint64_t b);
    uint64_t (*add)(uint64_t a, uint64_t b);
    uint64_t (*subtract)(uint64_t a, uint64_t b);
    uint64_t (*multiply)(uint32_t a, uint32_t b);
    uint64_t (*scale)(uint64_t a, uint32_t factor);
    uint64_t (*part)(uint64_t a, uint32_t share);
    uint32_t (*share)(uint64_t a, uint64_t b);
    uint32_t (*divide)(uint64_t a, uint64_t b, uint64_t *rest);
    uint64_t (*fine)(uint64_t a);
    float (*real)(uint64_t a);
    uint64_t (*distance)(uint64_t time, uint32_t rate);
    uint64_t (*time)(uint64_t fine, uint32_t rate);
    uint64_t (*pass)(uint64_t fine, uint32_t rate);
} ticks_functions;

extern const ticks_functions ticks_of_words, ticks_of_the_compiler;

// The same functions of a and b in the lanes of vectors.
enum { TICKS_LANES = 4 };
typedef struct ticks_lanes {
    uint64_t a[TICKS_LANES], b[TICKS_LANES]; // b is not 0
    uint64_t sum[TICKS_LANES], difference[TICKS_LANES], scaled[TICKS_LANES], part[TICKS_LANES], rest[TICKS_LANES];
    uint32_t times[TICKS_LANES], share[TICKS_LANES];
    float real[TICKS_LANES];
    bool less[TICKS_LANES];
} ticks_lanes;

void ticks_of_lanes(ticks_lanes *lanes);

#endif
