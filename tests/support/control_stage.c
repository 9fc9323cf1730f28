#include "control_stage.h"

#include "refusal.h"

#include <math.h>

static const lmb_joint_def root = {
    .name = "root", .parent = LMB_NONE, .rest = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};

static void expect_made(lmb_result result, const lmb_error *error) {
    if (result != LMB_OK) {
        fail_msg("%s", error->message);
    }
}

stage stage_begin_with(const control_def *def, lmb_graph *program) {
    stage s = {.program = program};
    lmb_error error = {0};
    expect_made(control_create(def, program, NULL, &s.control, &error), &error);
    assert_in_range(lmb_graph_get_info(s.control)->state_words, 1, STAGE_WORDS);
    assert_in_range(lmb_graph_get_info(s.control)->emitted_words, 1, STAGE_EMITTED_WORDS);
    assert_in_range(def->parameter_count, 0, STAGE_PARAMETERS);
    return s;
}

stage stage_begin(const control_def *def) {
    return stage_begin_with(def, NULL);
}

void stage_end(stage *s) {
    lmb_graph_destroy(s->control);
    lmb_graph_destroy(s->program);
}

void stage_step_with(stage *s, uint64_t ticks, const uint32_t *events, uint32_t count) {
    lmb_event sent[32];
    assert_in_range(count, 0, 32);
    for (uint32_t i = 0; i < count; i++) {
        sent[i] = (lmb_event){0, events[i]};
    }
    memset(s->emitted, 0xff, sizeof s->emitted); // all words of the row are overwritten
    const lmb_control_frame frame = {.step = ticks,
                                     .number = s->number++,
                                     .character_count = 1,
                                     .state = s->state,
                                     .parameters = s->parameters,
                                     .events = sent,
                                     .event_count = count,
                                     .emitted = s->emitted,
                                     .motions = s->motion};
    lmb_error error = {0};
    expect_made(lmb_control_run(s->control, &frame, 0, 1, &error), &error);
    expect_made(lmb_state_check(s->control, s->state, 1, &error), &error);
    const uint32_t emitted = lmb_emitted_count(s->control, s->emitted);
    for (uint32_t i = 0; i < emitted; i++) {
        const uint32_t event = lmb_emitted_event_at(s->emitted, i).event;
        assert_in_range(event, 0, STAGE_EVENTS - 1);
        s->counts[event]++;
    }
    for (uint32_t i = 1 + emitted * LMB_EMITTED_EVENT_WORDS; i < lmb_graph_get_info(s->control)->emitted_words; i++) {
        assert_int_equal(s->emitted[i], 0);
    }
}

void stage_send(stage *s, uint64_t ticks, uint32_t event) {
    stage_step_with(s, ticks, &event, 1);
}

void stage_step(stage *s, uint64_t ticks) {
    stage_step_with(s, ticks, NULL, 0);
}

uint32_t stage_current_state(const stage *s, uint32_t machine) {
    return lmb_state_current(s->control, s->state, machine);
}

double stage_player_seconds(const stage *s, uint32_t player) {
    return (double)lmb_state_player(s->control, s->state, player).ticks / (double)LMB_TICKS_PER_SECOND;
}

double stage_player_weight(const stage *s, uint32_t player) {
    return lmb_state_player(s->control, s->state, player).weight;
}

void stage_refuse(const control_def *def, lmb_result expected, const char *message) {
    lmb_graph *control = (lmb_graph *)(uintptr_t)def; // must become NULL
    lmb_error error = {0};
    CHECK_REFUSAL(control_create(def, NULL, NULL, &control, &error), &error, expected, message);
    assert_null(control);
}

void assert_near(double actual, double expected, double bound) {
    if (!(fabs(actual - expected) <= bound)) {
        fail_msg("%.9g is not within %g of %.9g", actual, bound, expected);
    }
}

control_player_def stage_player(float duration, uint32_t time_parameter) {
    control_player_def player = default_control_player_def();
    player.duration = duration;
    player.time_parameter = time_parameter;
    return player;
}

control_def stage_control(const control_player_def *players, uint32_t count, uint32_t parameter_count) {
    control_def def = default_control_def();
    def.parameter_count = parameter_count;
    def.players = players;
    def.player_count = count;
    return def;
}

lmb_transition_def stage_transition(uint32_t from, uint32_t to, uint32_t event, float fade) {
    lmb_transition_def transition = lmb_default_transition_def();
    transition.from = from;
    transition.to = to;
    transition.event = event;
    transition.fade = fade;
    return transition;
}

lmb_graph *control_program_create_of(const lmb_node_def *nodes, uint32_t node_count, uint32_t parameter_count) {
    static const uint8_t mask[] = {CONTROL_PROGRAM_MASK};
    static const uint8_t *const masks[] = {mask};
    lmb_error error = {0};
    lmb_rig *rig = NULL;
    expect_made(lmb_rig_create(&(lmb_rig_def){.joints = &root, .joint_count = 1}, NULL, &rig, &error), &error);
    lmb_clip *clips[2] = {NULL};
    for (uint32_t i = 0; i < 2; i++) {
        const lmb_clip_def still = {.name = "still", .duration = 1.0f, .additive = i == 1};
        expect_made(lmb_clip_create(rig, &still, NULL, &clips[i], &error), &error);
    }
    const lmb_graph_def program_def = {.rig = rig,
                                       .clips = (const lmb_clip *const *)clips,
                                       .clip_count = 2,
                                       .masks = masks,
                                       .mask_count = 1,
                                       .nodes = nodes,
                                       .node_count = node_count,
                                       .parameter_count = parameter_count};
    lmb_graph *program = NULL;
    expect_made(lmb_graph_create(&program_def, NULL, &program, &error), &error);
    lmb_clip_destroy(clips[0]);
    lmb_clip_destroy(clips[1]);
    lmb_rig_destroy(rig);
    return program;
}

lmb_graph *control_program_create(const control_def *def, const lmb_value *weights) {
    lmb_node_def nodes[LMB_MAX_INPUTS + 1];
    assert_in_range(def->player_count, 2, LMB_MAX_INPUTS);
    lmb_node_def *sum = &nodes[def->player_count];
    *sum = lmb_default_node_def();
    sum->op = LMB_OP_WEIGHTED;
    sum->input_count = def->player_count;
    for (uint32_t i = 0; i < def->player_count; i++) {
        nodes[i] = lmb_default_node_def();
        nodes[i].op = LMB_OP_CLIP;
        nodes[i].time = lmb_parameter(def->players[i].time_parameter);
        sum->inputs[i] = i;
        sum->weights[i] = weights[i];
    }
    return control_program_create_of(nodes, def->player_count + 1, def->parameter_count);
}
