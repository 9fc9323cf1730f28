// Joint limits: rotations inside keep their bits; rotations outside match the float64 oracle; a second clamp changes
// nothing.
#include "refusal.h"
#include "scene.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static float between(random_source *source, double low, double high) {
    return (float)random_between(source, low, high);
}

static void draw_range(random_source *source, double reach, float *min, float *max) {
    const float a = between(source, -reach, reach), b = between(source, -reach, reach);
    *min = fminf(a, b);
    *max = fmaxf(a, b);
}

static lmb_joint_limit_def draw_limit(random_source *source, uint32_t set) {
    lmb_joint_limit_def limit = lmb_default_joint_limit_def();
    limit.set = set;
    limit.twist_axis = (lmb_axis)random_below(source, LMB_AXIS_COUNT);
    draw_range(source, 170.0, &limit.twist_min, &limit.twist_max);
    limit.swing = between(source, 0.0, 150.0);
    for (int i = 0; i < 3; i++) {
        draw_range(source, 5.0, &limit.translation_min[i], &limit.translation_max[i]);
        draw_range(source, 3.0, &limit.scale_min[i], &limit.scale_max[i]);
        draw_range(source, 150.0, &limit.angle_min[i], &limit.angle_max[i]);
    }
    return limit;
}

// Random poses, then `clamps` clamp nodes in sequence. The scene borrows the limits.
static void start(test_scene *scene, const lmb_joint_limit_def *limits, uint32_t joints, uint32_t characters,
                  uint64_t seed, uint32_t clamps) {
    random_source source = {seed};
    scene_start(scene, scene_rig(joints, SCENE_WIDE, seed), characters, 0);
    scene->joint_limits = limits;
    scene_fill_pose(scene, 0, &source);
    scene_add_pose_node(scene, 0);
    for (uint32_t i = 0; i < clamps; i++) {
        scene_add(scene, LMB_OP_CLAMP, i, LMB_NONE);
    }
}

static oracle_transform transform_at(const test_scene *scene, float *buffer, uint32_t character, uint32_t joint) {
    const lmb_transform found = scene_transform(scene, buffer, character, joint);
    return oracle_transform_from_float(&found);
}

static oracle_transform rest_at(const test_scene *scene, uint32_t joint) {
    const lmb_transform rest = lmb_rig_get_def(scene->rig)->joints[joint].rest;
    return oracle_transform_from_float(&rest);
}

// Returns a weight for errors: a small error of r grows by the reciprocal in the clamped rotation.
static double condition(const lmb_joint_limit_def *limit, const double rest[4], const double q[4]) {
    double inverse[4], r[4];
    oracle_quaternion_conjugate(rest, inverse);
    oracle_quaternion_multiply(inverse, q, r);
    if (limit->set & LMB_JOINT_LIMIT_ANGLES) {
        double square = r[3] * r[3];
        for (int i = 0; i < 3; i++) {
            const double half = 3.14159265358979324 / 360.0;
            const double low = fabs(r[3]) * tan((double)limit->angle_min[i] * half);
            const double high = fabs(r[3]) * tan((double)limit->angle_max[i] * half);
            const double held = fmin(fmax(r[3] < 0.0 ? -r[i] : r[i], low), high);
            square += held * held;
        }
        return sqrt(square);
    }
    return hypot(r[limit->twist_axis], r[3]);
}

