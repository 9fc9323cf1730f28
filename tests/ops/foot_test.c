// Foot placement against the geometry, in float64: where ankles belong above planes of ground, how far the pelvis goes
// down, how feet turn, weights, ground in world space, and inputs without a solution.
#include "refusal.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A pelvis with two legs, each with a joint inside both bones and a toe, and a spine.
enum { ROOT, PELVIS, SPINE, LEFT, RIGHT = LEFT + 6, JOINTS = RIGHT + 6 };
enum { HIP, THIGH, KNEE, SHIN, ANKLE, TOE };
enum { FEET = 2, CHARACTERS = SUITE_SANITIZED ? 60 : 300, GROUND = 0, NORMAL = 3, OF_FOOT = 6 };
enum { WEIGHT = FEET * OF_FOOT, SPEED, CLIP_SPEED, PARAMETERS };

static const double pi = 3.14159265358979323846;

typedef struct body {
    test_scene scene;
    random_source source;
    oracle_affine base[CHARACTERS][JOINTS]; // model matrices of the base
    double up[3];
    double scale[CHARACTERS]; // of the ancestors of the pelvis
} body;

static uint32_t joint_of(uint32_t foot, uint32_t part) {
    return (foot == 0 ? LEFT : RIGHT) + part;
}

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

static void add_scaled(const double a[3], const double b[3], double by, double result[3]) {
    for (int i = 0; i < 3; i++) {
        result[i] = a[i] + by * b[i];
    }
}

static double distance(const double a[3], const double b[3]) {
    double difference[3];
    add_scaled(a, b, -1.0, difference);
    return length(difference);
}

static void normalize(double v[3]) {
    const double whole = length(v);
    for (int i = 0; i < 3; i++) {
        v[i] /= whole;
    }
}

static void draw_direction(random_source *source, double v[3]) {
    do {
        for (int i = 0; i < 3; i++) {
            v[i] = random_between(source, -1.0, 1.0);
        }
    } while (length(v) > 1.0 || length(v) < 0.1);
    normalize(v);
}

// A direction at an angle from `up`, in a random plane.
static void tilt(random_source *source, const double up[3], double angle, double result[3]) {
    double across[3], any[3];
    do {
        draw_direction(source, any);
    } while (fabs(dot(any, up)) > 0.9);
    add_scaled(any, up, -dot(any, up), across);
    normalize(across);
    for (int i = 0; i < 3; i++) {
        result[i] = cos(angle) * up[i] + sin(angle) * across[i];
    }
}

static void position(const oracle_affine *model, double p[3]) {
    for (int i = 0; i < 3; i++) {
        p[i] = model->m[i][3];
    }
}

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
    static char names[JOINTS][16];
    for (uint32_t i = 0; i < JOINTS; i++) {
        snprintf(names[i], sizeof names[i], "joint %u", (unsigned)i);
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = i == ROOT ? LMB_NONE : i == LEFT || i == RIGHT ? PELVIS : i - 1;
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = JOINTS};
    lmb_rig *rig = NULL;
    assert_int_equal(lmb_rig_create(&def, NULL, &rig, NULL), LMB_OK);
    return rig;
}

static void set_component(body *b, uint32_t character, uint32_t joint, uint32_t component, double value) {
    *scene_component(&b->scene, b->scene.poses[0], character, joint, component) = (float)value;
}

static void set_rotation(body *b, uint32_t character, uint32_t joint, const double axis[3], double angle) {
    for (uint32_t i = 0; i < 3; i++) {
        set_component(b, character, joint, 3 + i, axis[i] * sin(angle / 2.0));
    }
    set_component(b, character, joint, 6, cos(angle / 2.0));
}

static void set_point(body *b, uint32_t character, uint32_t parameter, const double p[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        *scene_parameter(&b->scene, character, parameter + i) = (float)p[i];
    }
}

static void get_point(body *b, uint32_t character, uint32_t parameter, double p[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        p[i] = (double)*scene_parameter(&b->scene, character, parameter + i);
    }
}

// Legs hang down from a pelvis, with bent knees: bones along -y, knees about x. The pelvis, the hips and the feet turn
// by any angles. Each character has a uniform scale of its own.
static body *body_start(uint64_t seed) {
    body *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->source = (random_source){seed};
    scene_start(&b->scene, create_rig(), CHARACTERS, PARAMETERS);
    scene_add_pose(&b->scene, 0);
    const double knee_axis[3] = {1.0, 0.0, 0.0};
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double axis[3];
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            for (uint32_t k = 0; k < 3; k++) {
                set_component(b, i, joint, k, joint < LEFT ? random_between(&b->source, -0.5, 0.5) : 0.0);
            }
        }
        b->scale[i] = 1.0;
        for (uint32_t joint = ROOT; joint <= PELVIS; joint++) {
            const double scale = (double)(float)exp2(random_between(&b->source, -1.0, 1.0));
            for (uint32_t k = 0; k < 3; k++) {
                set_component(b, i, joint, 7 + k, scale);
            }
            b->scale[i] *= joint == ROOT ? scale : 1.0;
            draw_direction(&b->source, axis);
            set_rotation(b, i, joint, axis, random_between(&b->source, 0.0, 3.0));
        }
        for (uint32_t foot = 0; foot < FEET; foot++) {
            set_component(b, i, joint_of(foot, HIP), 0, foot == 0 ? -0.2 : 0.2);
            for (uint32_t part = THIGH; part <= ANKLE; part++) {
                set_component(b, i, joint_of(foot, part), 1, -random_between(&b->source, 0.2, 0.3));
            }
            draw_direction(&b->source, axis);
            set_rotation(b, i, joint_of(foot, HIP), axis, random_between(&b->source, 0.0, 1.0));
            set_rotation(b, i, joint_of(foot, KNEE), knee_axis, random_between(&b->source, 0.8, 1.6));
            draw_direction(&b->source, axis);
            set_rotation(b, i, joint_of(foot, ANKLE), axis, random_between(&b->source, 0.0, 3.0));
        }
        find_models(&b->scene, b->scene.poses[0], i, b->base[i]);
    }
    draw_direction(&b->source, b->up);
    scene_add_pose_node(&b->scene, 0);
    lmb_node_def *node = scene_add(&b->scene, LMB_OP_FOOT_PLACEMENT, 0, LMB_NONE);
    node->feet.pelvis = PELVIS;
    node->feet.foot_count = FEET;
    node->feet.max_lowering = 1000.0f;
    node->feet.max_angle = 4.0f;
    node->weight = lmb_parameter(WEIGHT);
    for (uint32_t foot = 0; foot < FEET; foot++) {
        lmb_foot_def *def = &node->feet.feet[foot];
        def->hip = joint_of(foot, HIP);
        def->knee = joint_of(foot, KNEE);
        def->ankle = joint_of(foot, ANKLE);
        for (uint32_t k = 0; k < 3; k++) {
            def->knee_axis[k] = (float)(-2.0 * knee_axis[k]);
            def->ground[k] = lmb_parameter(foot * OF_FOOT + GROUND + k);
            def->normal[k] = lmb_parameter(foot * OF_FOOT + NORMAL + k);
        }
    }
    for (uint32_t k = 0; k < 3; k++) {
        node->feet.up[k] = (float)(3.0 * b->up[k]);
    }
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        *scene_parameter(&b->scene, i, WEIGHT) = 1.0f;
    }
    return b;
}

