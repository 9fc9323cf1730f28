// Control: advances characters' times and weights by a frame, as include/limber/control.h describes. Scalar code with
// branches: the GPU runs it for one character per invocation, the CPU for a group of characters (struct characters),
// stage by stage.
//
// A character that updates runs a frame in pieces. The frame is cut at times at which a transition becomes due, so that
// transitions happen at their exact times. See run_control(). A character that does not update lets its time
// accumulate, or, if the control interpolates, advances continuous quantities on a copy of its state. If events are
// sent to a character that has waited, the frame is also cut where its own step begins, and the events count there.
#ifndef LMB_OPS_CONTROL_H
#define LMB_OPS_CONTROL_H

#include "computed.h"
#include "groups.h"
#include "searches.h"
#include "smoothed.h"

// Updates smoothed parameters. Those of characters that do not move keep their values.
OP void move_smoothed(CHARACTERS all) {
    if (run_in_lanes(all, STAGE_SMOOTHED, 0u)) {
        return;
    }
    memory block = CHARACTERS_BLOCK(all);
    address record = HEADER(block, CONTROL, smoothed);
    address end = record + HEADER(block, CONTROL, smoothed_count) * WORDS_OF(SMOOTHED);
    for (; record < end; record += WORDS_OF(SMOOTHED)) {
        smoothed own = load_smoothed(block, record);
        // Most time steps are equal: the decay factor of one is computed once.
        ticks step = make_ticks(0u, 0u);
        real left = own.rate < 0.0f ? 0.0f : 1.0f; // find_decay() of no step
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.moves && !c.begins && !same_ticks(step, c.step)) {
                step = c.step;
                left = find_decay(step, own);
            }
            smooth_parameter(c, own, left);
        }
    }
}

OP void write_players(CHARACTERS all) {
    if (run_in_lanes(all, STAGE_PLAYER_TIMES, 0u)) {
        return;
    }
    memory block = CHARACTERS_BLOCK(all);
    address record = HEADER(block, CONTROL, players);
    address records_end = record + HEADER(block, CONTROL, player_count) * WORDS_OF(PLAYER);
    for (; record < records_end; record += WORDS_OF(PLAYER)) {
        shown_player own = load_shown_player(block, record);
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            write_player_time(c, own);
        }
    }
}

// The weight of the player's state, or 0 after it dropped out. A player that ended in the last update is visible until
// the next one.
OP real find_shown_weight(control c, owning_state at, address flags, bool drops_out) {
    uint playing = state_word(c, flags);
    bool ends_now = !c.updates && (playing & PLAYING_PASSED) != 0u;
    real weight = 1.0f;
    if (at.machine != CONTROL_NONE) {
        weight = state_number(c, at.weight);
    }
    if (drops_out && (playing & PLAYING_ENDED) != 0u && !ends_now) {
        weight = 0.0f;
    }
    return weight;
}

OP void write_player_weights(CHARACTERS all, bool is_first) {
    memory block = CHARACTERS_BLOCK(all);
    address record = HEADER(block, CONTROL, players);
    address records_end = record + HEADER(block, CONTROL, player_count) * WORDS_OF(PLAYER);
    for (; record < records_end; record += WORDS_OF(PLAYER)) {
        address parameter = READ(block, record, PLAYER, weight_parameter);
        if (parameter != CONTROL_NONE) {
            address flags = READ(block, record, PLAYER, state) + FIELD(PLAYING, flags);
            bool drops_out = READ(block, record, PLAYER, last_end) == PLAYER_DROPS_OUT;
            owning_state at = load_owner(block, record);
            FOR_EACH(all, i) {
                control c = CHARACTER(all, i);
                if (c.moves || is_first) {
                    write_parameter(c, parameter, find_shown_weight(c, at, flags, drops_out));
                }
            }
        }
    }
}

OP_NOINLINE void write_groups(CHARACTERS all) {
    memory block = CHARACTERS_BLOCK(all);
    address group = HEADER(block, CONTROL, groups);
    address end = group + HEADER(block, CONTROL, group_count) * WORDS_OF(GROUP);
    for (; USES_GROUPS && group < end; group += WORDS_OF(GROUP)) {
        address parameter = READ(block, group, GROUP, velocity_parameter);
        if (parameter != CONTROL_NONE) {
            FOR_EACH(all, i) {
                control c = CHARACTER(all, i);
                real rate = control_number(c, group + FIELD(GROUP, rate));
                group_mean mean = find_group_mean(c, group, 0u);
                rate = is_finite(rate) ? clamp_real(snap(rate), -64.0f, 64.0f) : 0.0f;
                write_parameter(c, parameter, snap(rate * mean.velocity));
            }
        }
    }
}

