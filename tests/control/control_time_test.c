// Transitions occur at their exact times at any frame rate: checks how many there are, and the clips' final times.
#include "control_stage.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#define SECOND LMB_TICKS_PER_SECOND

enum { PARAMETERS = 4 };

static const uint64_t rates[] = {10, 24, 60, 144, 240, 7, 3};
enum { RATES = sizeof rates / sizeof rates[0] };

static void step(stage *s, uint64_t ticks) {
    stage_step(s, ticks);
    assert_in_range(s->emitted[0], 0, STAGE_EMITTED); // none is lost
}

// A transition due at the very end occurs at the start of the next frame, so a frame without time follows.
static void run(stage *s, uint64_t rate, uint64_t seconds) {
    for (uint64_t frame = 0; frame < rate * seconds; frame++) {
        step(s, SECOND / rate);
    }
    step(s, 0);
}

// States in a circle, each with a clip and a transition to the next state.
typedef struct circle {
    control_player_def players[4];
    control_state_def states[4];
    lmb_transition_def transitions[4];
    control_machine_def machine;
    lmb_motion_def motion;
    control_def def;
} circle;

static void make_circle(circle *c, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        c->players[i] = stage_player(0.4f, LMB_NONE);
        c->players[i].end = LMB_END_HOLD;
        c->players[i].machine = 0;
        c->players[i].state = i;
        c->states[i] = default_control_state_def();
        c->states[i].end_player = i;
        c->states[i].entry_event = i;
        c->transitions[i] = stage_transition(i, (i + 1) % count, LMB_NONE, 0.0f);
        c->transitions[i].at_end = true;
    }
    c->machine = (control_machine_def){.states = c->states,
                                       .state_count = count,
                                       .transitions = c->transitions,
                                       .transition_count = count,
                                       .machine = LMB_NONE};
    c->motion = lmb_default_motion_def();
    c->def = stage_control(c->players, count, PARAMETERS);
    c->def.event_count = 4;
    c->def.machines = &c->machine;
    c->def.machine_count = 1;
    c->def.max_emitted_events = STAGE_EMITTED;
    c->def.motion = &c->motion;
}

// Clips of 0.4 s end 150 times in 60 s, at any frame rate and with any end.
static void test_ends(void **state) {
    (void)state;
    static const lmb_end ends[] = {LMB_END_HOLD, LMB_END_ONCE, LMB_END_LOOP, LMB_END_PING_PONG};
    static const float paces[] = {1.0f, 2.5f, -1.0f, 0.3f};
    for (uint32_t i = 0; i < 4 * 4 * RATES; i++) {
        const lmb_end kind = ends[i % 4];
        const float pace = paces[i / 4 % 4];
        const uint64_t rate = rates[i / 16];
        const bool loops_back = kind == LMB_END_LOOP && pace < 0.0f; // starts in its middle, ends below 0
        circle c;
        make_circle(&c, 2);
        for (uint32_t k = 0; k < 2; k++) {
            c.players[k].end = kind;
            c.players[k].rate = lmb_constant(pace);
            c.players[k].offset = pace < 0.0f ? (loops_back ? 0.2f : 0.4f) : 0.0f;
        }
        stage s = stage_begin(&c.def);
        run(&s, rate, 60);
        const double each = (loops_back ? 0.2 : 0.4) / fabs((double)pace);
        const double passed = floor(60.0 / each + (loops_back ? -1e-3 : 1e-6));
        assert_int_equal(s.counts[0] + s.counts[1], (uint32_t)passed);
        stage_end(&s);
    }
}

