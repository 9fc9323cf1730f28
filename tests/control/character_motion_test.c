// Character motion against float64: root motion through loops, blends and fades, and desired velocity and heading.
#include "control_stage.h"

#include "../../shaders/ops/control_layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND LMB_TICKS_PER_SECOND
#define PI 3.141592653589793

enum { PARAMETERS = 16 };

static lmb_motion place_of(const stage *s) {
    return lmb_state_motion(s->control, s->state);
}

static control_def control_of(const control_player_def *players, uint32_t count,
                              const lmb_motion_def *character_motion) {
    control_def def = stage_control(players, count, PARAMETERS);
    def.event_count = 4;
    def.motion = character_motion;
    return def;
}

// A rigid motion in the plane with height, in float64: a rotation about y that turns z towards x, and a displacement.
typedef struct rigid {
    double x, y, z, yaw;
} rigid;

static rigid join(rigid a, rigid b) {
    return (rigid){a.x + b.x * cos(a.yaw) + b.z * sin(a.yaw), a.y + b.y, a.z - b.x * sin(a.yaw) + b.z * cos(a.yaw),
                   a.yaw + b.yaw};
}

static rigid invert(rigid a) {
    return (rigid){-(a.x * cos(a.yaw) - a.z * sin(a.yaw)), -a.y, -(a.x * sin(a.yaw) + a.z * cos(a.yaw)), -a.yaw};
}

// Evaluates the track at a time.
static rigid motion_at(const lmb_motion_track *track, double duration, double time) {
    const double at = time / duration * (double)(track->key_count - 1);
    uint32_t key = (uint32_t)at;
    key = key > track->key_count - 2 ? track->key_count - 2 : key;
    const float *from = track->keys + 4 * (size_t)key, *to = from + 4;
    double n[4];
    for (int i = 0; i < 4; i++) {
        n[i] = (double)from[i] + ((double)to[i] - (double)from[i]) * (at - key);
    }
    return (rigid){n[0], n[1], n[2], n[3]};
}

// The same, continued from loop to loop.
static rigid looped_motion_at(const lmb_motion_track *track, double duration, double time) {
    const double loops = floor(time / duration);
    const rigid first = motion_at(track, duration, 0.0);
    rigid round = join(invert(first), motion_at(track, duration, duration));
    rigid whole = {0};
    if (loops < 0.0) {
        round = invert(round);
    }
    for (double i = 0.0; i < fabs(loops); i += 1.0) {
        whole = join(whole, round);
    }
    return join(whole, join(invert(first), motion_at(track, duration, time - loops * duration)));
}

static rigid way(rigid from, rigid to) {
    return join(invert(from), to);
}

// The matrix is a rotation about y, then the position.
static void assert_matrix(const stage *s, const lmb_motion *place) {
    const lmb_affine matrix = lmb_state_matrix(s->control, s->state);
    const double sine = sin(place->yaw), cosine = cos(place->yaw);
    const double expected[3][4] = {{cosine, 0.0, sine, place->position[0]},
                                   {0.0, 1.0, 0.0, place->position[1]},
                                   {-sine, 0.0, cosine, place->position[2]}};
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            assert_near((double)matrix.m[row][column], expected[row][column],
                        1e-6 * fmax(1.0, fabs(expected[row][column])));
        }
    }
}

static void assert_at(const stage *s, rigid expected, double bound) {
    const lmb_motion character_motion = place_of(s);
    assert_near(character_motion.position[0], expected.x, bound);
    assert_near(character_motion.position[1], expected.y, bound);
    assert_near(character_motion.position[2], expected.z, bound);
    assert_near(remainder(character_motion.yaw - expected.yaw, 2.0 * PI), 0.0, bound);
    assert_true(character_motion.yaw >= -PI && character_motion.yaw < PI);
    // The motion for renderers is the same, rounded to floats.
    for (int i = 0; i < 3; i++) {
        assert_near((double)s->motion[i], character_motion.position[i], 1e-6 * fabs(character_motion.position[i]));
    }
    assert_near((double)s->motion[3], character_motion.yaw, 1e-6 * fabs(character_motion.yaw));
    assert_matrix(s, &character_motion);
}

static const float straight[] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.4f, 0.0f};
static const float winding[] = {0.0f, 0.0f, 0.0f, 0.0f,  0.1f, 0.05f, 0.4f, 0.3f, 0.3f, 0.0f,
                                0.7f, 0.5f, 0.2f, 0.05f, 1.1f, 0.1f,  0.4f, 0.0f, 1.4f, -0.2f};
static const float spin[] = {3.0f, 1.0f, -2.0f, 1.0f, 3.5f, 1.0f, -1.5f, 14.0f};
static const lmb_motion_track tracks[] = {{2, straight, NULL}, {5, winding, NULL}, {2, spin, NULL}};
enum { TRACKS = sizeof tracks / sizeof tracks[0] };

