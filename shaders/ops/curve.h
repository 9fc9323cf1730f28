// Curves that map [0, 1] to values that are exactly 0 at 0 and 1 at 1, in the order of lmb_curve. Sines are computed by
// polynomials, because devices differ in theirs.
#ifndef LMB_OPS_CURVE_H
#define LMB_OPS_CURVE_H

#include "number.h"

#define CURVE_LINEAR 0u
#define CURVE_UNIFORM_S 1u
#define CURVE_SMOOTHSTEP 2u
#define CURVE_BEZIER 3u
// From here on, families of three: in, out, in and out.
#define CURVE_QUADRATIC 4u
#define CURVE_CUBIC 7u
#define CURVE_SINE 10u
#define CURVE_COSINE 13u
#define CURVE_COUNT 16u

#define CURVE_IN 0u
#define CURVE_OUT 1u
#define CURVE_IN_OUT 2u

// 1 - cos(pi x / 2) for x in [0, 1/2] to 1e-7, by the power series.
OP real quarter_versine(real x) {
    real square = x * x;
    real p = -0.000919260259f * square + 0.0208634809f;
    p = -p * square + 0.2536695f;
    p = -p * square + 1.23370051f;
    return p * square;
}

// sin(pi x / 2) for x in [0, 1/2] to 1e-7 likewise.
OP real quarter_sine(real x) {
    real square = x * x;
    real p = 0.000160441181f * square - 0.00468175393f;
    p = p * square + 0.0796926245f;
    p = p * square - 0.645964086f;
    p = p * square + 1.57079637f;
    return p * x;
}

// 1 - cos(pi x / 2) for x in [0, 1]. The second half uses the sine of the complement, so that 1 gives exactly 1.
OP real sine_in(real x) {
    real near = quarter_versine(x);
    real far = 1.0f - quarter_sine(1.0f - x);
    return SELECT(x < 0.5f, near, far);
}

// The "in" curve of a family, for x in [0, 1].
OP real curve_in(uint first, real x) {
    real y = x * x;
    if (first == CURVE_CUBIC) {
        y = y * x;
    }
    if (first >= CURVE_SINE) {
        y = sine_in(x);
    }
    return y;
}

// A curve of a family: in; out, which is "in" rotated about the middle; or both in sequence, each at half size.
OP real family_curve(uint curve, real a) {
    uint family = (curve - CURVE_QUADRATIC) / 3u;
    uint first = CURVE_QUADRATIC + family * 3u;
    uint part = curve - first;
    real rest = 1.0f - a;
    real x = a;
    lane_mask late = a > 0.5f;
    if (part == CURVE_OUT) {
        x = rest;
    }
    if (part == CURVE_IN_OUT) {
        x = SELECT(late, rest, a);
        x = x + x;
    }
    real y = curve_in(first, x);
    real turned = 1.0f - y;
    if (part == CURVE_OUT) {
        y = turned;
    }
    if (part == CURVE_IN_OUT) {
        y = y * 0.5f;
        turned = 1.0f - y;
        y = SELECT(late, turned, y);
    }
    return y;
}

// The cubic Bezier through 0, both control points and 1, at the parameter a.
OP real bezier_curve(real a, float first, float second) {
    real rest = 1.0f - a;
    real both = 3.0f * (a * rest);
    real inner = rest * first + a * second;
    return both * inner + (a * a) * a;
}

OP real uniform_s_curve(real a) {
    real square = a * a;
    return square * reciprocal(2.0f * (square - a) + 1.0f);
}

// Applies a curve to a value in [0, 1]. The control points are those of a Bezier curve.
OP real evaluate_curve(uint curve, float first, float second, real a) {
    real shaped = a;
    if (curve == CURVE_UNIFORM_S) {
        shaped = uniform_s_curve(a);
    }
    if (curve > CURVE_UNIFORM_S) {
        if (curve == CURVE_SMOOTHSTEP) {
            shaped = (a * a) * (3.0f - (a + a));
        } else if (curve == CURVE_BEZIER) {
            shaped = bezier_curve(a, first, second);
        } else {
            shaped = family_curve(curve, a);
        }
    }
    return shaped;
}

// Applies a curve to any snapped value, which is clamped to [0, 1] first.
OP_NOINLINE real evaluate_any_curve(uint curve, float first, float second, real x) {
    real shaped = evaluate_curve(curve, first, second, clamp_real(x, 0.0f, 1.0f));
    return snap(shaped);
}

#endif
