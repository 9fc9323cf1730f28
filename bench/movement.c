// Runs a workload's control on the CPU.
#include "movement.h"

#include "crowd.h"

#include <stdlib.h>

static lmb_result run(movement *movement, uint32_t frame, float *parameters, lmb_error *error) {
    const lmb_control_frame run = {.step = workload_step(movement->workload, frame),
                                   .number = frame,
                                   .character_count = movement->characters,
                                   .state = movement->state,
                                   .parameters = parameters,
                                   .events = movement->events,
                                   .event_count = movement->event_count,
                                   .emitted = movement->emitted};
    return lmb_control_run(movement->workload->graph, &run, 0, movement->characters, error);
}

lmb_result movement_create(const workload *workload, uint32_t characters, float *parameters, movement *movement,
                           lmb_error *error) {
    *movement = (struct movement){.workload = workload, .characters = characters};
    movement->state = calloc((size_t)characters * lmb_graph_get_info(workload->graph)->state_words, sizeof(uint32_t));
    movement->emitted =
        calloc((size_t)characters * lmb_graph_get_info(workload->graph)->emitted_words, sizeof(uint32_t));
    movement->events = calloc(characters, sizeof *movement->events);
    if (movement->state == NULL || movement->emitted == NULL || movement->events == NULL) {
        return actor_no_memory(error);
    }
    lmb_result result = LMB_OK;
    for (uint32_t frame = 0; frame < CROWD_WARM_FRAMES && result == LMB_OK; frame++) {
        workload_fill_moving(workload, characters, frame, parameters);
        movement->event_count = workload_list_events(workload, characters, frame, movement->events);
        result = run(movement, frame, parameters, error);
    }
    return result;
}

void movement_destroy(movement *movement) {
    free(movement->state);
    free(movement->emitted);
    free(movement->events);
    *movement = (struct movement){0};
}

void movement_begin_frame(movement *movement, uint32_t frame) {
    movement->event_count =
        workload_list_events(movement->workload, movement->characters, CROWD_WARM_FRAMES + frame, movement->events);
}

lmb_result movement_run(movement *movement, uint32_t frame, float *parameters, lmb_error *error) {
    return run(movement, CROWD_WARM_FRAMES + frame, parameters, error);
}

double movement_bytes(const workload *workload, uint32_t characters) {
    double words =
        lmb_graph_get_info(workload->graph)->state_words + lmb_graph_get_info(workload->graph)->emitted_words;
    return (double)characters * (words * sizeof(uint32_t) + sizeof(lmb_event));
}
