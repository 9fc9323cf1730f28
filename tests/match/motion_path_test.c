// The path that a query desires: springs, beside the same formula in float64.
#include "random_motion.h"
#include "suite.h"

#include <limber/motion_database.h>
#include <math.h>

static void expect_near(double actual, double expected, double bound) {
    if (!(fabs(actual - expected) <= bound)) {
        fail_msg("%.9g instead of %.9g", actual, expected);
    }
}

static lmb_motion_database *create_database(random_source *source, const float times[3]) {
    lmb_motion_database *database = random_motion_database(source, times);
    assert_non_null(database);
    return database;
}

static void expect_path(const lmb_motion_database *database, const float times[3], const lmb_desired_motion *motion) {
    const lmb_motion_path path = lmb_motion_database_path(database, motion);
    const double y = 2.0 * log(2.0) / fmax((double)motion->half_life, 1e-9);
    for (int i = 0; i < 3; i++) {
        const double t = (double)times[i], e = exp(-y * t);
        double largest = 0.0, turn = (double)motion->desired_turn * (1.0 - e * (1.0 + y * t));
        for (int k = 0; k < 2; k++) {
            largest = fmax(largest, fmax(fabs((double)motion->velocity[k]), fabs((double)motion->desired_velocity[k])));
        }
        for (int k = 0; k < 2; k++) {
            const double g = (double)motion->desired_velocity[k], d = (double)motion->velocity[k] - g;
            const double rest = (double)motion->acceleration[k] + d * y;
            expect_near((double)path.positions[i][k], g * t + d * (1.0 - e) / y + rest * ((1.0 - e) / y - e * t) / y,
                        1e-5 * (largest + fabs((double)motion->acceleration[k] / y)) * (1.0 + t));
        }
        expect_near((double)path.headings[i][0], sin(turn), 1e-5);
        expect_near((double)path.headings[i][1], cos(turn), 1e-5);
    }
}

static void paths_are_those_of_springs(void **state) {
    (void)state;
    random_source source = {7};
    for (uint64_t i = 0; i < 20; i++) {
        const float first = (float)random_between(&source, 0.01, 1.0);
        const float times[3] = {first, first * 2.0f, i == 0 ? 10.0f : first * 3.5f};
        lmb_motion_database *database = create_database(&source, times);
        for (int k = 0; k < 200; k++) {
            lmb_desired_motion motion = lmb_default_desired_motion();
            if (k % 2 == 0) {
                motion.half_life = (float)pow(10.0, random_between(&source, -3.0, 1.0));
            }
            for (int axis = 0; axis < 2; axis++) {
                motion.velocity[axis] = (float)random_between(&source, -8.0, 8.0);
                motion.desired_velocity[axis] = (float)random_between(&source, -8.0, 8.0);
                motion.acceleration[axis] = k % 3 == 0 ? (float)random_between(&source, -20.0, 20.0) : 0.0f;
            }
            motion.desired_turn = (float)random_between(&source, -3.14, 3.14);
            expect_path(database, times, &motion);
        }
        lmb_motion_database_destroy(database);
    }
}

// Without a half-life the character does at once what is desired. NaN counts as 0.
static void no_half_life_is_at_once(void **state) {
    (void)state;
    const float times[3] = {0.25f, 0.5f, 1.0f};
    random_source source = {1};
    lmb_motion_database *database = create_database(&source, times);
    lmb_desired_motion motion = {
        .velocity = {3.0f, 4.0f}, .desired_velocity = {-2.0f, 1.0f}, .desired_turn = 0.5f, .half_life = 0.0f};
    expect_path(database, times, &motion);
    motion.half_life = NAN;
    motion.velocity[0] = NAN;
    const lmb_motion_path path = lmb_motion_database_path(database, &motion);
    expect_near((double)path.positions[2][0], -2.0, 1e-6);
    expect_near((double)path.headings[0][0], sin(0.5), 1e-6);
    lmb_motion_database_destroy(database);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(paths_are_those_of_springs),
                                       cmocka_unit_test(no_half_life_is_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
