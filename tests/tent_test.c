// Tents: a curve that takes any number, against its formula in float64, wherever a program or a control takes a number.
#include "refusal.h"
#include "scene.h"

#include <limber/control.h>

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BOUND 4e-7

// The formula, of numbers that nothing snaps.
static double exact_tent(double before, double own, double after, double x) {
    if (x < own) {
        return before == own ? 1.0 : x <= before ? 0.0 : (x - before) / (own - before);
    }
    return after == own ? 1.0 : x >= after ? 0.0 : (after - x) / (after - own);
}

static float at(float before, float own, float after, float x) {
    return lmb_value_at(lmb_tent(0, before, own, after), &x);
}

static void draw_places(random_source *source, uint32_t count, float *places) {
    static const double sizes[] = {1.0, 1e-3, 4e4, 1e11}, offsets[] = {0.0, 0.0, 1e6, 5e11};
    const uint32_t size = random_below(source, 4);
    places[0] = (float)(offsets[size] * random_between(source, -1.0, 1.0));
    for (uint32_t i = 1; i < count; i++) {
        const float step = (float)(sizes[size] * random_between(source, 0.01, 1.0));
        places[i] = fmaxf(places[i - 1] + step, nextafterf(places[i - 1], INFINITY));
    }
}

static void follows_its_formula(void **state) {
    (void)state;
    random_source source = {71};
    double largest = 0.0;
    for (uint32_t i = 0; i < 20000; i++) {
        float p[3];
        draw_places(&source, 3, p);
        const float ends[] = {i % 5 == 1 ? p[1] : p[0], i % 5 == 2 ? p[1] : p[2]};
        assert_true(at(ends[0], p[1], ends[1], p[1]) == 1.0f);
        assert_true(at(ends[0], p[1], ends[1], p[0]) == (ends[0] == p[1] ? 1.0f : 0.0f));
        assert_true(at(ends[0], p[1], ends[1], p[2]) == (ends[1] == p[1] ? 1.0f : 0.0f));
        for (uint32_t k = 0; k < 16; k++) {
            const double way = random_between(&source, -0.5, 1.5);
            const float x = (float)((double)p[0] + ((double)p[2] - (double)p[0]) * way);
            const double exact = exact_tent((double)ends[0], (double)p[1], (double)ends[1], (double)x);
            const double found = (double)at(ends[0], p[1], ends[1], x);
            assert_true(found >= 0.0 && found <= 1.0 && (exact > 0.0 || found == 0.0));
            largest = fmax(largest, fabs(found - exact));
        }
    }
    print_message("tents off by %.2g\n", largest);
    assert_true(largest <= BOUND);
}

static void neighbours_sum_to_one(void **state) {
    (void)state;
    random_source source = {72};
    double largest = 0.0;
    for (uint32_t i = 0; i < 5000; i++) {
        float p[9];
        const uint32_t count = 2 + random_below(&source, 8);
        draw_places(&source, count, p);
        for (uint32_t k = 0; k < 32; k++) {
            const double way = random_between(&source, -0.2, 1.2);
            const float x = (float)((double)p[0] + ((double)p[count - 1] - (double)p[0]) * way);
            double sum = 0.0;
            for (uint32_t own = 0; own < count; own++) {
                const float before = p[own == 0 ? 0 : own - 1], after = p[own + 1 < count ? own + 1 : own];
                sum += (double)at(before, p[own], after, x);
            }
            largest = fmax(largest, fabs(sum - 1.0));
        }
    }
    print_message("sums of tents off by %.2g\n", largest);
    assert_true(largest <= BOUND);
}

