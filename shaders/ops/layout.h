// Where things lie in a program's block, in pose buffers and in matrix buffers.
#ifndef LMB_OPS_LAYOUT_H
#define LMB_OPS_LAYOUT_H

#include "transform.h"

// The program's block is words; offsets count words from its start. The header:
#define PROGRAM_SIZE 0
#define PROGRAM_JOINTS 1
#define PROGRAM_PARAMETERS 2
#define PROGRAM_PARENTS 3      // offset: word [joint], NO_PARENT for roots
#define PROGRAM_REST 4         // offset: float [10][joint]
#define PROGRAM_INVERSE_BIND 5 // offset: float [joint][12]
#define PROGRAM_CLIPS 6        // offset: word [clip], offsets of clip blocks
#define PROGRAM_CLIP_COUNT 7
#define PROGRAM_INSTRUCTIONS 8 // offset: word [instruction][INSTRUCTION_WORDS]
#define PROGRAM_INSTRUCTION_COUNT 9
#define PROGRAM_HEADER_WORDS 16

#define NO_PARENT 0xffffffffu

// An instruction: its operation, then operands. A value takes two words: a parameter's index or NO_PARAMETER, and the
// bits of the constant.
#define INSTRUCTION_WORDS 8u
#define NO_PARAMETER 0xffffffffu

#define INSTRUCTION_OPERATION 0u
#define CLIP_INDEX_VALUE 1u // clip: value
#define CLIP_TIME_VALUE 3u  // clip: value
#define CLIP_LOOP 5u        // clip: 0 or 1
#define POSE_BUFFER 1u      // pose: which
#define WEIGHT_VALUE 1u     // blend, masked, additive, accumulate: value
#define WEIGHT_CURVE 3u     // blend, masked, additive: CURVE_...
#define MASK_OFFSET 4u      // masked: offset of the mask, four joints a word, the first in the lowest byte

// What is refused and counted, in the order of lmb_refusal.
#define REFUSED_CLIP 0u
#define REFUSED_TIME 1u
#define REFUSED_WEIGHT 2u
#define REFUSED_POSE 3u

#define POSE_COMPONENTS 10u   // a transform
#define MATRIX_COMPONENTS 12u // three rows of four

// Component-major, as in pose buffers.
OP transform load_pose(memory pose, word first, word joints, word joint) {
    word at = first + joint;
    transform a;
    a.t = make_vector(LOAD_REAL(pose, at), LOAD_REAL(pose, at + joints), LOAD_REAL(pose, at + 2u * joints));
    a.q = make_quaternion(LOAD_REAL(pose, at + 3u * joints), LOAD_REAL(pose, at + 4u * joints),
                          LOAD_REAL(pose, at + 5u * joints), LOAD_REAL(pose, at + 6u * joints));
    a.s = make_vector(LOAD_REAL(pose, at + 7u * joints), LOAD_REAL(pose, at + 8u * joints),
                      LOAD_REAL(pose, at + 9u * joints));
    return a;
}

OP affine load_affine(memory data, word at) {
    affine m;
    m.xx = LOAD_REAL(data, at);
    m.xy = LOAD_REAL(data, at + 1u);
    m.xz = LOAD_REAL(data, at + 2u);
    m.xt = LOAD_REAL(data, at + 3u);
    m.yx = LOAD_REAL(data, at + 4u);
    m.yy = LOAD_REAL(data, at + 5u);
    m.yz = LOAD_REAL(data, at + 6u);
    m.yt = LOAD_REAL(data, at + 7u);
    m.zx = LOAD_REAL(data, at + 8u);
    m.zy = LOAD_REAL(data, at + 9u);
    m.zz = LOAD_REAL(data, at + 10u);
    m.zt = LOAD_REAL(data, at + 11u);
    return m;
}

#endif
