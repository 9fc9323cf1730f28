// State machines: weights of their states, and the transitions that they take.
//
// A machine has a current state and at most one fade. When a transition is taken, the weights of all states are saved.
// They then change from the saved weights to 1 for the current state and 0 for the others, along the transition's
// curve. A machine can be nested in a state of another one, at most MOST_MACHINES_WITHIN deep.
#ifndef LMB_OPS_MACHINES_H
#define LMB_OPS_MACHINES_H

#include "conditions.h"
#include "hash.h"
#include "matching.h"
#include "phases.h"

// Inertialization: parameters by which a control triggers it in the pose kernels.

OP address inertia_state(control c) {
    return READ(c.block, HEADER(c.block, CONTROL, inertia), INERTIALIZED, state);
}

// Where the velocity that remains after transitions is in the state, or CONTROL_NONE.
OP address remaining_at(control c) {
    address character_motion = HEADER(c.block, CONTROL, character_motion);
    address at = CONTROL_NONE;
    if (USES_CHARACTER_MOTION && character_motion != CONTROL_NONE) {
        at = READ(c.block, character_motion, CHARACTER_MOTION, remaining);
    }
    return at;
}

// Advances the clock of inertialization. In an update the frame number increases; between updates it stays, and only
// time advances.
OP_NOINLINE void move_inertia(control c) {
    address at = inertia_state(c);
    ticks step = fine_of_ticks(c.step);
    if (c.updates) {
        set_state_word(c, at + FIELD(INERTIAL, number),
                       (state_word(c, at + FIELD(INERTIAL, number)) + 1u) & INERTIA_LAST_NUMBER);
        set_state_word(c, at + FIELD(INERTIAL, step_before), state_word(c, at + FIELD(INERTIAL, step)));
        set_state_word(c, at + FIELD(INERTIAL, step), BITS(seconds_of_fine(step)));
    }
    if (state_number(c, at + FIELD(INERTIAL, duration)) > 0.0f) {
        set_state_ticks(c, at + FIELD(INERTIAL, time), add_ticks(state_ticks(c, at + FIELD(INERTIAL, time)), step));
    }
    if (!(seconds_of_fine(state_ticks(c, at + FIELD(INERTIAL, time))) <
          state_number(c, at + FIELD(INERTIAL, duration)))) {
        set_state_word(c, at + FIELD(INERTIAL, duration), 0u);
        set_state_ticks(c, at + FIELD(INERTIAL, time), make_ticks(0u, 0u));
    }
}

// Triggers inertialization, which starts from the previous frame. If there are several triggers in a frame, the longest
// duration counts.
OP_NOINLINE void switch_inertia(control c, real duration) {
    address at = inertia_state(c);
    uint number = state_word(c, at + FIELD(INERTIAL, number));
    bool again = state_word(c, at + FIELD(INERTIAL, switched)) == number;
    real longest = state_number(c, at + FIELD(INERTIAL, duration));
    if (!again || duration > longest) {
        longest = duration;
    }
    set_state_word(c, at + FIELD(INERTIAL, switched), number);
    set_state_word(c, at + FIELD(INERTIAL, duration), BITS(longest));
    set_state_ticks(c, at + FIELD(INERTIAL, time), fine_of_ticks(c.step));
    if (remaining_at(c) != CONTROL_NONE) {
        set_state_word(c, remaining_at(c) + FIELD(REMAINING, switched), 1u);
    }
}

OP_NOINLINE void write_inertia(control c) {
    address at = inertia_state(c);
    uint first = READ(c.block, HEADER(c.block, CONTROL, inertia), INERTIALIZED, parameter);
    real number = TO_REAL(state_word(c, at + FIELD(INERTIAL, number)));
    real switched = TO_REAL(state_word(c, at + FIELD(INERTIAL, switched)));
    write_parameter(c, first + FIELD(INERTIA_INPUT, number), number);
    write_parameter(c, first + FIELD(INERTIA_INPUT, step), state_number(c, at + FIELD(INERTIAL, step_before)));
    write_parameter(c, first + FIELD(INERTIA_INPUT, switched), switched);
    write_parameter(c, first + FIELD(INERTIA_INPUT, time), seconds_of_fine(state_ticks(c, at + FIELD(INERTIAL, time))));
    write_parameter(c, first + FIELD(INERTIA_INPUT, duration), state_number(c, at + FIELD(INERTIAL, duration)));
}

