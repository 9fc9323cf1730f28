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

// Values and distances are found in one loop, because drivers that run on the processor compile every copy of a curve.
OP warp_goal load_warp_goal(control c, address character_motion, address warp) {
    address at = motion_state(c, character_motion);
    uint yaw = state_word(c, at + FIELD(MOVING, yaw));
    uint flags = READ(c.block, warp, WARP, flags);
    displacement d = make_displacement(0.0f, 0.0f, 0.0f, 0.0f);
    warp_goal goal;
    goal.has_place = true;
    goal.has_height = (flags & WARP_TO_HEIGHT) != 0u;
    goal.has_heading = (flags & WARP_TO_HEADING) != 0u;
    for (address i = 0u; i < 4u; i++) {
        real number = control_number(c, warp + FIELD(WARP, target) + i * WORDS_OF(VALUE));
        bool finite = is_finite(number);
        real distance = 0.0f;
        if (i < 3u) {
            distance = distance_to(c, at + FIELD(MOVING, position) + 2u * i, number);
        }
        goal.has_place = goal.has_place && (finite || i == 1u || i == 3u);
        goal.has_height = goal.has_height && (finite || i != 1u);
        goal.has_heading = goal.has_heading && (finite || i != 3u);
        d.x = i == 0u ? distance : d.x;
        d.y = i == 1u ? distance : d.y;
        d.z = i == 2u ? distance : d.z;
        d.turns = number;
    }
    d.turns = turns_of_angle(angle_of_turns(turns_of_radians(snap(d.turns))) - yaw);
    goal.to = turn_displacement(d, direction_of_angle(0u - yaw));
    return goal;
}

// The length of the path between two positions, of which the second is not before the first.
OP real path_between(control c, address motion, motion_place from, motion_place to) {
    address a = READ(c.block, motion, MOTION, lengths) + from.key;
    address b = READ(c.block, motion, MOTION, lengths) + to.key;
    real length = growth_between(LOAD_FLOAT(c.block, a), LOAD_FLOAT(c.block, a + 1u), LOAD_FLOAT(c.block, b),
                                 LOAD_FLOAT(c.block, b + 1u), find_motion_shares(from, to));
    return length > 0.0f ? snap(length) : 0.0f;
}

OP real clamp_share(real share) {
    return share > 1.0f ? 1.0f : share;
}

// Continues a displacement from one time in the clip to another, both within a warp. `before` and `after` are what is
// left until its end, in the axes there; `left` and `time_left` are the shares that are left of the path and of the
// time.
OP displacement warp_towards(warp_goal goal, displacement moved, displacement before, displacement after, real left,
                             real time_left) {
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
    real turns = goal.has_heading ? turns_of_angle(angle_of_turns(moved.turns) - first) : 0.0f;
    return make_displacement((x - after.x) + ((moved.x + before.x) - x) * left,
                             (y - after.y) + ((moved.y + before.y) - y) * left,
                             (z - after.z) + ((moved.z + before.z) - z) * left,
                             (moved.turns + (before.turns - after.turns)) - turns * (1.0f - time_left));
}

// As displacement_along(), with warps. Each loop that passes all warps ends alike, so of the loops that are whole only
// one is computed. All is one loop, because drivers that run on the processor are slow at loops inside others.
OP_NOINLINE displacement warped_along(control c, address character_motion, address motion, passage p, ticks duration) {
    address warps = READ(c.block, motion, MOTION, warps);
    address warps_end = warps + READ(c.block, motion, MOTION, warp_count) * WORDS_OF(WARP);
    address warp = warps;
    displacement moved = make_displacement(0.0f, 0.0f, 0.0f, 0.0f);
    displacement before = moved;
    real path = 0.0f;
    ticks at = p.from;
    ticks stop = p.from;
    uint loops = p.ends < 2u ? p.ends : 2u;
    uint loop = 0u;
    bool within = false;
    bool arriving = false; // the second of two passes over a piece within a warp
    while (loop <= loops) {
        ticks goes_to = duration;
        if (loop == loops) {
            goes_to = p.to;
        }
        ticks end = goes_to;
        if (warp < warps_end) {
            end = block_ticks(c, warp + FIELD(WARP, end));
        }
        if (!arriving && !ticks_less(at, goes_to)) {
            at = make_ticks(0u, 0u);
            warp = warps;
            loop++;
        } else if (!arriving && warp < warps_end && !ticks_less(at, end)) {
            warp = warp + WORDS_OF(WARP);
        } else {
            if (!arriving) {
                stop = goes_to;
                within = false;
                if (warp < warps_end) {
                    ticks start = block_ticks(c, warp + FIELD(WARP, start));
                    within = !ticks_less(at, start);
                    ticks next = start;
                    if (within) {
                        next = end;
                    }
                    if (ticks_less(next, goes_to)) {
                        stop = next;
                    }
                }
            }
            ticks from = at;
            ticks to = stop;
            if (within) {
                to = end;
            }
            if (arriving) {
                from = stop;
            }
            motion_place begin = find_motion_place(c, motion, from, duration);
            motion_place arrival = find_motion_place(c, motion, to, duration);
            displacement d = displacement_between(c, motion, begin, arrival);
            real length = path_between(c, motion, begin, arrival);
            if (!within) {
                moved = join_displacements(moved, d);
                at = stop;
            } else if (!arriving) {
                before = d;
                path = length;
                arriving = true;
            } else {
                real time_left =
                    real_of_fine(subtract_ticks(end, stop)) * reciprocal(real_of_fine(subtract_ticks(end, at)));
                time_left = clamp_share(time_left);
                real left = path > 0.0f ? clamp_share(length * reciprocal(path)) : time_left;
                moved = warp_towards(load_warp_goal(c, character_motion, warp), moved, before, d, left, time_left);
                arriving = false;
                at = stop;
            }
        }
    }
    return moved;
}

#endif
