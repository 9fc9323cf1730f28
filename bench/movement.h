// A crowd that a workload's control moves on the CPU: its states, and the events of a frame.
#ifndef LIMBER_BENCH_MOVEMENT_H
#define LIMBER_BENCH_MOVEMENT_H

#include "workload.h"

typedef struct movement {
    const workload *workload; // must have a control
    uint32_t characters;
    uint32_t *state; // uint32_t [characters][lmb_graph_info.state_words]
    uint32_t *emitted;
    lmb_event *events; // of the current frame
    uint32_t event_count;
} movement;

// Moves the crowd through its warm-up frames. Fills the parameters like workload_fill(). The movement must be destroyed
// in any case.
lmb_result movement_create(const workload *workload, uint32_t characters, float *parameters, movement *movement,
                           lmb_error *error);
void movement_destroy(movement *movement);

// Prepare the events of a frame after the warm-up frames, and run the frame. The caller fills the parameters.
void movement_begin_frame(movement *movement, uint32_t frame);
lmb_result movement_run(movement *movement, uint32_t frame, float *parameters, lmb_error *error);

// Returns the bytes of memory of a movement.
double movement_bytes(const workload *workload, uint32_t characters);

#endif
