// What every renderer has already: a Vulkan device with one queue, buffers, images, pipelines, and a window if there is
// a display. Nothing here knows of Limber. Objects live as long as the device, and are destroyed from the last to the
// first.
#ifndef LIMBER_SAMPLES_RENDERER_VULKAN_HPP
#define LIMBER_SAMPLES_RENDERER_VULKAN_HPP

#include <volk.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

inline void check(VkResult result, const char *call) {
    if (result < VK_SUCCESS) {
        throw std::runtime_error(std::string(call) + " failed (" + std::to_string(result) + ")");
    }
}

struct buffer {
    VkBuffer handle;
    VkDeviceAddress address;
    void *mapped; // of one that the host accesses
};

struct image {
    VkImage handle;
    VkImageView view;
    VkImageAspectFlags aspect;
    VkImageLayout layout; // after the commands recorded so far
};

struct vulkan {
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    uint32_t family = 0;
    std::vector<std::function<void()>> cleanup;

    explicit vulkan(GLFWwindow *window) {
        create_instance(window != nullptr);
        create_device(window != nullptr);
    }
    vulkan(const vulkan &) = delete;
    ~vulkan() {
        std::for_each(cleanup.rbegin(), cleanup.rend(), [](auto &destroy) { destroy(); });
    }

    void create_instance(bool has_window) {
        check(volkInitialize(), "volkInitialize");
        const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                            .apiVersion = VK_API_VERSION_1_3};
        VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
        if (has_window) {
            info.ppEnabledExtensionNames = glfwGetRequiredInstanceExtensions(&info.enabledExtensionCount);
        }
        check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
        volkLoadInstance(instance);
        cleanup.push_back([this] { vkDestroyInstance(instance, nullptr); });
    }

    // Takes the first physical device, and its first queue family with graphics.
    void create_device(bool has_window) {
        uint32_t count = 1;
        check(vkEnumeratePhysicalDevices(instance, &count, &physical), "vkEnumeratePhysicalDevices");
        check(count == 0 ? VK_ERROR_DEVICE_LOST : VK_SUCCESS, "finding a device");
        vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
        std::vector<VkQueueFamilyProperties> families(count);
        vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
        while (family + 1 < count && (families[family].queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0) {
            family++;
        }
        const float priority = 1.0f;
        const VkDeviceQueueCreateInfo queue_info{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                 .queueFamilyIndex = family,
                                                 .queueCount = 1,
                                                 .pQueuePriorities = &priority};
        VkPhysicalDeviceVulkan13Features of_1_3{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                .synchronization2 = VK_TRUE,
                                                .dynamicRendering = VK_TRUE};
        const VkPhysicalDeviceVulkan12Features of_1_2{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                      .pNext = &of_1_3,
                                                      .scalarBlockLayout = VK_TRUE, // Limber needs these two
                                                      .bufferDeviceAddress = VK_TRUE};
        const char *const extension = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
        const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .pNext = &of_1_2,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queue_info,
                                      .enabledExtensionCount = has_window ? 1u : 0u,
                                      .ppEnabledExtensionNames = &extension};
        check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
        volkLoadDevice(device);
        vkGetDeviceQueue(device, family, 0, &queue);
        cleanup.push_back([this] { vkDestroyDevice(device, nullptr); });
    }

    // One allocation for each object; a renderer with more of them uses a library for that. What the host accesses is
    // in memory of the device where that is possible.
    VkDeviceMemory allocate(const VkMemoryRequirements &needs, VkMemoryPropertyFlags required) {
        VkPhysicalDeviceMemoryProperties memory;
        vkGetPhysicalDeviceMemoryProperties(physical, &memory);
        uint32_t type = UINT32_MAX;
        for (const VkMemoryPropertyFlags wish : {required | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, required}) {
            for (uint32_t i = 0; i < memory.memoryTypeCount && type == UINT32_MAX; i++) {
                const bool allowed = (needs.memoryTypeBits >> i & 1) != 0;
                type = allowed && (memory.memoryTypes[i].propertyFlags & wish) == wish ? i : type;
            }
        }
        const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                              .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
        const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .pNext = &flags,
                                        .allocationSize = needs.size,
                                        .memoryTypeIndex = type};
        VkDeviceMemory made;
        check(vkAllocateMemory(device, &info, nullptr, &made), "vkAllocateMemory");
        cleanup.push_back([this, made] { vkFreeMemory(device, made, nullptr); });
        return made;
    }

    // With `host` the buffer is mapped, and contains `content`, or zeros.
    buffer create_buffer(VkDeviceSize size, VkBufferUsageFlags usage, bool host, const void *content = nullptr) {
        buffer made{};
        const VkBufferUsageFlags by_address =
            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
        const VkBufferCreateInfo info{
            .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage | by_address};
        check(vkCreateBuffer(device, &info, nullptr, &made.handle), "vkCreateBuffer");
        cleanup.push_back([this, handle = made.handle] { vkDestroyBuffer(device, handle, nullptr); });
        VkMemoryRequirements needs;
        vkGetBufferMemoryRequirements(device, made.handle, &needs);
        const auto mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        const VkDeviceMemory memory = allocate(needs, host ? mapped : 0);
        check(vkBindBufferMemory(device, made.handle, memory, 0), "vkBindBufferMemory");
        const VkBufferDeviceAddressInfo address{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                                .buffer = made.handle};
        made.address = vkGetBufferDeviceAddress(device, &address);
        if (host) {
            check(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &made.mapped), "vkMapMemory");
            content == nullptr ? memset(made.mapped, 0, size) : memcpy(made.mapped, content, size);
        }
        return made;
    }

    image create_image(VkExtent2D extent, VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect) {
        image made{VK_NULL_HANDLE, VK_NULL_HANDLE, aspect, VK_IMAGE_LAYOUT_UNDEFINED};
        const VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = format,
                                     .extent = {extent.width, extent.height, 1},
                                     .mipLevels = 1,
                                     .arrayLayers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .usage = usage};
        check(vkCreateImage(device, &info, nullptr, &made.handle), "vkCreateImage");
        cleanup.push_back([this, handle = made.handle] { vkDestroyImage(device, handle, nullptr); });
        VkMemoryRequirements needs;
        vkGetImageMemoryRequirements(device, made.handle, &needs);
        check(vkBindImageMemory(device, made.handle, allocate(needs, 0), 0), "vkBindImageMemory");
        const VkImageViewCreateInfo view{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                         .image = made.handle,
                                         .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                         .format = format,
                                         .subresourceRange = {aspect, 0, 1, 0, 1}};
        check(vkCreateImageView(device, &view, nullptr, &made.view), "vkCreateImageView");
        cleanup.push_back([this, handle = made.view] { vkDestroyImageView(device, handle, nullptr); });
        return made;
    }

    VkPipelineShaderStageCreateInfo create_stage(VkShaderStageFlagBits stage, std::span<const uint32_t> words) {
        VkShaderModule made;
        const VkShaderModuleCreateInfo info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = words.size_bytes(),
                                            .pCode = words.data()};
        check(vkCreateShaderModule(device, &info, nullptr, &made), "vkCreateShaderModule");
        cleanup.push_back([this, made] { vkDestroyShaderModule(device, made, nullptr); });
        return {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = stage,
                .module = made,
                .pName = "main"};
    }

    // A layout with one set, which is a depth image at binding 0 that is compared, and an address as push constant.
    VkPipelineLayout create_layout(VkImageView compared, VkDescriptorSet *set) {
        const VkSamplerCreateInfo sampler_info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                               .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                               .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                               .compareEnable = VK_TRUE,
                                               .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL};
        VkSampler sampler;
        check(vkCreateSampler(device, &sampler_info, nullptr, &sampler), "vkCreateSampler");
        cleanup.push_back([this, sampler] { vkDestroySampler(device, sampler, nullptr); });
        const VkDescriptorSetLayoutBinding binding{.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                   .descriptorCount = 1,
                                                   .stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT};
        const VkDescriptorSetLayoutCreateInfo set_info{
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
        VkDescriptorSetLayout set_layout;
        check(vkCreateDescriptorSetLayout(device, &set_info, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
        cleanup.push_back([this, set_layout] { vkDestroyDescriptorSetLayout(device, set_layout, nullptr); });
        const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
        const VkDescriptorPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                   .maxSets = 1,
                                                   .poolSizeCount = 1,
                                                   .pPoolSizes = &size};
        VkDescriptorPool pool;
        check(vkCreateDescriptorPool(device, &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
        cleanup.push_back([this, pool] { vkDestroyDescriptorPool(device, pool, nullptr); });
        const VkDescriptorSetAllocateInfo allocation{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                     .descriptorPool = pool,
                                                     .descriptorSetCount = 1,
                                                     .pSetLayouts = &set_layout};
        check(vkAllocateDescriptorSets(device, &allocation, set), "vkAllocateDescriptorSets");
        const VkDescriptorImageInfo image{sampler, compared, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                         .dstSet = *set,
                                         .descriptorCount = 1,
                                         .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                         .pImageInfo = &image};
        vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
        const VkPushConstantRange push{VK_SHADER_STAGE_ALL, 0, sizeof(VkDeviceAddress)};
        const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                              .setLayoutCount = 1,
                                              .pSetLayouts = &set_layout,
                                              .pushConstantRangeCount = 1,
                                              .pPushConstantRanges = &push};
        VkPipelineLayout made;
        check(vkCreatePipelineLayout(device, &info, nullptr, &made), "vkCreatePipelineLayout");
        cleanup.push_back([this, made] { vkDestroyPipelineLayout(device, made, nullptr); });
        return made;
    }

    VkPipeline create_compute(VkPipelineLayout layout, std::span<const uint32_t> words) {
        VkPipeline made;
        const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                               .stage = create_stage(VK_SHADER_STAGE_COMPUTE_BIT, words),
                                               .layout = layout};
        check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &made), "vkCreateComputePipelines");
        cleanup.push_back([this, made] { vkDestroyPipeline(device, made, nullptr); });
        return made;
    }

    // Draws triangles with a depth test, without vertex attributes. No `fragment`: depth only, and a bias for shadows.
    VkPipeline create_graphics(VkPipelineLayout layout, std::span<const uint32_t> vertex,
                               std::span<const uint32_t> fragment, VkPrimitiveTopology topology,
                               std::span<const VkFormat> colors, VkFormat depth) {
        std::vector stages{create_stage(VK_SHADER_STAGE_VERTEX_BIT, vertex)};
        if (!fragment.empty()) {
            stages.push_back(create_stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment));
        }
        const VkPipelineVertexInputStateCreateInfo input{.sType =
                                                             VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
        const VkPipelineInputAssemblyStateCreateInfo assembly{
            .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = topology};
        const VkPipelineViewportStateCreateInfo viewport{
            .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
        const VkPipelineRasterizationStateCreateInfo raster{
            .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
            .depthBiasEnable = fragment.empty(),
            .depthBiasConstantFactor = 2.0f,
            .depthBiasSlopeFactor = 2.0f,
            .lineWidth = 1.0f};
        const VkPipelineMultisampleStateCreateInfo samples{.sType =
                                                               VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                           .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
        const VkPipelineDepthStencilStateCreateInfo depth_test{
            .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
            .depthTestEnable = VK_TRUE,
            .depthWriteEnable = VK_TRUE,
            .depthCompareOp = VK_COMPARE_OP_LESS};
        const std::vector blends(colors.size(), VkPipelineColorBlendAttachmentState{.colorWriteMask = 15});
        const VkPipelineColorBlendStateCreateInfo blend{.sType =
                                                            VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                        .attachmentCount = static_cast<uint32_t>(blends.size()),
                                                        .pAttachments = blends.data()};
        const VkDynamicState dynamics[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
        const VkPipelineDynamicStateCreateInfo dynamic{.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                       .dynamicStateCount = 2,
                                                       .pDynamicStates = dynamics};
        const VkPipelineRenderingCreateInfo rendering{.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                      .colorAttachmentCount = static_cast<uint32_t>(colors.size()),
                                                      .pColorAttachmentFormats = colors.data(),
                                                      .depthAttachmentFormat = depth};
        const VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                                .pNext = &rendering,
                                                .stageCount = static_cast<uint32_t>(stages.size()),
                                                .pStages = stages.data(),
                                                .pVertexInputState = &input,
                                                .pInputAssemblyState = &assembly,
                                                .pViewportState = &viewport,
                                                .pRasterizationState = &raster,
                                                .pMultisampleState = &samples,
                                                .pDepthStencilState = &depth_test,
                                                .pColorBlendState = &blend,
                                                .pDynamicState = &dynamic,
                                                .layout = layout};
        VkPipeline made;
        check(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &made), "vkCreateGraphicsPipelines");
        cleanup.push_back([this, made] { vkDestroyPipeline(device, made, nullptr); });
        return made;
    }

    VkFence create_fence() {
        VkFence made;
        const VkFenceCreateInfo info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                     .flags = VK_FENCE_CREATE_SIGNALED_BIT};
        check(vkCreateFence(device, &info, nullptr, &made), "vkCreateFence");
        cleanup.push_back([this, made] { vkDestroyFence(device, made, nullptr); });
        return made;
    }

    VkSemaphore create_semaphore() {
        VkSemaphore made;
        const VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
        check(vkCreateSemaphore(device, &info, nullptr, &made), "vkCreateSemaphore");
        cleanup.push_back([this, made] { vkDestroySemaphore(device, made, nullptr); });
        return made;
    }

    std::vector<VkCommandBuffer> create_commands(uint32_t count) {
        VkCommandPool pool;
        const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                                .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                                .queueFamilyIndex = family};
        check(vkCreateCommandPool(device, &pool_info, nullptr, &pool), "vkCreateCommandPool");
        cleanup.push_back([this, pool] { vkDestroyCommandPool(device, pool, nullptr); });
        std::vector<VkCommandBuffer> made(count);
        const VkCommandBufferAllocateInfo info{
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = count};
        check(vkAllocateCommandBuffers(device, &info, made.data()), "vkAllocateCommandBuffers");
        return made;
    }

    // Ends and submits the commands. With a window they wait for its image, whose presentation waits for them.
    void submit(VkCommandBuffer commands, VkFence fence, VkSemaphore acquired, VkSemaphore drawn) const {
        check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
        const VkPipelineStageFlags copies = VK_PIPELINE_STAGE_TRANSFER_BIT;
        const uint32_t semaphores = acquired != VK_NULL_HANDLE;
        const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .waitSemaphoreCount = semaphores,
                                .pWaitSemaphores = &acquired,
                                .pWaitDstStageMask = &copies,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &commands,
                                .signalSemaphoreCount = semaphores,
                                .pSignalSemaphores = &drawn};
        check(vkQueueSubmit(queue, 1, &info, fence), "vkQueueSubmit");
    }
};

