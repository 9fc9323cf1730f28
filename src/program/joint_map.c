// Joint maps, retargets and static poses of a graph: their checks, their tables, and the check that a source has the
// joints that are expected where it is.
//
// A retarget is used as one more joint map: its index continues those of the joint maps. While a goal is emitted (the
// pose in a retarget once more, for the position of a limb's end), another table and rest pose replace those of its
// retarget. A pose that changes nothing is stored as a static pose, because absent additives need it.
#include "compiler.h"

#include "clip_slot.h"
#include "math/value.h"
#include "rig/joint_limits.h"
#include "rig/rig.h"

#include "../../shaders/ops/operations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LENGTH_BOUND 1e-3 // of a static pose's rotations

uint32_t lmb_graph_mapped_joints(const lmb_graph_def *def, uint32_t joint_map) {
    return joint_map == LMB_NONE              ? def->rig->def.joint_count
           : joint_map < def->joint_map_count ? def->joint_maps[joint_map].joint_count
                                              : def->retargets[joint_map - def->joint_map_count].source_joint_count;
}

uint32_t lmb_graph_pose_words(const lmb_graph_def *def, uint32_t joint_count) {
    const uint32_t channels = joint_count == def->rig->def.joint_count ? def->rig->def.channel_count : 0;
    return POSE_COMPONENTS * joint_count + channels;
}

static bool refuse_joint_map(const lmb_compiler *c, uint32_t joint_map, const char *what) {
    return lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: joint map %u: %s", (unsigned)joint_map, what);
}

static bool check_joint_map(const lmb_compiler *c, uint32_t index) {
    const lmb_joint_map_def *joint_map = &c->def->joint_maps[index];
    const lmb_rig *rig = c->def->rig;
    if (joint_map->joints == NULL && rig->def.joint_count > 0) {
        return refuse_joint_map(c, index, "the table is NULL");
    }
    if ((joint_map->joint_count == 0 && rig->def.joint_count > 0) || joint_map->joint_count > LMB_MAX_JOINTS) {
        return refuse_joint_map(c, index, "the number of joints is not from 1 to 65535");
    }
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        if (joint_map->joints[joint] != LMB_NONE && joint_map->joints[joint] >= joint_map->joint_count) {
            return lmb_refuse(c->error, LMB_ERROR_ARGUMENT,
                              "graph: joint map %u: joint %u '%.80s' is joint %u of it, and it has %u", (unsigned)index,
                              (unsigned)joint, rig->def.joints[joint].name, (unsigned)joint_map->joints[joint],
                              (unsigned)joint_map->joint_count);
        }
    }
    return true;
}

// A clip may have the joints of any joint map or source if a parameter chooses it. The kernels compare its joints with
// those expected.
static bool check_clip(const lmb_compiler *c, uint32_t index) {
    const lmb_graph_def *def = c->def;
    if (lmb_graph_slot_of(def, index) != NULL) { // which was checked
        return true;
    }
    const char *name = lmb_clip_get_info(def->clips[index])->name;
    uint32_t joints = lmb_clip_get_info(def->clips[index])->joint_count,
             channels = lmb_clip_get_info(def->clips[index])->channel_count;
    bool is_whole = joints == def->rig->def.joint_count, is_mapped = false, is_of_source = false;
    for (uint32_t joint_map = 0; joint_map < def->joint_map_count; joint_map++) {
        is_mapped = is_mapped || joints == def->joint_maps[joint_map].joint_count;
    }
    for (uint32_t retarget = 0; retarget < def->retarget_count; retarget++) {
        is_of_source = is_of_source || joints == def->retargets[retarget].source_joint_count;
    }
    if (is_of_source) {
        return true;
    }
    if (!is_whole && !is_mapped) {
        return lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: clip %u '%s' is for %u joints, and the rig has %u%s",
                          (unsigned)index, name, (unsigned)joints, (unsigned)def->rig->def.joint_count,
                          def->retarget_count > 0    ? ", and no joint map or source as many"
                          : def->joint_map_count > 0 ? ", and no joint map as many"
                                                     : "");
    }
    if (channels != def->rig->def.channel_count && !(is_mapped && channels == 0)) {
        return lmb_refuse(c->error, LMB_ERROR_ARGUMENT,
                          "graph: clip %u '%s' is for %u float channels, and the rig has %u", (unsigned)index, name,
                          (unsigned)channels, (unsigned)def->rig->def.channel_count);
    }
    return true;
}

bool lmb_graph_check_joint_maps(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    bool valid = true;
    for (uint32_t i = 0; i < def->joint_map_count && valid; i++) {
        valid = check_joint_map(c, i);
    }
    return valid;
}

