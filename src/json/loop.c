// Finds states that lead to each other without an event. While the same conditions hold, each frame takes the max
// number of transitions, and the machine never rests.
//
// Tries values for the parameters in the conditions: each number that they are compared with, and one between any two
// of them. For each combination it follows the machine from every state. If that takes more transitions than there are
// states, there is a loop.
#include "graph.h"

#include "control/moving.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 4, MOST_NUMBERS = 64, MOST_COMPARED = 1 << 17 };

typedef struct trial {
    const lmb_graph_json *graph;
    const lmb_machine_def *machine;
    uint32_t parameters[MOST_PARAMETERS];
    uint32_t parameter_count;
    float numbers[2 * MOST_NUMBERS];
    uint32_t number_count;
    bool too_many;
    float *row;                    // values of the parameters
    uint32_t next[LMB_MAX_STATES]; // for each state, the next state with these values, or LMB_NONE
} trial;

static bool is_computed(const trial *t, lmb_value value) {
    return value.kind == LMB_VALUE_PARAMETER && t->graph->parameters[value.parameter].is_computed;
}

// Returns whether a transition depends only on its condition, and not on an event, a clip or a time. Conditions on
// computed parameters do not qualify, because their possible values depend on other parameters.
static bool needs_conditions_alone(const trial *t, const lmb_transition_def *transition) {
    bool alone = transition->event == LMB_NONE && !transition->at_end && !(transition->after > 0.0f);
    for (uint32_t i = 0; i < transition->term_count; i++) {
        const lmb_term *term = &transition->terms[i];
        alone =
            alone && term->operand == LMB_OPERAND_VALUE && !is_computed(t, term->left) && !is_computed(t, term->right);
    }
    return alone;
}

static void add_number(trial *t, float number) {
    t->too_many = t->too_many || t->number_count == MOST_NUMBERS;
    if (!t->too_many && isfinite(number)) {
        t->numbers[t->number_count++] = number;
    }
}

static void add_parameter(trial *t, lmb_value value) {
    uint32_t i = 0;
    while (i < t->parameter_count && t->parameters[i] != value.parameter) {
        i++;
    }
    t->too_many = t->too_many || i == MOST_PARAMETERS;
    if (!t->too_many && i == t->parameter_count) {
        t->parameters[t->parameter_count++] = value.parameter;
    }
    const lmb_graph_range range = lmb_graph_curve_range(&t->graph->def, value.curve);
    for (int k = 1; k < 4 && value.curve != LMB_CURVE_LINEAR; k++) {
        add_number(t, range.min + 0.25f * (float)k * (range.max - range.min));
    }
}

static void add_value(trial *t, lmb_value value) {
    if (value.kind == LMB_VALUE_CONSTANT) {
        add_number(t, lmb_value_at(value, NULL, t->graph->def.curves));
    } else {
        add_parameter(t, value);
    }
}

