// Players: moves all of them (passages.h), and emits the events that each passes.
//
// A player loops, stops at its ends or plays in ping-pong mode, in which its position runs from 0 to twice the
// duration, there and back. A move over a frame is a passage: from and to positions, and the number of ends passed.
#ifndef LMB_OPS_PLAYERS_H
#define LMB_OPS_PLAYERS_H

#include "full_motion.h"
#include "lanes.h"
#include "machines.h"
#include "passages.h"
#include "player_weights.h"
#include "root_motion.h"

// A player whose events are emitted. A leg of its passage is a part without an end of the clip inside.
STRUCT(emitter)
uint index;
real weight;
ticks from;   // where the leg begins in the clip
ticks passed; // the distance of the legs before it
uint first;   // of its events in this passage
END_STRUCT(emitter)

OP emitter make_emitter(control c, address player, ticks from) {
    emitter e;
    e.index = TO_WORD((player - HEADER(c.block, CONTROL, players)) / WORDS_OF(PLAYER));
    e.weight = player_weight(c, player);
    e.from = from;
    e.passed = make_ticks(0u, 0u);
    e.first = LOAD(c.emitted, EMITTED_AT(c, 0u));
    return e;
}

// Goes on to the next leg.
OP emitter next_leg(emitter e, ticks duration, bool rises, ticks from) {
    e.passed = add_ticks(e.passed, rises ? subtract_ticks(duration, e.from) : e.from);
    e.from = from;
    return e;
}

// An emission that has the distance from the beginning of the passage in place of its time, until time_emissions().
OP emission emission_at(emitter e, uint by, uint part, ticks distance) {
    return make_emission(by, e.index, part, e.weight, distance);
}

// Gives the events of a passage their times. `rate` is that of a player in no group, in units of 2^-16. The rates of
// others may differ inside the piece, so their times are the same share of its duration as that of the distance
// `whole`.
OP void time_emissions(control c, emitter e, ticks begin, uint rate, ticks whole) {
    uint capacity = HEADER(c.block, CONTROL, emitted_capacity);
    uint count = LOAD(c.emitted, EMITTED_AT(c, 0u));
    uint end = count < capacity ? count : capacity;
    real inverse = 0.0f;
    if (rate == 0u) {
        inverse = reciprocal(snap(real_of_distance(whole)));
    }
    for (uint i = e.first; i < end; i++) {
        address at = EMITTED_AT(c, EMITTED_COUNT_WORDS + WORDS_OF(EMITTED) * i + FIELD(EMITTED, time));
        ticks distance = load_ticks(c.emitted, at);
        ticks time = c.duration;
        if (rate != 0u) {
            time = ticks_to_pass(distance, rate);
        } else if (ticks_less(distance, whole)) {
            real share = clamp_real(snap(real_of_distance(distance) * inverse), 0.0f, 0.999999940f);
            time = part_of_ticks(c.duration, TO_WORD(share * 16777216.0f) << 8u);
        }
        store_ticks(c.emitted, at, add_ticks(begin, time));
    }
}

// Emits the notifies of a leg in [low, high), or in [low, high] if `with_high`, in the direction of play.
OP void emit_notifies(control c, address player, ticks low, ticks high, bool with_high, bool backwards, emitter e) {
    address notifies = READ(c.block, player, PLAYER, notifies);
    uint count = READ(c.block, player, PLAYER, notify_count);
    uint passes = signed_passes(1u, backwards);
    for (address i = 0u; i < count; i++) {
        address index = backwards ? count - 1u - i : i;
        address notify = notifies + index * WORDS_OF(NOTIFY);
        ticks time = block_ticks(c, notify);
        bool below = ticks_less(time, high) || (with_high && !ticks_less(high, time));
        if (below && !ticks_less(time, low)) {
            ticks distance = backwards ? subtract_ticks(e.from, time) : subtract_ticks(time, e.from);
            emission at = emission_at(e, BY_NOTIFY, TO_WORD(index), add_ticks(e.passed, distance));
            emit(c, LOAD(c.block, notify + 2u), at, passes);
        }
    }
}

