// Controls written as JSON: machines, players, groups and smoothed parameters. Tests the control that a text becomes,
// how it runs, and the reported problems of malformed texts.
#include "failing_host.h"
#include "graph_text.h"
#include "random.h"
#include "reading.h"

#include <limber/cpu.h>
#include <limber/graph_json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HIPS, SPINE, JOINTS };
enum { STAND, STAND2CROUCH, CROUCH, TAKEOFF, HOP, FLOAT, LAND, CLIPS };

static const char *const clip_names[CLIPS] = {"stand", "stand2crouch", "crouch", "takeoff", "hop", "float", "land"};
static const float clip_durations[CLIPS] = {2.0f, 0.25f, 1.0f, 0.5f, 0.75f, 1.0f, 0.5f};

static lmb_rig *rig;
static lmb_clip *clips[CLIPS];

static int set_up(void **state) {
    (void)state;
    lmb_joint_def joints[JOINTS] = {lmb_default_joint_def(), lmb_default_joint_def()};
    joints[HIPS].name = "Hips";
    joints[SPINE].name = "Spine";
    joints[SPINE].parent = HIPS;
    static const lmb_channel_def contact = {.name = "contact"};
    const lmb_rig_def rig_def = {.joints = joints, .joint_count = JOINTS, .channels = &contact, .channel_count = 1};
    assert_int_equal(lmb_rig_create(&rig_def, NULL, &rig, NULL), LMB_OK);
    for (uint32_t i = 0; i < CLIPS; i++) {
        // The hips are at (clip, time, 0), so a pose shows its clip and its time.
        const float times[2] = {0.0f, clip_durations[i]};
        const float moves[6] = {(float)i, 0.0f, 0.0f, (float)i, clip_durations[i], 0.0f};
        static const float contacts[2] = {0.0f, 1.0f};
        const lmb_track_def tracks[2] = {{HIPS, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, moves},
                                         {0, LMB_PROPERTY_FLOAT, LMB_INTERPOLATION_LINEAR, 2, times, contacts}};
        const lmb_clip_def def = {.name = clip_names[i], .tracks = tracks, .track_count = 2};
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
    return graph_source(text, rig, clips, CLIPS);
}

static reading *read_graph(const char *text) {
    const lmb_graph_source source = source_of(text);
    lmb_graph_json *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_json_read(&source, NULL, &graph, NULL, &error) != LMB_OK) {
        fail_msg("%s\n%s", text, error.message);
    }
    return reading_create(graph);
}

// ---- Running.

// One character of a graph.
typedef struct player {
    reading *graph;
    const lmb_graph *program;
    lmb_cpu *cpu;
    uint32_t *state;
    uint32_t *emitted;
    float *parameters;
    uint32_t *inertia;
    uint32_t frame;
} player;

static player begin(const char *text) {
    player p = {.graph = read_graph(text)};
    p.program = p.graph->graph;
    assert_int_equal(lmb_cpu_create(p.program, LMB_CPU_REFERENCE, NULL, &p.cpu, NULL), LMB_OK);
    uint32_t count = lmb_graph_get_info(p.program)->parameter_count;
    p.state = calloc(lmb_graph_get_info(p.program)->state_words, sizeof *p.state);
    p.emitted = calloc(lmb_graph_get_info(p.program)->emitted_words, sizeof *p.emitted);
    p.parameters = calloc((size_t)count + 1, sizeof *p.parameters);
    p.inertia = calloc((size_t)lmb_graph_get_info(p.program)->inertia_words + 1, sizeof *p.inertia);
    assert_true(p.state != NULL && p.emitted != NULL && p.parameters != NULL && p.inertia != NULL);
    for (uint32_t i = 0; i < count; i++) {
        p.parameters[i] = lmb_graph_parameter_at(p.graph->graph, i).initial;
    }
    return p;
}

static void end(player *p) {
    lmb_cpu_destroy(p->cpu);
    reading_destroy(p->graph);
    free(p->state);
    free(p->emitted);
    free(p->parameters);
    free(p->inertia);
}

