// Sync groups: players that are kept in phase. The leader, which is the first member, advances by time. The other
// members are set to its phase.
#ifndef LMB_OPS_GROUPS_H
#define LMB_OPS_GROUPS_H

#ifdef LMB_SIMD_WIDTH
#include "passages.h"
#include "phases.h"
#else
#include "players.h"
#endif

// Weighted means over the members: factor of the group's rate, and velocity.
STRUCT(group_mean)
real rate;
real velocity;
END_STRUCT(group_mean)

// With CADENCE_DURATION, the factor is the weighted mean of the members' rates. With CADENCE_VELOCITY, the group moves
// at the mean of the members' speeds |v| by their weights w: the factor is sum(w |v|) / sum(w |v| d), where d is the
// duration of a member's piece over that of the leader's piece. With CADENCE_LENGTH the same with all |v| = 1, so that
// a piece takes the mean of the members' lengths. The velocity is the same in all pieces.
OP group_mean find_group_mean(control c, address group, address index) {
    address leading = READ(c.block, group, GROUP, members);
    uint cadence = READ(c.block, group, GROUP, cadence) & (CADENCE_VELOCITY | CADENCE_LENGTH);
    real weights = SPLAT(0.0f);
    real speeds = SPLAT(0.0f);
    real pieces = SPLAT(0.0f);
    real velocities = SPLAT(0.0f);
    address member_count = READ(c.block, group, GROUP, member_count);
    for (address i = 0u; i < member_count; i++) {
        address member = leading + i * WORDS_OF(MEMBER);
        real weight = player_weight(c, READ(c.block, member, MEMBER, player));
        float velocity = READ_FLOAT(c.block, member, MEMBER, velocity);
        weights = weights + weight;
        speeds = speeds + weight * (velocity < 0.0f ? -velocity : velocity);
        pieces = pieces + weight * LOAD_FLOAT(c.block, READ(c.block, member, MEMBER, pieces) + index);
        velocities = velocities + weight * velocity;
    }
    lane_mask unseen = snap(weights) == 0.0f;
    real inverse = reciprocal(snap(weights));
    group_mean mean;
    mean.rate = pieces * inverse;
    if (cadence != CADENCE_DURATION) {
        real inverse_pieces = reciprocal(snap(pieces));
        mean.rate = cadence == CADENCE_VELOCITY ? speeds * inverse_pieces : weights * inverse_pieces;
    }
    mean.rate = SELECT(OR(unseen, snap(pieces) == 0.0f), SPLAT(1.0f), mean.rate);
    mean.velocity = SELECT(unseen, SPLAT(READ_FLOAT(c.block, leading, MEMBER, velocity)), velocities * inverse);
    return mean;
}

OP bool share_owner(memory block, address player, address other) {
    return READ(block, player, PLAYER, machine) == READ(block, other, PLAYER, machine) &&
           READ(block, player, PLAYER, machine_state) == READ(block, other, PLAYER, machine_state);
}

// Whether all members of a group have the same owning state.
OP bool group_shares_owner(memory block, address group) {
    address leading = READ(block, group, GROUP, members);
    uint count = READ(block, group, GROUP, member_count);
    bool shares = true;
    for (address i = 1u; i < count; i++) {
        shares = shares && share_owner(block, READ(block, leading, MEMBER, player),
                                       READ(block, leading + i * WORDS_OF(MEMBER), MEMBER, player));
    }
    return shares;
}

OP lane_mask group_moves(control c, address group) {
    address leading = READ(c.block, group, GROUP, members);
    uint count = READ(c.block, group, GROUP, member_count);
    lane_mask moves = ALL_WORD(0u) != 0u;
    for (address i = 0u; i < count && !ALL(moves); i++) {
        moves = OR(moves, player_moves(c, READ(c.block, leading + i * WORDS_OF(MEMBER), MEMBER, player)));
    }
    return moves;
}

// Updates the flags of the members of a group that does not move.
OP void stay_in_group(control c, address group) {
    address leading = READ(c.block, group, GROUP, members);
    uint count = READ(c.block, group, GROUP, member_count);
    for (address i = 0u; i < count; i++) {
        address player = READ(c.block, leading + i * WORDS_OF(MEMBER), MEMBER, player);
        stay(c, player);
    }
}

