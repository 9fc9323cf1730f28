// Rules of stage 1: how the weights of a node's inputs follow from the node's own. A node's rule comes before those of
// its inputs, which read the weights that it writes.
#include "base/number.h"
#include "clip/clip.h"
#include "clip_slot.h"
#include "rig/rig.h"

#include "../../shaders/ops/operations.h"
#include "../../shaders/ops/weights.h"

#include <float.h>

_Static_assert(MOST_INPUTS == LMB_MAX_SPACE_INPUTS && MOST_INPUTS > LMB_MAX_INPUTS,
               "the evaluator's inputs differ from the stated ones");

// Adds a rule for a node with weight `own`. Returns its words, or `unused` while counting.
static uint32_t *add_rule(lmb_compiler *c, uint32_t kind, uint32_t own, uint32_t unused[WORDS_OF(RULE)]) {
    const uint32_t index = c->rule_count++;
    uint32_t *rule =
        c->program != NULL ? c->program + c->program[FIELD(PROGRAM, rules)] + (size_t)index * WORDS_OF(RULE) : unused;
    rule[FIELD(RULE, kind)] = kind;
    rule[FIELD(RULE, own)] = own;
    rule[FIELD(RULE, always)] = BITS(c->uses_weights || c->observers > 0 ? 1.0f : 0.0f);
    return rule;
}

uint32_t lmb_graph_add_weights(lmb_compiler *c, uint32_t count) {
    const uint32_t first = c->weight_count;
    c->weight_count += count;
    return first;
}

lmb_value lmb_graph_input_weight(const lmb_node_def *node, uint32_t input) {
    const bool is_state = node->op == LMB_OP_MACHINE;
    lmb_value weight = node->weights[is_state ? 0 : input];
    weight.parameter += is_state ? input : 0;
    return weight;
}

// The values of a point are ignored if it comes from the buffer.
static bool reads_point(const lmb_value point[3], lmb_point_slot slot, uint32_t parameter) {
    return !slot.in_buffer && (lmb_value_reads(point[0]) == parameter || lmb_value_reads(point[1]) == parameter ||
                               lmb_value_reads(point[2]) == parameter);
}

static bool reads_ground(const lmb_feet_def *feet, uint32_t parameter) {
    bool found = lmb_value_reads(feet->speed) == parameter || lmb_value_reads(feet->clip_speed) == parameter ||
                 lmb_value_reads(feet->time) == parameter ||
                 reads_point(feet->direction, feet->direction_slot, parameter);
    for (uint32_t i = 0; i < feet->foot_count && i < LMB_MAX_FEET; i++) {
        const lmb_foot_def *foot = &feet->feet[i];
        found = found || lmb_value_reads(foot->planted) == parameter ||
                reads_point(foot->ground, foot->ground_slot, parameter) ||
                reads_point(foot->normal, foot->normal_slot, parameter);
    }
    return found;
}

// The values of inverse kinematics are found with the weights.
static bool solves_by(const lmb_node_def *node, uint32_t parameter) {
    const lmb_two_bone_def *two_bone = &node->two_bone;
    const lmb_aim_def *aim = &node->aim;
    switch (node->op) {
    case LMB_OP_IK_TWO_BONE:
        return reads_point(two_bone->target, two_bone->target_slot, parameter) ||
               reads_point(two_bone->pole, two_bone->pole_slot, parameter) ||
               lmb_value_reads(two_bone->twist) == parameter;
    case LMB_OP_IK_AIM:
        return reads_point(aim->target, aim->target_slot, parameter) ||
               reads_point(aim->pole, aim->pole_slot, parameter) || lmb_value_reads(aim->twist) == parameter;
    case LMB_OP_FOOT_PLACEMENT:
        return reads_ground(&node->feet, parameter);
    case LMB_OP_CHAIN:
        return lmb_value_reads(node->chain.time) == parameter ||
               reads_point(node->chain.velocity, (lmb_point_slot){0}, parameter);
    default:
        return false;
    }
}

