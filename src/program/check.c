// Checks a descriptor before anything is emitted. The lengths of all lists come first, because later checks index them.
// Nodes only have inputs before them, so one pass in order finds cycles and missing nodes, and the type of each input
// is known when its node is checked. What depends on where a node is used, such as joint maps around it, is checked
// while it is emitted.
#include "compiler.h"

#include "base/number.h"
#include "clip_slot.h"
#include "rig/joint_limits.h"
#include "rig/mirror.h"
#include "rig/rig.h"

#include "../../shaders/ops/operations.h"

#include <math.h>
#include <stdio.h>

bool lmb_graph_check_value(const lmb_compiler *c, uint32_t node, const char *field, lmb_value value) {
    const char *fault = lmb_value_fault(value, c->def->parameter_count, c->def->curve_count);
    return lmb_graph_require(c, node, fault == NULL, field, fault);
}

static bool check_lods(const lmb_compiler *c) {
    if (c->def->max_lods == NULL) {
        return true;
    }
    const char *fault = lmb_value_fault(c->def->lod, c->def->parameter_count, c->def->curve_count);
    if (fault != NULL) {
        return lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: lod: %s", fault);
    }
    return lmb_rig_check_max_lods(c->def->rig, c->def->max_lods, c->error) == LMB_OK;
}

static bool check_inertia(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    if (!def->inertialize) {
        return true;
    }
    if (def->parameter_count < LMB_INERTIA_PARAMETERS ||
        def->inertia_parameters > def->parameter_count - LMB_INERTIA_PARAMETERS) {
        return lmb_refuse(c->error, LMB_ERROR_ARGUMENT,
                          "graph: inertia_parameters: there are not %u parameters from %u on",
                          (unsigned)LMB_INERTIA_PARAMETERS, (unsigned)def->inertia_parameters);
    }
    return def->nodes[def->node_count - 1].op != LMB_OP_WEIGHTED_MATRIX ||
           lmb_refuse(c->error, LMB_ERROR_ARGUMENT,
                      "graph: inertialize: it ends with a blend of matrices, which are no transforms");
}

static bool check_inputs(const lmb_compiler *c, uint32_t index) {
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
        return lmb_graph_refuse_node(c, index, "inputs", what);
    }
    bool valid = true;
    for (uint32_t i = 0; i < node->input_count && valid; i++) {
        valid = lmb_graph_require(c, index, node->inputs[i] < index, "inputs", "an input is not before the node") &&
                lmb_graph_require(c, index, c->def->nodes[node->inputs[i]].op != LMB_OP_WEIGHTED_MATRIX, "inputs",
                                  "a blend of matrices is no pose, and can only be the last operation");
    }
    return valid;
}

static bool has_clip(const lmb_compiler *c, lmb_value clip) {
    return clip.kind != LMB_VALUE_CONSTANT || (clip.constant >= 0.0f && clip.constant < (float)c->def->clip_count);
}

static bool has_mask(const lmb_compiler *c, uint32_t mask) {
    return mask < c->def->mask_count;
}

static bool check_clip(const lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    return lmb_graph_require(c, index, c->def->clip_count > 0, "clip", "the graph has no clips") &&
           lmb_graph_check_value(c, index, "clip", node->clip) && lmb_graph_check_value(c, index, "time", node->time) &&
           lmb_graph_check_value(c, index, "rate", node->rate) &&
           lmb_graph_check_value(c, index, "offset", node->offset) &&
           lmb_graph_require(c, index, node->joint_weights == LMB_NONE || has_mask(c, node->joint_weights),
                             "joint_weights", "there is no such mask") &&
           lmb_graph_require(c, index, has_clip(c, node->clip), "clip", "there is no such clip");
}

static bool check_pose(const lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    return node->static_pose == LMB_NONE
               ? lmb_graph_require(c, index, node->pose < LMB_MAX_POSES, "pose", "there are at most 8 pose buffers")
               : lmb_graph_require(c, index, node->static_pose < c->def->static_pose_count, "static_pose",
                                   "there is no such static pose");
}

static bool check_shares(const lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    bool valid = true;
    for (uint32_t i = 0; i < node->input_count && valid; i++) {
        char field[sizeof "weights[64]"];
        snprintf(field, sizeof field, "weights[%u]", (unsigned)(i % LMB_MAX_SPACE_INPUTS));
        valid = lmb_graph_check_value(c, index, field, lmb_graph_input_weight(node, i));
    }
    return valid;
}

