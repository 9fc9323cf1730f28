#include "graph.h"

// Terms while they are read.
typedef struct condition {
    lmb_term terms[LMB_MAX_TERMS];
    uint32_t count; // may come to more than there is room for
} condition;

#define NUMBER(key_offset)                                                                                             \
    { .offset = key_offset, .least = -LMB_LARGEST, .greatest = LMB_LARGEST, .parameter_greatest = 1.0f }

static void add_term(condition *condition, const lmb_term *term) {
    if (condition->count < LMB_MAX_TERMS) {
        condition->terms[condition->count] = *term;
    }
    condition->count += condition->count <= LMB_MAX_TERMS ? 1 : 0;
}

static void read_comparison(lmb_graph_reader *reader, lmb_term_kind kind, uint32_t value, condition *condition) {
    static const lmb_graph_field sides[2] = {NUMBER(offsetof(lmb_term, left)), NUMBER(offsetof(lmb_term, right))};
    const lmb_json_value *values = reader->json.values;
    lmb_term term = {.kind = kind, .left = lmb_constant(0.0f), .right = lmb_constant(0.0f)};
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY)) {
        return;
    }
    if (values[value].count != 2) {
        lmb_graph_report(reader, value, "%u numbers, where 2 were expected", (unsigned)values[value].count);
        return;
    }
    lmb_graph_read_value(reader, &sides[0], value + 1, &term);
    lmb_graph_read_value(reader, &sides[1], values[value + 1].next, &term);
    add_term(condition, &term);
}

static void read_one(lmb_graph_reader *reader, uint32_t value, condition *condition);

// All of them, joined one by one.
static void read_joined(lmb_graph_reader *reader, lmb_term_kind kind, uint32_t value, condition *condition) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY)) {
        return;
    }
    if (values[value].count == 0) {
        lmb_graph_report(reader, value, "no conditions");
    }
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
        read_one(reader, at, condition);
        if (at != value + 1) {
            add_term(condition, &(lmb_term){.kind = kind, .left = lmb_constant(0.0f), .right = lmb_constant(0.0f)});
        }
    }
}

static void read_one(lmb_graph_reader *reader, uint32_t value, condition *condition) {
    static const char *const kinds[LMB_TERM_COUNT] = {[LMB_TERM_LESS] = "<",    [LMB_TERM_LESS_EQUAL] = "<=",
                                                      [LMB_TERM_GREATER] = ">", [LMB_TERM_GREATER_EQUAL] = ">=",
                                                      [LMB_TERM_EQUAL] = "==",  [LMB_TERM_AND] = "and",
                                                      [LMB_TERM_OR] = "or"};
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    if (reader->json.values[value].count != 1) {
        lmb_graph_report(reader, value, "a condition has one member");
        return;
    }
    uint32_t key = value + 1;
    for (int i = 0; i < LMB_TERM_COUNT; i++) {
        if (lmb_graph_is_text(reader, key, kinds[i])) {
            bool joins = i == LMB_TERM_AND || i == LMB_TERM_OR;
            (joins ? read_joined : read_comparison)(reader, (lmb_term_kind)i, key + 1, condition);
            return;
        }
    }
    lmb_graph_report(reader, key, "unknown; there are <, <=, >, >=, ==, and, or");
}

void lmb_graph_read_condition(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    lmb_transition_def *transition = target;
    condition read = {.count = 0};
    uint32_t problems = reader->problem_count;
    read_one(reader, value, &read);
    if (reader->problem_count > problems || reader->result != LMB_OK) {
        return;
    }
    if (read.count > LMB_MAX_TERMS) {
        lmb_graph_report(reader, value, "more than %u comparisons, ands and ors", LMB_MAX_TERMS);
        return;
    }
    lmb_term *terms = lmb_graph_allocate(reader, &reader->graph->pool, read.count, sizeof *terms);
    for (uint32_t i = 0; terms != NULL && i < read.count; i++) {
        terms[i] = read.terms[i];
    }
    transition->terms = terms;
    transition->term_count = terms == NULL ? 0 : read.count;
}
