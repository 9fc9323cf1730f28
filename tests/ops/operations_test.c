// Every operation on poses against the float64 oracle, on random and edge inputs, with refusals. Clips are in
// sampling_test.c; model matrices and the snapping of output outputs are in hierarchy_test.c.
#include "scene.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float edge_weights[] = {0.0f,  1.0f,  0.5f, 0.25f,    1e-6f,     1.0f - 1e-6f, 0x1p-39f,    1e-20f,
                                     -0.0f, -1.0f, 2.0f, INFINITY, -INFINITY, 0.999999940f, 0.333333343f};
enum { EDGE_WEIGHTS = sizeof edge_weights / sizeof *edge_weights };

static float some_weight(random_source *source, uint32_t character) {
    return character < EDGE_WEIGHTS ? edge_weights[character] : (float)random_between(source, 0.0, 1.0);
}

// Two random poses and one operation on them. Parameter 0 is the weight.
static void start_pair(test_scene *scene, lmb_op op, uint32_t characters, uint32_t joints, uint64_t seed) {
    random_source source = {seed};
    scene_start(scene, scene_rig(joints, SCENE_TREE, seed), characters, 1);
    scene_fill_pose(scene, 0, &source);
    scene_fill_pose(scene, 1, &source);
    scene_add_pose_node(scene, 0);
    scene_add_pose_node(scene, 1);
    lmb_node_def *node = scene_add(scene, op, 0, 1);
    node->weight = lmb_parameter(0);
    node->weights[0] = lmb_parameter(0);
    node->weights[1] = lmb_constant(0.5f);
    for (uint32_t character = 0; character < characters; character++) {
        *scene_parameter(scene, character, 0) = some_weight(&source, character);
    }
}

static scene_bounds magnitude(double value) {
    scene_bounds bounds = SCENE_BOUNDS;
    bounds.magnitude = value;
    return bounds;
}

static void compare_pair(lmb_op op, uint64_t seed, double size) {
    test_scene scene;
    start_pair(&scene, op, 67, 41, seed);
    scene_run_and_compare(&scene, lmb_op_name(op), magnitude(size));
    scene_end(&scene);
}

static void blend_of_random_poses(void **state) {
    (void)state;
    compare_pair(LMB_OP_BLEND, 1, 10.0);
}

// Sets a rotation that is delicate to blend, for all the edge weights.
static void set_rotation(test_scene *scene, uint32_t pose, uint32_t character, uint32_t joint, const double q[4]) {
    double unit[4];
    assert_true(oracle_quaternion_normalise(q, unit));
    for (uint32_t i = 0; i < 4; i++) {
        *scene_component(scene, scene->poses[pose], character, joint, 3 + i) = (float)unit[i];
    }
}

enum { ROTATION_CASES = 16 };

