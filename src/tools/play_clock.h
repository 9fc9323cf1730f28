// Parameters that count the seconds for what keeps a state between frames: the `time` of foot placement and of chains.
// Hosts count them. What runs a graph without a host of its own, `limber play` and the viewer, counts them too.
#ifndef LIMBER_SRC_TOOLS_PLAY_CLOCK_H
#define LIMBER_SRC_TOOLS_PLAY_CLOCK_H

#include <limber/graph.h>

// A clock begins again at 0 after so many seconds, while a float still has a quarter of a millisecond.
#define PLAY_CLOCK_SECONDS 3600.0

// Returns whether a node reads a parameter as its clock.
bool play_is_clock(const lmb_graph_def *def, uint32_t parameter);

#endif
