// Splits a graph in which something moves by itself into nodes that only read parameters, and the control that writes
// these parameters. A clip that plays reads its time from a parameter, a machine becomes a weighted sum, and a fade
// becomes a machine of two states.
//
// The added parameters follow the host's, in the order of the nodes: one for a clip that plays, and for a machine one
// for each state and those of its blend profiles; then those of inertialization. So the first nodes of a graph have the
// same parameters without the nodes after them.
#ifndef LIMBER_SRC_GRAPH_MOVING_H
#define LIMBER_SRC_GRAPH_MOVING_H

#include "control_def.h"
#include "host.h"

typedef struct lmb_moving {
    lmb_host host;
    lmb_graph_def poses;
    lmb_control_def control;
    uint32_t *player_nodes;       // [player]
    lmb_control_origin *machines; // [machine]
    uint32_t *first_parameters;   // [node]: the first added one, or LMB_NONE
    lmb_arena memory;
} lmb_moving;

// Returns whether anything in the graph moves by itself.
LMB_API bool lmb_graph_moves(const lmb_graph_def *def);
// Splits a descriptor whose nodes have been checked. Fails with LMB_ERROR_ARGUMENT, LMB_ERROR_LIMIT, LMB_ERROR_MEMORY,
// and then leaves nothing allocated.
LMB_API lmb_result lmb_moving_create(const lmb_graph_def *def, const lmb_host *host, lmb_moving *moving,
                                     lmb_error *error);
LMB_API void lmb_moving_release(lmb_moving *moving);

#endif
