// Model matrices, the palette, and the snapping of values at the end of every stage: rigs of all shapes and sizes,
// values around 2^-40 and 2^40, and chains that would overflow.
#include "scene.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A pose near the rest pose, with scales near 1, so that a long chain stays in range.
static void fill_gentle_pose(test_scene *scene, random_source *source) {
    scene_fill_pose(scene, 0, source);
    for (uint32_t character = 0; character < scene->character_count; character++) {
        for (uint32_t joint = 0; joint < lmb_rig_get_def(scene->rig)->joint_count; joint++) {
            for (uint32_t i = 0; i < 3; i++) {
                *scene_component(scene, scene->poses[0], character, joint, i) /= 10.0f;
                *scene_component(scene, scene->poses[0], character, joint, 7 + i) =
                    (float)random_between(source, 0.999, 1.001);
            }
        }
    }
}

static void compare_shape(scene_shape shape, uint32_t joints, uint32_t characters, const char *title) {
    test_scene scene;
    random_source source = {40 + joints};
    scene_start(&scene, scene_rig(joints, shape, joints), characters, 0);
    fill_gentle_pose(&scene, &source);
    scene_add_pose_node(&scene, 0);
    scene_run(&scene);
    scene_compare_local(&scene, title, SCENE_BOUNDS);
    scene_compare_model(&scene, title, 1e-6);
    scene_end(&scene);
}

static void rigs_of_all_shapes(void **state) {
    (void)state;
    compare_shape(SCENE_CHAIN, 1, 1, "one joint");
    compare_shape(SCENE_CHAIN, 2, 65, "two joints");
    compare_shape(SCENE_TREE, 67, 130, "67 joints");
    compare_shape(SCENE_CHAIN, 1000, 3, "chain of 1,000");
    compare_shape(SCENE_WIDE, 1000, 3, "1,000 abreast");
    compare_shape(SCENE_TREE, 1000, 3, "tree of 1,000");
    compare_shape(SCENE_TREE, LMB_MAX_JOINTS, 1, "tree of 65,535");
}

static void chains_of_scale(void **state) {
    (void)state;
    test_scene scene;
    random_source source = {41};
    scene_start(&scene, scene_rig(12, SCENE_CHAIN, 41), 50, 0);
    scene_fill_pose(&scene, 0, &source);
    scene_add_pose_node(&scene, 0);
    scene_run(&scene);
    scene_compare_model(&scene, "chain of scales to 8", 1e-6);
    scene_end(&scene);
}

// A root's model matrix is its local matrix: entries are within 1e-6 of max(1, scale of the column).
static void entries_of_local_matrices(void **state) {
    (void)state;
    enum { CHARACTERS = 5000 };
    test_scene scene;
    random_source source = {42};
    double largest = 0.0;
    scene_start(&scene, scene_single_joint(), CHARACTERS, 0);
    scene_fill_pose(&scene, 0, &source);
    scene_add_pose_node(&scene, 0);
    scene_run(&scene);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        lmb_transform given;
        memcpy(&given, scene.poses[0] + (size_t)character * LMB_POSE_COMPONENTS, sizeof given);
        const oracle_transform exact = oracle_transform_from_float(&given);
        const oracle_affine expected = oracle_affine_from_transform(&exact);
        for (uint32_t i = 0; i < LMB_MATRIX_COMPONENTS; i++) {
            const double entry = expected.m[i / 4][i % 4];
            const double value = (double)scene.buffers[LMB_OUTPUT_MODEL][character * LMB_MATRIX_COMPONENTS + i];
            const double unit = i % 4 < 3 ? exact.scale[i % 4] : fabs(entry);
            largest = fmax(largest, fabs(value - entry) / fmax(1.0, unit));
        }
    }
    print_message("entries of local matrices: %.2g\n", largest);
    assert_true(largest <= 1e-6);
    scene_end(&scene);
}

