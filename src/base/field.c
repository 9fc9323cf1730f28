// Defaults and checks by tables of fields. A check walks the rows in their order, into structs inside, and names the
// first field that is out of its range by the way to it.
#include "field.h"

#include "float_environment.h"
#include "host.h"
#include "number.h"

#include <limber/graph.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

bool lmb_field_is_inside(const lmb_field *field) {
    return field->kind == LMB_FIELD_INSIDE || field->kind == LMB_FIELD_VALUE || field->kind == LMB_FIELD_POINT;
}

size_t lmb_field_element_size(const lmb_field *field) {
    return lmb_field_is_inside(field)      ? field->inside->size
           : field->kind == LMB_FIELD_BOOL ? sizeof(bool)
                                           : sizeof(uint32_t);
}

const lmb_field *lmb_fields_find(const lmb_fields *fields, size_t offset) {
    for (uint32_t i = 0; i < fields->count; i++) {
        const lmb_field *field = &fields->rows[i];
        const size_t within = offset - field->offset; // of a later field: more than any size
        if (within < field->count * lmb_field_element_size(field)) {
            return field->kind == LMB_FIELD_INSIDE ? lmb_fields_find(field->inside, within % field->inside->size)
                                                   : field;
        }
    }
    return NULL;
}

// ---- Defaults.

static void store_element(const lmb_field *field, uint32_t index, uint8_t *at) {
    const uint32_t last = field->initial_count > 0 ? field->initial_count - 1 : 0;
    const uint8_t *initial = field->initial;
    uint32_t word = 0;
    float number = 0.0f;
    if (initial != NULL) {
        memcpy(&word, initial + (index < last ? index : last) * sizeof word, sizeof word);
        memcpy(&number, &word, sizeof number);
    }
    const bool flag = word != 0;
    const lmb_value value = lmb_constant(number);
    if (field->kind == LMB_FIELD_INSIDE) {
        lmb_fields_default(field->inside, at);
    } else if (lmb_field_is_inside(field)) {
        memcpy(at, &value, sizeof value);
    } else if (field->kind == LMB_FIELD_BOOL) {
        memcpy(at, &flag, sizeof flag);
    } else {
        memcpy(at, &word, sizeof word);
    }
}

void lmb_fields_default(const lmb_fields *fields, void *def) {
    memset(def, 0, fields->size);
    for (uint32_t i = 0; i < fields->count; i++) {
        const lmb_field *field = &fields->rows[i];
        uint8_t *at = (uint8_t *)def + field->offset;
        const uint32_t cookie = LMB_COOKIE;
        const char *empty = field->initial;
        for (uint32_t k = 0; k < field->count; k++) {
            store_element(field, k, at + k * lmb_field_element_size(field));
        }
        if (field->kind == LMB_FIELD_COOKIE) {
            memcpy(at, &cookie, sizeof cookie);
        } else if (field->kind == LMB_FIELD_TEXT) {
            memcpy(at, &empty, sizeof empty);
        }
    }
}

// ---- Checks.

// What is checked, and where its message goes.
typedef struct checker {
    const lmb_field_context *context;
    lmb_field_fault *fault;
} checker;

static bool refuse(const checker *c, const char *why) {
    snprintf(c->fault->why, sizeof c->fault->why, "%s", why);
    return false;
}

// Prints a bound: "0.5", "2^40".
static void print_bound(float bound, char text[16]) {
    int exponent;
    if (frexpf(fabsf(bound), &exponent) == 0.5f && exponent > 17) {
        snprintf(text, 16, "%s2^%d", bound < 0.0f ? "-" : "", exponent - 1);
    } else {
        snprintf(text, 16, "%.6g", (double)bound);
    }
}

static bool check_number(const checker *c, const lmb_field *field, float number) {
    if (number >= field->min && number <= field->max) {
        return true;
    }
    char min[16], max[16], why[sizeof c->fault->why];
    print_bound(field->min, min);
    print_bound(field->max, max);
    if (field->max == INFINITY) {
        snprintf(why, sizeof why, "it is not %s or more", min);
    } else if (field->min == -INFINITY) {
        snprintf(why, sizeof why, "it is not %s or less", max);
    } else if (field->min == -LMB_LARGEST && field->max == LMB_LARGEST) {
        snprintf(why, sizeof why, "it is not a finite number up to %s", max);
    } else {
        snprintf(why, sizeof why, "it is not from %s to %s", min, max);
    }
    return refuse(c, why);
}

static bool check_count(const checker *c, const lmb_field *field, uint32_t count) {
    char why[sizeof c->fault->why];
    snprintf(why, sizeof why, "it is not from 1 to %u", (unsigned)field->most);
    return (count > 0 && count <= field->most) || refuse(c, why);
}

static bool check_axis(const checker *c, const float axis[3]) {
    const double x = (double)axis[0], y = (double)axis[1], z = (double)axis[2];
    const double length = sqrt(x * x + y * y + z * z);
    return (length > 0.0 && length <= (double)LMB_LARGEST) || refuse(c, "it is 0, or not a finite number up to 2^40");
}

