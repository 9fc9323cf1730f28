// Motion weights: how root motion passes from a node to its inputs (control.h, lmb_motion_def). It does as the
// translation of joint 0 does, so what decides joint 0 is found here too: masks, joint maps, and joint weights.
//
// A node's motion weights are rules of their own only where they differ from its inputs' weights in the pose. The joint
// weights of joint 0 are constants for most nodes. Where a parameter chooses a clip or inputs count by their shares,
// stage 1 computes them, if a partial blend or layers read them.
#include "compiler.h"

#include "base/number.h"
#include "clip/clip.h"
#include "clip_slot.h"
#include "rig/rig.h"

#include "../../shaders/ops/operations.h"
#include "../../shaders/ops/weights.h"

// ---- Rules.

static uint32_t add_motion_weights(lmb_compiler *c, uint32_t count) {
    const uint32_t first = c->first_motion_weight + c->motion_weight_count;
    c->motion_weight_count += count;
    return first;
}

// Writes a rule, unless rules are counted. Returns it, or NULL.
static uint32_t *write_rule(const lmb_compiler *c, uint32_t index, uint32_t kind, uint32_t result) {
    if (c->program == NULL) {
        return NULL;
    }
    uint32_t *rule = c->program + c->program[FIELD(PROGRAM, motion_rules)] + (size_t)index * WORDS_OF(MOTION_RULE);
    rule[FIELD(MOTION_RULE, kind)] = kind;
    rule[FIELD(MOTION_RULE, own)] = c->own.motion;
    rule[FIELD(MOTION_RULE, result)] = result;
    return rule;
}

static uint32_t *add_motion_rule(lmb_compiler *c, uint32_t kind, uint32_t by, uint32_t result) {
    uint32_t *rule = write_rule(c, c->first_motion_rule + c->motion_rule_count++, kind, result);
    if (rule != NULL) {
        rule[FIELD(MOTION_RULE, by)] = by;
    }
    return rule;
}

// Adds a rule of joint 0. `count` and `table` are 0 if it has none.
static void add_root_rule(lmb_compiler *c, uint32_t kind, uint32_t by, uint32_t count, uint32_t table,
                          uint32_t result) {
    uint32_t *rule = write_rule(c, c->root_rule_count++, kind, result);
    if (rule != NULL) {
        rule[FIELD(MOTION_RULE, own)] = c->own.joint;
        rule[FIELD(MOTION_RULE, by)] = by;
        rule[FIELD(MOTION_RULE, count)] = count;
        rule[FIELD(MOTION_RULE, table)] = table;
    }
}

uint32_t *lmb_graph_blend_motion(lmb_compiler *c, uint32_t by, float factor, lmb_share inputs[2]) {
    if (c->own.motion == WEIGHT_NONE || factor == 0.0f) {
        inputs[1].motion = WEIGHT_NONE;
        return NULL;
    }
    const uint32_t result = add_motion_weights(c, 2);
    uint32_t *rule = add_motion_rule(c, MOTION_RULE_BLEND, by, result);
    inputs[0].motion = result;
    inputs[1].motion = result + 1;
    if (rule != NULL) {
        rule[FIELD(SCALED_MOTION_RULE, factor)] = BITS(factor);
    }
    return rule;
}

void lmb_graph_scale_motion(lmb_compiler *c, uint32_t by, float factor, lmb_share *input) {
    if (c->own.motion == WEIGHT_NONE || factor == 0.0f) {
        input->motion = WEIGHT_NONE;
        return;
    }
    input->motion = add_motion_weights(c, 1);
    uint32_t *rule = add_motion_rule(c, MOTION_RULE_OVER, by, input->motion);
    if (rule != NULL) {
        rule[FIELD(SCALED_MOTION_RULE, factor)] = BITS(factor);
    }
}