// Emits the notifies of a player that does not turn around, leg by leg: a leg goes from where the player is to an end
// of the clip, and the next one begins at the other end. A notify at the clip's end is emitted by the leg that is
// there, also if the player `stops` at it.
OP void emit_loop(control c, address player, passage p, ticks duration, emitter e, bool stops) {
    uint count = READ(c.block, player, PLAYER, notify_count);
    if (count == 0u) {
        return;
    }
    uint most = HEADER(c.block, CONTROL, emitted_capacity) + 1u;
    uint legs = p.ends < most ? p.ends : most;
    for (uint leg = 0u; leg <= legs; leg++) {
        bool is_first = leg == 0u;
        bool is_last = leg == legs;
        bool at_low = p.backwards ? is_last : is_first;
        bool at_high = p.backwards ? is_first : is_last;
        ticks low = make_ticks(0u, 0u);
        ticks high = duration;
        if (at_low) {
            low = p.backwards ? p.to : p.from;
        }
        if (at_high) {
            high = p.backwards ? p.from : p.to;
        }
        bool with_high = !at_high || (stops && is_last && !p.backwards);
        emit_notifies(c, player, low, high, with_high, p.backwards, e);
        e = next_leg(e, duration, !p.backwards, p.backwards ? duration : make_ticks(0u, 0u));
    }
    if (p.ends > legs) {
        // There is no room for the remaining ones.
        lose_events(c, (p.ends - legs) * count);
    }
}

// Whether the time in the clip increases from a ping-pong position.
OP bool turned_time_rises(ticks place, ticks duration, bool backwards) {
    return backwards ? no_ticks(place) || ticks_less(duration, place) : ticks_less(place, duration);
}

// Emits the notifies of a ping-pong player, leg by leg. A notify at an end of the clip is emitted when the end is
// reached. So one at the beginning is not emitted again when a player that `has_turned` there leaves.
OP_NOINLINE void emit_turns(control c, address player, passage p, ticks duration, bool has_turned, emitter e) {
    bool rising = turned_time_rises(p.from, duration, p.backwards);
    ticks to = turned_time(p.to, duration);
    uint most = 2u * HEADER(c.block, CONTROL, emitted_capacity) + 3u; // one at an end is passed in every other leg
    uint legs = p.ends < most ? p.ends : most;
    for (uint leg = 0u; leg <= legs; leg++) {
        bool turns = leg < p.ends;
        ticks low = has_turned ? make_ticks(1u, 0u) : e.from;
        ticks high = turns ? duration : to;
        if (!rising) {
            low = turns ? make_ticks(0u, 0u) : to;
            high = e.from;
        }
        emit_notifies(c, player, low, high, rising && turns, !rising, e);
        e = next_leg(e, duration, rising, rising ? duration : make_ticks(0u, 0u));
        rising = !rising;
        has_turned = true;
    }
    uint count = READ(c.block, player, PLAYER, notify_count);
    if (p.ends > legs && count > 0u) {
        lose_events(c, (p.ends - legs) * count);
    }
}

// Whether a player may emit events, so that its weight is needed.
OP bool emits_something(control c, address player, bool ends) {
    return c.emits_events && (ends || READ(c.block, player, PLAYER, notify_count) > 0u);
}

