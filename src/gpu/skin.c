// Records skinning on the device. A run is one mesh and a number of characters. Workgroups share the vertices along one
// axis of the grid, and the characters along the other one. A workgroup loads its vertices once and skins them for
// several characters.
#include "gpu.h"

#include "push.h"
#include "skin/skin.h"

#include "../../shaders/ops/layout.h"
#include "../../shaders/ops/skin_layout.h"

#include <limber/gpu_skin.h>

#include "skin.spv.h"
#include "skin_dual.spv.h"

// Workgroups of a run, about: enough to keep a device busy, and few enough that each of them reads its vertices for
// several characters.
#define GROUPS 8192u

struct lmb_gpu_skin {
    lmb_gpu *gpu;
    VkPipeline pipelines[LMB_SKIN_METHOD_COUNT];
};

static const struct {
    const char *name;
    const uint32_t *words;
    size_t count;
} kernels[LMB_SKIN_METHOD_COUNT] = {
    [LMB_SKIN_METHOD_LINEAR] = {"limber skin", kernel_skin, sizeof kernel_skin / sizeof kernel_skin[0]},
    [LMB_SKIN_METHOD_DUAL_QUATERNION] = {"limber skin dual quaternions", kernel_skin_dual,
                                         sizeof kernel_skin_dual / sizeof kernel_skin_dual[0]},
};

lmb_result lmb_gpu_skin_create(lmb_gpu *gpu, lmb_gpu_skin **gpu_skin, lmb_error *error) {
    if (gpu_skin != NULL) {
        *gpu_skin = NULL;
    }
    if (gpu == NULL || gpu_skin == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu skin: %s is NULL", gpu == NULL ? "the gpu" : "the result");
    }
    lmb_gpu_skin *created = lmb_host_allocate(&gpu->host, 1, sizeof *created);
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu skin: no memory");
    }
    created->gpu = gpu;
    lmb_gpu_add_child(&gpu->children, LMB_GPU_CHILD_SKIN);
    lmb_result result = LMB_OK;
    for (int i = 0; i < LMB_SKIN_METHOD_COUNT && result == LMB_OK; i++) {
        result = lmb_gpu_pipeline_create(gpu, kernels[i].words, kernels[i].count, (lmb_kernel_constants){0},
                                         kernels[i].name, &created->pipelines[i], error);
    }
    if (result != LMB_OK) {
        lmb_gpu_skin_destroy(created);
        return result;
    }
    *gpu_skin = created;
    return LMB_OK;
}

void lmb_gpu_skin_destroy(lmb_gpu_skin *gpu_skin) {
    if (gpu_skin == NULL) {
        return;
    }
    lmb_gpu *gpu = gpu_skin->gpu;
    lmb_gpu_remove_child(&gpu->children, LMB_GPU_CHILD_SKIN);
    for (int i = 0; i < LMB_SKIN_METHOD_COUNT; i++) {
        lmb_gpu_pipeline_release(gpu, gpu_skin->pipelines[i]);
    }
    lmb_host_release(&gpu->host, gpu_skin);
}

static bool writes(const lmb_gpu_skin_run *run, lmb_skin_output output) {
    return run->layout.streams[output].format != LMB_SKIN_FORMAT_NONE;
}

static lmb_result check_address(VkDeviceAddress address, uint32_t alignment, uint32_t run, const char *name,
                                lmb_error *error) {
    return address != 0 && address % alignment == 0
               ? LMB_OK
               : lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu skin: run %u: the address of %s is %s", (unsigned)run, name,
                          address == 0 ? "0" : "not aligned");
}

static lmb_result check_addresses(const lmb_gpu_skin_run *run, uint32_t index, lmb_error *error) {
    const bool current = lmb_skin_needs_current(&run->layout);
    const bool previous = writes(run, LMB_SKIN_OUTPUT_PREVIOUS_POSITIONS);
    const bool morphs = lmb_skin_get_info(run->skin)->has_targets, lists = run->list != 0;
    const struct {
        const char *name;
        VkDeviceAddress address;
        uint32_t alignment;
        bool read;
    } arrays[] = {{"the mesh", run->words, 4, true},
                  {"the palette", run->palette, 16, current},
                  {"the previous palette", run->previous_palette, 16, previous},
                  {"the channels", run->channels, 4, morphs && current},
                  {"the previous channels", run->previous_channels, 4, morphs && previous},
                  {"the list", run->list, 4, lists},
                  {"the list's count", run->list_count, 4, lists},
                  {"the refusal counters", run->refused_sums, 4, run->refused_sums != 0}};
    lmb_result result = LMB_OK;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && result == LMB_OK; i++) {
        if (arrays[i].read) {
            result = check_address(arrays[i].address, arrays[i].alignment, index, arrays[i].name, error);
        }
    }
    for (int i = 0; i < LMB_SKIN_OUTPUT_COUNT && result == LMB_OK; i++) {
        if (writes(run, (lmb_skin_output)i)) {
            result = check_address(run->streams[i], 4, index, lmb_skin_output_name((lmb_skin_output)i), error);
        }
    }
    return result;
}

