// Inverse kinematics beside that of ozz-animation 0.16, IKAimJob and IKTwoBoneJob: cases of its tests with their
// numbers, and what Limber has for the same inputs. Its tests compare quaternions within 2e-3.
#include "scene.h"

#include <math.h>

#define HALF 0.70710678
#define PI 3.14159265f

// ---- A root at the identity aims.

static const struct aim_row {
    const char *name;
    float target[3], up[3], pole[3], offset[3];
    float twist, weight;
    double expected[4];
    bool reached; // ozz's are also with a weight below 1, and of a target at the joint
} aim_rows[] = {
    {"ahead", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, 0, 0, 1}, true},
    {"behind", {-1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, 1, 0, 0}, true},
    {"to the side", {0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, -HALF, 0, HALF}, true},
    {"upwards", {2, 2, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, 0, 0.38268343, 0.92387953}, true},
    {"up is -y", {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0}, 0, 1, {1, 0, 0, 0}, true},
    {"up is z", {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0}, 0, 1, {-HALF, 0, 0, HALF}, true},
    {"pole is z", {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0}, 0, 1, {HALF, 0, 0, HALF}, true},
    {"target along up", {0, -2, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, 0, -HALF, HALF}, true},
    {"half a weight", {0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 0.5f, {0, -0.38268343, 0, 0.92387953}, false},
    {"no weight", {0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 0, {0, 0, 0, 1}, false},
    {"offset", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 0.70710678f, 0}, 0, 1, {0, 0, -0.38268343, 0.92387953}, true},
    {"offset ahead", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0.5f, 0.5f, 0}, 0, 1, {0, 0, -0.25881905, 0.96592583}, true},
    {"offset behind", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {-0.5f, 0.5f, 0}, 0, 1, {0, 0, -0.25881905, 0.96592583}, true},
    {"offset aside", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0.5f, 0, 0.5f}, 0, 1, {0, 0.25881905, 0, 0.96592583}, true},
    {"offset on the sphere", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}, 0, 1, {0, 0, -HALF, HALF}, true},
    {"target at the joint", {0, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, 0, 0, 1}, false},
    {"no twist", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, 0, 0, 1}, true},
    {"twist", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0.5f * PI, 1, {HALF, 0, 0, HALF}, true},
    {"twist back", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0}, -0.5f * PI, 1, {-HALF, 0, 0, HALF}, true},
};

// ---- Two bones of length 1, bent at a right angle: start, mid and end at (0, 0, 0), (0, 1, 0) and (1, 1, 0). The mid
// is expected to turn by this from its base.

static const struct limb_row {
    const char *name;
    float target[3], pole[3];
    float soften, twist, weight;
    double start[4], mid[4];
    bool reached;
} limb_rows[] = {
    {"as it is", {1, 1, 0}, {0, 1, 0}, 1, 0, 1, {0, 0, 0, 1}, {0, 0, 0, 1}, true},
    {"aside", {0, 1, 1}, {0, 1, 0}, 1, 0, 1, {0, -HALF, 0, HALF}, {0, 0, 0, 1}, true},
    {"pole is z", {1, 0, 1}, {0, 0, 1}, 1, 0, 1, {HALF, 0, 0, HALF}, {0, 0, 0, 1}, true},
    {"straight", {2, 0, 0}, {0, 1, 0}, 1, 0, 1, {0, 0, -HALF, HALF}, {0, 0, HALF, HALF}, true},
    {"twist", {1, 1, 0}, {0, 1, 0}, 1, 0.5f * PI, 1, {0.5, 0.5, 0, HALF}, {0, 0, 0, 1}, true},
    {"half a turn", {1, 1, 0}, {0, 1, 0}, 1, PI, 1, {HALF, HALF, 0, 0}, {0, 0, 0, 1}, true},
    {"a whole turn", {1, 1, 0}, {0, 1, 0}, 1, 2.0f * PI, 1, {0, 0, 0, 1}, {0, 0, 0, 1}, true},
    {"no weight", {2, 0, 0}, {0, 1, 0}, 1, 0, 0, {0, 0, 0, 1}, {0, 0, 0, 1}, false},
    {"half a weight",
     {2, 0, 0},
     {0, 1, 0},
     1,
     0,
     0.5f,
     {0, 0, -0.38268343, 0.92387953},
     {0, 0, 0.38268343, 0.92387953},
     false},
};

// Targets along x, with softening.
static const struct reach_row {
    const char *name;
    float distance, soften;
    bool reached;
} reach_rows[] = {
    {"straight", 2.0f, 1.0f, true},          {"at the softened reach", 1.0f, 0.5f, true},
    {"within it", 0.8f, 0.5f, true},         {"beyond it", 1.2f, 0.5f, false},
    {"all softened", 1.2f, 0.0f, false},     {"at the whole reach", 2.0f, 0.5f, false},
    {"beyond the reach", 3.0f, 1.0f, false},
};

enum { START, MID, END, JOINTS };

static void set_point(lmb_value point[3], const float p[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        point[i] = lmb_constant(p[i]);
    }
}

static lmb_rig *create_limb(void) {
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i > 0 ? i - 1 : LMB_NONE;
    }
    joints[MID].rest.translation[1] = 1.0f;
    joints[MID].rest.rotation[2] = joints[MID].rest.rotation[3] = (float)HALF;
    joints[END].rest.translation[1] = -1.0f;
    lmb_rig_def def = lmb_default_rig_def();
    def.joints = joints;
    def.joint_count = JOINTS;
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

