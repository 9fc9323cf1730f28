#include "graph_compiler.h"

#include "clip.h"
#include "number.h"

#include "../shaders/ops/operations.h"

bool lmb_graph_is_partial_clip(const lmb_compiler *c, const lmb_node_def *node) {
    bool is_partial = node->op == LMB_OP_CLIP && node->joint_weights != LMB_NONE;
    for (uint32_t i = 0; i < c->def->clip_count && !is_partial; i++) {
        is_partial = lmb_graph_may_play(node, i) && c->def->clips[i]->words[CLIP_WEIGHTS] != 0;
    }
    return is_partial;
}

static bool differs(const lmb_compiler *c, const lmb_node_def *node, uint32_t input) {
    return node->masks[input] != LMB_NONE || lmb_graph_is_partial_clip(c, &c->def->nodes[node->inputs[input]]);
}

bool lmb_graph_layers_differ(const lmb_compiler *c, const lmb_node_def *node) {
    bool any = false;
    for (uint32_t i = 0; i < node->input_count && node->op == LMB_OP_LAYERS && !any; i++) {
        any = differs(c, node, i);
    }
    return any;
}

// Counts the inputs with a higher priority, and those with the same priority before input `end`.
static uint32_t count_from(const lmb_node_def *node, int32_t priority, uint32_t end) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        count += node->priorities[i] > priority || (node->priorities[i] == priority && i < end);
    }
    return count;
}

uint32_t lmb_graph_layer_place(const lmb_node_def *node, uint32_t input) {
    return count_from(node, node->priorities[input], input);
}

uint32_t lmb_graph_add_layers(lmb_compiler *c, const lmb_node_def *node, uint32_t fades, bool is_motion) {
    uint32_t offset;
    uint32_t *layers = lmb_graph_add_data(c, LAYER_WORDS * node->input_count, &offset);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const lmb_node_def *input = &c->def->nodes[node->inputs[i]];
        const uint32_t value = lmb_graph_add_value(c, node->weights[i]);
        if (layers == NULL) {
            continue;
        }
        const float root = lmb_graph_mask_root(c, node->masks[i]) * lmb_graph_clip_root(c, input);
        uint32_t *layer = layers + (size_t)lmb_graph_layer_place(node, i) * LAYER_WORDS;
        layer[LAYER_VALUE] = value;
        layer[LAYER_INPUT] = i;
        layer[LAYER_END] = count_from(node, node->priorities[i], node->input_count);
        layer[LAYER_COVERS] = BITS(is_motion ? root : differs(c, node, i) ? 0.0f : 1.0f);
        layer[LAYER_SHARE] = BITS(is_motion ? root : 1.0f);
        layer[LAYER_FADE] = fades + i;
        layer[LAYER_MASK] = node->masks[i] != LMB_NONE ? c->masks + node->masks[i] * c->mask_words : 0;
    }
    return offset;
}
