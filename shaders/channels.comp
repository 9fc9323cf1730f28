// Float channels of any program: one invocation per channel of each character interprets the program's instructions of
// a pass. They do not depend on joints, so the kernel can run concurrently with those of the pose.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#define LMB_GLSL
#include "ops/channels.h"

layout(local_size_x = 64) in;

#include "batch.glsl"

// Like has_joint() in pose.glsl. If the rig has joints, the pose kernel counts characters outside the batch.
bool has_channel() {
    uint channels = HEADER(push.program, PROGRAM, channels);
    uint index = grid_index();
    uint slot = index / channels;
    if (slot >= slot_count()) {
        return false;
    }
    bool known = slot_character(slot) < span_count();
    bool counts = push.pass == 0u && index == slot * channels && HEADER(push.program, PROGRAM, joints) == 0u;
    if (!known && counts && is_refused(slot_character(slot))) {
        count_refusal(REFUSED_CHARACTER);
    }
    return known;
}

void main() {
    if (!has_channel()) {
        return;
    }
    uint joints = HEADER(push.program, PROGRAM, joints);
    uint channels = HEADER(push.program, PROGRAM, channels);
    uint index = grid_index();
    uint slot = index / channels;
    uint channel = index - slot * channels;
    evaluation e = character_evaluation(slot_character(slot));
    e.joint = joints + channel;
    uint value = floatBitsToUint(evaluate_channel(e, push.pass));
    if (!is_last_pass(push.pass)) {
        return;
    }
    if (writes_output(OUTPUT_LOCAL)) {
        uint first = e.character * HEADER(push.program, PROGRAM, pose_floats) + POSE_COMPONENTS * joints;
        output_words(OUTPUT_LOCAL).at[first + channel] = value;
    }
    if (writes_output(OUTPUT_CHANNELS)) {
        output_words(OUTPUT_CHANNELS).at[e.character * channels + channel] = value;
    }
}
