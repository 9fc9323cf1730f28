// Values of descriptors: their checks, their words in a block, and their evaluation for a host. A host's evaluation
// runs the operations of the kernels, so it shows what a frame will compute.
#include "number.h"

#include "field.h"
#include "fields.h"
#include "float_environment.h"

#include "../../shaders/ops/computed.h"
#include "../../shaders/ops/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Curves have the same numbers in a block as in the public header.
_Static_assert((uint32_t)LMB_CURVE_BEZIER == CURVE_BEZIER && (uint32_t)LMB_CURVE_QUADRATIC_IN == CURVE_QUADRATIC &&
                   (uint32_t)LMB_CURVE_CUBIC_IN == CURVE_CUBIC && (uint32_t)LMB_CURVE_SINE_IN == CURVE_SINE &&
                   (uint32_t)LMB_CURVE_COSINE_IN == CURVE_COSINE && (uint32_t)LMB_CURVE_COUNT == CURVE_COUNT &&
                   LMB_MAX_CURVE_KEYS == MOST_CURVE_KEYS,
               "the curves differ from the operations' curves");
_Static_assert(NO_PARAMETER == LMB_NONE && CONTROL_NONE == LMB_NONE, "no parameter is another number in a block");

const char *lmb_curve_name(lmb_curve curve) {
    static const char *const names[LMB_CURVE_COUNT] = {
        "linear",           "uniform-s", "smoothstep", "bezier",       "quadratic-in", "quadratic-out",
        "quadratic-in-out", "cubic-in",  "cubic-out",  "cubic-in-out", "sine-in",      "sine-out",
        "sine-in-out",      "cosine-in", "cosine-out", "cosine-in-out"};
    return (unsigned)curve < LMB_CURVE_COUNT ? names[curve] : curve < LMB_CURVE_USER ? "unknown curve" : "user";
}

// ---- Curves of a graph.

#define MIN_DISTANCE 0x1p-20f // between keys

// Returns what is wrong with the segment after a key, or NULL.
static const char *segment_fault(const lmb_curve_key *key, const lmb_curve_key *next) {
    const float distance = next->x - key->x;
    return !(distance >= MIN_DISTANCE)                         ? "the next key is not after it"
           : key->stepped                                      ? NULL
           : !(key->out[0] >= 0.0f && key->out[0] <= distance) ? "out: it does not end between the key and the next key"
           : !(next->in[0] <= 0.0f && -next->in[0] <= distance)
               ? "in of the next key: it does not end between both keys"
               : NULL;
}

// Stores a fault of a key, or of the whole curve. Returns false.
static bool refuse_key(lmb_curve_fault *fault, uint32_t key, const char *field, const char *why) {
    fault->key = key;
    snprintf(fault->why, sizeof fault->why, "%s%s%s", field, field[0] == '\0' ? "" : ": ", why);
    return false;
}

bool lmb_curve_check(const lmb_curve_def *curve, lmb_curve_fault *fault) {
    const lmb_field_context context = {0};
    if (curve->keys == NULL) {
        return refuse_key(fault, LMB_NONE, "keys", "they are NULL");
    }
    if (curve->key_count < 2 || curve->key_count > LMB_MAX_CURVE_KEYS) {
        char why[64];
        snprintf(why, sizeof why, "it has %u keys, not 2 to %u", (unsigned)curve->key_count, LMB_MAX_CURVE_KEYS);
        return refuse_key(fault, LMB_NONE, "", why);
    }
    for (uint32_t i = 0; i < curve->key_count; i++) {
        lmb_field_fault range;
        if (!lmb_fields_check(&lmb_curve_key_fields, &curve->keys[i], &context, &range)) {
            return refuse_key(fault, i, range.field, range.why);
        }
    }
    for (uint32_t i = 0; i + 1 < curve->key_count; i++) {
        const char *why = segment_fault(&curve->keys[i], &curve->keys[i + 1]);
        if (why != NULL) {
            return refuse_key(fault, i, "", why);
        }
    }
    return true;
}

// Returns the words of the keys of the first curves.
static uint32_t count_words(lmb_curves curves, uint32_t count) {
    uint32_t words = 0;
    for (uint32_t i = 0; i < count; i++) {
        words += curves.defs[i].key_count * WORDS_OF(CURVE_KEY);
    }
    return words;
}

uint32_t lmb_curves_words(lmb_curves curves) {
    return count_words(curves, curves.count);
}

static void put_number(uint32_t *at, double number) {
    *at = BITS(snap((float)number));
}

// Writes by how much a coordinate differs from its straight line, whose ends are 0 and `rise`, with these control
// points between. With A and B three times the distances of the control points from the thirds of the line, this is
// t (1 - t) ((1 - t) A + t B).
static void put_bend(uint32_t *at, double rise, double first, double second) {
    const double a = 3.0 * first - rise, b = 3.0 * second - 2.0 * rise;
    put_number(at, a);
    put_number(at + 1, b - a);
}

// Without handles the segment is a line, whose control points may as well be at its thirds.
static bool is_line(const lmb_curve_key *key, const lmb_curve_key *next) {
    return key->out[0] == 0.0f && key->out[1] == 0.0f && next->in[0] == 0.0f && next->in[1] == 0.0f;
}

