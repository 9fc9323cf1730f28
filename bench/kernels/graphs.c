// Creates graphs for kernels that no workload uses.
#include "graphs.h"

#include <limber/inertia.h>

#include <stdlib.h>

enum { MOST_NODES = 5, TIMES = 2 };

// The last node is the result. The first parameters are times of clips.
static lmb_graph_def make_def(const actor *actor, const lmb_clip *clips[ACTOR_CLIPS], const lmb_node_def *nodes,
                              uint32_t node_count) {
    for (int i = 0; i < ACTOR_CLIPS; i++) {
        clips[i] = actor->clips[i];
    }
    return (lmb_graph_def){.rig = actor->rig,
                           .clips = clips,
                           .clip_count = ACTOR_CLIPS,
                           .nodes = nodes,
                           .node_count = node_count,
                           .parameter_count = TIMES};
}

lmb_result graphs_create_mirror(const actor *actor, lmb_graph **graph, lmb_error *error) {
    const uint32_t joints = lmb_rig_get_def(actor->rig)->joint_count;
    uint32_t *partners = malloc(joints * sizeof *partners);
    if (partners == NULL) {
        return actor_no_memory(error);
    }
    for (uint32_t joint = 0; joint < joints; joint++) {
        partners[joint] = joint; // the kernel reads the partners, so their values do not change it
    }
    const lmb_player_def player = lmb_default_player_def();
    const lmb_motion_def character_motion = lmb_default_motion_def();
    const lmb_mirror_def mirror = {.axis = LMB_AXIS_X, .partners = partners};
    lmb_node_def nodes[MOST_NODES] = {lmb_playing_node(0, &player), lmb_clip_node(1, lmb_parameter(0)),
                                      lmb_blend_node(0, 1, lmb_parameter(1)), lmb_mirror_node(2, 0)};
    const lmb_clip *clips[ACTOR_CLIPS];
    lmb_graph_def def = make_def(actor, clips, nodes, 4);
    def.mirrors = &mirror;
    def.mirror_count = 1;
    def.motion = &character_motion;
    lmb_result result = lmb_graph_create(&def, NULL, graph, error);
    free(partners);
    return result;
}

lmb_result graphs_create_model_additive(const actor *actor, lmb_graph **graph, lmb_error *error) {
    lmb_node_def nodes[MOST_NODES] = {lmb_clip_node(0, lmb_parameter(0)), lmb_clip_node(3, lmb_parameter(1)),
                                      lmb_default_node_def(), lmb_default_node_def(),
                                      lmb_additive_node(0, 3, lmb_constant(0.6f))};
    nodes[3].op = LMB_OP_MAKE_ADDITIVE;
    nodes[3].input_count = 2;
    nodes[3].inputs[0] = 1;
    nodes[3].inputs[1] = 2;
    nodes[3].space = LMB_SPACE_MODEL;
    nodes[4].space = LMB_SPACE_MODEL;
    const lmb_clip *clips[ACTOR_CLIPS];
    const lmb_graph_def def = make_def(actor, clips, nodes, 5);
    return lmb_graph_create(&def, NULL, graph, error);
}

lmb_result graphs_create_inertialized(const actor *actor, lmb_graph **graph, lmb_error *error) {
    lmb_node_def nodes[MOST_NODES] = {lmb_clip_node(0, lmb_parameter(0)), lmb_clip_node(1, lmb_parameter(1)),
                                      lmb_blend_node(0, 1, lmb_constant(0.5f))};
    const lmb_clip *clips[ACTOR_CLIPS];
    lmb_graph_def def = make_def(actor, clips, nodes, 3);
    def.inertialize = true;
    def.inertia_parameters = TIMES;
    def.parameter_count = TIMES + LMB_INERTIA_PARAMETERS;
    return lmb_graph_create(&def, NULL, graph, error);
}
