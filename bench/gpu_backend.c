// Runs the workload on a Vulkan device.
#include "backend.h"

#include "crowd.h"
#include "device_timer.h"
#include "movement.h"

#include <limber/gpu_profile.h>
#include <limber/gpu_skin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gpu_state {
    device *device;
    device_timer timer;
    lmb_gpu *gpu;
    lmb_gpu_graph *graph;
    lmb_gpu_batch *batch;
    lmb_gpu_profile *profile;
    lmb_event *events;        // of a frame; NULL without a control
    device_buffer poses;      // of pose buffer 0
    lmb_gpu_skin *gpu_skin;   // NULL without skinning
    device_buffer skin_words; // the mesh
    device_buffer channels;   // weights of its morph targets
    device_buffer vertices;   // positions, then normals
} gpu_state;

static void close_gpu(backend *backend) {
    gpu_state *state = backend->state;
    if (state != NULL) {
        lmb_gpu_profile_destroy(state->profile);
        lmb_gpu_skin_destroy(state->gpu_skin);
        device_buffer_destroy(state->device, &state->poses);
        device_buffer_destroy(state->device, &state->skin_words);
        device_buffer_destroy(state->device, &state->channels);
        device_buffer_destroy(state->device, &state->vertices);
        free(state->events);
        lmb_gpu_batch_destroy(state->batch);
        lmb_gpu_graph_destroy(state->graph);
        lmb_gpu_destroy(state->gpu);
        device_timer_destroy(&state->timer);
        free(state);
    }
}

static lmb_result send_events(const backend *backend, uint32_t frame, lmb_error *error) {
    gpu_state *state = backend->state;
    uint32_t count =
        workload_list_events(backend->workload, backend->characters, CROWD_WARM_FRAMES + frame, state->events);
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < count && result == LMB_OK; i++) {
        result = lmb_gpu_batch_send(state->batch, 0, state->events[i].character, state->events[i].event, error);
    }
    return result;
}

// Divides the time between control and poses in proportion to the timestamps of the newest frame.
static void share_time(const gpu_state *state, frame_time *taken) {
    lmb_profile *times = lmb_gpu_profile_times(state->profile);
    double control = (double)lmb_profile_total(times, LMB_GPU_STAGE_CONTROL).newest;
    double poses = 0.0;
    for (uint32_t stage = LMB_GPU_STAGE_CHARACTERS; stage <= LMB_GPU_STAGE_MODEL; stage++) {
        poses += (double)lmb_profile_total(times, stage).newest;
    }
    double whole = (double)lmb_profile_total(times, LMB_GPU_STAGE_PARAMETERS).newest + control + poses;
    if (whole > 0.0) {
        taken->control = taken->whole * control / whole;
        taken->poses = taken->whole * poses / whole;
    }
}

// Skins all spans of the batch, one after another.
static lmb_result record_skin(const backend *backend, VkCommandBuffer commands, lmb_error *error) {
    gpu_state *state = backend->state;
    const skinning *skinning = &backend->workload->skinning;
    const bool dual = skinning->method == LMB_SKIN_METHOD_DUAL_QUATERNION;
    const lmb_output output = dual ? LMB_OUTPUT_DUAL_QUATERNIONS : LMB_OUTPUT_PALETTE;
    const size_t stream_bytes = skinning_floats(skinning) * sizeof(float) / 2;
    lmb_gpu_span span;
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; result == LMB_OK && lmb_gpu_batch_output(state->batch, 0, output, i, &span); i++) {
        const VkDeviceAddress positions = state->vertices.address + span.first_character * stream_bytes;
        const lmb_gpu_skin_run run = {
            .skin = skinning->skin,
            .words = state->skin_words.address,
            .layout = skinning_layout(skinning, backend->characters, span.first_character, span.character_count),
            .palette = span.address,
            .channels = state->channels.address + sizeof(float) * SKINNING_TARGETS * span.first_character,
            .streams = {[LMB_SKIN_OUTPUT_POSITIONS] = positions,
                        [LMB_SKIN_OUTPUT_NORMALS] = positions + backend->characters * stream_bytes}};
        result = lmb_gpu_skin_record(state->gpu_skin, commands, &run, 1, error);
    }
    return result;
}

