#include "rig.h"

#include "float_environment.h"
#include "value.h"

#include "../shaders/ops/number.h"
#include "../shaders/ops/outputs.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(lmb_bind) == BIND_COMPONENTS * sizeof(float),
               "a bind pose is not laid out as the kernels read it");

lmb_joint_def lmb_default_joint_def(void) {
    return (lmb_joint_def){.parent = LMB_NONE, .rest = lmb_transform_identity(), .inverse_bind = lmb_affine_identity()};
}

lmb_socket_def lmb_default_socket_def(void) {
    return (lmb_socket_def){.local = lmb_transform_identity()};
}

static const char *given_or_made(const char *name, const char *kind, uint32_t index, char made[24]) {
    if (name != NULL && name[0] != '\0') {
        return name;
    }
    snprintf(made, 24, "%s_%u", kind, (unsigned)index);
    return made;
}

// Returns the name of joint `index` of a descriptor: its own name, or one generated in `made`.
static const char *name_in_def(const lmb_rig_def *def, uint32_t index, char made[24]) {
    return given_or_made(def->joints[index].name, "joint", index, made);
}

static const char *socket_name_in_def(const lmb_rig_def *def, uint32_t index, char made[24]) {
    return given_or_made(def->sockets[index].name, "socket", index, made);
}

static const char *channel_name_in_def(const lmb_rig_def *def, uint32_t index, char made[24]) {
    return given_or_made(def->channels[index].name, "channel", index, made);
}

typedef struct field {
    const char *name;
    const float *values;
    size_t count;
} field;

static lmb_result check_fields(const char *kind, uint32_t index, const char *name, const field *fields, size_t count,
                               lmb_error *error) {
    for (size_t i = 0; i < count; i++) {
        size_t offender;
        if (!lmb_usable(fields[i].values, fields[i].count, &offender)) {
            return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: %s %u '%s': %s[%u] is %g, not a finite number up to 2^40",
                            kind, (unsigned)index, name, fields[i].name, (unsigned)offender,
                            (double)fields[i].values[offender]);
        }
    }
    return LMB_OK;
}

static bool is_unit(const float *q) {
    double square = 0.0;
    for (int i = 0; i < 4; i++) {
        square += (double)q[i] * (double)q[i];
    }
    return fabs(square - 1.0) <= 2e-6;
}

static lmb_result check_rotation(const char *kind, uint32_t index, const char *name, const float *rotation,
                                 bool is_normalised, lmb_error *error) {
    float unit[4];
    if (is_normalised && !is_unit(rotation)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: %s %u '%s': rotation is not normalised, as it says", kind,
                        (unsigned)index, name);
    }
    if (!lmb_normalize_rotation(rotation, unit)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: %s %u '%s': rotation is zero", kind, (unsigned)index, name);
    }
    return LMB_OK;
}

static lmb_result check_joint(const lmb_rig_def *def, uint32_t index, lmb_error *error) {
    const lmb_joint_def *joint = &def->joints[index];
    char made[24];
    const char *name = name_in_def(def, index, made);
    if (joint->parent != LMB_NONE && joint->parent >= def->joint_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: joint %u '%s': parent %u is out of range (%u joints)",
                        (unsigned)index, name, (unsigned)joint->parent, (unsigned)def->joint_count);
    }
    const field fields[] = {{"translation", joint->rest.translation, 3},
                            {"rotation", joint->rest.rotation, 4},
                            {"scale", joint->rest.scale, 3},
                            {"inverse bind matrix", &joint->inverse_bind.m[0][0], joint->has_inverse_bind ? 12 : 0},
                            {"radius", &joint->radius, 1}};
    lmb_result result = check_fields("joint", index, name, fields, sizeof fields / sizeof fields[0], error);
    if (result == LMB_OK && joint->radius < 0.0f) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: joint %u '%s': radius %g is negative", (unsigned)index, name,
                        (double)joint->radius);
    }
    return result == LMB_OK ? check_rotation("joint", index, name, joint->rest.rotation, joint->is_normalised, error)
                            : result;
}

static lmb_result check_socket(const lmb_rig_def *def, uint32_t index, lmb_error *error) {
    const lmb_socket_def *socket = &def->sockets[index];
    char made[24];
    const char *name = socket_name_in_def(def, index, made);
    if (socket->joint >= def->joint_count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: socket %u '%s': joint %u is out of range (%u joints)",
                        (unsigned)index, name, (unsigned)socket->joint, (unsigned)def->joint_count);
    }
    const field fields[] = {{"translation", socket->local.translation, 3},
                            {"rotation", socket->local.rotation, 4},
                            {"scale", socket->local.scale, 3}};
    lmb_result result = check_fields("socket", index, name, fields, sizeof fields / sizeof fields[0], error);
    return result == LMB_OK
               ? check_rotation("socket", index, name, socket->local.rotation, socket->is_normalised, error)
               : result;
}

