// Sine, cosine and arc tangent for hosts, by the arithmetic of the kernels.
//
// The arc tangent is that of the smaller of both magnitudes over the larger one, z. Above tan(pi / 8) it is pi / 4 plus
// that of (z - 1) / (z + 1). So a polynomial has to hold only up to tan(pi / 8): z (1 + z^2 p(z^2)), where p has degree
// 3 and is fitted for the smallest error, 2.2e-8. Octants follow from the signs and from which magnitude is larger.
#include "inline_ops.h"

#include "../../shaders/ops/motion.h"

#include <limber/math.h>

#define QUARTER_OF_PI 0.785398163f
#define HALF_OF_PI 1.57079633f
#define PI 3.14159265f

static direction direction_of_radians(float radians) {
    return direction_of_angle(angle_of_turns(turns_of_radians(snap(radians))));
}

float lmb_sine(float radians) {
    return snap(direction_of_radians(radians).sine);
}

float lmb_cosine(float radians) {
    return snap(direction_of_radians(radians).cosine);
}

// For z from 0 to 1.
static float first_octant(float z) {
    const bool is_far = z > 0.414213562f;
    const float x = is_far ? (z - 1.0f) * reciprocal(z + 1.0f) : z;
    const float square = x * x;
    float p = 0.0790267661f * square - 0.138244823f;
    p = p * square + 0.199718833f;
    p = p * square - 0.333327562f;
    const float angle = x + (x * square) * p;
    return is_far ? QUARTER_OF_PI + angle : angle;
}

float lmb_arc_tangent(float y, float x) {
    const float across = snap(y), along = snap(x);
    const float up = magnitude_of(across), right = magnitude_of(along);
    const bool is_steep = up > right;
    float angle = first_octant(is_steep ? right * reciprocal(up) : up * reciprocal(right));
    angle = is_steep ? HALF_OF_PI - angle : angle;
    angle = along < 0.0f ? PI - angle : angle;
    return snap(across < 0.0f ? -angle : angle);
}
