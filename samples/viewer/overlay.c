// Draws rectangles and text by clearing rectangles of the picture.
#include "overlay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_easy_font.h>

// The picture's values are already sRGB-encoded.
static const float colors[OVERLAY_COLOR_COUNT][4] = {
    [OVERLAY_PANEL] = {0.09f, 0.10f, 0.12f, 1.0f},  [OVERLAY_LINE] = {0.30f, 0.32f, 0.36f, 1.0f},
    [OVERLAY_BLUE] = {0.34f, 0.61f, 0.91f, 1.0f},   [OVERLAY_ORANGE] = {0.94f, 0.60f, 0.25f, 1.0f},
    [OVERLAY_GREEN] = {0.40f, 0.76f, 0.45f, 1.0f},  [OVERLAY_PINK] = {0.87f, 0.45f, 0.66f, 1.0f},
    [OVERLAY_YELLOW] = {0.93f, 0.83f, 0.35f, 1.0f}, [OVERLAY_GREY] = {0.60f, 0.62f, 0.66f, 1.0f},
    [OVERLAY_TEXT] = {0.95f, 0.95f, 0.93f, 1.0f},
};

static lmb_result create_pass(overlay *overlay, VkFormat format, lmb_error *error) {
    const VkAttachmentDescription picture = {.format = format,
                                             .samples = VK_SAMPLE_COUNT_1_BIT,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                             .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                             .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                             .initialLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                             .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS, .colorAttachmentCount = 1, .pColorAttachments = &color};
    const VkPipelineStageFlags drawing = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    const VkAccessFlags writes = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
    const VkSubpassDependency dependencies[2] = {
        // The picture's own pass leaves it ready for transfers.
        {.srcSubpass = VK_SUBPASS_EXTERNAL,
         .srcStageMask = drawing | VK_PIPELINE_STAGE_TRANSFER_BIT,
         .dstStageMask = drawing,
         .srcAccessMask = writes,
         .dstAccessMask = writes | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT},
        {.dstSubpass = VK_SUBPASS_EXTERNAL,
         .srcStageMask = drawing,
         .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
         .srcAccessMask = writes,
         .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT},
    };
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1,
                                         .pAttachments = &picture,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass,
                                         .dependencyCount = 2,
                                         .pDependencies = dependencies};
    return graphics_check(vkCreateRenderPass(overlay->device->device, &info, NULL, &overlay->pass),
                          "vkCreateRenderPass", error);
}

lmb_result overlay_create(const device *device, VkFormat format, overlay *overlay, lmb_error *error) {
    *overlay = (struct overlay){.device = device};
    overlay->rectangles = calloc((size_t)OVERLAY_COLOR_COUNT * OVERLAY_MAX_RECTANGLES, sizeof *overlay->rectangles);
    if (overlay->rectangles == NULL) {
        return graphics_fail(error, LMB_ERROR_MEMORY, "no memory for the overlay");
    }
    return create_pass(overlay, format, error);
}

void overlay_destroy(overlay *overlay) {
    if (overlay->device != NULL) {
        vkDestroyFramebuffer(overlay->device->device, overlay->framebuffer, NULL);
        vkDestroyRenderPass(overlay->device->device, overlay->pass, NULL);
    }
    free(overlay->rectangles);
    *overlay = (struct overlay){0};
}

lmb_result overlay_set_picture(overlay *overlay, VkImageView picture, VkExtent2D extent, lmb_error *error) {
    vkDestroyFramebuffer(overlay->device->device, overlay->framebuffer, NULL);
    overlay->framebuffer = VK_NULL_HANDLE;
    overlay->extent = extent;
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = overlay->pass,
                                          .attachmentCount = 1,
                                          .pAttachments = &picture,
                                          .width = extent.width,
                                          .height = extent.height,
                                          .layers = 1};
    return graphics_check(vkCreateFramebuffer(overlay->device->device, &info, NULL, &overlay->framebuffer),
                          "vkCreateFramebuffer", error);
}

void overlay_clear(overlay *overlay) {
    memset(overlay->counts, 0, sizeof overlay->counts);
}

static float cut(float value, uint32_t most) {
    return fminf(fmaxf(roundf(value), 0.0f), (float)most);
}

void overlay_rectangle(overlay *overlay, float x, float y, float width, float height, overlay_color color) {
    float left = cut(x, overlay->extent.width);
    float top = cut(y, overlay->extent.height);
    float right = cut(x + width, overlay->extent.width);
    float bottom = cut(y + height, overlay->extent.height);
    if (right > left && bottom > top && overlay->counts[color] < OVERLAY_MAX_RECTANGLES) {
        overlay->rectangles[color * OVERLAY_MAX_RECTANGLES + overlay->counts[color]++] =
            (VkClearRect){.rect = {{(int32_t)left, (int32_t)top}, {(uint32_t)(right - left), (uint32_t)(bottom - top)}},
                          .layerCount = 1};
    }
}

// stb_easy_font returns letters as quads of four corners, which are all upright rectangles.
typedef struct letter_corner {
    float x, y, z;
    uint8_t color[4];
} letter_corner;

void overlay_text(overlay *overlay, float x, float y, float scale, const char *text) {
    static letter_corner corners[4 * 4096];
    char line[256]; // stb takes text that is not const
    snprintf(line, sizeof line, "%s", text);
    int quads = stb_easy_font_print(0.0f, 0.0f, line, NULL, corners, sizeof corners);
    for (int i = 0; i < quads; i++) {
        const letter_corner *first = &corners[4 * i], *opposite = &corners[4 * i + 2];
        overlay_rectangle(overlay, x + scale * first->x, y + scale * first->y, scale * (opposite->x - first->x),
                          scale * (opposite->y - first->y), OVERLAY_TEXT);
    }
}

float overlay_text_width(float scale, const char *text) {
    char line[256];
    snprintf(line, sizeof line, "%s", text);
    return scale * (float)stb_easy_font_width(line);
}

void overlay_record(const overlay *overlay, VkCommandBuffer commands) {
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = overlay->pass,
                                         .framebuffer = overlay->framebuffer,
                                         .renderArea = {.extent = overlay->extent}};
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    for (uint32_t color = 0; color < OVERLAY_COLOR_COUNT; color++) {
        if (overlay->counts[color] > 0) {
            VkClearAttachment clear = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
            memcpy(clear.clearValue.color.float32, colors[color], sizeof colors[color]);
            vkCmdClearAttachments(commands, 1, &clear, overlay->counts[color],
                                  overlay->rectangles + (size_t)color * OVERLAY_MAX_RECTANGLES);
        }
    }
    vkCmdEndRenderPass(commands);
}
