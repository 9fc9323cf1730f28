// Levels of detail: kept joints have the same bits as without levels, and dropped joints are at rest, on every CPU path
// and for any mixture of levels among neighbouring characters.
#include "failing_host.h"
#include "keyframes.h"
#include "refusal.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum { JOINTS = 67, CHARACTERS = 61 };

// Draws a table in which a joint is dropped with its parent or earlier.
static void draw_table(random_source *source, const lmb_rig *rig, uint8_t *table) {
    for (uint32_t joint = 0; joint < lmb_rig_get_def(rig)->joint_count; joint++) {
        const uint32_t parent = lmb_rig_get_def(rig)->joints[joint].parent;
        const uint32_t most = parent == LMB_NONE ? LMB_MAX_LODS - 1 : table[parent];
        const bool keeps = parent == LMB_NONE || random_below(source, 2) == 0;
        table[joint] = (uint8_t)(keeps ? most : random_below(source, most + 1));
    }
}

// A clip blended with a pose buffer in which some joints are refused. The last parameter is unused.
static void start(test_scene *scene, const keyframes *keys, uint64_t seed) {
    random_source source = {seed};
    scene_start(scene, scene_rig(JOINTS, SCENE_TREE, seed), CHARACTERS, 2);
    scene->clips = &keys->clip;
    scene->clip_count = 1;
    scene_fill_pose(scene, 0, &source);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        *scene_parameter(scene, character, 0) = (float)random_between(&source, 0.0, 1.0);
        *scene_component(scene, scene->poses[0], character, random_below(&source, JOINTS), 3) = NAN;
    }
    scene_add(scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE)->time = lmb_parameter(0);
    scene_add_pose_node(scene, 0);
    scene_add(scene, LMB_OP_BLEND, 0, 1)->weight = lmb_constant(0.625f);
}

static void the_nearest_level_changes_nothing(void **state) {
    (void)state;
    keyframes keys = keyframes_create(JOINTS, 9, 1);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        random_source source = {seed};
        uint8_t table[JOINTS];
        test_scene scene;
        start(&scene, &keys, seed);
        scene_run(&scene);
        scene_results without = scene_keep(&scene);
        assert_true(without.refused[LMB_REFUSED_POSE] > 0);
        draw_table(&source, scene.rig, table);
        scene.max_lods = table;
        scene.lod = lmb_constant(0.0f);
        scene_run_all_paths(&scene);
        scene_expect(&scene, &without);
        scene_results_destroy(&without);
        scene_end(&scene);
    }
    keyframes_destroy(&keys);
}

// Checks local transforms against the table; kept joints must equal those of `without`. Returns the number of dropped
// joints.
static uint32_t expect_levels(const test_scene *scene, const uint8_t *table, const uint32_t *levels,
                              scene_results *without) {
    uint32_t dropped = 0, refused = 0;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            const bool kept = table[joint] >= levels[character];
            const lmb_transform expected =
                kept ? scene_transform(scene, without->buffers[LMB_OUTPUT_LOCAL], character, joint)
                     : lmb_rig_get_def(scene->rig)->joints[joint].rest;
            const lmb_transform found = scene_transform(scene, scene->buffers[LMB_OUTPUT_LOCAL], character, joint);
            assert_memory_equal(&found, &expected, sizeof found);
            dropped += !kept;
            refused += kept && isnan(*scene_component(scene, scene->poses[0], character, joint, 3));
        }
    }
    assert_int_equal(scene->refused[LMB_REFUSED_POSE], refused);
    return dropped;
}

// Checks the model matrices against the local outputs in float64.
static void expect_models(const test_scene *scene) {
    oracle_transform local[JOINTS];
    oracle_affine model[JOINTS];
    double largest = 0.0;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        double extent = 1.0;
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            const lmb_transform given = scene_transform(scene, scene->buffers[LMB_OUTPUT_LOCAL], character, joint);
            local[joint] = oracle_transform_from_float(&given);
        }
        oracle_model(scene->rig, local, model, NULL);
        for (size_t i = 0; i < (size_t)JOINTS * 12; i++) {
            extent = fmax(extent, fabs(model[i / 12].m[i % 12 / 4][i % 4]));
        }
        const float *found = scene->buffers[LMB_OUTPUT_MODEL] + (size_t)character * JOINTS * LMB_MATRIX_COMPONENTS;
        for (size_t i = 0; i < (size_t)JOINTS * 12; i++) {
            const double error = fabs((double)found[i] - model[i / 12].m[i % 12 / 4][i % 4]);
            largest = fmax(largest, error / (lmb_rig_depth(scene->rig) * extent));
        }
    }
    print_message("model %.2g of depth x extent\n", largest);
    assert_true(largest <= 1e-6);
}