static void run(player *p, double seconds, const lmb_event *event) {
    const lmb_control_frame frame = {.step = (uint64_t)(seconds * (double)LMB_TICKS_PER_SECOND),
                                     .number = p->frame++,
                                     .character_count = 1,
                                     .state = p->state,
                                     .parameters = p->parameters,
                                     .events = event,
                                     .event_count = event != NULL,
                                     .emitted = p->emitted};
    lmb_error error = {0};
    if (lmb_control_run(p->program, &frame, 0, 1, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

// Runs a frame of this many seconds, with an event or without one (NULL).
static void step(player *p, double seconds, const char *event) {
    const lmb_event sent = {0, event == NULL ? 0 : lmb_graph_find_event(p->graph->graph, event)};
    run(p, seconds, event != NULL ? &sent : NULL);
}

static void reset(player *p, double seconds) {
    const lmb_event sent = {0, LMB_EVENT_RESET};
    run(p, seconds, &sent);
}

static const char *current(const player *p, uint32_t machine) {
    return lmb_graph_state_name(p->graph->graph, machine, lmb_state_current(p->program, p->state, machine));
}

static void set(player *p, const char *name, float value) {
    uint32_t index = lmb_graph_find_parameter(p->graph->graph, name);
    assert_true(index != LMB_NONE);
    p->parameters[index] = value;
}

// Returns the position of the hips.
static void hips(const player *p, float place[2]) {
    float palette[LMB_MATRIX_COMPONENTS * JOINTS];
    uint32_t refused[LMB_REFUSAL_COUNT] = {0};
    const lmb_batch_def batch = {p->program, 1, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = {.parameters = p->parameters};
    const lmb_batch_outputs outputs = {
        .buffers = {[LMB_OUTPUT_PALETTE] = palette}, .refused = refused, .inertia = p->inertia};
    assert_int_equal(lmb_cpu_run_poses(p->cpu, &batch, &inputs, &outputs, 0, 1, NULL), LMB_OK);
    for (uint32_t i = 0; i < LMB_REFUSAL_COUNT; i++) {
        assert_int_equal(refused[i], 0);
    }
    place[0] = palette[3];
    place[1] = palette[7];
}

static void expect_hips(const player *p, double x, double y) {
    float place[2];
    hips(p, place);
    assert_float_equal(place[0], x, 1e-4);
    assert_float_equal(place[1], y, 1e-4);
}

static bool was_emitted(const player *p, const char *event) {
    for (uint32_t i = 0; i < p->emitted[0]; i++) {
        if (lmb_emitted_event_at(p->emitted, i).event == lmb_graph_find_event(p->graph->graph, event)) {
            return true;
        }
    }
    return false;
}

static const char jump[] =
    "{'op':'machine','name':'jump','states':[\n"
    "{'name':'stand','pose':{'op':'clip','clip':'stand'},'transitions':[{'to':'stand2crouch','event':'JUMP_PRESS'}]},\n"
    "{'name':'stand2crouch','pose':{'op':'clip','clip':'stand2crouch'},"
    "'transitions':[{'to':'hop','event':'JUMP_RELEASE'},{'to':'crouch','end':true}]},\n"
    "{'name':'crouch','pose':{'op':'clip','clip':'crouch'},'transitions':[{'to':'takeoff','event':'JUMP_RELEASE'}]},\n"
    "{'name':'takeoff','pose':{'op':'clip','clip':'takeoff'},'transitions':[{'to':'float','end':true}]},\n"
    "{'name':'hop','pose':{'op':'clip','clip':'hop'},'transitions':[{'to':'float','end':true}]},\n"
    "{'name':'float','pose':{'op':'clip','clip':'float'},'transitions':[{'to':'land','event':'NEAR_GROUND'}]},\n"
    "{'name':'land','pose':{'op':'clip','clip':'land'},'transitions':[{'to':'stand','end':true}]}]}";

typedef struct line {
    double time;
    const char *event;
} line;

// Writes the states of a scripted run of 4 seconds in the order in which they became current.
static void run_path(uint32_t rate, const line *lines, uint32_t count, char *path, size_t size, uint32_t *frames) {
    player p = begin(jump);
    size_t length = (size_t)snprintf(path, size, "stand");
    uint32_t state = 0, changes = 0;
    uint32_t next = 0;
    for (uint32_t i = 1; i <= 4 * rate; i++) {
        bool due = next < count && lines[next].time * rate <= (double)i;
        step(&p, 1.0 / rate, due ? lines[next].event : NULL);
        next += due ? 1 : 0;
        uint32_t now = lmb_state_current(p.program, p.state, 0);
        if (now != state) {
            length += (size_t)snprintf(path + length, size - length, " %s", current(&p, 0));
            frames[changes++] = i;
            state = now;
        }
    }
    end(&p);
}

static void the_jump_takes_its_path(void **state) {
    (void)state;
    static const line hold[] = {{0.5, "JUMP_PRESS"}, {1.5, "JUMP_RELEASE"}, {2.5, "NEAR_GROUND"}};
    static const line tap[] = {{0.5, "JUMP_PRESS"}, {0.6, "JUMP_RELEASE"}, {2.5, "NEAR_GROUND"}};
    static const double hold_times[] = {0.5, 0.75, 1.5, 2.0, 2.5, 3.0};
    static const double tap_times[] = {0.5, 0.6, 1.35, 2.5, 3.0};
    static const uint32_t rates[] = {30, 60, 144};
    for (uint32_t i = 0; i < 3; i++) {
        char path[200];
        uint32_t frames[16];
        run_path(rates[i], hold, 3, path, sizeof path, frames);
        assert_string_equal(path, "stand stand2crouch crouch takeoff float land stand");
        for (uint32_t k = 0; k < 6; k++) {
            assert_true(fabs(frames[k] - hold_times[k] * rates[i]) <= 1.0 + 1e-9);
        }
        run_path(rates[i], tap, 3, path, sizeof path, frames);
        assert_string_equal(path, "stand stand2crouch hop float land stand");
        for (uint32_t k = 0; k < 5; k++) {
            // The clip ends where the release was, rounded to a frame, so its end can be a frame late as well.
            assert_true(fabs(frames[k] - tap_times[k] * rates[i]) <= 2.0 + 1e-9);
        }
    }
}

static void poses_follow_the_machine(void **state) {
    (void)state;
    player p = begin(jump);
    expect_hips(&p, STAND, 0.0);
    step(&p, 0.5, NULL);
    expect_hips(&p, STAND, 0.5);
    step(&p, 2.0, NULL);
    expect_hips(&p, STAND, 0.5); // one full loop
    step(&p, 0.1, "JUMP_PRESS"); // half of the fade, where smoothstep is 0.5
    assert_string_equal(current(&p, 0), "stand2crouch");
    expect_hips(&p, 0.5 * (STAND + STAND2CROUCH), 0.5 * (0.6 + 0.1));
    step(&p, 0.15, NULL); // to the clip's end; the next frame reacts to it
    assert_string_equal(current(&p, 0), "stand2crouch");
    expect_hips(&p, STAND2CROUCH, 0.25);
    step(&p, 0.1, NULL);
    assert_string_equal(current(&p, 0), "crouch");
    expect_hips(&p, 0.5 * (STAND2CROUCH + CROUCH), 0.5 * (0.25 + 0.1));
    step(&p, 0.2, NULL);
    expect_hips(&p, CROUCH, 0.3);
    end(&p);
}

// ---- The control that a text becomes.

static void the_jump_becomes_a_control(void **state) {
    (void)state;
    reading *graph = read_graph(jump);
    const lmb_moving *def = graph->control;
    assert_int_equal(def->machine_count, 1);
    assert_int_equal(def->player_count, CLIPS);
    assert_int_equal(def->poses.parameter_count, 2 * CLIPS);
    assert_int_equal(def->poses.parameter_count, lmb_graph_get_info(graph->graph)->parameter_count);
    assert_int_equal(def->def->event_count, 3);
    assert_int_equal(lmb_graph_get_info(graph->graph)->event_count, 3);
    assert_string_equal(lmb_graph_event_name(graph->graph, 0), "JUMP_PRESS");
    assert_int_equal(lmb_graph_find_event(graph->graph, "NEAR_GROUND"), 2);
    assert_int_equal(lmb_graph_find_event(graph->graph, "END"), LMB_NONE);
    assert_string_equal(lmb_graph_machine_at(graph->graph, 0).name, "jump");
    const lmb_moving_machine *machine = &def->machines[0];
    assert_int_equal(machine->def.state_count, CLIPS);
    assert_int_equal(machine->machine, LMB_NONE);
    assert_int_equal(machine->def.transition_count, 8);
    for (uint32_t i = 0; i < CLIPS; i++) {
        assert_string_equal(lmb_graph_state_name(graph->graph, 0, i), clip_names[i]);
        assert_string_equal(lmb_graph_player_at(graph->graph, i).name, clip_names[i]);
        assert_int_equal(machine->states[i].end_player, i);
        assert_int_equal(def->players[i].machine, 0);
        assert_int_equal(def->players[i].state, i);
        assert_true(def->players[i].duration == lmb_clip_get_info(clips[i])->duration);
        bool ends = i == STAND2CROUCH || i == TAKEOFF || i == HOP || i == LAND;
        assert_int_equal(def->players[i].def->end, ends ? LMB_END_HOLD : LMB_END_LOOP);
        lmb_graph_parameter weight = lmb_graph_parameter_at(graph->graph, machine->states[i].weight_parameter);
        assert_true(weight.is_written);
        assert_true(weight.initial == (i == 0 ? 1.0f : 0.0f));
        lmb_graph_parameter time = lmb_graph_parameter_at(graph->graph, def->players[i].time_parameter);
        assert_true(time.is_written);
        assert_true(time.max == clip_durations[i]);
        assert_int_equal(lmb_graph_find_parameter(graph->graph, time.name), LMB_NONE);
    }
    const lmb_transition_def *transition = &machine->def.transitions[1];
    assert_int_equal(transition->from, STAND2CROUCH);
    assert_int_equal(transition->to, HOP);
    assert_int_equal(transition->event, 1);
    assert_true(transition->fade == 0.2f);
    assert_int_equal(transition->curve, LMB_CURVE_SMOOTHSTEP);
    assert_int_equal(lmb_graph_json_warning_count(graph->json), 0);
    reading_destroy(graph);
    graph = read_graph("{'op':'clip','clip':'hop'}");
    assert_null(graph->control);
    assert_int_equal(lmb_graph_get_info(graph->graph)->event_count, 0);
    reading_destroy(graph);
}

// ---- The weights of clips.

// Three gaits on a line, two of them in one sync group, at position `at`. `play` adds to the first clip of the group.
#define GAITS(at, play)                                                                                                \
    "{'op':'space1d','inputs':["                                                                                       \
    "{'at':3,'pose':{'op':'clip','clip':'hop','play':{'group':'steps'" play "}}},"                                     \
    "{'at':0,'pose':{'op':'clip','clip':'float','play':true}},"                                                        \
    "{'at':1.25,'pose':{'op':'clip','clip':'stand','play':{'group':'steps','velocity':1.25}}}],'at':" at "}"

enum { HOPS, FLOATS, STANDS, GAIT_COUNT }; // their players

// Computes their weights at a position.
static void find_gaits(double at, double weights[GAIT_COUNT]) {
    weights[HOPS] = fmin(fmax((at - 1.25) / 1.75, 0.0), 1.0);
    weights[FLOATS] = fmin(fmax((1.25 - at) / 1.25, 0.0), 1.0);
    weights[STANDS] = 1.0 - weights[HOPS] - weights[FLOATS];
}

static void expect_weight(const player *p, uint32_t player, double weight) {
    assert_float_equal(lmb_state_player(p->program, p->state, player).weight, weight, 4e-7);
}

static void expect_gaits(const player *p, double at, double whole) {
    double weights[GAIT_COUNT];
    find_gaits(at, weights);
    for (uint32_t i = 0; i < GAIT_COUNT; i++) {
        expect_weight(p, i, whole * weights[i]);
    }
}

// For any form of the position, at any depth in the graph, in a group and in none.
static void clips_weigh_what_their_space_does(void **state) {
    (void)state;
    static const float positions[] = {-1.0f, 0.0f, 0.5f, 1.25f, 1.6875f, 3.0f, 4.0f};
    player p = begin(GAITS("{'param':'speed'}", ""));
    assert_int_equal(p.graph->control->def->group_count, 1);
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++) {
        set(&p, "speed", positions[i]);
        step(&p, 0.1, NULL);
        expect_gaits(&p, positions[i], 1.0);
    }
    end(&p);
    p = begin(GAITS("1.6875", ""));
    step(&p, 0.1, NULL);
    expect_gaits(&p, 1.6875, 1.0);
    end(&p);
    // Smoothed: the first frame has the whole value, and after a half-life half of the difference remains.
    p = begin(GAITS("{'param':'speed','smooth':0.25}", ""));
    step(&p, 0.25, NULL);
    expect_gaits(&p, 0.0, 1.0);
    set(&p, "speed", 3.0f);
    step(&p, 0.25, NULL);
    expect_gaits(&p, 1.5, 1.0);
    step(&p, 0.25, NULL);
    expect_gaits(&p, 2.25, 1.0);
    end(&p);
    p = begin(GAITS("{'curve':'quadratic-in','of':{'param':'speed'}}", ""));
    set(&p, "speed", 0.5f);
    step(&p, 0.1, NULL);
    expect_gaits(&p, 0.25, 1.0);
    end(&p);
    // Deep in the graph, the weights are shares of the surrounding weight in the same frame.
    static const char deep[] =
        "{'op':'machine','states':[{'name':'go','pose':{'op':'blend','weight':{'param':'w'},'a':{'op':'rest'},'b'"
        ":" GAITS("{'param':'x'}", "") "},'transitions':[{'to':'rest','event':'STOP','fade':0.25,'curve':'linear'}]},"
                                       "{'name':'rest','pose':{'op':'clip','clip':'crouch'}}]}";
    p = begin(deep);
    set(&p, "x", 2.125f);
    set(&p, "w", 0.5f);
    step(&p, 0.0625, NULL);
    expect_gaits(&p, 2.125, 0.5);
    expect_weight(&p, GAIT_COUNT, 0.0);
    set(&p, "w", 0.75f);
    step(&p, 0.0625, "STOP");
    expect_gaits(&p, 2.125, 0.75 * 0.75);
    expect_weight(&p, GAIT_COUNT, 0.25);
    step(&p, 0.1875, NULL);
    expect_gaits(&p, 2.125, 0.0);
    expect_weight(&p, GAIT_COUNT, 1.0);
    end(&p);
}

// Runs a group and compares it with the formulas of control.h, with the weights of the space's clips in each frame.
static void follow_a_group(const char *text, bool by_velocity) {
    static const double durations[2] = {0.75, 2.0}, velocities[2] = {3.0, 1.25};
    static const uint32_t players[2] = {HOPS, STANDS};
    player p = begin(text);
    const lmb_moving *def = p.graph->control;
    double way = 0.0; // the leader's time
    for (uint32_t frame = 0; frame < 900; frame++) {
        const double speed = 2.0 + 2.5 * sin(0.01 * (double)frame);
        double weights[GAIT_COUNT];
        find_gaits(speed, weights);
        set(&p, "speed", (float)speed);
        step(&p, 1.0 / 60.0, NULL);
        double of = 0.0, over = 0.0;
        for (int i = 0; i < 2; i++) {
            const double weight = weights[players[i]], relative = durations[i] / durations[0];
            of += by_velocity ? weight * velocities[i] : weight / relative;
            over += by_velocity ? weight * velocities[i] * relative : weight;
        }
        way += (over > 0.0 ? of / over : 1.0) / 60.0;
        for (int i = 0; i < 2; i++) {
            const double expected = fmod(way / durations[0], 1.0) * durations[i];
            const double off = fabs((double)p.parameters[def->players[players[i]].time_parameter] - expected);
            assert_true(fmin(off, durations[i] - off) <= 1e-3); // rates are rounded to 1/65,536, 900 times
        }
    }
    end(&p);
}

static void groups_go_by_their_cadence(void **state) {
    (void)state;
#define AT_SPEED(play) GAITS("{'param':'speed'}", play)
    follow_a_group(AT_SPEED(",'velocity':3"), true);
    follow_a_group(AT_SPEED(",'velocity':3,'cadence':'default'"), true);
    follow_a_group(AT_SPEED(",'cadence':'velocity','velocity':3"), true);
    follow_a_group(AT_SPEED(",'velocity':3,'cadence':'duration'"), false);
    follow_a_group(AT_SPEED(""), false); // one has no velocity
    // A motion path that does not end where it starts gives a velocity.
    follow_a_group(AT_SPEED(",'motion':[[0,0,0,0],[0,0,2.25,0]]"), true);
    follow_a_group(AT_SPEED(",'motion':[[0,0,0,0],[0,0,2.25,0],[0,0,0,0]]"), false);
}

static void a_cadence_is_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        lmb_cadence cadence;
    } rows[] = {
        {AT_SPEED(""), LMB_CADENCE_DEFAULT},
        {AT_SPEED(",'cadence':'default'"), LMB_CADENCE_DEFAULT},
        {AT_SPEED(",'cadence':'duration'"), LMB_CADENCE_DURATION},
        {AT_SPEED(",'cadence':'length'"), LMB_CADENCE_LENGTH},
        {AT_SPEED(",'cadence':'velocity','velocity':-3"), LMB_CADENCE_VELOCITY},
        {AT_SPEED(",'cadence':'velocity','motion':[[1,0,0,0],[0,0,0,0]]"), LMB_CADENCE_VELOCITY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        reading *graph = read_graph(rows[i].text);
        const lmb_moving *def = graph->control;
        assert_int_equal(def->def->group_count, 1);
        assert_int_equal(def->def->groups[0].cadence, rows[i].cadence);
        reading_destroy(graph);
    }
}

static void players_as_they_are_said(void **state) {
    (void)state;
    reading *graph =
        read_graph("{'op':'blend','weight':{'param':'f'},"
                   "'a':{'op':'clip','clip':'stand','play':{'rate':{'param':'pace'},'group':'move',"
                   "'markers':[0.5,1.5],'velocity':1.5,"
                   "'notifies':[{'time':0.25,'event':'step'},{'time':1,'event':'step'}],'looped':'round'}},"
                   "'b':{'op':'add','a':{'op':'clip','clip':'crouch','play':{'group':'move','markers':[0,0.25]}},"
                   "'b':{'op':'clip','clip':'hop','play':{'end':'ping-pong','offset':0.25,'ended':'over','rate':-2,"
                   "'repetitions':3,'drops-out':true,'delay':0.5,'sync-with':'crouch'}}}}");
    const lmb_moving *def = graph->control;
    assert_int_equal(def->player_count, 3);
    const lmb_moving_player *player = &def->players[0];
    assert_int_equal(player->machine, LMB_NONE);
    assert_int_equal(player->def->end, LMB_END_LOOP);
    assert_int_equal(player->def->rate.parameter, lmb_graph_find_parameter(graph->graph, "pace"));
    assert_int_equal(player->def->marker_count, 2);
    assert_true(player->def->markers[1] == 1.5f && player->def->velocity == 1.5f);
    assert_int_equal(player->def->notify_count, 2);
    assert_true(player->def->notifies[1].time == 1.0f);
    assert_int_equal(player->def->notifies[1].event, lmb_graph_find_event(graph->graph, "step"));
    assert_int_equal(player->def->looped_event, lmb_graph_find_event(graph->graph, "round"));
    assert_int_equal(player->def->ended_event, LMB_NONE);
    player = &def->players[2];
    assert_int_equal(player->def->end, LMB_END_PING_PONG);
    assert_true(player->def->offset == 0.25f && player->def->rate.constant == -2.0f);
    assert_true(player->def->repetitions == 3 && player->def->drops_out);
    assert_true(player->def->delay == 0.5f && player->def->sync_node == def->players[1].node);
    assert_int_equal(player->def->ended_event, lmb_graph_find_event(graph->graph, "over"));
    assert_true(lmb_graph_parameter_at(graph->graph, player->time_parameter).initial == 0.25f);
    assert_int_equal(def->def->group_count, 1);
    assert_int_equal(lmb_graph_get_info(graph->graph)->group_count, 1);
    assert_string_equal(lmb_graph_group_name(graph->graph, 0), "move");
    assert_true(def->players[0].def->group == 0 && def->players[1].def->group == 0);
    assert_int_equal(def->players[2].def->group, LMB_NONE);
    assert_int_equal(def->def->groups[0].cadence, LMB_CADENCE_DEFAULT);
    // The clips' nodes read the players' times without a change.
    const lmb_graph_def *program = &graph->moving.poses;
    for (uint32_t i = 0, clip = 0; i < program->node_count; i++) {
        const lmb_node_def *node = &program->nodes[i];
        if (node->op == LMB_OP_CLIP) {
            assert_int_equal(node->time.parameter, def->players[clip++].time_parameter);
            assert_true(!node->loop && node->rate.constant == 1.0f && node->offset.constant == 0.0f);
        }
    }
    reading_destroy(graph);
}

static void a_player_alone_moves_its_clip(void **state) {
    (void)state;
    player p = begin("{'op':'clip','clip':'crouch','play':true}");
    step(&p, 0.25, NULL);
    expect_hips(&p, CROUCH, 0.25);
    step(&p, 1.5, NULL);
    expect_hips(&p, CROUCH, 0.75);
    end(&p);
}

static void smoothed_are_shared(void **state) {
    (void)state;
    player p = begin("{'op':'blend','weight':{'param':'w','smooth':0.5,'default':0.25,'max':1},"
                     "'a':{'op':'blend','weight':{'param':'w','smooth':0.5},'a':{'op':'rest'},'b':{'op':'rest'}},"
                     "'b':{'op':'blend','weight':{'param':'w','smooth':0.25},'a':{'op':'rest'},"
                     "'b':{'op':'clip','clip':'hop','time':{'param':'w','smooth':0}}}}");
    const lmb_moving *def = p.graph->control;
    assert_int_equal(def->def->smoothed_count, 2);
    assert_int_equal(def->poses.parameter_count, 3);
    uint32_t source = lmb_graph_find_parameter(p.graph->graph, "w");
    for (uint32_t i = 0; i < 2; i++) {
        const lmb_graph_parameter parameter = lmb_graph_parameter_at(p.graph->graph, def->def->smoothed[i].parameter);
        assert_int_equal(def->def->smoothed[i].source.parameter, source);
        assert_true(parameter.is_written && parameter.initial == 0.25f && parameter.max == 1.0f);
    }
    assert_true(def->def->smoothed[0].half_life == 0.5f && def->def->smoothed[1].half_life == 0.25f);
    step(&p, 0.0, NULL);
    set(&p, "w", 1.0f);
    step(&p, 0.5, NULL);
    assert_float_equal(p.parameters[def->def->smoothed[0].parameter], 0.625, 1e-6);
    assert_float_equal(p.parameters[def->def->smoothed[1].parameter], 0.8125, 1e-6);
    end(&p);
}

static void conditions_compare_and_join(void **state) {
    (void)state;
    player p = begin("{'op':'machine','states':[{'name':'a','pose':{'op':'rest'},'exit':'left',"
                     "'transitions':[{'to':'b','fade':0,"
                     "'when':{'or':[{'and':[{'>':[{'param':'x'},0.5]},{'<=':[{'param':'y'},0.25]},{'<':[0,1]}]},"
                     "{'==':[{'param':'z'},1]}]}}]},"
                     "{'name':'b','pose':{'op':'rest'},'entry':'came',"
                     "'transitions':[{'to':'a','fade':0,'after':0.5,'when':{'>=':[{'param':'y'},0.5]}}]}]}");
    const lmb_transition_def *transition = &p.graph->control->machines[0].def.transitions[0];
    static const lmb_term_kind kinds[] = {LMB_TERM_GREATER, LMB_TERM_LESS_EQUAL, LMB_TERM_AND, LMB_TERM_LESS,
                                          LMB_TERM_AND,     LMB_TERM_EQUAL,      LMB_TERM_OR};
    assert_int_equal(transition->term_count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(transition->terms[i].kind, kinds[i]);
    }
    assert_string_equal(lmb_graph_machine_at(p.graph->graph, 0).name, "machine");
    step(&p, 0.1, NULL);
    assert_string_equal(current(&p, 0), "a");
    set(&p, "x", 0.75f);
    set(&p, "y", 0.5f);
    step(&p, 0.1, NULL);
    assert_string_equal(current(&p, 0), "a");
    set(&p, "y", 0.25f);
    step(&p, 0.1, NULL);
    assert_string_equal(current(&p, 0), "b");
    assert_true(was_emitted(&p, "came") && was_emitted(&p, "left"));
    set(&p, "y", 1.0f);
    step(&p, 0.4, NULL);
    assert_string_equal(current(&p, 0), "b");
    step(&p, 0.2, NULL);
    assert_string_equal(current(&p, 0), "a");
    set(&p, "z", 1.0f);
    set(&p, "y", 0.0f);
    step(&p, 0.1, NULL);
    assert_string_equal(current(&p, 0), "b");
    end(&p);
}

// {"fade": NAME} reads a weight, here of a fade deeper in the graph. 1 - fade uses the weight of the same frame.
static void numbers_are_computed(void **state) {
    (void)state;
    player p =
        begin("{'op':'blend','weight':{'subtract':[1,{'fade':'wave'}]},'a':{'op':'rest'},"
              "'b':{'op':'blend','weight':{'in':'WAVE','out':'WAVE','name':'wave','seconds':1,'curve':'linear'},"
              "'a':{'op':'rest'},'b':{'op':'blend','a':{'op':'rest'},"
              "'weight':{'remap':[{'multiply':[{'param':'x','default':0.25},{'max':[2,{'add':[1,0.5]}]}]},0,2,1,"
              "0]},'b':{'op':'blend','weight':{'curve':'smoothstep',"
              "'of':{'clamp':[{'param':'y'},0.5,{'fade':'wave'}]}},'a':{'op':'rest'},"
              "'b':{'op':'blend','weight':{'min':[0.75,{'fade':'wave'}]},'a':{'op':'rest'},'b':{'op':'rest'}}}}}}");
    const lmb_moving *def = p.graph->control;
    const lmb_graph_def *program = lmb_graph_json_def(p.graph->json);
    assert_int_equal(def->def->computed_count, 5);
    assert_int_equal(def->machine_count, 1);
    const uint32_t wave = def->def->computed[0].inputs[1].parameter;
    assert_int_equal(def->machines[0].states[1].weight_parameter, wave);
    assert_true(def->def->computed[0].inputs[0].kind == LMB_VALUE_CONSTANT &&
                def->def->computed[0].inputs[0].constant == 1.0f);
    assert_true(def->def->computed[1].kind == LMB_COMPUTED_MULTIPLY &&
                def->def->computed[2].kind == LMB_COMPUTED_REMAP);
    assert_true(def->def->computed[1].inputs[1].kind == LMB_VALUE_CONSTANT &&
                def->def->computed[1].inputs[1].constant == 2.0f);
    assert_int_equal(def->def->computed[2].inputs[0].parameter, def->def->computed[1].parameter);
    assert_int_equal(program->nodes[program->node_count - 1].weight.parameter, def->def->computed[0].parameter);
    const lmb_graph_parameter defaults = lmb_graph_parameter_at(p.graph->graph, def->def->computed[2].parameter);
    assert_true(defaults.is_written && defaults.initial == 0.75f); // 0.25 times 2, remapped from 0 to 2
    assert_true(lmb_graph_parameter_at(p.graph->graph, def->def->computed[0].parameter).initial == 1.0f);
    assert_true(lmb_graph_parameter_at(p.graph->graph, wave).initial == 0.0f);
    set(&p, "y", 0.625f);
    for (int frame = 0; frame < 6; frame++) {
        step(&p, 0.25, frame == 1 ? "WAVE" : NULL);
        const double faded = frame < 1 ? 0.0 : fmin(0.25 * frame, 1.0);
        const double expected[5] = {1.0 - faded, 0.5, 0.75, fmin(fmax(0.625, 0.5), faded), fmin(0.75, faded)};
        for (int i = 0; i < 5; i++) {
            assert_true(fabs((double)p.parameters[def->def->computed[i].parameter] - expected[i]) < 1e-6);
        }
    }
    end(&p);
    // If all values are constant, the graph has no control.
    reading *graph = read_graph("{'op':'blend','weight':{'subtract':[1,{'remap':[5,0,10,0,0.5]}]},'a':{'op':'rest'},"
                                "'b':{'op':'rest'}}");
    assert_null(graph->control);
    assert_true(lmb_graph_json_def(graph->json)->nodes[2].weight.constant == 0.75f);
    reading_destroy(graph);
}

// The hips fade over the whole time, the joint below them over a fifth of it. Updates are interpolated.
static void profiles_and_updates(void **state) {
    (void)state;
    player p = begin("{'op':'machine','update-every':{'param':'far'},'interpolate-updates':true,'states':["
                     "{'name':'a','pose':{'op':'clip','clip':'stand'},"
                     "'transitions':[{'to':'b','event':'GO','fade':0.5,'curve':'linear',"
                     "'profile':{'Hips':255,'Spine':51}},{'to':'b','event':'JUMP','fade':0}]},"
                     "{'name':'b','pose':{'op':'clip','clip':'hop'}}]}");
    const lmb_graph_def *def = lmb_graph_json_def(p.graph->json);
    const lmb_transition_def *transitions = def->nodes[def->node_count - 1].machine->transitions;
    assert_int_equal(transitions[1].profile, LMB_NONE);
    assert_true(transitions[0].profile < def->mask_count);
    assert_memory_equal(def->masks[transitions[0].profile], ((const uint8_t[JOINTS]){255, 51}), JOINTS);
    assert_true(def->interpolate_updates);
    assert_int_equal(def->update_every->parameter, lmb_graph_find_parameter(p.graph->graph, "far"));
    set(&p, "far", 4.0f);
    step(&p, 0.0, "GO");
    step(&p, 0.25, NULL);
    assert_int_equal(lmb_state_player(p.program, p.state, 1).ticks, 0);
    expect_hips(&p, (STAND + HOP) / 2.0, 0.25);
    end(&p);
}

// Conditions name a clip, also one in a machine inside the state, or mean the state's first clip.
static void conditions_name_places(void **state) {
    (void)state;
    player p =
        begin("{'op':'machine','max-emitted-events':40,'states':["
              "{'name':'a','pose':{'op':'blend','a':{'op':'clip','clip':'stand'},'b':{'op':'clip','clip':'hop'}},"
              "'transitions':[{'to':'b','fade':0,'when':{'>=':[{'phase':'hop'},0.5]}}]},"
              "{'name':'b','pose':{'op':'clip','clip':'hop','offset':0.25},"
              "'transitions':[{'to':'c','fade':0,'when':{'<=':[{'remaining':true},{'subtract':[0.5,0.25]}]}}]},"
              "{'name':'c','pose':{'op':'machine','states':[{'name':'in','pose':{'op':'clip','clip':'float'}}]},"
              "'transitions':[{'to':'a','fade':0,"
              "'when':{'and':[{'>=':[{'phase':'float'},0.125]},{'<':[{'add':[{'param':'x'},1]},2]}]}}]}]}");
    const lmb_moving *def = p.graph->control;
    assert_int_equal(def->max_emitted_events, 40);
    static const struct {
        uint32_t player;
        lmb_operand operand;
        float right;
    } expected[] = {{1, LMB_OPERAND_PHASE, 0.5f}, {2, LMB_OPERAND_REMAINING, 0.25f}, {3, LMB_OPERAND_PHASE, 0.125f}};
    for (uint32_t i = 0; i < 3; i++) {
        const lmb_term *term = &def->machines[0].def.transitions[i].terms[0];
        assert_int_equal(def->player_of[term->player_node], expected[i].player);
        assert_int_equal(term->operand, expected[i].operand);
        assert_true(term->right.kind == LMB_VALUE_CONSTANT && term->right.constant == expected[i].right);
    }
    // After 0.375, 0.25 and 0.125 s, with frames of any length.
    step(&p, 0.5, NULL);
    assert_string_equal(current(&p, 0), "b");
    step(&p, 0.1875, NULL);
    assert_string_equal(current(&p, 0), "c");
    step(&p, 0.125, NULL);
    assert_string_equal(current(&p, 0), "a");
    expect_hips(&p, HOP, 0.0625);
    assert_int_equal(lmb_graph_json_warning_count(p.graph->json), 0);
    end(&p);
}

// A trigger waits until a transition takes it: over frames, and for a time. A reset drops it, and what a transition
// takes is gone.
static void triggers_wait(void **state) {
    (void)state;
    player p = begin("{'op':'machine','name':'m','states':["
                     "{'name':'a','pose':{'op':'rest'},'transitions':[{'to':'b','fade':0,'after':0.25,"
                     "'when':{'trigger':'GO'}}]},"
                     "{'name':'b','pose':{'op':'rest'},'transitions':[{'to':'c','fade':0,'when':{'trigger':'GO'}},"
                     "{'to':'a','fade':0,'when':{'and':[{'param':'back'},{'not':{'trigger':'GO'}}]}}]},"
                     "{'name':'c','pose':{'op':'rest'},'transitions':[{'to':'a','fade':0,'event':'AGAIN'}]}]}");
    step(&p, 0.1, "GO");
    assert_string_equal(current(&p, 0), "a");
    step(&p, 0.125, NULL);
    assert_string_equal(current(&p, 0), "a");
    step(&p, 0.125, NULL); // inside this frame
    assert_string_equal(current(&p, 0), "b");
    step(&p, 0.5, NULL); // it was taken
    assert_string_equal(current(&p, 0), "b");
    step(&p, 0.1, "GO");
    assert_string_equal(current(&p, 0), "c");
    step(&p, 0.1, "GO");
    step(&p, 0.1, "GO"); // counts once
    step(&p, 0.1, "AGAIN");
    assert_string_equal(current(&p, 0), "a");
    step(&p, 0.3, NULL);
    step(&p, 0.0, NULL);
    assert_string_equal(current(&p, 0), "b");
    set(&p, "back", 1.0f);
    step(&p, 0.0, NULL);
    assert_string_equal(current(&p, 0), "a");
    step(&p, 0.1, "GO");
    reset(&p, 1.0);
    step(&p, 1.0, NULL);
    assert_string_equal(current(&p, 0), "a");
    assert_int_equal(lmb_graph_json_warning_count(p.graph->json), 0);
    end(&p);
}

// Each machine keeps its own trigger, also while the state around it is not current.
static void triggers_wait_in_each_machine(void **state) {
    (void)state;
    player p = begin("{'op':'machine','name':'outer','states':["
                     "{'name':'a','pose':{'op':'rest'},'transitions':[{'to':'b','fade':0,'event':'IN'}]},"
                     "{'name':'b','transitions':[{'to':'a','fade':0,'event':'OUT'}],"
                     "'pose':{'op':'machine','name':'inner','states':["
                     "{'name':'x','pose':{'op':'rest'},'transitions':[{'to':'y','fade':0,'when':{'trigger':'GO'}}]},"
                     "{'name':'y','pose':{'op':'rest'}}]}},"
                     "{'name':'c','pose':{'op':'rest'}}],"
                     "'any':[{'to':'c','fade':0,'when':{'and':[{'trigger':'GO'},{'param':'takes'}]}}]}");
    step(&p, 0.1, "GO");
    step(&p, 0.1, "IN");
    assert_string_equal(current(&p, 0), "b");
    assert_string_equal(current(&p, 1), "y");
    step(&p, 0.1, "OUT");
    step(&p, 0.1, "IN"); // the inner one begins anew, and has taken its own
    assert_string_equal(current(&p, 1), "x");
    set(&p, "takes", 1.0f); // the outer one's still waits
    step(&p, 0.1, NULL);
    assert_string_equal(current(&p, 0), "c");
    end(&p);
}

static uint32_t spread(uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

// A list chooses with a second number of a machine, which draws when it begins and when it takes a transition, by the
// steps in control.h.
static void a_machine_draws(void **state) {
    (void)state;
    player p = begin("{'op':'machine','states':[{'name':'a','pose':{'op':'rest'},'transitions':["
                     "{'to':['a',{'state':'b','weight':2},'c'],'fade':0,'event':'GO'}]},"
                     "{'name':'b','pose':{'op':'rest'},'transitions':[{'to':'a','fade':0,'event':'GO'}]},"
                     "{'name':'c','pose':{'op':'rest'},'transitions':[{'to':'a','fade':0,'event':'GO'}]}]}");
    uint32_t word = spread(0x9e3779b9u) * 747796405u + 2891336453u, counts[3] = {0};
    static const char *const names[] = {"a", "b", "c"};
    uint32_t expected = 0;
    step(&p, 0.1, NULL);
    for (uint32_t i = 0; i < 20000; i++) {
        const double drawn = (double)(word * 2654435769u >> 8) / 16777216.0;
        expected = expected != 0 ? 0 : drawn < 0.25 ? 0 : drawn < 0.75 ? 1 : 2;
        counts[expected]++;
        step(&p, 0.1, "GO");
        assert_string_equal(current(&p, 0), names[expected]);
        word = word * 747796405u + 2891336453u;
    }
    // Of the draws a quarter leads to c, twice as many to b.
    assert_in_range(counts[1], 2 * counts[2] * 9 / 10, 2 * counts[2] * 11 / 10);
    // A reset goes on, and another seed gives other draws.
    assert_int_equal(lmb_graph_get_info(p.program)->seed_words.count, 1);
    const uint32_t own = p.state[lmb_graph_get_info(p.program)->seed_words.first];
    assert_int_equal(own, word);
    assert_int_equal(lmb_state_set_seed(p.program, p.state, 7, NULL), LMB_OK);
    assert_int_equal(p.state[lmb_graph_get_info(p.program)->seed_words.first], spread(8 * 0x9e3779b9u));
    assert_int_equal(lmb_state_set_seed(NULL, p.state, 7, NULL), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_state_check(p.program, p.state, 1, NULL), LMB_OK);
    end(&p);
}

// A list beside a chance: of the half that goes, a third goes to each of three states.
static void a_choice_beside_a_chance(void **state) {
    (void)state;
    player p = begin("{'op':'machine','states':[{'name':'a','pose':{'op':'rest'},'transitions':["
                     "{'to':['b','c','d'],'fade':0,'event':'GO','when':{'random':0.5}},{'to':'a','event':'GO'}]},"
                     "{'name':'b','pose':{'op':'rest'},'transitions':[{'to':'a','fade':0,'event':'BACK'}]},"
                     "{'name':'c','pose':{'op':'rest'},'transitions':[{'to':'a','fade':0,'event':'BACK'}]},"
                     "{'name':'d','pose':{'op':'rest'},'transitions':[{'to':'a','fade':0,'event':'BACK'}]}]}");
    uint32_t counts[4] = {0};
    for (uint32_t i = 0; i < 6000; i++) {
        step(&p, 0.1, "GO");
        counts[current(&p, 0)[0] - 'a']++;
        step(&p, 0.1, "BACK");
    }
    assert_in_range(counts[0], 2850, 3150);
    for (uint32_t i = 1; i < 4; i++) {
        assert_in_range(counts[i], 900, 1100);
    }
    end(&p);
}

static void step_draw(uint32_t *word) {
    *word = *word * 747796405u + 2891336453u;
}

static void check_place(const player *p, uint32_t index, uint32_t clip, uint32_t word) {
    const uint64_t ticks = (uint64_t)((double)clip_durations[clip] * (double)LMB_TICKS_PER_SECOND);
    assert_int_equal(lmb_state_player(p->program, p->state, index).ticks, ticks * (uint64_t)word >> 32);
}

#define AT_RANDOM(CLIP, MORE) "{'op':'clip','clip':'" CLIP "','play':{'offset':'random'" MORE "}}"

// A clip draws where it begins whenever its state is entered, by the steps in control.h. In a group the one draws that
// the group begins with; a transition that says where its state begins draws nothing.
static void clips_begin_at_random_times(void **state) {
    (void)state;
    player p = begin(
        "{'op':'machine','states':["
        "{'name':'a','pose':" AT_RANDOM(
            "hop", "") ",'transitions':[{'to':'b','fade':0,'event':'GO'}]},"
                       "{'name':'b','pose':{'op':'blend','weight':0.5,'a':" AT_RANDOM(
                           "crouch",
                           ",'group':'g'") ",'b':" AT_RANDOM("stand",
                                                             ",'group':'g'") "},'transitions':["
                                                                             "{'to':'a','fade':0,'event':'BACK'},"
                                                                             "{'to':'a','fade':0,'start':'phase','"
                                                                             "start-phase':0.5,'event':'HALF'}]}]}");
    const lmb_word_range seeds = lmb_graph_get_info(p.program)->seed_words;
    assert_int_equal(seeds.count, 3);
    uint32_t words[3];
    for (uint32_t i = 0; i < 3; i++) {
        words[i] = spread(0x9e3779b9u + i);
    }
    step(&p, 0.0, NULL);
    step_draw(&words[0]);
    step_draw(&words[1]);
    check_place(&p, 0, 4, words[0]);
    check_place(&p, 1, 2, words[1]);
    assert_memory_equal(p.state + seeds.first, words, sizeof words);
    for (uint32_t i = 0; i < 20; i++) {
        step(&p, 0.0, "GO");
        step_draw(&words[1]);
        check_place(&p, 1, 2, words[1]);
        const uint64_t half = lmb_state_player(p.program, p.state, 1).ticks;
        const uint64_t whole = lmb_state_player(p.program, p.state, 2).ticks;
        assert_true(whole + 2 >= 2 * half && whole <= 2 * half + 2); // in phase, in a clip that is twice as long
        step(&p, 0.0, i % 4 == 3 ? "HALF" : "BACK");
        if (i % 4 == 3) {
            check_place(&p, 0, 4, UINT32_C(1) << 31);
        } else {
            step_draw(&words[0]);
            check_place(&p, 0, 4, words[0]);
        }
    }
    assert_memory_equal(p.state + seeds.first, words, sizeof words);
    // A reset goes on; another seed is that of another character.
    reset(&p, 0.0);
    step_draw(&words[0]);
    check_place(&p, 0, 4, words[0]);
    assert_int_equal(lmb_state_set_seed(p.program, p.state, 7, NULL), LMB_OK);
    assert_int_equal(p.state[seeds.first + 2], spread(8 * 0x9e3779b9u + 2));
    end(&p);
}

// A chance holds or does not as long as a state is current; it may be a parameter.
static void chances(void **state) {
    (void)state;
    player p = begin("{'op':'machine','states':["
                     "{'name':'a','pose':{'op':'rest'},'transitions':[{'to':'b','fade':0,'when':{'random':0}},"
                     "{'to':'c','fade':0,'when':{'random':{'param':'chance'}}}]},"
                     "{'name':'b','pose':{'op':'rest'}},"
                     "{'name':'c','pose':{'op':'rest'}}]}");
    set(&p, "chance", 0.0f);
    for (uint32_t i = 0; i < 20; i++) {
        step(&p, 0.1, NULL);
    }
    assert_string_equal(current(&p, 0), "a");
    set(&p, "chance", 1.0f);
    step(&p, 0.1, NULL);
    assert_string_equal(current(&p, 0), "c");
    end(&p);
}

// An outer machine hears in which state an inner one is, and a transition of the inner one leads out of it: at the end
// of its clip, inside the frame.
static void transitions_lead_out(void **state) {
    (void)state;
    player p = begin("{'op':'machine','name':'outer','fade':0,'states':["
                     "{'name':'a','pose':{'op':'machine','name':'inner','fade':0,'states':["
                     "{'name':'x','pose':{'op':'clip','clip':'stand'},'transitions':[{'to':'y','event':'GO'}]},"
                     "{'name':'y','pose':{'op':'clip','clip':'hop'},"
                     "'transitions':[{'out':'b','end':true},{'out':['c'],'event':'LEAVE'}]}]}},"
                     "{'name':'b','pose':{'op':'rest'},'transitions':[{'to':'a','fade':0,'event':'BACK'}]},"
                     "{'name':'c','pose':{'op':'rest'},'transitions':[{'to':'a','fade':0,'event':'BACK'}]}],"
                     "'any':[{'from':['a'],'to':'c','fade':0,'event':'HEAR','when':{'in':{'inner':'y'}}}]}");
    assert_int_equal(lmb_graph_json_warning_count(p.graph->json), 0);
    step(&p, 0.0, NULL);
    step(&p, 0.0, "LEAVE"); // only from y
    step(&p, 0.0, "HEAR");
    assert_string_equal(current(&p, 0), "a");
    step(&p, 0.25, "GO");
    assert_string_equal(current(&p, 1), "y");
    step(&p, 0.0, "LEAVE");
    assert_string_equal(current(&p, 0), "c");
    step(&p, 0.0, "BACK");
    assert_string_equal(current(&p, 1), "x");
    step(&p, 0.0, "GO");
    step(&p, 0.0, "HEAR");
    assert_string_equal(current(&p, 0), "c");
    step(&p, 0.0, "BACK");
    step(&p, 0.0, "GO");
    step(&p, 0.5, NULL);
    assert_string_equal(current(&p, 0), "a");
    step(&p, 0.5, NULL); // the clip takes 0.75 s
    assert_string_equal(current(&p, 0), "b");
    end(&p);
}

#define LEADS_OUT(MEMBERS)                                                                                             \
    "{'op':'machine','name':'outer','states':[\n"                                                                      \
    "{'name':'a','pose':{'op':'machine','name':'inner','states':[\n"                                                   \
    "{'name':'x','pose':{'op':'clip','clip':'hop'},'transitions':[\n{'out':'b'," MEMBERS "}]}]}},\n"                   \
    "{'name':'b','pose':{'op':'rest'}},{'name':'c','pose':{'op':'rest'}}]}"

// A transition that leads out is one of the machine around, and has its default fade: here 1 s of 0.25 s later.
static void transitions_lead_out_with_the_outer_fade(void **state) {
    (void)state;
    static const struct {
        const char *outer, *inner, *own;
        double weight;
    } cases[] = {{"'fade':1,'curve':'linear',", "", "", 0.25},
                 {"'fade':1,'curve':'linear',", "'fade':0.5,", "", 0.25},
                 {"'fade':1,'curve':'linear',", "'fade':0.5,", "'fade':0.75,", 1.0 / 3.0},
                 {"'curve':'linear',", "'fade':1,", "'fade':0.5,", 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{'op':'machine','name':'outer',%s'states':["
                 "{'name':'a','pose':{'op':'machine','name':'inner',%s'states':["
                 "{'name':'x','pose':{'op':'clip','clip':'hop'},'transitions':[{'out':'b',%s'event':'GO'}]}]}},"
                 "{'name':'b','pose':{'op':'rest'}}]}",
                 cases[i].outer, cases[i].inner, cases[i].own);
        player p = begin(text);
        step(&p, 0.0, NULL);
        step(&p, 0.0, "GO");
        step(&p, 0.25, NULL);
        assert_float_equal(lmb_state_weight(p.program, p.state, 0, 1), cases[i].weight, 1e-6);
        end(&p);
    }
}

// Players, machines and fades are those of poses, whose places an editor asks for.
static void what_plays_has_a_place(void **state) {
    (void)state;
    reading *graph = read_graph(
        "{'op':'masked','mask':{'Spine':255},'weight':{'in':'WAVE','name':'wave'},'b':{'op':'clip','clip':'land'},"
        "'a':{'op':'machine','name':'body','states':["
        "{'name':'up','pose':{'op':'clip','clip':'stand'},'transitions':[{'to':'down','event':'GO'}]},"
        "{'name':'down','pose':{'op':'machine','name':'low','states':[{'name':'x','pose':{'use':'c'}}]}}]},"
        "'define':{'c':{'op':'clip','clip':'crouch','play':true}}}");
    static const char *const players[][2] = {{"stand", "a.states[0].pose"}, {"crouch", "define.c"}, {"land", "b"}};
    static const char *const machines[][2] = {{"body", "a"}, {"low", "a.states[1].pose"}};
    const lmb_graph_def *def = lmb_graph_json_def(graph->json);
    uint32_t player_count = 0, machine_count = 0;
    for (uint32_t i = 0; i < def->node_count; i++) {
        const uint32_t player = lmb_graph_node_player(graph->graph, i);
        const uint32_t machine = lmb_graph_node_machine(graph->graph, i);
        const char *path = lmb_graph_json_place(graph->json, i).path;
        for (int k = 0; player != LMB_NONE && k < 3; k++) {
            const bool is_named = strcmp(lmb_graph_player_at(graph->graph, player).name, players[k][0]) == 0;
            player_count += is_named && strcmp(path, players[k][1]) == 0;
        }
        for (int k = 0; machine != LMB_NONE && k < 2; k++) {
            const bool is_named = strcmp(lmb_graph_machine_at(graph->graph, machine).name, machines[k][0]) == 0;
            machine_count += is_named && strcmp(path, machines[k][1]) == 0;
        }
    }
    assert_int_equal(player_count, 3);
    assert_int_equal(machine_count, 2);
    assert_int_equal(def->fade_count, 1);
    assert_string_equal(lmb_graph_json_place(graph->json, def->fades[0].pose).path, "b");
    reading_destroy(graph);
}

// The machine around takes the transition, so the inner one emits nothing.
static void an_exit_that_is_not_emitted_gives_a_warning(void **state) {
    (void)state;
    static const char text[] =
        "{'op':'machine','name':'outer','states':["
        "{'name':'a','pose':{'op':'machine','name':'inner','states':["
        "{'name':'x','exit':'LEFT','pose':{'op':'rest'},'transitions':[{'out':'b','event':'GO'}]},"
        "{'name':'y','exit':'OFF','pose':{'op':'rest'},'transitions':[{'to':'x','event':'GO'}]}"
        "],'any':[{'to':'y','event':'Y'}]}},{'name':'b','pose':{'op':'rest'}}]}";
    player p = begin(text);
    assert_int_equal(lmb_graph_json_warning_count(p.graph->json), 1);
    const lmb_graph_problem *warning = lmb_graph_json_warning_at(p.graph->json, 0);
    assert_string_equal(warning->path, "states[0].pose.states[0].transitions[0].out");
    assert_non_null(strstr(warning->message, "\"exit\" is not emitted"));
    step(&p, 0.0, NULL);
    step(&p, 0.0, "GO");
    assert_string_equal(current(&p, 0), "b");
    assert_false(was_emitted(&p, "LEFT"));
    end(&p);
}

// A transition that leads out has a fade, a curve, a priority and a condition, as any other: here at half of the clip,
// which takes 0.75 s, inside of a frame.
static void transitions_lead_out_by_conditions(void **state) {
    (void)state;
    player p =
        begin(LEADS_OUT("'fade':0.5,'curve':'linear','when':{'>':[{'phase':true},0.5]}},"
                        "{'out':'c','fade':0,'event':'GO','when':{'<':[{'param':'x'},1]}},"
                        "{'out':'c','fade':0,'priority':1,'event':'LATE','when':{'>':[{'remaining':'hop'},0.6]}"));
    step(&p, 0.0, NULL);
    step(&p, 0.25, NULL);
    step(&p, 0.0, "LATE"); // 0.5 s remain
    assert_string_equal(current(&p, 0), "a");
    step(&p, 0.25, NULL);
    assert_string_equal(current(&p, 0), "b");
    assert_float_equal(lmb_state_weight(p.program, p.state, 0, 1), 0.25, 1e-6); // 0.125 of 0.5 s
    step(&p, 0.25, NULL);
    assert_float_equal(lmb_state_weight(p.program, p.state, 0, 1), 0.75, 1e-6);
    end(&p);
    p = begin(LEADS_OUT("'fade':0,'event':'GO','when':{'<':[{'param':'x'},1]}"));
    step(&p, 0.0, NULL);
    set(&p, "x", 2.0f);
    step(&p, 0.0, "GO");
    assert_string_equal(current(&p, 0), "a");
    set(&p, "x", 0.0f);
    step(&p, 0.0, "GO");
    assert_string_equal(current(&p, 0), "b");
    end(&p);
}

// A transition back to the same state is not an endless loop if it depends on a clip's time or on a computed parameter.
static void places_are_no_loops(void **state) {
    (void)state;
    reading *graph = read_graph("{'op':'machine','states':[{'name':'a','pose':{'op':'clip','clip':'hop'},"
                                "'transitions':[{'to':'b','when':{'>':[{'phase':true},0.5]}}]},"
                                "{'name':'b','pose':{'op':'rest'},'transitions':[{'to':'a','when':{'<':[0,1]}},"
                                "{'to':'c','priority':1,'when':{'>':[{'param':'x'},1]}}]},"
                                "{'name':'c','pose':{'op':'rest'},"
                                "'transitions':[{'to':'b','when':{'<':[{'subtract':[2,{'param':'x'}]},0]}}]}]}");
    assert_int_equal(lmb_graph_json_warning_count(graph->json), 0);
    reading_destroy(graph);
}

// The exit event, then the entry event. The first state of a machine emits no entry, and a transition to the same state
// emits both.
static void what_states_emit(void **state) {
    (void)state;
    player p = begin("{'op':'machine','states':[{'name':'a','pose':{'op':'rest'},'entry':'came','exit':'left',"
                     "'transitions':[{'to':'b','event':'GO'},{'to':'a','event':'AGAIN'}]},"
                     "{'name':'b','pose':{'op':'rest'},"
                     "'transitions':[{'to':'a','event':'GO'},{'to':'a','event':'left'}]}]}");
    const uint32_t came = lmb_graph_find_event(p.graph->graph, "came"),
                   left = lmb_graph_find_event(p.graph->graph, "left");
    step(&p, 0.1, NULL);
    assert_int_equal(p.emitted[0], 0);
    step(&p, 0.1, "GO");
    assert_int_equal(p.emitted[0], 1);
    assert_int_equal(lmb_emitted_event_at(p.emitted, 0).event, left);
    assert_string_equal(current(&p, 0), "b"); // emitted events are for the host: no transition takes them
    step(&p, 0.1, "GO");
    assert_int_equal(p.emitted[0], 1);
    assert_int_equal(lmb_emitted_event_at(p.emitted, 0).event, came);
    step(&p, 0.1, "AGAIN");
    assert_int_equal(p.emitted[0], 2);
    const lmb_emitted_event exit = lmb_emitted_event_at(p.emitted, 0), entry = lmb_emitted_event_at(p.emitted, 1);
    assert_true(exit.event == left && exit.kind == LMB_EMITTED_EXIT && exit.part == 0 && exit.ticks == 0);
    assert_true(entry.event == came && entry.kind == LMB_EMITTED_ENTRY && entry.part == 0 && entry.ticks == 0);
    end(&p);
}

// The name of a clip, or of a machine and its state.
static void emitters_have_names(void **state) {
    (void)state;
    player p = begin("{'op':'machine','name':'body','states':[{'name':'still','pose':{'op':'rest'},"
                     "'transitions':[{'to':'hop','event':'GO'}]},"
                     "{'name':'hop','entry':'came','pose':{'op':'clip','clip':'hop','play':{'notifies':["
                     "{'time':0,'event':'off'},{'time':0.05,'event':'up'}]}}}]}");
    char name[32];
    step(&p, 0.1, NULL);
    step(&p, 0.1, "GO");
    assert_int_equal(p.emitted[0], 3);
    lmb_emitted_event event = lmb_emitted_event_at(p.emitted, 0);
    lmb_graph_emitter_name(p.graph->graph, &event, name, sizeof name);
    assert_string_equal(name, "body/hop");
    event = lmb_emitted_event_at(p.emitted, 2);
    assert_true(event.kind == LMB_EMITTED_NOTIFY && event.part == 1);
    assert_int_equal(event.ticks, LMB_TICKS_PER_SECOND / 20);
    lmb_graph_emitter_name(p.graph->graph, &event, name, sizeof name);
    assert_string_equal(name, "hop");
    lmb_graph_emitter_name(p.graph->graph, &event, name, 3);
    assert_string_equal(name, "ho");
    event.source = 1000;
    lmb_graph_emitter_name(p.graph->graph, &event, name, sizeof name);
    assert_string_equal(name, "");
    end(&p);
}

static void a_clip_played_once_drops_out(void **state) {
    (void)state;
    player p =
        begin("{'op':'machine','states':[{'name':'one','pose':{'op':'clip','clip':'hop','play':{'end':'once'}}}]}");
    step(&p, 0.5, NULL);
    expect_hips(&p, HOP, 0.5);
    expect_weight(&p, 0, 1.0);
    step(&p, 0.5, NULL);
    expect_hips(&p, HOP, 0.75); // it is at its end; the next frame removes it
    expect_weight(&p, 0, 1.0);
    step(&p, 0.0, NULL);
    expect_hips(&p, 0.0, 0.0); // the rest pose
    expect_weight(&p, 0, 0.0);
    end(&p);
    // Inside another pose it stays at its end.
    p = begin("{'op':'machine','states':[{'name':'one',"
              "'pose':{'op':'blend','a':{'op':'rest'},'b':{'op':'clip','clip':'hop','play':{'end':'once'}}}}]}");
    for (int frame = 0; frame < 2; frame++) {
        step(&p, 2.0, NULL);
        expect_hips(&p, HOP, 0.75);
        expect_weight(&p, 0, 1.0);
    }
    end(&p);
}

static void clips_in_states_take_what_they_say(void **state) {
    (void)state;
    reading *graph = read_graph(
        "{'op':'machine','initial':'c','states':["
        "{'name':'a','pose':{'op':'clip','clip':'hop','rate':2,'offset':0.5,'loop':false}},"
        "{'name':'b','restart':true,'travel':'B','pose':{'op':'clip','clip':'hop','time':0.5}},"
        "{'transitions':[{'to':'a','end':true,'travel-cost':7,'priority':-3,'curve':{'bezier':["
        "-0.5,1.25]},'kind':'frozen'}],"
        "'pose':{'op':'blend','a':{'op':'clip','clip':'crouch'},"
        "'b':{'op':'clip','clip':'land','play':true}},'name':'c'}],"
        "'any':[{'to':'b','event':'B','kind':'inertialized','to-self':true,'start':'phase','start-phase':0.25},"
        "{'to':'a','event':'C','start':'sync'}]}");
    const lmb_moving *def = graph->control;
    const lmb_moving_machine *machine = &def->machines[0];
    assert_string_equal(lmb_graph_state_name(graph->graph, 0, 0), "c");
    assert_string_equal(lmb_graph_state_name(graph->graph, 0, 1), "a");
    assert_string_equal(lmb_graph_state_name(graph->graph, 0, 2), "b");
    assert_int_equal(def->player_count, 3);
    // Players are in the order of the states.
    assert_int_equal(def->players[0].state, 0);
    assert_int_equal(def->players[0].def->end, LMB_END_HOLD);
    assert_int_equal(def->players[1].def->end, LMB_END_LOOP); // set explicitly
    assert_int_equal(machine->states[0].end_player, 0);
    assert_int_equal(def->players[2].state, 1);
    assert_int_equal(def->players[2].def->end, LMB_END_HOLD);
    assert_true(def->players[2].def->rate.constant == 2.0f && def->players[2].def->offset == 0.5f);
    assert_int_equal(machine->states[2].end_player, LMB_NONE);
    assert_true(machine->def.states[2].restart && !machine->def.states[1].restart);
    assert_int_equal(machine->def.states[2].travel_event, lmb_graph_find_event(graph->graph, "B"));
    assert_int_equal(machine->def.states[1].travel_event, LMB_NONE);
    assert_true(machine->def.transitions[0].travel_cost == 7 && machine->def.transitions[1].travel_cost == 1);
    assert_int_equal(machine->def.transitions[0].start, LMB_START_OFFSET);
    assert_int_equal(machine->def.transitions[1].start, LMB_START_PHASE);
    assert_true(machine->def.transitions[1].start_phase == 0.25f);
    assert_int_equal(machine->def.transitions[2].start, LMB_START_SYNC);
    const lmb_transition_def *transition = &machine->def.transitions[0];
    assert_true(transition->from == 0 && transition->to == 1 && transition->at_end && transition->priority == -3);
    assert_true(transition->curve == LMB_CURVE_BEZIER && transition->kind == LMB_FADE_FROZEN);
    assert_true(transition->curve_control[0] == -0.5f && transition->curve_control[1] == 1.25f);
    assert_true(machine->def.transitions[1].from == LMB_NONE && machine->def.transitions[1].to == 2);
    assert_true(machine->def.transitions[1].to_self && !transition->to_self);
    assert_true(machine->def.transitions[1].kind == LMB_FADE_INERTIALIZED && def->inertia_parameters != LMB_NONE);
    assert_true(graph->moving.poses.inertialize);
    reading_destroy(graph);
}

#define INNER(pose)                                                                                                    \
    "{'op':'machine','states':[{'name':'x','transitions':[{'to':'y','event':'GO','fade':0}],'pose':" pose "},"         \
    "{'name':'y','pose':{'op':'clip','clip':'land'}}]}"

static void machines_run_inside_states(void **state) {
    (void)state;
    player p = begin(INNER(INNER("{'op':'clip','clip':'hop'}")));
    const lmb_moving *def = p.graph->control;
    assert_int_equal(def->machine_count, 2);
    assert_int_equal(def->machines[1].machine, 0);
    assert_int_equal(def->machines[1].state, 0);
    assert_string_equal(lmb_graph_machine_at(p.graph->graph, 1).name, "x");
    assert_int_equal(def->players[0].machine, 1);
    // The outer state's own end belongs to no clip.
    assert_int_equal(def->machines[0].states[0].end_player, LMB_NONE);
    step(&p, 0.25, NULL);
    expect_hips(&p, HOP, 0.25);
    step(&p, 0.25, "GO");
    assert_string_equal(current(&p, 0), "y");
    assert_string_equal(current(&p, 1), "x"); // the outer machine leaves its state first
    expect_hips(&p, LAND, 0.25);
    step(&p, 0.125, NULL);
    expect_hips(&p, LAND, 0.375);
    end(&p);
}

// A machine that fades from a clip to a pose.
#define FADING(name, clip, needs, pose)                                                                                \
    "{'op':'machine','name':'" name "','states':[{'name':'from','pose':{'op':'clip','clip':'" clip "'},"               \
    "'transitions':[{'to':'to'," needs ",'fade':1,'curve':'linear'}]},{'name':'to','pose':" pose "}]}"

// Machines at the maximum nesting depth. Each begins to fade two frames of 1/16 s after the one around it.
static void fades_inside_fades(void **state) {
    (void)state;
    player p = begin(FADING("first", "crouch", "'event':'GO'",
                            FADING("second", "takeoff", "'after':0.125",
                                   FADING("third", "hop", "'after':0.125",
                                          FADING("fourth", "float", "'after':0.125", "{'op':'clip','clip':'land'}")))));
    step(&p, 0.0, NULL);
    step(&p, 0.0625, "GO");
    for (int frame = 2; frame <= 10; frame++) {
        step(&p, 0.0625, NULL);
    }
    const double shares[4] = {10.0 / 16, 8.0 / 16, 6.0 / 16, 4.0 / 16};
    // The x of each clip is its number. Its y is the time since it became visible, which is the time since the outer
    // fade began. The clips loop.
    const double times[5] = {10.0 / 16, fmod(10.0 / 16, 0.5), 8.0 / 16, 6.0 / 16, 4.0 / 16};
    double x = LAND, y = times[4];
    for (int depth = 3; depth >= 0; depth--) {
        assert_float_equal(lmb_state_weight(p.program, p.state, (uint32_t)depth, 1), shares[depth], 1e-6);
        x += (1.0 - shares[depth]) * (CROUCH + depth - x);
        y += (1.0 - shares[depth]) * (times[depth] - y);
    }
    expect_hips(&p, x, y);
    end(&p);
}

// ---- Fades of a pose on request.

#define PLAYED(name) "{'op':'clip','clip':'" name "'}"
// "crouch", from its first frame on, over a constant "stand": x is 2 w, and y is w times the clip's time.
#define FADED(fade, pose) "{'op':'blend','weight':" fade ",'a':{'op':'clip','clip':'stand','time':0},'b':" pose "}"

static double smoothstep(double x) {
    return x <= 0.0 ? 0.0 : x >= 1.0 ? 1.0 : x * x * (3.0 - 2.0 * x);
}

static double blended(double from, double to, double share) {
    return from + (to - from) * share;
}

#define FRAME 0.0625

static void expect_faded(const player *p, double weight, double time) {
    assert_float_equal(lmb_state_weight(p->program, p->state, 0, 1), weight, 1e-6);
    expect_hips(p, CROUCH * weight, time * weight);
}

// In at 0.25 s; out halfway through that; in again halfway through that; out to the end; and in once more, from the
// clip's beginning.
static void a_pose_fades_in_and_out_on_request(void **state) {
    (void)state;
    player p = begin(FADED("{'in':'WAVE','out':'STOP','seconds':0.5,'out-seconds':0.25}", PLAYED("crouch")));
    for (int i = 0; i < 4; i++) {
        step(&p, FRAME, i == 1 ? "STOP" : NULL);
        expect_faded(&p, 0.0, 0.0);
        assert_int_equal(lmb_state_player(p.program, p.state, 0).ticks, 0);
    }
    for (int i = 1; i <= 4; i++) {
        step(&p, FRAME, i == 1 || i == 3 ? "WAVE" : NULL); // a second request does not restart it
        expect_faded(&p, smoothstep(i / 8.0), i * FRAME);
    }
    const double first = smoothstep(0.5);
    for (int i = 1; i <= 3; i++) {
        step(&p, FRAME, i == 1 ? "STOP" : NULL);
        expect_faded(&p, blended(first, 0.0, smoothstep(i / 4.0)), (4 + i) * FRAME);
    }
    const double second = blended(first, 0.0, smoothstep(0.75));
    for (int i = 1; i <= 10; i++) {
        step(&p, FRAME, i == 1 ? "WAVE" : NULL);
        expect_faded(&p, blended(second, 1.0, smoothstep(i / 8.0)), fmod((7 + i) * FRAME, 1.0));
    }
    for (int i = 1; i <= 8; i++) {
        step(&p, FRAME, i == 1 ? "STOP" : NULL);
        expect_faded(&p, 1.0 - smoothstep(i / 4.0), fmod((17 + i) * FRAME, 1.0));
    }
    // The clip keeps the time at which it was last visible.
    assert_true(lmb_state_player(p.program, p.state, 0).ticks == 4 * (uint64_t)(FRAME * LMB_TICKS_PER_SECOND));
    step(&p, FRAME, "WAVE");
    expect_faded(&p, smoothstep(1 / 8.0), FRAME);
    end(&p);
}

// A second request restarts the clip, which then has the whole weight and is inertialized. The same holds after a
// fade-out.
static void a_fade_that_restarts(void **state) {
    (void)state;
    player p = begin(FADED("{'in':'WAVE','out':'STOP','seconds':0.5,'curve':'linear','restart':true,'name':'hello'}",
                           "{'op':'clip','clip':'crouch','offset':0.25}"));
    assert_string_equal(lmb_graph_machine_at(p.graph->graph, 0).name, "hello");
    assert_true(p.graph->control->inertia_parameters != LMB_NONE);
    for (int i = 1; i <= 4; i++) {
        step(&p, FRAME, i == 1 ? "WAVE" : NULL);
        expect_faded(&p, i / 8.0, 0.25 + i * FRAME);
    }
    for (int again = 0; again < 2; again++) {
        for (int i = 1; i <= 10; i++) {
            step(&p, FRAME, i == 1 ? "WAVE" : NULL);
            assert_float_equal(lmb_state_weight(p.program, p.state, 0, 1), 1.0, 0.0);
            assert_int_equal(lmb_state_player(p.program, p.state, 0).ticks,
                             (uint64_t)((0.25 + i * FRAME) * (double)LMB_TICKS_PER_SECOND));
        }
        expect_faded(&p, 1.0, 0.25 + 10 * FRAME); // the offset has decayed
        step(&p, FRAME, "STOP");
        expect_faded(&p, 1.0 - 1.0 / 8.0, 0.25 + 11 * FRAME);
    }
    end(&p);
}

// The fade-out starts at the clip's end, and the clip holds its last frame meanwhile. A request before the fade-out
// ends restarts the clip.
static void a_fade_ends_with_its_clip(void **state) {
    (void)state;
    player p = begin(FADED("{'in':'WAVE','at-end':true,'seconds':0.125,'curve':'linear'}", PLAYED("crouch")));
    assert_int_equal(p.graph->control->players[0].def->end, LMB_END_HOLD);
    assert_int_equal(p.graph->control->machines[0].states[1].end_player, 0);
    for (int i = 1; i <= 16; i++) {
        step(&p, FRAME, i == 1 ? "WAVE" : NULL);
        expect_faded(&p, fmin(i / 2.0, 1.0), i * FRAME);
    }
    step(&p, FRAME, NULL);
    expect_faded(&p, 0.5, 1.0);
    step(&p, FRAME, NULL);
    expect_faded(&p, 0.0, 1.0);
    step(&p, FRAME, "WAVE");
    expect_faded(&p, 0.5, FRAME);
    end(&p);
    // Some time after the request.
    p = begin(FADED("{'in':'WAVE','after':0.25,'seconds':0.125,'out-seconds':0,'curve':'linear'}", PLAYED("crouch")));
    for (int i = 1; i <= 4; i++) {
        step(&p, FRAME, i == 1 ? "WAVE" : NULL);
        expect_faded(&p, fmin(i / 2.0, 1.0), i * FRAME);
    }
    step(&p, FRAME, NULL);
    expect_faded(&p, 0.0, 0.0);
    end(&p);
    // A clip that plays once has weight 0 from the frame after its end, whatever the fade's weight is.
    p = begin(FADED("{'in':'WAVE','seconds':0,'name':'w'}", "{'op':'clip','clip':'takeoff','play':{'end':'once'}}"));
    step(&p, FRAME, "WAVE");
    expect_hips(&p, TAKEOFF, FRAME);
    step(&p, 0.4, NULL);
    expect_hips(&p, TAKEOFF, FRAME + 0.4);
    step(&p, 0.2, NULL);
    expect_hips(&p, TAKEOFF, 0.5);
    step(&p, 0.2, NULL);
    expect_hips(&p, STAND, 0.0);
    end(&p);
}

// One event for both directions, and a fade that starts visible.
static void a_fade_by_one_event(void **state) {
    (void)state;
    player p = begin(FADED("{'in':'T','out':'T','seconds':0}", PLAYED("crouch")));
    for (int i = 1; i <= 4; i++) {
        step(&p, FRAME, "T");
        assert_float_equal(lmb_state_weight(p.program, p.state, 0, 1), (i % 2), 0.0);
    }
    end(&p);
    p = begin(FADED("{'in':'T','out':'O','initial':'in','seconds':0.25,'curve':'linear'}", PLAYED("crouch")));
    assert_string_equal(current(&p, 0), "in");
    expect_hips(&p, CROUCH, 0.0); // from the defaults of the parameters
    step(&p, FRAME, "O");
    expect_hips(&p, 0.75 * CROUCH, 0.75 * FRAME);
    assert_string_equal(current(&p, 0), "out");
    step(&p, FRAME, NULL);
    expect_hips(&p, 0.5 * CROUCH, 0.5 * 2 * FRAME);
    end(&p);
}

// For every operation that gives a pose a weight, whether the text gives the weight or the pose first: the clip plays
// in the fade's state, and the state's weight is the operation's weight.
static void what_a_fade_weighs(void **state) {
    (void)state;
#define A "'a':{'op':'rest'}"
#define FADE "{'in':'I','out':'O'}"
#define NOTIFIES "{'op':'clip','clip':'hop','play':{'ended':'E','end':'hold'}"
#define NOTIFYING NOTIFIES "}"
    static const struct {
        const char *text;
        bool pose_is_first;
        uint32_t input;
    } rows[] = {
        {"{'op':'blend'," A ",'b':" NOTIFYING ",'weight':" FADE "}", true, LMB_NONE},
        {"{'op':'blend'," A ",'weight':" FADE ",'b':" NOTIFYING "}", false, LMB_NONE},
        {"{'op':'masked'," A ",'weight':" FADE ",'b':" NOTIFYING ",'mask':{'Spine':255}}", false, LMB_NONE},
        {"{'op':'partial'," A ",'b':" NOTIFYING ",'weight':" FADE "}", true, LMB_NONE},
        {"{'op':'additive','weight':" FADE ",'base':{'op':'rest'},'add':" NOTIFIES ",'additive':true}}", false,
         LMB_NONE},
        {"{'op':'scale','weight':" FADE ",'pose':" NOTIFYING "}", false, LMB_NONE},
        {"{'op':'weighted','inputs':[{'pose':{'op':'rest'}},{'pose':" NOTIFYING ",'weight':" FADE "}]}", true, 1},
        {"{'op':'layers','inputs':[{'pose':{'op':'rest'},'priority':1},{'fade':" FADE ",'pose':" NOTIFYING "}]}", false,
         1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        reading *graph = read_graph(rows[i].text);
        const lmb_moving *def = graph->control;
        const lmb_graph_def *program = lmb_graph_json_def(graph->json);
        const lmb_node_def *node = &program->nodes[program->node_count - 1];
        const lmb_value weight = rows[i].input == LMB_NONE ? node->weight : node->weights[rows[i].input];
        assert_int_equal(def->machine_count, 1);
        assert_int_equal(def->machines[0].def.state_count, 2);
        assert_int_equal(def->machines[0].machine, LMB_NONE);
        assert_int_equal(def->machines[0].states[1].weight_parameter, weight.parameter);
        assert_true(lmb_graph_parameter_at(graph->graph, weight.parameter).is_written);
        assert_string_equal(lmb_graph_parameter_at(graph->graph, weight.parameter).name, "I.in");
        assert_int_equal(def->players[0].machine, 0);
        assert_int_equal(def->players[0].state, 1);
        assert_string_equal(lmb_graph_machine_at(graph->graph, 0).name, "I");
        assert_string_equal(lmb_graph_state_name(graph->graph, 0, 0), "out");
        assert_string_equal(lmb_graph_state_name(graph->graph, 0, 1), "in");
        // Events are in the order of the text.
        assert_int_equal(lmb_graph_find_event(graph->graph, "E"), rows[i].pose_is_first ? 0 : 2);
        // Both directions take 0.2 s with smoothstep.
        assert_int_equal(def->machines[0].def.transition_count, 2);
        for (uint32_t k = 0; k < 2; k++) {
            const lmb_transition_def *transition = &def->machines[0].def.transitions[k];
            assert_int_equal(transition->from, k);
            assert_int_equal(transition->to, 1 - k);
            assert_true(transition->fade == 0.2f && transition->curve == LMB_CURVE_SMOOTHSTEP);
        }
        reading_destroy(graph);
    }
    // A curve of the node is applied to the fade's weight as well. This Bezier is linear.
    player p = begin("{'op':'blend','curve':'quadratic-in','weight':{'in':'I','seconds':0.25,"
                     "'curve':{'bezier':[0.33333333,0.66666667]}},"
                     "'a':{'op':'clip','clip':'stand','time':0},'b':{'op':'clip','clip':'crouch','time':0}}");
    step(&p, FRAME, "I");
    expect_hips(&p, CROUCH * 0.0625, 0.0);
    step(&p, FRAME, NULL);
    expect_hips(&p, CROUCH * 0.25, 0.0);
    end(&p);
}

// An additive clip adds its difference from its first frame, which is constant. A clip that plays once stops adding
// after its end.
static void additive_clips_play(void **state) {
    (void)state;
    player p =
        begin("{'op':'additive','base':{'op':'clip','clip':'stand','time':0},"
              "'add':{'op':'clip','clip':'hop','additive':true,'play':{'notifies':[{'time':0.3,'event':'up'}]}}}");
    assert_int_equal(p.graph->control->player_count, 1);
    step(&p, 0.25, NULL);
    expect_hips(&p, STAND, 0.25);
    step(&p, 0.25, NULL);
    expect_hips(&p, STAND, 0.5);
    assert_int_equal(p.emitted[0], 1);
    end(&p);
    p = begin("{'op':'additive','base':{'op':'clip','clip':'stand','time':0},"
              "'add':{'op':'clip','clip':'stand2crouch','additive':true,'play':{'end':'once'}},"
              "'weight':{'in':'HIT','seconds':0}}");
    step(&p, 0.1, "HIT");
    expect_hips(&p, STAND, 0.1);
    step(&p, 0.2, NULL);
    step(&p, 0.1, NULL);
    expect_hips(&p, STAND, 0.0);
    end(&p);
}

// Layers that fade by events: a layer takes its share of the weight that layers of higher priority leave.
static void layers_fade_by_events(void **state) {
    (void)state;
    player p = begin("{'op':'layers','inputs':[{'pose':{'op':'clip','clip':'stand','time':0}},"
                     "{'priority':2,'fade':{'in':'HIGH','seconds':0.25,'curve':'linear'},"
                     "'pose':{'op':'clip','clip':'hop','time':0}},"
                     "{'priority':1,'fade':{'in':'LOW','out':'END_LOW','seconds':0.5,'curve':'linear'},"
                     "'pose':{'op':'clip','clip':'crouch','time':0}}]}");
    for (int i = 1; i <= 8; i++) {
        step(&p, FRAME, i == 1 ? "LOW" : i == 5 ? "HIGH" : NULL);
        const double low = i / 8.0, high = i < 5 ? 0.0 : fmin((i - 4) / 4.0, 1.0);
        expect_hips(&p, high * HOP + (1.0 - high) * low * CROUCH, 0.0);
    }
    end(&p);
}

// A fade in a machine's state restarts with that state, faded out, and takes no events in other states. The same holds
// for a machine in a fade.
static void fades_and_machines_inside_each_other(void **state) {
    (void)state;
    player p = begin("{'op':'machine','name':'m','states':["
                     "{'name':'calm','pose':{'op':'clip','clip':'stand','time':0},"
                     "'transitions':[{'to':'busy','event':'GO','fade':0}]},"
                     "{'name':'busy','pose':{'op':'blend','a':{'op':'clip','clip':'stand','time':0},"
                     "'b':{'op':'clip','clip':'crouch'},"
                     "'weight':{'in':'WAVE','seconds':0.25,'curve':'linear','at-end':true}},"
                     "'transitions':[{'to':'calm','event':'GO','fade':0}]}]}");
    const lmb_moving *def = p.graph->control;
    assert_int_equal(def->machine_count, 2);
    assert_int_equal(def->machines[1].machine, 0);
    assert_int_equal(def->machines[1].state, 1);
    assert_int_equal(def->machines[0].states[1].end_player, LMB_NONE);
    assert_string_equal(lmb_graph_machine_at(p.graph->graph, 1).name, "WAVE");
    step(&p, FRAME, "WAVE");
    assert_string_equal(current(&p, 1), "out"); // the state is not current, so nothing takes the event
    for (int turn = 0; turn < 2; turn++) {
        step(&p, FRAME, "GO");
        step(&p, FRAME, "WAVE");
        expect_hips(&p, CROUCH * 0.25, FRAME * 0.25);
        assert_string_equal(current(&p, 1), "in");
        step(&p, FRAME, "GO");
    }
    step(&p, FRAME, "GO");
    assert_string_equal(current(&p, 1), "out");
    end(&p);
    p = begin(FADED("{'in':'WAVE','out':'STOP','seconds':0}", INNER(PLAYED("crouch"))));
    assert_string_equal(lmb_graph_machine_at(p.graph->graph, 1).name, "WAVE");
    step(&p, FRAME, "GO");
    assert_string_equal(current(&p, 1), "x");
    step(&p, FRAME, "WAVE");
    step(&p, FRAME, "GO");
    assert_string_equal(current(&p, 1), "y");
    expect_hips(&p, LAND, FRAME);
    step(&p, FRAME, "STOP");
    step(&p, FRAME, "WAVE");
    assert_string_equal(current(&p, 1), "x");
    expect_hips(&p, CROUCH, FRAME);
    end(&p);
}

static void states_that_nothing_leads_to(void **state) {
    (void)state;
    reading *graph = read_graph("{'op':'machine','states':[\n{'name':'a','pose':{'op':'rest'}},\n"
                                "{'name':'b','pose':{'op':'rest'},'transitions':[{'to':'c','after':1}]},\n"
                                " {'name':'c','pose':{'op':'rest'},'transitions':[{'to':'b','after':0}]}]}");
    assert_int_equal(lmb_graph_json_warning_count(graph->json), 2);
    const lmb_graph_problem *warning = lmb_graph_json_warning_at(graph->json, 0);
    assert_string_equal(warning->path, "states[1].name");
    assert_int_equal(warning->line, 3);
    assert_int_equal(warning->column, 9);
    assert_string_equal(warning->message, "no transitions lead to this state");
    assert_int_equal(lmb_graph_json_warning_at(graph->json, 1)->line, 4);
    reading_destroy(graph);
}

#define LEADS(from, to, needs) "{'name':'" from "','pose':{'op':'rest'},'transitions':[{'to':'" to "'," needs "}]}"
#define WHEN(name, compares, number) "'when':{'" compares "':[{'param':'" name "'}," number "]}"

// Two or more states that lead to each other without an event while the same conditions hold.
static void states_that_lead_to_each_other(void **state) {
    (void)state;
    static const struct {
        const char *ways[3]; // from a, b and c
        const char *loop;    // NULL if there is none
    } rows[] = {
        {{LEADS("a", "b", WHEN("x", ">", "0.5")), LEADS("b", "a", WHEN("x", "<", "0.6"))}, "'a' -> 'b' -> 'a'"},
        {{LEADS("a", "b", WHEN("x", ">=", "0.5")), LEADS("b", "a", WHEN("x", "<=", "0.5"))}, "'a' -> 'b' -> 'a'"},
        {{LEADS("a", "b", WHEN("x", ">", "0.5")), LEADS("b", "a", WHEN("x", "<", "0.5"))}, NULL},
        {{LEADS("a", "b", WHEN("x", ">", "0.5")), LEADS("b", "a", WHEN("y", ">", "7"))}, "'a' -> 'b' -> 'a'"},
        {{LEADS("a", "b", "'after':0"), LEADS("b", "a", "'after':0")}, "'a' -> 'b' -> 'a'"},
        {{LEADS("a", "b", "'after':0"), LEADS("b", "a", "'after':0.1")}, NULL},
        {{LEADS("a", "b", "'after':0"), LEADS("b", "a", "'event':'GO'")}, NULL},
        {{LEADS("a", "b", WHEN("x", ">", "1")), LEADS("b", "c", WHEN("x", ">", "2")),
          LEADS("c", "a", "'when':{'and':[{'<':[{'param':'x'},4]},{'>':[{'param':'y'},{'param':'x'}]}]}")},
         "'a' -> 'b' -> 'c' -> 'a'"},
        {{LEADS("a", "b", WHEN("x", ">", "1")), LEADS("b", "c", WHEN("x", ">", "2")),
          LEADS("c", "a", WHEN("x", "<", "2"))},
         NULL},
        // More combinations than the check tries: five parameters and no number. It reports no loop.
        {{LEADS("a", "a",
                "'when':{'or':[{'>':[{'param':'p'},{'param':'q'}]},{'==':[{'param':'r'},{'param':'s'}]},"
                "{'==':[{'param':'t'},{'param':'p'}]}]}"),
          LEADS("b", "a", "'after':1")},
         NULL},
        {{LEADS("a", "a", WHEN("x", "==", "3")), LEADS("b", "a", "'after':1")}, "'a' -> 'a'"},
        {{LEADS("a", "b", "'when':{'<':[{'curve':'smoothstep','of':{'param':'x'}},0.4]}"),
          LEADS("b", "a", "'when':{'>':[{'curve':'smoothstep','of':{'param':'x'}},0.1]}")},
         "'a' -> 'b' -> 'a'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[2000];
        snprintf(text, sizeof text, "{'op':'machine','states':[%s,\n%s%s%s]}", rows[i].ways[0], rows[i].ways[1],
                 rows[i].ways[2] != NULL ? "," : "", rows[i].ways[2] != NULL ? rows[i].ways[2] : "");
        reading *graph = read_graph(text);
        const char *found = NULL;
        for (uint32_t k = 0; k < lmb_graph_json_warning_count(graph->json); k++) {
            const lmb_graph_problem *warning = lmb_graph_json_warning_at(graph->json, k);
            found = strstr(warning->message, "each leads to the next") != NULL ? warning->message : found;
        }
        if ((found == NULL) != (rows[i].loop == NULL) ||
            (found != NULL && strncmp(found, rows[i].loop, strlen(rows[i].loop)) != 0)) {
            fail_msg("row %zu: %s", i, found != NULL ? found : "no warning");
        }
        reading_destroy(graph);
    }
}

// ---- Random machines, against a simple simulation of their transitions.

enum { MOST_STATES = 6, EVENTS = 3 };

typedef struct edge {
    uint32_t from, to, event; // from MOST_STATES: any
    int priority;
    bool to_self; // of one from any state
} edge;

typedef struct model {
    uint32_t state_count, edge_count;
    edge edges[32];
} model;

static model random_model(random_source *seed) {
    model m = {.state_count = 1 + random_below(seed, MOST_STATES)};
    m.edge_count = random_below(seed, 16);
    for (uint32_t i = 0; i < m.edge_count; i++) {
        bool any = random_below(seed, 8) == 0;
        m.edges[i] =
            (edge){any ? MOST_STATES : random_below(seed, m.state_count), random_below(seed, m.state_count),
                   random_below(seed, EVENTS), (int)random_below(seed, 3) - 1, any && random_below(seed, 2) == 0};
    }
    return m;
}

static size_t write_edges(const model *m, uint32_t from, char *text) {
    size_t length = 0;
    for (uint32_t i = 0; i < m->edge_count; i++) {
        if (m->edges[i].from == from) {
            length += (size_t)sprintf(text + length, "%s{'to':'s%u','event':'e%u','priority':%d,'fade':0%s}",
                                      length == 0 ? "" : ",", m->edges[i].to, m->edges[i].event, m->edges[i].priority,
                                      m->edges[i].to_self ? ",'to-self':true" : "");
        }
    }
    return length;
}

static void write_model(const model *m, char *text) {
    size_t length = (size_t)sprintf(text, "{'op':'machine','states':[");
    for (uint32_t i = 0; i < m->state_count; i++) {
        length += (size_t)sprintf(text + length, "%s{'name':'s%u','pose':{'op':'clip','clip':%u},'transitions':[",
                                  i == 0 ? "" : ",", i, i);
        length += write_edges(m, i, text + length);
        length += (size_t)sprintf(text + length, "]}");
    }
    length += (size_t)sprintf(text + length, "],'any':[");
    length += write_edges(m, MOST_STATES, text + length);
    sprintf(text + length, "]}");
}

// Returns the transition with the greatest priority, then the first in the text; transitions from any state are last.
static uint32_t follow(const model *m, uint32_t state, uint32_t event) {
    const edge *best = NULL;
    for (int any = 0; any < 2; any++) {
        for (uint32_t i = 0; i < m->edge_count; i++) {
            const edge *e = &m->edges[i];
            bool leaves = any ? e->from == MOST_STATES && (e->to != state || e->to_self) : e->from == state;
            if (leaves && e->event == event && (best == NULL || e->priority > best->priority)) {
                best = e;
            }
        }
    }
    return best == NULL ? state : best->to;
}

static void random_machines(void **state) {
    (void)state;
    random_source seed = {5};
    static char text[8000];
    for (uint32_t i = 0; i < 200; i++) {
        const model m = random_model(&seed);
        write_model(&m, text);
        player p = begin(text);
        uint32_t at = 0;
        for (uint32_t frame = 0; frame < 40; frame++) {
            uint32_t event = random_below(&seed, EVENTS);
            char name[8];
            snprintf(name, sizeof name, "e%u", event);
            bool known = lmb_graph_find_event(p.graph->graph, name) != LMB_NONE;
            step(&p, 0.01, known ? name : NULL);
            at = known ? follow(&m, at, event) : at;
            assert_int_equal(lmb_state_current(p.program, p.state, 0), at);
            float place[2];
            hips(&p, place);
            assert_float_equal(place[0], at, 1e-4);
        }
        end(&p);
    }
}

// ---- Motion.

static lmb_motion place_of(const player *p) {
    return lmb_state_motion(p->program, p->state);
}

// Root motion of a clip, extracted: the hips stay in place, and the character moves.
static void motion_of_a_clip(void **state) {
    (void)state;
    player p = begin("{'op':'clip','clip':'hop','play':{'motion':{'joint':'Hips','axes':'y','yaw':false,'rate':10}}}");
    assert_int_equal(lmb_graph_json_def(p.graph->json)->clip_count, CLIPS + 1);
    for (uint32_t frame = 1; frame <= 40; frame++) {
        step(&p, 0.05, NULL);
        float place[2];
        hips(&p, place);
        assert_float_equal(place[0], HOP, 1e-5);
        assert_float_equal(place[1], 0.0, 1e-5);
        assert_true(fabs(place_of(&p).position[1] - 0.05 * frame) <= 1e-5);
    }
    end(&p);
}

// A part loops by itself: its length is the difference of its ends in ticks. Notifies are in seconds of the part, and
// its root motion is that of a clip that is cut by hand.
static void a_part_plays(void **state) {
    (void)state;
    static const lmb_clip_part_def cut = {.start = 0.3f, .end = 0.55f};
    player p = begin("{'op':'clip','clip':'hop','from':0.3,'to':0.55,'play':{'motion':{'joint':'Hips','axes':'y'},"
                     "'notifies':[{'time':0.2,'event':'step'}]}}");
    lmb_clip *part = NULL;
    assert_int_equal(lmb_clip_cut(rig, clips[HOP], &cut, NULL, &part, NULL), LMB_OK);
    lmb_root_motion_def def = lmb_default_root_motion_def();
    def.x = def.z = false;
    def.y = true;
    lmb_root_motion *motion = NULL;
    assert_int_equal(lmb_root_motion_extract(rig, part, &def, NULL, &motion, NULL), LMB_OK);
    const lmb_motion_track *track = p.graph->control->players[0].def->motion, *by_hand = lmb_root_motion_track(motion);
    assert_int_equal(track->key_count, by_hand->key_count);
    assert_memory_equal(track->keys, by_hand->keys, 16 * track->key_count);
    lmb_root_motion_destroy(motion);
    lmb_clip_destroy(part);
    step(&p, 0.1875, NULL);
    assert_false(was_emitted(&p, "step"));
    step(&p, 0.0625, NULL);
    assert_true(was_emitted(&p, "step"));
    assert_float_equal(place_of(&p).position[1], 0.25, 1e-6);
    end(&p);
    p = begin("{'op':'clip','clip':'hop','from':0.3,'to':0.55,'play':true}");
    step(&p, 0.2, NULL);
    expect_hips(&p, HOP, 0.5);
    step(&p, 0.1, NULL);
    expect_hips(&p, HOP, 0.35); // from its beginning again
    end(&p);
}

// A part of a clip gets a slot with the clip's name.
static void a_part_is_streamed(void **state) {
    (void)state;
    player p = begin("{'op':'clip','clip':'hop','from':0.25,'play':true,'streamed-clips':['hop']}");
    const lmb_graph_def *def = lmb_graph_json_def(p.graph->json);
    assert_int_equal(def->clip_slot_count, 1);
    assert_int_equal(def->clip_slots[0].clip, CLIPS);
    end(&p);
}

// The whole descriptor: an object gives the same as the call with its values.
static void motion_has_a_reference_and_closes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        lmb_root_motion_def def;
    } rows[] = {
        {"{'axes':'xyz','reference':'absolute'}",
         {.x = true, .y = true, .z = true, .yaw = true, .rate = 30, .reference = LMB_MOTION_REFERENCE_ABSOLUTE}},
        {"{'axes':'y','reference':'rest-pose','close':'xy'}",
         {.y = true,
          .yaw = true,
          .rate = 30,
          .reference = LMB_MOTION_REFERENCE_REST_POSE,
          .close_x = true,
          .close_y = true}},
        {"{'axes':'y','reference':'first-frame','close':'','close-turn':true}",
         {.y = true, .yaw = true, .rate = 30, .close_turn = true}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "{'op':'clip','clip':'hop','play':{'motion':%s}}", rows[i].text);
        player p = begin(text);
        const lmb_motion_track *track = p.graph->control->players[0].def->motion;
        lmb_root_motion *motion = NULL;
        assert_int_equal(lmb_root_motion_extract(rig, clips[HOP], &rows[i].def, NULL, &motion, NULL), LMB_OK);
        assert_int_equal(track->key_count, lmb_root_motion_track(motion)->key_count);
        assert_memory_equal(track->keys, lmb_root_motion_track(motion)->keys, 16 * track->key_count);
        lmb_root_motion_destroy(motion);
        assert_int_equal(lmb_graph_json_warning_count(p.graph->json), 0);
        end(&p);
    }
}

// An armature that stays at the origin, and hips that walk: their root motion is extracted, and a warning names them
// once.
static void motion_of_the_first_joint_that_travels(void **state) {
    (void)state;
    lmb_joint_def joints[3] = {lmb_default_joint_def(), lmb_default_joint_def(), lmb_default_joint_def()};
    static const char *const names[] = {"Armature", "Hips", "Spine"};
    for (uint32_t i = 0; i < 3; i++) {
        joints[i].name = names[i];
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[i].rest.translation[1] = 0.5f;
    }
    static const float times[2] = {0.0f, 1.0f}, moves[6] = {0.0f, 0.5f, 0.0f, 0.0f, 0.5f, 1.5f};
    const lmb_track_def track = {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, moves};
    lmb_rig *walking = NULL;
    lmb_clip *walk[2] = {NULL, NULL};
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = 3}, NULL, &walking, NULL), LMB_OK);
    for (uint32_t i = 0; i < 2; i++) {
        const lmb_clip_def def = {
            .name = i == 0 ? "walk" : "stand", .tracks = &track, .track_count = i == 0 ? 1 : 0, .duration = 1.0f};
        assert_int_equal(lmb_clip_create(walking, &def, NULL, &walk[i], NULL), LMB_OK);
    }
    for (uint32_t i = 0; i < 3; i++) {
        // true, an object without a joint, and one that names the armature
        static const char *const values[] = {"true", "{'yaw':false}", "{'joint':'Armature'}"};
        char text[400];
        snprintf(text, sizeof text,
                 "{'op':'blend','weight':0,'a':{'op':'clip','clip':'walk','play':{'motion':%s}},\n"
                 "'b':{'op':'clip','clip':'stand','play':{'motion':%s}}}",
                 values[i], values[i]);
        lmb_graph_source source = source_of(text);
        source.rig = walking;
        source.clips = (const lmb_clip *const *)walk;
        source.clip_count = 2;
        lmb_graph_json *graph = NULL;
        assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, NULL, NULL), LMB_OK);
        const lmb_motion_track *found = lmb_graph_json_def(graph)->nodes[0].player->motion;
        assert_float_equal(found->keys[4 * (found->key_count - 1) + 2], i < 2 ? 1.5f : 0.0f, 1e-6f);
        // The clip that stands does not travel, and neither does the armature of the other one.
        assert_int_equal(lmb_graph_json_warning_count(graph), 2);
        const lmb_graph_problem *last = lmb_graph_json_warning_at(graph, 1);
        assert_string_equal(last->path, "b.play.motion");
        assert_non_null(strstr(last->message, "the clip 'stand' does not travel, so its root motion moves nothing"));
        if (i < 2) {
            const lmb_graph_problem *warning = lmb_graph_json_warning_at(graph, 0);
            assert_string_equal(warning->path, "a.play.motion");
            assert_string_equal(warning->message, "joint 0 'Armature' does not travel, so the root motion is that of "
                                                  "'Hips'; \"joint\" names another");
        }
        lmb_graph_json_destroy(graph);
    }
    for (uint32_t i = 0; i < 2; i++) {
        lmb_clip_destroy(walk[i]);
    }
    lmb_rig_destroy(walking);
}

