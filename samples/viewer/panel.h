// A panel of sliders and buttons over the finished picture: Dear ImGui, where the build found it. It is in a shared
// library of its own, since ImGui calls Vulkan by the loader's names, which volk has for its pointers.
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
    VkRenderPass pass;    // with the picture as its only attachment
    uint32_t image_count; // frames in flight, 2 or more
    void *window;         // a GLFWwindow whose events it takes, handing them on; NULL without a display
} panel_def;

// NULL where the build has no panel, or Vulkan refused.
panel *panel_create(const panel_def *def);
// NULL is fine here and below. The device must be idle.
void panel_destroy(panel *panel);
// Records the upload of its letters; once that has completed, they are there.
void panel_record_letters(panel *panel, VkCommandBuffer commands);
void panel_letters_uploaded(panel *panel);

// Between the two, what is on it.
void panel_begin(panel *panel, const char *title, VkExtent2D extent, float seconds);
void panel_text(panel *panel, const char *text);
// True where the user moved it.
bool panel_slider(panel *panel, const char *name, float min, float max, float *value);
// True where it was pressed.
bool panel_button(panel *panel, const char *name);
// Without commands it is not drawn.
void panel_end(panel *panel, VkCommandBuffer commands, VkFramebuffer framebuffer);

// Whether the mouse, or the keys, are the panel's at the moment.
bool panel_takes_mouse(const panel *panel);
bool panel_takes_keys(const panel *panel);

#ifdef __cplusplus
}
#endif

#endif
