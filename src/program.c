#include "program.h"

#include "clip.h"
#include "rig.h"

#include "../shaders/ops/program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LARGEST_BLOCK (1u << 30) // words
#define MOST_INSTRUCTIONS (1u << 16)

_Static_assert(LMB_MAX_STACK == STACK_POSES, "the evaluator's stack differs from the stated one");

// The table of operations by their public numbers.
typedef struct operation {
    const char *name;
    uint32_t code; // of the instruction; of the first one for a fold
    uint32_t least_inputs;
    uint32_t most_inputs;
    bool fold;
    uint32_t takes; // TAKES_... bits; operands that it does not take are ignored
} operation;

static const operation operations[LMB_OP_COUNT] = {
#define SOURCE_ROW(NAME, name, code, prepare, takes) [LMB_OP_##NAME] = {#name, code, 0, 0, false, takes},
#define BINARY_ROW(NAME, name, code, prepare, takes) [LMB_OP_##NAME] = {#name, code, 2, 2, false, takes},
#define FOLD_ROW(NAME, name, code, prepare, takes) [LMB_OP_##NAME] = {#name, code, 2, LMB_MAX_INPUTS, true, takes},
    OPERATIONS(SOURCE_ROW, BINARY_ROW, FOLD_ROW)
#undef SOURCE_ROW
#undef BINARY_ROW
#undef FOLD_ROW
};

// A descriptor on its way to a block. The first pass counts, the second writes.
typedef struct compiler {
    const lmb_program_def *def;
    lmb_error *error;
    uint32_t *instructions; // NULL while counting
    uint32_t instruction_count;
    uint32_t masks; // offset of the first mask
    uint32_t mask_words;
    uint32_t depth;
    uint32_t deepest;
    uint32_t pose_count;
} compiler;

const char *lmb_op_name(lmb_op op) {
    return (unsigned)op < LMB_OP_COUNT ? operations[op].name : "unknown operation";
}

lmb_node_def lmb_default_node_def(void) {
    lmb_node_def node = {.op = LMB_OP_REST, .weight = lmb_constant(1.0f)};
    node.clip = lmb_constant(0.0f);
    node.time = lmb_constant(0.0f);
    node.rate = lmb_constant(1.0f);
    node.offset = lmb_constant(0.0f);
    for (uint32_t i = 0; i < LMB_MAX_INPUTS; i++) {
        node.weights[i] = lmb_constant(1.0f);
    }
    return node;
}

static lmb_result fail_node(const compiler *c, uint32_t node, const char *field, const char *what) {
    lmb_op op = c->def->nodes[node].op;
    return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "program: node %u (%s): %s: %s", (unsigned)node, lmb_op_name(op),
                    field, what);
}

static lmb_result check_value(const compiler *c, uint32_t node, const char *field, lmb_value value) {
    if (value.parameter == LMB_NONE) {
        return fabsf(value.constant) <= LMB_LARGEST
                   ? LMB_OK
                   : fail_node(c, node, field, "the constant is not a finite number up to 2^40");
    }
    return value.parameter < c->def->parameter_count ? LMB_OK : fail_node(c, node, field, "there is no such parameter");
}

static lmb_result check_inputs(const compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    const operation *op = &operations[node->op];
    if (node->input_count < op->least_inputs || node->input_count > op->most_inputs) {
        return fail_node(c, index, "inputs",
                         op->most_inputs == 0   ? "this operation has none"
                         : op->most_inputs == 2 ? "this operation has 2"
                                                : "this operation has 2 to 16");
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] >= index) {
            return fail_node(c, index, "inputs", "an input does not stand before the node");
        }
    }
    return LMB_OK;
}

static lmb_result check_clip(const compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    if (c->def->clip_count == 0) {
        return fail_node(c, index, "clip", "the program has no clips");
    }
    lmb_result result = check_value(c, index, "clip", node->clip);
    if (result == LMB_OK) {
        result = check_value(c, index, "time", node->time);
    }
    if (result == LMB_OK) {
        result = check_value(c, index, "rate", node->rate);
    }
    if (result == LMB_OK) {
        result = check_value(c, index, "offset", node->offset);
    }
    float constant = node->clip.constant;
    if (result == LMB_OK && node->clip.parameter == LMB_NONE &&
        !(constant >= 0.0f && constant < (float)c->def->clip_count)) {
        return fail_node(c, index, "clip", "there is no such clip");
    }
    return result;
}