// Hips that sway to and fro in a clip in place, by an eighth of a bone: the sway stays in the clip, and a warning says
// once that nothing moves. The joint of the sway is that of other clips, which travel.
static void a_sway_is_no_motion(void **state) {
    (void)state;
    lmb_joint_def joints[3] = {lmb_default_joint_def(), lmb_default_joint_def(), lmb_default_joint_def()};
    static const char *const names[] = {"Armature", "Hips", "Spine"};
    for (uint32_t i = 0; i < 3; i++) {
        joints[i].name = names[i];
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[i].rest.translation[1] = 0.5f;
    }
    static const float times[4] = {0.0f, 0.25f, 0.75f, 1.0f};
    static const float moves[2][12] = {{0.0f, 0.5f, 0.0f, 0.0f, 0.5f, 0.5f, 0.0f, 0.5f, 1.0f, 0.0f, 0.5f, 1.5f},
                                       {0.0f, 0.5f, 0.0f, 0.06f, 0.5f, 0.0f, -0.06f, 0.5f, 0.0f, 0.0f, 0.5f, 0.0f}};
    lmb_rig *swaying = NULL;
    lmb_clip *made[2] = {NULL, NULL};
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = 3}, NULL, &swaying, NULL), LMB_OK);
    for (uint32_t i = 0; i < 2; i++) {
        const lmb_track_def track = {1, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 4, times, moves[i]};
        const lmb_clip_def def = {
            .name = i == 0 ? "dash" : "sway", .tracks = &track, .track_count = 1, .duration = 1.0f};
        assert_int_equal(lmb_clip_create(swaying, &def, NULL, &made[i], NULL), LMB_OK);
    }
    lmb_graph_source source =
        source_of("{'op':'blend','weight':0,'a':{'op':'clip','clip':'sway','play':{'motion':true}},"
                  "'b':{'op':'clip','clip':'sway','play':{'motion':true}}}");
    source.rig = swaying;
    source.clips = (const lmb_clip *const *)made;
    source.clip_count = 2;
    lmb_graph_json *graph = NULL;
    assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, NULL, NULL), LMB_OK);
    const lmb_graph_def *def = lmb_graph_json_def(graph);
    assert_int_equal(lmb_graph_json_warning_count(graph), 1);
    assert_non_null(strstr(lmb_graph_json_warning_at(graph, 0)->message, "the clip 'sway' does not travel"));
    for (uint32_t node = 0; node < 2; node++) {
        const lmb_motion_track *track = def->nodes[node].player->motion;
        for (uint32_t i = 0; i < 4 * track->key_count; i++) {
            assert_true(track->keys[i] == 0.0f);
        }
        assert_true(def->clips[(uint32_t)def->nodes[node].clip.constant] == made[1]);
    }
    lmb_graph_json_destroy(graph);
    for (uint32_t i = 0; i < 2; i++) {
        lmb_clip_destroy(made[i]);
    }
    lmb_rig_destroy(swaying);
}

