// A graph that moves by itself, driven by a script, as `limber play` and `limber capture` run it.
#ifndef LIMBER_SRC_CLI_PLAY_H
#define LIMBER_SRC_CLI_PLAY_H

#include "command.h"
#include "gpu_side.h"
#include "play_script.h"

// The options of a run, in a command's table of options.
#define PLAY_RUN_OPTIONS(run)                                                                                          \
    {"--graph", OPTION_TEXT, &(run)->graph_text, "FILE|JSON", "a file of JSON, or the JSON itself"},                   \
        {"--machine", OPTION_TEXT, &(run)->machine_name, "FILE",                                                       \
         "a machine's text, for the graph's machine without states, or alone"},                                        \
        {"--pose", OPTION_TEXTS, &(run)->static_poses, "NAME=CLIP@TIME", "a static pose, from a clip at a time"},      \
        {"--script", OPTION_TEXT, &(run)->script_name, "FILE",                                                         \
         "what the host does: 'TIME send EVENT [CHARACTER]',\n'TIME set NAME VALUE [CHARACTER]', a line each"},        \
        {"--fps", OPTION_LIMITED, &(option_limited){&(run)->rate, 1000000}, "N", "frames a second (60)"},              \
        {"--frames", OPTION_COUNT, &(run)->frame_count, "N", "frames (60); the first is at time 0"},                   \
        {"--characters", OPTION_COUNT, &(run)->side.character_count, "N",                                              \
         "characters (1), of which the first is reported of"},                                                         \
        OPTION_BACKEND(&(run)->side.gpu), OPTION_DEVICE(&(run)->side.device_name)

// The values of those that are not given.
#define PLAY_RUN_DEFAULTS .rate = 60, .frame_count = 60, .side = {.character_count = 1}

typedef struct play_run {
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

// Reads the options of a command. Returns #COMMAND_LINE_GOOD, or the exit status with which the command must end.
int play_run_read(play_run *run, const usage *usage, int argc, char **argv);
// Reads files and script, and creates everything. Returns 0, or an exit status after it has printed the error.
int play_run_open(play_run *run, char **files);
// Set the parameters and events of a frame, and run the frame. Call both for each frame in order, from 0 on.
void play_run_begin_frame(play_run *run, uint32_t frame);
lmb_result play_run_step(play_run *run, uint32_t frame, lmb_error *error);
// Returns the time of a frame in ticks.
uint64_t play_run_ticks(const play_run *run, uint32_t frame);
// Closes everything that was opened. Returns `status`, the command's so far, or that of a failure.
int play_run_close(play_run *run, const char *command, int status);

#endif
