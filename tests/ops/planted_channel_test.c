// Feet planted by float channels, on all paths of the CPU, beside feet that the host plants at the same times: all
// matrices and all that is kept have the same bits.
#include "planted_scene.h"

#include <string.h>

enum { FRAMES = 250 };

static float transforms[PLANTED_CHARACTERS][12];

static void run(planted_scene *s, lmb_cpu *cpu) {
    lmb_error error = {0};
    const lmb_batch_inputs inputs = {.control = &s->frame};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_MODEL] = s->models, .inertia = s->memory};
    s->frame.matrices = &transforms[0][0];
    assert_ok(lmb_cpu_run(cpu, &s->batch, &inputs, &outputs, &error), &error);
}

static void expect_same(lmb_cpu_path path) {
    planted_scene by_channels, by_host;
    lmb_cpu *cpus[2];
    lmb_error error = {0};
    uint32_t planted = 0;
    planted_begin(&by_channels, true);
    planted_begin(&by_host, false);
    assert_ok(lmb_cpu_create(by_channels.graph, path, NULL, &cpus[0], &error), &error);
    assert_ok(lmb_cpu_create(by_host.graph, LMB_CPU_REFERENCE, NULL, &cpus[1], &error), &error);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        planted_move(&by_channels, frame);
        planted_move(&by_host, frame);
        run(&by_channels, cpus[0]);
        run(&by_host, cpus[1]);
        const size_t floats = (size_t)PLANTED_CHARACTERS * PLANTED_JOINTS * 12;
        assert_memory_equal(by_channels.models, by_host.models, floats * sizeof(float));
        const size_t words = (size_t)PLANTED_CHARACTERS * lmb_graph_inertia_words(by_host.graph);
        assert_memory_equal(by_channels.memory, by_host.memory, words * sizeof(uint32_t));
        for (uint32_t i = 0; i < PLANTED_CHARACTERS; i++) {
            planted += planted_inside(&by_host, i, 0) && planted_inside(&by_host, i, 1);
        }
    }
    assert_in_range(planted, 500, FRAMES * PLANTED_CHARACTERS / 2);
    for (uint32_t i = 0; i < 2; i++) {
        lmb_cpu_destroy(cpus[i]);
    }
    planted_end(&by_channels);
    planted_end(&by_host);
}

static void channels_plant_feet(void **state) {
    (void)state;
    expect_same(LMB_CPU_REFERENCE);
}

static void channels_plant_feet_in_lanes(void **state) {
    (void)state;
    expect_same(LMB_CPU_FAST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_plant_feet),
        cmocka_unit_test(channels_plant_feet_in_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
