// State machines as text: the control that they become, the JSON that they are written as, and the reported problems of
// malformed texts.
#include "failing_host.h"
#include "graph_text.h"
#include "packed.h"
#include "reading.h"

#include <limber/machine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAND, STAND2CROUCH, CROUCH, TAKEOFF, HOP, FLOAT, LAND, QUOTED, CLIPS };

static const char *const clip_names[CLIPS] = {"stand", "stand2crouch", "crouch", "takeoff",
                                              "hop",   "float",        "land",   "a \"clip\\"};

static lmb_rig *rig;
static lmb_clip *clips[CLIPS];

static int set_up(void **state) {
    (void)state;
    lmb_joint_def joint = lmb_default_joint_def();
    joint.name = "Hips";
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = &joint, .joint_count = 1}, NULL, &rig, NULL), LMB_OK);
    for (uint32_t i = 0; i < CLIPS; i++) {
        const lmb_clip_def def = {.name = clip_names[i], .duration = 0.5f + (float)i};
        assert_int_equal(lmb_clip_create(rig, &def, NULL, &clips[i], NULL), LMB_OK);
    }
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (uint32_t i = 0; i < CLIPS; i++) {
        lmb_clip_destroy(clips[i]);
    }
    lmb_rig_destroy(rig);
    return 0;
}

static lmb_graph_source source_of(const char *text) {
    return (lmb_graph_source){.text = text,
                              .size = strlen(text),
                              .name = "jump.txt",
                              .rig = rig,
                              .clips = (const lmb_clip *const *)clips,
                              .clip_count = CLIPS};
}

static reading *read_within(const char *text, const char *json) {
    const lmb_graph_source source = source_of(text);
    lmb_graph_source outer = source_of(json_text(json == NULL ? "" : json));
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    if (lmb_machine_read(&source, json == NULL ? NULL : &outer, NULL, &graph, NULL, &error) != LMB_OK) {
        fail_msg("%s\n%s", text, error.message);
    }
    return reading_create(graph);
}

static reading *read_machine(const char *text) {
    return read_within(text, NULL);
}

static const char jump[] = "stand        { JUMP_PRESS stand2crouch }\n"
                           "stand2crouch { JUMP_RELEASE hop   END crouch }\n"
                           "crouch       { JUMP_RELEASE takeoff }\n"
                           "takeoff      { END float }\n"
                           "hop          { END float }\n"
                           "float        { NEAR_GROUND land }\n"
                           "land         { END stand }\n";

static void the_jump_becomes_a_machine(void **state) {
    (void)state;
    reading *graph = read_machine(jump);
    const lmb_moving *def = graph->control;
    const lmb_moving_machine *machine = &def->machines[0];
    assert_int_equal(def->machine_count, 1);
    assert_int_equal(machine->def.state_count, 7);
    static const struct {
        uint32_t from, to;
        const char *event;
    } expected[] = {{STAND, STAND2CROUCH, "JUMP_PRESS"},
                    {STAND2CROUCH, HOP, "JUMP_RELEASE"},
                    {STAND2CROUCH, CROUCH, NULL},
                    {CROUCH, TAKEOFF, "JUMP_RELEASE"},
                    {TAKEOFF, FLOAT, NULL},
                    {HOP, FLOAT, NULL},
                    {FLOAT, LAND, "NEAR_GROUND"},
                    {LAND, STAND, NULL}};
    assert_int_equal(machine->def.transition_count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        const lmb_transition_def *transition = &machine->def.transitions[i];
        assert_int_equal(transition->from, expected[i].from);
        assert_int_equal(transition->to, expected[i].to);
        assert_int_equal(transition->at_end, expected[i].event == NULL);
        assert_int_equal(transition->event,
                         expected[i].event == NULL ? LMB_NONE : lmb_graph_find_event(graph->graph, expected[i].event));
        assert_true(transition->fade == 0.2f && transition->curve == LMB_CURVE_SMOOTHSTEP && transition->after < 0.0f);
    }
    for (uint32_t i = 0; i < 7; i++) {
        assert_string_equal(lmb_graph_state_name(graph->graph, 0, i), clip_names[i]);
        assert_string_equal(lmb_graph_player_at(graph->graph, i).name, clip_names[i]);
        bool ends = i == STAND2CROUCH || i == TAKEOFF || i == HOP || i == LAND;
        assert_int_equal(def->players[i].def->end, ends ? LMB_END_HOLD : LMB_END_LOOP);
    }
    assert_int_equal(lmb_graph_json_warning_count(graph->json), 0);
    reading_destroy(graph);
}

