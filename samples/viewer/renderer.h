// Draws the crowd directly from the batch's palettes: shadows of the sun, characters, ground, contact shades and sky,
// into a picture for the window or a file.
#ifndef LIMBER_SAMPLES_VIEWER_RENDERER_H
#define LIMBER_SAMPLES_VIEWER_RENDERER_H

#include "camera.h"
#include "compute_skin.h"
#include "crowd.h"
#include "graphics.h"
#include "play_scene.h"
#include "ui.h"

// UNORM; the values are already sRGB-encoded.
#define RENDERER_FORMAT VK_FORMAT_R8G8B8A8_UNORM

typedef struct renderer renderer;

typedef struct renderer_def {
    device *device;
    const crowd *crowd;
    uint32_t frame_count; // frames in flight
    uint32_t span_count;  // of the batch
    VkExtent2D extent;
    bool fine; // smooth edges and soft shadows; takes more than twice the time on a device that draws on the CPU
} renderer_def;

lmb_result renderer_create(const renderer_def *def, renderer **renderer, lmb_error *error);
// Does nothing if `renderer` is NULL. The device must be idle.
void renderer_destroy(renderer *renderer);

// Changes the size of the picture. The device must be idle.
lmb_result renderer_resize(renderer *renderer, VkExtent2D extent, lmb_error *error);
VkExtent2D renderer_extent(const renderer *renderer);
// The render pass of the picture, in which the user interface is drawn.
VkRenderPass renderer_pass(const renderer *renderer);
VkSampleCountFlagBits renderer_samples(const renderer *renderer);

typedef struct renderer_frame {
    VkCommandBuffer commands;
    uint32_t frame; // index of the frame slot
    const crowd *crowd;
    const camera *camera;
    const lmb_gpu_batch *batch; // recorded earlier, in the same command buffer or an earlier one
    ui *ui;                     // drawn over the picture
    const compute_skin *skin;   // from which characters are drawn, or NULL: the vertex shader skins them
    const play_scene *scene;    // what else is drawn, or NULL
    double seconds;             // of the scene
} renderer_frame;

void renderer_record(renderer *renderer, const renderer_frame *frame);

// After a recorded frame, the picture is in VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL and visible to transfers.
VkImage renderer_picture(const renderer *renderer);
// Writes the picture of the last frame as a PNG. The frame must have completed.
lmb_result renderer_save_picture(const renderer *renderer, const char *path, lmb_error *error);

#endif
