// Creates the render passes and pipelines.
#include "pipelines.h"

#include <stddef.h>

#include <limber/import.h>

#include "solids.h"

static const uint32_t character_vert[] = {
#include "character.vert.inc"
};
static const uint32_t character_frag[] = {
#include "character.frag.inc"
};
static const uint32_t shadow_vert[] = {
#include "shadow.vert.inc"
};
static const uint32_t ground_vert[] = {
#include "ground.vert.inc"
};
static const uint32_t ground_frag[] = {
#include "ground.frag.inc"
};
static const uint32_t skinned_vert[] = {
#include "skinned.vert.inc"
};
static const uint32_t skinned_shadow_vert[] = {
#include "skinned_shadow.vert.inc"
};
static const uint32_t solid_vert[] = {
#include "solid.vert.inc"
};
static const uint32_t solid_frag[] = {
#include "solid.frag.inc"
};
static const uint32_t solid_shadow_vert[] = {
#include "solid_shadow.vert.inc"
};
static const uint32_t contact_vert[] = {
#include "contact.vert.inc"
};
static const uint32_t contact_frag[] = {
#include "contact.frag.inc"
};
static const uint32_t sky_vert[] = {
#include "sky.vert.inc"
};
static const uint32_t sky_frag[] = {
#include "sky.frag.inc"
};

typedef struct shader_code {
    const uint32_t *words;
    size_t size;
} shader_code;

#define CODE(words)                                                                                                    \
    { words, sizeof words }

#define SKINNING_ATTRIBUTES 5u // position, joints, weights
#define MESH_ATTRIBUTES 7u     // and normal, texture coordinates
#define SOLID_ATTRIBUTES 3u    // of solid_vertex

typedef struct pipeline_def {
    shader_code vertex;
    shader_code fragment; // none: only depth
    uint32_t attributes;  // of lmb_vertex; 0 for a strip computed from vertex indices
    uint32_t first_attribute;
    bool solid;     // the attributes are those of solid_vertex
    bool triangles; // also without attributes
    bool cull;
    bool depth_write;
    bool multiply;   // color is multiplied with the picture
    bool depth_bias; // away from the light, or towards the eye
    float bias;
    float slope_bias;
} pipeline_def;

static const pipeline_def defs[PIPELINE_COUNT] = {
    [PIPELINE_SHADOW] = {.vertex = CODE(shadow_vert),
                         .attributes = SKINNING_ATTRIBUTES,
                         .cull = true,
                         .depth_write = true,
                         .depth_bias = true,
                         .bias = 2.0f,
                         .slope_bias = 2.0f},
    [PIPELINE_SHADOW_DOUBLE_SIDED] = {.vertex = CODE(shadow_vert),
                                      .attributes = SKINNING_ATTRIBUTES,
                                      .depth_write = true,
                                      .depth_bias = true,
                                      .bias = 2.0f,
                                      .slope_bias = 2.0f},
    [PIPELINE_CHARACTER] = {.vertex = CODE(character_vert),
                            .fragment = CODE(character_frag),
                            .attributes = MESH_ATTRIBUTES,
                            .cull = true,
                            .depth_write = true},
    [PIPELINE_CHARACTER_DOUBLE_SIDED] = {.vertex = CODE(character_vert),
                                         .fragment = CODE(character_frag),
                                         .attributes = MESH_ATTRIBUTES,
                                         .depth_write = true},
    [PIPELINE_SKINNED] = {.vertex = CODE(skinned_vert),
                          .fragment = CODE(character_frag),
                          .first_attribute = MESH_ATTRIBUTES - 1, // texture coordinates
                          .attributes = 1,
                          .triangles = true,
                          .depth_write = true},
    [PIPELINE_SKINNED_SHADOW] = {.vertex = CODE(skinned_shadow_vert),
                                 .triangles = true,
                                 .depth_write = true,
                                 .depth_bias = true,
                                 .bias = 2.0f,
                                 .slope_bias = 2.0f},
    [PIPELINE_GROUND] = {.vertex = CODE(ground_vert), .fragment = CODE(ground_frag), .depth_write = true},
    [PIPELINE_SOLID] = {.vertex = CODE(solid_vert),
                        .fragment = CODE(solid_frag),
                        .attributes = SOLID_ATTRIBUTES,
                        .solid = true,
                        .depth_write = true},
    [PIPELINE_SOLID_SHADOW] = {.vertex = CODE(solid_shadow_vert),
                               .attributes = 1,
                               .solid = true,
                               .depth_write = true,
                               .depth_bias = true,
                               .bias = 2.0f,
                               .slope_bias = 2.0f},
    [PIPELINE_CONTACT] = {.vertex = CODE(contact_vert),
                          .fragment = CODE(contact_frag),
                          .multiply = true,
                          .depth_bias = true,
                          .bias = -16.0f,
                          .slope_bias = -1.0f},
    [PIPELINE_SKY] = {.vertex = CODE(sky_vert), .fragment = CODE(sky_frag)},
};

