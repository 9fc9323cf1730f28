// Shared by both implementations of ticks.
#ifndef LMB_OPS_TICKS_PARTS_H
#define LMB_OPS_TICKS_PARTS_H

#include "number.h"

// Positions in clips, fades and the like count 2^-16 of a tick (fine ticks).
#define FINE_BITS 16u

// Converts a word to float, rounded once. A GPU may convert words that a float cannot represent otherwise than the CPU,
// so it converts them in halves.
OP real real_of_word(uint a) {
#ifdef LMB_GLSL
    real upper = TO_REAL(a >> 16u) * 65536.0f;
    return upper + TO_REAL(a & 0xffffu);
#else
    return TO_REAL(a);
#endif
}

#endif