// Checks that every input has a valid index or LMB_NONE.
static bool check_indices(const lmb_compiler *c, uint32_t index, const uint32_t *indices, uint32_t count,
                          const char *name, const char *what) {
    bool valid = true;
    for (uint32_t i = 0; i < c->def->nodes[index].input_count && valid; i++) {
        char field[sizeof "joint_maps[16]"];
        snprintf(field, sizeof field, "%s[%u]", name, (unsigned)(i % LMB_MAX_INPUTS));
        valid = lmb_graph_require(c, index, indices[i] == LMB_NONE || indices[i] < count, field, what);
    }
    return valid;
}

static bool check_choices(const lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    const lmb_operation *op = lmb_find_operation(node->op);
    const uint32_t positions = lmb_count_coordinates(op);
    const bool has_space = node->op == LMB_OP_MAKE_ADDITIVE || node->op == LMB_OP_ADDITIVE;
    bool valid = true;
    for (uint32_t i = 0; i < positions && valid; i++) {
        char field[sizeof "coordinates[3]"];
        snprintf(field, sizeof field, "coordinates[%u]", (unsigned)(i % 3));
        valid = lmb_graph_check_value(c, index, field, node->coordinates[i]);
    }
    return valid &&
           lmb_graph_require(c, index, (unsigned)node->interpolation < LMB_MIX_COUNT, "interpolation", "unknown") &&
           lmb_graph_require(c, index, (unsigned)node->form < LMB_FORM_COUNT, "form", "unknown") &&
           lmb_graph_require(c, index, (unsigned)node->space < LMB_SPACE_COUNT, "space", "unknown") &&
           lmb_graph_require(c, index, !has_space || node->space != LMB_SPACE_MODEL || node->form != LMB_FORM_AFFINE,
                             "space", "the affine form has no model space");
}

static bool check_node(const lmb_compiler *c, uint32_t index) {
    const lmb_graph_def *def = c->def;
    const lmb_node_def *node = &def->nodes[index];
    if (!lmb_graph_require(c, index, node->cookie == LMB_COOKIE, "cookie",
                           "the node is not from lmb_default_node_def()") ||
        !lmb_graph_require(c, index, (unsigned)node->op < LMB_OP_COUNT, "op", "unknown operation")) {
        return false;
    }
    const uint32_t takes = lmb_find_operation(node->op)->takes;
    const bool may_lack_mask = node->op == LMB_OP_ADDITIVE || node->op == LMB_OP_OVERRIDE;
    const bool masked = may_lack_mask ? node->mask != LMB_NONE : (takes & TAKES_MASK) != 0;
    return check_inputs(c, index) &&
           (!(takes & TAKES_WEIGHT) || lmb_graph_check_value(c, index, "weight", node->weight)) &&
           (!(takes & (TAKES_SHARE | TAKES_LAYER)) || check_shares(c, index)) &&
           (!(takes & TAKES_CLIP) || check_clip(c, index)) && (!(takes & TAKES_POSE) || check_pose(c, index)) &&
           lmb_graph_require(c, index, !(takes & TAKES_MIRROR) || node->mirror < def->mirror_count, "mirror",
                             "there is no such mirror") &&
           lmb_graph_require(c, index, !(takes & TAKES_LIMITS) || node->joint_limits < def->joint_limits_count,
                             "joint_limits", "there are no such joint limits") &&
           (!(takes & TAKES_IK) || lmb_graph_check_ik(c, index)) &&
           (!(takes & TAKES_JOINT_MAP) || check_indices(c, index, node->joint_maps, def->joint_map_count, "joint_maps",
                                                        "there is no such joint map")) &&
           (!(takes & TAKES_LAYER) ||
            check_indices(c, index, node->masks, def->mask_count, "masks", "there is no such mask")) &&
           lmb_graph_require(c, index, !(takes & TAKES_LAYER) || (node->threshold >= 0.0f && node->threshold <= 1.0f),
                             "threshold", "it is not from 0 to 1") &&
           lmb_graph_require(c, index, node->op != LMB_OP_RETARGET || node->retarget < def->retarget_count, "retarget",
                             "there is no such retarget") &&
           check_choices(c, index) && (!(takes & TAKES_SPACE) || lmb_graph_check_space(c, index)) &&
           lmb_graph_require(c, index, !masked || has_mask(c, node->mask), "mask", "there is no such mask");
}

