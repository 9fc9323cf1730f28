#include "gpu_side.h"

#include <string.h>

// Frees a command buffer that could not be recorded.
static lmb_result abandon(device *device, VkCommandPool pool, lmb_result result) {
    vkDestroyCommandPool(device->device, pool, NULL);
    return result;
}

static lmb_result upload_program(gpu_side *side, lmb_error *error) {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    lmb_result result = device_begin(side->device, &pool, &commands, error);
    if (result != LMB_OK) {
        return result;
    }
    result = lmb_gpu_graph_record_upload(side->program, commands, error);
    if (result != LMB_OK) {
        return abandon(side->device, pool, result);
    }
    result = device_submit_and_wait(side->device, pool, commands, error);
    return result == LMB_OK ? lmb_gpu_graph_uploaded(side->program, error) : result;
}

static size_t pose_floats(const gpu_side *side, uint32_t pose) {
    lmb_batch batch = lmb_gpu_batch_description(side->batch);
    return (size_t)batch.character_count * lmb_graph_pose_floats(batch.graph, pose);
}

static lmb_result create_poses(gpu_side *side, const lmb_graph *program, lmb_error *error) {
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    for (uint32_t i = 0; i < lmb_graph_pose_count(program); i++) {
        // A buffer that nothing uses must be bound, too.
        size_t floats = pose_floats(side, i) + 1;
        lmb_result result =
            device_buffer_create(side->device, floats * sizeof(float), usage, true, &side->poses[i], error);
        if (result != LMB_OK) {
            return result;
        }
        result = lmb_gpu_batch_bind_pose(side->batch, 0, i, side->poses[i].address, error);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

static lmb_result create_parts(gpu_side *side, lmb_gpu *gpu, const lmb_batch *batch, VkDeviceSize span_bytes,
                               lmb_error *error) {
    lmb_result result = lmb_gpu_graph_create(gpu, batch->graph, &side->program, error);
    if (result != LMB_OK) {
        return result;
    }
    result = upload_program(side, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = side->program;
    def.character_count = batch->character_count;
    def.outputs = batch->outputs;
    def.frame_count = 1;
    def.span_bytes = span_bytes;
    result = lmb_gpu_batch_create(gpu, &def, &side->batch, error);
    return result == LMB_OK ? create_poses(side, batch->graph, error) : result;
}

lmb_result gpu_side_create(device *device, lmb_gpu *gpu, const lmb_batch *batch, VkDeviceSize span_bytes,
                           gpu_side *side, lmb_error *error) {
    *side = (gpu_side){.device = device};
    lmb_result result = create_parts(side, gpu, batch, span_bytes, error);
    if (result != LMB_OK) {
        gpu_side_destroy(side);
    }
    return result;
}

void gpu_side_destroy(gpu_side *side) {
    lmb_gpu_batch_destroy(side->batch);
    lmb_gpu_graph_destroy(side->program);
    if (side->device != NULL) {
        for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
            device_buffer_destroy(side->device, &side->poses[i]);
        }
    }
    *side = (gpu_side){0};
}

static void fill_inputs(gpu_side *side, const lmb_batch_inputs *inputs) {
    lmb_batch batch = lmb_gpu_batch_description(side->batch);
    float *parameters = lmb_gpu_batch_parameters(side->batch, 0);
    if (parameters != NULL) {
        size_t count = (size_t)batch.character_count * lmb_graph_parameter_count(batch.graph);
        memcpy(parameters, inputs->parameters, count * sizeof(float));
    }
    for (uint32_t i = 0; i < lmb_graph_pose_count(batch.graph); i++) {
        memcpy(side->poses[i].mapped, inputs->poses[i], pose_floats(side, i) * sizeof(float));
    }
}

static lmb_result run_frame(gpu_side *side, bool has_previous_frame, lmb_error *error) {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    lmb_result result = device_begin(side->device, &pool, &commands, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmb_gpu_record_info info = {.commands = commands,
                                      .has_previous_frame = has_previous_frame,
                                      .poses_alone = true,
                                      .list = side->list,
                                      .list_count = side->list_count,
                                      .list_capacity = side->list_capacity,
                                      .profile = side->profile};
    if (side->profile != NULL) {
        result = lmb_gpu_profile_begin(side->profile, 0, commands, error);
    }
    if (result == LMB_OK) {
        result = lmb_gpu_batch_record(side->batch, &info, error);
    }
    if (result != LMB_OK) {
        return abandon(side->device, pool, result);
    }
    result = device_submit_and_wait(side->device, pool, commands, error);
    return result == LMB_OK && side->profile != NULL ? lmb_gpu_profile_collect(side->profile, 0, NULL, error) : result;
}

static lmb_result add_refusals(gpu_side *side, uint32_t *refused, lmb_error *error) {
    const lmb_gpu_span span = lmb_gpu_batch_refused(side->batch, 0);
    uint32_t counters[LMB_REFUSAL_COUNT];
    lmb_result result = device_read_span(side->device, &span, counters, error);
    for (uint32_t i = 0; result == LMB_OK && i < LMB_REFUSAL_COUNT; i++) {
        refused[i] += counters[i];
    }
    return result;
}

lmb_result gpu_side_run(gpu_side *side, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                        lmb_error *error) {
    fill_inputs(side, inputs);
    lmb_result result = run_frame(side, inputs->previous_palette != NULL, error);
    const lmb_batch batch = lmb_gpu_batch_description(side->batch);
    for (lmb_stage stage = 0; result == LMB_OK && stage < LMB_STAGE_COUNT; stage++) {
        if ((batch.outputs & (1u << stage)) != 0) {
            result = device_read_stage(side->device, side->batch, 0, stage, outputs->stages[stage], error);
        }
    }
    return result == LMB_OK && outputs->refused != NULL ? add_refusals(side, outputs->refused, error) : result;
}
