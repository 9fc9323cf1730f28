// Snapping and elementary functions. Limber has its own functions because devices round division, roots, exponentials
// and logarithms differently. Each function begins with an integer estimate or a reduction by exponent, so its relative
// error repeats from binade to binade. Tests check the bounds for every float of one binade.
#ifndef LMB_OPS_NUMBER_H
#define LMB_OPS_NUMBER_H

#include "language.h"

#define SNAP_SMALLEST 0x2b800000u // 2^-40
#define SNAP_LARGEST 0x53800000u  // 2^40
#define BITS_INFINITY 0x7f800000u
#define BITS_MAGNITUDE 0x7fffffffu
#define BITS_SIGN 0x80000000u

// The snapping rule: NaN and magnitudes below 2^-40 become +0; magnitudes above 2^40 become 2^40 with the same sign.
OP real snap(real x) {
#ifdef LMB_SNAP
    // The same with instructions of this instruction set.
    return LMB_SNAP(x, lmb_float_of(SNAP_SMALLEST), lmb_float_of(SNAP_LARGEST));
#else
    word bits = BITS(x);
    word magnitude = bits & BITS_MAGNITUDE;
    word bounded = (bits & BITS_SIGN) | MINIMUM(magnitude, SNAP_LARGEST);
    lane_mask kept = AND(ABOVE(magnitude, SNAP_SMALLEST - 1u), NOT(ABOVE(magnitude, BITS_INFINITY)));
    return REAL(SELECT_BITS(kept, bounded));
#endif
}

// The same for any value except NaN, which arithmetic on snapped values does not produce. In GLSL it uses float
// operations, because half of all values that kernels compute are snapped, and drivers compile these to the fewest
// instructions. Both functions are exact.
OP real snap_number(real x) {
#ifdef LMB_GLSL
    float bounded = clamp(x, -1.09951163e+12f, 1.09951163e+12f);
    bool kept = abs(x) >= 9.09494702e-13f;
    return kept ? bounded : 0.0f;
#else
    return snap(x);
#endif
}

// The same for a value that is known to be at most 2^40 in magnitude.
OP real snap_small(real x) {
#ifdef LMB_GLSL
    bool kept = abs(x) >= 9.09494702e-13f;
    return kept ? x : 0.0f;
#elif defined(LMB_SNAP_SMALL)
    return LMB_SNAP_SMALL(x, lmb_float_of(SNAP_SMALLEST));
#else
    word bits = BITS(x);
    return REAL(SELECT_BITS(ABOVE(bits & BITS_MAGNITUDE, SNAP_SMALLEST - 1u), bits));
#endif
}

OP lane_mask is_finite(real x) {
    return NOT(ABOVE(BITS(x) & BITS_MAGNITUDE, BITS_INFINITY - 1u));
}

OP lane_mask is_nan(real x) {
    return ABOVE(BITS(x) & BITS_MAGNITUDE, BITS_INFINITY);
}

OP real magnitude_of(real x) {
#ifdef LMB_GLSL
    return abs(x);
#else
    return REAL(BITS(x) & BITS_MAGNITUDE);
#endif
}

// x, or -x where the condition holds.
OP real negated_where(lane_mask condition, real x) {
#ifdef LMB_GLSL
    return condition ? -x : x;
#else
    return REAL(BITS(x) ^ SELECT_BITS(condition, ALL_WORD(BITS_SIGN)));
#endif
}

OP real clamp_real(real x, float low, float high) {
    real raised = SELECT(x < low, SPLAT(low), x);
    return SELECT(raised > high, SPLAT(high), raised);
}

// 1/x to 2 ulp for 2^-90 <= |x| <= 2^90; 0 for 0. Two third-order iterations from an estimate within 12 %.
OP real reciprocal(real x) {
    word bits = BITS(x);
    word magnitude = bits & BITS_MAGNITUDE;
    real a = REAL(magnitude);
    real y = REAL(0x7ef311c7u - magnitude);
    real e = 1.0f - a * y;
    y = y + y * (e + e * e);
    e = 1.0f - a * y;
    y = y + y * (e + e * e);
    return REAL(SELECT(magnitude == 0u, ALL_WORD(0u), BITS(y) | (bits & BITS_SIGN)));
}

