#include "backend.h"

#include "clock.h"

#include <limber/cpu_profile.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct cpu_state {
    lmb_cpu *cpu;
    lmb_cpu_profile *profile;
    float *parameters;
    float *palette;
} cpu_state;

static void close_cpu(backend *backend) {
    cpu_state *state = backend->state;
    if (state != NULL) {
        lmb_cpu_destroy(state->cpu);
        lmb_cpu_profile_destroy(state->profile);
        free(state->parameters);
        free(state);
    }
}

static lmb_result run_cpu(backend *backend, uint32_t frame, double *seconds, lmb_error *error) {
    cpu_state *state = backend->state;
    workload_fill(backend->workload, backend->characters, frame, state->parameters);
    lmb_batch batch = {backend->workload->program, backend->characters, LMB_OUTPUT_PALETTE};
    lmb_batch_inputs inputs = {.parameters = state->parameters};
    lmb_batch_outputs outputs = {.stages = {[LMB_STAGE_PALETTE] = state->palette}};
    double start = clock_thread_seconds();
    lmb_result result = lmb_cpu_run(state->cpu, &batch, &inputs, &outputs, error);
    *seconds = clock_thread_seconds() - start;
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
    return (size_t)characters * lmb_program_parameter_count(workload->program) * sizeof(float);
}

double backend_cpu_bytes(const workload *workload, uint32_t characters) {
    return (double)characters * (double)workload_palette_bytes(workload) +
           (double)parameter_bytes(workload, characters);
}

lmb_result backend_open_cpu(const workload *workload, uint32_t characters, lmb_cpu_path path, float *palette,
                            backend *backend, lmb_error *error) {
    cpu_state *state = calloc(1, sizeof *state);
    *backend = (struct backend){.workload = workload,
                                .characters = characters,
                                .run = run_cpu,
                                .close = close_cpu,
                                .profile = profile_cpu,
                                .state = state};
    snprintf(backend->name, sizeof backend->name, "CPU %s, per core", lmb_cpu_path_name(path));
    *error = (lmb_error){LMB_ERROR_MEMORY, "no memory"};
    if (state == NULL) {
        return LMB_ERROR_MEMORY;
    }
    state->palette = palette;
    state->parameters = malloc(parameter_bytes(workload, characters));
    if (state->parameters == NULL) {
        return LMB_ERROR_MEMORY;
    }
    return lmb_cpu_create(workload->program, path, NULL, &state->cpu, error);
}
