// The control on the CPU: players, groups, smoothed parameters and machines against their formulas.
#include "control_stage.h"
#include "failing_host.h"
#include "refusal.h"

#include "../../shaders/ops/control_layout.h"

#include <math.h>
#include <string.h>

static control_def control_of(control_player_def *player) {
    control_def def = stage_control(player, 1, 8);
    def.event_count = 32;
    def.max_emitted_events = STAGE_EMITTED;
    player->time_parameter = 0;
    player->weight_parameter = 1;
    return def;
}

// After a day at 60 Hz, the time is the exact sum of the steps, to the tick.
static void test_a_day(void **state) {
    (void)state;
    control_player_def player = stage_player(1.75f, 0);
    const control_def def = control_of(&player);
    stage s = stage_begin(&def);
    const uint32_t frames = (suite_is_slow() ? 1 : 24) * 60 * 60 * 60;
    for (uint32_t i = 0; i < frames; i++) {
        stage_step(&s, SIXTIETH);
    }
    const uint64_t duration = LMB_TICKS_PER_SECOND * 7 / 4;
    assert_int_equal(lmb_state_player(s.control, s.state, 0).ticks, frames * (uint64_t)SIXTIETH % duration);
    stage_end(&s);
}

// Players at their ends, at several rates and steps, against fmod in float64.
static void test_places(void **state) {
    (void)state;
    static const float rates[] = {1.0f, 0.5f, 2.25f, -1.0f, -0.75f, 37.0f, -64.0f, 0.0f};
    static const double steps[] = {1.0 / 60, 1.0 / 144, 0.4, 7.0, 59.0};
    for (int end_kind = 0; end_kind < LMB_END_COUNT; end_kind++) {
        for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
            for (size_t t = 0; t < sizeof steps / sizeof *steps; t++) {
                control_player_def player = stage_player(1.3f, 0);
                player.offset = 0.4f;
                player.end = (lmb_end)end_kind;
                player.rate = lmb_constant(rates[r]);
                const control_def def = control_of(&player);
                stage s = stage_begin(&def);
                const uint64_t ticks = (uint64_t)llround(steps[t] * (double)LMB_TICKS_PER_SECOND);
                const double d = 1.3; // a float stands for the simplest fraction of a second that rounds to it
                double x = 0.4;
                bool out = false;
                for (int i = 0; i < 50; i++) {
                    stage_step(&s, ticks);
                    // A clip that ends in a frame is shown at its end. Its weight becomes 0 in the next frame.
                    assert_float_equal(s.parameters[1], (out ? 0.0f : 1.0f), 0.0f);
                    assert_float_equal(stage_player_weight(&s, 0), (out ? 0.0f : 1.0f), 0.0f);
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
                    bool stays = x <= 1e-9 || x >= d - 1e-9;
                    out = end_kind == LMB_END_ONCE && stays && rates[r] != 0.0f;
                }
                stage_end(&s);
            }
        }
    }
}

// The same total of steps gives the same time, to the bit, however it is divided.
static void test_steps_add_up(void **state) {
    (void)state;
    control_player_def player = stage_player(0.9f, 0);
    player.rate = lmb_constant(1.37f);
    const control_def def = control_of(&player);
    stage fine = stage_begin(&def), coarse = stage_begin(&def);
    for (int i = 0; i < 144 * 20; i++) {
        stage_step(&fine, LMB_TICKS_PER_SECOND / 144);
    }
    for (int i = 0; i < 30 * 20; i++) {
        stage_step(&coarse, LMB_TICKS_PER_SECOND / 30);
    }
    assert_int_equal(memcmp(fine.parameters, coarse.parameters, sizeof fine.parameters), 0);
    assert_int_equal(memcmp(fine.state, coarse.state, sizeof fine.state), 0);
    stage_end(&fine);
    stage_end(&coarse);
}

static void expect_emitted(const stage *s, uint32_t index, uint32_t event, double weight) {
    assert_true(index < s->emitted[0]);
    const lmb_emitted_event emitted = lmb_emitted_event_at(s->emitted, index);
    assert_int_equal(emitted.event, event);
    assert_near(emitted.weight, weight, 1e-6);
}

static void test_notifies(void **state) {
    (void)state;
    static const lmb_notify_def notifies[] = {{0.0f, 0}, {0.25f, 1}, {0.5f, 2}, {1.0f, 3}};
    for (int backwards = 0; backwards < 2; backwards++) {
        control_player_def player = stage_player(1.0f, 0);
        player.notifies = notifies;
        player.notify_count = 4;
        player.looped_event = 9;
        player.rate = lmb_constant(backwards ? -1.0f : 1.0f);
        const control_def def = control_of(&player);
        stage s = stage_begin(&def);
        for (int i = 0; i < 600; i++) { // ten seconds
            stage_step(&s, SIXTIETH);
        }
        for (uint32_t event = 0; event < 4; event++) {
            assert_int_equal(s.counts[event], 10);
        }
        assert_int_equal(s.counts[9], 10);
        // Several loops in one step: events are in the order in which the time passes them.
        stage_step(&s, 3 * LMB_TICKS_PER_SECOND);
        assert_int_equal(s.emitted[0], 13);
        static const uint32_t forwards[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 9};
        static const uint32_t back[] = {3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 9};
        for (uint32_t i = 0; i < 13; i++) {
            const lmb_emitted_event emitted = lmb_emitted_event_at(s.emitted, i);
            assert_int_equal(emitted.event, backwards ? back[i] : forwards[i]);
            assert_int_equal(emitted.passes, (i < 12 ? 1 : 3) * (backwards ? -1 : 1));
        }
        stage_end(&s);
    }
}

static void test_notifies_there_and_back(void **state) {
    (void)state;
    static const lmb_notify_def notifies[] = {{0.0f, 0}, {0.25f, 1}, {1.0f, 3}};
    for (int backwards = 0; backwards < 2; backwards++) {
        control_player_def player = stage_player(1.0f, 0);
        player.end = LMB_END_PING_PONG;
        player.notifies = notifies;
        player.notify_count = 3;
        player.looped_event = 9;
        player.rate = lmb_constant(backwards ? -1.0f : 1.0f);
        const control_def def = control_of(&player);
        static const uint64_t steps[] = {SIXTIETH, SIXTIETH / 7, LMB_TICKS_PER_SECOND};
        for (int k = 0; k < 3; k++) {
            stage s = stage_begin(&def);
            for (uint64_t passed = 0; passed < 20 * LMB_TICKS_PER_SECOND; passed += steps[k]) {
                stage_step(&s, steps[k]);
            }
            assert_int_equal(s.counts[0], 11); // at the beginning, then once per turn
            assert_int_equal(s.counts[1], 20);
            assert_int_equal(s.counts[3], 10);
            stage_end(&s);
        }
    }
}

// A notify at the beginning is emitted in the step that reaches it, once for each turn there.
static void test_notifies_where_a_player_turns(void **state) {
    (void)state;
    static const lmb_notify_def notify = {0.0f, 0};
    for (int backwards = 0; backwards < 2; backwards++) {
        control_player_def player = stage_player(1.0f, 0);
        player.end = LMB_END_PING_PONG;
        player.offset = 0.5f;
        player.notifies = &notify;
        player.notify_count = 1;
        player.rate = lmb_parameter(2);
        const control_def def = control_of(&player);
        stage s = stage_begin(&def);
        static const struct {
            float rate;
            double seconds;
            uint32_t emitted;
        } steps[] = {{1.0f, 0.25, 0}, {1.0f, 0.25, 1},  {1.0f, 0.25, 0}, {-1.0f, 0.25, 1}, {0.0f, 0.25, 0},
                     {1.0f, 0.25, 0}, {-1.0f, 0.25, 1}, {1.0f, 2.0, 1},  {1.0f, 6.0, 3},   {1.0f, 1.0, 0},
                     {1.0f, 1.0, 1},  {-1.0f, 1.5, 0},  {1.0f, 4.5, 2}};
        s.parameters[2] = 1.0f;
        stage_step(&s, backwards ? 0 : LMB_TICKS_PER_SECOND);
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            s.parameters[2] = backwards ? -steps[i].rate : steps[i].rate;
            stage_step(&s, (uint64_t)(steps[i].seconds * (double)LMB_TICKS_PER_SECOND));
            assert_int_equal(s.emitted[0], steps[i].emitted);
        }
        stage_end(&s);
    }
}

static void test_ended_once(void **state) {
    (void)state;
    static const lmb_notify_def notifies[] = {{1.0f, 3}};
    control_player_def player = stage_player(1.0f, 0);
    player.end = LMB_END_ONCE;
    player.ended_event = 5;
    player.notifies = notifies;
    player.notify_count = 1;
    const control_def def = control_of(&player);
    stage s = stage_begin(&def);
    for (int i = 1; i <= 120; i++) {
        stage_step(&s, SIXTIETH);
        assert_int_equal(s.emitted[0], i == 60 ? 2 : 0);
        assert_float_equal(s.parameters[1], (i <= 60 ? 1.0f : 0.0f), 0.0f);
        assert_float_equal(stage_player_weight(&s, 0), (i <= 60 ? 1.0f : 0.0f), 0.0f);
        if (i == 60) {
            expect_emitted(&s, 0, 3, 1.0);
            expect_emitted(&s, 1, 5, 1.0);
        }
    }
    // After a reset.
    stage_send(&s, SIXTIETH, LMB_EVENT_RESET);
    assert_near(s.parameters[0], 1.0 / 60, 1e-7);
    assert_float_equal(s.parameters[1], 1.0f, 0.0f);
    stage_end(&s);
}

static void test_emitted_overflow(void **state) {
    (void)state;
    static const lmb_notify_def notifies[] = {{0.1f, 0}, {0.2f, 1}};
    control_player_def player = stage_player(0.25f, 0);
    player.notifies = notifies;
    player.notify_count = 2;
    control_def def = control_of(&player);
    def.max_emitted_events = 3;
    stage s = stage_begin(&def);
    stage_step(&s, 10 * LMB_TICKS_PER_SECOND); // 40 loops
    assert_int_equal(s.emitted[0], 80);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(lmb_emitted_event_at(s.emitted, i).event, i % 2);
    }
    assert_int_equal(lmb_state_get_counts(s.control, s.state).emitted_events, 77);
    stage_end(&s);
}

// What a character emits, at times since its beginning.
typedef struct emitted_list {
    lmb_emitted_event events[1024];
    uint32_t count;
} emitted_list;

static void run_emitting(const control_def *def, uint64_t step, uint64_t end, emitted_list *list) {
    stage s = stage_begin(def);
    list->count = 0;
    for (uint64_t passed = 0; passed < end; passed += step) {
        stage_step(&s, step);
        assert_in_range(s.emitted[0], 0, STAGE_EMITTED);
        for (uint32_t i = 0; i < s.emitted[0]; i++) {
            lmb_emitted_event event = lmb_emitted_event_at(s.emitted, i);
            assert_true(event.ticks >= 0 && event.ticks <= (int64_t)step);
            event.ticks += (int64_t)passed;
            assert_true(list->count < 1024);
            list->events[list->count++] = event;
        }
    }
    stage_end(&s);
}

static uint32_t count_at(const emitted_list *list, lmb_emitted_kind kind, uint32_t part, double ticks) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const lmb_emitted_event *e = &list->events[i];
        count += e->kind == kind && e->part == part && e->source == 0 && (double)e->ticks == ceil(ticks);
    }
    return count;
}

// Each notify, loop and end has the time at which the clip is there, by the formula, whatever the steps are.
static void test_times_of_events(void **state) {
    (void)state;
    static const lmb_notify_def notifies[] = {{0.0f, 0}, {0.25f, 1}, {0.4f, 2}};
    static const uint64_t steps[] = {SIXTIETH / 7, SIXTIETH, LMB_TICKS_PER_SECOND / 4, 3 * LMB_TICKS_PER_SECOND};
    static const float rates[] = {1.0f, -1.0f, 0.75f, -2.3f, 1.37f};
    static emitted_list list;
    const double second = (double)LMB_TICKS_PER_SECOND, d = 0.4, times[] = {0.0, 0.25, 0.4};
    for (uint32_t i = 0; i < 5 * 4 * 2; i++) {
        const double rate = round((double)rates[i % 5] * 65536) / 65536, speed = fabs(rate);
        const lmb_end end = i / 5 % 4 == 0 ? LMB_END_LOOP : i / 5 % 4 == 1 ? LMB_END_PING_PONG : LMB_END_HOLD;
        const double delay = i / 20 > 0 ? 0.3 : 0.0;
        control_player_def player = stage_player(0.4f, 0);
        player.rate = lmb_constant(rates[i % 5]);
        player.end = end;
        player.offset = end == LMB_END_HOLD ? 0.1f : 0.0f;
        player.delay = (float)delay;
        player.repetitions = end == LMB_END_LOOP && delay > 0.0 ? 3 : 0;
        player.notifies = notifies;
        player.notify_count = 3;
        player.looped_event = 9;
        player.ended_event = 10;
        const control_def def = control_of(&player);
        for (uint32_t k = 0; k < 4; k++) {
            run_emitting(&def, steps[k], 3 * LMB_TICKS_PER_SECOND, &list);
            const double last = fmin((3.0 - delay) * speed, player.repetitions > 0 ? 1.2 : 1e9);
            uint32_t found = 0, notes = 0;
            for (uint32_t n = 0; n < 3 && end != LMB_END_HOLD; n++) {
                for (uint32_t leg = 0; leg < 40; leg++) {
                    const bool rises = end == LMB_END_PING_PONG ? leg % 2 == 0 : rate > 0.0;
                    const double at = leg * d + (rises ? times[n] : d - times[n]);
                    const bool turned = end == LMB_END_PING_PONG && leg > 0 && n == (rises ? 0 : 2);
                    if (at < last - 1e-6 && !turned) { // the last tick decides about what is at the end
                        found += count_at(&list, LMB_EMITTED_NOTIFY, n, (delay + at / speed) * second - 1e-3);
                        notes++;
                    }
                }
            }
            assert_int_equal(found, notes);
            if (end == LMB_END_HOLD) {
                const double way = rate > 0.0 ? 0.3 : 0.1;
                assert_int_equal(count_at(&list, LMB_EMITTED_ENDED, 0, (delay + way / speed) * second - 1e-3), 1);
            } else if (player.repetitions > 0) {
                const double at = (delay + 1.2 / speed) * second - 1e-3;
                assert_int_equal(count_at(&list, LMB_EMITTED_ENDED, 0, at), last >= 1.2 ? 1 : 0);
            }
            if (end != LMB_END_HOLD) { // the first of the ends that a step passes
                const double first = end == LMB_END_LOOP && rate < 0.0 ? 0.0 : d;
                assert_int_equal(count_at(&list, LMB_EMITTED_LOOPED, 0, (delay + first / speed) * second - 1e-3), 1);
            }
        }
    }
}