static void body_end(body *b) {
    scene_end(&b->scene);
    free(b);
}

static lmb_feet_def *feet_of(body *b) {
    return &b->scene.nodes[1].feet;
}

// The lengths of both bones of a leg together, in model space.
static double leg_length(const body *b, uint32_t character, uint32_t foot) {
    double hip[3], knee[3], ankle[3];
    position(&b->base[character][joint_of(foot, HIP)], hip);
    position(&b->base[character][joint_of(foot, KNEE)], knee);
    position(&b->base[character][joint_of(foot, ANKLE)], ankle);
    return distance(hip, knee) + distance(knee, ankle);
}

// Sets the ground of a foot: a plane of a slope, which moves the foot along up by `offset`. Its point is anywhere on
// it.
static void set_ground(body *b, uint32_t character, uint32_t foot, double slope, double offset) {
    double normal[3], ankle[3], aside[3], any[3], point[3];
    tilt(&b->source, b->up, slope, normal);
    position(&b->base[character][joint_of(foot, ANKLE)], ankle);
    const double height = dot(ankle, b->up);
    // The ankle moves to p = ankle + offset up, and is `height` along the normal above the plane.
    add_scaled(ankle, b->up, offset, point);
    add_scaled(point, normal, -height, point);
    draw_direction(&b->source, any);
    add_scaled(any, normal, -dot(any, normal), aside);
    add_scaled(point, aside, 0.3, point);
    for (int k = 0; k < 3; k++) {
        normal[k] *= 2.5;
    }
    set_point(b, character, foot * OF_FOOT + GROUND, point);
    set_point(b, character, foot * OF_FOOT + NORMAL, normal);
}

static bool has_ground(body *b, uint32_t character, uint32_t foot, double normal[3]) {
    get_point(b, character, foot * OF_FOOT + NORMAL, normal);
    if (length(normal) > 0.0) {
        normalize(normal);
    }
    return dot(normal, b->up) > cos(80.0 * pi / 180.0);
}

// The offset of a foot by the formula of ik.h, from the parameters.
static double offset_of(body *b, uint32_t character, uint32_t foot) {
    double normal[3], ground[3], ankle[3], to_ground[3];
    if (!has_ground(b, character, foot, normal)) {
        return 0.0;
    }
    get_point(b, character, foot * OF_FOOT + GROUND, ground);
    position(&b->base[character][joint_of(foot, ANKLE)], ankle);
    add_scaled(ground, ankle, -1.0, to_ground);
    return (dot(to_ground, normal) + dot(ankle, b->up)) / dot(b->up, normal);
}

static double lowering_of(body *b, uint32_t character) {
    double lowest = 0.0;
    for (uint32_t foot = 0; foot < FEET; foot++) {
        lowest = fmin(lowest, offset_of(b, character, foot));
    }
    return fmax(lowest, -(double)feet_of(b)->max_lowering);
}

typedef struct errors {
    double pelvis, ankle, knee, foot;
} errors;

// Turns the linear part of a model matrix into a rotation, for uniform scales.
static void rotation_of(const oracle_affine *model, double rotation[3][3]) {
    for (int column = 0; column < 3; column++) {
        double axis[3] = {model->m[0][column], model->m[1][column], model->m[2][column]};
        normalize(axis);
        for (int row = 0; row < 3; row++) {
            rotation[row][column] = axis[row];
        }
    }
}

// Rotates a vector by the shortest arc between two unit vectors, or by a smaller angle about the same axis.
static void turn_by_arc(const double from[3], const double to[3], double most, const double v[3], double result[3]) {
    double axis[3], across[3];
    cross(from, to, axis);
    const double angle = fmin(atan2(length(axis), dot(from, to)), most);
    if (length(axis) > 0.0) {
        normalize(axis);
    }
    cross(axis, v, across);
    const double along = dot(axis, v);
    for (int i = 0; i < 3; i++) {
        result[i] = v[i] * cos(angle) + across[i] * sin(angle) + axis[i] * along * (1.0 - cos(angle));
    }
}

