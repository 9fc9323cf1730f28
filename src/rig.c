#include "rig.h"

#include "environment.h"
#include "value.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

lmb_joint_def lmb_default_joint_def(void) {
    return (lmb_joint_def){.parent = LMB_NONE, .rest = lmb_transform_identity(), .inverse_bind = lmb_affine_identity()};
}

// What joint `index` of a descriptor is called: its own name, or one made up in `made`.
static const char *name_in_def(const lmb_rig_def *def, uint32_t index, char made[24]) {
    const char *name = def->joints[index].name;
    if (name != NULL && name[0] != '\0') {
        return name;
    }
    snprintf(made, 24, "joint_%u", (unsigned)index);
    return made;
}

static lmb_result check_joint(const lmb_rig_def *def, uint32_t index, lmb_error *error) {
    const lmb_joint_def *joint = &def->joints[index];
    char made[24];
    const char *name = name_in_def(def, index, made);
    if (joint->parent != LMB_NONE && joint->parent >= def->joint_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: joint %u '%s': parent %u is out of range (%u joints)",
                        (unsigned)index, name, (unsigned)joint->parent, (unsigned)def->joint_count);
    }
    const struct {
        const char *field;
        const float *values;
        size_t count;
    } fields[] = {{"translation", joint->rest.translation, 3},
                  {"rotation", joint->rest.rotation, 4},
                  {"scale", joint->rest.scale, 3},
                  {"inverse bind matrix", &joint->inverse_bind.m[0][0], joint->has_inverse_bind ? 12 : 0}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        size_t offender;
        if (!lmb_usable(fields[i].values, fields[i].count, &offender)) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT,
                            "rig: joint %u '%s': %s[%u] is %g, not a finite number up to 2^40", (unsigned)index, name,
                            fields[i].field, (unsigned)offender, (double)fields[i].values[offender]);
        }
    }
    float unit[4];
    if (!lmb_normalize_rotation(joint->rest.rotation, unit)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: joint %u '%s': rotation is zero", (unsigned)index, name);
    }
    return LMB_OK;
}

// Gives every joint its index in the rig, parents first, by walking up from each joint to the first ancestor that has
// one and numbering the way back down. `way` is scratch for one index per joint.
static lmb_result order_joints(const lmb_rig_def *def, uint32_t *of_def, uint32_t *way, lmb_error *error) {
    for (uint32_t i = 0; i < def->joint_count; i++) {
        of_def[i] = LMB_NONE;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < def->joint_count; i++) {
        uint32_t length = 0;
        for (uint32_t at = i; at != LMB_NONE && of_def[at] == LMB_NONE; at = def->joints[at].parent) {
            if (length == def->joint_count) {
                char made[24];
                return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: joint %u '%s': its parents form a cycle", (unsigned)i,
                                name_in_def(def, i, made));
            }
            way[length++] = at;
        }
        while (length > 0) {
            of_def[way[--length]] = next++;
        }
    }
    return LMB_OK;
}

static lmb_result allocate(const lmb_rig_def *def, const lmb_host *host, lmb_rig **created, lmb_error *error) {
    size_t text = 0;
    for (uint32_t i = 0; i < def->joint_count; i++) {
        char made[24];
        text += strlen(name_in_def(def, i, made)) + 1;
    }
    lmb_rig *rig = lmb_host_allocate(host, 1, sizeof *rig);
    if (rig != NULL) {
        rig->host = *host;
        rig->joint_count = def->joint_count;
        rig->parents = lmb_host_allocate(host, def->joint_count, sizeof *rig->parents);
        rig->rest = lmb_host_allocate(host, def->joint_count, sizeof *rig->rest);
        rig->inverse_bind = lmb_host_allocate(host, def->joint_count, sizeof *rig->inverse_bind);
        rig->of_def = lmb_host_allocate(host, def->joint_count, sizeof *rig->of_def);
        rig->names = lmb_host_allocate(host, def->joint_count, sizeof *rig->names);
        rig->text = lmb_host_allocate(host, text, 1);
    }
    if (rig == NULL || rig->parents == NULL || rig->rest == NULL || rig->inverse_bind == NULL || rig->of_def == NULL ||
        rig->names == NULL || rig->text == NULL) {
        lmb_rig_destroy(rig);
        return lmb_fail(error, LMB_ERROR_MEMORY, "rig: no memory for %u joints", (unsigned)def->joint_count);
    }
    *created = rig;
    return LMB_OK;
}

static lmb_transform snapped_rest(const lmb_transform *given) {
    lmb_transform rest = *given;
    lmb_normalize_rotation(given->rotation, rest.rotation);
    for (int i = 0; i < 3; i++) {
        rest.translation[i] = snap(rest.translation[i]);
        rest.scale[i] = snap(rest.scale[i]);
    }
    return rest;
}

static void copy_joints(lmb_rig *rig, const lmb_rig_def *def) {
    char *text = rig->text;
    for (uint32_t i = 0; i < def->joint_count; i++) {
        const lmb_joint_def *from = &def->joints[i];
        uint32_t to = rig->of_def[i];
        rig->parents[to] = from->parent == LMB_NONE ? LMB_NONE : rig->of_def[from->parent];
        rig->rest[to] = snapped_rest(&from->rest);
        if (from->has_inverse_bind) {
            rig->inverse_bind[to] = lmb_from_op_affine(snap_affine(lmb_to_op_affine(from->inverse_bind)));
        }
        char made[24];
        const char *name = name_in_def(def, i, made);
        size_t size = strlen(name) + 1;
        rig->names[to] = memcpy(text, name, size);
        text += size;
    }
}

