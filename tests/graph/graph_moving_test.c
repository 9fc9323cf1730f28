// Graphs in C with playing clips, state machines and fades: the control that a descriptor becomes, the one call that
// runs it, and refused descriptors.
#include "failing_host.h"
#include "refusal.h"

#include <limber/cpu.h>
#include <limber/explain.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IDLE, WALK, WAVE, CLIPS };
enum { GO, STOP, HELLO, STEP, EVENTS };
enum { FADE, HOST, PARAMETERS };

static lmb_rig *rig;
static lmb_clip *clips[CLIPS];

// Clip i lasts i + 1 seconds and moves its joint to x = 10 i + time.
static int set_up(void **state) {
    (void)state;
    const lmb_joint_def joint = lmb_default_joint_def();
    static const char *const names[CLIPS] = {"idle", "walk", "wave"};
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = &joint, .joint_count = 1}, NULL, &rig, NULL), LMB_OK);
    for (uint32_t i = 0; i < CLIPS; i++) {
        const float seconds = (float)i + 1.0f, from = 10.0f * (float)i;
        const float times[2] = {0.0f, seconds}, positions[6] = {from, 0, 0, from + seconds, 0, 0};
        const lmb_track_def track = {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, positions};
        const lmb_clip_def def = {.name = names[i], .tracks = &track, .track_count = 1};
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

// Idle and walk are states of a machine, and a fade blends in a wave. Nodes: idle, walk, machine, wave, blend.
typedef struct recipe {
    lmb_player_def idle, walk, wave;
    lmb_state_def states[2];
    lmb_transition_def transitions[2];
    lmb_machine_def machine;
    lmb_fade_def fade;
    lmb_notify_def step;
    lmb_parameter_def parameters[PARAMETERS];
    lmb_node_def nodes[8];
    lmb_graph_def def;
} recipe;

static void start(recipe *r) {
    static const char *const events[EVENTS] = {"GO", "STOP", "HELLO", "step"};
    static const uint32_t poses[2] = {0, 1};
    *r = (recipe){.idle = lmb_default_player_def(), .walk = lmb_default_player_def(), .wave = lmb_default_player_def()};
    r->step = (lmb_notify_def){0.5f, STEP};
    r->walk.notifies = &r->step;
    r->walk.notify_count = 1;
    r->wave.end = LMB_END_HOLD;
    r->states[0] = r->states[1] = lmb_default_state_def();
    r->states[0].name = "idles";
    r->states[1].name = "walks";
    r->transitions[0] = r->transitions[1] = lmb_default_transition_def();
    r->transitions[0].from = 0;
    r->transitions[0].to = 1;
    r->transitions[0].event = GO;
    r->transitions[1].from = 1;
    r->transitions[1].to = 0;
    r->transitions[1].event = STOP;
    r->transitions[0].fade = r->transitions[1].fade = 0.0f;
    r->machine = (lmb_machine_def){
        .name = "gait", .states = r->states, .state_count = 2, .transitions = r->transitions, .transition_count = 2};
    r->fade = lmb_default_fade_def();
    r->fade.name = "hello";
    r->fade.parameter = FADE;
    r->fade.pose = 3;
    r->fade.in_event = HELLO;
    r->fade.at_end = true;
    r->fade.in_seconds = r->fade.out_seconds = 0.0f;
    r->parameters[HOST] = (lmb_parameter_def){"host", 3.0f, 0.0f, 5.0f};
    r->nodes[0] = lmb_playing_node(IDLE, &r->idle);
    r->nodes[1] = lmb_playing_node(WALK, &r->walk);
    r->nodes[2] = lmb_machine_node(poses, &r->machine);
    r->nodes[3] = lmb_playing_node(WAVE, &r->wave);
    r->nodes[4] = lmb_blend_node(2, 3, lmb_parameter(FADE));
    r->def = (lmb_graph_def){.rig = rig,
                             .clips = (const lmb_clip *const *)clips,
                             .clip_count = CLIPS,
                             .nodes = r->nodes,
                             .node_count = 5,
                             .parameter_count = PARAMETERS,
                             .parameters = r->parameters,
                             .event_count = EVENTS,
                             .event_names = events,
                             .fades = &r->fade,
                             .fade_count = 1};
}

enum { MOST_WORDS = 256, MOST_PARAMETERS = 16 };

// One character.
typedef struct character {
    lmb_graph *graph;
    lmb_cpu *cpu;
    uint32_t state[MOST_WORDS];
    uint32_t emitted[1 + 8 * LMB_EMITTED_EVENT_WORDS];
    float parameters[MOST_PARAMETERS];
    uint32_t inertia[64];
    uint32_t number;
    float x; // position of the joint after the frame
} character;

static lmb_graph *created(const recipe *r) {
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_create(&r->def, NULL, &graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return graph;
}

static character begin(const recipe *r) {
    lmb_graph *graph = created(r);
    character c = {.graph = graph};
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &c.cpu, NULL), LMB_OK);
    assert_in_range(lmb_graph_get_info(graph)->state_words, 1, MOST_WORDS);
    assert_in_range(lmb_graph_get_info(graph)->parameter_count, 1, MOST_PARAMETERS);
    assert_in_range(lmb_graph_get_info(graph)->inertia_words, 0, 64);
    lmb_graph_defaults(graph, c.parameters);
    return c;
}

static void end(character *c) {
    lmb_cpu_destroy(c->cpu);
    lmb_graph_destroy(c->graph);
}

