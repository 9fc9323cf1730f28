// Decomposes a matrix into translation, rotation and scale. A sheared one is the product of these, found by the
// Gram-Schmidt process, and of a shear that remains.
#include "gltf.h"

#include "math/matrix.h"
#include "math/quaternion.h"

#include <math.h>
#include <string.h>

// Max cosine of the angle between two axes that counts as a right angle. Rounding in exporters stays well below it.
#define LARGEST_COSINE 1e-4
// An axis this much shorter than the longest one has no usable direction.
#define SMALLEST_RATIO 1e-12
// Min sine of the angle between an axis and the plane of the others, below which it has no direction of its own.
#define SMALLEST_SINE 1e-6

static void scale(double v[3], double factor) {
    for (int i = 0; i < 3; i++) {
        v[i] *= factor;
    }
}

// Gives axes of length zero a direction, perpendicular to the others.
static void complete(double axes[3][3], const bool missing[3]) {
    int known = -1;
    for (int i = 0; i < 3; i++) {
        known = missing[i] ? known : i;
    }
    if (known < 0) {
        axes[0][0] = axes[1][1] = axes[2][2] = 1;
        return;
    }
    int next = (known + 1) % 3;
    int last = (known + 2) % 3;
    if (missing[next] && missing[last]) {
        const double other[3] = {fabs(axes[known][0]) < 0.6, !(fabs(axes[known][0]) < 0.6), 0};
        lmb_cross(axes[known], other, axes[next]);
        scale(axes[next], 1 / lmb_length(axes[next]));
    } else if (missing[next]) {
        lmb_cross(axes[last], axes[known], axes[next]);
    }
    if (missing[last]) {
        lmb_cross(axes[known], axes[next], axes[last]);
    }
}

// Shepperd's method: the largest of the four components is computed first, so nothing divides by a small one.
static void quaternion_of(double m[3][3], double q[4]) {
    const int i = m[0][0] >= m[1][1] && m[0][0] >= m[2][2] ? 0 : m[1][1] >= m[2][2] ? 1 : 2;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (m[0][0] + m[1][1] + m[2][2] > 0) {
        q[3] = sqrt(1 + m[0][0] + m[1][1] + m[2][2]) / 2;
        for (int n = 0; n < 3; n++) {
            q[n] = (m[(n + 1) % 3][(n + 2) % 3] - m[(n + 2) % 3][(n + 1) % 3]) / (4 * q[3]);
        }
        return;
    }
    double square = 1;
    for (int n = 0; n < 3; n++) {
        square += n == i ? m[n][n] : -m[n][n];
    }
    q[i] = sqrt(square) / 2;
    q[j] = (m[i][j] + m[j][i]) / (4 * q[i]);
    q[k] = (m[i][k] + m[k][i]) / (4 * q[i]);
    q[3] = (m[j][k] - m[k][j]) / (4 * q[i]);
}

static bool at_right_angles(const double a[3], const double b[3]) {
    return fabs(lmb_dot(a, b)) <= LARGEST_COSINE;
}

// Makes unit axes perpendicular. An axis between the others becomes zero and is missing.
static void straighten(double axes[3][3], bool missing[3]) {
    for (int i = 1; i < 3; i++) {
        for (int k = 0; k < i; k++) {
            const double cosine = lmb_dot(axes[i], axes[k]);
            for (int n = 0; n < 3; n++) {
                axes[i][n] -= cosine * axes[k][n];
            }
        }
        const double length = lmb_length(axes[i]);
        missing[i] = length < SMALLEST_SINE;
        scale(axes[i], missing[i] ? 0 : 1 / length);
    }
}

// Finds what a matrix has beside its transform: inverse(transform) * matrix.
static bool find_shear(const float matrix[16], const lmb_transform *transform, lmb_affine *shear) {
    lmb_affine whole, inverse;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            whole.m[row][column] = matrix[column * 4 + row];
        }
    }
    if (!lmb_affine_invert(lmb_affine_from_transform(*transform), &inverse)) {
        return false;
    }
    *shear = lmb_affine_multiply(inverse, whole);
    return true;
}

const char *lmb_gltf_decompose(const float matrix[16], lmb_transform *transform, lmb_affine *shear) {
    static const char sheared[] = "it is sheared, which no translation, rotation and scale can express";
    if (matrix[3] != 0 || matrix[7] != 0 || matrix[11] != 0 || matrix[15] != 1) {
        return "its last row is not 0 0 0 1";
    }
    double axes[3][3];
    double lengths[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            axes[i][k] = (double)matrix[i * 4 + k];
        }
        lengths[i] = lmb_length(axes[i]);
    }
    double longest = fmax(lengths[0], fmax(lengths[1], lengths[2]));
    bool missing[3];
    for (int i = 0; i < 3; i++) {
        missing[i] = lengths[i] <= longest * SMALLEST_RATIO;
        if (missing[i]) {
            memset(axes[i], 0, sizeof axes[i]);
        } else {
            scale(axes[i], 1 / lengths[i]);
        }
    }
    const bool is_sheared =
        !at_right_angles(axes[0], axes[1]) || !at_right_angles(axes[1], axes[2]) || !at_right_angles(axes[2], axes[0]);
    if (is_sheared && shear == NULL) {
        return sheared;
    }
    if (is_sheared) {
        straighten(axes, missing);
    }
    complete(axes, missing);
    for (int i = 0; i < 3 && is_sheared; i++) {
        const double column[3] = {matrix[i * 4], matrix[i * 4 + 1], matrix[i * 4 + 2]};
        lengths[i] = missing[i] ? longest : lmb_dot(axes[i], column);
    }
    double normal[3];
    lmb_cross(axes[0], axes[1], normal);
    if (lmb_dot(normal, axes[2]) < 0) {
        scale(axes[0], -1);
        lengths[0] = -lengths[0];
    }
    double q[4];
    quaternion_of(axes, q);
    lmb_quaternion_normalize(q);
    for (int i = 0; i < 4; i++) {
        transform->rotation[i] = (float)q[i];
    }
    for (int i = 0; i < 3; i++) {
        transform->translation[i] = matrix[12 + i];
        transform->scale[i] = (float)lengths[i];
    }
    return !is_sheared || find_shear(matrix, transform, shear) ? NULL : sheared;
}
