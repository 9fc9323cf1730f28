// Players, groups and their rates beside those of other engines: a table of peer, case, number and tolerance. Numbers
// of three.js were printed by its AnimationMixer (r187); those of the others follow from their documentation or source.
#include "control_stage.h"

#include <limber/cpu.h>
#include <math.h>

#define QUARTER (LMB_TICKS_PER_SECOND / 4)

enum { LOOPED = 1, ENDED };

typedef struct peer_row {
    const char *peer, *about;
    double (*ours)(const struct peer_row *row);
    double number, tolerance;
    // A clip of a second that plays in steps of a quarter of a second.
    lmb_end end;
    uint32_t repetitions, steps;
    float rate;
    bool drops_out;
    // Clips in a group.
    float lengths[3], weights[3];
    // A rate that changes at a constant speed, after 0.25 s at rate 1; or a delay.
    float seconds, target, delay;
    float part[2]; // of a take
} peer_row;

// Runs the clip of a row. Returns the sum of the passes of an event; 0 without one.
static int32_t play(const peer_row *row, stage *s, uint32_t event) {
    control_player_def player = stage_player(1.0f, 0);
    player.end = row->end;
    player.repetitions = row->repetitions;
    player.drops_out = row->drops_out;
    player.rate = lmb_constant(row->rate);
    player.looped_event = LOOPED;
    player.ended_event = ENDED;
    player.weight_parameter = 1;
    control_def def = stage_control(&player, 1, 2);
    def.event_count = ENDED + 1;
    *s = stage_begin(&def);
    int32_t passes = 0;
    for (uint32_t i = 0; i < row->steps; i++) {
        stage_step(s, QUARTER);
        for (uint32_t k = 0; k < lmb_emitted_count(s->control, s->emitted); k++) {
            const lmb_emitted_event emitted = lmb_emitted_event_at(s->emitted, k);
            passes += emitted.event == event ? emitted.passes : 0;
        }
    }
    return passes;
}

static double time_of(const peer_row *row) {
    stage s;
    play(row, &s, LMB_NONE);
    const double time = stage_player_seconds(&s, 0);
    stage_end(&s);
    return time;
}

static double weight_of(const peer_row *row) {
    stage s;
    play(row, &s, LMB_NONE);
    const double weight = s.parameters[1];
    stage_end(&s);
    return weight;
}

static double repetitions_of(const peer_row *row) {
    stage s;
    play(row, &s, LMB_NONE);
    const double count = lmb_state_player(s.control, s.state, 0).repetitions;
    stage_end(&s);
    return count;
}

static double looped_by(const peer_row *row) {
    stage s;
    const double passes = play(row, &s, LOOPED);
    stage_end(&s);
    return passes;
}

static double ended_by(const peer_row *row) {
    stage s;
    const double passes = play(row, &s, ENDED);
    stage_end(&s);
    return passes;
}

// A group of clips, for a second in a step.
#define LENGTHS(...) .lengths = {__VA_ARGS__}
#define WEIGHTS(...) .weights = {__VA_ARGS__}

// How many cycles a group's first clip plays in a second.
static double cycles_of(const peer_row *row) {
    control_player_def players[3];
    lmb_value weights[3];
    uint32_t count = 0;
    for (; count < 3 && row->lengths[count] > 0.0f; count++) {
        players[count] = stage_player(row->lengths[count], count);
        weights[count] = lmb_constant(row->weights[count]);
    }
    players[0].looped_event = LOOPED;
    const control_group_def group = {.players = (const uint32_t[]){0, 1, 2},
                                     .player_count = count,
                                     .cadence = LMB_CADENCE_LENGTH,
                                     .rate = lmb_constant(1.0f),
                                     .velocity_parameter = LMB_NONE};
    control_def def = stage_control(players, count, count);
    def.event_count = LOOPED + 1;
    def.groups = &group;
    def.group_count = 1;
    stage s = stage_begin_with(&def, control_program_create(&def, weights));
    stage_step(&s, LMB_TICKS_PER_SECOND);
    const lmb_emitted_event emitted = lmb_emitted_event_at(s.emitted, 0);
    const double cycles = emitted.passes + stage_player_seconds(&s, 0) / (double)row->lengths[0];
    stage_end(&s);
    return cycles;
}