// Whether a state of a machine is a given state of another one, or nested in it at any depth. All states are in
// CONTROL_NONE.
OP bool state_is_in(control c, address inner, address inner_state, address machine, address state) {
    bool found = machine == CONTROL_NONE;
    for (address level = 0u; level < MOST_MACHINES_WITHIN && inner != CONTROL_NONE; level++) {
        found = found || (inner == machine && inner_state == state);
        inner_state = READ(c.block, inner, MACHINE, outer_state);
        inner = READ(c.block, inner, MACHINE, outer);
    }
    return found;
}

// Offset of a machine's blend profiles, or CONTROL_NONE.
OP address block_profiles(memory block, address machine) {
    return READ(block, READ(block, READ(block, machine, MACHINE, states), STATE, table), TABLE, profiles);
}

OP address profiles_state(control c, address profiles) {
    return READ(c.block, profiles, MACHINE_PROFILES, state);
}

// Triggers and draws: words of the state that conditions of a machine read.

OP address decisions_end(memory block) {
    return HEADER(block, CONTROL, decisions) + HEADER(block, CONTROL, decision_count) * WORDS_OF(DECISION);
}

// Sets the triggers of a character's events.
OP_NOINLINE void set_triggers(control c) {
    uint count = c.sent_count < MOST_EVENTS_SENT ? c.sent_count : MOST_EVENTS_SENT;
    address end = decisions_end(c.block);
    for (address at = HEADER(c.block, CONTROL, decisions); at < end; at += WORDS_OF(DECISION)) {
        uint event = READ(c.block, at, DECISION, event);
        for (uint i = 0u; i < count && event != CONTROL_NONE; i++) {
            if (LOAD(c.sent, (c.sent_first + i) * 2u + 1u) == event) {
                set_state_word(c, READ(c.block, at, DECISION, state), 1u);
            }
        }
    }
}

// Resets the triggers that the condition of a transition names.
OP_NOINLINE void take_triggers(control c, address transition) {
    address term = READ(c.block, transition, TRANSITION, terms);
    address end = term + READ(c.block, transition, TRANSITION, term_count) * WORDS_OF(TERM);
    for (; term < end; term += WORDS_OF(TERM)) {
        if ((READ(c.block, term, TERM, kind) & TERM_OF_TRIGGER) != 0u) {
            set_state_word(c, LOAD(c.block, READ(c.block, term, STATE_TERM, state)), 0u);
        }
    }
}

// Draws anew for a machine.
OP_NOINLINE void draw(control c, address machine) {
    address end = decisions_end(c.block);
    for (address at = HEADER(c.block, CONTROL, decisions); at < end; at += WORDS_OF(DECISION)) {
        if (READ(c.block, at, DECISION, event) == CONTROL_NONE && READ(c.block, at, DECISION, machine) == machine) {
            address own = READ(c.block, at, DECISION, state);
            set_state_word(c, own, state_word(c, own) * DRAW_FACTOR + DRAW_STEP);
        }
    }
}

// Gives a seed to draws that have none.
OP_NOINLINE void seed_draws(control c) {
    address first = HEADER(c.block, CONTROL, draws);
    uint count = HEADER(c.block, CONTROL, draw_count);
    for (uint i = 0u; i < count; i++) {
        if (state_word(c, first + i) == 0u) {
            set_state_word(c, first + i, draw_seed(c.character, i));
        }
    }
}