// Where pelvis, ankles and feet belong, if the legs are long enough, and whether bones keep their lengths. Returns the
// largest distances from there, of positions relative to the length of a leg.
static errors measure(body *b, uint32_t character) {
    oracle_affine models[JOINTS];
    errors found = {0};
    double pelvis[3], expected[3], got[3], normal[3];
    find_models(&b->scene, b->scene.buffers[LMB_OUTPUT_LOCAL], character, models);
    const double lowered = lowering_of(b, character);
    position(&b->base[character][PELVIS], pelvis);
    add_scaled(pelvis, b->up, lowered, expected);
    position(&models[PELVIS], got);
    found.pelvis = distance(got, expected) / leg_length(b, character, 0);
    for (uint32_t foot = 0; foot < FEET; foot++) {
        const oracle_affine *base = b->base[character];
        const bool grounded = has_ground(b, character, foot, normal);
        const double all = leg_length(b, character, foot);
        double hip[3], knee[3], ankle[3], rotation[3][3], now[3][3];
        position(&base[joint_of(foot, ANKLE)], ankle);
        add_scaled(ankle, b->up, grounded ? offset_of(b, character, foot) : lowered, expected);
        position(&models[joint_of(foot, ANKLE)], got);
        found.ankle = fmax(found.ankle, distance(got, expected) / all);
        position(&models[joint_of(foot, HIP)], hip);
        position(&models[joint_of(foot, KNEE)], knee);
        found.knee = fmax(found.knee, fabs(distance(hip, knee) + distance(knee, got) - all) / all);
        rotation_of(&base[joint_of(foot, ANKLE)], rotation);
        rotation_of(&models[joint_of(foot, ANKLE)], now);
        for (int column = 0; column < 3; column++) {
            double axis[3] = {rotation[0][column], rotation[1][column], rotation[2][column]};
            const double is[3] = {now[0][column], now[1][column], now[2][column]};
            if (grounded) {
                turn_by_arc(b->up, normal, (double)feet_of(b)->max_angle, axis, axis);
            }
            found.foot = fmax(found.foot, distance(axis, is));
        }
    }
    return found;
}

static void expect_errors(body *b, const char *what) {
    errors worst = {0};
    scene_run_all_paths(&b->scene);
    scene_expect_no_refusals(&b->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const errors one = measure(b, i);
        worst.pelvis = fmax(worst.pelvis, one.pelvis);
        worst.ankle = fmax(worst.ankle, one.ankle);
        worst.knee = fmax(worst.knee, one.knee);
        worst.foot = fmax(worst.foot, one.foot);
    }
    print_message("%s: pelvis %.2g, ankle %.2g, bones %.2g, foot %.2g\n", what, worst.pelvis, worst.ankle, worst.knee,
                  worst.foot);
    assert_true(worst.pelvis < 1e-5 && worst.ankle < 1e-5 && worst.knee < 1e-5 && worst.foot < 2e-5);
}

// Ground that moves feet down, or up by as much as the legs can bend. The foot that moves down most always reaches it.
static void draw_all_grounds(body *b, double most_slope) {
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const double leg = leg_length(b, i, 0);
        const double lowest = random_between(&b->source, -0.5, 0.03) * leg;
        set_ground(b, i, i % 2, random_between(&b->source, 0.0, most_slope), lowest);
        set_ground(b, i, 1 - i % 2, random_between(&b->source, 0.0, most_slope),
                   lowest + random_between(&b->source, 0.0, 0.03) * leg);
    }
}

static void feet_stand_on_the_ground(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        body *b = body_start(seed);
        draw_all_grounds(b, 0.0);
        expect_errors(b, "level");
        draw_all_grounds(b, 1.2);
        expect_errors(b, "slopes");
        feet_of(b)->max_angle = 0.4f;
        expect_errors(b, "limited");
        feet_of(b)->max_angle = 0.0f;
        expect_errors(b, "no tilt");
        body_end(b);
    }
}

// Level ground at the origin of model space changes nothing.
static void level_ground_keeps_the_pose(void **state) {
    (void)state;
    body *b = body_start(11);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t foot = 0; foot < FEET; foot++) {
            set_ground(b, i, foot, 0.0, 0.0);
        }
    }
    scene_run_all_paths(&b->scene);
    double worst = 0.0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        oracle_affine models[JOINTS];
        find_models(&b->scene, b->scene.buffers[LMB_OUTPUT_LOCAL], i, models);
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            double before[3], after[3];
            position(&b->base[i][joint], before);
            position(&models[joint], after);
            worst = fmax(worst, distance(before, after));
        }
    }
    print_message("level ground: %.2g\n", worst);
    assert_true(worst < 1e-5);
    body_end(b);
}

// Without ground a leg keeps its local pose and goes down with the pelvis. NaN is refused and counts as 0.
static void feet_without_ground_hang(void **state) {
    (void)state;
    body *b = body_start(21);
    draw_all_grounds(b, 0.5);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double normal[3];
        const uint32_t foot = i % 2;
        const double angles[] = {81.0, 100.0, 179.0};
        tilt(&b->source, b->up, angles[i % 3] * pi / 180.0, normal);
        for (int k = 0; k < 3 && i % 4 == 0; k++) {
            normal[k] = 0.0;
        }
        set_point(b, i, foot * OF_FOOT + NORMAL, normal);
    }
    expect_errors(b, "without ground");
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t part = HIP; part <= TOE; part++) {
            const uint32_t joint = joint_of(i % 2, part);
            for (uint32_t k = 0; k < LMB_POSE_COMPONENTS; k++) {
                const float base = *scene_component(&b->scene, b->scene.poses[0], i, joint, k);
                const float is = *scene_component(&b->scene, b->scene.buffers[LMB_OUTPUT_LOCAL], i, joint, k);
                assert_true(fabsf(base - is) < 1e-6f); // buffers are normalised
            }
        }
    }
    for (uint32_t k = 0; k < 3; k++) {
        *scene_parameter(&b->scene, 3, NORMAL + k) = NAN;
    }
    scene_run_all_paths(&b->scene);
    assert_int_equal(b->scene.refused[LMB_REFUSED_WEIGHT], 3);
    scene_results with_nan = scene_keep(&b->scene);
    set_point(b, 3, NORMAL, (const double[]){0.0, 0.0, 0.0});
    with_nan.refused[LMB_REFUSED_WEIGHT] = 0;
    scene_run_all_paths(&b->scene);
    scene_expect(&b->scene, &with_nan);
    scene_results_destroy(&with_nan);
    body_end(b);
}

