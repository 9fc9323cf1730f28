// Portability layer: names for types, memory access and selection in each of the three target languages.
//
// Every file in this folder is compiled as GLSL (LMB_GLSL is defined), as scalar C, and as SIMD C over vectors of
// LMB_SIMD_WIDTH characters (defined as the vector width). `real` and `word` have one value per lane: a float and an
// unsigned integer of the same size. `lane_mask` is the result of comparing them. `float`, `uint` and `bool` have one
// value for all lanes, for example a joint, a clip or an offset. GLSL and scalar C have a single lane, so there both
// kinds of types are the same. A select evaluates both sides.
#ifndef LMB_OPS_LANGUAGE_H
#define LMB_OPS_LANGUAGE_H

#include "record.h"

#ifdef LMB_GLSL

#define OP
#define OP_NOINLINE
#define OP_COLD
#define OP_SHARED
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
#define FLOAT_OF(integer) float(integer) // from an integer that is the same for all lanes
#define FLOOR(x) floor(x)
#define MINIMUM(a, b) ((a) < (b) ? (a) : (b))
#define LESSER(a, b) min(a, b) // for numbers that are not both 0
#define GREATER(a, b) ((a) < (b) ? (b) : (a))
#define UNUSED(x)

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words {
    uint at[];
};
// Memory that no invocation writes while the kernel runs.
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer ReadWords {
    uint at[];
};
#define memory ReadWords
#define parameter_memory Words // a control writes them, and then reads them as poses do
#define mutable_memory Words
#define address uint
#define LOAD(base, index) (base).at[index]
#define STORE(base, index, value) (base).at[index] = (value)
// Four words of the program. A row is WIDE_LOAD words.
uvec4 load_wide(uint row);

// Features that a program may use: cubic splines, scales other than 1, linear rotation keys far apart, packed clips,
// joint weights other than 255, joint maps, levels of detail, matrices as the result, inertialization, chains and feet
// with a state, retargets. A pipeline omits the code of a feature that its program cannot use. This changes no bit of
// the result.
layout(constant_id = 0) const bool USES_CUBIC = true;
layout(constant_id = 1) const bool USES_SCALE = true;
layout(constant_id = 2) const bool USES_FAR = true;
layout(constant_id = 8) const bool USES_WEIGHTS = true;
layout(constant_id = 9) const bool USES_JOINT_MAPS = true;
layout(constant_id = 10) const bool USES_LOD = true;
layout(constant_id = 11) const bool USES_MATRICES = true;
// Layers, or 2D blend spaces: the longest weight rules.
layout(constant_id = 14) const bool USES_SPACES = true;
// More than one pass.
layout(constant_id = 15) const bool USES_EXCHANGES = true;
// State machines whose transitions have blend profiles.
layout(constant_id = 16) const bool USES_PROFILES = true;
// Points of inverse kinematics from a buffer or in world space.
layout(constant_id = 17) const bool USES_POINTS = true;
// Values with curves.
layout(constant_id = 25) const bool USES_CURVES = true;
layout(constant_id = 35) const bool USES_USER_CURVES = true; // of the graph's own
// Maximum number of poses that a program holds at once.
layout(constant_id = 12) const uint MOST_POSES = 1u;
layout(constant_id = 3) const bool USES_PACKED = true;
layout(constant_id = 13) const bool USES_INERTIA = true;
layout(constant_id = 18) const bool USES_CHAINS = true;
layout(constant_id = 32) const bool USES_COLLIDERS = true; // of chains
// Nodes of inverse kinematics that report whether they reach their targets.
layout(constant_id = 34) const bool USES_REACHED = true;
layout(constant_id = 19) const bool USES_RETARGETS = true;
// Limbs whose end is not below their mid.
layout(constant_id = 36) const bool USES_DETACHED = true;

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
#define USES_SPACES true // run once per character: not worth removing
#define USES_CURVES true
#define USES_USER_CURVES true
#define USES_LOD true
#define USES_CUBIC true
#define USES_PACKED true
typedef const uint32_t *memory;
#define parameter_memory memory
typedef uint32_t *mutable_memory;
// An index into memory. It is as wide as a pointer, so that adding it needs no conversion.
typedef uintptr_t address;
#define LOAD(base, index) (base)[index]
#define STORE(base, index, value) (base)[index] = (value)
#ifdef LMB_PLAIN
#define USES_SCALE false
#define USES_FAR false
#define USES_WEIGHTS false
#define USES_JOINT_MAPS false
#define USES_MATRICES false
#define USES_INERTIA false
#define USES_CHAINS false
#define USES_COLLIDERS false
#define USES_REACHED false
#define USES_DETACHED false
#define USES_RETARGETS false
#define USES_PROFILES false
#else
#define USES_WEIGHTS true
#define USES_JOINT_MAPS true
#define USES_MATRICES true
#define USES_INERTIA true
#define USES_CHAINS true
#define USES_COLLIDERS true
#define USES_REACHED true
#define USES_DETACHED true
#define USES_RETARGETS true
#define USES_PROFILES true
#define USES_SCALE true
#define USES_FAR true
#endif

