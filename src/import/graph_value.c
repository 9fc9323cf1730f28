// Reads values: constants, parameters, smoothed parameters and curves.
#include "graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void read_name(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    if (!lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        return;
    }
    const char *name = lmb_graph_text(reader, &reader->graph->pool, value);
    if (name != NULL && name[0] == '\0') {
        lmb_graph_report(reader, value, "a parameter without a name");
    }
    *(const char **)(void *)((char *)target + field->offset) = name;
}

static void read_stated(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_stated *stated = (lmb_graph_stated *)(void *)((char *)target + field->offset);
    uint32_t problems = reader->problem_count;
    lmb_graph_read_plain(reader, field, value, target);
    stated->at = reader->problem_count == problems ? value : LMB_NONE;
}

// One use of a parameter.
typedef struct parameter_use {
    lmb_graph_declared declared;
    float half_life; // seconds
} parameter_use;

#define STATED(key, member)                                                                                            \
    {                                                                                                                  \
        .name = key, .read = read_stated, .offset = offsetof(parameter_use, declared.member), .min = -LMB_LARGEST,     \
        .max = LMB_LARGEST                                                                                             \
    }

static const lmb_graph_field parameter_members[] = {
    {.name = "param", .required = true, .read = read_name, .offset = offsetof(parameter_use, declared.name)},
    STATED("default", initial),
    STATED("min", min),
    STATED("max", max),
    {.name = "smooth",
     .read = lmb_graph_read_plain,
     .offset = offsetof(parameter_use, half_life),
     .max = LMB_MAX_CONTROL_SECONDS},
};
static const lmb_graph_fields parameter_fields = {"a parameter", parameter_members, 5, NULL};

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

static uint32_t add_parameter(lmb_graph_reader *reader, const char *name, const lmb_graph_field *field,
                              uint32_t value) {
    lmb_graph_json *graph = reader->graph;
    uint32_t count = graph->def.parameter_count;
    if (count == LMB_MAX_PARAMETERS) {
        if (!reader->is_full) {
            lmb_graph_report(reader, value, "more than %u parameters", LMB_MAX_PARAMETERS);
        }
        reader->is_full = true;
        return 0;
    }
    lmb_graph_declared *parameters = lmb_graph_grow(reader, &graph->pool, graph->parameters, count,
                                                    &graph->parameter_capacity, sizeof(lmb_graph_declared));
    if (parameters == NULL) {
        return 0;
    }
    graph->parameters = parameters;
    if (!lmb_graph_index(reader, &graph->parameter_index, lmb_index_hash_text(name))) {
        return 0;
    }
    graph->parameters[count] = (lmb_graph_declared){.name = name,
                                                    .initial = {field->initial, LMB_NONE},
                                                    .min = {field->parameter_min, LMB_NONE},
                                                    .max = {field->parameter_max, LMB_NONE}};
    return graph->def.parameter_count++;
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
    uint32_t index = lmb_graph_find_declared(graph, name);
    if (index == LMB_NONE) {
        index = add_parameter(reader, name, field, value);
    }
    bool is_there = index < count || graph->def.parameter_count > count;
    if (is_there) {
        graph->parameters[index].is_written = true;
    }
    return is_there ? index : LMB_NONE;
}

uint32_t lmb_graph_find_declared(const lmb_graph_json *graph, const char *name) {
    uint32_t i = lmb_index_first(&graph->parameter_index, lmb_index_hash_text(name));
    while (i != LMB_NONE && (graph->parameters[i].is_written || strcmp(graph->parameters[i].name, name) != 0)) {
        i = lmb_index_next(&graph->parameter_index, i);
    }
    return i;
}

static void *grow_smoothed(lmb_graph_reader *reader) {
    lmb_graph_json *graph = reader->graph;
    uint32_t count = graph->def.smoothed_count;
    lmb_smoothed_def *smoothed =
        lmb_graph_grow(reader, &graph->pool, graph->smoothed, count, &graph->smoothed_capacity, sizeof *smoothed);
    graph->smoothed = smoothed == NULL ? graph->smoothed : smoothed;
    return smoothed;
}

uint32_t lmb_graph_follow(lmb_graph_reader *reader, uint32_t source, float half_life, uint32_t value) {
    lmb_graph_json *graph = reader->graph;
    uint32_t count = graph->def.smoothed_count;
    for (uint32_t i = 0; i < count; i++) {
        if (graph->smoothed[i].source.parameter == source && graph->smoothed[i].half_life == half_life) {
            return graph->smoothed[i].parameter;
        }
    }
    if (source >= graph->def.parameter_count || grow_smoothed(reader) == NULL) {
        return 0;
    }
    // The default and range become those of the source after they are completed.
    uint32_t parameter = lmb_graph_add_written(reader, graph->parameters[source].name, "smooth", 0.0f, 1.0f, value);
    graph->smoothed[count] = lmb_smoothed_parameter(lmb_parameter(source), half_life, parameter);
    graph->def.smoothed_count++;
    return parameter;
}

