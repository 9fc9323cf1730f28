// More forms of additives and more options of weighted blends, against the float64 oracle and by their definition: an
// additive applied to its reference gives its source.
#include "refusal.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHARACTERS = 67, JOINTS = 41 };

static scene_bounds bounds_of(double translation, double rotation) {
    scene_bounds bounds = SCENE_BOUNDS;
    bounds.magnitude = translation;
    bounds.rotation = rotation;
    bounds.scale_floor = 1.0;
    return bounds;
}

static void set(test_scene *scene, uint32_t pose, uint32_t character, uint32_t joint, uint32_t first,
                const double *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        *scene_component(scene, scene->poses[pose], character, joint, first + i) = (float)values[i];
    }
}

// ---- Weighted blends with options. ----

static void start_weighted(test_scene *scene, uint32_t inputs, int choice) {
    random_source source = {70 + inputs};
    scene_start(scene, scene_rig(JOINTS, SCENE_TREE, inputs), CHARACTERS, inputs);
    lmb_node_def *node = scene_add_many(scene, LMB_OP_WEIGHTED, inputs, &source);
    node->interpolation = (lmb_mix)(choice / 2);
    node->shortest = choice % 2 == 0;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t i = 0; i < inputs; i++) {
            const bool counts = character > 0 && (character + i) % 4 != 0;
            *scene_parameter(scene, character, i) = counts ? (float)random_between(&source, 0.0, 3.0) : 0.0f;
        }
    }
}

// Returns the length of the shortest quaternion sum that a rotation is taken from, without sign changes. Errors grow as
// it shrinks.
static double shortest_sum(const test_scene *scene, uint32_t character, uint32_t joint, uint32_t inputs, bool slerps) {
    double sum[4] = {0.0, 0.0, 0.0, 0.0}, weights = 0.0, shortest = 1.0;
    for (uint32_t i = 0; i < inputs; i++) {
        const double weight = (double)*scene_parameter((test_scene *)(uintptr_t)scene, character, i);
        double length = 0.0, turn = 0.0;
        if (weight == 0.0) {
            continue;
        }
        weights += weight;
        for (uint32_t k = 0; k < 4; k++) {
            const double value =
                (double)*scene_component(scene, scene->poses[i % LMB_MAX_POSES], character, joint, 3 + k);
            turn += (sum[k] + value) * (sum[k] + value);
            sum[k] = slerps ? value : sum[k] + weight * value;
            length += sum[k] * sum[k];
        }
        shortest = fmin(shortest, slerps ? sqrt(turn) / 2.0 : sqrt(length) / weights);
    }
    return shortest;
}

static void weighted_by_choice(void **state) {
    (void)state;
    for (uint32_t inputs = 2; inputs <= LMB_MAX_INPUTS; inputs += inputs < 5 ? 1 : 11) {
        for (int choice = 0; choice < 2 * LMB_MIX_COUNT; choice++) {
            test_scene scene;
            start_weighted(&scene, inputs, choice);
            scene.nodes[scene.node_count - 1].linear_scale = inputs % 2 == 0;
            // Replaces sums that nearly vanish, which would test nothing, by sums of similar rotations.
            for (uint32_t character = 0; character < CHARACTERS && choice % 2 == 1; character++) {
                for (uint32_t joint = 0; joint < JOINTS; joint++) {
                    if (shortest_sum(&scene, character, joint, inputs, false) > 0.1) {
                        continue;
                    }
                    for (uint32_t i = 1; i < inputs && i < LMB_MAX_POSES; i++) {
                        for (uint32_t k = 3; k < 7; k++) {
                            *scene_component(&scene, scene.poses[i], character, joint, k) =
                                *scene_component(&scene, scene.poses[0], character, joint, k);
                        }
                    }
                }
            }
            char title[64];
            snprintf(title, sizeof title, "weighted of %u, choice %d", inputs, choice);
            scene_run(&scene);
            // Slerps from input to input meet short sums that a check of the whole sum cannot detect.
            const bool slerps = choice / 2 == LMB_MIX_SLERP && choice % 2 == 1;
            scene_compare_local(&scene, title, bounds_of(10.0, slerps ? 2e-4 : choice % 2 == 1 ? 1e-5 : 1e-6 * inputs));
            scene_expect_no_refusals(&scene);
            scene_end(&scene);
        }
    }
}

