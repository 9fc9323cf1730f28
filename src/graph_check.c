#include "graph_compiler.h"

#include "clip.h"
#include "joint_limits.h"
#include "mirror.h"
#include "number.h"
#include "rig.h"

#include "../shaders/ops/operations.h"

#include <math.h>
#include <stdio.h>

static lmb_result check_value(const lmb_compiler *c, uint32_t node, const char *field, lmb_value value) {
    const char *fault = lmb_value_fault(value, c->def->parameter_count);
    return fault == NULL ? LMB_OK : lmb_graph_fail_node(c, node, field, fault);
}

static lmb_result check_lods(const lmb_compiler *c) {
    if (c->def->max_lods == NULL) {
        return LMB_OK;
    }
    const char *fault = lmb_value_fault(c->def->lod, c->def->parameter_count);
    if (fault != NULL) {
        return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "graph: lod: %s", fault);
    }
    return lmb_rig_check_max_lods(c->def->rig, c->def->max_lods, c->error);
}

static lmb_result check_inertia(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    if (!def->inertialize) {
        return LMB_OK;
    }
    if (def->parameter_count < LMB_INERTIA_PARAMETERS ||
        def->inertia_parameters > def->parameter_count - LMB_INERTIA_PARAMETERS) {
        return lmb_fail(c->error, LMB_ERROR_ARGUMENT,
                        "graph: inertia_parameters: there are not %u parameters from %u on",
                        (unsigned)LMB_INERTIA_PARAMETERS, (unsigned)def->inertia_parameters);
    }
    if (def->nodes[def->node_count - 1].op == LMB_OP_WEIGHTED_MATRIX) {
        return lmb_fail(c->error, LMB_ERROR_ARGUMENT,
                        "graph: inertialize: it ends with a blend of matrices, which are no transforms");
    }
    return LMB_OK;
}

static lmb_result check_inputs(const lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    const lmb_operation *op = lmb_find_operation(node->op);
    if (node->input_count < op->min_inputs || node->input_count > op->most_inputs) {
        char what[48];
        if (op->most_inputs == 0) {
            snprintf(what, sizeof what, "this operation has none");
        } else if (op->min_inputs == op->most_inputs) {
            snprintf(what, sizeof what, "this operation has %u", (unsigned)op->most_inputs);
        } else {
            snprintf(what, sizeof what, "this operation has %u to %u", (unsigned)op->min_inputs,
                     (unsigned)op->most_inputs);
        }
        return lmb_graph_fail_node(c, index, "inputs", what);
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] >= index) {
            return lmb_graph_fail_node(c, index, "inputs", "an input is not before the node");
        }
        if (c->def->nodes[node->inputs[i]].op == LMB_OP_WEIGHTED_MATRIX) {
            return lmb_graph_fail_node(c, index, "inputs",
                                       "a blend of matrices is no pose, and can only be the last operation");
        }
    }
    return LMB_OK;
}

static lmb_result check_clip(const lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    if (c->def->clip_count == 0) {
        return lmb_graph_fail_node(c, index, "clip", "the graph has no clips");
    }
    lmb_result result = check_value(c, index, "clip", node->clip);
    if (result == LMB_OK) {
        result = check_value(c, index, "time", node->time);
    }
    if (result == LMB_OK) {
        result = check_value(c, index, "rate", node->rate);
    }
    if (result == LMB_OK) {
        result = check_value(c, index, "offset", node->offset);
    }
    if (result == LMB_OK && node->joint_weights != LMB_NONE && node->joint_weights >= c->def->mask_count) {
        return lmb_graph_fail_node(c, index, "joint_weights", "there is no such mask");
    }
    float constant = node->clip.constant;
    if (result == LMB_OK && node->clip.kind == LMB_VALUE_CONSTANT &&
        !(constant >= 0.0f && constant < (float)c->def->clip_count)) {
        return lmb_graph_fail_node(c, index, "clip", "there is no such clip");
    }
    return result;
}

