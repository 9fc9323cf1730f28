// Motion matching written as JSON: the database is that of the same takes by the public functions, fields go where they
// belong, the machine plays, and what does not fit is reported at its place.
#include "graph_text.h"
#include "suite.h"
#include "tools/walk_takes.h"

#include <limber/graph.h>
#include <limber/graph_json.h>
#include <limber/motion_database.h>
#include <stdlib.h>

enum { TAKES = 2 };

static lmb_rig *rig;
static walk_take *takes;
static lmb_clip *clips[TAKES];

static int set_up(void **state) {
    (void)state;
    static const char *const names[TAKES] = {"first", "second"};
    uint32_t random = 3;
    lmb_error error = {0};
    takes = calloc(TAKES, sizeof *takes);
    assert_non_null(takes);
    assert_ok(walk_make_rig(&rig, &error), &error);
    for (uint32_t i = 0; i < TAKES; i++) {
        assert_ok(walk_make_named(rig, &takes[i], names[i], &random, &error), &error);
        clips[i] = takes[i].clip;
    }
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (uint32_t i = 0; i < TAKES; i++) {
        lmb_clip_destroy(clips[i]);
    }
    lmb_rig_destroy(rig);
    free(takes);
    return 0;
}

static lmb_graph_source source_of(const char *text) {
    return graph_source(text, rig, clips, TAKES);
}

// The object, and states of which one is no take.
#define OBJECT(more)                                                                                                   \
    "{'left-foot':'left foot','right-foot':'right foot','hips':'hips','velocity':[{'param':'x'},{'param':'z'}]" more "}"
#define TAKE(name, clip, more)                                                                                         \
    "{'name':'" name "','pose':{'op':'clip','clip':'" clip "','play':{'velocity':1.5,'end':'hold'}}" more "}"
#define OTHER "{'name':'other','take':false,'pose':{'op':'rest'},'transitions':[{'to':'a','after':1}]}"
#define MACHINE(object, states)                                                                                        \
    "{'op':'machine','matching':" object ",\n'states':[" states "],'any':[{'to':'a','event':'E'}]}"

static lmb_graph_json *read(const char *text) {
    const lmb_graph_source source = source_of(text);
    lmb_graph_json *json = NULL;
    lmb_error error = {0};
    assert_ok(lmb_graph_json_read(&source, NULL, &json, NULL, &error), &error);
    return json;
}

static const lmb_machine_def *machine_of(const lmb_graph_json *json) {
    const lmb_graph_def *def = lmb_graph_json_def(json);
    return def->nodes[def->node_count - 1].machine;
}

