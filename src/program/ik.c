// Inverse kinematics, feet, twists and chains: checks of their nodes, and the tables that shaders/ops/ik.h, feet.h,
// twist.h and chain.h read.
#include "compiler.h"

#include "base/fields.h"
#include "base/float_environment.h"
#include "base/number.h"
#include "clip/motion.h"
#include "math/matrix.h"
#include "math/quaternion.h"
#include "math/value.h"
#include "rig/rig.h"

#include "../../shaders/ops/operations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(FIELD(FEET, strides) == FIELD(FEET, tables) + LMB_MAX_FEET,
               "the table of feet has room for another number of feet");
_Static_assert(FIELD(FEET, world) == FIELD(FEET, planted) + LMB_MAX_FEET,
               "the table of feet has room for another number of feet");
_Static_assert(LMB_MAX_REACHED == 32, "the message of an index");
_Static_assert(FIELD(AIM, ancestors) == FIELD(AIM, joints) + LMB_MAX_AIM_JOINTS * WORDS_OF(AIM_JOINT),
               "the table of an aim has room for another number of joints");

// ---- Checks.

// Checks the ranges of all fields of a struct.
static bool check_ranges(const lmb_compiler *c, uint32_t index, const lmb_fields *fields, const void *def) {
    const lmb_field_context context = {.joint_count = c->def->rig->def.joint_count,
                                       .curve_count = c->def->curve_count,
                                       .parameter_count = c->def->parameter_count};
    lmb_field_fault fault;
    return lmb_fields_check(fields, def, &context, &fault) ||
           lmb_graph_require(c, index, false, fault.field, fault.why);
}

static bool is_below(const lmb_rig *rig, uint32_t joint, uint32_t ancestor) {
    uint32_t above = rig->def.joints[joint].parent;
    while (above != LMB_NONE && above != ancestor) {
        above = rig->def.joints[above].parent;
    }
    return above == ancestor;
}

// Checks that a joint is in the branch below another one.
static bool check_below(const lmb_compiler *c, uint32_t index, const char *field, uint32_t joint, uint32_t ancestor) {
    const lmb_rig *rig = c->def->rig;
    char what[240];
    snprintf(what, sizeof what, "joint %u '%.80s' is not below joint %u '%.80s'", (unsigned)joint,
             rig->def.joints[joint].name, (unsigned)ancestor, rig->def.joints[ancestor].name);
    return lmb_graph_require(c, index, is_below(rig, joint, ancestor), field, what);
}

// Returns whether neither joint is above the other.
static bool is_apart(const lmb_rig *rig, uint32_t joint, uint32_t other) {
    return joint != other && !is_below(rig, joint, other) && !is_below(rig, other, joint);
}

// Checks that the end of a limb is below its mid, or apart from its start.
static bool check_end(const lmb_compiler *c, uint32_t index, const char *field, uint32_t end, uint32_t mid,
                      uint32_t start) {
    const lmb_rig *rig = c->def->rig;
    char what[300];
    snprintf(what, sizeof what, "joint %u '%.60s' is not below joint %u '%.60s', and not apart from joint %u '%.60s'",
             (unsigned)end, rig->def.joints[end].name, (unsigned)mid, rig->def.joints[mid].name, (unsigned)start,
             rig->def.joints[start].name);
    return lmb_graph_require(c, index, is_below(rig, end, mid) || is_apart(rig, end, start), field, what);
}

static LMB_NOINLINE void normalize_axis(const float axis[3], float unit[3]) {
    const double given[3] = {(double)axis[0], (double)axis[1], (double)axis[2]}, length = lmb_length(given);
    for (int i = 0; i < 3; i++) {
        unit[i] = snap((float)(given[i] / length));
    }
}

// Computes the unit vector of an axis.
static void find_unit(const float axis[3], float unit[3]) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    normalize_axis(axis, unit);
    lmb_environment_leave(&callers);
}

// Checks that the goal is a retarget with a joint of the source for the end.
static bool check_goal(const lmb_compiler *c, uint32_t index, uint32_t end) {
    const lmb_graph_def *def = c->def;
    const uint32_t goal = def->nodes[index].goal;
    return lmb_graph_require(c, index, goal < index && def->nodes[goal].op == LMB_OP_RETARGET, "goal",
                             "it is not a retarget before the node") &&
           lmb_graph_require(c, index, def->retargets[def->nodes[goal].retarget].joints[end] != LMB_NONE, "goal",
                             "the retarget has no joint of the source for the end");
}

// Returns the joint that writes whether a node reaches its target.
static uint32_t reporting_joint(const lmb_node_def *node) {
    return node->op == LMB_OP_IK_TWO_BONE ? node->two_bone.start : node->aim.joints[node->aim.joint_count - 1];
}

// Checks that other joints, which run side by side, do not report in the same word.
static bool check_reached(const lmb_compiler *c, uint32_t index, const lmb_reached_slot *reached) {
    const lmb_node_def *nodes = c->def->nodes;
    bool apart = true;
    for (uint32_t i = 0; reached->is_reported && i < index; i++) {
        const lmb_reached_slot *other = lmb_graph_reached_of(&nodes[i]);
        apart = apart && (other == NULL || !other->is_reported || other->index != reached->index ||
                          reporting_joint(&nodes[i]) == reporting_joint(&nodes[index]));
    }
    return lmb_graph_require(c, index, !reached->is_reported || reached->index < LMB_MAX_REACHED, "reached",
                             "the index is not below 32") &&
           lmb_graph_require(c, index, apart, "reached", "a node of another joint has the same index");
}

