// Interpolated updates of distant characters: the values between updates against float64. States do not depend on the
// interpolation.
#include "control_scenario.h"
#include "control_stage.h"

#include <limber/graph.h>
#include <math.h>
#include <stdio.h>

// ---- Compared with the same crowd without interpolation.

// Every fifth character is updated in one frame of four, and in frames with an event for it.
static bool is_updated(const control_scenario *scenario, uint32_t frame, uint32_t character) {
    bool sent = false;
    for (uint32_t i = 0; i < scenario->event_count; i++) {
        sent = sent || scenario->events[i].character == character;
    }
    return frame == 0 || sent || character % 5 != 0 || (frame + character) % 4 == 0;
}

static void states_know_nothing_of_it(void **state) {
    (void)state;
    enum { CHARACTERS = 60 };
    control_scenario plain, between;
    lmb_error error = {0};
    assert_int_equal(motion_scenario_create(&plain, CHARACTERS, &error), LMB_OK);
    assert_int_equal(interpolated_scenario_create(&between, CHARACTERS, &error), LMB_OK);
    const size_t words = lmb_graph_get_info(plain.control)->state_words,
                 emitted = lmb_graph_get_info(plain.control)->emitted_words;
    assert_int_equal(words, lmb_graph_get_info(between.control)->state_words);
    uint32_t moved = 0, waited = 0;
    for (uint32_t frame = 0; frame < 400; frame++) {
        control_scenario_begin_frame(&plain, frame);
        control_scenario_begin_frame(&between, frame);
        assert_int_equal(control_scenario_run(&plain, frame, &error), LMB_OK);
        assert_int_equal(control_scenario_run(&between, frame, &error), LMB_OK);
        assert_memory_equal(plain.state, between.state, CHARACTERS * words * sizeof(uint32_t));
        assert_memory_equal(plain.emitted, between.emitted, CHARACTERS * emitted * sizeof(uint32_t));
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            const float *row = plain.parameters + i * (size_t)CONTROL_SCENARIO_PARAMETERS;
            const float *shown = between.parameters + i * (size_t)CONTROL_SCENARIO_PARAMETERS;
            const bool same = memcmp(row, shown, CONTROL_SCENARIO_PARAMETERS * sizeof *row) == 0 &&
                              memcmp(plain.motions + i * LMB_MOTION_FLOATS, between.motions + i * LMB_MOTION_FLOATS,
                                     LMB_MOTION_FLOATS * sizeof(float)) == 0;
            if (is_updated(&plain, frame, i)) {
                assert_true(same);
            } else {
                waited++;
                moved += !same;
            }
        }
    }
    assert_true(waited > 2000 && moved > waited * 9 / 10);
    control_scenario_destroy(&plain);
    control_scenario_destroy(&between);
}

// ---- Compared with float64: one character, updated in one frame of four.

enum { LOOP, HOLD, TURN, WALK, RUN, CLIPS };
enum { RATE, FADE, SOURCE, SMOOTHED, PARAMETERS };

static const char *const names[CLIPS] = {"loop", "hold", "turn", "walk", "run"};
static const double durations[CLIPS] = {0.75, 1.5, 0.5, 1.25, 0.625};

typedef struct fixture {
    lmb_rig *rig;
    lmb_clip *clips[CLIPS];
    lmb_graph *graph;
    uint32_t *state;
    float *parameters;
    float motion[LMB_FULL_MOTION_FLOATS];
    uint32_t times[CLIPS]; // parameter indices
    uint32_t frame;
} fixture;

