// Twist against the swing-twist decomposition in float64: shares of a known twist, under any swing, weight and rest
// pose. What must not change, twists and swings of half a turn, and faulty nodes.
#include "refusal.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// An arm with helpers, and a joint apart.
enum { ROOT, UPPER, UPPER_HELPER, FOREARM, FOREARM_HELPER, HAND, OTHER, JOINTS };
static const uint32_t parents[JOINTS] = {LMB_NONE, ROOT, UPPER, UPPER, FOREARM, FOREARM, ROOT};
enum { CHARACTERS = 600, WEIGHT = 0, PARAMETERS = 1 };

typedef struct arm {
    test_scene scene;
    random_source source;
    double rest[JOINTS][4];       // local
    double rest_model[JOINTS][4]; // of the rest pose
    double axis[3];               // a unit vector, in the space of the source
    double swing[CHARACTERS], twist[CHARACTERS];
} arm;

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double result[3]) {
    for (int i = 0; i < 3; i++) {
        result[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static void normalise(double v[3]) {
    const double length = sqrt(dot(v, v));
    for (int i = 0; i < 3; i++) {
        v[i] /= length;
    }
}

static void draw_direction(random_source *source, double v[3]) {
    do {
        for (int i = 0; i < 3; i++) {
            v[i] = random_between(source, -1.0, 1.0);
        }
    } while (dot(v, v) > 1.0 || dot(v, v) < 0.01);
    normalise(v);
}

static void rotation_about(const double axis[3], double angle, double q[4]) {
    for (int i = 0; i < 3; i++) {
        q[i] = axis[i] * sin(0.5 * angle);
    }
    q[3] = cos(0.5 * angle);
}

static void rotate(const double q[4], const double v[3], double result[3]) {
    const double p[4] = {v[0], v[1], v[2], 0.0};
    double back[4], turned[4];
    oracle_quaternion_conjugate(q, back);
    oracle_quaternion_multiply(q, p, turned);
    oracle_quaternion_multiply(turned, back, turned);
    memcpy(result, turned, 3 * sizeof *result);
}

static void set_rotation(arm *a, uint32_t character, uint32_t joint, const double q[4]) {
    for (uint32_t i = 0; i < 4; i++) {
        *scene_component(&a->scene, a->scene.poses[0], character, joint, 3 + i) = (float)q[i];
    }
}

static lmb_rig *create_rig(random_source *source) {
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        double axis[3], q[4];
        joints[i] = lmb_default_joint_def();
        joints[i].parent = parents[i];
        draw_direction(source, axis);
        rotation_about(axis, random_between(source, 0.0, 6.0), q);
        for (int k = 0; k < 4; k++) {
            joints[i].rest.rotation[k] = (float)q[k];
        }
        joints[i].rest.translation[1] = 0.5f;
        joints[i].rest.scale[i % 3] = 1.5f; // ignored
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = JOINTS};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

// Sets the source's local rotation to rest swing twist.
static void set_source(arm *a, uint32_t character, double swing, double twist) {
    const uint32_t source = a->scene.nodes[1].twist.source;
    double line[3], across[3], first[4], second[4], q[4];
    draw_direction(&a->source, line);
    cross(a->axis, line, across);
    normalise(across);
    rotation_about(across, swing, first);
    rotation_about(a->axis, twist, second);
    oracle_quaternion_multiply(first, second, q);
    oracle_quaternion_multiply(a->rest[source], q, q);
    set_rotation(a, character, source, q);
    a->swing[character] = swing;
    a->twist[character] = twist;
}

// Node 0 reads the base from a buffer, node 1 shares the twist of the hand. The base of the helpers is random.
static void arm_start(arm *a, uint64_t seed, uint32_t source) {
    a->source = (random_source){seed};
    scene_start(&a->scene, create_rig(&a->source), CHARACTERS, PARAMETERS);
    scene_fill_pose(&a->scene, 0, &a->source);
    for (uint32_t i = 0; i < JOINTS; i++) {
        const lmb_transform rest = lmb_rig_get_def(a->scene.rig)->joints[i].rest;
        const oracle_transform local = oracle_transform_from_float(&rest);
        memcpy(a->rest[i], local.rotation, sizeof a->rest[i]);
        memcpy(a->rest_model[i], local.rotation, sizeof a->rest[i]);
        if (parents[i] != LMB_NONE) {
            oracle_quaternion_multiply(a->rest_model[parents[i]], a->rest[i], a->rest_model[i]);
        }
    }
    scene_add_pose_node(&a->scene, 0);
    lmb_node_def *node = scene_add(&a->scene, LMB_OP_TWIST, 0, LMB_NONE);
    node->twist = (lmb_twist_def){.source = source,
                                  .joints = {FOREARM_HELPER, UPPER_HELPER, OTHER},
                                  .shares = {0.5f, -1.0f, 0.3f},
                                  .joint_count = 3};
    node->weight = lmb_parameter(WEIGHT);
    draw_direction(&a->source, a->axis);
    for (int k = 0; k < 3; k++) {
        node->twist.axis[k] = (float)(4.0 * a->axis[k]);
        a->axis[k] = (double)node->twist.axis[k];
    }
    normalise(a->axis);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        *scene_parameter(&a->scene, i, WEIGHT) = 1.0f;
        set_source(a, i, random_between(&a->source, 0.0, 2.5), random_between(&a->source, -3.1, 3.1));
    }
}

static void arm_end(arm *a) {
    scene_end(&a->scene);
    free(a);
}

static arm *create_arm(uint64_t seed, uint32_t source) {
    arm *a = calloc(1, sizeof *a);
    assert_non_null(a);
    arm_start(a, seed, source);
    return a;
}

// The angle of the twist by the formula, from the buffer's floats.
static double twist_angle(arm *a, uint32_t character) {
    const uint32_t source = a->scene.nodes[1].twist.source;
    double q[4], back[4];
    scene_rotation(&a->scene, a->scene.poses[0], character, source, q);
    oracle_quaternion_normalise(q, q);
    oracle_quaternion_conjugate(a->rest[source], back);
    oracle_quaternion_multiply(back, q, q);
    const double sign = q[3] < 0.0 ? -1.0 : 1.0;
    return 2.0 * atan2(sign * dot(q, a->axis), sign * q[3]);
}

// What a helper gets at weight 1.
static void expected_rotation(const arm *a, double angle, uint32_t place, double q[4]) {
    const lmb_twist_def *def = &a->scene.nodes[1].twist;
    double axis[3], back[4], turn[4];
    oracle_quaternion_conjugate(a->rest_model[def->joints[place]], back);
    rotate(a->rest_model[def->source], a->axis, axis);
    rotate(back, axis, axis);
    rotation_about(axis, angle * (double)def->shares[place], turn);
    oracle_quaternion_multiply(a->rest[def->joints[place]], turn, q);
}

// The largest difference of components, of q and -q whichever is nearer.
static double difference(const double a[4], const double b[4]) {
    const double sign = oracle_quaternion_dot(a, b) < 0.0 ? -1.0 : 1.0;
    double worst = 0.0;
    for (int i = 0; i < 4; i++) {
        worst = fmax(worst, fabs(a[i] - sign * b[i]));
    }
    return worst;
}

// Compares all helpers; returns the largest error times the cosine of half the swing.
static double measure(arm *a) {
    const lmb_twist_def *def = &a->scene.nodes[1].twist;
    double worst = 0.0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const double angle = twist_angle(a, i), weight = (double)*scene_parameter(&a->scene, i, WEIGHT);
        assert_true(fabs(angle - a->twist[i]) * cos(0.5 * a->swing[i]) < 2e-6);
        for (uint32_t k = 0; k < def->joint_count; k++) {
            double from[4], to[4], expected[4], got[4];
            oracle_choices choices = {0};
            scene_rotation(&a->scene, a->scene.poses[0], i, def->joints[k], from);
            oracle_quaternion_normalise(from, from);
            expected_rotation(a, angle, k, to);
            if (fabs(oracle_quaternion_dot(from, to)) < 1e-3) {
                continue; // half a turn either way
            }
            oracle_quaternion_slerp(from, to, weight, &choices, expected);
            scene_rotation(&a->scene, a->scene.buffers[LMB_OUTPUT_LOCAL], i, def->joints[k], got);
            worst = fmax(worst, difference(expected, got) * cos(0.5 * a->swing[i]));
        }
    }
    return worst;
}

static void helpers_take_their_shares(void **state) {
    (void)state;
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        arm *a = create_arm(seed, seed % 2 == 0 ? HAND : FOREARM);
        if (a->scene.nodes[1].twist.source == FOREARM) {
            a->scene.nodes[1].twist.shares[0] = -0.75f; // a child of the source
        }
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            *scene_parameter(&a->scene, i, WEIGHT) = (float)(i % 5) * 0.25f;
        }
        scene_run_all_paths(&a->scene);
        scene_expect_no_refusals(&a->scene);
        worst = fmax(worst, measure(a));
        arm_end(a);
    }
    print_message("shares: %.2g\n", worst);
    assert_true(worst < 1e-6);
}