bool lmb_graph_check_retargets(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    bool valid = true;
    for (uint32_t i = 0; i < def->retarget_count && valid; i++) {
        valid = lmb_retarget_check(def->rig, &def->retargets[i], i, c->error);
    }
    for (uint32_t i = 0; i < def->clip_count && valid; i++) {
        valid = check_clip(c, i);
    }
    return valid;
}

static bool refuse_static_pose(const lmb_compiler *c, uint32_t index, const char *what) {
    const char *name = c->def->static_poses[index].name;
    return lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: static pose %u '%.80s': %s", (unsigned)index,
                      name == NULL ? "" : name, what);
}

static bool check_static_joint(const lmb_compiler *c, uint32_t index, uint32_t joint) {
    const lmb_transform *given = &c->def->static_poses[index].joints[joint];
    float values[POSE_COMPONENTS];
    char what[96];
    size_t offender = 0;
    memcpy(values, given, sizeof values);
    if (!lmb_usable(values, POSE_COMPONENTS, &offender)) {
        snprintf(what, sizeof what, "joint %u: its %s is not finite, or above 2^40", (unsigned)joint,
                 offender < 3   ? "translation"
                 : offender < 7 ? "rotation"
                                : "scale");
        return refuse_static_pose(c, index, what);
    }
    const double length = lmb_rotation_length(given->rotation);
    if (!(fabs(length - 1.0) <= LENGTH_BOUND)) {
        snprintf(what, sizeof what, "joint %u: its rotation has a length of %g instead of 1", (unsigned)joint, length);
        return refuse_static_pose(c, index, what);
    }
    return true;
}

static bool check_static_pose(const lmb_compiler *c, uint32_t index) {
    const lmb_static_pose_def *pose = &c->def->static_poses[index];
    const lmb_rig *rig = c->def->rig;
    if (pose->joints == NULL && pose->joint_count > 0) {
        return refuse_static_pose(c, index, "the joints are NULL");
    }
    if ((pose->joint_count == 0 && rig->def.joint_count > 0) || pose->joint_count > LMB_MAX_JOINTS) {
        return refuse_static_pose(c, index, "the number of joints is not from 1 to 65535");
    }
    bool valid = true;
    size_t offender = 0;
    const uint32_t channels = pose->joint_count == rig->def.joint_count ? rig->def.channel_count : 0;
    if (pose->channels != NULL && !lmb_usable(pose->channels, channels, &offender)) {
        return refuse_static_pose(c, index, "a float channel is not finite, or above 2^40");
    }
    for (uint32_t joint = 0; joint < pose->joint_count && valid; joint++) {
        valid = check_static_joint(c, index, joint);
    }
    return valid;
}

bool lmb_graph_check_static_poses(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    bool valid = true;
    for (uint32_t i = 0; i < def->static_pose_count && valid; i++) {
        valid = check_static_pose(c, i);
    }
    return valid;
}

static bool static_pose_scales(const lmb_static_pose_def *pose) {
    for (uint32_t joint = 0; joint < pose->joint_count; joint++) {
        const float *scale = pose->joints[joint].scale;
        if (scale[0] != 1.0f || scale[1] != 1.0f || scale[2] != 1.0f) {
            return true;
        }
    }
    return false;
}

static bool takes_pose(const lmb_node_def *node) {
    return (lmb_find_operation(node->op)->takes & TAKES_POSE) != 0;
}

static bool any_pose_scales(const lmb_graph_def *def) {
    for (uint32_t i = 0; i < def->node_count; i++) {
        const lmb_node_def *node = &def->nodes[i];
        if (takes_pose(node) &&
            (node->static_pose == LMB_NONE || static_pose_scales(&def->static_poses[node->static_pose]))) {
            return true;
        }
    }
    return false;
}

static bool rest_scales(const lmb_rig *rig) {
    for (uint32_t joint = 0; joint < rig->def.joint_count; joint++) {
        for (int axis = 0; axis < 3; axis++) {
            if (rig->def.joints[joint].rest.scale[axis] != 1.0f) {
                return true;
            }
        }
    }
    return false;
}

bool lmb_graph_scales(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    bool scales = (c->played.kinds & LMB_CLIP_SCALED) != 0 || rest_scales(def->rig) || any_pose_scales(def);
    for (uint32_t i = 0; i < def->joint_limits_count; i++) {
        scales = scales || lmb_limits_scale(def->rig, def->joint_limits[i]);
    }
    return scales;
}