static void limits_against_the_oracle(void **state) {
    (void)state;
    enum { JOINTS = 61, CHARACTERS = 301 };
    static const uint32_t sets[] = {LMB_JOINT_LIMIT_TRANSLATION,
                                    LMB_JOINT_LIMIT_SCALE,
                                    LMB_JOINT_LIMIT_TWIST,
                                    LMB_JOINT_LIMIT_SWING,
                                    LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING,
                                    LMB_JOINT_LIMIT_ANGLES,
                                    LMB_JOINT_LIMIT_TRANSLATION | LMB_JOINT_LIMIT_SCALE | LMB_JOINT_LIMIT_ANGLES};
    for (uint32_t which = 0; which < sizeof sets / sizeof sets[0]; which++) {
        random_source source = {which};
        lmb_joint_limit_def limits[JOINTS];
        test_scene scene;
        for (uint32_t i = 0; i < JOINTS; i++) {
            limits[i] = draw_limit(&source, sets[which]);
        }
        start(&scene, limits, JOINTS, CHARACTERS, which, 1);
        scene_run(&scene);
        double rotation = 0.0, other = 0.0;
        uint32_t moved = 0;
        for (uint32_t character = 0; character < CHARACTERS; character++) {
            for (uint32_t joint = 0; joint < JOINTS; joint++) {
                const oracle_transform rest = rest_at(&scene, joint);
                const oracle_transform given = transform_at(&scene, scene.poses[0], character, joint);
                const oracle_transform got = transform_at(&scene, scene.buffers[LMB_OUTPUT_LOCAL], character, joint);
                const oracle_transform expected = oracle_limit(&limits[joint], &rest, &given);
                const double weight = condition(&limits[joint], rest.rotation, given.rotation);
                const double sign = oracle_quaternion_dot(expected.rotation, got.rotation) < 0.0 ? -1.0 : 1.0;
                for (int i = 0; i < 4; i++) {
                    rotation = fmax(rotation, weight * fabs(got.rotation[i] - sign * expected.rotation[i]));
                }
                for (int i = 0; i < 3; i++) {
                    other = fmax(other, fabs(got.translation[i] - expected.translation[i]) / 10.0);
                    other = fmax(other, fabs(got.scale[i] - expected.scale[i]) / 10.0);
                }
                moved += fabs(oracle_quaternion_dot(given.rotation, got.rotation)) < 0.999 ||
                         given.translation[0] != got.translation[0] || given.scale[0] != got.scale[0];
            }
        }
        print_message("limits %x: rotation %.2g, others %.2g, %u of %u held\n", sets[which], rotation, other, moved,
                      CHARACTERS * JOINTS);
        assert_true(rotation <= 2e-6 && other <= 1e-7);
        assert_true(moved > CHARACTERS * JOINTS / 4);
        scene_end(&scene);
    }
}

static uint32_t count_differences(const float *a, const float *b, size_t count) {
    uint32_t differences = 0;
    for (size_t i = 0; i < count; i++) {
        differences += memcmp(&a[i], &b[i], sizeof *a) != 0;
    }
    return differences;
}

// Returns the outputs of this many clamps. The caller frees them.
static float *run_clamps(const lmb_joint_limit_def *limits, uint32_t joints, uint32_t characters, uint64_t seed,
                         uint32_t clamps, size_t *floats) {
    test_scene scene;
    start(&scene, limits, joints, characters, seed, clamps);
    scene_run(&scene);
    *floats = scene_output_floats(&scene, LMB_OUTPUT_LOCAL);
    float *result = scene_keep_output(&scene, LMB_OUTPUT_LOCAL);
    scene_end(&scene);
    return result;
}

static void twice_is_once(void **state) {
    (void)state;
    enum { JOINTS = 101, CHARACTERS = 500 };
    static const uint32_t sets[] = {LMB_JOINT_LIMIT_TRANSLATION | LMB_JOINT_LIMIT_SCALE | LMB_JOINT_LIMIT_TWIST,
                                    LMB_JOINT_LIMIT_SWING, LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING,
                                    LMB_JOINT_LIMIT_ANGLES};
    for (uint32_t which = 0; which < 4; which++) {
        random_source source = {30 + which};
        lmb_joint_limit_def limits[JOINTS];
        size_t floats;
        for (uint32_t i = 0; i < JOINTS; i++) {
            limits[i] = draw_limit(&source, sets[which]);
        }
        float *once = run_clamps(limits, JOINTS, CHARACTERS, which, 1, &floats);
        float *twice = run_clamps(limits, JOINTS, CHARACTERS, which, 2, &floats);
        assert_int_equal(count_differences(once, twice, floats), 0);
        free(once);
        free(twice);
    }
}

