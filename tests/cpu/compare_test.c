// Comparison must find every difference and name the first one correctly: all bit-exactness tests depend on it.
#include "refusal.h"
#include "scene.h"

#include <limber/compare.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 5, CHARACTERS = 7, LARGEST = CHARACTERS * JOINTS * (int)LMB_MATRIX_COMPONENTS };

typedef struct world {
    lmb_rig *rig;
    lmb_graph *program;
    lmb_batch_def batch;
    float sides[2][LMB_OUTPUT_COUNT][LARGEST];
    lmb_batch_outputs a, b;
} world;

static void start(world *w) {
    const lmb_node_def node = lmb_default_node_def();
    w->rig = scene_rig(JOINTS, SCENE_TREE, 90);
    const lmb_graph_def def = {.rig = w->rig, .nodes = &node, .node_count = 1};
    assert_int_equal(lmb_graph_create(&def, NULL, &w->program, NULL), LMB_OK);
    w->batch =
        (lmb_batch_def){w->program, CHARACTERS, LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_MODEL_BIT | LMB_OUTPUT_PALETTE_BIT};
    memset(w->sides, 0, sizeof w->sides);
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        w->a.buffers[output] = w->sides[0][output];
        w->b.buffers[output] = w->sides[1][output];
    }
}

static void end(world *w) {
    lmb_graph_destroy(w->program);
    lmb_rig_destroy(w->rig);
}

static lmb_comparison compared(const world *w) {
    lmb_comparison comparison = {0};
    assert_int_equal(lmb_compare(&w->batch, &w->a, &w->b, 0, CHARACTERS, &comparison, NULL), LMB_OK);
    return comparison;
}

static void the_same_bits_do_not_differ(void **state) {
    (void)state;
    static world w;
    start(&w);
    w.sides[0][0][3] = w.sides[1][0][3] = NAN; // the same bits, though NaN is not equal to itself
    const lmb_comparison comparison = compared(&w);
    assert_int_equal(lmb_comparison_values(&comparison), CHARACTERS * JOINTS * (10 + 12 + 12));
    assert_int_equal(comparison.values[LMB_OUTPUT_LOCAL], CHARACTERS * JOINTS * 10);
    assert_int_equal(lmb_comparison_differs(&comparison), 0);
    assert_false(comparison.has_first);
    char text[64];
    lmb_comparison_describe(&comparison, text, sizeof text);
    assert_string_equal(text, "no difference");
    end(&w);
}

// One different value at a time, at every position.
static void every_place_is_compared_and_named(void **state) {
    (void)state;
    static world w;
    start(&w);
    static const struct {
        uint32_t rows, components;
    } shapes[LMB_OUTPUT_COUNT] = {{JOINTS, 10}, {JOINTS, 12}, {JOINTS, 12},         {JOINTS, 12},
                                  {JOINTS, 8},  {1, 6},       {5 /* sockets */, 12}};
    w.batch.outputs = (1u << LMB_OUTPUT_COUNT) - 1;
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        const uint32_t rows = shapes[output].rows, components = shapes[output].components;
        for (uint32_t i = 0; i < CHARACTERS * rows * components; i++) {
            w.sides[1][output][i] = 1.0f;
            const lmb_comparison comparison = compared(&w);
            w.sides[1][output][i] = 0.0f;
            const uint32_t within = i % (rows * components);
            assert_int_equal(lmb_comparison_differs(&comparison), 1);
            assert_int_equal(comparison.differs[output], 1);
            assert_true(comparison.has_first);
            assert_int_equal(comparison.output, output);
            assert_int_equal(comparison.character, i / (rows * components));
            assert_int_equal(comparison.joint, output == LMB_OUTPUT_LOCAL ? within % JOINTS : within / components);
            assert_int_equal(comparison.component, output == LMB_OUTPUT_LOCAL ? within / JOINTS : within % components);
            assert_int_equal(comparison.bits_a, 0);
            assert_int_equal(comparison.bits_b, 0x3f800000);
        }
    }
    end(&w);
}

static void distances_are_counted_in_floats(void **state) {
    (void)state;
    static const struct {
        float a, b;
        uint32_t ulp;
    } rows[] = {{0.0f, -0.0f, 1},           {0.0f, 0x1p-149f, 1},       {-0.0f, -0x1p-149f, 1},
                {0x1p-149f, -0x1p-149f, 3}, {1.0f, 0x1.000002p0f, 1},   {0x1.000006p0f, 1.0f, 3},
                {1.0f, 0x1.fffffep-1f, 1},  {-1.0f, -0x1.000002p0f, 1}, {1.0f, 2.0f, 1u << 23},
                {1.0f, -1.0f, 0x7f000001u}, {1.0f, NAN, UINT32_MAX},    {NAN, 1.0f, UINT32_MAX}};
    static world w;
    start(&w);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        w.sides[0][0][0] = rows[i].a;
        w.sides[1][0][0] = rows[i].b;
        const lmb_comparison comparison = compared(&w);
        assert_int_equal(lmb_comparison_differs(&comparison), 1);
        assert_int_equal(comparison.ulp, rows[i].ulp);
    }
    end(&w);
}

