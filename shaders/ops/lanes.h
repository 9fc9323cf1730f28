// Stages of a control that may run in the lanes of vectors: on the CPU, src/control/run.c says which do.
#ifndef LMB_OPS_LANES_H
#define LMB_OPS_LANES_H

#include "control_memory.h"

// Stages that may run in the lanes of vectors. run_in_lanes() runs a stage for the characters that move; `record` is
// what it runs for. It returns false if it does not. Two stages find characters that the scalar code must run alone:
// runs_alone(). The vectors take over a piece when it begins, and when its duration is known.
#define STAGE_WEIGHTS 0u
#define STAGE_DRIVE 1u
#define STAGE_ROOT_MOTION 2u
#define STAGE_PLAYERS 3u
#define STAGE_GROUP 4u
#define STAGE_SMOOTHED 5u
#define STAGE_PLAYER_TIMES 6u
#define STAGE_TRANSITIONS 7u // finds where a transition applies
#define STAGE_STOPS 8u       // finds where one may be due within the step
#define STAGE_COUNT 9u
#ifdef LMB_GLSL
void begin_piece_of_lanes(CHANGED_CHARACTERS all) {}

void cut_piece_of_lanes(CHANGED_CHARACTERS all) {}

bool run_in_lanes(CHARACTERS all, uint stage, address record) {
    return false;
}

bool runs_alone(CHARACTERS all, address i) {
    return true;
}
#else
static void begin_piece_of_lanes(CHANGED_CHARACTERS all);
static void cut_piece_of_lanes(CHANGED_CHARACTERS all);
static bool run_in_lanes(CHARACTERS all, uint stage, address record);
static bool runs_alone(CHARACTERS all, address i);
#endif

#endif
