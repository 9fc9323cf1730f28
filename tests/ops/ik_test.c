// Inverse kinematics against the geometry, in float64: where the law of cosines puts the joints of a limb, and whether
// the line of a joint that aims meets its target. What must not change, what happens out of reach, how weights, limits
// and softening act, and inputs without a solution.
#include "refusal.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A chain with ancestors, with a joint inside each bone, and with joints that are not part of it.
enum { ROOT, PELVIS, OTHER, START, UPPER, MID, LOWER, END, LEAF, JOINTS };
static const uint32_t parents[JOINTS] = {LMB_NONE, ROOT, ROOT, PELVIS, START, UPPER, MID, LOWER, END};
enum { CHARACTERS = SUITE_SANITIZED ? 80 : 400 };
enum { TARGET, POLE = 3, TWIST = 6, WEIGHT, PARAMETERS };

typedef struct limb {
    test_scene scene;
    random_source source;
    oracle_affine base[CHARACTERS][JOINTS]; // model matrices of the base
    double axis[3];                         // of the mid
} limb;

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length(const double a[3]) {
    return sqrt(dot(a, a));
}

static void cross(const double a[3], const double b[3], double result[3]) {
    for (int i = 0; i < 3; i++) {
        result[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static void subtract(const double a[3], const double b[3], double result[3]) {
    for (int i = 0; i < 3; i++) {
        result[i] = a[i] - b[i];
    }
}

static double distance(const double a[3], const double b[3]) {
    double difference[3];
    subtract(a, b, difference);
    return length(difference);
}

// Returns the direction of v, or of what is left of it across a line.
static void unit_across(const double v[3], const double *line, double result[3]) {
    const double along = line != NULL ? dot(v, line) : 0.0;
    double across[3];
    for (int i = 0; i < 3; i++) {
        across[i] = v[i] - (line != NULL ? along * line[i] : 0.0);
    }
    for (int i = 0; i < 3; i++) {
        result[i] = across[i] / length(across);
    }
}

static void draw_direction(random_source *source, double v[3]) {
    do {
        for (int i = 0; i < 3; i++) {
            v[i] = random_between(source, -1.0, 1.0);
        }
    } while (length(v) > 1.0 || length(v) < 0.1);
    unit_across(v, NULL, v);
}

static void position(const oracle_affine *model, double p[3]) {
    for (int i = 0; i < 3; i++) {
        p[i] = model->m[i][3];
    }
}

// Applies the linear part.
static void turn_by(const oracle_affine *model, const double v[3], double result[3]) {
    double turned[3];
    for (int i = 0; i < 3; i++) {
        turned[i] = dot(model->m[i], v);
    }
    memcpy(result, turned, sizeof turned);
}

// Computes the model matrices of a pose in double precision.
static void find_models(const test_scene *scene, float *pose, uint32_t character, oracle_affine models[JOINTS]) {
    oracle_transform locals[JOINTS];
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        const lmb_transform local = scene_transform(scene, pose, character, joint);
        locals[joint] = oracle_transform_from_float(&local);
    }
    oracle_model(scene->rig, locals, models, NULL);
}

static lmb_rig *create_rig(void) {
    lmb_joint_def joints[JOINTS];
    static const char *const names[] = {"root", "pelvis", "other", "start", "upper", "mid", "lower", "end", "leaf"};
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = parents[i];
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = JOINTS};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static void set_component(limb *l, uint32_t character, uint32_t joint, uint32_t component, double value) {
    *scene_component(&l->scene, l->scene.poses[0], character, joint, component) = (float)value;
}

static void set_rotation(limb *l, uint32_t character, uint32_t joint, const double q[4]) {
    for (uint32_t i = 0; i < 4; i++) {
        set_component(l, character, joint, 3 + i, q[i]);
    }
}

static void draw_rotation(random_source *source, double q[4]) {
    double axis[3];
    draw_direction(source, axis);
    const double half = random_between(source, 0.0, 3.0);
    for (int i = 0; i < 3; i++) {
        q[i] = axis[i] * sin(half);
    }
    q[3] = cos(half);
}

static void find_all_models(limb *l) {
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        find_models(&l->scene, l->scene.poses[0], i, l->base[i]);
    }
}

// Node 0 reads the base from a buffer, node 1 solves. All characters have the same bones. They differ in the rotations
// and uniform scales of the start and its ancestors, in the bend about the axis and in the lengths of the bones.
static void limb_start(limb *l, uint64_t seed) {
    l->source = (random_source){seed};
    scene_start(&l->scene, create_rig(), CHARACTERS, PARAMETERS);
    scene_add_pose(&l->scene, 0);
    double rotations[JOINTS][4], bones[JOINTS][3];
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        draw_rotation(&l->source, rotations[joint]);
        draw_direction(&l->source, bones[joint]);
    }
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            const bool above = joint <= START;
            const bool any_scale = above || joint == MID || joint == LEAF;
            double own[4];
            draw_rotation(&l->source, own);
            set_rotation(l, i, joint, above ? own : rotations[joint]);
            const double scale = any_scale ? exp2(random_between(&l->source, -0.5, 0.5)) : 1.0;
            for (uint32_t k = 0; k < 3; k++) {
                set_component(l, i, joint, k, bones[joint][k]);
                set_component(l, i, joint, 7 + k, scale);
            }
        }
    }
    // The axis is perpendicular to both bones.
    find_all_models(l);
    oracle_affine inverse;
    double start[3], mid[3], end[3], upper[3], lower[3];
    position(&l->base[0][START], start);
    position(&l->base[0][MID], mid);
    position(&l->base[0][END], end);
    subtract(mid, start, upper);
    subtract(end, mid, lower);
    cross(lower, upper, l->axis);
    assert_true(oracle_affine_invert(&l->base[0][MID], &inverse));
    turn_by(&inverse, l->axis, l->axis);
    unit_across(l->axis, NULL, l->axis);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double q[4], turned[4];
        const double half = random_between(&l->source, -1.5, 1.5);
        for (int k = 0; k < 3; k++) {
            q[k] = l->axis[k] * sin(half);
        }
        q[3] = cos(half);
        oracle_quaternion_multiply(rotations[MID], q, turned);
        set_rotation(l, i, MID, turned);
    }
    find_all_models(l);
    scene_add_pose_node(&l->scene, 0);
    lmb_node_def *node = scene_add(&l->scene, LMB_OP_IK_TWO_BONE, 0, LMB_NONE);
    node->two_bone = (lmb_two_bone_def){.start = START, .mid = MID, .end = END, .soften = 1.0f};
    for (uint32_t k = 0; k < 3; k++) {
        node->two_bone.target[k] = lmb_parameter(TARGET + k);
        node->two_bone.pole[k] = lmb_parameter(POLE + k);
        node->two_bone.mid_axis[k] = (float)(3.0 * l->axis[k]);
    }
    node->two_bone.twist = lmb_parameter(TWIST);
    node->weight = lmb_parameter(WEIGHT);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        *scene_parameter(&l->scene, i, WEIGHT) = 1.0f;
    }
}

static lmb_two_bone_def *chain_of(limb *l) {
    return &l->scene.nodes[1].two_bone;
}

static void set_point(limb *l, uint32_t character, uint32_t parameter, const double p[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        *scene_parameter(&l->scene, character, parameter + i) = (float)p[i];
    }
}

static void get_point(limb *l, uint32_t character, uint32_t parameter, double p[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        p[i] = (double)*scene_parameter(&l->scene, character, parameter + i);
    }
}

// The lengths of both bones of a base in model space.
static void bones_of(const limb *l, uint32_t character, double bones[2]) {
    double start[3], mid[3], end[3];
    position(&l->base[character][START], start);
    position(&l->base[character][MID], mid);
    position(&l->base[character][END], end);
    bones[0] = distance(start, mid);
    bones[1] = distance(mid, end);
}

// Sets a target at a distance from the start, in units of both bones together, and a pole vector, in random directions.
static void draw_target(limb *l, uint32_t character, double reach) {
    double direction[3], pole[3], start[3], target[3], bones[2];
    bones_of(l, character, bones);
    position(&l->base[character][START], start);
    draw_direction(&l->source, direction);
    do {
        draw_direction(&l->source, pole);
    } while (fabs(dot(direction, pole)) > 0.99);
    for (int i = 0; i < 3; i++) {
        target[i] = start[i] + reach * (bones[0] + bones[1]) * direction[i];
        pole[i] *= 3.0;
    }
    set_point(l, character, TARGET, target);
    set_point(l, character, POLE, pole);
}

typedef struct errors {
    double end, mid, bones;
} errors;

// Where the joints belong: the end on the line to the target at distance `reached`, the mid by the law of cosines, in
// the half plane of the pole vector turned by the twist. Returns the distances from there, relative to the bones.
static errors measure(limb *l, uint32_t character, double reached) {
    oracle_affine models[JOINTS];
    double start[3], mid[3], end[3], target[3], pole[3], line[3], side[3], third[3], bones[2];
    find_models(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], character, models);
    position(&models[START], start);
    position(&models[MID], mid);
    position(&models[END], end);
    get_point(l, character, TARGET, target);
    get_point(l, character, POLE, pole);
    bones_of(l, character, bones);
    subtract(target, start, line);
    unit_across(line, NULL, line);
    unit_across(pole, line, side);
    cross(line, side, third);
    const double twist = (double)*scene_parameter(&l->scene, character, TWIST);
    double cosine = (bones[0] * bones[0] + reached * reached - bones[1] * bones[1]) / (2.0 * bones[0] * reached);
    cosine = fmin(fmax(cosine, -1.0), 1.0);
    const double sine = sqrt(1.0 - cosine * cosine);
    double expected_mid[3], expected_end[3];
    for (int i = 0; i < 3; i++) {
        const double turned = side[i] * cos(twist) + third[i] * sin(twist);
        expected_end[i] = start[i] + reached * line[i];
        expected_mid[i] = start[i] + bones[0] * (cosine * line[i] + sine * turned);
    }
    const double all = bones[0] + bones[1];
    return (errors){distance(end, expected_end) / all, distance(mid, expected_mid) / all,
                    fmax(fabs(distance(start, mid) - bones[0]), fabs(distance(mid, end) - bones[1])) / all};
}

static void add_errors(errors *sum, errors one) {
    sum->end = fmax(sum->end, one.end);
    sum->mid = fmax(sum->mid, one.mid);
    sum->bones = fmax(sum->bones, one.bones);
}

static void expect_errors(const char *what, errors found, errors bounds) {
    print_message("%s: end %.2g, mid %.2g, bones %.2g\n", what, found.end, found.mid, found.bones);
    assert_true(found.end <= bounds.end);
    assert_true(found.mid <= bounds.mid);
    assert_true(found.bones <= bounds.bones);
}

// Only the rotations of start and mid may differ from the base.
static void expect_others_unchanged(limb *l) {
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            for (uint32_t k = 0; k < LMB_POSE_COMPONENTS; k++) {
                const bool is_rotation = k >= 3 && k < 7;
                if (is_rotation && (joint == START || joint == MID)) {
                    continue;
                }
                const float got = *scene_component(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], i, joint, k);
                const float base = *scene_component(&l->scene, l->scene.poses[0], i, joint, k);
                assert_true(is_rotation ? fabsf(got - base) < 1e-6f : got == base); // buffers are normalised
            }
        }
    }
}

