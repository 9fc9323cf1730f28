#include "graph_compiler.h"

#include "detail.h"
#include "limits.h"
#include "mirror.h"
#include "number.h"
#include "rig.h"

#include "../shaders/ops/operations.h"

_Static_assert(LMB_MODEL_DEPTH > MOST_WRAPS + 1, "a rig counts too few operations in model space inside one another");

static const lmb_operation operations[LMB_OP_COUNT] = {
#define SOURCE_ROW(NAME, name, code, takes) [LMB_OP_##NAME] = {#name, code, 0, 0, false, false, takes, 0},
#define UNARY_ROW(NAME, name, code, takes) [LMB_OP_##NAME] = {#name, code, 1, 1, false, false, takes, 0},
#define BINARY_ROW(NAME, name, code, takes) [LMB_OP_##NAME] = {#name, code, 2, 2, false, false, takes, 0},
#define FOLD_ROW(NAME, name, code, takes) [LMB_OP_##NAME] = {#name, code, 2, LMB_MAX_INPUTS, true, false, takes, 0},
#define WRAP_ROW(NAME, name, code, takes) [LMB_OP_##NAME] = {#name, code, 1, 1, false, true, takes, 0},
    OPERATIONS(SOURCE_ROW, UNARY_ROW, BINARY_ROW, FOLD_ROW, WRAP_ROW)
        // Those that are lowered to others.
        [LMB_OP_MACHINE] = {"machine", OPERATION_WEIGHTED, 1, LMB_MAX_SPACE_INPUTS, true, false, TAKES_SHARE, 0},
    [LMB_OP_SUBTRACT_SCALE_ADD] = {"subtract-scale-add", 0, 3, 3, false, false, TAKES_WEIGHT | TAKES_CHOICE, 0},
    [LMB_OP_COMBINE] = {"combine", OPERATION_TAKE, 1, LMB_MAX_INPUTS, false, false, TAKES_PART, 0},
    [LMB_OP_LAYERS] = {"layers", OPERATION_WEIGHTED, 2, LMB_MAX_INPUTS, true, false, TAKES_LAYER, 0},
    [LMB_OP_SPACE1D] = {"space1d", OPERATION_WEIGHTED, 2, LMB_MAX_SPACE_INPUTS, true, false, TAKES_SPACE, 0},
    [LMB_OP_SPACE2D] = {"space2d", OPERATION_WEIGHTED, 2, LMB_MAX_SPACE_INPUTS, true, false, TAKES_SPACE | TAKES_PLANE,
                        0},
    [LMB_OP_BILINEAR] = {"bilinear", 0, 4, 4, false, false, TAKES_PLACE | TAKES_CHOICE, 2},
    [LMB_OP_TRILINEAR] = {"trilinear", 0, 8, 8, false, false, TAKES_PLACE | TAKES_CHOICE, 3},
#undef SOURCE_ROW
#undef UNARY_ROW
#undef BINARY_ROW
#undef FOLD_ROW
#undef WRAP_ROW
};

bool lmb_graph_weighs_by(const lmb_node_def *node, uint32_t parameter) {
    const lmb_operation *op = &operations[node->op];
    const uint32_t places = (op->takes & TAKES_PLANE) ? 2 : (op->takes & TAKES_SPACE) ? 1 : op->places;
    bool found = (op->takes & TAKES_WEIGHT) && node->weight.parameter == parameter;
    for (uint32_t i = 0; i < node->input_count && (op->takes & (TAKES_SHARE | TAKES_LAYER)); i++) {
        found = found || node->weights[i].parameter == parameter;
    }
    for (uint32_t i = 0; i < places; i++) {
        found = found || node->along[i].parameter == parameter;
    }
    return found && parameter != LMB_NONE;
}

const lmb_operation *lmb_find_operation(lmb_op op) {
    return &operations[op];
}

