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
// duration of a member's piece over that of the leader's piece.
OP group_mean find_group_mean(control c, address group, ticks leader) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    address index = find_piece(c, group, leading, leader).index;
    bool by_velocity = LOAD(c.block, group + GROUP_CADENCE) == CADENCE_VELOCITY;
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

// Moves a group. `shares`: all members have the same owning state. Otherwise each member checks its own.
OP void move_group(control c, address group, bool shares) {
    address leading = LOAD(c.block, group + GROUP_MEMBERS);
    address leader = LOAD(c.block, leading + MEMBER_PLAYER);
    ticks duration = block_ticks(c, leader + PLAYER_DURATION);
    ticks from = leader_place(c, group);
    group_mean mean = find_group_mean(c, group, from);
    pace speed = make_pace(control_number(c, group + GROUP_RATE) * mean.rate);
    passage led = move_around(from, scale_ticks(c.duration, speed.rate), duration, speed.backwards);
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
        uint passed = led.ends + (speed.backwards ? past_before : past_after);
        uint early = speed.backwards ? past_after : past_before;
        p.ends = passed < early ? 0u : passed - early;
        p.backwards = speed.backwards;
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

OP void move_groups(CHARACTERS all) {
    memory block = CHARACTERS_BLOCK(all);
    address group = LOAD(block, CONTROL_GROUPS);
    address end = group + LOAD(block, CONTROL_GROUP_COUNT) * GROUP_WORDS;
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
