// Keys and the pointer without a display: what `--input FRAME=WHAT` says, for tests and pictures.
#ifndef LIMBER_SAMPLES_VIEWER_SCRIPTED_INPUT_H
#define LIMBER_SAMPLES_VIEWER_SCRIPTED_INPUT_H

#include "window.h"

#define SCRIPTED_INPUTS 32u

// WHAT is a key: a letter, a digit, `space`, or one of `.` `,` `+` `-`; or `press:X,Y`, `move:X,Y` or `lift:X,Y`, where
// the pointer is in pixels.
typedef struct scripted_input {
    const char *texts[SCRIPTED_INPUTS];
    uint32_t count;
    float pressed_at[2];
    float at[2]; // 0 to 1
    bool held;
} scripted_input;

// Returns whether a text is of that form.
bool scripted_input_is_good(const char *text);
// Stores the input before a frame, which counts from 0, of a picture of that size.
void scripted_input_take(scripted_input *script, uint32_t frame, VkExtent2D extent, window_input *input);

#endif
