// What differs between the compilers of these files: names for types, memory and selection.
//
// Everything in this folder is compiled as GLSL (LMB_GLSL is defined), and as C. `real` and `word` are values of one
// lane: a float and its like-sized unsigned integer; `truth` is what comparing them gives. `uint` and `bool` are the
// same for all lanes. A select evaluates both sides.
#ifndef LMB_OPS_LANGUAGE_H
#define LMB_OPS_LANGUAGE_H

#ifdef LMB_GLSL

#define OP
#define STRUCT(name) struct name {
#define END_STRUCT(name)                                                                                               \
    }                                                                                                                  \
    ;
#define real float
#define word uint
#define truth bool
#define BITS(x) floatBitsToUint(x)
#define REAL(bits) uintBitsToFloat(bits)
#define TO_REAL(integer) float(integer)
#define TO_WORD(x) uint(x)
#define FLOOR(x) floor(x)
#define UNUSED(x)

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words {
    uint at[];
};
#define memory Words
#define LOAD(base, index) (base).at[index]
#define STORE(base, index, value) (base).at[index] = (value)

// Whether a program can meet a cubic spline, or a scale other than 1: where it cannot, a pipeline leaves that work out,
// which changes no bit.
layout(constant_id = 0) const bool USES_CUBIC = true;
layout(constant_id = 1) const bool USES_SCALE = true;

#else

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define OP static inline
#define STRUCT(name) typedef struct name {
#define END_STRUCT(name)                                                                                               \
    }                                                                                                                  \
    name;
typedef float real;
typedef uint32_t word;
typedef uint32_t uint;
typedef bool truth;

static inline word BITS(real x) {
    word bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline real REAL(word bits) {
    real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define TO_REAL(integer) ((real)(integer))
#define TO_WORD(x) ((word)(x))
#define FLOOR(x) floorf(x)
#define UNUSED(x) (void)(x)

typedef const uint32_t *memory;
#define LOAD(base, index) (base)[index]
#define USES_CUBIC true
#define USES_SCALE true

#endif

#define SELECT(condition, yes, no) ((condition) ? (yes) : (no))
#define EITHER(a, b) ((a) || (b))
#define BOTH(a, b) ((a) && (b))
// Whether it holds in any lane: guards work that would change no bit where it does not.
#define ANY(condition) (condition)
#define LOAD_REAL(base, index) REAL(LOAD(base, index))

#endif