static void slerp_of_two_is_a_blend(void **state) {
    (void)state;
    for (int shortest = 0; shortest < 2; shortest++) {
        test_scene scene;
        start_weighted(&scene, 2, 2 * LMB_MIX_SLERP + (shortest == 0));
        for (uint32_t character = 0; character < CHARACTERS; character++) {
            *scene_parameter(&scene, character, 1) = (float)character / CHARACTERS;
            *scene_parameter(&scene, character, 0) = 1.0f - *scene_parameter(&scene, character, 1);
        }
        scene_run(&scene);
        float *first = scene_keep_output(&scene, LMB_OUTPUT_LOCAL);
        lmb_node_def *node = scene_add(&scene, LMB_OP_BLEND, 0, 1);
        node->weight = lmb_parameter(1);
        node->shortest = shortest != 0;
        scene_run(&scene);
        double largest = 0.0;
        for (size_t i = 0; i < scene_output_floats(&scene, LMB_OUTPUT_LOCAL); i++) {
            const double at = (double)scene.buffers[LMB_OUTPUT_LOCAL][i];
            const uint32_t component = (uint32_t)(i / JOINTS % LMB_POSE_COMPONENTS);
            const double unit = component < 3 ? 10.0 : component < 7 ? 1.0 : fabs(at);
            largest = fmax(largest, fabs((double)first[i] - at) / unit);
        }
        print_message("weighted slerp of two, from the blend: %.2g\n", largest);
        assert_true(largest <= 4e-6);
        free(first);
        scene_end(&scene);
    }
}

// With three inputs, slerp depends on their order; nlerp depends on it only by rounding.
static void order_matters_to_slerp_alone(void **state) {
    (void)state;
    double moved[2] = {0.0, 0.0};
    for (int which = 0; which < 2; which++) {
        float *first = NULL;
        for (int turn = 0; turn < 2; turn++) {
            test_scene scene;
            start_weighted(&scene, 3, 2 * (which == 0 ? LMB_MIX_SLERP : LMB_MIX_NLERP));
            for (uint32_t i = 0; i < 3; i++) {
                scene.nodes[3].inputs[i] = turn == 0 ? i : 2 - i;
                scene.nodes[3].weights[i] = lmb_constant(turn == 0 ? 1.0f + (float)i : 3.0f - (float)i);
            }
            for (uint32_t character = 0; character < CHARACTERS; character++) {
                for (uint32_t joint = 0; joint < JOINTS; joint++) {
                    for (uint32_t pose = 1; pose < 3; pose++) { // within 30 degrees of the first
                        double turned[4], near[4], q[4];
                        scene_rotation(&scene, scene.poses[0], character, joint, q);
                        near[pose - 1] = sin(0.25);
                        near[2 - pose] = 0.0;
                        near[2] = 0.0;
                        near[3] = cos(0.25);
                        oracle_quaternion_multiply(q, near, turned);
                        set(&scene, pose, character, joint, 3, turned, 4);
                    }
                }
            }
            scene_run(&scene);
            const size_t floats = scene_output_floats(&scene, LMB_OUTPUT_LOCAL);
            if (turn == 0) {
                first = scene_keep_output(&scene, LMB_OUTPUT_LOCAL);
            }
            for (size_t i = 0; i < floats; i++) {
                const uint32_t component = (uint32_t)(i / JOINTS % LMB_POSE_COMPONENTS);
                if (component >= 3 && component < 7) {
                    moved[which] =
                        fmax(moved[which], fabs((double)first[i] - (double)scene.buffers[LMB_OUTPUT_LOCAL][i]));
                }
            }
            scene_end(&scene);
        }
        free(first);
    }
    print_message("another order: slerp moves by %.2g, nlerp by %.2g\n", moved[0], moved[1]);
    assert_true(moved[0] > 1e-4 && moved[1] < 1e-6);
}

// ---- The affine form. ----

