// Shows the user's own graph, and the tools to work on it: sliders and buttons for what the host sets and sends, the
// states of its machines, the weights of its nodes, and the frames of the last seconds. Whenever the file is saved, the
// new graph replaces the old one; if it has mistakes, they are listed and the old one goes on.
#ifndef LIMBER_SAMPLES_VIEWER_GRAPH_VIEW_H
#define LIMBER_SAMPLES_VIEWER_GRAPH_VIEW_H

#include "camera.h"
#include "crowd.h"
#include "graph_device.h"
#include "graph_run.h"
#include "graph_weights.h"
#include "play_script.h"
#include "ui.h"

#define GRAPH_VIEW_SETTINGS 16u
#define GRAPH_VIEW_CHANGES 8u

typedef struct graph_view_def {
    const char *file;                          // JSON, or a machine's text; NULL: there is no such view
    const char *names;                         // a file of aliases, or NULL
    const char *script;                        // a file with lines of `limber play`, or NULL
    const char *scene;                         // a file as in play_scene.h, or NULL
    bool scatters;                             // characters begin in random states
    const char *settings[GRAPH_VIEW_SETTINGS]; // NAME=VALUE, applied to the first graph that can be shown
    uint32_t setting_count;
    const char *changes[GRAPH_VIEW_CHANGES]; // SECONDS=FILE, in ascending order
    uint32_t change_count;
} graph_view_def;

// A zeroed view shows nothing.
typedef struct graph_view {
    graph_view_def def;
    const char *name;     // of the file, without its folder
    character *character; // measured anew for the first graph that is shown
    const lmb_clip **clips;
    lmb_graph_aliases *aliases; // or NULL
    crowd *crowd;
    crowd_placement *starts; // where characters are without root motion
    graph_device *device;
    graph_run *run;
    graph_weights *weights;
    graph_version *fallback;       // of the rest pose, until it is shown
    const graph_version *mistaken; // the newest content, if it is not shown
    char *scene;                   // its text, or NULL
    size_t scene_size;
    uint32_t dragged; // the target that the pointer drags, or LMB_NONE
    play_script script;
    uint32_t next_line;
    uint32_t next_change;
    double seconds;   // that have passed, without pauses
    double shown_at;  // when the first graph of the file was shown: the script begins
    uint32_t watched; // the character whose states and weights are shown; in a crowd it has a colour of its own
    float tint[3];    // its own colour
    bool of_one;      // inputs are those of the watched character
    bool has_shown;   // a graph of the file
    bool is_framed;   // the camera is placed for that graph
    bool has_failed;  // something was wrong so far
    char note[200];   // about the script or the settings
    // The frame whose words of inertialization the device holds, and the one that it must hold: indices of moments.
    uint32_t held_place;
    uint32_t needed_place;
} graph_view;

// Opens the view with the rest pose. It must be created before the crowd, and placed on it afterwards.
lmb_result graph_view_open(const graph_view_def *def, character *character, graph_view *view, lmb_error *error);
// `waits`: as in graph_device_def.
lmb_result graph_view_start(graph_view *view, crowd *crowd, device *device, lmb_gpu *gpu, uint32_t frame_count,
                            bool waits, lmb_error *error);
// Destroys what is on the device, which must be idle; then the rest.
void graph_view_close_device(graph_view *view);
void graph_view_close(graph_view *view);

// How time goes on; the user changes it in the view.
typedef struct graph_view_time {
    bool *paused;
    uint32_t *steps; // frames to advance while paused
    double *speed;
} graph_view_time;

// Call these once a frame, in this order. The first one is for the slot's last frame, which has completed.
lmb_result graph_view_begin(graph_view *view, uint32_t slot, uint32_t number, lmb_error *error);
// Reads the file if it has changed, runs the control, places the characters and writes the slot's parameters.
// `eye` is that of the camera; NULL stands for the scene's own.
lmb_result graph_view_advance(graph_view *view, double seconds, const float eye[3], uint32_t slot, uint32_t number,
                              lmb_error *error);
// Shows the windows of the left column, those of the right one, and the time at the lower edge.
void graph_view_show_inputs(graph_view *view, ui *ui);
void graph_view_show_graph(graph_view *view, ui *ui);
void graph_view_show_time(graph_view *view, graph_view_time time, ui *ui);
lmb_result graph_view_record(graph_view *view, VkCommandBuffer commands, uint32_t slot, lmb_gpu_profile *profile,
                             lmb_error *error);

// Returns true once, when the character has been measured in the poses of the first graph of the file and the crowd has
// been placed for its size: then place the camera.
bool graph_view_needs_camera(graph_view *view);

// Stores how far the characters have moved since the start, on average: x, z in metres.
void graph_view_way(const graph_view *view, float way[2]);
// Returns the scene of the shown graph, and stores its time; NULL if there is none.
const play_scene *graph_view_scene(const graph_view *view, double *seconds);
// Returns what the host has written for inverse kinematics in a slot.
lmb_batch_inputs graph_view_inputs(const graph_view *view, uint32_t slot);

// What the pointer does in the picture. Positions are from 0 to 1, to the right and downwards.
typedef struct graph_view_pointer {
    float at[2];
    bool pressed;  // since the last frame
    bool released; // the same
    bool clicked;  // released where it was pressed
} graph_view_pointer;

// Drags targets, and watches the character that was clicked. Returns whether it takes the pointer.
bool graph_view_point(graph_view *view, const graph_view_pointer *pointer, const camera_view *camera);
// Draws the targets of the watched character over the picture.
void graph_view_show_targets(const graph_view *view, const camera_view *camera, ui *ui);

// Pause, and show the frame before the one that is shown, or the next one, which runs if it has not run yet.
void graph_view_step_back(graph_view *view, graph_view_time time);
void graph_view_step(graph_view *view, graph_view_time time);
// Returns the batch that is shown.
lmb_gpu_batch *graph_view_batch(const graph_view *view);

#endif
