// Combine, joint maps and static poses: against the float64 oracle, properties of the definition, and refused
// definitions.
#include "keyframes.h"
#include "refusal.h"
#include "scene.h"

#include <limber/cost.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 21, ARM = 4, TAIL = 3, CHARACTERS = 37 };

// A whole pose and two joint maps: an arm with its own rig, which is also mapped to the other side, and a tail in
// another order than the rig's. Clips 0 and 1 belong to the rig, 2 to the arm, 3 to the tail.
typedef struct fixture {
    test_scene scene;
    uint32_t tables[2][JOINTS];
    lmb_joint_map_def joint_maps[2];
    lmb_rig *rigs[2];
    const lmb_rig *clip_rigs[4];
    keyframes keys[4];
    lmb_clip_def clips[4];
    lmb_transform joints[3][JOINTS];
    lmb_static_pose_def poses[3];
} fixture;

static void fill_static_pose(fixture *f, uint32_t pose, uint32_t joint_count, random_source *source) {
    static const char *const names[3] = {"crouch", "fist", "curl"};
    f->poses[pose] = (lmb_static_pose_def){names[pose], f->joints[pose], joint_count, NULL};
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        lmb_transform *to = &f->joints[pose][joint];
        random_rotation(source, to->rotation);
        for (int i = 0; i < 3; i++) {
            to->translation[i] = (float)random_between(source, -10.0, 10.0);
            to->scale[i] = (float)random_between(source, 0.5, 2.0);
        }
    }
}

static void begin(fixture *f, uint64_t seed) {
    *f = (fixture){0};
    random_source source = {seed};
    scene_start(&f->scene, scene_rig(JOINTS, SCENE_TREE, seed), CHARACTERS, 3);
    memset(f->tables, 0xff, sizeof f->tables);
    for (uint32_t i = 0; i < ARM; i++) {
        f->tables[0][3 + i] = i;
        f->tables[0][10 + i] = i;
    }
    for (uint32_t i = 0; i < TAIL; i++) {
        f->tables[1][5 + 7 * i] = TAIL - 1 - i;
    }
    f->joint_maps[0] = (lmb_joint_map_def){f->tables[0], ARM};
    f->joint_maps[1] = (lmb_joint_map_def){f->tables[1], TAIL};
    f->rigs[0] = scene_rig(ARM, SCENE_CHAIN, seed + 1);
    f->rigs[1] = scene_rig(TAIL, SCENE_WIDE, seed + 2);
    const lmb_rig *clip_rigs[4] = {f->scene.rig, f->scene.rig, f->rigs[0], f->rigs[1]};
    for (uint32_t i = 0; i < 4; i++) {
        f->clip_rigs[i] = clip_rigs[i];
        f->keys[i] = keyframes_create(lmb_rig_get_def(clip_rigs[i])->joint_count, 9, seed + i);
        f->clips[i] = f->keys[i].clip;
    }
    fill_static_pose(f, 0, JOINTS, &source);
    fill_static_pose(f, 1, ARM, &source);
    fill_static_pose(f, 2, TAIL, &source);
    f->scene.clips = f->clips;
    f->scene.clip_count = 4;
    f->scene.clip_rigs = f->clip_rigs;
    f->scene.joint_maps = f->joint_maps;
    f->scene.joint_map_count = 2;
    f->scene.static_poses = f->poses;
    f->scene.static_pose_count = 3;
    for (uint32_t i = 0; i < CHARACTERS * 3; i++) {
        f->scene.parameters[i] = (float)random_between(&source, 0.0, i % 3 == 2 ? 4.0 : 1.0);
    }
}

static void end(fixture *f) {
    for (uint32_t i = 0; i < 4; i++) {
        keyframes_destroy(&f->keys[i]);
    }
    lmb_rig_destroy(f->rigs[0]);
    lmb_rig_destroy(f->rigs[1]);
    scene_end(&f->scene);
}

// Adds a clip at the time in parameter 0. Returns its node.
static uint32_t add_clip(fixture *f, lmb_value clip) {
    lmb_node_def *node = scene_add(&f->scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE);
    node->clip = clip;
    node->time = lmb_parameter(0);
    return f->scene.node_count - 1;
}

