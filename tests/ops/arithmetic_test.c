// The shared operations against float64, each over the whole domain after its range reduction, and the snapping rule.
#include "suite.h"

#include "../../shaders/ops/curve.h"
#include "../../shaders/ops/layout.h"
#include "../../shaders/ops/operations.h"
#include "../../shaders/ops/transform.h"

#include <limber/graph.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

// Returns the error in units in the last place of the exact value.
static double ulps(float actual, double exact) {
    int exponent;
    frexp(exact, &exponent);
    return fabs((double)actual - exact) / ldexp(1.0, exponent - 24);
}

// Returns the largest error of a function over every float whose bits are in [first, last).
static double largest_error(float (*function)(float), double (*exact)(double), uint32_t first, uint32_t last) {
    const uint32_t stride = suite_stride();
    double largest = 0.0;
    for (uint32_t bits = first; bits < last; bits += stride) {
        double error = ulps(function(REAL(bits)), exact((double)REAL(bits)));
        largest = error > largest ? error : largest;
    }
    return largest;
}

static double exact_reciprocal(double x) {
    return 1.0 / x;
}

static double exact_reciprocal_root(double x) {
    return 1.0 / sqrt(x);
}

static void within(const char *name, double error, double bound) {
    printf("%s: %.3f of %.3f\n", name, error, bound);
    assert_true(error <= bound);
}

static void reciprocal_over_a_binade(void **state) {
    (void)state;
    within("reciprocal, ulp", largest_error(reciprocal, exact_reciprocal, 0x3f800000u, 0x40000000u), 2.0);
    within("negative reciprocal, ulp", largest_error(reciprocal, exact_reciprocal, 0xbf800000u, 0xc0000000u), 2.0);
}

static void reciprocal_repeats_itself_in_every_binade(void **state) {
    (void)state;
    for (int exponent = -90; exponent < 90; exponent++) {
        for (uint32_t bits = 0x3f800000u; bits < 0x40000000u; bits += 9973) {
            float x = REAL(bits);
            assert_true(reciprocal(ldexpf(x, exponent)) == ldexpf(reciprocal(x), -exponent));
            float root = reciprocal_root(ldexpf(x, 2 * (exponent / 2)));
            assert_true(root == ldexpf(reciprocal_root(x), -(exponent / 2)));
        }
    }
    assert_int_equal(BITS(reciprocal(0.0f)), 0);
    assert_true(reciprocal(1.0f) == 1.0f && reciprocal(0.5f) == 2.0f);
}

static void reciprocal_root_over_two_binades(void **state) {
    (void)state;
    within("reciprocal root, ulp", largest_error(reciprocal_root, exact_reciprocal_root, 0x3f800000u, 0x40800000u),
           2.0);
    assert_true(reciprocal_root(1.0f) == 1.0f && reciprocal_root(4.0f) == 0.5f);
}

static void logarithm_over_a_binade_and_its_neighbours(void **state) {
    (void)state;
    within("logarithm below 1, ulp", largest_error(logarithm2, log2, 0x3f000000u, 0x3f800000u), 2.0);
    within("logarithm above 1, ulp", largest_error(logarithm2, log2, 0x3f800001u, 0x40000000u), 2.0);
    within("logarithm above 2, ulp", largest_error(logarithm2, log2, 0x40000000u, 0x40800000u), 2.0);
    assert_int_equal(BITS(logarithm2(1.0f)), 0);
    for (int exponent = -126; exponent < 127; exponent++) {
        assert_true(logarithm2(ldexpf(1.0f, exponent)) == (float)exponent);
        within("logarithm", ulps(logarithm2(ldexpf(1.7f, exponent)), log2((double)ldexpf(1.7f, exponent))), 2.0);
    }
}

