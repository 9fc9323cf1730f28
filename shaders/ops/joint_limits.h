// Clamps the transform of a joint to its limits. The table is component-major and has the values that
// src/rig/joint_limits.c derives from them for each joint: sines and cosines of half angles, so that angles are
// compared and clamped without trigonometry.
#ifndef LMB_OPS_LIMITS_H
#define LMB_OPS_LIMITS_H

#include "layout.h"

RECORD(LIMIT)
uint flags;
WORDS(3, low_translation); // [3], absolute
WORDS(3, high_translation);
WORDS(3, low_scale);
WORDS(3, high_scale);
WORDS(18, rotation);
END_RECORD(LIMIT, 31)

// The flags. The twist axis is stored from bit LIMITS_AXIS on.
#define LIMITS_TRANSLATION 1u
#define LIMITS_SCALE 2u
#define LIMITS_SWING_TWIST 4u
#define LIMITS_ANGLES 8u
#define LIMITS_AXIS 8u

// From LIMIT.rotation on, for swing and twist: sine and cosine of half of the twist range's middle, of a quarter of its
// width, of half of its maximum and of its minimum angle, and of half of the swing.
RECORD(SWING_TWIST)
WORDS(2, middle);
WORDS(2, width);
WORDS(2, max);
WORDS(2, min);
WORDS(2, swing);
END_RECORD(SWING_TWIST, 10)

// For angles about axes, six values per axis: tangents of half of the minimum and the maximum, then sine and cosine of
// half of the minimum and of the maximum.
RECORD(LIMITED_ANGLE)
WORDS(2, middle);
WORDS(2, min);
WORDS(2, max);
END_RECORD(LIMITED_ANGLE, 6)

// Rotations that exceed a limit by less than this count as inside, so that clamping again changes nothing: the sine of
// half of the angle, in terms of quaternion components.
#define LIMIT_TOLERANCE 9.99999997e-07f
// 2^-20, and its square. A twist part that is shorter than this counts as no twist. A w below this is raised to it.
#define LIMIT_SMALL 9.53674316e-07f
#define LIMIT_SMALL_SQUARE 9.09494702e-13f

OP float load_limit(memory program, uint at, uint joints, uint component) {
    return LOAD_FLOAT(program, at + component * joints);
}

OP vector limit_vector(memory program, uint low, uint high, uint joints, vector v) {
    return make_vector(
        clamp_real(v.x, LOAD_FLOAT(program, low), LOAD_FLOAT(program, high)),
        clamp_real(v.y, LOAD_FLOAT(program, low + joints), LOAD_FLOAT(program, high + joints)),
        clamp_real(v.z, LOAD_FLOAT(program, low + 2u * joints), LOAD_FLOAT(program, high + 2u * joints)));
}

STRUCT(limited)
quaternion q;
lane_mask outside;
END_STRUCT(limited)

// Splits r = swing * twist about x, and clamps both independently. `at` is the offset of LIMIT.rotation's first
// component.
OP limited limit_swing_twist(memory program, uint at, uint joints, quaternion r) {
    real square = r.x * r.x + r.w * r.w;
    real inverse = reciprocal_root(square);
    lane_mask twists = square >= LIMIT_SMALL_SQUARE;
    real x = SELECT(twists, r.x * inverse, SPLAT(0.0f));
    real w = SELECT(twists, r.w * inverse, SPLAT(1.0f));

    // The sine and cosine of half of the angle from the middle of the range, and how far it is beyond the range's end.
    float middle_sine = load_limit(program, at, joints, FIELD(SWING_TWIST, middle));
    float middle_cosine = load_limit(program, at, joints, FIELD(SWING_TWIST, middle) + 1u);
    real sine = x * middle_cosine - w * middle_sine;
    real cosine = x * middle_sine + w * middle_cosine;
    float width_sine = load_limit(program, at, joints, FIELD(SWING_TWIST, width));
    float width_cosine = load_limit(program, at, joints, FIELD(SWING_TWIST, width) + 1u);
    real twist_beyond = magnitude_of(sine) * width_cosine - magnitude_of(cosine) * width_sine;
    lane_mask turned = cosine < 0.0f;
    lane_mask high = OR(cosine == 0.0f, SELECT(turned, -sine, sine) >= 0.0f);
    real edge_x = SELECT(high, SPLAT(load_limit(program, at, joints, FIELD(SWING_TWIST, max))),
                         SPLAT(load_limit(program, at, joints, FIELD(SWING_TWIST, min))));
    real edge_w = SELECT(high, SPLAT(load_limit(program, at, joints, FIELD(SWING_TWIST, max) + 1u)),
                         SPLAT(load_limit(program, at, joints, FIELD(SWING_TWIST, min) + 1u)));
    lane_mask twist_outside = twist_beyond > 0.0f;
    real twist_x = SELECT(twist_outside, SELECT(turned, -edge_x, edge_x), x);
    real twist_w = SELECT(twist_outside, SELECT(turned, -edge_w, edge_w), w);

    real y = snap_small(r.y * w - r.z * x);
    real z = snap_small(r.z * w + r.y * x);
    real swing = r.w * w + r.x * x;
    real across = y * y + z * z;
    real inverse_length = reciprocal_root(across);
    float swing_sine = load_limit(program, at, joints, FIELD(SWING_TWIST, swing));
    float swing_cosine = load_limit(program, at, joints, FIELD(SWING_TWIST, swing) + 1u);
    real swing_beyond = (across * inverse_length) * swing_cosine - swing * swing_sine;
    lane_mask swing_outside = AND(swing_beyond > 0.0f, across > 0.0f);
    real factor = SELECT(swing_outside, inverse_length * swing_sine, SPLAT(1.0f));
    real swing_y = y * factor;
    real swing_z = z * factor;
    real swing_w = SELECT(swing_outside, SPLAT(swing_cosine), swing);

    limited held;
    real twist_part = twist_beyond * swing;
    held.outside = OR(twist_part > LIMIT_TOLERANCE, swing_beyond > LIMIT_TOLERANCE);
    held.q = make_quaternion(swing_w * twist_x, swing_y * twist_w + swing_z * twist_x,
                             swing_z * twist_w - swing_y * twist_x, swing_w * twist_w);
    return held;
}