// Writes the parameters by which joints evaluate a fade with a blend profile.
OP_NOINLINE void write_profiled(control c, address machine, address profiles) {
    address at = profiles_state(c, profiles);
    address first = READ(c.block, profiles, MACHINE_PROFILES, parameter);
    address count = READ(c.block, machine, MACHINE, state_count);
    uint fade = state_word(c, at + FIELD(PROFILED, fade));
    for (address i = 0u; i < 2u * count && fade != 0u; i++) {
        write_parameter(c, first + i, profiled_end(c, machine, at, i % count, i / count));
    }
    write_parameter(c, first + PROFILED_PART(count), state_number(c, at + FIELD(PROFILED, time)));
    write_parameter(c, first + PROFILED_WHICH(count), TO_REAL(fade));
}

OP void write_state_weights(CHARACTERS all) {
    memory block = CHARACTERS_BLOCK(all);
    address machine = HEADER(block, CONTROL, machines);
    address end = machine + HEADER(block, CONTROL, machine_count) * WORDS_OF(MACHINE);
    for (; machine < end; machine += WORDS_OF(MACHINE)) {
        address record = READ(block, machine, MACHINE, states);
        address records_end = record + READ(block, machine, MACHINE, state_count) * WORDS_OF(STATE);
        address at = READ(block, machine, MACHINE, state) + WORDS_OF(MACHINE_NOW);
        for (; record < records_end; record += WORDS_OF(STATE)) {
            address parameter = READ(block, record, STATE, weight_parameter);
            if (parameter != CONTROL_NONE) {
                FOR_EACH(all, i) {
                    control c = CHARACTER(all, i);
                    write_parameter(c, parameter, state_number(c, at));
                }
            }
            at += WORDS_OF(STATE_WEIGHT);
        }
        address profiles = block_profiles(block, machine);
        if (USES_PROFILES && profiles != CONTROL_NONE) {
            FOR_EACH(all, i) {
                control c = CHARACTER(all, i);
                write_profiled(c, machine, profiles);
            }
        }
    }
}

// Writes the weight parameters that rules read; for characters that do not move, once per frame.
OP void write_weights(CHARACTERS all, bool is_first) {
    write_state_weights(all);
    write_mirrored(all);
    write_player_weights(all, is_first);
}

OP void write_control(CHARACTERS all) {
    write_players(all);
    write_groups(all);
    if (USES_INERTIA && HEADER(CHARACTERS_BLOCK(all), CONTROL, inertia) != CONTROL_NONE) {
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            write_inertia(c);
        }
    }
}

// Resets a character's state, except the position and yaw of its character motion and the phase of its updates. If it
// has no phase, its index gives it. The frame number of inertialization
// is not reset but advanced by one, so that no pose of an earlier frame has the number of a frame that follows.
OP_NOINLINE void begin_character(control c) {
    bool inertializes = USES_INERTIA && HEADER(c.block, CONTROL, inertia) != CONTROL_NONE;
    uint number = 0u;
    if (inertializes) {
        number = state_word(c, inertia_state(c) + FIELD(INERTIAL, number)) + state_word(c, FIELD(CHARACTER, begun));
    }
    uint update_phase = state_word(c, FIELD(CHARACTER, update_phase));
    address character_motion = HEADER(c.block, CONTROL, character_motion);
    address kept = HEADER(c.block, CONTROL, state_words);
    address kept_words = 0u;
    if (character_motion != CONTROL_NONE) {
        kept = motion_state(c, character_motion);
        kept_words = ROTATES_FULLY(c, character_motion) ? WORDS_OF(MOVING_FULLY) : WORDS_OF(MOVING);
    }
    address state_words = HEADER(c.block, CONTROL, state_words);
    address draws = state_words;
    address draw_count = 0u;
    if (decides(c.block)) {
        draws = HEADER(c.block, CONTROL, draws);
        draw_count = HEADER(c.block, CONTROL, draw_count);
    }
    for (address i = 0u; i < state_words; i++) {
        if ((i < kept || i >= kept + kept_words) && (i < draws || i >= draws + draw_count)) {
            set_state_word(c, i, 0u);
        }
    }
    if (decides(c.block)) {
        seed_draws(c);
    }
    set_state_word(c, FIELD(CHARACTER, update_phase),
                   update_phase != 0u ? update_phase : c.character % UPDATE_PHASES + 1u);
    if (inertializes) {
        set_state_word(c, inertia_state(c) + FIELD(INERTIAL, number), number & INERTIA_LAST_NUMBER);
    }
    address machines = HEADER(c.block, CONTROL, machines);
    address machine_count = HEADER(c.block, CONTROL, machine_count);
    for (address i = 0u; i < machine_count; i++) {
        begin_machine(c, machines + i * WORDS_OF(MACHINE));
    }
    address players = HEADER(c.block, CONTROL, players);
    address player_count = HEADER(c.block, CONTROL, player_count);
    for (address i = 0u; i < player_count; i++) {
        begin_player(c, players + i * WORDS_OF(PLAYER), CONTROL_NONE, begin_at_offsets());
    }
    if (USES_GROUPS) {
        begin_groups(c, CONTROL_NONE, 0u, begin_at_offsets());
    }
}

