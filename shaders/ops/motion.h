// Root motion of a player's clip in a frame, from the motion track in the control's block; and the character motion,
// which accumulates it.
//
// A motion track has keys at equal intervals. The displacement over a passage is computed from the keys at both ends of
// the passage, so it does not depend on how the passage is divided into frames, except for rounding. The character's
// position and yaw are fixed-point numbers.
#ifndef LMB_OPS_MOTION_H
#define LMB_OPS_MOTION_H

#include "control_memory.h"
#include "curve.h"
#include "ticks.h"

// Fixed-point positions and angles, so that any number of small displacements adds up without rounding. 64 bits in
// two words, two's complement; the lower word is the fraction. An angle is the fraction of a turn, so it wraps by
// itself.

#define FIXED_MOST 1.07374182e+09f // 2^30

OP ticks negate_fixed(ticks a) {
    return subtract_ticks(make_ticks(ALL_WORD(0u), ALL_WORD(0u)), a);
}

// Rounds to nearest. Clamps to +-2^30. NaN becomes 0.
OP ticks fixed_of(real x) {
    real bounded = clamp_real(snap(x), -FIXED_MOST, FIXED_MOST);
    real magnitude = magnitude_of(bounded);
    real whole = FLOOR(magnitude);
    real part = (magnitude - whole) * 4.2949673e+09f;
    // From 2^23 on it is an integer already.
    part = SELECT(part < 8388608.0f, FLOOR(part + 0.5f), part);
    ticks fixed_magnitude = make_ticks(word_of_real(part), TO_WORD(whole));
    return select_ticks(bounded < 0.0f, negate_fixed(fixed_magnitude), fixed_magnitude);
}

OP lane_mask is_negative(ticks a) {
    return (ticks_high(a) >> 31u) != 0u;
}

// Converts to float, with a relative error of at most 2e-7.
OP real real_of_fixed(ticks a) {
    lane_mask below = is_negative(a);
    ticks magnitude = select_ticks(below, negate_fixed(a), a);
    real x = real_of_word(ticks_high(magnitude)) + real_of_word(ticks_low(magnitude)) * 2.32830644e-10f;
    return SELECT(below, -x, x);
}

// Saturating addition.
OP ticks add_fixed(ticks a, ticks b) {
    ticks sum = add_ticks(a, b);
    word differs = ticks_high(a) ^ ticks_high(b); // its upper bit: the signs differ
    word grows = ticks_high(a) ^ ticks_high(sum);
    lane_mask beyond = ((grows & ~differs) >> 31u) != 0u;
    ticks most = select_ticks(is_negative(a), make_ticks(ALL_WORD(0u), ALL_WORD(0x80000000u)),
                              make_ticks(ALL_WORD(0xffffffffu), ALL_WORD(0x7fffffffu)));
    return select_ticks(beyond, most, sum);
}

// The magnitude of an angle in 2^-32 of a turn, on the shorter side.
OP word turn_magnitude(word angle) {
    return SELECT((angle >> 31u) != 0u, 0u - angle, angle);
}

STRUCT(direction)
real sine;
real cosine;
END_STRUCT(direction)

OP direction make_direction(real sine, real cosine) {
    direction d;
    d.sine = sine;
    d.cosine = cosine;
    return d;
}

// Sine and cosine of an angle, with an error of at most 2e-7. The angle is reduced to the nearest quarter turn.
OP direction direction_of_angle(word angle) {
    word quarter = (angle + 0x20000000u) >> 30u;
    word rest = angle - (quarter << 30u);
    real x = real_of_word(turn_magnitude(rest)) * 9.31322575e-10f;
    real sine = negated_where((rest >> 31u) != 0u, quarter_sine(x));
    real cosine = 1.0f - quarter_versine(x);
    lane_mask is_odd = (quarter & 1u) != 0u;
    return make_direction(negated_where(quarter >= 2u, SELECT(is_odd, cosine, sine)),
                          negated_where(((quarter + 1u) & 2u) != 0u, SELECT(is_odd, sine, cosine)));
}

// The angle of a number of turns.
OP word angle_of_turns(real turns) {
    return ticks_low(fixed_of(turns));
}