// ---- Types of nodes. A pose and an additive (a change of poses) have the same form and different meanings. Types are
// found from the leaves up. A graph is refused if an operation would mix them.

#define POSE_TYPE 1u
#define ADDITIVE_TYPE 2u

static bool may_play_any(const lmb_node_def *node) {
    return node->op == LMB_OP_CLIP && (node->clip.kind == LMB_VALUE_PARAMETER || node->clip.curve != LMB_CURVE_LINEAR);
}

bool lmb_graph_may_play(const lmb_node_def *node, uint32_t clip) {
    return may_play_any(node) || (node->op == LMB_OP_CLIP && (uint32_t)node->clip.constant == clip);
}

static void add_played(const lmb_graph_def *def, uint32_t clip, lmb_played *played) {
    played->kinds |= lmb_graph_clip_kinds(def, clip);
    played->has_other_joints =
        played->has_other_joints || lmb_graph_clip_joints(def, clip) != def->rig->def.joint_count;
}

lmb_played lmb_graph_played(const lmb_graph_def *def) {
    lmb_played played = {0};
    bool any = false;
    for (uint32_t i = 0; i < def->node_count; i++) {
        any = any || may_play_any(&def->nodes[i]);
        if (def->nodes[i].op == LMB_OP_CLIP && !any) {
            add_played(def, (uint32_t)def->nodes[i].clip.constant, &played);
        }
    }
    for (uint32_t i = 0; any && i < def->clip_count; i++) {
        add_played(def, i, &played);
    }
    return played;
}

static uint8_t clip_types(const lmb_compiler *c, const lmb_node_def *node) {
    uint8_t types = 0;
    for (uint32_t i = 0; i < c->def->clip_count; i++) {
        if (lmb_graph_may_play(node, i)) {
            types |= lmb_graph_clip_is_additive(c->def, i) ? ADDITIVE_TYPE : POSE_TYPE;
        }
    }
    return types;
}

// A sum is an additive only if both terms are.
static uint8_t sum_types(uint8_t a, uint8_t b) {
    return (uint8_t)(((a | b) & POSE_TYPE) | (a & b & ADDITIVE_TYPE));
}

// The difference of two poses is an additive, and a pose minus an additive is a pose.
static uint8_t difference_types(uint8_t a, uint8_t b) {
    const bool is_additive = (a & ADDITIVE_TYPE) != 0 || (a & b & POSE_TYPE) != 0;
    const bool is_pose = (a & POSE_TYPE) != 0 && (b & ADDITIVE_TYPE) != 0;
    return (uint8_t)((is_pose ? POSE_TYPE : 0) | (is_additive ? ADDITIVE_TYPE : 0));
}

static bool fail_input(const lmb_compiler *c, uint32_t index, uint32_t input, const char *what) {
    char field[sizeof "inputs[4294967295]"];
    snprintf(field, sizeof field, "inputs[%u]", (unsigned)input);
    return lmb_graph_refuse_node(c, index, field, what);
}

// Finds the types that all inputs can have.
static bool find_common(const lmb_compiler *c, uint32_t index, uint8_t *types) {
    const lmb_node_def *node = &c->def->nodes[index];
    *types = POSE_TYPE | ADDITIVE_TYPE;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint8_t own = c->types[node->inputs[i]];
        if ((*types & own) == 0) {
            return fail_input(c, index, i,
                              own == POSE_TYPE ? "a pose, where the inputs before it are additives"
                                               : "an additive, where the inputs before it are poses");
        }
        *types &= own;
    }
    return true;
}

// Says why an operation refuses an additive.
static const char *why_only_poses(lmb_op op) {
    return op == LMB_OP_CLAMP      ? "an additive, and joint limits are those of poses"
           : op == LMB_OP_TWIST    ? "an additive, and only the twist of a pose is shared"
           : op == LMB_OP_RETARGET ? "an additive, and only poses have a place in model space: "
                                     "make additives of retargeted poses"
                                   : "an additive, and only poses have positions";
}