void lmb_graph_add_joint_maps(lmb_compiler *c) {
    uint32_t joints = c->def->rig->def.joint_count;
    c->joint_maps = c->data + c->data_words;
    for (uint32_t i = 0; i < c->def->joint_map_count; i++) {
        uint32_t offset;
        uint32_t *table = lmb_graph_add_data(c, WORDS_OF(JOINT_MAP) + joints, &offset);
        if (table != NULL) {
            table[FIELD(JOINT_MAP, joints)] = c->def->joint_maps[i].joint_count;
            for (uint32_t joint = 0; joint < joints; joint++) {
                table[WORDS_OF(JOINT_MAP) + joint] = c->def->joint_maps[i].joints[joint];
            }
        }
    }
}

// The index at which load_rest() finds joint 0 of the rest pose of a retarget's source.
static uint32_t rest_index(const lmb_compiler *c, uint32_t offset) {
    return (offset - c->program[FIELD(PROGRAM, rest)]) / WORDS_OF(STATIC_POSE);
}

void lmb_graph_add_retargets(lmb_compiler *c) {
    const lmb_rig *rig = c->def->rig;
    for (uint32_t i = 0; i < c->def->retarget_count; i++) {
        const lmb_retarget_def *def = &c->def->retargets[i];
        uint32_t at, rest;
        uint32_t *rest_table = lmb_graph_add_static_pose(c, def->source_joint_count * WORDS_OF(STATIC_POSE), &rest);
        uint32_t *table = lmb_graph_add_data(c, lmb_retarget_words(rig, def), &at);
        c->retargets[i] = at;
        c->retarget_rests[i] = rest;
        if (table != NULL) {
            lmb_retarget_write(rig, def, i, c->frames, at, rest_index(c, rest), table, rest_table);
        }
    }
}

void lmb_graph_begin_goal(lmb_compiler *c, uint32_t retarget, uint32_t end) {
    const lmb_rig *rig = c->def->rig;
    const lmb_retarget_def *def = &c->def->retargets[retarget];
    uint32_t *rest = lmb_graph_add_static_pose(c, WORDS_OF(STATIC_POSE) * rig->def.joint_count, &c->goal_rest);
    uint32_t *table = lmb_graph_add_data(c, lmb_retarget_goal_words(rig, def, end), &c->goal_table);
    c->goal_map = lmb_graph_retarget_map(c->def, retarget);
    if (table != NULL) {
        uint32_t place[3];
        lmb_retarget_write_goal(rig, def, retarget, c->frames, end, c->goal_table,
                                rest_index(c, c->retarget_rests[retarget]), table, place);
        memcpy(rest, c->program + c->program[FIELD(PROGRAM, rest)],
               WORDS_OF(STATIC_POSE) * rig->def.joint_count * sizeof *rest);
        memcpy(rest + (size_t)end * WORDS_OF(STATIC_POSE) + FIELD(STATIC_POSE, translation), place, sizeof place);
    }
}

uint32_t lmb_graph_joint_map_table(const lmb_compiler *c, uint32_t joint_map) {
    if (c->goal_table != 0 && joint_map == c->goal_map) {
        return c->goal_table;
    }
    return joint_map == LMB_NONE ? 0
           : joint_map < c->def->joint_map_count
               ? c->joint_maps + joint_map * (WORDS_OF(JOINT_MAP) + c->def->rig->def.joint_count)
               : c->retargets[joint_map - c->def->joint_map_count];
}

static void write_static_pose(const lmb_static_pose_def *pose, uint32_t *table) {
    for (uint32_t joint = 0; joint < pose->joint_count; joint++) {
        const lmb_transform snapped = lmb_snap_transform(&pose->joints[joint]);
        lmb_store_static_pose(&snapped, table, joint);
    }
}

static void write_static_channels(const lmb_rig *rig, const lmb_static_pose_def *pose, uint32_t *table) {
    const bool is_whole = pose->joint_count == rig->def.joint_count;
    for (uint32_t channel = 0; is_whole && channel < rig->def.channel_count; channel++) {
        const lmb_channel_def *own = &rig->def.channels[channel];
        const float x = snap(pose->channels == NULL ? own->rest : pose->channels[channel]);
        table[WORDS_OF(STATIC_POSE) * pose->joint_count + channel] = BITS(own->angle ? wrap_degrees(x) : x);
    }
}

// Its joints, then its channels.
static uint32_t static_pose_words(const lmb_graph_def *def, uint32_t joint_count) {
    const uint32_t channels = joint_count == def->rig->def.joint_count ? def->rig->def.channel_count : 0;
    return WORDS_OF(STATIC_POSE) * joint_count + channels;
}

