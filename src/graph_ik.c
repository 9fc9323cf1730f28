// Inverse kinematics: checks of its nodes, and the tables that shaders/ops/ik.h reads.
#include "graph_compiler.h"

#include "float_environment.h"
#include "number.h"
#include "rig.h"
#include "value.h"

#include "../shaders/ops/operations.h"

#include <math.h>
#include <stdio.h>

_Static_assert(AIM_ANCESTORS == AIM_JOINTS + LMB_MAX_AIM_JOINTS * AIM_JOINT_WORDS,
               "the table of an aim has room for another number of joints");

// ---- Checks.

static bool check_joint(const lmb_compiler *c, uint32_t index, const char *field, uint32_t joint) {
    return lmb_graph_require(c, index, joint < c->def->rig->joint_count, field, "the rig has no such joint");
}

static bool is_below(const lmb_rig *rig, uint32_t joint, uint32_t ancestor) {
    uint32_t above = rig->parents[joint];
    while (above != LMB_NONE && above != ancestor) {
        above = rig->parents[above];
    }
    return above == ancestor;
}

// Checks that a joint is in the branch below another one.
static bool check_below(const lmb_compiler *c, uint32_t index, const char *field, uint32_t joint, uint32_t ancestor) {
    const lmb_rig *rig = c->def->rig;
    char what[240];
    snprintf(what, sizeof what, "joint %u '%.80s' is not below joint %u '%.80s'", (unsigned)joint, rig->names[joint],
             (unsigned)ancestor, rig->names[ancestor]);
    return lmb_graph_require(c, index, is_below(rig, joint, ancestor), field, what);
}

static bool check_point(const lmb_compiler *c, uint32_t index, const char *name, const lmb_value point[3]) {
    bool valid = true;
    for (uint32_t i = 0; i < 3 && valid; i++) {
        const char *fault = lmb_value_fault(point[i], c->def->parameter_count);
        char field[32];
        snprintf(field, sizeof field, "%s[%u]", name, (unsigned)i);
        valid = lmb_graph_require(c, index, fault == NULL, field, fault);
    }
    return valid;
}

static LMB_NOINLINE bool normalize_axis(const float axis[3], float unit[3]) {
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        square += (double)axis[i] * (double)axis[i];
    }
    const double length = sqrt(square);
    for (int i = 0; i < 3; i++) {
        unit[i] = snap((float)((double)axis[i] / length));
    }
    return length > 0.0 && length <= (double)LMB_LARGEST;
}

// Computes the unit vector of an axis. Returns false if the axis is 0 or not finite.
static bool find_unit(const float axis[3], float unit[3]) {
    lmb_environment callers;
    lmb_environment_enter(&callers);
    const bool found = normalize_axis(axis, unit);
    lmb_environment_leave(&callers);
    return found;
}

static bool check_axis(const lmb_compiler *c, uint32_t index, const char *field, const float axis[3]) {
    float unit[3];
    return lmb_graph_require(c, index, find_unit(axis, unit), field, "it is 0, or not a finite number up to 2^40");
}

static bool check_two_bone(const lmb_compiler *c, uint32_t index) {
    const lmb_two_bone_def *def = &c->def->nodes[index].two_bone;
    const char *fault = lmb_value_fault(def->twist, c->def->parameter_count);
    return check_joint(c, index, "start", def->start) && check_joint(c, index, "mid", def->mid) &&
           check_joint(c, index, "end", def->end) && check_below(c, index, "mid", def->mid, def->start) &&
           check_below(c, index, "end", def->end, def->mid) && check_point(c, index, "target", def->target) &&
           check_point(c, index, "pole", def->pole) && check_axis(c, index, "mid_axis", def->mid_axis) &&
           lmb_graph_require(c, index, def->soften >= 0.0f && def->soften <= 1.0f, "soften", "it is not from 0 to 1") &&
           lmb_graph_require(c, index, fault == NULL, "twist", fault);
}

static bool check_aim_joint(const lmb_compiler *c, uint32_t index, uint32_t place) {
    const lmb_aim_def *def = &c->def->nodes[index].aim;
    char field[sizeof "joints[7]"];
    snprintf(field, sizeof field, "joints[%u]", (unsigned)(place % LMB_MAX_AIM_JOINTS));
    return check_joint(c, index, field, def->joints[place]) &&
           (place == 0 || check_below(c, index, field, def->joints[place - 1], def->joints[place])) &&
           lmb_graph_require(c, index, def->shares[place] >= 0.0f && def->shares[place] <= 1.0f, field,
                             "its share is not from 0 to 1");
}

