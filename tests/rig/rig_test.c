// Rigs: validation and lookup.
#include "failing_host.h"
#include "oracle.h"
#include "random.h"
#include "refusal.h"

#include <limber/rig.h>
#include <stdio.h>
#include <stdlib.h>

static lmb_result create(const lmb_joint_def *joints, uint32_t count, lmb_rig **rig, lmb_error *error) {
    const lmb_rig_def def = {.joints = joints, .joint_count = count};
    return lmb_rig_create(&def, NULL, rig, error);
}

static lmb_rig *created(const lmb_joint_def *joints, uint32_t count) {
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    if (create(joints, count, &rig, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return rig;
}

static void a_joint_starts_as_a_root_at_rest(void **state) {
    (void)state;
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_transform identity = lmb_transform_identity();
    const lmb_affine unity = lmb_affine_identity();
    assert_null(joint.name);
    assert_int_equal(joint.parent, LMB_NONE);
    assert_memory_equal(&joint.rest, &identity, sizeof identity);
    assert_false(joint.has_inverse_bind);
    lmb_rig *rig = created(&joint, 1);
    const lmb_transform rest = lmb_rig_get_def(rig)->joints[0].rest;
    const lmb_affine inverse = lmb_rig_get_def(rig)->joints[0].inverse_bind;
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, 1);
    assert_int_equal(lmb_rig_depth(rig), 1);
    assert_string_equal(lmb_rig_get_def(rig)->joints[0].name, "joint_0");
    assert_int_equal(lmb_rig_get_def(rig)->joints[0].parent, LMB_NONE);
    assert_memory_equal(&rest, &identity, sizeof identity);
    assert_memory_equal(&inverse, &unity, sizeof unity);
    lmb_rig_destroy(rig);
    lmb_rig_destroy(NULL);
}

static void names_are_copied_found_and_made_up(void **state) {
    (void)state;
    char changing[] = "hips";
    lmb_joint_def joints[5];
    for (uint32_t i = 0; i < 5; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? 3 : i == 3 ? LMB_NONE : 0;
    }
    joints[0].name = changing;
    joints[1].name = "";
    joints[3].name = "root";
    joints[4].name = "root";
    lmb_rig *rig = created(joints, 5);
    memset(changing, 'x', 4);
    assert_string_equal(lmb_rig_get_def(rig)->joints[lmb_rig_joint_of_def(rig, 0)].name, "hips");
    assert_string_equal(lmb_rig_get_def(rig)->joints[lmb_rig_joint_of_def(rig, 1)].name, "joint_1");
    assert_string_equal(lmb_rig_get_def(rig)->joints[lmb_rig_joint_of_def(rig, 2)].name, "joint_2");
    assert_int_equal(lmb_rig_find_joint(rig, "hips"), lmb_rig_joint_of_def(rig, 0));
    assert_int_equal(lmb_rig_find_joint(rig, "joint_2"), lmb_rig_joint_of_def(rig, 2));
    assert_int_equal(lmb_rig_find_joint(rig, "root"), 0);
    assert_int_equal(lmb_rig_find_joint(rig, "Hips"), LMB_NONE);
    assert_int_equal(lmb_rig_find_joint(rig, ""), LMB_NONE);
    assert_int_equal(lmb_rig_joint_of_def(rig, 5), LMB_NONE);
    assert_int_equal(lmb_rig_joint_of_def(rig, LMB_NONE), LMB_NONE);
    lmb_rig_destroy(rig);
}

static void joints_in_order_keep_it(void **state) {
    (void)state;
    static const uint32_t parents[] = {LMB_NONE, 0, 0, LMB_NONE, 2, 1, 3};
    lmb_joint_def joints[7];
    for (uint32_t i = 0; i < 7; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = parents[i];
    }
    lmb_rig *rig = created(joints, 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(lmb_rig_joint_of_def(rig, i), i);
        assert_int_equal(lmb_rig_get_def(rig)->joints[i].parent, parents[i]);
    }
    assert_int_equal(lmb_rig_depth(rig), 3);
    lmb_rig_destroy(rig);
}

// A tree whose joints are in random order in the descriptor. The map must find everything again.
static void any_order_will_do(void **state) {
    (void)state;
    enum { JOINTS = 1000 };
    for (uint32_t round = 0; round < 20; round++) {
        random_source source = {60 + round};
        static lmb_joint_def joints[JOINTS];
        static uint32_t place[JOINTS], depth[JOINTS];
        static bool seen[JOINTS];
        uint32_t deepest = 0;
        for (uint32_t i = 0; i < JOINTS; i++) { // position of the i-th joint of the tree in the descriptor
            place[i] = i;
            const uint32_t other = random_below(&source, i + 1);
            place[i] = place[other];
            place[other] = i;
            seen[i] = false;
        }
        for (uint32_t i = 0; i < JOINTS; i++) {
            const bool root = i == 0 || random_below(&source, 50) == 0;
            const uint32_t parent = root ? LMB_NONE : i - 1 - random_below(&source, i < 3 ? i : 3);
            lmb_joint_def *joint = &joints[place[i]];
            *joint = lmb_default_joint_def();
            joint->parent = root ? LMB_NONE : place[parent];
            joint->rest.translation[0] = (float)place[i];
            depth[place[i]] = root ? 1 : depth[place[parent]] + 1;
            deepest = depth[place[i]] > deepest ? depth[place[i]] : deepest;
        }
        lmb_rig *rig = created(joints, JOINTS);
        assert_int_equal(lmb_rig_depth(rig), deepest);
        for (uint32_t i = 0; i < JOINTS; i++) {
            const uint32_t joint = lmb_rig_joint_of_def(rig, i);
            assert_true(joint < JOINTS && !seen[joint]);
            seen[joint] = true;
            const uint32_t parent = lmb_rig_get_def(rig)->joints[joint].parent;
            assert_true(parent == LMB_NONE || parent < joint);
            assert_int_equal(parent,
                             joints[i].parent == LMB_NONE ? LMB_NONE : lmb_rig_joint_of_def(rig, joints[i].parent));
            assert_true(lmb_rig_get_def(rig)->joints[joint].rest.translation[0] == (float)i);
            char name[32];
            snprintf(name, sizeof name, "joint_%u", i);
            assert_string_equal(lmb_rig_get_def(rig)->joints[joint].name, name);
        }
        lmb_rig_destroy(rig);
    }
}

static void a_parent_must_be_there(void **state) {
    (void)state;
    lmb_joint_def joints[3];
    for (uint32_t i = 0; i < 3; i++) {
        joints[i] = lmb_default_joint_def();
    }
    joints[1].name = "elbow";
    static const uint32_t parents[] = {3, 4, 65535, LMB_NONE - 1};
    for (uint32_t i = 0; i < 4; i++) {
        lmb_rig *rig = NULL;
        lmb_error error = {0};
        joints[1].parent = parents[i];
        CHECK_REFUSAL(create(joints, 3, &rig, &error), &error, LMB_ERROR_ARGUMENT, "joint 1", "elbow", "parent");
        assert_null(rig);
    }
}

static void parents_in_a_circle_are_refused(void **state) {
    (void)state;
    for (uint32_t length = 1; length <= 5; length++) {
        lmb_joint_def joints[6];
        for (uint32_t i = 0; i < 6; i++) { // joint 5 is a child of the circle; the joints between are roots
            joints[i] = lmb_default_joint_def();
            joints[i].parent = i < length ? (i + 1) % length : i == 5 ? 0 : LMB_NONE;
        }
        lmb_rig *rig = NULL;
        lmb_error error = {0};
        CHECK_REFUSAL(create(joints, 6, &rig, &error), &error, LMB_ERROR_ARGUMENT, "joint", "cycle");
        assert_null(rig);
    }
}

static float *rest_component(lmb_joint_def *joint, uint32_t component) {
    return component < 3   ? &joint->rest.translation[component]
           : component < 7 ? &joint->rest.rotation[component - 3]
                           : &joint->rest.scale[component - 7];
}

static void values_must_be_finite_and_in_range(void **state) {
    (void)state;
    static const float bad[] = {NAN, -NAN, INFINITY, -INFINITY, 1.1e12f, -1.1e12f, 3e38f};
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (uint32_t component = 0; component < 22; component++) {
            lmb_joint_def joints[2] = {lmb_default_joint_def(), lmb_default_joint_def()};
            joints[1].name = "tail";
            lmb_rig *rig = NULL;
            lmb_error error = {0};
            if (component < 10) {
                *rest_component(&joints[1], component) = bad[i];
                CHECK_REFUSAL(create(joints, 2, &rig, &error), &error, LMB_ERROR_ARGUMENT, "joint 1", "tail",
                              component < 3   ? "translation"
                              : component < 7 ? "rotation"
                                              : "scale");
                continue;
            }
            joints[1].inverse_bind.m[(component - 10) / 4][(component - 10) % 4] = bad[i];
            assert_int_equal(create(joints, 2, &rig, &error), LMB_OK); // not used
            lmb_rig_destroy(rig);
            rig = NULL;
            joints[1].has_inverse_bind = true;
            CHECK_REFUSAL(create(joints, 2, &rig, &error), &error, LMB_ERROR_ARGUMENT, "joint 1", "tail", "inverse");
            assert_null(rig);
        }
    }
}

