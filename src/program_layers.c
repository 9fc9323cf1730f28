#include "program_compiler.h"

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

void lmb_program_add_layers(lmb_compiler *c, const lmb_node_def *node, lmb_fold_table *table) {
    uint32_t order[LMB_MAX_INPUTS];
    sort_inputs(node, order);
    for (uint32_t i = 0; i < node->input_count; i++) {
        table->values[i] = lmb_program_add_value(c, node->weights[i]);
    }
    uint32_t *rows = lmb_program_add_data(c, 2 * node->input_count, &table->offset);
    uint32_t end = node->input_count;
    for (uint32_t place = node->input_count; place-- > 0;) {
        uint32_t input = order[place];
        if (place + 1 < node->input_count && node->priorities[order[place + 1]] != node->priorities[input]) {
            end = place + 1;
        }
        table->ends[input] = end;
        if (rows != NULL) {
            rows[2 * place] = table->values[input];
            rows[2 * place + 1] = (uint32_t)node->priorities[input];
        }
    }
}
