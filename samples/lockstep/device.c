// Frames on a Vulkan device. See device.h, and samples/hello.c for the parts that every host has.
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include "device.h"

#include <limber/gpu_readback.h>
#include <stdlib.h>
#include <string.h>

// What a buffer has that the host has mapped: points and transforms for kernels, palettes for the hash.
typedef enum buffer_part { PALETTES, POINTS, TRANSFORMS, PART_COUNT } buffer_part;

struct gpu_device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkBuffer buffer;
    VkDeviceMemory memory;
    char *mapped;
    VkDeviceSize offsets[PART_COUNT + 1]; // in the buffer
    size_t row_bytes[PART_COUNT];
    uint32_t characters;
    const lmb_graph *graph;
    lmb_gpu *gpu;
    lmb_gpu_graph *gpu_graph;
    lmb_gpu_batch *batch;
    lmb_gpu_readback *readback;
    unsigned char *snapshot; // what the next frame continues from
};

static lmb_result check(VkResult result, const char *call, lmb_error *error) {
    if (result == VK_SUCCESS) {
        return LMB_OK;
    }
    snprintf(error->message, sizeof error->message, "%s failed (%d)", call, result);
    return LMB_ERROR_VULKAN;
}

// ---- A device with a queue. A game has these already.

static lmb_result open_instance(gpu_device *d, lmb_error *error) {
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    lmb_result result = check(volkInitialize(), "volkInitialize", error);
    if (result == LMB_OK) {
        result = check(vkCreateInstance(&info, NULL, &d->instance), "vkCreateInstance", error);
    }
    if (result != LMB_OK) {
        return result;
    }
    volkLoadInstance(d->instance);
    uint32_t count = 1;
    vkEnumeratePhysicalDevices(d->instance, &count, &d->physical);
    return check(count == 1 ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED, "vkEnumeratePhysicalDevices", error);
}

static lmb_result open_device(gpu_device *d, lmb_error *error) {
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(d->physical, &count, families);
    while (d->queue_family < count && (families[d->queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) {
        d->queue_family++;
    }
    const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                .queueFamilyIndex = d->queue_family,
                                                .queueCount = 1,
                                                .pQueuePriorities = (const float[]){1.0f}};
    const VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                       .scalarBlockLayout = VK_TRUE,
                                                       .bufferDeviceAddress = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue_info};
    lmb_result result = check(vkCreateDevice(d->physical, &info, NULL, &d->device), "vkCreateDevice", error);
    if (result != LMB_OK) {
        return result;
    }
    volkLoadDevice(d->device);
    vkGetDeviceQueue(d->device, d->queue_family, 0, &d->queue);
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                               .queueFamilyIndex = d->queue_family};
    result = check(vkCreateCommandPool(d->device, &pool_info, NULL, &d->pool), "vkCreateCommandPool", error);
    const VkCommandBufferAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = d->pool, .commandBufferCount = 1};
    return result != LMB_OK ? result
                            : check(vkAllocateCommandBuffers(d->device, &allocation, &d->commands),
                                    "vkAllocateCommandBuffers", error);
}

// The buffer that the host has mapped.
static lmb_result create_buffer(gpu_device *d, lmb_error *error) {
    for (uint32_t part = 0; part < PART_COUNT; part++) {
        const VkDeviceSize size = (VkDeviceSize)d->row_bytes[part] * d->characters;
        d->offsets[part + 1] = d->offsets[part] + (size + 255) / 256 * 256;
    }
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = d->offsets[PART_COUNT],
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                              VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                              VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    lmb_result result = check(vkCreateBuffer(d->device, &info, NULL, &d->buffer), "vkCreateBuffer", error);
    if (result != LMB_OK) {
        return result;
    }
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(d->device, d->buffer, &needs);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(d->physical, &memory);
    const VkMemoryPropertyFlags flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while ((needs.memoryTypeBits & (1u << type)) == 0 || (memory.memoryTypes[type].propertyFlags & flags) != flags) {
        type++; // Vulkan guarantees one
    }
    const VkMemoryAllocateFlagsInfo address = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                               .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                             .pNext = &address,
                                             .allocationSize = needs.size,
                                             .memoryTypeIndex = type};
    void *mapped = NULL;
    VkResult made = vkAllocateMemory(d->device, &allocation, NULL, &d->memory);
    made = made == VK_SUCCESS ? vkBindBufferMemory(d->device, d->buffer, d->memory, 0) : made;
    made = made == VK_SUCCESS ? vkMapMemory(d->device, d->memory, 0, VK_WHOLE_SIZE, 0, &mapped) : made;
    d->mapped = mapped;
    return check(made, "vkAllocateMemory", error);
}

// ---- The batch.

