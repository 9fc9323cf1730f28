// Emits a graph's nodes as instructions of a stack machine, depth first from the last node: a node's inputs in order,
// then its own instruction, which takes their poses from the stack and leaves one. A node with several users is emitted
// for each of them, because the stack has no names for poses. A sum holds two poses however many inputs it has: an
// instruction begins it, one after each input adds that input, and one ends it.
//
// An instruction sees one joint. So a node that reads other joints (a mirror, inverse kinematics, a change to model
// space) cannot take its input from the stack. That input becomes a pass of its own, which runs before and leaves its
// pose in an exchange area. Passes begin in the order of the descent and end in the order in which they run. They are
// emitted nested, but their instructions are contiguous: counting finds lmb_pass.first, and writing uses it.
//
// Counting and writing are the same code, so whatever gets a number (instructions, weights, rules, sources, data) must
// get the same one both times. On the way down, c->own is the node's part in the result. Rules give its inputs their
// weights before these are emitted (rules.c). On the way up, c->joint_weight is that of joint 0 in the emitted
// pose, for root motion (motion.c).
#include "compiler.h"

#include "base/number.h"
#include "rig/joint_limits.h"
#include "rig/lod.h"
#include "rig/mirror.h"
#include "rig/rig.h"

#include "../../shaders/ops/operations.h"

#include <string.h>

#define UNKNOWN_WEIGHT (1u << 30) // while counting: it differs from those of poses

static uint32_t choices_of(const lmb_node_def *node) {
    bool is_nlerp = node->interpolation == LMB_MIX_NLERP || node->interpolation == LMB_MIX_LERP ||
                    (node->interpolation == LMB_MIX_DEFAULT && node->op == LMB_OP_WEIGHTED);
    bool is_linear = node->interpolation == LMB_MIX_LERP || node->linear_scale;
    bool adds = node->op == LMB_OP_ADDITIVE;
    bool any_weight = node->op == LMB_OP_SCALE || (adds && node->unclamped);
    bool masked = node->op == LMB_OP_MASKED || (adds && node->mask != LMB_NONE);
    return (is_nlerp ? CHOICE_NLERP : 0) | (is_linear ? CHOICE_LINEAR_SCALE : 0) |
           (node->shortest ? 0 : CHOICE_AS_GIVEN) | (adds && node->form == LMB_FORM_PARENT ? CHOICE_PARENT : 0) |
           (any_weight ? CHOICE_UNCLAMPED : 0) | (masked ? CHOICE_MASKED : 0);
}

// The same of a weighted sum with these operands. Layers, machines and blend spaces choose only how scale is blended.
static uint32_t sum_choices(const lmb_node_def *node, uint32_t takes) {
    uint32_t choices = CHOICE_NLERP | (node->linear_scale ? CHOICE_LINEAR_SCALE : 0);
    if (node->op == LMB_OP_WEIGHTED) {
        choices = choices_of(node);
    }
    return choices | ((takes & TAKES_LAYER) ? CHOICE_LAYERS : 0) | ((takes & TAKES_PROFILES) ? CHOICE_PROFILES : 0);
}

// Returns the first instruction of a node, and sets what it takes. It is that of the operation, or one that supports
// the node's choices.
static uint32_t choose_code(const lmb_node_def *node, uint32_t *takes) {
    uint32_t choices = choices_of(node);
    if (node->op == LMB_OP_POSE && node->static_pose != LMB_NONE) {
        return OPERATION_FIXED;
    }
    bool blends = node->op == LMB_OP_BLEND || node->op == LMB_OP_MASKED;
    bool is_affine = node->form == LMB_FORM_AFFINE;
    if (node->op == LMB_OP_MAKE_ADDITIVE && node->form != LMB_FORM_LOCAL) {
        return is_affine ? OPERATION_MAKE_AFFINE_ADDITIVE : OPERATION_SUBTRACT;
    }
    bool applies = node->op == LMB_OP_ADDITIVE && (choices != 0 || is_affine);
    if ((blends && (choices & ~CHOICE_MASKED) != 0) || applies) {
        *takes = TAKES_WEIGHT | TAKES_CHOICE | ((choices & CHOICE_MASKED) != 0 ? TAKES_MASK : 0);
        return blends ? OPERATION_INTERPOLATE : is_affine ? OPERATION_APPLY_AFFINE_ADDITIVE : OPERATION_APPLY;
    }
    const uint32_t code = lmb_find_operation(node->op)->code;
    if (code == OPERATION_WEIGHTED && sum_choices(node, *takes) != CHOICE_NLERP) {
        *takes |= TAKES_CHOICE;
        return OPERATION_MEAN;
    }
    return code;
}

// Returns the offset of the neutral pose: the rest pose, or for an additive no change. That of a clip in a retarget is
// relative to the joint of the source, also in a goal.
static uint32_t neutral_pose(const lmb_compiler *c, const lmb_node_def *node) {
    if (c->goal_rest != 0 && node->op != LMB_OP_CLIP) {
        return c->goal_rest;
    }
    return lmb_graph_is_additive(c, node) ? c->no_change : c->program != NULL ? c->program[FIELD(PROGRAM, rest)] : 0;
}

