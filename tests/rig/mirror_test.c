// Mirrors: partners found by name, the reflected pose against the float64 oracle, and properties of a mirror.
#include "failing_host.h"
#include "refusal.h"
#include "scene.h"

#include "mannequin.h"

#include <stdlib.h>
#include <string.h>

// ---- Partners. ----

enum { MOST_JOINTS = 128 };

typedef struct named_joint {
    const char *name;
    uint32_t parent;
    uint32_t partner; // the expected one
} named_joint;

static lmb_rig *create_rig(const named_joint *named, uint32_t count) {
    lmb_joint_def joints[MOST_JOINTS];
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = named[i].name;
        joints[i].parent = named[i].parent;
    }
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = count}, NULL, &rig, &error),
                     LMB_OK);
    return rig;
}

static void names_give_partners(void **state) {
    (void)state;
    static const named_joint named[] = {
        {"Hips", LMB_NONE, 0},
        {"mixamorig:LeftArm", 0, 2},
        {"mixamorig:RightArm", 0, 1},
        {"mixamorig:LeftHand", 1, 4},
        {"mixamorig:RightHand", 2, 3},
        {"upper_arm.L", 0, 6},
        {"upper_arm.R", 0, 5},
        {"thumb.01.R.001", 0, 8},
        {"thumb.01.L.001", 0, 7},
        {"L-Toe", 0, 10},
        {"R-Toe", 0, 9},
        {"foot_l", 0, 12},
        {"foot_r", 0, 11},
        {"LShin", 0, 14},
        {"RShin", 0, 13},
        {"kneeL", 0, 16},
        {"kneeR", 0, 15},
        {"Bip01 L Thigh", 0, 18},
        {"Bip01 R Thigh", 0, 17},
        {"b_LeftLeg01_015", 0, 20},
        {"b_RightLeg01_019", 0, 19},
        {"leftwing", 0, 22},
        {"rightwing", 0, 21},
        {"LEFT_EAR", 0, 24},
        {"RIGHT_EAR", 0, 23},
        {"rEye", 0, 26},
        {"lEye", 0, 25},
        {"bright", 0, 27},
        {"Leftover", 0, 28},
        {"Left_Pouch", 0, 29},
        {"Tail_01", 0, 30},
        {"Tail_02", 0, 31},
        {"Roll", 0, 32},
        {"Loll", 0, 33}, // no camel case: neither L nor R is a separate word
        {"arm_L_01", 0, 36},
        {"arm_R_02", 0, 37},
        {"arm_R_01", 0, 34},
        {"arm_L_02", 0, 35},
        {"end", 34, 39}, // below a pair, equal names match
        {"end", 36, 38},
        {"SideLUp", 0, 41},
        {"SideRUp", 0, 40},
        {"lfoot", 0, 43},
        {"rfoot", 0, 42},
        {"lowerback", 0, 44},
        {"b_rhand2", 0, 46},
        {"b_lhand2", 0, 45},
    };
    const uint32_t count = sizeof named / sizeof named[0];
    uint32_t partners[MOST_JOINTS];
    lmb_error error = {0};
    lmb_rig *rig = create_rig(named, count);
    if (lmb_rig_find_mirror(rig, NULL, partners, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (partners[i] != named[i].partner) {
            fail_msg("'%s' has partner %u instead of %u", named[i].name, partners[i], named[i].partner);
        }
    }
    lmb_rig_destroy(rig);
}

// The rig's own host is not asked, because another thread may use it.
static void partners_are_found_in_the_memory_of_the_call(void **state) {
    (void)state;
    failing_host rigs = {0}, calls = {0};
    const lmb_host of_rig = failing_host_of(&rigs), of_call = failing_host_of(&calls);
    const lmb_joint_def joints[] = {{.name = "Arm.L", .parent = LMB_NONE, .rest = lmb_transform_identity()},
                                    {.name = "Arm.R", .parent = LMB_NONE, .rest = lmb_transform_identity()}};
    const lmb_channel_def channels[] = {{"smile_l", 0, false}, {"smile_r", 0, false}};
    const lmb_rig_def def = {.joints = joints, .joint_count = 2, .channels = channels, .channel_count = 2};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, &of_rig, &rig, NULL), LMB_OK);
    const uint32_t before = rigs.asked;
    for (uint32_t fails = 0; fails < 2; fails++) { // without memory the result is the same
        uint32_t found[4];
        calls = (failing_host){.fails = fails};
        assert_int_equal(lmb_rig_find_mirror(rig, &of_call, found, NULL), LMB_OK);
        calls.fails *= 2;
        lmb_rig_find_mirror_channels(rig, &of_call, found + 2);
        assert_int_equal(calls.asked, 2);
        assert_int_equal(calls.live, 0);
        assert_true(found[0] == 1 && found[1] == 0 && found[2] == 1 && found[3] == 0);
    }
    assert_int_equal(rigs.asked, before);
    lmb_rig_destroy(rig);
}

