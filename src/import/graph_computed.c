// Values that the host does not write to a character's parameters: weights of fades, and values computed from others.
#include "graph.h"

#include "../number.h"

#include <math.h>
#include <string.h>

// ---- Weights of fades, which may be defined later in the text.

static lmb_graph_named *find_fade(lmb_graph_reader *reader, const char *name) {
    lmb_graph_json *graph = reader->graph;
    uint32_t i = 0;
    while (i < graph->fade_name_count && strcmp(graph->fade_names[i].name, name) != 0) {
        i++;
    }
    return i < graph->fade_name_count ? &graph->fade_names[i] : NULL;
}

static uint32_t add_weight(lmb_graph_reader *reader, const char *name, float initial, uint32_t value) {
    const uint32_t parameter = lmb_graph_add_written(reader, name, "in", initial, 1.0f, value);
    if (parameter < reader->graph->def.parameter_count) {
        reader->graph->parameters[parameter].is_late = true;
    }
    return parameter;
}

static lmb_graph_named *add_fade(lmb_graph_reader *reader, const char *name, float initial, uint32_t value) {
    lmb_graph_json *graph = reader->graph;
    lmb_graph_named *fades = lmb_graph_grow(reader, &graph->pool, graph->fade_names, graph->fade_name_count,
                                            &graph->fade_name_capacity, sizeof *fades);
    if (fades == NULL) {
        return NULL;
    }
    graph->fade_names = fades;
    lmb_graph_named *added = &fades[graph->fade_name_count++];
    *added =
        (lmb_graph_named){.name = name, .parameter = add_weight(reader, name, initial, value), .used_at = LMB_NONE};
    return added;
}

uint32_t lmb_graph_name_fade(lmb_graph_reader *reader, const char *name, float initial, uint32_t value) {
    lmb_graph_json *graph = reader->graph;
    lmb_graph_named *fade = find_fade(reader, name);
    fade = fade == NULL ? add_fade(reader, name, initial, value) : fade;
    if (fade == NULL || fade->count++ > 0) {
        return add_weight(reader, name, initial, value);
    }
    if (fade->parameter < graph->def.parameter_count) {
        graph->parameters[fade->parameter].initial.value = initial;
    }
    return fade->parameter;
}

static void read_fade_name(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    const char *name = lmb_graph_read_name(reader, value);
    if (name == NULL || name[0] == '\0') {
        return;
    }
    lmb_graph_named *fade = find_fade(reader, name);
    fade = fade == NULL ? add_fade(reader, name, 0.0f, value) : fade;
    if (fade != NULL) {
        fade->used_at = fade->used_at == LMB_NONE ? value : fade->used_at;
        *(uint32_t *)target = fade->parameter;
    }
}

// {"fade": "NAME"}.
static const lmb_graph_field fade_members[] = {{.name = "fade", .required = true, .read = read_fade_name}};
static const lmb_graph_fields fade_fields = {"a fade's weight", fade_members, 1, NULL};

static void check_fades(lmb_graph_reader *reader) {
    for (uint32_t i = 0; i < reader->graph->fade_name_count; i++) {
        const lmb_graph_named *fade = &reader->graph->fade_names[i];
        if (fade->used_at != LMB_NONE && fade->count != 1) {
            lmb_graph_report(reader, fade->used_at,
                             fade->count == 0 ? "there is no fade of this name" : "several fades have this name");
        }
    }
}

void lmb_graph_expect_early(lmb_graph_reader *reader, uint32_t value, lmb_value read) {
    const uint32_t parameter = lmb_value_reads(read);
    if (parameter < reader->graph->def.parameter_count && reader->graph->parameters[parameter].is_late) {
        lmb_graph_report(reader, value, "a fade's weight is known only after transitions are taken and rates are read");
    }
}

// ---- Computed values.

enum { MOST_DEPTH = 8 };

static const char *const computed_names[LMB_COMPUTED_COUNT] = {
    [LMB_COMPUTED_ADD] = "add",    [LMB_COMPUTED_SUBTRACT] = "subtract", [LMB_COMPUTED_MULTIPLY] = "multiply",
    [LMB_COMPUTED_MIN] = "min",    [LMB_COMPUTED_MAX] = "max",           [LMB_COMPUTED_CLAMP] = "clamp",
    [LMB_COMPUTED_REMAP] = "remap"};

// Returns LMB_COMPUTED_COUNT for any other object. "min" and "max" are also members of a parameter, so the object must
// have just one member.
static lmb_computed_kind find_computed(const lmb_graph_reader *reader, uint32_t value) {
    int kind = reader->json.values[value].count == 1 ? 0 : LMB_COMPUTED_COUNT;
    while (kind < LMB_COMPUTED_COUNT && !lmb_graph_is_text(reader, value + 1, computed_names[kind])) {
        kind++;
    }
    return (lmb_computed_kind)kind;
}

