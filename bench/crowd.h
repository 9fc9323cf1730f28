// A crowd in which every character runs its own state machines. A character idles, moves or jumps; moving is a blend
// space of walk, jog and run, synchronised in phase; a fade blends a wave into the upper body. The host sets a desired
// speed and, for some of the characters, events, which change from frame to frame. Therefore the characters are
// distributed over the states, and some of them always fade.
#ifndef LIMBER_BENCH_CROWD_H
#define LIMBER_BENCH_CROWD_H

#include "actor.h"

#include <limber/graph.h>

enum {
    CROWD_PARAMETERS = 3,
    CROWD_WARM_FRAMES = 32, // long frames, after which the characters are distributed over the states; then 60 per
                            // second
};

lmb_result crowd_create_graph(const actor *actor, lmb_graph **graph, lmb_error *error);

// Returns the length of a frame in ticks.
uint64_t crowd_step(uint32_t frame);
// Writes the host's parameters to [characters][lmb_graph_info.parameter_count]; those that the graph writes are
// unchanged.
void crowd_fill(const lmb_graph *graph, uint32_t characters, uint32_t frame, float *parameters);
// Lists the events of a frame, sorted, at most one per character. Returns their number.
uint32_t crowd_list_events(uint32_t characters, uint32_t frame, lmb_event *events);

#endif
