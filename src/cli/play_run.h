// A graph that moves by itself, driven by a script, as `limber play` and `limber capture` run it.
#ifndef LIMBER_SRC_CLI_PLAY_RUN_H
#define LIMBER_SRC_CLI_PLAY_RUN_H

#include "graph_file.h"
#include "play_script.h"
#include "play_side.h"

// The options of a run, in a command's table of options.
#define PLAY_RUN_OPTIONS(run, backend)                                                                                 \
    {"--graph", OPTION_TEXT, &(run)->graph_text, "FILE|JSON", "a file of JSON, or the JSON itself"},                   \
        {"--machine", OPTION_TEXT, &(run)->machine_name, "FILE",                                                       \
         "a machine's text, for the graph's machine without states, or alone"},                                        \
        {"--pose", OPTION_TEXTS, &(run)->static_poses, "NAME=CLIP@TIME", "a static pose, from a clip at a time"},      \
        {"--script", OPTION_TEXT, &(run)->script_name, "FILE",                                                         \
         "what the host does: 'TIME send EVENT [CHARACTER]',\n"                                                        \
         "                          'TIME set NAME VALUE [CHARACTER]', a line each"},                                  \
        {"--fps", OPTION_COUNT, &(run)->rate, "N", "frames a second (60)"},                                            \
        {"--frames", OPTION_COUNT, &(run)->frame_count, "N", "frames (60); the first is at time 0"},                   \
        {"--characters", OPTION_COUNT, &(run)->side.character_count, "N",                                              \
         "characters (1), of which the first is reported of"},                                                         \
        {"--backend", OPTION_TEXT, backend, "BACKEND", "reference (default) or gpu"}, {                                \
        "--device", OPTION_TEXT, &(run)->side.device_name, "NAME|INDEX", "part of a device's name, or its index"       \
    }

typedef struct play_run {
    const char *file; // the first
    uint32_t file_count;
    const char *graph_text;
    const char *machine_name;
    option_texts static_poses;
    const char *script_name;
    uint32_t rate; // frames a second
    uint32_t frame_count;
    bool may_stand_still; // graphs in which nothing moves by itself are accepted

    character character;
    graph_file text;
    play_script script;
    uint32_t next_line; // of the script
    uint64_t passed;    // ticks
    float *row;         // the parameters of all characters at the start of each frame
    lmb_graph *graph;
    play_side side;
} play_run;

// Sets defaults, and makes room for as many static poses as there are arguments. Returns false if there is no memory.
bool play_run_begin(play_run *run, int argc);
// Checks what the option table cannot check. Returns 0, or the exit status of wrong usage.
int play_run_check(play_run *run, const char *command, const char *backend);
// Reads files and script, and creates everything. Returns 0, or an exit status after it has printed the error.
int play_run_open(play_run *run, char **files);
// Set the parameters and events of a frame, and run the frame. Call both for each frame in order, from 0 on.
void play_run_begin_frame(play_run *run, uint32_t frame);
lmb_result play_run_step(play_run *run, uint32_t frame, lmb_error *error);
// Returns the time of a frame in ticks.
uint64_t play_run_ticks(const play_run *run, uint32_t frame);
// Closes everything that was opened. Fails as gpu_device_close() does.
lmb_result play_run_close(play_run *run, lmb_error *error);

#endif
