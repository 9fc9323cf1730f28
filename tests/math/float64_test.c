// Functions of float64 with the same bits everywhere: beside those of glibc's long double, exact cases, and a hash of
// the bits of all results, which every processor and compiler gives.
#include "suite.h"

#include "math/float64.h"

#include <string.h>

enum { CASES = 200000 };
#define PI 3.14159265358979323846L
// Other libraries' functions of long double are less exact than what is tested. Some processors take long for them.
#ifdef __GLIBC__
#define IS_COMPARED(i) ((i) % 16 == 0)
#else
#define IS_COMPARED(i) false
#endif

// Numbers of all sizes: random bits of a fraction, times a power of 2.
static double draw(uint64_t *state, int lowest, int highest) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    const double fraction = (double)(*state >> 11) * 0x1p-53;
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    const int power = lowest + (int)((*state >> 33) % (uint64_t)(highest - lowest + 1));
    return ldexp((*state >> 32 & 1) != 0 ? -1.0 - fraction : 1.0 + fraction, power);
}

static void note(uint64_t *hash, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    *hash = (*hash ^ bits) * 1099511628211u;
}

static void expect_near(double result, long double expected, double scale, const char *what, double x) {
    if (!(fabsl((long double)result - expected) <= 1e-15L * (long double)scale)) {
        fail_msg("%s of %.17g: %.17g instead of %.17g", what, x, result, (double)expected);
    }
}

static void sines_and_cosines(void **state) {
    (void)state;
    uint64_t random = 1, hash = 0;
    for (int i = 0; i < CASES; i++) {
        const double x = draw(&random, -60, 30), sine = lmb_sine64(x), cosine = lmb_cosine64(x);
        if (IS_COMPARED(i)) {
            expect_near(sine, sinl((long double)x), fabs(x) < 1.0 ? fabs(x) : 1.0, "sine", x);
            expect_near(cosine, cosl((long double)x), 1.0, "cosine", x);
        }
        assert_true(fabs(sine * sine + cosine * cosine - 1.0) <= 1e-15);
        assert_true(lmb_sine64(-x) == -sine && lmb_cosine64(-x) == cosine);
        note(&hash, sine);
        note(&hash, cosine);
    }
    assert_true(hash == 0x33c31de521fae0f1u);
}

static void arc_tangents(void **state) {
    (void)state;
    uint64_t random = 2, hash = 0;
    for (int i = 0; i < CASES; i++) {
        const double x = draw(&random, -20, 20), y = draw(&random, -20, 20), angle = lmb_arc_tangent64(y, x);
        if (IS_COMPARED(i)) {
            expect_near(angle, atan2l((long double)y, (long double)x), fabs(angle), "arc tangent", y / x);
        }
        assert_true(lmb_arc_tangent64(-y, x) == -angle);
        note(&hash, angle);
    }
    assert_true(hash == 0x54b3444e46781f15u);
}

static void other_arcs_and_lengths(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < CASES / 10; i++) {
        const double x = 1.0 - fabs(draw(&random, -40, -1)), angle = lmb_arc_cosine64(x);
        assert_true(fabs(lmb_cosine64(angle) - x) <= 1e-15 && angle >= 0.0 && angle <= (double)PI);
        assert_true(fabs(lmb_sine64(lmb_arc_sine64(x)) - x) <= 1e-15);
        assert_true(fabs(lmb_length64(x, angle) - hypot(x, angle)) <= 1e-15 * hypot(x, angle));
    }
}

static void exact_cases(void **state) {
    (void)state;
    const double half = 0.5 * (double)PI;
    assert_true(lmb_sine64(0.0) == 0.0 && lmb_cosine64(0.0) == 1.0 && lmb_sine64(half) == 1.0);
    assert_true(lmb_arc_tangent64(0.0, 0.0) == 0.0 && lmb_arc_tangent64(0.0, 2.0) == 0.0);
    assert_true(lmb_arc_tangent64(0.0, -2.0) == (double)PI && lmb_arc_tangent64(3.0, 0.0) == half);
    assert_true(lmb_arc_tangent64(-3.0, 0.0) == -half && lmb_arc_tangent64(2.0, 2.0) == 0.5 * half);
    assert_true(lmb_arc_cosine64(1.0) == 0.0 && lmb_arc_cosine64(-1.0) == (double)PI && lmb_arc_sine64(1.0) == half);
    assert_true(lmb_length64(3.0, -4.0) == 5.0 && lmb_length64(0.0, 0.0) == 0.0);
    // What has no meaning counts as 0.
    const double odd[] = {HUGE_VAL, -HUGE_VAL, NAN, 0x1p31, -0x1p60};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_true(lmb_sine64(odd[i]) == 0.0 && lmb_cosine64(odd[i]) == 1.0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_and_cosines),
        cmocka_unit_test(arc_tangents),
        cmocka_unit_test(other_arcs_and_lengths),
        cmocka_unit_test(exact_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