OP void begin_machine(control c, address machine) {
    address at = machine_at(c, machine);
    address words = WORDS_OF(MACHINE_NOW) + READ(c.block, machine, MACHINE, state_count) * WORDS_OF(STATE_WEIGHT);
    for (address i = 0u; i < words; i++) {
        set_state_word(c, at + i, 0u);
    }
    set_state_word(c, at + WORDS_OF(MACHINE_NOW), BITS(1.0f));
    address profiles = block_profiles(c.block, machine);
    if (USES_PROFILES && profiles != CONTROL_NONE) {
        set_state_word(c, profiles_state(c, profiles) + FIELD(PROFILED, fade), 0u);
    }
    address travels = travels_of(c.block, state_table(c, machine, 0u));
    if (USES_TRAVEL && travels != CONTROL_NONE) {
        set_state_word(c, READ(c.block, travels, TRAVEL, state), 0u);
    }
    if (decides(c.block)) {
        draw(c, machine);
    }
    address matching = matching_of(c.block, machine);
    if (matching != CONTROL_NONE) {
        begin_matching(c, matching);
    }
}

// The time of another player, within the duration of this one.
OP_NOINLINE ticks synced_place(control c, address player, address other) {
    ticks duration = block_ticks(c, player + FIELD(PLAYER, duration));
    ticks place = time_in_clip(c, other);
    if (!ticks_less(place, duration)) {
        bool loops = READ(c.block, player, PLAYER, end) == PLAYER_LOOPS && !no_ticks(duration);
        place = loops ? divide_ticks(place, duration).rest : duration;
    }
    return place;
}

// The position of a player in a group follows from the group's phase. `other`: the player at whose time it begins, or
// CONTROL_NONE.
OP void begin_player(control c, address player, address other, beginning b) {
    address at = READ(c.block, player, PLAYER, state);
    if (READ(c.block, player, PLAYER, is_grouped) == 0u) {
        bool is_synced = USES_PLAYER_OPTIONS && other != CONTROL_NONE;
        set_state_ticks(c, at + FIELD(PLAYING, place),
                        is_synced ? synced_place(c, player, other) : start_place(c, player, b));
    }
    set_state_word(c, at + FIELD(PLAYING, flags), 0u);
    if (USES_PLAYER_OPTIONS) {
        address waited = READ(c.block, player, PLAYER, waited);
        if (waited != CONTROL_NONE) {
            set_state_ticks(c, waited, make_ticks(0u, 0u));
        }
    }
}

OP bool player_is_in(control c, address player, address machine, address state) {
    return state_is_in(c, READ(c.block, player, PLAYER, machine), READ(c.block, player, PLAYER, machine_state), machine,
                       state);
}

// Where a player is, seen from a state: not in it, in it, or in it with all states between them current.
#define PLAYER_OUTSIDE 0u
#define PLAYER_INSIDE 1u
#define PLAYER_CURRENT 2u

OP uint find_player_in(control c, address player, address machine, address state) {
    address inner = READ(c.block, player, PLAYER, machine);
    address inner_state = READ(c.block, player, PLAYER, machine_state);
    bool inside = machine == CONTROL_NONE;
    bool current = true;
    for (address level = 0u; level < MOST_MACHINES_WITHIN && inner != CONTROL_NONE; level++) {
        if (inner == machine && inner_state == state) {
            inside = true;
            break;
        }
        current = current && state_word(c, machine_at(c, inner) + FIELD(MACHINE_NOW, current)) == inner_state;
        inner_state = READ(c.block, inner, MACHINE, outer_state);
        inner = READ(c.block, inner, MACHINE, outer);
    }
    return !inside ? PLAYER_OUTSIDE : (current ? PLAYER_CURRENT : PLAYER_INSIDE);
}