const char *lmb_op_name(lmb_op op) {
    if (op == LMB_OP_WEIGHTED_MATRIX) {
        return "weighted-matrix"; // no name in C
    }
    return (unsigned)op < LMB_OP_COUNT ? operations[op].name : "unknown operation";
}

uint32_t *lmb_graph_add_data(lmb_compiler *c, uint32_t words, uint32_t *offset) {
    *offset = c->data + c->data_words;
    c->data_words += words;
    return c->block != NULL ? c->block + *offset : NULL;
}

uint32_t lmb_graph_add_value(lmb_compiler *c, lmb_value value) {
    uint32_t offset;
    uint32_t *at = lmb_graph_add_data(c, VALUE_WORDS, &offset);
    if (at != NULL) {
        lmb_value_write(value, at);
    }
    return offset;
}

static uint32_t choices_of(const lmb_node_def *node) {
    bool is_nlerp =
        node->interpolation == LMB_MIX_NLERP ||
        (node->interpolation == LMB_MIX_DEFAULT && (node->op == LMB_OP_WEIGHTED || node->op == LMB_OP_MACHINE));
    bool adds = node->op == LMB_OP_ADDITIVE;
    bool any_weight = node->op == LMB_OP_SCALE || (adds && node->unclamped);
    bool masked = node->op == LMB_OP_MASKED || (adds && node->masked);
    return (is_nlerp ? CHOICE_NLERP : 0) | (node->interpolation == LMB_MIX_LERP ? CHOICE_LERP : 0) |
           (node->shortest ? 0 : CHOICE_AS_GIVEN) | (adds && node->form == LMB_FORM_PARENT ? CHOICE_PARENT : 0) |
           (any_weight ? CHOICE_UNCLAMPED : 0) | (masked ? CHOICE_MASKED : 0);
}

// The first instruction of a node, and what it takes: that of its operation, or one that knows the node's choices.
static uint32_t choose_code(const lmb_node_def *node, uint32_t *takes) {
    uint32_t choices = choices_of(node);
    if (node->op == LMB_OP_POSE && node->static_pose != LMB_NONE) {
        return OPERATION_FIXED;
    }
    bool blends = node->op == LMB_OP_BLEND || node->op == LMB_OP_MASKED;
    bool is_affine = node->form == LMB_FORM_AFFINE;
    if (node->op == LMB_OP_DIFFERENCE && node->form != LMB_FORM_LOCAL) {
        return is_affine ? OPERATION_QUOTIENT : OPERATION_SUBTRACT;
    }
    bool applies = node->op == LMB_OP_ADDITIVE && (choices != 0 || is_affine);
    if ((blends && (choices & ~CHOICE_MASKED) != 0) || applies) {
        *takes = TAKES_WEIGHT | TAKES_CHOICE | ((choices & CHOICE_MASKED) != 0 ? TAKES_MASK : 0);
        return blends ? OPERATION_INTERPOLATE : is_affine ? OPERATION_PRODUCT : OPERATION_APPLY;
    }
    if ((node->op == LMB_OP_WEIGHTED && choices != CHOICE_NLERP) || (*takes & TAKES_LAYER)) {
        *takes |= TAKES_CHOICE;
        return OPERATION_MEAN;
    }
    return operations[node->op].code;
}