// `weight` is the weight's index, if the instruction reads one. `input` is the input that is accumulated or taken; in
// layers, input_count stands for the rest pose; for an instruction that reads an exchange area, it is the area.
static void write_operands(lmb_compiler *c, const lmb_node_def *node, uint32_t takes, uint32_t weight, uint32_t input,
                           uint32_t *at) {
    if (takes & (TAKES_WEIGHT | TAKES_SHARE)) {
        at[FIELD(BLEND, weight)] = weight;
    }
    if (takes & TAKES_CLIP) {
        at[FIELD(SAMPLE, source)] = lmb_graph_add_source(c, node);
        at[FIELD(SAMPLE, absent)] = neutral_pose(c, node);
        at[FIELD(SAMPLE, weights)] =
            node->joint_weights != LMB_NONE ? c->masks + node->joint_weights * c->mask_words : 0;
    }
    if (takes & TAKES_POSE) {
        bool is_static = node->static_pose != LMB_NONE;
        at[FIELD(GIVEN, number)] = is_static ? node->static_pose : node->pose;
        at[FIELD(GIVEN, static_pose)] = is_static ? lmb_graph_static_pose(c, node->static_pose) : 0;
        at[FIELD(GIVEN, joints)] = lmb_graph_mapped_joints(c->def, c->joint_map);
        at[FIELD(GIVEN, floats)] = lmb_graph_pose_words(c->def, at[FIELD(GIVEN, joints)]);
    }
    if (takes & (TAKES_CLIP | TAKES_POSE)) {
        at[FIELD(SAMPLE, joint_map)] = lmb_graph_joint_map_table(c, c->joint_map);
        c->uses_joint_maps = c->uses_joint_maps || c->joint_map != LMB_NONE;
        c->uses_retargets = c->uses_retargets || (c->joint_map != LMB_NONE && c->joint_map >= c->def->joint_map_count);
    }
    if (takes & TAKES_JOINT_MAP) {
        at[FIELD(TAKEN, joint_map)] = lmb_graph_joint_map_table(c, node->joint_maps[input]);
    }
    if (takes & TAKES_CHOICE) {
        const bool is_sum = lmb_find_operation(node->op)->code == OPERATION_WEIGHTED;
        at[FIELD(BLEND, choices)] = is_sum ? sum_choices(node, takes) : choices_of(node);
    }
    if (takes & TAKES_LAYER) {
        at[FIELD(LAYERED, table)] = c->layers;
        at[FIELD(LAYERED, count)] = node->input_count;
        at[FIELD(LAYERED, place)] = input < node->input_count ? lmb_graph_layer_place(node, input) : input;
    }
    if (takes & TAKES_PROFILES) {
        at[FIELD(STATES, table)] = c->layers;
        at[FIELD(STATES, count)] = node->input_count;
        at[FIELD(STATES, state)] = input;
    }
    if (takes & TAKES_REST) {
        at[FIELD(BLEND, rest)] = neutral_pose(c, node);
    }
    if (takes & TAKES_MASK) {
        const uint32_t mask = node->mask != LMB_NONE ? node->mask : c->def->mask_count; // the full mask
        at[FIELD(BLEND, mask)] = c->masks + mask * c->mask_words;
    }
    if (takes & TAKES_LIMITS) {
        at[FIELD(CLAMPED, table)] =
            c->joint_limits +
            node->joint_limits * lmb_limits_words(c->def->rig->def.joint_count, c->def->rig->def.channel_count);
    }
    if (takes & TAKES_MIRROR) {
        at[FIELD(MIRRORED, table)] = c->mirrors + node->mirror * lmb_mirror_words(c->def->rig);
        at[FIELD(MIRRORED, axis)] = (uint32_t)c->def->mirrors[node->mirror].axis;
    }
    if (takes & TAKES_IK) {
        at[FIELD(EXCHANGED, table)] = lmb_graph_add_ik(c, node);
    }
    if (takes & TAKES_AREA) {
        at[FIELD(EXCHANGED, area)] = input;
    }
}

// Returns where the pass's next instruction goes. Passes are as long as they were while counting.
static uint32_t next_instruction(const lmb_compiler *c) {
    const lmb_pass *pass = &c->passes[c->pass];
    return c->program[FIELD(PROGRAM, instructions)] + (pass->first + pass->count) * WORDS_OF(INSTRUCTION);
}

// Adds an instruction after which `pushed` more poses are held, and `values` more values of a float channel. Returns
// its words, or `unused` while counting.
static uint32_t *add_instruction(lmb_compiler *c, int pushed, int values, uint32_t unused[WORDS_OF(INSTRUCTION)]) {
    uint32_t *at = c->program != NULL ? c->program + next_instruction(c) : unused;
    c->instruction_count++;
    c->passes[c->pass].count++;
    c->depth += (uint32_t)pushed;
    c->deepest = c->depth > c->deepest ? c->depth : c->deepest;
    c->values += (uint32_t)values;
    c->most_values = c->values > c->most_values ? c->values : c->most_values;
    return at;
}

