// Functions of float64 that have the same bits everywhere. Those of a compiler's library are not exact, and libraries
// differ in the last bit; here are only operations that IEEE 754 rounds in one way. Errors are below 1e-15 of the
// result or, near a multiple of pi, of 1.
#ifndef LMB_FLOAT64_H
#define LMB_FLOAT64_H

#include <limber/base.h>

#include <math.h>

// Radians; magnitudes from 2^31 on count as 0, and so does what is not finite.
LMB_API double lmb_sine64(double radians);
LMB_API double lmb_cosine64(double radians);
// Returns the angle from x to y in radians, from -pi to pi; 0 for two zeros. Neither is infinite or not a number.
LMB_API double lmb_arc_tangent64(double y, double x);

// `cosine` is from -1 to 1.
static inline double lmb_arc_cosine64(double cosine) {
    return lmb_arc_tangent64(sqrt((1.0 - cosine) * (1.0 + cosine)), cosine);
}

// `sine` is from -1 to 1.
static inline double lmb_arc_sine64(double sine) {
    return lmb_arc_tangent64(sine, sqrt((1.0 - sine) * (1.0 + sine)));
}

// Squares of x and y neither overflow nor vanish.
static inline double lmb_length64(double x, double y) {
    return sqrt(x * x + y * y);
}

#endif
