// The probe runs cases with known answers on the device, and compares bits. Cases are where devices differ: ties of
// rounding, products that must be rounded before an addition, values around 2^-40 and 2^40, subnormals, infinity and
// NaN. The elementary functions are included because one wrong step anywhere in them changes the last bits.
#include "gpu.h"

#include "push.h"

#include "../../shaders/ops/probe.h"

#include <stdio.h>

// What each kind tests, for messages.
static const char *const kind_names[PROBE_KINDS] = {
    [PROBE_ADD] = "addition rounded to nearest even",
    [PROBE_MULTIPLY] = "multiplication rounded to nearest even",
    [PROBE_MULTIPLY_ADD] = "a product rounded before it is added to",
    [PROBE_SNAPPED_PRODUCT] = "the snapped product of small or large values",
    [PROBE_SNAP] = "snapping of any bits",
    [PROBE_COMPARE_SNAPPED] = "comparison of snapped numbers",
    [PROBE_SNAP_NUMBER] = "snapping of a number",
    [PROBE_FROM_INTEGER] = "conversion of an integer",
    [PROBE_TO_INTEGER] = "floor and conversion to an integer",
    [PROBE_COMPARE] = "comparison",
    [PROBE_RECIPROCAL] = "the reciprocal",
    [PROBE_RECIPROCAL_ROOT] = "the reciprocal square root",
    [PROBE_LOGARITHM] = "the logarithm",
    [PROBE_EXPONENTIAL] = "the exponential",
    [PROBE_SLERP] = "the slerp coefficient",
};

typedef struct probe_words {
    uint32_t kind;
    uint32_t a;
    uint32_t b;
    uint32_t result;
} probe_words;

