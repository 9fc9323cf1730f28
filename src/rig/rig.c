// Creates rigs. Joints may come in any order. They are sorted so that parents come before their children, because every
// loop over a hierarchy relies on that. Joints keep their order as far as this allows, and of_def maps the descriptor's
// indices to the rig's.
//
// Checks come before allocations. Inverse bind matrices that are not given are derived from the rest pose, with the
// arithmetic of a frame.
#include "rig.h"

#include "base/float_environment.h"
#include "math/value.h"

#include "../../shaders/ops/number.h"
#include "../../shaders/ops/outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(lmb_bind) == BIND_COMPONENTS * sizeof(float),
               "a bind pose is not laid out as the kernels read it");

// The part of a rig that a check or a name belongs to: "joint 3 'hand'".
typedef struct part {
    const char *kind;
    uint32_t index;
    const char *name; // its own, or `made`
    char made[24];
} part;

static const char *name_part(part *p, const char *kind, uint32_t index, const char *name) {
    *p = (part){.kind = kind, .index = index, .name = name};
    if (name == NULL || name[0] == '\0') {
        snprintf(p->made, sizeof p->made, "%s_%u", kind, (unsigned)index);
        p->name = p->made;
    }
    return p->name;
}

typedef struct field {
    const char *name;
    const float *values;
    size_t count;
} field;

// Checks return false if they fail, and store the error, which is not NULL.
static bool check_fields(const part *p, const field *fields, size_t count, lmb_error *error) {
    for (size_t i = 0; i < count; i++) {
        size_t offender;
        if (!lmb_usable(fields[i].values, fields[i].count, &offender)) {
            return lmb_refuse(
                error, LMB_ERROR_ARGUMENT, "rig: %s %u '%s': %s[%u] is %g, not a finite number up to 2^40", p->kind,
                (unsigned)p->index, p->name, fields[i].name, (unsigned)offender, (double)fields[i].values[offender]);
        }
    }
    return true;
}

static bool is_unit(const float *q) {
    double square = 0.0;
    for (int i = 0; i < 4; i++) {
        square += (double)q[i] * (double)q[i];
    }
    return fabs(square - 1.0) <= 2e-6;
}

static bool check_rotation(const part *p, const float *rotation, bool is_normalised, lmb_error *error) {
    float unit[4];
    const char *fault = is_normalised && !is_unit(rotation)       ? "not normalised, as it says"
                        : !lmb_normalize_rotation(rotation, unit) ? "zero"
                                                                  : NULL;
    return fault == NULL || lmb_refuse(error, LMB_ERROR_ARGUMENT, "rig: %s %u '%s': rotation is %s", p->kind,
                                       (unsigned)p->index, p->name, fault);
}

// Checks the index of a joint that a joint or socket names in `field`.
static bool check_index(const part *p, const char *field, uint32_t joint, const lmb_rig_def *def, lmb_error *error) {
    return joint < def->joint_count ||
           lmb_refuse(error, LMB_ERROR_ARGUMENT, "rig: %s %u '%s': %s %u is out of range (%u joints)", p->kind,
                      (unsigned)p->index, p->name, field, (unsigned)joint, (unsigned)def->joint_count);
}

static bool check_joint(const lmb_rig_def *def, uint32_t index, lmb_error *error) {
    const lmb_joint_def *joint = &def->joints[index];
    const field fields[] = {{"translation", joint->rest.translation, 3},
                            {"rotation", joint->rest.rotation, 4},
                            {"scale", joint->rest.scale, 3},
                            {"inverse bind matrix", &joint->inverse_bind.m[0][0], joint->has_inverse_bind ? 12 : 0},
                            {"radius", &joint->radius, 1}};
    part p;
    name_part(&p, "joint", index, joint->name);
    return (joint->parent == LMB_NONE || check_index(&p, "parent", joint->parent, def, error)) &&
           check_fields(&p, fields, sizeof fields / sizeof fields[0], error) &&
           (joint->radius >= 0.0f || lmb_refuse(error, LMB_ERROR_ARGUMENT, "rig: joint %u '%s': radius %g is negative",
                                                (unsigned)index, p.name, (double)joint->radius)) &&
           check_rotation(&p, joint->rest.rotation, joint->is_normalised, error);
}