static lmb_result check_weight(const compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    lmb_result result = check_value(c, index, "weight", node->weight);
    if (result == LMB_OK && (unsigned)node->curve >= LMB_CURVE_COUNT) {
        return fail_node(c, index, "curve", "unknown curve");
    }
    return result;
}

static lmb_result check_shares(const compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < node->input_count && result == LMB_OK; i++) {
        char field[sizeof "weights[16]"];
        snprintf(field, sizeof field, "weights[%u]", (unsigned)(i % LMB_MAX_INPUTS));
        result = check_value(c, index, field, node->weights[i]);
    }
    return result;
}

static lmb_result check_node(const compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    if ((unsigned)node->op >= LMB_OP_COUNT) {
        return fail_node(c, index, "op", "unknown operation");
    }
    uint32_t takes = operations[node->op].takes;
    lmb_result result = check_inputs(c, index);
    if (result == LMB_OK && (takes & TAKES_WEIGHT)) {
        result = check_weight(c, index);
    }
    if (result == LMB_OK && (takes & TAKES_SHARE)) {
        result = check_shares(c, index);
    }
    if (result == LMB_OK && (takes & TAKES_CLIP)) {
        result = check_clip(c, index);
    }
    if (result == LMB_OK && (takes & TAKES_POSE) && node->pose >= LMB_MAX_POSES) {
        result = fail_node(c, index, "pose", "there are at most 8 pose buffers");
    }
    if (result == LMB_OK && (takes & TAKES_MASK) && node->mask >= c->def->mask_count) {
        result = fail_node(c, index, "mask", "there is no such mask");
    }
    return result;
}

static lmb_result check_def(const compiler *c) {
    const lmb_program_def *def = c->def;
    if (def->rig == NULL) {
        return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "program: the rig is NULL");
    }
    if (def->parameter_count > LMB_MAX_PARAMETERS) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT, "program: %u parameters, and at most %u are possible",
                        (unsigned)def->parameter_count, LMB_MAX_PARAMETERS);
    }
    if (def->node_count == 0 || def->nodes == NULL) {
        return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "program: there are no nodes");
    }
    if (def->node_count > LMB_MAX_NODES) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT, "program: %u nodes, and at most %u are possible",
                        (unsigned)def->node_count, LMB_MAX_NODES);
    }
    for (uint32_t i = 0; i < def->clip_count; i++) {
        if (def->clips == NULL || def->clips[i] == NULL) {
            return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "program: clip %u is NULL", (unsigned)i);
        }
        if (lmb_clip_joint_count(def->clips[i]) != def->rig->joint_count) {
            return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "program: clip %u '%s' is for %u joints, and the rig has %u",
                            (unsigned)i, lmb_clip_name(def->clips[i]), (unsigned)lmb_clip_joint_count(def->clips[i]),
                            (unsigned)def->rig->joint_count);
        }
    }
    for (uint32_t i = 0; i < def->mask_count; i++) {
        if (def->masks == NULL || def->masks[i] == NULL) {
            return lmb_fail(c->error, LMB_ERROR_ARGUMENT, "program: mask %u is NULL", (unsigned)i);
        }
    }
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < def->node_count && result == LMB_OK; i++) {
        result = check_node(c, i);
    }
    return result;
}

static void write_value(uint32_t *at, lmb_value value) {
    at[0] = value.parameter == LMB_NONE ? NO_PARAMETER : value.parameter;
    at[1] = BITS(value.constant);
}

// Adds an instruction; `pushed` is how many more poses are held after it. Returns its words, or NULL while counting.
static uint32_t *emit(compiler *c, uint32_t code, int pushed) {
    c->depth += (uint32_t)pushed;
    c->deepest = c->depth > c->deepest ? c->depth : c->deepest;
    uint32_t index = c->instruction_count++;
    if (c->instructions == NULL) {
        return NULL;
    }
    uint32_t *at = c->instructions + (size_t)index * INSTRUCTION_WORDS;
    at[INSTRUCTION_OPERATION] = code;
    return at;
}

