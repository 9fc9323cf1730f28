// A graph on a device: its block, and the pipelines that run it.
//
// A graph that is short enough has a specialised kernel (specialized.h), unless the host asks for interpretation. Then
// another thread may compile that kernel later: batches that were created before have the buffers of an interpreted
// graph, which include all that the kernel needs.
// Any other is interpreted, by the interpreter of the gpu or by one of its own: if it holds more poses than that has
// room for, or if its chains have colliders, whose code takes registers, or if nodes report whether they reach their
// targets or have limbs with detached ends. It has its own kernels for weights and float channels only if it needs what
// the shared ones lack. If the driver ends loops, creation fails where a kernel could exceed the limit, because the
// results would be wrong without any error.
#include "gpu.h"

#include "loops.h"
#include "program/program.h"
#include "specialized.h"

#include <string.h>

// Returns whether the gpu's own interpreter can run the graph.
static bool is_interpreted(const lmb_gpu *gpu, const lmb_graph *graph) {
    return gpu->pipelines[LMB_KERNEL_POSE] != VK_NULL_HANDLE && graph->info.stack <= gpu->interpreted_poses &&
           !graph->uses_colliders && graph->info.reached_count == 0 && !graph->uses_detached &&
           !graph->uses_user_curves;
}

// Few graphs need an interpreter of their own. Because it is separate, other graphs do not use its workgroup memory.
static lmb_result create_interpreter(lmb_gpu *gpu, const lmb_graph *graph, VkPipeline *pipeline, lmb_error *error) {
    size_t bytes = graph->info.stack * LMB_GPU_POSE_BYTES;
    if (graph->info.stack > gpu->interpreted_poses && bytes > gpu->limits.workgroup_bytes) {
        return lmb_fail(error, LMB_ERROR_DEVICE,
                        "gpu graph: it holds %u poses at once, for which the device lacks workgroup memory: %u of %u "
                        "bytes",
                        (unsigned)graph->info.stack, (unsigned)gpu->limits.workgroup_bytes, (unsigned)bytes);
    }
    // Drivers on the processor take long to compile an interpreter, and have it in their cache if it is the same.
    const uint32_t shared = gpu->limits.is_cpu ? gpu->interpreted_poses : 0;
    const lmb_graph_needs needs = {true,
                                   true,
                                   graph->uses_user_curves,
                                   graph->uses_colliders,
                                   graph->info.reached_count > 0,
                                   graph->uses_detached};
    return lmb_gpu_interpreter_create(gpu, graph->info.stack < shared ? shared : graph->info.stack, needs, pipeline,
                                      error);
}

// Checks a kernel that is compiled without the graph: `loops` finds the iterations from the loops of its module.
static lmb_result check_kernel(const lmb_gpu_graph *gpu_graph, lmb_kernel kernel, const char *name,
                               uint64_t (*loops)(const lmb_graph *graph, uint32_t own), lmb_error *error) {
    uint32_t own;
    const lmb_result result = lmb_gpu_count_loops(gpu_graph->gpu, kernel, &own, error);
    return result != LMB_OK ? result : lmb_gpu_check_loops(gpu_graph->gpu, name, loops(gpu_graph->graph, own), error);
}

static uint64_t interpreter_loops(const lmb_graph *graph, uint32_t own) {
    return lmb_gpu_pose_loops(graph, own, true);
}

static lmb_result check_loops(const lmb_gpu_graph *gpu_graph, lmb_error *error) {
    const bool has_pose = gpu_graph->graph->info.joint_count > 0, all_stages = gpu_graph->shape.characters > 0;
    if (gpu_graph->gpu->limits.loops == UINT32_MAX) {
        return LMB_OK;
    }
    lmb_result result = check_kernel(gpu_graph, LMB_KERNEL_WEIGHTS, "weights", lmb_gpu_weights_loops, error);
    if (result == LMB_OK && has_pose && gpu_graph->steps == VK_NULL_HANDLE) {
        result = check_kernel(gpu_graph, LMB_KERNEL_POSE, "pose", interpreter_loops, error);
    }
    if (result == LMB_OK && has_pose && !all_stages) {
        result = check_kernel(gpu_graph, LMB_KERNEL_MODEL, "model", lmb_gpu_model_loops, error);
    }
    if (result == LMB_OK && gpu_graph->graph->info.channel_count > 0) {
        result = check_kernel(gpu_graph, LMB_KERNEL_CHANNELS, "channels", lmb_gpu_channels_loops, error);
    }
    return result;
}

VkPipeline lmb_gpu_graph_weights(const lmb_gpu_graph *gpu_graph) {
    const lmb_gpu *gpu = gpu_graph->gpu;
    const bool needs_full = gpu_graph->graph->uses_spaces || gpu_graph->graph->finds_points;
    return gpu_graph->weights != VK_NULL_HANDLE                ? gpu_graph->weights
           : needs_full && gpu->full_weights != VK_NULL_HANDLE ? gpu->full_weights
                                                               : gpu->pipelines[LMB_KERNEL_WEIGHTS];
}

