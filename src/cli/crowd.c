#include "crowd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE_MAX 64u
#define PARAMETER_MAX (3 * NODE_MAX) // a leaf has at most three, an operation at most one for each input
#define MASK_COUNT 3u
#define POSE_COUNT 2u
#define DEPTH 3u

// A program while it grows.
typedef struct plan {
    random_source random;
    uint32_t clip_count;
    lmb_node_def nodes[NODE_MAX];
    uint32_t node_count;
    crowd_parameter parameters[PARAMETER_MAX];
    uint32_t parameter_count;
} plan;

static float draw_float(random_source *random, double low, double high) {
    return (float)random_between(random, low, high);
}

static lmb_value add_parameter(plan *plan, crowd_parameter kind) {
    plan->parameters[plan->parameter_count] = kind;
    return lmb_parameter(plan->parameter_count++);
}

// Most weights come from the characters, some are constant.
static lmb_value draw_weight(plan *plan, crowd_parameter kind) {
    if (random_below(&plan->random, 8) == 0) {
        return lmb_constant(draw_float(&plan->random, 0.0, 1.0));
    }
    return add_parameter(plan, kind);
}

static uint32_t add_node(plan *plan, const lmb_node_def *node) {
    plan->nodes[plan->node_count] = *node;
    return plan->node_count++;
}

static uint32_t add_leaf(plan *plan, lmb_op op) {
    lmb_node_def node = lmb_default_node_def();
    node.op = op;
    if (op == LMB_OP_CLIP && plan->clip_count == 0) {
        node.op = LMB_OP_REST;
    } else if (op == LMB_OP_CLIP) {
        node.clip = add_parameter(plan, CROWD_CLIP);
        node.time = add_parameter(plan, CROWD_TIME);
        node.loop = random_below(&plan->random, 2) == 0;
        if (random_below(&plan->random, 2) == 0) {
            node.rate = lmb_constant(draw_float(&plan->random, -1.0, 2.0));
            node.offset = add_parameter(plan, CROWD_TIME);
        }
    } else if (op == LMB_OP_POSE) {
        node.pose = random_below(&plan->random, POSE_COUNT);
    }
    return add_node(plan, &node);
}

static uint32_t add_operation(plan *plan, lmb_op op, const uint32_t *inputs, uint32_t input_count) {
    lmb_node_def node = lmb_default_node_def();
    node.op = op;
    node.input_count = input_count;
    memcpy(node.inputs, inputs, input_count * sizeof node.inputs[0]);
    if (op == LMB_OP_WEIGHTED) {
        for (uint32_t i = 0; i < input_count; i++) {
            node.weights[i] = draw_weight(plan, CROWD_SHARE);
        }
    } else if (op != LMB_OP_DIFFERENCE) {
        node.weight = draw_weight(plan, CROWD_WEIGHT);
        node.curve = random_below(&plan->random, LMB_CURVE_COUNT);
        node.mask = random_below(&plan->random, MASK_COUNT);
    }
    return add_node(plan, &node);
}

static lmb_op draw_leaf(plan *plan) {
    static const lmb_op others[] = {LMB_OP_REST, LMB_OP_POSE};
    uint32_t draw = random_below(&plan->random, 6);
    return draw < 2 ? others[draw] : LMB_OP_CLIP;
}

static uint32_t grow(plan *plan, uint32_t depth, uint32_t stack);

// A tree with this operation at its root that holds at most `stack` poses at once (see lmb_program_stack()).
static uint32_t grow_operation(plan *plan, lmb_op op, uint32_t depth, uint32_t stack) {
    uint32_t inputs[LMB_MAX_INPUTS];
    if (op == LMB_OP_WEIGHTED) {
        uint32_t count = 2 + random_below(&plan->random, 4);
        for (uint32_t i = 0; i < count; i++) {
            inputs[i] = grow(plan, depth - 1, stack - 2);
        }
        return add_operation(plan, op, inputs, count);
    }
    inputs[0] = grow(plan, depth - 1, stack);
    inputs[1] = op == LMB_OP_ADDITIVE ? grow_operation(plan, LMB_OP_DIFFERENCE, 1, stack - 1)
                                      : grow(plan, depth - 1, stack - 1);
    return add_operation(plan, op, inputs, 2);
}

static uint32_t grow(plan *plan, uint32_t depth, uint32_t stack) {
    static const lmb_op operations[] = {LMB_OP_BLEND, LMB_OP_MASKED, LMB_OP_WEIGHTED, LMB_OP_ADDITIVE};
    // Past half of the room there are only leaves: what has begun by then fits into the other half.
    bool leaf = depth == 0 || stack < 4 || plan->node_count > NODE_MAX / 2 || random_below(&plan->random, 4) == 0;
    return leaf ? add_leaf(plan, draw_leaf(plan))
                : grow_operation(plan, operations[random_below(&plan->random, 4)], depth, stack);
}