static void step(character *c, double seconds, uint32_t event) {
    const lmb_event sent = {0, event};
    const lmb_control_frame frame = {.step = (uint64_t)llround(seconds * (double)LMB_TICKS_PER_SECOND),
                                     .number = c->number++,
                                     .character_count = 1,
                                     .state = c->state,
                                     .parameters = c->parameters,
                                     .events = &sent,
                                     .event_count = event != LMB_NONE,
                                     .emitted = c->emitted};
    float local[LMB_POSE_COMPONENTS];
    const lmb_batch_def batch = {c->graph, 1, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_inputs inputs = {.control = &frame};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_LOCAL] = local, .inertia = c->inertia};
    lmb_error error = {0};
    if (lmb_cpu_run(c->cpu, &batch, &inputs, &outputs, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    c->x = local[0];
}

static void one_call_runs_all_of_it(void **state) {
    (void)state;
    recipe r;
    start(&r);
    character c = begin(&r);
    step(&c, 0.25, LMB_NONE);
    assert_float_equal(c.x, 0.25, 1e-6);
    step(&c, 0.25, GO); // walk begins in this frame
    assert_float_equal(c.x, 10.25, 1e-5);
    assert_int_equal(c.emitted[0], 0);
    step(&c, 0.5, LMB_NONE);
    assert_float_equal(c.x, 10.75, 1e-5);
    assert_int_equal(c.emitted[0], 1);
    assert_int_equal(lmb_emitted_event_at(c.emitted, 0).event, STEP);
    step(&c, 0.25, HELLO); // the wave hides it
    assert_float_equal(c.x, 20.25, 1e-5);
    for (int i = 0; i < 11; i++) {
        step(&c, 0.25, LMB_NONE);
    }
    assert_float_equal(c.parameters[FADE], 1.0, 0.0); // the clip's end is due in the next frame
    step(&c, 0.25, LMB_NONE);
    assert_float_equal(c.parameters[FADE], 0.0, 0.0);
    step(&c, 0.25, STOP);
    assert_true(c.x < 1.0f);
    end(&c);
}

static void names_and_numbers(void **state) {
    (void)state;
    recipe r;
    start(&r);
    lmb_graph *graph = created(&r);
    // Two host parameters, a time for each clip, a weight for each state.
    assert_int_equal(lmb_graph_get_info(graph)->parameter_count, PARAMETERS + 5);
    static const char *const names[] = {"", "host", "idle.time", "walk.time", "gait.idles", "gait.walks", "wave.time"};
    for (uint32_t i = 0; i < PARAMETERS + 5; i++) {
        const lmb_graph_parameter parameter = lmb_graph_parameter_at(graph, i);
        assert_string_equal(parameter.name, names[i]);
        assert_int_equal(parameter.is_written, i != HOST);
        assert_int_equal(lmb_graph_find_parameter(graph, names[i]), i == HOST ? HOST : LMB_NONE);
    }
    assert_true(lmb_graph_parameter_at(graph, HOST).max == 5.0f);
    assert_true(lmb_graph_parameter_at(graph, 3).max == 2.0f);
    float row[PARAMETERS + 5];
    lmb_graph_defaults(graph, row);
    assert_true(row[HOST] == 3.0f && row[4] == 1.0f && row[5] == 0.0f);
    assert_int_equal(lmb_graph_get_info(graph)->event_count, EVENTS);
    assert_string_equal(lmb_graph_event_name(graph, STEP), "step");
    assert_int_equal(lmb_graph_find_event(graph, "STOP"), STOP);
    assert_int_equal(lmb_graph_find_event(graph, "none"), LMB_NONE);
    assert_int_equal(lmb_graph_get_info(graph)->player_count, 3);
    assert_int_equal(lmb_graph_node_player(graph, 3), 2);
    assert_int_equal(lmb_graph_node_player(graph, 4), LMB_NONE);
    assert_int_equal(lmb_graph_node_player(graph, 5), LMB_NONE);
    assert_string_equal(lmb_graph_player_at(graph, 2).name, "wave");
    assert_true(lmb_graph_player_at(graph, 2).duration == 3.0f);
    assert_int_equal(lmb_graph_get_info(graph)->machine_count, 2);
    assert_int_equal(lmb_graph_node_machine(graph, 2), 0);
    assert_int_equal(lmb_graph_node_machine(graph, 3), LMB_NONE);
    assert_int_equal(lmb_graph_get_info(graph)->fade_count, 1);
    assert_int_equal(lmb_graph_fade_machine(graph, 0), 1);
    assert_int_equal(lmb_graph_fade_machine(graph, 1), LMB_NONE);
    assert_string_equal(lmb_graph_machine_at(graph, 0).name, "gait");
    assert_string_equal(lmb_graph_machine_at(graph, 1).name, "hello");
    assert_int_equal(lmb_graph_machine_at(graph, 0).state_count, 2);
    assert_string_equal(lmb_graph_state_name(graph, 0, 1), "walks");
    assert_string_equal(lmb_graph_state_name(graph, 1, 0), "out");
    assert_string_equal(lmb_graph_state_name(graph, 1, 1), "in");
    lmb_graph_destroy(graph);
}

static void indices_that_do_not_exist(void **state) {
    (void)state;
    recipe r;
    start(&r);
    character c = begin(&r);
    const lmb_graph *graph = c.graph;
    const uint32_t beyond[] = {4096, LMB_NONE};
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t index = beyond[i];
        assert_string_equal(lmb_graph_parameter_at(c.graph, index).name, "");
        assert_string_equal(lmb_graph_event_name(c.graph, index), "");
        assert_string_equal(lmb_graph_player_at(c.graph, index).name, "");
        assert_true(lmb_graph_player_at(c.graph, index).duration == 0.0f);
        assert_string_equal(lmb_graph_group_name(c.graph, index), "");
        assert_string_equal(lmb_graph_machine_at(c.graph, index).name, "");
        assert_int_equal(lmb_graph_machine_at(c.graph, index).state_count, 0);
        assert_int_equal(lmb_graph_machine_at(c.graph, index).owner, LMB_NONE);
        assert_int_equal(lmb_graph_machine_at(c.graph, index).owner_state, LMB_NONE);
        assert_string_equal(lmb_graph_state_name(c.graph, index, 0), "");
        assert_string_equal(lmb_graph_state_name(c.graph, 0, index), "");
        assert_int_equal(lmb_state_current(graph, c.state, index), LMB_NONE);
        assert_true(lmb_state_weight(graph, c.state, index, 0) == 0.0f);
        assert_true(lmb_state_weight(graph, c.state, 0, index) == 0.0f);
        assert_int_equal(lmb_state_player(graph, c.state, index).ticks, 0);
        assert_true(lmb_state_player(graph, c.state, index).weight == 0.0f);
    }
    // One beyond the last.
    assert_string_equal(lmb_graph_player_at(c.graph, lmb_graph_get_info(c.graph)->player_count).name, "");
    assert_string_equal(lmb_graph_state_name(c.graph, 0, lmb_graph_machine_at(c.graph, 0).state_count), "");
    assert_true(lmb_state_player(graph, c.state, lmb_graph_get_info(c.graph)->player_count).weight == 0.0f);
    end(&c);
}

