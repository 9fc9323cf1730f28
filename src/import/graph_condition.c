// Reads the conditions of transitions as terms in postfix order.
#include "graph.h"

#include <string.h>

// The terms of a condition while it is read.
typedef struct condition {
    lmb_term terms[LMB_MAX_TERMS];
    uint32_t count; // may exceed LMB_MAX_TERMS by one
} condition;

#define NUMBER(key_offset)                                                                                             \
    { .offset = key_offset, .min = -LMB_LARGEST, .max = LMB_LARGEST, .parameter_max = 1.0f }

static void add_term(condition *condition, const lmb_term *term) {
    if (condition->count < LMB_MAX_TERMS) {
        condition->terms[condition->count] = *term;
    }
    condition->count += condition->count <= LMB_MAX_TERMS ? 1 : 0;
}

// If a value is a clip's phase or remaining time, returns the member that names the clip; else LMB_NONE.
static uint32_t find_place(const lmb_graph_reader *reader, uint32_t value, lmb_operand *operand) {
    static const char *const names[LMB_OPERAND_COUNT] = {
        [LMB_OPERAND_PHASE] = "phase", [LMB_OPERAND_REMAINING] = "remaining"};
    const bool is_one = reader->json.values[value].type == LMB_JSON_OBJECT && reader->json.values[value].count == 1;
    for (int i = LMB_OPERAND_PHASE; is_one && i < LMB_OPERAND_COUNT; i++) {
        if (lmb_graph_is_text(reader, value + 1, names[i])) {
            *operand = (lmb_operand)i;
            return value + 2;
        }
    }
    return LMB_NONE;
}

static const lmb_clip *clip_of(const lmb_graph_reader *reader, uint32_t node) {
    return reader->graph->clips[(uint32_t)reader->graph->nodes[node].clip.constant];
}

// Returns the node of a clip that plays in the state from which the transition starts, or in a machine inside it: by
// the clip's name, or with `true` the clip whose end is the state's. Returns LMB_NONE after an error was reported.
static uint32_t find_node(lmb_graph_reader *reader, uint32_t value) {
    const lmb_graph_left *left = &reader->left;
    const lmb_json_type type = reader->json.values[value].type;
    if (left->is_any) {
        lmb_graph_report(reader, value, "a transition of \"any\" leaves no one state, whose clips it could name");
        return LMB_NONE;
    }
    if (type == LMB_JSON_BOOLEAN && lmb_json_boolean(&reader->json, value)) {
        if (left->end_node == LMB_NONE) {
            lmb_graph_report(reader, value, "no clip plays in this state");
        }
        return left->end_node;
    }
    const char *name = lmb_graph_read_name(reader, value);
    if (name == NULL || name[0] == '\0') {
        return LMB_NONE;
    }
    for (uint32_t i = left->first; i < left->end; i++) {
        if (reader->graph->nodes[i].player != NULL && strcmp(lmb_clip_name(clip_of(reader, i)), name) == 0) {
            return i;
        }
    }
    lmb_graph_report(reader, value, "no clip of this name plays in the state that the transition leaves");
    return LMB_NONE;
}

// Reads a clip's phase or remaining time, and the constant it is compared with.
static void read_place(lmb_graph_reader *reader, uint32_t place, uint32_t value, lmb_term *term) {
    term->player_node = find_node(reader, place);
    if (term->player_node >= reader->left.end) {
        return; // an error was reported for it, or for the state's pose
    }
    const float most =
        term->operand == LMB_OPERAND_PHASE ? 1.0f : lmb_clip_duration(clip_of(reader, term->player_node));
    const lmb_graph_field field = {.offset = offsetof(lmb_term, right), .max = most};
    lmb_graph_read_value(reader, &field, value, term);
    if (term->right.kind == LMB_VALUE_PARAMETER) {
        lmb_graph_report(reader, value, "a clip's phase or remaining time is compared with a constant");
    }
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
    const uint32_t left = value + 1, right = values[left].next;
    const uint32_t place = find_place(reader, left, &term.operand);
    lmb_operand other;
    if (find_place(reader, right, &other) != LMB_NONE) {
        lmb_graph_report(reader, right, "a clip's phase or remaining time stands on the left");
    } else if (place != LMB_NONE) {
        read_place(reader, place, right, &term);
    } else {
        lmb_graph_read_value(reader, &sides[0], left, &term);
        lmb_graph_read_value(reader, &sides[1], right, &term);
        lmb_graph_expect_early(reader, left, term.left);
        lmb_graph_expect_early(reader, right, term.right);
    }
    add_term(condition, &term);
}

static void read_one(lmb_graph_reader *reader, uint32_t value, condition *condition);

// Reads all conditions of an "and" or "or", and joins them one by one.
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