static bool is_constant(lmb_value value, float constant) {
    return value.parameter == LMB_NONE && value.constant == constant;
}

static bool clip_warps(const lmb_node_def *node) {
    return !is_constant(node->rate, 1.0f) || !is_constant(node->offset, 0.0f);
}

// `input` is the one that is accumulated, where the instruction takes a share.
static void write_operands(const compiler *c, const lmb_node_def *node, uint32_t takes, uint32_t input, uint32_t *at) {
    if (takes & TAKES_WEIGHT) {
        write_value(at + WEIGHT_VALUE, node->weight);
        at[WEIGHT_CURVE] = node->curve == LMB_CURVE_UNIFORM_S ? CURVE_UNIFORM_S : CURVE_LINEAR;
    }
    if (takes & TAKES_SHARE) {
        write_value(at + WEIGHT_VALUE, node->weights[input]);
    }
    if (takes & TAKES_CLIP) {
        write_value(at + CLIP_INDEX_VALUE, node->clip);
        write_value(at + CLIP_TIME_VALUE, node->time);
        write_value(at + CLIP_RATE_VALUE, node->rate);
        write_value(at + CLIP_OFFSET_VALUE, node->offset);
        at[CLIP_FLAGS] = (node->loop ? CLIP_LOOPS : 0) | (clip_warps(node) ? CLIP_WARPS : 0);
    }
    if (takes & TAKES_POSE) {
        at[POSE_BUFFER] = node->pose;
    }
    if (takes & TAKES_MASK) {
        at[MASK_OFFSET] = c->masks + node->mask * c->mask_words;
    }
}

// Adds a node's instruction with its operands; of a fold, the one numbered `step` of its three: begin, accumulate, end.
static void emit_operation(compiler *c, const lmb_node_def *node, uint32_t step, uint32_t input) {
    const operation *op = &operations[node->op];
    int pushed = op->fold ? (step == 0 ? 2 : -1) : 1 - (int)op->most_inputs;
    uint32_t *at = emit(c, op->code + step, pushed);
    if ((op->takes & TAKES_POSE) && node->pose >= c->pose_count) {
        c->pose_count = node->pose + 1;
    }
    if (at != NULL) {
        write_operands(c, node, op->fold && step != 1 ? TAKES_NOTHING : op->takes, input, at);
    }
}

// Emits a node's inputs, in order, and the node. False once there are too many instructions or too deep a stack.
static bool emit_node(compiler *c, uint32_t index) {
    const lmb_node_def *node = &c->def->nodes[index];
    bool fold = operations[node->op].fold;
    if (fold) {
        emit_operation(c, node, 0, 0);
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (c->instruction_count >= MOST_INSTRUCTIONS || c->depth >= LMB_MAX_STACK || !emit_node(c, node->inputs[i])) {
            return false;
        }
        if (fold) {
            emit_operation(c, node, 1, i);
        }
    }
    emit_operation(c, node, fold ? 2 : 0, 0);
    return c->deepest <= LMB_MAX_STACK;
}

static lmb_result count_instructions(compiler *c) {
    if (emit_node(c, c->def->node_count - 1)) {
        return LMB_OK;
    }
    if (c->instruction_count >= MOST_INSTRUCTIONS) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT,
                        "program: more than %u operations once nodes used several times are counted for each use",
                        MOST_INSTRUCTIONS);
    }
    return lmb_fail(c->error, LMB_ERROR_LIMIT, "program: it would hold more than %u poses at once", LMB_MAX_STACK);
}

