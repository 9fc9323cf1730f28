// Opens an instance, a device with one queue, and a pipeline cache that is kept in a file, and closes them. Commands
// run one at a time: a command pool for each submission, which then waits for a fence. Data is copied through a staging
// buffer for each transfer. That is slow and simple, which suits tools and tests.
//
// With the validation layer, its messages are counted, and a tool that has caused one fails when it closes the device.
#include "device.h"

#include "terminal.h"

#include "base/host.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"
#define PORTABILITY_SUBSET "VK_KHR_portability_subset" // in a header of beta extensions
#define MOST_EXTENSIONS 16

lmb_result device_fail(lmb_error *error, const char *call, VkResult result) {
    return lmb_fail(error, LMB_ERROR_VULKAN, "%s failed (VkResult %d)", call, (int)result);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL count_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                    VkDebugUtilsMessageTypeFlagsEXT types,
                                                    const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
    (void)severity;
    // General messages are only the loader's remarks on drivers and manifests.
    if (types != VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT) {
        uint32_t *count = user;
        *count += 1;
        terminal_error("validation: ");
        terminal_print_lines(stderr, data->pMessage);
        terminal_error("\n");
    }
    return VK_FALSE;
}

static bool has_layer(const char *name) {
    uint32_t count = 0;
    vkEnumerateInstanceLayerProperties(&count, NULL);
    VkLayerProperties *layers = calloc(count + 1, sizeof *layers);
    bool found = false;
    if (layers != NULL && vkEnumerateInstanceLayerProperties(&count, layers) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            found = found || strcmp(layers[i].layerName, name) == 0;
        }
    }
    free(layers);
    return found;
}

// Lists the extensions of a device, or of the instance if there is no device.
static VkResult list_extensions(VkPhysicalDevice physical, uint32_t *count, VkExtensionProperties *extensions) {
    return physical == VK_NULL_HANDLE ? vkEnumerateInstanceExtensionProperties(NULL, count, extensions)
                                      : vkEnumerateDeviceExtensionProperties(physical, NULL, count, extensions);
}

static bool has_extension(VkPhysicalDevice physical, const char *name) {
    uint32_t count = 0;
    list_extensions(physical, &count, NULL);
    VkExtensionProperties *extensions = calloc(count + 1, sizeof *extensions);
    bool found = false;
    if (extensions != NULL && list_extensions(physical, &count, extensions) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            found = found || strcmp(extensions[i].extensionName, name) == 0;
        }
    }
    free(extensions);
    return found;
}

static lmb_result create_instance(const device_request *request, device *device, lmb_error *error) {
    const char *extensions[MOST_EXTENSIONS];
    uint32_t count = 0;
    if (request->instance_extension_count > MOST_EXTENSIONS - 2) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "more than %d instance extensions", MOST_EXTENSIONS - 2);
    }
    for (uint32_t i = 0; i < request->instance_extension_count; i++) {
        extensions[count++] = request->instance_extensions[i];
    }
    const char *layer = VALIDATION_LAYER;
    // The layer provides VK_EXT_debug_utils if the drivers do not.
    device->debug_utils = request->validation || has_extension(VK_NULL_HANDLE, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    if (device->debug_utils) {
        extensions[count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    }
    // Without this the loader hides drivers that are Vulkan in part, such as MoltenVK.
    const bool portability = has_extension(VK_NULL_HANDLE, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    if (portability) {
        extensions[count++] = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
    }
    VkValidationFeatureEnableEXT enabled = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                        .enabledValidationFeatureCount = 1,
                                        .pEnabledValidationFeatures = &enabled};
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "limber",
                                     .apiVersion = request->vulkan_1_1 ? VK_API_VERSION_1_1 : VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pNext = request->validation ? &features : NULL,
                                 .flags = portability ? VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR : 0,
                                 .pApplicationInfo = &application,
                                 .enabledLayerCount = request->validation ? 1 : 0,
                                 .ppEnabledLayerNames = &layer,
                                 .enabledExtensionCount = count,
                                 .ppEnabledExtensionNames = extensions};
    VkResult created = vkCreateInstance(&info, NULL, &device->instance);
    if (created != VK_SUCCESS) {
        device->instance = VK_NULL_HANDLE;
        return created == VK_ERROR_INCOMPATIBLE_DRIVER ? lmb_fail(error, LMB_ERROR_DEVICE, "there is no Vulkan driver")
                                                       : device_fail(error, "vkCreateInstance", created);
    }
    volkLoadInstance(device->instance);
    return LMB_OK;
}

