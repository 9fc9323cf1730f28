// Partial blends: how the joint weights of two poses decide which of them a joint shows.
#ifndef LMB_OPS_PARTIAL_H
#define LMB_OPS_PARTIAL_H

#include "number.h"

// The blend factor from a to b for a joint that is in both partial poses, from alpha and the joint weights a and b.
// Both quotients are exactly 1 if their operands are equal.
OP real partial_blend(real alpha, real a, real b) {
    real part = (b - a) + alpha * a;
    real rise = SELECT(part == b, SPLAT(1.0f), part * reciprocal(b));
    real share = SELECT(a == b, SPLAT(1.0f), b * reciprocal(a));
    real blend = SELECT(b > a, rise, alpha * share);
    return clamp_real(snap(blend), 0.0f, 1.0f);
}

// The joint weight of the result.
OP real partial_weight(real blend, real a, real b) {
    return FLOOR(((1.0f - blend) * a + blend * b) + 0.5f);
}

#endif
