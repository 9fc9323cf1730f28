// Inertialization against float64: the quintic polynomial from its six conditions, solved as a system of equations,
// with offsets and velocities as defined by Bollo. Then programs that inertialize, frame by frame, on every CPU path.
#include "flushing.h"
#include "scene.h"

#include "../../shaders/ops/inertia.h"

#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- The oracle.

// Solves a linear system of six equations by Gaussian elimination with pivots.
static void solve(double m[6][7], double x[6]) {
    for (int column = 0; column < 6; column++) {
        int pivot = column;
        for (int row = column + 1; row < 6; row++) {
            pivot = fabs(m[row][column]) > fabs(m[pivot][column]) ? row : pivot;
        }
        for (int i = 0; i < 7; i++) {
            double kept = m[column][i];
            m[column][i] = m[pivot][i];
            m[pivot][i] = kept;
        }
        for (int row = 0; row < 6; row++) {
            double factor = row == column ? 0.0 : m[row][column] / m[column][column];
            for (int i = 0; i < 7; i++) {
                m[row][i] -= factor * m[column][i];
            }
        }
    }
    for (int i = 0; i < 6; i++) {
        x[i] = m[i][6] / m[i][i];
    }
}

// Returns x(t) for x0 >= 0. Position, velocity and acceleration are x0, v0 and a0 at 0, and all three are 0 at t1.
static double decay(double x0, double v0, double duration, double t) {
    v0 = v0 < 0.0 ? v0 : 0.0;
    const double t1 = v0 < 0.0 && -5.0 * x0 / v0 < duration ? -5.0 * x0 / v0 : duration;
    if (x0 <= 0.0 || t >= t1) {
        return 0.0;
    }
    const double bend = (-8.0 * v0 * t1 - 20.0 * x0) / (t1 * t1);
    const double a0 = bend > 0.0 ? bend : 0.0;
    // Scaled to t1, so that the system is well conditioned.
    double m[6][7] = {{1, 0, 0, 0, 0, 0, x0}, {0, 1, 0, 0, 0, 0, v0 * t1}, {0, 0, 2, 0, 0, 0, a0 * t1 * t1},
                      {1, 1, 1, 1, 1, 1, 0},  {0, 1, 2, 3, 4, 5, 0},       {0, 0, 2, 6, 12, 20, 0}};
    double c[6];
    solve(m, c);
    const double u = t / t1;
    return ((((c[5] * u + c[4]) * u + c[3]) * u + c[2]) * u + c[1]) * u + c[0];
}

// Computes an offset's length and its velocity along its direction.
static void find_offset(const double pose[3], const double last[3], const double older[3], double step,
                        double direction[3], double *x0, double *v0) {
    *x0 = *v0 = 0.0;
    for (int i = 0; i < 3; i++) {
        *x0 += (last[i] - pose[i]) * (last[i] - pose[i]);
    }
    *x0 = sqrt(*x0);
    for (int i = 0; i < 3; i++) {
        direction[i] = *x0 > 0.0 ? (last[i] - pose[i]) / *x0 : 0.0;
        *v0 += (last[i] - older[i]) / step * direction[i];
    }
}

// Adds the rest of the offset to the pose's vector, along the offset's direction.
static void decay_vector(const double pose[3], const double last[3], const double older[3], double step,
                         double duration, double t, double result[3]) {
    double direction[3], x0, v0;
    find_offset(pose, last, older, step, direction, &x0, &v0);
    const double x = decay(x0, v0, duration, t);
    for (int i = 0; i < 3; i++) {
        result[i] = pose[i] + direction[i] * x;
    }
}

// Returns the angle of a rotation, 0 to pi, and its axis.
static double find_axis(const double q[4], double axis[3]) {
    const double sine = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    const double sign = q[3] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++) {
        axis[i] = sine > 0.0 ? sign * q[i] / sine : 0.0;
    }
    return 2.0 * atan2(sine, fabs(q[3]));
}

static void between(const double a[4], const double b[4], double result[4]) {
    double inverse[4];
    oracle_quaternion_conjugate(b, inverse);
    oracle_quaternion_multiply(a, inverse, result);
}

// The same for a rotation: its angle, its velocity about the axis, and the axis.
static void find_turn(const double pose[4], const double last[4], const double older[4], double step, double axis[3],
                      double *x0, double *v0) {
    double offset[4], turn[4], turn_axis[3];
    between(last, pose, offset);
    between(last, older, turn);
    *x0 = find_axis(offset, axis);
    const double angle = find_axis(turn, turn_axis);
    *v0 = 0.0;
    for (int i = 0; i < 3; i++) {
        *v0 += angle * turn_axis[i] * axis[i] / step;
    }
}

static void turn_by(const double axis[3], double angle, const double pose[4], double result[4]) {
    const double turn[4] = {axis[0] * sin(angle / 2), axis[1] * sin(angle / 2), axis[2] * sin(angle / 2),
                            cos(angle / 2)};
    oracle_quaternion_multiply(turn, pose, result);
}

static void decay_rotation(const double pose[4], const double last[4], const double older[4], double step,
                           double duration, double t, double result[4]) {
    double axis[3], x0, v0;
    find_turn(pose, last, older, step, axis, &x0, &v0);
    turn_by(axis, decay(x0, v0, duration, t), pose, result);
}

// ---- Tests.

static void a_share_of_an_offset_decays_by_the_quintic(void **state) {
    (void)state;
    random_source source = {1};
    double worst = 0.0;
    for (int i = 0; i < 200000; i++) {
        const float duration = (float)exp(random_between(&source, -6.0, 6.0));
        const float rate = i % 5 == 0 ? 0.0f : -(float)(exp(random_between(&source, -4.0, 4.0)) / (double)duration);
        const float time = (float)random_between(&source, 0.0, 1.1) * duration;
        const double exact = decay(1.0, (double)rate, (double)duration, (double)time);
        const double left = (double)inertia_left(rate, time, duration);
        worst = fmax(worst, fabs(left - exact));
    }
    printf("share of an offset: %.3g\n", worst);
    assert_true(worst <= 1e-6);
}