// The 24 rotations that map axes to axes, by number.
static void axis_rotation(uint32_t which, double q[4]) {
    static const double turns[4][4] = {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    static const double halves[6][4] = {{0, 0, 0, 1},
                                        {0.5, 0.5, 0.5, 0.5},
                                        {-0.5, -0.5, -0.5, 0.5},
                                        {0.7071067811865476, 0, 0, 0.7071067811865476},
                                        {0, 0.7071067811865476, 0, 0.7071067811865476},
                                        {0, 0, 0.7071067811865476, 0.7071067811865476}};
    oracle_quaternion_multiply(turns[which % 4], halves[which / 4 % 6], q);
}

typedef enum scales { SCALES_EVEN, SCALES_ALONG_AXES, SCALES_MIRRORED, SCALES_ANY } scales;

// Poses 0 and 1 are a and the reference r. Their scales or rotations are such that nothing shears, except for
// SCALES_ANY.
static void start_affine(test_scene *scene, scales kind, uint64_t seed) {
    random_source source = {seed};
    scene_start(scene, scene_rig(JOINTS, SCENE_TREE, seed), CHARACTERS, 1);
    for (uint32_t pose = 0; pose < 2; pose++) {
        scene_fill_pose(scene, pose, &source);
        scene_add_pose_node(scene, pose);
    }
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        *scene_parameter(scene, character, 0) = (float)character / (CHARACTERS - 1);
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            const uint32_t number = character * JOINTS + joint;
            double q[4], scale[2][3], even = exp2(random_between(&source, -3.0, 3.0));
            axis_rotation(number, q);
            for (uint32_t i = 0; i < 3; i++) {
                const double sign = (number >> i & 1u) != 0 ? -1.0 : 1.0;
                scale[1][i] = exp2(random_between(&source, -3.0, 3.0));
                scale[0][i] = kind == SCALES_EVEN       ? even * scale[1][i]
                              : kind == SCALES_MIRRORED ? sign * even * scale[1][i]
                                                        : exp2(random_between(&source, -3.0, 3.0));
            }
            if (kind != SCALES_ANY) {
                set(scene, 0, character, joint, 7, scale[0], 3);
                set(scene, 1, character, joint, 7, scale[1], 3);
            }
            if (kind == SCALES_ALONG_AXES) {
                set(scene, 1, character, joint, 3, q, 4);
            }
        }
    }
    scene_add(scene, LMB_OP_MAKE_ADDITIVE, 0, 1)->form = LMB_FORM_AFFINE;
}

// Sets options of an additive: how it mixes, weights between -4 and 4, and a mask.
static void set_choice(test_scene *scene, lmb_node_def *node, int choice) {
    static uint8_t ramp[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        ramp[i] = (uint8_t)(i * 6);
    }
    scene->masks[0] = ramp;
    scene->mask_count = 1;
    node->interpolation = (lmb_mix)(choice / 2);
    node->shortest = choice % 2 == 0;
    node->linear_scale = choice % 3 == 1;
    node->unclamped = true;
    node->mask = choice % 3 != 0 ? 0 : LMB_NONE;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        *scene_parameter(scene, character, 0) = (float)character / (CHARACTERS - 1) * 8.0f - 4.0f;
    }
}

static void add_affine(test_scene *scene, lmb_value weight) {
    lmb_node_def *node = scene_add(scene, LMB_OP_ADDITIVE, 1, 2);
    node->form = LMB_FORM_AFFINE;
    node->weight = weight;
}

// Returns the largest difference between an entry of a joint's matrix and that of pose 0, relative to the column's
// length.
static double matrix_error(const test_scene *scene) {
    double largest = 0.0;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            oracle_affine m[2];
            oracle_transform given = {.weight = 0.0};
            for (int side = 0; side < 2; side++) {
                float *from = side == 0 ? scene->poses[0] : scene->buffers[LMB_OUTPUT_LOCAL];
                const lmb_transform t = scene_transform(scene, from, character, joint);
                const oracle_transform exact = oracle_transform_from_float(&t);
                given = side == 0 ? exact : given;
                m[side] = oracle_affine_from_transform(&exact);
            }
            for (int i = 0; i < 12; i++) {
                // The error of S t - (S R^-1) t_r + t, with ratios of scales up to 2^6 and translations up to 10.
                const double unit = i % 4 == 3 ? 1000.0 : fabs(given.scale[i % 4]);
                largest = fmax(largest, fabs(m[0].m[i / 4][i % 4] - m[1].m[i / 4][i % 4]) / unit);
            }
        }
    }
    return largest;
}

static const char *const kind_names[] = {"even scales", "scales along axes", "mirrored scales", "any scales"};

