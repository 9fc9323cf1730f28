// Draws the times of the newest frames' stages as bars, with their medians.
#ifndef LIMBER_SAMPLES_VIEWER_GRAPH_H
#define LIMBER_SAMPLES_VIEWER_GRAPH_H

#include "overlay.h"

#include <limber/profile.h>

// Draws the stages from `first` to before `end` of a profile that have samples, at the left of the overlay. `top` is
// the upper edge in pixels, and becomes that for another graph below. `title` is a line above the bars.
void graph_draw(overlay *overlay, const lmb_profile *times, uint32_t first, uint32_t end, const char *title,
                float *top);

#endif
