// Runs a graph on the CPU for some characters: what the user sets and sends, the state of each character, and the
// frames of the last seconds, to which the user can go back. Knows nothing of windows and devices.
#ifndef LIMBER_SAMPLES_VIEWER_GRAPH_RUN_H
#define LIMBER_SAMPLES_VIEWER_GRAPH_RUN_H

#include <limber/cpu.h>
#include <limber/graph.h>

// A parameter that the host sets, the same for all characters.
typedef struct graph_setting {
    const char *name; // lives as long as the graph
    uint32_t parameter;
    float min, max; // min < max
    float value;
    bool is_time; // only times of clips read it
    bool plays;   // it advances by itself, from max on at min again; characters differ by an offset
} graph_setting;

// A frame that was run.
typedef struct graph_moment {
    double time;       // seconds since the beginning
    float *settings;   // [setting_count]
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
    const lmb_control *control; // NULL if nothing changes over time
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
    size_t memory;   // bytes for the frames, at least two of them
    uint32_t frames; // at most so many frames are kept
} graph_run_def;

// Creates a run whose parameters have their defaults.
lmb_result graph_run_create(const graph_run_def *def, graph_run **run, lmb_error *error);
// NULL is allowed.
void graph_run_destroy(graph_run *run);

// Continues another run, after the graph's text has changed: takes the values of the settings that both have, by name,
// and the time. Characters go on in their states if these fit the graph; otherwise they begin anew where they are.
// Returns whether they go on. Call it before the first frame.
bool graph_run_continue(graph_run *run, const graph_run *before);

// Returns the setting of that name, or NULL.
graph_setting *graph_run_find(const graph_run *run, const char *name);
// Sets a parameter for all characters, clamped to its range.
void graph_run_set(graph_run *run, graph_setting *setting, float value);
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
// frees them.
lmb_result graph_run_sample(const graph_run *run, float **rows, uint32_t *count, lmb_error *error);

// Returns a character's row of parameters, or its state, in a frame.
const float *graph_run_parameters(const graph_run *run, const graph_moment *moment, uint32_t character);
const uint32_t *graph_run_state(const graph_run *run, const graph_moment *moment, uint32_t character);

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
