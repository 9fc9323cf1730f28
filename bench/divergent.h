// Crowds whose characters play something else each, as in a game, in random order: every character has clips, states
// and phases of its own.
#ifndef LIMBER_BENCH_DIVERGENT_H
#define LIMBER_BENCH_DIVERGENT_H

#include "workload.h"

enum { DIVERGENT_ACTIVE = 3 }; // clips that a character plays at once, at most

// A clip that a character plays.
typedef struct divergent_use {
    uint32_t clip;
    float time;   // seconds
    float weight; // they sum to 1
} divergent_use;

bool divergent_has(workload_kind kind);
// With as many clips as the kind has.
uint32_t divergent_parameter_count(workload_kind kind);
// Creates the clips and the graph of the workload, whose kind and actor are set. `clips` is their number, or 0: as many
// as the kind has. Kinds with a node for each clip have at most WORKLOAD_MOST_STATES.
lmb_result divergent_create(workload *workload, uint32_t clips, lmb_error *error);
// Only creates that many clips of the workload.
lmb_result divergent_create_clips(workload *workload, uint32_t count, lmb_error *error);
void divergent_destroy(workload *workload);
// Returns how many clips a character plays, and which, in the order of the clips.
uint32_t divergent_find_uses(const workload *workload, uint32_t character, uint32_t frame,
                             divergent_use uses[DIVERGENT_ACTIVE]);
// Sorts characters 0 to `characters` - 1 by the clips that they play.
lmb_result divergent_sort(const workload *workload, uint32_t characters, uint32_t *order, lmb_error *error);
void divergent_fill(const workload *workload, uint32_t characters, uint32_t frame, float *parameters);

#endif
