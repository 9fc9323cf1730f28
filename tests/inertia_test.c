// Inertialization against float64: the quintic from its six conditions, solved as a system of equations, offsets and
// velocities as Bollo has them.
#include "oracle.h"
#include "random.h"
#include "suite.h"

#include "../shaders/ops/inertia.h"

#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- The oracle.

// Solves a linear system of six by elimination with pivots.
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

// x(t) for x0 >= 0: position, velocity and acceleration are x0, v0 and a0 at 0, and all three 0 at t1.
static double decay(double x0, double v0, double duration, double t) {
    v0 = v0 < 0.0 ? v0 : 0.0;
    const double t1 = v0 < 0.0 && -5.0 * x0 / v0 < duration ? -5.0 * x0 / v0 : duration;
    if (x0 <= 0.0 || t >= t1) {
        return 0.0;
    }
    const double bend = (-8.0 * v0 * t1 - 20.0 * x0) / (t1 * t1);
    const double a0 = bend > 0.0 ? bend : 0.0;
    // In parts of t1, so that the system is well conditioned.
    double m[6][7] = {{1, 0, 0, 0, 0, 0, x0}, {0, 1, 0, 0, 0, 0, v0 * t1}, {0, 0, 2, 0, 0, 0, a0 * t1 * t1},
                      {1, 1, 1, 1, 1, 1, 0},  {0, 1, 2, 3, 4, 5, 0},       {0, 0, 2, 6, 12, 20, 0}};
    double c[6];
    solve(m, c);
    const double u = t / t1;
    return ((((c[5] * u + c[4]) * u + c[3]) * u + c[2]) * u + c[1]) * u + c[0];
}

// The pose's vector with what is left of the offset along its direction.
static void decay_vector(const double pose[3], const double last[3], const double older[3], double step,
                         double duration, double t, double result[3]) {
    double x0 = 0.0, v0 = 0.0;
    for (int i = 0; i < 3; i++) {
        x0 += (last[i] - pose[i]) * (last[i] - pose[i]);
    }
    x0 = sqrt(x0);
    for (int i = 0; i < 3 && x0 > 0.0; i++) {
        v0 += (last[i] - older[i]) / step * (last[i] - pose[i]) / x0;
    }
    const double x = decay(x0, v0, duration, t);
    for (int i = 0; i < 3; i++) {
        result[i] = pose[i] + (x0 > 0.0 ? (last[i] - pose[i]) / x0 * x : 0.0);
    }
}

// The axis of a rotation and its angle, 0 to pi.
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

static void decay_rotation(const double pose[4], const double last[4], const double older[4], double step,
                           double duration, double t, double result[4]) {
    double offset[4], turn[4], axis[3], turn_axis[3];
    between(last, pose, offset);
    between(last, older, turn);
    const double x0 = find_axis(offset, axis);
    const double angle = find_axis(turn, turn_axis);
    double v0 = 0.0;
    for (int i = 0; i < 3; i++) {
        v0 += angle * turn_axis[i] * axis[i] / step;
    }
    const double x = decay(x0, v0, duration, t);
    const double left[4] = {axis[0] * sin(x / 2), axis[1] * sin(x / 2), axis[2] * sin(x / 2), cos(x / 2)};
    oracle_quaternion_multiply(left, pose, result);
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
            // Never more than there was, but for rounding.
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
        // All sizes of angles.
        const double half =
            PI / 2 * (i % 2 == 0 ? random_between(&source, 0.0, 1.0) : exp(random_between(&source, -12.0, 0.0)));
        const double length =
            sqrt((double)rotation[0] * (double)rotation[0] + (double)rotation[1] * (double)rotation[1] +
                 (double)rotation[2] * (double)rotation[2]);
        const double wanted[4] = {(double)rotation[0] / length * sin(half), (double)rotation[1] / length * sin(half),
                                  (double)rotation[2] / length * sin(half), cos(half)};
        const quaternion q = {(float)wanted[0], (float)wanted[1], (float)wanted[2], (float)wanted[3]};
        const vector found = rotation_vector(q);
        const float components[3] = {found.x, found.y, found.z};
        for (int j = 0; j < 3; j++) {
            const double exact = wanted[j] / sin(half) * 2.0 * half;
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

// One that a step's movement leads to.
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
            continue; // either axis is right
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
        // No step, no offset, or no movement.
        const inertia taken[3] = {take_inertia(pose, last, older, 0.0f), take_inertia(last, last, older, 0.02f),
                                  take_inertia(pose, last, last, 0.02f)};
        for (int j = 0; j < 3; j++) {
            assert_true(taken[j].t_rate == 0.0f && taken[j].s_rate == 0.0f);
            // Roundings turn too: by little over a step, and by any part of an offset that is nothing but one.
            assert_true(j == 1 || taken[j].q_rate > -0.01f);
        }
        // What goes away from the pose is not followed.
        transform near_pose = last;
        near_pose.t.x = last.t.x + 0.5f * (pose.t.x - last.t.x);
        near_pose.t.y = last.t.y + 0.5f * (pose.t.y - last.t.y);
        near_pose.t.z = last.t.z + 0.5f * (pose.t.z - last.t.z);
        const inertia away = take_inertia(pose, last, near_pose, 0.02f);
        const inertia towards = take_inertia(near_pose, last, pose, 0.02f);
        assert_true(away.t_rate == 0.0f && towards.t_rate == 0.0f);
    }
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_an_offset_decays_by_the_quintic),
        cmocka_unit_test(a_share_begins_with_all_and_ends_with_nothing),
        cmocka_unit_test(the_angle_of_a_rotation_is_found),
        cmocka_unit_test(offsets_and_velocities_are_those_of_the_talk),
        cmocka_unit_test(at_first_the_last_pose_is_shown_and_at_last_the_new_one),
        cmocka_unit_test(what_does_not_move_has_no_rate),
        cmocka_unit_test(extreme_poses_stay_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