// Without a swing, a sibling with the share 1 turns in model space as the source does, and a child with the share -1
// does not turn at all.
static void whole_shares_follow_or_cancel(void **state) {
    (void)state;
    double worst = 0.0;
    for (uint32_t source = FOREARM; source <= HAND; source += HAND - FOREARM) {
        arm *a = create_arm(31, source);
        const bool is_sibling = source == HAND;
        a->scene.nodes[1].twist.shares[0] = is_sibling ? 1.0f : -1.0f;
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            set_source(a, i, 0.0, random_between(&a->source, -3.1, 3.1));
        }
        scene_run(&a->scene);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            double q[4], of_source[4], moved[4], back[4], helper[4], expected[4];
            scene_rotation(&a->scene, a->scene.buffers[LMB_OUTPUT_LOCAL], i, source, of_source);
            scene_rotation(&a->scene, a->scene.buffers[LMB_OUTPUT_LOCAL], i, FOREARM_HELPER, helper);
            oracle_quaternion_conjugate(a->rest[source], back);
            oracle_quaternion_multiply(of_source, back, moved); // since the rest pose, in the parent's space
            if (is_sibling) {
                oracle_quaternion_multiply(moved, a->rest[FOREARM_HELPER], expected);
                memcpy(q, helper, sizeof q);
            } else {
                oracle_quaternion_multiply(of_source, helper, q);
                oracle_quaternion_multiply(a->rest[FOREARM], a->rest[FOREARM_HELPER], expected);
            }
            worst = fmax(worst, difference(expected, q));
        }
        arm_end(a);
    }
    print_message("whole shares: %.2g\n", worst);
    assert_true(worst < 2e-6);
}