OP real turns_of_radians(real radians) {
    return radians * 0.159154937f;
}

// In [-pi, pi).
OP real radians_of_angle(word angle) {
    real radians = real_of_word(turn_magnitude(angle)) * 1.46291812e-09f;
    return SELECT((angle >> 31u) != 0u, -radians, radians);
}

// A displacement relative to its start: a translation along the character's own axes there, and a rotation about y in
// turns. As a matrix, the rotation is applied first, then the translation.
STRUCT(displacement)
real x;
real y;
real z;
real turns;
END_STRUCT(displacement)

OP displacement make_displacement(real x, real y, real z, real turns) {
    displacement d;
    d.x = x;
    d.y = y;
    d.z = z;
    d.turns = turns;
    return d;
}

// Rotates about y: a quarter turn takes z to x.
OP displacement turn_displacement(displacement d, direction by) {
    real x = d.x * by.cosine + d.z * by.sine;
    real z = d.z * by.cosine - d.x * by.sine;
    return make_displacement(x, d.y, z, d.turns);
}

OP displacement no_displacement(void) {
    return make_displacement(SPLAT(0.0f), SPLAT(0.0f), SPLAT(0.0f), SPLAT(0.0f));
}

OP displacement select_displacement(lane_mask condition, displacement yes, displacement no) {
    return make_displacement(SELECT(condition, yes.x, no.x), SELECT(condition, yes.y, no.y),
                             SELECT(condition, yes.z, no.z), SELECT(condition, yes.turns, no.turns));
}

// The displacement a followed by b.
OP displacement join_displacements(displacement a, displacement b) {
    displacement turned = turn_displacement(b, direction_of_angle(angle_of_turns(a.turns)));
    return make_displacement(a.x + turned.x, a.y + turned.y, a.z + turned.z, a.turns + b.turns);
}

// A position in a motion track: the key before it, and the fraction of the way to the next key in 2^-32.
STRUCT(motion_place)
word key;
word part;
END_STRUCT(motion_place)

OP motion_place make_motion_place(word key, word part) {
    motion_place p;
    p.key = key;
    p.part = part;
    return p;
}

// The motion track position of a position in the clip, to 2^-30 of the duration. The block has the inverse of the
// duration, so no division is needed.
OP motion_place find_motion_place(control c, address motion, ticks place, ticks duration) {
    uint intervals = READ(c.block, motion, MOTION, intervals);
    uint shift = READ(c.block, motion, MOTION, shift);
    word shifted = ticks_low(place) >> shift;
    if (shift != 0u) {
        shifted = shifted | (ticks_high(place) << (32u - shift));
    }
    ticks share = multiply_words(shifted, ALL_WORD(READ(c.block, motion, MOTION, inverse)));
    ticks at = multiply_words((ticks_high(share) << 1u) | (ticks_low(share) >> 31u), ALL_WORD(intervals));
    lane_mask before_end = ticks_less(place, duration);
    return make_motion_place(SELECT(before_end, ticks_high(at), ALL_WORD(intervals)),
                             SELECT_BITS(before_end, ticks_low(at)));
}

// The shares of the intervals at two positions. Within one interval they are differences already, so that a short
// displacement is as precise as a long one.
STRUCT(motion_shares)
real from;
real to;
END_STRUCT(motion_shares)

OP motion_shares find_motion_shares(motion_place from, motion_place to) {
    lane_mask back = to.part < from.part;
    real between = real_of_word(SELECT(back, from.part - to.part, to.part - from.part)) * 2.32830644e-10f;
    real begin = real_of_word(from.part) * 2.32830644e-10f;
    real end = real_of_word(to.part) * 2.32830644e-10f;
    lane_mask within = from.key == to.key;
    motion_shares shares;
    shares.from = SELECT(within, SPLAT(0.0f), begin);
    shares.to = SELECT(within, negated_where(back, between), end);
    return shares;
}

// A key and the next one: their components in vectors, else where they are.
STRUCT(motion_keys)
#ifdef LMB_SIMD_WIDTH
real here[MOTION_KEY_WORDS];
real next[MOTION_KEY_WORDS];
#else
word at;
#endif
END_STRUCT(motion_keys)