// 1/sqrt(x) to 2 ulp for 2^-90 <= x <= 2^90. Two third-order iterations from an estimate within 3.5 %.
OP real reciprocal_root(real x) {
    real y = REAL(0x5f3759dfu - (BITS(x) >> 1u));
    real e = 1.0f - (x * y) * y;
    y = y + (y * e) * (0.5f + 0.375f * e);
    e = 1.0f - (x * y) * y;
    return y + (y * e) * (0.5f + 0.375f * e);
}

// log2(|x|) to 2 ulp for normal x; finite for every finite x. The mantissa is reduced to [sqrt(1/2), sqrt(2)).
OP real logarithm2(real x) {
    word shifted = (BITS(x) & BITS_MAGNITUDE) + (0x3f800000u - 0x3f3504f3u);
    real exponent = TO_REAL(shifted >> 23u) - 127.0f;
    real z = REAL((shifted & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    real p = SPLAT(-0.109949313f);
    p = p * z + 0.186174795f;
    p = p * z - 0.191062763f;
    p = p * z + 0.204600647f;
    p = p * z - 0.239617407f;
    p = p * z + 0.288567394f;
    p = p * z - 0.360696644f;
    p = p * z + 0.480898231f;
    p = p * z - 0.721347332f;
    p = p * z + 0.442695051f;
    return exponent + (z + z * p);
}

// 2^x to 2 ulp for -126 <= x <= 126; x is clamped to this range.
OP real exponential2(real x) {
    real bounded = clamp_real(x, -126.0f, 126.0f);
    real whole = FLOOR(bounded + 0.5f);
    real f = bounded - whole;
    real p = SPLAT(0.00015353362f);
    p = p * f + 0.00133988739f;
    p = p * f + 0.00961843692f;
    p = p * f + 0.0555033237f;
    p = p * f + 0.240226477f;
    p = p * f + 0.693147182f;
    real mantissa = 1.0f + f * p;
    return REAL(BITS(mantissa) + (TO_WORD(whole + 128.0f) << 23u) - (128u << 23u));
}

// The angle between the positive x axis and the direction to (x, y), from 0 to pi: atan2(|y|, x), within 3e-7. It is 0
// at (0, 0). Each coordinate is 0 or from 2^-126 to 2^90 in magnitude, the larger one at least 2^-90. The polynomial is
// 4.4.49 in Abramowitz and Stegun, "Handbook of Mathematical Functions".
OP real angle_from_axis(real x, real y) {
    real along = magnitude_of(x);
    real across = magnitude_of(y);
    lane_mask steep = across > along;
    real t = SELECT(steep, along, across) * reciprocal(SELECT(steep, across, along));
    real square = t * t;
    real p = SPLAT(0.00286622578f);
    p = p * square - 0.0161657371f;
    p = p * square + 0.0429096147f;
    p = p * square - 0.0752896369f;
    p = p * square + 0.106562637f;
    p = p * square - 0.142088994f;
    p = p * square + 0.199935511f;
    p = p * square - 0.333331466f;
    real angle = t + t * (square * p);
    angle = SELECT(steep, 1.57079637f - angle, angle);
    return SELECT(x < 0.0f, 3.14159274f - angle, angle);
}

// a at t = 0 and b at t = 1, exactly.
OP real lerp(real a, real b, real t) {
    return a * (1.0f - t) + b * t;
}

// Subtracts the nearest integer multiple of `turns` degrees. `rate` is the reciprocal of `turns`.
OP real take_turns(real x, float turns, float rate) {
    real whole = FLOOR(x * rate + 0.5f);
    return x - whole * turns;
}

// Reduces an angle to [-180, 180), exactly, for magnitudes up to 2^42. First subtracts multiples of 65,536 turns, so
// that no product and no difference is rounded.
OP real wrap_degrees(real x) {
    real few = take_turns(x, 23592960.0f, 4.23855253e-08f);
    real y = take_turns(few, 360.0f, 0.00277777785f);
    y = SELECT(y < -180.0f, y + 360.0f, y);
    y = SELECT(y >= 180.0f, y - 360.0f, y);
    return snap_small(y);
}

#endif
