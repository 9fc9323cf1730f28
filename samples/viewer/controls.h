// What the user's hands do to the crowd and the camera.
#ifndef LIMBER_SAMPLES_VIEWER_CONTROLS_H
#define LIMBER_SAMPLES_VIEWER_CONTROLS_H

#include "camera.h"
#include "crowd.h"
#include "window.h"

typedef struct controls {
    bool paused;
    bool quit;
    bool graph;     // of the stages' times
    uint32_t steps; // frames to go on although paused
    double speed;
} controls;

extern const char controls_help[];

void controls_apply(controls *controls, const window_input *input, crowd *crowd, camera *camera);
// Seconds that the crowd goes on, of the `elapsed` ones that went by; takes a step where one was asked for.
double controls_take_time(controls *controls, double elapsed);
void controls_describe(const controls *controls, const crowd *crowd, char *text, size_t size);

#endif
