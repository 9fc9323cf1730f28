// Reads state machines with their transitions and conditions, and fades of poses that events start.
#include "matching.h"

#include "base/number.h"
#include "control/moving.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FADE(member) offsetof(lmb_fade_def, member)
#define STATE(member) offsetof(lmb_state_def, member)
#define TRANSITION(member) offsetof(lmb_transition_def, member)

// ---- Conditions: terms in postfix order.

// The terms of a condition while it is read.
typedef struct condition {
    lmb_term terms[LMB_MAX_TERMS];
    uint32_t count;  // may exceed LMB_MAX_TERMS by one
    bool is_negated; // what is read is inside an odd number of nots, so each term becomes its opposite
} condition;

#define NUMBER(key_offset)                                                                                             \
    { .offset = key_offset, LMB_ANY_NUMBER, .parameter_max = 1.0f }

static void add_term(condition *condition, const lmb_term *term) {
    if (condition->count < LMB_MAX_TERMS) {
        condition->terms[condition->count] = *term;
    }
    condition->count += condition->count <= LMB_MAX_TERMS ? 1 : 0;
}

#define CLIP_NAME "{'anyOf':[{'const':true},@name]}"
static const lmb_graph_field place_members[] = {
    {.name = "phase", .kind = &lmb_kind_later, .schema = CLIP_NAME},
    {.name = "remaining", .kind = &lmb_kind_later, .schema = CLIP_NAME},
};
_Static_assert(LMB_OPERAND_REMAINING == LMB_OPERAND_PHASE + 1, "in the order of lmb_operand");
static const lmb_graph_fields place_fields = {LMB_FIELDS("a place", place_members),
                                              .also = "'minProperties':1,'maxProperties':1"};

// If a value is a clip's phase or remaining time, returns the member that names the clip; else LMB_NONE.
static uint32_t find_place(const lmb_graph_reader *reader, uint32_t value, lmb_operand *operand) {
    const bool is_one = reader->json.values[value].type == LMB_JSON_OBJECT && reader->json.values[value].count == 1;
    for (int i = LMB_OPERAND_PHASE; is_one && i <= LMB_OPERAND_REMAINING; i++) {
        if (lmb_graph_is_text(reader, value + 1, place_members[i - LMB_OPERAND_PHASE].name)) {
            *operand = (lmb_operand)i;
            return value + 2;
        }
    }
    return LMB_NONE;
}

static const lmb_clip *clip_of(const lmb_graph_reader *reader, uint32_t node) {
    return reader->graph->def.clips[(uint32_t)reader->graph->nodes[node].clip.constant];
}

// Returns the first node of a clip of that name which plays in a pose, or LMB_NONE.
static uint32_t find_in_pose(lmb_graph_reader *reader, uint32_t pose, const char *name) {
    const lmb_node_def *nodes = reader->graph->nodes;
    bool *reached = lmb_graph_allocate(reader, &reader->scratch, (size_t)pose + 1, sizeof *reached);
    uint32_t found = LMB_NONE;
    if (reached == NULL) {
        return LMB_NONE;
    }
    reached[pose] = true;
    for (uint32_t i = pose + 1; i-- > 0;) { // inputs come before
        for (uint32_t k = 0; k < nodes[i].input_count && reached[i]; k++) {
            reached[nodes[i].inputs[k]] = true;
        }
        if (reached[i] && nodes[i].player != NULL && strcmp(lmb_clip_get_info(clip_of(reader, i))->name, name) == 0) {
            found = i;
        }
    }
    lmb_pool_release(&reader->scratch, reached);
    return found;
}

// Returns the node of a clip that plays in the state from which the transition starts, or in a machine inside it: by
// the clip's name, or with `true` the clip whose end is the state's. Returns LMB_NONE after an error was reported.
static uint32_t find_node(lmb_graph_reader *reader, uint32_t value) {
    const lmb_graph_left *left = &reader->left;
    if (left->is_any) {
        lmb_graph_report(reader, value, "a transition of \"any\" leaves no one state, whose clips it could name");
        return LMB_NONE;
    }
    if (lmb_graph_is_true(reader, value)) {
        if (left->end_node == LMB_NONE) {
            lmb_graph_report(reader, value, "no clip plays in this state");
        }
        return left->end_node;
    }
    const char *name = lmb_graph_read_name(reader, value, LMB_EMPTY_NAME);
    if (name == NULL || name[0] == '\0') {
        return LMB_NONE;
    }
    uint32_t found = left->end > 0 ? find_in_pose(reader, left->pose, lmb_graph_resolve_clip(reader, name)) : LMB_NONE;
    if (found == LMB_NONE && left->end > 0 && reader->result == LMB_OK) { // of another character
        found = find_in_pose(reader, left->pose, name);
    }
    if (found == LMB_NONE) {
        lmb_graph_report(reader, value, "no clip of this name plays in the state that the transition leaves");
    }
    return found;
}

// Reads a clip's phase or remaining time, and the constant it is compared with.
static void read_place(lmb_graph_reader *reader, uint32_t place, uint32_t value, lmb_term *term) {
    term->player_node = find_node(reader, place);
    if (term->player_node >= reader->graph->def.node_count) {
        return; // an error was reported for it, or for the state's pose
    }
    const float most =
        term->operand == LMB_OPERAND_PHASE ? 1.0f : lmb_clip_get_info(clip_of(reader, term->player_node))->duration;
    const lmb_graph_field field = {.offset = offsetof(lmb_term, right), .max = most};
    lmb_graph_read_value(reader, &field, value, term);
    if (term->right.kind == LMB_VALUE_PARAMETER) {
        lmb_graph_report(reader, value, "a clip's phase or remaining time is compared with a constant");
    }
}

// What a condition may be beside the terms: they become such terms.
enum {
    CONDITION_NOT_EQUAL = LMB_TERM_COUNT,
    CONDITION_NOT,
    CONDITION_PARAMETER,
    CONDITION_TRIGGER,
    CONDITION_RANDOM,
    CONDITION_IN,
    CONDITION_COUNT
};

static uint32_t condition_of(const lmb_graph_field *field);

// Joins the last two.
static void add_joint(condition *condition, bool joins_all) {
    add_term(condition, &(lmb_term){.kind = joins_all != condition->is_negated ? LMB_TERM_AND : LMB_TERM_OR,
                                    .left = lmb_constant(0.0f),
                                    .right = lmb_constant(0.0f)});
}

// Returns a comparison or, inside a not, its opposite.
static uint32_t comparison_inside(const condition *condition, uint32_t kind) {
    static const uint32_t opposites[] = {
        [LMB_TERM_LESS] = LMB_TERM_GREATER_EQUAL, [LMB_TERM_LESS_EQUAL] = LMB_TERM_GREATER,
        [LMB_TERM_GREATER] = LMB_TERM_LESS_EQUAL, [LMB_TERM_GREATER_EQUAL] = LMB_TERM_LESS,
        [LMB_TERM_EQUAL] = CONDITION_NOT_EQUAL,   [CONDITION_NOT_EQUAL] = LMB_TERM_EQUAL};
    return condition->is_negated ? opposites[kind] : kind;
}

// Adds a comparison or, inside a not, its opposite. Values differ if one is less or greater than the other. So a
// comparison of NaN is false, and so is its opposite.
static void add_comparison(condition *condition, uint32_t kind, lmb_term term) {
    kind = comparison_inside(condition, kind);
    if (kind != CONDITION_NOT_EQUAL) {
        term.kind = (lmb_term_kind)kind;
        add_term(condition, &term);
        return;
    }
    term.kind = LMB_TERM_LESS;
    add_term(condition, &term);
    term.kind = LMB_TERM_GREATER;
    add_term(condition, &term);
    add_joint(condition, condition->is_negated); // an or, whatever is around it
}

// Warns of a comparison with a clip's phase or remaining time that is never true, or true by chance. A loop is at
// phase 0 when it has passed its end, so it is never at phase 1, and always has some time left.
static void warn_of_place(lmb_graph_reader *reader, uint32_t value, uint32_t kind, const lmb_term *term) {
    const lmb_player_def *player = reader->graph->nodes[term->player_node].player;
    const lmb_clip *clip = clip_of(reader, term->player_node);
    const bool loops = player->end == LMB_END_LOOP && player->repetitions == 0;
    const bool is_phase = term->operand == LMB_OPERAND_PHASE;
    const float most = is_phase ? 1.0f : lmb_clip_get_info(clip)->duration, at = term->right.constant;
    const bool is_at_end = at == (is_phase ? most : 0.0f);
    const bool reaches = kind == LMB_TERM_EQUAL || kind == (is_phase ? LMB_TERM_GREATER_EQUAL : LMB_TERM_LESS_EQUAL);
    const bool exceeds = (kind == LMB_TERM_LESS && at == 0.0f) || (kind == LMB_TERM_GREATER && at == most);
    if (!(lmb_clip_get_info(clip)->duration > 0.0f)) {
        return;
    }
    if (loops && is_at_end && (reaches || exceeds)) {
        lmb_graph_warn(reader, value,
                       "'%.60s' loops, so it is never at its end, and this is never true: write \"end\": true for the "
                       "end of a cycle, or %s",
                       lmb_clip_get_info(clip)->name,
                       is_phase ? "{\">=\": [{\"phase\": true}, 0.99]}" : "{\"<=\": [{\"remaining\": true}, 0.05]}");
    } else if (exceeds) {
        lmb_graph_warn(reader, value, "never true: %s of '%.60s' is from 0 to %g",
                       is_phase ? "the phase" : "what remains", lmb_clip_get_info(clip)->name, (double)most);
    } else if (kind == LMB_TERM_EQUAL && at > 0.0f && at < most) {
        lmb_graph_warn(reader, value,
                       "'%.60s' is hardly ever exactly there in a frame: write %s, which is met at its exact time",
                       lmb_clip_get_info(clip)->name, is_phase ? ">=" : "<=");
    }
}

