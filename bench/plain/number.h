// In place of shaders/ops/number.h in the pose kernel of limber-lab-plain: nothing is snapped, and reciprocals and
// reciprocal square roots are the device's own. exact_number.h is a copy of that file.
#ifndef LIMBER_BENCH_PLAIN_NUMBER_H
#define LIMBER_BENCH_PLAIN_NUMBER_H

#define snap exact_snap
#define snap_number exact_snap_number
#define snap_small exact_snap_small
#define reciprocal exact_reciprocal
#define reciprocal_root exact_reciprocal_root
#include "exact_number.h"
#undef snap
#undef snap_number
#undef snap_small
#undef reciprocal
#undef reciprocal_root

real snap(real x) {
    return x;
}

real snap_number(real x) {
    return x;
}

real snap_small(real x) {
    return x;
}

real reciprocal(real x) {
    return 1.0f / x;
}

real reciprocal_root(real x) {
    return inversesqrt(x);
}

#endif