// Gives phases to the groups of the players in a state that is about to become current. If another member moves, the
// group keeps its phase. Otherwise it begins where the first one begins that is current with the state; if there is
// none, where the first one of all begins.
OP_NOINLINE void begin_groups(control c, address machine, address state, beginning b) {
    address group = HEADER(c.block, CONTROL, groups);
    address end = group + HEADER(c.block, CONTROL, group_count) * WORDS_OF(GROUP);
    for (; group < end; group += WORDS_OF(GROUP)) {
        address member = READ(c.block, group, GROUP, members);
        address members_end = member + READ(c.block, group, GROUP, member_count) * WORDS_OF(MEMBER);
        address first = CONTROL_NONE;
        bool has_current = false;
        bool others_move = false;
        for (; member < members_end; member += WORDS_OF(MEMBER)) {
            address player = READ(c.block, member, MEMBER, player);
            uint where = find_player_in(c, player, machine, state);
            if (where != PLAYER_OUTSIDE) {
                bool current = where == PLAYER_CURRENT;
                first = first == CONTROL_NONE || (current && !has_current) ? member : first;
                has_current = has_current || current;
            } else {
                others_move = others_move || state_moves(c, READ(c.block, player, PLAYER, machine),
                                                         READ(c.block, player, PLAYER, machine_state));
            }
        }
        if (first != CONTROL_NONE && !others_move) {
            begin_group(c, group, first, b);
        }
    }
}

// Begins the players and machines in a state, before it becomes current.
OP_NOINLINE void begin_state(control c, address machine, address state, beginning b) {
    address machines = HEADER(c.block, CONTROL, machines);
    address machine_count = HEADER(c.block, CONTROL, machine_count);
    for (address i = 0u; i < machine_count; i++) {
        address inner = machines + i * WORDS_OF(MACHINE);
        if (state_is_in(c, READ(c.block, inner, MACHINE, outer), READ(c.block, inner, MACHINE, outer_state), machine,
                        state)) {
            begin_machine(c, inner);
        }
    }
    address players = HEADER(c.block, CONTROL, players);
    address player_count = HEADER(c.block, CONTROL, player_count);
    for (address i = 0u; i < player_count; i++) {
        address player = players + i * WORDS_OF(PLAYER);
        if (player_is_in(c, player, machine, state)) {
            address other = CONTROL_NONE;
            if (USES_PLAYER_OPTIONS) {
                other = READ(c.block, player, PLAYER, sync);
                if (other != CONTROL_NONE && player_is_in(c, other, machine, state)) {
                    other = CONTROL_NONE;
                }
            }
            begin_player(c, player, other, b);
        }
    }
    if (USES_GROUPS) {
        begin_groups(c, machine, state, b);
    }
}

// Where the clips of a state begin that a transition enters.
OP_NOINLINE beginning find_beginning(control c, address machine, address transition) {
    beginning b = begin_at_offsets();
    uint flags = READ(c.block, transition, TRANSITION, flags);
    if ((flags & TRANSITION_AT_PHASE) != 0u) {
        b.at_phase = true;
        b.share = LOAD(c.block, READ(c.block, transition, TRANSITION, curve) + WORDS_OF(FADE_CURVE));
    }
    if ((flags & TRANSITION_IN_SYNC) != 0u) {
        address current = state_word(c, machine_at(c, machine) + FIELD(MACHINE_NOW, current));
        address player = READ(c.block, state_record(c, machine, current), STATE, end_player);
        ticks duration = player == CONTROL_NONE ? make_ticks(0u, 0u) : block_ticks(c, player + FIELD(PLAYER, duration));
        if (!no_ticks(duration)) {
            b.at_phase = true;
            b.share = share_of_ticks(time_in_clip(c, player), duration);
        }
    }
    return b;
}

// The share of a fade's new state, from the fraction of the fade's time that has passed.
OP_NOINLINE real evaluate_fade_curve(control c, address curve, real part) {
    real shaped = evaluate_curve(c.block, load_curve(c.block, curve), part);
    return clamp_real(snap(shaped), 0.0f, 1.0f);
}