static lmb_result create_batch(gpu_device *d, lmb_error *error) {
    lmb_gpu_def def = lmb_default_gpu_def();
    def.get_instance_proc_addr = vkGetInstanceProcAddr;
    def.instance = d->instance;
    def.physical_device = d->physical;
    def.device = d->device;
    def.probe_queue = d->queue; // checks that the device gives the same bits
    def.probe_queue_family = d->queue_family;
    lmb_result result = lmb_gpu_create(&def, NULL, &d->gpu, error);
    if (result == LMB_OK) {
        result = lmb_gpu_graph_create(d->gpu, d->graph, &d->gpu_graph, error);
    }
    lmb_gpu_batch_def batch = lmb_default_gpu_batch_def();
    batch.graph = d->gpu_graph;
    batch.character_count = d->characters;
    batch.slot_count = 1;
    batch.events_a_frame = 4 * d->characters;
    batch.emits_events = true;
    batch.restored_a_frame = batch.changes_a_frame = d->characters;
    if (result == LMB_OK) {
        result = lmb_gpu_batch_create(d->gpu, &batch, &d->batch, error);
    }
    lmb_gpu_readback_def readback = lmb_default_gpu_readback_def();
    readback.batch = d->batch;
    readback.contents = LMB_READBACK_STATES_BIT | LMB_READBACK_EMITTED_BIT |
                        (lmb_graph_get_info(d->graph)->inertia_words > 0 ? LMB_READBACK_INERTIA_BIT : 0) |
                        (lmb_graph_get_info(d->graph)->reached_count > 0 ? LMB_READBACK_REACHED_BIT : 0);
    if (result == LMB_OK) {
        result = lmb_gpu_readback_create(d->gpu, &readback, &d->readback, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = d->buffer};
    const VkDeviceAddress address = vkGetBufferDeviceAddress(d->device, &info);
    result = lmb_gpu_batch_bind_points(d->batch, 0, address + d->offsets[POINTS], error);
    return result != LMB_OK ? result
                            : lmb_gpu_batch_bind_transforms(d->batch, 0, address + d->offsets[TRANSFORMS], error);
}

// Records copies of the palettes to the mapped buffer.
static void copy_palettes(const gpu_device *d) {
    for (uint32_t i = 0; i < lmb_gpu_batch_span_count(d->batch); i++) {
        lmb_gpu_span span;
        lmb_gpu_batch_output(d->batch, 0, LMB_OUTPUT_PALETTE, i, &span);
        const VkBufferCopy copy = {.srcOffset = span.offset,
                                   .dstOffset = d->offsets[PALETTES] +
                                                (VkDeviceSize)span.first_character * d->row_bytes[PALETTES],
                                   .size = span.size};
        vkCmdCopyBuffer(d->commands, span.buffer, d->buffer, 1, &copy);
    }
    const VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(d->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0,
                         NULL, 0, NULL);
}

static lmb_result begin(const gpu_device *d, lmb_error *error) {
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    return check(vkBeginCommandBuffer(d->commands, &info), "vkBeginCommandBuffer", error);
}

// Submits, and waits. A renderer waits for a fence instead, frames later.
static lmb_result finish(const gpu_device *d, lmb_error *error) {
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &d->commands};
    VkResult result = vkEndCommandBuffer(d->commands);
    result = result == VK_SUCCESS ? vkQueueSubmit(d->queue, 1, &submit, VK_NULL_HANDLE) : result;
    return check(result == VK_SUCCESS ? vkQueueWaitIdle(d->queue) : result, "vkQueueSubmit", error);
}

static lmb_result upload_graph(const gpu_device *d, lmb_error *error) {
    lmb_result result = begin(d, error);
    result = result == LMB_OK ? lmb_gpu_graph_record_upload(d->gpu_graph, d->commands, error) : result;
    result = result == LMB_OK ? finish(d, error) : result;
    return result == LMB_OK ? lmb_gpu_graph_uploaded(d->gpu_graph, error) : result;
}

lmb_result gpu_device_create(const lmb_graph *graph, uint32_t characters, gpu_device **result, lmb_error *error) {
    gpu_device *d = calloc(1, sizeof *d);
    *result = d;
    if (d == NULL) {
        return no_memory(error);
    }
    d->graph = graph;
    d->characters = characters;
    d->snapshot = malloc(lmb_snapshot_size(graph, characters));
    d->row_bytes[PALETTES] = lmb_graph_get_info(graph)->joint_count * LMB_MATRIX_COMPONENTS * sizeof(float);
    d->row_bytes[POINTS] = lmb_graph_get_info(graph)->point_count * 4 * sizeof(float);
    d->row_bytes[TRANSFORMS] = LMB_MATRIX_COMPONENTS * sizeof(float);
    lmb_result made = d->snapshot != NULL ? open_instance(d, error) : no_memory(error);
    made = made == LMB_OK ? open_device(d, error) : made;
    made = made == LMB_OK ? create_buffer(d, error) : made;
    made = made == LMB_OK ? create_batch(d, error) : made;
    made = made == LMB_OK ? upload_graph(d, error) : made;
    if (made != LMB_OK) {
        gpu_device_destroy(d);
        *result = NULL;
    }
    return made;
}

