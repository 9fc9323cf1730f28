// What instructions of RDNA 2 compute: of a lane, and of a wave.
#ifndef LIMBER_BENCH_RADV_RDNA_OPERATIONS_H
#define LIMBER_BENCH_RADV_RDNA_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lane_operation {
    const char *name;
    uint32_t (*run)(uint32_t a, uint32_t b, uint32_t c);
    uint32_t cycles; // of a SIMD for half a wave
} lane_operation;

typedef enum scc_rule {
    SCC_KEPT,
    SCC_NONZERO,
    SCC_CARRY, // bit 32 of the result, or an overflow of a signed one
    SCC_FIRST, // whether the result is the first source
    SCC_RESULT // the result goes there alone
} scc_rule;

// Sources are as wide as the instruction's type says, signed ones sign-extended.
typedef struct scalar_operation {
    const char *name; // without its type
    uint64_t (*run)(uint64_t a, uint64_t b, uint32_t bits, bool carry);
    scc_rule scc;
} scalar_operation;

// By names; NULL where there is none. The first `length` characters are the scalar operation's.
const lane_operation *find_lane_operation(const char *name);
const scalar_operation *find_scalar_operation(const char *name, uint32_t length);

typedef enum compare_type { COMPARE_F32, COMPARE_I32, COMPARE_U32 } compare_type;

// "lt" and so on, and of floats "nlt", which a NaN makes true, "o" and "u".
typedef struct compare_operation {
    compare_type type;
    bool less;
    bool equal;
    bool greater;
    bool unordered;
} compare_operation;

// "lt_f32"; false where it is not known.
bool find_compare(const char *name, compare_operation *operation);
bool compare(compare_operation operation, uint32_t a, uint32_t b);

// A float's result times a power of two, as an instruction's modifier has it.
uint32_t scale_float(uint32_t bits, float factor);

#endif
