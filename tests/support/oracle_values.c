// Seconds, curves and values: control.h and value.h.
#include "oracle.h"
#include "oracle_control.h"

#include <math.h>

#define PI 3.14159265358979323846

// The fraction of the smallest denominator in [low, high], as numerator and denominator.
static void simplest(double low, double high, double *numerator, double *denominator) {
    const double whole = floor(low);
    if (whole >= low || whole + 1.0 <= high) {
        *numerator = whole >= low ? whole : whole + 1.0;
        *denominator = 1.0;
        return;
    }
    double n, d;
    simplest(1.0 / (high - whole), 1.0 / (low - whole), &n, &d);
    *numerator = whole * n + d;
    *denominator = n;
}

int64_t oracle_ticks(float seconds) {
    const double x = seconds;
    if (!(x > 0.0)) {
        return 0;
    }
    const double low = (x + nextafterf(seconds, 0.0f)) / 2.0, high = (x + nextafterf(seconds, INFINITY)) / 2.0;
    const double margin = (high - low) * 1e-6;
    double n, d;
    simplest(low + margin, high - margin, &n, &d);
    return (int64_t)floor(n * (double)LMB_TICKS_PER_SECOND / d + 0.5);
}

static double curve_in(lmb_curve curve, double a) {
    switch (curve) {
    case LMB_CURVE_QUADRATIC_IN:
        return a * a;
    case LMB_CURVE_CUBIC_IN:
        return a * a * a;
    case LMB_CURVE_SINE_IN:
        return 1.0 - sin(PI * (1.0 - a) / 2.0);
    default:
        return 1.0 - cos(PI * a / 2.0);
    }
}

static double curve_in_out(lmb_curve in, double a) {
    return a < 0.5 ? curve_in(in, 2.0 * a) / 2.0 : 1.0 - curve_in(in, 2.0 - 2.0 * a) / 2.0;
}

// A coordinate of a cubic Bezier with these four points.
static double bezier(const double p[4], double t) {
    const double r = 1.0 - t;
    return r * r * r * p[0] + 3.0 * r * r * t * p[1] + 3.0 * r * t * t * p[2] + t * t * t * p[3];
}

static double in_segment(const lmb_curve_key *a, const lmb_curve_key *b, double x) {
    const double xs[4] = {a->x, (double)a->x + a->out[0], (double)b->x + b->in[0], b->x};
    const double ys[4] = {a->y, (double)a->y + a->out[1], (double)b->y + b->in[1], b->y};
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2.0;
        if (bezier(xs, middle) <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return bezier(ys, low);
}

double oracle_user_curve(const lmb_curve_def *curve, double x) {
    const lmb_curve_key *keys = curve->keys;
    uint32_t last = curve->key_count - 1;
    if (x <= (double)keys[0].x || x >= (double)keys[last].x) {
        return x < (double)keys[last].x ? keys[0].y : keys[last].y;
    }
    while (x < (double)keys[last].x) {
        last--;
    }
    return keys[last].stepped ? keys[last].y : in_segment(&keys[last], &keys[last + 1], x);
}

double oracle_control_curve(lmb_curve curve, const float *control, double a, const lmb_curve_def *curves) {
    if (curve >= LMB_CURVE_USER) {
        return oracle_user_curve(&curves[curve - LMB_CURVE_USER], a);
    }
    a = a < 0.0 ? 0.0 : a > 1.0 ? 1.0 : a;
    if (a == 0.0 || a == 1.0) {
        return a;
    }
    switch (curve) {
    case LMB_CURVE_LINEAR:
        return a;
    case LMB_CURVE_UNIFORM_S:
        return a * a / (2.0 * (a * a - a) + 1.0);
    case LMB_CURVE_SMOOTHSTEP:
        return 3.0 * a * a - 2.0 * a * a * a;
    case LMB_CURVE_BEZIER:
        return 3.0 * (1.0 - a) * (1.0 - a) * a * control[0] + 3.0 * (1.0 - a) * a * a * control[1] + a * a * a;
    case LMB_CURVE_QUADRATIC_OUT:
        return 1.0 - curve_in(LMB_CURVE_QUADRATIC_IN, 1.0 - a);
    case LMB_CURVE_CUBIC_OUT:
        return 1.0 - curve_in(LMB_CURVE_CUBIC_IN, 1.0 - a);
    case LMB_CURVE_SINE_OUT:
        return sin(PI * a / 2.0);
    case LMB_CURVE_COSINE_OUT:
        return cos(PI * (1.0 - a) / 2.0);
    case LMB_CURVE_QUADRATIC_IN_OUT:
        return curve_in_out(LMB_CURVE_QUADRATIC_IN, a);
    case LMB_CURVE_CUBIC_IN_OUT:
        return curve_in_out(LMB_CURVE_CUBIC_IN, a);
    case LMB_CURVE_SINE_IN_OUT:
        return (1.0 + sin(PI * (a - 0.5))) / 2.0;
    case LMB_CURVE_COSINE_IN_OUT:
        return (1.0 - cos(PI * a)) / 2.0;
    default:
        return curve_in(curve, a);
    }
}

double oracle_value(lmb_value value, const double *row, const lmb_curve_def *curves) {
    const double a = value.kind == LMB_VALUE_CONSTANT ? value.constant : row[value.parameter];
    if (value.curve != LMB_CURVE_LINEAR) {
        return oracle_control_curve(value.curve, value.control, a, curves);
    }
    return fabs(a) < LMB_SMALLEST ? 0.0 : a;
}