// A machine in which one state contains the fade: the faded clip plays within both.
static void machines_and_fades_inside_each_other(void **state) {
    (void)state;
    recipe r;
    start(&r);
    static const uint32_t poses[2] = {0, 3};
    r.nodes[0] = lmb_playing_node(IDLE, &r.idle);
    r.nodes[1] = lmb_playing_node(WALK, &r.walk);
    r.nodes[2] = lmb_playing_node(WAVE, &r.wave);
    r.nodes[3] = lmb_blend_node(1, 2, lmb_parameter(FADE));
    r.nodes[4] = lmb_machine_node(poses, &r.machine);
    r.fade.pose = 2;
    character c = begin(&r);
    assert_int_equal(lmb_graph_machine_at(c.graph, 0).owner, LMB_NONE);
    assert_int_equal(lmb_graph_machine_at(c.graph, 1).owner, 0);
    assert_int_equal(lmb_graph_machine_at(c.graph, 1).owner_state, 1);
    step(&c, 0.25, HELLO); // the fade's machine does not run
    assert_float_equal(c.parameters[FADE], 0.0, 0.0);
    step(&c, 0.25, GO);
    step(&c, 0.25, HELLO);
    assert_float_equal(c.x, 20.25, 1e-5);
    end(&c);
}

// Another node can read a fade's weight. Its own input then plays independently of the fade.
static void others_read_what_a_fade_weighs(void **state) {
    (void)state;
    recipe r;
    start(&r);
    lmb_player_def other = r.wave;
    other.end = LMB_END_LOOP;
    r.nodes[5] = lmb_playing_node(WAVE, &other);
    r.nodes[6] = lmb_blend_node(4, 5, lmb_parameter(FADE));
    r.def.node_count = 7;
    character c = begin(&r);
    step(&c, 0.5, LMB_NONE);
    step(&c, 0.5, HELLO);
    assert_float_equal(c.x, 21.0, 1e-5);
    assert_true(lmb_state_player(c.graph, c.state, 2).ticks == LMB_TICKS_PER_SECOND / 2);
    assert_true(lmb_state_player(c.graph, c.state, 3).ticks == LMB_TICKS_PER_SECOND);
    end(&c);
}

// The weight of a fade becomes 0 after the end of its clip that plays once.
static void what_plays_once_drops_out(void **state) {
    (void)state;
    recipe r;
    start(&r);
    r.wave.end = LMB_END_ONCE;
    r.fade.at_end = false;
    character c = begin(&r);
    step(&c, 0.25, HELLO);
    assert_float_equal(c.x, 20.25, 1e-5);
    step(&c, 2.75, LMB_NONE);
    step(&c, 0.25, LMB_NONE);
    assert_float_equal(c.parameters[FADE], 0.0, 0.0);
    assert_true(c.x < 1.0f);
    end(&c);
}

static void a_node_may_be_used_twice_in_one_state(void **state) {
    (void)state;
    recipe r;
    start(&r);
    r.nodes[5] = lmb_blend_node(4, 2, lmb_constant(0.5f));
    r.def.node_count = 6;
    character c = begin(&r);
    assert_int_equal(lmb_graph_get_info(c.graph)->machine_count, 2);
    step(&c, 0.25, LMB_NONE);
    assert_float_equal(c.x, 0.25, 1e-6);
    assert_float_equal(lmb_state_player(c.graph, c.state, 0).weight, 1.0, 1e-6);
    end(&c);
}

// The first nodes of a graph have the same parameters as in the whole graph, and unused nodes do not run.
static void nodes_that_nothing_uses(void **state) {
    (void)state;
    recipe r;
    start(&r);
    r.def.node_count = 4; // only the wave
    r.fade.begins_in = true;
    character c = begin(&r);
    assert_int_equal(lmb_graph_get_info(c.graph)->player_count, 1);
    assert_int_equal(lmb_graph_node_player(c.graph, 3), 0);
    assert_int_equal(lmb_graph_get_info(c.graph)->parameter_count, PARAMETERS + 5);
    assert_string_equal(lmb_graph_parameter_at(c.graph, PARAMETERS + 4).name, "wave.time");
    assert_int_equal(lmb_graph_get_info(c.graph)->machine_count, 1); // the fade, whose pose is the result
    step(&c, 0.5, LMB_NONE);
    assert_float_equal(c.x, 20.5, 1e-5);
    end(&c);
}

// Functions of states do not read one.
static void expect_nothing_of_states(const lmb_graph *graph) {
    lmb_error error = {0};
    float parameters[PARAMETERS] = {0};
    uint32_t word = 1;
    const lmb_control_frame frame = {.step = 1, .character_count = 1, .state = &word, .parameters = parameters};
    const lmb_motion motion = {0};
    lmb_transition_report transition;
    lmb_matching_report matching;
    CHECK_REFUSAL(lmb_control_run(graph, &frame, 0, 1, &error), &error, LMB_ERROR_ARGUMENT, "nothing in the graph");
    CHECK_REFUSAL(lmb_state_check(graph, &word, 1, &error), &error, LMB_ERROR_ARGUMENT, "nothing in the graph");
    CHECK_REFUSAL(lmb_state_set_seed(graph, &word, 1, &error), &error, LMB_ERROR_ARGUMENT, "nothing in the graph");
    CHECK_REFUSAL(lmb_state_set_update_phase(graph, &word, 1, &error), &error, LMB_ERROR_ARGUMENT,
                  "nothing in the graph");
    CHECK_REFUSAL(lmb_state_set_motion(graph, &word, &motion, &error), &error, LMB_ERROR_ARGUMENT, "has none");
    assert_int_equal(lmb_state_get_counts(graph, NULL).transitions, 0);
    assert_int_equal(lmb_state_current(graph, NULL, 0), LMB_NONE);
    assert_true(lmb_state_weight(graph, NULL, 0, 0) == 0.0f && lmb_state_player(graph, NULL, 0).weight == 0.0f);
    assert_int_equal(lmb_state_update_phase(graph, NULL), LMB_NONE);
    assert_true(lmb_state_motion(graph, NULL).rotation[3] == 1.0 && lmb_state_matrix(graph, NULL).m[0][0] == 1.0f);
    assert_true(lmb_state_root_motion(graph, NULL).rotation[3] == 1.0);
    assert_int_equal(lmb_emitted_count(graph, NULL), 0);
    assert_int_equal(lmb_state_explain(graph, &word, parameters, 0, &transition, 1), 0);
    assert_false(lmb_state_explain_matching(graph, &word, parameters, 0, &matching));
    assert_false(lmb_graph_machine_at(graph, 0).matches_motion);
    assert_int_equal(word, 1);
}

static void a_graph_that_stands_still(void **state) {
    (void)state;
    recipe r;
    start(&r);
    r.nodes[0] = lmb_clip_node(WALK, lmb_parameter(HOST));
    r.def.node_count = 1;
    r.def.fade_count = 0;
    lmb_graph *graph = created(&r);
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    assert_int_equal(info->player_count + info->machine_count, 0);
    assert_int_equal(info->state_words + info->emitted_words + info->motion_floats, 0);
    assert_int_equal(info->motion_words.count + info->update_phase_words.count + info->seed_words.count, 0);
    assert_false(info->has_motion || info->rotates_fully);
    expect_nothing_of_states(graph);
    lmb_graph_destroy(graph);
}

