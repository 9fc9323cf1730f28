// Twist: gives helper joints a share of the twist of another joint. Each helper decomposes the rotation of the source,
// which an earlier pass stored in an exchange area. No angle is computed.
#ifndef LMB_OPS_TWIST_H
#define LMB_OPS_TWIST_H

#include "ik.h"

// The table of a twist. Axes are unit vectors.
#define TWIST_SOURCE 0u
#define TWIST_AXIS 1u // float [3]: in the space of the source
#define TWIST_COUNT 4u
#define TWIST_JOINTS 5u // [count]: word joint, float share, float [3] axis in the joint's space
#define TWIST_JOINT_WORDS 5u

// The twist of a rotation about an axis: half its angle, from -90 to 90 degrees. It is 0 if a swing by half a turn
// leaves none.
OP half_angle twist_about(vector axis, quaternion turn) {
    real sine = snap_small(vector_dot(make_vector(turn.x, turn.y, turn.z), axis));
    real cosine = turn.w;
    lane_mask back = OR(cosine < 0.0f, AND(cosine == 0.0f, sine < 0.0f));
    cosine = SELECT(back, -cosine, cosine);
    sine = SELECT(back, -sine, sine);
    real square = cosine * cosine + sine * sine;
    real inverse = reciprocal_root(square);
    lane_mask found = square > QUATERNION_VANISHED;
    return make_half_angle(SELECT(found, cosine * inverse, SPLAT(1.0f)), SELECT(found, sine * inverse, SPLAT(0.0f)));
}

// The rotation of a helper. `record` is its offset in the table.
OP quaternion twisted_rotation(evaluation e, uint area, uint table, uint record) {
    uint source = LOAD(e.program, table + TWIST_SOURCE);
    quaternion back = quaternion_conjugate(load_rest(e.program, source).q);
    quaternion moved = load_exchange_rotation(e, area, source);
    quaternion turn = snap_rotation(quaternion_multiply(back, moved));
    half_angle twist = twist_about(load_ik_axis(e, table + TWIST_AXIS), turn);
    float share = LOAD_FLOAT(e.program, record + 1u);
    if (share < 0.0f) {
        twist.sine = -twist.sine;
        share = -share;
    }
    turn = quaternion_power(rotation_about(load_ik_axis(e, record + 2u), twist), SPLAT(share));
    return quaternion_normalize(quaternion_multiply(load_rest(e.program, e.joint).q, turn));
}

OP transform twist_operation(evaluation e, uint instruction) {
    uint area = LOAD(e.program, instruction + EXCHANGE_AREA);
    uint table = LOAD(e.program, instruction + IK_TABLE);
    transform local = load_exchange(e, area, e.joint);
    uint count = LOAD(e.program, table + TWIST_COUNT);
    uint record = 0u;
    for (uint i = 0u; i < count; i++) {
        uint place = table + TWIST_JOINTS + i * TWIST_JOINT_WORDS;
        record = LOAD(e.program, place) == e.joint ? place : record;
    }
    if (record != 0u) {
        real weight = load_weight(e, LOAD(e.program, instruction + WEIGHT_INDEX));
        if (ANY(weight > 0.0f)) {
            local.q = rotation_by_weight(local.q, twisted_rotation(e, area, table, record), weight);
        }
    }
    return local;
}

#endif
