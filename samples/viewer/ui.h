// The user interface over the picture, in a window and in a headless picture alike: windows with text, sliders, buttons
// and bars, and names below figures. Dear ImGui draws it. It is in a separate shared library, because ImGui calls
// Vulkan functions by names that volk uses for its function pointers.
#ifndef LIMBER_SAMPLES_VIEWER_UI_H
#define LIMBER_SAMPLES_VIEWER_UI_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
#include <vulkan/vulkan_core.h>

extern "C" {
#else
#include <volk.h>
#endif

typedef struct ui ui;

typedef struct ui_def {
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t queue_family;
    VkQueue queue;
    VkRenderPass pass; // ui_record() is called in it
    VkSampleCountFlagBits samples;
    uint32_t frame_count; // frames in flight, 2 or more
    void *window;         // a GLFWwindow whose events the interface receives and passes on; NULL without a display
} ui_def;

// Returns NULL if memory ran out or Vulkan failed.
ui *ui_create(const ui_def *def);
// Does nothing if `ui` is NULL. The device must be idle.
void ui_destroy(ui *ui);
// Records the upload of the font. Call the second function after it has completed.
void ui_record_font(ui *ui, VkCommandBuffer commands);
void ui_font_uploaded(ui *ui);

// The content of a frame is set between ui_begin() and ui_end(). Letters are 16 pixels high in a picture of 720 lines
// and in proportion in larger ones.
void ui_begin(ui *ui, VkExtent2D extent);
void ui_end(ui *ui);
// Draws the content in the render pass.
void ui_record(ui *ui, VkCommandBuffer commands);

// Begins a window, which is below the previous one, or at the right if there is no room. The title must be unique;
// what follows "###" in it is not shown, and then alone makes it unique. If the windows of a column are higher than the
// picture, the highest ones scroll.
void ui_begin_window(ui *ui, const char *title);
void ui_end_window(ui *ui);
// Further windows stay below each other in the left column, or are in one at the right edge.
void ui_keep_left_column(ui *ui);
void ui_begin_right_column(ui *ui);
// Begins a window without a title at the lower edge, between both columns or below them.
void ui_begin_bottom_window(ui *ui, const char *name);
void ui_text(ui *ui, const char *text);

// What a text is about.
typedef enum ui_tone { UI_TONE_GOOD, UI_TONE_WARNING, UI_TONE_WRONG, UI_TONE_QUIET } ui_tone;
void ui_toned_text(ui *ui, ui_tone tone, const char *text);
// Shows a text with a value at the right edge.
void ui_value(ui *ui, const char *name, const char *value);
// Shows a bar that is filled up to `share` (0 to 1).
void ui_progress(ui *ui, const char *name, float share);
// Shows a bar as wide as the window, with a text in it.
void ui_wide_progress(ui *ui, const char *text, float share);
// Returns true if the user moved it. No slider takes a number outside its range.
bool ui_slider(ui *ui, const char *name, float min, float max, float *value);
// A small one behind the last item, over powers, with its value in the given format.
bool ui_small_slider(ui *ui, const char *name, const char *format, float min, float max, float *value);
// A slider with a button before the name that changes whether the value plays by itself.
bool ui_playing_slider(ui *ui, const char *name, float min, float max, float *value, bool *plays);
// Shows a slider over whole numbers with a text in it. It has its name beside it, or else fills the rest of the line.
bool ui_whole_slider(ui *ui, const char *name, bool is_named, uint32_t min, uint32_t max, const char *text,
                     uint32_t *value);
// Returns true if it was pressed.
bool ui_button(ui *ui, const char *name);
// Shows a box that is checked or not. Returns true if the user changed it.
bool ui_check(ui *ui, const char *name, bool *checked);

// What a mark over the picture is.
typedef enum ui_mark_kind {
    UI_MARK_TARGET,
    UI_MARK_JOINT,
    UI_MARK_X,
    UI_MARK_Y,
    UI_MARK_Z,
    UI_MARK_ASKED, // paths of motion matching
    UI_MARK_PLAYED
} ui_mark_kind;
// Draws over the picture, below the windows: a circle with a name beside it, which may be "", and a line. Positions are
// from 0 to 1, to the right and downwards.
void ui_mark(ui *ui, const float at[2], ui_mark_kind kind, const char *name, bool is_held);
void ui_line(ui *ui, const float from[2], const float to[2], ui_mark_kind kind);

// A row of a tree: a text, a bar that is filled up to `share` (0 to 1) with the share as a number, and below the text a
// line up to `progress` (0 to 1; none if it is negative). A row of share 0 is dim.
typedef struct ui_row {
    uint32_t id; // another one than those of the rows beside it
    const char *text;
    float share;
    float progress;
    bool is_leaf;
} ui_row;

// Returns whether the rows inside it are to be shown; call ui_end_row() after them, and only then.
bool ui_begin_row(ui *ui, const ui_row *row);
void ui_end_row(ui *ui);

#define UI_COLORS 6u

// Shows stacked bars: `values` is [layer][bar] in milliseconds, and the upper edge of the diagram is `max`. A layer has
// the color of its index, and ui_legend() shows it.
void ui_bars(ui *ui, const float *values, uint32_t layer_count, uint32_t bar_count, float max);
void ui_legend(ui *ui, uint32_t layer, const char *name, const char *value);

// Shows names in a strip at the lower edge of the picture, which takes `height` of its height: each has its middle at
// `middles` (0 to 1) and is at most `width` wide, both relative to the picture's width.
void ui_names(ui *ui, const char *const *names, const float *middles, uint32_t count, float width, float height);

// Returns the share of the picture's width that the windows at its left edge cover.
float ui_covered(const ui *ui);
// Without a display: where the pointer is from the next frame on, in pixels, and whether its button is held.
void ui_set_pointer(ui *ui, float x, float y, bool held);
// Return whether the interface currently uses the mouse or the keys.
bool ui_takes_mouse(const ui *ui);
bool ui_takes_keys(const ui *ui);

#ifdef __cplusplus
}
#endif

#endif
