// Runs a crowd with a control frame by frame, on the CPU or on a device: host memory in, host memory out.
#ifndef LIMBER_SRC_TOOLS_PLAY_SIDE_H
#define LIMBER_SRC_TOOLS_PLAY_SIDE_H

#include "gpu_device.h"

#include <limber/cpu.h>

typedef struct play_side {
    // Set by the caller.
    const lmb_graph *graph;
    const lmb_control *control; // the graph's, or NULL
    uint32_t character_count;
    uint32_t events_a_frame;
    bool gpu;
    const char *device_name; // as asked for; NULL for the best

    float *parameters; // of the frame, float [C][P]; the caller fills in the host's parameters
    lmb_event *events; // of the frame, in any order
    uint32_t event_count;
    uint32_t *state; // after the frame
    uint32_t *emitted;
    float *palettes;
    uint32_t *inertia; // inertialization data of the reference
    lmb_event *scratch;

    lmb_cpu *cpu;
    gpu_device opened;
    lmb_gpu_graph *gpu_graph;
    lmb_gpu_batch *batch;
} play_side;

// All arguments must outlive the side. On failure the caller must still call play_side_destroy().
lmb_result play_side_create(play_side *side, lmb_error *error);
lmb_result play_side_run(play_side *side, uint64_t step, uint32_t number, lmb_error *error);
// Sets the state before the first frame: the characters' states, uint32_t [C][lmb_control_state_words()], instead of
// states that have not begun, and their inertialization data, uint32_t [C][lmb_graph_inertia_words()].
lmb_result play_side_restore(play_side *side, const uint32_t *state, const uint32_t *inertia, lmb_error *error);
// Reads the inertialization data between frames.
lmb_result play_side_read_inertia(play_side *side, uint32_t *inertia, lmb_error *error);
// Accepts a zeroed one. Fails as gpu_device_close() does.
lmb_result play_side_destroy(play_side *side, lmb_error *error);

#endif