static uint64_t plan_block(compiler *c, uint32_t *header) {
    const lmb_program_def *def = c->def;
    uint64_t joints = def->rig->joint_count;
    uint64_t at = PROGRAM_HEADER_WORDS;
    header[PROGRAM_JOINTS] = (uint32_t)joints;
    header[PROGRAM_PARAMETERS] = def->parameter_count;
    header[PROGRAM_INSTRUCTIONS] = (uint32_t)at;
    header[PROGRAM_INSTRUCTION_COUNT] = c->instruction_count;
    at += (uint64_t)c->instruction_count * INSTRUCTION_WORDS;
    header[PROGRAM_PARENTS] = (uint32_t)at;
    at += joints;
    header[PROGRAM_REST] = (uint32_t)at;
    at += POSE_COMPONENTS * joints;
    header[PROGRAM_INVERSE_BIND] = (uint32_t)at;
    at += MATRIX_COMPONENTS * joints;
    header[PROGRAM_BINDS] = (uint32_t)at;
    at += BIND_COMPONENTS * joints;
    header[PROGRAM_SOCKETS] = (uint32_t)at;
    header[PROGRAM_SOCKET_COUNT] = def->rig->socket_count;
    at += (uint64_t)SOCKET_WORDS * def->rig->socket_count;
    c->mask_words = (uint32_t)((joints + 3) / 4);
    c->masks = (uint32_t)at;
    header[PROGRAM_MASKS] = c->masks;
    at += (uint64_t)def->mask_count * c->mask_words;
    header[PROGRAM_CLIPS] = (uint32_t)at;
    header[PROGRAM_CLIP_COUNT] = def->clip_count;
    at += def->clip_count;
    for (uint32_t i = 0; i < def->clip_count; i++) {
        at += def->clips[i]->size;
    }
    at += 1; // spare: see load_vector() in shaders/ops/sampling.h
    header[PROGRAM_SIZE] = (uint32_t)at;
    return at;
}

static void write_rig(const lmb_rig *rig, uint32_t *block) {
    uint32_t joints = rig->joint_count;
    memcpy(block + block[PROGRAM_PARENTS], rig->parents, joints * sizeof *rig->parents);
    memcpy(block + block[PROGRAM_INVERSE_BIND], rig->inverse_bind, joints * sizeof *rig->inverse_bind);
    for (uint32_t joint = 0; joint < joints; joint++) {
        float components[POSE_COMPONENTS];
        memcpy(components, &rig->rest[joint], sizeof components);
        for (uint32_t i = 0; i < POSE_COMPONENTS; i++) {
            block[block[PROGRAM_REST] + i * joints + joint] = BITS(components[i]);
        }
    }
    memcpy(block + block[PROGRAM_BINDS], rig->binds, joints * sizeof *rig->binds);
    for (uint32_t i = 0; i < rig->socket_count; i++) {
        uint32_t *socket = block + block[PROGRAM_SOCKETS] + (size_t)i * SOCKET_WORDS;
        socket[0] = rig->sockets[i].joint;
        memcpy(socket + 1, &rig->sockets[i].matrix, sizeof rig->sockets[i].matrix);
    }
}

static void write_block(compiler *c, uint32_t *block) {
    const lmb_program_def *def = c->def;
    write_rig(def->rig, block);
    for (uint32_t i = 0; i < def->mask_count; i++) {
        memcpy(block + c->masks + (size_t)i * c->mask_words, def->masks[i], def->rig->joint_count);
    }
    uint32_t at = block[PROGRAM_CLIPS] + def->clip_count;
    for (uint32_t i = 0; i < def->clip_count; i++) {
        block[block[PROGRAM_CLIPS] + i] = at;
        memcpy(block + at, def->clips[i]->words, def->clips[i]->size * sizeof *block);
        at += def->clips[i]->size;
    }
    c->instructions = block + block[PROGRAM_INSTRUCTIONS];
    c->instruction_count = 0;
    emit_node(c, def->node_count - 1);
}

static bool rest_scales(const lmb_rig *rig) {
    for (uint32_t joint = 0; joint < rig->joint_count; joint++) {
        for (int axis = 0; axis < 3; axis++) {
            if (rig->rest[joint].scale[axis] != 1.0f) {
                return true;
            }
        }
    }
    return false;
}

// Whether a scale track has more than one key, or another value than 1.
static bool clip_scales(const uint32_t *clip) {
    if (clip[CLIP_PACKED] != 0) {
        return clip[clip[CLIP_PACKED] + PACKED_ROWS + CHANNEL_SCALE] != 0;
    }
    uint32_t joints = clip[CLIP_JOINTS];
    const uint32_t *tracks = clip + clip[CLIP_TRACKS] + CHANNEL_SCALE * TRACK_FIELDS * joints;
    for (uint32_t joint = 0; joint < joints; joint++) {
        const uint32_t *track = tracks + joint;
        // The values of a cubic spline's only key stand between its tangents.
        uint32_t middle = track[TRACK_MODE * joints] == MODE_CUBIC ? 3 : 0;
        const uint32_t *values = clip + track[TRACK_VALUES * joints] + middle;
        if (track[TRACK_KEYS * joints] != 1 || REAL(values[0]) != 1.0f || REAL(values[1]) != 1.0f ||
            REAL(values[2]) != 1.0f) {
            return true;
        }
    }
    return false;
}