void lmb_graph_add_static_poses(lmb_compiler *c) {
    c->data_words += lmb_static_pose_padding(c->data_words);
    c->static_poses = c->data + c->data_words;
    for (uint32_t i = 0; i < c->def->static_pose_count; i++) {
        const lmb_static_pose_def *pose = &c->def->static_poses[i];
        uint32_t offset;
        uint32_t *table = lmb_graph_add_static_pose(c, static_pose_words(c->def, pose->joint_count), &offset);
        if (table != NULL) {
            write_static_pose(pose, table);
            write_static_channels(c->def->rig, pose, table);
        }
    }
}

void lmb_graph_add_no_change(lmb_compiler *c) {
    bool is_used = false;
    for (uint32_t i = 0; i < c->def->node_count; i++) {
        const lmb_node_def *node = &c->def->nodes[i];
        is_used = is_used || lmb_graph_is_additive(c, node);
    }
    const uint32_t joints = c->def->rig->def.joint_count;
    uint32_t *table = lmb_graph_add_static_pose(c, is_used ? static_pose_words(c->def, joints) : 0, &c->no_change);
    const lmb_transform identity = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    for (uint32_t joint = 0; joint < joints && is_used && table != NULL; joint++) {
        lmb_store_static_pose(&identity, table, joint);
    }
}

uint32_t lmb_graph_static_pose(const lmb_compiler *c, uint32_t pose) {
    uint32_t offset = c->static_poses;
    for (uint32_t i = 0; i < pose; i++) {
        offset += static_pose_words(c->def, c->def->static_poses[i].joint_count);
        offset += lmb_static_pose_padding(offset - c->static_poses);
    }
    return offset;
}

static bool refuse_joints(const lmb_compiler *c, uint32_t node, const char *field, const char *what, uint32_t joints) {
    char text[160];
    uint32_t expected = lmb_graph_mapped_joints(c->def, c->joint_map);
    if (c->joint_map == LMB_NONE) {
        snprintf(text, sizeof text, "%s has %u joints, and the rig %u", what, (unsigned)joints, (unsigned)expected);
    } else if (c->joint_map >= c->def->joint_map_count) {
        snprintf(text, sizeof text, "%s has %u joints, and the source of retarget %u, in which it is, %u", what,
                 (unsigned)joints, (unsigned)(c->joint_map - c->def->joint_map_count), (unsigned)expected);
    } else {
        snprintf(text, sizeof text, "%s has %u joints, and joint map %u, in which it is, %u", what, (unsigned)joints,
                 (unsigned)c->joint_map, (unsigned)expected);
    }
    return lmb_graph_refuse_node(c, node, field, text);
}

static bool check_buffer(lmb_compiler *c, uint32_t index) {
    uint32_t pose = c->def->nodes[index].pose;
    uint32_t joints = lmb_graph_mapped_joints(c->def, c->joint_map);
    if (c->pose_joints[pose] != 0 && c->pose_joints[pose] != joints) {
        return refuse_joints(c, index, "pose", "elsewhere this buffer", c->pose_joints[pose]);
    }
    c->pose_joints[pose] = joints;
    c->pose_floats[pose] = lmb_graph_pose_words(c->def, joints);
    c->pose_count = pose >= c->pose_count ? pose + 1 : c->pose_count;
    return true;
}

bool lmb_graph_check_source(lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    uint32_t expected = lmb_graph_mapped_joints(c->def, c->joint_map);
    const bool is_retargeted = c->joint_map != LMB_NONE && c->joint_map >= c->def->joint_map_count;
    // One that is absent is an additive if all clips are, whatever joints they have.
    bool is_refused = is_retargeted && node->op == LMB_OP_CLIP && lmb_graph_is_additive(c, node);
    for (uint32_t i = 0; i < c->def->clip_count && is_retargeted; i++) {
        is_refused = is_refused || (lmb_graph_may_play(node, i) && lmb_graph_clip_is_additive(c->def, i) &&
                                    lmb_graph_clip_joints(c->def, i) == expected);
    }
    if (is_refused) {
        return lmb_graph_refuse_node(c, index, "clip", "an additive in a retarget, which takes poses");
    }
    if (node->op == LMB_OP_CLIP && node->clip.kind == LMB_VALUE_CONSTANT && node->clip.curve == LMB_CURVE_LINEAR) {
        uint32_t joints = lmb_graph_clip_joints(c->def, (uint32_t)node->clip.constant);
        return joints == expected || refuse_joints(c, index, "clip", "it", joints);
    }
    if (!takes_pose(node)) {
        return true;
    }
    if (node->static_pose == LMB_NONE) {
        return check_buffer(c, index);
    }
    uint32_t joints = c->def->static_poses[node->static_pose].joint_count;
    return joints == expected || refuse_joints(c, index, "static_pose", "it", joints);
}
