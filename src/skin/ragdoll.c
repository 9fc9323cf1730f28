// Converts the model matrices of bodies to local transforms on the CPU, one character after the other, with the
// operation that shaders/ragdoll.comp runs. The checks of masks also serve gpu/ragdoll.c.
#include "ragdoll.h"

#include "base/float_environment.h"
#include "math/inline_ops.h"

#include "../../shaders/ops/layout.h"
#include "../../shaders/ops/ragdoll.h"

#include <limber/ragdoll.h>

lmb_ragdoll_info lmb_default_ragdoll_info(void) {
    return (lmb_ragdoll_info){.mask = LMB_NONE};
}

uint32_t lmb_ragdoll_mask(const lmb_graph *graph, uint32_t mask) {
    const uint32_t words = (graph->info.joint_count + graph->info.channel_count + 3) / 4;
    return mask == LMB_NONE ? 0 : graph->program[FIELD(PROGRAM, masks)] + mask * words;
}

lmb_result lmb_ragdoll_check_mask(const lmb_graph *graph, uint32_t mask, lmb_error *error) {
    return mask == LMB_NONE || mask < graph->mask_count
               ? LMB_OK
               : lmb_fail(error, LMB_ERROR_ARGUMENT, "ragdoll: there is no mask %u: the graph has %u", (unsigned)mask,
                          (unsigned)graph->mask_count);
}

static lmb_result check(const lmb_ragdoll_info *info, lmb_error *error) {
    const char *missing = info == NULL                                        ? "the info"
                          : info->graph == NULL                               ? "the graph"
                          : info->character_count > 0 && info->models == NULL ? "the list of models"
                          : info->character_count > 0 && info->poses == NULL  ? "the list of poses"
                                                                              : NULL;
    return missing != NULL ? lmb_fail(error, LMB_ERROR_ARGUMENT, "ragdoll: %s is NULL", missing)
                           : lmb_ragdoll_check_mask(info->graph, info->mask, error);
}

static LMB_NOINLINE void run(const lmb_ragdoll_info *info) {
    const size_t pose_floats = info->graph->program[FIELD(PROGRAM, pose_floats)];
    const size_t model_floats = (size_t)info->graph->info.joint_count * MATRIX_COMPONENTS;
    uint32_t refused = 0;
    for (size_t i = 0; i < info->character_count; i++) {
        // Each character has its own arrays here, so that no index exceeds 32 bits.
        refused += place_bodies(
            (ragdoll){.program = info->graph->program,
                      .animated = info->animated != NULL ? (memory)(info->animated + i * pose_floats) : NULL,
                      .models = (mutable_memory)(info->models + i * model_floats),
                      .poses = (mutable_memory)(info->poses + i * pose_floats),
                      .is_animated = info->animated != NULL,
                      .has_mask = info->mask != LMB_NONE,
                      .mask = lmb_ragdoll_mask(info->graph, info->mask),
                      .character = 0});
    }
    if (info->refused_sums != NULL) {
        info->refused_sums[LMB_REFUSED_POSE] += refused;
    }
}

lmb_result lmb_ragdoll_run(const lmb_ragdoll_info *info, lmb_error *error) {
    const lmb_result result = check(info, error);
    if (result == LMB_OK) {
        lmb_environment callers;
        lmb_environment_enter(&callers);
        run(info);
        lmb_environment_leave(&callers);
    }
    return result;
}