#ifndef LMB_SIMD_WIDTH
// The magnitude of a rate in units of 2^-24.
OP uint fine_rate(real rate) {
    return TO_WORD(FLOOR(magnitude_of(bounded_rate(rate)) * 16777216.0f + 0.5f));
}

// A step of the leader, relative to its first marker, through pieces in which it has different rates: the step is cut
// at markers. `rate` is the group's.
//
// A round through all pieces takes the same time in each round. So the time left after the first cut and that after a
// round of cuts give the number of whole rounds in the rest, which are skipped. At most two rounds of cuts remain.
// Times are rounded to 2^-24 tick, in which a position moves by less than a unit. So are rates, because a rate that is
// rounded to 2^-16 would change the time of a round.
OP_NOINLINE passage lead_through_pieces(control c, address group, ticks from, real rate) {
    address leading = READ(c.block, group, GROUP, members);
    uint count = READ(c.block, group, GROUP, marker_count);
    ticks duration = block_ticks(c, READ(c.block, leading, MEMBER, player) + FIELD(PLAYER, duration));
    passage p;
    p.from = from;
    p.ends = 0u;
    p.backwards = make_pace(rate).backwards;
    // Backwards, a marker is in the piece before it.
    ticks inside = from;
    if (p.backwards) {
        inside = subtract_ticks(no_ticks(from) ? duration : from, make_ticks(1u, 0u));
    }
    piece here = find_piece(c, group, leading, inside);
    ticks passed = subtract_ticks(inside, here.begin);
    ticks distance = p.backwards ? add_ticks(passed, make_ticks(1u, 0u)) : subtract_ticks(here.size, passed);
    ticks left = time_of_ticks(c.duration);
    ticks left_before = left;
    uint last = p.backwards ? 0u : count - 1u;
    uint next = p.backwards ? count - 1u : 1u; // added to the index, modulo the count
    bool arrives = true;
    for (uint cut = 0u; cut <= 2u * count && arrives; cut++) {
        uint speed = fine_rate(rate * find_group_mean(c, group, here.index).rate);
        ticks reach = distance_at_rate(left, speed);
        arrives = speed != 0u && !ticks_less(reach, distance);
        if (arrives) {
            left = subtract_ticks(left, time_at_rate(distance, speed));
            p.ends = p.ends + (here.index == last ? 1u : 0u);
            here = find_piece_at(c, group, leading, (here.index + next) % count);
            distance = here.size;
            left_before = cut == 0u ? left : left_before;
            ticks round = subtract_ticks(left_before, left);
            if (cut == count && !no_ticks(round)) {
                ticks_quotient rounds = divide_ticks(left, round);
                p.ends = p.ends + rounds.times;
                left = rounds.rest;
            }
        } else {
            distance = subtract_ticks(distance, reach);
        }
    }
    p.to = add_ticks(here.begin, p.backwards ? distance : subtract_ticks(here.size, distance));
    p.to = same_ticks(p.to, duration) ? make_ticks(0u, 0u) : p.to;
    if (p.backwards) {
        // The beginning is passed when it is left, as in move_around().
        p.ends = p.ends + (no_ticks(from) ? 1u : 0u) - (no_ticks(p.to) ? 1u : 0u);
    }
    return p;
}
#endif

// A step of the leader, relative to its first marker. Vectors have no rates that differ between pieces.
OP passage lead_group(control c, address group, ticks from) {
    address leading = READ(c.block, group, GROUP, members);
    ticks duration = block_ticks(c, READ(c.block, leading, MEMBER, player) + FIELD(PLAYER, duration));
    real rate = control_number(c, group + FIELD(GROUP, rate));
#ifndef LMB_SIMD_WIDTH
    if ((READ(c.block, group, GROUP, cadence) & CADENCE_VARIES) != 0u) {
        return lead_through_pieces(c, group, from, rate);
    }
#endif
    pace speed = make_pace(rate * find_group_mean(c, group, 0u).rate);
    return move_around(from, scale_ticks(c.duration, speed.rate), duration, speed.backwards);
}

// Emits what a member of a group passes.
#ifdef LMB_GLSL
void emit_member(control c, address player, passage p);
#else
static void emit_member(control c, address player, passage p);
#endif