static lmb_result create_messenger(device *device, lmb_error *error) {
    device->validation_messages = calloc(1, sizeof *device->validation_messages);
    if (device->validation_messages == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory");
    }
    VkDebugUtilsMessengerCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                               .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                                                  VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                               .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                                                              VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                                                              VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
                                               .pfnUserCallback = count_message,
                                               .pUserData = device->validation_messages};
    VkResult created = vkCreateDebugUtilsMessengerEXT(device->instance, &info, NULL, &device->messenger);
    return created == VK_SUCCESS ? LMB_OK : device_fail(error, "vkCreateDebugUtilsMessengerEXT", created);
}

lmb_result device_open_instance(const device_request *request, device *device, lmb_error *error) {
    memset(device, 0, sizeof *device);
    if (volkInitialize() != VK_SUCCESS) {
        return lmb_fail(error, LMB_ERROR_DEVICE, "the Vulkan loader is not installed");
    }
    if (request->validation && !has_layer(VALIDATION_LAYER)) {
        return lmb_fail(error, LMB_ERROR_DEVICE, "%s is not installed", VALIDATION_LAYER);
    }
    lmb_result result = create_instance(request, device, error);
    if (result == LMB_OK && request->validation) {
        result = create_messenger(device, error);
    }
    if (result != LMB_OK) {
        device_close(device);
    }
    return result;
}

uint32_t device_list(const device *device, VkPhysicalDevice physical[DEVICE_MAX]) {
    static const VkPhysicalDeviceType order[] = {
        VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
        VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, VK_PHYSICAL_DEVICE_TYPE_CPU, VK_PHYSICAL_DEVICE_TYPE_OTHER};
    VkPhysicalDevice found[DEVICE_MAX];
    uint32_t count = DEVICE_MAX, listed = 0;
    if (vkEnumeratePhysicalDevices(device->instance, &count, found) < VK_SUCCESS) {
        return 0;
    }
    for (size_t rank = 0; rank < sizeof order / sizeof order[0]; rank++) {
        for (uint32_t i = 0; i < count; i++) {
            VkPhysicalDeviceProperties properties;
            vkGetPhysicalDeviceProperties(found[i], &properties);
            if (properties.deviceType == order[rank]) {
                physical[listed++] = found[i];
            }
        }
    }
    return listed;
}

// Finds a queue family with compute, preferably with graphics. Returns UINT32_MAX if there is none.
static uint32_t find_queue_family(VkPhysicalDevice physical, bool *graphics) {
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (int with_graphics = 1; with_graphics >= 0; with_graphics--) {
        for (uint32_t i = 0; i < count; i++) {
            bool has_graphics = families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;
            if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) && (has_graphics || !with_graphics)) {
                *graphics = has_graphics;
                return i;
            }
        }
    }
    return UINT32_MAX;
}

const char *device_lacks(VkPhysicalDevice physical) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_2) {
        return "Vulkan 1.2";
    }
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
    VkPhysicalDeviceScalarBlockLayoutFeatures scalar = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES, .pNext = &addresses};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &scalar};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    bool graphics;
    return !addresses.bufferDeviceAddress                         ? "bufferDeviceAddress"
           : !scalar.scalarBlockLayout                            ? "scalarBlockLayout"
           : find_queue_family(physical, &graphics) == UINT32_MAX ? "a queue family with compute"
                                                                  : NULL;
}

static bool contains(const char *text, const char *part) {
    size_t length = strlen(part);
    for (; *text != '\0'; text++) {
        size_t i = 0;
        while (i < length && text[i] != '\0' && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) {
            i++;
        }
        if (i == length) {
            return true;
        }
    }
    return false;
}

