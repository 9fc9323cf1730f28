// Quaternions x, y, z, w. Rotations are unit quaternions; q and -q are the same rotation.
#ifndef LMB_OPS_QUATERNION_H
#define LMB_OPS_QUATERNION_H

#include "number.h"

STRUCT(quaternion)
real x;
real y;
real z;
real w;
END_STRUCT(quaternion)

OP quaternion make_quaternion(real x, real y, real z, real w) {
    quaternion q;
    q.x = x;
    q.y = y;
    q.z = z;
    q.w = w;
    return q;
}

OP quaternion all_quaternion(float x, float y, float z, float w) {
    return make_quaternion(SPLAT(x), SPLAT(y), SPLAT(z), SPLAT(w));
}

OP quaternion select_quaternion(lane_mask condition, quaternion yes, quaternion no) {
    return make_quaternion(SELECT(condition, yes.x, no.x), SELECT(condition, yes.y, no.y),
                           SELECT(condition, yes.z, no.z), SELECT(condition, yes.w, no.w));
}

OP quaternion snap_quaternion(quaternion q) {
    return make_quaternion(snap_number(q.x), snap_number(q.y), snap_number(q.z), snap_number(q.w));
}

// Snaps a quaternion of about unit length or shorter.
OP quaternion snap_rotation(quaternion q) {
    return make_quaternion(snap_small(q.x), snap_small(q.y), snap_small(q.z), snap_small(q.w));
}

OP real quaternion_dot(quaternion a, quaternion b) {
    real xy = a.x * b.x + a.y * b.y;
    real zw = a.z * b.z + a.w * b.w;
    return xy + zw;
}

OP quaternion quaternion_conjugate(quaternion q) {
    return make_quaternion(-q.x, -q.y, -q.z, q.w);
}

// a b: b is applied first.
OP quaternion quaternion_multiply(quaternion a, quaternion b) {
    real x = ((a.w * b.x + a.x * b.w) + a.y * b.z) - a.z * b.y;
    real y = ((a.w * b.y + a.y * b.w) + a.z * b.x) - a.x * b.z;
    real z = ((a.w * b.z + a.z * b.w) + a.x * b.y) - a.y * b.x;
    real w = ((a.w * b.w - a.x * b.x) - a.y * b.y) - a.z * b.z;
    return make_quaternion(x, y, z, w);
}

OP quaternion quaternion_scale(quaternion q, real factor) {
    return make_quaternion(q.x * factor, q.y * factor, q.z * factor, q.w * factor);
}

// A sum of rotations with a squared length below this, 2^-40, counts as vanished.
#define QUATERNION_VANISHED 9.09494702e-13f

// The unit quaternion, snapped, or `otherwise` if the squared length is below `smallest`. Components must be at most
// 2^40.
OP quaternion quaternion_normalize_or(quaternion q, float smallest, quaternion otherwise) {
    real square = quaternion_dot(q, q);
    quaternion unit = quaternion_scale(q, reciprocal_root(square));
    return select_quaternion(square < smallest, otherwise, snap_rotation(unit));
}

// Normalises a quaternion that is known not to vanish, and snaps it.
OP quaternion quaternion_normalize(quaternion q) {
    quaternion unit = quaternion_scale(q, reciprocal_root(quaternion_dot(q, q)));
    return snap_rotation(unit);
}

// Normalises a quaternion that has unit length except for rounding, as products and slerps of unit quaternions have,
// and snaps it: one Newton step towards the reciprocal root, from 1.
OP quaternion quaternion_polish(quaternion q) {
    real factor = 1.5f - 0.5f * quaternion_dot(q, q);
    return snap_rotation(quaternion_scale(q, factor));
}

// sin(t angle) / sin(angle) for cos(angle) = 1 + x1 in [0, 1], t in [0, 1], to 1.5e-7 before rounding; exact at both
// ends of t. Eberly's series in t^2 and x1 with 14 terms, the last one scaled by 1.90659 to spread the error evenly.
OP real slerp_coefficient(real t, real x1) {
    real square = t * t;
    real c = 1.0f + (0.00469603622f * square - 0.92042309f) * x1;
    c = 1.0f + ((0.00284900283f * square - 0.481481493f) * x1) * c;
    c = 1.0f + ((0.00333333341f * square - 0.479999989f) * x1) * c;
    c = 1.0f + ((0.00395256933f * square - 0.478260875f) * x1) * c;
    c = 1.0f + ((0.00476190494f * square - 0.476190478f) * x1) * c;
    c = 1.0f + ((0.00584795326f * square - 0.473684222f) * x1) * c;
    c = 1.0f + ((0.0073529412f * square - 0.470588237f) * x1) * c;
    c = 1.0f + ((0.00952380989f * square - 0.466666669f) * x1) * c;
    c = 1.0f + ((0.012820513f * square - 0.461538464f) * x1) * c;
    c = 1.0f + ((0.0181818176f * square - 0.454545468f) * x1) * c;
    c = 1.0f + ((0.027777778f * square - 0.444444448f) * x1) * c;
    c = 1.0f + ((0.0476190485f * square - 0.428571433f) * x1) * c;
    c = 1.0f + ((0.100000001f * square - 0.400000006f) * x1) * c;
    c = 1.0f + ((0.333333343f * square - 0.333333343f) * x1) * c;
    return t * c;
}

