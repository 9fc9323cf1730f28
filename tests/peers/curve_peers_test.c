// Curves beside those of peers: numbers that peers' formulas give with 40 digits, and what Limber has.
#include "suite.h"

#include <limber/value.h>
#include <math.h>

enum { MOST_POINTS = 8 };

typedef struct point {
    float x;
    double y;
} point;

static float at(const lmb_curve_def *curve, float x) {
    lmb_value value = lmb_constant(x);
    value.curve = lmb_user_curve(0);
    return lmb_value_at(value, NULL, curve);
}

static void expect_points(const char *name, const lmb_curve_def *curve, const point *points) {
    for (int i = 0; i < MOST_POINTS && points[i].x != 0.0f; i++) {
        const double actual = (double)at(curve, points[i].x);
        if (!(fabs(actual - points[i].y) < 1e-6)) {
            fail_msg("%s at %.9g: %.9f, not %.9f", name, (double)points[i].x, actual, points[i].y);
        }
    }
}

// CSS Easing Functions Level 1, cubic-bezier(): ease, ease-in-out, and curves with overshoot of easings.net.
static const struct css_row {
    const char *name;
    float points[4];
    point values[MOST_POINTS];
} css_rows[] = {
    {"ease",
     {0.25f, 0.1f, 0.25f, 1.0f},
     {{0.05f, 0.032951541},
      {0.1f, 0.094796306},
      {0.25f, 0.408510591},
      {0.5f, 0.802403388},
      {0.75f, 0.960458978},
      {0.9f, 0.994316477}}},
    {"ease-in-out",
     {0.42f, 0.0f, 0.58f, 1.0f},
     {{0.05f, 0.004829750},
      {0.1f, 0.019722454},
      {0.25f, 0.129161931},
      {0.5f, 0.5},
      {0.75f, 0.870838069},
      {0.9f, 0.980277546}}},
    {"easeInBack",
     {0.36f, 0.0f, 0.66f, -0.56f},
     {{0.05f, -0.003383922},
      {0.1f, -0.012615579},
      {0.25f, -0.059646860},
      {0.5f, -0.087400670},
      {0.75f, 0.183710801},
      {0.9f, 0.596066958}}},
    {"easeOutBack",
     {0.34f, 1.56f, 0.64f, 1.0f},
     {{0.05f, 0.215561684},
      {0.1f, 0.403933042},
      {0.25f, 0.816289199},
      {0.5f, 1.087400670},
      {0.75f, 1.059646860},
      {0.9f, 1.012615579}}},
    {"easeInOutBack",
     {0.68f, -0.6f, 0.32f, 1.6f},
     {{0.05f, -0.040511898},
      {0.1f, -0.072823181},
      {0.25f, -0.097707742},
      {0.5f, 0.5},
      {0.75f, 1.097707742},
      {0.9f, 1.072823181}}},
};

static void css_cubic_beziers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof css_rows / sizeof css_rows[0]; i++) {
        const float *p = css_rows[i].points;
        lmb_curve_key keys[2];
        lmb_css_keys(p[0], p[1], p[2], p[3], keys);
        const lmb_curve_def curve = {keys, 2};
        expect_points(css_rows[i].name, &curve, css_rows[i].values);
        assert_true(at(&curve, 0.0f) == 0.0f && at(&curve, 1.0f) == 1.0f);
    }
}

// Unity's AnimationCurve between two keys without weights, as its documentation of Keyframe has the tangents: a cubic
// Hermite spline with the left key's outTangent and the right key's inTangent, both times the distance. Godot's Curve
// has its control points at a third of the distance, which is the same.
static void keys_with_tangents(void **state) {
    (void)state;
    static const point values[MOST_POINTS] = {{0.0625f, 0.199218750}, {0.125f, 0.468750000}, {0.2f, 0.720000000},
                                              {0.5f, 0.580000000},    {0.875f, -0.265625},   {1.25f, -0.830000000},
                                              {1.75f, 0.437500000},   {1.9f, 0.892000000}};
    lmb_curve_key keys[4] = {lmb_key(0.0f, 0.0f), lmb_key(0.25f, 0.75f), lmb_key(1.5f, -0.5f), lmb_key(2.0f, 1.0f)};
    lmb_set_slopes(&keys[0], 2.0f, -1.0f, &keys[1]);
    lmb_set_slopes(&keys[1], 0.5f, 3.0f, &keys[2]);
    lmb_set_slopes(&keys[2], 3.0f, 0.0f, &keys[3]);
    const lmb_curve_def curve = {keys, 4};
    expect_points("AnimationCurve", &curve, values);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(css_cubic_beziers), cmocka_unit_test(keys_with_tangents)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
