#include "cpu.h"

#include "batch.h"
#include "control.h"
#include "float_environment.h"
#include "graph.h"
#include "simd.h"

#include <string.h>

// A function that runs graphs, and one that returns the scratch memory it needs.
typedef struct runner {
    size_t (*scratch)(const lmb_graph *graph);
    lmb_run_function *run;
} runner;

// The runners of each path, for any graph and for plain graphs; NULL if this build lacks the path. The fast path is
// another name of one of the others.
static const struct {
    const char *name;
    runner any, plain;
} paths[LMB_CPU_PATH_COUNT] = {
#define SIMD_WIDTH(lanes)                                                                                              \
    {                                                                                                                  \
        "simd " #lanes, {lmb_simd_##lanes##_scratch, lmb_simd_##lanes##_run}, {                                        \
            lmb_simd_##lanes##_plain_scratch, lmb_simd_##lanes##_plain_run                                             \
        }                                                                                                              \
    }
    [LMB_CPU_REFERENCE] = {"reference", {lmb_simd_1_scratch, lmb_simd_1_run}, {lmb_simd_1_scratch, lmb_simd_1_run}},
    [LMB_CPU_FAST] = {.name = "fast"},
#ifdef LMB_HAS_SIMD_4
    [LMB_CPU_SIMD_4] = SIMD_WIDTH(4),
#else
    [LMB_CPU_SIMD_4] = {.name = "simd 4"},
#endif
#ifdef LMB_HAS_SIMD_8
    [LMB_CPU_SIMD_8] = SIMD_WIDTH(8),
#else
    [LMB_CPU_SIMD_8] = {.name = "simd 8"},
#endif
#ifdef LMB_HAS_SIMD_16
    [LMB_CPU_SIMD_16] = SIMD_WIDTH(16),
#else
    [LMB_CPU_SIMD_16] = {.name = "simd 16"},
#endif
#undef SIMD_WIDTH
};

const char *lmb_cpu_path_name(lmb_cpu_path path) {
    return (unsigned)path < LMB_CPU_PATH_COUNT ? paths[path].name : "unknown path";
}

static bool machine_has(lmb_cpu_path path) {
#if defined(LMB_HAS_SIMD_8) || defined(LMB_HAS_SIMD_16)
    if (path == LMB_CPU_SIMD_8) {
        return __builtin_cpu_supports("avx2");
    }
    if (path == LMB_CPU_SIMD_16) {
#ifdef LMB_AVX512_EMULATED
        return __builtin_cpu_supports("avx2");
#else
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    }
#endif
    (void)path;
    return true;
}

bool lmb_cpu_has(lmb_cpu_path path) {
    return path == LMB_CPU_FAST ||
           ((unsigned)path < LMB_CPU_PATH_COUNT && paths[path].any.run != NULL && machine_has(path));
}

lmb_cpu_path lmb_cpu_resolve(lmb_cpu_path path) {
    static const lmb_cpu_path widest_first[] = {LMB_CPU_SIMD_16, LMB_CPU_SIMD_8, LMB_CPU_SIMD_4};
    for (int i = 0; path == LMB_CPU_FAST && i < 3; i++) {
        if (lmb_cpu_has(widest_first[i])) {
            path = widest_first[i];
        }
    }
    return path == LMB_CPU_FAST ? LMB_CPU_REFERENCE : path;
}

lmb_result lmb_cpu_create(const lmb_graph *graph, lmb_cpu_path path, const lmb_host *host, lmb_cpu **cpu,
                          lmb_error *error) {
    if (cpu != NULL) {
        *cpu = NULL;
    }
    if (graph == NULL || cpu == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: %s is NULL", graph == NULL ? "the graph" : "the result");
    }
    if (!lmb_cpu_has(path)) {
        return lmb_fail(error, (unsigned)path < LMB_CPU_PATH_COUNT ? LMB_ERROR_UNSUPPORTED : LMB_ERROR_ARGUMENT,
                        "cpu: this machine does not have the path '%s'", lmb_cpu_path_name(path));
    }
    path = lmb_cpu_resolve(path);
    lmb_host resolved = lmb_host_resolve(host);
    lmb_cpu *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    runner runner = lmb_graph_is_plain(graph) ? paths[path].plain : paths[path].any;
    char *memory = lmb_host_allocate(&resolved, runner.scratch(graph) + LMB_SIMD_ALIGNMENT, 1);
    if (created == NULL || memory == NULL) {
        lmb_host_release(&resolved, created);
        lmb_host_release(&resolved, memory);
        return lmb_fail(error, LMB_ERROR_MEMORY, "cpu: no memory for %u joints", (unsigned)graph->joint_count);
    }
    size_t past = (uintptr_t)memory % LMB_SIMD_ALIGNMENT;
    *created = (lmb_cpu){.host = resolved,
                         .graph = graph,
                         .path = path,
                         .run = runner.run,
                         .memory = memory,
                         .scratch = memory + (LMB_SIMD_ALIGNMENT - past)};
    *cpu = created;
    return LMB_OK;
}

lmb_cpu_path lmb_cpu_path_of(const lmb_cpu *cpu) {
    return cpu->path;
}

void lmb_cpu_destroy(lmb_cpu *cpu) {
    if (cpu == NULL) {
        return;
    }
    lmb_host host = cpu->host;
    lmb_host_release(&host, cpu->memory);
    lmb_host_release(&host, cpu);
}

