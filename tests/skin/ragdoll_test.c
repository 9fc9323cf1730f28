// Local transforms of a ragdoll's bodies against the formula in float64; joints without bodies; matrices that have no
// such transform; invalid calls.
#include "ragdoll_scene.h"

#include <math.h>
#include <stdlib.h>

typedef struct axes {
    double m[3][4];
} axes;

static axes axes_of(const float *matrix) {
    axes a;
    for (int i = 0; i < 12; i++) {
        a.m[i / 4][i % 4] = (double)matrix[i];
    }
    return a;
}

static axes product(const axes *a, const axes *b) {
    axes c;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            c.m[row][column] = column == 3 ? a->m[row][3] : 0.0;
            for (int k = 0; k < 3; k++) {
                c.m[row][column] += a->m[row][k] * b->m[k][column];
            }
        }
    }
    return c;
}

// By cofactors.
static axes inverse(const axes *a) {
    const double(*m)[4] = a->m;
    axes b;
    double determinant = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            b.m[k][i] = m[i1][k1] * m[i2][k2] - m[i1][k2] * m[i2][k1];
        }
        determinant += m[0][i] * b.m[i][0];
    }
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            b.m[row][column] /= determinant;
        }
    }
    for (int row = 0; row < 3; row++) {
        b.m[row][3] = -(b.m[row][0] * m[0][3] + b.m[row][1] * m[1][3] + b.m[row][2] * m[2][3]);
    }
    return b;
}

// Rotation (columns) by Gram-Schmidt, and the scale along it.
static void decompose(const axes *a, double rotation[3][3], double scale[3]) {
    double column[3][3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            column[k][i] = a->m[i][k];
        }
    }
    for (int k = 0; k < 2; k++) {
        double along =
            k == 1 ? column[1][0] * rotation[0][0] + column[1][1] * rotation[0][1] + column[1][2] * rotation[0][2]
                   : 0.0;
        double square = 0.0;
        for (int i = 0; i < 3; i++) {
            rotation[k][i] = column[k][i] - (k == 1 ? along * rotation[0][i] : 0.0);
            square += rotation[k][i] * rotation[k][i];
        }
        for (int i = 0; i < 3; i++) {
            rotation[k][i] /= sqrt(square);
        }
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        rotation[2][i] = rotation[0][j] * rotation[1][k] - rotation[0][k] * rotation[1][j];
    }
    for (int k = 0; k < 3; k++) {
        scale[k] = column[k][0] * rotation[k][0] + column[k][1] * rotation[k][1] + column[k][2] * rotation[k][2];
    }
}

// A transform of a pose buffer as a rotation matrix by columns.
static void rotation_of(const float *pose, uint32_t joint, double rotation[3][3]) {
    const double x = (double)pose[3 * RAGDOLL_JOINTS + joint], y = (double)pose[4 * RAGDOLL_JOINTS + joint],
                 z = (double)pose[5 * RAGDOLL_JOINTS + joint], w = (double)pose[6 * RAGDOLL_JOINTS + joint];
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                            {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                            {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(rotation, m, sizeof m);
}

typedef struct worst {
    double rotation, translation, scale;
} worst;

// The largest differences of a joint from the formula.
static void compare_joint(const axes *local, const float *pose, uint32_t joint, worst *worst) {
    double expected[3][3], scale[3], actual[3][3];
    decompose(local, expected, scale);
    rotation_of(pose, joint, actual);
    for (int i = 0; i < 9; i++) {
        worst->rotation = fmax(worst->rotation, fabs(actual[i / 3][i % 3] - expected[i / 3][i % 3]));
    }
    for (uint32_t i = 0; i < 3; i++) {
        const double moved = (double)pose[i * RAGDOLL_JOINTS + joint];
        worst->translation = fmax(worst->translation, fabs(moved - local->m[i][3]));
        worst->scale = fmax(worst->scale, fabs((double)pose[(7 + i) * RAGDOLL_JOINTS + joint] - scale[i]));
    }
}

static double largest_of(const float *values, size_t count) {
    double largest = 1.0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs((double)values[i]));
    }
    return largest;
}

static double scale_of(const axes *a) {
    return sqrt(a->m[0][0] * a->m[0][0] + a->m[1][0] * a->m[1][0] + a->m[2][0] * a->m[2][0]);
}

