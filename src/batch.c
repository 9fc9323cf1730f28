#include "program.h"

#include "../shaders/ops/program.h"

#include <limber/batch.h>

_Static_assert(LMB_REFUSED_CLIP == REFUSED_CLIP && LMB_REFUSED_TIME == REFUSED_TIME &&
                   LMB_REFUSED_WEIGHT == REFUSED_WEIGHT && LMB_REFUSED_POSE == REFUSED_POSE,
               "the kernels count refusals in another order than lmb_refusal");
_Static_assert(LMB_POSE_COMPONENTS == POSE_COMPONENTS && LMB_MATRIX_COMPONENTS == MATRIX_COMPONENTS,
               "the kernels lay buffers out otherwise than batch.h says");

const char *lmb_stage_name(lmb_stage stage) {
    static const char *const names[LMB_STAGE_COUNT] = {"local", "model", "palette"};
    return (unsigned)stage < LMB_STAGE_COUNT ? names[stage] : "unknown stage";
}

lmb_result lmb_batch_check(const lmb_batch *batch, lmb_error *error) {
    if (batch == NULL || batch->program == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "batch: %s is NULL", batch == NULL ? "it" : "the program");
    }
    if (batch->outputs == 0 || batch->outputs >> LMB_STAGE_COUNT != 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "batch: outputs 0x%x name %s", (unsigned)batch->outputs,
                        batch->outputs == 0 ? "no stage" : "a stage that does not exist");
    }
    uint64_t floats = (uint64_t)batch->program->joint_count * LMB_MATRIX_COMPONENTS;
    floats = floats > batch->program->parameter_count ? floats : batch->program->parameter_count;
    if ((uint64_t)batch->character_count * floats > SIZE_MAX / sizeof(float)) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "batch: %u characters of %u joints do not fit in memory",
                        (unsigned)batch->character_count, (unsigned)batch->program->joint_count);
    }
    return LMB_OK;
}

uint32_t lmb_batch_stage_floats(const lmb_batch *batch, lmb_stage stage) {
    return batch->program->joint_count *
           (stage == LMB_STAGE_LOCAL ? (uint32_t)LMB_POSE_COMPONENTS : (uint32_t)LMB_MATRIX_COMPONENTS);
}