// Returns the second rotation of a pair whose first is q.
static void rotation_case(uint32_t which, const double q[4], random_source *source, double result[4]) {
    static const double distances[] = {0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
    double noise[4];
    for (int i = 0; i < 4; i++) {
        noise[i] = random_between(source, -1.0, 1.0);
    }
    if (which < 14) { // equal, nearly equal, antipodal and nearly antipodal
        const double sign = which < 7 ? 1.0 : -1.0;
        for (int i = 0; i < 4; i++) {
            result[i] = sign * (q[i] + distances[which % 7] * noise[i]);
        }
        return;
    }
    // At right angles: half a turn about some axis. The exact case is q times i.
    const double axis[4] = {which == 14 ? 1.0 : 0.6, which == 14 ? 0.0 : 0.8, 0.0, 0.0};
    oracle_quaternion_multiply(q, axis, result);
}

static void blend_of_delicate_rotations(void **state) {
    (void)state;
    test_scene scene;
    random_source source = {2};
    start_pair(&scene, LMB_OP_BLEND, EDGE_WEIGHTS, ROTATION_CASES * 8, 2);
    for (uint32_t character = 0; character < EDGE_WEIGHTS; character++) {
        for (uint32_t joint = 0; joint < ROTATION_CASES * 8; joint++) {
            double first[4], second[4];
            scene_rotation(&scene, scene.poses[0], character, joint, first);
            if (joint < ROTATION_CASES) {
                memcpy(first, (double[4]){0.0, 0.0, 0.0, 1.0}, sizeof first);
            }
            rotation_case(joint % ROTATION_CASES, first, &source, second);
            set_rotation(&scene, 0, character, joint, first);
            set_rotation(&scene, 1, character, joint, second);
        }
    }
    scene_run_and_compare(&scene, "blend, delicate rotations", magnitude(10.0));
    scene_end(&scene);
}

// Angles between 0 and 180 degrees, evenly spaced, because the polynomial slerp errs there.
static void blend_over_all_angles(void **state) {
    (void)state;
    enum { ANGLES = 1000, WEIGHTS = 64 };
    test_scene scene;
    start_pair(&scene, LMB_OP_BLEND, WEIGHTS, ANGLES, 3);
    for (uint32_t character = 0; character < WEIGHTS; character++) {
        for (uint32_t joint = 0; joint < ANGLES; joint++) {
            const double half = (double)joint / ANGLES * 1.5707963267948966;
            double first[4], turn[4] = {0.0, sin(half), 0.0, cos(half)}, second[4];
            scene_rotation(&scene, scene.poses[0], character, joint, first);
            oracle_quaternion_multiply(first, turn, second);
            set_rotation(&scene, 1, character, joint, second);
        }
        *scene_parameter(&scene, character, 0) = (float)character / (WEIGHTS - 1);
    }
    scene_run_and_compare(&scene, "blend, all angles", magnitude(10.0));
    scene_end(&scene);
}

static void public_slerp(void **state) {
    (void)state;
    random_source source = {4};
    double largest = 0.0;
    for (uint32_t round = 0; round < 100000; round++) {
        float a[4], b[4], result[4];
        double from[4], given[4], to[4], near[4];
        random_rotation(&source, a);
        random_rotation(&source, b);
        for (int i = 0; i < 4; i++) {
            from[i] = (double)a[i];
            given[i] = (double)b[i];
        }
        if (round % 2 == 1) {
            rotation_case(round / 2 % ROTATION_CASES, from, &source, given);
        }
        assert_true(oracle_quaternion_normalise(given, to) && oracle_quaternion_normalise(from, from));
        for (int i = 0; i < 4; i++) {
            b[i] = (float)to[i];
            to[i] = (double)b[i];
        }
        oracle_quaternion_normalise(to, near);
        const float t = round % 16 == 0 ? 0.0f : round % 16 == 2 ? 1.0f : (float)random_between(&source, 0.0, 1.0);
        lmb_quaternion_slerp(a, b, t, result);
        double best = HUGE_VAL;
        for (uint32_t turned = 0; turned < 2; turned++) {
            oracle_choices choices = {turned, 0};
            double expected[4], error = 0.0;
            oracle_quaternion_slerp(from, near, (double)t, &choices, expected);
            for (int i = 0; i < 4; i++) {
                assert_true(isfinite(result[i]));
                error = fmax(error, fabs((double)result[i] - expected[i]));
            }
            best = fmin(best, error);
        }
        largest = fmax(largest, best);
    }
    print_message("lmb_quaternion_slerp: %.2g\n", largest);
    assert_true(largest <= 1e-6);
}

// Against the C library in float64, and the same bits on every machine.
static void public_angles(void **state) {
    (void)state;
    random_source source = {1402};
    enum { ROUNDS = 100000 };
    static uint32_t bits[3 * ROUNDS];
    double largest[3] = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < ROUNDS; i++) {
        static const double lengths[] = {3.2, 7.0, 1e-3, 2000.0};
        const float x = (float)random_between(&source, -lengths[i % 4], lengths[i % 4]);
        const float y = i % 10 == 0 ? x : (float)random_between(&source, -lengths[i / 4 % 4], lengths[i / 4 % 4]);
        const float found[3] = {lmb_sine(x), lmb_cosine(x), lmb_arc_tangent(y, x)};
        const double expected[3] = {sin((double)x), cos((double)x), atan2((double)y, (double)x)};
        const double far = fmax(0.0, fabs((double)x) - 6.2831854) * 2e-7;
        for (int k = 0; k < 3; k++) {
            const double error = fabs((double)found[k] - expected[k]) - (k < 2 ? far : 0.0);
            largest[k] = fmax(largest[k], error);
        }
        memcpy(bits + 3 * i, found, sizeof found);
    }
    print_message("sine %.2g, cosine %.2g, arc tangent %.2g\n", largest[0], largest[1], largest[2]);
    assert_true(largest[0] <= 1e-6 && largest[1] <= 1e-6 && largest[2] <= 1e-6);
    const uint64_t hash = lmb_hash_words(bits, 3 * ROUNDS);
    if (hash != UINT64_C(0x589bd4dae9b5f13a)) {
        fail_msg("the hash of all is 0x%016llx", (unsigned long long)hash);
    }
    static const float rows[][3] = {{0, 0, 0},
                                    {0, 1, 0},
                                    {1, 0, 1.57079633f},
                                    {-1, 0, -1.57079633f},
                                    {0, -1, 3.14159265f},
                                    {1, 1, 0.785398163f},
                                    {-1, -1, -2.35619449f}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(fabsf(lmb_arc_tangent(rows[i][0], rows[i][1]) - rows[i][2]) <= 3e-7f);
    }
    assert_true(lmb_sine(0.0f) == 0.0f && lmb_cosine(0.0f) == 1.0f && lmb_sine(NAN) == 0.0f);
    assert_true(fabsf(lmb_sine(INFINITY)) <= 1.0f && lmb_arc_tangent(NAN, NAN) == 0.0f);
}