void lmb_graph_share_motion(lmb_compiler *c, lmb_sum *sum) {
    if (c->own.motion == WEIGHT_NONE) {
        return;
    }
    sum->input.motion = add_motion_weights(c, sum->count);
    sum->motion_rule = add_motion_rule(c, MOTION_RULE_SUM, sum->shares, sum->input.motion);
    if (sum->motion_rule != NULL) {
        sum->motion_rule[FIELD(MOTION_RULE, count)] = sum->count;
    }
}

// ---- Joint weights of joint 0.

lmb_joint_weight lmb_graph_full_joint_weight(void) {
    return (lmb_joint_weight){WEIGHT_NONE, WEIGHT_PRESENT};
}

static float mask_byte(const lmb_compiler *c, uint32_t mask) {
    return mask != LMB_NONE && c->def->rig->def.joint_count > 0 ? (float)c->def->masks[mask][c->own.joint] : 255.0f;
}

float lmb_graph_mask_root(const lmb_compiler *c, uint32_t mask) {
    return mask_byte(c, mask) / 255.0f;
}

// Returns the joint of the current node's sources that becomes joint 0, or LMB_NONE.
static uint32_t mapped_root(const lmb_compiler *c) {
    const lmb_graph_def *def = c->def;
    const bool is_own = c->joint_map == LMB_NONE || def->rig->def.joint_count == 0;
    return is_own ? c->own.joint
           : c->joint_map < def->joint_map_count
               ? def->joint_maps[c->joint_map].joints[c->own.joint]
               : def->retargets[c->joint_map - def->joint_map_count].joints[c->own.joint];
}

// Returns the joint weight that a clip stores for a joint. Joint 0 of a clip with a slot counts fully, whatever clip is
// in the slot: see clip_slot.h. So does that of a clip that is refused because it has other joints.
static float stored_joint_weight(const lmb_compiler *c, uint32_t clip, uint32_t joint) {
    const uint32_t *words = lmb_graph_slot_of(c->def, clip) == NULL ? c->def->clips[clip]->words : NULL;
    const bool has = words != NULL && words[FIELD(CLIP, weights)] != 0 && joint < words[FIELD(CLIP, joints)] &&
                     words[FIELD(CLIP, joints)] == lmb_graph_mapped_joints(c->def, c->joint_map);
    return has ? (float)(words[words[FIELD(CLIP, weights)] + joint / 4] >> joint % 4 * 8 & 255u) : WEIGHT_PRESENT;
}

// Adds the rule of a clip that a parameter chooses.
static lmb_joint_weight add_chosen_clip(lmb_compiler *c, const lmb_node_def *node) {
    const uint32_t joint = mapped_root(c), count = c->def->clip_count;
    uint32_t offset;
    bool is_full = true;
    for (uint32_t i = 0; i < count; i++) {
        is_full = is_full && stored_joint_weight(c, i, joint) == WEIGHT_PRESENT;
    }
    if (is_full || c->joint_weight_readers == 0) {
        return lmb_graph_full_joint_weight();
    }
    uint32_t *table = lmb_graph_add_data(c, count, &offset);
    for (uint32_t i = 0; i < count && table != NULL; i++) {
        table[i] = BITS(stored_joint_weight(c, i, joint));
    }
    const lmb_joint_weight weight = {add_motion_weights(c, 1), 0.0f};
    add_root_rule(c, ROOT_RULE_CLIP, lmb_graph_add_value(c, node->clip), 0, offset, weight.weight);
    return weight;
}

lmb_joint_weight lmb_graph_clip_joint_weight(lmb_compiler *c, const lmb_node_def *node) {
    lmb_joint_weight weight = lmb_graph_full_joint_weight();
    if (node->joint_weights != LMB_NONE) {
        weight.constant = mask_byte(c, node->joint_weights);
    } else if (node->clip.kind == LMB_VALUE_CONSTANT && node->clip.curve == LMB_CURVE_LINEAR) {
        weight.constant = stored_joint_weight(c, (uint32_t)node->clip.constant, mapped_root(c));
    } else {
        weight = add_chosen_clip(c, node);
    }
    return weight;
}

