// Draws a tree of nodes from the root down. A table has a row for each operation: how many inputs it may have, how many
// poses it holds, and the function that draws its fields. A row is drawn again until it fits what is left: nodes, stack
// entries, poses that are read at other joints, joints of the rig, and the type (a pose or an additive) that the node
// around it needs. So no drawn program has to be refused.
//
// random_program_hold_all() instead uses every operation once, so that the smallest test covers all of them.
#include "random_program.h"

#include <string.h>

// State of drawing a program.
typedef struct plan {
    random_program *program;
    random_source *random;
    const lmb_rig *rig;
    uint32_t clip_count;
    uint32_t exchanges; // poses that are read at other joints
    bool inside;        // the node is inside another operation
} plan;

// Max poses that are read at other joints.
#define MOST_EXCHANGES 12u

// The table of operations: numbers of inputs, and the function that draws the rest of a node. `sums` is how many sums
// an operation holds on the stack, like poses, below its inputs.
typedef struct row {
    lmb_op op;
    uint32_t min_inputs;
    uint32_t most_inputs;
    uint32_t sums;
    void (*draw)(plan *plan, lmb_node_def *node);
} row;

static lmb_value add_parameter(plan *plan, parameter_kind kind) {
    random_program *program = plan->program;
    program->parameters[program->parameter_count] = kind;
    return lmb_parameter(program->parameter_count++);
}

static void draw_curve(plan *plan, lmb_value *value) {
    value->curve = random_curve(plan->random, RANDOM_CURVES);
    for (int i = 0; i < 2; i++) {
        value->control[i] = (float)random_between(plan->random, -1.0, 2.0);
    }
}

// Most values come from parameters, some are constants, and some have curves.
static lmb_value draw_value(plan *plan, parameter_kind kind, double min, double max) {
    if (random_below(plan->random, 8) == 0) {
        return lmb_constant((float)random_between(plan->random, min, max));
    }
    lmb_value value = add_parameter(plan, kind);
    if (random_below(plan->random, 4) == 0) {
        draw_curve(plan, &value);
    }
    return value;
}

static void draw_nothing(plan *plan, lmb_node_def *node) {
    (void)plan;
    (void)node;
}

static void draw_clip(plan *plan, lmb_node_def *node) {
    if (plan->clip_count == 0) {
        node->op = LMB_OP_REST;
        return;
    }
    node->clip = add_parameter(plan, PARAMETER_CLIP);
    node->time = draw_value(plan, PARAMETER_TIME, 0.0, 2.0);
    node->loop = random_below(plan->random, 2) == 0;
    if (random_below(plan->random, 4) == 0) {
        node->joint_weights = random_below(plan->random, RANDOM_PROGRAM_MASKS);
    }
    if (random_below(plan->random, 2) == 0) {
        node->rate = draw_value(plan, PARAMETER_RATE, -1.0, 2.0);
        node->offset = draw_value(plan, PARAMETER_TIME, -1.0, 1.0);
    }
}

static void draw_pose(plan *plan, lmb_node_def *node) {
    node->pose = random_below(plan->random, RANDOM_PROGRAM_POSES);
    if (random_below(plan->random, 2) == 0) {
        node->static_pose = random_below(plan->random, RANDOM_PROGRAM_STATIC_POSES);
    }
}

static void draw_weight(plan *plan, lmb_node_def *node) {
    node->weight = draw_value(plan, PARAMETER_WEIGHT, 0.0, 1.0);
    draw_curve(plan, &node->weight);
}

static void draw_mix(plan *plan, lmb_node_def *node) {
    if (random_below(plan->random, 2) == 0) {
        node->interpolation = random_below(plan->random, LMB_MIX_COUNT);
        node->shortest = random_below(plan->random, 2) == 0;
    }
    node->linear_scale = random_below(plan->random, 4) == 0;
}

static void draw_blend(plan *plan, lmb_node_def *node) {
    draw_weight(plan, node);
    draw_mix(plan, node);
}

static void draw_form(plan *plan, lmb_node_def *node) {
    node->form = random_below(plan->random, LMB_FORM_COUNT);
}

static void draw_additive(plan *plan, lmb_node_def *node) {
    draw_blend(plan, node);
    draw_form(plan, node);
    node->unclamped = random_below(plan->random, 2) == 0;
    const bool is_masked = random_below(plan->random, 2) == 0;
    const uint32_t mask = random_below(plan->random, RANDOM_PROGRAM_MASKS);
    node->mask = is_masked ? mask : LMB_NONE;
}

