// The default node, and constructors of common nodes. Constructors begin with the default node, so a field that they do
// not set never means parameter 0 or joint 0.
#include "program.h"

#include <string.h>

static lmb_node_def node_of(lmb_op op, const uint32_t *inputs, uint32_t count) {
    lmb_node_def node = lmb_default_node_def();
    node.op = op;
    node.input_count = count;
    for (uint32_t i = 0; i < count && i < LMB_MAX_SPACE_INPUTS; i++) {
        node.inputs[i] = inputs[i];
    }
    return node;
}

lmb_node_def lmb_clip_node(uint32_t clip, lmb_value time) {
    lmb_node_def node = node_of(LMB_OP_CLIP, NULL, 0);
    node.clip = lmb_constant((float)clip);
    node.time = time;
    node.loop = true;
    return node;
}

lmb_node_def lmb_playing_node(uint32_t clip, const lmb_player_def *player) {
    lmb_node_def node = node_of(LMB_OP_CLIP, NULL, 0);
    node.clip = lmb_constant((float)clip);
    node.player = player;
    return node;
}

static lmb_node_def weighed_node(lmb_op op, uint32_t a, uint32_t b, lmb_value weight) {
    lmb_node_def node = node_of(op, (const uint32_t[]){a, b}, 2);
    node.weight = weight;
    return node;
}

lmb_node_def lmb_blend_node(uint32_t a, uint32_t b, lmb_value weight) {
    return weighed_node(LMB_OP_BLEND, a, b, weight);
}

lmb_node_def lmb_masked_node(uint32_t a, uint32_t b, uint32_t mask, lmb_value weight) {
    lmb_node_def node = weighed_node(LMB_OP_MASKED, a, b, weight);
    node.mask = mask;
    return node;
}

lmb_node_def lmb_override_node(uint32_t base, uint32_t pose, uint32_t mask, lmb_value weight) {
    lmb_node_def node = node_of(LMB_OP_OVERRIDE, &base, 1);
    node.pose = pose;
    node.mask = mask;
    node.weight = weight;
    return node;
}

lmb_node_def lmb_additive_node(uint32_t base, uint32_t add, lmb_value weight) {
    return weighed_node(LMB_OP_ADDITIVE, base, add, weight);
}

lmb_node_def lmb_two_bone_node(uint32_t base, uint32_t start, uint32_t mid, uint32_t end, const lmb_value *target) {
    lmb_node_def node = node_of(LMB_OP_IK_TWO_BONE, &base, 1);
    node.two_bone.start = start;
    node.two_bone.mid = mid;
    node.two_bone.end = end;
    memcpy(node.two_bone.target, target, sizeof node.two_bone.target);
    return node;
}

lmb_node_def lmb_goal_node(uint32_t base, uint32_t start, uint32_t mid, uint32_t end, uint32_t retarget_node) {
    const lmb_value none[3] = {lmb_constant(0.0f), lmb_constant(0.0f), lmb_constant(0.0f)};
    lmb_node_def node = lmb_two_bone_node(base, start, mid, end, none);
    node.goal = retarget_node;
    return node;
}

lmb_node_def lmb_aim_node(uint32_t base, uint32_t joint, const float *forward, const lmb_value *target) {
    lmb_node_def node = node_of(LMB_OP_IK_AIM, &base, 1);
    node.aim.joints[0] = joint;
    node.aim.joint_count = 1;
    memcpy(node.aim.forward, forward, sizeof node.aim.forward);
    memcpy(node.aim.target, target, sizeof node.aim.target);
    return node;
}

lmb_node_def lmb_foot_placement_node(uint32_t base, uint32_t pelvis, const lmb_foot_def *feet, uint32_t foot_count) {
    lmb_node_def node = node_of(LMB_OP_FOOT_PLACEMENT, &base, 1);
    node.feet.pelvis = pelvis;
    node.feet.foot_count = foot_count;
    for (uint32_t i = 0; i < foot_count && i < LMB_MAX_FEET; i++) {
        node.feet.feet[i] = feet[i];
    }
    return node;
}

lmb_node_def lmb_twist_node(uint32_t base, uint32_t source, const float *axis, uint32_t joint, float share) {
    lmb_node_def node = node_of(LMB_OP_TWIST, &base, 1);
    node.twist.source = source;
    node.twist.joints[0] = joint;
    node.twist.shares[0] = share;
    node.twist.joint_count = 1;
    memcpy(node.twist.axis, axis, sizeof node.twist.axis);
    return node;
}

lmb_node_def lmb_chain_node(uint32_t base, uint32_t start, uint32_t end, lmb_value time) {
    lmb_node_def node = node_of(LMB_OP_CHAIN, &base, 1);
    node.chain.start = start;
    node.chain.end = end;
    node.chain.time = time;
    return node;
}

lmb_node_def lmb_mirror_node(uint32_t pose, uint32_t mirror) {
    lmb_node_def node = node_of(LMB_OP_MIRROR, &pose, 1);
    node.mirror = mirror;
    return node;
}

lmb_node_def lmb_clamp_node(uint32_t pose, uint32_t joint_limits) {
    lmb_node_def node = node_of(LMB_OP_CLAMP, &pose, 1);
    node.joint_limits = joint_limits;
    return node;
}

lmb_node_def lmb_retarget_node(uint32_t pose, uint32_t retarget) {
    lmb_node_def node = node_of(LMB_OP_RETARGET, &pose, 1);
    node.retarget = retarget;
    return node;
}

lmb_node_def lmb_machine_node(const uint32_t *poses, const lmb_machine_def *machine) {
    lmb_node_def node = node_of(LMB_OP_MACHINE, poses, machine != NULL ? machine->state_count : 0);
    node.machine = machine;
    return node;
}