static void affine_differences_and_additives(void **state) {
    (void)state;
    for (scales kind = SCALES_EVEN; kind <= SCALES_ANY; kind++) {
        for (int adds = 0; adds < 2; adds++) {
            test_scene scene;
            start_affine(&scene, kind, 80 + (uint64_t)kind);
            if (adds != 0) {
                add_affine(&scene, lmb_constant(1.0f));
            }
            scene_bounds bounds = bounds_of(2000.0, 4e-6);
            bounds.scale = 4e-6;
            scene_run(&scene);
            // If a mirrored product has several decompositions, only its matrix is compared.
            if (kind != SCALES_MIRRORED) {
                scene_compare_local(&scene, kind_names[kind], bounds);
            }
            if (adds != 0) {
                const double error = matrix_error(&scene);
                print_message("affine, %s: from the source's matrix %.2g\n", kind_names[kind], error);
                assert_true(error <= 4e-6);
            }
            if (kind == SCALES_ANY) {
                assert_int_equal(scene.refused[LMB_REFUSED_SHEAR], (1 + adds) * CHARACTERS * JOINTS);
            } else {
                assert_int_equal(scene.refused[LMB_REFUSED_SHEAR], 0);
            }
            scene_end(&scene);
        }
    }
}

// Weights between 0 and 1, weights outside, and masks.
static void affine_of_any_weight(void **state) {
    (void)state;
    for (int choice = 0; choice < 2 * LMB_MIX_COUNT; choice++) {
        test_scene scene;
        start_affine(&scene, SCALES_EVEN, 90 + (uint64_t)choice);
        add_affine(&scene, lmb_parameter(0));
        set_choice(&scene, &scene.nodes[3], choice);
        scene_bounds bounds = bounds_of(2e7, 2e-5); // scales up to 2^24
        bounds.scale = 4e-5;
        scene_run_and_compare(&scene, "affine, any weight", bounds);
        scene_end(&scene);
    }
}

// A refused joint gets the result of the parent form, to the bit.
static void what_shears_is_refused(void **state) {
    (void)state;
    float *parent = NULL;
    for (int form = LMB_FORM_PARENT; form <= LMB_FORM_AFFINE; form++) {
        test_scene scene;
        start_affine(&scene, SCALES_ANY, 100);
        for (uint32_t character = 0; character < CHARACTERS; character++) { // also a zero and a nearly flat scale
            *scene_component(&scene, scene.poses[character % 2], character, 0, 7 + character % 3) = 0.0f;
            *scene_component(&scene, scene.poses[character % 2], character, 1, 7 + character % 3) = 1e-7f;
            for (uint32_t k = 0; k < 4; k++) {
                *scene_component(&scene, scene.poses[1], character, 0, 3 + k) = k == 3 ? 1.0f : 0.0f;
                *scene_component(&scene, scene.poses[1], character, 1, 3 + k) = k == 3 ? 1.0f : 0.0f;
            }
        }
        add_affine(&scene, lmb_parameter(0));
        scene.nodes[2].form = scene.nodes[3].form = (lmb_form)form;
        scene_run(&scene);
        if (form == LMB_FORM_PARENT) {
            parent = scene_keep_output(&scene, LMB_OUTPUT_LOCAL);
            assert_int_equal(scene.refused[LMB_REFUSED_SHEAR], 0);
        } else {
            // The first character's weight is 0, so nothing shears.
            for (uint32_t character = 1; character < CHARACTERS; character++) {
                const size_t row = (size_t)character * JOINTS * LMB_POSE_COMPONENTS;
                for (uint32_t i = 0; i < JOINTS * LMB_POSE_COMPONENTS; i++) {
                    // Joints 0 and 1 are flat along their axes, but a part of their additive need not be.
                    assert_true(i % JOINTS < 2 || parent[row + i] == scene.buffers[LMB_OUTPUT_LOCAL][row + i]);
                }
            }
            assert_true(scene.refused[LMB_REFUSED_SHEAR] >= (2 * CHARACTERS - 1) * (JOINTS - 2) + 2 * CHARACTERS);
        }
        scene_end(&scene);
    }
    free(parent);
}

