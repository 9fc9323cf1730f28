// Every output that a renderer can request besides the palette, against the float64 oracle, output by output. The
// oracle gets the library's model matrices, which hierarchy_test.c tests.
#include "scene.h"

#include <stdlib.h>
#include <string.h>

static oracle_affine *model_matrices(const test_scene *scene, uint32_t character) {
    const uint32_t joints = lmb_rig_get_def(scene->rig)->joint_count;
    oracle_affine *model = calloc(joints, sizeof *model);
    assert_non_null(model);
    for (uint32_t joint = 0; joint < joints; joint++) {
        lmb_affine given;
        const size_t at = ((size_t)character * joints + joint) * LMB_MATRIX_COMPONENTS;
        memcpy(&given, scene->buffers[LMB_OUTPUT_MODEL] + at, sizeof given);
        model[joint] = oracle_affine_from_float(&given);
    }
    return model;
}

typedef struct motion {
    double rotation[4];
    double dual[4];
} motion;

static motion motion_of(const test_scene *scene, uint32_t character, uint32_t joint) {
    const size_t at = ((size_t)character * lmb_rig_get_def(scene->rig)->joint_count + joint) * LMB_DUAL_COMPONENTS;
    motion result;
    for (size_t i = 0; i < 4; i++) {
        result.rotation[i] = (double)scene->buffers[LMB_OUTPUT_DUAL_QUATERNIONS][at + i];
        result.dual[i] = (double)scene->buffers[LMB_OUTPUT_DUAL_QUATERNIONS][at + 4 + i];
    }
    return result;
}

// Returns the motion that determines the sign of a joint's rotation.
static motion motion_beside(const test_scene *scene, uint32_t character, uint32_t joint) {
    const uint32_t parent = lmb_rig_get_def(scene->rig)->joints[joint].parent;
    if (joint == 0) {
        return (motion){{0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0, 0.0}};
    }
    return motion_of(scene, character, parent != LMB_NONE ? parent : 0);
}

typedef struct motion_errors {
    double rotation;
    double dual; // relative to max(1, the distances that the translation is computed from)
} motion_errors;

static void compare_motion(const test_scene *scene, uint32_t character, uint32_t joint, const oracle_affine *model,
                           motion_errors *errors) {
    const motion found = motion_of(scene, character, joint), beside = motion_beside(scene, character, joint);
    double rotation[4], translation[3];
    if (!oracle_rigid_motion(scene->rig, joint, model, rotation, translation)) {
        memcpy(rotation, beside.rotation, sizeof rotation);
    }
    const double sign = oracle_quaternion_dot(rotation, found.rotation) < 0.0 ? -1.0 : 1.0;
    const double pure[4] = {translation[0], translation[1], translation[2], 0.0};
    double dual[4], unit = 1.0;
    for (int i = 0; i < 4; i++) {
        rotation[i] *= sign;
    }
    oracle_quaternion_multiply(pure, rotation, dual);
    for (int i = 0; i < 3; i++) {
        unit = fmax(unit, fabs(model->m[i][3]) + fabs(translation[i]));
    }
    for (int i = 0; i < 4; i++) {
        errors->rotation = fmax(errors->rotation, fabs(found.rotation[i] - rotation[i]));
        errors->dual = fmax(errors->dual, fabs(found.dual[i] - oracle_snap(dual[i] / 2.0)) / unit);
    }
    assert_true(fabs(oracle_quaternion_dot(found.rotation, found.rotation) - 1.0) <= 1e-6);
    assert_true(oracle_quaternion_dot(found.rotation, beside.rotation) >= -1e-6);
}

static void compare_motions(const test_scene *scene, const char *title, double bound) {
    motion_errors errors = {0.0, 0.0};
    for (uint32_t character = 0; character < scene->character_count; character++) {
        oracle_affine *model = model_matrices(scene, character);
        for (uint32_t joint = 0; joint < lmb_rig_get_def(scene->rig)->joint_count; joint++) {
            compare_motion(scene, character, joint, &model[joint], &errors);
        }
        free(model);
    }
    print_message("%s: rotation %.2g, dual part %.2g\n", title, errors.rotation, errors.dual);
    assert_true(errors.rotation <= bound && errors.dual <= bound);
}