// The exact time of a transition is that of its events.
static void test_times_of_transitions(void **state) {
    (void)state;
    static const uint64_t steps[] = {SIXTIETH / 7, SIXTIETH, LMB_TICKS_PER_SECOND / 4, LMB_TICKS_PER_SECOND};
    control_state_def states[2] = {default_control_state_def(), default_control_state_def()};
    states[0].exit_event = 1;
    states[1].entry_event = 2;
    states[1].exit_event = 3;
    lmb_transition_def transitions[2] = {lmb_default_transition_def(), lmb_default_transition_def()};
    transitions[0].from = 0;
    transitions[0].to = 1;
    transitions[0].after = 0.15f;
    transitions[1].from = 1;
    transitions[1].to = 0;
    transitions[1].after = 0.2f;
    // The first machine has no events: the second is the source.
    const control_state_def still[1] = {default_control_state_def()};
    const control_machine_def machines[2] = {{still, 1, NULL, 0, LMB_NONE, 0, 0},
                                             {states, 2, transitions, 2, LMB_NONE, 0, 0}};
    control_player_def player = stage_player(1.0f, 0);
    control_def def = control_of(&player);
    def.machines = machines;
    def.machine_count = 2;
    static emitted_list list;
    for (uint32_t k = 0; k < 4; k++) {
        run_emitting(&def, steps[k], LMB_TICKS_PER_SECOND, &list);
        const int64_t unit = (int64_t)LMB_TICKS_PER_SECOND / 20;
        static const struct {
            uint32_t event, part;
            lmb_emitted_kind kind;
            int64_t at;
        } expected[] = {{1, 0, LMB_EMITTED_EXIT, 3},  {2, 1, LMB_EMITTED_ENTRY, 3},  {3, 1, LMB_EMITTED_EXIT, 7},
                        {1, 0, LMB_EMITTED_EXIT, 10}, {2, 1, LMB_EMITTED_ENTRY, 10}, {3, 1, LMB_EMITTED_EXIT, 14},
                        {1, 0, LMB_EMITTED_EXIT, 17}, {2, 1, LMB_EMITTED_ENTRY, 17}};
        assert_int_equal(list.count, 8);
        for (uint32_t i = 0; i < 8; i++) {
            const lmb_emitted_event *e = &list.events[i];
            assert_true(e->event == expected[i].event && e->part == expected[i].part && e->kind == expected[i].kind);
            assert_int_equal(e->source, 1);
            assert_int_equal(e->ticks, expected[i].at * unit);
        }
    }
}

// A clip of 0.4 s, to be played three times, and then one of a second. Whatever the steps are, all events of the first
// are emitted, and the second begins at the exact time of the first one's last end.
static void test_repetitions(void **state) {
    (void)state;
    static const lmb_notify_def notifies[] = {{0.0f, 0}, {0.25f, 1}, {0.4f, 2}};
    static const uint64_t steps[] = {SIXTIETH, SIXTIETH / 7, LMB_TICKS_PER_SECOND / 4, LMB_TICKS_PER_SECOND,
                                     2 * LMB_TICKS_PER_SECOND};
    static const struct {
        lmb_end end;
        float rate;
        uint32_t counts[5]; // of notifies, looped at most, and ended
        double last;        // where it ends
    } cases[] = {{LMB_END_LOOP, 1.0f, {3, 3, 3, 2, 1}, 0.4},
                 {LMB_END_LOOP, -1.0f, {3, 3, 3, 3, 1}, 0.0},
                 {LMB_END_PING_PONG, 1.0f, {2, 3, 2, 2, 1}, 0.4},
                 {LMB_END_PING_PONG, -1.0f, {2, 3, 2, 2, 1}, 0.4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            control_player_def players[2] = {stage_player(0.4f, 0), stage_player(1.0f, 1)};
            control_state_def states[2] = {default_control_state_def(), default_control_state_def()};
            for (uint32_t j = 0; j < 2; j++) {
                players[j].machine = 0;
                players[j].state = states[j].end_player = j;
            }
            players[0].end = cases[i].end;
            players[0].repetitions = 3;
            players[0].rate = lmb_constant(cases[i].rate);
            players[0].notifies = notifies;
            players[0].notify_count = 3;
            players[0].looped_event = 3;
            players[0].ended_event = 4;
            lmb_transition_def transition = stage_transition(0, 1, LMB_NONE, 0.0f);
            transition.at_end = true;
            const control_machine_def machine = {states, 2, &transition, 1, LMB_NONE, 0, 0};
            control_def def = stage_control(players, 2, 2);
            def.event_count = 5;
            def.max_emitted_events = STAGE_EMITTED;
            def.machines = &machine;
            def.machine_count = 1;
            stage s = stage_begin(&def);
            for (uint64_t passed = 0; passed < 2 * LMB_TICKS_PER_SECOND; passed += steps[k]) {
                stage_step(&s, steps[k]);
            }
            assert_int_equal(stage_current_state(&s, 0), 1);
            assert_int_equal(lmb_state_player(s.control, s.state, 1).ticks, 8 * LMB_TICKS_PER_SECOND / 10);
            assert_near(stage_player_seconds(&s, 0), cases[i].last, 1e-6);
            assert_int_equal(lmb_state_player(s.control, s.state, 0).repetitions, 3);
            for (uint32_t event = 0; event < 5; event++) {
                const uint32_t most = cases[i].counts[event]; // looped: one for all in a piece of a frame
                assert_in_range(s.counts[event], event == 3 ? 1 : most, most);
            }
            stage_end(&s);
        }
    }
}

// A player that has ended stays, whatever its rate, until it begins anew.
static void test_ended_repetitions_stay(void **state) {
    (void)state;
    control_player_def player = stage_player(0.5f, 0);
    player.repetitions = 2;
    player.rate = lmb_parameter(2);
    const control_def def = control_of(&player);
    stage s = stage_begin(&def);
    static const float rates[] = {1.0f, 1.0f, -3.0f, 0.0f, 1.0f};
    for (uint32_t i = 0; i < 5; i++) {
        s.parameters[2] = rates[i];
        stage_step(&s, 6 * LMB_TICKS_PER_SECOND / 10);
        assert_near(s.parameters[0], i == 0 ? 0.1 : 0.5, 1e-6);
    }
    uint32_t wrong[STAGE_WORDS];
    memcpy(wrong, s.state, sizeof wrong);
    wrong[WORDS_OF(CHARACTER) + FIELD(PLAYING, flags)] += 1u << PLAYING_ENDED_SHIFT;
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_state_check(s.control, wrong, 1, &error), &error, LMB_ERROR_FORMAT, "it has no such repetition");
    stage_send(&s, LMB_TICKS_PER_SECOND / 10, LMB_EVENT_RESET);
    assert_near(s.parameters[0], 0.1, 1e-6);
    stage_end(&s);
}

// A transition at the end of a delayed clip is at its exact time, whatever the steps are. Entered again, it waits
// again.
static void test_delay(void **state) {
    (void)state;
    static const uint64_t steps[] = {SIXTIETH, SIXTIETH / 7, LMB_TICKS_PER_SECOND / 4, LMB_TICKS_PER_SECOND};
    for (uint32_t k = 0; k < 4; k++) {
        control_player_def players[2] = {stage_player(0.5f, 0), stage_player(2.0f, 1)};
        control_state_def states[2] = {default_control_state_def(), default_control_state_def()};
        for (uint32_t i = 0; i < 2; i++) {
            players[i].machine = 0;
            players[i].state = states[i].end_player = i;
        }
        players[0].delay = 0.3f;
        lmb_transition_def transitions[2] = {stage_transition(0, 1, LMB_NONE, 0.0f),
                                             stage_transition(1, 0, LMB_NONE, 0.0f)};
        transitions[0].at_end = true;
        transitions[1].after = 0.7f;
        const control_machine_def machine = {states, 2, transitions, 2, LMB_NONE, 0, 0};
        control_def def = stage_control(players, 2, 2);
        def.machines = &machine;
        def.machine_count = 1;
        stage s = stage_begin(&def);
        for (uint64_t passed = 0; passed < 2 * LMB_TICKS_PER_SECOND; passed += steps[k]) {
            stage_step(&s, steps[k]);
        }
        // 0.8 s, 0.7 s, then 0.3 s of delay and 0.2 s.
        assert_int_equal(stage_current_state(&s, 0), 0);
        assert_int_equal(lmb_state_player(s.control, s.state, 0).ticks, LMB_TICKS_PER_SECOND / 5);
        stage_end(&s);
    }
}

// What begins at the time of another clip: within its own duration, and not if both begin.
static void test_sync_with(void **state) {
    (void)state;
    static const struct {
        float duration;
        lmb_end end;
        bool together;
        double begins;
    } cases[] = {{2.0f, LMB_END_LOOP, false, 0.75},
                 {0.5f, LMB_END_LOOP, false, 0.25},
                 {0.5f, LMB_END_HOLD, false, 0.5},
                 {2.0f, LMB_END_PING_PONG, false, 0.75},
                 {2.0f, LMB_END_LOOP, true, 0.125}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        control_player_def players[2] = {stage_player(1.0f, 0), stage_player(cases[i].duration, 1)};
        control_state_def states[2] = {default_control_state_def(), default_control_state_def()};
        players[0].machine = players[1].machine = 0;
        players[0].state = cases[i].together ? 1 : 0;
        players[1].state = 1;
        players[1].end = cases[i].end;
        players[1].offset = 0.125f;
        players[1].sync = 1;
        const lmb_transition_def transition = stage_transition(0, 1, 0, 1.0f);
        const control_machine_def machine = {states, 2, &transition, 1, LMB_NONE, 0, 0};
        control_def def = stage_control(players, 2, 2);
        def.event_count = 1;
        def.machines = &machine;
        def.machine_count = 1;
        stage s = stage_begin(&def);
        assert_near(stage_player_seconds(&s, 1), 0.0, 0.0);
        stage_step(&s, 3 * LMB_TICKS_PER_SECOND / 4);
        assert_near(stage_player_seconds(&s, 1), 0.125, 1e-6); // its offset: it began with the other
        stage_send(&s, 0, 0);
        assert_near(stage_player_seconds(&s, 1), cases[i].begins, 1e-6);
        stage_end(&s);
    }
}

static double wrap(double x, double d) {
    return x - d * floor(x / d);
}

// Returns the distance of two times in a loop.
static double apart(double a, double b, double d) {
    const double off = wrap(a - b, d);
    return fmin(off, d - off);
}

// t_run = mod((t_walk - o_walk + d_walk) d_run / d_walk + o_run, d_run), and the rate lerp(f, 1, d_walk / d_run).
static void test_two_in_phase(void **state) {
    (void)state;
    control_player_def players[2] = {stage_player(1.2f, 2), stage_player(0.7f, 3)};
    const double d_walk = (double)1.2f, d_run = (double)0.7f, o_walk = (double)0.3f, o_run = (double)0.1f;
    players[0].offset = 0.3f;
    players[0].velocity = 1.4f;
    players[1].offset = 0.1f;
    players[1].velocity = 4.0f;
    const control_group_def group = {.players = (const uint32_t[]){0, 1},
                                     .player_count = 2,
                                     .cadence = LMB_CADENCE_DURATION,
                                     .rate = lmb_constant(1.0f),
                                     .velocity_parameter = 4};
    control_def def = stage_control(players, 2, 8);
    def.groups = &group;
    def.group_count = 1;
    const lmb_value weights[] = {lmb_parameter(0), lmb_parameter(1)};
    stage s = stage_begin_with(&def, control_program_create(&def, weights));
    double walk = o_walk;
    for (int i = 0; i < 2000; i++) {
        const double f = 0.5 + 0.5 * sin(i * 0.01);
        s.parameters[0] = (float)(1.0 - f);
        s.parameters[1] = (float)f;
        stage_step(&s, SIXTIETH);
        walk = fmod(walk + (1.0 / 60) * ((1.0 - f) + f * d_walk / d_run), d_walk);
        // Rates are rounded to 1/65,536; the errors of 2,000 frames add up.
        assert_near(apart((double)s.parameters[2], walk, d_walk), 0.0, 1e-3);
        const double exact = fmod(((double)s.parameters[2] - o_walk + d_walk) * d_run / d_walk + o_run, d_run);
        assert_near(apart((double)s.parameters[3], exact, d_run), 0.0, 1e-6);
        assert_near(s.parameters[4], (1.0 - f) * (double)1.4f + f * 4.0, 1e-5);
    }
    stage_end(&s);
}

// ---- Cadences, against the formulas of control.h in float64. ----

enum { MEMBERS = 3, MOST_MEMBER_MARKERS = 3, GROUP_TIMES = 4, GROUP_VELOCITY = GROUP_TIMES + MEMBERS };

// A group. Parameters 0 to 2 are its players' weights, parameter 3 its rate.
typedef struct group_case {
    lmb_cadence cadence;
    bool by_velocity; // the expected cadence
    float velocities[MEMBERS];
    uint32_t marker_count;
    bool has_tracks; // motion tracks give the velocities
} group_case;

static const float group_durations[MEMBERS] = {0.7f, 1.2f, 1.75f};
static const float group_markers[MEMBERS][MOST_MEMBER_MARKERS] = {
    {0.05f, 0.25f, 0.3f}, {0.1f, 0.4f, 0.9f}, {0.3f, 1.0f, 1.1f}};

typedef struct group_scene {
    control_player_def players[MEMBERS];
    float keys[MEMBERS][8];
    lmb_motion_track tracks[MEMBERS];
    control_group_def group;
    lmb_motion_def motion;
    control_def def;
} group_scene;