static bool check_two_bone(const lmb_compiler *c, uint32_t index) {
    const lmb_two_bone_def *def = &c->def->nodes[index].two_bone;
    return check_ranges(c, index, &lmb_two_bone_fields, def) && check_below(c, index, "mid", def->mid, def->start) &&
           check_end(c, index, "end", def->end, def->mid, def->start) && check_reached(c, index, &def->reached) &&
           (c->def->nodes[index].goal == LMB_NONE || check_goal(c, index, def->end));
}

static bool check_aim(const lmb_compiler *c, uint32_t index) {
    const lmb_aim_def *def = &c->def->nodes[index].aim;
    bool valid = check_ranges(c, index, &lmb_aim_fields, def) && check_reached(c, index, &def->reached);
    for (uint32_t i = 1; valid && i < def->joint_count; i++) {
        char field[sizeof "joints[7]"];
        snprintf(field, sizeof field, "joints[%u]", (unsigned)(i % LMB_MAX_AIM_JOINTS));
        valid = check_below(c, index, field, def->joints[i - 1], def->joints[i]);
    }
    return valid;
}

static bool is_of_foot(const lmb_foot_def *foot, uint32_t joint) {
    return joint == foot->hip || joint == foot->knee || joint == foot->ankle;
}

// Checks that no foot before this one has one of its joints.
static bool check_foot_apart(const lmb_compiler *c, uint32_t index, uint32_t place, const char *field) {
    const lmb_foot_def *feet = c->def->nodes[index].feet.feet;
    bool valid = true;
    for (uint32_t i = 0; i < place && valid; i++) {
        const lmb_foot_def *own = &feet[place];
        valid = lmb_graph_require(c, index,
                                  !is_of_foot(&feet[i], own->hip) && !is_of_foot(&feet[i], own->knee) &&
                                      !is_of_foot(&feet[i], own->ankle),
                                  field, "another foot has one of its joints");
    }
    return valid;
}

// Checks that an ankle that is not below its knee is apart from the other feet.
static bool check_detached(const lmb_compiler *c, uint32_t index, uint32_t place, const char *field) {
    const lmb_feet_def *feet = &c->def->nodes[index].feet;
    const lmb_foot_def *own = &feet->feet[place];
    const lmb_rig *rig = c->def->rig;
    bool apart = true;
    for (uint32_t i = 0; i < feet->foot_count && !is_below(rig, own->ankle, own->knee); i++) {
        const lmb_foot_def *foot = &feet->feet[i];
        apart = apart && is_apart(rig, own->ankle, foot->hip) && (i == place || is_apart(rig, own->ankle, foot->ankle));
    }
    return lmb_graph_require(c, index, apart, field,
                             "the ankle is not below its knee, and above or below a joint of another foot");
}

static bool check_planted_channel(const lmb_compiler *c, uint32_t index, uint32_t place, const lmb_foot_def *foot) {
    char field[sizeof "feet[3].planted_channel"];
    snprintf(field, sizeof field, "feet[%u].planted_channel", (unsigned)(place % LMB_MAX_FEET));
    const bool is_there = foot->planted_channel == LMB_NONE || foot->planted_channel < c->def->rig->def.channel_count;
    return lmb_graph_require(c, index, is_there, field, "the rig has no such float channel") &&
           lmb_graph_require(c, index, foot->planted_channel == LMB_NONE || foot->planted_from == LMB_NONE, field,
                             "a foot that sync markers plant has none");
}

// Checks that a foot has both markers, or none, and a channel only without them.
static bool check_planted(const lmb_compiler *c, uint32_t index, uint32_t place, const lmb_foot_def *foot) {
    char to[sizeof "feet[3].planted_to"];
    snprintf(to, sizeof to, "feet[%u].planted_to", (unsigned)(place % LMB_MAX_FEET));
    return lmb_graph_require(c, index, (foot->planted_from == LMB_NONE) == (foot->planted_to == LMB_NONE), to,
                             "a foot has two sync markers, or none") &&
           check_planted_channel(c, index, place, foot);
}

static bool check_foot(const lmb_compiler *c, uint32_t index, uint32_t place) {
    const lmb_feet_def *def = &c->def->nodes[index].feet;
    const lmb_foot_def *foot = &def->feet[place];
    char field[sizeof "feet[3]"];
    snprintf(field, sizeof field, "feet[%u]", (unsigned)(place % LMB_MAX_FEET));
    return check_below(c, index, field, foot->hip, def->pelvis) &&
           check_below(c, index, field, foot->knee, foot->hip) &&
           check_end(c, index, field, foot->ankle, foot->knee, foot->hip) && check_foot_apart(c, index, place, field) &&
           check_planted(c, index, place, foot);
}

static bool keeps_state(const lmb_feet_def *def) {
    return def->lock_distance > 0.0f || def->ground_half_life > 0.0f || def->pelvis_half_life > 0.0f;
}

static bool is_planted_by_clips(const lmb_foot_def *foot) {
    return foot->planted_from != LMB_NONE || foot->planted_channel != LMB_NONE;
}