static void everything_that_can_be_said(void **state) {
    (void)state;
    reading *graph =
        read_machine("\xEF\xBB\xBF# A comment { }\n"
                     "machine \"the \\\"jump\\\"\"  initial rise\n"
                     "low = \"a \\\"clip\\\\\" ping-pong rate -0.5 offset 0.25 restart entry IN exit OUT { }\n"
                     "fade 0.1 curve cubic-in\n"
                     "any{GO->low curve cubic-bezier 0.25 0.1 0.25 1 priority -2 # to the end of the line }\n"
                     "}\n"
                     "rise=takeoff rate 2{after 1.5 low END low GO after 0.5 when speed > 1 and 0.5 <= x or y == 1 low "
                     "fade 0.3 curve linear frozen priority 3}\n"
                     "curve bezier -0.25 1.5\n"
                     "2 = hop once{\"END OF ALL\" rise when x<0 \"rise\"}\n"
                     "any { STOP 2 curve bezier 0.5 2 to-self fade 1 }");
    const lmb_moving *def = graph->control;
    const lmb_moving_machine *machine = &def->machines[0];
    assert_string_equal(lmb_graph_machine_at(graph->graph, 0).name, "the \"jump\"");
    assert_int_equal(machine->def.state_count, 3);
    assert_string_equal(lmb_graph_state_name(graph->graph, 0, 0), "rise");
    assert_string_equal(lmb_graph_state_name(graph->graph, 0, 1), "low");
    assert_string_equal(lmb_graph_state_name(graph->graph, 0, 2), "2");
    const lmb_moving_player *rise = &def->players[0];
    assert_true(rise->duration == 3.5f && rise->def->end == LMB_END_HOLD && rise->def->rate.constant == 2.0f);
    const lmb_moving_player *low = &def->players[1];
    assert_true(low->duration == 7.5f && low->def->end == LMB_END_PING_PONG && low->def->rate.constant == -0.5f &&
                low->def->offset == 0.25f);
    assert_true(def->players[2].def->end == LMB_END_ONCE && def->players[2].weight_parameter != LMB_NONE);
    assert_true(machine->def.states[1].restart && !machine->def.states[0].restart);
    assert_int_equal(machine->def.states[1].entry_event, lmb_graph_find_event(graph->graph, "IN"));
    assert_int_equal(machine->def.states[1].exit_event, lmb_graph_find_event(graph->graph, "OUT"));
    assert_int_equal(machine->def.transition_count, 7);
    const lmb_transition_def *t = machine->def.transitions;
    assert_true(t[0].from == 0 && t[0].to == 1 && t[0].after == 1.5f && t[0].event == LMB_NONE && !t[0].at_end);
    assert_true(t[0].fade == 0.1f && t[0].curve == LMB_CURVE_CUBIC_IN && t[0].kind == LMB_FADE_SMOOTH);
    assert_true(t[1].at_end && t[1].to == 1);
    assert_true(t[2].after == 0.5f && t[2].fade == 0.3f && t[2].curve == LMB_CURVE_LINEAR &&
                t[2].kind == LMB_FADE_FROZEN && t[2].priority == 3);
    static const lmb_term_kind kinds[] = {LMB_TERM_GREATER, LMB_TERM_LESS_EQUAL, LMB_TERM_AND, LMB_TERM_EQUAL,
                                          LMB_TERM_OR};
    assert_int_equal(t[2].term_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(t[2].terms[i].kind, kinds[i]);
    }
    assert_int_equal(t[2].terms[0].left.parameter, lmb_graph_find_parameter(graph->graph, "speed"));
    assert_true(t[2].terms[0].right.kind == LMB_VALUE_CONSTANT && t[2].terms[0].right.constant == 1.0f);
    assert_true(t[2].terms[1].left.constant == 0.5f);
    assert_int_equal(t[3].event, lmb_graph_find_event(graph->graph, "END OF ALL"));
    assert_true(t[4].event == LMB_NONE && t[4].term_count == 1 && t[4].to == 0);
    assert_true(t[4].curve == LMB_CURVE_BEZIER && t[4].curve_control[0] == -0.25f && t[4].curve_control[1] == 1.5f);
    assert_true(t[5].from == LMB_NONE && t[5].to == 1 && t[5].priority == -2 && t[5].curve == lmb_user_curve(0));
    const lmb_curve_key *keys = def->def->curves[0].keys;
    assert_true(def->def->curve_count == 1 && keys[0].out[1] == 0.1f && keys[1].in[0] == -0.75f);
    assert_true(t[6].from == LMB_NONE && t[6].to == 2 && t[6].fade == 1.0f);
    assert_true(t[6].to_self && !t[5].to_self);
    assert_true(t[6].curve == LMB_CURVE_BEZIER && t[6].curve_control[0] == 0.5f && t[6].curve_control[1] == 2.0f);
    assert_int_equal(t[6].event, lmb_graph_find_event(graph->graph, "STOP"));
    reading_destroy(graph);
}

static void a_graph_around_the_machine(void **state) {
    (void)state;
    static const char blend[] = "{'op':'blend','weight':{'param':'w'},'a':{'op':'rest'},\n"
                                "'b':{'name':'legs','op':'machine'}}";
    reading *graph = read_within("stand { GO hop } hop { }", blend);
    assert_string_equal(lmb_graph_machine_at(graph->graph, 0).name, "legs");
    const lmb_graph_def *def = lmb_graph_json_def(graph->json);
    assert_int_equal(def->nodes[def->node_count - 1].op, LMB_OP_BLEND);
    assert_int_equal(def->node_count, 5);
    reading_destroy(graph);
    graph = read_within("machine arms stand { GO hop } hop { }", blend);
    assert_string_equal(lmb_graph_machine_at(graph->graph, 0).name, "arms");
    reading_destroy(graph);
    graph = read_within("stand { GO hop } hop { }", "{'op':'machine'}");
    assert_string_equal(lmb_graph_machine_at(graph->graph, 0).name, "machine");
    reading_destroy(graph);
}

