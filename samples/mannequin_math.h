// Vectors, rotations and curves in double precision, with which the mannequin is modelled and animated.
#ifndef LIMBER_SAMPLES_MANNEQUIN_MATH_H
#define LIMBER_SAMPLES_MANNEQUIN_MATH_H

#include <math.h>
#include <stddef.h>

#define PI 3.14159265358979323846

// fmin() and fmax() for numbers that are not NaN; compilers translate each to two instructions.
static inline double lesser(double a, double b) {
    return a < b ? a : b;
}

static inline double greater(double a, double b) {
    return a > b ? a : b;
}

typedef struct vec3 {
    double x, y, z;
} vec3;

// A unit quaternion.
typedef struct quat {
    double x, y, z, w;
} quat;

static inline vec3 vec3_of(double x, double y, double z) {
    return (vec3){x, y, z};
}

static inline vec3 vec3_add(vec3 a, vec3 b) {
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec3 vec3_subtract(vec3 a, vec3 b) {
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 vec3_scale(vec3 a, double s) {
    return (vec3){a.x * s, a.y * s, a.z * s};
}

static inline vec3 vec3_lerp(vec3 a, vec3 b, double t) {
    return vec3_add(a, vec3_scale(vec3_subtract(b, a), t));
}

static inline double vec3_dot(vec3 a, vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 vec3_cross(vec3 a, vec3 b) {
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec3_length(vec3 a) {
    return sqrt(vec3_dot(a, a));
}

static inline vec3 vec3_unit(vec3 a) {
    return vec3_scale(a, 1.0 / vec3_length(a));
}

// Removes the component of `a` along the unit vector `axis`, and normalises the rest.
static inline vec3 vec3_across(vec3 a, vec3 axis) {
    return vec3_unit(vec3_subtract(a, vec3_scale(axis, vec3_dot(a, axis))));
}

static inline quat quat_identity(void) {
    return (quat){0.0, 0.0, 0.0, 1.0};
}

static inline quat quat_about(vec3 axis, double angle) {
    double s = sin(0.5 * angle);
    return (quat){axis.x * s, axis.y * s, axis.z * s, cos(0.5 * angle)};
}

static inline quat quat_about_x(double angle) {
    return quat_about(vec3_of(1.0, 0.0, 0.0), angle);
}

static inline quat quat_about_y(double angle) {
    return quat_about(vec3_of(0.0, 1.0, 0.0), angle);
}

static inline quat quat_about_z(double angle) {
    return quat_about(vec3_of(0.0, 0.0, 1.0), angle);
}

// Returns the product; b is applied first.
static inline quat quat_multiply(quat a, quat b) {
    return (quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                  a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline quat quat_conjugate(quat q) {
    return (quat){-q.x, -q.y, -q.z, q.w};
}

static inline vec3 quat_rotate(quat q, vec3 v) {
    vec3 axis = {q.x, q.y, q.z};
    vec3 t = vec3_scale(vec3_cross(axis, v), 2.0);
    return vec3_add(vec3_add(v, vec3_scale(t, q.w)), vec3_cross(axis, t));
}

// Keeps the rotation's axis and scales its angle, the short way.
static inline quat quat_power(quat q, double t) {
    if (q.w < 0.0) {
        q = (quat){-q.x, -q.y, -q.z, -q.w};
    }
    vec3 axis = {q.x, q.y, q.z};
    double s = vec3_length(axis);
    if (s < 1e-12) {
        return quat_identity();
    }
    return quat_about(vec3_scale(axis, 1.0 / s), 2.0 * t * atan2(s, q.w));
}

// Returns the rotation that maps the right-handed frame of unit vectors x, y, cross(x, y) to that of u, v, cross(u, v).
quat quat_between_frames(vec3 x, vec3 y, vec3 u, vec3 v);

// Returns 0 below `from`, 1 above `to`, and a smooth rise between them.
static inline double smooth_rise(double from, double to, double t) {
    double s = (t - from) / (to - from);
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    return s * s * (3.0 - 2.0 * s);
}

// One point of a curve.
typedef struct curve_key {
    double at, value;
} curve_key;

// Evaluates a cubic through all keys, which are in ascending order. It does not overshoot: between two neighbouring
// keys, it stays between their values. Outside the keys it holds the end values. Source: F. Fritsch and J. Butland, "A
// Method for Constructing Local Monotone Piecewise Cubic Interpolants", 1984.
double curve_at(const curve_key *keys, size_t count, double t);

// Evaluates the same curve with period 1: keys are in [0, 1), t is any number.
double curve_around(const curve_key *keys, size_t count, double t);

#endif
