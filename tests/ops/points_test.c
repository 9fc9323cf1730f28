// Points in world space, converted by the kernels' source, against the inverse matrix in float64.
#include "oracle.h"
#include "random.h"
#include "suite.h"

#include <limber/batch.h>
#include <math.h>
#include <string.h>

#include "../../shaders/ops/points.h"

enum { CASES = 100000 };

static double length_of(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Draws a world transform up to 1,000 units away: a rotation with a scale that mirrors every second time, uniform or of
// up to 4 to 1. Stores the ratio of its scales and the largest one.
static void draw_world(random_source *source, bool any, float world[12], double *ratio, double *largest) {
    float q[4];
    random_rotation(source, q);
    const double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    const double rotation[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                                   {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                                   {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    const double sign = random_below(source, 2) == 0 ? -1.0 : 1.0;
    const double uniform = exp2(random_between(source, -12.0, 12.0));
    double smallest = INFINITY;
    *largest = 0.0;
    for (int column = 0; column < 3; column++) {
        const double scale = uniform * (any ? exp2(random_between(source, -1.0, 1.0)) : 1.0);
        *largest = fmax(*largest, scale);
        smallest = fmin(smallest, scale);
        for (int row = 0; row < 3; row++) {
            world[4 * row + column] = (float)(sign * rotation[row][column] * scale);
        }
        world[4 * column + 3] = (float)random_between(source, -1000.0, 1000.0);
    }
    *ratio = *largest / smallest;
}

// Returns the error of converting a random point or direction, in the unit that ik.h states.
static double convert_one(random_source *source, bool any, bool is_direction) {
    float world[12];
    uint32_t words[12], refused[LMB_REFUSAL_COUNT] = {0};
    double ratio, largest, p[3], from[3], expected[3], difference[3];
    oracle_affine exact, inverse;
    draw_world(source, any, world, &ratio, &largest);
    for (int i = 0; i < 12; i++) {
        exact.m[i / 4][i % 4] = (double)world[i];
    }
    assert_true(oracle_affine_invert(&exact, &inverse));
    const double away = exp2(random_between(source, -4.0, 12.0));
    for (int k = 0; k < 3; k++) {
        const double origin = is_direction ? 0.0 : exact.m[k][3];
        p[k] = (double)(float)(origin + away * random_between(source, -1.0, 1.0));
        from[k] = p[k] - origin;
    }
    memcpy(words, world, sizeof words);
    const evaluation e = {.transforms = words, .counts = true, .refused = refused};
    const vector found = from_world(e, (vector){(float)p[0], (float)p[1], (float)p[2]}, is_direction);
    const double got[3] = {(double)found.x, (double)found.y, (double)found.z};
    for (int k = 0; k < 3; k++) {
        expected[k] = inverse.m[k][0] * from[0] + inverse.m[k][1] * from[1] + inverse.m[k][2] * from[2];
        difference[k] = got[k] - expected[k];
    }
    assert_int_equal(refused[LMB_REFUSED_POSE], 0);
    return length_of(difference) * largest / (length_of(from) * ratio * ratio);
}

static void world_points_are_converted(void **state) {
    (void)state;
    random_source source = {1};
    for (int any = 0; any < 2; any++) {
        double worst = 0.0;
        for (int i = 0; i < CASES; i++) {
            worst = fmax(worst, convert_one(&source, any != 0, i % 4 == 0));
        }
        print_message("world to model, %s scale: %.2g\n", any ? "any" : "uniform", worst);
        assert_true(worst < 2e-6);
    }
}

// A transform without an inverse is refused; scales down to 2^-9 of the largest one on two axes are not.
static void flat_transforms_are_refused(void **state) {
    (void)state;
    static const struct {
        float diagonal[3];
        uint32_t refused;
    } rows[] = {{{1.0f, 1.0f, 1.0f}, 0},   {{1.0f, 0.001953125f, 0.001953125f}, 0},
                {{1e9f, 1e9f, 1e9f}, 0},   {{1e-9f, 1e-9f, 1e-9f}, 0},
                {{1.0f, 0.0f, 1.0f}, 1},   {{0.0f, 0.0f, 0.0f}, 1},
                {{1.0f, 1e-5f, 1e-5f}, 1}, {{1e-13f, 1e-13f, 1e-13f}, 1},
                {{NAN, 1.0f, 1.0f}, 1},    {{1.0f, INFINITY, 1.0f}, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t words[12] = {0}, refused[LMB_REFUSAL_COUNT] = {0};
        memcpy(&words[0], &rows[i].diagonal[0], sizeof(float));
        memcpy(&words[5], &rows[i].diagonal[1], sizeof(float));
        memcpy(&words[10], &rows[i].diagonal[2], sizeof(float));
        const evaluation e = {.transforms = words, .counts = true, .refused = refused};
        const vector found = from_world(e, (vector){1.0f, 2.0f, 4.0f}, false);
        assert_int_equal(refused[LMB_REFUSED_POSE], rows[i].refused);
        const double expected = rows[i].refused ? 1.0 : 1.0 / (double)rows[i].diagonal[0];
        assert_true(fabs((double)found.x - expected) <= 2e-6 * expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(world_points_are_converted),
        cmocka_unit_test(flat_transforms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