bool lmb_graph_weighs_by(const lmb_node_def *node, uint32_t parameter) {
    const lmb_operation *op = lmb_find_operation(node->op);
    const uint32_t positions = lmb_count_coordinates(op);
    bool found =
        solves_by(node, parameter) || ((op->takes & TAKES_WEIGHT) && lmb_value_reads(node->weight) == parameter);
    for (uint32_t i = 0; i < node->input_count && (op->takes & (TAKES_SHARE | TAKES_LAYER)); i++) {
        found = found || lmb_value_reads(lmb_graph_input_weight(node, i)) == parameter;
    }
    for (uint32_t i = 0; i < positions; i++) {
        found = found || lmb_value_reads(node->coordinates[i]) == parameter;
    }
    return found && parameter != LMB_NONE;
}

static uint32_t weigh(lmb_compiler *c, uint32_t kind, uint32_t own, lmb_value weight, float limit, uint32_t *inputs) {
    uint32_t unused[WORDS_OF(RULE)];
    uint32_t *rule = add_rule(c, kind, own, unused);
    const uint32_t local = lmb_graph_add_weights(c, 1);
    *inputs = lmb_graph_add_weights(c, kind == RULE_BLEND ? 2 : 1);
    rule[FIELD(RULE, local)] = local;
    rule[FIELD(RULE, inputs)] = *inputs;
    rule[FIELD(RULE, table)] = lmb_graph_add_value(c, weight);
    rule[FIELD(CLAMPED_RULE, limit)] = BITS(limit);
    return local;
}

uint32_t lmb_graph_weigh_blend(lmb_compiler *c, lmb_value weight, lmb_share inputs[2]) {
    uint32_t poses;
    const uint32_t local = weigh(c, RULE_BLEND, c->own.pose, weight, 1.0f, &poses);
    const bool is_shared = c->own.motion == c->own.pose;
    for (uint32_t i = 0; i < 2; i++) {
        inputs[i] = c->own;
        inputs[i].pose = poses + i;
        inputs[i].motion = is_shared ? poses + i : c->own.motion;
    }
    if (!is_shared) {
        lmb_graph_blend_motion(c, local, 1.0f, inputs);
    }
    return local;
}

static bool is_constant(lmb_value value, float constant) {
    return value.kind == LMB_VALUE_CONSTANT && value.constant == constant && value.curve == LMB_CURVE_LINEAR;
}

// ---- Layers.