// Just within the bound and just beyond it: scales 1 and 1 + e, turned by 45 degrees, give axes with a cosine of e.
static void the_bound_on_shear(void **state) {
    (void)state;
    static const double cosines[] = {0.5e-4, 0.95e-4, 1.05e-4, 2e-4};
    for (uint32_t i = 0; i < 4; i++) {
        test_scene scene;
        scene_start(&scene, scene_single_joint(), 1, 0);
        scene_add_pose(&scene, 0);
        scene_add_pose(&scene, 1);
        scene_add_pose_node(&scene, 0);
        scene_add_pose_node(&scene, 1);
        const double eighth[4] = {0.0, 0.0, 0.38268343236508977, 0.9238795325112867};
        const double scale[3] = {1.0, 1.0 + cosines[i], 1.0};
        set(&scene, 1, 0, 0, 3, eighth, 4);
        set(&scene, 0, 0, 0, 7, scale, 3);
        scene_add(&scene, LMB_OP_MAKE_ADDITIVE, 0, 1)->form = LMB_FORM_AFFINE;
        scene_run(&scene);
        assert_int_equal(scene.refused[LMB_REFUSED_SHEAR], i < 2 ? 0 : 1);
        scene_end(&scene);
    }
}

// ---- In model space. ----

// Random poses 0 (a) and 1 (r) on a tree, with their additive in model space. add_model() applies it to a base.
static void start_model(test_scene *scene, scene_shape shape, uint32_t joints, uint64_t seed) {
    random_source source = {seed};
    scene_start(scene, scene_rig(joints, shape, seed), CHARACTERS, 1);
    for (uint32_t pose = 0; pose < 3; pose++) {
        scene_fill_pose(scene, pose, &source);
        scene_add_pose_node(scene, pose);
    }
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        *scene_parameter(scene, character, 0) = (float)character / (CHARACTERS - 1);
    }
    scene_add(scene, LMB_OP_MAKE_ADDITIVE, 0, 1)->space = LMB_SPACE_MODEL;
}

static lmb_node_def *add_model(test_scene *scene, uint32_t base, uint32_t difference) {
    lmb_node_def *node = scene_add(scene, LMB_OP_ADDITIVE, base, difference);
    node->space = LMB_SPACE_MODEL;
    node->weight = lmb_parameter(0);
    return node;
}

static void model_space_differences_and_additives(void **state) {
    (void)state;
    static const struct {
        scene_shape shape;
        uint32_t joints;
        double rotation;
    } rigs[] = {{SCENE_TREE, JOINTS, 5e-6}, {SCENE_CHAIN, 60, 2e-5}, {SCENE_WIDE, 9, 2e-6}, {SCENE_CHAIN, 1, 1e-6}};
    for (size_t i = 0; i < sizeof rigs / sizeof rigs[0]; i++) {
        for (int adds = 0; adds < 2; adds++) {
            test_scene scene;
            start_model(&scene, rigs[i].shape, rigs[i].joints, 110 + i);
            if (adds != 0) {
                add_model(&scene, 2, 3);
            }
            char title[64];
            snprintf(title, sizeof title, "model space, %u joints", rigs[i].joints);
            scene_run_all_paths(&scene);
            scene_compare_local(&scene, title, bounds_of(20.0, rigs[i].rotation));
            scene_end(&scene);
        }
    }
}

static void model_space_of_any_choice(void **state) {
    (void)state;
    for (int choice = 0; choice < 2 * LMB_MIX_COUNT; choice++) {
        test_scene scene;
        start_model(&scene, SCENE_TREE, JOINTS, 120 + (uint64_t)choice);
        lmb_node_def *node = add_model(&scene, 2, 3);
        set_choice(&scene, node, choice);
        node->form = choice % 4 == 0 ? LMB_FORM_PARENT : LMB_FORM_LOCAL;
        scene_bounds bounds = bounds_of(100.0, choice % 2 == 0 ? 1e-5 : 1e-4);
        bounds.scale = 2e-5;
        scene_run_all_paths(&scene);
        scene_compare_local(&scene, "model space, any weight", bounds);
        scene_end(&scene);
    }
}

// r + (a - r) is a, if the base is the additive's reference and the weight is 1.
static void model_space_gives_the_source_back(void **state) {
    (void)state;
    test_scene scene;
    start_model(&scene, SCENE_TREE, JOINTS, 130);
    add_model(&scene, 1, 3)->weight = lmb_constant(1.0f);
    scene_run_all_paths(&scene);
    double largest = 0.0;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            double dot = 0.0, error[LMB_POSE_COMPONENTS];
            for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                const double in = (double)*scene_component(&scene, scene.poses[0], character, joint, i);
                const double out =
                    (double)*scene_component(&scene, scene.buffers[LMB_OUTPUT_LOCAL], character, joint, i);
                dot += i >= 3 && i < 7 ? in * out : 0.0;
                error[i] = i >= 3 && i < 7 ? 0.0 : fabs(in - out) / fmax(10.0, fabs(in));
                largest = fmax(largest, error[i]);
            }
            largest = fmax(largest, 1.0 - fabs(dot));
        }
    }
    print_message("model space, from the source: %.2g\n", largest);
    assert_true(largest <= 2e-6);
    scene_end(&scene);
}