static uint32_t add_static(fixture *f, uint32_t pose) {
    scene_add_pose_node(&f->scene, 0)->static_pose = pose;
    return f->scene.node_count - 1;
}

static uint32_t add(fixture *f, lmb_op op, uint32_t a, uint32_t b) {
    scene_add(&f->scene, op, a, b)->weight = lmb_parameter(1);
    return f->scene.node_count - 1;
}

static uint32_t add_combine(fixture *f, uint32_t count, const uint32_t (*inputs)[2]) {
    lmb_node_def *node = scene_add(&f->scene, LMB_OP_COMBINE, LMB_NONE, LMB_NONE);
    node->input_count = count;
    for (uint32_t i = 0; i < count; i++) {
        node->inputs[i] = inputs[i][0];
        node->joint_maps[i] = inputs[i][1];
    }
    return f->scene.node_count - 1;
}

// A pose buffer of a joint map, whose joints are not those of the scene's rig.
static uint32_t add_part_buffer(fixture *f, uint32_t pose, uint32_t joints, random_source *source) {
    float *buffer = calloc((size_t)CHARACTERS * LMB_POSE_COMPONENTS * joints, sizeof(float));
    assert_non_null(buffer);
    for (size_t i = 0; i < (size_t)CHARACTERS * LMB_POSE_COMPONENTS * joints; i++) {
        buffer[i] = (float)random_between(source, 0.25, 2.0);
    }
    f->scene.poses[pose] = buffer;
    scene_add_pose_node(&f->scene, pose);
    return f->scene.node_count - 1;
}

static scene_bounds bounds(void) {
    scene_bounds bounds = SCENE_BOUNDS;
    bounds.magnitude = KEYFRAMES_MAGNITUDE;
    bounds.translation = bounds.rotation = 4e-6;
    bounds.scale = 1e-5;
    bounds.scale_floor = 1.0;
    return bounds;
}

// Every source inside joint maps, operations on them, and a combine inside another.
static void build_all(fixture *f, random_source *source) {
    const uint32_t base = add(f, LMB_OP_BLEND, add_clip(f, lmb_constant(0.0f)), add_static(f, 0));
    const uint32_t arm = add_clip(f, lmb_constant(2.0f)), fist = add_static(f, 1);
    const uint32_t masked = add(f, LMB_OP_MASKED, arm, fist);
    const uint32_t buffer = add_part_buffer(f, 0, ARM, source);
    const uint32_t moved = add(f, LMB_OP_ADDITIVE, masked, add(f, LMB_OP_MAKE_ADDITIVE, buffer, fist));
    const uint32_t held = add(f, LMB_OP_CLAMP, moved, LMB_NONE);
    const uint32_t turned = add(f, LMB_OP_MIRROR, held, LMB_NONE);
    const uint32_t tail = add(f, LMB_OP_BLEND, add_clip(f, lmb_constant(3.0f)), add_static(f, 2));
    const uint32_t inner = add_combine(f, 2, (const uint32_t[][2]){{base, LMB_NONE}, {tail, 1}});
    const uint32_t whole = add_clip(f, lmb_constant(1.0f));
    add_combine(f, 3, (const uint32_t[][2]){{whole, LMB_NONE}, {inner, 1}, {turned, 0}});
}

static void sources_in_parts(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 7; seed++) {
        fixture f;
        begin(&f, seed);
        random_source source = {seed};
        uint8_t mask[JOINTS];
        uint32_t partners[JOINTS];
        lmb_joint_limit_def limits[JOINTS];
        for (uint32_t i = 0; i < JOINTS; i++) {
            mask[i] = (uint8_t)(i * 12);
            partners[i] = i;
            limits[i] = lmb_default_joint_limit_def();
            limits[i].set = LMB_JOINT_LIMIT_TRANSLATION;
            for (int k = 0; k < 3; k++) {
                limits[i].translation_min[k] = -2.0f;
                limits[i].translation_max[k] = (float)i;
            }
        }
        const lmb_mirror_def mirror = {.axis = LMB_AXIS_Y, .partners = partners};
        f.scene.masks[0] = mask;
        f.scene.mask_count = 1;
        f.scene.mirrors = &mirror;
        f.scene.mirror_count = 1;
        f.scene.joint_limits = limits;
        build_all(&f, &source);
        scene_run_all_paths(&f.scene);
        scene_compare_local(&f.scene, "combine", bounds());
        end(&f);
    }
}

