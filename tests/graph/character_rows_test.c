// Rows of characters on the CPU: placing one changes its motion alone, respawning begins it anew, and one that moves to
// another row continues with the same bits. Bad arguments are refused and change nothing.
#include "refusal.h"
#include "suite.h"
#include "walker.h"

#include <limber/cpu.h>
#include <limber/snapshot.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, STATE = 256, INERTIA = 512 };

typedef struct crowd {
    lmb_graph *graph;
    lmb_cpu *cpu;
    uint32_t states[ROWS * STATE];
    uint32_t inertia[ROWS * INERTIA];
    uint32_t reached[ROWS];
    float parameters[ROWS * 16];
    float palettes[ROWS * WALKER_JOINTS * 12];
} crowd;

static size_t state_words(const crowd *c) {
    return lmb_control_state_words(lmb_graph_control(c->graph));
}

static size_t inertia_words(const crowd *c) {
    return lmb_graph_inertia_words(c->graph);
}

static crowd *crowd_create(void) {
    crowd *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->graph = walker_graph();
    assert_int_equal(lmb_cpu_create(c->graph, LMB_CPU_FAST, NULL, &c->cpu, NULL), LMB_OK);
    assert_true(state_words(c) <= STATE && inertia_words(c) <= INERTIA && lmb_graph_parameter_count(c->graph) <= 16);
    assert_int_equal(lmb_graph_reached_count(c->graph), 1);
    return c;
}

static void crowd_destroy(crowd *c) {
    lmb_cpu_destroy(c->cpu);
    lmb_graph_destroy(c->graph);
    free(c);
}

static lmb_character_words words_of(crowd *c) {
    return (lmb_character_words){.states = c->states, .inertia = c->inertia, .reached = c->reached, .row_count = ROWS};
}

