// Conditions and computed parameters that read whether a limb reached its target in the frame before, on every CPU
// path, and without that memory; nodes that cannot report.
#include "reached_scene.h"
#include "refusal.h"

#include <limber/cpu.h>

typedef struct path {
    lmb_cpu *cpu;
    uint32_t *state;
    float *parameters;
    uint32_t reached[REACHED_CHARACTERS * REACHED_WORDS];
} path;

static void run(const reached_scene *scene, path *p, uint32_t frame, bool remembers) {
    lmb_error error = {0};
    lmb_control_frame control = lmb_default_control_frame();
    control.step = LMB_TICKS_PER_SECOND / 60;
    control.number = frame;
    control.character_count = REACHED_CHARACTERS;
    control.state = p->state;
    control.parameters = p->parameters;
    control.reached = remembers ? p->reached : NULL;
    const lmb_batch_inputs inputs = {.control = &control};
    lmb_batch_outputs outputs = {.reached = p->reached};
    float *local = calloc(REACHED_CHARACTERS * 3 * LMB_POSE_COMPONENTS, sizeof *local);
    assert_non_null(local);
    outputs.buffers[LMB_OUTPUT_LOCAL] = local;
    const lmb_batch_def shown = {scene->graph, REACHED_CHARACTERS, LMB_OUTPUT_LOCAL_BIT};
    if (lmb_cpu_run(p->cpu, &shown, &inputs, &outputs, &error) != LMB_OK) {
        fail_msg("%s", error.message);
    }
    free(local);
}

static void start_path(const reached_scene *scene, lmb_cpu_path kind, path *p) {
    const size_t words = lmb_graph_get_info(scene->graph)->state_words;
    *p = (path){.state = calloc(REACHED_CHARACTERS * words, sizeof *p->state),
                .parameters = calloc((size_t)REACHED_CHARACTERS * scene->row, sizeof *p->parameters)};
    assert_true(p->state != NULL && p->parameters != NULL);
    assert_int_equal(lmb_cpu_create(scene->graph, kind, NULL, &p->cpu, NULL), LMB_OK);
}

static void end_path(path *p) {
    lmb_cpu_destroy(p->cpu);
    free(p->state);
    free(p->parameters);
}

static void conditions_read_the_frame_before(void **state) {
    (void)state;
    reached_scene scene;
    reached_start(&scene);
    const size_t words = lmb_graph_get_info(scene.graph)->state_words;
    for (int kind = 0; kind < LMB_CPU_PATH_COUNT; kind++) {
        if (!lmb_cpu_has((lmb_cpu_path)kind)) {
            continue;
        }
        path p;
        uint32_t before[REACHED_CHARACTERS] = {0}, counts[2] = {0, 0};
        start_path(&scene, (lmb_cpu_path)kind, &p);
        for (uint32_t frame = 0; frame < 30; frame++) {
            reached_fill(&scene, frame, p.parameters);
            run(&scene, &p, frame, true);
            for (uint32_t i = 0; i < REACHED_CHARACTERS; i++) {
                const float *row = p.parameters + (size_t)i * scene.row;
                assert_true(row[REACHED_PARAMETER] == (float)before[i]);
                assert_true(row[REACHED_COMPUTED] == 3.0f * (float)before[i]);
                assert_int_equal(lmb_state_current(scene.graph, p.state + i * words, 0), before[i]);
                before[i] = hypotf(row[REACHED_X], 0.5f) <= 2.0f;
                assert_int_equal(p.reached[i * REACHED_WORDS], 0);
                assert_int_equal(p.reached[i * REACHED_WORDS + 1], before[i]);
                counts[before[i]]++;
            }
        }
        assert_true(counts[0] > 200 && counts[1] > 200);
        end_path(&p);
    }
    reached_end(&scene);
}

static void nothing_is_reached_without_memory(void **state) {
    (void)state;
    reached_scene scene;
    path p;
    reached_start(&scene);
    start_path(&scene, LMB_CPU_FAST, &p);
    for (uint32_t frame = 0; frame < 3; frame++) {
        reached_fill(&scene, frame, p.parameters);
        run(&scene, &p, frame, false);
        for (uint32_t i = 0; i < REACHED_CHARACTERS; i++) {
            assert_true(p.parameters[(size_t)i * scene.row + REACHED_PARAMETER] == 0.0f);
        }
    }
    end_path(&p);
    reached_end(&scene);
}

static void faulty_parameters_are_refused(void **state) {
    (void)state;
    lmb_rig *rig = reached_rig();
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    CHECK_REFUSAL(reached_create(rig, REACHED_PARAMETERS, &graph, &error), &error, LMB_ERROR_ARGUMENT, "node 1",
                  "reached", "no such parameter");
    CHECK_REFUSAL(reached_create(rig, REACHED_COMPUTED, &graph, &error), &error, LMB_ERROR_ARGUMENT,
                  "something else writes this parameter");
    lmb_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_read_the_frame_before),
        cmocka_unit_test(nothing_is_reached_without_memory),
        cmocka_unit_test(faulty_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
