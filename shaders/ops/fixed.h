// Fixed-point positions and angles, so that any number of small displacements adds up without rounding. 64 bits in two
// words, two's complement; the lower word is the fraction. An angle is the fraction of a turn, so it wraps by itself.
#ifndef LMB_OPS_FIXED_H
#define LMB_OPS_FIXED_H

#include "curve.h"
#include "ticks.h"

#define FIXED_MOST 1.07374182e+09f // 2^30

OP ticks negate_fixed(ticks a) {
    return subtract_ticks(make_ticks(0u, 0u), a);
}

// Rounds to nearest. Clamps to +-2^30. NaN becomes 0.
OP ticks fixed_of(real x) {
    real bounded = clamp_real(snap(x), -FIXED_MOST, FIXED_MOST);
    real magnitude = magnitude_of(bounded);
    real whole = FLOOR(magnitude);
    real part = (magnitude - whole) * 4.2949673e+09f;
    // From 2^23 on it is an integer already.
    part = part < 8388608.0f ? FLOOR(part + 0.5f) : part;
    ticks fixed_magnitude = make_ticks(TO_WORD(part), TO_WORD(whole));
    return bounded < 0.0f ? negate_fixed(fixed_magnitude) : fixed_magnitude;
}

OP bool is_negative(ticks a) {
    return (ticks_high(a) >> 31u) != 0u;
}

// Converts to float, with a relative error of at most 2e-7.
OP real real_of_fixed(ticks a) {
    bool below = is_negative(a);
    ticks magnitude = below ? negate_fixed(a) : a;
    real x = real_of_word(ticks_high(magnitude)) + real_of_word(ticks_low(magnitude)) * 2.32830644e-10f;
    return below ? -x : x;
}

// Saturating addition.
OP ticks add_fixed(ticks a, ticks b) {
    ticks sum = add_ticks(a, b);
    bool beyond = is_negative(a) == is_negative(b) && is_negative(sum) != is_negative(a);
    ticks most = is_negative(a) ? make_ticks(0u, 0x80000000u) : make_ticks(0xffffffffu, 0x7fffffffu);
    return beyond ? most : sum;
}

// The magnitude of an angle in 2^-32 of a turn, on the shorter side.
OP uint turn_magnitude(uint angle) {
    return (angle >> 31u) != 0u ? 0u - angle : angle;
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
OP direction direction_of_angle(uint angle) {
    uint quarter = (angle + 0x20000000u) >> 30u;
    uint rest = angle - (quarter << 30u);
    real x = real_of_word(turn_magnitude(rest)) * 9.31322575e-10f;
    real sine = quarter_sine(x);
    real cosine = 1.0f - quarter_versine(x);
    sine = (rest >> 31u) != 0u ? -sine : sine;
    direction d = make_direction(sine, cosine);
    if (quarter == 1u) {
        d = make_direction(cosine, -sine);
    }
    if (quarter == 2u) {
        d = make_direction(-sine, -cosine);
    }
    if (quarter == 3u) {
        d = make_direction(-cosine, sine);
    }
    return d;
}

// The angle of a number of turns.
OP uint angle_of_turns(real turns) {
    return ticks_low(fixed_of(turns));
}

OP real turns_of_radians(real radians) {
    return radians * 0.159154937f;
}

// In [-pi, pi).
OP real radians_of_angle(uint angle) {
    real radians = real_of_word(turn_magnitude(angle)) * 1.46291812e-09f;
    return (angle >> 31u) != 0u ? -radians : radians;
}

#endif
