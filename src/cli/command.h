// The subcommands of `limber`, and what they share: failures, options, and the subject that the user names, which is a
// character (files or the built-in mannequin) and a graph (JSON or the name of a file).
#ifndef LIMBER_SRC_CLI_COMMAND_H
#define LIMBER_SRC_CLI_COMMAND_H

#include "character_file.h"
#include "command_line.h"
#include "file.h"

#include "base/host.h"

#include <limber/graph_json.h>

// Each takes the arguments after its name, and returns the exit status: 0 for success, 1 for a failure, 2 for wrong
// usage.
int command_devices(int argc, char **argv);
int command_info(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_eval(int argc, char **argv);
int command_graph(int argc, char **argv);
int command_play(int argc, char **argv);
int command_pack(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_motion_graph(int argc, char **argv);
int command_motion_match(int argc, char **argv);
int command_capture(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_profile(int argc, char **argv);

// Returns the exit status for a result. Prints the error of a failure on stderr, unless its message is empty, because
// it is printed already. `place` is a file or a command, or NULL if the message names the place itself.
int command_end(const char *place, lmb_result result, const lmb_error *error);

// Returns the first index of a name, which need not be terminated, among `count` names. Otherwise fails and returns
// LMB_NONE: the message begins with `what`, and lists all names if they are few, else the nearest.
uint32_t command_find_name(const char *what, const char *name, size_t length, lmb_name_at *at, const void *of,
                           uint32_t count, lmb_error *error);

// The same for a parameter of a graph that can be set. Fails for one that the graph writes itself, as the time of a
// clip that plays.
uint32_t command_find_parameter(const lmb_graph *graph, const char *name, size_t length, lmb_error *error);

// What a command works on.
typedef struct subject {
    bool needs_graph; // set by the command: --graph or --machine must be given

    // Set by options.
    const char *graph_text;    // of --graph
    const char *machine_name;  // of --machine: a file with a machine's text, put into the graph, or alone
    option_texts poses;        // of --pose: static poses as NAME=CLIP@TIME
    option_texts characters;   // of --character: sources of retargets as NAME=FILE,FILE...
    option_texts clip_aliases; // of --clip: names in graphs as NAME=CLIP
    const char *names_file;    // of --names: names of clips and joints in graphs
    bool gpu;
    const char *device_name; // as asked for; NULL for the best
    lmb_import_def import;   // its files are those of the character
    option_texts splits;     // of --split: parts of clips as CLIP=NAME:FROM-TO,...
    char **files;
    uint32_t file_count;

    const char *place; // the first file, for messages; NULL while messages name the place themselves
    character_file character;

    const char *text_name;     // for messages
    char *machine_text;        // of machine_name
    lmb_graph_source machine;  // what reads it, once there is a graph of it
    uint32_t machine_warnings; // the first warnings, of which there are this many, are the machine's
    lmb_graph_json *json;      // NULL if the graph is a pack's
    const lmb_graph_def *def;  // to create the graph from; NULL if no graph is given
    lmb_static_pose_def *static_poses;
    uint32_t static_pose_count;
    character_file *others; // of --character
    lmb_graph_character *named;
    lmb_graph_aliases *aliases; // of --names, or NULL
    file_folder folder;         // of the graph
    lmb_graph_source names;     // has the aliases of --clip and --names
    lmb_arena pool;
} subject;

// Options that several commands have.
#define OPTION_JSON(flag)                                                                                              \
    { "--json", OPTION_FLAG, flag, NULL, "print JSON" }
#define OPTION_GRAPH(subject)                                                                                          \
    {                                                                                                                  \
        "--graph", OPTION_TEXT, &(subject)->graph_text, "NAME|FILE|JSON",                                              \
            "a graph of the pack, a file of JSON, or the JSON itself"                                                  \
    }
#define OPTION_MACHINE(subject)                                                                                        \
    {                                                                                                                  \
        "--machine", OPTION_TEXT, &(subject)->machine_name, "FILE",                                                    \
            "a machine's text, for the graph's machine without states, or alone"                                       \
    }
#define OPTION_POSE(subject)                                                                                           \
    { "--pose", OPTION_TEXTS, &(subject)->poses, "NAME=CLIP@TIME", "a static pose, from a clip at a time" }
#define OPTION_CHARACTER(subject)                                                                                      \
    {                                                                                                                  \
        "--character", OPTION_TEXTS, &(subject)->characters, "NAME=FILE,...",                                          \
            "another character, whose clips a \"retarget\" in the graph plays"                                         \
    }
#define OPTION_NAMES(subject)                                                                                          \
    {"--clip", OPTION_TEXTS, &(subject)->clip_aliases, "NAME=CLIP",                                                    \
     "what the graph calls NAME is this clip of the character"},                                                       \
    {                                                                                                                  \
        "--names", OPTION_TEXT, &(subject)->names_file, "FILE",                                                        \
            "the character's clips and joints for names in the graph, as JSON"                                         \
    }
#define OPTION_SKELETON(subject)                                                                                       \
    { "--skeleton-only", OPTION_FLAG, &(subject)->import.skeleton_only, NULL, CHARACTER_FILE_SKELETON_HELP }
#define OPTION_SCALES(subject)                                                                                         \
    { "--exact-scales", OPTION_FLAG, &(subject)->import.exact_scales, NULL, CHARACTER_FILE_SCALES_HELP }
#define OPTION_SPLIT(subject)                                                                                          \
    { "--split", OPTION_TEXTS, &(subject)->splits, "CLIP=NAME:FROM-TO,...", CHARACTER_FILE_SPLIT_HELP }
#define OPTION_BVH_UNIT(subject)                                                                                       \
    {                                                                                                                  \
        "--bvh-unit", OPTION_OTHER, &(option_other){character_file_read_unit, &(subject)->import.bvh_unit}, "METRES",  \
            CHARACTER_FILE_UNIT_HELP                                                                                   \
    }
#define OPTION_DEVICE(subject)                                                                                         \
    { "--device", OPTION_TEXT, &(subject)->device_name, "NAME|INDEX", "part of a device's name, or its index" }
#define OPTION_BACKEND(subject)                                                                                        \
    {                                                                                                                  \
        "--backend", OPTION_OTHER, &(option_other){command_read_backend, &(subject)->gpu}, "BACKEND",                  \
            "reference (default) or gpu"                                                                               \
    }

// Reads the value of --backend. `target` is a bool: whether it is the GPU.
const char *command_read_backend(const char *text, void *target);
// For the help of commands.
#define CHARACTER_HELP                                                                                                 \
    "Files after the first add clips, matched by joint name. 'mannequin' in place of files is the built-in one,\n"     \
    "'mannequin-face' the same with eyes, a mouth and morph targets, 'mannequin-takes' the same with long takes,\n"    \
    "'mannequin-child' one of other proportions without clips. A pack, as 'limber pack' writes it, is the only "       \
    "file.\n"

// Reads the options of a command and checks those of the subject: a device is named only for the GPU, and there is a
// graph if one is needed. Returns #COMMAND_LINE_GOOD, or the exit status with which the command must end.
int subject_read(subject *subject, const usage *usage, int argc, char **argv);
// Opens the character, and reads the graph if options give one. A failure's message is complete, or empty if every
// error is printed already. On failure the caller must still call subject_close().
lmb_result subject_open(subject *subject, lmb_error *error);
// Does what a command does with an open subject, the first member of what it knows.
typedef lmb_result subject_body(subject *subject, lmb_error *error);
// Reads the options, opens the subject, calls `body`, closes the subject and reports the error. Returns the exit
// status.
int subject_command(subject *subject, const usage *usage, int argc, char **argv, subject_body *body);
// Reads the graph of `graph_text` and `machine_name` for an open character, instead of one that was read before.
lmb_result subject_read_graph(subject *subject, lmb_error *error);
// Accepts a zeroed one.
void subject_close(subject *subject);
// Prints the graph's warnings on stderr.
void subject_warn(const subject *subject);
extern const char *const pack_part_names[LMB_PACK_PART_COUNT];
// Prints a line for each part of a pack.
void subject_print_parts(const lmb_pack *pack);
// Returns the first clip of a name, which need not be terminated, or fails and returns NULL.
const lmb_clip *subject_find_clip(const subject *subject, const char *name, size_t length, lmb_error *error);

#endif