// Without a custom inverse bind matrix, the palette of the rest pose is the identity.
static void the_palette_of_the_rest_pose_is_the_identity(void **state) {
    (void)state;
    test_scene scene;
    scene_start(&scene, scene_rig(60, SCENE_TREE, 43), 2, 0);
    scene_add(&scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
    scene_run(&scene);
    scene_compare_model(&scene, "rest", 1e-6);
    for (uint32_t i = 0; i < 2 * 60 * LMB_MATRIX_COMPONENTS; i++) {
        const uint32_t entry = i % LMB_MATRIX_COMPONENTS;
        const double unity = entry / 4 == entry % 4 ? 1.0 : 0.0;
        assert_true(fabs((double)scene.buffers[LMB_OUTPUT_PALETTE][i] - unity) <= 2e-5);
    }
    scene_end(&scene);
}

static void inverse_bind_matrices_are_the_authors(void **state) {
    (void)state;
    random_source source = {44};
    lmb_joint_def joints[20];
    for (uint32_t i = 0; i < 20; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i / 2;
        joints[i].has_inverse_bind = true;
        for (int k = 0; k < 12; k++) {
            joints[i].inverse_bind.m[k / 4][k % 4] = (float)random_between(&source, -3.0, 3.0);
        }
    }
    joints[1].parent = 0;
    const lmb_rig_def def = {.joints = joints, .joint_count = 20};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    test_scene scene;
    scene_start(&scene, rig, 9, 0);
    scene_fill_pose(&scene, 0, &source);
    scene_add_pose_node(&scene, 0);
    scene_run(&scene);
    scene_compare_model(&scene, "inverse binds", 1e-6);
    scene_end(&scene);
}

// The result of a pose buffer's value. It is exact, because snapping uses integer arithmetic.
static const struct {
    float given, expected;
} borders[] = {
    {0x1p-40f, 0x1p-40f},
    {-0x1p-40f, -0x1p-40f},
    {0x1.fffffep-41f, 0.0f},
    {-0x1.fffffep-41f, 0.0f},
    {0x1.000002p-40f, 0x1.000002p-40f},
    {0x1p-41f, 0.0f},
    {FLT_MIN, 0.0f},
    {-FLT_MIN, 0.0f},
    {0x1p-149f, 0.0f},
    {-0x1p-149f, 0.0f},
    {0x1.fffffcp-127f, 0.0f},
    {-0.0f, 0.0f},
    {0.0f, 0.0f},
    {0x1p40f, 0x1p40f},
    {-0x1p40f, -0x1p40f},
    {0x1.fffffep39f, 0x1.fffffep39f},
    {0x1.000002p40f, 0x1p40f},
    {-0x1.000002p40f, -0x1p40f},
    {0x1p41f, 0x1p40f},
    {FLT_MAX, 0x1p40f},
    {-FLT_MAX, -0x1p40f},
    {1.0f, 1.0f},
};
enum { BORDERS = sizeof borders / sizeof *borders };

static void check_bits(float value, float expected) {
    if (memcmp(&value, &expected, sizeof value) != 0) {
        fail_msg("%a instead of %a", (double)value, (double)expected);
    }
}

static void values_at_the_border_of_a_stage(void **state) {
    (void)state;
    test_scene scene;
    scene_start(&scene, scene_single_joint(), BORDERS, 0);
    float *pose = scene_add_pose(&scene, 0);
    scene_add_pose_node(&scene, 0);
    for (uint32_t i = 0; i < BORDERS; i++) {
        *scene_component(&scene, pose, i, 0, 0) = *scene_component(&scene, pose, i, 0, 7) = borders[i].given;
    }
    scene_run(&scene);
    for (uint32_t i = 0; i < BORDERS; i++) {
        const float *local = scene.buffers[LMB_OUTPUT_LOCAL] + i * LMB_POSE_COMPONENTS;
        const float *model = scene.buffers[LMB_OUTPUT_MODEL] + i * LMB_MATRIX_COMPONENTS;
        const float *palette = scene.buffers[LMB_OUTPUT_PALETTE] + i * LMB_MATRIX_COMPONENTS;
        check_bits(local[0], borders[i].expected);
        check_bits(local[7], borders[i].expected);
        check_bits(model[0], borders[i].expected);
        check_bits(model[3], borders[i].expected);
        check_bits(palette[0], borders[i].expected);
        check_bits(palette[3], borders[i].expected);
    }
    assert_int_equal(scene.refused[LMB_REFUSED_POSE], 0);
    scene_end(&scene);
}

// Differences of translations and quotients of scales on both sides of a limit.
static void results_at_the_border_of_a_stage(void **state) {
    (void)state;
    static const struct {
        float a, reference, expected;
    } translations[] = {{0x1p-39f, 0x1.8p-40f, 0.0f},
                        {0x1.8p-40f, 0x1p-39f, 0.0f},
                        {0x1p-39f, 0x1p-40f, 0x1p-40f},
                        {0x1p-40f, 0x1p-39f, -0x1p-40f},
                        {0x1p40f, -0x1p40f, 0x1p40f},
                        {-0x1p40f, 0x1p40f, -0x1p40f},
                        {1.0f, 1.0f, 0.0f},
                        {-1.0f, -1.0f, 0.0f},
                        {0x1.fffffep39f, -0x1p16f, 0x1p40f}};
    static const struct {
        float a, reference, low, high;
    } scales[] = {{0x1p40f, 0x1p-40f, 0x1p40f, 0x1p40f},
                  {0x1p-40f, 0x1p40f, 0.0f, 0.0f},
                  {-0x1p40f, 0x1p-40f, -0x1p40f, -0x1p40f},
                  {-0x1p-40f, 0x1p40f, 0.0f, 0.0f},
                  {0x1p-20f, 0x1.01p20f, 0.0f, 0.0f},
                  {0x1p20f, 0x1.ffp-21f, 0x1p40f, 0x1p40f},
                  {0x1p-20f, 0x1.fep19f, 0x1p-40f, 0x1.03p-40f},
                  {2.0f, 0.0f, 1.0f, 1.0f},
                  {0.0f, 2.0f, 0.0f, 0.0f}};
    const uint32_t count = 9;
    test_scene scene;
    scene_start(&scene, scene_single_joint(), count, 0);
    float *a = scene_add_pose(&scene, 0), *reference = scene_add_pose(&scene, 1);
    scene_add_pose_node(&scene, 0);
    scene_add_pose_node(&scene, 1);
    scene_add(&scene, LMB_OP_MAKE_ADDITIVE, 0, 1);
    for (uint32_t i = 0; i < count; i++) {
        *scene_component(&scene, a, i, 0, 0) = translations[i].a;
        *scene_component(&scene, reference, i, 0, 0) = translations[i].reference;
        *scene_component(&scene, a, i, 0, 7) = scales[i].a;
        *scene_component(&scene, reference, i, 0, 7) = scales[i].reference;
    }
    scene_run(&scene);
    for (uint32_t i = 0; i < count; i++) {
        const float scale = *scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], i, 0, 7);
        check_bits(*scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], i, 0, 0), translations[i].expected);
        if (!(scale >= scales[i].low && scale <= scales[i].high)) {
            fail_msg("%a / %a came out as %a", (double)scales[i].a, (double)scales[i].reference, (double)scale);
        }
    }
    scene_end(&scene);
}

