// A limb whose reach decides the state of a machine: in its first state the limb follows a target, in the second it
// rests. A parameter says whether the target was reached in the frame before, and another is computed from that.
#ifndef LIMBER_TESTS_SUPPORT_REACHED_SCENE_H
#define LIMBER_TESTS_SUPPORT_REACHED_SCENE_H

#include "random.h"
#include "suite.h"

#include <limber/graph.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REACHED_CHARACTERS 37u
#define REACHED_WORDS 2u // of each character; the first is not used
enum { REACHED_X, REACHED_PARAMETER, REACHED_COMPUTED, REACHED_PARAMETERS };

typedef struct reached_scene {
    lmb_rig *rig;
    lmb_graph *graph;
    uint32_t row; // parameters of a character
} reached_scene;

static inline lmb_rig *reached_rig(void) {
    lmb_joint_def joints[3];
    for (uint32_t i = 0; i < 3; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i > 0 ? i - 1 : LMB_NONE;
        joints[i].rest.translation[1] = i > 0 ? 1.0f : 0.0f;
    }
    lmb_rig_def def = lmb_default_rig_def();
    def.joints = joints;
    def.joint_count = 3;
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

// The parameter that the limb writes.
static inline lmb_result reached_create(const lmb_rig *rig, uint32_t parameter, lmb_graph **graph, lmb_error *error) {
    const lmb_value target[3] = {lmb_parameter(REACHED_X), lmb_constant(0.5f), lmb_constant(0.0f)};
    lmb_node_def nodes[4] = {lmb_default_node_def(), lmb_two_bone_node(0, 0, 1, 2, target), lmb_default_node_def()};
    nodes[1].two_bone.reached = lmb_reached(REACHED_WORDS - 1);
    nodes[1].two_bone.reached.parameter = parameter;
    const lmb_state_def states[2] = {lmb_default_state_def(), lmb_default_state_def()};
    lmb_term terms[2] = {lmb_default_term(), lmb_default_term()};
    lmb_transition_def transitions[2] = {lmb_default_transition_def(), lmb_default_transition_def()};
    for (uint32_t i = 0; i < 2; i++) {
        terms[i].kind = i == 0 ? LMB_TERM_GREATER : LMB_TERM_LESS;
        terms[i].left = lmb_parameter(REACHED_PARAMETER);
        terms[i].right = lmb_constant(0.5f);
        transitions[i].from = i;
        transitions[i].to = 1 - i;
        transitions[i].terms = &terms[i];
        transitions[i].term_count = 1;
        transitions[i].fade = 0.0f;
    }
    const lmb_machine_def machine = {
        .name = "limb", .states = states, .state_count = 2, .transitions = transitions, .transition_count = 2};
    static const uint32_t poses[2] = {1, 2};
    nodes[3] = lmb_machine_node(poses, &machine);
    lmb_computed_def computed = lmb_default_computed_def();
    computed.kind = LMB_COMPUTED_MULTIPLY;
    computed.inputs[0] = lmb_parameter(REACHED_PARAMETER);
    computed.inputs[1] = lmb_constant(3.0f);
    computed.parameter = REACHED_COMPUTED;
    const lmb_graph_def def = {.rig = rig,
                               .nodes = nodes,
                               .node_count = 4,
                               .parameter_count = REACHED_PARAMETERS,
                               .computed = &computed,
                               .computed_count = 1};
    return lmb_graph_create(&def, NULL, graph, error);
}

static inline void reached_start(reached_scene *scene) {
    lmb_error error = {0};
    scene->rig = reached_rig();
    if (reached_create(scene->rig, REACHED_PARAMETER, &scene->graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(lmb_graph_get_info(scene->graph)->reached_count, REACHED_WORDS);
    scene->row = lmb_graph_get_info(scene->graph)->parameter_count;
}

static inline void reached_end(reached_scene *scene) {
    lmb_graph_destroy(scene->graph);
    lmb_rig_destroy(scene->rig);
}

// The host overwrites all parameters in each frame. Targets are not near the border, at 1.94.
static inline void reached_fill(const reached_scene *scene, uint32_t frame, float *parameters) {
    random_source source = random_branch(77, frame);
    for (uint32_t i = 0; i < REACHED_CHARACTERS; i++) {
        float *row = parameters + (size_t)i * scene->row;
        lmb_graph_defaults(scene->graph, row);
        row[REACHED_X] = (float)random_between(&source, 0.0, 1.9) + (random_below(&source, 2) == 0 ? 2.0f : 0.0f);
        row[REACHED_PARAMETER] = row[REACHED_COMPUTED] = NAN;
    }
}

#endif
