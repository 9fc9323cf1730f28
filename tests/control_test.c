// The control on the CPU: players, groups, followers, machines against what their formulas say.
#include "suite.h"

#include <limber/control.h>

#include <math.h>
#include <string.h>

#define SIXTIETH (LMB_TICKS_PER_SECOND / 60)
#define MOST_WORDS 1024
#define MOST_TOLD 64

// One character with what it runs.
typedef struct stage {
    lmb_control *control;
    uint32_t state[MOST_WORDS];
    uint32_t told[1 + 2 * MOST_TOLD];
    float parameters[64];
    uint32_t number;
} stage;

static stage begin(const lmb_control_def *def) {
    stage s = {0};
    lmb_error error = {0};
    if (lmb_control_create(def, NULL, &s.control, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(lmb_control_state_words(s.control) <= MOST_WORDS);
    assert_true(lmb_control_told_words(s.control) <= 1 + 2 * MOST_TOLD);
    return s;
}

static void step_with(stage *s, uint64_t ticks, const uint32_t *events, uint32_t count) {
    lmb_event sent[32];
    for (uint32_t i = 0; i < count; i++) {
        sent[i] = (lmb_event){0, events[i]};
    }
    const lmb_control_frame frame = {.step = ticks,
                                     .number = s->number++,
                                     .character_count = 1,
                                     .state = s->state,
                                     .parameters = s->parameters,
                                     .events = sent,
                                     .event_count = count,
                                     .told = s->told};
    lmb_error error = {0};
    if (lmb_control_run(s->control, &frame, 0, 1, &error) != LMB_OK ||
        lmb_control_check_states(s->control, s->state, 1, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

static void step(stage *s, uint64_t ticks) {
    step_with(s, ticks, NULL, 0);
}

static void end(stage *s) {
    lmb_control_destroy(s->control);
}

static void assert_near(double actual, double expected, double bound) {
    if (!(fabs(actual - expected) <= bound)) {
        fail_msg("%.9g is not within %g of %.9g", actual, bound, expected);
    }
}

static lmb_control_def control_of(lmb_player_def *player) {
    lmb_control_def def = lmb_default_control_def();
    def.parameter_count = 8;
    def.event_count = 32;
    def.told_capacity = MOST_TOLD;
    def.players = player;
    def.player_count = 1;
    player->time_parameter = 0;
    player->weight_parameter = 1;
    return def;
}

// A day at 60 Hz ends on the sum of its steps, to the tick.
static void test_a_day(void **state) {
    (void)state;
    lmb_player_def player = lmb_default_player_def();
    player.duration = 1.75f;
    const lmb_control_def def = control_of(&player);
    stage s = begin(&def);
    const uint32_t frames = (suite_is_slow() ? 1 : 24) * 60 * 60 * 60;
    for (uint32_t i = 0; i < frames; i++) {
        step(&s, SIXTIETH);
    }
    const uint64_t duration = LMB_TICKS_PER_SECOND * 7 / 4;
    assert_int_equal(lmb_control_player_ticks(s.control, s.state, 0), frames * (uint64_t)SIXTIETH % duration);
    end(&s);
}

// What a player does at its ends, at several rates and steps, against fmod in float64.
static void test_places(void **state) {
    (void)state;
    static const float rates[] = {1.0f, 0.5f, 2.25f, -1.0f, -0.75f, 37.0f, -64.0f, 0.0f};
    static const double steps[] = {1.0 / 60, 1.0 / 144, 0.4, 7.0, 59.0};
    for (int end_kind = 0; end_kind < LMB_END_COUNT; end_kind++) {
        for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
            for (size_t t = 0; t < sizeof steps / sizeof *steps; t++) {
                lmb_player_def player = lmb_default_player_def();
                player.duration = 1.3f;
                player.offset = 0.4f;
                player.end = (lmb_end)end_kind;
                player.rate = lmb_constant(rates[r]);
                const lmb_control_def def = control_of(&player);
                stage s = begin(&def);
                const uint64_t ticks = (uint64_t)llround(steps[t] * (double)LMB_TICKS_PER_SECOND);
                const double d = player.duration;
                double x = player.offset;
                for (int i = 0; i < 50; i++) {
                    step(&s, ticks);
                    x += (double)ticks / (double)LMB_TICKS_PER_SECOND * (double)rates[r];
                    double expected = 0.0;
                    if (end_kind == LMB_END_LOOP) {
                        expected = x - d * floor(x / d);
                    } else if (end_kind == LMB_END_PING_PONG) {
                        double y = x - 2 * d * floor(x / (2 * d));
                        expected = y < d ? y : 2 * d - y;
                    } else {
                        x = x < 0 ? 0 : x > d ? d : x;
                        expected = x;
                    }
                    double off = fabs((double)s.parameters[0] - expected);
                    off = end_kind == LMB_END_LOOP && off > d / 2 ? d - off : off;
                    assert_near(off, 0.0, 1e-6);
                    bool stays = x <= 0.0 || x >= d;
                    bool out = end_kind == LMB_END_ONCE && stays && rates[r] != 0.0f;
                    assert_float_equal(s.parameters[1], (out ? 0.0f : 1.0f), 0.0f);
                }
                end(&s);
            }
        }
    }
}

// The same total of steps gives the same place, to the bit, whatever its parts.
static void test_steps_add_up(void **state) {
    (void)state;
    lmb_player_def player = lmb_default_player_def();
    player.duration = 0.9f;
    player.rate = lmb_constant(1.37f);
    const lmb_control_def def = control_of(&player);
    stage fine = begin(&def), coarse = begin(&def);
    for (int i = 0; i < 144 * 20; i++) {
        step(&fine, LMB_TICKS_PER_SECOND / 144);
    }
    for (int i = 0; i < 30 * 20; i++) {
        step(&coarse, LMB_TICKS_PER_SECOND / 30);
    }
    assert_int_equal(memcmp(fine.parameters, coarse.parameters, sizeof fine.parameters), 0);
    assert_int_equal(memcmp(fine.state, coarse.state, sizeof fine.state), 0);
    end(&fine);
    end(&coarse);
}

// How often an unwrapped time passes a notify: from float64, for any way there and back.
static uint32_t count_passes(const stage *s, uint32_t event) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->told[0]; i++) {
        count += s->told[1 + 2 * i] == event;
    }
    return count;
}

static void test_notifies(void **state) {
    (void)state;
    static const lmb_notify_def notifies[] = {{0.0f, 0}, {0.25f, 1}, {0.5f, 2}, {1.0f, 3}};
    for (int backwards = 0; backwards < 2; backwards++) {
        lmb_player_def player = lmb_default_player_def();
        player.duration = 1.0f;
        player.notifies = notifies;
        player.notify_count = 4;
        player.looped_event = 9;
        player.rate = lmb_constant(backwards ? -1.0f : 1.0f);
        const lmb_control_def def = control_of(&player);
        stage s = begin(&def);
        uint32_t counts[4] = {0}, loops = 0;
        for (int i = 0; i < 600; i++) { // ten seconds
            step(&s, SIXTIETH);
            for (uint32_t event = 0; event < 4; event++) {
                counts[event] += count_passes(&s, event);
            }
            loops += count_passes(&s, 9);
        }
        for (uint32_t event = 0; event < 4; event++) {
            assert_int_equal(counts[event], 10);
        }
        assert_int_equal(loops, 10);
        // Several rounds in one step, in the order of passing.
        step(&s, 3 * LMB_TICKS_PER_SECOND);
        assert_int_equal(s.told[0], 13);
        static const uint32_t forwards[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 9};
        static const uint32_t back[] = {3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 9};
        for (uint32_t i = 0; i < 13; i++) {
            assert_int_equal(s.told[1 + 2 * i], backwards ? back[i] : forwards[i]);
        }
        end(&s);
    }
}

static void test_notifies_there_and_back(void **state) {
    (void)state;
    static const lmb_notify_def notifies[] = {{0.0f, 0}, {0.25f, 1}, {1.0f, 3}};
    for (int backwards = 0; backwards < 2; backwards++) {
        lmb_player_def player = lmb_default_player_def();
        player.duration = 1.0f;
        player.end = LMB_END_PING_PONG;
        player.notifies = notifies;
        player.notify_count = 3;
        player.looped_event = 9;
        player.rate = lmb_constant(backwards ? -1.0f : 1.0f);
        const lmb_control_def def = control_of(&player);
        static const uint64_t steps[] = {SIXTIETH, SIXTIETH / 7, LMB_TICKS_PER_SECOND};
        for (int k = 0; k < 3; k++) {
            stage s = begin(&def);
            uint32_t counts[10] = {0};
            for (uint64_t passed = 0; passed < 20 * LMB_TICKS_PER_SECOND; passed += steps[k]) {
                step(&s, steps[k]);
                for (uint32_t event = 0; event < 10; event++) {
                    counts[event] += count_passes(&s, event);
                }
            }
            assert_int_equal(counts[0], 10); // once for each time there
            assert_int_equal(counts[1], 20);
            assert_int_equal(counts[3], 10);
            end(&s);
        }
    }
}

static void test_ended_once(void **state) {
    (void)state;
    static const lmb_notify_def notifies[] = {{1.0f, 3}};
    lmb_player_def player = lmb_default_player_def();
    player.duration = 1.0f;
    player.end = LMB_END_ONCE;
    player.ended_event = 5;
    player.notifies = notifies;
    player.notify_count = 1;
    const lmb_control_def def = control_of(&player);
    stage s = begin(&def);
    for (int i = 1; i <= 120; i++) {
        step(&s, SIXTIETH);
        assert_int_equal(s.told[0], i == 60 ? 2 : 0);
        assert_float_equal(s.parameters[1], (i < 60 ? 1.0f : 0.0f), 0.0f);
    }
    // And begun anew.
    const uint32_t reset = LMB_EVENT_RESET;
    step_with(&s, SIXTIETH, &reset, 1);
    assert_near(s.parameters[0], 1.0 / 60, 1e-7);
    assert_float_equal(s.parameters[1], 1.0f, 0.0f);
    end(&s);
}

static void test_told_overflow(void **state) {
    (void)state;
    static const lmb_notify_def notifies[] = {{0.1f, 0}, {0.2f, 1}};
    lmb_player_def player = lmb_default_player_def();
    player.duration = 0.25f;
    player.notifies = notifies;
    player.notify_count = 2;
    lmb_control_def def = control_of(&player);
    def.told_capacity = 3;
    stage s = begin(&def);
    step(&s, 10 * LMB_TICKS_PER_SECOND); // 40 rounds
    assert_int_equal(s.told[0], 80);
    assert_int_equal(s.told[1], 0);
    assert_int_equal(s.told[3], 1);
    assert_int_equal(s.told[5], 0);
    assert_int_equal(lmb_control_state_counts(s.control, s.state).told_lost, 77);
    end(&s);
}

// t_run = mod((t_walk - o_walk + d_walk) d_run / d_walk + o_run, d_run), and the rate lerp(f, 1, d_walk / d_run).
static void test_two_in_phase(void **state) {
    (void)state;
    lmb_player_def players[2] = {lmb_default_player_def(), lmb_default_player_def()};
    const double d_walk = (double)1.2f, d_run = (double)0.7f, o_walk = (double)0.3f, o_run = (double)0.1f;
    players[0].duration = 1.2f;
    players[0].offset = 0.3f;
    players[0].velocity = 1.4f;
    players[0].time_parameter = 2;
    players[1].duration = 0.7f;
    players[1].offset = 0.1f;
    players[1].velocity = 4.0f;
    players[1].time_parameter = 3;
    lmb_group_player members[2] = {{0, lmb_parameter(0)}, {1, lmb_parameter(1)}};
    const lmb_group_def group = {members, 2, lmb_constant(1.0f), 4};
    lmb_control_def def = lmb_default_control_def();
    def.parameter_count = 8;
    def.players = players;
    def.player_count = 2;
    def.groups = &group;
    def.group_count = 1;
    stage s = begin(&def);
    double walk = o_walk;
    for (int i = 0; i < 2000; i++) {
        const double f = 0.5 + 0.5 * sin(i * 0.01);
        s.parameters[0] = (float)(1.0 - f);
        s.parameters[1] = (float)f;
        step(&s, SIXTIETH);
        walk = fmod(walk + (1.0 / 60) * ((1.0 - f) + f * d_walk / d_run), d_walk);
        double off = fabs((double)s.parameters[2] - walk);
        assert_near(off > d_walk / 2 ? d_walk - off : off, 0.0, 1e-3); // rates are rounded to 1/65,536: 2,000 of them
        const double exact = fmod(((double)s.parameters[2] - o_walk + d_walk) * d_run / d_walk + o_run, d_run);
        off = fabs((double)s.parameters[3] - exact);
        assert_near(off > d_run / 2 ? d_run - off : off, 0.0, 1e-6);
        assert_near(s.parameters[4], (1.0 - f) * (double)1.4f + f * 4.0, 1e-5);
    }
    end(&s);
}

// Markers: where the leader is half way between its left and right foot, so is every other.
static void test_markers(void **state) {
    (void)state;
    static const float left[] = {0.1f, 0.4f, 0.9f}, right[] = {0.3f, 1.0f, 1.1f};
    lmb_player_def players[2] = {lmb_default_player_def(), lmb_default_player_def()};
    players[0].duration = 1.0f;
    players[0].markers = left;
    players[0].marker_count = 3;
    players[0].time_parameter = 0;
    players[1].duration = 2.0f;
    players[1].markers = right;
    players[1].marker_count = 3;
    players[1].time_parameter = 1;
    lmb_group_player members[2] = {{0, lmb_constant(1.0f)}, {1, lmb_constant(0.0f)}};
    const lmb_group_def group = {members, 2, lmb_constant(1.0f), LMB_NONE};
    lmb_control_def def = lmb_default_control_def();
    def.parameter_count = 2;
    def.players = players;
    def.player_count = 2;
    def.groups = &group;
    def.group_count = 1;
    stage s = begin(&def);
    for (int i = 0; i < 500; i++) {
        step(&s, SIXTIETH);
        double p = s.parameters[0];
        double from = left[2], until = 1.0 + (double)left[0], to = right[2], size = 2.0 + (double)right[0] - to;
        if (p < (double)left[0]) {
            p += 1.0;
        } else if (p < (double)left[1]) {
            from = left[0], until = left[1], to = right[0], size = (double)right[1] - to;
        } else if (p < (double)left[2]) {
            from = left[1], until = left[2], to = right[1], size = (double)right[2] - to;
        }
        double expected = fmod(to + (p - from) / (until - from) * size, 2.0);
        double off = fabs((double)s.parameters[1] - expected);
        assert_near(off > 1.0 ? 2.0 - off : off, 0.0, 2e-6);
    }
    end(&s);
}

static void test_followers(void **state) {
    (void)state;
    const lmb_follower_def followers[] = {{lmb_parameter(0), 0.5f, 1}, {lmb_parameter(1), 0.0f, 2}};
    lmb_control_def def = lmb_default_control_def();
    def.parameter_count = 3;
    def.followers = followers;
    def.follower_count = 2;
    stage s = begin(&def);
    s.parameters[0] = 2.0f;
    step(&s, SIXTIETH);
    assert_float_equal(s.parameters[1], 2.0f, 0.0f);
    s.parameters[0] = 10.0f;
    for (int i = 1; i <= 120; i++) {
        step(&s, SIXTIETH);
        assert_near(s.parameters[1], 10.0 - 8.0 * pow(2.0, -i / 60.0 / 0.5), 1e-4);
        assert_float_equal(s.parameters[2], s.parameters[1], 0.0f);
    }
    float before = s.parameters[1];
    s.parameters[0] = NAN;
    step(&s, SIXTIETH);
    assert_float_equal(s.parameters[1], before, 0.0f);
    end(&s);
}

// A machine of three states on clips of a second: a and b by events, c by b's end.
enum { GO, BACK, CHAIN, ENTERED, LEFT, EVENTS };

typedef struct small_machine {
    lmb_machine_def machine;
    lmb_state_def states[3];
    lmb_player_def players[3];
    lmb_transition_def transitions[4];
} small_machine;

static lmb_control_def describe_small(lmb_fade_kind kind, small_machine *small) {
    for (uint32_t i = 0; i < 3; i++) {
        small->players[i] = lmb_default_player_def();
        small->players[i].duration = 1.0f;
        small->players[i].end = i == 1 ? LMB_END_HOLD : LMB_END_LOOP;
        small->players[i].machine = 0;
        small->players[i].state = i;
        small->players[i].time_parameter = i;
        small->states[i] = lmb_default_state_def();
        small->states[i].weight_parameter = 3 + i;
        small->states[i].end_player = i;
    }
    small->states[1].entry_event = ENTERED;
    small->states[1].exit_event = LEFT;
    for (uint32_t i = 0; i < 4; i++) {
        small->transitions[i] = lmb_default_transition_def();
        small->transitions[i].fade = 0.5f;
        small->transitions[i].curve = LMB_CURVE_LINEAR;
        small->transitions[i].kind = kind;
    }
    small->transitions[0].from = 0;
    small->transitions[0].to = 1;
    small->transitions[0].event = GO;
    small->transitions[1].from = 1;
    small->transitions[1].to = 2;
    small->transitions[1].at_end = true;
    small->transitions[2].to = 0;
    small->transitions[2].event = BACK;
    small->transitions[3].from = 2;
    small->transitions[3].to = 1;
    small->transitions[3].event = CHAIN;
    small->machine = (lmb_machine_def){small->states, 3, small->transitions, 4, LMB_NONE, 0};
    lmb_control_def def = lmb_default_control_def();
    def.parameter_count = 8;
    def.event_count = EVENTS;
    def.players = small->players;
    def.player_count = 3;
    def.machines = &small->machine;
    def.machine_count = 1;
    return def;
}

static void test_machine(void **state) {
    (void)state;
    small_machine small;
    const lmb_control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    stage s = begin(&def);
    step(&s, SIXTIETH);
    assert_int_equal(lmb_control_current_state(s.control, s.state, 0), 0);
    assert_float_equal(s.parameters[3], 1.0f, 0.0f);
    const uint32_t go = GO, back = BACK;
    step_with(&s, SIXTIETH, &go, 1);
    assert_int_equal(lmb_control_current_state(s.control, s.state, 0), 1);
    assert_float_equal(s.parameters[3], 1.0f, 0.0f); // the fade begins
    assert_int_equal(s.told[0], 1);
    assert_int_equal(s.told[1], ENTERED);
    for (int i = 1; i <= 15; i++) {
        step(&s, SIXTIETH);
        assert_near(s.parameters[4], i / 30.0, 1e-6);
        assert_near(s.parameters[3], 1.0 - i / 30.0, 1e-6);
    }
    assert_near(s.parameters[0], 17 / 60.0, 1e-6); // both play
    assert_near(s.parameters[1], 15 / 60.0, 1e-6); // begun on entry
    // Interrupted half way, back to what is still seen: no weight jumps, and its clip goes on where it is.
    float before[3] = {s.parameters[3], s.parameters[4], s.parameters[0]};
    step_with(&s, SIXTIETH, &back, 1);
    assert_near(s.parameters[3], before[0] - 1 / 30.0, 1e-6);
    for (int i = 1; i <= 30; i++) {
        float last = s.parameters[3];
        step(&s, SIXTIETH);
        assert_near(s.parameters[3] + s.parameters[4] + s.parameters[5], 1.0, 1e-6);
        assert_true(s.parameters[3] >= last && s.parameters[3] - last < 0.05f);
    }
    assert_float_equal(s.parameters[3], 1.0f, 0.0f);
    assert_float_equal(s.parameters[4], 0.0f, 0.0f);
    assert_near(s.parameters[0], fmod((double)before[2] + 31 / 60.0, 1.0), 1e-6);
    // On END, a second after entry, to the frame.
    step_with(&s, SIXTIETH, &go, 1);
    for (int i = 1; i <= 60; i++) {
        assert_int_equal(lmb_control_current_state(s.control, s.state, 0), 1);
        step(&s, SIXTIETH);
    }
    assert_int_equal(lmb_control_current_state(s.control, s.state, 0), 2);
    end(&s);
}

static void test_frozen_fade(void **state) {
    (void)state;
    small_machine small;
    const lmb_control_def def = describe_small(LMB_FADE_FROZEN, &small);
    stage s = begin(&def);
    step(&s, SIXTIETH);
    const uint32_t go = GO;
    step_with(&s, SIXTIETH, &go, 1);
    float stopped = s.parameters[0];
    for (int i = 0; i < 20; i++) {
        step(&s, SIXTIETH);
        assert_float_equal(s.parameters[0], stopped, 0.0f);
    }
    assert_near(s.parameters[1], 20 / 60.0, 1e-6);
    end(&s);
}

static lmb_control_def describe_inertialized(small_machine *small) {
    lmb_control_def def = describe_small(LMB_FADE_INERTIALIZED, small);
    def.parameter_count = 8 + LMB_INERTIA_PARAMETERS;
    def.inertialize = true;
    def.inertia_parameters = 8;
    return def;
}

// What is told of a switch, from frame to frame.
static void expect_inertia(const stage *s, uint32_t number, double step, uint32_t switched, double time,
                           double duration) {
    const float *written = s->parameters + 8;
    assert_float_equal(written[LMB_INERTIA_NUMBER], (float)number, 0.0f);
    assert_near(written[LMB_INERTIA_STEP], step, 1e-8);
    assert_float_equal(written[LMB_INERTIA_SWITCHED], (float)switched, 0.0f);
    assert_near(written[LMB_INERTIA_TIME], time, 1e-7);
    assert_near(written[LMB_INERTIA_DURATION], duration, 0.0);
}

static void test_inertialized(void **state) {
    (void)state;
    small_machine small;
    lmb_control_def def = describe_inertialized(&small);
    small.transitions[2].fade = 0.25f;
    stage s = begin(&def);
    const uint32_t go = GO, back = BACK, both[] = {GO, BACK};
    // A character's first frame has nothing before it.
    step_with(&s, SIXTIETH, &go, 1);
    assert_int_equal(lmb_control_current_state(s.control, s.state, 0), 1);
    expect_inertia(&s, 1, 0.0, 1, 1 / 60.0, 0.0);
    step_with(&s, SIXTIETH, &back, 1);
    expect_inertia(&s, 2, 1 / 60.0, 2, 1 / 60.0, 0.25);
    for (uint32_t i = 3; i <= 15; i++) {
        step(&s, SIXTIETH);
        expect_inertia(&s, i, 1 / 60.0, 2, (i - 1) / 60.0, 0.25);
    }
    // The new state alone weighs, and the old one does not go on.
    step_with(&s, 2 * SIXTIETH, &go, 1);
    expect_inertia(&s, 16, 1 / 60.0, 16, 2 / 60.0, 0.5);
    assert_float_equal(s.parameters[3], 0.0f, 0.0f);
    assert_float_equal(s.parameters[4], 1.0f, 0.0f);
    const float stopped = s.parameters[0];
    step(&s, SIXTIETH);
    expect_inertia(&s, 17, 2 / 60.0, 16, 3 / 60.0, 0.5);
    assert_float_equal(s.parameters[0], stopped, 0.0f);
    assert_near(s.parameters[1], 1 / 60.0, 1e-6);
    assert_int_equal(lmb_control_check_states(s.control, s.state, 1, NULL), LMB_OK);
    // Over once its time has passed.
    for (uint32_t i = 18; i <= 43; i++) {
        step(&s, SIXTIETH);
        expect_inertia(&s, i, 1 / 60.0, 16, (i - 14) / 60.0, 0.5);
    }
    step(&s, SIXTIETH);
    expect_inertia(&s, 44, 1 / 60.0, 16, 0.0, 0.0);
    // Of several in a frame the longest counts, from wherever it goes.
    step_with(&s, SIXTIETH, &back, 1);
    step_with(&s, SIXTIETH, both, 2);
    assert_int_equal(lmb_control_current_state(s.control, s.state, 0), 0);
    expect_inertia(&s, 46, 1 / 60.0, 46, 1 / 60.0, 0.5);
    end(&s);
}

// Begun anew, a character has nothing before it, and no frame the number of one that was shown: what is remembered of that
// one would be taken for its own.
static void test_inertialized_and_begun_anew(void **state) {
    (void)state;
    small_machine small;
    lmb_control_def def = describe_inertialized(&small);
    stage s = begin(&def);
    const uint32_t go = GO, reset = LMB_EVENT_RESET, anew[] = {LMB_EVENT_RESET, GO};
    step(&s, SIXTIETH);
    step_with(&s, SIXTIETH, &go, 1);
    expect_inertia(&s, 2, 1 / 60.0, 2, 1 / 60.0, 0.5);
    step_with(&s, SIXTIETH, &reset, 1);
    expect_inertia(&s, 4, 0.0, 0, 0.0, 0.0);
    step_with(&s, SIXTIETH, &go, 1);
    expect_inertia(&s, 5, 1 / 60.0, 5, 1 / 60.0, 0.5);
    step_with(&s, SIXTIETH, anew, 2);
    expect_inertia(&s, 7, 0.0, 7, 1 / 60.0, 0.0);
    // Past the largest number.
    s.state[lmb_control_state_words(s.control) - 7] = LMB_INERTIA_LAST_NUMBER;
    step_with(&s, SIXTIETH, &reset, 1);
    expect_inertia(&s, 1, 0.0, 0, 0.0, 0.0);
    end(&s);
}

// The longest fade and step that there are make no state that is refused: step_with() checks it.
static void test_inertialized_for_the_longest_time(void **state) {
    (void)state;
    small_machine small;
    lmb_control_def def = describe_inertialized(&small);
    def.update_every = lmb_constant(16.0f);
    small.transitions[0].fade = LMB_MAX_CONTROL_SECONDS;
    stage s = begin(&def);
    const uint32_t go = GO;
    step(&s, LMB_MAX_STEP_TICKS);
    step_with(&s, LMB_MAX_STEP_TICKS, &go, 1);
    for (uint32_t i = 0; i < 2000; i++) {
        step(&s, LMB_MAX_STEP_TICKS);
    }
    end(&s);
}

// Frames in which a character stands still are none.
static void test_inertialized_with_updates_left_out(void **state) {
    (void)state;
    small_machine small;
    lmb_control_def def = describe_inertialized(&small);
    def.update_every = lmb_constant(4.0f);
    stage s = begin(&def);
    for (uint32_t i = 0; i < 9; i++) {
        step(&s, SIXTIETH);
        expect_inertia(&s, 1 + (s.number - 1) / 4, i < 8 ? (i < 4 ? 0.0 : 1 / 60.0) : 4 / 60.0, 0, 0.0, 0.0);
    }
    const uint32_t go = GO;
    step_with(&s, SIXTIETH, &go, 1);
    expect_inertia(&s, 4, 4 / 60.0, 4, 1 / 60.0, 0.5);
    step(&s, SIXTIETH);
    expect_inertia(&s, 4, 4 / 60.0, 4, 1 / 60.0, 0.5);
    end(&s);
}

static void test_inertia_of_foreign_states(void **state) {
    (void)state;
    small_machine small;
    lmb_control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    def.parameter_count = 13;
    def.inertia_parameters = 8;
    stage plain = begin(&def);
    const uint32_t words = lmb_control_state_words(plain.control);
    end(&plain);
    def.inertialize = true;
    stage s = begin(&def);
    assert_int_equal(lmb_control_state_words(s.control), words + 7);
    step(&s, SIXTIETH);
    assert_int_equal(lmb_control_check_states(s.control, s.state, 1, NULL), LMB_OK);
    for (uint32_t i = 0; i < 7; i++) {
        const uint32_t kept = s.state[words + i];
        s.state[words + i] = 0xffffffffu; // no number, and past every time
        const bool is_low = i == 4;       // of a time it may be anything
        assert_int_equal(lmb_control_check_states(s.control, s.state, 1, NULL), is_low ? LMB_OK : LMB_ERROR_FORMAT);
        s.state[words + i] = kept;
    }
    end(&s);
}

// Events are taken in the order sent; one that nobody takes is gone.
static void test_order_of_events(void **state) {
    (void)state;
    small_machine small;
    const lmb_control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    stage s = begin(&def);
    const uint32_t first[] = {GO, BACK}, second[] = {BACK, GO}, lost = CHAIN;
    step_with(&s, SIXTIETH, first, 2);
    assert_int_equal(lmb_control_current_state(s.control, s.state, 0), 0);
    step_with(&s, SIXTIETH, second, 2);
    assert_int_equal(lmb_control_current_state(s.control, s.state, 0), 1);
    step_with(&s, SIXTIETH, &lost, 1);
    for (int i = 0; i < 70; i++) {
        step(&s, SIXTIETH);
    }
    assert_int_equal(lmb_control_current_state(s.control, s.state, 0), 2);
    // Sixteen are taken, further ones counted; of sixteen, eight small.transitions.
    uint32_t many[20];
    for (uint32_t i = 0; i < 20; i++) {
        many[i] = i % 2 ? BACK : GO;
    }
    const uint32_t back = BACK;
    step_with(&s, SIXTIETH, &back, 1);
    step_with(&s, SIXTIETH, many, 20);
    assert_int_equal(lmb_control_state_counts(s.control, s.state).events_lost, 4);
    assert_int_equal(lmb_control_state_counts(s.control, s.state).transitions_left, 1);
    assert_int_equal(lmb_control_current_state(s.control, s.state, 0), 0);
    end(&s);
}

// Conditions, priorities, delays, and transitions that need no event one after another.
static void test_conditions(void **state) {
    (void)state;
    lmb_state_def states[4];
    for (uint32_t i = 0; i < 4; i++) {
        states[i] = lmb_default_state_def();
    }
    const lmb_term fast[] = {{LMB_TERM_GREATER, lmb_parameter(0), lmb_constant(1.0f)},
                             {LMB_TERM_LESS_EQUAL, lmb_parameter(1), lmb_constant(0.0f)},
                             {LMB_TERM_AND, lmb_constant(0), lmb_constant(0)}};
    const lmb_term either[] = {{LMB_TERM_GREATER_EQUAL, lmb_parameter(0), lmb_constant(5.0f)},
                               {LMB_TERM_EQUAL, lmb_parameter(1), lmb_constant(7.0f)},
                               {LMB_TERM_OR, lmb_constant(0), lmb_constant(0)}};
    lmb_transition_def transitions[3] = {lmb_default_transition_def(), lmb_default_transition_def(),
                                         lmb_default_transition_def()};
    transitions[0].from = 0;
    transitions[0].to = 1;
    transitions[0].terms = fast;
    transitions[0].term_count = 3;
    transitions[1].from = 0;
    transitions[1].to = 2;
    transitions[1].terms = either;
    transitions[1].term_count = 3;
    transitions[1].priority = 1;
    transitions[2].from = 1;
    transitions[2].to = 3;
    transitions[2].after = 0.25f;
    const lmb_machine_def machine = {states, 4, transitions, 3, LMB_NONE, 0};
    lmb_control_def def = lmb_default_control_def();
    def.parameter_count = 2;
    def.machines = &machine;
    def.machine_count = 1;
    static const struct {
        float x, y;
        uint32_t state;
    } cases[] = {{0, 0, 0}, {1, 0, 0}, {1.5f, 0, 1}, {1.5f, 0.5f, 0}, {5, 0, 2},
                 {5, 1, 2}, {0, 7, 2}, {NAN, 0, 0},  {2, NAN, 0},     {INFINITY, -1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage s = begin(&def);
        s.parameters[0] = cases[i].x;
        s.parameters[1] = cases[i].y;
        step(&s, SIXTIETH);
        assert_int_equal(lmb_control_current_state(s.control, s.state, 0), cases[i].state);
        for (int frame = 1; frame <= 15; frame++) {
            assert_int_equal(lmb_control_current_state(s.control, s.state, 0), cases[i].state);
            step(&s, SIXTIETH);
        }
        assert_int_equal(lmb_control_current_state(s.control, s.state, 0), cases[i].state == 1 ? 3 : cases[i].state);
        end(&s);
    }
}

// A machine within a state begins anew with it, and rests while the state is not current.
static void test_nested(void **state) {
    (void)state;
    lmb_state_def states[4];
    for (uint32_t i = 0; i < 4; i++) {
        states[i] = lmb_default_state_def();
        states[i].weight_parameter = i;
    }
    lmb_transition_def outer[2] = {lmb_default_transition_def(), lmb_default_transition_def()};
    lmb_transition_def inner = lmb_default_transition_def();
    outer[0].from = 0;
    outer[0].to = 1;
    outer[0].event = GO;
    outer[0].fade = 0.0f;
    outer[1].from = 1;
    outer[1].to = 0;
    outer[1].event = BACK;
    outer[1].fade = 0.1f;
    inner.from = 0;
    inner.to = 1;
    inner.event = CHAIN;
    inner.fade = 0.1f;
    const lmb_machine_def machines[] = {{states, 2, outer, 2, LMB_NONE, 0}, {states + 2, 2, &inner, 1, 0, 1}};
    lmb_control_def def = lmb_default_control_def();
    def.parameter_count = 4;
    def.event_count = EVENTS;
    def.machines = machines;
    def.machine_count = 2;
    stage s = begin(&def);
    const uint32_t go = GO, back = BACK, chain = CHAIN;
    step_with(&s, SIXTIETH, &chain, 1);
    assert_int_equal(lmb_control_current_state(s.control, s.state, 1), 0); // its state is not current
    step_with(&s, SIXTIETH, &go, 1);
    step_with(&s, SIXTIETH, &chain, 1);
    assert_int_equal(lmb_control_current_state(s.control, s.state, 1), 1);
    step_with(&s, SIXTIETH, &back, 1);
    for (int i = 0; i < 10; i++) {
        step_with(&s, SIXTIETH, &chain, 1);
    }
    step_with(&s, SIXTIETH, &go, 1);
    assert_int_equal(lmb_control_current_state(s.control, s.state, 1), 0); // begun anew
    end(&s);
}

// Updated every 4th frame, a character has moved as far as one that is updated in each.
static void test_update_rate(void **state) {
    (void)state;
    lmb_player_def player = lmb_default_player_def();
    player.duration = 0.7f;
    lmb_control_def def = control_of(&player);
    stage always = begin(&def);
    def.update_every = lmb_constant(4.0f);
    stage seldom = begin(&def);
    uint32_t changes = 0;
    for (uint32_t i = 0; i < 400; i++) {
        float last = seldom.parameters[0];
        step(&always, SIXTIETH);
        step(&seldom, SIXTIETH);
        changes += seldom.parameters[0] != last;
        if (i % 4 == 0) {
            assert_float_equal(seldom.parameters[0], always.parameters[0], 0.0f);
        }
    }
    assert_int_equal(changes, 100);
    end(&always);
    end(&seldom);
}

// A state copied away and back gives the same bits again.
static void test_rollback(void **state) {
    (void)state;
    small_machine small;
    const lmb_control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    stage s = begin(&def);
    const uint32_t go = GO, back = BACK;
    for (int i = 0; i < 30; i++) {
        step_with(&s, SIXTIETH, &go, i % 7 == 3);
    }
    stage saved = s;
    for (int i = 0; i < 100; i++) {
        step_with(&s, SIXTIETH, &back, i % 31 == 5);
    }
    for (int i = 0; i < 100; i++) {
        step_with(&saved, SIXTIETH, &back, i % 31 == 5);
    }
    assert_int_equal(memcmp(s.state, saved.state, sizeof s.state), 0);
    assert_int_equal(memcmp(s.parameters, saved.parameters, sizeof s.parameters), 0);
    assert_int_equal(lmb_control_hash(s.state, MOST_WORDS), lmb_control_hash(saved.state, MOST_WORDS));
    end(&s);
}

static void test_sorting(void **state) {
    (void)state;
    lmb_event events[1000], scratch[1000];
    uint32_t random = 1;
    for (uint32_t count = 0; count <= 1000; count += count < 20 ? 1 : 163) {
        for (uint32_t i = 0; i < count; i++) {
            random = random * 1664525u + 1013904223u;
            events[i] = (lmb_event){random >> 24, i};
        }
        lmb_control_sort_events(events, scratch, count);
        for (uint32_t i = 1; i < count; i++) {
            bool in_order = events[i - 1].character < events[i].character ||
                            (events[i - 1].character == events[i].character && events[i - 1].event < events[i].event);
            assert_true(in_order);
        }
    }
}

static void expect_refusal(const lmb_control_def *def, const char *part) {
    lmb_control *control = (lmb_control *)&control;
    lmb_error error = {0};
    lmb_result result = lmb_control_create(def, NULL, &control, &error);
    if (result == LMB_OK || strstr(error.message, part) == NULL) {
        fail_msg("'%s' does not tell of '%s'", error.message, part);
    }
    assert_null(control);
}

static void test_refusals(void **state) {
    (void)state;
    small_machine small;
#define REFUSED(change, part)                                                                                          \
    {                                                                                                                  \
        lmb_control_def def = describe_small(LMB_FADE_SMOOTH, &small);                                                 \
        change;                                                                                                        \
        expect_refusal(&def, part);                                                                                    \
    }
    static const lmb_notify_def notifies[] = {{0.5f, 0}, {0.25f, 0}};
    static const float markers[] = {0.5f, 0.5f};
    const lmb_group_player member = {0, lmb_constant(1.0f)};
    const lmb_group_player twice[] = {{0, lmb_constant(1.0f)}, {0, lmb_constant(1.0f)}};
    const lmb_group_player held = {1, lmb_constant(1.0f)};
    const lmb_group_def groups[] = {{&member, 1, lmb_constant(1.0f), LMB_NONE},
                                    {twice, 2, lmb_constant(1.0f), LMB_NONE},
                                    {&held, 1, lmb_constant(1.0f), LMB_NONE}};
    const lmb_term join = {LMB_TERM_AND, lmb_constant(0), lmb_constant(0)};
    const lmb_term two[] = {{LMB_TERM_LESS, lmb_constant(0), lmb_constant(0)},
                            {LMB_TERM_LESS, lmb_constant(0), lmb_constant(0)}};
    const lmb_term reads = {LMB_TERM_LESS, lmb_parameter(0), lmb_constant(0)};
    const lmb_follower_def itself = {lmb_parameter(7), 1.0f, 7}, nowhere = {lmb_parameter(7), 1.0f, LMB_NONE};
    REFUSED(small.players[0].duration = -1.0f, "player 0: duration");
    REFUSED(small.players[1].duration = NAN, "player 1: duration");
    REFUSED(small.players[0].offset = 2.0f, "player 0: offset");
    REFUSED(small.players[0].end = LMB_END_COUNT, "player 0: end");
    REFUSED(small.players[0].rate = lmb_parameter(8), "player 0: rate");
    REFUSED(small.players[0].rate = lmb_parameter(3), "player 0: rate: reads");
    REFUSED(small.players[0].ended_event = 77, "player 0: ended_event");
    REFUSED(small.players[0].looped_event = 77, "player 0: looped_event");
    REFUSED(small.players[0].machine = 1, "player 0: machine");
    REFUSED(small.players[0].state = 3, "player 0: state");
    REFUSED(small.players[0].velocity = INFINITY, "player 0: velocity");
    REFUSED(small.players[0].time_parameter = 8, "player 0: time_parameter");
    REFUSED(small.players[0].time_parameter = 1, "player 1: time_parameter: something else");
    REFUSED((small.players[0].notifies = notifies, small.players[0].notify_count = 2), "player 0: notifies");
    REFUSED((small.players[0].notifies = NULL, small.players[0].notify_count = 2), "player 0: notifies");
    REFUSED((small.players[0].markers = markers, small.players[0].marker_count = 2), "player 0: markers");
    REFUSED(small.players[0].marker_count = 17, "player 0: markers");
    REFUSED((def.groups = groups + 1, def.group_count = 1), "group 0: place 1: player");
    REFUSED((def.groups = groups, def.group_count = 2), "group 1: place 0: player");
    REFUSED((def.groups = groups + 2, def.group_count = 1), "group 0: place 0: player");
    REFUSED(small.machine.state_count = 0, "machine 0: states");
    REFUSED(small.machine.machine = 0, "machine 0: machine");
    REFUSED(small.states[0].end_player = 3, "state 0: end_player");
    REFUSED(small.states[0].entry_event = 99, "state 0: entry_event");
    REFUSED(small.transitions[0].to = 3, "machine 0: transition 0: to");
    REFUSED(small.transitions[0].from = 3, "machine 0: transition 0: from");
    REFUSED(small.transitions[0].event = LMB_NONE, "machine 0: transition 0: event");
    REFUSED(small.transitions[0].event = 99, "machine 0: transition 0: event");
    REFUSED(small.transitions[0].fade = NAN, "machine 0: transition 0: fade");
    REFUSED(small.transitions[0].after = INFINITY, "machine 0: transition 0: after");
    REFUSED(small.transitions[0].curve = LMB_CURVE_BEZIER, "machine 0: transition 0: curve");
    REFUSED(small.transitions[0].curve = LMB_CURVE_TENT, "machine 0: transition 0: curve");
    REFUSED(small.transitions[0].kind = LMB_FADE_COUNT, "machine 0: transition 0: kind");
    REFUSED(small.transitions[0].kind = LMB_FADE_INERTIALIZED, "machine 0: transition 0: kind: the control does not");
    REFUSED((def.inertialize = true, def.inertia_parameters = 6),
            "inertia parameter 2: inertia_parameters: there is no");
    REFUSED((def.inertialize = true, def.inertia_parameters = LMB_NONE), "inertia_parameters: there is no");
    REFUSED(def.inertialize = true, "inertia parameter 0: inertia_parameters: something else");
    REFUSED((def.parameter_count = 13, def.inertialize = true, def.inertia_parameters = 8,
             small.players[0].rate = lmb_parameter(9)),
            "player 0: rate: reads");
    REFUSED(small.states[1].end_player = LMB_NONE, "machine 0: transition 1: at_end");
    REFUSED((small.transitions[0].terms = &join, small.transitions[0].term_count = 1), "terms: nothing to join");
    REFUSED((small.transitions[0].terms = two, small.transitions[0].term_count = 2), "terms: they do not come to one");
    REFUSED((small.transitions[0].terms = &reads, small.transitions[0].term_count = 1), "terms: left: reads");
    REFUSED((def.followers = &itself, def.follower_count = 1), "follower 0: source");
    REFUSED((def.followers = &nowhere, def.follower_count = 1), "follower 0: parameter");
    REFUSED(def.update_every = lmb_parameter(99), "update_every");
    REFUSED(def.parameter_count = 2000, "too many");
    REFUSED(def.players = NULL, "players are NULL");
#undef REFUSED
    lmb_control *none = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_control_create(NULL, NULL, &none, &error), LMB_ERROR_ARGUMENT);
    assert_null(none);
}

static uint32_t allowed, alive;

static void *allocate(void *user, size_t size) {
    (void)user;
    if (allowed == 0) {
        return NULL;
    }
    allowed--;
    alive++;
    return malloc(size);
}

static void release(void *user, void *memory) {
    (void)user;
    alive--;
    free(memory);
}

static void test_no_memory(void **state) {
    (void)state;
    lmb_player_def player = lmb_default_player_def();
    const lmb_control_def def = control_of(&player);
    const lmb_host host = {.allocate = allocate, .release = release};
    lmb_control *control = NULL;
    lmb_error error = {0};
    for (uint32_t i = 0; i < 2; i++) {
        allowed = i;
        assert_int_equal(lmb_control_create(&def, &host, &control, &error), LMB_ERROR_MEMORY);
        assert_null(control);
        assert_int_equal(alive, 0);
    }
    allowed = 2;
    assert_int_equal(lmb_control_create(&def, &host, &control, &error), LMB_OK);
    lmb_control_destroy(control);
    lmb_control_destroy(NULL);
    assert_int_equal(alive, 0);
}

static void test_refused_frames(void **state) {
    (void)state;
    lmb_player_def player = lmb_default_player_def();
    const lmb_control_def def = control_of(&player);
    stage s = begin(&def);
    lmb_error error = {0};
    const lmb_event events[] = {{0, 0}, {1, 40}, {1, 0}, {0, 0}, {5, 0}};
    lmb_control_frame good = {.step = 1, .character_count = 2, .state = s.state, .parameters = s.parameters};
    good.character_count = 1;
    lmb_control_frame bad = good;
    assert_int_equal(lmb_control_run(s.control, &good, 0, 1, &error), LMB_OK);
    assert_int_equal(lmb_control_run(NULL, &good, 0, 1, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_control_run(s.control, NULL, 0, 1, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_control_run(s.control, &good, 1, 1, &error), LMB_ERROR_ARGUMENT);
    bad.state = NULL;
    assert_int_equal(lmb_control_run(s.control, &bad, 0, 1, &error), LMB_ERROR_ARGUMENT);
    bad = good;
    bad.parameters = NULL;
    assert_int_equal(lmb_control_run(s.control, &bad, 0, 1, &error), LMB_ERROR_ARGUMENT);
    bad = good;
    bad.step = LMB_MAX_STEP_TICKS + 1;
    assert_int_equal(lmb_control_run(s.control, &bad, 0, 1, &error), LMB_ERROR_ARGUMENT);
    bad = good;
    bad.character_count = 2;
    bad.event_count = 1;
    assert_int_equal(lmb_control_run(s.control, &bad, 0, 0, &error), LMB_ERROR_ARGUMENT);
    for (uint32_t first = 0; first < 4; first++) {
        bad.events = events + first;
        bad.event_count = 2;
        assert_int_equal(lmb_control_run(s.control, &bad, 0, 0, &error), LMB_ERROR_ARGUMENT);
    }
    end(&s);
}

static void expect_state_refused(const stage *s, uint32_t word, uint32_t value, const char *why) {
    uint32_t two[2 * MOST_WORDS] = {0}; // of which the second is wrong
    uint32_t words = lmb_control_state_words(s->control);
    memcpy(two, s->state, words * sizeof *two);
    memcpy(two + words, s->state, words * sizeof *two);
    two[words + word] = value;
    lmb_error error = {0};
    assert_int_equal(lmb_control_check_states(s->control, two, 2, &error), LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "character 1: "));
    if (strstr(error.message, why) == NULL) {
        fail_msg("'%s' does not tell of '%s'", error.message, why);
    }
    assert_int_equal(lmb_control_check_states(s->control, two, 1, &error), LMB_OK);
}

// Words of a character, then of followers, players and machines, as shaders/ops/control_layout.h has them.
static void test_states_from_outside(void **state) {
    (void)state;
    lmb_player_def player = lmb_default_player_def();
    player.duration = 1.0f;
    lmb_control_def def = control_of(&player);
    stage s = begin(&def);
    expect_state_refused(&s, 6, 1, "word 6: it has not begun");
    step(&s, SIXTIETH);
    expect_state_refused(&s, 0, 2, "neither has begun");
    expect_state_refused(&s, 2, 0x7fffffffu, "it waits for too long");
    expect_state_refused(&s, 2, (uint32_t)(18 * LMB_MAX_STEP_TICKS >> 32), "it waits for too long");
    expect_state_refused(&s, 7, 0x0000ffffu, "player 0: it is past its clip");
    expect_state_refused(&s, 8, 4, "player 0: there are no such flags");
    lmb_error error = {0};
    assert_int_equal(lmb_control_check_states(NULL, s.state, 1, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_control_check_states(s.control, NULL, 1, &error), LMB_ERROR_ARGUMENT);
    end(&s);

    const lmb_follower_def follower = {.source = lmb_parameter(0), .half_life = 1.0f, .parameter = 1};
    const lmb_state_def states[2] = {lmb_default_state_def(), lmb_default_state_def()};
    lmb_transition_def transition = lmb_default_transition_def();
    transition.to = 1;
    transition.event = 0;
    const lmb_machine_def machine = {
        .states = states, .state_count = 2, .transitions = &transition, .transition_count = 1, .machine = LMB_NONE};
    def = lmb_default_control_def();
    def.parameter_count = 2;
    def.event_count = 1;
    def.followers = &follower;
    def.follower_count = 1;
    def.machines = &machine;
    def.machine_count = 1;
    s = begin(&def);
    step(&s, SIXTIETH);
    expect_state_refused(&s, 6, 0x7f800000u, "follower 0: not a finite number");
    expect_state_refused(&s, 7, 2, "machine 0: there is no such state");
    expect_state_refused(&s, 10, 5, "machine 0: there is no such transition");
    expect_state_refused(&s, 13, 0x7fc00000u, "machine 0: a weight");
    expect_state_refused(&s, 14, 0xbf800000u, "machine 0: a weight");
    expect_state_refused(&s, 16, 0x40000000u, "machine 0: a weight");
    // In a fade there is a transition; another place in the block is none.
    step_with(&s, SIXTIETH, (const uint32_t[]){0}, 1);
    const uint32_t fading = s.state[10];
    assert_int_not_equal(fading, 0);
    assert_int_equal(lmb_control_check_states(s.control, s.state, 1, &error), LMB_OK);
    expect_state_refused(&s, 10, fading + 1, "machine 0: there is no such transition");
    expect_state_refused(&s, 10, fading - 1, "machine 0: there is no such transition");
    expect_state_refused(&s, 10, fading + 11, "machine 0: there is no such transition"); // past the last one
    end(&s);

    // Up to there and back.
    player.end = LMB_END_PING_PONG;
    def = control_of(&player);
    s = begin(&def);
    step(&s, LMB_TICKS_PER_SECOND * 3 / 2);
    const uint64_t twice = LMB_TICKS_PER_SECOND << 17; // in 1/65,536 of a tick
    for (uint64_t more = 0; more < 2; more++) {
        s.state[6] = (uint32_t)(twice + more);
        s.state[7] = (uint32_t)((twice + more) >> 32);
        assert_int_equal(lmb_control_check_states(s.control, s.state, 1, &error),
                         more == 0 ? LMB_OK : LMB_ERROR_FORMAT);
    }
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_day),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_steps_add_up),
        cmocka_unit_test(test_notifies),
        cmocka_unit_test(test_notifies_there_and_back),
        cmocka_unit_test(test_ended_once),
        cmocka_unit_test(test_told_overflow),
        cmocka_unit_test(test_two_in_phase),
        cmocka_unit_test(test_markers),
        cmocka_unit_test(test_followers),
        cmocka_unit_test(test_machine),
        cmocka_unit_test(test_frozen_fade),
        cmocka_unit_test(test_inertialized),
        cmocka_unit_test(test_inertialized_and_begun_anew),
        cmocka_unit_test(test_inertialized_for_the_longest_time),
        cmocka_unit_test(test_inertialized_with_updates_left_out),
        cmocka_unit_test(test_inertia_of_foreign_states),
        cmocka_unit_test(test_order_of_events),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_update_rate),
        cmocka_unit_test(test_rollback),
        cmocka_unit_test(test_sorting),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_refused_frames),
        cmocka_unit_test(test_states_from_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
