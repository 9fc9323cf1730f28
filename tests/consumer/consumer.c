// A separate host that finds Limber with find_package(limber). It has its own instance and device, and gets Vulkan
// functions from its own volk (CONSUMER_VOLK) or from the loader that it links. It runs one small batch on both sides
// and exits with 0 if the bits agree.
#ifdef CONSUMER_VOLK
#define VOLK_IMPLEMENTATION
#include <volk.h>
#else
#include <vulkan/vulkan.h>
#endif

#include <limber/compare.h>
#include <limber/cpu.h>
#include <limber/gpu.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHARACTERS 5u
#define JOINTS 3u
#define PALETTE_FLOATS (CHARACTERS * JOINTS * LMB_MATRIX_COMPONENTS)

static void check(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "consumer: %s\n", what);
        exit(EXIT_FAILURE);
    }
}

static void check_limber(lmb_result result, const lmb_error *error) {
    check(result == LMB_OK, error->message);
}

typedef struct host {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    VkBuffer buffer; // the palette, read back
    VkDeviceMemory memory;
    const float *mapped;
} host;

static void open_instance(host *host) {
#ifdef CONSUMER_VOLK
    check(volkInitialize() == VK_SUCCESS, "no Vulkan loader");
#endif
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                         .pApplicationInfo = &application};
    check(vkCreateInstance(&create, NULL, &host->instance) == VK_SUCCESS, "vkCreateInstance");
#ifdef CONSUMER_VOLK
    volkLoadInstance(host->instance);
#endif
    uint32_t count = 1;
    check(vkEnumeratePhysicalDevices(host->instance, &count, &host->physical) >= 0 && count == 1, "no Vulkan device");
}

static uint32_t compute_family(VkPhysicalDevice physical) {
    VkQueueFamilyProperties families[16];
    uint32_t count = sizeof families / sizeof families[0];
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
            return i;
        }
    }
    check(false, "no compute queue");
    return 0;
}

static void open_device(host *host) {
    host->family = compute_family(host->physical);
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = host->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                       .scalarBlockLayout = VK_TRUE,
                                                       .bufferDeviceAddress = VK_TRUE};
    const VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &features,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    check(vkCreateDevice(host->physical, &create, NULL, &host->device) == VK_SUCCESS, "vkCreateDevice");
    vkGetDeviceQueue(host->device, host->family, 0, &host->queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = host->family};
    check(vkCreateCommandPool(host->device, &pool, NULL, &host->pool) == VK_SUCCESS, "vkCreateCommandPool");
}

static uint32_t host_memory_type(VkPhysicalDevice physical, uint32_t allowed) {
    const VkMemoryPropertyFlags desired = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties properties;
    vkGetPhysicalDeviceMemoryProperties(physical, &properties);
    for (uint32_t i = 0; i < properties.memoryTypeCount; i++) {
        if ((allowed & 1u << i) && (properties.memoryTypes[i].propertyFlags & desired) == desired) {
            return i;
        }
    }
    check(false, "no host memory");
    return 0;
}

static void open_buffer(host *host) {
    const VkBufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .size = PALETTE_FLOATS * sizeof(float),
                                       .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    check(vkCreateBuffer(host->device, &create, NULL, &host->buffer) == VK_SUCCESS, "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(host->device, host->buffer, &needs);
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .allocationSize = needs.size,
                                           .memoryTypeIndex = host_memory_type(host->physical, needs.memoryTypeBits)};
    check(vkAllocateMemory(host->device, &allocate, NULL, &host->memory) == VK_SUCCESS, "vkAllocateMemory");
    check(vkBindBufferMemory(host->device, host->buffer, host->memory, 0) == VK_SUCCESS, "vkBindBufferMemory");
    void *mapped;
    check(vkMapMemory(host->device, host->memory, 0, VK_WHOLE_SIZE, 0, &mapped) == VK_SUCCESS, "vkMapMemory");
    host->mapped = mapped;
}

static void close_host(host *host) {
    vkDestroyBuffer(host->device, host->buffer, NULL);
    vkFreeMemory(host->device, host->memory, NULL);
    vkDestroyCommandPool(host->device, host->pool, NULL);
    vkDestroyDevice(host->device, NULL);
    vkDestroyInstance(host->instance, NULL);
}

// A chain of three joints, of which the second one turns, blended with its rest pose. The parameters are time and
// weight.
static lmb_graph *create_graph(void) {
    lmb_error error;
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[i].rest.translation[1] = 0.5f;
    }
    lmb_rig *rig;
    check_limber(lmb_rig_create(&(lmb_rig_def){.joints = joints, .joint_count = JOINTS}, NULL, &rig, &error), &error);

    const float times[] = {0.0f, 1.0f};
    const float rotations[] = {0.0f, 0.0f, 0.0f, 1.0f, 0.6f, 0.0f, 0.0f, 0.8f};
    const lmb_track_def track = {.joint = 1,
                                 .property = LMB_PROPERTY_ROTATION,
                                 .interpolation = LMB_INTERPOLATION_LINEAR,
                                 .key_count = 2,
                                 .times = times,
                                 .values = rotations};
    lmb_clip *clip;
    const lmb_clip_def clip_def = {.name = "turn", .tracks = &track, .track_count = 1};
    check_limber(lmb_clip_create(rig, &clip_def, NULL, &clip, &error), &error);

    lmb_node_def nodes[3];
    for (uint32_t i = 0; i < 3; i++) {
        nodes[i] = lmb_default_node_def();
    }
    nodes[1].op = LMB_OP_CLIP;
    nodes[1].time = lmb_parameter(0);
    nodes[2].op = LMB_OP_BLEND;
    nodes[2].inputs[0] = 0;
    nodes[2].inputs[1] = 1;
    nodes[2].input_count = 2;
    nodes[2].weight = lmb_parameter(1);
    const lmb_clip *clips[] = {clip};
    const lmb_graph_def def = {
        .rig = rig, .clips = clips, .clip_count = 1, .nodes = nodes, .node_count = 3, .parameter_count = 2};
    lmb_graph *program;
    check_limber(lmb_graph_create(&def, NULL, &program, &error), &error);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
    return program;
}