bool lmb_graph_locks_by_clips(const lmb_node_def *node) {
    bool marked = false;
    for (uint32_t i = 0; node->op == LMB_OP_FOOT_PLACEMENT && i < node->feet.foot_count; i++) {
        marked = marked || is_planted_by_clips(&node->feet.feet[i]);
    }
    return marked && node->feet.lock_distance > 0.0f;
}

bool lmb_graph_check_plants(lmb_compiler *c, uint32_t node) {
    const lmb_feet_def *def = &c->def->nodes[node].feet;
    bool valid = c->marked_count <= LMB_MOST_MARKED_CLIPS ||
                 lmb_refuse(c->error, LMB_ERROR_LIMIT,
                            "graph: node %u (%s): more than %u clips that play are below nodes whose feet clips plant, "
                            "once clips used several times are counted for each use",
                            (unsigned)node, lmb_op_name(LMB_OP_FOOT_PLACEMENT), LMB_MOST_MARKED_CLIPS);
    for (uint32_t i = 0; valid && i < def->foot_count; i++) {
        const bool has_markers = def->feet[i].planted_from != LMB_NONE;
        bool found = !is_planted_by_clips(&def->feet[i]);
        for (uint32_t k = c->first_marked; k < c->marked_count && !found; k++) {
            const lmb_foot_def *foot = lmb_graph_foot_in_clip(c, def, i, &c->marked[k]);
            found = lmb_graph_plants(c->def, c->marked[k].node, foot, NULL) > 0;
        }
        char field[sizeof "feet[3].planted_channel"];
        snprintf(field, sizeof field, "feet[%u].planted_%s", (unsigned)(i % LMB_MAX_FEET),
                 has_markers ? "from" : "channel");
        valid = lmb_graph_require(c, node, found, field,
                                  has_markers ? "no clip that plays below the node has these sync markers"
                                              : "no clip that plays below the node has a track that is above 1/2");
    }
    return valid;
}

static bool check_feet(const lmb_compiler *c, uint32_t index) {
    const lmb_feet_def *def = &c->def->nodes[index].feet;
    bool valid = check_ranges(c, index, &lmb_feet_fields, def);
    for (uint32_t i = 0; valid && i < def->foot_count; i++) {
        valid = check_foot(c, index, i);
    }
    for (uint32_t i = 0; valid && i < def->foot_count; i++) {
        char field[sizeof "feet[3]"];
        snprintf(field, sizeof field, "feet[%u]", (unsigned)(i % LMB_MAX_FEET));
        valid = check_detached(c, index, i, field);
    }
    return valid && lmb_graph_require(c, index, !keeps_state(def) || def->time.kind == LMB_VALUE_PARAMETER, "time",
                                      "it is a constant, so no foot would be locked and nothing smoothed");
}

static bool is_listed(const uint32_t *joints, uint32_t count, uint32_t joint) {
    bool listed = false;
    for (uint32_t i = 0; i < count; i++) {
        listed = listed || joints[i] == joint;
    }
    return listed;
}

static bool check_helper(const lmb_compiler *c, uint32_t index, uint32_t place) {
    const lmb_twist_def *def = &c->def->nodes[index].twist;
    const uint32_t joint = def->joints[place];
    char field[sizeof "joints[7]"];
    snprintf(field, sizeof field, "joints[%u]", (unsigned)(place % LMB_MAX_TWIST_JOINTS));
    return lmb_graph_require(c, index, !is_listed(def->joints, place, joint), field, "given twice") &&
           lmb_graph_require(c, index, joint != def->source && !is_below(c->def->rig, def->source, joint), field,
                             "it is the source or above it, so the source would turn with it");
}

static bool check_twist(const lmb_compiler *c, uint32_t index) {
    const lmb_twist_def *def = &c->def->nodes[index].twist;
    bool valid = check_ranges(c, index, &lmb_twist_fields, def);
    for (uint32_t i = 0; valid && i < def->joint_count; i++) {
        valid = check_helper(c, index, i);
    }
    return valid;
}

// Returns the number of parents from a joint up to an ancestor, or of those up to the root, with the joint.
static uint32_t count_bones(const lmb_rig *rig, uint32_t joint, uint32_t ancestor) {
    uint32_t count = 0;
    for (; joint != ancestor; joint = rig->def.joints[joint].parent) {
        count++;
    }
    return count;
}

static bool check_colliders(const lmb_compiler *c, uint32_t index, const lmb_chain_def *def) {
    bool valid =
        lmb_graph_require(c, index, def->collider_count == 0 || def->colliders != NULL, "colliders", "they are NULL") &&
        lmb_graph_require(c, index, def->collider_count <= LMB_MAX_CHAIN_COLLIDERS, "colliders",
                          "there are more than 8");
    for (uint32_t i = 0; i < def->collider_count && valid; i++) {
        valid = lmb_graph_require(c, index, def->colliders[i].cookie == LMB_COOKIE, "colliders",
                                  "one is not from lmb_default_collider_def()") &&
                check_ranges(c, index, &lmb_collider_fields, &def->colliders[i]);
    }
    return valid;
}