// The known answers.
static const probe_words cases[] = {
    {PROBE_ADD, 0x3f800000, 0x33800000, 0x3f800000},
    {PROBE_ADD, 0x3f800001, 0x33800000, 0x3f800002},
    {PROBE_ADD, 0x3f800000, 0x33800001, 0x3f800001},
    {PROBE_ADD, 0xbf800000, 0xb3800000, 0xbf800000},
    {PROBE_ADD, 0x3f800000, 0xb3000000, 0x3f800000},
    {PROBE_ADD, 0x4b800000, 0x3f800000, 0x4b800000},
    {PROBE_ADD, 0x3fffffff, 0x33800000, 0x40000000},
    {PROBE_ADD, 0x3fc00000, 0xbfc00000, 0x00000000},
    {PROBE_ADD, 0x53800000, 0xab800000, 0x53800000},
    {PROBE_MULTIPLY, 0x3f800001, 0x3f800001, 0x3f800002},
    {PROBE_MULTIPLY, 0x3fc00000, 0x3f800001, 0x3fc00002},
    {PROBE_MULTIPLY, 0x3eaaaaab, 0x40400000, 0x3f800000},
    {PROBE_MULTIPLY, 0xbfffffff, 0x3fffffff, 0xc07ffffe},
    {PROBE_MULTIPLY, 0x3dcccccd, 0x3dcccccd, 0x3c23d70b},
    {PROBE_MULTIPLY, 0x53800000, 0x5391a2b4, 0x6791a2b4},
    {PROBE_MULTIPLY_ADD, 0x3f801000, 0x3f801000, 0x3a800800},
    {PROBE_MULTIPLY_ADD, 0x3f7ff000, 0x3f801000, 0x397fe000},
    {PROBE_MULTIPLY_ADD, 0x3eaaaaab, 0x40400000, 0x00000000},
    {PROBE_MULTIPLY_ADD, 0x3dcccccd, 0x41200000, 0x00000000},
    {PROBE_MULTIPLY_ADD, 0x3e124925, 0x40e00000, 0x00000000},
    {PROBE_SNAPPED_PRODUCT, 0x2b800000, 0x2b800000, 0x00000000},
    {PROBE_SNAPPED_PRODUCT, 0x1c800000, 0x1c800000, 0x00000000},
    {PROBE_SNAPPED_PRODUCT, 0x9f800000, 0x20000000, 0x00000000},
    {PROBE_SNAPPED_PRODUCT, 0x35800000, 0x35800000, 0x2b800000},
    {PROBE_SNAPPED_PRODUCT, 0x357fffff, 0x35800000, 0x00000000},
    {PROBE_SNAPPED_PRODUCT, 0xb5800000, 0x35800000, 0xab800000},
    {PROBE_SNAPPED_PRODUCT, 0x4e800000, 0x4e800000, 0x53800000},
    {PROBE_SNAPPED_PRODUCT, 0xce800000, 0x45000000, 0xd3800000},
    {PROBE_SNAPPED_PRODUCT, 0x49800000, 0x49800000, 0x53800000},
    {PROBE_SNAP, 0x2b800000, 0x00000000, 0x2b800000},
    {PROBE_SNAP, 0x2b7fffff, 0x00000000, 0x00000000},
    {PROBE_SNAP, 0xab7fffff, 0x00000000, 0x00000000},
    {PROBE_SNAP, 0x80000000, 0x00000000, 0x00000000},
    {PROBE_SNAP, 0x00000001, 0x00000000, 0x00000000},
    {PROBE_SNAP, 0x807fffff, 0x00000000, 0x00000000},
    {PROBE_SNAP, 0x53800000, 0x00000000, 0x53800000},
    {PROBE_SNAP, 0x53800001, 0x00000000, 0x53800000},
    {PROBE_SNAP, 0xd3800001, 0x00000000, 0xd3800000},
    {PROBE_SNAP, 0x7f800000, 0x00000000, 0x53800000},
    {PROBE_SNAP, 0xff800000, 0x00000000, 0xd3800000},
    {PROBE_SNAP, 0x7fc00000, 0x00000000, 0x00000000},
    {PROBE_SNAP, 0xffc00001, 0x00000000, 0x00000000},
    {PROBE_SNAP, 0x7f800001, 0x00000000, 0x00000000},
    {PROBE_SNAP_NUMBER, 0x2b800000, 0x00000000, 0x2b800000},
    {PROBE_SNAP_NUMBER, 0x2b7fffff, 0x00000000, 0x00000000},
    {PROBE_SNAP_NUMBER, 0xab7fffff, 0x00000000, 0x00000000},
    {PROBE_SNAP_NUMBER, 0x80000000, 0x00000000, 0x00000000},
    {PROBE_SNAP_NUMBER, 0x00000001, 0x00000000, 0x00000000},
    {PROBE_SNAP_NUMBER, 0x807fffff, 0x00000000, 0x00000000},
    {PROBE_SNAP_NUMBER, 0x53800000, 0x00000000, 0x53800000},
    {PROBE_SNAP_NUMBER, 0x53800001, 0x00000000, 0x53800000},
    {PROBE_SNAP_NUMBER, 0xd3800001, 0x00000000, 0xd3800000},
    {PROBE_SNAP_NUMBER, 0x7f800000, 0x00000000, 0x53800000},
    {PROBE_SNAP_NUMBER, 0xff800000, 0x00000000, 0xd3800000},
    {PROBE_COMPARE_SNAPPED, 0x000116c2, 0x00000000, 0x00000002}, // 1e-40 and 0
    {PROBE_COMPARE_SNAPPED, 0x800116c2, 0x00000000, 0x00000002},
    {PROBE_COMPARE_SNAPPED, 0x00000001, 0x80000001, 0x00000002},
    {PROBE_COMPARE_SNAPPED, 0x007fffff, 0x00800000, 0x00000002},
    {PROBE_COMPARE_SNAPPED, 0x80000000, 0x00000000, 0x00000002},
    {PROBE_COMPARE_SNAPPED, 0x2b7fffff, 0x2b800000, 0x00000001},
    {PROBE_COMPARE_SNAPPED, 0x2b800000, 0x00000001, 0x00000004},
    {PROBE_COMPARE_SNAPPED, 0x7f800000, 0x53800000, 0x00000002},
    {PROBE_FROM_INTEGER, 0x00000000, 0x00000000, 0x00000000},
    {PROBE_FROM_INTEGER, 0x00000001, 0x00000000, 0x3f800000},
    {PROBE_FROM_INTEGER, 0x000000ff, 0x00000000, 0x437f0000},
    {PROBE_FROM_INTEGER, 0x00ffffff, 0x00000000, 0x4b7fffff},
    {PROBE_FROM_INTEGER, 0x00800001, 0x00000000, 0x4b000001},
    {PROBE_TO_INTEGER, 0x00000000, 0x00000000, 0x00000000},
    {PROBE_TO_INTEGER, 0x3f7fffff, 0x00000000, 0x00000000},
    {PROBE_TO_INTEGER, 0x3f800000, 0x00000000, 0x00000001},
    {PROBE_TO_INTEGER, 0x437e8000, 0x00000000, 0x000000fe},
    {PROBE_TO_INTEGER, 0x4b7fffff, 0x00000000, 0x00ffffff},
    {PROBE_TO_INTEGER, 0x40400001, 0x00000000, 0x00000003},
    {PROBE_COMPARE, 0x3f800000, 0x3f800001, 0x00000001},
    {PROBE_COMPARE, 0x3f800000, 0x3f800000, 0x00000002},
    {PROBE_COMPARE, 0xbf800000, 0x3f800000, 0x00000001},
    {PROBE_COMPARE, 0x00000000, 0x00000000, 0x00000002},
    {PROBE_COMPARE, 0x40000000, 0xc0400000, 0x00000004},
    {PROBE_RECIPROCAL, 0x40400000, 0x00000000, 0x3eaaaaaa},
    {PROBE_RECIPROCAL, 0x3f800000, 0x00000000, 0x3f800000},
    {PROBE_RECIPROCAL, 0xc0e00000, 0x00000000, 0xbe124925},
    {PROBE_RECIPROCAL, 0x3dcccccd, 0x00000000, 0x41200000},
    {PROBE_RECIPROCAL, 0x00000000, 0x00000000, 0x00000000},
    {PROBE_RECIPROCAL, 0x3fffffff, 0x00000000, 0x3f000000},
    {PROBE_RECIPROCAL, 0x53800000, 0x00000000, 0x2b800000},
    {PROBE_RECIPROCAL, 0x2b980000, 0x00000000, 0x53579435},
    {PROBE_RECIPROCAL_ROOT, 0x40000000, 0x00000000, 0x3f3504f3},
    {PROBE_RECIPROCAL_ROOT, 0x3f800000, 0x00000000, 0x3f800000},
    {PROBE_RECIPROCAL_ROOT, 0x40400000, 0x00000000, 0x3f13cd3a},
    {PROBE_RECIPROCAL_ROOT, 0x3dcccccd, 0x00000000, 0x404a62c2},
    {PROBE_RECIPROCAL_ROOT, 0x3fffffff, 0x00000000, 0x3f3504f4},
    {PROBE_RECIPROCAL_ROOT, 0x67b80000, 0x00000000, 0x2b5584cd},
    {PROBE_RECIPROCAL_ROOT, 0x17880000, 0x00000000, 0x53785b42},
    {PROBE_LOGARITHM, 0x3f800000, 0x00000000, 0x00000000},
    {PROBE_LOGARITHM, 0x40000000, 0x00000000, 0x3f800000},
    {PROBE_LOGARITHM, 0x40400000, 0x00000000, 0x3fcae00d},
    {PROBE_LOGARITHM, 0x3f333333, 0x00000000, 0xbf03bb12},
    {PROBE_LOGARITHM, 0x3f3504f3, 0x00000000, 0xbf000000},
    {PROBE_LOGARITHM, 0x3f800001, 0x00000000, 0x3438aa3a},
    {PROBE_LOGARITHM, 0x53480000, 0x00000000, 0x421e934f},
    {PROBE_LOGARITHM, 0x2c480000, 0x00000000, 0xc2196cb1},
    {PROBE_EXPONENTIAL, 0x00000000, 0x00000000, 0x3f800000},
    {PROBE_EXPONENTIAL, 0x3f800000, 0x00000000, 0x40000000},
    {PROBE_EXPONENTIAL, 0x3f000000, 0x00000000, 0x3fb504f4},
    {PROBE_EXPONENTIAL, 0xbf000000, 0x00000000, 0x3f3504f4},
    {PROBE_EXPONENTIAL, 0x406ccccd, 0x00000000, 0x414fefc6},
    {PROBE_EXPONENTIAL, 0xc144cccd, 0x00000000, 0x394fefc4},
    {PROBE_EXPONENTIAL, 0x429fcccd, 0x00000000, 0x676edb50},
    {PROBE_EXPONENTIAL, 0xc29fcccd, 0x00000000, 0x17892fd6},
    {PROBE_EXPONENTIAL, 0x447a0000, 0x00000000, 0x7e800000},
    {PROBE_EXPONENTIAL, 0xc47a0000, 0x00000000, 0x00800000},
    {PROBE_SLERP, 0x00000000, 0xbf000000, 0x00000000},
    {PROBE_SLERP, 0x3f800000, 0xbf000000, 0x3f800000},
    {PROBE_SLERP, 0x3f000000, 0xbf800000, 0x3f3504f1},
    {PROBE_SLERP, 0x3e800000, 0xbdcccccd, 0x3e842a1e},
    {PROBE_SLERP, 0x3f400000, 0xbf7d70a4, 0x3f6bc896},
    {PROBE_SLERP, 0x3e99999a, 0x00000000, 0x3e99999a},
    {PROBE_SLERP, 0x3f666666, 0xb58637bd, 0x3f666668},
    {PROBE_SLERP, 0x3eaaaaab, 0xbe960419, 0x3ebb6973},
};

enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

// Objects that one run of the probe creates and destroys.
typedef struct probe_run {
    lmb_gpu_buffer staging;
    lmb_gpu_buffer buffer;
    VkCommandPool pool;
    VkFence fence;
} probe_run;

static void record(const lmb_gpu *gpu, const probe_run *run, VkCommandBuffer commands) {
    VkBufferCopy copy = {.size = sizeof cases};
    lmb_probe_push push = {.cases = run->buffer.address, .count = CASE_COUNT};
    lmb_gpu_begin_label(gpu, commands, "limber probe");
    gpu->vk.CmdCopyBuffer(commands, run->staging.buffer, run->buffer.buffer, 1, &copy);
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    lmb_gpu_dispatch(gpu, commands, gpu->pipelines[LMB_KERNEL_PROBE], &push, sizeof push,
                     (CASE_COUNT + LMB_GPU_GROUP - 1) / LMB_GPU_GROUP);
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    gpu->vk.CmdCopyBuffer(commands, run->buffer.buffer, run->staging.buffer, 1, &copy);
    lmb_gpu_barrier(gpu, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                    VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    lmb_gpu_end_label(gpu, commands);
}

static lmb_result create_run(lmb_gpu *gpu, uint32_t queue_family, probe_run *run, lmb_error *error) {
    lmb_gpu_maker maker = {.gpu = gpu, .error = error};
    lmb_gpu_make(&maker, sizeof cases, LMB_GPU_MEMORY_UPLOAD, "limber probe staging", &run->staging);
    lmb_gpu_make(&maker, sizeof cases, LMB_GPU_MEMORY_DEVICE, "limber probe", &run->buffer);
    if (maker.result != LMB_OK) {
        return maker.result;
    }
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = queue_family};
    VkResult created = gpu->vk.CreateCommandPool(gpu->device, &pool, gpu->allocator, &run->pool);
    if (created != VK_SUCCESS) {
        run->pool = VK_NULL_HANDLE;
        return lmb_gpu_fail(error, "vkCreateCommandPool", created);
    }
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    created = gpu->vk.CreateFence(gpu->device, &fence, gpu->allocator, &run->fence);
    if (created != VK_SUCCESS) {
        run->fence = VK_NULL_HANDLE;
        return lmb_gpu_fail(error, "vkCreateFence", created);
    }
    return LMB_OK;
}