// With the widest limits, and without limits, no bit changes.
static void inside_nothing_changes(void **state) {
    (void)state;
    enum { JOINTS = 60, CHARACTERS = 200 };
    lmb_joint_limit_def limits[JOINTS];
    size_t floats;
    for (uint32_t i = 0; i < JOINTS; i++) {
        lmb_joint_limit_def limit = lmb_default_joint_limit_def();
        limit.set = i % 3 == 0   ? LMB_JOINT_LIMIT_TRANSLATION | LMB_JOINT_LIMIT_SCALE | LMB_JOINT_LIMIT_ANGLES
                    : i % 3 == 1 ? LMB_JOINT_LIMIT_TRANSLATION | LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING
                                 : 0;
        limit.twist_axis = (lmb_axis)(i % 4 % 3);
        limit.twist_min = i % 2 == 0 ? -180.0f : -360.0f;
        limit.twist_max = i % 2 == 0 ? 180.0f : 360.0f;
        limit.swing = 180.0f;
        for (int k = 0; k < 3; k++) {
            limit.translation_min[k] = -20.0f;
            limit.translation_max[k] = 20.0f;
            limit.scale_min[k] = -10.0f;
            limit.scale_max[k] = 10.0f;
            limit.angle_min[k] = -180.0f;
            limit.angle_max[k] = 180.0f;
        }
        limits[i] = limit;
    }
    float *given = run_clamps(limits, JOINTS, CHARACTERS, 40, 0, &floats);
    float *held = run_clamps(limits, JOINTS, CHARACTERS, 40, 1, &floats);
    assert_int_equal(count_differences(given, held, floats), 0);
    free(given);
    free(held);
}

// ---- A single joint without a rest rotation: rotations about its axes. ----

static void turn_about(float q[4], int axis, double degrees) {
    for (int i = 0; i < 4; i++) {
        q[i] = 0.0f;
    }
    q[axis] = (float)sin(degrees * 3.14159265358979324 / 360.0);
    q[3] = (float)cos(degrees * 3.14159265358979324 / 360.0);
}

// Clamps each rotation in a separate character.
static void hold(const lmb_joint_limit_def *limit, float (*rotations)[4], uint32_t count) {
    test_scene scene;
    scene_start(&scene, scene_single_joint(), count, 0);
    scene.joint_limits = limit;
    scene_add_pose(&scene, 0);
    scene_add_pose_node(&scene, 0);
    scene_add(&scene, LMB_OP_CLAMP, 0, LMB_NONE);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            *scene_component(&scene, scene.poses[0], i, 0, 3 + k) = rotations[i][k];
        }
    }
    scene_run(&scene);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            rotations[i][k] = *scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], i, 0, 3 + k);
        }
    }
    scene_end(&scene);
}

static double angle_about(const float q[4], int axis) {
    return 2.0 * atan2((double)q[axis], (double)q[3]) * 180.0 / 3.14159265358979324;
}

static void angles_go_to_the_nearer_end(void **state) {
    (void)state;
    static const double rows[][5] = {
        // min, max, given, expected twist, expected angle
        {-30.0, 45.0, 60.0, 45.0, 45.0},     {-30.0, 45.0, -60.0, -30.0, -30.0},
        {-30.0, 45.0, 10.0, 10.0, 10.0},     {-170.0, 10.0, 175.0, -170.0, 10.0},
        {-170.0, 10.0, 60.0, 10.0, 10.0},    {20.0, 30.0, 0.0, 20.0, 20.0},
        {0.0, 0.0, 180.0, 0.0, 0.0},         {0.0, 0.0, 90.0, 0.0, 0.0},
        {-90.0, 90.0, 180.0, 90.0, 90.0},    {-90.0, 90.0, -179.0, -90.0, -90.0},
        {-30.0, 170.0, 179.0, 170.0, 170.0}, {-30.0, 180.0, 179.0, 179.0, 179.0},
        {-180.0, -10.0, 0.0, -10.0, -10.0},  {-45.0, 45.0, 44.999, 44.999, 44.999},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int axis = 0; axis < 3; axis++) {
            lmb_joint_limit_def limit = lmb_default_joint_limit_def();
            float q[2][4];
            turn_about(q[0], axis, rows[i][2]);
            memcpy(q[1], q[0], sizeof q[0]);
            limit.set = LMB_JOINT_LIMIT_TWIST;
            limit.twist_axis = (lmb_axis)axis;
            limit.twist_min = (float)rows[i][0];
            limit.twist_max = (float)rows[i][1];
            hold(&limit, q, 1);
            double error = remainder(angle_about(q[0], axis) - rows[i][3], 360.0);
            if (fabs(error) > 1e-3) {
                fail_msg("row %zu, twist: %g instead of %g", i, angle_about(q[0], axis), rows[i][3]);
            }
            limit.set = LMB_JOINT_LIMIT_ANGLES;
            for (int k = 0; k < 3; k++) {
                limit.angle_min[k] = k == axis ? (float)rows[i][0] : -180.0f;
                limit.angle_max[k] = k == axis ? (float)rows[i][1] : 180.0f;
            }
            hold(&limit, q + 1, 1);
            error = remainder(angle_about(q[1], axis) - rows[i][4], 360.0);
            if (fabs(error) > 1e-3) {
                fail_msg("row %zu, angle: %g instead of %g", i, angle_about(q[1], axis), rows[i][4]);
            }
        }
    }
}

