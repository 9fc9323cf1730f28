// A GLFW window with its swapchain, and the user's input. It is not used when the viewer draws headless.
#ifndef LIMBER_SAMPLES_VIEWER_WINDOW_H
#define LIMBER_SAMPLES_VIEWER_WINDOW_H

#include "graphics.h"

typedef struct window window;

#define WINDOW_MAX_KEYS 16u

// Input since the last call of window_poll().
typedef struct window_input {
    float drag_x; // pixels with a button held
    float drag_y;
    float at[2];               // the pointer: from 0 to 1 to the right and downwards in the picture
    bool pressed;              // its button, since the last call
    bool lifted;               // likewise
    bool clicked;              // lifted about where it was pressed
    float wheel;               // notches
    int keys[WINDOW_MAX_KEYS]; // GLFW_KEY_..., in the order in which keys were pressed or repeated
    uint32_t key_count;
    int released[WINDOW_MAX_KEYS];
    uint32_t released_count;
    bool closed;
} window_input;

// Notes that the pointer's button was pressed at a place, or lifted.
void window_input_press(window_input *input, float pressed_at[2]);
void window_input_lift(window_input *input, const float pressed_at[2]);

// Creates a window that is hidden until window_show(). Fails if there is no display, or if GLFW finds no Vulkan.
lmb_result window_open(uint32_t width, uint32_t height, window **window, lmb_error *error);
// Does nothing if `window` is NULL. The device must be idle; it and its instance must still exist.
void window_close(window *window);

// Returns the extensions that the instance must enable for this window.
const char *const *window_extensions(uint32_t *count);

// Creates the surface and the swapchain. Fails if the device or its queue cannot present.
lmb_result window_attach(window *window, device *device, uint32_t frame_count, lmb_error *error);

// Returns the GLFWwindow.
void *window_handle(const window *window);

void window_show(window *window);
// Processes events; waits for them while the window is minimised.
void window_poll(window *window, window_input *input);
void window_set_title(window *window, const char *title);

// The swapchain no longer fits; call window_renew() when the device is idle. It is still stale if the window's extent
// is zero.
bool window_is_stale(const window *window);
lmb_result window_renew(window *window, lmb_error *error);
VkExtent2D window_extent(const window *window);

// Acquires an image. `ready` is false if the swapchain is out of date: draw nothing, and renew it.
lmb_result window_acquire(window *window, uint32_t frame, bool *ready, lmb_error *error);
// Copies a picture in VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL to the image.
void window_record_copy(const window *window, VkCommandBuffer commands, VkImage picture, VkExtent2D extent);
// The submission must wait for the first at the transfer stage, and signal the second.
VkSemaphore window_acquired(const window *window, uint32_t frame);
VkSemaphore window_rendered(const window *window);
lmb_result window_present(window *window, lmb_error *error);

#endif