static void a_share_begins_with_all_and_ends_with_nothing(void **state) {
    (void)state;
    random_source source = {2};
    for (int i = 0; i < 20000; i++) {
        const float duration = (float)exp(random_between(&source, -12.0, 11.0));
        const float rate = i % 3 == 0 ? 0.0f : -(float)(exp(random_between(&source, -9.0, 9.0)) / (double)duration);
        assert_true(inertia_left(rate, 0.0f, duration) == 1.0f);
        assert_true(BITS(inertia_left(rate, duration, duration)) == 0);
        assert_true(BITS(inertia_left(rate, 2.0f * duration, duration)) == 0);
        float before = 1.0f;
        for (int part = 1; part <= 64; part++) {
            const float left = inertia_left(rate, duration * (float)part / 64.0f, duration);
            // The offset never grows, except by rounding.
            assert_true(left >= 0.0f && left <= before + 1e-6f);
            before = left;
        }
    }
    assert_true(BITS(inertia_left(-1.0f, 0.0f, 0.0f)) == 0);
    assert_true(BITS(inertia_left(-1048576.0f, 1.0f, 100000.0f)) == 0);
}

static void the_angle_of_a_rotation_is_found(void **state) {
    (void)state;
    random_source source = {3};
    double worst = 0.0;
    for (int i = 0; i < 200000; i++) {
        float rotation[4];
        random_rotation(&source, rotation);
        // Angles of every magnitude.
        const double half =
            PI / 2 * (i % 2 == 0 ? random_between(&source, 0.0, 1.0) : exp(random_between(&source, -12.0, 0.0)));
        const double length =
            sqrt((double)rotation[0] * (double)rotation[0] + (double)rotation[1] * (double)rotation[1] +
                 (double)rotation[2] * (double)rotation[2]);
        const double desired[4] = {(double)rotation[0] / length * sin(half), (double)rotation[1] / length * sin(half),
                                   (double)rotation[2] / length * sin(half), cos(half)};
        const quaternion q = {(float)desired[0], (float)desired[1], (float)desired[2], (float)desired[3]};
        const vector found = rotation_vector(q);
        const float components[3] = {found.x, found.y, found.z};
        for (int j = 0; j < 3; j++) {
            const double exact = desired[j] / sin(half) * 2.0 * half;
            worst = fmax(worst, fabs((double)components[j] - exact) / (2.0 * half));
        }
    }
    printf("rotation vector: %.3g\n", worst);
    assert_true(worst <= 3e-7);
}

static transform random_pose(random_source *source) {
    transform pose = {.weight = WEIGHT_PRESENT};
    float components[10];
    for (int i = 0; i < 3; i++) {
        components[i] = (float)random_between(source, -2.0, 2.0);
        components[7 + i] = (float)random_between(source, 0.5, 2.0);
    }
    random_rotation(source, components + 3);
    memcpy(&pose, components, sizeof components);
    pose.q = quaternion_normalize(pose.q);
    return pose;
}

// Returns a pose near this one, as after the movement of one step.
static transform pose_near(random_source *source, transform pose, double by) {
    pose.t.x += (float)random_between(source, -by, by);
    pose.t.y += (float)random_between(source, -by, by);
    pose.t.z += (float)random_between(source, -by, by);
    const quaternion turn = {(float)random_between(source, -by, by), (float)random_between(source, -by, by),
                             (float)random_between(source, -by, by), 1.0f};
    pose.q = quaternion_normalize(quaternion_multiply(turn, pose.q));
    pose.s.x += (float)random_between(source, -by, by);
    return pose;
}

static void widen(transform pose, double t[3], double q[4], double s[3]) {
    float components[10];
    memcpy(components, &pose, sizeof components);
    for (int i = 0; i < 3; i++) {
        t[i] = (double)components[i];
        s[i] = (double)components[7 + i];
    }
    for (int i = 0; i < 4; i++) {
        q[i] = (double)components[3 + i];
    }
}

static void offsets_and_velocities_are_those_of_the_talk(void **state) {
    (void)state;
    random_source source = {4};
    double worst = 0.0, worst_rotation = 0.0;
    for (int i = 0; i < 100000; i++) {
        const transform pose = random_pose(&source), last = random_pose(&source);
        const transform older = pose_near(&source, last, i % 4 == 0 ? 0.0 : 0.3);
        const float step = (float)random_between(&source, 0.005, 0.1);
        const float duration = (float)random_between(&source, 0.1, 1.0);
        const float time = (float)random_between(&source, 0.0, 1.0) * duration;
        double t[3][3], q[3][4], s[3][3], exact_t[3], exact_q[4], exact_s[3];
        const transform all[3] = {pose, last, older};
        for (int j = 0; j < 3; j++) {
            widen(all[j], t[j], q[j], s[j]);
        }
        double offset[4], axis[3];
        between(q[1], q[0], offset);
        if (PI - find_axis(offset, axis) < 1e-3) {
            continue; // both axes are correct
        }
        decay_vector(t[0], t[1], t[2], (double)step, (double)duration, (double)time, exact_t);
        decay_vector(s[0], s[1], s[2], (double)step, (double)duration, (double)time, exact_s);
        decay_rotation(q[0], q[1], q[2], (double)step, (double)duration, (double)time, exact_q);
        double found_t[3], found_q[4], found_s[3];
        widen(apply_inertia(pose, take_inertia(pose, last, older, step), time, duration), found_t, found_q, found_s);
        const double sign = oracle_quaternion_dot(found_q, exact_q) < 0.0 ? -1.0 : 1.0;
        for (int j = 0; j < 4; j++) {
            worst_rotation = fmax(worst_rotation, fabs(sign * found_q[j] - exact_q[j]));
        }
        for (int j = 0; j < 3; j++) {
            worst = fmax(worst, fmax(fabs(found_t[j] - exact_t[j]), fabs(found_s[j] - exact_s[j])));
        }
    }
    printf("vectors: %.3g, rotations: %.3g\n", worst, worst_rotation);
    assert_true(worst <= 3e-6 && worst_rotation <= 2e-6);
}

static void at_first_the_last_pose_is_shown_and_at_last_the_new_one(void **state) {
    (void)state;
    random_source source = {5};
    for (int i = 0; i < 10000; i++) {
        const transform pose = random_pose(&source), last = random_pose(&source);
        const transform older = pose_near(&source, last, 0.1);
        const inertia taken = take_inertia(pose, last, older, 0.02f);
        double t[2][3], q[2][4], s[2][3];
        widen(last, t[0], q[0], s[0]);
        widen(apply_inertia(pose, taken, 0.0f, 0.3f), t[1], q[1], s[1]);
        assert_true(fabs(oracle_quaternion_dot(q[0], q[1])) >= 1.0 - 1e-6);
        for (int j = 0; j < 3; j++) {
            assert_true(fabs(t[0][j] - t[1][j]) <= 1e-6 && fabs(s[0][j] - s[1][j]) <= 1e-6);
        }
        const transform end = apply_inertia(pose, taken, 0.3f, 0.3f);
        assert_memory_equal(&end, &pose, 10 * sizeof(float));
    }
}

