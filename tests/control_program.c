#include "control_program.h"

#include "suite.h"

static const lmb_joint_def root = {
    .name = "root", .parent = LMB_NONE, .rest = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};

static void expect_made(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fail_msg("%s", error->message);
    }
}

lmb_graph *control_program_create_of(const lmb_node_def *nodes, uint32_t node_count, uint32_t parameter_count) {
    static const uint8_t mask[] = {CONTROL_PROGRAM_MASK};
    static const uint8_t *const masks[] = {mask};
    lmb_error error = {0};
    lmb_rig *rig = NULL;
    expect_made(lmb_rig_create(&(lmb_rig_def){.joints = &root, .joint_count = 1}, NULL, &rig, &error), &error);
    lmb_clip *clips[2] = {NULL};
    for (uint32_t i = 0; i < 2; i++) {
        const lmb_clip_def still = {.name = "still", .duration = 1.0f, .additive = i == 1};
        expect_made(lmb_clip_create(rig, &still, NULL, &clips[i], &error), &error);
    }
    const lmb_graph_def program_def = {.rig = rig,
                                       .clips = (const lmb_clip *const *)clips,
                                       .clip_count = 2,
                                       .masks = masks,
                                       .mask_count = 1,
                                       .nodes = nodes,
                                       .node_count = node_count,
                                       .parameter_count = parameter_count};
    lmb_graph *program = NULL;
    expect_made(lmb_graph_create(&program_def, NULL, &program, &error), &error);
    lmb_clip_destroy(clips[0]);
    lmb_clip_destroy(clips[1]);
    lmb_rig_destroy(rig);
    return program;
}

lmb_graph *control_program_create(const lmb_control_def *def, const lmb_value *weights) {
    lmb_node_def nodes[LMB_MAX_INPUTS + 1];
    assert_in_range(def->player_count, 2, LMB_MAX_INPUTS);
    lmb_node_def *sum = &nodes[def->player_count];
    *sum = lmb_default_node_def();
    sum->op = LMB_OP_WEIGHTED;
    sum->input_count = def->player_count;
    for (uint32_t i = 0; i < def->player_count; i++) {
        nodes[i] = lmb_default_node_def();
        nodes[i].op = LMB_OP_CLIP;
        nodes[i].time = lmb_parameter(def->players[i].time_parameter);
        sum->inputs[i] = i;
        sum->weights[i] = weights[i];
    }
    return control_program_create_of(nodes, def->player_count + 1, def->parameter_count);
}