static void problems_around_the_machine(void **state) {
    (void)state;
    static const struct {
        const char *json, *message;
    } rows[] = {
        {"{'op':'rest'}", "pose.json: line 1, column 1: there is no machine without states"},
        {"{'op':'machine','any':[]}", "pose.json: line 1, column 1: there is no machine without states"},
        {"{'op':'blend',\n'a':{'op':'machine'},'b':{'op':'rset'}}",
         "pose.json: line 2, column 32: b.op: there is no such operation"},
        {"{'op':'blend',\n'a':{'op':'machine'},\n'b':7}", "pose.json: line 3, column 5: b: a number"},
        {"{'op':'blend','weight':7,\n'a':{'op':'machine'},'b':{'op':'rest'}}",
         "pose.json: line 1, column 24: weight: 7"},
        {"{'op':'machine'", "pose.json: line 1, column 16: "},
    };
    const lmb_graph_source source = source_of("stand { GO hop }\nhop { }");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lmb_graph_source outer = source_of(json_text(rows[i].json));
        outer.name = "pose.json";
        lmb_graph_json *graph = NULL;
        lmb_error error = {0};
        CHECK_REFUSAL(lmb_machine_read(&source, &outer, NULL, &graph, NULL, &error), &error, LMB_ERROR_FORMAT,
                      rows[i].message);
    }
    // Errors of the machine's text are reported before those of the graph.
    const lmb_graph_source wrong = source_of("stand { GO hop }");
    lmb_graph_source outer = source_of(json_text("{'op':'rset'}"));
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_machine_read(&wrong, &outer, NULL, &graph, NULL, &error), &error, LMB_ERROR_FORMAT,
                  "jump.txt: line 1, column 12: stand: there is no state of this name");
}

static void states_that_nothing_leads_to(void **state) {
    (void)state;
    reading *graph = read_machine("stand { GO hop }\n crouch { GO land }\nhop { }\nland { GO crouch }");
    assert_int_equal(lmb_graph_json_warning_count(graph->json), 2);
    const lmb_graph_problem *warning = lmb_graph_json_warning_at(graph->json, 0);
    assert_string_equal(warning->path, "crouch");
    assert_int_equal(warning->line, 2);
    assert_int_equal(warning->column, 2);
    assert_string_equal(warning->message, "no transitions lead to this state");
    assert_int_equal(lmb_graph_json_warning_at(graph->json, 1)->line, 4);
    reading_destroy(graph);
    // The surrounding graph has its own warnings.
    graph = read_within("stand { } hop { }", "{'op':'blend','a':{'op':'machine'},\n'b':{'op':'machine','states':["
                                             "{'name':'a','pose':{'op':'rest'}},{'name':'b','pose':{'op':'rest'}}]}}");
    assert_int_equal(lmb_graph_json_warning_count(graph->json), 2);
    assert_string_equal(lmb_graph_json_warning_at(graph->json, 0)->path, "hop");
    assert_string_equal(lmb_graph_json_warning_at(graph->json, 1)->path, "b.states[1].name");
    assert_int_equal(lmb_graph_json_warning_at(graph->json, 1)->line, 2);
    reading_destroy(graph);
}

static void nodes_have_places(void **state) {
    (void)state;
    static const char *const own[] = {"states[0].pose", "states[1].pose", ""};
    static const char *const within[] = {"a", "b.states[0].pose", "b.states[1].pose", "b", ""};
    reading *graph = read_machine("stand { GO hop }\nhop = stand { GO stand }");
    expect_paths(graph->json, own, sizeof own / sizeof *own);
    reading_destroy(graph);
    graph = read_within("stand { GO hop }\nhop = stand { GO stand }",
                        "{'op':'blend','a':{'op':'rest'},'b':{'op':'machine'}}");
    expect_paths(graph->json, within, sizeof within / sizeof *within);
    reading_destroy(graph);
}

// The warning is at the state in the machine's own text, with and without a graph around it.
static void states_that_lead_to_each_other(void **state) {
    (void)state;
    static const char *const graphs[] = {NULL,
                                         "{\"op\":\"blend\",\"a\":{\"op\":\"rest\"},\n\"b\":{\"op\":\"machine\"}}"};
    for (int i = 0; i < 2; i++) {
        reading *graph = read_within("# x\n stand { when x < 1 hop } hop { when x < 2 stand }", graphs[i]);
        assert_int_equal(lmb_graph_json_warning_count(graph->json), 1);
        const lmb_graph_problem *warning = lmb_graph_json_warning_at(graph->json, 0);
        assert_string_equal(warning->path, "stand");
        assert_int_equal(warning->line, 2);
        assert_int_equal(warning->column, 2);
        reading_destroy(graph);
    }
}

typedef struct malformed {
    const char *text;
    uint32_t line, column;
    const char *path, *message;
} malformed;

