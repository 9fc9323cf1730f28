// An angle is reduced to at most an eighth of a turn from a multiple of a quarter turn, whose parts have few enough
// bits that their products are exact. Then follow the terms of Taylor's series, up to one below 1e-18.
#include "float64.h"

#define MOST_RADIANS 0x1p31

// The parts of pi / 2.
static const double halves[4] = {0x1.921fbp+0, 0x1.5110bp-22, 0x1.1846980p-44, 0x1.3198a2e037073p-69};

// Multiples of pi / 4, and what they are more than these numbers.
static const double eighths_of_turn[5] = {0.0, 0x1.921fb54442d18p-1, 0x1.921fb54442d18p+0, 0x1.2d97c7f3321d2p+1,
                                          0x1.921fb54442d18p+1};
static const double eighths_more[5] = {0.0, 0x1.1a62633145c07p-55, 0x1.1a62633145c07p-54, 0x1.a79394c9e8a0ap-54,
                                       0x1.1a62633145c07p-53};

// An angle: a quarter of a turn times `quarters`, and the rest.
typedef struct reduced {
    int quarters; // 0 to 3
    double rest;
} reduced;

static reduced reduce(double radians) {
    reduced r = {0, 0.0};
    if (fabs(radians) < MOST_RADIANS) {
        const double quarters = rint(radians * (2.0 / 3.14159265358979323846));
        r.rest = radians;
        for (int i = 0; i < 4; i++) {
            r.rest -= quarters * halves[i];
        }
        r.quarters = (int)((long long)quarters & 3);
    }
    return r;
}

// The sum of factors[i] x^i, up to `count`.
static double polynomial(const double *factors, int count, double x) {
    double sum = 0.0;
    for (int i = count - 1; i >= 0; i--) {
        sum = sum * x + factors[i];
    }
    return sum;
}

static double sine_of_rest(double x) {
    static const double factors[] = {
        -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,          1.0 / 362880.0,
        -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
    const double square = x * x;
    return x + x * (square * polynomial(factors, sizeof factors / sizeof *factors, square));
}

static double cosine_of_rest(double x) {
    static const double factors[] = {
        1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,          -1.0 / 3628800.0,
        1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0, -1.0 / 6402373705728000.0};
    const double square = x * x, half = 0.5 * square, near = 1.0 - half;
    // What the difference from 1 loses is added again.
    return near +
           (((1.0 - near) - half) + square * square * polynomial(factors, sizeof factors / sizeof *factors, square));
}

double lmb_sine64(double radians) {
    const reduced r = reduce(radians);
    const double magnitude = (r.quarters & 1) != 0 ? cosine_of_rest(r.rest) : sine_of_rest(r.rest);
    return (r.quarters & 2) != 0 ? -magnitude : magnitude;
}

double lmb_cosine64(double radians) {
    const reduced r = reduce(radians);
    const double magnitude = (r.quarters & 1) != 0 ? sine_of_rest(r.rest) : cosine_of_rest(r.rest);
    return r.quarters == 1 || r.quarters == 2 ? -magnitude : magnitude;
}

// For z up to tan(pi / 8).
static double small_arc_tangent(double z) {
    const double square = z * z;
    double sum = 0.0;
    for (int i = 45; i >= 3; i -= 2) {
        sum = square * ((i & 2) != 0 ? -1.0 / i : 1.0 / i) + square * sum;
    }
    return z + z * sum;
}

double lmb_arc_tangent64(double y, double x) {
    const double up = fabs(y), right = fabs(x);
    const bool is_steep = up > right;
    const double larger = is_steep ? up : right, smaller = is_steep ? right : up;
    if (larger == 0.0) {
        return 0.0;
    }
    const double z = smaller / larger;
    const bool is_far = z > 0.41421356237309503;
    // Of (z - 1) / (z + 1), without the rounding of z.
    const double part = small_arc_tangent(is_far ? (smaller - larger) / (smaller + larger) : z);
    double sign = 1.0;
    int eighths = is_far ? 1 : 0;
    if (is_steep) {
        eighths = 2 - eighths;
        sign = -sign;
    }
    if (x < 0.0) {
        eighths = 4 - eighths;
        sign = -sign;
    }
    const double angle = eighths_of_turn[eighths] + (eighths_more[eighths] + sign * part);
    return y < 0.0 ? -angle : angle;
}