static void targets_in_reach_are_reached(void **state) {
    (void)state;
    errors found = {0};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        limb *l = calloc(1, sizeof *l);
        assert_non_null(l);
        limb_start(l, seed);
        double reaches[CHARACTERS];
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            double bones[2];
            bones_of(l, i, bones);
            const double all = bones[0] + bones[1], nearest = fabs(bones[0] - bones[1]) / all;
            reaches[i] = random_between(&l->source, nearest + 0.05, 0.98);
            draw_target(l, i, reaches[i]);
            reaches[i] *= all;
            *scene_parameter(&l->scene, i, TWIST) = i % 2 ? (float)random_between(&l->source, -7.0, 7.0) : 0.0f;
        }
        scene_run_all_paths(&l->scene);
        scene_expect_no_refusals(&l->scene);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            add_errors(&found, measure(l, i, reaches[i]));
        }
        expect_others_unchanged(l);
        scene_end(&l->scene);
        free(l);
    }
    expect_errors("in reach", found, (errors){4e-6, 2e-5, 4e-6});
}

// Beyond the reach the limb is straight; nearer than the difference of the bones it is folded. Behind the start, too.
static void targets_out_of_reach_are_pointed_at(void **state) {
    (void)state;
    limb *l = calloc(1, sizeof *l);
    assert_non_null(l);
    errors far = {0}, near = {0};
    limb_start(l, 21);
    double reached[CHARACTERS];
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double bones[2];
        bones_of(l, i, bones);
        const double all = bones[0] + bones[1], nearest = fabs(bones[0] - bones[1]) / all;
        const bool is_far = i % 2 == 0 || nearest < 0.05;
        draw_target(l, i, is_far ? exp2(random_between(&l->source, 0.01, 20.0)) : nearest * 0.75);
        reached[i] = is_far ? all : nearest * all;
    }
    scene_run_all_paths(&l->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double bones[2];
        bones_of(l, i, bones);
        add_errors(reached[i] < bones[0] + bones[1] ? &near : &far, measure(l, i, reached[i]));
    }
    expect_others_unchanged(l);
    expect_errors("too far", far, (errors){4e-6, 1e-3, 4e-6});
    expect_errors("too near", near, (errors){4e-6, 1e-3, 4e-6});
    scene_end(&l->scene);
    free(l);
}

// Targets are reported as reached if they are within the bones' reach, or with softening within that part of it, and
// the weight is 1. Near the borders either is allowed.
static void reached_targets_are_reported(void **state) {
    (void)state;
    uint32_t counts[2] = {0, 0};
    for (uint64_t seed = 31; seed < 35; seed++) {
        limb *l = calloc(1, sizeof *l);
        assert_non_null(l);
        limb_start(l, seed);
        chain_of(l)->soften = seed % 2 ? 1.0f : 0.6f;
        chain_of(l)->reached = lmb_reached((uint32_t)seed % 3);
        double reaches[CHARACTERS];
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            reaches[i] = random_between(&l->source, 0.0, 1.3);
            draw_target(l, i, reaches[i]);
            *scene_parameter(&l->scene, i, WEIGHT) = i % 5 == 0 ? 0.99f : i % 7 == 0 ? 0.0f : 1.0f;
        }
        scene_run_all_paths(&l->scene);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            double bones[2];
            bones_of(l, i, bones);
            const double nearest = fabs(bones[0] - bones[1]) / (bones[0] + bones[1]);
            const double farthest = (double)chain_of(l)->soften;
            const bool expected = reaches[i] >= nearest && reaches[i] <= farthest && i % 5 != 0 && i % 7 != 0;
            const bool is_border = fabs(reaches[i] - nearest) < 1e-5 || fabs(reaches[i] - farthest) < 1e-5;
            const bool got = scene_reached(&l->scene, i, (uint32_t)seed % 3);
            assert_true(is_border || got == expected);
            counts[got]++;
        }
        scene_end(&l->scene);
        free(l);
    }
    print_message("%u reached, %u not\n", counts[1], counts[0]);
    assert_true(counts[0] > 3 * CHARACTERS / 2 && counts[1] > CHARACTERS);
}

// A target at the start has no direction: the limb to_point, and the start does not turn. So the mid stays, and the end
// comes back on the line of the upper bone.
static void targets_at_the_start_close_the_limb(void **state) {
    (void)state;
    static const double away[] = {0.0, 0.99e-5, -0.99e-5}; // of both bones together; the border is at 1.5e-5
    limb *l = calloc(1, sizeof *l);
    assert_non_null(l);
    limb_start(l, 23);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double target[3], bones[2];
        bones_of(l, i, bones);
        position(&l->base[i][START], target);
        target[i / 3 % 3] += away[i % 3] * (bones[0] + bones[1]);
        set_point(l, i, TARGET, target);
    }
    scene_run_all_paths(&l->scene);
    double worst_mid = 0.0, worst_end = 0.0, worst_reach = 0.0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        oracle_affine models[JOINTS];
        double start[3], base_mid[3], mid[3], end[3], upper[3], expected[3], bones[2];
        find_models(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], i, models);
        bones_of(l, i, bones);
        position(&l->base[i][START], start);
        position(&l->base[i][MID], base_mid);
        position(&models[MID], mid);
        position(&models[END], end);
        subtract(base_mid, start, upper);
        unit_across(upper, NULL, upper);
        for (int k = 0; k < 3; k++) {
            expected[k] = start[k] + (bones[0] - bones[1]) * upper[k];
        }
        const double all = bones[0] + bones[1];
        worst_mid = fmax(worst_mid, distance(mid, base_mid) / all);
        worst_end = fmax(worst_end, distance(end, expected) / all);
        worst_reach = fmax(worst_reach, fabs(distance(end, start) - fabs(bones[0] - bones[1])) / all);
    }
    print_message("at the start: mid %.2g, end %.2g, its distance %.2g\n", worst_mid, worst_end, worst_reach);
    expect_others_unchanged(l);
    assert_true(worst_mid < 4e-6);
    assert_true(worst_end < 1e-3); // folded as well as straight, see ik.h
    assert_true(worst_reach < 4e-6);
    scene_end(&l->scene);
    free(l);
}

// Limbs that cannot bend: the axis along a bone, or a bone without a length. The mid does not turn, and the start turns
// the end to the line to the target, by the shortest arc.
static void limbs_that_cannot_bend_are_aimed(void **state) {
    (void)state;
    enum { AXIS_ALONG_UPPER, AXIS_ALONG_LOWER, NO_UPPER, NO_LOWER, KINDS };
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        limb *l = calloc(1, sizeof *l);
        assert_non_null(l);
        limb_start(l, 25 + kind);
        for (uint32_t i = 0; i < CHARACTERS && kind >= NO_UPPER; i++) {
            for (uint32_t k = 0; k < 3; k++) {
                set_component(l, i, kind == NO_UPPER ? UPPER : LOWER, k, 0.0);
                set_component(l, i, kind == NO_UPPER ? MID : END, k, 0.0);
            }
        }
        find_all_models(l);
        if (kind < NO_UPPER) { // all characters have the bend of the first one, so that the axis is along the bone
            for (uint32_t i = 1; i < CHARACTERS; i++) {
                for (uint32_t k = 3; k < 7; k++) {
                    const float value = *scene_component(&l->scene, l->scene.poses[0], 0, MID, k);
                    set_component(l, i, MID, k, (double)value);
                }
            }
            find_all_models(l);
            oracle_affine inverse;
            double from[3], to[3], axis[3];
            position(&l->base[0][kind == AXIS_ALONG_UPPER ? START : MID], from);
            position(&l->base[0][kind == AXIS_ALONG_UPPER ? MID : END], to);
            subtract(to, from, axis);
            assert_true(oracle_affine_invert(&l->base[0][MID], &inverse));
            turn_by(&inverse, axis, axis);
            for (int k = 0; k < 3; k++) {
                chain_of(l)->mid_axis[k] = (float)axis[k];
            }
        }
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            draw_target(l, i, random_between(&l->source, 0.1, 3.0));
            set_point(l, i, POLE, (const double[]){0.0, 0.0, 0.0});
        }
        scene_run_all_paths(&l->scene);
        double worst_end = 0.0, worst_arc = 0.0;
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            oracle_affine models[JOINTS];
            double start[3], mid[3], end[3], target[3], line[3], before[3], axis[3], bones[2];
            find_models(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], i, models);
            bones_of(l, i, bones);
            position(&l->base[i][START], start);
            position(&l->base[i][END], before);
            get_point(l, i, TARGET, target);
            subtract(before, start, before);
            subtract(target, start, line);
            unit_across(line, NULL, line);
            position(&models[END], end);
            subtract(end, start, end);
            double expected[3];
            for (int k = 0; k < 3; k++) {
                expected[k] = length(before) * line[k];
            }
            const double all = bones[0] + bones[1] + length(start); // with the ancestors, as ik.h states it
            worst_end = fmax(worst_end, distance(end, expected) / all);
            // The shortest arc keeps what is along its axis, so the mid's height above its plane.
            cross(before, line, axis);
            position(&models[MID], mid);
            subtract(mid, start, mid);
            double base_mid[3];
            position(&l->base[i][MID], base_mid);
            subtract(base_mid, start, base_mid);
            if (length(axis) > 0.1 * length(before)) {
                unit_across(axis, NULL, axis);
                worst_arc = fmax(worst_arc, fabs(dot(mid, axis) - dot(base_mid, axis)) / all);
            }
            for (uint32_t k = 3; k < 7; k++) {
                const float got = *scene_component(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], i, MID, k);
                assert_true(fabsf(got - *scene_component(&l->scene, l->scene.poses[0], i, MID, k)) < 1e-6f);
            }
        }
        print_message("cannot bend, %u: end %.2g, arc %.2g\n", kind, worst_end, worst_arc);
        assert_true(worst_end < 4e-6);
        assert_true(worst_arc < 2e-5);
        scene_end(&l->scene);
        free(l);
    }
}

// ---- Limbs without a solution of their own, by the steps of ik.h in float64.

// What the steps put out: how the start turns, and where mid and end are from the start.
typedef struct solution {
    double turn[3][3];
    double mid[3], end[3];
    bool is_opposite; // the arc is half a turn, about any axis
} solution;

static void rotate_about(const double axis[3], double angle, const double v[3], double result[3]) {
    double across[3];
    cross(axis, v, across);
    const double along = dot(axis, v);
    for (int i = 0; i < 3; i++) {
        result[i] = v[i] * cos(angle) + across[i] * sin(angle) + axis[i] * along * (1.0 - cos(angle));
    }
}

// Turns three vectors by the shortest arc between two directions.
static void turn_by_arc(const double from[3], const double to[3], double vectors[3][3]) {
    double axis[3];
    cross(from, to, axis);
    const double sine = length(axis), angle = atan2(sine, dot(from, to));
    for (int i = 0; i < 3; i++) {
        axis[i] = sine > 0.0 ? axis[i] / sine : 0.0;
    }
    for (int k = 0; k < 3; k++) {
        rotate_about(axis, angle, vectors[k], vectors[k]);
    }
}

// Step 1: turns the lower bone about the axis until the end is at a distance; not if bones are too short across it.
static void bend(const double upper[3], const double axis[3], double desired, double lower[3]) {
    double across[2][3], side[3];
    const double along = dot(upper, axis) + dot(lower, axis), all = length(upper) + length(lower);
    for (int i = 0; i < 3; i++) {
        across[0][i] = upper[i] - dot(upper, axis) * axis[i];
        across[1][i] = lower[i] - dot(lower, axis) * axis[i];
    }
    const double first = length(across[0]), second = length(across[1]);
    if (!(first * second > 0x1p-22 * all * all)) {
        return;
    }
    const double square = desired * desired - along * along - first * first - second * second;
    const double angle = acos(fmin(fmax(square / (2.0 * first * second), -1.0), 1.0));
    cross(axis, across[0], side);
    const double kept = dot(lower, axis);
    for (int i = 0; i < 3; i++) {
        lower[i] = kept * axis[i] + second / first * (cos(angle) * across[0][i] - sin(angle) * side[i]);
    }
}

