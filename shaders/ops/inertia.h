// Inertialization (Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC 2018): a pose that
// is switched to at once keeps, for a while, what it lacks of the poses shown before, by a quintic that leaves with the
// velocity that these had and arrives without any.
//
// An offset decays as a whole, so it is held as it was when it was taken, with its rate: its velocity along itself over
// its length. Then no root and no angle is needed: a translation's share of itself is a product, a rotation's a power.
#ifndef LMB_OPS_INERTIA_H
#define LMB_OPS_INERTIA_H

#include "transform.h"

// What is left of the pose before, and its rates, from -2^20 to 0 a second: an offset never grows.
STRUCT(inertia)
transform offset; // t and s: differences; q: on the left of the new pose's, w at least 0
real t_rate;
real q_rate;
real s_rate;
END_STRUCT(inertia)

#define INERTIA_STEEPEST -1048576.0f

OP vector subtract_vectors(vector a, vector b) {
    return make_vector(a.x - b.x, a.y - b.y, a.z - b.z);
}

// (x d) / (x x) over the step, whose inverse is given: how fast x goes when it has moved by d, along itself and relative
// to its length. 0 where x is, and where it does not shrink.
OP real inertia_rate(vector x, vector d, real inverse_step) {
    real inverse_square = reciprocal(vector_dot(x, x));
    real share = snap_number(vector_dot(d, x) * inverse_square);
    return clamp_real(snap_number(share * inverse_step), INERTIA_STEEPEST, 0.0f);
}

// The rotation as its axis times its angle in radians, for a unit quaternion whose w is at least 0, to 3e-7 of it: what
// 2 acos(w) / sqrt(1 - w^2), a polynomial in 1 - w, makes of x, y, z.
OP vector rotation_vector(quaternion q) {
    real z = clamp_real(1.0f - q.w, 0.0f, 1.0f);
    real p = SPLAT(0.022325648f);
    p = p * z - 0.0651833788f;
    p = p * z + 0.101951517f;
    p = p * z - 0.0671059936f;
    p = p * z + 0.0601183511f;
    p = p * z + 0.040326979f;
    p = p * z + 0.115955606f;
    p = p * z + 0.266533136f;
    p = p * z + 0.66667074f;
    p = p * z + 2.0f;
    return make_vector(snap_number(q.x * p), snap_number(q.y * p), snap_number(q.z * p));
}

// The rotation that goes from b to a, on the left of b: w is at least 0. Turned before it is snapped, so that no zero has a
// sign.
OP quaternion rotation_between(quaternion a, quaternion b) {
    quaternion inverse = quaternion_conjugate(b);
    quaternion q = quaternion_multiply(a, inverse);
    quaternion turned = make_quaternion(-q.x, -q.y, -q.z, -q.w);
    return quaternion_polish(select_quaternion(q.w < 0.0f, turned, q));
}

// What the new pose lacks of the last one that was shown, `older` the one shown before that, a step earlier; 0 for the
// step, or like poses, is no velocity. Poses as instructions leave them.
OP inertia take_inertia(transform pose, transform last, transform older, real step) {
    real inverse = reciprocal(step);
    inertia taken;
    taken.offset.weight = pose.weight;
    taken.offset.t = snap_vector(subtract_vectors(last.t, pose.t));
    taken.t_rate = inertia_rate(taken.offset.t, subtract_vectors(last.t, older.t), inverse);
    taken.offset.q = rotation_between(last.q, pose.q);
    vector angle = rotation_vector(taken.offset.q);
    vector turn = rotation_vector(rotation_between(last.q, older.q));
    taken.q_rate = inertia_rate(angle, turn, inverse);
    taken.offset.s = all_vector(0.0f, 0.0f, 0.0f);
    taken.s_rate = SPLAT(0.0f);
    if (USES_SCALE) {
        taken.offset.s = snap_vector(subtract_vectors(last.s, pose.s));
        taken.s_rate = inertia_rate(taken.offset.s, subtract_vectors(last.s, older.s), inverse);
    }
    return taken;
}

// How much of an offset is left, from 1 to 0, `time` seconds after it was the whole, for a rate from above and seconds
// above 0. With u the share of the time that it takes, t1 = min(duration, -5 / rate), r = rate t1, and a = max(0, -8 r - 20)
// its acceleration at the beginning, it is the quintic that begins with 1, r and a, and ends with three zeros:
// (1 - u)^3 (1 + (3 + r) u + (6 + 3 r + a / 2) u^2). Exactly 1 at time 0, exactly 0 from t1 on.
OP real inertia_left(real rate, real time, real duration) {
    real slow = reciprocal(duration);
    real fast = rate * -0.2f;
    lane_mask sooner = fast > slow;
    real u = time * SELECT(sooner, fast, slow);
    real r = SELECT(sooner, SPLAT(-5.0f), rate * duration);
    r = SELECT(r < -5.0f, SPLAT(-5.0f), r); // by a rounding
    real bend = -8.0f * r - 20.0f;
    real a = SELECT(bend > 0.0f, bend, SPLAT(0.0f));
    real square = (6.0f + 3.0f * r) + 0.5f * a;
    real rise = 1.0f + u * ((3.0f + r) + u * square);
    real rest = clamp_real(1.0f - u, 0.0f, 1.0f);
    real cube = (rest * rest) * rest;
    real left = clamp_real(cube * rise, 0.0f, 1.0f);
    return SELECT(AND(rest > 0.0f, time < duration), snap_small(left), SPLAT(0.0f));
}

// The pose with what is left of the offset, which was taken `time` seconds ago; the pose itself, to the bit, once nothing is.
OP transform apply_inertia(transform pose, inertia taken, real time, real duration) {
    transform moved = pose;
    real t = inertia_left(taken.t_rate, time, duration);
    moved.t = snap_vector(add_vectors(pose.t, scale_vector(taken.offset.t, t)));
    real part = inertia_left(taken.q_rate, time, duration);
    quaternion turn = quaternion_power(taken.offset.q, part);
    quaternion turned = quaternion_multiply(turn, pose.q);
    moved.q = select_quaternion(part > 0.0f, quaternion_polish(turned), pose.q);
    if (USES_SCALE) {
        real s = inertia_left(taken.s_rate, time, duration);
        moved.s = snap_vector(add_vectors(pose.s, scale_vector(taken.offset.s, s)));
    }
    return moved;
}

#endif