bool lmb_graph_is_partial_clip(const lmb_compiler *c, const lmb_node_def *node) {
    bool is_partial = node->op == LMB_OP_CLIP && node->joint_weights != LMB_NONE;
    for (uint32_t i = 0; i < c->def->clip_count && !is_partial; i++) {
        is_partial = lmb_graph_may_play(node, i) && lmb_graph_clip_is_partial(c->def, i);
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

// Adds the table, except LAYER.clip. `fades` is the index of the weight of the first input's fade. Returns the table's
// offset.
static uint32_t add_layers(lmb_compiler *c, const lmb_node_def *node, uint32_t fades) {
    uint32_t offset;
    uint32_t *layers = lmb_graph_add_data(c, WORDS_OF(LAYER) * node->input_count, &offset);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t value = lmb_graph_add_value(c, node->weights[i]);
        if (layers == NULL) {
            continue;
        }
        uint32_t *layer = layers + (size_t)lmb_graph_layer_place(node, i) * WORDS_OF(LAYER);
        layer[FIELD(LAYER, value)] = value;
        layer[FIELD(LAYER, from)] = i;
        layer[FIELD(LAYER, end)] = count_from(node, node->priorities[i], node->input_count);
        layer[FIELD(LAYER, covers)] = BITS(differs(c, node, i) ? 0.0f : 1.0f);
        layer[FIELD(LAYER, full)] = BITS(node->threshold > 0x1p-60f ? 1.0f / node->threshold : 0x1p60f);
        layer[FIELD(LAYER, root)] = BITS(lmb_graph_mask_root(c, node->masks[i]));
        layer[FIELD(LAYER, fade)] = fades + i;
        layer[FIELD(LAYER, mask)] = node->masks[i] != LMB_NONE ? c->masks + node->masks[i] * c->mask_words : 0;
    }
    return offset;
}

// ---- Poses over others, and sums.

// Returns whether the weight of an input that is added or scaled is its motion weight too: never negative or above 1.
static bool is_plain(lmb_value weight, float limit) {
    const bool is_fixed = weight.kind == LMB_VALUE_CONSTANT && weight.curve == LMB_CURVE_LINEAR;
    return limit <= 1.0f || (is_fixed && weight.constant >= 0.0f && weight.constant <= 1.0f);
}

uint32_t lmb_graph_weigh_over(lmb_compiler *c, const lmb_node_def *node, float limit, lmb_share inputs[2]) {
    const uint32_t takes = lmb_find_operation(node->op)->takes;
    const uint32_t kind = node->op == LMB_OP_PARTIAL ? RULE_PARTIAL : RULE_OVER;
    inputs[0] = inputs[1] = c->own;
    const uint32_t local = weigh(c, kind, c->own.pose, node->weight, limit, &inputs[1].pose);
    const float root = (takes & TAKES_MASK) || node->op == LMB_OP_ADDITIVE ? lmb_graph_mask_root(c, node->mask) : 1.0f;
    if (node->op == LMB_OP_PARTIAL) {
        return local;
    }
    if (takes & MOTION_BLENDS) {
        lmb_graph_blend_motion(c, local, root, inputs);
    } else if (root == 1.0f && c->own.motion == c->own.pose && is_plain(node->weight, limit)) {
        inputs[1].motion = inputs[1].pose;
    } else {
        lmb_graph_scale_motion(c, local, root, &inputs[1]);
    }
    return local;
}

static uint32_t add_weight_values(lmb_compiler *c, const lmb_node_def *node) {
    uint32_t offset;
    uint32_t *values = lmb_graph_add_data(c, node->input_count, &offset);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t value = lmb_graph_add_value(c, lmb_graph_input_weight(node, i));
        if (values != NULL) {
            values[i] = value;
        }
    }
    return offset;
}

static uint32_t find_kind(const lmb_node_def *node) {
    const uint32_t takes = lmb_find_operation(node->op)->takes;
    const bool is_space = (takes & TAKES_SPACE) != 0;
    return (takes & TAKES_LAYER)                                 ? RULE_LAYERS
           : is_space && (node->discrete || takes & TAKES_PLANE) ? RULE_SPACE2D
           : is_space                                            ? RULE_SPACE1D
                                                                 : RULE_WEIGHTED;
}

static void add_sum(lmb_compiler *c, const lmb_node_def *node, lmb_sum *sum) {
    const uint32_t takes = lmb_find_operation(node->op)->takes;
    uint32_t unused[WORDS_OF(RULE)];
    const uint32_t kind = sum->by_joint ? RULE_JOINT_LAYERS : find_kind(node);
    uint32_t *rule = add_rule(c, kind, c->own.pose, unused);
    sum->shares = lmb_graph_add_weights(c, sum->count + 2);
    sum->input = c->own;
    sum->input.pose = lmb_graph_add_weights(c, sum->count);
    rule[FIELD(RULE, local)] = sum->shares;
    rule[FIELD(RULE, inputs)] = sum->input.pose;
    rule[FIELD(RULE, count)] = sum->count;
    if (takes & TAKES_SPACE) {
        rule[FIELD(RULE, x)] = lmb_graph_add_value(c, node->coordinates[0]);
        rule[FIELD(RULE, table)] = lmb_graph_add_space(c, node);
    } else {
        rule[FIELD(RULE, table)] =
            (takes & TAKES_LAYER) ? add_layers(c, node, sum->shares) : add_weight_values(c, node);
    }
    sum->table = rule[FIELD(RULE, table)];
    if (kind == RULE_SPACE2D) {
        rule[FIELD(RULE, y)] =
            lmb_graph_add_value(c, (takes & TAKES_PLANE) ? node->coordinates[1] : lmb_constant(0.0f));
        rule[FIELD(RULE, space)] = node->discrete ? SPACE_NEAREST : (uint32_t)node->space2d;
    }
}

