// Override: joints taken from a pose buffer or a static pose, each with a weight of its own. Against the oracle, at its
// edges, and with buffers that contain nothing valid where the weight is 0.
#include "scene.h"

#include <math.h>

enum { JOINTS = 256, CHARACTERS = 33 };

typedef struct world {
    test_scene scene;
    uint8_t mask[JOINTS]; // joint i has the weight i/255
} world;

// Node 0 is the base, from buffer 0. Node 1 overrides it from buffer 1. Characters have various weights, each third 0.
static void world_start(world *w) {
    random_source source = {41};
    scene_start(&w->scene, scene_rig(JOINTS, SCENE_TREE, 41), CHARACTERS, 1);
    scene_fill_pose(&w->scene, 0, &source);
    scene_fill_pose(&w->scene, 1, &source);
    for (uint32_t i = 0; i < JOINTS; i++) {
        w->mask[i] = (uint8_t)i;
    }
    w->scene.masks[0] = w->mask;
    w->scene.mask_count = 1;
    scene_add_pose_node(&w->scene, 0);
    lmb_node_def *node = scene_add(&w->scene, LMB_OP_OVERRIDE, 0, LMB_NONE);
    node->pose = 1;
    node->mask = 0;
    node->weight = lmb_parameter(0);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const float some = i % 3 == 1 ? 1.0f : (float)random_between(&source, 0.0, 1.0);
        *scene_parameter(&w->scene, i, 0) = i % 3 == 0 ? 0.0f : some;
    }
}

static void random_poses_follow_the_formula(void **state) {
    (void)state;
    world w;
    world_start(&w);
    scene_bounds bounds = SCENE_BOUNDS;
    bounds.magnitude = 10.0;
    scene_run(&w.scene);
    scene_compare_local(&w.scene, "override", bounds);
    w.scene.nodes[1].weight.curve = LMB_CURVE_CUBIC_IN_OUT;
    scene_run(&w.scene);
    scene_compare_local(&w.scene, "override, curve", bounds);
    scene_end(&w.scene);
}

static void assert_same_joint(const world *w, const float *other, uint32_t character, uint32_t joint) {
    for (uint32_t component = 0; component < LMB_POSE_COMPONENTS; component++) {
        float *local = w->scene.buffers[LMB_OUTPUT_LOCAL];
        const float *own = scene_component(&w->scene, local, character, joint, component);
        assert_memory_equal(own, other + (own - local), sizeof *own);
    }
}

// Returns the local transforms of a graph that is only this node. The caller frees them.
static float *run_alone(world *w, lmb_node_def node) {
    const lmb_node_def override = w->scene.nodes[1];
    w->scene.nodes[1] = node;
    scene_run(&w->scene);
    w->scene.nodes[1] = override;
    return scene_keep_output(&w->scene, LMB_OUTPUT_LOCAL);
}

static lmb_node_def pose_node(uint32_t pose) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_POSE;
    node.pose = pose;
    return node;
}

// To the bit: the base where the weight is 0, the buffer's joint where it is 1.
static void ends_are_exact(void **state) {
    (void)state;
    world w;
    world_start(&w);
    float *base = run_alone(&w, pose_node(0)), *given = run_alone(&w, pose_node(1));
    scene_run(&w.scene);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        const bool whole = character % 3 == 1;
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            if (character % 3 == 0 || joint == 0) {
                assert_same_joint(&w, base, character, joint);
            } else if (whole && joint == 255) {
                assert_same_joint(&w, given, character, joint);
            }
        }
    }
    free(base);
    free(given);
    scene_end(&w.scene);
}

// Where the weight is 0, the buffer may contain anything. Elsewhere a joint that is not finite is refused, and the rest
// pose takes its place.
static void buffer_is_read_only_where_it_counts(void **state) {
    (void)state;
    world w;
    world_start(&w);
    float *base = run_alone(&w, pose_node(0));
    uint32_t refused = 0;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            *scene_component(&w.scene, w.scene.poses[1], character, joint, joint % 10) = NAN;
            refused += character % 3 != 0 && joint != 0;
        }
    }
    scene_run(&w.scene);
    assert_int_equal(w.scene.refused[LMB_REFUSED_POSE], refused);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            if (character % 3 == 0 || joint == 0) {
                assert_same_joint(&w, base, character, joint);
            }
        }
    }
    lmb_node_def rest = lmb_default_node_def();
    float *at_rest = run_alone(&w, rest);
    scene_run(&w.scene);
    assert_same_joint(&w, at_rest, 1, 255);
    free(at_rest);
    free(base);
    scene_end(&w.scene);
}

// A static pose instead of a buffer.
static void static_poses_override(void **state) {
    (void)state;
    world w;
    world_start(&w);
    random_source source = {42};
    lmb_transform joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        const float angle = (float)random_between(&source, -1.0, 1.0);
        joints[i] = (lmb_transform){.translation = {angle, 2.0f, -3.0f},
                                    .rotation = {sinf(angle), 0.0f, 0.0f, cosf(angle)},
                                    .scale = {1.5f, 1.0f, 0.5f}};
    }
    w.scene.static_poses = &(lmb_static_pose_def){.joints = joints, .joint_count = JOINTS};
    w.scene.static_pose_count = 1;
    w.scene.nodes[1].static_pose = 0;
    scene_bounds bounds = SCENE_BOUNDS;
    bounds.magnitude = 10.0;
    scene_run(&w.scene);
    scene_compare_local(&w.scene, "override by a static pose", bounds);
    scene_end(&w.scene);
}

// Without a mask all joints are overridden.
static void no_mask_is_all_joints(void **state) {
    (void)state;
    world w;
    world_start(&w);
    w.scene.nodes[1] = lmb_override_node(0, 1, LMB_NONE, lmb_parameter(0));
    scene_bounds bounds = SCENE_BOUNDS;
    bounds.magnitude = 10.0;
    scene_run(&w.scene);
    scene_compare_local(&w.scene, "override without a mask", bounds);
    scene_end(&w.scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_poses_follow_the_formula),
        cmocka_unit_test(ends_are_exact),
        cmocka_unit_test(buffer_is_read_only_where_it_counts),
        cmocka_unit_test(static_poses_override),
        cmocka_unit_test(no_mask_is_all_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