// For any step and rate, the displacement of a clip is that of its motion track.
static void test_ways(void **state) {
    (void)state;
    static const float rates[] = {1.0f, 0.5f, -1.0f, -2.25f, 37.0f, -64.0f, 0.0f};
    static const uint64_t steps[] = {SECOND / 60, SECOND / 7, 3 * SECOND, 11 * SECOND / 4};
    const lmb_motion_def character_motion = lmb_default_motion_def();
    for (uint32_t i = 0; i < TRACKS * LMB_END_COUNT * 7 * 4; i++) {
        const lmb_motion_track *track = &tracks[i % TRACKS];
        const lmb_end end_kind = (lmb_end)(i / TRACKS % LMB_END_COUNT);
        const float rate = rates[i / TRACKS / LMB_END_COUNT % 7];
        const uint64_t ticks = steps[i / TRACKS / LMB_END_COUNT / 7];
        control_player_def player = stage_player(1.75f, LMB_NONE);
        player.offset = 0.5f;
        player.rate = lmb_constant(rate);
        player.end = end_kind;
        player.motion = track;
        const control_def def = control_of(&player, 1, &character_motion);
        stage s = stage_begin(&def);
        for (uint32_t frame = 1; frame <= 25; frame++) {
            stage_step(&s, ticks);
            const double passed = (double)ticks / (double)SECOND * (double)rate;
            double time = 0.5 + passed * frame;
            rigid expected;
            if (end_kind == LMB_END_LOOP) {
                expected = way(looped_motion_at(track, 1.75, 0.5), looped_motion_at(track, 1.75, time));
            } else {
                if (end_kind == LMB_END_PING_PONG) {
                    time = fabs(remainder(time, 3.5));
                }
                time = fmin(fmax(time, 0.0), 1.75);
                expected = way(motion_at(track, 1.75, 0.5), motion_at(track, 1.75, time));
            }
            // Rounding errors grow with rotation and distance: at most 14 radians and 1.4 units per loop.
            const double loops = end_kind == LMB_END_LOOP ? fabs(passed) * frame / 1.75 : 1.0;
            assert_at(&s, expected, 2e-6 * (1.0 + loops * (track->keys == spin ? 14.0 : 1.0)));
        }
        stage_end(&s);
    }
}

// After a thousand loops, straight and winding, at several frame rates, the position is that of the float64 sum.
static void test_a_thousand_loops(void **state) {
    (void)state;
    static const uint64_t rates[] = {60, 144, 7};
    const lmb_motion_def character_motion = lmb_default_motion_def();
    for (uint32_t i = 0; i < TRACKS * 3; i++) {
        const lmb_motion_track *track = &tracks[i % TRACKS];
        control_player_def player = stage_player(1.0f, LMB_NONE);
        player.motion = track;
        const control_def def = control_of(&player, 1, &character_motion);
        stage s = stage_begin(&def);
        for (uint64_t frame = 0; frame < 1000 * rates[i / TRACKS]; frame++) {
            stage_step(&s, SECOND / rates[i / TRACKS]);
        }
        // 705,600,000 is a multiple of each rate, so the time is exactly a thousand loops, to the tick.
        assert_int_equal(lmb_state_player(s.control, s.state, 0).ticks, 0);
        const double distance = track->keys == spin ? 500.0 : 1400.0;
        rigid expected = looped_motion_at(track, 1.0, 1000.0);
        const lmb_motion place = place_of(&s);
        assert_near(place.position[0], expected.x, 1e-5 * distance);
        assert_near(place.position[1], expected.y, 1e-5 * distance);
        assert_near(place.position[2], expected.z, 1e-5 * distance);
        stage_end(&s);
    }
}

// Without a motion track, the clip's velocity moves the character. Without a character motion, the state stores no
// position.
static void test_velocity_of_clips(void **state) {
    (void)state;
    control_player_def player = stage_player(0.7f, LMB_NONE);
    player.velocity = 1.5f;
    player.rate = lmb_constant(-2.0f);
    const lmb_motion_def character_motion = lmb_default_motion_def();
    control_def def = control_of(&player, 1, &character_motion);
    stage s = stage_begin(&def);
    for (int frame = 0; frame < 600; frame++) {
        stage_step(&s, SECOND / 60);
    }
    assert_at(&s, (rigid){0.0, 0.0, -30.0, 0.0}, 3e-5);
    assert_near((double)lmb_state_root_motion(s.control, s.state).translation[2], -0.05, 1e-7);
    assert_true(lmb_graph_get_info(s.control)->has_motion);
    const uint32_t words = lmb_graph_get_info(s.control)->state_words;
    stage_end(&s);
    def.motion = NULL;
    s = stage_begin(&def);
    stage_step(&s, SECOND);
    assert_false(lmb_graph_get_info(s.control)->has_motion);
    assert_true(lmb_graph_get_info(s.control)->state_words < words);
    assert_int_equal(lmb_graph_get_info(s.control)->motion_words.count, 0);
    const lmb_root_displacement none = lmb_state_root_motion(s.control, s.state);
    assert_true(none.translation[0] == 0.0f && none.translation[2] == 0.0f && none.yaw == 0.0f);
    assert_true(none.rotation[1] == 0.0 && none.rotation[3] == 1.0);
    assert_true(place_of(&s).position[2] == 0.0 && s.motion[2] == 0.0f);
    stage_end(&s);
}

// Clips are weighted as the program blends them, in a group and in none. A weighted blend divides by the sum of the
// weights.
static void test_weights(void **state) {
    (void)state;
    static const float rows[][4] = {{0.25f, 0.5f, 0.25f, 1.4f * 0.25f + 3.0f * 0.5f},
                                    {1.0f, 1.0f, 0.0f, 2.2f},
                                    {0.0f, 0.0f, 0.0f, 0.0f},
                                    {3.0f, 1.0f, 0.0f, 1.8f},
                                    {3.0f, 1.0f, 4.0f, 0.9f},
                                    {-1.0f, 0.5f, 0.0f, 3.0f},
                                    {NAN, 2.0f, 0.0f, 3.0f},
                                    {INFINITY, 0.0f, 0.0f, 1.4f}};
    const lmb_motion_def character_motion = lmb_default_motion_def();
    for (uint32_t grouped = 0; grouped < 2; grouped++) {
        control_player_def players[3] = {stage_player(1.0f, 8), stage_player(1.0f, 9), stage_player(1.0f, 10)};
        players[0].motion = &tracks[0];
        players[1].velocity = 3.0f;
        // The third player does not move.
        static const uint32_t members[2] = {0, 1};
        const control_group_def group = {
            .players = members, .player_count = 2, .rate = lmb_constant(1.0f), .velocity_parameter = LMB_NONE};
        control_def def = control_of(players, 3, &character_motion);
        def.groups = &group;
        def.group_count = grouped;
        const lmb_value weights[3] = {lmb_parameter(0), lmb_parameter(1), lmb_parameter(2)};
        for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            stage s = stage_begin_with(&def, control_program_create(&def, weights));
            memcpy(s.parameters, rows[i], 3 * sizeof(float));
            stage_step(&s, SECOND / 2);
            assert_near(place_of(&s).position[2], (double)rows[i][3] / 2.0, 1e-6);
            stage_end(&s);
        }
    }
}

