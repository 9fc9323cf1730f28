// The memory of inertialization: the last two shown poses of each joint of each character, and its offset. If a
// character's parameters say that it is switched in this frame, the offset is computed; in other frames the stored
// offset is applied. Every result is stored.
//
// Running a character's frame again changes no bit, because only the first run computes the offset. If the host has
// overwritten the memory, any pose may result, but it contains only finite numbers, and is the same on every CPU path.
#ifndef LMB_OPS_INERTIA_MEMORY_H
#define LMB_OPS_INERTIA_MEMORY_H

#include "inertia.h"
#include "inertia_layout.h"
#include "operations.h"

// The inertialization parameters of a character.
STRUCT(inertia_clock)
word number;
word switched;
real step;
real time;
real duration;
END_STRUCT(inertia_clock)

// Loads a parameter. One that is not finite is refused and counts as 0.
OP real load_inertia_parameter(frame f, uint which, float largest) {
    uint parameter = LOAD(f.program, PROGRAM_INERTIA) - 1u + which;
    word row = f.character * LOAD(f.program, PROGRAM_PARAMETERS);
    real given = GATHER_REAL(f.parameters, row + parameter);
    lane_mask finite = is_finite(given);
    if (f.joint == 0u) {
        REFUSE(f, REFUSED_TIME, NOT(finite));
    }
    real bounded = clamp_real(snap(given), 0.0f, largest);
    return SELECT(finite, bounded, SPLAT(0.0f));
}

OP inertia_clock load_inertia_clock(frame f) {
    inertia_clock now;
    now.number = TO_WORD(FLOOR(load_inertia_parameter(f, INERTIA_NUMBER, 16777215.0f)));
    now.switched = TO_WORD(FLOOR(load_inertia_parameter(f, INERTIA_SWITCHED, 16777215.0f)));
    now.step = load_inertia_parameter(f, INERTIA_STEP, 100000.0f);
    now.time = load_inertia_parameter(f, INERTIA_TIME, 100000.0f);
    now.duration = load_inertia_parameter(f, INERTIA_DURATION, 100000.0f);
    return now;
}

// Stores a pose in lanes where `stored` holds. `at` is the offset of its first word.
OP void store_remembered(mutable_memory kept, word at, uint joints, transform pose, lane_mask stored) {
    SCATTER(kept, at, BITS(pose.t.x), stored);
    SCATTER(kept, at + joints, BITS(pose.t.y), stored);
    SCATTER(kept, at + 2u * joints, BITS(pose.t.z), stored);
    SCATTER(kept, at + 3u * joints, BITS(pose.q.x), stored);
    SCATTER(kept, at + 4u * joints, BITS(pose.q.y), stored);
    SCATTER(kept, at + 5u * joints, BITS(pose.q.z), stored);
    SCATTER(kept, at + 6u * joints, BITS(pose.q.w), stored);
    SCATTER(kept, at + 7u * joints, BITS(pose.s.x), stored);
    SCATTER(kept, at + 8u * joints, BITS(pose.s.y), stored);
    SCATTER(kept, at + 9u * joints, BITS(pose.s.z), stored);
}

OP real bound_component(real x) {
    return clamp_real(x, -1.0f, 1.0f);
}

// Loads a stored pose, whatever its bits, and bounds it so that all results stay finite. The other functions assume
// poses like those that instructions produce, and the CPU paths differ in how they treat NaN.
OP transform load_remembered(mutable_memory kept, word at, uint joints) {
    transform pose = snap_given(load_pose(kept, at, joints));
    pose.q = make_quaternion(bound_component(pose.q.x), bound_component(pose.q.y), bound_component(pose.q.z),
                             bound_component(pose.q.w));
    return pose;
}

OP real load_rate(mutable_memory kept, word at) {
    return clamp_real(snap(GATHER_REAL(kept, at)), INERTIA_STEEPEST, 0.0f);
}

// Computes the offset of a joint whose character is switched in this frame, if the previous frame was shown; and its
// velocity, if the frame before that was shown, too.
OP void remember_offset(mutable_memory kept, word at, uint joints, inertia_clock now, transform pose,
                        lane_mask stored) {
    word slot = now.number & 1u;
    word before = (now.number - 1u) & INERTIA_LAST_NUMBER;
    word first = (now.number - 2u) & INERTIA_LAST_NUMBER;
    word other = at + (1u - slot) * (POSE_COMPONENTS * joints);
    lane_mask known = GATHER(kept, at + (INERTIA_STAMPS + 1u - slot) * joints) == before + 1u;
    lane_mask moves = GATHER(kept, at + (INERTIA_STAMPS + slot) * joints) == first + 1u;
    transform last = load_remembered(kept, other, joints);
    transform older = load_remembered(kept, at + slot * (POSE_COMPONENTS * joints), joints);
    last = select_transform(known, last, pose);
    older = select_transform(AND(known, moves), older, last);
    inertia taken = take_inertia(pose, last, older, now.step);
    store_remembered(kept, at + INERTIA_OFFSET * joints, joints, taken.offset, stored);
    SCATTER(kept, at + INERTIA_RATES * joints, BITS(taken.t_rate), stored);
    SCATTER(kept, at + (INERTIA_RATES + 1u) * joints, BITS(taken.q_rate), stored);
    SCATTER(kept, at + (INERTIA_RATES + 2u) * joints, BITS(taken.s_rate), stored);
    SCATTER(kept, at + INERTIA_TAKEN * joints, SELECT_BITS(known, now.number + 1u), stored);
}

// Returns a joint's inertialized pose, and stores it in lanes where `shows` holds: a lane may have no character, or one
// whose level of detail drops the joint.
OP transform inertialize(frame f, inertia_clock now, mutable_memory kept, transform pose, lane_mask shows) {
    uint joints = LOAD(f.program, PROGRAM_JOINTS);
    word at = f.character * (INERTIA_WORDS * joints) + f.joint;
    word slot = now.number & 1u;
    word stamp = at + (INERTIA_STAMPS + slot) * joints;
    lane_mask begins = AND(now.switched == now.number, now.duration > 0.0f);
    lane_mask switches = AND(AND(begins, GATHER(kept, stamp) != now.number + 1u), shows);
    if (ANY(switches)) {
        remember_offset(kept, at, joints, now, pose, switches);
    }
    lane_mask moves = GATHER(kept, at + INERTIA_TAKEN * joints) == now.switched + 1u;
    moves = AND(moves, AND(now.time < now.duration, shows));
    transform shown = pose;
    if (ANY(moves)) {
        inertia taken;
        taken.offset = load_remembered(kept, at + INERTIA_OFFSET * joints, joints);
        taken.t_rate = load_rate(kept, at + INERTIA_RATES * joints);
        taken.q_rate = load_rate(kept, at + (INERTIA_RATES + 1u) * joints);
        taken.s_rate = load_rate(kept, at + (INERTIA_RATES + 2u) * joints);
        transform moved = apply_inertia(pose, taken, now.time, now.duration);
        shown = select_transform(moves, moved, pose);
    }
    store_remembered(kept, at + slot * (POSE_COMPONENTS * joints), joints, shown, shows);
    SCATTER(kept, stamp, now.number + 1u, shows);
    return shown;
}

#endif