// A pelvis that may not go down far enough leaves a straight leg that points at its ground.
static void lowering_is_limited(void **state) {
    (void)state;
    body *b = body_start(31);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const double leg = leg_length(b, i, 0);
        set_ground(b, i, 0, 0.2, -random_between(&b->source, 2.0, 3.0) * leg);
        set_ground(b, i, 1, 0.2, 0.0);
    }
    feet_of(b)->max_lowering = 0.03125f;
    scene_run_all_paths(&b->scene);
    double worst = 0.0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        oracle_affine models[JOINTS];
        double hip[3], ankle[3], target[3], line[3], to[3];
        worst = fmax(worst, measure(b, i).pelvis);
        find_models(&b->scene, b->scene.buffers[LMB_OUTPUT_LOCAL], i, models);
        position(&models[joint_of(0, HIP)], hip);
        position(&models[joint_of(0, ANKLE)], ankle);
        position(&b->base[i][joint_of(0, ANKLE)], target);
        add_scaled(target, b->up, offset_of(b, i, 0), target);
        add_scaled(target, hip, -1.0, line);
        normalize(line);
        add_scaled(hip, line, leg_length(b, i, 0), to);
        worst = fmax(worst, distance(ankle, to) / leg_length(b, i, 0));
    }
    print_message("limited lowering: %.2g\n", worst);
    assert_true(worst < 1e-5);
    feet_of(b)->max_lowering = 0.0f;
    scene_run_all_paths(&b->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            assert_true(*scene_component(&b->scene, b->scene.buffers[LMB_OUTPUT_LOCAL], i, PELVIS, k) ==
                        *scene_component(&b->scene, b->scene.poses[0], i, PELVIS, k));
        }
    }
    body_end(b);
}

static void weights_blend_from_the_base(void **state) {
    (void)state;
    body *b = body_start(41);
    draw_all_grounds(b, 0.6);
    scene_run(&b->scene);
    float *solved = scene_keep_output(&b->scene, LMB_OUTPUT_LOCAL);
    b->scene.node_count = 1;
    scene_run(&b->scene);
    float *base = scene_keep_output(&b->scene, LMB_OUTPUT_LOCAL);
    b->scene.node_count = 2;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        *scene_parameter(&b->scene, i, WEIGHT) = (float)(i % 5) * 0.25f;
    }
    scene_run_all_paths(&b->scene);
    double worst = 0.0;
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const double w = (i % 5) * 0.25;
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            float *local = b->scene.buffers[LMB_OUTPUT_LOCAL];
            double from[4], to[4], got[4], expected[4];
            oracle_choices choices = {0};
            scene_rotation(&b->scene, base, i, joint, from);
            scene_rotation(&b->scene, solved, i, joint, to);
            scene_rotation(&b->scene, local, i, joint, got);
            oracle_quaternion_slerp(from, to, w, &choices, expected);
            const double sign = oracle_quaternion_dot(expected, got) < 0.0 ? -1.0 : 1.0;
            for (uint32_t k = 0; k < 4 && fabs(oracle_quaternion_dot(from, to)) > 0.01; k++) {
                worst = fmax(worst, fabs(got[k] - sign * expected[k]));
            }
            for (uint32_t k = 0; k < LMB_POSE_COMPONENTS; k++) {
                const float a = *scene_component(&b->scene, base, i, joint, k);
                const float z = *scene_component(&b->scene, solved, i, joint, k);
                const float is = *scene_component(&b->scene, local, i, joint, k);
                assert_true(i % 5 > 0 || is == a);
                assert_true(i % 5 < 4 || is == z);
                worst = k < 3 ? fmax(worst, fabs((double)is - ((1.0 - w) * (double)a + w * (double)z))) : worst;
            }
        }
    }
    print_message("weights: %.2g\n", worst);
    assert_true(worst < 1e-6);
    free(solved);
    free(base);
    body_end(b);
}

// Ground and normals of points, in world space.
static void ground_is_in_world_space(void **state) {
    (void)state;
    body *b = body_start(51);
    float *points = calloc(CHARACTERS * FEET * 2 * 4, sizeof *points);
    float *transforms = calloc(CHARACTERS * 12, sizeof *transforms);
    assert_true(points != NULL && transforms != NULL);
    draw_all_grounds(b, 0.8);
    for (uint32_t i = 0; i < CHARACTERS; i++) { // a quarter turn about z, twice as large, and moved
        const float rows[12] = {0.0f, -2.0f, 0.0f, 3.0f, 2.0f, 0.0f, 0.0f, -4.0f, 0.0f, 0.0f, 2.0f, (float)(i % 8)};
        memcpy(transforms + 12 * (size_t)i, rows, sizeof rows);
        for (uint32_t point = 0; point < 2 * FEET; point++) {
            double p[3];
            get_point(b, i, 3 * point, p);
            const double moved = point % 2 == 0 ? 1.0 : 0.0;
            float *to = points + ((size_t)i * FEET * 2 + point) * 4;
            to[0] = (float)(-2.0 * p[1] + 3.0 * moved);
            to[1] = (float)(2.0 * p[0] - 4.0 * moved);
            to[2] = (float)(2.0 * p[2] + (i % 8) * moved);
        }
    }
    for (uint32_t foot = 0; foot < FEET; foot++) {
        feet_of(b)->feet[foot].ground_slot = lmb_point(2 * foot);
        feet_of(b)->feet[foot].normal_slot = lmb_point(2 * foot + 1);
    }
    feet_of(b)->space = LMB_IK_WORLD;
    b->scene.points = points;
    b->scene.transforms = transforms;
    expect_errors(b, "in world space");
    free(points);
    free(transforms);
    body_end(b);
}

// Inputs that are not finite, or far out of range: scene_run() fails on a value that is not finite.
static void nothing_spoils_the_pose(void **state) {
    (void)state;
    static const float odd[] = {0.0f,   NAN,  INFINITY, -INFINITY, 1e-12f, -1e-13f, 1e12f,  -1e38f,
                                1e-40f, 1.0f, -1.0f,    1e-6f,     0.5f,   -3.0f,   1e-20f, 1e6f};
    for (uint64_t seed = 61; seed < 67; seed++) {
        body *b = body_start(seed);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t k = 0; k < WEIGHT; k++) {
                *scene_parameter(&b->scene, i, k) = odd[random_below(&b->source, sizeof odd / sizeof odd[0])];
            }
            if (i % 4 == 0) { // the ground at the hip
                double hip[3];
                position(&b->base[i][joint_of(0, HIP)], hip);
                set_point(b, i, GROUND, hip);
                set_point(b, i, NORMAL, b->up);
            }
            for (uint32_t joint = 0; joint < JOINTS && seed > 61; joint++) {
                const uint32_t kind = random_below(&b->source, 16);
                for (uint32_t k = 0; k < 3 && kind < 4; k++) {
                    const double values[] = {0.0, 1e12, 1e-12, -1.0};
                    set_component(b, i, joint, (kind % 2 ? 7 : 0) + k, values[(kind + k * (seed % 3)) % 4]);
                }
            }
        }
        feet_of(b)->soften = (float)(seed % 3) * 0.5f;
        feet_of(b)->max_angle = seed % 2 ? 0.5f : 4.0f;
        scene_run_all_paths(&b->scene);
        body_end(b);
    }
}