// Checks numbers of a chain: none, one, or one of each bone, from 0 to a largest one.
static bool check_bone_numbers(const lmb_compiler *c, uint32_t index, const char *field, const float *numbers,
                               uint32_t count, float largest, const char *range) {
    const lmb_chain_def *def = &c->def->nodes[index].chain;
    bool valid = lmb_graph_require(c, index, count == 0 || numbers != NULL, field, "they are NULL") &&
                 lmb_graph_require(c, index, count <= 1 || count == count_bones(c->def->rig, def->end, def->start),
                                   field, "there are not as many as bones");
    for (uint32_t i = 0; i < count && valid; i++) {
        valid = lmb_graph_require(c, index, numbers[i] >= 0.0f && numbers[i] <= largest, field, range);
    }
    return valid;
}

static bool check_chain(const lmb_compiler *c, uint32_t index) {
    const lmb_chain_def *def = &c->def->nodes[index].chain;
    return check_ranges(c, index, &lmb_chain_fields, def) && check_below(c, index, "end", def->end, def->start) &&
           lmb_graph_require(c, index, count_bones(c->def->rig, def->end, def->start) <= LMB_MAX_CHAIN_BONES, "end",
                             "it is more than 32 bones below the start") &&
           check_colliders(c, index, def) &&
           check_bone_numbers(c, index, "radii", def->radii, def->radius_count, 0x1p20f, "one is not from 0 to 2^20") &&
           check_bone_numbers(c, index, "weights", def->weights, def->weight_count, 1.0f, "one is not from 0 to 1");
}

bool lmb_graph_check_ik(const lmb_compiler *c, uint32_t node) {
    switch (c->def->nodes[node].op) {
    case LMB_OP_IK_AIM:
        return check_aim(c, node);
    case LMB_OP_FOOT_PLACEMENT:
        return check_feet(c, node);
    case LMB_OP_TWIST:
        return check_twist(c, node);
    case LMB_OP_CHAIN:
        return check_chain(c, node);
    default:
        return check_two_bone(c, node);
    }
}

// ---- Tables. Each function also runs while counting, when `at` is NULL.

static bool is_constant(lmb_value value) {
    return value.kind == LMB_VALUE_CONSTANT && value.curve == LMB_CURVE_LINEAR;
}

// Stores a value that parameters determine as the index of its weight.
static void add_value(lmb_compiler *c, lmb_value value, uint32_t *at) {
    uint32_t words[WORDS_OF(VALUE)];
    lmb_value_write(value, c->curves, words);
    const uint32_t weight = is_constant(value) ? WEIGHT_NONE : lmb_graph_weigh_value(c, value, LMB_LARGEST);
    if (at != NULL) {
        at[0] = weight;
        at[1] = words[FIELD(VALUE, constant)];
    }
}

// A point as a node defines it.
typedef struct point_source {
    const lmb_value *values; // three
    lmb_point_slot slot;
    lmb_ik_space space;
    bool is_direction;
    bool to_world; // from model space to world space
} point_source;

// Writes the point that stage 1 finds. Returns the weight of its first coordinate.
static uint32_t add_found_point(lmb_compiler *c, point_source from) {
    uint32_t *point;
    const uint32_t weight = lmb_graph_add_point(c, &point);
    const bool in_world = from.space == LMB_IK_WORLD;
    uint32_t values[3] = {0};
    for (uint32_t i = 0; i < 3 && !from.slot.in_buffer; i++) {
        values[i] = lmb_graph_add_value(c, from.values[i]);
    }
    c->uses_transforms = c->uses_transforms || in_world;
    if (from.slot.in_buffer && from.slot.index >= c->point_slots) {
        c->point_slots = from.slot.index + 1;
    }
    if (point != NULL) {
        point[FIELD(POINT, flags)] = (from.slot.in_buffer ? POINT_IN_BUFFER : 0) | (in_world ? POINT_IN_WORLD : 0) |
                                     (from.is_direction ? POINT_IS_DIRECTION : 0) |
                                     (from.to_world ? POINT_TO_WORLD : 0);
        point[FIELD(POINT, slot)] = from.slot.index;
        memcpy(point + FIELD(POINT, values), values, sizeof values);
    }
    return weight;
}

static void add_point(lmb_compiler *c, point_source from, uint32_t *at) {
    const bool found = from.slot.in_buffer || from.space == LMB_IK_WORLD;
    const uint32_t weight = found ? add_found_point(c, from) : 0;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t *value = at != NULL ? at + i * WORDS_OF(IK_VALUE) : NULL;
        if (!found) {
            add_value(c, from.values[i], value);
        } else if (value != NULL) {
            value[0] = weight + i;
        }
    }
}

static void write_unit(const float axis[3], uint32_t *at) {
    float unit[3];
    find_unit(axis, unit);
    for (int i = 0; i < 3; i++) {
        at[i] = BITS(unit[i]);
    }
}

static uint32_t count_ancestors(const lmb_rig *rig, uint32_t joint) {
    return count_bones(rig, rig->def.joints[joint].parent, LMB_NONE);
}

// Writes the number of ancestors, and then these, the root first.
static void write_ancestors(const lmb_rig *rig, uint32_t joint, uint32_t *at) {
    at[0] = count_ancestors(rig, joint);
    uint32_t *end = at + at[0];
    for (uint32_t above = rig->def.joints[joint].parent; above != LMB_NONE; above = rig->def.joints[above].parent) {
        *end-- = above;
    }
}

