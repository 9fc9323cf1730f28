// Vulkan helpers shared by the renderer and the window.
#ifndef LIMBER_SAMPLES_VIEWER_GRAPHICS_H
#define LIMBER_SAMPLES_VIEWER_GRAPHICS_H

#include "device.h"
#include "fail.h"

// Returns LMB_OK, or LMB_ERROR_VULKAN with the call's name in the message.
lmb_result graphics_check(VkResult result, const char *call, lmb_error *error);

typedef struct graphics_image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
} graphics_image;

typedef struct graphics_image_def {
    VkFormat format;
    VkExtent2D extent;
    uint32_t levels;
    VkSampleCountFlagBits samples;
    VkImageUsageFlags usage;
    VkImageAspectFlags aspect;
} graphics_image_def;

lmb_result graphics_image_create(const device *device, const graphics_image_def *def, graphics_image *image,
                                 lmb_error *error);
// The image may be zeroed.
void graphics_image_destroy(const device *device, graphics_image *image);

// Creates a buffer on the device, fills it through staging memory, and waits for that.
lmb_result graphics_buffer_upload(device *device, const void *bytes, VkDeviceSize size, VkBufferUsageFlags usage,
                                  device_buffer *buffer, lmb_error *error);

// Creates a sampled texture with all mip levels from a PNG or JPEG; one white texel if `bytes` is NULL.
lmb_result graphics_texture_create(device *device, const uint8_t *bytes, size_t size, const char *name,
                                   graphics_image *texture, lmb_error *error);

// A change of layout of a whole image.
typedef struct graphics_transition {
    VkImage image;
    VkImageLayout from, to;
    VkPipelineStageFlags source_stage, target_stage;
    VkAccessFlags source_access, target_access;
} graphics_transition;

void graphics_record_transition(VkCommandBuffer commands, const graphics_transition *transition);

#endif