static lmb_result submit(lmb_gpu *gpu, const probe_run *run, VkQueue queue, lmb_error *error) {
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = run->pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    VkCommandBuffer commands;
    VkResult result = gpu->vk.AllocateCommandBuffers(gpu->device, &info, &commands);
    if (result != VK_SUCCESS) {
        return lmb_gpu_fail(error, "vkAllocateCommandBuffers", result);
    }
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    result = gpu->vk.BeginCommandBuffer(commands, &begin);
    if (result != VK_SUCCESS) {
        return lmb_gpu_fail(error, "vkBeginCommandBuffer", result);
    }
    record(gpu, run, commands);
    result = gpu->vk.EndCommandBuffer(commands);
    if (result != VK_SUCCESS) {
        return lmb_gpu_fail(error, "vkEndCommandBuffer", result);
    }
    VkSubmitInfo submission = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    result = gpu->vk.QueueSubmit(queue, 1, &submission, run->fence);
    if (result != VK_SUCCESS) {
        return lmb_gpu_fail(error, "vkQueueSubmit", result);
    }
    result = gpu->vk.WaitForFences(gpu->device, 1, &run->fence, VK_TRUE, UINT64_MAX);
    if (result != VK_SUCCESS) {
        gpu->vk.QueueWaitIdle(queue); // the commands may still run, and what they use is destroyed
        return lmb_gpu_fail(error, "vkWaitForFences", result);
    }
    return LMB_OK;
}