uint32_t lmb_graph_profile_count(const lmb_node_def *node) {
    const lmb_machine_def *machine = node->op == LMB_OP_MACHINE ? node->machine : NULL;
    const bool is_checked = machine != NULL && machine->transitions != NULL; // poses are checked before machines
    uint32_t count = 0;
    for (uint32_t i = 0;
         is_checked && machine->transition_count <= LMB_MAX_TRANSITIONS && i < machine->transition_count; i++) {
        count += machine->transitions[i].profile != LMB_NONE;
    }
    return count;
}

// Adds the blend profiles of a machine, and the rule of the values that they use. These parameters follow those of the
// states' weights. Returns the table's offset.
static uint32_t add_profiles(lmb_compiler *c, const lmb_node_def *node) {
    uint32_t unused[WORDS_OF(RULE)], offset, values_offset;
    const uint32_t count = PROFILED_NUMBERS(node->input_count), profiles = lmb_graph_profile_count(node);
    uint32_t *rule = add_rule(c, RULE_NUMBERS, WEIGHT_WHOLE, unused);
    uint32_t *table = lmb_graph_add_data(c, WORDS_OF(PROFILES) + profiles * WORDS_OF(PROFILE), &offset);
    uint32_t *values = lmb_graph_add_data(c, count, &values_offset);
    rule[FIELD(RULE, local)] = lmb_graph_add_weights(c, count);
    rule[FIELD(RULE, count)] = count;
    rule[FIELD(RULE, table)] = values_offset;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t value = lmb_graph_add_value(c, lmb_graph_input_weight(node, node->input_count + i));
        if (values != NULL) {
            values[i] = value;
        }
    }
    if (table != NULL) {
        table[FIELD(PROFILES, numbers)] = rule[FIELD(RULE, local)];
        table[FIELD(PROFILES, count)] = profiles;
        uint32_t *profile = table + WORDS_OF(PROFILES);
        for (uint32_t i = 0; i < node->machine->transition_count; i++) {
            const lmb_transition_def *transition = &node->machine->transitions[i];
            if (transition->profile != LMB_NONE) {
                profile[FIELD(PROFILE, mask)] = c->masks + transition->profile * c->mask_words;
                lmb_curve_write(transition->curve, transition->curve_control, c->curves,
                                profile + FIELD(PROFILE, curve));
                profile += WORDS_OF(PROFILE);
            }
        }
    }
    return offset;
}

lmb_sum lmb_graph_weigh_sum(lmb_compiler *c, const lmb_node_def *node) {
    // The rest pose is below the layers.
    lmb_sum sum = {.count = node->input_count + (node->op == LMB_OP_LAYERS ? 1 : 0),
                   .by_joint = lmb_graph_layers_differ(c, node),
                   .has_profiles = lmb_graph_profile_count(node) > 0};
    add_sum(c, node, &sum);
    if (sum.has_profiles) {
        sum.table = add_profiles(c, node);
    }
    if (c->own.motion == c->own.pose && !sum.by_joint && !sum.has_profiles) {
        sum.input.motion = sum.input.pose;
    } else {
        lmb_graph_share_motion(c, &sum);
    }
    return sum;
}

uint32_t lmb_graph_weigh_value(lmb_compiler *c, lmb_value value, float limit) {
    uint32_t unused;
    return weigh(c, RULE_OVER, WEIGHT_WHOLE, value, limit, &unused);
}