static lmb_result check_run(const lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                            const lmb_batch_outputs *outputs, uint32_t first, uint32_t count, lmb_error *error) {
    if (cpu == NULL || inputs == NULL || outputs == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: %s is NULL",
                        cpu == NULL      ? "it"
                        : inputs == NULL ? "the inputs"
                                         : "the outputs");
    }
    lmb_result result = lmb_batch_check(batch, error);
    if (result != LMB_OK) {
        return result;
    }
    if (batch->graph != cpu->graph) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: the batch has another graph");
    }
    if (first > batch->character_count || count > batch->character_count - first) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: characters %u and %u more are not in a batch of %u",
                        (unsigned)first, (unsigned)count, (unsigned)batch->character_count);
    }
    result = count > 0 ? lmb_batch_check_inputs(cpu->graph, inputs, "cpu", error) : LMB_OK;
    for (uint32_t i = 0; result == LMB_OK && count > 0 && i < LMB_OUTPUT_COUNT; i++) {
        if ((batch->outputs >> i & 1u) && outputs->buffers[i] == NULL &&
            lmb_batch_output_floats(batch, (lmb_output)i) > 0) {
            result = lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: output %s is NULL", lmb_output_name((lmb_output)i));
        }
    }
    return result;
}

// Copies before the run if the host names a source, which may then be the palette that is written. Otherwise copies the
// written palette after the run.
static void copy_previous_palette(const lmb_batch_def *batch, const float *from, const lmb_batch_outputs *outputs,
                                  uint32_t first, uint32_t count) {
    if (from != NULL && count > 0 && (batch->outputs & LMB_OUTPUT_PREVIOUS_PALETTE_BIT)) {
        size_t floats = lmb_batch_output_floats(batch, LMB_OUTPUT_PREVIOUS_PALETTE);
        memcpy(outputs->buffers[LMB_OUTPUT_PREVIOUS_PALETTE] + first * floats, from + first * floats,
               count * floats * sizeof *from);
    }
}

lmb_result lmb_cpu_run(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                       const lmb_batch_outputs *outputs, lmb_error *error) {
    return lmb_cpu_run_range(cpu, batch, inputs, outputs, 0, batch != NULL ? batch->character_count : 0, error);
}

lmb_result lmb_cpu_run_range(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                             const lmb_batch_outputs *outputs, uint32_t first, uint32_t count, lmb_error *error) {
    const lmb_control *control = cpu != NULL ? lmb_graph_control(cpu->graph) : NULL;
    if (control == NULL || inputs == NULL || batch == NULL || batch->character_count == 0) {
        return lmb_cpu_run_poses(cpu, batch, inputs, outputs, first, count, error);
    }
    const lmb_control_frame *frame = inputs->control;
    if (frame == NULL || frame->character_count != batch->character_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: the graph moves by itself, and %s",
                        frame == NULL ? "the frame of its control is NULL"
                                      : "the frame of its control has another number of characters");
    }
    lmb_batch_inputs posed = *inputs;
    posed.parameters = frame->parameters;
    lmb_result result = check_run(cpu, batch, &posed, outputs, first, count, error);
    if (result == LMB_OK && lmb_control_inertia_parameters(control) != LMB_NONE && outputs->inertia == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: transitions are inertialized, and the memory for it is NULL");
    }
    if (result == LMB_OK) {
        result = cpu->profile == NULL || count == 0 ? lmb_control_run(control, frame, first, count, error)
                                                    : lmb_cpu_profile_control(cpu, control, frame, first, count, error);
    }
    return result == LMB_OK ? lmb_cpu_run_poses(cpu, batch, &posed, outputs, first, count, error) : result;
}

static void reset_refused(const lmb_batch_outputs *outputs) {
    if (outputs->refused != NULL) {
        memset(outputs->refused, 0, LMB_REFUSAL_COUNT * sizeof *outputs->refused);
    }
}

// Runs the poses of characters that are checked. Adds to the counters.
static void run_poses(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                      const lmb_batch_outputs *outputs, uint32_t first, uint32_t count) {
    copy_previous_palette(batch, inputs->previous_palette, outputs, first, count);
    lmb_environment callers;
    lmb_environment_enter(&callers);
    if (cpu->profile == NULL || count == 0) {
        cpu->run(batch, inputs, outputs, first, count, cpu->scratch);
    } else {
        lmb_cpu_profile_run(cpu, batch, inputs, outputs, first, count);
    }
    lmb_environment_leave(&callers);
    if (inputs->previous_palette == NULL) {
        copy_previous_palette(batch, outputs->buffers[LMB_OUTPUT_PALETTE], outputs, first, count);
    }
}

lmb_result lmb_cpu_run_poses(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                             const lmb_batch_outputs *outputs, uint32_t first, uint32_t count, lmb_error *error) {
    lmb_result result = check_run(cpu, batch, inputs, outputs, first, count, error);
    if (result == LMB_OK) {
        reset_refused(outputs);
        run_poses(cpu, batch, inputs, outputs, first, count);
    }
    return result;
}

lmb_result lmb_cpu_run_list(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                            const lmb_batch_outputs *outputs, const uint32_t *characters, uint32_t count,
                            lmb_error *error) {
    lmb_result result = check_run(cpu, batch, inputs, outputs, 0, batch != NULL ? batch->character_count : 0, error);
    if (result != LMB_OK) {
        return result;
    }
    if (count > 0 && characters == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: the list of characters is NULL");
    }
    reset_refused(outputs);
    for (uint32_t i = 0; i < count;) {
        uint32_t first = characters[i];
        uint32_t run = 1;
        if (first < batch->character_count) {
            while (run < count - i && run < batch->character_count - first && characters[i + run] == first + run) {
                run++;
            }
            run_poses(cpu, batch, inputs, outputs, first, run);
        } else if (outputs->refused != NULL) {
            outputs->refused[LMB_REFUSED_CHARACTER]++;
        }
        i += run;
    }
    return LMB_OK;
}
