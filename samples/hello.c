// The smallest complete integration of Limber: everything a renderer does with it, on its own device, in one file.
//
//   hello.gltf, hello.json -> lmb_graph -> lmb_gpu_graph, lmb_gpu_batch -> recorded into our command buffer -> palettes
//
// A renderer would bind the palettes in its vertex shader and stop there. This sample copies them back instead, and
// checks the hash of their bits. They are the same on every device and on the CPU, so the hash is a constant.
// Its arguments, both or none, are the paths of hello.gltf and hello.json, if these have moved.
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <limber/gpu.h>
#include <limber/graph_json.h>
#include <limber/import.h>
#include <stdio.h>
#include <stdlib.h>

#define CHARACTER_COUNT 64u
#define PALETTE_HASH UINT64_C(0x291eb498e678ee2c) // of the CPU's palettes: see tests/samples/hello_test.c

static lmb_error error; // Limber's functions describe here why they failed

// Exits if a call of Vulkan or Limber failed. Both return 0 if they succeed.
static void check(int result, const char *message) {
    if (result != 0) {
        fprintf(stderr, "hello: %s (result %d)\n", message, result);
        exit(EXIT_FAILURE);
    }
}

// Vulkan: a device, a queue and a command buffer. A renderer has these already.
static VkInstance instance;
static VkPhysicalDevice physical_device;
static VkDevice device;
static uint32_t queue_family;
static VkQueue queue;
static VkCommandPool pool;
static VkCommandBuffer commands;

// Takes the first physical device, and any of its queue families with compute.
static void choose_device(void) {
    check(volkInitialize(), "volkInitialize");
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    check(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
    volkLoadInstance(instance);
    uint32_t count = 1;
    vkEnumeratePhysicalDevices(instance, &count, &physical_device);
    check(physical_device == VK_NULL_HANDLE, "no Vulkan device");
    VkQueueFamilyProperties families[16];
    count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, families);
    while (queue_family < count && (families[queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) {
        queue_family++;
    }
    check(queue_family == count, "the device has no compute queue");
}

static void create_device(void) {
    const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                .queueFamilyIndex = queue_family,
                                                .queueCount = 1,
                                                .pQueuePriorities = (const float[]){1.0f}};
    // Limber needs only these two features beyond Vulkan 1.2.
    const VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                       .scalarBlockLayout = VK_TRUE,
                                                       .bufferDeviceAddress = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue_info};
    check(vkCreateDevice(physical_device, &info, NULL, &device), "vkCreateDevice");
    volkLoadDevice(device);
    vkGetDeviceQueue(device, queue_family, 0, &queue);
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = queue_family};
    check(vkCreateCommandPool(device, &pool_info, NULL, &pool), "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    check(vkAllocateCommandBuffers(device, &allocation, &commands), "vkAllocateCommandBuffers");
}

// Limber: a graph, and a batch of characters that run it.
static lmb_graph *graph;
static lmb_gpu *gpu;
static lmb_gpu_graph *gpu_graph;
static lmb_gpu_batch *batch;
static lmb_gpu_span palettes; // where the batch stores float [character][joint][3][4]

static void create_graph(const char *character_path, const char *graph_path) {
    lmb_import *import = NULL;
    check(lmb_import_file(character_path, NULL, &import, &error), error.message);
    check(lmb_graph_create_from_file(graph_path, import, NULL, &graph, &error), error.message);
    lmb_import_destroy(import); // the graph has copies of everything it needs
}