static solution solve(limb *l, uint32_t character) {
    const oracle_affine *base = l->base[character];
    double start[3], upper[3], lower[3], axis[3], target[3], pole[3], line[3], end[3];
    solution s = {.turn = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    position(&base[START], start);
    position(&base[MID], upper);
    position(&base[END], lower);
    subtract(lower, upper, lower);
    subtract(upper, start, upper);
    turn_by(&base[MID], l->axis, axis);
    unit_across(axis, NULL, axis);
    get_point(l, character, TARGET, target);
    get_point(l, character, POLE, pole);
    subtract(target, start, target);
    const double all = length(upper) + length(lower), away = length(target);
    bend(upper, axis, away, lower);
    for (int i = 0; i < 3; i++) {
        end[i] = upper[i] + lower[i];
    }
    memcpy(s.mid, upper, sizeof s.mid);
    memcpy(s.end, end, sizeof s.end);
    const bool aims = all > 0.0 && away > 0x1p-16 * all, is_long = all > 0.0 && length(end) > 0x1p-16 * all;
    if (!aims && !is_long) {
        return s;
    }
    unit_across(aims ? target : end, NULL, line);
    double turned[5][3]; // the turn's columns are rows here
    memcpy(turned, s.turn, sizeof s.turn);
    if (aims && is_long) {
        unit_across(end, NULL, end);
        s.is_opposite = dot(end, line) < -0.999999;
        turn_by_arc(end, line, turned);
    }
    double now[3] = {0.0}, desired[3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            now[i] += axis[k] * turned[k][i];
        }
    }
    cross(line, pole, desired);
    double roll = (double)*scene_parameter(&l->scene, character, TWIST), sine[3], across_now[3];
    cross(line, now, across_now);
    if (length(desired) > 0x1p-20 * length(pole) && length(across_now) > 0x1p-20) {
        cross(now, desired, sine);
        roll += atan2(dot(line, sine), dot(now, desired) - dot(now, line) * dot(desired, line));
    }
    for (int k = 0; k < 3; k++) {
        rotate_about(line, roll, turned[k], turned[k]);
        for (int i = 0; i < 3; i++) {
            s.turn[i][k] = turned[k][i];
        }
    }
    memset(s.mid, 0, sizeof s.mid);
    memset(s.end, 0, sizeof s.end);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            s.mid[i] += upper[k] * turned[k][i];
            s.end[i] += (upper[k] + lower[k]) * turned[k][i];
        }
    }
    return s;
}

typedef struct differences {
    double end, mid, turn; // the first two relative to the bones and the distances of the ancestors
} differences;

// Compares all characters with the steps. Where half a turn may be about any axis and no pole vector decides, only the
// end is compared.
static differences compare_with_steps(limb *l, const char *what) {
    differences worst = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const solution s = solve(l, i);
        oracle_affine models[JOINTS];
        double start[3], mid[3], end[3], bones[2], pole[3];
        find_models(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], i, models);
        bones_of(l, i, bones);
        get_point(l, i, POLE, pole);
        position(&models[START], start);
        position(&models[MID], mid);
        position(&models[END], end);
        subtract(mid, start, mid);
        subtract(end, start, end);
        const double all = bones[0] + bones[1] + length(start);
        worst.end = fmax(worst.end, distance(end, s.end) / all);
        if (s.is_opposite && length(pole) == 0.0) {
            continue;
        }
        worst.mid = fmax(worst.mid, distance(mid, s.mid) / all);
        for (int column = 0; column < 3; column++) {
            double was[3], is[3], expected[3];
            for (int row = 0; row < 3; row++) {
                was[row] = l->base[i][START].m[row][column];
                is[row] = models[START].m[row][column];
            }
            for (int row = 0; row < 3; row++) {
                expected[row] = dot(s.turn[row], was);
            }
            worst.turn = fmax(worst.turn, distance(is, expected) / length(was));
        }
    }
    print_message("%s: end %.2g, mid %.2g, turn %.2g\n", what, worst.end, worst.mid, worst.turn);
    return worst;
}

static void expect_steps(limb *l, const char *what, differences bounds) {
    scene_run_all_paths(&l->scene);
    scene_expect_no_refusals(&l->scene);
    const differences worst = compare_with_steps(l, what);
    assert_true(worst.end <= bounds.end && worst.mid <= bounds.mid && worst.turn <= bounds.turn);
    expect_others_unchanged(l);
}

// Gives a bone no length: that of the joint, and of the one inside the bone.
static void remove_bone(limb *l, uint32_t inside, uint32_t joint) {
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            set_component(l, i, inside, k, 0.0);
            set_component(l, i, joint, k, 0.0);
        }
    }
    find_all_models(l);
}

// Turns each mid so that the bones are in one line.
static void straighten(limb *l) {
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double start[3], mid[3], end[3], upper[3], lower[3], axis[3], across[3], q[4], own[4], turned[4];
        position(&l->base[i][START], start);
        position(&l->base[i][MID], mid);
        position(&l->base[i][END], end);
        subtract(mid, start, upper);
        subtract(end, mid, lower);
        turn_by(&l->base[i][MID], l->axis, axis);
        unit_across(axis, NULL, axis);
        cross(upper, lower, across);
        const double half = -0.5 * atan2(dot(axis, across), dot(upper, lower));
        for (int k = 0; k < 3; k++) {
            q[k] = l->axis[k] * sin(half);
        }
        q[3] = cos(half);
        scene_rotation(&l->scene, l->scene.poses[0], i, MID, own);
        oracle_quaternion_multiply(own, q, turned);
        set_rotation(l, i, MID, turned);
    }
    find_all_models(l);
}

static void set_poles(limb *l, double pole) {
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double p[3];
        draw_direction(&l->source, p);
        for (int k = 0; k < 3; k++) {
            p[k] *= pole;
        }
        set_point(l, i, POLE, p);
    }
}

static limb *limb_with_targets(uint64_t seed, double nearest, double farthest) {
    limb *l = calloc(1, sizeof *l);
    assert_non_null(l);
    limb_start(l, seed);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        draw_target(l, i, random_between(&l->source, nearest, farthest));
        *scene_parameter(&l->scene, i, TWIST) = i % 2 ? (float)random_between(&l->source, -3.0, 3.0) : 0.0f;
    }
    return l;
}

static void limb_end(limb *l) {
    scene_end(&l->scene);
    free(l);
}

// A limb that is straight in the base bends as the axis says, with and without a pole vector.
static void straight_limbs_bend_about_the_axis(void **state) {
    (void)state;
    for (uint32_t poled = 0; poled < 2; poled++) {
        limb *l = limb_with_targets(301 + poled, 0.5, 0.95);
        straighten(l);
        set_poles(l, poled);
        expect_steps(l, poled ? "straight, with a pole" : "straight, without", (differences){4e-6, 2e-5, 1e-4});
        limb_end(l);
    }
}

// Bones without a length: the rest turns as a whole, by the arc, the pole vector and the twist. All joints in one
// place: nothing turns.
static void limbs_without_bones_turn_as_a_whole(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind < 6; kind++) {
        limb *l = limb_with_targets(311 + kind, 0.3, 2.0);
        if (kind % 3 != 1) {
            remove_bone(l, UPPER, MID);
        }
        if (kind % 3 != 0) {
            remove_bone(l, LOWER, END);
        }
        set_poles(l, kind / 3);
        static const char *const names[] = {"no upper bone", "no lower bone", "no bones"};
        expect_steps(l, names[kind % 3], (differences){4e-6, 4e-6, kind % 3 == 2 ? 1e-6 : 1e-4});
        limb_end(l);
    }
}

// A target at the start: the end keeps its direction, and the start turns about it by pole vector and twist. Where the
// limb to_point to a point, it does not turn at all.
static void targets_at_the_start_keep_the_direction(void **state) {
    (void)state;
    for (uint32_t to_point = 0; to_point < 2; to_point++) {
        limb *l = limb_with_targets(321 + to_point, 0.5, 0.9);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            double start[3], bones[2];
            bones_of(l, i, bones);
            for (uint32_t k = 0; k < 3 && to_point; k++) { // both bones get the same length
                for (uint32_t joint = LOWER; joint <= END; joint++) {
                    const double t = (double)*scene_component(&l->scene, l->scene.poses[0], i, joint, k);
                    set_component(l, i, joint, k, t * bones[0] / bones[1]);
                }
            }
            position(&l->base[i][START], start);
            set_point(l, i, TARGET, start);
        }
        find_all_models(l);
        set_poles(l, 1.0);
        expect_steps(l, to_point ? "folded to a point" : "at the start",
                     (differences){4e-6, 2e-5, to_point ? 1e-6 : 1e-4});
        limb_end(l);
    }
}

// A target straight behind: the arc is half a turn about any axis, and a pole vector decides.
static void targets_behind_are_reached(void **state) {
    (void)state;
    for (uint32_t poled = 0; poled < 2; poled++) {
        limb *l = limb_with_targets(331 + poled, 0.5, 0.9);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            double start[3], end[3], target[3];
            position(&l->base[i][START], start);
            position(&l->base[i][END], end);
            for (int k = 0; k < 3; k++) {
                target[k] = 2.0 * start[k] - end[k];
            }
            set_point(l, i, TARGET, target);
        }
        set_poles(l, poled);
        expect_steps(l, poled ? "behind, with a pole" : "behind, without", (differences){4e-6, 2e-4, 1e-3});
        limb_end(l);
    }
}

// A pole vector along the line is ignored, whatever its rounding.
static void poles_along_the_line_are_ignored(void **state) {
    (void)state;
    limb *l = limb_with_targets(341, 0.5, 0.9);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double start[3], target[3], pole[3];
        position(&l->base[i][START], start);
        get_point(l, i, TARGET, target);
        subtract(target, start, pole);
        for (int k = 0; k < 3; k++) {
            pole[k] *= i % 4 < 2 ? 1.0 : -0.01;
        }
        set_point(l, i, POLE, pole);
    }
    scene_run_all_paths(&l->scene);
    set_poles(l, 0.0);
    const differences worst = compare_with_steps(l, "pole along the line");
    assert_true(worst.end < 4e-6 && worst.mid < 2e-5 && worst.turn < 1e-4);
    limb_end(l);
}

// Steps targets outwards through the reach. The end follows the stated curve; it never moves further than the target.
static void softened_limbs_do_not_snap(void **state) {
    (void)state;
    static const float softens[] = {0.0f, 0.5f, 0.9f, 0.97f, 1.0f};
    for (size_t s = 0; s < sizeof softens / sizeof softens[0]; s++) {
        limb *l = calloc(1, sizeof *l);
        assert_non_null(l);
        limb_start(l, 31);
        const double soften = (double)softens[s];
        chain_of(l)->soften = softens[s];
        // All characters have the base of the first one.
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t joint = 0; joint < JOINTS; joint++) {
                for (uint32_t k = 0; k < LMB_POSE_COMPONENTS; k++) {
                    const float value = *scene_component(&l->scene, l->scene.poses[0], 0, joint, k);
                    set_component(l, i, joint, k, (double)value);
                }
            }
        }
        find_all_models(l);
        double bones[2], start[3], first[3], ends[CHARACTERS][3], worst = 0.0;
        bones_of(l, 0, bones);
        position(&l->base[0][START], start);
        const double all = bones[0] + bones[1], step = 1.0 / 200.0, from = 0.4;
        draw_target(l, 0, from);
        get_point(l, 0, TARGET, first);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            double target[3], pole[3];
            for (int k = 0; k < 3; k++) {
                target[k] = start[k] + (first[k] - start[k]) * (1.0 + step * i / from);
            }
            get_point(l, 0, POLE, pole);
            set_point(l, i, TARGET, target);
            set_point(l, i, POLE, pole);
        }
        scene_run_all_paths(&l->scene);
        errors found = {0};
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            oracle_affine models[JOINTS];
            find_models(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], i, models);
            position(&models[END], ends[i]);
            const double d = from + step * i, left = 1.0 - soften;
            double reached = d;
            if (d > soften) {
                reached = left > 0.0 ? soften + left * (1.0 - exp(-(d - soften) / left)) : 1.0;
            }
            const double nearest = fabs(bones[0] - bones[1]) / all;
            add_errors(&found, measure(l, i, fmax(reached, nearest) * all));
            worst = i > 0 ? fmax(worst, distance(ends[i], ends[i - 1]) / (step * all)) : worst;
        }
        print_message("soften %g: the end moves %.4f as far as the target. ", soften, worst);
        expect_errors("", found, (errors){4e-6, 1e-3, 4e-6});
        assert_true(worst < 1.001);
        scene_end(&l->scene);
        free(l);
    }
}

