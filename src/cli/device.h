// A Vulkan device through volk, for the command, the samples, the bench and the tests. The library itself takes
// whatever device its host has.
#ifndef LIMBER_SRC_CLI_DEVICE_H
#define LIMBER_SRC_CLI_DEVICE_H

#include <volk.h>

#include "pipeline_cache.h"

#include <limber/gpu.h>

#define DEVICE_MAX 16

typedef struct device_request {
    const char *name; // part of the device's name, any case, or its index in the list; NULL takes the best
    bool validation;  // with the Khronos layer and synchronization validation; an error where it is not installed
    const char *const *instance_extensions; // beside what is used anyway: a window's surface extensions
    uint32_t instance_extension_count;
    bool swapchain; // enable VK_KHR_swapchain where the device has it
    // Enable VK_KHR_pipeline_executable_properties; an error where the device lacks it.
    bool executable_properties;
} device_request;

typedef struct device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkDevice device; // VK_NULL_HANDLE after device_open_instance
    VkQueue queue;   // compute, graphics where the device has both in one family, transfer
    uint32_t queue_family;
    // What is made twice is compiled once: read from the driver's file (pipeline_cache.h), and written back on closing.
    VkPipelineCache pipeline_cache;
    char cache_path[PIPELINE_CACHE_PATH]; // empty where there is no file
    size_t cache_size;                    // bytes of the driver's data that were read
    bool graphics;                        // the family has graphics
    bool swapchain;                       // VK_KHR_swapchain is enabled
    bool debug_utils;                     // VK_EXT_debug_utils is enabled
    VkDebugUtilsMessengerEXT messenger;
    // Validation messages of warning severity or worse, counted by the messenger; they go to stderr too.
    uint32_t *validation_messages;
} device;

// The instance alone, for listing. Messages name what failed.
lmb_result device_open_instance(const device_request *request, device *device, lmb_error *error);
// Physical devices in the order in which an index selects them: discrete, integrated, virtual, CPU, other.
uint32_t device_list(const device *device, VkPhysicalDevice physical[DEVICE_MAX]);
// Why a physical device can't run Limber (Vulkan version, missing feature, no compute queue), or NULL.
const char *device_lacks(VkPhysicalDevice physical);
// Picks as `request->name` says and creates the device and its queue. On failure nothing is left open.
lmb_result device_open(const device_request *request, device *device, lmb_error *error);
// Creates the logical device on an instance that is open, for a physical device that was picked.
lmb_result device_open_physical(const device_request *request, VkPhysicalDevice physical, device *device,
                                lmb_error *error);
// Closes what is open; a zeroed device is fine. Waits for the device to be idle. Returns the number of validation
// messages that there were, those about objects left behind included.
uint32_t device_close(device *device);

// An lmb_gpu_def for this device, with its queue for the probe and its pipeline cache.
lmb_gpu_def device_gpu_def(const device *device);

// A one-off command buffer: begin, record, then submit and wait. For tools and tests, never for a frame.
lmb_result device_begin(device *device, VkCommandPool *pool, VkCommandBuffer *commands, lmb_error *error);
lmb_result device_submit_and_wait(device *device, VkCommandPool pool, VkCommandBuffer commands, lmb_error *error);

// A buffer with memory of its own, mapped where `host` is set. With a device address where usage asks for one.
typedef struct device_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size;
    void *mapped;
    VkDeviceAddress address;
} device_buffer;

lmb_result device_buffer_create(device *device, VkDeviceSize size, VkBufferUsageFlags usage, bool host,
                                device_buffer *buffer, lmb_error *error);
void device_buffer_destroy(device *device, device_buffer *buffer);

// Copies a span to `bytes`, span->size of them: records, submits, waits.
lmb_result device_read_span(device *device, const lmb_gpu_span *span, void *bytes, lmb_error *error);

// Copies `bytes` to a span, the other way.
lmb_result device_write_span(device *device, const lmb_gpu_span *span, const void *bytes, lmb_error *error);

// Copies what inertialization keeps of a batch's characters, uint32_t [C][lmb_graph_inertia_words()]: nothing where it keeps
// nothing.
lmb_result device_read_inertia(device *device, const lmb_gpu_batch *batch, uint32_t *inertia, lmb_error *error);
// The other way. A frame must have been submitted before: the first one zeroes it.
lmb_result device_write_inertia(device *device, const lmb_gpu_batch *batch, const uint32_t *inertia, lmb_error *error);

// Copies spans of a batch's output into `floats` (the whole batch, as batch.h lays it out): records, submits, waits.
lmb_result device_read_stage(device *device, const lmb_gpu_batch *batch, uint32_t frame, lmb_stage stage, float *floats,
                             lmb_error *error);

#endif
