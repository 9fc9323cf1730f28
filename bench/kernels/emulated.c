// Vulkan functions of a device in host memory.
#include "emulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 64, ALIGNMENT = 256 };

typedef struct emulated_buffer {
    struct emulated_buffer *next;
    VkDeviceSize size;
    unsigned char *bytes; // set when memory is bound
    bool is_shared;
} emulated_buffer;

typedef struct emulated_pipeline {
    struct emulated_pipeline *next;
    VkPipeline pipeline;
    char *assembly;
    char name[MOST_NAME];
    uint32_t invocations;
    uint32_t lds_bytes;
    uint32_t push_words; // as those of rdna_dispatch
    rdna_profile profile;
} emulated_pipeline;

// Global, because Vulkan's functions have no argument for user data.
static emulated_buffer *buffers;
static emulated_pipeline *pipelines;
static VkPipeline bound;
static unsigned char push_constants[RDNA_PUSH_BYTES];
static rdna_counts counts;
static bool profiles;
static lmb_error first_error;

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkBuffer *buffer) {
    (void)device, (void)allocator;
    emulated_buffer *created = malloc(sizeof *created);
    if (created == NULL) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    *created = (emulated_buffer){.next = buffers, .size = info->size};
    buffers = created;
    *buffer = (VkBuffer)created;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_buffer(VkDevice device, VkBuffer buffer,
                                                 const VkAllocationCallbacks *allocator) {
    (void)device, (void)allocator;
    emulated_buffer **at = &buffers;
    while (*at != NULL && *at != (emulated_buffer *)buffer) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = (*at)->next;
        free((emulated_buffer *)buffer);
    }
}

static VKAPI_ATTR void VKAPI_CALL get_requirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements *needed) {
    (void)device;
    *needed = (VkMemoryRequirements){((emulated_buffer *)buffer)->size, ALIGNMENT, 1};
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_memory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                  VkDeviceSize offset) {
    (void)device;
    ((emulated_buffer *)buffer)->bytes = (unsigned char *)memory + offset;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL get_address(VkDevice device, const VkBufferDeviceAddressInfo *info) {
    (void)device;
    return (VkDeviceAddress)((emulated_buffer *)info->buffer)->bytes;
}

// Allocates host memory filled with 0xcd, because nothing may be read before it was written. It is aligned as devices
// do, so that counts of sectors are the same in every run.
static VkResult allocate(void *user, const VkMemoryRequirements *needed, lmb_gpu_memory_use use,
                         lmb_gpu_memory *memory) {
    (void)user;
    void *bytes = aligned_alloc(ALIGNMENT, (needed->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (bytes == NULL) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    memset(bytes, 0xcd, needed->size);
    *memory = (lmb_gpu_memory){.memory = (VkDeviceMemory)bytes, .mapped = use == LMB_GPU_MEMORY_DEVICE ? NULL : bytes};
    return VK_SUCCESS;
}

static void release(void *user, const lmb_gpu_memory *memory) {
    (void)user;
    free((void *)memory->memory);
}

const lmb_gpu_memory_hooks emulated_memory = {allocate, release, NULL};

// Commands: each runs immediately.

static emulated_buffer *find_buffer(uint64_t address, uint32_t bytes) {
    for (emulated_buffer *buffer = buffers; buffer != NULL; buffer = buffer->next) {
        const uint64_t first = (uint64_t)buffer->bytes;
        if (buffer->bytes != NULL && address >= first && address + bytes <= first + buffer->size) {
            return buffer;
        }
    }
    return NULL;
}

static void *find_bytes(uint64_t address, uint32_t bytes) {
    const emulated_buffer *buffer = find_buffer(address, bytes);
    return buffer != NULL ? buffer->bytes + (address - (uint64_t)buffer->bytes) : NULL;
}

static bool is_shared(uint64_t address) {
    const emulated_buffer *buffer = find_buffer(address, 1);
    return buffer != NULL && buffer->is_shared;
}

static VKAPI_ATTR void VKAPI_CALL copy_buffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t count,
                                              const VkBufferCopy *copies) {
    (void)commands;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(((emulated_buffer *)to)->bytes + copies[i].dstOffset,
               ((emulated_buffer *)from)->bytes + copies[i].srcOffset, copies[i].size);
    }
}

static VKAPI_ATTR void VKAPI_CALL update_buffer(VkCommandBuffer commands, VkBuffer to, VkDeviceSize offset,
                                                VkDeviceSize size, const void *data) {
    (void)commands;
    memcpy(((emulated_buffer *)to)->bytes + offset, data, size);
}

static VKAPI_ATTR void VKAPI_CALL fill_buffer(VkCommandBuffer commands, VkBuffer to, VkDeviceSize offset,
                                              VkDeviceSize size, uint32_t word) {
    (void)commands;
    for (VkDeviceSize at = offset; at + sizeof word <= offset + size; at += sizeof word) {
        memcpy(((emulated_buffer *)to)->bytes + at, &word, sizeof word);
    }
}

static VKAPI_ATTR void VKAPI_CALL bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                VkPipeline pipeline) {
    (void)commands, (void)point;
    bound = pipeline;
}