// Clips of different lengths in a group. With the velocity cadence, the character travels at the blended velocity; with
// the duration cadence, the speed follows from the blended rates.
static void test_cadences(void **state) {
    (void)state;
    static const double durations[2] = {0.8, 1.1}, velocities[2] = {1.25, 3.0};
    const lmb_motion_def character_motion = lmb_default_motion_def();
    for (uint32_t i = 0; i <= 20; i++) {
        for (int cadence = LMB_CADENCE_DEFAULT; cadence < LMB_CADENCE_COUNT; cadence++) {
            const double w = i / 20.0;
            control_player_def players[2];
            for (uint32_t k = 0; k < 2; k++) {
                players[k] = stage_player((float)durations[k], 8 + k);
                players[k].velocity = (float)velocities[k];
            }
            static const uint32_t members[2] = {0, 1};
            const control_group_def group = {.players = members,
                                             .player_count = 2,
                                             .cadence = (lmb_cadence)cadence,
                                             .rate = lmb_constant(1.0f),
                                             .velocity_parameter = LMB_NONE};
            control_def def = control_of(players, 2, &character_motion);
            def.groups = &group;
            def.group_count = 1;
            const lmb_value weights[2] = {lmb_constant((float)(1.0 - w)), lmb_constant((float)w)};
            stage s = stage_begin_with(&def, control_program_create(&def, weights));
            for (int frame = 0; frame < 120; frame++) {
                stage_step(&s, SECOND / 60);
            }
            const double cycles = (1.0 - w) / durations[0] + w / durations[1];
            const double stride = (1.0 - w) * velocities[0] * durations[0] + w * velocities[1] * durations[1];
            const double length = (1.0 - w) * durations[0] + w * durations[1];
            const double velocity = cadence == LMB_CADENCE_DURATION ? cycles * stride
                                    : cadence == LMB_CADENCE_LENGTH ? stride / length
                                                                    : (1.0 - w) * velocities[0] + w * velocities[1];
            // Rates are rounded to 2^-16.
            assert_near(place_of(&s).position[2], 2.0 * velocity, 1e-5 * 2.0 * velocity);
            stage_end(&s);
        }
    }
}

// A partial clip in a joint map affects root motion by the weight of the map's joint for the rig's joint 0.
static void test_partial_in_a_part(void **state) {
    (void)state;
    static const lmb_joint_def joints[2] = {
        {.name = "a", .parent = LMB_NONE, .rest = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}},
        {.name = "b", .parent = 0, .rest = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}}};
    static const uint8_t weights[2][2] = {{255, 0}, {0, 255}};
    for (int i = 0; i < 2; i++) {
        lmb_error error = {0};
        lmb_rig *rig = NULL, *other = NULL;
        lmb_clip *clips[2] = {NULL, NULL};
        assert_ok(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = 1}, NULL, &rig, &error), &error);
        assert_ok(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = 2}, NULL, &other, &error), &error);
        for (int k = 0; k < 2; k++) {
            const lmb_clip_def clip = {.name = "c", .duration = 1.0f, .joint_weights = k == 1 ? weights[i] : NULL};
            assert_ok(lmb_clip_create(other, &clip, NULL, &clips[k], &error), &error);
        }
        static const uint32_t table[1] = {1};
        const lmb_joint_map_def part = {table, 2};
        lmb_node_def nodes[4];
        for (uint32_t k = 0; k < 4; k++) {
            nodes[k] = lmb_default_node_def();
            nodes[k].op = LMB_OP_CLIP;
            nodes[k].clip = lmb_constant((float)k);
            nodes[k].time = lmb_parameter(k);
        }
        nodes[2].op = LMB_OP_PARTIAL;
        nodes[2].input_count = 2;
        nodes[2].inputs[1] = 1;
        nodes[2].weight = lmb_constant(1.0f);
        nodes[3].op = LMB_OP_COMBINE;
        nodes[3].input_count = 1;
        nodes[3].inputs[0] = 2;
        nodes[3].joint_maps[0] = 0;
        const lmb_graph_def program_def = {.rig = rig,
                                           .clips = (const lmb_clip *const *)clips,
                                           .clip_count = 2,
                                           .nodes = nodes,
                                           .node_count = 4,
                                           .parameter_count = PARAMETERS,
                                           .joint_maps = &part,
                                           .joint_map_count = 1};
        control_player_def players[2] = {stage_player(1.0f, 0), stage_player(1.0f, 1)};
        players[0].velocity = 1.0f;
        players[1].velocity = 5.0f;
        const lmb_motion_def character_motion = lmb_default_motion_def();
        const control_def def = control_of(players, 2, &character_motion);
        lmb_graph *program = NULL;
        assert_ok(lmb_graph_create(&program_def, NULL, &program, &error), &error);
        stage s = stage_begin_with(&def, program);
        stage_step(&s, SECOND);
        assert_near(place_of(&s).position[2], i == 0 ? 1.0 : 5.0, 1e-6);
        stage_end(&s);
        lmb_clip_destroy(clips[0]);
        lmb_clip_destroy(clips[1]);
        lmb_rig_destroy(rig);
        lmb_rig_destroy(other);
    }
}

// A clip that plays once moves the character until its end.
static void test_drops_out(void **state) {
    (void)state;
    control_player_def players[2] = {stage_player(0.5f, LMB_NONE), stage_player(1.0f, LMB_NONE)};
    players[0].end = LMB_END_ONCE;
    players[0].velocity = 4.0f;
    players[1].velocity = 2.0f;
    const lmb_motion_def character_motion = lmb_default_motion_def();
    const control_def def = control_of(players, 2, &character_motion);
    stage s = stage_begin(&def);
    for (int frame = 0; frame < 8; frame++) {
        stage_step(&s, SECOND / 8);
    }
    // Without a program, each player's weight is 1.
    assert_near(place_of(&s).position[2], 2.0 + 2.0, 1e-6);
    stage_end(&s);
}

