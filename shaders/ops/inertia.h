// Inertialization (Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC 2018). After a
// switch to a new pose, its offset from the poses shown before is added to it, and decays along a quintic polynomial
// that starts with the offset's velocity and ends with velocity 0.
//
// The whole offset decays by one factor. So it is stored as it was when it was taken, with its rate: its velocity along
// itself divided by its length. Then no roots and no angles are needed: a translation is scaled, and a rotation is
// raised to a power.
//
// The memory of inertialization: the last two shown poses of each joint of each character, and its offset. If a
// character's parameters say that it is switched in this frame, the offset is computed; in other frames the stored
// offset is applied. Every result is stored.
//
// Running a character's frame again changes no bit, because only the first run computes the offset. If the host has
// overwritten the memory, any pose may result, but it contains only finite numbers, and is the same on every CPU path.
#ifndef LMB_OPS_INERTIA_H
#define LMB_OPS_INERTIA_H

#include "operations.h"

// The offset from the previous pose, and its rates, from -2^20 to 0 per second: an offset never grows.
STRUCT(inertia)
transform offset; // t and s: differences; q: left factor of the new pose's rotation, with w >= 0
real t_rate;
real q_rate;
real s_rate;
END_STRUCT(inertia)

#define INERTIA_STEEPEST -1048576.0f

// The rate of an offset x that changed by d in a step: (x d) / (x x) / step, its velocity along itself relative to its
// length. `inverse_step` is 1 / step. The rate is 0 if x is 0, or if x does not shrink.
OP real inertia_rate(vector x, vector d, real inverse_step) {
    real inverse_square = reciprocal(vector_dot(x, x));
    real share = snap_number(vector_dot(d, x) * inverse_square);
    return clamp_real(snap_number(share * inverse_step), INERTIA_STEEPEST, 0.0f);
}

// The rotation vector, axis times angle in radians, of a unit quaternion with w >= 0, with a relative error of 3e-7. A
// polynomial in 1 - w approximates 2 acos(w) / sqrt(1 - w^2), by which x, y and z are multiplied.
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

// The rotation from b to a, as a left factor of b, with w >= 0. The sign is changed before snapping, so that no zero is
// negative.
OP quaternion rotation_between(quaternion a, quaternion b) {
    quaternion inverse = quaternion_conjugate(b);
    quaternion q = quaternion_multiply(a, inverse);
    quaternion turned = make_quaternion(-q.x, -q.y, -q.z, -q.w);
    return quaternion_polish(select_quaternion(q.w < 0.0f, turned, q));
}

// Computes the offset of a new pose from the last shown pose. `older` is the pose shown before that, a step earlier. If
// `step` is 0, or both poses are equal, the velocity is 0. The poses must be snapped, with unit quaternions, as
// instructions produce them.
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

// The fraction of an offset, from 1 to 0, that is left after `time` seconds, for a rate from inertia_rate(); `duration`
// is above 0. Let t1 = min(duration, -5 / rate) be the decay time, u = time / t1, r = rate t1, and a = max(0, -8 r -
// 20) the initial acceleration. The result is the quintic with value 1, slope r and second derivative a at u = 0, and
// three zeros at u = 1: (1 - u)^3 (1 + (3 + r) u + (6 + 3 r + a / 2) u^2). Exactly 1 at time 0, exactly 0 from t1 on.
OP real inertia_left(real rate, real time, real duration) {
    real slow = reciprocal(duration);
    real fast = rate * -0.2f;
    lane_mask sooner = fast > slow;
    real u = time * SELECT(sooner, fast, slow);
    real r = SELECT(sooner, SPLAT(-5.0f), rate * duration);
    r = SELECT(r < -5.0f, SPLAT(-5.0f), r); // could be below by rounding
    real bend = -8.0f * r - 20.0f;
    real a = SELECT(bend > 0.0f, bend, SPLAT(0.0f));
    real square = (6.0f + 3.0f * r) + 0.5f * a;
    real rise = 1.0f + u * ((3.0f + r) + u * square);
    real rest = clamp_real(1.0f - u, 0.0f, 1.0f);
    real cube = (rest * rest) * rest;
    real left = clamp_real(cube * rise, 0.0f, 1.0f);
    return SELECT(AND(rest > 0.0f, time < duration), snap_small(left), SPLAT(0.0f));
}

// Adds what is left of the offset after `time` seconds to the pose. Returns the pose itself, bit by bit, if nothing is
// left.
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

// The inertialization parameters of a character.
STRUCT(inertia_clock)
word number;
word switched;
real step;
real time;
real duration;
END_STRUCT(inertia_clock)

