// A motion graph, for what walks over it.
#ifndef LIMBER_SRC_MATCH_GRAPH_H
#define LIMBER_SRC_MATCH_GRAPH_H

#include "base/host.h"

#include <limber/motion_graph.h>

struct lmb_motion_graph {
    lmb_host host;
    lmb_arena memory; // of all arrays
    lmb_motion_part *parts;
    lmb_motion_transition *transitions;
    lmb_motion_graph_take *takes;
    float *durations; // [take]: of their clips
    uint32_t take_count;
    lmb_motion_graph_content content; // its lists are those above
    float rate;
};

#endif