static void public_transforms(void **state) {
    (void)state;
    test_scene scene;
    random_source source = {5};
    scene_start(&scene, scene_single_joint(), 2000, 0);
    scene_fill_pose(&scene, 0, &source);
    scene_fill_pose(&scene, 1, &source);
    double matrix_error = 0.0, product_error = 0.0, affine_error = 0.0, inverse_error = 0.0;
    for (uint32_t character = 0; character < 2000; character++) {
        lmb_transform given[2];
        oracle_transform exact[2];
        oracle_affine matrices[2];
        for (uint32_t k = 0; k < 2; k++) {
            memcpy(&given[k], scene.poses[k] + (size_t)character * LMB_POSE_COMPONENTS, sizeof given[k]);
            exact[k] = oracle_transform_from_float(&given[k]);
            matrices[k] = oracle_affine_from_transform(&exact[k]);
        }
        const lmb_transform product = lmb_transform_multiply(given[0], given[1]);
        const oracle_transform expected = oracle_transform_multiply(&exact[0], &exact[1]);
        const lmb_affine first = lmb_affine_from_transform(given[0]), second = lmb_affine_from_transform(given[1]);
        const lmb_affine both = lmb_affine_multiply(first, second);
        const oracle_affine expected_both = oracle_affine_multiply(&matrices[0], &matrices[1]);
        lmb_affine inverse;
        assert_true(lmb_affine_invert(first, &inverse));
        const oracle_affine wide = oracle_affine_from_float(&first), narrow = oracle_affine_from_float(&inverse);
        const oracle_affine unity = oracle_affine_multiply(&wide, &narrow);
        for (int i = 0; i < 4; i++) {
            product_error = fmax(product_error, fabs((double)product.rotation[i] - expected.rotation[i]));
        }
        for (int i = 0; i < 3; i++) {
            // Sums of three products of up to 8 x 10 and 10.
            product_error = fmax(product_error, fabs((double)product.translation[i] - expected.translation[i]) / 150.0);
            product_error = fmax(product_error, fabs((double)product.scale[i] / expected.scale[i] - 1.0));
        }
        for (int i = 0; i < 12; i++) {
            const int row = i / 4, column = i % 4;
            const double entry = matrices[0].m[row][column];
            const double unit = column < 3 ? fmax(1.0, exact[0].scale[column]) : fmax(1.0, fabs(entry));
            matrix_error = fmax(matrix_error, fabs((double)first.m[row][column] - entry) / unit);
            affine_error = fmax(affine_error, fabs((double)both.m[row][column] - expected_both.m[row][column]) / 150.0);
            inverse_error = fmax(inverse_error, fabs(unity.m[row][column] - (row == column ? 1.0 : 0.0)) / 150.0);
        }
    }
    print_message("transform to matrix %.2g, transform product %.2g, matrix product %.2g, inverse %.2g\n", matrix_error,
                  product_error, affine_error, inverse_error);
    assert_true(matrix_error <= 1e-6 && product_error <= 1e-6 && affine_error <= 1e-6 && inverse_error <= 1e-6);
    lmb_affine singular = lmb_affine_identity(), inverse;
    singular.m[1][1] = 0.0f;
    assert_false(lmb_affine_invert(singular, &inverse));
    const lmb_affine identity = lmb_affine_identity();
    assert_memory_equal(&inverse, &identity, sizeof inverse);
    singular.m[1][1] = NAN;
    assert_false(lmb_affine_invert(singular, &inverse));
    assert_memory_equal(&inverse, &identity, sizeof inverse);
    scene_end(&scene);
}

// Fills the scales of both poses with pairs whose ratio has a binary logarithm in [-reach, reach].
static void set_scale_ratios(test_scene *scene, random_source *source, double reach) {
    for (uint32_t character = 0; character < scene->character_count; character++) {
        for (uint32_t joint = 0; joint < lmb_rig_get_def(scene->rig)->joint_count; joint++) {
            for (uint32_t i = 7; i < 10; i++) {
                const double ratio = random_between(source, -reach, reach);
                const double middle = random_between(source, -39.0 + fabs(ratio) / 2.0, 39.0 - fabs(ratio) / 2.0);
                const double sign = i == 9 ? -1.0 : 1.0;
                *scene_component(scene, scene->poses[0], character, joint, i) =
                    (float)(sign * exp2(middle - ratio / 2.0));
                *scene_component(scene, scene->poses[1], character, joint, i) =
                    (float)(sign * exp2(middle + ratio / 2.0));
            }
        }
    }
}

// Weights 0 and 1 return translation and scale of one input, to the bit.
static void the_ends_of_a_blend_are_exact(void **state) {
    (void)state;
    test_scene scene;
    random_source source = {19};
    start_pair(&scene, LMB_OP_BLEND, 2, 500, 19);
    set_scale_ratios(&scene, &source, 76.0);
    for (uint32_t character = 0; character < 2; character++) {
        *scene_parameter(&scene, character, 0) = (float)character;
    }
    scene_run(&scene);
    for (uint32_t character = 0; character < 2; character++) {
        for (uint32_t i = 0; i < 500 * LMB_POSE_COMPONENTS; i++) {
            const uint32_t component = i / 500, at = character * 500 * LMB_POSE_COMPONENTS + i;
            if (component < 3 || component >= 7) {
                assert_true(scene.buffers[LMB_OUTPUT_LOCAL][at] == scene.poses[character][at]);
            }
        }
    }
    scene_end(&scene);
}

static void scale_of_ratios(lmb_op op, double reach, double bound, const char *title) {
    test_scene scene;
    random_source source = {6};
    start_pair(&scene, op, 200, 101, 6);
    set_scale_ratios(&scene, &source, reach);
    scene_bounds bounds = magnitude(10.0);
    bounds.scale = bound;
    scene_run_and_compare(&scene, title, bounds);
    scene_end(&scene);
}

static void scale_blends_exponentially(void **state) {
    (void)state;
    scale_of_ratios(LMB_OP_BLEND, 8.0, 2e-6, "blend, scale ratios to 2^8");
    scale_of_ratios(LMB_OP_BLEND, 16.0, 4e-6, "blend, scale ratios to 2^16");
    scale_of_ratios(LMB_OP_BLEND, 76.0, 1e-5, "blend, scale ratios to 2^76");
}

