// User input that controls the crowd and the camera.
#ifndef LIMBER_SAMPLES_VIEWER_CONTROLS_H
#define LIMBER_SAMPLES_VIEWER_CONTROLS_H

#include "camera.h"
#include "crowd.h"
#include "demo.h"
#include "graph_view.h"
#include "window.h"

// What the viewer shows, and what keys do there: bits.
enum {
    CONTROLS_CROWD = 1,
    CONTROLS_DEMO = 2,
    CONTROLS_GRAPH = 4,
    CONTROLS_WAVES = 8,    // a crowd with a clip that waves
    CONTROLS_PRESSES = 16, // a demo with an event for the space bar
    CONTROLS_PAUSES = 32,  // a demo without one
    CONTROLS_SLIDERS = 64, // a demo with sliders
    CONTROLS_MATCHES = 128 // a graph or demo that matches motion
};

typedef enum controls_joints {
    CONTROLS_NO_JOINTS,
    CONTROLS_AXES,
    CONTROLS_NAMES,
    CONTROLS_JOINT_KINDS
} controls_joints;

typedef struct controls {
    camera camera; // R restores this camera
    uint32_t modes;
    controls_joints joints; // what is drawn of them
    bool paused;
    bool quit;
    bool times;     // show the stages' times
    bool paths;     // show motion matching
    bool help;      // show the keys
    uint32_t steps; // frames to advance while paused
    double speed;
} controls;

// Prints all keys, or shows those that do something.
void controls_print_keys(void);
void controls_show_keys(const controls *controls, ui *ui);

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
