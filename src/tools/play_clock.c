// Finds the clocks of a graph.
#include "play_clock.h"

static bool reads(lmb_value value, uint32_t parameter) {
    return value.kind == LMB_VALUE_PARAMETER && value.parameter == parameter;
}

bool play_is_clock(const lmb_graph_def *def, uint32_t parameter) {
    bool found = false;
    for (uint32_t i = 0; i < def->node_count && !found; i++) {
        const lmb_node_def *node = &def->nodes[i];
        found = (node->op == LMB_OP_FOOT_PLACEMENT && reads(node->feet.time, parameter)) ||
                (node->op == LMB_OP_CHAIN && reads(node->chain.time, parameter));
    }
    return found;
}
