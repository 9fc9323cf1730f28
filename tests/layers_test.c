// Priority layers: against the float64 oracle, and what follows from their meaning.
#include "keyframes.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

#define CHARACTERS 65u
#define JOINTS 13u

// Poses 0 to 7, each used again where there are more inputs; the fades are parameters.
static void start(test_scene *scene, uint32_t inputs, uint32_t characters, uint64_t seed) {
    random_source source = {seed};
    scene_start(scene, scene_rig(JOINTS, SCENE_TREE, seed), characters, inputs);
    const uint32_t poses = inputs < LMB_MAX_POSES ? inputs : LMB_MAX_POSES;
    for (uint32_t i = 0; i < poses; i++) {
        scene_fill_pose(scene, i, &source);
        scene_add_pose_node(scene, i);
    }
    lmb_node_def *node = scene_add(scene, LMB_OP_LAYERS, LMB_NONE, LMB_NONE);
    node->input_count = inputs;
    for (uint32_t i = 0; i < inputs; i++) {
        node->inputs[i] = i % poses;
        node->weights[i] = lmb_parameter(i);
        node->priorities[i] = (int32_t)random_below(&source, 4) * 1000 - 2000;
    }
    for (uint32_t i = 0; i < characters * inputs; i++) {
        scene->parameters[i] = (float)random_between(&source, -0.1, 0.7);
    }
}

static lmb_node_def *last(test_scene *scene) {
    return &scene->nodes[scene->node_count - 1];
}

static scene_bounds bounds(void) {
    scene_bounds bounds = SCENE_BOUNDS;
    bounds.magnitude = 10.0;
    return bounds;
}

static void any_number_of_inputs(void **state) {
    (void)state;
    for (uint32_t inputs = 2; inputs <= LMB_MAX_INPUTS; inputs++) {
        test_scene scene;
        start(&scene, inputs, CHARACTERS, inputs);
        for (uint32_t character = 0; character < CHARACTERS; character += 3) {
            *scene_parameter(&scene, character, character % inputs) = character % 2 == 0 ? 1.0f : 0.0f;
        }
        last(&scene)->weights[1].curve = LMB_CURVE_UNIFORM_S;
        char title[32];
        snprintf(title, sizeof title, "layers of %u", inputs);
        scene_run(&scene);
        scene_compare_local(&scene, title, bounds());
        scene_end(&scene);
    }
}

// Clips and the rest pose below them are summed joint by joint.
static void any_number_of_clips(void **state) {
    (void)state;
    keyframes keys = keyframes_create_waves(JOINTS, 9, 5);
    for (uint32_t inputs = 2; inputs <= LMB_MAX_INPUTS; inputs += 7) {
        test_scene scene;
        start(&scene, inputs, CHARACTERS, inputs);
        scene.clips = &keys.clip;
        scene.clip_count = 1;
        for (uint32_t i = 0; i + 1 < scene.node_count; i++) {
            scene.nodes[i] = lmb_default_node_def();
            scene.nodes[i].op = LMB_OP_CLIP;
            scene.nodes[i].time = lmb_constant(0.25f * (float)i);
        }
        char title[32];
        snprintf(title, sizeof title, "layers of %u clips", inputs);
        scene_run(&scene);
        scene_compare_local(&scene, title, bounds());
        scene_end(&scene);
    }
    keyframes_destroy(&keys);
}

static void odd_fades(void **state) {
    (void)state;
    static const float rows[][4] = {{0.0f, 0.0f, 0.0f, 0.0f},
                                    {-1.0f, -2.0f, 0.0f, -0.0f},
                                    {1.0f, 1.0f, 1.0f, 1.0f},
                                    {1e30f, 1.0f, INFINITY, 1.0f},
                                    {-INFINITY, 1.0f, 0.0f, 0.0f},
                                    {0x1p-40f, 0.0f, 0.0f, 0.0f},
                                    {0x1.fffffep-41f, 1e-20f, 1e-45f, 0x1p-41f},
                                    {0x1.fffffep-1f, 0x1.fffffep-1f, 0x1.fffffep-1f, 0x1.fffffep-1f},
                                    {0.0f, 0.0f, 0.0f, 1.0f},
                                    {0.5f, 0.5f, 0.5f, 0.5f}};
    static const int32_t priorities[][4] = {{0, 0, 0, 0}, {3, 2, 1, 0}, {INT32_MIN, -1, INT32_MAX, -1}, {1, 0, 1, 0}};
    const uint32_t count = sizeof rows / sizeof *rows;
    for (uint32_t i = 0; i < sizeof priorities / sizeof *priorities; i++) {
        test_scene scene;
        start(&scene, 4, count, 30 + i);
        memcpy(scene.parameters, rows, sizeof rows);
        memcpy(last(&scene)->priorities, priorities[i], sizeof priorities[i]);
        scene_run(&scene);
        scene_compare_local(&scene, "layers, odd fades", bounds());
        assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], 0);
        scene_end(&scene);
    }
}