// Motion keys in the text, the clips' weights, and the desired velocity and heading from parameters.
static void motion_of_a_graph(void **state) {
    (void)state;
    player p =
        begin("{'op':'blend','character-motion':{'velocity':[1,0,{'param':'push','default':2}],"
              "'heading':{'param':'turn'},'acceleration':4,'deceleration':5,'turn-rate':3,'velocity-half-life':0.2}"
              ",'weight':0.25,"
              "'a':{'op':'clip','clip':'hop','play':{'rate':2,'motion':[[0,0,0,0],[0,0,1,0],[0,0,3,0]]}},"
              "'b':{'op':'clip','clip':'float','play':{'velocity':2}}}");
    const lmb_moving *def = p.graph->control;
    assert_non_null(def->def->motion);
    assert_true(def->def->motion->turns_to_heading && def->def->motion->acceleration == 4.0f &&
                def->def->motion->deceleration == 5.0f);
    assert_true(def->def->motion->turn_rate == 3.0f && def->def->motion->velocity_half_life == 0.2f &&
                def->def->motion->velocity[0].constant == 1.0f);
    assert_int_equal(def->def->motion->velocity[2].parameter, lmb_graph_find_parameter(p.graph->graph, "push"));
    assert_int_equal(def->def->motion->heading.parameter, lmb_graph_find_parameter(p.graph->graph, "turn"));
    assert_true(lmb_graph_parameter_at(p.graph->graph, lmb_graph_find_parameter(p.graph->graph, "push")).initial ==
                2.0f);
    assert_int_equal(def->players[0].def->motion->key_count, 3);
    for (uint32_t frame = 0; frame < 60; frame++) {
        step(&p, 0.05, NULL);
    }
    // In 3 s: 8 loops of three quarters of 3, a quarter of 2 per second, and a push of 2 along z that is reached at 4
    // sqrt(5) / 5 per second squared.
    const double late = 0.5 * sqrt(5.0) / 4.0;
    assert_true(fabs(place_of(&p).position[2] - (8.0 * 0.75 * 3.0 + 3.0 * 0.25 * 2.0 + 2.0 * (3.0 - late))) <= 1e-3);
    assert_true(fabs(place_of(&p).position[0] - (3.0 - late)) <= 1e-3);
    end(&p);
    p = begin("{'op':'clip','clip':'hop','play':{'end':'hold','notifies':[{'time':0.5,'event':'EDGE'}],"
              "'warps':[{'start':0.25,'end':'EDGE','target':[{'param':'x'},1,2],'heading':1},"
              "{'start':0.5,'end':0.75,'target':[3,9,3],'height':false}]}}");
    const lmb_player_def *warped = p.graph->control->players[0].def;
    assert_int_equal(warped->warp_count, 2);
    assert_true(warped->warps[0].start == 0.25f && warped->warps[0].end == 0.5f);
    assert_true(warped->warps[0].turns_to_heading && warped->warps[0].heading.constant == 1.0f);
    assert_true(!warped->warps[1].turns_to_heading && warped->warps[0].warps_height && !warped->warps[1].warps_height);
    assert_int_equal(warped->warps[0].target[0].parameter, lmb_graph_find_parameter(p.graph->graph, "x"));
    step(&p, 0.5, NULL);
    assert_true(fabs(place_of(&p).position[1] - 1.0) <= 1e-6 && fabs(place_of(&p).position[2] - 2.0) <= 1e-6);
    assert_true(fabs(place_of(&p).yaw - 1.0) <= 1e-6);
    step(&p, 0.5, NULL);
    assert_true(fabs(place_of(&p).position[1] - 1.0) <= 1e-6 && fabs(place_of(&p).position[2] - 3.0) <= 1e-6);
    end(&p);
    p = begin("{'op':'clip','clip':'hop','character-motion':{'full-rotation':true},"
              "'play':{'motion':{'pitch':true,'roll':true}}}");
    assert_true(p.graph->control->def->motion->full_rotation);
    assert_non_null(p.graph->control->players[0].def->motion->rotations);
    step(&p, 0.5, NULL);
    assert_true(lmb_graph_get_info(p.graph->graph)->rotates_fully);
    end(&p);
    // A character motion also works alone. Without one, only groups can use a velocity.
    p = begin("{'op':'rest','character-motion':true}");
    assert_non_null(p.graph->control->def->motion);
    step(&p, 0.1, NULL);
    end(&p);
    p = begin("{'op':'clip','clip':'hop','play':{'velocity':3}}");
    assert_null(p.graph->control->def->motion);
    end(&p);
    p = begin("{'op':'clip','clip':'hop','play':{'motion':true}}");
    assert_non_null(p.graph->control->def->motion);
    end(&p);
}

