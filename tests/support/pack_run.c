#include "pack_run.h"

#include <stdlib.h>
#include <string.h>

enum { CHARACTERS = 7, FRAMES = 40, EVENT_EVERY = 9 };

typedef struct run {
    const lmb_graph *graph;
    lmb_cpu *cpu;
    lmb_batch_def batch;
    float *parameters;
    uint32_t *state;
    uint32_t *emitted;
    float *local;
    float *palette;
    uint32_t *inertia;
    size_t words, emitted_words, local_floats, palette_floats, inertia_words; // of all characters
} run;

static void *get(size_t count, size_t size) {
    return calloc(count > 0 ? count : 1, size);
}

static bool create(run *r, const lmb_graph *graph) {
    const lmb_graph_info *info = lmb_graph_get_info(graph);
    const uint32_t outputs = LMB_OUTPUT_LOCAL_BIT | LMB_OUTPUT_PALETTE_BIT;
    *r = (run){.graph = graph, .batch = {graph, CHARACTERS, outputs}};
    r->words = CHARACTERS * (size_t)lmb_graph_get_info(r->graph)->state_words;
    r->emitted_words = CHARACTERS * (size_t)lmb_graph_get_info(r->graph)->emitted_words;
    r->local_floats = CHARACTERS * (size_t)lmb_batch_output_floats(&r->batch, LMB_OUTPUT_LOCAL);
    r->palette_floats = CHARACTERS * (size_t)lmb_batch_output_floats(&r->batch, LMB_OUTPUT_PALETTE);
    r->inertia_words = CHARACTERS * (size_t)info->inertia_words;
    r->parameters = get(CHARACTERS * (size_t)info->parameter_count, sizeof *r->parameters);
    r->state = get(r->words, sizeof *r->state);
    r->emitted = get(r->emitted_words, sizeof *r->emitted);
    r->local = get(r->local_floats, sizeof *r->local);
    r->palette = get(r->palette_floats, sizeof *r->palette);
    r->inertia = get(r->inertia_words, sizeof *r->inertia);
    return info->pose_count == 0 && lmb_cpu_create(graph, LMB_CPU_FAST, NULL, &r->cpu, NULL) == LMB_OK &&
           r->parameters != NULL && r->state != NULL && r->emitted != NULL && r->local != NULL && r->palette != NULL &&
           r->inertia != NULL;
}

static void destroy(run *r) {
    lmb_cpu_destroy(r->cpu);
    free(r->parameters);
    free(r->state);
    free(r->emitted);
    free(r->local);
    free(r->palette);
    free(r->inertia);
}

// Each parameter of the host goes from its min to its max, at another speed for each character.
static void set_parameters(run *r, uint32_t frame) {
    const uint32_t count = lmb_graph_get_info(r->graph)->parameter_count;
    for (uint32_t character = 0; character < CHARACTERS; character++) {
        float *row = r->parameters + (size_t)character * count;
        for (uint32_t i = 0; i < count; i++) {
            const lmb_graph_parameter parameter = lmb_graph_parameter_at(r->graph, i);
            const float share = (float)((frame * (character + 2) + 11 * i) % 64) / 64.0f;
            if (!parameter.is_written) {
                row[i] = parameter.min + share * (parameter.max - parameter.min);
            }
        }
    }
}

static bool write_frame(const run *r, FILE *file) {
    return fwrite(r->state, sizeof *r->state, r->words, file) == r->words &&
           fwrite(r->emitted, sizeof *r->emitted, r->emitted_words, file) == r->emitted_words &&
           fwrite(r->local, sizeof *r->local, r->local_floats, file) == r->local_floats &&
           fwrite(r->palette, sizeof *r->palette, r->palette_floats, file) == r->palette_floats;
}

static bool run_frame(run *r, uint32_t frame, FILE *file) {
    const uint32_t events = lmb_graph_get_info(r->graph)->event_count;
    lmb_event sent[CHARACTERS];
    lmb_control_frame moving = {.step = lmb_ticks_from_seconds(1.0 / 30.0),
                                .number = frame,
                                .character_count = CHARACTERS,
                                .state = r->state,
                                .parameters = r->parameters,
                                .events = sent,
                                .emitted = r->emitted};
    for (uint32_t i = 0; events > 0 && frame % EVENT_EVERY == 1 && i < CHARACTERS; i++) {
        sent[moving.event_count++] = (lmb_event){i, (frame / EVENT_EVERY + i) % events};
    }
    set_parameters(r, frame);
    const lmb_batch_inputs inputs = {.parameters = r->parameters,
                                     .control = lmb_graph_get_info(r->graph)->state_words > 0 ? &moving : NULL};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = r->local, [LMB_OUTPUT_PALETTE] = r->palette},
                                       .inertia = r->inertia};
    const lmb_result result = lmb_graph_get_info(r->graph)->state_words > 0
                                  ? lmb_cpu_run(r->cpu, &r->batch, &inputs, &outputs, NULL)
                                  : lmb_cpu_run_poses(r->cpu, &r->batch, &inputs, &outputs, 0, CHARACTERS, NULL);
    return result == LMB_OK && write_frame(r, file);
}

bool pack_run(const lmb_graph *graph, FILE *file) {
    run r;
    bool success = create(&r, graph);
    for (uint32_t frame = 0; success && frame < FRAMES; frame++) {
        success = run_frame(&r, frame, file);
    }
    destroy(&r);
    return success;
}
