// Priority layers: against the float64 oracle, and properties of the definition.
#include "keyframes.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

#define CHARACTERS 65u
#define JOINTS 13u

// Poses 0 to 7, repeated if there are more inputs. The fades are parameters.
static void start(test_scene *scene, uint32_t inputs, uint32_t characters, uint64_t seed) {
    random_source source = {seed};
    scene_start(scene, scene_rig(JOINTS, SCENE_TREE, seed), characters, inputs);
    lmb_node_def *node = scene_add_many(scene, LMB_OP_LAYERS, inputs, &source);
    for (uint32_t i = 0; i < inputs; i++) {
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
        scene_run_and_compare(&scene, title, bounds());
        scene_end(&scene);
    }
}

// Clips, and the rest pose below them, are summed joint by joint.
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
        scene_run_and_compare(&scene, title, bounds());
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
        scene_run_and_compare(&scene, "layers, odd fades", bounds());
        assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], 0);
        scene_end(&scene);
    }
}

static float *local(const test_scene *scene, uint32_t character) {
    return scene->buffers[LMB_OUTPUT_LOCAL] + (size_t)character * JOINTS * LMB_POSE_COMPONENTS;
}

// Returns the largest difference of two local outputs: relative to 10 in translation, and to the scale in scale.
static double difference(const test_scene *a, const test_scene *b) {
    double largest = 0.0;
    for (uint32_t i = 0; i < a->character_count * JOINTS * LMB_POSE_COMPONENTS; i++) {
        const uint32_t component = i / JOINTS % LMB_POSE_COMPONENTS;
        const double x = (double)a->buffers[LMB_OUTPUT_LOCAL][i], y = (double)b->buffers[LMB_OUTPUT_LOCAL][i];
        const double unit = component < 3 ? 10.0 : component < 7 ? 1.0 : fmax(fabs(x), 1e-9);
        largest = fmax(largest, fabs(x - y) / unit);
    }
    return largest;
}

// A single layer whose fades sum to 1 equals the weighted blend.
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
    // Fades whose sum exceeds 1 are divided by the sum, as weights are.
    for (uint32_t i = 0; i < CHARACTERS * 5; i++) {
        layers.parameters[i] = weighted.parameters[i] = 0.25f + (float)(i % 4) * 0.25f;
    }
    scene_run(&layers);
    scene_run(&weighted);
    assert_true(difference(&layers, &weighted) <= 2e-6);
    scene_end(&layers);
    scene_end(&weighted);
}

// Below a layer with a total fade of 1, no input affects any bit. If all fades are 0, the result is the rest pose.
static void a_full_layer_hides_those_below(void **state) {
    (void)state;
    test_scene scene, other;
    start(&scene, 4, CHARACTERS, 50);
    start(&other, 4, CHARACTERS, 50);
    for (uint32_t i = 0; i < 4; i++) {
        last(&scene)->priorities[i] = last(&other)->priorities[i] = i == 1 || i == 2;
    }
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        const bool sums = character % 2 == 0; // to exactly 1, or to more
        for (uint32_t i = 1; i < 3; i++) {
            *scene_parameter(&scene, character, i) = *scene_parameter(&other, character, i) = sums ? 0.5f : 0.75f;
        }
        *scene_parameter(&other, character, 0) = *scene_parameter(&other, character, 3) = 0.0f;
    }
    scene_run(&scene);
    scene_run(&other);
    scene_expect_output(&scene, LMB_OUTPUT_LOCAL, other.buffers[LMB_OUTPUT_LOCAL]);
    memset(scene.parameters, 0, CHARACTERS * 4 * sizeof(float));
    scene_run(&scene);
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            const lmb_transform rest = lmb_rig_get_def(scene.rig)->joints[joint].rest;
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

// A half fade over a full layer is the blend of both.
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

// The order of inputs of one priority does not matter: translations and scales differ only by rounding, and so do
// rotations that are in one hemisphere.
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
        // The rest poses have rotations of either hemisphere, so the layer is full.
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