static void describe_group(const group_case *given, group_scene *scene) {
    static const uint32_t numbers[MEMBERS] = {0, 1, 2}; // the first one leads
    for (uint32_t i = 0; i < MEMBERS; i++) {
        control_player_def *player = &scene->players[i];
        *player = stage_player(group_durations[i], GROUP_TIMES + i);
        player->offset = group_markers[i][0];
        player->markers = given->marker_count > 1 ? group_markers[i] : NULL;
        player->marker_count = given->marker_count > 1 ? given->marker_count : 0;
        player->velocity = given->has_tracks ? 0.0f : given->velocities[i];
        if (given->has_tracks) {
            // Motion to the side as well as ahead: a 3-4-5 triangle.
            const float way = given->velocities[i] * group_durations[i];
            memcpy(scene->keys[i], (const float[]){1, 2, 3, 0, 1 + 0.6f * way, 5, 3 - 0.8f * way, 0.5f},
                   sizeof scene->keys[i]);
            scene->tracks[i] = (lmb_motion_track){2, scene->keys[i], NULL};
            player->motion = &scene->tracks[i];
        }
    }
    scene->group = (control_group_def){.players = numbers,
                                       .player_count = MEMBERS,
                                       .cadence = given->cadence,
                                       .rate = lmb_parameter(3),
                                       .velocity_parameter = GROUP_VELOCITY};
    scene->def = stage_control(scene->players, MEMBERS, GROUP_VELOCITY + 1);
    scene->def.groups = &scene->group;
    scene->def.group_count = 1;
}

static stage begin_group(const group_case *given, group_scene *scene) {
    describe_group(given, scene);
    const lmb_value weights[MEMBERS] = {lmb_parameter(0), lmb_parameter(1), lmb_parameter(2)};
    return stage_begin_with(&scene->def, control_program_create(&scene->def, weights));
}

// Returns the start of a player's interval between markers, and its length.
static double piece_of(const group_case *given, uint32_t player, uint32_t piece, double *length) {
    const float *markers = group_markers[player];
    const double duration = (double)group_durations[player];
    const double begin = (double)markers[piece];
    const double next = piece + 1 < given->marker_count ? (double)markers[piece + 1] : (double)markers[0] + duration;
    *length = next - begin;
    return begin;
}

// Returns the interval that contains a time, and the fraction of the interval up to that time.
static uint32_t find_piece_of(const group_case *given, uint32_t player, double place, double *share) {
    const double duration = (double)group_durations[player], first = (double)group_markers[player][0];
    uint32_t found = 0;
    double length;
    place = first + wrap(place - first, duration);
    for (uint32_t i = 1; i < given->marker_count; i++) {
        found = place >= (double)group_markers[player][i] ? i : found;
    }
    const double begin = piece_of(given, player, found, &length);
    *share = (place - begin) / length;
    return found;
}

// Returns the group's r, and its velocity without the rate.
static double find_rate(const group_case *given, const double weights[MEMBERS], uint32_t piece, double *velocity) {
    double sum = 0.0, speeds = 0.0, pieces = 0.0, rates = 0.0, lengths = 0.0, led, own;
    *velocity = 0.0;
    piece_of(given, 0, piece, &led);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const double v = (double)given->velocities[i];
        piece_of(given, i, piece, &own);
        sum += weights[i];
        speeds += weights[i] * fabs(v);
        pieces += weights[i] * fabs(v) * own / led;
        rates += weights[i] * led / own;
        lengths += weights[i] * own;
        *velocity += weights[i] * v;
    }
    *velocity /= sum;
    if (given->cadence == LMB_CADENCE_LENGTH) {
        return led * sum / lengths;
    }
    return given->by_velocity ? speeds / pieces : rates / sum;
}

// Moves the first player by a time, piece by piece. The rate is never 0.
static double move_first(const group_case *given, const double weights[MEMBERS], double place, double rate,
                         double seconds) {
    const double duration = (double)group_durations[0];
    double share, velocity, length;
    uint32_t piece = find_piece_of(given, 0, place, &share);
    for (;;) {
        const double speed = rate * find_rate(given, weights, piece, &velocity);
        const double begin = piece_of(given, 0, piece, &length);
        const double left = (speed < 0.0 ? share : 1.0 - share) * length;
        if (fabs(speed) * seconds <= left) {
            return wrap(begin + share * length + speed * seconds, duration);
        }
        seconds -= left / fabs(speed);
        share = speed < 0.0 ? 1.0 : 0.0;
        piece = (piece + (speed < 0.0 ? given->marker_count - 1 : 1)) % given->marker_count;
    }
}

static void draw_group_frame(stage *s, int frame, double weights[MEMBERS]) {
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const double given = sin(0.013 * frame * (i + 1) + i) * 1.5 + 0.6;
        s->parameters[i] = (float)fmax(given, 0.0);
    }
    s->parameters[0] += 0.01f; // never all 0
    const double sum = (double)s->parameters[0] + (double)s->parameters[1] + (double)s->parameters[2];
    for (uint32_t i = 0; i < MEMBERS; i++) {
        weights[i] = (double)s->parameters[i] / sum;
    }
    s->parameters[3] = (float)(1.0 + 0.75 * sin(0.021 * frame)) * (frame > 500 ? -1.0f : 1.0f);
}

static void check_group(const group_case *given) {
    group_scene scene;
    stage s = begin_group(given, &scene);
    for (int frame = 0; frame < 700; frame++) {
        double weights[MEMBERS], share, velocity, length;
        // In the first frame, players are at their first markers.
        const double before = frame > 0 ? stage_player_seconds(&s, 0) : (double)group_markers[0][0];
        draw_group_frame(&s, frame, weights);
        stage_step(&s, SIXTIETH);
        const double rate = (double)s.parameters[3];
        const double r = find_rate(given, weights, find_piece_of(given, 0, before, &share), &velocity);
        const double after = move_first(given, weights, before, rate, 1.0 / 60);
        // Rates are rounded to 1/65,536; where a marker is passed, the error grows by the ratio of two of them.
        const double bound = 1.0 / 60 * (0x1p-13 + 8e-6 * fabs(rate * r)) + 1e-8;
        assert_near(apart(stage_player_seconds(&s, 0), after, (double)group_durations[0]), 0.0, bound);
        assert_near(s.parameters[GROUP_VELOCITY], rate * velocity, 4e-6 * fabs(rate) * 5);
        const uint32_t piece = find_piece_of(given, 0, stage_player_seconds(&s, 0), &share);
        for (uint32_t i = 0; i < MEMBERS; i++) {
            const double begin = piece_of(given, i, piece, &length);
            assert_near(apart(stage_player_seconds(&s, i), begin + share * length, (double)group_durations[i]), 0.0,
                        2e-7); // a float stands for the simplest fraction of a second that rounds to it
            assert_near(stage_player_weight(&s, i), weights[i], 1e-6);
        }
    }
    stage_end(&s);
}