// Levels per character: all the same, in blocks, or random.
static void fill_levels(test_scene *scene, uint32_t which, random_source *source, uint32_t *levels) {
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        levels[character] = which == 0   ? LMB_MAX_LODS - 1
                            : which == 1 ? character / 16
                                         : random_below(source, LMB_MAX_LODS);
        *scene_parameter(scene, character, 1) = (float)levels[character];
    }
}

static void dropped_joints_are_at_rest(void **state) {
    (void)state;
    keyframes keys = keyframes_create(JOINTS, 9, 1);
    for (uint32_t which = 0; which < 6; which++) {
        random_source source = {which};
        uint8_t table[JOINTS];
        uint32_t levels[CHARACTERS];
        test_scene scene;
        start(&scene, &keys, 10 + which);
        scene_run(&scene);
        scene_results without = scene_keep(&scene);
        draw_table(&source, scene.rig, table);
        fill_levels(&scene, which, &source, levels);
        scene.max_lods = table;
        scene.lod = lmb_parameter(1);
        scene_run_all_paths(&scene);
        assert_true(expect_levels(&scene, table, levels, &without) > JOINTS * CHARACTERS / 8);
        expect_models(&scene);
        scene_results_destroy(&without);
        scene_end(&scene);
    }
    keyframes_destroy(&keys);
}

static void levels_are_rounded_down_and_held(void **state) {
    (void)state;
    static const struct {
        float given;
        uint32_t level;
    } cases[] = {{NAN, 0},  {-INFINITY, 0}, {INFINITY, 7}, {-3.5f, 0}, {0.999f, 0}, {1.0f, 1},
                 {1.5f, 1}, {6.9999f, 6},   {7.0f, 7},     {7.5f, 7},  {1e30f, 7},  {-0.0f, 0}};
    keyframes keys = keyframes_create(JOINTS, 9, 1);
    random_source source = {77};
    uint8_t table[JOINTS];
    uint32_t levels[CHARACTERS];
    uint32_t nans = 0;
    test_scene scene;
    start(&scene, &keys, 77);
    scene_run(&scene);
    scene_results without = scene_keep(&scene);
    draw_table(&source, scene.rig, table);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        const uint32_t i = character % (sizeof cases / sizeof cases[0]);
        *scene_parameter(&scene, character, 1) = cases[i].given;
        levels[character] = cases[i].level;
        nans += isnan(cases[i].given);
    }
    scene.max_lods = table;
    scene.lod = lmb_parameter(1);
    scene_run_all_paths(&scene);
    expect_levels(&scene, table, levels, &without);
    assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], nans);
    // A curve limits the level to 0 to 1.
    scene.lod.curve = LMB_CURVE_SMOOTHSTEP;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        *scene_parameter(&scene, character, 1) = (float)(character % 4) / 2.0f;
        levels[character] = character % 4 >= 2;
    }
    scene_run(&scene);
    expect_levels(&scene, table, levels, &without);
    scene_results_destroy(&without);
    scene_end(&scene);
    keyframes_destroy(&keys);
}

// If one joint of a pair is dropped, its partner still gets the dropped joint's real pose.
static void a_mirror_reads_the_real_joint(void **state) {
    (void)state;
    static const uint32_t partners[] = {0, 2, 1};
    static const uint8_t table[] = {7, 7, 0};
    lmb_joint_def joints[3];
    for (uint32_t i = 0; i < 3; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : 0;
        joints[i].rest.translation[0] = i == 0 ? 0.0f : i == 1 ? 1.0f : -1.0f;
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = 3};
    const lmb_mirror_def mirror = {.axis = LMB_AXIS_X, .partners = partners};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    random_source source = {5};
    test_scene scene;
    scene_start(&scene, rig, 9, 0);
    scene.mirrors = &mirror;
    scene.mirror_count = 1;
    scene_fill_pose(&scene, 0, &source);
    scene_add_pose_node(&scene, 0);
    scene_add(&scene, LMB_OP_MIRROR, 0, LMB_NONE);
    scene_run(&scene);
    scene_results without = scene_keep(&scene);
    scene.max_lods = table;
    scene.lod = lmb_constant(3.0f);
    scene_run_all_paths(&scene);
    for (uint32_t character = 0; character < 9; character++) {
        for (uint32_t joint = 0; joint < 3; joint++) {
            const lmb_transform found = scene_transform(&scene, scene.buffers[LMB_OUTPUT_LOCAL], character, joint);
            const lmb_transform expected =
                joint == 2 ? lmb_rig_get_def(rig)->joints[2].rest
                           : scene_transform(&scene, without.buffers[LMB_OUTPUT_LOCAL], character, joint);
            assert_memory_equal(&found, &expected, sizeof found);
        }
    }
    scene_results_destroy(&without);
    scene_end(&scene);
}

