// Runs one character of a snapshot in memory of the executor's own: lmb_cpu_run_past(). The inputs are rows of a batch,
// which stay as they are.
#include "cpu.h"

#include "batch.h"
#include "control/control.h"
#include "control/run.h"
#include "graph/snapshot.h"
#include "program/program.h"

#include <string.h>

// Where the words of a character are.
typedef struct past_memory {
    uint32_t *state, *inertia, *reached, *emitted;
    float *parameters, *motion, *matrix;
} past_memory;

static past_memory divide(const lmb_past_words *words, uint32_t *memory) {
    past_memory m = {.state = memory};
    m.inertia = m.state + words->state;
    m.reached = m.inertia + words->inertia;
    m.emitted = m.reached + words->reached;
    m.parameters = (float *)(m.emitted + words->emitted);
    m.motion = m.parameters + words->parameters;
    m.matrix = m.motion + words->motion;
    return m;
}

static const float *row_of(const float *rows, size_t floats, uint32_t row) {
    return rows != NULL ? rows + floats * row : NULL;
}

// Runs the control, with the host's parameters of this row.
static lmb_result run_control(const lmb_cpu *cpu, const lmb_past_words *words, const past_memory *memory,
                              const lmb_control_frame *given, const lmb_past_character *past, lmb_error *error) {
    lmb_control_frame frame = *given;
    frame.state = memory->state;
    frame.parameters = given->parameters != NULL ? memory->parameters : NULL;
    frame.emitted = given->emitted != NULL ? memory->emitted : NULL; // because the state counts those that are lost
    frame.motions = past->motion != NULL ? memory->motion : NULL;
    frame.matrices = memory->matrix;
    frame.reached = memory->reached;
    if (given->parameters != NULL && words->parameters > 0) {
        memcpy(memory->parameters, row_of(given->parameters, words->parameters, past->row),
               words->parameters * sizeof(float));
    }
    return lmb_control_run_apart(cpu->graph, cpu->path, &frame, past->row, error);
}

// The inputs of one row.
static lmb_batch_inputs inputs_of(const lmb_batch_def *batch, const lmb_batch_inputs *inputs, uint32_t row) {
    const lmb_graph *graph = batch->graph;
    lmb_batch_inputs own = {.parameters = row_of(inputs->parameters, graph->info.parameter_count, row),
                            .points = row_of(inputs->points, (size_t)graph->info.point_count * 4, row),
                            .transforms = row_of(inputs->transforms, LMB_MATRIX_COMPONENTS, row)};
    for (uint32_t i = 0; i < graph->info.pose_count; i++) {
        own.poses[i] = row_of(inputs->poses[i], graph->pose_floats[i], row);
    }
    own.previous_palette =
        row_of(inputs->previous_palette, lmb_batch_output_floats(batch, LMB_OUTPUT_PREVIOUS_PALETTE), row);
    return own;
}

static lmb_result check(const lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                        const lmb_batch_outputs *outputs, const lmb_past_character *past, lmb_error *error) {
    const char *missing = cpu == NULL       ? "it"
                          : batch == NULL   ? "the batch"
                          : inputs == NULL  ? "the inputs"
                          : outputs == NULL ? "the outputs"
                          : past == NULL    ? "the character"
                                            : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: %s is NULL", missing);
    }
    if (batch->graph != cpu->graph) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: the batch has another graph");
    }
    if (past->row >= batch->character_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: there is no row %u in a batch of %u", (unsigned)past->row,
                        (unsigned)batch->character_count);
    }
    const lmb_control_frame *frame = inputs->control;
    if (lmb_graph_get_info(cpu->graph)->state_words > 0 &&
        (frame == NULL || frame->character_count != batch->character_count)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "cpu: the graph moves by itself, and the frame of its control %s",
                        frame == NULL ? "is NULL" : "has another number of characters");
    }
    return LMB_OK;
}

lmb_result lmb_cpu_run_past(lmb_cpu *cpu, const lmb_batch_def *batch, const lmb_batch_inputs *inputs,
                            const lmb_batch_outputs *outputs, const lmb_past_character *past, lmb_error *error) {
    lmb_result result = check(cpu, batch, inputs, outputs, past, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmb_past_words words = lmb_cpu_count_past(cpu->graph);
    const past_memory memory = divide(&words, cpu->past);
    const lmb_character_words row = {.states = memory.state, .inertia = memory.inertia, .reached = memory.reached};
    result = lmb_snapshot_take(cpu->graph, past->snapshot, past->snapshot_size, past->index, &row, error);
    lmb_batch_inputs own = inputs_of(batch, inputs, past->row);
    if (result == LMB_OK && words.state > 0) {
        result = run_control(cpu, &words, &memory, inputs->control, past, error);
        own.parameters = memory.parameters;
        if (own.transforms == NULL && inputs->control->matrices != NULL && lmb_graph_get_info(cpu->graph)->has_motion) {
            own.transforms = memory.matrix;
        }
    }
    const lmb_batch_def one = {.graph = batch->graph, .character_count = 1, .outputs = batch->outputs};
    lmb_batch_outputs results = *outputs;
    results.inertia = words.inertia > 0 ? memory.inertia : NULL;
    results.reached = words.reached > 0 ? memory.reached : NULL;
    result = result == LMB_OK ? lmb_cpu_run_poses(cpu, &one, &own, &results, 0, 1, error) : result;
    if (result == LMB_OK && past->state != NULL) {
        memcpy(past->state, memory.state, words.state * sizeof *past->state);
    }
    if (result == LMB_OK && past->motion != NULL) {
        memcpy(past->motion, memory.motion, words.motion * sizeof *past->motion);
    }
    return result;
}
