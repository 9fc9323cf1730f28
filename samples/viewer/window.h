// A GLFW window with its swapchain, and what its user does. Nothing here is touched when the viewer draws headless.
#ifndef LIMBER_SAMPLES_VIEWER_WINDOW_H
#define LIMBER_SAMPLES_VIEWER_WINDOW_H

#include "graphics.h"

typedef struct window window;

#define WINDOW_MAX_KEYS 16u

// What happened since the last look.
typedef struct window_input {
    float drag_x; // pixels with a button held
    float drag_y;
    float wheel;               // notches
    int keys[WINDOW_MAX_KEYS]; // GLFW_KEY_..., in the order in which they were pressed or repeated
    uint32_t key_count;
    int released[WINDOW_MAX_KEYS];
    uint32_t released_count;
    bool closed;
} window_input;

// Hidden until window_show(). Fails where there is no display, or GLFW finds no Vulkan.
lmb_result window_open(uint32_t width, uint32_t height, window **window, lmb_error *error);
// NULL is fine. The device must be idle; it and its instance still exist.
void window_close(window *window);

// What the instance must enable for this window.
const char *const *window_extensions(uint32_t *count);

// Makes the surface and the swapchain. Fails where the device or its queue cannot present.
lmb_result window_attach(window *window, device *device, uint32_t frame_count, lmb_error *error);

// The GLFWwindow.
void *window_handle(const window *window);

void window_show(window *window);
// Takes events; waits for them while the window is minimised.
void window_poll(window *window, window_input *input);
void window_set_title(window *window, const char *title);

// The swapchain no longer fits; remake it when the device is idle. An extent of zero means: not now.
bool window_is_stale(const window *window);
lmb_result window_renew(window *window, lmb_error *error);
VkExtent2D window_extent(const window *window);

// Asks for an image to show. `ready` is false where the swapchain went stale: draw nothing, renew.
lmb_result window_acquire(window *window, uint32_t frame, bool *ready, lmb_error *error);
// Copies a picture in VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL onto the image.
void window_record_copy(const window *window, VkCommandBuffer commands, VkImage picture, VkExtent2D extent);
// To be waited for at the transfer stage, and to be signalled, by the submission.
VkSemaphore window_acquired(const window *window, uint32_t frame);
VkSemaphore window_rendered(const window *window);
lmb_result window_present(window *window, lmb_error *error);

#endif
