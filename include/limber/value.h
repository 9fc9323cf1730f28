/// @file value.h
/// @ingroup basics
/// Values that a graph uses: constants or parameters, with an optional curve.
#ifndef LIMBER_VALUE_H
#define LIMBER_VALUE_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup basics
/// @{

#define LMB_MAX_CURVES 256u    ///< of one graph's own
#define LMB_MAX_CURVE_KEYS 64u ///< of one of them

/// A curve that is applied to a value a in [0, 1]. Each returns exactly 0 for 0 and 1 for 1. A graph may have curves of
/// its own (lmb_curve_def).
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
    LMB_CURVE_COUNT,
    LMB_CURVE_USER = 256 ///< with what follows: the graph's own curves, see lmb_user_curve()
} lmb_curve;

/// Returns the curve that is one of a graph's own: an index into lmb_graph_def.curves, below #LMB_MAX_CURVES.
static inline lmb_curve lmb_user_curve(uint32_t index) {
#ifdef __cplusplus
    return static_cast<lmb_curve>(LMB_CURVE_USER + index);
#else
    return (lmb_curve)((uint32_t)LMB_CURVE_USER + index);
#endif
}

/// A key of a curve, and its handles: the control points before and after it, relative to the key. Zeroed, it is a key
/// at (0, 0) without handles. lmb_key(), lmb_css_keys() and lmb_set_slopes() make keys.
///
/// All numbers are from -2^20 to 2^20.
typedef struct lmb_curve_key {
    float x, y;
    float
        in[2]; ///< handle towards the key before: x from minus the distance to that key to 0. Ignored in the first key
    float out[2]; ///< handle towards the next key: x from 0 to the distance to that key. Ignored in the last key
    bool stepped; ///< y keeps this key's value up to the next key; handles between both are ignored
} lmb_curve_key;

/// A curve of a graph's own: keys, and a cubic Bezier in x and y from each to the next.
///
/// A segment goes from key p to key q. With P1 = p + p.out and P2 = q + q.in, its points are
/// (1-t)^3 p + 3 (1-t)^2 t P1 + 3 (1-t) t^2 P2 + t^3 q for t from 0 to 1. The curve at x is the y of the point at x.
/// Two keys without handles between them are joined by a straight line. Before the first key and after the last one the
/// curve has the y of that key, so a value is clamped to their range, which need not be [0, 1]. y may be anything.
///
/// - CSS's cubic-bezier(x1, y1, x2, y2): two keys, from lmb_css_keys().
/// - Keys with slopes (Hermite splines, as Unity's AnimationCurve): lmb_set_slopes() for each two keys.
///
/// At a key the result is exactly its y. Elsewhere it is the y in float64 at an x that differs by at most 3e-7 of the
/// segment's width, within 3e-7 times the largest magnitude of y in its keys and handles.
typedef struct lmb_curve_def {
    const lmb_curve_key *keys; ///< copied; their x ascend, by at least 2^-20
    uint32_t key_count;        ///< 2 to #LMB_MAX_CURVE_KEYS
} lmb_curve_def;

/// Adds no key.
LMB_API lmb_curve_def lmb_default_curve_def(void);

/// Returns a key without handles.
static inline lmb_curve_key lmb_key(float x, float y) {
    lmb_curve_key key = {x, y, {0.0f, 0.0f}, {0.0f, 0.0f}, false};
    return key;
}

/// Stores the two keys of CSS's cubic-bezier(): from (0, 0) to (1, 1), with control points whose x is from 0 to 1.
static inline void lmb_css_keys(float x1, float y1, float x2, float y2, lmb_curve_key keys[2]) {
    keys[0] = lmb_key(0.0f, 0.0f);
    keys[1] = lmb_key(1.0f, 1.0f);
    keys[0].out[0] = x1;
    keys[0].out[1] = y1;
    keys[1].in[0] = x2 - 1.0f;
    keys[1].in[1] = y2 - 1.0f;
}

/// Stores the handles between two keys by slopes: `out` after `from`, `in` before `to`. The segment then is the cubic
/// Hermite spline, y a polynomial in x.
static inline void lmb_set_slopes(lmb_curve_key *from, float out, float in, lmb_curve_key *to) {
    const float third = (to->x - from->x) / 3.0f;
    from->out[0] = third;
    from->out[1] = out * third;
    to->in[0] = -third;
    to->in[1] = -in * third;
}

/// Returns the name of a curve: "linear", "uniform-s", "quadratic-in" and so on; "user" for all of a graph's own; never
/// NULL. The text is static.
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
    /// Unless #LMB_CURVE_LINEAR, a finite value is clamped to [0, 1] and the curve is applied; one of the graph's own
    /// clamps to its keys. Infinity is clamped in weights of nodes, and stays infinity in the control and in
    /// lmb_value_at().
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
/// finite. The value must be one that lmb_graph_create() accepts. `parameters` may be NULL for a constant. `curves` are
/// those of the graph, or NULL if the value has none of them.
LMB_API float lmb_value_at(lmb_value value, const float *parameters, const lmb_curve_def *curves);

/// @}

#ifdef __cplusplus
}
#endif

#endif
