// Graphs beside those of workload.h, each for a kernel that no workload has.
#ifndef LIMBER_BENCH_RADV_GRAPHS_H
#define LIMBER_BENCH_RADV_GRAPHS_H

#include "actor.h"

#include <limber/graph.h>

// Two clips blended and seen in a mirror; the first plays by itself and moves the character.
lmb_result graphs_create_mirror(const actor *actor, lmb_graph **graph, lmb_error *error);
// A clip, and over it another one's difference from the rest pose, in model space.
lmb_result graphs_create_model_additive(const actor *actor, lmb_graph **graph, lmb_error *error);
// Two clips blended and inertialized.
lmb_result graphs_create_inertialized(const actor *actor, lmb_graph **graph, lmb_error *error);

#endif
