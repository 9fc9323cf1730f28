// Reads values: constants, parameters, smoothed parameters, values with curves, weights of fades and computed values.
#include "graph.h"
#include "write.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Parameters.

static void read_name(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    *(const char **)(void *)((char *)target + field->offset) =
        lmb_graph_read_name(reader, value, "a parameter without a name");
}

static const lmb_graph_kind kind_parameter_name = {read_name, "{'type':'string','minLength':1}", NULL};

static void read_stated(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_stated *stated = (lmb_graph_stated *)(void *)((char *)target + field->offset);
    uint32_t problems = reader->problem_count;
    lmb_graph_read_plain(reader, field, value, target);
    stated->at = reader->problem_count == problems ? value : LMB_NONE;
}

static const lmb_graph_kind kind_stated = {read_stated, "{'type':'number',$range}", NULL};

// One use of a parameter.
typedef struct parameter_use {
    lmb_graph_declared declared;
    lmb_smoothed_def smoothed; // its half-life and speed
} parameter_use;

#define STATED(key, member, text)                                                                                      \
    {                                                                                                                  \
        .name = key, .about = text, .kind = &kind_stated, .offset = offsetof(parameter_use, declared.member),          \
        LMB_ANY_NUMBER                                                                                                 \
    }

static const lmb_graph_field parameter_members[] = {
    {.name = "param",
     .about = "The name of the parameter.",
     .required = true,
     .kind = &kind_parameter_name,
     .offset = offsetof(parameter_use, declared.name)},
    STATED("default", initial, "Its value before the host sets it."),
    STATED("min", min, "The lowest value that makes sense."),
    STATED("max", max, "The largest value that makes sense."),
    LMB_SECONDS_FIELD("smooth", offsetof(parameter_use, smoothed.half_life),
                      "A half-life in seconds with which the value follows the parameter."),
    {.name = "smooth-speed",
     .about = "The change in a second with which the value follows the parameter, in place of a half-life.",
     .kind = &lmb_kind_number,
     .offset = offsetof(parameter_use, smoothed.speed),
     .min = 1e-6f}, // 0 is none
};
static const lmb_graph_fields parameter_fields = {
    LMB_FIELDS_OF(smoothed, offsetof(parameter_use, smoothed), "a parameter", parameter_members)};

// A parameter where it is declared: without a use, and so not smoothed.
static const lmb_graph_fields declared_fields = {.what = "a parameter",
                                                 .fields = parameter_members,
                                                 .count = sizeof parameter_members / sizeof *parameter_members - 2};

void lmb_graph_read_parameters(lmb_graph_reader *reader, uint32_t value) {
    static const lmb_graph_field any = {.parameter_max = 1.0f};
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY)) {
        return;
    }
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
        parameter_use use = {.declared = {.initial.at = LMB_NONE, .min.at = LMB_NONE, .max.at = LMB_NONE}};
        const uint32_t count = reader->graph->def.parameter_count;
        if (lmb_graph_expect(reader, at, LMB_JSON_OBJECT)) {
            lmb_graph_read_fields(reader, &declared_fields, at, &use);
        }
        if (use.declared.name != NULL) {
            lmb_graph_use_parameter(reader, &use.declared, &any, at);
        }
        if (use.declared.name != NULL && reader->graph->def.parameter_count == count && !reader->is_full) {
            lmb_graph_report(reader, at, "another parameter has this name");
        }
    }
}

static void join(lmb_graph_reader *reader, lmb_graph_stated *known, const lmb_graph_stated *use) {
    if (use->at == LMB_NONE) {
        return;
    }
    if (known->at == LMB_NONE) {
        *known = *use;
    } else if (known->value != use->value) {
        lmb_graph_report(reader, use->at, "%g, but another use of this parameter says %g", (double)use->value,
                         (double)known->value);
    }
}

// Returns the parameter of that name that the control does not write, or LMB_NONE.
static uint32_t find_declared(const lmb_graph_json *graph, const char *name) {
    uint32_t i = lmb_index_first(&graph->parameter_index, lmb_index_hash_text(name));
    while (i != LMB_NONE && (graph->parameters[i].is_written || strcmp(graph->parameters[i].name, name) != 0)) {
        i = lmb_index_next(&graph->parameter_index, i);
    }
    return i;
}