static int compare(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void collect(trial *t) {
    for (uint32_t i = 0; i < t->machine->transition_count; i++) {
        const lmb_transition_def *transition = &t->machine->transitions[i];
        for (uint32_t k = 0; needs_conditions_alone(t, transition) && k < transition->term_count; k++) {
            if (transition->terms[k].kind < LMB_TERM_AND) {
                add_value(t, transition->terms[k].left);
                add_value(t, transition->terms[k].right);
            }
        }
    }
    add_number(t, 0.0f);
    qsort(t->numbers, t->number_count, sizeof *t->numbers, compare);
    const uint32_t count = t->too_many ? 0 : t->number_count;
    for (uint32_t i = 0; i < count; i++) {
        add_number(t, i == 0 ? t->numbers[0] - 1.0f : 0.5f * t->numbers[i - 1] + 0.5f * t->numbers[i]);
    }
    if (count > 0) {
        add_number(t, t->numbers[count - 1] + 1.0f);
    }
}

static bool compares(lmb_term_kind kind, float left, float right) {
    return kind == LMB_TERM_LESS            ? left < right
           : kind == LMB_TERM_LESS_EQUAL    ? left <= right
           : kind == LMB_TERM_GREATER       ? left > right
           : kind == LMB_TERM_GREATER_EQUAL ? left >= right
                                            : left == right;
}

static bool holds(const trial *t, const lmb_transition_def *transition) {
    bool stack[LMB_MAX_TERMS + 1] = {true};
    uint32_t depth = 0;
    for (uint32_t i = 0; i < transition->term_count; i++) {
        const lmb_term *term = &transition->terms[i];
        if (term->kind == LMB_TERM_AND || term->kind == LMB_TERM_OR) {
            const bool a = stack[depth - 1], b = stack[depth];
            stack[--depth] = term->kind == LMB_TERM_AND ? a && b : a || b;
        } else {
            const lmb_curve_def *curves = t->graph->def.curves;
            stack[++depth] = compares(term->kind, lmb_value_at(term->left, t->row, curves),
                                      lmb_value_at(term->right, t->row, curves));
        }
    }
    return stack[depth];
}

// Among the transitions that hold, a state takes the one with the max priority, then the first.
static void find_next(trial *t) {
    const lmb_transition_def *found[LMB_MAX_STATES] = {NULL};
    for (uint32_t i = 0; i < t->machine->transition_count; i++) {
        const lmb_transition_def *transition = &t->machine->transitions[i];
        const bool taken = needs_conditions_alone(t, transition) && holds(t, transition);
        for (uint32_t state = 0; taken && state < t->machine->state_count; state++) {
            const bool leaves = lmb_transition_leaves(transition, state);
            if (leaves && (found[state] == NULL || transition->priority > found[state]->priority)) {
                found[state] = transition;
            }
        }
    }
    for (uint32_t state = 0; state < t->machine->state_count; state++) {
        t->next[state] = found[state] != NULL ? found[state]->to : LMB_NONE;
    }
}

static uint32_t first_of_loop(const trial *t, uint32_t on) {
    uint32_t first = on;
    for (uint32_t state = t->next[on]; state != on; state = t->next[state]) {
        first = state < first ? state : first;
    }
    return first;
}

// Returns the first state of a loop, or LMB_NONE.
static uint32_t find_loop(const trial *t) {
    for (uint32_t first = 0; first < t->machine->state_count; first++) {
        uint32_t state = first;
        for (uint32_t taken = 0; taken <= t->machine->state_count && state != LMB_NONE; taken++) {
            state = t->next[state];
        }
        if (state != LMB_NONE) {
            return first_of_loop(t, state);
        }
    }
    return LMB_NONE;
}

static void name_loop(const trial *t, uint32_t first, char text[LMB_GRAPH_LOOP_TEXT]) {
    size_t length = (size_t)snprintf(text, LMB_GRAPH_LOOP_TEXT, "'%s'", t->machine->states[first].name);
    uint32_t state = first;
    do {
        state = t->next[state];
        if (length < LMB_GRAPH_LOOP_TEXT) {
            length += (size_t)snprintf(text + length, LMB_GRAPH_LOOP_TEXT - length, " -> '%s'",
                                       t->machine->states[state].name);
        }
    } while (state != first);
}

static uint32_t count_terms(const lmb_machine_def *machine) {
    uint32_t terms = machine->transition_count;
    for (uint32_t i = 0; i < machine->transition_count; i++) {
        terms += machine->transitions[i].term_count;
    }
    return terms;
}

uint32_t lmb_graph_find_loop(lmb_graph_reader *reader, const lmb_machine_def *machine, char text[LMB_GRAPH_LOOP_TEXT]) {
    trial t = {.graph = reader->graph, .machine = machine};
    collect(&t);
    uint64_t tries = 1;
    for (uint32_t i = 0; i < t.parameter_count; i++) {
        tries *= t.number_count;
    }
    t.row = lmb_graph_allocate(reader, &reader->scratch, LMB_MAX_PARAMETERS, sizeof *t.row);
    if (t.row == NULL || t.too_many || tries * count_terms(machine) > MOST_COMPARED) {
        return LMB_NONE; // too many to try; lmb_state_counts.transitions shows a loop at run time
    }
    uint32_t loop = LMB_NONE;
    for (uint64_t i = 0; i < tries && loop == LMB_NONE; i++) {
        uint64_t choice = i;
        for (uint32_t k = 0; k < t.parameter_count; k++) {
            t.row[t.parameters[k]] = t.numbers[choice % t.number_count];
            choice /= t.number_count;
        }
        find_next(&t);
        loop = find_loop(&t);
    }
    if (loop != LMB_NONE) {
        name_loop(&t, loop, text);
    }
    return loop;
}
