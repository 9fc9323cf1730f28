// Curves of a graph's own: their values against the formula, keys, and what is refused.
#include "suite.h"

#include "oracle.h"
#include "refusal.h"
#include "tools/random_curves.h"

#include <limber/graph.h>
#include <math.h>

static float at(const lmb_curve_def *curve, float x) {
    lmb_value value = lmb_parameter(0);
    value.curve = lmb_user_curve(0);
    return lmb_value_at(value, &x, curve);
}

// ---- Values.

// The largest magnitude of y in keys and handles.
static double largest_y(const lmb_curve_def *curve) {
    double largest = 0.0;
    for (uint32_t i = 0; i < curve->key_count; i++) {
        const lmb_curve_key *key = &curve->keys[i];
        largest = fmax(largest, fabs((double)key->y));
        largest = fmax(largest, fabs((double)key->y + (double)key->in[1]));
        largest = fmax(largest, fabs((double)key->y + (double)key->out[1]));
    }
    return largest;
}

// Returns by how much a value is outside of what the header says, divided by the largest y.
static double find_error(const lmb_curve_def *curve, uint32_t segment, float x) {
    const lmb_curve_key *key = &curve->keys[segment];
    const double reach = 3e-7 * ((double)key[1].x - (double)key[0].x), actual = (double)at(curve, x);
    double min = INFINITY, max = -INFINITY;
    for (int i = -4; i <= 4; i++) {
        const double y = oracle_user_curve(curve, (double)x + reach * (double)i / 4.0);
        min = fmin(min, y);
        max = fmax(max, y);
    }
    return fmax(fmax(min - actual, actual - max), 0.0) / largest_y(curve);
}

static void expect_near(const lmb_curve_def *curve, random_source *random, double *worst) {
    for (uint32_t i = 0; i + 1 < curve->key_count; i++) {
        const lmb_curve_key *key = &curve->keys[i];
        for (uint32_t k = 0; k < 400; k++) {
            // Half are close to an end, where slopes may be infinite.
            const double part = random_between(random, 0.0, 1.0), near = pow(10.0, -7.0 * part);
            const double share = k % 4 == 0 ? near : k % 4 == 1 ? 1.0 - near : part;
            const double x = (double)key[0].x + share * ((double)key[1].x - (double)key[0].x);
            const double error = find_error(curve, i, (float)x);
            *worst = fmax(*worst, error);
            if (error > 3e-7) {
                fail_msg("segment %u: %.9g at %.9g, not %.9g", i, (double)at(curve, (float)x), x,
                         oracle_user_curve(curve, x));
            }
        }
    }
}

static void values_are_those_of_the_formula(void **state) {
    (void)state;
    double worst = 0.0;
    for (uint32_t number = 0; number < 250; number += suite_stride()) {
        random_source random = random_branch(38, number);
        random_curves curves;
        random_curves_draw(&curves, &random);
        for (uint32_t i = 0; i < RANDOM_CURVES; i++) {
            expect_near(&curves.defs[i], &random, &worst);
        }
    }
    assert_true(worst > 0.0);
}

// Where x stands still at its ends or in the middle, or goes as far as it may.
static void steep_curves(void **state) {
    (void)state;
    static const float controls[][4] = {{1.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f, 1.0f},  {0.0f, 1.0f, 0.0f, 1.0f},
                                        {1.0f, 0.0f, 1.0f, 1.0f}, {0.0f, 1.0f, 1.0f, 0.0f},  {0.0f, 5.0f, 1.0f, -4.0f},
                                        {1.0f, 1.0f, 0.0f, 0.0f}, {0.9f, -3.0f, 0.1f, 4.0f}, {0.0f, 0.0f, 1.0f, 1.0f}};
    random_source random = random_branch(38, 1000);
    double worst = 0.0;
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        lmb_curve_key keys[2];
        lmb_css_keys(controls[i][0], controls[i][1], controls[i][2], controls[i][3], keys);
        const lmb_curve_def curve = {keys, 2};
        expect_near(&curve, &random, &worst);
        assert_true(at(&curve, 0.0f) == 0.0f && at(&curve, 1.0f) == 1.0f);
    }
}