static uint32_t add_parameter(lmb_graph_reader *reader, const char *name, const lmb_graph_field *field,
                              uint32_t value) {
    lmb_graph_json *graph = reader->graph;
    if (graph->def.parameter_count == LMB_MAX_PARAMETERS) {
        if (!reader->is_full) {
            lmb_graph_report(reader, value, "more than %u parameters", LMB_MAX_PARAMETERS);
        }
        reader->is_full = true;
        return 0;
    }
    const uint32_t index = graph->def.parameter_count;
    const lmb_graph_declared added = {.name = name,
                                      .initial = {field->initial, LMB_NONE},
                                      .min = {field->parameter_min, LMB_NONE},
                                      .max = {field->parameter_max, LMB_NONE}};
    if (!lmb_graph_append(reader, &graph->pool, &graph->parameters, &graph->def.parameter_count, &added,
                          sizeof added)) {
        return 0;
    }
    return lmb_graph_index(reader, &graph->parameter_index, lmb_index_hash_text(name)) ? index : 0;
}

uint32_t lmb_graph_add_written(lmb_graph_reader *reader, const char *owner, const char *what, float initial, float max,
                               uint32_t value) {
    size_t size = strlen(owner) + strlen(what) + 2;
    char *name = lmb_graph_allocate(reader, &reader->graph->pool, size, 1);
    if (name == NULL) {
        return 0;
    }
    snprintf(name, size, "%s.%s", owner, what);
    const lmb_graph_field field = {.initial = initial, .parameter_max = max};
    uint32_t count = reader->graph->def.parameter_count;
    uint32_t index = add_parameter(reader, name, &field, value);
    if (reader->graph->def.parameter_count > count) {
        reader->graph->parameters[index].is_written = true;
    }
    return index;
}

uint32_t lmb_graph_write_parameter(lmb_graph_reader *reader, const char *name, const lmb_graph_field *field,
                                   uint32_t value) {
    lmb_graph_json *graph = reader->graph;
    uint32_t count = graph->def.parameter_count;
    uint32_t index = find_declared(graph, name);
    if (index == LMB_NONE) {
        index = add_parameter(reader, name, field, value);
    }
    bool is_there = index < count || graph->def.parameter_count > count;
    if (is_there) {
        graph->parameters[index].is_written = true;
    }
    return is_there ? index : LMB_NONE;
}

// Returns a smoothed parameter that follows `source`: an existing one that does so alike, or a new one.
static uint32_t follow(lmb_graph_reader *reader, uint32_t source, const lmb_smoothed_def *like, uint32_t value) {
    lmb_graph_json *graph = reader->graph;
    uint32_t count = graph->def.smoothed_count;
    for (uint32_t i = 0; i < count; i++) {
        const lmb_smoothed_def *known = &graph->def.smoothed[i];
        if (known->source.parameter == source && known->half_life == like->half_life && known->speed == like->speed) {
            return graph->def.smoothed[i].parameter;
        }
    }
    if (source >= graph->def.parameter_count) {
        return 0;
    }
    // The default and range become those of the source after they are completed.
    const uint32_t parameter =
        lmb_graph_add_written(reader, graph->parameters[source].name, "smooth", 0.0f, 1.0f, value);
    lmb_smoothed_def added = lmb_smoothed_parameter(lmb_parameter(source), like->half_life, parameter);
    added.speed = like->speed;
    return lmb_graph_append(reader, &graph->pool, &graph->def.smoothed, &graph->def.smoothed_count, &added,
                            sizeof added)
               ? parameter
               : 0;
}

lmb_value lmb_graph_use_parameter(lmb_graph_reader *reader, const lmb_graph_declared *use, const lmb_graph_field *field,
                                  uint32_t value) {
    lmb_graph_json *graph = reader->graph;
    uint32_t index = find_declared(graph, use->name);
    if (index == LMB_NONE) {
        index = add_parameter(reader, use->name, field, value);
    }
    if (index < graph->def.parameter_count) {
        lmb_graph_declared *known = &graph->parameters[index];
        join(reader, &known->initial, &use->initial);
        join(reader, &known->min, &use->min);
        join(reader, &known->max, &use->max);
    }
    return lmb_parameter(index);
}

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
    const lmb_graph_named fade = {
        .name = name, .parameter = add_weight(reader, name, initial, value), .used_at = LMB_NONE};
    return lmb_graph_append(reader, &graph->pool, &graph->fade_names, &graph->fade_name_count, &fade, sizeof fade)
               ? &graph->fade_names[graph->fade_name_count - 1]
               : NULL;
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
    const char *name = lmb_graph_read_name(reader, value, LMB_EMPTY_NAME);
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

