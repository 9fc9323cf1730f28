// Passages: how the time of a player advances, to which of its ends. players.h emits what it passes.
#ifndef LMB_OPS_PASSAGES_H
#define LMB_OPS_PASSAGES_H

#include "state_weights.h"

// A playback rate in units of 2^-16, and its direction.
STRUCT(pace)
word rate;
lane_mask backwards;
END_STRUCT(pace)

OP real bounded_rate(real rate) {
    return SELECT(is_finite(rate), clamp_real(snap(rate), -64.0f, 64.0f), SPLAT(0.0f));
}

OP pace make_pace(real rate) {
    real bounded = bounded_rate(rate);
    real magnitude = magnitude_of(bounded) * 65536.0f;
    pace p;
    p.backwards = bounded < 0.0f;
    p.rate = TO_WORD(magnitude + 0.5f);
    return p;
}

// Where a player is.
STRUCT(playing)
ticks place;
word flags;
#ifdef LMB_SIMD_WIDTH
word weight; // of the same row
#endif
END_STRUCT(playing)

OP playing load_playing(control c, address at) {
    playing p;
#ifdef LMB_SIMD_WIDTH
    real row[4];
    lmb_load_rows_behind(c.states, at, row);
    p.place = make_ticks(BITS(row[0]), BITS(row[1]));
    p.flags = BITS(row[2]);
    p.weight = BITS(row[3]);
#else
    p.place = state_ticks(c, at + FIELD(PLAYING, place));
    p.flags = state_word(c, at + FIELD(PLAYING, flags));
#endif
    return p;
}

// Stores where a player is. `before` is its row.
OP void set_playing(control c, address at, playing before, ticks place, word flags) {
#ifdef LMB_SIMD_WIDTH
    lmb_store_rows_behind(c.states, at, REAL(place.low), REAL(place.high), REAL(flags), REAL(before.weight), c.counts);
#else
    UNUSED(before);
    set_state_ticks(c, at + FIELD(PLAYING, place), place);
    set_state_word(c, at + FIELD(PLAYING, flags), flags);
#endif
}

// The player's weight in the pose, computed before players move.
OP real player_weight(control c, address player) {
    return state_number(c, READ(c.block, player, PLAYER, state) + FIELD(PLAYING, weight));
}

// Counts the clip's ends up to a ping-pong position. The difference between two positions is the number of ends passed.
// In either direction an end counts as passed when it is reached.
OP word ends_reached(ticks place, ticks duration, lane_mask backwards) {
    word rising = SELECT_BITS(NOT(ticks_less(place, duration)), ALL_WORD(1u));
    word falling = SELECT_BITS(NOT(no_ticks(place)), ALL_WORD(1u));
    falling = SELECT(ticks_less(duration, place), ALL_WORD(2u), falling);
    return SELECT(backwards, falling, rising);
}

// Whether this is the first piece of a frame. Events that are held begin another frame.
OP lane_mask is_first_piece(control c) {
#ifdef LMB_SIMD_WIDTH
    return c.is_first_piece;
#else
    return same_ticks(add_ticks(c.left, c.later), c.step);
#endif
}

// The flag for an end passed in an earlier piece of the same frame.
OP word kept_flags(control c, word flags) {
    return SELECT_BITS(NOT(is_first_piece(c)), flags & PLAYING_PASSED_IN_FRAME);
}

// The flags of a player after a passage of so many ends.
OP word passed_flags(control c, word before, word ends, word flags) {
    return flags | kept_flags(c, before) | SELECT_BITS(ends > 0u, ALL_WORD(PLAYING_PASSED | PLAYING_PASSED_IN_FRAME));
}

// The flags of a player that does not move.
OP word still_flags(control c, word before) {
    uint kept = PLAYING_ENDED | PLAYING_TURNED | (MOST_REPETITIONS << PLAYING_ENDED_SHIFT);
    return (before & kept) | kept_flags(c, before);
}

