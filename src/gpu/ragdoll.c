// Records the conversion of model matrices, from a physics engine, to local transforms on the device. One invocation
// converts all joints of a character, parents first. The barriers order it after earlier writes by copies and kernels,
// and before later reads by them.
#include "gpu.h"

#include "push.h"
#include "skin/ragdoll.h"

#include "../../shaders/ops/layout.h"

#include <limber/gpu_ragdoll.h>

#include "ragdoll.spv.h"

struct lmb_gpu_ragdoll {
    lmb_gpu *gpu;
    VkPipeline pipeline;
};

lmb_gpu_ragdoll_info lmb_default_gpu_ragdoll_info(void) {
    return (lmb_gpu_ragdoll_info){.mask = LMB_NONE};
}

lmb_result lmb_gpu_ragdoll_create(lmb_gpu *gpu, lmb_gpu_ragdoll **ragdoll, lmb_error *error) {
    if (ragdoll != NULL) {
        *ragdoll = NULL;
    }
    if (gpu == NULL || ragdoll == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu ragdoll: %s is NULL", gpu == NULL ? "the gpu" : "the result");
    }
    lmb_gpu_ragdoll *created = lmb_host_allocate(&gpu->host, 1, sizeof *created);
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu ragdoll: no memory");
    }
    created->gpu = gpu;
    lmb_gpu_add_child(&gpu->children, LMB_GPU_CHILD_RAGDOLL);
    const lmb_result result =
        lmb_gpu_pipeline_create(gpu, kernel_ragdoll, sizeof kernel_ragdoll / sizeof *kernel_ragdoll,
                                (lmb_kernel_constants){.scale = VK_TRUE}, "limber ragdoll", &created->pipeline, error);
    if (result != LMB_OK) {
        lmb_gpu_ragdoll_destroy(created);
        return result;
    }
    *ragdoll = created;
    return LMB_OK;
}

void lmb_gpu_ragdoll_destroy(lmb_gpu_ragdoll *ragdoll) {
    if (ragdoll == NULL) {
        return;
    }
    lmb_gpu *gpu = ragdoll->gpu;
    lmb_gpu_remove_child(&gpu->children, LMB_GPU_CHILD_RAGDOLL);
    lmb_gpu_pipeline_release(gpu, ragdoll->pipeline);
    lmb_host_release(&gpu->host, ragdoll);
}

static const char *find_address_fault(VkDeviceAddress address, bool needed) {
    return address % 4 != 0 ? "not a multiple of 4" : address == 0 && needed ? "0" : NULL;
}

static lmb_result check_arrays(const lmb_gpu_ragdoll_info *info, lmb_error *error) {
    const lmb_graph *graph = info->graph->graph;
    const uint64_t pose_words = graph->program[FIELD(PROGRAM, pose_floats)];
    const uint64_t model_words = (uint64_t)graph->info.joint_count * MATRIX_COMPONENTS;
    if (info->character_count * (pose_words > model_words ? pose_words : model_words) >= LMB_GPU_MOST_WORDS) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "gpu ragdoll: an array of %u characters has 2^31 words or more",
                        (unsigned)info->character_count);
    }
    const bool needed = info->character_count > 0;
    const struct {
        const char *name;
        VkDeviceAddress address;
        bool needed;
    } arrays[] = {{"the models", info->models, needed},
                  {"the poses", info->poses, needed},
                  {"the animated poses", info->animated, false},
                  {"the refusal counters", info->refused_sums, false}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        const char *fault = find_address_fault(arrays[i].address, arrays[i].needed);
        if (fault != NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu ragdoll: the address of %s is %s", arrays[i].name, fault);
        }
    }
    return lmb_ragdoll_check_mask(graph, info->mask, error);
}

static lmb_result check(const lmb_gpu_ragdoll *ragdoll, VkCommandBuffer commands, const lmb_gpu_ragdoll_info *info,
                        lmb_error *error) {
    const char *missing = ragdoll == NULL       ? "it"
                          : commands == NULL    ? "the command buffer"
                          : info == NULL        ? "the info"
                          : info->graph == NULL ? "the graph"
                                                : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu ragdoll: %s is NULL", missing);
    }
    lmb_result result = lmb_gpu_check_owner(ragdoll->gpu, info->graph->gpu, "gpu ragdoll", "graph", error);
    if (result == LMB_OK) {
        result = check_arrays(info, error);
    }
    if (result == LMB_OK) {
        result = lmb_gpu_check_probe(ragdoll->gpu, "gpu ragdoll", error);
    }
    return result == LMB_OK ? lmb_gpu_check_upload(info->graph, "gpu ragdoll", error) : result;
}

lmb_result lmb_gpu_ragdoll_record(lmb_gpu_ragdoll *ragdoll, VkCommandBuffer commands, const lmb_gpu_ragdoll_info *info,
                                  lmb_error *error) {
    const lmb_result result = check(ragdoll, commands, info, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmb_gpu *gpu = ragdoll->gpu;
    const lmb_ragdoll_push push = {.program = info->graph->buffer.address,
                                   .animated = info->animated,
                                   .models = info->models,
                                   .poses = info->poses,
                                   .refused = info->refused_sums,
                                   .characters = info->character_count,
                                   .mask = lmb_ragdoll_mask(info->graph->graph, info->mask),
                                   .flags = (info->animated != 0 ? RAGDOLL_FLAG_ANIMATED : 0) |
                                            (info->mask != LMB_NONE ? RAGDOLL_FLAG_MASK : 0) |
                                            (info->refused_sums != 0 ? RAGDOLL_FLAG_COUNTS : 0)};
    const VkPipelineStageFlags copy_and_compute = VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    lmb_gpu_begin_label(gpu, commands, "limber ragdoll");
    lmb_gpu_barrier(gpu, commands, copy_and_compute, VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    lmb_gpu_dispatch(gpu, commands, ragdoll->pipeline, &push, sizeof push,
                     (info->character_count + (uint64_t)LMB_GPU_GROUP - 1) / LMB_GPU_GROUP);
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, copy_and_compute,
                    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT);
    lmb_gpu_end_label(gpu, commands);
    return LMB_OK;
}
