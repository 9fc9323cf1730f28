// Root motion of all players of a character, by their weights, which moves its character motion.
#ifndef LMB_OPS_ROOT_MOTION_H
#define LMB_OPS_ROOT_MOTION_H

#include "players.h"

// The displacement of a player's clip in this step.
OP displacement root_motion_of(control c, address motion) {
    address player = LOAD(c.block, motion + MOTION_PLAYER);
    address at = LOAD(c.block, motion + MOTION_STATE);
    ticks duration = block_ticks(c, player + PLAYER_DURATION);
    passage p;
    p.from = state_ticks(c, at + MOTION_SPAN_FROM);
    p.to = state_ticks(c, LOAD(c.block, player + PLAYER_STATE) + PLAYING_PLACE);
    p.ends = state_word(c, at + MOTION_SPAN_ENDS);
    p.backwards = state_word(c, at + MOTION_SPAN_HOW) == MOTION_SPAN_BACKWARDS;
    if (LOAD(c.block, player + PLAYER_END) == PLAYER_TURNS) {
        p.from = turned_time(p.from, duration);
        p.to = turned_time(p.to, duration);
        p.ends = 0u;
    }
    return displacement_along(c, motion, p, duration);
}

// Adds root motion to the character motion, after players have moved.
OP_NOINLINE void apply_root_motion(control c, address character_motion) {
    address motions = LOAD(c.block, character_motion + CHARACTER_MOTION_TRACKS);
    displacement sum = make_displacement(0.0f, 0.0f, 0.0f, 0.0f);
    address motion_count = LOAD(c.block, character_motion + CHARACTER_MOTION_TRACK_COUNT);
    for (address i = 0u; i < motion_count; i++) {
        address motion = motions + i * MOTION_WORDS;
        address at = LOAD(c.block, motion + MOTION_STATE);
        real weight = state_number(c, at + MOTION_SPAN_WEIGHT);
        if (weight > 0.0f && state_word(c, at + MOTION_SPAN_HOW) != 0u) {
            displacement d = root_motion_of(c, motion);
            sum = make_displacement(sum.x + d.x * weight, sum.y + d.y * weight, sum.z + d.z * weight,
                                    sum.turns + d.turns * weight);
        }
    }
    sum = make_displacement(snap(sum.x), snap(sum.y), snap(sum.z), snap(sum.turns));
    set_moved_by_clips(c, character_motion, join_displacements(moved_by_clips(c, character_motion), sum));
    shift_character_motion(c, character_motion, sum, angle_of_turns(sum.turns));
}

#endif