// Compares a joint's rotation with an expected turn from its rest. Returns the largest difference of a component.
static double turn_error(const test_scene *scene, uint32_t joint, const double turn[4]) {
    double rest[4] = {0.0, 0.0, 0.0, 1.0}, expected[4], got[4], apart[2] = {0.0, 0.0};
    if (joint == MID) {
        rest[2] = rest[3] = HALF;
    }
    oracle_quaternion_multiply(rest, turn, expected);
    scene_rotation(scene, scene->buffers[LMB_OUTPUT_LOCAL], 0, joint, got);
    for (int k = 0; k < 4; k++) {
        apart[0] = fmax(apart[0], fabs(got[k] - expected[k]));
        apart[1] = fmax(apart[1], fabs(got[k] + expected[k]));
    }
    return fmin(apart[0], apart[1]);
}

static void aims_are_those_of_ozz(void **state) {
    (void)state;
    static const float forward[3] = {1.0f, 0.0f, 0.0f};
    for (size_t i = 0; i < sizeof aim_rows / sizeof aim_rows[0]; i++) {
        const struct aim_row *row = &aim_rows[i];
        test_scene scene;
        scene_start(&scene, create_limb(), 1, 0);
        scene_add(&scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
        lmb_value target[3];
        set_point(target, row->target);
        lmb_node_def *node = scene_add(&scene, LMB_OP_IK_AIM, 0, LMB_NONE);
        *node = lmb_aim_node(0, START, forward, target);
        set_point(node->aim.pole, row->pole);
        memcpy(node->aim.up, row->up, sizeof row->up);
        memcpy(node->aim.offset, row->offset, sizeof row->offset);
        node->aim.twist = lmb_constant(row->twist);
        node->aim.reached = lmb_reached(0);
        node->weight = lmb_constant(row->weight);
        scene_run(&scene);
        const double error = turn_error(&scene, START, row->expected);
        print_message("ozz aim, %s: %.2g\n", row->name, error);
        assert_true(error < 1e-5);
        assert_int_equal(scene_reached(&scene, 0, 0), row->reached);
        scene_end(&scene);
    }
}

static void run_limb(test_scene *scene, const float at[3], const float pole[3], float soften, float twist,
                     float weight) {
    scene_start(scene, create_limb(), 1, 0);
    scene_add(scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
    lmb_value target[3];
    set_point(target, at);
    lmb_node_def *node = scene_add(scene, LMB_OP_IK_TWO_BONE, 0, LMB_NONE);
    *node = lmb_two_bone_node(0, START, MID, END, target);
    set_point(node->two_bone.pole, pole);
    node->two_bone.soften = soften;
    node->two_bone.twist = lmb_constant(twist);
    node->two_bone.reached = lmb_reached(0);
    node->weight = lmb_constant(weight);
    scene_run_all_paths(scene);
}

static void limbs_are_those_of_ozz(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof limb_rows / sizeof limb_rows[0]; i++) {
        const struct limb_row *row = &limb_rows[i];
        test_scene scene;
        run_limb(&scene, row->target, row->pole, row->soften, row->twist, row->weight);
        const double error = fmax(turn_error(&scene, START, row->start), turn_error(&scene, MID, row->mid));
        print_message("ozz two bones, %s: %.2g\n", row->name, error);
        assert_true(error < 1e-3); // a straight limb
        assert_int_equal(scene_reached(&scene, 0, 0), row->reached);
        scene_end(&scene);
    }
}

static void reaches_are_those_of_ozz(void **state) {
    (void)state;
    static const float up[3] = {0.0f, 1.0f, 0.0f};
    for (size_t i = 0; i < sizeof reach_rows / sizeof reach_rows[0]; i++) {
        const struct reach_row *row = &reach_rows[i];
        const float target[3] = {row->distance, 0.0f, 0.0f};
        test_scene scene;
        run_limb(&scene, target, up, row->soften, 0.0f, 1.0f);
        print_message("ozz reach, %s\n", row->name);
        assert_int_equal(scene_reached(&scene, 0, 0), row->reached);
        scene_end(&scene);
    }
}

// Where ozz does not turn, because the offset is farther from the joint than the target.
static void aims_beyond_the_offset_are_not_reached(void **state) {
    (void)state;
    static const float forward[3] = {1.0f, 0.0f, 0.0f};
    test_scene scene;
    scene_start(&scene, create_limb(), 1, 0);
    scene_add(&scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
    lmb_value target[3];
    set_point(target, forward);
    lmb_node_def *node = scene_add(&scene, LMB_OP_IK_AIM, 0, LMB_NONE);
    *node = lmb_aim_node(0, START, forward, target);
    node->aim.offset[1] = 2.0f;
    node->aim.reached = lmb_reached(0);
    scene_run_all_paths(&scene);
    assert_false(scene_reached(&scene, 0, 0));
    scene_end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aims_are_those_of_ozz),
        cmocka_unit_test(limbs_are_those_of_ozz),
        cmocka_unit_test(reaches_are_those_of_ozz),
        cmocka_unit_test(aims_beyond_the_offset_are_not_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