// The next state uses the rest of the frame: for its clip, its fade and its root motion.
static void test_remainders(void **state) {
    (void)state;
    for (uint32_t i = 0; i < RATES; i++) {
        circle c;
        make_circle(&c, 3);
        static const float durations[3] = {0.43f, 0.71f, 0.29f}, velocities[3] = {1.0f, -3.0f, 7.0f};
        for (uint32_t k = 0; k < 3; k++) {
            c.players[k].duration = durations[k];
            c.players[k].velocity = velocities[k];
        }
        stage s = stage_begin(&c.def);
        run(&s, rates[i], 20);
        double time = 20.0, way = 0.0;
        uint32_t current = 0, entries = 0;
        while (time >= (double)durations[current] - 1e-7) {
            time -= (double)durations[current];
            way += (double)durations[current] * (double)velocities[current];
            current = (current + 1) % 3;
            entries++;
        }
        way += time * (double)velocities[current];
        assert_int_equal(s.counts[0] + s.counts[1] + s.counts[2], entries);
        assert_int_equal(stage_current_state(&s, 0), current);
        const double place = stage_player_seconds(&s, current);
        assert_true(fabs(place - time) < 1e-6);
        assert_true(fabs(lmb_state_motion(s.control, s.state).position[2] - way) < 2e-5);
        stage_end(&s);
    }
}

// A time in a state combined with another condition: the later one counts.
static void test_after(void **state) {
    (void)state;
    for (uint32_t i = 0; i < RATES; i++) {
        circle c;
        make_circle(&c, 2);
        const lmb_term term = {.kind = LMB_TERM_GREATER, .left = lmb_parameter(0), .right = lmb_constant(0.5f)};
        c.transitions[0].at_end = false;
        c.transitions[0].after = 0.35f;
        c.transitions[1].after = 0.1f; // and its end
        c.transitions[1].terms = &term;
        c.transitions[1].term_count = 1;
        stage s = stage_begin(&c.def);
        s.parameters[0] = 1.0f;
        run(&s, rates[i], 30);
        assert_int_equal(s.counts[0] + s.counts[1], 80); // in turn after 0.35 and 0.4 s
        // Its condition keeps the machine in the second state.
        s.parameters[0] = 0.0f;
        run(&s, rates[i], 5);
        assert_int_equal(s.counts[0] + s.counts[1], 81);
        s.parameters[0] = 1.0f;
        step(&s, 0);
        assert_int_equal(s.counts[0], 41);
        stage_end(&s);
    }
}

static lmb_term place_term(lmb_term_kind kind, lmb_operand operand, float right, uint32_t player) {
    return (lmb_term){.kind = kind,
                      .left = lmb_constant(0.0f),
                      .right = lmb_constant(right),
                      .operand = operand,
                      .player_node = player};
}

// A phase or a remaining time, each reached once in a clip of 0.4 s: `each` seconds after the clip's start, in real
// time.
static const struct {
    lmb_term_kind kind;
    lmb_operand operand;
    float right;
    lmb_end end;
    float pace, offset;
    double each;
} positions[] = {
    {LMB_TERM_GREATER_EQUAL, LMB_OPERAND_PHASE, 0.5f, LMB_END_LOOP, 1.0f, 0.0f, 0.2},
    {LMB_TERM_GREATER_EQUAL, LMB_OPERAND_PHASE, 0.1f, LMB_END_HOLD, 1.0f, 0.0f, 0.04},
    {LMB_TERM_GREATER_EQUAL, LMB_OPERAND_PHASE, 1.0f, LMB_END_HOLD, 1.0f, 0.0f, 0.4},
    {LMB_TERM_GREATER_EQUAL, LMB_OPERAND_PHASE, 0.75f, LMB_END_ONCE, 2.0f, 0.1f, 0.1},
    {LMB_TERM_LESS_EQUAL, LMB_OPERAND_REMAINING, 0.1f, LMB_END_LOOP, 1.0f, 0.0f, 0.3},
    {LMB_TERM_LESS_EQUAL, LMB_OPERAND_REMAINING, 0.25f, LMB_END_HOLD, 0.5f, 0.0f, 0.3},
    {LMB_TERM_LESS_EQUAL, LMB_OPERAND_PHASE, 0.25f, LMB_END_HOLD, -1.0f, 0.4f, 0.3},
    {LMB_TERM_GREATER_EQUAL, LMB_OPERAND_REMAINING, 0.1f, LMB_END_LOOP, -1.0f, 0.35f, 0.05},
    {LMB_TERM_LESS_EQUAL, LMB_OPERAND_PHASE, 0.5f, LMB_END_PING_PONG, -1.0f, 0.4f, 0.2},
    {LMB_TERM_GREATER_EQUAL, LMB_OPERAND_PHASE, 0.5f, LMB_END_PING_PONG, 1.0f, 0.1f, 0.1},
    // One tick later than the same comparison with equality.
    {LMB_TERM_GREATER, LMB_OPERAND_PHASE, 0.5f, LMB_END_LOOP, 1.0f, 0.0f, 0.2 + 1.0 / 705600000.0},
    {LMB_TERM_LESS, LMB_OPERAND_REMAINING, 0.1f, LMB_END_HOLD, 1.0f, 0.0f, 0.3 + 1.0 / 705600000.0},
    {LMB_TERM_LESS, LMB_OPERAND_PHASE, 0.25f, LMB_END_HOLD, -1.0f, 0.4f, 0.3 + 1.0 / 705600000.0},
};

