// The control stage: one invocation per character advances its times and weights by a frame, before its poses are
// evaluated.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#define LMB_GLSL
#include "ops/control.h"

layout(local_size_x = 64) in;

#define PUSH_OF_CONTROL
#include "ops/push.h"

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

frame_part load_part() {
    uint at = push.part * WORDS_OF(PART);
    uint flags = READ(push.parts, at, PART, flags);
    frame_part p;
    p.begins = (flags & PART_BEGINS) != 0u;
    p.first_piece = READ(push.parts, at, PART, pieces);
    p.end_piece = push.parts.at[at + FIELD(PART, pieces) + 1u];
    p.first_machine = READ(push.parts, at, PART, machines);
    p.end_machine = push.parts.at[at + FIELD(PART, machines) + 1u];
    p.most_rounds = READ(push.parts, at, PART, rounds);
    p.resumes = (flags & PART_RESUMES) != 0u;
    p.cuts = (flags & PART_CUTS) != 0u;
    p.first_player = READ(push.parts, at, PART, players);
    p.end_player = push.parts.at[at + FIELD(PART, players) + 1u];
    p.first_group = READ(push.parts, at, PART, groups);
    p.end_group = push.parts.at[at + FIELD(PART, groups) + 1u];
    p.ends = (flags & PART_ENDS) != 0u;
    return p;
}

transition_progress load_progress(control c) {
    uint at = c.character * WORDS_OF(KEPT);
    transition_progress p;
    p.taken = READ(push.kept, at, KEPT, taken);
    p.next = READ(push.kept, at, KEPT, next);
    p.event = READ(push.kept, at, KEPT, event);
    p.is_over = READ(push.kept, at, KEPT, is_over) != 0u;
    return p;
}

void store_progress(control c, transition_progress p) {
    uint at = c.character * WORDS_OF(KEPT);
    push.kept.at[at + FIELD(KEPT, taken)] = p.taken;
    push.kept.at[at + FIELD(KEPT, next)] = p.next;
    push.kept.at[at + FIELD(KEPT, event)] = p.event;
    push.kept.at[at + FIELD(KEPT, is_over)] = p.is_over ? 1u : 0u;
}

// Loads what the part before has kept of a character.
control load_kept(control c) {
    uint at = c.character * WORDS_OF(KEPT);
    uint flags = READ(push.kept, at, KEPT, flags);
    c.begins = (flags & KEPT_BEGINS) != 0u;
    c.updates = (flags & KEPT_UPDATES) != 0u;
    c.moves = (flags & KEPT_MOVES) != 0u;
    c.step = load_ticks(push.kept, at + FIELD(KEPT, step));
    c.left = load_ticks(push.kept, at + FIELD(KEPT, left));
    c.later = load_ticks(push.kept, at + FIELD(KEPT, later));
    c.duration = load_ticks(push.kept, at + FIELD(KEPT, duration));
    c.held_count = READ(push.kept, at, KEPT, held_count);
    c.sent_first = READ(push.kept, at, KEPT, sent_first);
    c.sent_count = READ(push.kept, at, KEPT, sent_count);
    return c;
}

// Keeps a character for the next part, and has that dispatched if the character goes on.
void store_kept(control c, bool goes_on) {
    uint at = c.character * WORDS_OF(KEPT);
    uint flags = (c.begins ? KEPT_BEGINS : 0u) | (c.updates ? KEPT_UPDATES : 0u) | (c.moves ? KEPT_MOVES : 0u);
    push.kept.at[at + FIELD(KEPT, flags)] = flags | (goes_on ? KEPT_GOES_ON : 0u);
    store_ticks(push.kept, at + FIELD(KEPT, step), c.step);
    store_ticks(push.kept, at + FIELD(KEPT, left), c.left);
    store_ticks(push.kept, at + FIELD(KEPT, later), c.later);
    store_ticks(push.kept, at + FIELD(KEPT, duration), c.duration);
    push.kept.at[at + FIELD(KEPT, held_count)] = c.held_count;
    push.kept.at[at + FIELD(KEPT, sent_first)] = c.sent_first;
    push.kept.at[at + FIELD(KEPT, sent_count)] = c.sent_count;
    if (goes_on) {
        uint next = push.part_count * WORDS_OF(PART) + (push.part + 1u) * ARGUMENT_WORDS;
        push.parts.at[next] = gl_NumWorkGroups.x;
        push.parts.at[next + 1u] = gl_NumWorkGroups.y;
        push.parts.at[next + 2u] = 1u;
    }
}

