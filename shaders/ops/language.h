// What differs between the compilers of these files: names for types, memory and selection.
//
// Everything in this folder is compiled as GLSL (LMB_GLSL is defined), as scalar C, and as C over vectors of LMB_SIMD_WIDTH
// characters (defined as their number). `real` and `word` are values of each lane: a float and its like-sized unsigned
// integer; `truth` is what comparing them gives. `float`, `uint` and `bool` are the same for all lanes: a joint, a clip, an
// offset. In GLSL and scalar C there is one lane, so the two kinds are one. A select evaluates both sides.
#ifndef LMB_OPS_LANGUAGE_H
#define LMB_OPS_LANGUAGE_H

#ifdef LMB_GLSL

#define OP
#define OP_NOINLINE
#define STRUCT(name) struct name {
#define END_STRUCT(name)                                                                                               \
    }                                                                                                                  \
    ;
#define real float
#define word uint
#define lane_mask bool
#define BITS(x) floatBitsToUint(x)
#define REAL(bits) uintBitsToFloat(bits)
#define TO_REAL(integer) float(integer)
#define TO_WORD(x) uint(x)
#define FLOAT_OF(integer) float(integer) // of one for all lanes
#define FLOOR(x) floor(x)
#define MINIMUM(a, b) ((a) < (b) ? (a) : (b))
#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define UNUSED(x)

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words {
    uint at[];
};
#define memory Words
#define mutable_memory Words
#define address uint
#define LOAD(base, index) (base).at[index]
#define STORE(base, index, value) (base).at[index] = (value)

// Whether a program can meet a cubic spline, a scale other than 1, keys far apart, a packed clip, joints' weights other
// than 255, parts, levels of detail, matrices at its end, or inertialization: where it cannot, a pipeline leaves that
// work out, which changes no bit.
layout(constant_id = 0) const bool USES_CUBIC = true;
layout(constant_id = 1) const bool USES_SCALE = true;
layout(constant_id = 2) const bool USES_FAR = true;
layout(constant_id = 8) const bool USES_WEIGHTS = true;
layout(constant_id = 9) const bool USES_PARTS = true;
layout(constant_id = 10) const bool USES_LOD = true;
layout(constant_id = 11) const bool USES_MATRICES = true;
// Layers, or blend spaces in the plane: the longest rules of weights.
layout(constant_id = 14) const bool USES_SPACES = true;
// More than one pass.
layout(constant_id = 15) const bool USES_EXCHANGES = true;
// Machines whose transitions have blend profiles.
layout(constant_id = 16) const bool USES_PROFILES = true;
// Poses that a program may hold at once.
layout(constant_id = 12) const uint MOST_POSES = 1u;
#ifdef LMB_PLAIN
// Not every driver removes what a specialisation constant closes, and these are the longest of it.
#define USES_PACKED false
#define USES_INERTIA false
#else
layout(constant_id = 3) const bool USES_PACKED = true;
layout(constant_id = 13) const bool USES_INERTIA = true;
#endif

#else

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define STRUCT(name) typedef struct name {
#define END_STRUCT(name)                                                                                               \
    }                                                                                                                  \
    name;
#define UNUSED(x) (void)(x)
#define FLOAT_OF(integer) ((float)(integer))
#define USES_SPACES true // once for a character: not worth leaving out
typedef uint32_t uint;
typedef const uint32_t *memory;
typedef uint32_t *mutable_memory;
// An index into memory, as wide as what it is added to, so that there is nothing to be widened.
typedef uintptr_t address;
#define LOAD(base, index) (base)[index]
#define STORE(base, index, value) (base)[index] = (value)
#ifdef LMB_PLAIN
#define USES_CUBIC false
#define USES_SCALE false
#define USES_FAR false
#define USES_PACKED false
#define USES_WEIGHTS false
#define USES_PARTS false
#define USES_MATRICES false
#define USES_INERTIA false
#define USES_PROFILES false
#else
#define USES_WEIGHTS true
#define USES_PARTS true
#define USES_MATRICES true
#define USES_INERTIA true
#define USES_PROFILES true
#define USES_CUBIC true
#define USES_SCALE true
#define USES_FAR true
#define USES_PACKED true
#endif