static void keys_are_exact(void **state) {
    (void)state;
    for (uint32_t number = 0; number < 50; number++) {
        random_source random = random_branch(38, 2000 + number);
        random_curves curves;
        random_curves_draw(&curves, &random);
        for (uint32_t i = 0; i < RANDOM_CURVES; i++) {
            const lmb_curve_def *curve = &curves.defs[i];
            const uint32_t last = curve->key_count - 1;
            for (uint32_t k = 0; k <= last; k++) {
                assert_true(at(curve, curve->keys[k].x) == curve->keys[k].y);
            }
            assert_true(at(curve, curve->keys[0].x - 1.0f) == curve->keys[0].y);
            assert_true(at(curve, -1e30f) == curve->keys[0].y);
            assert_true(at(curve, curve->keys[last].x + 1.0f) == curve->keys[last].y);
            assert_true(at(curve, 1e30f) == curve->keys[last].y);
        }
    }
}

// Segments without handles are lines, also between segments that bend; flat ones have no error.
static void lines_and_steps(void **state) {
    (void)state;
    lmb_curve_key keys[5] = {lmb_key(0.0f, 0.0f), lmb_key(1.0f, 2.0f), lmb_key(3.0f, 0.3f), lmb_key(4.0f, 0.3f),
                             lmb_key(6.0f, -1.0f)};
    keys[1].stepped = true;
    const lmb_curve_def curve = {keys, 5};
    assert_true(at(&curve, 0.5f) == 1.0f);
    assert_true(at(&curve, 0.25f) == 0.5f);
    assert_true(at(&curve, 1.0f) == 2.0f && at(&curve, 2.9999998f) == 2.0f && at(&curve, 3.0f) == 0.3f);
    assert_true(at(&curve, 3.7f) == 0.3f);
    assert_true(fabsf(at(&curve, 4.5f) + 0.025f) < 1e-6f);
    // The same line with handles at its thirds, and with slopes.
    lmb_set_slopes(&keys[0], 2.0f, 2.0f, &keys[1]);
    assert_true(fabsf(at(&curve, 0.3f) - 0.6f) < 1e-6f);
}

static void the_most_keys(void **state) {
    (void)state;
    lmb_curve_key keys[LMB_MAX_CURVE_KEYS];
    for (uint32_t count = 2; count <= LMB_MAX_CURVE_KEYS; count++) {
        for (uint32_t i = 0; i < count; i++) {
            keys[i] = lmb_key((float)i, (float)(i * i % 7));
        }
        const lmb_curve_def curve = {keys, count};
        for (uint32_t i = 0; i + 1 < count; i++) {
            assert_true(at(&curve, (float)i) == keys[i].y);
            assert_true(fabsf(at(&curve, (float)i + 0.5f) - 0.5f * (keys[i].y + keys[i + 1].y)) < 2e-6f);
        }
    }
}

static void what_is_not_finite_stays(void **state) {
    (void)state;
    lmb_curve_key keys[2] = {lmb_key(0.0f, 0.5f), lmb_key(1.0f, 0.25f)};
    const lmb_curve_def curve = {keys, 2};
    assert_true(at(&curve, INFINITY) == INFINITY && isnan(at(&curve, NAN)));
    lmb_value value = lmb_constant(1.0f);
    value.curve = lmb_user_curve(0);
    assert_true(lmb_value_at(value, NULL, &curve) == 0.25f);
    assert_string_equal(lmb_curve_name(lmb_user_curve(3)), "user");
    assert_string_equal(lmb_curve_name(LMB_CURVE_COUNT), "unknown curve");
    assert_true(lmb_default_curve_def().keys == NULL && lmb_default_curve_def().key_count == 0);
}

// ---- Graphs.

enum { KEYS = 4, CURVES = 2 };

// Two rest poses blended by a curve, or faded by one.
typedef struct recipe {
    lmb_rig *rig;
    lmb_curve_key keys[KEYS];
    lmb_curve_def curves[CURVES];
    lmb_node_def nodes[3];
    lmb_fade_def fade;
    lmb_state_def states[2];
    lmb_transition_def transition;
    lmb_machine_def machine;
    lmb_smoothed_def smoothed;
    lmb_graph_def def;
} recipe;

