#include "ragdoll_scene.h"

#include <limber/cpu.h>

#include <stdlib.h>

const uint8_t ragdoll_mask[RAGDOLL_JOINTS + RAGDOLL_CHANNELS] = {1, 0, 0, 255, 0, 1, 1, 0, 0, 0,
                                                                 9, 0, 0, 0,   1, 0, 1, 0, 1};

static const uint8_t every_joint[RAGDOLL_JOINTS + RAGDOLL_CHANNELS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                                                       1, 1, 1, 1, 1, 1, 1, 1, 1};

// Two roots; further joints below any earlier one.
static lmb_rig *create_rig(random_source *source) {
    static lmb_joint_def joints[RAGDOLL_JOINTS];
    lmb_channel_def channels[RAGDOLL_CHANNELS];
    for (uint32_t i = 0; i < RAGDOLL_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i < 2 ? LMB_NONE : random_below(source, i);
        random_rotation(source, joints[i].rest.rotation);
        joints[i].rest.translation[1] = 0.5f;
    }
    for (uint32_t i = 0; i < RAGDOLL_CHANNELS; i++) {
        channels[i] = lmb_default_channel_def();
        channels[i].rest = (float)i + 0.5f;
    }
    lmb_rig_def def = lmb_default_rig_def();
    def.joints = joints;
    def.joint_count = RAGDOLL_JOINTS;
    def.channels = channels;
    def.channel_count = RAGDOLL_CHANNELS;
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static lmb_graph *create_graph(const lmb_rig *rig) {
    const uint8_t *const masks[] = {ragdoll_mask, every_joint};
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_POSE;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig;
    def.nodes = &node;
    def.node_count = 1;
    def.masks = masks;
    def.mask_count = 2;
    lmb_graph *graph = NULL;
    lmb_error error;
    if (lmb_graph_create(&def, NULL, &graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return graph;
}

// Uniform scales, so that no matrix shears.
static void fill_pose(float *pose, random_source *source) {
    for (uint32_t joint = 0; joint < RAGDOLL_JOINTS; joint++) {
        float rotation[4];
        random_rotation(source, rotation);
        const float scale = (float)random_between(source, 0.75, 1.5);
        for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
            pose[i * RAGDOLL_JOINTS + joint] = i < 3   ? (float)random_between(source, -1.0, 1.0)
                                               : i < 7 ? rotation[i - 3]
                                                       : scale;
        }
    }
    for (uint32_t i = 0; i < RAGDOLL_CHANNELS; i++) {
        pose[LMB_POSE_COMPONENTS * RAGDOLL_JOINTS + i] = (float)random_between(source, -9.0, 9.0);
    }
}

static void fill_extremes(float *values, size_t count, random_source *source) {
    for (size_t i = 0; i < count; i++) {
        values[i] = random_extreme(source);
    }
}

ragdoll_scene ragdoll_scene_create(uint32_t character_count, ragdoll_values values, uint64_t seed) {
    random_source source = random_branch(seed, 0);
    ragdoll_scene scene = {.rig = create_rig(&source), .character_count = character_count};
    scene.graph = create_graph(scene.rig);
    scene.pose_floats = lmb_graph_pose_floats(scene.graph, 0);
    scene.model_floats = (size_t)RAGDOLL_JOINTS * LMB_MATRIX_COMPONENTS;
    scene.animated = calloc(character_count, scene.pose_floats * sizeof(float));
    scene.models = calloc(character_count, scene.model_floats * sizeof(float));
    scene.poses = calloc(character_count, scene.pose_floats * sizeof(float));
    assert_true(scene.animated != NULL && scene.models != NULL && scene.poses != NULL);
    for (uint32_t i = 0; i < character_count; i++) {
        fill_pose(scene.animated + i * scene.pose_floats, &source);
    }
    const lmb_batch_def batch = {scene.graph, character_count, LMB_OUTPUT_MODEL_BIT};
    const lmb_batch_inputs inputs = {.poses = {scene.animated}};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_MODEL] = scene.models}};
    lmb_cpu *cpu = NULL;
    assert_int_equal(lmb_cpu_create(scene.graph, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL), LMB_OK);
    lmb_cpu_destroy(cpu);
    if (values == RAGDOLL_EXTREME) {
        fill_extremes(scene.animated, character_count * scene.pose_floats, &source);
        fill_extremes(scene.models, character_count * scene.model_floats, &source);
    }
    return scene;
}

void ragdoll_scene_destroy(ragdoll_scene *scene) {
    free(scene->animated);
    free(scene->models);
    free(scene->poses);
    lmb_graph_destroy(scene->graph);
    lmb_rig_destroy(scene->rig);
}

lmb_ragdoll_info ragdoll_scene_info(ragdoll_scene *scene, uint32_t mask, bool is_animated) {
    lmb_ragdoll_info info = lmb_default_ragdoll_info();
    info.graph = scene->graph;
    info.character_count = scene->character_count;
    info.mask = mask;
    info.animated = is_animated ? scene->animated : NULL;
    info.models = scene->models;
    info.poses = scene->poses;
    info.refused_sums = scene->refused;
    return info;
}