void lmb_graph_add_reached_parameters(lmb_compiler *c) {
    uint32_t offset;
    uint32_t *table = lmb_graph_add_data(c, c->reached_count, &offset);
    for (uint32_t i = 0; table != NULL && i < c->def->node_count; i++) {
        const lmb_reached_slot *reached = lmb_graph_reached_of(&c->def->nodes[i]);
        if (reached != NULL && reached->is_reported && reached->index < c->reached_count) {
            table[reached->index] = reached->parameter + 1; // 0 for LMB_NONE
        }
    }
    if (c->program != NULL) {
        c->program[FIELD(PROGRAM, reached_parameters)] = offset;
    }
}

// Returns the word of a table that says where a node reports.
static uint32_t add_reached(lmb_compiler *c, lmb_reached_slot reached) {
    const uint32_t words = reached.is_reported ? reached.index + 1 : 0;
    c->reached_count = words > c->reached_count ? words : c->reached_count;
    return words;
}

static matrix rest_model(const lmb_rig *rig, uint32_t joint) {
    matrix model = lmb_matrix_of(&rig->def.joints[joint].rest);
    for (uint32_t above = rig->def.joints[joint].parent; above != LMB_NONE; above = rig->def.joints[above].parent) {
        const matrix parent = lmb_matrix_of(&rig->def.joints[above].rest);
        model = lmb_matrix_multiply(&parent, &model);
    }
    return model;
}

// Computes where the rest pose has the end, in the space of the mid; at the mid if that has no inverse.
static LMB_NOINLINE void find_tip(const lmb_rig *rig, uint32_t mid, uint32_t end, float tip[3]) {
    const matrix from = rest_model(rig, mid), to = rest_model(rig, end);
    matrix inverse;
    const bool exists = lmb_matrix_invert(&from, &inverse);
    const double place[3] = {to.m[0][3], to.m[1][3], to.m[2][3]};
    for (int i = 0; i < 3; i++) {
        tip[i] = exists ? snap((float)(lmb_dot(inverse.m[i], place) + inverse.m[i][3])) : 0.0f;
    }
}

// Adds the record of an end that is not below the mid. Returns its offset, or 0 for an end that is. `pelvis` is that of
// a foot, or LMB_NONE.
static uint32_t add_detached(lmb_compiler *c, const lmb_two_bone_def *def, uint32_t pelvis) {
    const lmb_rig *rig = c->def->rig;
    if (is_below(rig, def->end, def->mid)) {
        return 0;
    }
    uint32_t offset;
    uint32_t *at = lmb_graph_add_data(c, WORDS_OF(DETACHED) + count_ancestors(rig, def->end), &offset);
    c->uses_detached = true;
    if (at != NULL) {
        lmb_environment callers;
        float tip[3];
        lmb_environment_enter(&callers);
        find_tip(rig, def->mid, def->end, tip);
        lmb_environment_leave(&callers);
        memcpy(at + FIELD(DETACHED, tip), tip, sizeof tip);
        at[FIELD(DETACHED, follows)] = pelvis != LMB_NONE && is_below(rig, def->end, pelvis);
        write_ancestors(rig, def->end, at + FIELD(DETACHED, ancestors));
    }
    return offset;
}

static uint32_t add_two_bone(lmb_compiler *c, const lmb_two_bone_def *def, uint32_t pelvis) {
    const lmb_rig *rig = c->def->rig;
    const uint32_t detached = add_detached(c, def, pelvis);
    uint32_t offset;
    uint32_t *at = lmb_graph_add_data(c, WORDS_OF(TWO_BONE) + count_ancestors(rig, def->start), &offset);
    const point_source target = {def->target, def->target_slot, def->space, false, false};
    const point_source pole = {def->pole, def->pole_slot, def->space, true, false};
    if (c->goal_area == 0) {
        add_point(c, target, at != NULL ? at + FIELD(TWO_BONE, target) : NULL);
    }
    add_point(c, pole, at != NULL ? at + FIELD(TWO_BONE, pole) : NULL);
    add_value(c, def->twist, at != NULL ? at + FIELD(TWO_BONE, twist) : NULL);
    const uint32_t reached = add_reached(c, def->reached);
    if (at != NULL) {
        at[FIELD(TWO_BONE, start)] = def->start;
        at[FIELD(TWO_BONE, mid)] = def->mid;
        at[FIELD(TWO_BONE, end)] = def->end;
        at[FIELD(TWO_BONE, goal)] = c->goal_area;
        at[FIELD(TWO_BONE, reached)] = reached;
        at[FIELD(TWO_BONE, detached)] = detached;
        write_unit(def->mid_axis, at + FIELD(TWO_BONE, axis));
        at[FIELD(TWO_BONE, soften)] = BITS(snap(def->soften));
        write_ancestors(rig, def->start, at + FIELD(TWO_BONE, ancestors));
    }
    return offset;
}

static LMB_NOINLINE void compute_limit(float limit, float *cosine, float *sine) {
    const double half = limit < 3.14159274f ? 0.5 * (double)limit : 0.5 * 3.14159265358979323846;
    *cosine = snap((float)lmb_cosine64(half));
    *sine = snap((float)lmb_sine64(half));
}