// Adds the instruction of a node's operation; if the operation has several, the one with number `step`. `takes` is what
// it takes in addition to its choices, `pushed` how many more poses are held after it.
static void emit(lmb_compiler *c, const lmb_node_def *node, uint32_t step, int pushed, uint32_t takes, uint32_t weight,
                 uint32_t input) {
    uint32_t unused[WORDS_OF(INSTRUCTION)];
    // A sum holds a float channel's values of all inputs until its end.
    const int summed = (int)node->input_count + (node->op == LMB_OP_LAYERS ? 1 : 0);
    const int values = !lmb_find_operation(node->op)->weighted_sum ? pushed : step == 2 ? 1 - summed : 0;
    uint32_t *at = add_instruction(c, pushed, values, unused);
    const uint32_t code = choose_code(node, &takes);
    // Values of pose buffers may be refused, and shears counted. Others have memory, or say whether they reach targets.
    c->reports += ((takes & TAKES_POSE) && code != OPERATION_FIXED) || (takes & TAKES_IK) ||
                  code == OPERATION_MAKE_AFFINE_ADDITIVE || code == OPERATION_APPLY_AFFINE_ADDITIVE;
    at[FIELD(INSTRUCTION, operation)] = code + step;
    write_operands(c, node, takes, weight, input, at);
}

// The instructions from here on, of an input that may be skipped.
typedef struct skip {
    uint32_t first; // in the current pass
    uint32_t reports;
} skip;

static skip begin_skip(const lmb_compiler *c) {
    return (skip){c->passes[c->pass].count, c->reports};
}

// Has the instructions skipped where a weight is 0, if they only leave a pose. One alone is a source, which does little
// without a weight.
static void end_skip(lmb_compiler *c, skip from, uint32_t weight, uint32_t absent) {
    const lmb_pass *pass = &c->passes[c->pass];
    if (pass->count - from.first < 2 || c->reports != from.reports || c->goal_rest != 0) {
        return;
    }
    if (c->program != NULL) {
        uint32_t *to = c->program + c->program[FIELD(PROGRAM, skips)] + (size_t)c->skip_count * WORDS_OF(SKIP);
        to[FIELD(SKIP, first)] = pass->first + from.first;
        to[FIELD(SKIP, end)] = pass->first + pass->count;
        to[FIELD(SKIP, weight)] = weight;
        to[FIELD(SKIP, absent)] = absent;
    }
    c->skip_count++;
}

static bool emit_node(lmb_compiler *c, uint32_t index);

static bool emit_input(lmb_compiler *c, uint32_t index) {
    return c->instruction_count < LMB_MOST_INSTRUCTIONS && c->depth < LMB_MAX_STACK && emit_node(c, index);
}

// Emits an input that has weights of its own.
static bool emit_weighed(lmb_compiler *c, uint32_t index, lmb_share share) {
    const lmb_share around = c->own;
    c->own = share;
    const bool fits = emit_input(c, index);
    c->own = around;
    return fits;
}

// The same of a node that has a weight, without which the input is skipped. A blend without a weight of its own results
// in its first input, so that is only skipped where nobody sees the blend: layers by joint may show a little of an
// input whose weight was rounded to 0.
static bool emit_by_weight(lmb_compiler *c, const lmb_node_def *node, uint32_t input, lmb_share share) {
    const skip from = begin_skip(c);
    const bool fits = emit_weighed(c, node->inputs[input], share);
    const bool has_weight = share.pose != c->own.pose && node->weight.kind != LMB_VALUE_CONSTANT;
    const bool is_left = node->op == LMB_OP_BLEND && input == 0 && c->joint_layers > 0;
    if (has_weight && !is_left && !c->uses_weights && c->observers == 0) {
        end_skip(c, from, share.pose, neutral_pose(c, &c->def->nodes[node->inputs[input]]));
    }
    return fits;
}

// Emits the pose below a node's inputs: the rest pose, or for additives no change.
static void emit_rest(lmb_compiler *c, const lmb_node_def *node) {
    uint32_t unused[WORDS_OF(INSTRUCTION)];
    uint32_t *at = add_instruction(c, 1, 1, unused);
    at[FIELD(INSTRUCTION, operation)] = OPERATION_REST;
    if (lmb_graph_is_additive(c, node) || c->goal_rest != 0) {
        at[FIELD(INSTRUCTION, operation)] = OPERATION_FIXED;
        at[FIELD(GIVEN, number)] = LMB_NONE;
        at[FIELD(GIVEN, static_pose)] = c->goal_rest != 0 ? c->goal_rest : c->no_change;
        at[FIELD(GIVEN, joints)] = c->def->rig->def.joint_count;
    }
}

// Stores the position of the next instruction in a table of layers by joint, if the input is a clip with joint weights.
static void set_layer_clip(lmb_compiler *c, const lmb_node_def *node, uint32_t input, uint32_t table) {
    if (c->program != NULL && lmb_graph_is_partial_clip(c, &c->def->nodes[node->inputs[input]])) {
        c->program[table + lmb_graph_layer_place(node, input) * WORDS_OF(LAYER) + FIELD(LAYER, clip)] =
            next_instruction(c);
    }
}

static lmb_share summed_share(const lmb_sum *sum, uint32_t input) {
    lmb_share share = sum->input;
    share.pose += input;
    share.motion += share.motion != WEIGHT_NONE ? input : 0;
    return share;
}

// Emits an input of a sum. Layers read the joint weight of a clip.
static bool emit_summed(lmb_compiler *c, const lmb_node_def *node, uint32_t input, lmb_sum *sum) {
    const bool is_read =
        sum->by_joint && c->own.motion != WEIGHT_NONE && c->def->nodes[node->inputs[input]].op == LMB_OP_CLIP;
    c->joint_weight_readers += is_read;
    c->joint_layers += sum->by_joint;
    const bool fits = emit_weighed(c, node->inputs[input], summed_share(sum, input));
    c->joint_layers -= sum->by_joint;
    c->joint_weight_readers -= is_read;
    lmb_graph_add_summed(c, node, input, sum);
    return fits;
}