static lmb_result check_shares(const lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < node->input_count && result == LMB_OK; i++) {
        char field[sizeof "weights[64]"];
        snprintf(field, sizeof field, "weights[%u]", (unsigned)(i % LMB_MAX_SPACE_INPUTS));
        result = check_value(c, index, field, lmb_graph_input_weight(node, i));
    }
    return result;
}

// Checks that every input has a valid index or LMB_NONE.
static lmb_result check_indices(const lmb_compiler *c, uint32_t index, const uint32_t *indices, uint32_t count,
                                const char *name, const char *what) {
    for (uint32_t i = 0; i < c->def->nodes[index].input_count; i++) {
        if (indices[i] != LMB_NONE && indices[i] >= count) {
            char field[sizeof "joint_maps[16]"];
            snprintf(field, sizeof field, "%s[%u]", name, (unsigned)(i % LMB_MAX_INPUTS));
            return lmb_graph_fail_node(c, index, field, what);
        }
    }
    return LMB_OK;
}

static lmb_result check_choices(const lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    lmb_result result = LMB_OK;
    const lmb_operation *op = lmb_find_operation(node->op);
    uint32_t positions = (op->takes & TAKES_PLANE) ? 2 : (op->takes & TAKES_SPACE) ? 1 : op->positions;
    for (uint32_t i = 0; i < positions && result == LMB_OK; i++) {
        char field[sizeof "coordinates[3]"];
        snprintf(field, sizeof field, "coordinates[%u]", (unsigned)(i % 3));
        result = check_value(c, index, field, node->coordinates[i]);
    }
    if (result == LMB_OK && (unsigned)node->interpolation >= LMB_MIX_COUNT) {
        result = lmb_graph_fail_node(c, index, "interpolation", "unknown");
    }
    if (result == LMB_OK && (unsigned)node->form >= LMB_FORM_COUNT) {
        result = lmb_graph_fail_node(c, index, "form", "unknown");
    }
    if (result == LMB_OK && (unsigned)node->space >= LMB_SPACE_COUNT) {
        result = lmb_graph_fail_node(c, index, "space", "unknown");
    }
    bool has_space = node->op == LMB_OP_MAKE_ADDITIVE || node->op == LMB_OP_ADDITIVE;
    if (result == LMB_OK && has_space && node->space == LMB_SPACE_MODEL && node->form == LMB_FORM_AFFINE) {
        result = lmb_graph_fail_node(c, index, "space", "the affine form has no model space");
    }
    return result;
}

static lmb_result check_node(const lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    if (node->cookie != LMB_COOKIE) {
        return lmb_graph_fail_node(c, index, "cookie", "the node is not from lmb_default_node_def()");
    }
    if ((unsigned)node->op >= LMB_OP_COUNT) {
        return lmb_graph_fail_node(c, index, "op", "unknown operation");
    }
    uint32_t takes = lmb_find_operation(node->op)->takes;
    lmb_result result = check_inputs(c, index);
    if (result == LMB_OK && (takes & TAKES_WEIGHT)) {
        result = check_value(c, index, "weight", node->weight);
    }
    if (result == LMB_OK && (takes & (TAKES_SHARE | TAKES_LAYER))) {
        result = check_shares(c, index);
    }
    if (result == LMB_OK && (takes & TAKES_CLIP)) {
        result = check_clip(c, index);
    }
    if (result == LMB_OK && (takes & TAKES_POSE) && node->static_pose == LMB_NONE && node->pose >= LMB_MAX_POSES) {
        result = lmb_graph_fail_node(c, index, "pose", "there are at most 8 pose buffers");
    }
    if (result == LMB_OK && (takes & TAKES_POSE) && node->static_pose != LMB_NONE &&
        node->static_pose >= c->def->static_pose_count) {
        result = lmb_graph_fail_node(c, index, "static_pose", "there is no such static pose");
    }
    if (result == LMB_OK && (takes & TAKES_MIRROR) && node->mirror >= c->def->mirror_count) {
        result = lmb_graph_fail_node(c, index, "mirror", "there is no such mirror");
    }
    if (result == LMB_OK && (takes & TAKES_LIMITS) && node->joint_limits >= c->def->joint_limits_count) {
        result = lmb_graph_fail_node(c, index, "limits", "there are no such limits");
    }
    if (result == LMB_OK && (takes & TAKES_IK)) {
        result = lmb_graph_check_ik(c, index);
    }
    if (result == LMB_OK && (takes & TAKES_PART)) {
        result = check_indices(c, index, node->joint_maps, c->def->joint_map_count, "joint_maps",
                               "there is no such joint map");
    }
    if (result == LMB_OK && (takes & TAKES_LAYER)) {
        result = check_indices(c, index, node->masks, c->def->mask_count, "masks", "there is no such mask");
    }
    if (result == LMB_OK) {
        result = check_choices(c, index);
    }
    if (result == LMB_OK && (takes & TAKES_SPACE)) {
        result = lmb_graph_check_space(c, index);
    }
    bool masked = (takes & TAKES_MASK) != 0 || (node->op == LMB_OP_ADDITIVE && node->mask != LMB_NONE);
    if (result == LMB_OK && masked && node->mask >= c->def->mask_count) {
        result = lmb_graph_fail_node(c, index, "mask", "there is no such mask");
    }
    return result;
}

