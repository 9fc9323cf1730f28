// The scenario on a Vulkan device: the golden hash, frames in flight, one and several buffer spans, the reference's
// bits, and a graph whose kernels are compiled while its frames are recorded.
#include "suite.h"

#include "gpu_suite.h"
#include "scenario.h"

#include "base/thread.h"

#include <limber/compare.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    device device;
    lmb_gpu *gpu;
    scenario scenario;
    lmb_gpu_graph *program;
    lmb_gpu_batch *batch;
    device_buffer pose;
    bool compiles; // while the first frame is recorded
} fixture;

static void compile(void *argument) {
    lmb_error error;
    assert_ok(lmb_gpu_graph_compile(argument, &error), &error);
}

static void run_all_frames(fixture *f) {
    lmb_error error;
    VkCommandPool pool;
    VkCommandBuffer commands;
    assert_ok(device_begin(&f->device, &pool, &commands, &error), &error);
    assert_ok(lmb_gpu_graph_record_upload(f->program, commands, &error), &error);
    lmb_thread thread;
    if (f->compiles) {
        assert_false(lmb_gpu_graph_use_compiled(f->program));
        assert_true(lmb_thread_start(&thread, compile, f->program));
    }
    for (uint32_t frame = 0; frame < SCENARIO_FRAMES; frame++) {
        if (f->compiles && frame == 1) {
            lmb_thread_join(&thread);
            assert_true(lmb_gpu_graph_use_compiled(f->program));
        }
        assert_ok(lmb_gpu_batch_bind_pose(f->batch, frame, 0, f->pose.address, &error), &error);
        size_t floats = SCENARIO_CHARACTERS * lmb_graph_get_info(f->scenario.program)->parameter_count;
        memcpy(lmb_gpu_batch_parameters(f->batch, frame), f->scenario.parameters[frame], floats * sizeof(float));
        lmb_gpu_record_info info = {
            .commands = commands, .slot = frame, .has_previous_slot = frame > 0, .previous_slot = frame - 1};
        assert_ok(lmb_gpu_batch_record(f->batch, &info, &error), &error);
    }
    assert_ok(device_submit_and_wait(&f->device, pool, commands, &error), &error);
    assert_ok(lmb_gpu_graph_uploaded(f->program, &error), &error);
}

static bool all_frames_are_golden(fixture *f) {
    scenario_hashes hashes = {0, 0};
    lmb_error error;
    for (uint32_t frame = 0; frame < SCENARIO_FRAMES; frame++) {
        lmb_batch_outputs outputs = scenario_outputs_create(&f->scenario);
        for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
            assert_ok(
                device_read_output(&f->device, f->batch, frame, (lmb_output)output, outputs.buffers[output], &error),
                &error);
        }
        lmb_gpu_span refused = lmb_gpu_batch_refused(f->batch, frame);
        assert_ok(device_read_span(&f->device, &refused, outputs.refused, &error), &error);
        hashes = scenario_hash(&f->scenario, &outputs, hashes);
        scenario_outputs_destroy(&outputs);
    }
    return scenario_is_golden(hashes);
}

typedef enum kernels { OWN, GENERAL, OWN_LATER } kernels;

static void expect_golden_hash(VkDeviceSize span_bytes, uint32_t min_spans, kernels kernels) {
    fixture f = {.compiles = kernels == OWN_LATER};
    lmb_error error;
    open_device(&f.device);
    lmb_gpu_def gpu_def = device_gpu_def(&f.device);
    gpu_def.interpret_graphs = kernels == GENERAL;
    gpu_def.prepare_interpreter = kernels == OWN_LATER;
    assert_ok(lmb_gpu_create(&gpu_def, NULL, &f.gpu, &error), &error);
    assert_ok(scenario_create(&f.scenario, &error), &error);
    assert_ok((kernels == OWN_LATER ? lmb_gpu_graph_create_interpreted
                                    : lmb_gpu_graph_create)(f.gpu, f.scenario.program, &f.program, &error),
              &error);
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = f.program;
    def.character_count = SCENARIO_CHARACTERS;
    def.outputs = f.scenario.batch.outputs;
    def.slot_count = SCENARIO_FRAMES;
    def.span_bytes = span_bytes;
    assert_ok(lmb_gpu_batch_create(f.gpu, &def, &f.batch, &error), &error);
    assert_true(lmb_gpu_batch_span_count(f.batch) >= min_spans);
    assert_ok(device_buffer_create(&f.device, f.scenario.pose_floats * sizeof(float),
                                   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, true,
                                   &f.pose, &error),
              &error);
    memcpy(f.pose.mapped, f.scenario.pose, f.scenario.pose_floats * sizeof(float));
    run_all_frames(&f);
    assert_true(all_frames_are_golden(&f));
    device_buffer_destroy(&f.device, &f.pose);
    lmb_gpu_batch_destroy(f.batch);
    lmb_gpu_graph_destroy(f.program);
    lmb_gpu_destroy(f.gpu);
    scenario_destroy(&f.scenario);
    close_device(&f.device);
}

static void golden_hash_in_one_span(void **state) {
    (void)state;
    expect_golden_hash(0, 1, OWN);
}

static void golden_hash_in_many_spans(void **state) {
    (void)state;
    expect_golden_hash(20000, 10, OWN);
}

static void golden_hash_interpreted(void **state) {
    (void)state;
    suite_full_only();
    expect_golden_hash(0, 1, GENERAL);
}

static void golden_hash_compiled_after_the_first_frame(void **state) {
    (void)state;
    expect_golden_hash(20000, 10, OWN_LATER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_hash_in_one_span), cmocka_unit_test(golden_hash_in_many_spans),
        cmocka_unit_test(golden_hash_interpreted), cmocka_unit_test(golden_hash_compiled_after_the_first_frame)};
    return run_gpu_suite("golden_gpu", tests, sizeof tests / sizeof tests[0]);
}