static void compare_bounds(const test_scene *scene, const char *title) {
    double largest = 0.0;
    for (uint32_t character = 0; character < scene->character_count; character++) {
        oracle_affine *model = model_matrices(scene, character);
        const float *found = scene->buffers[LMB_OUTPUT_BOUNDS] + (size_t)character * LMB_BOX_COMPONENTS;
        double corners[2][3];
        oracle_bounds(scene->rig, model, corners[0], corners[1]);
        for (int i = 0; i < 6; i++) {
            const double unit = fmax(1.0, fmax(fabs(corners[0][i % 3]), fabs(corners[1][i % 3])));
            largest = fmax(largest, fabs((double)found[i] - corners[i / 3][i % 3]) / unit);
        }
        free(model);
    }
    print_message("%s: bounds %.2g\n", title, largest);
    assert_true(largest <= 1e-6);
}

static void compare_sockets(const test_scene *scene, const char *title) {
    const uint32_t sockets = lmb_rig_get_def(scene->rig)->socket_count;
    double largest = 0.0;
    for (uint32_t character = 0; character < scene->character_count; character++) {
        oracle_affine *model = model_matrices(scene, character);
        for (uint32_t socket = 0; socket < sockets; socket++) {
            const oracle_affine expected = oracle_socket(scene->rig, socket, model);
            const size_t at = ((size_t)character * sockets + socket) * LMB_MATRIX_COMPONENTS;
            double unit = 1.0;
            for (size_t i = 0; i < LMB_MATRIX_COMPONENTS; i++) {
                unit = fmax(unit, fabs(model[lmb_rig_get_def(scene->rig)->sockets[socket].joint].m[i / 4][i % 4]));
            }
            for (size_t i = 0; i < LMB_MATRIX_COMPONENTS; i++) {
                const double value = (double)scene->buffers[LMB_OUTPUT_SOCKETS][at + i];
                largest = fmax(largest, fabs(value - expected.m[i / 4][i % 4]) / unit);
            }
        }
        free(model);
    }
    print_message("%s: sockets %.2g\n", title, largest);
    assert_true(largest <= 2e-6);
}

// A pose buffer near the identity, or with scales of both signs, on a rig.
static void start_posed(test_scene *scene, lmb_rig *rig, uint32_t characters, bool scaled, uint64_t seed) {
    random_source source = {seed};
    scene_start(scene, rig, characters, 0);
    scene_fill_pose(scene, 0, &source);
    scene_add_pose_node(scene, 0);
    for (uint32_t character = 0; character < characters; character++) {
        for (uint32_t joint = 0; joint < lmb_rig_get_def(rig)->joint_count; joint++) {
            for (uint32_t i = 0; i < 3; i++) {
                float *scale = scene_component(scene, scene->poses[0], character, joint, 7 + i);
                *scene_component(scene, scene->poses[0], character, joint, i) /= 10.0f;
                *scale = !scaled ? 1.0f : random_below(&source, 4) == 0 ? -*scale : *scale;
            }
        }
    }
}

static void compare_shape(scene_shape shape, uint32_t joints, uint32_t characters, const char *title) {
    test_scene scene;
    start_posed(&scene, scene_rig(joints, shape, joints), characters, false, 60 + joints);
    scene_run(&scene);
    compare_motions(&scene, title, 2e-6);
    compare_bounds(&scene, title);
    compare_sockets(&scene, title);
    scene_end(&scene);
}

static void rigs_of_all_shapes(void **state) {
    (void)state;
    compare_shape(SCENE_CHAIN, 1, 300, "one joint");
    compare_shape(SCENE_CHAIN, 2, 65, "two joints");
    compare_shape(SCENE_TREE, 67, 130, "67 joints, several roots");
    compare_shape(SCENE_CHAIN, 1000, 3, "chain of 1,000");
    compare_shape(SCENE_WIDE, 1000, 3, "1,000 abreast");
}