static inline float lmb_float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#ifdef LMB_SIMD_WIDTH
#include "simd.h"
#else

// Where functions are many and small, and what they are given is large, a compiler is reported to put them into one.
#ifdef LMB_INLINE_OPS
#define OP static inline LMB_INLINE_OPS
#else
#define OP static inline
#endif
// What few values come to, or few frames, stands apart, so that it is not between what always runs.
#ifdef __GNUC__
#define OP_NOINLINE static __attribute__((noinline, unused))
#else
#define OP_NOINLINE OP
#endif
// The same where all else is inlined.
#ifdef LMB_INLINE_OPS
#define OP_COLD OP_NOINLINE
#else
#define OP_COLD OP
#endif
typedef float real;
typedef uint32_t word;
typedef bool lane_mask;

static inline word BITS(real x) {
    word bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// How many lanes there are, and the value of one of them.
#define SIMD_WIDTH 1
#define LANE(x, lane) (x)
#define PREFETCH(address) UNUSED(address) // processors follow one row by themselves

// Counts the lanes in which it holds.
OP uint32_t lmb_count(lane_mask condition) {
    return condition;
}

// Stores a row of four for each lane. In one copy: compilers then vectorise what leads to it.
OP void lmb_store_rows(float *const rows[SIMD_WIDTH], size_t offset, real v0, real v1, real v2, real v3) {
    const float row[] = {v0, v1, v2, v3};
    memcpy(rows[0] + offset, row, sizeof row);
}

#define REAL(bits) lmb_float_of(bits)
#define TO_REAL(integer) ((real)(integer))
#define TO_WORD(x) ((word)(x))
#define FLOOR(x) floorf(x)
#define MINIMUM(a, b) ((a) < (b) ? (a) : (b))
#define LESSER(a, b) ((a) < (b) ? (a) : (b))

#endif
#endif

#ifdef LMB_GLSL
#define LOAD_FLOAT(base, index) REAL(LOAD(base, index))
#else
#define LOAD_FLOAT(base, index) lmb_float_of(LOAD(base, index))
#endif

#ifndef LMB_SIMD_WIDTH
// a > b for integers below 2^31: comparing them as signed is quicker where lanes are vectors.
#define ABOVE(a, b) ((a) > (b))
// A value of every lane from one for all.
#define SPLAT(x) (x)
#define ALL_WORD(integer) (integer)
#define SELECT(condition, yes, no) ((condition) ? (yes) : (no))
// An integer, or 0 where the condition does not hold.
#ifdef LMB_GLSL
#define SELECT_BITS(condition, integer) ((condition) ? (integer) : 0u)
#else
#define SELECT_BITS(condition, integer) ((0u - (word)(condition)) & (integer)) // no branch: nobody could foresee it
#endif
#define OR(a, b) ((a) || (b))
#define AND(a, b) ((a) && (b))
#define NOT(a) (!(a))
// Whether it holds in any lane: guards work that would change no bit where it does not.
#define ANY(condition) (condition)
// The value of some lane in which the condition holds.
#define ALL(condition) (condition)
#define ONE_OF(condition, integer) (integer)
// The least of all lanes.
#define MIN_OF_LANES(x) (x)
// Memory at an index of each lane's own.
#define GATHER(base, index) LOAD(base, index)
#define GATHER_REAL(base, index) LOAD_FLOAT(base, index)
// And where the condition holds, a word into it.
#define SCATTER(base, index, integer, condition)                                                                       \
    if (condition) {                                                                                                   \
        STORE(base, index, integer);                                                                                   \
    }
#endif

#endif