static void edges(void **state) {
    (void)state;
    // Nothing is clamped to 0 to 1 before, and nothing overflows.
    assert_true(at(-3.0f, -2.0f, 5.0f, -2.5f) == 0.5f && at(-3.0f, -2.0f, 5.0f, 1.5f) == 0.5f);
    const float most = LMB_LARGEST;
    static const float far[] = {1e12f, 3e38f, INFINITY};
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(at(0.0f, 1.0f, 2.0f, far[i]) == 0.0f && at(0.0f, 1.0f, 2.0f, -far[i]) == 0.0f);
        assert_true(at(0.0f, 1.0f, 1.0f, far[i]) == 1.0f && at(1.0f, 1.0f, 2.0f, -far[i]) == 1.0f);
        assert_true(at(0.0f, most, most, far[i]) == (far[i] < most ? at(0.0f, most, most, 1e12f) : 1.0f));
        assert_true(at(-most, 0.0f, most, -far[i]) <= 0.1f);
    }
    // As near as two numbers can be, at either end of what counts.
    const float next = nextafterf(most, 0.0f), small = ldexpf(1.0f, -40), after_small = nextafterf(small, 1.0f);
    assert_true(at(next, most, most, next) == 0.0f && at(next, most, most, most) == 1.0f);
    assert_true(at(small, after_small, 1.0f, small) == 0.0f && at(small, after_small, 1.0f, after_small) == 1.0f);
    // What is below 2^-40 is 0, places too, and 0 stands in for NaN.
    assert_true(at(1e-13f, 1.0f, 2.0f, -1e-20f) == 0.0f && at(0.0f, 1e-30f, 1.0f, 0.0f) == 1.0f);
    assert_true(at(-1.0f, 1.0f, 2.0f, NAN) == 0.5f);
    // Others stay what they are where they are not finite.
    lmb_value other = lmb_parameter(1);
    const float parameters[] = {0.0f, NAN};
    assert_true(isnan(lmb_value_at(other, parameters)));
    other.curve = LMB_CURVE_SMOOTHSTEP;
    assert_true(isnan(lmb_value_at(other, parameters)));
    assert_true(lmb_value_at(other, (const float[]){0.0f, 0.25f}) == 0.15625f);
    assert_true(lmb_value_at(lmb_constant(7.5f), NULL) == 7.5f);
}

static void the_callers_rounding_changes_nothing(void **state) {
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    random_source source = {73};
    for (uint32_t i = 0; i < 1000; i++) {
        float p[3];
        draw_places(&source, 3, p);
        const float x = (float)((double)p[0] + ((double)p[2] - (double)p[0]) * random_between(&source, 0.0, 1.0));
        const float expected = at(p[0], p[1], p[2], x);
        assert_int_equal(fesetround(modes[i % 3]), 0);
        const float found = at(p[0], p[1], p[2], x);
        assert_int_equal(fegetround(), modes[i % 3]);
        fesetround(FE_TONEAREST);
        assert_true(found == expected);
    }
}

// ---- In programs.

enum { CHARACTERS = 67, PARAMETERS = 2 };

static const float zero_and_four[] = {0.0f, 4.0f};
static const float there[] = {0.0f, 0.0f, 0.0f, 1.0f, 2.0f, 4.0f}, still[] = {-3.0f, 0.5f, 1.0f};
static const lmb_track_def tracks[] = {{0, LMB_CHANNEL_TRANSLATION, LMB_INTERPOLATION_LINEAR, 2, zero_and_four, there},
                                       {0, LMB_CHANNEL_TRANSLATION, LMB_INTERPOLATION_LINEAR, 1, zero_and_four, still}};
static const lmb_clip_def clips[] = {{.tracks = tracks, .track_count = 1}, {.tracks = tracks + 1, .track_count = 1}};

