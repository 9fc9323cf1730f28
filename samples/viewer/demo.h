// A demo: a graph written as JSON or as a machine's text that moves by itself on the device, its sliders and events,
// and a script that plays them. Its character motion says where the characters are on the ground.
#ifndef LIMBER_SAMPLES_VIEWER_DEMO_H
#define LIMBER_SAMPLES_VIEWER_DEMO_H

#include "crowd.h"
#include "demo_script.h"
#include "graphics.h"

#define DEMO_SLIDERS 4u
#define DEMO_EVENTS 1024u // in a frame
#define DEMO_CELLS 256u
#define DEMO_WALK_SPEED 1.25f // of the mannequin's walk, as demos' texts have it: metres a second
#define DEMO_RUN_SPEED 3.0f

typedef struct demo demo;

typedef struct demo_slider {
    const char *name; // sets the parameter of that name, where there is one
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
    uint32_t characters;
    float spread;        // how much wider they stand than a crowd does
    const char *pressed; // the event that the space bar sends, and when it is let go; may be NULL
    const char *released;
    demo_slider sliders[DEMO_SLIDERS];
    uint32_t slider_count;
    bool hides_clips;                          // they are all at one time: nothing to be shown
    void (*steer)(demo *demo, double seconds); // before each frame; may be NULL
} demo_kind;

// A character on the ground, beside its placement: where its character motion's way begins, and what that has come to.
typedef struct demo_walker {
    float start[2]; // metres: x, z
    float facing;   // at home, radians about Y
    float heading;  // now
    float desired;  // heading, from `facing` on: of whoever steers
    float speed;    // metres a second, of the frame before
} demo_walker;

struct demo {
    const demo_kind *kind; // NULL where there is none
    crowd *crowd;
    const lmb_graph *graph;     // the character's
    const lmb_control *control; // the graph's, or NULL
    float walk_speed;           // of the clips of those names, metres a second
    float run_speed;
    demo_slider ranges[DEMO_SLIDERS]; // the kind's, of this character
    float sliders[DEMO_SLIDERS];
    demo_script script;
    bool scripted;
    uint32_t parameter_count;
    float
        *parameters; // [character][parameter], those of the control too: it runs on the CPU beside, with the same bits
    uint32_t *states;
    demo_walker *walkers;
    uint32_t *cells;               // [DEMO_CELLS][DEMO_CELLS], for whoever steers: who is where
    lmb_event events[DEMO_EVENTS]; // of the next frame
    lmb_event scratch[DEMO_EVENTS];
    uint32_t event_count;
    float goal[2]; // of whoever steers: what the sliders say, approached
    double time;   // seconds
    uint64_t step;
    uint32_t number; // of the frame
};

// NULL where there is no demo of that name.
const demo_kind *demo_find(const char *name);
// The names, NULL past the last one.
const char *demo_name(uint32_t index);

// Puts the demo's graph in the place of the character's own. `clips` say which of a file's stand for the mannequin's, see
// demo_clips.h.
lmb_result demo_open(const demo_kind *kind, const char *const *clips, uint32_t clip_count, character *character,
                     demo *demo, lmb_error *error);
// Once there is a crowd, which it places, and a batch.
lmb_result demo_start(demo *demo, crowd *crowd, lmb_error *error);
// A zeroed demo is fine.
void demo_close(demo *demo);

// Moves everybody on.
lmb_result demo_advance(demo *demo, double seconds, lmb_error *error);
// Hands the frame's parameters and events to the device.
lmb_result demo_write(demo *demo, lmb_gpu_batch *batch, uint32_t frame, lmb_error *error);
// Once all frames have completed: how many words of the characters' states differ between the device and the CPU. The
// slot's parameters become those that the control gave, for a comparison of what was drawn.
lmb_result demo_compare_with_reference(const demo *demo, device *device, lmb_gpu_batch *batch, uint32_t frame,
                                       uint64_t *compared, uint64_t *differ, lmb_error *error);

// For whoever steers, and for the panel. What is unknown is passed over.
void demo_set(demo *demo, const char *slider, float value);
void demo_set_parameter(demo *demo, uint32_t character, const char *name, float value);
void demo_send(demo *demo, uint32_t character, const char *event);
// The name of a character's current state.
const char *demo_state(const demo *demo, uint32_t character);

#endif
