// Runs a random program's batch, and then a list of its characters, on a device.
#ifndef LIMBER_TESTS_SUPPORT_PROGRAM_RANDOM_GPU_H
#define LIMBER_TESTS_SUPPORT_PROGRAM_RANDOM_GPU_H

#include "gpu_suite.h"
#include "program_random.h"

#include <gpu_side.h>

static inline void program_random_run_gpu(device *opened, lmb_gpu *gpu, const lmb_batch_def *batch,
                                          const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                                          const program_list *list) {
    gpu_side side;
    lmb_error error;
    assert_ok(gpu_side_create(opened, gpu, batch, 0, &side, &error), &error);
    assert_ok(gpu_side_run(&side, inputs, outputs, &error), &error);
    if (list != NULL) {
        device_buffer characters = suite_buffer(opened, list->characters, list->count * sizeof *list->characters);
        device_buffer count = suite_buffer(opened, &list->count, sizeof list->count);
        side.list = characters.address;
        side.list_count = count.address;
        side.list_capacity = list->count;
        assert_ok(gpu_side_run(&side, inputs, outputs, &error), &error);
        device_buffer_destroy(opened, &characters);
        device_buffer_destroy(opened, &count);
    }
    gpu_side_destroy(&side);
}

#endif