static void what_does_not_move_has_no_rate(void **state) {
    (void)state;
    random_source source = {6};
    for (int i = 0; i < 1000; i++) {
        const transform pose = random_pose(&source), last = random_pose(&source);
        const transform older = pose_near(&source, last, 0.1);
        // No time step, no offset, or no movement.
        const inertia taken[3] = {take_inertia(pose, last, older, 0.0f), take_inertia(last, last, older, 0.02f),
                                  take_inertia(pose, last, last, 0.02f)};
        for (int j = 0; j < 3; j++) {
            assert_true(taken[j].t_rate == 0.0f && taken[j].s_rate == 0.0f);
            // Rounding errors also give a rotation rate: a small one without a movement, and any rate if the offset
            // itself is only a rounding error.
            assert_true(j == 1 || taken[j].q_rate > -0.01f);
        }
        // Only movement towards the new pose counts: movement away from it gives no rate.
        transform near_pose = last;
        near_pose.t.x = last.t.x + 0.5f * (pose.t.x - last.t.x);
        near_pose.t.y = last.t.y + 0.5f * (pose.t.y - last.t.y);
        near_pose.t.z = last.t.z + 0.5f * (pose.t.z - last.t.z);
        const inertia away = take_inertia(pose, last, near_pose, 0.02f);
        const inertia towards = take_inertia(near_pose, last, pose, 0.02f);
        assert_true(away.t_rate == 0.0f && towards.t_rate == 0.0f);
    }
}

// The sign of a zero can differ between devices, and offsets are compared bit by bit.
static void no_zero_of_an_offset_has_a_sign(void **state) {
    (void)state;
    transform pose = {.q = {0.0f, 0.0f, 0.0f, 1.0f}, .s = {1.0f, 1.0f, 1.0f}, .weight = WEIGHT_PRESENT};
    uint32_t turned = 0;
    for (int i = 0; i < 3 * 64; i++) {
        const double half = PI * (double)(i / 3) / 32.0, sine = sin(half);
        transform last = pose;
        last.q = quaternion_normalize((quaternion){i % 3 == 0 ? (float)sine : 0.0f, i % 3 == 1 ? (float)sine : 0.0f,
                                                   i % 3 == 2 ? (float)sine : 0.0f, (float)cos(half)});
        turned += last.q.w < 0.0f;
        const inertia taken = take_inertia(pose, last, pose, 0.02f);
        uint32_t words[13];
        memcpy(words, &taken.offset, 10 * sizeof *words);
        words[10] = BITS(taken.t_rate);
        words[11] = BITS(taken.q_rate);
        words[12] = BITS(taken.s_rate);
        for (int j = 0; j < 13; j++) {
            assert_int_not_equal(words[j], 0x80000000u);
        }
    }
    assert_true(turned > 50);
}

static void extreme_poses_stay_numbers(void **state) {
    (void)state;
    const float values[] = {0.0f, 9.09494702e-13f, -1.0f, 1.09951163e+12f, -1.09951163e+12f};
    const float steps[] = {0.0f, 9.09494702e-13f, 1.0f, 100000.0f};
    for (int i = 0; i < 5 * 5 * 5 * 4 * 4; i++) {
        transform poses[3];
        for (int j = 0, left = i; j < 3; j++, left /= 5) {
            const float x = values[left % 5];
            poses[j] =
                (transform){{x, -x, x}, {0.0f, j == 1 ? 1.0f : 0.0f, 0.0f, j == 1 ? 0.0f : 1.0f}, {x, x, x}, 255.0f};
        }
        const float step = steps[i / 125 % 4], duration = steps[i / 500 % 4];
        const inertia taken = take_inertia(poses[0], poses[1], poses[2], step);
        assert_true(taken.t_rate >= INERTIA_STEEPEST && taken.t_rate <= 0.0f);
        assert_true(taken.q_rate >= INERTIA_STEEPEST && taken.q_rate <= 0.0f);
        for (int part = 0; part < 4; part++) {
            const transform shown = apply_inertia(poses[0], taken, duration * (float)part / 3.0f, duration);
            float components[10];
            memcpy(components, &shown, sizeof components);
            for (int j = 0; j < 10; j++) {
                assert_true(fabsf(components[j]) <= 1.09951163e+12f);
                assert_true(components[j] == 0.0f || fabsf(components[j]) >= 9.09494702e-13f);
            }
        }
    }
}

// ---- Programs: inertialized poses of the pose buffer.

enum { JOINTS = 11, CHARACTERS = 9, FRAMES = 90, FRAME_FLOATS = JOINTS * LMB_POSE_COMPONENTS, MOST_NODES = 5 };
enum { LEVEL = LMB_INERTIA_PARAMETERS, PARAMETERS }; // of the level of detail
#define STEP (1.0f / 60.0f)
#define FADE 0.25f

typedef float pose_rows[CHARACTERS][LMB_POSE_COMPONENTS][JOINTS];

// A crowd whose poses jump in some frames.
typedef struct crowd {
    lmb_rig *rig;
    lmb_graph *program;
    lmb_graph *plain; // the same program, not inertialized
    lmb_cpu *cpu[LMB_CPU_PATH_COUNT];
    lmb_cpu *plain_cpu;
    uint32_t *memory[LMB_CPU_PATH_COUNT];
    uint32_t words;
    float parameters[CHARACTERS][PARAMETERS];
    pose_rows poses; // of the current frame
    pose_rows shown; // from the reference
    pose_rows unmoved;
    uint32_t refused[LMB_REFUSAL_COUNT];
} crowd;

// Every third joint and its descendants exist only at level of detail 0.
static void make_levels(const lmb_rig *rig, uint8_t levels[JOINTS]) {
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        const uint32_t parent = lmb_rig_get_def(rig)->joints[joint].parent;
        const uint8_t most = parent == LMB_NONE ? LMB_MAX_LODS - 1 : levels[parent];
        levels[joint] = parent != LMB_NONE && joint % 3 == 0 ? 0 : most;
    }
}

