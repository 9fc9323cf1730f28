// Inputs without a weight are not evaluated, on the reference for each character, on SIMD paths for each vector. This
// must not show: not where a node with memory, a reached target or a count of shears sees them although nobody sees
// that node, while the neighbours in the vector need them. Operations leave out the arithmetic of a pose that has no
// weight in any lane, which must not show either.
#include "suite.h"

#include "program/program.h"

#include <limber/chain.h>
#include <limber/cpu.h>
#include <limber/graph.h>

#include <string.h>

enum {
    JOINTS = 4,
    CHARACTERS = 8,
    FRAMES = 12,
    STEPS = 50,
    LATE = 8,
    MOST_NODES = 8,
    PARAMETERS = 3,
    SHOWN = 0,
    FIRST = 1,
    TIME = 2
};

typedef enum observer { OBSERVER_CHAIN, OBSERVER_TWO_BONE, OBSERVER_AFFINE, OBSERVER_COUNT } observer;

static lmb_node_def static_node(uint32_t pose) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_POSE;
    node.static_pose = pose;
    return node;
}

// A blend that shows the observer where SHOWN is 1. What the observer sees is a blend of static poses where FIRST is 0.
static lmb_graph *create_graph(observer kind, const lmb_rig *rig, const lmb_transform *rest) {
    lmb_transform turned[2][JOINTS];
    lmb_static_pose_def poses[2];
    for (int k = 0; k < 2; k++) {
        poses[k] = lmb_default_static_pose_def();
        poses[k].joints = turned[k];
        poses[k].joint_count = JOINTS;
        for (int joint = 0; joint < JOINTS; joint++) {
            turned[k][joint] = rest[joint];
            turned[k][joint].rotation[0] = k == 0 ? 0.6f : 0.28f;
            turned[k][joint].rotation[3] = k == 0 ? 0.8f : 0.96f;
            turned[k][joint].scale[0] = kind == OBSERVER_AFFINE ? 2.0f : 1.0f;
            turned[k][joint].scale[2] = kind == OBSERVER_AFFINE ? 0.5f : 1.0f;
        }
    }
    const lmb_value target[3] = {lmb_constant(0.0f), lmb_constant(0.28f), lmb_constant(2.2f)};
    lmb_node_def nodes[MOST_NODES] = {static_node(0), static_node(1), lmb_blend_node(0, 1, lmb_constant(0.25f)),
                                      lmb_default_node_def(), lmb_blend_node(2, 3, lmb_parameter(FIRST))};
    if (kind == OBSERVER_CHAIN) {
        nodes[5] = lmb_chain_node(4, 1, 3, lmb_parameter(TIME));
    } else if (kind == OBSERVER_TWO_BONE) {
        nodes[5] = lmb_two_bone_node(4, 1, 2, 3, target);
        nodes[5].two_bone.reached = lmb_reached(0);
    } else {
        nodes[5] = lmb_default_node_def();
        nodes[5].op = LMB_OP_MAKE_ADDITIVE;
        nodes[5].form = LMB_FORM_AFFINE;
        nodes[5].input_count = 2;
        nodes[5].inputs[0] = 4;
        nodes[5].inputs[1] = 1;
    }
    nodes[6] = kind == OBSERVER_AFFINE ? lmb_additive_node(3, 5, lmb_parameter(SHOWN))
                                       : lmb_blend_node(3, 5, lmb_parameter(SHOWN));
    nodes[6].form = kind == OBSERVER_AFFINE ? LMB_FORM_AFFINE : nodes[6].form;
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig;
    def.nodes = nodes;
    def.node_count = 7;
    def.parameter_count = PARAMETERS;
    def.static_poses = poses;
    def.static_pose_count = 2;
    lmb_graph *graph = NULL;
    lmb_error error;
    assert_ok(lmb_graph_create(&def, NULL, &graph, &error), &error);
    return graph;
}

// What a path computes and keeps.
typedef struct side {
    lmb_cpu *cpu;
    float poses[CHARACTERS * JOINTS * 10];
    uint32_t memory[CHARACTERS * 400];
    uint32_t reached[CHARACTERS];
    uint32_t refused[LMB_REFUSAL_COUNT];
} side;

