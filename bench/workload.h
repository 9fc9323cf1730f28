// What each character of the bench does: a graph over an actor's clips, and the parameters of a frame. Characters
// start in random phase and advance 1/60 s a frame; model matrices and palette follow. Where there is a control, it moves
// them, before their poses.
#ifndef LIMBER_BENCH_WORKLOAD_H
#define LIMBER_BENCH_WORKLOAD_H

#include "actor.h"

#include <limber/graph.h>

typedef enum workload_kind {
    WORKLOAD_FOUR_CLIPS, // three clips blended with weights .3 .5 .2, the fourth laid over them as an additive at .6
    WORKLOAD_TWO_CLIPS,  // two clips, blended by each character's own weight
    WORKLOAD_MASKED,     // one clip, and another over its upper body
    WORKLOAD_DISTANT,    // the four clips at a level of detail that drops half of the joints
    WORKLOAD_NEIGHBOURS, // the same for every second character, the others at the nearest level
    WORKLOAD_MACHINES,   // state machines over blend spaces and a layer, of each character's own: crowd.h
    WORKLOAD_KIND_COUNT
} workload_kind;

enum { WORKLOAD_MOST_PARAMETERS = 16 };

typedef struct workload {
    workload_kind kind;
    const actor *actor;
    lmb_graph *graph;
    const lmb_control *control; // the graph's, or NULL
} workload;

// "four-clips", "two-clips", "masked", "distant", "neighbours", "machines".
const char *workload_kind_name(workload_kind kind);

// The actor must outlive it.
lmb_result workload_create(workload_kind kind, const actor *actor, workload *workload, lmb_error *error);
void workload_destroy(workload *workload);

// Parameters [characters][lmb_graph_parameter_count()] of a frame: the clips' times, wrapped into their durations,
// and the weight or the level; with a control, what the host gives, and nothing else is written.
void workload_fill(const workload *workload, uint32_t characters, uint32_t frame, float *parameters);

// Bytes of palette that one character's frame cannot do without.
size_t workload_palette_bytes(const workload *workload);

#endif