static void inertialized_transitions_inertialize(void **state) {
    (void)state;
    recipe r;
    start(&r);
    r.transitions[0].kind = LMB_FADE_INERTIALIZED;
    character c = begin(&r);
    assert_int_equal(lmb_graph_get_info(c.graph)->inertia_parameters, PARAMETERS + 5);
    assert_int_equal(lmb_graph_get_info(c.graph)->parameter_count, PARAMETERS + 5 + LMB_INERTIA_PARAMETERS);
    assert_string_equal(lmb_graph_parameter_at(c.graph, PARAMETERS + 6).name, "inertia.step");
    assert_true(lmb_graph_get_info(c.graph)->inertia_words > 0);
    float local[LMB_POSE_COMPONENTS];
    const lmb_batch_def batch = {c.graph, 1, LMB_OUTPUT_LOCAL_BIT};
    const lmb_control_frame frame = {
        .step = 1, .character_count = 1, .state = c.state, .parameters = c.parameters, .emitted = c.emitted};
    const lmb_batch_inputs inputs = {.control = &frame};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_LOCAL] = local};
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_cpu_run(c.cpu, &batch, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT, "the memory");
    end(&c);
    r.def.inertialize = true;
    r.def.parameters = NULL;
    r.def.parameter_count += LMB_INERTIA_PARAMETERS;
    lmb_graph *twice = NULL;
    CHECK_REFUSAL(lmb_graph_create(&r.def, NULL, &twice, &error), &error, LMB_ERROR_ARGUMENT, "inertialize");
}

// ---- Transitions that restart a state that is seen.

static void graph_of_machine(recipe *r) {
    start(r);
    r->def.node_count = 3;
    r->def.fade_count = 0;
}

static void restart_itself(recipe *r) {
    graph_of_machine(r);
    r->states[1].restart = true;
    r->transitions[1].to = 1;
    r->transitions[1].fade = 0.3f;
}

static void restart_itself_frozen(recipe *r) {
    restart_itself(r);
    r->transitions[1].kind = LMB_FADE_FROZEN;
}

static void restart_from_any(recipe *r) {
    restart_itself(r);
    r->transitions[1].from = LMB_NONE;
    r->transitions[1].to_self = true;
}

static void restart_after_the_end(recipe *r) {
    restart_itself(r);
    r->states[1].restart = false;
    r->walk.end = LMB_END_HOLD;
}

static void restart_what_dropped_out(recipe *r) {
    restart_after_the_end(r);
    r->walk.end = LMB_END_ONCE;
}

static void restart_on_return(recipe *r) {
    graph_of_machine(r);
    r->states[1].restart = true;
    r->transitions[0].fade = 0.3f;
    r->transitions[1].fade = 0.5f;
}

static void restart_a_fade(recipe *r) {
    start(r);
    r->fade.restart = true;
    r->fade.in_seconds = 0.3f;
}

// The rest of an offset after t seconds, as inertia.h has it.
static double decay(double x0, double v0, double duration, double t) {
    v0 = fmin(v0, 0.0);
    const double t1 = v0 < 0.0 ? fmin(duration, -5.0 * x0 / v0) : duration;
    if (t >= t1) {
        return 0.0;
    }
    const double a0 = fmax(0.0, (-8.0 * v0 * t1 - 20.0 * x0) / (t1 * t1));
    const double c5 = -(a0 * t1 * t1 + 6.0 * v0 * t1 + 12.0 * x0) / (2.0 * pow(t1, 5.0));
    const double c4 = (3.0 * a0 * t1 * t1 + 16.0 * v0 * t1 + 30.0 * x0) / (2.0 * pow(t1, 4.0));
    const double c3 = -(3.0 * a0 * t1 * t1 + 12.0 * v0 * t1 + 20.0 * x0) / (2.0 * pow(t1, 3.0));
    return ((((c5 * t + c4) * t + c3) * t + 0.5 * a0) * t + v0) * t + x0;
}

// Restarted players begin at once, and the offset from the pose that was shown decays, in float64.
static void restarts_fade_from_the_pose_that_is_shown(void **state) {
    (void)state;
    static const struct {
        void (*make)(recipe *r);
        uint32_t events[2]; // at 0 s and `second`
        double second;
        uint32_t restart;
        double at;
        double begins; // the restarted clip's x
    } rows[] = {
        {restart_itself, {GO, LMB_NONE}, 0.0, STOP, 0.8, 10.0},
        {restart_itself_frozen, {GO, LMB_NONE}, 0.0, STOP, 0.8, 10.0},
        {restart_from_any, {GO, LMB_NONE}, 0.0, STOP, 0.8, 10.0},
        {restart_after_the_end, {GO, LMB_NONE}, 0.0, STOP, 2.5, 10.0},
        {restart_what_dropped_out, {GO, LMB_NONE}, 0.0, STOP, 2.5, 10.0},
        {restart_on_return, {GO, STOP}, 0.5, GO, 0.7, 10.0},
        {restart_on_return, {GO, STOP}, 0.1, GO, 0.2, 10.0},
        {restart_a_fade, {HELLO, LMB_NONE}, 0.0, HELLO, 0.8, 20.0},
        {restart_a_fade, {HELLO, LMB_NONE}, 0.0, HELLO, 0.1, 20.0},
    };
    const double frame = 0.02;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        recipe r;
        rows[i].make(&r);
        character c = begin(&r);
        step(&c, frame, LMB_NONE);
        double shown[2] = {0.0};
        const int second = (int)lround(rows[i].second / frame), at = (int)lround(rows[i].at / frame);
        for (int k = 0; k < at; k++) {
            shown[0] = shown[1];
            step(&c, frame, k == 0 ? rows[i].events[0] : k == second ? rows[i].events[1] : LMB_NONE);
            shown[1] = (double)c.x;
        }
        double x0 = 0.0, v0 = 0.0, sign = 1.0;
        for (int k = 1; k <= 25; k++) {
            step(&c, frame, k == 1 ? rows[i].restart : LMB_NONE);
            const double pose = rows[i].begins + k * frame;
            if (k == 1) {
                sign = shown[1] < pose ? -1.0 : 1.0;
                x0 = fabs(shown[1] - pose);
                v0 = sign * (shown[1] - shown[0]) / frame;
            }
            const double expected = pose + sign * decay(x0, v0, 0.3f, k * frame);
            if (!(fabs((double)c.x - expected) <= 2e-5)) {
                fail_msg("row %zu, frame %d: %.7g instead of %.7g", i, k, (double)c.x, expected);
            }
        }
        end(&c);
    }
}