// Keeps a comparison of a parameter with a number until the ranges of parameters are known.
static void keep_comparison(lmb_graph_reader *reader, uint32_t value, uint32_t kind, const lmb_term *term) {
    static const uint32_t flipped[] = {[LMB_TERM_LESS] = LMB_TERM_GREATER,
                                       [LMB_TERM_LESS_EQUAL] = LMB_TERM_GREATER_EQUAL,
                                       [LMB_TERM_GREATER] = LMB_TERM_LESS,
                                       [LMB_TERM_GREATER_EQUAL] = LMB_TERM_LESS_EQUAL,
                                       [LMB_TERM_EQUAL] = LMB_TERM_EQUAL};
    const bool is_left = term->left.kind == LMB_VALUE_PARAMETER;
    const lmb_value *of = is_left ? &term->left : &term->right, *with = is_left ? &term->right : &term->left;
    if (kind > LMB_TERM_EQUAL || of->kind != LMB_VALUE_PARAMETER || of->curve != LMB_CURVE_LINEAR ||
        with->kind != LMB_VALUE_CONSTANT || with->curve != LMB_CURVE_LINEAR) {
        return;
    }
    const lmb_graph_compared added = {value, (lmb_term_kind)(is_left ? kind : flipped[kind]), of->parameter,
                                      with->constant, false};
    lmb_graph_append(reader, &reader->scratch, &reader->compared, &reader->compared_count, &added, sizeof added);
}

static void read_comparison(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    static const lmb_graph_field sides[2] = {NUMBER(offsetof(lmb_term, left)), NUMBER(offsetof(lmb_term, right))};
    const lmb_json_value *values = reader->json.values;
    lmb_term term = {.left = lmb_constant(0.0f), .right = lmb_constant(0.0f)};
    if (!lmb_graph_expect_count(reader, value, 2, 2, "numbers")) {
        return;
    }
    const uint32_t left = value + 1, right = values[left].next;
    const uint32_t place = find_place(reader, left, &term.operand);
    lmb_operand other;
    if (find_place(reader, right, &other) != LMB_NONE) {
        lmb_graph_report(reader, right, "a clip's phase or remaining time stands on the left");
    } else if (place != LMB_NONE) {
        const uint32_t problems = reader->problem_count;
        read_place(reader, place, right, &term);
        if (reader->problem_count == problems && reader->result == LMB_OK &&
            term.player_node < reader->graph->def.node_count) {
            warn_of_place(reader, value, comparison_inside(target, condition_of(field)), &term);
        }
    } else {
        lmb_graph_read_early(reader, &sides[0], left, &term);
        lmb_graph_read_early(reader, &sides[1], right, &term);
        keep_comparison(reader, value, comparison_inside(target, condition_of(field)), &term);
    }
    add_comparison(target, condition_of(field), term);
}

static void read_one(lmb_graph_reader *reader, uint32_t value, condition *condition);

// Reads all conditions of an "and" or "or", and joins them one by one.
static void read_joined(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    const lmb_json_value *values = reader->json.values;
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY)) {
        return;
    }
    if (values[value].count == 0) {
        lmb_graph_report(reader, value, "no conditions");
    }
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
        read_one(reader, at, target);
        if (at != value + 1) {
            add_joint(target, condition_of(field) == LMB_TERM_AND);
        }
    }
}

// Reads a condition inside a not.
static void read_negated(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    condition *negated = target;
    (void)field;
    negated->is_negated = !negated->is_negated;
    read_one(reader, value, negated);
    negated->is_negated = !negated->is_negated;
}

// Reads the name of a parameter that is true above 0.
static void read_switch(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    static const lmb_graph_field left = NUMBER(offsetof(lmb_term, left));
    lmb_term term = {.left = lmb_constant(0.0f), .right = lmb_constant(0.0f)};
    (void)field;
    (void)value;
    // The condition is the parameter's object.
    lmb_graph_read_early(reader, &left, value - 2, &term);
    add_comparison(target, LMB_TERM_GREATER, term);
}

// Reads an event that waits until the transition is taken.
static void read_trigger(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    static const lmb_graph_field event = {.kind = &lmb_kind_event, .offset = offsetof(lmb_term, event)};
    lmb_term term = lmb_default_term();
    (void)field;
    term.operand = LMB_OPERAND_TRIGGER;
    event.kind->read(reader, &event, value, &term);
    add_comparison(target, LMB_TERM_GREATER, term);
}

// Reads the chance with which a condition holds.
static void read_chance(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    static const lmb_graph_field chance = {.offset = offsetof(lmb_term, right), .max = 1.0f, .parameter_max = 1.0f};
    lmb_term term = lmb_default_term();
    (void)field;
    term.operand = LMB_OPERAND_DRAW;
    lmb_graph_read_early(reader, &chance, value, &term);
    const bool is_never = term.right.kind == LMB_VALUE_CONSTANT && term.right.constant == 0.0f;
    if (is_never && !((const condition *)target)->is_negated) {
        lmb_graph_warn(reader, value, "never true: its chance is 0");
    }
    add_comparison(target, LMB_TERM_LESS, term);
}

typedef struct machine_names {
    const lmb_node_def *nodes;
    uint32_t found[LMB_MAX_MACHINES]; // nodes
    uint32_t count;
} machine_names;

static const char *machine_name_at(const void *names, uint32_t index) {
    const machine_names *of = names;
    return of->nodes[of->found[index]].machine->name;
}

static const char *inner_state_at(const void *machine, uint32_t index) {
    return ((const lmb_machine_def *)machine)->states[index].name;
}

// Finds the machines in the state that a transition leaves.
static machine_names find_machines(const lmb_graph_reader *reader) {
    machine_names names = {.nodes = reader->graph->nodes};
    const lmb_graph_left *left = &reader->left;
    for (uint32_t i = left->first; i < left->end && names.count < LMB_MAX_MACHINES; i++) {
        if (names.nodes[i].op == LMB_OP_MACHINE && names.nodes[i].machine != NULL) {
            names.found[names.count++] = i;
        }
    }
    return names;
}

// Reads the name of a machine in the state that the transition leaves, and that of its state: {"gait": "run"}.
static void read_inside(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    lmb_term term = lmb_default_term();
    (void)field;
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    if (reader->json.values[value].count != 1) {
        lmb_graph_report(reader, value, "one machine was expected, and the name of its state");
        return;
    }
    if (reader->left.is_any) {
        lmb_graph_report(reader, value, "a transition of \"any\" leaves no one state, whose machines it could name");
        return;
    }
    const char *name = lmb_graph_read_name(reader, value + 1, LMB_EMPTY_NAME);
    const char *state = lmb_graph_read_name(reader, value + 2, LMB_EMPTY_NAME);
    if (name == NULL || state == NULL) {
        return;
    }
    const machine_names names = find_machines(reader);
    const lmb_machine_def *machine = NULL;
    for (uint32_t i = 0; i < names.count && machine == NULL; i++) {
        if (strcmp(machine_name_at(&names, i), name) == 0) {
            term.machine_node = names.found[i];
            machine = names.nodes[names.found[i]].machine;
        }
    }
    if (machine == NULL) {
        lmb_graph_report_name(reader, value + 1, "the state that the transition leaves has no machine", name,
                              (lmb_graph_names){machine_name_at, &names, names.count});
        return;
    }
    uint32_t index = 0;
    while (index < machine->state_count && strcmp(machine->states[index].name, state) != 0) {
        index++;
    }
    if (index == machine->state_count) {
        lmb_graph_report_name(reader, value + 2, "the machine has no state", state,
                              (lmb_graph_names){inner_state_at, machine, machine->state_count});
        return;
    }
    term.operand = LMB_OPERAND_STATE;
    term.right = lmb_constant((float)index);
    add_comparison(target, LMB_TERM_EQUAL, term);
}

static const lmb_graph_kind kind_trigger = {read_trigger, "{'type':'string','minLength':1}", NULL};
static const lmb_graph_kind kind_chance = {read_chance,
                                           "{'anyOf':[{'type':'number','minimum':0,'maximum':1},@early-value]}", NULL};
static const lmb_graph_kind kind_inside = {
    read_inside, "{'type':'object','additionalProperties':@name,'minProperties':1,'maxProperties':1}", NULL};
static const lmb_graph_kind kind_negated = {read_negated, "@condition", NULL};
static const lmb_graph_kind kind_switch = {read_switch, "{'type':'string','minLength':1}", NULL};
static const lmb_graph_kind kind_comparison = {
    read_comparison,
    "{'type':'array','items':[{'anyOf':[{'type':'number',$range},@early-value,@place]},"
    "{'anyOf':[{'type':'number',$range},@early-value]}],'minItems':2,'maxItems':2}",
    NULL};
static const lmb_graph_kind kind_joined = {read_joined, "{'type':'array','items':@condition,'minItems':1}", NULL};