// Writes cosine and sine of half the limit. From half a turn on, the cosine is 0: every turn is within it.
static void write_limit(float limit, uint32_t *at) {
    lmb_environment callers;
    float cosine, sine;
    lmb_environment_enter(&callers);
    compute_limit(limit, &cosine, &sine);
    lmb_environment_leave(&callers);
    at[0] = limit < 3.14159274f ? BITS(cosine) : 0;
    at[1] = BITS(sine);
}

static uint32_t add_aim(lmb_compiler *c, const lmb_aim_def *def) {
    const lmb_rig *rig = c->def->rig;
    uint32_t offset;
    uint32_t *at = lmb_graph_add_data(c, WORDS_OF(AIM) + count_ancestors(rig, def->joints[0]), &offset);
    const point_source target = {def->target, def->target_slot, def->space, false, false};
    const point_source pole = {def->pole, def->pole_slot, def->space, true, false};
    add_point(c, target, at != NULL ? at + FIELD(AIM, target) : NULL);
    add_point(c, pole, at != NULL ? at + FIELD(AIM, pole) : NULL);
    add_value(c, def->twist, at != NULL ? at + FIELD(AIM, twist) : NULL);
    const uint32_t reached = add_reached(c, def->reached);
    if (at != NULL) {
        at[FIELD(AIM, count)] = def->joint_count;
        at[FIELD(AIM, reached)] = reached;
        write_unit(def->forward, at + FIELD(AIM, forward));
        write_unit(def->up, at + FIELD(AIM, up));
        for (uint32_t i = 0; i < 3; i++) {
            at[FIELD(AIM, offset) + i] = BITS(snap(def->offset[i]));
        }
        write_limit(def->limit, at + FIELD(AIM, limit));
        for (uint32_t i = 0; i < def->joint_count; i++) {
            at[FIELD(AIM, joints) + i * WORDS_OF(AIM_JOINT)] = def->joints[i];
            at[FIELD(AIM, joints) + i * WORDS_OF(AIM_JOINT) + 1] = BITS(snap(def->shares[i]));
        }
        write_ancestors(rig, def->joints[0], at + FIELD(AIM, ancestors));
    }
    return offset;
}

// Adds the table of a foot: that of a two-bone chain whose target is the ground and whose pole vector is its normal.
static uint32_t add_foot(lmb_compiler *c, const lmb_feet_def *feet, const lmb_foot_def *foot) {
    lmb_two_bone_def leg = {.start = foot->hip,
                            .mid = foot->knee,
                            .end = foot->ankle,
                            .soften = feet->soften,
                            .twist = lmb_constant(0.0f),
                            .target_slot = foot->ground_slot,
                            .pole_slot = foot->normal_slot,
                            .space = feet->space};
    memcpy(leg.target, foot->ground, sizeof leg.target);
    memcpy(leg.pole, foot->normal, sizeof leg.pole);
    memcpy(leg.mid_axis, foot->knee_axis, sizeof leg.mid_axis);
    return add_two_bone(c, &leg, feet->pelvis);
}

// Returns whether the stride is ever scaled.
static bool has_stride(const lmb_feet_def *def) {
    return !is_constant(def->speed) || !is_constant(def->clip_speed) || def->speed.constant != def->clip_speed.constant;
}

// Writes how a stride is scaled. What is not used takes no weights.
static void add_stride(lmb_compiler *c, const lmb_feet_def *def, uint32_t *at) {
    const point_source direction = {def->direction, def->direction_slot, def->space, true, false};
    if (has_stride(def)) {
        add_value(c, def->speed, at != NULL ? at + FIELD(FEET, speed) : NULL);
        add_value(c, def->clip_speed, at != NULL ? at + FIELD(FEET, clip_speed) : NULL);
        add_point(c, direction, at != NULL ? at + FIELD(FEET, direction) : NULL);
    }
    if (at != NULL) {
        at[FIELD(FEET, strides)] = has_stride(def);
    }
}

// Adds the weights that convert between model and world space. Returns the index of the first one.
static uint32_t add_world(lmb_compiler *c) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < WORDS_OF(WORLD) / 3; i++) {
        lmb_value point[3];
        for (uint32_t k = 0; k < 3; k++) {
            point[k] = lmb_constant(i > 0 && (i - 1) % 3 == k ? 1.0f : 0.0f);
        }
        const bool is_back = 3 * i >= FIELD(WORLD, to_model);
        const point_source from = {.values = point, .space = LMB_IK_WORLD, .is_direction = i > 0, .to_world = !is_back};
        const uint32_t weight = add_found_point(c, from);
        first = i == 0 ? weight : first;
    }
    return first;
}

// Half-lives per second; 0 for a half-life of 0.
static LMB_NOINLINE float compute_rate(float half_life) {
    return half_life > 0.0f ? snap((float)(1.0 / (double)half_life)) : 0.0f;
}

static uint32_t rate_of(float half_life) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const float rate = compute_rate(half_life);
    lmb_environment_leave(&callers);
    return BITS(rate);
}

