// What is said of a demo over the picture: numbers and bars that are drawn, and a panel whose sliders and buttons the user
// may move and press.
#ifndef LIMBER_SAMPLES_VIEWER_DEMO_PANEL_H
#define LIMBER_SAMPLES_VIEWER_DEMO_PANEL_H

#include "demo.h"
#include "overlay.h"
#include "panel.h"

// What it is called, where its sliders, states and clips are.
void demo_draw(const demo *demo, overlay *overlay);
// Its sliders and the events that it takes, which the user may move and press.
void demo_show(demo *demo, panel *panel);
// How far to the right of a picture's middle a character stands whom the numbers should not hide, in heights of it.
float demo_aside(VkExtent2D picture);

#endif