// The actual velocity has a name. Conditions and poses read it in the frame in which it is written.
static void the_actual_velocity_has_a_name(void **state) {
    (void)state;
    player p = begin("{'op':'machine','character-motion':{'actual-velocity':['aside',null,'pace'],"
                     "'velocity':[0.5,0,{'param':'push'}],'acceleration':4,'deceleration':8},'states':["
                     "{'name':'still','pose':{'op':'blend','weight':{'param':'pace'},"
                     "'a':{'op':'clip','clip':'stand','time':0},'b':{'op':'clip','clip':'hop','time':0}},"
                     "'transitions':[{'to':'goes','fade':0,'when':{'>':[{'param':'pace'},1]}}]},"
                     "{'name':'goes','pose':{'op':'clip','clip':'land','time':0},"
                     "'transitions':[{'to':'still','fade':0,'when':{'<':[{'param':'pace'},0.9]}}]}]}");
    const lmb_moving *def = p.graph->control;
    const uint32_t pace = def->def->motion->velocity_parameters[2];
    assert_string_equal(lmb_graph_parameter_at(p.graph->graph, pace).name, "pace");
    assert_true(lmb_graph_parameter_at(p.graph->graph, pace).is_written);
    assert_int_equal(lmb_graph_find_parameter(p.graph->graph, "pace"), LMB_NONE);
    assert_int_equal(def->def->motion->velocity_parameters[1], LMB_NONE);
    assert_int_equal(def->machines[0].def.transitions[0].terms[0].left.parameter, pace);
    const uint32_t aside = def->def->motion->velocity_parameters[0]; // not read by anything
    assert_string_equal(lmb_graph_parameter_at(p.graph->graph, aside).name, "aside");
    assert_true(lmb_graph_parameter_at(p.graph->graph, aside).min == -10.0f);
    double velocity[2] = {0.0, 0.0};
    bool goes = false;
    set(&p, "push", 2.0f);
    for (int frame = 0; frame < 24; frame++) {
        const double desired[2] = {0.5, frame < 12 ? 2.0 : 0.25};
        set(&p, "push", (float)desired[1]);
        // Straight towards the desired velocity, by 4 or 8 per second squared.
        const double way = hypot(desired[0] - velocity[0], desired[1] - velocity[1]);
        const double most = (hypot(desired[0], desired[1]) > hypot(velocity[0], velocity[1]) ? 4.0 : 8.0) * FRAME;
        for (int axis = 0; axis < 2; axis++) {
            velocity[axis] += (desired[axis] - velocity[axis]) * (way > most ? most / way : 1.0);
        }
        goes = goes ? velocity[1] >= 0.9 : velocity[1] > 1.0;
        step(&p, FRAME, NULL);
        assert_float_equal(p.parameters[aside], velocity[0], 1e-5);
        assert_float_equal(p.parameters[pace], velocity[1], 1e-5);
        assert_string_equal(current(&p, 0), goes ? "goes" : "still");
        expect_hips(&p, goes ? LAND : HOP * velocity[1], 0.0);
    }
    assert_false(goes);
    end(&p);
}

