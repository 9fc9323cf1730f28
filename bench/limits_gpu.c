// Measures the limits of a device.
#include "machine_limits.h"

#include "copy.spv.h"
#include "device_timer.h"
#include "rate.spv.h"

enum { TRIES = 10, GROUP = 64, TURNS = 256, OPERATIONS_A_TURN = 256, COPY_BYTES_A_GROUP = 8192 };

// Match the push constants of rate.comp and copy.comp.
typedef struct rate_push {
    VkDeviceAddress sums;
    float factor;
    float term;
    uint32_t turns;
} rate_push;

typedef struct copy_push {
    VkDeviceAddress from;
    VkDeviceAddress to;
    uint32_t invocations;
} copy_push;

typedef struct limit_kernel {
    VkShaderModule module;
    VkPipelineLayout layout;
    VkPipeline pipeline;
} limit_kernel;

static lmb_result create_kernel(device *device, const uint32_t *code, size_t bytes, uint32_t push_bytes,
                                limit_kernel *kernel, lmb_error *error) {
    VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
    VkResult made = vkCreateShaderModule(device->device, &module, NULL, &kernel->module);
    if (made != VK_SUCCESS) {
        return device_fail(error, "vkCreateShaderModule", made);
    }
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &range};
    made = vkCreatePipelineLayout(device->device, &layout, NULL, &kernel->layout);
    if (made != VK_SUCCESS) {
        return device_fail(error, "vkCreatePipelineLayout", made);
    }
    VkComputePipelineCreateInfo pipeline = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                      .module = kernel->module,
                                                      .pName = "main"},
                                            .layout = kernel->layout};
    made = vkCreateComputePipelines(device->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &kernel->pipeline);
    return made == VK_SUCCESS ? LMB_OK : device_fail(error, "vkCreateComputePipelines", made);
}

static void destroy_kernel(device *device, limit_kernel *kernel) {
    vkDestroyPipeline(device->device, kernel->pipeline, NULL);
    vkDestroyPipelineLayout(device->device, kernel->layout, NULL);
    vkDestroyShaderModule(device->device, kernel->module, NULL);
}

static void dispatch(VkCommandBuffer commands, const limit_kernel *kernel, const void *push, uint32_t bytes,
                     uint32_t groups) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vkCmdPushConstants(commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, push);
    vkCmdDispatch(commands, groups, 1, 1);
}

static lmb_result create_buffer(device *device, VkDeviceSize bytes, device_buffer *buffer, lmb_error *error) {
    return device_buffer_create(device, bytes,
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                false, buffer, error);
}

// Copies by Vulkan's command or, given a kernel, by the kernel.
static lmb_result run_copy(const device_timer *timer, const limit_kernel *kernel, const device_buffer *from,
                           const device_buffer *to, size_t bytes, double *taken, lmb_error *error) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_result result = device_begin(timer->device, &pool, &commands, error);
    if (result != LMB_OK) {
        return result;
    }
    device_timer_begin(timer, commands);
    if (kernel == NULL) {
        const VkBufferCopy copy = {.size = bytes};
        vkCmdCopyBuffer(commands, from->buffer, to->buffer, 1, &copy);
    } else {
        const uint32_t groups = (uint32_t)(bytes / COPY_BYTES_A_GROUP);
        const copy_push push = {from->address, to->address, groups * GROUP};
        dispatch(commands, kernel, &push, sizeof push, groups);
    }
    return device_timer_submit(timer, pool, commands, taken, error);
}

// The faster of both ways.
static lmb_result measure_copy(const device_timer *timer, size_t bytes, double *bandwidth, lmb_error *error) {
    device *device = timer->device;
    device_buffer from = {0}, to = {0};
    limit_kernel kernel = {0};
    double best = 1e30;
    lmb_result result = create_kernel(device, bench_copy, sizeof bench_copy, sizeof(copy_push), &kernel, error);
    if (result == LMB_OK) {
        result = create_buffer(device, bytes, &from, error);
    }
    if (result == LMB_OK) {
        result = create_buffer(device, bytes, &to, error);
    }
    // A driver that runs on the processor takes a second for the kernel, and far less for the command.
    const int kernel_tries = device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? 1 : TRIES;
    for (int i = 0; i < TRIES + kernel_tries && result == LMB_OK; i++) {
        double taken;
        result = run_copy(timer, i < kernel_tries ? &kernel : NULL, &from, &to, bytes, &taken, error);
        best = taken < best ? taken : best;
    }
    device_buffer_destroy(device, &from);
    device_buffer_destroy(device, &to);
    destroy_kernel(device, &kernel);
    *bandwidth = (double)bytes / best;
    return result;
}

static lmb_result run_rate(const device_timer *timer, const limit_kernel *kernel, VkDeviceAddress sums, uint32_t groups,
                           double *taken, lmb_error *error) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_result result = device_begin(timer->device, &pool, &commands, error);
    if (result != LMB_OK) {
        return result;
    }
    const rate_push push = {sums, 0.5f, 1.0f, TURNS};
    device_timer_begin(timer, commands);
    dispatch(commands, kernel, &push, sizeof push, groups);
    return device_timer_submit(timer, pool, commands, taken, error);
}

// Increases the work until it takes so long that the time of the submission is negligible.
static lmb_result measure_rate(const device_timer *timer, double *rate, lmb_error *error) {
    enum { MOST_GROUPS = 1 << 14 };
    device *device = timer->device;
    limit_kernel kernel = {0};
    device_buffer sums = {0};
    *rate = 0.0;
    lmb_result result = create_kernel(device, bench_rate, sizeof bench_rate, sizeof(rate_push), &kernel, error);
    if (result == LMB_OK) {
        result = create_buffer(device, (VkDeviceSize)MOST_GROUPS * GROUP * sizeof(float), &sums, error);
    }
    uint32_t groups = 16;
    for (int tries = 0; tries < TRIES && result == LMB_OK;) {
        double taken = 1.0;
        result = run_rate(timer, &kernel, sums.address, groups, &taken, error);
        double found = (double)groups * GROUP * TURNS * OPERATIONS_A_TURN / taken;
        *rate = found > *rate ? found : *rate;
        if (taken < 0.02 && groups < MOST_GROUPS) {
            groups *= 2;
        } else {
            tries++;
        }
    }
    device_buffer_destroy(device, &sums);
    destroy_kernel(device, &kernel);
    return result;
}

lmb_result limits_of_device(device *device, double seconds, limits *limits, lmb_error *error) {
    device_timer timer;
    lmb_result result = device_timer_create(device, &timer, error);
    if (result == LMB_OK) {
        result = measure_copy(&timer, limits_copy_bytes(seconds), &limits->copied, error);
    }
    if (result == LMB_OK) {
        result = measure_rate(&timer, &limits->operations, error);
    }
    device_timer_destroy(&timer);
    return result;
}
