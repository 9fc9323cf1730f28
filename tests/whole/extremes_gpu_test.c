// Extreme inputs: the device gives the reference's bits.
#include "extremes.h"
#include "gpu_suite.h"

#include <gpu_side.h>
#include <limber/cpu.h>

static void compare_programs(bool interpret, uint32_t count) {
    device device;
    lmb_gpu *gpu;
    lmb_error error;
    open_device(&device);
    lmb_gpu_def def = device_gpu_def(&device);
    def.interpret_graphs = interpret;
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    for (uint32_t seed = 0; seed < count; seed++) {
        extremes *e = extremes_create(seed);
        lmb_cpu *cpu;
        gpu_side side;
        assert_ok(lmb_cpu_create(e->program, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
        assert_ok(lmb_cpu_run(cpu, &e->batch, &e->inputs, &e->outputs[0], &error), &error);
        assert_ok(gpu_side_create(&device, gpu, &e->batch, 0, &side, &error), &error);
        assert_ok(gpu_side_run(&side, &e->inputs, &e->outputs[1], &error), &error);
        extremes_expect_same(e, seed);
        gpu_side_destroy(&side);
        lmb_cpu_destroy(cpu);
        extremes_destroy(e);
    }
    lmb_gpu_destroy(gpu);
    close_device(&device);
}

static void same_bits_interpreted(void **state) {
    (void)state;
    compare_programs(true, suite_is_quick() ? 4 : 24);
}

static void same_bits_in_pipelines_of_their_own(void **state) {
    (void)state;
    suite_full_only();
    // Few, because drivers that run on the processor take seconds to compile each.
    compare_programs(false, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_interpreted),
                                       cmocka_unit_test(same_bits_in_pipelines_of_their_own)};
    return run_gpu_suite("extremes_gpu", tests, sizeof tests / sizeof tests[0]);
}
