// The weighted blend of matrices: against float64, bit-exact where that follows, and refused definitions.
#include "refusal.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define JOINTS 9u
#define CHARACTERS 96u
#define INPUTS 3u

// Three random poses. Each character has its own weights: random ones, all 0, or a single 1.
static void start(test_scene *scene, random_source *source) {
    scene_start(scene, scene_rig(JOINTS, SCENE_TREE, 61), CHARACTERS, INPUTS);
    for (uint32_t i = 0; i < INPUTS; i++) {
        scene_fill_pose(scene, i, source);
        scene_add_pose_node(scene, i);
    }
    lmb_node_def *node = scene_add(scene, LMB_OP_WEIGHTED_MATRIX, 0, 1);
    node->input_count = INPUTS;
    for (uint32_t i = 0; i < INPUTS; i++) {
        node->inputs[i] = i;
        node->weights[i] = lmb_parameter(i);
    }
    for (uint32_t i = 0; i < CHARACTERS * INPUTS; i++) {
        const uint32_t draw = random_below(source, 4);
        scene->parameters[i] = draw == 0 ? 0.0f : (float)random_between(source, 0.0, draw == 1 ? 1000.0 : 1.0);
    }
    for (uint32_t i = 0; i < INPUTS; i++) {
        scene->parameters[i] = 0.0f;                       // the first character has no weight
        scene->parameters[INPUTS + i] = i == 1 ? 1.0f : 0; // the second has only its second pose
    }
}

static oracle_affine local_of(const test_scene *scene, float *pose, uint32_t character, uint32_t joint) {
    oracle_transform t;
    t.weight = 255.0;
    double square = 0.0;
    for (uint32_t i = 0; i < 3; i++) {
        t.translation[i] = (double)*scene_component(scene, pose, character, joint, i);
        t.scale[i] = (double)*scene_component(scene, pose, character, joint, 7 + i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        t.rotation[i] = (double)*scene_component(scene, pose, character, joint, 3 + i);
        square += t.rotation[i] * t.rotation[i];
    }
    for (uint32_t i = 0; i < 4; i++) {
        t.rotation[i] /= sqrt(square);
    }
    return oracle_affine_from_transform(&t);
}

// Returns the sum of w M over the sum of w, and for the bound the largest element of rotation and scale (0) and of
// translation (1).
static oracle_affine blend(const test_scene *scene, uint32_t character, uint32_t joint, double largest[2]) {
    oracle_affine sum = {{{0}}};
    double weights = 0.0;
    largest[0] = largest[1] = 0.0;
    for (uint32_t i = 0; i < INPUTS; i++) {
        const double weight = (double)scene->parameters[character * INPUTS + i];
        const oracle_affine m = local_of(scene, scene->poses[i], character, joint);
        weights += weight;
        for (int k = 0; k < 12; k++) {
            sum.m[k / 4][k % 4] += weight * m.m[k / 4][k % 4];
            largest[k % 4 / 3] = fmax(largest[k % 4 / 3], fabs(m.m[k / 4][k % 4]));
        }
    }
    for (int k = 0; k < 12; k++) {
        sum.m[k / 4][k % 4] /= weights;
    }
    return sum;
}

static const float *model_of(const test_scene *scene, uint32_t character, uint32_t joint) {
    return scene->buffers[LMB_OUTPUT_MODEL] + (size_t)(character * JOINTS + joint) * LMB_MATRIX_COMPONENTS;
}

static void sums_of_elements(void **state) {
    (void)state;
    random_source source = {7};
    test_scene scene;
    start(&scene, &source);
    scene_run(&scene);
    double worst = 0.0, sheared = 0.0;
    for (uint32_t character = 1; character < CHARACTERS; character++) {
        double weights = 0.0;
        for (uint32_t i = 0; i < INPUTS; i++) {
            weights += (double)scene.parameters[character * INPUTS + i];
        }
        if (weights == 0.0) {
            continue;
        }
        double largest[2];
        const oracle_affine own = blend(&scene, character, 0, largest); // a root: its model matrix is its local matrix
        const float *model = model_of(&scene, character, 0);
        for (int k = 0; k < 12; k++) {
            worst = fmax(worst, fabs((double)model[k] - own.m[k / 4][k % 4]) / largest[k % 4 / 3]);
        }
        double dot = 0.0, a = 0.0, b = 0.0;
        for (int row = 0; row < 3; row++) {
            dot += own.m[row][0] * own.m[row][1];
            a += own.m[row][0] * own.m[row][0];
            b += own.m[row][1] * own.m[row][1];
        }
        sheared = fmax(sheared, fabs(dot) / sqrt(a * b));
    }
    printf("largest error %.2g of the largest element of its kind; axes up to cosine %.2f\n", worst, sheared);
    assert_true(worst <= 1e-6);
    assert_true(sheared > 0.3); // otherwise a transform would suffice
    scene_end(&scene);
}

// Children are compared with float64 products of the expected matrices of each joint.
static void children_follow(void **state) {
    (void)state;
    random_source source = {8};
    test_scene scene;
    start(&scene, &source);
    scene_run(&scene);
    for (uint32_t character = 2; character < CHARACTERS; character++) {
        for (uint32_t joint = 1; joint < JOINTS; joint++) {
            const uint32_t parent = lmb_rig_get_def(scene.rig)->joints[joint].parent;
            double largest[2];
            const oracle_affine own = blend(&scene, character, joint, largest);
            oracle_affine above = {{{0}}};
            if (!isfinite(own.m[0][0])) {
                continue; // no weight
            }
            const float *found = model_of(&scene, character, joint);
            for (int k = 0; k < 12; k++) {
                above.m[k / 4][k % 4] = (double)model_of(&scene, character, parent)[k];
            }
            const oracle_affine expected = oracle_affine_multiply(&above, &own);
            for (int k = 0; k < 12; k++) {
                double size = k % 4 == 3 ? fabs(above.m[k / 4][3]) : 0.0; // of the sum of an element
                for (int i = 0; i < 3; i++) {
                    size += fabs(above.m[k / 4][i]) * largest[k % 4 / 3];
                }
                assert_true(fabs((double)found[k] - expected.m[k / 4][k % 4]) <= 2e-6 * size);
            }
        }
    }
    scene_end(&scene);
}

// A single input gives that pose's matrices to the bit, and no weight at all gives those of the rest pose, on every
// path.
static void alone_and_none(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        random_source source = {9};
        test_scene scene, other;
        start(&scene, &source);
        random_source again = {9};
        start(&other, &again);
        other.nodes[other.node_count - 1] = lmb_default_node_def();
        if (kind == 1) {
            other.nodes[other.node_count - 1] = other.nodes[1];
        }
        scene_run(&scene);
        scene_run(&other);
        const size_t first = kind == 0 ? 0 : (size_t)JOINTS * LMB_MATRIX_COMPONENTS;
        for (int output = LMB_OUTPUT_MODEL; output <= LMB_OUTPUT_PALETTE; output++) {
            assert_memory_equal(scene.buffers[output] + first, other.buffers[output] + first,
                                JOINTS * LMB_MATRIX_COMPONENTS * sizeof(float));
        }
        scene_end(&scene);
        scene_end(&other);
    }
}

