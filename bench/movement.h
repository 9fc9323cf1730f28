// A crowd moved by a workload's control on the CPU: its states, and the events of a frame.
#ifndef LIMBER_BENCH_MOVEMENT_H
#define LIMBER_BENCH_MOVEMENT_H

#include "workload.h"

typedef struct movement {
    const workload *workload; // with a control
    uint32_t characters;
    uint32_t *state; // uint32_t [characters][lmb_control_state_words()]
    uint32_t *emitted;
    lmb_event *events; // of the frame
    uint32_t event_count;
} movement;

// Moves the crowd through its warm frames, over parameters that it fills as workload_fill() does. Whatever it returns,
// destroy it.
lmb_result movement_create(const workload *workload, uint32_t characters, float *parameters, movement *movement,
                           lmb_error *error);
void movement_destroy(movement *movement);

// What the host gives in a frame after the warm ones, parameters apart, and the frame itself.
void movement_begin_frame(movement *movement, uint32_t frame);
lmb_result movement_run(movement *movement, uint32_t frame, float *parameters, lmb_error *error);

// Bytes that one takes.
double movement_bytes(const workload *workload, uint32_t characters);

#endif
