// Rotations of float64, as quaternions x, y, z, w. A result may be stored over an argument.
#ifndef LMB_QUATERNION_H
#define LMB_QUATERNION_H

#include "float64.h"

static inline void lmb_quaternion_multiply(const double a[4], const double b[4], double product[4]) {
    const double x = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    const double y = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    const double z = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    product[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    product[0] = x;
    product[1] = y;
    product[2] = z;
}

static inline void lmb_quaternion_conjugate(const double q[4], double inverse[4]) {
    for (int i = 0; i < 4; i++) {
        inverse[i] = i < 3 ? -q[i] : q[i];
    }
}

// Makes 0 the identity.
static inline void lmb_quaternion_normalize(double q[4]) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) {
        q[i] = length > 0.0 ? q[i] / length : i == 3 ? 1.0 : 0.0;
    }
}

// Converts and normalises.
static inline void lmb_quaternion_from(const float given[4], double q[4]) {
    for (int i = 0; i < 4; i++) {
        q[i] = (double)given[i];
    }
    lmb_quaternion_normalize(q);
}

// Finds the weights of two unit quaternions in their slerp as far as `u`, the short way. `dot` is their dot product.
static inline void lmb_slerp_weights(double dot, double u, double weights[2]) {
    const double angle = lmb_arc_cosine64(fmin(fabs(dot), 1.0)), sine = lmb_sine64(angle),
                 sign = dot < 0.0 ? -1.0 : 1.0;
    weights[0] = sine > 1e-6 ? lmb_sine64((1.0 - u) * angle) / sine : 1.0 - u;
    weights[1] = sign * (sine > 1e-6 ? lmb_sine64(u * angle) / sine : u);
}

// The rotation about y by an angle in radians.
static inline void lmb_quaternion_from_yaw(double yaw, double q[4]) {
    q[0] = q[2] = 0.0;
    q[1] = lmb_sine64(0.5 * yaw);
    q[3] = lmb_cosine64(0.5 * yaw);
}

// Rotates a vector by a unit quaternion.
static inline void lmb_quaternion_rotate(const double q[4], const double v[3], double rotated[3]) {
    const double c[3] = {q[1] * v[2] - q[2] * v[1] + q[3] * v[0], q[2] * v[0] - q[0] * v[2] + q[3] * v[1],
                         q[0] * v[1] - q[1] * v[0] + q[3] * v[2]};
    rotated[0] = v[0] + 2.0 * (q[1] * c[2] - q[2] * c[1]);
    rotated[1] = v[1] + 2.0 * (q[2] * c[0] - q[0] * c[2]);
    rotated[2] = v[2] + 2.0 * (q[0] * c[1] - q[1] * c[0]);
}

#endif
