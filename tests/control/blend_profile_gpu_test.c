// Blend profiles on a device, in the graph's own pipeline and in the interpreting kernel: the bits of the CPU.
// control_random_gpu_test tests their stage 1.
#include "blend_profile.h"
#include "gpu_suite.h"

#include <gpu_side.h>

#include <limber/cpu.h>

typedef struct poses {
    float local[PROFILED_LOCAL_FLOATS];
    float channels[PROFILED_CHARACTERS * PROFILED_CHANNELS];
} poses;

static lmb_batch_outputs outputs_of(poses *found) {
    return (lmb_batch_outputs){.buffers = {[LMB_OUTPUT_LOCAL] = found->local, [LMB_OUTPUT_CHANNELS] = found->channels}};
}

static void same_bits(bool interprets) {
    device opened;
    lmb_gpu *gpu = NULL;
    lmb_error error = {0};
    blend_profile scene;
    static poses here, there;
    open_device(&opened);
    lmb_gpu_def gpu_def = device_gpu_def(&opened);
    gpu_def.interpret_graphs = interprets;
    assert_ok(lmb_gpu_create(&gpu_def, NULL, &gpu, &error), &error);
    blend_profile_start(&scene);
    blend_profile_create(&scene);
    const lmb_batch_def batch = {scene.graph, PROFILED_CHARACTERS, LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_CHANNELS_BIT};
    gpu_side side;
    assert_ok(gpu_side_create(&opened, gpu, &batch, 0, &side, &error), &error);
    lmb_cpu *cpu = NULL;
    assert_ok(lmb_cpu_create(scene.graph, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    for (uint32_t frame = 0; frame < 80; frame++) {
        blend_profile_draw(&scene);
        blend_profile_run(&scene);
        if (frame % 4 == 3) {
            const lmb_batch_inputs inputs = {.parameters = scene.parameters};
            const lmb_batch_outputs on_cpu = outputs_of(&here), on_gpu = outputs_of(&there);
            assert_ok(lmb_cpu_run_poses(cpu, &batch, &inputs, &on_cpu, 0, PROFILED_CHARACTERS, &error), &error);
            assert_ok(gpu_side_run(&side, &inputs, &on_gpu, &error), &error);
            assert_memory_equal(&here, &there, sizeof here);
        }
    }
    lmb_cpu_destroy(cpu);
    gpu_side_destroy(&side);
    blend_profile_destroy(&scene);
    lmb_gpu_destroy(gpu);
    close_device(&opened);
}

static void in_its_own_pipeline(void **state) {
    (void)state;
    same_bits(false);
}

static void interpreted(void **state) {
    (void)state;
    suite_full_only(); // drivers take long to compile the interpreter, which gpu_bits_test has in every set
    same_bits(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_its_own_pipeline), cmocka_unit_test(interpreted)};
    return run_gpu_suite("blend_profile_gpu", tests, sizeof tests / sizeof tests[0]);
}