// Writes what locks and smooths feet. What is not used takes no weights and no memory.
static void add_feet_state(lmb_compiler *c, const lmb_feet_def *def, uint32_t *at) {
    const bool locks = def->lock_distance > 0.0f;
    if (at != NULL) {
        at[FIELD(FEET, memory)] = FEET_FORGET;
        at[FIELD(FEET, moves)] = has_stride(def) || locks;
    }
    if (!keeps_state(def)) {
        return;
    }
    add_value(c, def->time, at != NULL ? at + FIELD(FEET, time) : NULL);
    const uint32_t world = def->space == LMB_IK_WORLD ? add_world(c) : 0;
    for (uint32_t i = 0; locks && i < def->foot_count; i++) {
        const uint32_t planted = lmb_graph_weigh_planted(c, def, i);
        if (at != NULL) {
            at[FIELD(FEET, planted) + i] = planted;
        }
    }
    if (at != NULL) {
        at[FIELD(FEET, memory)] = c->inertia_words + c->chain_words;
        at[FIELD(FEET, release)] = rate_of(def->release_half_life);
        at[FIELD(FEET, ground)] = rate_of(def->ground_half_life);
        at[FIELD(FEET, sinking)] = rate_of(def->pelvis_half_life);
        at[FIELD(FEET, jump)] = BITS(def->teleport * def->teleport); // at most 2^80
        at[FIELD(FEET, lock)] = BITS(snap(def->lock_distance));
        at[FIELD(FEET, world)] = world;
    }
    c->chain_words += 2 * (WORDS_OF(FEET_KEPT) + WORDS_OF(FOOT_KEPT) * def->foot_count);
}

static uint32_t add_feet(lmb_compiler *c, const lmb_feet_def *def) {
    uint32_t tables[LMB_MAX_FEET] = {0}, offset;
    for (uint32_t i = 0; i < def->foot_count; i++) {
        tables[i] = add_foot(c, def, &def->feet[i]);
    }
    uint32_t *at = lmb_graph_add_data(c, WORDS_OF(FEET) + count_ancestors(c->def->rig, def->pelvis), &offset);
    add_stride(c, def, at);
    add_feet_state(c, def, at);
    if (at != NULL) {
        at[FIELD(FEET, pelvis)] = def->pelvis;
        at[FIELD(FEET, count)] = def->foot_count;
        at[FIELD(FEET, lowering)] = BITS(snap(def->max_lowering));
        write_limit(def->max_angle, at + FIELD(FEET, limit));
        write_unit(def->up, at + FIELD(FEET, up));
        memcpy(at + FIELD(FEET, tables), tables, sizeof tables);
        write_ancestors(c->def->rig, def->pelvis, at + FIELD(FEET, ancestors));
    }
    return offset;
}

// Computes the rotation of a joint in model space in the rest pose.
static void find_rest_rotation(const lmb_rig *rig, uint32_t joint, double q[4]) {
    q[0] = q[1] = q[2] = 0.0;
    q[3] = 1.0;
    for (uint32_t at = joint; at != LMB_NONE; at = rig->def.joints[at].parent) {
        double local[4];
        lmb_quaternion_from(rig->def.joints[at].rest.rotation, local);
        lmb_quaternion_multiply(local, q, q);
    }
}

// Computes the axis of a twist in the space of a helper.
static LMB_NOINLINE void turn_axis(const lmb_rig *rig, const lmb_twist_def *def, uint32_t joint, float axis[3]) {
    float unit[3];
    double of_source[4], of_helper[4];
    normalize_axis(def->axis, unit);
    find_rest_rotation(rig, def->source, of_source);
    find_rest_rotation(rig, joint, of_helper);
    double v[3] = {(double)unit[0], (double)unit[1], (double)unit[2]};
    lmb_quaternion_rotate(of_source, v, v);
    lmb_quaternion_conjugate(of_helper, of_helper);
    lmb_quaternion_rotate(of_helper, v, v);
    for (int i = 0; i < 3; i++) {
        axis[i] = (float)v[i];
    }
}

static void write_turned_axis(const lmb_rig *rig, const lmb_twist_def *def, uint32_t joint, uint32_t *at) {
    float axis[3];
    lmb_environment callers;
    lmb_environment_enter(&callers);
    turn_axis(rig, def, joint, axis);
    lmb_environment_leave(&callers);
    write_unit(axis, at);
}

static uint32_t add_twist(lmb_compiler *c, const lmb_twist_def *def) {
    uint32_t offset;
    uint32_t *at = lmb_graph_add_data(c, WORDS_OF(TWIST) + def->joint_count * WORDS_OF(TWIST_JOINT), &offset);
    if (at != NULL) {
        at[FIELD(TWIST, source)] = def->source;
        write_unit(def->axis, at + FIELD(TWIST, axis));
        at[FIELD(TWIST, count)] = def->joint_count;
        for (uint32_t i = 0; i < def->joint_count; i++) {
            uint32_t *record = at + WORDS_OF(TWIST) + i * WORDS_OF(TWIST_JOINT);
            record[0] = def->joints[i];
            record[1] = BITS(snap(def->shares[i]));
            write_turned_axis(c->def->rig, def, def->joints[i], record + 2);
        }
    }
    return offset;
}

// What a chain computes once for all steps.
typedef struct chain_constants {
    float gravity[3];
    float keep;
    float pull;
    float far; // squared
} chain_constants;