STRUCT(limited_angle)
real x;
lane_mask outside;
END_STRUCT(limited_angle)

// Clamps the component of a rotation about an axis, relative to w.
OP limited_angle limit_angle(memory program, uint at, uint joints, real x, real w) {
    real low = w * load_limit(program, at, joints, 0u);
    real high = w * load_limit(program, at, joints, 1u);
    real below = w * load_limit(program, at, joints, 2u) - x * load_limit(program, at, joints, 3u);
    real above = x * load_limit(program, at, joints, 5u) - w * load_limit(program, at, joints, 4u);
    limited_angle held;
    held.outside = OR(below > LIMIT_TOLERANCE, above > LIMIT_TOLERANCE);
    real raised = SELECT(x < low, low, x);
    held.x = snap_number(SELECT(raised > high, high, raised));
    return held;
}

OP limited limit_angles(memory program, uint at, uint joints, quaternion r) {
    lane_mask turned = r.w < 0.0f;
    quaternion opposite = make_quaternion(-r.x, -r.y, -r.z, -r.w);
    quaternion p = select_quaternion(turned, opposite, r);
    real w = SELECT(p.w < LIMIT_SMALL, SPLAT(LIMIT_SMALL), p.w);
    limited_angle x = limit_angle(program, at, joints, p.x, w);
    limited_angle y = limit_angle(program, at + WORDS_OF(LIMITED_ANGLE) * joints, joints, p.y, w);
    limited_angle z = limit_angle(program, at + 2u * WORDS_OF(LIMITED_ANGLE) * joints, joints, p.z, w);
    quaternion q = make_quaternion(x.x, y.x, z.x, w);
    quaternion unit = quaternion_normalize(q);
    quaternion back = make_quaternion(-unit.x, -unit.y, -unit.z, -unit.w);
    limited held;
    held.outside = OR(x.outside, OR(y.outside, z.outside));
    held.q = select_quaternion(turned, back, unit);
    return held;
}

// Permutes the components cyclically so that the axis becomes x; and back.
OP quaternion axis_to_x(quaternion q, uint axis) {
    quaternion turned = q;
    if (axis == 1u) {
        turned = make_quaternion(q.y, q.z, q.x, q.w);
    }
    if (axis == 2u) {
        turned = make_quaternion(q.z, q.x, q.y, q.w);
    }
    return turned;
}

OP quaternion axis_from_x(quaternion q, uint axis) {
    quaternion turned = q;
    if (axis == 1u) {
        turned = make_quaternion(q.z, q.x, q.y, q.w);
    }
    if (axis == 2u) {
        turned = make_quaternion(q.y, q.z, q.x, q.w);
    }
    return turned;
}

// Clamps a rotation relative to the rest pose. A rotation inside of the limits is returned unchanged, bit by bit.
OP quaternion limit_rotation(memory program, uint at, uint joints, uint flags, quaternion rest, quaternion q) {
    quaternion inverse = quaternion_conjugate(rest);
    quaternion r = snap_rotation(quaternion_multiply(inverse, q));
    limited held;
    if ((flags & LIMITS_ANGLES) != 0u) {
        held = limit_angles(program, at, joints, r);
    } else {
        uint axis = (flags >> LIMITS_AXIS) & 3u;
        held = limit_swing_twist(program, at, joints, axis_to_x(r, axis));
        held.q = axis_from_x(held.q, axis);
    }
    quaternion clamped = quaternion_polish(quaternion_multiply(rest, held.q));
    return select_quaternion(held.outside, clamped, q);
}

// `record` is the offset of the joint's first component in the table.
OP transform limit_transform(memory program, uint record, uint joints, transform rest, transform a) {
    uint flags = LOAD(program, record);
    transform held = a;
    if ((flags & LIMITS_TRANSLATION) != 0u) {
        held.t = limit_vector(program, record + FIELD(LIMIT, low_translation) * joints,
                              record + FIELD(LIMIT, high_translation) * joints, joints, a.t);
    }
    if ((flags & (LIMITS_SWING_TWIST | LIMITS_ANGLES)) != 0u) {
        held.q = limit_rotation(program, record + FIELD(LIMIT, rotation) * joints, joints, flags, rest.q, a.q);
    }
    if (USES_SCALE && (flags & LIMITS_SCALE) != 0u) {
        held.s = limit_vector(program, record + FIELD(LIMIT, low_scale) * joints,
                              record + FIELD(LIMIT, high_scale) * joints, joints, a.s);
    }
    return held;
}

#endif