// Stores from when on sync markers plant a foot, and from when on not any more. A range that ends before it begins goes
// around the clip.
static uint32_t find_marked(const lmb_node_def *node, const lmb_foot_def *foot, float times[3]) {
    const float offset = node->player->offset, *markers = node->player->markers;
    const uint32_t count = markers != NULL ? node->player->marker_count : 1;
    // Poses are checked before players.
    if (count > LMB_MAX_MARKERS || foot->planted_from >= count || foot->planted_to >= count) {
        return 0;
    }
    const float from = snap(markers != NULL ? markers[foot->planted_from] : offset);
    const float to = snap(markers != NULL ? markers[foot->planted_to] : offset);
    const bool goes_around = to <= from;
    if (times != NULL && goes_around) {
        times[0] = -FLT_MAX;
        times[1] = to;
        times[2] = from;
    } else if (times != NULL) {
        times[0] = from;
        times[1] = to;
    }
    return goes_around ? 3 : 2;
}

uint32_t lmb_graph_plants(const lmb_graph_def *def, const lmb_node_def *node, const lmb_foot_def *foot, float *times) {
    if (foot->planted_channel == LMB_NONE) {
        return find_marked(node, foot, times);
    }
    const lmb_value index = node->clip;
    const bool is_known = index.kind == LMB_VALUE_CONSTANT && index.curve == LMB_CURVE_LINEAR &&
                          index.constant >= 0.0f && index.constant < (float)def->clip_count;
    const lmb_clip *clip = is_known ? def->clips[(uint32_t)index.constant] : NULL; // NULL: of a slot
    // A clip of another rig, below a retarget, has channels of its own.
    const bool is_of_rig = clip != NULL && lmb_clip_get_info(clip)->joint_count == def->rig->def.joint_count &&
                           lmb_clip_get_info(clip)->channel_count == def->rig->def.channel_count;
    return is_of_rig ? lmb_clip_find_turns(clip, foot->planted_channel, 0.5f, times) : 0;
}

const lmb_foot_def *lmb_graph_foot_in_clip(const lmb_compiler *c, const lmb_feet_def *feet, uint32_t index,
                                           const lmb_marked_clip *marked) {
    uint32_t ankle = feet->feet[index].ankle;
    for (uint32_t i = marked->mirror_count; i > 0; i--) {
        ankle = c->def->mirrors[marked->mirrors[i - 1]].partners[ankle];
    }
    for (uint32_t i = 0; i < feet->foot_count; i++) {
        index = feet->feet[i].ankle == ankle ? i : index;
    }
    return &feet->feet[index];
}

// Writes when a clip plants a foot.
static void write_planted(lmb_compiler *c, const lmb_marked_clip *marked, const lmb_foot_def *foot, uint32_t *record) {
    const uint32_t count = lmb_graph_plants(c->def, marked->node, foot, NULL);
    uint32_t offset, *times = lmb_graph_add_data(c, count, &offset);
    if (times != NULL) {
        lmb_graph_plants(c->def, marked->node, foot, (float *)times);
        record[FIELD(PLANTED, weight)] = marked->weight;
        record[FIELD(PLANTED, time)] = marked->time;
        record[FIELD(PLANTED, times)] = offset;
        record[FIELD(PLANTED, count)] = count;
    }
}

