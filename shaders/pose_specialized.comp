// The pose stage, specialised for one program: one invocation per joint of each character. For rigs that are too large
// for character_specialized.comp.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#define LMB_GLSL
#include "ops/operations.h"
#include "ops/records.h"

#include "ops/inertia.h"
#include "pose.glsl"
#include "specialized.glsl"

uint weighed(evaluation e, uint group) {
    uint bits = 0u;
    uint end = HEADER(e.program, PROGRAM, weights);
    for (uint weight = group * 32u; weight < end && weight < group * 32u + 32u; weight++) {
        bits = bits | (load_weight(e, weight) > 0.0f ? 1u << (weight & 31u) : 0u);
    }
    return bits;
}

void main() {
    if (!has_joint()) {
        return;
    }
    at_joint = current_evaluation();
    at_pass = push.pass;
    bool last = is_last_pass(at_pass);
    bool evaluated = !last || !is_left_at_rest(at_joint);
    if (evaluated) {
        run_straight_line();
        poses[0] = shown_pose(at_joint, at_pass, poses[0]);
    } else {
        poses[0] = load_rest(at_joint.program, at_joint.joint);
    }
    if (!last) {
        store_exchange(at_joint, at_pass, poses[0]);
        return;
    }
    if (gives_matrices()) {
        affine own = own_matrix(poses[0]);
        if (evaluated) {
            own = blended_matrix(at_joint.program, at_joint.joint, poses[0], poses[1]);
        }
        store_own(at_joint, own);
    } else {
        store_local(at_joint, poses[0]);
    }
}
