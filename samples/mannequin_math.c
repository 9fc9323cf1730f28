// Rotations between frames, and monotone cubic curves.
#include "mannequin_math.h"

quat quat_between_frames(vec3 x, vec3 y, vec3 u, vec3 v) {
    vec3 z = vec3_cross(x, y);
    vec3 w = vec3_cross(u, v);
    // The matrix that maps the frame (x, y, z) to (u, v, w). The quaternion is then computed from its component with
    // the max magnitude.
    double m[3][3] = {
        {u.x * x.x + v.x * y.x + w.x * z.x, u.x * x.y + v.x * y.y + w.x * z.y, u.x * x.z + v.x * y.z + w.x * z.z},
        {u.y * x.x + v.y * y.x + w.y * z.x, u.y * x.y + v.y * y.y + w.y * z.y, u.y * x.z + v.y * y.z + w.y * z.z},
        {u.z * x.x + v.z * y.x + w.z * z.x, u.z * x.y + v.z * y.y + w.z * z.y, u.z * x.z + v.z * y.z + w.z * z.z}};
    double squares[4] = {1.0 + m[0][0] - m[1][1] - m[2][2], 1.0 - m[0][0] + m[1][1] - m[2][2],
                         1.0 - m[0][0] - m[1][1] + m[2][2], 1.0 + m[0][0] + m[1][1] + m[2][2]};
    int largest = 0;
    for (int i = 1; i < 4; i++) {
        largest = squares[i] > squares[largest] ? i : largest;
    }
    double s = 0.5 / sqrt(squares[largest]);
    switch (largest) {
    case 0:
        return (quat){squares[0] * s, (m[0][1] + m[1][0]) * s, (m[0][2] + m[2][0]) * s, (m[2][1] - m[1][2]) * s};
    case 1:
        return (quat){(m[0][1] + m[1][0]) * s, squares[1] * s, (m[1][2] + m[2][1]) * s, (m[0][2] - m[2][0]) * s};
    case 2:
        return (quat){(m[0][2] + m[2][0]) * s, (m[1][2] + m[2][1]) * s, squares[2] * s, (m[1][0] - m[0][1]) * s};
    default:
        return (quat){(m[2][1] - m[1][2]) * s, (m[0][2] - m[2][0]) * s, (m[1][0] - m[0][1]) * s, squares[3] * s};
    }
}

// Returns the slope at b of the monotone cubic through a, b, c.
static double slope_at(curve_key a, curve_key b, curve_key c) {
    double left = b.at - a.at;
    double right = c.at - b.at;
    double before = (b.value - a.value) / left;
    double after = (c.value - b.value) / right;
    if (before * after <= 0.0) {
        return 0.0;
    }
    double share = (left + 2.0 * right) / (3.0 * (left + right));
    return before * after / (share * after + (1.0 - share) * before);
}

static double hermite(curve_key a, curve_key b, double slope_a, double slope_b, double t) {
    double span = b.at - a.at;
    double s = (t - a.at) / span;
    double r = 1.0 - s;
    return r * r * (1.0 + 2.0 * s) * a.value + s * s * (3.0 - 2.0 * s) * b.value +
           span * s * r * (r * slope_a - s * slope_b);
}

double curve_at(const curve_key *keys, size_t count, double t) {
    if (t <= keys[0].at) {
        return keys[0].value;
    }
    if (t >= keys[count - 1].at) {
        return keys[count - 1].value;
    }
    size_t i = 0;
    while (t > keys[i + 1].at) {
        i++;
    }
    double slope_a = i > 0 ? slope_at(keys[i - 1], keys[i], keys[i + 1]) : 0.0;
    double slope_b = i + 2 < count ? slope_at(keys[i], keys[i + 1], keys[i + 2]) : 0.0;
    return hermite(keys[i], keys[i + 1], slope_a, slope_b, t);
}

static curve_key key_around(const curve_key *keys, size_t count, ptrdiff_t index) {
    double turn = 0.0;
    for (; index < 0; index += (ptrdiff_t)count) {
        turn -= 1.0;
    }
    for (; index >= (ptrdiff_t)count; index -= (ptrdiff_t)count) {
        turn += 1.0;
    }
    return (curve_key){keys[index].at + turn, keys[index].value};
}

double curve_around(const curve_key *keys, size_t count, double t) {
    t -= floor(t);
    ptrdiff_t i = -1;
    while (i + 1 < (ptrdiff_t)count && t > keys[i + 1].at) {
        i++;
    }
    curve_key before = key_around(keys, count, i - 1);
    curve_key a = key_around(keys, count, i);
    curve_key b = key_around(keys, count, i + 1);
    curve_key after = key_around(keys, count, i + 2);
    return hermite(a, b, slope_at(before, a, b), slope_at(a, b, after), t);
}