static void test_places(void **state) {
    (void)state;
    for (size_t i = 0; i < RATES * sizeof positions / sizeof positions[0]; i++) {
        const uint64_t rate = rates[i % RATES];
        circle c;
        lmb_term terms[2][3];
        make_circle(&c, 2);
        for (uint32_t k = 0; k < 2; k++) {
            c.players[k].end = positions[i / RATES].end;
            c.players[k].rate = lmb_constant(positions[i / RATES].pace);
            c.players[k].offset = positions[i / RATES].offset;
            c.transitions[k].at_end = false;
            terms[k][0] =
                place_term(positions[i / RATES].kind, positions[i / RATES].operand, positions[i / RATES].right, k);
            // With a second condition that holds, or another position that has already passed.
            terms[k][1] = (lmb_term){.kind = LMB_TERM_EQUAL, .left = lmb_parameter(0), .right = lmb_constant(0.0f)};
            if (positions[i / RATES].pace > 0.0f && positions[i / RATES].offset > 0.0f) {
                terms[k][1] = place_term(LMB_TERM_GREATER, LMB_OPERAND_PHASE, 0.1f, k);
            }
            terms[k][2] = (lmb_term){.kind = LMB_TERM_AND, .left = lmb_constant(0.0f), .right = lmb_constant(0.0f)};
            c.transitions[k].terms = terms[k];
            c.transitions[k].term_count = i % 2 == 0 ? 1 : 3;
        }
        stage s = stage_begin(&c.def);
        run(&s, rate, 20);
        // At low frame rates, more transitions are due in a frame than it can be divided into pieces.
        const double passed = floor(20.0 / positions[i / RATES].each + 1e-7);
        if (positions[i / RATES].each * (double)rate * 15.0 > 1.0) {
            assert_int_equal(s.counts[0] + s.counts[1], (uint32_t)passed);
        }
        stage_end(&s);
    }
}

// A frame of a minute with a clip of 1e5 s: the time is exact, and the frame has no more pieces than needed.
static void test_far_places(void **state) {
    (void)state;
    circle c;
    make_circle(&c, 2);
    const lmb_term term = place_term(LMB_TERM_GREATER_EQUAL, LMB_OPERAND_PHASE, 0.0003f, 0);
    c.players[0].duration = 1e5f;
    c.transitions[0].at_end = false;
    c.transitions[0].terms = &term;
    c.transitions[0].term_count = 1;
    c.players[1].duration = 100.0f;
    stage s = stage_begin(&c.def);
    step(&s, 60 * SECOND);
    assert_true(lmb_state_player(s.control, s.state, 1).ticks == 30 * SECOND);
    stage_end(&s);
}

