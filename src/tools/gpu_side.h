// Runs a batch on a Vulkan device like the reference: host memory in, host memory out. It submits and waits each time,
// which suits tools and tests. A renderer records into its own command buffer instead.
#ifndef LIMBER_SRC_TOOLS_GPU_SIDE_H
#define LIMBER_SRC_TOOLS_GPU_SIDE_H

#include "device.h"

#include <limber/gpu_profile.h>

typedef struct gpu_side {
    device *device;
    lmb_gpu_graph *program;
    lmb_gpu_batch *batch;
    device_buffer poses[LMB_MAX_POSES];
    VkDeviceAddress list; // the caller's, as in lmb_gpu_record_info; if not 0, every run is of these characters
    VkDeviceAddress list_count;
    uint32_t list_capacity;
    lmb_gpu_profile *profile; // the caller's, may be NULL; every run is timed in its slot 0
} gpu_side;

// Creates buffers and uploads the program. All arguments must outlive the side. `span_bytes` is as in
// lmb_gpu_batch_def. On failure nothing is left allocated.
lmb_result gpu_side_create(device *device, lmb_gpu *gpu, const lmb_batch *batch, VkDeviceSize span_bytes,
                           gpu_side *side, lmb_error *error);
// Accepts a zeroed one.
void gpu_side_destroy(gpu_side *side);

// Does what lmb_cpu_run() does: writes the stages among the batch's outputs, and adds to refusals. If the inputs name a
// previous palette, it must be the result of the run before.
lmb_result gpu_side_run(gpu_side *side, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                        lmb_error *error);

#endif