// ---- Malformed texts.

static void expect_malformed(malformed_graph row) {
    const lmb_graph_source source = source_of(row.text);
    expect_problem(&source, &row);
}

#define REST "'pose':{'op':'rest'}"
// Two states. `members` adds to the first one, from line 2 on.
#define TWO(members)                                                                                                   \
    "{'op':'machine','states':[{'name':'a'," REST ",\n" members "},{'name':'b'," REST                                  \
    "}],'any':[{'to':'b','event':'B'}]}"
#define GOES(members) TWO("'transitions':[{" members "}]")
#define PLAY(members) "{'op':'clip','clip':'hop',\n'play':{" members "}}"
#define CHARACTER_MOTION(value) "{'op':'rest',\n'character-motion':" value "}"
#define WEIGHT(value) "{'op':'blend','a':{'op':'rest'},'b':{'op':'rest'},\n'weight':" value "}"
#define IN_BLEND(a, b) "{'op':'blend','a':" a ",\n'b':" b "}"
#define IN_MATRICES(pose) "{'op':'weighted-matrix','inputs':[{'weight':1,'pose':" pose "},{'weight':1," REST "}]}"
#define GROUPED(members) "{'op':'clip','clip':'hop','play':{'group':'g'" members "}}"

// A node with a fade "I". `members` adds to it, from line 2 on.
#define WITH_FADE(members) "{'op':'blend','weight':{'in':'I'},'a':{'op':'rest'},\n" members "}"
#define ADD(number) "{'add':[0," number "]}"
#define ADD8(number) ADD(ADD(ADD(ADD(ADD(ADD(ADD(ADD(number))))))))
#define ADDED8 ".add[1].add[1].add[1].add[1].add[1].add[1].add[1].add[1]"