// Creates the kernels that find weights and float channels, if the gpu has none for the graph.
static lmb_result create_shared_stages(lmb_gpu_graph *gpu_graph, lmb_error *error) {
    lmb_gpu *gpu = gpu_graph->gpu;
    const lmb_graph *graph = gpu_graph->graph;
    const lmb_graph_needs needs = {
        .spaces = graph->uses_spaces, .points = graph->finds_points, .user_curves = graph->uses_user_curves};
    const bool has_full = gpu->interpret_graphs || (gpu_graph->interprets && gpu->full_weights != VK_NULL_HANDLE);
    const bool has_channels = gpu_graph->interprets && gpu->pipelines[LMB_KERNEL_CHANNELS] != VK_NULL_HANDLE;
    lmb_result result = LMB_OK;
    if (needs.user_curves || ((needs.spaces || needs.points) && !has_full)) {
        result = lmb_gpu_weights_create(gpu, needs, &gpu_graph->weights, error);
    }
    if (result == LMB_OK && graph->info.channel_count > 0 && !has_channels) {
        result = lmb_gpu_channels_create(gpu, lmb_gpu_graph_constants(graph), &gpu_graph->channels, error);
    }
    return result;
}

static lmb_result create_graph(lmb_gpu *gpu, const lmb_graph *graph, bool interprets, lmb_gpu_graph **gpu_graph,
                               lmb_error *error) {
    if (gpu_graph != NULL) {
        *gpu_graph = NULL;
    }
    if (gpu == NULL || graph == NULL || gpu_graph == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu graph: %s is NULL",
                        gpu == NULL     ? "the gpu"
                        : graph == NULL ? "the graph"
                                        : "the result");
    }
    lmb_gpu_graph *created = lmb_host_allocate(&gpu->host, 1, sizeof *created);
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu graph: no memory");
    }
    created->gpu = gpu;
    created->graph = graph;
    created->interprets = interprets;
    atomic_init(&created->is_compiled, false);
    lmb_gpu_add_child(&gpu->children, LMB_GPU_CHILD_GRAPH);
    atomic_fetch_add(&((lmb_graph *)(uintptr_t)graph)->users, 1);
    VkDeviceSize size = (VkDeviceSize)graph->size * sizeof *graph->program;
    lmb_gpu_maker maker = {.gpu = gpu, .error = error};
    lmb_gpu_make(&maker, size, LMB_GPU_MEMORY_DEVICE, "limber graph", &created->buffer);
    lmb_gpu_make(&maker, size, LMB_GPU_MEMORY_UPLOAD, "limber graph staging", &created->staging);
    lmb_result result = maker.result;
    if (result == LMB_OK && !interprets && lmb_gpu_specialized_fit(gpu->limits, graph)) {
        result = lmb_gpu_specialized_create(gpu, graph, &created->steps, &created->shape, error);
    } else if (result == LMB_OK && graph->info.joint_count > 0 && !is_interpreted(gpu, graph)) {
        result = create_interpreter(gpu, graph, &created->interpreter, error);
    }
    if (result == LMB_OK) {
        result = check_loops(created, error);
    }
    if (result == LMB_OK) {
        result = create_shared_stages(created, error);
    }
    if (result != LMB_OK) {
        lmb_gpu_graph_destroy(created);
        return result;
    }
    memcpy(created->staging.memory.mapped, graph->program, size);
    *gpu_graph = created;
    return LMB_OK;
}

lmb_result lmb_gpu_graph_create(lmb_gpu *gpu, const lmb_graph *graph, lmb_gpu_graph **gpu_graph, lmb_error *error) {
    return create_graph(gpu, graph, gpu != NULL && gpu->interpret_graphs, gpu_graph, error);
}

lmb_result lmb_gpu_graph_create_interpreted(lmb_gpu *gpu, const lmb_graph *graph, lmb_gpu_graph **gpu_graph,
                                            lmb_error *error) {
    return create_graph(gpu, graph, true, gpu_graph, error);
}

