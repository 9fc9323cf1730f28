// Runs a graph on the CPU for some characters: what the user sets and sends, the state of each character, where the
// targets of inverse kinematics are, and the frames of the last seconds, to which the user can go back. Knows nothing
// of windows and devices.
#ifndef LIMBER_SAMPLES_VIEWER_GRAPH_RUN_H
#define LIMBER_SAMPLES_VIEWER_GRAPH_RUN_H

#include <limber/cpu.h>
#include <limber/graph.h>

#include "graph_targets.h"
#include "play_scene.h"

// A parameter that the host sets: one value for all characters that have no value of their own.
typedef struct graph_setting {
    const char *name; // lives as long as the graph
    uint32_t parameter;
    float min, max; // of a slider; min < max
    float value;
    bool is_time; // a time of clips, or the clock of what keeps a state
    bool plays;   // it advances by itself, from max on at min again; characters differ by an offset
} graph_setting;

// A frame that was run.
typedef struct graph_moment {
    double time;       // seconds since the beginning
    float *settings;   // [setting_count]
    float *own;        // [character][setting]: values of single characters; NaN: that of all
    float *places;     // [target][4]: position or direction in model space, and whether the user holds it (1 or 0)
    float *points;     // [character][point][4], as in batch.h
    float *transforms; // [character][3][4]
    float *palettes;   // [character][joint][3][4], if the scene needs those of the frame before
    float *scene;      // what the scene leaves for the next frame, if there is one
    float *parameters; // [character][parameter]
    uint32_t *states;  // [character][word]
    uint32_t *emitted; // [character][word]: the events emitted in the frame, as in control.h
    uint32_t *reached; // [character][word]: the targets that the frame's poses reach
    uint32_t *inertia; // [character][word] of these poses, if there are such targets
    uint32_t number;   // of the frame
    uint32_t place;    // index in the ring, below `capacity`: where others may keep what belongs to it
} graph_moment;

typedef struct graph_run {
    const lmb_graph_def *def;
    const lmb_graph *graph;
    uint32_t character_count;
    uint32_t parameter_count; // of a character
    uint32_t state_words;     // of a character
    uint32_t emitted_words;   // of a character
    // Targets that a character's poses may reach. If there are any, poses run here, too, because conditions of the next
    // frame read which of them were reached.
    uint32_t reached_words;
    uint32_t inertia_words; // of a character; 0 if there are no such targets
    lmb_cpu *cpu;           // NULL if there are none
    float *poses;           // local transforms of all characters, for `cpu`
    graph_setting *settings;
    uint32_t setting_count;
    float *own;              // [character][setting] of the next frame
    float *starts;           // [character][3][4]: where characters without root motion are
    play_scene *scene;       // or NULL
    uint32_t palette_floats; // of a character, if the scene needs palettes
    uint32_t scene_floats;
    uint32_t point_count; // of a character
    graph_target targets[LMB_MAX_POINTS];
    uint32_t target_count;
    float places[LMB_MAX_POINTS][4]; // of the next frame
    bool targets_stay;               // targets keep their places while characters move on
    bool scatters;                   // the next frame puts the characters into random states
    bool has_eye;                    // of the camera; otherwise the scene's own is used
    float eye[3];
    lmb_event *events; // of the next frame
    lmb_event *scratch;
    uint32_t event_count;
    bool has_begun; // characters go on from a state
    bool changed;   // something was set or sent since the last frame
    // The frames, a ring: `count` of them from `first` on. `current` of them are up to the one that is shown.
    graph_moment *moments;
    uint32_t capacity;
    uint32_t first;
    uint32_t count;
    uint32_t current; // 1 to count; 0 before the first frame
    void *memory;
} graph_run;

typedef struct graph_run_def {
    const lmb_graph_def *def; // of the graph
    const lmb_graph *graph;   // both must outlive the run
    uint32_t character_count;
    size_t memory;     // bytes for the frames, at least two of them
    uint32_t frames;   // at most so many frames are kept
    const char *scene; // a text as in play_scene.h, or NULL
    size_t scene_size;
    const char *scene_name;
    float unit;                    // metres per unit of the characters, for the scene
    const lmb_graph_source *names; // whose aliases the scene uses; or NULL
} graph_run_def;

