// Root motion of all players of a character, by their weights, which moves its character motion.
#ifndef LMB_OPS_ROOT_MOTION_H
#define LMB_OPS_ROOT_MOTION_H

#ifdef LMB_SIMD_WIDTH
#include "motion.h"
#else
#include "warp.h"
#endif

// What a player's clip passed in this step. Of a clip that turns around, there and back count as one.
OP passage passage_of_motion(control c, address motion) {
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
        p.ends = ALL_WORD(0u);
    }
    return p;
}

// The motion weight of a clip, 0 if the clip did not move.
OP real weight_of_motion(control c, address motion) {
    address at = LOAD(c.block, motion + MOTION_STATE);
    lane_mask moved = state_word(c, at + MOTION_SPAN_HOW) != 0u;
    return SELECT(moved, state_number(c, LOAD(c.block, motion + MOTION_WEIGHT)), SPLAT(0.0f));
}

// The displacement of a player's clip in this step. Vectors have no warps.
OP displacement root_motion_of(control c, address character_motion, address motion, lane_mask counts) {
    ticks duration = block_ticks(c, LOAD(c.block, motion + MOTION_PLAYER) + PLAYER_DURATION);
    passage p = passage_of_motion(c, motion);
    p.ends = SELECT_BITS(counts, p.ends);
#ifdef LMB_SIMD_WIDTH
    UNUSED(character_motion);
    return displacement_along(c, motion, p, duration);
#else
    displacement d;
    if (USES_WARPS && LOAD(c.block, motion + MOTION_WARP_COUNT) != 0u && !p.backwards) {
        d = warped_along(c, character_motion, motion, p, duration);
    } else {
        d = displacement_along(c, motion, p, duration);
    }
    return d;
#endif
}

// Adds root motion to the character motion, after players have moved.
OP_NOINLINE void apply_root_motion(control c, address character_motion) {
    address motions = LOAD(c.block, character_motion + CHARACTER_MOTION_TRACKS);
    displacement sum = no_displacement();
    address motion_count = LOAD(c.block, character_motion + CHARACTER_MOTION_TRACK_COUNT);
    for (address i = 0u; i < motion_count; i++) {
        address motion = motions + i * MOTION_WORDS;
        real weight = weight_of_motion(c, motion);
        lane_mask counts = weight != 0.0f;
        if (ANY(counts)) {
            displacement d = root_motion_of(c, character_motion, motion, counts);
            displacement more = make_displacement(sum.x + d.x * weight, sum.y + d.y * weight, sum.z + d.z * weight,
                                                  sum.turns + d.turns * weight);
            sum = select_displacement(counts, more, sum);
        }
    }
    sum = make_displacement(snap(sum.x), snap(sum.y), snap(sum.z), snap(sum.turns));
    set_moved_by_clips(c, character_motion, join_displacements(moved_by_clips(c, character_motion), sum));
    shift_character_motion(c, character_motion, sum, angle_of_turns(sum.turns));
}

#endif
