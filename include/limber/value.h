/// @file value.h
/// Numbers that a graph uses: constants, parameters, and curves over either.
#ifndef LIMBER_VALUE_H
#define LIMBER_VALUE_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a number a in [0, 1] is shaped before it is used. All give exactly 0 for 0 and 1 for 1. In and out name where a
/// curve is level: "in" at its beginning; "out", 1 - in(1 - a), at its end; "in-out" at both, in(2 a) / 2 up to the
/// middle and 1 - in(2 - 2 a) / 2 from there. All are within 2e-7 of float64, a Bezier within 2e-7 of the larger of 1
/// and its control points.
typedef enum lmb_curve {
    LMB_CURVE_LINEAR,
    LMB_CURVE_UNIFORM_S,  ///< a^2 / (2 (a^2 - a) + 1)
    LMB_CURVE_SMOOTHSTEP, ///< 3 a^2 - 2 a^3
    /// 3 (1-a)^2 a c0 + 3 (1-a) a^2 c1 + a^3, with lmb_value.control for c: a Bezier in one dimension whose parameter is the
    /// number itself. It may leave [0, 1]; a weight is clamped again after it.
    LMB_CURVE_BEZIER,
    LMB_CURVE_QUADRATIC_IN, ///< a^2
    LMB_CURVE_QUADRATIC_OUT,
    LMB_CURVE_QUADRATIC_IN_OUT,
    LMB_CURVE_CUBIC_IN, ///< a^3
    LMB_CURVE_CUBIC_OUT,
    LMB_CURVE_CUBIC_IN_OUT,
    LMB_CURVE_SINE_IN,     ///< 1 - sin(pi (1 - a) / 2)
    LMB_CURVE_SINE_OUT,    ///< sin(pi a / 2)
    LMB_CURVE_SINE_IN_OUT, ///< (1 + sin(pi (a - 1/2))) / 2
    /// 1 - cos(pi a / 2): a cosine is the sine a quarter of a wave on, so the three are those of the sine, by the names
    /// that others give them.
    LMB_CURVE_COSINE_IN,
    LMB_CURVE_COSINE_OUT,    ///< cos(pi (1 - a) / 2)
    LMB_CURVE_COSINE_IN_OUT, ///< (1 - cos(pi a)) / 2
    LMB_CURVE_COUNT
} lmb_curve;

/// "linear", "uniform-s", "quadratic-in" and so on; never NULL. The text is static.
LMB_API const char *lmb_curve_name(lmb_curve curve);

/// A number that is the same for all characters, or is read from each character's parameters.
typedef struct lmb_value {
    float constant;
    uint32_t parameter; ///< index of a parameter, or #LMB_NONE for the constant
    lmb_curve curve;    ///< where it is not #LMB_CURVE_LINEAR, the number is clamped to [0, 1] and shaped
    float control[2];   ///< of #LMB_CURVE_BEZIER, each from -16 to 16
} lmb_value;

static inline lmb_value lmb_constant(float constant) {
    lmb_value value = {constant, LMB_NONE, LMB_CURVE_LINEAR, {0.0f, 1.0f}};
    return value;
}

static inline lmb_value lmb_parameter(uint32_t index) {
    lmb_value value = {0.0f, index, LMB_CURVE_LINEAR, {0.0f, 1.0f}};
    return value;
}

/// What a value comes to where these are the parameters of a character: as in a control, to the bit, and as in an operation
/// before that clamps it or refuses what is not finite. A value that lmb_graph_create() would
/// accept; `parameters` may be NULL where it is a constant.
LMB_API float lmb_value_at(lmb_value value, const float *parameters);

#ifdef __cplusplus
}
#endif

#endif