static void expect_no_partners(const named_joint *named, uint32_t count, const char *message) {
    uint32_t partners[MOST_JOINTS];
    lmb_error error = {0};
    lmb_rig *rig = create_rig(named, count);
    CHECK_REFUSAL(lmb_rig_find_mirror(rig, NULL, partners, &error), &error, LMB_ERROR_ARGUMENT, "mirror: ", message);
    lmb_rig_destroy(rig);
}

static void rigs_without_a_mirror(void **state) {
    (void)state;
    static const named_joint apart[] = {{"Hips", LMB_NONE, 0}, {"Spine", 0, 0}, {"Arm.L", 0, 0}, {"Arm.R", 1, 0}};
    expect_no_partners(apart, 4, "'Arm.L' and 3 'Arm.R' are counterparts, but their parents are not");
    static const named_joint alone[] = {{"Hips", LMB_NONE, 0}, {"Arm.L", 0, 0}, {"Arm.R", 0, 0}, {"Sword", 2, 0}};
    expect_no_partners(alone, 4, "joint 3 'Sword' has no counterpart under joint 1 'Arm.L', its parent's partner");
    lmb_error error = {0};
    uint32_t partners[1];
    CHECK_REFUSAL(lmb_rig_find_mirror(NULL, NULL, partners, &error), &error, LMB_ERROR_ARGUMENT, "rig is NULL");
}

static void tables_that_do_not_fit(void **state) {
    (void)state;
    static const named_joint named[] = {{"a", LMB_NONE, 0}, {"b", 0, 0}, {"c", 0, 0}, {"d", 1, 0}, {"e", 2, 0}};
    static const struct {
        uint32_t axis;
        uint32_t partners[5];
        const char *message;
    } rows[] = {
        {0, {0, 2, 1, 3, 4}, "mirror 0: joint 3 'd': its partner's parent is not its parent's partner"},
        {1, {0, 2, 2, 3, 4}, "joint 1 'b': it is not its partner's partner"},
        {2, {0, 5, 1, 4, 3}, "joint 1 'b': its partner is no joint of the rig"},
        {0, {1, 0, 2, 3, 4}, "joint 0 'a': its partner's parent"},
        {3, {0, 2, 1, 4, 3}, "mirror 0: unknown axis"},
    };
    lmb_rig *rig = create_rig(named, 5);
    lmb_node_def nodes[2] = {lmb_default_node_def(), lmb_mirror_node(0, 0)};
    lmb_mirror_def mirror = {.axis = LMB_AXIS_X};
    lmb_graph_def def = {.rig = rig, .nodes = nodes, .node_count = 2, .mirrors = &mirror, .mirror_count = 1};
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_ARGUMENT, "mirror 0: the partners are NULL");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mirror = (lmb_mirror_def){.axis = (lmb_axis)rows[i].axis, .partners = rows[i].partners};
        CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_ARGUMENT, "graph: ", rows[i].message);
    }
    static const uint32_t good[5] = {0, 2, 1, 4, 3};
    mirror = (lmb_mirror_def){.axis = LMB_AXIS_X, .partners = good};
    assert_int_equal(lmb_graph_check(&def, &error), LMB_OK);
    lmb_graph *program = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &program, &error), LMB_OK);
    expect_printed(program,
                   "   0  s0   rest\n      a0   exchange       s0\n   1  s0   mirror         across x = 0, area 0\n");
    lmb_graph_destroy(program);
    nodes[1].mirror = 1;
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_ARGUMENT, "node 1 (mirror): mirror: there is no");
    nodes[1].mirror = 0;
    def.mirrors = NULL;
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_ARGUMENT, "the mirrors are NULL");
    def.mirrors = &mirror;
    def.mirror_count = LMB_MAX_MIRRORS + 1;
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_LIMIT, "17 mirrors");
    lmb_rig_destroy(rig);
}

// ---- Poses. ----

typedef enum frames {
    FRAMES_PLAIN,    // those of the model
    FRAMES_MIRRORED, // the reflection of the partner's, with two axes negated to be a rotation again
    FRAMES_FREE      // random on both sides
} frames;

enum { PAIRS = 8, SYMMETRIC_JOINTS = 2 * PAIRS + 3 };