static void scales_of_both_signs(void **state) {
    (void)state;
    test_scene scene;
    start_posed(&scene, scene_rig(3, SCENE_CHAIN, 61), 3000, true, 61);
    scene_run(&scene);
    compare_bounds(&scene, "scales");
    compare_sockets(&scene, "scales");
    scene_end(&scene);
    // The axes of roots are at right angles, whatever their lengths. So are those of the bind pose.
    start_posed(&scene, scene_rig(40, SCENE_WIDE, 62), 100, true, 62);
    scene_run(&scene);
    motion_errors errors = {0.0, 0.0};
    for (uint32_t character = 0; character < 100; character++) {
        oracle_affine *model = model_matrices(&scene, character);
        compare_motion(&scene, character, 0, &model[0], &errors);
        free(model);
    }
    assert_true(errors.rotation <= 2e-6 && errors.dual <= 2e-6);
    scene_end(&scene);
}

// Under uneven scales of ancestors, axes can be nearly parallel. The error grows as the angle between them shrinks.
static void sheared_matrices(void **state) {
    (void)state;
    test_scene scene;
    start_posed(&scene, scene_rig(3, SCENE_CHAIN, 63), 2000, true, 63);
    scene_run(&scene);
    double largest = 0.0;
    for (uint32_t character = 0; character < 2000; character++) {
        oracle_affine *model = model_matrices(&scene, character);
        for (uint32_t joint = 1; joint < 3; joint++) {
            double dot = 0.0, squares[2] = {0.0, 0.0};
            for (int i = 0; i < 3; i++) {
                dot += model[joint].m[i][0] * model[joint].m[i][1];
                squares[0] += model[joint].m[i][0] * model[joint].m[i][0];
                squares[1] += model[joint].m[i][1] * model[joint].m[i][1];
            }
            const double sine = sqrt(fmax(0.0, 1.0 - dot * dot / (squares[0] * squares[1])));
            motion_errors errors = {0.0, 0.0};
            if (sine > 0.002) {
                compare_motion(&scene, character, joint, &model[joint], &errors);
            }
            largest = fmax(largest, fmax(errors.rotation, errors.dual) * sine);
        }
        free(model);
    }
    print_message("sheared: %.2g over the sine\n", largest);
    assert_true(largest <= 2e-6);
    scene_end(&scene);
}

// Without scales, rigid motions move points as the palette does.
static void motions_are_those_of_the_palette(void **state) {
    (void)state;
    random_source source = {64};
    lmb_joint_def joints[30];
    for (uint32_t i = 0; i < 30; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : random_below(&source, i);
        random_rotation(&source, joints[i].rest.rotation);
        for (int k = 0; k < 3; k++) {
            joints[i].rest.translation[k] = (float)random_between(&source, -1.0, 1.0);
        }
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = 30};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    test_scene scene;
    start_posed(&scene, rig, 20, false, 64);
    scene_run(&scene);
    for (uint32_t i = 0; i < 20 * 30; i++) {
        const motion m = motion_of(&scene, i / 30, i % 30);
        const float *palette = scene.buffers[LMB_OUTPUT_PALETTE] + (size_t)i * LMB_MATRIX_COMPONENTS;
        double conjugate[4], twice[4], point[4] = {0.0, 0.0, 0.0, 0.0}, turned[4], result[4];
        for (int k = 0; k < 3; k++) {
            point[k] = random_between(&source, -2.0, 2.0);
        }
        oracle_quaternion_conjugate(m.rotation, conjugate);
        oracle_quaternion_multiply(m.rotation, point, turned);
        oracle_quaternion_multiply(turned, conjugate, result);
        oracle_quaternion_multiply(m.dual, conjugate, twice);
        for (int row = 0; row < 3; row++) {
            double expected = (double)palette[row * 4 + 3];
            for (int k = 0; k < 3; k++) {
                expected += (double)palette[row * 4 + k] * point[k];
            }
            assert_true(fabs(result[row] + 2.0 * twice[row] - expected) <= 1e-4);
        }
    }
    scene_end(&scene);
}

// A chain of two joints with these scales and random rotations.
static void start_scaled_pair(test_scene *scene, const float scales[3], uint64_t seed) {
    lmb_joint_def joints[2] = {lmb_default_joint_def(), lmb_default_joint_def()};
    joints[1].parent = 0;
    const lmb_rig_def def = {.joints = joints, .joint_count = 2};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    start_posed(scene, rig, 50, false, seed);
    for (uint32_t character = 0; character < 50; character++) {
        for (uint32_t i = 0; i < 3; i++) {
            *scene_component(scene, scene->poses[0], character, 1, 7 + i) = scales[i];
        }
    }
}