// These positions are only checked at the start of a piece: with events, of clips in a group, and after a wrap-around.
static void test_places_seen(void **state) {
    (void)state;
    static const struct {
        lmb_term_kind kind;
        float right;
        bool has_event, is_grouped;
        uint32_t frames; // of 0.1 s, with a clip of 0.4 s
    } rows[] = {{LMB_TERM_GREATER_EQUAL, 0.5f, true, false, 3}, {LMB_TERM_GREATER, 0.5f, true, false, 4},
                {LMB_TERM_GREATER_EQUAL, 0.4f, false, true, 3}, {LMB_TERM_GREATER_EQUAL, 0.4f, true, true, 3},
                {LMB_TERM_LESS, 0.01f, false, false, 1},        {LMB_TERM_EQUAL, 0.75f, false, false, 4},
                {LMB_TERM_GREATER_EQUAL, 0.0f, true, false, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        circle c;
        make_circle(&c, 2);
        const lmb_term term = place_term(rows[i].kind, LMB_OPERAND_PHASE, rows[i].right, 0);
        static const uint32_t member[] = {0};
        const control_group_def group = {
            .players = member, .player_count = 1, .rate = lmb_constant(1.0f), .velocity_parameter = LMB_NONE};
        c.players[0].end = LMB_END_LOOP;
        c.transitions[0].at_end = false;
        c.transitions[0].terms = &term;
        c.transitions[0].term_count = 1;
        c.transitions[0].event = rows[i].has_event ? 0 : LMB_NONE;
        c.def.groups = &group;
        c.def.group_count = rows[i].is_grouped ? 1 : 0;
        stage s = stage_begin(&c.def);
        uint32_t frames = 0;
        while (frames < 20 && stage_current_state(&s, 0) == 0) {
            stage_send(&s, SECOND / 10, 0);
            frames++;
        }
        assert_int_equal(frames, rows[i].frames);
        stage_end(&s);
    }
}

// A fade starts at the time of its transition.
static void test_fades(void **state) {
    (void)state;
    circle c;
    make_circle(&c, 2);
    c.transitions[0].fade = 0.5f;
    c.transitions[0].curve = LMB_CURVE_LINEAR;
    c.transitions[1].at_end = false;
    c.transitions[1].after = 100.0f;
    stage s = stage_begin(&c.def);
    step(&s, 3 * SECOND / 10);
    step(&s, 3 * SECOND / 10);
    assert_true(fabs((double)lmb_state_weight(s.control, s.state, 0, 1) - 0.4) < 1e-6);
    stage_end(&s);
}

// Seconds given as floats stand for the simplest fraction of a second that rounds to them.
static void test_rounding(void **state) {
    (void)state;
    static const uint64_t frames[][2] = {{60, 24}, {60, 47}, {30, 11}, {144, 100}, {90, 17}, {24, 1}, {25, 7}};
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        circle c;
        make_circle(&c, 1);
        c.transitions[0] = lmb_default_transition_def();
        c.machine.transition_count = 0;
        c.players[0].duration = (float)((double)frames[i][1] / (double)frames[i][0]);
        stage s = stage_begin(&c.def);
        for (uint64_t k = 0; k < frames[i][1]; k++) {
            step(&s, SECOND / frames[i][0]);
        }
        assert_true(lmb_state_player(s.control, s.state, 0).ticks == frames[i][1] * (SECOND / frames[i][0]));
        stage_end(&s);
    }
}

// A frame of a minute has at most the max number of pieces, and the times stay in range.
static void test_long_frames(void **state) {
    (void)state;
    circle c;
    make_circle(&c, 2);
    stage s = stage_begin(&c.def);
    step(&s, 60 * SECOND);
    assert_in_range(s.counts[0] + s.counts[1], 8, 16);
    step(&s, SECOND / 60);
    assert_true(lmb_state_player(s.control, s.state, 0).ticks <= 4 * SECOND / 10);
    stage_end(&s);
}

// A machine in a circle next to another machine, with clips of 50 ms and then one of a second.
typedef struct pair {
    circle line;
    control_player_def players[4];
    control_state_def states[2];
    lmb_transition_def transitions[2];
    lmb_term never;
    control_machine_def machines[2];
} pair;