// Returns whether evaluators run a sum as a whole, in which nothing is skipped (count_sources() in shaders/ops).
static bool sums_sources(const lmb_compiler *c, const lmb_node_def *node) {
    bool sums = true;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const lmb_op op = c->def->nodes[node->inputs[i]].op;
        sums = sums && (op == LMB_OP_CLIP || op == LMB_OP_REST);
    }
    return sums;
}

static bool emit_sum(lmb_compiler *c, const lmb_node_def *node, uint32_t takes) {
    const bool is_whole = sums_sources(c, node), is_space = (takes & TAKES_SPACE) != 0;
    lmb_sum sum = lmb_graph_weigh_sum(c, node);
    const uint32_t by_joint = sum.by_joint ? TAKES_LAYER : sum.has_profiles ? TAKES_PROFILES : TAKES_NOTHING;
    emit(c, node, 0, 2, by_joint, 0, 0);
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (by_joint == TAKES_LAYER) {
            set_layer_clip(c, node, i, sum.table);
        }
        const skip from = begin_skip(c);
        if (!emit_summed(c, node, i, &sum)) {
            return false;
        }
        c->layers = sum.table;
        emit(c, node, 1, -1, TAKES_SHARE | by_joint, sum.shares + i, i);
        if (!is_whole && (is_space || lmb_graph_input_weight(node, i).kind != LMB_VALUE_CONSTANT)) {
            end_skip(c, from, sum.shares + i, 0);
        }
    }
    if (takes & TAKES_LAYER) {
        emit_rest(c, node);
        emit(c, node, 1, -1, TAKES_SHARE | by_joint, sum.shares + node->input_count, node->input_count);
    }
    c->layers = sum.table;
    emit(c, node, 2, -1, TAKES_SHARE | TAKES_REST | by_joint, sum.shares + sum.count, 0);
    lmb_graph_finish_sum(c, node, &sum);
    return true;
}

static void end_pass(lmb_compiler *c) {
    c->passes[c->pass].first = c->placed;
    c->placed += c->passes[c->pass].count;
    c->firsts[c->ended++] = c->passes[c->pass].first;
}

// Emits a node as a pass of its own. It runs before the current pass and leaves its pose in an exchange area.
static bool emit_exchanged(lmb_compiler *c, uint32_t index, bool (*emit_pose)(lmb_compiler *c, uint32_t index),
                           uint32_t *area) {
    const uint32_t pass = c->pass, depth = c->depth, values = c->values;
    if (c->begun == LMB_MOST_PASSES) {
        c->refused =
            !lmb_refuse(c->error, LMB_ERROR_LIMIT,
                        "graph: more than %u poses that are read at other joints (by mirrors, ik and in model space), "
                        "once nodes used several times are counted for each use",
                        LMB_MAX_EXCHANGES);
        return false;
    }
    c->pass = c->begun++;
    c->passes[c->pass].count = 0;
    c->depth = 0;
    c->values = 0;
    const bool fits = emit_pose(c, index);
    *area = c->ended;
    end_pass(c);
    c->pass = pass;
    c->depth = depth;
    c->values = values;
    return fits;
}

// Emits the goal of a chain: the pose inside a retarget once more, in which the end of the chain has the position of
// its source. It moves no character, and does not count for players.
static bool emit_goal(lmb_compiler *c, const lmb_node_def *node, uint32_t *area) {
    const lmb_node_def *from = &c->def->nodes[node->goal];
    const uint32_t around = c->joint_map;
    const lmb_share own = c->own;
    const lmb_joint_weight joint_weight = c->joint_weight;
    lmb_graph_begin_goal(c, from->retarget, node->two_bone.end);
    c->joint_map = c->goal_map;
    c->own.motion = WEIGHT_NONE;
    const bool fits = emit_exchanged(c, from->inputs[0], emit_input, area);
    c->goal_table = c->goal_rest = 0;
    c->joint_map = around;
    c->own = own;
    c->joint_weight = joint_weight;
    return fits;
}

// Returns the share of the input of a mirror. It reflects the displacement, and joint 0 comes from its partner.
static lmb_share mirror_share(const lmb_compiler *c, const lmb_node_def *node) {
    lmb_share share = c->own;
    const lmb_mirror_def *mirror = &c->def->mirrors[node->mirror];
    share.reflection ^= 1u << mirror->axis;
    share.joint = c->def->rig->def.joint_count > 0 ? mirror->partners[share.joint] : 0;
    return share;
}

// Notes a mirror around clips that were marked inside it.
static void mirror_marked(lmb_compiler *c, const lmb_node_def *node, uint32_t first) {
    for (uint32_t i = first; i < c->marked_count && i < LMB_MOST_MARKED_CLIPS; i++) {
        lmb_marked_clip *marked = &c->marked[i];
        if (marked->mirror_count < LMB_MAX_EXCHANGES) { // else the graph is refused: each mirror has an area
            marked->mirrors[marked->mirror_count++] = (uint8_t)node->mirror;
        }
    }
}

