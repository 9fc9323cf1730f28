// A panel of sliders and buttons over the finished picture: Dear ImGui, if the build found it. It is in a separate
// shared library, because ImGui calls Vulkan functions by names that volk uses for its function pointers.
#ifndef LIMBER_SAMPLES_VIEWER_PANEL_H
#define LIMBER_SAMPLES_VIEWER_PANEL_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct panel panel;

typedef struct panel_def {
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t queue_family;
    VkQueue queue;
    VkRenderPass pass;    // the picture is its only attachment
    uint32_t image_count; // frames in flight, 2 or more
    void *window;         // a GLFWwindow whose events the panel receives and passes on; NULL without a display
} panel_def;

// Returns NULL if the build has no panel, or if Vulkan failed.
panel *panel_create(const panel_def *def);
// Here and below, `panel` may be NULL. The device must be idle.
void panel_destroy(panel *panel);
// Records the upload of the font. Call the second function after it has completed.
void panel_record_letters(panel *panel, VkCommandBuffer commands);
void panel_letters_uploaded(panel *panel);

// The panel's content is set between panel_begin() and panel_end().
void panel_begin(panel *panel, const char *title, VkExtent2D extent, float seconds);
void panel_text(panel *panel, const char *text);
// Returns true if the user moved it.
bool panel_slider(panel *panel, const char *name, float min, float max, float *value);
// Returns true if it was pressed.
bool panel_button(panel *panel, const char *name);
// Without `commands` it is not drawn.
void panel_end(panel *panel, VkCommandBuffer commands, VkFramebuffer framebuffer);

// Return whether the panel currently uses the mouse or the keys.
bool panel_takes_mouse(const panel *panel);
bool panel_takes_keys(const panel *panel);

#ifdef __cplusplus
}
#endif

#endif