// A graph whose nodes, if any, follow node 0, the pose buffer.
static lmb_graph *make_program(const lmb_rig *rig, const lmb_node_def *nodes, uint32_t node_count,
                               const uint8_t *levels, bool inertializes) {
    lmb_node_def all[MOST_NODES] = {lmb_default_node_def()};
    all[0].op = LMB_OP_POSE;
    for (uint32_t i = 0; i < node_count; i++) {
        all[i + 1] = nodes[i];
    }
    uint32_t partners[JOINTS];
    lmb_joint_limit_def limits[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        partners[i] = i;
        limits[i] = lmb_default_joint_limit_def();
        limits[i].set = LMB_JOINT_LIMIT_TRANSLATION;
        for (int k = 0; k < 3; k++) {
            limits[i].translation_min[k] = -0.5f;
            limits[i].translation_max[k] = 0.5f;
        }
    }
    const lmb_mirror_def mirror = {.axis = LMB_AXIS_X, .partners = partners};
    const lmb_joint_limit_def *const all_limits = limits;
    const lmb_graph_def def = {.rig = rig,
                               .nodes = all,
                               .mirrors = &mirror,
                               .mirror_count = 1,
                               .joint_limits = &all_limits,
                               .joint_limits_count = 1,
                               .node_count = node_count + 1,
                               .parameter_count = PARAMETERS,
                               .max_lods = levels,
                               .lod = levels != NULL ? lmb_parameter(LEVEL) : lmb_constant(0.0f),
                               .inertialize = inertializes};
    lmb_graph *made = NULL;
    lmb_error error = {0};
    assert_ok(lmb_graph_create(&def, NULL, &made, &error), &error);
    return made;
}

static crowd start_crowd(void) {
    crowd c = {.rig = scene_rig(JOINTS, SCENE_TREE, 7)};
    uint8_t levels[JOINTS];
    lmb_error error = {0};
    make_levels(c.rig, levels);
    c.program = make_program(c.rig, NULL, 0, levels, true);
    c.plain = make_program(c.rig, NULL, 0, levels, false);
    assert_int_equal(lmb_graph_get_info(c.plain)->inertia_words, 0);
    c.words = lmb_graph_get_info(c.program)->inertia_words;
    assert_int_equal(c.words, 36 * JOINTS);
    assert_int_equal(lmb_cpu_create(c.plain, LMB_CPU_REFERENCE, NULL, &c.plain_cpu, &error), LMB_OK);
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        if (path != LMB_CPU_FAST && lmb_cpu_has((lmb_cpu_path)path)) {
            assert_int_equal(lmb_cpu_create(c.program, (lmb_cpu_path)path, NULL, &c.cpu[path], &error), LMB_OK);
            c.memory[path] = calloc((size_t)CHARACTERS * c.words, sizeof(uint32_t));
            assert_non_null(c.memory[path]);
        }
    }
    return c;
}

static void end_crowd(crowd *c) {
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        lmb_cpu_destroy(c->cpu[path]);
        free(c->memory[path]);
    }
    lmb_cpu_destroy(c->plain_cpu);
    lmb_graph_destroy(c->program);
    lmb_graph_destroy(c->plain);
    lmb_rig_destroy(c->rig);
}

// Returns how often a character has switched poses, which selects its pose. The frames depend on the character; some
// switches occur while the previous one decays.
static uint32_t switches_until(uint32_t character, uint32_t frame) {
    static const uint32_t frames[] = {8, 14, 20, 40, 41, 60};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        count += frame >= frames[i] + character % 3;
    }
    return count;
}

// Moves smoothly except at switches. The poses of different states are far apart.
static void move_crowd(crowd *c, uint32_t frame) {
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        const uint32_t state = switches_until(character, frame);
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            random_source source = random_branch(77 + state, character * JOINTS + joint);
            float rotation[4];
            random_rotation(&source, rotation);
            const double time = (double)frame * (double)STEP;
            for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
                const double speed = random_between(&source, -3.0, 3.0);
                double value = random_between(&source, -1.0, 1.0) + 0.2 * sin(speed * time);
                if (i >= 3 && i < 7) {
                    value = (double)rotation[i - 3] + 0.1 * sin(speed * time);
                } else if (i >= 7) {
                    value = 1.0 + 0.2 * value;
                }
                c->poses[character][i][joint] = (float)value;
            }
        }
        float *parameters = c->parameters[character];
        uint32_t switched = frame;
        while (switched > 0 && switches_until(character, switched - 1) == state) {
            switched--;
        }
        parameters[LMB_INERTIA_NUMBER] = (float)frame;
        parameters[LMB_INERTIA_STEP] = frame > 0 ? STEP : 0.0f;
        parameters[LMB_INERTIA_TRIGGERED] = (float)switched;
        parameters[LMB_INERTIA_TIME] = (float)(frame - switched + 1) * STEP;
        parameters[LMB_INERTIA_DURATION] = switched > 0 ? FADE : 0.0f;
    }
}

static lmb_result run_path(crowd *c, lmb_cpu *cpu, const lmb_graph *program, uint32_t *memory, pose_rows shown,
                           const uint32_t *list, uint32_t count) {
    const lmb_batch_def batch = {program, CHARACTERS, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_inputs inputs = {.parameters = &c->parameters[0][0], .poses = {&c->poses[0][0][0]}};
    const lmb_batch_outputs outputs = {
        .buffers[LMB_OUTPUT_LOCAL] = &shown[0][0][0], .refused = c->refused, .inertia = memory};
    return list != NULL ? lmb_cpu_run_list(cpu, &batch, &inputs, &outputs, list, count, NULL)
                        : lmb_cpu_run(cpu, &batch, &inputs, &outputs, NULL);
}

// Runs a frame of the listed characters, or of all, on every path, and on a processor that flushes subnormals. Keeps
// the reference's poses. All must have the same memory.
static void run_frame_of(crowd *c, const uint32_t *list, uint32_t count) {
    assert_int_equal(run_path(c, c->plain_cpu, c->plain, NULL, c->unmoved, list, count), LMB_OK);
    const size_t bytes = (size_t)CHARACTERS * c->words * sizeof(uint32_t);
    uint32_t *flushed = malloc(bytes);
    pose_rows flushed_poses;
    assert_non_null(flushed);
    memcpy(flushed, c->memory[LMB_CPU_REFERENCE], bytes);
    memcpy(flushed_poses, c->shown, sizeof flushed_poses);
    flushing_set(true);
    assert_int_equal(run_path(c, c->cpu[LMB_CPU_REFERENCE], c->program, flushed, flushed_poses, list, count), LMB_OK);
    flushing_set(false);
    assert_int_equal(
        run_path(c, c->cpu[LMB_CPU_REFERENCE], c->program, c->memory[LMB_CPU_REFERENCE], c->shown, list, count),
        LMB_OK);
    assert_memory_equal(flushed_poses, c->shown, sizeof flushed_poses);
    assert_memory_equal(flushed, c->memory[LMB_CPU_REFERENCE], bytes);
    free(flushed);
    for (int path = LMB_CPU_FAST + 1; path < LMB_CPU_PATH_COUNT; path++) {
        if (c->cpu[path] != NULL) {
            pose_rows shown;
            memcpy(shown, c->shown, sizeof shown);
            assert_int_equal(run_path(c, c->cpu[path], c->program, c->memory[path], shown, list, count), LMB_OK);
            assert_memory_equal(shown, c->shown, sizeof shown);
            assert_memory_equal(c->memory[path], c->memory[LMB_CPU_REFERENCE], bytes);
        }
    }
}

static void run_frame(crowd *c, uint32_t frame) {
    move_crowd(c, frame);
    run_frame_of(c, NULL, 0);
}

static void read_joint(pose_rows poses, uint32_t character, uint32_t joint, double t[3], double q[4], double s[3]) {
    for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
        const double value = (double)poses[character][i][joint];
        *(i < 3 ? t + i : i < 7 ? q + i - 3 : s + i - 7) = value;
    }
}