// Three joints in the middle, then pairs. `partners` receives the partners. The positions are symmetric across an axis.
static lmb_rig *symmetric_rig(frames frames, lmb_axis axis, uint64_t seed, uint32_t *partners) {
    random_source source = {seed};
    lmb_joint_def joints[SYMMETRIC_JOINTS];
    double turns[SYMMETRIC_JOINTS][4], positions[SYMMETRIC_JOINTS][3];
    for (uint32_t i = 0; i < SYMMETRIC_JOINTS; i++) {
        const bool middle = i < 3, second = !middle && i % 2 == 0;
        float free_turn[4];
        random_rotation(&source, free_turn);
        joints[i] = lmb_default_joint_def();
        partners[i] = middle ? i : second ? i - 1 : i + 1;
        joints[i].parent = i == 0 ? LMB_NONE : middle ? i - 1 : i < 9 ? 1 + (i > 6) : i - 6;
        for (int k = 0; k < 3; k++) {
            positions[i][k] = second ? positions[i - 1][k] : random_between(&source, -2.0, 2.0);
            turns[i][k] = frames == FRAMES_FREE ? (double)free_turn[k] : 0.0;
        }
        turns[i][3] = frames == FRAMES_FREE ? (double)free_turn[3] : 1.0;
        positions[i][axis] = middle ? 0.0 : second ? -positions[i][axis] : positions[i][axis];
        if (second && frames == FRAMES_MIRRORED) {
            turns[i][3] = 0.0;
            turns[i][axis] = 1.0; // half a turn about the axis and the reflection: all axes negated
        }
    }
    for (uint32_t i = 0; i < SYMMETRIC_JOINTS; i++) {
        const uint32_t parent = joints[i].parent;
        double above[4] = {0.0, 0.0, 0.0, 1.0}, local[4];
        oracle_transform away = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}, {1.0, 1.0, 1.0}, 255.0}, back = away;
        if (parent != LMB_NONE) {
            oracle_quaternion_conjugate(turns[parent], above);
        }
        oracle_quaternion_multiply(above, turns[i], local);
        for (int k = 0; k < 3; k++) {
            away.translation[k] = positions[i][k] - (parent == LMB_NONE ? 0.0 : positions[parent][k]);
        }
        memcpy(back.rotation, above, sizeof above);
        const oracle_transform rest = oracle_transform_multiply(&back, &away);
        for (int k = 0; k < 4; k++) {
            joints[i].rest.rotation[k] = (float)local[k];
            joints[i].rest.translation[k % 3] = (float)rest.translation[k % 3];
        }
    }
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    assert_int_equal(
        lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = SYMMETRIC_JOINTS}, NULL, &rig, &error), LMB_OK);
    return rig;
}

// Pairs leaves of one parent, two at a time.
static void pair_neighbours(const lmb_rig *rig, uint32_t *partners) {
    const uint32_t joints = lmb_rig_get_def(rig)->joint_count;
    for (uint32_t i = 0; i < joints; i++) {
        partners[i] = i;
    }
    for (uint32_t i = 1; i + 1 < joints; i += 2) {
        partners[i] = i + 1;
        partners[i + 1] = i;
    }
}

static void mirrors_against_the_oracle(void **state) {
    (void)state;
    for (uint32_t which = 0; which < 12; which++) {
        test_scene scene;
        random_source source = {which};
        uint32_t partners[41];
        const lmb_axis axis = (lmb_axis)(which % 3);
        lmb_rig *rig =
            which < 9 ? symmetric_rig((frames)(which / 3), axis, which, partners) : scene_rig(41, SCENE_WIDE, which);
        if (which >= 9) {
            pair_neighbours(rig, partners);
        }
        const lmb_mirror_def mirror = {.axis = axis, .partners = partners};
        scene_start(&scene, rig, 67, 0);
        scene.mirrors = &mirror;
        scene.mirror_count = 1;
        scene_fill_pose(&scene, 0, &source);
        scene_add_pose_node(&scene, 0);
        scene_add(&scene, LMB_OP_MIRROR, 0, LMB_NONE);
        scene_run(&scene);
        scene_bounds bounds = SCENE_BOUNDS;
        bounds.magnitude = 10.0;
        scene_compare_local(&scene, "mirror", bounds);
        scene_end(&scene);
    }
}

static double largest_distance(const float *a, const float *b, size_t count) {
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs((double)a[i] - (double)b[i]));
    }
    return largest;
}

