// The outputs of a batch, and checks that the CPU and the GPU side share. One table says how many floats a row of an
// output has, and what has a row: a joint, a socket, a float channel, or the whole character.
#include "batch.h"

#include "program/program.h"

#include "../../shaders/ops/layout.h"

_Static_assert(LMB_REFUSED_CLIP == REFUSED_CLIP && LMB_REFUSED_TIME == REFUSED_TIME &&
                   LMB_REFUSED_WEIGHT == REFUSED_WEIGHT && LMB_REFUSED_POSE == REFUSED_POSE &&
                   LMB_REFUSED_CHARACTER == REFUSED_CHARACTER && LMB_REFUSED_SHEAR == REFUSED_SHEAR,
               "the kernels count refusals in another order than lmb_refusal");
_Static_assert(LMB_OUTPUT_LOCAL == OUTPUT_LOCAL && LMB_OUTPUT_MODEL == OUTPUT_MODEL &&
                   LMB_OUTPUT_PALETTE == OUTPUT_PALETTE && LMB_OUTPUT_PREVIOUS_PALETTE == OUTPUT_PREVIOUS_PALETTE &&
                   LMB_OUTPUT_DUAL_QUATERNIONS == OUTPUT_DUAL_QUATERNIONS && LMB_OUTPUT_BOUNDS == OUTPUT_BOUNDS &&
                   LMB_OUTPUT_SOCKETS == OUTPUT_SOCKETS && LMB_OUTPUT_CHANNELS == OUTPUT_CHANNELS &&
                   LMB_OUTPUT_COUNT == OUTPUT_COUNT && LMB_MAX_POSES == MOST_POSE_BUFFERS,
               "the kernels number outputs or pose buffers otherwise than batch.h does");
_Static_assert(LMB_POSE_COMPONENTS == POSE_COMPONENTS && LMB_MATRIX_COMPONENTS == MATRIX_COMPONENTS &&
                   LMB_DUAL_COMPONENTS == DUAL_COMPONENTS && LMB_BOX_COMPONENTS == BOX_COMPONENTS,
               "the kernels lay buffers out otherwise than batch.h says");

// The kind of rows in one character's part of an output.
typedef enum rows { ROWS_JOINTS, ROWS_SOCKETS, ROWS_ONE, ROWS_CHANNELS } rows;

static const struct {
    const char *name;
    uint32_t components; // floats per row
    rows rows;
} outputs[LMB_OUTPUT_COUNT] = {
    [LMB_OUTPUT_LOCAL] = {"local", LMB_POSE_COMPONENTS, ROWS_JOINTS},
    [LMB_OUTPUT_MODEL] = {"model", LMB_MATRIX_COMPONENTS, ROWS_JOINTS},
    [LMB_OUTPUT_PALETTE] = {"palette", LMB_MATRIX_COMPONENTS, ROWS_JOINTS},
    [LMB_OUTPUT_PREVIOUS_PALETTE] = {"previous palette", LMB_MATRIX_COMPONENTS, ROWS_JOINTS},
    [LMB_OUTPUT_DUAL_QUATERNIONS] = {"dual quaternions", LMB_DUAL_COMPONENTS, ROWS_JOINTS},
    [LMB_OUTPUT_BOUNDS] = {"bounds", LMB_BOX_COMPONENTS, ROWS_ONE},
    [LMB_OUTPUT_SOCKETS] = {"sockets", LMB_MATRIX_COMPONENTS, ROWS_SOCKETS},
    [LMB_OUTPUT_CHANNELS] = {"channels", 1, ROWS_CHANNELS},
};

lmb_batch_def lmb_default_batch_def(void) {
    return (lmb_batch_def){.outputs = LMB_OUTPUT_PALETTE_BIT};
}

const char *lmb_output_name(lmb_output output) {
    return (unsigned)output < LMB_OUTPUT_COUNT ? outputs[output].name : "unknown output";
}

uint32_t lmb_output_components(lmb_output output) {
    return outputs[output].components;
}

lmb_result lmb_batch_check(const lmb_batch_def *batch, lmb_error *error) {
    if (batch == NULL || batch->graph == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "batch: %s is NULL", batch == NULL ? "it" : "the graph");
    }
    if (batch->outputs == 0 || batch->outputs >> LMB_OUTPUT_COUNT != 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "batch: outputs 0x%x name %s", (unsigned)batch->outputs,
                        batch->outputs == 0 ? "no output" : "an output that does not exist");
    }
    if ((batch->outputs & LMB_OUTPUT_PREVIOUS_PALETTE_BIT) && !(batch->outputs & LMB_OUTPUT_PALETTE_BIT)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "batch: outputs 0x%x have the previous palette without the palette",
                        (unsigned)batch->outputs);
    }
    const uint32_t refused = batch->outputs & ~lmb_graph_get_info(batch->graph)->outputs;
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        if (refused >> output & 1u) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT,
                            "batch: outputs 0x%x have %s, and the graph ends as matrices, which have none",
                            (unsigned)batch->outputs, outputs[output].name);
        }
    }
    uint64_t floats = batch->graph->info.parameter_count;
    for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
        uint32_t of_output = lmb_batch_output_floats(batch, (lmb_output)output);
        floats = floats > of_output ? floats : of_output;
    }
    if ((uint64_t)batch->character_count * floats > SIZE_MAX / sizeof(float)) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "batch: %u characters of %u joints do not fit in memory",
                        (unsigned)batch->character_count, (unsigned)batch->graph->info.joint_count);
    }
    return LMB_OK;
}

lmb_result lmb_batch_check_inputs(const lmb_graph *graph, const lmb_batch_inputs *inputs, const char *owner,
                                  lmb_error *error) {
    if (graph->info.parameter_count > 0 && inputs->parameters == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "%s: the parameters are NULL", owner);
    }
    for (uint32_t i = 0; i < graph->info.pose_count; i++) {
        if (inputs->poses[i] == NULL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "%s: pose buffer %u is NULL", owner, (unsigned)i);
        }
    }
    if (graph->info.point_count > 0 && inputs->points == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "%s: the points are NULL, and the graph reads %u", owner,
                        (unsigned)graph->info.point_count);
    }
    return !graph->info.uses_transforms || inputs->transforms != NULL
               ? LMB_OK
               : lmb_fail(error, LMB_ERROR_ARGUMENT, "%s: the world transforms are NULL, and the graph needs them",
                          owner);
}

uint32_t lmb_batch_output_floats(const lmb_batch_def *batch, lmb_output output) {
    if ((unsigned)output >= LMB_OUTPUT_COUNT) {
        return 0;
    }
    const lmb_graph *graph = batch->graph;
    uint32_t count = outputs[output].rows == ROWS_JOINTS     ? graph->info.joint_count
                     : outputs[output].rows == ROWS_SOCKETS  ? graph->info.socket_count
                     : outputs[output].rows == ROWS_CHANNELS ? graph->info.channel_count
                                                             : 1;
    return count * outputs[output].components + (output == LMB_OUTPUT_LOCAL ? graph->info.channel_count : 0);
}