uint32_t lmb_graph_weigh_planted(lmb_compiler *c, const lmb_feet_def *feet, uint32_t index) {
    uint32_t unused[WORDS_OF(RULE)], offset, count = 0;
    for (uint32_t i = c->first_marked; i < c->marked_count; i++) {
        const lmb_foot_def *foot = lmb_graph_foot_in_clip(c, feet, index, &c->marked[i]);
        count += lmb_graph_plants(c->def, c->marked[i].node, foot, NULL) > 0;
    }
    uint32_t *rule = add_rule(c, RULE_PLANTED, c->own.pose, unused);
    uint32_t *clips = lmb_graph_add_data(c, count * WORDS_OF(PLANTED), &offset);
    rule[FIELD(RULE, local)] = lmb_graph_add_weights(c, 1);
    rule[FIELD(RULE, count)] = count;
    rule[FIELD(RULE, table)] = lmb_graph_add_value(c, feet->feet[index].planted);
    rule[FIELD(PLANTED_RULE, clips)] = offset;
    for (uint32_t i = c->first_marked, at = 0; i < c->marked_count; i++) {
        const lmb_foot_def *foot = lmb_graph_foot_in_clip(c, feet, index, &c->marked[i]);
        if (lmb_graph_plants(c->def, c->marked[i].node, foot, NULL) > 0) {
            write_planted(c, &c->marked[i], foot, clips != NULL ? clips + at : NULL);
            at += WORDS_OF(PLANTED);
        }
    }
    return rule[FIELD(RULE, local)];
}

// Notes a clip that may plant feet. A goal emits clips once more, with weights that count already.
static void note_marked(lmb_compiler *c, const lmb_node_def *node, uint32_t time) {
    if (c->plants > 0 && node->player != NULL && c->goal_table == 0) {
        if (c->marked_count < LMB_MOST_MARKED_CLIPS) {
            c->marked[c->marked_count] = (lmb_marked_clip){.node = node, .weight = c->own.pose, .time = time};
        }
        c->marked_count++;
    }
}

uint32_t lmb_graph_weigh_lod(lmb_compiler *c, lmb_value level) {
    uint32_t unused[WORDS_OF(RULE)];
    uint32_t *rule = add_rule(c, RULE_LEVEL, WEIGHT_WHOLE, unused);
    rule[FIELD(RULE, local)] = lmb_graph_add_weights(c, 1);
    rule[FIELD(RULE, table)] = lmb_graph_add_value(c, level);
    return rule[FIELD(RULE, local)];
}

uint32_t lmb_graph_add_point(lmb_compiler *c, uint32_t **at) {
    const uint32_t index = c->point_count++, weight = lmb_graph_add_weights(c, 3);
    *at = c->program != NULL ? c->program + c->program[FIELD(PROGRAM, points)] + (size_t)index * WORDS_OF(POINT) : NULL;
    if (*at != NULL) {
        (*at)[FIELD(POINT, weight)] = weight;
    }
    return weight;
}

uint32_t lmb_graph_add_source(lmb_compiler *c, const lmb_node_def *node) {
    const bool warps = !is_constant(node->rate, 1.0f) || !is_constant(node->offset, 0.0f);
    const uint32_t source = c->source_count++;
    uint32_t unused[WORDS_OF(USE)];
    uint32_t *use =
        c->program != NULL ? c->program + c->program[FIELD(PROGRAM, uses)] + (size_t)source * WORDS_OF(USE) : unused;
    use[FIELD(USE, weight)] = c->own.pose;
    use[FIELD(USE, motion)] = c->own.motion;
    use[FIELD(USE, joints)] = lmb_graph_mapped_joints(c->def, c->joint_map);
    use[FIELD(USE, flags)] = (node->loop ? CLIP_LOOPS : 0) | (warps ? CLIP_WARPS : 0) |
                             (c->goal_table != 0 ? CLIP_REPEATS : 0) | (c->own.negated ? CLIP_NEGATED : 0) |
                             c->own.reflection << CLIP_REFLECTION_SHIFT;
    use[FIELD(USE, clip)] = lmb_graph_add_value(c, node->clip);
    use[FIELD(USE, time)] = lmb_graph_add_value(c, node->time);
    use[FIELD(USE, rate)] = lmb_graph_add_value(c, node->rate);
    use[FIELD(USE, offset)] = lmb_graph_add_value(c, node->offset);
    note_marked(c, node, use[FIELD(USE, time)]);
    return source;
}