static void start(recipe *r) {
    const lmb_joint_def joint = lmb_default_joint_def();
    const lmb_rig_def rig = {.joints = &joint, .joint_count = 1};
    memset(r, 0, sizeof *r);
    assert_int_equal(lmb_rig_create(&rig, NULL, &r->rig, NULL), LMB_OK);
    for (uint32_t i = 0; i < KEYS; i++) {
        r->keys[i] = lmb_key((float)i, 0.25f * (float)i);
    }
    lmb_css_keys(0.25f, 0.1f, 0.25f, 1.0f, r->keys);
    r->keys[1].out[0] = 0.5f;
    r->keys[2].in[0] = -0.5f;
    r->curves[0] = (lmb_curve_def){r->keys, KEYS};
    r->curves[1] = (lmb_curve_def){r->keys, 2};
    for (uint32_t i = 0; i < 3; i++) {
        r->nodes[i] = lmb_default_node_def();
    }
    r->nodes[2].op = LMB_OP_BLEND;
    r->nodes[2].inputs[1] = 1;
    r->nodes[2].input_count = 2;
    r->nodes[2].weight = lmb_parameter(0);
    r->nodes[2].weight.curve = lmb_user_curve(0);
    r->def = lmb_default_graph_def();
    r->def.rig = r->rig;
    r->def.nodes = r->nodes;
    r->def.node_count = 3;
    r->def.parameter_count = 2;
    r->def.curves = r->curves;
    r->def.curve_count = CURVES;
}

static void end(recipe *r) {
    lmb_rig_destroy(r->rig);
}

static void use_fade(recipe *r) {
    r->fade = lmb_default_fade_def();
    r->fade.parameter = 1;
    r->fade.in_event = 0;
    r->fade.pose = 1;
    r->fade.curve = lmb_user_curve(1);
    r->nodes[2].weight = lmb_parameter(1);
    r->def.fades = &r->fade;
    r->def.fade_count = 1;
    r->def.event_count = 1;
}

static void use_machine(recipe *r) {
    r->states[0] = r->states[1] = lmb_default_state_def();
    r->transition = lmb_default_transition_def();
    r->transition.from = 0;
    r->transition.to = 1;
    r->transition.event = 0;
    r->transition.curve = lmb_user_curve(1);
    r->machine = lmb_default_machine_def();
    r->machine.states = r->states;
    r->machine.state_count = 2;
    r->machine.transitions = &r->transition;
    r->machine.transition_count = 1;
    r->nodes[2].op = LMB_OP_MACHINE;
    r->nodes[2].machine = &r->machine;
    r->def.event_count = 1;
}