static bool check_value(const checker *c, const uint8_t *at) {
    lmb_value value;
    memcpy(&value, at, sizeof value);
    const char *why = lmb_value_fault(value, c->context->parameter_count, c->context->curve_count);
    return why == NULL || refuse(c, why);
}

static bool check_element(const checker *c, const lmb_field *field, const uint8_t *at) {
    uint32_t word;
    float axis[3];
    memcpy(&word, at, sizeof word);
    memcpy(axis, at, field->kind == LMB_FIELD_AXIS ? sizeof axis : sizeof axis[0]);
    switch (field->kind) {
    case LMB_FIELD_JOINT:
        return word < c->context->joint_count || refuse(c, "the rig has no such joint");
    case LMB_FIELD_INDEX:
        return word == LMB_NONE || word < field->most || refuse(c, field->why);
    case LMB_FIELD_EVENT:
        return word == LMB_NONE || word < c->context->event_count || refuse(c, "there is no such event");
    case LMB_FIELD_COUNT:
        return check_count(c, field, word);
    case LMB_FIELD_CHOICE:
        return word < field->most || refuse(c, "unknown");
    case LMB_FIELD_NUMBER:
        return check_number(c, field, axis[0]);
    case LMB_FIELD_AXIS:
        return check_axis(c, axis);
    default:
        return check_value(c, at);
    }
}

// Checks a point: its values, or its place in the buffer of points.
static bool check_slot(const checker *c, const lmb_field *field, const uint8_t *def, bool *in_buffer) {
    lmb_point_slot slot;
    memcpy(&slot, def + field->slot, sizeof slot);
    *in_buffer = slot.in_buffer;
    return !slot.in_buffer || slot.index < LMB_MAX_POINTS ||
           refuse(c, "the buffer of points has at most 64 for each character");
}

static bool has_range(const lmb_field *field) {
    return (field->kind >= LMB_FIELD_JOINT && field->kind <= LMB_FIELD_AXIS) || lmb_field_is_inside(field);
}

// Returns how many elements of a field are checked one by one.
static uint32_t checked_count(const lmb_field *field, const uint8_t *def) {
    uint32_t count = field->kind == LMB_FIELD_AXIS ? 1 : has_range(field) ? field->count : 0;
    uint32_t used = count;
    memcpy(&used, def + field->used, field->is_counted ? sizeof used : 0);
    return used < count ? used : count;
}

// Writes the name of an element after that of what it is inside.
static void print_name(const lmb_field *field, uint32_t index, const char *outer, char name[64]) {
    if (field->is_counted || (lmb_field_is_inside(field) && field->count > 1)) {
        snprintf(name, 64, "%s%s[%u]", outer, field->name, (unsigned)index);
    } else {
        snprintf(name, 64, "%s%s", outer, field->name);
    }
}

static bool check_fields(const checker *c, const lmb_fields *fields, const uint8_t *def, const char *outer,
                         bool counts);

static bool check_field(const checker *c, const lmb_field *field, const uint8_t *def, const char *outer) {
    bool in_buffer = false;
    snprintf(c->fault->field, sizeof c->fault->field, "%s%s", outer, field->name);
    if (field->kind == LMB_FIELD_POINT && !check_slot(c, field, def, &in_buffer)) {
        return false;
    }
    bool valid = true;
    const uint32_t count = in_buffer ? 0 : checked_count(field, def);
    for (uint32_t i = 0; i < count && valid; i++) {
        const uint8_t *at = def + field->offset + i * lmb_field_element_size(field);
        char name[sizeof c->fault->field];
        print_name(field, i, outer, name);
        memcpy(c->fault->field, name, sizeof name);
        if (field->kind == LMB_FIELD_INSIDE) {
            strncat(name, ".", sizeof name - strlen(name) - 1);
            valid = check_fields(c, field->inside, at, name, true) && check_fields(c, field->inside, at, name, false);
        } else {
            valid = check_element(c, field, at);
        }
    }
    return valid;
}

// Checks either the numbers of elements or all other fields: the others rely on the numbers.
static bool check_fields(const checker *c, const lmb_fields *fields, const uint8_t *def, const char *outer,
                         bool counts) {
    bool valid = true;
    for (uint32_t i = 0; i < fields->count && valid; i++) {
        valid = (fields->rows[i].kind == LMB_FIELD_COUNT) != counts || check_field(c, &fields->rows[i], def, outer);
    }
    return valid;
}

bool lmb_fields_check(const lmb_fields *fields, const void *def, const lmb_field_context *context,
                      lmb_field_fault *fault) {
    const checker c = {context, fault};
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const bool valid = check_fields(&c, fields, def, "", true) && check_fields(&c, fields, def, "", false);
    lmb_environment_leave(&callers);
    return valid;
}
