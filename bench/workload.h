// The work per character of the bench: a graph with an actor's clips, and the parameters of a frame. Characters start
// at a random phase and advance by 1/60 s per frame; model matrices and palettes are computed too. A control, if the
// workload has one, moves the characters before their poses are computed.
#ifndef LIMBER_BENCH_WORKLOAD_H
#define LIMBER_BENCH_WORKLOAD_H

#include "actor.h"

#include <limber/graph.h>

typedef enum workload_kind {
    WORKLOAD_FOUR_CLIPS, // three clips blended with weights .3 .5 .2, and the fourth added with weight .6
    WORKLOAD_TWO_CLIPS,  // two clips, blended by each character's own weight
    WORKLOAD_MASKED,     // one clip, and another one on its upper body
    WORKLOAD_DISTANT,    // the four clips at a level of detail that drops half of the joints
    WORKLOAD_NEIGHBOURS, // the same for every second character; the others have level of detail 0
    WORKLOAD_MACHINES,   // state machines with blend spaces and a layer, separate for each character: crowd.h
    WORKLOAD_KIND_COUNT
} workload_kind;

enum { WORKLOAD_MOST_PARAMETERS = 16 };

typedef struct workload {
    workload_kind kind;
    const actor *actor;
    lmb_graph *graph;
    const lmb_control *control; // the graph's, or NULL
} workload;

// Returns "four-clips", "two-clips", "masked", "distant", "neighbours" or "machines".
const char *workload_kind_name(workload_kind kind);

// The actor must outlive the workload.
lmb_result workload_create(workload_kind kind, const actor *actor, workload *workload, lmb_error *error);
void workload_destroy(workload *workload);

// Writes the parameters [characters][lmb_graph_parameter_count()] of a frame: the clips' times, wrapped into their
// durations, and the weight or the level of detail; with a control, only the parameters of the host.
void workload_fill(const workload *workload, uint32_t characters, uint32_t frame, float *parameters);

// Returns the min bytes of palette that one character needs per frame.
size_t workload_palette_bytes(const workload *workload);

#endif
