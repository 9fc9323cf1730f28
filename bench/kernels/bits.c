// Runs a workload on the emulated device and on the CPU, and compares the results.
#include "bits.h"

#include "crowd.h"
#include "divergent.h"
#include "movement.h"

#include <limber/cpu.h>

#include <stdlib.h>
#include <string.h>

enum { CONTROL_FRAMES = 4, CROWD = 10000, NEIGHBOURS = 16 }; // characters of a crowd next to each other

// Data shared by the parts of one comparison.
typedef struct comparison {
    const workload *workload;
    lmb_gpu_batch *batch;
    lmb_batch_def description;
    float *parameters; // of the reference
    float *palette;    // of the reference
    uint32_t *inertia; // of the reference
    uint32_t *list;    // the number of characters, then the characters; if `sorted`
    bool sorted;
    bits_profiled profiled; // or NULL
    bits_moved moved;       // or NULL
} comparison;

static size_t parameter_floats(const comparison *c) {
    return (size_t)lmb_graph_get_info(c->description.graph)->parameter_count * c->description.character_count;
}

static size_t inertia_words(const comparison *c) {
    return (size_t)lmb_graph_get_info(c->description.graph)->inertia_words * c->description.character_count;
}

static void compare_words(const void *reference, const lmb_gpu_span *span, bits_part *part) {
    const unsigned char *device = (const unsigned char *)span->address;
    const uint32_t count = (uint32_t)(span->size / sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
        const size_t at = i * sizeof(uint32_t);
        part->differing += memcmp((const unsigned char *)reference + at, device + at, sizeof(uint32_t)) != 0;
    }
    part->words += count;
}

static lmb_result record(const comparison *c, uint32_t frame, bool poses_alone, rdna_counts *counts, lmb_error *error) {
    lmb_gpu_record_info info = {.commands = emulated_commands(),
                                .step = workload_step(c->workload, CROWD_WARM_FRAMES + frame),
                                .number = CROWD_WARM_FRAMES + frame,
                                .poses_alone = poses_alone};
    if (c->sorted) {
        info.list_count = (VkDeviceAddress)c->list;
        info.list = info.list_count + sizeof *c->list;
        info.list_capacity = c->description.character_count;
    }
    emulated_take_counts();
    emulated_clear_profiles();
    lmb_result result = lmb_gpu_batch_record(c->batch, &info, error);
    *counts = emulated_take_counts();
    return result == LMB_OK ? emulated_result(error) : result;
}

// Reports the kernels of the last recorded frame, of these names.
static void report_profiles(const comparison *c, const char *const *kernels, uint32_t count) {
    for (uint32_t i = 0; i < count && c->profiled != NULL; i++) {
        const rdna_profile *profile = emulated_profile(kernels[i]);
        if (profile != NULL) {
            c->profiled(c->workload, kernels[i], profile);
        }
    }
}

static lmb_result move_frame(const comparison *c, movement *movement, uint32_t frame, rdna_counts *counts,
                             lmb_error *error) {
    lmb_result result = LMB_OK;
    movement_begin_frame(movement, frame);
    for (uint32_t i = 0; i < movement->event_count && result == LMB_OK; i++) {
        result = lmb_gpu_batch_send(c->batch, 0, movement->events[i].character, movement->events[i].event, error);
    }
    if (result == LMB_OK) {
        workload_fill(c->workload, c->description.character_count, frame, lmb_gpu_batch_parameters(c->batch, 0));
        workload_fill(c->workload, c->description.character_count, frame, c->parameters);
        result = record(c, frame, false, counts, error);
    }
    return result == LMB_OK ? movement_run(movement, frame, c->parameters, error) : result;
}

// Runs the control for some frames and compares the states. The device's first frame starts with zeroed states; then
// the states of a crowd that the CPU has warmed up are copied to it.
static lmb_result move_crowd(const comparison *c, bits_part *part, lmb_error *error) {
    const lmb_gpu_span state = lmb_gpu_batch_state(c->batch);
    movement movement;
    lmb_result result = movement_create(c->workload, c->description.character_count, c->parameters, &movement, error);
    if (result == LMB_OK) {
        memcpy(lmb_gpu_batch_parameters(c->batch, 0), c->parameters, parameter_floats(c) * sizeof(float));
        result = record(c, 0, false, &part->counts, error);
    }
    if (result == LMB_OK) {
        memcpy((void *)state.address, movement.state, state.size);
    }
    for (uint32_t frame = 0; frame < CONTROL_FRAMES && result == LMB_OK; frame++) {
        result = move_frame(c, &movement, frame, &part->counts, error);
        if (result == LMB_OK) {
            compare_words(movement.state, &state, part);
        }
        if (result == LMB_OK && c->moved != NULL) {
            c->moved(c->workload, c->description.character_count, movement.state, c->parameters);
        }
    }
    report_profiles(c, (const char *const[]){"control", "match"}, 2);
    part->items = c->description.character_count;
    movement_destroy(&movement);
    return result;
}

