// When machines that match motion search. Their jumps are transitions (machines.h).
#ifndef LMB_OPS_SEARCHES_H
#define LMB_OPS_SEARCHES_H

#include "machines.h"

// Whether a take plays: the machine runs, and its state is one.
OP bool plays_take(control c, address matching) {
    return machine_is_current(c, READ(c.block, matching, MATCHING, machine)) &&
           current_take(c, matching) < READ(c.block, matching, MATCHING, take_count);
}

// Writes the parameters that say whether takes play mirrored.
OP void write_mirrored(CHARACTERS all) {
    memory block = CHARACTERS_BLOCK(all);
    if (!matches(block)) {
        return;
    }
    for (address matching = HEADER(block, CONTROL, matchings); matching < matchings_end(block);
         matching += WORDS_OF(MATCHING)) {
        address parameter = READ(block, matching, MATCHING, mirrored);
        if (parameter != CONTROL_NONE) {
            FOR_EACH(all, i) {
                control c = CHARACTER(all, i);
                write_parameter(c, parameter, SPLAT(plays_mirrored(c, matching) ? 1.0f : 0.0f));
            }
        }
    }
}

// Begins the frame of matchings. A row that was found for a take that no longer plays is forgotten.
OP void begin_matchings(CHARACTERS all) {
    memory block = CHARACTERS_BLOCK(all);
    if (!matches(block)) {
        return;
    }
    for (address matching = HEADER(block, CONTROL, matchings); matching < matchings_end(block);
         matching += WORDS_OF(MATCHING)) {
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.updates && !plays_take(c, matching)) {
                set_state_word(c, matched_at(c, matching) + FIELD(MATCHED, found), 0u);
            }
        }
    }
}

// Moves the velocity that follows the desired one: the spring of lmb_motion_database_path().
OP_NOINLINE void follow_velocity(control c, address matching) {
    float rate = READ_FLOAT(c.block, matching, MATCHING, spring);
    course desired = desired_course(c, matching, 0u);
    real time = seconds_of_fine(fine_of_ticks(c.duration));
    real left = exponential2(snap(time * rate * -1.44269502f));
    address at = matched_at(c, matching) + FIELD(MATCHED, moving);
    for (uint i = 0u; i < 2u; i++) {
        real g = i == 0u ? desired.x : desired.z;
        real a = state_number(c, at + 2u + i);
        approach f = make_approach(state_number(c, at + i), a, g, rate);
        real v = snap(g + left * snap(f.off + f.on * time));
        a = rate > 0.0f ? snap(left * snap(a - f.on * snap(rate * time))) : 0.0f;
        set_state_word(c, at + i, BITS(v));
        set_state_word(c, at + 2u + i, BITS(a));
    }
}

// Advances what was chosen, and the time since the last search, by the duration of a piece.
OP void advance_matching(control c, address matching) {
    address at = matched_at(c, matching);
    set_state_ticks(c, at + FIELD(MATCHED, waited), add_ticks(state_ticks(c, at + FIELD(MATCHED, waited)), c.duration));
    follow_velocity(c, matching);
    for (uint i = 0u; i < MOST_RECENT; i++) {
        address since = at + WORDS_OF(MATCHED) + i * WORDS_OF(RECENT) + 1u;
        uint before = state_word(c, since);
        uint now = before + ticks_low(c.duration);
        bool is_long = ticks_high(c.duration) != 0u || now < before;
        set_state_word(c, since, is_long ? 0xffffffffu : now);
    }
}

OP void advance_matchings(CHARACTERS all) {
    memory block = CHARACTERS_BLOCK(all);
    if (!matches(block)) {
        return;
    }
    for (address matching = HEADER(block, CONTROL, matchings); matching < matchings_end(block);
         matching += WORDS_OF(MATCHING)) {
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.moves && c.updates) {
                advance_matching(c, matching);
            }
        }
    }
}

// Whether parameters ask for something else than at the last search.
OP bool course_changed(control c, address matching, course desired, tag_masks tags) {
    address at = matched_at(c, matching);
    real x = snap(desired.x - state_number(c, at + FIELD(MATCHED, velocity)));
    real z = snap(desired.z - state_number(c, at + FIELD(MATCHED, velocity) + 1u));
    word turned = turn_magnitude(desired.turn - state_word(c, at + FIELD(MATCHED, heading)));
    return x * x + z * z > READ_FLOAT(c.block, matching, MATCHING, change) ||
           turned > READ(c.block, matching, MATCHING, turn) ||
           tags.required != state_word(c, at + FIELD(MATCHED, required)) ||
           tags.forbidden != state_word(c, at + FIELD(MATCHED, forbidden));
}

// The time that a character has waited after its first search, so that the searches of a crowd take turns.
OP ticks first_wait(control c, address matching) {
    return part_of_ticks(block_ticks(c, matching + FIELD(MATCHING, interval)), c.character * 2654435769u);
}

// Begins the search of a character: in its first frame, in its turn, when parameters ask for something else, and at the
// end of a take.
OP_NOINLINE void ask(control c, address matching) {
    address at = matched_at(c, matching);
    course desired = desired_course(c, matching, 0u); // one that keeps its heading does not ask anew when it turns
    tag_masks tags = find_tags(c, matching);
    ticks interval = block_ticks(c, matching + FIELD(MATCHING, interval));
    ticks waited = state_ticks(c, at + FIELD(MATCHED, waited));
    bool begins = state_word(c, at + FIELD(MATCHED, begun)) == 0u;
    bool is_due = !ticks_less(waited, interval);
    uint row = row_of_moment(c, matching, current_moment(c, matching, current_take(c, matching)));
    if (begins || is_due || course_changed(c, matching, desired, tags) || take_ends(c, matching, row)) {
        ticks later = is_due ? subtract_ticks(waited, interval) : waited; // its turn stays
        later = ticks_less(later, interval) ? later : make_ticks(0u, 0u);
        set_state_word(c, at + FIELD(MATCHED, found), MATCH_ASKED);
        set_state_word(c, at + FIELD(MATCHED, begun), 1u);
        set_state_ticks(c, at + FIELD(MATCHED, waited), begins ? first_wait(c, matching) : later);
        set_state_word(c, at + FIELD(MATCHED, velocity), BITS(desired.x));
        set_state_word(c, at + FIELD(MATCHED, velocity) + 1u, BITS(desired.z));
        set_state_word(c, at + FIELD(MATCHED, heading), desired.turn);
        set_state_word(c, at + FIELD(MATCHED, required), tags.required);
        set_state_word(c, at + FIELD(MATCHED, forbidden), tags.forbidden);
    }
}

// Begins searches, at the end of a frame.
OP void begin_searches(CHARACTERS all) {
    memory block = CHARACTERS_BLOCK(all);
    if (!matches(block)) {
        return;
    }
    for (address matching = HEADER(block, CONTROL, matchings); matching < matchings_end(block);
         matching += WORDS_OF(MATCHING)) {
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.updates && plays_take(c, matching)) {
                ask(c, matching);
            }
        }
    }
}

#endif