lmb_result lmb_graph_check_def(lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    if (def->rig == NULL) {
        return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "graph: the rig is NULL");
    }
    if (def->parameter_count > LMB_MAX_PARAMETERS) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT, "graph: %u parameters, and at most %u are possible",
                        (unsigned)def->parameter_count, LMB_MAX_PARAMETERS);
    }
    if (def->event_count > LMB_MAX_EVENTS) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT, "graph: %u events, and at most %u are possible",
                        (unsigned)def->event_count, LMB_MAX_EVENTS);
    }
    if (def->node_count == 0 || def->nodes == NULL) {
        return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "graph: there are no nodes");
    }
    if (def->node_count > LMB_MAX_NODES) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT, "graph: %u nodes, and at most %u are possible",
                        (unsigned)def->node_count, LMB_MAX_NODES);
    }
    for (uint32_t i = 0; i < def->clip_count; i++) {
        if (def->clips == NULL || def->clips[i] == NULL) {
            return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "graph: clip %u is NULL", (unsigned)i);
        }
    }
    for (uint32_t i = 0; i < def->mask_count; i++) {
        if (def->masks == NULL || def->masks[i] == NULL) {
            return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "graph: mask %u is NULL", (unsigned)i);
        }
    }
    lmb_result result = LMB_OK;
    if (def->mirror_count > 0 && def->mirrors == NULL) {
        return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "graph: the mirrors are NULL");
    }
    if (def->mirror_count > LMB_MAX_MIRRORS) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT, "graph: %u mirrors, and at most %u are possible",
                        (unsigned)def->mirror_count, LMB_MAX_MIRRORS);
    }
    for (uint32_t i = 0; i < def->mirror_count && result == LMB_OK; i++) {
        result = lmb_mirror_check(def->rig, &def->mirrors[i], i, c->error);
    }
    if (result == LMB_OK && def->joint_limits_count > 0 && def->joint_limits == NULL) {
        return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "graph: the limits are NULL");
    }
    if (result == LMB_OK && def->joint_limits_count > LMB_MAX_JOINT_LIMITS) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT, "graph: %u limits, and at most %u are possible",
                        (unsigned)def->joint_limits_count, LMB_MAX_JOINT_LIMITS);
    }
    for (uint32_t i = 0; i < def->joint_limits_count && result == LMB_OK; i++) {
        result = lmb_limits_check(def->rig, def->joint_limits[i], lmb_ranges_of(def, i), i, c->error);
    }
    if (result == LMB_OK) {
        result = lmb_graph_check_parts(c);
    }
    if (result == LMB_OK) {
        result = lmb_graph_check_static_poses(c);
    }
    if (result == LMB_OK) {
        result = check_lods(c);
    }
    if (result == LMB_OK) {
        result = check_inertia(c);
    }
    for (uint32_t i = 0; i < def->node_count && result == LMB_OK; i++) {
        result = check_node(c, i);
        if (result == LMB_OK) {
            result = lmb_graph_find_type(c, i);
        }
    }
    return result;
}