lmb_value lmb_graph_use_parameter(lmb_graph_reader *reader, const lmb_graph_declared *use, const lmb_graph_field *field,
                                  uint32_t value) {
    lmb_graph_json *graph = reader->graph;
    uint32_t index = lmb_graph_find_declared(graph, use->name);
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

void lmb_graph_finish_parameters(lmb_graph_reader *reader) {
    for (uint32_t i = 0; i < reader->graph->def.parameter_count; i++) {
        finish_parameter(reader, &reader->graph->parameters[i]);
    }
    for (uint32_t i = 0; i < reader->graph->def.smoothed_count && !reader->is_full && reader->result == LMB_OK; i++) {
        const lmb_smoothed_def *def = &reader->graph->smoothed[i];
        const lmb_graph_declared *source = &reader->graph->parameters[def->source.parameter];
        lmb_graph_declared *smoothed = &reader->graph->parameters[def->parameter];
        smoothed->initial = source->initial;
        smoothed->min = source->min;
        smoothed->max = source->max;
    }
    lmb_graph_finish_computed(reader);
}

static void read_control(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY)) {
        return;
    }
    if (values[value].count != 2) {
        lmb_graph_report(reader, value, "%u control points, where 2 were expected", (unsigned)values[value].count);
        return;
    }
    lmb_graph_field point = *field;
    for (uint32_t at = value + 1; at < values[value].next; at = values[at].next) {
        lmb_graph_read_plain(reader, &point, at, target);
        point.offset += sizeof(float);
    }
}

static const lmb_graph_field bezier_members[] = {
    {.name = "bezier",
     .required = true,
     .read = read_control,
     .offset = offsetof(lmb_value, control),
     .min = -16.0f,
     .max = 16.0f},
};
static const lmb_graph_fields bezier_fields = {"a curve of one's own", bezier_members, 1, NULL};

static void read_curve_name(lmb_graph_reader *reader, uint32_t value, lmb_value *shape) {
    char names[320] = "";
    size_t length = 0;
    for (int curve = 0; curve < LMB_CURVE_COUNT; curve++) {
        const char *name = lmb_curve_name((lmb_curve)curve);
        bool is_named = curve != LMB_CURVE_BEZIER;
        if (is_named && lmb_graph_is_text(reader, value, name)) {
            shape->curve = (lmb_curve)curve;
            return;
        }
        if (length < sizeof names) {
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", curve == 0 ? "" : ", ",
                                       is_named ? name : "{\"bezier\": [c0, c1]}");
        }
    }
    lmb_graph_report(reader, value, "unknown; there are %s", names);
}

// Reads the curve of `shape`: by its name, or a Bezier curve by its control points.
static void read_shape(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_value *shape = (lmb_value *)(void *)((char *)target + field->offset);
    if (reader->json.values[value].type == LMB_JSON_OBJECT) {
        shape->curve = LMB_CURVE_BEZIER;
        lmb_graph_read_fields(reader, &bezier_fields, value, shape);
    } else if (lmb_graph_expect(reader, value, LMB_JSON_STRING)) {
        read_curve_name(reader, value, shape);
    }
}

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

static const lmb_graph_field curve_members[] = {
    {.name = "curve", .required = true, .read = read_shape, .offset = offsetof(curved, shape)},
    {.name = "of", .required = true, .read = read_inside},
};
static const lmb_graph_fields curve_fields = {"a curve", curve_members, 2, NULL};

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

// Stores a value and keeps its curve, which may have been beside it.
static void set_value(lmb_value *result, lmb_value value) {
    result->kind = value.kind;
    result->constant = value.constant;
    result->parameter = value.parameter;
}

// A curve clamps its input to 0 to 1.
static void read_curved(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, lmb_value *result) {
    const lmb_graph_field inside = {
        .min = 0.0f, .max = 1.0f, .initial = fminf(fmaxf(field->initial, 0.0f), 1.0f), .parameter_max = 1.0f};
    curved read = {.shape = lmb_constant(0.0f), .value = *result, .field = &inside};
    lmb_graph_read_fields(reader, &curve_fields, value, &read);
    set_value(result, read.value);
    set_curve(reader, result, &read.shape, value);
}

static void read_parameter(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, lmb_value *result) {
    parameter_use use = {.declared = {.initial.at = LMB_NONE, .min.at = LMB_NONE, .max.at = LMB_NONE}};
    lmb_graph_read_fields(reader, &parameter_fields, value, &use);
    if (use.declared.name == NULL) {
        return;
    }
    lmb_value used = lmb_graph_use_parameter(reader, &use.declared, field, value);
    if (use.half_life > 0.0f) {
        used.parameter = lmb_graph_follow(reader, used.parameter, use.half_life, value);
    }
    set_value(result, used);
}

static void read_number(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target,
                        bool is_inside) {
    lmb_value *result = (lmb_value *)(void *)((char *)target + field->offset);
    lmb_json_type type = reader->json.values[value].type;
    bool twice;
    if (type == LMB_JSON_NUMBER) {
        lmb_graph_field constant = *field;
        constant.offset += offsetof(lmb_value, constant);
        lmb_graph_read_plain(reader, &constant, value, target);
        result->kind = LMB_VALUE_CONSTANT;
        result->parameter = 0;
    } else if (type != LMB_JSON_OBJECT) {
        lmb_graph_report(reader, value, "%s, where a number was expected, a parameter or a curve",
                         lmb_json_type_name(type));
    } else if (lmb_graph_is_fade(reader, value)) {
        lmb_graph_report(reader, value, "a fade is where a pose is weighed, and in no curve");
    } else if (lmb_graph_is_computed(reader, value)) {
        set_value(result, lmb_graph_read_computed(reader, field, value));
    } else if (lmb_json_member(&reader->json, value, "curve", &twice) == LMB_NONE) {
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

void lmb_graph_read_curve(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    static const lmb_graph_field whole = {.offset = 0};
    lmb_value beside = lmb_constant(0.0f);
    read_shape(reader, &whole, value, &beside);
    set_curve(reader, (lmb_value *)(void *)((char *)target + field->offset), &beside, value);
}