// Loads a parameter. One that is not finite is refused and counts as 0.
OP real load_inertia_parameter(evaluation e, uint which, float largest) {
    uint parameter = HEADER(e.program, PROGRAM, inertia) - 1u + which;
    word row = e.character * HEADER(e.program, PROGRAM, parameters);
    real given = GATHER_REAL(e.parameters, row + parameter);
    lane_mask finite = is_finite(given);
    if (e.joint == 0u) {
        REFUSE(e, REFUSED_TIME, NOT(finite));
    }
    real bounded = clamp_real(snap(given), 0.0f, largest);
    return SELECT(finite, bounded, SPLAT(0.0f));
}

OP inertia_clock load_inertia_clock(evaluation e) {
    inertia_clock now;
    now.number = TO_WORD(FLOOR(load_inertia_parameter(e, FIELD(INERTIA_INPUT, number), 16777215.0f)));
    now.switched = TO_WORD(FLOOR(load_inertia_parameter(e, FIELD(INERTIA_INPUT, switched), 16777215.0f)));
    now.step = load_inertia_parameter(e, FIELD(INERTIA_INPUT, step), 100000.0f);
    now.time = load_inertia_parameter(e, FIELD(INERTIA_INPUT, time), 100000.0f);
    now.duration = load_inertia_parameter(e, FIELD(INERTIA_INPUT, duration), 100000.0f);
    return now;
}

// The memory of a joint.
STRUCT(inertia_memory)
mutable_memory kept;
word at; // the joint's first word
uint joints;
bool scales; // whether it has scales
END_STRUCT(inertia_memory)

OP inertia_memory find_inertia_memory(evaluation e, mutable_memory kept) {
    inertia_memory m;
    m.kept = kept;
    m.at = e.character * HEADER(e.program, PROGRAM, kept) + e.joint;
    m.joints = HEADER(e.program, PROGRAM, joints);
    m.scales = USES_SCALE && HEADER(e.program, PROGRAM, joint_kept) == WORDS_OF(SCALED_INERTIA);
    return m;
}

OP word inertia_word(inertia_memory m, uint index) {
    return m.at + index * m.joints;
}

// The first words of a pose's translation and of its scale.
STRUCT(inertia_place)
word pose;
word scale;
END_STRUCT(inertia_place)

OP inertia_place offset_place(inertia_memory m) {
    inertia_place place;
    place.pose = inertia_word(m, FIELD(INERTIA, offset));
    place.scale = inertia_word(m, FIELD(SCALED_INERTIA, offset_scale));
    return place;
}

OP inertia_place shown_place(inertia_memory m, word slot) {
    inertia_place place;
    place.pose = m.at + slot * (WORDS_OF(INERTIA_POSE) * m.joints);
    place.scale = inertia_word(m, FIELD(SCALED_INERTIA, scales)) + slot * (INERTIA_SCALE_WORDS * m.joints);
    return place;
}

OP word stamp_of(inertia_memory m, word slot) {
    return inertia_word(m, FIELD(INERTIA, stamps)) + slot * m.joints;
}

// Stores a pose in lanes where `stored` holds.
OP void store_remembered(inertia_memory m, inertia_place place, transform pose, lane_mask stored) {
    word at = place.pose;
    SCATTER(m.kept, at, BITS(pose.t.x), stored);
    SCATTER(m.kept, at + m.joints, BITS(pose.t.y), stored);
    SCATTER(m.kept, at + 2u * m.joints, BITS(pose.t.z), stored);
    SCATTER(m.kept, at + 3u * m.joints, BITS(pose.q.x), stored);
    SCATTER(m.kept, at + 4u * m.joints, BITS(pose.q.y), stored);
    SCATTER(m.kept, at + 5u * m.joints, BITS(pose.q.z), stored);
    SCATTER(m.kept, at + 6u * m.joints, BITS(pose.q.w), stored);
    if (m.scales) {
        SCATTER(m.kept, place.scale, BITS(pose.s.x), stored);
        SCATTER(m.kept, place.scale + m.joints, BITS(pose.s.y), stored);
        SCATTER(m.kept, place.scale + 2u * m.joints, BITS(pose.s.z), stored);
    }
}

OP real load_kept_component(inertia_memory m, word at) {
    return snap(GATHER_REAL(m.kept, at));
}

OP real load_kept_turn(inertia_memory m, word at) {
    return clamp_real(load_kept_component(m, at), -1.0f, 1.0f);
}