// Every operation, with as many inputs as an operation may have.
static void grow_everything(plan *plan) {
    uint32_t inputs[LMB_MAX_INPUTS];
    uint32_t clips[2] = {add_leaf(plan, LMB_OP_CLIP), add_leaf(plan, LMB_OP_CLIP)};
    uint32_t masked[2] = {add_operation(plan, LMB_OP_BLEND, clips, 2), add_leaf(plan, LMB_OP_POSE)};
    uint32_t difference[2] = {add_leaf(plan, LMB_OP_CLIP), add_leaf(plan, LMB_OP_REST)};
    uint32_t additive[2] = {add_operation(plan, LMB_OP_MASKED, masked, 2),
                            add_operation(plan, LMB_OP_DIFFERENCE, difference, 2)};
    inputs[0] = add_operation(plan, LMB_OP_ADDITIVE, additive, 2);
    for (uint32_t i = 1; i < LMB_MAX_INPUTS; i++) {
        inputs[i] = add_leaf(plan, draw_leaf(plan));
    }
    add_operation(plan, LMB_OP_WEIGHTED, inputs, LMB_MAX_INPUTS);
}

static void grow_program(plan *plan, uint32_t program) {
    static const lmb_op roots[] = {LMB_OP_BLEND, LMB_OP_WEIGHTED, LMB_OP_MASKED, LMB_OP_ADDITIVE};
    if (program == 0) {
        grow_everything(plan);
    } else {
        grow_operation(plan, roots[program % 4], DEPTH, LMB_MAX_STACK);
    }
}

static lmb_result no_memory(lmb_error *error) {
    if (error != NULL) {
        error->result = LMB_ERROR_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for the crowd");
    }
    return LMB_ERROR_MEMORY;
}

// Weights of a mask: none, full, and everything between.
static void draw_mask(random_source *random, uint8_t *mask, uint32_t joint_count) {
    static const uint8_t extremes[] = {0, 255};
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        uint32_t draw = random_below(random, 4);
        mask[joint] = draw < 2 ? extremes[draw] : (uint8_t)random_below(random, 256);
    }
}

static lmb_result create_program(crowd *crowd, plan *plan, lmb_error *error) {
    uint32_t joint_count = lmb_rig_joint_count(crowd->def.rig);
    crowd->nodes = malloc(sizeof plan->nodes);
    crowd->masks = malloc(MASK_COUNT * sizeof *crowd->masks);
    crowd->mask_bytes = malloc((size_t)MASK_COUNT * joint_count);
    if (crowd->nodes == NULL || crowd->masks == NULL || crowd->mask_bytes == NULL) {
        return no_memory(error);
    }
    memcpy(crowd->nodes, plan->nodes, sizeof plan->nodes);
    for (uint32_t i = 0; i < MASK_COUNT; i++) {
        uint8_t *mask = crowd->mask_bytes + (size_t)i * joint_count;
        draw_mask(&plan->random, mask, joint_count);
        crowd->masks[i] = mask;
    }
    crowd->program_def = (lmb_program_def){.rig = crowd->def.rig,
                                           .clips = crowd->def.clips,
                                           .clip_count = crowd->def.clip_count,
                                           .masks = crowd->masks,
                                           .mask_count = MASK_COUNT,
                                           .nodes = crowd->nodes,
                                           .node_count = plan->node_count,
                                           .parameter_count = plan->parameter_count};
    return lmb_program_create(&crowd->program_def, NULL, &crowd->program, error);
}

static lmb_result create_inputs(crowd *crowd, const plan *plan, lmb_error *error) {
    size_t characters = crowd->def.character_count;
    crowd->kinds = malloc(sizeof plan->parameters);
    crowd->parameters = calloc(characters * plan->parameter_count + 1, sizeof(float));
    if (crowd->kinds == NULL || crowd->parameters == NULL) {
        return no_memory(error);
    }
    memcpy(crowd->kinds, plan->parameters, sizeof plan->parameters);
    size_t floats = (size_t)LMB_POSE_COMPONENTS * lmb_rig_joint_count(crowd->def.rig);
    for (uint32_t i = 0; i < lmb_program_pose_count(crowd->program); i++) {
        crowd->poses[i] = calloc(characters * floats + 1, sizeof(float));
        if (crowd->poses[i] == NULL) {
            return no_memory(error);
        }
    }
    return LMB_OK;
}

lmb_result crowd_create(const crowd_def *def, crowd *crowd, lmb_error *error) {
    *crowd = (struct crowd){.def = *def};
    for (uint32_t i = 0; i < def->clip_count; i++) {
        crowd->longest = fmaxf(crowd->longest, lmb_clip_duration(def->clips[i]));
    }
    plan plan = {.random = random_branch(def->seed, def->program), .clip_count = def->clip_count};
    grow_program(&plan, def->program);
    lmb_result result = create_program(crowd, &plan, error);
    const lmb_batch batch = crowd_batch(crowd, LMB_OUTPUT_LOCAL);
    if (result == LMB_OK) {
        result = lmb_batch_check(&batch, error);
    }
    if (result == LMB_OK) {
        result = create_inputs(crowd, &plan, error);
    }
    if (result != LMB_OK) {
        crowd_destroy(crowd);
    }
    return result;
}

