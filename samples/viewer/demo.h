// A demo: a moving graph, written as JSON or as a machine's text, that the device evaluates; its sliders and events,
// and a script that plays them. Its character motion moves the characters over the ground.
#ifndef LIMBER_SAMPLES_VIEWER_DEMO_H
#define LIMBER_SAMPLES_VIEWER_DEMO_H

#include "../pedestrians.h"
#include "crowd.h"
#include "graphics.h"
#include "play_scene.h"
#include "play_script.h"
#include "ui.h"

#include <limber/cpu.h>

#define DEMO_SLIDERS 4u
#define DEMO_EVENTS 1024u     // per frame
#define DEMO_FRAMES 2u        // in flight, at most
#define DEMO_WALK_SPEED 1.25f // of the mannequin's walk, as in the demos' texts: metres per second
#define DEMO_RUN_SPEED 3.0f

typedef struct demo demo;

typedef struct demo_slider {
    const char *name; // sets the parameter of that name, if there is one
    float min;
    float max;
    float initial;
} demo_slider;

typedef struct demo_kind {
    const char *name;
    const char *title;
    const unsigned char *text; // JSON, or a machine's text
    size_t size;
    const unsigned char *script;
    size_t script_size;
    const unsigned char *scene; // see play_scene.h; NULL: plane ground, and characters anywhere on it
    size_t scene_size;
    uint32_t characters;
    float spread;        // factor on the distances between the characters of a crowd
    const char *pressed; // the event that the space bar sends, and the one when it is released; may be NULL
    const char *released;
    demo_slider sliders[DEMO_SLIDERS];
    uint32_t slider_count;
    const char *file;                          // the character that it is for, if not the mannequin
    const char *mannequin;                     // the name of the one that it is for, or NULL for 'mannequin'
    const char *source;                        // NAME=FILE: the character whose clips it plays; NULL: its own
    bool skins;                                // in a compute kernel, with morph targets
    bool hides_clips;                          // all clips are at the same time, so they are not shown
    void (*steer)(demo *demo, double seconds); // called before each frame; may be NULL
} demo_kind;

// A character on the ground, in addition to its placement and to where it walks: the start of its character motion's
// path, and its state.
typedef struct demo_walker {
    crowd_start start;
    float desired; // desired heading relative to that at the start, set by `steer`
    float speed;   // metres per second, in the previous frame
} demo_walker;

struct demo {
    const demo_kind *kind; // NULL if there is no demo
    crowd *crowd;
    const lmb_graph *graph; // the character's
    float walk_speed;       // of the clips with these names, metres per second
    float run_speed;
    demo_slider ranges[DEMO_SLIDERS]; // the kind's sliders, adapted to this character
    float sliders[DEMO_SLIDERS];
    play_script script;
    uint32_t next_line; // of the script
    bool scripted;
    uint32_t parameter_count;
    float *parameters; // [character][parameter], including those that the control writes: it also runs on the CPU, with
                       // the same bits
    uint32_t *states;
    demo_walker *walkers;
    pedestrians *people; // where they are
    play_scene *scene;   // or NULL
    lmb_cpu *cpu;        // runs the poses for a scene that needs palettes; else NULL
    float *palettes;     // of the frame before
    uint32_t *inertia;   // of the CPU's poses
    bool has_palettes;   // there was a frame before
    device *device;      // that has the following buffers
    device_buffer points[DEMO_FRAMES];
    device_buffer transforms[DEMO_FRAMES];
    lmb_event events[DEMO_EVENTS]; // of the next frame
    lmb_event scratch[DEMO_EVENTS];
    uint32_t event_count;
    float goal[2]; // state of `steer`, such as smoothed values of the sliders
    double time;   // seconds, after the frame
    uint64_t step;
    uint32_t number; // of the frame
};

// Returns NULL if there is no demo of that name.
const demo_kind *demo_find(const char *name);
// Returns the names of the demos; NULL past the last one.
const char *demo_name(uint32_t index);

// Replaces the character's graph by the demo's. `clips` say which clips of a file replace the mannequin's, see
// demo_clips.h.
lmb_result demo_open(const demo_kind *kind, const char *const *clips, uint32_t clip_count, character *character,
                     demo *demo, lmb_error *error);
// Starts the demo after the crowd and the batch are created. Places the crowd.
lmb_result demo_start(demo *demo, crowd *crowd, lmb_error *error);
// Creates and binds what the device needs for the scene, after the batch is created.
lmb_result demo_bind(demo *demo, device *device, lmb_gpu_batch *batch, uint32_t frame_count, lmb_error *error);
// Destroys that. The device must be idle.
void demo_unbind(demo *demo);
// The demo may be zeroed.
void demo_close(demo *demo);

// Advances all characters.
// `eye` is that of the camera; NULL stands for the scene's own.
lmb_result demo_advance(demo *demo, double seconds, const float eye[3], lmb_error *error);
// Writes the frame's parameters and events for the device.
lmb_result demo_write(demo *demo, lmb_gpu_batch *batch, uint32_t frame, lmb_error *error);
// Counts how many words of the characters' states differ between the device and the CPU; all frames must have
// completed. Replaces the slot's parameters by those that the control computed, for a comparison of the drawn poses.
lmb_result demo_compare_with_reference(const demo *demo, device *device, lmb_gpu_batch *batch, uint32_t frame,
                                       uint64_t *compared, uint64_t *differ, lmb_error *error);

// Shows the demo's sliders, its events as buttons, and its states and clips; applies what the user changes.
void demo_show(demo *demo, ui *ui);

// For `steer` and for controls. Unknown names are ignored.
void demo_set(demo *demo, const char *slider, float value);
void demo_set_parameter(demo *demo, uint32_t character, const char *name, float value);
void demo_send(demo *demo, uint32_t character, const char *event);
// Returns the name of a character's current state.
const char *demo_state(const demo *demo, uint32_t character);

#endif
