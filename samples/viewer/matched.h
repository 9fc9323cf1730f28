// Shows the motion matching of a character: on the ground the path that it is asked to take and that of the row which
// plays, and a window with the rows that were chosen and what they cost.
#ifndef LIMBER_SAMPLES_VIEWER_MATCHED_H
#define LIMBER_SAMPLES_VIEWER_MATCHED_H

#include "camera.h"
#include "crowd.h"
#include "ui.h"

#include <limber/explain.h>

// A character after a frame.
typedef struct matched {
    const lmb_graph *graph;
    const uint32_t *state;
    const float *parameters;
    uint32_t character;
} matched;

// Whether a machine of the graph matches motion.
bool matched_has_any(const lmb_graph *graph);
// Draws paths over the picture, below the windows.
void matched_show_paths(const matched *shown, const crowd *crowd, const camera_view *camera, ui *ui);
void matched_show(const matched *shown, ui *ui);

#endif
