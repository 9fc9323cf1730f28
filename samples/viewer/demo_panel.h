// Shows a demo over the picture: drawn values and bars, and a panel of sliders and buttons for the user.
#ifndef LIMBER_SAMPLES_VIEWER_DEMO_PANEL_H
#define LIMBER_SAMPLES_VIEWER_DEMO_PANEL_H

#include "demo.h"
#include "overlay.h"
#include "panel.h"

// Draws its title, and the values of its sliders, states and clips.
void demo_draw(const demo *demo, overlay *overlay);
// Shows its sliders and its events as buttons.
void demo_show(demo *demo, panel *panel);
// Returns how far to the right of the picture's middle a character must stand so that the values do not hide it, in
// picture heights.
float demo_aside(VkExtent2D picture);

#endif