// Moves a group. `shares`: all members have the same owning state. Otherwise each member checks its own.
OP void move_group(control c, address group, bool shares) {
    address leading = READ(c.block, group, GROUP, members);
    ticks from = leader_place(c, group);
    passage led = lead_group(c, group, from);
    phase after = find_phase(c, group, leading, led.to);
    lane_mask moves = OR(led.ends > 0u, NOT(same_ticks(from, led.to)));
    address member_count = READ(c.block, group, GROUP, member_count);
    for (address i = 0u; i < member_count; i++) {
        address member = leading + i * WORDS_OF(MEMBER);
        address player = READ(c.block, member, MEMBER, player);
        address at = READ(c.block, player, PLAYER, state);
        ticks first = block_ticks(c, READ(c.block, member, MEMBER, markers));
        playing before = load_playing(c, at);
        passage p;
        p.from = before.place;
        if (i == 0u) {
            p.to = place_in_clip(c, member, led.to);
        } else {
            p.to = matched_place(c, group, member, after);
        }
        // A member that began at its offset may be before its position at the leader's phase.
        p.to = select_ticks(moves, p.to, p.from);
        // If a position is before the first marker, the clip's end was passed after the last marker.
        word past_before = SELECT_BITS(ticks_less(p.from, first), ALL_WORD(1u));
        word past_after = SELECT_BITS(ticks_less(p.to, first), ALL_WORD(1u));
        word passed = led.ends + SELECT(led.backwards, past_before, past_after);
        word early = SELECT(led.backwards, past_after, past_before);
        p.ends = SELECT_BITS(NOT(passed < early), passed - early);
        p.backwards = led.backwards;
        set_playing(c, at, before, p.to, passed_flags(c, before.flags, p.ends, ALL_WORD(0u)));
        // A member whose state does not move stays in phase, but emits nothing.
        lane_mask seen = ALL_WORD(0u) == 0u;
        if (!shares) {
            seen = player_moves(c, player);
        }
        if (ANY(seen)) {
            control shown = only_where(c, seen);
            note_passage(shown, player, p);
            emit_member(shown, player, p);
        }
    }
}

#ifndef LMB_SIMD_WIDTH
#ifdef LMB_GLSL
void emit_member(control c, address player, passage p) {
#else
static void emit_member(control c, address player, passage p) {
#endif
    if (!emits_something(c, player, p.ends > 0u)) {
        return;
    }
    ticks duration = block_ticks(c, player + FIELD(PLAYER, duration));
    emitter e = make_emitter(c, player, p.from);
    emit_loop(c, player, p, duration, e, false);
    if (p.ends > 0u) {
        ticks first = p.backwards ? p.from : subtract_ticks(duration, p.from);
        emit(c, READ(c.block, player, PLAYER, looped_event), emission_at(e, BY_LOOP, 0u, first),
             signed_passes(p.ends, p.backwards));
    }
    ticks whole = p.backwards ? subtract_ticks(p.from, p.to) : subtract_ticks(p.to, p.from);
    time_emissions(c, e, time_of_piece(c), 0u, add_ticks(whole, scale_ticks(duration, p.ends)));
}

OP void move_groups(CHARACTERS all, frame_part runs) {
    memory block = CHARACTERS_BLOCK(all);
    address groups = HEADER(block, CONTROL, groups);
    address end = groups + (RUNS_PARTS ? runs.end_group : HEADER(block, CONTROL, group_count)) * WORDS_OF(GROUP);
    address group = groups + (RUNS_PARTS ? runs.first_group : 0u) * WORDS_OF(GROUP);
    for (; USES_GROUPS && group < end; group += WORDS_OF(GROUP)) {
        address leader = READ(block, READ(block, group, GROUP, members), MEMBER, player);
        owning_state leaders = load_owner(block, leader);
        bool shares = group_shares_owner(block, group);
        bool varies = (READ(block, group, GROUP, cadence) & CADENCE_VARIES) != 0u;
        if (!varies && run_in_lanes(all, STAGE_GROUP, group)) {
            continue;
        }
        FOR_EACH(all, i) {
            control c = CHARACTER(all, i);
            if (c.moves) {
                if (shares ? owner_moves(c, leaders) : group_moves(c, group)) {
                    move_group(c, group, shares);
                } else {
                    stay_in_group(c, group);
                }
            }
        }
    }
}
#endif

#endif