static void run(const lmb_graph *graph, const float *parameters, side *on) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    assert_true(info->inertia_words <= 400 && info->reached_count <= 1);
    lmb_batch_def batch = lmb_default_batch_def();
    batch.graph = graph;
    batch.character_count = CHARACTERS;
    batch.outputs = LMB_OUTPUT_LOCAL_BIT;
    const lmb_batch_inputs inputs = {.parameters = parameters};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_LOCAL] = on->poses,
                                       .refused = on->refused,
                                       .inertia = info->inertia_words > 0 ? on->memory : NULL,
                                       .reached = info->reached_count > 0 ? on->reached : NULL};
    lmb_error error;
    assert_ok(lmb_cpu_run(on->cpu, &batch, &inputs, &outputs, &error), &error);
}

static void compare(const lmb_graph *graph, lmb_cpu_path path) {
    static side sides[2];
    memset(sides, 0, sizeof sides);
    lmb_error error;
    assert_ok(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &sides[0].cpu, &error), &error);
    assert_ok(lmb_cpu_create(graph, path, NULL, &sides[1].cpu, &error), &error);
    for (int frame = 0; frame < FRAMES; frame++) {
        float parameters[CHARACTERS][PARAMETERS];
        for (int i = 0; i < CHARACTERS; i++) {
            parameters[i][SHOWN] = i % 4 != 0 || frame >= LATE ? 1.0f : 0.0f;
            parameters[i][FIRST] = 0.0f;
            parameters[i][TIME] = (float)frame / 60.0f;
        }
        for (int k = 0; k < 2; k++) {
            run(graph, parameters[0], &sides[k]);
        }
        assert_memory_equal(sides[0].poses, sides[1].poses, sizeof sides[0].poses);
        assert_memory_equal(sides[0].memory, sides[1].memory, sizeof sides[0].memory);
        assert_memory_equal(sides[0].reached, sides[1].reached, sizeof sides[0].reached);
        assert_memory_equal(sides[0].refused, sides[1].refused, sizeof sides[0].refused);
    }
    // The words of who is seen late are those of who was always seen.
    for (int i = 1; i < CHARACTERS; i++) {
        assert_int_equal(sides[0].reached[i], sides[0].reached[0]);
    }
    for (int k = 0; k < 2; k++) {
        lmb_cpu_destroy(sides[k].cpu);
    }
}

static lmb_rig *create_rig(lmb_transform *rest) {
    lmb_joint_def joints[JOINTS];
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        joints[joint] = lmb_default_joint_def();
        joints[joint].parent = joint > 0 ? joint - 1 : LMB_NONE;
        joints[joint].rest.translation[1] = joint > 0 ? 1.0f : 0.0f;
        rest[joint] = joints[joint].rest;
    }
    lmb_rig_def def = lmb_default_rig_def();
    def.joints = joints;
    def.joint_count = JOINTS;
    lmb_rig *rig = NULL;
    lmb_error error;
    assert_ok(lmb_rig_create(&def, NULL, &rig, &error), &error);
    return rig;
}

static void compare_paths(const lmb_graph *graph, void (*compare_path)(const lmb_graph *graph, lmb_cpu_path path)) {
    for (int path = LMB_CPU_SIMD_4; path < LMB_CPU_PATH_COUNT; path++) {
        if (lmb_cpu_has((lmb_cpu_path)path)) {
            compare_path(graph, (lmb_cpu_path)path);
        }
    }
}

static void who_sees_an_input_without_a_weight_sees_it_on_every_path(void **state) {
    (void)state;
    lmb_transform rest[JOINTS];
    lmb_rig *rig = create_rig(rest);
    for (int kind = 0; kind < OBSERVER_COUNT; kind++) {
        lmb_graph *graph = create_graph((observer)kind, rig, rest);
        compare_paths(graph, compare);
        lmb_graph_destroy(graph);
    }
    lmb_rig_destroy(rig);
}

// A clip without scales that turns every joint.
static lmb_clip *create_turn(const lmb_rig *rig, const float quaternion[4]) {
    static const float start = 0.0f;
    lmb_track_def tracks[JOINTS];
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        tracks[joint] = (lmb_track_def){joint, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 1, &start, quaternion};
    }
    lmb_clip_def def = lmb_default_clip_def();
    def.name = "turn";
    def.tracks = tracks;
    def.track_count = JOINTS;
    lmb_clip *clip = NULL;
    lmb_error error;
    assert_ok(lmb_clip_create(rig, &def, NULL, &clip, &error), &error);
    return clip;
}

