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
    return LOAD(c.block, LOAD(c.block, CONTROL_INERTIA) + INERTIAL_STATE);
}

// Where the velocity that remains after transitions is in the state, or CONTROL_NONE.
OP address remaining_at(control c) {
    address character_motion = LOAD(c.block, CONTROL_CHARACTER_MOTION);
    address at = CONTROL_NONE;
    if (USES_CHARACTER_MOTION && character_motion != CONTROL_NONE) {
        at = LOAD(c.block, character_motion + CHARACTER_MOTION_REMAINING);
    }
    return at;
}

// Advances the clock of inertialization. In an update the frame number increases; between updates it stays, and only
// time advances.
OP_NOINLINE void move_inertia(control c) {
    address at = inertia_state(c);
    ticks step = fine_of_ticks(c.step);
    if (c.updates) {
        set_state_word(c, at + INERTIAL_NUMBER, (state_word(c, at + INERTIAL_NUMBER) + 1u) & INERTIA_LAST_NUMBER);
        set_state_word(c, at + INERTIAL_STEP_BEFORE, state_word(c, at + INERTIAL_STEP));
        set_state_word(c, at + INERTIAL_STEP, BITS(seconds_of_fine(step)));
    }
    if (state_number(c, at + INERTIAL_DURATION) > 0.0f) {
        set_state_ticks(c, at + INERTIAL_TIME, add_ticks(state_ticks(c, at + INERTIAL_TIME), step));
    }
    if (!(seconds_of_fine(state_ticks(c, at + INERTIAL_TIME)) < state_number(c, at + INERTIAL_DURATION))) {
        set_state_word(c, at + INERTIAL_DURATION, 0u);
        set_state_ticks(c, at + INERTIAL_TIME, make_ticks(0u, 0u));
    }
}

// Triggers inertialization, which starts from the previous frame. If there are several triggers in a frame, the longest
// duration counts.
OP_NOINLINE void switch_inertia(control c, real duration) {
    address at = inertia_state(c);
    uint number = state_word(c, at + INERTIAL_NUMBER);
    bool again = state_word(c, at + INERTIAL_SWITCHED) == number;
    real longest = state_number(c, at + INERTIAL_DURATION);
    if (!again || duration > longest) {
        longest = duration;
    }
    set_state_word(c, at + INERTIAL_SWITCHED, number);
    set_state_word(c, at + INERTIAL_DURATION, BITS(longest));
    set_state_ticks(c, at + INERTIAL_TIME, fine_of_ticks(c.step));
    if (remaining_at(c) != CONTROL_NONE) {
        set_state_word(c, remaining_at(c) + REMAINING_SWITCHED, 1u);
    }
}

OP_NOINLINE void write_inertia(control c) {
    address at = inertia_state(c);
    uint first = LOAD(c.block, LOAD(c.block, CONTROL_INERTIA) + INERTIAL_PARAMETER);
    real number = TO_REAL(state_word(c, at + INERTIAL_NUMBER));
    real switched = TO_REAL(state_word(c, at + INERTIAL_SWITCHED));
    write_parameter(c, first + INERTIA_NUMBER, number);
    write_parameter(c, first + INERTIA_STEP, state_number(c, at + INERTIAL_STEP_BEFORE));
    write_parameter(c, first + INERTIA_SWITCHED, switched);
    write_parameter(c, first + INERTIA_TIME, seconds_of_fine(state_ticks(c, at + INERTIAL_TIME)));
    write_parameter(c, first + INERTIA_DURATION, state_number(c, at + INERTIAL_DURATION));
}

// Whether a state of a machine is a given state of another one, or nested in it at any depth. All states are in
// CONTROL_NONE.
OP bool state_is_in(control c, address inner, address inner_state, address machine, address state) {
    bool found = machine == CONTROL_NONE;
    for (address level = 0u; level < MOST_MACHINES_WITHIN && inner != CONTROL_NONE; level++) {
        found = found || (inner == machine && inner_state == state);
        inner_state = LOAD(c.block, inner + MACHINE_OUTER_STATE);
        inner = LOAD(c.block, inner + MACHINE_OUTER);
    }
    return found;
}

// Offset of a machine's blend profiles, or CONTROL_NONE.
OP address block_profiles(memory block, address machine) {
    return LOAD(block, LOAD(block, LOAD(block, machine + MACHINE_STATES) + STATE_TABLE) + TABLE_PROFILES);
}