static float *local(const test_scene *scene, uint32_t character) {
    return scene->stages[LMB_STAGE_LOCAL] + (size_t)character * JOINTS * LMB_POSE_COMPONENTS;
}

// The largest difference of two local outputs: relative to 10 in translation, to the scale in scale.
static double difference(const test_scene *a, const test_scene *b) {
    double largest = 0.0;
    for (uint32_t i = 0; i < a->character_count * JOINTS * LMB_POSE_COMPONENTS; i++) {
        const uint32_t component = i / JOINTS % LMB_POSE_COMPONENTS;
        const double x = (double)a->stages[LMB_STAGE_LOCAL][i], y = (double)b->stages[LMB_STAGE_LOCAL][i];
        const double unit = component < 3 ? 10.0 : component < 7 ? 1.0 : fmax(fabs(x), 1e-9);
        largest = fmax(largest, fabs(x - y) / unit);
    }
    return largest;
}

// One layer whose fades sum to 1 is the weighted blend.
static void one_full_layer_is_weighted(void **state) {
    (void)state;
    test_scene layers, weighted;
    start(&layers, 5, CHARACTERS, 40);
    start(&weighted, 5, CHARACTERS, 40);
    last(&weighted)->op = LMB_OP_WEIGHTED;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        float left = 1.0f;
        for (uint32_t i = 0; i < 5; i++) {
            const float fade = i < 4 ? left * (float)(character % 7) / 8.0f : left;
            *scene_parameter(&layers, character, i) = *scene_parameter(&weighted, character, i) = fade;
            left -= fade;
            last(&layers)->priorities[i] = 7;
        }
    }
    scene_run(&layers);
    scene_run(&weighted);
    const double found = difference(&layers, &weighted);
    print_message("one full layer, from weighted: %.2g\n", found);
    assert_true(found <= 2e-6);
    // Fades that exceed 1 together are divided by their sum: so are weights.
    for (uint32_t i = 0; i < CHARACTERS * 5; i++) {
        layers.parameters[i] = weighted.parameters[i] = 0.25f + (float)(i % 4) * 0.25f;
    }
    scene_run(&layers);
    scene_run(&weighted);
    assert_true(difference(&layers, &weighted) <= 2e-6);
    scene_end(&layers);
    scene_end(&weighted);
}

// What stands below a layer of fade 1 changes no bit; inputs of fade 0 leave the rest pose.
static void a_full_layer_hides_those_below(void **state) {
    (void)state;
    test_scene scene, other;
    start(&scene, 4, CHARACTERS, 50);
    start(&other, 4, CHARACTERS, 50);
    for (uint32_t i = 0; i < 4; i++) {
        last(&scene)->priorities[i] = last(&other)->priorities[i] = i == 1 || i == 2;
    }
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        const bool sums = character % 2 == 0; // to exactly 1, or beyond it
        for (uint32_t i = 1; i < 3; i++) {
            *scene_parameter(&scene, character, i) = *scene_parameter(&other, character, i) = sums ? 0.5f : 0.75f;
        }
        *scene_parameter(&other, character, 0) = *scene_parameter(&other, character, 3) = 0.0f;
    }
    scene_run(&scene);
    scene_run(&other);
    assert_memory_equal(scene.stages[LMB_STAGE_LOCAL], other.stages[LMB_STAGE_LOCAL],
                        scene_stage_floats(&scene, LMB_STAGE_LOCAL) * sizeof(float));
    memset(scene.parameters, 0, CHARACTERS * 4 * sizeof(float));
    scene_run(&scene);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            const lmb_transform rest = lmb_rig_joint_rest(scene.rig, joint);
            float values[LMB_POSE_COMPONENTS];
            memcpy(values, &rest, sizeof values);
            for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                const float found = local(&scene, character)[i * JOINTS + joint];
                assert_true(fabs((double)found - (double)values[i]) <= 1e-6 * fmax(1.0, fabs((double)values[i])));
            }
        }
    }
    scene_end(&scene);
    scene_end(&other);
}

