// Draws the times of stages as stacked bars.
#include "graph.h"

#include <math.h>
#include <stdio.h>

#define FRAMES 120u
#define MAX_STAGES 8u

// Lengths in pixels at scale 1.
#define MARGIN 6.0f
#define LINE 12.0f
#define BARS_HEIGHT 64.0f
#define BAR_WIDTH 1.5f
#define AXIS_WIDTH 50.0f
#define SWATCH 7.0f

typedef struct graph {
    overlay *overlay;
    const lmb_profile *times;
    float scale;
    float left, top; // of the bars
    double most;     // milliseconds at the upper edge of the bars
    uint32_t stage_count;
    uint32_t stages[MAX_STAGES]; // those that have samples
} graph;

static overlay_color color_of(uint32_t stage) {
    static const overlay_color colors[] = {OVERLAY_BLUE, OVERLAY_ORANGE, OVERLAY_GREEN,
                                           OVERLAY_PINK, OVERLAY_YELLOW, OVERLAY_GREY};
    return colors[stage % (sizeof colors / sizeof colors[0])];
}

// Rounds a number up to 1, 2 or 5 times a power of ten.
static double round_up(double number) {
    double power = pow(10.0, floor(log10(number)));
    double digit = number / power;
    return power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
}

// Returns the milliseconds of the frame in which the sum of the shown stages is largest; at least a microsecond.
static double longest_frame(const graph *graph) {
    uint64_t sums[FRAMES] = {0};
    uint64_t longest = 1000;
    for (uint32_t i = 0; i < graph->stage_count; i++) {
        uint64_t durations[FRAMES];
        uint32_t count = lmb_profile_history(graph->times, graph->stages[i], durations, FRAMES);
        for (uint32_t j = 0; j < count; j++) {
            uint64_t *sum = &sums[FRAMES - count + j];
            *sum += durations[j];
            longest = *sum > longest ? *sum : longest;
        }
    }
    return 1e-6 * (double)longest;
}

static void draw_axis(const graph *graph) {
    const float scale = graph->scale;
    for (int step = 0; step <= 2; step++) {
        float y = graph->top + scale * BARS_HEIGHT * (1.0f - 0.5f * (float)step);
        char label[32];
        snprintf(label, sizeof label, "%g ms", graph->most * step / 2);
        float width = overlay_text_width(scale, label);
        overlay_text(graph->overlay, graph->left - width - 3.0f * scale, y - 3.0f * scale, scale, label);
        overlay_rectangle(graph->overlay, graph->left, y, scale * BAR_WIDTH * FRAMES, 1.0f, OVERLAY_LINE);
    }
}

// Draws the newest frame at the right.
static void draw_bars(const graph *graph) {
    const float scale = graph->scale;
    float heights[FRAMES] = {0};
    for (uint32_t i = 0; i < graph->stage_count; i++) {
        uint64_t durations[FRAMES];
        uint32_t count = lmb_profile_history(graph->times, graph->stages[i], durations, FRAMES);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t frame = FRAMES - count + j;
            float height = (float)(1e-6 * (double)durations[j] / graph->most) * scale * BARS_HEIGHT;
            float bottom = graph->top + scale * BARS_HEIGHT - heights[frame];
            heights[frame] += height;
            overlay_rectangle(graph->overlay, graph->left + scale * BAR_WIDTH * (float)frame, bottom - height,
                              scale * BAR_WIDTH, height, color_of(graph->stages[i]));
        }
    }
}

static void draw_legend(const graph *graph) {
    const float scale = graph->scale;
    float y = graph->top + scale * (BARS_HEIGHT + MARGIN);
    for (uint32_t i = 0; i < graph->stage_count; i++) {
        const lmb_profile_totals total = lmb_profile_total(graph->times, graph->stages[i]);
        char median[32];
        snprintf(median, sizeof median, "%.3f ms", 1e-6 * (double)total.median);
        overlay_rectangle(graph->overlay, graph->left, y, scale * SWATCH, scale * SWATCH, color_of(graph->stages[i]));
        overlay_text(graph->overlay, graph->left + 2.0f * scale * SWATCH, y, scale,
                     lmb_profile_stage_name(graph->times, graph->stages[i]));
        overlay_text(graph->overlay, graph->left + scale * BAR_WIDTH * FRAMES - overlay_text_width(scale, median), y,
                     scale, median);
        y += scale * LINE;
    }
}

void graph_draw(overlay *overlay, const lmb_profile *times, uint32_t first, uint32_t end, const char *title,
                float *top) {
    const float scale = overlay->extent.width >= 1000 ? 2.0f : 1.0f;
    const float outer = *top + scale * MARGIN;
    graph graph = {.overlay = overlay,
                   .times = times,
                   .scale = scale,
                   .left = scale * (2.0f * MARGIN + AXIS_WIDTH),
                   .top = outer + scale * (MARGIN + 1.5f * LINE)};
    for (uint32_t stage = first; stage < end && graph.stage_count < MAX_STAGES; stage++) {
        if (lmb_profile_total(times, stage).count > 0) {
            graph.stages[graph.stage_count++] = stage;
        }
    }
    graph.most = round_up(longest_frame(&graph));
    float width = AXIS_WIDTH + BAR_WIDTH * FRAMES + 2.0f * MARGIN;
    float height = 1.5f * LINE + BARS_HEIGHT + 2.0f * MARGIN + LINE * (float)graph.stage_count;
    overlay_rectangle(overlay, scale * MARGIN, outer, scale * width, scale * height, OVERLAY_PANEL);
    overlay_text(overlay, scale * 2.0f * MARGIN, outer + scale * MARGIN, scale, title);
    draw_axis(&graph);
    draw_bars(&graph);
    draw_legend(&graph);
    *top = outer + scale * height;
}
