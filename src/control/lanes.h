// Stages of a control that run for a character in each lane of a vector. They run the shared operations, as simd.h does
// for poses, and store the bits that the scalar control would store. src/control/run.c runs the rest of a frame.
#ifndef LIMBER_SRC_CONTROL_LANES_H
#define LIMBER_SRC_CONTROL_LANES_H

#include "base/float_environment.h"

#include <stdint.h>

// Characters that run together: a bit of a word for each.
#define LMB_CONTROL_TOGETHER 32u
// Vectors of a program's weights are on the stack. Programs with more weights compute them one character at a time.
#define LMB_CONTROL_LANE_WEIGHTS 512u

// Passages of a player that may emit events.
typedef struct lmb_control_passages {
    uint32_t player;    // offset of its record
    uint32_t first;     // character of the first lane
    uint32_t emits;     // a bit for each lane, as in the following
    uint32_t backwards; // a passage
    uint32_t stops;     // a player in no group reached an end and stays there
    uint32_t had_turned;
    uint32_t from[2][16], to[2][16]; // low words, high words
    uint32_t counts[16];             // of ends
    uint32_t rates[16];              // of a player in no group, as its delay in this piece
    uint32_t waits[2][16];
} lmb_control_passages;

// Characters that follow each other in a batch. A bit of a word for each, and an array for each.
typedef struct lmb_control_lanes {
    const uint32_t *block;
    const uint32_t *program;
    uint32_t *parameters;     // row of the first character
    uint32_t parameter_count; // in a row
    uint32_t count;
    uint32_t moves, updates, begins, emits, first_pieces;
    uint32_t decides; // characters that begin, have events, or jump to a row that a search found
    uint32_t alone;   // those that the scalar code must run alone, found by STAGE_TRANSITIONS and STAGE_STOPS
    uint32_t due;     // for STAGE_STOPS
    uint32_t *states[LMB_CONTROL_TOGETHER];  // those behind the last character's repeat it
    uint32_t steps[2][LMB_CONTROL_TOGETHER]; // low words, high words
    uint32_t lefts[2][LMB_CONTROL_TOGETHER];
    uint32_t durations[2][LMB_CONTROL_TOGETHER]; // of the current piece
    const void *characters;                      // for `emit`, which emits what players pass
    void (*emit)(const struct lmb_control_lanes *all, const lmb_control_passages *passages);
} lmb_control_lanes;

// Runs for the record at an offset, or for all.
typedef void lmb_control_stage(lmb_control_lanes *all, uint32_t record);

// The stages of each number of lanes: [STAGE_...] of shaders/ops/lanes.h. Those of character motions do not know full
// rotation or warps. That of a group is for one whose rate does not differ between pieces.
extern lmb_control_stage *const lmb_control_stages_4[], *const lmb_control_stages_8[], *const lmb_control_stages_16[];

// Compute the weights of a program, for a control as for poses, with so many lanes: weigh_nodes() of
// shaders/ops/weights.h.
struct evaluation;
void lmb_weigh_nodes_4(const struct evaluation *e);
void lmb_weigh_nodes_8(const struct evaluation *e);
void lmb_weigh_nodes_16(const struct evaluation *e);

#endif
