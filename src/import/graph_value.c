#include "graph.h"

#include <math.h>
#include <string.h>

static const char *const curves[] = {[LMB_CURVE_LINEAR] = "linear", [LMB_CURVE_UNIFORM_S] = "uniform-s", NULL};
_Static_assert(sizeof curves / sizeof curves[0] == LMB_CURVE_COUNT + 1, "a curve has no name");

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

#define STATED(key, member)                                                                                            \
    {                                                                                                                  \
        .name = key, .read = read_stated, .offset = offsetof(lmb_graph_declared, member), .least = -LMB_LARGEST,       \
        .greatest = LMB_LARGEST                                                                                        \
    }

static const lmb_graph_field parameter_members[] = {
    {.name = "param", .required = true, .read = read_name, .offset = offsetof(lmb_graph_declared, name)},
    STATED("default", initial),
    STATED("min", least),
    STATED("max", greatest),
};
static const lmb_graph_fields parameter_fields = {"a parameter", parameter_members, 4, NULL};

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
    lmb_graph *graph = reader->graph;
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
    graph->parameters[count] = (lmb_graph_declared){.name = name,
                                                    .initial = {field->initial, LMB_NONE},
                                                    .least = {field->parameter_least, LMB_NONE},
                                                    .greatest = {field->parameter_greatest, LMB_NONE}};
    return graph->def.parameter_count++;
}

lmb_value lmb_graph_use_parameter(lmb_graph_reader *reader, const lmb_graph_declared *use, const lmb_graph_field *field,
                                  uint32_t value) {
    lmb_graph *graph = reader->graph;
    uint32_t index = lmb_graph_find_parameter(graph, use->name);
    if (index == LMB_NONE) {
        index = add_parameter(reader, use->name, field, value);
    }
    if (index < graph->def.parameter_count) {
        lmb_graph_declared *known = &graph->parameters[index];
        join(reader, &known->initial, &use->initial);
        join(reader, &known->least, &use->least);
        join(reader, &known->greatest, &use->greatest);
    }
    return lmb_parameter(index);
}

static void finish_parameter(lmb_graph_reader *reader, lmb_graph_declared *parameter) {
    lmb_graph_stated *least = &parameter->least;
    lmb_graph_stated *greatest = &parameter->greatest;
    lmb_graph_stated *initial = &parameter->initial;
    if (least->value > greatest->value) {
        if (least->at != LMB_NONE && greatest->at != LMB_NONE) {
            lmb_graph_report(reader, greatest->at, "%g is below \"min\", %g", (double)greatest->value,
                             (double)least->value);
            return;
        }
        *(least->at == LMB_NONE ? &least->value : &greatest->value) =
            least->at == LMB_NONE ? greatest->value : least->value;
    }
    float within = fminf(fmaxf(initial->value, least->value), greatest->value);
    if (initial->at != LMB_NONE && within != initial->value) {
        lmb_graph_report(reader, initial->at, "%g is outside %g to %g, the range of this parameter",
                         (double)initial->value, (double)least->value, (double)greatest->value);
    }
    initial->value = within;
}

void lmb_graph_finish_parameters(lmb_graph_reader *reader) {
    for (uint32_t i = 0; i < reader->graph->def.parameter_count; i++) {
        finish_parameter(reader, &reader->graph->parameters[i]);
    }
}

// A curve around a number. `node` is NULL where there can be none.
typedef struct curved {
    lmb_curve curve;
    lmb_graph_node *node;
    const lmb_graph_field *field;
} curved;

static void read_number(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target,
                        lmb_graph_node *node);

static void read_inner(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    const curved *outer = target;
    read_number(reader, outer->field, value, outer->node, NULL);
}

static const lmb_graph_field curve_members[] = {
    {.name = "curve",
     .required = true,
     .read = lmb_graph_read_choice,
     .offset = offsetof(curved, curve),
     .choices = curves},
    {.name = "of", .required = true, .read = read_inner},
};
static const lmb_graph_fields curve_fields = {"a curve", curve_members, 2, NULL};

static void set_curve(lmb_graph_reader *reader, lmb_graph_node *node, lmb_curve curve, uint32_t value) {
    if (node->has_curve) {
        lmb_graph_report(reader, value, "a second curve of one weight");
    }
    node->has_curve = true;
    node->def.weight.curve = curve;
}

static void read_curved(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, lmb_graph_node *node) {
    if (node == NULL) {
        lmb_graph_report(reader, value, "a curve shapes the weight of an operation, once, and nothing else");
        return;
    }
    curved inner = {.node = node, .field = field};
    lmb_graph_read_fields(reader, &curve_fields, value, &inner);
    set_curve(reader, node, inner.curve, value);
}

static void read_parameter(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, lmb_value *result) {
    lmb_graph_declared use = {.initial.at = LMB_NONE, .least.at = LMB_NONE, .greatest.at = LMB_NONE};
    lmb_graph_read_fields(reader, &parameter_fields, value, &use);
    if (use.name != NULL) {
        // The field "curve" may have stood before.
        lmb_curve curve = result->curve;
        *result = lmb_graph_use_parameter(reader, &use, field, value);
        result->curve = curve;
    }
}

// `node` is the one whose curve may be set, or NULL.
static void read_number(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target,
                        lmb_graph_node *node) {
    lmb_value *result = (lmb_value *)(void *)((char *)target + field->offset);
    lmb_json_type type = reader->json.values[value].type;
    bool twice;
    if (type == LMB_JSON_NUMBER) {
        lmb_graph_field constant = *field;
        constant.offset += offsetof(lmb_value, constant);
        lmb_graph_read_plain(reader, &constant, value, target);
        result->parameter = LMB_NONE;
    } else if (type != LMB_JSON_OBJECT) {
        lmb_graph_report(reader, value, "%s, where a number was expected, or a parameter", lmb_json_type_name(type));
    } else if (lmb_json_member(&reader->json, value, "curve", &twice) != LMB_NONE) {
        read_curved(reader, field, value, node);
    } else {
        read_parameter(reader, field, value, result);
    }
}

void lmb_graph_read_value(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    read_number(reader, field, value, target, NULL);
}

void lmb_graph_read_weight(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    read_number(reader, field, value, target, target);
}

void lmb_graph_read_curve(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_graph_field curve = *field;
    curve.choices = curves;
    curved beside = {.curve = LMB_CURVE_LINEAR};
    curve.offset = offsetof(curved, curve);
    lmb_graph_read_choice(reader, &curve, value, &beside);
    set_curve(reader, target, beside.curve, value);
}