// Displacement and rotation are blended like any other channel, with the weights of each frame. A pose frozen by a fade
// gives no root motion.
static void test_fades(void **state) {
    (void)state;
    for (int kind = 0; kind <= LMB_FADE_FROZEN; kind++) {
        control_player_def players[3];
        for (uint32_t i = 0; i < 3; i++) {
            players[i] = stage_player(1.0f + 0.25f * (float)i, LMB_NONE);
            players[i].machine = 0;
            players[i].state = i;
            players[i].motion = &tracks[i];
        }
        players[0].motion = NULL; // has no motion
        lmb_transition_def transitions[] = {stage_transition(0, 1, 0, 0.5f), stage_transition(1, 2, 1, 0.5f)};
        transitions[0].kind = transitions[1].kind = (lmb_fade_kind)kind;
        control_state_def states[3] = {default_control_state_def(), default_control_state_def(),
                                       default_control_state_def()};
        const control_machine_def machine = {states, 3, transitions, 2, LMB_NONE, 0, 0};
        const lmb_motion_def character_motion = lmb_default_motion_def();
        control_def def = control_of(players, 3, &character_motion);
        def.machines = &machine;
        def.machine_count = 1;
        stage s = stage_begin(&def);
        rigid expected = {0};
        for (uint32_t frame = 0; frame < 200; frame++) {
            const uint32_t event = frame == 20 ? 0 : 1;
            stage_step_with(&s, SECOND / 60, &event, frame == 20 || frame == 65);
            const uint32_t current = stage_current_state(&s, 0);
            rigid sum = {0};
            for (uint32_t i = 1; i < 3; i++) {
                const double w = (double)lmb_state_weight(s.control, s.state, 0, i);
                if (w > 0.0 && (kind == LMB_FADE_SMOOTH || i == current)) {
                    const double duration = (double)players[i].duration;
                    double time = stage_player_seconds(&s, i);
                    time = time < 1.0 / 60.0 ? time + duration : time;
                    const rigid d = way(looped_motion_at(players[i].motion, duration, time - 1.0 / 60.0),
                                        looped_motion_at(players[i].motion, duration, time));
                    sum = (rigid){sum.x + w * d.x, sum.y + w * d.y, sum.z + w * d.z, sum.yaw + w * d.yaw};
                }
            }
            expected = join(expected, sum);
            assert_at(&s, expected, 1e-5);
        }
        assert_true(fabs(expected.x) + fabs(expected.z) > 0.3);
        stage_end(&s);
    }
}

// How an inertialized machine moves the character: what remains decays by the formula of lmb_motion_def.
typedef struct remaining {
    double shown[4], offset[4];
} remaining;

static rigid add_remaining(remaining *c, rigid moved, double step, double half_life, bool switches) {
    double own[4] = {moved.x, moved.y, moved.z, moved.yaw};
    const double left = exp2(-step / half_life);
    for (int i = 0; i < 4 && step > 0.0; i++) {
        const double velocity = own[i] / step;
        c->offset[i] = switches ? c->shown[i] - velocity : c->offset[i];
        own[i] += c->offset[i] * (1.0 - left) * half_life / log(2.0);
        c->offset[i] *= left;
        c->shown[i] = velocity + c->offset[i];
    }
    return (rigid){own[0], own[1], own[2], own[3]};
}

// Without a half-life the velocity jumps. Steps differ, one of them takes no time, and a frame takes two transitions.
static void test_velocity_remains(void **state) {
    (void)state;
    for (int way_of = 0; way_of < 3; way_of++) {
        control_player_def players[3];
        for (uint32_t i = 0; i < 3; i++) {
            players[i] = stage_player(1.0f + 0.25f * (float)i, LMB_NONE);
            players[i].machine = 0;
            players[i].state = i;
            players[i].motion = &tracks[(i + 2) % 3];
        }
        players[0].motion = NULL; // stands
        lmb_transition_def transitions[] = {stage_transition(0, 1, 0, 0.5f), stage_transition(1, 2, 1, 0.25f),
                                            stage_transition(2, 0, 2, 0.3f)};
        for (int i = 0; i < 3; i++) {
            transitions[i].kind = LMB_FADE_INERTIALIZED;
        }
        control_state_def states[3] = {default_control_state_def(), default_control_state_def(),
                                       default_control_state_def()};
        const control_machine_def machine = {states, 3, transitions, 3, LMB_NONE, 0, 0};
        lmb_motion_def character_motion = lmb_default_motion_def();
        character_motion.velocity_half_life = way_of == 0 ? 0.0f : way_of == 1 ? 0.15f : 0.001f;
        control_def def = control_of(players, 3, &character_motion);
        def.machines = &machine;
        def.machine_count = 1;
        def.inertialize = true;
        def.inertia_parameters = 8;
        stage s = stage_begin(&def);
        rigid expected = {0};
        remaining own = {0};
        bool waits = false;
        for (uint32_t frame = 0; frame < 160; frame++) {
            const uint32_t events[3][2] = {{0, 1}, {1, 2}, {2, 0}};
            const uint32_t count = frame % 37 == 20 ? 1 : frame % 37 == 30 ? 2 : 0, from = stage_current_state(&s, 0);
            const uint64_t step = frame % 37 == 30 && frame < 40 ? 0 : SECOND / (40 + frame % 3 * 20);
            const double seconds = (double)step / SECOND;
            stage_step_with(&s, step, events[from], count);
            const uint32_t current = stage_current_state(&s, 0);
            rigid moved = {0};
            if (current > 0) {
                const double duration = (double)players[current].duration;
                double time = stage_player_seconds(&s, current);
                time = time < seconds ? time + duration : time;
                moved = way(looped_motion_at(players[current].motion, duration, time - seconds),
                            looped_motion_at(players[current].motion, duration, time));
            }
            waits = waits || count > 0;
            if (way_of > 0) {
                moved = add_remaining(&own, moved, seconds, (double)character_motion.velocity_half_life, waits);
            }
            waits = waits && step == 0;
            expected = join(expected, moved);
            assert_at(&s, expected, 2e-5);
        }
        assert_true(fabs(expected.x) + fabs(expected.z) > 0.3);
        stage_end(&s);
    }
}