static VKAPI_ATTR void VKAPI_CALL push(VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages,
                                       uint32_t offset, uint32_t size, const void *values) {
    (void)commands, (void)layout, (void)stages;
    memcpy(push_constants + offset, values, size);
}

static lmb_result run_pipeline(emulated_pipeline *pipeline, uint32_t x, uint32_t y, lmb_error *error) {
    rdna_dispatch dispatch = {.groups = {x, y},
                              .invocations = pipeline->invocations,
                              .lds_bytes = pipeline->lds_bytes,
                              .push_words = pipeline->push_words,
                              .memory = find_bytes,
                              .is_shared = is_shared,
                              .profile = profiles ? &pipeline->profile : NULL};
    memcpy(dispatch.push, push_constants, sizeof push_constants);
    rdna_kernel *kernel;
    lmb_result result = rdna_read(pipeline->assembly, &kernel, error);
    if (result == LMB_OK) {
        result = rdna_run(kernel, &dispatch, &counts, error);
        rdna_destroy(kernel);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
    (void)commands, (void)z;
    emulated_pipeline *pipeline = pipelines;
    while (pipeline != NULL && pipeline->pipeline != bound) {
        pipeline = pipeline->next;
    }
    if (first_error.result == LMB_OK && pipeline == NULL) {
        first_error = (lmb_error){.result = LMB_ERROR_MEMORY, .message = "the pipeline was not kept"};
    } else if (first_error.result == LMB_OK) {
        first_error.result = run_pipeline(pipeline, x, y, &first_error);
    }
}

static VKAPI_ATTR void VKAPI_CALL dispatch_indirect(VkCommandBuffer commands, VkBuffer arguments, VkDeviceSize offset) {
    VkDispatchIndirectCommand groups;
    memcpy(&groups, ((emulated_buffer *)arguments)->bytes + offset, sizeof groups);
    dispatch(commands, groups.x, groups.y, groups.z);
}

static VKAPI_ATTR void VKAPI_CALL barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
                                          VkDependencyFlags flags, uint32_t memory_count, const VkMemoryBarrier *memory,
                                          uint32_t buffer_count, const VkBufferMemoryBarrier *buffer_barriers,
                                          uint32_t image_count, const VkImageMemoryBarrier *images) {
    (void)commands, (void)from, (void)to, (void)flags, (void)memory_count, (void)memory, (void)buffer_count;
    (void)buffer_barriers, (void)image_count, (void)images;
}

static VKAPI_ATTR void VKAPI_CALL begin_label(VkCommandBuffer commands, const VkDebugUtilsLabelEXT *label) {
    (void)commands, (void)label;
}

static VKAPI_ATTR void VKAPI_CALL end_label(VkCommandBuffer commands) {
    (void)commands;
}

