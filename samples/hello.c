// The smallest complete integration of Limber: everything a renderer does with it, on its own device, in one file.
//
//   rig + clips -> graph -> lmb_gpu_graph, lmb_gpu_batch -> recorded into our command buffer -> palette buffer
//
// A renderer would bind the palette buffer in its vertex shader (lmb_gpu_batch_output() returns its location) and stop
// there. This sample copies it back instead, and checks that every bit equals that of the CPU.
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <limber/compare.h>
#include <limber/cpu.h>
#include <limber/gpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOINT_COUNT 3u
#define CHARACTER_COUNT 64u
#define PARAMETER_COUNT 2u // per character: 0 is the time in seconds, 1 the weight of the second clip
#define PALETTE_FLOATS (CHARACTER_COUNT * JOINT_COUNT * LMB_MATRIX_COMPONENTS)

// Limber's functions return a result and describe errors in an lmb_error; this sample exits at the first error.
static lmb_error error;

static void check(lmb_result result) {
    if (result != LMB_OK) {
        fprintf(stderr, "hello: %s: %s\n", lmb_result_name(result), error.message);
        exit(EXIT_FAILURE);
    }
}

static void check_vulkan(VkResult result, const char *call) {
    if (result != VK_SUCCESS) {
        fprintf(stderr, "hello: %s gave VkResult %d\n", call, result);
        exit(EXIT_FAILURE);
    }
}

// ---- Vulkan: an instance, a device, a queue. A renderer has these already. ----

static VkInstance instance;
static VkPhysicalDevice physical_device;
static VkDevice device;
static uint32_t queue_family;
static VkQueue queue;

static void create_instance(void) {
    check_vulkan(volkInitialize(), "volkInitialize");
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = "limber hello",
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    check_vulkan(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
    volkLoadInstance(instance);
}

// Any queue family with compute will do.
static void choose_queue_family(void) {
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, families);
    for (queue_family = 0; queue_family < count; queue_family++) {
        if ((families[queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) {
            return;
        }
    }
    fprintf(stderr, "hello: the device has no compute queue\n");
    exit(EXIT_FAILURE);
}

static void create_device(void) {
    uint32_t count = 1; // the first one; VK_INCOMPLETE means that there are more
    if (vkEnumeratePhysicalDevices(instance, &count, &physical_device) < 0 || count == 0) {
        fprintf(stderr, "hello: no Vulkan device\n");
        exit(EXIT_FAILURE);
    }
    choose_queue_family();
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                .queueFamilyIndex = queue_family,
                                                .queueCount = 1,
                                                .pQueuePriorities = &priority};
    // Limber needs only these two features beyond Vulkan 1.2.
    VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                 .scalarBlockLayout = VK_TRUE,
                                                 .bufferDeviceAddress = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue_info};
    check_vulkan(vkCreateDevice(physical_device, &info, NULL, &device), "vkCreateDevice");
    volkLoadDevice(device);
    vkGetDeviceQueue(device, queue_family, 0, &queue);
}

// ---- The character: an arm of three joints, a clip that bends it and one that stretches it. ----

static lmb_rig *create_rig(void) {
    lmb_joint_def joints[JOINT_COUNT];
    const char *const names[JOINT_COUNT] = {"shoulder", "elbow", "wrist"};
    for (uint32_t i = 0; i < JOINT_COUNT; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].name = names[i];
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[i].rest.translation[1] = i == 0 ? 0.0f : 0.3f;
    }
    const lmb_rig_def def = {.joints = joints, .joint_count = JOINT_COUNT};
    lmb_rig *rig = NULL;
    check(lmb_rig_create(&def, NULL, &rig, &error));
    return rig;
}

static lmb_clip *create_bend(const lmb_rig *rig) {
    static const float times[] = {0.0f, 0.5f, 1.0f};
    static const float turns[] = {0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f, 0, 0, 0, 1}; // 90 degrees about z
    const lmb_track_def track = {.joint = lmb_rig_find_joint(rig, "elbow"),
                                 .channel = LMB_CHANNEL_ROTATION,
                                 .interpolation = LMB_INTERPOLATION_LINEAR,
                                 .key_count = 3,
                                 .times = times,
                                 .values = turns};
    const lmb_clip_def def = {.name = "bend", .tracks = &track, .track_count = 1};
    lmb_clip *clip = NULL;
    check(lmb_clip_create(rig, &def, NULL, &clip, &error));
    return clip;
}