// Runs a scene with the pose of node 0, then with its mirror. The positions must be the reflected positions of the
// partners.
static void expect_reflected_positions(test_scene *scene, const lmb_mirror_def *mirror, double bound) {
    const uint32_t joints = lmb_rig_get_def(scene->rig)->joint_count;
    scene->mirrors = mirror;
    scene->mirror_count = 1;
    scene_run(scene);
    float *before = scene_keep_output(scene, LMB_OUTPUT_MODEL);
    scene_add(scene, LMB_OP_MIRROR, scene->node_count - 1, LMB_NONE);
    scene_run(scene);
    double largest = 0.0;
    for (uint32_t character = 0; character < scene->character_count; character++) {
        for (uint32_t joint = 0; joint < joints; joint++) {
            const float *now =
                scene->buffers[LMB_OUTPUT_MODEL] + ((size_t)character * joints + joint) * LMB_MATRIX_COMPONENTS;
            const float *then = before + ((size_t)character * joints + mirror->partners[joint]) * LMB_MATRIX_COMPONENTS;
            for (int row = 0; row < 3; row++) {
                const double sign = row == (int)mirror->axis ? -1.0 : 1.0;
                largest = fmax(largest, fabs((double)now[row * 4 + 3] - sign * (double)then[row * 4 + 3]));
            }
        }
    }
    free(before);
    print_message("reflected positions: %.2g\n", largest);
    assert_true(largest <= bound);
}

// Uses one scale for all axes of a joint, so that nothing shears.
static void make_scales_even(test_scene *scene, random_source *source) {
    for (uint32_t character = 0; character < scene->character_count; character++) {
        for (uint32_t joint = 0; joint < lmb_rig_get_def(scene->rig)->joint_count; joint++) {
            const float scale = (float)random_between(source, 0.8, 1.25);
            for (uint32_t i = 7; i < 10; i++) {
                *scene_component(scene, scene->poses[0], character, joint, i) = scale;
            }
        }
    }
}

static void positions_are_reflected(void **state) {
    (void)state;
    for (uint32_t which = 0; which < 9; which++) {
        test_scene scene;
        random_source source = {100 + which};
        uint32_t partners[SYMMETRIC_JOINTS];
        const lmb_axis axis = (lmb_axis)(which % 3);
        scene_start(&scene, symmetric_rig((frames)(which / 3), axis, 50 + which, partners), 67, 0);
        scene_fill_pose(&scene, 0, &source);
        make_scales_even(&scene, &source);
        scene_add_pose_node(&scene, 0);
        const lmb_mirror_def mirror = {.axis = axis, .partners = partners};
        expect_reflected_positions(&scene, &mirror, 2e-4); // of positions up to some hundred
        scene_end(&scene);
    }
}

static void twice_gives_the_pose_back(void **state) {
    (void)state;
    for (uint32_t which = 0; which < 9; which++) {
        test_scene scene;
        random_source source = {200 + which};
        uint32_t partners[SYMMETRIC_JOINTS];
        const lmb_axis axis = (lmb_axis)(which % 3);
        const frames frames = (enum frames)(which / 3);
        const lmb_mirror_def mirror = {.axis = axis, .partners = partners};
        scene_start(&scene, symmetric_rig(frames, axis, 90 + which, partners), 67, 0);
        scene.mirrors = &mirror;
        scene.mirror_count = 1;
        scene_fill_pose(&scene, 0, &source);
        if (frames == FRAMES_FREE) {
            make_scales_even(&scene, &source);
        }
        scene_add_pose_node(&scene, 0);
        scene_run(&scene);
        const size_t floats = scene_output_floats(&scene, LMB_OUTPUT_LOCAL);
        float *once = scene_keep_output(&scene, LMB_OUTPUT_LOCAL);
        scene_add(&scene, LMB_OP_MIRROR, 0, LMB_NONE);
        scene_add(&scene, LMB_OP_MIRROR, 1, LMB_NONE);
        scene_run(&scene);
        const double distance = largest_distance(once, scene.buffers[LMB_OUTPUT_LOCAL], floats);
        print_message("twice: %.2g\n", distance);
        assert_true(distance <= (frames == FRAMES_FREE ? 2e-5 : 0.0)); // of translations up to 10
        free(once);
        scene_end(&scene);
    }
}