// Everything but the rotations of helpers passes, to the bit; at weight 0 these, too.
static void other_joints_pass(void **state) {
    (void)state;
    arm *a = create_arm(41, HAND);
    a->scene.node_count = 1;
    scene_run(&a->scene);
    float *base = scene_keep_output(&a->scene, LMB_OUTPUT_LOCAL);
    a->scene.node_count = 2;
    scene_run_all_paths(&a->scene);
    uint32_t changed = 0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            const bool is_helper = joint == FOREARM_HELPER || joint == UPPER_HELPER || joint == OTHER;
            for (uint32_t k = 0; k < LMB_POSE_COMPONENTS; k++) {
                const float *got = scene_component(&a->scene, a->scene.buffers[LMB_OUTPUT_LOCAL], i, joint, k);
                const bool same = memcmp(got, scene_component(&a->scene, base, i, joint, k), sizeof *got) == 0;
                assert_true(same || (is_helper && k >= 3 && k < 7));
                changed += !same;
            }
        }
    }
    assert_true(changed > CHARACTERS * 11);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        *scene_parameter(&a->scene, i, WEIGHT) = i % 2 == 0 ? 0.0f : NAN;
    }
    scene_run_all_paths(&a->scene);
    scene_expect_output(&a->scene, LMB_OUTPUT_LOCAL, base);
    assert_int_equal(a->scene.refused[LMB_REFUSED_WEIGHT], CHARACTERS / 2);
    free(base);
    arm_end(a);
}