// Neighbours of powers of two, where a custom logarithm changes its binade.
static void scale_around_powers_of_two(void **state) {
    (void)state;
    test_scene scene;
    start_pair(&scene, LMB_OP_BLEND, 50, 17 * 9, 7);
    for (uint32_t character = 0; character < 50; character++) {
        for (uint32_t joint = 0; joint < 17 * 9; joint++) {
            const float power = exp2f((float)(joint / 9) - 8.0f);
            const float neighbours[3] = {nextafterf(power, 0.0f), power, nextafterf(power, INFINITY)};
            const float ones[3] = {nextafterf(1.0f, 0.0f), 1.0f, nextafterf(1.0f, 2.0f)};
            for (uint32_t i = 7; i < 10; i++) {
                *scene_component(&scene, scene.poses[0], character, joint, i) = ones[joint % 3];
                *scene_component(&scene, scene.poses[1], character, joint, i) = neighbours[joint / 3 % 3];
            }
        }
    }
    scene_run_and_compare(&scene, "blend, scales around powers of two", magnitude(10.0));
    scene_end(&scene);
}

static const float odd_scales[][2] = {
    {0.0f, 2.0f},    {2.0f, 0.0f},        {0.0f, 0.0f},        {-1.0f, 2.0f},    {2.0f, -1.0f},    {-2.0f, -3.0f},
    {-2.0f, -0.01f}, {1.0f, 1.0f},        {-0.0f, 1.0f},       {0x1p-41f, 1.0f}, {1.0f, 0x1p-41f}, {0x1p-40f, 1.0f},
    {1.0f, 0x1p40f}, {-0x1p40f, 0x1p40f}, {0x1p-40f, 0x1p40f}, {3.0f, -3.0f},    {1e-30f, -1e-30f}};
enum { ODD_SCALES = sizeof odd_scales / sizeof *odd_scales };

static void odd_scales_in(lmb_op op, const char *title) {
    test_scene scene;
    start_pair(&scene, op, 40, ODD_SCALES, 8);
    for (uint32_t character = 0; character < 40; character++) {
        for (uint32_t joint = 0; joint < ODD_SCALES; joint++) {
            for (uint32_t i = 7; i < 10; i++) {
                *scene_component(&scene, scene.poses[0], character, joint, i) = odd_scales[joint][0];
                *scene_component(&scene, scene.poses[1], character, joint, i) = odd_scales[joint][1];
            }
        }
    }
    scene_bounds bounds = magnitude(20.0);
    bounds.scale = 2e-5; // ratios up to 2^80
    bounds.scale_floor = 0.1;
    scene_run_and_compare(&scene, title, bounds);
    scene_end(&scene);
}

static void scale_of_zero_and_of_both_signs(void **state) {
    (void)state;
    odd_scales_in(LMB_OP_BLEND, "blend, odd scales");
    odd_scales_in(LMB_OP_MAKE_ADDITIVE, "difference, odd scales");
    odd_scales_in(LMB_OP_ADDITIVE, "additive, odd scales");
    odd_scales_in(LMB_OP_WEIGHTED, "weighted, odd scales");
}

static void masked_blend(void **state) {
    (void)state;
    enum { JOINTS = 256 };
    uint8_t all[JOINTS], none[JOINTS], ramp[JOINTS];
    memset(all, 255, sizeof all);
    memset(none, 0, sizeof none);
    for (uint32_t i = 0; i < JOINTS; i++) {
        ramp[i] = (uint8_t)i;
    }
    const uint8_t *const masks[] = {none, all, ramp};
    for (uint32_t mask = 0; mask < 3; mask++) {
        for (int curve = 0; curve < LMB_CURVE_COUNT; curve += suite_is_slow() ? 6 : 1) {
            test_scene scene;
            start_pair(&scene, LMB_OP_MASKED, 33, JOINTS, 9);
            memcpy(scene.masks, masks, sizeof masks);
            scene.mask_count = 3;
            scene.nodes[2].mask = mask;
            scene.nodes[2].weight.curve = (lmb_curve)curve;
            scene_run_and_compare(&scene, "masked", magnitude(10.0));
            scene_end(&scene);
        }
    }
}

// With translations 0 and 1, the blend's result is its weight.
static void curves_shape_the_weight(void **state) {
    (void)state;
    enum { WEIGHTS = 4097 };
    for (int curve = 0; curve < LMB_CURVE_COUNT; curve++) {
        test_scene scene;
        scene_start(&scene, scene_single_joint(), WEIGHTS, 1);
        scene_add_pose(&scene, 0);
        scene_add_pose(&scene, 1);
        scene_add_pose_node(&scene, 0);
        scene_add_pose_node(&scene, 1);
        lmb_node_def *node = scene_add(&scene, LMB_OP_BLEND, 0, 1);
        node->weight = lmb_parameter(0);
        node->weight.curve = (lmb_curve)curve;
        for (uint32_t character = 0; character < WEIGHTS; character++) {
            *scene_parameter(&scene, character, 0) = (float)character / (WEIGHTS - 1);
            *scene_component(&scene, scene.poses[1], character, 0, 0) = 1.0f;
        }
        scene_run_and_compare(&scene, lmb_curve_name((lmb_curve)curve), SCENE_BOUNDS);
        for (uint32_t i = 0; i < 2; i++) {
            const float value = *scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], i * (WEIGHTS - 1), 0, 0);
            assert_true(value == (float)i);
        }
        scene_end(&scene);
    }
}

// Poses 0 to 7, repeated if there are more inputs. The weights are parameters.
static void start_weighted(test_scene *scene, uint32_t inputs, uint32_t characters, uint32_t joints) {
    random_source source = {10 + inputs};
    scene_start(scene, scene_rig(joints, SCENE_TREE, inputs), characters, inputs);
    scene_add_many(scene, LMB_OP_WEIGHTED, inputs, &source);
    for (uint32_t character = 0; character < characters; character++) {
        for (uint32_t i = 0; i < inputs; i++) {
            *scene_parameter(scene, character, i) = (float)random_between(&source, 0.0, 1.0);
        }
    }
}

