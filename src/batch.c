#include "batch.h"

#include "graph.h"

#include "../shaders/ops/program.h"

_Static_assert(LMB_REFUSED_CLIP == REFUSED_CLIP && LMB_REFUSED_TIME == REFUSED_TIME &&
                   LMB_REFUSED_WEIGHT == REFUSED_WEIGHT && LMB_REFUSED_POSE == REFUSED_POSE &&
                   LMB_REFUSED_CHARACTER == REFUSED_CHARACTER && LMB_REFUSED_SHEAR == REFUSED_SHEAR,
               "the kernels count refusals in another order than lmb_refusal");
_Static_assert(LMB_STAGE_LOCAL == STAGE_LOCAL && LMB_STAGE_MODEL == STAGE_MODEL && LMB_STAGE_PALETTE == STAGE_PALETTE &&
                   LMB_STAGE_PREVIOUS_PALETTE == STAGE_PREVIOUS_PALETTE &&
                   LMB_STAGE_DUAL_QUATERNIONS == STAGE_DUAL_QUATERNIONS && LMB_STAGE_BOUNDS == STAGE_BOUNDS &&
                   LMB_STAGE_SOCKETS == STAGE_SOCKETS && LMB_STAGE_CHANNELS == STAGE_CHANNELS &&
                   LMB_STAGE_COUNT == STAGE_COUNT && LMB_MAX_POSES == MOST_POSE_BUFFERS,
               "the kernels number stages or pose buffers otherwise than batch.h does");
_Static_assert(LMB_POSE_COMPONENTS == POSE_COMPONENTS && LMB_MATRIX_COMPONENTS == MATRIX_COMPONENTS &&
                   LMB_DUAL_COMPONENTS == DUAL_COMPONENTS && LMB_BOX_COMPONENTS == BOX_COMPONENTS,
               "the kernels lay buffers out otherwise than batch.h says");

// The kind of rows in one character's output of a stage.
typedef enum rows { ROWS_JOINTS, ROWS_SOCKETS, ROWS_ONE, ROWS_CHANNELS } rows;

static const struct {
    const char *name;
    uint32_t components; // floats per row
    rows rows;
} stages[LMB_STAGE_COUNT] = {
    [LMB_STAGE_LOCAL] = {"local", LMB_POSE_COMPONENTS, ROWS_JOINTS},
    [LMB_STAGE_MODEL] = {"model", LMB_MATRIX_COMPONENTS, ROWS_JOINTS},
    [LMB_STAGE_PALETTE] = {"palette", LMB_MATRIX_COMPONENTS, ROWS_JOINTS},
    [LMB_STAGE_PREVIOUS_PALETTE] = {"previous palette", LMB_MATRIX_COMPONENTS, ROWS_JOINTS},
    [LMB_STAGE_DUAL_QUATERNIONS] = {"dual quaternions", LMB_DUAL_COMPONENTS, ROWS_JOINTS},
    [LMB_STAGE_BOUNDS] = {"bounds", LMB_BOX_COMPONENTS, ROWS_ONE},
    [LMB_STAGE_SOCKETS] = {"sockets", LMB_MATRIX_COMPONENTS, ROWS_SOCKETS},
    [LMB_STAGE_CHANNELS] = {"channels", 1, ROWS_CHANNELS},
};

const char *lmb_stage_name(lmb_stage stage) {
    return (unsigned)stage < LMB_STAGE_COUNT ? stages[stage].name : "unknown stage";
}

uint32_t lmb_stage_components(lmb_stage stage) {
    return stages[stage].components;
}

uint32_t lmb_graph_outputs(const lmb_graph *graph) {
    const uint32_t all = (UINT32_C(1) << LMB_STAGE_COUNT) - 1;
    return graph->gives_matrices ? all & ~(LMB_OUTPUT_LOCAL | LMB_OUTPUT_DUAL_QUATERNIONS) : all;
}

lmb_result lmb_batch_check(const lmb_batch *batch, lmb_error *error) {
    if (batch == NULL || batch->graph == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "batch: %s is NULL", batch == NULL ? "it" : "the graph");
    }
    if (batch->outputs == 0 || batch->outputs >> LMB_STAGE_COUNT != 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "batch: outputs 0x%x name %s", (unsigned)batch->outputs,
                        batch->outputs == 0 ? "no stage" : "a stage that does not exist");
    }
    if ((batch->outputs & LMB_OUTPUT_PREVIOUS_PALETTE) && !(batch->outputs & LMB_OUTPUT_PALETTE)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "batch: outputs 0x%x have the previous palette without the palette",
                        (unsigned)batch->outputs);
    }
    const uint32_t refused = batch->outputs & ~lmb_graph_outputs(batch->graph);
    for (int stage = 0; stage < LMB_STAGE_COUNT; stage++) {
        if (refused >> stage & 1u) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT,
                            "batch: outputs 0x%x have %s, and the graph ends as matrices, which have none",
                            (unsigned)batch->outputs, stages[stage].name);
        }
    }
    uint64_t floats = batch->graph->parameter_count;
    for (int stage = 0; stage < LMB_STAGE_COUNT; stage++) {
        uint32_t of_stage = lmb_batch_stage_floats(batch, (lmb_stage)stage);
        floats = floats > of_stage ? floats : of_stage;
    }
    if ((uint64_t)batch->character_count * floats > SIZE_MAX / sizeof(float)) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "batch: %u characters of %u joints do not fit in memory",
                        (unsigned)batch->character_count, (unsigned)batch->graph->joint_count);
    }
    return LMB_OK;
}

uint32_t lmb_batch_stage_floats(const lmb_batch *batch, lmb_stage stage) {
    if ((unsigned)stage >= LMB_STAGE_COUNT) {
        return 0;
    }
    const lmb_graph *graph = batch->graph;
    uint32_t count = stages[stage].rows == ROWS_JOINTS     ? graph->joint_count
                     : stages[stage].rows == ROWS_SOCKETS  ? graph->socket_count
                     : stages[stage].rows == ROWS_CHANNELS ? graph->channel_count
                                                           : 1;
    return count * stages[stage].components + (stage == LMB_STAGE_LOCAL ? graph->channel_count : 0);
}