static void every_path_has_the_same_bits(void **state) {
    (void)state;
    static const uint8_t max_lods[JOINTS] = {7, 5, 5, 3, 3, 2, 1, 1, 0};
    for (int detail = 0; detail < 2; detail++) {
        random_source source = {10};
        test_scene scene;
        start(&scene, &source);
        uint8_t levels[JOINTS];
        for (uint32_t i = 0; i < JOINTS; i++) {
            const uint32_t parent = lmb_rig_get_def(scene.rig)->joints[i].parent;
            levels[i] = parent == LMB_NONE ? 7 : max_lods[i] < levels[parent] ? max_lods[i] : levels[parent];
        }
        if (detail == 1) {
            scene.max_lods = levels;
            scene.lod = lmb_parameter(0); // also above 7; mostly below 1
        }
        scene_run_all_paths(&scene);
        scene_end(&scene);
    }
}

static void matrices_are_no_poses(void **state) {
    (void)state;
    lmb_rig *rig = scene_rig(3, SCENE_CHAIN, 3);
    lmb_node_def nodes[4] = {lmb_default_node_def(), lmb_default_node_def(), lmb_default_node_def(),
                             lmb_default_node_def()};
    nodes[1].op = LMB_OP_WEIGHTED_MATRIX;
    nodes[1].input_count = 2;
    nodes[2].op = LMB_OP_BLEND;
    nodes[2].input_count = 2;
    nodes[2].inputs[1] = 1;
    lmb_graph_def def = {.rig = rig, .nodes = nodes, .node_count = 3};
    lmb_graph *program = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_graph_create(&def, NULL, &program, &error), &error, LMB_ERROR_ARGUMENT,
                  "node 2 (blend): inputs: a blend of matrices is no pose");
    nodes[1].input_count = 1;
    def.node_count = 2;
    CHECK_REFUSAL(lmb_graph_create(&def, NULL, &program, &error), &error, LMB_ERROR_ARGUMENT,
                  "node 1 (weighted-matrix): inputs: this operation has 2 to 16");
    nodes[1].input_count = 2;
    assert_int_equal(lmb_graph_create(&def, NULL, &program, &error), LMB_OK);
    const uint32_t none = LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_DUAL_QUATERNIONS_BIT;
    assert_int_equal(lmb_graph_get_info(program)->outputs, ((1u << LMB_OUTPUT_COUNT) - 1) & ~none);
    lmb_batch_def batch = {program, 1, LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_LOCAL_BIT};
    CHECK_REFUSAL(lmb_batch_check(&batch, &error), &error, LMB_ERROR_ARGUMENT,
                  "outputs 0x5 have local, and the graph ends as matrices");
    batch.outputs = LMB_OUTPUT_DUAL_QUATERNIONS_BIT;
    CHECK_REFUSAL(lmb_batch_check(&batch, &error), &error, LMB_ERROR_ARGUMENT, "have dual quaternions");
    batch.outputs = lmb_graph_get_info(program)->outputs;
    assert_int_equal(lmb_batch_check(&batch, &error), LMB_OK);
    lmb_graph_destroy(program);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_elements),      cmocka_unit_test(children_follow),
        cmocka_unit_test(alone_and_none),        cmocka_unit_test(every_path_has_the_same_bits),
        cmocka_unit_test(matrices_are_no_poses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
