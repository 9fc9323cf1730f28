// Angles in degrees.
#ifndef LMB_OPS_ANGLE_H
#define LMB_OPS_ANGLE_H

#include "number.h"

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