static void hold_and_return(recipe *r) {
    graph_of_machine(r);
    r->walk.end = LMB_END_HOLD;
    r->transitions[0].fade = r->transitions[1].fade = 0.2f;
}

#define INERTIALIZES(change, expected)                                                                                 \
    do {                                                                                                               \
        recipe r;                                                                                                      \
        hold_and_return(&r);                                                                                           \
        change;                                                                                                        \
        lmb_graph *graph = created(&r);                                                                                \
        assert_int_equal(lmb_graph_get_info(graph)->inertia_words > 0, expected);                                      \
        lmb_graph_destroy(graph);                                                                                      \
    } while (false)

// Graphs without such a transition need no memory for it.
static void restarts_are_known_beforehand(void **state) {
    (void)state;
    INERTIALIZES((void)0, true);
    INERTIALIZES(r.walk.end = LMB_END_ONCE, true);
    INERTIALIZES(r.walk.end = LMB_END_LOOP, false);
    INERTIALIZES((r.walk.end = LMB_END_LOOP, r.states[1].restart = true), true);
    INERTIALIZES(r.transitions[0].kind = r.transitions[1].kind = LMB_FADE_FROZEN, true);
    INERTIALIZES(r.transitions[0].fade = 0.0f, false);
    INERTIALIZES(r.transitions[1].fade = 0.0f, false);
    INERTIALIZES(r.transitions[0].after = 0.1f, true);
    INERTIALIZES(r.transitions[0].after = 0.2f, false);
    INERTIALIZES(r.transitions[1].after = 5.0f, true);
    // A transition at the end of idle, which takes 1 s, if it begins anew whenever it is entered.
    INERTIALIZES((r.transitions[0].at_end = true, r.transitions[1].after = 0.5f), false);
    INERTIALIZES((r.transitions[0].at_end = true, r.transitions[1].after = 0.1f), true);
    INERTIALIZES((r.transitions[0].at_end = true, r.transitions[1].after = 0.5f, r.idle.rate.constant = 8.0f), true);
    INERTIALIZES((r.transitions[0].at_end = true, r.transitions[1].after = 0.5f, r.idle.rate = lmb_parameter(HOST)),
                 true);
    INERTIALIZES((r.transitions[0].at_end = true, r.transitions[1].after = 0.5f, r.idle.offset = 0.9f), true);
    INERTIALIZES((r.transitions[0].at_end = true, r.transitions[1].after = 0.5f, r.idle.offset = 0.5f,
                  r.idle.rate.constant = -1.0f),
                 false);
    // A state that restarts itself.
    INERTIALIZES((r.transitions[1].to = 1, r.transitions[0].fade = 0.0f), true);
    INERTIALIZES((r.transitions[1].to = 1, r.transitions[1].fade = 0.0f), false);
    INERTIALIZES((r.transitions[1].to = 1, r.walk.end = LMB_END_LOOP), false);
    // Matrices are not inertialized.
    INERTIALIZES((r.nodes[3] = lmb_default_node_def(), r.nodes[3].op = LMB_OP_WEIGHTED_MATRIX,
                  r.nodes[3].input_count = 2, r.nodes[3].inputs[0] = r.nodes[3].inputs[1] = 2,
                  r.nodes[3].weights[0] = lmb_constant(1.0f), r.def.node_count = 4),
                 false);
    // The host inertializes.
    INERTIALIZES((r.def.inertialize = true, r.def.parameters = NULL, r.def.parameter_count += LMB_INERTIA_PARAMETERS),
                 true);
    // Fades.
    INERTIALIZES((start(&r), r.fade.restart = true), false);
    INERTIALIZES((start(&r), r.fade.restart = true, r.fade.in_seconds = 0.1f), true);
    INERTIALIZES((start(&r), r.fade.in_seconds = 0.1f), false);
    INERTIALIZES((start(&r), r.fade.in_seconds = r.fade.out_seconds = 0.1f), true);
    INERTIALIZES((start(&r), r.fade.in_seconds = r.fade.out_seconds = 0.1f, r.wave.end = LMB_END_LOOP), false);
}

// A condition names the node of a playing clip, and a computed parameter can read a fade's weight.
static void conditions_name_nodes(void **state) {
    (void)state;
    recipe r;
    start(&r);
    const lmb_term half = {
        .kind = LMB_TERM_GREATER_EQUAL, .right = lmb_constant(0.5f), .operand = LMB_OPERAND_PHASE, .player_node = 1};
    lmb_computed_def rest = lmb_default_computed_def();
    rest.kind = LMB_COMPUTED_SUBTRACT;
    rest.parameter = HOST;
    rest.inputs[0] = lmb_constant(1.0f);
    rest.inputs[1] = lmb_parameter(FADE);
    r.transitions[1].event = LMB_NONE;
    r.transitions[1].terms = &half;
    r.transitions[1].term_count = 1;
    r.def.computed = &rest;
    r.def.computed_count = 1;
    character c = begin(&r);
    assert_int_equal(lmb_graph_find_parameter(c.graph, "host"), LMB_NONE); // the control writes it
    step(&c, 0.5, GO);
    assert_float_equal(c.x, 10.5, 1e-5);
    step(&c, 0.75, HELLO); // walk reaches its half after 0.5 s, and idle plays for the rest
    assert_float_equal(c.parameters[FADE], 1.0, 0.0);
    assert_float_equal(c.parameters[HOST], 0.0, 0.0);
    assert_int_equal(lmb_state_current(c.graph, c.state, 0), 0);
    assert_true(lmb_state_player(c.graph, c.state, 0).ticks == LMB_TICKS_PER_SECOND / 4);
    end(&c);
}

