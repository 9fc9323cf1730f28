// Conditions of transitions.
#ifndef LMB_OPS_CONDITIONS_H
#define LMB_OPS_CONDITIONS_H

#include "state_weights.h"

// Whether all the states that contain a machine are current.
OP lane_mask machine_is_current(control c, address machine) {
    lane_mask current = ALL_WORD(0u) == 0u;
    for (address level = 0u; level < MOST_MACHINES_WITHIN; level++) {
        uint state = LOAD(c.block, machine + MACHINE_OUTER_STATE);
        machine = LOAD(c.block, machine + MACHINE_OUTER);
        if (machine == CONTROL_NONE) {
            break;
        }
        current = AND(current, state_word(c, machine_at(c, machine) + MACHINE_CURRENT) == state);
    }
    return current;
}

OP address state_record(control c, address machine, address state) {
    return LOAD(c.block, machine + MACHINE_STATES) + state * STATE_WORDS;
}

OP address state_table(control c, address machine, address state) {
    return LOAD(c.block, state_record(c, machine, state) + STATE_TABLE);
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
    ticks time = state_ticks(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_PLACE);
    if (LOAD(c.block, player + PLAYER_END) == PLAYER_TURNS) {
        time = turned_time(time, block_ticks(c, player + PLAYER_DURATION));
    }
    return time;
}

// Compares the time of a term's player with the term's time: returns -1 if it is before it, 0 if they are equal, 1 if
// it is past it.
OP real side_of_place(control c, address term) {
    ticks time = time_in_clip(c, LOAD(c.block, term + TERM_PLAYER));
    ticks place = block_ticks(c, term + TERM_PLACE);
    real past = SELECT(same_ticks(time, place), SPLAT(0.0f), SPLAT(1.0f));
    return SELECT(ticks_less(time, place), SPLAT(-1.0f), past);
}

// Whether conditions of a control read triggers or draws.
OP bool decides(memory block) {
    return USES_DECISIONS && (LOAD(block, CONTROL_FLAGS) & CONTROL_DECIDES) != 0u;
}

// The word of the state that a term reads, as a number: a current state, a trigger, a draw, a choice. `scale`: its left
// side.
OP real number_in_state(control c, address term, real scale) {
    word own = state_word(c, LOAD(c.block, LOAD(c.block, term + TERM_STATE)));
    if ((LOAD(c.block, term + TERM_KIND) & TERM_OF_CHOICE) != 0u) {
        own = own * CHOICE_FACTOR;
    }
    return TO_REAL(own >> LOAD(c.block, term + TERM_SHIFT)) * scale;
}

// Evaluates a condition in postfix notation. The stack is a word, a bit for each result, the newest in the lowest bit.
// If `reached`, terms that compare a player's time hold, as if the player had reached it.
OP lane_mask condition_holds(control c, address terms, uint count, bool reached) {
    word truths = ALL_WORD(1u);
    for (address i = 0u; i < count; i++) {
        address term = terms + i * TERM_WORDS;
        uint kind = LOAD(c.block, term + TERM_KIND);
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
                right = control_number(c, term + TERM_LEFT + side * CONTROL_VALUE_WORDS);
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
    address player = LOAD(c.block, state_record(c, machine, state) + STATE_END_PLAYER);
    lane_mask ended = ALL_WORD(0u) != 0u;
    if (player != CONTROL_NONE) {
        word flags = state_word(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_FLAGS);
        ended = (flags & (PLAYING_ENDED | passed)) != 0u;
    }
    return ended;
}

// Whether a transition's times are met: the end of the state's clip, and the time in the state.
OP lane_mask times_apply(control c, address machine, address current, address transition, uint passed) {
    lane_mask applies = ALL_WORD(0u) == 0u;
    if ((LOAD(c.block, transition + TRANSITION_FLAGS) & TRANSITION_AT_END) != 0u) {
        applies = state_ended(c, machine, current, passed);
    }
    if (ANY(applies)) {
        ticks time = state_ticks(c, machine_at(c, machine) + MACHINE_TIME);
        applies = AND(applies, NOT(ticks_less(time, block_ticks(c, transition + TRANSITION_AFTER))));
    }
    return applies;
}

// The offset of a machine's travels, or CONTROL_NONE. `table`: that of any of its states.
OP address travels_of(memory block, address table) {
    address travels = CONTROL_NONE;
    if (USES_TRAVEL && (LOAD(block, table + TABLE_FLAGS) & TABLE_TRAVELS) != 0u) {
        travels = LOAD(block, table + TABLE_TRANSITIONS + LOAD(block, table + TABLE_TRANSITION_COUNT));
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
    found.at = table + TABLE_TRANSITIONS;
    found.end = found.at + LOAD(c.block, table + TABLE_TRANSITION_COUNT);
    found.travels = false;
    address travels = travels_of(c.block, table);
    if (USES_TRAVEL && travels != CONTROL_NONE) {
        address to = state_word(c, LOAD(c.block, travels + TRAVEL_STATE));
        if (to != 0u) {
            address destination = travels + TRAVEL_DESTINATIONS + (to - 1u) * DESTINATION_WORDS;
            found.at = LOAD(c.block, destination + DESTINATION_STEPS) + current;
            found.end = found.at + 1u;
            found.travels = true;
        }
    }
    return found;
}

// Whether a transition on a machine's path may be taken now.
OP bool step_applies(control c, address machine, address current, address transition) {
    return (LOAD(c.block, transition + TRANSITION_FLAGS) & TRANSITION_TELEPORTS) != 0u ||
           (state_word(c, machine_at(c, machine) + MACHINE_FADE) == 0u &&
            times_apply(c, machine, current, transition, PLAYING_PASSED));
}
#endif

// Whether a transition from the current state may be taken now, regardless of its event.
OP lane_mask transition_applies(control c, address machine, address current, address transition, uint passed) {
    lane_mask applies = times_apply(c, machine, current, transition, passed);
    if (ANY(applies)) {
        applies = AND(applies, condition_holds(c, LOAD(c.block, transition + TRANSITION_TERMS),
                                               LOAD(c.block, transition + TRANSITION_TERM_COUNT), false));
    }
    return applies;
}

#endif