// Of the quaternions q and -q, the one on the side of another.
static void rotation_near(limb *l, float *pose, uint32_t character, uint32_t joint, const double near[4], double q[4]) {
    scene_rotation(&l->scene, pose, character, joint, q);
    const double sign = oracle_quaternion_dot(q, near) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++) {
        q[i] *= sign;
    }
}

static void weights_slerp_from_the_base(void **state) {
    (void)state;
    limb *l = calloc(1, sizeof *l);
    assert_non_null(l);
    limb_start(l, 41);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        draw_target(l, i, random_between(&l->source, 0.0, 1.5));
    }
    scene_run(&l->scene);
    float *solved = scene_keep_output(&l->scene, LMB_OUTPUT_LOCAL);
    l->scene.node_count = 1;
    scene_run(&l->scene);
    float *base = scene_keep_output(&l->scene, LMB_OUTPUT_LOCAL);
    l->scene.node_count = 2;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        *scene_parameter(&l->scene, i, WEIGHT) = 0.0f;
        for (uint32_t k = 0; i % 2 == 1 && k < 7; k++) {
            *scene_parameter(&l->scene, i, k) *= NAN; // nothing is computed from it
        }
    }
    scene_run_all_paths(&l->scene);
    scene_expect_output(&l->scene, LMB_OUTPUT_LOCAL, base);
    double worst = 0.0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        *scene_parameter(&l->scene, i, WEIGHT) = (float)(i % 5) * 0.25f;
        *scene_parameter(&l->scene, i, TWIST) = 0.0f;
    }
    for (uint32_t i = 1; i < CHARACTERS; i += 2) {
        draw_target(l, i, 0.5);
    }
    scene_run_all_paths(&l->scene);
    for (uint32_t i = 0; i < CHARACTERS; i += 2) {
        for (uint32_t joint = START; joint <= MID; joint += MID - START) {
            double from[4], to[4], got[4], expected[4];
            oracle_choices choices = {0};
            scene_rotation(&l->scene, base, i, joint, from);
            rotation_near(l, solved, i, joint, from, to);
            const double w = (i % 5) * 0.25;
            if (fabs(oracle_quaternion_dot(from, to)) < 0.01) {
                continue; // half a turn either way
            }
            oracle_quaternion_slerp(from, to, w, &choices, expected);
            rotation_near(l, l->scene.buffers[LMB_OUTPUT_LOCAL], i, joint, expected, got);
            for (int k = 0; k < 4; k++) {
                worst = fmax(worst, fabs(got[k] - expected[k]));
            }
            if (w == 1.0) {
                for (uint32_t k = 3; k < 7; k++) {
                    float *local = l->scene.buffers[LMB_OUTPUT_LOCAL];
                    const float *whole = scene_component(&l->scene, solved, i, joint, k);
                    assert_true(*scene_component(&l->scene, local, i, joint, k) == *whole);
                }
            }
        }
    }
    print_message("weights: %.2g\n", worst);
    assert_true(worst < 1e-6);
    free(solved);
    free(base);
    scene_end(&l->scene);
    free(l);
}

// Ancestors, mid and end of any scale, also mirroring.
static void ancestors_may_have_any_scale(void **state) {
    (void)state;
    limb *l = calloc(1, sizeof *l);
    assert_non_null(l);
    limb_start(l, 51);
    double worst = 0.0, worst_side = 0.0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            set_component(l, i, ROOT, 7 + k,
                          random_between(&l->source, 0.5, 2.0) * (i % 3 == 0 && k == 1 ? -1.0 : 1.0));
            set_component(l, i, PELVIS, 7 + k, random_between(&l->source, 0.5, 2.0));
            set_component(l, i, MID, 7 + k, i % 2 == 0 ? 1.0 : random_between(&l->source, 0.5, 2.0));
            set_component(l, i, END, 7 + k, random_between(&l->source, 0.5, 2.0));
        }
    }
    find_all_models(l);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        // The target is where the end is after another bend and another rotation of the start, so it is in reach.
        double q[4], target[3];
        for (uint32_t joint = START; joint <= MID; joint += MID - START) {
            draw_rotation(&l->source, q);
            const double half = random_between(&l->source, -1.2, -0.2);
            for (int k = 0; joint == MID && k < 3; k++) {
                q[k] = l->axis[k] * sin(half);
            }
            q[3] = joint == MID ? cos(half) : q[3];
            double old[4], turned[4];
            scene_rotation(&l->scene, l->scene.poses[0], i, joint, old);
            oracle_quaternion_multiply(old, q, turned);
            set_rotation(l, i, joint, turned);
        }
        oracle_affine models[JOINTS];
        find_models(&l->scene, l->scene.poses[0], i, models);
        position(&models[END], target);
        set_point(l, i, TARGET, target);
        set_point(l, i, POLE, (const double[]){0.3, -0.2, 1.0});
        draw_rotation(&l->source, q);
        set_rotation(l, i, START, q);
    }
    scene_run_all_paths(&l->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        oracle_affine models[JOINTS];
        double end[3], target[3], bones[2];
        find_models(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], i, models);
        position(&models[END], end);
        get_point(l, i, TARGET, target);
        bones_of(l, i, bones);
        worst = fmax(worst, distance(end, target) / (bones[0] + bones[1]));
        // The mid is in the half plane of the pole vector, which any scale maps to a half plane, if the axis is
        // perpendicular to both bones.
        double start[3], mid[3], line[3], aside[3], pole[3];
        position(&models[START], start);
        position(&models[MID], mid);
        subtract(end, start, line);
        unit_across(line, NULL, line);
        subtract(mid, start, aside);
        unit_across(aside, line, aside);
        get_point(l, i, POLE, pole);
        unit_across(pole, line, pole);
        worst_side = i % 2 == 0 ? fmax(worst_side, distance(aside, pole)) : worst_side;
    }
    print_message("ancestors of any scale: %.2g, side %.2g\n", worst, worst_side);
    assert_true(worst < 2e-5);
    assert_true(worst_side < 1e-3);
    scene_end(&l->scene);
    free(l);
}

// NaN counts as 0 and as refused. A pole vector along the line, or 0, leaves the shortest arc.
static void edges_are_as_stated(void **state) {
    (void)state;
    limb *l = calloc(1, sizeof *l);
    assert_non_null(l);
    limb_start(l, 71);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double start[3], target[3], line[3];
        draw_target(l, i, 0.8);
        position(&l->base[i][START], start);
        get_point(l, i, TARGET, target);
        subtract(target, start, line);
        for (int k = 0; k < 3; k++) {
            line[k] *= i % 2;
        }
        set_point(l, i, POLE, line);
    }
    scene_run_all_paths(&l->scene);
    double worst = 0.0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        oracle_affine models[JOINTS];
        double end[3], target[3], bones[2];
        find_models(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], i, models);
        position(&models[END], end);
        get_point(l, i, TARGET, target);
        bones_of(l, i, bones);
        worst = fmax(worst, distance(end, target) / (bones[0] + bones[1]));
    }
    assert_true(worst < 4e-6);
    *scene_parameter(&l->scene, 5, TARGET) = NAN;
    *scene_parameter(&l->scene, 6, POLE) = NAN;
    *scene_parameter(&l->scene, 7, WEIGHT) = NAN;
    scene_run_all_paths(&l->scene);
    assert_int_equal(l->scene.refused[LMB_REFUSED_WEIGHT], 3);
    float *with_nan = scene_keep_output(&l->scene, LMB_OUTPUT_LOCAL);
    *scene_parameter(&l->scene, 5, TARGET) = 0.0f;
    *scene_parameter(&l->scene, 6, POLE) = 0.0f;
    *scene_parameter(&l->scene, 7, WEIGHT) = 0.0f;
    scene_run(&l->scene);
    scene_expect_output(&l->scene, LMB_OUTPUT_LOCAL, with_nan);
    free(with_nan);
    scene_end(&l->scene);
    free(l);
}

// ---- Aiming.

static lmb_aim_def *aim_of(limb *l) {
    return &l->scene.nodes[1].aim;
}

// A limb whose joints aim, the first one from an offset. Targets are in random directions.
static limb *aim_start(uint64_t seed, uint32_t count, const uint32_t *joints, const float *shares) {
    limb *l = calloc(1, sizeof *l);
    assert_non_null(l);
    limb_start(l, seed);
    lmb_node_def *node = &l->scene.nodes[1];
    node->op = LMB_OP_IK_AIM;
    node->aim.joint_count = count;
    double forward[3], up[3];
    draw_direction(&l->source, forward);
    do {
        draw_direction(&l->source, up);
    } while (fabs(dot(forward, up)) > 0.9);
    for (uint32_t i = 0; i < count; i++) {
        node->aim.joints[i] = joints[i];
        node->aim.shares[i] = shares[i];
    }
    for (uint32_t i = 0; i < 3; i++) {
        node->aim.forward[i] = (float)(2.0 * forward[i]);
        node->aim.up[i] = (float)up[i];
        node->aim.offset[i] = (float)random_between(&l->source, -0.2, 0.2);
        node->aim.target[i] = lmb_parameter(TARGET + i);
        node->aim.pole[i] = lmb_parameter(POLE + i);
    }
    node->aim.twist = lmb_parameter(TWIST);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double joint[3], target[3], direction[3], pole[3];
        position(&l->base[i][joints[count - 1]], joint);
        draw_direction(&l->source, direction);
        do {
            draw_direction(&l->source, pole);
        } while (fabs(dot(direction, pole)) > 0.95);
        const double away = random_between(&l->source, 8.0, 30.0);
        for (int k = 0; k < 3; k++) {
            target[k] = joint[k] + away * direction[k];
        }
        set_point(l, i, TARGET, target);
        set_point(l, i, POLE, pole);
    }
    return l;
}

static void aim_end(limb *l) {
    scene_end(&l->scene);
    free(l);
}

static double angle_between(const double a[3], const double b[3]) {
    double across[3];
    cross(a, b, across);
    return atan2(length(across), dot(a, b));
}

static void to_doubles(const float from[3], double to[3]) {
    for (int i = 0; i < 3; i++) {
        to[i] = (double)from[i];
    }
}

static double twist_of(limb *l, uint32_t character) {
    return (double)*scene_parameter(&l->scene, character, TWIST);
}

// Twists every other character.
static void draw_twists(limb *l) {
    for (uint32_t i = 1; i < CHARACTERS; i += 2) {
        *scene_parameter(&l->scene, i, TWIST) = (float)random_between(&l->source, -7.0, 7.0);
    }
}