static void expect_valid(const recipe *r) {
    lmb_error error = {0};
    if (lmb_graph_check(&r->def, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

#define REFUSED(change, expected, ...)                                                                                 \
    do {                                                                                                               \
        recipe r;                                                                                                      \
        lmb_error error = {0};                                                                                         \
        lmb_graph *graph = NULL;                                                                                       \
        start(&r);                                                                                                     \
        expect_valid(&r);                                                                                              \
        change;                                                                                                        \
        CHECK_REFUSAL(lmb_graph_create(&r.def, NULL, &graph, &error), &error, expected, __VA_ARGS__);                  \
        assert_null(graph);                                                                                            \
        end(&r);                                                                                                       \
    } while (0)

static void bad_keys(void **state) {
    (void)state;
    REFUSED(r.curves[0].keys = NULL, LMB_ERROR_ARGUMENT, "graph: curve 0: keys: they are NULL");
    REFUSED(r.curves[1].key_count = 1, LMB_ERROR_ARGUMENT, "graph: curve 1: it has 1 keys, not 2 to 64");
    REFUSED(r.curves[1].key_count = 65, LMB_ERROR_ARGUMENT, "graph: curve 1: it has 65 keys, not 2 to 64");
    REFUSED(r.keys[3].x = NAN, LMB_ERROR_ARGUMENT, "graph: curve 0: key 3: x: ");
    REFUSED(r.keys[3].x = 0x1p21f, LMB_ERROR_ARGUMENT, "graph: curve 0: key 3: x: ");
    REFUSED(r.keys[2].y = INFINITY, LMB_ERROR_ARGUMENT, "graph: curve 0: key 2: y: ");
    REFUSED(r.keys[2].out[1] = -0x1p21f, LMB_ERROR_ARGUMENT, "graph: curve 0: key 2: out");
    REFUSED(r.keys[2].in[0] = NAN, LMB_ERROR_ARGUMENT, "graph: curve 0: key 2: in");
    REFUSED(r.keys[2].x = 1.0f, LMB_ERROR_ARGUMENT, "graph: curve 0: key 1: the next key is not after it");
    REFUSED(r.keys[2].x = 1.0000001f, LMB_ERROR_ARGUMENT, "graph: curve 0: key 1: the next key is not after it");
    REFUSED(r.keys[1].out[0] = 1.5f, LMB_ERROR_ARGUMENT, "graph: curve 0: key 1: out: it does not end between");
    REFUSED(r.keys[1].out[0] = -0.25f, LMB_ERROR_ARGUMENT, "graph: curve 0: key 1: out: it does not end between");
    REFUSED(r.keys[2].in[0] = 0.25f, LMB_ERROR_ARGUMENT, "graph: curve 0: key 1: in of the next key: it does not end");
    REFUSED(r.keys[2].in[0] = -1.5f, LMB_ERROR_ARGUMENT, "graph: curve 0: key 1: in of the next key: it does not end");
    REFUSED(r.def.curve_count = LMB_MAX_CURVES + 1, LMB_ERROR_LIMIT, "curves", "256");
    REFUSED(r.def.curves = NULL, LMB_ERROR_ARGUMENT, "curves");
}

// Handles outside of the curve are ignored, and those after a stepped key.
static void handles_that_are_ignored(void **state) {
    (void)state;
    recipe r;
    start(&r);
    r.keys[0].in[0] = 5.0f;
    r.keys[3].out[0] = -5.0f;
    r.keys[1].stepped = true;
    r.keys[1].out[0] = 100.0f;
    expect_valid(&r);
    end(&r);
}

static void curves_that_are_missing(void **state) {
    (void)state;
    const lmb_curve missing = lmb_user_curve(CURVES);
    REFUSED(r.nodes[2].weight.curve = missing, LMB_ERROR_ARGUMENT,
            "node 2 (blend): weight: the graph has no such curve");
    REFUSED(r.nodes[2].weight.curve = LMB_CURVE_COUNT, LMB_ERROR_ARGUMENT, "node 2 (blend): weight: unknown curve");
    REFUSED((r.nodes[2].op = LMB_OP_IK_AIM, r.nodes[2].input_count = 1, r.nodes[2].aim.joint_count = 1,
             r.nodes[2].aim.joints[0] = 0, r.nodes[2].aim.target[1].curve = missing),
            LMB_ERROR_ARGUMENT, "node 2 (ik-aim): target[1]", "the graph has no such curve");
    REFUSED((use_fade(&r), r.fade.curve = missing), LMB_ERROR_ARGUMENT, "fade 0", "the graph has no such curve");
    REFUSED((use_machine(&r), r.transition.curve = missing), LMB_ERROR_ARGUMENT,
            "node 2 (machine): transition 0: curve: the graph has no such curve");
    REFUSED((r.smoothed = lmb_smoothed_parameter(lmb_parameter(0), 0.1f, 1), r.smoothed.source.curve = missing,
             r.def.smoothed = &r.smoothed, r.def.smoothed_count = 1),
            LMB_ERROR_ARGUMENT, "smoothed", "the graph has no such curve");
}

static void fades_from_0_to_1_are_valid(void) {
    recipe r;
    start(&r);
    use_fade(&r);
    expect_valid(&r);
    end(&r);
    start(&r);
    use_machine(&r);
    expect_valid(&r);
    end(&r);
}

static void a_fade_goes_from_0_to_1(void **state) {
    (void)state;
    fades_from_0_to_1_are_valid();
    REFUSED((use_fade(&r), r.fade.curve = lmb_user_curve(0)), LMB_ERROR_ARGUMENT, "fade 0",
            "it does not go from (0, 0) to (1, 1)");
    REFUSED((use_machine(&r), r.keys[1].y = 0.9f), LMB_ERROR_ARGUMENT,
            "node 2 (machine): transition 0: curve: it does not go from (0, 0) to (1, 1)");
    REFUSED((use_machine(&r), r.keys[0].y = 0.1f), LMB_ERROR_ARGUMENT,
            "node 2 (machine): transition 0: curve: it does not go from (0, 0) to (1, 1)");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_those_of_the_formula),
                                       cmocka_unit_test(steep_curves),
                                       cmocka_unit_test(keys_are_exact),
                                       cmocka_unit_test(lines_and_steps),
                                       cmocka_unit_test(the_most_keys),
                                       cmocka_unit_test(what_is_not_finite_stays),
                                       cmocka_unit_test(bad_keys),
                                       cmocka_unit_test(handles_that_are_ignored),
                                       cmocka_unit_test(curves_that_are_missing),
                                       cmocka_unit_test(a_fade_goes_from_0_to_1)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
