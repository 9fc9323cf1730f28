// Memory of a character's control: the block, the character's state, its row of parameters, its emitted events.
#ifndef LMB_OPS_CONTROL_MEMORY_H
#define LMB_OPS_CONTROL_MEMORY_H

#include "control_layout.h"
#include "motion_weights.h"

// Features that a control may use, beside those in language.h: character motion, warps of it, motion weights that
// differ from weights in the pose, sync groups, machines that travel, transitions that say where clips begin, players
// with repetitions, a delay or a player to be in sync with, conditions that read the state, motion matching, updates
// between which characters move on. A pipeline omits the code of a feature that its control cannot use.
#ifdef LMB_GLSL
layout(constant_id = 20) const bool USES_CHARACTER_MOTION = true;
layout(constant_id = 21) const bool USES_WARPS = true;
layout(constant_id = 22) const bool ROTATION_IS_FULL = true; // a kernel has the code for one kind of rotation only
layout(constant_id = 23) const bool USES_GROUPS = true;
layout(constant_id = 24) const bool INTERPOLATES_UPDATES = true;
layout(constant_id = 26) const bool USES_MOTION_RULES = true;
layout(constant_id = 30) const bool USES_TRAVEL = true;
layout(constant_id = 31) const bool USES_STARTS = true;
layout(constant_id = 33) const bool USES_PLAYER_OPTIONS = true;
layout(constant_id = 37) const bool USES_DECISIONS = true;
layout(constant_id = 38) const bool USES_MATCHING = true;
// Whether each dispatch runs a part of a frame (struct frame_part), for drivers that bound the loops of an invocation.
layout(constant_id = 27) const bool RUNS_PARTS = false;
#define ROTATES_FULLY(c, character_motion) ROTATION_IS_FULL
#else
#define USES_CHARACTER_MOTION true
#define USES_WARPS true
#define USES_MOTION_RULES true
#define USES_GROUPS true
#define USES_TRAVEL true
#define USES_STARTS true
#define USES_PLAYER_OPTIONS true
#define USES_DECISIONS true
#define USES_MATCHING true
#define RUNS_PARTS false
// Whether a character motion has full rotation.
#define ROTATES_FULLY(c, character_motion)                                                                             \
    (READ((c).block, (character_motion), CHARACTER_MOTION, place_words) == WORDS_OF(MOVING_FULLY))
#endif

// Indices into a character's rows. On the CPU the pointers already point to the character's rows; vectors have an
// address for each lane.
#ifdef LMB_GLSL
#define STATE_AT(c, index) ((c).state_at + (index))
#define ROW_AT(c, index) ((c).row + (index))
#define EMITTED_AT(c, index) ((c).emitted_at + (index))
#define CHARACTER_MOTION_AT(c, index) ((c).motion_at + (index))
#define MATRIX_AT(c, index) ((c).matrix_at + (index))
#define MATRICES(c) (c).motions // behind them
#else
#define STATE_AT(c, index) (index)
#define ROW_AT(c, index) (index)
#define EMITTED_AT(c, index) (index)
#define CHARACTER_MOTION_AT(c, index) (index)
#define MATRIX_AT(c, index) (index)
#define MATRICES(c) (c).matrices
#endif

// A character in a frame, or one in each lane.
STRUCT(control)
memory block;
memory program; // whose clips the players play
#ifdef LMB_SIMD_WIDTH
uint32_t *const *states; // of each lane
lane_mask counts;        // lanes whose state and parameters are stored
lane_mask moves;
lane_mask begins;
lane_mask emits_events;
const struct lmb_control_lanes *all;
uint first; // character
mutable_memory parameters;
word row; // offset of each lane's parameters
ticks step;
ticks left;
ticks duration; // of the current piece of the step
lane_mask is_first_piece;
word character;
stored_weight *weights;
uint32_t *refused;
#else
mutable_memory state;
mutable_memory parameters;
mutable_memory emitted;
mutable_memory motions; // positions and yaws for renderers
#ifdef LMB_GLSL
uint state_at;
uint row;
uint emitted_at;
uint motion_at;
uint matrix_at;
#else
mutable_memory matrices; // from model space to the world
stored_weight *weights;  // scratch memory for the weights of the program
uint32_t *refused;       // scratch counters: the stages of the batch count what its rules refuse
#endif
uint character; // index in the batch
bool emits_events;
bool shows;      // writes `motions`
bool places;     // writes a matrix
memory sent;     // events: character, event; sorted by character
uint sent_first; // the character's
uint sent_count; // that count in the current piece
uint number;     // of the frame
ticks own_step;  // of the frame
ticks step;      // of the frame, including the time that the character has waited
// The following are set when the frame begins.
bool begins;     // it starts or is reset
bool updates;    // this frame is an update
bool moves;      // time advances: in an update, or on a copy of the state between updates
uint held_count; // of sent events, which count once the time that the character has waited is over
ticks left;      // of the step; with held events, of the time before them
ticks later;     // of the step, after held events
ticks duration;  // of the current piece of the step
#endif
END_STRUCT(control)

