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
    uint32_t ends;      // a player in no group ended or looped
    uint32_t had_turned;
    uint32_t from[2][16], to[2][16]; // low words, high words
    uint32_t counts[16];             // of ends
} lmb_control_passages;

// Characters that follow each other in a batch. A bit of a word for each, and an array for each.
typedef struct lmb_control_lanes {
    const uint32_t *block;
    const uint32_t *program;
    uint32_t *parameters;     // row of the first character
    uint32_t parameter_count; // in a row
    uint32_t count;
    uint32_t moves, updates, begins, emits, first_pieces;
    uint32_t decides; // characters that begin, or have events
    uint32_t alone;   // those that the scalar code must run alone, found by ..._transitions and ..._stops
    uint32_t due;     // for ..._stops
    uint32_t *states[LMB_CONTROL_TOGETHER];  // those behind the last character's repeat it
    uint32_t steps[2][LMB_CONTROL_TOGETHER]; // low words, high words
    uint32_t lefts[2][LMB_CONTROL_TOGETHER];
    uint32_t durations[2][LMB_CONTROL_TOGETHER]; // of the current piece
    const void *characters;                      // for `emit`, which emits what players pass
    void (*emit)(const struct lmb_control_lanes *all, const lmb_control_passages *passages);
} lmb_control_lanes;

// Runs for the record at an offset, or for all.
typedef void lmb_control_stage(lmb_control_lanes *all, uint32_t record);

// ..._weigh computes the weights of the players' clips, ..._drive moves the character motions that parameters drive,
// and ..._root_motion those that clips move. These two do not know full rotation or warps. ..._players moves players in
// no group, ..._group those of one whose rate does not differ between pieces.
#define LMB_DECLARE_CONTROL_STAGE(name) LMB_NOINLINE void name(lmb_control_lanes *all, uint32_t record);
#define LMB_DECLARE_CONTROL_LANES(lanes)                                                                               \
    LMB_DECLARE_CONTROL_STAGE(lmb_control_weigh_##lanes)                                                               \
    LMB_DECLARE_CONTROL_STAGE(lmb_control_drive_##lanes)                                                               \
    LMB_DECLARE_CONTROL_STAGE(lmb_control_root_motion_##lanes)                                                         \
    LMB_DECLARE_CONTROL_STAGE(lmb_control_players_##lanes)                                                             \
    LMB_DECLARE_CONTROL_STAGE(lmb_control_group_##lanes)                                                               \
    LMB_DECLARE_CONTROL_STAGE(lmb_control_smoothed_##lanes)                                                            \
    LMB_DECLARE_CONTROL_STAGE(lmb_control_player_times_##lanes)                                                        \
    LMB_DECLARE_CONTROL_STAGE(lmb_control_transitions_##lanes)                                                         \
    LMB_DECLARE_CONTROL_STAGE(lmb_control_stops_##lanes)

LMB_DECLARE_CONTROL_LANES(4)
LMB_DECLARE_CONTROL_LANES(8)
LMB_DECLARE_CONTROL_LANES(16)

#endif
