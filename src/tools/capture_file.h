// The file format of `limber capture`: one batch and frame, with everything needed to run it again. Little-endian:
//
//     "LIMBCAP\n", uint32 version, uint32 sections
//     uint64 size, uint64 hash         of each section, in the order of capture_section
//     uint64 hash                      of all before it
//     the sections, one after the other, to the end of the file
//
// Hashes are 64-bit FNV-1a. A text is stored as its length and its bytes. A file is not trusted.
#ifndef LIMBER_SRC_TOOLS_CAPTURE_FILE_H
#define LIMBER_SRC_TOOLS_CAPTURE_FILE_H

#include "base/host.h"

#include <limber/pack.h>

#define CAPTURE_VERSION 3u
#define CAPTURE_DEVICE_SIZE 256
#define CAPTURE_NAME_SIZE 64
#define CAPTURE_MOST_RESULTS 8192u

typedef enum capture_section {
    CAPTURE_FRAME,      // number, characters, step, max events emitted, the device's name
    CAPTURE_GRAPH,      // a pack of the graph, with its rig and clips
    CAPTURE_PARAMETERS, // float [character][parameter], before the control
    CAPTURE_STATE,      // of the control, before the frame
    CAPTURE_KEPT,       // what poses kept before the frame (side_kept_words()), or nothing
    CAPTURE_EVENTS,     // sent with the frame
    CAPTURE_RESULTS,    // a name and a hash each, in the order of execution
    CAPTURE_SECTIONS
} capture_section;

// The result of an operation or an output.
typedef struct capture_result {
    char name[CAPTURE_NAME_SIZE];
    uint64_t hash;
} capture_result;

typedef struct capture {
    uint32_t number; // of the frame
    uint32_t character_count;
    uint64_t step; // ticks
    uint32_t max_emitted_events;
    char device[CAPTURE_DEVICE_SIZE]; // that gave the results, or "reference"
    const lmb_graph_def *graph;
    const float *parameters;
    size_t parameter_count; // of all characters
    const uint32_t *state;
    size_t state_words; // of all characters
    const uint32_t *kept;
    size_t kept_words; // of all characters
    const lmb_event *events;
    uint32_t event_count;
    const capture_result *results;
    uint32_t result_count;
    lmb_pack *pack; // owns the graph of a capture that was read; or NULL
    lmb_arena pool; // what else it owns
} capture;

// Fails with #LMB_ERROR_FILE (the message names the file) and #LMB_ERROR_MEMORY.
lmb_result capture_write(const capture *capture, const char *path, lmb_error *error);
// Reads the bytes of a whole file. The capture owns everything that it points to. Fails with #LMB_ERROR_FORMAT, whose
// message names section and byte, or with the error of creating the rig or a clip. Nothing is left allocated then.
lmb_result capture_read(const void *bytes, size_t size, capture *capture, lmb_error *error);
// Releases what capture_read() allocated. Accepts a zeroed capture.
void capture_release(capture *capture);
// Recomputes the hashes of a file's bytes, for code that changes them on purpose. Returns false if the bytes are not a
// header and sections.
bool capture_seal(void *bytes, size_t size);

#endif