static void largest_and_smallest_values_are_snapped(void **state) {
    (void)state;
    lmb_joint_def joint = lmb_default_joint_def();
    const float given[] = {LMB_LARGEST, -LMB_LARGEST, 0x1p-41f};
    memcpy(joint.rest.translation, given, sizeof given);
    memcpy(joint.rest.scale, (float[]){-0.0f, 1e-30f, -LMB_SMALLEST}, sizeof given);
    joint.has_inverse_bind = true;
    joint.inverse_bind.m[0][3] = -1e-20f;
    lmb_rig *rig = created(&joint, 1);
    const lmb_transform rest = lmb_rig_get_def(rig)->joints[0].rest;
    const lmb_affine inverse = lmb_rig_get_def(rig)->joints[0].inverse_bind;
    assert_memory_equal(rest.translation, ((float[]){LMB_LARGEST, -LMB_LARGEST, 0.0f}), sizeof given);
    assert_memory_equal(rest.scale, ((float[]){0.0f, 0.0f, -LMB_SMALLEST}), sizeof given);
    assert_true(inverse.m[0][3] == 0.0f && !signbit(inverse.m[0][3]));
    lmb_rig_destroy(rig);
}

static void rotations_are_normalised_and_not_zero(void **state) {
    (void)state;
    random_source source = {61};
    lmb_joint_def joint = lmb_default_joint_def();
    joint.name = "neck";
    for (int power = -38; power < 39; power++) {
        float unit[4];
        random_rotation(&source, unit);
        double exact[4];
        for (int i = 0; i < 4; i++) {
            joint.rest.rotation[i] = ldexpf(unit[i], power);
            exact[i] = (double)joint.rest.rotation[i];
        }
        assert_true(oracle_quaternion_normalise(exact, exact));
        lmb_rig *rig = created(&joint, 1);
        for (int i = 0; i < 4; i++) {
            assert_true(fabs((double)lmb_rig_get_def(rig)->joints[0].rest.rotation[i] - exact[i]) <= 1e-6);
        }
        lmb_rig_destroy(rig);
    }
    static const float zeros[][4] = {{0.0f, 0.0f, 0.0f, 0.0f}, {-0.0f, 0.0f, -0.0f, 0.0f}};
    for (int i = 0; i < 2; i++) {
        lmb_rig *rig = NULL;
        lmb_error error = {0};
        memcpy(joint.rest.rotation, zeros[i], sizeof zeros[i]);
        CHECK_REFUSAL(create(&joint, 1, &rig, &error), &error, LMB_ERROR_ARGUMENT, "joint 0", "neck", "rotation");
    }
}

