// A path is that of the first machine which plays a take. It begins at the character, in its own frame.
#include "matched.h"

#include <stdio.h>
#include <string.h>

#define HEADING_SHARE 0.12f // of the character's height

bool matched_has_any(const lmb_graph *graph) {
    bool any = false;
    for (uint32_t i = 0; i < lmb_graph_get_info(graph)->machine_count && !any; i++) {
        any = lmb_graph_machine_at(graph, i).matches_motion;
    }
    return any;
}

// Reports the first machine that plays a take. Returns it, or LMB_NONE.
static uint32_t report(const matched *shown, lmb_matching_report *report) {
    const uint32_t count = lmb_graph_get_info(shown->graph)->machine_count;
    uint32_t machine = 0;
    while (machine < count &&
           !lmb_state_explain_matching(shown->graph, shown->state, shown->parameters, machine, report)) {
        machine++;
    }
    return machine < count ? machine : LMB_NONE;
}

// ---- On the ground.

typedef struct drawing {
    float matrix[LMB_MATRIX_COMPONENTS]; // from the character's frame to the world
    const camera_view *camera;
    ui *ui;
    ui_mark_kind kind;
} drawing;

static bool project(const drawing *d, float x, float z, float at[2]) {
    float world[3];
    for (size_t i = 0; i < 3; i++) {
        world[i] = d->matrix[4 * i] * x + d->matrix[4 * i + 2] * z + d->matrix[4 * i + 3];
    }
    return camera_project(d->camera, world, at);
}

static void draw_line(const drawing *d, const float from[2], const float to[2]) {
    float start[2], end[2];
    if (project(d, from[0], from[1], start) && project(d, to[0], to[1], end)) {
        ui_line(d->ui, start, end, d->kind);
    }
}

static void draw_path(const drawing *d, const lmb_motion_path *path, float length) {
    float before[2] = {0.0f, 0.0f};
    for (size_t i = 0; i < 3; i++) {
        const float *at = path->positions[i], *heading = path->headings[i];
        const float ahead[2] = {at[0] + length * heading[0], at[1] + length * heading[1]};
        float place[2];
        draw_line(d, before, at);
        draw_line(d, at, ahead);
        if (project(d, at[0], at[1], place)) {
            ui_mark(d->ui, place, d->kind, "", true);
        }
        memcpy(before, at, sizeof before);
    }
}

void matched_show_paths(const matched *shown, const crowd *crowd, const camera_view *camera, ui *ui) {
    lmb_matching_report found;
    drawing d = {.camera = camera, .ui = ui};
    if (report(shown, &found) == LMB_NONE) {
        return;
    }
    const float length = HEADING_SHARE * crowd->character->height / crowd->character->unit;
    crowd_matrix(crowd, &crowd->members[shown->character].placement, d.matrix);
    d.kind = UI_MARK_PLAYED;
    draw_path(&d, &found.played.path, length);
    d.kind = UI_MARK_ASKED;
    draw_path(&d, &found.asked, length);
}

// ---- The window.

static const char *name_of(const matched *shown, uint32_t machine, uint32_t take) {
    return lmb_graph_state_name(shown->graph, machine, take);
}

static void show_row(const matched *shown, uint32_t machine, const char *what, const lmb_matching_row *row, ui *ui) {
    char text[80] = "-";
    if (row->row != LMB_NONE) {
        snprintf(text, sizeof text, "%.50s at %.2f s", name_of(shown, machine, row->take), (double)row->time);
    }
    ui_value(ui, what, text);
}

static void show_number(const char *what, double number, const char *unit, ui *ui) {
    char text[40];
    snprintf(text, sizeof text, "%.5g%s", number, unit);
    ui_value(ui, what, text);
}

// Costs in thousands: of the row to which it jumps with the next frame, or of the one that plays.
static void show_costs(const lmb_motion_costs *costs, ui *ui) {
    show_number("cost: path", 1e-3 * costs->path, "", ui);
    show_number("cost: headings", 1e-3 * costs->headings, "", ui);
    show_number("cost: foot positions", 1e-3 * costs->foot_positions, "", ui);
    show_number("cost: foot velocities", 1e-3 * costs->foot_velocities, "", ui);
    show_number("cost: hip velocity", 1e-3 * costs->hip_velocity, "", ui);
    if (costs->joints > 0) {
        show_number("cost: further joints", 1e-3 * costs->joints, "", ui);
    }
}

void matched_show(const matched *shown, ui *ui) {
    lmb_matching_report found;
    const uint32_t machine = report(shown, &found);
    ui_begin_window(ui, "motion matching");
    if (machine == LMB_NONE) {
        ui_toned_text(ui, UI_TONE_QUIET, "no take plays");
    } else {
        show_row(shown, machine, "plays", &found.played, ui);
        show_row(shown, machine, "jumps to", &found.found, ui);
        show_costs(found.found.row != LMB_NONE ? &found.found.costs : &found.played.costs, ui);
        show_number("since its turn", 1e3 * (double)found.seconds, " ms", ui);
        for (uint32_t i = 0; i < found.recent_count; i++) {
            char text[60];
            snprintf(text, sizeof text, "%.2f s ago", (double)found.recent_seconds[i]);
            ui_value(ui, i == 0 ? "jumped" : "before", text);
        }
    }
    ui_end_window(ui);
}