// The terms of the near coefficient that depend only on t: keys of several tracks share them.
STRUCT(slerp_terms)
real t;
real first;
real second;
real third;
END_STRUCT(slerp_terms)

OP slerp_terms slerp_prepare(real t) {
    real square = t * t;
    slerp_terms terms;
    terms.t = t;
    terms.first = 0.333333343f * square - 0.333333343f;
    terms.second = 0.100000001f * square - 0.400000006f;
    terms.third = 0.0496280007f * square - 0.446651995f;
    return terms;
}

// The coefficient for cosines of at least 0.9, rotations up to 51 degrees, to 8e-8 before rounding: three terms, the
// last one scaled by 1.04219.
OP real slerp_coefficient_near(slerp_terms terms, real x1) {
    real c = 1.0f + terms.third * x1;
    c = 1.0f + (terms.second * x1) * c;
    c = 1.0f + (terms.first * x1) * c;
    return terms.t * c;
}

OP quaternion quaternion_combine(quaternion a, quaternion b, real from, real to) {
    return make_quaternion(a.x * from + b.x * to, a.y * from + b.y * to, a.z * from + b.z * to, a.w * from + b.w * to);
}

// The factors of a and b in an interpolation. That of b is negated if the shorter arc requires it.
STRUCT(slerp_weights)
real from;
real to;
END_STRUCT(slerp_weights)

// `near` promises that the magnitude of the cosine is at least 0.9. Otherwise each lane's own angle decides.
OP slerp_weights slerp_weigh(real cosine, slerp_terms from, slerp_terms to, bool near) {
    // Rounding can raise the cosine of equal rotations above 1.
    real x1 = LESSER(magnitude_of(cosine) - 1.0f, 0.0f);
    slerp_weights weights;
    weights.from = slerp_coefficient_near(from, x1);
    weights.to = slerp_coefficient_near(to, x1);
    lane_mask far = x1 < -0.1f;
    if (!near && ANY(far)) {
        real far_from = slerp_coefficient(from.t, x1);
        real far_to = slerp_coefficient(to.t, x1);
        weights.from = SELECT(far, far_from, weights.from);
        weights.to = SELECT(far, far_to, weights.to);
    }
    if (!USES_FAR && near) {
        weights.to = REAL(BITS(weights.to) ^ (BITS(cosine) & BITS_SIGN)); // the cosine is not zero then
    } else {
        // By comparison, because the sign of a zero may differ between devices.
        weights.to = negated_where(cosine < 0.0f, weights.to);
    }
    return weights;
}

// Slerps from a to b on the shorter arc, without normalising. Exactly a at t = 0, and b or -b at t = 1. `from` is
// prepared from 1 - t, `to` from t.
OP quaternion quaternion_slerp_unnormalized(quaternion a, quaternion b, slerp_terms from, slerp_terms to, bool near) {
    real cosine = quaternion_dot(a, b);
    slerp_weights weights = slerp_weigh(cosine, from, to, near);
    return quaternion_combine(a, b, weights.from, weights.to);
}

OP quaternion quaternion_slerp(quaternion a, quaternion b, real t) {
    slerp_terms from = slerp_prepare(1.0f - t);
    slerp_terms to = slerp_prepare(t);
    quaternion q = quaternion_slerp_unnormalized(a, b, from, to, false);
    return quaternion_polish(q);
}

// Returns b if t is 1, so that a has no influence there, not even on the hemisphere. Otherwise returns `between`.
OP quaternion rotation_at_end(quaternion between, quaternion b, real t) {
    return select_quaternion(t == 1.0f, b, between);
}

// Slerps from the identity to q, on the shorter arc.
OP quaternion quaternion_power(quaternion q, real t) {
    slerp_terms from = slerp_prepare(1.0f - t);
    slerp_terms to = slerp_prepare(t);
    slerp_weights weights = slerp_weigh(q.w, from, to, false);
    quaternion power = quaternion_scale(q, weights.to);
    power.w = weights.from + power.w;
    return quaternion_polish(power);
}

#endif