static void inverse_binds_come_from_the_rest_pose(void **state) {
    (void)state;
    enum { JOINTS = 40 };
    random_source source = {62};
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i / 2;
        random_rotation(&source, joints[i].rest.rotation);
        for (int k = 0; k < 3; k++) {
            joints[i].rest.translation[k] = (float)random_between(&source, -2.0, 2.0);
            joints[i].rest.scale[k] = (float)random_between(&source, 0.8, 1.25);
        }
    }
    joints[1].parent = 0;
    joints[7].has_inverse_bind = true;
    joints[7].inverse_bind.m[1][2] = 5.0f;
    lmb_rig *rig = created(joints, JOINTS);
    oracle_transform local[JOINTS];
    oracle_affine model[JOINTS], palette[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        local[i] = oracle_transform_from_float(&joints[i].rest);
    }
    oracle_model(rig, local, model, palette);
    for (uint32_t i = 0; i < JOINTS; i++) {
        for (int k = 0; k < 12 && i != 7; k++) {
            assert_true(fabs(palette[i].m[k / 4][k % 4] - (k / 4 == k % 4 ? 1.0 : 0.0)) <= 2e-5);
        }
    }
    const lmb_affine own = lmb_rig_get_def(rig)->joints[7].inverse_bind;
    assert_memory_equal(&own, &joints[7].inverse_bind, sizeof own);
    lmb_rig_destroy(rig);
}