OP motion_keys find_motion_keys(control c, word at) {
    motion_keys keys;
#ifdef LMB_SIMD_WIDTH
    size_t offsets[LMB_SIMD_WIDTH];
    lmb_find_rows(at, 1u, offsets);
    lmb_load_row_pairs(c.block, offsets, keys.here, keys.next);
#else
    UNUSED(c);
    keys.at = at;
#endif
    return keys;
}

OP real motion_component(control c, motion_keys keys, uint i) {
#ifdef LMB_SIMD_WIDTH
    UNUSED(c);
    return keys.here[i];
#else
    return LOAD_FLOAT(c.block, keys.at + i);
#endif
}

OP real next_component(control c, motion_keys keys, uint i) {
#ifdef LMB_SIMD_WIDTH
    UNUSED(c);
    return keys.next[i];
#else
    return LOAD_FLOAT(c.block, keys.at + MOTION_KEY_WORDS + i);
#endif
}

// The change between two positions, from the values at their keys and at the next ones.
OP real growth_between(real from, real from_next, real to, real to_next, motion_shares shares) {
    real to_growth = to_next - to;
    real from_growth = from_next - from;
    return (to - from) + (to_growth * shares.to - from_growth * shares.from);
}

// The change of a component.
OP real motion_growth(control c, motion_keys a, motion_keys b, uint i, motion_shares shares) {
    return growth_between(motion_component(c, a, i), next_component(c, a, i), motion_component(c, b, i),
                          next_component(c, b, i), shares);
}

OP displacement displacement_between(control c, address motion, motion_place from, motion_place to) {
    uint keys = READ(c.block, motion, MOTION, keys);
    motion_keys a = find_motion_keys(c, keys + from.key * MOTION_KEY_WORDS);
    motion_keys b = find_motion_keys(c, keys + to.key * MOTION_KEY_WORDS);
    motion_shares shares = find_motion_shares(from, to);
    displacement d = make_displacement(motion_growth(c, a, b, 0u, shares), motion_growth(c, a, b, 1u, shares),
                                       motion_growth(c, a, b, 2u, shares), motion_growth(c, a, b, 3u, shares));
    if (READ(c.block, motion, MOTION, turns) != 0u) {
        real begin = real_of_word(from.part) * 2.32830644e-10f;
        real first = motion_component(c, a, 3u);
        real turns = first + (next_component(c, a, 3u) - first) * begin;
        d = turn_displacement(d, direction_of_angle(0u - angle_of_turns(turns)));
    }
    return d;
}

// The displacement over a passage: to the first end, then through the whole clip as many times as it loops, then from
// the last end. Repeated displacements are computed by doubling.
OP displacement displacement_along(control c, address motion, passage p, ticks duration) {
    motion_place from = find_motion_place(c, motion, p.from, duration);
    motion_place to = find_motion_place(c, motion, p.to, duration);
    word last = ALL_WORD(READ(c.block, motion, MOTION, intervals));
    word first_end = SELECT_BITS(NOT(p.backwards), last); // keys
    word other_end = SELECT_BITS(p.backwards, last);
    lane_mask stays_within = p.ends == 0u;
    displacement whole = no_displacement();
    for (uint i = 0u; i < 3u; i++) {
        bool begins = i == 0u;
        bool ends = i == 2u;
        word times = ALL_WORD(1u);
        motion_place a = from;
        motion_place b = to;
        if (!begins) {
            times = SELECT_BITS(NOT(stays_within), ends ? ALL_WORD(1u) : p.ends - 1u);
            a = make_motion_place(other_end, ALL_WORD(0u));
        }
        if (!ends) {
            b = make_motion_place(SELECT(stays_within, to.key, first_end), SELECT_BITS(stays_within, to.part));
        }
        if (ANY(times != 0u)) {
            displacement d = displacement_between(c, motion, a, b);
            if (begins) {
                whole = d;
                times = ALL_WORD(0u);
            }
            for (word left = times; ANY(left != 0u); left = left >> 1u) {
                whole = select_displacement((left & 1u) != 0u, join_displacements(whole, d), whole);
                if (ANY(left > 1u)) {
                    d = join_displacements(d, d);
                }
            }
        }
    }
    return whole;
}