// Later inputs replace earlier ones, and joints of no input are at rest, both to the bit.
static void the_last_input_wins(void **state) {
    (void)state;
    fixture f;
    begin(&f, 3);
    const uint32_t arm = add_static(&f, 1), tail = add_static(&f, 2);
    add_combine(&f, 2, (const uint32_t[][2]){{arm, 0}, {tail, 1}});
    scene_run(&f.scene);
    float *first = scene_keep_output(&f.scene, LMB_OUTPUT_LOCAL);
    lmb_node_def *node = &f.scene.nodes[f.scene.node_count - 1];
    node->inputs[0] = tail;
    node->joint_maps[0] = 1;
    node->inputs[1] = arm;
    node->joint_maps[1] = 0;
    scene_run(&f.scene);
    uint32_t shared = 0;
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        const bool in_arm = f.tables[0][joint] != LMB_NONE, in_tail = f.tables[1][joint] != LMB_NONE;
        const lmb_transform rest = lmb_rig_get_def(f.scene.rig)->joints[joint].rest;
        const lmb_transform *of_arm = in_arm ? &f.joints[1][f.tables[0][joint]] : &rest;
        const lmb_transform *of_tail = in_tail ? &f.joints[2][f.tables[1][joint]] : &rest;
        for (int i = 0; i < 3; i++) {
            const lmb_transform *expected = in_tail ? of_tail : of_arm;
            assert_true(*scene_component(&f.scene, first, 5, joint, (uint32_t)i) == expected->translation[i]);
            expected = in_arm ? of_arm : of_tail;
            assert_true(*scene_component(&f.scene, f.scene.buffers[LMB_OUTPUT_LOCAL], 5, joint, 7 + (uint32_t)i) ==
                        expected->scale[i]);
        }
        shared += in_arm && in_tail;
    }
    assert_true(shared > 0);
    free(first);
    end(&f);
}

// Joint maps of the whole rig change no bit, however they divide it.
static void the_same_pose_in_pieces(void **state) {
    (void)state;
    fixture f;
    begin(&f, 4);
    uint32_t tables[2][JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        tables[0][i] = i % 3 == 0 ? i : LMB_NONE;
        tables[1][i] = i % 3 == 0 ? LMB_NONE : i;
    }
    f.joint_maps[0] = (lmb_joint_map_def){tables[0], JOINTS};
    f.joint_maps[1] = (lmb_joint_map_def){tables[1], JOINTS};
    f.scene.clip_count = 2;
    const uint32_t pose = add(&f, LMB_OP_BLEND, add_clip(&f, lmb_constant(0.0f)), add_clip(&f, lmb_constant(1.0f)));
    scene_run(&f.scene);
    float *alone = scene_keep_output(&f.scene, LMB_OUTPUT_PALETTE);
    add_combine(&f, 2, (const uint32_t[][2]){{pose, 0}, {pose, 1}});
    scene_run(&f.scene);
    scene_expect_output(&f.scene, LMB_OUTPUT_PALETTE, alone);
    f.scene.nodes[f.scene.node_count - 1].joint_maps[1] = LMB_NONE;
    scene_run(&f.scene);
    scene_expect_output(&f.scene, LMB_OUTPUT_PALETTE, alone);
    free(alone);
    end(&f);
}

// A parameter may choose a clip of another rig. The node refuses it, once per character.
static void clips_of_other_joints_are_refused(void **state) {
    (void)state;
    fixture f;
    begin(&f, 5);
    const uint32_t whole = add_clip(&f, lmb_parameter(2)), arm = add_clip(&f, lmb_parameter(2));
    add_combine(&f, 2, (const uint32_t[][2]){{whole, LMB_NONE}, {arm, 0}});
    uint32_t refused = 0;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        const uint32_t clip = (uint32_t)*scene_parameter(&f.scene, character, 2);
        refused += (clip < 2 ? 0u : 1u) + (clip == 2 ? 0u : 1u);
    }
    scene_run_all_paths(&f.scene);
    assert_int_equal(f.scene.refused[LMB_REFUSED_CLIP], refused);
    scene_compare_local(&f.scene, "chosen clips", bounds());
    end(&f);
}

