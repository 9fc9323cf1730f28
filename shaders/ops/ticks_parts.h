// What both forms of time's numbers are made with.
#ifndef LMB_OPS_TICKS_PARTS_H
#define LMB_OPS_TICKS_PARTS_H

#include "number.h"

// Places within clips, fades and the like count 2^-16 of a tick.
#define FINE_BITS 16u

// A word as a number, rounded once. A device need not convert what a float does not hold as the processor does.
OP real real_of_word(uint a) {
#ifdef LMB_GLSL
    real upper = TO_REAL(a >> 16u) * 65536.0f;
    return upper + TO_REAL(a & 0xffffu);
#else
    return TO_REAL(a);
#endif
}

#endif
