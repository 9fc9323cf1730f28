#include "gpu_side.h"

#include "../host.h"

#include <stdlib.h>
#include <string.h>

lmb_result outputs_create(const lmb_batch *batch, lmb_batch_outputs *outputs, lmb_error *error) {
    const size_t characters = batch->character_count;
    *outputs = (lmb_batch_outputs){.refused = calloc(LMB_REFUSAL_COUNT, sizeof(uint32_t)),
                                   .inertia = calloc(characters * lmb_graph_inertia_words(batch->graph) + 1, 4)};
    bool has_memory = outputs->refused != NULL && outputs->inertia != NULL;
    for (lmb_stage stage = 0; stage < LMB_STAGE_COUNT; stage++) {
        if ((batch->outputs & (1u << stage)) != 0) {
            outputs->stages[stage] = calloc(characters * lmb_batch_stage_floats(batch, stage) + 1, sizeof(float));
            has_memory = has_memory && outputs->stages[stage] != NULL;
        }
    }
    return has_memory ? LMB_OK
                      : lmb_fail(error, LMB_ERROR_MEMORY, "no memory for the outputs of %u characters",
                                 (unsigned)batch->character_count);
}

void outputs_destroy(lmb_batch_outputs *outputs) {
    for (lmb_stage stage = 0; stage < LMB_STAGE_COUNT; stage++) {
        free(outputs->stages[stage]);
    }
    free(outputs->refused);
    free(outputs->inertia);
    *outputs = (lmb_batch_outputs){0};
}

static lmb_result upload_program(gpu_side *side, lmb_error *error) {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    lmb_result result = device_begin(side->device, &pool, &commands, error);
    if (result == LMB_OK) {
        result = lmb_gpu_graph_record_upload(side->program, commands, error);
        result = device_finish(side->device, pool, commands, result, error);
    }
    return result == LMB_OK ? lmb_gpu_graph_uploaded(side->program, error) : result;
}

static size_t pose_floats(const gpu_side *side, uint32_t pose) {
    lmb_batch batch = lmb_gpu_batch_description(side->batch);
    return (size_t)batch.character_count * lmb_graph_pose_floats(batch.graph, pose);
}

static lmb_result create_poses(gpu_side *side, const lmb_graph *program, lmb_error *error) {
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    for (uint32_t i = 0; i < lmb_graph_pose_count(program); i++) {
        // A buffer that nothing uses must be bound, too.
        size_t floats = pose_floats(side, i) + 1;
        lmb_result result =
            device_buffer_create(side->device, floats * sizeof(float), usage, true, &side->poses[i], error);
        if (result != LMB_OK) {
            return result;
        }
        result = lmb_gpu_batch_bind_pose(side->batch, 0, i, side->poses[i].address, error);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

// `def` says everything except the graph, the number of characters and the outputs.
static lmb_result create_parts(gpu_side *side, lmb_gpu *gpu, const lmb_batch *batch, lmb_gpu_batch_def def,
                               lmb_error *error) {
    lmb_result result = lmb_gpu_graph_create(gpu, batch->graph, &side->program, error);
    if (result == LMB_OK) {
        result = upload_program(side, error);
    }
    if (result == LMB_OK) {
        def.graph = side->program;
        def.character_count = batch->character_count;
        def.outputs = batch->outputs;
        def.frame_count = 1;
        result = lmb_gpu_batch_create(gpu, &def, &side->batch, error);
    }
    return result == LMB_OK ? create_poses(side, batch->graph, error) : result;
}

static lmb_result create(device *device, lmb_gpu *gpu, const lmb_batch *batch, lmb_gpu_batch_def def, gpu_side *side,
                         lmb_error *error) {
    *side = (gpu_side){.device = device};
    const lmb_result result = create_parts(side, gpu, batch, def, error);
    if (result != LMB_OK) {
        gpu_side_destroy(side);
    }
    return result;
}

lmb_result gpu_side_create(device *device, lmb_gpu *gpu, const lmb_batch *batch, VkDeviceSize span_bytes,
                           gpu_side *side, lmb_error *error) {
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.span_bytes = span_bytes;
    return create(device, gpu, batch, def, side, error);
}

lmb_result gpu_side_create_moving(device *device, lmb_gpu *gpu, const lmb_batch *batch, uint32_t events_a_frame,
                                  gpu_side *side, lmb_error *error) {
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.events_a_frame = events_a_frame;
    def.emits_events = true;
    return create(device, gpu, batch, def, side, error);
}

void gpu_side_destroy(gpu_side *side) {
    lmb_gpu_batch_destroy(side->batch);
    lmb_gpu_graph_destroy(side->program);
    if (side->device != NULL) {
        for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
            device_buffer_destroy(side->device, &side->poses[i]);
        }
    }
    *side = (gpu_side){0};
}

static void fill_parameters(gpu_side *side, const float *values) {
    const lmb_batch batch = lmb_gpu_batch_description(side->batch);
    float *parameters = lmb_gpu_batch_parameters(side->batch, 0);
    if (parameters != NULL) {
        const size_t count = (size_t)batch.character_count * lmb_graph_parameter_count(batch.graph);
        memcpy(parameters, values, count * sizeof *parameters);
    }
}

static void fill_inputs(gpu_side *side, const lmb_batch_inputs *inputs) {
    fill_parameters(side, inputs->parameters);
    for (uint32_t i = 0; i < lmb_graph_pose_count(lmb_gpu_batch_description(side->batch).graph); i++) {
        memcpy(side->poses[i].mapped, inputs->poses[i], pose_floats(side, i) * sizeof(float));
    }
}

lmb_result gpu_side_submit(gpu_side *side, lmb_gpu_record_info info, lmb_error *error) {
    VkCommandPool pool = VK_NULL_HANDLE;
    lmb_result result = device_begin(side->device, &pool, &info.commands, error);
    if (result != LMB_OK) {
        return result;
    }
    if (info.profile != NULL) {
        result = lmb_gpu_profile_begin(info.profile, 0, info.commands, error);
    }
    if (result == LMB_OK) {
        result = lmb_gpu_batch_record(side->batch, &info, error);
    }
    result = device_finish(side->device, pool, info.commands, result, error);
    return result == LMB_OK && info.profile != NULL ? lmb_gpu_profile_collect(info.profile, 0, NULL, error) : result;
}

static lmb_result add_refusals(gpu_side *side, uint32_t *refused, lmb_error *error) {
    const lmb_gpu_span span = lmb_gpu_batch_refused(side->batch, 0);
    uint32_t counters[LMB_REFUSAL_COUNT];
    lmb_result result = device_read_span(side->device, &span, counters, error);
    for (uint32_t i = 0; result == LMB_OK && i < LMB_REFUSAL_COUNT; i++) {
        refused[i] += counters[i];
    }
    return result;
}

lmb_result gpu_side_run(gpu_side *side, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                        lmb_error *error) {
    fill_inputs(side, inputs);
    const lmb_gpu_record_info info = {.has_previous_frame = inputs->previous_palette != NULL,
                                      .poses_alone = true,
                                      .list = side->list,
                                      .list_count = side->list_count,
                                      .list_capacity = side->list_capacity,
                                      .profile = side->profile};
    lmb_result result = gpu_side_submit(side, info, error);
    const lmb_batch batch = lmb_gpu_batch_description(side->batch);
    for (lmb_stage stage = 0; result == LMB_OK && stage < LMB_STAGE_COUNT; stage++) {
        if ((batch.outputs & (1u << stage)) != 0) {
            result = device_read_stage(side->device, side->batch, 0, stage, outputs->stages[stage], error);
        }
    }
    return result == LMB_OK && outputs->refused != NULL ? add_refusals(side, outputs->refused, error) : result;
}

lmb_result reference_run(const lmb_batch *batch, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                         lmb_error *error) {
    lmb_cpu *cpu = NULL;
    lmb_result result = lmb_cpu_create(batch->graph, LMB_CPU_REFERENCE, NULL, &cpu, error);
    if (result == LMB_OK) {
        result = lmb_cpu_run_poses(cpu, batch, inputs, outputs, 0, batch->character_count, error);
    }
    lmb_cpu_destroy(cpu);
    return result;
}

// ---- Crowds with a control.

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
        return lmb_fail(error, LMB_ERROR_MEMORY, "no memory for %u characters", (unsigned)side->character_count);
    }
    return LMB_OK;
}

