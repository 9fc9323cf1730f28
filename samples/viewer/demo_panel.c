// Draws a demo's values and bars, and fills its panel.
#include "demo_panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE 24.0f // at a scale of 1.5
#define MARGIN 12.0f
#define BAR_LEFT 130.0f
#define PANEL_WIDTH 350.0f
#define PANEL_SHARE 0.36f // max share of the picture's width
#define WIDE 900.0f       // pixels: in a smaller picture, the panel shrinks while letters remain readable
#define SMALLEST 0.667f
#define NARROWEST 132.0f // pixels, for the longest name of a state
#define TITLE 128u
#define REACH 0.25f // of a character's arms, in picture heights

static float panel_scale(const overlay *overlay) {
    return fmaxf(fminf((float)overlay->extent.width / WIDE, 1.0f), SMALLEST);
}

static float panel_width(VkExtent2D picture) {
    return fmaxf(fminf(PANEL_SHARE * (float)picture.width, PANEL_WIDTH), NARROWEST);
}

static void draw_line(overlay *overlay, float top, const char *text) {
    float scale = panel_scale(overlay);
    overlay_text(overlay, MARGIN * scale, top * scale, 1.5f * scale, text);
}

static bool is_seen(const demo *demo, uint32_t player) {
    return !demo->kind->hides_clips && lmb_control_player_weight(demo->control, demo->states, player) > 0.0f;
}

// Draws the progress of each visible clip.
static void draw_players(const demo *demo, overlay *overlay, float top) {
    float scale = panel_scale(overlay), height = 12.0f * scale, left = BAR_LEFT * scale;
    float width = panel_width(overlay->extent) - left - MARGIN * scale;
    for (uint32_t i = 0; i < lmb_graph_player_count(demo->graph); i++) {
        if (is_seen(demo, i)) {
            const double ticks = (double)lmb_control_player_ticks(demo->control, demo->states, i);
            const double seconds = fmax((double)lmb_graph_player_duration(demo->graph, i), 1e-6);
            const float phase = (float)(ticks / (double)LMB_TICKS_PER_SECOND / seconds);
            draw_line(overlay, top, lmb_graph_player_name(demo->graph, i));
            overlay_rectangle(overlay, left, top * scale, width, height, OVERLAY_LINE);
            overlay_rectangle(overlay, left, top * scale, width * phase, height, OVERLAY_ORANGE);
            top += LINE;
        }
    }
}

static void draw_counts(const demo *demo, overlay *overlay, float top) {
    for (uint32_t i = 0; i < lmb_graph_state_count(demo->graph, 0); i++) {
        const char *name = lmb_graph_state_name(demo->graph, 0, i);
        char text[64];
        uint32_t count = 0;
        for (uint32_t k = 0; k < demo->crowd->count; k++) {
            count += strcmp(demo_state(demo, k), name) == 0;
        }
        snprintf(text, sizeof text, "%s: %u", name, count);
        draw_line(overlay, top, text);
        top += LINE;
    }
}

static bool has_machine(const demo *demo) {
    return lmb_graph_machine_count(demo->graph) > 0;
}

// Returns how many characters of the title fit into its first line: up to a space, or all.
static size_t count_letters(const demo *demo, const overlay *overlay) {
    const float scale = panel_scale(overlay);
    const float room = panel_width(overlay->extent) - 2.0f * MARGIN * scale;
    char line[TITLE];
    snprintf(line, sizeof line, "%s", demo->kind->title);
    for (char *space; overlay_text_width(1.5f * scale, line) > room && (space = strrchr(line, ' ')) != NULL;) {
        *space = '\0';
    }
    return strlen(line);
}

// In a narrow picture, the title has two lines.
static uint32_t draw_title(const demo *demo, overlay *overlay) {
    const size_t count = count_letters(demo, overlay);
    const bool is_broken = count < strlen(demo->kind->title);
    char line[TITLE];
    snprintf(line, sizeof line, "%.*s", (int)count, demo->kind->title);
    draw_line(overlay, MARGIN, line);
    if (is_broken) {
        draw_line(overlay, MARGIN + LINE, demo->kind->title + count + 1);
    }
    return 1 + is_broken;
}

// Returns the number of lines below the title: sliders, states and clips.
static uint32_t count_lines(const demo *demo) {
    uint32_t lines = demo->kind->slider_count;
    if (demo->crowd->count > 1) {
        return lines + (has_machine(demo) ? lmb_graph_state_count(demo->graph, 0) : 0);
    }
    for (uint32_t i = 0; i < lmb_graph_player_count(demo->graph); i++) {
        lines += is_seen(demo, i);
    }
    return lines + has_machine(demo);
}

void demo_draw(const demo *demo, overlay *overlay) {
    const float scale = panel_scale(overlay);
    const uint32_t title = draw_title(demo, overlay);
    const float lines = (float)(title + count_lines(demo));
    float top = MARGIN + (float)(title - 1) * LINE;
    char text[64];
    overlay_rectangle(overlay, 0.0f, 0.0f, panel_width(overlay->extent), (lines * LINE + 14.0f) * scale, OVERLAY_PANEL);
    for (uint32_t i = 0; i < demo->kind->slider_count; i++) {
        snprintf(text, sizeof text, "%s: %.2f", demo->kind->sliders[i].name, (double)demo->sliders[i]);
        draw_line(overlay, top += LINE, text);
    }
    if (demo->crowd->count > 1 && has_machine(demo)) {
        draw_counts(demo, overlay, top + LINE);
    } else if (demo->crowd->count == 1) {
        if (has_machine(demo)) {
            snprintf(text, sizeof text, "%s: %s", lmb_graph_machine_name(demo->graph, 0), demo_state(demo, 0));
            draw_line(overlay, top += LINE, text);
        }
        draw_players(demo, overlay, top + LINE);
    }
}

void demo_show(demo *demo, panel *panel) {
    for (uint32_t i = 0; i < demo->kind->slider_count; i++) {
        const demo_slider *slider = &demo->ranges[i];
        panel_slider(panel, slider->name, slider->min, slider->max, &demo->sliders[i]);
    }
    for (uint32_t i = 0; i < lmb_graph_event_count(demo->graph); i++) {
        const char *event = lmb_graph_event_name(demo->graph, i);
        if (panel_button(panel, event)) {
            for (uint32_t k = 0; k < demo->crowd->count; k++) {
                demo_send(demo, k, event);
            }
        }
    }
    if (has_machine(demo) && demo->crowd->count == 1) {
        panel_text(panel, demo_state(demo, 0));
    }
}

float demo_aside(VkExtent2D picture) {
    const float width = (float)picture.width, height = (float)picture.height;
    const float hidden = panel_width(picture) + REACH * height - 0.5f * width;
    return fmaxf(fminf(hidden, 0.25f * width), 0.0f) / height;
}