static lmb_clip *create_stretch(const lmb_rig *rig) {
    static const float times[] = {0.0f, 1.0f};
    static const float positions[] = {0, 0.3f, 0, 0, 0.6f, 0};
    const lmb_track_def track = {.joint = lmb_rig_find_joint(rig, "wrist"),
                                 .channel = LMB_CHANNEL_TRANSLATION,
                                 .interpolation = LMB_INTERPOLATION_LINEAR,
                                 .key_count = 2,
                                 .times = times,
                                 .values = positions};
    const lmb_clip_def def = {.name = "stretch", .tracks = &track, .track_count = 1};
    lmb_clip *clip = NULL;
    check(lmb_clip_create(rig, &def, NULL, &clip, &error));
    return clip;
}

// Loops both clips over each character's own time, and blends them with each character's own weight.
static lmb_graph *create_graph(const lmb_rig *rig, const lmb_clip *const clips[2]) {
    const lmb_node_def nodes[] = {lmb_clip_node(0, lmb_parameter(0)), lmb_clip_node(1, lmb_parameter(0)),
                                  lmb_blend_node(0, 1, lmb_parameter(1))};
    const lmb_graph_def def = {.rig = rig,
                               .clips = clips,
                               .clip_count = 2,
                               .nodes = nodes,
                               .node_count = 3,
                               .parameter_count = PARAMETER_COUNT};
    lmb_graph *graph = NULL;
    check(lmb_graph_create(&def, NULL, &graph, &error));
    return graph;
}

static void fill_parameters(float *parameters) {
    for (uint32_t i = 0; i < CHARACTER_COUNT; i++) {
        parameters[i * PARAMETER_COUNT] = 0.1f * (float)i;
        parameters[i * PARAMETER_COUNT + 1] = (float)i / (CHARACTER_COUNT - 1);
    }
}

// ---- Limber on the device. ----

static lmb_gpu *create_gpu(void) {
    lmb_gpu_def def = lmb_default_gpu_def();
    def.get_instance_proc_addr = vkGetInstanceProcAddr;
    def.instance = instance;
    def.physical_device = physical_device;
    def.device = device;
    def.probe_queue = queue; // checks that the device gives the same bits
    def.probe_queue_family = queue_family;
    lmb_gpu *gpu = NULL;
    check(lmb_gpu_create(&def, NULL, &gpu, &error));
    return gpu;
}

static lmb_gpu_batch *create_batch(lmb_gpu *gpu, lmb_gpu_graph *graph) {
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = graph;
    def.character_count = CHARACTER_COUNT;
    def.frame_count = 1;
    lmb_gpu_batch *batch = NULL;
    check(lmb_gpu_batch_create(gpu, &def, &batch, &error));
    return batch;
}

// The palette is copied here, so that the CPU can read it.
static VkBuffer read_back;
static VkDeviceMemory read_back_memory;

static void create_read_back(void) {
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = PALETTE_FLOATS * sizeof(float),
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    check_vulkan(vkCreateBuffer(device, &info, NULL, &read_back), "vkCreateBuffer");
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
    check_vulkan(vkAllocateMemory(device, &allocation, NULL, &read_back_memory), "vkAllocateMemory");
    check_vulkan(vkBindBufferMemory(device, read_back, read_back_memory, 0), "vkBindBufferMemory");
}