// What several states use exists once, and belongs to the innermost state around all uses: it has one phase, does not
// begin anew when one of these states is entered, and is the end of none of them.
static void states_share_what_moves(void **state) {
    (void)state;
    recipe r;
    // State 0 is the walk, state 1 half the walk and half the idle, which is its own.
    start(&r);
    static const uint32_t poses[2] = {1, 2};
    r.nodes[2] = lmb_blend_node(0, 1, lmb_constant(0.5f));
    r.nodes[3] = lmb_machine_node(poses, &r.machine);
    r.def.node_count = 4;
    r.def.fade_count = 0;
    character c = begin(&r);
    step(&c, 0.25, LMB_NONE);
    assert_float_equal(c.x, 10.25, 1e-5);
    step(&c, 0.25, GO);
    assert_float_equal(c.x, 0.5 * 0.25 + 0.5 * 10.5, 1e-5);
    step(&c, 0.25, STOP);
    assert_float_equal(c.x, 10.75, 1e-5);
    step(&c, 0.25, GO);
    assert_float_equal(c.x, 0.5 * 0.25 + 0.5 * 11.0, 1e-5);
    end(&c);

    // A fade around something that needs its base on both sides. The wave begins with it, and its end ends it.
    start(&r);
    r.nodes[0] = lmb_playing_node(WALK, &r.walk);
    r.nodes[1] = lmb_playing_node(WAVE, &r.wave);
    r.nodes[2] = lmb_blend_node(0, 1, lmb_constant(0.5f));
    r.nodes[3] = lmb_blend_node(0, 2, lmb_parameter(FADE));
    r.fade.pose = 2;
    r.def.node_count = 4;
    c = begin(&r);
    step(&c, 0.25, LMB_NONE);
    step(&c, 0.25, HELLO);
    assert_float_equal(c.x, 0.5 * 10.5 + 0.5 * 20.25, 1e-5);
    step(&c, 2.5, LMB_NONE);
    assert_float_equal(c.parameters[FADE], 1.0, 0.0);
    assert_float_equal(c.x, 0.5 * 11.0 + 0.5 * 22.75, 1e-5);
    step(&c, 0.5, LMB_NONE); // the wave ends half way
    assert_float_equal(c.parameters[FADE], 0.0, 0.0);
    assert_float_equal(c.x, 11.5, 1e-5);
    end(&c);

    // A clip that is played once drops out of a state of its own alone: here it holds its end while it fades out.
    start(&r);
    r.walk.end = LMB_END_ONCE;
    r.transitions[0].fade = 5.0f;
    static const uint32_t shared[2] = {1, 2};
    r.nodes[2] = lmb_blend_node(0, 1, lmb_constant(0.5f));
    r.nodes[3] = lmb_machine_node(shared, &r.machine);
    r.def.node_count = 4;
    r.def.fade_count = 0;
    c = begin(&r);
    step(&c, 0.25, LMB_NONE);
    assert_float_equal(c.x, 10.25, 1e-5);
    step(&c, 2.5, GO); // half of the fade
    assert_float_equal(c.x, 0.5 * 12.0 + 0.5 * (0.5 * 0.5 + 0.5 * 12.0), 1e-5);
    end(&c);

    // A machine and a fade around a pose of their own, in both states of an outer machine.
    start(&r);
    lmb_machine_def outer = r.machine;
    lmb_transition_def turns[2] = {r.transitions[0], r.transitions[1]};
    turns[0].event = turns[1].event = STEP;
    outer.transitions = turns;
    outer.name = "outer";
    static const uint32_t both[2] = {4, 5};
    r.nodes[5] = lmb_blend_node(4, 4, lmb_constant(0.5f));
    r.nodes[6] = lmb_machine_node(both, &outer);
    r.def.node_count = 7;
    c = begin(&r);
    assert_int_equal(lmb_graph_get_info(c.graph)->machine_count, 3);
    assert_int_equal(lmb_graph_machine_at(c.graph, 1).owner, LMB_NONE);
    assert_int_equal(lmb_graph_machine_at(c.graph, 2).owner, LMB_NONE);
    step(&c, 0.25, GO);
    assert_float_equal(c.x, 10.25, 1e-5);
    step(&c, 0.25, STEP); // walks on
    assert_float_equal(c.x, 10.5, 1e-5);
    step(&c, 0.25, HELLO);
    assert_float_equal(c.x, 20.25, 1e-5);
    step(&c, 0.25, STEP); // waves on
    assert_float_equal(c.x, 20.5, 1e-5);
    end(&c);
}

#define REFUSED(change, what)                                                                                          \
    do {                                                                                                               \
        start(&r);                                                                                                     \
        change;                                                                                                        \
        CHECK_REFUSAL(lmb_graph_create(&r.def, NULL, &graph, &error), &error, LMB_ERROR_ARGUMENT, what);               \
        assert_null(graph);                                                                                            \
        assert_int_equal(lmb_graph_check(&r.def, &error), LMB_ERROR_ARGUMENT);                                         \
    } while (0)

