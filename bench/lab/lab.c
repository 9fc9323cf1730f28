// Opens the device of limber-lab, and creates small kernels.
#include "lab.h"

#include "lab/small.spv.h"
#include "terminal.h"

#include <stdlib.h>

void lab_require(lmb_result result, const char *what, const lmb_error *error) {
    if (result != LMB_OK) {
        terminal_error("limber-lab: %s: %s\n", what, error->message);
        exit(1);
    }
}

void lab_require_vulkan(VkResult result, const char *call) {
    lmb_error error;
    if (result != VK_SUCCESS) {
        lab_require(device_fail(&error, call, result), "small kernels", &error);
    }
}

static void create_module(lab *lab) {
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof bench_small, .pCode = bench_small};
    lab_require_vulkan(vkCreateShaderModule(lab->device.device, &module, NULL, &lab->module), "vkCreateShaderModule");
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(small_push)};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
    lab_require_vulkan(vkCreatePipelineLayout(lab->device.device, &layout, NULL, &lab->layout),
                       "vkCreatePipelineLayout");
}

void lab_open(const char *name, lab *lab) {
    lmb_error error;
    const device_request request = {.name = name};
    lab_require(device_open(&request, &lab->device, &error), "device", &error);
    lab_require(device_timer_create(&lab->device, &lab->timer, &error), "timer", &error);
    lab->is_processor = lab->device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    create_module(lab);
    lab->pacer = small_kernel_create(lab, 32, 1);
    lab->best_pace = 1e30;
}

void lab_close(lab *lab) {
    small_kernel_destroy(lab, lab->pacer);
    vkDestroyPipelineLayout(lab->device.device, lab->layout, NULL);
    vkDestroyShaderModule(lab->device.device, lab->module, NULL);
    device_timer_destroy(&lab->timer);
    device_close(&lab->device);
}

VkPipeline small_kernel_create(lab *lab, uint32_t invocations, uint32_t workgroup_words) {
    const uint32_t values[2] = {invocations, workgroup_words};
    const VkSpecializationMapEntry entries[2] = {{0, 0, sizeof *values}, {1, sizeof *values, sizeof *values}};
    const VkSpecializationInfo constants = {2, entries, sizeof values, values};
    const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                        .module = lab->module,
                                                        .pName = "main",
                                                        .pSpecializationInfo = &constants},
                                              .layout = lab->layout};
    VkPipeline pipeline = VK_NULL_HANDLE;
    lab_require_vulkan(
        vkCreateComputePipelines(lab->device.device, lab->device.pipeline_cache, 1, &info, NULL, &pipeline),
        "vkCreateComputePipelines");
    return pipeline;
}

void small_kernel_destroy(const lab *lab, VkPipeline pipeline) {
    vkDestroyPipeline(lab->device.device, pipeline, NULL);
}
