#include "play_side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lmb_batch describe(const play_side *side) {
    return (lmb_batch){side->graph, side->character_count, LMB_OUTPUT_PALETTE};
}

static lmb_result create_memory(play_side *side, lmb_error *error) {
    const lmb_batch batch = describe(side);
    lmb_result result = lmb_batch_check(&batch, error);
    if (result != LMB_OK) {
        return result;
    }
    size_t characters = side->character_count;
    side->parameters = calloc(characters * lmb_graph_parameter_count(side->graph) + 1, sizeof(float));
    side->events = calloc((size_t)side->events_a_frame + 1, sizeof *side->events);
    side->scratch = calloc((size_t)side->events_a_frame + 1, sizeof *side->scratch);
    side->state = calloc(characters * lmb_control_state_words(side->control) + 1, sizeof(uint32_t));
    side->emitted = calloc(characters * lmb_control_emitted_words(side->control) + 1, sizeof(uint32_t));
    side->palettes = calloc(characters * lmb_batch_stage_floats(&batch, LMB_STAGE_PALETTE), sizeof(float));
    side->inertia = calloc(characters * lmb_graph_inertia_words(side->graph) + 1, sizeof(uint32_t));
    if (side->inertia == NULL || side->parameters == NULL || side->events == NULL || side->scratch == NULL ||
        side->state == NULL || side->emitted == NULL || side->palettes == NULL) {
        error->result = LMB_ERROR_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for %u characters", (unsigned)side->character_count);
        return LMB_ERROR_MEMORY;
    }
    return LMB_OK;
}

static lmb_result upload_program(play_side *side, lmb_error *error) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_result result = device_begin(&side->opened.device, &pool, &commands, error);
    if (result != LMB_OK) {
        return result;
    }
    result = lmb_gpu_graph_record_upload(side->gpu_graph, commands, error);
    lmb_error ignored;
    lmb_result submitted =
        device_submit_and_wait(&side->opened.device, pool, commands, result == LMB_OK ? error : &ignored);
    result = result == LMB_OK ? submitted : result;
    return result == LMB_OK ? lmb_gpu_graph_uploaded(side->gpu_graph, error) : result;
}

static lmb_result create_gpu(play_side *side, lmb_error *error) {
    lmb_result result = gpu_device_open(side->device_name, false, &side->opened, error);
    if (result == LMB_OK) {
        result = lmb_gpu_graph_create(side->opened.gpu, side->graph, &side->gpu_graph, error);
    }
    if (result == LMB_OK) {
        lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
        def.graph = side->gpu_graph;
        def.character_count = side->character_count;
        def.frame_count = 1;
        def.events_a_frame = side->events_a_frame;
        def.emits_events = true;
        result = lmb_gpu_batch_create(side->opened.gpu, &def, &side->batch, error);
    }
    return result == LMB_OK ? upload_program(side, error) : result;
}

lmb_result play_side_create(play_side *side, lmb_error *error) {
    lmb_result result = create_memory(side, error);
    if (result != LMB_OK) {
        return result;
    }
    return side->gpu ? create_gpu(side, error)
                     : lmb_cpu_create(side->graph, LMB_CPU_REFERENCE, NULL, &side->cpu, error);
}

static lmb_result run_reference(play_side *side, uint64_t step, uint32_t number, lmb_error *error) {
    lmb_control_sort_events(side->events, side->scratch, side->event_count);
    const lmb_control_frame frame = {.step = step,
                                     .number = number,
                                     .character_count = side->character_count,
                                     .state = side->state,
                                     .parameters = side->parameters,
                                     .events = side->events,
                                     .event_count = side->event_count,
                                     .emitted = side->emitted};
    const lmb_batch batch = describe(side);
    const lmb_batch_inputs inputs = {.parameters = side->parameters, .control = &frame};
    const lmb_batch_outputs outputs = {.stages[LMB_STAGE_PALETTE] = side->palettes, .inertia = side->inertia};
    return lmb_cpu_run(side->cpu, &batch, &inputs, &outputs, error);
}

