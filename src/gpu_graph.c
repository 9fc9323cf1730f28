#include "gpu.h"

#include "gpu_steps.h"
#include "graph.h"

#include <string.h>

static lmb_result create_channels(lmb_gpu_graph *created, lmb_error *error) {
    const lmb_graph *program = created->program;
    const lmb_kernel_constants constants = {
        .cubic = program->uses_cubic, .weights = program->uses_weights, .parts = program->uses_parts};
    return lmb_gpu_channels_create(created->gpu, constants, &created->channels, error);
}

// Seldom needed, and long in the making: others should neither wait for it nor take the workgroup memory.
static lmb_result create_interpreter(lmb_gpu *gpu, const lmb_graph *program, VkPipeline *pipeline, lmb_error *error) {
    size_t bytes = program->stack * LMB_GPU_POSE_BYTES;
    if (program->stack > gpu->interpreted_poses && bytes > gpu->limits.workgroup_bytes) {
        return lmb_fail(error, LMB_ERROR_DEVICE,
                        "gpu program: it holds %u poses at once, for which the device lacks workgroup memory: %u of %u "
                        "bytes",
                        (unsigned)program->stack, (unsigned)gpu->limits.workgroup_bytes, (unsigned)bytes);
    }
    return lmb_gpu_interpreter_create(gpu, program->stack, pipeline, error);
}

lmb_result lmb_gpu_graph_create(lmb_gpu *gpu, const lmb_graph *program, lmb_gpu_graph **gpu_program, lmb_error *error) {
    if (gpu_program != NULL) {
        *gpu_program = NULL;
    }
    if (gpu == NULL || program == NULL || gpu_program == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu program: %s is NULL",
                        gpu == NULL       ? "the gpu"
                        : program == NULL ? "the program"
                                          : "the result");
    }
    lmb_gpu_graph *created = lmb_host_allocate(&gpu->host, 1, sizeof *created);
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu program: no memory");
    }
    created->gpu = gpu;
    created->program = program;
    VkDeviceSize size = (VkDeviceSize)program->size * sizeof *program->block;
    lmb_result result = lmb_gpu_buffer_create(gpu, size, false, "limber program", &created->buffer, error);
    if (result == LMB_OK) {
        result = lmb_gpu_buffer_create(gpu, size, true, "limber program staging", &created->staging, error);
    }
    if (result == LMB_OK && !gpu->interpret_programs && lmb_gpu_steps_fit(program)) {
        result = lmb_gpu_steps_create(gpu, program, &created->steps, &created->shape, error);
    } else if (result == LMB_OK && program->joint_count > 0 && !lmb_gpu_interprets(gpu, program)) {
        result = create_interpreter(gpu, program, &created->interpreter, error);
    }
    if (result == LMB_OK && program->uses_spaces && !gpu->interpret_programs) {
        result = lmb_gpu_weights_create(gpu, &created->weights, error);
    }
    if (result == LMB_OK && program->channel_count > 0 && !gpu->interpret_programs) {
        result = create_channels(created, error);
    }
    if (result != LMB_OK) {
        lmb_gpu_graph_destroy(created);
        return result;
    }
    memcpy(created->staging.memory.mapped, program->block, size);
    *gpu_program = created;
    return LMB_OK;
}

void lmb_gpu_graph_destroy(lmb_gpu_graph *gpu_program) {
    if (gpu_program == NULL) {
        return;
    }
    lmb_gpu *gpu = gpu_program->gpu;
    gpu->vk.DestroyPipeline(gpu->device, gpu_program->steps, gpu->allocator);
    gpu->vk.DestroyPipeline(gpu->device, gpu_program->weights, gpu->allocator);
    gpu->vk.DestroyPipeline(gpu->device, gpu_program->channels, gpu->allocator);
    gpu->vk.DestroyPipeline(gpu->device, gpu_program->interpreter, gpu->allocator);
    lmb_gpu_buffer_destroy(gpu, &gpu_program->staging);
    lmb_gpu_buffer_destroy(gpu, &gpu_program->buffer);
    lmb_host_release(&gpu->host, gpu_program);
}

lmb_result lmb_gpu_graph_record_upload(lmb_gpu_graph *gpu_program, VkCommandBuffer commands, lmb_error *error) {
    if (gpu_program == NULL || commands == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu program: %s is NULL",
                        gpu_program == NULL ? "it" : "the command buffer");
    }
    if (gpu_program->staging.buffer == VK_NULL_HANDLE) {
        return lmb_fail(error, LMB_ERROR_STATE, "gpu program: its upload has completed already");
    }
    const lmb_gpu *gpu = gpu_program->gpu;
    lmb_gpu_begin_label(gpu, commands, "limber upload");
    VkBufferCopy copy = {.size = gpu_program->buffer.size};
    gpu->vk.CmdCopyBuffer(commands, gpu_program->staging.buffer, gpu_program->buffer.buffer, 1, &copy);
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    lmb_gpu_end_label(gpu, commands);
    gpu_program->recorded = true;
    return LMB_OK;
}

lmb_result lmb_gpu_graph_uploaded(lmb_gpu_graph *gpu_program, lmb_error *error) {
    if (gpu_program == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu program: it is NULL");
    }
    if (!gpu_program->recorded) {
        return lmb_fail(error, LMB_ERROR_STATE, "gpu program: no upload has been recorded");
    }
    lmb_gpu_buffer_destroy(gpu_program->gpu, &gpu_program->staging);
    return LMB_OK;
}
