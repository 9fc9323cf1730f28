// Frames on a Vulkan device. See device.h, and samples/hello.c for the parts that every host has.
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include "device.h"

#include <limber/gpu.h>
#include <stdlib.h>
#include <string.h>

// What is copied to the device and back, each a part of one buffer that the host has mapped.
typedef enum buffer_part { STATES, INERTIA, REACHED, EMITTED, PALETTES, POINTS, TRANSFORMS, PART_COUNT } buffer_part;

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

// The buffer that the host has mapped: kernels read points and transforms there, and copies the rest.
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
    if (result == LMB_OK) {
        result = lmb_gpu_batch_create(d->gpu, &batch, &d->batch, error);
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

// Records copies between a part of the mapped buffer and where the batch has it, which may be several spans.
static void copy_part(const gpu_device *d, buffer_part part, bool to_device) {
    const uint32_t spans = part == INERTIA || part == PALETTES ? lmb_gpu_batch_span_count(d->batch) : 1;
    for (uint32_t i = 0; i < spans; i++) {
        lmb_gpu_span span = {0};
        switch (part) {
        case STATES:
            span = lmb_gpu_batch_state(d->batch);
            break;
        case INERTIA:
            lmb_gpu_batch_inertia(d->batch, i, &span);
            break;
        case REACHED:
            span = lmb_gpu_batch_reached(d->batch);
            break;
        case EMITTED:
            span = lmb_gpu_batch_emitted(d->batch, 0);
            break;
        default:
            lmb_gpu_batch_output(d->batch, 0, LMB_OUTPUT_PALETTE, i, &span);
        }
        const VkDeviceSize here = d->offsets[part] + (VkDeviceSize)span.first_character * d->row_bytes[part];
        const VkBufferCopy copy = {.srcOffset = to_device ? here : span.offset,
                                   .dstOffset = to_device ? span.offset : here,
                                   .size = (VkDeviceSize)span.character_count * d->row_bytes[part]};
        if (copy.size > 0) {
            vkCmdCopyBuffer(d->commands, to_device ? d->buffer : span.buffer, to_device ? span.buffer : d->buffer, 1,
                            &copy);
        }
    }
}

static void barrier(const gpu_device *d, VkPipelineStageFlags to, VkAccessFlags access) {
    const VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .dstAccessMask = access};
    vkCmdPipelineBarrier(d->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, to, 0, 1, &memory, 0, NULL, 0, NULL);
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

// The first frame zeroes what a batch keeps, so nothing can be copied there before it.
static lmb_result run_first_frame(gpu_device *d, lmb_error *error) {
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.commands = d->commands;
    float *parameters = lmb_gpu_batch_parameters(d->batch, 0);
    for (uint32_t i = 0; i < d->characters; i++) {
        lmb_graph_defaults(d->graph, parameters + (size_t)i * lmb_graph_parameter_count(d->graph));
    }
    memset(d->mapped, 0, d->offsets[PART_COUNT]);
    lmb_result result = begin(d, error);
    result = result == LMB_OK ? lmb_gpu_graph_record_upload(d->gpu_graph, d->commands, error) : result;
    result = result == LMB_OK ? lmb_gpu_batch_record(d->batch, &info, error) : result;
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
    d->row_bytes[STATES] = lmb_control_state_words(lmb_graph_control(graph)) * sizeof(uint32_t);
    d->row_bytes[INERTIA] = lmb_graph_inertia_words(graph) * sizeof(uint32_t);
    d->row_bytes[REACHED] = lmb_graph_reached_count(graph) * sizeof(uint32_t);
    d->row_bytes[EMITTED] = lmb_control_emitted_words(lmb_graph_control(graph)) * sizeof(uint32_t);
    d->row_bytes[PALETTES] = lmb_graph_joint_count(graph) * LMB_MATRIX_COMPONENTS * sizeof(float);
    d->row_bytes[POINTS] = lmb_graph_point_count(graph) * 4 * sizeof(float);
    d->row_bytes[TRANSFORMS] = LMB_MATRIX_COMPONENTS * sizeof(float);
    lmb_result made = open_instance(d, error);
    made = made == LMB_OK ? open_device(d, error) : made;
    made = made == LMB_OK ? create_buffer(d, error) : made;
    made = made == LMB_OK ? create_batch(d, error) : made;
    made = made == LMB_OK ? run_first_frame(d, error) : made;
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
    free(d);
}

lmb_result gpu_device_run(void *context, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                          lmb_error *error) {
    gpu_device *d = context;
    const lmb_control_frame *frame = inputs->control;
    const uint32_t count = frame->character_count; // the other rows of the batch run as well, and are not looked at
    const void *const from[PART_COUNT] = {[STATES] = frame->state,
                                          [INERTIA] = outputs->inertia,
                                          [REACHED] = outputs->reached,
                                          [POINTS] = inputs->points,
                                          [TRANSFORMS] = inputs->transforms};
    for (uint32_t part = 0; part < PART_COUNT; part++) {
        if (from[part] != NULL) {
            memcpy(d->mapped + d->offsets[part], from[part], count * d->row_bytes[part]);
        }
    }
    memcpy(lmb_gpu_batch_parameters(d->batch, 0), frame->parameters,
           count * lmb_graph_parameter_count(d->graph) * sizeof(float));
    lmb_result result = begin(d, error);
    for (uint32_t i = 0; result == LMB_OK && i < frame->event_count; i++) {
        result = lmb_gpu_batch_send(d->batch, 0, frame->events[i].character, frame->events[i].event, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    copy_part(d, STATES, true);
    copy_part(d, INERTIA, true);
    copy_part(d, REACHED, true);
    barrier(d, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.commands = d->commands;
    info.step = frame->step;
    info.number = frame->number;
    result = lmb_gpu_batch_record(d->batch, &info, error); // ends with the barrier that the copies need
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t part = STATES; part <= PALETTES; part++) {
        copy_part(d, (buffer_part)part, false);
    }
    barrier(d, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    result = finish(d, error);
    void *const to[] = {frame->state, outputs->inertia, outputs->reached, frame->emitted,
                        outputs->buffers[LMB_OUTPUT_PALETTE]};
    for (uint32_t part = STATES; part <= PALETTES; part++) {
        memcpy(to[part], d->mapped + d->offsets[part], count * d->row_bytes[part]);
    }
    return result;
}
