// Runs the workload on a Vulkan device.
#include "backend.h"

#include "crowd.h"
#include "movement.h"

#include <limber/gpu_profile.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct gpu_state {
    device *device;
    lmb_gpu *gpu;
    lmb_gpu_graph *graph;
    lmb_gpu_batch *batch;
    lmb_gpu_profile *profile;
    lmb_event *events; // of a frame; NULL without a control
} gpu_state;

static void close_gpu(backend *backend) {
    gpu_state *state = backend->state;
    if (state != NULL) {
        lmb_gpu_profile_destroy(state->profile);
        free(state->events);
        lmb_gpu_batch_destroy(state->batch);
        lmb_gpu_graph_destroy(state->graph);
        lmb_gpu_destroy(state->gpu);
        free(state);
    }
}

static lmb_result send_events(const backend *backend, uint32_t frame, lmb_error *error) {
    gpu_state *state = backend->state;
    uint32_t count = crowd_list_events(backend->characters, CROWD_WARM_FRAMES + frame, state->events);
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

// Measures from submission to completion, including the queue's overhead: the time a host waits for only a crowd.
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
    double start = limits_device_seconds(state->device);
    result = device_submit_and_wait(state->device, pool, commands, error);
    taken->whole = limits_device_seconds(state->device) - start;
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

// Palettes, local poses and parameters on the host and the device; a control's memory on the device and on the CPU.
double backend_gpu_bytes(const workload *workload, uint32_t characters) {
    double joints = lmb_rig_joint_count(workload->actor->rig);
    double parameters = lmb_graph_parameter_count(workload->graph);
    double control = workload->control != NULL ? 2.0 * movement_bytes(workload, characters) : 0.0;
    return control + (double)characters * sizeof(float) *
                         (joints * (LMB_MATRIX_COMPONENTS + LMB_POSE_COMPONENTS) + 2.0 * parameters);
}

lmb_result backend_open_gpu(const workload *workload, uint32_t characters, device *device, backend *backend,
                            lmb_error *error) {
    gpu_state *state = calloc(1, sizeof *state);
    *backend = (struct backend){.workload = workload,
                                .characters = characters,
                                .run = run_gpu,
                                .close = close_gpu,
                                .profile = profile_gpu,
                                .state = state};
    bool processor = device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    snprintf(backend->name, sizeof backend->name, "%s%s", device->properties.deviceName, processor ? ", per core" : "");
    if (state == NULL) {
        *error = (lmb_error){LMB_ERROR_MEMORY, "no memory"};
        return LMB_ERROR_MEMORY;
    }
    state->device = device;
    lmb_gpu_def gpu_def = device_gpu_def(device);
    lmb_result result = lmb_gpu_create(&gpu_def, NULL, &state->gpu, error);
    if (result == LMB_OK) {
        result = lmb_gpu_graph_create(state->gpu, workload->graph, &state->graph, error);
    }
    if (result == LMB_OK) {
        lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
        def.graph = state->graph;
        def.character_count = characters;
        def.slot_count = 1;
        def.events_a_frame = characters;
        def.emits_events = true;
        result = lmb_gpu_batch_create(state->gpu, &def, &state->batch, error);
    }
    if (result == LMB_OK) {
        result = upload(state, error);
    }
    return result == LMB_OK && workload->control != NULL ? open_control(backend, error) : result;
}