// Finds the events sent to a character.
control find_events(control c) {
    c.sent_first = find_sent(push.sent, push.sent_count, c.character);
    c.sent_count = 0u;
    while (c.sent_first + c.sent_count < push.sent_count &&
           push.sent.at[(c.sent_first + c.sent_count) * 2u] == c.character) {
        c.sent_count++;
    }
    return c;
}

// Loads a word of each sector of some words, many at once, so that none is waited for alone later. Returns their bits.
#define SECTOR_WORDS 8u
#define SECTORS_AT_ONCE 8u
uint touch_words(memory words, uint first, uint count) {
    uint all = 0u;
    for (uint at = 0u; at < count; at += SECTORS_AT_ONCE * SECTOR_WORDS) {
        for (uint i = 0u; i < SECTORS_AT_ONCE; i++) {
            uint index = at + i * SECTOR_WORDS;
            all |= words.at[first + (index < count ? index : count - 1u)];
        }
    }
    return all;
}

void touch_character(control c) {
    uint all = touch_words(push.state, c.state_at, HEADER(push.block, CONTROL, state_words)) |
               touch_words(push.parameters, c.row, HEADER(push.block, CONTROL, parameters));
    if (all == 0u) {
        set_state_word(c, FIELD(CHARACTER, begun), 0u); // as it is: this keeps the loads
    }
}

void main() {
    uint character = grid_index();
    if (character >= push.characters) {
        return;
    }
    control c;
    c.own_step = make_ticks(push.step_low, push.step_high);
    c.block = push.block;
    c.program = push.program;
    c.character = character;
    c.state = push.state;
    c.state_at = character * HEADER(push.block, CONTROL, state_words);
    c.parameters = push.parameters;
    c.row = character * HEADER(push.block, CONTROL, parameters);
    c.emitted = push.emitted;
    uint capacity = HEADER(push.block, CONTROL, emitted_capacity);
    c.emitted_at = character * (EMITTED_COUNT_WORDS + WORDS_OF(EMITTED) * capacity);
    c.emits_events = push.emits_events != 0u;
    c.motions = push.motions;
    c.motion_at = character * (ROTATES_FULLY(c, 0u) ? FULL_MOTION_FLOATS : MOTION_FLOATS);
    c.shows = true;
    c.matrix_at = push.matrices + character * MATRIX_COMPONENTS;
    c.places = push.matrices != 0u;
    c.sent = push.sent;
    c.number = push.number;
    touch_character(c);
    frame_part runs;
    if (RUNS_PARTS) {
        runs = load_part();
    }
    if (!RUNS_PARTS || runs.begins) {
        c = find_events(c);
        c.step = c.own_step;
        if (USES_REACHED) {
            write_reached(c, push.reached, character * HEADER(c.program, PROGRAM, reached));
        }
        c = begin_frame(c);
    } else if ((push.kept.at[character * WORDS_OF(KEPT) + FIELD(KEPT, flags)] & KEPT_GOES_ON) != 0u) {
        c = load_kept(c);
    } else {
        return;
    }
    if (INTERPOLATES_UPDATES && (HEADER(push.block, CONTROL, flags) & CONTROL_INTERPOLATES) != 0u) {
        c = begin_between(c, push.state, push.copies + c.state_at, !RUNS_PARTS || runs.begins);
    }
    bool goes_on = run_control(c, runs);
    if (RUNS_PARTS) {
        store_kept(c, goes_on);
    }
}
