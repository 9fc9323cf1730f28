// Errors of Vulkan calls, names and labels for debuggers, and the commands that every kernel needs.
#include "gpu.h"

#include "../../shaders/ops/layout.h"

static const char *vulkan_result_name(VkResult result) {
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
        return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
        return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
        return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_TOO_MANY_OBJECTS:
        return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS:
        return "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS";
    case VK_TIMEOUT:
        return "VK_TIMEOUT";
    default:
        return "VkResult";
    }
}

lmb_result lmb_gpu_check_slot(const char *owner, uint32_t slot, uint32_t count, lmb_error *error) {
    return slot < count ? LMB_OK
                        : lmb_fail(error, LMB_ERROR_ARGUMENT, "%s: frame slot %u is not one of %u", owner,
                                   (unsigned)slot, (unsigned)count);
}

lmb_result lmb_gpu_fail(lmb_error *error, const char *call, VkResult result) {
    lmb_fail(error, LMB_ERROR_VULKAN, "gpu: %s: %s (%d)", call, vulkan_result_name(result), (int)result);
    if (error != NULL) {
        error->vulkan_result = (int32_t)result;
    }
    return LMB_ERROR_VULKAN;
}

void lmb_gpu_barrier(const lmb_gpu *gpu, VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags from_access,
                     VkPipelineStageFlags to, VkAccessFlags to_access) {
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = from_access, .dstAccessMask = to_access};
    gpu->vk.CmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}

void lmb_gpu_dispatch_rows(const lmb_gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline, const void *push,
                           uint32_t size, uint32_t columns, uint32_t rows) {
    gpu->vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    gpu->vk.CmdPushConstants(commands, gpu->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, push);
    gpu->vk.CmdDispatch(commands, columns, rows, 1);
}

void lmb_gpu_dispatch(const lmb_gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline, const void *push,
                      uint32_t size, uint64_t groups) {
    const uint64_t rows = (groups + LARGEST_GRID - 1) / LARGEST_GRID;
    if (groups > 0) {
        lmb_gpu_dispatch_rows(gpu, commands, pipeline, push, size, (uint32_t)((groups + rows - 1) / rows),
                              (uint32_t)rows);
    }
}

void lmb_gpu_dispatch_indirect(const lmb_gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline, const void *push,
                               uint32_t size, VkBuffer arguments, VkDeviceSize offset) {
    gpu->vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    gpu->vk.CmdPushConstants(commands, gpu->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, push);
    gpu->vk.CmdDispatchIndirect(commands, arguments, offset);
}

void lmb_gpu_name(const lmb_gpu *gpu, VkObjectType type, uint64_t handle, const char *name) {
    if (gpu->debug_utils) {
        VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                              .objectType = type,
                                              .objectHandle = handle,
                                              .pObjectName = name};
        gpu->vk.SetDebugUtilsObjectNameEXT(gpu->device, &info);
    }
}

void lmb_gpu_begin_label(const lmb_gpu *gpu, VkCommandBuffer commands, const char *name) {
    if (gpu->debug_utils) {
        VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = name};
        gpu->vk.CmdBeginDebugUtilsLabelEXT(commands, &label);
    }
}

void lmb_gpu_end_label(const lmb_gpu *gpu, VkCommandBuffer commands) {
    if (gpu->debug_utils) {
        gpu->vk.CmdEndDebugUtilsLabelEXT(commands);
    }
}
