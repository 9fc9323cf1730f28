// The stages of the newest frames as bars, with their medians.
#ifndef LIMBER_SAMPLES_VIEWER_GRAPH_H
#define LIMBER_SAMPLES_VIEWER_GRAPH_H

#include "overlay.h"

#include <limber/profile.h>

// Draws the stages from `first` to before `end` of a profile, as far as they have samples, at the left of the overlay.
// `top` is where, in pixels, and becomes where a next graph may stand. `title` is a line above the bars.
void graph_draw(overlay *overlay, const lmb_profile *times, uint32_t first, uint32_t end, const char *title,
                float *top);

#endif