static void weighted_of_any_number(void **state) {
    (void)state;
    for (uint32_t inputs = 2; inputs <= LMB_MAX_INPUTS; inputs++) {
        test_scene scene;
        start_weighted(&scene, inputs, 65, 13);
        for (uint32_t character = 0; character < 65; character += 3) {
            *scene_parameter(&scene, character, character % inputs) = 0.0f;
        }
        char title[32];
        snprintf(title, sizeof title, "weighted of %u", inputs);
        scene_run_and_compare(&scene, title, magnitude(10.0));
        scene_end(&scene);
    }
}

static void weighted_by_odd_weights(void **state) {
    (void)state;
    static const float rows[][4] = {{0.0f, 0.0f, 0.0f, 0.0f},
                                    {-1.0f, -2.0f, 0.0f, -0.0f},
                                    {1.0f, 0.0f, 0.0f, 0.0f},
                                    {0.0f, 0.0f, 0.0f, 1.0f},
                                    {0.0f, 0.5f, 0.5f, 0.0f},
                                    {-1.0f, 1.0f, 2.0f, 0.0f},
                                    {1e9f, 1.0f, 1e-9f, 1.0f},
                                    {1e-9f, 1e-9f, 1e-9f, 2e-9f},
                                    {0x1p40f, 0x1p40f, 1.0f, 0.0f},
                                    {1e30f, 1.0f, 1.0f, 1.0f},
                                    {INFINITY, 1.0f, 1.0f, 1.0f},
                                    {INFINITY, INFINITY, 0.0f, 0.0f},
                                    {-INFINITY, 1.0f, 0.0f, 0.0f},
                                    {0x1p-40f, 0.0f, 0.0f, 0.0f},
                                    {0x1p-40f, 0x1p-39f, 0x1p40f, 0.0f},
                                    {0x1.fffffep-41f, 1e-20f, 1e-45f, 0x1p-41f},
                                    {0x1.fffffep-41f, 0x1p-40f, 0.0f, 0.0f},
                                    {1.0f, 1.0f, 1.0f, 1.0f}};
    const uint32_t count = sizeof rows / sizeof *rows;
    test_scene scene;
    start_weighted(&scene, 4, count, 29);
    memcpy(scene.parameters, rows, sizeof rows);
    // Signs and zeros of scale affect the result only if their input has a weight.
    for (uint32_t character = 0; character < count; character++) {
        *scene_component(&scene, scene.poses[0], character, 3, 7) = -2.0f;
        *scene_component(&scene, scene.poses[1], character, 4, 8) = 0.0f;
        *scene_component(&scene, scene.poses[3], character, 5, 9) = -0.5f;
    }
    scene_bounds bounds = magnitude(10.0);
    bounds.scale_floor = 1.0;
    scene_run_and_compare(&scene, "weighted, odd weights", bounds);
    scene_expect_no_refusals(&scene);
    scene_end(&scene);
}

