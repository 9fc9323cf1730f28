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
    address player = READ(c.block, motion, MOTION, player);
    address at = READ(c.block, motion, MOTION, state);
    ticks duration = block_ticks(c, player + FIELD(PLAYER, duration));
    passage p;
    p.from = state_ticks(c, at + FIELD(MOTION_SPAN, from));
    p.to = state_ticks(c, READ(c.block, player, PLAYER, state) + FIELD(PLAYING, place));
    p.ends = state_word(c, at + FIELD(MOTION_SPAN, ends));
    p.backwards = state_word(c, at + FIELD(MOTION_SPAN, how)) == MOTION_SPAN_BACKWARDS;
    if (READ(c.block, player, PLAYER, end) == PLAYER_TURNS) {
        p.from = turned_time(p.from, duration);
        p.to = turned_time(p.to, duration);
        p.ends = ALL_WORD(0u);
    }
    return p;
}

// The motion weight of a clip, 0 if the clip did not move.
OP real weight_of_motion(control c, address motion) {
    address at = READ(c.block, motion, MOTION, state);
    lane_mask moved = state_word(c, at + FIELD(MOTION_SPAN, how)) != 0u;
    return SELECT(moved, state_number(c, READ(c.block, motion, MOTION, weight)), SPLAT(0.0f));
}

// The displacement of a player's clip in this step. Vectors have no warps.
OP displacement root_motion_of(control c, address character_motion, address motion, lane_mask counts) {
    ticks duration = block_ticks(c, READ(c.block, motion, MOTION, player) + FIELD(PLAYER, duration));
    passage p = passage_of_motion(c, motion);
    p.ends = SELECT_BITS(counts, p.ends);
#ifdef LMB_SIMD_WIDTH
    UNUSED(character_motion);
    return displacement_along(c, motion, p, duration);
#else
    displacement d;
    if (USES_WARPS && READ(c.block, motion, MOTION, warp_count) != 0u && !p.backwards) {
        d = warped_along(c, character_motion, motion, p, duration);
    } else {
        d = displacement_along(c, motion, p, duration);
    }
    return d;
#endif
}

OP real component_of(displacement d, uint i) {
    return i == 0u ? d.x : i == 1u ? d.y : i == 2u ? d.z : d.turns;
}

// Clamps a velocity, so that a difference of two is below 2^21.
OP real bounded_velocity(real velocity) {
    return clamp_real(snap(velocity), -1048576.0f, 1048576.0f);
}

// Adds to root motion the velocity that remains after inertialized transitions.
OP displacement add_remaining_velocity(control c, address character_motion, displacement moved) {
    address at = READ(c.block, character_motion, CHARACTER_MOTION, remaining);
    real seconds = seconds_of_fine(fine_of_ticks(c.duration));
    lane_mask passes = seconds > 0.0f;
    seconds = SELECT(passes, seconds, SPLAT(1.0f));
    real left = exponential2(snap(seconds * -READ_FLOAT(c.block, character_motion, CHARACTER_MOTION, decay_rate)));
    real by = snap((1.0f - left) * READ_FLOAT(c.block, character_motion, CHARACTER_MOTION, decay_scale));
    real inverse = reciprocal(seconds);
    lane_mask switches = state_word(c, at + FIELD(REMAINING, switched)) != 0u;
    displacement whole = moved;
    for (uint i = 0u; i < REMAINING_VELOCITIES; i++) {
        address shown_at = at + FIELD(REMAINING, shown) + i;
        address offset_at = at + FIELD(REMAINING, offset) + i;
        real own = component_of(moved, i);
        real velocity = bounded_velocity(own * inverse);
        real shown = state_number(c, shown_at);
        real offset = state_number(c, offset_at);
        real before = SELECT(switches, snap(shown - velocity), offset);
        real sum = snap(own + before * by);
        real after = snap(before * left);
        set_state_word(c, offset_at, BITS(SELECT(passes, after, offset)));
        set_state_word(c, shown_at, BITS(SELECT(passes, bounded_velocity(velocity + after), shown)));
        sum = SELECT(passes, sum, own);
        whole.x = i == 0u ? sum : whole.x;
        whole.y = i == 1u ? sum : whole.y;
        whole.z = i == 2u ? sum : whole.z;
        whole.turns = i == 3u ? sum : whole.turns;
    }
    set_state_word(c, at + FIELD(REMAINING, switched), SELECT_BITS(AND(switches, NOT(passes)), ALL_WORD(1u)));
    return whole;
}

// Adds root motion to the character motion, after players have moved.
OP_NOINLINE void apply_root_motion(control c, address character_motion) {
    address motions = READ(c.block, character_motion, CHARACTER_MOTION, tracks);
    displacement sum = no_displacement();
    address motion_count = READ(c.block, character_motion, CHARACTER_MOTION, track_count);
    for (address i = 0u; i < motion_count; i++) {
        address motion = motions + i * WORDS_OF(MOTION);
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
    if (USES_INERTIA && READ(c.block, character_motion, CHARACTER_MOTION, remaining) != CONTROL_NONE) {
        sum = add_remaining_velocity(c, character_motion, sum);
    }
    set_moved_by_clips(c, character_motion, join_displacements(moved_by_clips(c, character_motion), sum));
    shift_character_motion(c, character_motion, sum, angle_of_turns(sum.turns));
}

#endif
