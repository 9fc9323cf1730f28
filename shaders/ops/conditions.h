// Conditions of transitions.
#ifndef LMB_OPS_CONDITIONS_H
#define LMB_OPS_CONDITIONS_H

#include "state_weights.h"

// Whether all the states that contain a machine are current.
OP lane_mask machine_is_current(control c, address machine) {
    lane_mask current = ALL_WORD(0u) == 0u;
    for (address level = 0u; level < MOST_MACHINES_WITHIN; level++) {
        uint state = READ(c.block, machine, MACHINE, outer_state);
        machine = READ(c.block, machine, MACHINE, outer);
        if (machine == CONTROL_NONE) {
            break;
        }
        current = AND(current, state_word(c, machine_at(c, machine) + FIELD(MACHINE_NOW, current)) == state);
    }
    return current;
}

OP address state_record(control c, address machine, address state) {
    return READ(c.block, machine, MACHINE, states) + state * WORDS_OF(STATE);
}

OP address state_table(control c, address machine, address state) {
    return READ(c.block, state_record(c, machine, state), STATE, table);
}

OP lane_mask compare_terms(uint kind, real left, real right) {
    lane_mask holds = left == right;
    if (kind == TERM_LESS) {
        holds = left < right;
    }
    if (kind == TERM_LESS_EQUAL) {
        holds = left <= right;
    }
    if (kind == TERM_GREATER) {
        holds = left > right;
    }
    if (kind == TERM_GREATER_EQUAL) {
        holds = left >= right;
    }
    return holds;
}

OP ticks time_in_clip(control c, address player) {
    ticks time = state_ticks(c, READ(c.block, player, PLAYER, state) + FIELD(PLAYING, place));
    if (READ(c.block, player, PLAYER, end) == PLAYER_TURNS) {
        time = turned_time(time, block_ticks(c, player + FIELD(PLAYER, duration)));
    }
    return time;
}

// Compares the time of a term's player with the term's time: returns -1 if it is before it, 0 if they are equal, 1 if
// it is past it.
OP real side_of_place(control c, address term) {
    ticks time = time_in_clip(c, READ(c.block, term, PLACE_TERM, player));
    ticks place = block_ticks(c, term + FIELD(PLACE_TERM, place));
    real past = SELECT(same_ticks(time, place), SPLAT(0.0f), SPLAT(1.0f));
    return SELECT(ticks_less(time, place), SPLAT(-1.0f), past);
}

// Whether conditions of a control read triggers or draws.
OP bool decides(memory block) {
    return USES_DECISIONS && (HEADER(block, CONTROL, flags) & CONTROL_DECIDES) != 0u;
}

// The word of the state that a term reads, as a number: a current state, a trigger, a draw, a choice. `scale`: its left
// side.
OP real number_in_state(control c, address term, real scale) {
    word own = state_word(c, LOAD(c.block, READ(c.block, term, STATE_TERM, state)));
    if ((READ(c.block, term, TERM, kind) & TERM_OF_CHOICE) != 0u) {
        own = own * CHOICE_FACTOR;
    }
    return TO_REAL(own >> READ(c.block, term, STATE_TERM, shift)) * scale;
}

// Evaluates a condition in postfix notation. The stack is a word, a bit for each result, the newest in the lowest bit.
// If `reached`, terms that compare a player's time hold, as if the player had reached it.
OP lane_mask condition_holds(control c, address terms, uint count, bool reached) {
    word truths = ALL_WORD(1u);
    for (address i = 0u; i < count; i++) {
        address term = terms + i * WORDS_OF(TERM);
        uint kind = READ(c.block, term, TERM, kind);
        word both = truths & 3u;
        if (kind == TERM_AND) {
            truths = ((truths >> 2u) << 1u) | SELECT_BITS(both == 3u, ALL_WORD(1u));
        } else if (kind == TERM_OR) {
            truths = ((truths >> 2u) << 1u) | SELECT_BITS(both != 0u, ALL_WORD(1u));
        } else {
            bool is_place = (kind & TERM_OF_PLACE) != 0u;
            real left = SPLAT(0.0f);
            real right = SPLAT(0.0f);
            if (is_place) {
                left = side_of_place(c, term);
            }
            // The left one, then the right one. As a loop, so that kernels contain the code that reads a value only
            // once.
            for (address side = 0u; side < 2u && !is_place; side++) {
                left = right;
                right = control_number(c, term + FIELD(TERM, left) + side * WORDS_OF(VALUE));
            }
            if (USES_DECISIONS && (kind & TERM_OF_STATE) != 0u) {
                left = number_in_state(c, term, left);
            }
            // Tested by their bits: devices may treat NaN and infinities in comparisons as they like.
            lane_mask known = AND(is_finite(left), is_finite(right));
            lane_mask is_unknown = OR(is_nan(left), is_nan(right));
            if (!ALL(known)) {
                left = SELECT(known, left, snap(left));
                right = SELECT(known, right, snap(right));
                known = OR(known, NOT(is_unknown));
            }
            lane_mask holds = AND(known, compare_terms(kind & TERM_COMPARISON, left, right));
            if (reached && is_place) {
                holds = ALL_WORD(0u) == 0u;
            }
            truths = (truths << 1u) | SELECT_BITS(holds, ALL_WORD(1u));
        }
    }
    return (truths & 1u) != 0u;
}