// Advances inertialization and the driven character motion, before machines run. Writes the velocity also for
// characters that do not move, because conditions, weights and players may read it.
OP void move_before_machines(CHARACTERS all) {
    memory block = CHARACTERS_BLOCK(all);
    address character_motion = HEADER(block, CONTROL, character_motion);
    bool has_root_motion = USES_CHARACTER_MOTION && character_motion != CONTROL_NONE;
    bool inertializes = USES_INERTIA && HEADER(block, CONTROL, inertia) != CONTROL_NONE;
    if (has_root_motion || inertializes) {
        bool driven = has_root_motion && run_in_lanes(all, STAGE_DRIVE, character_motion);
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.moves && inertializes) {
                move_inertia(c);
            }
            if (c.moves && has_root_motion && !driven) {
                if (ROTATES_FULLY(c, character_motion)) {
                    drive_fully(c, character_motion);
                } else {
                    drive_character_motion(c, character_motion);
                }
            } else if (!c.moves && has_root_motion) {
                write_velocity(c, character_motion);
            }
        }
    }
}

OP void move_fades(CHARACTERS all) {
    address machine = HEADER(CHARACTERS_BLOCK(all), CONTROL, machines);
    address end = machine + HEADER(CHARACTERS_BLOCK(all), CONTROL, machine_count) * WORDS_OF(MACHINE);
    for (; machine < end; machine += WORDS_OF(MACHINE)) {
        address profiles = block_profiles(CHARACTERS_BLOCK(all), machine);
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.moves) {
                move_fade(c, machine);
                real share = weigh_states(c, machine);
                if (USES_PROFILES && profiles != CONTROL_NONE) {
                    weigh_profiled(c, machine, profiles, share);
                }
            }
        }
    }
}

OP void apply_root_motions(CHARACTERS all) {
    address character_motion = HEADER(CHARACTERS_BLOCK(all), CONTROL, character_motion);
    if (USES_CHARACTER_MOTION && character_motion != CONTROL_NONE) {
        if (run_in_lanes(all, STAGE_ROOT_MOTION, character_motion)) {
            return;
        }
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.moves) {
                if (ROTATES_FULLY(c, character_motion)) {
                    apply_fully(c, character_motion);
                } else {
                    apply_root_motion(c, character_motion);
                }
            }
        }
    }
}

// Runs the machines of a character.
OP void run_machines(control c, frame_part runs) {
    address machines = HEADER(c.block, CONTROL, machines);
    address first = RUNS_PARTS ? runs.first_machine : 0u;
    address end = RUNS_PARTS ? runs.end_machine : HEADER(c.block, CONTROL, machine_count);
    for (address i = first; i < end; i++) {
        run_transitions(c, machines + i * WORDS_OF(MACHINE), runs, runs.resumes && i == first);
    }
    if (USES_INERTIA && c.begins && (!RUNS_PARTS || runs.cuts) && HEADER(c.block, CONTROL, inertia) != CONTROL_NONE) {
        // No pose was shown before.
        set_state_word(c, inertia_state(c) + FIELD(INERTIAL, duration), 0u);
        if (remaining_at(c) != CONTROL_NONE) {
            set_state_word(c, remaining_at(c) + FIELD(REMAINING, switched), 0u);
        }
    }
}

