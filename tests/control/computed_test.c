// Parameters that a control computes: each kind against its formula in float64, when their values are available, and
// refused definitions.
#include "control_stage.h"
#include "random.h"

#include <math.h>
#include <string.h>

enum { CHARACTERS = 40, MOST_WORDS = 256, PARAMETERS = 16 };

// Characters with their control.
typedef struct crowd {
    lmb_graph *control;
    uint32_t state[CHARACTERS * MOST_WORDS];
    float parameters[CHARACTERS][PARAMETERS];
    float motions[CHARACTERS * LMB_MOTION_FLOATS];
    uint32_t number;
} crowd;

static void begin(crowd *s, const control_def *def) {
    *s = (crowd){0};
    lmb_error error = {0};
    if (control_create(def, NULL, NULL, &s->control, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    assert_in_range(lmb_graph_get_info(s->control)->state_words, 1, MOST_WORDS);
}

static void step(crowd *s, uint64_t ticks, uint32_t event, uint32_t events) {
    const lmb_event sent = {0, event};
    const lmb_control_frame frame = {.step = ticks,
                                     .number = s->number++,
                                     .character_count = CHARACTERS,
                                     .state = s->state,
                                     .parameters = s->parameters[0],
                                     .events = &sent,
                                     .event_count = events,
                                     .motions = s->motions};
    lmb_error error = {0};
    if (lmb_control_run(s->control, &frame, 0, CHARACTERS, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

static void end(crowd *s) {
    lmb_graph_destroy(s->control);
}

static control_def control_of(const lmb_computed_def *computed, uint32_t count) {
    control_def def = stage_control(NULL, 0, PARAMETERS);
    def.event_count = 2;
    def.computed = computed;
    def.computed_count = count;
    return def;
}

static lmb_computed_def binary(lmb_computed_kind kind, lmb_value a, lmb_value b, uint32_t parameter) {
    return (lmb_computed_def){.kind = kind, .inputs = {a, b}, .parameter = parameter};
}

// ---- The formulas. ----

// Applies the rule for input values: NaN and magnitudes below 2^-40 become 0, and magnitudes are at most 2^40.
static double enter(float x) {
    const double magnitude = isnan(x) || fabs((double)x) < 0x1p-40 ? 0.0 : fmin(fabs((double)x), 0x1p40);
    return signbit(x) ? -magnitude : magnitude;
}

static double remap(const double x[5]) {
    const double low = x[1], high = x[2];
    if (low == high) {
        return x[0] < low ? x[3] : x[4];
    }
    const double share = fmin(fmax((x[0] - low) / (high - low), 0.0), 1.0);
    return x[3] * (1.0 - share) + x[4] * share;
}

static double formula(lmb_computed_kind kind, const double x[5]) {
    double y = x[0] + x[1];
    if (kind == LMB_COMPUTED_SUBTRACT) {
        y = x[0] - x[1];
    } else if (kind == LMB_COMPUTED_MULTIPLY) {
        y = x[0] * x[1];
    } else if (kind == LMB_COMPUTED_MIN) {
        y = fmin(x[0], x[1]);
    } else if (kind == LMB_COMPUTED_MAX) {
        y = fmax(x[0], x[1]);
    } else if (kind == LMB_COMPUTED_CLAMP) {
        y = fmin(fmax(x[0], x[1]), x[2]);
    } else if (kind == LMB_COMPUTED_REMAP) {
        y = remap(x);
    }
    return fmin(fmax(y, -0x1p40), 0x1p40);
}

// Magnitudes below 2^-40 become 0.
static double bound_of(lmb_computed_kind kind, const double x[5], double expected) {
    if (kind == LMB_COMPUTED_REMAP) {
        return 1e-6 * fmax(fabs(x[3]), fabs(x[4])) + 0x1p-40;
    }
    return kind < LMB_COMPUTED_MIN ? 0x1.01p-24 * fabs(expected) + 0x1p-40 : 0.0;
}

static float draw(random_source *random) {
    static const float usual[] = {0.0f, -0.0f, 1.0f, 0.5f, -1.0f, 2.0f, 0x1p40f, -0x1p40f, 1e-42f, 3e38f};
    switch (random_below(random, 5)) {
    case 0:
        return random_extreme(random);
    case 1:
        return usual[random_below(random, 10)];
    case 2:
        return random_allowed(random);
    default:
        return (float)random_between(random, -4.0, 4.0);
    }
}

static void expect(lmb_computed_kind kind, const float given[5], float actual) {
    double x[5];
    for (int i = 0; i < 5; i++) {
        x[i] = enter(given[i]);
    }
    const double expected = formula(kind, x);
    if (!(fabs((double)actual - expected) <= bound_of(kind, x, expected))) {
        fail_msg("kind %d of %a, %a, %a, %a, %a is %a, not %a", (int)kind, x[0], x[1], x[2], x[3], x[4], (double)actual,
                 expected);
    }
    const bool at_end = kind == LMB_COMPUTED_REMAP && (x[0] == x[1] || x[0] == x[2]);
    if (at_end) {
        assert_true((double)actual == (x[0] == x[2] ? x[4] : x[3]));
    }
    assert_true(!signbit(actual) || actual != 0.0f);
}

static void test_formulas(void **state) {
    (void)state;
    lmb_computed_def computed[LMB_COMPUTED_COUNT];
    for (uint32_t kind = 0; kind < LMB_COMPUTED_COUNT; kind++) {
        computed[kind] = (lmb_computed_def){.kind = (lmb_computed_kind)kind, .parameter = 5 + kind};
        for (uint32_t i = 0; i < 5; i++) {
            computed[kind].inputs[i] = lmb_parameter(i);
        }
    }
    const control_def def = control_of(computed, LMB_COMPUTED_COUNT);
    random_source random = random_branch(41, 0);
    crowd s;
    begin(&s, &def);
    for (uint32_t frame = 0; frame < 2000; frame++) {
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t k = 0; k < 5; k++) {
                const bool again = k > 0 && random_below(&random, 8) == 0; // equal ends of a range
                s.parameters[i][k] = again ? s.parameters[i][random_below(&random, k)] : draw(&random);
            }
        }
        step(&s, SIXTIETH, 0, 0);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            for (uint32_t kind = 0; kind < LMB_COMPUTED_COUNT; kind++) {
                const float actual = s.parameters[i][5 + kind];
                const float alone = lmb_computed_at(&computed[kind], s.parameters[i], NULL);
                expect((lmb_computed_kind)kind, s.parameters[i], actual);
                assert_memory_equal(&actual, &alone, sizeof actual);
            }
        }
    }
    end(&s);
}

// Many fractions of many ranges: the result is linear and never beyond the ends.
static void test_remap(void **state) {
    (void)state;
    random_source random = random_branch(42, 0);
    double worst = 0.0;
    for (uint32_t i = 0; i < 200000; i++) {
        const float low = (float)random_between(&random, -2.0, 2.0), high = (float)random_between(&random, -2.0, 2.0);
        const float x = (float)random_between(&random, (double)low, (double)high);
        const float to_low = (float)random_between(&random, -1.0, 1.0),
                    to_high = (float)random_between(&random, -1.0, 1.0);
        const lmb_computed_def remapped = {.kind = LMB_COMPUTED_REMAP,
                                           .inputs = {lmb_constant(x), lmb_constant(low), lmb_constant(high),
                                                      lmb_constant(to_low), lmb_constant(to_high)}};
        const double given[5] = {enter(x), enter(low), enter(high), enter(to_low), enter(to_high)};
        const double actual = (double)lmb_computed_at(&remapped, NULL, NULL);
        worst = fmax(worst, fabs(actual - remap(given)) / fmax(fabs(given[3]), fabs(given[4])));
    }
    assert_true(worst > 1e-8 && worst < 1e-6);
}

// A curve is applied to an input before the computation.
static void test_curves(void **state) {
    (void)state;
    lmb_computed_def computed = binary(LMB_COMPUTED_ADD, lmb_parameter(0), lmb_constant(1.0f), 1);
    computed.inputs[0].curve = LMB_CURVE_SMOOTHSTEP;
    const control_def def = control_of(&computed, 1);
    crowd s;
    begin(&s, &def);
    s.parameters[0][0] = 0.25f;
    step(&s, SIXTIETH, 0, 0);
    assert_near(s.parameters[0][1], 1.0 + 0.25 * 0.25 * 2.5, 1e-6);
    end(&s);
}

// ---- When values are available. ----

// Two states and an event: the second state fades in over half a second.
typedef struct pair {
    control_state_def states[2];
    lmb_transition_def transition;
    control_machine_def machine;
} pair;

static void make_pair(pair *p, control_def *def) {
    p->states[0] = p->states[1] = default_control_state_def();
    p->states[0].weight_parameter = 1;
    p->states[1].weight_parameter = 2;
    p->transition = stage_transition(0, 1, 0, 0.5f);
    p->transition.curve = LMB_CURVE_LINEAR;
    p->machine = (control_machine_def){.states = p->states,
                                       .state_count = 2,
                                       .transitions = &p->transition,
                                       .transition_count = 1,
                                       .machine = LMB_NONE};
    def->machines = &p->machine;
    def->machine_count = 1;
}

// 1 - fade, in the same frame as the fade; a value computed from it; and a value that does not read it, at any index.
static void test_fades(void **state) {
    (void)state;
    const lmb_computed_def computed[] = {binary(LMB_COMPUTED_SUBTRACT, lmb_constant(1.0f), lmb_parameter(2), 3),
                                         binary(LMB_COMPUTED_ADD, lmb_parameter(0), lmb_constant(1.0f), 4),
                                         binary(LMB_COMPUTED_MULTIPLY, lmb_parameter(3), lmb_parameter(4), 5)};
    control_def def = control_of(computed, 3);
    pair p;
    make_pair(&p, &def);
    crowd s;
    begin(&s, &def);
    s.parameters[0][0] = 2.0f;
    for (uint32_t frame = 0; frame < 40; frame++) {
        memset(&s.parameters[0][3], 0xff, 3 * sizeof(float)); // a host need not keep them
        step(&s, SIXTIETH, 0, frame == 3 ? 1 : 0);
        const double faded = frame < 3 ? 0.0 : fmin((frame - 2) / 30.0, 1.0);
        assert_near(s.parameters[0][3], 1.0 - faded, 1e-6);
        assert_near(s.parameters[0][4], 3.0, 0.0);
        assert_near(s.parameters[0][5], 3.0 * (1.0 - faded), 3e-6);
    }
    end(&s);
}

// A fade that starts within a frame.
static void test_pieces(void **state) {
    (void)state;
    const lmb_computed_def computed = binary(LMB_COMPUTED_SUBTRACT, lmb_constant(1.0f), lmb_parameter(2), 3);
    control_def def = control_of(&computed, 1);
    pair p;
    make_pair(&p, &def);
    p.transition.event = LMB_NONE;
    p.transition.after = 0.1f;
    crowd s;
    begin(&s, &def);
    step(&s, LMB_TICKS_PER_SECOND * 3 / 10, 0, 0);
    assert_near(s.parameters[0][3], 0.6, 1e-6);
    end(&s);
}

// Conditions and character motion read values computed from this frame's parameters and smoothed parameters.
static void test_readers(void **state) {
    (void)state;
    const lmb_smoothed_def smoothed = lmb_smoothed_parameter(lmb_parameter(0), 0.5f, 6);
    const lmb_computed_def computed[] = {binary(LMB_COMPUTED_MULTIPLY, lmb_parameter(6), lmb_constant(2.0f), 3),
                                         binary(LMB_COMPUTED_ADD, lmb_parameter(7), lmb_constant(10.0f), 4)};
    const lmb_term term = {.kind = LMB_TERM_GREATER, .left = lmb_parameter(4), .right = lmb_constant(10.0f)};
    lmb_motion_def character_motion = lmb_default_motion_def();
    character_motion.velocity[2] = lmb_parameter(3);
    character_motion.velocity_parameters[2] = 7;
    control_def def = control_of(computed, 2);
    def.smoothed = &smoothed;
    def.smoothed_count = 1;
    def.motion = &character_motion;
    pair p;
    make_pair(&p, &def);
    p.transition.event = LMB_NONE;
    p.transition.terms = &term;
    p.transition.term_count = 1;
    crowd s;
    begin(&s, &def);
    step(&s, SIXTIETH, 0, 0);
    assert_int_equal(lmb_state_current(s.control, s.state, 0), 0);
    s.parameters[0][0] = 8.0f;
    step(&s, LMB_TICKS_PER_SECOND / 2, 0, 0);
    assert_near(s.parameters[0][3], 8.0, 1e-5); // twice the rest of 8 after a half-life
    assert_near(s.parameters[0][4], 18.0, 1e-5);
    assert_near((float)lmb_state_motion(s.control, s.state).position[2], 4.0, 1e-4);
    assert_int_equal(lmb_state_current(s.control, s.state, 0), 1);
    end(&s);
}

// Parameter rows belong to the host: computed values are also correct in frames in which a character is not updated.
static void test_waiting(void **state) {
    (void)state;
    const lmb_computed_def computed[] = {binary(LMB_COMPUTED_ADD, lmb_parameter(0), lmb_constant(1.0f), 3),
                                         binary(LMB_COMPUTED_ADD, lmb_parameter(2), lmb_parameter(3), 4)};
    control_def def = control_of(computed, 2);
    def.update_every = lmb_constant(4.0f);
    pair p;
    make_pair(&p, &def);
    crowd s;
    begin(&s, &def);
    for (uint32_t frame = 0; frame < 12; frame++) {
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            s.parameters[i][0] = (float)(frame + i);
        }
        step(&s, SIXTIETH, 0, 0);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            assert_near(s.parameters[i][3], frame + i + 1.0, 0.0);
            assert_near(s.parameters[i][4], frame + i + 1.0, 0.0);
        }
    }
    end(&s);
}