// Creates a run whose parameters have their defaults.
lmb_result graph_run_create(const graph_run_def *def, graph_run **run, lmb_error *error);
// NULL is allowed.
void graph_run_destroy(graph_run *run);

// Continues another run, after the graph's text has changed: takes the values of the settings that both have, by name,
// and the time. Characters go on as limber/transfer.h says, and so do the frames that are kept; without a control in
// both graphs they begin anew. `lost` gets what of the graph before is lost, in words. Returns whether a machine or a
// player goes on. Call it before the first frame.
bool graph_run_continue(graph_run *run, const graph_run *before, char *lost, size_t size);

// Returns the setting of that name, or NULL.
graph_setting *graph_run_find(const graph_run *run, const char *name);
// Sets a parameter for all characters, clamped to its range; their own values are gone.
void graph_run_set(graph_run *run, graph_setting *setting, float value);
// Sets it for one character.
void graph_run_set_own(graph_run *run, const graph_setting *setting, uint32_t character, float value);
// Returns the value that a character has.
float graph_run_value(const graph_run *run, const graph_setting *setting, uint32_t character);
// Puts all characters but the first into random states with the next frame: each gets parameters of its own, and goes
// through some random events. They stay where they are.
void graph_run_scatter(graph_run *run);
// Returns whether something in the graph hears an event; others are only emitted.
bool graph_run_hears(const graph_run *run, uint32_t event);

// Places the characters: float [character][3][4], from model space to the world. Not for a run with a scene.
void graph_run_place(graph_run *run, const float *transforms);
// Returns the matrix of a character in the shown frame.
lmb_affine graph_run_matrix(const graph_run *run, uint32_t character);
// Returns where a target of a character is in the shown frame: in the world, whatever its own space is. For a direction
// it is a point in that direction, `length` away from its joint.
void graph_run_target(const graph_run *run, uint32_t target, uint32_t character, float length, float position[3]);
// Moves a target of all characters so that that of `character` is there; the scene does not move it any more.
void graph_run_drag(graph_run *run, uint32_t target, uint32_t character, const float position[3]);
// Leaves all targets to the scene, or puts them back to where they were at first.
void graph_run_release_targets(graph_run *run);
// Whether targets keep their places in the world from now on. They do not move by this.
void graph_run_let_targets_stay(graph_run *run, bool stay, uint32_t character);
// Sends an event with the next frame to a character, or to all of them (#LMB_NONE).
void graph_run_send(graph_run *run, uint32_t event, uint32_t character);

// Runs a frame. Frames after the one that is shown are dropped first.
lmb_result graph_run_step(graph_run *run, double seconds, lmb_error *error);
// Shows an earlier frame, from 1 (the oldest that is kept) to `count`; the settings get the values that they had.
void graph_run_go(graph_run *run, uint32_t frame);
// Returns the frame that is shown, or the one that is `back` frames before it; NULL if there is none.
const graph_moment *graph_run_moment(const graph_run *run, uint32_t back);

// Runs a character with the settings as they are, then with each of the first ones at its min and at its max. Stores
// float [count][parameter_count], rows of parameters from these runs: the poses that the graph can show. The caller
// frees them. `points` are float [point_count][4], of a character at the origin.
lmb_result graph_run_sample(const graph_run *run, float **rows, uint32_t *count, lmb_error *error);
void graph_run_first_points(const graph_run *run, float *points);

// Returns a character's row of parameters, or its state, in a frame.
const float *graph_run_parameters(const graph_run *run, const graph_moment *moment, uint32_t character);
const uint32_t *graph_run_state(const graph_run *run, const graph_moment *moment, uint32_t character);
const float *graph_run_transform(const graph_run *run, const graph_moment *moment, uint32_t character);

// Finds the event that a character emitted last, and how many seconds ago. Returns false if there is none in the frames
// that are kept.
bool graph_run_emitted(const graph_run *run, uint32_t character, lmb_emitted_event *event, double *ago);

// A transition that a machine is in.
typedef struct graph_transition {
    uint32_t from; // state
    float share;   // of the way, 0 to 1
    bool inertialized;
} graph_transition;

// Returns whether a machine is in a transition, as far as the frames that are kept show it.
bool graph_run_transition(const graph_run *run, uint32_t character, uint32_t machine, graph_transition *transition);

#endif
