// A walk over a motion graph for `limber motion-graph`: reads a path, prints the parts that follow it, and draws both.
#ifndef LIMBER_SRC_CLI_MOTION_WALK_H
#define LIMBER_SRC_CLI_MOTION_WALK_H

#include "command_line.h"

#include <limber/motion_graph.h>

// What options say.
typedef struct motion_walk_options {
    const char *path;    // a file, or "x,z x,z ..."; NULL: no walk
    const char *picture; // an SVG, or NULL
    option_distance within, ahead;
} motion_walk_options;

// A graph and what it was made of.
typedef struct motion_walk_graph {
    const lmb_motion_graph *graph;
    const lmb_motion_take *takes;
    uint32_t take_count;
    const char *(*take_name)(const void *user, uint32_t take);
    const void *user;
} motion_walk_graph;

// Reads the path, to fail early. Fails also if there is none, but another option of walks.
lmb_result motion_walk_check(const motion_walk_options *options, lmb_error *error);

// Fails, after what was found is printed and drawn, also if the walk does not come to the end of the path. The message
// names the place.
lmb_result motion_walk_run(const motion_walk_options *options, const motion_walk_graph *graph, lmb_error *error);

#endif
