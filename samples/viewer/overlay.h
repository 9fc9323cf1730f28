// Rectangles and text over the finished picture, in pixels from its upper left corner. They are drawn as cleared
// rectangles, so there is no shader and no pipeline to them.
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

#define OVERLAY_MAX_RECTANGLES 4096u // of a color

typedef struct overlay {
    const device *device;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkExtent2D extent;
    VkClearRect *rectangles; // [color][OVERLAY_MAX_RECTANGLES]
    uint32_t counts[OVERLAY_COLOR_COUNT];
} overlay;

// On failure, destroy what there is.
lmb_result overlay_create(const device *device, VkFormat format, overlay *overlay, lmb_error *error);
// A zeroed overlay is fine. The device must be idle.
void overlay_destroy(overlay *overlay);
// The picture that is drawn on; the device must be idle.
lmb_result overlay_set_picture(overlay *overlay, VkImageView picture, VkExtent2D extent, lmb_error *error);

// Takes everything away.
void overlay_clear(overlay *overlay);
// What is outside the picture is cut off.
void overlay_rectangle(overlay *overlay, float x, float y, float width, float height, overlay_color color);
// One line, its upper left corner at x, y; letters are about 7 `scale` high and lines 12 apart.
void overlay_text(overlay *overlay, float x, float y, float scale, const char *text);
float overlay_text_width(float scale, const char *text);

// Draws on the picture, which is in VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL before and after.
void overlay_record(const overlay *overlay, VkCommandBuffer commands);

#endif