static lmb_result pick(const device_request *request, const device *device, VkPhysicalDevice *picked,
                       lmb_error *error) {
    VkPhysicalDevice listed[DEVICE_MAX];
    uint32_t count = device_list(device, listed);
    char *end = NULL;
    unsigned long index = request->name != NULL ? strtoul(request->name, &end, 10) : 0;
    bool by_index = request->name != NULL && end != request->name && *end == '\0';
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(listed[i], &properties);
        bool desired = request->name == NULL ? device_lacks(listed[i]) == NULL
                       : by_index            ? index == i
                                             : contains(properties.deviceName, request->name);
        if (desired) {
            *picked = listed[i];
            return LMB_OK;
        }
    }
    return request->name != NULL
               ? lmb_fail(error, LMB_ERROR_DEVICE, "no Vulkan device is called '%s'", request->name)
               : lmb_fail(error, LMB_ERROR_DEVICE, "none of %u Vulkan devices can be used", (unsigned)count);
}

// Every driver refuses data that is not its own, and pipeline_cache_read() refuses damaged files.
static lmb_result open_cache(device *device, lmb_error *error) {
    char problem[200] = "";
    void *data = NULL;
    if (pipeline_cache_path(&device->properties, device->cache_path)) {
        data = pipeline_cache_read(device->cache_path, &device->properties, &device->cache_size, problem);
    } else {
        device->cache_path[0] = '\0';
    }
    if (problem[0] != '\0') {
        terminal_error("%s: %s\n", device->cache_path, problem);
    }
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                            .initialDataSize = data != NULL ? device->cache_size : 0,
                                            .pInitialData = data};
    const VkResult created = vkCreatePipelineCache(device->device, &info, NULL, &device->pipeline_cache);
    free(data);
    if (created != VK_SUCCESS) {
        device->pipeline_cache = VK_NULL_HANDLE;
        return device_fail(error, "vkCreatePipelineCache", created);
    }
    return LMB_OK;
}

// Merges what other processes have written in the meantime.
static void merge_cache_file(device *device) {
    char problem[200];
    size_t size;
    void *data = pipeline_cache_read(device->cache_path, &device->properties, &size, problem);
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = size, .pInitialData = data};
    VkPipelineCache others = VK_NULL_HANDLE;
    if (data != NULL && size != device->cache_size &&
        vkCreatePipelineCache(device->device, &info, NULL, &others) == VK_SUCCESS) {
        vkMergePipelineCaches(device->device, device->pipeline_cache, 1, &others);
        vkDestroyPipelineCache(device->device, others, NULL);
    }
    free(data);
}

// Writes the file if there is more data than was read. Drivers that keep pipelines elsewhere, or not at all, return
// only a header, which is not worth a file.
static void save_cache(device *device) {
    size_t size = 0;
    if (device->cache_path[0] == '\0' ||
        vkGetPipelineCacheData(device->device, device->pipeline_cache, &size, NULL) != VK_SUCCESS ||
        size <= sizeof(VkPipelineCacheHeaderVersionOne) || size == device->cache_size) {
        return;
    }
    merge_cache_file(device);
    vkGetPipelineCacheData(device->device, device->pipeline_cache, &size, NULL);
    void *data = malloc(size);
    if (data != NULL && vkGetPipelineCacheData(device->device, device->pipeline_cache, &size, data) == VK_SUCCESS &&
        !pipeline_cache_write(device->cache_path, data, size)) {
        terminal_error("%s: the pipeline cache cannot be written\n", device->cache_path);
    }
    free(data);
}