// A part of a frame that one dispatch runs, if RUNS_PARTS. A frame consists of its beginning and of pieces; a piece
// consists of the transitions of each machine, the cut, players, groups, and its end. A part has whole pieces, or some
// of what a piece consists of.
STRUCT(frame_part)
bool begins;
uint first_piece;
uint end_piece; // as all ends, the first that is not in the part
uint first_machine;
uint end_machine;
uint most_rounds; // of the loop that takes the transitions of a machine
bool resumes;     // the first machine goes on where the part before stopped
bool cuts;
uint first_player; // of those in no group
uint end_player;
uint first_group;
uint end_group;
bool ends;
END_STRUCT(frame_part)

#ifndef LMB_SIMD_WIDTH
// How far a machine has taken its transitions in a piece.
STRUCT(transition_progress)
uint taken;
uint next;  // of the events
uint event; // that is tried, or CONTROL_NONE
bool is_over;
END_STRUCT(transition_progress)

OP transition_progress make_progress(uint next) {
    transition_progress p;
    p.taken = 0u;
    p.next = next;
    p.event = CONTROL_NONE;
    p.is_over = false;
    return p;
}

#ifdef LMB_GLSL
transition_progress load_progress(control c);
void store_progress(control c, transition_progress p);
#else
OP transition_progress load_progress(control c) {
    UNUSED(c);
    return make_progress(0u);
}

OP void store_progress(control c, transition_progress p) {
    UNUSED(c);
    UNUSED(p);
}
#endif

// The characters whose frames are computed together. Outer loops run over the elements of a control, so that their
// records are read once for all characters. Inner loops run over characters. On the GPU each invocation has one
// character.
#ifdef LMB_GLSL
#define CHARACTERS control
#define CHANGED_CHARACTERS inout control // by a function
#define CHARACTERS_BLOCK(all) (all).block
#define FOR_EACH(all, i) const uint i = 0u;
#define CHARACTER(all, i) (all)
#define SET_CHARACTER(all, i, c) (all) = (c)
#else
#define MOST_TOGETHER 32u
STRUCT(characters)
memory block;
address count;
struct lane_stages *stages; // that run in vectors
control each[MOST_TOGETHER];
END_STRUCT(characters)
#define CHARACTERS const characters *
#define CHANGED_CHARACTERS characters *
#define CHARACTERS_BLOCK(all) (all)->block
#define FOR_EACH(all, i) for (address i = 0u; i < (all)->count; i++)
#define CHARACTER(all, i) (all)->each[i]
#define SET_CHARACTER(all, i, c) (all)->each[i] = (c)
#endif

#endif

#ifdef LMB_SIMD_WIDTH
OP word state_word(control c, address index) {
    return lmb_load_words(c.states, index);
}

OP void set_state_word(control c, address index, word value) {
    lmb_store_words(c.states, index, value, c.counts);
}

OP ticks state_ticks(control c, address index) {
    return make_ticks(state_word(c, index), state_word(c, index + 1u));
}

OP void set_state_ticks(control c, address index, ticks value) {
    set_state_word(c, index, value.low);
    set_state_word(c, index + 1u, value.high);
}
#else
OP word state_word(control c, address index) {
    return LOAD(c.state, STATE_AT(c, index));
}

OP void set_state_word(control c, address index, word value) {
    STORE(c.state, STATE_AT(c, index), value);
}

OP ticks state_ticks(control c, address index) {
    return load_ticks(c.state, STATE_AT(c, index));
}

OP void set_state_ticks(control c, address index, ticks value) {
    store_ticks(c.state, STATE_AT(c, index), value);
}
#endif

// The character, or the lanes of it in which the condition holds.
OP control only_where(control c, lane_mask condition) {
#ifdef LMB_SIMD_WIDTH
    c.counts = AND(c.counts, condition);
#else
    UNUSED(condition);
#endif
    return c;
}

OP real state_number(control c, address index) {
    return REAL(state_word(c, index));
}

OP ticks block_ticks(control c, address index) {
    return load_ticks(c.block, index);
}

// From an index per lane.
OP ticks gather_ticks(memory block, word index) {
#ifdef LMB_SIMD_WIDTH
    return make_ticks(GATHER(block, index), GATHER(block, index + 1u));
#else
    return load_ticks(block, index);
#endif
}

OP void write_parameter(control c, address parameter, real value) {
    if (parameter != CONTROL_NONE) {
#ifdef LMB_SIMD_WIDTH
        lmb_scatter(c.parameters, c.row + (uint)parameter, BITS(value), c.counts);
#else
        STORE(c.parameters, ROW_AT(c, parameter), BITS(value));
#endif
    }
}

OP real parameter_number(control c, address parameter) {
#ifdef LMB_SIMD_WIDTH
    return GATHER_REAL(c.parameters, c.row + (uint)parameter);
#else
    return LOAD_FLOAT(c.parameters, ROW_AT(c, parameter));
#endif
}