static bool check_socket(const lmb_rig_def *def, uint32_t index, lmb_error *error) {
    const lmb_socket_def *socket = &def->sockets[index];
    const field fields[] = {{"translation", socket->local.translation, 3},
                            {"rotation", socket->local.rotation, 4},
                            {"scale", socket->local.scale, 3}};
    part p;
    name_part(&p, "socket", index, socket->name);
    return check_index(&p, "joint", socket->joint, def, error) &&
           check_fields(&p, fields, sizeof fields / sizeof fields[0], error) &&
           check_rotation(&p, socket->local.rotation, socket->is_normalised, error);
}

static bool check_channel(const lmb_rig_def *def, uint32_t index, lmb_error *error) {
    const field rest = {"rest", &def->channels[index].rest, 1};
    part p;
    name_part(&p, "channel", index, def->channels[index].name);
    return check_fields(&p, &rest, 1, error);
}

static bool check_def(const lmb_rig_def *def, lmb_error *error) {
    bool valid = (def->joint_count > 0 || def->channel_count > 0 ||
                  lmb_refuse(error, LMB_ERROR_ARGUMENT, "rig: there are no joints")) &&
                 lmb_check_list(error, "rig", "joints", def->joints, def->joint_count, LMB_MAX_JOINTS) &&
                 lmb_check_list(error, "rig", "sockets", def->sockets, def->socket_count, LMB_MAX_SOCKETS) &&
                 lmb_check_list(error, "rig", "channels", def->channels, def->channel_count, LMB_MAX_CHANNELS);
    for (uint32_t i = 0; i < def->joint_count && valid; i++) {
        valid = check_joint(def, i, error);
    }
    for (uint32_t i = 0; i < def->socket_count && valid; i++) {
        valid = check_socket(def, i, error);
    }
    for (uint32_t i = 0; i < def->channel_count && valid; i++) {
        valid = check_channel(def, i, error);
    }
    return valid;
}

// Gives every joint its index in the rig, parents first. Walks up from each joint to the first ancestor that has an
// index, and numbers the joints on the way back down. `way` is scratch memory for one index per joint.
static bool order_joints(const lmb_rig_def *def, uint32_t *of_def, uint32_t *way, lmb_error *error) {
    for (uint32_t i = 0; i < def->joint_count; i++) {
        of_def[i] = LMB_NONE;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < def->joint_count; i++) {
        uint32_t length = 0;
        for (uint32_t at = i; at != LMB_NONE && of_def[at] == LMB_NONE; at = def->joints[at].parent) {
            if (length == def->joint_count) {
                part p;
                return lmb_refuse(error, LMB_ERROR_ARGUMENT, "rig: joint %u '%s': its parents form a cycle",
                                  (unsigned)i, name_part(&p, "joint", i, def->joints[i].name));
            }
            way[length++] = at;
        }
        while (length > 0) {
            of_def[way[--length]] = next++;
        }
    }
    return true;
}

static size_t text_size(const lmb_rig_def *def) {
    size_t size = 0;
    part p;
    for (uint32_t i = 0; i < def->joint_count; i++) {
        size += strlen(name_part(&p, "joint", i, def->joints[i].name)) + 1;
    }
    for (uint32_t i = 0; i < def->socket_count; i++) {
        size += strlen(name_part(&p, "socket", i, def->sockets[i].name)) + 1;
    }
    for (uint32_t i = 0; i < def->channel_count; i++) {
        size += strlen(name_part(&p, "channel", i, def->channels[i].name)) + 1;
    }
    return size;
}

// Returns NULL if there is no memory.
static lmb_rig *allocate(const lmb_rig_def *def, const lmb_host *host) {
    lmb_rig *rig = lmb_host_allocate(host, 1, sizeof *rig);
    if (rig == NULL) {
        return NULL;
    }
    rig->host = *host;
    rig->memory.host = &rig->host;
    rig->joints = lmb_arena_allocate(&rig->memory, def->joint_count, sizeof *rig->joints);
    rig->parents = lmb_arena_allocate(&rig->memory, def->joint_count, sizeof *rig->parents);
    rig->rest = lmb_arena_allocate(&rig->memory, def->joint_count, sizeof *rig->rest);
    rig->binds = lmb_arena_allocate(&rig->memory, def->joint_count, sizeof *rig->binds);
    rig->of_def = lmb_arena_allocate(&rig->memory, def->joint_count, sizeof *rig->of_def);
    return rig;
}