// An invalid fade counts once per character, however many inputs read it.
static void fades_that_are_no_number(void **state) {
    (void)state;
    test_scene scene;
    start(&scene, 4, 5, 80);
    *scene_parameter(&scene, 1, 0) = NAN;
    *scene_parameter(&scene, 3, 2) = -NAN;
    scene_run_and_compare(&scene, "layers, fade NaN", bounds());
    assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], 2);
    for (uint32_t i = 0; i < 4; i++) {
        *scene_parameter(&scene, 2, i) = NAN;
    }
    scene_run_and_compare(&scene, "layers, all fades NaN", bounds());
    assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], 6);
    scene_end(&scene);
}

static const uint8_t odd_shares[] = {0, 0, 1, 127, 128, 254, 255, 255};

static void draw_mask(random_source *source, uint8_t *mask) {
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        const bool is_odd = random_below(source, 2) == 0;
        mask[joint] = is_odd ? odd_shares[random_below(source, sizeof odd_shares)] : (uint8_t)random_below(source, 256);
    }
}

// Clips with and without joint weights, chosen per character, pose buffers and the rest pose; some inputs have masks.
// With a threshold of 0 fades are divided by their sum at each joint.
static void masks_and_joint_weights(void **state) {
    (void)state;
    static uint8_t masks[SCENE_MASKS][JOINTS], weights[2][JOINTS];
    keyframes keys[3];
    lmb_clip_def clips[3];
    random_source source = {90};
    for (uint32_t i = 0; i < 3; i++) {
        keys[i] = keyframes_create_waves(JOINTS, 5, 6 + i);
        clips[i] = keys[i].clip;
    }
    for (uint32_t i = 0; i < 2; i++) {
        draw_mask(&source, weights[i]);
        clips[i].joint_weights = weights[i];
    }
    for (uint32_t round = 0; round < 9; round++) {
        static const float thresholds[] = {1.0f, 0.3f, 0.0f};
        const uint32_t inputs = 2 + 7 * (round / 3);
        test_scene scene;
        start(&scene, inputs, CHARACTERS, 90 + inputs);
        last(&scene)->threshold = thresholds[round % 3];
        last(&scene)->linear_scale = round % 2 == 0;
        scene.clips = clips;
        scene.clip_count = 3;
        scene.mask_count = SCENE_MASKS;
        for (uint32_t i = 0; i < SCENE_MASKS; i++) {
            draw_mask(&source, masks[i]);
            scene.masks[i] = masks[i];
        }
        lmb_node_def *layers = last(&scene);
        for (uint32_t i = 0; i < inputs; i++) {
            layers->masks[i] = i % 3 == 0 ? LMB_NONE : random_below(&source, SCENE_MASKS);
        }
        for (uint32_t i = 0; i + 1 < scene.node_count; i += 2) {
            scene.nodes[i] = lmb_default_node_def();
            scene.nodes[i].op = LMB_OP_CLIP;
            scene.nodes[i].clip = i % 4 == 0 ? lmb_parameter(inputs - 1) : lmb_constant(1.5f);
            scene.nodes[i].joint_weights = i == 6 ? 2 : LMB_NONE;
        }
        // Fades; the last parameter also selects clips, and 3 selects none.
        for (uint32_t character = 0; character < CHARACTERS; character++) {
            *scene_parameter(&scene, character, inputs - 1) = (float)random_between(&source, 0.0, 3.2);
        }
        char title[64];
        snprintf(title, sizeof title, "layers of %u with masks and joint weights", inputs);
        scene_run_all_paths(&scene);
        scene_compare_local(&scene, title, bounds());
        scene_end(&scene);
    }
    for (uint32_t i = 0; i < 3; i++) {
        keyframes_destroy(&keys[i]);
    }
}

