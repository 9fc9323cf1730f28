// Random programs on the SIMD paths against the reference, and the shrinking of a program that differs.
#include "program_random.h"

#include "scene.h"

#include <stdio.h>
#include <string.h>

static void run_cpu(const program_side *side, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                    const lmb_batch_outputs *outputs, const program_list *list) {
    program_random_run_cpu(*(const lmb_cpu_path *)side->user, batch, inputs, outputs, list);
}

static void same_bits_on_every_path(void **state) {
    (void)state;
    uint32_t paths = 0;
    for (lmb_cpu_path path = LMB_CPU_SIMD_4; path < LMB_CPU_PATH_COUNT; path++) {
        paths += lmb_cpu_has(path);
    }
    for (lmb_cpu_path path = LMB_CPU_SIMD_4; path < LMB_CPU_PATH_COUNT; path++) {
        if (lmb_cpu_has(path)) {
            const program_side side = {lmb_cpu_path_name(path), run_cpu, &path, 0};
            program_random_compare(&side, program_loop_start(side.name, 0, program_random_count(), paths), 0);
        }
    }
}

// The generator can draw every operation, sizes up to nearly the max, and trees that hold the max number of poses.
static void programs_are_of_all_kinds(void **state) {
    (void)state;
    uint32_t counts[LMB_OP_COUNT] = {0};
    uint32_t largest = 0;
    uint32_t deepest = 0;
    lmb_rig *rig = scene_rig(4, SCENE_CHAIN, 5);
    for (uint32_t program = 1; program <= 900; program++) {
        const crowd_def def = {
            .rig = rig, .character_count = 1, .seed = 5, .program = program, .most_nodes = RANDOM_PROGRAM_NODES};
        crowd crowd;
        assert_int_equal(crowd_create(&def, &crowd, NULL), LMB_OK);
        for (uint32_t i = 0; i < crowd.random->node_count; i++) {
            counts[crowd.random->nodes[i].op]++;
        }
        largest = crowd.random->node_count > largest ? crowd.random->node_count : largest;
        deepest =
            lmb_graph_get_info(crowd.program)->stack > deepest ? lmb_graph_get_info(crowd.program)->stack : deepest;
        crowd_destroy(&crowd);
    }
    assert_true(largest > RANDOM_PROGRAM_NODES - 8);
    assert_int_equal(deepest, RANDOM_PROGRAM_STACK);
    for (uint32_t op = 0; op < LMB_OP_MACHINE; op++) {
        assert_true(op == LMB_OP_CLIP || counts[op] > 20); // there were no clips
    }
    lmb_rig_destroy(rig);
}

static void note_additive(void *user, const char *line) {
    *(bool *)user = *(bool *)user || strstr(line, " additive") != NULL || strstr(line, "apply") != NULL;
}

// Gives a result that is wrong by one bit if a program contains an additive.
static void run_wrongly(const program_side *side, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                        const lmb_batch_outputs *outputs, const program_list *list) {
    (void)side;
    program_random_run_cpu(LMB_CPU_REFERENCE, batch, inputs, outputs, list);
    bool wrong = false;
    lmb_graph_print(batch->graph, note_additive, &wrong);
    uint32_t bits;
    float *last = outputs->buffers[LMB_OUTPUT_MODEL] + 11;
    memcpy(&bits, last, sizeof bits);
    bits ^= wrong ? 1u : 0u;
    memcpy(last, &bits, sizeof bits);
}

static void a_program_that_differs_is_shrunk(void **state) {
    (void)state;
    const program_side side = {"a wrong side", run_wrongly, NULL, 0};
    lmb_rig *rig = scene_single_joint();
    uint32_t shrunk = 0;
    for (uint32_t program = 1; program <= 40; program++) {
        const crowd_def def = {.rig = rig, .character_count = 2, .seed = 6, .program = program, .most_nodes = 64};
        crowd crowd;
        char text[300];
        assert_int_equal(crowd_create(&def, &crowd, NULL), LMB_OK);
        crowd_draw(&crowd, 0);
        if (crowd.random->node_count > 20 && program_random_differs(&side, &crowd, text, sizeof text)) {
            assert_non_null(strstr(text, "model"));
            program_random_shrink(&side, &crowd);
            // An additive and two leaves remain.
            assert_int_equal(crowd.random->node_count, 3);
            assert_int_equal(crowd.random->nodes[2].op, LMB_OP_ADDITIVE);
            assert_true(program_random_differs(&side, &crowd, NULL, 0));
            shrunk++;
        }
        crowd_destroy(&crowd);
    }
    assert_true(shrunk > 10);
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_of_all_kinds),
        cmocka_unit_test(a_program_that_differs_is_shrunk),
        cmocka_unit_test(same_bits_on_every_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