static void find_uses(lmb_program *program, const lmb_program_def *def) {
    program->uses_scale = program->pose_count > 0 || rest_scales(def->rig);
    for (uint32_t i = 0; i < def->clip_count; i++) {
        program->uses_cubic = program->uses_cubic || def->clips[i]->words[CLIP_CUBIC] != 0;
        program->uses_far = program->uses_far || def->clips[i]->words[CLIP_FAR] != 0;
        program->uses_packed = program->uses_packed || def->clips[i]->words[CLIP_PACKED] != 0;
        program->uses_scale = program->uses_scale || clip_scales(def->clips[i]->words);
    }
}

// Everything that can be wrong with a descriptor; `header` and `size` are those of the block.
static lmb_result prepare(compiler *c, uint32_t header[PROGRAM_HEADER_WORDS], uint64_t *size) {
    lmb_result result = check_def(c);
    if (result == LMB_OK) {
        result = count_instructions(c);
    }
    if (result != LMB_OK) {
        return result;
    }
    *size = plan_block(c, header);
    if (*size > LARGEST_BLOCK) {
        return lmb_fail(c->error, LMB_ERROR_LIMIT,
                        "program: its block would take %llu words, and at most 2^30 are possible",
                        (unsigned long long)*size);
    }
    return LMB_OK;
}

lmb_result lmb_program_check(const lmb_program_def *def, lmb_error *error) {
    if (def == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "program: the descriptor is NULL");
    }
    compiler c = {.def = def, .error = error};
    uint32_t header[PROGRAM_HEADER_WORDS] = {0};
    uint64_t size;
    return prepare(&c, header, &size);
}

lmb_result lmb_program_create(const lmb_program_def *def, const lmb_host *host, lmb_program **program,
                              lmb_error *error) {
    if (def == NULL || program == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "program: %s is NULL",
                        def == NULL ? "the descriptor" : "the result");
    }
    *program = NULL;
    compiler c = {.def = def, .error = error};
    uint32_t header[PROGRAM_HEADER_WORDS] = {0};
    uint64_t size;
    lmb_result result = prepare(&c, header, &size);
    if (result != LMB_OK) {
        return result;
    }
    lmb_host resolved = lmb_host_resolve(host);
    lmb_program *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    uint32_t *block = lmb_host_allocate(&resolved, size, sizeof *block);
    if (created == NULL || block == NULL) {
        lmb_host_release(&resolved, created);
        lmb_host_release(&resolved, block);
        return lmb_fail(error, LMB_ERROR_MEMORY, "program: no memory for %llu words", (unsigned long long)size);
    }
    memcpy(block, header, sizeof header);
    c.depth = 0;
    write_block(&c, block);
    *created = (lmb_program){.host = resolved,
                             .joint_count = def->rig->joint_count,
                             .parameter_count = def->parameter_count,
                             .pose_count = c.pose_count,
                             .socket_count = def->rig->socket_count,
                             .stack = c.deepest,
                             .size = (uint32_t)size,
                             .block = block};
    find_uses(created, def);
    *program = created;
    return LMB_OK;
}

void lmb_program_destroy(lmb_program *program) {
    if (program == NULL) {
        return;
    }
    lmb_host host = program->host;
    lmb_host_release(&host, program->block);
    lmb_host_release(&host, program);
}

uint32_t lmb_program_joint_count(const lmb_program *program) {
    return program->joint_count;
}

uint32_t lmb_program_parameter_count(const lmb_program *program) {
    return program->parameter_count;
}

uint32_t lmb_program_pose_count(const lmb_program *program) {
    return program->pose_count;
}

uint32_t lmb_program_socket_count(const lmb_program *program) {
    return program->socket_count;
}

uint32_t lmb_program_stack(const lmb_program *program) {
    return program->stack;
}