// One inside another, at every input, and next to operations that read other joints.
static void model_space_inside_model_space(void **state) {
    (void)state;
    enum { FEW = 13 };
    uint32_t partners[FEW];
    for (uint32_t i = 0; i < FEW; i++) {
        partners[i] = i;
    }
    const lmb_mirror_def mirror = {.axis = LMB_AXIS_X, .partners = partners};
    for (int way = 0; way < 6; way++) {
        test_scene scene;
        start_model(&scene, SCENE_TREE, FEW, 140);
        scene.mirrors = &mirror;
        scene.mirror_count = 1;
        add_model(&scene, 2, 3); // node 4
        if (way == 0) {          // two in sequence share the base's ancestors
            add_model(&scene, 4, 3);
            add_model(&scene, 5, 3);
        } else if (way == 1) { // as the added input
            add_model(&scene, 1, 4);
        } else if (way == 2) { // an additive made of it
            scene_add(&scene, LMB_OP_MAKE_ADDITIVE, 4, 1)->space = LMB_SPACE_MODEL;
        } else if (way == 3) { // below a blend
            scene_add(&scene, LMB_OP_BLEND, 4, 0)->weight = lmb_parameter(0);
            add_model(&scene, 5, 3);
        } else if (way == 4) { // inside a mirror, and around one
            scene_add(&scene, LMB_OP_MIRROR, 4, LMB_NONE);
            scene_add(&scene, LMB_OP_MAKE_ADDITIVE, 5, 1)->space = LMB_SPACE_MODEL;
        } else { // around sums
            lmb_node_def *node = scene_add(&scene, LMB_OP_WEIGHTED, 0, 1);
            node->weights[0] = lmb_parameter(0);
            add_model(&scene, 5, 3);
        }
        char title[64];
        snprintf(title, sizeof title, "model space inside model space, %d", way);
        scene_run_all_paths(&scene);
        scene_compare_local(&scene, title, bounds_of(100.0, 2e-5));
        scene_end(&scene);
    }
}

// Each joint counts a refusal of its own once, however many descendants evaluate it.
static void ancestors_count_once(void **state) {
    (void)state;
    for (int way = 0; way < 3; way++) {
        test_scene scene;
        start_model(&scene, SCENE_CHAIN, JOINTS, 150);
        *scene_component(&scene, scene.poses[0], 2, 0, 0) = NAN;
        *scene_component(&scene, scene.poses[0], 5, 7, 4) = INFINITY;
        *scene_component(&scene, scene.poses[2], 66, 3, 9) = NAN;
        *scene_parameter(&scene, 9, 0) = NAN;
        if (way > 0) {
            add_model(&scene, 2, 3);
        }
        if (way > 1) {
            scene_add(&scene, LMB_OP_MAKE_ADDITIVE, 4, 1)->space = LMB_SPACE_MODEL;
        }
        scene_run_all_paths(&scene);
        assert_int_equal(scene.refused[LMB_REFUSED_POSE], way > 0 ? 3 : 2);
        assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], way > 0 ? 1 : 0);
        scene_end(&scene);
    }
}

static void what_model_space_does_not_take(void **state) {
    (void)state;
    test_scene scene;
    start_model(&scene, SCENE_TREE, JOINTS, 160);
    lmb_error error;
    lmb_graph_def def = {.rig = scene.rig, .nodes = scene.nodes, .parameter_count = 1};
    def.node_count = scene.node_count;
    scene.nodes[3].form = LMB_FORM_AFFINE;
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_ARGUMENT,
                  "node 3 (make-additive): space: the affine form has no model space");
    scene.nodes[3].form = LMB_FORM_LOCAL;
    scene.nodes[3].space = LMB_SPACE_COUNT;
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_ARGUMENT, "node 3 (make-additive): space: unknown");
    scene.nodes[3].space = LMB_SPACE_MODEL;
    assert_int_equal(lmb_graph_check(&def, &error), LMB_OK);
    scene_end(&scene);
}