static void the_database_is_that_of_the_takes(void **state) {
    (void)state;
    lmb_graph_json *json = read(
        MACHINE(OBJECT(",'rate':20,'times':[0.2,0.4,0.8],'end':0.5,'weights':{'foot-positions':2,"
                       "'foot-velocities':3,'hip-velocity':4,'path':5,'headings':6},"
                       "'tags':{'slow':0,'fast':{'param':'runs'}},'mirrored':{'partners':{'right foot':'left foot'}},"
                       "'joints':[{'joint':'right foot','axes':'y'},{'joint':'hips','velocity':true,"
                       "'axes':'xz','weight':0.5},{'joint':'left foot','axes':'y'}]"),
                TAKE("a", "first", ",'tags':['fast']") "," TAKE("b", "second", "") "," OTHER));
    lmb_motion_take made[TAKES];
    lmb_motion_database_def def = walk_database_def(rig, takes, TAKES, made);
    for (uint32_t i = 0; i < TAKES; i++) {
        made[i].motion = NULL;
        made[i].velocity[2] = 1.5f;
        made[i].tags = i == 0 ? 2u : 0u;
    }
    const float times[3] = {0.2f, 0.4f, 0.8f};
    memcpy(def.times, times, sizeof times);
    def.rate = 20.0f;
    def.end = 0.5f;
    def.weights = (lmb_motion_weights){2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
    const lmb_motion_joint joints[3] = {{def.right_foot, false, {false, true, false}, 1.0f, 2},
                                        {def.hips, true, {true, false, true}, 0.5f, LMB_NONE},
                                        {def.left_foot, false, {false, true, false}, 1.0f, 0}};
    def.mirrored = true;
    def.joints = joints;
    def.joint_count = 3;
    lmb_motion_database *database = NULL;
    lmb_error error = {0};
    size_t size;
    assert_ok(lmb_motion_database_create(&def, NULL, &database, &error), &error);
    const void *block = lmb_motion_database_block(database, &size);
    const lmb_graph_def *read_def = lmb_graph_json_def(json);
    const lmb_node_def *blend = &read_def->nodes[read_def->node_count - 1];
    const lmb_matching_def *matching = read_def->nodes[blend->inputs[0]].machine->matching;
    assert_int_equal(matching->database_words, size / sizeof(uint32_t));
    assert_memory_equal(matching->database, block, size);
    lmb_motion_database_destroy(database);
    lmb_graph_json_destroy(json);
}

static void fields_go_where_they_belong(void **state) {
    (void)state;
    lmb_graph_json *json = read(MACHINE(
        OBJECT(",'heading':{'param':'yaw'},'half-life':0.5,'interval':0.2,'velocity-change':2,'heading-change':1,"
               "'window':0.4,'recent':0.6,'bonus':3,'fade':0.7,'tags':{'slow':-1,'fast':{'param':'runs'}}"),
        TAKE("a", "first", "")));
    const lmb_matching_def *m = machine_of(json)->matching;
    const lmb_graph_def *def = lmb_graph_json_def(json);
    assert_string_equal(def->parameters[m->velocity[0].parameter].name, "x");
    assert_string_equal(def->parameters[m->velocity[1].parameter].name, "z");
    assert_string_equal(def->parameters[m->heading.parameter].name, "yaw");
    assert_true(m->faces_heading && m->half_life == 0.5f && m->interval == 0.2f && m->velocity_change == 2.0f);
    assert_true(m->heading_change == 1.0f && m->window == 0.4f && m->recent == 0.6f && m->bonus == 3.0f);
    assert_true(m->fade == 0.7f && m->rule_count == 2 && m->rules[0].tags == 1 && m->rules[1].tags == 2);
    assert_true(m->rules[0].when.kind == LMB_VALUE_CONSTANT && m->rules[0].when.constant == -1.0f);
    assert_string_equal(def->parameters[m->rules[1].when.parameter].name, "runs");
    assert_non_null(def->motion);
    lmb_graph_json_destroy(json);
    json =
        read(MACHINE("{'left-foot':'left foot','right-foot':'right foot','hips':'hips','path':[[0.5,1],[1.5,{'param':"
                     "'ahead'}],[2,3]]}",
                     TAKE("a", "first", "")));
    m = machine_of(json)->matching;
    assert_true(m->follows_path && m->path[0][0].constant == 0.5f && m->path[2][1].constant == 3.0f);
    assert_string_equal(lmb_graph_json_def(json)->parameters[m->path[1][1].parameter].name, "ahead");
    lmb_graph_json_destroy(json);
    json = read(MACHINE(OBJECT(""), TAKE("a", "first", "")));
    const lmb_matching_def defaults = lmb_default_matching_def();
    m = machine_of(json)->matching;
    assert_true(!m->follows_path && !m->faces_heading && m->half_life == defaults.half_life &&
                m->fade == defaults.fade);
    assert_true(m->interval == defaults.interval && m->rule_count == 0);
    lmb_graph_json_destroy(json);
}

static void what_does_not_fit_is_reported(void **state) {
    (void)state;
    static const malformed_graph rows[] = {
        {MACHINE("3", TAKE("a", "first", "")), "matching", 1, 28, "a number, where an object was expected"},
        {MACHINE("{}", "{'name':'a','take':false,'pose':{'op':'rest'}}"), "matching", 1, 28, "no state is a take"},
        {"{'op':'machine',\n'states':[" TAKE("a", "first", ",'take':true") "]}", "states[0].take", 2, 103,
         "the machine has no \"matching\""},
        {"{'op':'machine',\n'states':[" TAKE("a", "first", ",'tags':['x']") "]}", "states[0].tags", 2, 103,
         "the machine has no \"matching\""},
        {MACHINE(OBJECT(""), TAKE("a", "first", "") "," OTHER ",\n" TAKE("b", "second", "")), "states[2]", 3, 1,
         "a take after a state that is none"},
        {MACHINE(OBJECT(""), "{'name':'a','pose':{'op':'rest'}}"), "states[0]", 2, 11,
         "no clip of its own plays in the state of a take; \"take\": false keeps a state out"},
        {MACHINE(OBJECT(""), "{'name':'a','pose':{'op':'clip','clip':'first','play':{'end':'once'}}}"), "states[0]", 2,
         11, "the clip of a take loops, or holds at its end"},
        {MACHINE(OBJECT(""), "{'name':'a','pose':{'op':'clip','clip':'first','play':{'repetitions':2}}}"), "states[0]",
         2, 11, "the clip of a take has no repetitions"},
        {MACHINE(OBJECT(""), "{'name':'a','pose':{'op':'clip','clip':'first','play':{'group':'g'}}}"), "states[0]", 2,
         11, "the clip of a take is in no group"},
        {MACHINE(OBJECT(""), TAKE("a", "first", ",'tags':7")), "states[0].tags", 2, 103,
         "a number, where an array was expected"},
        {MACHINE(OBJECT(",\n'times':[1,0.5,2]"), TAKE("a", "first", "")), "matching", 1, 28, "motion database: "},
        {MACHINE(OBJECT(",\n'tags':[]"), TAKE("a", "first", "")), "matching.tags", 2, 8, "an object was expected"},
        {MACHINE(OBJECT(",\n'heading':'north'"), TAKE("a", "first", "")), "matching.heading", 2, 11, "a string, where"},
        {MACHINE(OBJECT(",\n'interval':0"), TAKE("a", "first", "")), "matching.interval", 2, 12, "0 is outside"},
        {MACHINE("{'left-foot':'left foot','right-foot':'right foot','hips':'hips',\n'velocity':[1]}",
                 TAKE("a", "first", "")),
         "matching.velocity", 2, 12, "1 numbers, along x and z, where 2"},
        {MACHINE("{'left-foot':'left foot','right-foot':'right foot',\n'hips':'hip','velocity':[1,2]}",
                 TAKE("a", "first", "")),
         "matching.hips", 2, 8, "hips"},
        {MACHINE("{'left-foot':'left foot','right-foot':'right foot','hips':'hips'}", TAKE("a", "first", "")),
         "matching", 1, 28, "\"matching\" needs the field \"velocity\", or \"path\""},
        {MACHINE(OBJECT(",\n'path':[[1,2],[3,4]]"), TAKE("a", "first", "")), "matching.path", 2, 8,
         "2 places, where 3"},
        {MACHINE(OBJECT(",\n'path':[[1,2],[3],[5,6]]"), TAKE("a", "first", "")), "matching.path[1]", 2, 15,
         "1 numbers, along x and z, where 2"},
        {MACHINE("{'left-foot':'hips','right-foot':'right foot','hips':'left foot','velocity':[1,2],\n'mirrored':true}",
                 TAKE("a", "first", "")),
         "matching.mirrored", 2, 12,
         "'hips' has no mirror image; \"mirrored\": {\"partners\": {\"hips\": \"right foot\"}} pairs joints"},
        {MACHINE(OBJECT(",\n'mirrored':{'partners':{'left foot':'hips'}}"), TAKE("a", "first", "")),
         "matching.mirrored", 2, 12, "the mirror image of 'left foot' is 'hips', and not 'right foot'"},
        {MACHINE(OBJECT(",\n'mirrored':{'partners':{'left foot':'right foot','hips':'left foot'}}"),
                 TAKE("a", "first", "")),
         "matching.mirrored.partners.hips", 2, 57, "one of the two has another partner"},
        {MACHINE(OBJECT(",\n'mirrored':{'pairs':1}"), TAKE("a", "first", "")), "matching.mirrored.pairs", 2, 13,
         "no such field"},
        {MACHINE(OBJECT(",\n'joints':[]"), TAKE("a", "first", "")), "matching.joints", 2, 10, "0 joints"},
        {MACHINE(OBJECT(",\n'joints':[{'joint':'foot'}]"), TAKE("a", "first", "")), "matching.joints[0].joint", 2, 20,
         "foot"},
        {MACHINE(OBJECT(",\n'joints':[{'joint':'hips','axes':'yx'}]"), TAKE("a", "first", "")),
         "matching.joints[0].axes", 2, 34, "'yx' is not one or more of x, y and z, in this order"},
        {MACHINE(OBJECT(",\n'joints':[{'joint':'hips'},{'joint':'hips'}]"), TAKE("a", "first", "")), "matching", 1, 28,
         "motion database: joints have 6 features, and there is room for 5"},
        {MACHINE(OBJECT(",'mirrored':true,\n'joints':[{'joint':'left foot','axes':'y'}]"), TAKE("a", "first", "")),
         "matching.joints", 2, 10, "'left foot' is here, and its mirror image 'right foot' not in the same way"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const lmb_graph_source source = source_of(rows[i].text);
        expect_problem(&source, &rows[i]);
    }
}

static void a_velocity_beside_a_path_is_warned_of(void **state) {
    (void)state;
    lmb_graph_json *json = read(MACHINE(OBJECT(",'path':[[0,1],[0,2],[0,3]]"), TAKE("a", "first", "")));
    bool found = false;
    for (uint32_t i = 0; i < lmb_graph_json_warning_count(json); i++) {
        const char *message = lmb_graph_json_warning_at(json, i)->message;
        found = found || strcmp(message, "with a \"path\" nothing reads the velocity") == 0;
    }
    assert_true(found);
    lmb_graph_json_destroy(json);
}

// A machine whose rows count mirrored is blended with its mirror by a parameter that it writes. A machine around it
// knows it by its state, as before.
static void mirrored_rows_are_shown_mirrored(void **state) {
    (void)state;
    lmb_graph_json *json = read("{'op':'machine','states':[{'name':'on','pose':"
                                "{'op':'machine','name':'walk','matching':" OBJECT(
                                    ",'mirrored':true") ",'states':[" TAKE("a", "first", "") "]}}]}");
    const lmb_graph_def *def = lmb_graph_json_def(json);
    const lmb_node_def *blend = &def->nodes[def->nodes[def->node_count - 1].inputs[0]];
    assert_int_equal(blend->op, LMB_OP_BLEND);
    const lmb_node_def *turned = &def->nodes[blend->inputs[1]], *machine = &def->nodes[blend->inputs[0]];
    assert_true(turned->op == LMB_OP_MIRROR && turned->inputs[0] == blend->inputs[0]);
    assert_int_equal(def->mirrors[turned->mirror].axis, LMB_AXIS_X);
    const lmb_matching_def *matching = machine->machine->matching;
    assert_true(blend->weight.kind == LMB_VALUE_PARAMETER && blend->weight.parameter == matching->mirrored);
    assert_string_equal(def->parameters[matching->mirrored].name, "walk.mirrored");
    lmb_motion_database *database = NULL;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    assert_ok(
        lmb_motion_database_open(matching->database, 4 * (size_t)matching->database_words, NULL, &database, &error),
        &error);
    assert_true(lmb_motion_database_get_info(database)->is_mirrored);
    assert_ok(lmb_graph_create(def, NULL, &graph, &error), &error);
    assert_true(lmb_graph_parameter_at(graph, matching->mirrored).is_written);
    lmb_graph_destroy(graph);
    lmb_motion_database_destroy(database);
    lmb_graph_json_destroy(json);
    json = read(MACHINE(OBJECT(",'mirrored':false"), TAKE("a", "first", "")));
    assert_int_equal(machine_of(json)->matching->mirrored, LMB_NONE);
    lmb_graph_json_destroy(json);
}

// More tags than bits.
static void tags_are_limited(void **state) {
    (void)state;
    char text[4096] =
        "{'op':'machine','matching':" OBJECT("") ",'states':[{'name':'a','pose':{'op':'clip','clip':'first',"
                                                 "'play':{'velocity':1,'end':'hold'}},'tags':[";
    for (int i = 0; i < 33; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s'tag %d'", i > 0 ? "," : "", i);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "]}]}");
    const lmb_graph_source source = source_of(text);
    const char *last = strstr(text, "'tag 32'");
    assert_non_null(last);
    expect_problem(&source,
                   &(malformed_graph){text, "states[0].tags[32]", 1, (uint32_t)(last - text) + 1, "more than 32 tags"});
}