// ---- Ground at the hip and above it, and legs without bones.

// Where an ankle belongs if the ground may be out of reach: on the line from its hip, as far as the leg allows. Ground
// at the hip gives no direction. Returns the distance from there, relative to the leg and its place.
static double reach_error(body *b, uint32_t character, uint32_t foot, const oracle_affine models[JOINTS]) {
    double hip[3], knee[3], ankle[3], target[3], line[3], got[3];
    const oracle_affine *base = b->base[character];
    position(&base[joint_of(foot, HIP)], hip);
    position(&base[joint_of(foot, KNEE)], knee);
    position(&base[joint_of(foot, ANKLE)], ankle);
    const double upper = distance(hip, knee), lower = distance(knee, ankle);
    const double whole = upper + lower + length(hip);
    add_scaled(ankle, b->up, offset_of(b, character, foot), target);
    add_scaled(hip, b->up, lowering_of(b, character), hip);
    add_scaled(target, hip, -1.0, line);
    position(&models[joint_of(foot, ANKLE)], got);
    const double away = length(line), nearest = fabs(upper - lower), farthest = upper + lower;
    if (away <= 0x1p-16 * farthest) {
        return fabs(distance(got, hip) - nearest) / whole;
    }
    add_scaled(hip, line, fmin(fmax(away, nearest), farthest) / away, target);
    return distance(got, target) / whole;
}

// The rotation of a foot: that of the base, and then by the shortest arc from up to the normal.
static double rotation_error(body *b, uint32_t character, uint32_t foot, const oracle_affine models[JOINTS]) {
    double normal[3], was[3][3], is[3][3], worst = 0.0;
    assert_true(has_ground(b, character, foot, normal));
    rotation_of(&b->base[character][joint_of(foot, ANKLE)], was);
    rotation_of(&models[joint_of(foot, ANKLE)], is);
    for (int column = 0; column < 3; column++) {
        double axis[3] = {was[0][column], was[1][column], was[2][column]};
        const double now[3] = {is[0][column], is[1][column], is[2][column]};
        turn_by_arc(b->up, normal, (double)feet_of(b)->max_angle, axis, axis);
        worst = fmax(worst, distance(axis, now));
    }
    return worst;
}

static void expect_reach(body *b, const char *what) {
    double worst_ankle = 0.0, worst_foot = 0.0, worst_pelvis = 0.0;
    scene_run_all_paths(&b->scene);
    scene_expect_no_refusals(&b->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        oracle_affine models[JOINTS];
        double pelvis[3], got[3];
        find_models(&b->scene, b->scene.buffers[LMB_OUTPUT_LOCAL], i, models);
        position(&b->base[i][PELVIS], pelvis);
        position(&models[PELVIS], got);
        add_scaled(pelvis, b->up, lowering_of(b, i), pelvis);
        worst_pelvis = fmax(worst_pelvis, distance(pelvis, got) / (1.0 + length(pelvis)));
        for (uint32_t foot = 0; foot < FEET; foot++) {
            worst_ankle = fmax(worst_ankle, reach_error(b, i, foot, models));
            worst_foot = fmax(worst_foot, rotation_error(b, i, foot, models));
        }
    }
    print_message("%s: pelvis %.2g, ankle %.2g, foot %.2g\n", what, worst_pelvis, worst_ankle, worst_foot);
    assert_true(worst_pelvis < 1e-5 && worst_ankle < 1e-5 && worst_foot < 2e-5);
}

// Turns the root so that the left ankle is straight below its hip. Returns how far.
static double hang_left_leg(body *b, uint32_t character) {
    double hip[3], ankle[3], down[3], axis[3], q[4], own[4], turned[4];
    position(&b->base[character][joint_of(0, HIP)], hip);
    position(&b->base[character][joint_of(0, ANKLE)], ankle);
    add_scaled(hip, ankle, -1.0, down);
    const double height = length(down);
    normalize(down);
    cross(down, b->up, axis);
    const double half = 0.5 * atan2(length(axis), dot(down, b->up));
    normalize(axis);
    for (int k = 0; k < 3; k++) {
        q[k] = axis[k] * sin(half);
    }
    q[3] = cos(half);
    scene_rotation(&b->scene, b->scene.poses[0], character, ROOT, own);
    oracle_quaternion_multiply(q, own, turned);
    for (uint32_t k = 0; k < 4; k++) {
        set_component(b, character, ROOT, 3 + k, turned[k]);
    }
    find_models(&b->scene, b->scene.poses[0], character, b->base[character]);
    return height;
}

// The leg folds as the ground rises to the hip, and points up to ground above it. At the hip it keeps its direction:
// the hip does not turn. The other foot is on level ground, or lowers the pelvis.
static void ground_rises_above_the_hip(void **state) {
    (void)state;
    static const double shares[] = {0.5, 0.9, 0.99, 1.0, 1.01, 1.1, 1.5, 2.0, 3.0, 30.0}; // of the hip's height
    const uint32_t count = sizeof shares / sizeof shares[0];
    for (uint32_t lowers = 0; lowers < 2; lowers++) {
        body *b = body_start(401 + lowers);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            const double height = hang_left_leg(b, i), lowered = lowers ? -0.25 * height : 0.0;
            // Relative to the hip, which goes down with the pelvis.
            set_ground(b, i, 0, i % 3 == 0 ? 0.0 : 0.4, shares[i % count] * height + lowered);
            set_ground(b, i, 1, 0.2, lowered);
        }
        expect_reach(b, lowers ? "above the lowered hip" : "above the hip");
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t k = 3; k < 7 && shares[i % count] == 1.0; k++) {
                const float got =
                    *scene_component(&b->scene, b->scene.buffers[LMB_OUTPUT_LOCAL], i, joint_of(0, HIP), k);
                const float was = *scene_component(&b->scene, b->scene.poses[0], i, joint_of(0, HIP), k);
                assert_true(fabsf(got - was) < 1e-6f);
            }
        }
        body_end(b);
    }
}

