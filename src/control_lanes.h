// Stages of a control that run for a character in each lane of a vector. They run the shared operations, as simd.h does
// for poses, and store the bits that the scalar control would store. src/control_run.c runs the rest of a frame.
#ifndef LIMBER_SRC_CONTROL_LANES_H
#define LIMBER_SRC_CONTROL_LANES_H

#include "float_environment.h"

#include <stdint.h>

// Characters that run together: a bit of a word for each.
#define LMB_CONTROL_TOGETHER 32u
// Vectors of a program's weights are on the stack. Programs with more weights compute them one character at a time.
#define LMB_CONTROL_LANE_WEIGHTS 512u

// Characters that follow each other in a batch.
typedef struct lmb_control_lanes {
    const uint32_t *block;
    const uint32_t *program;
    uint32_t *parameters;     // row of the first character
    uint32_t parameter_count; // in a row
    uint32_t count;
    uint32_t active;                         // a bit for each character that a stage runs for
    uint32_t *states[LMB_CONTROL_TOGETHER];  // those behind the last character's repeat it
    uint32_t steps[2][LMB_CONTROL_TOGETHER]; // low words, high words
} lmb_control_lanes;

typedef void lmb_control_stage(const lmb_control_lanes *lanes);

// ..._weigh computes the weights of the players' clips, ..._drive moves the character motions that parameters drive,
// and ..._root_motion those that clips move. The latter two do not know full rotation or warps.
#define LMB_DECLARE_CONTROL_LANES(lanes)                                                                               \
    LMB_NOINLINE void lmb_control_weigh_##lanes(const lmb_control_lanes *all);                                         \
    LMB_NOINLINE void lmb_control_drive_##lanes(const lmb_control_lanes *all);                                         \
    LMB_NOINLINE void lmb_control_root_motion_##lanes(const lmb_control_lanes *all);

LMB_DECLARE_CONTROL_LANES(4)
LMB_DECLARE_CONTROL_LANES(8)
LMB_DECLARE_CONTROL_LANES(16)

#endif