static void malformed_texts(void **state) {
    (void)state;
    static const malformed_graph rows[] = {
        {"{'op':'clip','clip':'hop','from':0.5,'play':{'notifies':[{'time':0.3,'event':'n'}]}}", "play.notifies[0]", 1,
         58, "within the clip, which takes 0.25 s"},
        {"{'op':'machine'}", "", 1, 1, "\"machine\" needs the field \"states\""},
        {"{'op':'machine','states':[]}", "states", 1, 26, "0 states, where 1 to 64 were expected"},
        {"{'op':'machine','states':3}", "states", 1, 26, "a number, where an array was expected"},
        {"{'op':'machine','states':[3]}", "states[0]", 1, 27, "a number, where an object was expected"},
        {"{'op':'machine','name':7,'states':[{'name':'a'," REST "}]}", "name", 1, 24, "a string was expected"},
        {"{'op':'machine','states':[{" REST "}]}", "states[0]", 1, 27, "a state needs the field \"name\""},
        {"{'op':'machine','states':[{'name':'a'}]}", "states[0]", 1, 27, "a state needs the field \"pose\""},
        {"{'op':'machine','states':[{'name':''," REST "}]}", "states[0].name", 1, 35, "a name without"},
        {"{'op':'machine','states':[{'name':'a'," REST "},\n{'name':'a'," REST "}],'any':[]}", "states[1].name", 2, 9,
         "another state has this name"},
        {"{'op':'machine','states':[{'name':'a'," REST "}],\n'initial':'b'}", "initial", 2, 11,
         "the machine has no state of this name"},
        {TWO("'restarts':true"), "states[0].restarts", 2, 1,
         "has name, pose, restart, entry, exit, travel, transitions"},
        {TWO("'restart':1"), "states[0].restart", 2, 11, "a boolean was expected"},
        {TWO("'entry':'END'"), "states[0].entry", 2, 9, "END is no event"},
        {TWO("'exit':''"), "states[0].exit", 2, 8, "an event without a name"},
        {TWO("'transitions':{}"), "states[0].transitions", 2, 15, "an array was expected"},
        {TWO("'transitions':['b']"), "states[0].transitions[0]", 2, 16, "an object was expected"},
        {GOES("'to':'c','event':'E'"), "states[0].transitions[0].to", 2, 22,
         "the machine has no state of this name; there are a, b"},
        {GOES("'event':'E'"), "states[0].transitions[0]", 2, 16, "a transition needs the field \"to\""},
        {GOES("'to':'b'"), "states[0].transitions[0]", 2, 16, "a transition needs an \"event\""},
        {GOES("'to':'b','end':false"), "states[0].transitions[0]", 2, 16, "a transition needs an \"event\""},
        {GOES("'to':'b','end':true"), "states[0].transitions[0].end", 2, 32, "no clip plays in this state"},
        {GOES("'to':'b','event':'END'"), "states[0].transitions[0].event", 2, 34, "END is no event"},
        {GOES("'to':'b','after':-1"), "states[0].transitions[0].after", 2, 34, "-1 is outside 0 to 100000"},
        {GOES("'to':'b','after':1,'fade':1e6"), "states[0].transitions[0].fade", 2, 43, "outside 0 to 100000"},
        {GOES("'to':'b','after':1,'curve':'round'"), "states[0].transitions[0].curve", 2, 44, "there is no such curve"},
        {"{'op':'clip','clip':{'curve':'uniform-s','of':{'param':'c'}},\n'play':true}", "play", 2, 8,
         "a clip that a parameter chooses has no player"},
        {GOES("'to':'b','after':1,'curve':{'bezier':[0]}"), "states[0].transitions[0].curve.bezier", 2, 54,
         "1 control points, where 2 to 4 were expected"},
        {GOES("'to':'b','after':1,'curve':{'bezier':[0,17]}"), "states[0].transitions[0].curve.bezier[1]", 2, 57,
         "17 is outside -16 to 16"},
        {GOES("'to':'b','after':1,'curve':7"), "states[0].transitions[0].curve", 2, 44, "a string was expected"},
        {GOES("'to':'b','after':1,'to-self':true"), "states[0].transitions[0].to-self", 2, 46,
         "only a transition of \"any\" has it"},
        {GOES("'to':'b','after':1,'to-self':1"), "states[0].transitions[0].to-self", 2, 46, "a boolean was expected"},
        {GOES("'to':'b','after':1,'kind':'slow'"), "states[0].transitions[0].kind", 2, 43,
         "smooth, frozen, inertialized"},
        {GOES("'to':'b','after':1,'priority':0.5"), "states[0].transitions[0].priority", 2, 47, "no whole number"},
        {GOES("'to':'b','when':true"), "states[0].transitions[0].when", 2, 33, "an object was expected"},
        {GOES("'to':'b','when':{}"), "states[0].transitions[0].when", 2, 33, "a condition has one member"},
        {LEADS_OUT("'after':1"), "states[0].pose.states[0].transitions[0].after", 4, 20,
         "counts the time in its own state: write \"when\": {\">\": [{\"phase\": true}, 0.8]}"},
        {LEADS_OUT("'end':true,'start':'sync'"), "states[0].pose.states[0].transitions[0].start", 4, 31,
         "in whose state no clip plays"},
        {GOES("'to':'b','out':'b','event':'E'"), "states[0].transitions[0].out", 2, 32, "in no state of another one"},
        {GOES("'to':[],'event':'E'"), "states[0].transitions[0].to", 2, 22, "0 states, where 1 to 64"},
        {GOES("'to':['b','c'],'event':'E'"), "states[0].transitions[0].to[1]", 2, 27,
         "the machine has no state of this name; there are a, b"},
        {GOES("'to':[{'weight':1}],'event':'E'"), "states[0].transitions[0].to[0]", 2, 23, "needs the field \"state\""},
        {GOES("'to':[{'state':'b','weight':-1}],'event':'E'"), "states[0].transitions[0].to[0].weight", 2, 45,
         "-1 is outside"},
        {GOES("'to':[{'state':'b','weight':0}],'event':'E'"), "states[0].transitions[0].to", 2, 22,
         "all weights are 0"},
        {GOES("'to':'b','when':{'trigger':''}"), "states[0].transitions[0].when.trigger", 2, 44,
         "an event without a name"},
        {GOES("'to':'b','when':{'random':2}"), "states[0].transitions[0].when.random", 2, 43, "2 is outside 0 to 1"},
        {GOES("'to':'b','when':{'in':{}}"), "states[0].transitions[0].when.in", 2, 39, "one machine was expected"},
        {GOES("'to':'b','when':{'in':{'m':'x'}}"), "states[0].transitions[0].when.in.m", 2, 40,
         "the state that the transition leaves has no machine"},
        {GOES("'to':'b','when':{'=':[0,1]}"), "states[0].transitions[0].when.=", 2, 34, "unknown; there are <"},
        {GOES("'to':'b','when':{'<':[0]}"), "states[0].transitions[0].when.<", 2, 38, "1 numbers, where 2"},
        {GOES("'to':'b','when':{'<':0}"), "states[0].transitions[0].when.<", 2, 38, "an array was expected"},
        {GOES("'to':'b','when':{'<':[0,'x']}"), "states[0].transitions[0].when.<[1]", 2, 41, "a string, where"},
        {GOES("'to':'b','when':{'and':[]}"), "states[0].transitions[0].when.and", 2, 40, "no conditions"},
        {GOES("'to':'b','when':{'or':{}}"), "states[0].transitions[0].when.or", 2, 39, "an array was expected"},
        {"{'op':'clip','clip':'hop','play':false}", "play", 1, 34, "neither true nor an object"},
        {"{'op':'clip','clip':'hop','play':true,\n'time':1}", "time", 2, 8, "its time from that"},
        {"{'op':'clip','clip':'hop','play':true,\n'rate':1}", "rate", 2, 8, "has this inside it"},
        {"{'op':'clip','clip':'hop','play':true,\n'loop':true}", "loop", 2, 8, "has an \"end\" inside it"},
        {"{'op':'clip','clip':{'param':'c'},\n'play':true}", "play", 2, 8, "needs a \"time\""},
        {PLAY("'end':'stop'"), "play.end", 2, 15, "loop, hold, once, ping-pong"},
        {PLAY("'rate':65"), "play.rate", 2, 16, "65 is outside -64 to 64"},
        {PLAY("'repetitions':2,'end':'hold'"), "play.repetitions", 2, 23, "a clip that stays at its first end"},
        {PLAY("'repetitions':1.5"), "play.repetitions", 2, 23, "1.5 is no whole number"},
        {PLAY("'repetitions':2,'group':'g'"), "play.repetitions", 2, 23, "a clip in a group plays for ever"},
        {PLAY("'repetitions':200000"), "play.repetitions", 2, 23, "the repetitions take more than 100,000 s"},
        {PLAY("'sync-with':'hop'"), "play.sync-with", 2, 21, "no other clip of this name plays"},
        {PLAY("'delay':1,'group':'g'"), "play.delay", 2, 17, "a clip in a group begins with the group"},
        {PLAY("'drops-out':true"), "play.drops-out", 2, 21, "without \"repetitions\""},
        {PLAY("'offset':0.8"), "play.offset", 2, 18, "0.8 is outside 0 to 0.75"},
        {PLAY("'offset':{'param':'o'}"), "play.offset", 2, 18, "a number was expected"},
        {PLAY("'offset':'rnd'"), "play.offset", 2, 18, "neither a number of seconds nor \"random\""},
        {PLAY("'weight':1"), "play.weight", 2, 9, "\"play\" has no such field; the nearest are "},
        {PLAY("'motion':1"), "play.motion", 2, 18, "neither true, nor an object, nor an array of keys"},
        {PLAY("'motion':false"), "play.motion", 2, 18, "neither true"},
        {PLAY("'motion':[]"), "play.motion", 2, 18, "0 keys, where 2 to 65536 were expected"},
        {PLAY("'motion':[[0,0,0,0]]"), "play.motion", 2, 18, "1 keys"},
        {PLAY("'motion':[[0,0,0,0],7]"), "play.motion[1]", 2, 29, "an array was expected"},
        {PLAY("'motion':[[0,0,0,0],[0,0,0]]"), "play.motion[1]", 2, 29, "a key is x, y, z and yaw"},
        {PLAY("'motion':[[0,0,0,0],[0,0,0,2e6]]"), "play.motion[1][3]", 2, 36, "2e+06 is outside"},
        {PLAY("'motion':{'joint':'Tail'}"), "play.motion.joint", 2, 27, "no joint of this name; there are Hips, Spine"},
        {PLAY("'motion':{'joint':1}"), "play.motion.joint", 2, 27, "a string was expected"},
        {PLAY("'motion':{'axes':'xx'}"), "play.motion.axes", 2, 26, "each once at most"},
        {PLAY("'motion':{'axes':'w'}"), "play.motion.axes", 2, 26, "letters of"},
        {PLAY("'motion':{'axes':true}"), "play.motion.axes", 2, 26, "a string was expected"},
        {PLAY("'motion':{'yaw':1}"), "play.motion.yaw", 2, 25, "a boolean was expected"},
        {PLAY("'motion':{'pitch':1}"), "play.motion.pitch", 2, 27, "a boolean was expected"},
        {PLAY("'motion':{'rate':0}"), "play.motion.rate", 2, 26, "0 is outside"},
        {PLAY("'motion':{'reference':'last'}"), "play.motion.reference", 2, 31,
         "unknown; there are first-frame, rest-pose, absolute"},
        {PLAY("'motion':{'close':'xx'}"), "play.motion.close", 2, 27, "each once at most"},
        {PLAY("'motion':{'close-turn':1}"), "play.motion.close-turn", 2, 32, "a boolean was expected"},
        {PLAY("'motion':{'turn':0}"), "play.motion.turn", 2, 19, "\"motion\" has no such field"},
        {PLAY("'warps':1"), "play.warps", 2, 17, "an array was expected"},
        {PLAY("'warps':[1]"), "play.warps[0]", 2, 18, "an object was expected"},
        {PLAY("'warps':[{'target':[0,0,0]}]"), "play.warps[0]", 2, 18, "end"},
        {PLAY("'warps':[{'end':0.5}]"), "play.warps[0]", 2, 18, "target"},
        {PLAY("'warps':[{'end':0.5,'target':[0,0]}]"), "play.warps[0].target", 2, 38, "a target is x, y and z"},
        {PLAY("'warps':[{'end':0.8,'target':[0,0,0]}]"), "play.warps[0].end", 2, 25, "0.8 is outside 0 to 0.75"},
        {PLAY("'warps':[{'end':'X','target':[0,0,0]}]"), "play.warps[0].end", 2, 25, "no notify of the clip has"},
        {PLAY("'warps':[{'end':'','target':[0,0,0]}]"), "play.warps[0].end", 2, 25, "an event without a name"},
        {PLAY("'warps':[{'end':null,'target':[0,0,0]}]"), "play.warps[0].end", 2, 25, "expected"},
        {PLAY("'warps':[{'start':0.5,'end':0.5,'target':[0,0,0]}]"), "play.warps[0]", 2, 18,
         "from 0.5 to 0.5 s: warps"},
        {PLAY("'end':'ping-pong','warps':[{'end':0.5,'target':[0,0,0]}]"), "play.warps", 2, 35, "turns around"},
        {CHARACTER_MOTION("1"), "character-motion", 2, 20, "neither true nor an object"},
        {CHARACTER_MOTION("false"), "character-motion", 2, 20, "neither true nor an object"},
        {CHARACTER_MOTION("{'speed':1}"), "character-motion.speed", 2, 21, "\"character-motion\" has no such field"},
        {CHARACTER_MOTION("{'velocity':1}"), "character-motion.velocity", 2, 32, "an array was expected"},
        {CHARACTER_MOTION("{'velocity':[1,2]}"), "character-motion.velocity", 2, 32, "a velocity is x, y and z"},
        {CHARACTER_MOTION("{'velocity':[1,2,'x']}"), "character-motion.velocity[2]", 2, 37, "a string, where"},
        {CHARACTER_MOTION("{'velocity-half-life':11}"), "character-motion.velocity-half-life", 2, 42,
         "11 is outside 0"},
        {CHARACTER_MOTION("{'turn-rate':-1}"), "character-motion.turn-rate", 2, 33, "-1 is outside 0"},
        {CHARACTER_MOTION("{'acceleration':1e-9}"), "character-motion.acceleration", 2, 36, "neither 0"},
        {CHARACTER_MOTION("{'deceleration':{'param':'d'}}"), "character-motion.deceleration", 2, 36,
         "a number was expected"},
        {CHARACTER_MOTION("{'full-rotation':1}"), "character-motion.full-rotation", 2, 37, "a boolean was expected"},
        {CHARACTER_MOTION("{'heading':true}"), "character-motion.heading", 2, 31, "a boolean, where"},
        {CHARACTER_MOTION("{'actual-velocity':'v'}"), "character-motion.actual-velocity", 2, 39,
         "an array was expected"},
        {CHARACTER_MOTION("{'actual-velocity':[null]}"), "character-motion.actual-velocity", 2, 39,
         "a velocity is x, y and z"},
        {CHARACTER_MOTION("{'actual-velocity':[null,null,1]}"), "character-motion.actual-velocity[2]", 2, 50,
         "a string was expected"},
        {CHARACTER_MOTION("{'actual-velocity':['',null,null]}"), "character-motion.actual-velocity[0]", 2, 40,
         "a name without"},
        {CHARACTER_MOTION("{'actual-velocity':['v',null,'v']}"), "character-motion.actual-velocity[2]", 2, 49,
         "given twice"},
        {CHARACTER_MOTION("{'actual-velocity':[null,null,'v'],'velocity':[0,0,{'param':'v'}]}"),
         "character-motion.actual-velocity[2]", 2, 50, "cannot be what it wants"},
        {CHARACTER_MOTION("{'heading':{'param':'v'},'actual-velocity':['v',null,null]}"),
         "character-motion.actual-velocity[0]", 2, 64, "cannot be what it wants"},
        {"{'op':'blend','a':{'op':'rest'},'b':{'op':'rest'},'weight':{'param':'v','smooth':1},\n"
         "'character-motion':{'actual-velocity':[null,'v',null]}}",
         "character-motion.actual-velocity[1]", 2, 45, "cannot be smoothed"},
        {CHARACTER_MOTION("true,\n'character-motion':true"), "character-motion", 3, 1, "given twice"},
        {IN_BLEND("{'op':'rest'}", "{'op':'rest','character-motion':true}"), "b.character-motion", 2, 18,
         "the outermost pose alone has character motion"},
        {PLAY("'group':7"), "play.group", 2, 17, "a string was expected"},
        {PLAY("'group':'g','end':'hold'"), "play.end", 2, 27, "clips of a group loop"},
        {PLAY("'markers':[0.5,0.25]"), "play.markers[1]", 2, 24, "0.25: markers ascend"},
        {PLAY("'markers':[0.75]"), "play.markers[0]", 2, 20, "are before the clip's end"},
        {PLAY("'markers':[1]"), "play.markers[0]", 2, 20, "1 is outside 0 to 0.75"},
        {PLAY("'markers':[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"), "play.markers", 2, 19, "17 markers, where at most 16"},
        {PLAY("'notifies':[{'channel':'contact'}]"), "play.notifies[0]", 2, 21, "\"rising\" or \"falling\""},
        {PLAY("'notifies':[{'channel':'feet','rising':'e'}]"), "play.notifies[0].channel", 2, 32,
         "no float channel of this name; there is only contact"},
        {PLAY("'notifies':[{'channel':'contact','time':1,'rising':'e'}]"), "play.notifies[0].time", 2, 42,
         "a crossing has no such field"},
        {PLAY("'notifies':[{'time':0.1}]"), "play.notifies[0]", 2, 21, "a notify needs the field \"event\""},
        {PLAY("'notifies':[{'time':0.8,'event':'e'}]"), "play.notifies[0]", 2, 21, "a time of 0.8"},
        {PLAY("'notifies':[{'time':0.2,'event':'e'},{'event':'e','time':0.1}]"), "play.notifies[1]", 2, 46,
         "in the order of their times"},
        {PLAY("'velocity':1e13"), "play.velocity", 2, 20, "is outside"},
        {PLAY("'ended':3"), "play.ended", 2, 17, "a string was expected"},
        {IN_BLEND(GROUPED(""), GROUPED(",'rate':2")), "b.play.rate", 2, 58, "the rate of its first clip"},
        {IN_BLEND(GROUPED(""), GROUPED(",'cadence':'default'")), "b.play.cadence", 2, 61,
         "the cadence of its first clip"},
        {PLAY("'cadence':'default'"), "play.cadence", 2, 19, "a cadence is a group's, and there is none"},
        {PLAY("'group':'g','cadence':'slow'"), "play.cadence", 2, 31, "unknown; there are default, duration, velocity"},
        {PLAY("'group':'g','cadence':1"), "play.cadence", 2, 31, "a number, where a string was expected"},
        {IN_BLEND(GROUPED(",'velocity':1,'cadence':'velocity'"), GROUPED("")), "b.play.group", 2, 47,
         "no velocity, which the cadence of its group needs"},
        {IN_BLEND(GROUPED(",'cadence':'velocity'"), GROUPED(",'velocity':1")), "a.play.cadence", 1, 75,
         "no velocity, which the cadence of its group needs"},
        {IN_BLEND(GROUPED(""), GROUPED(",'markers':[0,0.1]")), "b.play.group", 2, 47, "this one 2, the first 1"},
        {"{'op':'machine','states':[{'name':'a','pose':{'op':'clip','clip':'hop',\n'offset':1}}]}",
         "states[0].pose.offset", 2, 10, "a number from 0 to 0.75"},
        {"{'op':'machine','states':[{'name':'a','pose':{'op':'clip',\n'clip':'hope'}}]}", "states[0].pose.clip", 2, 8,
         "there is no clip of this name"},
        {WEIGHT("{'in':1}"), "weight.in", 2, 16, "a string was expected"},
        {WEIGHT("{'out':'O'}"), "weight", 2, 10, "a fade needs the field \"in\""},
        {WEIGHT("{'in':''}"), "weight.in", 2, 16, "an event without a name"},
        {WEIGHT("{'in':'END'}"), "weight.in", 2, 16, "END is no event"},
        {WEIGHT("{'in':'I','in':'I'}"), "weight.in", 2, 20, "given twice"},
        {WEIGHT("{'in':'I','until':'O'}"), "weight.until", 2, 20,
         "has in, out, at-end, after, seconds, out-seconds, curve, restart, initial, name"},
        {WEIGHT("{'in':'I','out':true}"), "weight.out", 2, 26, "a string was expected"},
        {WEIGHT("{'in':'I','seconds':-1}"), "weight.seconds", 2, 30, "-1 is outside 0 to 100000"},
        {WEIGHT("{'in':'I','out-seconds':{'param':'s'}}"), "weight.out-seconds", 2, 34, "a number was expected"},
        {WEIGHT("{'in':'I','after':1e6}"), "weight.after", 2, 28, "outside 0 to 100000"},
        {WEIGHT("{'in':'I','curve':'round'}"), "weight.curve", 2, 28, "there is no such curve"},
        {WEIGHT("{'in':'I','curve':{'bezier':[0,true]}}"), "weight.curve.bezier[1]", 2, 41, "a number was expected"},
        {WEIGHT("{'in':'I','curve':{'keys':[[0,0],[1,0.5]]}}"), "weight.curve", 2, 28, "it does not go from (0, 0) to"},
        {WEIGHT("{'in':'I','curve':{}}"), "weight.curve", 2, 28, "a curve is either a bezier or keys"},
        {WEIGHT("{'in':'I','at-end':1}"), "weight.at-end", 2, 29, "a boolean was expected"},
        {WEIGHT("{'in':'I','at-end':true}"), "weight.at-end", 2, 29, "no clip plays in what is faded"},
        {WEIGHT("{'in':'I','restart':0}"), "weight.restart", 2, 30, "a boolean was expected"},
        {WEIGHT("{'in':'I','restart':true,'out':'I'}"), "weight.restart", 2, 30,
         "the event fades out what it would begin anew"},
        {WEIGHT("{'in':'I','initial':'on'}"), "weight.initial", 2, 30, "unknown; there are out, in"},
        {WEIGHT("{'in':'I','name':7}"), "weight.name", 2, 27, "a string was expected"},
        {WEIGHT("{'in':'I','name':''}"), "weight.name", 2, 27, "a name without a character"},
        {WEIGHT("{'in':'I','param':'w'}"), "weight.param", 2, 20, "a fade has no such field"},
        {WEIGHT("{'curve':'linear','of':{'in':'I'}}"), "weight.of", 2, 33, "in no curve"},
        {PLAY("'rate':{'in':'I'}"), "play.rate", 2, 16, "a pose of \"define\" in both"},
        {PLAY("'rate':{'use':'I'}"), "play.rate", 2, 16, "\"define\" has poses and no values"},
        {"{'op':'layers','inputs':[{" REST "},{" REST ",\n'fade':{'in':'I','at-end':true}}]}", "inputs[1].fade.at-end",
         2, 27, "no clip plays in what is faded"},
        {"{'op':'blend','a':{'op':'rest'},'b':{'op':'rest'},\n'weight':{'param':'w','smooth':-1}}", "weight.smooth", 2,
         32, "-1 is outside 0 to 100000"},
        {WEIGHT("{'subtract':[1]}"), "weight.subtract", 2, 22, "1 numbers, where 2 were expected"},
        {WEIGHT("{'clamp':[1,2]}"), "weight.clamp", 2, 19, "2 numbers, where 3 were expected"},
        {WEIGHT("{'clamp':[{'param':'x'},1,0]}"), "weight.clamp", 2, 19,
         "from 1 to 0 is no range: the lower end comes first"},
        {WEIGHT("{'remap':1}"), "weight.remap", 2, 19, "an array was expected"},
        {WEIGHT("{'add':[1,{'min':[0,'x']}]}"), "weight.add[1].min[1]", 2, 30, "a string, where a number"},
        {WEIGHT("{'add':[1,1]}"), "weight", 2, 10, "its value is 2, outside 0 to 1"},
        {WEIGHT(ADD8("{'add':[1,1]}")), "weight" ADDED8 ".add", 2, 97, "more than 8 nested"},
        {WEIGHT("{'fade':'wave'}"), "weight.fade", 2, 18, "there is no fade of this name"},
        {WEIGHT("{'add':[1,{'fade':''}]}"), "weight.add[1].fade", 2, 28, "a name without a character"},
        {WEIGHT("{'fade':7}"), "weight.fade", 2, 18, "a string was expected"},
        {"{'op':'blend',\n'weight':{'fade':'I'},'a':" FADED("{'in':'I'}", "{'op':'rest'}") ",'b':" FADED(
             "{'in':'I'}", "{'op':'rest'}") "}",
         "weight.fade", 2, 18, "several fades have this name"},
        {WITH_FADE("'b':{'op':'rest'},'character-motion':{'heading':{'add':[1,{'fade':'I'}]}}"),
         "character-motion.heading", 2, 49, "a fade's weight is known only"},
        {WITH_FADE("'b':{'op':'rest'},'character-motion':{'velocity':[0,0,{'fade':'I'}]}"),
         "character-motion.velocity[2]", 2, 55, "a fade's weight is known only"},
        {WITH_FADE("'b':{'op':'clip','clip':'hop','play':{'rate':{'fade':'I'}}}"), "b.play.rate", 2, 46,
         "a fade's weight is known only"},
        {CHARACTER_MOTION("{'heading':{'add':[{'param':'v'},1]},'actual-velocity':['v',null,null]}"),
         "character-motion.actual-velocity[0]", 2, 76, "cannot be what it wants"},
        {WITH_FADE("'b':" GOES("'to':'b','when':{'<':[{'add':[{'fade':'I'},1]},1]}")),
         "b.states[0].transitions[0].when.<[0]", 3, 39, "a fade's weight is known only"},
        {GOES("'to':'b','when':{'<':[{'phase':'hop'},1]}"), "states[0].transitions[0].when.<[0].phase", 2, 48,
         "no clip of this name plays in the state"},
        {GOES("'to':'b','when':{'<':[{'phase':true},1]}"), "states[0].transitions[0].when.<[0].phase", 2, 48,
         "no clip plays in this state"},
        {GOES("'to':'b','when':{'<':[{'phase':false},1]}"), "states[0].transitions[0].when.<[0].phase", 2, 48,
         "a string was expected"},
        {GOES("'to':'b','when':{'<':[1,{'remaining':true}]}"), "states[0].transitions[0].when.<[1]", 2, 41,
         "stands on the left"},
        {"{'op':'machine','states':[{'name':'a','pose':{'op':'clip','clip':'hop'},'transitions':\n"
         "[{'to':'a','when':{'<':[{'remaining':'hop'},0.8]}}]}]}",
         "states[0].transitions[0].when.<[1]", 2, 45, "0.8 is outside 0 to 0.75"},
        {"{'op':'machine','states':[{'name':'a','pose':{'op':'clip','clip':'hop'},'transitions':\n"
         "[{'to':'a','when':{'<':[{'phase':true},{'param':'x'}]}}]}]}",
         "states[0].transitions[0].when.<[1]", 2, 40, "compared with a constant"},
        {"{'op':'machine','states':[{'name':'a','pose':{'op':'clip','clip':'hop'}}],\n"
         "'any':[{'to':'a','when':{'<':[{'phase':true},1]}}]}",
         "any[0].when.<[0].phase", 2, 40, "leaves no one state"},
        {"{'op':'rest',\n'max-emitted-events':257}", "max-emitted-events", 2, 22, "257 is outside 1 to 256"},
        {"{'op':'rest',\n'max-emitted-events':1.5}", "max-emitted-events", 2, 22, "no whole number"},
        {IN_BLEND("{'op':'rest'}", "{'op':'rest','max-emitted-events':1}"), "b.max-emitted-events", 2, 18,
         "the outermost pose alone has a limit of emitted events"},
        {GOES("'to':'b','after':1,'profile':{'Head':1}"), "states[0].transitions[0].profile.Head", 2, 47,
         "the rig has no joint of this name"},
        {GOES("'to':'b','after':1,'profile':{'Hips':256}"), "states[0].transitions[0].profile.Hips", 2, 54, "256"},
        {GOES("'to':'b','after':1,'kind':'inertialized','profile':{}"), "states[0].transitions[0]", 2, 16,
         "a transition that is inertialized has no blend profile"},
        {"{'op':'rest',\n'update-every':17}", "update-every", 2, 16, "17 is outside 1 to 16"},
        {"{'op':'rest',\n'update-every':{'add':[{'param':'x'},1]}}", "update-every", 2, 16,
         "a constant or a parameter of the host was expected"},
        {"{'op':'rest',\n'update-every':{'param':'x','smooth':0.5}}", "update-every", 2, 16,
         "a constant or a parameter of the host was expected"},
        {WITH_FADE("'b':{'op':'rest'},'update-every':{'fade':'I'}"), "update-every", 2, 34,
         "a constant or a parameter of the host was expected"},
        {"{'op':'rest',\n'interpolate-updates':1}", "interpolate-updates", 2, 23, "a boolean was expected"},
        {IN_BLEND("{'op':'rest'}", "{'op':'rest','update-every':2}"), "b.update-every", 2, 18,
         "the outermost pose alone has updates"},
        {IN_MATRICES(GOES("'to':'b','after':1,'kind':'inertialized'")), "inputs[0].pose.states[0].transitions[0]", 2,
         16, "it ends with a blend of matrices"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect_malformed(rows[i]);
    }
}

static char *append(char *end, const char *text) {
    size_t length = strlen(text);
    memcpy(end, text, length + 1);
    return end + length;
}

// Each state fades to the next, through the whole circle and beyond.
static void a_machine_of_64_states(void **state) {
    (void)state;
    static char text[20000];
    char *at = append(text, "{'op':'machine','states':[");
    for (int i = 0; i < 64; i++) {
        at += sprintf(at,
                      "%s{'name':'s%d','pose':{'op':'clip','clip':'%s','play':true},'transitions':"
                      "[{'to':'s%d','event':'NEXT','fade':0.25,'curve':'linear'}]}",
                      i == 0 ? "" : ",", i, clip_names[i % CLIPS], (i + 1) % 64);
    }
    append(at, "]}");
    player p = begin(text);
    assert_int_equal(lmb_graph_machine_at(p.program, 0).state_count, 64);
    for (int i = 0; i < 80; i++) {
        const int from = i % 64 % CLIPS, to = (i + 1) % 64 % CLIPS;
        char name[16];
        float place[2];
        step(&p, 0.125, "NEXT");
        hips(&p, place);
        assert_float_equal(place[0], 0.5f * (float)(from + to), 1e-4);
        step(&p, 0.25, NULL);
        hips(&p, place);
        assert_float_equal(place[0], (float)to, 1e-4);
        sprintf(name, "s%d", (i + 1) % 64);
        assert_string_equal(current(&p, 0), name);
    }
    end(&p);
}

static void limits(void **state) {
    (void)state;
    static char text[100000];
    char *at = append(text, "{'op':'machine','states':[");
    for (int i = 0; i < 65; i++) {
        at += sprintf(at, "%s{'name':'s%d'," REST "}", i == 0 ? "" : ",", i);
    }
    append(at, "]}");
    expect_malformed((malformed_graph){text, "states", 1, 26, "65 states, where 1 to 64 were expected"});
    at = append(text, "{'op':'machine','states':[{'name':'a'," REST ",'transitions':[");
    for (int i = 0; i < 257; i++) {
        at = append(at, i == 0 ? "{'to':'a','after':1}" : ",\n{'to':'a','after':1}");
    }
    append(at, "]}]}");
    expect_malformed((malformed_graph){text, "states[0].transitions[256]", 257, 1, "more than 256 transitions"});
    at = append(text, "{'op':'machine','states':[{'name':'a'," REST ",'transitions':[{'to':'a','when':\n{'or':[");
    for (int i = 0; i < 9; i++) {
        at = append(at, i == 0 ? "{'<':[0,1]}" : ",{'<':[0,1]}");
    }
    append(at, "]}}]}]}");
    expect_malformed((malformed_graph){text, "states[0].transitions[0].when", 2, 1, "more than 16 comparisons"});
    at = append(text, "{'op':'weighted','inputs':[");
    for (int i = 0; i < 257; i++) {
        at += sprintf(at, "%s%s{'pose':{'op':'clip','clip':'hop','play':true}}%s", i == 0 ? "" : ",",
                      i % 16 == 0 ? "{'pose':{'op':'weighted','inputs':[" : "",
                      i == 256       ? ",{'pose':{'op':'rest'}}]}}"
                      : i % 16 == 15 ? "]}}"
                                     : "");
    }
    append(at, "]}");
    static lmb_graph_problems problems;
    const lmb_graph_source source = source_of(text);
    lmb_graph_json *graph = NULL;
    assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, &problems, NULL), LMB_ERROR_FORMAT);
    assert_int_equal(problems.count, 2); // the second problem: 17 inputs
    assert_string_equal(problems.list[1].path, "inputs[16].pose.inputs[0].pose.play");
    assert_string_equal(problems.list[1].message, "more than 256 clips that play");
}

#define FOUR "{'op':'rest'},{'op':'rest'},{'op':'rest'},{'op':'rest'}"
#define CORNERS(op, third, poses) "{'op':'" op "','s':0.5,'t':0.5," third "'poses':[" poses "]}"