// ---- Refused definitions. ----

static void test_refusals(void **state) {
    (void)state;
    lmb_computed_def computed[2];
    control_def def, plain;
    pair p;
    control_player_def player = stage_player(1.0f, LMB_NONE);
    lmb_motion_def character_motion = lmb_default_motion_def();
    character_motion.velocity_parameters[0] = 9;
    const lmb_smoothed_def smoothed = lmb_smoothed_parameter(lmb_parameter(3), 1.0f, 10);
    plain = control_of(computed, 2);
    make_pair(&p, &plain);
    plain.players = &player;
    plain.player_count = 1;
    plain.motion = &character_motion;
    const control_group_def pace = {.players = (const uint32_t[]){0}, .player_count = 1, .velocity_parameter = 8};
    const lmb_term late = {.kind = LMB_TERM_LESS, .left = lmb_parameter(3), .right = lmb_constant(1.0f)};
#define BAD(change, part)                                                                                              \
    computed[0] = binary(LMB_COMPUTED_ADD, lmb_parameter(0), lmb_parameter(0), 3);                                     \
    computed[1] = binary(LMB_COMPUTED_MIN, lmb_parameter(0), lmb_parameter(3), 4);                                     \
    def = plain;                                                                                                       \
    player.rate = character_motion.heading = lmb_constant(1.0f);                                                       \
    p.transition.term_count = 0;                                                                                       \
    (void)(change);                                                                                                    \
    stage_refuse(&def, LMB_ERROR_ARGUMENT, part)
    BAD(computed[0].kind = LMB_COMPUTED_COUNT, "computed parameter 0: kind: unknown");
    BAD(computed[0].inputs[1] = lmb_parameter(PARAMETERS), "computed parameter 0: inputs: there is no such parameter");
    BAD(computed[0].inputs[0] = lmb_constant(NAN), "computed parameter 0: inputs: the constant");
    BAD(computed[0].inputs[0] = lmb_parameter(3), "computed parameter 0: inputs: reads a parameter that is computed");
    BAD(computed[0].inputs[0] = lmb_parameter(4), "computed parameter 0: inputs: reads a parameter that is computed");
    BAD((def.groups = &pace, def.group_count = 1, computed[0].inputs[0] = lmb_parameter(8)),
        "computed parameter 0: inputs: reads a time or a velocity");
    BAD(computed[1].parameter = LMB_NONE, "computed parameter 1: parameter: there is none");
    BAD(computed[1].parameter = PARAMETERS, "computed parameter 1: parameter: there is no such");
    BAD((computed[1].inputs[1] = lmb_parameter(0), computed[1].parameter = 3),
        "computed parameter 1: parameter: something else");
    BAD(computed[1].parameter = 2, "computed parameter 1: parameter: something else");
    BAD((def.smoothed = &smoothed, def.smoothed_count = 1),
        "smoothed parameter 0: source: reads a parameter that is computed");
    BAD(def.update_every = lmb_parameter(4),
        "character 0: update_every: reads a parameter that the host does not write");
    BAD((computed[0].inputs[0] = lmb_parameter(9), character_motion.heading = lmb_parameter(4)),
        "character motion 0: heading: reads what the character motion writes");
    BAD((computed[0].inputs[0] = lmb_parameter(2), character_motion.heading = lmb_parameter(4)),
        "character motion 0: heading: reads");
    BAD((computed[0].inputs[0] = lmb_parameter(2), player.rate = lmb_parameter(4)),
        "node 0 (clip): player: rate: reads");
    BAD((computed[0].inputs[0] = lmb_parameter(1), p.transition.terms = &late, p.transition.term_count = 1),
        " (machine): transition 0: terms: left: reads");
    // Only the late reads are invalid: a rate may read a value that is available before players run.
    BAD((def.groups = &pace, def.group_count = 1, character_motion.heading = lmb_parameter(8)),
        "character motion 0: heading: reads");
    computed[0].inputs[0] = lmb_parameter(9);
    player.rate = lmb_parameter(4); // from the character motion's velocity
    crowd s;
    begin(&s, &plain);
    end(&s);
#undef BAD
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formulas), cmocka_unit_test(test_remap),
                                       cmocka_unit_test(test_curves),   cmocka_unit_test(test_fades),
                                       cmocka_unit_test(test_pieces),   cmocka_unit_test(test_readers),
                                       cmocka_unit_test(test_waiting),  cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