static LMB_NOINLINE chain_constants compute_chain(const lmb_chain_def *def) {
    // No function of the C library, whose results differ.
    const double step = 1.0 / 120.0, turn = 6.283185307179586 * (double)def->stiffness * step;
    const float damped = (float)(-1.4426950408889634 * (double)def->damping * step); // as a power of 2
    chain_constants constants = {.keep = snap(exponential2(damped)),
                                 .pull = snap((float)(turn * turn / (1.0 + turn * turn))),
                                 .far = def->teleport * def->teleport}; // at most 2^80, which no snapping limits
    for (int i = 0; i < 3; i++) {
        constants.gravity[i] = snap((float)((double)def->gravity[i] * step * step));
    }
    return constants;
}

// The words of a chain's colliders, with the radii of its bones.
static uint32_t count_collider_words(const lmb_rig *rig, const lmb_chain_def *def, uint32_t bones) {
    uint32_t words = def->collider_count > 0 ? bones : 0;
    for (uint32_t i = 0; i < def->collider_count; i++) {
        words += WORDS_OF(COLLIDER) + count_ancestors(rig, def->colliders[i].joint) + 1;
    }
    return words;
}

// Writes a collider. Returns where the next one is.
static uint32_t *write_collider(const lmb_rig *rig, const lmb_collider_def *collider, uint32_t *at) {
    const uint32_t ancestors = count_ancestors(rig, collider->joint);
    for (uint32_t i = 0; i < 3; i++) {
        const float tail = collider->is_capsule ? collider->tail[i] : collider->offset[i];
        at[FIELD(COLLIDER, offset) + i] = BITS(snap(collider->offset[i]));
        at[FIELD(COLLIDER, tail) + i] = BITS(snap(tail));
    }
    at[FIELD(COLLIDER, radius)] = BITS(snap(collider->radius));
    write_ancestors(rig, collider->joint, at + FIELD(COLLIDER, joint_count));
    at[FIELD(COLLIDER, joint_count)] = ancestors + 1;
    at[WORDS_OF(COLLIDER) + ancestors] = collider->joint;
    return at + WORDS_OF(COLLIDER) + ancestors + 1;
}

// Writes a number of each bone: of none the default, and of one the same for all.
static void write_bone_numbers(const float *numbers, uint32_t count, float first, uint32_t bones, uint32_t *at) {
    for (uint32_t i = 0; i < bones; i++) {
        at[i] = BITS(count > 0 ? snap(numbers[count == 1 ? 0 : i]) : first);
    }
}

static void write_colliders(const lmb_rig *rig, const lmb_chain_def *def, uint32_t bones, uint32_t *at) {
    write_bone_numbers(def->radii, def->radius_count, 0.0f, bones, at);
    at += bones;
    for (uint32_t i = 0; i < def->collider_count; i++) {
        at = write_collider(rig, &def->colliders[i], at);
    }
}

static uint32_t add_chain(lmb_compiler *c, const lmb_chain_def *def) {
    const lmb_rig *rig = c->def->rig;
    const uint32_t bones = count_bones(rig, def->end, def->start), ancestors = count_ancestors(rig, def->start);
    const uint32_t joints = FIELD(CHAIN, ancestors) + 1 + ancestors;
    uint32_t offset;
    uint32_t *at = lmb_graph_add_data(c, joints + 2 * bones + 1 + count_collider_words(rig, def, bones), &offset);
    c->uses_colliders = c->uses_colliders || def->collider_count > 0;
    add_value(c, def->time, at != NULL ? at + FIELD(CHAIN, time) : NULL);
    add_point(c, (point_source){.values = def->velocity}, at != NULL ? at + FIELD(CHAIN, velocity) : NULL);
    if (at != NULL) {
        lmb_environment callers;
        lmb_environment_enter(&callers);
        const chain_constants constants = compute_chain(def);
        lmb_environment_leave(&callers);
        for (uint32_t i = 0; i < 3; i++) {
            at[FIELD(CHAIN, gravity) + i] = BITS(constants.gravity[i]);
        }
        at[FIELD(CHAIN, keep)] = BITS(constants.keep);
        at[FIELD(CHAIN, pull)] = BITS(constants.pull);
        at[FIELD(CHAIN, jump)] = BITS(constants.far);
        at[FIELD(CHAIN, memory)] = c->inertia_words + c->chain_words;
        at[FIELD(CHAIN, bones)] = bones | def->collider_count << CHAIN_COLLIDERS_SHIFT;
        write_ancestors(rig, def->start, at + FIELD(CHAIN, ancestors));
        uint32_t joint = def->end;
        for (uint32_t i = bones + 1; i-- > 0; joint = rig->def.joints[joint].parent) {
            at[joints + i] = joint;
        }
        write_bone_numbers(def->weights, def->weight_count, 1.0f, bones, at + joints + bones + 1);
        if (def->collider_count > 0) {
            write_colliders(rig, def, bones, at + joints + 2 * bones + 1);
        }
    }
    c->chain_words += 2 * WORDS_OF(CHAIN_BONE) * bones;
    return offset;
}

uint32_t lmb_graph_add_ik(lmb_compiler *c, const lmb_node_def *node) {
    switch (node->op) {
    case LMB_OP_IK_AIM:
        return add_aim(c, &node->aim);
    case LMB_OP_FOOT_PLACEMENT:
        return add_feet(c, &node->feet);
    case LMB_OP_TWIST:
        return add_twist(c, &node->twist);
    case LMB_OP_CHAIN:
        return add_chain(c, &node->chain);
    default:
        return add_two_bone(c, &node->two_bone, LMB_NONE);
    }
}
