// Random programs on a device against the reference.
#include "program_random_gpu.h"

static device opened;

static void run_gpu(const program_side *side, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                    const lmb_batch_outputs *outputs, const program_list *list) {
    program_random_run_gpu(&opened, side->user, batch, inputs, outputs, list);
}

static void compare_programs(bool interpret, const char *name, uint32_t first, uint32_t count) {
    lmb_gpu_def def = device_gpu_def(&opened);
    lmb_error error;
    lmb_gpu *gpu = NULL;
    def.interpret_graphs = interpret;
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    const program_side side = {opened.properties.deviceName, run_gpu, gpu, 67};
    program_random_compare(&side, program_loop_start(name, first, count, 2), first);
    lmb_gpu_destroy(gpu);
}

// Fewer than on the CPU, because drivers that run on the processor take seconds for each.
static void same_bits_interpreted(void **state) {
    (void)state;
    suite_full_only();
    compare_programs(true, "interpreted", 0, (program_random_count() * 2 + 4) / 5);
}

// A pipeline for a program takes far longer, so only some programs, of all sizes, have one.
static void same_bits_with_pipelines(void **state) {
    (void)state;
    compare_programs(false, "pipelines", 1, 1 + program_random_count() / 20);
}

// Seven retargeted clips whose tracks have their own key times, on 67 joints. lavapipe ends all loops of an invocation
// after 65,535 iterations, which is too early for one that evaluates all joints.
static void same_bits_of_many_searches(void **state) {
    (void)state;
    suite_full_only(); // takes long to compile
    enum { MANY_SEARCHES = 61000030 };
    lmb_gpu_def def = device_gpu_def(&opened);
    lmb_error error;
    lmb_gpu *gpu = NULL;
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    const program_side side = {opened.properties.deviceName, run_gpu, gpu, 67};
    program_loop loop = {
        .name = "many searches", .program = MANY_SEARCHES - 1, .first = MANY_SEARCHES, .end = MANY_SEARCHES + 1};
    program_random_compare(&side, loop, 1);
    lmb_gpu_destroy(gpu);
}

static int start(void **state) {
    (void)state;
    open_device(&opened);
    return 0;
}

static int finish(void **state) {
    (void)state;
    return device_close(&opened) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_interpreted),
        cmocka_unit_test(same_bits_with_pipelines),
        cmocka_unit_test(same_bits_of_many_searches),
    };
    return run_gpu_suite_with("program_random", tests, sizeof tests / sizeof tests[0], start, finish);
}