static bool find_type(lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    uint8_t of[3] = {0}, *types = &c->types[index];
    for (uint32_t i = 0; i < node->input_count && i < 3; i++) {
        of[i] = c->types[node->inputs[i]];
    }
    if ((lmb_find_operation(node->op)->takes & ONLY_POSES) != 0) {
        *types = POSE_TYPE;
        return (of[0] & POSE_TYPE) != 0 || fail_input(c, index, 0, why_only_poses(node->op));
    }
    switch (node->op) {
    case LMB_OP_REST:
        *types = POSE_TYPE;
        break;
    case LMB_OP_CLIP:
        *types = clip_types(c, node);
        break;
    case LMB_OP_POSE: // only the host knows
        *types = POSE_TYPE | ADDITIVE_TYPE;
        break;
    case LMB_OP_ADDITIVE:
        *types = of[0];
        if ((of[1] & ADDITIVE_TYPE) == 0) {
            return fail_input(c, index, 1, "a pose; what is added is an additive, such as a make-additive");
        }
        break;
    case LMB_OP_MAKE_ADDITIVE: {
        const bool agree = find_common(c, index, types);
        *types = ADDITIVE_TYPE;
        return agree;
    }
    case LMB_OP_ADD:
        *types = sum_types(of[0], of[1]);
        break;
    case LMB_OP_SUBTRACT:
        *types = difference_types(of[0], of[1]);
        break;
    case LMB_OP_SUBTRACT_SCALE_ADD:
        *types = sum_types(difference_types(of[0], of[1]), of[2]);
        break;
    default:
        return find_common(c, index, types);
    }
    return true;
}

// ---- Forms of additives. An additive that is added with another form or space than it was made with gives another
// pose than that from which it was made. A clip that was baked, a pose buffer and a difference have no form of their
// own.

#define MADE_IN_MODEL_SPACE (1u << LMB_FORM_COUNT)

// In model space the local form and that of the parent are the same.
static uint8_t form_of(const lmb_node_def *node) {
    return (uint8_t)(node->space == LMB_SPACE_MODEL ? MADE_IN_MODEL_SPACE : 1u << node->form);
}

// Returns with which of several forms an additive was made.
static const char *name_of_form(uint8_t made) {
    return made & MADE_IN_MODEL_SPACE       ? "LMB_SPACE_MODEL"
           : made & (1u << LMB_FORM_AFFINE) ? "LMB_FORM_AFFINE"
           : made & (1u << LMB_FORM_PARENT) ? "LMB_FORM_PARENT"
                                            : "LMB_FORM_LOCAL";
}

// Finds the forms with which the additives in a node were made.
static bool find_forms(lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    const bool is_difference = node->op == LMB_OP_SUBTRACT || node->op == LMB_OP_SUBTRACT_SCALE_ADD;
    uint8_t made = 0;
    for (uint32_t i = is_difference ? 2 : 0; i < node->input_count; i++) {
        made |= c->forms[node->inputs[i]];
    }
    c->forms[index] = node->op == LMB_OP_MAKE_ADDITIVE ? form_of(node) : made;
    if (node->op != LMB_OP_ADDITIVE) {
        return true;
    }
    const uint8_t other = c->forms[node->inputs[1]] & (uint8_t)~form_of(node);
    char what[160];
    snprintf(what, sizeof what, "%s, and what it adds was made with %s; give both nodes the same",
             name_of_form(form_of(node)), name_of_form(other));
    const bool is_space = ((other | form_of(node)) & MADE_IN_MODEL_SPACE) != 0;
    return lmb_graph_require(c, index, other == 0, is_space ? "space" : "form", what);
}

bool lmb_graph_is_additive(const lmb_compiler *c, const lmb_node_def *node) {
    return c->types[node - c->def->nodes] == ADDITIVE_TYPE;
}

// ---- The descriptor.

static bool check_masks(const lmb_compiler *c) {
    bool valid = true;
    for (uint32_t i = 0; i < c->def->mask_count && valid; i++) {
        valid =
            c->def->masks[i] != NULL || lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: mask %u is NULL", (unsigned)i);
    }
    return valid;
}

static bool check_origins(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    bool valid = true;
    for (uint32_t i = 0; i < def->clip_origin_count && valid; i++) {
        const lmb_clip_origin *origin = &def->clip_origins[i];
        valid = (origin->clip < def->clip_count && origin->of < def->clip_count) ||
                lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: clip origin %u: it names a clip that does not exist",
                           (unsigned)i);
    }
    return valid;
}

