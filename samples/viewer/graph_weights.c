// Shares of inputs follow from the formulas of graph.h. Those of blend spaces need their triangles, so the library
// computes them: for each space there is a graph of its own, in which input i is a pose whose float channel i is 1. The
// channels of the result are then the shares.
#include "graph_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

typedef struct space {
    lmb_graph *graph; // NULL if the node is no blend space
    lmb_cpu *cpu;
} space;

struct graph_weights {
    const lmb_graph_def *def;
    const lmb_graph *graph;
    lmb_rig *rig;  // channels alone
    space *spaces; // [node]
};

static bool is_space(const lmb_node_def *node) {
    return node->op == LMB_OP_SPACE1D || node->op == LMB_OP_SPACE2D;
}

static lmb_result create_rig(lmb_rig **rig, lmb_error *error) {
    const lmb_channel_def channels[LMB_MAX_SPACE_INPUTS] = {{0}};
    const lmb_rig_def def = {.channels = channels, .channel_count = LMB_MAX_SPACE_INPUTS};
    return lmb_rig_create(&def, NULL, rig, error);
}

// Creates a graph of the node over poses of one channel each.
static lmb_result create_space(const lmb_rig *rig, const lmb_node_def *node, space *space, lmb_error *error) {
    lmb_node_def nodes[LMB_MAX_SPACE_INPUTS + 1];
    lmb_static_pose_def poses[LMB_MAX_SPACE_INPUTS];
    float channels[LMB_MAX_SPACE_INPUTS][LMB_MAX_SPACE_INPUTS] = {{0.0f}};
    for (uint32_t i = 0; i < node->input_count; i++) {
        channels[i][i] = 1.0f;
        poses[i] = (lmb_static_pose_def){.channels = channels[i]};
        nodes[i] = lmb_default_node_def();
        nodes[i].op = LMB_OP_POSE;
        nodes[i].static_pose = i;
    }
    lmb_node_def *root = &nodes[node->input_count];
    *root = lmb_default_node_def();
    root->op = node->op;
    root->space2d = node->space2d;
    root->discrete = node->discrete;
    root->input_count = node->input_count;
    memcpy(root->positions, node->positions, sizeof root->positions);
    for (uint32_t i = 0; i < node->input_count; i++) {
        root->inputs[i] = i;
    }
    for (uint32_t i = 0; i < 2; i++) {
        root->coordinates[i] = lmb_parameter(i);
    }
    lmb_graph_def def = lmb_default_graph_def();
    def.rig = rig;
    def.nodes = nodes;
    def.node_count = node->input_count + 1;
    def.parameter_count = 2;
    def.static_poses = poses;
    def.static_pose_count = node->input_count;
    if (lmb_graph_create(&def, NULL, &space->graph, error)) {
        return error->result;
    }
    return lmb_cpu_create(space->graph, LMB_CPU_REFERENCE, NULL, &space->cpu, error);
}

lmb_result graph_weights_create(const lmb_graph_def *def, const lmb_graph *graph, graph_weights **weights,
                                lmb_error *error) {
    graph_weights *created = calloc(1, sizeof *created);
    space *spaces = calloc(def->node_count, sizeof *spaces);
    *weights = NULL;
    if (created == NULL || spaces == NULL) {
        free(created);
        free(spaces);
        return viewer_fail(error, LMB_ERROR_MEMORY, "no memory for %u nodes", (unsigned)def->node_count);
    }
    *created = (graph_weights){.def = def, .graph = graph, .spaces = spaces};
    lmb_result result = create_rig(&created->rig, error);
    for (uint32_t i = 0; i < def->node_count && result == LMB_OK; i++) {
        if (is_space(&def->nodes[i])) {
            result = create_space(created->rig, &def->nodes[i], &spaces[i], error);
        }
    }
    if (result != LMB_OK) {
        graph_weights_destroy(created);
        return result;
    }
    *weights = created;
    return LMB_OK;
}

void graph_weights_destroy(graph_weights *weights) {
    if (weights == NULL) {
        return;
    }
    for (uint32_t i = 0; i < weights->def->node_count; i++) {
        lmb_cpu_destroy(weights->spaces[i].cpu);
        lmb_graph_destroy(weights->spaces[i].graph);
    }
    lmb_rig_destroy(weights->rig);
    free(weights->spaces);
    free(weights);
}

static float clamp(float x, float low, float high) {
    return x >= low ? fminf(x, high) : low; // NaN gives the lower one
}

// What values read.
typedef struct values {
    const float *parameters;
    const lmb_curve_def *curves;
} values;

static float value_at(lmb_value value, const values *given) {
    return lmb_value_at(value, given->parameters, given->curves);
}

static float weight_at(lmb_value value, const values *given) {
    return clamp(value_at(value, given), 0.0f, 1.0f);
}

// The weight of what is applied over something else, or scaled. Its sign makes no difference.
static float factor_at(lmb_value value, const values *given) {
    return fminf(fabsf(clamp(value_at(value, given), -4.0f, 4.0f)), 1.0f);
}

// The first coordinate blends pairs, the second one pairs of pairs, and so on.
static void share_corners(const lmb_node_def *node, const values *given, float *shares) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        shares[i] = 1.0f;
        for (uint32_t axis = 0; (1u << axis) < node->input_count; axis++) {
            const float weight = weight_at(node->coordinates[axis], given);
            shares[i] *= (i >> axis & 1u) != 0 ? weight : 1.0f - weight;
        }
    }
}

