// A crowd in which every character runs state machines of its own: it idles, moves or jumps, moving is a blend space of walk,
// jog and run, kept in phase, and a second machine waves over the upper body. What the host gives changes from frame to
// frame: a wanted speed, and events for a share of the characters, so that they are spread over the states and some always
// fade.
#ifndef LIMBER_BENCH_CROWD_H
#define LIMBER_BENCH_CROWD_H

#include "actor.h"

#include <limber/graph.h>

enum {
    CROWD_PARAMETERS = 3,
    CROWD_WARM_FRAMES = 32, // long ones, after which the characters are spread over the states; then 60 a second
};

lmb_result crowd_create_graph(const actor *actor, lmb_graph **graph, lmb_error *error);

// Ticks.
uint64_t crowd_step(uint32_t frame);
// What the host gives, in parameters [characters][lmb_graph_parameter_count()]; the graph's own are left as they are.
void crowd_fill(const lmb_graph *graph, uint32_t characters, uint32_t frame, float *parameters);
// The events of a frame, sorted: at most one for each character. Returns how many.
uint32_t crowd_list_events(uint32_t characters, uint32_t frame, lmb_event *events);

#endif