// A joint's shown transforms in the two previous frames.
typedef struct remembered {
    double t[2][3];
    double q[2][4];
    double s[2][3];
} remembered;

typedef struct decaying {
    double x0[3], v0[3];        // of translation, rotation, scale
    double t[3], axis[3], s[3]; // their directions
} decaying;

static void a_crowd_decays_as_float64_has_it(void **state) {
    (void)state;
    static remembered kept[CHARACTERS][JOINTS];
    static decaying going[CHARACTERS][JOINTS];
    crowd c = start_crowd();
    double worst = 0.0, nearest = 1e9;
    uint32_t goes_on = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        run_frame(&c, frame);
        for (uint32_t character = 0; character < CHARACTERS; character++) {
            const bool switches = frame > 0 && switches_until(character, frame) != switches_until(character, frame - 1);
            const double time = (double)c.parameters[character][LMB_INERTIA_TIME];
            double farthest = 0.0;
            for (uint32_t joint = 0; joint < JOINTS; joint++) {
                remembered *k = &kept[character][joint];
                decaying *d = &going[character][joint];
                double t[3], q[4], s[3], exact_t[3], exact_q[4], exact_s[3], shown_t[3], shown_q[4], shown_s[3];
                read_joint(c.unmoved, character, joint, t, q, s);
                read_joint(c.shown, character, joint, shown_t, shown_q, shown_s);
                if (switches) {
                    find_offset(t, k->t[0], k->t[1], (double)STEP, d->t, &d->x0[0], &d->v0[0]);
                    find_turn(q, k->q[0], k->q[1], (double)STEP, d->axis, &d->x0[1], &d->v0[1]);
                    find_offset(s, k->s[0], k->s[1], (double)STEP, d->s, &d->x0[2], &d->v0[2]);
                    farthest = fmax(farthest, d->x0[0]);
                }
                const double left[3] = {decay(d->x0[0], d->v0[0], (double)FADE, time),
                                        decay(d->x0[1], d->v0[1], (double)FADE, time),
                                        decay(d->x0[2], d->v0[2], (double)FADE, time)};
                for (int i = 0; i < 3; i++) {
                    exact_t[i] = t[i] + d->t[i] * left[0];
                    exact_s[i] = s[i] + d->s[i] * left[2];
                    worst = fmax(worst, fmax(fabs(shown_t[i] - exact_t[i]), fabs(shown_s[i] - exact_s[i])));
                }
                if (switches) {
                    // It keeps its velocity towards the new pose, up to the change by the quintic's acceleration in one
                    // step.
                    const double v0 = fmin(d->v0[0], 0.0);
                    const double t1 = v0 < 0.0 ? fmin((double)FADE, -5.0 * d->x0[0] / v0) : (double)FADE;
                    double along = 0.0;
                    for (int i = 0; i < 3; i++) {
                        along += (shown_t[i] - k->t[0][i]) / (double)STEP * d->t[i];
                    }
                    assert_true(fabs(along - v0) <= 10.0 * d->x0[0] * (double)STEP / (t1 * t1) + 1e-4);
                    goes_on += v0 < -0.5;
                }
                turn_by(d->axis, left[1], q, exact_q);
                const double sign = oracle_quaternion_dot(exact_q, shown_q) < 0.0 ? -1.0 : 1.0;
                for (int i = 0; i < 4; i++) {
                    worst = fmax(worst, fabs(sign * shown_q[i] - exact_q[i]));
                }
                memcpy(k->t[1], k->t[0], sizeof k->t[0]);
                memcpy(k->q[1], k->q[0], sizeof k->q[0]);
                memcpy(k->s[1], k->s[0], sizeof k->s[0]);
                memcpy(k->t[0], shown_t, sizeof shown_t);
                memcpy(k->q[0], shown_q, sizeof shown_q);
                memcpy(k->s[0], shown_s, sizeof shown_s);
            }
            nearest = switches ? fmin(nearest, farthest) : nearest;
        }
    }
    printf("a crowd: %.3g, where every switch goes %.3g or more, %u with a velocity\n", worst, nearest, goes_on);
    assert_true(worst <= 1e-6 && nearest > 0.5 && goes_on > 20);
    end_crowd(&c);
}

// In no frame, and at no switch, does anything move faster than a decay and the poses themselves.
static void places_do_not_jump(void **state) {
    (void)state;
    crowd c = start_crowd();
    double fastest = 0.0, unmoved = 0.0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        move_crowd(&c, frame);
        pose_rows last, before;
        memcpy(last, c.unmoved, sizeof last);
        memcpy(before, c.shown, sizeof before);
        run_frame_of(&c, NULL, 0);
        for (uint32_t i = 0; frame > 0 && i < CHARACTERS * 3 * JOINTS; i++) {
            const uint32_t character = i / (3 * JOINTS), row = i / JOINTS % 3, joint = i % JOINTS;
            const double way = (double)c.shown[character][row][joint] - (double)before[character][row][joint];
            const double bare = (double)c.unmoved[character][row][joint] - (double)last[character][row][joint];
            fastest = fmax(fastest, fabs(way) / (double)STEP);
            unmoved = fmax(unmoved, fabs(bare) / (double)STEP);
        }
    }
    printf("at most %.3g a second; %.3g without\n", fastest, unmoved);
    // Offsets are at most 2.6. Without an initial velocity they decay at 1.875 x0 / duration at most. The poses
    // themselves move at 0.6.
    assert_true(unmoved >= 60.0 && fastest <= 1.875 * 2.6 / (double)FADE + 0.6);
    end_crowd(&c);
}

