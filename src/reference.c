#include "reference.h"

#include "batch.h"
#include "graph.h"
#include "inline_ops.h"
#include "value.h"

#include "../shaders/ops/inertia_memory.h"
#include "../shaders/ops/outputs.h"
#include "../shaders/ops/program.h"
#include "../shaders/ops/weights.h"

_Static_assert(sizeof(dual_quaternion) == DUAL_COMPONENTS * sizeof(float) &&
                   sizeof(box) == BOX_COMPONENTS * sizeof(float),
               "outputs are not laid out as batch.h says");

static void store_pose(float *pose, uint32_t joints, uint32_t joint, transform a) {
    float components[POSE_COMPONENTS];
    memcpy(components, &a, sizeof components);
    for (uint32_t i = 0; i < POSE_COMPONENTS; i++) {
        pose[(size_t)i * joints + joint] = components[i];
    }
}

// Model matrices where the batch keeps none [joint], then sources, their searches and weights, then the evaluator's
// poses.
size_t lmb_reference_scratch(const lmb_graph *program) {
    return program->joint_count * sizeof(lmb_affine) +
           program->block[PROGRAM_SOURCES] * (sizeof(source) + sizeof(key_search)) +
           program->block[PROGRAM_WEIGHTS] * sizeof(stored_weight) + SLOTS_SIZE(program->stack);
}

// From the local transform of a joint to what is asked for.
static void finish_joint(const lmb_batch *batch, const lmb_batch_outputs *outputs, size_t character, uint32_t joint,
                         transform local, affine own, lmb_affine *models) {
    const uint32_t *block = batch->program->block;
    size_t first_joint = character * batch->program->joint_count;
    if (batch->outputs & LMB_OUTPUT_LOCAL) {
        store_pose(outputs->stages[LMB_STAGE_LOCAL] + character * block[PROGRAM_POSE_FLOATS],
                   batch->program->joint_count, joint, local);
    }
    if (!(batch->outputs & ~(LMB_OUTPUT_LOCAL | LMB_OUTPUT_CHANNELS))) {
        return;
    }
    uint32_t parent = block[block[PROGRAM_PARENTS] + joint];
    bool has_parent = parent != NO_PARENT;
    affine model = has_parent ? matrix_under(lmb_to_op_affine(models[parent]), own) : own;
    models[joint] = lmb_from_op_affine(model);
    if (batch->outputs & LMB_OUTPUT_PALETTE) {
        affine inverse_bind = load_affine(block, block[PROGRAM_INVERSE_BIND] + joint * MATRIX_COMPONENTS);
        affine palette = palette_matrix(model, inverse_bind);
        memcpy(outputs->stages[LMB_STAGE_PALETTE] + (first_joint + joint) * MATRIX_COMPONENTS, &palette,
               sizeof palette);
    }
}

static void find_dual_quaternions(memory block, uint32_t joints, const lmb_affine *models, dual_quaternion *motions) {
    for (uint32_t joint = 0; joint < joints; joint++) {
        uint32_t parent = block[block[PROGRAM_PARENTS] + joint];
        quaternion beside = joint == 0 ? identity_transform().q : motions[joint_beside(parent)].rotation;
        motions[joint] = rigid_motion(lmb_to_op_affine(models[joint]), load_inverse_rotation(block, joint),
                                      load_bind_position(block, joint), beside);
    }
}

static void find_bounds(memory block, uint32_t joints, const lmb_affine *models, box *bounds) {
    *bounds = empty_box();
    for (uint32_t joint = 0; joint < joints; joint++) {
        *bounds = join_boxes(*bounds, joint_box(lmb_to_op_affine(models[joint]), load_radius(block, joint)));
    }
}

static void find_sockets(memory block, uint32_t sockets, const lmb_affine *models, lmb_affine *found) {
    for (uint32_t socket = 0; socket < sockets; socket++) {
        affine model = lmb_to_op_affine(models[load_socket_joint(block, socket)]);
        found[socket] = lmb_from_op_affine(socket_matrix(block, socket, model));
    }
}

// What follows from a character's model matrices beside the palette.
static void run_outputs(const lmb_batch *batch, const lmb_batch_outputs *outputs, size_t character,
                        const lmb_affine *models) {
    const lmb_graph *program = batch->program;
    if ((batch->outputs & LMB_OUTPUT_DUAL_QUATERNIONS) && program->joint_count > 0) {
        find_dual_quaternions(program->block, program->joint_count, models,
                              (dual_quaternion *)outputs->stages[LMB_STAGE_DUAL_QUATERNIONS] +
                                  character * program->joint_count);
    }
    if (batch->outputs & LMB_OUTPUT_BOUNDS) {
        find_bounds(program->block, program->joint_count, models, (box *)outputs->stages[LMB_STAGE_BOUNDS] + character);
    }
    if ((batch->outputs & LMB_OUTPUT_SOCKETS) && program->socket_count > 0) {
        find_sockets(program->block, program->socket_count, models,
                     (lmb_affine *)outputs->stages[LMB_STAGE_SOCKETS] + character * program->socket_count);
    }
}

