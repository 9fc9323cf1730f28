// Reports of transitions: which are listed, in which order, with which values, and that a frame takes what they say.
#include "control_def.h"
#include "random.h"
#include "suite.h"

#include <limber/explain.h>
#include <stdlib.h>
#include <string.h>

enum { SPEED, HEALTH, TIME, PARAMETERS };
enum { IDLE, WALK, FALL, STATES };
enum { HIT, EVENTS };

typedef struct fixture {
    lmb_graph *control;
    uint32_t *state;
    float parameters[PARAMETERS];
    lmb_transition_report reports[8];
} fixture;

static lmb_term compare(lmb_term_kind kind, uint32_t parameter, float constant) {
    lmb_term term = lmb_default_term();
    term.kind = kind;
    term.left = lmb_parameter(parameter);
    term.right = lmb_constant(constant);
    return term;
}

static lmb_transition_def make_transition(uint32_t from, uint32_t to) {
    lmb_transition_def transition = lmb_default_transition_def();
    transition.from = from;
    transition.to = to;
    transition.fade = 0.0f;
    return transition;
}

// Idle and walk by the speed, to the fall by an event from anywhere, and back at the end of its clip.
static void start(fixture *f) {
    const lmb_term fast[] = {
        compare(LMB_TERM_GREATER, SPEED, 0.5f), compare(LMB_TERM_GREATER_EQUAL, HEALTH, 0.25f), {.kind = LMB_TERM_AND}};
    lmb_term late = lmb_default_term();
    late.kind = LMB_TERM_LESS;
    late.operand = LMB_OPERAND_REMAINING;
    late.player_node = 0;
    late.right = lmb_constant(0.25f);
    lmb_transition_def transitions[4] = {make_transition(IDLE, WALK), make_transition(WALK, IDLE),
                                         make_transition(LMB_NONE, FALL), make_transition(FALL, IDLE)};
    transitions[0].terms = fast;
    transitions[0].term_count = 3;
    transitions[0].after = 0.5f;
    transitions[1].terms = &late;
    transitions[1].term_count = 1;
    transitions[2].event = HIT;
    transitions[2].priority = 3;
    transitions[3].at_end = true;
    control_state_def states[STATES];
    for (uint32_t i = 0; i < STATES; i++) {
        states[i] = default_control_state_def();
    }
    control_player_def players[2] = {default_control_player_def(), default_control_player_def()};
    players[0].duration = 1.0f;
    players[0].machine = 0;
    players[0].state = WALK;
    players[0].time_parameter = TIME;
    players[1] = players[0];
    players[1].state = FALL;
    players[1].end = LMB_END_HOLD;
    players[1].time_parameter = LMB_NONE;
    states[WALK].end_player = 0;
    states[FALL].end_player = 1;
    const control_machine_def machine = {.states = states,
                                         .state_count = STATES,
                                         .transitions = transitions,
                                         .transition_count = 4,
                                         .machine = LMB_NONE};
    control_def def = default_control_def();
    def.parameter_count = PARAMETERS;
    def.event_count = EVENTS;
    def.players = players;
    def.player_count = 2;
    def.machines = &machine;
    def.machine_count = 1;
    lmb_error error = {0};
    *f = (fixture){.parameters = {0.0f, 1.0f, 0.0f}};
    if (control_create(&def, NULL, NULL, &f->control, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    f->state = calloc(lmb_graph_get_info(f->control)->state_words, sizeof *f->state);
    assert_non_null(f->state);
}

static void finish(fixture *f) {
    lmb_graph_destroy(f->control);
    free(f->state);
}

static void run(fixture *f, uint32_t number, double seconds, bool hits) {
    const lmb_event event = {0, HIT};
    const lmb_control_frame frame = {.step = lmb_ticks_from_seconds(seconds),
                                     .number = number,
                                     .character_count = 1,
                                     .state = f->state,
                                     .parameters = f->parameters,
                                     .events = &event,
                                     .event_count = hits ? 1 : 0};
    assert_int_equal(lmb_control_run(f->control, &frame, 0, 1, NULL), LMB_OK);
}

static uint32_t explain(fixture *f) {
    return lmb_state_explain(f->control, f->state, f->parameters, 0, f->reports, 8);
}

static void terms_have_their_values(void **state) {
    (void)state;
    fixture f;
    start(&f);
    f.parameters[SPEED] = 0.75f;
    f.parameters[HEALTH] = 0.125f;
    run(&f, 0, 0.25, false);
    // From idle: to the fall, which has the greater priority, and to the walk.
    assert_int_equal(explain(&f), 2);
    const lmb_transition_report *fall = &f.reports[0], *walk = &f.reports[1];
    assert_true(fall->to == FALL && fall->from == LMB_NONE && fall->event == HIT && fall->term_count == 0);
    assert_true(fall->applies && fall->condition_holds && !fall->needs_end);
    assert_true(walk->from == IDLE && walk->to == WALK && walk->event == LMB_NONE);
    assert_true(!walk->applies && !walk->condition_holds);
    assert_true(walk->after == 0.5f && walk->seconds == 0.25f);
    assert_int_equal(walk->term_count, 3);
    const lmb_term_report *terms = walk->terms;
    assert_true(terms[0].kind == LMB_TERM_GREATER && terms[0].left == 0.75f && terms[0].right == 0.5f);
    assert_true(terms[0].left_parameter == SPEED && terms[0].right_parameter == LMB_NONE && terms[0].holds);
    assert_true(terms[1].kind == LMB_TERM_GREATER_EQUAL && terms[1].left == 0.125f && !terms[1].holds);
    assert_true(terms[2].kind == LMB_TERM_AND && !terms[2].holds && terms[2].player == LMB_NONE);
    f.parameters[HEALTH] = 0.25f;
    assert_int_equal(explain(&f), 2);
    assert_true(walk->condition_holds && terms[1].holds && terms[2].holds && !walk->applies); // not after 0.25 s
    run(&f, 1, 0.5, false);
    assert_int_equal(lmb_state_current(f.control, f.state, 0), WALK);
    // 0.25 s in the walk: the clip has 0.75 s to go.
    assert_int_equal(explain(&f), 2);
    const lmb_transition_report *idle = &f.reports[1];
    assert_true(idle->to == IDLE && idle->term_count == 1 && !idle->applies);
    assert_true(idle->terms[0].player == 0 && idle->terms[0].left == 0.25f && idle->terms[0].right == 0.75f);
    assert_true(idle->terms[0].kind == LMB_TERM_GREATER && !idle->terms[0].holds);
    run(&f, 2, 0.0625, true);
    assert_int_equal(explain(&f), 1); // the fall does not lead to itself
    assert_true(f.reports[0].needs_end && !f.reports[0].is_at_end && !f.reports[0].applies);
    assert_int_equal(lmb_state_explain(f.control, f.state, f.parameters, 0, NULL, 0), 1);
    assert_int_equal(lmb_state_explain(f.control, f.state, f.parameters, 1, f.reports, 8), 0);
    assert_int_equal(lmb_state_explain(f.control, NULL, f.parameters, 0, f.reports, 8), 0);
    finish(&f);
}

// A frame without time and events takes the first transition that is said to apply, and else none.
static void frames_take_what_applies(void **state) {
    (void)state;
    fixture f;
    uint32_t taken = 0, kept = 0;
    start(&f);
    random_source source = {3};
    for (uint32_t frame = 0; frame < 2000; frame++) {
        f.parameters[SPEED] = (float)random_between(&source, 0.0, 1.0);
        f.parameters[HEALTH] = (float)random_between(&source, 0.0, 1.0);
        run(&f, 2 * frame, random_between(&source, 0.0, 0.3), random_below(&source, 20) == 0);
        f.parameters[SPEED] = (float)random_between(&source, 0.0, 1.0);
        const uint32_t current = lmb_state_current(f.control, f.state, 0), count = explain(&f);
        uint32_t expected = current;
        for (uint32_t i = count; i-- > 0;) {
            const lmb_transition_report *report = &f.reports[i];
            expected = report->applies && report->event == LMB_NONE ? report->to : expected;
        }
        run(&f, 2 * frame + 1, 0.0, false);
        const uint32_t next = lmb_state_current(f.control, f.state, 0);
        // What follows a transition at once was not asked.
        assert_true(next == expected || (expected != current && next != current));
        taken += expected != current;
        kept += expected == current;
    }
    print_message("%u taken, %u not\n", (unsigned)taken, (unsigned)kept);
    assert_true(taken > 50 && kept > 50);
    finish(&f);
}

// A trigger, a draw and the state of another machine.
static void terms_on_the_state_are_reported(void **state) {
    (void)state;
    lmb_term terms[5] = {
        lmb_default_term(), lmb_default_term(), lmb_default_term(), {.kind = LMB_TERM_AND}, {.kind = LMB_TERM_AND}};
    terms[0].operand = LMB_OPERAND_TRIGGER;
    terms[0].kind = LMB_TERM_GREATER;
    terms[0].event = HIT;
    terms[1].operand = LMB_OPERAND_DRAW;
    terms[1].kind = LMB_TERM_LESS;
    terms[1].right = lmb_constant(0.0f);
    terms[2].operand = LMB_OPERAND_STATE;
    terms[2].kind = LMB_TERM_EQUAL;
    terms[2].machine_node = 1;
    terms[2].right = lmb_constant(1.0f);
    lmb_transition_def transitions[2] = {make_transition(0, 1), make_transition(0, 1)};
    transitions[0].terms = terms;
    transitions[0].term_count = 5;
    transitions[1].event = HIT;
    const control_state_def states[2] = {default_control_state_def(), default_control_state_def()};
    const control_machine_def machines[2] = {
        {.states = states, .state_count = 2, .transitions = transitions, .transition_count = 1, .machine = LMB_NONE},
        {.states = states,
         .state_count = 2,
         .transitions = &transitions[1],
         .transition_count = 1,
         .machine = LMB_NONE}};
    control_def def = default_control_def();
    def.event_count = EVENTS;
    def.machines = machines;
    def.machine_count = 2;
    fixture f = {.parameters = {0}};
    assert_int_equal(control_create(&def, NULL, NULL, &f.control, NULL), LMB_OK);
    f.state = calloc(lmb_graph_get_info(f.control)->state_words, sizeof *f.state);
    assert_non_null(f.state);
    run(&f, 0, 0.1, true);
    assert_int_equal(explain(&f), 1);
    const lmb_term_report *reported = f.reports[0].terms;
    assert_true(reported[0].operand == LMB_OPERAND_TRIGGER && reported[0].event == HIT && reported[0].left == 1.0f);
    assert_true(reported[0].holds && reported[0].machine == LMB_NONE);
    const uint32_t draw = f.state[lmb_graph_get_info(f.control)->seed_words.first];
    assert_true(reported[1].operand == LMB_OPERAND_DRAW && reported[1].event == LMB_NONE && !reported[1].holds);
    assert_true((double)reported[1].left == (double)(draw >> 8) / 16777216.0);
    assert_true(reported[2].operand == LMB_OPERAND_STATE && reported[2].machine == 1 && reported[2].left == 1.0f);
    assert_true(reported[2].right == 1.0f && reported[2].holds && !f.reports[0].applies);
    finish(&f);
}

static void terms_have_names(void **state) {
    (void)state;
    static const char *const kinds[] = {"<", "<=", ">", ">=", "==", "and", "or"};
    static const char *const operands[] = {"value", "phase", "remaining", "state", "trigger", "draw", "choice"};
    assert_int_equal(sizeof kinds / sizeof *kinds, LMB_TERM_COUNT);
    assert_int_equal(sizeof operands / sizeof *operands, LMB_OPERAND_COUNT);
    for (int i = 0; i < LMB_TERM_COUNT; i++) {
        assert_string_equal(lmb_term_kind_name((lmb_term_kind)i), kinds[i]);
    }
    for (int i = 0; i < LMB_OPERAND_COUNT; i++) {
        assert_string_equal(lmb_operand_name((lmb_operand)i), operands[i]);
    }
    assert_string_equal(lmb_term_kind_name(LMB_TERM_COUNT), "unknown term");
    assert_string_equal(lmb_operand_name((lmb_operand)-1), "unknown operand");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_have_their_values),
        cmocka_unit_test(terms_on_the_state_are_reported),
        cmocka_unit_test(frames_take_what_applies),
        cmocka_unit_test(terms_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