// Expects the child's rotation of the pose, whichever of its axes remain.
static void expect_rotation_of_the_pose(const test_scene *scene, uint32_t character) {
    oracle_transform local[2];
    double turned[4];
    for (uint32_t joint = 0; joint < 2; joint++) {
        const lmb_transform given = scene_transform(scene, scene->poses[0], character, joint);
        local[joint] = oracle_transform_from_float(&given);
    }
    oracle_quaternion_multiply(local[0].rotation, local[1].rotation, turned);
    const motion found = motion_of(scene, character, 1);
    assert_true(fabs(fabs(oracle_quaternion_dot(turned, found.rotation)) - 1.0) <= 1e-6);
}

static void axes_without_length(void **state) {
    (void)state;
    static const float whole[][3] = {{0.0f, 1.0f, 1.0f}, {1.0f, 0.0f, 1.0f},         {1.0f, 1.0f, 0.0f},
                                     {3.0f, 0.5f, 2.0f}, {0x1p-10f, 0x1p-12f, 1.0f}, {0x1p40f, 1.0f, 0x1p-40f}};
    static const float lost[][3] = {{0.0f, 0.0f, 1.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    test_scene scene;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        start_scaled_pair(&scene, whole[i], 65 + i);
        scene_run(&scene);
        for (uint32_t character = 0; character < 50; character++) {
            expect_rotation_of_the_pose(&scene, character);
        }
        scene_end(&scene);
    }
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++) {
        start_scaled_pair(&scene, lost[i], 75 + i);
        scene_run(&scene);
        for (uint32_t character = 0; character < 50; character++) {
            const motion found = motion_of(&scene, character, 1), parents = motion_of(&scene, character, 0);
            assert_memory_equal(found.rotation, parents.rotation, sizeof found.rotation);
        }
        scene_end(&scene);
    }
}

// Mirrored joints too: the reflection in both pose and bind pose cancels.
static void the_rest_pose_does_not_move(void **state) {
    (void)state;
    random_source source = {66};
    lmb_joint_def joints[20];
    for (uint32_t i = 0; i < 20; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        random_rotation(&source, joints[i].rest.rotation);
        for (int k = 0; k < 3; k++) {
            joints[i].rest.translation[k] = (float)random_between(&source, -1.0, 1.0);
            joints[i].rest.scale[k] = random_below(&source, 3) == 0 ? -1.0f : 1.0f;
        }
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = 20};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    test_scene scene;
    scene_start(&scene, rig, 1, 0);
    scene_add(&scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
    scene_run(&scene);
    for (uint32_t joint = 0; joint < 20; joint++) {
        const motion m = motion_of(&scene, 0, joint);
        for (int i = 0; i < 4; i++) {
            assert_true(fabs(m.rotation[i] - (i == 3 ? 1.0 : 0.0)) <= 2e-6 && fabs(m.dual[i]) <= 1e-5);
        }
    }
    scene_end(&scene);
}

static void bind_poses_without_a_rotation(void **state) {
    (void)state;
    lmb_joint_def joint = lmb_default_joint_def();
    joint.has_inverse_bind = true;
    joint.inverse_bind = (lmb_affine){{{1, 0, 0, 5}, {0, 0, 0, 6}, {0, 0, 1, 7}}};
    const lmb_rig_def def = {.joints = &joint, .joint_count = 1};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    test_scene scene;
    start_posed(&scene, rig, 40, false, 67);
    scene_run(&scene);
    compare_motions(&scene, "flat bind pose", 2e-6);
    scene_end(&scene);
}

// A chain that bends by 30 degrees per joint: signs follow it through the full circle.
static void signs_follow_the_chain(void **state) {
    (void)state;
    enum { JOINTS = 30 };
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = JOINTS};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    test_scene scene;
    scene_start(&scene, rig, 1, 0);
    float *pose = scene_add_pose(&scene, 0);
    scene_add_pose_node(&scene, 0);
    const double half = 3.14159265358979 / 12.0;
    for (uint32_t joint = 1; joint < JOINTS; joint++) {
        *scene_component(&scene, pose, 0, joint, 5) = (float)sin(half);
        *scene_component(&scene, pose, 0, joint, 6) = (float)cos(half);
    }
    scene_run(&scene);
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        const motion m = motion_of(&scene, 0, joint);
        assert_true(fabs(m.rotation[2] - sin(half * joint)) <= 1e-5 && fabs(m.rotation[3] - cos(half * joint)) <= 1e-5);
    }
    scene_end(&scene);
}