// Creates the logical device on an instance that is open.
static lmb_result open_physical(const device_request *request, VkPhysicalDevice physical, device *device,
                                lmb_error *error) {
    vkGetPhysicalDeviceProperties(physical, &device->properties);
    const char *lacks = device_lacks(physical);
    const char *properties = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    if (lacks == NULL && request->executable_properties && !has_extension(physical, properties)) {
        lacks = properties;
    }
    static const char *const of_1_1[] = {VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME,
                                         VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME};
    for (int i = 0; i < 2 && lacks == NULL && request->vulkan_1_1; i++) {
        lacks = has_extension(physical, of_1_1[i]) ? NULL : of_1_1[i];
    }
    if (lacks != NULL) {
        return lmb_fail(error, LMB_ERROR_DEVICE, "%s lacks %s", device->properties.deviceName, lacks);
    }
    device->physical = physical;
    device->queue_family = find_queue_family(physical, &device->graphics);
    device->swapchain = request->swapchain && has_extension(physical, VK_KHR_SWAPCHAIN_EXTENSION_NAME);
    device->vulkan_1_1 = request->vulkan_1_1;
    const char *extensions[5];
    uint32_t extension_count = 0;
    for (int i = 0; i < 2 && request->vulkan_1_1; i++) {
        extensions[extension_count++] = of_1_1[i];
    }
    if (has_extension(physical, PORTABILITY_SUBSET)) { // which must then be enabled
        extensions[extension_count++] = PORTABILITY_SUBSET;
    }
    if (device->swapchain) {
        extensions[extension_count++] = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
    }
    if (request->executable_properties) {
        extensions[extension_count++] = properties;
    }
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = device->queue_family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pipelineExecutableInfo = VK_TRUE};
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
        .pNext = request->executable_properties ? &executable : NULL,
        .bufferDeviceAddress = VK_TRUE};
    VkPhysicalDeviceScalarBlockLayoutFeatures features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,
        .pNext = &addresses,
        .scalarBlockLayout = VK_TRUE};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = extension_count,
                               .ppEnabledExtensionNames = extensions};
    VkResult created = vkCreateDevice(physical, &info, NULL, &device->device);
    if (created != VK_SUCCESS) {
        device->device = VK_NULL_HANDLE;
        return device_fail(error, "vkCreateDevice", created);
    }
    // volk's functions remain those of the instance, which dispatch to the device they are given, because there may be
    // several devices.
    vkGetDeviceQueue(device->device, device->queue_family, 0, &device->queue);
    return open_cache(device, error);
}

lmb_result device_open(const device_request *request, device *device, lmb_error *error) {
    lmb_result result = device_open_instance(request, device, error);
    if (result != LMB_OK) {
        return result;
    }
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    result = pick(request, device, &physical, error);
    if (result == LMB_OK) {
        result = open_physical(request, physical, device, error);
    }
    if (result != LMB_OK) {
        device_close(device);
    }
    return result;
}

uint32_t device_close(device *device) {
    if (device->device != VK_NULL_HANDLE) {
        vkDeviceWaitIdle(device->device);
        if (device->pipeline_cache != VK_NULL_HANDLE) {
            save_cache(device);
        }
        vkDestroyPipelineCache(device->device, device->pipeline_cache, NULL);
        vkDestroyDevice(device->device, NULL);
    }
    if (device->messenger != VK_NULL_HANDLE) {
        vkDestroyDebugUtilsMessengerEXT(device->instance, device->messenger, NULL);
    }
    if (device->instance != VK_NULL_HANDLE) {
        vkDestroyInstance(device->instance, NULL);
    }
    uint32_t messages = device->validation_messages != NULL ? *device->validation_messages : 0;
    free(device->validation_messages);
    memset(device, 0, sizeof *device);
    return messages;
}

lmb_gpu_def device_gpu_def(const device *device) {
    lmb_gpu_def def = lmb_default_gpu_def();
    def.get_instance_proc_addr = vkGetInstanceProcAddr;
    def.instance = device->instance;
    def.physical_device = device->physical;
    def.device = device->device;
    def.probe_queue = device->queue;
    def.probe_queue_family = device->queue_family;
    def.debug_utils = device->debug_utils;
    def.pipeline_cache = device->pipeline_cache;
    return def;
}

lmb_result device_begin(device *device, VkCommandPool *pool, VkCommandBuffer *commands, lmb_error *error) {
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = device->queue_family};
    VkResult result = vkCreateCommandPool(device->device, &pool_info, NULL, pool);
    if (result != VK_SUCCESS) {
        return device_fail(error, "vkCreateCommandPool", result);
    }
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = *pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    result = vkAllocateCommandBuffers(device->device, &info, commands);
    if (result == VK_SUCCESS) {
        result = vkBeginCommandBuffer(*commands, &begin);
    }
    if (result != VK_SUCCESS) {
        vkDestroyCommandPool(device->device, *pool, NULL);
        return device_fail(error, "beginning a command buffer", result);
    }
    return LMB_OK;
}

