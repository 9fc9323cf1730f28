// Replaces Vulkan functions to read the statistics of pipelines when they are created.
#include "emulated.h"
#include "workgroup_memory.h"

#include <stdlib.h>
#include <string.h>

enum { INVOCATIONS_ID = 4, USUAL_INVOCATIONS = 64, SHARED_STEP = 1024 };

// Global, because the hooks have no argument for user data.
static kernels_found report;
static uint32_t invocations;  // of the last created pipeline
static uint32_t shared_bytes; // of it, as its module declares them
static uint32_t *module;      // words of the last created module
static size_t module_count;
static uint32_t subgroup; // lanes, or 0: those of the driver
static bool complete = true;

bool kernels_are_complete(void) {
    return complete;
}

// Workgroups have 64 invocations, except those of the kernel whose size is a specialization constant
// (lmb_kernel_constants, src/gpu/gpu.h).
static uint32_t find_invocations(const VkSpecializationInfo *constants) {
    uint32_t found = 0;
    for (uint32_t i = 0; constants != NULL && i < constants->mapEntryCount; i++) {
        if (constants->pMapEntries[i].constantID == INVOCATIONS_ID) {
            memcpy(&found, (const char *)constants->pData + constants->pMapEntries[i].offset, sizeof found);
        }
    }
    return found > 0 ? found : USUAL_INVOCATIONS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice device, const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkShaderModule *created) {
    free(module);
    module = malloc(info->codeSize);
    module_count = module != NULL ? info->codeSize / sizeof *module : 0;
    if (module != NULL) {
        memcpy(module, info->pCode, info->codeSize);
    }
    return vkCreateShaderModule(device, info, allocator, created);
}

// The library creates one pipeline at a time, after its module.
static VKAPI_ATTR VkResult VKAPI_CALL create_pipeline(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo *infos,
                                                      const VkAllocationCallbacks *allocator, VkPipeline *pipeline) {
    VkComputePipelineCreateInfo info = *infos;
    info.flags |=
        VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
    invocations = find_invocations(info.stage.pSpecializationInfo);
    shared_bytes =
        module != NULL ? workgroup_memory_bytes(module, module_count, info.stage.pSpecializationInfo) : UINT32_MAX;
    return vkCreateComputePipelines(device, cache, count, &info, allocator, pipeline);
}

// Workgroup memory that the driver does not say is what the module declares. Others may round it up, or leave out
// variables that the kernel does not use.
static bool complete_shared_bytes(kernel *kernel) {
    uint32_t *of_driver = &kernel->figures[KERNEL_SHARED_BYTES];
    if (*of_driver == KERNEL_UNKNOWN) {
        *of_driver = shared_bytes;
    }
    return (shared_bytes > *of_driver ? shared_bytes - *of_driver : *of_driver - shared_bytes) < SHARED_STEP;
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

// The library calls this with each pipeline that it has created, and with other objects that are ignored.
static VKAPI_ATTR VkResult VKAPI_CALL name_object(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info) {
    if (info->objectType == VK_OBJECT_TYPE_BUFFER) {
        emulated_name_buffer((VkBuffer)info->objectHandle, info->pObjectName);
    }
    if (info->objectType != VK_OBJECT_TYPE_PIPELINE) {
        return VK_SUCCESS;
    }
    const VkPipeline pipeline = (VkPipeline)info->objectHandle;
    const char *prefix = "limber ";
    kernel kernel = {.name = info->pObjectName + (begins(info->pObjectName, prefix) ? strlen(prefix) : 0),
                     .invocations = invocations};
    complete = statistics_read(device, pipeline, &kernel) && complete_shared_bytes(&kernel) && complete;
    report(&kernel);
    if (kernel.assembly != NULL) {
        emulated_add(pipeline, &kernel);
    }
    free(kernel.assembly);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pipeline(VkDevice device, VkPipeline pipeline,
                                                   const VkAllocationCallbacks *allocator) {
    emulated_remove(pipeline);
    vkDestroyPipeline(device, pipeline, allocator);
}

// The driver's properties, with the size of subgroups that the caller of kernels_gpu_def() gave.
static VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties) {
    vkGetPhysicalDeviceProperties2(device, properties);
    for (VkBaseOutStructure *next = properties->pNext; next != NULL && subgroup > 0; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
            ((VkPhysicalDeviceSubgroupProperties *)next)->subgroupSize = subgroup;
        }
    }
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name) {
    const PFN_vkVoidFunction emulated = emulated_function(name);
    return strcmp(name, "vkCreateComputePipelines") == 0 ? (PFN_vkVoidFunction)create_pipeline
           : strcmp(name, "vkCreateShaderModule") == 0   ? (PFN_vkVoidFunction)create_module
           : strcmp(name, "vkDestroyPipeline") == 0      ? (PFN_vkVoidFunction)destroy_pipeline
           : emulated != NULL                            ? emulated
                                                         : vkGetDeviceProcAddr(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char *name) {
    const PFN_vkVoidFunction emulated = emulated_function(name);
    return strcmp(name, "vkGetDeviceProcAddr") == 0              ? (PFN_vkVoidFunction)get_device_proc_addr
           : strcmp(name, "vkSetDebugUtilsObjectNameEXT") == 0   ? (PFN_vkVoidFunction)name_object
           : strcmp(name, "vkGetPhysicalDeviceProperties2") == 0 ? (PFN_vkVoidFunction)get_properties
           : emulated != NULL                                    ? emulated
                                                                 : vkGetInstanceProcAddr(instance, name);
}

lmb_gpu_def kernels_gpu_def(const device *device, uint32_t subgroup_size, kernels_found found) {
    report = found;
    subgroup = subgroup_size;
    lmb_gpu_def def = device_gpu_def(device);
    def.get_instance_proc_addr = get_instance_proc_addr;
    def.memory = &emulated_memory;
    def.debug_utils = true;           // for the pipelines' names
    def.probe_queue = VK_NULL_HANDLE; // no probe
    def.accept_mismatch = true;
    def.pipeline_cache = VK_NULL_HANDLE;
    def.kept_pipelines = 0; // every graph is reported with all of its kernels
    return def;
}