// Emits a node that reads its input at other joints.
static bool emit_reader(lmb_compiler *c, const lmb_node_def *node, uint32_t takes) {
    const bool has_goal = node->op == LMB_OP_IK_TWO_BONE && node->goal != LMB_NONE;
    const bool plants = lmb_graph_locks_by_clips(node);
    const uint32_t marked = c->marked_count;
    uint32_t area = 0, goal = 0;
    const uint32_t weight = (takes & TAKES_WEIGHT) ? lmb_graph_weigh_value(c, node->weight, 1.0f) : 0;
    const lmb_share own = c->own;
    c->own = (takes & TAKES_MIRROR) ? mirror_share(c, node) : own;
    c->plants += plants;
    const bool fits = emit_exchanged(c, node->inputs[0], emit_input, &area) && (!has_goal || emit_goal(c, node, &goal));
    if (c->lowest_correction == (uint32_t)(node - c->def->nodes) && c->inertia_pass == LMB_MOST_PASSES) {
        c->inertia_pass = area;
    }
    c->plants -= plants;
    c->own = own;
    c->first_marked = marked;
    if (takes & TAKES_MIRROR) {
        mirror_marked(c, node, marked);
    }
    if (fits && plants && !lmb_graph_check_plants(c, (uint32_t)(node - c->def->nodes))) {
        c->refused = true;
        return false;
    }
    c->goal_area = has_goal ? 1 + goal : 0;
    emit(c, node, 0, 1, takes, weight, area);
    c->goal_area = 0;
    return fits;
}

// Emits a change to model space or back. A pass of its own evaluates the node, and the instruction reads its exchange
// area.
static bool emit_change_of_space(lmb_compiler *c, uint32_t code, uint32_t index,
                                 bool (*emit_pose)(lmb_compiler *c, uint32_t index)) {
    uint32_t unused[WORDS_OF(INSTRUCTION)], area = 0;
    bool fits = emit_exchanged(c, index, emit_pose, &area);
    uint32_t *at = add_instruction(c, 1, 1, unused);
    at[FIELD(INSTRUCTION, operation)] = code;
    at[FIELD(EXCHANGED, area)] = area;
    return fits;
}

static bool is_model_additive(const lmb_node_def *node) {
    return node->op == LMB_OP_ADDITIVE && node->space == LMB_SPACE_MODEL;
}

static bool emit_model_additive(lmb_compiler *c, uint32_t index);

// Emits a node's pose with rotations in model space. An additive in model space needs no conversion.
static bool emit_in_model_space(lmb_compiler *c, uint32_t index) {
    if (is_model_additive(&c->def->nodes[index])) {
        return c->instruction_count < LMB_MOST_INSTRUCTIONS && emit_model_additive(c, index);
    }
    return emit_change_of_space(c, OPERATION_TO_MODEL, index, emit_input);
}

// Returns the max weight of a node.
static float weight_limit(const lmb_node_def *node) {
    return (choices_of(node) & CHOICE_UNCLAMPED) ? 4.0f : 1.0f;
}

// Emits the operation in the parent form, on inputs in model space.
static bool emit_model_additive(lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    lmb_node_def step = *node;
    step.form = LMB_FORM_PARENT;
    lmb_share inputs[2];
    const uint32_t weight = lmb_graph_weigh_over(c, node, weight_limit(node), inputs);
    if (!emit_in_model_space(c, node->inputs[0])) {
        return false;
    }
    const lmb_joint_weight joint_weight = c->joint_weight;
    if (!emit_by_weight(c, node, 1, inputs[1])) {
        return false;
    }
    c->joint_weight = joint_weight;
    emit(c, &step, 0, -1, lmb_find_operation(node->op)->takes, weight, 0);
    return true;
}

static bool emit_model_make_additive(lmb_compiler *c, const lmb_node_def *node) {
    lmb_node_def step = *node;
    step.form = LMB_FORM_PARENT;
    bool fits = emit_in_model_space(c, node->inputs[0]);
    const lmb_joint_weight joint_weight = c->joint_weight;
    c->own.negated = !c->own.negated;
    fits = fits && emit_in_model_space(c, node->inputs[1]);
    c->own.negated = !c->own.negated;
    c->joint_weight = joint_weight;
    emit(c, &step, 0, -1, lmb_find_operation(node->op)->takes, 0, 0);
    return fits;
}

// Emits the blend of the inputs at the corners of a square or cube, beginning with input `first`.
static bool emit_corners(lmb_compiler *c, const lmb_node_def *node, uint32_t first, uint32_t positions) {
    if (positions == 0) {
        return emit_input(c, node->inputs[first]);
    }
    lmb_node_def blend = *node;
    blend.op = LMB_OP_BLEND;
    const lmb_share around = c->own;
    lmb_share halves[2];
    lmb_joint_weight joint_weight = {0};
    const uint32_t weight = lmb_graph_weigh_blend(c, node->coordinates[positions - 1], halves);
    bool fits = true;
    for (uint32_t half = 0; half < 2 && fits; half++) {
        c->own = halves[half];
        fits = emit_corners(c, node, first + (half << (positions - 1)), positions - 1);
        joint_weight = half == 0 ? c->joint_weight : joint_weight;
    }
    c->own = around;
    c->joint_weight = joint_weight;
    emit(c, &blend, 0, -1, lmb_find_operation(LMB_OP_BLEND)->takes, weight, 0);
    return fits;
}