// A cone limit alone keeps the twist. A swing of half a turn is clamped on its own side.
static void half_a_turn_of_swing(void **state) {
    (void)state;
    lmb_joint_limit_def limit = lmb_default_joint_limit_def();
    float q[3][4];
    limit.set = LMB_JOINT_LIMIT_SWING;
    limit.swing = 40.0f;
    turn_about(q[0], 0, 180.0);
    q[0][3] = 0.0f;
    turn_about(q[1], 0, -180.0);
    q[1][3] = 0.0f;
    turn_about(q[2], 1, 123.0);
    hold(&limit, q, 3);
    assert_true(fabs(angle_about(q[0], 0) - 40.0) < 1e-3);
    assert_true(fabs(angle_about(q[1], 0) + 40.0) < 1e-3);
    assert_true(fabs(angle_about(q[2], 1) - 123.0) < 1e-3);
    // There is no twist to clamp then.
    limit.set = LMB_JOINT_LIMIT_TWIST;
    limit.twist_min = 10.0f;
    limit.twist_max = 20.0f;
    turn_about(q[0], 0, 180.0);
    q[0][3] = 0.0f;
    hold(&limit, q, 1);
    assert_true(q[0][0] == 1.0f && q[0][1] == 0.0f && q[0][2] == 0.0f && q[0][3] == 0.0f);
    // If the swing is clamped as well, the twist counts as 0 and is clamped to its range.
    limit.set = LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING;
    hold(&limit, q, 1);
    assert_true(fabs(angle_about(q[0], 1) - 10.0) < 1e-3);
}

// Steps of a hundredth of a degree through every limit change the result only by a small amount.
static void results_are_continuous(void **state) {
    (void)state;
    enum { STEPS = 30001 };
    static float rotations[STEPS][4];
    static const uint32_t sets[] = {LMB_JOINT_LIMIT_TWIST, LMB_JOINT_LIMIT_SWING,
                                    LMB_JOINT_LIMIT_TWIST | LMB_JOINT_LIMIT_SWING, LMB_JOINT_LIMIT_ANGLES};
    for (uint32_t which = 0; which < 4; which++) {
        lmb_joint_limit_def limit = lmb_default_joint_limit_def();
        limit.set = sets[which];
        limit.twist_axis = LMB_AXIS_X;
        limit.twist_min = -40.0f;
        limit.twist_max = 40.0f;
        limit.swing = 30.0f;
        for (int i = 0; i < 3; i++) {
            limit.angle_min[i] = -25.0f;
            limit.angle_max[i] = 35.0f;
        }
        for (uint32_t i = 0; i < STEPS; i++) { // about (2, 1, 2) / 3, up to 150 degrees
            const double half = ((double)i / 100.0 - 150.0) * 3.14159265358979324 / 360.0;
            const double q[4] = {sin(half) * 2.0 / 3.0, sin(half) / 3.0, sin(half) * 2.0 / 3.0, cos(half)};
            for (int k = 0; k < 4; k++) {
                rotations[i][k] = (float)q[k];
            }
        }
        hold(&limit, rotations, STEPS);
        double largest = 0.0;
        for (uint32_t i = 1; i < STEPS; i++) {
            for (int k = 0; k < 4; k++) {
                largest = fmax(largest, fabs((double)rotations[i][k] - (double)rotations[i - 1][k]));
            }
        }
        print_message("a step moves by %.2g\n", largest);
        assert_true(largest <= 4e-4); // a step is 8.7e-5; the twist of a swing amplifies it
    }
}

// ---- Invalid definitions. ----