static lmb_result run_gpu(backend *backend, uint32_t frame, frame_time *taken, lmb_error *error) {
    gpu_state *state = backend->state;
    VkCommandPool pool;
    VkCommandBuffer commands;
    workload_fill(backend->workload, backend->characters, frame, lmb_gpu_batch_parameters(state->batch, 0));
    *taken = (frame_time){0};
    lmb_result result = device_begin(state->device, &pool, &commands, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_gpu_record_info info = {.commands = commands, .profile = state->profile};
    lmb_result recorded = LMB_OK;
    device_timer_begin(&state->timer, commands);
    if (state->events != NULL) {
        info.step = crowd_step(CROWD_WARM_FRAMES + frame);
        info.number = CROWD_WARM_FRAMES + frame;
        recorded = send_events(backend, frame, error);
    }
    if (recorded == LMB_OK && state->profile != NULL) {
        recorded = lmb_gpu_profile_begin(state->profile, 0, commands, error);
        backend->shift = backend->shift == 0 ? trace_clock(NULL) : backend->shift;
    }
    recorded = recorded == LMB_OK ? lmb_gpu_batch_record(state->batch, &info, error) : recorded;
    if (recorded == LMB_OK && state->gpu_skin != NULL) {
        recorded = record_skin(backend, commands, error);
    }
    result = device_timer_submit(&state->timer, pool, commands, &taken->whole, error);
    if (recorded == LMB_OK && result == LMB_OK && state->profile != NULL) {
        result = lmb_gpu_profile_collect(state->profile, 0, NULL, error);
        if (result == LMB_OK && state->events != NULL) {
            share_time(state, taken);
        }
    }
    return recorded != LMB_OK ? recorded : result;
}

static lmb_result create_profile(gpu_state *state, lmb_error *error) {
    lmb_gpu_profile_def def = lmb_default_gpu_profile_def();
    def.queue_family = state->device->queue_family;
    def.slot_count = 1;
    lmb_result result = lmb_gpu_profile_create(state->gpu, &def, &state->profile, error);
    return result == LMB_ERROR_UNSUPPORTED ? LMB_OK : result;
}

// A device's clock starts with its first frame.
static lmb_result profile_gpu(backend *backend, lmb_error *error) {
    gpu_state *state = backend->state;
    lmb_result result = state->profile == NULL ? create_profile(state, error) : LMB_OK;
    if (result == LMB_OK && state->profile != NULL) {
        backend->times = lmb_gpu_profile_times(state->profile);
    }
    return result;
}

static lmb_result upload(gpu_state *state, lmb_error *error) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_result result = device_begin(state->device, &pool, &commands, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_result recorded = lmb_gpu_graph_record_upload(state->graph, commands, error);
    result = device_submit_and_wait(state->device, pool, commands, error);
    result = recorded != LMB_OK ? recorded : result;
    return result == LMB_OK ? lmb_gpu_graph_uploaded(state->graph, error) : result;
}

// Writes the states of a crowd that the CPU has moved through the warm-up frames. It does so after the first frame on
// the device, because that starts with zeroed states.
static lmb_result warm_up(backend *backend, lmb_error *error) {
    gpu_state *state = backend->state;
    movement movement;
    frame_time taken;
    lmb_result result = movement_create(backend->workload, backend->characters,
                                        lmb_gpu_batch_parameters(state->batch, 0), &movement, error);
    if (result == LMB_OK) {
        result = run_gpu(backend, 0, &taken, error);
    }
    if (result == LMB_OK) {
        const lmb_gpu_span span = lmb_gpu_batch_state(state->batch);
        result = device_write_span(state->device, &span, movement.state, error);
    }
    movement_destroy(&movement);
    return result;
}

static lmb_result open_control(backend *backend, lmb_error *error) {
    gpu_state *state = backend->state;
    state->events = malloc(backend->characters * sizeof *state->events);
    if (state->events == NULL) {
        return actor_no_memory(error);
    }
    lmb_result result = create_profile(state, error);
    return result == LMB_OK ? warm_up(backend, error) : result;
}

// Copies `bytes` to a new buffer; creates nothing for 0 bytes.
static lmb_result copy_to_buffer(device *device, const void *from, size_t bytes, device_buffer *buffer,
                                 lmb_error *error) {
    if (bytes == 0) {
        return LMB_OK;
    }
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    lmb_result result = device_buffer_create(device, bytes, usage, from != NULL, buffer, error);
    if (result == LMB_OK && from != NULL) {
        memcpy(buffer->mapped, from, bytes);
    }
    return result;
}

// Creates what the batch reads in addition to parameters, and what skinning needs.
static lmb_result open_memory(backend *backend, lmb_error *error) {
    gpu_state *state = backend->state;
    const workload *workload = backend->workload;
    const lmb_skin *skin = workload->skinning.skin;
    workload_memory memory = {0};
    lmb_result result = workload_memory_create(workload, backend->characters, &memory, error);
    if (result == LMB_OK && memory.poses != NULL) {
        const size_t bytes = (size_t)backend->characters * lmb_graph_pose_floats(workload->graph, 0) * sizeof(float);
        result = copy_to_buffer(state->device, memory.poses, bytes, &state->poses, error);
        if (result == LMB_OK) {
            result = lmb_gpu_batch_bind_pose(state->batch, 0, 0, state->poses.address, error);
        }
    }
    if (result == LMB_OK && memory.channels != NULL) {
        const size_t bytes = sizeof(float) * SKINNING_TARGETS * backend->characters;
        result = copy_to_buffer(state->device, memory.channels, bytes, &state->channels, error);
    }
    workload_memory_destroy(&memory);
    if (result == LMB_OK && skin != NULL) {
        const size_t words = lmb_skin_get_info(skin)->word_count, floats = skinning_floats(&workload->skinning);
        result = copy_to_buffer(state->device, lmb_skin_get_info(skin)->words, words * sizeof(uint32_t),
                                &state->skin_words, error);
        if (result == LMB_OK) {
            result = copy_to_buffer(state->device, NULL, backend->characters * floats * sizeof(float), &state->vertices,
                                    error);
        }
        if (result == LMB_OK) {
            result = lmb_gpu_skin_create(state->gpu, &state->gpu_skin, error);
        }
    }
    return result;
}

// Palettes, local poses and parameters on the host and the device; a control's memory on the device and on the CPU.
double backend_gpu_bytes(const workload *workload, uint32_t characters) {
    double joints = lmb_rig_get_def(workload->actor->rig)->joint_count;
    double parameters = lmb_graph_get_info(workload->graph)->parameter_count;
    double control = workload_advances(workload) ? 2.0 * movement_bytes(workload, characters) : 0.0;
    double own = (double)(workload_output_bytes(workload) + 2 * workload_memory_bytes(workload));
    return control + (double)characters * (own + sizeof(float) * (joints * LMB_POSE_COMPONENTS + 2.0 * parameters));
}

lmb_result backend_open_gpu(const workload *workload, uint32_t characters, device *device, backend *backend,
                            lmb_error *error) {
    gpu_state *state = calloc(1, sizeof *state);
    *backend = (struct backend){.base = LMB_NONE,
                                .workload = workload,
                                .characters = characters,
                                .run = run_gpu,
                                .close = close_gpu,
                                .profile = profile_gpu,
                                .state = state};
    bool processor = device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    backend->is_gpu = !processor;
    snprintf(backend->name, sizeof backend->name, "%s%s", device->properties.deviceName, processor ? ", per core" : "");
    if (state == NULL) {
        *error = (lmb_error){.result = LMB_ERROR_MEMORY, .message = "no memory"};
        return LMB_ERROR_MEMORY;
    }
    state->device = device;
    lmb_gpu_def gpu_def = device_gpu_def(device);
    lmb_result result = device_timer_create(device, &state->timer, error);
    if (result == LMB_OK) {
        result = lmb_gpu_create(&gpu_def, NULL, &state->gpu, error);
    }
    if (result == LMB_OK) {
        result = lmb_gpu_graph_create(state->gpu, workload->graph, &state->graph, error);
    }
    if (result == LMB_OK) {
        lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
        def.graph = state->graph;
        def.outputs = workload->outputs;
        def.character_count = characters;
        def.slot_count = 1;
        def.events_a_frame = characters;
        def.emits_events = workload_advances(workload);
        result = lmb_gpu_batch_create(state->gpu, &def, &state->batch, error);
    }
    if (result == LMB_OK) {
        result = upload(state, error);
    }
    if (result == LMB_OK) {
        result = open_memory(backend, error);
    }
    return result == LMB_OK && workload_advances(workload) ? open_control(backend, error) : result;
}