static lmb_result check_run(const lmb_gpu_skin_run *run, uint32_t index, lmb_error *error) {
    const lmb_skin_layout *layout = &run->layout;
    const bool packed = layout->packed && run->list != 0;
    lmb_error reason;
    lmb_result result =
        lmb_skin_check_layout(run->skin, layout, packed ? run->list_capacity : layout->palette_count, &reason);
    if (result != LMB_OK) {
        return lmb_fail(error, result, "gpu skin: run %u: %s", (unsigned)index, reason.message);
    }
    if (run->list != 0 && run->list_capacity > layout->character_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "gpu skin: run %u: a list of %u is longer than a batch of %u characters", (unsigned)index,
                        (unsigned)run->list_capacity, (unsigned)layout->character_count);
    }
    return check_addresses(run, index, error);
}

static lmb_result check_record(const lmb_gpu_skin *gpu_skin, VkCommandBuffer commands, const lmb_gpu_skin_run *runs,
                               uint32_t run_count, lmb_error *error) {
    const char *missing = gpu_skin == NULL                ? "it"
                          : commands == NULL              ? "the command buffer"
                          : runs == NULL && run_count > 0 ? "the list of runs"
                                                          : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu skin: %s is NULL", missing);
    }
    lmb_result result = lmb_gpu_check_probe(gpu_skin->gpu, "gpu skin", error);
    for (uint32_t i = 0; i < run_count && result == LMB_OK; i++) {
        result = check_run(&runs[i], i, error);
    }
    return result;
}

static uint32_t flags_of(const lmb_gpu_skin_run *run) {
    uint32_t flags = (run->list != 0 ? SKIN_FLAG_LIST : 0) | (run->layout.packed ? SKIN_FLAG_PACKED : 0) |
                     (run->refused_sums != 0 ? SKIN_FLAG_COUNTS : 0) |
                     (lmb_skin_needs_current(&run->layout) ? SKIN_FLAG_CURRENT : 0);
    for (uint32_t i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        flags |= (writes(run, (lmb_skin_output)i) ? SKIN_FLAG_WRITES : 0) << i;
        flags |= (run->layout.streams[i].format == LMB_SKIN_FORMAT_SNORM16 ? SKIN_FLAG_SNORM : 0) << i;
    }
    return flags;
}

static lmb_skin_push push_of(const lmb_gpu_skin_run *run) {
    const lmb_skin_layout *layout = &run->layout;
    lmb_skin_push push = {.block = run->words,
                          .palette = run->palette,
                          .previous_palette = run->previous_palette,
                          .channels = run->channels,
                          .previous_channels = run->previous_channels,
                          .list = run->list,
                          .list_count = run->list_count,
                          .refused = run->refused_sums,
                          .capacity = run->list != 0 ? run->list_capacity : layout->palette_count,
                          .characters = layout->character_count,
                          .first_character = layout->first_character,
                          .palette_count = layout->palette_count,
                          .character_vertices = layout->character_vertices != 0
                                                    ? layout->character_vertices
                                                    : lmb_skin_get_info(run->skin)->vertex_count,
                          .flags = flags_of(run)};
    for (uint32_t i = 0; i < LMB_SKIN_OUTPUT_COUNT; i++) {
        push.streams[i] = run->streams[i];
        push.strides |= lmb_skin_stride(layout, (lmb_skin_output)i) / 4 << 8 * i;
    }
    return push;
}

_Static_assert(LMB_MAX_SKIN_STRIDE / 4 <= 255, "a stride does not fit 8 bits");
_Static_assert((LMB_MAX_SKIN_VERTICES - 1) / LMB_GPU_GROUP < LARGEST_GRID, "vertices exceed an axis of a grid");

// The first axis has the vertices. On the second, workgroups share the characters.
static void record_run(const lmb_gpu_skin *gpu_skin, VkCommandBuffer commands, const lmb_gpu_skin_run *run) {
    const lmb_gpu *gpu = gpu_skin->gpu;
    const lmb_skin_push push = push_of(run);
    const uint32_t columns = (lmb_skin_get_info(run->skin)->vertex_count + LMB_GPU_GROUP - 1) / LMB_GPU_GROUP;
    const uint32_t rows = (GROUPS + columns - 1) / columns;
    if (push.capacity == 0) {
        return;
    }
    gpu->vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, gpu_skin->pipelines[run->layout.method]);
    gpu->vk.CmdPushConstants(commands, gpu->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    gpu->vk.CmdDispatch(commands, columns, rows < push.capacity ? rows : push.capacity, 1);
}

lmb_result lmb_gpu_skin_record(lmb_gpu_skin *gpu_skin, VkCommandBuffer commands, const lmb_gpu_skin_run *runs,
                               uint32_t run_count, lmb_error *error) {
    lmb_result result = check_record(gpu_skin, commands, runs, run_count, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmb_gpu *gpu = gpu_skin->gpu;
    const VkPipelineStageFlags copy_and_compute = VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    lmb_gpu_begin_label(gpu, commands, "limber skin");
    lmb_gpu_barrier(gpu, commands, copy_and_compute, VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    for (uint32_t i = 0; i < run_count; i++) {
        record_run(gpu_skin, commands, &runs[i]);
    }
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT);
    lmb_gpu_end_label(gpu, commands);
    return LMB_OK;
}