// Halfway faded over a full layer is the blend of both.
static void a_fade_blends_over_what_is_below(void **state) {
    (void)state;
    test_scene scene, blend;
    start(&scene, 2, CHARACTERS, 60);
    start(&blend, 2, CHARACTERS, 60);
    last(&scene)->priorities[0] = 1;
    last(&scene)->priorities[1] = 2;
    last(&blend)->op = LMB_OP_WEIGHTED;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        const float fade = (float)character / (CHARACTERS - 1);
        *scene_parameter(&scene, character, 0) = 1.0f;
        *scene_parameter(&scene, character, 1) = *scene_parameter(&blend, character, 1) = fade;
        *scene_parameter(&blend, character, 0) = 1.0f - fade;
    }
    scene_run(&scene);
    scene_run(&blend);
    assert_true(difference(&scene, &blend) <= 2e-6);
    scene_end(&scene);
    scene_end(&blend);
}

// Inputs of one priority may change places: translations and scales stay within rounding, and so do rotations that lie in
// one hemisphere.
static void the_order_within_a_layer_does_not_matter(void **state) {
    (void)state;
    static const uint32_t orders[][4] = {{1, 0, 3, 2}, {3, 2, 1, 0}, {2, 3, 0, 1}};
    for (uint32_t order = 0; order < sizeof orders / sizeof *orders; order++) {
        test_scene scene, other;
        random_source source = {70};
        start(&scene, 4, CHARACTERS, 70);
        start(&other, 4, CHARACTERS, 70);
        for (uint32_t pose = 0; pose < 4; pose++) {
            for (uint32_t i = 0; i < CHARACTERS * JOINTS; i++) {
                for (uint32_t k = 3; k < 7; k++) {
                    const float value = (k == 6 ? 2.0f : 0.0f) + (float)random_between(&source, -0.5, 0.5);
                    *scene_component(&scene, scene.poses[pose], i / JOINTS, i % JOINTS, k) = value;
                    *scene_component(&other, other.poses[pose], i / JOINTS, i % JOINTS, k) = value;
                }
            }
        }
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t from = orders[order][i];
            last(&scene)->priorities[i] = 5;
            last(&other)->priorities[i] = 5;
            last(&other)->inputs[i] = from;
            last(&other)->weights[i] = lmb_parameter(from);
        }
        // Rest poses hold rotations of either hemisphere, so the layer is full.
        for (uint32_t i = 0; i < CHARACTERS * 4; i++) {
            scene.parameters[i] = other.parameters[i] = 0.25f + (float)(i % 5) * 0.125f;
        }
        scene_run(&scene);
        scene_run(&other);
        assert_true(difference(&scene, &other) <= 3e-6);
        scene_end(&scene);
        scene_end(&other);
    }
}

// Each fade counts once for a character, however many inputs read it.
static void fades_that_are_no_number(void **state) {
    (void)state;
    test_scene scene;
    start(&scene, 4, 5, 80);
    *scene_parameter(&scene, 1, 0) = NAN;
    *scene_parameter(&scene, 3, 2) = -NAN;
    scene_run(&scene);
    scene_compare_local(&scene, "layers, fade NaN", bounds());
    assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], 2);
    for (uint32_t i = 0; i < 4; i++) {
        *scene_parameter(&scene, 2, i) = NAN;
    }
    scene_run(&scene);
    scene_compare_local(&scene, "layers, all fades NaN", bounds());
    assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], 6);
    scene_end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_inputs),
        cmocka_unit_test(any_number_of_clips),
        cmocka_unit_test(odd_fades),
        cmocka_unit_test(one_full_layer_is_weighted),
        cmocka_unit_test(a_full_layer_hides_those_below),
        cmocka_unit_test(a_fade_blends_over_what_is_below),
        cmocka_unit_test(the_order_within_a_layer_does_not_matter),
        cmocka_unit_test(fades_that_are_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
