// A graph of fourteen chains of eight bones, and joints that are in none. After half a second without a frame, all
// their steps are more than some drivers run in one invocation.
#ifndef LIMBER_TESTS_SUPPORT_LONG_CHAINS_H
#define LIMBER_TESTS_SUPPORT_LONG_CHAINS_H

#include "suite.h"

#include <limber/graph.h>
#include <limber/rig.h>

// The graph's only parameter is the time.
static inline lmb_graph *long_chains_create(lmb_rig **rig) {
    enum { CHAINS = 14, ROW = 9, JOINTS = 150 };
    lmb_joint_def joints[JOINTS];
    lmb_node_def nodes[1 + CHAINS];
    lmb_graph *graph = NULL;
    nodes[0] = lmb_default_node_def();
    nodes[0].op = LMB_OP_REST;
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i > CHAINS * ROW || (i - 1) % ROW == 0 ? 0 : i - 1;
        joints[i].rest.translation[i % 3] = 0.1f;
    }
    for (uint32_t i = 1; i <= CHAINS; i++) {
        const uint32_t first = 1 + (i - 1) * ROW;
        nodes[i] = lmb_chain_node(i - 1, first, first + ROW - 1, lmb_parameter(0));
    }
    const lmb_rig_def rig_def = {.joints = joints, .joint_count = JOINTS};
    assert_int_equal(lmb_rig_create(&rig_def, NULL, rig, NULL), LMB_OK);
    const lmb_graph_def def = {.rig = *rig, .nodes = nodes, .node_count = 1 + CHAINS, .parameter_count = 1};
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, NULL), LMB_OK);
    return graph;
}

#endif
