// Decomposes a matrix into translation, rotation and scale.
#include "gltf.h"

#include <math.h>

// Max cosine of the angle between two axes that counts as a right angle. Rounding in exporters stays well below it.
#define LARGEST_COSINE 1e-4
// An axis this much shorter than the longest one has no usable direction.
#define SMALLEST_RATIO 1e-12

typedef struct vector {
    double x, y, z;
} vector;

static double dot(vector a, vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vector cross(vector a, vector b) {
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static vector scaled(vector a, double factor) {
    return (vector){a.x * factor, a.y * factor, a.z * factor};
}

static vector perpendicular(vector a) {
    vector min = fabs(a.x) < 0.6 ? (vector){1, 0, 0} : (vector){0, 1, 0};
    vector b = cross(a, min);
    return scaled(b, 1 / sqrt(dot(b, b)));
}

// Gives axes of length zero a direction, perpendicular to the others.
static void complete(vector axes[3], const bool missing[3]) {
    int known = -1;
    for (int i = 0; i < 3; i++) {
        known = missing[i] ? known : i;
    }
    if (known < 0) {
        axes[0] = (vector){1, 0, 0};
        axes[1] = (vector){0, 1, 0};
        axes[2] = (vector){0, 0, 1};
        return;
    }
    int next = (known + 1) % 3;
    int last = (known + 2) % 3;
    if (missing[next] && missing[last]) {
        axes[next] = perpendicular(axes[known]);
    } else if (missing[next]) {
        axes[next] = cross(axes[last], axes[known]);
    }
    if (missing[last]) {
        axes[last] = cross(axes[known], axes[next]);
    }
}

// Shepperd's method: the largest of the four components is computed first, so nothing divides by a small one.
static void quaternion_of(const vector axes[3], double q[4]) {
    double xx = axes[0].x;
    double yy = axes[1].y;
    double zz = axes[2].z;
    if (xx + yy + zz > 0) {
        q[3] = sqrt(1 + xx + yy + zz) / 2;
        q[0] = (axes[1].z - axes[2].y) / (4 * q[3]);
        q[1] = (axes[2].x - axes[0].z) / (4 * q[3]);
        q[2] = (axes[0].y - axes[1].x) / (4 * q[3]);
    } else if (xx >= yy && xx >= zz) {
        q[0] = sqrt(1 + xx - yy - zz) / 2;
        q[1] = (axes[0].y + axes[1].x) / (4 * q[0]);
        q[2] = (axes[2].x + axes[0].z) / (4 * q[0]);
        q[3] = (axes[1].z - axes[2].y) / (4 * q[0]);
    } else if (yy >= zz) {
        q[1] = sqrt(1 - xx + yy - zz) / 2;
        q[0] = (axes[0].y + axes[1].x) / (4 * q[1]);
        q[2] = (axes[1].z + axes[2].y) / (4 * q[1]);
        q[3] = (axes[2].x - axes[0].z) / (4 * q[1]);
    } else {
        q[2] = sqrt(1 - xx - yy + zz) / 2;
        q[0] = (axes[2].x + axes[0].z) / (4 * q[2]);
        q[1] = (axes[1].z + axes[2].y) / (4 * q[2]);
        q[3] = (axes[0].y - axes[1].x) / (4 * q[2]);
    }
}

static bool at_right_angles(vector a, vector b) {
    return fabs(dot(a, b)) <= LARGEST_COSINE;
}

const char *lmb_gltf_decompose(const float matrix[16], lmb_transform *transform) {
    if (matrix[3] != 0 || matrix[7] != 0 || matrix[11] != 0 || matrix[15] != 1) {
        return "its last row is not 0 0 0 1";
    }
    vector axes[3];
    double lengths[3];
    for (int i = 0; i < 3; i++) {
        axes[i] = (vector){matrix[i * 4], matrix[i * 4 + 1], matrix[i * 4 + 2]};
        lengths[i] = sqrt(dot(axes[i], axes[i]));
    }
    double longest = fmax(lengths[0], fmax(lengths[1], lengths[2]));
    bool missing[3];
    for (int i = 0; i < 3; i++) {
        missing[i] = lengths[i] <= longest * SMALLEST_RATIO;
        axes[i] = missing[i] ? (vector){0, 0, 0} : scaled(axes[i], 1 / lengths[i]);
    }
    if (!at_right_angles(axes[0], axes[1]) || !at_right_angles(axes[1], axes[2]) ||
        !at_right_angles(axes[2], axes[0])) {
        return "it is sheared, which no translation, rotation and scale can express";
    }
    complete(axes, missing);
    if (dot(cross(axes[0], axes[1]), axes[2]) < 0) {
        axes[0] = scaled(axes[0], -1);
        lengths[0] = -lengths[0];
    }
    double q[4];
    quaternion_of(axes, q);
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) {
        transform->rotation[i] = (float)(q[i] / norm);
    }
    for (int i = 0; i < 3; i++) {
        transform->translation[i] = matrix[12 + i];
        transform->scale[i] = (float)lengths[i];
    }
    return NULL;
}