static void draw_factor(plan *plan, lmb_node_def *node) {
    node->weight = draw_value(plan, PARAMETER_RATE, -4.0, 4.0);
    draw_mix(plan, node);
}

static void draw_place(plan *plan, lmb_node_def *node) {
    for (int i = 0; i < 3; i++) {
        node->coordinates[i] = draw_value(plan, PARAMETER_WEIGHT, 0.0, 1.0);
    }
    draw_mix(plan, node);
}

static void draw_mask(plan *plan, lmb_node_def *node) {
    draw_blend(plan, node);
    node->mask = random_below(plan->random, RANDOM_PROGRAM_MASKS);
}

static void draw_override(plan *plan, lmb_node_def *node) {
    draw_mask(plan, node);
    draw_pose(plan, node);
    if (random_below(plan->random, 4) == 0) {
        node->mask = LMB_NONE;
    }
}

static void draw_mirror(plan *plan, lmb_node_def *node) {
    node->mirror = random_below(plan->random, RANDOM_PROGRAM_MIRRORS);
}

static bool has_ancestors(const lmb_rig *rig, uint32_t joint, uint32_t count) {
    for (; count > 0 && joint != LMB_NONE; count--) {
        joint = lmb_rig_get_def(rig)->joints[joint].parent;
    }
    return joint != LMB_NONE;
}

// Returns whether the rig has a joint with that many ancestors.
static bool has_chain(const lmb_rig *rig, uint32_t count) {
    bool found = false;
    for (uint32_t joint = 0; joint < lmb_rig_get_def(rig)->joint_count && !found; joint++) {
        found = has_ancestors(rig, joint, count);
    }
    return found;
}

// Draws a joint that has that many ancestors, which must exist.
static uint32_t draw_end(plan *plan, uint32_t count) {
    for (;;) {
        const uint32_t joint = random_below(plan->random, lmb_rig_get_def(plan->rig)->joint_count);
        if (has_ancestors(plan->rig, joint, count)) {
            return joint;
        }
    }
}

// Draws an ancestor that has that many ancestors itself, mostly the parent.
static uint32_t draw_ancestor(plan *plan, uint32_t joint, uint32_t count) {
    do {
        joint = lmb_rig_get_def(plan->rig)->joints[joint].parent;
    } while (has_ancestors(plan->rig, joint, count + 1) && random_below(plan->random, 4) == 0);
    return joint;
}

static void draw_point(plan *plan, lmb_value point[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        point[i] = draw_value(plan, PARAMETER_RATE, -2.0, 2.0);
    }
}

// Draws whether a point comes from the buffer instead, and which one.
static void draw_slot(plan *plan, lmb_point_slot *slot) {
    if (random_below(plan->random, 2) == 0) {
        *slot = lmb_point(random_below(plan->random, RANDOM_PROGRAM_POINTS));
    }
}

static void draw_axis(plan *plan, float axis[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        axis[i] = (float)random_between(plan->random, 0.125, 1.0) - (random_below(plan->random, 2) == 0 ? 0.5f : 0.0f);
    }
}

static lmb_reached_slot draw_reached(plan *plan) {
    random_program *program = plan->program;
    const bool reports = random_below(plan->random, 2) == 0 && program->reached_count < LMB_MAX_REACHED;
    return reports ? lmb_reached(program->reached_count++) : (lmb_reached_slot){0};
}

static bool is_above(const lmb_rig *rig, uint32_t joint, uint32_t ancestor) {
    while (joint != LMB_NONE && joint != ancestor) {
        joint = lmb_rig_get_def(rig)->joints[joint].parent;
    }
    return joint == ancestor;
}

// Draws whether the end of a limb is a joint apart from its start instead, with draws of their own.
static void draw_detached(const plan *plan, uint32_t start, uint32_t *end) {
    random_source own = random_branch(plan->random->state, 1);
    const uint32_t joint = random_below(&own, lmb_rig_get_def(plan->rig)->joint_count);
    if (random_below(&own, 2) == 0 && !is_above(plan->rig, joint, start) && !is_above(plan->rig, start, joint)) {
        *end = joint;
    }
}