OP lane_mask state_ended(control c, address machine, address state, uint passed) {
    address player = READ(c.block, state_record(c, machine, state), STATE, end_player);
    lane_mask ended = ALL_WORD(0u) != 0u;
    if (player != CONTROL_NONE) {
        word flags = state_word(c, READ(c.block, player, PLAYER, state) + FIELD(PLAYING, flags));
        ended = (flags & (PLAYING_ENDED | passed)) != 0u;
    }
    return ended;
}

// Whether a transition's times are met: the end of the state's clip, and the time in the state.
OP lane_mask times_apply(control c, address machine, address current, address transition, uint passed) {
    lane_mask applies = ALL_WORD(0u) == 0u;
    if ((READ(c.block, transition, TRANSITION, flags) & TRANSITION_AT_END) != 0u) {
        applies = state_ended(c, machine, current, passed);
    }
    if (ANY(applies)) {
        ticks time = state_ticks(c, machine_at(c, machine) + FIELD(MACHINE_NOW, time));
        applies = AND(applies, NOT(ticks_less(time, block_ticks(c, transition + FIELD(TRANSITION, after)))));
    }
    return applies;
}

// The offset of a machine's travels, or CONTROL_NONE. `table`: that of any of its states.
OP address travels_of(memory block, address table) {
    address travels = CONTROL_NONE;
    if (USES_TRAVEL && (READ(block, table, TABLE, flags) & TABLE_TRAVELS) != 0u) {
        travels = LOAD(block, table + WORDS_OF(TABLE) + READ(block, table, TABLE, transition_count));
    }
    return travels;
}

#ifndef LMB_SIMD_WIDTH
// Transitions that a machine may take without an event: offsets of their records.
STRUCT(candidates)
address at;
address end;
bool travels; // to a state: there is one, on the path
END_STRUCT(candidates)

OP candidates find_candidates(control c, address machine, address current) {
    address table = state_table(c, machine, current);
    candidates found;
    found.at = table + WORDS_OF(TABLE);
    found.end = found.at + READ(c.block, table, TABLE, transition_count);
    found.travels = false;
    address travels = travels_of(c.block, table);
    if (USES_TRAVEL && travels != CONTROL_NONE) {
        address to = state_word(c, READ(c.block, travels, TRAVEL, state));
        if (to != 0u) {
            address destination = travels + WORDS_OF(TRAVEL) + (to - 1u) * WORDS_OF(DESTINATION);
            found.at = READ(c.block, destination, DESTINATION, steps) + current;
            found.end = found.at + 1u;
            found.travels = true;
        }
    }
    return found;
}

// Whether a transition on a machine's path may be taken now.
OP bool step_applies(control c, address machine, address current, address transition) {
    return (READ(c.block, transition, TRANSITION, flags) & TRANSITION_TELEPORTS) != 0u ||
           (state_word(c, machine_at(c, machine) + FIELD(MACHINE_NOW, fade)) == 0u &&
            times_apply(c, machine, current, transition, PLAYING_PASSED));
}
#endif

// Whether a transition from the current state may be taken now, regardless of its event.
OP lane_mask transition_applies(control c, address machine, address current, address transition, uint passed) {
    lane_mask applies = times_apply(c, machine, current, transition, passed);
    if (ANY(applies)) {
        applies = AND(applies, condition_holds(c, READ(c.block, transition, TRANSITION, terms),
                                               READ(c.block, transition, TRANSITION, term_count), false));
    }
    return applies;
}

#endif