// Runs a frame of the first `count` rows. `characters` says who is in each, and so its pace and events.
static void run_frame(crowd *c, uint32_t frame, uint32_t count, const uint32_t *characters) {
    lmb_event events[ROWS];
    uint32_t event_count = 0;
    for (uint32_t row = 0; row < count; row++) {
        float *parameters = c->parameters + (size_t)row * lmb_graph_parameter_count(c->graph);
        parameters[lmb_graph_find_parameter(c->graph, "pace")] = 0.5f + 0.25f * (float)characters[row];
        parameters[lmb_graph_find_parameter(c->graph, "now")] = (float)frame / 60.0f;
        if ((frame + 5 * characters[row]) % 23 == 3) {
            events[event_count++] = (lmb_event){row, lmb_graph_find_event(c->graph, "jump")};
        }
    }
    lmb_control_frame control = lmb_default_control_frame();
    control.step = LMB_TICKS_PER_SECOND / 60;
    control.number = frame;
    control.character_count = count;
    control.state = c->states;
    control.parameters = c->parameters;
    control.events = events;
    control.event_count = event_count;
    control.reached = c->reached;
    const lmb_batch_def batch = {c->graph, count, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = {.control = &control};
    const lmb_batch_outputs outputs = {
        .buffers = {[LMB_OUTPUT_PALETTE] = c->palettes}, .inertia = c->inertia, .reached = c->reached};
    lmb_error error = {0};
    if (lmb_cpu_run(c->cpu, &batch, &inputs, &outputs, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
}

static const uint32_t in_order[ROWS] = {0, 1, 2, 3, 4};

static void run_frames(crowd *c, uint32_t first, uint32_t end) {
    for (uint32_t frame = first; frame < end; frame++) {
        run_frame(c, frame, ROWS, in_order);
    }
}

static void expect_rows(const crowd *a, uint32_t row, const crowd *b, uint32_t other) {
    const size_t states = state_words(a), inertia = inertia_words(a), palette = WALKER_JOINTS * 12;
    assert_memory_equal(a->states + row * states, b->states + other * states, states * sizeof *a->states);
    assert_memory_equal(a->inertia + row * inertia, b->inertia + other * inertia, inertia * sizeof *a->inertia);
    assert_int_equal(a->reached[row], b->reached[other]);
    assert_memory_equal(a->palettes + row * palette, b->palettes + other * palette, palette * sizeof *a->palettes);
}

static bool is_zero(const uint32_t *words, size_t count) {
    bool zero = true;
    for (size_t i = 0; i < count; i++) {
        zero = zero && words[i] == 0;
    }
    return zero;
}

static void placing_changes_the_motion_alone(void **state) {
    (void)state;
    crowd *c = crowd_create();
    run_frames(c, 0, 20);
    const lmb_control *control = lmb_graph_control(c->graph);
    const lmb_word_range moved = lmb_control_motion_words(control);
    const lmb_character_words words = words_of(c);
    const lmb_motion motion = {.position = {7.0, 1.5, -3.0}, .yaw = 0.5};
    crowd *before = malloc(sizeof *before);
    assert_non_null(before);
    *before = *c;
    assert_int_equal(lmb_characters_place(c->graph, &words, 2, &motion, NULL), LMB_OK);
    const lmb_motion found = lmb_control_motion(control, c->states + 2 * state_words(c));
    assert_true(found.position[0] == 7.0 && found.position[1] == 1.5 && found.position[2] == -3.0);
    uint32_t *own = c->states + 2 * state_words(c) + moved.first;
    assert_memory_not_equal(own, before->states + 2 * state_words(c) + moved.first, moved.count * sizeof *own);
    memcpy(own, before->states + 2 * state_words(c) + moved.first, moved.count * sizeof *own);
    assert_memory_equal(c->states, before->states, sizeof c->states);
    assert_memory_equal(c->inertia, before->inertia, sizeof c->inertia);
    free(before);
    crowd_destroy(c);
}

// A row that was used is the same as one that never was.
static void respawning_begins_anew(void **state) {
    (void)state;
    crowd *c = crowd_create(), *fresh = crowd_create();
    run_frames(c, 0, 40);
    assert_false(is_zero(c->inertia + 3 * inertia_words(c), inertia_words(c)));
    const lmb_character_words words = words_of(c), others = words_of(fresh);
    const lmb_motion motion = {.position = {-2.0, 0.0, 4.0}, .yaw = -1.0};
    assert_int_equal(lmb_characters_respawn(c->graph, &words, 3, &motion, NULL), LMB_OK);
    assert_int_equal(lmb_characters_respawn(c->graph, &words, 1, NULL, NULL), LMB_OK);
    assert_true(is_zero(c->states + state_words(c), state_words(c)));
    assert_true(is_zero(c->inertia + inertia_words(c), inertia_words(c)) && c->reached[1] == 0);
    assert_int_equal(lmb_characters_place(fresh->graph, &others, 3, &motion, NULL), LMB_OK);
    run_frames(c, 40, 80);
    run_frames(fresh, 40, 80);
    expect_rows(c, 3, fresh, 3);
    expect_rows(c, 1, fresh, 1);
    crowd_destroy(fresh);
    crowd_destroy(c);
}

// The last character takes the row of one that leaves, and later another one joins.
static void moving_keeps_the_bits(void **state) {
    (void)state;
    crowd *c = crowd_create(), *all = crowd_create();
    uint32_t rows[ROWS] = {0, 1, 2, 3, 4};
    run_frames(c, 0, 30);
    run_frames(all, 0, 30);
    const lmb_character_words words = words_of(c);
    assert_int_equal(lmb_characters_move(c->graph, &words, 4, 1, NULL), LMB_OK);
    rows[1] = 4;
    for (uint32_t frame = 30; frame < 60; frame++) {
        run_frame(c, frame, 4, rows);
        run_frame(all, frame, ROWS, in_order);
        for (uint32_t row = 0; row < 4; row++) {
            expect_rows(c, row, all, rows[row]);
        }
    }
    crowd_destroy(all);
    crowd_destroy(c);
}

static void bad_arguments_change_nothing(void **state) {
    (void)state;
    crowd *c = crowd_create();
    run_frames(c, 0, 20);
    uint32_t before[sizeof c->states / sizeof c->states[0]];
    memcpy(before, c->states, sizeof before);
    const lmb_character_words words = words_of(c), none = {.row_count = ROWS};
    lmb_character_words lacking = words;
    const lmb_motion motion = {.yaw = 1.0}, far = {.position = {1e10, 0.0, 0.0}};
    lmb_error error;
    CHECK_REFUSAL(lmb_characters_place(NULL, &words, 0, &motion, &error), &error, LMB_ERROR_ARGUMENT,
                  "characters: the graph is NULL");
    CHECK_REFUSAL(lmb_characters_move(c->graph, NULL, 0, 1, &error), &error, LMB_ERROR_ARGUMENT,
                  "characters: the words are NULL");
    CHECK_REFUSAL(lmb_characters_place(c->graph, &words, ROWS, &motion, &error), &error, LMB_ERROR_ARGUMENT,
                  "characters: there is no character 5 of 5");
    CHECK_REFUSAL(lmb_characters_place(c->graph, &words, 0, NULL, &error), &error, LMB_ERROR_ARGUMENT, "the motion");
    CHECK_REFUSAL(lmb_characters_place(c->graph, &words, 0, &far, &error), &error, LMB_ERROR_ARGUMENT, "1e+10");
    CHECK_REFUSAL(lmb_characters_respawn(c->graph, &words, 1, &far, &error), &error, LMB_ERROR_ARGUMENT, "1e+10");
    CHECK_REFUSAL(lmb_characters_respawn(c->graph, &none, 1, &motion, &error), &error, LMB_ERROR_ARGUMENT, "states");
    lacking.inertia = NULL;
    CHECK_REFUSAL(lmb_characters_respawn(c->graph, &lacking, 1, &motion, &error), &error, LMB_ERROR_ARGUMENT,
                  "inertia");
    lacking = words;
    lacking.reached = NULL;
    CHECK_REFUSAL(lmb_characters_move(c->graph, &lacking, 1, 2, &error), &error, LMB_ERROR_ARGUMENT, "reached");
    CHECK_REFUSAL(lmb_characters_move(c->graph, &words, 0, ROWS, &error), &error, LMB_ERROR_ARGUMENT, "no character 5");
    CHECK_REFUSAL(lmb_characters_move(c->graph, &words, ROWS, 0, &error), &error, LMB_ERROR_ARGUMENT, "no character 5");
    assert_memory_equal(c->states, before, sizeof before);
    crowd_destroy(c);
    lmb_graph *still = walker_graph_of("{'op':'clip','clip':'walk','play':true}");
    uint32_t states[64] = {0};
    assert_true(lmb_control_state_words(lmb_graph_control(still)) <= 64);
    const lmb_character_words one = {.states = states, .row_count = 1};
    CHECK_REFUSAL(lmb_characters_place(still, &one, 0, &motion, &error), &error, LMB_ERROR_ARGUMENT,
                  "characters: the graph has no character motion");
    CHECK_REFUSAL(lmb_characters_respawn(still, &one, 0, &motion, &error), &error, LMB_ERROR_ARGUMENT,
                  "characters: the graph has no character motion");
    assert_int_equal(lmb_characters_respawn(still, &one, 0, NULL, &error), LMB_OK);
    lmb_graph_destroy(still);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placing_changes_the_motion_alone), cmocka_unit_test(respawning_begins_anew),
        cmocka_unit_test(moving_keeps_the_bits), cmocka_unit_test(bad_arguments_change_nothing)};
    return cmocka_run_group_tests(tests, walker_set_up, walker_tear_down);
}