// Ground far above and below, in any direction from the hip.
static void ground_is_out_of_reach(void **state) {
    (void)state;
    body *b = body_start(411);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        const double leg = leg_length(b, i, 0);
        set_ground(b, i, 0, random_between(&b->source, 0.0, 0.8), random_between(&b->source, -6.0, 6.0) * leg);
        set_ground(b, i, 1, random_between(&b->source, 0.0, 0.8), random_between(&b->source, 0.0, 40.0) * leg);
    }
    expect_reach(b, "out of reach");
    feet_of(b)->max_lowering = 0.1f;
    expect_reach(b, "out of reach, not lowered enough");
    body_end(b);
}

// Legs without a thigh, without a shin, and with all joints at one place: the rest points at the ground, and the foot
// stands on it.
static void legs_without_bones_point_at_the_ground(void **state) {
    (void)state;
    static const char *const names[] = {"no thighs", "no shins", "no legs"};
    for (uint32_t kind = 0; kind < 3; kind++) {
        body *b = body_start(421 + kind);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t foot = 0; foot < FEET; foot++) {
                for (uint32_t part = THIGH; part <= ANKLE; part++) {
                    const bool is_thigh = part <= KNEE;
                    if (kind == 2 || (kind == 0) == is_thigh) {
                        set_component(b, i, joint_of(foot, part), 1, 0.0);
                    }
                }
            }
            find_models(&b->scene, b->scene.poses[0], i, b->base[i]);
            set_ground(b, i, 0, random_between(&b->source, 0.0, 0.6), random_between(&b->source, -0.5, 0.5));
            set_ground(b, i, 1, random_between(&b->source, 0.0, 0.6), random_between(&b->source, -0.5, 0.5));
        }
        expect_reach(b, names[kind]);
        for (uint32_t i = 0; i < CHARACTERS && kind == 2; i++) {
            for (uint32_t k = 3; k < 7; k++) {
                for (uint32_t part = HIP; part <= KNEE; part++) {
                    const uint32_t joint = joint_of(1, part);
                    const float got = *scene_component(&b->scene, b->scene.buffers[LMB_OUTPUT_LOCAL], i, joint, k);
                    assert_true(fabsf(got - *scene_component(&b->scene, b->scene.poses[0], i, joint, k)) < 1e-6f);
                }
            }
        }
        body_end(b);
    }
}

// A leg that is straight in the base has no plane of its own: the knee goes to the side that its axis says.
static void straight_legs_bend_about_the_knee(void **state) {
    (void)state;
    body *b = body_start(431);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        double hip[3], ankle[3], line[3], leg;
        for (uint32_t foot = 0; foot < FEET; foot++) {
            for (uint32_t k = 0; k < 4; k++) {
                set_component(b, i, joint_of(foot, KNEE), 3 + k, k == 3);
            }
        }
        find_models(&b->scene, b->scene.poses[0], i, b->base[i]);
        leg = hang_left_leg(b, i);
        position(&b->base[i][joint_of(1, HIP)], hip);
        position(&b->base[i][joint_of(1, ANKLE)], ankle);
        add_scaled(ankle, hip, -1.0, line);
        set_ground(b, i, 0, 0.3, random_between(&b->source, 0.1, 0.6) * leg);
        set_ground(b, i, 1, 0.3, -0.2 * dot(line, b->up));
    }
    expect_reach(b, "straight");
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        oracle_affine models[JOINTS];
        double hip[3], knee[3], ankle[3], line[3], axis[3], side[3];
        find_models(&b->scene, b->scene.buffers[LMB_OUTPUT_LOCAL], i, models);
        position(&models[joint_of(0, HIP)], hip);
        position(&models[joint_of(0, KNEE)], knee);
        position(&models[joint_of(0, ANKLE)], ankle);
        for (int k = 0; k < 3; k++) {
            axis[k] = -models[joint_of(0, KNEE)].m[k][0]; // knee_axis is -x
        }
        add_scaled(ankle, hip, -1.0, line);
        add_scaled(knee, hip, -1.0, knee);
        cross(axis, line, side);
        normalize(side);
        assert_true(dot(side, knee) > 0.05 * length(knee)); // bent, and to this side
        normalize(axis);
        assert_true(fabs(dot(axis, knee)) < 1e-4 * length(knee));
    }
    body_end(b);
}

static lmb_result check_body(const body *b, lmb_error *error) {
    const lmb_graph_def def = {
        .rig = b->scene.rig, .nodes = b->scene.nodes, .node_count = 2, .parameter_count = PARAMETERS};
    return lmb_graph_check(&def, error);
}

// Strides.

// The displacement of an ankle by its stride, by the formula of ik.h.
static void stride_of(body *b, uint32_t character, uint32_t foot, double growth, const double direction[3],
                      double stride[3]) {
    double normal[3], ankle[3], pelvis[3];
    position(&b->base[character][joint_of(foot, ANKLE)], ankle);
    position(&b->base[character][PELVIS], pelvis);
    add_scaled(ankle, pelvis, -1.0, ankle);
    const double along = has_ground(b, character, foot, normal) ? dot(ankle, direction) : 0.0;
    for (int i = 0; i < 3; i++) {
        stride[i] = growth * along * direction[i];
    }
}

// Where an ankle belongs: moved by its stride, and from there as far from the ground as it was above the origin.
static double offset_of_stride(body *b, uint32_t character, uint32_t foot, const double stride[3]) {
    double normal[3], ground[3], ankle[3], to_ground[3];
    if (!has_ground(b, character, foot, normal)) {
        return 0.0;
    }
    get_point(b, character, foot * OF_FOOT + GROUND, ground);
    position(&b->base[character][joint_of(foot, ANKLE)], ankle);
    add_scaled(ankle, stride, 1.0, ankle);
    add_scaled(ground, ankle, -1.0, to_ground);
    return (dot(to_ground, normal) + dot(ankle, b->up)) / dot(b->up, normal);
}