// Returns the angles by which the line of the first joint misses the target, and by which its up axis is not turned by
// the twist from the side of the pole vector, seen along the line from the last joint that turns to the target.
static void measure_aim(limb *l, uint32_t character, double *miss, double *roll) {
    const lmb_aim_def *aim = aim_of(l);
    oracle_affine models[JOINTS];
    double forward[3], up[3], offset[3], eye[3], pivot[3], target[3], pole[3], line[3], from[3], to[3];
    find_models(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], character, models);
    const oracle_affine *first = &models[aim->joints[0]];
    get_point(l, character, TARGET, target);
    get_point(l, character, POLE, pole);
    to_doubles(aim->forward, forward);
    to_doubles(aim->up, up);
    to_doubles(aim->offset, offset);
    turn_by(first, forward, forward);
    turn_by(first, up, up);
    turn_by(first, offset, offset);
    position(first, eye);
    position(&models[aim->joints[aim->joint_count - 1]], pivot);
    for (int i = 0; i < 3; i++) {
        eye[i] += offset[i];
    }
    subtract(target, eye, line);
    *miss = angle_between(forward, line);
    subtract(target, pivot, line);
    unit_across(line, NULL, line);
    unit_across(up, line, from);
    unit_across(pole, line, to);
    rotate_about(line, twist_of(l, character), to, to);
    *roll = angle_between(from, to);
}

static void expect_aim(limb *l, const char *what) {
    double worst_miss = 0.0, worst_roll = 0.0;
    scene_run_all_paths(&l->scene);
    scene_expect_no_refusals(&l->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double miss, roll;
        measure_aim(l, i, &miss, &roll);
        worst_miss = fmax(worst_miss, miss);
        worst_roll = fmax(worst_roll, roll);
    }
    print_message("%s: misses by %.2g, rolls by %.2g\n", what, worst_miss, worst_roll);
    assert_true(worst_miss < 4e-6);
    assert_true(worst_roll < 4e-5); // its sine may be small
}

static const uint32_t chain_joints[] = {END, MID, START, PELVIS};
static const float chain_shares[] = {0.3f, 0.4f, 0.5f, 1.0f};

static void lines_meet_the_target(void **state) {
    (void)state;
    for (uint64_t seed = 101; seed < 106; seed++) {
        const float whole = 1.0f;
        limb *l = aim_start(seed, 1, chain_joints, &whole);
        draw_twists(l);
        expect_aim(l, "one joint");
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t joint = 0; joint < JOINTS; joint++) {
                for (uint32_t k = 0; k < LMB_POSE_COMPONENTS && joint != END; k++) {
                    const float got = *scene_component(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], i, joint, k);
                    assert_true(fabsf(got - *scene_component(&l->scene, l->scene.poses[0], i, joint, k)) < 1e-6f);
                }
            }
        }
        aim_end(l);
        l = aim_start(seed, 4, chain_joints, chain_shares);
        draw_twists(l);
        expect_aim(l, "a chain");
        aim_end(l);
    }
}

// The angle of the turn of a joint from its base.
static double turned(limb *l, uint32_t character, uint32_t joint) {
    double from[4], to[4], back[4], turn[4];
    scene_rotation(&l->scene, l->scene.poses[0], character, joint, from);
    scene_rotation(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], character, joint, to);
    oracle_quaternion_conjugate(from, back);
    oracle_quaternion_multiply(back, to, turn);
    return 2.0 * atan2(length(turn), fabs(turn[3]));
}

// Puts the target of an aim without pole vector and offset at an angle from the forward axis of the first joint.
static void set_target_at(limb *l, uint32_t character, double angle) {
    const uint32_t first = aim_of(l)->joints[0];
    double forward[3], across[3], joint[3], target[3];
    to_doubles(aim_of(l)->forward, forward);
    turn_by(&l->base[character][first], forward, forward);
    unit_across(forward, NULL, forward);
    unit_across((const double[]){0.3, -0.8, 0.5}, forward, across);
    position(&l->base[character][first], joint);
    for (int i = 0; i < 3; i++) {
        target[i] = joint[i] + 5.0 * (forward[i] * cos(angle) + across[i] * sin(angle));
    }
    set_point(l, character, TARGET, target);
    set_point(l, character, POLE, (const double[]){0.0, 0.0, 0.0});
}

// Cosines of half of such angles are the same float.
static void small_limits_are_kept(void) {
    static const float limits[] = {0.0f, 1e-4f, 3e-4f, 1e-3f, 0.01f};
    static const float share = 1.0f;
    for (uint32_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        limb *l = aim_start(141 + k, 1, chain_joints, &share);
        aim_of(l)->limit = limits[k];
        memset(aim_of(l)->offset, 0, sizeof aim_of(l)->offset);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            set_target_at(l, i, (double)i / CHARACTERS * (2.0 * (double)limits[k] + 1e-3));
        }
        scene_run_all_paths(&l->scene);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            assert_true(turned(l, i, END) <= (double)limits[k] + 4e-6);
        }
        aim_end(l);
    }
}

// Without a pole vector, ancestors do not begin to roll where the limit begins to act.
static void limits_make_no_jump(void) {
    limb *l = aim_start(151, 4, chain_joints, chain_shares);
    const double limit = 1.2, step = 1e-4;
    aim_of(l)->limit = (float)limit;
    memset(aim_of(l)->offset, 0, sizeof aim_of(l)->offset);
    float *before = NULL;
    double worst = 0.0;
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            set_target_at(l, i, side == 0 ? limit - step : limit + step);
        }
        scene_run_all_paths(&l->scene);
        before = side == 0 ? scene_keep_output(&l->scene, LMB_OUTPUT_LOCAL) : before;
    }
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            double from[4], to[4];
            scene_rotation(&l->scene, before, i, chain_joints[k], from);
            scene_rotation(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], i, chain_joints[k], to);
            double cosine = 0.0;
            for (int c = 0; c < 4; c++) {
                cosine += from[c] * to[c];
            }
            worst = fmax(worst, 1.0 - fabs(cosine));
        }
    }
    print_message("1 - cosine of half the step across the limit: %.2g\n", worst);
    assert_true(worst < 1e-6);
    free(before);
    aim_end(l);
}

// Without a pole vector and an offset, a joint turns by the angle between its forward axis and the target, up to the
// limit, and by its share of that.
static void turns_are_shortest_and_limited(void **state) {
    (void)state;
    static const float limits[] = {0.0f, 0.4f, 1.5f, 3.0f, 3.14159274f, 100.0f, INFINITY};
    static const float shares[] = {1.0f, 0.25f};
    double worst = 0.0;
    for (uint32_t k = 0; k < 2 * sizeof limits / sizeof limits[0]; k++) {
        limb *l = aim_start(111 + k, 1, chain_joints, &shares[k % 2]);
        lmb_aim_def *aim = aim_of(l);
        aim->limit = limits[k / 2];
        memset(aim->offset, 0, sizeof aim->offset);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            set_point(l, i, POLE, (const double[]){0.0, 0.0, 0.0});
        }
        scene_run_all_paths(&l->scene);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            double forward[3], joint[3], target[3], line[3];
            to_doubles(aim->forward, forward);
            turn_by(&l->base[i][END], forward, forward);
            position(&l->base[i][END], joint);
            get_point(l, i, TARGET, target);
            subtract(target, joint, line);
            const double whole = fmin(angle_between(forward, line), (double)aim->limit);
            worst = fmax(worst, fabs(turned(l, i, END) - whole * (double)shares[k % 2]));
        }
        aim_end(l);
    }
    print_message("shortest turns: %.2g\n", worst);
    assert_true(worst < 4e-6);
    small_limits_are_kept();
    limits_make_no_jump();
    // With a roll, and in a chain.
    limb *l = aim_start(121, 4, chain_joints, chain_shares);
    aim_of(l)->limit = 0.3f;
    draw_twists(l);
    scene_run_all_paths(&l->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            assert_true(turned(l, i, chain_joints[k]) <= 0.3 * (double)chain_shares[k] + 4e-6);
        }
    }
    aim_end(l);
}

static void aims_are_weighted(void **state) {
    (void)state;
    limb *l = aim_start(131, 4, chain_joints, chain_shares);
    scene_run(&l->scene);
    float *whole = scene_keep_output(&l->scene, LMB_OUTPUT_LOCAL);
    l->scene.node_count = 1;
    scene_run(&l->scene);
    float *base = scene_keep_output(&l->scene, LMB_OUTPUT_LOCAL);
    l->scene.node_count = 2;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        *scene_parameter(&l->scene, i, WEIGHT) = (float)(i % 3) * 0.5f;
    }
    scene_run_all_paths(&l->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            double from[4], to[4], got[4], expected[4];
            oracle_choices choices = {0};
            scene_rotation(&l->scene, base, i, joint, from);
            rotation_near(l, whole, i, joint, from, to);
            oracle_quaternion_slerp(from, to, (i % 3) * 0.5, &choices, expected);
            rotation_near(l, l->scene.buffers[LMB_OUTPUT_LOCAL], i, joint, expected, got);
            for (uint32_t k = 0; k < 4; k++) {
                float *local = l->scene.buffers[LMB_OUTPUT_LOCAL];
                const float *same = scene_component(&l->scene, i % 3 == 0 ? base : whole, i, joint, 3 + k);
                const bool is_near = fabs(oracle_quaternion_dot(from, to)) < 1e-5 || fabs(got[k] - expected[k]) < 1e-6;
                assert_true(i % 3 == 1 ? is_near : *scene_component(&l->scene, local, i, joint, 3 + k) == *same);
            }
        }
    }
    free(whole);
    free(base);
    aim_end(l);
}

// Behind the joint, at the joint, nearer than the offset, along the pole vector or the up axis, and not finite.
static void aims_have_edges(void **state) {
    (void)state;
    const float whole = 1.0f;
    limb *l = aim_start(141, 1, chain_joints, &whole);
    memset(aim_of(l)->offset, 0, sizeof aim_of(l)->offset);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double forward[3], joint[3], target[3];
        to_doubles(aim_of(l)->forward, forward);
        turn_by(&l->base[i][END], forward, forward);
        position(&l->base[i][END], joint);
        for (int k = 0; k < 3; k++) {
            target[k] = joint[k] - (i % 2 ? 3.0 : 0.0) * forward[k];
        }
        set_point(l, i, TARGET, target);
        if (i % 4 < 2) {
            set_point(l, i, POLE, forward); // along the line
        }
    }
    scene_run_all_paths(&l->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double miss, roll;
        measure_aim(l, i, &miss, &roll);
        assert_true(i % 2 ? miss < 4e-6 : turned(l, i, END) == 0.0 || turned(l, i, END) < 1e-6);
    }
    aim_end(l);
    l = aim_start(142, 4, chain_joints, chain_shares); // nearer than the offset
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double joint[3];
        position(&l->base[i][END], joint);
        for (int k = 0; k < 3; k++) {
            joint[k] += random_between(&l->source, -0.1, 0.1);
        }
        set_point(l, i, TARGET, joint);
    }
    aim_of(l)->offset[0] = 5.0f;
    scene_run_all_paths(&l->scene);
    memcpy(aim_of(l)->up, aim_of(l)->forward, sizeof aim_of(l)->up);
    scene_run_all_paths(&l->scene);
    aim_end(l);
    l = aim_start(143, 4, chain_joints, chain_shares); // NaN counts as 0, infinity as 2^40
    static const uint32_t parameters[] = {TARGET, POLE, WEIGHT, TARGET + 2};
    static const float odd[] = {NAN, NAN, NAN, INFINITY}, as[] = {0.0f, 0.0f, 0.0f, 0x1p40f};
    for (uint32_t i = 0; i < 4; i++) {
        *scene_parameter(&l->scene, i, parameters[i]) = odd[i];
    }
    scene_run_all_paths(&l->scene);
    assert_int_equal(l->scene.refused[LMB_REFUSED_WEIGHT], 3);
    float *with_odd = scene_keep_output(&l->scene, LMB_OUTPUT_LOCAL);
    for (uint32_t i = 0; i < 4; i++) {
        *scene_parameter(&l->scene, i, parameters[i]) = as[i];
    }
    scene_run(&l->scene);
    scene_expect_output(&l->scene, LMB_OUTPUT_LOCAL, with_odd);
    free(with_odd);
    aim_end(l);
}