// A clip at a constant time is the same pose as a static pose sampled from it.
static void a_clip_at_a_fixed_time(void **state) {
    (void)state;
    fixture f;
    begin(&f, 6);
    f.scene.joint_map_count = 0;
    f.scene.clip_count = 2;
    lmb_node_def *node = scene_add(&f.scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE);
    node->time = lmb_constant(0.75f);
    scene_run_and_compare(&f.scene, "a clip at a fixed time", bounds());
    float *sampled = scene_keep_output(&f.scene, LMB_OUTPUT_LOCAL);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        f.joints[0][joint] = scene_transform(&f.scene, sampled, 0, joint);
    }
    add_static(&f, 0);
    scene_run(&f.scene);
    for (size_t i = 0; i < scene_output_floats(&f.scene, LMB_OUTPUT_LOCAL); i++) {
        assert_true(fabsf(f.scene.buffers[LMB_OUTPUT_LOCAL][i] - sampled[i]) <= 2e-7f); // normalised a second time
    }
    free(sampled);
    end(&f);
}

static lmb_result check(const fixture *f, lmb_error *error) {
    lmb_clip *clips[4];
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(lmb_clip_create(f->clip_rigs[i], &f->clips[i], NULL, &clips[i], error), LMB_OK);
    }
    const lmb_graph_def def = {.rig = f->scene.rig,
                               .clips = (const lmb_clip *const *)clips,
                               .clip_count = f->scene.clip_count,
                               .nodes = f->scene.nodes,
                               .node_count = f->scene.node_count,
                               .parameter_count = 3,
                               .joint_maps = f->scene.joint_maps,
                               .joint_map_count = f->scene.joint_map_count,
                               .static_poses = f->scene.static_poses,
                               .static_pose_count = f->scene.static_pose_count};
    const lmb_result result = lmb_graph_check(&def, error);
    for (uint32_t i = 0; i < 4; i++) {
        lmb_clip_destroy(clips[i]);
    }
    return result;
}

static void what_does_not_fit(void **state) {
    (void)state;
    fixture f;
    lmb_error error = {0};
    begin(&f, 7);
    const uint32_t arm = add_clip(&f, lmb_constant(2.0f));
    add_combine(&f, 1, (const uint32_t[][2]){{arm, 0}});
    lmb_node_def *nodes = f.scene.nodes;
    assert_int_equal(check(&f, &error), LMB_OK);
    nodes[1].joint_maps[0] = 1;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT,
                  "node 0 (clip): clip: it has 4 joints, and joint map 1", "in which it is, 3");
    nodes[1].joint_maps[0] = LMB_NONE;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "clip: it has 4 joints, and the rig 21");
    nodes[1].joint_maps[0] = 2;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT,
                  "node 1 (combine): joint_maps[0]: there is no such joint map");
    nodes[1].joint_maps[0] = 0;
    nodes[1].input_count = 0;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "inputs: this operation has 1 to 16");
    nodes[1].input_count = 1;
    f.tables[0][11] = ARM;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "joint map 0: joint 11 '",
                  "is joint 4 of it, and it has 4");
    f.tables[0][11] = 1;
    f.joint_maps[1].joints = NULL;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "joint map 1: the table is NULL");
    f.joint_maps[1] = (lmb_joint_map_def){f.tables[1], 0};
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "joint map 1: the number of joints");
    f.joint_maps[1].joint_count = LMB_MAX_JOINTS + 1;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "joint map 1: the number of joints");
    f.joint_maps[1].joint_count = TAIL + 2;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "clip 3 '",
                  "is for 3 joints, and the rig has 21, and no");
    f.joint_maps[1].joint_count = TAIL;
    f.scene.joint_map_count = LMB_MAX_JOINT_MAPS + 1;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_LIMIT, "65 joint maps");
    f.scene.joint_map_count = 2;
    f.scene.joint_maps = NULL;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "the joint maps are NULL");
    f.scene.joint_maps = f.joint_maps;
    // One pose buffer in two joint maps.
    scene_add_pose_node(&f.scene, 3);
    add_combine(&f, 2, (const uint32_t[][2]){{2, 1}, {2, 0}});
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "node 2 (pose): pose: elsewhere this buffer has 3");
    end(&f);
}