static void put_joint_weight(const lmb_compiler *c, uint32_t offset, lmb_joint_weight weight) {
    if (c->program != NULL) {
        c->program[offset] = weight.weight;
        c->program[offset + 1] = BITS(weight.constant);
    }
}

static bool is_full(lmb_joint_weight weight) {
    return weight.weight == WEIGHT_NONE && weight.constant == WEIGHT_PRESENT;
}

// Of two equal joint weights above 0, the blend is the weight of the node.
void lmb_graph_finish_partial(lmb_compiler *c, uint32_t *motion_rule, uint32_t weight,
                              const lmb_joint_weight inputs[2]) {
    const bool are_equal = inputs[0].weight == WEIGHT_NONE && inputs[1].weight == WEIGHT_NONE &&
                           inputs[0].constant == inputs[1].constant && inputs[0].constant > 0.0f;
    c->joint_weight = inputs[0];
    if (are_equal || (c->own.motion == WEIGHT_NONE && c->joint_weight_readers == 0)) {
        return;
    }
    uint32_t offset;
    lmb_graph_add_data(c, 2 * WORDS_OF(JOINT_WEIGHT), &offset);
    put_joint_weight(c, offset, inputs[0]);
    put_joint_weight(c, offset + WORDS_OF(JOINT_WEIGHT), inputs[1]);
    const uint32_t result = add_motion_weights(c, 2);
    add_root_rule(c, ROOT_RULE_PARTIAL, weight, 0, offset, result);
    if (motion_rule != NULL) {
        motion_rule[FIELD(MOTION_RULE, by)] = result;
    }
    c->joint_weight = (lmb_joint_weight){result + 1, 0.0f};
}

void lmb_graph_add_summed(lmb_compiler *c, const lmb_node_def *node, uint32_t input, lmb_sum *sum) {
    const lmb_joint_weight weight = c->joint_weight;
    const bool is_clip = c->def->nodes[node->inputs[input]].op == LMB_OP_CLIP;
    if (input == 0 && c->joint_weight_readers > 0) {
        lmb_graph_add_data(c, sum->count * WORDS_OF(JOINT_WEIGHT), &sum->joint_weights);
    }
    if (sum->joint_weights != 0) {
        put_joint_weight(c, sum->joint_weights + input * WORDS_OF(JOINT_WEIGHT), weight);
    }
    if (sum->by_joint) { // joint weights deeper inside an input do not count
        put_joint_weight(c,
                         sum->table + lmb_graph_layer_place(node, input) * WORDS_OF(LAYER) + FIELD(LAYER, root_weight),
                         is_clip ? weight : lmb_graph_full_joint_weight());
    }
    sum->is_partial = sum->is_partial || !is_full(weight);
}

void lmb_graph_finish_sum(lmb_compiler *c, const lmb_node_def *node, const lmb_sum *sum) {
    uint32_t shares = sum->shares;
    if ((sum->by_joint || sum->has_profiles) && (c->own.motion != WEIGHT_NONE || c->joint_weight_readers > 0)) {
        shares = add_motion_weights(c, sum->count + 2);
        add_root_rule(c, sum->by_joint ? ROOT_RULE_LAYERS : ROOT_RULE_PROFILES, sum->shares, sum->count, sum->table,
                      shares);
    }
    if (sum->motion_rule != NULL) {
        sum->motion_rule[FIELD(MOTION_RULE, by)] = shares;
    }
    c->joint_weight = lmb_graph_full_joint_weight();
    if (sum->joint_weights != 0 && sum->is_partial) {
        if (sum->count > node->input_count) { // the rest pose
            put_joint_weight(c, sum->joint_weights + node->input_count * WORDS_OF(JOINT_WEIGHT),
                             lmb_graph_full_joint_weight());
        }
        c->joint_weight = (lmb_joint_weight){add_motion_weights(c, 1), 0.0f};
        add_root_rule(c, ROOT_RULE_SUM, shares, sum->count, sum->joint_weights, c->joint_weight.weight);
    }
}