// The last node takes both clips, and the tent is where this says.
static lmb_value *start(test_scene *scene, lmb_op op, size_t offset) {
    scene_start(scene, scene_single_joint(), CHARACTERS, PARAMETERS);
    scene->clips = clips;
    scene->clip_count = 2;
    scene_add(scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE)->time = lmb_constant(3.0f);
    scene_add(scene, LMB_OP_CLIP, LMB_NONE, LMB_NONE)->clip = lmb_constant(1.0f);
    lmb_node_def *node = scene_add(scene, op, 0, 1);
    node->input_count = op == LMB_OP_CLIP ? 0 : op == LMB_OP_SCALE ? 1 : op == LMB_OP_BILINEAR ? 4 : 2;
    node->inputs[3] = 1;
    node->time = lmb_constant(1.0f);
    node->places[1][0] = 1.0f;
    node->unclamped = true;
    random_source source = {74};
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        *scene_parameter(scene, i, 1) = (float)random_between(&source, -2.0, 4.0);
    }
    lmb_value *value = (lmb_value *)(void *)((char *)node + offset);
    *value = lmb_tent(1, -1.0f, 0.5f, 3.0f);
    return value;
}

static const struct {
    lmb_op op;
    const char *name;
    size_t offset;
} operands[] = {
#define OPERAND(op, member)                                                                                            \
    { op, #op ", " #member, offsetof(lmb_node_def, member) }
    OPERAND(LMB_OP_CLIP, clip),       OPERAND(LMB_OP_CLIP, time),     OPERAND(LMB_OP_CLIP, rate),
    OPERAND(LMB_OP_CLIP, offset),     OPERAND(LMB_OP_BLEND, weight),  OPERAND(LMB_OP_PARTIAL, weight),
    OPERAND(LMB_OP_ADDITIVE, weight), OPERAND(LMB_OP_SCALE, weight),  OPERAND(LMB_OP_WEIGHTED, weights),
    OPERAND(LMB_OP_LAYERS, weights),  OPERAND(LMB_OP_SPACE1D, along), OPERAND(LMB_OP_BILINEAR, along),
#undef OPERAND
};

// On the reference as the oracle has it, and the same bits on every other path.
static void wherever_a_program_takes_a_number(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
        test_scene scene;
        start(&scene, operands[i].op, operands[i].offset);
        static const float odd[] = {-1.0f, 0.5f, 3.0f, 1e30f, -1e30f, 0.0f, -0.0f};
        for (uint32_t k = 0; k < sizeof odd / sizeof *odd; k++) {
            *scene_parameter(&scene, 9 * k, 1) = odd[k];
        }
        scene_run(&scene);
        scene_bounds bounds = SCENE_BOUNDS;
        bounds.magnitude = 4.0;
        scene_compare_local(&scene, operands[i].name, bounds);
        // They are not all alike, and the tent's own place is not its neighbours'.
        const float *x = scene.stages[LMB_STAGE_LOCAL];
        assert_true(x[9 * LMB_POSE_COMPONENTS] != x[0] && x[18 * LMB_POSE_COMPONENTS] == x[0]);
        float expected[CHARACTERS * LMB_POSE_COMPONENTS];
        memcpy(expected, x, sizeof expected);
        for (lmb_cpu_path path = LMB_CPU_LANES_4; path < LMB_CPU_PATH_COUNT; path++) {
            scene.path = path;
            if (lmb_cpu_has(path)) {
                scene_run(&scene);
                assert_memory_equal(scene.stages[LMB_STAGE_LOCAL], expected, sizeof expected);
            }
        }
        scene_end(&scene);
    }
}