// Clips that have slots may be NULL.
static bool check_clips(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    bool valid = lmb_graph_check_slots(c);
    for (uint32_t i = 0; i < def->clip_count && valid; i++) {
        valid = def->clips[i] != NULL || lmb_graph_slot_of(def, i) != NULL ||
                lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: clip %u is NULL, and has no slot", (unsigned)i);
    }
    return valid;
}

// Checks the lengths of all lists before anything reads them, because many checks read several lists. Lists of what
// moves by itself are checked in control/moving.c.
static bool check_lengths(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    const struct {
        const char *what;
        const void *list;
        uint32_t count;
        uint32_t most;
    } lists[] = {{"nodes", def->nodes, def->node_count, LMB_MAX_NODES},
                 {"clips", def->clips, def->clip_count, LMB_MAX_CLIPS},
                 {"clip slots", def->clip_slots, def->clip_slot_count, LMB_MAX_CLIP_SLOTS},
                 {"clip origins", def->clip_origins, def->clip_origin_count, LMB_MAX_CLIPS},
                 {"masks", def->masks, def->mask_count, LMB_MAX_MASKS},
                 {"mirrors", def->mirrors, def->mirror_count, LMB_MAX_MIRRORS},
                 {"joint limits", def->joint_limits, def->joint_limits_count, LMB_MAX_JOINT_LIMITS},
                 {"joint maps", def->joint_maps, def->joint_map_count, LMB_MAX_JOINT_MAPS},
                 {"retargets", def->retargets, def->retarget_count, LMB_MAX_RETARGETS},
                 {"curves", def->curves, def->curve_count, LMB_MAX_CURVES},
                 {"static poses", def->static_poses, def->static_pose_count, LMB_MAX_STATIC_POSES}};
    bool valid = true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && valid; i++) {
        valid = lmb_check_list(c->error, "graph", lists[i].what, lists[i].list, lists[i].count, lists[i].most);
    }
    return valid && lmb_check_count(c->error, "graph", "parameters", def->parameter_count, LMB_MAX_PARAMETERS) &&
           lmb_check_count(c->error, "graph", "events", def->event_count, LMB_MAX_EVENTS);
}

static bool check_curves(const lmb_compiler *c) {
    bool valid = true;
    for (uint32_t i = 0; i < c->def->curve_count && valid; i++) {
        lmb_curve_fault fault;
        valid = lmb_curve_check(&c->def->curves[i], &fault);
        if (!valid && fault.key == LMB_NONE) {
            lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: curve %u: %s", (unsigned)i, fault.why);
        } else if (!valid) {
            lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: curve %u: key %u: %s", (unsigned)i, (unsigned)fault.key,
                       fault.why);
        }
    }
    return valid;
}

static bool check_sizes(const lmb_compiler *c) {
    if (c->def->rig == NULL) {
        return lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: the rig is NULL");
    }
    if (c->def->node_count == 0) {
        return lmb_refuse(c->error, LMB_ERROR_ARGUMENT, "graph: there are no nodes");
    }
    return check_lengths(c) && check_curves(c) && check_clips(c) && check_origins(c) && check_masks(c);
}

static bool check_mirrors(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    bool valid = true;
    for (uint32_t i = 0; i < def->mirror_count && valid; i++) {
        valid = lmb_mirror_check(def->rig, &def->mirrors[i], i, c->error) == LMB_OK;
    }
    return valid;
}

static bool check_joint_limits(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    bool valid = true;
    for (uint32_t i = 0; i < def->joint_limits_count && valid; i++) {
        valid = lmb_limits_check(def->rig, def->joint_limits[i], lmb_ranges_of(def, i), i, c->error) == LMB_OK;
    }
    return valid;
}

bool lmb_graph_check_def(lmb_compiler *c) {
    bool valid = check_sizes(c) && check_mirrors(c) && check_joint_limits(c) && lmb_graph_check_joint_maps(c) &&
                 lmb_graph_check_retargets(c) && lmb_graph_check_static_poses(c) && check_lods(c) && check_inertia(c);
    for (uint32_t i = 0; valid && i < c->def->node_count; i++) {
        valid = check_node(c, i) && find_type(c, i) && find_forms(c, i);
    }
    return valid;
}
