// Images, uploads and textures.
#include "graphics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_image.h>

#define MAX_TEXTURE 8192

lmb_result graphics_check(VkResult result, const char *call, lmb_error *error) {
    if (result == VK_SUCCESS) {
        return LMB_OK;
    }
    return viewer_fail(error, LMB_ERROR_VULKAN, "%s failed with VkResult %d", call, (int)result);
}

static uint32_t find_memory_type(const device *device, uint32_t type_bits) {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(device->physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
        if ((type_bits >> i & 1) != 0 &&
            (memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0) {
            return i;
        }
    }
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
        if ((type_bits >> i & 1) != 0) {
            return i;
        }
    }
    return 0;
}

static lmb_result bind_image_memory(const device *device, graphics_image *image, lmb_error *error) {
    VkMemoryRequirements requirements;
    vkGetImageMemoryRequirements(device->device, image->image, &requirements);
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = requirements.size,
                                       .memoryTypeIndex = find_memory_type(device, requirements.memoryTypeBits)};
    if (graphics_check(vkAllocateMemory(device->device, &info, NULL, &image->memory), "vkAllocateMemory", error)) {
        return error->result;
    }
    return graphics_check(vkBindImageMemory(device->device, image->image, image->memory, 0), "vkBindImageMemory",
                          error);
}

lmb_result graphics_image_create(const device *device, const graphics_image_def *def, graphics_image *image,
                                 lmb_error *error) {
    *image = (graphics_image){0};
    const VkImageCreateInfo image_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                          .imageType = VK_IMAGE_TYPE_2D,
                                          .format = def->format,
                                          .extent = {def->extent.width, def->extent.height, 1},
                                          .mipLevels = def->levels,
                                          .arrayLayers = 1,
                                          .samples = def->samples,
                                          .usage = def->usage};
    lmb_result result =
        graphics_check(vkCreateImage(device->device, &image_info, NULL, &image->image), "vkCreateImage", error);
    if (result == LMB_OK) {
        result = bind_image_memory(device, image, error);
    }
    if (result == LMB_OK) {
        const VkImageViewCreateInfo view_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                                 .image = image->image,
                                                 .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                                 .format = def->format,
                                                 .subresourceRange = {def->aspect, 0, def->levels, 0, 1}};
        result = graphics_check(vkCreateImageView(device->device, &view_info, NULL, &image->view), "vkCreateImageView",
                                error);
    }
    if (result != LMB_OK) {
        graphics_image_destroy(device, image);
    }
    return result;
}

void graphics_image_destroy(const device *device, graphics_image *image) {
    vkDestroyImageView(device->device, image->view, NULL);
    vkDestroyImage(device->device, image->image, NULL);
    vkFreeMemory(device->device, image->memory, NULL);
    *image = (graphics_image){0};
}

static lmb_result copy_buffer(device *device, const device_buffer *from, const device_buffer *to, lmb_error *error) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    if (device_begin(device, &pool, &commands, error)) {
        return error->result;
    }
    const VkBufferCopy region = {0, 0, from->size};
    vkCmdCopyBuffer(commands, from->buffer, to->buffer, 1, &region);
    return device_submit_and_wait(device, pool, commands, error);
}

lmb_result graphics_buffer_upload(device *device, const void *bytes, VkDeviceSize size, VkBufferUsageFlags usage,
                                  device_buffer *buffer, lmb_error *error) {
    device_buffer staging = {0};
    if (device_buffer_create(device, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true, &staging, error)) {
        return error->result;
    }
    memcpy(staging.mapped, bytes, (size_t)size);
    lmb_result result =
        device_buffer_create(device, size, usage | VK_BUFFER_USAGE_TRANSFER_DST_BIT, false, buffer, error);
    if (result == LMB_OK) {
        result = copy_buffer(device, &staging, buffer, error);
    }
    device_buffer_destroy(device, &staging);
    return result;
}

void graphics_record_transition(VkCommandBuffer commands, const graphics_transition *transition) {
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = transition->source_access,
        .dstAccessMask = transition->target_access,
        .oldLayout = transition->from,
        .newLayout = transition->to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = transition->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1}};
    vkCmdPipelineBarrier(commands, transition->source_stage, transition->target_stage, 0, 0, NULL, 0, NULL, 1,
                         &barrier);
}

// All mip levels of an RGBA texture in one block, each half the size of the previous one.
typedef struct levels {
    uint8_t *bytes;
    size_t size;
    uint32_t count;
    uint32_t width;
    uint32_t height;
} levels;

static uint32_t half(uint32_t length) {
    return length > 1 ? length / 2 : 1;
}

static void shrink(const uint8_t *from, uint32_t width, uint32_t height, uint8_t *to) {
    for (uint32_t y = 0; y < half(height); y++) {
        const uint8_t *first = from + (size_t)(2 * y) * width * 4;
        const uint8_t *second = 2 * y + 1 < height ? first + (size_t)width * 4 : first;
        for (uint32_t x = 0; x < half(width); x++) {
            size_t left = (size_t)(2 * x) * 4;
            size_t right = 2 * x + 1 < width ? left + 4 : left;
            for (size_t i = 0; i < 4; i++) {
                int sum = first[left + i] + first[right + i] + second[left + i] + second[right + i];
                to[((size_t)y * half(width) + x) * 4 + i] = (uint8_t)((sum + 2) / 4);
            }
        }
    }
}