static VkFormat choose_depth_format(const device *device) {
    static const VkFormat formats[] = {VK_FORMAT_D32_SFLOAT, VK_FORMAT_X8_D24_UNORM_PACK32};
    const VkFormatFeatureFlags needed =
        VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        VkFormatProperties properties;
        vkGetPhysicalDeviceFormatProperties(device->physical, formats[i], &properties);
        if ((properties.optimalTilingFeatures & needed) == needed) {
            return formats[i];
        }
    }
    return VK_FORMAT_D16_UNORM;
}

static VkSampleCountFlagBits choose_samples(const device *device, bool fine) {
    const VkPhysicalDeviceLimits *limits = &device->properties.limits;
    VkSampleCountFlags both = limits->framebufferColorSampleCounts & limits->framebufferDepthSampleCounts;
    return fine && (both & VK_SAMPLE_COUNT_4_BIT) != 0 ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
}

static lmb_result create_shadow_pass(const device *device, pipelines *pipelines, lmb_error *error) {
    const VkAttachmentDescription depth = {.format = pipelines->depth_format,
                                           .samples = VK_SAMPLE_COUNT_1_BIT,
                                           .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                           .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                           .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                           .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                           .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL};
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .pDepthStencilAttachment = &reference};
    const VkPipelineStageFlags tests =
        VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
    const VkAccessFlags depth_access =
        VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    const VkSubpassDependency dependencies[2] = {
        // The previous frame wrote and read the same map.
        {.srcSubpass = VK_SUBPASS_EXTERNAL,
         .srcStageMask = tests | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
         .dstStageMask = tests,
         .srcAccessMask = VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
         .dstAccessMask = depth_access},
        {.dstSubpass = VK_SUBPASS_EXTERNAL,
         .srcStageMask = tests,
         .dstStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
         .srcAccessMask = VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
         .dstAccessMask = VK_ACCESS_SHADER_READ_BIT},
    };
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1,
                                         .pAttachments = &depth,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass,
                                         .dependencyCount = 2,
                                         .pDependencies = dependencies};
    return graphics_check(vkCreateRenderPass(device->device, &info, NULL, &pipelines->shadow_pass),
                          "vkCreateRenderPass", error);
}

static lmb_result create_picture_pass(const device *device, VkFormat format, pipelines *pipelines, lmb_error *error) {
    bool resolves = pipelines->samples != VK_SAMPLE_COUNT_1_BIT;
    const VkAttachmentDescription attachments[3] = {
        {.format = format,
         .samples = pipelines->samples,
         .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE, // the sky covers all remaining pixels
         .storeOp = resolves ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE,
         .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .finalLayout = resolves ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
        {.format = pipelines->depth_format,
         .samples = pipelines->samples,
         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
         .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
        {.format = format,
         .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
         .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
    };
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference resolved = {2, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = 1,
                                          .pColorAttachments = &color,
                                          .pResolveAttachments = resolves ? &resolved : NULL,
                                          .pDepthStencilAttachment = &depth};
    const VkPipelineStageFlags drawing = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                         VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                         VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
    const VkAccessFlags writes = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    const VkSubpassDependency dependencies[2] = {
        // The previous frame drew into the same images, and its picture was copied.
        {.srcSubpass = VK_SUBPASS_EXTERNAL,
         .srcStageMask = drawing | VK_PIPELINE_STAGE_TRANSFER_BIT,
         .dstStageMask = drawing,
         .srcAccessMask = writes,
         .dstAccessMask = writes | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT},
        {.dstSubpass = VK_SUBPASS_EXTERNAL,
         .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
         .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
         .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
         .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT},
    };
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = resolves ? 3 : 2,
                                         .pAttachments = attachments,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass,
                                         .dependencyCount = 2,
                                         .pDependencies = dependencies};
    return graphics_check(vkCreateRenderPass(device->device, &info, NULL, &pipelines->picture_pass),
                          "vkCreateRenderPass", error);
}

static lmb_result create_layouts(const device *device, pipelines *pipelines, lmb_error *error) {
    VkDescriptorSetLayoutBinding bindings[2];
    for (uint32_t i = 0; i < 2; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT};
    }
    const VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    if (graphics_check(vkCreateDescriptorSetLayout(device->device, &set_info, NULL, &pipelines->set_layout),
                       "vkCreateDescriptorSetLayout", error)) {
        return error->result;
    }
    const VkPushConstantRange range = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                                       sizeof(push_constants)};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = 1,
                                             .pSetLayouts = &pipelines->set_layout,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &range};
    return graphics_check(vkCreatePipelineLayout(device->device, &info, NULL, &pipelines->layout),
                          "vkCreatePipelineLayout", error);
}