static void draw_two_bone(plan *plan, lmb_node_def *node) {
    lmb_two_bone_def *chain = &node->two_bone;
    draw_weight(plan, node);
    chain->end = draw_end(plan, 2);
    chain->mid = draw_ancestor(plan, chain->end, 1);
    chain->start = draw_ancestor(plan, chain->mid, 0);
    draw_detached(plan, chain->start, &chain->end);
    draw_point(plan, chain->target);
    for (uint32_t i = 0; i < 3 && random_below(plan->random, 3) > 0; i++) { // of a few parameters
        chain->pole[i] = chain->target[2 - i];
    }
    draw_slot(plan, &chain->target_slot);
    draw_slot(plan, &chain->pole_slot);
    chain->space = random_below(plan->random, LMB_IK_SPACE_COUNT);
    draw_axis(plan, chain->mid_axis);
    chain->soften = random_below(plan->random, 2) == 0 ? 1.0f : (float)random_between(plan->random, 0.0, 1.0);
    chain->twist = draw_value(plan, PARAMETER_RATE, -4.0, 4.0);
    chain->reached = draw_reached(plan);
}

static void draw_aim(plan *plan, lmb_node_def *node) {
    lmb_aim_def *aim = &node->aim;
    uint32_t joint = random_below(plan->random, lmb_rig_get_def(plan->rig)->joint_count);
    draw_weight(plan, node);
    while (joint != LMB_NONE && aim->joint_count < LMB_MAX_AIM_JOINTS) {
        if (aim->joint_count == 0 || random_below(plan->random, 4) > 0) {
            aim->shares[aim->joint_count] = 0.5f * (float)random_below(plan->random, 3);
            aim->joints[aim->joint_count++] = joint;
        }
        joint = random_below(plan->random, 8) > 0 ? lmb_rig_get_def(plan->rig)->joints[joint].parent : LMB_NONE;
    }
    draw_point(plan, aim->target);
    aim->pole[0] = draw_value(plan, PARAMETER_RATE, -2.0, 2.0);
    draw_slot(plan, &aim->target_slot);
    draw_slot(plan, &aim->pole_slot);
    aim->space = random_below(plan->random, LMB_IK_SPACE_COUNT);
    draw_axis(plan, aim->forward);
    draw_axis(plan, aim->up);
    draw_axis(plan, aim->offset);
    aim->limit = (float)random_between(plan->random, 0.0, 4.0);
    aim->twist = draw_value(plan, PARAMETER_RATE, -4.0, 4.0);
    aim->reached = draw_reached(plan);
}

// Draws how a foot is locked and smoothed: some of it, or all.
static void draw_feet_state(plan *plan, lmb_feet_def *feet) {
    const uint32_t parts = 1 + random_below(plan->random, 7);
    feet->time = add_parameter(plan, PARAMETER_RATE);
    feet->feet[0].planted = draw_value(plan, PARAMETER_WEIGHT, 0.0, 1.0);
    feet->lock_distance = parts & 1 ? (float)random_between(plan->random, 0.01, 2.0) : 0.0f;
    feet->release_half_life = (float)random_between(plan->random, 0.0, 0.5);
    feet->ground_half_life = parts & 2 ? (float)random_between(plan->random, 0.01, 0.5) : 0.0f;
    feet->pelvis_half_life = parts & 4 ? (float)random_between(plan->random, 0.01, 0.5) : 0.0f;
    feet->teleport = (float)random_between(plan->random, 0.0, 8.0);
}

// Draws one foot, with the ground near the origin. A leg has four joints, with the pelvis.
static void draw_feet(plan *plan, lmb_node_def *node) {
    lmb_foot_def *foot = &node->feet.feet[0];
    draw_weight(plan, node);
    node->feet.foot_count = 1;
    foot->ankle = draw_end(plan, 3);
    foot->knee = draw_ancestor(plan, foot->ankle, 2);
    foot->hip = draw_ancestor(plan, foot->knee, 1);
    draw_detached(plan, foot->hip, &foot->ankle);
    node->feet.pelvis = draw_ancestor(plan, foot->hip, 0);
    foot->ground[1] = draw_value(plan, PARAMETER_RATE, -2.0, 2.0);
    foot->normal[0] = draw_value(plan, PARAMETER_RATE, -2.0, 2.0);
    draw_slot(plan, &foot->ground_slot);
    draw_slot(plan, &foot->normal_slot);
    draw_axis(plan, foot->knee_axis);
    draw_axis(plan, node->feet.up);
    node->feet.space = random_below(plan->random, LMB_IK_SPACE_COUNT);
    node->feet.max_lowering = (float)random_between(plan->random, 0.0, 2.0);
    node->feet.max_angle = (float)random_between(plan->random, 0.0, 4.0);
    node->feet.soften = random_below(plan->random, 2) == 0 ? 1.0f : (float)random_between(plan->random, 0.0, 1.0);
    if (random_below(plan->random, 2) == 0) {
        node->feet.speed = draw_value(plan, PARAMETER_RATE, 0.0, 3.0);
        node->feet.clip_speed = draw_value(plan, PARAMETER_RATE, 0.5, 2.0);
        node->feet.direction[0] = draw_value(plan, PARAMETER_RATE, -2.0, 2.0);
        draw_slot(plan, &node->feet.direction_slot);
    }
    if (random_below(plan->random, 2) == 0) {
        draw_feet_state(plan, &node->feet);
    }
}