#define COMPARISON(kind_index, key) [kind_index] = {.name = key, .kind = &kind_comparison, LMB_ANY_NUMBER}
static const lmb_graph_field condition_members[CONDITION_COUNT] = {
    COMPARISON(LMB_TERM_LESS, "<"),
    COMPARISON(LMB_TERM_LESS_EQUAL, "<="),
    COMPARISON(LMB_TERM_GREATER, ">"),
    COMPARISON(LMB_TERM_GREATER_EQUAL, ">="),
    COMPARISON(LMB_TERM_EQUAL, "=="),
    [LMB_TERM_AND] = {.name = "and", .kind = &kind_joined},
    [LMB_TERM_OR] = {.name = "or", .kind = &kind_joined},
    COMPARISON(CONDITION_NOT_EQUAL, "!="),
    [CONDITION_NOT] = {.name = "not", .about = "What must not hold.", .kind = &kind_negated},
    [CONDITION_PARAMETER] = {.name = "param", .about = "A parameter that must be above 0.", .kind = &kind_switch},
    [CONDITION_TRIGGER] = {.name = "trigger",
                           .about = "An event that waits until a transition takes it.",
                           .kind = &kind_trigger},
    [CONDITION_RANDOM] = {.name = "random",
                          .about = "The chance with which it holds while the state is current.",
                          .kind = &kind_chance},
    [CONDITION_IN] = {.name = "in",
                      .about = "A machine in the state that is left, and the state in which it must be.",
                      .kind = &kind_inside},
};
static const lmb_graph_fields condition_fields = {LMB_FIELDS("a condition", condition_members),
                                                  .also = "'minProperties':1,'maxProperties':1"};

static void read_one(lmb_graph_reader *reader, uint32_t value, condition *condition) {
    if (reader->json.values[value].type == LMB_JSON_STRING) {
        lmb_graph_report(
            reader, value,
            "a string, where an object was expected: a condition is {\">\": [{\"param\": \"speed\"}, 0.1]}, "
            "or {\"param\": NAME} for one that is above 0");
        return;
    }
    if (!lmb_graph_expect(reader, value, LMB_JSON_OBJECT)) {
        return;
    }
    if (reader->json.values[value].count != 1) {
        lmb_graph_report(reader, value, "a condition has one member");
        return;
    }
    uint32_t key = value + 1;
    for (int i = 0; i < CONDITION_COUNT; i++) {
        if (lmb_graph_is_text(reader, key, condition_members[i].name)) {
            condition_members[i].kind->read(reader, &condition_members[i], key + 1, condition);
            return;
        }
    }
    lmb_graph_report(reader, key, "unknown; there are <, <=, >, >=, ==, !=, and, or, not, param, trigger, random, in");
}

static uint32_t condition_of(const lmb_graph_field *field) {
    return (uint32_t)(field - condition_members);
}

