// Interpolation between transforms by choice: slerp or nlerp, on the shorter arc or between the quaternions as given,
// with geometric or linear scale; and powers of rotations outside 0 to 1.
#ifndef LMB_OPS_INTERPOLATION_H
#define LMB_OPS_INTERPOLATION_H

#include "transform.h"

// Bits of a choice.
#define CHOICE_NLERP 1u
#define CHOICE_LINEAR_SCALE 2u // else geometric
#define CHOICE_AS_GIVEN 4u     // not on the shorter arc
#define CHOICE_PARENT 8u       // an additive's rotation is the left factor
#define CHOICE_UNCLAMPED 16u   // weights from -4 to 4
#define CHOICE_MASKED 32u
#define CHOICE_LAYERS 64u    // layers whose weights differ by joint
#define CHOICE_PROFILES 128u // state weights differ by joint, by a transition's blend profile

// Squared length, 2^-20, of the sum of two unit quaternions below which they count as opposite.
#define QUATERNION_OPPOSITE 9.53674316e-07f

// Interpolates from a to b without negating either. If their dot product is negative, goes through their normalised
// sum, in two halves. Returns a if they are opposite.
OP quaternion quaternion_slerp_as_given(quaternion a, quaternion b, real t) {
    quaternion sum = quaternion_combine(a, b, SPLAT(1.0f), SPLAT(1.0f));
    quaternion middle = quaternion_normalize_or(sum, QUATERNION_OPPOSITE, a);
    lane_mask far = quaternion_dot(a, b) < 0.0f;
    lane_mask late = AND(far, t > 0.5f);
    lane_mask early = AND(far, NOT(t > 0.5f));
    real twice = t + t;
    real part = SELECT(late, twice - 1.0f, SELECT(early, twice, t));
    return quaternion_slerp(select_quaternion(late, middle, a), select_quaternion(early, middle, b), part);
}

// The normalised linear interpolation; a if its length vanishes.
OP quaternion quaternion_nlerp(quaternion a, quaternion b, real t, bool as_given) {
    lane_mask turns = quaternion_dot(a, b) < 0.0f;
    real to = t;
    if (!as_given) {
        to = SELECT(turns, -t, t);
    }
    quaternion sum = quaternion_combine(a, b, 1.0f - t, to);
    return quaternion_normalize_or(sum, QUATERNION_VANISHED, a);
}

OP quaternion quaternion_times_if(lane_mask condition, quaternion a, quaternion b) {
    quaternion product = quaternion_multiply(a, b);
    return select_quaternion(condition, quaternion_polish(product), a);
}

// q to any power from -4 to 4: splits the exponent into an integer and a fraction, and computes the integer power by
// repeated squaring. Unless `as_given`, negates q if q.w < 0, for the shorter arc. With `as_given`, if q.w < 0, raises
// the square root of q to twice the power instead, from -8 to 8.
OP quaternion quaternion_any_power(quaternion q, real power, bool as_given) {
    lane_mask turns = q.w < 0.0f;
    real exponent = power;
    quaternion none = all_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
    quaternion other = make_quaternion(-q.x, -q.y, -q.z, -q.w);
    if (as_given) {
        quaternion sum = make_quaternion(q.x, q.y, q.z, q.w + 1.0f);
        other = quaternion_normalize_or(sum, QUATERNION_OPPOSITE, none);
        exponent = SELECT(turns, power + power, power);
    }
    quaternion base = select_quaternion(turns, other, q);
    real whole = FLOOR(exponent);
    quaternion result = quaternion_power(base, exponent - whole);
    quaternion unit = select_quaternion(whole < 0.0f, quaternion_conjugate(base), base);
    word count = TO_WORD(magnitude_of(whole));
    quaternion second = quaternion_polish(quaternion_multiply(unit, unit));
    quaternion fourth = quaternion_polish(quaternion_multiply(second, second));
    quaternion eighth = quaternion_polish(quaternion_multiply(fourth, fourth));
    result = quaternion_times_if((count & 1u) != 0u, result, unit);
    result = quaternion_times_if((count & 2u) != 0u, result, second);
    result = quaternion_times_if((count & 4u) != 0u, result, fourth);
    return quaternion_times_if((count & 8u) != 0u, result, eighth);
}

// Returns exactly b if a equals b.
OP real lerp_scale(real a, real b, real t) {
    return SELECT(a == b, b, lerp(a, b, t));
}

OP vector interpolate_scales(vector a, vector b, real t, uint choice) {
    vector s = b;
    if ((choice & CHOICE_LINEAR_SCALE) == 0u) {
        s = blend_scales(a, b, t);
    } else if (USES_SCALE) {
        s = snap_vector(make_vector(lerp_scale(a.x, b.x, t), lerp_scale(a.y, b.y, t), lerp_scale(a.z, b.z, t)));
    }
    return s;
}

// Interpolates from a to b, for t from 0 to 1.
OP transform interpolate_transforms(transform a, transform b, real t, uint choice) {
    bool as_given = (choice & CHOICE_AS_GIVEN) != 0u;
    transform between;
    between.weight = a.weight;
    between.t = snap_between(lerp_vectors(a.t, b.t, t));
    if ((choice & CHOICE_NLERP) != 0u) {
        between.q = quaternion_nlerp(a.q, b.q, t, as_given);
    } else if (as_given) {
        between.q = quaternion_slerp_as_given(a.q, b.q, t);
    } else {
        between.q = quaternion_slerp(a.q, b.q, t);
    }
    between.q = rotation_at_end(between.q, b.q, t);
    between.s = interpolate_scales(a.s, b.s, t, choice);
    return between;
}

// Scales an additive by a factor from -4 to 4.
OP transform scale_transform(transform a, real factor, uint choice) {
    bool as_given = (choice & CHOICE_AS_GIVEN) != 0u;
    transform none = identity_transform();
    transform scaled;
    scaled.weight = a.weight;
    scaled.t = snap_vector(scale_vector(a.t, factor));
    if ((choice & CHOICE_NLERP) != 0u) {
        scaled.q = quaternion_nlerp(none.q, a.q, factor, as_given);
    } else {
        scaled.q = quaternion_any_power(a.q, factor, as_given);
    }
    scaled.s = interpolate_scales(none.s, a.s, factor, choice);
    return scaled;
}

// Adds translations, multiplies rotations (a b) and scales.
OP transform add_transforms(transform a, transform b) {
    transform sum;
    sum.weight = a.weight;
    sum.t = snap_vector(add_vectors(a.t, b.t));
    quaternion q = quaternion_multiply(a.q, b.q);
    sum.q = quaternion_polish(q);
    sum.s = snap_vector(make_vector(a.s.x * b.s.x, a.s.y * b.s.y, a.s.z * b.s.z));
    return sum;
}

// Subtracts translations, multiplies rotations (a b*), divides scales.
OP transform subtract_transforms(transform a, transform b) {
    transform difference;
    difference.weight = a.weight;
    difference.t = snap_vector(make_vector(a.t.x - b.t.x, a.t.y - b.t.y, a.t.z - b.t.z));
    quaternion q = quaternion_multiply(a.q, quaternion_conjugate(b.q));
    difference.q = quaternion_polish(q);
    difference.s = a.s;
    if (USES_SCALE) {
        difference.s = make_vector(divide_scale(a.s.x, b.s.x), divide_scale(a.s.y, b.s.y), divide_scale(a.s.z, b.s.z));
    }
    return difference;
}

#endif
