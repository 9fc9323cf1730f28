// A batch on a Vulkan device, run as the reference is run: host memory in, host memory out. It submits and waits each
// time, which suits tools and tests; a renderer records into its own command buffer instead.
#ifndef LIMBER_SRC_CLI_GPU_SIDE_H
#define LIMBER_SRC_CLI_GPU_SIDE_H

#include "device.h"

#include <limber/gpu_profile.h>

typedef struct gpu_side {
    device *device;
    lmb_gpu_graph *program;
    lmb_gpu_batch *batch;
    device_buffer poses[LMB_MAX_POSES];
    VkDeviceAddress list; // the caller's, as in lmb_gpu_record_info: every run is of these characters where it is not 0
    VkDeviceAddress list_count;
    uint32_t list_capacity;
    lmb_gpu_profile *profile; // the caller's: times every run in its slot 0; may be NULL
} gpu_side;

// Creates buffers, uploads the program. Everything given must outlive it. `span_bytes` as in lmb_gpu_batch_def. On
// failure nothing is left.
lmb_result gpu_side_create(device *device, lmb_gpu *gpu, const lmb_batch *batch, VkDeviceSize span_bytes,
                           gpu_side *side, lmb_error *error);
// A zeroed one is fine.
void gpu_side_destroy(gpu_side *side);

// As lmb_cpu_run(): stages among the batch's outputs are written, refusals are added to. Where the inputs name a previous
// palette, it is taken to be what the run before gave.
lmb_result gpu_side_run(gpu_side *side, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                        lmb_error *error);

#endif
