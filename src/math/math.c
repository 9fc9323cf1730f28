// Public functions on transforms and matrices use the operations of the kernels, so a host computes the same bits as a
// frame. The inverse of a matrix and the length of a rotation are only needed while objects are created. They are
// computed in double precision.
#include "matrix.h"
#include "value.h"

#include <math.h>
#include <string.h>

lmb_transform lmb_transform_identity(void) {
    return (lmb_transform){{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}, {1.0f, 1.0f, 1.0f}};
}

lmb_affine lmb_affine_identity(void) {
    return (lmb_affine){{{1.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f, 0.0f}}};
}

lmb_transform lmb_transform_multiply(lmb_transform a, lmb_transform b) {
    return lmb_from_op_transform(transform_multiply(lmb_to_op_transform(a), lmb_to_op_transform(b)));
}

lmb_affine lmb_affine_from_transform(lmb_transform a) {
    return lmb_from_op_affine(snap_affine(affine_from_transform(lmb_to_op_transform(a))));
}

lmb_affine lmb_affine_multiply(lmb_affine a, lmb_affine b) {
    return lmb_from_op_affine(snap_affine(affine_multiply(lmb_to_op_affine(a), lmb_to_op_affine(b))));
}

bool lmb_affine_invert(lmb_affine given, lmb_affine *inverse) {
    const matrix m = lmb_matrix_from(&given);
    matrix c;
    const double determinant = lmb_matrix_cofactors(&m, &c);
    *inverse = lmb_affine_identity();
    if (determinant == 0.0 || !isfinite(determinant)) {
        return false;
    }
    lmb_affine result;
    for (int row = 0; row < 3; row++) {
        double moved = 0.0;
        for (int column = 0; column < 3; column++) {
            double entry = c.m[column][row] / determinant;
            result.m[row][column] = (float)entry;
            moved -= entry * m.m[column][3];
        }
        result.m[row][3] = (float)moved;
    }
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            if (!(fabsf(result.m[row][column]) <= LMB_LARGEST)) {
                return false;
            }
            result.m[row][column] = snap(result.m[row][column]);
        }
    }
    *inverse = result;
    return true;
}

void lmb_quaternion_slerp(const float a[4], const float b[4], float t, float result[4]) {
    quaternion from = make_quaternion(a[0], a[1], a[2], a[3]);
    quaternion to = make_quaternion(b[0], b[1], b[2], b[3]);
    quaternion q = quaternion_slerp(from, to, clamp_real(t, 0.0f, 1.0f));
    memcpy(result, &q, sizeof q);
}

double lmb_rotation_length(const float rotation[4]) {
    double square = 0.0;
    for (int i = 0; i < 4; i++) {
        square += (double)rotation[i] * (double)rotation[i];
    }
    return sqrt(square);
}

bool lmb_normalize_rotation(const float given[4], float unit[4]) {
    const double length = lmb_rotation_length(given);
    // Snapping makes every component of a shorter quaternion 0.
    if (!(length >= 0x1p-40)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        unit[i] = snap((float)((double)given[i] / length));
    }
    return true;
}

lmb_transform lmb_snap_transform(const lmb_transform *given) {
    lmb_transform snapped = lmb_from_op_transform(snap_given(lmb_to_op_transform(*given)));
    lmb_normalize_rotation(given->rotation, snapped.rotation);
    return snapped;
}

bool lmb_usable(const float *values, size_t count, size_t *offender) {
    for (size_t i = 0; i < count; i++) {
        // NaN fails this comparison, too.
        if (!(fabsf(values[i]) <= LMB_LARGEST)) {
            *offender = i;
            return false;
        }
    }
    return true;
}