// `weight` is what the instruction reads, where it reads one; `input` the one that is accumulated or taken, of layers the
// one behind the last for the rest pose.
static void write_operands(lmb_compiler *c, const lmb_node_def *node, uint32_t takes, uint32_t weight, uint32_t input,
                           uint32_t *at) {
    if (takes & (TAKES_WEIGHT | TAKES_SHARE)) {
        at[WEIGHT_INDEX] = weight;
    }
    if (takes & TAKES_CLIP) {
        at[CLIP_SOURCE] = lmb_graph_add_source(c, node);
        at[CLIP_WEIGHTS_ROW] = node->joint_weights != LMB_NONE ? c->masks + node->joint_weights * c->mask_words : 0;
    }
    if (takes & TAKES_POSE) {
        bool is_static = node->static_pose != LMB_NONE;
        at[POSE_BUFFER] = is_static ? node->static_pose : node->pose;
        at[FIXED_POSE] = is_static ? lmb_graph_static_pose(c, node->static_pose) : 0;
        at[POSE_JOINTS] = lmb_graph_part_joints(c->def, c->part);
        at[POSE_FLOATS] = lmb_graph_pose_words(c->def, at[POSE_JOINTS]);
    }
    if (takes & (TAKES_CLIP | TAKES_POSE)) {
        at[SOURCE_PART] = lmb_graph_part_table(c, c->part);
        c->uses_parts = c->uses_parts || c->part != LMB_NONE;
    }
    if (takes & TAKES_PART) {
        at[TAKE_PART] = lmb_graph_part_table(c, node->parts[input]);
    }
    if (takes & TAKES_CHOICE) {
        at[CHOICES] = (takes & TAKES_LAYER) ? CHOICE_NLERP | CHOICE_LAYERS : choices_of(node);
    }
    if (takes & TAKES_LAYER) {
        at[LAYERS_TABLE] = c->layers;
        at[LAYERS_COUNT] = node->input_count;
        at[LAYERS_PLACE] = input < node->input_count ? lmb_graph_layer_place(node, input) : input;
    }
    if (takes & TAKES_REST) {
        at[SUM_REST] = lmb_graph_is_additive(c, node) ? c->no_change : c->block != NULL ? c->block[PROGRAM_REST] : 0;
    }
    if (takes & TAKES_MASK) {
        at[MASK_OFFSET] = c->masks + node->mask * c->mask_words;
    }
    if (takes & TAKES_LIMITS) {
        at[LIMIT_TABLE] =
            c->limits + node->limits * lmb_limits_words(c->def->rig->joint_count, c->def->rig->channel_count);
    }
    if (takes & TAKES_MIRROR) {
        at[MIRROR_TABLE] = c->mirrors + node->mirror * lmb_mirror_words(c->def->rig);
        at[MIRROR_AXIS] = (uint32_t)c->def->mirrors[node->mirror].axis;
    }
}

// The words of one more instruction, which leaves so many poses more, and so many values of a float channel; `unused`
// while counting.
static uint32_t *add_instruction(lmb_compiler *c, int pushed, int values, uint32_t unused[INSTRUCTION_WORDS]) {
    uint32_t index = c->instruction_count++;
    if (c->chains + c->unchains > 0) {
        c->model_work += c->def->rig->model_evaluations[c->chains][c->unchains];
    }
    c->depth += (uint32_t)pushed;
    c->deepest = c->depth > c->deepest ? c->depth : c->deepest;
    c->values += (uint32_t)values;
    c->most_values = c->values > c->most_values ? c->values : c->most_values;
    return c->block != NULL ? c->block + c->block[PROGRAM_INSTRUCTIONS] + (size_t)index * INSTRUCTION_WORDS : unused;
}

// Adds an instruction of a node's operation, the one numbered `step` of several, with what it takes, beside the weight
// that it reads; `pushed` is how many more poses are held after it.
static void emit(lmb_compiler *c, const lmb_node_def *node, uint32_t step, int pushed, uint32_t takes, uint32_t weight,
                 uint32_t input) {
    uint32_t unused[INSTRUCTION_WORDS];
    // A sum holds a channel's values of all inputs up to its end.
    const int summed = (int)node->input_count + (node->op == LMB_OP_LAYERS ? 1 : 0);
    const int values = !operations[node->op].fold ? pushed : step == 2 ? 1 - summed : 0;
    uint32_t *at = add_instruction(c, pushed, values, unused);
    at[INSTRUCTION_OPERATION] = choose_code(node, &takes) + step;
    write_operands(c, node, takes, weight, input, at);
    if (operations[node->op].wrap) {
        at[WRAP_LEVEL] = c->wraps;
    }
}