// The source is a joint that is not the last one of the rig, so at least one can be a helper.
static void draw_twist(plan *plan, lmb_node_def *node) {
    lmb_twist_def *twist = &node->twist;
    const uint32_t joints = lmb_rig_get_def(plan->rig)->joint_count;
    draw_weight(plan, node);
    twist->source = random_below(plan->random, joints - 1);
    draw_axis(plan, twist->axis);
    for (uint32_t joint = joints - 1; joint > 0 && twist->joint_count < LMB_MAX_TWIST_JOINTS; joint--) {
        if (!is_above(plan->rig, twist->source, joint) &&
            (twist->joint_count == 0 || random_below(plan->random, 2) == 0)) {
            twist->shares[twist->joint_count] = (float)random_between(plan->random, -1.0, 1.0);
            twist->joints[twist->joint_count++] = joint;
        }
    }
}

static void draw_colliders(plan *plan, lmb_chain_def *chain) {
    random_program *program = plan->program;
    lmb_collider_def *colliders = &program->colliders[program->collider_count];
    const uint32_t left = RANDOM_PROGRAM_COLLIDERS - program->collider_count;
    const uint32_t drawn = random_below(plan->random, 2) * random_below(plan->random, LMB_MAX_CHAIN_COLLIDERS + 1);
    const uint32_t count = drawn < left ? drawn : left;
    for (uint32_t i = 0; i < count; i++) {
        colliders[i] = lmb_default_collider_def();
        colliders[i].joint = random_below(plan->random, lmb_rig_get_def(plan->rig)->joint_count);
        colliders[i].is_capsule = random_below(plan->random, 2) == 0;
        colliders[i].radius = (float)random_between(plan->random, 0.0, 0.5);
        for (uint32_t k = 0; k < 3; k++) {
            colliders[i].offset[k] = (float)random_between(plan->random, -0.5, 0.5);
            colliders[i].tail[k] = (float)random_between(plan->random, -0.5, 0.5);
        }
    }
    static const float radius = 0.05f, weight = 0.75f;
    chain->colliders = colliders;
    chain->collider_count = count;
    chain->radii = &radius;
    chain->radius_count = random_below(plan->random, 2);
    chain->weights = &weight;
    chain->weight_count = random_below(plan->random, 2);
    program->collider_count += count;
}

static void draw_chain(plan *plan, lmb_node_def *node) {
    lmb_chain_def *chain = &node->chain;
    draw_weight(plan, node);
    chain->end = draw_end(plan, 1);
    chain->start = lmb_rig_get_def(plan->rig)->joints[chain->end].parent;
    for (uint32_t bones = 1; bones < LMB_MAX_CHAIN_BONES && has_ancestors(plan->rig, chain->start, 1); bones++) {
        const uint32_t above = lmb_rig_get_def(plan->rig)->joints[chain->start].parent;
        chain->start = random_below(plan->random, 4) > 0 ? above : chain->start;
    }
    chain->time = draw_value(plan, PARAMETER_RATE, 0.0, 2.0);
    chain->velocity[random_below(plan->random, 3)] = draw_value(plan, PARAMETER_RATE, -2.0, 2.0);
    draw_axis(plan, chain->gravity);
    chain->stiffness = (float)random_between(plan->random, 0.0, 10.0);
    chain->damping = (float)random_between(plan->random, 0.0, 10.0);
    chain->teleport = (float)random_between(plan->random, 0.0, 4.0);
    draw_colliders(plan, chain);
}

static void draw_limits(plan *plan, lmb_node_def *node) {
    node->joint_limits = random_below(plan->random, RANDOM_PROGRAM_LIMITS);
}

static void draw_weights(plan *plan, lmb_node_def *node) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        node->weights[i] = draw_value(plan, PARAMETER_SHARE, 0.0, 1.0);
    }
}

static void draw_shares(plan *plan, lmb_node_def *node) {
    draw_weights(plan, node);
    draw_mix(plan, node);
}