// ---- Bounds ----

static void boxes_without_radii_are_of_positions(void **state) {
    (void)state;
    lmb_joint_def joints[50];
    for (uint32_t i = 0; i < 50; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i / 2;
    }
    joints[1].parent = 0;
    const lmb_rig_def def = {.joints = joints, .joint_count = 50};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    test_scene scene;
    start_posed(&scene, rig, 30, true, 68);
    scene_run(&scene);
    for (uint32_t character = 0; character < 30; character++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            float low = INFINITY, high = -INFINITY;
            for (uint32_t joint = 0; joint < 50; joint++) {
                const float at = scene.buffers[LMB_OUTPUT_MODEL][(character * 50 + joint) * 12 + axis * 4 + 3];
                low = fminf(low, at);
                high = fmaxf(high, at);
            }
            assert_true(scene.buffers[LMB_OUTPUT_BOUNDS][character * 6 + axis] == low);
            assert_true(scene.buffers[LMB_OUTPUT_BOUNDS][character * 6 + 3 + axis] == high);
        }
    }
    scene_end(&scene);
}

// Extra joints count only if they have a radius. A rig of such joints without radii has the empty box.
static void boxes_leave_extra_joints_out(void **state) {
    (void)state;
    lmb_joint_def joints[4];
    for (uint32_t i = 0; i < 4; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].rest.translation[i % 3] = i == 0 ? 1.0f : -100.0f;
        joints[i].is_extra = i > 0;
    }
    joints[2].radius = 0.5f;
    for (uint32_t first = 0; first <= 3; first += 3) {
        const lmb_rig_def def = {.joints = joints + first, .joint_count = 4 - first};
        lmb_rig *rig = NULL;
        assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
        test_scene scene;
        scene_start(&scene, rig, 9, 0);
        scene_add(&scene, LMB_OP_REST, LMB_NONE, LMB_NONE);
        scene_run_all_paths(&scene);
        const float expected[2][6] = {{-0.5f, -0.5f, -100.5f, 1.0f, 0.5f, 0.0f},
                                      {0x1p40f, 0x1p40f, 0x1p40f, -0x1p40f, -0x1p40f, -0x1p40f}};
        for (uint32_t i = 0; i < 9 * 6; i++) {
            assert_float_equal(scene.buffers[LMB_OUTPUT_BOUNDS][i], expected[first / 3][i % 6], 1e-6f);
        }
        scene_end(&scene);
    }
}