static void what_is_refused(void **state) {
    (void)state;
    recipe r;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    lmb_group_def group = lmb_default_group_def();
    REFUSED(r.nodes[2].machine = NULL, "node 2 (machine): machine: it is NULL");
    REFUSED(r.machine.states = NULL, "node 2 (machine): machine: states");
    REFUSED(r.machine.transitions = NULL, "node 2 (machine): machine: transitions");
    REFUSED(r.machine.state_count = 1, "number of states");
    REFUSED(r.machine.state_count = r.nodes[2].input_count = 65,
            "node 2 (machine): inputs: this operation has 1 to 64");
    REFUSED(r.nodes[1].clip = lmb_parameter(HOST), "node 1 (clip): player: a clip that plays is a constant");
    REFUSED(r.walk.group = 0, "node 1 (clip): player: group");
    REFUSED((r.def.groups = &group, r.def.group_count = 1), "group 0: no clip plays in it");
    REFUSED(r.def.group_count = 1, "the groups are NULL");
    REFUSED(r.def.fades = NULL, "the fades are NULL");
    REFUSED(r.fade.parameter = PARAMETERS, "fade 0: parameter");
    REFUSED(r.fade.in_event = EVENTS, "fade 0: in_event");
    REFUSED(r.fade.out_event = EVENTS, "fade 0: out_event");
    REFUSED(r.fade.pose = 5, "fade 0: pose: there is no such node");
    REFUSED(r.fade.pose = 0xfffffffe, "fade 0: pose: there is no such node");
    REFUSED(r.fade.after = NAN, "fade 0: after");
    REFUSED(r.fade.out_seconds = NAN, "fade 0: out_seconds");
    REFUSED(r.fade.in_seconds = -1.0f, "fade 0: in_seconds");
    REFUSED(r.fade.curve = LMB_CURVE_COUNT, "fade 0: unknown curve");
    REFUSED((r.fade.curve = LMB_CURVE_BEZIER, r.fade.curve_control[1] = 16.5f), "fade 0: a control point");
    group.velocity_parameter = FADE;
    REFUSED((r.def.groups = &group, r.def.group_count = 1, r.walk.group = 0, r.nodes[4].weight = lmb_constant(0.5f)),
            "fade 0: parameter: something else writes this parameter");
    group.velocity_parameter = LMB_NONE;
    REFUSED(r.fade.pose = LMB_NONE, "fade 0: at_end: no clip plays in its pose");
    REFUSED((r.fade.restart = true, r.fade.out_event = HELLO), "fade 0: restart");
    start(&r);
    const lmb_fade_def twice[2] = {r.fade, r.fade};
    REFUSED((r.def.fades = twice, r.def.fade_count = 2), "fade 1: pose: another fade has it");
    const lmb_smoothed_def smoothed = lmb_smoothed_parameter(lmb_parameter(HOST), 0.1f, PARAMETERS);
    REFUSED((r.def.smoothed = &smoothed, r.def.smoothed_count = 1),
            "smoothed parameter 0: parameter: there is no such parameter");
    lmb_computed_def computed = lmb_default_computed_def();
    computed.parameter = HOST;
    computed.inputs[1] = lmb_parameter(PARAMETERS + 1); // a time parameter of the graph itself
    REFUSED((r.def.computed = &computed, r.def.computed_count = 1),
            "computed parameter 0: inputs: there is no such parameter");
    REFUSED(r.walk.rate = lmb_parameter(PARAMETERS), "node 1 (clip): player: rate");
    lmb_player_def unused = lmb_default_player_def();
    unused.rate = lmb_parameter(PARAMETERS);
    REFUSED((r.nodes[5] = r.nodes[4], r.nodes[4] = lmb_playing_node(WALK, &unused), r.def.node_count = 6),
            "node 4 (clip): player: rate: there is no such parameter");
    const lmb_term unknown = {.left = lmb_parameter(PARAMETERS), .right = lmb_constant(0.0f)};
    REFUSED((r.transitions[0].terms = &unknown, r.transitions[0].term_count = 1), "no such parameter");
    REFUSED((r.transitions[0].terms = NULL, r.transitions[0].term_count = 0xffffffff), "terms: they are NULL");
    REFUSED((r.transitions[0].terms = &unknown, r.transitions[0].term_count = 20000000), "terms: there are too many");
    REFUSED(r.machine.transition_count = 0xffffffff, "transitions: there are too many");
    // A clip that both states use is the end of neither.
    REFUSED((r.nodes[1] = lmb_blend_node(0, 0, lmb_constant(0.5f)), r.transitions[0].at_end = true),
            "node 2 (machine): transition 0: at_end: no clip of its own plays in the state");
    REFUSED((r.nodes[1] = lmb_blend_node(0, 0, lmb_constant(0.5f)), r.transitions[0].start = LMB_START_SYNC),
            "node 2 (machine): transition 0: start: no clip of its own plays in the state");
    REFUSED((r.nodes[4] = lmb_blend_node(3, 3, lmb_constant(0.5f)), r.nodes[5] = lmb_blend_node(3, 4, lmb_constant(1)),
             r.fade.pose = 4, r.def.node_count = 6),
            "fade 0: at_end: no clip plays in its pose");
    REFUSED(r.transitions[0].to = 2, "node 2 (machine): transition 0");
    const lmb_term of_none = {.right = lmb_constant(0.5f), .operand = LMB_OPERAND_PHASE, .player_node = 2};
    REFUSED((r.transitions[0].terms = &of_none, r.transitions[0].term_count = 1), "there is no such player");
    REFUSED(r.step.time = 9.0f, "node 1 (clip): player: notifies");
    REFUSED(r.walk.offset = 9.0f, "node 1 (clip): player: offset");
    lmb_group_def paced = lmb_default_group_def();
    paced.velocity_parameter = HOST;
    REFUSED((r.def.groups = &paced, r.def.group_count = 1, r.walk.group = 0, r.nodes[4].weight = lmb_parameter(HOST)),
            "node 4 (blend): a weight reads the velocity of group 0");
    const lmb_value target[3] = {lmb_constant(1.0f), lmb_constant(2.0f), lmb_parameter(HOST)};
    REFUSED((r.def.groups = &paced, r.def.group_count = 1, r.walk.group = 0, r.def.node_count++,
             r.nodes[5] = lmb_aim_node(4, 0, (const float[]){0.0f, 0.0f, 1.0f}, target)),
            "node 5 (ik-aim): a weight reads the velocity of group 0");
    REFUSED(r.nodes[4].weight = lmb_parameter(PARAMETERS), "node 4 (blend): weight");
    // A zeroed descriptor would name parameter 0, event 0 or mask 0.
    const lmb_group_def zero_group = {.name = "zero"};
    const lmb_smoothed_def zero_smoothed = {.half_life = 1.0f};
    const lmb_computed_def zero_computed = {.kind = LMB_COMPUTED_ADD};
    const lmb_motion_def zero_motion = {.acceleration = 1.0f};
    lmb_state_def zero_states[2] = {lmb_default_state_def()};
    REFUSED((r.nodes[0] = (lmb_node_def){.op = LMB_OP_REST}), "node 0 (rest): cookie");
    REFUSED((r.walk = (lmb_player_def){.rate = lmb_constant(1.0f)}),
            "node 1 (clip): player: it is not from lmb_default");
    REFUSED((r.fade = (lmb_fade_def){.pose = 3}), "fade 0: it is not from lmb_default_fade_def()");
    REFUSED((r.transitions[1] = (lmb_transition_def){.to = 1}),
            "transition 1: cookie: it is not from lmb_default_transition_def()");
    REFUSED(r.machine.states = zero_states, "state 1: cookie: it is not from lmb_default_state_def()");
    REFUSED((r.def.groups = &zero_group, r.def.group_count = 1),
            "group 0: cookie: it is not from lmb_default_group_def()");
    REFUSED((r.def.smoothed = &zero_smoothed, r.def.smoothed_count = 1),
            "smoothed parameter 0: cookie: it is not from");
    REFUSED((r.def.computed = &zero_computed, r.def.computed_count = 1),
            "computed parameter 0: cookie: it is not from");
    REFUSED(r.def.motion = &zero_motion, "character motion 0: cookie: it is not from lmb_default_motion_def()");
}

// A leg whose ground is a value, and a player whose group writes the parameter of that value.
typedef struct leg {
    lmb_rig *rig;
    lmb_clip *clip;
    lmb_player_def player;
    lmb_group_def group;
    lmb_node_def nodes[2];
    lmb_graph_def def;
} leg;

