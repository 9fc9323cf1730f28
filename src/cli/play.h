// A graph that moves by itself, driven by a script, as `limber play` and `limber capture` run it.
#ifndef LIMBER_SRC_CLI_PLAY_H
#define LIMBER_SRC_CLI_PLAY_H

#include "command.h"
#include "gpu_side.h"
#include "play_scene.h"
#include "play_script.h"

// The options of a run, in a command's table of options.
#define PLAY_RUN_OPTIONS(run)                                                                                          \
    OPTION_GRAPH(&(run)->subject), OPTION_MACHINE(&(run)->subject), OPTION_POSE(&(run)->subject),                      \
        OPTION_CHARACTER(&(run)->subject), OPTION_NAMES(&(run)->subject), OPTION_SKELETON(&(run)->subject),            \
        OPTION_SCALES(&(run)->subject), OPTION_SPLIT(&(run)->subject), OPTION_BVH_UNIT(&(run)->subject),               \
        {"--script", OPTION_TEXT, &(run)->script_name, "FILE",                                                         \
         "what the host does: 'TIME send EVENT [CHARACTER]',\n'TIME set NAME VALUE [CHARACTER]', a line each"},        \
        {"--fps", OPTION_LIMITED, &(option_limited){&(run)->rate, 1000000}, "N", "frames a second (60)"},              \
        {"--frames", OPTION_COUNT, &(run)->frame_count, "N", "frames (60); the first is at time 0"},                   \
        {"--characters", OPTION_COUNT, &(run)->character_count, "N",                                                   \
         "characters (1), of which the first is reported of"},                                                         \
        OPTION_BACKEND(&(run)->subject), OPTION_DEVICE(&(run)->subject)

// The values of those that are not given.
#define PLAY_RUN_DEFAULTS .subject = {.needs_graph = true}, .rate = 60, .frame_count = 60, .character_count = 1

typedef struct play_run {
    subject subject;
    const char *script_name;
    uint32_t rate; // frames a second
    uint32_t frame_count;
    uint32_t character_count;
    const char *joint_names;                                    // whose positions are printed, commas between; or NULL
    bool may_stand_still;                                       // graphs in which nothing moves by itself are accepted
    lmb_result (*body)(struct play_run *run, lmb_error *error); // the run is the first member of what it knows

    play_script script;
    uint32_t next_line; // of the script
    uint64_t passed;    // ticks
    float *row;         // the parameters of all characters at the start of each frame
    bool *counts;       // [parameter]: a clock that the script does not set
    lmb_graph *graph;
    side side;

    const char *scene_name; // may be NULL
    play_scene *scene;
    uint32_t *scene_states; // the control of each frame runs for the scene first
    float *scene_parameters;
    lmb_event *scene_events;
} play_run;

// Creates what an open play_run needs, calls its `body` and closes everything. For subject_command().
lmb_result play_run_all(subject *subject, lmb_error *error);
// Set the parameters and events of a frame, and run the frame. Call both for each frame in order, from 0 on.
void play_run_begin_frame(play_run *run, uint32_t frame);
lmb_result play_run_step(play_run *run, uint32_t frame, lmb_error *error);
// Returns the time of a frame in ticks.
uint64_t play_run_ticks(const play_run *run, uint32_t frame);
#endif