static void exponential_over_two_periods(void **state) {
    (void)state;
    double below = largest_error(exponential2, exp2, 0xb0000000u, 0xbf800001u);
    double above = largest_error(exponential2, exp2, 0x30000000u, 0x3f800001u);
    within("exponential from -1 to 0, ulp", below, 2.0);
    within("exponential from 0 to 1, ulp", above, 2.0);
    for (int whole = -126; whole <= 126; whole++) {
        assert_true(exponential2((float)whole) == ldexpf(1.0f, whole));
        within("exponential, ulp", ulps(exponential2((float)whole * 0.999f), exp2((double)((float)whole * 0.999f))),
               2.0);
    }
    assert_true(exponential2(1e9f) == ldexpf(1.0f, 126) && exponential2(-1e9f) == ldexpf(1.0f, -126));
}

static void angles_in_every_octant(void **state) {
    (void)state;
    double largest = 0.0;
    for (uint32_t bits = 0x2b800000u; bits <= 0x3f800000u; bits += 1009 * suite_stride()) {
        const float t = REAL(bits);
        const float sides[][2] = {{1.0f, t}, {t, 1.0f}, {-t, 1.0f}, {-1.0f, t}, {-1.0f, -t}, {-t, -1.0f}, {1.0f, -t}};
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
            const double x = (double)sides[i][0], y = (double)sides[i][1];
            largest = fmax(largest, fabs((double)angle_from_axis(sides[i][0], sides[i][1]) - atan2(fabs(y), x)));
            // Lengths do not matter.
            const float angle = angle_from_axis(ldexpf(sides[i][0], -80), ldexpf(sides[i][1], -80));
            assert_true(angle == angle_from_axis(ldexpf(sides[i][0], 80), ldexpf(sides[i][1], 80)));
        }
    }
    within("angle from an axis", largest, 3e-7);
    assert_true(angle_from_axis(0.0f, 0.0f) == 0.0f && angle_from_axis(1.0f, 0.0f) == 0.0f);
    assert_true(angle_from_axis(-0x1p-80f, 0.0f) == 3.14159274f && angle_from_axis(0.0f, -0x1p80f) == 1.57079637f);
}

static void slerp_coefficient_everywhere(void **state) {
    (void)state;
    double largest = 0.0;
    for (int i = 0; i <= 2000; i += (int)suite_stride()) {
        float cosine = (float)i / 2000.0f;
        double angle = acos((double)cosine);
        for (int k = 0; k <= 1000; k++) {
            float t = (float)k / 1000.0f;
            double exact = angle < 1e-6 ? (double)t : sin((double)t * angle) / sin(angle);
            double error = fabs((double)slerp_coefficient(t, cosine - 1.0f) - exact);
            largest = error > largest ? error : largest;
        }
        assert_true(slerp_coefficient(0.0f, cosine - 1.0f) == 0.0f);
        assert_true(slerp_coefficient(1.0f, cosine - 1.0f) == 1.0f);
    }
    within("slerp coefficient, 1e-6", largest * 1e6, 1.0);
}

static void near_slerp_coefficient_from_nine_tenths(void **state) {
    (void)state;
    double largest = 0.0;
    for (int i = 0; i <= 2000; i += (int)suite_stride()) {
        float cosine = 0.9f + 0.1f * (float)i / 2000.0f;
        double angle = acos(fmin((double)cosine, 1.0));
        for (int k = 0; k <= 1000; k++) {
            float t = (float)k / 1000.0f;
            double exact = angle < 1e-6 ? (double)t : sin((double)t * angle) / sin(angle);
            double error = fabs((double)slerp_coefficient_near(slerp_prepare(t), cosine - 1.0f) - exact);
            largest = error > largest ? error : largest;
        }
        assert_true(slerp_coefficient_near(slerp_prepare(0.0f), cosine - 1.0f) == 0.0f);
        assert_true(slerp_coefficient_near(slerp_prepare(1.0f), cosine - 1.0f) == 1.0f);
    }
    within("near slerp coefficient, 1e-6", largest * 1e6, 0.3);
}

