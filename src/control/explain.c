// Reports of transitions, for tools: the conditions of a machine's transitions by the code that decides about them,
// with the value of each term.
#include "control.h"

#include "base/float_environment.h"
#include "math/inline_ops.h"

#include "../../shaders/ops/machines.h"

#include <limber/explain.h>

_Static_assert(LMB_TERM_LESS == TERM_LESS && LMB_TERM_EQUAL == TERM_EQUAL && LMB_TERM_AND == TERM_AND &&
                   LMB_TERM_OR == TERM_OR,
               "the kinds of terms");

const char *lmb_term_kind_name(lmb_term_kind kind) {
    static const char *const names[LMB_TERM_COUNT] = {[LMB_TERM_LESS] = "<",    [LMB_TERM_LESS_EQUAL] = "<=",
                                                      [LMB_TERM_GREATER] = ">", [LMB_TERM_GREATER_EQUAL] = ">=",
                                                      [LMB_TERM_EQUAL] = "==",  [LMB_TERM_AND] = "and",
                                                      [LMB_TERM_OR] = "or"};
    return (unsigned)kind < LMB_TERM_COUNT ? names[kind] : "unknown term";
}

const char *lmb_operand_name(lmb_operand operand) {
    static const char *const names[LMB_OPERAND_COUNT] = {
        [LMB_OPERAND_VALUE] = "value",  [LMB_OPERAND_PHASE] = "phase",     [LMB_OPERAND_REMAINING] = "remaining",
        [LMB_OPERAND_STATE] = "state",  [LMB_OPERAND_TRIGGER] = "trigger", [LMB_OPERAND_DRAW] = "draw",
        [LMB_OPERAND_CHOICE] = "choice"};
    return (unsigned)operand < LMB_OPERAND_COUNT ? names[operand] : "unknown operand";
}

static float seconds_of(ticks fine) {
    return seconds_of_fine(fine);
}

static void report_place(control c, address term, lmb_term_report *report) {
    const address player = c.block[term + FIELD(PLACE_TERM, player)];
    report->player = (uint32_t)((player - c.block[FIELD(CONTROL, players)]) / WORDS_OF(PLAYER));
    report->operand = LMB_OPERAND_PHASE;
    report->left = seconds_of(time_in_clip(c, player));
    report->right = seconds_of(block_ticks(c, term + FIELD(PLACE_TERM, place)));
}

// Reports what a term reads from the state.
static void report_state(control c, address term, lmb_term_report *report) {
    const uint32_t word = c.block[term + FIELD(STATE_TERM, state)], machines = c.block[FIELD(CONTROL, machines)];
    const uint32_t machine_words = c.block[FIELD(CONTROL, machine_count)] * WORDS_OF(MACHINE);
    report->left = number_in_state(c, term, report->left);
    if (word - machines < machine_words) {
        report->operand = LMB_OPERAND_STATE;
        report->machine = (word - machines) / WORDS_OF(MACHINE);
    } else {
        report->event = c.block[word - FIELD(DECISION, state) + FIELD(DECISION, event)];
        report->operand = report->event != CONTROL_NONE                               ? LMB_OPERAND_TRIGGER
                          : (c.block[term + FIELD(TERM, kind)] & TERM_OF_CHOICE) != 0 ? LMB_OPERAND_CHOICE
                                                                                      : LMB_OPERAND_DRAW;
    }
}

