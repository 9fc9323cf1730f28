// Replaces panel.cpp if the build found no Dear ImGui: there is never a panel.
#include "panel.h"

#include <stddef.h>

panel *panel_create(const panel_def *def) {
    (void)def;
    return NULL;
}

void panel_destroy(panel *panel) {
    (void)panel;
}

void panel_record_letters(panel *panel, VkCommandBuffer commands) {
    (void)panel;
    (void)commands;
}

void panel_letters_uploaded(panel *panel) {
    (void)panel;
}

void panel_begin(panel *panel, const char *title, VkExtent2D extent, float seconds) {
    (void)panel;
    (void)title;
    (void)extent;
    (void)seconds;
}

void panel_text(panel *panel, const char *text) {
    (void)panel;
    (void)text;
}

bool panel_slider(panel *panel, const char *name, float min, float max, float *value) {
    (void)panel;
    (void)name;
    (void)min;
    (void)max;
    (void)value;
    return false;
}

bool panel_button(panel *panel, const char *name) {
    (void)panel;
    (void)name;
    return false;
}

void panel_end(panel *panel, VkCommandBuffer commands, VkFramebuffer framebuffer) {
    (void)panel;
    (void)commands;
    (void)framebuffer;
}

bool panel_takes_mouse(const panel *panel) {
    (void)panel;
    return false;
}

bool panel_takes_keys(const panel *panel) {
    (void)panel;
    return false;
}