// An additive is added as it was made, also through other operations.
static void another_form_is_refused(void **state) {
    (void)state;
    static const struct {
        lmb_form made;
        lmb_space made_in;
        lmb_form added;
        lmb_space added_in;
        const char *message;
    } rows[] = {
        {LMB_FORM_PARENT, LMB_SPACE_LOCAL, LMB_FORM_PARENT, LMB_SPACE_LOCAL, NULL},
        {LMB_FORM_PARENT, LMB_SPACE_MODEL, LMB_FORM_LOCAL, LMB_SPACE_MODEL, NULL},
        {LMB_FORM_PARENT, LMB_SPACE_LOCAL, LMB_FORM_LOCAL, LMB_SPACE_LOCAL,
         "form: LMB_FORM_LOCAL, and what it adds was made with LMB_FORM_PARENT; give both nodes the same"},
        {LMB_FORM_AFFINE, LMB_SPACE_LOCAL, LMB_FORM_PARENT, LMB_SPACE_LOCAL,
         "form: LMB_FORM_PARENT, and what it adds was made with LMB_FORM_AFFINE; give both nodes the same"},
        {LMB_FORM_LOCAL, LMB_SPACE_LOCAL, LMB_FORM_LOCAL, LMB_SPACE_MODEL,
         "space: LMB_SPACE_MODEL, and what it adds was made with LMB_FORM_LOCAL; give both nodes the same"},
        {LMB_FORM_LOCAL, LMB_SPACE_MODEL, LMB_FORM_LOCAL, LMB_SPACE_LOCAL,
         "space: LMB_FORM_LOCAL, and what it adds was made with LMB_SPACE_MODEL; give both nodes the same"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int inside = 0; inside < 3; inside++) { // directly; in a scale; in a difference, which has its own form
            test_scene scene;
            start_model(&scene, SCENE_TREE, JOINTS, 170);
            scene.nodes[3].form = rows[i].made;
            scene.nodes[3].space = rows[i].made_in;
            if (inside > 0) {
                scene_add(&scene, inside == 1 ? LMB_OP_SCALE : LMB_OP_SUBTRACT, 3, inside == 1 ? LMB_NONE : 3);
            }
            lmb_node_def *node = scene_add(&scene, LMB_OP_ADDITIVE, 2, inside > 0 ? 4 : 3);
            node->form = rows[i].added;
            node->space = rows[i].added_in;
            const lmb_graph_def def = {
                .rig = scene.rig, .nodes = scene.nodes, .node_count = scene.node_count, .parameter_count = 1};
            lmb_error error;
            if (rows[i].message == NULL || inside == 2) {
                assert_int_equal(lmb_graph_check(&def, &error), LMB_OK);
            } else {
                char message[200];
                snprintf(message, sizeof message, "node %d (additive): %s", inside > 0 ? 5 : 4, rows[i].message);
                CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_ARGUMENT, message);
            }
            scene_end(&scene);
        }
    }
}

// At most 64 poses are exchanged, which means read at other joints: in sequence, and as inputs of one node.
static void exchanges_have_a_limit(void **state) {
    (void)state;
    enum { MOST = LMB_MAX_EXCHANGES, SIDES = LMB_MAX_INPUTS };
    const uint32_t itself = 0;
    const lmb_mirror_def mirror = {.axis = LMB_AXIS_X, .partners = &itself};
    lmb_rig *rig = scene_single_joint();
    lmb_node_def nodes[MOST + 2];
    for (uint32_t i = 0; i < MOST + 2; i++) {
        nodes[i] = lmb_default_node_def();
        nodes[i].op = i > 0 ? LMB_OP_MIRROR : LMB_OP_REST;
        nodes[i].input_count = i > 0;
        nodes[i].inputs[0] = i > 0 ? i - 1 : 0;
    }
    lmb_error error;
    lmb_graph *graph = NULL;
    lmb_graph_def def = {.rig = rig, .nodes = nodes, .node_count = MOST + 1, .mirrors = &mirror, .mirror_count = 1};
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, &error), LMB_OK);
    assert_int_equal(lmb_graph_get_info(graph)->exchange_count, MOST);
    lmb_graph_destroy(graph);
    def.node_count = MOST + 2;
    CHECK_REFUSAL(lmb_graph_check(&def, &error), &error, LMB_ERROR_LIMIT,
                  "more than 64 poses that are read at other joints");
    for (uint32_t i = 1; i <= SIDES; i++) {
        nodes[i].inputs[0] = 0;
        nodes[SIDES + 1].inputs[i - 1] = i;
    }
    nodes[SIDES + 1].op = LMB_OP_WEIGHTED;
    nodes[SIDES + 1].input_count = SIDES;
    def.node_count = SIDES + 2;
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, &error), LMB_OK);
    assert_int_equal(lmb_graph_get_info(graph)->exchange_count, SIDES);
    lmb_graph_destroy(graph);
    lmb_rig_destroy(rig);
}