static void what_has_decayed_is_the_programs_to_the_bit(void **state) {
    (void)state;
    crowd c = start_crowd();
    uint32_t alike = 0, others = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        run_frame(&c, frame);
        for (uint32_t character = 0; character < CHARACTERS; character++) {
            const float *parameters = c.parameters[character];
            const bool ended = parameters[LMB_INERTIA_TIME] >= parameters[LMB_INERTIA_DURATION];
            const bool same = memcmp(c.shown[character], c.unmoved[character], sizeof c.shown[character]) == 0;
            assert_true(same || !ended);
            alike += same;
            others += !same;
        }
    }
    assert_true(alike > 100 && others > 100);
    end_crowd(&c);
}

static void a_frame_twice_changes_no_bit(void **state) {
    (void)state;
    crowd c = start_crowd();
    uint32_t *kept = malloc((size_t)CHARACTERS * c.words * sizeof *kept);
    assert_non_null(kept);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        run_frame(&c, frame);
        pose_rows first;
        memcpy(first, c.shown, sizeof first);
        memcpy(kept, c.memory[LMB_CPU_REFERENCE], (size_t)CHARACTERS * c.words * sizeof *kept);
        run_frame_of(&c, NULL, 0);
        assert_memory_equal(first, c.shown, sizeof first);
        assert_memory_equal(kept, c.memory[LMB_CPU_REFERENCE], (size_t)CHARACTERS * c.words * sizeof *kept);
    }
    free(kept);
    end_crowd(&c);
}

// A character that was not shown in the frame before a switch jumps to the new pose; the others blend.
static void what_was_not_shown_has_no_offset(void **state) {
    (void)state;
    crowd c = start_crowd();
    const uint32_t half[] = {0, 1, 3, 4, 6, 7};
    uint32_t moved = 0;
    for (uint32_t frame = 0; frame < 30; frame++) {
        move_crowd(&c, frame);
        // Characters 2, 5 and 8 switch in frames 10, 16 and 22. One frame each without them: the frame before the
        // switch, the frame of the switch itself, and the frame two before the switch.
        const bool left_out = frame == 9 || frame == 16 || frame == 20;
        if (left_out) {
            run_frame_of(&c, half, 6);
        } else {
            run_frame_of(&c, NULL, 0);
        }
        for (uint32_t character = 0; character < CHARACTERS; character++) {
            const bool same = memcmp(c.shown[character], c.unmoved[character], sizeof c.shown[character]) == 0;
            if (character % 3 == 2 && frame < 22 && !left_out) {
                assert_true(same);
            }
            moved += !same && !left_out;
        }
        // A character without a known velocity still has an offset.
        assert_true(frame != 22 || memcmp(c.shown[2], c.unmoved[2], sizeof c.shown[2]) != 0);
    }
    assert_true(moved > 50);
    end_crowd(&c);
}

// A joint that the level of detail dropped in the frame before a switch jumps to the new pose. Joints that were kept
// blend.
static void what_was_dropped_has_no_offset(void **state) {
    (void)state;
    crowd c = start_crowd();
    uint8_t levels[JOINTS];
    make_levels(c.rig, levels);
    uint32_t returned = 0, moved = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        float before[CHARACTERS];
        move_crowd(&c, frame);
        for (uint32_t character = 0; character < CHARACTERS; character++) {
            before[character] = c.parameters[character][LEVEL];
            c.parameters[character][LEVEL] = (float)((frame / 2 + character) % 2);
        }
        run_frame_of(&c, NULL, 0);
        for (uint32_t i = 0; frame > 0 && i < CHARACTERS * JOINTS; i++) {
            const uint32_t character = i / JOINTS, joint = i % JOINTS;
            const bool switches = switches_until(character, frame) != switches_until(character, frame - 1);
            const bool shown = levels[joint] > 0 || c.parameters[character][LEVEL] == 0.0f;
            const bool was_shown = levels[joint] > 0 || before[character] == 0.0f;
            const bool same = c.shown[character][0][joint] == c.unmoved[character][0][joint] &&
                              c.shown[character][3][joint] == c.unmoved[character][3][joint];
            assert_true(same || shown);
            assert_true(!switches || !shown || same == !was_shown);
            returned += switches && shown && !was_shown;
            moved += switches && shown && was_shown;
        }
    }
    assert_true(returned > 20 && moved > 20);
    end_crowd(&c);
}

static void without_memory_nothing_is_inertialized(void **state) {
    (void)state;
    crowd c = start_crowd();
    for (uint32_t frame = 0; frame < 30; frame++) {
        move_crowd(&c, frame);
        assert_int_equal(run_path(&c, c.plain_cpu, c.plain, NULL, c.unmoved, NULL, 0), LMB_OK);
        for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
            if (c.cpu[path] != NULL) {
                assert_int_equal(run_path(&c, c.cpu[path], c.program, NULL, c.shown, NULL, 0), LMB_OK);
                assert_memory_equal(c.shown, c.unmoved, sizeof c.shown);
            }
        }
    }
    end_crowd(&c);
}

// Frame numbers wrap around after the largest.
static void numbers_wrap(void **state) {
    (void)state;
    crowd c = start_crowd(), d = start_crowd();
    for (uint32_t frame = 0; frame < 30; frame++) {
        move_crowd(&c, frame);
        move_crowd(&d, frame);
        for (uint32_t character = 0; character < CHARACTERS; character++) {
            float *parameters = d.parameters[character];
            const uint32_t first = LMB_MAX_INERTIA_NUMBER - 9; // keeps even numbers even
            parameters[LMB_INERTIA_NUMBER] = (float)((frame + first) & LMB_MAX_INERTIA_NUMBER);
            parameters[LMB_INERTIA_TRIGGERED] =
                (float)(((uint32_t)parameters[LMB_INERTIA_TRIGGERED] + first) & LMB_MAX_INERTIA_NUMBER);
        }
        run_frame_of(&c, NULL, 0);
        run_frame_of(&d, NULL, 0);
        assert_memory_equal(c.shown, d.shown, sizeof c.shown);
    }
    end_crowd(&c);
    end_crowd(&d);
}