// Inputs that differ only in sign are the same rotation, whatever their weights. At right angles, either sum is
// correct.
static void weighted_in_one_hemisphere(void **state) {
    (void)state;
    static const double axes[4][4] = {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    test_scene scene;
    start_weighted(&scene, 4, 64, 3);
    for (uint32_t character = 0; character < 64; character++) {
        for (uint32_t pose = 0; pose < 4; pose++) {
            const double sign = (character >> pose & 1u) != 0 ? -1.0 : 1.0;
            double same[4], axis[4];
            scene_rotation(&scene, scene.poses[0], 0, 0, same);
            for (uint32_t i = 0; i < 4; i++) {
                same[i] *= sign;
                axis[i] = sign * axes[(pose + character / 16) % 4][i];
            }
            set_rotation(&scene, pose, character, 1, same);
            set_rotation(&scene, pose, character, 2, axis);
        }
    }
    for (uint32_t character = 0; character < 64; character++) {
        double same[4];
        scene_rotation(&scene, scene.poses[0], 0, 0, same);
        for (uint32_t pose = 0; pose < 4; pose++) {
            const double sign = (character >> pose & 1u) != 0 ? -1.0 : 1.0;
            double turned[4] = {sign * same[0], sign * same[1], sign * same[2], sign * same[3]};
            set_rotation(&scene, pose, character, 0, turned);
        }
    }
    scene_run_and_compare(&scene, "weighted, one hemisphere", magnitude(10.0));
    scene_end(&scene);
}

static void difference_of_random_poses(void **state) {
    (void)state;
    compare_pair(LMB_OP_MAKE_ADDITIVE, 11, 20.0);
}

static void additive_of_random_poses(void **state) {
    (void)state;
    for (int curve = 0; curve < LMB_CURVE_COUNT; curve++) {
        test_scene scene;
        start_pair(&scene, LMB_OP_ADDITIVE, 67, 41, 12);
        scene.nodes[2].weight.curve = (lmb_curve)curve;
        scene_run_and_compare(&scene, "additive", magnitude(20.0));
        scene_end(&scene);
    }
}

// Tests every option of an operation that has options.
static void with_all_choices(lmb_op op, scene_bounds bounds) {
    for (int choice = 0; choice < 4 * LMB_MIX_COUNT; choice++) {
        test_scene scene;
        start_pair(&scene, op, 67, 41, 31 + (uint64_t)choice);
        static uint8_t ramp[41];
        for (uint32_t i = 0; i < 41; i++) {
            ramp[i] = (uint8_t)(i * 6);
        }
        scene.masks[0] = ramp;
        scene.mask_count = 1;
        lmb_node_def *node = &scene.nodes[2];
        node->interpolation = (lmb_mix)(choice / 2 % LMB_MIX_COUNT);
        node->shortest = choice % 2 == 0;
        node->linear_scale = choice / 2 >= LMB_MIX_COUNT;
        node->coordinates[0] = lmb_parameter(0);
        node->coordinates[1] = lmb_parameter(0);
        node->coordinates[2] = lmb_constant(0.3f);
        const uint32_t inputs = op == LMB_OP_SCALE                ? 1
                                : op == LMB_OP_SUBTRACT_SCALE_ADD ? 3
                                : op == LMB_OP_BILINEAR           ? 4
                                : op == LMB_OP_TRILINEAR          ? 8
                                                                  : 2;
        for (uint32_t i = 0; i < inputs; i++) {
            node->inputs[i] = i % 2;
        }
        node->input_count = inputs;
        if (op == LMB_OP_ADDITIVE) {
            node->form = LMB_FORM_PARENT;
            node->unclamped = true;
            node->mask = choice > 2 ? node->mask : LMB_NONE;
        }
        for (uint32_t character = 15; character < 67 && bounds.scale > 1e-5; character++) {
            *scene_parameter(&scene, character, 0) = (float)(character - 15) / 51.0f * 8.0f - 4.0f;
        }
        scene_run_and_compare(&scene, lmb_op_name(op), bounds);
        scene_end(&scene);
    }
}

static void blends_with_choices(void **state) {
    (void)state;
    // Without the choice of hemisphere, the sum of quaternions can be short, which reduces the precision of its
    // direction.
    scene_bounds bounds = magnitude(10.0);
    bounds.rotation = 5e-6;
    bounds.scale_floor = 0.1;
    with_all_choices(LMB_OP_BLEND, bounds);
    with_all_choices(LMB_OP_MASKED, bounds);
    with_all_choices(LMB_OP_BILINEAR, bounds);
    with_all_choices(LMB_OP_TRILINEAR, bounds);
}

static void factors_beyond_one(void **state) {
    (void)state;
    scene_bounds bounds = magnitude(100.0);
    bounds.rotation = 5e-6;
    bounds.scale = 2e-5;
    bounds.scale_floor = 1.0;
    with_all_choices(LMB_OP_SCALE, bounds);
    with_all_choices(LMB_OP_ADDITIVE, bounds);
    bounds.scale_floor = 100.0;
    with_all_choices(LMB_OP_SUBTRACT_SCALE_ADD, bounds);
}

static void sums_of_random_poses(void **state) {
    (void)state;
    compare_pair(LMB_OP_ADD, 29, 20.0);
    compare_pair(LMB_OP_SUBTRACT, 29, 20.0);
}

// In every form, r + (a - r) is a. So is w (a - b) + b with w = 1.
static void forms_give_the_source_back(void **state) {
    (void)state;
    for (int way = 0; way < LMB_FORM_COUNT + 1; way++) {
        test_scene scene;
        start_pair(&scene, LMB_OP_MAKE_ADDITIVE, 67, 41, 30);
        scene.nodes[2].form = (lmb_form)(way % LMB_FORM_COUNT);
        lmb_node_def *node = scene_add(&scene, LMB_OP_ADDITIVE, 1, 2);
        node->form = (lmb_form)(way % LMB_FORM_COUNT);
        node->weight = lmb_constant(1.0f);
        if (way == LMB_FORM_COUNT) {
            *node = lmb_default_node_def();
            node->op = LMB_OP_SUBTRACT_SCALE_ADD;
            node->inputs[1] = node->inputs[2] = 1;
            node->input_count = 3;
        }
        scene_run(&scene);
        for (uint32_t character = 0; character < 67; character++) {
            for (uint32_t joint = 0; joint < 41; joint++) {
                double dot = 0.0;
                for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                    const double out =
                        (double)*scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], character, joint, i);
                    const double in = (double)*scene_component(&scene, scene.poses[0], character, joint, i);
                    dot += i >= 3 && i < 7 ? out * in : 0.0;
                    assert_true((i >= 3 && i < 7) || fabs(out - in) <= 5e-6 * fmax(1.0, fabs(in)));
                }
                assert_true(fabs(fabs(dot) - 1.0) <= 1e-6);
            }
        }
        scene_end(&scene);
    }
}

// r + (a - r) is a. At weight 0.5, rotation and scale are those halfway between a and r.
static void difference_then_additive_gives_the_source_back(void **state) {
    (void)state;
    test_scene scene;
    start_pair(&scene, LMB_OP_MAKE_ADDITIVE, 67, 41, 13);
    scene_add(&scene, LMB_OP_ADDITIVE, 1, 2)->weight = lmb_constant(1.0f);
    scene_run_and_compare(&scene, "difference, then additive", magnitude(20.0));
    double largest = 0.0;
    for (uint32_t character = 0; character < 67; character++) {
        for (uint32_t joint = 0; joint < 41; joint++) {
            double value[10], source[10], dot = 0.0;
            for (uint32_t i = 0; i < 10; i++) {
                value[i] = (double)*scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], character, joint, i);
                source[i] = (double)*scene_component(&scene, scene.poses[0], character, joint, i);
                dot += i >= 3 && i < 7 ? value[i] * source[i] : 0.0;
            }
            for (uint32_t i = 0; i < 10; i++) {
                const double sign = i >= 3 && i < 7 && dot < 0.0 ? -1.0 : 1.0; // the same rotation
                largest = fmax(largest, fabs(sign * value[i] - source[i]) / (i < 3 ? 20.0 : i < 7 ? 1.0 : source[i]));
            }
        }
    }
    print_message("difference, then additive, from the source: %.2g\n", largest);
    assert_true(largest <= 2e-6);
    scene_end(&scene);
}