// Creates a program for a chain of three joints at rest.
static lmb_result create_program(const lmb_rig *rig, const uint8_t *table, lmb_value level, lmb_graph **program,
                                 lmb_error *error) {
    const lmb_node_def node = lmb_default_node_def();
    const lmb_graph_def def = {
        .rig = rig, .nodes = &node, .node_count = 1, .parameter_count = 1, .max_lods = table, .lod = level};
    return lmb_graph_create(&def, NULL, program, error);
}

static lmb_rig *create_chain(void) {
    static const char *const names[] = {"hip", "knee", "ankle"};
    lmb_joint_def joints[3];
    lmb_rig *rig = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[i].rest.translation[1] = i == 1 ? 3.0f : 0.25f;
    }
    joints[0].rest.scale[0] = 2.0f; // no effect along the bones, which point along y
    joints[2].radius = 0.25f;
    joints[1].radius = 0.25f;
    const lmb_rig_def def = {.joints = joints, .joint_count = 3};
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static void tables_that_are_wrong(void **state) {
    (void)state;
    lmb_rig *rig = create_chain();
    lmb_graph *program = NULL;
    lmb_error error;
    const lmb_value near = lmb_constant(0.0f);
    CHECK_REFUSAL(create_program(rig, (const uint8_t[]){7, 8, 0}, near, &program, &error), &error, LMB_ERROR_ARGUMENT,
                  "max_lods: joint 1 'knee'", "8 is above 7");
    CHECK_REFUSAL(create_program(rig, (const uint8_t[]){7, 3, 4}, near, &program, &error), &error, LMB_ERROR_ARGUMENT,
                  "joint 2 'ankle'", "4, but its parent 'knee' is dropped after 3");
    CHECK_REFUSAL(create_program(rig, (const uint8_t[]){6, 3, 3}, near, &program, &error), &error, LMB_ERROR_ARGUMENT,
                  "joint 0 'hip'", "a root's is 7, and this is 6");
    CHECK_REFUSAL(create_program(rig, (const uint8_t[]){7, 3, 3}, lmb_parameter(1), &program, &error), &error,
                  LMB_ERROR_ARGUMENT, "graph: lod: there is no such parameter");
    CHECK_REFUSAL(create_program(rig, (const uint8_t[]){7, 3, 3}, lmb_constant(NAN), &program, &error), &error,
                  LMB_ERROR_ARGUMENT, "graph: lod: the constant is not");
    lmb_value curved = lmb_parameter(0);
    curved.curve = LMB_CURVE_COUNT;
    CHECK_REFUSAL(create_program(rig, (const uint8_t[]){7, 3, 3}, curved, &program, &error), &error, LMB_ERROR_ARGUMENT,
                  "graph: lod: unknown curve");
    CHECK_REFUSAL(lmb_rig_check_max_lods(rig, NULL, &error), &error, LMB_ERROR_ARGUMENT, "the table is NULL");
    CHECK_REFUSAL(lmb_rig_check_max_lods(NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "the rig is NULL");
    // Without a table, the level is ignored.
    assert_int_equal(create_program(rig, NULL, curved, &program, &error), LMB_OK);
    assert_int_equal(lmb_graph_joints_at(program, 7), 3);
    lmb_graph_destroy(program);
    assert_int_equal(create_program(rig, (const uint8_t[]){7, 3, 1}, near, &program, &error), LMB_OK);
    static const uint32_t counts[] = {3, 3, 2, 2, 1, 1, 1, 1, 1};
    for (uint32_t level = 0; level < 9; level++) {
        assert_int_equal(lmb_graph_joints_at(program, level), counts[level]);
    }
    lmb_graph_destroy(program);
    lmb_rig_destroy(rig);
}

static lmb_result suggest(const lmb_host *host, lmb_error *error, void *user) {
    uint8_t table[3];
    return lmb_rig_suggest_max_lods(user, host, table, error);
}

// The ankle's sphere has a radius of 1/4 times 2, the hip's scale. The ankle's bone is 1/4 long, the knee's 3. The
// sizes are 1/2, 3/4 and 15/4.
static void a_table_from_the_size_of_what_hangs(void **state) {
    (void)state;
    lmb_rig *rig = create_chain();
    uint8_t table[3];
    lmb_error error;
    assert_int_equal(lmb_rig_suggest_max_lods(rig, NULL, table, &error), LMB_OK);
    // 0.5 / 3.75 is above 1/8 and below 1/4, and so is 0.75 / 3.75.
    assert_int_equal(table[0], 7);
    assert_int_equal(table[1], 5);
    assert_int_equal(table[2], 5);
    failing_host_try_all(suggest, rig);
    lmb_rig_destroy(rig);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint8_t drawn[200];
        uint32_t counts[LMB_MAX_LODS] = {0};
        rig = scene_rig(200, seed % 2 == 0 ? SCENE_TREE : SCENE_WIDE, seed);
        assert_int_equal(lmb_rig_suggest_max_lods(rig, NULL, drawn, &error), LMB_OK);
        assert_int_equal(lmb_rig_check_max_lods(rig, drawn, &error), LMB_OK);
        for (uint32_t joint = 0; joint < 200; joint++) {
            counts[drawn[joint]]++;
        }
        assert_true(counts[LMB_MAX_LODS - 1] < 200 && counts[LMB_MAX_LODS - 1] > 0);
        lmb_rig_destroy(rig);
    }
    CHECK_REFUSAL(lmb_rig_suggest_max_lods(NULL, NULL, table, &error), &error, LMB_ERROR_ARGUMENT, "the rig is NULL");
    // A rig without an extent drops nothing.
    rig = scene_single_joint();
    CHECK_REFUSAL(lmb_rig_suggest_max_lods(rig, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "the table is NULL");
    assert_int_equal(lmb_rig_suggest_max_lods(rig, NULL, table, &error), LMB_OK);
    assert_int_equal(table[0], 7);
    lmb_rig_destroy(rig);
}

// The chain of above, with a pole of 100 in the hand of the knee, a camera at a distance of 100 below the ankle, and a
// ground of 100 beside it. None of them changes the size of the skeleton, the pole makes the knee as large as itself.
static void extras_do_not_measure(void **state) {
    (void)state;
    lmb_rig *chain = create_chain(), *rig = NULL;
    lmb_joint_def joints[6];
    for (uint32_t i = 0; i < 6; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].rest = i < 3 ? lmb_rig_get_def(chain)->joints[i].rest : joints[i].rest;
        joints[i].radius = i < 3 ? lmb_rig_get_def(chain)->joints[i].radius : i == 4 ? 0.0f : 100.0f;
        joints[i].parent = i == 0 || i == 5 ? LMB_NONE : i == 3 ? 1 : i == 4 ? 2 : i - 1;
        joints[i].is_extra = i >= 3;
    }
    joints[4].rest.translation[2] = 100.0f;
    const lmb_rig_def def = {.joints = joints, .joint_count = 6};
    uint8_t table[6];
    lmb_error error;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, &error), LMB_OK);
    assert_int_equal(lmb_rig_suggest_max_lods(rig, NULL, table, &error), LMB_OK);
    const uint8_t expected[6] = {7, 7, 5, 7, 0, 7};
    assert_memory_equal(table, expected, sizeof expected);
    lmb_rig_destroy(rig);
    lmb_rig_destroy(chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_level_changes_nothing),
        cmocka_unit_test(dropped_joints_are_at_rest),
        cmocka_unit_test(levels_are_rounded_down_and_held),
        cmocka_unit_test(a_mirror_reads_the_real_joint),
        cmocka_unit_test(tables_that_are_wrong),
        cmocka_unit_test(a_table_from_the_size_of_what_hangs),
        cmocka_unit_test(extras_do_not_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