static lmb_result record(play_side *side, VkCommandBuffer commands, uint64_t step, uint32_t number, lmb_error *error) {
    float *parameters = lmb_gpu_batch_parameters(side->batch, 0);
    if (parameters != NULL) {
        memcpy(parameters, side->parameters,
               (size_t)side->character_count * lmb_graph_parameter_count(side->graph) * sizeof *parameters);
    }
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < side->event_count && result == LMB_OK; i++) {
        result = lmb_gpu_batch_send(side->batch, 0, side->events[i].character, side->events[i].event, error);
    }
    const lmb_gpu_record_info info = {.commands = commands, .step = step, .number = number};
    return result == LMB_OK ? lmb_gpu_batch_record(side->batch, &info, error) : result;
}

static lmb_result run_gpu(play_side *side, uint64_t step, uint32_t number, lmb_error *error) {
    device *device = &side->opened.device;
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_result result = device_begin(device, &pool, &commands, error);
    if (result != LMB_OK) {
        return result;
    }
    result = record(side, commands, step, number, error);
    lmb_error ignored;
    lmb_result submitted = device_submit_and_wait(device, pool, commands, result == LMB_OK ? error : &ignored);
    result = result == LMB_OK ? submitted : result;
    const lmb_gpu_span state = lmb_gpu_batch_state(side->batch);
    const lmb_gpu_span emitted = lmb_gpu_batch_emitted(side->batch, 0);
    if (result == LMB_OK && side->control != NULL) {
        result = device_read_span(device, &state, side->state, error);
    }
    if (result == LMB_OK && side->control != NULL) {
        result = device_read_span(device, &emitted, side->emitted, error);
    }
    return result == LMB_OK ? device_read_stage(device, side->batch, 0, LMB_STAGE_PALETTE, side->palettes, error)
                            : result;
}

lmb_result play_side_read_inertia(play_side *side, uint32_t *inertia, lmb_error *error) {
    if (side->gpu) {
        return device_read_inertia(&side->opened.device, side->batch, inertia, error);
    }
    memcpy(inertia, side->inertia,
           (size_t)side->character_count * lmb_graph_inertia_words(side->graph) * sizeof *inertia);
    return LMB_OK;
}

lmb_result play_side_restore(play_side *side, const uint32_t *state, const uint32_t *inertia, lmb_error *error) {
    size_t words = (size_t)side->character_count * lmb_control_state_words(side->control);
    size_t kept = (size_t)side->character_count * lmb_graph_inertia_words(side->graph);
    if (side->gpu) {
        // The first frame zeroes the states, so this runs one whose results are not used.
        uint32_t events = side->event_count;
        side->event_count = 0;
        lmb_result result = run_gpu(side, 0, 0, error);
        side->event_count = events;
        const lmb_gpu_span span = lmb_gpu_batch_state(side->batch);
        if (result == LMB_OK && side->control != NULL) {
            result = device_write_span(&side->opened.device, &span, state, error);
        }
        if (result == LMB_OK) {
            result = device_write_inertia(&side->opened.device, side->batch, inertia, error);
        }
        if (result != LMB_OK) {
            return result;
        }
    }
    memcpy(side->state, state, words * sizeof *state);
    if (kept > 0) {
        memcpy(side->inertia, inertia, kept * sizeof *inertia);
    }
    return LMB_OK;
}

lmb_result play_side_run(play_side *side, uint64_t step, uint32_t number, lmb_error *error) {
    return side->gpu ? run_gpu(side, step, number, error) : run_reference(side, step, number, error);
}

lmb_result play_side_destroy(play_side *side, lmb_error *error) {
    lmb_gpu_batch_destroy(side->batch);
    lmb_gpu_graph_destroy(side->gpu_graph);
    lmb_cpu_destroy(side->cpu);
    free(side->parameters);
    free(side->events);
    free(side->scratch);
    free(side->state);
    free(side->emitted);
    free(side->palettes);
    free(side->inertia);
    return side->gpu ? gpu_device_close(&side->opened, error) : LMB_OK;
}