static void create_batch(void) {
    lmb_gpu_def def = lmb_default_gpu_def();
    def.get_instance_proc_addr = vkGetInstanceProcAddr;
    def.instance = instance;
    def.physical_device = physical_device;
    def.device = device;
    def.probe_queue = queue; // checks that the device gives the same bits
    def.probe_queue_family = queue_family;
    check(lmb_gpu_create(&def, NULL, &gpu, &error), error.message);
    check(lmb_gpu_graph_create(gpu, graph, &gpu_graph, &error), error.message);
    lmb_gpu_batch_def batch_def = lmb_default_gpu_batch_def(); // its output is the palettes
    batch_def.graph = gpu_graph;
    batch_def.character_count = CHARACTER_COUNT;
    check(lmb_gpu_batch_create(gpu, &batch_def, &batch, &error), error.message);
    lmb_gpu_batch_output(batch, 0, LMB_OUTPUT_PALETTE, 0, &palettes); // one span, because the batch is small
}

// Gives each character its own time in seconds, and its own weight of the second clip.
static void fill_parameters(float *parameters) {
    const uint32_t time = lmb_graph_find_parameter(graph, "time");
    const uint32_t stretch = lmb_graph_find_parameter(graph, "stretch");
    check(time == LMB_NONE || stretch == LMB_NONE, "the graph has no parameters \"time\" and \"stretch\"");
    for (uint32_t i = 0; i < CHARACTER_COUNT; i++, parameters += lmb_graph_get_info(graph)->parameter_count) {
        parameters[time] = 0.1f * (float)i;
        parameters[stretch] = (float)i / (CHARACTER_COUNT - 1);
    }
}

// The palettes are copied here, so that the CPU can read them. A renderer would draw instead.
static VkBuffer read_back;
static VkDeviceMemory read_back_memory;

static void create_read_back(VkDeviceSize size) {
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    check(vkCreateBuffer(device, &info, NULL, &read_back), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, read_back, &needs);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical_device, &memory);
    // Vulkan guarantees a memory type with these properties for every buffer.
    const VkMemoryPropertyFlags flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while ((needs.memoryTypeBits & (1u << type)) == 0 || (memory.memoryTypes[type].propertyFlags & flags) != flags) {
        type++;
    }
    const VkMemoryAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
    check(vkAllocateMemory(device, &allocation, NULL, &read_back_memory), "vkAllocateMemory");
    check(vkBindBufferMemory(device, read_back, read_back_memory, 0), "vkBindBufferMemory");
}

static void run_frame(void) {
    fill_parameters(lmb_gpu_batch_parameters(batch, 0));
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    check(lmb_gpu_graph_record_upload(gpu_graph, commands, &error), error.message); // once for each graph
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    info.commands = commands;
    check(lmb_gpu_batch_record(batch, &info, &error), error.message); // ends with the barrier that the copy needs
    const VkBufferCopy copy = {.srcOffset = palettes.offset, .size = palettes.size};
    vkCmdCopyBuffer(commands, palettes.buffer, read_back, 1, &copy);
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL,
                         0, NULL);
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");                // a renderer waits for a fence instead
    check(lmb_gpu_graph_uploaded(gpu_graph, &error), error.message); // releases the staging memory
}

int main(int argc, char **argv) {
    choose_device();
    create_device();
    create_graph(argc == 3 ? argv[1] : HELLO_FOLDER "/hello.gltf", argc == 3 ? argv[2] : HELLO_FOLDER "/hello.json");
    create_batch();
    create_read_back(palettes.size);
    run_frame();

    void *mapped = NULL;
    check(vkMapMemory(device, read_back_memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    const bool same_bits = lmb_hash_words(mapped, palettes.size / sizeof(uint32_t)) == PALETTE_HASH;
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical_device, &properties);
    printf("hello: %u characters x %u joints on %s: palettes %s\n", CHARACTER_COUNT,
           lmb_graph_get_info(graph)->joint_count, properties.deviceName, same_bits ? "bit-exact" : "not bit-exact");

    vkDestroyBuffer(device, read_back, NULL);
    vkFreeMemory(device, read_back_memory, NULL);
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(gpu_graph);
    lmb_gpu_destroy(gpu);
    lmb_graph_destroy(graph);
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return same_bits ? EXIT_SUCCESS : EXIT_FAILURE;
}