// The weight of a state before the fade with a profile (`end` 0), or after it (`end` 1).
OP real profiled_end(control c, address machine, address at, address state, address end) {
    real began = state_number(c, at + WORDS_OF(PROFILED) + state * WORDS_OF(PROFILED_END) + end);
    bool is_current = state_word(c, machine_at(c, machine) + FIELD(MACHINE_NOW, current)) == state;
    return snap(lerp(began, is_current ? 1.0f : 0.0f, state_number(c, at + FIELD(PROFILED, share))));
}

// Called before a transition is taken. A transition that begins during a fade with a profile has no profile itself.
OP_NOINLINE void begin_profiled(control c, address machine, address profiles, address transition) {
    address at = profiles_state(c, profiles);
    address count = READ(c.block, machine, MACHINE, state_count);
    bool over = state_word(c, at + FIELD(PROFILED, fade)) != 0u;
    for (address state = 0u; state < count; state++) {
        address ends = at + WORDS_OF(PROFILED) + state * WORDS_OF(PROFILED_END);
        real first = state_weight(c, machine, state);
        real last = state == READ(c.block, transition, TRANSITION, to) ? 1.0f : 0.0f;
        if (over) {
            first = profiled_end(c, machine, at, state, 0u);
            last = profiled_end(c, machine, at, state, 1u);
        }
        set_state_word(c, ends, BITS(first));
        set_state_word(c, ends + 1u, BITS(last));
    }
    if (!over) {
        set_state_word(c, at + FIELD(PROFILED, fade),
                       READ(c.block, transition, TRANSITION, flags) >> TRANSITION_PROFILE_SHIFT);
        set_state_word(c, at + FIELD(PROFILED, time), 0u);
    }
    set_state_word(c, at + FIELD(PROFILED, over), over ? 1u : 0u);
    set_state_word(c, at + FIELD(PROFILED, share), 0u);
}

// The fraction of a fade's time that has passed, in 24 bits, which a float holds exactly.
OP real fade_part(ticks faded, ticks whole) {
    return TO_REAL(share_of_ticks(faded, whole) >> 8u) * 5.96046448e-08f;
}

// Gives states that have no weight, but still contribute to some joints by a fade with a profile, a weight of 2^-40, so
// that they are evaluated.
OP_NOINLINE void show_profiled(control c, address machine, address profiles) {
    address at = profiles_state(c, profiles);
    address count = READ(c.block, machine, MACHINE, state_count);
    for (address state = 0u; state < count && state_word(c, at + FIELD(PROFILED, fade)) != 0u; state++) {
        bool seen = profiled_end(c, machine, at, state, 0u) > 0.0f || profiled_end(c, machine, at, state, 1u) > 0.0f;
        if (seen && !(state_weight(c, machine, state) > 0.0f)) {
            set_state_word(c, state_weight_at(c, machine, state), BITS(9.09494702e-13f)); // 2^-40
        }
    }
}

// Updates the progress of a fade with a profile; weigh_states() returned `share`.
OP_NOINLINE void weigh_profiled(control c, address machine, address profiles, real share) {
    address machine_state = machine_at(c, machine);
    address at = profiles_state(c, profiles);
    address fade = state_word(c, machine_state + FIELD(MACHINE_NOW, fade));
    if (fade == 0u || state_word(c, at + FIELD(PROFILED, fade)) == 0u) {
        set_state_word(c, at + FIELD(PROFILED, fade), 0u);
        return;
    }
    real part = fade_part(state_ticks(c, machine_state + FIELD(MACHINE_NOW, faded)),
                          block_ticks(c, fade + FIELD(TRANSITION, fade)));
    if (state_word(c, at + FIELD(PROFILED, over)) != 0u) {
        set_state_word(c, at + FIELD(PROFILED, share), BITS(share));
    } else {
        set_state_word(c, at + FIELD(PROFILED, time), BITS(part));
    }
    show_profiled(c, machine, profiles);
}