static void malformed_texts(void **state) {
    (void)state;
    static const malformed rows[] = {
        {"", 1, 1, "", "the text ends, where a state was expected"},
        {"# nothing\n\n", 3, 1, "", "the text ends, where a state was expected"},
        {"stand", 1, 6, "stand", "the text ends, where { was expected"},
        {"stand {", 1, 8, "stand", "the text ends, where an event, END, after, when or } was expected"},
        {"stand }", 1, 7, "stand", "\"}\", where { was expected"},
        {"stand { GO }", 1, 12, "stand", "\"}\", where the state that it goes to was expected"},
        {"stand { GO\nhop2 }", 2, 1, "stand", "there is no state of this name; there is only stand"},
        {"stand { GO stand\n GO stands END x }", 2, 5, "stand", "there is no state of this name"},
        {"stand { }\nany { GO up }", 2, 10, "any", "there is no state of this name"},
        {"stand { }\nhop { }\n stand { }", 3, 2, "", "another state has this name"},
        {"stand { }\n\"stand\" { }", 2, 1, "", "another state has this name"},
        {"stnd { }", 1, 1, "stnd", "there is no clip of this name"},
        {"stand = \"Stand\" { }", 1, 9, "stand", "there is no clip of this name"},
        {"stand { }\ninitial hop", 2, 9, "", "there is no state of this name"},
        {"END { }", 1, 1, "", "\"END\", where a state was expected"},
        {"fade { }", 1, 6, "", "\"{\", where a number was expected"},
        {"stand { END END }", 1, 13, "stand", "\"END\", where the state that it goes to was expected"},
        {"stand { \"END\" stand }", 1, 9, "stand", "END is no name of an event"},
        {"stand entry END { }", 1, 13, "stand", "\"END\", where an event was expected"},
        {"stand { after soon stand }", 1, 15, "stand", "\"soon\", where a number was expected"},
        {"stand { after -1 stand }", 1, 15, "stand", "-1 is outside 0 to 100000"},
        {"stand { GO stand fade 1e9 }", 1, 23, "stand", "1e+09 is outside 0 to 100000"},
        {"stand { GO stand curve beziers }", 1, 24, "stand", "\"beziers\", where the name of a curve was expected"},
        {"stand { GO stand curve bezier }", 1, 31, "stand", "\"}\", where a number was expected"},
        {"stand { GO stand curve bezier 0 }", 1, 33, "stand", "\"}\", where a number was expected"},
        {"stand { GO stand curve cubic-bezier 0 1 1 }", 1, 43, "stand", "\"}\", where a number was expected"},
        {"stand { GO stand curve cubic-bezier 0 1 2 1 }", 1, 41, "stand", "2 is outside 0 to 1"},
        {"stand { GO stand curve bezier 0 17 }", 1, 33, "stand", "17 is outside -16 to 16"},
        {"stand { GO stand frozen inertialized }", 1, 25, "stand", "a fade is frozen or inertialized, not both"},
        {"stand { GO stand to-self }", 1, 18, "stand", "only a transition of any has it"},
        {"stand motion 2 { }", 1, 14, "stand", "\"2\", where { was expected"},
        {"motion { GO stand }", 1, 1, "", "\"motion\", where a state was expected"},
        {"inertialized { GO stand }", 1, 1, "", "\"inertialized\", where a state was expected"},
        {"stand { GO stand priority 1.5 }", 1, 27, "stand", "1.5 is no whole number"},
        {"stand { when 1 stand }", 1, 16, "stand", "\"stand\", where <, <=, >, >=, == or != was expected"},
        {"stand { when not { }", 1, 18, "stand", "\"{\", where a number or a parameter was expected"},
        {"stand { when x ! 1 stand }", 1, 16, "stand", "a character that cannot be here"},
        {"stand { }\nany of { GO stand }", 2, 8, "any", "\"{\", where a state was expected"},
        {"stand { }\nany except stan { GO stand }", 2, 12, "any",
         "there is no state of this name; there is only stand"},
        {"stand { when x < fade stand }", 1, 18, "stand", "\"fade\", where a number or a parameter was expected"},
        {"stand { when x = 1 stand }", 1, 16, "stand", "\"=\", where <, <=, >, >=, == or != was expected"},
        {"stand { when a<1 and a<1 and a<1 and a<1 and a<1 and a<1 and a<1 and a<1 and a<1 stand }", 1, 14, "stand",
         "more than 16 comparisons"},
        {"stand rate 65 { }", 1, 12, "stand", "65 is outside -64 to 64"},
        {"stand offset 0.75 { }", 1, 14, "stand", "0.75 is outside 0 to 0.5"},
        {"stand offset .5 { }", 1, 14, "stand", "\".5\", where a number was expected"},
        {"stand once loop: { }", 1, 16, "stand", "a character that cannot be here"},
        {"stand { \"GO stand }", 1, 9, "stand", "a quote that is not closed"},
        {"stand { \"\" stand }", 1, 9, "stand", "a name without a character"},
        {"stand { \"a\\n\" stand }", 1, 9, "stand", "a quote that is not closed, or"},
        {"stand { GO\xFF stand }", 1, 11, "stand", "no UTF-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const malformed *row = &rows[i];
        const lmb_graph_source source = source_of(row->text);
        lmb_graph_json *graph = NULL;
        static lmb_graph_problems problems;
        lmb_error error = {0};
        lmb_result result = lmb_machine_read(&source, NULL, NULL, &graph, &problems, &error);
        if (result != LMB_ERROR_FORMAT) {
            fail_msg("%s: %s", row->text, lmb_result_name(result));
        }
        const lmb_graph_problem *first = &problems.list[0];
        if (strcmp(first->path, row->path) != 0 || first->line != row->line || first->column != row->column ||
            strstr(first->message, row->message) == NULL) {
            fail_msg("%s\n%u:%u %s: %s", row->text, first->line, first->column, first->path, first->message);
        }
        char place[60];
        snprintf(place, sizeof place, "jump.txt: line %u, column %u: ", row->line, row->column);
        CHECK_REFUSAL(result, &error, LMB_ERROR_FORMAT, place);
    }
}

static void states_have_a_limit(void **state) {
    (void)state;
    char text[1000];
    for (uint32_t count = 64; count <= 65; count++) {
        static lmb_graph_problems problems;
        char *at = text;
        for (uint32_t i = 0; i < count; i++) {
            at += sprintf(at, "s%u=hop{}\n", i);
        }
        const lmb_graph_source source = source_of(text);
        lmb_graph_json *graph = NULL;
        const lmb_result result = lmb_machine_read(&source, NULL, NULL, &graph, &problems, NULL);
        assert_int_equal(result, count == 64 ? LMB_OK : LMB_ERROR_FORMAT);
        if (count == 64) {
            assert_int_equal(lmb_graph_json_warning_count(graph), 63); // only the first state has a transition to it
            assert_int_equal(lmb_graph_json_warning_at(graph, 62)->line, 64);
            lmb_graph_json_destroy(graph);
        } else {
            assert_int_equal(problems.list[0].line, 65);
            assert_string_equal(problems.list[0].message, "more than 64 states");
        }
    }
}

static void all_problems_are_reported(void **state) {
    (void)state;
    const lmb_graph_source source = source_of("stnd { GO hop\n END hop }\nhop rate 100 { }\nhop { GO up }");
    static const uint32_t lines[] = {1, 3, 4, 4};
    lmb_graph_json *graph = NULL;
    static lmb_graph_problems problems;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_machine_read(&source, NULL, NULL, &graph, &problems, &error), &error, LMB_ERROR_FORMAT,
                  "; 3 more mistakes");
    assert_int_equal(problems.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(problems.list[i].line, lines[i]);
    }
}