static bool emit_subtract_scale_add(lmb_compiler *c, const lmb_node_def *node) {
    lmb_node_def step = *node;
    lmb_share inputs[2];
    const uint32_t weight = lmb_graph_weigh_over(c, node, 4.0f, inputs);
    if (!emit_by_weight(c, node, 0, inputs[1])) {
        return false;
    }
    const lmb_joint_weight joint_weight = c->joint_weight;
    inputs[1].negated = !inputs[1].negated;
    if (!emit_by_weight(c, node, 1, inputs[1])) {
        return false;
    }
    step.op = LMB_OP_SUBTRACT;
    emit(c, &step, 0, -1, lmb_find_operation(LMB_OP_SUBTRACT)->takes, 0, 0);
    step.op = LMB_OP_SCALE;
    emit(c, &step, 0, 0, lmb_find_operation(LMB_OP_SCALE)->takes, weight, 0);
    if (!emit_input(c, node->inputs[2])) {
        return false;
    }
    c->joint_weight = joint_weight;
    step.op = LMB_OP_ADD;
    emit(c, &step, 0, -1, lmb_find_operation(LMB_OP_ADD)->takes, 0, 0);
    return true;
}

// Returns whether joint 0 comes from this input of a combine.
static bool gives_root(const lmb_compiler *c, const lmb_node_def *node, uint32_t input) {
    bool gives = false;
    for (uint32_t i = node->input_count; i-- > input && !gives;) {
        const uint32_t joint_map = node->joint_maps[i];
        gives = joint_map == LMB_NONE || c->def->rig->def.joint_count == 0 ||
                c->def->joint_maps[joint_map].joints[c->own.joint] != LMB_NONE;
        if (gives && i > input) {
            return false;
        }
    }
    return gives;
}

// Emits each input over those before it, in its joint map. The rest pose is below the first one unless that has all
// joints.
static bool emit_combine(lmb_compiler *c, const lmb_node_def *node) {
    const uint32_t around = c->joint_map;
    lmb_joint_weight joint_weight = lmb_graph_full_joint_weight();
    bool fits = true;
    if (node->joint_maps[0] != LMB_NONE) {
        emit_rest(c, node);
    }
    for (uint32_t i = 0; i < node->input_count && fits; i++) {
        const bool gives = gives_root(c, node, i);
        lmb_share share = c->own;
        share.motion = gives ? share.motion : WEIGHT_NONE;
        c->joint_map = node->joint_maps[i];
        fits = emit_weighed(c, node->inputs[i], share);
        c->joint_map = around;
        joint_weight = gives ? c->joint_weight : joint_weight;
        if (fits && (i > 0 || node->joint_maps[0] != LMB_NONE)) {
            emit(c, node, 0, -1, TAKES_JOINT_MAP, 0, i);
        }
    }
    c->joint_weight = joint_weight;
    return fits;
}

// Emits the input with the sources converted.
static bool emit_retarget(lmb_compiler *c, const lmb_node_def *node) {
    const uint32_t around = c->joint_map;
    c->joint_map = lmb_graph_retarget_map(c->def, node->retarget);
    const bool fits = emit_input(c, node->inputs[0]);
    c->joint_map = around;
    return fits;
}

// Returns the joint weight of a source.
static lmb_joint_weight source_joint_weight(lmb_compiler *c, const lmb_node_def *node) {
    return node->op == LMB_OP_CLIP ? lmb_graph_clip_joint_weight(c, node) : lmb_graph_full_joint_weight();
}

// Emits any other node: its inputs in order, then one instruction. Of two inputs the second one has the weight that the
// node specifies, and the first one of a blend the remainder.
static bool emit_simple(lmb_compiler *c, const lmb_node_def *node, const lmb_operation *op) {
    lmb_share inputs[2] = {c->own, c->own};
    uint32_t weight = 0;
    if (node->op == LMB_OP_BLEND) {
        weight = lmb_graph_weigh_blend(c, node->weight, inputs);
    } else if (op->takes & TAKES_WEIGHT) {
        weight = lmb_graph_weigh_over(c, node, weight_limit(node), inputs);
    }
    inputs[1].negated ^= (op->takes & MOTION_SUBTRACTS) != 0;
    // The input of a scale is over nothing.
    const uint32_t first = node->op == LMB_OP_SCALE ? 1 : 0;
    lmb_joint_weight joint_weight = {0};
    bool fits = true;
    for (uint32_t i = 0; i < node->input_count && fits; i++) {
        fits = emit_by_weight(c, node, i, inputs[first + i]);
        joint_weight = i == 0 ? c->joint_weight : joint_weight;
    }
    c->joint_weight = node->input_count > 0 ? joint_weight : source_joint_weight(c, node);
    emit(c, node, 0, 1 - (int)op->most_inputs, op->takes, weight, 0);
    return fits;
}

// Emits a partial blend. What joint 0 has of both inputs is known after them.
static bool emit_partial(lmb_compiler *c, const lmb_node_def *node, const lmb_operation *op) {
    lmb_share inputs[2];
    lmb_joint_weight joint_weights[2] = {{0}};
    const uint32_t weight = lmb_graph_weigh_over(c, node, 1.0f, inputs);
    uint32_t *motion_rule = lmb_graph_blend_motion(c, weight, 1.0f, inputs);
    const bool is_read = c->own.motion != WEIGHT_NONE;
    bool fits = true;
    c->joint_weight_readers += is_read;
    for (uint32_t i = 0; i < 2 && fits; i++) {
        fits = emit_weighed(c, node->inputs[i], inputs[i]);
        joint_weights[i] = c->joint_weight;
    }
    c->joint_weight_readers -= is_read;
    lmb_graph_finish_partial(c, motion_rule, weight, joint_weights);
    emit(c, node, 0, -1, op->takes, weight, 0);
    return fits;
}

