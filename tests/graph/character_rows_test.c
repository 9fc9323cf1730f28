// Rows of characters on the CPU: placing one changes its motion alone, respawning begins it anew, and one that moves to
// another row continues with the same bits. A row's hash is that of all its words. Bad arguments are refused and change
// nothing.
#include "refusal.h"
#include "suite.h"
#include "walkers.h"

static walkers *create(void) {
    return walkers_create(walker_graph(), LMB_CPU_FAST);
}

static void run_frames(walkers *c, uint32_t first, uint32_t end) {
    for (uint32_t frame = first; frame < end; frame++) {
        walkers_run(c, frame, walkers_in_order, WALKERS_ROWS);
    }
}

static void expect_rows(const walkers *a, uint32_t row, const walkers *b, uint32_t other) {
    const size_t states = a->state_words, inertia = a->inertia_words, palette = WALKERS_PALETTE;
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
    walkers *c = create();
    run_frames(c, 0, 20);
    const lmb_word_range moved = lmb_graph_get_info(c->graph)->motion_words;
    const lmb_character_words words = walkers_words(c);
    const lmb_motion motion = {.position = {7.0, 1.5, -3.0}, .yaw = 0.5};
    walkers *before = malloc(sizeof *before);
    assert_non_null(before);
    *before = *c;
    assert_int_equal(lmb_characters_place(c->graph, &words, 2, &motion, NULL), LMB_OK);
    const lmb_motion found = lmb_state_motion(c->graph, c->states + 2 * c->state_words);
    assert_true(found.position[0] == 7.0 && found.position[1] == 1.5 && found.position[2] == -3.0);
    uint32_t *own = c->states + 2 * c->state_words + moved.first;
    assert_memory_not_equal(own, before->states + 2 * c->state_words + moved.first, moved.count * sizeof *own);
    memcpy(own, before->states + 2 * c->state_words + moved.first, moved.count * sizeof *own);
    assert_memory_equal(c->states, before->states, sizeof c->states);
    assert_memory_equal(c->inertia, before->inertia, sizeof c->inertia);
    free(before);
    walkers_destroy(c);
}

// A row that was used is the same as one that never was.
static void respawning_begins_anew(void **state) {
    (void)state;
    walkers *c = create(), *fresh = create();
    run_frames(c, 0, 40);
    assert_false(is_zero(c->inertia + 3 * c->inertia_words, c->inertia_words));
    const lmb_character_words words = walkers_words(c), others = walkers_words(fresh);
    const lmb_motion motion = {.position = {-2.0, 0.0, 4.0}, .yaw = -1.0};
    assert_int_equal(lmb_characters_respawn(c->graph, &words, 3, &motion, NULL), LMB_OK);
    assert_int_equal(lmb_characters_respawn(c->graph, &words, 1, NULL, NULL), LMB_OK);
    assert_true(is_zero(c->states + c->state_words, c->state_words));
    assert_true(is_zero(c->inertia + c->inertia_words, c->inertia_words) && c->reached[1] == 0);
    assert_int_equal(lmb_characters_place(fresh->graph, &others, 3, &motion, NULL), LMB_OK);
    run_frames(c, 40, 80);
    run_frames(fresh, 40, 80);
    expect_rows(c, 3, fresh, 3);
    expect_rows(c, 1, fresh, 1);
    walkers_destroy(fresh);
    walkers_destroy(c);
}

// The last character takes the row of one that leaves, and later another one joins.
static void moving_keeps_the_bits(void **state) {
    (void)state;
    walkers *c = create(), *all = create();
    uint32_t rows[WALKERS_ROWS] = {0, 6, 2, 3, 4, 5};
    run_frames(c, 0, 30);
    run_frames(all, 0, 30);
    const lmb_character_words words = walkers_words(c);
    assert_int_equal(lmb_characters_move(c->graph, &words, 6, 1, NULL), LMB_OK);
    for (uint32_t frame = 30; frame < 60; frame++) {
        walkers_run(c, frame, rows, WALKERS_ROWS - 1);
        walkers_run(all, frame, walkers_in_order, WALKERS_ROWS);
        for (uint32_t row = 0; row < WALKERS_ROWS - 1; row++) {
            expect_rows(c, row, all, rows[row]);
        }
    }
    walkers_destroy(all);
    walkers_destroy(c);
}

// The hash of a row, as the header says.
static uint64_t hash_of(const lmb_graph *graph, const lmb_character_words *words, uint32_t row) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    const size_t states = info->state_words, inertia = info->inertia_words;
    const uint64_t parts[] = {
        lmb_hash_words(words->states + row * states, states),
        lmb_hash_words(inertia > 0 ? words->inertia + row * inertia : NULL, inertia),
        lmb_hash_words(words->reached != NULL ? words->reached + row : NULL, info->reached_count)};
    uint32_t six[6];
    for (int i = 0; i < 6; i++) {
        six[i] = (uint32_t)(parts[i / 2] >> 32 * (i % 2));
    }
    return lmb_hash_words(six, 6);
}