OP address profiles_state(control c, address profiles) {
    return LOAD(c.block, profiles + PROFILES_STATE_WORDS);
}

// Triggers and draws: words of the state that conditions of a machine read.

OP address decisions_end(memory block) {
    return LOAD(block, CONTROL_DECISIONS) + LOAD(block, CONTROL_DECISION_COUNT) * DECISION_WORDS;
}

// Sets the triggers of a character's events.
OP_NOINLINE void set_triggers(control c) {
    uint count = c.sent_count < MOST_EVENTS_SENT ? c.sent_count : MOST_EVENTS_SENT;
    address end = decisions_end(c.block);
    for (address at = LOAD(c.block, CONTROL_DECISIONS); at < end; at += DECISION_WORDS) {
        uint event = LOAD(c.block, at + DECISION_EVENT);
        for (uint i = 0u; i < count && event != CONTROL_NONE; i++) {
            if (LOAD(c.sent, (c.sent_first + i) * 2u + 1u) == event) {
                set_state_word(c, LOAD(c.block, at + DECISION_STATE), 1u);
            }
        }
    }
}

// Resets the triggers that the condition of a transition names.
OP_NOINLINE void take_triggers(control c, address transition) {
    address term = LOAD(c.block, transition + TRANSITION_TERMS);
    address end = term + LOAD(c.block, transition + TRANSITION_TERM_COUNT) * TERM_WORDS;
    for (; term < end; term += TERM_WORDS) {
        if ((LOAD(c.block, term + TERM_KIND) & TERM_OF_TRIGGER) != 0u) {
            set_state_word(c, LOAD(c.block, LOAD(c.block, term + TERM_STATE)), 0u);
        }
    }
}

// Draws anew for a machine.
OP_NOINLINE void draw(control c, address machine) {
    address end = decisions_end(c.block);
    for (address at = LOAD(c.block, CONTROL_DECISIONS); at < end; at += DECISION_WORDS) {
        if (LOAD(c.block, at + DECISION_EVENT) == CONTROL_NONE && LOAD(c.block, at + DECISION_MACHINE) == machine) {
            address own = LOAD(c.block, at + DECISION_STATE);
            set_state_word(c, own, state_word(c, own) * DRAW_FACTOR + DRAW_STEP);
        }
    }
}

// Gives a seed to draws that have none.
OP_NOINLINE void seed_draws(control c) {
    address first = LOAD(c.block, CONTROL_DRAWS);
    uint count = LOAD(c.block, CONTROL_DRAW_COUNT);
    for (uint i = 0u; i < count; i++) {
        if (state_word(c, first + i) == 0u) {
            set_state_word(c, first + i, draw_seed(c.character, i));
        }
    }
}