static void draw_layers(plan *plan, lmb_node_def *node) {
    node->linear_scale = random_below(plan->random, 4) == 0;
    const uint32_t kind = random_below(plan->random, 4);
    node->threshold = kind > 1 ? 1.0f : kind == 0 ? 0.0f : (float)random_between(plan->random, 0.0, 1.0);
    for (uint32_t i = 0; i < node->input_count; i++) {
        node->weights[i] = draw_value(plan, PARAMETER_WEIGHT, 0.0, 1.0);
        node->priorities[i] = (int32_t)random_below(plan->random, 4) - 2;
    }
    for (uint32_t i = 0; i < node->input_count && random_below(plan->random, 2) == 0; i++) {
        node->masks[i] = random_below(plan->random, RANDOM_PROGRAM_MASKS);
    }
}

// A whole pose hides everything below it, so only the first input may be one.
static void draw_joint_maps(plan *plan, lmb_node_def *node) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        bool is_whole = i == 0 && random_below(plan->random, 2) == 0;
        node->joint_maps[i] = is_whole ? LMB_NONE : random_below(plan->random, RANDOM_PROGRAM_JOINT_MAPS);
    }
}

static void draw_retarget(plan *plan, lmb_node_def *node) {
    node->retarget = random_below(plan->random, RANDOM_PROGRAM_RETARGETS);
}

static void draw_line(plan *plan, lmb_node_def *node) {
    node->linear_scale = random_below(plan->random, 4) == 0;
    node->discrete = random_below(plan->random, 4) == 0;
    node->coordinates[0] = draw_value(plan, PARAMETER_WEIGHT, 0.0, 1.0);
    const uint32_t positions = node->input_count <= 16 ? 16 : LMB_MAX_SPACE_INPUTS;
    for (uint32_t i = 0; i < node->input_count; i++) {
        // The positions are in no particular order, and all are distinct.
        const uint32_t place = (i * 7 + 3) % positions;
        node->positions[i][0] = ((float)place + (float)random_between(plan->random, 0.0, 0.8)) / (float)positions;
    }
}

// Chooses a number of columns that divides the number of inputs.
static void draw_grid(plan *plan, lmb_node_def *node) {
    uint32_t columns = 1 + random_below(plan->random, node->input_count);
    while (node->input_count % columns != 0) {
        columns--;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        node->positions[i][0] = 0.4f * (float)(i % columns);
        node->positions[i][1] = 0.9f - 0.3f * (float)(i / columns);
    }
}

// At least three of the positions are not on a line.
static void draw_scattered(plan *plan, lmb_node_def *node) {
    static const float first[3][2] = {{0.0f, 0.1f}, {0.9f, 0.0f}, {0.3f, 1.0f}};
    for (uint32_t i = 0; i < node->input_count; i++) {
        for (uint32_t axis = 0; axis < 2; axis++) {
            node->positions[i][axis] = i < 3 ? first[i][axis] : (float)random_between(plan->random, 0.0, 1.0);
        }
    }
}

static void draw_plane(plan *plan, lmb_node_def *node) {
    for (uint32_t axis = 0; axis < 2; axis++) {
        node->coordinates[axis] = draw_value(plan, PARAMETER_RATE, -1.0, 2.0);
    }
    node->space2d = random_below(plan->random, LMB_SPACE2D_COUNT);
    node->discrete = random_below(plan->random, 5) == 0;
    node->linear_scale = random_below(plan->random, 4) == 0;
    if (node->space2d == LMB_SPACE2D_TRIANGLES && node->input_count < 3) {
        node->space2d = LMB_SPACE2D_FREEFORM;
    }
    if (node->space2d == LMB_SPACE2D_GRID) {
        draw_grid(plan, node);
    } else {
        draw_scattered(plan, node);
    }
}