OP void run_all_machines(CHARACTERS all, frame_part runs) {
    bool found = run_in_lanes(all, STAGE_TRANSITIONS, 0u);
    bool may_jump = matches(CHARACTERS_BLOCK(all));
    FOR_EACH(all, i) {
        control c = CHARACTER(all, i);
        if (c.moves && c.updates &&
            (!found || runs_alone(all, i) || c.begins || c.sent_count > 0u || (may_jump && jumps(c)))) {
            run_machines(c, runs);
        }
    }
}

OP void show_character_motions(CHARACTERS all) {
    address character_motion = HEADER(CHARACTERS_BLOCK(all), CONTROL, character_motion);
    if (USES_CHARACTER_MOTION && character_motion != CONTROL_NONE) {
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.shows) {
                if (ROTATES_FULLY(c, character_motion)) {
                    show_fully(c, character_motion);
                } else {
                    show_character_motion(c, character_motion);
                }
            }
            if (c.places) {
                write_matrix(c, character_motion);
            }
        }
    }
}

OP bool updates_in_frame(control c) {
    real every = control_number(c, FIELD(CONTROL, update_every));
    bool updates = true;
    if (every > 1.0f && is_finite(every)) {
        uint period = TO_WORD(clamp_real(FLOOR(snap(every)), 1.0f, 16.0f));
        uint phase = state_word(c, FIELD(CHARACTER, update_phase)) - 1u;
        updates = (c.number + phase) % period == 0u;
    }
    return updates;
}

