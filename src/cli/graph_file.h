// Programs in JSON, as the command accepts them: the text itself, or the name of a file.
#ifndef LIMBER_SRC_CLI_GRAPH_FILE_H
#define LIMBER_SRC_CLI_GRAPH_FILE_H

#include "character.h"
#include "command_line.h"

#include <limber/graph_json.h>

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

// Reads the argument of --graph for a character, which must outlive the file. `poses` has static poses as
// NAME=CLIP@TIME, or is NULL. On failure prints every error on stderr, leaves nothing allocated and returns false.
bool graph_file_read(const char *argument, const character *character, const option_texts *poses, graph_file *file);
// Does the same with the argument of --machine, a file with a machine's text. The machine is put into the graph, or is
// used alone if `argument` is NULL. There is no machine if `machine` is NULL.
bool graph_file_read_machine(const char *argument, const char *machine, const character *character,
                             const option_texts *poses, graph_file *file);
// Prints the graph's warnings on stderr.
void graph_file_warn(const graph_file *file);
// Returns the descriptor to create the graph from; NULL if nothing was read.
const lmb_graph_def *graph_file_def(const graph_file *file);
// Accepts a zeroed one.
void graph_file_release(graph_file *file);

#endif