// The root motion of a machine within a state is also scaled by that state's weight.
static void test_nested(void **state) {
    (void)state;
    control_player_def players[2] = {stage_player(1.0f, LMB_NONE), stage_player(1.0f, LMB_NONE)};
    players[0].machine = 1;
    players[0].velocity = 2.0f;
    players[1].machine = 0;
    players[1].state = 1;
    players[1].velocity = 6.0f;
    control_state_def outer[2] = {default_control_state_def(), default_control_state_def()};
    const control_state_def inner = default_control_state_def();
    const lmb_transition_def leave = stage_transition(0, 1, 0, 0.5f);
    const control_machine_def machines[2] = {{outer, 2, &leave, 1, LMB_NONE, 0, 0}, {&inner, 1, NULL, 0, 0, 0, 0}};
    const lmb_motion_def character_motion = lmb_default_motion_def();
    control_def def = control_of(players, 2, &character_motion);
    def.machines = machines;
    def.machine_count = 2;
    stage s = stage_begin(&def);
    const uint32_t event = 0;
    double expected = 0.0;
    for (int frame = 0; frame < 60; frame++) {
        stage_step_with(&s, SECOND / 60, &event, frame == 10);
        const double weight = (double)lmb_state_weight(s.control, s.state, 0, 0);
        assert_true(frame < 10 ? weight == 1.0 : weight < 1.0);
        assert_near(stage_player_weight(&s, 0), weight, 0.0);
        expected += (2.0 * weight + 6.0 * (1.0 - weight)) / 60.0;
        assert_near(place_of(&s).position[2], expected, 3e-6);
    }
    stage_end(&s);
}

// The velocity approaches the desired one at the max rate. The displacement follows exactly, and is the same at any
// frame rate.
static void test_acceleration(void **state) {
    (void)state;
    static const uint64_t rates[] = {30, 60, 144, 1};
    for (uint32_t i = 0; i < 4; i++) {
        lmb_motion_def character_motion = lmb_default_motion_def();
        character_motion.velocity[2] = lmb_parameter(0);
        character_motion.acceleration = 2.5f;
        character_motion.deceleration = 4.0f;
        character_motion.velocity_parameters[2] = 5;
        const control_def def = control_of(NULL, 0, &character_motion);
        stage s = stage_begin(&def);
        // To 3 within 1.2 s, then constant for 1.8 s; to 1 within 0.5 s, then constant for 1.5 s.
        for (uint64_t frame = 0; frame < 5 * rates[i]; frame++) {
            s.parameters[0] = frame < 3 * rates[i] ? 3.0f : 1.0f;
            stage_step(&s, SECOND / rates[i]);
            const double time = (double)(frame + 1) / (double)rates[i];
            const double fast = fmin(2.5 * time, 3.0), slow = fmax(3.0 - 4.0 * (time - 3.0), 1.0);
            assert_near((double)s.parameters[5], time <= 3.0 ? fast : slow, 2e-5);
        }
        assert_at(&s, (rigid){0.0, 0.0, 0.5 * 2.5 * 1.44 + 3.0 * 1.8 + 2.0 * 0.5 + 1.5, 0.0}, 1e-4);
        stage_end(&s);
    }
}

// Both components of the velocity change together, on a straight line from the old velocity to the new one.
static void test_changing_direction(void **state) {
    (void)state;
    lmb_motion_def character_motion = lmb_default_motion_def();
    for (uint32_t i = 0; i < 3; i++) {
        character_motion.velocity[i] = lmb_parameter(i);
        character_motion.velocity_parameters[i] = 4 + i;
    }
    character_motion.acceleration = 10.0f;
    character_motion.deceleration = 5.0f;
    const control_def def = control_of(NULL, 0, &character_motion);
    stage s = stage_begin(&def);
    static const float desired[][3] = {
        {3.0f, 0.0f, 4.0f}, {-1.0f, 2.0f, 0.0f}, {NAN, INFINITY, -2.0f}, {6.0f, 1.0f, 1.0f}};
    double v[3] = {0}, p[3] = {0};
    for (uint32_t frame = 0; frame < 160; frame++) {
        double goal[3], change[3], size = 0.0, own = 0.0, other = 0.0;
        for (int i = 0; i < 3; i++) {
            s.parameters[i] = desired[frame / 40][i];
            goal[i] = isfinite(s.parameters[i]) ? (double)s.parameters[i] : 0.0;
            change[i] = goal[i] - v[i];
            size += change[i] * change[i];
            own += v[i] * v[i];
            other += goal[i] * goal[i];
        }
        size = sqrt(size);
        const double rate = other > own ? 10.0 : 5.0, needed = size / rate, dt = 1.0 / 60.0;
        const double moving = fmin(needed, dt);
        for (int i = 0; i < 3; i++) {
            const double next = size > 0.0 ? v[i] + change[i] * moving / needed : v[i];
            p[i] += 0.5 * (v[i] + next) * moving + next * (dt - moving);
            v[i] = next;
        }
        stage_step(&s, SECOND / 60);
        for (int i = 0; i < 3; i++) {
            assert_near((double)s.parameters[4 + i], v[i], 1e-5);
        }
        assert_at(&s, (rigid){p[0], p[1], p[2], 0.0}, 2e-5);
    }
    stage_end(&s);
}

