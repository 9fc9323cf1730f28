// The subcommands of `limber`, and what they share: failures, options, and what the user names, which is a character
// (files or the built-in mannequin) and a graph (JSON or the name of a file).
#ifndef LIMBER_SRC_CLI_COMMAND_H
#define LIMBER_SRC_CLI_COMMAND_H

#include "command_line.h"

#include <limber/graph_json.h>
#include <limber/import.h>

#include <mannequin.h>

// Each takes the arguments after its name, and returns the exit status: 0 for success, 1 for a failure, 2 for wrong
// usage.
int command_devices(int argc, char **argv);
int command_info(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_eval(int argc, char **argv);
int command_graph(int argc, char **argv);
int command_play(int argc, char **argv);
int command_capture(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_profile(int argc, char **argv);

// Prints an error on stderr. `place` is a file or a command, or NULL if the message names the place itself, as those of
// an import do. Returns the exit status of failures, 1.
int command_failed(const char *place, const lmb_error *error);

// Options that several commands have.
#define OPTION_JSON(flag)                                                                                              \
    { "--json", OPTION_FLAG, flag, NULL, "print JSON" }
#define OPTION_DEVICE(name)                                                                                            \
    { "--device", OPTION_TEXT, name, "NAME|INDEX", "part of a device's name, or its index" }
#define OPTION_BACKEND(gpu)                                                                                            \
    { "--backend", OPTION_OTHER, &(option_other){command_read_backend, gpu}, "BACKEND", "reference (default) or gpu" }

// Reads the value of --backend. `target` is a bool: whether it is the GPU.
const char *command_read_backend(const char *text, void *target);
// Checks that a device is named only if it is used. Returns #COMMAND_LINE_GOOD, or the exit status of wrong usage.
int command_check_backend(const char *command, bool gpu, const char *device_name);

// For the help of commands.
#define CHARACTER_HELP                                                                                                 \
    "Files after the first add clips, matched by joint name. 'mannequin' in place of files is the built-in one.\n"

typedef struct character {
    const lmb_rig *rig;
    const lmb_clip **clips;
    uint32_t clip_count;
    lmb_import *import; // one of these two is set
    mannequin *mannequin;
} character;

// Opens a character. The error message names the file. On failure nothing is left open.
lmb_result character_open(char *const *files, uint32_t count, character *character, lmb_error *error);
// Accepts a zeroed one.
void character_close(character *character);
// Returns the first clip of a name, which need not be terminated, or NULL.
const lmb_clip *character_find_clip(const character *character, const char *name, size_t length);

typedef struct graph_file {
    char *text;         // if it was a file
    char *machine_text; // the same
    size_t size;
    size_t machine_size;
    const char *name; // of the graph and of the machine, for messages
    const char *machine_name;
    uint32_t machine_warnings; // the first warnings, of which there are this many, are the machine's
    lmb_graph_json *json;
    lmb_static_pose_def *static_poses; // names and joints are owned
    uint32_t static_pose_count;
} graph_file;

// Reads the argument of --graph for a character, which must outlive the file. `machine` is the argument of --machine, a
// file with a machine's text, or NULL. The machine is put into the graph, or is used alone if `argument` is NULL.
// `poses` has static poses as NAME=CLIP@TIME, or is NULL. On failure prints every error on stderr, leaves nothing
// allocated and returns false.
bool graph_file_read(const char *argument, const char *machine, const character *character, const option_texts *poses,
                     graph_file *file);
// Prints the graph's warnings on stderr.
void graph_file_warn(const graph_file *file);
// Returns the descriptor to create the graph from; NULL if nothing was read.
const lmb_graph_def *graph_file_def(const graph_file *file);
// Accepts a zeroed one.
void graph_file_release(graph_file *file);

#endif
