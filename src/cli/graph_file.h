// Programs written as JSON, as the command takes them: the text itself, or the name of a file.
#ifndef LIMBER_SRC_CLI_GRAPH_FILE_H
#define LIMBER_SRC_CLI_GRAPH_FILE_H

#include "crowd.h"
#include "options.h"

#include <limber/graph.h>
#include <limber/import.h>

typedef struct graph_file {
    const lmb_clip **clips; // the import's, in its order
    uint32_t clip_count;
    char *text; // where it was a file
    lmb_graph *graph;
    lmb_static_pose_def *static_poses; // their names and joints are owned
    uint32_t static_pose_count;
} graph_file;

// Reads what --graph says, over an import, which must outlive it, with the static poses that NAME=CLIP@TIME gives, or NULL. False where that failed: every mistake has then been
// told on stderr, and nothing is left.
bool graph_file_read(const char *argument, const lmb_import *import, const option_texts *poses, graph_file *file);
// The ranges of its parameters, for a crowd, to be freed; some where there is no graph. NULL without memory.
crowd_range *graph_file_ranges(const graph_file *file);
// A zeroed one is fine.
void graph_file_release(graph_file *file);

#endif