// Sets the weights of a machine's states at a share of the current state in its fade.
OP void set_weights(control c, address machine, real share) {
    address at = machine_at(c, machine);
    address current = state_word(c, at + FIELD(MACHINE_NOW, current));
    address state_count = READ(c.block, machine, MACHINE, state_count);
    for (address state = 0u; state < state_count; state++) {
        address weight_at = at + WORDS_OF(MACHINE_NOW) + state * WORDS_OF(STATE_WEIGHT);
        real began = REAL(state_word(c, weight_at + FIELD(STATE_WEIGHT, began)) & ~MACHINE_FROZEN);
        real target = state == current ? 1.0f : 0.0f;
        real weight = lerp(began, target, share);
        set_state_word(c, weight_at, BITS(snap(weight)));
    }
}

// Computes the weights of a machine's states from the progress of its fade, or ends the fade. Returns the share of the
// current state.
OP real weigh_states(control c, address machine) {
    address at = machine_at(c, machine);
    address fade = state_word(c, at + FIELD(MACHINE_NOW, fade));
    real share = 1.0f;
    if (fade != 0u) {
        ticks faded = state_ticks(c, at + FIELD(MACHINE_NOW, faded));
        ticks whole = block_ticks(c, fade + FIELD(TRANSITION, fade));
        if (ticks_less(faded, whole)) {
            share = evaluate_fade_curve(c, READ(c.block, fade, TRANSITION, curve), fade_part(faded, whole));
        } else {
            set_state_word(c, at + FIELD(MACHINE_NOW, fade), 0u);
        }
        set_weights(c, machine, share);
    }
    return share;
}

OP void emit_state(control c, address machine, address state, uint which) {
    uint event = LOAD(c.block, state_record(c, machine, state) + which);
    if (event != CONTROL_NONE) {
        uint by = which == FIELD(STATE, entry_event) ? BY_ENTRY : BY_EXIT;
        address index = (machine - HEADER(c.block, CONTROL, machines)) / WORDS_OF(MACHINE);
        real weight = whole_weight(c, machine, state);
        emit(c, event, make_emission(by, index, TO_WORD(state), weight, time_of_piece(c)), 0u);
    }
}

// Whether a transition is inertialized: it says so, or it restarts a state that is seen, whose players cannot be at two
// times at once.
OP bool inertializes_transition(control c, address transition, bool restarts_seen) {
    bool can = USES_INERTIA && HEADER(c.block, CONTROL, inertia) != CONTROL_NONE;
    bool says_so = (READ(c.block, transition, TRANSITION, flags) & TRANSITION_INERTIALIZES) != 0u;
    return can && (says_so || (restarts_seen && !no_ticks(block_ticks(c, transition + FIELD(TRANSITION, fade)))));
}

// Keeps the weights from which a transition fades, and with them which states are frozen.
OP void keep_weights(control c, address machine, address transition) {
    address state_count = READ(c.block, machine, MACHINE, state_count);
    uint to = READ(c.block, transition, TRANSITION, to);
    bool freezes = (READ(c.block, transition, TRANSITION, flags) & TRANSITION_FREEZES) != 0u;
    for (address state = 0u; state < state_count; state++) {
        address weight_at = state_weight_at(c, machine, state);
        bool frozen = state != to && (freezes || is_frozen(c, machine, state));
        set_state_word(c, weight_at + FIELD(STATE_WEIGHT, began),
                       state_word(c, weight_at) | (frozen ? MACHINE_FROZEN : 0u));
    }
}