// A rotation in model space as columns, from the local rotations down to a joint: scales are positive here.
static void rotation_of(limb *l, float *pose, uint32_t character, uint32_t joint, double columns[3][3]) {
    static const double units[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double q[4];
    memcpy(columns, units, sizeof units);
    for (uint32_t at = joint; at != LMB_NONE; at = parents[at]) {
        scene_rotation(&l->scene, pose, character, at, q);
        const double half = atan2(length(q), q[3]), sine = length(q);
        double axis[3] = {0.0, 0.0, 1.0};
        for (int i = 0; i < 3 && sine > 0.0; i++) {
            axis[i] = q[i] / sine;
        }
        for (int k = 0; k < 3; k++) {
            rotate_about(axis, 2.0 * half, columns[k], columns[k]);
        }
    }
}

// A vector of the first joint, which its scale stretches, in model space.
static void aim_vector(limb *l, uint32_t character, const float v[3], double columns[3][3], double result[3]) {
    double scaled[3];
    for (uint32_t k = 0; k < 3; k++) {
        scaled[k] = (double)v[k] * (double)*scene_component(&l->scene, l->scene.poses[0], character, END, 7 + k);
    }
    for (int i = 0; i < 3; i++) {
        result[i] = columns[0][i] * scaled[0] + columns[1][i] * scaled[1] + columns[2][i] * scaled[2];
    }
}

// By the steps of ik.h: turns the columns of a single joint, the end, that aims. Returns whether the arc may go about
// any axis.
static bool aim_columns(limb *l, uint32_t character, double columns[3][3]) {
    double joint[3], parent[3], target[3], pole[3], forward[3], up[3], offset[3], point[3], line[3], scale = 1.0;
    position(&l->base[character][END], joint);
    position(&l->base[character][LOWER], parent);
    get_point(l, character, TARGET, target);
    get_point(l, character, POLE, pole);
    subtract(target, joint, target);
    if (length(target) <= 0x1p-16 * distance(joint, parent)) {
        return false;
    }
    for (uint32_t at = LOWER; at != LMB_NONE; at = parents[at]) { // of the ancestors, which offsets have too
        scale *= (double)*scene_component(&l->scene, l->scene.poses[0], character, at, 7);
    }
    aim_vector(l, character, aim_of(l)->forward, columns, forward);
    aim_vector(l, character, aim_of(l)->up, columns, up);
    aim_vector(l, character, aim_of(l)->offset, columns, offset);
    if (length(forward) > 0.0) {
        unit_across(forward, NULL, forward);
    }
    double aside = 0.0;
    for (int i = 0; i < 3; i++) {
        point[i] = scale * (offset[i] - dot(offset, forward) * forward[i]);
    }
    aside = dot(point, point);
    const double along = sqrt(fmax(dot(target, target) - aside, 0.0));
    for (int i = 0; i < 3; i++) {
        point[i] += along * forward[i];
    }
    unit_across(target, NULL, line);
    double vectors[4][3];
    memcpy(vectors, columns, 9 * sizeof(double));
    memcpy(vectors[3], up, sizeof up);
    bool is_opposite = false;
    if (length(point) > 0.0) {
        unit_across(point, NULL, point);
        is_opposite = dot(point, line) < -0.999999;
        turn_by_arc(point, line, vectors);
        double others[3][3];
        memcpy(others[0], up, sizeof up);
        memcpy(others[1], up, sizeof up);
        memcpy(others[2], up, sizeof up);
        turn_by_arc(point, line, others);
        memcpy(vectors[3], others[0], sizeof up);
    }
    double across_up[3], across_pole[3], sine[3], roll = 0.0;
    cross(line, vectors[3], across_up);
    cross(line, pole, across_pole);
    if (length(across_up) > 0x1p-20 * length(up) && length(across_pole) > 0x1p-20 * length(pole)) {
        cross(across_up, across_pole, sine);
        roll = atan2(dot(line, sine), dot(across_up, across_pole));
    }
    roll += twist_of(l, character);
    for (int k = 0; k < 3; k++) {
        rotate_about(line, roll, vectors[k], columns[k]);
    }
    return is_opposite;
}

// Compares the end's rotation with the steps. A half turn about any axis is compared where the pole vector decides.
static void expect_aim_steps(limb *l, const char *what, double bound) {
    double worst = 0.0;
    uint32_t compared = 0;
    scene_run_all_paths(&l->scene);
    scene_expect_no_refusals(&l->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double expected[3][3], got[3][3], pole[3];
        rotation_of(l, l->scene.poses[0], i, END, expected);
        rotation_of(l, l->scene.buffers[LMB_OUTPUT_LOCAL], i, END, got);
        get_point(l, i, POLE, pole);
        if (aim_columns(l, i, expected) && length(pole) == 0.0) {
            continue;
        }
        compared++;
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, distance(expected[k], got[k]));
        }
    }
    print_message("%s: %.2g, %u compared\n", what, worst, (unsigned)compared);
    assert_true(compared > CHARACTERS / 3);
    assert_true(worst <= bound);
}

// Of a single joint: up along forward, pole vectors along the line, targets straight behind and at the joint, and
// scales that leave a direction no length.
static void aims_without_directions_follow_the_steps(void **state) {
    (void)state;
    enum {
        PLAIN,
        UP_ALONG_FORWARD,
        UP_ALONG_LINE,
        POLE_ALONG_LINE,
        BEHIND,
        AT_JOINT,
        FLAT_FORWARD,
        FLAT_UP,
        FLAT,
        KINDS
    };
    static const char *const names[KINDS] = {
        "aim",          "up along forward",       "up along forward and line", "pole along line", "behind",
        "at the joint", "forward without length", "up without length",         "no scale"};
    const float whole = 1.0f;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        limb *l = aim_start(401 + kind, 1, chain_joints, &whole);
        lmb_aim_def *aim = aim_of(l);
        if (kind == UP_ALONG_FORWARD || kind == UP_ALONG_LINE) {
            memcpy(aim->up, aim->forward, sizeof aim->up);
        }
        if (kind == UP_ALONG_LINE || kind == BEHIND) {
            memset(aim->offset, 0, sizeof aim->offset);
        }
        if (kind == FLAT_FORWARD || kind == FLAT_UP) {
            const uint32_t flat = kind == FLAT_FORWARD ? 0 : 1;
            static const float x[3] = {1.0f, 0.0f, 0.0f}, y[3] = {0.0f, 1.0f, 0.0f};
            memcpy(aim->forward, x, sizeof x);
            memcpy(aim->up, y, sizeof y);
            for (uint32_t i = 0; i < CHARACTERS; i++) {
                set_component(l, i, END, 7 + flat, 0.0);
            }
        }
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            double joint[3], forward[3], target[3], line[3];
            position(&l->base[i][END], joint);
            to_doubles(aim->forward, forward);
            turn_by(&l->base[i][END], forward, forward);
            get_point(l, i, TARGET, target);
            subtract(target, joint, line);
            for (uint32_t k = 0; k < 3; k++) {
                target[k] = kind == BEHIND ? joint[k] - 3.0 * forward[k] : kind == AT_JOINT ? joint[k] : target[k];
                line[k] = kind == POLE_ALONG_LINE ? line[k] * (i % 2 ? 1.0 : -2.0) : 0.0;
                if (kind == FLAT) {
                    set_component(l, i, END, 7 + k, 0.0);
                }
            }
            set_point(l, i, TARGET, target);
            if (kind == POLE_ALONG_LINE || (kind == BEHIND && i % 2)) {
                set_point(l, i, POLE, line);
            }
        }
        draw_twists(l);
        // Where up is nearly along the line, or the arc is half a turn, small differences decide.
        expect_aim_steps(l, names[kind], kind == UP_ALONG_FORWARD || kind == BEHIND ? 1e-3 : 4e-5);
        aim_end(l);
    }
}

// Reduces the turn from one rotation to another to an angle. Returns whether the turn has an axis.
static bool limit_columns(double from[3][3], double to[3][3], double limit) {
    double axis[3] = {0.0}, trace = 0.0, across[3];
    for (int k = 0; k < 3; k++) {
        cross(from[k], to[k], across);
        trace += dot(from[k], to[k]);
        for (int i = 0; i < 3; i++) {
            axis[i] += 0.5 * across[i];
        }
    }
    const double sine = length(axis), angle = atan2(sine, 0.5 * (trace - 1.0));
    if (sine < 1e-2) {
        return false;
    }
    unit_across(axis, NULL, axis);
    for (int k = 0; k < 3 && angle > limit; k++) {
        rotate_about(axis, limit, from[k], to[k]);
    }
    return true;
}

// A limit reduces twist, roll and arc together.
static void twists_are_limited(void) {
    const float whole = 1.0f;
    limb *l = aim_start(161, 1, chain_joints, &whole);
    aim_of(l)->limit = 0.8f;
    draw_twists(l);
    scene_run_all_paths(&l->scene);
    double worst = 0.0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double base[3][3], expected[3][3], got[3][3];
        rotation_of(l, l->scene.poses[0], i, END, base);
        rotation_of(l, l->scene.poses[0], i, END, expected);
        rotation_of(l, l->scene.buffers[LMB_OUTPUT_LOCAL], i, END, got);
        aim_columns(l, i, expected);
        for (int k = 0; k < 3 && limit_columns(base, expected, 0.8); k++) {
            worst = fmax(worst, distance(expected[k], got[k]));
        }
    }
    print_message("limited twists: %.2g\n", worst);
    assert_true(worst < 1e-4); // the axis of small and of half turns
    aim_end(l);
}

// Without a pole vector, a chain turns `up` to where the first joint alone would. Limits of a chain hold it back, and
// the twist is then not added again.
static void chains_twist_once(void) {
    limb *l = aim_start(162, 4, chain_joints, chain_shares);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        set_point(l, i, POLE, (const double[]){0.0, 0.0, 0.0});
        *scene_parameter(&l->scene, i, TWIST) = (float)random_between(&l->source, -3.0, 3.0);
    }
    scene_run_all_paths(&l->scene);
    double worst = 0.0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        oracle_affine models[JOINTS];
        double alone[3][3], chain[3][3], up[3], side[3], pivot[3], line[3];
        rotation_of(l, l->scene.poses[0], i, END, alone);
        rotation_of(l, l->scene.buffers[LMB_OUTPUT_LOCAL], i, END, chain);
        const bool any = aim_columns(l, i, alone);
        aim_vector(l, i, aim_of(l)->up, chain, up);
        aim_vector(l, i, aim_of(l)->up, alone, side);
        find_models(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], i, models);
        position(&models[PELVIS], pivot);
        get_point(l, i, TARGET, line);
        subtract(line, pivot, line);
        unit_across(line, NULL, line);
        unit_across(up, line, up);
        unit_across(side, line, side);
        worst = any ? worst : fmax(worst, angle_between(up, side));
    }
    print_message("twist of a chain without a pole vector: %.2g\n", worst);
    assert_true(worst < 4e-5);
    aim_end(l);
}

static void aims_twist(void **state) {
    (void)state;
    twists_are_limited();
    chains_twist_once();
}