static bool emit_node(lmb_compiler *c, uint32_t index);

static bool emit_input(lmb_compiler *c, uint32_t index) {
    return c->instruction_count < LMB_MOST_INSTRUCTIONS && c->depth < LMB_MAX_STACK && c->wraps <= MOST_WRAPS &&
           emit_node(c, index);
}

// One that has a weight of its own.
static bool emit_weighed(lmb_compiler *c, uint32_t index, lmb_share share) {
    const lmb_share around = c->own;
    c->own = share;
    const bool fits = emit_input(c, index);
    c->own = around;
    return fits;
}

// What is below a node's inputs: the rest pose, or of additives no change.
static void emit_rest(lmb_compiler *c, const lmb_node_def *node) {
    uint32_t unused[INSTRUCTION_WORDS];
    uint32_t *at = add_instruction(c, 1, 1, unused);
    at[INSTRUCTION_OPERATION] = OPERATION_REST;
    if (lmb_graph_is_additive(c, node)) {
        at[INSTRUCTION_OPERATION] = OPERATION_FIXED;
        at[POSE_BUFFER] = LMB_NONE;
        at[FIXED_POSE] = c->no_change;
        at[POSE_JOINTS] = c->def->rig->joint_count;
    }
}

// Tells a table of layers by joint where the next instruction is, which is that of an input that is a clip.
static void set_layer_clip(lmb_compiler *c, const lmb_node_def *node, uint32_t input, uint32_t table) {
    if (c->block != NULL && lmb_graph_is_partial_clip(c, &c->def->nodes[node->inputs[input]])) {
        c->block[table + lmb_graph_layer_place(node, input) * LAYER_WORDS + LAYER_CLIP] =
            c->block[PROGRAM_INSTRUCTIONS] + c->instruction_count * INSTRUCTION_WORDS;
    }
}

static bool emit_sum(lmb_compiler *c, const lmb_node_def *node, uint32_t takes) {
    lmb_share inputs[LMB_MAX_SPACE_INPUTS];
    uint32_t table;
    const uint32_t shares = lmb_graph_weigh_sum(c, node, inputs, &table);
    const uint32_t by_joint = lmb_graph_layers_differ(c, node) ? TAKES_LAYER : TAKES_NOTHING;
    uint32_t count = node->input_count;
    emit(c, node, 0, 2, by_joint, 0, 0);
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (by_joint) {
            set_layer_clip(c, node, i, table);
        }
        if (!emit_weighed(c, node->inputs[i], inputs[i])) {
            return false;
        }
        c->layers = table;
        emit(c, node, 1, -1, TAKES_SHARE | by_joint, shares + i, i);
    }
    if (takes & TAKES_LAYER) {
        emit_rest(c, node);
        emit(c, node, 1, -1, TAKES_SHARE | by_joint, shares + count, count);
        count++;
    }
    c->layers = table;
    emit(c, node, 2, -1, TAKES_SHARE | TAKES_REST | by_joint, shares + count, 0);
    return true;
}

static bool emit_wrap(lmb_compiler *c, const lmb_node_def *node, uint32_t takes) {
    emit(c, node, 0, 0, takes, 0, 0);
    c->wraps++;
    c->most_wraps = c->wraps > c->most_wraps ? c->wraps : c->most_wraps;
    bool fits = emit_input(c, node->inputs[0]);
    c->wraps--;
    emit(c, node, 1, 0, takes, 0, 0);
    return fits;
}

// What is emitted up to end_climb() is evaluated at a joint and at those above it. Returns the instruction's index.
static uint32_t begin_climb(lmb_compiler *c, uint32_t code) {
    uint32_t unused[INSTRUCTION_WORDS];
    uint32_t *at = add_instruction(c, 1, 0, unused);
    at[INSTRUCTION_OPERATION] = code;
    at[WRAP_LEVEL] = c->wraps++;
    *(code == OPERATION_CHAIN ? &c->chains : &c->unchains) += 1;
    c->most_wraps = c->wraps > c->most_wraps ? c->wraps : c->most_wraps;
    return c->instruction_count - 1;
}