static void scale_within_its_bounds(void **state) {
    (void)state;
    double inside = 0.0, outside = 0.0;
    for (int ratio = -76; ratio <= 76; ratio++) {
        for (int k = 0; k <= 64; k++) {
            float a = 1.2345f * ldexpf(1.0f, -ratio / 2 - (ratio & 1));
            float b = a * exp2f((float)ratio * 0.99f);
            float t = (float)k / 64.0f;
            double exact = (double)a * pow((double)b / (double)a, (double)t);
            double error = fabs((double)blend_scale(a, b, t) / exact - 1.0);
            if (abs(ratio) <= 8) {
                inside = error > inside ? error : inside;
            } else {
                outside = error > outside ? error : outside;
            }
            assert_true(blend_scale(-a, -b, t) == -blend_scale(a, b, t));
        }
    }
    within("scale, ratios 2^-8 to 2^8, 1e-6", inside * 1e6, 2.0);
    // The bound of the header.
    within("scale, ratios 2^-76 to 2^76, 1e-6", outside * 1e6, 4.0);
}

static void scale_at_its_edges(void **state) {
    (void)state;
    assert_true(blend_scale(2.0f, 3.0f, 0.0f) == 2.0f && blend_scale(2.0f, 3.0f, 1.0f) == 3.0f);
    assert_true(blend_scale(0.7f, 0.7f, 0.3f) == 0.7f);
    assert_true(blend_scale(0.0f, 2.0f, 0.25f) == 0.5f);
    assert_true(blend_scale(2.0f, 0.0f, 0.25f) == 1.5f);
    assert_true(blend_scale(-1.0f, 1.0f, 0.5f) == 0.0f);
    assert_true(blend_scale(-1.0f, 1.0f, 0.75f) == 0.5f);
    assert_true(divide_scale(3.0f, 0.0f) == 1.0f && divide_scale(0.0f, 3.0f) == 0.0f);
}

static void quarter_waves_over_their_halves(void **state) {
    (void)state;
    double sine = 0.0, versine = 0.0;
    for (int i = 0; i <= 1000000; i += (int)suite_stride()) {
        float x = (float)i / 2000000.0f;
        double angle = (double)x * (PI / 2.0);
        sine = fmax(sine, fabs((double)quarter_sine(x) - sin(angle)));
        versine = fmax(versine, fabs((double)quarter_versine(x) - (1.0 - cos(angle))));
    }
    within("quarter sine, 1e-7", sine * 1e7, 1.0);
    within("quarter versine, 1e-7", versine * 1e7, 1.0);
}

static double exact_family(uint32_t part, double (*in)(double), double a) {
    if (part == CURVE_IN) {
        return in(a);
    }
    if (part == CURVE_OUT) {
        return 1.0 - in(1.0 - a);
    }
    return a <= 0.5 ? in(2.0 * a) / 2.0 : 1.0 - in(2.0 - 2.0 * a) / 2.0;
}

static double square_in(double a) {
    return a * a;
}

static double cube_in(double a) {
    return a * a * a;
}

static double wave_in(double a) {
    return 1.0 - cos(a * (PI / 2.0));
}

static double exact_curve(uint32_t curve, double first, double second, double a) {
    static double (*const families[])(double) = {square_in, cube_in, wave_in, wave_in};
    switch (curve) {
    case CURVE_LINEAR:
        return a;
    case CURVE_UNIFORM_S:
        return a * a / (2.0 * (a * a - a) + 1.0);
    case CURVE_SMOOTHSTEP:
        return a * a * (3.0 - 2.0 * a);
    case CURVE_BEZIER:
        return 3.0 * (1.0 - a) * (1.0 - a) * a * first + 3.0 * (1.0 - a) * a * a * second + a * a * a;
    default:
        return exact_family((curve - CURVE_QUADRATIC) % 3, families[(curve - CURVE_QUADRATIC) / 3], a);
    }
}

static float curve_at(uint32_t curve, float first, float second, float a) {
    const curve_record record = {curve, BITS(first), BITS(second)};
    return evaluate_curve(NULL, record, a);
}