static void leg_create(leg *l) {
    lmb_joint_def joints[4];
    lmb_foot_def foot = lmb_default_foot_def();
    foot.hip = 1;
    foot.knee = 2;
    foot.ankle = 3;
    foot.ground[1] = lmb_parameter(0);
    for (uint32_t i = 0; i < 4; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i > 0 ? i - 1 : LMB_NONE;
    }
    const lmb_rig_def rig_def = {.joints = joints, .joint_count = 4};
    assert_int_equal(lmb_rig_create(&rig_def, NULL, &l->rig, NULL), LMB_OK);
    const float times[2] = {0.0f, 1.0f}, positions[6] = {0};
    const lmb_track_def track = {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, positions};
    const lmb_clip_def clip_def = {.name = "walk", .tracks = &track, .track_count = 1};
    assert_int_equal(lmb_clip_create(l->rig, &clip_def, NULL, &l->clip, NULL), LMB_OK);
    l->player = lmb_default_player_def();
    l->player.group = 0;
    l->group = lmb_default_group_def();
    l->group.velocity_parameter = 0;
    l->nodes[0] = lmb_playing_node(0, &l->player);
    l->nodes[1] = lmb_foot_placement_node(0, 0, &foot, 1);
    l->def = lmb_default_graph_def();
    l->def.rig = l->rig;
    l->def.clips = (const lmb_clip *const *)&l->clip;
    l->def.clip_count = 1;
    l->def.nodes = l->nodes;
    l->def.node_count = 2;
    l->def.parameter_count = 1;
    l->def.groups = &l->group;
    l->def.group_count = 1;
}

// A foot's ground and a chain's velocity are found with the weights. What the buffer of points replaces is not read.
static void points_are_known_before_velocities(void **state) {
    (void)state;
    leg l;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    leg_create(&l);
    CHECK_REFUSAL(lmb_graph_create(&l.def, NULL, &graph, &error), &error, LMB_ERROR_ARGUMENT,
                  "node 1 (foot-placement): a weight reads the velocity of group 0");
    assert_int_equal(lmb_graph_check(&l.def, &error), LMB_ERROR_ARGUMENT);
    l.nodes[1].feet.feet[0].ground_slot = lmb_point(0);
    assert_int_equal(lmb_graph_check(&l.def, &error), LMB_OK);
    assert_int_equal(lmb_graph_create(&l.def, NULL, &graph, &error), LMB_OK);
    lmb_graph_destroy(graph);
    l.nodes[1] = lmb_chain_node(0, 1, 3, lmb_constant(1.0f));
    l.nodes[1].chain.velocity[2] = lmb_parameter(0);
    CHECK_REFUSAL(lmb_graph_create(&l.def, NULL, &graph, &error), &error, LMB_ERROR_ARGUMENT,
                  "node 1 (chain): a weight reads the velocity of group 0");
    assert_int_equal(lmb_graph_check(&l.def, &error), LMB_ERROR_ARGUMENT);
    lmb_clip_destroy(l.clip);
    lmb_rig_destroy(l.rig);
}

static void limits(void **state) {
    (void)state;
    recipe r;
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    start(&r);
    r.def.parameters = NULL;
    r.def.parameter_count = LMB_MAX_PARAMETERS - 4; // with the graph's own parameters, one too many
    CHECK_REFUSAL(lmb_graph_create(&r.def, NULL, &graph, &error), &error, LMB_ERROR_LIMIT, "1025 parameters");
    r.def.parameter_count--;
    assert_int_equal(lmb_graph_create(&r.def, NULL, &graph, &error), LMB_OK);
    lmb_graph_destroy(graph);
    start(&r);
    r.def.event_count = LMB_MAX_EVENTS + 1;
    CHECK_REFUSAL(lmb_graph_create(&r.def, NULL, &graph, &error), &error, LMB_ERROR_LIMIT, "65537 events");
    start(&r);
    r.def.fade_count = LMB_MAX_MACHINES + 1;
    CHECK_REFUSAL(lmb_graph_create(&r.def, NULL, &graph, &error), &error, LMB_ERROR_LIMIT,
                  "33 fades, and at most 32 are possible");
}

// A graph with a control never runs without it.
static void poses_are_not_run_without_their_control(void **state) {
    (void)state;
    recipe r;
    start(&r);
    character c = begin(&r);
    float local[LMB_POSE_COMPONENTS];
    const lmb_batch_def batch = {c.graph, 1, LMB_OUTPUT_LOCAL_BIT};
    lmb_batch_inputs inputs = {.parameters = c.parameters};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_LOCAL] = local};
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_cpu_run(c.cpu, &batch, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT,
                  "moves by itself, and the frame");
    lmb_control_frame frame = {.step = 1, .character_count = 2, .state = c.state, .parameters = c.parameters};
    inputs.control = &frame;
    CHECK_REFUSAL(lmb_cpu_run(c.cpu, &batch, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT, "characters");
    frame.character_count = 1;
    frame.parameters = NULL;
    CHECK_REFUSAL(lmb_cpu_run(c.cpu, &batch, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT, "parameters");
    frame.parameters = c.parameters;
    frame.step = LMB_MAX_STEP_TICKS + 1;
    CHECK_REFUSAL(lmb_cpu_run(c.cpu, &batch, &inputs, &outputs, &error), &error, LMB_ERROR_ARGUMENT, "60 s");
    inputs.control = NULL;
    assert_int_equal(lmb_cpu_run_poses(c.cpu, &batch, &inputs, &outputs, 0, 1, &error), LMB_OK);
    end(&c);
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    lmb_graph *graph = NULL;
    lmb_result result = lmb_graph_create(&((const recipe *)user)->def, host, &graph, error);
    assert_true((result == LMB_OK) == (graph != NULL));
    lmb_graph_destroy(graph);
    return result;
}

static void memory_that_is_refused(void **state) {
    (void)state;
    recipe r;
    start(&r);
    failing_host_try_all(create_and_destroy, &r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_call_runs_all_of_it),
        cmocka_unit_test(names_and_numbers),
        cmocka_unit_test(indices_that_do_not_exist),
        cmocka_unit_test(machines_and_fades_inside_each_other),
        cmocka_unit_test(others_read_what_a_fade_weighs),
        cmocka_unit_test(what_plays_once_drops_out),
        cmocka_unit_test(a_node_may_be_used_twice_in_one_state),
        cmocka_unit_test(nodes_that_nothing_uses),
        cmocka_unit_test(a_graph_that_stands_still),
        cmocka_unit_test(inertialized_transitions_inertialize),
        cmocka_unit_test(restarts_fade_from_the_pose_that_is_shown),
        cmocka_unit_test(restarts_are_known_beforehand),
        cmocka_unit_test(conditions_name_nodes),
        cmocka_unit_test(states_share_what_moves),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(points_are_known_before_velocities),
        cmocka_unit_test(limits),
        cmocka_unit_test(poses_are_not_run_without_their_control),
        cmocka_unit_test(memory_that_is_refused),
    };
    return cmocka_run_group_tests_name("graph_moving", tests, set_up, tear_down);
}