static void test_cadences(void **state) {
    (void)state;
    static const group_case cases[] = {
        {LMB_CADENCE_DEFAULT, true, {4.0f, 1.4f, 0.7f}, 1, false},
        {LMB_CADENCE_DEFAULT, true, {4.0f, 1.4f, 0.7f}, 3, false},
        {LMB_CADENCE_DEFAULT, true, {4.0f, 1.4f, 0.7f}, 3, true},
        {LMB_CADENCE_DEFAULT, true, {-4.0f, 1.4f, 0.7f}, 2, false}, // some run backwards
        {LMB_CADENCE_VELOCITY, true, {-2.0f, -1.0f, -0.5f}, 1, false},
        {LMB_CADENCE_VELOCITY, true, {1.5f, -1.5f, 3.0f}, 3, false},
        {LMB_CADENCE_DEFAULT, false, {4.0f, 1.4f, 0.0f}, 3, false}, // one has no velocity
        {LMB_CADENCE_DEFAULT, false, {0.0f, 0.0f, 0.0f}, 1, false},
        {LMB_CADENCE_DURATION, false, {4.0f, 1.4f, 0.7f}, 1, false},
        {LMB_CADENCE_DURATION, false, {-4.0f, 1.4f, 0.7f}, 3, false},
        {LMB_CADENCE_DURATION, false, {4.0f, 1.4f, 0.7f}, 2, true},
        {LMB_CADENCE_LENGTH, false, {4.0f, 1.4f, 0.7f}, 1, false},
        {LMB_CADENCE_LENGTH, false, {-4.0f, 1.4f, 0.7f}, 3, false},
        {LMB_CADENCE_LENGTH, false, {4.0f, 1.4f, 0.7f}, 2, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_group(&cases[i]);
    }
}

// With the velocity cadence, the character moves at sum(w v), and each clip covers its own distance in its own share of
// time.
static void test_group_goes_as_far_as_its_velocity(void **state) {
    (void)state;
    static const group_case given = {LMB_CADENCE_VELOCITY, true, {4.0f, 1.4f, 0.7f}, 1, false};
    group_scene scene;
    describe_group(&given, &scene);
    scene.motion = lmb_default_motion_def();
    scene.def.motion = &scene.motion;
    const lmb_value constants[MEMBERS] = {lmb_constant(0.5f), lmb_constant(0.3f), lmb_constant(0.2f)};
    stage s = stage_begin_with(&scene.def, control_program_create(&scene.def, constants));
    const double expected = 0.3 * 1.4 + 0.5 * 4.0 + 0.2 * 0.7;
    for (int frame = 0; frame < 300; frame++) {
        s.parameters[3] = frame < 200 ? 1.0f : -0.5f;
        stage_step(&s, SIXTIETH);
        assert_near(lmb_state_root_motion(s.control, s.state).translation[2],
                    (frame < 200 ? 1.0 : -0.5) * expected / 60, 2e-6);
        assert_near(s.parameters[GROUP_VELOCITY], (frame < 200 ? 1.0 : -0.5) * expected, 1e-5);
    }
    stage_end(&s);
}

// If all weights are 0, a group runs at its own rate with either cadence, as fast as its leader.
static void test_group_without_weight(void **state) {
    (void)state;
    for (int by_velocity = 0; by_velocity < 2; by_velocity++) {
        const group_case given = {
            by_velocity ? LMB_CADENCE_VELOCITY : LMB_CADENCE_DURATION, by_velocity != 0, {4.0f, 1.4f, 0.7f}, 1, false};
        group_scene scene;
        stage s = begin_group(&given, &scene);
        double expected = (double)group_markers[0][0];
        for (int frame = 0; frame < 100; frame++) {
            s.parameters[0] = s.parameters[1] = s.parameters[2] = frame % 2 ? 0.0f : NAN;
            s.parameters[3] = 1.5f;
            stage_step(&s, SIXTIETH);
            expected = wrap(expected + 1.5 / 60, (double)group_durations[0]);
            assert_near(apart(stage_player_seconds(&s, 0), expected, (double)group_durations[0]), 0.0, 1e-6);
            assert_near(s.parameters[GROUP_VELOCITY], 1.5 * 4.0, 1e-5);
            assert_float_equal(stage_player_weight(&s, 0), 0.0f, 0.0f);
        }
        stage_end(&s);
    }
}

// Markers: when the leader is halfway between its left and its right foot, so is every other player.
static void test_markers(void **state) {
    (void)state;
    static const float left[] = {0.1f, 0.4f, 0.9f}, right[] = {0.3f, 1.0f, 1.1f};
    control_player_def players[2] = {stage_player(1.0f, 0), stage_player(2.0f, 1)};
    players[0].markers = left;
    players[1].markers = right;
    players[0].marker_count = players[1].marker_count = 3;
    const control_group_def group = {.players = (const uint32_t[]){0, 1},
                                     .player_count = 2,
                                     .rate = lmb_constant(1.0f),
                                     .velocity_parameter = LMB_NONE};
    control_def def = stage_control(players, 2, 2);
    def.groups = &group;
    def.group_count = 1;
    const lmb_value weights[] = {lmb_constant(1.0f), lmb_constant(0.0f)};
    stage s = stage_begin_with(&def, control_program_create(&def, weights));
    double led = 0.0;
    for (int i = 0; i < 500; i++) {
        stage_step(&s, SIXTIETH);
        double p = s.parameters[0];
        led = wrap(led + 1.0 / 60, 1.0); // only it has a weight
        assert_near(apart(p, led, 1.0), 0.0, 1e-6);
        double from = left[2], until = 1.0 + (double)left[0], to = right[2], size = 2.0 + (double)right[0] - to;
        if (p < (double)left[0]) {
            p += 1.0;
        } else if (p < (double)left[1]) {
            from = left[0], until = left[1], to = right[0], size = (double)right[1] - to;
        } else if (p < (double)left[2]) {
            from = left[1], until = left[2], to = right[1], size = (double)right[2] - to;
        }
        double expected = fmod(to + (p - from) / (until - from) * size, 2.0);
        assert_near(apart((double)s.parameters[1], expected, 2.0), 0.0, 2e-6);
    }
    stage_end(&s);
}

static void test_smoothed(void **state) {
    (void)state;
    const lmb_smoothed_def smoothed[] = {lmb_smoothed_parameter(lmb_parameter(0), 0.5f, 1),
                                         lmb_smoothed_parameter(lmb_parameter(1), 0.0f, 2)};
    control_def def = default_control_def();
    def.parameter_count = 3;
    def.smoothed = smoothed;
    def.smoothed_count = 2;
    stage s = stage_begin(&def);
    s.parameters[0] = 2.0f;
    stage_step(&s, SIXTIETH);
    assert_float_equal(s.parameters[1], 2.0f, 0.0f);
    s.parameters[0] = 10.0f;
    for (int i = 1; i <= 120; i++) {
        stage_step(&s, SIXTIETH);
        assert_near(s.parameters[1], 10.0 - 8.0 * pow(2.0, -i / 60.0 / 0.5), 1e-4);
        assert_float_equal(s.parameters[2], s.parameters[1], 0.0f);
    }
    float before = s.parameters[1];
    s.parameters[0] = NAN;
    stage_step(&s, SIXTIETH);
    assert_float_equal(s.parameters[1], before, 0.0f);
    stage_end(&s);
}

// At a constant speed, which takes as long whatever the steps are.
static void test_smoothed_at_a_speed(void **state) {
    (void)state;
    lmb_smoothed_def smoothed = lmb_smoothed_parameter(lmb_parameter(0), 0.0f, 1);
    smoothed.speed = 4.0f;
    control_def def = default_control_def();
    def.parameter_count = 2;
    def.smoothed = &smoothed;
    def.smoothed_count = 1;
    for (uint32_t divisor = 1; divisor < 100; divisor += 7) {
        stage s = stage_begin(&def);
        s.parameters[0] = 1.0f;
        stage_step(&s, 0);
        assert_float_equal(s.parameters[1], 1.0f, 0.0f);
        for (uint32_t i = 1; i <= 3 * divisor; i++) {
            const double passed = (double)i / divisor;
            s.parameters[0] = i <= 2 * divisor ? -5.0f : 0.0f;
            stage_step(&s, LMB_TICKS_PER_SECOND / divisor);
            const double down = passed < 1.5 ? 1.0 - 4.0 * passed : -5.0;
            assert_near(s.parameters[1], i <= 2 * divisor ? down : -5.0 + 4.0 * (passed - 2.0), 1e-5);
        }
        s.parameters[0] = NAN;
        const float before = s.parameters[1];
        stage_step(&s, SIXTIETH);
        assert_float_equal(s.parameters[1], before, 0.0f);
        s.parameters[0] = 100.0f;
        stage_step(&s, 0);
        assert_float_equal(s.parameters[1], before, 0.0f); // no time, no way
        s.parameters[0] = 0.5f;
        stage_step(&s, LMB_TICKS_PER_SECOND);
        assert_float_equal(s.parameters[1], 0.5f, 0.0f); // arrives exactly
        stage_end(&s);
    }
    smoothed.half_life = 0.1f;
    stage_refuse(&def, LMB_ERROR_ARGUMENT, "smoothed parameter 0: speed: beside a half-life");
    smoothed.half_life = 0.0f;
    smoothed.speed = -1.0f;
    stage_refuse(&def, LMB_ERROR_ARGUMENT, "smoothed parameter 0: speed");
}

// A machine of three states with clips of one second. Events enter a and b; the end of b's clip enters c.
enum { GO, BACK, CHAIN, ENTERED, LEFT, EVENTS };

typedef struct small_machine {
    control_machine_def machine;
    control_state_def states[3];
    control_player_def players[3];
    lmb_transition_def transitions[4];
} small_machine;

static control_def describe_small(lmb_fade_kind kind, small_machine *small) {
    for (uint32_t i = 0; i < 3; i++) {
        small->players[i] = stage_player(1.0f, i);
        small->players[i].end = i == 1 ? LMB_END_HOLD : LMB_END_LOOP;
        small->players[i].machine = 0;
        small->players[i].state = i;
        small->states[i] = default_control_state_def();
        small->states[i].weight_parameter = 3 + i;
        small->states[i].end_player = i;
    }
    small->states[1].entry_event = ENTERED;
    small->states[1].exit_event = LEFT;
    small->transitions[0] = stage_transition(0, 1, GO, 0.5f);
    small->transitions[1] = stage_transition(1, 2, LMB_NONE, 0.5f);
    small->transitions[1].at_end = true;
    small->transitions[2] = stage_transition(LMB_NONE, 0, BACK, 0.5f);
    small->transitions[3] = stage_transition(2, 1, CHAIN, 0.5f);
    for (uint32_t i = 0; i < 4; i++) {
        small->transitions[i].curve = LMB_CURVE_LINEAR;
        small->transitions[i].kind = kind;
    }
    small->machine = (control_machine_def){small->states, 3, small->transitions, 4, LMB_NONE, 0, 0};
    control_def def = stage_control(small->players, 3, 8);
    def.event_count = EVENTS;
    def.machines = &small->machine;
    def.machine_count = 1;
    return def;
}

static void test_machine(void **state) {
    (void)state;
    small_machine small;
    const control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    stage s = stage_begin(&def);
    stage_step(&s, SIXTIETH);
    assert_int_equal(stage_current_state(&s, 0), 0);
    assert_float_equal(s.parameters[3], 1.0f, 0.0f);
    stage_send(&s, SIXTIETH, GO);
    assert_int_equal(stage_current_state(&s, 0), 1);
    assert_int_equal(s.emitted[0], 1);
    expect_emitted(&s, 0, ENTERED, 0.0);
    for (int i = 1; i <= 15; i++) { // the first step of the fade and of the clip is in the frame of the event
        assert_near(s.parameters[4], i / 30.0, 1e-6);
        assert_near(s.parameters[3], 1.0 - i / 30.0, 1e-6);
        assert_near(stage_player_weight(&s, 1), i / 30.0, 1e-6);
        assert_near(s.parameters[0], (i + 1) / 60.0, 1e-6); // both play
        assert_near(s.parameters[1], i / 60.0, 1e-6);       // starts on entry
        if (i < 15) {
            stage_step(&s, SIXTIETH);
        }
    }
    // An interruption halfway, back to the state that is still visible: no weight jumps, and its clip continues from
    // its time.
    float before[3] = {s.parameters[3], s.parameters[4], s.parameters[0]};
    stage_send(&s, SIXTIETH, BACK);
    assert_near(s.parameters[3], 0.5 + 0.5 / 30.0, 1e-6);
    assert_near(s.parameters[4], 0.5 - 0.5 / 30.0, 1e-6);
    expect_emitted(&s, 0, LEFT, (double)before[1]);
    for (int i = 1; i <= 30; i++) {
        assert_near(s.parameters[3], 0.5 + 0.5 * i / 30.0, 1e-6);
        float last = s.parameters[3];
        stage_step(&s, SIXTIETH);
        assert_near(s.parameters[3] + s.parameters[4] + s.parameters[5], 1.0, 1e-6);
        assert_true(s.parameters[3] >= last && s.parameters[3] - last < 0.05f);
    }
    assert_float_equal(s.parameters[3], 1.0f, 0.0f);
    assert_float_equal(s.parameters[4], 0.0f, 0.0f);
    assert_near(s.parameters[0], fmod((double)before[2] + 31 / 60.0, 1.0), 1e-6);
    // One second after entry, to the frame, the clip is at its end. The next frame reacts to it.
    stage_send(&s, SIXTIETH, GO);
    for (int i = 1; i <= 60; i++) {
        assert_int_equal(stage_current_state(&s, 0), 1);
        assert_near(s.parameters[1], i / 60.0, 1e-6);
        stage_step(&s, SIXTIETH);
    }
    assert_int_equal(stage_current_state(&s, 0), 2);
    assert_near(s.parameters[2], 1 / 60.0, 1e-6);
    assert_near(s.parameters[5], 1 / 30.0, 1e-6);
    expect_emitted(&s, 0, LEFT, 1.0);
    stage_end(&s);
}

// Runs a frame and checks which of three players of rate 1 move in it.
static void expect_moving(stage *s, uint32_t event, bool first, bool second, bool third) {
    const bool moving[3] = {first, second, third};
    const float before[3] = {s->parameters[0], s->parameters[1], s->parameters[2]};
    stage_step_with(s, SIXTIETH, &event, event != LMB_NONE);
    for (int i = 0; i < 3; i++) {
        assert_near(s->parameters[i] - before[i], moving[i] ? 1.0 / 60 : 0.0, 1e-5);
    }
    lmb_error error = {0};
    if (lmb_state_check(s->control, s->state, 1, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

// A frozen state stays frozen when smooth transitions interrupt its fade, until it has no weight or is entered again.
static void test_frozen_states_stay_frozen(void **state) {
    (void)state;
    small_machine small;
    control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    for (uint32_t i = 0; i < 3; i++) {
        small.players[i].duration = 10.0f;
    }
    small.transitions[0].kind = LMB_FADE_FROZEN; // 0 to 1
    small.transitions[1].at_end = false;         // 1 to 2
    small.transitions[1].event = CHAIN;
    small.transitions[3].event = GO; // 2 to 1
    stage s = stage_begin(&def);
    expect_moving(&s, LMB_NONE, true, false, false);
    expect_moving(&s, GO, false, true, false);
    expect_moving(&s, CHAIN, false, true, true); // state 1 fades out smoothly
    for (int i = 0; i < 10; i++) {
        expect_moving(&s, LMB_NONE, false, true, true);
        assert_true(s.parameters[3] > 0.1f);
    }
    expect_moving(&s, GO, false, true, true);
    expect_moving(&s, BACK, true, true, true); // it is entered again, and goes on where it stopped
    assert_near(s.parameters[0], 2.0 / 60, 1e-5);
    for (int i = 0; i < 28; i++) {
        expect_moving(&s, LMB_NONE, true, true, true);
    }
    expect_moving(&s, LMB_NONE, true, false, false);
    stage_end(&s);
}

// Also where a Bezier takes the frozen state's weight to 0 and back.
static void test_frozen_states_stay_frozen_without_weight(void **state) {
    (void)state;
    small_machine small;
    const control_def def = describe_small(LMB_FADE_FROZEN, &small);
    small.transitions[0].curve = LMB_CURVE_BEZIER;
    small.transitions[0].curve_control[0] = 16.0f;
    small.transitions[0].curve_control[1] = -16.0f;
    stage s = stage_begin(&def);
    uint32_t without = 0, again = 0;
    for (int i = 0; i < 28; i++) {
        expect_moving(&s, i == 0 ? GO : LMB_NONE, false, true, false);
        without += s.parameters[3] == 0.0f;
        again += without > 0 && s.parameters[3] > 0.0f;
    }
    assert_true(without > 5 && again > 5);
    stage_end(&s);
}

// The same in a machine inside a state, and for the machine as a whole.
static void test_frozen_machines_stay_frozen(void **state) {
    (void)state;
    control_state_def states[5];
    for (uint32_t i = 0; i < 5; i++) {
        states[i] = default_control_state_def();
    }
    lmb_transition_def outer[] = {stage_transition(LMB_NONE, 1, GO, 0.5f), stage_transition(1, 0, BACK, 0.5f),
                                  stage_transition(0, 2, ENTERED, 0.5f)};
    lmb_transition_def inner = stage_transition(0, 1, CHAIN, 0.5f);
    outer[0].fade = 0.0f;
    outer[1].kind = inner.kind = LMB_FADE_FROZEN;
    const control_machine_def machines[] = {{states, 3, outer, 3, LMB_NONE, 0, 0}, {states + 3, 2, &inner, 1, 0, 1, 0}};
    control_player_def players[3];
    for (uint32_t i = 0; i < 3; i++) {
        players[i] = stage_player(10.0f, i);
        players[i].machine = i > 0;
        players[i].state = i > 0 ? i - 1 : 0;
    }
    control_def def = stage_control(players, 3, 8);
    def.event_count = EVENTS;
    def.machines = machines;
    def.machine_count = 2;
    stage s = stage_begin(&def);
    expect_moving(&s, GO, false, true, false);
    expect_moving(&s, CHAIN, false, false, true);
    expect_moving(&s, BACK, true, false, false);    // the outer state is frozen with all in it
    expect_moving(&s, ENTERED, true, false, false); // and stays so
    for (int i = 0; i < 10; i++) {
        expect_moving(&s, LMB_NONE, true, false, false);
    }
    expect_moving(&s, GO, false, false, true); // entered again: the inner machine goes on, its state is still frozen
    for (int i = 0; i < 20; i++) {
        expect_moving(&s, LMB_NONE, false, false, true);
    }
    stage_end(&s);
}

// A transition from any state leaves its own target only with `to_self`, whether or not it needs an event.
static void test_transitions_to_the_current_state(void **state) {
    (void)state;
    for (int to_self = 0; to_self < 2; to_self++) {
        for (int by_event = 0; by_event < 2; by_event++) {
            small_machine small;
            control_def def = describe_small(LMB_FADE_SMOOTH, &small);
            small.transitions[2].to = 1;
            small.transitions[2].to_self = to_self == 1;
            small.transitions[2].event = by_event ? BACK : LMB_NONE;
            small.transitions[2].after = by_event ? -1.0f : 0.25f;
            stage s = stage_begin(&def);
            stage_send(&s, SIXTIETH, GO);
            for (int i = 0; i < 45; i++) { // before the clip's end
                if (by_event && i == 10) {
                    stage_send(&s, SIXTIETH, BACK);
                } else {
                    stage_step(&s, SIXTIETH);
                }
                assert_int_equal(stage_current_state(&s, 0), 1);
                // The state has a weight, so its clip goes on, without an event of the clip's own.
                assert_near(s.parameters[1], (i + 2) / 60.0, 1e-6);
            }
            assert_int_equal(s.counts[ENTERED], !to_self ? 1 : by_event ? 2 : 4);
            assert_int_equal(s.counts[LEFT], s.counts[ENTERED] - 1);
            stage_end(&s);
        }
    }
}

// A Bezier's result is clamped to 0 to 1.
static void test_bezier_fades(void **state) {
    (void)state;
    static const float controls[][2] = {{0.0f, 1.0f}, {0.25f, 0.5f}, {-2.0f, 3.5f}, {16.0f, -16.0f}};
    for (size_t k = 0; k < sizeof controls / sizeof *controls; k++) {
        small_machine small;
        control_def def = describe_small(LMB_FADE_SMOOTH, &small);
        small.transitions[0].curve = LMB_CURVE_BEZIER;
        memcpy(small.transitions[0].curve_control, controls[k], sizeof controls[k]);
        stage s = stage_begin(&def);
        stage_send(&s, SIXTIETH, GO);
        const double c0 = (double)controls[k][0], c1 = (double)controls[k][1];
        for (int i = 1; i <= 30; i++) {
            const double a = i / 30.0, b = 1.0 - a;
            const double share = fmin(fmax(3.0 * b * b * a * c0 + 3.0 * b * a * a * c1 + a * a * a, 0.0), 1.0);
            assert_near(s.parameters[4], share, 4e-6);
            assert_near(s.parameters[3] + s.parameters[4], 1.0, 1e-6);
            stage_step(&s, SIXTIETH);
        }
        stage_end(&s);
    }
}

static lmb_node_def clip_at(uint32_t time_parameter) {
    lmb_node_def node = lmb_default_node_def();
    node.op = LMB_OP_CLIP;
    node.time = lmb_parameter(time_parameter);
    return node;
}

static lmb_node_def node_of(lmb_op op, uint32_t first, uint32_t second, lmb_value weight) {
    lmb_node_def node = lmb_default_node_def();
    node.op = op;
    node.mask = op == LMB_OP_MASKED ? 0 : LMB_NONE;
    node.inputs[0] = first;
    node.inputs[1] = second;
    node.input_count = 2;
    node.weight = weight;
    return node;
}

// The weight of a clip is the sum over its uses. A player whose clip has no use has the weight of its state.
static void test_weights_of_clips(void **state) {
    (void)state;
    small_machine small;
    const control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    lmb_node_def nodes[] = {clip_at(0), clip_at(1), node_of(LMB_OP_BLEND, 0, 1, lmb_parameter(6)),
                            // Clip 0 again, with a different rate, over the blend, for some of the joints.
                            clip_at(0), node_of(LMB_OP_MASKED, 2, 3, lmb_parameter(7))};
    nodes[3].rate = lmb_constant(0.5f);
    stage s = stage_begin_with(&def, control_program_create_of(nodes, 5, def.parameter_count));
    stage_send(&s, SIXTIETH, GO); // the fade begins
    for (int i = 2; i <= 40; i++) {
        const double f = 0.5 + 0.5 * sin(i * 0.3), m = i == 20 ? 0.0 : 0.5 + 0.5 * cos(i * 0.2);
        s.parameters[6] = (float)f;
        s.parameters[7] = (float)m;
        stage_step(&s, SIXTIETH);
        assert_near(stage_player_weight(&s, 0), (1.0 - f) + m, 1e-6);
        assert_near(stage_player_weight(&s, 1), f, 1e-6);
        // It belongs to state 2, which is not entered.
        assert_float_equal(stage_player_weight(&s, 2), 0.0f, 0.0f);
        // Machines also write their weights.
        assert_near(s.parameters[4], fmin(i / 30.0, 1.0), 1e-6);
    }
    stage_end(&s);
    // A player whose clip the program replaces by the rest pose.
    nodes[1] = lmb_default_node_def();
    s = stage_begin_with(&def, control_program_create_of(nodes, 5, def.parameter_count));
    stage_send(&s, SIXTIETH, GO);
    for (int i = 1; i <= 30; i++) {
        assert_near(stage_player_weight(&s, 1), i / 30.0, 1e-6);
        assert_near(stage_player_weight(&s, 0), 1.0, 0.0); // parameter 6 is 0
        stage_step(&s, SIXTIETH);
    }
    stage_end(&s);
}

// Root motion of a pose that is blended over another with weight w and a mask that gives joint 0 the share m: its
// weight is m w, and the weight of the pose below is 1 - m w, or 1 if the pose is added. In the pose itself, the
// weights are w and 1.
static void test_weights_in_root_motion(void **state) {
    (void)state;
    static const struct {
        lmb_op op;
        bool is_masked, replaces;
    } cases[] = {{LMB_OP_MASKED, true, true},
                 {LMB_OP_ADDITIVE, true, false},
                 {LMB_OP_ADDITIVE, false, false},
                 {LMB_OP_PARTIAL, true, true},
                 {LMB_OP_PARTIAL, false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        control_player_def players[2] = {stage_player(1.0f, 0), stage_player(1.0f, 1)};
        const lmb_motion_def character_motion = lmb_default_motion_def();
        players[0].velocity = 1.5f;
        players[1].velocity = -4.0f;
        control_def def = stage_control(players, 2, 3);
        def.motion = &character_motion;
        lmb_node_def nodes[] = {clip_at(0), clip_at(1), node_of(cases[i].op, 0, 1, lmb_parameter(2))};
        nodes[2].mask = cases[i].is_masked ? 0 : LMB_NONE;
        nodes[1].clip = lmb_constant(cases[i].op == LMB_OP_ADDITIVE ? 1.0f : 0.0f);
        nodes[1].joint_weights = cases[i].op == LMB_OP_PARTIAL && cases[i].is_masked ? 0 : LMB_NONE;
        stage s = stage_begin_with(&def, control_program_create_of(nodes, 3, def.parameter_count));
        for (int frame = 0; frame < 50; frame++) {
            const double w = frame / 49.0, m = cases[i].is_masked ? CONTROL_PROGRAM_MASK / 255.0 : 1.0;
            s.parameters[2] = (float)w;
            stage_step(&s, SIXTIETH);
            assert_near(lmb_state_root_motion(s.control, s.state).translation[2],
                        ((cases[i].replaces ? 1.0 - m * w : 1.0) * 1.5 - m * w * 4.0) / 60, 1e-6);
            assert_near(stage_player_weight(&s, 0), 1.0, 0.0);
            assert_near(stage_player_weight(&s, 1), w, 1e-6);
        }
        stage_end(&s);
    }
}

// A player's weight is the product of the weights of the states that contain it.
static void test_weights_without_a_program(void **state) {
    (void)state;
    control_state_def states[4];
    for (uint32_t i = 0; i < 4; i++) {
        states[i] = default_control_state_def();
    }
    lmb_transition_def outer = stage_transition(0, 1, GO, 0.5f), inner = stage_transition(0, 1, CHAIN, 0.25f);
    outer.curve = inner.curve = LMB_CURVE_LINEAR;
    const control_machine_def machines[] = {{states, 2, &outer, 1, LMB_NONE, 0, 0},
                                            {states + 2, 2, &inner, 1, 0, 1, 0}};
    control_player_def players[3];
    for (uint32_t i = 0; i < 3; i++) {
        players[i] = stage_player(0.75f, i);
        players[i].machine = i < 2 ? 1 : LMB_NONE;
        players[i].state = i;
        players[i].end = i == 2 ? LMB_END_LOOP : LMB_END_ONCE;
    }
    players[0].weight_parameter = 3;
    players[1].weight_parameter = 4;
    control_def def = stage_control(players, 3, 5);
    def.event_count = EVENTS;
    def.machines = machines;
    def.machine_count = 2;
    stage s = stage_begin(&def);
    const uint32_t both[] = {GO, CHAIN};
    stage_step_with(&s, SIXTIETH, both, 2);
    for (int i = 1; i <= 60; i++) {
        const double without = fmin(i / 30.0, 1.0), within = fmin(i / 15.0, 1.0);
        // After its end, its weight is 0.
        const double in_machine = i <= 45 ? within : 0.0;
        assert_near(stage_player_weight(&s, 0), without * (1.0 - within), 1e-6);
        assert_near(stage_player_weight(&s, 1), without * in_machine, 1e-6);
        assert_float_equal(stage_player_weight(&s, 2), 1.0f, 0.0f);
        assert_near(s.parameters[3], 1.0 - within, 1e-6); // within its machine
        assert_near(s.parameters[4], in_machine, 1e-6);
        assert_near(s.parameters[1], fmin(i / 60.0, 0.75), 1e-6);
        stage_step(&s, SIXTIETH);
    }
    stage_end(&s);
}

// Enters a state again in a fade that leaves it. Returns the time in its clip of 0.5 s after the frame of its entry,
// `frames` after the fade's beginning.
static double reenter(lmb_end end, float rate, bool restart, int frames) {
    small_machine small;
    control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    small.players[0].duration = 0.5f;
    small.players[0].end = end;
    small.players[0].rate = lmb_constant(rate);
    small.players[0].offset = rate < 0.0f ? 0.45f : 0.05f;
    small.states[0].restart = restart;
    small.transitions[0].fade = 1.0f;
    stage s = stage_begin(&def);
    stage_send(&s, SIXTIETH, GO);
    for (int i = 1; i < frames; i++) {
        stage_step(&s, SIXTIETH);
    }
    assert_true(lmb_state_weight(s.control, s.state, 0, 0) > 0.0f);
    stage_send(&s, SIXTIETH, BACK);
    assert_int_equal(stage_current_state(&s, 0), 0);
    const double place = stage_player_seconds(&s, 0);
    stage_end(&s);
    return place;
}

// A state that is entered while it has a weight goes on where it is, also if its clip passed an end in the frame
// before: only a clip that stays at its end begins anew, and `restart` begins any.
static void test_entered_again(void **state) {
    (void)state;
    for (int i = 0; i < LMB_END_COUNT * 2 * 50; i++) {
        const lmb_end end = (lmb_end)(i % LMB_END_COUNT);
        const float rate = i / LMB_END_COUNT % 2 == 0 ? 1.0f : -1.0f;
        const int frames = 5 + i / LMB_END_COUNT / 2;
        const bool stays = end == LMB_END_HOLD || end == LMB_END_ONCE;
        const double first = 0.05 + 1 / 60.0;
        double place = 0.05 + (frames + 1) / 60.0; // backwards, as seen from the end
        if (end == LMB_END_LOOP) {
            place = wrap(place, 0.5);
        } else if (end == LMB_END_PING_PONG) {
            place = wrap(place, 1.0) < 0.5 ? wrap(place, 1.0) : 1.0 - wrap(place, 1.0);
        } else if (frames / 60.0 >= 0.45 - 1e-9) {
            place = first;
        }
        assert_near(apart(reenter(end, rate, false, frames), rate < 0.0f ? 0.5 - place : place, stays ? 9.0 : 0.5), 0.0,
                    1e-8);
        assert_near(reenter(end, rate, true, frames), rate < 0.0f ? 0.5 - first : first, 1e-8);
    }
}

// A program where parameters 3 to 5 are the weights of three players.
static stage begin_weighted(const control_def *def) {
    const lmb_value weights[] = {lmb_parameter(3), lmb_parameter(4), lmb_parameter(5)};
    return stage_begin_with(def, control_program_create(def, weights));
}

// Sets these parameters and runs the frame. Returns each player's share of their sum.
static void step_with_weights(stage *s, int frame, double weights[3]) {
    double sum = 0.0;
    for (uint32_t i = 0; i < 3; i++) {
        s->parameters[3 + i] = (float)(0.5 + 0.4 * sin(0.37 * frame * (i + 1)) + 0.1 * i);
        sum += s->parameters[3 + i];
    }
    for (uint32_t i = 0; i < 3; i++) {
        weights[i] = s->parameters[3 + i] / sum;
    }
    stage_step(s, SIXTIETH);
}

// Events of clips have the weights of the current frame's pose.
static void test_emitted_weights(void **state) {
    (void)state;
    static const lmb_notify_def notifies[] = {{0.1f, 0}, {0.3f, 1}};
    control_player_def players[3];
    for (uint32_t i = 0; i < 3; i++) {
        players[i] = stage_player(0.375f, i);
        players[i].notifies = notifies;
        players[i].notify_count = 2;
        players[i].looped_event = 2;
        players[i].ended_event = 3;
    }
    players[1].end = LMB_END_ONCE;
    players[2].rate = lmb_constant(-1.0f);
    players[2].end = LMB_END_PING_PONG;
    control_def def = stage_control(players, 3, 6);
    def.event_count = 4;
    def.max_emitted_events = STAGE_EMITTED;
    stage s = begin_weighted(&def);
    for (int frame = 0; frame < 240; frame++) {
        double weights[3];
        step_with_weights(&s, frame, weights);
        // The events of each player in its order, then its end. The first player's events come first.
        uint32_t player = 0, last = 0;
        for (uint32_t i = 0; i < s.emitted[0]; i++) {
            const float weight = lmb_emitted_event_at(s.emitted, i).weight;
            while (player < 3 && fabs((double)weight - weights[player]) > 1e-6) {
                player++;
                last = 0;
            }
            assert_true(player < 3);
            assert_true(last < 2); // nothing after an end
            last = lmb_emitted_event_at(s.emitted, i).event;
            assert_int_equal(last == 3, last > 1 && player == 1);
        }
        for (uint32_t i = 0; i < 3; i++) {
            assert_near(stage_player_weight(&s, i), weights[i], 1e-6);
        }
    }
    // Four seconds: ten and two thirds loops, one end, and as many reversals.
    assert_int_equal(s.counts[0], 11 + 1 + 11);
    assert_int_equal(s.counts[1], 10 + 1 + 10);
    assert_int_equal(s.counts[2], 10 + 10);
    assert_int_equal(s.counts[3], 1);
    stage_end(&s);
}

// The events of a group, each with the weight of its player.
static void test_emitted_weights_of_a_group(void **state) {
    (void)state;
    static const lmb_notify_def notifies[3][1] = {{{0.1f, 0}}, {{0.2f, 1}}, {{0.3f, 2}}};
    control_player_def players[3];
    for (uint32_t i = 0; i < 3; i++) {
        players[i] = stage_player(0.375f + 0.1f * (float)i, i);
        players[i].notifies = notifies[i];
        players[i].notify_count = 1;
        players[i].looped_event = 3 + i;
    }
    const control_group_def group = {.players = (const uint32_t[]){0, 1, 2},
                                     .player_count = 3,
                                     .rate = lmb_constant(1.0f),
                                     .velocity_parameter = LMB_NONE};
    control_def def = stage_control(players, 3, 6);
    def.event_count = 6;
    def.max_emitted_events = STAGE_EMITTED;
    def.groups = &group;
    def.group_count = 1;
    stage s = begin_weighted(&def);
    for (int frame = 0; frame < 240; frame++) {
        double weights[3];
        step_with_weights(&s, frame, weights);
        for (uint32_t i = 0; i < s.emitted[0]; i++) {
            const uint32_t event = lmb_emitted_event_at(s.emitted, i).event;
            expect_emitted(&s, i, event, weights[event % 3]);
        }
    }
    for (uint32_t i = 0; i < 6; i++) {
        assert_in_range(s.counts[i], 7, 11);
    }
    stage_end(&s);
}

// A transition by an event applies its first step in the frame of the event. The events of the new state's clip follow
// the entry event, with the weight after that step. Machines react to the end of a clip in the next frame.
static void test_order_in_a_frame(void **state) {
    (void)state;
    static const lmb_notify_def notifies[] = {{0.0f, BACK}};
    small_machine small;
    control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    small.players[1].notifies = notifies;
    small.players[1].notify_count = 1;
    small.players[1].ended_event = CHAIN;
    small.players[1].duration = 0.5f;
    small.players[2].looped_event = GO;
    small.players[2].duration = 0.25f;
    stage s = begin_weighted(&def);
    for (int i = 0; i < 7; i++) {
        stage_step(&s, SIXTIETH);
        assert_int_equal(s.emitted[0], 0);
    }
    stage_send(&s, SIXTIETH, GO);
    assert_int_equal(s.emitted[0], 2);
    expect_emitted(&s, 0, ENTERED, 0.0);
    expect_emitted(&s, 1, BACK, 1 / 30.0);
    for (int i = 2; i < 30; i++) {
        stage_step(&s, SIXTIETH);
        assert_int_equal(s.emitted[0], 0);
        assert_near(stage_player_weight(&s, 1), i / 30.0, 1e-6);
    }
    stage_step(&s, SIXTIETH); // it reaches its end
    assert_int_equal(s.emitted[0], 1);
    expect_emitted(&s, 0, CHAIN, 1.0);
    assert_int_equal(stage_current_state(&s, 0), 1);
    stage_step(&s, SIXTIETH);
    assert_int_equal(s.emitted[0], 1);
    expect_emitted(&s, 0, LEFT, 1.0);
    assert_int_equal(stage_current_state(&s, 0), 2);
    assert_near(stage_player_weight(&s, 1), 29 / 30.0, 1e-6);
    assert_near(stage_player_weight(&s, 2), 1 / 30.0, 1e-6);
    for (int i = 2; i <= 15; i++) {
        stage_step(&s, SIXTIETH);
        assert_int_equal(s.emitted[0], i == 15 ? 1 : 0);
    }
    expect_emitted(&s, 0, GO, 0.5);
    stage_end(&s);
}

static void test_frozen_fade(void **state) {
    (void)state;
    small_machine small;
    const control_def def = describe_small(LMB_FADE_FROZEN, &small);
    stage s = stage_begin(&def);
    stage_step(&s, SIXTIETH);
    const float stopped = s.parameters[0];
    stage_send(&s, SIXTIETH, GO);
    assert_float_equal(s.parameters[0], stopped, 0.0f);
    for (int i = 0; i < 20; i++) {
        stage_step(&s, SIXTIETH);
        assert_float_equal(s.parameters[0], stopped, 0.0f);
    }
    assert_near(s.parameters[1], 21 / 60.0, 1e-6);
    stage_end(&s);
}

static control_def describe_inertialized(small_machine *small) {
    control_def def = describe_small(LMB_FADE_INERTIALIZED, small);
    def.parameter_count = 8 + LMB_INERTIA_PARAMETERS;
    def.inertialize = true;
    def.inertia_parameters = 8;
    return def;
}

// Checks the parameters that describe a switch, frame by frame.
static void expect_inertia(const stage *s, uint32_t number, double step, uint32_t switched, double time,
                           double duration) {
    const float *written = s->parameters + 8;
    assert_float_equal(written[LMB_INERTIA_NUMBER], (float)number, 0.0f);
    assert_near(written[LMB_INERTIA_STEP], step, fmax(1e-8, step * 1e-7));
    assert_float_equal(written[LMB_INERTIA_TRIGGERED], (float)switched, 0.0f);
    assert_near(written[LMB_INERTIA_TIME], time, 1e-7);
    assert_near(written[LMB_INERTIA_DURATION], duration, 0.0);
}

static void test_inertialized(void **state) {
    (void)state;
    small_machine small;
    control_def def = describe_inertialized(&small);
    small.transitions[2].fade = 0.25f;
    stage s = stage_begin(&def);
    const uint32_t both[] = {GO, BACK};
    // The first frame of a character has no previous pose.
    stage_send(&s, SIXTIETH, GO);
    assert_int_equal(stage_current_state(&s, 0), 1);
    expect_inertia(&s, 1, 0.0, 1, 1 / 60.0, 0.0);
    stage_send(&s, SIXTIETH, BACK);
    expect_inertia(&s, 2, 1 / 60.0, 2, 1 / 60.0, 0.25);
    for (uint32_t i = 3; i <= 15; i++) {
        stage_step(&s, SIXTIETH);
        expect_inertia(&s, i, 1 / 60.0, 2, (i - 1) / 60.0, 0.25);
    }
    // Only the new state has a weight, and the old state stops.
    const float stopped = s.parameters[0];
    stage_send(&s, 2 * SIXTIETH, GO);
    expect_inertia(&s, 16, 1 / 60.0, 16, 2 / 60.0, 0.5);
    assert_float_equal(s.parameters[3], 0.0f, 0.0f);
    assert_float_equal(s.parameters[4], 1.0f, 0.0f);
    assert_float_equal(s.parameters[0], stopped, 0.0f);
    assert_near(s.parameters[1], 2 / 60.0, 1e-6);
    stage_step(&s, SIXTIETH);
    expect_inertia(&s, 17, 2 / 60.0, 16, 3 / 60.0, 0.5);
    assert_float_equal(s.parameters[0], stopped, 0.0f);
    assert_near(s.parameters[1], 3 / 60.0, 1e-6);
    assert_int_equal(lmb_state_check(s.control, s.state, 1, NULL), LMB_OK);
    // The inertialization ends after its duration.
    for (uint32_t i = 18; i <= 43; i++) {
        stage_step(&s, SIXTIETH);
        expect_inertia(&s, i, 1 / 60.0, 16, (i - 14) / 60.0, 0.5);
    }
    stage_step(&s, SIXTIETH);
    expect_inertia(&s, 44, 1 / 60.0, 16, 0.0, 0.0);
    // Of several switches in one frame, the longest counts, whatever its target.
    stage_send(&s, SIXTIETH, BACK);
    stage_step_with(&s, SIXTIETH, both, 2);
    assert_int_equal(stage_current_state(&s, 0), 0);
    expect_inertia(&s, 46, 1 / 60.0, 46, 1 / 60.0, 0.5);
    stage_end(&s);
}

// A reset character has no previous pose. Its frame number skips one, because a frame that was shown under the previous
// number would be taken for its previous pose.
static void test_inertialized_and_begun_anew(void **state) {
    (void)state;
    small_machine small;
    control_def def = describe_inertialized(&small);
    stage s = stage_begin(&def);
    const uint32_t anew[] = {LMB_EVENT_RESET, GO};
    stage_step(&s, SIXTIETH);
    stage_send(&s, SIXTIETH, GO);
    expect_inertia(&s, 2, 1 / 60.0, 2, 1 / 60.0, 0.5);
    stage_send(&s, SIXTIETH, LMB_EVENT_RESET);
    expect_inertia(&s, 4, 0.0, 0, 0.0, 0.0);
    stage_send(&s, SIXTIETH, GO);
    expect_inertia(&s, 5, 1 / 60.0, 5, 1 / 60.0, 0.5);
    stage_step_with(&s, SIXTIETH, anew, 2);
    expect_inertia(&s, 7, 0.0, 7, 1 / 60.0, 0.0);
    // The number wraps around after the largest.
    s.state[lmb_graph_get_info(s.control)->state_words - 7] = LMB_MAX_INERTIA_NUMBER;
    stage_send(&s, SIXTIETH, LMB_EVENT_RESET);
    expect_inertia(&s, 1, 0.0, 0, 0.0, 0.0);
    stage_end(&s);
}

// The longest fade and step do not create a state that is refused: step_with() checks each state.
static void test_inertialized_for_the_longest_time(void **state) {
    (void)state;
    small_machine small;
    control_def def = describe_inertialized(&small);
    def.update_every = lmb_constant(16.0f);
    small.transitions[0].fade = LMB_MAX_CONTROL_SECONDS;
    stage s = stage_begin(&def);
    stage_step(&s, LMB_MAX_STEP_TICKS);
    stage_send(&s, LMB_MAX_STEP_TICKS, GO);
    for (uint32_t i = 0; i < 2000; i++) {
        stage_step(&s, LMB_MAX_STEP_TICKS);
    }
    stage_end(&s);
}

// Periods that change every frame can keep a character from its update: a part of the time is dropped.
static void test_update_after_the_longest_wait(void **state) {
    (void)state;
    enum { PERIOD = 8 + LMB_INERTIA_PARAMETERS };
    small_machine small;
    control_def def = describe_inertialized(&small);
    def.parameter_count = PERIOD + 1;
    def.update_every = lmb_parameter(PERIOD);
    stage s = stage_begin(&def);
    stage_step(&s, SIXTIETH);
    for (uint32_t i = 0; i < 40; i++) {
        s.parameters[PERIOD] = s.number % 2 > 0 ? 2.0f : s.number % 3 > 0 ? 3.0f : s.number % 5 > 0 ? 5.0f : 7.0f;
        stage_step(&s, LMB_MAX_STEP_TICKS);
        expect_inertia(&s, 1, 0.0, 0, 0.0, 0.0);
    }
    s.parameters[PERIOD] = 1.0f;
    stage_step(&s, LMB_MAX_STEP_TICKS);
    stage_step(&s, SIXTIETH); // writes the step before
    expect_inertia(&s, 3, 17 * 60.0, 0, 0.0, 0.0);
    stage_end(&s);
}

// Frames without an update do not count.
static void test_inertialized_with_updates_left_out(void **state) {
    (void)state;
    small_machine small;
    control_def def = describe_inertialized(&small);
    def.update_every = lmb_constant(4.0f);
    stage s = stage_begin(&def);
    for (uint32_t i = 0; i < 9; i++) {
        stage_step(&s, SIXTIETH);
        expect_inertia(&s, 1 + (s.number - 1) / 4, i < 8 ? (i < 4 ? 0.0 : 1 / 60.0) : 4 / 60.0, 0, 0.0, 0.0);
    }
    stage_send(&s, SIXTIETH, GO);
    expect_inertia(&s, 4, 4 / 60.0, 4, 1 / 60.0, 0.5);
    stage_step(&s, SIXTIETH);
    expect_inertia(&s, 4, 4 / 60.0, 4, 1 / 60.0, 0.5);
    // After a frame without an update, the decay counts from the event.
    stage_send(&s, 2 * SIXTIETH, BACK);
    expect_inertia(&s, 5, 1 / 60.0, 5, 2 / 60.0, 0.5);
    for (uint32_t i = 0; i < 5; i++) {
        stage_step(&s, SIXTIETH);
    }
    expect_inertia(&s, 7, 1 / 60.0, 5, 7 / 60.0, 0.5);
    stage_end(&s);
}

static void test_inertia_of_foreign_states(void **state) {
    (void)state;
    small_machine small;
    control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    def.parameter_count = 13;
    def.inertia_parameters = 8;
    stage plain = stage_begin(&def);
    const uint32_t words = lmb_graph_get_info(plain.control)->state_words;
    stage_end(&plain);
    def.inertialize = true;
    stage s = stage_begin(&def);
    assert_int_equal(lmb_graph_get_info(s.control)->state_words, words + 7);
    stage_step(&s, SIXTIETH);
    assert_int_equal(lmb_state_check(s.control, s.state, 1, NULL), LMB_OK);
    for (uint32_t i = 0; i < 7; i++) {
        const uint32_t kept = s.state[words + i];
        s.state[words + i] = 0xffffffffu; // not a valid number, and beyond every time
        const bool is_low = i == 4;       // this word of a time may have any value
        assert_int_equal(lmb_state_check(s.control, s.state, 1, NULL), is_low ? LMB_OK : LMB_ERROR_FORMAT);
        s.state[words + i] = kept;
    }
    stage_end(&s);
}

// Events are processed in the order sent. An event that no transition takes is dropped.
static void test_order_of_events(void **state) {
    (void)state;
    small_machine small;
    const control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    stage s = stage_begin(&def);
    const uint32_t first[] = {GO, BACK}, second[] = {BACK, GO};
    stage_step_with(&s, SIXTIETH, first, 2);
    assert_int_equal(stage_current_state(&s, 0), 0);
    stage_step_with(&s, SIXTIETH, second, 2);
    assert_int_equal(stage_current_state(&s, 0), 1);
    stage_send(&s, SIXTIETH, CHAIN);
    for (int i = 0; i < 70; i++) {
        stage_step(&s, SIXTIETH);
    }
    assert_int_equal(stage_current_state(&s, 0), 2);
    // A character processes at most sixteen events in a frame and counts the others as lost. A machine takes at
    // most eight transitions in each piece of a frame.
    uint32_t many[20];
    for (uint32_t i = 0; i < 20; i++) {
        many[i] = i % 2 ? BACK : GO;
    }
    stage_send(&s, SIXTIETH, BACK);
    stage_step_with(&s, SIXTIETH, many, 20);
    assert_int_equal(lmb_state_get_counts(s.control, s.state).sent_events, 4);
    assert_int_equal(lmb_state_get_counts(s.control, s.state).transitions, 1);
    assert_int_equal(stage_current_state(&s, 0), 0);
    stage_end(&s);
}

// Conditions, priorities, delays, and sequences of transitions without events.
static void test_conditions(void **state) {
    (void)state;
    control_state_def states[4];
    for (uint32_t i = 0; i < 4; i++) {
        states[i] = default_control_state_def();
    }
    const lmb_term fast[] = {{.kind = LMB_TERM_GREATER, .left = lmb_parameter(0), .right = lmb_constant(1.0f)},
                             {.kind = LMB_TERM_LESS_EQUAL, .left = lmb_parameter(1), .right = lmb_constant(0.0f)},
                             {.kind = LMB_TERM_AND, .left = lmb_constant(0), .right = lmb_constant(0)}};
    const lmb_term either[] = {{.kind = LMB_TERM_GREATER_EQUAL, .left = lmb_parameter(0), .right = lmb_constant(5.0f)},
                               {.kind = LMB_TERM_EQUAL, .left = lmb_parameter(1), .right = lmb_constant(7.0f)},
                               {.kind = LMB_TERM_OR, .left = lmb_constant(0), .right = lmb_constant(0)}};
    lmb_transition_def transitions[3] = {stage_transition(0, 1, LMB_NONE, 0.2f), stage_transition(0, 2, LMB_NONE, 0.2f),
                                         stage_transition(1, 3, LMB_NONE, 0.2f)};
    transitions[0].terms = fast;
    transitions[1].terms = either;
    transitions[0].term_count = transitions[1].term_count = 3;
    transitions[1].priority = 1;
    transitions[2].after = 0.25f;
    const control_machine_def machine = {states, 4, transitions, 3, LMB_NONE, 0, 0};
    control_def def = default_control_def();
    def.parameter_count = 2;
    def.machines = &machine;
    def.machine_count = 1;
    static const struct {
        float x, y;
        uint32_t state;
    } cases[] = {{0, 0, 0}, {1, 0, 0}, {1.5f, 0, 1}, {1.5f, 0.5f, 0}, {5, 0, 2},
                 {5, 1, 2}, {0, 7, 2}, {NAN, 0, 0},  {2, NAN, 0},     {INFINITY, -1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage s = stage_begin(&def);
        s.parameters[0] = cases[i].x;
        s.parameters[1] = cases[i].y;
        stage_step(&s, SIXTIETH);
        assert_int_equal(stage_current_state(&s, 0), cases[i].state);
        for (int frame = 1; frame <= 15; frame++) {
            assert_int_equal(stage_current_state(&s, 0), cases[i].state);
            stage_step(&s, SIXTIETH);
        }
        assert_int_equal(stage_current_state(&s, 0), cases[i].state == 1 ? 3 : cases[i].state);
        stage_end(&s);
    }
}

// A machine within a state restarts with the state, and does not run while the state is not current.
static void test_nested(void **state) {
    (void)state;
    control_state_def states[4];
    for (uint32_t i = 0; i < 4; i++) {
        states[i] = default_control_state_def();
        states[i].weight_parameter = i;
    }
    const lmb_transition_def outer[2] = {stage_transition(0, 1, GO, 0.0f), stage_transition(1, 0, BACK, 0.1f)};
    const lmb_transition_def inner = stage_transition(0, 1, CHAIN, 0.1f);
    const control_machine_def machines[] = {{states, 2, outer, 2, LMB_NONE, 0, 0}, {states + 2, 2, &inner, 1, 0, 1, 0}};
    control_def def = default_control_def();
    def.parameter_count = 4;
    def.event_count = EVENTS;
    def.machines = machines;
    def.machine_count = 2;
    stage s = stage_begin(&def);
    stage_send(&s, SIXTIETH, CHAIN);
    assert_int_equal(stage_current_state(&s, 1), 0); // its state is not current
    stage_send(&s, SIXTIETH, GO);
    stage_send(&s, SIXTIETH, CHAIN);
    assert_int_equal(stage_current_state(&s, 1), 1);
    stage_send(&s, SIXTIETH, BACK);
    for (int i = 0; i < 10; i++) {
        stage_send(&s, SIXTIETH, CHAIN);
    }
    stage_send(&s, SIXTIETH, GO);
    assert_int_equal(stage_current_state(&s, 1), 0); // restarted
    stage_end(&s);
}

// A character that is updated every 4th frame advances as far as one that is updated every frame.
static void test_update_rate(void **state) {
    (void)state;
    control_player_def player = stage_player(0.7f, 0);
    control_def def = control_of(&player);
    stage always = stage_begin(&def);
    def.update_every = lmb_constant(4.0f);
    stage seldom = stage_begin(&def);
    uint32_t changes = 0;
    for (uint32_t i = 0; i < 400; i++) {
        float last = seldom.parameters[0];
        stage_step(&always, SIXTIETH);
        stage_step(&seldom, SIXTIETH);
        changes += seldom.parameters[0] != last;
        if (i % 4 == 0) {
            assert_float_equal(seldom.parameters[0], always.parameters[0], 0.0f);
        }
    }
    assert_int_equal(changes, 100);
    stage_end(&always);
    stage_end(&seldom);
}

// A clip that ends in an update is shown at its end until the next update, where its weight becomes 0.
static void test_dropping_out_with_updates_left_out(void **state) {
    (void)state;
    control_player_def player = stage_player(0.1f, 0);
    player.end = LMB_END_ONCE;
    control_def def = control_of(&player);
    def.update_every = lmb_constant(4.0f);
    stage s = stage_begin(&def);
    for (uint32_t i = 0; i < 20; i++) {
        stage_step(&s, SIXTIETH); // updates in frames 0, 4, 8 (where it ends), 12, 16
        assert_float_equal(s.parameters[1], (i < 12 ? 1.0f : 0.0f), 0.0f);
        assert_float_equal(stage_player_weight(&s, 0), (i < 12 ? 1.0f : 0.0f), 0.0f);
    }
    stage_end(&s);
}

// A state that was copied out and back gives the same bits again.
static void test_rollback(void **state) {
    (void)state;
    small_machine small;
    const control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    stage s = stage_begin(&def);
    const uint32_t go = GO, back = BACK;
    for (int i = 0; i < 30; i++) {
        stage_step_with(&s, SIXTIETH, &go, i % 7 == 3);
    }
    stage saved = s;
    for (int i = 0; i < 100; i++) {
        stage_step_with(&s, SIXTIETH, &back, i % 31 == 5);
    }
    for (int i = 0; i < 100; i++) {
        stage_step_with(&saved, SIXTIETH, &back, i % 31 == 5);
    }
    assert_int_equal(memcmp(s.state, saved.state, sizeof s.state), 0);
    assert_int_equal(memcmp(s.parameters, saved.parameters, sizeof s.parameters), 0);
    assert_int_equal(lmb_hash_words(s.state, STAGE_WORDS), lmb_hash_words(saved.state, STAGE_WORDS));
    stage_end(&s);
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
        lmb_events_sort(events, scratch, count);
        for (uint32_t i = 1; i < count; i++) {
            bool in_order = events[i - 1].character < events[i].character ||
                            (events[i - 1].character == events[i].character && events[i - 1].event < events[i].event);
            assert_true(in_order);
        }
    }
}

static void test_refusals(void **state) {
    (void)state;
    small_machine small;
#define REFUSED(change, part)                                                                                          \
    {                                                                                                                  \
        control_def def = describe_small(LMB_FADE_SMOOTH, &small);                                                     \
        change;                                                                                                        \
        stage_refuse(&def, LMB_ERROR_ARGUMENT, part);                                                                  \
    }
    static const lmb_notify_def notifies[] = {{0.5f, 0}, {0.25f, 0}};
    static const float markers[] = {0.5f, 0.5f};
    static const float way[] = {1.0f, 2.0f, 3.0f, 0.0f,
                                1.0f, 7.0f, 3.0f, 1.0f}; // ends where it began, except for its height
    static const lmb_motion_track nowhere_track = {2, way, NULL};
    static const uint32_t held[] = {1}, both[] = {0, 2}, first[] = {0};
#define GROUP(numbers, how, velocity)                                                                                  \
    {                                                                                                                  \
        .players = numbers, .player_count = sizeof numbers / sizeof *numbers, .cadence = how,                          \
        .rate = lmb_constant(1.0f), .velocity_parameter = velocity                                                     \
    }
    const control_group_def holds = GROUP(held, LMB_CADENCE_DEFAULT, LMB_NONE),
                            of_first = GROUP(first, LMB_CADENCE_DEFAULT, LMB_NONE),
                            by_velocity = GROUP(both, LMB_CADENCE_VELOCITY, LMB_NONE),
                            unknown_cadence = GROUP(both, LMB_CADENCE_COUNT, LMB_NONE),
                            written_twice = GROUP(both, LMB_CADENCE_DEFAULT, 3),
                            late = GROUP(both, LMB_CADENCE_DEFAULT, 7);
    control_group_def other = GROUP(both, LMB_CADENCE_DEFAULT, LMB_NONE);
    other.rate = lmb_parameter(3);
#undef GROUP
    const lmb_term join = {.kind = LMB_TERM_AND, .left = lmb_constant(0), .right = lmb_constant(0)};
    const lmb_term two[] = {{.kind = LMB_TERM_LESS, .left = lmb_constant(0), .right = lmb_constant(0)},
                            {.kind = LMB_TERM_LESS, .left = lmb_constant(0), .right = lmb_constant(0)}};
    const lmb_term reads = {.kind = LMB_TERM_LESS, .left = lmb_parameter(7), .right = lmb_constant(0)};
#define PLACE(of, what, number)                                                                                        \
    { .kind = LMB_TERM_LESS, .left = lmb_constant(0), .right = number, .operand = of, .player_node = what }
    const lmb_term beyond = PLACE(LMB_OPERAND_REMAINING, 1, lmb_constant(1.5f)),
                   varies = PLACE(LMB_OPERAND_PHASE, 1, lmb_parameter(7)),
                   of_none = PLACE(LMB_OPERAND_PHASE, 3, lmb_constant(0.5f)),
                   of_what = PLACE(LMB_OPERAND_COUNT, 1, lmb_constant(0.5f));
#undef PLACE
    const lmb_smoothed_def itself = lmb_smoothed_parameter(lmb_parameter(7), 1.0f, 7),
                           nowhere = lmb_smoothed_parameter(lmb_parameter(7), 1.0f, LMB_NONE),
                           follows = lmb_smoothed_parameter(lmb_constant(1.0f), 1.0f, 7);
    REFUSED(small.players[0].duration = -1.0f, "node 0 (clip): player: duration");
    REFUSED(small.players[1].duration = NAN, "node 1 (clip): player: duration");
    REFUSED(small.players[0].offset = 2.0f, "node 0 (clip): player: offset");
    REFUSED(small.players[0].end = LMB_END_COUNT, "node 0 (clip): player: end");
    REFUSED(small.players[0].rate = lmb_parameter(8), "node 0 (clip): player: rate");
    REFUSED(small.players[1].repetitions = 2, "node 1 (clip): player: repetitions: the clip stays at its first end");
    REFUSED(small.players[0].repetitions = 100001, "node 0 (clip): player: repetitions: they take more");
    REFUSED((small.players[0].duration = 0.0f, small.players[0].repetitions = LMB_MAX_REPETITIONS + 1),
            "node 0 (clip): player: repetitions");
    REFUSED((small.players[0].repetitions = 2, def.groups = &of_first, def.group_count = 1),
            "node 0 (clip): player: repetitions: a clip in a group");
    REFUSED(small.players[0].delay = -1.0f, "node 0 (clip): player: delay");
    REFUSED((small.players[0].delay = 1.0f, def.groups = &of_first, def.group_count = 1),
            "node 0 (clip): player: delay: a clip in a group");
    REFUSED(small.players[0].sync = 1, "node 0 (clip): player: sync_node: no other clip plays there");
    REFUSED(small.players[0].sync = 4, "node 0 (clip): player: sync_node: no other clip plays there");
    REFUSED((small.players[0].sync = 2, def.groups = &of_first, def.group_count = 1),
            "node 0 (clip): player: sync_node: a clip in a group");
    REFUSED(small.players[0].drops_out = true, "node 0 (clip): player: drops_out: there are no repetitions");
    REFUSED(small.players[0].ended_event = 77, "node 0 (clip): player: ended_event");
    REFUSED(small.players[0].looped_event = 77, "node 0 (clip): player: looped_event");
    REFUSED(small.players[0].velocity = INFINITY, "node 0 (clip): player: velocity");
    REFUSED((small.players[0].notifies = notifies, small.players[0].notify_count = 2),
            "node 0 (clip): player: notifies");
    REFUSED((small.players[0].notifies = NULL, small.players[0].notify_count = 2), "node 0 (clip): player: notifies");
    REFUSED((small.players[0].markers = markers, small.players[0].marker_count = 2), "node 0 (clip): player: markers");
    REFUSED(small.players[0].marker_count = 17, "node 0 (clip): player: markers");
    REFUSED((def.groups = &holds, def.group_count = 1), "group 0: member 0: player");
    REFUSED((def.groups = &unknown_cadence, def.group_count = 1), "group 0: cadence: unknown");
    REFUSED((def.groups = &by_velocity, def.group_count = 1), "group 0: member 0: player: it has no velocity");
    REFUSED((def.groups = &by_velocity, def.group_count = 1, small.players[0].velocity = 1.0f),
            "group 0: member 1: player: it has no velocity");
    REFUSED((def.groups = &by_velocity, def.group_count = 1, small.players[0].velocity = 1.0f,
             small.players[2].motion = &nowhere_track),
            "group 0: member 1: player: it has no velocity");
    REFUSED((def.groups = &other, def.group_count = 1), "node 0 (clip): player: rate: reads");
    REFUSED((def.groups = &written_twice, def.group_count = 1), "something else");
    REFUSED(small.states[0].entry_event = 99, "state 0: entry_event");
    REFUSED(small.states[0].travel_event = 99, "state 0: travel_event");
    REFUSED(small.states[0].travel_event = small.states[2].travel_event = BACK, "state 2: travel_event: another state");
    REFUSED(small.transitions[0].start = LMB_START_COUNT, "node 3 (machine): transition 0: start: unknown");
    REFUSED(small.transitions[0].start_phase = 1.5f, "node 3 (machine): transition 0: start_phase: it is not from 0");
    REFUSED((small.transitions[0].start = LMB_START_SYNC, small.states[0].end_player = LMB_NONE),
            "node 3 (machine): transition 0: start: no clip of its own plays");
    REFUSED(small.transitions[0].travel_cost = 65537, "node 3 (machine): transition 0: travel_cost: it is above 65536");
    REFUSED(small.transitions[0].to = 3, "node 3 (machine): transition 0: to");
    REFUSED(small.transitions[0].from = 3, "node 3 (machine): transition 0: from");
    REFUSED(small.transitions[0].event = LMB_NONE, "node 3 (machine): transition 0: event");
    REFUSED(small.transitions[0].event = 99, "node 3 (machine): transition 0: event");
    REFUSED(small.transitions[0].fade = NAN, "node 3 (machine): transition 0: fade");
    REFUSED(small.transitions[0].after = INFINITY, "node 3 (machine): transition 0: after");
    REFUSED(small.transitions[0].curve = LMB_CURVE_COUNT, "node 3 (machine): transition 0: curve: unknown");
    REFUSED((small.transitions[0].curve = LMB_CURVE_BEZIER, small.transitions[0].curve_control[0] = NAN),
            "node 3 (machine): transition 0: curve: a control point");
    REFUSED(small.transitions[0].to_self = true, "node 3 (machine): transition 0: to_self: only a transition from any");
    REFUSED(small.transitions[0].kind = LMB_FADE_COUNT, "node 3 (machine): transition 0: kind");
    REFUSED(small.states[1].end_player = LMB_NONE, "node 3 (machine): transition 1: at_end");
    REFUSED((small.transitions[0].terms = &join, small.transitions[0].term_count = 1), "terms: nothing to join");
    REFUSED((small.transitions[0].terms = two, small.transitions[0].term_count = 2),
            "terms: they do not result in one condition");
    REFUSED((def.groups = &late, def.group_count = 1, small.transitions[0].terms = &reads,
             small.transitions[0].term_count = 1),
            "terms: left: reads");
    REFUSED((def.groups = &late, def.group_count = 1, small.players[1].rate = lmb_parameter(7)),
            "node 1 (clip): player: rate: reads");
    REFUSED((small.transitions[0].terms = &beyond, small.transitions[0].term_count = 1), "terms: right: out of range");
    REFUSED((small.transitions[0].terms = &varies, small.transitions[0].term_count = 1), "compared with a constant");
    REFUSED((small.transitions[0].terms = &of_none, small.transitions[0].term_count = 1),
            "terms: player_node: there is no");
    REFUSED((small.transitions[0].terms = &of_what, small.transitions[0].term_count = 1), "terms: operand: unknown");
    REFUSED((def.smoothed = &itself, def.smoothed_count = 1), "smoothed parameter 0: source");
    REFUSED((def.smoothed = &nowhere, def.smoothed_count = 1), "smoothed parameter 0: parameter");
    REFUSED(def.update_every = lmb_parameter(99), "update_every");
    REFUSED((def.smoothed = &follows, def.smoothed_count = 1, def.update_every = lmb_parameter(follows.parameter)),
            "update_every: reads a parameter that the host does not write");
#undef REFUSED
    control_def many = describe_small(LMB_FADE_SMOOTH, &small);
    many.max_emitted_events = LMB_MAX_EMITTED_EVENTS + 1;
    stage_refuse(&many, LMB_ERROR_LIMIT, "events emitted, and at most");
}

// As many weights as a graph may find where something moves.
static void test_most_weights(void **state) {
    (void)state;
    small_machine small;
    const control_def def = describe_small(LMB_FADE_SMOOTH, &small);
    // A blend needs three weights; the program itself needs two.
    enum { MOST = (LMB_MAX_CONTROL_WEIGHTS - 2) / 3 };
    static lmb_node_def nodes[1 + MOST];
    for (uint32_t i = 0; i < 1 + MOST; i++) {
        nodes[i] = lmb_default_node_def();
        nodes[i].op = i == 0 ? LMB_OP_CLIP : LMB_OP_BLEND;
        nodes[i].inputs[0] = i == 0 ? 0 : i - 1;
        nodes[i].input_count = i == 0 ? 0 : 2;
    }
    stage s = stage_begin_with(&def, control_program_create_of(nodes, 1 + MOST, def.parameter_count));
    stage_step(&s, SIXTIETH);
    stage_end(&s);
}

static lmb_result create_and_destroy(const lmb_host *host, lmb_error *error, void *def) {
    lmb_graph *control = NULL;
    const lmb_result result = control_create(def, NULL, host, &control, error);
    assert_true((result == LMB_OK) == (control != NULL));
    lmb_graph_destroy(control);
    return result;
}

static void test_no_memory(void **state) {
    (void)state;
    control_player_def player = default_control_player_def();
    control_def def = control_of(&player);
    failing_host_try_all(create_and_destroy, &def);
    lmb_graph_destroy(NULL);
}

static void test_refused_frames(void **state) {
    (void)state;
    control_player_def player = default_control_player_def();
    const control_def def = control_of(&player);
    stage s = stage_begin(&def);
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
    const lmb_event none = {0, LMB_NONE};
    bad.events = &none;
    bad.event_count = 1;
    assert_int_equal(lmb_control_run(s.control, &bad, 0, 0, &error), LMB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "it is LMB_NONE, as of a name that was not found"));
    stage_end(&s);
}

static void expect_state_refused(const stage *s, uint32_t word, uint32_t value, const char *why) {
    uint32_t two[2 * STAGE_WORDS] = {0}; // the second one is invalid
    uint32_t words = lmb_graph_get_info(s->control)->state_words;
    memcpy(two, s->state, words * sizeof *two);
    memcpy(two + words, s->state, words * sizeof *two);
    two[words + word] = value;
    lmb_error error = {0};
    assert_int_equal(lmb_state_check(s->control, two, 2, &error), LMB_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "character 1: "));
    if (strstr(error.message, why) == NULL) {
        fail_msg("'%s' does not report '%s'", error.message, why);
    }
    assert_int_equal(lmb_state_check(s->control, two, 1, &error), LMB_OK);
}

// The words of a character, then of smoothed parameters, players and machines, in the layout of
// shaders/ops/control_layout.h.
static void test_states_from_outside(void **state) {
    (void)state;
    control_player_def player = stage_player(1.0f, 0);
    control_def def = control_of(&player);
    stage s = stage_begin(&def);
    expect_state_refused(&s, 7, 1, "word 7: it has not begun");
    expect_state_refused(&s, 6, 720721, "word 6: there is no such phase");
    stage_step(&s, SIXTIETH);
    expect_state_refused(&s, 0, 2, "neither has begun");
    expect_state_refused(&s, 2, 0x7fffffffu, "it waits for too long");
    expect_state_refused(&s, 2, (uint32_t)(18 * LMB_MAX_STEP_TICKS >> 32), "it waits for too long");
    expect_state_refused(&s, 6, 0, "word 6: there is no such phase");
    expect_state_refused(&s, 8, 0x0000ffffu, "player 0: it is past its clip");
    expect_state_refused(&s, 9, 8, "player 0: there are no such flags");
    expect_state_refused(&s, 9, 16, "player 0: there are no such flags");
    expect_state_refused(&s, 10, 0xbf800000u, "player 0: its weight is not 0, or from 2^-40 to 2^40");
    expect_state_refused(&s, 10, 0x53800001u, "player 0: its weight is not 0, or from 2^-40 to 2^40");
    expect_state_refused(&s, 10, 0x7fc00000u, "player 0: its weight is not 0, or from 2^-40 to 2^40");
    lmb_error error = {0};
    assert_int_equal(lmb_state_check(NULL, s.state, 1, &error), LMB_ERROR_ARGUMENT);
    assert_int_equal(lmb_state_check(s.control, NULL, 1, &error), LMB_ERROR_ARGUMENT);
    stage_end(&s);

    const lmb_smoothed_def smoothed = lmb_smoothed_parameter(lmb_parameter(0), 1.0f, 1);
    const control_state_def states[2] = {default_control_state_def(), default_control_state_def()};
    const lmb_transition_def transition = stage_transition(LMB_NONE, 1, 0, 0.2f);
    const control_machine_def machine = {
        .states = states, .state_count = 2, .transitions = &transition, .transition_count = 1, .machine = LMB_NONE};
    def = default_control_def();
    def.parameter_count = 2;
    def.event_count = 1;
    def.smoothed = &smoothed;
    def.smoothed_count = 1;
    def.machines = &machine;
    def.machine_count = 1;
    s = stage_begin(&def);
    stage_step(&s, SIXTIETH);
    expect_state_refused(&s, 7, 0x7f800000u, "smoothed parameter 0: not 0, or from 2^-40");
    expect_state_refused(&s, 8, 2, "machine 0: there is no such state");
    expect_state_refused(&s, 11, 5, "machine 0: there is no such transition");
    expect_state_refused(&s, 14, 0x7fc00000u, "machine 0: a weight");
    expect_state_refused(&s, 15, 0xc0000000u, "machine 0: a weight"); // the sign says that it is frozen
    expect_state_refused(&s, 17, 0x40000000u, "machine 0: a weight");
    // During a fade, the word names a transition; any other position in the block is refused.
    stage_send(&s, SIXTIETH, 0);
    const uint32_t fading = s.state[11];
    assert_int_not_equal(fading, 0);
    assert_int_equal(lmb_state_check(s.control, s.state, 1, &error), LMB_OK);
    expect_state_refused(&s, 11, fading + 1, "machine 0: there is no such transition");
    expect_state_refused(&s, 11, fading - 1, "machine 0: there is no such transition");
    expect_state_refused(&s, 11, fading + 11, "machine 0: there is no such transition"); // after the last one
    stage_end(&s);

    // A ping-pong player counts up to twice its duration: there and back.
    player.end = LMB_END_PING_PONG;
    def = control_of(&player);
    s = stage_begin(&def);
    stage_step(&s, LMB_TICKS_PER_SECOND * 3 / 2);
    expect_state_refused(&s, 9, 8, "player 0: there are no such flags"); // it is not at its beginning
    const uint64_t twice = LMB_TICKS_PER_SECOND << 17;                   // in 1/65,536 of a tick
    for (uint64_t more = 0; more < 2; more++) {
        s.state[7] = (uint32_t)(twice + more);
        s.state[8] = (uint32_t)((twice + more) >> 32);
        assert_int_equal(lmb_state_check(s.control, s.state, 1, &error), more == 0 ? LMB_OK : LMB_ERROR_FORMAT);
    }
    stage_end(&s);
}

// The hash by the formula in control.h, word by word and with numbers of 64 bits.
static uint64_t rotate_number(uint64_t x, uint32_t count) {
    return (x * (UINT64_C(1) << count) + x / (UINT64_C(1) << (32 - count))) % (UINT64_C(1) << 32);
}

static void take_words(uint64_t pair[2], uint64_t x, uint64_t y) {
    pair[0] = rotate_number((pair[0] + x) % (UINT64_C(1) << 32), 13) ^ pair[1];
    pair[1] = (rotate_number((pair[1] + y) % (UINT64_C(1) << 32), 19) + pair[0]) % (UINT64_C(1) << 32);
}

static uint64_t spread_number(uint64_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu % (UINT64_C(1) << 32);
    x = (x ^ x >> 13) * 0xc2b2ae35u % (UINT64_C(1) << 32);
    return x ^ x >> 16;
}

static uint64_t expected_hash(const uint32_t *words, size_t count) {
    uint64_t lanes[8][2], last[2] = {(uint64_t)count % (UINT64_C(1) << 32), (uint64_t)count >> 32};
    for (uint64_t k = 0; k < 8; k++) {
        lanes[k][0] = (k + 1) * 0x9e3779b9u % (UINT64_C(1) << 32);
        lanes[k][1] = (k + 9) * 0x9e3779b9u % (UINT64_C(1) << 32);
        for (size_t i = k; i < (count + 15) / 16 * 16; i += 16) {
            take_words(lanes[k], i < count ? words[i] : 0, i + 8 < count ? words[i + 8] : 0);
        }
        take_words(last, lanes[k][0], lanes[k][1]);
    }
    take_words(last, 0, 0);
    take_words(last, 0, 0);
    return spread_number(last[1]) << 32 | spread_number(last[0]);
}

static uint32_t count_ones(uint64_t bits) {
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

enum { HASHED_WORDS = 70, HASHED_ROWS = 5 };

static void fill_words(uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        words[i] = (uint32_t)(i + 1) * 2654435761u;
    }
}

static void test_hash(void **state) {
    (void)state;
    uint32_t words[HASHED_ROWS * HASHED_WORDS], zeros[HASHED_WORDS] = {0};
    uint64_t hashes[HASHED_ROWS], of_zeros[HASHED_WORDS];
    fill_words(words, HASHED_ROWS * HASHED_WORDS);
    assert_true(lmb_hash_words(NULL, 0) == expected_hash(NULL, 0));
    for (size_t count = 0; count < HASHED_WORDS; count++) {
        assert_true(lmb_hash_words(words, count) == expected_hash(words, count));
        assert_true(lmb_hash_words(words + 1, count) == expected_hash(words + 1, count)); // not aligned to 16 bytes
        of_zeros[count] = lmb_hash_words(zeros, count);
        for (size_t shorter = 0; shorter < count; shorter++) {
            assert_true(of_zeros[shorter] != of_zeros[count]);
        }
    }
    assert_true(lmb_hash_words(words, HASHED_ROWS * HASHED_WORDS) == expected_hash(words, HASHED_ROWS * HASHED_WORDS));
    lmb_hash_rows(words, HASHED_WORDS, HASHED_ROWS, hashes);
    for (size_t row = 0; row < HASHED_ROWS; row++) {
        assert_true(hashes[row] == lmb_hash_words(words + row * HASHED_WORDS, HASHED_WORDS));
    }
    lmb_hash_rows(NULL, HASHED_WORDS, 0, NULL);
    lmb_hash_rows(words, 0, HASHED_ROWS, hashes);
    assert_true(hashes[HASHED_ROWS - 1] == lmb_hash_words(NULL, 0));
}

// Each bit that differs changes about half of the hash, wherever it is.
static void test_hash_spreads(void **state) {
    (void)state;
    uint32_t words[HASHED_WORDS], min = 64, max = 0, sum = 0;
    fill_words(words, HASHED_WORDS);
    const uint64_t hash = lmb_hash_words(words, HASHED_WORDS);
    for (size_t i = 0; i < HASHED_WORDS; i++) {
        for (uint32_t bit = 0; bit < 32; bit++) {
            words[i] ^= 1u << bit;
            const uint32_t ones = count_ones(hash ^ lmb_hash_words(words, HASHED_WORDS));
            words[i] ^= 1u << bit;
            min = ones < min ? ones : min;
            max = ones > max ? ones : max;
            sum += ones;
        }
    }
    assert_in_range(min, 12, 32);
    assert_in_range(max, 32, 52);
    assert_true(fabs((double)sum / (32.0 * HASHED_WORDS) - 32.0) < 0.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_day),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_steps_add_up),
        cmocka_unit_test(test_notifies),
        cmocka_unit_test(test_times_of_events),
        cmocka_unit_test(test_times_of_transitions),
        cmocka_unit_test(test_repetitions),
        cmocka_unit_test(test_ended_repetitions_stay),
        cmocka_unit_test(test_notifies_there_and_back),
        cmocka_unit_test(test_notifies_where_a_player_turns),
        cmocka_unit_test(test_ended_once),
        cmocka_unit_test(test_emitted_overflow),
        cmocka_unit_test(test_two_in_phase),
        cmocka_unit_test(test_cadences),
        cmocka_unit_test(test_group_goes_as_far_as_its_velocity),
        cmocka_unit_test(test_group_without_weight),
        cmocka_unit_test(test_markers),
        cmocka_unit_test(test_weights_of_clips),
        cmocka_unit_test(test_weights_in_root_motion),
        cmocka_unit_test(test_weights_without_a_program),
        cmocka_unit_test(test_emitted_weights),
        cmocka_unit_test(test_emitted_weights_of_a_group),
        cmocka_unit_test(test_order_in_a_frame),
        cmocka_unit_test(test_smoothed),
        cmocka_unit_test(test_smoothed_at_a_speed),
        cmocka_unit_test(test_delay),
        cmocka_unit_test(test_sync_with),
        cmocka_unit_test(test_machine),
        cmocka_unit_test(test_entered_again),
        cmocka_unit_test(test_frozen_states_stay_frozen),
        cmocka_unit_test(test_frozen_states_stay_frozen_without_weight),
        cmocka_unit_test(test_frozen_machines_stay_frozen),
        cmocka_unit_test(test_transitions_to_the_current_state),
        cmocka_unit_test(test_bezier_fades),
        cmocka_unit_test(test_frozen_fade),
        cmocka_unit_test(test_inertialized),
        cmocka_unit_test(test_inertialized_and_begun_anew),
        cmocka_unit_test(test_inertialized_for_the_longest_time),
        cmocka_unit_test(test_update_after_the_longest_wait),
        cmocka_unit_test(test_inertialized_with_updates_left_out),
        cmocka_unit_test(test_inertia_of_foreign_states),
        cmocka_unit_test(test_order_of_events),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_update_rate),
        cmocka_unit_test(test_dropping_out_with_updates_left_out),
        cmocka_unit_test(test_rollback),
        cmocka_unit_test(test_sorting),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_most_weights),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_refused_frames),
        cmocka_unit_test(test_states_from_outside),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_hash_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