static void full_masks_change_no_bit(void **state) {
    (void)state;
    uint8_t mask[JOINTS];
    memset(mask, 255, sizeof mask);
    test_scene plain, masked;
    start(&plain, 7, CHARACTERS, 110);
    start(&masked, 7, CHARACTERS, 110);
    masked.masks[0] = mask;
    masked.mask_count = 1;
    for (uint32_t i = 0; i < 7; i++) {
        last(&masked)->masks[i] = 0;
    }
    scene_run(&plain);
    scene_run(&masked);
    scene_expect_output(&masked, LMB_OUTPUT_LOCAL, plain.buffers[LMB_OUTPUT_LOCAL]);
    scene_end(&plain);
    scene_end(&masked);
}

// For example, legs walk and arms hold something: a joint comes from the higher layer if that layer has it, to the bit,
// and otherwise from the lower layer.
static void a_layer_takes_the_joints_that_it_has(void **state) {
    (void)state;
    uint8_t arms[JOINTS];
    test_scene scene, walk, hold;
    start(&scene, 2, CHARACTERS, 120);
    start(&walk, 2, CHARACTERS, 120);
    start(&hold, 2, CHARACTERS, 120);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        arms[joint] = joint % 3 == 1 ? 255 : 0;
    }
    for (uint32_t i = 0; i < CHARACTERS * 2; i++) {
        scene.parameters[i] = walk.parameters[i] = hold.parameters[i] = 1.0f;
    }
    scene.masks[0] = arms;
    scene.mask_count = 1;
    last(&scene)->masks[1] = 0;
    for (uint32_t i = 0; i < 2; i++) {
        last(&scene)->priorities[i] = (int32_t)i;
        last(&walk)->inputs[i] = 0;
        last(&hold)->inputs[i] = 1;
        last(&walk)->priorities[i] = last(&hold)->priorities[i] = (int32_t)i;
    }
    scene_run(&scene);
    scene_run(&walk);
    scene_run(&hold);
    for (uint32_t i = 0; i < CHARACTERS * JOINTS * LMB_POSE_COMPONENTS; i++) {
        const test_scene *from = arms[i % JOINTS] == 255 ? &hold : &walk;
        assert_true(scene.buffers[LMB_OUTPUT_LOCAL][i] == from->buffers[LMB_OUTPUT_LOCAL][i]);
    }
    scene_end(&scene);
    scene_end(&walk);
    scene_end(&hold);
}

static void refuse_threshold(const test_scene *scene) {
    const lmb_graph_def def = {
        .rig = scene->rig, .nodes = scene->nodes, .node_count = scene->node_count, .parameter_count = 4};
    lmb_error error = {0};
    assert_int_equal(lmb_graph_check(&def, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "graph: node 4 (layers): threshold: it is not from 0 to 1");
}

static void thresholds_out_of_range(void **state) {
    (void)state;
    test_scene scene;
    start(&scene, 4, 1, 131);
    static const float wrong[] = {-0.5f, 1.5f, NAN, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        last(&scene)->threshold = wrong[i];
        refuse_threshold(&scene);
    }
    last(&scene)->threshold = 0x1p-149f; // counts as 0
    scene_run(&scene);
    scene_end(&scene);
}

static void a_mask_that_is_not_there(void **state) {
    (void)state;
    test_scene scene;
    start(&scene, 4, 1, 130);
    last(&scene)->masks[2] = 0;
    const lmb_graph_def def = {
        .rig = scene.rig, .nodes = scene.nodes, .node_count = scene.node_count, .parameter_count = 4};
    lmb_error error = {0};
    assert_int_equal(lmb_graph_check(&def, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "graph: node 4 (layers): masks[2]: there is no such mask");
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
        cmocka_unit_test(masks_and_joint_weights),
        cmocka_unit_test(full_masks_change_no_bit),
        cmocka_unit_test(a_layer_takes_the_joints_that_it_has),
        cmocka_unit_test(thresholds_out_of_range),
        cmocka_unit_test(a_mask_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