// A value: a constant or a parameter, and a curve.
STRUCT(control_value)
float constant;
address parameter;
curve_record curve;
END_STRUCT(control_value)

OP control_value load_control_value(memory block, address at) {
    control_value v;
    v.parameter = LOAD(block, at);
    v.constant = LOAD_FLOAT(block, at + 1u);
    v.curve = load_curve(block, at + 2u);
    return v;
}

OP real curve_value(memory block, control_value v, real x) {
    lane_mask shapes = is_finite(x);
    if (USES_CURVES && v.curve.kind != CURVE_LINEAR && ANY(shapes)) {
#ifdef LMB_SIMD_WIDTH
        real shaped = snap(x);
        apply_curve_in_place(block, v.curve, &shaped);
#else
        real shaped = evaluate_any_curve(block, v.curve, snap(x));
#endif
        x = SELECT(shapes, shaped, x);
    }
    return x;
}

// snap() for finite x; returns other x unchanged. Most values need only the first test.
OP real snap_finite(real x) {
    word magnitude = BITS(x) & BITS_MAGNITUDE;
    lane_mask snaps = AND(magnitude - SNAP_SMALLEST > SNAP_LARGEST - SNAP_SMALLEST, magnitude < BITS_INFINITY);
    if (ANY(snaps)) {
        x = SELECT(snaps, snap(x), x);
    }
    return x;
}

// Evaluates a value. Finite parameters are snapped, because drivers differ in whether a subnormal is above 0. Constants
// are snapped when they are written. Values that are not finite stay so.
OP real number_of_value(control c, control_value v) {
    real x = SPLAT(v.constant);
    if (v.parameter != CONTROL_NONE) {
        x = snap_finite(parameter_number(c, v.parameter));
    }
    return curve_value(c.block, v, x);
}

OP real control_number(control c, address value) {
    return number_of_value(c, load_control_value(c.block, value));
}

#ifndef LMB_SIMD_WIDTH
// Events that a control emits to its host, in the order in which they occurred.

// Zeroes the number of events and their words.
OP void clear_emitted(control c) {
    uint words = EMITTED_COUNT_WORDS + WORDS_OF(EMITTED) * HEADER(c.block, CONTROL, emitted_capacity);
    for (address i = 0u; c.emits_events && i < words; i++) {
        STORE(c.emitted, EMITTED_AT(c, i), 0u);
    }
}

// What emits events, and when.
STRUCT(emission)
uint source; // EMITTED.source
real weight;
ticks time; // EMITTED.time
END_STRUCT(emission)

// `by`: BY_... `index`: of the player or machine. `part`: of the notify or state.
OP emission make_emission(uint by, address index, uint part, real weight, ticks time) {
    emission e;
    e.source = by | (part << EMITTED_PART_SHIFT) | (TO_WORD(index) << EMITTED_INDEX_SHIFT);
    e.weight = weight;
    e.time = time;
    return e;
}

// When the current piece of the frame begins: ticks since the frame's own step began. Negative, in two's complement, in
// the time that the character has waited.
OP ticks time_of_piece(control c) {
    return subtract_ticks(subtract_ticks(c.own_step, c.left), c.later);
}

// Counts events for which there is no room.
OP void lose_events(control c, uint times) {
    STORE(c.emitted, EMITTED_AT(c, 0u), LOAD(c.emitted, EMITTED_AT(c, 0u)) + times);
    set_state_word(c, FIELD(CHARACTER, lost_events), state_word(c, FIELD(CHARACTER, lost_events)) + times);
}

// Emits an event. If there is no room for it, it is only counted.
OP_NOINLINE void emit(control c, uint event, emission e, uint passes) {
    if (event == CONTROL_NONE || !c.emits_events) {
        return;
    }
    uint count = LOAD(c.emitted, EMITTED_AT(c, 0u));
    if (count >= HEADER(c.block, CONTROL, emitted_capacity)) {
        lose_events(c, 1u);
        return;
    }
    address at = EMITTED_AT(c, EMITTED_COUNT_WORDS + WORDS_OF(EMITTED) * count);
    STORE(c.emitted, at + FIELD(EMITTED, event), event);
    STORE(c.emitted, at + FIELD(EMITTED, weight), BITS(e.weight));
    STORE(c.emitted, at + FIELD(EMITTED, passes), passes);
    STORE(c.emitted, at + FIELD(EMITTED, source), e.source);
    store_ticks(c.emitted, at + FIELD(EMITTED, time), e.time);
    STORE(c.emitted, EMITTED_AT(c, 0u), count + 1u);
}

// How often and which way a player passed what emits an event: negative if backwards.
OP uint signed_passes(uint passes, bool backwards) {
    uint count = passes < 0x7fffffffu ? passes : 0x7fffffffu;
    return backwards ? 0u - count : count;
}

#endif

#endif
