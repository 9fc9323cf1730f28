// Replaces Vulkan functions to read the statistics of pipelines when they are created.
#include "emulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATISTICS = 32, MOST_REPRESENTATIONS = 8, INVOCATIONS_ID = 4, USUAL_INVOCATIONS = 64 };

// Global, because the hooks have no argument for user data.
static kernels_found report;
static uint32_t invocations; // of the last created pipeline
static uint32_t subgroup;    // lanes, or 0: those of the driver
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

// The library creates one pipeline at a time.
static VKAPI_ATTR VkResult VKAPI_CALL create_pipeline(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo *infos,
                                                      const VkAllocationCallbacks *allocator, VkPipeline *pipeline) {
    VkComputePipelineCreateInfo info = *infos;
    info.flags |=
        VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
    invocations = find_invocations(info.stage.pSpecializationInfo);
    return vkCreateComputePipelines(device, cache, count, &info, allocator, pipeline);
}

static void read_statistics(VkDevice device, const VkPipelineExecutableInfoKHR *executable, kernel *kernel) {
    uint32_t spilled[2] = {0};
    const struct {
        const char *name;
        uint32_t *value;
    } desired[] = {{"VGPRs", &kernel->vgprs},
                   {"SGPRs", &kernel->sgprs},
                   {"Spilled VGPRs", &spilled[0]},
                   {"Spilled SGPRs", &spilled[1]},
                   {"LDS size", &kernel->lds_bytes},
                   {"Code size", &kernel->code_bytes},
                   {"Subgroups per SIMD", &kernel->waves}};
    enum { DESIRED = sizeof desired / sizeof *desired };
    VkPipelineExecutableStatisticKHR statistics[MOST_STATISTICS];
    uint32_t count = MOST_STATISTICS, found = 0;
    for (uint32_t i = 0; i < count; i++) {
        statistics[i] =
            (VkPipelineExecutableStatisticKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
    }
    if (vkGetPipelineExecutableStatisticsKHR(device, executable, &count, statistics) < VK_SUCCESS) {
        count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < DESIRED; k++) {
            if (strcmp(statistics[i].name, desired[k].name) == 0) {
                *desired[k].value = (uint32_t)statistics[i].value.u64;
                found++;
            }
        }
    }
    kernel->spills = spilled[0] + spilled[1];
    complete = complete && found == DESIRED;
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

// Counts instructions. A line is a label, an instruction after white space, or a number of repetitions of the previous
// instruction.
static void count_instructions(kernel *kernel) {
    const char *line = kernel->assembly;
    uint32_t valu = 0, loads = 0;
    while (line != NULL) {
        const char *instruction = line + strspn(line, " \t");
        unsigned times = 1;
        if (sscanf(instruction, "(then repeated %u times)", &times) != 1) {
            valu = begins(instruction, "v_");
            loads = begins(instruction, "global_load_") || begins(instruction, "flat_load_");
        }
        kernel->valu += times * valu;
        kernel->loads += times * loads;
        line = strchr(instruction, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    complete = complete && kernel->valu > 0;
}

// Returns the driver's text of this name, which the caller frees; NULL if there is none.
static char *read_representation(VkDevice device, const VkPipelineExecutableInfoKHR *executable, const char *name) {
    VkPipelineExecutableInternalRepresentationKHR all[MOST_REPRESENTATIONS];
    uint32_t count = MOST_REPRESENTATIONS;
    for (uint32_t i = 0; i < count; i++) {
        all[i] = (VkPipelineExecutableInternalRepresentationKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
    }
    char *text = NULL;
    bool has_room = vkGetPipelineExecutableInternalRepresentationsKHR(device, executable, &count, all) == VK_SUCCESS;
    for (uint32_t i = 0; i < count && has_room; i++) {
        all[i].pData = calloc(1, all[i].dataSize + 1);
        has_room = all[i].pData != NULL;
    }
    if (has_room) {
        has_room = vkGetPipelineExecutableInternalRepresentationsKHR(device, executable, &count, all) == VK_SUCCESS;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (has_room && text == NULL && strcmp(all[i].name, name) == 0) {
            text = all[i].pData;
        } else {
            free(all[i].pData);
        }
    }
    return text;
}

// The library calls this with each pipeline that it has created, and with other objects that are ignored.
static VKAPI_ATTR VkResult VKAPI_CALL name_object(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info) {
    if (info->objectType == VK_OBJECT_TYPE_BUFFER) {
        emulated_name_buffer((VkBuffer)info->objectHandle, info->pObjectName);
    }
    if (info->objectType != VK_OBJECT_TYPE_PIPELINE) {
        return VK_SUCCESS;
    }
    const VkPipelineExecutableInfoKHR executable = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                                    .pipeline = (VkPipeline)info->objectHandle};
    const char *prefix = "limber ";
    kernel kernel = {.name = info->pObjectName + (begins(info->pObjectName, prefix) ? strlen(prefix) : 0),
                     .invocations = invocations};
    read_statistics(device, &executable, &kernel);
    char *assembly = read_representation(device, &executable, "Assembly");
    kernel.assembly = assembly;
    count_instructions(&kernel);
    report(&kernel);
    if (assembly != NULL) {
        emulated_add(executable.pipeline, &kernel);
    }
    free(assembly);
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
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
            ((VkPhysicalDeviceVulkan11Properties *)next)->subgroupSize = subgroup;
        }
    }
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name) {
    const PFN_vkVoidFunction emulated = emulated_function(name);
    return strcmp(name, "vkCreateComputePipelines") == 0 ? (PFN_vkVoidFunction)create_pipeline
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
    return def;
}