static void make_pair(pair *p) {
    make_circle(&p->line, 3);
    p->players[0] = default_control_player_def();
    p->players[0].machine = 0;
    for (uint32_t i = 0; i < 3; i++) {
        p->players[1 + i] = p->line.players[i];
        p->players[1 + i].duration = i < 2 ? 0.05f : 1.0f;
        p->players[1 + i].machine = 1;
        p->line.states[i].end_player = 1 + i;
    }
    p->never = (lmb_term){.kind = LMB_TERM_GREATER, .left = lmb_parameter(0), .right = lmb_constant(10.0f)};
    for (uint32_t i = 0; i < 2; i++) {
        p->states[i] = default_control_state_def();
        p->transitions[i] = stage_transition(0, 1, LMB_NONE, 0.2f);
        p->transitions[i].at_end = true;
    }
    p->states[0].end_player = 0;
    p->transitions[0].terms = &p->never;
    p->transitions[0].term_count = 1;
    p->machines[0] = (control_machine_def){.states = p->states,
                                           .state_count = 2,
                                           .transitions = p->transitions,
                                           .transition_count = 1,
                                           .machine = LMB_NONE};
    p->machines[1] = p->line.machine;
    p->line.def.players = p->players;
    p->line.def.player_count = 4;
    p->line.def.machines = p->machines;
    p->line.def.machine_count = 2;
}

// A transition that cannot be taken does not divide frames, nor does one that takes no time.
static void test_idle_neighbours(void **state) {
    (void)state;
    static const struct {
        float duration, rate;
    } rows[] = {{0.002f, 1.0f}, {0.002f, -1.0f}, {0.0f, 1.0f}, {0.0f, -1.0f}, {5.0f, 0.0f}, {5.0f, 1e-5f}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        pair p;
        make_pair(&p);
        p.players[0].duration = rows[i].duration;
        p.players[0].rate = lmb_constant(rows[i].rate);
        stage s = stage_begin(&p.line.def);
        step(&s, SECOND / 5);
        assert_int_equal(stage_current_state(&s, 1), 2);
        const double place = stage_player_seconds(&s, 3);
        assert_true(fabs(place - 0.1) < 1e-8);
        stage_end(&s);
    }
}

// Nor does the position of a clip that does not run because its state has no weight.
static void test_places_at_rest(void **state) {
    (void)state;
    pair p;
    make_pair(&p);
    p.players[0].duration = 5.0f;
    p.players[0].state = 1;
    lmb_term term = place_term(LMB_TERM_GREATER_EQUAL, LMB_OPERAND_PHASE, 0.0001f, 0);
    p.transitions[0].at_end = false;
    p.transitions[0].terms = &term;
    stage s = stage_begin(&p.line.def);
    step(&s, SECOND / 5);
    assert_int_equal(stage_current_state(&s, 1), 2);
    assert_true(fabs(stage_player_seconds(&s, 3) - 0.1) < 1e-8);
    stage_end(&s);
}

// An event's transition sees a clip's end in any piece of the previous frame.
static void test_ends_with_events(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        pair p;
        make_pair(&p);
        p.players[0].duration = 0.94f;
        p.transitions[1].event = 0;
        p.machines[0].transition_count = i == 0 ? 2 : 1;
        p.machines[0].transitions = i == 0 ? p.transitions : p.transitions + 1;
        // With another transition that divides the frame after the end, or without one.
        p.players[3].duration = i == 2 ? 0.845f : 1.0f;
        stage s = stage_begin(&p.line.def);
        uint32_t frames = 0;
        while (frames < 600 && stage_current_state(&s, 0) == 0) {
            stage_send(&s, SECOND / 60, 0);
            frames++;
        }
        assert_int_equal(frames, 58); // after 0.94 s, which is within frame 57
        stage_end(&s);
    }
}

// A clip that holds at its start is at its end immediately, at any frame rate.
static void test_ends_at_once(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3 * RATES; i++) {
        circle c;
        make_circle(&c, 2);
        c.players[0].duration = i % 3 == 0 ? 0.0f : 0.4f;
        c.players[0].offset = i % 3 == 1 ? 0.4f : 0.0f;
        c.players[0].rate = lmb_constant(i % 3 == 2 ? -1.0f : 1.0f);
        c.players[1].duration = 5.0f;
        stage s = stage_begin(&c.def);
        run(&s, rates[i / 3], 1);
        const double place = stage_player_seconds(&s, 1);
        assert_true(fabs(place - 1.0) < 1e-8);
        stage_end(&s);
    }
}