static const row rows[] = {
    {LMB_OP_REST, 0, 0, 0, draw_nothing},
    {LMB_OP_CLIP, 0, 0, 0, draw_clip},
    {LMB_OP_POSE, 0, 0, 0, draw_pose},
    {LMB_OP_BLEND, 2, 2, 0, draw_blend},
    {LMB_OP_MASKED, 2, 2, 0, draw_mask},
    {LMB_OP_WEIGHTED, 2, LMB_MAX_INPUTS, 2, draw_shares},
    {LMB_OP_MAKE_ADDITIVE, 2, 2, 0, draw_form},
    {LMB_OP_ADDITIVE, 2, 2, 0, draw_additive},
    {LMB_OP_ADD, 2, 2, 0, draw_nothing},
    {LMB_OP_SUBTRACT, 2, 2, 0, draw_nothing},
    {LMB_OP_SCALE, 1, 1, 0, draw_factor},
    {LMB_OP_SUBTRACT_SCALE_ADD, 3, 3, 0, draw_factor},
    {LMB_OP_BILINEAR, 4, 4, 0, draw_place},
    {LMB_OP_TRILINEAR, 8, 8, 0, draw_place},
    {LMB_OP_PARTIAL, 2, 2, 0, draw_weight},
    {LMB_OP_LAYERS, 2, LMB_MAX_INPUTS, 2, draw_layers},
    {LMB_OP_WEIGHTED_MATRIX, 2, LMB_MAX_INPUTS, 2, draw_weights},
    {LMB_OP_COMBINE, 2, LMB_MAX_INPUTS, 1, draw_joint_maps},
    {LMB_OP_MIRROR, 1, 1, 0, draw_mirror},
    {LMB_OP_CLAMP, 1, 1, 0, draw_limits},
    {LMB_OP_SPACE1D, 2, LMB_MAX_SPACE_INPUTS, 2, draw_line},
    {LMB_OP_SPACE2D, 2, LMB_MAX_SPACE_INPUTS, 2, draw_plane},
    {LMB_OP_OVERRIDE, 1, 1, 0, draw_override},
    {LMB_OP_IK_TWO_BONE, 1, 1, 0, draw_two_bone},
    {LMB_OP_IK_AIM, 1, 1, 0, draw_aim},
    {LMB_OP_FOOT_PLACEMENT, 1, 1, 0, draw_feet},
    {LMB_OP_TWIST, 1, 1, 0, draw_twist},
    {LMB_OP_CHAIN, 1, 1, 0, draw_chain},
    {LMB_OP_RETARGET, 1, 1, 0, draw_retarget},
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])
_Static_assert(ROW_COUNT == LMB_OP_MACHINE, "an operation has no row"); // machines are drawn elsewhere

static bool is_ik(lmb_op op) {
    return op == LMB_OP_IK_TWO_BONE || op == LMB_OP_IK_AIM || op == LMB_OP_FOOT_PLACEMENT || op == LMB_OP_TWIST ||
           op == LMB_OP_CHAIN;
}

static bool takes_other_joints(lmb_op op) {
    return op == LMB_OP_MIRROR || is_ik(op);
}

// Returns whether the rig has the joints that an operation needs.
static bool fits_rig(const lmb_rig *rig, lmb_op op) {
    const uint32_t bones = op == LMB_OP_FOOT_PLACEMENT ? 3 : op == LMB_OP_IK_TWO_BONE ? 2 : op == LMB_OP_CHAIN ? 1 : 0;
    const bool fits_twist = op != LMB_OP_TWIST || lmb_rig_get_def(rig)->joint_count > 1;
    return !is_ik(op) || (has_chain(rig, bones) && fits_twist);
}

// Poses that a make-additive or an additive in model space reads at other joints.
#define SPACE_EXCHANGES 2u

static bool draw_space(plan *plan, lmb_op op) {
    return (op == LMB_OP_MAKE_ADDITIVE || op == LMB_OP_ADDITIVE) &&
           plan->exchanges + SPACE_EXCHANGES <= MOST_EXCHANGES && random_below(plan->random, 3) == 0;
}

static void set_space(lmb_node_def *node) {
    node->space = LMB_SPACE_MODEL;
    node->form = node->form == LMB_FORM_AFFINE ? LMB_FORM_PARENT : node->form;
}

// Returns the first input from which an operation takes additives as they were made. A difference makes its own.
static uint32_t first_summand(lmb_op op) {
    return op == LMB_OP_SUBTRACT || op == LMB_OP_SUBTRACT_SCALE_ADD ? 2 : 0;
}

// Returns whether a node, or one of those whose additives it has, makes or adds an additive in local space.
static bool is_local(const random_program *program, uint32_t index) {
    const lmb_node_def *node = &program->nodes[index];
    const bool is_maker = node->op == LMB_OP_MAKE_ADDITIVE;
    bool found = (is_maker || node->op == LMB_OP_ADDITIVE) && node->space == LMB_SPACE_LOCAL;
    for (uint32_t i = first_summand(node->op); i < node->input_count && !found && !is_maker; i++) {
        found = is_local(program, node->inputs[i]);
    }
    return found;
}

