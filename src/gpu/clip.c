// A clip in host memory that commands copy into a slot of a graph on a device. The copy and the change of the table of
// clips are between two barriers. So frames recorded before it use the old clip to their end, and frames after it the
// new one.
#include "clip/clip.h"
#include "clip/layout.h"
#include "gpu.h"
#include "program/clip_slot.h"

#include "../../shaders/ops/layout.h"

#include <string.h>

struct lmb_gpu_clip {
    lmb_gpu *gpu;
    lmb_gpu_buffer staging;
    lmb_clip_traits traits;
};

lmb_result lmb_gpu_clip_create(lmb_gpu *gpu, const lmb_clip *clip, lmb_gpu_clip **gpu_clip, lmb_error *error) {
    if (gpu_clip != NULL) {
        *gpu_clip = NULL;
    }
    if (gpu == NULL || clip == NULL || gpu_clip == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu clip: %s is NULL",
                        gpu == NULL    ? "the gpu"
                        : clip == NULL ? "the clip"
                                       : "the result");
    }
    lmb_gpu_clip *created = lmb_host_allocate(&gpu->host, 1, sizeof *created);
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu clip: no memory");
    }
    created->gpu = gpu;
    lmb_gpu_add_child(&gpu->children, LMB_GPU_CHILD_CLIP);
    created->traits = lmb_clip_find_traits(clip);
    const VkDeviceSize size = (VkDeviceSize)clip->size * sizeof *clip->words;
    const lmb_result result =
        lmb_gpu_buffer_create(gpu, size, LMB_GPU_MEMORY_UPLOAD, "limber clip staging", &created->staging, error);
    if (result != LMB_OK) {
        lmb_gpu_clip_destroy(created);
        return result;
    }
    uint32_t *words = created->staging.memory.mapped;
    memcpy(words, clip->words, size);
    words[FIELD(CLIP, common_times)] = lmb_clip_find_common_track(clip->words);
    *gpu_clip = created;
    return LMB_OK;
}

void lmb_gpu_clip_destroy(lmb_gpu_clip *gpu_clip) {
    if (gpu_clip == NULL) {
        return;
    }
    lmb_gpu *gpu = gpu_clip->gpu;
    lmb_gpu_remove_child(&gpu->children, LMB_GPU_CHILD_CLIP);
    lmb_gpu_buffer_destroy(gpu, &gpu_clip->staging);
    lmb_host_release(&gpu->host, gpu_clip);
}

static lmb_result check_change(const lmb_gpu_graph *gpu_graph, uint32_t index, const lmb_gpu_clip *gpu_clip,
                               VkCommandBuffer commands, const lmb_clip_slot **slot, lmb_error *error) {
    if (gpu_graph == NULL || commands == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu graph: %s is NULL",
                        gpu_graph == NULL ? "it" : "the command buffer");
    }
    if (gpu_clip != NULL && lmb_gpu_check_owner(gpu_graph->gpu, gpu_clip->gpu, "gpu graph", "clip", error)) {
        return LMB_ERROR_ARGUMENT;
    }
    lmb_error found;
    *slot = lmb_graph_check_change(gpu_graph->graph, index, gpu_clip != NULL ? &gpu_clip->traits : NULL, "gpu graph",
                                   &found);
    if (*slot == NULL) {
        return lmb_fail(error, found.result, "%s", found.message);
    }
    if (!gpu_graph->recorded) {
        return lmb_fail(error, LMB_ERROR_STATE,
                        "gpu graph: clip %u cannot change before the upload of the graph has been recorded",
                        (unsigned)index);
    }
    return LMB_OK;
}

lmb_result lmb_gpu_graph_record_clip(lmb_gpu_graph *gpu_graph, uint32_t index, const lmb_gpu_clip *gpu_clip,
                                     VkCommandBuffer commands, lmb_error *error) {
    const lmb_clip_slot *slot;
    const lmb_result result = check_change(gpu_graph, index, gpu_clip, commands, &slot, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmb_gpu *gpu = gpu_graph->gpu;
    const VkDeviceSize word = sizeof(uint32_t);
    const uint32_t entry = gpu_clip != NULL ? slot->offset : 0;
    lmb_gpu_begin_label(gpu, commands, "limber clip");
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                    VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
    if (gpu_clip != NULL) {
        const VkBufferCopy copy = {.dstOffset = slot->offset * word, .size = gpu_clip->staging.size};
        gpu->vk.CmdCopyBuffer(commands, gpu_clip->staging.buffer, gpu_graph->buffer.buffer, 1, &copy);
    }
    gpu->vk.CmdUpdateBuffer(commands, gpu_graph->buffer.buffer,
                            (gpu_graph->graph->program[FIELD(PROGRAM, clips)] + index) * word, word, &entry);
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    lmb_gpu_end_label(gpu, commands);
    gpu_graph->changed = true;
    return LMB_OK;
}