// 200 joints of one scale without a rotation. All values are powers of two, so the model matrices are known exactly.
static void compare_chain(float scale, float translation, bool turned) {
    enum { JOINTS = 200 };
    test_scene scene;
    random_source source = {45};
    scene_start(&scene, scene_rig(JOINTS, SCENE_CHAIN, 45), 1, 0);
    scene_fill_pose(&scene, 0, &source);
    scene_add_pose_node(&scene, 0);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
            float *value = scene_component(&scene, scene.poses[0], 0, joint, i);
            if (i >= 7 || i < 3) {
                *value = i < 3 ? translation : scale;
            } else if (!turned) {
                *value = i == 6 ? 1.0f : 0.0f;
            }
        }
    }
    scene_run(&scene); // checks the range of every output
    double exact = 1.0;
    for (uint32_t joint = 0; joint < JOINTS && !turned; joint++) {
        exact = oracle_snap(exact * (double)scale);
        for (uint32_t i = 0; i < 3; i++) {
            check_bits(scene.buffers[LMB_OUTPUT_MODEL][joint * LMB_MATRIX_COMPONENTS + 5 * i], (float)exact);
        }
    }
    scene_end(&scene);
}

static void chains_that_would_overflow(void **state) {
    (void)state;
    static const float scales[] = {2.0f, 0.5f, -2.0f, -0.5f, 0x1p40f, -0x1p40f, 0x1p-40f, 0x1p20f, 0.0f};
    static const float translations[] = {0.0f, 1.0f, 0x1p40f, -0x1p40f, 0x1p-40f};
    for (uint32_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        for (uint32_t k = 0; k < sizeof translations / sizeof *translations; k++) {
            compare_chain(scales[i], translations[k], false);
            compare_chain(scales[i], translations[k], true);
        }
    }
}

// Returns arbitrary bits for pose buffers and parameters: every operation must keep its outputs in range, and rotations
// at length 1.
static float any_bits(random_source *source) {
    const uint32_t bits = (uint32_t)random_bits(source);
    float value;
    memcpy(&value, &bits, sizeof value);
    return random_below(source, 4) == 0 ? borders[random_below(source, BORDERS)].given : value;
}