void crowd_destroy(crowd *crowd) {
    lmb_program_destroy(crowd->program);
    free(crowd->nodes);
    free(crowd->masks);
    free(crowd->mask_bytes);
    free(crowd->kinds);
    free(crowd->parameters);
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        free(crowd->poses[i]);
    }
    *crowd = (struct crowd){0};
}

lmb_batch crowd_batch(const crowd *crowd, uint32_t outputs) {
    return (lmb_batch){.program = crowd->program, .character_count = crowd->def.character_count, .outputs = outputs};
}

static bool draw_refused(random_source *random, const crowd *crowd) {
    return crowd->def.one_in != 0 && random_below(random, crowd->def.one_in) == 0;
}

static float draw_not_finite(random_source *random) {
    static const float values[] = {NAN, INFINITY, -INFINITY};
    return values[random_below(random, 3)];
}

static float draw_clip(random_source *random, const crowd *crowd) {
    float count = (float)crowd->def.clip_count;
    if (draw_refused(random, crowd)) {
        const float values[] = {-1.0f, count, NAN, 1e30f};
        return values[random_below(random, 4)];
    }
    return draw_float(random, 0.0, count); // rounded down by the program
}

static float draw_time(random_source *random, const crowd *crowd) {
    if (draw_refused(random, crowd)) {
        return draw_not_finite(random);
    }
    switch (random_below(random, 8)) {
    case 0:
        return 0.0f;
    case 1:
        return crowd->longest;
    case 2:
        return draw_float(random, -3600.0, 3600.0);
    default:
        return draw_float(random, -0.25, 1.25) * crowd->longest;
    }
}

// Weights of blends in [0, 1] and outside it; those of weighted operations up to 4.
static float draw_parameter_weight(random_source *random, const crowd *crowd, float largest) {
    if (draw_refused(random, crowd)) {
        return NAN;
    }
    switch (random_below(random, 6)) {
    case 0:
        return 0.0f;
    case 1:
        return 1.0f;
    default:
        return draw_float(random, -0.125, largest);
    }
}

static float draw_parameter(random_source *random, const crowd *crowd, crowd_parameter kind) {
    switch (kind) {
    case CROWD_CLIP:
        return draw_clip(random, crowd);
    case CROWD_TIME:
        return draw_time(random, crowd);
    case CROWD_WEIGHT:
        return draw_parameter_weight(random, crowd, 1.125f);
    case CROWD_SHARE:
        return draw_parameter_weight(random, crowd, 4.0f);
    }
    return 0.0f;
}

// A character of a pose buffer: the rest pose, each component disturbed.
static void draw_pose(random_source *random, const crowd *crowd, float *pose) {
    uint32_t joint_count = lmb_rig_joint_count(crowd->def.rig);
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        lmb_transform rest = lmb_rig_joint_rest(crowd->def.rig, joint);
        float components[LMB_POSE_COMPONENTS];
        memcpy(components, &rest, sizeof components);
        for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
            components[i] += draw_float(random, -0.5, 0.5);
        }
        if (draw_refused(random, crowd)) {
            components[random_below(random, LMB_POSE_COMPONENTS)] = draw_not_finite(random);
        }
        for (uint32_t i = 0; i < LMB_POSE_COMPONENTS; i++) {
            pose[(size_t)i * joint_count + joint] = components[i];
        }
    }
}

void crowd_draw(crowd *crowd, uint32_t frame) {
    random_source random = random_branch(crowd->def.seed + crowd->def.program, 0x100000000u + frame);
    uint32_t parameter_count = lmb_program_parameter_count(crowd->program);
    uint32_t pose_count = lmb_program_pose_count(crowd->program);
    size_t floats = (size_t)LMB_POSE_COMPONENTS * lmb_rig_joint_count(crowd->def.rig);
    for (size_t character = 0; character < crowd->def.character_count; character++) {
        float *parameters = crowd->parameters + character * parameter_count;
        for (uint32_t i = 0; i < parameter_count; i++) {
            parameters[i] = draw_parameter(&random, crowd, crowd->kinds[i]);
        }
        for (uint32_t i = 0; i < pose_count; i++) {
            draw_pose(&random, crowd, crowd->poses[i] + character * floats);
        }
    }
}

lmb_batch_inputs crowd_inputs(const crowd *crowd) {
    lmb_batch_inputs inputs = {.parameters = crowd->parameters};
    for (uint32_t i = 0; i < LMB_MAX_POSES; i++) {
        inputs.poses[i] = crowd->poses[i];
    }
    return inputs;
}