static const lmb_graph_kind kind_fade_name = {read_fade_name, "{'type':'string','minLength':1}", NULL};

// {"fade": "NAME"}.
static const lmb_graph_field fade_members[] = {
    {.name = "fade", .about = "The name of the fade.", .required = true, .kind = &kind_fade_name}};
static const lmb_graph_fields fade_fields = {LMB_FIELDS("a fade's weight", fade_members)};

void lmb_graph_expect_early(lmb_graph_reader *reader, uint32_t value, lmb_value read) {
    const uint32_t parameter = lmb_value_reads(read);
    if (parameter < reader->graph->def.parameter_count && reader->graph->parameters[parameter].is_late) {
        lmb_graph_report(reader, value, "a fade's weight is known only after transitions are taken and rates are read");
    }
}

// ---- Computed values.

enum { MOST_DEPTH = 8 };

static void read_inputs(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t list, void *target);
static const lmb_graph_kind kind_inputs = {
    read_inputs,
    "{'type':'array','items':{'anyOf':[{'type':'number',$range},@value]},'minItems':$count,'maxItems':$count}", NULL};

#define COMPUTED(kind_index, key, inputs)                                                                              \
    [kind_index] = {.name = key, .kind = &kind_inputs, .count = inputs, LMB_ANY_NUMBER, .parameter_max = 1.0f}
static const lmb_graph_field computed_members[LMB_COMPUTED_COUNT] = {
    COMPUTED(LMB_COMPUTED_ADD, "add", 2),           COMPUTED(LMB_COMPUTED_SUBTRACT, "subtract", 2),
    COMPUTED(LMB_COMPUTED_MULTIPLY, "multiply", 2), COMPUTED(LMB_COMPUTED_MIN, "min", 2),
    COMPUTED(LMB_COMPUTED_MAX, "max", 2),           COMPUTED(LMB_COMPUTED_CLAMP, "clamp", 3),
    COMPUTED(LMB_COMPUTED_REMAP, "remap", 5),
};
static const lmb_graph_fields computed_fields = {LMB_FIELDS("a computed value", computed_members),
                                                 .also = "'minProperties':1,'maxProperties':1"};

// Returns LMB_COMPUTED_COUNT for any other object. "min" and "max" are also members of a parameter, so the object must
// have just one member.
static lmb_computed_kind find_computed(const lmb_graph_reader *reader, uint32_t value) {
    int kind = reader->json.values[value].count == 1 ? 0 : LMB_COMPUTED_COUNT;
    while (kind < LMB_COMPUTED_COUNT && !lmb_graph_is_text(reader, value + 1, computed_members[kind].name)) {
        kind++;
    }
    return (lmb_computed_kind)kind;
}

static void read_inputs(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t list, void *target) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, list, LMB_JSON_ARRAY)) {
        return;
    }
    if (reader->depth == MOST_DEPTH) {
        lmb_graph_report(reader, list, "more than %u nested computed numbers", (unsigned)MOST_DEPTH);
        return;
    }
    if (!lmb_graph_expect_count(reader, list, field->count, field->count, "numbers")) {
        return;
    }
    lmb_graph_field input = *field;
    input.offset = offsetof(lmb_computed_def, inputs);
    reader->depth++;
    for (uint32_t at = list + 1; at < values[list].next && reader->result == LMB_OK; at = values[at].next) {
        lmb_graph_read_value(reader, &input, at, target);
        input.offset += sizeof(lmb_value);
    }
    reader->depth--;
}

// A computed value without parameters is a constant.
static lmb_value evaluate_constant(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value,
                                   const lmb_computed_def *computed) {
    const float number = lmb_computed_at(computed, NULL, reader->graph->def.curves);
    if (!(number >= field->min && number <= field->max)) {
        lmb_graph_report(reader, value, "its value is %g, outside %g to %g", (double)number, (double)field->min,
                         (double)field->max);
    }
    return lmb_constant(number);
}

static lmb_value add_computed(lmb_graph_reader *reader, const lmb_computed_def *computed, bool is_late,
                              uint32_t value) {
    lmb_graph_json *graph = reader->graph;
    const uint32_t parameter =
        lmb_graph_add_written(reader, computed_members[computed->kind].name, "result", 0.0f, 1.0f, value);
    if (parameter >= graph->def.parameter_count || reader->is_full) {
        return lmb_constant(0.0f);
    }
    lmb_computed_def added = *computed;
    added.parameter = parameter;
    if (!lmb_graph_append(reader, &graph->pool, &graph->def.computed, &graph->def.computed_count, &added,
                          sizeof added)) {
        return lmb_constant(0.0f);
    }
    graph->parameters[parameter].is_computed = true;
    graph->parameters[parameter].is_late = is_late;
    return lmb_parameter(parameter);
}