// The stages and accesses that use an image in a layout.
inline std::pair<VkPipelineStageFlags2, VkAccessFlags2> use_of(VkImageLayout layout) {
    switch (layout) {
    case VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL:
        return {VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT};
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL:
        return {VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT};
    case VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL:
        return {VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT};
    case VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL:
        return {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_READ_BIT};
    case VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL:
        return {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};
    default: // new, or acquired from the display for a transfer, or for the display
        return {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, 0};
    }
}

// Orders the next use of an image after the last one.
inline void transition(VkCommandBuffer commands, image &image, VkImageLayout layout) {
    const auto [before, written] = use_of(image.layout);
    const auto [after, used] = use_of(layout);
    const VkImageMemoryBarrier2 barrier{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                        .srcStageMask = before,
                                        .srcAccessMask = written,
                                        .dstStageMask = after,
                                        .dstAccessMask = used,
                                        .oldLayout = image.layout,
                                        .newLayout = layout,
                                        .image = image.handle,
                                        .subresourceRange = {image.aspect, 0, 1, 0, 1}};
    const VkDependencyInfo dependency{
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier};
    vkCmdPipelineBarrier2(commands, &dependency);
    image.layout = layout;
}

inline void memory_barrier(VkCommandBuffer commands, VkPipelineStageFlags2 before, VkAccessFlags2 written,
                           VkPipelineStageFlags2 after, VkAccessFlags2 used) {
    const VkMemoryBarrier2 barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                   .srcStageMask = before,
                                   .srcAccessMask = written,
                                   .dstStageMask = after,
                                   .dstAccessMask = used};
    const VkDependencyInfo dependency{
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &barrier};
    vkCmdPipelineBarrier2(commands, &dependency);
}

