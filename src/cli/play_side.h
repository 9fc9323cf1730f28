// A crowd that a control moves, on the CPU or on a device, frame by frame: host memory in, host memory out.
#ifndef LIMBER_SRC_CLI_PLAY_SIDE_H
#define LIMBER_SRC_CLI_PLAY_SIDE_H

#include "gpu_device.h"

#include <limber/cpu.h>

typedef struct play_side {
    // Set by who runs it.
    const lmb_graph *graph;
    const lmb_control *control; // the graph's, or NULL
    uint32_t character_count;
    uint32_t events_a_frame;
    bool gpu;
    const char *device_name; // as asked for; NULL for the best

    float *parameters; // of the frame, float [C][P]: the host's part is to be filled in
    lmb_event *events; // of the frame, in any order
    uint32_t event_count;
    uint32_t *state; // after the frame
    uint32_t *emitted;
    float *palettes;
    uint32_t *inertia; // what inertialization keeps, of the reference
    lmb_event *scratch;

    lmb_cpu *cpu;
    gpu_device opened;
    lmb_gpu_graph *gpu_graph;
    lmb_gpu_batch *batch;
} play_side;

// Everything given must outlive it. On failure nothing is left but what play_side_destroy() destroys.
lmb_result play_side_create(play_side *side, lmb_error *error);
lmb_result play_side_run(play_side *side, uint64_t step, uint32_t number, lmb_error *error);
// Before the first frame: what its characters' states are then, uint32_t [C][lmb_control_state_words()], in place of states
// that have not begun, and what inertialization keeps of them, uint32_t [C][lmb_graph_inertia_words()].
lmb_result play_side_restore(play_side *side, const uint32_t *state, const uint32_t *inertia, lmb_error *error);
// Between frames: what inertialization keeps.
lmb_result play_side_read_inertia(play_side *side, uint32_t *inertia, lmb_error *error);
// A zeroed one is fine. Fails as gpu_device_close() does.
lmb_result play_side_destroy(play_side *side, lmb_error *error);

#endif
