// Warps: root motion that is changed so that the character reaches a target at a time in the clip.
//
// Let the goal path be the clip's remaining root motion, placed so that it ends at the target. The character is off
// that path by an offset. While it follows the path, the offset shrinks to 0: in proportion to what remains of the
// path's length, and for the heading, of the time. Both depend on nothing but the time in the clip. So the character's
// path does not depend on the steps, and no state is kept. All is relative to the character at the beginning of the
// step, along its own axes there.
#ifndef LMB_OPS_WARP_H
#define LMB_OPS_WARP_H

#include "motion.h"

// A target, as a displacement of the character.
STRUCT(warp_goal)
displacement to;
bool has_place;  // x and z are given
bool has_height; // y
bool has_heading;
END_STRUCT(warp_goal)

// In [-1/2, 1/2).
OP real turns_of_angle(uint angle) {
    real turns = real_of_word(turn_magnitude(angle)) * 2.32830644e-10f;
    return (angle >> 31u) != 0u ? -turns : turns;
}

OP real distance_to(control c, address position, real target) {
    return real_of_fixed(add_fixed(fixed_of(target), negate_fixed(state_ticks(c, position))));
}

OP warp_goal load_warp_goal(control c, address character_motion, address warp) {
    address at = motion_state(c, character_motion);
    uint yaw = state_word(c, at + MOVING_YAW);
    uint flags = LOAD(c.block, warp + WARP_FLAGS);
    real x = control_number(c, warp + WARP_TARGET);
    real y = control_number(c, warp + WARP_TARGET + CONTROL_VALUE_WORDS);
    real z = control_number(c, warp + WARP_TARGET + 2u * CONTROL_VALUE_WORDS);
    real heading = control_number(c, warp + WARP_HEADING);
    warp_goal goal;
    goal.has_place = is_finite(x) && is_finite(z);
    goal.has_height = is_finite(y) && (flags & WARP_TO_HEIGHT) != 0u;
    goal.has_heading = is_finite(heading) && (flags & WARP_TO_HEADING) != 0u;
    uint angle = angle_of_turns(turns_of_radians(snap(heading))) - yaw;
    displacement d =
        make_displacement(distance_to(c, at + MOVING_POSITION, x), distance_to(c, at + MOVING_POSITION + 2u, y),
                          distance_to(c, at + MOVING_POSITION + 4u, z), turns_of_angle(angle));
    goal.to = turn_displacement(d, direction_of_angle(0u - yaw));
    return goal;
}

// The length of the path between two positions, of which the second is not before the first.
OP real path_between(control c, address motion, motion_place from, motion_place to) {
    address lengths = LOAD(c.block, motion + MOTION_LENGTHS);
    real length = motion_growth(c, lengths + from.key, lengths + to.key, 1u, find_motion_shares(from, to));
    return length > 0.0f ? snap(length) : 0.0f;
}

OP real clamp_share(real share) {
    return share > 1.0f ? 1.0f : share;
}

// Continues a displacement from one time in the clip to another, both within a warp.
OP displacement warp_towards(control c, address motion, address warp, warp_goal goal, displacement moved, ticks from,
                             ticks to) {
    ticks duration = block_ticks(c, LOAD(c.block, motion + MOTION_PLAYER) + PLAYER_DURATION);
    ticks end = block_ticks(c, warp + WARP_END);
    motion_place begin = find_motion_place(c, motion, from, duration);
    motion_place middle = find_motion_place(c, motion, to, duration);
    motion_place arrival = find_motion_place(c, motion, end, duration);
    displacement before = displacement_between(c, motion, begin, arrival);
    displacement after = displacement_between(c, motion, middle, arrival);
    // The heading at which the path ends, and those on it before and after.
    real heading = goal.has_heading ? goal.to.turns : moved.turns + before.turns;
    uint first = angle_of_turns(heading - before.turns);
    uint second = angle_of_turns(heading - after.turns);
    before = turn_displacement(before, direction_of_angle(first));
    after = turn_displacement(after, direction_of_angle(second));
    // Without a target, the path begins at the character.
    real x = goal.has_place ? goal.to.x : moved.x + before.x;
    real y = goal.has_height ? goal.to.y : moved.y + before.y;
    real z = goal.has_place ? goal.to.z : moved.z + before.z;
    real time_left = real_of_fine(subtract_ticks(end, to)) * reciprocal(real_of_fine(subtract_ticks(end, from)));
    time_left = clamp_share(time_left);
    real path = path_between(c, motion, begin, arrival);
    real path_left = clamp_share(path_between(c, motion, middle, arrival) * reciprocal(path));
    real left = path > 0.0f ? path_left : time_left;
    real turns = goal.has_heading ? turns_of_angle(angle_of_turns(moved.turns) - first) : 0.0f;
    return make_displacement((x - after.x) + ((moved.x + before.x) - x) * left,
                             (y - after.y) + ((moved.y + before.y) - y) * left,
                             (z - after.z) + ((moved.z + before.z) - z) * left,
                             (moved.turns + (before.turns - after.turns)) - turns * (1.0f - time_left));
}

// As displacement_along(), with warps. Each loop that passes all warps ends alike, so of the loops that are whole only
// one is computed.
OP_NOINLINE displacement warped_along(control c, address character_motion, address motion, passage p, ticks duration) {
    address warps = LOAD(c.block, motion + MOTION_WARPS);
    address warps_end = warps + LOAD(c.block, motion + MOTION_WARP_COUNT) * WARP_WORDS;
    displacement moved = make_displacement(0.0f, 0.0f, 0.0f, 0.0f);
    ticks at = p.from;
    uint loops = p.ends < 2u ? p.ends : 2u;
    for (uint loop = 0u; loop <= loops; loop++) {
        ticks goes_to = duration;
        if (loop == loops) {
            goes_to = p.to;
        }
        address warp = warps;
        while (ticks_less(at, goes_to)) {
            while (warp < warps_end && !ticks_less(at, block_ticks(c, warp + WARP_END))) {
                warp = warp + WARP_WORDS;
            }
            ticks stop = goes_to;
            bool is_within = false;
            if (warp < warps_end) {
                ticks start = block_ticks(c, warp + WARP_START);
                is_within = !ticks_less(at, start);
                if (is_within) {
                    start = block_ticks(c, warp + WARP_END);
                }
                if (ticks_less(start, goes_to)) {
                    stop = start;
                }
            }
            if (is_within) {
                moved = warp_towards(c, motion, warp, load_warp_goal(c, character_motion, warp), moved, at, stop);
            } else {
                displacement d = displacement_between(c, motion, find_motion_place(c, motion, at, duration),
                                                      find_motion_place(c, motion, stop, duration));
                moved = join_displacements(moved, d);
            }
            at = stop;
        }
        at = make_ticks(0u, 0u);
    }
    return moved;
}

#endif