static void share_weighted(const lmb_node_def *node, const values *given, float *shares) {
    float sum = 0.0f;
    for (uint32_t i = 0; i < node->input_count; i++) {
        shares[i] = clamp(value_at(node->weights[i], given), 0.0f, LMB_LARGEST);
        sum += shares[i];
    }
    for (uint32_t i = 0; i < node->input_count && sum > 0.0f; i++) {
        shares[i] /= sum;
    }
}

// Returns the sum of the fades of a layer. An input that covers only some joints takes nothing from others.
static float sum_layer(const lmb_graph_def *def, const lmb_node_def *node, int32_t priority, const values *given) {
    float sum = 0.0f;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const lmb_node_def *pose = &def->nodes[node->inputs[i]];
        const bool is_partial =
            node->masks[i] != LMB_NONE || (pose->op == LMB_OP_CLIP && pose->joint_weights != LMB_NONE);
        sum += node->priorities[i] == priority && !is_partial ? weight_at(node->weights[i], given) : 0.0f;
    }
    return sum;
}

static bool is_first_of_layer(const lmb_node_def *node, uint32_t input) {
    bool is_first = true;
    for (uint32_t i = 0; i < input; i++) {
        is_first = is_first && node->priorities[i] != node->priorities[input];
    }
    return is_first;
}

// An input's share is its fade in its layer, of what the layers above leave.
static void share_layers(const lmb_graph_def *def, const lmb_node_def *node, const values *given, float *shares) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        const float sum = sum_layer(def, node, node->priorities[i], given);
        const float threshold = fmaxf(node->threshold, 0x1p-60f);
        shares[i] = fminf(weight_at(node->weights[i], given) / fmaxf(sum, threshold), 1.0f);
        for (uint32_t k = 0; k < node->input_count; k++) {
            if (node->priorities[k] > node->priorities[i] && is_first_of_layer(node, k)) {
                const float above = sum_layer(def, node, node->priorities[k], given);
                shares[i] *= 1.0f - fminf(above / threshold, 1.0f);
            }
        }
    }
}

static void share_machine(const graph_weights *weights, uint32_t node, const uint32_t *state, float *shares) {
    const uint32_t machine = lmb_graph_node_machine(weights->graph, node);
    for (uint32_t i = 0; i < weights->def->nodes[node].input_count && state != NULL; i++) {
        shares[i] = lmb_state_weight(weights->graph, state, machine, i);
    }
}

static void share_space(const space *space, const lmb_node_def *node, const values *given, float *shares) {
    float point[2], channels[LMB_MAX_SPACE_INPUTS];
    lmb_error ignored;
    for (uint32_t i = 0; i < 2; i++) {
        point[i] = value_at(node->coordinates[i], given);
    }
    const lmb_batch_def batch = {space->graph, 1, LMB_OUTPUT_CHANNELS_BIT};
    const lmb_batch_inputs inputs = {.parameters = point};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_CHANNELS] = channels};
    if (lmb_cpu_run(space->cpu, &batch, &inputs, &outputs, &ignored) == LMB_OK) {
        memcpy(shares, channels, node->input_count * sizeof *shares);
    }
}

void graph_weights_shares(const graph_weights *weights, uint32_t node, const float *parameters, const uint32_t *state,
                          float shares[LMB_MAX_SPACE_INPUTS]) {
    const values given = {parameters, weights->def->curves};
    const lmb_node_def *def = &weights->def->nodes[node];
    for (uint32_t i = 0; i < LMB_MAX_SPACE_INPUTS; i++) {
        shares[i] = i < def->input_count && def->op != LMB_OP_MACHINE ? 1.0f : 0.0f;
    }
    switch (def->op) {
    case LMB_OP_BLEND:
        shares[1] = weight_at(def->weight, &given);
        shares[0] = 1.0f - shares[1];
        break;
    case LMB_OP_MASKED:
    case LMB_OP_PARTIAL:
        shares[1] = weight_at(def->weight, &given);
        break;
    case LMB_OP_ADDITIVE:
        shares[1] = def->unclamped ? factor_at(def->weight, &given) : weight_at(def->weight, &given);
        break;
    case LMB_OP_SCALE:
        shares[0] = factor_at(def->weight, &given);
        break;
    case LMB_OP_SUBTRACT_SCALE_ADD:
        shares[0] = shares[1] = factor_at(def->weight, &given);
        break;
    case LMB_OP_BILINEAR:
    case LMB_OP_TRILINEAR:
        share_corners(def, &given, shares);
        break;
    case LMB_OP_WEIGHTED:
    case LMB_OP_WEIGHTED_MATRIX:
        share_weighted(def, &given, shares);
        break;
    case LMB_OP_LAYERS:
        share_layers(weights->def, def, &given, shares);
        break;
    case LMB_OP_MACHINE:
        share_machine(weights, node, state, shares);
        break;
    case LMB_OP_SPACE1D:
    case LMB_OP_SPACE2D:
        share_space(&weights->spaces[node], def, &given, shares);
        break;
    default:
        break;
    }
}
