// Twist: gives helper joints a share of the twist of another joint. Each helper decomposes the rotation of the source,
// which an earlier pass stored in an exchange area. No angle is computed.
#ifndef LMB_OPS_TWIST_H
#define LMB_OPS_TWIST_H

#include "ik.h"

// The table of a twist. Axes are unit vectors.
RECORD(TWIST)
uint source;
WORDS(3, axis); // float: in the space of the source
uint count;
END_RECORD(TWIST, 5)
// Behind it: [count] TWIST_JOINT.
RECORD(TWIST_JOINT)
uint joint;
FLOAT(share);
WORDS(3, axis);
END_RECORD(TWIST_JOINT, 5)

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
    uint source = READ(e.program, table, TWIST, source);
    quaternion back = quaternion_conjugate(load_rest(e.program, source).q);
    quaternion moved = load_exchange_rotation(e, area, source);
    quaternion turn = snap_rotation(quaternion_multiply(back, moved));
    half_angle twist = twist_about(load_ik_axis(e, table + FIELD(TWIST, axis)), turn);
    float share = LOAD_FLOAT(e.program, record + 1u);
    if (share < 0.0f) {
        twist.sine = -twist.sine;
        share = -share;
    }
    turn = quaternion_power(rotation_about(load_ik_axis(e, record + 2u), twist), SPLAT(share));
    return quaternion_normalize(quaternion_multiply(load_rest(e.program, e.joint).q, turn));
}

OP transform twist_operation(evaluation e, uint instruction) {
    uint area = READ(e.program, instruction, EXCHANGED, area);
    uint table = READ(e.program, instruction, EXCHANGED, table);
    transform local = load_exchange(e, area, e.joint);
    uint count = READ(e.program, table, TWIST, count);
    uint record = 0u;
    for (uint i = 0u; i < count; i++) {
        uint place = table + WORDS_OF(TWIST) + i * WORDS_OF(TWIST_JOINT);
        record = LOAD(e.program, place) == e.joint ? place : record;
    }
    if (record != 0u) {
        real weight = load_weight(e, READ(e.program, instruction, BLEND, weight));
        if (ANY(weight > 0.0f)) {
            local.q = rotation_by_weight(local.q, twisted_rotation(e, area, table, record), weight);
        }
    }
    return local;
}

#endif
