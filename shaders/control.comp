// The control stage: one invocation per character advances its times and weights by a frame, before its poses are
// evaluated.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#define LMB_GLSL
#include "ops/control.h"

layout(local_size_x = 64) in;

// Must match struct lmb_control_push in src/gpu_push.h.
layout(push_constant, scalar) uniform Push {
    ReadWords block;
    Words state;
    Words parameters;
    ReadWords sent;
    Words emitted;
    Words motions;
    ReadWords program; // whose clips the players play
    Words weights; // [weight][character]
    uint sent_count;
    uint characters;
    uint number; // frame number
    uint step_low;
    uint step_high;
    uint emits_events;
}
push;

#include "grid.glsl"

// Does nothing, because later stages count these.
void count_refusal(uint kind) {}

float load_weight(evaluation e, uint index) {
    return uintBitsToFloat(push.weights.at[index * push.characters + e.character]);
}

void store_weight(evaluation e, uint index, float weight) {
    push.weights.at[index * push.characters + e.character] = floatBitsToUint(weight);
}

evaluation weights_evaluation(control c) {
    evaluation e;
    e.program = c.program;
    e.parameters = c.parameters;
    e.character = c.character;
    e.joint = 0u;
    e.counts = true;
    e.slot = 0u;
    return e;
}

void main() {
    uint character = grid_index();
    if (character >= push.characters) {
        return;
    }
    control c;
    c.block = push.block;
    c.program = push.program;
    c.character = character;
    c.state = push.state;
    c.state_at = character * push.block.at[CONTROL_STATE_WORDS];
    c.parameters = push.parameters;
    c.row = character * push.block.at[CONTROL_PARAMETERS];
    c.emitted = push.emitted;
    c.emitted_at = character * (1u + 2u * push.block.at[CONTROL_EMITTED_CAPACITY]);
    c.emits_events = push.emits_events != 0u;
    c.motions = push.motions;
    c.motion_at = character * (ROTATES_FULLY(c, 0u) ? FULL_MOTION_FLOATS : MOTION_FLOATS);
    c.shows = true;
    c.sent = push.sent;
    c.sent_first = find_sent(push.sent, push.sent_count, character);
    c.sent_count = 0u;
    while (c.sent_first + c.sent_count < push.sent_count &&
           push.sent.at[(c.sent_first + c.sent_count) * 2u] == character) {
        c.sent_count++;
    }
    c.number = push.number;
    c.step = make_ticks(push.step_low, push.step_high);
    c = begin_frame(c);
    if (INTERPOLATES_UPDATES && (push.block.at[CONTROL_FLAGS] & CONTROL_INTERPOLATES) != 0u) {
        // The copies are stored after all states.
        c = begin_between(c, push.state, (push.characters + character) * push.block.at[CONTROL_STATE_WORDS]);
    }
    run_control(c);
}
