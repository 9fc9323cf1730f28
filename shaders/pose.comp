// The pose stage: one invocation for each joint of each character runs the program and writes the local transform.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#define LMB_GLSL
#include "ops/program.h"

layout(local_size_x = 64) in;

// Addresses are those of the span's first character. As struct lmb_pose_push in src/gpu_push.h.
layout(push_constant, scalar) uniform Push {
    Words program;
    Words parameters;
    Words local;
    Words refused;
    Words poses[8];
    uint count; // joints of all characters
}
push;

#include "grid.glsl"

// The older poses of the evaluator's stack: [slot][component][invocation].
shared float slots[(STACK_POSES - 1u) * POSE_COMPONENTS * 64u];

void store_slot(uint slot, transform pose) {
    uint at = slot * (POSE_COMPONENTS * 64u) + gl_LocalInvocationID.x;
    slots[at] = pose.t.x;
    slots[at + 64u] = pose.t.y;
    slots[at + 128u] = pose.t.z;
    slots[at + 192u] = pose.q.x;
    slots[at + 256u] = pose.q.y;
    slots[at + 320u] = pose.q.z;
    slots[at + 384u] = pose.q.w;
    slots[at + 448u] = pose.s.x;
    slots[at + 512u] = pose.s.y;
    slots[at + 576u] = pose.s.z;
}

transform load_slot(uint slot) {
    uint at = slot * (POSE_COMPONENTS * 64u) + gl_LocalInvocationID.x;
    transform pose;
    pose.t.x = slots[at];
    pose.t.y = slots[at + 64u];
    pose.t.z = slots[at + 128u];
    pose.q.x = slots[at + 192u];
    pose.q.y = slots[at + 256u];
    pose.q.z = slots[at + 320u];
    pose.q.w = slots[at + 384u];
    pose.s.x = slots[at + 448u];
    pose.s.y = slots[at + 512u];
    pose.s.z = slots[at + 576u];
    return pose;
}

void count_refusal(uint kind) {
    atomicAdd(push.refused.at[kind], 1u);
}

Words pose_buffer(uint index) {
    return push.poses[index];
}

void store(uint at, float value) {
    push.local.at[at] = floatBitsToUint(value);
}

void main() {
    uint index = grid_index();
    if (index >= push.count) {
        return;
    }
    uint joints = push.program.at[PROGRAM_JOINTS];
    frame f;
    f.program = push.program;
    f.parameters = push.parameters;
    f.character = index / joints;
    f.joint = index - f.character * joints;
    transform local = evaluate_program(f);
    uint at = f.character * (POSE_COMPONENTS * joints) + f.joint;
    store(at, local.t.x);
    store(at + joints, local.t.y);
    store(at + 2u * joints, local.t.z);
    store(at + 3u * joints, local.q.x);
    store(at + 4u * joints, local.q.y);
    store(at + 5u * joints, local.q.z);
    store(at + 6u * joints, local.q.w);
    store(at + 7u * joints, local.s.x);
    store(at + 8u * joints, local.s.y);
    store(at + 9u * joints, local.s.z);
}