// An aim is reported as exact if the line meets the target, and neither a limit nor a weight prevents it.
static void exact_aims_are_reported(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind < 5; kind++) {
        float shares[4];
        memcpy(shares, chain_shares, sizeof shares);
        shares[3] = kind == 1 ? 0.9f : 1.0f;
        limb *l = aim_start(501 + kind, kind == 4 ? 1 : 4, chain_joints, kind == 4 ? &shares[3] : shares);
        lmb_aim_def *aim = aim_of(l);
        aim->reached = lmb_reached(2);
        aim->limit = kind == 2 ? 2.2f : 4.0f;
        draw_twists(l);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            double joint[3], target[3], direction[3], scale = 1.0;
            *scene_parameter(&l->scene, i, WEIGHT) = kind == 3 && i % 2 == 0 ? 0.5f : 1.0f;
            if (kind == 4) { // at 0.5 to 1.5 times the distance of the line
                position(&l->base[i][END], joint);
                for (uint32_t at = END; at != LMB_NONE; at = parents[at]) {
                    scale *= (double)*scene_component(&l->scene, l->scene.poses[0], i, at, 7);
                }
                double forward[3], offset[3];
                to_doubles(aim->forward, forward);
                to_doubles(aim->offset, offset);
                unit_across(forward, NULL, forward);
                const double along = dot(offset, forward);
                const double aside = scale * sqrt(dot(offset, offset) - along * along);
                draw_direction(&l->source, direction);
                for (int k = 0; k < 3; k++) {
                    target[k] = joint[k] + (i % 2 ? 0.5 : 1.5) * aside * direction[k];
                }
                set_point(l, i, TARGET, target);
            }
        }
        scene_run_all_paths(&l->scene);
        uint32_t counts[2] = {0, 0};
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            double miss, roll;
            const bool reached = scene_reached(&l->scene, i, 2);
            measure_aim(l, i, &miss, &roll);
            counts[reached]++;
            assert_true(kind == 1 || kind == 3 || reached == (miss < 1e-3));
            assert_true(kind != 1 || !reached);
            assert_true(kind != 3 || reached == (i % 2 != 0));
        }
        print_message("aims, %u: %u reached, %u not\n", kind, counts[1], counts[0]);
        assert_true(kind == 1 || counts[1] > CHARACTERS / 4);
        assert_true(kind == 0 || counts[0] > CHARACTERS / 4);
        aim_end(l);
    }
}

// Inputs that are not finite, or far out of range: scene_run() fails on a value that is not finite.
static void nothing_spoils_the_pose(void **state) {
    (void)state;
    static const float odd[] = {0.0f, NAN,   INFINITY, -INFINITY, 1e-12f, -1e-13f, 1e12f, -1e38f, 1e-40f,
                                1.0f, -1.0f, 1e-6f,    0.5f,      -3.0f,  1e-20f,  1e6f,  -0.0f};
    for (uint64_t seed = 61; seed < 73; seed++) {
        const bool aims = seed >= 67;
        limb *l = aim_start(seed, 4, chain_joints, chain_shares);
        l->scene.nodes[1].op = aims ? LMB_OP_IK_AIM : LMB_OP_IK_TWO_BONE;
        aim_of(l)->limit = seed % 2 ? 1.0f : 4.0f;
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t k = 0; k <= TWIST; k++) {
                *scene_parameter(&l->scene, i, k) = odd[random_below(&l->source, sizeof odd / sizeof odd[0])];
            }
            if (i % 4 == 0) { // at the start
                double start[3];
                position(&l->base[i][START], start);
                set_point(l, i, TARGET, start);
            }
            for (uint32_t joint = 0; joint < JOINTS && seed > 61; joint++) {
                const uint32_t kind = random_below(&l->source, 12);
                for (uint32_t k = 0; k < 3 && kind < 4; k++) {
                    const double values[] = {0.0, 1e12, 1e-12, -1.0};
                    set_component(l, i, joint, (kind % 2 ? 7 : 0) + k, values[(kind + k * (seed % 3)) % 4]);
                }
            }
        }
        if (seed % 2) { // along the bone
            chain_of(l)->mid_axis[0] = *scene_component(&l->scene, l->scene.poses[0], 0, LOWER, 0);
            chain_of(l)->mid_axis[1] = *scene_component(&l->scene, l->scene.poses[0], 0, LOWER, 1);
            chain_of(l)->mid_axis[2] = *scene_component(&l->scene, l->scene.poses[0], 0, LOWER, 2);
        }
        chain_of(l)->soften = (float)(seed % 3) * 0.5f;
        scene_run_all_paths(&l->scene);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t joint = 0; joint < JOINTS; joint++) {
                double q[4];
                scene_rotation(&l->scene, l->scene.buffers[LMB_OUTPUT_LOCAL], i, joint, q);
                if (fabs(oracle_quaternion_dot(q, q) - 1.0) > 2e-6) {
                    fail_msg("seed %u, character %u, joint %u: length %g", (unsigned)seed, (unsigned)i, (unsigned)joint,
                             sqrt(oracle_quaternion_dot(q, q)));
                }
            }
        }
        scene_end(&l->scene);
        free(l);
    }
}

static lmb_result check_limb(const limb *l, lmb_error *error) {
    const lmb_graph_def def = {.rig = l->scene.rig, .nodes = l->scene.nodes, .node_count = 2, .parameter_count = 8};
    return lmb_graph_check(&def, error);
}

#define REFUSED(l, ...) CHECK_REFUSAL(check_limb(l, &error), &error, LMB_ERROR_ARGUMENT, __VA_ARGS__)

static void faulty_nodes_are_refused(void **state) {
    (void)state;
    limb *l = calloc(1, sizeof *l);
    assert_non_null(l);
    limb_start(l, 81);
    lmb_two_bone_def *chain = chain_of(l);
    lmb_error error = {0};
    const lmb_two_bone_def good = *chain;
    chain->start = JOINTS;
    REFUSED(l, "node 1 (ik-two-bone)", "start", "no such joint");
    *chain = good;
    chain->end = LMB_NONE;
    REFUSED(l, "end", "no such joint");
    *chain = good;
    chain->mid = OTHER;
    REFUSED(l, "mid", "joint 2 'other' is not below joint 3 'start'");
    *chain = good;
    chain->end = MID;
    REFUSED(l, "end", "joint 5 'mid' is not below joint 5 'mid'");
    *chain = good;
    memset(chain->mid_axis, 0, sizeof chain->mid_axis);
    REFUSED(l, "mid_axis", "0");
    chain->mid_axis[1] = NAN;
    REFUSED(l, "mid_axis");
    chain->mid_axis[1] = INFINITY;
    REFUSED(l, "mid_axis");
    *chain = good;
    chain->soften = 1.5f;
    REFUSED(l, "soften", "from 0 to 1");
    chain->soften = NAN;
    REFUSED(l, "soften");
    *chain = good;
    chain->target[2] = lmb_parameter(8);
    REFUSED(l, "target[2]", "parameter");
    *chain = good;
    chain->pole[0] = lmb_constant(INFINITY);
    REFUSED(l, "pole[0]", "finite");
    *chain = good;
    chain->twist = lmb_constant(NAN);
    REFUSED(l, "twist", "finite");
    *chain = good;
    chain->reached = lmb_reached(LMB_MAX_REACHED);
    REFUSED(l, "reached", "below 32");
    *chain = good;
    l->scene.nodes[1].weight = lmb_parameter(9);
    REFUSED(l, "weight", "parameter");
    l->scene.nodes[1].weight = lmb_constant(1.0f);
    l->scene.nodes[0] = lmb_default_node_def();
    l->scene.nodes[0].op = LMB_OP_MAKE_ADDITIVE;
    REFUSED(l, "node 0");
    l->scene.nodes[0].op = LMB_OP_REST;
    lmb_aim_def *aim = aim_of(l);
    l->scene.nodes[1].op = LMB_OP_IK_AIM;
    REFUSED(l, "node 1 (ik-aim)", "joint_count", "1 to 8");
    *aim = (lmb_aim_def){.joints = {END, START},
                         .shares = {1.0f, 1.0f},
                         .joint_count = 2,
                         .forward = {1.0f, 0.0f, 0.0f},
                         .up = {0.0f, 1.0f, 0.0f}};
    const lmb_aim_def right = *aim;
    assert_int_equal(check_limb(l, &error), LMB_OK);
    aim->joints[1] = OTHER;
    REFUSED(l, "joints[1]", "joint 7 'end' is not below joint 2 'other'");
    aim->joints[1] = JOINTS;
    REFUSED(l, "joints[1]", "no such joint");
    *aim = right;
    aim->shares[1] = NAN;
    REFUSED(l, "shares[1]", "it is not from 0 to 1");
    *aim = right;
    aim->joint_count = 9;
    REFUSED(l, "joint_count");
    *aim = right;
    aim->forward[0] = 0.0f;
    REFUSED(l, "forward");
    *aim = right;
    aim->up[2] = INFINITY;
    REFUSED(l, "up");
    *aim = right;
    aim->offset[2] = NAN;
    REFUSED(l, "offset");
    *aim = right;
    aim->twist = lmb_constant(INFINITY);
    REFUSED(l, "twist", "finite");
    *aim = right;
    aim->limit = -1.0f;
    REFUSED(l, "limit");
    aim->limit = NAN;
    REFUSED(l, "limit");
    *aim = right;
    aim->target[1] = lmb_parameter(8);
    REFUSED(l, "target[1]");
    *aim = right;
    aim->pole[2] = lmb_constant(NAN);
    REFUSED(l, "pole[2]");
    scene_end(&l->scene);
    free(l);
}

// ---- Points from a buffer, and world space.

enum { POINTS = 4, TARGET_POINT = 3, POLE_POINT = 1 };

// Reads target and pole vector of a limb from a buffer, in which they are those of its parameters.
static float *move_to_points(limb *l) {
    float *points = malloc(sizeof(float) * CHARACTERS * POINTS * 4);
    assert_non_null(points);
    for (uint32_t i = 0; i < CHARACTERS * POINTS * 4; i++) {
        points[i] = NAN; // of points that nothing reads, and fourth components
    }
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            points[(i * POINTS + TARGET_POINT) * 4 + k] = *scene_parameter(&l->scene, i, TARGET + k);
            points[(i * POINTS + POLE_POINT) * 4 + k] = *scene_parameter(&l->scene, i, POLE + k);
        }
    }
    chain_of(l)->target_slot = aim_of(l)->target_slot = lmb_point(TARGET_POINT);
    chain_of(l)->pole_slot = aim_of(l)->pole_slot = lmb_point(POLE_POINT);
    l->scene.points = points;
    return points;
}

// Values of any kind give the bits and the refusals that they give as parameters.
static void points_are_treated_as_parameters(void **state) {
    (void)state;
    static const float odd[] = {NAN, INFINITY, -INFINITY, 1e38f, -1e13f, 1e-40f, -0.0f, 1e-13f, 0.0f};
    for (uint64_t seed = 201; seed < 205; seed++) {
        limb *l = aim_start(seed, 4, chain_joints, chain_shares);
        l->scene.nodes[1].op = seed % 2 ? LMB_OP_IK_AIM : LMB_OP_IK_TWO_BONE;
        uint32_t nans = 0;
        for (uint32_t i = 0; i < CHARACTERS && seed > 202; i++) {
            const uint32_t place = random_below(&l->source, 2 * 6);
            const float value = odd[random_below(&l->source, sizeof odd / sizeof odd[0])];
            if (place < 6) {
                *scene_parameter(&l->scene, i, place) = value;
                nans += isnan(value);
            }
        }
        scene_run_all_paths(&l->scene);
        assert_int_equal(l->scene.refused[LMB_REFUSED_WEIGHT], nans);
        scene_results expected = scene_keep(&l->scene);
        float *points = move_to_points(l);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t k = 0; k < TWIST; k++) {
                *scene_parameter(&l->scene, i, k) = 7.0f; // not read
            }
        }
        scene_run_all_paths(&l->scene);
        scene_expect(&l->scene, &expected);
        scene_results_destroy(&expected);
        free(points);
        aim_end(l);
    }
}