// Returns whether a node that may have no weight keeps memory of its inputs, reports what it reaches or counts shears.
static bool observes(const lmb_compiler *c, const lmb_node_def *node, const lmb_operation *op) {
    const bool is_additive = node->op == LMB_OP_ADDITIVE || node->op == LMB_OP_MAKE_ADDITIVE;
    return c->own.pose != WEIGHT_WHOLE &&
           ((op->takes & TAKES_IK) != 0 || (is_additive && node->form == LMB_FORM_AFFINE));
}

// Emits a node's inputs in order, then the node. Returns false if a check fails, there are too many instructions or the
// stack is too deep.
static bool emit_node(lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    const lmb_operation *op = lmb_find_operation(node->op);
    bool fits = true;
    c->refused =
        !lmb_graph_check_source(c, index) ||
        !lmb_graph_require(c, index, c->goal_rest == 0 || (op->takes & BLENDS_POSITIONS) != 0, "op",
                           "it is inside a retarget that is a goal, where only sources and blends are possible");
    if (c->refused) {
        return false;
    }
    const bool is_observer = observes(c, node, op);
    c->observers += is_observer;
    if (node->op == LMB_OP_REST && c->goal_rest != 0) {
        emit_rest(c, node);
        c->joint_weight = lmb_graph_full_joint_weight();
    } else if (op->weighted_sum) {
        fits = emit_sum(c, node, op->takes);
    } else if (op->exchanges) {
        fits = emit_reader(c, node, op->takes);
    } else if (op->positions > 0) {
        fits = emit_corners(c, node, 0, op->positions);
    } else if (node->op == LMB_OP_COMBINE) {
        fits = emit_combine(c, node);
    } else if (node->op == LMB_OP_RETARGET) {
        fits = emit_retarget(c, node);
    } else if (is_model_additive(node)) {
        fits = emit_change_of_space(c, OPERATION_TO_LOCAL, index, emit_model_additive);
    } else if (node->op == LMB_OP_MAKE_ADDITIVE && node->space == LMB_SPACE_MODEL) {
        fits = emit_model_make_additive(c, node);
    } else if (node->op == LMB_OP_SUBTRACT_SCALE_ADD) {
        fits = emit_subtract_scale_add(c, node);
    } else if (node->op == LMB_OP_PARTIAL) {
        fits = emit_partial(c, node, op);
    } else {
        fits = emit_simple(c, node, op);
    }
    c->observers -= is_observer;
    return fits && c->deepest <= LMB_MAX_STACK;
}

// Adds the tables that instructions share.
static void add_tables(lmb_compiler *c) {
    c->curves = (lmb_curves){.defs = c->def->curves, .count = c->def->curve_count};
    (void)lmb_graph_add_data(c, lmb_curves_words(c->curves), &c->curves.at);
    if (c->program != NULL) {
        lmb_curves_write(c->curves, c->program);
    }
    c->mirrors = c->data + c->data_words;
    for (uint32_t i = 0; i < c->def->mirror_count; i++) {
        uint32_t offset;
        uint32_t *table = lmb_graph_add_data(c, lmb_mirror_words(c->def->rig), &offset);
        if (table != NULL) {
            lmb_mirror_write(c->def->rig, &c->def->mirrors[i], c->rest_turns, table);
        }
    }
    c->joint_limits = c->data + c->data_words;
    for (uint32_t i = 0; i < c->def->joint_limits_count; i++) {
        uint32_t offset;
        const lmb_rig *rig = c->def->rig;
        uint32_t *table =
            lmb_graph_add_data(c, lmb_limits_words(rig->def.joint_count, rig->def.channel_count), &offset);
        if (table != NULL) {
            lmb_limits_write(rig, c->def->joint_limits[i], lmb_ranges_of(c->def, i), table);
        }
    }
    lmb_graph_add_joint_maps(c);
    lmb_graph_add_retargets(c);
    lmb_graph_add_static_poses(c);
    lmb_graph_add_no_change(c);
    if (c->program != NULL) {
        c->program[FIELD(PROGRAM, matrices)] = c->def->nodes[c->def->node_count - 1].op == LMB_OP_WEIGHTED_MATRIX;
    }
    if (lmb_graph_has_lods(c->def)) {
        uint32_t offset;
        uint32_t level = lmb_graph_weigh_lod(c, c->def->lod);
        uint32_t *table = lmb_graph_add_data(c, lmb_lod_words(c->def->rig), &offset);
        if (table != NULL) {
            c->program[FIELD(PROGRAM, lod)] = offset;
            lmb_lod_write(c->def->rig, c->def->max_lods, level, table);
        }
    }
}

static bool check_values(const lmb_compiler *c) {
    return c->most_values <= LMB_MAX_CHANNEL_STACK || c->def->rig->def.channel_count == 0 ||
           lmb_refuse(c->error, LMB_ERROR_LIMIT,
                      "graph: it would hold %u values of a float channel at once, and at most %u are possible",
                      (unsigned)c->most_values, LMB_MAX_CHANNEL_STACK);
}

static bool comes_before(const uint32_t *a, const uint32_t *b) {
    const uint32_t first = a[FIELD(SKIP, first)], other = b[FIELD(SKIP, first)];
    return first != other ? first < other : a[FIELD(SKIP, end)] > b[FIELD(SKIP, end)];
}