// The character motion. The functions below take its record's offset.

OP address motion_state(control c, address character_motion) {
    return READ(c.block, character_motion, CHARACTER_MOTION, state);
}

// What follows the character's place in the state.
OP address moved_state(control c, address character_motion) {
    address place_words = ROTATES_FULLY(c, character_motion) ? WORDS_OF(MOVING_FULLY) : WORDS_OF(MOVING);
    return motion_state(c, character_motion) + place_words;
}

OP void shift_component(control c, address at, real by) {
    set_state_ticks(c, at, add_fixed(state_ticks(c, at), fixed_of(by)));
}

// Moves by a displacement along the character motion's own axes, then adds `angle` to its yaw.
OP void shift_character_motion(control c, address character_motion, displacement d, word angle) {
    address at = motion_state(c, character_motion);
    word yaw = state_word(c, at + FIELD(MOVING, yaw));
    displacement turned = turn_displacement(d, direction_of_angle(yaw));
    for (address i = 0u; i < 3u; i++) {
        real by = i == 0u ? turned.x : (i == 1u ? turned.y : turned.z);
        shift_component(c, at + FIELD(MOVING, position) + 2u * i, by);
    }
    set_state_word(c, at + FIELD(MOVING, yaw), yaw + angle);
}

OP displacement moved_by_clips(control c, address character_motion) {
    address at = moved_state(c, character_motion) + FIELD(MOVED, by_clips);
    return make_displacement(state_number(c, at), state_number(c, at + 1u), state_number(c, at + 2u),
                             state_number(c, at + 3u));
}

OP void set_moved_by_clips(control c, address character_motion, displacement d) {
    address at = moved_state(c, character_motion) + FIELD(MOVED, by_clips);
    set_state_word(c, at, BITS(snap(d.x)));
    set_state_word(c, at + 1u, BITS(snap(d.y)));
    set_state_word(c, at + 2u, BITS(snap(d.z)));
    set_state_word(c, at + 3u, BITS(snap(d.turns)));
}

// The angle to turn by in this step towards a desired heading, on the shorter side.
OP word turn_towards(control c, address character_motion, real desired, word yaw, real seconds) {
    if (READ(c.block, character_motion, CHARACTER_MOTION, turns_to_heading) == 0u) {
        return ALL_WORD(0u);
    }
    word by = angle_of_turns(turns_of_radians(snap(desired))) - yaw;
    float rate = READ_FLOAT(c.block, character_motion, CHARACTER_MOTION, turn_rate); // turns per second
    word most = turn_magnitude(by);
    if (rate > 0.0f) {
        real limit = rate * seconds;
        word limited = angle_of_turns(limit);
        most = SELECT(AND(limit < 0.5f, limited < most), limited, most);
    }
    by = SELECT((by >> 31u) != 0u, 0u - most, most);
    return SELECT_BITS(is_finite(desired), by);
}

OP real square_of(displacement d) {
    real square = d.x * d.x + d.y * d.y;
    return square + d.z * d.z;
}

OP displacement motion_velocity(control c, address character_motion) {
    address at = moved_state(c, character_motion) + FIELD(MOVED, velocity);
    return make_displacement(state_number(c, at), state_number(c, at + 1u), state_number(c, at + 2u), SPLAT(0.0f));
}

OP void write_velocity(control c, address character_motion) {
    displacement v = motion_velocity(c, character_motion);
    write_parameter(c, LOAD(c.block, character_motion + FIELD(CHARACTER_MOTION, velocity_parameters)), v.x);
    write_parameter(c, LOAD(c.block, character_motion + FIELD(CHARACTER_MOTION, velocity_parameters) + 1u), v.y);
    write_parameter(c, LOAD(c.block, character_motion + FIELD(CHARACTER_MOTION, velocity_parameters) + 2u), v.z);
}