static void machines_inside_each_other(void **state) {
    (void)state;
    reading_destroy(read_graph(INNER(INNER(INNER(INNER(CORNERS("bilinear", "", FOUR)))))));
    // A machine holds two poses while it evaluates a third, so four more do not fit.
    expect_malformed((malformed_graph){INNER(INNER(INNER(INNER(CORNERS("trilinear", "'u':0.5,", FOUR "," FOUR))))), "",
                                       1, 1, "more than 11 poses at once"});
    const lmb_graph_source source = source_of(INNER(INNER(INNER(INNER(INNER("{'op':'rest'}"))))));
    lmb_graph_json *graph = NULL;
    static lmb_graph_problems problems;
    assert_int_equal(lmb_graph_json_read(&source, NULL, &graph, &problems, NULL), LMB_ERROR_FORMAT);
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.list[0].path, "states[0].pose.states[0].pose.states[0].pose.states[0].pose");
    assert_string_equal(problems.list[0].message, "more than 4 nested machines");
    expect_malformed((malformed_graph){
        INNER(INNER(INNER(INNER("\n{'op':'blend','a':{'op':'rest'},'weight':{'in':'I'},'b':{'op':'rest'}}")))),
        "states[0].pose.states[0].pose.states[0].pose.states[0].pose.weight", 2, 42, "more than 4 nested machines"});
}

// Returns the machine of a graph whose states are a, b and c with these members.
static reading *read_three(const char *members, const char *any) {
    static char text[2000];
    snprintf(text, sizeof text,
             "{'op':'machine'%s,'states':[{'name':'a','pose':{'op':'clip','clip':'hop'},'transitions':[{'to':'b',"
             "'event':'E'}]},{'name':'b','pose':{'op':'clip','clip':'float'},'transitions':[{'to':'c','event':'E'}]},"
             "{'name':'c','pose':{'op':'rest'},'transitions':[{'to':'a','event':'E'}]}],'any':[%s]}",
             members, any);
    return read_graph(text);
}

// Transitions of any may name the states that they leave: each is a transition of its state.
static void lists_of_states(void **state) {
    (void)state;
    reading *graph = read_three(",'initial':'b','fade':0.5,'curve':'linear'",
                                "{'to':'c','end':true,'from':['a','b'],'fade':0.25},"
                                "{'to':'b','event':'E','except':['a'],'curve':'sine-in'},"
                                "{'to':'a','when':{'>':[{'remaining':true},0.125]},'from':['b']}");
    const lmb_machine_def *machine = &graph->control->machines[0].def;
    assert_string_equal(machine->states[0].name, "b");
    assert_int_equal(machine->transition_count, 7); // one of b to itself is left out
    const lmb_transition_def *t = machine->transitions;
    assert_true(t[3].from == 0 && t[3].to == 2 && t[3].at_end && t[3].fade == 0.25f);
    assert_true(t[4].from == 1 && t[4].to == 2 && t[4].curve == LMB_CURVE_LINEAR);
    assert_true(t[5].from == 2 && t[5].to == 0 && t[5].fade == 0.5f && t[5].curve == LMB_CURVE_SINE_IN);
    assert_true(t[6].from == 0 && t[6].terms[0].operand == LMB_OPERAND_REMAINING);
    assert_true(t[0].fade == 0.5f && t[0].curve == LMB_CURVE_LINEAR);
    // A clip of a state that is listed with an end holds it.
    assert_int_equal(lmb_graph_json_def(graph->json)->nodes[0].player->end, LMB_END_HOLD);
    reading_destroy(graph);
}

// What is not a term of a control becomes one, or several.
static void conditions_become_terms(void **state) {
    (void)state;
    enum { LESS, LEQ, MORE, MEQ, EQUAL, AND, OR };
    static const struct {
        const char *condition;
        uint32_t count;
        int kinds[8];
    } rows[] = {
        {"{'param':'x'}", 1, {MORE}},
        {"{'not':{'param':'x'}}", 1, {LEQ}},
        {"{'!=':[{'param':'x'},1]}", 3, {LESS, MORE, OR}},
        {"{'not':{'!=':[{'param':'x'},1]}}", 1, {EQUAL}},
        {"{'not':{'==':[{'param':'x'},1]}}", 3, {LESS, MORE, OR}},
        {"{'not':{'not':{'<':[{'param':'x'},1]}}}", 1, {LESS}},
        {"{'not':{'or':[{'<':[0,1]},{'and':[{'<=':[0,1]},{'>':[0,1]}]},{'>=':[0,1]}]}}",
         7,
         {MEQ, MORE, LEQ, OR, AND, LESS, AND}},
        {"{'and':[{'not':{'and':[{'param':'x'},{'==':[0,1]}]}},{'param':'y'}]}",
         7,
         {LEQ, LESS, MORE, OR, OR, MORE, AND}},
        {"{'!=':[{'phase':'hop'},0.5]}", 3, {LESS, MORE, OR}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char any[300];
        snprintf(any, sizeof any, "{'to':'b','from':['a'],'when':%s}", rows[i].condition);
        reading *graph = read_three("", any);
        const lmb_transition_def *transition = &graph->control->machines[0].def.transitions[3];
        assert_int_equal(transition->term_count, rows[i].count);
        for (uint32_t k = 0; k < rows[i].count; k++) {
            assert_int_equal(transition->terms[k].kind, rows[i].kinds[k]);
        }
        reading_destroy(graph);
    }
#define ANY(members)                                                                                                   \
    "{'op':'machine','states':[{'name':'a','pose':{'op':'rest'},'transitions':[{'to':'b','event':'E'}]},{'name':'b',"  \
    "'pose':{'op':'rest'}}],'any':[\n{'to':'a','event':'E'," members "}]}"
    static const malformed_graph wrong[] = {
        {ANY("'from':'a'"), "any[0].from", 2, 30, "a string, where an array was expected"},
        {ANY("'from':[]"), "any[0].from", 2, 30, "0 states, where 1 to 64 were expected"},
        {ANY("'except':['c']"), "any[0].except[0]", 2, 33, "the machine has no state of this name; there are a, b"},
        {ANY("'from':['a','a']"), "any[0].from[1]", 2, 35, "given twice"},
        {ANY("'from':['a'],'except':['b']"), "any[0].except", 2, 45, "beside \"from\""},
        {ANY("'from':['b'],'end':true"), "any[0].end", 2, 42, "no clip plays in this state, so it has no end"},
        {ANY("'when':{'not':[]}"), "any[0].when.not", 2, 37, "an array, where an object was expected"},
        {ANY("'when':{'param':7}"), "any[0].when.param", 2, 39, "a number, where a string was expected"},
        {ANY("'when':{'param':'x','default':1}"), "any[0].when", 2, 30, "a condition has one member"},
        {"{'op':'machine','fade':-1,\n'states':[{'name':'a','pose':{'op':'rest'}}]}", "fade", 1, 24,
         "-1 is outside 0 to 100000"},
        {"{'op':'machine','curve':'round',\n'states':[{'name':'a','pose':{'op':'rest'}}]}", "curve", 1, 25,
         "there is no such curve; the nearest are "},
        {"{'op':'machine','states':[{'name':'a','pose':{'op':'rest'},\n'transitions':[{'to':'a','event':'E',"
         "'except':['a']}]}]}",
         "states[0].transitions[0].except", 2, 47, "only a transition of \"any\" has it"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        expect_malformed(wrong[i]);
    }
}

// A definition is one set of players, whatever states use it: a fade around what needs its base has it twice, in phase.
static void definitions_play_once(void **state) {
    (void)state;
    player p = begin("{'op':'blend','define':{'base':{'op':'clip','clip':'hop','play':true}},'a':{'use':'base'},"
                     "'b':{'op':'additive','base':{'use':'base'},'add':{'op':'clip','clip':'stand','additive':true,"
                     "'play':true},'weight':0.5},'weight':{'in':'IN','out':'OUT'}}");
    const lmb_graph_def *def = lmb_graph_json_def(p.graph->json);
    assert_int_equal(def->nodes[def->node_count - 1].inputs[0], 0);
    step(&p, 0.25, NULL);
    step(&p, 0.25, "IN");
    step(&p, 0.125, NULL);
    assert_true(lmb_state_player(p.program, p.state, 0).ticks == 5 * LMB_TICKS_PER_SECOND / 8);
    assert_true(lmb_state_player(p.program, p.state, 1).ticks == 3 * LMB_TICKS_PER_SECOND / 8);
    end(&p);
    // A state that alone uses a definition has its clips, and a transition may name them in any state.
    static const char alone[] =
        "{'op':'machine','define':{'d':{'op':'clip','clip':'hop'}},'states':[{'name':'a','pose':{'use':'d'},"
        "'transitions':[{'to':'b','end':true}]},{'name':'b','pose':{'op':'rest'},'transitions':[{'to':'a',"
        "'event':'A'}]}]}";
    p = begin(alone);
    step(&p, 9.0, NULL);
    step(&p, 0.25, "A");
    assert_true(lmb_state_player(p.program, p.state, 0).ticks == LMB_TICKS_PER_SECOND / 4);
    end(&p);
    p = begin(
        "{'op':'machine','define':{'d':{'op':'clip','clip':'hop'}},'states':[{'name':'a','pose':{'use':'d'},"
        "'transitions':[{'to':'b','event':'B'}]},{'name':'b','pose':{'op':'mirror','axis':'x','pose':{'use':'d'}},"
        "'transitions':[{'to':'a','when':{'>=':[{'phase':'hop'},0.5]}}]}]}");
    step(&p, 0.25, NULL);
    step(&p, 0.125, "B");
    assert_true(lmb_state_player(p.program, p.state, 0).ticks == 3 * LMB_TICKS_PER_SECOND / 8);
    assert_int_equal(lmb_state_current(p.program, p.state, 0), 1);
    end(&p);
    // A condition names a clip by its alias.
    static const lmb_graph_alias alias = {"jump", "hop"};
    lmb_graph_source source =
        source_of("{'op':'machine','states':[{'name':'a','pose':{'op':'clip','clip':'jump'},"
                  "'transitions':[{'to':'a','event':'A','when':{'>':[{'phase':'jump'},0.5]}}]}]}");
    source.clip_aliases = &alias;
    source.clip_alias_count = 1;
    lmb_graph_json *named = NULL;
    assert_int_equal(lmb_graph_json_read(&source, NULL, &named, NULL, NULL), LMB_OK);
    lmb_graph_json_destroy(named);
    // A fade of a definition that has other uses only weighs it.
    p = begin("{'op':'blend','define':{'d':{'op':'clip','clip':'hop','play':true}},'a':{'use':'d'},'b':{'use':'d'},"
              "'weight':{'in':'IN'}}");
    assert_int_equal(lmb_graph_json_def(p.graph->json)->fades[0].pose, LMB_NONE);
    step(&p, 0.25, NULL);
    step(&p, 0.25, "IN");
    assert_true(lmb_state_player(p.program, p.state, 0).ticks == LMB_TICKS_PER_SECOND / 2);
    end(&p);
    p = begin("{'op':'blend','define':{'d':{'op':'clip','clip':'hop'}},'a':{'op':'rest'},'b':{'use':'d'},"
              "'weight':{'in':'IN','at-end':true}}");
    assert_int_equal(lmb_graph_json_def(p.graph->json)->fades[0].pose, 1);
    end(&p);
    // Ends that are of no state alone.
    expect_malformed((malformed_graph){
        "{'op':'machine','define':{'d':{'op':'clip','clip':'hop'}},'states':[\n{'name':'a','pose':{'use':'d'},"
        "'transitions':[{'to':'b','end':true}]},\n{'name':'b','pose':{'use':'d'},'transitions':[]}]}",
        "states[0].transitions[0].end", 2, 63, "no clip plays in 'a' alone, whose end would be its own"});
    expect_malformed((malformed_graph){
        "{'op':'machine','define':{'d':{'op':'clip','clip':'hop'}},'states':[\n{'name':'a','pose':{'use':'d'}},"
        "{'name':'b','pose':{'use':'d'},'transitions':[\n{'to':'a','end':true}]}]}",
        "states[1].transitions[0].end", 3, 17, "no clip plays in this state, so it has no end"});
    expect_malformed((malformed_graph){
        "{'op':'weighted','define':{'d':{'op':'clip','clip':'hop'}},'inputs':[{'pose':{'use':'d'},'weight':\n"
        "{'in':'IN','at-end':true}},{'pose':{'use':'d'}}]}",
        "inputs[0].weight.at-end", 2, 21, "other poses use what is faded, so it has no end of its own"});
}

#define HAND(on, off) "{'use':'hand','with':{'on':'" on "','off':'" off "'}}"

// A definition with arguments is a set of machines and players for each set of values.
static void arguments_give_machines_of_their_own(void **state) {
    (void)state;
    player p =
        begin("{'op':'weighted','define':{'hand':{'op':'machine','arguments':{'on':null,'off':'OFF'},'name':'hand',"
              "'states':[{'name':'open','pose':{'op':'clip','clip':'stand'},'transitions':[{'to':'shut','event':"
              "{'argument':'on'}}]},{'name':'shut','pose':{'op':'clip','clip':'hop'},'transitions':[{'to':'open',"
              "'event':{'argument':'off'}}]}]}},'inputs':[{'pose':" HAND("LEFT", "OFF") "},{'pose':" HAND(
                  "RIGHT", "OFF") "},{'pose':{'use':'hand','with':{'on':'LEFT'}}}]}");
    const lmb_graph_def *def = lmb_graph_json_def(p.graph->json);
    const lmb_node_def *both = &def->nodes[def->node_count - 1];
    assert_int_equal(both->inputs[0], both->inputs[2]);
    assert_true(both->inputs[0] != both->inputs[1]);
    assert_int_equal(p.graph->control->machine_count, 2);
    assert_int_equal(p.graph->control->player_count, 4);
    step(&p, 0.25, NULL);
    step(&p, 0.25, "LEFT");
    step(&p, 0.125, NULL);
    assert_string_equal(current(&p, 0), "shut");
    assert_string_equal(current(&p, 1), "open");
    step(&p, 0.25, "RIGHT");
    assert_string_equal(current(&p, 1), "shut");
    // Their clips begin with their states.
    assert_true(lmb_state_player(p.program, p.state, 1).ticks == 5 * LMB_TICKS_PER_SECOND / 8);
    assert_true(lmb_state_player(p.program, p.state, 3).ticks == LMB_TICKS_PER_SECOND / 4);
    step(&p, 0.25, "OFF");
    assert_string_equal(current(&p, 0), "open");
    assert_string_equal(current(&p, 1), "open");
    end(&p);
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *user) {
    const lmb_graph_source source = source_of(user);
    lmb_graph_json *graph = NULL;
    lmb_result result = lmb_graph_json_read(&source, host, &graph, NULL, error);
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
    char text[] = "{'op':'machine','states':[{'name':'a','pose':{'op':'clip','clip':'hop','play':{'markers':[0.1],"
                  "'group':'g','notifies':[{'time':0,'event':'n'}]}},'transitions':"
                  "[{'to':'c','when':{'<':[{'param':'p','smooth':0.1},1]}}]},{'name':'b','pose':" INNER(
                      "{'op':'rest'}") "},{'name':'c','pose':{'op':'rest'}}],'initial':'a','any':[]}";
    failing_host_try_all(create_and_destroy, text);
    char fade[] = FADED("{'in':'I','out':'O','name':'f'}", PLAYED("hop"));
    failing_host_try_all(create_and_destroy, fade);
    char character_motion[] = "{'op':'rest','character-motion':{'actual-velocity':['v',null,'w']}}";
    failing_host_try_all(create_and_destroy, character_motion);
    char computed[] = "{'op':'blend','weight':{'subtract':[1,{'fade':'f'}]},'a':{'op':'rest'},'b':" FADED(
        "{'in':'I','name':'f'}", PLAYED("hop")) "}";
    failing_host_try_all(create_and_destroy, computed);
    char unnamed[] = FADED("{'in':'I','at-end':true}", PLAYED("hop"));
    failing_host_try_all(create_and_destroy, unnamed);
    char part[] = "{'op':'clip','clip':'hop','from':0.25,'play':{'motion':true}}";
    failing_host_try_all(create_and_destroy, part);
}

// Notifies where the contact, which goes from 0 to 1, crosses a threshold: in the order of their times, also among
// stated ones; and for a clip that loops at its beginning, where the contact falls.
static void notifies_where_a_channel_crosses(void **state) {
    (void)state;
    static const char *const ends[] = {"loop", "hold"};
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{'op':'clip','clip':'float','play':{'notifies':[{'time':0.1,'event':'early'},"
                 "{'channel':'contact','threshold':0.75,'rising':'late','falling':'loop'},"
                 "{'channel':'contact','rising':'middle'},{'time':0.3,'event':'late'}],'end':'%s'}}",
                 ends[i]);
        reading *graph = read_graph(text);
        const lmb_player_def *player = graph->control->players[0].def;
        const lmb_notify_def *notifies = player->notifies + (i == 0);
        assert_int_equal(player->notify_count, 4 + (i == 0));
        assert_true(i == 1 || (player->notifies[0].time == 0.0f &&
                               player->notifies[0].event == lmb_graph_find_event(graph->graph, "loop")));
        assert_true(notifies[0].time == 0.1f && notifies[1].time == 0.3f && notifies[2].time == 0.5f &&
                    notifies[3].time == 0.75f);
        assert_int_equal(notifies[2].event, lmb_graph_find_event(graph->graph, "middle"));
        assert_int_equal(notifies[3].event, notifies[1].event);
        reading_destroy(graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notifies_where_a_channel_crosses),
        cmocka_unit_test(the_jump_takes_its_path),
        cmocka_unit_test(poses_follow_the_machine),
        cmocka_unit_test(the_jump_becomes_a_control),
        cmocka_unit_test(clips_weigh_what_their_space_does),
        cmocka_unit_test(groups_go_by_their_cadence),
        cmocka_unit_test(a_cadence_is_read),
        cmocka_unit_test(players_as_they_are_said),
        cmocka_unit_test(a_player_alone_moves_its_clip),
        cmocka_unit_test(smoothed_are_shared),
        cmocka_unit_test(conditions_compare_and_join),
        cmocka_unit_test(numbers_are_computed),
        cmocka_unit_test(profiles_and_updates),
        cmocka_unit_test(conditions_name_places),
        cmocka_unit_test(places_are_no_loops),
        cmocka_unit_test(what_states_emit),
        cmocka_unit_test(emitters_have_names),
        cmocka_unit_test(a_clip_played_once_drops_out),
        cmocka_unit_test(clips_in_states_take_what_they_say),
        cmocka_unit_test(machines_run_inside_states),
        cmocka_unit_test(fades_inside_fades),
        cmocka_unit_test(a_pose_fades_in_and_out_on_request),
        cmocka_unit_test(a_fade_that_restarts),
        cmocka_unit_test(a_fade_ends_with_its_clip),
        cmocka_unit_test(a_fade_by_one_event),
        cmocka_unit_test(what_a_fade_weighs),
        cmocka_unit_test(additive_clips_play),
        cmocka_unit_test(layers_fade_by_events),
        cmocka_unit_test(fades_and_machines_inside_each_other),
        cmocka_unit_test(states_that_nothing_leads_to),
        cmocka_unit_test(what_plays_has_a_place),
        cmocka_unit_test(states_that_lead_to_each_other),
        cmocka_unit_test(random_machines),
        cmocka_unit_test(motion_of_a_clip),
        cmocka_unit_test(a_part_plays),
        cmocka_unit_test(a_part_is_streamed),
        cmocka_unit_test(motion_has_a_reference_and_closes),
        cmocka_unit_test(motion_of_the_first_joint_that_travels),
        cmocka_unit_test(a_sway_is_no_motion),
        cmocka_unit_test(motion_of_a_graph),
        cmocka_unit_test(the_actual_velocity_has_a_name),
        cmocka_unit_test(malformed_texts),
        cmocka_unit_test(a_machine_of_64_states),
        cmocka_unit_test(limits),
        cmocka_unit_test(machines_inside_each_other),
        cmocka_unit_test(definitions_play_once),
        cmocka_unit_test(arguments_give_machines_of_their_own),
        cmocka_unit_test(lists_of_states),
        cmocka_unit_test(triggers_wait),
        cmocka_unit_test(triggers_wait_in_each_machine),
        cmocka_unit_test(a_machine_draws),
        cmocka_unit_test(a_choice_beside_a_chance),
        cmocka_unit_test(clips_begin_at_random_times),
        cmocka_unit_test(chances),
        cmocka_unit_test(transitions_lead_out),
        cmocka_unit_test(transitions_lead_out_by_conditions),
        cmocka_unit_test(transitions_lead_out_with_the_outer_fade),
        cmocka_unit_test(an_exit_that_is_not_emitted_gives_a_warning),
        cmocka_unit_test(conditions_become_terms),
        cmocka_unit_test(memory_that_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