static void expect_helper(arm *a, uint32_t character, uint32_t place, double angle, double bound) {
    double expected[4], got[4];
    expected_rotation(a, angle, place, expected);
    scene_rotation(&a->scene, a->scene.buffers[LMB_OUTPUT_LOCAL], character, a->scene.nodes[1].twist.joints[place],
                   got);
    assert_true(difference(expected, got) < bound);
}

// Near half a turn the twist is on the side where it is; a helper of share 1 does not jump there. Exactly there it is
// positive, for both signs of the quaternion.
static void half_turns_are_positive(void **state) {
    (void)state;
    const double pi = acos(-1.0);
    arm *a = create_arm(51, HAND);
    a->scene.nodes[1].twist.shares[2] = 1.0f;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        set_source(a, i, 0.0, (i % 2 == 0 ? 1.0 : -1.0) * (pi - 1e-3));
    }
    scene_run_all_paths(&a->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        expect_helper(a, i, 0, a->twist[i], 2e-6);
        expect_helper(a, i, 1, a->twist[i], 2e-6);
        expect_helper(a, i, 2, pi, 1e-3);
    }
    arm_end(a);
    // With this axis and rest pose the half turn is exact.
    lmb_joint_def joints[2] = {lmb_default_joint_def(), lmb_default_joint_def()};
    joints[1].parent = 0;
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = 2}, NULL, &rig, NULL), LMB_OK);
    test_scene scene;
    scene_start(&scene, rig, 4, 0);
    scene_add_pose(&scene, 0);
    for (uint32_t i = 0; i < 4; i++) {
        *scene_component(&scene, scene.poses[0], i, 0, 3) = i % 2 == 0 ? 1.0f : -1.0f;
        *scene_component(&scene, scene.poses[0], i, 0, 6) = i < 2 ? 0.0f : -0.0f;
    }
    scene_add_pose_node(&scene, 0);
    const float axis[3] = {1.0f, 0.0f, 0.0f};
    scene.nodes[scene.node_count++] = lmb_twist_node(0, 0, axis, 1, 0.5f);
    scene_run_all_paths(&scene);
    for (uint32_t i = 0; i < 4; i++) {
        double got[4];
        const double expected[4] = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
        scene_rotation(&scene, scene.buffers[LMB_OUTPUT_LOCAL], i, 1, got);
        assert_true(difference(expected, got) < 1e-6);
    }
    scene_end(&scene);
}

// A swing by half a turn leaves no twist.
static void swings_by_half_a_turn_have_no_twist(void **state) {
    (void)state;
    arm *a = create_arm(61, HAND);
    lmb_twist_def *def = &a->scene.nodes[1].twist;
    for (int k = 0; k < 3; k++) {
        def->axis[k] = k == 2 ? 1.0f : 0.0f;
        a->axis[k] = (double)def->axis[k];
    }
    def->source = ROOT;
    lmb_rig_destroy(a->scene.rig);
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : 0;
        for (int k = 0; k < 4; k++) {
            a->rest[i][k] = a->rest_model[i][k] = k == 3 ? 1.0 : 0.0;
        }
    }
    const lmb_rig_def rig = {.joints = joints, .joint_count = JOINTS};
    assert_int_equal(lmb_rig_create(&rig, NULL, &a->scene.rig, NULL), LMB_OK);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const double angle = random_between(&a->source, -3.0, 3.0), tilt = (double)(i % 3) * 4e-7;
        const double q[4] = {cos(angle), sin(angle), tilt, 0.0};
        set_rotation(a, i, ROOT, q);
    }
    scene_run_all_paths(&a->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t k = 0; k < def->joint_count; k++) {
            expect_helper(a, i, k, 0.0, 1e-7);
        }
    }
    arm_end(a);
}