static void end_climb(lmb_compiler *c, uint32_t code, uint32_t begin) {
    uint32_t unused[INSTRUCTION_WORDS];
    uint32_t *at = add_instruction(c, -1, 0, unused);
    at[INSTRUCTION_OPERATION] = code + 1u;
    at[WRAP_LEVEL] = --c->wraps;
    *(code == OPERATION_CHAIN ? &c->chains : &c->unchains) -= 1;
    at[CLIMB_BACK] = c->instruction_count - 1 - begin;
}

static bool is_model_additive(const lmb_node_def *node) {
    return node->op == LMB_OP_ADDITIVE && node->space == LMB_SPACE_MODEL;
}

static bool emit_model_additive(lmb_compiler *c, const lmb_node_def *node);

// A node's pose with the rotation in model space. That of an additive in model space is what it is made from.
static bool emit_in_model_space(lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    if (is_model_additive(node)) {
        return c->instruction_count < LMB_MOST_INSTRUCTIONS && emit_model_additive(c, node);
    }
    uint32_t begin = begin_climb(c, OPERATION_CHAIN);
    bool fits = emit_input(c, index);
    end_climb(c, OPERATION_CHAIN, begin);
    return fits;
}

// The largest weight that a node takes.
static float weight_limit(const lmb_node_def *node) {
    return (choices_of(node) & CHOICE_UNCLAMPED) ? 4.0f : 1.0f;
}

// The same operation in the parent's form, on what stands in model space.
static bool emit_model_additive(lmb_compiler *c, const lmb_node_def *node) {
    lmb_node_def step = *node;
    step.form = LMB_FORM_PARENT;
    lmb_share inputs[2];
    const uint32_t weight = lmb_graph_weigh_over(c, node, weight_limit(node), inputs);
    if (!emit_in_model_space(c, node->inputs[0]) || !emit_weighed(c, node->inputs[1], inputs[1])) {
        return false;
    }
    emit(c, &step, 0, -1, operations[node->op].takes, weight, 0);
    return true;
}

static bool emit_model_difference(lmb_compiler *c, const lmb_node_def *node) {
    lmb_node_def step = *node;
    step.form = LMB_FORM_PARENT;
    if (!emit_in_model_space(c, node->inputs[0]) || !emit_in_model_space(c, node->inputs[1])) {
        return false;
    }
    emit(c, &step, 0, -1, operations[node->op].takes, 0, 0);
    return true;
}

// Back from model space.
static bool emit_local(lmb_compiler *c, const lmb_node_def *node) {
    uint32_t begin = begin_climb(c, OPERATION_UNCHAIN);
    bool fits = emit_model_additive(c, node);
    end_climb(c, OPERATION_UNCHAIN, begin);
    return fits;
}

// The blend of the inputs at the corners of a square or a cube, from the one numbered `first` on.
static bool emit_corners(lmb_compiler *c, const lmb_node_def *node, uint32_t first, uint32_t places) {
    if (places == 0) {
        return emit_input(c, node->inputs[first]);
    }
    lmb_node_def blend = *node;
    blend.op = LMB_OP_BLEND;
    const lmb_share around = c->own;
    lmb_share halves[2];
    const uint32_t weight = lmb_graph_weigh_blend(c, node->along[places - 1], halves);
    bool fits = true;
    for (uint32_t half = 0; half < 2 && fits; half++) {
        c->own = halves[half];
        fits = emit_corners(c, node, first + (half << (places - 1)), places - 1);
    }
    c->own = around;
    emit(c, &blend, 0, -1, operations[LMB_OP_BLEND].takes, weight, 0);
    return fits;
}