static void hashes_are_those_of_all_words(void **state) {
    (void)state;
    enum { LISTED = 150, MANY = 100 };
    walkers *c = create();
    run_frames(c, 0, 30);
    const lmb_character_words words = walkers_words(c);
    uint32_t listed[LISTED];
    uint64_t rows[WALKERS_ROWS], hashes[LISTED];
    assert_int_equal(lmb_characters_hash(c->graph, &words, rows, NULL), LMB_OK);
    for (uint32_t i = 0; i < LISTED; i++) {
        listed[i] = 4 * i % WALKERS_ROWS;
    }
    lmb_character_words some = words;
    some.characters = listed;
    some.count = LISTED;
    assert_int_equal(lmb_characters_hash(c->graph, &some, hashes, NULL), LMB_OK);
    for (uint32_t i = 0; i < LISTED; i++) {
        assert_true(rows[listed[i]] == hash_of(c->graph, &words, listed[i]) && hashes[i] == rows[listed[i]]);
    }
    some = words;
    some.first = 2;
    some.count = 3;
    c->states[3 * c->state_words]++;
    c->inertia[4 * c->inertia_words]++;
    c->reached[2] ^= 1;
    assert_int_equal(lmb_characters_hash(c->graph, &some, hashes, NULL), LMB_OK);
    for (uint32_t i = 0; i < some.count; i++) {
        assert_true(hashes[i] == hash_of(c->graph, &words, 2 + i) && hashes[i] != rows[2 + i]);
    }
    lmb_error error;
    CHECK_REFUSAL(lmb_characters_hash(c->graph, &words, NULL, &error), &error, LMB_ERROR_ARGUMENT, "hashes are NULL");
    some.first = WALKERS_ROWS;
    CHECK_REFUSAL(lmb_characters_hash(c->graph, &some, hashes, &error), &error, LMB_ERROR_ARGUMENT, "7 to 10");
    walkers_destroy(c);
    lmb_graph *still = walker_graph_of("{'op':'clip','clip':'walk','play':true}");
    const size_t state_words = lmb_graph_get_info(still)->state_words;
    uint32_t states[MANY * 64];
    assert_true(state_words <= 64 && lmb_graph_get_info(still)->inertia_words == 0);
    for (uint32_t i = 0; i < MANY * state_words; i++) {
        states[i] = i * i;
    }
    const lmb_character_words many = {.states = states, .row_count = MANY, .count = MANY};
    assert_int_equal(lmb_characters_hash(still, &many, hashes, NULL), LMB_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(hashes[i] == hash_of(still, &many, i));
    }
    lmb_graph_destroy(still);
}

static void bad_arguments_change_nothing(void **state) {
    (void)state;
    walkers *c = create();
    run_frames(c, 0, 20);
    uint32_t before[sizeof c->states / sizeof c->states[0]];
    memcpy(before, c->states, sizeof before);
    const lmb_character_words words = walkers_words(c), none = {.row_count = WALKERS_ROWS};
    lmb_character_words lacking = words;
    const lmb_motion motion = {.yaw = 1.0}, far = {.position = {1e10, 0.0, 0.0}};
    lmb_error error;
    CHECK_REFUSAL(lmb_characters_place(NULL, &words, 0, &motion, &error), &error, LMB_ERROR_ARGUMENT,
                  "characters: the graph is NULL");
    CHECK_REFUSAL(lmb_characters_move(c->graph, NULL, 0, 1, &error), &error, LMB_ERROR_ARGUMENT,
                  "characters: the words are NULL");
    CHECK_REFUSAL(lmb_characters_place(c->graph, &words, WALKERS_ROWS, &motion, &error), &error, LMB_ERROR_ARGUMENT,
                  "characters: there is no character 7 of 7");
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
    CHECK_REFUSAL(lmb_characters_move(c->graph, &words, 0, WALKERS_ROWS, &error), &error, LMB_ERROR_ARGUMENT,
                  "no character 7");
    CHECK_REFUSAL(lmb_characters_move(c->graph, &words, WALKERS_ROWS, 0, &error), &error, LMB_ERROR_ARGUMENT,
                  "no character 7");
    assert_memory_equal(c->states, before, sizeof before);
    walkers_destroy(c);
    lmb_graph *still = walker_graph_of("{'op':'clip','clip':'walk','play':true}");
    uint32_t states[64] = {0};
    assert_true(lmb_graph_get_info(still)->state_words <= 64);
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
        cmocka_unit_test(moving_keeps_the_bits), cmocka_unit_test(hashes_are_those_of_all_words),
        cmocka_unit_test(bad_arguments_change_nothing)};
    return cmocka_run_group_tests(tests, walker_set_up, walker_tear_down);
}
