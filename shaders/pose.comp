// The pose stage for any program: one invocation per joint of each character interprets the program's instructions.
// pose_specialized.comp does the same, specialised for one program.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#define LMB_GLSL
#include "ops/program.h"

#include "ops/inertia.h"
#include "pose.glsl"

// The evaluator's stack: [slot][component][invocation], where the joint weight follows the transform.
const uint SLOT_COMPONENTS = POSE_COMPONENTS + 1u;
shared float slots[MOST_POSES * SLOT_COMPONENTS * 64u];

void store_slot(uint slot, transform pose) {
    uint at = slot * (SLOT_COMPONENTS * 64u) + gl_LocalInvocationID.x;
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
    slots[at + 640u] = pose.weight;
}

transform load_slot(uint slot) {
    uint at = slot * (SLOT_COMPONENTS * 64u) + gl_LocalInvocationID.x;
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
    pose.weight = slots[at + 640u];
    return pose;
}

void main() {
    if (!has_joint()) {
        return;
    }
    evaluation e = current_evaluation();
    transform local = load_rest(e.program, e.joint);
    bool last = is_last_pass(push.pass);
    bool evaluated = !last || !is_left_at_rest(e);
    if (evaluated) {
        local = shown_pose(e, push.pass, evaluate_pass(e, push.pass));
    }
    if (!last) {
        store_exchange(e, push.pass, local);
        return;
    }
    if (gives_matrices()) {
        affine own = own_matrix(local);
        if (evaluated) {
            own = blended_matrix(e.program, e.joint, local, load_slot(1u));
        }
        store_own(e, own);
    } else {
        store_local(e, local);
    }
}
