// Runs the workload on a path of the CPU.
#include "backend.h"

#include "clock.h"
#include "movement.h"

#include <limber/cpu_profile.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct cpu_state {
    lmb_cpu *cpu;
    lmb_cpu_profile *profile;
    float *parameters;
    workload_memory memory;
    const workload_outputs *outputs;
    movement movement; // used with a control
} cpu_state;

static void close_cpu(backend *backend) {
    cpu_state *state = backend->state;
    if (state != NULL) {
        lmb_cpu_destroy(state->cpu);
        lmb_cpu_profile_destroy(state->profile);
        movement_destroy(&state->movement);
        workload_memory_destroy(&state->memory);
        free(state->parameters);
        free(state);
    }
}

// Timed by the thread's own clock.
static lmb_result move_crowd(cpu_state *state, uint32_t frame, double *seconds, lmb_error *error) {
    movement_begin_frame(&state->movement, frame);
    double start = clock_thread_seconds();
    lmb_result result = movement_run(&state->movement, frame, state->parameters, error);
    *seconds = clock_thread_seconds() - start;
    return result;
}

static lmb_result run_cpu(backend *backend, uint32_t frame, frame_time *taken, lmb_error *error) {
    cpu_state *state = backend->state;
    workload_fill(backend->workload, backend->characters, frame, state->parameters);
    *taken = (frame_time){0};
    if (workload_advances(backend->workload)) {
        lmb_result moved = move_crowd(state, frame, &taken->control, error);
        if (moved != LMB_OK) {
            return moved;
        }
    }
    double start = clock_thread_seconds();
    lmb_result result = workload_run(backend->workload, state->cpu, backend->characters, state->parameters,
                                     &state->memory, state->outputs, error);
    double seconds = clock_thread_seconds() - start;
    taken->poses = workload_advances(backend->workload) ? seconds : 0.0;
    taken->whole = taken->control + seconds;
    return result;
}

static lmb_result profile_cpu(backend *backend, lmb_error *error) {
    cpu_state *state = backend->state;
    const lmb_cpu_profile_def def = {.clock = {.now = trace_clock}};
    lmb_result result = lmb_cpu_profile_create(&def, NULL, &state->profile, error);
    if (result == LMB_OK) {
        lmb_cpu_set_profile(state->cpu, state->profile);
        backend->times = lmb_cpu_profile_times(state->profile);
    }
    return result;
}

static size_t parameter_bytes(const workload *workload, uint32_t characters) {
    return (size_t)characters * lmb_graph_get_info(workload->graph)->parameter_count * sizeof(float);
}

double backend_cpu_bytes(const workload *workload, uint32_t characters) {
    return (double)characters * (double)(workload_output_bytes(workload) + workload_memory_bytes(workload)) +
           (double)parameter_bytes(workload, characters) +
           (workload_advances(workload) ? movement_bytes(workload, characters) : 0.0);
}

lmb_result backend_open_cpu(const workload *workload, uint32_t characters, lmb_cpu_path path,
                            const workload_outputs *outputs, backend *backend, lmb_error *error) {
    cpu_state *state = calloc(1, sizeof *state);
    *backend = (struct backend){.base = LMB_NONE,
                                .workload = workload,
                                .characters = characters,
                                .run = run_cpu,
                                .close = close_cpu,
                                .profile = profile_cpu,
                                .state = state};
    snprintf(backend->name, sizeof backend->name, "CPU %s, per core", lmb_cpu_path_name(path));
    *error = (lmb_error){.result = LMB_ERROR_MEMORY, .message = "no memory"};
    if (state == NULL) {
        return LMB_ERROR_MEMORY;
    }
    state->outputs = outputs;
    state->parameters = malloc(parameter_bytes(workload, characters));
    if (state->parameters == NULL) {
        return LMB_ERROR_MEMORY;
    }
    lmb_result result = workload_memory_create(workload, characters, &state->memory, error);
    if (result == LMB_OK && workload_advances(workload)) {
        result = movement_create(workload, characters, state->parameters, &state->movement, error);
    }
    return result == LMB_OK ? lmb_cpu_create(workload->graph, path, NULL, &state->cpu, error) : result;
}