static bool is_computed(const lmb_graph_reader *reader, uint32_t value) {
    return find_computed(reader, value) != LMB_COMPUTED_COUNT ||
           lmb_graph_find_member(reader, value, "fade") != LMB_NONE;
}

// Checks the numbers of a range. Returns false if it is none.
static bool check_range(lmb_graph_reader *reader, const lmb_computed_def *computed, uint32_t list) {
    const lmb_value low = computed->inputs[1], high = computed->inputs[2];
    const bool are_plain = low.kind == LMB_VALUE_CONSTANT && high.kind == LMB_VALUE_CONSTANT &&
                           low.curve == LMB_CURVE_LINEAR && high.curve == LMB_CURVE_LINEAR;
    if (are_plain && computed->kind == LMB_COMPUTED_CLAMP && low.constant > high.constant) {
        lmb_graph_report(reader, list, "from %g to %g is no range: the lower end comes first", (double)low.constant,
                         (double)high.constant);
        return false;
    }
    if (are_plain && computed->kind == LMB_COMPUTED_REMAP && low.constant == high.constant) {
        lmb_graph_warn(reader, list, "from %g to %g is no range, so it is a step there", (double)low.constant,
                       (double)high.constant);
    }
    return true;
}

static lmb_value read_computed(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value) {
    const lmb_graph_json *graph = reader->graph;
    lmb_computed_def computed = lmb_default_computed_def();
    computed.kind = find_computed(reader, value);
    if (computed.kind == LMB_COMPUTED_COUNT) {
        uint32_t parameter = LMB_NONE;
        lmb_graph_read_fields(reader, &fade_fields, value, &parameter);
        return parameter == LMB_NONE ? lmb_constant(0.0f) : lmb_parameter(parameter);
    }
    const uint32_t problems = reader->problem_count;
    read_inputs(reader, &computed_members[computed.kind], value + 2, &computed);
    if (reader->problem_count > problems || reader->result != LMB_OK || !check_range(reader, &computed, value + 2)) {
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

// ---- Values.

// A curve that contains a value.
typedef struct curved {
    lmb_value shape;
    lmb_value value;
    const lmb_graph_field *field; // of the value inside
} curved;

static void read_number(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target,
                        bool is_inside);

static void read_inside(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    curved *outside = target;
    read_number(reader, outside->field, value, &outside->value, true);
}

static const lmb_graph_kind kind_inside = {
    read_inside, "{'anyOf':[{'type':'number',$range},@parameter,@computed,@fade-weight]}", NULL};

static const lmb_graph_field curve_members[] = {
    {.name = "curve", .required = true, .kind = &lmb_kind_later, .schema = "@curve"},
    {.name = "of", .about = "What the curve is applied to.", .required = true, .kind = &kind_inside, LMB_ANY_NUMBER},
};
static const lmb_graph_fields curve_fields = {LMB_FIELDS("a curve", curve_members)};

static void set_curve(lmb_graph_reader *reader, lmb_value *shaped, const lmb_value *shape, uint32_t value) {
    if (shape->curve == LMB_CURVE_LINEAR) {
        return;
    }
    if (shaped->curve != LMB_CURVE_LINEAR) {
        lmb_graph_report(reader, value, "a second curve of one number");
    }
    shaped->curve = shape->curve;
    memcpy(shaped->control, shape->control, sizeof shaped->control);
}

void lmb_graph_set_value(lmb_value *result, lmb_value value) {
    result->kind = value.kind;
    result->constant = value.constant;
    result->parameter = value.parameter;
}

// A curve clamps its input to 0 to 1, and one of the graph's own to its keys. There a number may be outside, too.
static void read_curved(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, lmb_value *result) {
    static const lmb_graph_field whole = {.offset = 0};
    curved read = {.shape = lmb_constant(0.0f), .value = *result};
    lmb_kind_shape.read(reader, &whole, lmb_graph_find_member(reader, value, "curve"), &read.shape);
    const lmb_graph_range range = lmb_graph_curve_range(&reader->graph->def, read.shape.curve);
    const bool is_own = read.shape.curve >= LMB_CURVE_USER;
    const lmb_graph_field inside = {.min = is_own ? -LMB_LARGEST : range.min,
                                    .max = is_own ? LMB_LARGEST : range.max,
                                    .initial = fminf(fmaxf(field->initial, range.min), range.max),
                                    .parameter_min = range.min,
                                    .parameter_max = range.max};
    read.field = &inside;
    lmb_graph_read_fields(reader, &curve_fields, value, &read);
    lmb_graph_set_value(result, read.value);
    set_curve(reader, result, &read.shape, value);
}

static void read_parameter(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, lmb_value *result) {
    parameter_use use = {.declared = {.initial.at = LMB_NONE, .min.at = LMB_NONE, .max.at = LMB_NONE}};
    lmb_graph_read_fields(reader, &parameter_fields, value, &use);
    if (use.declared.name == NULL) {
        return;
    }
    const lmb_graph_stated *stated[] = {&use.declared.initial, &use.declared.min, &use.declared.max};
    for (int i = 0; i < 3 && field->turns > 0.0f; i++) {
        if (stated[i]->at != LMB_NONE) {
            lmb_graph_check_angle(reader, stated[i]->at, (double)stated[i]->value, i == 0 ? field->turns : 2.0f);
        }
    }
    lmb_value used = lmb_graph_use_parameter(reader, &use.declared, field, value);
    if (field->min == 0.0f && field->max == 1.0f && used.parameter < reader->graph->def.parameter_count) {
        lmb_graph_declared *known = &reader->graph->parameters[used.parameter];
        known->share_at = known->share_at == 0 ? value : known->share_at;
    }
    if (use.smoothed.half_life > 0.0f || use.smoothed.speed > 0.0f) {
        used.parameter = follow(reader, used.parameter, &use.smoothed, value);
    }
    lmb_graph_set_value(result, used);
}

// Says how a parameter is written, if a value may be the name of one.
static void report_no_number(lmb_graph_reader *reader, uint32_t value) {
    const lmb_json_value *at = &reader->json.values[value];
    const char first = at->type == LMB_JSON_STRING && at->end > at->start ? reader->json.text[at->start] : '0';
    const bool is_name = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
    const char *name = is_name ? lmb_graph_text(reader, &reader->scratch, value) : NULL;
    lmb_graph_report(reader, value, "%s, where a number was expected, a parameter or a curve%s%.40s%s",
                     lmb_json_type_name(at->type), name != NULL ? ": a parameter is {\"param\": \"" : "",
                     name != NULL ? name : "", name != NULL ? "\"}" : "");
}

static void read_number(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target,
                        bool is_inside) {
    lmb_value *result = (lmb_value *)(void *)((char *)target + field->offset);
    lmb_json_type type = reader->json.values[value].type;
    if (type == LMB_JSON_NUMBER) {
        lmb_graph_field constant = *field;
        constant.offset += offsetof(lmb_value, constant);
        lmb_graph_read_plain(reader, &constant, value, target);
        result->kind = LMB_VALUE_CONSTANT;
        result->parameter = 0;
    } else if (type == LMB_JSON_STRING && lmb_graph_is_text(reader, value, "random")) {
        lmb_graph_report(reader, value, "\"random\" is the \"offset\" of a clip that plays: write it inside \"play\"");
    } else if (type != LMB_JSON_OBJECT) {
        report_no_number(reader, value);
    } else if (lmb_graph_refuse_argument(reader, value)) {
        return;
    } else if (lmb_graph_is_fade(reader, value)) {
        lmb_graph_report(
            reader, value,
            "a fade is the weight of a pose, and in no curve: \"blend\" with it, and with a pose of \"define\" in both "
            "inputs; or {\"param\": NAME, \"smooth\": SECONDS}");
    } else if (lmb_graph_find_member(reader, value, "use") != LMB_NONE) {
        lmb_graph_report(reader, value, "\"define\" has poses and no values: state the value here");
    } else if (is_computed(reader, value)) {
        lmb_graph_set_value(result, read_computed(reader, field, value));
    } else if (lmb_graph_find_member(reader, value, "curve") == LMB_NONE) {
        read_parameter(reader, field, value, result);
    } else if (is_inside) {
        lmb_graph_report(reader, value, "a curve inside a curve");
    } else {
        read_curved(reader, field, value, result);
    }
}

void lmb_graph_read_value(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    read_number(reader, field, value, target, false);
}

const lmb_graph_kind lmb_kind_value = {lmb_graph_read_value, "{'anyOf':[{'type':'number',$range},@value]}",
                                       lmb_graph_write_value};

const lmb_graph_definition lmb_graph_value_definitions[] = {
    {"value", "A parameter, a curve, a computed value, or the weight of a fade.",
     "{'anyOf':[@parameter,@curved,@computed,@fade-weight]}", NULL},
    {"early-value", "A parameter, a curve or a computed value.", "{'anyOf':[@parameter,@curved,@computed]}", NULL},
    {"parameter", "A parameter, which the host sets for each character.", "$inside", &parameter_fields},
    {"declared-parameter", "A parameter, which keeps its place among the parameters.", "$inside", &declared_fields},
    {"curved", "A curve, applied to a value, which is clamped to its range.", "$inside", &curve_fields},
    {"computed", "A value computed from others.", "$inside", &computed_fields},
    {"fade-weight", "The weight of a fade.", "$inside", &fade_fields},
    {NULL, NULL, NULL, NULL},
};

void lmb_graph_read_early(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_read_value(reader, field, value, target);
    lmb_graph_expect_early(reader, value, *(const lmb_value *)(const void *)((char *)target + field->offset));
}

const lmb_graph_kind lmb_kind_early = {lmb_graph_read_early, "{'anyOf':[{'type':'number',$range},@early-value]}", NULL};

void lmb_graph_read_curve(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    static const lmb_graph_field whole = {.offset = 0};
    lmb_value beside = lmb_constant(0.0f);
    lmb_kind_shape.read(reader, &whole, value, &beside);
    set_curve(reader, (lmb_value *)(void *)((char *)target + field->offset), &beside, value);
}

const lmb_graph_kind lmb_kind_curve = {lmb_graph_read_curve, "@curve", lmb_graph_write_nothing};

// ---- Defaults and ranges, after all uses are known.

static void finish_parameter(lmb_graph_reader *reader, lmb_graph_declared *parameter) {
    lmb_graph_stated *min = &parameter->min;
    lmb_graph_stated *max = &parameter->max;
    lmb_graph_stated *initial = &parameter->initial;
    if (min->value > max->value) {
        if (min->at != LMB_NONE && max->at != LMB_NONE) {
            lmb_graph_report(reader, max->at, "%g is below \"min\", %g", (double)max->value, (double)min->value);
            return;
        }
        *(min->at == LMB_NONE ? &min->value : &max->value) = min->at == LMB_NONE ? max->value : min->value;
    }
    float within = fminf(fmaxf(initial->value, min->value), max->value);
    if (initial->at != LMB_NONE && within != initial->value) {
        lmb_graph_report(reader, initial->at, "%g is outside %g to %g, the range of this parameter",
                         (double)initial->value, (double)min->value, (double)max->value);
    }
    initial->value = within;
}

static void check_fades(lmb_graph_reader *reader) {
    for (uint32_t i = 0; i < reader->graph->fade_name_count; i++) {
        const lmb_graph_named *fade = &reader->graph->fade_names[i];
        if (fade->used_at != LMB_NONE && fade->count != 1) {
            lmb_graph_report(reader, fade->used_at,
                             fade->count == 0 ? "there is no fade of this name" : "several fades have this name");
        }
    }
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
        const float number = lmb_computed_at(&graph->def.computed[i], row, graph->def.curves);
        lmb_graph_declared *parameter = &graph->parameters[graph->def.computed[i].parameter];
        row[graph->def.computed[i].parameter] = parameter->initial.value = number;
        parameter->min.value = fminf(number, 0.0f);
        parameter->max.value = fmaxf(number, 1.0f);
    }
}

void lmb_graph_finish_parameters(lmb_graph_reader *reader) {
    for (uint32_t i = 0; i < reader->graph->def.parameter_count; i++) {
        finish_parameter(reader, &reader->graph->parameters[i]);
    }
    for (uint32_t i = 0; i < reader->graph->def.smoothed_count && !reader->is_full && reader->result == LMB_OK; i++) {
        const lmb_smoothed_def *def = &reader->graph->def.smoothed[i];
        const lmb_graph_declared *source = &reader->graph->parameters[def->source.parameter];
        lmb_graph_declared *smoothed = &reader->graph->parameters[def->parameter];
        smoothed->initial = source->initial;
        smoothed->min = source->min;
        smoothed->max = source->max;
    }
    check_fades(reader);
    if (!reader->is_full && reader->result == LMB_OK) {
        find_defaults(reader);
    }
}