// Every joint has a body. Each is compared with the formula on the same matrices, relative to what the header says.
static void bodies_follow_the_formula(void **state) {
    (void)state;
    ragdoll_scene scene = ragdoll_scene_create(200, RAGDOLL_USUAL, 1);
    const lmb_ragdoll_info info = ragdoll_scene_info(&scene, LMB_NONE, false);
    assert_int_equal(lmb_ragdoll_run(&info, NULL), LMB_OK);
    worst most = {0};
    for (uint32_t character = 0; character < scene.character_count; character++) {
        const float *models = scene.models + character * scene.model_floats;
        for (uint32_t joint = 0; joint < RAGDOLL_JOINTS; joint++) {
            const uint32_t parent = lmb_rig_get_def(scene.rig)->joints[joint].parent;
            axes local = axes_of(models + joint * 12);
            double scale = 1.0;
            if (parent != LMB_NONE) {
                const axes above = axes_of(models + parent * 12), up = inverse(&above);
                local = product(&up, &local);
                scale = scale_of(&above);
            }
            worst found = {0};
            compare_joint(&local, scene.poses + character * scene.pose_floats, joint, &found);
            const double unit = largest_of(models, scene.model_floats) / scale;
            most.rotation = fmax(most.rotation, found.rotation);
            most.translation = fmax(most.translation, found.translation / unit);
            most.scale = fmax(most.scale, found.scale / unit);
        }
    }
    print_message("largest errors: rotation %.2g, translation %.2g, scale %.2g\n", most.rotation, most.translation,
                  most.scale);
    assert_true(most.rotation < 2e-6); // of elements of the matrix: twice that of components
    assert_true(most.translation < 1e-6 && most.scale < 1e-6);
    for (uint32_t i = 0; i < LMB_REFUSAL_COUNT; i++) {
        assert_int_equal(scene.refused[i], 0);
    }
    for (uint32_t i = 0; i < RAGDOLL_CHANNELS; i++) {
        assert_true(scene.poses[LMB_POSE_COMPONENTS * RAGDOLL_JOINTS + i] == (float)i + 0.5f);
    }
    ragdoll_scene_destroy(&scene);
}

// Bodies that are where the animation has them give the animation back. Joints without a body have its bits, and model
// matrices that follow their parents.
static void joints_without_bodies_follow(void **state) {
    (void)state;
    ragdoll_scene scene = ragdoll_scene_create(50, RAGDOLL_USUAL, 2);
    float *models = malloc(scene.character_count * scene.model_floats * sizeof(float));
    assert_non_null(models);
    memcpy(models, scene.models, scene.character_count * scene.model_floats * sizeof(float));
    for (size_t i = 0; i < scene.character_count * scene.model_floats; i++) {
        if (ragdoll_mask[i / 12 % RAGDOLL_JOINTS] == 0) {
            scene.models[i] = NAN; // written before it is read
        }
    }
    const lmb_ragdoll_info info = ragdoll_scene_info(&scene, 0, true);
    assert_int_equal(lmb_ragdoll_run(&info, NULL), LMB_OK);
    for (uint32_t character = 0; character < scene.character_count; character++) {
        const float *animated = scene.animated + character * scene.pose_floats;
        const float *pose = scene.poses + character * scene.pose_floats;
        for (uint32_t joint = 0; joint < RAGDOLL_JOINTS; joint++) {
            double expected[3][3], actual[3][3];
            rotation_of(animated, joint, expected);
            rotation_of(pose, joint, actual);
            for (int i = 0; i < 9; i++) {
                assert_true(fabs(actual[i / 3][i % 3] - expected[i / 3][i % 3]) < 2e-5);
            }
            for (uint32_t i = 0; i < 3; i++) {
                const uint32_t t = i * RAGDOLL_JOINTS + joint, s = (7 + i) * RAGDOLL_JOINTS + joint;
                assert_true(fabsf(pose[t] - animated[t]) < 1e-4f && fabsf(pose[s] - animated[s]) < 1e-4f);
                assert_true(ragdoll_mask[joint] != 0 || (pose[t] == animated[t] && pose[s] == animated[s]));
            }
        }
        for (size_t i = 0; i < scene.model_floats; i++) {
            const size_t at = character * scene.model_floats + i;
            assert_true(fabsf(scene.models[at] - models[at]) < 1e-3f);
        }
        assert_memory_equal(pose + LMB_POSE_COMPONENTS * RAGDOLL_JOINTS,
                            animated + LMB_POSE_COMPONENTS * RAGDOLL_JOINTS, RAGDOLL_CHANNELS * sizeof(float));
    }
    assert_int_equal(scene.refused[LMB_REFUSED_POSE], 0);
    free(models);
    ragdoll_scene_destroy(&scene);
}

static void set_matrix(float *matrix, const float linear[9]) {
    for (int i = 0; i < 9; i++) {
        matrix[i / 3 * 4 + i % 3] = linear[i];
    }
}