static void set_form(random_program *program, uint32_t index, const lmb_node_def *like) {
    lmb_node_def *node = &program->nodes[index];
    const bool is_maker = node->op == LMB_OP_MAKE_ADDITIVE;
    if (is_maker || node->op == LMB_OP_ADDITIVE) {
        node->form = like->form;
        node->space = like->space;
    }
    for (uint32_t i = first_summand(node->op); i < node->input_count && !is_maker; i++) {
        set_form(program, node->inputs[i], like);
    }
}

// Gives each additive the form and space of the one that adds it: the outermost comes last. Model space, which takes
// exchanges, stays only where all have it.
static void agree_on_forms(random_program *program) {
    for (uint32_t i = 0; i < program->node_count; i++) {
        lmb_node_def *node = &program->nodes[i];
        if (node->op == LMB_OP_ADDITIVE) {
            node->space = is_local(program, node->inputs[1]) ? LMB_SPACE_LOCAL : node->space;
            set_form(program, node->inputs[1], node);
        }
    }
}

static uint32_t add_node(plan *plan, const row *row, const uint32_t *inputs, uint32_t input_count) {
    lmb_node_def node = lmb_default_node_def();
    node.op = row->op;
    node.input_count = input_count;
    for (uint32_t i = 0; i < input_count; i++) {
        node.inputs[i] = inputs[i];
    }
    row->draw(plan, &node);
    plan->program->nodes[plan->program->node_count] = node;
    return plan->program->node_count++;
}

// Draws whether an input is an additive, for an operation whose result must be an additive or a pose. `first` is the
// type of the first input.
static bool draw_type(plan *plan, lmb_op op, bool additive, uint32_t input, bool first) {
    const bool any = random_below(plan->random, 2) == 0;
    switch (op) {
    case LMB_OP_MAKE_ADDITIVE:
        return input == 0 ? any : first;
    case LMB_OP_ADDITIVE:
        return additive || input == 1;
    case LMB_OP_ADD:
        return additive || (any && !first);
    case LMB_OP_SUBTRACT:
        return additive ? any && (input == 0 || first) : input == 1;
    case LMB_OP_SUBTRACT_SCALE_ADD:
        return input == 2 ? additive : any && (input == 0 || first);
    default:
        return additive;
    }
}

// Returns whether an operation can give that type. Of the leaves, only pose buffers and static poses can be additives.
static bool gives(lmb_op op, bool additive) {
    return additive
               ? op != LMB_OP_REST && op != LMB_OP_CLIP && op != LMB_OP_CLAMP && op != LMB_OP_RETARGET && !is_ik(op)
               : op != LMB_OP_MAKE_ADDITIVE;
}

// Draws a row, with inputs or without, that fits the number of nodes and the number of poses held at once (see
// lmb_graph_info.stack).
static const row *draw_row(plan *plan, bool leaf, bool additive, uint32_t nodes, uint32_t stack) {
    for (;;) {
        const row *drawn = &rows[random_below(plan->random, ROW_COUNT)];
        bool fits = drawn->min_inputs < nodes && drawn->sums < stack && (drawn->sums > 0 || drawn->min_inputs <= stack);
        fits = fits && !(takes_other_joints(drawn->op) && plan->exchanges == MOST_EXCHANGES);
        fits = fits && !(drawn->op == LMB_OP_WEIGHTED_MATRIX && plan->inside) && fits_rig(plan->rig, drawn->op);
        if (fits && gives(drawn->op, additive) && leaf == (drawn->most_inputs == 0)) {
            return drawn;
        }
    }
}

// At least half of the leaves that are poses are clips.
static uint32_t add_leaf(plan *plan, bool additive) {
    const bool is_clip = !additive && random_below(plan->random, 2) == 0;
    const row *row = is_clip ? &rows[LMB_OP_CLIP] : draw_row(plan, true, additive, 1, 1);
    return add_node(plan, row, NULL, 0);
}

// Draws a small number of inputs and seldom a large one, or more often if a space can have more than others. It is
// never more than the number of nodes.
static uint32_t draw_input_count(plan *plan, const row *row, uint32_t nodes) {
    const uint32_t seldom = row->most_inputs > LMB_MAX_INPUTS && nodes > LMB_MAX_INPUTS ? 2 : 8;
    uint32_t most = random_below(plan->random, seldom) == 0 ? row->most_inputs : row->min_inputs + 3;
    most = most < row->most_inputs ? most : row->most_inputs;
    most = most < nodes ? most : nodes;
    return row->min_inputs + random_below(plan->random, most - row->min_inputs + 1);
}