// Without max rates, the desired velocity applies immediately. Without a desired velocity, the character stands still.
static void test_no_limits(void **state) {
    (void)state;
    lmb_motion_def character_motion = lmb_default_motion_def();
    character_motion.velocity[0] = lmb_constant(2.0f);
    character_motion.turns_to_heading = true;
    character_motion.heading = lmb_parameter(0);
    const control_def def = control_of(NULL, 0, &character_motion);
    stage s = stage_begin(&def);
    s.parameters[0] = 0.0f;
    stage_step(&s, SECOND / 2);
    assert_at(&s, (rigid){1.0, 0.0, 0.0, 0.0}, 1e-6);
    // A quarter turn to the left maps x to -z. The displacement uses the middle of the turn.
    s.parameters[0] = (float)(PI / 2.0);
    stage_step(&s, SECOND / 2);
    assert_at(&s, (rigid){1.0 + sqrt(0.5), 0.0, -sqrt(0.5), PI / 2.0}, 1e-6);
    s.parameters[0] = NAN;
    stage_step(&s, SECOND / 2);
    assert_at(&s, (rigid){1.0 + sqrt(0.5), 0.0, -sqrt(0.5) - 1.0, PI / 2.0}, 1e-6);
    stage_end(&s);
}

// Turns the shorter way, at the max turn rate.
static void test_turning(void **state) {
    (void)state;
    static const float headings[] = {1.0f, -3.0f, 3.0f, 9.0f, -200.0f, 0.0f};
    lmb_motion_def character_motion = lmb_default_motion_def();
    character_motion.turns_to_heading = true;
    character_motion.heading = lmb_parameter(0);
    character_motion.turn_rate = 1.5f;
    const control_def def = control_of(NULL, 0, &character_motion);
    stage s = stage_begin(&def);
    double yaw = 0.0;
    for (uint32_t frame = 0; frame < 6 * 150; frame++) {
        s.parameters[0] = headings[frame / 150];
        const double left = remainder((double)s.parameters[0] - yaw, 2.0 * PI);
        yaw += fmax(fmin(left, 1.5 / 60.0), -1.5 / 60.0);
        stage_step(&s, SECOND / 60);
        assert_at(&s, (rigid){0.0, 0.0, 0.0, yaw}, 1e-4);
        if (frame % 150 == 149) {
            // Reaches the heading, within the precision of the float that gives it.
            assert_near(remainder(place_of(&s).yaw - (double)s.parameters[0], 2.0 * PI), 0.0,
                        1e-7 * (1.0 + fabs((double)s.parameters[0])));
        }
    }
    s.parameters[0] = INFINITY;
    stage_step(&s, SECOND);
    assert_at(&s, (rigid){0.0, 0.0, 0.0, yaw}, 1e-4);
    stage_end(&s);
}

