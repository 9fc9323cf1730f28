// A gpu_side is a graph and a batch on a device with everything that a host provides: buffers for poses, points and
// transforms, an upload, commands and a readback. A `side` is that or the reference, behind the same functions, with
// the memory of inputs, states and outputs on the host.
#include "gpu_side.h"

#include "base/host.h"

#include <stdlib.h>
#include <string.h>

lmb_result outputs_create(const lmb_batch_def *batch, lmb_batch_outputs *outputs, lmb_error *error) {
    const size_t characters = batch->character_count;
    *outputs =
        (lmb_batch_outputs){.refused = calloc(LMB_REFUSAL_COUNT, sizeof(uint32_t)),
                            .inertia = calloc(characters * lmb_graph_get_info(batch->graph)->inertia_words + 1, 4),
                            .reached = calloc(characters * lmb_graph_get_info(batch->graph)->reached_count + 1, 4)};
    bool has_memory = outputs->refused != NULL && outputs->inertia != NULL && outputs->reached != NULL;
    for (lmb_output output = 0; output < LMB_OUTPUT_COUNT; output++) {
        if ((batch->outputs & (1u << output)) != 0) {
            outputs->buffers[output] = calloc(characters * lmb_batch_output_floats(batch, output) + 1, sizeof(float));
            has_memory = has_memory && outputs->buffers[output] != NULL;
        }
    }
    return has_memory ? LMB_OK
                      : lmb_fail(error, LMB_ERROR_MEMORY, "no memory for the outputs of %u characters",
                                 (unsigned)batch->character_count);
}

void outputs_destroy(lmb_batch_outputs *outputs) {
    for (lmb_output output = 0; output < LMB_OUTPUT_COUNT; output++) {
        free(outputs->buffers[output]);
    }
    free(outputs->refused);
    free(outputs->inertia);
    free(outputs->reached);
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
    lmb_batch_def batch = lmb_gpu_batch_description(side->batch);
    return (size_t)batch.character_count * lmb_graph_pose_floats(batch.graph, pose);
}

#define BUFFER_USAGE (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT)

static lmb_result create_poses(gpu_side *side, const lmb_graph *program, lmb_error *error) {
    for (uint32_t i = 0; i < lmb_graph_get_info(program)->pose_count; i++) {
        // A buffer that nothing uses must be bound, too.
        const size_t bytes = (pose_floats(side, i) + 1) * sizeof(float);
        if (device_buffer_create(side->device, bytes, BUFFER_USAGE, true, &side->poses[i], error) ||
            lmb_gpu_batch_bind_pose(side->batch, 0, i, side->poses[i].address, error)) {
            return error->result;
        }
    }
    return LMB_OK;
}

static size_t point_floats(const lmb_batch_def *batch) {
    return (size_t)batch->character_count * lmb_graph_get_info(batch->graph)->point_count * 4;
}

static size_t transform_floats(const lmb_batch_def *batch) {
    return lmb_graph_get_info(batch->graph)->uses_transforms ? (size_t)batch->character_count * LMB_MATRIX_COMPONENTS
                                                             : 0;
}

static lmb_result create_points(gpu_side *side, const lmb_batch_def *batch, bool own_transforms, lmb_error *error) {
    const size_t points = point_floats(batch) * sizeof(float);
    const size_t transforms = own_transforms ? 0 : transform_floats(batch) * sizeof(float);
    const bool failed =
        (points > 0 && (device_buffer_create(side->device, points, BUFFER_USAGE, true, &side->points, error) ||
                        lmb_gpu_batch_bind_points(side->batch, 0, side->points.address, error))) ||
        (transforms > 0 &&
         (device_buffer_create(side->device, transforms, BUFFER_USAGE, true, &side->transforms, error) ||
          lmb_gpu_batch_bind_transforms(side->batch, 0, side->transforms.address, error)));
    return failed ? error->result : LMB_OK;
}