// A weight just below 1 must give a result close to that of weight 1, and a tiny weight a result close to that of
// weight 0.
static void weights_agree_in_the_limit(void **state) {
    (void)state;
    static const float limits[][2] = {{1.0f, 1.0f - 1e-6f}, {0.0f, 1e-6f}, {0.5f, 0.5f + 1e-6f}};
    static const lmb_op operations[] = {LMB_OP_ADDITIVE, LMB_OP_BLEND};
    for (uint32_t which = 0; which < 6; which++) {
        test_scene scene;
        start_pair(&scene, operations[which / 3], 2, 500, 14);
        for (uint32_t pose = 0; pose < 2; pose++) { // the same pose for both characters
            const size_t size = LMB_POSE_COMPONENTS * 500 * sizeof(float);
            memcpy((char *)scene.poses[pose] + size, scene.poses[pose], size);
        }
        *scene_parameter(&scene, 0, 0) = limits[which % 3][0];
        *scene_parameter(&scene, 1, 0) = limits[which % 3][1];
        scene_run(&scene);
        float *local = scene.buffers[LMB_OUTPUT_LOCAL];
        for (uint32_t joint = 0; joint < 500; joint++) {
            double at[10], near[10], dot = 0.0;
            for (uint32_t i = 0; i < 10; i++) {
                at[i] = (double)*scene_component(&scene, local, 0, joint, i);
                near[i] = (double)*scene_component(&scene, local, 1, joint, i);
                dot += i >= 3 && i < 7 ? at[i] * near[i] : 0.0;
            }
            for (uint32_t i = 0; i < 10; i++) {
                const double sign = i >= 3 && i < 7 && dot < 0.0 ? -1.0 : 1.0; // the same rotation
                // 1e-6 of a change of up to 20 in translation, half a turn in rotation, or 64 to 1 in scale, plus
                // rounding.
                assert_true(fabs(at[i] - sign * near[i]) <= 3e-5 + 1e-5 * fabs(at[i]));
            }
        }
        scene_end(&scene);
    }
}

static void weights_that_are_no_number(void **state) {
    (void)state;
    static const lmb_op operations[] = {LMB_OP_BLEND, LMB_OP_MASKED, LMB_OP_ADDITIVE};
    static const uint8_t mask[] = {255, 128, 1};
    for (uint32_t which = 0; which < 3; which++) {
        test_scene scene;
        start_pair(&scene, operations[which], 5, 3, 15);
        scene.masks[0] = mask;
        scene.mask_count = 1;
        *scene_parameter(&scene, 1, 0) = NAN;
        *scene_parameter(&scene, 3, 0) = -NAN;
        scene_run_and_compare(&scene, "weight NaN", magnitude(20.0));
        assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], 2);
        assert_int_equal(scene.refused[LMB_REFUSED_POSE], 0);
        scene_end(&scene);
    }
    test_scene scene;
    start_weighted(&scene, 3, 5, 3);
    *scene_parameter(&scene, 2, 1) = NAN;
    scene_run_and_compare(&scene, "weighted, weight NaN", magnitude(10.0));
    assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], 1);
    for (uint32_t i = 0; i < 3; i++) {
        *scene_parameter(&scene, 2, i) = NAN;
    }
    scene_run_and_compare(&scene, "weighted, weights all NaN", magnitude(10.0));
    assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], 3);
    scene_end(&scene);
}

static void poses_that_are_no_pose(void **state) {
    (void)state;
    static const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    test_scene scene;
    random_source source = {16};
    scene_start(&scene, scene_rig(12, SCENE_TREE, 16), 4, 0);
    scene_fill_pose(&scene, 0, &source);
    scene_add_pose_node(&scene, 0);
    for (uint32_t character = 0; character < 4; character++) {
        for (uint32_t component = 0; component < LMB_POSE_COMPONENTS; component++) {
            *scene_component(&scene, scene.poses[0], character, component, component) = bad[character];
        }
    }
    for (uint32_t i = 3; i < 7; i++) {
        *scene_component(&scene, scene.poses[0], 1, 10, i) = 0.0f;
        *scene_component(&scene, scene.poses[0], 2, 10, i) = i % 2 == 0 ? -0.0f : 1e-30f; // snaps to zero
    }
    scene_run_and_compare(&scene, "refused poses", magnitude(10.0));
    assert_int_equal(scene.refused[LMB_REFUSED_POSE], 42);
    assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], 0);
    for (uint32_t component = 0; component < LMB_POSE_COMPONENTS; component++) { // the whole joint has its rest pose
        const lmb_transform rest = lmb_rig_get_def(scene.rig)->joints[2].rest;
        float values[LMB_POSE_COMPONENTS];
        memcpy(values, &rest, sizeof values);
        const float value = *scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], 0, 2, component);
        assert_true(fabs((double)value - (double)values[component]) <= 1e-6);
    }
    scene_end(&scene);
}

