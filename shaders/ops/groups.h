// Sync groups: players that are kept in phase. The leader, which is the first member, advances by time. The other
// members are set to its phase.
#ifndef LMB_OPS_GROUPS_H
#define LMB_OPS_GROUPS_H

#include "players.h"

// Weighted means over the members: factor of the group's rate, and velocity.
STRUCT(group_mean)
real rate;
real velocity;
END_STRUCT(group_mean)

// With CADENCE_DURATION, the factor is the weighted mean of the members' rates. With CADENCE_VELOCITY, the group moves
// at the mean of the members' speeds |v| by their weights w: the factor is sum(w |v|) / sum(w |v| d), where d is the
// duration of a member's piece over that of the leader's piece. The velocity is the same in all pieces.
OP group_mean find_group_mean(control c, address group, address index) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    bool by_velocity = (LOAD(c.block, group + GROUP_CADENCE) & CADENCE_VELOCITY) != 0u;
    real weights = 0.0f;
    real speeds = 0.0f;
    real pieces = 0.0f;
    real velocities = 0.0f;
    address member_count = LOAD(c.block, group + GROUP_MEMBER_COUNT);
    for (address i = 0u; i < member_count; i++) {
        address member = leading + i * MEMBER_WORDS;
        real weight = player_weight(c, LOAD(c.block, member + MEMBER_PLAYER));
        real velocity = LOAD_FLOAT(c.block, member + MEMBER_VELOCITY);
        weights = weights + weight;
        speeds = speeds + weight * magnitude_of(velocity);
        pieces = pieces + weight * LOAD_FLOAT(c.block, LOAD(c.block, member + MEMBER_PIECES) + index);
        velocities = velocities + weight * velocity;
    }
    real inverse = reciprocal(snap(weights));
    group_mean mean;
    mean.rate = by_velocity ? speeds * reciprocal(snap(pieces)) : pieces * inverse;
    mean.velocity = velocities * inverse;
    if (snap(weights) == 0.0f || snap(pieces) == 0.0f) {
        mean.rate = 1.0f;
    }
    if (snap(weights) == 0.0f) {
        mean.velocity = LOAD_FLOAT(c.block, leading + MEMBER_VELOCITY);
    }
    return mean;
}

OP bool share_owner(memory block, address player, address other) {
    return LOAD(block, player + PLAYER_MACHINE) == LOAD(block, other + PLAYER_MACHINE) &&
           LOAD(block, player + PLAYER_MACHINE_STATE) == LOAD(block, other + PLAYER_MACHINE_STATE);
}

// Whether all members of a group have the same owning state.
OP bool group_shares_owner(memory block, address group) {
    address leading = LOAD(block, group + GROUP_MEMBERS);
    uint count = LOAD(block, group + GROUP_MEMBER_COUNT);
    bool shares = true;
    for (address i = 1u; i < count; i++) {
        shares = shares && share_owner(block, LOAD(block, leading + MEMBER_PLAYER),
                                       LOAD(block, leading + i * MEMBER_WORDS + MEMBER_PLAYER));
    }
    return shares;
}

OP bool group_moves(control c, address group) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    uint count = LOAD(c.block, group + GROUP_MEMBER_COUNT);
    bool moves = false;
    for (address i = 0u; i < count && !moves; i++) {
        moves = player_moves(c, LOAD(c.block, leading + i * MEMBER_WORDS + MEMBER_PLAYER));
    }
    return moves;
}

// Updates the flags of the members of a group that does not move.
OP void stay_in_group(control c, address group) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    uint count = LOAD(c.block, group + GROUP_MEMBER_COUNT);
    for (address i = 0u; i < count; i++) {
        address player = LOAD(c.block, leading + i * MEMBER_WORDS + MEMBER_PLAYER);
        stay(c, player);
    }
}

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
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    uint count = LOAD(c.block, group + GROUP_MARKER_COUNT);
    ticks duration = block_ticks(c, LOAD(c.block, leading + MEMBER_PLAYER) + PLAYER_DURATION);
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

// A step of the leader, relative to its first marker.
OP passage lead_group(control c, address group, ticks from) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    ticks duration = block_ticks(c, LOAD(c.block, leading + MEMBER_PLAYER) + PLAYER_DURATION);
    real rate = control_number(c, group + GROUP_RATE);
    passage p;
    if ((LOAD(c.block, group + GROUP_CADENCE) & CADENCE_VARIES) != 0u) {
        p = lead_through_pieces(c, group, from, rate);
    } else {
        pace speed = make_pace(rate * find_group_mean(c, group, 0u).rate);
        p = move_around(from, scale_ticks(c.duration, speed.rate), duration, speed.backwards);
    }
    return p;
}

// Moves a group. `shares`: all members have the same owning state. Otherwise each member checks its own.
OP void move_group(control c, address group, bool shares) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    ticks from = leader_place(c, group);
    passage led = lead_group(c, group, from);
    phase after = find_phase(c, group, leading, led.to);
    bool moves = led.ends > 0u || !same_ticks(from, led.to);
    bool seen = true;
    address member_count = LOAD(c.block, group + GROUP_MEMBER_COUNT);
    for (address i = 0u; i < member_count; i++) {
        address member = leading + i * MEMBER_WORDS;
        address player = LOAD(c.block, member + MEMBER_PLAYER);
        ticks first = block_ticks(c, LOAD(c.block, member + MEMBER_MARKERS));
        passage p;
        p.from = state_ticks(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_PLACE);
        p.to = i == 0u ? place_in_clip(c, member, led.to) : matched_place(c, group, member, after);
        // A member that began at its offset may be before its position at the leader's phase.
        p.to = moves ? p.to : p.from;
        // If a position is before the first marker, the clip's end was passed after the last marker.
        uint past_before = ticks_less(p.from, first) ? 1u : 0u;
        uint past_after = ticks_less(p.to, first) ? 1u : 0u;
        uint passed = led.ends + (led.backwards ? past_before : past_after);
        uint early = led.backwards ? past_after : past_before;
        p.ends = passed < early ? 0u : passed - early;
        p.backwards = led.backwards;
        set_playing(c, player, p, 0u);
        // A member whose state does not move stays in phase, but emits nothing.
        if (!shares) {
            seen = player_moves(c, player);
        }
        if (seen) {
            real weight = player_weight(c, player);
            note_passage(c, player, p);
            emit_loop(c, player, p, block_ticks(c, player + PLAYER_DURATION), weight);
            if (p.ends > 0u) {
                emit(c, LOAD(c.block, player + PLAYER_LOOPED_EVENT), weight);
            }
        }
    }
}

OP void move_groups(CHARACTERS all, frame_part runs) {
    memory block = CHARACTERS_BLOCK(all);
    address groups = LOAD(block, CONTROL_GROUPS);
    address end = groups + (RUNS_PARTS ? runs.end_group : LOAD(block, CONTROL_GROUP_COUNT)) * GROUP_WORDS;
    address group = groups + (RUNS_PARTS ? runs.first_group : 0u) * GROUP_WORDS;
    for (; USES_GROUPS && group < end; group += GROUP_WORDS) {
        address leader = LOAD(block, LOAD(block, group + GROUP_MEMBERS) + MEMBER_PLAYER);
        owning_state leaders = load_owner(block, leader);
        bool shares = group_shares_owner(block, group);
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