static lmb_result check_channel(const lmb_rig_def *def, uint32_t index, lmb_error *error) {
    char made[24];
    const field rest = {"rest", &def->channels[index].rest, 1};
    return check_fields("channel", index, channel_name_in_def(def, index, made), &rest, 1, error);
}

// Gives every joint its index in the rig, parents first. Walks up from each joint to the first ancestor that has an
// index, and numbers the joints on the way back down. `way` is scratch memory for one index per joint.
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
    for (uint32_t i = 0; i < def->socket_count; i++) {
        char made[24];
        text += strlen(socket_name_in_def(def, i, made)) + 1;
    }
    for (uint32_t i = 0; i < def->channel_count; i++) {
        char made[24];
        text += strlen(channel_name_in_def(def, i, made)) + 1;
    }
    lmb_rig *rig = lmb_host_allocate(host, 1, sizeof *rig);
    if (rig != NULL) {
        rig->host = *host;
        rig->joint_count = def->joint_count;
        rig->parents = lmb_host_allocate(host, def->joint_count, sizeof *rig->parents);
        rig->rest = lmb_host_allocate(host, def->joint_count, sizeof *rig->rest);
        rig->inverse_bind = lmb_host_allocate(host, def->joint_count, sizeof *rig->inverse_bind);
        rig->binds = lmb_host_allocate(host, def->joint_count, sizeof *rig->binds);
        rig->of_def = lmb_host_allocate(host, def->joint_count, sizeof *rig->of_def);
        rig->names = lmb_host_allocate(host, def->joint_count, sizeof *rig->names);
        rig->text = lmb_host_allocate(host, text, 1);
        rig->socket_count = def->socket_count;
        rig->sockets = lmb_host_allocate(host, def->socket_count, sizeof *rig->sockets);
        rig->channel_count = def->channel_count;
        rig->channels = lmb_host_allocate(host, def->channel_count, sizeof *rig->channels);
    }
    if (rig == NULL || rig->parents == NULL || rig->rest == NULL || rig->inverse_bind == NULL || rig->binds == NULL ||
        rig->of_def == NULL || rig->names == NULL || rig->text == NULL || rig->sockets == NULL ||
        rig->channels == NULL) {
        lmb_rig_destroy(rig);
        return lmb_fail(error, LMB_ERROR_MEMORY, "rig: no memory for %u joints", (unsigned)def->joint_count);
    }
    *created = rig;
    return LMB_OK;
}

static lmb_transform snapped_transform(const lmb_transform *given, bool is_normalised) {
    lmb_transform snapped = *given;
    lmb_normalize_rotation(given->rotation, snapped.rotation);
    for (int i = 0; i < 4 && is_normalised; i++) {
        snapped.rotation[i] = snap(given->rotation[i]);
    }
    for (int i = 0; i < 3; i++) {
        snapped.translation[i] = snap(snapped.translation[i]);
        snapped.scale[i] = snap(snapped.scale[i]);
    }
    return snapped;
}

static char *copy_name(const char *name, char **text) {
    size_t size = strlen(name) + 1;
    char *copy = memcpy(*text, name, size);
    *text += size;
    return copy;
}

static void copy_joints(lmb_rig *rig, const lmb_rig_def *def, char **text) {
    for (uint32_t i = 0; i < def->joint_count; i++) {
        const lmb_joint_def *from = &def->joints[i];
        uint32_t to = rig->of_def[i];
        rig->parents[to] = from->parent == LMB_NONE ? LMB_NONE : rig->of_def[from->parent];
        rig->rest[to] = snapped_transform(&from->rest, from->is_normalised);
        if (from->has_inverse_bind) {
            rig->inverse_bind[to] = lmb_from_op_affine(snap_affine(lmb_to_op_affine(from->inverse_bind)));
        }
        rig->binds[to].radius = snap(from->radius);
        char made[24];
        rig->names[to] = copy_name(name_in_def(def, i, made), text);
    }
}

static void copy_sockets(lmb_rig *rig, const lmb_rig_def *def, char **text) {
    for (uint32_t i = 0; i < def->socket_count; i++) {
        const lmb_socket_def *from = &def->sockets[i];
        char made[24];
        lmb_transform local = snapped_transform(&from->local, from->is_normalised);
        rig->sockets[i] = (lmb_socket){.name = copy_name(socket_name_in_def(def, i, made), text),
                                       .joint = rig->of_def[from->joint],
                                       .local = local,
                                       .matrix = lmb_affine_from_transform(local)};
    }
}