// Rotations of any length except 0 are accepted as directions.
static void poses_with_long_and_short_rotations(void **state) {
    (void)state;
    test_scene scene;
    random_source source = {17};
    scene_start(&scene, scene_rig(70, SCENE_TREE, 17), 3, 0);
    scene_fill_pose(&scene, 0, &source);
    scene_add_pose_node(&scene, 0);
    for (uint32_t character = 0; character < 3; character++) {
        for (uint32_t joint = 0; joint < 70; joint++) {
            for (uint32_t i = 3; i < 7; i++) {
                float *value = scene_component(&scene, scene.poses[0], character, joint, i);
                *value = ldexpf(*value, (int)joint - 35);
            }
        }
    }
    scene_run_and_compare(&scene, "long and short rotations", magnitude(10.0));
    assert_int_equal(scene.refused[LMB_REFUSED_POSE], 0);
    scene_end(&scene);
}

// Random trees of all operations, within the summed errors of about twenty operations.
static void add_random_tree(test_scene *scene, random_source *source) {
    static const lmb_op operations[] = {LMB_OP_BLEND, LMB_OP_MASKED, LMB_OP_ADDITIVE, LMB_OP_WEIGHTED};
    for (uint32_t i = 0; i < 4; i++) {
        scene_add_pose_node(scene, i);
    }
    scene_add(scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
    scene_add(scene, LMB_OP_MAKE_ADDITIVE, 0, 1);
    for (uint32_t i = 0; i < 8; i++) { // grows in the first input, so its stack stays small
        // A weighted operation holds two sums, so a tree has at most two of them.
        const lmb_op op = operations[random_below(source, i % 4 == 0 ? 4 : 3)];
        const uint32_t previous = scene->node_count - 1;
        lmb_node_def *node = scene_add(scene, op, i == 0 ? 0 : previous, random_below(source, 5));
        if (op == LMB_OP_ADDITIVE) {
            node->inputs[1] = 5;
        }
        if (op == LMB_OP_WEIGHTED) {
            node->inputs[2] = random_below(source, 5);
            node->input_count = 3;
        }
        node->weight = lmb_parameter(random_below(source, scene->parameter_count));
        node->weight.curve = (lmb_curve)random_below(source, LMB_CURVE_COUNT);
        for (uint32_t k = 0; k < 3; k++) {
            node->weights[k] = lmb_parameter(random_below(source, scene->parameter_count));
        }
    }
}

static void random_trees(void **state) {
    (void)state;
    uint8_t mask[23];
    for (uint32_t round = 0; round < 50; round++) {
        test_scene scene;
        random_source source = {1000 + round};
        scene_start(&scene, scene_rig(23, SCENE_TREE, round), 19, 6);
        for (uint32_t i = 0; i < 4; i++) {
            scene_fill_pose(&scene, i, &source);
        }
        for (uint32_t i = 0; i < 23; i++) {
            mask[i] = (uint8_t)random_below(&source, 256);
        }
        scene.masks[0] = mask;
        scene.mask_count = 1;
        for (uint32_t i = 0; i < 19 * 6; i++) {
            scene.parameters[i] = (float)random_between(&source, 0.0, 1.0);
        }
        add_random_tree(&scene, &source);
        scene_bounds bounds = {1e-5, 1e-5, 1e-4, 50.0, 1e-3};
        scene_run(&scene);
        char title[32];
        snprintf(title, sizeof title, "tree %u", round);
        scene_compare_local(&scene, title, bounds);
        scene_end(&scene);
    }
}

static void a_batch_is_its_characters(void **state) {
    (void)state;
    static const uint32_t counts[] = {1, 2, 63, 64, 65, 127, 129};
    test_scene whole;
    start_pair(&whole, LMB_OP_BLEND, 129, 31, 18);
    scene_run(&whole);
    for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        test_scene part;
        start_pair(&part, LMB_OP_BLEND, counts[i], 31, 18);
        memcpy(part.parameters, whole.parameters, counts[i] * sizeof(float));
        for (uint32_t pose = 0; pose < 2; pose++) {
            memcpy(part.poses[pose], whole.poses[pose], counts[i] * sizeof(float[310]));
        }
        scene_run(&part);
        for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
            scene_expect_output(&part, (lmb_output)output, whole.buffers[output]);
        }
        scene_end(&part);
    }
    scene_end(&whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blend_of_random_poses),
        cmocka_unit_test(blend_of_delicate_rotations),
        cmocka_unit_test(blend_over_all_angles),
        cmocka_unit_test(public_slerp),
        cmocka_unit_test(public_angles),
        cmocka_unit_test(public_transforms),
        cmocka_unit_test(the_ends_of_a_blend_are_exact),
        cmocka_unit_test(scale_blends_exponentially),
        cmocka_unit_test(scale_around_powers_of_two),
        cmocka_unit_test(scale_of_zero_and_of_both_signs),
        cmocka_unit_test(masked_blend),
        cmocka_unit_test(curves_shape_the_weight),
        cmocka_unit_test(weighted_of_any_number),
        cmocka_unit_test(weighted_by_odd_weights),
        cmocka_unit_test(weighted_in_one_hemisphere),
        cmocka_unit_test(difference_of_random_poses),
        cmocka_unit_test(additive_of_random_poses),
        cmocka_unit_test(blends_with_choices),
        cmocka_unit_test(factors_beyond_one),
        cmocka_unit_test(sums_of_random_poses),
        cmocka_unit_test(forms_give_the_source_back),
        cmocka_unit_test(difference_then_additive_gives_the_source_back),
        cmocka_unit_test(weights_agree_in_the_limit),
        cmocka_unit_test(weights_that_are_no_number),
        cmocka_unit_test(poses_that_are_no_pose),
        cmocka_unit_test(poses_with_long_and_short_rotations),
        cmocka_unit_test(random_trees),
        cmocka_unit_test(a_batch_is_its_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