// The host reads and sets the position. A reset stops the character but keeps its position.
static void test_setting(void **state) {
    (void)state;
    lmb_motion_def character_motion = lmb_default_motion_def();
    character_motion.velocity[2] = lmb_constant(1.0f);
    character_motion.acceleration = 1.0f;
    character_motion.velocity_parameters[2] = 3;
    const control_def def = control_of(NULL, 0, &character_motion);
    stage s = stage_begin(&def);
    lmb_error error = {0};
    const lmb_motion put = {{1234567.125, -0.25, -2147483648.0}, 7.0, {0}};
    assert_ok(lmb_state_set_motion(s.control, s.state, &put, &error), &error);
    const lmb_word_range words = lmb_graph_get_info(s.control)->motion_words;
    assert_true(words.count > 0 && words.first + words.count <= lmb_graph_get_info(s.control)->state_words);
    assert_ok(lmb_state_check(s.control, s.state, 1, &error), &error);
    stage_step(&s, 0);
    assert_at(&s, (rigid){1234567.125, -0.25, -2147483648.0, 7.0}, 1e-8);
    const lmb_motion near = {{-1e-20, 0.1, -0.3}, 0.0, {0}}; // a part of a unit is floored
    assert_ok(lmb_state_set_motion(s.control, s.state, &near, &error), &error);
    stage_step(&s, 0);
    assert_at(&s, (rigid){-0x1p-32, 0.1, -0.3, 0.0}, 0x1p-32);
    // The position stops at the end of its range.
    lmb_motion far = {{0.0, 0.0, 2147483647.5}, 0.0, {0}};
    assert_ok(lmb_state_set_motion(s.control, s.state, &far, &error), &error);
    stage_step(&s, 10 * SECOND);
    assert_true(place_of(&s).position[2] > 2147483647.9 && place_of(&s).position[2] <= 2147483648.0);
    assert_near((double)s.parameters[3], 1.0, 0.0);
    far.position[2] = 5.0;
    assert_ok(lmb_state_set_motion(s.control, s.state, &far, &error), &error);
    stage_send(&s, 0, LMB_EVENT_RESET);
    assert_near((double)s.parameters[3], 0.0, 0.0);
    assert_at(&s, (rigid){0.0, 0.0, 5.0, 0.0}, 0.0);
    memset(s.state, 0, sizeof s.state);
    stage_step(&s, 0);
    assert_at(&s, (rigid){0.0, 0.0, 0.0, 0.0}, 0.0);
    static const lmb_motion bad[] = {{{2147483648.0, 0.0, 0.0}, 0.0, {0}},
                                     {{0.0, -2147483649.0, 0.0}, 0.0, {0}},
                                     {{0.0, 0.0, NAN}, 0.0, {0}},
                                     {{0.0, 0.0, 0.0}, INFINITY, {0}}};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(lmb_state_set_motion(s.control, s.state, &bad[i], &error), LMB_ERROR_ARGUMENT);
    }
    assert_int_equal(lmb_state_set_motion(NULL, s.state, &put, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_state_set_motion(s.control, NULL, &put, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_state_set_motion(s.control, s.state, NULL, &error), LMB_ERROR_ARGUMENT);
    assert_at(&s, (rigid){0.0, 0.0, 0.0, 0.0}, 0.0);
    stage_end(&s);
    const control_def without = control_of(NULL, 0, NULL);
    s = stage_begin(&without);
    assert_int_equal(lmb_state_set_motion(s.control, s.state, &put, &error), LMB_ERROR_ARGUMENT);
    stage_end(&s);
}

// A group that reads the actual velocity. The host clears the parameter rows before each frame, and the character is
// updated in every second frame.
static void test_group_of_the_velocity(void **state) {
    (void)state;
    control_player_def player = stage_player(1.0f, 0);
    player.velocity = 1.5f;
    const uint32_t member = 0;
    const control_group_def group = {
        .players = &member, .player_count = 1, .rate = lmb_parameter(1), .velocity_parameter = 2};
    lmb_motion_def character_motion = lmb_default_motion_def();
    character_motion.velocity[2] = lmb_constant(2.0f);
    character_motion.velocity_parameters[2] = 1;
    control_def def = control_of(&player, 1, &character_motion);
    def.groups = &group;
    def.group_count = 1;
    def.update_every = lmb_constant(2.0f);
    stage s = stage_begin(&def);
    for (uint32_t i = 0; i < 5; i++) {
        memset(s.parameters, 0, sizeof s.parameters);
        stage_step(&s, SECOND / 60);
        assert_float_equal(s.parameters[1], 2.0, 1e-6);
        assert_float_equal(s.parameters[2], 3.0, 1e-5);
    }
    stage_end(&s);
}

// A character that is updated in every fourth frame travels as far. Between updates it stands still and has no root
// motion.
static void test_update_rate(void **state) {
    (void)state;
    control_player_def player = stage_player(1.0f, LMB_NONE);
    player.velocity = 2.0f;
    lmb_motion_def character_motion = lmb_default_motion_def();
    character_motion.velocity[0] = lmb_constant(1.0f);
    character_motion.velocity_parameters[0] = 2;
    control_def def = control_of(&player, 1, &character_motion);
    def.update_every = lmb_constant(4.0f);
    stage s = stage_begin(&def);
    double moved_in_all = 0.0;
    for (int frame = 0; frame < 61; frame++) {
        s.parameters[2] = 0.0f; // like a host that rewrites all rows
        stage_step(&s, SECOND / 60);
        const float moved = lmb_state_root_motion(s.control, s.state).translation[2];
        assert_int_equal(moved != 0.0f, frame % 4 == 0);
        assert_true(s.parameters[2] == 1.0f);
        moved_in_all += (double)moved;
    }
    assert_at(&s, (rigid){61.0 / 60.0, 0.0, 122.0 / 60.0, 0.0}, 1e-6);
    assert_near(moved_in_all, 122.0 / 60.0, 1e-6);
    stage_end(&s);
}

// After a save and restore, the same steps give the same bits.
static void test_rollback(void **state) {
    (void)state;
    control_player_def player = stage_player(0.9f, LMB_NONE);
    player.motion = &tracks[1];
    lmb_motion_def character_motion = lmb_default_motion_def();
    character_motion.velocity[0] = lmb_parameter(0);
    character_motion.acceleration = 1.0f;
    const control_def def = control_of(&player, 1, &character_motion);
    stage s = stage_begin(&def);
    s.parameters[0] = 3.0f;
    for (int frame = 0; frame < 30; frame++) {
        stage_step(&s, SECOND / 60);
    }
    const stage saved = s;
    uint64_t hashes[2];
    for (int round = 0; round < 2; round++) {
        s = saved;
        for (int frame = 0; frame < 30; frame++) {
            stage_step(&s, SECOND / 60);
        }
        hashes[round] = lmb_hash_words(s.state, lmb_graph_get_info(s.control)->state_words);
    }
    assert_true(hashes[0] == hashes[1]);
    assert_memory_not_equal(s.state + lmb_graph_get_info(s.control)->motion_words.first,
                            saved.state + lmb_graph_get_info(s.control)->motion_words.first, 8);
    stage_end(&s);
}

static uint32_t bits_of(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static lmb_result check(const stage *s, lmb_error *error) {
    return lmb_state_check(s->control, s->state, 1, error);
}

// The words of the character motion, in the layout of shaders/ops/control_layout.h. The position may have any value.
// The words of the actual velocity and of the clips' displacement must be finite numbers. The weight of a
// motion span stays between updates; its other words are written before they are read.
static void test_states_from_outside(void **state) {
    (void)state;
    enum { PLACE_WORDS = 7, NUMBERS = 7 };
    static const lmb_motion_track track = {5, winding, NULL};
    control_player_def player = stage_player(0.8f, 1);
    player.motion = &track;
    lmb_motion_def character_motion = lmb_default_motion_def();
    character_motion.velocity[2] = lmb_parameter(0);
    character_motion.acceleration = character_motion.deceleration = 4.0f;
    const control_def def = control_of(&player, 1, &character_motion);
    stage s = stage_begin(&def);
    const uint32_t at = lmb_graph_get_info(s.control)->motion_words.first;
    assert_int_equal(lmb_graph_get_info(s.control)->state_words, at + PLACE_WORDS + NUMBERS + WORDS_OF(MOTION_SPAN));
    s.parameters[0] = 2.0f;
    for (int frame = 0; frame < 20; frame++) {
        stage_step(&s, SECOND / 60);
    }
    lmb_error error = {0};
    assert_ok(check(&s, &error), &error);
    const stage good = s;
    const float above = nextafterf(LMB_LARGEST, INFINITY);
    const float bad[] = {NAN, INFINITY, -INFINITY, above, -above};
    for (uint32_t i = 0; i < NUMBERS; i++) {
        char message[80];
        snprintf(message, sizeof message, "state of character 0: character motion's word %u: not 0, or from 2^-40",
                 i + PLACE_WORDS);
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            s.state[at + PLACE_WORDS + i] = bits_of(bad[k]);
            assert_int_equal(check(&s, &error), LMB_ERROR_FORMAT);
            if (strstr(error.message, message) == NULL) {
                fail_msg("'%s' does not report '%s'", error.message, message);
            }
        }
        // The largest allowed value passes the check, runs, and gives a state that passes.
        for (int sign = -1; sign <= 1; sign += 2) {
            s = good;
            s.state[at + PLACE_WORDS + i] = bits_of((float)sign * LMB_LARGEST);
            assert_ok(check(&s, &error), &error);
            stage_step(&s, SECOND / 60); // checks the state
        }
        s = good;
    }
    for (uint32_t i = 0; i < PLACE_WORDS; i++) {
        static const uint32_t positions[] = {0xffffffffu, 0x80000000u, 0x7fffffffu};
        for (size_t k = 0; k < sizeof positions / sizeof *positions; k++) {
            s.state[at + i] = positions[k];
            assert_ok(check(&s, &error), &error);
            stage_step(&s, SECOND / 60); // checks the state
            s = good;
        }
    }
    stage next = good;
    stage_step(&next, SECOND / 60);
    uint32_t *span = s.state + at + PLACE_WORDS + NUMBERS;
    for (uint32_t i = 1; i < WORDS_OF(MOTION_SPAN); i++) {
        span[i] = 0xffffffffu;
    }
    span[0] = 1; // a subnormal
    assert_int_equal(check(&s, &error), LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "player 0: its weight in root motion is not 0, or from 2^-40"));
    span[0] = bits_of(-2.0f);
    assert_ok(check(&s, &error), &error);
    stage_step(&s, SECOND / 60);
    assert_memory_equal(s.state, next.state, lmb_graph_get_info(s.control)->state_words * sizeof *s.state);
    stage_end(&s);
}