static void static_poses_that_do_not_fit(void **state) {
    (void)state;
    fixture f;
    lmb_error error = {0};
    begin(&f, 8);
    add_static(&f, 0);
    assert_int_equal(check(&f, &error), LMB_OK);
    f.scene.nodes[0].static_pose = 1;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "node 0 (pose): static_pose: it has 4 joints");
    f.scene.nodes[0].static_pose = 3;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "static_pose: there is no such static pose");
    f.scene.nodes[0].static_pose = 0;
    lmb_transform *joint = &f.joints[2][1];
    const lmb_transform kept = *joint;
    joint->translation[2] = INFINITY;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "static pose 2 'curl': joint 1: its translation");
    *joint = kept;
    joint->scale[0] = NAN;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "static pose 2 'curl': joint 1: its scale");
    *joint = kept;
    for (int i = 0; i < 4; i++) {
        joint->rotation[i] = kept.rotation[i] * 1.002f;
    }
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "joint 1: its rotation has a length of 1.002");
    for (int i = 0; i < 4; i++) {
        joint->rotation[i] = kept.rotation[i] * 1.0005f;
    }
    assert_int_equal(check(&f, &error), LMB_OK);
    f.poses[1].joints = NULL;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "static pose 1 'fist': the joints are NULL");
    f.poses[1] = (lmb_static_pose_def){NULL, f.joints[1], 0, NULL};
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "static pose 1 '': the number of joints");
    f.scene.static_pose_count = LMB_MAX_STATIC_POSES + 1;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_LIMIT, "1025 static poses");
    f.scene.static_pose_count = 3;
    f.scene.static_poses = NULL;
    CHECK_REFUSAL(check(&f, &error), &error, LMB_ERROR_ARGUMENT, "the static poses are NULL");
    end(&f);
}

static uint64_t count_time(void *user) {
    return *(uint64_t *)user += 1000;
}

// Its printed form, the measurement of each node, and the sizes of its buffers.
static void what_a_graph_reports(void **state) {
    (void)state;
    fixture f;
    begin(&f, 9);
    const uint32_t base = add_static(&f, 0);
    scene_add_pose_node(&f.scene, 1);
    add_combine(&f, 2, (const uint32_t[][2]){{base, LMB_NONE}, {base + 1, 1}});
    lmb_graph_def def = {.rig = f.scene.rig,
                         .nodes = f.scene.nodes,
                         .node_count = f.scene.node_count,
                         .joint_maps = f.joint_maps,
                         .joint_map_count = 2,
                         .static_poses = f.poses,
                         .static_pose_count = 3};
    lmb_graph *program = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_graph_create(&def, NULL, &program, &error), LMB_OK);
    expect_printed(program, "   0  s0   fixed          static pose 0\n"
                            "   1  s1   pose           buffer 1, joint map 1\n"
                            "   2  s0   take           s0 s1, joint map 1\n");
    assert_int_equal(lmb_graph_pose_joint_count(program, 0), 0);
    assert_int_equal(lmb_graph_pose_joint_count(program, 1), TAIL);
    assert_int_equal(lmb_graph_pose_joint_count(program, LMB_MAX_POSES), 0);
    assert_int_equal(lmb_graph_get_info(program)->stack, 2);
    lmb_graph_destroy(program);
    static float buffer[CHARACTERS * LMB_POSE_COMPONENTS * TAIL];
    lmb_batch_inputs inputs = {0};
    inputs.poses[0] = inputs.poses[1] = buffer;
    uint64_t time = 0;
    lmb_node_cost costs[3];
    const lmb_cost_def cost = {.graph = &def,
                               .inputs = &inputs,
                               .character_count = CHARACTERS,
                               .rounds = 1,
                               .path = LMB_CPU_FAST,
                               .clock = {count_time, &time}};
    if (lmb_cost_measure(&cost, NULL, costs, NULL, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(costs[1].uses, 1);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_in_parts),
        cmocka_unit_test(the_last_input_wins),
        cmocka_unit_test(the_same_pose_in_pieces),
        cmocka_unit_test(clips_of_other_joints_are_refused),
        cmocka_unit_test(a_clip_at_a_fixed_time),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(static_poses_that_do_not_fit),
        cmocka_unit_test(what_a_graph_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
