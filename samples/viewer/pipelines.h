// The renderer's render passes and pipelines.
#ifndef LIMBER_SAMPLES_VIEWER_PIPELINES_H
#define LIMBER_SAMPLES_VIEWER_PIPELINES_H

#include "graphics.h"

// Mirrored by frame.glsl.
typedef struct push_constants {
    VkDeviceAddress frame;
    VkDeviceAddress palette;
    VkDeviceAddress placements;
    uint32_t joint_count;
    uint32_t first_placement;
    uint32_t influence_count;
    float base_color[4]; // the last is the share of the character's tint
    VkDeviceAddress positions;
    VkDeviceAddress normals;
    uint32_t character_vertices;
} push_constants;

typedef enum pipeline_id {
    PIPELINE_SHADOW,
    PIPELINE_SHADOW_DOUBLE_SIDED,
    PIPELINE_CHARACTER,
    PIPELINE_CHARACTER_DOUBLE_SIDED,
    PIPELINE_SKINNED,
    PIPELINE_SKINNED_SHADOW,
    PIPELINE_GROUND,
    PIPELINE_SOLID,
    PIPELINE_SOLID_SHADOW,
    PIPELINE_CONTACT,
    PIPELINE_SKY,
    PIPELINE_COUNT
} pipeline_id;

typedef struct pipelines {
    VkFormat depth_format;
    VkSampleCountFlagBits samples;
    int32_t shadow_fetches; // per side
    VkRenderPass shadow_pass;
    VkRenderPass picture_pass;        // color, depth, and the resolved picture if there is more than one sample
    VkDescriptorSetLayout set_layout; // binding 0 the base color texture, binding 1 the shadow map
    VkPipelineLayout layout;
    VkPipeline handles[PIPELINE_COUNT];
} pipelines;

// `fine`: four samples per pixel if the device supports that, and softer shadows.
lmb_result pipelines_create(const device *device, VkFormat picture_format, bool fine, pipelines *pipelines,
                            lmb_error *error);
// The object may be zeroed.
void pipelines_destroy(const device *device, pipelines *pipelines);

#endif