// A step is the nearest tick if it is given as a double, and within the float's rounding if as a float. Both are exact
// where the rate divides a second, and so is the sum of a thousand steps.
static void check_rate(uint32_t rate) {
    const double seconds = 1.0 / rate;
    const float single = (float)seconds;
    const uint64_t of_double = lmb_ticks_from_seconds(seconds), of_float = lmb_ticks_from_seconds(single);
    assert_true((double)single == seconds || of_double == (SECOND + rate / 2) / rate);
    const double rounding = 0.5 * (double)(nextafterf(single, 2.0f) - single) * (double)SECOND;
    assert_true(fabs((double)of_float - (double)single * (double)SECOND) <= fmax(rounding, 0.5));
    if (SECOND % rate == 0) {
        uint64_t sum = 0;
        for (int i = 0; i < 1000; i++) {
            sum += lmb_ticks_from_seconds(1.0f / (float)rate);
        }
        assert_true(of_double == SECOND / rate && of_float == of_double && sum == 1000 * SECOND / rate);
    }
}

static void test_steps(void **state) {
    (void)state;
    for (uint32_t rate = 1; rate <= 240; rate++) {
        check_rate(rate);
    }
    assert_true(lmb_ticks_from_seconds(0.4f) == SECOND * 2 / 5 && lmb_ticks_from_seconds(0.3f) == SECOND * 3 / 10);
    assert_true(lmb_ticks_from_seconds(0.0) == 0 && lmb_ticks_from_seconds(1e-42f) == 0);
    assert_true(lmb_ticks_from_seconds(-1.0) == 0 && lmb_ticks_from_seconds(-1 / 60.f) == 0);
    assert_true(lmb_ticks_from_seconds((double)NAN) == 0 && lmb_ticks_from_seconds(-(double)INFINITY) == 0);
    assert_true(lmb_ticks_from_seconds(0.4 / (double)SECOND) == 0 && lmb_ticks_from_seconds(0.6 / (double)SECOND) == 1);
    assert_true(lmb_ticks_from_seconds(60.0) == LMB_MAX_STEP_TICKS && lmb_ticks_from_seconds(60.5) == 60 * SECOND);
    assert_true(lmb_ticks_from_seconds(60.1f) == LMB_MAX_STEP_TICKS && lmb_ticks_from_seconds(1e300) == 60 * SECOND);
    assert_true(lmb_ticks_from_seconds((double)INFINITY) == LMB_MAX_STEP_TICKS);
}

static void steps_do_not_depend_on_the_rounding_mode(void **state) {
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(fesetround(modes[i]), 0);
        const uint64_t ticks = lmb_ticks_from_seconds(1 / 60.0f), few = lmb_ticks_from_seconds(1.6 / 705.6e6);
        fesetround(FE_TONEAREST);
        assert_true(ticks == SECOND / 60 && few == 2);
    }
}

// Twelve float steps of a sixtieth end on 0.2 s, so the thirteenth begins with a transition that is due then.
static void float_steps_take_transitions_on_time(void **state) {
    (void)state;
    circle c;
    make_circle(&c, 2);
    c.transitions[0].at_end = false;
    c.transitions[0].after = 0.2f;
    stage s = stage_begin(&c.def);
    step(&s, 0);
    for (int frame = 1; frame <= 13; frame++) {
        step(&s, lmb_ticks_from_seconds(1 / 60.f));
        assert_int_equal(lmb_state_current(s.control, s.state, 0), frame >= 13);
    }
    stage_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps),
                                       cmocka_unit_test(steps_do_not_depend_on_the_rounding_mode),
                                       cmocka_unit_test(float_steps_take_transitions_on_time),
                                       cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_remainders),
                                       cmocka_unit_test(test_after),
                                       cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_far_places),
                                       cmocka_unit_test(test_places_seen),
                                       cmocka_unit_test(test_fades),
                                       cmocka_unit_test(test_rounding),
                                       cmocka_unit_test(test_long_frames),
                                       cmocka_unit_test(test_idle_neighbours),
                                       cmocka_unit_test(test_places_at_rest),
                                       cmocka_unit_test(test_ends_with_events),
                                       cmocka_unit_test(test_ends_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