// Loads a stored pose, whatever its bits, and bounds it so that all results stay finite. The other functions assume
// poses like those that instructions produce, and the CPU paths differ in how they treat NaN. Without scales, each
// component of the scale is `no_scale`.
OP transform load_remembered(inertia_memory m, inertia_place place, float no_scale) {
    word at = place.pose;
    transform pose;
    pose.t = make_vector(load_kept_component(m, at), load_kept_component(m, at + m.joints),
                         load_kept_component(m, at + 2u * m.joints));
    pose.q = make_quaternion(load_kept_turn(m, at + 3u * m.joints), load_kept_turn(m, at + 4u * m.joints),
                             load_kept_turn(m, at + 5u * m.joints), load_kept_turn(m, at + 6u * m.joints));
    pose.s = all_vector(no_scale, no_scale, no_scale);
    if (m.scales) {
        pose.s = make_vector(load_kept_component(m, place.scale), load_kept_component(m, place.scale + m.joints),
                             load_kept_component(m, place.scale + 2u * m.joints));
    }
    pose.weight = SPLAT(WEIGHT_PRESENT);
    return pose;
}

OP real load_rate(inertia_memory m, uint index) {
    return clamp_real(load_kept_component(m, inertia_word(m, index)), INERTIA_STEEPEST, 0.0f);
}

// Computes the offset of a joint whose character is switched in this frame, if the previous frame was shown; and its
// velocity, if the frame before that was shown, too.
OP void remember_offset(inertia_memory m, inertia_clock now, transform pose, lane_mask stored) {
    word slot = now.number & 1u;
    word before = (now.number - 1u) & INERTIA_LAST_NUMBER;
    word first = (now.number - 2u) & INERTIA_LAST_NUMBER;
    lane_mask known = GATHER(m.kept, stamp_of(m, 1u - slot)) == before + 1u;
    lane_mask moves = GATHER(m.kept, stamp_of(m, slot)) == first + 1u;
    transform last = load_remembered(m, shown_place(m, 1u - slot), 1.0f);
    transform older = load_remembered(m, shown_place(m, slot), 1.0f);
    last = select_transform(known, last, pose);
    older = select_transform(AND(known, moves), older, last);
    inertia taken = take_inertia(pose, last, older, now.step);
    store_remembered(m, offset_place(m), taken.offset, stored);
    SCATTER(m.kept, inertia_word(m, FIELD(INERTIA, rates)), BITS(taken.t_rate), stored);
    SCATTER(m.kept, inertia_word(m, FIELD(INERTIA, rates) + 1u), BITS(taken.q_rate), stored);
    if (m.scales) {
        SCATTER(m.kept, inertia_word(m, FIELD(SCALED_INERTIA, scale_rate)), BITS(taken.s_rate), stored);
    }
    SCATTER(m.kept, inertia_word(m, FIELD(INERTIA, taken)), SELECT_BITS(known, now.number + 1u), stored);
}

// Returns a joint's inertialized pose, and stores it in lanes where `shows` holds: a lane may have no character, or one
// whose level of detail drops the joint.
OP transform inertialize(evaluation e, inertia_clock now, mutable_memory kept, transform pose, lane_mask shows) {
    inertia_memory m = find_inertia_memory(e, kept);
    word slot = now.number & 1u;
    word stamp = stamp_of(m, slot);
    lane_mask begins = AND(now.switched == now.number, now.duration > 0.0f);
    lane_mask switches = AND(AND(begins, GATHER(kept, stamp) != now.number + 1u), shows);
    if (ANY(switches)) {
        remember_offset(m, now, pose, switches);
    }
    lane_mask moves = GATHER(kept, inertia_word(m, FIELD(INERTIA, taken))) == now.switched + 1u;
    moves = AND(moves, AND(now.time < now.duration, shows));
    transform shown = pose;
    if (ANY(moves)) {
        inertia taken;
        taken.offset = load_remembered(m, offset_place(m), 0.0f);
        taken.t_rate = load_rate(m, FIELD(INERTIA, rates));
        taken.q_rate = load_rate(m, FIELD(INERTIA, rates) + 1u);
        taken.s_rate = SPLAT(0.0f);
        if (m.scales) {
            taken.s_rate = load_rate(m, FIELD(SCALED_INERTIA, scale_rate));
        }
        transform moved = apply_inertia(pose, taken, now.time, now.duration);
        shown = select_transform(moves, moved, pose);
    }
    store_remembered(m, shown_place(m, slot), shown, shows);
    SCATTER(kept, stamp, now.number + 1u, shows);
    return shown;
}

#endif
