// The pose stage for one program: a template with a function for each kind of instruction. src/gpu_steps.c puts the
// calls of a program's instructions, in order, in place of the body of step_through().
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#define LMB_GLSL
#include "ops/operations.h"
#include "pose.glsl"

// Poses held at once, in registers once the calls are inlined and every index is a constant.
transform poses[STACK_POSES];
frame at_joint;

// Each takes the offset of its instruction and the number of poses held before it.
#define DEFINE_SOURCE(code, function, prepare)                                                                                  \
    void step_##function(const uint at, const uint depth) {                                                            \
        poses[depth] = function(at_joint, at);                                                                         \
    }

#define DEFINE_BINARY(code, function, prepare)                                                                                  \
    void step_##function(const uint at, const uint depth) {                                                            \
        poses[depth - 2u] = function(at_joint, at, poses[depth - 2u], poses[depth - 1u]);                              \
    }

OPERATIONS(DEFINE_SOURCE, DEFINE_BINARY)

void step_weighted_begin(const uint at, const uint depth) {
    blend_sums zero = weighted_begin();
    poses[depth] = zero.sums;
    poses[depth + 1u] = zero.notes;
}

void step_weighted_accumulate(const uint at, const uint depth) {
    blend_sums so_far;
    so_far.sums = poses[depth - 3u];
    so_far.notes = poses[depth - 2u];
    blend_sums sum = weighted_accumulate(at_joint, at, so_far, poses[depth - 1u]);
    poses[depth - 3u] = sum.sums;
    poses[depth - 2u] = sum.notes;
}

void step_weighted_end(const uint at, const uint depth) {
    blend_sums all;
    all.sums = poses[depth - 2u];
    all.notes = poses[depth - 1u];
    poses[depth - 2u] = weighted_end(at_joint, at, all);
}

// Calls everything once, so that the compiler keeps it; replaced whole.
#define CALL(code, function, prepare) step_##function(0u, 2u);

void step_through() {
    OPERATIONS(CALL, CALL)
    step_weighted_begin(0u, 0u);
    step_weighted_accumulate(0u, 3u);
    step_weighted_end(0u, 2u);
}

void main() {
    uint index = grid_index();
    if (index >= push.count) {
        return;
    }
    at_joint = current_frame(index);
    step_through();
    store_local(at_joint, poses[0]);
}