static void a_symmetric_rest_pose_mirrors_to_itself(void **state) {
    (void)state;
    for (uint32_t which = 0; which < 9; which++) {
        test_scene scene;
        uint32_t partners[SYMMETRIC_JOINTS];
        const lmb_axis axis = (lmb_axis)(which % 3);
        const lmb_mirror_def mirror = {.axis = axis, .partners = partners};
        scene_start(&scene, symmetric_rig((frames)(which / 3), axis, 70 + which, partners), 1, 0);
        scene.mirrors = &mirror;
        scene.mirror_count = 1;
        scene_add(&scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
        scene_add(&scene, LMB_OP_MIRROR, 0, LMB_NONE);
        scene_run(&scene);
        for (uint32_t joint = 0; joint < SYMMETRIC_JOINTS; joint++) {
            const lmb_transform rest = lmb_rig_get_def(scene.rig)->joints[joint].rest;
            float values[LMB_POSE_COMPONENTS];
            memcpy(values, &rest, sizeof values);
            for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                const float value = *scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], 0, joint, i);
                assert_true(fabs((double)value - (double)values[i]) <= (which < 6 ? 0.0 : 2e-6));
            }
        }
        scene_end(&scene);
    }
}

// ---- Characters. ----

static lmb_rig *copy_rig(const lmb_rig *rig) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    const uint32_t count = rig_def->joint_count;
    lmb_joint_def *joints = calloc(count, sizeof *joints);
    assert_non_null(joints);
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = rig_def->joints[i].name;
        joints[i].parent = rig_def->joints[i].parent;
        joints[i].rest = rig_def->joints[i].rest;
    }
    lmb_rig *copy = NULL;
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = count}, NULL, &copy, NULL), LMB_OK);
    free(joints);
    return copy;
}

// Mirrors poses around the rest pose of a character. `pairs` is the expected number of joints with a partner.
static void mirror_character(const lmb_rig *rig, lmb_axis axis, uint32_t pairs, double size, double rotation) {
    const lmb_rig_def *rig_def = lmb_rig_get_def(rig);
    test_scene scene;
    random_source source = {5};
    uint32_t *partners = calloc(rig_def->joint_count, sizeof *partners);
    lmb_error error = {0};
    assert_non_null(partners);
    if (lmb_rig_find_mirror(rig, NULL, partners, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    uint32_t found = 0;
    for (uint32_t i = 0; i < rig_def->joint_count; i++) {
        found += partners[i] > i;
    }
    assert_int_equal(found, pairs);
    scene_start(&scene, copy_rig(rig), 33, 0);
    scene_fill_pose(&scene, 0, &source);
    for (uint32_t joint = 0; joint < rig_def->joint_count; joint++) {
        for (uint32_t character = 0; character < scene.character_count; character++) {
            for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                if (i < 3 || i >= 7) {
                    const lmb_transform rest = rig_def->joints[joint].rest;
                    *scene_component(&scene, scene.poses[0], character, joint, i) =
                        i < 3 ? rest.translation[i] : rest.scale[i - 7];
                }
            }
        }
    }
    const lmb_mirror_def mirror = {.axis = axis, .partners = partners};
    scene_add_pose_node(&scene, 0);
    expect_reflected_positions(&scene, &mirror, 1e-5 * size);
    scene_bounds bounds = SCENE_BOUNDS;
    bounds.magnitude = size;
    bounds.rotation = rotation;
    scene_compare_local(&scene, "mirror of a character", bounds);
    scene_end(&scene);
    free(partners);
}

static void the_mannequin_mirrors(void **state) {
    (void)state;
    mannequin *figure = NULL;
    lmb_error error = {0};
    assert_int_equal(mannequin_create(NULL, &figure, &error), LMB_OK);
    mirror_character(mannequin_rig(figure), LMB_AXIS_X, 11, 2.0, 1e-6);
    mannequin_destroy(figure);
}

static void the_fox_mirrors(void **state) {
    (void)state;
    lmb_import *import = NULL;
    lmb_error error = {0};
    if (lmb_import_file(LIMBER_ASSETS "/Fox.glb", NULL, &import, &error) != LMB_OK) {
        skip(); // LIMBER_ASSETS lacks Fox.glb
    }
    mirror_character(lmb_import_get_content(import)->rig, LMB_AXIS_X, 7, 200.0, 3e-6);
    lmb_import_destroy(import);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partners_are_found_in_the_memory_of_the_call),
        cmocka_unit_test(names_give_partners),
        cmocka_unit_test(rigs_without_a_mirror),
        cmocka_unit_test(tables_that_do_not_fit),
        cmocka_unit_test(mirrors_against_the_oracle),
        cmocka_unit_test(positions_are_reflected),
        cmocka_unit_test(twice_gives_the_pose_back),
        cmocka_unit_test(a_symmetric_rest_pose_mirrors_to_itself),
        cmocka_unit_test(the_mannequin_mirrors),
        cmocka_unit_test(the_fox_mirrors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