// How far the pelvis must go down for a leg: found by bisection, from the lengths of the leg before and after.
static double needed_lowering(body *b, uint32_t character, uint32_t foot, const double stride[3], double offset) {
    double hip[3], ankle[3], target[3], from[3];
    position(&b->base[character][joint_of(foot, HIP)], hip);
    position(&b->base[character][joint_of(foot, ANKLE)], ankle);
    const double before = distance(hip, ankle), first = fmax(-offset, 0.0);
    add_scaled(ankle, stride, 1.0, target);
    add_scaled(target, b->up, offset, target);
    add_scaled(target, hip, -1.0, from);
    const double nearest = fmax(-dot(from, b->up), first); // of the hip, downwards
    double low = first, high = nearest;
    add_scaled(hip, b->up, -low, from);
    if (distance(from, target) <= before) {
        return first;
    }
    add_scaled(hip, b->up, -high, from);
    if (distance(from, target) > before) {
        return nearest;
    }
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        add_scaled(hip, b->up, -middle, from);
        *(distance(from, target) > before ? &low : &high) = middle;
    }
    return high;
}

// Compares the pelvis and the ankles with the formula.
static void expect_strides(body *b, const char *what, double growth, const double direction[3]) {
    double worst_pelvis = 0.0, worst_ankle = 0.0, worst_foot = 0.0;
    uint32_t reached = 0, lowered_count = 0;
    scene_run_all_paths(&b->scene);
    scene_expect_no_refusals(&b->scene);
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        oracle_affine models[JOINTS];
        double strides[FEET][3], offsets[FEET], lowered = 0.0, expected[3], got[3];
        find_models(&b->scene, b->scene.buffers[LMB_OUTPUT_LOCAL], i, models);
        for (uint32_t foot = 0; foot < FEET; foot++) {
            stride_of(b, i, foot, growth, direction, strides[foot]);
            offsets[foot] = offset_of_stride(b, i, foot, strides[foot]);
            lowered = fmax(lowered, needed_lowering(b, i, foot, strides[foot], offsets[foot]));
        }
        lowered = fmin(lowered, (double)feet_of(b)->max_lowering);
        lowered_count += lowered > 0.0;
        position(&b->base[i][PELVIS], expected);
        add_scaled(expected, b->up, -lowered, expected);
        position(&models[PELVIS], got);
        worst_pelvis = fmax(worst_pelvis, distance(got, expected) / leg_length(b, i, 0));
        for (uint32_t foot = 0; foot < FEET; foot++) {
            double hip[3], normal[3];
            const double all = leg_length(b, i, foot);
            const bool grounded = has_ground(b, i, foot, normal);
            position(&b->base[i][joint_of(foot, HIP)], hip);
            add_scaled(hip, b->up, -lowered, hip);
            position(&b->base[i][joint_of(foot, ANKLE)], expected);
            add_scaled(expected, strides[foot], 1.0, expected);
            add_scaled(expected, b->up, grounded ? offsets[foot] : -lowered, expected);
            position(&models[joint_of(foot, ANKLE)], got);
            if (distance(hip, expected) < 0.95 * all && distance(hip, expected) > 0.3 * all) {
                worst_ankle = fmax(worst_ankle, distance(got, expected) / all);
                reached++;
            }
            for (int column = 0; column < 3; column++) { // the foot turns as without a stride
                double rotation[3][3], now[3][3];
                rotation_of(&b->base[i][joint_of(foot, ANKLE)], rotation);
                rotation_of(&models[joint_of(foot, ANKLE)], now);
                double axis[3] = {rotation[0][column], rotation[1][column], rotation[2][column]};
                const double is[3] = {now[0][column], now[1][column], now[2][column]};
                if (grounded) {
                    turn_by_arc(b->up, normal, (double)feet_of(b)->max_angle, axis, axis);
                }
                worst_foot = fmax(worst_foot, distance(axis, is));
            }
        }
    }
    print_message("%s: pelvis %.2g, ankle %.2g, foot %.2g; %u ankles in reach, %u pelves lowered\n", what, worst_pelvis,
                  worst_ankle, worst_foot, (unsigned)reached, (unsigned)lowered_count);
    assert_true(worst_pelvis < 2e-5 && worst_ankle < 1e-5 && worst_foot < 2e-5);
    assert_true(reached > (growth < 0.4 ? CHARACTERS : CHARACTERS / 20)); // long strides leave the reach of most legs
}

static void set_direction(body *b, const double direction[3]) {
    for (int i = 0; i < 3; i++) {
        feet_of(b)->direction[i] = lmb_constant((float)(2.5 * direction[i]));
    }
}

// Feet travel as far as the speed requires, on level ground and on slopes; the pelvis keeps the legs as long as they
// were.
static void strides_are_scaled(void **state) {
    (void)state;
    static const double ratios[] = {0.0, 0.5, 0.8, 1.25, 1.5, 2.0, 4.0};
    for (uint64_t seed = 81; seed < 88; seed++) {
        body *b = body_start(seed);
        double direction[3];
        const double ratio = ratios[seed - 81];
        draw_direction(&b->source, direction);
        if (seed % 2 == 0) { // level, as it is usual
            add_scaled(direction, b->up, -dot(direction, b->up), direction);
            normalize(direction);
        }
        set_direction(b, direction);
        feet_of(b)->speed = lmb_constant((float)(1.6 * ratio));
        feet_of(b)->clip_speed = lmb_constant(1.6f);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t foot = 0; foot < FEET; foot++) {
                set_ground(b, i, foot, 0.0, 0.0);
            }
        }
        expect_strides(b, "level", ratio - 1.0, direction);
        draw_all_grounds(b, 0.6);
        expect_strides(b, "slopes", ratio - 1.0, direction);
        feet_of(b)->max_lowering = 0.05f;
        expect_strides(b, "limited", ratio - 1.0, direction);
        body_end(b);
    }
}