lmb_result device_finish(device *device, VkCommandPool pool, VkCommandBuffer commands, lmb_result recorded,
                         lmb_error *error) {
    if (recorded == LMB_OK) {
        return device_submit_and_wait(device, pool, commands, error);
    }
    vkDestroyCommandPool(device->device, pool, NULL);
    return recorded;
}

lmb_result device_submit_and_wait(device *device, VkCommandPool pool, VkCommandBuffer commands, lmb_error *error) {
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkSubmitInfo submission = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VkFence fence = VK_NULL_HANDLE;
    const char *call = "vkEndCommandBuffer";
    VkResult result = vkEndCommandBuffer(commands);
    if (result == VK_SUCCESS) {
        call = "vkCreateFence";
        result = vkCreateFence(device->device, &fence_info, NULL, &fence);
    }
    if (result == VK_SUCCESS) {
        call = "vkQueueSubmit";
        result = vkQueueSubmit(device->queue, 1, &submission, fence);
    }
    if (result == VK_SUCCESS) {
        call = "vkWaitForFences";
        result = vkWaitForFences(device->device, 1, &fence, VK_TRUE, UINT64_MAX);
    }
    vkDestroyFence(device->device, fence, NULL);
    vkDestroyCommandPool(device->device, pool, NULL);
    return result == VK_SUCCESS ? LMB_OK : device_fail(error, call, result);
}

// Prefers host-visible and cached memory for host buffers, and device-local memory for others.
static uint32_t find_memory_type(const device *device, uint32_t allowed, bool host) {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(device->physical, &memory);
    const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags desired[2] = {
        host ? visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, host ? visible : 0};
    for (int attempt = 0; attempt < 2; attempt++) {
        for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
            if ((allowed >> i & 1u) && (memory.memoryTypes[i].propertyFlags & desired[attempt]) == desired[attempt]) {
                return i;
            }
        }
    }
    return UINT32_MAX;
}

lmb_result device_buffer_create(device *device, VkDeviceSize size, VkBufferUsageFlags usage, bool host,
                                device_buffer *buffer, lmb_error *error) {
    *buffer = (device_buffer){.size = size};
    bool address = usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    const char *call = "vkCreateBuffer";
    VkResult result = vkCreateBuffer(device->device, &info, NULL, &buffer->buffer);
    if (result == VK_SUCCESS) {
        VkMemoryRequirements needed;
        vkGetBufferMemoryRequirements(device->device, buffer->buffer, &needed);
        VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                           .flags = address ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT : 0};
        VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .pNext = &flags,
                                           .allocationSize = needed.size,
                                           .memoryTypeIndex = find_memory_type(device, needed.memoryTypeBits, host)};
        call = "vkAllocateMemory";
        result = vkAllocateMemory(device->device, &allocation, NULL, &buffer->memory);
    }
    if (result == VK_SUCCESS) {
        call = "vkBindBufferMemory";
        result = vkBindBufferMemory(device->device, buffer->buffer, buffer->memory, 0);
    }
    if (result == VK_SUCCESS && host) {
        call = "vkMapMemory";
        result = vkMapMemory(device->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped);
    }
    if (result != VK_SUCCESS) {
        device_buffer_destroy(device, buffer);
        return device_fail(error, call, result);
    }
    if (address) {
        VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                        .buffer = buffer->buffer};
        buffer->address = device->vulkan_1_1 ? vkGetBufferDeviceAddressKHR(device->device, &of)
                                             : vkGetBufferDeviceAddress(device->device, &of);
    }
    return LMB_OK;
}

void device_buffer_destroy(device *device, device_buffer *buffer) {
    vkDestroyBuffer(device->device, buffer->buffer, NULL);
    vkFreeMemory(device->device, buffer->memory, NULL);
    *buffer = (device_buffer){0};
}