static void limits_that_cannot_be_kept(void **state) {
    (void)state;
    lmb_rig *rig = scene_single_joint();
    lmb_node_def nodes[2] = {lmb_default_node_def(), lmb_clamp_node(0, 0)};
    lmb_joint_limit_def limit = lmb_default_joint_limit_def();
    const lmb_joint_limit_def *limits = &limit;
    lmb_graph_def def = {.rig = rig, .nodes = nodes, .node_count = 2, .joint_limits = &limits, .joint_limits_count = 1};
    lmb_error error = {0};
    assert_int_equal(lmb_graph_check(&def, &error), LMB_OK);
#define EXPECT(change, ...)                                                                                            \
    limit = lmb_default_joint_limit_def();                                                                             \
    change;                                                                                                            \
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_ARGUMENT,                                           \
                  "graph: joint limits 0: joint 0 'joint_0': ", __VA_ARGS__)
    EXPECT(limit.set = 32, "set: unknown bits");
    EXPECT(limit.set = LMB_JOINT_LIMIT_ANGLES | LMB_JOINT_LIMIT_SWING, "set: angles, and twist or swing");
    EXPECT(limit.set = LMB_JOINT_LIMIT_TRANSLATION; limit.translation_min[1] = 1.0f, "translation: min is above");
    EXPECT(limit.set = LMB_JOINT_LIMIT_TRANSLATION; limit.translation_max[2] = NAN, "translation: an end is out of");
    EXPECT(limit.set = LMB_JOINT_LIMIT_SCALE; limit.scale_max[0] = INFINITY, "scale: an end is out of range");
    EXPECT(limit.set = LMB_JOINT_LIMIT_TWIST; limit.twist_max = 361.0f, "twist: an end is out of range");
    EXPECT(limit.set = LMB_JOINT_LIMIT_TWIST; limit.twist_axis = LMB_AXIS_COUNT, "twist: unknown axis");
    EXPECT(limit.set = LMB_JOINT_LIMIT_SWING; limit.swing = -1.0f, "swing: not from 0 to 180");
    EXPECT(limit.set = LMB_JOINT_LIMIT_SWING; limit.swing = NAN, "swing: not from 0 to 180");
    EXPECT(limit.set = LMB_JOINT_LIMIT_ANGLES; limit.angle_max[0] = 181.0f, "angles: an end is out of range");
    EXPECT(limit.set = LMB_JOINT_LIMIT_ANGLES; limit.angle_min[0] = limit.angle_max[0] = 180.0f, "angles: a range is");
    limit = lmb_default_joint_limit_def();
    nodes[1].joint_limits = 1;
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_ARGUMENT,
                  "node 1 (clamp): joint_limits: there are no");
    nodes[1].joint_limits = 0;
    limits = NULL;
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_ARGUMENT, "limits 0 are NULL");
    def.joint_limits = NULL;
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_ARGUMENT, "the joint limits are NULL");
    def.joint_limits = &limits;
    def.joint_limits_count = LMB_MAX_JOINT_LIMITS + 1;
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_LIMIT, "65 joint limits");
    lmb_rig_destroy(rig);
}

static void a_clamp_is_printed(void **state) {
    (void)state;
    lmb_rig *rig = scene_single_joint();
    const lmb_node_def nodes[2] = {lmb_default_node_def(), lmb_clamp_node(0, 1)};
    const lmb_joint_limit_def limit = lmb_default_joint_limit_def();
    const lmb_joint_limit_def *limits[2] = {&limit, &limit};
    const lmb_graph_def def = {
        .rig = rig, .nodes = nodes, .node_count = 2, .joint_limits = limits, .joint_limits_count = 2};
    lmb_graph *program = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &program, NULL), LMB_OK);
    expect_printed(program, "   0  s0   rest\n   1  s0   clamp          s0, joint limits 1\n");
    lmb_graph_destroy(program);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_against_the_oracle),  cmocka_unit_test(twice_is_once),
        cmocka_unit_test(inside_nothing_changes),     cmocka_unit_test(angles_go_to_the_nearer_end),
        cmocka_unit_test(half_a_turn_of_swing),       cmocka_unit_test(results_are_continuous),
        cmocka_unit_test(limits_that_cannot_be_kept), cmocka_unit_test(a_clamp_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