// An operation of two poses by SHOWN, whose first one is a blend by FIRST, so that it is not quite of unit length.
static lmb_graph *create_pair(lmb_op op, const lmb_rig *rig, const lmb_clip *const clips[2]) {
    static const uint8_t mask[JOINTS] = {255, 128, 0, 255};
    lmb_node_def nodes[MOST_NODES] = {lmb_clip_node(0, lmb_constant(0.0f)), lmb_clip_node(1, lmb_constant(0.0f)),
                                      lmb_blend_node(0, 1, lmb_parameter(FIRST)), lmb_default_node_def(),
                                      lmb_default_node_def()};
    nodes[4].op = LMB_OP_MAKE_ADDITIVE;
    nodes[4].input_count = 2;
    nodes[4].inputs[0] = 1;
    nodes[4].inputs[1] = 3;
    nodes[5] = op == LMB_OP_ADDITIVE ? lmb_additive_node(2, 4, lmb_parameter(SHOWN))
               : op == LMB_OP_MASKED ? lmb_masked_node(2, 1, 0, lmb_parameter(SHOWN))
                                     : lmb_blend_node(2, 1, lmb_parameter(SHOWN));
    const uint8_t *masks[1] = {mask};
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig;
    def.clips = clips;
    def.clip_count = 2;
    def.masks = masks;
    def.mask_count = 1;
    def.nodes = nodes;
    def.node_count = 6;
    def.parameter_count = PARAMETERS;
    lmb_graph *graph = NULL;
    lmb_error error;
    assert_ok(lmb_graph_create(&def, NULL, &graph, &error), &error);
    return graph;
}

// A character in a vector without any weight, and the same one with neighbours whose weight is above 0.
static void compare_neighbours(const lmb_graph *graph, lmb_cpu_path path) {
    static side alone, beside;
    lmb_error error;
    assert_true(lmb_graph_is_plain(graph)); // others compute everything
    assert_ok(lmb_cpu_create(graph, path, NULL, &alone.cpu, &error), &error);
    assert_ok(lmb_cpu_create(graph, path, NULL, &beside.cpu, &error), &error);
    for (int step = 0; step < STEPS; step++) {
        float parameters[2][CHARACTERS][PARAMETERS] = {0};
        for (int i = 0; i < CHARACTERS; i++) {
            parameters[0][i][FIRST] = parameters[1][i][FIRST] =
                ((float)(step * CHARACTERS + i) + 0.5f) / (STEPS * CHARACTERS);
            parameters[1][i][SHOWN] = i % 4 != 0 ? 0.5f : 0.0f;
        }
        run(graph, parameters[0][0], &alone);
        run(graph, parameters[1][0], &beside);
        for (size_t i = 0; i < CHARACTERS; i += 4) {
            const size_t at = i * JOINTS * 10;
            assert_memory_equal(alone.poses + at, beside.poses + at, JOINTS * 10 * sizeof(float));
        }
    }
    lmb_cpu_destroy(alone.cpu);
    lmb_cpu_destroy(beside.cpu);
}

static void a_weight_of_0_has_the_same_bits_beside_neighbours_that_have_one(void **state) {
    (void)state;
    static const lmb_op ops[] = {LMB_OP_BLEND, LMB_OP_MASKED, LMB_OP_ADDITIVE};
    static const float quaternions[2][4] = {{0.6f, 0.0f, 0.0f, 0.8f}, {0.48f, 0.36f, 0.64f, -0.48f}};
    lmb_transform rest[JOINTS];
    lmb_rig *rig = create_rig(rest);
    lmb_clip *clips[2] = {create_turn(rig, quaternions[0]), create_turn(rig, quaternions[1])};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        lmb_graph *graph = create_pair(ops[i], rig, (const lmb_clip *const *)clips);
        compare_paths(graph, compare_neighbours);
        lmb_graph_destroy(graph);
    }
    lmb_clip_destroy(clips[0]);
    lmb_clip_destroy(clips[1]);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_sees_an_input_without_a_weight_sees_it_on_every_path),
        cmocka_unit_test(a_weight_of_0_has_the_same_bits_beside_neighbours_that_have_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
