// Curves that map [0, 1] to values that are exactly 0 at 0 and 1 at 1, in the order of lmb_curve. Sines are computed by
// polynomials, because devices differ in theirs.
//
// Then curves of a graph's own, as keys in its block. Between two keys a curve is a cubic Bezier in x and y, with the
// same parameter t for both. Each coordinate is a straight line that bends: its start, plus rise t, plus
// t (1 - t) (a + b t). The segment is found by halving, then t by halving, then by the chord of the last interval.
// None of this is a loop: drivers may bound loops, and those that unroll them would do the same.
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
#define CURVE_USER 16u // of the graph

// A curve as three words of a block. Of a Bezier curve: its control points, two floats. Of one of the graph's: the
// offset of its keys, and the index of the last one.
STRUCT(curve_record)
uint kind;
uint first;
uint second;
END_STRUCT(curve_record)

// A key: x, and 1 over the distance to the next key; how x bends, a and b, over that distance; y, how much it rises,
// and how it bends. The last key has zeros.
RECORD(CURVE_KEY)
FLOAT(x);
FLOAT(inverse);
WORDS(2, x_bend);
FLOAT(y);
FLOAT(rise);
WORDS(2, y_bend);
END_RECORD(CURVE_KEY, 8)
#define MOST_CURVE_KEYS 64u

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

OP curve_record load_curve(memory block, address at) {
    curve_record curve;
    curve.kind = LOAD(block, at);
    curve.first = LOAD(block, at + 1u);
    curve.second = LOAD(block, at + 2u);
    return curve;
}

// Returns the key that is `step` after another one, or the last key, if x is not before it; else that other one.
OP word later_key(memory block, curve_record curve, word key, uint step, real x) {
    word next = key + step;
    next = SELECT(ABOVE(next, curve.second), ALL_WORD(curve.second), next);
    real begin = GATHER_REAL(block, curve.first + next * WORDS_OF(CURVE_KEY));
    return SELECT(x >= begin, next, key);
}

// How far a coordinate is from its straight line.
OP real bend(real t, real a, real b) {
    return (t * (1.0f - t)) * (a + b * t);
}

// Where a segment has its x at a share of its width. The parameter is in an interval that begins at `begin`.
STRUCT(curve_search)
real share;
real a;
real b;
real begin;
END_STRUCT(curve_search)

OP real curve_x(curve_search s, real t) {
    return t + bend(t, s.a, s.b);
}

// Goes on with the second half of the interval if the share is not before it.
OP curve_search halve(curve_search s, float half_width) {
    real middle = s.begin + half_width;
    s.begin = SELECT(curve_x(s, middle) > s.share, s.begin, middle);
    return s;
}

OP curve_search halve_three_times(curve_search s, float half_width) {
    s = halve(s, half_width);
    s = halve(s, half_width * 0.5f);
    return halve(s, half_width * 0.25f);
}

// The parameter at which x has the share. x is within 2e-7 of it: a chord of this width is so close to the cubic.
OP real solve_curve(curve_search s) {
    s = halve_three_times(s, 0.5f);
    s = halve_three_times(s, 0.0625f);
    s = halve_three_times(s, 0.0078125f);
    s = halve_three_times(s, 0.0009765625f);
    real low = curve_x(s, s.begin);
    real high = curve_x(s, s.begin + 0.000244140625f);
    real part = clamp_real((s.share - low) * reciprocal(high - low), 0.0f, 1.0f);
    return s.begin + part * 0.000244140625f;
}

// A curve of the graph's, for any snapped x.
OP real user_curve(memory block, curve_record curve, real x) {
    word key = ALL_WORD(0u);
    key = later_key(block, curve, key, 32u, x);
    key = later_key(block, curve, key, 16u, x);
    key = later_key(block, curve, key, 8u, x);
    key = later_key(block, curve, key, 4u, x);
    key = later_key(block, curve, key, 2u, x);
    key = later_key(block, curve, key, 1u, x);
    word at = curve.first + key * WORDS_OF(CURVE_KEY);
    real passed =
        (x - GATHER_REAL(block, at + FIELD(CURVE_KEY, x))) * GATHER_REAL(block, at + FIELD(CURVE_KEY, inverse));
    curve_search s;
    s.share = clamp_real(passed, 0.0f, 1.0f);
    s.a = GATHER_REAL(block, at + FIELD(CURVE_KEY, x_bend));
    s.b = GATHER_REAL(block, at + FIELD(CURVE_KEY, x_bend) + 1u);
    s.begin = SPLAT(0.0f);
    real t = solve_curve(s);
    real bent = bend(t, GATHER_REAL(block, at + FIELD(CURVE_KEY, y_bend)),
                     GATHER_REAL(block, at + FIELD(CURVE_KEY, y_bend) + 1u));
    return GATHER_REAL(block, at + FIELD(CURVE_KEY, y)) + (GATHER_REAL(block, at + FIELD(CURVE_KEY, rise)) * t + bent);
}

// Applies a curve to a value in [0, 1].
OP real evaluate_curve(memory block, curve_record curve, real a) {
    real shaped = a;
    if (curve.kind == CURVE_UNIFORM_S) {
        shaped = uniform_s_curve(a);
    }
    if (curve.kind > CURVE_UNIFORM_S) {
        if (curve.kind == CURVE_SMOOTHSTEP) {
            shaped = (a * a) * (3.0f - (a + a));
        } else if (curve.kind == CURVE_BEZIER) {
            shaped = bezier_curve(a, FLOAT_OF_BITS(curve.first), FLOAT_OF_BITS(curve.second));
        } else if (USES_USER_CURVES && curve.kind == CURVE_USER) {
            shaped = user_curve(block, curve, a);
        } else {
            shaped = family_curve(curve.kind, a);
        }
    }
    return shaped;
}

// Applies a curve to any snapped value, which is clamped to [0, 1] first. The keys of the graph's own curves clamp it.
OP_NOINLINE real evaluate_any_curve(memory block, curve_record curve, real x) {
    real a = clamp_real(x, 0.0f, 1.0f);
    if (USES_USER_CURVES && curve.kind == CURVE_USER) {
        a = x;
    }
    return snap(evaluate_curve(block, curve, a));
}

#endif