static void copy_channels(lmb_rig *rig, const lmb_rig_def *def, char **text) {
    for (uint32_t i = 0; i < def->channel_count; i++) {
        const lmb_channel_def *from = &def->channels[i];
        char made[24];
        rig->channels[i] = (lmb_float_channel){.name = copy_name(channel_name_in_def(def, i, made), text),
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
        derive_bind(&rig->inverse_bind[joint], &rig->binds[joint]);
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
        char *text = rig->text;
        copy_joints(rig, def, &text);
        copy_sockets(rig, def, &text);
        copy_channels(rig, def, &text);
        result = derive(rig, def, models, scratch, error);
    }
    lmb_host_release(&rig->host, models);
    lmb_host_release(&rig->host, scratch);
    return result;
}

lmb_result lmb_rig_create(const lmb_rig_def *def, const lmb_host *host, lmb_rig **rig, lmb_error *error) {
    if (rig != NULL) {
        *rig = NULL;
    }
    if (rig == NULL || def == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: %s is NULL", rig == NULL ? "the result" : "the descriptor");
    }
    if (def->joint_count == 0 && def->channel_count == 0) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: there are no joints");
    }
    if (def->joint_count > 0 && def->joints == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: the joints are NULL");
    }
    if (def->joint_count > LMB_MAX_JOINTS) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "rig: %u joints, and at most %u are possible",
                        (unsigned)def->joint_count, LMB_MAX_JOINTS);
    }
    if (def->socket_count > 0 && def->sockets == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: the sockets are NULL");
    }
    if (def->socket_count > LMB_MAX_SOCKETS) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "rig: %u sockets, and at most %u are possible",
                        (unsigned)def->socket_count, LMB_MAX_SOCKETS);
    }
    if (def->channel_count > 0 && def->channels == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "rig: the channels are NULL");
    }
    if (def->channel_count > LMB_MAX_CHANNELS) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "rig: %u channels, and at most %u are possible",
                        (unsigned)def->channel_count, LMB_MAX_CHANNELS);
    }
    lmb_environment callers;
    lmb_environment_enter(&callers);
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < def->joint_count && result == LMB_OK; i++) {
        result = check_joint(def, i, error);
    }
    for (uint32_t i = 0; i < def->socket_count && result == LMB_OK; i++) {
        result = check_socket(def, i, error);
    }
    for (uint32_t i = 0; i < def->channel_count && result == LMB_OK; i++) {
        result = check_channel(def, i, error);
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

void lmb_rig_grow_radius(lmb_rig *rig, uint32_t joint, float radius) {
    float snapped = snap(radius);
    if (snapped > rig->binds[joint].radius) {
        rig->binds[joint].radius = snapped;
    }
}

void lmb_rig_destroy(lmb_rig *rig) {
    if (rig == NULL) {
        return;
    }
    lmb_host host = rig->host;
    lmb_host_release(&host, rig->parents);
    lmb_host_release(&host, rig->rest);
    lmb_host_release(&host, rig->inverse_bind);
    lmb_host_release(&host, rig->binds);
    lmb_host_release(&host, rig->of_def);
    lmb_host_release(&host, rig->names);
    lmb_host_release(&host, rig->text);
    lmb_host_release(&host, rig->sockets);
    lmb_host_release(&host, rig->channels);
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

float lmb_rig_joint_radius(const lmb_rig *rig, uint32_t joint) {
    assert(joint < rig->joint_count);
    return rig->binds[joint].radius;
}

uint32_t lmb_rig_socket_count(const lmb_rig *rig) {
    return rig->socket_count;
}

uint32_t lmb_rig_find_socket(const lmb_rig *rig, const char *name) {
    for (uint32_t i = 0; name != NULL && i < rig->socket_count; i++) {
        if (strcmp(rig->sockets[i].name, name) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

const char *lmb_rig_socket_name(const lmb_rig *rig, uint32_t socket) {
    assert(socket < rig->socket_count);
    return rig->sockets[socket].name;
}

uint32_t lmb_rig_socket_joint(const lmb_rig *rig, uint32_t socket) {
    assert(socket < rig->socket_count);
    return rig->sockets[socket].joint;
}

lmb_transform lmb_rig_socket_local(const lmb_rig *rig, uint32_t socket) {
    assert(socket < rig->socket_count);
    return rig->sockets[socket].local;
}

uint32_t lmb_rig_channel_count(const lmb_rig *rig) {
    return rig->channel_count;
}

uint32_t lmb_rig_find_channel(const lmb_rig *rig, const char *name) {
    for (uint32_t i = 0; name != NULL && i < rig->channel_count; i++) {
        if (strcmp(rig->channels[i].name, name) == 0) {
            return i;
        }
    }
    return LMB_NONE;
}

const char *lmb_rig_channel_name(const lmb_rig *rig, uint32_t channel) {
    assert(channel < rig->channel_count);
    return rig->channels[channel].name;
}

float lmb_rig_channel_rest(const lmb_rig *rig, uint32_t channel) {
    assert(channel < rig->channel_count);
    return rig->channels[channel].rest;
}

bool lmb_rig_channel_is_angle(const lmb_rig *rig, uint32_t channel) {
    assert(channel < rig->channel_count);
    return rig->channels[channel].angle;
}

uint32_t lmb_rig_depth(const lmb_rig *rig) {
    return rig->depth;
}
