// A graph as the rest of the library sees it: one block of words that the CPU reads and the GPU is given as it is. The
// layout is in shaders/ops/layout.h.
#ifndef LIMBER_SRC_GRAPH_H
#define LIMBER_SRC_GRAPH_H

#include "host.h"

#include <limber/graph.h>

struct lmb_graph {
    lmb_host host;
    lmb_control *control;          // or NULL
    struct lmb_graph_names *names; // NULL in what was not made by lmb_graph_create()
    uint32_t joint_count;
    uint32_t parameter_count;
    uint32_t pose_count;
    uint32_t socket_count;
    uint32_t channel_count;
    uint32_t stack;
    uint32_t exchange_count;             // exchange areas
    bool uses_cubic;                     // a clip has a cubic spline
    bool uses_far;                       // a clip has neighbouring rotation keys far apart
    bool uses_packed;                    // a clip is packed
    bool uses_scale;                     // a scale other than exactly 1 can be met
    bool uses_spaces;                    // there are layers or blend spaces in the plane
    bool uses_weights;                   // a joint's weight other than 255 can be met
    bool uses_profiles;                  // a machine's transition has a blend profile
    bool uses_parts;                     // clips or poses of other joints than the rig's can be met
    bool uses_lod;                       // there are levels of detail
    bool uses_inertia;                   // its result is inertialized
    bool gives_matrices;                 // its last operation does, in the place of transforms
    uint32_t pose_joints[LMB_MAX_POSES]; // of each pose buffer; 0 where nothing uses it
    uint32_t pose_floats[LMB_MAX_POSES]; // of a character in it
    uint32_t joint_limits;               // offset of the first limits' table
    uint32_t joint_maps;                 // offset of the first part's table
    uint32_t size;                       // words
    uint32_t *block;
};

// The checks of lmb_graph_create() of all but what moves by itself; and of that, where the others are fine.
LMB_API lmb_result lmb_graph_check_poses(const lmb_graph_def *def, lmb_error *error);
LMB_API lmb_result lmb_graph_check_moving(const lmb_graph_def *def, const lmb_host *host, lmb_error *error);

// Of poses alone: of nodes in a part of the descriptor's, or LMB_NONE.
LMB_API lmb_result lmb_graph_create_in(const lmb_graph_def *def, uint32_t part, const lmb_host *host, lmb_graph **graph,
                                       lmb_error *error);

// Whether it needs none of what the kernels can leave out.
static inline bool lmb_graph_is_plain(const lmb_graph *graph) {
    return !graph->uses_cubic && !graph->uses_far && !graph->uses_packed && !graph->uses_scale &&
           !graph->uses_weights && !graph->uses_profiles && !graph->uses_parts && !graph->uses_inertia &&
           !graph->gives_matrices;
}

#endif
