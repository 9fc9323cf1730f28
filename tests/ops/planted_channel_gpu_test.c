// Feet planted by float channels on a device, against the reference: all matrices and all that is kept.
#include "gpu_suite.h"

#include "planted_scene.h"

#include <gpu_side.h>

enum { FRAMES = 120 };

static void channels_plant_feet_with_the_same_bits(void **state) {
    (void)state;
    static float transforms[PLANTED_CHARACTERS][12];
    device device;
    lmb_gpu *gpu;
    lmb_cpu *cpu;
    gpu_side side;
    planted_scene here, there;
    lmb_error error = {0};
    open_device(&device);
    const lmb_gpu_def gpu_def = device_gpu_def(&device);
    assert_ok(lmb_gpu_create(&gpu_def, NULL, &gpu, &error), &error);
    planted_begin(&here, true, false);
    planted_begin(&there, true, false);
    lmb_gpu_batch_def batch = lmb_default_gpu_batch_def();
    batch.own_transforms = true;
    assert_ok(gpu_side_create_as(&device, gpu, &there.batch, batch, &side, &error), &error);
    assert_ok(lmb_cpu_create(here.graph, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        planted_move(&here, frame);
        planted_move(&there, frame);
        here.frame.matrices = &transforms[0][0];
        lmb_batch_inputs inputs = {.control = &here.frame};
        const lmb_batch_outputs to = {.buffers[LMB_OUTPUT_MODEL] = here.models, .inertia = here.memory};
        assert_ok(lmb_cpu_run(cpu, &here.batch, &inputs, &to, &error), &error);
        inputs = (lmb_batch_inputs){.parameters = there.parameters, .control = &there.frame};
        const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_MODEL] = there.models};
        assert_ok(gpu_side_run(&side, &inputs, &outputs, &error), &error);
        assert_ok(device_read_inertia(&device, side.batch, there.memory, &error), &error);
        const size_t floats = (size_t)PLANTED_CHARACTERS * PLANTED_JOINTS * 12;
        assert_memory_equal(here.models, there.models, floats * sizeof(float));
        const size_t words = (size_t)PLANTED_CHARACTERS * lmb_graph_get_info(here.graph)->inertia_words;
        assert_memory_equal(here.memory, there.memory, words * sizeof(uint32_t));
    }
    gpu_side_destroy(&side);
    lmb_cpu_destroy(cpu);
    planted_end(&here);
    planted_end(&there);
    lmb_gpu_destroy(gpu);
    close_device(&device);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(channels_plant_feet_with_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