static bool read_inputs(lmb_graph_reader *reader, uint32_t list, lmb_computed_def *computed) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t count = lmb_computed_input_count(computed->kind), problems = reader->problem_count;
    if (!lmb_graph_expect(reader, list, LMB_JSON_ARRAY)) {
        return false;
    }
    if (reader->depth == MOST_DEPTH) {
        lmb_graph_report(reader, list, "more than %u nested computed numbers", (unsigned)MOST_DEPTH);
        return false;
    }
    if (values[list].count != count) {
        lmb_graph_report(reader, list, "%u numbers, where %u were expected", (unsigned)values[list].count,
                         (unsigned)count);
        return false;
    }
    lmb_graph_field input = {.min = -LMB_LARGEST, .max = LMB_LARGEST, .parameter_max = 1.0f};
    reader->depth++;
    for (uint32_t at = list + 1; at < values[list].next && reader->result == LMB_OK; at = values[at].next) {
        lmb_graph_read_value(reader, &input, at, computed->inputs);
        input.offset += sizeof(lmb_value);
    }
    reader->depth--;
    return reader->problem_count == problems && reader->result == LMB_OK;
}

// A computed value without parameters is a constant.
static lmb_value evaluate_constant(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value,
                                   const lmb_computed_def *computed) {
    const float number = lmb_computed_at(computed, NULL);
    if (!(number >= field->min && number <= field->max)) {
        lmb_graph_report(reader, value, "its value is %g, outside %g to %g", (double)number, (double)field->min,
                         (double)field->max);
    }
    return lmb_constant(number);
}

static lmb_value add_computed(lmb_graph_reader *reader, const lmb_computed_def *computed, bool is_late,
                              uint32_t value) {
    lmb_graph_json *graph = reader->graph;
    const uint32_t count = graph->def.computed_count;
    lmb_computed_def *all =
        lmb_graph_grow(reader, &graph->pool, graph->computed, count, &graph->computed_capacity, sizeof *all);
    if (all == NULL) {
        return lmb_constant(0.0f);
    }
    graph->computed = all;
    const uint32_t parameter =
        lmb_graph_add_written(reader, computed_names[computed->kind], "result", 0.0f, 1.0f, value);
    if (parameter >= graph->def.parameter_count || reader->is_full) {
        return lmb_constant(0.0f);
    }
    all[count] = *computed;
    all[count].parameter = parameter;
    graph->def.computed_count++;
    graph->parameters[parameter].is_computed = true;
    graph->parameters[parameter].is_late = is_late;
    return lmb_parameter(parameter);
}

bool lmb_graph_is_computed(const lmb_graph_reader *reader, uint32_t value) {
    bool twice;
    return find_computed(reader, value) != LMB_COMPUTED_COUNT ||
           lmb_json_member(&reader->json, value, "fade", &twice) != LMB_NONE;
}

lmb_value lmb_graph_read_computed(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value) {
    const lmb_graph_json *graph = reader->graph;
    lmb_computed_def computed = lmb_default_computed_def();
    computed.kind = find_computed(reader, value);
    if (computed.kind == LMB_COMPUTED_COUNT) {
        uint32_t parameter = LMB_NONE;
        lmb_graph_read_fields(reader, &fade_fields, value, &parameter);
        return parameter == LMB_NONE ? lmb_constant(0.0f) : lmb_parameter(parameter);
    }
    if (!read_inputs(reader, value + 2, &computed)) {
        return lmb_constant(0.0f);
    }
    bool is_constant = true, is_late = false;
    for (uint32_t i = 0; i < LMB_MAX_COMPUTED_INPUTS; i++) {
        const uint32_t parameter = lmb_value_reads(computed.inputs[i]);
        is_constant = is_constant && parameter == LMB_NONE;
        is_late = is_late || (parameter < graph->def.parameter_count && graph->parameters[parameter].is_late);
    }
    return is_constant ? evaluate_constant(reader, field, value, &computed)
                       : add_computed(reader, &computed, is_late, value);
}

// The default of a computed parameter is its value for the defaults of the parameters that it reads.
static void find_defaults(lmb_graph_reader *reader) {
    lmb_graph_json *graph = reader->graph;
    if (graph->def.computed_count == 0) {
        return;
    }
    float *row = lmb_graph_allocate(reader, &reader->scratch, graph->def.parameter_count, sizeof *row);
    if (row == NULL) {
        return;
    }
    for (uint32_t i = 0; i < graph->def.parameter_count; i++) {
        row[i] = graph->parameters[i].initial.value;
    }
    for (uint32_t i = 0; i < graph->def.computed_count; i++) {
        const float number = lmb_computed_at(&graph->computed[i], row);
        lmb_graph_declared *parameter = &graph->parameters[graph->computed[i].parameter];
        row[graph->computed[i].parameter] = parameter->initial.value = number;
        parameter->min.value = fminf(number, 0.0f);
        parameter->max.value = fmaxf(number, 1.0f);
    }
}

void lmb_graph_finish_computed(lmb_graph_reader *reader) {
    check_fades(reader);
    if (!reader->is_full && reader->result == LMB_OK) {
        find_defaults(reader);
    }
}
