// Reads the members of objects by tables of fields.
#include "graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void *fail_without(lmb_graph_reader *reader, void *memory) {
    if (memory == NULL) {
        reader->result = reader->graph->budget.exceeded ? LMB_ERROR_LIMIT : LMB_ERROR_MEMORY;
    }
    return memory;
}

void *lmb_graph_allocate(lmb_graph_reader *reader, lmb_pool *pool, size_t count, size_t size) {
    return fail_without(reader, lmb_pool_allocate(pool, count, size));
}

void *lmb_graph_grow(lmb_graph_reader *reader, lmb_pool *pool, void *array, size_t count, size_t *capacity,
                     size_t size) {
    return fail_without(reader, lmb_pool_grow(pool, array, count, capacity, size));
}

bool lmb_graph_index(lmb_graph_reader *reader, lmb_index *index, uint64_t hash) {
    return lmb_index_add(index, &reader->graph->pool, hash) || fail_without(reader, NULL) != NULL;
}

const char *lmb_graph_text(lmb_graph_reader *reader, lmb_pool *pool, uint32_t value) {
    char *text = lmb_graph_allocate(reader, pool, lmb_json_string_room(&reader->json, value), 1);
    if (text == NULL) {
        return NULL;
    }
    if (lmb_json_string(&reader->json, value, text) != strlen(text)) {
        lmb_graph_report(reader, value, "a name with a zero in it");
        lmb_pool_release(pool, text);
        return NULL;
    }
    return text;
}

uint32_t lmb_graph_find_part(lmb_graph_reader *reader, uint32_t key) {
    const lmb_rig *rig = reader->source->rig;
    const char *name = lmb_graph_text(reader, &reader->scratch, key);
    if (name == NULL) {
        return LMB_NONE;
    }
    uint32_t part = lmb_names_find(reader->joints, lmb_rig_joint_count(rig), name);
    if (part == LMB_NONE) {
        uint32_t channel = lmb_names_find(reader->channels, lmb_rig_channel_count(rig), name);
        part = channel == LMB_NONE ? LMB_NONE : lmb_rig_joint_count(rig) + channel;
    }
    lmb_pool_release(&reader->scratch, (void *)(uintptr_t)name);
    if (part == LMB_NONE) {
        lmb_graph_report(reader, key, "the rig has no joint of this name");
    }
    return part;
}

bool lmb_graph_is_text(const lmb_graph_reader *reader, uint32_t key, const char *name) {
    // The names in question need no escapes, so a string with an escape is a different one.
    size_t length = strlen(name);
    const lmb_json_value *value = &reader->json.values[key];
    return value->end - value->start == length && memcmp(reader->json.text + value->start, name, length) == 0;
}

static void report_unknown(lmb_graph_reader *reader, const lmb_graph_fields *fields, uint32_t key) {
    char names[160] = "";
    size_t length = 0;
    for (size_t i = 0; i < fields->count && length < sizeof names; i++) {
        length +=
            (size_t)snprintf(names + length, sizeof names - length, "%s%s", i == 0 ? "" : ", ", fields->fields[i].name);
    }
    lmb_graph_report(reader, key, "%s has no such field; it has %s", fields->what, length == 0 ? "none" : names);
}

static void read_member(lmb_graph_reader *reader, const lmb_graph_fields *fields, uint32_t key, uint32_t object,
                        uint64_t *seen, void *target) {
    for (size_t i = 0; i < fields->count; i++) {
        if (!lmb_graph_is_text(reader, key, fields->fields[i].name)) {
            continue;
        }
        if (*seen >> i & 1u) {
            lmb_graph_report(reader, key, "given twice");
        } else {
            fields->fields[i].read(reader, &fields->fields[i], key + 1, target);
        }
        *seen |= (uint64_t)1 << i;
        return;
    }
    bool is_pose = fields->selector != NULL;
    if (!is_pose ||
        (!lmb_graph_is_text(reader, key, fields->selector) && !lmb_graph_read_root_field(reader, key, object) &&
         !lmb_graph_find_character_motion(reader, key, object))) {
        report_unknown(reader, fields, key);
    }
}

void lmb_graph_read_fields(lmb_graph_reader *reader, const lmb_graph_fields *fields, uint32_t object, void *target) {
    const lmb_json_value *values = reader->json.values;
    uint64_t seen = 0;
    for (uint32_t key = object + 1; key < values[object].next && reader->result == LMB_OK; key = values[key].next) {
        read_member(reader, fields, key, object, &seen, target);
    }
    for (size_t i = 0; i < fields->count; i++) {
        if (fields->fields[i].required && !(seen >> i & 1u)) {
            lmb_graph_report(reader, object, "%s needs the field \"%s\"", fields->what, fields->fields[i].name);
        }
    }
}

void lmb_graph_read_boolean(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    if (lmb_graph_expect(reader, value, LMB_JSON_BOOLEAN)) {
        *(bool *)((char *)target + field->offset) = lmb_json_boolean(&reader->json, value);
    }
}

// Returns a number in the field's range; NaN, which no text can contain, after an error was reported.
static double read_number(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value) {
    if (!lmb_graph_expect(reader, value, LMB_JSON_NUMBER)) {
        return NAN;
    }
    double number = lmb_json_number(&reader->json, value);
    if (number >= (double)field->min && number <= (double)field->max) {
        return number;
    }
    lmb_graph_report(reader, value, "%g is outside %g to %g", number, (double)field->min, (double)field->max);
    return NAN;
}

void lmb_graph_read_whole(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    double number = read_number(reader, field, value);
    if (isnan(number)) {
        return;
    }
    if (number != floor(number)) {
        lmb_graph_report(reader, value, "%g is no whole number", number);
        return;
    }
    *(uint32_t *)(void *)((char *)target + field->offset) = (uint32_t)number;
}

void lmb_graph_read_plain(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    double number = read_number(reader, field, value);
    if (!isnan(number)) {
        *(float *)(void *)((char *)target + field->offset) = (float)number;
    }
}

void lmb_graph_read_choice(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    if (!lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        return;
    }
    char names[160] = "";
    size_t length = 0;
    for (int i = 0; field->choices[i] != NULL; i++) {
        if (lmb_graph_is_text(reader, value, field->choices[i])) {
            *(int *)(void *)((char *)target + field->offset) = i;
            return;
        }
        if (length < sizeof names) {
            length +=
                (size_t)snprintf(names + length, sizeof names - length, "%s%s", i == 0 ? "" : ", ", field->choices[i]);
        }
    }
    lmb_graph_report(reader, value, "unknown; there are %s", names);
}