// Characters ask for the speed of a take, and get it.
static void the_machine_plays(void **state) {
    (void)state;
    lmb_graph_json *json = read("{'op':'machine','matching':" OBJECT(
        ",'weights':{'path':4}") ",'states':["
                                 "{'name':'slow','pose':{'op':'clip','clip':'first','play':{'velocity':1}}},"
                                 "{'name':'fast','pose':{'op':'clip','clip':'second','play':{'velocity':4}}}]}");
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    assert_ok(lmb_graph_create(lmb_graph_json_def(json), NULL, &graph, &error), &error);
    const uint32_t z = lmb_graph_find_parameter(graph, "z");
    lmb_control_frame frame = lmb_default_control_frame();
    frame.state = calloc(lmb_graph_get_info(graph)->state_words, sizeof(uint32_t));
    frame.parameters = calloc(lmb_graph_get_info(graph)->parameter_count, sizeof(float));
    assert_true(frame.state != NULL && frame.parameters != NULL);
    frame.character_count = 1;
    frame.step = LMB_TICKS_PER_SECOND / 60;
    for (; frame.number < 240; frame.number++) {
        frame.parameters[z] = frame.number < 120 ? 4.0f : 1.0f;
        assert_ok(lmb_control_run(graph, &frame, 0, 1, &error), &error);
        if (frame.number == 119 || frame.number == 239) {
            assert_int_equal(lmb_state_current(graph, frame.state, 0), frame.number == 119 ? 1 : 0);
        }
    }
    free(frame.state);
    free(frame.parameters);
    lmb_graph_destroy(graph);
    lmb_graph_json_destroy(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_database_is_that_of_the_takes),
        cmocka_unit_test(fields_go_where_they_belong),
        cmocka_unit_test(what_does_not_fit_is_reported),
        cmocka_unit_test(a_velocity_beside_a_path_is_warned_of),
        cmocka_unit_test(mirrored_rows_are_shown_mirrored),
        cmocka_unit_test(tags_are_limited),
        cmocka_unit_test(the_machine_plays),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