static void curves_everywhere(void **state) {
    (void)state;
    static const float controls[][2] = {{0.0f, 1.0f}, {0.0f, 0.0f}, {0.25f, 0.8f}, {-16.0f, 16.0f}, {2.0f, -1.0f}};
    for (uint32_t curve = 0; curve < CURVE_COUNT; curve++) {
        for (uint32_t pair = 0; pair < (curve == CURVE_BEZIER ? 5 : 1); pair++) {
            const float first = controls[pair][0], second = controls[pair][1];
            const double large = fmax(1.0, fmax(fabs((double)first), fabs((double)second)));
            double largest = 0.0;
            for (int i = 0; i <= 1000000; i += (int)suite_stride()) {
                float a = (float)i / 1000000.0f;
                double exact = exact_curve(curve, (double)first, (double)second, (double)a);
                largest = fmax(largest, fabs((double)curve_at(curve, first, second, a) - exact) / large);
            }
            within(lmb_curve_name((lmb_curve)curve), largest * 1e7, 2.0);
            assert_true(curve_at(curve, first, second, 0.0f) == 0.0f);
            assert_true(curve_at(curve, first, second, 1.0f) == 1.0f);
        }
    }
}

static void curves_that_keep_the_middle(void **state) {
    (void)state;
    static const uint32_t curves[] = {CURVE_LINEAR,
                                      CURVE_UNIFORM_S,
                                      CURVE_SMOOTHSTEP,
                                      CURVE_BEZIER,
                                      CURVE_QUADRATIC + CURVE_IN_OUT,
                                      CURVE_CUBIC + CURVE_IN_OUT,
                                      CURVE_SINE + CURVE_IN_OUT,
                                      CURVE_COSINE + CURVE_IN_OUT};
    for (uint32_t i = 0; i < sizeof curves / sizeof curves[0]; i++) {
        assert_true(curve_at(curves[i], 0.0f, 1.0f, 0.5f) == 0.5f);
    }
}

static void snapping_rule(void **state) {
    (void)state;
    const struct {
        uint32_t given, snapped;
    } cases[] = {
        {0x00000000u, 0x00000000u}, {0x80000000u, 0x00000000u}, // both zeros
        {0x00000001u, 0x00000000u}, {0x807fffffu, 0x00000000u}, // subnormals
        {0x2b7fffffu, 0x00000000u}, {0xab7fffffu, 0x00000000u}, // just below 2^-40
        {0x2b800000u, 0x2b800000u}, {0xab800000u, 0xab800000u}, // 2^-40
        {0x2b800001u, 0x2b800001u}, {0x3f800000u, 0x3f800000u}, // above it
        {0x537fffffu, 0x537fffffu}, {0x53800000u, 0x53800000u}, // up to 2^40
        {0x53800001u, 0x53800000u}, {0xd3800001u, 0xd3800000u}, // just above it
        {0x7f7fffffu, 0x53800000u}, {0x7f800000u, 0x53800000u}, // the largest, infinity
        {0xff800000u, 0xd3800000u}, {0x7f800001u, 0x00000000u}, // NaN, signalling
        {0x7fc00000u, 0x00000000u}, {0xffc00000u, 0x00000000u}, // and quiet
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(BITS(snap(REAL(cases[i].given))), cases[i].snapped);
    }
    assert_int_equal(BITS(LMB_SMALLEST), SNAP_SMALLEST);
    assert_int_equal(BITS(LMB_LARGEST), SNAP_LARGEST);
}

static void full_mask_is_weight_one(void **state) {
    (void)state;
    // The masked blend multiplies by this constant.
    assert_true(255.0f * 0.00392156886f == 1.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reciprocal_over_a_binade),
        cmocka_unit_test(reciprocal_repeats_itself_in_every_binade),
        cmocka_unit_test(reciprocal_root_over_two_binades),
        cmocka_unit_test(logarithm_over_a_binade_and_its_neighbours),
        cmocka_unit_test(exponential_over_two_periods),
        cmocka_unit_test(angles_in_every_octant),
        cmocka_unit_test(slerp_coefficient_everywhere),
        cmocka_unit_test(near_slerp_coefficient_from_nine_tenths),
        cmocka_unit_test(scale_within_its_bounds),
        cmocka_unit_test(scale_at_its_edges),
        cmocka_unit_test(quarter_waves_over_their_halves),
        cmocka_unit_test(curves_everywhere),
        cmocka_unit_test(curves_that_keep_the_middle),
        cmocka_unit_test(snapping_rule),
        cmocka_unit_test(full_mask_is_weight_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