// Reads only what is constant, because another thread may record frames meanwhile.
lmb_result lmb_gpu_graph_compile(lmb_gpu_graph *gpu_graph, lmb_error *error) {
    if (gpu_graph == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu graph: it is NULL");
    }
    lmb_gpu *gpu = gpu_graph->gpu;
    const lmb_graph *graph = gpu_graph->graph;
    if (!gpu_graph->interprets || !lmb_gpu_specialized_fit(gpu->limits, graph) ||
        atomic_load(&gpu_graph->is_compiled)) {
        return LMB_OK;
    }
    VkPipeline steps = VK_NULL_HANDLE, channels = VK_NULL_HANDLE;
    lmb_gpu_workgroup shape = {0};
    lmb_result result = lmb_gpu_specialized_create(gpu, graph, &steps, &shape, error);
    if (result == LMB_OK && graph->info.channel_count > 0 && gpu->pipelines[LMB_KERNEL_CHANNELS] != VK_NULL_HANDLE) {
        result = lmb_gpu_channels_create(gpu, lmb_gpu_graph_constants(graph), &channels, error);
    }
    if (result != LMB_OK) {
        lmb_gpu_pipeline_release(gpu, steps);
        return result;
    }
    gpu_graph->compiled_steps = steps;
    gpu_graph->compiled_channels = channels;
    gpu_graph->compiled_shape = shape;
    atomic_store(&gpu_graph->is_compiled, true);
    return LMB_OK;
}

bool lmb_gpu_graph_use_compiled(lmb_gpu_graph *gpu_graph) {
    if (gpu_graph == NULL) {
        return false;
    }
    if (gpu_graph->steps == VK_NULL_HANDLE && atomic_load(&gpu_graph->is_compiled)) {
        gpu_graph->steps = gpu_graph->compiled_steps;
        gpu_graph->shape = gpu_graph->compiled_shape;
        gpu_graph->compiled_steps = VK_NULL_HANDLE;
        if (gpu_graph->compiled_channels != VK_NULL_HANDLE) {
            gpu_graph->channels = gpu_graph->compiled_channels;
            gpu_graph->compiled_channels = VK_NULL_HANDLE;
        }
    }
    return gpu_graph->steps != VK_NULL_HANDLE;
}

void lmb_gpu_graph_destroy(lmb_gpu_graph *gpu_graph) {
    if (gpu_graph == NULL || !lmb_gpu_is_childless(gpu_graph->gpu, &gpu_graph->children, "gpu graph")) {
        return;
    }
    lmb_gpu *gpu = gpu_graph->gpu;
    lmb_gpu_remove_child(&gpu->children, LMB_GPU_CHILD_GRAPH);
    atomic_fetch_sub(&((lmb_graph *)(uintptr_t)gpu_graph->graph)->users, 1);
    lmb_gpu_pipeline_release(gpu, gpu_graph->steps);
    lmb_gpu_pipeline_release(gpu, gpu_graph->weights);
    lmb_gpu_pipeline_release(gpu, gpu_graph->channels);
    lmb_gpu_pipeline_release(gpu, gpu_graph->interpreter);
    lmb_gpu_pipeline_release(gpu, gpu_graph->compiled_steps);
    lmb_gpu_pipeline_release(gpu, gpu_graph->compiled_channels);
    lmb_gpu_buffer_destroy(gpu, &gpu_graph->staging);
    lmb_gpu_buffer_destroy(gpu, &gpu_graph->buffer);
    lmb_host_release(&gpu->host, gpu_graph);
}

lmb_result lmb_gpu_check_upload(const lmb_gpu_graph *graph, const char *owner, lmb_error *error) {
    return graph->recorded
               ? LMB_OK
               : lmb_fail(error, LMB_ERROR_STATE, "%s: the upload of its graph has not been recorded", owner);
}

lmb_result lmb_gpu_graph_record_upload(lmb_gpu_graph *gpu_graph, VkCommandBuffer commands, lmb_error *error) {
    if (gpu_graph == NULL || commands == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu graph: %s is NULL",
                        gpu_graph == NULL ? "it" : "the command buffer");
    }
    if (gpu_graph->staging.buffer == VK_NULL_HANDLE) {
        return lmb_fail(error, LMB_ERROR_STATE, "gpu graph: its upload has completed already");
    }
    if (gpu_graph->changed) {
        return lmb_fail(error, LMB_ERROR_STATE, "gpu graph: an upload would undo the changes of its clips");
    }
    const lmb_gpu *gpu = gpu_graph->gpu;
    lmb_gpu_begin_label(gpu, commands, "limber upload");
    VkBufferCopy copy = {.size = gpu_graph->buffer.size};
    gpu->vk.CmdCopyBuffer(commands, gpu_graph->staging.buffer, gpu_graph->buffer.buffer, 1, &copy);
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    lmb_gpu_end_label(gpu, commands);
    gpu_graph->recorded = true;
    return LMB_OK;
}

lmb_result lmb_gpu_graph_uploaded(lmb_gpu_graph *gpu_graph, lmb_error *error) {
    if (gpu_graph == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu graph: it is NULL");
    }
    if (!gpu_graph->recorded) {
        return lmb_fail(error, LMB_ERROR_STATE, "gpu graph: no upload has been recorded");
    }
    lmb_gpu_buffer_destroy(gpu_graph->gpu, &gpu_graph->staging);
    return LMB_OK;
}