PFN_vkVoidFunction emulated_function(const char *name) {
    const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } functions[] = {{"vkCreateBuffer", (PFN_vkVoidFunction)create_buffer},
                     {"vkDestroyBuffer", (PFN_vkVoidFunction)destroy_buffer},
                     {"vkGetBufferMemoryRequirements", (PFN_vkVoidFunction)get_requirements},
                     {"vkBindBufferMemory", (PFN_vkVoidFunction)bind_memory},
                     {"vkGetBufferDeviceAddress", (PFN_vkVoidFunction)get_address},
                     {"vkCmdCopyBuffer", (PFN_vkVoidFunction)copy_buffer},
                     {"vkCmdUpdateBuffer", (PFN_vkVoidFunction)update_buffer},
                     {"vkCmdFillBuffer", (PFN_vkVoidFunction)fill_buffer},
                     {"vkCmdBindPipeline", (PFN_vkVoidFunction)bind_pipeline},
                     {"vkCmdPushConstants", (PFN_vkVoidFunction)push},
                     {"vkCmdDispatch", (PFN_vkVoidFunction)dispatch},
                     {"vkCmdDispatchIndirect", (PFN_vkVoidFunction)dispatch_indirect},
                     {"vkCmdPipelineBarrier", (PFN_vkVoidFunction)barrier},
                     {"vkCmdBeginDebugUtilsLabelEXT", (PFN_vkVoidFunction)begin_label},
                     {"vkCmdEndDebugUtilsLabelEXT", (PFN_vkVoidFunction)end_label}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(name, functions[i].name) == 0) {
            return functions[i].function;
        }
    }
    return NULL;
}

VkCommandBuffer emulated_commands(void) {
    return (VkCommandBuffer)&buffers;
}

// Two kernels read so few push constants that all are in registers: lmb_list_push and lmb_match_push (src/gpu/push.h),
// without the padding.
static uint32_t find_push_words(const char *kernel) {
    return strcmp(kernel, "list") == 0 ? 13 : strcmp(kernel, "match") == 0 ? 7 : 0;
}

void emulated_add(VkPipeline pipeline, const kernel *kernel) {
    emulated_pipeline *added = malloc(sizeof *added);
    const size_t size = strlen(kernel->assembly) + 1;
    char *assembly = malloc(size);
    if (added == NULL || assembly == NULL) {
        free(added);
        free(assembly);
        return;
    }
    *added = (emulated_pipeline){.next = pipelines,
                                 .pipeline = pipeline,
                                 .assembly = memcpy(assembly, kernel->assembly, size),
                                 .invocations = strcmp(kernel->name, "list") == 0 ? 1 : kernel->invocations,
                                 .lds_bytes = kernel->figures[KERNEL_SHARED_BYTES],
                                 .push_words = find_push_words(kernel->name)};
    snprintf(added->name, sizeof added->name, "%s", kernel->name);
    pipelines = added;
}

void emulated_remove(VkPipeline pipeline) {
    emulated_pipeline **at = &pipelines;
    while (*at != NULL && (*at)->pipeline != pipeline) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        emulated_pipeline *removed = *at;
        *at = removed->next;
        free(removed->assembly);
        free(removed);
    }
}

VkDeviceAddress emulated_show(void *bytes, size_t size) {
    const VkBufferCreateInfo info = {.size = size};
    VkBuffer buffer;
    if (create_buffer(VK_NULL_HANDLE, &info, NULL, &buffer) != VK_SUCCESS) {
        return 0;
    }
    ((emulated_buffer *)buffer)->bytes = bytes;
    return (VkDeviceAddress)bytes;
}

void emulated_hide(const void *bytes) {
    for (emulated_buffer *buffer = buffers; buffer != NULL; buffer = buffer->next) {
        if (buffer->bytes == bytes) {
            destroy_buffer(VK_NULL_HANDLE, (VkBuffer)buffer, NULL);
            return;
        }
    }
}

void emulated_name_buffer(VkBuffer buffer, const char *name) {
    ((emulated_buffer *)buffer)->is_shared = strcmp(name, "limber graph") == 0 || strcmp(name, "limber control") == 0;
}

void emulated_profile_kernels(void) {
    profiles = true;
}

rdna_counts emulated_take_counts(void) {
    const rdna_counts taken = counts;
    counts = (rdna_counts){0};
    return taken;
}

void emulated_clear_profiles(void) {
    for (emulated_pipeline *pipeline = pipelines; pipeline != NULL; pipeline = pipeline->next) {
        pipeline->profile = (rdna_profile){0};
    }
}

const rdna_profile *emulated_profile(const char *kernel) {
    for (const emulated_pipeline *pipeline = pipelines; pipeline != NULL; pipeline = pipeline->next) {
        if (pipeline->profile.groups > 0 && strcmp(pipeline->name, kernel) == 0) {
            return &pipeline->profile;
        }
    }
    return NULL;
}

lmb_result emulated_result(lmb_error *error) {
    *error = first_error;
    return first_error.result;
}