// 0 stands in for a weight that is NaN, and it is counted; a time that is not finite is refused.
static void numbers_that_are_refused(void **state) {
    (void)state;
    test_scene scene;
    start(&scene, LMB_OP_BLEND, offsetof(lmb_node_def, weight));
    *scene_parameter(&scene, 0, 1) = NAN;
    *scene_parameter(&scene, 1, 1) = 0.0f;
    *scene_parameter(&scene, 2, 1) = INFINITY;
    *scene_parameter(&scene, 3, 1) = 3.0f;
    scene_run(&scene);
    assert_int_equal(scene.refused[LMB_REFUSED_WEIGHT], 1);
    const float *x = scene.stages[LMB_STAGE_LOCAL];
    assert_memory_equal(x, x + LMB_POSE_COMPONENTS, LMB_POSE_COMPONENTS * sizeof *x);
    assert_memory_equal(x + 2 * LMB_POSE_COMPONENTS, x + 3 * LMB_POSE_COMPONENTS, LMB_POSE_COMPONENTS * sizeof *x);
    scene_end(&scene);
    start(&scene, LMB_OP_CLIP, offsetof(lmb_node_def, time));
    *scene_parameter(&scene, 0, 1) = NAN;
    *scene_parameter(&scene, 1, 1) = INFINITY;
    scene_run(&scene);
    assert_int_equal(scene.refused[LMB_REFUSED_TIME], 2);
    scene_end(&scene);
}

// Weights by tents are those of the space.
static void a_space_by_tents(void **state) {
    (void)state;
    static const float places[] = {1.25f, -0.7f, 3.0f, 6.5f};
    float found[2][CHARACTERS * LMB_POSE_COMPONENTS];
    for (uint32_t by_tents = 0; by_tents < 2; by_tents++) {
        test_scene scene;
        start(&scene, by_tents ? LMB_OP_WEIGHTED : LMB_OP_SPACE1D, offsetof(lmb_node_def, along));
        lmb_node_def *node = &scene.nodes[2];
        node->input_count = 4;
        node->inputs[2] = 1;
        node->inputs[3] = 0;
        node->along[0] = lmb_parameter(1);
        for (uint32_t i = 0; i < 4; i++) {
            node->places[i][0] = places[i];
        }
        node->weights[0] = lmb_tent(1, places[1], places[0], places[2]);
        node->weights[1] = lmb_tent(1, places[1], places[1], places[0]);
        node->weights[2] = lmb_tent(1, places[0], places[2], places[3]);
        node->weights[3] = lmb_tent(1, places[2], places[3], places[3]);
        for (uint32_t i = 0; i < CHARACTERS; i++) {
            *scene_parameter(&scene, i, 1) = -2.0f + 0.15f * (float)i;
        }
        scene_run(&scene);
        memcpy(found[by_tents], scene.stages[LMB_STAGE_LOCAL], sizeof found[by_tents]);
        scene_end(&scene);
    }
    for (uint32_t i = 0; i < CHARACTERS * LMB_POSE_COMPONENTS; i++) {
        assert_true(fabsf(found[0][i] - found[1][i]) <= 4e-6f);
    }
}

