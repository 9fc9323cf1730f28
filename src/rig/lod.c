// Checks, suggests and stores the max lod of each joint.
//
// The suggestion is by size. The reach of a joint is how far from it the skin and the joints below it extend in the
// rest pose. A level drops joints below a reach, which doubles from each level to the next. Extra joints do not make a
// skeleton larger, but are kept as long as their vertices need.
//
// The table lists joints by descending max lod. The joints that a level computes are then the first ones, and a count
// describes them.
#include "lod.h"

#include "base/float_environment.h"
#include "math/matrix.h"
#include "rig.h"

#include "../../shaders/ops/layout.h"

#include <math.h>
#include <string.h>

#define LAST_LEVEL (LMB_MAX_LODS - 1u)

_Static_assert(LMB_MAX_LODS == LOD_COUNT && WORDS_OF(LOD) == FIELD(LOD, counts) + LOD_COUNT,
               "the kernels know another number of levels");

lmb_result lmb_rig_check_max_lods(const lmb_rig *rig, const uint8_t *max_lods, lmb_error *error) {
    if (rig == NULL || max_lods == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "max_lods: %s is NULL", rig == NULL ? "the rig" : "the table");
    }
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        uint32_t parent = rig->def.joints[joint].parent;
        uint32_t last = max_lods[joint];
        if (last > LAST_LEVEL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT,
                            "max_lods: joint %u '%.80s': %u is above %u, the last level of detail", (unsigned)joint,
                            rig->def.joints[joint].name, (unsigned)last, LAST_LEVEL);
        }
        if (parent == LMB_NONE && last != LAST_LEVEL) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "max_lods: joint %u '%.80s': a root's is %u, and this is %u",
                            (unsigned)joint, rig->def.joints[joint].name, LAST_LEVEL, (unsigned)last);
        }
        if (parent != LMB_NONE && last > max_lods[parent]) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT,
                            "max_lods: joint %u '%.80s': %u, but its parent '%.80s' is dropped after %u",
                            (unsigned)joint, rig->def.joints[joint].name, (unsigned)last, rig->def.joints[parent].name,
                            (unsigned)max_lods[parent]);
        }
    }
    return LMB_OK;
}

// Returns the length of the longest column. If the matrix does not shear, this bounds how much it lengthens what is in
// the joint's space.
static double growth_of(lmb_affine model) {
    double longest = 0.0;
    for (int column = 0; column < 3; column++) {
        double square = 0.0;
        for (int row = 0; row < 3; row++) {
            square += (double)model.m[row][column] * (double)model.m[row][column];
        }
        longest = square > longest ? square : longest;
    }
    return sqrt(longest);
}

static double distance_between(lmb_affine a, lmb_affine b) {
    double way[3];
    for (int row = 0; row < 3; row++) {
        way[row] = (double)a.m[row][3] - (double)b.m[row][3];
    }
    return lmb_length(way);
}

static LMB_NOINLINE void find_models(const lmb_rig *rig, lmb_affine *models) {
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        uint32_t parent = rig->def.joints[joint].parent;
        models[joint] = lmb_affine_from_transform(rig->def.joints[joint].rest);
        if (parent != LMB_NONE) {
            models[joint] = lmb_affine_multiply(models[parent], models[joint]);
        }
    }
}

// Finds how far the geometry and joints below each joint reach; negative where there is neither. Extra joints without
// vertices never count, those with vertices only if `with_extras` is set.
static LMB_NOINLINE void find_reach(const lmb_rig *rig, const lmb_affine *models, bool with_extras, double *reach) {
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        const float radius = rig->binds[joint].radius;
        const bool counts = radius >= 0.0f && (with_extras || !rig->def.joints[joint].is_extra);
        reach[joint] = counts ? (double)radius * growth_of(models[joint]) : -1.0;
    }
    for (uint32_t joint = rig->def.joint_count; joint-- > 0;) {
        uint32_t parent = rig->def.joints[joint].parent;
        if (parent != LMB_NONE && reach[joint] >= 0.0) {
            double way = distance_between(models[joint], models[parent]) + reach[joint];
            reach[parent] = way > reach[parent] ? way : reach[parent];
        }
    }
}

static double max_of(const double *values, uint32_t count) {
    double most = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        most = values[i] > most ? values[i] : most;
    }
    return most;
}

static uint8_t max_lod_of(double reach, double size) {
    uint8_t level = 0;
    while (level < LAST_LEVEL && reach >= ldexp(size, (int)level + 1 - (int)LMB_MAX_LODS)) {
        level++;
    }
    return level;
}

lmb_result lmb_rig_suggest_max_lods(const lmb_rig *rig, const lmb_host *host, uint8_t *max_lods, lmb_error *error) {
    if (rig == NULL || max_lods == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "max_lods: %s is NULL", rig == NULL ? "the rig" : "the table");
    }
    lmb_host resolved = lmb_host_resolve(host);
    lmb_arena memory = {.host = &resolved};
    lmb_affine *models = lmb_arena_allocate(&memory, rig->def.joint_count, sizeof *models);
    double *reach = lmb_arena_allocate(&memory, rig->def.joint_count, sizeof *reach);
    if (memory.failed) {
        lmb_arena_release(&memory);
        return lmb_fail(error, LMB_ERROR_MEMORY, "max_lods: no memory for %u joints", (unsigned)rig->def.joint_count);
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    find_models(rig, models);
    find_reach(rig, models, false, reach);
    const double size = max_of(reach, rig->def.joint_count); // of the skeleton
    find_reach(rig, models, true, reach);
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        max_lods[joint] =
            rig->def.joints[joint].parent == LMB_NONE ? (uint8_t)LAST_LEVEL : max_lod_of(reach[joint], size);
    }
    lmb_environment_leave(&callers);
    lmb_arena_release(&memory);
    return LMB_OK;
}

uint32_t lmb_lod_words(const lmb_rig *rig) {
    return WORDS_OF(LOD) + rig->def.joint_count + (rig->def.joint_count + 3) / 4;
}

void lmb_lod_write(const lmb_rig *rig, const uint8_t *max_lods, uint32_t weight, uint32_t *table) {
    uint32_t *order = table + WORDS_OF(LOD);
    uint32_t placed = 0;
    table[FIELD(LOD, weight)] = weight;
    for (uint32_t level = LMB_MAX_LODS; level-- > 0;) {
        for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
            if (max_lods[joint] == level) {
                order[placed++] = joint;
            }
        }
        table[FIELD(LOD, counts) + level] = placed;
    }
    memcpy(order + rig->def.joint_count, max_lods, rig->def.joint_count);
}
