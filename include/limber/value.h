/// @file value.h
/// Values that a graph uses: constants or parameters, with an optional curve.
#ifndef LIMBER_VALUE_H
#define LIMBER_VALUE_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A curve that is applied to a value a in [0, 1]. Each returns exactly 0 for 0 and 1 for 1.
///
/// The suffix says where a curve is level:
/// - in: at its start.
/// - out: at its end; 1 - in(1 - a).
/// - in-out: at both; in(2 a) / 2 up to the middle, then 1 - in(2 - 2 a) / 2.
///
/// All are within 2e-7 of float64; a Bezier within 2e-7 times the largest of 1 and its control points.
typedef enum lmb_curve {
    LMB_CURVE_LINEAR,
    LMB_CURVE_UNIFORM_S,  ///< a^2 / (2 (a^2 - a) + 1)
    LMB_CURVE_SMOOTHSTEP, ///< 3 a^2 - 2 a^3
    /// 3 (1-a)^2 a c0 + 3 (1-a) a^2 c1 + a^3, where c is lmb_value.control: a Bezier in one dimension whose parameter
    /// is a. The result may be outside [0, 1]; a weight is clamped again after it.
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
    /// 1 - cos(pi a / 2). The three cosine curves equal the three sine curves; they exist because other software uses
    /// these names.
    LMB_CURVE_COSINE_IN,
    LMB_CURVE_COSINE_OUT,    ///< cos(pi (1 - a) / 2)
    LMB_CURVE_COSINE_IN_OUT, ///< (1 - cos(pi a)) / 2
    LMB_CURVE_COUNT
} lmb_curve;

/// Returns the name of a curve: "linear", "uniform-s", "quadratic-in" and so on; never NULL. The text is static.
LMB_API const char *lmb_curve_name(lmb_curve curve);

/// Where a value comes from.
typedef enum lmb_value_kind {
    LMB_VALUE_CONSTANT,  ///< the same for all characters
    LMB_VALUE_PARAMETER, ///< one of each character's parameters
    LMB_VALUE_KIND_COUNT
} lmb_value_kind;

/// A value that is the same for all characters, or is read from each character's parameters. Zeroed, it is the constant
/// 0. lmb_constant() and lmb_parameter() make one.
typedef struct lmb_value {
    lmb_value_kind kind;
    float constant;     ///< of #LMB_VALUE_CONSTANT
    uint32_t parameter; ///< of #LMB_VALUE_PARAMETER: its index, below lmb_graph_def.parameter_count
    /// Unless #LMB_CURVE_LINEAR, a finite value is clamped to [0, 1] and the curve is applied. Infinity is clamped in
    /// weights of nodes, and stays infinity in the control and in lmb_value_at().
    lmb_curve curve;
    float control[2]; ///< control points of #LMB_CURVE_BEZIER, each from -16 to 16
} lmb_value;

/// Returns a value that is a constant, without a curve.
static inline lmb_value lmb_constant(float constant) {
    lmb_value value = {LMB_VALUE_CONSTANT, constant, 0, LMB_CURVE_LINEAR, {0.0f, 1.0f}};
    return value;
}

/// Returns a value that reads a parameter, without a curve.
static inline lmb_value lmb_parameter(uint32_t index) {
    lmb_value value = {LMB_VALUE_PARAMETER, 0.0f, index, LMB_CURVE_LINEAR, {0.0f, 1.0f}};
    return value;
}

/// Evaluates a value for the parameters of one character.
///
/// The result has the bits that a control computes, with the snapping that control.h describes. An operation computes
/// the same from a finite parameter, and then clamps it; each operation says how it handles a parameter that is not
/// finite. The value must be one that lmb_graph_create() accepts. `parameters` may be NULL for a constant.
LMB_API float lmb_value_at(lmb_value value, const float *parameters);

#ifdef __cplusplus
}
#endif

#endif