static bool emit_subtract_scale_add(lmb_compiler *c, const lmb_node_def *node) {
    lmb_node_def step = *node;
    lmb_share inputs[2];
    const uint32_t weight = lmb_graph_weigh_over(c, node, 4.0f, inputs);
    if (!emit_weighed(c, node->inputs[0], inputs[1]) || !emit_weighed(c, node->inputs[1], inputs[1])) {
        return false;
    }
    step.op = LMB_OP_SUBTRACT;
    emit(c, &step, 0, -1, operations[LMB_OP_SUBTRACT].takes, 0, 0);
    step.op = LMB_OP_SCALE;
    emit(c, &step, 0, 0, operations[LMB_OP_SCALE].takes, weight, 0);
    if (!emit_input(c, node->inputs[2])) {
        return false;
    }
    step.op = LMB_OP_ADD;
    emit(c, &step, 0, -1, operations[LMB_OP_ADD].takes, 0, 0);
    return true;
}

// Whether an input of a combine is where joint 0 comes from.
static bool gives_root(const lmb_compiler *c, const lmb_node_def *node, uint32_t input) {
    bool gives = false;
    for (uint32_t i = node->input_count; i-- > input && !gives;) {
        const uint32_t part = node->parts[i];
        gives = part == LMB_NONE || c->def->rig->joint_count == 0 || c->def->parts[part].joints[0] != LMB_NONE;
        if (gives && i > input) {
            return false;
        }
    }
    return gives;
}

// One input after the other over those before, each in its part; below the first one the rest pose.
static bool emit_combine(lmb_compiler *c, const lmb_node_def *node) {
    const uint32_t around = c->part;
    bool fits = true;
    if (node->parts[0] != LMB_NONE) {
        emit_rest(c, node);
    }
    for (uint32_t i = 0; i < node->input_count && fits; i++) {
        c->part = node->parts[i];
        fits = emit_weighed(c, node->inputs[i],
                            (lmb_share){c->own.pose, gives_root(c, node, i) ? c->own.motion : WEIGHT_NONE});
        c->part = around;
        if (fits && (i > 0 || node->parts[0] != LMB_NONE)) {
            emit(c, node, 0, -1, TAKES_PART, 0, i);
        }
    }
    return fits;
}

// Any other: its inputs, in order, and its one instruction. Of two inputs the second one has the weight of the node's
// that it is given, and the first one of a blend what is left.
static bool emit_simple(lmb_compiler *c, const lmb_node_def *node, const lmb_operation *op) {
    lmb_share inputs[2] = {c->own, c->own};
    uint32_t weight = 0;
    if (node->op == LMB_OP_BLEND) {
        weight = lmb_graph_weigh_blend(c, node->weight, inputs);
    } else if (op->takes & TAKES_WEIGHT) {
        weight = lmb_graph_weigh_over(c, node, weight_limit(node), inputs);
    }
    // What is scaled lies over nothing.
    const uint32_t first = node->op == LMB_OP_SCALE ? 1 : 0;
    bool fits = true;
    for (uint32_t i = 0; i < node->input_count && fits; i++) {
        fits = emit_weighed(c, node->inputs[i], inputs[first + i]);
    }
    emit(c, node, 0, 1 - (int)op->most_inputs, op->takes, weight, 0);
    return fits;
}

// Emits a node's inputs, in order, and the node. False once there are too many instructions or too deep a stack.
static bool emit_node(lmb_compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    const lmb_operation *op = &operations[node->op];
    bool fits = true;
    c->result = lmb_graph_check_source(c, index);
    if (c->result != LMB_OK) {
        return false;
    }
    if (op->fold) {
        fits = emit_sum(c, node, op->takes);
    } else if (op->wrap) {
        fits = emit_wrap(c, node, op->takes);
    } else if (op->places > 0) {
        fits = emit_corners(c, node, 0, op->places);
    } else if (node->op == LMB_OP_COMBINE) {
        fits = emit_combine(c, node);
    } else if (is_model_additive(node)) {
        fits = emit_local(c, node);
    } else if (node->op == LMB_OP_DIFFERENCE && node->space == LMB_SPACE_MODEL) {
        fits = emit_model_difference(c, node);
    } else if (node->op == LMB_OP_SUBTRACT_SCALE_ADD) {
        fits = emit_subtract_scale_add(c, node);
    } else {
        fits = emit_simple(c, node, op);
    }
    return fits && c->deepest <= LMB_MAX_STACK;
}