static void fill_parameters(float *parameters) {
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        parameters[2 * i] = 0.23f * (float)i;
        parameters[2 * i + 1] = 1.0f - 0.19f * (float)i;
    }
}

static void submit(host *host, VkCommandBuffer commands) {
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    check(vkQueueSubmit(host->queue, 1, &info, VK_NULL_HANDLE) == VK_SUCCESS, "vkQueueSubmit");
    check(vkQueueWaitIdle(host->queue) == VK_SUCCESS, "vkQueueWaitIdle");
}

// Records one command buffer: upload, one frame, and a copy of the palette to memory that the host reads.
static void run_frame(host *host, lmb_gpu_graph *program, lmb_gpu_batch *batch) {
    lmb_error error;
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = host->pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    VkCommandBuffer commands;
    check(vkAllocateCommandBuffers(host->device, &allocate, &commands) == VK_SUCCESS, "vkAllocateCommandBuffers");
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    check(vkBeginCommandBuffer(commands, &begin) == VK_SUCCESS, "vkBeginCommandBuffer");
    check_limber(lmb_gpu_graph_record_upload(program, commands, &error), &error);
    fill_parameters(lmb_gpu_batch_parameters(batch, 0));
    check_limber(lmb_gpu_batch_record(batch, &(lmb_gpu_record_info){.commands = commands}, &error), &error);

    lmb_gpu_span span;
    check(lmb_gpu_batch_span_count(batch) == 1 && lmb_gpu_batch_output(batch, 0, LMB_OUTPUT_PALETTE, 0, &span), "span");
    const VkBufferCopy copy = {.srcOffset = span.offset, .size = PALETTE_FLOATS * sizeof(float)};
    vkCmdCopyBuffer(commands, span.buffer, host->buffer, 1, &copy);
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL,
                         0, NULL);
    check(vkEndCommandBuffer(commands) == VK_SUCCESS, "vkEndCommandBuffer");
    submit(host, commands);
    check_limber(lmb_gpu_graph_uploaded(program, &error), &error);
}

static void run_gpu(host *host, const lmb_graph *program) {
    lmb_error error;
    lmb_gpu_def gpu_def = lmb_default_gpu_def();
    gpu_def.get_instance_proc_addr = vkGetInstanceProcAddr;
    gpu_def.instance = host->instance;
    gpu_def.physical_device = host->physical;
    gpu_def.device = host->device;
    gpu_def.probe_queue = host->queue;
    gpu_def.probe_queue_family = host->family;
    lmb_gpu *gpu;
    check_limber(lmb_gpu_create(&gpu_def, NULL, &gpu, &error), &error);
    lmb_gpu_graph *gpu_program;
    check_limber(lmb_gpu_graph_create(gpu, program, &gpu_program, &error), &error);
    lmb_gpu_batch_def batch_def = lmb_default_gpu_batch_def();
    batch_def.graph = gpu_program;
    batch_def.character_count = CHARACTERS;
    lmb_gpu_batch *batch;
    check_limber(lmb_gpu_batch_create(gpu, &batch_def, &batch, &error), &error);
    run_frame(host, gpu_program, batch);
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(gpu_program);
    lmb_gpu_destroy(gpu);
}

static void run_cpu(const lmb_batch_def *batch, float *palette) {
    lmb_error error;
    float parameters[CHARACTERS * 2];
    fill_parameters(parameters);
    lmb_cpu *cpu;
    check_limber(lmb_cpu_create(batch->graph, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    const lmb_batch_inputs inputs = {.parameters = parameters};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_PALETTE] = palette}};
    check_limber(lmb_cpu_run(cpu, batch, &inputs, &outputs, &error), &error);
    lmb_cpu_destroy(cpu);
}

int main(void) {
    host host = {0};
    open_instance(&host);
    open_device(&host);
    open_buffer(&host);
    lmb_graph *program = create_graph();
    run_gpu(&host, program);

    const lmb_batch_def batch = {program, CHARACTERS, LMB_OUTPUT_PALETTE_BIT};
    float reference[PALETTE_FLOATS], device[PALETTE_FLOATS];
    run_cpu(&batch, reference);
    memcpy(device, host.mapped, sizeof device);
    close_host(&host);

    lmb_error error;
    lmb_comparison comparison = {0};
    const lmb_batch_outputs a = {.buffers = {[LMB_OUTPUT_PALETTE] = reference}};
    const lmb_batch_outputs b = {.buffers = {[LMB_OUTPUT_PALETTE] = device}};
    check_limber(lmb_compare(&batch, &a, &b, 0, CHARACTERS, &comparison, &error), &error);
    char text[200];
    lmb_comparison_describe(&comparison, text, sizeof text);
    printf("%llu values, %s\n", (unsigned long long)lmb_comparison_values(&comparison), text);
    lmb_graph_destroy(program);
    return lmb_comparison_values(&comparison) == PALETTE_FLOATS && lmb_comparison_differs(&comparison) == 0
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