// Emits what a player in no group passes.
#ifdef LMB_GLSL
void emit_move(control c, player own, player_move m) {
#else
static void emit_move(control c, player own, player_move m) {
#endif
    if (!emits_something(c, own.record, m.stops || m.p.ends > 0u)) {
        return;
    }
    ticks from = own.turns ? turned_time(m.p.from, own.duration) : m.p.from;
    emitter e = make_emitter(c, own.record, from);
    if (own.turns) {
        emit_turns(c, own.record, m.p, own.duration, m.had_turned, e);
    } else {
        emit_loop(c, own.record, m.p, own.duration, e, m.stops);
    }
    bool rises = own.turns ? turned_time_rises(m.p.from, own.duration, m.p.backwards) : !m.p.backwards;
    ticks first = rises ? subtract_ticks(own.duration, from) : from; // distance to the first end
    // A ping-pong player has reached the end at which it stops.
    uint looped = own.turns && m.stops ? m.p.ends - 1u : m.p.ends;
    if (looped > 0u) {
        emit(c, READ(c.block, own.record, PLAYER, looped_event), emission_at(e, BY_LOOP, 0u, first),
             signed_passes(looped, m.p.backwards));
    }
    if (m.stops) {
        ticks last = add_ticks(first, scale_ticks(own.duration, looped));
        emit(c, READ(c.block, own.record, PLAYER, ended_event), emission_at(e, BY_END, 0u, last),
             signed_passes(1u, m.p.backwards));
    }
    time_emissions(c, e, add_ticks(time_of_piece(c), m.waits), m.rate > 0u ? m.rate : 1u, make_ticks(0u, 0u));
}

// The distance of a player from a term's time, in the direction of play. 0 if it is past it or moves away from it.
OP ticks distance_to_place(control c, player own, ticks place, bool backwards, address term) {
    uint kind = READ(c.block, term, TERM, kind) & TERM_COMPARISON;
    ticks time = time_in_clip(c, own.record);
    ticks target = block_ticks(c, term + FIELD(PLACE_TERM, place));
    bool rises = own.end == PLAYER_TURNS ? turned_time_rises(place, own.duration, backwards) : !backwards;
    bool waits =
        rises ? kind == TERM_GREATER || kind == TERM_GREATER_EQUAL : kind == TERM_LESS || kind == TERM_LESS_EQUAL;
    ticks past = make_ticks(kind == TERM_GREATER || kind == TERM_LESS ? 1u : 0u, 0u);
    bool is_before = rises ? !ticks_less(target, time) : !ticks_less(time, target);
    ticks distance = make_ticks(0u, 0u);
    if (waits && is_before) {
        distance = add_ticks(rises ? subtract_ticks(target, time) : subtract_ticks(time, target), past);
    }
    return distance;
}

// The time in ticks until a player reaches a term's time or, without a term, its next end, of repetitions the last one.
// 0 if it does not get there,
// is there already, does not move, or is moved by a group.
OP ticks time_to_place(control c, address record, address term) {
    player own = load_player(c.block, record);
    pace speed = player_pace(c, own);
    ticks distance = make_ticks(0u, 0u);
    if (speed.rate != 0u && READ(c.block, record, PLAYER, is_grouped) == 0u && owner_moves(c, own.at)) {
        ticks place = state_ticks(c, own.state + FIELD(PLAYING, place));
        bool stays = own.last_end != PLAYER_LOOPS;
        uint flags = state_word(c, own.state + FIELD(PLAYING, flags));
        bool ended = stays && (flags & PLAYING_ENDED) != 0u;
        if (term != CONTROL_NONE && !ended) {
            distance = distance_to_place(c, own, place, speed.backwards, term);
        }
        if (term == CONTROL_NONE && (stays || !no_ticks(own.duration))) {
            distance = distance_to_end(own, place, speed.backwards);
            if (USES_PLAYER_OPTIONS && own.repetitions != 0u && !ended) {
                uint later = own.repetitions - (flags >> PLAYING_ENDED_SHIFT) - 1u;
                distance = add_ticks(distance, scale_ticks(own.duration, later));
            }
            if (USES_PLAYER_OPTIONS && own.repetitions != 0u && ended) {
                distance = make_ticks(0u, 0u);
            }
            if (stays && !ended && no_ticks(distance)) {
                distance = make_ticks(1u, 0u); // at its end from the first tick on
            }
        }
    }
    ticks time = no_ticks(distance) ? distance : ticks_at_rate(distance, speed.rate);
    if (USES_PLAYER_OPTIONS && own.waited != CONTROL_NONE && !no_ticks(distance)) {
        // A time that is too long for ticks is the largest, and stays so.
        ticks later = add_ticks(time, subtract_ticks(own.delay, state_ticks(c, own.waited)));
        time = ticks_less(later, time) ? time : later;
    }
    return time;
}

OP void move_players(CHARACTERS all, frame_part runs) {
    memory block = CHARACTERS_BLOCK(all);
    if (run_in_lanes(all, STAGE_PLAYERS, 0u)) {
        return;
    }
    address alone = HEADER(block, CONTROL, alone);
    address end = alone + (RUNS_PARTS ? runs.end_player : HEADER(block, CONTROL, alone_count));
    for (address at = alone + (RUNS_PARTS ? runs.first_player : 0u); at < end; at++) {
        player own = load_player(block, LOAD(block, at));
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.moves && owner_moves(c, own.at)) {
                move_player(c, own);
            } else if (c.moves) {
                stay(c, own.record);
            }
        }
    }
}