static void any_bits_stay_in_range(void **state) {
    (void)state;
    static const uint8_t mask[7] = {0, 1, 127, 128, 200, 254, 255};
    // The number of inputs of operations without exactly two. Operations with tables have their own tests.
    static const uint8_t counts[LMB_OP_COUNT] = {
        [LMB_OP_SCALE] = 1,          [LMB_OP_OVERRIDE] = 1,    [LMB_OP_SUBTRACT_SCALE_ADD] = 3,
        [LMB_OP_BILINEAR] = 4,       [LMB_OP_TRILINEAR] = 8,   [LMB_OP_COMBINE] = 2,
        [LMB_OP_SPACE2D] = 7,        [LMB_OP_IK_TWO_BONE] = 1, [LMB_OP_IK_AIM] = 1,
        [LMB_OP_FOOT_PLACEMENT] = 1, [LMB_OP_TWIST] = 1,       [LMB_OP_CHAIN] = 1,
        [LMB_OP_RETARGET] = 1};
    for (int op = LMB_OP_POSE; op < LMB_OP_MACHINE; op++) {
        test_scene scene;
        random_source source = {46};
        if (op == LMB_OP_MIRROR || op == LMB_OP_CLAMP || op == LMB_OP_WEIGHTED_MATRIX) {
            continue;
        }
        scene_start(&scene, scene_rig(7, SCENE_CHAIN, 46), 2000, 2);
        for (uint32_t pose = 0; pose < 2; pose++) {
            float *values = scene_add_pose(&scene, pose);
            for (uint32_t i = 0; i < 2000 * 7 * LMB_POSE_COMPONENTS; i++) {
                values[i] = any_bits(&source);
            }
            scene_add_pose_node(&scene, pose);
        }
        for (uint32_t i = 0; i < 4000; i++) {
            scene.parameters[i] = any_bits(&source);
        }
        scene.masks[0] = mask;
        scene.mask_count = 1;
        const uint32_t sources[7] = {0, 2, 2, LMB_NONE, 6, 5, 1};
        const lmb_retarget_def retarget = lmb_retarget_of(scene.rig, sources);
        scene.retargets = &retarget;
        scene.retarget_count = 1;
        if (op != LMB_OP_POSE) {
            lmb_node_def *node = scene_add(&scene, (lmb_op)op, 0, 1);
            node->weight = node->weights[0] = lmb_parameter(0);
            node->weights[1] = lmb_parameter(1);
            node->input_count = counts[op] > 0 ? counts[op] : 2;
            for (uint32_t i = 0; i < node->input_count; i++) {
                node->inputs[i] = i % 2;
                node->positions[i][i % 2] = (float)i - 3.0f;
            }
            node->coordinates[0] = lmb_parameter(0);
            node->coordinates[1] = lmb_parameter(1);
            node->two_bone.start = 1;
            node->two_bone.mid = 3;
            node->two_bone.end = 5;
            node->feet.pelvis = 0;
            node->feet.foot_count = 1;
            node->feet.feet[0].hip = 1;
            node->feet.feet[0].knee = 3;
            node->feet.feet[0].ankle = 5;
            node->aim.joint_count = 3;
            node->twist.source = 1;
            node->chain.start = 1;
            node->chain.end = 5;
            node->chain.time = lmb_parameter(0);
            node->chain.velocity[0] = lmb_parameter(1);
            node->twist.joint_count = 3;
            for (uint32_t i = 0; i < 3; i++) {
                node->two_bone.target[i] = node->two_bone.pole[2 - i] = lmb_parameter(i % 2);
                node->aim.target[i] = node->aim.pole[2 - i] = lmb_parameter(i % 2);
                node->feet.feet[0].ground[i] = node->feet.feet[0].normal[2 - i] = lmb_parameter(i % 2);
                node->aim.joints[i] = 5 - 2 * i;
                node->aim.shares[i] = 0.5f;
                node->twist.joints[i] = 3 + i;
                node->aim.offset[i] = 100.0f;
            }
            node->two_bone.twist = lmb_parameter(1);
        }
        scene_run(&scene);
        for (uint32_t i = 0; i < 2000 * 7; i++) {
            double square = 0.0;
            for (uint32_t k = 3; k < 7; k++) {
                const double value = (double)*scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], i / 7, i % 7, k);
                square += value * value;
            }
            assert_true(fabs(square - 1.0) <= 2e-6);
        }
        scene_end(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigs_of_all_shapes),
        cmocka_unit_test(chains_of_scale),
        cmocka_unit_test(entries_of_local_matrices),
        cmocka_unit_test(the_palette_of_the_rest_pose_is_the_identity),
        cmocka_unit_test(inverse_bind_matrices_are_the_authors),
        cmocka_unit_test(values_at_the_border_of_a_stage),
        cmocka_unit_test(results_at_the_border_of_a_stage),
        cmocka_unit_test(chains_that_would_overflow),
        cmocka_unit_test(any_bits_stay_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