static bool build_levels(const uint8_t *pixels, uint32_t width, uint32_t height, levels *levels) {
    *levels = (struct levels){.count = 1, .width = width, .height = height};
    for (uint32_t longest = width > height ? width : height; longest > 1; longest /= 2) {
        levels->count++;
    }
    uint32_t w = width;
    uint32_t h = height;
    for (uint32_t i = 0; i < levels->count; i++, w = half(w), h = half(h)) {
        levels->size += (size_t)w * h * 4;
    }
    levels->bytes = malloc(levels->size);
    if (levels->bytes == NULL) {
        return false;
    }
    uint8_t *at = levels->bytes;
    memcpy(at, pixels, (size_t)width * height * 4);
    w = width;
    h = height;
    for (uint32_t i = 1; i < levels->count; i++, w = half(w), h = half(h)) {
        uint8_t *next = at + (size_t)w * h * 4;
        shrink(at, w, h, next);
        at = next;
    }
    return true;
}

static void record_level_copies(VkCommandBuffer commands, VkBuffer staging, VkImage image, const levels *levels) {
    VkDeviceSize offset = 0;
    uint32_t width = levels->width;
    uint32_t height = levels->height;
    for (uint32_t i = 0; i < levels->count; i++, width = half(width), height = half(height)) {
        const VkBufferImageCopy region = {.bufferOffset = offset,
                                          .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, 1},
                                          .imageExtent = {width, height, 1}};
        vkCmdCopyBufferToImage(commands, staging, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        offset += (VkDeviceSize)width * height * 4;
    }
}

static lmb_result upload_levels(device *device, const levels *levels, VkImage image, lmb_error *error) {
    device_buffer staging = {0};
    if (device_buffer_create(device, levels->size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true, &staging, error)) {
        return error->result;
    }
    memcpy(staging.mapped, levels->bytes, levels->size);
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_result result = device_begin(device, &pool, &commands, error);
    if (result == LMB_OK) {
        graphics_record_transition(commands, &(graphics_transition){.image = image,
                                                                    .to = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                                                    .source_stage = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                                                                    .target_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                                    .target_access = VK_ACCESS_TRANSFER_WRITE_BIT});
        record_level_copies(commands, staging.buffer, image, levels);
        graphics_record_transition(commands,
                                   &(graphics_transition){.image = image,
                                                          .from = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                                          .to = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                                          .source_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                          .target_stage = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                                          .source_access = VK_ACCESS_TRANSFER_WRITE_BIT,
                                                          .target_access = VK_ACCESS_SHADER_READ_BIT});
        result = device_submit_and_wait(device, pool, commands, error);
    }
    device_buffer_destroy(device, &staging);
    return result;
}

static lmb_result create_texture(device *device, const uint8_t *pixels, uint32_t width, uint32_t height,
                                 graphics_image *texture, lmb_error *error) {
    levels levels;
    if (!build_levels(pixels, width, height, &levels)) {
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for a texture of %u x %u", width, height);
    }
    const graphics_image_def def = {.format = VK_FORMAT_R8G8B8A8_SRGB,
                                    .extent = {width, height},
                                    .levels = levels.count,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                    .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
    lmb_result result = graphics_image_create(device, &def, texture, error);
    if (result == LMB_OK) {
        result = upload_levels(device, &levels, texture->image, error);
    }
    free(levels.bytes);
    return result;
}

lmb_result graphics_texture_create(device *device, const uint8_t *bytes, size_t size, const char *name,
                                   graphics_image *texture, lmb_error *error) {
    if (bytes == NULL) {
        static const uint8_t white[4] = {255, 255, 255, 255};
        return create_texture(device, white, 1, 1, texture, error);
    }
    int width = 0;
    int height = 0;
    int channels = 0;
    if (size > INT32_MAX || !stbi_info_from_memory(bytes, (int)size, &width, &height, &channels)) {
        return viewer_fail(error, LMB_ERROR_FORMAT, "image '%s' is neither a PNG nor a JPEG", name);
    }
    if (width > MAX_TEXTURE || height > MAX_TEXTURE) {
        return viewer_fail(error, LMB_ERROR_LIMIT, "image '%s' is %d x %d, more than %d", name, width, height,
                           MAX_TEXTURE);
    }
    uint8_t *pixels = stbi_load_from_memory(bytes, (int)size, &width, &height, &channels, 4);
    if (pixels == NULL) {
        return viewer_fail(error, LMB_ERROR_FORMAT, "image '%s': %s", name, stbi_failure_reason());
    }
    lmb_result result = create_texture(device, pixels, (uint32_t)width, (uint32_t)height, texture, error);
    stbi_image_free(pixels);
    return result;
}
