// Internal view of a graph: its program, words that the CPU and the GPU read in the same form. The layout is in
// shaders/ops/layout.h.
#ifndef LIMBER_SRC_PROGRAM_PROGRAM_H
#define LIMBER_SRC_PROGRAM_PROGRAM_H

#include "base/host.h"

#include <limber/graph.h>
#include <stdatomic.h>

typedef struct lmb_clip_slot lmb_clip_slot; // clip_slot.h

typedef struct lmb_control lmb_control; // control/control.h

struct lmb_graph {
    lmb_host host;
    lmb_graph_info info;
    lmb_clip_slot *clip_slots;     // or NULL
    uint32_t clip_changes;         // counts calls of lmb_graph_set_clip()
    atomic_uint users;             // lmb_gpu_graph objects
    lmb_control *control;          // or NULL
    struct lmb_graph_names *names; // as the fingerprint, of a graph that lmb_graph_create() made; else NULL
    uint32_t mask_count;
    bool uses_cubic;                     // a clip has a cubic spline
    bool uses_far;                       // a clip has neighbouring rotation keys that are far apart
    bool uses_packed;                    // a clip is packed
    bool uses_scale;                     // a scale other than exactly 1 can occur
    bool uses_curves;                    // a value has a curve
    bool uses_user_curves;               // it has curves of its own
    bool uses_spaces;                    // there are layers or blend spaces in the plane
    bool uses_weights;                   // a joint weight other than 255 can occur
    bool finds_points;                   // a point is in the buffer of points or in world space
    bool uses_profiles;                  // a transition of a machine has a blend profile
    bool uses_joint_maps;                // clips or poses with other joints than the rig's can occur
    bool uses_lod;                       // there are levels of detail
    bool uses_inertia;                   // its result is inertialized
    bool uses_chains;                    // there are chains, or feet that are locked or smoothed
    bool uses_colliders;                 // of chains
    bool uses_detached;                  // limbs whose end is not below their mid
    bool uses_retargets;                 // a source is in a retarget
    bool gives_matrices;                 // its last operation results in matrices instead of transforms
    uint32_t pose_joints[LMB_MAX_POSES]; // [pose buffer]; 0 if nothing uses it
    uint32_t pose_floats[LMB_MAX_POSES]; // [pose buffer]: floats per character
    uint32_t joint_limits;               // offset of the first table of joint limits
    uint32_t joint_maps;                 // offset of the first table of a joint map
    uint64_t fingerprint;                // see graph.h
    uint32_t size;                       // words
    uint32_t *program;
};

// The checks of lmb_graph_create(): of everything except what moves by itself; and of that, if the first check
// succeeded.
LMB_API lmb_result lmb_graph_check_poses(const lmb_graph_def *def, lmb_error *error);
LMB_API lmb_result lmb_graph_check_moving(const lmb_graph_def *def, const lmb_host *host, lmb_error *error);

// Returns where a node reports whether it reaches its target, or NULL for an operation without one.
static inline const lmb_reached_slot *lmb_graph_reached_of(const lmb_node_def *node) {
    return node->op == LMB_OP_IK_TWO_BONE ? &node->two_bone.reached
           : node->op == LMB_OP_IK_AIM    ? &node->aim.reached
                                          : NULL;
}

// Returns the index of a retarget among the joint maps: it is behind them.
static inline uint32_t lmb_graph_retarget_map(const lmb_graph_def *def, uint32_t retarget) {
    return def->joint_map_count + retarget;
}

// Creates a graph in which nothing moves by itself. Its nodes are in the descriptor's joint map of that
// index, or in none (LMB_NONE).
LMB_API lmb_result lmb_graph_create_in(const lmb_graph_def *def, uint32_t joint_map, const lmb_host *host,
                                       lmb_graph **graph, lmb_error *error);

// Returns whether the graph needs none of the features that kernels can leave out.
static inline bool lmb_graph_is_plain(const lmb_graph *graph) {
    return !graph->uses_far && !graph->uses_scale && !graph->uses_weights && !graph->uses_profiles &&
           !graph->uses_joint_maps && !graph->uses_inertia && !graph->uses_chains && !graph->uses_retargets &&
           !graph->gives_matrices && !graph->uses_detached && graph->info.reached_count == 0;
}

#endif
