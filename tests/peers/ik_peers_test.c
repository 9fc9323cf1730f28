// Inverse kinematics beside that of ozz-animation 0.16, IKAimJob and IKTwoBoneJob: cases of its tests with their numbers,
// and what Limber has for the same inputs. Its tests compare quaternions within 2e-3.
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
} aim_rows[] = {
    {"ahead", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, 0, 0, 1}},
    {"behind", {-1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, 1, 0, 0}},
    {"to the side", {0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, -HALF, 0, HALF}},
    {"upwards", {2, 2, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, 0, 0.38268343, 0.92387953}},
    {"up is -y", {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0}, 0, 1, {1, 0, 0, 0}},
    {"up is z", {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0}, 0, 1, {-HALF, 0, 0, HALF}},
    {"pole is z", {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0}, 0, 1, {HALF, 0, 0, HALF}},
    {"target along up", {0, -2, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, 0, -HALF, HALF}},
    {"half a weight", {0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 0.5f, {0, -0.38268343, 0, 0.92387953}},
    {"no weight", {0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 0, {0, 0, 0, 1}},
    {"offset", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 0.70710678f, 0}, 0, 1, {0, 0, -0.38268343, 0.92387953}},
    {"offset ahead", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0.5f, 0.5f, 0}, 0, 1, {0, 0, -0.25881905, 0.96592583}},
    {"offset behind", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {-0.5f, 0.5f, 0}, 0, 1, {0, 0, -0.25881905, 0.96592583}},
    {"offset aside", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0.5f, 0, 0.5f}, 0, 1, {0, 0.25881905, 0, 0.96592583}},
    {"offset on the sphere", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}, 0, 1, {0, 0, -HALF, HALF}},
    {"target at the joint", {0, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, 0, 0, 1}},
    {"no twist", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0, 1, {0, 0, 0, 1}},
    {"twist", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0}, 0.5f * PI, 1, {HALF, 0, 0, HALF}},
    {"twist back", {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0}, -0.5f * PI, 1, {-HALF, 0, 0, HALF}},
};

// ---- Two bones of length 1, bent at a right angle: start, mid and end at (0, 0, 0), (0, 1, 0) and (1, 1, 0). The mid
// is expected to turn by this from its base.

static const struct limb_row {
    const char *name;
    float target[3], pole[3];
    float soften, twist, weight;
    double start[4], mid[4];
} limb_rows[] = {
    {"as it is", {1, 1, 0}, {0, 1, 0}, 1, 0, 1, {0, 0, 0, 1}, {0, 0, 0, 1}},
    {"aside", {0, 1, 1}, {0, 1, 0}, 1, 0, 1, {0, -HALF, 0, HALF}, {0, 0, 0, 1}},
    {"pole is z", {1, 0, 1}, {0, 0, 1}, 1, 0, 1, {HALF, 0, 0, HALF}, {0, 0, 0, 1}},
    {"straight", {2, 0, 0}, {0, 1, 0}, 1, 0, 1, {0, 0, -HALF, HALF}, {0, 0, HALF, HALF}},
    {"twist", {1, 1, 0}, {0, 1, 0}, 1, 0.5f * PI, 1, {0.5, 0.5, 0, HALF}, {0, 0, 0, 1}},
    {"half a turn", {1, 1, 0}, {0, 1, 0}, 1, PI, 1, {HALF, HALF, 0, 0}, {0, 0, 0, 1}},
    {"a whole turn", {1, 1, 0}, {0, 1, 0}, 1, 2.0f * PI, 1, {0, 0, 0, 1}, {0, 0, 0, 1}},
    {"no weight", {2, 0, 0}, {0, 1, 0}, 1, 0, 0, {0, 0, 0, 1}, {0, 0, 0, 1}},
    {"half a weight",
     {2, 0, 0},
     {0, 1, 0},
     1,
     0,
     0.5f,
     {0, 0, -0.38268343, 0.92387953},
     {0, 0, 0.38268343, 0.92387953}},
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
        node->weight = lmb_constant(row->weight);
        scene_run(&scene);
        const double error = turn_error(&scene, START, row->expected);
        print_message("ozz aim, %s: %.2g\n", row->name, error);
        assert_true(error < 1e-5);
        scene_end(&scene);
    }
}

static void limbs_are_those_of_ozz(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof limb_rows / sizeof limb_rows[0]; i++) {
        const struct limb_row *row = &limb_rows[i];
        test_scene scene;
        scene_start(&scene, create_limb(), 1, 0);
        scene_add(&scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
        lmb_value target[3];
        set_point(target, row->target);
        lmb_node_def *node = scene_add(&scene, LMB_OP_IK_TWO_BONE, 0, LMB_NONE);
        *node = lmb_two_bone_node(0, START, MID, END, target);
        set_point(node->two_bone.pole, row->pole);
        node->two_bone.soften = row->soften;
        node->two_bone.twist = lmb_constant(row->twist);
        node->weight = lmb_constant(row->weight);
        scene_run(&scene);
        const double error = fmax(turn_error(&scene, START, row->start), turn_error(&scene, MID, row->mid));
        print_message("ozz two bones, %s: %.2g\n", row->name, error);
        assert_true(error < 1e-3); // a straight limb
        scene_end(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aims_are_those_of_ozz),
        cmocka_unit_test(limbs_are_those_of_ozz),
    };
    return cmocka_run_group_tests_name("ik beside peers", tests, NULL, NULL);
}
