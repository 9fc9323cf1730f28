// Types of nodes. A pose and an additive (a change of poses) have the same form and different meanings. Types are found
// from the leaves up. A graph is refused if an operation would mix them.
#include "graph_compiler.h"

#include "clip.h"

#include "../shaders/ops/sampling.h"

#include <stdio.h>

#define POSE_TYPE 1u
#define ADDITIVE_TYPE 2u

bool lmb_graph_may_play(const lmb_node_def *node, uint32_t clip) {
    return node->op == LMB_OP_CLIP && (node->clip.kind == LMB_VALUE_PARAMETER || node->clip.curve != LMB_CURVE_LINEAR ||
                                       (uint32_t)node->clip.constant == clip);
}

static uint8_t clip_types(const lmb_compiler *c, const lmb_node_def *node) {
    uint8_t types = 0;
    for (uint32_t i = 0; i < c->def->clip_count; i++) {
        if (lmb_graph_may_play(node, i)) {
            types |= lmb_clip_is_additive(c->def->clips[i]) ? ADDITIVE_TYPE : POSE_TYPE;
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

bool lmb_graph_find_type(lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    uint8_t of[3] = {0}, *types = &c->types[index];
    for (uint32_t i = 0; i < node->input_count && i < 3; i++) {
        of[i] = c->types[node->inputs[i]];
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
    case LMB_OP_CLAMP:
        *types = POSE_TYPE;
        if ((of[0] & POSE_TYPE) == 0) {
            return fail_input(c, index, 0, "an additive, and limits are those of poses");
        }
        break;
    case LMB_OP_IK_TWO_BONE:
    case LMB_OP_IK_AIM:
        *types = POSE_TYPE;
        if ((of[0] & POSE_TYPE) == 0) {
            return fail_input(c, index, 0, "an additive, and only poses have positions");
        }
        break;
    case LMB_OP_MAKE_ADDITIVE:
        if (!find_common(c, index, types)) {
            return false;
        }
        *types = ADDITIVE_TYPE;
        break;
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

bool lmb_graph_is_additive(const lmb_compiler *c, const lmb_node_def *node) {
    return c->types[node - c->def->nodes] == ADDITIVE_TYPE;
}
