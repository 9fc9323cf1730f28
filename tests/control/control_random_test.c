// Random controls on the CPU: single characters on a processor that flushes subnormals, where one can, give the same
// bits as many characters at a time on one that does not, and every path gives the bits of the reference. The state
// after each frame passes the check of states, and so do only states that give the same bits on both.
#include "control_random.h"
#include "flushing.h"
#include "program_loop.h"

#include "../../shaders/ops/control_layout.h"
#include "control/control.h"

#include <stdio.h>

// ---- What a state may not contain. ----

// Bits of floats that no state has: subnormals, numbers below 2^-40, a negative zero, infinities, NaN, numbers above
// 2^40.
static const uint32_t faults[] = {0x00000001, 0x007fffff, 0x80000001, 0x80400000, 0x00800000, 0x2b7fffff, 0xab7fffff,
                                  0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x53800001, 0xd3800001};
enum { FAULT_COUNT = sizeof faults / sizeof faults[0] };

// Float words of a state, and the place that messages name.
typedef struct float_list {
    struct {
        uint32_t word;
        bool has_flag; // in place of the sign
        char place[48];
    } rows[512];
    uint32_t count;
} float_list;

static void list_floats(float_list *list, uint32_t first, uint32_t count, const char *what, uint32_t index) {
    for (uint32_t i = 0; i < count; i++) {
        assert_in_range(list->count, 0, 511);
        list->rows[list->count].has_flag = false;
        list->rows[list->count].word = first + i;
        snprintf(list->rows[list->count].place, sizeof list->rows[0].place, "character 0: %s %u", what,
                 index != LMB_NONE ? index : first + i);
        list->count++;
    }
}

static void list_machine(float_list *list, const uint32_t *block, uint32_t index) {
    const uint32_t *record = block + block[FIELD(CONTROL, machines)] + index * WORDS_OF(MACHINE);
    const uint32_t states = record[FIELD(MACHINE, state_count)];
    const uint32_t profiles =
        block[block[record[FIELD(MACHINE, states)] + FIELD(STATE, table)] + FIELD(TABLE, profiles)];
    for (uint32_t i = 0; i < states * WORDS_OF(STATE_WEIGHT); i++) {
        list_floats(list, record[FIELD(MACHINE, state)] + WORDS_OF(MACHINE_NOW) + i, 1, "machine", index);
        list->rows[list->count - 1].has_flag = i % WORDS_OF(STATE_WEIGHT) == FIELD(STATE_WEIGHT, began);
    }
    if (profiles != CONTROL_NONE) {
        const uint32_t at = block[profiles + FIELD(MACHINE_PROFILES, state)];
        list_floats(list, at + FIELD(PROFILED, time), 1, "machine", index);
        list_floats(list, at + FIELD(PROFILED, share), 1, "machine", index);
        list_floats(list, at + WORDS_OF(PROFILED), states * WORDS_OF(PROFILED_END), "machine", index);
    }
}

static void list_motion(float_list *list, const uint32_t *block) {
    const uint32_t *record = block + block[FIELD(CONTROL, character_motion)];
    const uint32_t at = record[FIELD(CHARACTER_MOTION, state)], place = record[FIELD(CHARACTER_MOTION, place_words)];
    const bool full = place == WORDS_OF(MOVING_FULLY);
    if (full) {
        list_floats(list, at + FIELD(MOVING_FULLY, orientation), 4, "character motion's word",
                    FIELD(MOVING_FULLY, orientation));
    }
    for (uint32_t i = 0; i < (full ? WORDS_OF(MOVED_FULLY) : WORDS_OF(MOVED)); i++) {
        list_floats(list, at + place + i, 1, "character motion's word", place + i);
    }
    for (uint32_t i = 0; i < record[FIELD(CHARACTER_MOTION, track_count)]; i++) {
        const uint32_t *motion = block + record[FIELD(CHARACTER_MOTION, tracks)] + i * WORDS_OF(MOTION);
        const uint32_t player = (motion[FIELD(MOTION, player)] - block[FIELD(CONTROL, players)]) / WORDS_OF(PLAYER);
        list_floats(list, motion[FIELD(MOTION, weight)], 1, "player", player);
    }
}