// Copies a span to host memory, or host memory to the span, through a buffer of its own. Makes the copy visible to the
// host and to kernels. Submitting makes earlier host writes visible here.
static lmb_result transfer(device *device, const lmb_gpu_span *span, void *bytes, bool to_span, lmb_error *error) {
    const VkBufferUsageFlags usage = to_span ? VK_BUFFER_USAGE_TRANSFER_SRC_BIT : VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_SHADER_READ_BIT |
                                                      VK_ACCESS_SHADER_WRITE_BIT};
    const VkBufferCopy region = {
        .srcOffset = to_span ? 0 : span->offset, .dstOffset = to_span ? span->offset : 0, .size = span->size};
    device_buffer staging;
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_result result = device_buffer_create(device, span->size, usage, true, &staging, error);
    if (result != LMB_OK) {
        return result;
    }
    if (to_span) {
        memcpy(staging.mapped, bytes, span->size);
    }
    result = device_begin(device, &pool, &commands, error);
    if (result == LMB_OK) {
        vkCmdCopyBuffer(commands, to_span ? staging.buffer : span->buffer, to_span ? span->buffer : staging.buffer, 1,
                        &region);
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, NULL,
                             0, NULL);
        result = device_submit_and_wait(device, pool, commands, error);
    }
    if (result == LMB_OK && !to_span) {
        memcpy(bytes, staging.mapped, span->size);
    }
    device_buffer_destroy(device, &staging);
    return result;
}

lmb_result device_read_span(device *device, const lmb_gpu_span *span, void *bytes, lmb_error *error) {
    return transfer(device, span, bytes, false, error);
}

lmb_result device_write_span(device *device, const lmb_gpu_span *span, const void *bytes, lmb_error *error) {
    return transfer(device, span, (void *)(uintptr_t)bytes, true, error);
}

static lmb_result transfer_inertia(device *device, const lmb_gpu_batch *batch, uint32_t *inertia, bool to_batch,
                                   lmb_error *error) {
    const size_t words = lmb_graph_get_info(lmb_gpu_batch_description(batch).graph)->inertia_words;
    lmb_result result = LMB_OK;
    lmb_gpu_span span;
    for (uint32_t i = 0; result == LMB_OK && lmb_gpu_batch_inertia(batch, i, &span); i++) {
        result = transfer(device, &span, inertia + span.first_character * words, to_batch, error);
    }
    return result;
}

lmb_result device_read_inertia(device *device, const lmb_gpu_batch *batch, uint32_t *inertia, lmb_error *error) {
    return transfer_inertia(device, batch, inertia, false, error);
}

lmb_result device_write_inertia(device *device, const lmb_gpu_batch *batch, const uint32_t *inertia, lmb_error *error) {
    return transfer_inertia(device, batch, (uint32_t *)(uintptr_t)inertia, true, error);
}

lmb_result device_read_output(device *device, const lmb_gpu_batch *batch, uint32_t frame, lmb_output output,
                              float *floats, lmb_error *error) {
    lmb_batch_def description = lmb_gpu_batch_description(batch);
    size_t row = lmb_batch_output_floats(&description, output);
    for (uint32_t i = 0; i < lmb_gpu_batch_span_count(batch); i++) {
        lmb_gpu_span span;
        if (!lmb_gpu_batch_output(batch, frame, output, i, &span)) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "output %s is not among the batch's outputs",
                            lmb_output_name(output));
        }
        lmb_result result =
            span.size == 0 ? LMB_OK : device_read_span(device, &span, floats + span.first_character * row, error);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

bool gpu_device_validates(void) {
    const char *value = getenv("LIMBER_VALIDATE");
    return value != NULL && strcmp(value, "1") == 0;
}

lmb_result gpu_device_open(const char *name, bool accept_mismatch, gpu_device *opened, lmb_error *error) {
    *opened = (gpu_device){0};
    const device_request request = {.name = name, .validation = gpu_device_validates()};
    lmb_result result = device_open(&request, &opened->device, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_gpu_def def = device_gpu_def(&opened->device);
    def.accept_mismatch = accept_mismatch;
    result = lmb_gpu_create(&def, NULL, &opened->gpu, error);
    if (result != LMB_OK) {
        device_close(&opened->device);
    }
    return result;
}

lmb_result gpu_device_close(gpu_device *opened, lmb_result result, lmb_error *error) {
    lmb_gpu_destroy(opened->gpu);
    const uint32_t messages = device_close(&opened->device);
    opened->gpu = NULL;
    return messages == 0 || result != LMB_OK
               ? result
               : lmb_fail(error, LMB_ERROR_VULKAN, "the validation layer gave %u messages", (unsigned)messages);
}