// Among events sorted by character, finds the first one whose character is not below the given one.
OP uint find_sent(memory sent, uint count, uint character) {
    uint low = 0u;
    uint high = count;
    while (low < high) {
        uint middle = low + ((high - low) >> 1u);
        if (LOAD(sent, middle * 2u) < character) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// Finds the last event sent to a character that resets it, or CONTROL_NONE.
OP uint last_reset(control c) {
    uint found = CONTROL_NONE;
    for (uint i = 0u; i < c.sent_count; i++) {
        if (LOAD(c.sent, (c.sent_first + i) * 2u + 1u) == EVENT_RESET) {
            found = i;
        }
    }
    return found;
}

// Writes the parameters of nodes that report whether they reached their targets in the frame before. `at`: of the
// character's words.
OP void write_reached(control c, memory reached, address at) {
    uint count = HEADER(c.program, PROGRAM, reached);
    address table = HEADER(c.program, PROGRAM, reached_parameters);
    for (uint i = 0u; i < count; i++) {
        uint parameter = LOAD(c.program, table + i);
        if (parameter != 0u) {
            write_parameter(c, parameter - 1u, SPLAT(LOAD(reached, at + i) != 0u ? 1.0f : 0.0f));
        }
    }
}

// Begins a character's frame, before time advances.
OP control begin_frame(control c) {
    clear_emitted(c);
    uint reset = last_reset(c);
    c.begins = state_word(c, FIELD(CHARACTER, begun)) == 0u || reset != CONTROL_NONE;
    if (reset != CONTROL_NONE) {
        c.sent_first = c.sent_first + reset + 1u;
        c.sent_count = c.sent_count - (reset + 1u);
    }
    if (c.begins) {
        begin_character(c);
        set_state_word(c, FIELD(CHARACTER, begun), 1u);
    }
    if (c.sent_count > MOST_EVENTS_SENT) {
        uint lost = state_word(c, FIELD(CHARACTER, events_lost)) + (c.sent_count - MOST_EVENTS_SENT);
        set_state_word(c, FIELD(CHARACTER, events_lost), lost);
    }
    address character_motion = HEADER(c.block, CONTROL, character_motion);
    if (USES_CHARACTER_MOTION && character_motion != CONTROL_NONE) {
        set_moved_by_clips(c, character_motion, make_displacement(0.0f, 0.0f, 0.0f, 0.0f));
        if (ROTATES_FULLY(c, character_motion)) {
            set_state_quaternion(c, moved_state(c, character_motion) + FIELD(MOVED_FULLY, rotation),
                                 make_quaternion(0.0f, 0.0f, 0.0f, 1.0f));
        }
    }
    ticks own = c.step;
    ticks waited = state_ticks(c, FIELD(CHARACTER, waiting));
    c.updates = c.begins || c.sent_count > 0u || updates_in_frame(c);
    c.moves = c.updates;
    ticks longest = make_ticks(LONGEST_WAIT_LOW, LONGEST_WAIT_HIGH);
    c.step = add_ticks(waited, own);
    c.step = select_ticks(ticks_less(longest, c.step), longest, c.step);
    c.later = make_ticks(0u, 0u);
    c.left = c.step;
    c.duration = c.step;
    c.held_count = 0u;
    if (c.sent_count > 0u && !no_ticks(waited)) {
        c.held_count = c.sent_count;
        c.sent_count = 0u;
        c.later = own;
        c.left = waited;
    }
    set_state_ticks(c, FIELD(CHARACTER, waiting), c.updates ? make_ticks(0u, 0u) : c.step);
    return c;
}

// Begins the frame's own step: the events that were held count.
OP control release_events(control c) {
    c.sent_count = c.held_count;
    c.held_count = 0u;
    c.step = c.later;
    c.left = c.later;
    c.later = make_ticks(0u, 0u);
    return c;
}

// For controls that interpolate. Between updates, no transitions are taken and no events are emitted. Continuous
// quantities advance from the last update by all the time since then, on a copy of the state. So the next update finds
// the state as the last one left it. If not `begins`, the copy exists already.
OP_NOINLINE control begin_between(control given, mutable_memory copy, address copy_at, bool begins) {
    control c = given;
    address words = c.updates || !begins ? 0u : HEADER(c.block, CONTROL, state_words);
    for (address i = 0u; i < words; i++) {
        STORE(copy, copy_at + i, state_word(c, i));
    }
    if (!c.updates) {
#ifdef LMB_GLSL
        c.state = copy;
        c.state_at = copy_at;
#else
        c.state = copy + copy_at;
#endif
        c.moves = true;
        c.emits_events = false;
    }
    return c;
}

// Returns the time until a machine's fade is over.
OP ticks time_of_fade(control c, address machine) {
    address at = machine_at(c, machine);
    address fade = state_word(c, at + FIELD(MACHINE_NOW, fade));
    ticks left = make_ticks(0u, 0u);
    if (fade != 0u) {
        ticks faded = state_ticks(c, at + FIELD(MACHINE_NOW, faded));
        ticks whole = block_ticks(c, fade + FIELD(TRANSITION, fade));
        if (ticks_less(faded, whole)) {
            left = ticks_at_rate(subtract_ticks(whole, faded), 1u << FINE_BITS);
        }
    }
    return left;
}

// Returns the time until a transition is due that waits for the end of its state's clip, for a time in a clip, or for a
// time in the state: the latest of these. If that is not within the step, or the transition's condition would not hold
// then, returns the time left in the step. A transition by which the machine travels has no condition, and waits for
// the end of a fade.
OP ticks time_to_transition(control c, address machine, address transition, address state, bool travels) {
    bool at_end = (READ(c.block, transition, TRANSITION, flags) & TRANSITION_AT_END) != 0u;
    ticks after = block_ticks(c, transition + FIELD(TRANSITION, after));
    ticks time = state_ticks(c, machine_at(c, machine) + FIELD(MACHINE_NOW, time));
    ticks until = make_ticks(0u, 0u);
    if (ticks_less(time, after)) {
        until = ticks_at_rate(subtract_ticks(after, time), 1u << FINE_BITS);
    }
    if (USES_TRAVEL && travels) {
        ticks fades = time_of_fade(c, machine);
        until = ticks_less(until, fades) ? fades : until;
    }
    address terms = READ(c.block, transition, TRANSITION, terms);
    uint count = travels ? 0u : READ(c.block, transition, TRANSITION, term_count);
    for (uint i = 0u; i <= count; i++) {
        address term = i < count ? terms + i * WORDS_OF(TERM) : CONTROL_NONE;
        address player = CONTROL_NONE;
        if (i == count) {
            player = at_end ? READ(c.block, state_record(c, machine, state), STATE, end_player) : CONTROL_NONE;
        } else if ((READ(c.block, term, TERM, kind) & TERM_OF_PLACE) != 0u) {
            player = READ(c.block, term, PLACE_TERM, player);
        }
        if (player != CONTROL_NONE) {
            ticks time_left = time_to_place(c, player, term);
            until = ticks_less(until, time_left) ? time_left : until;
        }
    }
    bool is_due = !no_ticks(until) && ticks_less(until, c.left) && condition_holds(c, terms, count, true);
    return is_due ? until : c.left;
}

// Returns the time until the first such transition of any machine, or the time left in the step.
OP ticks find_next_stop(control c) {
    ticks piece = c.left;
    address machine = HEADER(c.block, CONTROL, machines);
    address machines_end = machine + HEADER(c.block, CONTROL, machine_count) * WORDS_OF(MACHINE);
    for (; machine < machines_end; machine += WORDS_OF(MACHINE)) {
        if (machine_is_current(c, machine)) {
            address state = state_word(c, machine_at(c, machine) + FIELD(MACHINE_NOW, current));
            candidates each = find_candidates(c, machine, state);
            for (address i = each.at; i < each.end; i++) {
                ticks until = time_to_transition(c, machine, LOAD(c.block, i), state, each.travels);
                piece = ticks_less(until, piece) ? until : piece;
            }
        }
    }
    return piece;
}

// Sets the duration of the next piece: until the next transition is due. For the last piece, the one before it if
// events are held, and between updates, the time left.
OP void cut_steps(CHANGED_CHARACTERS all, uint piece) {
    bool found = run_in_lanes(all, STAGE_STOPS, 0u);
    FOR_EACH(all, i) {
        control c = CHARACTER(all, i);
        if (c.moves) {
            bool is_last = piece + (c.held_count > 0u ? 1u : 0u) >= MOST_PIECES;
            bool may_stop = c.updates && !is_last && (!found || runs_alone(all, i));
            c.duration = may_stop ? find_next_stop(c) : c.left;
            SET_CHARACTER(all, i, c);
        }
    }
}

// Sets the triggers of all machines whose events count from now on.
OP void set_all_triggers(CHARACTERS all) {
    if (decides(CHARACTERS_BLOCK(all))) {
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.sent_count > 0u) {
                set_triggers(c);
            }
        }
    }
}