static float_list find_floats(const lmb_graph *control) {
    const uint32_t *block = control->control->block;
    float_list list = {.count = 0};
    for (uint32_t i = 0; i < block[FIELD(CONTROL, smoothed_count)]; i++) {
        const uint32_t at = block[block[FIELD(CONTROL, smoothed)] + i * WORDS_OF(SMOOTHED) + FIELD(SMOOTHED, state)];
        list_floats(&list, at, 1, "smoothed parameter", i);
    }
    for (uint32_t i = 0; i < block[FIELD(CONTROL, player_count)]; i++) {
        const uint32_t at = block[block[FIELD(CONTROL, players)] + i * WORDS_OF(PLAYER) + FIELD(PLAYER, state)];
        list_floats(&list, at + FIELD(PLAYING, weight), 1, "player", i);
    }
    for (uint32_t i = 0; i < block[FIELD(CONTROL, machine_count)]; i++) {
        list_machine(&list, block, i);
    }
    for (uint32_t i = 0;
         (block[FIELD(CONTROL, flags)] & CONTROL_MATCHES) != 0 && i < block[FIELD(CONTROL, matching_count)]; i++) {
        const uint32_t *matching = block + block[FIELD(CONTROL, matchings)] + i * WORDS_OF(MATCHING);
        list_floats(&list, matching[FIELD(MATCHING, state)] + FIELD(MATCHED, moving), 6, "matching", i);
    }
    if (block[FIELD(CONTROL, character_motion)] != CONTROL_NONE) {
        list_motion(&list, block);
    }
    if (block[FIELD(CONTROL, inertia)] != CONTROL_NONE) {
        const uint32_t at = block[block[FIELD(CONTROL, inertia)] + FIELD(INERTIALIZED, state)];
        static const uint32_t words[] = {FIELD(INERTIAL, step_before), FIELD(INERTIAL, duration),
                                         FIELD(INERTIAL, step)};
        for (uint32_t i = 0; i < 3; i++) {
            list_floats(&list, at + words[i], 1, "inertia's word", words[i]);
        }
    }
    return list;
}

// Every float of a state, with every fault, is refused with its place; the smallest good number is not.
static void expect_checked(const lmb_graph *control, uint32_t number, uint32_t *state) {
    const float_list list = find_floats(control);
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t *word = state + list.rows[i].word;
        const uint32_t kept = *word;
        lmb_error error = {0};
        for (uint32_t k = 0; k < FAULT_COUNT; k++) {
            *word = faults[k];
            const bool is_good = list.rows[i].has_flag && faults[k] == 0x80000000;
            if (!is_good && (lmb_state_check(control, state, 1, &error) != LMB_ERROR_FORMAT ||
                             strstr(error.message, list.rows[i].place) == NULL)) {
                fail_msg("control %u: 0x%08x at '%s': '%s'", number, faults[k], list.rows[i].place, error.message);
            }
        }
        *word = 0x2b800000;
        if (lmb_state_check(control, state, 1, &error) != LMB_OK) {
            fail_msg("control %u: 2^-40 at '%s': '%s'", number, list.rows[i].place, error.message);
        }
        *word = kept;
    }
}

static void every_float_of_a_state_is_checked(void **state) {
    (void)state;
    for (uint32_t number = 0; number < 60; number++) {
        control_random *random = control_random_create(number);
        control_random_result result = control_random_result_create(random);
        for (uint32_t frame = 0; frame < 3; frame++) {
            control_random_run(random, frame, CONTROL_RANDOM_CHARACTERS, &result);
        }
        if (result.state[FIELD(CHARACTER, begun)] == 1) {
            expect_checked(random->control, number, result.state);
        }
        control_random_result_destroy(&result);
        control_random_destroy(random);
    }
}

// ---- Flushing ----

// Characters that have jumped in the first machine that matches motion, if there is one; and of these, those that play
// mirrored.
typedef struct jumped {
    uint32_t count, mirrored;
} jumped;

static void count_jumped(const lmb_graph *control, const uint32_t *states, jumped *jumped) {
    const uint32_t *block = control->control->block;
    for (uint32_t i = 0; (block[FIELD(CONTROL, flags)] & CONTROL_MATCHES) != 0 && i < CONTROL_RANDOM_CHARACTERS; i++) {
        const uint32_t *state = states + (size_t)i * lmb_graph_get_info(control)->state_words;
        const uint32_t *matched = state + block[block[FIELD(CONTROL, matchings)] + FIELD(MATCHING, state)];
        jumped->count += matched[WORDS_OF(MATCHED)] != 0;
        jumped->mirrored += matched[FIELD(MATCHED, mirrored)] != 0;
    }
}

static void compare(program_loop *loop, jumped *jumped) {
    const uint32_t number = loop->program;
    control_random *random = control_random_create(number);
    control_random_result kept = control_random_result_create(random), flushed = control_random_result_create(random);
    for (uint32_t frame = 0; frame < CONTROL_RANDOM_FRAMES; frame++) {
        control_random_run(random, frame, CONTROL_RANDOM_CHARACTERS, &kept);
        flushing_set(true);
        control_random_run(random, frame, 1, &flushed);
        flushing_set(false);
        loop->values += control_random_expect_same(random, number, frame, &kept, &flushed);
        program_loop_hash(loop, kept.state,
                          (size_t)CONTROL_RANDOM_CHARACTERS * lmb_graph_get_info(random->control)->state_words);
        lmb_error error = {0};
        if (lmb_state_check(random->control, kept.state, CONTROL_RANDOM_CHARACTERS, &error) != LMB_OK) {
            fail_msg("control %u, frame %u: %s", number, frame, error.message);
        }
    }
    count_jumped(random->control, kept.state, jumped);
    control_random_result_destroy(&kept);
    control_random_result_destroy(&flushed);
    control_random_destroy(random);
}

// ---- Paths ----