static inline float lmb_float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#ifdef LMB_SIMD_WIDTH
#include "simd.h"
#else

// An attribute that forces inlining, if defined (see src/math/inline_ops.h).
#ifdef LMB_INLINE_OPS
#define OP static inline LMB_INLINE_OPS
#else
#define OP static inline
#endif
// Cold code, needed for few values or in few frames, is kept out of line, so that it does not lie between hot code.
#ifdef __GNUC__
#define OP_NOINLINE static __attribute__((noinline, unused))
#else
#define OP_NOINLINE OP
#endif
// Also out of line, but only in builds that inline everything else.
#ifdef LMB_INLINE_OPS
#define OP_COLD OP_NOINLINE
#else
#define OP_COLD OP
#endif
// What several rare operations share: compilers would take long for many copies of it.
#define OP_SHARED OP_COLD
typedef float real;
typedef uint32_t word;
typedef bool lane_mask;

static inline word BITS(real x) {
    word bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// The number of lanes, and the value of one of them.
#define SIMD_WIDTH 1
#define LANE(x, lane) (x)
#define PREFETCH(address) UNUSED(address) // hardware prefetches a single row by itself

// Counts the lanes in which the condition holds.
OP uint32_t lmb_count(lane_mask condition) {
    return condition;
}

// Stores a row of four for each lane. Copying the row at once lets compilers vectorise the code that computes it.
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
#define GREATER(a, b) ((a) < (b) ? (b) : (a))

#endif
#endif

// Words that a GPU loads at once.
#define WIDE_LOAD 4u

// A float that is the same for all lanes, from its bits.
#ifdef LMB_GLSL
#define FLOAT_OF_BITS(bits) REAL(bits)
#else
#define FLOAT_OF_BITS(bits) lmb_float_of(bits)
#endif
#define LOAD_FLOAT(base, index) FLOAT_OF_BITS(LOAD(base, index))

#ifndef LMB_SIMD_WIDTH
// a > b for integers below 2^31. SIMD code compares them as signed, which is faster.
#define ABOVE(a, b) ((a) > (b))
// Broadcasts one value to all lanes.
#define SPLAT(x) (x)
#define ALL_WORD(integer) (integer)
#define SELECT(condition, yes, no) ((condition) ? (yes) : (no))
// The integer, or 0 where the condition does not hold.
#ifdef LMB_GLSL
#define SELECT_BITS(condition, integer) ((condition) ? (integer) : 0u)
#else
#define SELECT_BITS(condition, integer) ((0u - (word)(condition)) & (integer)) // no branch: it is unpredictable
#endif
#define OR(a, b) ((a) || (b))
#define AND(a, b) ((a) && (b))
#define NOT(a) (!(a))
// Whether the condition holds in any lane. Guards work that would change no bit if it holds in none.
#define ANY(condition) (condition)
// Whether the condition holds in all lanes.
#define ALL(condition) (condition)
// The value of one of the lanes in which the condition holds.
#define ONE_OF(condition, integer) (integer)
// The minimum of all lanes.
#define MIN_OF_LANES(x) (x)
// Loads from an index per lane.
#define GATHER(base, index) LOAD(base, index)
#define GATHER_REAL(base, index) LOAD_FLOAT(base, index)
// Loads consecutive words, one per lane, from the index of the first lane's.
#define LOAD_LANES(base, first) LOAD(base, first)
#define LOAD_LANES_REAL(base, first) LOAD_FLOAT(base, first)
// Stores to an index per lane, where the condition holds.
#define SCATTER(base, index, integer, condition)                                                                       \
    if (condition) {                                                                                                   \
        STORE(base, index, integer);                                                                                   \
    }
#endif

#endif