void gpu_device_destroy(gpu_device *d) {
    if (d == NULL) {
        return;
    }
    lmb_gpu_readback_destroy(d->readback);
    lmb_gpu_batch_destroy(d->batch);
    lmb_gpu_graph_destroy(d->gpu_graph);
    lmb_gpu_destroy(d->gpu);
    if (d->device != VK_NULL_HANDLE) {
        vkDestroyBuffer(d->device, d->buffer, NULL);
        vkFreeMemory(d->device, d->memory, NULL);
        vkDestroyCommandPool(d->device, d->pool, NULL);
        vkDestroyDevice(d->device, NULL);
    }
    if (d->instance != VK_NULL_HANDLE) {
        vkDestroyInstance(d->instance, NULL);
    }
    free(d->snapshot);
    free(d);
}

// Takes over what a frame gave.
static void read_back(const gpu_device *d, const lmb_control_frame *frame, const lmb_batch_outputs *outputs) {
    lmb_gpu_readback_frame got = {0};
    const size_t count = frame->character_count, word = sizeof(uint32_t);
    lmb_gpu_readback_next(d->readback, &got);
    memcpy(frame->state, got.states, count * lmb_graph_get_info(d->graph)->state_words * word);
    memcpy(frame->emitted, got.emitted, count * lmb_graph_get_info(d->graph)->emitted_words * word);
    if (got.inertia != NULL) {
        memcpy(outputs->inertia, got.inertia, count * lmb_graph_get_info(d->graph)->inertia_words * word);
    }
    if (got.reached != NULL) {
        memcpy(outputs->reached, got.reached, count * lmb_graph_get_info(d->graph)->reached_count * word);
    }
    memcpy(outputs->buffers[LMB_OUTPUT_PALETTE], d->mapped + d->offsets[PALETTES], count * d->row_bytes[PALETTES]);
}

// Gives the batch what the frame continues from, and its input.
static lmb_result write_input(const gpu_device *d, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                              lmb_error *error) {
    const lmb_control_frame *frame = inputs->control;
    const uint32_t count = frame->character_count;
    const lmb_character_words words = {.states = frame->state,
                                       .inertia = outputs->inertia,
                                       .reached = outputs->reached,
                                       .row_count = count,
                                       .count = count};
    const size_t size = lmb_snapshot_size(d->graph, count);
    lmb_result result = lmb_snapshot_save(d->graph, &words, frame->number, d->snapshot, size, error);
    if (result == LMB_OK) {
        result = lmb_gpu_batch_restore(d->batch, 0, d->snapshot, size, NULL, error);
    }
    for (uint32_t i = 0; result == LMB_OK && i < frame->event_count; i++) {
        result = lmb_gpu_batch_send(d->batch, 0, frame->events[i].character, frame->events[i].event, error);
    }
    memcpy(lmb_gpu_batch_parameters(d->batch, 0), frame->parameters,
           count * lmb_graph_get_info(d->graph)->parameter_count * sizeof(float));
    if (inputs->points != NULL) {
        memcpy(d->mapped + d->offsets[POINTS], inputs->points, count * d->row_bytes[POINTS]);
    }
    if (inputs->transforms != NULL) {
        memcpy(d->mapped + d->offsets[TRANSFORMS], inputs->transforms, count * d->row_bytes[TRANSFORMS]);
    }
    return result;
}

lmb_result gpu_device_run(void *context, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                          lmb_error *error) {
    const gpu_device *d = context;
    const lmb_control_frame *frame = inputs->control;
    if (frame->character_count == 0) {
        return LMB_OK; // to the batch, 0 is all
    }
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.commands = d->commands;
    info.step = frame->step;
    info.number = frame->number;
    info.character_count = frame->character_count;
    lmb_result result = write_input(d, inputs, outputs, error);
    result = result == LMB_OK ? begin(d, error) : result;
    result = result == LMB_OK ? lmb_gpu_batch_record(d->batch, &info, error) : result;
    result = result == LMB_OK ? lmb_gpu_readback_record(d->readback, 0, d->commands, error) : result;
    if (result != LMB_OK) {
        return result;
    }
    copy_palettes(d);
    result = finish(d, error);
    result = result == LMB_OK ? lmb_gpu_readback_completed(d->readback, 0, error) : result;
    if (result == LMB_OK) {
        read_back(d, frame, outputs);
    }
    return result;
}