// Of the joints held. Apart: few programs do so, and what evaluates all of them should not grow by it.
static LMB_NOINLINE void inertialize_joints(const frame *at, const inertia_clock *now, uint32_t *kept, uint32_t count,
                                            slots *held) {
    frame f = *at;
    for (uint32_t place = 0; place < count; place++) {
        f.joint = held->joints[place];
        store_slot(held, 0, place, inertialize(f, *now, kept, load_slot(held, 0, place), true));
    }
}

// The character's row, or NULL where it is not inertialized.
static uint32_t *find_inertia(const lmb_batch *batch, const lmb_batch_outputs *outputs, size_t character) {
    const bool keeps = batch->program->uses_inertia && outputs->inertia != NULL;
    return keeps ? outputs->inertia + character * INERTIA_WORDS * batch->program->joint_count : NULL;
}

static void run_character(const lmb_batch *batch, const lmb_batch_outputs *outputs, size_t character, frame f,
                          lmb_affine *models, slots *held) {
    uint32_t joints = batch->program->joint_count;
    uint32_t *kept = find_inertia(batch, outputs, character);
    inertia_clock now = {0};
    if (kept != NULL) {
        now = load_inertia_clock(f);
    }
    size_t first_joint = character * joints;
    if ((batch->outputs & LMB_OUTPUT_MODEL) && joints > 0) {
        models = (lmb_affine *)outputs->stages[LMB_STAGE_MODEL] + first_joint;
    }
    walk_plan plan = plan_walk(f);
    for (uint32_t first = 0; first < plan.computed; first += TILE_JOINTS) {
        uint32_t count = plan.computed - first < TILE_JOINTS ? plan.computed - first : TILE_JOINTS;
        take_joints(f, plan, first, count, held);
        evaluate_joints(f, count, held);
        if (kept != NULL) {
            inertialize_joints(&f, &now, kept, count, held);
        }
        for (uint32_t place = 0; place < count; place++) {
            finish_joint(batch, outputs, character, held->joints[place], load_slot(held, 0, place),
                         evaluated_matrix(f.program, place, held), models);
        }
    }
    for (uint32_t place = plan.computed; place < joints; place++) {
        uint32_t joint = walk_joint(f, plan, place);
        transform rest = load_rest(f.program, joint);
        finish_joint(batch, outputs, character, joint, rest, own_matrix(rest), models);
    }
    run_outputs(batch, outputs, character, models);
    if (lmb_batch_runs_channels(batch)) {
        lmb_reference_run_channels(batch, outputs, character, &f);
    }
}

void lmb_reference_run(const lmb_batch *batch, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                       uint32_t first, uint32_t count, void *scratch) {
    const lmb_graph *program = batch->program;
    uint32_t refused[LMB_REFUSAL_COUNT] = {0};
    const uint32_t *poses[LMB_MAX_POSES] = {0};
    lmb_affine *models = scratch;
    source *sources = (source *)(models + program->joint_count);
    key_search *searches = (key_search *)(sources + program->block[PROGRAM_SOURCES]);
    stored_weight *weights = (stored_weight *)(searches + program->block[PROGRAM_SOURCES]);
    slots *held = (slots *)(weights + program->block[PROGRAM_WEIGHTS]);
    frame f = {.program = program->block,
               .poses = poses,
               .refused = outputs->refused != NULL ? outputs->refused : refused,
               .active = true,
               .weights = weights,
               .sources = sources,
               .searches = searches};
    for (uint32_t i = 0; i < count; i++) {
        // Rows are found here, with indices as wide as memory; the evaluator sees each character as number 0.
        size_t character = (size_t)first + i;
        if (program->parameter_count > 0) {
            f.parameters = (const uint32_t *)inputs->parameters + character * program->parameter_count;
        }
        for (uint32_t pose = 0; pose < program->pose_count; pose++) {
            poses[pose] = (const uint32_t *)inputs->poses[pose] + character * program->pose_floats[pose];
        }
        f.joint = 0;
        weigh_nodes(f);
        find_sources(f);
        run_character(batch, outputs, character, f, models, held);
    }
}