static bool check_aim(const lmb_compiler *c, uint32_t index) {
    const lmb_aim_def *def = &c->def->nodes[index].aim;
    size_t offender;
    bool valid = lmb_graph_require(c, index, def->joint_count > 0 && def->joint_count <= LMB_MAX_AIM_JOINTS,
                                   "joint_count", "it is not from 1 to 8");
    for (uint32_t i = 0; valid && i < def->joint_count; i++) {
        valid = check_aim_joint(c, index, i);
    }
    return valid && check_point(c, index, "target", def->target) && check_point(c, index, "pole", def->pole) &&
           check_axis(c, index, "forward", def->forward) && check_axis(c, index, "up", def->up) &&
           lmb_graph_require(c, index, lmb_usable(def->offset, 3, &offender), "offset",
                             "it is not a finite number up to 2^40") &&
           lmb_graph_require(c, index, def->limit >= 0.0f, "limit", "it is not 0 or more");
}

bool lmb_graph_check_ik(const lmb_compiler *c, uint32_t node) {
    return c->def->nodes[node].op == LMB_OP_IK_AIM ? check_aim(c, node) : check_two_bone(c, node);
}

// ---- Tables. Each function also runs while counting, when `at` is NULL.

// Stores a value that parameters determine as the index of its weight.
static void add_value(lmb_compiler *c, lmb_value value, uint32_t *at) {
    uint32_t words[VALUE_WORDS];
    lmb_value_write(value, words);
    const bool is_constant = value.kind == LMB_VALUE_CONSTANT && value.curve == LMB_CURVE_LINEAR;
    const uint32_t weight = is_constant ? WEIGHT_NONE : lmb_graph_weigh_value(c, value, LMB_LARGEST);
    if (at != NULL) {
        at[0] = weight;
        at[1] = words[VALUE_CONSTANT];
    }
}

static void add_point(lmb_compiler *c, const lmb_value point[3], uint32_t *at) {
    for (uint32_t i = 0; i < 3; i++) {
        add_value(c, point[i], at != NULL ? at + i * IK_VALUE_WORDS : NULL);
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
    uint32_t count = 0;
    for (uint32_t above = rig->parents[joint]; above != LMB_NONE; above = rig->parents[above]) {
        count++;
    }
    return count;
}

// Writes the number of ancestors, and then these, the root first.
static void write_ancestors(const lmb_rig *rig, uint32_t joint, uint32_t *at) {
    at[0] = count_ancestors(rig, joint);
    uint32_t *end = at + at[0];
    for (uint32_t above = rig->parents[joint]; above != LMB_NONE; above = rig->parents[above]) {
        *end-- = above;
    }
}

static uint32_t add_two_bone(lmb_compiler *c, const lmb_two_bone_def *def) {
    const lmb_rig *rig = c->def->rig;
    uint32_t offset;
    uint32_t *at = lmb_graph_add_data(c, TWO_BONE_WORDS + count_ancestors(rig, def->start), &offset);
    add_point(c, def->target, at != NULL ? at + TWO_BONE_TARGET : NULL);
    add_point(c, def->pole, at != NULL ? at + TWO_BONE_POLE : NULL);
    add_value(c, def->twist, at != NULL ? at + TWO_BONE_TWIST : NULL);
    if (at != NULL) {
        at[TWO_BONE_START] = def->start;
        at[TWO_BONE_MID] = def->mid;
        at[TWO_BONE_END] = def->end;
        write_unit(def->mid_axis, at + TWO_BONE_AXIS);
        at[TWO_BONE_SOFTEN] = BITS(snap(def->soften));
        write_ancestors(rig, def->start, at + TWO_BONE_ANCESTORS);
    }
    return offset;
}

static LMB_NOINLINE void compute_limit(float limit, float *cosine, float *sine) {
    const double half = limit < 3.14159274f ? 0.5 * (double)limit : asin(1.0);
    *cosine = snap((float)cos(half));
    *sine = snap((float)sin(half));
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
    uint32_t *at = lmb_graph_add_data(c, AIM_WORDS + count_ancestors(rig, def->joints[0]), &offset);
    add_point(c, def->target, at != NULL ? at + AIM_TARGET : NULL);
    add_point(c, def->pole, at != NULL ? at + AIM_POLE : NULL);
    if (at != NULL) {
        at[AIM_COUNT] = def->joint_count;
        write_unit(def->forward, at + AIM_FORWARD);
        write_unit(def->up, at + AIM_UP);
        for (uint32_t i = 0; i < 3; i++) {
            at[AIM_OFFSET + i] = BITS(snap(def->offset[i]));
        }
        write_limit(def->limit, at + AIM_LIMIT);
        for (uint32_t i = 0; i < def->joint_count; i++) {
            at[AIM_JOINTS + i * AIM_JOINT_WORDS] = def->joints[i];
            at[AIM_JOINTS + i * AIM_JOINT_WORDS + 1] = BITS(snap(def->shares[i]));
        }
        write_ancestors(rig, def->joints[0], at + AIM_ANCESTORS);
    }
    return offset;
}

uint32_t lmb_graph_add_ik(lmb_compiler *c, const lmb_node_def *node) {
    return node->op == LMB_OP_IK_AIM ? add_aim(c, &node->aim) : add_two_bone(c, &node->two_bone);
}
