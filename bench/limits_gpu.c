// Measures the limits of a device.
#include "machine_limits.h"

#include "clock.h"
#include "rate.spv.h"

enum { TRIES = 10, GROUP = 64, TURNS = 256, OPERATIONS_A_TURN = 256 };

static const VkDeviceSize copy_size = (VkDeviceSize)256 << 20;

double limits_device_seconds(const device *device) {
    return device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? clock_process_seconds() : clock_seconds();
}

static lmb_result measure_copy(device *device, double *bandwidth, lmb_error *error) {
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    device_buffer from = {0}, to = {0};
    double best = 1e30;
    lmb_result result = device_buffer_create(device, copy_size, usage, false, &from, error);
    if (result == LMB_OK) {
        result = device_buffer_create(device, copy_size, usage, false, &to, error);
    }
    for (int i = 0; i < TRIES && result == LMB_OK; i++) {
        VkCommandPool pool;
        VkCommandBuffer commands;
        result = device_begin(device, &pool, &commands, error);
        if (result == LMB_OK) {
            VkBufferCopy copy = {.size = copy_size};
            vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &copy);
            double start = limits_device_seconds(device);
            result = device_submit_and_wait(device, pool, commands, error);
            double taken = limits_device_seconds(device) - start;
            best = taken < best ? taken : best;
        }
    }
    device_buffer_destroy(device, &from);
    device_buffer_destroy(device, &to);
    *bandwidth = (double)copy_size / best;
    return result;
}

typedef struct rate_push {
    VkDeviceAddress sums;
    float factor;
    float term;
    uint32_t turns;
} rate_push;

typedef struct rate_kernel {
    VkShaderModule module;
    VkPipelineLayout layout;
    VkPipeline pipeline;
} rate_kernel;

static lmb_result create_kernel(device *device, rate_kernel *kernel, lmb_error *error) {
    VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof bench_rate, .pCode = bench_rate};
    VkResult code = vkCreateShaderModule(device->device, &module, NULL, &kernel->module);
    if (code != VK_SUCCESS) {
        return device_fail(error, "vkCreateShaderModule", code);
    }
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(rate_push)};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &range};
    code = vkCreatePipelineLayout(device->device, &layout, NULL, &kernel->layout);
    if (code != VK_SUCCESS) {
        return device_fail(error, "vkCreatePipelineLayout", code);
    }
    VkComputePipelineCreateInfo pipeline = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                      .module = kernel->module,
                                                      .pName = "main"},
                                            .layout = kernel->layout};
    code = vkCreateComputePipelines(device->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &kernel->pipeline);
    return code == VK_SUCCESS ? LMB_OK : device_fail(error, "vkCreateComputePipelines", code);
}

static void destroy_kernel(device *device, rate_kernel *kernel) {
    vkDestroyPipeline(device->device, kernel->pipeline, NULL);
    vkDestroyPipelineLayout(device->device, kernel->layout, NULL);
    vkDestroyShaderModule(device->device, kernel->module, NULL);
}

static lmb_result run_kernel(device *device, const rate_kernel *kernel, VkDeviceAddress sums, uint32_t groups,
                             double *taken, lmb_error *error) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_result result = device_begin(device, &pool, &commands, error);
    if (result != LMB_OK) {
        return result;
    }
    rate_push push = {sums, 0.5f, 1.0f, TURNS};
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vkCmdPushConstants(commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vkCmdDispatch(commands, groups, 1, 1);
    double start = limits_device_seconds(device);
    result = device_submit_and_wait(device, pool, commands, error);
    *taken = limits_device_seconds(device) - start;
    return result;
}

// Increases the work until it takes so long that the time of the submission is negligible.
static lmb_result measure_rate(device *device, double *rate, lmb_error *error) {
    enum { MOST_GROUPS = 1 << 14 };
    rate_kernel kernel = {0};
    device_buffer sums = {0};
    *rate = 0.0;
    lmb_result result = create_kernel(device, &kernel, error);
    if (result == LMB_OK) {
        result = device_buffer_create(device, (VkDeviceSize)MOST_GROUPS * GROUP * sizeof(float),
                                      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                                      false, &sums, error);
    }
    uint32_t groups = 16;
    for (int tries = 0; tries < TRIES && result == LMB_OK;) {
        double taken = 1.0;
        result = run_kernel(device, &kernel, sums.address, groups, &taken, error);
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

lmb_result limits_of_device(device *device, limits *limits, lmb_error *error) {
    lmb_result result = measure_copy(device, &limits->copied, error);
    return result == LMB_OK ? measure_rate(device, &limits->operations, error) : result;
}