static void too_many_transitions(void **state) {
    (void)state;
    static char text[10000] = "stand {";
    for (int i = 0; i < 257; i++) {
        strcat(text, "\nGO stand");
    }
    strcat(text, "}");
    const lmb_graph_source source = source_of(text);
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_machine_read(&source, NULL, NULL, &graph, NULL, &error), &error, LMB_ERROR_FORMAT,
                  "line 258, column 4: stand: more than 256 transitions");
}

// A graph's aliases are those of the machine's source, as its clips are.
static void aliases_stand_for_clips(void **state) {
    (void)state;
    static const lmb_graph_alias aliases[2] = {{"go \"on\"", "hop"}, {"stand", "float"}};
    lmb_graph_source source = source_of("a = \"go \\\"on\\\"\" { GO stand }\nstand { BACK a }");
    const lmb_graph_source outer = source_of(json_text("{'op':'machine'}"));
    source.clip_aliases = aliases;
    source.clip_alias_count = 2;
    for (int i = 0; i < 2; i++) {
        lmb_graph_json *graph = NULL;
        lmb_error error = {0};
        if (lmb_machine_read(&source, i == 0 ? NULL : &outer, NULL, &graph, NULL, &error) != LMB_OK) {
            fail_msg("%s", error.message);
        }
        const lmb_graph_def *def = lmb_graph_json_def(graph);
        assert_string_equal(lmb_clip_get_info(def->clips[(uint32_t)def->nodes[0].clip.constant])->name, "hop");
        assert_string_equal(lmb_clip_get_info(def->clips[(uint32_t)def->nodes[1].clip.constant])->name, "float");
        lmb_graph_json_destroy(graph);
    }
}

static const lmb_machine_def *machine_of(const reading *graph) {
    return &graph->control->machines[0].def;
}

// Lists of states after "any", and conditions that become other terms.
static void states_after_any_and_conditions(void **state) {
    (void)state;
    reading *graph = read_machine("stand { GO hop } hop { GO crouch } crouch { GO stand }\n"
                                  "any of stand hop { UP hop } any except \"stand\" { DOWN crouch to-self }\n"
                                  "any { when not moving and not x != 2 -> stand }");
    const lmb_machine_def *machine = machine_of(graph);
    static const uint32_t edges[][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 1}, {1, 2}, {2, 2}, {LMB_NONE, 0}};
    assert_int_equal(machine->transition_count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(machine->transitions[i].from, edges[i][0]);
        assert_int_equal(machine->transitions[i].to, edges[i][1]);
        assert_false(machine->transitions[i].to_self);
    }
    const lmb_transition_def *last = &machine->transitions[6];
    static const lmb_term_kind kinds[] = {LMB_TERM_LESS_EQUAL, LMB_TERM_EQUAL, LMB_TERM_AND};
    assert_int_equal(last->term_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(last->terms[i].kind, kinds[i]);
    }
    assert_true(last->terms[0].right.constant == 0.0f && last->terms[1].right.constant == 2.0f);
    reading_destroy(graph);
    graph = read_machine("stand { when not not moving stand } hop { when x != y hop } any { when \"not\" -> stand }");
    machine = machine_of(graph);
    assert_int_equal(machine->transitions[0].terms[0].kind, LMB_TERM_GREATER);
    assert_int_equal(machine->transitions[1].term_count, 3);
    assert_int_equal(machine->transitions[1].terms[2].kind, LMB_TERM_OR);
    assert_true(lmb_graph_find_parameter(graph->graph, "not") != LMB_NONE);
    reading_destroy(graph);
}