// Begins a pass that clears its images: colours as given, and depth to 1.
struct target {
    VkImageView view;
    VkClearColorValue clear;
};
inline void begin_pass(VkCommandBuffer commands, std::initializer_list<target> targets, const image &depth,
                       VkExtent2D extent) {
    std::vector<VkRenderingAttachmentInfo> colors;
    for (const target &target : targets) {
        colors.push_back({.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                          .imageView = target.view,
                          .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                          .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                          .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                          .clearValue = {.color = target.clear}});
    }
    const VkRenderingAttachmentInfo depths{.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                           .imageView = depth.view,
                                           .imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                                           .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                           .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                           .clearValue = {.depthStencil = {1.0f, 0}}};
    const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                               .renderArea = {{0, 0}, extent},
                               .layerCount = 1,
                               .colorAttachmentCount = static_cast<uint32_t>(colors.size()),
                               .pColorAttachments = colors.data(),
                               .pDepthAttachment = &depths};
    const VkViewport viewport{0.0f, 0.0f, static_cast<float>(extent.width), static_cast<float>(extent.height),
                              0.0f, 1.0f};
    vkCmdBeginRendering(commands, &info);
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &info.renderArea);
}

// Copies an image of four bytes a pixel to the host: records, submits, waits.
inline std::vector<uint8_t> read_image(vulkan &vk, image &from, VkExtent2D extent) {
    const VkDeviceSize size = VkDeviceSize{4} * extent.width * extent.height;
    const buffer to = vk.create_buffer(size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
    const VkCommandBuffer commands = vk.create_commands(1)[0];
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    transition(commands, from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    const VkBufferImageCopy copy{.imageSubresource = {from.aspect, 0, 0, 1},
                                 .imageExtent = {extent.width, extent.height, 1}};
    vkCmdCopyImageToBuffer(commands, from.handle, from.layout, to.handle, 1, &copy);
    memory_barrier(commands, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                   VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
    vk.submit(commands, VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE);
    check(vkQueueWaitIdle(vk.queue), "vkQueueWaitIdle");
    const auto *bytes = static_cast<const uint8_t *>(to.mapped);
    return {bytes, bytes + size};
}

// The images of a window.
struct swapchain {
    vulkan &vk;
    GLFWwindow *window;
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    VkSwapchainKHR handle = VK_NULL_HANDLE;
    VkExtent2D extent{};
    std::vector<image> images;
    std::vector<VkSemaphore> drawn; // for each image
    uint32_t current = 0;

    swapchain(vulkan &vk, GLFWwindow *window) : vk(vk), window(window) {
        if (window != nullptr) {
            check(glfwCreateWindowSurface(vk.instance, window, nullptr, &surface), "glfwCreateWindowSurface");
            // The surface is destroyed after the device's objects, just before the instance.
            vk.cleanup.insert(vk.cleanup.begin() + 1,
                              [&vk, surface = surface] { vkDestroySurfaceKHR(vk.instance, surface, nullptr); });
            create();
        }
    }
    ~swapchain() {
        if (handle != VK_NULL_HANDLE) {
            vkDestroySwapchainKHR(vk.device, handle, nullptr);
        }
    }

    // Creates it, or creates it again after the window's size has changed.
    void create() {
        vkDeviceWaitIdle(vk.device);
        VkSurfaceCapabilitiesKHR can;
        check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(vk.physical, surface, &can), "the surface's capabilities");
        uint32_t count = 0;
        vkGetPhysicalDeviceSurfaceFormatsKHR(vk.physical, surface, &count, nullptr);
        std::vector<VkSurfaceFormatKHR> formats(count);
        vkGetPhysicalDeviceSurfaceFormatsKHR(vk.physical, surface, &count, formats.data());
        const auto encodes = std::find_if(formats.begin(), formats.end(), [](VkSurfaceFormatKHR format) {
            return format.format == VK_FORMAT_B8G8R8A8_SRGB || format.format == VK_FORMAT_R8G8B8A8_SRGB;
        });
        const VkSurfaceFormatKHR format = encodes != formats.end() ? *encodes : formats.at(0);
        int width, height;
        glfwGetFramebufferSize(window, &width, &height);
        extent.width = std::clamp<uint32_t>(width, can.minImageExtent.width, can.maxImageExtent.width);
        extent.height = std::clamp<uint32_t>(height, can.minImageExtent.height, can.maxImageExtent.height);
        const VkSwapchainKHR old = handle;
        const VkSwapchainCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                            .surface = surface,
                                            .minImageCount =
                                                can.minImageCount + (can.maxImageCount != can.minImageCount),
                                            .imageFormat = format.format,
                                            .imageColorSpace = format.colorSpace,
                                            .imageExtent = extent,
                                            .imageArrayLayers = 1,
                                            .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                            .preTransform = can.currentTransform,
                                            .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                            .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                            .clipped = VK_TRUE,
                                            .oldSwapchain = old};
        check(vkCreateSwapchainKHR(vk.device, &info, nullptr, &handle), "vkCreateSwapchainKHR");
        vkDestroySwapchainKHR(vk.device, old, nullptr);
        vkGetSwapchainImagesKHR(vk.device, handle, &count, nullptr);
        std::vector<VkImage> handles(count);
        vkGetSwapchainImagesKHR(vk.device, handle, &count, handles.data());
        images.clear();
        for (const VkImage of_window : handles) {
            images.push_back({of_window, VK_NULL_HANDLE, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED});
        }
        while (drawn.size() < images.size()) {
            drawn.push_back(vk.create_semaphore());
        }
    }

    // Waits until an image is to be drawn. The commands that write it wait for the semaphore.
    void acquire(VkSemaphore acquired) {
        while (vkAcquireNextImageKHR(vk.device, handle, UINT64_MAX, acquired, VK_NULL_HANDLE, &current) ==
               VK_ERROR_OUT_OF_DATE_KHR) {
            glfwWaitEvents(); // until the window is shown again
            create();
        }
        images[current].layout = VK_IMAGE_LAYOUT_UNDEFINED;
    }

    // Records a copy of a picture, which it scales.
    void record_copy(VkCommandBuffer commands, const image &from, VkExtent2D size) {
        image &to = images[current];
        const auto corner = [](VkExtent2D of) {
            return VkOffset3D{static_cast<int32_t>(of.width), static_cast<int32_t>(of.height), 1};
        };
        const VkImageBlit blit{.srcSubresource = {from.aspect, 0, 0, 1},
                               .srcOffsets = {{}, corner(size)},
                               .dstSubresource = {to.aspect, 0, 0, 1},
                               .dstOffsets = {{}, corner(extent)}};
        transition(commands, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdBlitImage(commands, from.handle, from.layout, to.handle, to.layout, 1, &blit, VK_FILTER_LINEAR);
        transition(commands, to, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    }

    void present() {
        const VkPresentInfoKHR info{.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                    .waitSemaphoreCount = 1,
                                    .pWaitSemaphores = &drawn[current],
                                    .swapchainCount = 1,
                                    .pSwapchains = &handle,
                                    .pImageIndices = &current};
        if (vkQueuePresentKHR(vk.queue, &info) != VK_SUCCESS) {
            create();
        }
    }
};

#endif
