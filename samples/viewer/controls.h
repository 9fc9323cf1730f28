// What the user's hands do to the crowd and the camera.
#ifndef LIMBER_SAMPLES_VIEWER_CONTROLS_H
#define LIMBER_SAMPLES_VIEWER_CONTROLS_H

#include "camera.h"
#include "crowd.h"
#include "demo.h"
#include "window.h"

typedef struct controls {
    camera camera;    // where R brings it back to
    bool keeps_space; // for a demo
    bool paused;
    bool quit;
    bool graph;     // of the stages' times
    uint32_t steps; // frames to go on although paused
    double speed;
} controls;

extern const char controls_help[];

// Keys that a demo takes.
void controls_apply_to_demo(const window_input *input, demo *demo);
void controls_apply(controls *controls, const window_input *input, crowd *crowd, camera *camera);
// Seconds that the crowd goes on, of the `elapsed` ones that went by; takes a step where one was asked for.
double controls_take_time(controls *controls, double elapsed);
void controls_describe(const controls *controls, const crowd *crowd, char *text, size_t size);

#endif
