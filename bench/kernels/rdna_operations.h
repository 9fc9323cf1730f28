// The operations of RDNA 2 instructions, per lane and per wave.
#ifndef LIMBER_BENCH_KERNELS_RDNA_OPERATIONS_H
#define LIMBER_BENCH_KERNELS_RDNA_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lane_operation {
    const char *name;
    uint32_t (*run)(uint32_t a, uint32_t b, uint32_t c);
    uint32_t cycles; // of a SIMD per half wave
} lane_operation;

typedef enum scc_rule {
    SCC_KEPT,
    SCC_NONZERO,
    SCC_CARRY, // bit 32 of the result, or a signed overflow
    SCC_FIRST, // whether the result equals the first source
    SCC_RESULT // the result is written only to SCC
} scc_rule;

// Sources have the width of the instruction's type; signed ones are sign-extended.
typedef struct scalar_operation {
    const char *name; // without the type
    uint64_t (*run)(uint64_t a, uint64_t b, uint32_t bits, bool carry);
    scc_rule scc;
} scalar_operation;

// Find an operation by name; NULL if there is none. A scalar operation's name has `length` characters.
const lane_operation *find_lane_operation(const char *name);
const scalar_operation *find_scalar_operation(const char *name, uint32_t length);

typedef enum compare_type { COMPARE_F32, COMPARE_I32, COMPARE_U32 } compare_type;

// "lt" and so on; for floats also "o", "u" and names such as "nlt", which are true for NaN.
typedef struct compare_operation {
    compare_type type;
    bool less;
    bool equal;
    bool greater;
    bool unordered;
} compare_operation;

// Finds a comparison such as "lt_f32"; returns false if it is unknown.
bool find_compare(const char *name, compare_operation *operation);
bool compare(compare_operation operation, uint32_t a, uint32_t b);

// Returns a float times a power of two, for the instruction modifiers "mul" and "div".
uint32_t scale_float(uint32_t bits, float factor);

#endif