// Speeds that mean no stride: the result is to the bit that of equal speeds. NaN counts as 0, and is refused.
static void strides_have_edges(void **state) {
    (void)state;
    static const struct {
        float speed, clip_speed, growth;
    } rows[] = {{2.0f, 2.0f, 0.0f},      {3.0f, 0.0f, 0.0f},   {3.0f, 9e-7f, 0.0f},       {1.0f, -2.0f, -1.0f},
                {-1.0f, 1.0f, -1.0f},    {-3.0f, -2.0f, 0.5f}, {1e30f, 1.0f, 3.0f},       {1.0f, 1e-5f, 3.0f},
                {0.0f, INFINITY, -1.0f}, {1.0f, 1e30f, -1.0f}, {INFINITY, INFINITY, 0.0f}};
    body *b = body_start(91);
    double direction[3];
    draw_direction(&b->source, direction);
    set_direction(b, direction);
    draw_all_grounds(b, 0.6);
    scene_run_all_paths(&b->scene);
    float *plain = scene_keep_output(&b->scene, LMB_OUTPUT_LOCAL);
    feet_of(b)->speed = lmb_parameter(SPEED);
    feet_of(b)->clip_speed = lmb_parameter(CLIP_SPEED);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t k = 0; k < CHARACTERS; k++) {
            *scene_parameter(&b->scene, k, SPEED) = rows[i].speed;
            *scene_parameter(&b->scene, k, CLIP_SPEED) = rows[i].clip_speed;
        }
        expect_strides(b, "edge", (double)rows[i].growth, direction);
        if (rows[i].growth == 0.0f) {
            scene_expect_output(&b->scene, LMB_OUTPUT_LOCAL, plain);
        }
    }
    for (uint32_t k = 0; k < CHARACTERS; k++) {
        *scene_parameter(&b->scene, k, SPEED) = NAN;
        *scene_parameter(&b->scene, k, CLIP_SPEED) = 1.0f;
    }
    scene_run_all_paths(&b->scene);
    assert_int_equal(b->scene.refused[LMB_REFUSED_WEIGHT], CHARACTERS);
    for (int i = 0; i < 3; i++) { // no direction
        feet_of(b)->direction[i] = lmb_constant(0.0f);
    }
    for (uint32_t k = 0; k < CHARACTERS; k++) {
        *scene_parameter(&b->scene, k, SPEED) = 3.0f;
    }
    scene_run_all_paths(&b->scene);
    scene_expect_output(&b->scene, LMB_OUTPUT_LOCAL, plain);
    free(plain);
    body_end(b);
}

#define REFUSED(...) CHECK_REFUSAL(check_body(b, &error), &error, LMB_ERROR_ARGUMENT, __VA_ARGS__)

static void faulty_nodes_are_refused(void **state) {
    (void)state;
    body *b = body_start(71);
    lmb_error error = {0};
    lmb_feet_def *feet = feet_of(b);
    const lmb_feet_def good = *feet;
    assert_int_equal(check_body(b, &error), LMB_OK);
    feet->foot_count = 0;
    REFUSED("node 1 (foot-placement)", "foot_count", "1 to 4");
    feet->foot_count = 5;
    REFUSED("foot_count");
    *feet = good;
    feet->pelvis = JOINTS;
    REFUSED("pelvis", "no such joint");
    feet->pelvis = SPINE;
    REFUSED("feet[0]", "joint 3 'joint 3' is not below joint 2 'joint 2'");
    *feet = good;
    feet->feet[1].knee = LMB_NONE;
    REFUSED("feet[1].knee", "no such joint");
    feet->feet[1].knee = joint_of(0, KNEE);
    REFUSED("feet[1]", "is not below");
    *feet = good;
    feet->feet[1] = feet->feet[0];
    REFUSED("feet[1]", "another foot has one of its joints");
    *feet = good;
    memset(feet->feet[0].knee_axis, 0, sizeof feet->feet[0].knee_axis);
    REFUSED("feet[0]", "0, or not a finite");
    *feet = good;
    feet->feet[1].ground[2] = lmb_parameter(PARAMETERS);
    REFUSED("feet[1].ground[2]", "parameter");
    *feet = good;
    feet->feet[0].normal_slot = lmb_point(64);
    REFUSED("feet[0].normal", "at most 64");
    *feet = good;
    feet->up[0] = NAN;
    REFUSED("up");
    *feet = good;
    feet->max_lowering = -1.0f;
    REFUSED("max_lowering");
    feet->max_lowering = INFINITY;
    REFUSED("max_lowering");
    *feet = good;
    feet->max_angle = NAN;
    REFUSED("max_angle");
    *feet = good;
    feet->soften = 2.0f;
    REFUSED("soften");
    *feet = good;
    feet->space = LMB_IK_SPACE_COUNT;
    REFUSED("space");
    *feet = good;
    feet->speed = lmb_parameter(PARAMETERS);
    REFUSED("speed", "parameter");
    *feet = good;
    feet->clip_speed = lmb_constant(NAN);
    REFUSED("clip_speed");
    *feet = good;
    feet->direction[1] = lmb_parameter(PARAMETERS);
    REFUSED("direction[1]", "parameter");
    feet->direction_slot = lmb_point(64);
    REFUSED("direction", "at most 64");
    *feet = good;
    const lmb_node_def node = lmb_foot_placement_node(0, PELVIS, good.feet, FEET);
    assert_int_equal(node.op, LMB_OP_FOOT_PLACEMENT);
    assert_int_equal(node.inputs[0], 0);
    assert_true(node.feet.foot_count == FEET && node.feet.pelvis == PELVIS && node.feet.up[1] == 1.0f);
    assert_memory_equal(node.feet.feet, good.feet, FEET * sizeof good.feet[0]);
    body_end(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_stand_on_the_ground),
        cmocka_unit_test(level_ground_keeps_the_pose),
        cmocka_unit_test(feet_without_ground_hang),
        cmocka_unit_test(lowering_is_limited),
        cmocka_unit_test(weights_blend_from_the_base),
        cmocka_unit_test(ground_is_in_world_space),
        cmocka_unit_test(nothing_spoils_the_pose),
        cmocka_unit_test(strides_are_scaled),
        cmocka_unit_test(strides_have_edges),
        cmocka_unit_test(faulty_nodes_are_refused),
        cmocka_unit_test(ground_rises_above_the_hip),
        cmocka_unit_test(ground_is_out_of_reach),
        cmocka_unit_test(legs_without_bones_point_at_the_ground),
        cmocka_unit_test(straight_legs_bend_about_the_knee),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