// Adds root motion to a character motion with full rotation: the sum of the weighted translations, and the normalised
// sum of the weighted rotations, to which no rotation adds what the weights' magnitudes lack of 1. A negative weight
// takes the inverse rotation.
OP_NOINLINE void apply_fully(control c, address character_motion) {
    address motion = READ(c.block, character_motion, CHARACTER_MOTION, tracks);
    address end = motion + READ(c.block, character_motion, CHARACTER_MOTION, track_count) * WORDS_OF(MOTION);
    vector t = make_vector(0.0f, 0.0f, 0.0f);
    quaternion q = make_quaternion(0.0f, 0.0f, 0.0f, 0.0f);
    real rest = 1.0f;
    for (; motion < end; motion += WORDS_OF(MOTION)) {
        real weight = weight_of_motion(c, motion);
        if (weight != 0.0f) {
            ticks duration = block_ticks(c, READ(c.block, motion, MOTION, player) + FIELD(PLAYER, duration));
            rigid r = rigid_along(c, motion, passage_of_motion(c, motion), duration);
            real share = r.q.w < 0.0f ? -weight : weight;
            real magnitude = magnitude_of(weight);
            t = add_vectors(t, scale_vector(r.t, weight));
            q = make_quaternion(q.x + r.q.x * share, q.y + r.q.y * share, q.z + r.q.z * share,
                                q.w + magnitude_of(r.q.w) * magnitude);
            rest = rest - magnitude;
        }
    }
    q.w = q.w + rest;
    q = quaternion_normalize_or(snap_quaternion(q), QUATERNION_VANISHED, NO_ROTATION);
    add_fully(c, character_motion, make_rigid(make_vector(snap(t.x), snap(t.y), snap(t.z)), q));
}

// Between updates, players keep the weights of the last update. Only marks their root motion as not moved.
OP_NOINLINE void keep_player_weights(control c) {
    address character_motion = HEADER(c.block, CONTROL, character_motion);
    if (USES_CHARACTER_MOTION && character_motion != CONTROL_NONE) {
        address motion = READ(c.block, character_motion, CHARACTER_MOTION, tracks);
        address motions_end =
            motion + READ(c.block, character_motion, CHARACTER_MOTION, track_count) * WORDS_OF(MOTION);
        for (; motion < motions_end; motion += WORDS_OF(MOTION)) {
            set_state_word(c, READ(c.block, motion, MOTION, state) + FIELD(MOTION_SPAN, how), 0u);
        }
    }
}

OP void weigh_all_players(CHARACTERS all) {
    bool weighed = run_in_lanes(all, STAGE_WEIGHTS, 0u);
    FOR_EACH(all, i) {
        control c = CHARACTER(all, i);
        if (c.moves && c.updates && !weighed) {
            weigh_players(c);
        } else if (c.moves && !c.updates) {
            keep_player_weights(c);
        }
    }
}

#endif