// The time in a looping clip of a second, `steps` of 1/8 s after its rate began to change.
static double time_of_warped(const peer_row *row) {
    lmb_smoothed_def rate = lmb_smoothed_parameter(lmb_parameter(1), 0.0f, 2);
    rate.speed = 1.0f / row->seconds;
    control_player_def player = stage_player(1.0f, 0);
    player.rate = lmb_parameter(2);
    control_def def = stage_control(&player, 1, 3);
    def.smoothed = &rate;
    def.smoothed_count = 1;
    stage s = stage_begin(&def);
    s.parameters[1] = 1.0f;
    stage_step(&s, QUARTER);
    s.parameters[1] = row->target;
    for (uint32_t i = 0; i < row->steps; i++) {
        stage_step(&s, QUARTER / 2);
    }
    const double time = stage_player_seconds(&s, 0);
    stage_end(&s);
    return time;
}

// A take of two seconds in which a joint moves by 1 m a second. Returns the position after some seconds of a part.
static double position_in_part(const peer_row *row) {
    static const float times[2] = {0.0f, 2.0f}, moves[6] = {0.0f, 0.0f, 0.0f, 2.0f, 0.0f, 0.0f};
    static const lmb_track_def track = {0, LMB_PROPERTY_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, times, moves};
    const lmb_joint_def joint = lmb_default_joint_def();
    lmb_rig *rig = NULL;
    lmb_clip *take = NULL, *part = NULL;
    lmb_graph *graph = NULL;
    lmb_cpu *cpu = NULL;
    float local[LMB_POSE_COMPONENTS];
    assert_int_equal(lmb_rig_create(&(lmb_rig_def){.joints = &joint, .joint_count = 1}, NULL, &rig, NULL), LMB_OK);
    assert_int_equal(lmb_clip_create(rig, &(lmb_clip_def){.tracks = &track, .track_count = 1}, NULL, &take, NULL),
                     LMB_OK);
    const lmb_clip_part_def def = {.start = row->part[0], .end = row->part[1]};
    assert_int_equal(lmb_clip_cut(rig, take, &def, NULL, &part, NULL), LMB_OK);
    const lmb_clip *clips[1] = {part};
    const lmb_node_def node = lmb_clip_node(0, lmb_constant(row->seconds));
    const lmb_graph_def graph_def = {.rig = rig, .clips = clips, .clip_count = 1, .nodes = &node, .node_count = 1};
    assert_int_equal(lmb_graph_create(&graph_def, NULL, &graph, NULL), LMB_OK);
    assert_int_equal(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, NULL), LMB_OK);
    const lmb_batch_def batch = {graph, 1, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = local}};
    assert_int_equal(lmb_cpu_run(cpu, &batch, &(lmb_batch_inputs){0}, &outputs, NULL), LMB_OK);
    lmb_cpu_destroy(cpu);
    lmb_graph_destroy(graph);
    lmb_clip_destroy(part);
    lmb_clip_destroy(take);
    lmb_rig_destroy(rig);
    return (double)local[0];
}

static double time_of_delayed(const peer_row *row) {
    control_player_def player = stage_player(1.0f, 0);
    player.delay = row->delay;
    const control_def def = stage_control(&player, 1, 1);
    stage s = stage_begin(&def);
    for (uint32_t i = 0; i < row->steps; i++) {
        stage_step(&s, QUARTER);
    }
    const double time = stage_player_seconds(&s, 0);
    stage_end(&s);
    return time;
}

// A clip of a second at rate 0.5, and after 0.75 s a state with one of two seconds at this rate, which begins at the
// time of the first. Returns the time in the second one after `steps` more.
static double time_of_synced(const peer_row *row) {
    control_player_def players[2] = {stage_player(1.0f, 0), stage_player(2.0f, 1)};
    control_state_def states[2] = {default_control_state_def(), default_control_state_def()};
    for (uint32_t i = 0; i < 2; i++) {
        players[i].machine = 0;
        players[i].state = i;
        players[i].rate = lmb_constant(0.5f);
    }
    players[1].sync = 1; // with the first
    const lmb_transition_def transition = stage_transition(0, 1, LOOPED, 10.0f);
    const control_machine_def machine = {states, 2, &transition, 1, LMB_NONE, 0, 0};
    control_def def = stage_control(players, 2, 2);
    def.event_count = LOOPED + 1;
    def.machines = &machine;
    def.machine_count = 1;
    stage s = stage_begin(&def);
    stage_step(&s, 3 * QUARTER);
    stage_send(&s, QUARTER, LOOPED);
    for (uint32_t i = 1; i < row->steps; i++) {
        stage_step(&s, QUARTER);
    }
    const double time = stage_player_seconds(&s, 1);
    stage_end(&s);
    return time;
}

