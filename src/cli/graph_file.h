// Programs written as JSON, as the command takes them: the text itself, or the name of a file.
#ifndef LIMBER_SRC_CLI_GRAPH_FILE_H
#define LIMBER_SRC_CLI_GRAPH_FILE_H

#include "character.h"
#include "options.h"

#include <limber/graph_json.h>

typedef struct graph_file {
    char *text;         // where it was a file
    char *machine_text; // the same
    size_t size;
    size_t machine_size;
    const char *name; // of the graph and of the machine, for messages
    const char *machine_name;
    uint32_t machine_warnings; // the first ones of the graph are the machine's
    lmb_graph_json *json;
    lmb_static_pose_def *static_poses; // their names and joints are owned
    uint32_t static_pose_count;
} graph_file;

// Reads what --graph says, over a character, which must outlive it, with the static poses that NAME=CLIP@TIME gives, or
// NULL. False where that failed: every mistake has then been told on stderr, and nothing is left.
bool graph_file_read(const char *argument, const character *character, const option_texts *poses, graph_file *file);
// The same with what --machine says, a file with the text of a machine: in the graph, or alone where `argument` is NULL.
// Without one where `machine` is NULL.
bool graph_file_read_machine(const char *argument, const char *machine, const character *character,
                             const option_texts *poses, graph_file *file);
// Tells the graph's warnings on stderr.
void graph_file_warn(const graph_file *file);
// What to create the graph from; NULL where nothing was read.
const lmb_graph_def *graph_file_def(const graph_file *file);
// A zeroed one is fine.
void graph_file_release(graph_file *file);

#endif