static lmb_transform snapped_transform(const lmb_transform *given, bool is_normalised) {
    lmb_transform snapped = lmb_snap_transform(given);
    for (int i = 0; i < 4 && is_normalised; i++) {
        snapped.rotation[i] = snap(given->rotation[i]);
    }
    return snapped;
}

static char *copy_name(const char *kind, uint32_t index, const char *given, char **text) {
    part p;
    const char *name = name_part(&p, kind, index, given);
    size_t size = strlen(name) + 1;
    char *copy = memcpy(*text, name, size);
    *text += size;
    return copy;
}

static void copy_joints(lmb_rig *rig, const lmb_rig_def *def, char **text) {
    for (uint32_t i = 0; i < def->joint_count; i++) {
        const lmb_joint_def *from = &def->joints[i];
        const uint32_t to = rig->of_def[i];
        lmb_joint_def *joint = &rig->joints[to];
        *joint = *from;
        joint->name = copy_name("joint", i, from->name, text);
        joint->parent = from->parent == LMB_NONE ? LMB_NONE : rig->of_def[from->parent];
        joint->rest = snapped_transform(&from->rest, from->is_normalised);
        joint->is_normalised = true;
        if (from->has_inverse_bind) {
            joint->inverse_bind = lmb_from_op_affine(snap_affine(lmb_to_op_affine(from->inverse_bind)));
        }
        joint->radius = snap(from->radius);
        rig->parents[to] = joint->parent;
        rig->rest[to] = joint->rest;
        rig->binds[to].radius = from->is_extra && joint->radius == 0.0f ? OUTSIDE_BOUNDS : joint->radius;
    }
}

static void copy_sockets(const lmb_rig *rig, const lmb_rig_def *def, lmb_socket_def *sockets, char **text) {
    for (uint32_t i = 0; i < def->socket_count; i++) {
        const lmb_socket_def *from = &def->sockets[i];
        sockets[i] = (lmb_socket_def){.name = copy_name("socket", i, from->name, text),
                                      .joint = rig->of_def[from->joint],
                                      .local = snapped_transform(&from->local, from->is_normalised),
                                      .is_normalised = true};
    }
}

static void copy_channels(const lmb_rig_def *def, lmb_channel_def *channels, char **text) {
    for (uint32_t i = 0; i < def->channel_count; i++) {
        const lmb_channel_def *from = &def->channels[i];
        channels[i] = (lmb_channel_def){.name = copy_name("channel", i, from->name, text),
                                        .rest = from->angle ? wrap_degrees(snap(from->rest)) : snap(from->rest),
                                        .angle = from->angle};
    }
}

// Uses the same arithmetic as a frame, so that a rig without bind matrices of its own has no motion in its rest pose.
static void derive_bind(const lmb_affine *inverse_bind, lmb_bind *bind) {
    lmb_affine matrix;
    bool has_inverse = lmb_affine_invert(*inverse_bind, &matrix);
    affine pose = lmb_to_op_affine(has_inverse ? matrix : lmb_affine_identity());
    found_rotation found = affine_rotation(pose);
    quaternion rotation = found.lost ? identity_transform().q : found.q;
    const float inverse[4] = {snap(-rotation.x), snap(-rotation.y), snap(-rotation.z), rotation.w};
    const float position[3] = {pose.xt, pose.yt, pose.zt};
    memcpy(bind->inverse_rotation, inverse, sizeof inverse);
    memcpy(bind->position, position, sizeof position);
}

// Finds the depth, the inverse bind matrices that the descriptor leaves to the rest pose, and the data derived from
// them. `models` and `depths` are scratch memory.
static LMB_NOINLINE bool derive(lmb_rig *rig, const lmb_rig_def *def, lmb_affine *models, uint32_t *depths,
                                lmb_error *error) {
    for (uint32_t i = 0; i < def->joint_count; i++) {
        const uint32_t parent = rig->joints[i].parent;
        models[i] = lmb_affine_from_transform(rig->joints[i].rest);
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
        const uint32_t index = rig->of_def[i];
        lmb_joint_def *joint = &rig->joints[index];
        if (!joint->has_inverse_bind && !lmb_affine_invert(models[index], &joint->inverse_bind)) {
            return lmb_refuse(
                error, LMB_ERROR_ARGUMENT,
                "rig: joint %u '%s': the rest pose's model matrix has no inverse, and no inverse bind matrix "
                "is given",
                (unsigned)i, joint->name);
        }
        joint->has_inverse_bind = true;
        derive_bind(&joint->inverse_bind, &rig->binds[index]);
    }
    return true;
}