#define WARP(to, time, count) .target = (to), .seconds = (time), .steps = (count)
#define LOOP(times, way, count) .end = LMB_END_LOOP, .repetitions = (times), .rate = (way), .steps = (count)
#define PING_PONG(times, count) .end = LMB_END_PING_PONG, .repetitions = (times), .rate = 1.0f, .steps = (count)
#define THREE "three.js"

static const peer_row rows[] = {
    {THREE, "LoopRepeat, 3: time", time_of, 0.0, 1e-6, LOOP(3, 1.0f, 8)},
    {THREE, "LoopRepeat, 3: time in the last loop", time_of, 0.75, 1e-6, LOOP(3, 1.0f, 11)},
    {THREE, "LoopRepeat, 3: time at the end", time_of, 1.0, 1e-6, LOOP(3, 1.0f, 12)},
    {THREE, "LoopRepeat, 3: time after the end", time_of, 1.0, 1e-6, LOOP(3, 1.0f, 16)},
    {THREE, "LoopRepeat, 3: sum of loopDelta", looped_by, 2.0, 0.0, LOOP(3, 1.0f, 16)},
    {THREE, "LoopRepeat, 3: direction of finished", ended_by, 1.0, 0.0, LOOP(3, 1.0f, 16)},
    {THREE, "LoopRepeat, 3, steps of two loops: time", time_of, 0.0, 1e-6, LOOP(3, 8.0f, 1)},
    {THREE, "LoopRepeat, 3, steps of two loops: loopDelta", looped_by, 2.0, 0.0, LOOP(3, 8.0f, 1)},
    {THREE, "LoopRepeat, 3, backwards: time", time_of, 0.75, 1e-6, LOOP(3, -1.0f, 9)},
    {THREE, "LoopRepeat, 3, backwards: time at the end", time_of, 0.0, 1e-6, LOOP(3, -1.0f, 12)},
    {THREE, "LoopRepeat, 3, backwards: time after the end", time_of, 0.0, 1e-6, LOOP(3, -1.0f, 16)},
    {THREE, "LoopRepeat, 3, backwards: sum of loopDelta", looped_by, -3.0, 0.0, LOOP(3, -1.0f, 16)},
    {THREE, "LoopRepeat, 3, backwards: direction of finished", ended_by, -1.0, 0.0, LOOP(3, -1.0f, 16)},
    {THREE, "LoopRepeat, Infinity: sum of loopDelta", looped_by, 4.0, 0.0, LOOP(0, 1.0f, 16)},
    {THREE, "LoopRepeat, 2, without clampWhenFinished: weight before", weight_of, 1.0, 0.0, LOOP(2, 1.0f, 7),
     .drops_out = true},
    {THREE, "LoopRepeat, 2, without clampWhenFinished: weight after", weight_of, 0.0, 0.0, LOOP(2, 1.0f, 9),
     .drops_out = true},
    {THREE, "LoopPingPong, 3: time there", time_of, 0.75, 1e-6, PING_PONG(3, 3)},
    {THREE, "LoopPingPong, 3: time back", time_of, 0.25, 1e-6, PING_PONG(3, 7)},
    {THREE, "LoopPingPong, 3: time there again", time_of, 0.25, 1e-6, PING_PONG(3, 9)},
    {THREE, "LoopPingPong, 3: time after the end", time_of, 1.0, 1e-6, PING_PONG(3, 13)},
    {THREE, "LoopPingPong, 3: sum of loopDelta", looped_by, 2.0, 0.0, PING_PONG(3, 16)},
    {THREE, "LoopPingPong, 3: direction of finished", ended_by, 1.0, 0.0, PING_PONG(3, 16)},
    {THREE, "LoopPingPong, 2: time after the end", time_of, 0.0, 1e-6, PING_PONG(2, 16)},
    {THREE, "LoopPingPong, 2: sum of loopDelta", looped_by, 1.0, 0.0, PING_PONG(2, 16)},
    {THREE, "halt(1): time after 1/8 s", time_of_warped, 0.359375, 2e-6, WARP(0.0f, 1.0f, 1)},
    {THREE, "halt(1): time after 1/2 s", time_of_warped, 0.59375, 2e-6, WARP(0.0f, 1.0f, 4)},
    {THREE, "halt(1): time where it stops", time_of_warped, 0.6875, 2e-6, WARP(0.0f, 1.0f, 8)},
    {THREE, "halt(1): time later", time_of_warped, 0.6875, 2e-6, WARP(0.0f, 1.0f, 12)},
    {THREE, "warp(1, 2, 0.5): time after 1/4 s", time_of_warped, 0.59375, 2e-6, WARP(2.0f, 0.5f, 2)},
    {THREE, "warp(1, 2, 0.5): time after 1/2 s", time_of_warped, 0.0625, 2e-6, WARP(2.0f, 0.5f, 4)},
    {THREE, "warp(1, 2, 0.5): time after 1 s", time_of_warped, 0.0625, 2e-6, WARP(2.0f, 0.5f, 8)},
    {THREE, "startAt(0.4): time after 1/4 s", time_of_delayed, 0.0, 1e-6, .delay = 0.4f, .steps = 1},
    {THREE, "startAt(0.4): time after 1/2 s", time_of_delayed, 0.1, 1e-6, .delay = 0.4f, .steps = 2},
    {THREE, "startAt(0.4): time after 5/4 s", time_of_delayed, 0.85, 1e-6, .delay = 0.4f, .steps = 5},
    {THREE, "startAt(0.4): time after 3/2 s", time_of_delayed, 0.1, 1e-6, .delay = 0.4f, .steps = 6},
    {THREE, "syncWith: time after 1/4 s", time_of_synced, 0.5, 1e-6, .steps = 1},
    {THREE, "syncWith: time after 1 s", time_of_synced, 0.875, 1e-6, .steps = 4},
    {THREE, "syncWith: time after 3/2 s", time_of_synced, 1.125, 1e-6, .steps = 6},
    // ModelImporterClipAnimation with loopTime at 30 frames a second: a clip of its own, which begins at its first
    // frame.
    {"Unity", "firstFrame 9, lastFrame 24: frame after 0.7 s", position_in_part, 15.0 / 30.0, 1e-6,
     .part = {0.3f, 0.8f}, .seconds = 0.7f},
    // AnimationNodeAnimation with use_custom_timeline, LOOP_LINEAR and without stretch_time_scale.
    {"Godot", "start_offset 0.25, timeline_length 0.5: position after 0.625 s", position_in_part, 0.375, 1e-6,
     .part = {0.25f, 0.75f}, .seconds = 0.625f},
    // ActiveAnimation::update(), is_finished() and completions().
    {"Bevy", "RepeatAnimation::Count(2): completions on the way", repetitions_of, 1.0, 0.0, LOOP(2, 1.0f, 6)},
    {"Bevy", "RepeatAnimation::Count(2): completions", repetitions_of, 2.0, 0.0, LOOP(2, 1.0f, 12)},
    // Each blends the lengths of the clips in a blend space: Unity's blend trees, Unreal's sample data, Godot's
    // AnimationNodeBlendSpace1D with sync.
    {"Unity, Unreal, Godot", "walk of 1 s and run of 0.5 s: cycles a second", cycles_of, 1.0 / 0.75, 2e-5,
     LENGTHS(1.0f, 0.5f), WEIGHTS(0.5f, 0.5f)},
    {"Unity, Unreal, Godot", "three gaits: cycles a second", cycles_of, 1.0 / 0.94, 2e-5, LENGTHS(1.2f, 0.9f, 0.8f),
     WEIGHTS(0.3f, 0.2f, 0.5f)},
    {"Bevy", "RepeatAnimation::Count(2): time after the end", time_of, 1.0, 0.0, LOOP(2, 1.0f, 12)},
};

static void players_match_their_peers(void **state) {
    (void)state;
    uint32_t failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const peer_row *row = &rows[i];
        const double ours = row->ours(row);
        if (!(fabs(ours - row->number) <= row->tolerance)) {
            print_error("%s: %s: %.9g, here %.9g\n", row->peer, row->about, row->number, ours);
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(players_match_their_peers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