static void judge(lmb_gpu_probe_result *probe, const probe_words *answers) {
    *probe = (lmb_gpu_probe_result){.done = true, .declares_rte = probe->declares_rte, .case_count = CASE_COUNT};
    for (uint32_t i = 0; i < CASE_COUNT; i++) {
        if (answers[i].result == cases[i].result) {
            continue;
        }
        if (probe->failure_count++ == 0) {
            snprintf(probe->failed_case, sizeof probe->failed_case, "%s", kind_names[cases[i].kind]);
            probe->input_bits[0] = cases[i].a;
            probe->input_bits[1] = cases[i].b;
            probe->expected_bits = cases[i].result;
            probe->actual_bits = answers[i].result;
        }
    }
    probe->same_bits = probe->failure_count == 0;
}

lmb_result lmb_gpu_probe(lmb_gpu *gpu, VkQueue queue, uint32_t queue_family, lmb_error *error) {
    if (gpu == NULL || queue == VK_NULL_HANDLE) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu: %s is NULL", gpu == NULL ? "it" : "the probe's queue");
    }
    probe_run run = {0};
    lmb_result result = create_run(gpu, queue_family, &run, error);
    if (result == LMB_OK) {
        probe_words *words = run.staging.memory.mapped;
        for (uint32_t i = 0; i < CASE_COUNT; i++) {
            // The initial result is wrong, so a case that the kernel does not write fails.
            words[i] = (probe_words){cases[i].kind, cases[i].a, cases[i].b, ~cases[i].result};
        }
        result = submit(gpu, &run, queue, error);
        if (result == LMB_OK) {
            judge(&gpu->probe, words);
        }
    }
    gpu->vk.DestroyFence(gpu->device, run.fence, gpu->allocator);
    gpu->vk.DestroyCommandPool(gpu->device, run.pool, gpu->allocator);
    lmb_gpu_buffer_destroy(gpu, &run.buffer);
    lmb_gpu_buffer_destroy(gpu, &run.staging);
    return result;
}

lmb_result lmb_gpu_check_probe(const lmb_gpu *gpu, const char *owner, lmb_error *error) {
    return gpu->probe.same_bits || gpu->accept_mismatch
               ? LMB_OK
               : lmb_fail(error, LMB_ERROR_STATE, "%s: the probe has not %s on this device", owner,
                          gpu->probe.done ? "passed" : "run");
}