// Reads back refusals, what nodes report and, if the graph has a control, states and emitted events.
static lmb_result create_readback(gpu_side *side, lmb_gpu *gpu, bool emits_events, lmb_error *error) {
    const lmb_graph *graph = lmb_gpu_batch_description(side->batch).graph;
    const bool moves = lmb_graph_get_info(graph)->state_words > 0;
    lmb_gpu_readback_def def = lmb_default_gpu_readback_def();
    def.batch = side->batch;
    def.contents = LMB_READBACK_REFUSED_BIT | (moves ? LMB_READBACK_STATES_BIT : 0) |
                   (moves && emits_events ? LMB_READBACK_EMITTED_BIT : 0) |
                   (lmb_graph_get_info(graph)->reached_count > 0 ? LMB_READBACK_REACHED_BIT : 0);
    def.frame_count = 1;
    return lmb_gpu_readback_create(gpu, &def, &side->readback, error);
}

lmb_result gpu_side_create_as(device *device, lmb_gpu *gpu, const lmb_batch_def *batch, lmb_gpu_batch_def def,
                              gpu_side *side, lmb_error *error) {
    *side = (gpu_side){.device = device};
    def.character_count = batch->character_count;
    def.outputs = batch->outputs;
    def.slot_count = 1;
    bool failed = lmb_gpu_graph_create(gpu, batch->graph, &side->program, error) || upload_program(side, error);
    def.graph = side->program;
    failed = failed || lmb_gpu_batch_create(gpu, &def, &side->batch, error) ||
             create_readback(side, gpu, def.emits_events, error) || create_poses(side, batch->graph, error) ||
             create_points(side, batch, def.own_transforms, error);
    if (failed) {
        gpu_side_destroy(side);
    }
    return failed ? error->result : LMB_OK;
}

lmb_result gpu_side_create(device *device, lmb_gpu *gpu, const lmb_batch_def *batch, VkDeviceSize span_bytes,
                           gpu_side *side, lmb_error *error) {
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.span_bytes = span_bytes;
    return gpu_side_create_as(device, gpu, batch, def, side, error);
}

lmb_result gpu_side_create_moving(device *device, lmb_gpu *gpu, const lmb_batch_def *batch, uint32_t events_a_frame,
                                  bool own_transforms, gpu_side *side, lmb_error *error) {
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.events_a_frame = events_a_frame;
    def.emits_events = lmb_graph_get_info(batch->graph)->state_words > 0;
    def.own_transforms = own_transforms;
    return gpu_side_create_as(device, gpu, batch, def, side, error);
}

void gpu_side_destroy(gpu_side *side) {
    lmb_gpu_readback_destroy(side->readback);
    lmb_gpu_batch_destroy(side->batch);
    lmb_gpu_graph_destroy(side->program);
    if (side->device != NULL) {
        for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
            device_buffer_destroy(side->device, &side->poses[i]);
        }
        device_buffer_destroy(side->device, &side->points);
        device_buffer_destroy(side->device, &side->transforms);
    }
    *side = (gpu_side){0};
}

static lmb_result fill_inputs(gpu_side *side, const lmb_batch_inputs *inputs, lmb_error *error) {
    const lmb_batch_def batch = lmb_gpu_batch_description(side->batch);
    float *parameters = lmb_gpu_batch_parameters(side->batch, 0);
    if (parameters != NULL) {
        const size_t count = (size_t)batch.character_count * lmb_graph_get_info(batch.graph)->parameter_count;
        memcpy(parameters, inputs->parameters, count * sizeof *parameters);
    }
    for (uint32_t i = 0; i < lmb_graph_get_info(batch.graph)->pose_count; i++) {
        memcpy(side->poses[i].mapped, inputs->poses[i], pose_floats(side, i) * sizeof(float));
    }
    if (point_floats(&batch) > 0) {
        memcpy(side->points.mapped, inputs->points, point_floats(&batch) * sizeof(float));
    }
    if (side->transforms.mapped != NULL) {
        memcpy(side->transforms.mapped, inputs->transforms, transform_floats(&batch) * sizeof(float));
    }
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; result == LMB_OK && inputs->control != NULL && i < inputs->control->event_count; i++) {
        const lmb_event *event = &inputs->control->events[i];
        result = lmb_gpu_batch_send(side->batch, 0, event->character, event->event, error);
    }
    return result;
}

