// Stages of a control that may run in the lanes of vectors: on the CPU, src/control/run.c says which do.
#ifndef LMB_OPS_LANES_H
#define LMB_OPS_LANES_H

#include "control_memory.h"

// run_in_lanes() runs a stage for the characters that move; `record` is what it runs for. It returns false if it does
// not. Two stages find characters that the scalar code must run alone: runs_alone(). The vectors take over a piece when
// it begins, and when its duration is known.
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