OP_NOINLINE void take_transition(control c, address machine, address transition) {
    address at = machine_at(c, machine);
    uint to = READ(c.block, transition, TRANSITION, to);
    emit_state(c, machine, state_word(c, at + FIELD(MACHINE_NOW, current)), FIELD(STATE, exit_event));
    address profiles = block_profiles(c.block, machine);
    if (USES_PROFILES && profiles != CONTROL_NONE) {
        begin_profiled(c, machine, profiles, transition);
    }
    bool seen = state_weight(c, machine, to) > 0.0f;
    bool restarts = (READ(c.block, state_table(c, machine, to), TABLE, flags) & TABLE_RESTARTS) != 0u;
    bool jumps = USES_MATCHING && (READ(c.block, transition, TRANSITION, flags) & TRANSITION_JUMPS) != 0u;
    bool begins = !seen || state_ended(c, machine, to, 0u) || restarts || jumps;
    if (begins) {
        beginning b = begin_at_offsets();
        if (USES_STARTS) {
            b = find_beginning(c, machine, transition);
        }
        begin_state(c, machine, to, b);
    }
    keep_weights(c, machine, transition);
    set_state_word(c, at + FIELD(MACHINE_NOW, current), to);
    set_state_ticks(c, at + FIELD(MACHINE_NOW, time), make_ticks(0u, 0u));
    set_state_word(c, at + FIELD(MACHINE_NOW, fade), TO_WORD(transition));
    set_state_ticks(c, at + FIELD(MACHINE_NOW, faded), make_ticks(0u, 0u));
    bool inertializes = inertializes_transition(c, transition, begins && seen);
    bool has_profiles = USES_PROFILES && profiles != CONTROL_NONE;
    // All curves begin at 0, so weights do not change yet, unless there is no fade.
    if (inertializes || no_ticks(block_ticks(c, transition + FIELD(TRANSITION, fade)))) {
        set_state_word(c, at + FIELD(MACHINE_NOW, fade), 0u);
        set_weights(c, machine, 1.0f);
        if (has_profiles) {
            set_state_word(c, profiles_state(c, profiles) + FIELD(PROFILED, fade), 0u);
        }
    } else if (has_profiles) {
        show_profiled(c, machine, profiles);
    }
    if (inertializes) {
        switch_inertia(c, seconds_of_fine(block_ticks(c, transition + FIELD(TRANSITION, fade))));
    }
    if (decides(c.block)) {
        take_triggers(c, transition);
        draw(c, machine);
    }
    emit_state(c, machine, to, FIELD(STATE, entry_event));
}

OP bool transition_leaves(control c, address transition, address state) {
    uint from = READ(c.block, transition, TRANSITION, from);
    bool from_any = READ(c.block, transition, TRANSITION, to) != state ||
                    (READ(c.block, transition, TRANSITION, flags) & TRANSITION_TO_SELF) != 0u;
    return from == state || (from == CONTROL_NONE && from_any);
}

// Begins the travel that an event asks for.
OP_NOINLINE void begin_travel(control c, address machine, uint event) {
    address current = state_word(c, machine_at(c, machine) + FIELD(MACHINE_NOW, current));
    address travels = travels_of(c.block, state_table(c, machine, current));
    if (travels == CONTROL_NONE) {
        return;
    }
    address state_count = READ(c.block, machine, MACHINE, state_count);
    for (address state = 0u; state < state_count; state++) {
        address destination = travels + WORDS_OF(TRAVEL) + state * WORDS_OF(DESTINATION);
        if (READ(c.block, destination, DESTINATION, event) == event) {
            set_state_word(c, READ(c.block, travels, TRAVEL, state), state == current ? 0u : TO_WORD(state) + 1u);
        }
    }
}

// Ends a travel after a transition, if the machine has arrived or an event caused the transition.
OP void end_travel(control c, address machine, bool by_event) {
    address current = state_word(c, machine_at(c, machine) + FIELD(MACHINE_NOW, current));
    address travels = travels_of(c.block, state_table(c, machine, current));
    if (travels != CONTROL_NONE) {
        address at = READ(c.block, travels, TRAVEL, state);
        if (by_event || state_word(c, at) == current + 1u) {
            set_state_word(c, at, 0u);
        }
    }
}