static lmb_result create_on_device(play_side *side, lmb_error *error) {
    const lmb_batch batch = describe(side);
    const lmb_result result = gpu_device_open(side->device_name, false, &side->opened, error);
    return result == LMB_OK ? gpu_side_create_moving(&side->opened.device, side->opened.gpu, &batch,
                                                     side->events_a_frame, &side->on_device, error)
                            : result;
}

lmb_result play_side_create(play_side *side, lmb_error *error) {
    lmb_result result = create_memory(side, error);
    if (result != LMB_OK) {
        return result;
    }
    return side->gpu ? create_on_device(side, error)
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

static lmb_result run_on_device(play_side *side, uint64_t step, uint32_t number, lmb_error *error) {
    device *device = &side->opened.device;
    lmb_gpu_batch *batch = side->on_device.batch;
    fill_parameters(&side->on_device, side->parameters);
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < side->event_count && result == LMB_OK; i++) {
        result = lmb_gpu_batch_send(batch, 0, side->events[i].character, side->events[i].event, error);
    }
    if (result == LMB_OK) {
        result = gpu_side_submit(&side->on_device, (lmb_gpu_record_info){.step = step, .number = number}, error);
    }
    const lmb_gpu_span state = lmb_gpu_batch_state(batch);
    const lmb_gpu_span emitted = lmb_gpu_batch_emitted(batch, 0);
    if (result == LMB_OK && side->control != NULL) {
        result = device_read_span(device, &state, side->state, error);
    }
    if (result == LMB_OK && side->control != NULL) {
        result = device_read_span(device, &emitted, side->emitted, error);
    }
    return result == LMB_OK ? device_read_stage(device, batch, 0, LMB_STAGE_PALETTE, side->palettes, error) : result;
}

lmb_result play_side_read_inertia(play_side *side, uint32_t *inertia, lmb_error *error) {
    if (side->gpu) {
        return device_read_inertia(&side->opened.device, side->on_device.batch, inertia, error);
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
        lmb_result result = run_on_device(side, 0, 0, error);
        side->event_count = events;
        const lmb_gpu_span span = lmb_gpu_batch_state(side->on_device.batch);
        if (result == LMB_OK && side->control != NULL) {
            result = device_write_span(&side->opened.device, &span, state, error);
        }
        if (result == LMB_OK) {
            result = device_write_inertia(&side->opened.device, side->on_device.batch, inertia, error);
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
    return side->gpu ? run_on_device(side, step, number, error) : run_reference(side, step, number, error);
}

lmb_result play_side_destroy(play_side *side, lmb_result result, lmb_error *error) {
    gpu_side_destroy(&side->on_device);
    lmb_cpu_destroy(side->cpu);
    free(side->parameters);
    free(side->events);
    free(side->scratch);
    free(side->state);
    free(side->emitted);
    free(side->palettes);
    free(side->inertia);
    return side->gpu ? gpu_device_close(&side->opened, result, error) : result;
}
