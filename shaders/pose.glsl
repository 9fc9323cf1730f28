// What both pose kernels share: where an invocation's joint is, and where its local transform goes.

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

frame current_frame(uint index) {
    uint joints = push.program.at[PROGRAM_JOINTS];
    frame f;
    f.program = push.program;
    f.parameters = push.parameters;
    f.character = index / joints;
    f.joint = index - f.character * joints;
    return f;
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

void store_local(frame f, transform local) {
    uint joints = push.program.at[PROGRAM_JOINTS];
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
