// A Vulkan device opened with volk, for the command, the samples, the bench and the tests. The library itself uses the
// device of its host.
#ifndef LIMBER_SRC_TOOLS_DEVICE_H
#define LIMBER_SRC_TOOLS_DEVICE_H

#include <volk.h>

#include "pipeline_cache.h"

#include <limber/gpu.h>

#define DEVICE_MAX 16

typedef struct device_request {
    const char *name; // part of the device's name, any case, or its index in the list; NULL picks the best
    bool validation;  // with the Khronos layer and synchronization validation; an error if it is not installed
    const char *const *instance_extensions; // in addition to those always used: a window's surface extensions
    uint32_t instance_extension_count;
    bool swapchain; // enable VK_KHR_swapchain if the device has it
    // Enable VK_KHR_pipeline_executable_properties; an error if the device lacks it.
    bool executable_properties;
    bool vulkan_1_1; // the instance is of Vulkan 1.1, and the device has the extensions that Limber then needs
} device_request;

typedef struct device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkDevice device; // VK_NULL_HANDLE after device_open_instance
    VkQueue queue;   // compute and transfer, and graphics if the device has a family with both
    uint32_t queue_family;
    // Pipelines that were compiled before are not compiled again. The cache is read from the driver's file
    // (pipeline_cache.h) and written back on closing.
    VkPipelineCache pipeline_cache;
    char cache_path[PIPELINE_CACHE_PATH]; // empty if there is no file
    size_t cache_size;                    // bytes of the driver's data that were read
    bool graphics;                        // the family has graphics
    bool swapchain;                       // VK_KHR_swapchain is enabled
    bool debug_utils;                     // VK_EXT_debug_utils is enabled
    bool vulkan_1_1;                      // as requested
    VkDebugUtilsMessengerEXT messenger;
    // Counts validation messages of warning severity or worse. The messages are also printed on stderr.
    uint32_t *validation_messages;
} device;

// Opens only the instance, for listing. Error messages name what failed.
lmb_result device_open_instance(const device_request *request, device *device, lmb_error *error);
// Lists physical devices in the order of their indices: discrete, integrated, virtual, CPU, other.
uint32_t device_list(const device *device, VkPhysicalDevice physical[DEVICE_MAX]);
// Returns why a physical device cannot run Limber (Vulkan version, missing feature, no compute queue), or NULL.
const char *device_lacks(VkPhysicalDevice physical);
// Picks a device by `request->name`, and creates the device and its queue. On failure nothing is left open.
lmb_result device_open(const device_request *request, device *device, lmb_error *error);
// Waits for the device to be idle and closes what is open. Accepts a zeroed device. Returns the number of validation
// messages, including those about objects that were not destroyed.
uint32_t device_close(device *device);

// Fails with #LMB_ERROR_VULKAN; the message names the call.
lmb_result device_fail(lmb_error *error, const char *call, VkResult result);

// Returns an lmb_gpu_def for this device, with its queue for the probe and its pipeline cache.
lmb_gpu_def device_gpu_def(const device *device);

// A one-off command buffer: begin, record, then submit and wait. For tools and tests, never for a frame.
// device_finish() submits only if recording succeeded, and returns that result otherwise.
lmb_result device_begin(device *device, VkCommandPool *pool, VkCommandBuffer *commands, lmb_error *error);
lmb_result device_submit_and_wait(device *device, VkCommandPool pool, VkCommandBuffer commands, lmb_error *error);
lmb_result device_finish(device *device, VkCommandPool pool, VkCommandBuffer commands, lmb_result recorded,
                         lmb_error *error);

// A buffer with its own memory, mapped if `host` is set. It has a device address if its usage includes one.
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

// Copies a span to `bytes` (span->size of them): records, submits, waits.
lmb_result device_read_span(device *device, const lmb_gpu_span *span, void *bytes, lmb_error *error);

// Copies `bytes` to a span.
lmb_result device_write_span(device *device, const lmb_gpu_span *span, const void *bytes, lmb_error *error);

// Copies a batch's inertialization data, uint32_t [C][lmb_graph_info.inertia_words]. Copies nothing if the graph does
// not inertialize.
lmb_result device_read_inertia(device *device, const lmb_gpu_batch *batch, uint32_t *inertia, lmb_error *error);
// Copies it to the batch. A frame must have been submitted before, because the first frame zeroes the data.
lmb_result device_write_inertia(device *device, const lmb_gpu_batch *batch, const uint32_t *inertia, lmb_error *error);

// Copies all spans of a batch's output into `floats`, which has room for the whole batch in the layout of batch.h:
// records, submits, waits.
lmb_result device_read_output(device *device, const lmb_gpu_batch *batch, uint32_t frame, lmb_output output,
                              float *floats, lmb_error *error);

// A device with Limber's pipelines, as the command and the tests open it.
typedef struct gpu_device {
    device device;
    lmb_gpu *gpu;
} gpu_device;

// Returns whether LIMBER_VALIDATE=1 in the environment asks for the validation layer.
bool gpu_device_validates(void);
// `name` is as in device_request. With `accept_mismatch`, a device that fails the probe is opened anyway.
lmb_result gpu_device_open(const char *name, bool accept_mismatch, gpu_device *opened, lmb_error *error);
// Closes everything. Accepts a zeroed one. Returns `result`, the caller's so far, if that is an error; else fails with
// #LMB_ERROR_VULKAN if the validation layer gave any messages.
lmb_result gpu_device_close(gpu_device *opened, lmb_result result, lmb_error *error);

#endif