static lmb_result create_with(lmb_value weight, lmb_error *error) {
    lmb_rig *rig = scene_single_joint();
    lmb_node_def nodes[3] = {lmb_default_node_def(), lmb_default_node_def(), lmb_default_node_def()};
    nodes[2].op = LMB_OP_BLEND;
    nodes[2].inputs[1] = 1;
    nodes[2].input_count = 2;
    nodes[2].weight = weight;
    const lmb_program_def def = {.rig = rig, .nodes = nodes, .node_count = 3, .parameter_count = 2};
    lmb_program *program = NULL;
    const lmb_result result = lmb_program_create(&def, NULL, &program, error);
    lmb_program_destroy(program);
    lmb_rig_destroy(rig);
    return result;
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        lmb_value value;
        const char *why;
    } rows[] = {{{1.0f, 1, LMB_CURVE_TENT, {2.0f, 3.0f}}, "not in order"},
                {{1.0f, 1, LMB_CURVE_TENT, {0.0f, 0.5f}}, "not in order"},
                {{1.0f, 1, LMB_CURVE_TENT, {1.0f, 1.0f}}, "has a neighbour before or after it"},
                {{0.0f, 1, LMB_CURVE_TENT, {-0.0f, 0.0f}}, "has a neighbour before or after it"},
                {{NAN, 1, LMB_CURVE_TENT, {0.0f, 2.0f}}, "not a finite number up to 2^40"},
                {{1.0f, 1, LMB_CURVE_TENT, {-INFINITY, 2.0f}}, "not a finite number up to 2^40"},
                {{1.0f, 1, LMB_CURVE_TENT, {0.0f, 1.2e12f}}, "not a finite number up to 2^40"},
                {{1.0f, LMB_NONE, LMB_CURVE_TENT, {0.0f, 2.0f}}, "over a parameter, not over a constant"},
                {{1.0f, 2, LMB_CURVE_TENT, {0.0f, 2.0f}}, "there is no such parameter"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lmb_error error = {0};
        CHECK_REFUSAL(create_with(rows[i].value, &error), &error, LMB_ERROR_ARGUMENT,
                      "node 2 (blend): weight: ", rows[i].why);
        lmb_player_def player = lmb_default_player_def();
        player.time_parameter = 0;
        player.duration = 1.0f;
        const lmb_group_player member = {0, rows[i].value};
        const lmb_group_def group = {&member, 1, lmb_constant(1.0f), LMB_NONE};
        lmb_control_def def = lmb_default_control_def();
        def.parameter_count = 2;
        def.players = &player;
        def.player_count = 1;
        def.groups = &group;
        def.group_count = 1;
        lmb_control *control = NULL;
        CHECK_REFUSAL(lmb_control_create(&def, NULL, &control, &error), &error, LMB_ERROR_ARGUMENT,
                      "control: group 0: place 0: weight: ", rows[i].why);
        assert_null(control);
    }
    lmb_error error = {0};
    assert_int_equal(create_with(lmb_tent(1, -LMB_LARGEST, 0.0f, LMB_LARGEST), &error), LMB_OK);
    assert_int_equal(create_with(lmb_tent(0, 1.0f, 1.0f, nextafterf(1.0f, 2.0f)), &error), LMB_OK);
    assert_int_equal(create_with(lmb_tent(0, -1.0f, 1.0f, 1.0f), &error), LMB_OK);
}

static void append(void *user, const char *line) {
    strncat(user, line, 400 - strlen(user) - 1);
}

static void printed(void **state) {
    (void)state;
    test_scene scene;
    start(&scene, LMB_OP_BLEND, offsetof(lmb_node_def, weight));
    lmb_rig *rig = scene_single_joint();
    const lmb_node_def nodes[] = {lmb_default_node_def(), lmb_default_node_def(), scene.nodes[2]};
    const lmb_program_def def = {.rig = rig, .nodes = nodes, .node_count = 3, .parameter_count = 2};
    lmb_program *program = NULL;
    assert_int_equal(lmb_program_create(&def, NULL, &program, NULL), LMB_OK);
    char text[400] = "";
    lmb_program_print(program, NULL, append, text);
    assert_non_null(strstr(text, "weight p1 tent 0.5 by 0.666666687 0.400000006"));
    lmb_program_destroy(program);
    lmb_rig_destroy(rig);
    scene_end(&scene);
}

// ---- In controls.

enum { X, WEIGHT, RATE, SOURCE, LEFT, ALONG, WAY, TIME, OTHER_TIME, VELOCITY, FOLLOWED, STATES, ROW = STATES + 2 };