// Depth, and the inverse bind matrices that the descriptor leaves to the rest pose. `models` and `depths` are scratch.
static LMB_NOINLINE lmb_result derive(lmb_rig *rig, const lmb_rig_def *def, lmb_affine *models, uint32_t *depths,
                                      lmb_error *error) {
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        uint32_t parent = rig->parents[i];
        models[i] = lmb_affine_from_transform(rig->rest[i]);
        depths[i] = 1;
        if (parent != LMB_NONE) {
            models[i] = lmb_affine_multiply(models[parent], models[i]);
            depths[i] = depths[parent] + 1;
        }
        if (depths[i] > rig->depth) {
            rig->depth = depths[i];
        }
    }
    for (uint32_t i = 0; i < def->joint_count; i++) {
        uint32_t joint = rig->of_def[i];
        if (!def->joints[i].has_inverse_bind && !lmb_affine_invert(models[joint], &rig->inverse_bind[joint])) {
            return lmb_fail(
                error, LMB_ERROR_ARGUMENT,
                "rig: joint %u '%s': the rest pose's model matrix has no inverse, and no inverse bind matrix "
                "is given",
                (unsigned)i, rig->names[joint]);
        }
    }
    return LMB_OK;
}

static LMB_NOINLINE lmb_result fill(lmb_rig *rig, const lmb_rig_def *def, lmb_error *error) {
    lmb_affine *models = lmb_host_allocate(&rig->host, def->joint_count, sizeof *models);
    uint32_t *scratch = lmb_host_allocate(&rig->host, def->joint_count, sizeof *scratch);
    lmb_result result;
    if (models == NULL || scratch == NULL) {
        result = lmb_fail(error, LMB_ERROR_MEMORY, "rig: no memory for %u joints", (unsigned)def->joint_count);
    } else {
        result = order_joints(def, rig->of_def, scratch, error);
    }
    if (result == LMB_OK) {
        copy_joints(rig, def);
        result = derive(rig, def, models, scratch, error);
    }
    lmb_host_release(&rig->host, models);
    lmb_host_release(&rig->host, scratch);
    return result;
}

lmb_result lmb_rig_create(const lmb_rig_def *def, const lmb_host *host, lmb_rig **rig, lmb_error *error) {
    if (rig == NULL || def == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: %s is NULL", rig == NULL ? "the result" : "the descriptor");
    }
    *rig = NULL;
    if (def->joint_count == 0 || def->joints == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: there are no joints");
    }
    if (def->joint_count > LMB_MAX_JOINTS) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "rig: %u joints, and at most %u are possible",
                        (unsigned)def->joint_count, LMB_MAX_JOINTS);
    }
    fenv_t callers;
    lmb_environment_enter(&callers);
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < def->joint_count && result == LMB_OK; i++) {
        result = check_joint(def, i, error);
    }
    lmb_host resolved = lmb_host_resolve(host);
    lmb_rig *created = NULL;
    if (result == LMB_OK) {
        result = allocate(def, &resolved, &created, error);
    }
    if (result == LMB_OK) {
        result = fill(created, def, error);
    }
    lmb_environment_leave(&callers);
    if (result != LMB_OK) {
        lmb_rig_destroy(created);
        return result;
    }
    *rig = created;
    return LMB_OK;
}

void lmb_rig_destroy(lmb_rig *rig) {
    if (rig == NULL) {
        return;
    }
    lmb_host host = rig->host;
    lmb_host_release(&host, rig->parents);
    lmb_host_release(&host, rig->rest);
    lmb_host_release(&host, rig->inverse_bind);
    lmb_host_release(&host, rig->of_def);
    lmb_host_release(&host, rig->names);
    lmb_host_release(&host, rig->text);
    lmb_host_release(&host, rig);
}

uint32_t lmb_rig_joint_count(const lmb_rig *rig) {
    return rig->joint_count;
}

uint32_t lmb_rig_joint_of_def(const lmb_rig *rig, uint32_t def_index) {
    return def_index < rig->joint_count ? rig->of_def[def_index] : LMB_NONE;
}

uint32_t lmb_rig_find_joint(const lmb_rig *rig, const char *name) {
    for (uint32_t i = 0; name != NULL && i < rig->joint_count; i++) {
        if (strcmp(rig->names[i], name) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

const char *lmb_rig_joint_name(const lmb_rig *rig, uint32_t joint) {
    assert(joint < rig->joint_count);
    return rig->names[joint];
}

uint32_t lmb_rig_joint_parent(const lmb_rig *rig, uint32_t joint) {
    assert(joint < rig->joint_count);
    return rig->parents[joint];
}

lmb_transform lmb_rig_joint_rest(const lmb_rig *rig, uint32_t joint) {
    assert(joint < rig->joint_count);
    return rig->rest[joint];
}

lmb_affine lmb_rig_joint_inverse_bind(const lmb_rig *rig, uint32_t joint) {
    assert(joint < rig->joint_count);
    return rig->inverse_bind[joint];
}

uint32_t lmb_rig_depth(const lmb_rig *rig) {
    return rig->depth;
}