// A vertex inside the spheres of two joints, skinned with any weights of both.
static void boxes_hold_what_is_skinned(void **state) {
    (void)state;
    enum { JOINTS = 12, VERTICES = 400 };
    random_source source = {69};
    lmb_rig *plain = scene_rig(JOINTS, SCENE_TREE, 69);
    double vertices[VERTICES][3];
    uint32_t bound[VERTICES][2];
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = lmb_rig_get_def(plain)->joints[i].parent;
        joints[i].rest = lmb_rig_get_def(plain)->joints[i].rest;
    }
    for (uint32_t i = 0; i < VERTICES; i++) {
        for (int k = 0; k < 3; k++) {
            vertices[i][k] = random_between(&source, -3.0, 3.0);
        }
        for (int k = 0; k < 2; k++) {
            bound[i][k] = random_below(&source, JOINTS);
            const lmb_affine inverse = lmb_rig_get_def(plain)->joints[bound[i][k]].inverse_bind;
            double square = 0.0;
            for (int row = 0; row < 3; row++) {
                double at = (double)inverse.m[row][3];
                for (int j = 0; j < 3; j++) {
                    at += (double)inverse.m[row][j] * vertices[i][j];
                }
                square += at * at;
            }
            joints[bound[i][k]].radius = fmaxf(joints[bound[i][k]].radius, (float)sqrt(square));
        }
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = JOINTS};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    lmb_rig_destroy(plain);
    test_scene scene;
    start_posed(&scene, rig, 40, true, 70);
    scene_run(&scene);
    for (uint32_t i = 0; i < 40 * VERTICES; i++) {
        const float *palette = scene.buffers[LMB_OUTPUT_PALETTE] + (size_t)(i / VERTICES) * JOINTS * 12;
        const float *box = scene.buffers[LMB_OUTPUT_BOUNDS] + (size_t)(i / VERTICES) * 6;
        const double *vertex = vertices[i % VERTICES], share = random_between(&source, 0.0, 1.0);
        for (int row = 0; row < 3; row++) {
            double at = 0.0, unit = 1.0;
            for (int k = 0; k < 2; k++) {
                const float *m = palette + bound[i % VERTICES][k] * 12 + row * 4;
                double part = (double)m[3];
                for (int j = 0; j < 3; j++) {
                    part += (double)m[j] * vertex[j];
                }
                at += part * (k == 0 ? share : 1.0 - share);
                unit = fmax(unit, fabs(part));
            }
            assert_true(at >= (double)box[row] - 1e-5 * unit && at <= (double)box[3 + row] + 1e-5 * unit);
        }
    }
    scene_end(&scene);
}

// ---- Previous palettes ----

static void previous_palettes_are_copied(void **state) {
    (void)state;
    test_scene scene;
    random_source source = {71};
    start_posed(&scene, scene_rig(9, SCENE_TREE, 71), 21, false, 71);
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        if (!lmb_cpu_has((lmb_cpu_path)path)) {
            continue;
        }
        scene.path = (lmb_cpu_path)path;
        scene.previous_palette = NULL;
        scene_run(&scene);
        scene_expect_output(&scene, LMB_OUTPUT_PREVIOUS_PALETTE, scene.buffers[LMB_OUTPUT_PALETTE]);
        float *before = scene_keep_output(&scene, LMB_OUTPUT_PALETTE);
        for (size_t i = 0; i < scene_output_floats(&scene, LMB_OUTPUT_PALETTE); i++) {
            before[i] = (float)random_between(&source, 1.0, 2.0);
        }
        scene.previous_palette = before;
        scene_run(&scene);
        scene_expect_output(&scene, LMB_OUTPUT_PREVIOUS_PALETTE, before);
        free(before);
    }
    scene_end(&scene);
}

static void a_palette_may_be_its_own_previous_one(void **state) {
    (void)state;
    enum { CHARACTERS = 37, JOINTS = 3 };
    lmb_rig *rig = scene_rig(JOINTS, SCENE_TREE, 72);
    const lmb_node_def node = lmb_default_node_def();
    const lmb_graph_def def = {.rig = rig, .nodes = &node, .node_count = 1};
    lmb_graph *program = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &program, NULL), LMB_OK);
    static float palette[CHARACTERS * JOINTS * 12], previous[CHARACTERS * JOINTS * 12];
    const lmb_batch_def batch = {program, CHARACTERS, LMB_OUTPUT_PALETTE_BIT | LMB_OUTPUT_PREVIOUS_PALETTE_BIT};
    const lmb_batch_inputs inputs = {.previous_palette = palette};
    const lmb_batch_outputs outputs = {
        .buffers = {[LMB_OUTPUT_PALETTE] = palette, [LMB_OUTPUT_PREVIOUS_PALETTE] = previous}};
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        lmb_cpu *cpu = NULL;
        if (lmb_cpu_create(program, (lmb_cpu_path)path, NULL, &cpu, NULL) != LMB_OK) {
            continue;
        }
        memset(palette, 0x5a, sizeof palette);
        memset(previous, 0, sizeof previous);
        assert_int_equal(lmb_cpu_run_range(cpu, &batch, &inputs, &outputs, 5, 20, NULL), LMB_OK);
        for (size_t i = 0; i < CHARACTERS * JOINTS * 12; i++) {
            const bool inside = i / (JOINTS * 12) >= 5 && i / (JOINTS * 12) < 25;
            uint32_t bits[2];
            memcpy(&bits[0], &previous[i], 4);
            memcpy(&bits[1], &palette[i], 4);
            assert_int_equal(bits[0], inside ? 0x5a5a5a5a : 0);
            assert_true(inside == (bits[1] != 0x5a5a5a5a));
        }
        lmb_cpu_destroy(cpu);
    }
    lmb_graph_destroy(program);
    lmb_rig_destroy(rig);
}