// Adds an additive by a parameter's weight, and again by its negative.
static void add_and_take_back(test_scene *scene, lmb_mix mix, lmb_form form, lmb_space space) {
    random_source source = {110};
    scene_start(scene, scene_rig(JOINTS, SCENE_TREE, 110), CHARACTERS, 2);
    for (uint32_t pose = 0; pose < 2; pose++) {
        scene_fill_pose(scene, pose, &source);
        scene_add_pose_node(scene, pose);
    }
    for (uint32_t i = 0; i < 2; i++) {
        lmb_node_def *node = scene_add(scene, LMB_OP_ADDITIVE, i == 0 ? 0 : 2, 1);
        node->weight = lmb_parameter(i);
        node->unclamped = true;
        node->interpolation = mix;
        node->form = form;
        node->space = space;
    }
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        const float weight = (float)character / (CHARACTERS - 1) * 8.0f - 4.0f;
        *scene_parameter(scene, character, 0) = weight;
        *scene_parameter(scene, character, 1) = -weight;
    }
    scene_run(scene);
}

// Returns the largest difference of a local output from the base, with scales relative to it. Of two quaternions of one
// rotation, the nearer counts.
static double largest_rest(const test_scene *scene, uint32_t first, uint32_t count) {
    double largest = 0.0;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            double apart = 0.0, turned = 0.0;
            for (uint32_t i = first; i < first + count; i++) {
                const double a = (double)*scene_component(scene, scene->poses[0], character, joint, i);
                const double b = (double)*scene_component(scene, scene->buffers[LMB_OUTPUT_LOCAL], character, joint, i);
                const double unit = first == 7 ? fabs(a) : 1.0;
                apart = fmax(apart, fabs(a - b) / unit);
                turned = fmax(turned, fabs(a + b) / unit);
            }
            largest = fmax(largest, count == 4 ? fmin(apart, turned) : apart);
        }
    }
    return largest;
}

static void a_negative_weight_takes_a_slerp_back(void **state) {
    (void)state;
    for (int choice = 0; choice < 3; choice++) {
        const lmb_form form = choice == 1 ? LMB_FORM_PARENT : LMB_FORM_LOCAL;
        const lmb_space space = choice == 2 ? LMB_SPACE_MODEL : LMB_SPACE_LOCAL;
        for (lmb_mix mix = LMB_MIX_SLERP; mix <= LMB_MIX_LERP; mix++) {
            test_scene scene;
            add_and_take_back(&scene, mix, form, space);
            const double translation = largest_rest(&scene, 0, 3), rotation = largest_rest(&scene, 3, 4);
            const double scale = largest_rest(&scene, 7, 3);
            print_message("mix %d, choice %d: left are %.2g, %.2g, %.2g\n", (int)mix, choice, translation, rotation,
                          scale);
            // Translations of up to 10, and 4 times as much is added.
            assert_true(translation <= 1e-6 * 50.0);
            assert_true(mix == LMB_MIX_SLERP ? rotation <= 1e-5 : rotation > 0.1);
            assert_true(mix == LMB_MIX_LERP ? scale > 0.1 : scale <= 1e-5);
            scene_end(&scene);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weighted_by_choice),
        cmocka_unit_test(slerp_of_two_is_a_blend),
        cmocka_unit_test(order_matters_to_slerp_alone),
        cmocka_unit_test(affine_differences_and_additives),
        cmocka_unit_test(affine_of_any_weight),
        cmocka_unit_test(what_shears_is_refused),
        cmocka_unit_test(a_negative_weight_takes_a_slerp_back),
        cmocka_unit_test(the_bound_on_shear),
        cmocka_unit_test(model_space_differences_and_additives),
        cmocka_unit_test(model_space_of_any_choice),
        cmocka_unit_test(model_space_gives_the_source_back),
        cmocka_unit_test(model_space_inside_model_space),
        cmocka_unit_test(ancestors_count_once),
        cmocka_unit_test(what_model_space_does_not_take),
        cmocka_unit_test(another_form_is_refused),
        cmocka_unit_test(exchanges_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