// They are in the order of their ends.
static void sort_skips(uint32_t *skips, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved[WORDS_OF(SKIP)], to = i;
        memcpy(moved, skips + (size_t)i * WORDS_OF(SKIP), sizeof moved);
        for (; to > 0 && comes_before(moved, skips + (size_t)(to - 1) * WORDS_OF(SKIP)); to--) {
            memcpy(skips + (size_t)to * WORDS_OF(SKIP), skips + (size_t)(to - 1) * WORDS_OF(SKIP), sizeof moved);
        }
        memcpy(skips + (size_t)to * WORDS_OF(SKIP), moved, sizeof moved);
    }
}

static void add_passes(lmb_compiler *c) {
    uint32_t offset;
    uint32_t *table = lmb_graph_add_data(c, 2 * (c->ended + 1), &offset);
    if (table == NULL) {
        return;
    }
    c->program[FIELD(PROGRAM, passes)] = offset;
    c->program[FIELD(PROGRAM, pass_count)] = c->ended;
    memcpy(table, c->firsts, c->ended * sizeof *table);
    table[c->ended] = c->placed;
    uint32_t *skips = c->program + c->program[FIELD(PROGRAM, skips)], *starts = table + c->ended + 1, skip = 0;
    sort_skips(skips, c->skip_count);
    for (uint32_t pass = 0; pass <= c->ended; pass++) {
        while (skip < c->skip_count && skips[skip * WORDS_OF(SKIP) + FIELD(SKIP, first)] < table[pass]) {
            skip++;
        }
        starts[pass] = skip;
    }
}

// Returns the lowest of the nodes that correct the result: those from the last one down that reach for targets with
// what one input gives them, or keep that within limits. Only nodes that read it at other joints count, as its pose is
// in an exchange area. LMB_NONE: there are none.
static uint32_t find_lowest_correction(const lmb_graph_def *def) {
    uint32_t lowest = LMB_NONE, node = def->node_count - 1;
    for (bool corrects = true; corrects; node = def->nodes[node].inputs[0]) {
        const lmb_op op = def->nodes[node].op;
        const bool reads = lmb_find_operation(op)->exchanges && op != LMB_OP_MIRROR;
        lowest = reads ? node : lowest;
        corrects = reads || op == LMB_OP_CLAMP;
    }
    return lowest;
}

static bool uses_joint_weights(const lmb_compiler *c) {
    bool uses = (c->played.kinds & LMB_CLIP_PARTIAL) != 0;
    for (uint32_t i = 0; i < c->def->node_count; i++) {
        uses = uses || (c->def->nodes[i].op == LMB_OP_CLIP && c->def->nodes[i].joint_weights != LMB_NONE);
    }
    return uses;
}

bool lmb_graph_emit(lmb_compiler *c) {
    c->instruction_count = 0;
    c->rule_count = 0;
    c->weight_count = 2; // weights 0 and 1: the whole and none
    c->source_count = 0;
    c->skip_count = 0;
    c->reports = 0;
    c->observers = 0;
    c->joint_layers = 0;
    c->point_count = 0;
    c->point_slots = 0;
    c->uses_transforms = false;
    c->own = (lmb_share){.pose = WEIGHT_WHOLE, .motion = WEIGHT_WHOLE};
    c->root_rule_count = 0;
    c->motion_rule_count = 0;
    c->motion_weight_count = 0;
    c->joint_weight_readers = 0;
    if (c->program == NULL) {
        c->first_motion_rule = 0;
        c->first_motion_weight = UNKNOWN_WEIGHT;
    }
    c->data_words = 0;
    c->played = lmb_graph_played(c->def);
    c->scales = lmb_graph_scales(c);
    c->uses_weights = uses_joint_weights(c);
    c->joint_kept = !c->def->inertialize ? 0 : c->scales ? WORDS_OF(SCALED_INERTIA) : WORDS_OF(INERTIA);
    c->inertia_words = c->joint_kept * c->def->rig->def.joint_count;
    c->inertia_pass = LMB_MOST_PASSES; // not known yet
    c->lowest_correction = find_lowest_correction(c->def);
    c->chain_words = 0;
    c->uses_colliders = false;
    c->uses_detached = false;
    c->reached_count = 0;
    c->marked_count = 0;
    c->plants = 0;
    c->depth = 0;
    c->values = 0;
    c->pass = 0;
    c->passes[0].count = 0;
    c->begun = 1;
    c->ended = 0;
    c->placed = 0;
    add_tables(c);
    if (emit_node(c, c->def->node_count - 1)) {
        end_pass(c);
        c->inertia_pass = c->lowest_correction == LMB_NONE ? c->ended - 1 : c->inertia_pass;
        add_passes(c);
        lmb_graph_add_reached_parameters(c);
        return check_values(c);
    }
    if (c->refused) {
        return false;
    }
    if (c->instruction_count >= LMB_MOST_INSTRUCTIONS) {
        return lmb_refuse(c->error, LMB_ERROR_LIMIT,
                          "graph: more than %u operations once nodes used several times are counted for each use",
                          LMB_MOST_INSTRUCTIONS);
    }
    return lmb_refuse(c->error, LMB_ERROR_LIMIT, "graph: it would hold more than %u poses at once", LMB_MAX_STACK);
}
