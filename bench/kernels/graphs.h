// Graphs in addition to those of workload.h, each for a kernel that no workload uses.
#ifndef LIMBER_BENCH_KERNELS_GRAPHS_H
#define LIMBER_BENCH_KERNELS_GRAPHS_H

#include "actor.h"

#include <limber/graph.h>

// Blends two clips and mirrors the result; the first clip has a player and moves the character.
lmb_result graphs_create_mirror(const actor *actor, lmb_graph **graph, lmb_error *error);
// Adds an additive of a clip and the rest pose to another clip, in model space.
lmb_result graphs_create_model_additive(const actor *actor, lmb_graph **graph, lmb_error *error);
// Blends two clips and inertializes the result.
lmb_result graphs_create_inertialized(const actor *actor, lmb_graph **graph, lmb_error *error);

#endif
