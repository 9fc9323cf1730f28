// Retargeting: the transform of a joint from those of joints of another rig. The products of rotations, and the sum of
// how far the joints moved, go from the mapped joint up. src/rig/retarget.c derives everything else from the rest
// poses.
#ifndef LMB_OPS_RETARGET_H
#define LMB_OPS_RETARGET_H

#include "layout.h"

// A table is in the place of a joint map: its first word has RETARGET_FLAG, the index of the retarget from bit 16 on,
// and the joint count of the source. Then it has for each joint of the rig the offset of its record, or NO_JOINT.
#define RETARGET_FLAG 0x80000000u
#define RETARGET_BEFORE 0u // rotation
#define RETARGET_AFTER 4u  // rotation
#define RETARGET_BASE 8u   // float [3]: translation if nothing moves
#define RETARGET_MOVE 11u  // float: factor of what moves
#define RETARGET_COUNT 12u
#define RETARGET_STEPS 13u // [count][RETARGET_STEP_WORDS]: joints of the source, from the mapped one up

#define RETARGET_JOINT 0u          // joint of the source; and flags:
#define RETARGET_BACK 0x80000000u  // the inverse of its rotation
#define RETARGET_STILL 0x40000000u // it does not turn
#define RETARGET_INDEX 0xffffu
#define RETARGET_REST 1u   // the index at which load_rest() finds its rest pose
#define RETARGET_ORIGIN 2u // float [3]: translation that counts as not moved
#define RETARGET_FACTOR 5u // float: of its translation
#define RETARGET_STEP_WORDS 6u

OP bool is_retarget(memory program, uint map) {
    return (LOAD(program, map + JOINT_MAP_JOINTS) & RETARGET_FLAG) != 0u;
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
    uint flags = LOAD(program, step + RETARGET_JOINT);
    transform sum = below;
    if ((flags & RETARGET_STILL) == 0u) {
        quaternion q = local.q;
        if ((flags & RETARGET_BACK) != 0u) {
            q = quaternion_conjugate(q);
        }
        vector moved = subtract_vectors(local.t, load_retarget_vector(program, step + RETARGET_ORIGIN));
        moved = scale_vector(moved, SPLAT(LOAD_FLOAT(program, step + RETARGET_FACTOR)));
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
    quaternion before = load_retarget_rotation(program, record + RETARGET_BEFORE);
    quaternion after = load_retarget_rotation(program, record + RETARGET_AFTER);
    quaternion turned = quaternion_multiply(before, sum.q);
    vector moved = rotate_vector(before, sum.t);
    moved = scale_vector(moved, SPLAT(LOAD_FLOAT(program, record + RETARGET_MOVE)));
    transform result = rest;
    result.q = quaternion_polish(quaternion_multiply(turned, after));
    result.t = snap_vector(add_vectors(load_retarget_vector(program, record + RETARGET_BASE), moved));
    result.weight = sum.weight;
    return result;
}

#endif