// Records a player's passage for its root motion.
OP void note_passage(control c, address player, passage p) {
    if (!USES_CHARACTER_MOTION || HEADER(c.block, CONTROL, character_motion) == CONTROL_NONE) {
        return;
    }
    address index = (player - HEADER(c.block, CONTROL, players)) / WORDS_OF(PLAYER);
    address motion_span =
        LOAD(c.block, READ(c.block, HEADER(c.block, CONTROL, character_motion), CHARACTER_MOTION, root_motion) + index);
    if (motion_span != CONTROL_NONE) {
        word how = SELECT(p.backwards, ALL_WORD(MOTION_SPAN_BACKWARDS), ALL_WORD(MOTION_SPAN_FORWARDS));
#ifdef LMB_SIMD_WIDTH
        lmb_store_rows_behind(c.states, motion_span + FIELD(MOTION_SPAN, from), REAL(p.from.low), REAL(p.from.high),
                              REAL(p.ends), REAL(how), c.counts);
#else
        set_state_ticks(c, motion_span + FIELD(MOTION_SPAN, from), p.from);
        set_state_word(c, motion_span + FIELD(MOTION_SPAN, ends), p.ends);
        set_state_word(c, motion_span + FIELD(MOTION_SPAN, how), how);
#endif
    }
}

// Data of a player in no group. The same for all characters.
STRUCT(player)
address record;
address state;
ticks duration;
uint end;
uint repetitions; // 0: for ever
uint last_end;
ticks delay;    // if it waits
address waited; // or CONTROL_NONE
bool has_duration;
bool turns; // around at ends of its clip
owning_state at;
control_value rate;
pace constant_pace; // if no parameter gives it
END_STRUCT(player)

OP player load_player(memory block, address record) {
    player p;
    p.record = record;
    p.state = READ(block, record, PLAYER, state);
    p.duration = load_ticks(block, record + FIELD(PLAYER, duration));
    p.end = READ(block, record, PLAYER, end);
    p.repetitions = 0u;
    p.last_end = p.end == PLAYER_TURNS ? PLAYER_LOOPS : p.end;
    p.waited = CONTROL_NONE;
    if (USES_PLAYER_OPTIONS) {
        p.repetitions = READ(block, record, PLAYER, repetitions);
        p.last_end = READ(block, record, PLAYER, last_end);
        p.delay = load_ticks(block, record + FIELD(PLAYER, delay));
        p.waited = READ(block, record, PLAYER, waited);
    }
    uint duration = LOAD(block, record + FIELD(PLAYER, duration)) | LOAD(block, record + FIELD(PLAYER, duration) + 1u);
    p.has_duration = duration != 0u;
    p.turns = p.end == PLAYER_TURNS && p.has_duration;
    p.at = load_owner(block, record);
    p.rate = load_control_value(block, record + FIELD(PLAYER, rate));
    p.constant_pace = make_pace(curve_value(block, p.rate, SPLAT(p.rate.constant)));
    return p;
}

OP pace player_pace(control c, player own) {
    pace speed = own.constant_pace;
    if (own.rate.parameter != CONTROL_NONE) {
        speed = make_pace(number_of_value(c, own.rate));
    }
    return speed;
}

// The distance from a position to the next end. A loop that plays backwards passes its end when it leaves 0; a
// repetition of it ends when it reaches 0.
OP ticks distance_to_end(player own, ticks place, lane_mask backwards) {
    ticks duration = own.duration;
    ticks forwards = subtract_ticks(duration, place);
    ticks back = place;
    if (USES_PLAYER_OPTIONS && own.end == PLAYER_LOOPS && own.repetitions != 0u) {
        back = select_ticks(no_ticks(place), duration, place);
    } else if (own.end == PLAYER_LOOPS) {
        back = add_ticks(place, make_ticks(ALL_WORD(1u), ALL_WORD(0u)));
    }
    if (own.end == PLAYER_TURNS) {
        forwards = select_ticks(ticks_less(place, duration), forwards, add_ticks(duration, forwards));
        back = select_ticks(ticks_less(duration, place), subtract_ticks(place, duration), place);
        back = select_ticks(no_ticks(place), duration, back);
    }
    return select_ticks(backwards, back, forwards);
}