static void expect_numbers(pose_rows poses) {
    for (uint32_t i = 0; i < CHARACTERS * FRAME_FLOATS; i++) {
        assert_true(isfinite((&poses[0][0][0])[i]));
    }
}

static void bad_parameters_are_refused_and_counted(void **state) {
    (void)state;
    const float bad[] = {NAN, INFINITY, -INFINITY, -1.0f, 3.4e38f, 1e-40f};
    for (uint32_t i = 0; i < 6 * LMB_INERTIA_PARAMETERS; i++) {
        crowd c = start_crowd();
        for (uint32_t frame = 5; frame < 12; frame++) {
            move_crowd(&c, frame);
            c.parameters[1][i / 6] = bad[i % 6];
            assert_int_equal(
                run_path(&c, c.cpu[LMB_CPU_REFERENCE], c.program, c.memory[LMB_CPU_REFERENCE], c.shown, NULL, 0),
                LMB_OK);
            assert_int_equal(c.refused[LMB_REFUSED_TIME], !isfinite(bad[i % 6]));
            run_frame_of(&c, NULL, 0);
            expect_numbers(c.shown);
        }
        end_crowd(&c);
    }
}

// The memory contains arbitrary bits: before a switch, which takes its offsets from them, and after one, as an offset.
static void foreign_memory_shows_no_infinity(void **state) {
    (void)state;
    static const uint32_t extremes[] = {0x7fc00000u, 0xff800000u, 0x7f7fffffu, 0x00000001u, 0x80000000u, 0x3f800000u};
    random_source source = {11};
    for (int round = 0; round < 40; round++) {
        crowd c = start_crowd();
        for (uint32_t i = 0; i < CHARACTERS * c.words; i++) {
            uint32_t word = (uint32_t)random_bits(&source);
            const uint32_t row = i / JOINTS % 36;
            word = round % 2 == 0 ? word : extremes[word % 6];
            // Frame numbers that are accepted as valid.
            word = row == 33 ? (round < 20 ? 11 : 9) : row == 34 ? 10 : row == 35 ? 11 : word;
            for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
                if (c.cpu[path] != NULL) {
                    c.memory[path][i] = word;
                }
            }
        }
        for (uint32_t frame = 10; frame < 20; frame++) {
            run_frame(&c, frame);
            expect_numbers(c.shown);
        }
        end_crowd(&c);
    }
}

// Returns a joint with so many ancestors.
static uint32_t find_deep(const lmb_rig *rig, uint32_t ancestors) {
    for (uint32_t joint = 0; joint < JOINTS; joint++) {
        uint32_t count = 0;
        for (uint32_t at = lmb_rig_get_def(rig)->joints[joint].parent; at != LMB_NONE;
             at = lmb_rig_get_def(rig)->joints[at].parent) {
            count++;
        }
        if (count == ancestors) {
            return joint;
        }
    }
    fail();
    return 0;
}

// A correction of node `base`.
static lmb_node_def correct(lmb_op op, const lmb_rig *rig, uint32_t base) {
    static const float axis[3] = {0.0f, 1.0f, 0.0f}, forward[3] = {0.0f, 0.0f, 1.0f};
    const lmb_value target[3] = {lmb_constant(0.4f), lmb_constant(-0.3f), lmb_constant(0.6f)};
    const uint32_t end = find_deep(rig, 3), mid = lmb_rig_get_def(rig)->joints[end].parent;
    lmb_node_def node = lmb_default_node_def();
    if (op == LMB_OP_IK_TWO_BONE) {
        node = lmb_two_bone_node(base, lmb_rig_get_def(rig)->joints[mid].parent, mid, end, target);
    } else if (op == LMB_OP_IK_AIM) {
        node = lmb_aim_node(base, mid, forward, target);
    } else if (op == LMB_OP_TWIST) {
        node = lmb_twist_node(base, mid, axis, end, 1.0f);
    } else {
        node.op = op;
        node.inputs[0] = base;
        node.input_count = 1;
    }
    return node;
}

enum { WHOLE, BELOW, HELD, ABOVE, STEPS };

// Poses through the parts of a graph, one after the other.
typedef struct parts {
    lmb_graph *graphs[STEPS]; // NULL: nothing is done
    lmb_cpu *cpus[STEPS];
    uint32_t *memory[STEPS];
    pose_rows shown[STEPS];
} parts;

static void run_part(crowd *c, parts *p, int step) {
    const lmb_graph *graph = p->graphs[step];
    memcpy(p->shown[step], c->poses, sizeof c->poses);
    if (graph != NULL) {
        assert_int_equal(run_path(c, p->cpus[step], graph, p->memory[step], p->shown[step], NULL, 0), LMB_OK);
    }
}

// `nodes` in the order of evaluation, of which `below` are before what is inertialized.
static void expect_inertialized_between(const lmb_op *ops, uint32_t count, uint32_t below) {
    crowd c = start_crowd();
    static parts p;
    p = (parts){0};
    lmb_node_def nodes[2][MOST_NODES];
    for (uint32_t i = 0; i < count; i++) {
        nodes[0][i] = correct(ops[i], c.rig, i);
        nodes[1][i] = correct(ops[i], c.rig, i - (i < below ? 0 : below));
    }
    p.graphs[WHOLE] = make_program(c.rig, nodes[0], count, NULL, true);
    p.graphs[BELOW] = make_program(c.rig, nodes[1], below, NULL, false);
    p.graphs[HELD] = make_program(c.rig, NULL, 0, NULL, true);
    p.graphs[ABOVE] = make_program(c.rig, nodes[1] + below, count - below, NULL, false);
    for (int step = 0; step < STEPS; step++) {
        assert_int_equal(lmb_cpu_create(p.graphs[step], LMB_CPU_REFERENCE, NULL, &p.cpus[step], NULL), LMB_OK);
        p.memory[step] =
            calloc((size_t)CHARACTERS * lmb_graph_get_info(p.graphs[step])->inertia_words + 1, sizeof(uint32_t));
        assert_non_null(p.memory[step]);
    }
    double worst = 0.0, differs = 0.0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        move_crowd(&c, frame);
        run_part(&c, &p, WHOLE);
        for (int step = BELOW; step < STEPS; step++) {
            run_part(&c, &p, step);
            memcpy(c.poses, p.shown[step], sizeof c.poses);
        }
        const float *whole = &p.shown[WHOLE][0][0][0], *last = &p.shown[ABOVE][0][0][0];
        const float *before = &p.shown[BELOW][0][0][0], *held = &p.shown[HELD][0][0][0];
        for (uint32_t i = 0; i < CHARACTERS * FRAME_FLOATS; i++) {
            worst = fmax(worst, fabs((double)whole[i] - (double)last[i]));
            differs = fmax(differs, fabs((double)held[i] - (double)before[i]));
        }
    }
    printf("%u of %u operations below: %.3g\n", (unsigned)below, (unsigned)count, worst);
    assert_true(worst <= 1e-4 && differs > 0.5);
    for (int step = 0; step < STEPS; step++) {
        lmb_cpu_destroy(p.cpus[step]);
        lmb_graph_destroy(p.graphs[step]);
        free(p.memory[step]);
    }
    end_crowd(&c);
}