// Joint 0 is a root. It gets matrices of which some have no transform.
static void edges_are_those_of_the_header(void **state) {
    (void)state;
    static const struct {
        float linear[9], scale[3];
        uint32_t refused;
    } cases[] = {
        {{2, 0, 0, 0, 3, 0, 0, 0, 4}, {2, 3, 4}, 0},        {{2, 0, 0, 0, 3, 0, 0, 0, -4}, {2, 3, -4}, 0}, // mirrored
        {{-2, 0, 0, 0, 3, 0, 0, 0, 4}, {2, 3, -4}, 0}, // the same, turned
        {{2, 1, 1, 0, 3, 1, 0, 0, 4}, {2, 3, 4}, 0},   // shear is dropped
        {{0, 0, 0, 0, 3, 0, 0, 0, 4}, {0, 3, 4}, 0},   // two directions are left
        {{0, 0, 0, 0, 3, 0, 0, 0, 0}, {1, 1, 1}, 1},   // one is
        {{1, 0, 0, 0, INFINITY, 0, 0, 0, 1}, {1, 1, 1}, 1},
    };
    ragdoll_scene scene = ragdoll_scene_create(1, RAGDOLL_USUAL, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_matrix(scene.models, cases[i].linear);
        memset(scene.refused, 0, sizeof scene.refused);
        lmb_ragdoll_info info = ragdoll_scene_info(&scene, LMB_NONE, false);
        assert_int_equal(lmb_ragdoll_run(&info, NULL), LMB_OK);
        for (uint32_t k = 0; k < 3; k++) {
            assert_true(fabsf(scene.poses[(7 + k) * RAGDOLL_JOINTS] - cases[i].scale[k]) < 1e-6f);
        }
        if (cases[i].refused > 0) { // it is the rest pose
            const lmb_transform rest = lmb_rig_get_def(scene.rig)->joints[0].rest;
            for (uint32_t k = 0; k < 4; k++) {
                assert_true(scene.poses[(3 + k) * RAGDOLL_JOINTS] == rest.rotation[k]);
            }
        }
        assert_true(scene.refused[LMB_REFUSED_POSE] >= cases[i].refused);
    }
    ragdoll_scene_destroy(&scene);
}

// A flat matrix and an animated transform that is not valid are counted.
static void refusals_are_counted(void **state) {
    (void)state;
    ragdoll_scene scene = ragdoll_scene_create(1, RAGDOLL_USUAL, 4);
    bool is_below[RAGDOLL_JOINTS] = {true}; // the flat joint, whose matrix those below it inherit
    uint32_t below = 0;
    for (uint32_t i = 1; i < RAGDOLL_JOINTS; i++) {
        const uint32_t parent = lmb_rig_get_def(scene.rig)->joints[i].parent;
        is_below[i] = parent != LMB_NONE && is_below[parent];
        below += is_below[i];
    }
    assert_true(below > 0);
    set_matrix(scene.models, (const float[9]){1, 0, 0, 0, 1, 0, 0, 0, 0});
    scene.animated[3 * RAGDOLL_JOINTS] = scene.animated[4 * RAGDOLL_JOINTS] = scene.animated[5 * RAGDOLL_JOINTS] =
        scene.animated[6 * RAGDOLL_JOINTS] = 0.0f;
    const lmb_ragdoll_info info = ragdoll_scene_info(&scene, LMB_NONE, true);
    assert_int_equal(lmb_ragdoll_run(&info, NULL), LMB_OK);
    assert_int_equal(scene.refused[LMB_REFUSED_POSE], below + 1);
    assert_int_equal(lmb_ragdoll_run(&info, NULL), LMB_OK);
    assert_true(scene.refused[LMB_REFUSED_POSE] > below + 1);
    ragdoll_scene_destroy(&scene);
}

static void invalid_calls_are_refused(void **state) {
    (void)state;
    ragdoll_scene scene = ragdoll_scene_create(2, RAGDOLL_USUAL, 5);
    lmb_error error;
    assert_int_equal(lmb_ragdoll_run(NULL, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "ragdoll: the info is NULL");
    lmb_ragdoll_info info = lmb_default_ragdoll_info();
    assert_int_equal(lmb_ragdoll_run(&info, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "ragdoll: the graph is NULL");
    info = ragdoll_scene_info(&scene, LMB_NONE, false);
    info.models = NULL;
    assert_int_equal(lmb_ragdoll_run(&info, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "ragdoll: the list of models is NULL");
    info = ragdoll_scene_info(&scene, LMB_NONE, false);
    info.poses = NULL;
    assert_int_equal(lmb_ragdoll_run(&info, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "ragdoll: the list of poses is NULL");
    info = ragdoll_scene_info(&scene, 2, false);
    assert_int_equal(lmb_ragdoll_run(&info, &error), LMB_ERROR_ARGUMENT);
    assert_string_equal(error.message, "ragdoll: there is no mask 2: the graph has 2");
    info = ragdoll_scene_info(&scene, LMB_NONE, false);
    info.character_count = 0;
    info.models = info.poses = NULL;
    assert_int_equal(lmb_ragdoll_run(&info, &error), LMB_OK);
    ragdoll_scene_destroy(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_follow_the_formula),     cmocka_unit_test(joints_without_bodies_follow),
        cmocka_unit_test(edges_are_those_of_the_header), cmocka_unit_test(refusals_are_counted),
        cmocka_unit_test(invalid_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
