// The file of `limber capture`: one batch and frame, with all that it takes to run it again. Little-endian:
//
//     "LIMBCAP\n", uint32 version, uint32 sections
//     uint64 size, uint64 hash         of each section, in the order of capture_section
//     uint64 hash                      of all before it
//     the sections, one after the other, to the end of the file
//
// Hashes are FNV-1a, 64 bits. A text is its length and its bytes. Nothing in a file is trusted.
#ifndef LIMBER_SRC_CLI_CAPTURE_FILE_H
#define LIMBER_SRC_CLI_CAPTURE_FILE_H

#include <limber/graph.h>

#define CAPTURE_VERSION 2u
#define CAPTURE_DEVICE_SIZE 256
#define CAPTURE_NAME_SIZE 64
#define CAPTURE_MOST_RESULTS 8192u

typedef enum capture_section {
    CAPTURE_FRAME,      // number, characters, step, events emitted at most, the device's name
    CAPTURE_RIG,        // joints, then float channels, then sockets
    CAPTURE_CLIPS,      // blocks, as lmb_clip_block() gives them
    CAPTURE_GRAPH,      // text, or nothing
    CAPTURE_MACHINE,    // text, or nothing
    CAPTURE_POSES,      // static poses
    CAPTURE_PARAMETERS, // float [character][parameter], before the control
    CAPTURE_STATE,      // of the control, before the frame
    CAPTURE_INERTIA,    // what inertialization keeps, before the frame, or nothing
    CAPTURE_EVENTS,     // sent with the frame
    CAPTURE_RESULTS,    // a name and a hash each, in the order of what is done
    CAPTURE_SECTIONS
} capture_section;

// What an operation, or a stage, came to.
typedef struct capture_result {
    char name[CAPTURE_NAME_SIZE];
    uint64_t hash;
} capture_result;

typedef struct capture {
    uint32_t number; // of the frame
    uint32_t character_count;
    uint64_t step; // ticks
    uint32_t max_emitted_events;
    char device[CAPTURE_DEVICE_SIZE]; // that the results are of, or "reference"
    const lmb_rig *rig;
    const lmb_clip **clips;
    uint32_t clip_count;
    const char *graph; // NULL where there is none
    size_t graph_size;
    const char *machine; // the same
    size_t machine_size;
    const lmb_static_pose_def *static_poses;
    uint32_t static_pose_count;
    const float *parameters;
    size_t parameter_count; // of all characters
    const uint32_t *state;
    size_t state_words; // of all characters
    const uint32_t *inertia;
    size_t inertia_words; // of all characters
    const lmb_event *events;
    uint32_t event_count;
    const capture_result *results;
    uint32_t result_count;
} capture;

// Fails with #LMB_ERROR_FILE (the message names the file) and #LMB_ERROR_MEMORY.
lmb_result capture_write(const capture *capture, const char *path, lmb_error *error);
// Reads a whole file's bytes; the capture owns all it points to. Fails with #LMB_ERROR_FORMAT, whose message names section
// and byte, or what creating rig and clips fails with; nothing is left then.
lmb_result capture_read(const void *bytes, size_t size, capture *capture, lmb_error *error);
// What capture_read() gave. A zeroed one is fine.
void capture_release(capture *capture);
// Makes the hashes of a file's bytes fit them, for who changes them on purpose. False where they are not even a header and
// sections.
bool capture_seal(void *bytes, size_t size);

// FNV-1a.
uint64_t capture_hash(const void *bytes, size_t size);

#endif
