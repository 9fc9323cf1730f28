// Reads a graph from a file, and reads it again whenever the file or one that it includes changes. Knows nothing of
// windows and devices.
#ifndef LIMBER_SAMPLES_VIEWER_GRAPH_FILE_H
#define LIMBER_SAMPLES_VIEWER_GRAPH_FILE_H

#include <limber/graph_json.h>

#define GRAPH_FILE_PATH 1024u

// The rig and the clips that the graph may use. All must outlive the versions.
typedef struct graph_file_character {
    const lmb_rig *rig;
    const lmb_clip *const *clips;
    uint32_t clip_count;
    const lmb_graph_character *sources; // of retargets
    uint32_t source_count;
    const lmb_static_pose_def *poses;
    uint32_t pose_count;
    const lmb_graph_aliases *aliases; // or NULL
    const char *beside;               // a file in whose folder files are that the graph includes, or NULL
} graph_file_character;

// One content of the file. It does not change.
typedef struct graph_version {
    lmb_graph_json *json; // NULL if the content is not a graph
    lmb_graph *graph;     // NULL if `error` says why
    lmb_error error;
    lmb_graph_problems problems; // its mistakes with their places; none if the error has no place
} graph_version;

// What identifies a content without reading it.
typedef struct graph_file_stamp {
    int64_t seconds; // since 1970, of the last change
    int64_t nanoseconds;
    uint64_t size;
    uint64_t file; // a saved file may be a new one of the same name
    bool exists;
} graph_file_stamp;

// A file whose content was read.
typedef struct graph_file_part {
    char path[GRAPH_FILE_PATH];
    graph_file_stamp stamp;
    uint64_t hash; // of the content that was read last, or of the message that says why it cannot be read
} graph_file_part;

typedef struct graph_file {
    graph_file_character character;
    graph_file_part graph;
    graph_file_part included[LMB_MAX_INCLUDES]; // in the order in which they were read
    uint32_t included_count;
    bool was_read;
} graph_file;

// Starts to follow a file, which need not exist. Fails if the path is too long.
lmb_result graph_file_open(const char *path, const graph_file_character *character, graph_file *file, lmb_error *error);

// Checks the files. If a content differs from that of the last call, or this is the first call, returns true and a new
// version; otherwise returns false. The caller destroys the version. `now` is the time in seconds since 1970.
//
// Files whose times and sizes are as before are not read again, unless one changed less than two seconds ago: some file
// systems count in seconds. Returns false, too, if memory runs out; the next call tries again.
bool graph_file_poll(graph_file *file, int64_t now, graph_version **version);

// Reads a graph as lmb_graph_json_read() does from JSON, or from a machine's text.
lmb_result graph_text_read(const lmb_graph_source *source, lmb_graph_json **graph, lmb_graph_problems *problems,
                           lmb_error *error);

// Reads a version from such a text. `name` begins messages. Returns NULL if memory runs out.
graph_version *graph_version_read(const graph_file_character *character, const char *name, const char *text,
                                  size_t size);
// NULL is allowed.
void graph_version_destroy(graph_version *version);

#endif
