// User input that controls the crowd and the camera.
#ifndef LIMBER_SAMPLES_VIEWER_CONTROLS_H
#define LIMBER_SAMPLES_VIEWER_CONTROLS_H

#include "camera.h"
#include "crowd.h"
#include "demo.h"
#include "graph_view.h"
#include "window.h"

typedef struct controls {
    camera camera;    // R restores this camera
    bool keeps_space; // space belongs to a demo
    bool paused;
    bool quit;
    bool times;     // show the stages' times
    bool help;      // show the keys
    uint32_t steps; // frames to advance while paused
    double speed;
} controls;

// Prints the keys, or shows them.
void controls_print_keys(void);
void controls_show_keys(ui *ui);

// Applies the keys that a demo uses.
void controls_apply_to_demo(const window_input *input, demo *demo);
// Applies the keys that a graph's view uses; takes them from the input.
void controls_apply_to_graph(controls *controls, window_input *input, graph_view *view);
void controls_apply(controls *controls, const window_input *input, crowd *crowd, camera *camera);
// Returns the seconds by which the crowd advances, if `elapsed` seconds have passed. While paused, consumes a step if
// there is one.
double controls_take_time(controls *controls, double elapsed);
void controls_describe(const controls *controls, const crowd *crowd, char *text, size_t size);

#endif
