// Divides runs among the widths of a path's vectors. The fast path gives whole
// vectors to the widest code and the rest to the narrowest that holds it. All widths store the same bits, so the
// division changes no result.
//
// SIMD code has 32-bit offsets, so a run is cut where they would not reach. A list is collected into parts that run at
// once. If the graph keeps data from frame to frame, a character occurs in a part only once.
#include "cpu.h"

#include "base/cpu_path.h"
#include "base/float_environment.h"
#include "batch.h"
#include "control/control.h"
#include "control/run.h"
#include "program/program.h"
#include "simd.h"

#include "../../shaders/ops/layout.h"
#include "../../shaders/ops/outputs.h"

#include <string.h>

// A function that runs graphs, and one that returns the scratch memory it needs.
typedef struct runner {
    size_t (*scratch)(const lmb_graph *graph);
    lmb_run_function *run;
} runner;

// The runners of each path, for any graph and for plain graphs; NULL if this build lacks the path.
static const struct {
    runner any, plain;
} paths[LMB_CPU_PATH_COUNT] = {
#define SIMD_PATH(lanes)                                                                                               \
    [LMB_CPU_SIMD_##lanes] = {{lmb_simd_##lanes##_scratch, lmb_simd_##lanes##_run},                                    \
                              {lmb_simd_##lanes##_plain_scratch, lmb_simd_##lanes##_plain_run}},
    [LMB_CPU_REFERENCE] = {{lmb_simd_1_scratch, lmb_simd_1_run}, {lmb_simd_1_scratch, lmb_simd_1_run}},
    LMB_SIMD_PATHS(SIMD_PATH)};

#define DEFAULT_KEY_BYTES ((size_t)4 << 20)

// Lists the path, and for the fast path all narrower ones. Returns the bytes of scratch that any of them needs.
static size_t find_widths(lmb_cpu *cpu, bool is_fast) {
    const bool plain = lmb_graph_is_plain(cpu->graph);
    size_t most = 0;
    for (int i = 0; i < LMB_CPU_WIDTHS; i++) {
        const lmb_cpu_path path = lmb_cpu_widest_first[i];
        if (path == cpu->path || (is_fast && lmb_cpu_has(path) && lmb_cpu_lanes(path) < lmb_cpu_lanes(cpu->path))) {
            const runner runner = plain ? paths[path].plain : paths[path].any;
            const size_t bytes = runner.scratch(cpu->graph);
            cpu->widths[cpu->width_count++] = (lmb_cpu_width){lmb_cpu_lanes(path), runner.run};
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

// The characters that offsets below 2^31 can reach in every buffer.
static uint32_t find_reach(const lmb_graph *graph) {
    uint32_t floats = MATRIX_COMPONENTS;
    const uint32_t others[] = {graph->info.parameter_count, graph->program[FIELD(PROGRAM, point_floats)],
                               graph->program[FIELD(PROGRAM, kept)]};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        floats = others[i] > floats ? others[i] : floats;
    }
    for (uint32_t i = 0; i < graph->info.pose_count; i++) {
        floats = graph->pose_floats[i] > floats ? graph->pose_floats[i] : floats;
    }
    return (UINT32_MAX / 2) / floats;
}

lmb_past_words lmb_cpu_count_past(const lmb_graph *graph) {
    return (lmb_past_words){.state = graph->info.state_words,
                            .inertia = graph->info.inertia_words,
                            .reached = graph->info.reached_count,
                            .parameters = graph->info.parameter_count,
                            .emitted = graph->info.emitted_words,
                            .motion = graph->info.motion_floats,
                            .matrix = LMB_MATRIX_COMPONENTS};
}

size_t lmb_cpu_past_words(const lmb_graph *graph) {
    const lmb_past_words words = lmb_cpu_count_past(graph);
    return (size_t)words.state + words.inertia + words.reached + words.parameters + words.emitted + words.motion +
           words.matrix;
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
    lmb_host resolved = lmb_host_resolve(host);
    lmb_cpu *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    if (created != NULL) {
        *created =
            (lmb_cpu){.host = resolved, .graph = graph, .path = lmb_cpu_resolve(path), .reach = find_reach(graph)};
        const size_t scratch = find_widths(created, path == LMB_CPU_FAST);
        const bool has_cache = created->path != LMB_CPU_REFERENCE;
        created->cache = has_cache ? lmb_clip_cache_create(graph, DEFAULT_KEY_BYTES, &resolved) : NULL;
        const size_t past = lmb_cpu_past_words(graph) * sizeof(uint32_t);
        created->memory = lmb_host_allocate(&resolved, past + scratch + LMB_SIMD_ALIGNMENT, 1);
        if (created->memory == NULL || (has_cache && created->cache == NULL)) {
            lmb_cpu_destroy(created);
            created = NULL;
        }
    }
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "cpu: no memory for %u joints", (unsigned)graph->info.joint_count);
    }
    created->past = created->memory;
    char *after = (char *)created->memory + lmb_cpu_past_words(graph) * sizeof(uint32_t);
    created->scratch = after + (LMB_SIMD_ALIGNMENT - (uintptr_t)after % LMB_SIMD_ALIGNMENT);
    *cpu = created;
    return LMB_OK;
}

lmb_result lmb_cpu_set_key_memory(lmb_cpu *cpu, size_t bytes, lmb_error *error) {
    if (cpu == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: it is NULL");
    }
    if (cpu->cache != NULL) {
        clip_cache *cache = lmb_clip_cache_create(cpu->graph, bytes, &cpu->host);
        if (cache == NULL) {
            return lmb_fail(error, LMB_ERROR_MEMORY, "cpu: no memory for %zu bytes of keys", bytes);
        }
        lmb_clip_cache_destroy(cpu->cache, &cpu->host);
        cpu->cache = cache;
    }
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
    lmb_clip_cache_destroy(cpu->cache, &host);
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
                                  const lmb_characters *characters) {
    if (from == NULL || !(batch->outputs & LMB_OUTPUT_PREVIOUS_PALETTE_BIT)) {
        return;
    }
    const size_t floats = lmb_batch_output_floats(batch, LMB_OUTPUT_PREVIOUS_PALETTE);
    float *to = outputs->buffers[LMB_OUTPUT_PREVIOUS_PALETTE];
    const uint32_t copies = characters->list != NULL ? characters->count : 1;
    const size_t bytes = (characters->list != NULL ? 1 : characters->count) * floats * sizeof *from;
    for (uint32_t i = 0; i < copies; i++) {
        const size_t at = ((size_t)characters->first + (characters->list != NULL ? characters->list[i] : 0)) * floats;
        memcpy(to + at, from + at, bytes);
    }
}

lmb_result lmb_cpu_run(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                       const lmb_batch_outputs *outputs, lmb_error *error) {
    return lmb_cpu_run_range(cpu, batch, inputs, outputs, 0, batch != NULL ? batch->character_count : 0, error);
}

lmb_result lmb_cpu_run_range(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                             const lmb_batch_outputs *outputs, uint32_t first, uint32_t count, lmb_error *error) {
    const lmb_graph *graph = cpu != NULL ? cpu->graph : NULL;
    if (graph == NULL || graph->control == NULL || inputs == NULL || batch == NULL || batch->character_count == 0) {
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
    if (posed.transforms == NULL && graph->info.has_motion) {
        posed.transforms = frame->matrices;
    }
    lmb_result result = check_run(cpu, batch, &posed, outputs, first, count, error);
    if (result == LMB_OK && lmb_control_inertia_parameters(graph->control) != LMB_NONE && outputs->inertia == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: transitions are inertialized, and the memory for it is NULL");
    }
    if (result == LMB_OK) {
        result = cpu->profile == NULL || count == 0 ? lmb_control_run_path(graph, cpu->path, frame, first, count, error)
                                                    : cpu->profiler->control(cpu, frame, first, count, error);
    }
    return result == LMB_OK ? lmb_cpu_run_poses(cpu, batch, &posed, outputs, first, count, error) : result;
}

static void reset_refused(const lmb_batch_outputs *outputs) {
    if (outputs->refused != NULL) {
        memset(outputs->refused, 0, LMB_REFUSAL_COUNT * sizeof *outputs->refused);
    }
}

// Part of characters.
static lmb_characters part_of(const lmb_characters *all, uint32_t begin, uint32_t count) {
    return all->list != NULL ? (lmb_characters){all->first, count, all->list + begin}
                             : (lmb_characters){all->first + begin, count, NULL};
}

void lmb_cpu_run_characters(const lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                            const lmb_batch_outputs *outputs, const lmb_characters *characters) {
    uint32_t done = 0;
    for (uint32_t i = 0; i < cpu->width_count; i++) {
        const lmb_cpu_width *width = &cpu->widths[i];
        const uint32_t left = characters->count - done;
        // The remainder, too, unless a narrower path holds it.
        const bool last = i + 1 == cpu->width_count || left % width->lanes > cpu->widths[i + 1].lanes;
        const uint32_t count = last ? left : left - left % width->lanes;
        for (uint32_t end = done + count; done < end;) {
            const uint32_t taken = end - done < cpu->reach ? end - done : cpu->reach;
            const lmb_characters part = part_of(characters, done, taken);
            width->run(batch, inputs, outputs, &part, cpu->cache, cpu->scratch);
            done += taken;
        }
    }
}

void lmb_cpu_evaluate(const lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                      const lmb_characters *characters) {
    const lmb_batch_def writes_nothing = {.graph = batch->graph, .character_count = batch->character_count};
    const lmb_batch_outputs nowhere = {0};
    lmb_cpu_run_characters(cpu, &writes_nothing, inputs, &nowhere, characters);
}

// Runs the poses of characters that are checked. Adds to the counters.
static void run_poses(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                      const lmb_batch_outputs *outputs, const lmb_characters *characters) {
    if (characters->count == 0) {
        return;
    }
    copy_previous_palette(batch, inputs->previous_palette, outputs, characters);
    lmb_environment callers;
    lmb_environment_enter(&callers);
    if (cpu->profile == NULL) {
        lmb_cpu_run_characters(cpu, batch, inputs, outputs, characters);
    } else {
        cpu->profiler->run(cpu, batch, inputs, outputs, characters);
    }
    lmb_environment_leave(&callers);
    if (inputs->previous_palette == NULL) {
        copy_previous_palette(batch, outputs->buffers[LMB_OUTPUT_PALETTE], outputs, characters);
    }
}

lmb_result lmb_cpu_run_poses(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                             const lmb_batch_outputs *outputs, uint32_t first, uint32_t count, lmb_error *error) {
    lmb_result result = check_run(cpu, batch, inputs, outputs, first, count, error);
    if (result == LMB_OK) {
        reset_refused(outputs);
        run_poses(cpu, batch, inputs, outputs, &(lmb_characters){first, count, NULL});
    }
    return result;
}

// The maximum number of listed characters that run at once.
#define MOST_LISTED 1024u

// Listed characters, relative to the first one.
typedef struct listed {
    uint32_t numbers[MOST_LISTED];
    uint32_t count;
    uint32_t min, max; // characters
} listed;

// Whether a character can be added. If the graph keeps memory, one that is listed twice runs once after the other: a
// list that does not ascend is searched for it.
static bool fits_list(const lmb_cpu *cpu, const listed *all, uint32_t character) {
    const uint32_t min = character < all->min ? character : all->min;
    const uint32_t max = character > all->max ? character : all->max;
    bool fits = all->count == 0 || (all->count < MOST_LISTED && max - min < cpu->reach);
    if (fits && all->count > 0 && cpu->graph->program[FIELD(PROGRAM, kept)] > 0 && character <= all->max) {
        for (uint32_t i = 0; i < all->count && fits; i++) {
            fits = all->numbers[i] != character;
        }
    }
    return fits;
}

static void run_listed(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                       const lmb_batch_outputs *outputs, listed *all) {
    for (uint32_t i = 0; i < all->count; i++) {
        all->numbers[i] -= all->min;
    }
    run_poses(cpu, batch, inputs, outputs, &(lmb_characters){all->min, all->count, all->numbers});
    all->count = 0;
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
    listed all;
    all.count = all.min = all.max = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t character = characters[i];
        if (character >= batch->character_count) {
            if (outputs->refused != NULL) {
                outputs->refused[LMB_REFUSED_CHARACTER]++;
            }
            continue;
        }
        if (!fits_list(cpu, &all, character)) {
            run_listed(cpu, batch, inputs, outputs, &all);
        }
        all.min = all.count == 0 || character < all.min ? character : all.min;
        all.max = all.count == 0 || character > all.max ? character : all.max;
        all.numbers[all.count++] = character;
    }
    run_listed(cpu, batch, inputs, outputs, &all);
    return LMB_OK;
}
