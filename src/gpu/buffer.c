// Buffers of the library, each with its own memory: from the host's hooks, or else one allocation each. Kernels reach a
// device buffer by its address. What the host writes or reads is in staging buffers, which are mapped all the time and
// only copied; or in memory of the device that is mapped, where there is enough of it.
#include "gpu.h"

#include <stdio.h>
#include <string.h>

#define HOST_PROPERTIES (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
// The part of a heap that a direct buffer may take. Many heaps have 256 MiB, which the host's own uploads need too.
#define DIRECT_HEAP_DIVISOR 16u

static bool is_mapped(lmb_gpu_memory_use use) {
    return use != LMB_GPU_MEMORY_DEVICE;
}

// Returns whether kernels reach the buffer.
static bool has_address(lmb_gpu_memory_use use) {
    return use == LMB_GPU_MEMORY_DEVICE || use == LMB_GPU_MEMORY_DIRECT;
}

// Returns the first type with all desired properties, or LMB_NONE.
static uint32_t first_memory_type(const lmb_gpu *gpu, uint32_t allowed, VkMemoryPropertyFlags desired) {
    for (uint32_t i = 0; i < gpu->memory.memoryTypeCount; i++) {
        if ((allowed >> i & 1u) && (gpu->memory.memoryTypes[i].propertyFlags & desired) == desired) {
            return i;
        }
    }
    return LMB_NONE;
}

