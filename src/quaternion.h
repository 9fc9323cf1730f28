// Rotations of float64, as quaternions x, y, z, w.
#ifndef LMB_QUATERNION_H
#define LMB_QUATERNION_H

#include <math.h>

// The product may be one of the factors.
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

static inline void lmb_quaternion_normalize(double q[4]) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) {
        q[i] /= length;
    }
}

#endif