// A move of a player.
STRUCT(player_move)
passage p;
word loops;           // ends for root motion: of a clip that turns around, there and back count as one
word flags;           // without those of passed ends
lane_mask stops;      // it reaches an end and stays there
lane_mask had_turned; // around at the beginning of its clip, and not left it
word rate;            // without its direction
ticks waits;          // of its delay, in this piece
END_STRUCT(player_move)

// Of a player that stops at its ends.
OP player_move find_move_to_end(player own, playing before, ticks by, lane_mask backwards) {
    player_move m;
    ticks left = select_ticks(backwards, before.place, subtract_ticks(own.duration, before.place));
    lane_mask arrives = NOT(ticks_less(by, left));
    lane_mask had_ended = (before.flags & PLAYING_ENDED) != 0u;
    lane_mask stays = no_ticks(by);
    lane_mask ended = OR(AND(stays, had_ended), AND(NOT(stays), arrives));
    ticks moved = select_ticks(AND(arrives, NOT(stays)), left, by);
    m.p.from = before.place;
    m.p.to = select_ticks(backwards, subtract_ticks(before.place, moved), add_ticks(before.place, moved));
    m.p.ends = ALL_WORD(0u);
    m.p.backwards = backwards;
    m.loops = ALL_WORD(0u);
    m.stops = AND(ended, NOT(had_ended));
    m.flags = SELECT_BITS(ended, ALL_WORD(PLAYING_ENDED)) | SELECT_BITS(m.stops, ALL_WORD(PLAYING_PASSED));
    m.had_turned = ALL_WORD(0u) != 0u;
    m.rate = ALL_WORD(0u);
    m.waits = make_ticks(ALL_WORD(0u), ALL_WORD(0u));
    return m;
}

// Ends a move where the last of a player's repetitions ends. Each ends at an end of the clip that the player reaches. A
// player that has ended stays, whatever its rate.
OP player_move end_repetitions(player own, playing before, lane_mask moves, player_move m) {
    ticks none = make_ticks(ALL_WORD(0u), ALL_WORD(0u));
    word from_beginning = SELECT_BITS(no_ticks(m.p.from), ALL_WORD(1u));
    word left = own.repetitions - (before.flags >> PLAYING_ENDED_SHIFT);
    word reached = m.p.ends;
    word passed = left - 1u;
    ticks end = select_ticks(m.p.backwards, none, own.duration);
    if (own.turns) {
        word first = ends_reached(m.p.from, own.duration, m.p.backwards);
        word last = SELECT(m.p.backwards, first - left, first + left);
        passed = left;
        end = select_ticks((last & 1u) != 0u, own.duration, none);
    } else {
        // Backwards, an end has been passed when it is left.
        word at_beginning = SELECT_BITS(no_ticks(m.p.to), ALL_WORD(1u));
        reached = reached + SELECT_BITS(m.p.backwards, at_beginning - from_beginning);
        passed = passed + SELECT_BITS(m.p.backwards, from_beginning);
    }
    if (!own.has_duration) {
        reached = left;
        passed = ALL_WORD(0u);
    }
    lane_mask had_ended = (before.flags & PLAYING_ENDED) != 0u;
    m.stops = AND(AND(moves, NOT(had_ended)), NOT(reached < left));
    lane_mask ended = OR(had_ended, m.stops);
    m.p.to = select_ticks(had_ended, m.p.from, select_ticks(m.stops, end, m.p.to));
    m.p.ends = SELECT_BITS(NOT(had_ended), SELECT(m.stops, passed, m.p.ends));
    m.loops = m.p.ends;
    m.flags = SELECT(ended, ALL_WORD(PLAYING_ENDED), m.flags) | SELECT_BITS(m.stops, ALL_WORD(PLAYING_PASSED));
    word count = own.repetitions - SELECT_BITS(NOT(ended), left - reached);
    m.flags = m.flags | (count << PLAYING_ENDED_SHIFT);
    return m;
}

// Lets a player's delay pass. Returns what is left of the piece.
OP ticks pass_delay(control c, player own) {
    ticks waited = state_ticks(c, own.waited);
    ticks left = subtract_ticks(own.delay, waited);
    ticks passed = select_ticks(ticks_less(c.duration, left), c.duration, left);
    set_state_ticks(c, own.waited, add_ticks(waited, passed));
    return subtract_ticks(c.duration, passed);
}