// Changes the velocity towards the desired one at the permitted rate, and returns the resulting displacement.
OP displacement accelerate(control c, address character_motion, displacement desired, real seconds) {
    displacement from = motion_velocity(c, character_motion);
    displacement change = make_displacement(desired.x - from.x, desired.y - from.y, desired.z - from.z, SPLAT(0.0f));
    lane_mask faster = square_of(desired) > square_of(from);
    real rate = SELECT(faster, SPLAT(READ_FLOAT(c.block, character_motion, CHARACTER_MOTION, acceleration)),
                       SPLAT(READ_FLOAT(c.block, character_motion, CHARACTER_MOTION, deceleration)));
    lane_mask limits = rate > 0.0f;
    displacement to = desired;
    real share = SPLAT(0.0f); // of the time step, during which the velocity changes
    if (ANY(limits)) {
        real square = square_of(change);
        real size = square * reciprocal_root(square);
        real most = rate * seconds;
        real part = most * reciprocal(size);
        lane_mask arrives = size <= most;
        lane_mask remains = AND(limits, NOT(arrives));
        share = SELECT(limits, SELECT(arrives, size * reciprocal(most), SPLAT(1.0f)), SPLAT(0.0f));
        to.x = SELECT(remains, from.x + change.x * part, desired.x);
        to.y = SELECT(remains, from.y + change.y * part, desired.y);
        to.z = SELECT(remains, from.z + change.z * part, desired.z);
    }
    address at = moved_state(c, character_motion) + FIELD(MOVED, velocity);
    set_state_word(c, at, BITS(snap(to.x)));
    set_state_word(c, at + 1u, BITS(snap(to.y)));
    set_state_word(c, at + 2u, BITS(snap(to.z)));
    real half_share = 0.5f * share;
    return make_displacement((to.x - (to.x - from.x) * half_share) * seconds,
                             (to.y - (to.y - from.y) * half_share) * seconds,
                             (to.z - (to.z - from.z) * half_share) * seconds, SPLAT(0.0f));
}

// The desired velocity and, as `turns`, the desired heading in radians. A velocity component that is not finite counts
// as 0.
OP displacement desired_displacement(control c, address character_motion) {
    displacement desired = no_displacement();
    for (address i = 0u; i < 4u; i++) {
        real number = control_number(c, character_motion + FIELD(CHARACTER_MOTION, desired) + i * WORDS_OF(VALUE));
        real bounded = SELECT(is_finite(number), clamp_real(snap(number), -1048576.0f, 1048576.0f), SPLAT(0.0f));
        desired.x = i == 0u ? bounded : desired.x;
        desired.y = i == 1u ? bounded : desired.y;
        desired.z = i == 2u ? bounded : desired.z;
        desired.turns = number;
    }
    return desired;
}

// Motion driven by parameters: half of the rotation, then the displacement, then the other half.
OP_NOINLINE void drive_character_motion(control c, address character_motion) {
    if (READ(c.block, character_motion, CHARACTER_MOTION, is_driven) == 0u) {
        return;
    }
    real seconds = seconds_of_fine(fine_of_ticks(c.step));
    address yaw_at = motion_state(c, character_motion) + FIELD(MOVING, yaw);
    word yaw = state_word(c, yaw_at);
    displacement desired = desired_displacement(c, character_motion);
    word by = turn_towards(c, character_motion, desired.turns, yaw, seconds);
    word first_half = (by >> 1u) | (by & 0x80000000u);
    displacement moved = accelerate(c, character_motion, desired, seconds);
    set_state_word(c, yaw_at, yaw + first_half);
    shift_character_motion(c, character_motion, moved, by - first_half);
    write_velocity(c, character_motion);
}

#ifndef LMB_SIMD_WIDTH
// Writes position and yaw as floats for renderers.
OP_NOINLINE void show_character_motion(control c, address character_motion) {
    address at = motion_state(c, character_motion);
    for (address i = 0u; i < 3u; i++) {
        ticks component = state_ticks(c, at + FIELD(MOVING, position) + 2u * i);
        STORE(c.motions, CHARACTER_MOTION_AT(c, i), BITS(real_of_fixed(component)));
    }
    STORE(c.motions, CHARACTER_MOTION_AT(c, 3u), BITS(radians_of_angle(state_word(c, at + FIELD(MOVING, yaw)))));
}
#endif

#endif
