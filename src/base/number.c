// Values of descriptors: their checks, their words in a block, and their evaluation for a host. A host's evaluation
// runs the operations of the kernels, so it shows what a frame will compute.
#include "number.h"

#include "float_environment.h"

#include "../../shaders/ops/computed.h"
#include "../../shaders/ops/layout.h"

#include <math.h>

// Curves have the same numbers in a block as in the public header.
_Static_assert((uint32_t)LMB_CURVE_BEZIER == CURVE_BEZIER && (uint32_t)LMB_CURVE_QUADRATIC_IN == CURVE_QUADRATIC &&
                   (uint32_t)LMB_CURVE_CUBIC_IN == CURVE_CUBIC && (uint32_t)LMB_CURVE_SINE_IN == CURVE_SINE &&
                   (uint32_t)LMB_CURVE_COSINE_IN == CURVE_COSINE && (uint32_t)LMB_CURVE_COUNT == CURVE_COUNT,
               "the curves differ from the operations' curves");
_Static_assert(NO_PARAMETER == LMB_NONE && CONTROL_NONE == LMB_NONE && VALUE_WORDS == CONTROL_VALUE_WORDS &&
                   VALUE_PARAMETER == 0 && VALUE_CONSTANT == 1 && VALUE_CURVE == 2 && VALUE_CONTROL == 3,
               "the values of graphs and of controls differ");

const char *lmb_curve_name(lmb_curve curve) {
    static const char *const names[LMB_CURVE_COUNT] = {
        "linear",           "uniform-s", "smoothstep", "bezier",       "quadratic-in", "quadratic-out",
        "quadratic-in-out", "cubic-in",  "cubic-out",  "cubic-in-out", "sine-in",      "sine-out",
        "sine-in-out",      "cosine-in", "cosine-out", "cosine-in-out"};
    return (unsigned)curve < LMB_CURVE_COUNT ? names[curve] : "unknown curve";
}

const char *lmb_curve_fault(lmb_curve curve, const float control[2]) {
    if ((unsigned)curve >= LMB_CURVE_COUNT) {
        return "unknown curve";
    }
    for (int i = 0; i < 2 && curve == LMB_CURVE_BEZIER; i++) {
        if (!(fabsf(control[i]) <= 16.0f)) {
            return "a control point is not from -16 to 16";
        }
    }
    return NULL;
}

const char *lmb_value_fault(lmb_value value, uint32_t parameter_count) {
    if ((unsigned)value.kind >= LMB_VALUE_KIND_COUNT) {
        return "unknown kind of value";
    }
    const char *fault = lmb_curve_fault(value.curve, value.control);
    if (fault != NULL) {
        return fault;
    }
    if (value.kind == LMB_VALUE_CONSTANT) {
        return fabsf(value.constant) <= LMB_LARGEST ? NULL : "the constant is not a finite number up to 2^40";
    }
    return value.parameter < parameter_count ? NULL : "there is no such parameter";
}

void lmb_value_write(lmb_value value, uint32_t *words) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const float constant = snap(value.constant);
    lmb_environment_leave(&callers);
    words[VALUE_PARAMETER] = lmb_value_reads(value);
    words[VALUE_CONSTANT] = BITS(constant);
    words[VALUE_CURVE] = (uint32_t)value.curve;
    words[VALUE_CONTROL] = BITS(value.control[0]);
    words[VALUE_CONTROL + 1] = BITS(value.control[1]);
}

// Applies a value's curve with the function that controls use.
static LMB_NOINLINE float shape(const uint32_t *words, float x) {
    return curve_value(load_control_value(words, 0), x);
}

float lmb_value_at(lmb_value value, const float *parameters) {
    uint32_t words[VALUE_WORDS];
    lmb_value_write(value, words);
    lmb_environment callers;
    lmb_environment_enter(&callers);
    float x = snap(value.constant);
    if (value.kind == LMB_VALUE_PARAMETER) {
        x = snap_finite(parameters[value.parameter]);
    }
    const float number = shape(words, x);
    lmb_environment_leave(&callers);
    return number;
}

_Static_assert((uint32_t)LMB_COMPUTED_REMAP == COMPUTED_REMAP && (uint32_t)LMB_COMPUTED_CLAMP == COMPUTED_CLAMP &&
                   LMB_MAX_COMPUTED_INPUTS == MOST_COMPUTED_INPUTS,
               "the kinds of computed parameters differ");

uint32_t lmb_computed_input_count(lmb_computed_kind kind) {
    return kind == LMB_COMPUTED_REMAP ? 5 : kind == LMB_COMPUTED_CLAMP ? 3 : 2;
}

static LMB_NOINLINE float compute_snapped(lmb_computed_kind kind, const float inputs[LMB_MAX_COMPUTED_INPUTS]) {
    return compute((uint32_t)kind, snap(inputs[0]), snap(inputs[1]), snap(inputs[2]), snap(inputs[3]), snap(inputs[4]));
}

float lmb_computed_at(const lmb_computed_def *computed, const float *parameters) {
    float inputs[LMB_MAX_COMPUTED_INPUTS] = {0.0f};
    for (uint32_t i = 0; i < lmb_computed_input_count(computed->kind); i++) {
        inputs[i] = lmb_value_at(computed->inputs[i], parameters);
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const float number = compute_snapped(computed->kind, inputs);
    lmb_environment_leave(&callers);
    return number;
}