static void missing_pointers(void **state) {
    (void)state;
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    lmb_graph_source source = source_of(jump);
    CHECK_REFUSAL(lmb_machine_read(NULL, NULL, NULL, &graph, NULL, &error), &error, LMB_ERROR_ARGUMENT, "source");
    CHECK_REFUSAL(lmb_machine_read(&source, NULL, NULL, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "result");
    lmb_graph_source outer = source;
    outer.text = NULL;
    CHECK_REFUSAL(lmb_machine_read(&source, &outer, NULL, &graph, NULL, &error), &error, LMB_ERROR_ARGUMENT, "text");
    source.rig = NULL;
    CHECK_REFUSAL(lmb_machine_read(&source, NULL, NULL, &graph, NULL, &error), &error, LMB_ERROR_ARGUMENT, "rig");
}

// One inertialized transition inertializes the whole graph: program and control have it, with parameters after all
// others.
static void transitions_that_are_inertialized(void **state) {
    (void)state;
    reading *graph = read_machine("stand { GO when speed > 1 hop fade 0.3 inertialized BACK stand } hop { END stand }");
    const lmb_moving *control = graph->control;
    const lmb_graph_def *program = &graph->moving.poses;
    const lmb_transition_def *t = control->machines[0].def.transitions;
    assert_true(t[0].kind == LMB_FADE_INERTIALIZED && t[0].fade == 0.3f);
    assert_true(t[1].kind == LMB_FADE_SMOOTH && t[2].kind == LMB_FADE_SMOOTH);
    assert_true(control->inertia_parameters != LMB_NONE && program->inertialize);
    const uint32_t first = program->parameter_count - LMB_INERTIA_PARAMETERS;
    assert_int_equal(control->inertia_parameters, first);
    assert_int_equal(program->inertia_parameters, first);
    static const char *const names[] = {"inertia.number", "inertia.step", "inertia.switched", "inertia.time",
                                        "inertia.duration"};
    for (uint32_t i = 0; i < LMB_INERTIA_PARAMETERS; i++) {
        const lmb_graph_parameter parameter = lmb_graph_parameter_at(graph->graph, first + i);
        assert_string_equal(parameter.name, names[i]);
        assert_true(parameter.is_written && parameter.initial == 0.0f && parameter.min == 0.0f);
    }
    reading_destroy(graph);
    // Within a graph, and in a graph without inertialization.
    graph = read_within("stand { GO hop inertialized } hop { END stand }",
                        "{'op':'blend','a':{'op':'rest'},'b':{'op':'machine'},'weight':0.5}");
    assert_true(graph->control->inertia_parameters != LMB_NONE && graph->moving.poses.inertialize);
    reading_destroy(graph);
    graph = read_machine("stand { GO hop frozen } hop { END stand }"); // the hop can begin anew while it is seen
    assert_true(graph->control->inertia_parameters != LMB_NONE && graph->moving.poses.inertialize);
    reading_destroy(graph);
    graph = read_machine("stand { GO after 0.2 hop frozen } hop { END stand }");
    assert_true(graph->control->inertia_parameters == LMB_NONE && !graph->moving.poses.inertialize);
    reading_destroy(graph);
}

// Root motion of joint 0 is extracted from the clips with that option, and drives the character motion. The clips' ends
// are the same as without it.
static void clips_with_root_motion(void **state) {
    (void)state;
    reading *graph = read_machine("stand motion { GO hop } hop rate 2 motion offset 0.5 entry IN { END stand }\n"
                                  "crouch once motion { OUT land } land { END stand }\n"
                                  "any { GO crouch UP stand } ");
    const lmb_moving *def = graph->control;
    assert_non_null(def->def->motion);
    static const lmb_end ends[] = {LMB_END_LOOP, LMB_END_HOLD, LMB_END_ONCE, LMB_END_HOLD};
    assert_int_equal(def->player_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(def->players[i].def->end, ends[i]);
        assert_int_equal(def->players[i].def->motion != NULL, i < 3);
    }
    assert_true(def->players[1].def->rate.constant == 2.0f && def->players[1].def->offset == 0.5f);
    assert_int_equal(def->machines[0].def.states[1].entry_event, lmb_graph_find_event(graph->graph, "IN"));
    assert_int_equal(lmb_graph_json_def(graph->json)->clip_count, CLIPS); // none travels, so all stay as they are
    reading_destroy(graph);
    // Without such a clip there is no character motion.
    graph = read_machine(jump);
    assert_null(graph->control->def->motion);
    reading_destroy(graph);
}

// ---- The same as JSON.

// Returns the JSON of a text, terminated, in memory of malloc(), and its size.
static char *write_machine(const lmb_graph_source *source, size_t *size) {
    lmb_graph_problems problems = {.count = 7};
    lmb_error error = {0};
    if (lmb_machine_json_write(source, NULL, NULL, 0, size, &problems, &error) != LMB_OK) {
        fail_msg("%s\n%s", source->text, error.message);
    }
    assert_int_equal(problems.count, 0);
    char *json = malloc(*size + 1);
    size_t again = 0;
    assert_non_null(json);
    json[*size] = '\0';
    assert_int_equal(lmb_machine_json_write(source, NULL, json, *size, &again, NULL, &error), LMB_OK);
    assert_int_equal(again, *size);
    assert_int_equal(strlen(json), *size);
    return json;
}

// Checks that a text and its JSON are the same graph, and returns the JSON.
static char *write_the_same(const lmb_graph_source *source) {
    size_t sizes[2], size;
    void *packs[2];
    char *json = write_machine(source, &size);
    for (int i = 0; i < 2; i++) {
        lmb_graph_json *graph = NULL;
        lmb_graph_source written = *source;
        written.text = json;
        written.size = size;
        lmb_error error = {0};
        if ((i == 0 ? lmb_machine_read(source, NULL, NULL, &graph, NULL, &error)
                    : lmb_graph_json_read(&written, NULL, &graph, NULL, &error)) != LMB_OK) {
            fail_msg("%s\n%s", i == 0 ? source->text : json, error.message);
        }
        packs[i] = packed_graph("graph", lmb_graph_json_def(graph), &sizes[i]); // all that its descriptor has
        assert_non_null(packs[i]);
        lmb_graph_json_destroy(graph);
    }
    if (sizes[0] != sizes[1] || memcmp(packs[0], packs[1], sizes[0]) != 0) {
        fail_msg("%s\nis another graph than\n%s", source->text, json);
    }
    free(packs[0]);
    free(packs[1]);
    return json;
}

static void expect_json(const char *text, const char *expected) {
    const lmb_graph_source source = source_of(text);
    char *json = write_the_same(&source);
    assert_string_equal(json, json_text(expected));
    free(json);
}

static void machines_are_written_as_json(void **state) {
    (void)state;
    expect_json(jump, "{'op': 'machine', 'states': [\n"
                      "  {'name': 'stand', 'pose': {'op': 'clip', 'clip': 'stand'}, 'transitions': [\n"
                      "    {'to': 'stand2crouch', 'event': 'JUMP_PRESS'}]},\n"
                      "  {'name': 'stand2crouch', 'pose': {'op': 'clip', 'clip': 'stand2crouch'}, 'transitions': [\n"
                      "    {'to': 'hop', 'event': 'JUMP_RELEASE'},\n"
                      "    {'to': 'crouch', 'end': true}]},\n"
                      "  {'name': 'crouch', 'pose': {'op': 'clip', 'clip': 'crouch'}, 'transitions': [\n"
                      "    {'to': 'takeoff', 'event': 'JUMP_RELEASE'}]},\n"
                      "  {'name': 'takeoff', 'pose': {'op': 'clip', 'clip': 'takeoff'}, 'transitions': [\n"
                      "    {'to': 'float', 'end': true}]},\n"
                      "  {'name': 'hop', 'pose': {'op': 'clip', 'clip': 'hop'}, 'transitions': [\n"
                      "    {'to': 'float', 'end': true}]},\n"
                      "  {'name': 'float', 'pose': {'op': 'clip', 'clip': 'float'}, 'transitions': [\n"
                      "    {'to': 'land', 'event': 'NEAR_GROUND'}]},\n"
                      "  {'name': 'land', 'pose': {'op': 'clip', 'clip': 'land'}, 'transitions': [\n"
                      "    {'to': 'stand', 'end': true}]}]}\n");
    expect_json("hop{}", "{'op': 'machine', 'states': [\n  {'name': 'hop', 'pose': {'op': 'clip', 'clip': 'hop'}}]}\n");
    // All that a text may have. Names stay as they are, and the events and parameters are numbered in the same order.
    expect_json("# A comment\n"
                "machine body initial 2 fade 0.5 curve linear\n"
                "h\xC3\xB6h = hop ping-pong rate -0.5 offset 0.25 restart entry IN exit OUT { GO after 1.50 2 }\n"
                "2 = crouch motion { END 2 fade 1e-1 inertialized priority -3\n"
                "  GO when b and not a < 2 or trigger IN stand\n"
                "  when not not a != c -> stand curve bezier 0.5 2 when random 0.25 and random luck stand }\n"
                "any { GO stand to-self frozen curve cubic-bezier 0.25 0.1 0.25 1 }\n"
                "stand once motion { when a stand }\n"
                "any of 2 stand { UP stand }  any except stand { DOWN stand }",
                "{'op': 'machine', 'name': 'body', 'initial': '2', 'states': [\n"
                "  {'name': 'h\xC3\xB6h', 'pose': {'op': 'clip', 'clip': 'hop', 'play': {'end': 'ping-pong', "
                "'rate': -0.5, 'offset': 0.25}}, 'entry': 'IN', 'exit': 'OUT', 'restart': true, 'transitions': [\n"
                "    {'to': '2', 'event': 'GO', 'after': 1.50, 'fade': 0.5, 'curve': 'linear'}]},\n"
                "  {'name': '2', 'pose': {'op': 'clip', 'clip': 'crouch', 'play': {'end': 'hold', 'motion': true}}, "
                "'transitions': [\n"
                "    {'to': '2', 'end': true, 'fade': 1e-1, 'curve': 'linear', 'priority': -3, "
                "'kind': 'inertialized'},\n"
                "    {'to': 'stand', 'event': 'GO', 'when': {'or': [{'and': [{'>': [{'param': 'b'}, 0]}, "
                "{'not': {'<': [{'param': 'a'}, 2]}}]}, {'trigger': 'IN'}]}, 'fade': 0.5, 'curve': 'linear'},\n"
                "    {'to': 'stand', 'when': {'!=': [{'param': 'a'}, {'param': 'c'}]}, 'fade': 0.5, "
                "'curve': {'bezier': [0.5, 2]}},\n"
                "    {'to': 'stand', 'when': {'and': [{'random': 0.25}, {'random': {'param': 'luck'}}]}, "
                "'fade': 0.5, 'curve': 'linear'}]},\n"
                "  {'name': 'stand', 'pose': {'op': 'clip', 'clip': 'stand', 'play': {'end': 'once', "
                "'motion': true}}, 'transitions': [\n"
                "    {'to': 'stand', 'when': {'>': [{'param': 'a'}, 0]}, 'fade': 0.5, 'curve': 'linear'}]}],\n"
                " 'any': [\n"
                "  {'to': 'stand', 'event': 'GO', 'fade': 0.5, 'curve': {'bezier': [0.25, 0.1, 0.25, 1]}, "
                "'kind': 'frozen', 'to-self': true},\n"
                "  {'to': 'stand', 'event': 'UP', 'fade': 0.5, 'curve': 'linear', 'from': ['2', 'stand']},\n"
                "  {'to': 'stand', 'event': 'DOWN', 'fade': 0.5, 'curve': 'linear', 'except': ['stand']}]}\n");
    expect_json("a=\"a \\\"clip\\\\\" rate 2{\"END OF ALL\" \"a\"}",
                "{'op': 'machine', 'states': [\n"
                "  {'name': 'a', 'pose': {'op': 'clip', 'clip': 'a \\'clip\\\\', 'rate': 2}, 'transitions': [\n"
                "    {'to': 'a', 'event': 'END OF ALL'}]}]}\n");
}

// The JSON has the names of clips that the text has, of which an alias is one.
static void aliases_are_written_as_they_are(void **state) {
    (void)state;
    static const lmb_graph_alias alias = {"up", "hop"};
    lmb_graph_source source = source_of("\xEF\xBB\xBF"
                                        "up { GO up }");
    source.clip_aliases = &alias;
    source.clip_alias_count = 1;
    char *json = write_the_same(&source);
    assert_non_null(strstr(json, json_text("'clip': 'up'")));
    free(json);
}

// Writing takes the room that there is, and refuses what reading refuses.
static void writing_refuses_what_reading_refuses(void **state) {
    (void)state;
    lmb_graph_source source = source_of("stand { GO hop }\nhop = hip { }");
    lmb_graph_problems problems;
    lmb_error error = {0};
    size_t size = 7;
    char json[32] = "";
    CHECK_REFUSAL(lmb_machine_json_write(&source, NULL, json, sizeof json, &size, &problems, &error), &error,
                  LMB_ERROR_FORMAT, "jump.txt: line 2, column 7: hop: there is no clip of this name");
    assert_true(size == 0 && json[0] == '\0' && problems.count == 1);
    assert_int_equal(problems.list[0].line, 2);
    source = source_of("hop { }");
    memset(json, '!', sizeof json);
    assert_int_equal(lmb_machine_json_write(&source, NULL, json, 10, &size, &problems, &error), LMB_OK);
    assert_memory_equal(json, "{\"op\": \"ma!", 11);
    assert_true(size > sizeof json && problems.count == 0);
    CHECK_REFUSAL(lmb_machine_json_write(NULL, NULL, NULL, 0, &size, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "source");
    assert_int_equal(size, 0);
    CHECK_REFUSAL(lmb_machine_json_write(&source, NULL, NULL, 1, &size, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "buffer");
    CHECK_REFUSAL(lmb_machine_json_write(&source, NULL, json, sizeof json, NULL, &problems, &error), &error,
                  LMB_ERROR_ARGUMENT, "size");
    source.rig = NULL;
    CHECK_REFUSAL(lmb_machine_json_write(&source, NULL, NULL, 0, &size, NULL, &error), &error, LMB_ERROR_ARGUMENT,
                  "rig");
}

static lmb_result write_with(const lmb_host *host, lmb_error *error, void *user) {
    const lmb_graph_source source = source_of(user);
    size_t size = 7;
    const lmb_result result = lmb_machine_json_write(&source, host, NULL, 0, &size, NULL, error);
    assert_true((result == LMB_OK) == (size > 0));
    return result;
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    const lmb_graph_source source = source_of(user);
    const lmb_graph_source outer = source_of(json_text("{'op':'machine','name':'m'}"));
    lmb_graph_json *graph = NULL;
    lmb_result result = lmb_machine_read(&source, &outer, host, &graph, NULL, error);
    assert_true((result == LMB_OK) == (graph != NULL));
    lmb_graph *created = NULL;
    if (result == LMB_OK) {
        result = lmb_graph_create(lmb_graph_json_def(graph), host, &created, error);
    }
    lmb_graph_destroy(created);
    lmb_graph_json_destroy(graph);
    return result;
}

static void memory_that_is_refused(void **state) {
    (void)state;
    char text[] = "stand rate 2 motion { GO when x < 1 and y > 2 hop } hop { END stand } crouch { } any { UP stand }";
    failing_host_try_all(create_and_destroy, text);
    failing_host_try_all(write_with, text);
}

// A trigger and a chance, as in JSON.
static void triggers_and_chances(void **state) {
    (void)state;
    reading *graph =
        read_machine("stand { when trigger GO and not random luck -> hop } hop { when random 0.25 stand }");
    const lmb_term *terms = graph->control->machines[0].def.transitions[0].terms;
    assert_int_equal(graph->control->machines[0].def.transitions[0].term_count, 3);
    assert_true(terms[0].operand == LMB_OPERAND_TRIGGER && terms[0].kind == LMB_TERM_GREATER);
    assert_int_equal(terms[0].event, lmb_graph_find_event(graph->graph, "GO"));
    assert_true(terms[1].operand == LMB_OPERAND_DRAW && terms[1].kind == LMB_TERM_GREATER_EQUAL);
    assert_int_equal(terms[1].right.parameter, lmb_graph_find_parameter(graph->graph, "luck"));
    terms = graph->control->machines[0].def.transitions[1].terms;
    assert_true(terms[0].operand == LMB_OPERAND_DRAW && terms[0].right.constant == 0.25f);
    reading_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_jump_becomes_a_machine),
        cmocka_unit_test(everything_that_can_be_said),
        cmocka_unit_test(transitions_that_are_inertialized),
        cmocka_unit_test(clips_with_root_motion),
        cmocka_unit_test(a_graph_around_the_machine),
        cmocka_unit_test(problems_around_the_machine),
        cmocka_unit_test(states_that_nothing_leads_to),
        cmocka_unit_test(nodes_have_places),
        cmocka_unit_test(states_that_lead_to_each_other),
        cmocka_unit_test(malformed_texts),
        cmocka_unit_test(states_have_a_limit),
        cmocka_unit_test(all_problems_are_reported),
        cmocka_unit_test(too_many_transitions),
        cmocka_unit_test(missing_pointers),
        cmocka_unit_test(states_after_any_and_conditions),
        cmocka_unit_test(triggers_and_chances),
        cmocka_unit_test(aliases_stand_for_clips),
        cmocka_unit_test(machines_are_written_as_json),
        cmocka_unit_test(aliases_are_written_as_they_are),
        cmocka_unit_test(writing_refuses_what_reading_refuses),
        cmocka_unit_test(memory_that_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
