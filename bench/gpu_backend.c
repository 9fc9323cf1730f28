#include "backend.h"

#include <limber/gpu_profile.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct gpu_state {
    device *device;
    lmb_gpu *gpu;
    lmb_gpu_program *program;
    lmb_gpu_batch *batch;
    lmb_gpu_profile *profile;
} gpu_state;

static void close_gpu(backend *backend) {
    gpu_state *state = backend->state;
    if (state != NULL) {
        lmb_gpu_profile_destroy(state->profile);
        lmb_gpu_batch_destroy(state->batch);
        lmb_gpu_program_destroy(state->program);
        lmb_gpu_destroy(state->gpu);
        free(state);
    }
}

// The time is from submission to completion, the queue's own work included: what a host waits for a crowd alone.
static lmb_result run_gpu(backend *backend, uint32_t frame, double *seconds, lmb_error *error) {
    gpu_state *state = backend->state;
    VkCommandPool pool;
    VkCommandBuffer commands;
    workload_fill(backend->workload, backend->characters, frame, lmb_gpu_batch_parameters(state->batch, 0));
    lmb_result result = device_begin(state->device, &pool, &commands, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_gpu_record_info info = {.commands = commands, .profile = state->profile};
    lmb_result recorded = LMB_OK;
    if (state->profile != NULL) {
        recorded = lmb_gpu_profile_begin(state->profile, 0, commands, error);
        backend->shift = backend->shift == 0 ? trace_clock(NULL) : backend->shift;
    }
    recorded = recorded == LMB_OK ? lmb_gpu_batch_record(state->batch, &info, error) : recorded;
    double start = limits_device_seconds(state->device);
    result = device_submit_and_wait(state->device, pool, commands, error);
    *seconds = limits_device_seconds(state->device) - start;
    if (recorded == LMB_OK && result == LMB_OK && state->profile != NULL) {
        result = lmb_gpu_profile_collect(state->profile, 0, NULL, error);
    }
    return recorded != LMB_OK ? recorded : result;
}

// A device's clock begins with its first frame.
static lmb_result profile_gpu(backend *backend, lmb_error *error) {
    gpu_state *state = backend->state;
    lmb_gpu_profile_def def = lmb_default_gpu_profile_def();
    def.queue_family = state->device->queue_family;
    def.frame_count = 1;
    lmb_result result = lmb_gpu_profile_create(state->gpu, &def, &state->profile, error);
    if (result == LMB_OK) {
        backend->times = lmb_gpu_profile_times(state->profile);
    }
    return result == LMB_ERROR_UNSUPPORTED ? LMB_OK : result;
}

static lmb_result upload(gpu_state *state, lmb_error *error) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_result result = device_begin(state->device, &pool, &commands, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_result recorded = lmb_gpu_program_record_upload(state->program, commands, error);
    result = device_submit_and_wait(state->device, pool, commands, error);
    result = recorded != LMB_OK ? recorded : result;
    return result == LMB_OK ? lmb_gpu_program_uploaded(state->program, error) : result;
}

// Palettes, local poses on the way to them, and parameters on both sides.
double backend_gpu_bytes(const workload *workload, uint32_t characters) {
    double joints = lmb_rig_joint_count(workload->actor->rig);
    double parameters = lmb_program_parameter_count(workload->program);
    return (double)characters * sizeof(float) *
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
        result = lmb_gpu_program_create(state->gpu, workload->program, &state->program, error);
    }
    if (result == LMB_OK) {
        lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
        def.program = state->program;
        def.character_count = characters;
        def.frame_count = 1;
        result = lmb_gpu_batch_create(state->gpu, &def, &state->batch, error);
    }
    return result == LMB_OK ? upload(state, error) : result;
}