// Records a frame and its copies into a command buffer of its own, submits it and waits.
static lmb_result submit(gpu_side *side, lmb_gpu_record_info info, lmb_error *error) {
    VkCommandPool pool;
    if (device_begin(side->device, &pool, &info.commands, error)) {
        return error->result;
    }
    const bool failed = (info.profile != NULL && lmb_gpu_profile_begin(info.profile, 0, info.commands, error)) ||
                        lmb_gpu_batch_record(side->batch, &info, error) ||
                        lmb_gpu_readback_record(side->readback, 0, info.commands, error);
    const lmb_result result = device_finish(side->device, pool, info.commands, failed ? error->result : LMB_OK, error);
    return result == LMB_OK && info.profile != NULL ? lmb_gpu_profile_collect(info.profile, 0, NULL, error) : result;
}

static void copy_words(uint32_t *to, const uint32_t *from, size_t count) {
    if (to != NULL && from != NULL) {
        memcpy(to, from, count * sizeof *to);
    }
}

// Copies what was read back of a frame that has completed.
static lmb_result copy_report(gpu_side *side, const lmb_control_frame *frame, const lmb_batch_outputs *outputs,
                              lmb_error *error) {
    const lmb_batch_def batch = lmb_gpu_batch_description(side->batch);
    lmb_gpu_readback_frame report;
    const lmb_result result = lmb_gpu_readback_completed(side->readback, 0, error);
    if (result != LMB_OK || !lmb_gpu_readback_next(side->readback, &report)) {
        return result;
    }
    copy_words(outputs->refused, report.refused, LMB_REFUSAL_COUNT);
    copy_words(outputs->reached, report.reached,
               (size_t)batch.character_count * lmb_graph_get_info(batch.graph)->reached_count);
    if (frame != NULL && lmb_graph_get_info(batch.graph)->state_words > 0) {
        const size_t characters = frame->character_count;
        copy_words(frame->state, report.states, characters * lmb_graph_get_info(batch.graph)->state_words);
        copy_words(frame->emitted, report.emitted, characters * lmb_graph_get_info(batch.graph)->emitted_words);
    }
    return LMB_OK;
}

lmb_result gpu_side_run(gpu_side *side, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                        lmb_error *error) {
    const lmb_batch_def batch = lmb_gpu_batch_description(side->batch);
    const lmb_control_frame *frame = inputs->control;
    const lmb_gpu_record_info info = {.has_previous_slot = inputs->previous_palette != NULL,
                                      .poses_alone = frame == NULL,
                                      .step = frame == NULL ? 0 : frame->step,
                                      .number = frame == NULL ? 0 : frame->number,
                                      .list = side->list,
                                      .list_count = side->list_count,
                                      .list_capacity = side->list_capacity,
                                      .profile = side->profile};
    bool failed =
        fill_inputs(side, inputs, error) || submit(side, info, error) || copy_report(side, frame, outputs, error);
    for (lmb_output output = 0; !failed && output < LMB_OUTPUT_COUNT; output++) {
        failed = (batch.outputs & (1u << output)) != 0 &&
                 device_read_output(side->device, side->batch, 0, output, outputs->buffers[output], error);
    }
    return failed ? error->result : LMB_OK;
}

lmb_result reference_run(const lmb_batch_def *batch, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                         lmb_error *error) {
    lmb_cpu *cpu;
    const bool failed = lmb_cpu_create(batch->graph, LMB_CPU_REFERENCE, NULL, &cpu, error) ||
                        lmb_cpu_run_poses(cpu, batch, inputs, outputs, 0, batch->character_count, error);
    lmb_cpu_destroy(cpu);
    return failed ? error->result : LMB_OK;
}