// Draws a world transform: a rotation, a uniform scale that mirrors every second time, and a position.
static void draw_world(random_source *source, float world[12], oracle_affine *exact) {
    double x[3], y[3], z[3];
    draw_direction(source, x);
    draw_direction(source, z);
    cross(z, x, y);
    unit_across(y, NULL, y);
    cross(x, y, z);
    const double scale = exp2(random_between(source, -3.0, 3.0)) * (random_below(source, 2) == 0 ? -1.0 : 1.0);
    for (int row = 0; row < 3; row++) {
        world[4 * row] = (float)(scale * x[row]);
        world[4 * row + 1] = (float)(scale * y[row]);
        world[4 * row + 2] = (float)(scale * z[row]);
        world[4 * row + 3] = (float)random_between(source, -1.0, 1.0);
    }
    for (int i = 0; i < 12; i++) {
        exact->m[i / 4][i % 4] = (double)world[i];
    }
}

// Targets and poles of parameters and of points, in world space, reach what they reach in model space.
static void world_targets_are_reached(void **state) {
    (void)state;
    errors found = {0};
    for (uint64_t seed = 221; seed < 225; seed++) {
        limb *l = calloc(1, sizeof *l);
        float *transforms = malloc(sizeof(float) * CHARACTERS * 12);
        assert_true(l != NULL && transforms != NULL);
        limb_start(l, seed);
        chain_of(l)->space = LMB_IK_WORLD;
        float model[CHARACTERS][TWIST];
        double reaches[CHARACTERS];
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            double bones[2];
            bones_of(l, i, bones);
            const double all = bones[0] + bones[1], nearest = fabs(bones[0] - bones[1]) / all;
            reaches[i] = random_between(&l->source, nearest + 0.05, 0.98) * all;
            draw_target(l, i, reaches[i] / all);
            memcpy(model[i], scene_parameter(&l->scene, i, 0), sizeof model[i]);
            oracle_affine world;
            draw_world(&l->source, transforms + 12 * i, &world);
            double target[3], pole[3], moved[3];
            get_point(l, i, TARGET, target);
            get_point(l, i, POLE, pole);
            turn_by(&world, target, moved);
            for (int k = 0; k < 3; k++) {
                moved[k] += world.m[k][3];
            }
            set_point(l, i, TARGET, moved);
            turn_by(&world, pole, moved);
            set_point(l, i, POLE, moved);
        }
        l->scene.transforms = transforms;
        scene_run_all_paths(&l->scene);
        scene_expect_no_refusals(&l->scene);
        scene_results by_parameters = scene_keep(&l->scene);
        float *points = move_to_points(l);
        scene_run_all_paths(&l->scene);
        scene_expect(&l->scene, &by_parameters);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            memcpy(scene_parameter(&l->scene, i, 0), model[i], sizeof model[i]);
            add_errors(&found, measure(l, i, reaches[i]));
        }
        scene_results_destroy(&by_parameters);
        free(points);
        free(transforms);
        scene_end(&l->scene);
        free(l);
    }
    expect_errors("in world space", found, (errors){4e-6, 2e-5, 4e-6});
}

// A transform without an inverse counts as the identity, and is counted for each point that it converts.
static void odd_transforms_are_refused(void **state) {
    (void)state;
    static const float odd[] = {NAN, INFINITY, -INFINITY, 0.0f};
    const float whole = 1.0f;
    limb *l = aim_start(231, 1, chain_joints, &whole);
    scene_run(&l->scene);
    scene_results expected = scene_keep(&l->scene);
    float *transforms = calloc(CHARACTERS, 12 * sizeof *transforms);
    assert_non_null(transforms);
    expected.refused[LMB_REFUSED_POSE] = 0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t k = 0; k < 12; k += 5) {
            transforms[12 * i + k] = 1.0f;
        }
        if (i % 3 > 0) { // 0 on the diagonal: flat
            const float value = odd[random_below(&l->source, 4)];
            const uint32_t place = value == 0.0f ? 5 * random_below(&l->source, 3) : random_below(&l->source, 12);
            transforms[12 * i + place] = value;
            expected.refused[LMB_REFUSED_POSE] += 2; // target and pole vector
        }
    }
    aim_of(l)->space = LMB_IK_WORLD;
    l->scene.transforms = transforms;
    scene_run_all_paths(&l->scene);
    assert_int_equal(l->scene.refused[LMB_REFUSED_POSE], expected.refused[LMB_REFUSED_POSE]);
    expected.refused[LMB_REFUSED_POSE] = l->scene.refused[LMB_REFUSED_POSE];
    scene_expect(&l->scene, &expected);
    scene_results_destroy(&expected);
    // Whatever is in the buffers, the pose is one.
    float *points = move_to_points(l);
    static const float any[] = {0.0f, NAN, INFINITY, -INFINITY, 1e-12f, 1e12f, -1e38f, 1e-40f, 1.0f, -1.0f, 1e-20f};
    for (int round = 0; round < 10; round++) {
        l->scene.nodes[1].op = round % 2 ? LMB_OP_IK_AIM : LMB_OP_IK_TWO_BONE;
        chain_of(l)->space = LMB_IK_WORLD;
        for (uint32_t i = 0; i < CHARACTERS * 12; i++) {
            transforms[i] = round < 4 ? any[random_below(&l->source, 11)]
                                      : (float)(exp2(random_between(&l->source, -41.0, 41.0)) *
                                                (random_below(&l->source, 2) == 0 ? 1.0 : -1.0));
        }
        for (uint32_t i = 0; i < CHARACTERS * POINTS * 4; i++) {
            points[i] = any[random_below(&l->source, 11)];
        }
        scene_run_all_paths(&l->scene);
    }
    free(points);
    free(transforms);
    aim_end(l);
}

// Runs a batch of one character on the reference.
static lmb_result run_one(limb *l, const float *points, const float *transforms, lmb_error *error) {
    const lmb_graph_def def = {.rig = l->scene.rig, .nodes = l->scene.nodes, .node_count = 2, .parameter_count = 8};
    lmb_graph *graph = NULL;
    lmb_cpu *cpu = NULL;
    float *local = l->scene.buffers[LMB_OUTPUT_LOCAL];
    assert_int_equal(lmb_graph_create(&def, NULL, &graph, error), LMB_OK);
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_FAST, NULL, &cpu, error), LMB_OK);
    const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_inputs inputs = {
        .parameters = l->scene.parameters, .poses = {l->scene.poses[0]}, .points = points, .transforms = transforms};
    const lmb_result result = lmb_cpu_run(cpu, &batch, &inputs, &(lmb_batch_outputs){.buffers = {local}}, error);
    assert_int_equal(lmb_graph_get_info(graph)->point_count, chain_of(l)->target_slot.in_buffer ? TARGET_POINT + 1 : 0);
    assert_true(lmb_graph_get_info(graph)->uses_transforms == (chain_of(l)->space == LMB_IK_WORLD));
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
    return result;
}

static void missing_buffers_are_refused(void **state) {
    (void)state;
    limb *l = calloc(1, sizeof *l);
    lmb_error error = {0};
    assert_non_null(l);
    limb_start(l, 241);
    float *points = move_to_points(l);
    CHECK_REFUSAL(run_one(l, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "the points are NULL", "4");
    assert_int_equal(run_one(l, points, NULL, &error), LMB_OK);
    chain_of(l)->space = LMB_IK_WORLD;
    CHECK_REFUSAL(run_one(l, points, NULL, &error), &error, LMB_ERROR_ARGUMENT, "world transforms are NULL");
    const float transform[12] = {1.0f, 0.0f, 0.0f, 5.0f, 0.0f, 1.0f, 0.0f, 5.0f, 0.0f, 0.0f, 1.0f, 5.0f};
    assert_int_equal(run_one(l, points, transform, &error), LMB_OK);
    chain_of(l)->target_slot = chain_of(l)->pole_slot = (lmb_point_slot){0};
    assert_int_equal(run_one(l, NULL, transform, &error), LMB_OK);
    chain_of(l)->space = LMB_IK_SPACE_COUNT;
    REFUSED(l, "node 1 (ik-two-bone)", "space", "unknown");
    chain_of(l)->space = LMB_IK_MODEL;
    chain_of(l)->pole_slot = lmb_point(LMB_MAX_POINTS);
    REFUSED(l, "node 1 (ik-two-bone)", "pole", "at most 64");
    l->scene.nodes[1].op = LMB_OP_IK_AIM;
    aim_of(l)->joint_count = 1;
    aim_of(l)->joints[0] = END;
    aim_of(l)->target_slot = lmb_point(LMB_NONE);
    REFUSED(l, "node 1 (ik-aim)", "target", "at most 64");
    free(points);
    scene_end(&l->scene);
    free(l);
}

static void constructors_make_nodes(void **state) {
    (void)state;
    const lmb_value target[3] = {lmb_constant(1.0f), lmb_parameter(2), lmb_constant(-3.0f)};
    const lmb_node_def node = lmb_two_bone_node(4, START, MID, END, target);
    assert_int_equal(node.op, LMB_OP_IK_TWO_BONE);
    assert_int_equal(node.input_count, 1);
    assert_int_equal(node.inputs[0], 4);
    assert_int_equal(node.two_bone.start, START);
    assert_int_equal(node.two_bone.mid, MID);
    assert_int_equal(node.two_bone.end, END);
    assert_memory_equal(node.two_bone.target, target, sizeof target);
    assert_true(node.two_bone.soften == 1.0f && node.two_bone.mid_axis[2] == 1.0f);
    const float forward[3] = {0.0f, 0.0f, 1.0f};
    const lmb_node_def aim = lmb_aim_node(3, END, forward, target);
    assert_int_equal(aim.op, LMB_OP_IK_AIM);
    assert_int_equal(aim.inputs[0], 3);
    assert_int_equal(aim.aim.joint_count, 1);
    assert_int_equal(aim.aim.joints[0], END);
    assert_memory_equal(aim.aim.forward, forward, sizeof forward);
    assert_memory_equal(aim.aim.target, target, sizeof target);
    assert_true(aim.aim.shares[0] == 1.0f && aim.aim.up[1] == 1.0f && aim.aim.limit > 3.2f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_in_reach_are_reached),
        cmocka_unit_test(targets_out_of_reach_are_pointed_at),
        cmocka_unit_test(reached_targets_are_reported),
        cmocka_unit_test(targets_at_the_start_close_the_limb),
        cmocka_unit_test(limbs_that_cannot_bend_are_aimed),
        cmocka_unit_test(straight_limbs_bend_about_the_axis),
        cmocka_unit_test(limbs_without_bones_turn_as_a_whole),
        cmocka_unit_test(targets_at_the_start_keep_the_direction),
        cmocka_unit_test(targets_behind_are_reached),
        cmocka_unit_test(poles_along_the_line_are_ignored),
        cmocka_unit_test(softened_limbs_do_not_snap),
        cmocka_unit_test(weights_slerp_from_the_base),
        cmocka_unit_test(ancestors_may_have_any_scale),
        cmocka_unit_test(nothing_spoils_the_pose),
        cmocka_unit_test(edges_are_as_stated),
        cmocka_unit_test(faulty_nodes_are_refused),
        cmocka_unit_test(lines_meet_the_target),
        cmocka_unit_test(turns_are_shortest_and_limited),
        cmocka_unit_test(aims_are_weighted),
        cmocka_unit_test(aims_have_edges),
        cmocka_unit_test(aims_without_directions_follow_the_steps),
        cmocka_unit_test(aims_twist),
        cmocka_unit_test(exact_aims_are_reported),
        cmocka_unit_test(constructors_make_nodes),
        cmocka_unit_test(points_are_treated_as_parameters),
        cmocka_unit_test(world_targets_are_reached),
        cmocka_unit_test(odd_transforms_are_refused),
        cmocka_unit_test(missing_buffers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
