#include "graph_compiler.h"

#include "../shaders/ops/layout.h"

// Inputs from the highest priority down, those of one priority in their own order.
static void sort_inputs(const lmb_node_def *node, uint32_t *order) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t place = i;
        for (; place > 0 && node->priorities[order[place - 1]] < node->priorities[i]; place--) {
            order[place] = order[place - 1];
        }
        order[place] = i;
    }
}

uint32_t lmb_graph_add_layers(lmb_compiler *c, const lmb_node_def *node) {
    uint32_t order[LMB_MAX_INPUTS], offset;
    sort_inputs(node, order);
    uint32_t *layers = lmb_graph_add_data(c, LAYER_WORDS * node->input_count, &offset);
    uint32_t end = node->input_count;
    for (uint32_t place = node->input_count; place-- > 0;) {
        const uint32_t input = order[place];
        const uint32_t value = lmb_graph_add_value(c, node->weights[input]);
        if (place + 1 < node->input_count && node->priorities[order[place + 1]] != node->priorities[input]) {
            end = place + 1;
        }
        if (layers != NULL) {
            layers[place * LAYER_WORDS + LAYER_VALUE] = value;
            layers[place * LAYER_WORDS + LAYER_INPUT] = input;
            layers[place * LAYER_WORDS + LAYER_END] = end;
        }
    }
    return offset;
}