// Everything that a control reads: by tents over X, or by parameters.
static lmb_control *create_control(const lmb_value values[6]) {
    lmb_player_def players[2] = {lmb_default_player_def(), lmb_default_player_def()};
    for (uint32_t i = 0; i < 2; i++) {
        players[i].duration = 0.7f + 0.5f * (float)i;
        players[i].velocity = 1.5f + (float)i;
        players[i].time_parameter = TIME + i;
    }
    const lmb_group_player members[] = {{0, lmb_constant(0.25f)}, {1, values[0]}};
    const lmb_group_def group = {members, 2, values[1], VELOCITY};
    const lmb_follower_def follower = {values[2], 0.25f, FOLLOWED};
    const lmb_term term = {LMB_TERM_GREATER, values[3], lmb_constant(0.5f)};
    lmb_state_def states[2] = {lmb_default_state_def(), lmb_default_state_def()};
    lmb_transition_def transitions[2] = {lmb_default_transition_def(), lmb_default_transition_def()};
    for (uint32_t i = 0; i < 2; i++) {
        states[i].weight_parameter = STATES + i;
        transitions[i].from = i;
        transitions[i].to = 1 - i;
    }
    transitions[0].terms = &term;
    transitions[0].term_count = 1;
    transitions[1].after = 0.3f;
    const lmb_machine_def machine = {states, 2, transitions, 2, LMB_NONE, 0};
    lmb_mover_def mover = lmb_default_mover_def();
    mover.velocity[2] = values[4];
    mover.steers = true;
    mover.heading = values[5];
    lmb_control_def def = lmb_default_control_def();
    def.parameter_count = ROW;
    def.players = players;
    def.player_count = 2;
    def.groups = &group;
    def.group_count = 1;
    def.followers = &follower;
    def.follower_count = 1;
    def.machines = &machine;
    def.machine_count = 1;
    def.mover = &mover;
    lmb_control *control = NULL;
    lmb_error error = {0};
    if (lmb_control_create(&def, NULL, &control, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    return control;
}

// A host that sets what lmb_value_at() says has the same states, to the bit.
static void wherever_a_control_takes_a_number(void **state) {
    (void)state;
    lmb_value tents[6], plain[6];
    for (uint32_t i = 0; i < 6; i++) {
        tents[i] = lmb_tent(X, -1.0f + 0.1f * (float)i, 0.3f * (float)i, 1.7f + (float)i);
        plain[i] = lmb_parameter(WEIGHT + i);
    }
    lmb_control *controls[2] = {create_control(tents), create_control(plain)};
    const uint32_t words = lmb_control_state_words(controls[0]);
    assert_int_equal(lmb_control_state_words(controls[1]), words);
    uint32_t *states[2] = {calloc(words, sizeof **states), calloc(words, sizeof **states)};
    assert_true(states[0] != NULL && states[1] != NULL);
    float rows[2][ROW] = {{0}};
    static const float odd[] = {NAN, INFINITY, -INFINITY, 1e-42f, -0.0f, 1e30f};
    for (uint32_t frame = 0; frame < 600; frame++) {
        const float x = frame % 50 == 49 ? odd[frame / 50 % 6] : 2.5f + 4.0f * sinf(0.02f * (float)frame);
        for (uint32_t side = 0; side < 2; side++) {
            rows[side][X] = x;
            for (uint32_t i = 0; side == 1 && i < 6; i++) {
                rows[1][WEIGHT + i] = lmb_value_at(tents[i], rows[1]);
            }
            const lmb_control_frame run = {.step = LMB_TICKS_PER_SECOND / 60,
                                           .number = frame,
                                           .character_count = 1,
                                           .state = states[side],
                                           .parameters = rows[side]};
            assert_int_equal(lmb_control_run(controls[side], &run, 0, 1, NULL), LMB_OK);
        }
        assert_memory_equal(states[0], states[1], words * sizeof **states);
        assert_memory_equal(rows[0] + TIME, rows[1] + TIME, (ROW - TIME) * sizeof **rows);
    }
    for (uint32_t side = 0; side < 2; side++) {
        lmb_control_destroy(controls[side]);
        free(states[side]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_its_formula),
        cmocka_unit_test(neighbours_sum_to_one),
        cmocka_unit_test(edges),
        cmocka_unit_test(the_callers_rounding_changes_nothing),
        cmocka_unit_test(wherever_a_program_takes_a_number),
        cmocka_unit_test(numbers_that_are_refused),
        cmocka_unit_test(a_space_by_tents),
        cmocka_unit_test(refusals),
        cmocka_unit_test(printed),
        cmocka_unit_test(wherever_a_control_takes_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