// ---- Batches with their memory.

static lmb_result create_memory(side *side, lmb_error *error) {
    const lmb_graph *graph = side->batch.graph;
    const size_t characters = side->batch.character_count;
    if (lmb_batch_check(&side->batch, error)) {
        return error->result;
    }
    const bool moves_itself = lmb_graph_get_info(graph)->has_motion;
    side->is_placed_by_motion = !side->has_points && moves_itself && lmb_graph_get_info(graph)->uses_transforms;
    if (!side->has_points &&
        (lmb_graph_get_info(graph)->point_count > 0 || (lmb_graph_get_info(graph)->uses_transforms && !moves_itself))) {
        return lmb_fail(error, LMB_ERROR_UNSUPPORTED,
                        "the graph reads points or world transforms, which --scene FILE of 'limber play' gives");
    }
    if (outputs_create(&side->batch, &side->outputs, error)) {
        return error->result;
    }
    side->parameters =
        lmb_arena_allocate(&side->pool, characters * lmb_graph_get_info(graph)->parameter_count, sizeof(float));
    side->events = lmb_arena_allocate(&side->pool, side->events_a_frame, sizeof *side->events);
    side->scratch = lmb_arena_allocate(&side->pool, side->events_a_frame, sizeof *side->scratch);
    side->state =
        lmb_arena_allocate(&side->pool, characters * lmb_graph_get_info(graph)->state_words, sizeof(uint32_t));
    side->matrices = lmb_arena_allocate(&side->pool, side->is_placed_by_motion ? characters * LMB_MATRIX_COMPONENTS : 0,
                                        sizeof(float));
    side->emitted =
        lmb_arena_allocate(&side->pool, characters * lmb_graph_get_info(graph)->emitted_words, sizeof(uint32_t));
    for (uint32_t i = 0; i < lmb_graph_get_info(graph)->pose_count; i++) {
        side->poses[i] = lmb_arena_allocate(&side->pool, characters * lmb_graph_pose_floats(graph, i), sizeof(float));
    }
    return side->pool.failed
               ? lmb_fail(error, LMB_ERROR_MEMORY, "no memory for %u characters", (unsigned)side->batch.character_count)
               : LMB_OK;
}

lmb_result side_create(side *side, lmb_error *error) {
    if (create_memory(side, error) ||
        (side->gpu
             ? gpu_device_open(side->device_name, false, &side->opened, error) ||
                   gpu_side_create_moving(&side->opened.device, side->opened.gpu, &side->batch, side->events_a_frame,
                                          side->is_placed_by_motion, &side->on_device, error)
             : lmb_cpu_create(side->batch.graph, LMB_CPU_REFERENCE, NULL, &side->cpu, error) != LMB_OK)) {
        return error->result;
    }
    return LMB_OK;
}

const char *side_name(const side *side) {
    return side->gpu ? side->opened.device.properties.deviceName : "reference";
}

lmb_result side_run(side *side, uint64_t step, uint32_t number, lmb_error *error) {
    const lmb_control_frame frame = {.step = step,
                                     .number = number,
                                     .character_count = side->batch.character_count,
                                     .state = side->state,
                                     .parameters = side->parameters,
                                     .events = side->events,
                                     .event_count = side->event_count,
                                     .emitted = side->emitted,
                                     .reached = side->outputs.reached,
                                     .matrices = side->is_placed_by_motion ? side->matrices : NULL};
    lmb_batch_inputs inputs = {
        .parameters = side->parameters, .control = &frame, .points = side->points, .transforms = side->transforms};
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        inputs.poses[i] = side->poses[i];
    }
    lmb_events_sort(side->events, side->scratch, side->event_count);
    return side->gpu ? gpu_side_run(&side->on_device, &inputs, &side->outputs, error)
                     : lmb_cpu_run(side->cpu, &side->batch, &inputs, &side->outputs, error);
}

