// How far the clips of all players carry a character, which is what its mover goes.
#ifndef LMB_OPS_CARRYING_H
#define LMB_OPS_CARRYING_H

#include "players.h"

OP real motion_weight(control c, address motion) {
    address player = LOAD(c.block, motion + MOTION_PLAYER);
    uint flags = state_word(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_FLAGS);
    bool stays = (flags & PLAYING_ENDED) != 0u && LOAD(c.block, player + PLAYER_END) == PLAYER_DROPS_OUT;
    real weight = control_number(c, motion + MOTION_WEIGHT);
    return stays ? 0.0f : clamp_real(snap(weight), 0.0f, 1.09951163e+12f);
}

// What the ways of a home's players count: their weights, as many as sum up to 1 at most, of the home's. All are still.
OP real weigh_home(control c, address record) {
    address motions = LOAD(c.block, record + HOME_MOTIONS);
    address end = motions + LOAD(c.block, record + HOME_MOTION_COUNT) * MOTION_WORDS;
    real sum = 0.0f;
    for (address motion = motions; motion < end; motion += MOTION_WORDS) {
        address at = LOAD(c.block, motion + MOTION_STATE);
        real weight = motion_weight(c, motion);
        sum = sum + weight;
        set_state_word(c, at + CARRYING_WEIGHT, BITS(weight));
        set_state_word(c, at + CARRYING_HOW, 0u);
    }
    sum = snap(sum);
    real factor = whole_weight(c, LOAD(c.block, record + HOME_MACHINE), LOAD(c.block, record + HOME_MACHINE_STATE));
    if (sum > 1.0f) {
        factor = factor * reciprocal(sum);
    }
    for (address motion = motions; motion < end; motion += MOTION_WORDS) {
        address at = LOAD(c.block, motion + MOTION_STATE) + CARRYING_WEIGHT;
        set_state_word(c, at, BITS(snap(state_number(c, at) * factor)));
    }
    return factor * sum;
}

// Before players move. All homes together weigh 1 at most: what their ways are to be multiplied with for that.
OP_APART real weigh_homes(control c, address mover) {
    address homes = LOAD(c.block, mover + MOVER_HOMES);
    real all = 0.0f;
    address home_count = LOAD(c.block, mover + MOVER_HOME_COUNT);
    for (address i = 0u; i < home_count; i++) {
        all = all + weigh_home(c, homes + i * HOME_WORDS);
    }
    return all > 1.0f ? reciprocal(all) : 1.0f;
}

// How far a player's clip carries.
OP displacement carried_by(control c, address motion) {
    address player = LOAD(c.block, motion + MOTION_PLAYER);
    address at = LOAD(c.block, motion + MOTION_STATE);
    ticks duration = block_ticks(c, player + PLAYER_DURATION);
    passage p;
    p.from = state_ticks(c, at + CARRYING_FROM);
    p.to = state_ticks(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_PLACE);
    p.ends = state_word(c, at + CARRYING_ENDS);
    p.backwards = state_word(c, at + CARRYING_HOW) == CARRYING_BACKWARDS;
    if (LOAD(c.block, player + PLAYER_END) == PLAYER_TURNS) {
        p.from = turned_time(p.from, duration);
        p.to = turned_time(p.to, duration);
        p.ends = 0u;
    }
    return displacement_along(c, motion, p, duration);
}

// After players have moved. Motions lie home by home.
OP_APART void carry(control c, address mover, real share) {
    address motions = LOAD(c.block, mover + MOVER_MOTIONS);
    displacement sum = make_displacement(0.0f, 0.0f, 0.0f, 0.0f);
    address motion_count = LOAD(c.block, mover + MOVER_MOTION_COUNT);
    for (address i = 0u; i < motion_count; i++) {
        address motion = motions + i * MOTION_WORDS;
        address at = LOAD(c.block, motion + MOTION_STATE);
        real weight = state_number(c, at + CARRYING_WEIGHT) * share;
        if (weight > 0.0f && state_word(c, at + CARRYING_HOW) != 0u) {
            displacement d = carried_by(c, motion);
            sum = make_displacement(sum.x + d.x * weight, sum.y + d.y * weight, sum.z + d.z * weight,
                                    sum.turns + d.turns * weight);
        }
    }
    set_moved_by_clips(c, mover, sum);
    sum = moved_by_clips(c, mover);
    shift_mover(c, mover, sum, angle_of_turns(sum.turns));
}

#endif