// Ends a piece. Returns whether any character has time left.
OP bool go_on(CHANGED_CHARACTERS all) {
    bool any = false;
    FOR_EACH(all, i) {
        control c = CHARACTER(all, i);
        if (c.moves) {
            c.left = subtract_ticks(c.left, c.duration);
            c.moves = !no_ticks(c.left) || c.held_count > 0u;
            c.sent_count = 0u;
            if (no_ticks(c.left) && c.held_count > 0u) {
                c = release_events(c);
            }
            any = any || c.moves;
            SET_CHARACTER(all, i, c);
        }
    }
    set_all_triggers(all); // of events that were held
    return any;
}

OP void run_beginning(CHARACTERS all) {
    set_all_triggers(all);
    move_smoothed(all);
    for (uint phase = COMPUTED_EARLY; phase <= COMPUTED_MOVED; phase++) {
        if (phase == COMPUTED_MOVED) {
            move_before_machines(all);
        }
        write_computed(all, phase);
    }
    begin_matchings(all);
}

// After machines: cuts the step, and computes the weights of states, then those of clips.
OP void run_cut(CHANGED_CHARACTERS all, uint piece) {
    cut_steps(all, piece);
    cut_piece_of_lanes(all);
    move_fades(all);
    write_weights(all, piece == 1u);
    write_computed(all, COMPUTED_WEIGHED);
    weigh_all_players(all);
}

// Runs a frame, or a part of it, for characters that have begun it. The time step is cut where a clip ends or a time is
// reached that a transition waits for, so that transitions happen at their own times. In each piece, transitions are
// decided first, then weights are computed, then players and root motion advance. Returns whether any character has
// time left.
OP bool run_control(CHANGED_CHARACTERS all, frame_part runs) {
    if (!RUNS_PARTS || runs.begins) {
        run_beginning(all);
    }
    bool goes_on = true;
    uint first = RUNS_PARTS ? runs.first_piece : 1u;
    for (uint piece = first; goes_on && (!RUNS_PARTS || piece < runs.end_piece); piece++) {
        begin_piece_of_lanes(all);
        run_all_machines(all, runs);
        if (!RUNS_PARTS || runs.cuts) {
            run_cut(all, piece);
        }
        move_players(all, runs);
        move_groups(all, runs);
        if (!RUNS_PARTS || runs.ends) {
            apply_root_motions(all);
            advance_matchings(all);
            goes_on = go_on(all);
        }
    }
    if (!RUNS_PARTS || !goes_on) {
        write_control(all);
        begin_searches(all);
        show_character_motions(all);
    }
    return goes_on;
}

#endif