static lmb_result check_arm(const arm *a, lmb_error *error) {
    const lmb_graph_def def = {.rig = a->scene.rig,
                               .nodes = a->scene.nodes,
                               .node_count = 2,
                               .parameter_count = PARAMETERS,
                               .lod = lmb_constant(0.0f),
                               .inertia_parameters = LMB_NONE};
    lmb_graph *graph = NULL;
    const lmb_result result = lmb_graph_create(&def, NULL, &graph, error);
    lmb_graph_destroy(graph);
    return result;
}

#define REFUSED(a, ...) CHECK_REFUSAL(check_arm(a, &error), &error, LMB_ERROR_ARGUMENT, __VA_ARGS__)

static void faulty_nodes_are_refused(void **state) {
    (void)state;
    arm *a = create_arm(71, HAND);
    lmb_twist_def *def = &a->scene.nodes[1].twist;
    const lmb_twist_def good = *def;
    lmb_error error = {0};
    assert_int_equal(check_arm(a, &error), LMB_OK);
    def->source = JOINTS;
    REFUSED(a, "node 1 (twist)", "source", "no such joint");
    *def = good;
    def->axis[0] = def->axis[1] = def->axis[2] = 0.0f;
    REFUSED(a, "axis", "0");
    def->axis[1] = NAN;
    REFUSED(a, "axis");
    *def = good;
    def->joint_count = 0;
    REFUSED(a, "joint_count", "1 to 8");
    def->joint_count = LMB_MAX_TWIST_JOINTS + 1;
    REFUSED(a, "joint_count");
    *def = good;
    def->joints[2] = LMB_NONE;
    REFUSED(a, "joints[2]", "no such joint");
    def->joints[2] = FOREARM_HELPER;
    REFUSED(a, "joints[2]", "given twice");
    def->joints[2] = HAND;
    REFUSED(a, "joints[2]", "the source or above it");
    def->joints[2] = UPPER;
    REFUSED(a, "joints[2]", "the source or above it");
    *def = good;
    def->shares[1] = -1.5f;
    REFUSED(a, "shares[1]", "it is not from -1 to 1");
    def->shares[1] = NAN;
    REFUSED(a, "shares[1]", "it is not from -1 to 1");
    *def = good;
    a->scene.nodes[1].weight = lmb_parameter(PARAMETERS);
    REFUSED(a, "weight", "parameter");
    a->scene.nodes[1].weight = lmb_constant(1.0f);
    a->scene.nodes[0].op = LMB_OP_REST;
    a->scene.nodes[1].twist.source = LMB_NONE;
    REFUSED(a, "source");
    arm_end(a);
}

static void constructor_makes_a_node(void **state) {
    (void)state;
    const float axis[3] = {0.0f, 2.0f, 0.0f};
    const lmb_node_def node = lmb_twist_node(4, HAND, axis, FOREARM_HELPER, 0.5f);
    assert_int_equal(node.op, LMB_OP_TWIST);
    assert_int_equal(node.input_count, 1);
    assert_int_equal(node.inputs[0], 4);
    assert_int_equal(node.twist.source, HAND);
    assert_int_equal(node.twist.joint_count, 1);
    assert_int_equal(node.twist.joints[0], FOREARM_HELPER);
    assert_true(node.twist.shares[0] == 0.5f && node.twist.shares[1] == 1.0f);
    assert_memory_equal(node.twist.axis, axis, sizeof axis);
    const lmb_node_def plain = lmb_default_node_def();
    assert_int_equal(plain.twist.source, LMB_NONE);
    assert_int_equal(plain.twist.joints[7], LMB_NONE);
    assert_true(plain.twist.axis[0] == 1.0f && plain.twist.joint_count == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helpers_take_their_shares),
        cmocka_unit_test(whole_shares_follow_or_cancel),
        cmocka_unit_test(other_joints_pass),
        cmocka_unit_test(half_turns_are_positive),
        cmocka_unit_test(swings_by_half_a_turn_have_no_twist),
        cmocka_unit_test(faulty_nodes_are_refused),
        cmocka_unit_test(constructor_makes_a_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