static lmb_term_report report_term(control c, address terms, uint32_t index) {
    const address term = terms + (address)index * WORDS_OF(TERM);
    const uint32_t kind = c.block[term + FIELD(TERM, kind)];
    lmb_term_report report = {.kind = (lmb_term_kind)(kind & TERM_COMPARISON),
                              .left_parameter = LMB_NONE,
                              .right_parameter = LMB_NONE,
                              .player = LMB_NONE,
                              .machine = LMB_NONE,
                              .event = LMB_NONE,
                              .holds = condition_holds(c, terms, index + 1, false)};
    if ((kind & TERM_OF_PLACE) != 0) {
        report_place(c, term, &report);
    } else if ((kind & TERM_COMPARISON) < TERM_AND) {
        report.left = control_number(c, term + FIELD(TERM, left));
        report.right = control_number(c, term + FIELD(TERM, right));
        if ((kind & TERM_OF_STATE) != 0) {
            report_state(c, term, &report);
        }
        report.left_parameter = (uint32_t)load_control_value(c.block, term + FIELD(TERM, left)).parameter;
        report.right_parameter = (uint32_t)load_control_value(c.block, term + FIELD(TERM, right)).parameter;
    }
    return report;
}

// Returns whether a machine takes a transition once its event is sent, or at once if it needs none.
static bool may_take(control c, address machine, address current, address transition, uint32_t passed) {
    const candidates each = find_candidates(c, machine, current);
    bool may = transition_applies(c, machine, current, transition, passed);
    if (each.travels && c.block[transition + FIELD(TRANSITION, event)] == CONTROL_NONE) {
        may = c.block[each.at] == transition && step_applies(c, machine, current, transition);
    }
    return may && machine_is_current(c, machine);
}

static lmb_transition_report report_transition(control c, address machine, address current, address transition) {
    const uint32_t *record = c.block + transition;
    const uint32_t passed = record[FIELD(TRANSITION, event)] == CONTROL_NONE ? PLAYING_PASSED : PLAYING_PASSED_IN_FRAME;
    lmb_transition_report report = {
        .from = record[FIELD(TRANSITION, from)],
        .to = record[FIELD(TRANSITION, to)],
        .event = record[FIELD(TRANSITION, event)],
        .needs_end = (record[FIELD(TRANSITION, flags)] & TRANSITION_AT_END) != 0,
        .is_at_end = state_ended(c, machine, current, passed),
        .after = seconds_of(block_ticks(c, transition + FIELD(TRANSITION, after))),
        .seconds = seconds_of(state_ticks(c, machine_at(c, machine) + FIELD(MACHINE_NOW, time))),
        .condition_holds =
            condition_holds(c, record[FIELD(TRANSITION, terms)], record[FIELD(TRANSITION, term_count)], false),
        .applies = may_take(c, machine, current, transition, passed),
        .term_count = record[FIELD(TRANSITION, term_count)]};
    for (uint32_t i = 0; i < report.term_count; i++) {
        report.terms[i] = report_term(c, record[FIELD(TRANSITION, terms)], i);
    }
    return report;
}

uint32_t lmb_state_explain(const lmb_graph *graph, const uint32_t *state, const float *parameters, uint32_t machine,
                           lmb_transition_report *reports, uint32_t max_count) {
    const lmb_control *control = graph != NULL ? graph->control : NULL;
    if (control == NULL || state == NULL || machine >= control->machine_count || (reports == NULL && max_count > 0) ||
        (parameters == NULL && control->parameter_count > 0)) {
        return 0;
    }
    // Nothing here writes to them.
    const struct control c = {.block = control->block,
                              .state = (uint32_t *)(uintptr_t)state,
                              .parameters = (uint32_t *)(uintptr_t)parameters};
    const address record = c.block[FIELD(CONTROL, machines)] + (address)machine * WORDS_OF(MACHINE);
    const address current = state[machine_at(c, record) + FIELD(MACHINE_NOW, current)];
    const address first = c.block[record + FIELD(MACHINE, transitions)];
    uint32_t count = 0;
    lmb_environment callers;
    lmb_environment_enter(&callers);
    for (uint32_t i = 0; i < c.block[record + FIELD(MACHINE, transition_count)]; i++) {
        const address transition = first + (address)i * WORDS_OF(TRANSITION);
        if (transition_leaves(c, transition, current)) {
            if (count < max_count) {
                reports[count] = report_transition(c, record, current, transition);
            }
            count++;
        }
    }
    lmb_environment_leave(&callers);
    return count;
}