// Tables that instructions share.
static void add_tables(lmb_compiler *c) {
    c->mirrors = c->data + c->data_words;
    for (uint32_t i = 0; i < c->def->mirror_count; i++) {
        uint32_t offset;
        uint32_t *table = lmb_graph_add_data(c, lmb_mirror_words(c->def->rig), &offset);
        if (table != NULL) {
            lmb_mirror_write(c->def->rig, &c->def->mirrors[i], c->rest_turns, table);
        }
    }
    c->limits = c->data + c->data_words;
    for (uint32_t i = 0; i < c->def->limits_count; i++) {
        uint32_t offset;
        const lmb_rig *rig = c->def->rig;
        uint32_t *table = lmb_graph_add_data(c, lmb_limits_words(rig->joint_count, rig->channel_count), &offset);
        if (table != NULL) {
            lmb_limits_write(rig, c->def->limits[i], lmb_ranges_of(c->def, i), table);
        }
    }
    lmb_graph_add_parts(c);
    lmb_graph_add_static_poses(c);
    lmb_graph_add_no_change(c);
    if (c->block != NULL) {
        c->block[PROGRAM_MATRICES] = c->def->nodes[c->def->node_count - 1].op == LMB_OP_WEIGHTED_MATRIX;
    }
    if (lmb_graph_has_levels(c->def)) {
        uint32_t offset;
        uint32_t level = lmb_graph_weigh_level(c, c->def->level);
        uint32_t *table = lmb_graph_add_data(c, lmb_detail_words(c->def->rig), &offset);
        if (table != NULL) {
            c->block[PROGRAM_DETAIL] = offset;
            lmb_detail_write(c->def->rig, c->def->last_levels, level, table);
        }
    }
}

static lmb_result check_work(const lmb_compiler *c) {
    if (c->most_values > LMB_MAX_CHANNEL_STACK && c->def->rig->channel_count > 0) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT,
                        "graph: it would hold %u values of a float channel at once, and at most %u are possible",
                        (unsigned)c->most_values, LMB_MAX_CHANNEL_STACK);
    }
    if (c->model_work <= LMB_MAX_MODEL_OPERATIONS) {
        return LMB_OK;
    }
    return lmb_fail(c->error, LMB_ERROR_LIMIT,
                    "graph: a character of this rig would evaluate %.3g operations inside differences and additives of"
                    " model space, and at most %u are possible",
                    c->model_work, LMB_MAX_MODEL_OPERATIONS);
}

lmb_result lmb_graph_emit(lmb_compiler *c) {
    c->instruction_count = 0;
    c->rule_count = 0;
    c->weight_count = 2; // the whole, and none
    c->source_count = 0;
    c->own = (lmb_share){WEIGHT_WHOLE, WEIGHT_WHOLE};
    c->data_words = 0;
    c->depth = 0;
    c->values = 0;
    c->model_work = 0.0;
    add_tables(c);
    if (emit_node(c, c->def->node_count - 1)) {
        return check_work(c);
    }
    if (c->result != LMB_OK) {
        return c->result;
    }
    if (c->instruction_count >= LMB_MOST_INSTRUCTIONS) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT,
                        "graph: more than %u operations once nodes used several times are counted for each use",
                        LMB_MOST_INSTRUCTIONS);
    }
    if (c->most_wraps > MOST_WRAPS) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT,
                        "graph: more than %u operations around one another that take other joints", MOST_WRAPS);
    }
    return lmb_fail(c->error, LMB_ERROR_LIMIT, "graph: it would hold more than %u poses at once", LMB_MAX_STACK);
}