static void open_fixture(fixture *f, bool interpolates) {
    lmb_joint_def joint = lmb_default_joint_def();
    *f = (fixture){0};
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = &joint, .joint_count = 1}, NULL, &f->rig, NULL), LMB_OK);
    lmb_player_def players[CLIPS];
    lmb_node_def nodes[CLIPS + 1];
    for (uint32_t i = 0; i < CLIPS; i++) {
        const lmb_clip_def clip = {.name = names[i], .duration = (float)durations[i]};
        assert_int_equal(lmb_clip_create(f->rig, &clip, NULL, &f->clips[i], NULL), LMB_OK);
        players[i] = lmb_default_player_def();
        players[i].group = i < WALK ? LMB_NONE : 0;
        nodes[i] = lmb_playing_node(i, &players[i]);
    }
    players[LOOP].rate = lmb_parameter(RATE);
    players[LOOP].offset = 0.25f;
    players[HOLD].end = LMB_END_HOLD;
    players[TURN].end = LMB_END_PING_PONG;
    players[WALK].velocity = 1.5f;
    players[RUN].velocity = 3.0f;
    nodes[CLIPS] = lmb_default_node_def();
    nodes[CLIPS].op = LMB_OP_WEIGHTED;
    nodes[CLIPS].input_count = CLIPS;
    for (uint32_t i = 0; i < CLIPS; i++) {
        nodes[CLIPS].inputs[i] = i;
        nodes[CLIPS].weights[i] = lmb_constant(i == RUN ? 3.0f : 1.0f);
    }
    const lmb_group_def group = lmb_default_group_def();
    lmb_fade_def fade = lmb_default_fade_def();
    fade.parameter = FADE;
    fade.in_event = 0;
    fade.in_seconds = 0.5f;
    const lmb_smoothed_def smoothed = lmb_smoothed_parameter(lmb_parameter(SOURCE), 0.3f, SMOOTHED);
    const lmb_motion_def motion = lmb_default_motion_def();
    const lmb_value every = lmb_constant(4.0f);
    const lmb_graph_def def = {.rig = f->rig,
                               .clips = (const lmb_clip *const *)f->clips,
                               .clip_count = CLIPS,
                               .nodes = nodes,
                               .node_count = CLIPS + 1,
                               .parameter_count = PARAMETERS,
                               .event_count = 1,
                               .groups = &group,
                               .group_count = 1,
                               .fades = &fade,
                               .fade_count = 1,
                               .smoothed = &smoothed,
                               .smoothed_count = 1,
                               .motion = &motion,
                               .update_every = &every,
                               .interpolate_updates = interpolates};
    lmb_error error = {0};
    if (lmb_graph_create(&def, NULL, &f->graph, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    f->state = calloc(lmb_graph_get_info(f->graph)->state_words, sizeof *f->state);
    f->parameters = calloc(lmb_graph_get_info(f->graph)->parameter_count, sizeof *f->parameters);
    assert_true(f->state != NULL && f->parameters != NULL);
    for (uint32_t i = PARAMETERS; i < lmb_graph_get_info(f->graph)->parameter_count; i++) {
        for (uint32_t k = 0; k < CLIPS; k++) {
            char name[16];
            snprintf(name, sizeof name, "%s.time", names[k]);
            if (strcmp(lmb_graph_parameter_at(f->graph, i).name, name) == 0) {
                f->times[k] = i;
            }
        }
    }
}

static void close_fixture(fixture *f) {
    lmb_graph_destroy(f->graph);
    for (uint32_t i = 0; i < CLIPS; i++) {
        lmb_clip_destroy(f->clips[i]);
    }
    lmb_rig_destroy(f->rig);
    free(f->state);
    free(f->parameters);
}

static void step(fixture *f, uint64_t ticks, bool event) {
    static const lmb_event sent = {0, 0};
    const lmb_control_frame frame = {.step = ticks,
                                     .number = f->frame++,
                                     .character_count = 1,
                                     .state = f->state,
                                     .parameters = f->parameters,
                                     .events = &sent,
                                     .event_count = event,
                                     .motions = f->motion};
    lmb_error error = {0};
    if (lmb_control_run(f->graph, &frame, 0, 1, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

static double wrapped(double time, double duration) {
    return time - duration * floor(time / duration);
}

static double turned(double time, double duration) {
    const double there = wrapped(time, 2.0 * duration);
    return there > duration ? 2.0 * duration - there : there;
}

static void expect_near(double found, double expected, uint32_t frame, const char *what) {
    if (!(fabs(found - expected) <= 2e-5)) {
        fail_msg("frame %u: %s is %.9g instead of %.9g", frame, what, found, expected);
    }
}

static void what_is_continuous_goes_on(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, true);
    // Values at the last update.
    double last = 0.0, loop = 0.25, smoothed = 2.0, fade_begin = 0.0;
    double now = 0.0; // the shown time
    const double second = (double)LMB_TICKS_PER_SECOND;
    bool faded = false;
    for (uint32_t frame = 0; frame < 240; frame++) {
        static const float rates[] = {1.0f, -0.5f, 0.0f, 2.5f, 1.5f};
        const uint64_t ticks = LMB_TICKS_PER_SECOND / (frame % 3 == 0 ? 60 : 100);
        const bool event = frame == 42; // otherwise not an update
        const bool updates = frame % 4 == 0 || event;
        f.parameters[RATE] = rates[frame / 7 % 5];
        f.parameters[SOURCE] = frame < 90 ? 2.0f : -1.0f;
        step(&f, ticks, event);
        now += (double)ticks / second;
        const double passed = now - last;
        fade_begin = event ? now - (double)ticks / second : fade_begin;
        faded = faded || event;
        const double shown_loop = loop + (double)f.parameters[RATE] * passed;
        const double source = (double)f.parameters[SOURCE];
        const double shown_smoothed = source + (smoothed - source) * exp2(-passed / 0.3);
        const double part = faded ? fmin((now - fade_begin) / 0.5, 1.0) : 0.0;
        expect_near((double)f.parameters[f.times[LOOP]], wrapped(shown_loop, durations[LOOP]), frame, "a loop");
        expect_near((double)f.parameters[f.times[HOLD]], fmin(now, durations[HOLD]), frame, "what holds");
        expect_near((double)f.parameters[f.times[TURN]], turned(now, durations[TURN]), frame, "what turns around");
        // The cadence with weights 1/7 and 3/7: sum(w v) / sum(w v l / l'), where l is the leader's length.
        const double lead = now * (1.5 + 9.0) / (1.5 + 9.0 * durations[RUN] / durations[WALK]);
        expect_near((double)f.parameters[f.times[WALK]], wrapped(lead, durations[WALK]), frame, "a leader");
        expect_near((double)f.parameters[f.times[RUN]],
                    wrapped(lead * durations[RUN] / durations[WALK], durations[RUN]), frame, "another of its group");
        expect_near((double)f.parameters[FADE], 3.0 * part * part - 2.0 * part * part * part, frame, "a fade");
        expect_near((double)f.parameters[SMOOTHED], shown_smoothed, frame, "what is smoothed");
        expect_near((double)f.motion[2], 1.5 * now, frame, "the character motion");
        if (updates) {
            last = now;
            loop = shown_loop;
            smoothed = shown_smoothed;
        }
        expect_near(lmb_state_motion(f.graph, f.state).position[2], 1.5 * last, frame, "the state's character motion");
        lmb_error error = {0};
        assert_int_equal(lmb_state_check(f.graph, f.state, 1, &error), LMB_OK);
    }
    close_fixture(&f);
}

// If a host sets the position of a character between updates, the shown position includes the displacement since then.
static void a_character_is_put_somewhere_between_updates(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, true);
    for (uint32_t frame = 0; frame < 2; frame++) {
        step(&f, LMB_TICKS_PER_SECOND / 10, false);
    }
    const lmb_motion place = {.position = {10.0, 0.0, 20.0}};
    lmb_error error = {0};
    assert_int_equal(lmb_state_set_motion(f.graph, f.state, &place, &error), LMB_OK);
    for (uint32_t frame = 2; frame <= 4; frame++) {
        step(&f, LMB_TICKS_PER_SECOND / 10, false);
        expect_near((double)f.motion[0], 10.0, frame, "x");
        expect_near((double)f.motion[2], 20.0 + 1.5 * 0.1 * (double)frame, frame, "z");
    }
    expect_near(lmb_state_motion(f.graph, f.state).position[2], 20.6, 4, "the state's z");
    close_fixture(&f);
}

// If a clip ends between updates, the next update reacts: with a transition, a weight of 0, or an emitted event.
static void nothing_is_decided_between_updates(void **state) {
    (void)state;
    enum { LEFT, ENTERED, CHOSEN, ONCE, ASKED, ROW };
    control_player_def players[2];
    control_state_def states[4];
    for (uint32_t i = 0; i < 4; i++) {
        states[i] = default_control_state_def();
        states[i].weight_parameter = i < 2 ? LEFT + i : LMB_NONE;
    }
    states[3].weight_parameter = CHOSEN;
    for (uint32_t i = 0; i < 2; i++) {
        players[i] = stage_player(i == 0 ? 0.05f : 0.1f, LMB_NONE);
        players[i].end = i == 0 ? LMB_END_HOLD : LMB_END_ONCE;
        players[i].ended_event = i;
        players[i].machine = i;
        players[i].weight_parameter = i == 0 ? LMB_NONE : ONCE;
    }
    states[0].end_player = 0;
    const lmb_term asked = {.kind = LMB_TERM_GREATER, .left = lmb_parameter(ASKED), .right = lmb_constant(0.5f)};
    lmb_transition_def transitions[2] = {stage_transition(0, 1, LMB_NONE, 0.5f),
                                         stage_transition(0, 1, LMB_NONE, 0.5f)};
    transitions[0].curve = transitions[1].curve = LMB_CURVE_LINEAR;
    transitions[0].at_end = true;
    transitions[1].terms = &asked;
    transitions[1].term_count = 1;
    const control_machine_def machines[2] = {
        {.states = states, .state_count = 2, .transitions = transitions, .transition_count = 1, .machine = LMB_NONE},
        {.states = states + 2,
         .state_count = 2,
         .transitions = transitions + 1,
         .transition_count = 1,
         .machine = LMB_NONE}};
    control_def def = stage_control(players, 2, ROW);
    def.event_count = 2;
    def.machines = machines;
    def.machine_count = 2;
    def.update_every = lmb_constant(4.0f);
    def.interpolate_updates = true;
    stage s = stage_begin(&def);
    const float *row = s.parameters;
    for (uint32_t frame = 0; frame < 16; frame++) {
        s.parameters[ASKED] = frame < 9 ? 0.0f : 1.0f;
        stage_step(&s, SIXTIETH);
        // One clip ends at 0.05 s, which frame 4 detects; fades continue between updates. The other ends at 0.1 s,
        // which frame 8 detects, and it stays visible until frame 12, the next update.
        const double entered = frame < 4 ? 0.0 : ((frame + 1.0) / 60.0 - 0.05) / 0.5;
        expect_near((double)row[ENTERED], entered, frame, "the weight of what is entered");
        expect_near((double)row[LEFT], 1.0 - entered, frame, "the weight of what is left");
        expect_near((double)row[ONCE], frame < 12 ? 1.0 : 0.0, frame, "the weight of what drops out");
        // A condition that holds from frame 9 on is evaluated in frame 12, whose step starts after frame 8.
        expect_near((double)row[CHOSEN], frame < 12 ? 0.0 : (frame - 8.0) / 60.0 / 0.5, frame, "what is chosen");
        assert_int_equal(s.emitted[0], frame == 4 || frame == 8);
    }
    stage_end(&s);
}

// A player whose state has no weight any more is shown where the last update left it.
static void what_faded_out_stands(void **state) {
    (void)state;
    enum { GO };
    control_player_def player = stage_player(1.0f, 0);
    player.machine = 0;
    const control_state_def states[2] = {default_control_state_def(), default_control_state_def()};
    lmb_transition_def transition = stage_transition(0, 1, GO, 0.1f);
    const control_machine_def machine = {
        .states = states, .state_count = 2, .transitions = &transition, .transition_count = 1, .machine = LMB_NONE};
    control_def def = stage_control(&player, 1, 1);
    def.event_count = 1;
    def.machines = &machine;
    def.machine_count = 1;
    def.update_every = lmb_constant(8.0f);
    def.interpolate_updates = true;
    stage s = stage_begin(&def);
    stage_send(&s, SIXTIETH, GO);
    for (uint32_t frame = 1; frame < 10; frame++) {
        stage_step(&s, SIXTIETH);
        expect_near((double)s.parameters[0], (frame < 5 ? frame + 1.0 : 1.0) / 60.0, frame, "what fades out");
    }
    stage_end(&s);
}

// ---- Events.

enum { GO, BACK, RESTART, EVENTS };

// Two machines of two states, which have weights 0 to 3 and 1 s long clips; time parameters follow.
typedef struct two_machines {
    control_player_def players[4];
    control_state_def states[4];
    lmb_transition_def transitions[4];
    control_machine_def machines[2];
} two_machines;

static control_def describe_two_machines(two_machines *two) {
    for (uint32_t i = 0; i < 4; i++) {
        two->states[i] = default_control_state_def();
        two->states[i].weight_parameter = i;
        two->states[i].end_player = i;
        two->players[i] = stage_player(1.0f, 4 + i);
        two->players[i].machine = i / 2;
        two->players[i].state = i % 2;
    }
    two->transitions[0] = stage_transition(0, 1, GO, 0.2f);
    two->transitions[1] = stage_transition(1, 0, BACK, 0.2f);
    two->transitions[2] = stage_transition(0, 1, LMB_NONE, 0.0f);
    two->transitions[3] = stage_transition(1, 0, LMB_NONE, 0.0f);
    two->transitions[2].after = two->transitions[3].after = 0.01f;
    for (uint32_t i = 0; i < 4; i++) {
        two->transitions[i].curve = LMB_CURVE_LINEAR;
    }
    for (uint32_t i = 0; i < 2; i++) {
        two->machines[i] = (control_machine_def){.states = two->states + 2 * i,
                                                 .state_count = 2,
                                                 .transitions = two->transitions + 2 * i,
                                                 .transition_count = 2,
                                                 .machine = LMB_NONE};
    }
    control_def def = stage_control(two->players, 4, 8);
    def.event_count = EVENTS;
    def.machines = two->machines;
    def.machine_count = 2;
    return def;
}

// A fade that an event begins has advanced by the event's own frame, whenever the last update was, and is seen as often
// as the character is updated. Another machine switches more often between two updates than a frame has pieces.
static void an_event_counts_from_its_frame(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2 * 16 * 16; i++) {
        const uint32_t every = i / 32 + 1, sent = 16 + i / 2 % 16;
        two_machines two;
        control_def def = describe_two_machines(&two);
        def.interpolate_updates = i % 2;
        def.update_every = lmb_constant((float)every);
        stage s = stage_begin(&def);
        for (uint32_t frame = 0; frame < 40; frame++) {
            const double before = (double)s.parameters[1];
            stage_step_with(&s, SIXTIETH, &(uint32_t){GO}, frame == sent);
            const double part = frame < sent ? 0.0 : fmin((frame - sent + 1.0) / 60.0 / 0.2, 1.0);
            const bool moves = frame == sent || frame % every == 0 || def.interpolate_updates;
            expect_near((double)s.parameters[1], moves ? part : before, frame, "the weight of what is entered");
            expect_near((double)s.parameters[0], 1.0 - (double)s.parameters[1], frame, "the weight of what is left");
            if (frame == sent) {
                expect_near(stage_player_seconds(&s, 1), 1 / 60.0, frame, "a clip that begins");
                expect_near(stage_player_seconds(&s, 0), wrapped((frame + 1.0) / 60.0, 1.0), frame, "a clip");
            }
        }
        assert_int_equal(lmb_state_get_counts(s.control, s.state).transitions, 0);
        stage_end(&s);
    }
}

// A character that is reset begins with the frame's own step.
static void a_reset_counts_from_its_frame(void **state) {
    (void)state;
    two_machines two;
    control_def def = describe_two_machines(&two);
    def.machine_count = 1;
    def.update_every = lmb_constant(16.0f);
    stage s = stage_begin(&def);
    for (uint32_t frame = 0; frame < 13; frame++) {
        stage_step(&s, SIXTIETH);
    }
    stage_step_with(&s, SIXTIETH, (const uint32_t[]){GO, LMB_EVENT_RESET, GO}, 3);
    assert_near(stage_player_seconds(&s, 0), 1 / 60.0, 1e-9);
    assert_near((double)s.parameters[1], 1 / 12.0, 1e-6);
    stage_end(&s);
}

// An outer machine, one within its second state, and one that loops in time.
static control_def describe_nested(two_machines *two, control_machine_def machines[3], control_state_def states[2],
                                   lmb_transition_def transitions[8]) {
    control_def def = describe_two_machines(two);
    static const struct {
        uint32_t from, to, event;
        float after, fade;
        bool at_end;
    } rows[8] = {{0, 1, GO, -1.0f, 0.15f, false},        {1, 0, BACK, 0.1f, 0.1f, false},
                 {1, 0, LMB_NONE, 0.55f, 0.3f, false},   {0, 1, GO, -1.0f, 0.05f, true},
                 {1, 0, LMB_NONE, -1.0f, 0.25f, true},   {0, 1, LMB_NONE, 0.07f, 0.02f, false},
                 {1, 0, LMB_NONE, 0.031f, 0.05f, false}, {LMB_NONE, 1, RESTART, -1.0f, 0.2f, false}};
    static const uint32_t first[4] = {0, 3, 5, 8};
    for (uint32_t i = 0; i < 8; i++) {
        transitions[i] = stage_transition(rows[i].from, rows[i].to, rows[i].event, rows[i].fade);
        transitions[i].after = rows[i].after;
        transitions[i].at_end = rows[i].at_end;
    }
    for (uint32_t i = 0; i < 4; i++) {
        two->players[i].duration = 0.11f + 0.07f * (float)i;
        two->players[i].looped_event = 3 + i;
    }
    two->players[3].end = LMB_END_ONCE;
    two->players[3].ended_event = 7;
    two->states[1].entry_event = 8;
    two->states[0].exit_event = 9;
    states[0] = states[1] = default_control_state_def();
    for (uint32_t i = 0; i < 3; i++) {
        machines[i] = (control_machine_def){.states = i < 2 ? two->states + 2 * i : states,
                                            .state_count = 2,
                                            .transitions = transitions + first[i],
                                            .transition_count = first[i + 1] - first[i],
                                            .machine = i == 1 ? 0 : LMB_NONE,
                                            .state = 1};
    }
    def.event_count = 10;
    def.machines = machines;
    def.machine_count = 3;
    def.max_emitted_events = STAGE_EMITTED;
    return def;
}

// Appends the events of a frame that began so many ticks before another one: their times are those in that one.
static uint32_t append_emitted(const stage *s, uint64_t before, uint32_t count,
                               lmb_emitted_event events[STAGE_EMITTED]) {
    assert_in_range(count + s->emitted[0], 0, STAGE_EMITTED);
    for (uint32_t i = 0; i < s->emitted[0]; i++) {
        events[count + i] = lmb_emitted_event_at(s->emitted, i);
        assert_true(events[count + i].ticks >= 0);
        events[count + i].ticks -= (int64_t)before;
    }
    return count + s->emitted[0];
}

// An update with events gives the bits of two frames of a character that is always updated: one with the time since its
// last update, and one with the events and the frame's own step.
static void an_update_with_events_is_two_frames(void **state) {
    (void)state;
    uint32_t transitions_seen = 0, split = 0, while_waiting = 0;
    for (uint32_t every = 2; every <= 16; every++) {
        two_machines two;
        control_machine_def machines[3];
        control_state_def states[2];
        lmb_transition_def transitions[8];
        control_def def = describe_nested(&two, machines, states, transitions);
        stage always = stage_begin(&def);
        def.update_every = lmb_constant((float)every);
        def.interpolate_updates = every % 2 == 0;
        stage seldom = stage_begin(&def);
        uint64_t waited = 0;
        uint32_t random = every;
        for (uint32_t frame = 0; frame < 300; frame++) {
            static const uint64_t steps[] = {SIXTIETH, SIXTIETH, 2 * SIXTIETH, LMB_TICKS_PER_SECOND / 144, 0};
            random = random * 1664525u + 1013904223u;
            const uint64_t ticks = steps[(random >> 8) % 5];
            const uint32_t events[] = {(random >> 16) % EVENTS, (random >> 20) % EVENTS};
            const uint32_t count = frame > 0 && random >> 29 == 0 ? 1 + (random >> 28) % 2 : 0;
            const uint32_t before = stage_current_state(&seldom, 0);
            stage_step_with(&seldom, ticks, events, count);
            if (frame % every != 0 && count == 0) {
                waited += ticks;
                continue;
            }
            lmb_emitted_event emitted[STAGE_EMITTED];
            uint32_t emitted_count = 0;
            if (count > 0 && waited > 0) {
                stage_step(&always, waited);
                emitted_count = append_emitted(&always, waited, 0, emitted);
                waited = 0;
                split++;
            }
            stage_step_with(&always, waited + ticks, events, count);
            emitted_count = append_emitted(&always, waited, emitted_count, emitted);
            waited = 0;
            const uint32_t words = lmb_graph_get_info(always.control)->state_words;
            assert_memory_equal(always.state, seldom.state, words * sizeof *always.state);
            assert_int_equal(emitted_count, seldom.emitted[0]);
            for (uint32_t i = 0; i < emitted_count; i++) {
                const lmb_emitted_event late = lmb_emitted_event_at(seldom.emitted, i);
                assert_true(emitted[i].event == late.event && emitted[i].weight == late.weight &&
                            emitted[i].passes == late.passes && emitted[i].kind == late.kind &&
                            emitted[i].source == late.source && emitted[i].part == late.part);
                assert_int_equal(emitted[i].ticks, late.ticks);
                while_waiting += late.ticks < 0;
            }
            assert_memory_equal(always.parameters, seldom.parameters, sizeof always.parameters);
            transitions_seen += before != stage_current_state(&seldom, 0);
        }
        stage_end(&always);
        stage_end(&seldom);
    }
    assert_true(split > 300 && transitions_seen > 150 && while_waiting > 50);
}

// ---- Phases.

// Gives every character the inputs of the first.
static void make_alike(control_scenario *s, uint32_t frame) {
    const size_t row = CONTROL_SCENARIO_PARAMETERS;
    const bool sent = s->event_count > 0 && s->events[0].character == 0;
    const uint32_t event = sent ? s->events[0].event : LMB_NONE;
    s->event_count = 0;
    s->parameters[3] = (float)(frame / 25 % 16 + 1); // update_every
    for (uint32_t i = 0; i < s->character_count; i++) {
        memcpy(s->parameters + i * row, s->parameters, row * sizeof *s->parameters);
        if (sent) {
            s->events[s->event_count++] = (lmb_event){i, event};
        }
    }
}

static bool is_same_row(const void *rows, size_t words, uint32_t a, uint32_t b) {
    return memcmp((const uint32_t *)rows + a * words, (const uint32_t *)rows + b * words, words * 4) == 0;
}

static bool are_same(const control_scenario *s, uint32_t a, uint32_t b) {
    return is_same_row(s->state, lmb_graph_get_info(s->control)->state_words, a, b) &&
           is_same_row(s->emitted, lmb_graph_get_info(s->control)->emitted_words, a, b) &&
           is_same_row(s->parameters, CONTROL_SCENARIO_PARAMETERS, a, b) &&
           is_same_row(s->motions, LMB_MOTION_FLOATS, a, b);
}

// Characters 0 to 7 have one phase, and are alike. Characters 8 to 15 have the phase of their index, as by default.
static void the_index_does_not_matter(void **state) {
    (void)state;
    enum { ALIKE = 8, CHARACTERS = 16 };
    for (uint32_t phase = 0; phase < 6; phase++) {
        control_scenario s;
        lmb_error error = {0};
        assert_int_equal(phase % 2 == 0 ? motion_scenario_create(&s, CHARACTERS, &error)
                                        : interpolated_scenario_create(&s, CHARACTERS, &error),
                         LMB_OK);
        const uint32_t words = lmb_graph_get_info(s.control)->state_words;
        for (uint32_t i = 0; i < ALIKE; i++) {
            assert_int_equal(lmb_state_set_update_phase(s.control, s.state + i * words, phase + 8, &error), LMB_OK);
        }
        for (uint32_t i = ALIKE; i < ALIKE + 3; i++) {
            assert_int_equal(lmb_state_set_update_phase(s.control, s.state + i * words, i, &error), LMB_OK);
        }
        uint32_t differences = 0;
        for (uint32_t frame = 0; frame < 400; frame++) {
            control_scenario_begin_frame(&s, frame);
            make_alike(&s, frame);
            assert_int_equal(control_scenario_run(&s, frame, &error), LMB_OK);
            assert_int_equal(lmb_state_check(s.control, s.state, CHARACTERS, &error), LMB_OK);
            for (uint32_t i = 1; i < ALIKE; i++) {
                assert_true(are_same(&s, 0, i));
            }
            assert_true(are_same(&s, 0, phase + 8));
            differences += !are_same(&s, ALIKE, ALIKE + 7);
            for (uint32_t i = ALIKE; i < CHARACTERS; i++) {
                assert_int_equal(lmb_state_update_phase(s.control, s.state + i * words), i);
            }
        }
        assert_true(differences > 300);
        control_scenario_destroy(&s);
    }
}

// A phase is set before the first frame or between frames, and stays through resets.
static void phases_are_set(void **state) {
    (void)state;
    two_machines two;
    control_def def = describe_two_machines(&two);
    def.update_every = lmb_constant(4.0f);
    stage s = stage_begin(&def);
    lmb_error error = {0};
    assert_int_equal(lmb_state_update_phase(s.control, s.state), LMB_NONE);
    const lmb_word_range range = lmb_graph_get_info(s.control)->update_phase_words;
    for (uint32_t i = 0; i < 12; i++) {
        // Only the phase's remainder by 720,720 is kept, which all periods divide.
        static const uint32_t phases[] = {3, 0, 720719, 720720, 720723, UINT32_MAX};
        uint32_t before[STAGE_WORDS];
        memcpy(before, s.state, sizeof before);
        assert_int_equal(lmb_state_set_update_phase(s.control, s.state, phases[i / 2], &error), LMB_OK);
        assert_int_equal(lmb_state_update_phase(s.control, s.state), phases[i / 2] % 720720);
        assert_int_equal(lmb_state_check(s.control, s.state, 1, &error), LMB_OK);
        memcpy(before + range.first, s.state + range.first, range.count * sizeof *before);
        assert_memory_equal(before, s.state, sizeof before);
        if (i % 2 == 1) {
            stage_send(&s, SIXTIETH, LMB_EVENT_RESET);
        }
        for (uint32_t k = 0; k < 9; k++) {
            const double waited = stage_player_seconds(&s, 0);
            const bool updates = s.number == 0 || (s.number + (uint64_t)phases[i / 2]) % 4 == 0;
            stage_step(&s, SIXTIETH);
            assert_true((stage_player_seconds(&s, 0) > waited) == updates);
        }
        assert_int_equal(lmb_state_update_phase(s.control, s.state), phases[i / 2] % 720720);
    }
    assert_int_equal(lmb_state_set_update_phase(NULL, s.state, 0, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_state_set_update_phase(s.control, NULL, 0, &error), LMB_ERROR_ARGUMENT);
    // A state from elsewhere.
    for (uint32_t i = 0; i < 4; i++) {
        static const uint32_t bad[] = {720721, 0x80000000u, UINT32_MAX, 0};
        s.state[range.first] = bad[i];
        assert_int_equal(lmb_state_check(s.control, s.state, 1, &error), LMB_ERROR_FORMAT);
    }
    memset(s.state, 0, sizeof s.state);
    s.state[range.first] = 720721;
    assert_int_equal(lmb_state_check(s.control, s.state, 1, &error), LMB_ERROR_FORMAT);
    stage_end(&s);
}

// The shown values are computed from a copy of the state. This also works for the largest state.
static void the_largest_state(void **state) {
    (void)state;
    enum { CHARACTERS = 3 };
    static control_state_def states[LMB_MAX_STATES];
    static control_machine_def machines[LMB_MAX_MACHINES];
    static control_player_def players[LMB_MAX_PLAYERS];
    static lmb_smoothed_def smoothed[LMB_MAX_PARAMETERS];
    static float rows[CHARACTERS][LMB_MAX_PARAMETERS];
    for (uint32_t i = 0; i < LMB_MAX_STATES; i++) {
        states[i] = default_control_state_def();
    }
    for (uint32_t i = 0; i < LMB_MAX_MACHINES; i++) {
        machines[i] = (control_machine_def){.states = states, .state_count = LMB_MAX_STATES, .machine = LMB_NONE};
    }
    for (uint32_t i = 0; i < LMB_MAX_PLAYERS; i++) {
        players[i] = stage_player(1.0f, LMB_NONE);
        players[i].velocity = 1.0f;
    }
    for (uint32_t i = 0; i < LMB_MAX_PARAMETERS; i++) {
        smoothed[i] = lmb_smoothed_parameter(lmb_constant(1.0f), 0.1f, i);
    }
    const lmb_motion_def motion = lmb_default_motion_def();
    control_def def = stage_control(players, LMB_MAX_PLAYERS, LMB_MAX_PARAMETERS);
    def.machines = machines;
    def.machine_count = LMB_MAX_MACHINES;
    def.smoothed = smoothed;
    def.smoothed_count = LMB_MAX_PARAMETERS;
    def.motion = &motion;
    def.update_every = lmb_constant(4.0f);
    def.interpolate_updates = true;
    lmb_graph *control = NULL;
    lmb_error error = {0};
    assert_int_equal(control_create(&def, NULL, NULL, &control, &error), LMB_OK);
    uint32_t *words = calloc((size_t)lmb_graph_get_info(control)->state_words * CHARACTERS, sizeof *words);
    float motions[CHARACTERS][LMB_MOTION_FLOATS];
    assert_non_null(words);
    for (uint32_t frame = 0; frame < 6; frame++) {
        const lmb_control_frame run = {.step = LMB_TICKS_PER_SECOND / 60,
                                       .number = frame,
                                       .character_count = CHARACTERS,
                                       .state = words,
                                       .parameters = rows[0],
                                       .motions = motions[0]};
        assert_int_equal(lmb_control_run(control, &run, 0, CHARACTERS, &error), LMB_OK);
        expect_near((double)motions[1][2] / LMB_MAX_PLAYERS, (frame + 1.0) / 60.0, frame, "z");
    }
    free(words);
    lmb_graph_destroy(control);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_know_nothing_of_it),
        cmocka_unit_test(what_is_continuous_goes_on),
        cmocka_unit_test(a_character_is_put_somewhere_between_updates),
        cmocka_unit_test(nothing_is_decided_between_updates),
        cmocka_unit_test(what_faded_out_stands),
        cmocka_unit_test(an_event_counts_from_its_frame),
        cmocka_unit_test(a_reset_counts_from_its_frame),
        cmocka_unit_test(an_update_with_events_is_two_frames),
        cmocka_unit_test(the_index_does_not_matter),
        cmocka_unit_test(phases_are_set),
        cmocka_unit_test(the_largest_state),
    };
    return cmocka_run_group_tests_name("updates", tests, NULL, NULL);
}
