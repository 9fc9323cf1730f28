// Retargeting: the transform of a joint from those of joints of another rig. The products of rotations, and the sum of
// how far the joints moved, go from the mapped joint up. src/rig/retarget.c derives everything else from the rest
// poses.
#ifndef LMB_OPS_RETARGET_H
#define LMB_OPS_RETARGET_H

#include "layout.h"

// A table is in the place of a joint map: its first word has RETARGET_FLAG, the index of the retarget from bit 16 on,
// and the joint count of the source. Then it has for each joint of the rig the offset of its record, or NO_JOINT.
#define RETARGET_FLAG 0x80000000u

RECORD(RETARGET)
WORDS(4, before); // rotation
WORDS(4, after);  // rotation
WORDS(3, base);   // float: translation if nothing moves
FLOAT(move);      // factor of what moves
uint count;
END_RECORD(RETARGET, 13)
// Behind it: [count] RETARGET_STEP: joints of the source, from the mapped one up.

RECORD(RETARGET_STEP)
uint joint;       // of the source, and RETARGET_BACK and RETARGET_STILL
uint rest;        // the index at which load_rest() finds its rest pose
WORDS(3, origin); // float: translation that counts as not moved
FLOAT(factor);    // of its translation
END_RECORD(RETARGET_STEP, 6)
#define RETARGET_BACK 0x80000000u  // the inverse of its rotation
#define RETARGET_STILL 0x40000000u // it does not turn
#define RETARGET_INDEX 0xffffu

OP bool is_retarget(memory program, uint map) {
    return (READ(program, map, JOINT_MAP, joints) & RETARGET_FLAG) != 0u;
}

OP quaternion load_retarget_rotation(memory program, uint at) {
    return all_quaternion(LOAD_FLOAT(program, at), LOAD_FLOAT(program, at + 1u), LOAD_FLOAT(program, at + 2u),
                          LOAD_FLOAT(program, at + 3u));
}

OP vector load_retarget_vector(memory program, uint at) {
    return all_vector(LOAD_FLOAT(program, at), LOAD_FLOAT(program, at + 1u), LOAD_FLOAT(program, at + 2u));
}

// Adds a joint of the source to the sum of those below it, which begins as the identity. Joint weights are
// those of the first one.
OP transform add_retarget_step(memory program, uint step, uint i, transform below, transform local) {
    uint flags = READ(program, step, RETARGET_STEP, joint);
    transform sum = below;
    if ((flags & RETARGET_STILL) == 0u) {
        quaternion q = local.q;
        if ((flags & RETARGET_BACK) != 0u) {
            q = quaternion_conjugate(q);
        }
        vector moved = subtract_vectors(local.t, load_retarget_vector(program, step + FIELD(RETARGET_STEP, origin)));
        moved = scale_vector(moved, SPLAT(READ_FLOAT(program, step, RETARGET_STEP, factor)));
        sum.t = snap_vector(add_vectors(rotate_vector(q, below.t), moved));
        sum.q = quaternion_polish(quaternion_multiply(q, below.q));
    }
    if (i == 0u) {
        sum.weight = local.weight;
    }
    return sum;
}

// The transform of the joint. `rest` is its rest pose.
OP transform retarget_joint(memory program, uint record, transform sum, transform rest) {
    quaternion before = load_retarget_rotation(program, record + FIELD(RETARGET, before));
    quaternion after = load_retarget_rotation(program, record + FIELD(RETARGET, after));
    quaternion turned = quaternion_multiply(before, sum.q);
    vector moved = rotate_vector(before, sum.t);
    moved = scale_vector(moved, SPLAT(READ_FLOAT(program, record, RETARGET, move)));
    transform result = rest;
    result.q = quaternion_polish(quaternion_multiply(turned, after));
    result.t = snap_vector(add_vectors(load_retarget_vector(program, record + FIELD(RETARGET, base)), moved));
    result.weight = sum.weight;
    return result;
}

#endif
