#include "number.h"

#include "environment.h"

#include "../shaders/ops/control_memory.h"
#include "../shaders/ops/layout.h"

#include <math.h>

// A curve's number in a block is its public one.
_Static_assert((uint32_t)LMB_CURVE_BEZIER == CURVE_BEZIER && (uint32_t)LMB_CURVE_QUADRATIC_IN == CURVE_QUADRATIC &&
                   (uint32_t)LMB_CURVE_CUBIC_IN == CURVE_CUBIC && (uint32_t)LMB_CURVE_SINE_IN == CURVE_SINE &&
                   (uint32_t)LMB_CURVE_COSINE_IN == CURVE_COSINE && (uint32_t)LMB_CURVE_TENT == CURVE_TENT &&
                   (uint32_t)LMB_CURVE_COUNT == CURVE_COUNT,
               "the curves differ from the operations' curves");
_Static_assert(NO_PARAMETER == LMB_NONE && CONTROL_NONE == LMB_NONE && VALUE_WORDS == CONTROL_VALUE_WORDS &&
                   VALUE_PARAMETER == 0 && VALUE_CONSTANT == 1 && VALUE_CURVE == 2 && VALUE_CONTROL == 3,
               "the values of programs and of controls differ");

const char *lmb_curve_name(lmb_curve curve) {
    static const char *const names[LMB_CURVE_COUNT] = {
        "linear",           "uniform-s", "smoothstep", "bezier",        "quadratic-in", "quadratic-out",
        "quadratic-in-out", "cubic-in",  "cubic-out",  "cubic-in-out",  "sine-in",      "sine-out",
        "sine-in-out",      "cosine-in", "cosine-out", "cosine-in-out", "tent"};
    return (unsigned)curve < LMB_CURVE_COUNT ? names[curve] : "unknown curve";
}

static const char *find_tent_fault(lmb_value value) {
    const float before = value.control[0], own = value.constant, after = value.control[1];
    if (!(fabsf(before) <= LMB_LARGEST && fabsf(own) <= LMB_LARGEST && fabsf(after) <= LMB_LARGEST)) {
        return "a tent's place is not a finite number up to 2^40";
    }
    if (!(before <= own && own <= after)) {
        return "a tent's places are not in order";
    }
    if (before == after) {
        return "a tent has a neighbour before or after it";
    }
    return value.parameter == LMB_NONE ? "a tent stands over a parameter, not over a constant" : NULL;
}

const char *lmb_value_fault(lmb_value value, uint32_t parameter_count) {
    if ((unsigned)value.curve >= LMB_CURVE_COUNT) {
        return "unknown curve";
    }
    for (int i = 0; i < 2 && value.curve == LMB_CURVE_BEZIER; i++) {
        if (!(fabsf(value.control[i]) <= 16.0f)) {
            return "a control point is not from -16 to 16";
        }
    }
    const char *fault = value.curve == LMB_CURVE_TENT ? find_tent_fault(value) : NULL;
    if (fault != NULL) {
        return fault;
    }
    if (value.parameter == LMB_NONE) {
        return fabsf(value.constant) <= LMB_LARGEST ? NULL : "the constant is not a finite number up to 2^40";
    }
    return value.parameter < parameter_count ? NULL : "there is no such parameter";
}

// What a tent falls by over each unit on its way to a neighbour: as much as takes it to 0 there to the bit, in the arithmetic
// of the curves; nothing where the neighbour is its own place.
static LMB_NOINLINE float find_slope(float own, float neighbour) {
    const float way = (float)fabs((double)neighbour - (double)own);
    float slope = way > 0.0f ? (float)(1.0 / (double)way) : 0.0f;
    while (way > 0.0f && way * slope < 1.0f) {
        slope = nextafterf(slope, INFINITY);
    }
    return slope;
}

void lmb_value_write(lmb_value value, uint32_t *words) {
    fenv_t callers;
    lmb_environment_enter(&callers);
    const float constant = snap(value.constant);
    float control[2] = {value.control[0], value.control[1]};
    if (value.curve == LMB_CURVE_TENT) {
        control[0] = find_slope(constant, snap(control[0]));
        control[1] = find_slope(constant, snap(control[1]));
    }
    lmb_environment_leave(&callers);
    words[VALUE_PARAMETER] = value.parameter;
    words[VALUE_CONSTANT] = BITS(constant);
    words[VALUE_CURVE] = (uint32_t)value.curve;
    words[VALUE_CONTROL] = BITS(control[0]);
    words[VALUE_CONTROL + 1] = BITS(control[1]);
}

// As a control's numbers are, by the same words.
static LMB_NOINLINE float shape(const uint32_t *words, float x) {
    return shape_value(load_value(words, 0), x);
}

float lmb_value_at(lmb_value value, const float *parameters) {
    uint32_t words[VALUE_WORDS];
    lmb_value_write(value, words);
    fenv_t callers;
    lmb_environment_enter(&callers);
    float x = snap(value.constant);
    if (value.parameter != LMB_NONE) {
        x = snap_finite(parameters[value.parameter]);
    }
    const float number = shape(words, x);
    lmb_environment_leave(&callers);
    return number;
}