// Returns a type of device memory that the host can write and that has a heap with room to spare, or LMB_NONE.
static uint32_t direct_memory_type(const lmb_gpu *gpu, const VkMemoryRequirements *needed) {
    const uint32_t type =
        first_memory_type(gpu, needed->memoryTypeBits, HOST_PROPERTIES | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    const bool fits =
        type != LMB_NONE &&
        needed->size <= gpu->memory.memoryHeaps[gpu->memory.memoryTypes[type].heapIndex].size / DIRECT_HEAP_DIVISOR;
    return fits ? type : LMB_NONE;
}

static uint32_t memory_type(const lmb_gpu *gpu, const VkMemoryRequirements *needed, lmb_gpu_memory_use use) {
    const uint32_t allowed = needed->memoryTypeBits;
    uint32_t type;
    switch (use) {
    case LMB_GPU_MEMORY_DEVICE:
        return first_memory_type(gpu, allowed, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    case LMB_GPU_MEMORY_DIRECT:
        return direct_memory_type(gpu, needed);
    case LMB_GPU_MEMORY_READBACK:
        type = first_memory_type(gpu, allowed, HOST_PROPERTIES | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
        return type != LMB_NONE ? type : first_memory_type(gpu, allowed, HOST_PROPERTIES);
    case LMB_GPU_MEMORY_UPLOAD:
        break;
    }
    return first_memory_type(gpu, allowed, HOST_PROPERTIES);
}

static lmb_result allocate_memory(lmb_gpu *gpu, const VkMemoryRequirements *needed, lmb_gpu_memory_use use,
                                  lmb_gpu_memory *memory, lmb_error *error) {
    *memory = (lmb_gpu_memory){0};
    if (gpu->hooks.allocate != NULL) {
        VkResult result = gpu->hooks.allocate(gpu->hooks.user, needed, use, memory);
        return result == VK_SUCCESS ? LMB_OK : lmb_gpu_fail(error, "the host's memory hook", result);
    }
    const uint32_t type = memory_type(gpu, needed, use);
    if (type == LMB_NONE) {
        return lmb_fail(error, LMB_ERROR_DEVICE, "gpu: the device has no %s memory for buffers",
                        is_mapped(use) ? "host visible" : "device local");
    }
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = &flags,
                                 .allocationSize = needed->size,
                                 .memoryTypeIndex = type};
    VkResult result = gpu->vk.AllocateMemory(gpu->device, &info, gpu->allocator, &memory->memory);
    if (result != VK_SUCCESS) {
        return lmb_gpu_fail(error, "vkAllocateMemory", result);
    }
    if (is_mapped(use)) {
        result = gpu->vk.MapMemory(gpu->device, memory->memory, 0, VK_WHOLE_SIZE, 0, &memory->mapped);
        if (result != VK_SUCCESS) {
            gpu->vk.FreeMemory(gpu->device, memory->memory, gpu->allocator);
            return lmb_gpu_fail(error, "vkMapMemory", result);
        }
    }
    return LMB_OK;
}

static void release_memory(lmb_gpu *gpu, const lmb_gpu_memory *memory) {
    if (gpu->hooks.release != NULL) {
        gpu->hooks.release(gpu->hooks.user, memory);
    } else {
        gpu->vk.FreeMemory(gpu->device, memory->memory, gpu->allocator);
    }
}

static lmb_result bind_memory(lmb_gpu *gpu, lmb_gpu_memory_use use, lmb_gpu_buffer *buffer, lmb_error *error) {
    VkMemoryRequirements needed;
    gpu->vk.GetBufferMemoryRequirements(gpu->device, buffer->buffer, &needed);
    lmb_result result = allocate_memory(gpu, &needed, use, &buffer->memory, error);
    if (result != LMB_OK) {
        return result;
    }
    buffer->has_memory = true;
    if (is_mapped(use) && buffer->memory.mapped == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu: the host's memory hook gave no mapped pointer");
    }
    VkResult bound =
        gpu->vk.BindBufferMemory(gpu->device, buffer->buffer, buffer->memory.memory, buffer->memory.offset);
    return bound == VK_SUCCESS ? LMB_OK : lmb_gpu_fail(error, "vkBindBufferMemory", bound);
}

// Appends to a message for which buffer it is.
static void say_what_for(const lmb_gpu_buffer *buffer, lmb_error *error) {
    const size_t length = error != NULL ? strlen(error->message) : 0;
    if (error != NULL) {
        snprintf(error->message + length, sizeof error->message - length, ", for '%s': %llu bytes", buffer->name,
                 (unsigned long long)buffer->size);
    }
}

lmb_result lmb_gpu_buffer_create(lmb_gpu *gpu, VkDeviceSize size, lmb_gpu_memory_use use, const char *name,
                                 lmb_gpu_buffer *buffer, lmb_error *error) {
    *buffer = (lmb_gpu_buffer){.size = size, .name = name};
    VkBufferUsageFlags copies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBufferUsageFlags reached = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
    bool shared = gpu->queue_family_count > 1;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = size,
                               .usage = has_address(use) ? copies | reached : copies,
                               .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
                               .queueFamilyIndexCount = shared ? gpu->queue_family_count : 0,
                               .pQueueFamilyIndices = gpu->queue_families};
    VkResult created = gpu->vk.CreateBuffer(gpu->device, &info, gpu->allocator, &buffer->buffer);
    if (created != VK_SUCCESS) {
        *buffer = (lmb_gpu_buffer){0};
        return lmb_gpu_fail(error, "vkCreateBuffer", created);
    }
    lmb_result result = bind_memory(gpu, use, buffer, error);
    if (result != LMB_OK) {
        say_what_for(buffer, error);
        lmb_gpu_buffer_destroy(gpu, buffer);
        return result;
    }
    if (has_address(use)) {
        VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                             .buffer = buffer->buffer};
        buffer->address = gpu->vk.GetBufferDeviceAddress(gpu->device, &address);
    }
    lmb_gpu_name(gpu, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->buffer, name);
    return LMB_OK;
}

void lmb_gpu_make(lmb_gpu_maker *maker, VkDeviceSize size, lmb_gpu_memory_use use, const char *name,
                  lmb_gpu_buffer *buffer) {
    if (maker->result == LMB_OK && size > 0) {
        maker->result = lmb_gpu_buffer_create(maker->gpu, size, use, name, buffer, maker->error);
    }
}

lmb_gpu_span lmb_gpu_span_of(const lmb_gpu_buffer *buffer, uint32_t first_character, uint32_t character_count) {
    return (lmb_gpu_span){.buffer = buffer->buffer,
                          .size = buffer->size,
                          .address = buffer->address,
                          .first_character = first_character,
                          .character_count = character_count};
}

void lmb_gpu_buffer_destroy(lmb_gpu *gpu, lmb_gpu_buffer *buffer) {
    gpu->vk.DestroyBuffer(gpu->device, buffer->buffer, gpu->allocator);
    if (buffer->has_memory) {
        release_memory(gpu, &buffer->memory);
    }
    *buffer = (lmb_gpu_buffer){0};
}

void lmb_gpu_buffer_destroy_visited(void *user, lmb_gpu_buffer *buffer) {
    lmb_gpu_buffer_destroy(user, buffer);
}