// Writes a key. The last one has no next, and the next of a stepped one counts only for its distance.
static LMB_NOINLINE void write_key(const lmb_curve_key *key, const lmb_curve_key *next, uint32_t *at) {
    memset(at, 0, WORDS_OF(CURVE_KEY) * sizeof *at);
    put_number(at + FIELD(CURVE_KEY, x), (double)key->x);
    put_number(at + FIELD(CURVE_KEY, y), (double)key->y);
    if (next == NULL || key->stepped) {
        return;
    }
    const double width = (double)next->x - (double)key->x, rise = (double)next->y - (double)key->y;
    put_number(at + FIELD(CURVE_KEY, inverse), 1.0 / width);
    put_number(at + FIELD(CURVE_KEY, rise), rise);
    if (!is_line(key, next)) {
        put_bend(at + FIELD(CURVE_KEY, x_bend), 1.0, fmin((double)key->out[0] / width, 1.0),
                 fmax(1.0 + (double)next->in[0] / width, 0.0));
        put_bend(at + FIELD(CURVE_KEY, y_bend), rise, (double)key->out[1], rise + (double)next->in[1]);
    }
}

void lmb_curves_write(lmb_curves curves, uint32_t *block) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    uint32_t *at = block + curves.at;
    for (uint32_t i = 0; i < curves.count; i++) {
        const lmb_curve_def *curve = &curves.defs[i];
        for (uint32_t k = 0; k < curve->key_count; k++, at += WORDS_OF(CURVE_KEY)) {
            write_key(&curve->keys[k], k + 1 < curve->key_count ? &curve->keys[k + 1] : NULL, at);
        }
    }
    lmb_environment_leave(&callers);
}

void lmb_curve_write(lmb_curve curve, const float control[2], lmb_curves curves, uint32_t *words) {
    words[0] = (uint32_t)curve;
    words[1] = BITS(control[0]);
    words[2] = BITS(control[1]);
    if (curve >= LMB_CURVE_USER) {
        const uint32_t index = (uint32_t)curve - (uint32_t)LMB_CURVE_USER;
        words[0] = CURVE_USER;
        words[1] = curves.at + count_words(curves, index);
        words[2] = curves.defs[index].key_count - 1;
    }
}

const char *lmb_value_curve_fault(lmb_curve curve, const float control[2], uint32_t curve_count) {
    if (curve >= LMB_CURVE_USER) {
        return (uint32_t)curve - (uint32_t)LMB_CURVE_USER < curve_count ? NULL : "the graph has no such curve";
    }
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

const char *lmb_fade_curve_fault(lmb_curve curve, const float control[2], const lmb_graph_def *def) {
    const char *fault = lmb_value_curve_fault(curve, control, def->curve_count);
    if (fault != NULL || curve < LMB_CURVE_USER) {
        return fault;
    }
    const lmb_curve_def *own = &def->curves[(uint32_t)curve - (uint32_t)LMB_CURVE_USER];
    const lmb_curve_key *first = own->keys, *last = first + own->key_count - 1;
    const bool fades = first->x == 0.0f && first->y == 0.0f && last->x == 1.0f && last->y == 1.0f;
    return fades ? NULL : "it does not go from (0, 0) to (1, 1)";
}

// ---- Values.

const char *lmb_value_fault(lmb_value value, uint32_t parameter_count, uint32_t curve_count) {
    if ((unsigned)value.kind >= LMB_VALUE_KIND_COUNT) {
        return "unknown kind of value";
    }
    const char *fault = lmb_value_curve_fault(value.curve, value.control, curve_count);
    if (fault != NULL) {
        return fault;
    }
    if (value.kind == LMB_VALUE_CONSTANT) {
        return fabsf(value.constant) <= LMB_LARGEST ? NULL : "the constant is not a finite number up to 2^40";
    }
    return value.parameter < parameter_count ? NULL : "there is no such parameter";
}

void lmb_value_write(lmb_value value, lmb_curves curves, uint32_t *words) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const float constant = snap(value.constant);
    lmb_environment_leave(&callers);
    words[FIELD(VALUE, parameter)] = lmb_value_reads(value);
    words[FIELD(VALUE, constant)] = BITS(constant);
    lmb_curve_write(value.curve, value.control, curves, words + FIELD(VALUE, curve));
}

// Applies a value's curve with the function that controls use.
static LMB_NOINLINE float shape(const uint32_t *words, float x) {
    return curve_value(words, load_control_value(words, 0), x);
}

float lmb_value_at(lmb_value value, const float *parameters, const lmb_curve_def *curves) {
    uint32_t words[WORDS_OF(VALUE) + MOST_CURVE_KEYS * WORDS_OF(CURVE_KEY)];
    lmb_curves used = {.at = WORDS_OF(VALUE)};
    if (value.curve >= LMB_CURVE_USER) {
        used.defs = curves + ((uint32_t)value.curve - (uint32_t)LMB_CURVE_USER);
        used.count = 1;
        value.curve = LMB_CURVE_USER;
        lmb_curves_write(used, words);
    }
    lmb_value_write(value, used, words);
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

float lmb_computed_at(const lmb_computed_def *computed, const float *parameters, const lmb_curve_def *curves) {
    float inputs[LMB_MAX_COMPUTED_INPUTS] = {0.0f};
    for (uint32_t i = 0; i < lmb_computed_input_count(computed->kind); i++) {
        inputs[i] = lmb_value_at(computed->inputs[i], parameters, curves);
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const float number = compute_snapped(computed->kind, inputs);
    lmb_environment_leave(&callers);
    return number;
}