static void read_condition(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
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

static const lmb_graph_kind kind_condition = {read_condition, "@condition", NULL};

#define COMPARED_TRANSITIONS 64u // of a state; with more they are most likely generated

// A transition of the state that is read, which leads to states of the machine.
typedef struct own_transition {
    uint32_t object;
    lmb_transition_def def;
} own_transition;

// A machine while it is read. Its states are numbered from the initial one on, then in the order of the text.
typedef struct lmb_machine_reader {
    const lmb_graph_node *node;
    const char *name;
    uint32_t depth;
    uint32_t state_count;
    uint32_t objects[LMB_MAX_STATES]; // for each state
    lmb_state_def *states;            // a name is NULL if it was not read
    lmb_transition_def *transitions;
    uint32_t transition_count;
    lmb_node_def pose;
    uint32_t state;                       // being read
    lmb_graph_left lefts[LMB_MAX_STATES]; // of the states that were read
    lmb_transition_def initial;           // with the machine's own fade and curve
    struct lmb_machine_reader *outer;     // in whose state it is, or NULL
    uint32_t targets[LMB_MAX_STATES];     // of the transition that is read: states, their values and weights
    uint32_t target_values[LMB_MAX_STATES];
    float weights[LMB_MAX_STATES];
    uint32_t target_count;
    own_transition own[COMPARED_TRANSITIONS]; // without those beyond this number
    uint32_t own_count;
    bool leads_out;      // that transition leads to a state of `outer`
    uint32_t matching;   // the value of "matching", or LMB_NONE
    uint32_t take_count; // of the first states, which are takes
    lmb_graph_matched matched;
} machine;

static uint32_t find_state(const machine *machine, const char *name) {
    for (uint32_t i = 0; i < machine->state_count; i++) {
        if (machine->states[i].name != NULL && strcmp(machine->states[i].name, name) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

static const char *state_name_at(const void *machine, uint32_t index) {
    const char *name = ((const struct lmb_machine_reader *)machine)->states[index].name;
    return name != NULL ? name : "";
}

// ---- Transitions.

// Returns the state that a value names; reports it and returns LMB_NONE if there is none.
static uint32_t look_up_state(lmb_graph_reader *reader, const machine *machine, uint32_t value) {
    const char *name = lmb_graph_read_name(reader, value, LMB_EMPTY_NAME);
    const uint32_t state = name == NULL ? LMB_NONE : find_state(machine, name);
    if (name != NULL && strcmp(name, "Exit") == 0 && state == LMB_NONE) {
        lmb_graph_report(reader, value,
                         "the machine has no state of this name: \"out\" in place of \"to\" leads to a state of the "
                         "machine around this one");
    } else if (name != NULL && name[0] != '\0' && state == LMB_NONE) {
        lmb_graph_report_name(reader, value, "the machine has no state", name,
                              (lmb_graph_names){state_name_at, machine, machine->state_count});
    }
    return state;
}

// One of several targets.
typedef struct target {
    uint32_t state;
    float weight;
} target;

static void read_target_state(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *to) {
    (void)field;
    const machine *machine = reader->machine;
    ((target *)to)->state = look_up_state(reader, machine->leads_out ? machine->outer : machine, value);
}

static const lmb_graph_kind kind_target_state = {read_target_state, "{'type':'string','minLength':1}", NULL};
static const lmb_graph_field target_members[] = {
    {.name = "state", .about = "The name of the state.", .required = true, .kind = &kind_target_state},
    {.name = "weight",
     .about = "Its chance is this divided by the sum of all; 1 by default.",
     .kind = &lmb_kind_number,
     .offset = offsetof(target, weight),
     .max = 1e6f},
};
static const lmb_graph_fields target_fields = {LMB_FIELDS("a target", target_members)};

static void add_target(lmb_graph_reader *reader, uint32_t value) {
    target added = {LMB_NONE, 1.0f};
    machine *machine = reader->machine;
    if (reader->json.values[value].type == LMB_JSON_OBJECT) {
        lmb_graph_read_fields(reader, &target_fields, value, &added);
    } else {
        kind_target_state.read(reader, NULL, value, &added);
    }
    machine->targets[machine->target_count] = added.state;
    machine->target_values[machine->target_count] = value;
    machine->weights[machine->target_count++] = added.weight;
}

// Reads the state to which a transition leads, or a list of some by weights.
static void read_to(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *to) {
    const lmb_json_value *values = reader->json.values;
    machine *machine = reader->machine;
    float sum = 0.0f;
    (void)field;
    if (values[value].type != LMB_JSON_ARRAY) {
        add_target(reader, value);
    } else if (lmb_graph_expect_count(reader, value, 1, LMB_MAX_STATES, "states")) {
        for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
            add_target(reader, at);
            sum += machine->weights[machine->target_count - 1];
        }
        if (!(sum > 0.0f)) {
            lmb_graph_report(reader, value, "all weights are 0");
        }
    }
    ((lmb_transition_def *)to)->to = machine->target_count > 0 ? machine->targets[0] : LMB_NONE;
}

static void read_out(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *to) {
    machine *machine = reader->machine;
    if (machine->outer == NULL) {
        lmb_graph_report(reader, value, "the machine is in no state of another one, which it could leave");
        return;
    }
    if (machine->target_count > 0) {
        lmb_graph_report(reader, value, "beside \"to\"");
        return;
    }
    machine->leads_out = true;
    read_to(reader, field, value, to);
}

#define TARGETS                                                                                                        \
    "{'anyOf':[{'type':'string','minLength':1},{'type':'array','items':{'anyOf':[{'type':'string','minLength':1},"     \
    "@target]},'minItems':1,'maxItems':$count}]}"
static const lmb_graph_kind kind_to = {read_to, TARGETS, NULL};
static const lmb_graph_kind kind_out = {read_out, TARGETS, NULL};

static void read_curve(lmb_graph_reader *reader, uint32_t value, lmb_curve *curve, float control[2]) {
    static const lmb_graph_field whole = {.offset = 0};
    lmb_value shape = lmb_constant(0.0f);
    lmb_graph_read_curve(reader, &whole, value, &shape);
    *curve = shape.curve;
    memcpy(control, shape.control, sizeof shape.control);
    const char *fault = lmb_fade_curve_fault(shape.curve, shape.control, &reader->graph->def);
    if (fault != NULL) {
        lmb_graph_report(reader, value, "%s", fault);
    }
}

static void read_transition_curve(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value,
                                  void *target) {
    (void)field;
    lmb_transition_def *transition = target;
    read_curve(reader, value, &transition->curve, transition->curve_control);
}

static const lmb_graph_kind kind_transition_curve = {read_transition_curve, "@curve", NULL};

static void read_fade_curve(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    lmb_fade_def *fade = target;
    read_curve(reader, value, &fade->curve, fade->curve_control);
}

static const lmb_graph_kind kind_fade_curve = {read_fade_curve, "@curve", NULL};

static const char *const kinds[] = {
    [LMB_FADE_SMOOTH] = "smooth", [LMB_FADE_FROZEN] = "frozen", [LMB_FADE_INERTIALIZED] = "inertialized", NULL};

static const char *const starts[] = {
    [LMB_START_OFFSET] = "offset", [LMB_START_PHASE] = "phase", [LMB_START_SYNC] = "sync", NULL};

static const lmb_graph_field transition_members[] = {
    {.name = "to",
     .about = "The name of the state to which it leads, or a list of some, one of which is drawn.",
     .kind = &kind_to,
     .count = LMB_MAX_STATES},
    {.name = "out",
     .about = "In place of to: a state of the machine around this one.",
     .kind = &kind_out,
     .count = LMB_MAX_STATES},
    {.name = "event", .kind = &lmb_kind_event, .offset = TRANSITION(event)},
    {.name = "end",
     .about = "Whether it waits for the end of the clip.",
     .kind = &lmb_kind_boolean,
     .offset = TRANSITION(at_end)},
    LMB_SECONDS_FIELD("after", TRANSITION(after), "Seconds in the state."),
    {.name = "when", .kind = &kind_condition},
    LMB_SECONDS_FIELD("fade", TRANSITION(fade), "Seconds; $ by default."),
    {.name = "curve", .about = "The curve of the fade; smoothstep by default.", .kind = &kind_transition_curve},
    {.name = "kind",
     .about = "What the state that is left does: it moves on, it is frozen, or the pose is inertialized.",
     .kind = &lmb_kind_choice,
     .offset = TRANSITION(kind),
     .choices = kinds},
    {.name = "profile",
     .about = "A share of the time of the fade for each joint.",
     .kind = &lmb_kind_mask,
     .offset = TRANSITION(profile)},
    {.name = "priority",
     .about = "A whole number, 0 by default: the highest one is taken first.",
     .kind = &lmb_kind_integer,
     .offset = TRANSITION(priority),
     LMB_PRIORITY_RANGE},
    {.name = "to-self",
     .about = "Whether a transition of any may lead from its target to itself.",
     .kind = &lmb_kind_boolean,
     .offset = TRANSITION(to_self)},
    {.name = "from",
     .about = "The states that a transition of any leaves; by default all.",
     .kind = &lmb_kind_later,
     .schema = "{'type':'array','items':@name,'minItems':1,'maxItems':$count}",
     .count = LMB_MAX_STATES},
    {.name = "except",
     .about = "The states that a transition of any does not leave.",
     .kind = &lmb_kind_later,
     .schema = "{'type':'array','items':@name,'minItems':1,'maxItems':$count}",
     .count = LMB_MAX_STATES},
    {.name = "start",
     .about = "Where the clips of the state begin: at their offsets, at start-phase, or in sync with the state that is "
              "left.",
     .kind = &lmb_kind_choice,
     .offset = TRANSITION(start),
     .choices = starts},
    LMB_NUMBER_FIELD("start-phase", TRANSITION(start_phase), "The phase at which the clips begin, with start: phase."),
    {.name = "travel-cost",
     .about = "Its length on the path to a state that is asked for: a whole number, 1 by default; 0: on no path.",
     .kind = &lmb_kind_integer,
     .offset = TRANSITION(travel_cost),
     .max = LMB_MOST_TRAVEL_COST},
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields transition_fields = {LMB_FIELDS_OF(transition, 0, "a transition", transition_members),
                                                   .also = "'not':{'required':['from','except']},"
                                                           "'oneOf':[{'required':['to']},{'required':['out']}],"
                                                           "'anyOf':[{'required':['event']},{'required':['after']},"
                                                           "{'required':['when']},"
                                                           "{'required':['end'],'properties':{'end':{'const':true}}}]"};

// Reports members that only a transition of "any" has.
static void refuse_members_of_any(lmb_graph_reader *reader, uint32_t object, bool to_self) {
    static const char *const members[] = {"to-self", "from", "except"};
    for (int i = to_self ? 0 : 1; i < 3; i++) {
        const uint32_t at = lmb_graph_find_member(reader, object, members[i]);
        if (at != LMB_NONE) {
            lmb_graph_report(reader, at, "only a transition of \"any\" has it");
        }
    }
}

// Adds a requirement to the condition of a transition. Returns false if there are too many terms.
static bool require_too(lmb_graph_reader *reader, lmb_transition_def *def, lmb_term term, uint32_t object) {
    const uint32_t count = def->term_count + (def->term_count > 0 ? 2 : 1);
    if (count > LMB_MAX_TERMS) {
        lmb_graph_report(reader, object, "more than %u comparisons, ands and ors, with those that its targets need",
                         LMB_MAX_TERMS);
        return false;
    }
    lmb_term *terms = lmb_graph_allocate(reader, &reader->graph->pool, count, sizeof *terms);
    if (terms == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < def->term_count; i++) {
        terms[i] = def->terms[i];
    }
    terms[def->term_count] = term;
    if (count > def->term_count + 1) {
        terms[count - 1] = lmb_default_term();
        terms[count - 1].kind = LMB_TERM_AND;
    }
    def->terms = terms;
    def->term_count = count;
    return true;
}

static void add_transition(lmb_graph_reader *reader, machine *machine, const lmb_transition_def *def, uint32_t object) {
    if (machine->transition_count == LMB_MAX_TRANSITIONS) {
        lmb_graph_report(reader, object, "more than %u transitions of one machine", LMB_MAX_TRANSITIONS);
        return;
    }
    lmb_graph_append(reader, &reader->graph->pool, &machine->transitions, &machine->transition_count, def, sizeof *def);
}

// Makes a transition to a state of the outer machine of one of a state: the outer machine takes it while the inner one
// is in that state. The node of the inner machine is not known yet.
static bool lead_out(lmb_graph_reader *reader, const machine *machine, lmb_transition_def *def, uint32_t object) {
    lmb_term here = lmb_default_term(), ends = lmb_default_term();
    if (def->from == LMB_NONE) {
        lmb_graph_report(reader, lmb_graph_find_member(reader, object, "out"),
                         "a transition of \"any\" leads out only with \"from\" or \"except\"");
        return false;
    }
    if (def->start == LMB_START_SYNC) {
        lmb_graph_report(reader, lmb_graph_find_member(reader, object, "start"),
                         "\"out\" is taken by the machine around, in whose state no clip plays");
        return false;
    }
    if (def->after >= 0.0f) {
        lmb_graph_report(
            reader, lmb_graph_find_member(reader, object, "after"),
            "\"out\" is taken by the machine around, which counts the time in its own state: write \"when\": "
            "{\">\": [{\"phase\": true}, 0.8]}, or go to a state here that leads out with \"end\"");
        return false;
    }
    here.operand = LMB_OPERAND_STATE;
    here.kind = LMB_TERM_EQUAL;
    here.right = lmb_constant((float)def->from);
    ends.operand = LMB_OPERAND_REMAINING;
    ends.kind = LMB_TERM_LESS_EQUAL;
    ends.player_node = reader->left.end_node;
    if (machine->states[def->from].exit_event != LMB_NONE) {
        lmb_graph_warn(reader, lmb_graph_find_member(reader, object, "out"),
                       "the state's \"exit\" is not emitted then, as the machine around takes the transition: give it "
                       "to the state around");
    }
    const bool at_end = def->at_end;
    def->from = machine->outer->state;
    def->at_end = false;
    return require_too(reader, def, here, object) && (!at_end || require_too(reader, def, ends, object));
}

// Adds a transition for each target. The choice of the machine is below the sum of the chances of a target and those
// before it, and the first transition that applies is taken.
static void add_targets(lmb_graph_reader *reader, machine *machine, const lmb_transition_def *def, uint32_t object) {
    const lmb_transition_def given = *def;
    float sum = 0.0f, below = 0.0f;
    for (uint32_t i = 0; i < machine->target_count; i++) {
        sum += machine->weights[i];
    }
    for (uint32_t i = 0; i < machine->target_count && reader->result == LMB_OK; i++) {
        lmb_transition_def own = given;
        lmb_term drawn = lmb_default_term();
        below += machine->weights[i];
        own.to = machine->targets[i];
        drawn.operand = LMB_OPERAND_CHOICE;
        drawn.kind = LMB_TERM_LESS;
        drawn.right = lmb_constant(below / sum);
        if (!(machine->weights[i] > 0.0f) && machine->target_count > 1) {
            continue;
        }
        if (below < sum && !require_too(reader, &own, drawn, object)) {
            return;
        }
        add_transition(reader, machine->leads_out ? machine->outer : machine, &own, object);
        if (!(below < sum)) {
            return;
        }
    }
}

// Returns why a state that shows clips has no end.
static const char *why_no_end(const lmb_graph_reader *reader) {
    const lmb_graph_left *left = &reader->left;
    return left->pose < left->first
               ? ": its pose is one of \"define\" that is used before, too, and plays for both; write the clip here"
           : left->pose < reader->graph->def.node_count && reader->graph->nodes[left->pose].op == LMB_OP_MACHINE
               ? ": a machine plays in it, whose transitions lead out with \"out\" and \"end\""
               : "";
}

// Reports what does not fit the state that a transition leaves.
static void check_left(lmb_graph_reader *reader, const lmb_transition_def *def, uint32_t object) {
    const bool has_no_end = def->from != LMB_NONE && reader->left.end > 0 && reader->left.end_node == LMB_NONE;
    if (def->at_end && has_no_end) {
        lmb_graph_report(reader, lmb_graph_find_member(reader, object, "end"),
                         "no clip plays in this state, so it has no end%s", why_no_end(reader));
    }
    if (def->start == LMB_START_SYNC && has_no_end) {
        lmb_graph_report(reader, lmb_graph_find_member(reader, object, "start"),
                         "no clip plays in this state, so it has no phase");
    }
    if (def->kind == LMB_FADE_INERTIALIZED && def->profile != LMB_NONE) {
        lmb_graph_report(reader, object, "a transition that is inertialized has no blend profile");
    }
}

// ---- Transitions that are allowed and do not do what they seem to say.

// Returns whether a state's clip goes on at its end.
static bool goes_on(const lmb_graph_reader *reader, const lmb_graph_left *left) {
    const lmb_player_def *player =
        left->end > 0 && left->end_node != LMB_NONE ? reader->graph->nodes[left->end_node].player : NULL;
    return player != NULL && player->repetitions == 0 &&
           (player->end == LMB_END_LOOP || player->end == LMB_END_PING_PONG);
}

// Returns whether a machine draws anywhere: "random", or a list of states.
static bool draws(const lmb_graph_reader *reader, uint32_t object) {
    const lmb_json_value *values = reader->json.values;
    bool found = false;
    for (uint32_t i = object + 1; i + 1 < values[object].next && !found; i++) {
        found = values[i].type == LMB_JSON_STRING &&
                (lmb_graph_is_text(reader, i, "random") ||
                 (values[i + 1].type == LMB_JSON_ARRAY && lmb_graph_is_text(reader, i, "to")));
    }
    return found;
}

// Warns of a state that leads to itself while its clip goes on: nothing begins again. With `after` the time in the
// state does, and where the machine draws the number does, each of which may be meant.
static void warn_of_self(lmb_graph_reader *reader, const machine *machine, const lmb_transition_def *def) {
    for (uint32_t i = 0; i < machine->target_count && !machine->leads_out; i++) {
        const uint32_t state = machine->targets[i];
        const bool is_self = def->from != LMB_NONE ? def->from == state : def->to_self;
        if (!is_self || machine->states[state].restart || def->after >= 0.0f ||
            !goes_on(reader, &machine->lefts[state])) {
            continue;
        }
        const lmb_state_def *of = &machine->states[state];
        if (def->at_end && def->event == LMB_NONE) {
            lmb_graph_warn(reader, machine->target_values[i],
                           "'%.60s' does not begin again, so its clip is still at its end, and %s until another state "
                           "comes: write \"restart\": true in the state, or \"after\": SECONDS in place of \"end\"",
                           of->name,
                           machine->target_count > 1 ? "the draw is repeated at once" : "this is taken again");
        } else if (of->entry_event == LMB_NONE && of->exit_event == LMB_NONE && !draws(reader, machine->node->object)) {
            lmb_graph_warn(reader, machine->target_values[i],
                           "'%.60s' goes on as if nothing happened: write \"restart\": true in the state if it shall "
                           "begin again",
                           of->name);
        }
    }
}

// Warns of an event that must come in the frame in which a clip that goes on is at its end.
static void warn_of_event_at_end(lmb_graph_reader *reader, const lmb_transition_def *def, uint32_t object) {
    if (def->event != LMB_NONE && def->at_end && goes_on(reader, &reader->left)) {
        lmb_graph_warn(reader, lmb_graph_find_member(reader, object, "end"),
                       "the clip goes on at its end, so this is taken only if '%.60s' comes in that very frame: "
                       "\"when\": {\"trigger\": EVENT} in place of \"event\" waits for the end",
                       reader->graph->def.event_names[def->event]);
    }
}

// Warns of an end that never comes, as the clip does not move.
static void warn_of_still_clip(lmb_graph_reader *reader, const lmb_transition_def *def, uint32_t object) {
    const lmb_graph_left *left = &reader->left;
    const lmb_player_def *player =
        left->end > 0 && left->end_node != LMB_NONE ? reader->graph->nodes[left->end_node].player : NULL;
    if (def->at_end && player != NULL && player->rate.kind == LMB_VALUE_CONSTANT && player->rate.constant == 0.0f &&
        player->offset == 0.0f && player->group == LMB_NONE && !player->random_offset) {
        lmb_graph_warn(reader, lmb_graph_find_member(reader, object, "end"),
                       "never taken: the clip's \"rate\" is 0, so it never comes to its end");
    }
}

// Warns of a phase that is not used.
static void warn_of_start(lmb_graph_reader *reader, const lmb_transition_def *def, uint32_t object) {
    const uint32_t at = lmb_graph_find_member(reader, object, "start-phase");
    if (at != LMB_NONE && def->start != LMB_START_PHASE) {
        lmb_graph_warn(reader, at, "not used: write \"start\": \"phase\" beside it");
    }
}

// Returns whether each transition of a state may be compared with each other one. A travel asks for no event.
static bool are_compared(const lmb_graph_reader *reader, const machine *machine, uint32_t list) {
    const lmb_json_value *values = reader->json.values;
    uint32_t count = 0;
    for (uint32_t at = list + 1; at < values[list].next && count <= COMPARED_TRANSITIONS; at = values[at].next) {
        count++;
    }
    bool travels = false;
    for (uint32_t i = 0; i < machine->state_count && !travels; i++) {
        travels = machine->states[i].travel_event != LMB_NONE;
    }
    return count <= COMPARED_TRANSITIONS && !travels;
}

// Warns of transitions of a state that another one always comes before. The machine around takes those that lead out.
static void warn_of_never_taken(lmb_graph_reader *reader, const machine *machine) {
    for (uint32_t i = 0; i < machine->own_count && reader->result == LMB_OK; i++) {
        const own_transition *late = &machine->own[i];
        bool is_late = false;
        for (uint32_t k = 0; k < machine->own_count && !is_late; k++) {
            const lmb_transition_def *other = &machine->own[k].def;
            const bool is_before =
                other->priority > late->def.priority || (other->priority == late->def.priority && k < i);
            is_late = is_before && lmb_graph_applies_with(other, &late->def);
        }
        const uint32_t when = lmb_graph_find_member(reader, late->object, "when");
        const uint32_t event = lmb_graph_find_member(reader, late->object, "event");
        if (is_late) {
            lmb_graph_warn(
                reader,
                when != LMB_NONE    ? when
                : event != LMB_NONE ? event
                                    : late->object,
                "never taken: another transition of the state applies whenever this one does, and comes first: put "
                "this one before it if it needs more, or give it a greater \"priority\"; a list in \"to\" draws one "
                "of several states");
        }
    }
}

// Returns up to where the chances of a state's transitions that need the same event cover the numbers drawn.
static double find_covered(const machine *machine, uint32_t event) {
    double covered = 0.0;
    for (uint32_t round = 0; round < machine->own_count; round++) {
        for (uint32_t i = 0; i < machine->own_count; i++) {
            const lmb_graph_chance chance = lmb_graph_chance_of(&machine->own[i].def);
            if (machine->own[i].def.event == event && chance.min <= covered) {
                covered = fmax(covered, chance.max);
            }
        }
    }
    return covered;
}

// Returns whether all transitions of a list are among those that are compared, and whether one needs an event.
static bool are_all_compared(const lmb_graph_reader *reader, const machine *machine, uint32_t list, bool *hears) {
    uint32_t at = list + 1;
    *hears = false;
    for (uint32_t i = 0; i < machine->own_count; i++, at = reader->json.values[at].next) {
        *hears = *hears || machine->own[i].def.event != LMB_NONE;
    }
    return at >= reader->json.values[list].next;
}

// Warns of an event, or of a state that no event leaves, that waits for a number drawn when the state was entered.
// `is_any`: the list is "any". What leads out is not looked at.
static void warn_of_one_draw(lmb_graph_reader *reader, const machine *machine, uint32_t list, bool is_any) {
    bool hears;
    const bool has_any = lmb_graph_find_member(reader, machine->node->object, "any") != LMB_NONE;
    const bool is_all = are_all_compared(reader, machine, list, &hears) && (is_any || !has_any);
    for (uint32_t i = 0; i < machine->own_count && is_all; i++) {
        const lmb_transition_def *def = &machine->own[i].def;
        const double covered = find_covered(machine, def->event);
        const bool has_event = def->event != LMB_NONE;
        if (covered < 1.0 && lmb_graph_chance_of(def).max == covered && (has_event || !(hears || is_any))) {
            lmb_graph_warn(reader, lmb_graph_find_member(reader, machine->own[i].object, "when"),
                           "the number is drawn when the state is entered, and stays: at %g or more %s%.60s%s; a last "
                           "transition to the state itself%s draws anew",
                           covered, has_event ? "'" : "",
                           has_event ? reader->graph->def.event_names[def->event] : "the state is never left",
                           has_event ? "' is never answered" : "",
                           is_any      ? ", in each state in place of here,"
                           : has_event ? ", with this event,"
                                       : ", with \"after\",");
        }
    }
}

// Marks the comparison that is all that the first transition of a state needs: if it is always true, nothing shows the
// state. Comparisons of the state are the last ones.
static void mark_first(lmb_graph_reader *reader, const machine *machine, uint32_t list) {
    const own_transition *first = &machine->own[0];
    bool is_first = machine->own_count > 0 && first->object == list + 1 && first->def.event == LMB_NONE &&
                    !first->def.at_end && first->def.after < 0.0f && first->def.term_count == 1;
    for (uint32_t i = 1; i < machine->own_count && is_first; i++) {
        is_first = machine->own[i].def.priority <= first->def.priority;
    }
    for (uint32_t i = reader->compared_count; is_first && i-- > 0 && reader->compared[i].value > list;) {
        reader->compared[i].leaves = reader->compared[i].value < reader->json.values[first->object].next;
    }
}

// Warns of a condition that needs what never holds at once.
static void warn_of_exclusion(lmb_graph_reader *reader, const lmb_transition_def *def, uint32_t object) {
    const lmb_term *pair[2];
    if (lmb_graph_find_exclusion(def, pair)) {
        const lmb_value *of = pair[0]->left.kind == LMB_VALUE_PARAMETER ? &pair[0]->left : &pair[0]->right;
        const bool is_parameter = pair[0]->operand == LMB_OPERAND_VALUE && of->kind == LMB_VALUE_PARAMETER;
        lmb_graph_warn(reader, lmb_graph_find_member(reader, object, "when"),
                       "never true: two of its comparisons%s%.60s%s exclude each other", is_parameter ? " of '" : "",
                       is_parameter ? reader->graph->parameters[of->parameter].name : "", is_parameter ? "'" : "");
    }
}

// Reads a transition that leaves one state, or any. `is_listed`: it is a transition of "any" that leaves some states.
static void read_transition(lmb_graph_reader *reader, machine *machine, uint32_t from, bool is_listed,
                            uint32_t object) {
    if (!lmb_graph_expect(reader, object, LMB_JSON_OBJECT)) {
        return;
    }
    // One that leads out is a transition of the machine around, and has its defaults.
    const bool is_outer = machine->outer != NULL && lmb_graph_find_member(reader, object, "out") != LMB_NONE;
    lmb_transition_def def = is_outer ? machine->outer->initial : machine->initial;
    def.from = from;
    def.to = LMB_NONE;
    machine->target_count = 0;
    machine->leads_out = false;
    uint32_t problems = reader->problem_count;
    lmb_graph_read_fields(reader, &transition_fields, object, &def);
    if (reader->problem_count > problems || reader->result != LMB_OK) {
        return;
    }
    if (machine->target_count == 0) {
        lmb_graph_report(reader, object, "a transition needs the field \"to\"");
        return;
    }
    if (def.event == LMB_NONE && !def.at_end && def.after < 0.0f && def.term_count == 0) {
        lmb_graph_report(reader, object, "a transition needs an \"event\", \"end\": true, \"after\" or \"when\"");
    }
    if (is_listed && def.to == from && !def.to_self && machine->target_count == 1 && !machine->leads_out) {
        return; // as of any state
    }
    if (from != LMB_NONE && !is_listed) {
        refuse_members_of_any(reader, object, def.to_self);
    }
    def.to_self = def.to_self && from == LMB_NONE;
    check_left(reader, &def, object);
    if (def.kind == LMB_FADE_INERTIALIZED && reader->inertia_at == LMB_NONE) {
        reader->inertia_at = object;
    }
    if (reader->problem_count == problems) {
        warn_of_self(reader, machine, &def);
        warn_of_event_at_end(reader, &def, object);
        warn_of_exclusion(reader, &def, object);
        warn_of_still_clip(reader, &def, object);
        warn_of_start(reader, &def, object);
    }
    if (!is_listed && !machine->leads_out && machine->own_count < COMPARED_TRANSITIONS) {
        machine->own[machine->own_count++] = (own_transition){object, def};
    }
    if (reader->problem_count == problems && (!machine->leads_out || lead_out(reader, machine, &def, object))) {
        add_targets(reader, machine, &def, object);
    }
}

// Marks the states in a list. Returns false if it has an error.
static bool mark_states(lmb_graph_reader *reader, const machine *machine, uint32_t list, bool marked[LMB_MAX_STATES]) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t problems = reader->problem_count;
    if (!lmb_graph_expect_count(reader, list, 1, LMB_MAX_STATES, "states")) {
        return false;
    }
    for (uint32_t at = list + 1; at < values[list].next && reader->result == LMB_OK; at = values[at].next) {
        const uint32_t state = look_up_state(reader, machine, at);
        if (state != LMB_NONE && marked[state]) {
            lmb_graph_report(reader, at, "given twice");
        }
        marked[state != LMB_NONE ? state : 0] = true;
    }
    return reader->problem_count == problems && reader->result == LMB_OK;
}

// Reads a transition of "any": one from any state, or one for each state that it leaves.
static void read_any_transition(lmb_graph_reader *reader, machine *machine, uint32_t object) {
    const uint32_t from = lmb_graph_find_member(reader, object, "from");
    const uint32_t except = lmb_graph_find_member(reader, object, "except");
    bool marked[LMB_MAX_STATES] = {false};
    reader->left = (lmb_graph_left){.end_node = LMB_NONE, .is_any = true};
    if (from == LMB_NONE && except == LMB_NONE) {
        read_transition(reader, machine, LMB_NONE, false, object);
        return;
    }
    if (from != LMB_NONE && except != LMB_NONE) {
        lmb_graph_report(reader, except, "beside \"from\"");
        return;
    }
    const uint32_t problems = reader->problem_count;
    if (!mark_states(reader, machine, from != LMB_NONE ? from : except, marked)) {
        return;
    }
    for (uint32_t state = 0; state < machine->state_count && reader->problem_count == problems; state++) {
        if (marked[state] == (from != LMB_NONE) && reader->result == LMB_OK) {
            reader->left = machine->lefts[state];
            read_transition(reader, machine, state, true, object);
        }
    }
}

// Reads the transitions from the state in reader->left, or those of any.
static void read_transitions(lmb_graph_reader *reader, machine *machine, uint32_t from, uint32_t value) {
    const lmb_json_value *values = reader->json.values;
    uint32_t problems = reader->problem_count;
    if (!lmb_graph_expect(reader, value, LMB_JSON_ARRAY)) {
        return;
    }
    for (uint32_t at = value + 1; at < values[value].next && reader->result == LMB_OK; at = values[at].next) {
        if (from != LMB_NONE) {
            read_transition(reader, machine, from, false, at);
        } else {
            read_any_transition(reader, machine, at);
        }
        if (machine->transition_count == LMB_MAX_TRANSITIONS && reader->problem_count > problems) {
            return;
        }
    }
}

// ---- States.

// Returns whether a list has a name.
static bool is_listed(const lmb_graph_reader *reader, uint32_t list, const char *name) {
    const lmb_json_value *values = reader->json.values;
    bool found = false;
    for (uint32_t at = list + 1; list != LMB_NONE && at < values[list].next && !found; at = values[at].next) {
        found = values[at].type == LMB_JSON_STRING && lmb_graph_is_text(reader, at, name);
    }
    return found;
}

// Returns whether a transition of a state, or one of any that names the state, has "end": true. Runs before transitions
// are read, so it ignores invalid values.
static bool asks_for_end(const lmb_graph_reader *reader, const machine *machine, uint32_t state) {
    const lmb_json_value *values = reader->json.values;
    const uint32_t lists[2] = {lmb_graph_find_member(reader, machine->objects[state], "transitions"),
                               lmb_graph_find_member(reader, machine->node->object, "any")};
    for (int i = 0; i < 2; i++) {
        const bool is_list = lists[i] != LMB_NONE && values[lists[i]].type == LMB_JSON_ARRAY;
        for (uint32_t at = lists[i] + 1; is_list && at < values[lists[i]].next; at = values[at].next) {
            if (lmb_graph_is_true(reader, lmb_graph_find_member(reader, at, "end")) &&
                (i == 0 || is_listed(reader, lmb_graph_find_member(reader, at, "from"), machine->states[state].name))) {
                return true;
            }
        }
    }
    return false;
}

static void read_state_pose(lmb_graph_reader *reader, const lmb_graph_field *field, uint32_t value, void *target) {
    (void)field;
    (void)target;
    machine *machine = reader->machine;
    const uint32_t state = machine->state;
    const lmb_graph_owner outside = reader->owner;
    reader->owner = (lmb_graph_owner){.name = machine->states[state].name,
                                      .depth = machine->depth,
                                      .end_node = LMB_NONE,
                                      .holds = asks_for_end(reader, machine, state)};
    const uint32_t first = reader->graph->def.node_count;
    machine->pose.inputs[state] = lmb_graph_read_pose(reader, value);
    reader->left = (lmb_graph_left){machine->pose.inputs[state], first, reader->graph->def.node_count,
                                    reader->owner.end_node, false};
    machine->lefts[state] = reader->left;
    reader->owner = outside;
}

static const lmb_graph_kind kind_state_pose = {read_state_pose, "@pose", NULL};

static const lmb_graph_field state_members[] = {
    {.name = "name", .about = "The name of the state.", .required = true, .kind = &lmb_kind_later, .schema = "@name"},
    {.name = "pose", .required = true, .kind = &kind_state_pose},
    {.name = "restart",
     .about = "Whether the clips begin anew while the state is still seen.",
     .kind = &lmb_kind_boolean,
     .offset = STATE(restart)},
    {.name = "entry",
     .about = "The event that entering the state emits.",
     .kind = &lmb_kind_emitted,
     .offset = STATE(entry_event)},
    {.name = "exit",
     .about = "The event that leaving the state emits.",
     .kind = &lmb_kind_emitted,
     .offset = STATE(exit_event)},
    {.name = "travel",
     .about = "The event that asks for the state: the shortest path of transitions leads to it.",
     .kind = &lmb_kind_event,
     .offset = STATE(travel_event)},
    {.name = "transitions",
     .about = "The transitions that leave the state.",
     .kind = &lmb_kind_later,
     .schema = "{'type':'array','items':{'allOf':[@transition,{'properties':{'to-self':{'const':false},'from':false,'"
               "except':false}}]}}"},
    {.name = "take",
     .about = "With motion matching: whether the state is a take; true by default. Other states come after all takes.",
     .kind = &lmb_kind_later,
     .schema = "{'type':'boolean'}"},
    {.name = "tags",
     .about = "With motion matching: the tags of all moments of the take.",
     .kind = &lmb_kind_later,
     .schema = "{'type':'array','items':@name}"},
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields state_fields = {LMB_FIELDS("a state", state_members)};

// Reads a state. Transitions are read after the pose, regardless of their order in the text.
static void read_state(lmb_graph_reader *reader, machine *machine, uint32_t number) {
    const uint32_t object = machine->objects[number];
    const uint32_t problems = reader->problem_count;
    machine->state = number;
    machine->own_count = 0;
    reader->left = (lmb_graph_left){.end_node = LMB_NONE};
    lmb_graph_read_fields(reader, &state_fields, object, &machine->states[number]);
    uint32_t list = lmb_graph_find_member(reader, object, "transitions");
    if (list != LMB_NONE && reader->result == LMB_OK) {
        read_transitions(reader, machine, number, list);
    }
    if (list != LMB_NONE && reader->result == LMB_OK && reader->problem_count == problems &&
        are_compared(reader, machine, list)) {
        warn_of_never_taken(reader, machine);
        warn_of_one_draw(reader, machine, list, false);
        mark_first(reader, machine, list);
    }
}

// ---- Names are read first: transitions refer to states that come later in the text.

static void name_states(lmb_graph_reader *reader, machine *machine) {
    for (uint32_t i = 0; i < machine->state_count && reader->result == LMB_OK; i++) {
        uint32_t at = lmb_graph_find_member(reader, machine->objects[i], "name");
        const char *name = lmb_graph_read_name(reader, at, LMB_EMPTY_NAME);
        if (name != NULL && find_state(machine, name) != LMB_NONE) {
            lmb_graph_report(reader, at, "another state has this name");
        }
        machine->states[i].name = name;
    }
}

static void move_to_front(machine *machine, uint32_t initial) {
    const lmb_state_def state = machine->states[initial];
    const uint32_t object = machine->objects[initial];
    memmove(machine->states + 1, machine->states, initial * sizeof *machine->states);
    memmove(machine->objects + 1, machine->objects, initial * sizeof *machine->objects);
    machine->states[0] = state;
    machine->objects[0] = object;
}

// Returns false if no states could be read.
static bool find_states(lmb_graph_reader *reader, machine *machine) {
    const lmb_json_value *values = reader->json.values;
    uint32_t list = lmb_graph_find_member(reader, machine->node->object, "states");
    if (list == LMB_NONE || !lmb_graph_expect_count(reader, list, 1, LMB_MAX_STATES, "states")) {
        return false;
    }
    for (uint32_t at = list + 1; at < values[list].next; at = values[at].next) {
        if (lmb_graph_expect(reader, at, LMB_JSON_OBJECT)) {
            machine->objects[machine->state_count++] = at;
        }
    }
    uint32_t count = machine->state_count;
    machine->states = lmb_graph_allocate(reader, &reader->graph->pool, count, sizeof *machine->states);
    if (machine->states == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        machine->states[i] = lmb_default_state_def();
    }
    name_states(reader, machine);
    const uint32_t initial =
        look_up_state(reader, machine, lmb_graph_find_member(reader, machine->node->object, "initial"));
    if (initial != LMB_NONE) {
        move_to_front(machine, initial);
    }
    for (uint32_t i = 0; i < count; i++) {
        machine->states[i].name = machine->states[i].name == NULL ? "" : machine->states[i].name;
    }
    return count > 0 && reader->result == LMB_OK;
}

// ---- The machine.

bool lmb_graph_begin_machine(lmb_graph_reader *reader, uint32_t object) {
    const bool too_many = reader->machine_count == LMB_MAX_MACHINES;
    if (too_many || reader->owner.depth == LMB_MAX_MACHINE_DEPTH) {
        lmb_graph_report(reader, object, too_many ? "more than %u machines" : "more than %u nested machines",
                         too_many ? LMB_MAX_MACHINES : LMB_MAX_MACHINE_DEPTH);
        return false;
    }
    reader->machine_count++;
    return true;
}

static lmb_machine_def definition(const machine *machine) {
    return (lmb_machine_def){.name = machine->name,
                             .states = machine->states,
                             .state_count = machine->state_count,
                             .transitions = machine->transitions,
                             .transition_count = machine->transition_count,
                             .matching = machine->matched.def};
}

// Counts the takes of a machine that matches motion: its first states, up to one that says it is none.
static void count_takes(lmb_graph_reader *reader, machine *machine) {
    bool is_over = false;
    machine->matching = lmb_graph_find_member(reader, machine->node->object, "matching");
    for (uint32_t i = 0; i < machine->state_count; i++) {
        const uint32_t take = lmb_graph_find_member(reader, machine->objects[i], "take");
        const uint32_t tags = lmb_graph_find_member(reader, machine->objects[i], "tags");
        if (machine->matching == LMB_NONE && (take != LMB_NONE || tags != LMB_NONE)) {
            lmb_graph_report(reader, take != LMB_NONE ? take : tags, "the machine has no \"matching\"");
            continue;
        }
        bool is_take = true;
        if (take != LMB_NONE && lmb_graph_expect(reader, take, LMB_JSON_BOOLEAN)) {
            is_take = lmb_json_boolean(&reader->json, take);
        }
        if (is_take && is_over && machine->matching != LMB_NONE) {
            lmb_graph_report(reader, machine->objects[i], "a take after a state that is none");
        }
        is_over = is_over || !is_take;
        machine->take_count += machine->matching != LMB_NONE && !is_over;
    }
    if (machine->matching != LMB_NONE && machine->take_count == 0) {
        lmb_graph_report(reader, machine->matching, "no state is a take");
    }
}

static void read_matching(lmb_graph_reader *reader, machine *machine) {
    lmb_graph_take takes[LMB_MAX_STATES];
    if (machine->take_count > 0 && reader->result == LMB_OK) {
        for (uint32_t i = 0; i < machine->take_count; i++) {
            takes[i] = (lmb_graph_take){machine->objects[i], machine->lefts[i].end_node};
        }
        machine->matched =
            lmb_graph_read_matching(reader, machine->name, machine->matching, takes, machine->take_count);
    }
}

// Warns of states that cannot be reached from the initial one.
static void warn_of_unreachable(lmb_graph_reader *reader, const machine *machine) {
    bool reached[LMB_MAX_STATES] = {true};
    bool grows = true;
    for (uint32_t i = 1; i < machine->state_count; i++) {
        reached[i] = i < machine->take_count || machine->states[i].travel_event != LMB_NONE;
    }
    while (grows) {
        grows = false;
        for (uint32_t i = 0; i < machine->transition_count; i++) {
            const lmb_transition_def *def = &machine->transitions[i];
            bool leads = (def->from == LMB_NONE || reached[def->from]) && !reached[def->to];
            reached[def->to] = reached[def->to] || leads;
            grows = grows || leads;
        }
    }
    for (uint32_t i = 0; i < machine->state_count && reader->result == LMB_OK; i++) {
        if (!reached[i]) {
            lmb_graph_warn(reader, lmb_graph_find_member(reader, machine->objects[i], "name"),
                           "no transitions lead to this state");
        }
    }
}

// Warns of two states whose names differ in case alone.
static void warn_of_alike(lmb_graph_reader *reader, const machine *machine) {
    for (uint32_t i = 0; i < machine->state_count; i++) {
        for (uint32_t k = 0; k < i && reader->result == LMB_OK; k++) {
            if (lmb_graph_differs_in_case(machine->states[k].name, machine->states[i].name)) {
                lmb_graph_warn(reader, lmb_graph_find_member(reader, machine->objects[i], "name"),
                               "the state '%.60s' is another one than '%.60s', from which it differs in case alone: is "
                               "it the same?",
                               machine->states[i].name, machine->states[k].name);
            }
        }
    }
}

static void warn_of_loop(lmb_graph_reader *reader, const machine *machine) {
    const lmb_machine_def def = definition(machine);
    char states[LMB_GRAPH_LOOP_TEXT];
    const uint32_t state = lmb_graph_find_loop(reader, &def, states);
    if (state != LMB_NONE) {
        lmb_graph_warn(
            reader, lmb_graph_find_member(reader, machine->objects[state], "name"),
            "%s: each leads to the next without an event while the same conditions hold, %u times in a frame", states,
            LMB_MAX_TRANSITIONS_A_FRAME);
    }
}

static void read_states(lmb_graph_reader *reader, machine *machine) {
    uint32_t problems = reader->problem_count;
    for (uint32_t i = 0; i < machine->state_count && reader->result == LMB_OK; i++) {
        read_state(reader, machine, i);
    }
    const uint32_t any = lmb_graph_find_member(reader, machine->node->object, "any");
    if (any != LMB_NONE && reader->result == LMB_OK) {
        machine->own_count = 0;
        read_transitions(reader, machine, LMB_NONE, any);
    }
    if (reader->problem_count == problems && reader->result == LMB_OK) {
        warn_of_unreachable(reader, machine);
        warn_of_alike(reader, machine);
        warn_of_loop(reader, machine);
    }
    if (any != LMB_NONE && reader->problem_count == problems && reader->result == LMB_OK) {
        warn_of_one_draw(reader, machine, any, true);
    }
}

// Reads what transitions have that do not state it.
static void read_defaults(lmb_graph_reader *reader, machine *machine) {
    machine->initial = lmb_default_transition_def();
    for (size_t i = 0; i < transition_fields.count; i++) {
        const lmb_graph_field field = lmb_graph_complete(&transition_fields, i);
        const bool is_default = strcmp(field.name, "fade") == 0 || strcmp(field.name, "curve") == 0;
        const uint32_t at = is_default ? lmb_graph_find_member(reader, machine->node->object, field.name) : LMB_NONE;
        if (at != LMB_NONE) {
            field.kind->read(reader, &field, at, &machine->initial);
        }
    }
}

// Completes transitions that lead out of a machine, now that its node is known.
static void name_inner(machine *outer, uint32_t node) {
    for (uint32_t i = 0; i < outer->transition_count; i++) {
        lmb_transition_def *def = &outer->transitions[i];
        for (uint32_t k = 0; k < def->term_count; k++) {
            lmb_term *term = (lmb_term *)(uintptr_t)&def->terms[k]; // of the graph's pool
            if (term->operand == LMB_OPERAND_STATE && term->machine_node == LMB_NONE) {
                term->machine_node = node;
            }
        }
    }
}

uint32_t lmb_graph_add_machine(lmb_graph_reader *reader, const lmb_graph_node *node) {
    machine machine = {.node = node,
                       .depth = reader->owner.depth + 1,
                       .pose = node->def,
                       .outer = reader->machine,
                       .matching = LMB_NONE};
    const char *name = lmb_graph_read_name(reader, lmb_graph_find_member(reader, node->object, "name"), LMB_EMPTY_NAME);
    machine.name = name != NULL ? name : reader->owner.name != NULL ? reader->owner.name : "machine";
    if (reader->result != LMB_OK || !lmb_graph_begin_machine(reader, node->object)) {
        return 0;
    }
    struct lmb_machine_reader *outside = reader->machine;
    reader->machine = &machine;
    read_defaults(reader, &machine);
    if (find_states(reader, &machine)) {
        count_takes(reader, &machine);
        read_states(reader, &machine);
        read_matching(reader, &machine);
    }
    reader->machine = outside;
    lmb_machine_def *def = lmb_graph_allocate(reader, &reader->graph->pool, 1, sizeof *def);
    if (def != NULL) {
        *def = definition(&machine);
    }
    machine.pose.machine = def;
    machine.pose.input_count = machine.state_count;
    const uint32_t added = reader->result == LMB_OK ? lmb_graph_add_node(reader, &machine.pose, node->object) : 0;
    if (reader->result == LMB_OK && outside != NULL) {
        name_inner(outside, added);
    }
    const bool is_mirrored = machine.matched.def != NULL && machine.matched.def->mirrored != LMB_NONE;
    return is_mirrored && reader->result == LMB_OK
               ? lmb_graph_add_mirrored(reader, &machine.matched, added, node->object)
               : added;
}

// ---- Fades of poses that events start.

// The use that is the pose of a fade, or LMB_NONE, and the value of its "at-end".
struct lmb_graph_faded {
    uint32_t use;
    uint32_t end_at;
};

static const char *const fade_states[] = {"out", "in", NULL};
static const lmb_graph_field fade_members[] = {
    {.name = "in",
     .about = "The event that fades the pose in.",
     .required = true,
     .kind = &lmb_kind_event,
     .offset = FADE(in_event)},
    {.name = "out", .about = "The event that fades the pose out.", .kind = &lmb_kind_event, .offset = FADE(out_event)},
    {.name = "at-end",
     .about = "Whether the end of the clip fades the pose out.",
     .kind = &lmb_kind_boolean,
     .offset = FADE(at_end)},
    LMB_SECONDS_FIELD("after", FADE(after), "Seconds after which the pose fades out."),
    LMB_SECONDS_FIELD("seconds", FADE(in_seconds), "Seconds of the fade; $ by default."),
    LMB_SECONDS_FIELD("out-seconds", FADE(out_seconds), "Seconds of fading out, if they differ."),
    {.name = "curve", .about = "The curve of the fade; smoothstep by default.", .kind = &kind_fade_curve},
    {.name = "restart",
     .about = "Whether the event begins the pose anew; false by default.",
     .kind = &lmb_kind_boolean,
     .offset = FADE(restart)},
    {.name = "initial",
     .about = "Where the fade begins; out by default.",
     .kind = &lmb_kind_later,
     .schema = "{'enum':[$choices]}",
     .choices = fade_states},
    {.name = "name",
     .about = "The name of the fade; by default the event that fades in.",
     .kind = &lmb_kind_later,
     .schema = "@name"},
    LMB_COMMENT_FIELD,
};
static const lmb_graph_fields fade_fields = {LMB_FIELDS_OF(fade, 0, "a fade", fade_members)};

const lmb_graph_definition lmb_graph_machine_definitions[] = {
    {"name", NULL, "{'type':'string','minLength':1}", NULL},
    {"state", "A state of a machine.", "$inside", &state_fields},
    {"transition", "A transition to another state.", "$inside", &transition_fields},
    {"target", "One of the states to which a transition may lead.", "$inside", &target_fields},
    {"condition", "What must hold.", "$inside", &condition_fields},
    {"place", "Where the clip of this name is; true stands for the clip whose end is that of the state.", "$inside",
     &place_fields},
    {"fade", "A fade that events start.", "$inside", &fade_fields},
    {NULL, NULL, NULL, NULL},
};

bool lmb_graph_is_fade(const lmb_graph_reader *reader, uint32_t value) {
    return reader->json.values[value].type == LMB_JSON_OBJECT &&
           (lmb_graph_find_member(reader, value, "in") != LMB_NONE ||
            lmb_graph_find_member(reader, value, "out") != LMB_NONE);
}

// Returns the fade's own name, or that of its "in" event.
static const char *find_name(lmb_graph_reader *reader, uint32_t value) {
    uint32_t at = lmb_graph_find_member(reader, value, "name");
    if (at != LMB_NONE) {
        const char *name = lmb_graph_read_name(reader, at, LMB_EMPTY_NAME);
        return name == NULL ? "fade" : name;
    }
    at = lmb_graph_find_member(reader, value, "in");
    bool is_named = at != LMB_NONE && reader->json.values[at].type == LMB_JSON_STRING;
    char *name =
        is_named ? lmb_graph_allocate(reader, &reader->graph->pool, lmb_json_string_room(&reader->json, at), 1) : NULL;
    if (name == NULL) {
        return "fade"; // the error is reported where the event is read
    }
    lmb_json_string(&reader->json, at, name);
    return name;
}

static bool begins_in(lmb_graph_reader *reader, uint32_t value) {
    static const lmb_graph_field choice = {.choices = fade_states};
    uint32_t at = lmb_graph_find_member(reader, value, "initial");
    int state = 0;
    if (at != LMB_NONE) {
        lmb_graph_read_choice(reader, &choice, at, &state);
    }
    return state == 1;
}

static void add_fade(lmb_graph_reader *reader, lmb_graph_fade *fade) {
    lmb_graph_json *graph = reader->graph;
    const bool begins = begins_in(reader, fade->at);
    fade->parameter = lmb_graph_name_fade(reader, fade->name, begins ? 1.0f : 0.0f, fade->at);
    lmb_fade_def added = lmb_default_fade_def();
    added.name = fade->name;
    added.parameter = fade->parameter;
    added.begins_in = begins;
    uint32_t count = graph->def.fade_count;
    const struct lmb_graph_faded none = {LMB_NONE, LMB_NONE};
    if (lmb_graph_append(reader, &reader->scratch, &reader->faded, &count, &none, sizeof none) &&
        lmb_graph_append(reader, &graph->pool, &graph->fades, &graph->def.fade_count, &added, sizeof added)) {
        fade->index = graph->def.fade_count - 1;
    }
}

// Adds the fade before its pose is read, so that it comes before the machines inside the pose.
void lmb_graph_begin_fade(lmb_graph_reader *reader, uint32_t object, const char *member, lmb_graph_fade *fade) {
    uint32_t value = member == NULL ? LMB_NONE : lmb_graph_find_member(reader, object, member);
    *fade = (lmb_graph_fade){.at = LMB_NONE, .index = LMB_NONE};
    if (value == LMB_NONE || !lmb_graph_is_fade(reader, value)) {
        return;
    }
    fade->at = value;
    fade->name = find_name(reader, value);
    fade->end_at = lmb_graph_find_member(reader, value, "at-end");
    if (reader->result == LMB_OK && lmb_graph_begin_machine(reader, value)) {
        add_fade(reader, fade);
    }
}

uint32_t lmb_graph_read_faded_pose(lmb_graph_reader *reader, lmb_graph_fade *fade, uint32_t value) {
    if (fade->index == LMB_NONE) {
        return lmb_graph_read_pose(reader, value);
    }
    const lmb_graph_owner outside = reader->owner;
    reader->owner = (lmb_graph_owner){.name = fade->name,
                                      .depth = outside.depth + 1,
                                      .end_node = LMB_NONE,
                                      .holds = lmb_graph_is_true(reader, fade->end_at)};
    uint32_t use;
    const uint32_t node = lmb_graph_read_pose_or_use(reader, value, &use);
    fade->is_read = true;
    reader->graph->fades[fade->index].pose = node;
    reader->faded[fade->index] = (struct lmb_graph_faded){use, fade->end_at};
    fade->plays = reader->owner.end_node != LMB_NONE;
    reader->owner = outside;
    return node;
}

lmb_value lmb_graph_read_fade(lmb_graph_reader *reader, lmb_graph_fade *fade) {
    lmb_fade_def without_room = lmb_default_fade_def();
    lmb_fade_def *def = fade->index == LMB_NONE ? &without_room : &reader->graph->fades[fade->index];
    def->out_seconds = -1.0f;
    lmb_graph_read_fields(reader, &fade_fields, fade->at, def);
    def->out_seconds = def->out_seconds < 0.0f ? def->in_seconds : def->out_seconds;
    if (def->restart && def->in_event != LMB_NONE && def->in_event == def->out_event) {
        lmb_graph_report(reader, lmb_graph_find_member(reader, fade->at, "restart"),
                         "the event fades out what it would begin anew");
    }
    return lmb_parameter(fade->parameter);
}

void lmb_graph_end_fade(lmb_graph_reader *reader, const lmb_graph_fade *fade) {
    if (fade->is_read && reader->result == LMB_OK && !fade->plays && lmb_graph_is_true(reader, fade->end_at)) {
        lmb_graph_report(reader, fade->end_at, "no clip plays in what is faded, so it has no end");
    }
}

// A definition that has other uses is not the fade's: it plays while they do, and begins with them.
void lmb_graph_finish_fades(lmb_graph_reader *reader) {
    for (uint32_t i = 0; i < reader->graph->def.fade_count && reader->result == LMB_OK; i++) {
        lmb_fade_def *fade = &reader->graph->fades[i];
        const struct lmb_graph_faded *faded = &reader->faded[i];
        if (faded->use == LMB_NONE || !lmb_graph_is_shared(reader, faded->use)) {
            continue;
        }
        if (fade->at_end) {
            lmb_graph_report(reader, faded->end_at, "other poses use what is faded, so it has no end of its own");
        }
        fade->pose = LMB_NONE;
    }
}