// Takes characters of a crowd that are next to each other, from several places of it.
static lmb_result fill_divergent(const comparison *c, lmb_error *error) {
    const uint32_t count = c->description.character_count,
                   width = lmb_graph_get_info(c->description.graph)->parameter_count;
    float *crowd = malloc((size_t)CROWD * width * sizeof *crowd);
    uint32_t *order = malloc(CROWD * sizeof *order);
    lmb_result result = crowd != NULL && order != NULL ? LMB_OK : actor_no_memory(error);
    if (result == LMB_OK) {
        divergent_fill(c->workload, CROWD, 0, crowd);
        for (uint32_t i = 0; i < CROWD; i++) {
            order[i] = i;
        }
        result = c->sorted ? divergent_sort(c->workload, CROWD, order, error) : LMB_OK;
    }
    for (uint32_t i = 0; i < count && result == LMB_OK; i++) {
        const uint32_t place = c->sorted ? i * 29 % count : i; // 29 and a power of two have no common factor
        const uint32_t from = order[i / NEIGHBOURS * (CROWD * NEIGHBOURS / count) + i % NEIGHBOURS];
        memcpy(c->parameters + (size_t)place * width, crowd + (size_t)from * width, width * sizeof *crowd);
        c->list[1 + i] = place;
    }
    c->list[0] = count;
    free(order);
    free(crowd);
    return result;
}

// Fills the parameters. Graphs that are no workload get arbitrary ones: fractions that differ between characters.
static lmb_result fill(const comparison *c, bits_result *found, lmb_error *error) {
    if (workload_advances(c->workload)) {
        return move_crowd(c, &found->control, error);
    }
    if (divergent_has(c->workload->kind)) {
        return fill_divergent(c, error);
    }
    if (c->workload->kind != WORKLOAD_KIND_COUNT) {
        workload_fill(c->workload, c->description.character_count, 0, c->parameters);
        return LMB_OK;
    }
    for (size_t i = 0; i < parameter_floats(c); i++) {
        c->parameters[i] = (float)(i % 61) / 64.0f;
    }
    return LMB_OK;
}

static lmb_result run_reference(const comparison *c, lmb_error *error) {
    lmb_cpu *cpu = NULL;
    lmb_result result = lmb_cpu_create(c->description.graph, LMB_CPU_REFERENCE, NULL, &cpu, error);
    if (result == LMB_OK) {
        const lmb_batch_inputs inputs = {.parameters = c->parameters};
        const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_PALETTE] = c->palette},
                                           .inertia = inertia_words(c) > 0 ? c->inertia : NULL};
        result = lmb_cpu_run_poses(cpu, &c->description, &inputs, &outputs, 0, c->description.character_count, error);
    }
    lmb_cpu_destroy(cpu);
    return result;
}

// Compares the palettes for the parameters that the reference has at the end, and for what the device's inertialization
// keeps from frames of the control.
static lmb_result compare_poses(const comparison *c, bits_part *part, lmb_error *error) {
    lmb_gpu_span span;
    memcpy(lmb_gpu_batch_parameters(c->batch, 0), c->parameters, parameter_floats(c) * sizeof(float));
    if (workload_advances(c->workload) && lmb_gpu_batch_inertia(c->batch, 0, &span)) {
        memcpy(c->inertia, (const void *)span.address, inertia_words(c) * sizeof *c->inertia);
    }
    lmb_result result = record(c, 0, true, &part->counts, error);
    if (result == LMB_OK) {
        report_profiles(c, (const char *const[]){"weights", "graph", "pose", "model"}, 4);
        result = run_reference(c, error);
    }
    if (result == LMB_OK && lmb_gpu_batch_output(c->batch, 0, LMB_OUTPUT_PALETTE, 0, &span)) {
        compare_words(c->palette, &span, part);
    }
    part->items = lmb_rig_get_def(c->workload->actor->rig)->joint_count * c->description.character_count;
    return result;
}

// Subtracts the counts of the poses from those of a whole frame, so that the control's remain.
static void subtract(rdna_counts *from, const rdna_counts *poses) {
    from->valu -= poses->valu;
    from->cycles -= poses->cycles;
    from->loads -= poses->loads;
}

lmb_result bits_compare(const bits_subject *subject, lmb_gpu_graph *graph, lmb_gpu_batch *batch, bits_result *found,
                        lmb_error *error) {
    comparison c = {.workload = subject->workload,
                    .batch = batch,
                    .description = lmb_gpu_batch_description(batch),
                    .sorted = subject->sorted,
                    .profiled = subject->profiled,
                    .moved = subject->moved};
    const uint32_t count = c.description.character_count;
    const size_t words = lmb_batch_output_floats(&c.description, LMB_OUTPUT_PALETTE) * count;
    *found = (bits_result){0};
    c.parameters = malloc(parameter_floats(&c) * sizeof *c.parameters);
    c.palette = malloc(words * sizeof *c.palette);
    c.inertia = calloc(inertia_words(&c) + 1, sizeof *c.inertia);
    c.list = malloc((count + 1) * sizeof *c.list);
    lmb_result result = LMB_OK;
    if (c.parameters == NULL || c.palette == NULL || c.inertia == NULL || c.list == NULL ||
        emulated_show(c.list, (count + 1) * sizeof *c.list) == 0) {
        result = actor_no_memory(error);
    }
    if (result == LMB_OK) {
        result = lmb_gpu_graph_record_upload(graph, emulated_commands(), error);
    }
    if (result == LMB_OK) {
        result = fill(&c, found, error);
    }
    if (result == LMB_OK) {
        result = compare_poses(&c, &found->poses, error);
    }
    if (found->control.items > 0) {
        subtract(&found->control.counts, &found->poses.counts);
    }
    emulated_hide(c.list);
    free(c.list);
    free(c.inertia);
    free(c.parameters);
    free(c.palette);
    return result;
}
