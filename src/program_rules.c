// Rules of stage 1: how the weights of a node's inputs follow from the node's own. A node's rule comes before those of
// its inputs, which read the weights that it writes.
#include "program_compiler.h"

#include "../shaders/ops/weights.h"

_Static_assert(MOST_INPUTS == LMB_MAX_INPUTS + 1, "the evaluator's inputs differ from the stated ones");

// The words of one more rule, for the place so far; `unused` while counting.
static uint32_t *add_rule(lmb_compiler *c, uint32_t kind, uint32_t unused[RULE_WORDS]) {
    const uint32_t index = c->rule_count++;
    uint32_t *rule = c->block != NULL ? c->block + c->block[PROGRAM_RULES] + (size_t)index * RULE_WORDS : unused;
    rule[RULE_KIND] = kind;
    rule[RULE_OWN] = c->own;
    return rule;
}

static uint32_t add_weights(lmb_compiler *c, uint32_t count) {
    const uint32_t first = c->weight_count;
    c->weight_count += count;
    return first;
}

static uint32_t weigh(lmb_compiler *c, uint32_t kind, lmb_value weight, float limit, uint32_t *inputs) {
    uint32_t unused[RULE_WORDS];
    uint32_t *rule = add_rule(c, kind, unused);
    const uint32_t local = add_weights(c, 1);
    *inputs = add_weights(c, kind == RULE_BLEND ? 2 : 1);
    rule[RULE_LOCAL] = local;
    rule[RULE_INPUTS] = *inputs;
    rule[RULE_TABLE] = lmb_program_add_value(c, weight);
    rule[RULE_LIMIT] = BITS(limit);
    return local;
}

uint32_t lmb_program_weigh_blend(lmb_compiler *c, lmb_value weight, uint32_t *inputs) {
    return weigh(c, RULE_BLEND, weight, 1.0f, inputs);
}

uint32_t lmb_program_weigh_over(lmb_compiler *c, const lmb_node_def *node, float limit, uint32_t *inputs) {
    return weigh(c, node->op == LMB_OP_PARTIAL ? RULE_PARTIAL : RULE_OVER, node->weight, limit, inputs);
}

static uint32_t add_weight_values(lmb_compiler *c, const lmb_node_def *node) {
    uint32_t offset;
    uint32_t *values = lmb_program_add_data(c, node->input_count, &offset);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t value = lmb_program_add_value(c, node->weights[i]);
        if (values != NULL) {
            values[i] = value;
        }
    }
    return offset;
}

uint32_t lmb_program_weigh_sum(lmb_compiler *c, const lmb_node_def *node, uint32_t *inputs) {
    const uint32_t takes = lmb_find_operation(node->op)->takes;
    // Below the layers is the rest pose.
    const uint32_t count = node->input_count + ((takes & TAKES_LAYER) ? 1 : 0);
    uint32_t unused[RULE_WORDS];
    uint32_t *rule = add_rule(c,
                              (takes & TAKES_LAYER)   ? RULE_LAYERS
                              : (takes & TAKES_PLANE) ? RULE_SPACE2D
                              : (takes & TAKES_SPACE) ? RULE_SPACE1D
                                                      : RULE_WEIGHTED,
                              unused);
    const uint32_t local = add_weights(c, count + 2);
    *inputs = add_weights(c, count);
    rule[RULE_LOCAL] = local;
    rule[RULE_INPUTS] = *inputs;
    rule[RULE_COUNT] = count;
    if (takes & TAKES_SPACE) {
        rule[RULE_X] = lmb_program_add_value(c, node->along[0]);
        rule[RULE_TABLE] = lmb_program_add_space(c, node);
    } else {
        rule[RULE_TABLE] = (takes & TAKES_LAYER) ? lmb_program_add_layers(c, node) : add_weight_values(c, node);
    }
    if (takes & TAKES_PLANE) {
        rule[RULE_Y] = lmb_program_add_value(c, node->along[1]);
        rule[RULE_SPACE] = (uint32_t)node->space2d;
    }
    return local;
}

uint32_t lmb_program_weigh_level(lmb_compiler *c, lmb_value level) {
    uint32_t unused[RULE_WORDS];
    uint32_t *rule = add_rule(c, RULE_LEVEL, unused);
    rule[RULE_LOCAL] = add_weights(c, 1);
    rule[RULE_TABLE] = lmb_program_add_value(c, level);
    return rule[RULE_LOCAL];
}

static bool is_constant(lmb_value value, float constant) {
    return value.parameter == LMB_NONE && value.constant == constant && value.curve == LMB_CURVE_LINEAR;
}

uint32_t lmb_program_add_source(lmb_compiler *c, const lmb_node_def *node) {
    const bool warps = !is_constant(node->rate, 1.0f) || !is_constant(node->offset, 0.0f);
    uint32_t unused[RULE_WORDS];
    uint32_t *rule = add_rule(c, RULE_SAMPLES, unused);
    rule[RULE_SOURCE] = c->source_count;
    rule[RULE_JOINTS] = lmb_program_part_joints(c->def, c->part);
    rule[RULE_FLAGS] = (node->loop ? CLIP_LOOPS : 0) | (warps ? CLIP_WARPS : 0);
    rule[RULE_CLIP] = lmb_program_add_value(c, node->clip);
    rule[RULE_TIME] = lmb_program_add_value(c, node->time);
    rule[RULE_RATE] = lmb_program_add_value(c, node->rate);
    rule[RULE_OFFSET] = lmb_program_add_value(c, node->offset);
    return c->source_count++;
}