// Several comparisons are summed up. The first difference is the first one found: local before model before palette.
static void comparisons_add_up(void **state) {
    (void)state;
    static world w;
    start(&w);
    lmb_comparison comparison = compared(&w);
    w.sides[1][LMB_OUTPUT_PALETTE][0] = 1.0f;
    w.sides[1][LMB_OUTPUT_MODEL][JOINTS * 12 * 2 + 12 + 3] = 2.0f;
    assert_int_equal(lmb_compare(&w.batch, &w.a, &w.b, 0, CHARACTERS, &comparison, NULL), LMB_OK);
    w.sides[1][LMB_OUTPUT_LOCAL][0] = 3.0f;
    assert_int_equal(lmb_compare(&w.batch, &w.a, &w.b, 0, CHARACTERS, &comparison, NULL), LMB_OK);
    assert_int_equal(lmb_comparison_values(&comparison), 3 * CHARACTERS * JOINTS * 34);
    assert_int_equal(lmb_comparison_differs(&comparison), 5);
    assert_int_equal(comparison.output, LMB_OUTPUT_MODEL);
    assert_int_equal(comparison.character, 2);
    assert_int_equal(comparison.joint, 1);
    assert_int_equal(comparison.component, 3);
    char text[200], cut[16];
    lmb_comparison_describe(&comparison, text, sizeof text);
    static const char *const fragments[] = {"model",       "character 2", "joint 1",
                                            "component 3", "0x00000000",  "0x40000000"};
    for (uint32_t i = 0; i < sizeof fragments / sizeof *fragments; i++) {
        assert_non_null(strstr(text, fragments[i]));
    }
    lmb_comparison_describe(&comparison, cut, sizeof cut);
    assert_int_equal(strlen(cut), sizeof cut - 1);
    assert_memory_equal(cut, text, sizeof cut - 1);
    end(&w);
}

// Pointers start at the range. Its first character is reported by its index in the batch.
static void ranges_and_outputs_are_kept_to(void **state) {
    (void)state;
    static world w;
    start(&w);
    lmb_comparison comparison = {0};
    w.sides[1][LMB_OUTPUT_LOCAL][JOINTS * 10] = 1.0f;     // character 1 of the range
    w.sides[1][LMB_OUTPUT_LOCAL][JOINTS * 10 * 2] = 1.0f; // after the range
    w.sides[1][LMB_OUTPUT_MODEL][0] = 1.0f;               // not among the outputs
    w.batch.outputs = LMB_OUTPUT_LOCAL_BIT;
    w.a.buffers[LMB_OUTPUT_MODEL] = w.b.buffers[LMB_OUTPUT_PALETTE] = NULL;
    assert_int_equal(lmb_compare(&w.batch, &w.a, &w.b, 4, 2, &comparison, NULL), LMB_OK);
    assert_int_equal(lmb_comparison_values(&comparison), 2 * JOINTS * 10);
    assert_int_equal(lmb_comparison_differs(&comparison), 1);
    assert_int_equal(comparison.character, 5);
    end(&w);
}

static void what_is_missing_is_refused(void **state) {
    (void)state;
    static world w;
    start(&w);
    lmb_comparison comparison = {0};
    lmb_error error = {0};
    CHECK_REFUSAL(lmb_compare(NULL, &w.a, &w.b, 0, 1, &comparison, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_compare(&w.batch, NULL, &w.b, 0, 1, &comparison, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_compare(&w.batch, &w.a, NULL, 0, 1, &comparison, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_compare(&w.batch, &w.a, &w.b, 0, 1, NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    CHECK_REFUSAL(lmb_compare(&w.batch, &w.a, &w.b, CHARACTERS, 1, &comparison, &error), &error, LMB_ERROR_ARGUMENT,
                  "1 characters from");
    CHECK_REFUSAL(lmb_compare(&w.batch, &w.a, &w.b, 1, UINT32_MAX, &comparison, &error), &error, LMB_ERROR_ARGUMENT,
                  "characters from 1 on");
    w.b.buffers[LMB_OUTPUT_PALETTE] = NULL;
    CHECK_REFUSAL(lmb_compare(&w.batch, &w.a, &w.b, 0, 1, &comparison, &error), &error, LMB_ERROR_ARGUMENT, "palette");
    assert_int_equal(lmb_comparison_values(&comparison), 0);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_bits_do_not_differ),     cmocka_unit_test(every_place_is_compared_and_named),
        cmocka_unit_test(distances_are_counted_in_floats), cmocka_unit_test(comparisons_add_up),
        cmocka_unit_test(ranges_and_outputs_are_kept_to),  cmocka_unit_test(what_is_missing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