OP void begin_machine(control c, address machine) {
    address at = machine_at(c, machine);
    address words = MACHINE_WEIGHTS + LOAD(c.block, machine + MACHINE_STATE_COUNT) * MACHINE_STATE_WEIGHT_WORDS;
    for (address i = 0u; i < words; i++) {
        set_state_word(c, at + i, 0u);
    }
    set_state_word(c, at + MACHINE_WEIGHTS, BITS(1.0f));
    address profiles = block_profiles(c.block, machine);
    if (USES_PROFILES && profiles != CONTROL_NONE) {
        set_state_word(c, profiles_state(c, profiles) + PROFILED_FADE, 0u);
    }
    address travels = travels_of(c.block, state_table(c, machine, 0u));
    if (USES_TRAVEL && travels != CONTROL_NONE) {
        set_state_word(c, LOAD(c.block, travels + TRAVEL_STATE), 0u);
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
    ticks duration = block_ticks(c, player + PLAYER_DURATION);
    ticks place = time_in_clip(c, other);
    if (!ticks_less(place, duration)) {
        bool loops = LOAD(c.block, player + PLAYER_END) == PLAYER_LOOPS && !no_ticks(duration);
        place = loops ? divide_ticks(place, duration).rest : duration;
    }
    return place;
}

// The position of a player in a group follows from the group's phase. `other`: the player at whose time it begins, or
// CONTROL_NONE.
OP void begin_player(control c, address player, address other, beginning b) {
    address at = LOAD(c.block, player + PLAYER_STATE);
    if (LOAD(c.block, player + PLAYER_IS_GROUPED) == 0u) {
        bool is_synced = USES_PLAYER_OPTIONS && other != CONTROL_NONE;
        set_state_ticks(c, at + PLAYING_PLACE, is_synced ? synced_place(c, player, other) : start_place(c, player, b));
    }
    set_state_word(c, at + PLAYING_FLAGS, 0u);
    if (USES_PLAYER_OPTIONS) {
        address waited = LOAD(c.block, player + PLAYER_WAITED);
        if (waited != CONTROL_NONE) {
            set_state_ticks(c, waited, make_ticks(0u, 0u));
        }
    }
}

OP bool player_is_in(control c, address player, address machine, address state) {
    return state_is_in(c, LOAD(c.block, player + PLAYER_MACHINE), LOAD(c.block, player + PLAYER_MACHINE_STATE), machine,
                       state);
}

// Where a player is, seen from a state: not in it, in it, or in it with all states between them current.
#define PLAYER_OUTSIDE 0u
#define PLAYER_INSIDE 1u
#define PLAYER_CURRENT 2u

OP uint find_player_in(control c, address player, address machine, address state) {
    address inner = LOAD(c.block, player + PLAYER_MACHINE);
    address inner_state = LOAD(c.block, player + PLAYER_MACHINE_STATE);
    bool inside = machine == CONTROL_NONE;
    bool current = true;
    for (address level = 0u; level < MOST_MACHINES_WITHIN && inner != CONTROL_NONE; level++) {
        if (inner == machine && inner_state == state) {
            inside = true;
            break;
        }
        current = current && state_word(c, machine_at(c, inner) + MACHINE_CURRENT) == inner_state;
        inner_state = LOAD(c.block, inner + MACHINE_OUTER_STATE);
        inner = LOAD(c.block, inner + MACHINE_OUTER);
    }
    return !inside ? PLAYER_OUTSIDE : (current ? PLAYER_CURRENT : PLAYER_INSIDE);
}

// Gives phases to the groups of the players in a state that is about to become current. If another member moves, the
// group keeps its phase. Otherwise it begins where the first one begins that is current with the state; if there is
// none, where the first one of all begins.
OP_NOINLINE void begin_groups(control c, address machine, address state, beginning b) {
    address group = LOAD(c.block, CONTROL_GROUPS);
    address end = group + LOAD(c.block, CONTROL_GROUP_COUNT) * GROUP_WORDS;
    for (; group < end; group += GROUP_WORDS) {
        address member = LOAD(c.block, group + GROUP_MEMBERS);
        address members_end = member + LOAD(c.block, group + GROUP_MEMBER_COUNT) * MEMBER_WORDS;
        address first = CONTROL_NONE;
        bool has_current = false;
        bool others_move = false;
        for (; member < members_end; member += MEMBER_WORDS) {
            address player = LOAD(c.block, member + MEMBER_PLAYER);
            uint where = find_player_in(c, player, machine, state);
            if (where != PLAYER_OUTSIDE) {
                bool current = where == PLAYER_CURRENT;
                first = first == CONTROL_NONE || (current && !has_current) ? member : first;
                has_current = has_current || current;
            } else {
                others_move = others_move || state_moves(c, LOAD(c.block, player + PLAYER_MACHINE),
                                                         LOAD(c.block, player + PLAYER_MACHINE_STATE));
            }
        }
        if (first != CONTROL_NONE && !others_move) {
            begin_group(c, group, first, b);
        }
    }
}

// Begins the players and machines in a state, before it becomes current.
OP_NOINLINE void begin_state(control c, address machine, address state, beginning b) {
    address machines = LOAD(c.block, CONTROL_MACHINES);
    address machine_count = LOAD(c.block, CONTROL_MACHINE_COUNT);
    for (address i = 0u; i < machine_count; i++) {
        address inner = machines + i * MACHINE_WORDS;
        if (state_is_in(c, LOAD(c.block, inner + MACHINE_OUTER), LOAD(c.block, inner + MACHINE_OUTER_STATE), machine,
                        state)) {
            begin_machine(c, inner);
        }
    }
    address players = LOAD(c.block, CONTROL_PLAYERS);
    address player_count = LOAD(c.block, CONTROL_PLAYER_COUNT);
    for (address i = 0u; i < player_count; i++) {
        address player = players + i * PLAYER_WORDS;
        if (player_is_in(c, player, machine, state)) {
            address other = CONTROL_NONE;
            if (USES_PLAYER_OPTIONS) {
                other = LOAD(c.block, player + PLAYER_SYNC);
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
    uint flags = LOAD(c.block, transition + TRANSITION_FLAGS);
    if ((flags & TRANSITION_AT_PHASE) != 0u) {
        b.at_phase = true;
        b.share = LOAD(c.block, LOAD(c.block, transition + TRANSITION_CURVE) + FADE_CURVE_WORDS);
    }
    if ((flags & TRANSITION_IN_SYNC) != 0u) {
        address current = state_word(c, machine_at(c, machine) + MACHINE_CURRENT);
        address player = LOAD(c.block, state_record(c, machine, current) + STATE_END_PLAYER);
        ticks duration = player == CONTROL_NONE ? make_ticks(0u, 0u) : block_ticks(c, player + PLAYER_DURATION);
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
    real began = state_number(c, at + PROFILED_ENDS + state * PROFILED_ENDS_WORDS + end);
    bool is_current = state_word(c, machine_at(c, machine) + MACHINE_CURRENT) == state;
    return snap(lerp(began, is_current ? 1.0f : 0.0f, state_number(c, at + PROFILED_SHARE)));
}

// Called before a transition is taken. A transition that begins during a fade with a profile has no profile itself.
OP_NOINLINE void begin_profiled(control c, address machine, address profiles, address transition) {
    address at = profiles_state(c, profiles);
    address count = LOAD(c.block, machine + MACHINE_STATE_COUNT);
    bool over = state_word(c, at + PROFILED_FADE) != 0u;
    for (address state = 0u; state < count; state++) {
        address ends = at + PROFILED_ENDS + state * PROFILED_ENDS_WORDS;
        real first = state_weight(c, machine, state);
        real last = state == LOAD(c.block, transition + TRANSITION_TO) ? 1.0f : 0.0f;
        if (over) {
            first = profiled_end(c, machine, at, state, 0u);
            last = profiled_end(c, machine, at, state, 1u);
        }
        set_state_word(c, ends, BITS(first));
        set_state_word(c, ends + 1u, BITS(last));
    }
    if (!over) {
        set_state_word(c, at + PROFILED_FADE, LOAD(c.block, transition + TRANSITION_FLAGS) >> TRANSITION_PROFILE_SHIFT);
        set_state_word(c, at + PROFILED_TIME, 0u);
    }
    set_state_word(c, at + PROFILED_OVER, over ? 1u : 0u);
    set_state_word(c, at + PROFILED_SHARE, 0u);
}

// The fraction of a fade's time that has passed, in 24 bits, which a float holds exactly.
OP real fade_part(ticks faded, ticks whole) {
    return TO_REAL(share_of_ticks(faded, whole) >> 8u) * 5.96046448e-08f;
}

// Gives states that have no weight, but still contribute to some joints by a fade with a profile, a weight of 2^-40, so
// that they are evaluated.
OP_NOINLINE void show_profiled(control c, address machine, address profiles) {
    address at = profiles_state(c, profiles);
    address count = LOAD(c.block, machine + MACHINE_STATE_COUNT);
    for (address state = 0u; state < count && state_word(c, at + PROFILED_FADE) != 0u; state++) {
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
    address fade = state_word(c, machine_state + MACHINE_FADE);
    if (fade == 0u || state_word(c, at + PROFILED_FADE) == 0u) {
        set_state_word(c, at + PROFILED_FADE, 0u);
        return;
    }
    real part = fade_part(state_ticks(c, machine_state + MACHINE_FADED), block_ticks(c, fade + TRANSITION_FADE));
    if (state_word(c, at + PROFILED_OVER) != 0u) {
        set_state_word(c, at + PROFILED_SHARE, BITS(share));
    } else {
        set_state_word(c, at + PROFILED_TIME, BITS(part));
    }
    show_profiled(c, machine, profiles);
}

// Sets the weights of a machine's states at a share of the current state in its fade.
OP void set_weights(control c, address machine, real share) {
    address at = machine_at(c, machine);
    address current = state_word(c, at + MACHINE_CURRENT);
    address state_count = LOAD(c.block, machine + MACHINE_STATE_COUNT);
    for (address state = 0u; state < state_count; state++) {
        address weight_at = at + MACHINE_WEIGHTS + state * MACHINE_STATE_WEIGHT_WORDS;
        real began = REAL(state_word(c, weight_at + MACHINE_BEGAN) & ~MACHINE_FROZEN);
        real target = state == current ? 1.0f : 0.0f;
        real weight = lerp(began, target, share);
        set_state_word(c, weight_at, BITS(snap(weight)));
    }
}

// Computes the weights of a machine's states from the progress of its fade, or ends the fade. Returns the share of the
// current state.
OP real weigh_states(control c, address machine) {
    address at = machine_at(c, machine);
    address fade = state_word(c, at + MACHINE_FADE);
    real share = 1.0f;
    if (fade != 0u) {
        ticks faded = state_ticks(c, at + MACHINE_FADED);
        ticks whole = block_ticks(c, fade + TRANSITION_FADE);
        if (ticks_less(faded, whole)) {
            share = evaluate_fade_curve(c, LOAD(c.block, fade + TRANSITION_CURVE), fade_part(faded, whole));
        } else {
            set_state_word(c, at + MACHINE_FADE, 0u);
        }
        set_weights(c, machine, share);
    }
    return share;
}

OP void emit_state(control c, address machine, address state, uint which) {
    uint event = LOAD(c.block, state_record(c, machine, state) + which);
    if (event != CONTROL_NONE) {
        uint by = which == STATE_ENTRY_EVENT ? BY_ENTRY : BY_EXIT;
        address index = (machine - LOAD(c.block, CONTROL_MACHINES)) / MACHINE_WORDS;
        real weight = whole_weight(c, machine, state);
        emit(c, event, make_emission(by, index, TO_WORD(state), weight, time_of_piece(c)), 0u);
    }
}

// Whether a transition is inertialized: it says so, or it restarts a state that is seen, whose players cannot be at two
// times at once.
OP bool inertializes_transition(control c, address transition, bool restarts_seen) {
    bool can = USES_INERTIA && LOAD(c.block, CONTROL_INERTIA) != CONTROL_NONE;
    bool says_so = (LOAD(c.block, transition + TRANSITION_FLAGS) & TRANSITION_INERTIALIZES) != 0u;
    return can && (says_so || (restarts_seen && !no_ticks(block_ticks(c, transition + TRANSITION_FADE))));
}

// Keeps the weights from which a transition fades, and with them which states are frozen.
OP void keep_weights(control c, address machine, address transition) {
    address state_count = LOAD(c.block, machine + MACHINE_STATE_COUNT);
    uint to = LOAD(c.block, transition + TRANSITION_TO);
    bool freezes = (LOAD(c.block, transition + TRANSITION_FLAGS) & TRANSITION_FREEZES) != 0u;
    for (address state = 0u; state < state_count; state++) {
        address weight_at = state_weight_at(c, machine, state);
        bool frozen = state != to && (freezes || is_frozen(c, machine, state));
        set_state_word(c, weight_at + MACHINE_BEGAN, state_word(c, weight_at) | (frozen ? MACHINE_FROZEN : 0u));
    }
}

OP_NOINLINE void take_transition(control c, address machine, address transition) {
    address at = machine_at(c, machine);
    uint to = LOAD(c.block, transition + TRANSITION_TO);
    emit_state(c, machine, state_word(c, at + MACHINE_CURRENT), STATE_EXIT_EVENT);
    address profiles = block_profiles(c.block, machine);
    if (USES_PROFILES && profiles != CONTROL_NONE) {
        begin_profiled(c, machine, profiles, transition);
    }
    bool seen = state_weight(c, machine, to) > 0.0f;
    bool restarts = (LOAD(c.block, state_table(c, machine, to) + TABLE_FLAGS) & TABLE_RESTARTS) != 0u;
    bool jumps = USES_MATCHING && (LOAD(c.block, transition + TRANSITION_FLAGS) & TRANSITION_JUMPS) != 0u;
    bool begins = !seen || state_ended(c, machine, to, 0u) || restarts || jumps;
    if (begins) {
        beginning b = begin_at_offsets();
        if (USES_STARTS) {
            b = find_beginning(c, machine, transition);
        }
        begin_state(c, machine, to, b);
    }
    keep_weights(c, machine, transition);
    set_state_word(c, at + MACHINE_CURRENT, to);
    set_state_ticks(c, at + MACHINE_TIME, make_ticks(0u, 0u));
    set_state_word(c, at + MACHINE_FADE, TO_WORD(transition));
    set_state_ticks(c, at + MACHINE_FADED, make_ticks(0u, 0u));
    bool inertializes = inertializes_transition(c, transition, begins && seen);
    bool has_profiles = USES_PROFILES && profiles != CONTROL_NONE;
    // All curves begin at 0, so weights do not change yet, unless there is no fade.
    if (inertializes || no_ticks(block_ticks(c, transition + TRANSITION_FADE))) {
        set_state_word(c, at + MACHINE_FADE, 0u);
        set_weights(c, machine, 1.0f);
        if (has_profiles) {
            set_state_word(c, profiles_state(c, profiles) + PROFILED_FADE, 0u);
        }
    } else if (has_profiles) {
        show_profiled(c, machine, profiles);
    }
    if (inertializes) {
        switch_inertia(c, seconds_of_fine(block_ticks(c, transition + TRANSITION_FADE)));
    }
    if (decides(c.block)) {
        take_triggers(c, transition);
        draw(c, machine);
    }
    emit_state(c, machine, to, STATE_ENTRY_EVENT);
}

OP bool transition_leaves(control c, address transition, address state) {
    uint from = LOAD(c.block, transition + TRANSITION_FROM);
    bool from_any = LOAD(c.block, transition + TRANSITION_TO) != state ||
                    (LOAD(c.block, transition + TRANSITION_FLAGS) & TRANSITION_TO_SELF) != 0u;
    return from == state || (from == CONTROL_NONE && from_any);
}

// Begins the travel that an event asks for.
OP_NOINLINE void begin_travel(control c, address machine, uint event) {
    address current = state_word(c, machine_at(c, machine) + MACHINE_CURRENT);
    address travels = travels_of(c.block, state_table(c, machine, current));
    if (travels == CONTROL_NONE) {
        return;
    }
    address state_count = LOAD(c.block, machine + MACHINE_STATE_COUNT);
    for (address state = 0u; state < state_count; state++) {
        address destination = travels + TRAVEL_DESTINATIONS + state * DESTINATION_WORDS;
        if (LOAD(c.block, destination + DESTINATION_EVENT) == event) {
            set_state_word(c, LOAD(c.block, travels + TRAVEL_STATE), state == current ? 0u : TO_WORD(state) + 1u);
        }
    }
}

// Ends a travel after a transition, if the machine has arrived or an event caused the transition.
OP void end_travel(control c, address machine, bool by_event) {
    address current = state_word(c, machine_at(c, machine) + MACHINE_CURRENT);
    address travels = travels_of(c.block, state_table(c, machine, current));
    if (travels != CONTROL_NONE) {
        address at = LOAD(c.block, travels + TRAVEL_STATE);
        if (by_event || state_word(c, at) == current + 1u) {
            set_state_word(c, at, 0u);
        }
    }
}

// The first transition that an event triggers, or with CONTROL_NONE one that needs no event, and that applies. Or
// CONTROL_NONE. States have tables of the transitions from them that need no event; all others are searched for.
OP address find_transition(control c, address machine, uint event) {
    address current = state_word(c, machine_at(c, machine) + MACHINE_CURRENT);
    bool tabled = event == CONTROL_NONE;
    candidates each = find_candidates(c, machine, current);
    address at = each.at;
    address end = each.end;
    address step = 1u;
    uint passed = PLAYING_PASSED;
    if (!tabled) {
        at = LOAD(c.block, machine + MACHINE_TRANSITIONS);
        end = at + LOAD(c.block, machine + MACHINE_TRANSITION_COUNT) * TRANSITION_WORDS;
        step = TRANSITION_WORDS;
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
            fits = LOAD(c.block, transition + TRANSITION_EVENT) == event && transition_leaves(c, transition, current);
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
                uint left = state_word(c, CHARACTER_TRANSITIONS_LEFT);
                set_state_word(c, CHARACTER_TRANSITIONS_LEFT, left + 1u);
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
    address outer = LOAD(c.block, machine + MACHINE_OUTER);
    if (outer != CONTROL_NONE && !state_moves(c, outer, LOAD(c.block, machine + MACHINE_OUTER_STATE))) {
        return;
    }
    ticks fine = fine_of_ticks(c.duration);
    set_state_ticks(c, at + MACHINE_TIME, add_ticks(state_ticks(c, at + MACHINE_TIME), fine));
    if (state_word(c, at + MACHINE_FADE) != 0u) {
        set_state_ticks(c, at + MACHINE_FADED, add_ticks(state_ticks(c, at + MACHINE_FADED), fine));
    }
}

#endif