static bool no_memory(const lmb_rig_def *def, lmb_error *error) {
    return lmb_refuse(error, LMB_ERROR_MEMORY, "rig: no memory for %u joints", (unsigned)def->joint_count);
}

static LMB_NOINLINE bool fill(lmb_rig *rig, const lmb_rig_def *def, lmb_error *error) {
    lmb_arena memory = {.host = &rig->host};
    lmb_affine *models = lmb_arena_allocate(&memory, def->joint_count, sizeof *models);
    uint32_t *scratch = lmb_arena_allocate(&memory, def->joint_count, sizeof *scratch);
    lmb_socket_def *sockets = lmb_arena_allocate(&rig->memory, def->socket_count, sizeof *sockets);
    lmb_channel_def *channels = lmb_arena_allocate(&rig->memory, def->channel_count, sizeof *channels);
    char *text = lmb_arena_allocate(&rig->memory, text_size(def), 1);
    bool valid = (!memory.failed && !rig->memory.failed) || no_memory(def, error);
    valid = valid && order_joints(def, rig->of_def, scratch, error);
    if (valid) {
        copy_joints(rig, def, &text);
        copy_sockets(rig, def, sockets, &text);
        copy_channels(def, channels, &text);
        rig->def = (lmb_rig_def){.joints = rig->joints,
                                 .joint_count = def->joint_count,
                                 .sockets = sockets,
                                 .socket_count = def->socket_count,
                                 .channels = channels,
                                 .channel_count = def->channel_count};
        valid = derive(rig, def, models, scratch, error);
    }
    lmb_arena_release(&memory);
    return valid;
}

static bool create(const lmb_rig_def *def, const lmb_host *host, lmb_rig **created, lmb_error *error) {
    if (!check_def(def, error)) {
        return false;
    }
    *created = allocate(def, host);
    return *created != NULL ? fill(*created, def, error) : no_memory(def, error);
}

lmb_result lmb_rig_create(const lmb_rig_def *def, const lmb_host *host, lmb_rig **rig, lmb_error *error) {
    lmb_error unread;
    error = error != NULL ? error : &unread;
    if (rig != NULL) {
        *rig = NULL;
    }
    if (rig == NULL || def == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: %s is NULL", rig == NULL ? "the result" : "the descriptor");
    }
    const lmb_host resolved = lmb_host_resolve(host);
    lmb_rig *created = NULL;
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const bool valid = create(def, &resolved, &created, error);
    lmb_environment_leave(&callers);
    if (!valid) {
        lmb_rig_destroy(created);
        return error->result;
    }
    *rig = created;
    return LMB_OK;
}

void lmb_rig_grow_radius(lmb_rig *rig, uint32_t joint, float radius) {
    float snapped = snap(radius);
    if (snapped > rig->binds[joint].radius) {
        rig->binds[joint].radius = snapped;
        rig->joints[joint].radius = snapped;
    }
}

void lmb_rig_destroy(lmb_rig *rig) {
    if (rig == NULL) {
        return;
    }
    lmb_host host = rig->host;
    lmb_arena_release(&rig->memory);
    lmb_host_release(&host, rig);
}

const lmb_rig_def *lmb_rig_get_def(const lmb_rig *rig) {
    return &rig->def;
}

uint32_t lmb_rig_joint_of_def(const lmb_rig *rig, uint32_t def_index) {
    return def_index < rig->def.joint_count ? rig->of_def[def_index] : LMB_NONE;
}

uint32_t lmb_rig_find_joint(const lmb_rig *rig, const char *name) {
    for (uint32_t i = 0; name != NULL && i < rig->def.joint_count; i++) {
        if (strcmp(rig->def.joints[i].name, name) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

uint32_t lmb_rig_find_socket(const lmb_rig *rig, const char *name) {
    for (uint32_t i = 0; name != NULL && i < rig->def.socket_count; i++) {
        if (strcmp(rig->def.sockets[i].name, name) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

uint32_t lmb_rig_find_channel(const lmb_rig *rig, const char *name) {
    for (uint32_t i = 0; name != NULL && i < rig->def.channel_count; i++) {
        if (strcmp(rig->def.channels[i].name, name) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

uint32_t lmb_rig_depth(const lmb_rig *rig) {
    return rig->depth;
}
