// A crowd with the graph of a game's character: states of which some are blend spaces, a layer for the upper body and
// two additives. Each character is in a state or two of its own, and half of them have a layer or an additive.
#ifndef LIMBER_BENCH_GAME_H
#define LIMBER_BENCH_GAME_H

#include "workload.h"

// Creates the clips and the graph of the workload, whose kind and actor are set.
lmb_result game_create(workload *workload, lmb_error *error);
void game_fill(const workload *workload, uint32_t characters, uint32_t frame, float *parameters);

#endif