// Corrections that end a graph come after inertialization. The same parts one after the other are the oracle.
static void corrections_come_after_it(void **state) {
    (void)state;
    expect_inertialized_between((const lmb_op[]){LMB_OP_IK_TWO_BONE}, 1, 0);
    expect_inertialized_between((const lmb_op[]){LMB_OP_IK_AIM, LMB_OP_CLAMP, LMB_OP_TWIST}, 3, 0);
    expect_inertialized_between((const lmb_op[]){LMB_OP_MIRROR, LMB_OP_IK_TWO_BONE, LMB_OP_CLAMP}, 3, 1);
    expect_inertialized_between((const lmb_op[]){LMB_OP_IK_TWO_BONE, LMB_OP_MIRROR}, 2, 2);
    expect_inertialized_between((const lmb_op[]){LMB_OP_CLAMP, LMB_OP_IK_AIM}, 2, 1);
    expect_inertialized_between((const lmb_op[]){LMB_OP_IK_AIM, LMB_OP_CLAMP, LMB_OP_MIRROR, LMB_OP_TWIST}, 4, 3);
}

static void keep_line(void *user, const char *line) {
    snprintf(user, 80, "%s", line);
}

static void it_is_printed_behind_all_else(void **state) {
    (void)state;
    crowd c = start_crowd();
    char line[80];
    lmb_graph_print(c.program, keep_line, line);
    assert_string_equal(line, "      s0   inertialize    s0, duration p4");
    lmb_graph_print(c.plain, keep_line, line);
    assert_string_equal(line, "   0  s0   pose           buffer 0");
    end_crowd(&c);
}

// The lines of a printed graph: where it is inertialized, and where its first exchange is.
typedef struct printed {
    int count, inertialized, exchanged;
} printed;

static void find_line(void *user, const char *line) {
    printed *p = user;
    p->inertialized = strstr(line, "inertialize") != NULL ? p->count : p->inertialized;
    p->exchanged = strstr(line, "exchange") != NULL && p->exchanged < 0 ? p->count : p->exchanged;
    p->count++;
}

static void it_is_printed_before_corrections(void **state) {
    (void)state;
    crowd c = start_crowd();
    const lmb_node_def node = correct(LMB_OP_IK_TWO_BONE, c.rig, 0);
    lmb_graph *graph = make_program(c.rig, &node, 1, NULL, true);
    printed lines = {.inertialized = -1, .exchanged = -1};
    lmb_graph_print(graph, find_line, &lines);
    assert_true(lines.inertialized > 0 && lines.exchanged == lines.inertialized + 1 &&
                lines.count > lines.exchanged + 1);
    lmb_graph_destroy(graph);
    end_crowd(&c);
}

static void expect_refusal(const lmb_graph_def *def, const char *place) {
    lmb_error error = {0};
    assert_int_equal(lmb_graph_check(def, &error), LMB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, place));
}

static void what_is_no_inertialization_is_refused(void **state) {
    (void)state;
    lmb_rig *rig = scene_rig(3, SCENE_CHAIN, 1);
    lmb_node_def nodes[3] = {lmb_default_node_def(), lmb_default_node_def(), lmb_default_node_def()};
    lmb_graph_def def = {
        .rig = rig, .nodes = nodes, .node_count = 1, .parameter_count = LMB_INERTIA_PARAMETERS, .inertialize = true};
    assert_int_equal(lmb_graph_check(&def, NULL), LMB_OK);
    def.inertia_parameters = 1;
    expect_refusal(&def, "inertia_parameters");
    def.inertia_parameters = LMB_NONE;
    expect_refusal(&def, "inertia_parameters");
    def.inertia_parameters = 0;
    def.parameter_count = LMB_INERTIA_PARAMETERS - 1;
    expect_refusal(&def, "inertia_parameters");
    def.parameter_count = LMB_INERTIA_PARAMETERS;
    nodes[2].op = LMB_OP_WEIGHTED_MATRIX;
    nodes[2].input_count = 2;
    nodes[2].inputs[1] = 1;
    def.node_count = 3;
    expect_refusal(&def, "matrices");
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_an_offset_decays_by_the_quintic),
        cmocka_unit_test(a_share_begins_with_all_and_ends_with_nothing),
        cmocka_unit_test(the_angle_of_a_rotation_is_found),
        cmocka_unit_test(offsets_and_velocities_are_those_of_the_talk),
        cmocka_unit_test(at_first_the_last_pose_is_shown_and_at_last_the_new_one),
        cmocka_unit_test(what_does_not_move_has_no_rate),
        cmocka_unit_test(no_zero_of_an_offset_has_a_sign),
        cmocka_unit_test(extreme_poses_stay_numbers),
        cmocka_unit_test(a_crowd_decays_as_float64_has_it),
        cmocka_unit_test(places_do_not_jump),
        cmocka_unit_test(what_has_decayed_is_the_programs_to_the_bit),
        cmocka_unit_test(a_frame_twice_changes_no_bit),
        cmocka_unit_test(what_was_not_shown_has_no_offset),
        cmocka_unit_test(what_was_dropped_has_no_offset),
        cmocka_unit_test(without_memory_nothing_is_inertialized),
        cmocka_unit_test(numbers_wrap),
        cmocka_unit_test(bad_parameters_are_refused_and_counted),
        cmocka_unit_test(foreign_memory_shows_no_infinity),
        cmocka_unit_test(corrections_come_after_it),
        cmocka_unit_test(it_is_printed_behind_all_else),
        cmocka_unit_test(it_is_printed_before_corrections),
        cmocka_unit_test(what_is_no_inertialization_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