// The first transition that an event triggers, or with CONTROL_NONE one that needs no event, and that applies. Or
// CONTROL_NONE. States have tables of the transitions from them that need no event; all others are searched for.
OP address find_transition(control c, address machine, uint event) {
    address current = state_word(c, machine_at(c, machine) + FIELD(MACHINE_NOW, current));
    bool tabled = event == CONTROL_NONE;
    candidates each = find_candidates(c, machine, current);
    address at = each.at;
    address end = each.end;
    address step = 1u;
    uint passed = PLAYING_PASSED;
    if (!tabled) {
        at = READ(c.block, machine, MACHINE, transitions);
        end = at + READ(c.block, machine, MACHINE, transition_count) * WORDS_OF(TRANSITION);
        step = WORDS_OF(TRANSITION);
        passed = PLAYING_PASSED_IN_FRAME;
    }
    address found = CONTROL_NONE;
    if (USES_TRAVEL && tabled && each.travels) {
        address transition = LOAD(c.block, at);
        found = step_applies(c, machine, current, transition) ? transition : found;
        at = end;
    }
    for (; at < end; at += step) {
        address transition = tabled ? LOAD(c.block, at) : at;
        bool fits = tabled;
        if (!tabled) {
            fits = READ(c.block, transition, TRANSITION, event) == event && transition_leaves(c, transition, current);
        }
        if (fits && transition_applies(c, machine, current, transition, passed)) {
            found = transition;
            break;
        }
    }
    return found;
}

// Takes a machine's transitions in a piece of a frame: first a jump to a row that was found. Then repeatedly takes one
// that needs no event or, if there is none, tries the next event.
OP void run_transitions(control c, address machine, frame_part runs, bool resumes) {
    transition_progress now = make_progress(0u);
    if (RUNS_PARTS && resumes) {
        now = load_progress(c);
    }
    uint count = c.sent_count < MOST_EVENTS_SENT ? c.sent_count : MOST_EVENTS_SENT;
    uint rounds = 0u;
    address matching = matching_of(c.block, machine);
    while ((!RUNS_PARTS || (!now.is_over && rounds < runs.most_rounds)) && machine_is_current(c, machine)) {
        rounds++;
        uint event = now.event;
        uint found = found_choice(c, matching);
        address transition = CONTROL_NONE;
        if (found != 0u) {
            transition = jump_to(c, matching, found - 1u);
        } else {
            transition = find_transition(c, machine, event);
        }
        if (transition == CONTROL_NONE && event == CONTROL_NONE) {
            if (now.next == count) {
                now.is_over = true;
                break;
            }
            now.event = LOAD(c.sent, (c.sent_first + now.next) * 2u + 1u);
            now.next++;
        } else {
            if (USES_TRAVEL && transition == CONTROL_NONE) {
                begin_travel(c, machine, event);
            }
            now.event = CONTROL_NONE;
        }
        if (transition != CONTROL_NONE) {
            if (now.taken == MOST_TRANSITIONS_A_FRAME) {
                uint left = state_word(c, FIELD(CHARACTER, transitions_left));
                set_state_word(c, FIELD(CHARACTER, transitions_left), left + 1u);
                now.is_over = true;
                break;
            }
            take_transition(c, machine, transition);
            if (found != 0u) {
                land(c, matching, found - 1u);
            }
            if (USES_TRAVEL) {
                end_travel(c, machine, event != CONTROL_NONE);
            }
            now.taken++;
        }
    }
    if (RUNS_PARTS) {
        store_progress(c, now);
    }
}

// Advances a machine's time in its state and its fade, unless the state that contains the machine does not move.
OP void move_fade(control c, address machine) {
    address at = machine_at(c, machine);
    address outer = READ(c.block, machine, MACHINE, outer);
    if (outer != CONTROL_NONE && !state_moves(c, outer, READ(c.block, machine, MACHINE, outer_state))) {
        return;
    }
    ticks fine = fine_of_ticks(c.duration);
    set_state_ticks(c, at + FIELD(MACHINE_NOW, time), add_ticks(state_ticks(c, at + FIELD(MACHINE_NOW, time)), fine));
    if (state_word(c, at + FIELD(MACHINE_NOW, fade)) != 0u) {
        set_state_ticks(c, at + FIELD(MACHINE_NOW, faded),
                        add_ticks(state_ticks(c, at + FIELD(MACHINE_NOW, faded)), fine));
    }
}

#endif