// ---- All of them ----

// Poses of arbitrary bits: every path gives the same.
static void every_path_gives_the_same_bits(void **state) {
    (void)state;
    test_scene scene;
    random_source source = {73};
    start_posed(&scene, scene_rig(23, SCENE_TREE, 73), 203, true, 73);
    for (size_t i = 0; i < scene_output_floats(&scene, LMB_OUTPUT_LOCAL); i++) {
        const uint32_t bits = (uint32_t)random_bits(&source);
        if (random_below(&source, 40) == 0) {
            memcpy(&scene.poses[0][i], &bits, sizeof bits);
        } else if (random_below(&source, 40) == 0) {
            scene.poses[0][i] = 0.0f;
        }
    }
    scene_run_all_paths(&scene);
    scene_end(&scene);
}

// Each output alone equals the same output among all outputs.
static void outputs_do_not_depend_on_each_other(void **state) {
    (void)state;
    enum { CHARACTERS = 19, JOINTS = 11 };
    lmb_rig *rig = scene_rig(JOINTS, SCENE_TREE, 74);
    const lmb_node_def node = lmb_default_node_def();
    const lmb_graph_def def = {.rig = rig, .nodes = &node, .node_count = 1};
    lmb_graph *program = NULL;
    assert_int_equal(lmb_graph_create(&def, NULL, &program, NULL), LMB_OK);
    static float all[LMB_OUTPUT_COUNT][CHARACTERS * JOINTS * 12], alone[CHARACTERS * JOINTS * 12];
    lmb_batch_outputs outputs = {0};
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        outputs.buffers[output] = all[output];
    }
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        lmb_cpu *cpu = NULL;
        if (lmb_cpu_create(program, (lmb_cpu_path)path, NULL, &cpu, NULL) != LMB_OK) {
            continue;
        }
        const lmb_batch_inputs inputs = {0};
        const lmb_batch_def whole = {program, CHARACTERS, (1u << LMB_OUTPUT_COUNT) - 1};
        assert_int_equal(lmb_cpu_run(cpu, &whole, &inputs, &outputs, NULL), LMB_OK);
        for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
            const lmb_batch_def one = {program, CHARACTERS, 1u << output};
            lmb_batch_outputs desired = {0};
            desired.buffers[output] = alone;
            if (output != LMB_OUTPUT_PREVIOUS_PALETTE) {
                assert_int_equal(lmb_cpu_run(cpu, &one, &inputs, &desired, NULL), LMB_OK);
                assert_memory_equal(alone, all[output],
                                    CHARACTERS * lmb_batch_output_floats(&whole, (lmb_output)output) * sizeof(float));
            }
        }
        lmb_cpu_destroy(cpu);
    }
    lmb_graph_destroy(program);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigs_of_all_shapes),
        cmocka_unit_test(scales_of_both_signs),
        cmocka_unit_test(sheared_matrices),
        cmocka_unit_test(motions_are_those_of_the_palette),
        cmocka_unit_test(axes_without_length),
        cmocka_unit_test(the_rest_pose_does_not_move),
        cmocka_unit_test(bind_poses_without_a_rotation),
        cmocka_unit_test(signs_follow_the_chain),
        cmocka_unit_test(boxes_without_radii_are_of_positions),
        cmocka_unit_test(boxes_leave_extra_joints_out),
        cmocka_unit_test(boxes_hold_what_is_skinned),
        cmocka_unit_test(previous_palettes_are_copied),
        cmocka_unit_test(a_palette_may_be_its_own_previous_one),
        cmocka_unit_test(every_path_gives_the_same_bits),
        cmocka_unit_test(outputs_do_not_depend_on_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
