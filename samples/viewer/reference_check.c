// Runs a frame on the CPU and compares its palettes with the device's.
#include "reference_check.h"

#include <stdlib.h>
#include <string.h>

#include <limber/cpu.h>

#include "graphics.h"

typedef struct sides {
    float *parameters;
    float *shown;
    float *reference;
    uint32_t *inertia; // the device's inertia state; running a frame a second time does not change it
} sides;

static lmb_result run_reference(const lmb_batch_def *batch, const sides *sides, const lmb_batch_inputs *given,
                                lmb_error *error) {
    lmb_cpu *cpu = NULL;
    if (lmb_cpu_create(batch->graph, LMB_CPU_REFERENCE, NULL, &cpu, error)) {
        return error->result;
    }
    const lmb_batch_inputs inputs = {
        .parameters = sides->parameters, .points = given->points, .transforms = given->transforms};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_PALETTE] = sides->reference, .inertia = sides->inertia};
    lmb_result result = lmb_cpu_run_poses(cpu, batch, &inputs, &outputs, 0, batch->character_count, error);
    lmb_cpu_destroy(cpu);
    return result;
}

static lmb_result fill_and_compare(device *device, lmb_gpu_batch *gpu_batch, uint32_t frame, const sides *sides,
                                   const lmb_batch_inputs *inputs, lmb_comparison *comparison, lmb_error *error) {
    lmb_batch_def batch = lmb_gpu_batch_description(gpu_batch);
    batch.outputs = LMB_OUTPUT_PALETTE_BIT;
    if (batch.character_count > COMPARED_CHARACTERS) {
        batch.character_count = COMPARED_CHARACTERS;
    }
    size_t parameters = (size_t)batch.character_count * lmb_graph_get_info(batch.graph)->parameter_count;
    if (parameters > 0) { // otherwise there is no memory of parameters
        memcpy(sides->parameters, lmb_gpu_batch_parameters(gpu_batch, frame), parameters * sizeof(float));
    }
    if (device_read_output(device, gpu_batch, frame, LMB_OUTPUT_PALETTE, sides->shown, error) ||
        device_read_inertia(device, gpu_batch, sides->inertia, error) || run_reference(&batch, sides, inputs, error)) {
        return error->result;
    }
    const lmb_batch_outputs shown = {.buffers[LMB_OUTPUT_PALETTE] = sides->shown};
    const lmb_batch_outputs reference = {.buffers[LMB_OUTPUT_PALETTE] = sides->reference};
    return lmb_compare(&batch, &shown, &reference, 0, batch.character_count, comparison, error);
}

lmb_result compare_with_reference(device *device, lmb_gpu_batch *batch, uint32_t frame, const lmb_batch_inputs *inputs,
                                  lmb_comparison *comparison, lmb_error *error) {
    lmb_batch_def description = lmb_gpu_batch_description(batch);
    size_t floats = (size_t)lmb_batch_output_floats(&description, LMB_OUTPUT_PALETTE) * description.character_count;
    size_t parameters = (size_t)lmb_graph_get_info(description.graph)->parameter_count * description.character_count;
    size_t words = (size_t)lmb_graph_get_info(description.graph)->inertia_words * description.character_count;
    const sides sides = {malloc((parameters + 1) * sizeof(float)), malloc(floats * sizeof(float)),
                         malloc(floats * sizeof(float)), malloc((words + 1) * sizeof(uint32_t))};
    lmb_result result = LMB_OK;
    if (sides.parameters == NULL || sides.shown == NULL || sides.reference == NULL || sides.inertia == NULL) {
        result =
            viewer_fail(error, LMB_ERROR_MEMORY, "no memory to compare %u characters", description.character_count);
    } else {
        result = fill_and_compare(device, batch, frame, &sides, inputs, comparison, error);
    }
    free(sides.parameters);
    free(sides.shown);
    free(sides.reference);
    free(sides.inertia);
    return result;
}