static lmb_result create_module(const device *device, shader_code code, VkShaderModule *module, lmb_error *error) {
    *module = VK_NULL_HANDLE;
    if (code.words == NULL) {
        return LMB_OK;
    }
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code.size, .pCode = code.words};
    return graphics_check(vkCreateShaderModule(device->device, &info, NULL, module), "vkCreateShaderModule", error);
}

static VkPipelineVertexInputStateCreateInfo describe_solids(uint32_t attribute_count) {
    static const VkVertexInputBindingDescription binding = {0, sizeof(solid_vertex), VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attributes[SOLID_ATTRIBUTES] = {
        {0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(solid_vertex, position)},
        {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(solid_vertex, normal)},
        {2, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(solid_vertex, color)},
    };
    return (VkPipelineVertexInputStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                  .vertexBindingDescriptionCount = 1,
                                                  .pVertexBindingDescriptions = &binding,
                                                  .vertexAttributeDescriptionCount = attribute_count,
                                                  .pVertexAttributeDescriptions = attributes};
}

static VkPipelineVertexInputStateCreateInfo describe_vertices(uint32_t first_attribute, uint32_t attribute_count) {
    static const VkVertexInputBindingDescription binding = {0, sizeof(lmb_vertex), VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attributes[] = {
        {0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(lmb_vertex, position)},
        {1, 0, VK_FORMAT_R32G32B32A32_UINT, offsetof(lmb_vertex, joints)},
        {2, 0, VK_FORMAT_R32G32B32A32_UINT, offsetof(lmb_vertex, joints) + 4 * sizeof(uint32_t)},
        {3, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(lmb_vertex, weights)},
        {4, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(lmb_vertex, weights) + 4 * sizeof(float)},
        {5, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(lmb_vertex, normal)},
        {6, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(lmb_vertex, texcoord)},
    };
    VkPipelineVertexInputStateCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    if (attribute_count > 0) {
        info.vertexBindingDescriptionCount = 1;
        info.pVertexBindingDescriptions = &binding;
        info.vertexAttributeDescriptionCount = attribute_count;
        info.pVertexAttributeDescriptions = attributes + first_attribute;
    }
    return info;
}

static VkPipelineColorBlendAttachmentState describe_blend(bool multiply) {
    VkPipelineColorBlendAttachmentState blend = {.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                                                                   VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT};
    if (multiply) {
        blend.blendEnable = VK_TRUE;
        blend.srcColorBlendFactor = VK_BLEND_FACTOR_ZERO;
        blend.dstColorBlendFactor = VK_BLEND_FACTOR_SRC_COLOR;
        blend.srcAlphaBlendFactor = VK_BLEND_FACTOR_ZERO;
        blend.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
    }
    return blend;
}

static lmb_result create_pipeline_of(const device *device, const pipelines *pipelines, const pipeline_def *def,
                                     const VkShaderModule modules[2], VkPipeline *pipeline, lmb_error *error) {
    bool picture = modules[1] != VK_NULL_HANDLE;
    const VkSpecializationMapEntry entry = {0, 0, sizeof pipelines->shadow_fetches};
    const VkSpecializationInfo constants = {1, &entry, sizeof pipelines->shadow_fetches, &pipelines->shadow_fetches};
    const VkPipelineShaderStageCreateInfo stages[2] = {{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                        .stage = VK_SHADER_STAGE_VERTEX_BIT,
                                                        .module = modules[0],
                                                        .pName = "main"},
                                                       {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                        .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
                                                        .module = modules[1],
                                                        .pName = "main",
                                                        .pSpecializationInfo = &constants}};
    const VkPipelineVertexInputStateCreateInfo vertices =
        def->solid ? describe_solids(def->attributes) : describe_vertices(def->first_attribute, def->attributes);
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = def->attributes > 0 || def->triangles ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
                                                          : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP};
    const VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .cullMode = def->cull ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE,
        .frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE,
        .depthBiasEnable = def->depth_bias,
        .depthBiasConstantFactor = def->bias,
        .depthBiasSlopeFactor = def->slope_bias,
        .lineWidth = 1.0f};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = picture ? pipelines->samples : VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineDepthStencilStateCreateInfo depth = {.sType =
                                                             VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                         .depthTestEnable = VK_TRUE,
                                                         .depthWriteEnable = def->depth_write,
                                                         .depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL};
    const VkPipelineColorBlendAttachmentState attachment = describe_blend(def->multiply);
    const VkPipelineColorBlendStateCreateInfo blend = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                       .attachmentCount = picture ? 1 : 0,
                                                       .pAttachments = &attachment};
    const VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    const VkPipelineDynamicStateCreateInfo dynamic = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                      .dynamicStateCount = 2,
                                                      .pDynamicStates = dynamic_states};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .stageCount = picture ? 2 : 1,
                                               .pStages = stages,
                                               .pVertexInputState = &vertices,
                                               .pInputAssemblyState = &assembly,
                                               .pViewportState = &viewport,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .pDepthStencilState = &depth,
                                               .pColorBlendState = &blend,
                                               .pDynamicState = &dynamic,
                                               .layout = pipelines->layout,
                                               .renderPass =
                                                   picture ? pipelines->picture_pass : pipelines->shadow_pass};
    return graphics_check(vkCreateGraphicsPipelines(device->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline),
                          "vkCreateGraphicsPipelines", error);
}