// In the buffer, joints are the innermost index.
lmb_transform side_local(const side *side, uint32_t character, uint32_t joint) {
    const size_t joint_count = lmb_graph_get_info(side->batch.graph)->joint_count;
    const float *local = side->outputs.buffers[LMB_OUTPUT_LOCAL] +
                         (size_t)character * lmb_batch_output_floats(&side->batch, LMB_OUTPUT_LOCAL);
    float components[LMB_POSE_COMPONENTS];
    lmb_transform transform;
    for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
        components[i] = local[i * joint_count + joint];
    }
    memcpy(&transform, components, sizeof transform);
    return transform;
}

size_t side_kept_words(const lmb_graph *graph, uint32_t character_count) {
    return ((size_t)lmb_graph_get_info(graph)->inertia_words + lmb_graph_get_info(graph)->reached_count) *
           character_count;
}

// Words of inertialization of all characters.
static size_t inertia_words(const side *side) {
    return (size_t)side->batch.character_count * lmb_graph_get_info(side->batch.graph)->inertia_words;
}

static size_t reached_words(const side *side) {
    return (size_t)side->batch.character_count * lmb_graph_get_info(side->batch.graph)->reached_count;
}

// The words of reached targets among those that are kept, or NULL.
static const uint32_t *find_reached(const side *side, const uint32_t *kept) {
    return reached_words(side) > 0 ? kept + inertia_words(side) : NULL;
}

lmb_result side_read_kept(side *side, uint32_t *kept, lmb_error *error) {
    uint32_t *reached = (uint32_t *)(uintptr_t)find_reached(side, kept);
    if (!side->gpu) {
        copy_words(kept, side->outputs.inertia, inertia_words(side));
        copy_words(reached, side->outputs.reached, reached_words(side));
        return LMB_OK;
    }
    const lmb_gpu_span span = lmb_gpu_batch_reached(side->on_device.batch);
    const lmb_result result = device_read_inertia(&side->opened.device, side->on_device.batch, kept, error);
    return result == LMB_OK && span.size > 0 ? device_read_span(&side->opened.device, &span, reached, error) : result;
}

// The first frame on a device zeroes the states, so this runs one whose results are not used.
static lmb_result restore_on_device(side *side, const uint32_t *state, const uint32_t *kept, lmb_error *error) {
    const uint32_t events = side->event_count;
    side->event_count = 0;
    lmb_result result = side_run(side, 0, 0, error);
    side->event_count = events;
    const lmb_gpu_span span = lmb_gpu_batch_state(side->on_device.batch);
    if (result == LMB_OK && lmb_graph_get_info(side->batch.graph)->state_words > 0) {
        result = device_write_span(&side->opened.device, &span, state, error);
    }
    if (result == LMB_OK) {
        result = device_write_inertia(&side->opened.device, side->on_device.batch, kept, error);
    }
    const lmb_gpu_span reached = lmb_gpu_batch_reached(side->on_device.batch);
    return result == LMB_OK && reached.size > 0
               ? device_write_span(&side->opened.device, &reached, find_reached(side, kept), error)
               : result;
}

lmb_result side_restore(side *side, const uint32_t *state, const uint32_t *kept, lmb_error *error) {
    const lmb_result result = side->gpu ? restore_on_device(side, state, kept, error) : LMB_OK;
    const size_t words = lmb_graph_get_info(side->batch.graph)->state_words;
    memcpy(side->state, state, side->batch.character_count * words * sizeof *state);
    copy_words(side->outputs.inertia, kept, inertia_words(side));
    copy_words(side->outputs.reached, find_reached(side, kept), reached_words(side));
    return result;
}

lmb_result side_destroy(side *side, lmb_result result, lmb_error *error) {
    gpu_side_destroy(&side->on_device);
    lmb_cpu_destroy(side->cpu);
    outputs_destroy(&side->outputs);
    lmb_arena_release(&side->pool);
    return gpu_device_close(&side->opened, result, error);
}