static void a_flat_joint_needs_an_inverse_bind_of_its_own(void **state) {
    (void)state;
    lmb_joint_def joints[2] = {lmb_default_joint_def(), lmb_default_joint_def()};
    joints[0].name = "flat";
    joints[0].rest.scale[1] = 0.0f;
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(create(joints, 2, &rig, &error), &error, LMB_ERROR_ARGUMENT, "joint 0", "flat", "inverse");
    joints[0].has_inverse_bind = true;
    lmb_rig_destroy(created(joints, 2));
}

static void counts_have_limits(void **state) {
    (void)state;
    lmb_joint_def *joints = calloc(LMB_MAX_JOINTS + 1u, sizeof *joints);
    assert_non_null(joints);
    for (uint32_t i = 0; i <= LMB_MAX_JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == LMB_MAX_JOINTS - 1 ? LMB_NONE : i + 1; // the last joint is the root of a chain
    }
    lmb_rig *rig = created(joints, LMB_MAX_JOINTS);
    assert_int_equal(lmb_rig_get_def(rig)->joint_count, LMB_MAX_JOINTS);
    assert_int_equal(lmb_rig_depth(rig), LMB_MAX_JOINTS);
    assert_int_equal(lmb_rig_joint_of_def(rig, 0), LMB_MAX_JOINTS - 1);
    assert_int_equal(lmb_rig_joint_of_def(rig, LMB_MAX_JOINTS - 1), 0);
    lmb_rig_destroy(rig);
    rig = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(create(joints, LMB_MAX_JOINTS + 1, &rig, &error), &error, LMB_ERROR_LIMIT, "65536", "65535");
    CHECK_REFUSAL(create(joints, LMB_NONE, &rig, &error), &error, LMB_ERROR_LIMIT, "65535");
    CHECK_REFUSAL(create(joints, 0, &rig, &error), &error, LMB_ERROR_ARGUMENT, "joint");
    CHECK_REFUSAL(create(NULL, 1, &rig, &error), &error, LMB_ERROR_ARGUMENT, "joint");
    assert_null(rig);
    CHECK_REFUSAL(lmb_rig_create(NULL, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    const lmb_rig_def def = {.joints = joints, .joint_count = 1};
    CHECK_REFUSAL(lmb_rig_create(&def, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    assert_int_equal(create(NULL, 0, &rig, NULL), LMB_ERROR_ARGUMENT); // without a message
    free(joints);
}

static lmb_rig *created_with_sockets(const lmb_joint_def *joints, uint32_t count, const lmb_socket_def *sockets,
                                     uint32_t socket_count) {
    const lmb_rig_def def = {.joints = joints, .joint_count = count, .sockets = sockets, .socket_count = socket_count};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

// Children come before parents, so the joints are reordered.
static void expect_equal(const lmb_rig *one, const lmb_rig *other) {
    const lmb_rig_def *a = lmb_rig_get_def(one), *b = lmb_rig_get_def(other);
    assert_int_equal(a->joint_count, b->joint_count);
    assert_int_equal(a->socket_count, b->socket_count);
    assert_int_equal(a->channel_count, b->channel_count);
    assert_int_equal(lmb_rig_depth(one), lmb_rig_depth(other));
    for (uint32_t i = 0; i < a->joint_count; i++) {
        const lmb_joint_def *x = &a->joints[i], *y = &b->joints[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->parent == y->parent && (x->parent == LMB_NONE || x->parent < i));
        assert_memory_equal(&x->rest, &y->rest, sizeof x->rest);
        assert_memory_equal(&x->inverse_bind, &y->inverse_bind, sizeof x->inverse_bind);
        assert_true(x->radius == y->radius && x->is_extra == y->is_extra);
        assert_true(x->is_normalised && x->has_inverse_bind);
    }
    for (uint32_t i = 0; i < a->socket_count; i++) {
        const lmb_socket_def *x = &a->sockets[i], *y = &b->sockets[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->joint == y->joint && x->is_normalised);
        assert_memory_equal(&x->local, &y->local, sizeof x->local);
    }
    for (uint32_t i = 0; i < a->channel_count; i++) {
        const lmb_channel_def *x = &a->channels[i], *y = &b->channels[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->rest == y->rest && x->angle == y->angle);
    }
}

static void a_descriptor_gives_an_equal_rig(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 50; round++) {
        random_source source = {160 + round};
        lmb_joint_def joints[20];
        lmb_socket_def sockets[5];
        lmb_channel_def channels[3];
        for (uint32_t i = 0; i < 20; i++) { // the last one is a root, and parents come after their children
            lmb_joint_def *joint = &joints[i];
            *joint = lmb_default_joint_def();
            joint->name = i % 3 == 0 ? "same" : NULL;
            joint->parent = i == 19 || random_below(&source, 5) == 0 ? LMB_NONE : i + 1 + random_below(&source, 19 - i);
            for (int k = 0; k < 4; k++) {
                joint->rest.rotation[k] = 0.1f + (float)random_below(&source, 100);
                joint->rest.translation[k % 3] = (float)random_below(&source, 1000) / 7.0f;
            }
            joint->has_inverse_bind = random_below(&source, 2) == 0;
            joint->inverse_bind = lmb_affine_identity();
            joint->inverse_bind.m[1][3] = (float)random_below(&source, 1000) / 3.0f;
            joint->radius = (float)random_below(&source, 3);
            joint->is_extra = random_below(&source, 2) == 0;
        }
        for (uint32_t i = 0; i < 5; i++) {
            sockets[i] = lmb_default_socket_def();
            sockets[i].joint = random_below(&source, 20);
            sockets[i].local.rotation[0] = (float)random_below(&source, 100);
        }
        for (uint32_t i = 0; i < 3; i++) {
            channels[i] = lmb_default_channel_def();
            channels[i].angle = random_below(&source, 2) == 0;
            channels[i].rest = 170.0f + (float)random_below(&source, 1000) / 3.0f;
        }
        const lmb_rig_def def = {joints, 20, sockets, 5, channels, 3};
        lmb_error error;
        lmb_rig *first = NULL, *second = NULL;
        assert_ok(lmb_rig_create(&def, NULL, &first, &error), &error);
        assert_ok(lmb_rig_create(lmb_rig_get_def(first), NULL, &second, &error), &error);
        expect_equal(first, second);
        lmb_rig_destroy(first);
        lmb_rig_destroy(second);
    }
}

static void sockets_follow_their_joints(void **state) {
    (void)state;
    lmb_joint_def joints[3];
    lmb_socket_def sockets[3];
    for (uint32_t i = 0; i < 3; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 2 ? LMB_NONE : i + 1;
        joints[i].radius = (float)i;
        joints[i].is_extra = i < 2;
        sockets[i] = lmb_default_socket_def();
        sockets[i].joint = i;
    }
    assert_int_equal(sockets[0].joint, 0);
    assert_null(sockets[0].name);
    assert_true(sockets[0].local.rotation[3] == 1.0f && sockets[0].local.scale[2] == 1.0f);
    char name[] = "hand";
    sockets[0].name = sockets[2].name = name;
    sockets[1].name = "";
    sockets[1].local = (lmb_transform){{1.0f, 0x1p-41f, -3.0f}, {0.0f, 3.0f, 0.0f, 4.0f}, {-1.0f, 0.0f, 2.0f}};
    lmb_rig *rig = created_with_sockets(joints, 3, sockets, 3);
    name[0] = 'x';
    assert_int_equal(lmb_rig_get_def(rig)->socket_count, 3);
    assert_string_equal(lmb_rig_get_def(rig)->sockets[0].name, "hand");
    assert_string_equal(lmb_rig_get_def(rig)->sockets[1].name, "socket_1");
    assert_int_equal(lmb_rig_find_socket(rig, "hand"), 0);
    assert_int_equal(lmb_rig_find_socket(rig, "socket_1"), 1);
    assert_int_equal(lmb_rig_find_socket(rig, "foot"), LMB_NONE);
    assert_int_equal(lmb_rig_find_socket(rig, NULL), LMB_NONE);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(lmb_rig_get_def(rig)->sockets[i].joint, 2 - i);
        assert_true(lmb_rig_get_def(rig)->joints[2 - i].radius == (float)i);
        assert_int_equal(lmb_rig_get_def(rig)->joints[2 - i].is_extra, i < 2);
    }
    const lmb_transform local = lmb_rig_get_def(rig)->sockets[1].local;
    assert_true(local.translation[0] == 1.0f && local.translation[1] == 0.0f && local.translation[2] == -3.0f);
    assert_true(local.rotation[1] == 0.6f && local.rotation[3] == 0.8f);
    assert_true(local.scale[0] == -1.0f && local.scale[1] == 0.0f && local.scale[2] == 2.0f);
    lmb_rig_destroy(rig);
    rig = created(joints, 3);
    assert_int_equal(lmb_rig_get_def(rig)->socket_count, 0);
    assert_int_equal(lmb_rig_find_socket(rig, "hand"), LMB_NONE);
    lmb_rig_destroy(rig);
}

static void sockets_and_radii_are_checked(void **state) {
    (void)state;
    lmb_joint_def joint = lmb_default_joint_def();
    lmb_socket_def sockets[2] = {lmb_default_socket_def(), lmb_default_socket_def()};
    lmb_rig_def def = {.joints = &joint, .joint_count = 1, .sockets = sockets, .socket_count = 2};
    lmb_rig *rig = NULL;
    lmb_error error = {0};
    sockets[1].name = "grip";
    sockets[1].joint = 1;
    CHECK_REFUSAL(lmb_rig_create(&def, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "socket 1", "grip", "joint 1");
    sockets[1].joint = LMB_NONE;
    CHECK_REFUSAL(lmb_rig_create(&def, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "socket 1", "joint");
    sockets[1].joint = 0;
    sockets[1].local.scale[2] = NAN;
    CHECK_REFUSAL(lmb_rig_create(&def, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "grip", "scale[2]");
    sockets[1].local.scale[2] = 1.0f;
    sockets[1].local.translation[0] = 0x1p41f;
    CHECK_REFUSAL(lmb_rig_create(&def, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "grip", "translation[0]");
    sockets[1].local.translation[0] = 0.0f;
    sockets[1].local.rotation[3] = 0.0f;
    CHECK_REFUSAL(lmb_rig_create(&def, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "grip", "rotation is zero");
    sockets[1].local.rotation[3] = 1.0f;
    def.sockets = NULL;
    CHECK_REFUSAL(lmb_rig_create(&def, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "sockets");
    def.sockets = sockets;
    def.socket_count = LMB_MAX_SOCKETS + 1;
    CHECK_REFUSAL(lmb_rig_create(&def, NULL, &rig, &error), &error, LMB_ERROR_LIMIT, "65536 sockets");
    def.socket_count = 2;
    joint.radius = -0.5f;
    CHECK_REFUSAL(lmb_rig_create(&def, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "joint 0", "radius -0.5");
    joint.radius = INFINITY;
    CHECK_REFUSAL(lmb_rig_create(&def, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "joint 0", "radius");
    assert_null(rig);
}

// Normalising such a rotation changes its last bit, once or every time. A rig keeps a rotation that it already
// normalised.
static void normalised_rotations_are_kept(void **state) {
    (void)state;
    lmb_joint_def joint = lmb_default_joint_def();
    lmb_socket_def socket = lmb_default_socket_def();
    const lmb_rig_def def = {.joints = &joint, .joint_count = 1, .sockets = &socket, .socket_count = 1};
    uint32_t changed = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        const float given[4] = {0.1f + (float)i * 0.001f, -0.3f, 0.7f, 0.2f};
        float first[4], again[4];
        for (int round = 0; round < 3; round++) {
            lmb_rig *rig = NULL;
            memcpy(joint.rest.rotation, round == 0 ? given : first, sizeof given);
            memcpy(socket.local.rotation, joint.rest.rotation, sizeof given);
            joint.is_normalised = socket.is_normalised = round == 2;
            assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
            const lmb_transform rest = lmb_rig_get_def(rig)->joints[0].rest,
                                local = lmb_rig_get_def(rig)->sockets[0].local;
            memcpy(round == 0 ? first : again, rest.rotation, sizeof first);
            assert_memory_equal(rest.rotation, local.rotation, sizeof first);
            lmb_rig_destroy(rig);
            changed += round == 1 && memcmp(first, again, sizeof first) != 0;
        }
        assert_memory_equal(first, again, sizeof first);
    }
    assert_true(changed > 0); // otherwise the test is empty
    lmb_rig *rig = NULL;
    lmb_error error;
    joint.rest = lmb_transform_identity();
    socket.local.rotation[3] = 0.99f;
    CHECK_REFUSAL(lmb_rig_create(&def, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "socket 0",
                  "rotation is not normalised");
    joint.rest.rotation[0] = 0.01f;
    CHECK_REFUSAL(lmb_rig_create(&def, NULL, &rig, &error), &error, LMB_ERROR_ARGUMENT, "joint 0",
                  "rotation is not normalised");
    assert_null(rig);
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    (void)user;
    lmb_joint_def joints[3];
    for (uint32_t i = 0; i < 3; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
    }
    const lmb_socket_def socket = lmb_default_socket_def();
    const lmb_rig_def def = {.joints = joints, .joint_count = 3, .sockets = &socket, .socket_count = 1};
    lmb_rig *rig = NULL;
    const lmb_result result = lmb_rig_create(&def, host, &rig, error);
    assert_true((result == LMB_OK) == (rig != NULL));
    lmb_rig_destroy(rig);
    return result;
}

static void memory_that_is_refused(void **state) {
    (void)state;
    failing_host_try_all(create_and_destroy, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_joint_starts_as_a_root_at_rest),
        cmocka_unit_test(names_are_copied_found_and_made_up),
        cmocka_unit_test(joints_in_order_keep_it),
        cmocka_unit_test(any_order_will_do),
        cmocka_unit_test(a_parent_must_be_there),
        cmocka_unit_test(parents_in_a_circle_are_refused),
        cmocka_unit_test(values_must_be_finite_and_in_range),
        cmocka_unit_test(largest_and_smallest_values_are_snapped),
        cmocka_unit_test(rotations_are_normalised_and_not_zero),
        cmocka_unit_test(inverse_binds_come_from_the_rest_pose),
        cmocka_unit_test(a_flat_joint_needs_an_inverse_bind_of_its_own),
        cmocka_unit_test(counts_have_limits),
        cmocka_unit_test(a_descriptor_gives_an_equal_rig),
        cmocka_unit_test(sockets_follow_their_joints),
        cmocka_unit_test(sockets_and_radii_are_checked),
        cmocka_unit_test(normalised_rotations_are_kept),
        cmocka_unit_test(memory_that_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
