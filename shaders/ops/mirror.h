// Mirroring: reflects the transform of a joint's partner. The rotation becomes (C of the parent)^-1 reflect(q) C, where
// C corrects for rest poses that are not symmetric. The table is component-major and has the values that
// src/rig/mirror.c derives for each joint from the rest pose.
#ifndef LMB_OPS_MIRROR_H
#define LMB_OPS_MIRROR_H

#include "layout.h"

RECORD(MIRROR)
uint partner;
uint turns;       // 1 if a rotation below does more than change signs
WORDS(4, before); // rotation: the inverse of C of the parent
WORDS(4, after);  // rotation: C, from the reflection of its partner's rest frame to its own
WORDS(9, move);   // matrix, by rows: MIRROR.before times the reflection
WORDS(9, scales); // matrix, by rows: the squares of C's columns
END_RECORD(MIRROR, 28)

OP quaternion load_mirror_rotation(memory program, uint at, uint joints) {
    return all_quaternion(LOAD_FLOAT(program, at), LOAD_FLOAT(program, at + joints),
                          LOAD_FLOAT(program, at + 2u * joints), LOAD_FLOAT(program, at + 3u * joints));
}

OP real mirror_row(memory program, uint at, uint joints, vector v) {
    real xy = LOAD_FLOAT(program, at) * v.x + LOAD_FLOAT(program, at + joints) * v.y;
    return xy + LOAD_FLOAT(program, at + 2u * joints) * v.z;
}

OP vector mirror_vector(memory program, uint at, uint joints, vector v) {
    real x = mirror_row(program, at, joints, v);
    real y = mirror_row(program, at + 3u * joints, joints, v);
    real z = mirror_row(program, at + 6u * joints, joints, v);
    return snap_vector(make_vector(x, y, z));
}

// Reflects a rotation across the plane that is perpendicular to an axis.
OP quaternion reflect_rotation(quaternion q, uint axis) {
    float x = axis == 0u ? 1.0f : -1.0f;
    float y = axis == 1u ? 1.0f : -1.0f;
    float z = axis == 2u ? 1.0f : -1.0f;
    return make_quaternion(q.x * x, q.y * y, q.z * z, q.w);
}

// `a` is the partner's transform; `record` is the offset of the joint's first component in the table.
OP transform mirror_transform(memory program, uint record, uint joints, uint axis, transform a) {
    quaternion before = load_mirror_rotation(program, record + FIELD(MIRROR, before) * joints, joints);
    quaternion after = load_mirror_rotation(program, record + FIELD(MIRROR, after) * joints, joints);
    quaternion reflected = reflect_rotation(a.q, axis);
    quaternion turned = quaternion_multiply(before, reflected);
    quaternion q = quaternion_multiply(turned, after);
    transform mirrored = a;
    mirrored.t = mirror_vector(program, record + FIELD(MIRROR, move) * joints, joints, a.t);
    // Sign changes do not change the length. So mirroring twice restores the same bits.
    if (LOAD(program, record + FIELD(MIRROR, turns) * joints) == 0u) {
        mirrored.q = snap_rotation(q);
    } else {
        mirrored.q = quaternion_polish(q);
        lane_mask uneven = OR(a.s.x != a.s.y, a.s.y != a.s.z);
        if (USES_SCALE && ANY(uneven)) {
            vector mixed = mirror_vector(program, record + FIELD(MIRROR, scales) * joints, joints, a.s);
            mirrored.s = select_vector(uneven, mixed, a.s);
        }
    }
    return mirrored;
}

#endif
