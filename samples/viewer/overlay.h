// Rectangles and text over the finished picture, in pixels from its upper left corner. They are drawn by clearing
// rectangles, so they need no shader and no pipeline.
#ifndef LIMBER_SAMPLES_VIEWER_OVERLAY_H
#define LIMBER_SAMPLES_VIEWER_OVERLAY_H

#include "graphics.h"

// Later colors are drawn over earlier ones.
typedef enum overlay_color {
    OVERLAY_PANEL,
    OVERLAY_LINE,
    OVERLAY_BLUE,
    OVERLAY_ORANGE,
    OVERLAY_GREEN,
    OVERLAY_PINK,
    OVERLAY_YELLOW,
    OVERLAY_GREY,
    OVERLAY_TEXT,
    OVERLAY_COLOR_COUNT
} overlay_color;

#define OVERLAY_MAX_RECTANGLES 4096u // per color

typedef struct overlay {
    const device *device;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkExtent2D extent;
    VkClearRect *rectangles; // [color][OVERLAY_MAX_RECTANGLES]
    uint32_t counts[OVERLAY_COLOR_COUNT];
} overlay;

// After a failure, overlay_destroy() must be called.
lmb_result overlay_create(const device *device, VkFormat format, overlay *overlay, lmb_error *error);
// The overlay may be zeroed. The device must be idle.
void overlay_destroy(overlay *overlay);
// Sets the picture to draw on. The device must be idle.
lmb_result overlay_set_picture(overlay *overlay, VkImageView picture, VkExtent2D extent, lmb_error *error);

// Removes everything.
void overlay_clear(overlay *overlay);
// Clips the rectangle to the picture.
void overlay_rectangle(overlay *overlay, float x, float y, float width, float height, overlay_color color);
// Draws one line with its upper left corner at x, y. Letters are about 7 `scale` high, and lines need 12.
void overlay_text(overlay *overlay, float x, float y, float scale, const char *text);
float overlay_text_width(float scale, const char *text);

// Draws on the picture, whose layout is VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL before and after.
void overlay_record(const overlay *overlay, VkCommandBuffer commands);

#endif
