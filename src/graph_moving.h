// What moves by itself in a graph, taken apart: nodes that read parameters alone, and the control that writes those
// parameters. Clips that play read a parameter for their time, machines become weighted sums, and fades machines of two
// states.
//
// Parameters of the graph's own follow the host's, in the order of the nodes: one for a clip that plays, one for each
// state of a machine; then those of inertialization. So the first nodes of a graph have the same ones by themselves.
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
    uint32_t *first_parameters;   // [node] of its own parameters, or LMB_NONE
    void *memory[16];             // all that was allocated
    uint32_t allocations;
} lmb_moving;

// Whether anything does.
LMB_API bool lmb_graph_moves(const lmb_graph_def *def);
// Takes apart a descriptor whose nodes are checked. Fails with LMB_ERROR_ARGUMENT, LMB_ERROR_LIMIT, LMB_ERROR_MEMORY, and
// leaves nothing then.
LMB_API lmb_result lmb_moving_create(const lmb_graph_def *def, const lmb_host *host, lmb_moving *moving,
                                     lmb_error *error);
LMB_API void lmb_moving_release(lmb_moving *moving);

#endif