// One frame: Limber's kernels, then a copy; a renderer would draw instead.
static void record(VkCommandBuffer commands, lmb_gpu_graph *graph, lmb_gpu_batch *batch) {
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    check_vulkan(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    check(lmb_gpu_graph_record_upload(graph, commands, &error)); // once for each graph
    const lmb_gpu_record_info info = {.commands = commands, .frame = 0};
    check(lmb_gpu_batch_record(batch, &info, &error)); // every frame; ends with the barrier that the copy needs
    lmb_gpu_span palette;
    lmb_gpu_batch_output(batch, 0, LMB_STAGE_PALETTE, 0, &palette); // one span, because the batch is small
    const VkBufferCopy copy = {.srcOffset = palette.offset, .size = palette.size};
    vkCmdCopyBuffer(commands, palette.buffer, read_back, 1, &copy);
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL,
                         0, NULL);
    check_vulkan(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

static void submit_and_wait(lmb_gpu_graph *graph, lmb_gpu_batch *batch) {
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = queue_family};
    VkCommandPool pool = VK_NULL_HANDLE;
    check_vulkan(vkCreateCommandPool(device, &pool_info, NULL, &pool), "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    check_vulkan(vkAllocateCommandBuffers(device, &allocation, &commands), "vkAllocateCommandBuffers");
    record(commands, graph, batch);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    check_vulkan(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    check_vulkan(vkQueueWaitIdle(queue), "vkQueueWaitIdle"); // a renderer waits for a fence instead
    check(lmb_gpu_graph_uploaded(graph, &error));            // releases the staging memory
    vkDestroyCommandPool(device, pool, NULL);
}

// ---- The same poses on the CPU, and the comparison. ----

static void compare_with_cpu(const lmb_graph *graph, const lmb_gpu_batch *gpu_batch, const float *parameters,
                             lmb_comparison *comparison) {
    const lmb_batch batch = lmb_gpu_batch_description(gpu_batch);
    lmb_cpu *cpu = NULL;
    check(lmb_cpu_create(graph, LMB_CPU_REFERENCE, NULL, &cpu, &error));
    static float expected[PALETTE_FLOATS];
    const lmb_batch_inputs inputs = {.parameters = parameters};
    const lmb_batch_outputs on_cpu = {.stages[LMB_STAGE_PALETTE] = expected};
    check(lmb_cpu_run(cpu, &batch, &inputs, &on_cpu, &error));
    lmb_cpu_destroy(cpu);
    void *mapped = NULL;
    check_vulkan(vkMapMemory(device, read_back_memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    const lmb_batch_outputs on_gpu = {.stages[LMB_STAGE_PALETTE] = mapped};
    check(lmb_compare(&batch, &on_cpu, &on_gpu, 0, CHARACTER_COUNT, comparison, &error));
}

static void report(const lmb_comparison *comparison) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical_device, &properties);
    char difference[300];
    lmb_comparison_describe(comparison, difference, sizeof difference);
    printf("hello: %u characters x %u joints on %s: palettes %s\n", CHARACTER_COUNT, JOINT_COUNT, properties.deviceName,
           lmb_comparison_differs(comparison) == 0 ? "bit-exact" : difference);
}

int main(void) {
    create_instance();
    create_device();

    lmb_rig *rig = create_rig();
    lmb_clip *bend = create_bend(rig);
    lmb_clip *stretch = create_stretch(rig);
    lmb_graph *graph = create_graph(rig, (const lmb_clip *const[]){bend, stretch});
    lmb_clip_destroy(stretch); // the graph has copies of everything it needs
    lmb_clip_destroy(bend);
    lmb_rig_destroy(rig);

    lmb_gpu *gpu = create_gpu();
    lmb_gpu_graph *gpu_graph = NULL;
    check(lmb_gpu_graph_create(gpu, graph, &gpu_graph, &error));
    lmb_gpu_batch *batch = create_batch(gpu, gpu_graph);
    create_read_back();

    float *parameters = lmb_gpu_batch_parameters(batch, 0);
    fill_parameters(parameters);
    submit_and_wait(gpu_graph, batch);
    lmb_comparison comparison = {0};
    compare_with_cpu(graph, batch, parameters, &comparison);
    report(&comparison);

    vkDestroyBuffer(device, read_back, NULL);
    vkFreeMemory(device, read_back_memory, NULL);
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(gpu_graph);
    lmb_gpu_destroy(gpu);
    lmb_graph_destroy(graph);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return lmb_comparison_differs(&comparison) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