// Runs a control on the reference and on another path, some characters at a time.
static void compare_path(control_random *random, uint32_t number, lmb_cpu_path path, uint32_t at_once) {
    control_random_result expected = control_random_result_create(random);
    control_random_result found = control_random_result_create(random);
    for (uint32_t frame = 0; frame < CONTROL_RANDOM_FRAMES; frame++) {
        random->path = LMB_CPU_REFERENCE;
        control_random_run(random, frame, CONTROL_RANDOM_CHARACTERS, &expected);
        random->path = path;
        control_random_run(random, frame, at_once, &found);
        control_random_expect_same(random, number, frame, &expected, &found);
    }
    control_random_result_destroy(&expected);
    control_random_result_destroy(&found);
}

static void every_path_has_the_bits_of_the_reference(void **state) {
    (void)state;
    static const lmb_cpu_path vectors[] = {LMB_CPU_SIMD_4, LMB_CPU_SIMD_8, LMB_CPU_SIMD_16};
    static const uint32_t at_once[] = {CONTROL_RANDOM_CHARACTERS, 2, 7, 19};
    for (uint32_t number = 1000; number < (suite_is_slow() ? 1010u : 1100u); number++) {
        control_random *random = control_random_create(number);
        for (uint32_t i = 0; i < 3; i++) {
            if (lmb_cpu_has(vectors[i])) {
                compare_path(random, number, vectors[i], at_once[(number + i) % 4]);
            }
        }
        control_random_destroy(random);
    }
}

// ---- Faults ----

// Puts a fault into a word of each character's state, another word for each, where the check does not refuse it.
static uint32_t corrupt(const lmb_graph *control, uint32_t round, uint32_t *states) {
    const uint32_t words = lmb_graph_get_info(control)->state_words;
    uint32_t accepted = 0;
    for (uint32_t i = 0; i < CONTROL_RANDOM_CHARACTERS; i++) {
        uint32_t *state = states + (size_t)i * words, *word = state + (i + round * CONTROL_RANDOM_CHARACTERS) % words;
        const uint32_t kept = *word;
        *word = faults[(i * 5 + round) % FAULT_COUNT];
        const bool passes = lmb_state_check(control, state, 1, NULL) == LMB_OK;
        *word = passes ? *word : kept;
        accepted += passes;
    }
    return accepted;
}

static void states_that_pass_give_the_same_bits(void **state) {
    (void)state;
    uint32_t accepted = 0;
    for (uint32_t number = 0; number < 40; number++) {
        control_random *random = control_random_create(number);
        control_random_result kept = control_random_result_create(random);
        control_random_result flushed = control_random_result_create(random);
        const size_t bytes =
            CONTROL_RANDOM_CHARACTERS * lmb_graph_get_info(random->control)->state_words * sizeof(uint32_t);
        for (uint32_t frame = 0; frame < CONTROL_RANDOM_FRAMES; frame++) {
            if (frame % 2 == 1) {
                accepted += corrupt(random->control, frame / 2, kept.state);
                memcpy(flushed.state, kept.state, bytes);
            }
            control_random_run(random, frame, CONTROL_RANDOM_CHARACTERS, &kept);
            flushing_set(true);
            control_random_run(random, frame, CONTROL_RANDOM_CHARACTERS, &flushed);
            flushing_set(false);
            control_random_expect_same(random, number, frame, &kept, &flushed);
        }
        control_random_result_destroy(&kept);
        control_random_result_destroy(&flushed);
        control_random_destroy(random);
    }
    assert_in_range(accepted, 2000, UINT32_MAX);
}

// A transition is due in the frame in which the character jumps by motion matching.
static void same_bits_after_a_jump(void **state) {
    (void)state;
    program_loop loop = {.program = 28703464};
    jumped jumped = {0};
    compare(&loop, &jumped);
    assert_true(jumped.count > 0);
}

// A clip that its rate never ends, behind a delay: the sum of both times does not fit into ticks.
static void same_bits_of_a_time_without_end(void **state) {
    (void)state;
    program_loop loop = {.program = 28760878};
    jumped jumped = {0};
    compare(&loop, &jumped);
}

static void same_bits_with_flushing(void **state) {
    (void)state;
    program_loop loop =
        program_loop_start("controls", 0, suite_number("LIMBER_PROGRAMS", suite_is_slow() ? 20 : 200), 1);
    jumped jumped = {0};
    uint32_t compared = 0;
    for (; program_loop_next(&loop); compared++) {
        compare(&loop, &jumped);
    }
    print_message("%u characters have jumped by motion matching, and %u of them play mirrored\n",
                  (unsigned)jumped.count, (unsigned)jumped.mirrored);
    assert_true(compared < 100 || (jumped.count > 100 && jumped.mirrored > 10));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_float_of_a_state_is_checked),
        cmocka_unit_test(every_path_has_the_bits_of_the_reference),
        cmocka_unit_test(states_that_pass_give_the_same_bits),
        cmocka_unit_test(same_bits_after_a_jump),
        cmocka_unit_test(same_bits_of_a_time_without_end),
        cmocka_unit_test(same_bits_with_flushing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