static void test_refusals(void **state) {
    (void)state;
    static const float infinite[] = {0.0f, 0.0f, 0.0f, 0.0f, INFINITY, 0.0f, 0.0f, 0.0f};
    static const lmb_motion_track bad[] = {
        {2, NULL, NULL}, {1, straight, NULL}, {LMB_MAX_MOTION_KEYS + 1, straight, NULL}, {2, infinite, NULL}};
    control_player_def player = default_control_player_def();
    const lmb_motion_def good = lmb_default_motion_def();
    control_def def = control_of(&player, 1, &good);
    for (uint32_t i = 0; i < 4; i++) {
        player.motion = &bad[i];
        stage_refuse(&def, LMB_ERROR_ARGUMENT, "node 0 (clip): player: motion");
    }
    player.motion = NULL;
    lmb_motion_def character_motion = good;
    def.motion = &character_motion;
    static const float limits[] = {-1.0f, NAN, 1e-7f, 2e6f, INFINITY};
    for (uint32_t i = 0; i < 5; i++) {
        character_motion = good;
        character_motion.acceleration = limits[i];
        stage_refuse(&def, LMB_ERROR_ARGUMENT, "character motion 0: acceleration");
        character_motion = good;
        character_motion.deceleration = limits[i];
        stage_refuse(&def, LMB_ERROR_ARGUMENT, "character motion 0: deceleration");
        character_motion = good;
        character_motion.turn_rate = limits[i];
        stage_refuse(&def, LMB_ERROR_ARGUMENT, "character motion 0: turn_rate");
    }
    const float half_lives[] = {-0.1f, 10.1f, NAN, INFINITY};
    for (uint32_t i = 0; i < 4; i++) {
        character_motion = good;
        character_motion.velocity_half_life = half_lives[i];
        stage_refuse(&def, LMB_ERROR_ARGUMENT, "character motion 0: velocity_half_life");
    }
    character_motion = good;
    character_motion.velocity_half_life = 1.0f;
    character_motion.full_rotation = true;
    stage_refuse(&def, LMB_ERROR_ARGUMENT, "character motion 0: velocity_half_life");
    character_motion = good;
    character_motion.heading = lmb_parameter(PARAMETERS);
    stage_refuse(&def, LMB_ERROR_ARGUMENT, "character motion 0: heading");
    character_motion = good;
    character_motion.velocity[1] = lmb_constant(INFINITY);
    stage_refuse(&def, LMB_ERROR_ARGUMENT, "character motion 0: velocity");
    character_motion = good;
    character_motion.velocity_parameters[1] = PARAMETERS;
    stage_refuse(&def, LMB_ERROR_ARGUMENT, "character motion 0: velocity_parameters");
    character_motion.velocity_parameters[1] = 2;
    character_motion.velocity[2] = lmb_parameter(2);
    stage_refuse(&def, LMB_ERROR_ARGUMENT, "character motion 0: velocity: reads what the character motion writes");
    character_motion.velocity[2] = lmb_constant(0.0f);
    character_motion.heading = lmb_parameter(2);
    stage_refuse(&def, LMB_ERROR_ARGUMENT, "character motion 0: heading: reads what the character motion writes");
    character_motion = good;
    character_motion.velocity_parameters[0] = 2;
    const lmb_smoothed_def smoothed = lmb_smoothed_parameter(lmb_parameter(2), 1.0f, 3);
    def.smoothed = &smoothed;
    def.smoothed_count = 1;
    stage_refuse(&def, LMB_ERROR_ARGUMENT, "smoothed parameter 0: source: reads what the character motion writes");
    def.smoothed_count = 0;
    character_motion.velocity_parameters[1] = 2;
    stage_refuse(&def, LMB_ERROR_ARGUMENT, "character motion 0: velocity_parameters: something else writes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_a_thousand_loops),
        cmocka_unit_test(test_velocity_of_clips),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_cadences),
        cmocka_unit_test(test_partial_in_a_part),
        cmocka_unit_test(test_drops_out),
        cmocka_unit_test(test_fades),
        cmocka_unit_test(test_velocity_remains),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_acceleration),
        cmocka_unit_test(test_changing_direction),
        cmocka_unit_test(test_no_limits),
        cmocka_unit_test(test_turning),
        cmocka_unit_test(test_setting),
        cmocka_unit_test(test_update_rate),
        cmocka_unit_test(test_group_of_the_velocity),
        cmocka_unit_test(test_rollback),
        cmocka_unit_test(test_states_from_outside),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