OP player_move find_move(control c, player own, playing before) {
    pace speed = player_pace(c, own);
    ticks left = c.duration;
    ticks waits = make_ticks(ALL_WORD(0u), ALL_WORD(0u));
    if (USES_PLAYER_OPTIONS && own.waited != CONTROL_NONE) {
        left = pass_delay(c, own);
        waits = subtract_ticks(c.duration, left);
    }
    ticks by = scale_ticks(left, speed.rate);
    if (own.end == PLAYER_HOLDS || own.end == PLAYER_DROPS_OUT) {
        player_move to_end = find_move_to_end(own, before, by, speed.backwards);
        to_end.rate = speed.rate;
        to_end.waits = waits;
        return to_end;
    }
    player_move m;
    m.rate = speed.rate;
    m.waits = waits;
    ticks around = own.duration;
    if (own.end == PLAYER_TURNS) {
        around = add_ticks(own.duration, own.duration);
    }
    m.p = move_around(before.place, by, around, speed.backwards);
    m.loops = m.p.ends;
    m.flags = ALL_WORD(0u);
    m.had_turned = ALL_WORD(0u) != 0u;
    if (own.turns) {
        // Count ends of the clip instead of full periods.
        word reached_from = ends_reached(m.p.from, own.duration, speed.backwards);
        word reached_to = ends_reached(m.p.to, own.duration, speed.backwards);
        m.p.ends = 2u * m.p.ends + SELECT(speed.backwards, reached_from - reached_to, reached_to - reached_from);
        m.had_turned = (before.flags & PLAYING_TURNED) != 0u;
        m.flags = SELECT_BITS(AND(no_ticks(m.p.to), OR(m.had_turned, m.p.ends > 0u)), ALL_WORD(PLAYING_TURNED));
    }
    m.stops = ALL_WORD(0u) != 0u;
    if (USES_PLAYER_OPTIONS && own.repetitions != 0u) {
        m = end_repetitions(own, before, NOT(no_ticks(by)), m);
    }
    return m;
}

OP lane_mask player_moves(control c, address player) {
    return state_moves(c, READ(c.block, player, PLAYER, machine), READ(c.block, player, PLAYER, machine_state));
}

// Updates the flags of a player that does not move.
OP void stay(control c, address player) {
    address flags = READ(c.block, player, PLAYER, state) + FIELD(PLAYING, flags);
    word before = state_word(c, flags);
    word after = still_flags(c, before);
    set_state_word(only_where(c, after != before), flags, after);
}

// Emits what a player in no group passes.
#ifdef LMB_GLSL
void emit_move(control c, player own, player_move m);
#else
static void emit_move(control c, player own, player_move m);
#endif

// Moves a player in no group.
OP void move_player(control c, player own) {
    playing before = load_playing(c, own.state);
    player_move m = find_move(c, own, before);
    passage noted = m.p;
    noted.ends = m.loops;
    note_passage(c, own.record, noted);
    // With repetitions, only the last end counts as passed.
    word passed = m.p.ends;
    if (USES_PLAYER_OPTIONS && own.repetitions != 0u) {
        passed = ALL_WORD(0u);
    }
    set_playing(c, own.state, before, m.p.to, passed_flags(c, before.flags, passed, m.flags));
    emit_move(c, own, m);
}

// A player whose time is a parameter. The same for all characters.
STRUCT(shown_player)
address state;
uint end;
ticks duration;
address parameter;
END_STRUCT(shown_player)

OP shown_player load_shown_player(memory block, address record) {
    shown_player p;
    p.state = READ(block, record, PLAYER, state);
    p.end = READ(block, record, PLAYER, end);
    p.duration = load_ticks(block, record + FIELD(PLAYER, duration));
    p.parameter = READ(block, record, PLAYER, time_parameter);
    return p;
}

OP void write_player_time(control c, shown_player own) {
    ticks time = load_playing(c, own.state).place;
    if (own.end == PLAYER_TURNS) {
        time = turned_time(time, own.duration);
    }
    write_parameter(c, own.parameter, seconds_of_fine(time));
}

#endif