// Draws a tree of at most `nodes` nodes that holds at most `stack` poses at once.
static uint32_t grow(plan *plan, bool additive, uint32_t nodes, uint32_t stack) {
    if (nodes < 3 || stack < 2) {
        return add_leaf(plan, additive);
    }
    const row *row = draw_row(plan, false, additive, nodes, stack);
    uint32_t inputs[LMB_MAX_SPACE_INPUTS] = {0};
    uint32_t left = nodes - 1;
    uint32_t count = draw_input_count(plan, row, left);
    const bool in_model_space = draw_space(plan, row->op);
    plan->exchanges += in_model_space ? SPACE_EXCHANGES : takes_other_joints(row->op) ? 1 : 0;
    plan->inside = true;
    bool first = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t others = count - 1 - i;
        uint32_t share = others == 0 ? left : 1 + random_below(plan->random, left - others);
        const bool type = draw_type(plan, row->op, additive, i, first);
        first = i == 0 ? type : first;
        inputs[i] = grow(plan, type, share, row->sums > 0 ? stack - row->sums : stack - i);
        left -= share;
    }
    uint32_t node = add_node(plan, row, inputs, count);
    if (in_model_space) {
        set_space(&plan->program->nodes[node]);
    }
    return node;
}

static plan begin(random_program *program, random_source *random, const lmb_rig *rig, uint32_t clip_count) {
    program->node_count = 0;
    program->parameter_count = 0;
    program->collider_count = 0;
    program->reached_count = 0;
    random_source curves = random_branch(random->state, 0);
    random_curves_draw(&program->curves, &curves);
    return (plan){program, random, rig, clip_count, 0, false};
}

void random_program_grow(random_program *program, random_source *random, const lmb_rig *rig, uint32_t clip_count,
                         uint32_t most_nodes) {
    plan plan = begin(program, random, rig, clip_count);
    grow(&plan, random_below(random, 8) == 0, most_nodes, RANDOM_PROGRAM_STACK);
    agree_on_forms(program);
}

void random_program_hold_all(random_program *program, random_source *random, const lmb_rig *rig, uint32_t clip_count) {
    plan plan = begin(program, random, rig, clip_count);
    uint32_t inputs[LMB_MAX_SPACE_INPUTS];
    uint32_t chain = add_node(&plan, &rows[LMB_OP_CLIP], NULL, 0);
    // Nested sums would hold too many poses. So an operation with few inputs is set aside, and the next one takes it as
    // an input.
    uint32_t aside = LMB_NONE;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const row *row = &rows[i];
        if (row->op == LMB_OP_WEIGHTED_MATRIX || !fits_rig(rig, row->op)) {
            continue;
        }
        // Of the operations that take any number of inputs, weighted and space2d take the max.
        bool few = row->most_inputs >= LMB_MAX_INPUTS && row->op != LMB_OP_WEIGHTED && row->op != LMB_OP_SPACE2D;
        uint32_t count = few ? row->min_inputs : row->most_inputs;
        if (few && aside != LMB_NONE) {
            chain = add_node(&plan, &rows[LMB_OP_BLEND], (uint32_t[]){chain, aside}, 2);
            aside = LMB_NONE;
        }
        for (uint32_t input = 0; input < count; input++) {
            // The difference is added to a leaf. A subtraction must give a pose, so the leaf that it subtracts can be
            // an additive.
            bool is_chain = input == (row->op == LMB_OP_ADDITIVE ? 1 : 0) && !few;
            bool is_aside = input > 0 && aside != LMB_NONE;
            inputs[input] = is_chain ? chain : is_aside ? aside : add_leaf(&plan, row->op == LMB_OP_SUBTRACT);
            aside = input > 0 ? LMB_NONE : aside;
        }
        if (count > 0) {
            *(few ? &aside : &chain) = add_node(&plan, row, inputs, count);
        }
        if (row->op == LMB_OP_MAKE_ADDITIVE) {
            set_space(&program->nodes[inputs[0]]);
        }
    }
    if (aside != LMB_NONE) {
        inputs[0] = chain;
        inputs[1] = aside;
        chain = add_node(&plan, &rows[LMB_OP_BLEND], inputs, 2);
    }
    // Add every kind of leaf once.
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].most_inputs == 0) {
            inputs[0] = chain;
            inputs[1] = add_node(&plan, &rows[i], NULL, 0);
            chain = add_node(&plan, &rows[LMB_OP_BLEND], inputs, 2);
        }
    }
    agree_on_forms(program);
}