static lmb_result create_pipeline(const device *device, const pipelines *pipelines, const pipeline_def *def,
                                  VkPipeline *pipeline, lmb_error *error) {
    VkShaderModule modules[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
    lmb_result result = create_module(device, def->vertex, &modules[0], error);
    if (result == LMB_OK) {
        result = create_module(device, def->fragment, &modules[1], error);
    }
    if (result == LMB_OK) {
        result = create_pipeline_of(device, pipelines, def, modules, pipeline, error);
    }
    vkDestroyShaderModule(device->device, modules[0], NULL);
    vkDestroyShaderModule(device->device, modules[1], NULL);
    return result;
}

static lmb_result create_all(const device *device, VkFormat picture_format, pipelines *pipelines, lmb_error *error) {
    if (create_shadow_pass(device, pipelines, error) || create_picture_pass(device, picture_format, pipelines, error) ||
        create_layouts(device, pipelines, error)) {
        return error->result;
    }
    for (uint32_t i = 0; i < PIPELINE_COUNT; i++) {
        if (create_pipeline(device, pipelines, &defs[i], &pipelines->handles[i], error)) {
            return error->result;
        }
    }
    return LMB_OK;
}

lmb_result pipelines_create(const device *device, VkFormat picture_format, bool fine, pipelines *pipelines,
                            lmb_error *error) {
    *pipelines = (struct pipelines){.depth_format = choose_depth_format(device),
                                    .samples = choose_samples(device, fine),
                                    .shadow_fetches = fine ? 4 : 2};
    lmb_result result = create_all(device, picture_format, pipelines, error);
    if (result != LMB_OK) {
        pipelines_destroy(device, pipelines);
    }
    return result;
}

void pipelines_destroy(const device *device, pipelines *pipelines) {
    for (uint32_t i = 0; i < PIPELINE_COUNT; i++) {
        vkDestroyPipeline(device->device, pipelines->handles[i], NULL);
    }
    vkDestroyPipelineLayout(device->device, pipelines->layout, NULL);
    vkDestroyDescriptorSetLayout(device->device, pipelines->set_layout, NULL);
    vkDestroyRenderPass(device->device, pipelines->picture_pass, NULL);
    vkDestroyRenderPass(device->device, pipelines->shadow_pass, NULL);
    *pipelines = (struct pipelines){0};
}
