#include "reference.h"

#include "program.h"
#include "value.h"

#include "../shaders/ops/program.h"

static void store_pose(float *pose, uint32_t joints, uint32_t joint, transform a) {
    float components[POSE_COMPONENTS];
    memcpy(components, &a, sizeof components);
    for (uint32_t i = 0; i < POSE_COMPONENTS; i++) {
        pose[(size_t)i * joints + joint] = components[i];
    }
}

// Model matrices where the batch keeps none: [joint]; then what instructions prepare: [instruction].
size_t lmb_reference_scratch(const lmb_program *program) {
    return program->joint_count * sizeof(lmb_affine) + program->block[PROGRAM_INSTRUCTION_COUNT] * sizeof(prepared);
}

static void run_character(const lmb_batch *batch, const lmb_batch_outputs *outputs, uint32_t character, frame f,
                          lmb_affine *models) {
    const uint32_t *block = batch->program->block;
    uint32_t joints = batch->program->joint_count;
    size_t first_joint = (size_t)character * joints;
    lmb_affine identity = lmb_affine_identity();
    if (batch->outputs & LMB_OUTPUT_MODEL) {
        models = (lmb_affine *)outputs->stages[LMB_STAGE_MODEL] + first_joint;
    }
    f.joint = 0;
    prepare_program(f, f.now);
    for (uint32_t joint = 0; joint < joints; joint++) {
        f.joint = joint;
        transform local = evaluate_program(f);
        if (batch->outputs & LMB_OUTPUT_LOCAL) {
            store_pose(outputs->stages[LMB_STAGE_LOCAL] + first_joint * POSE_COMPONENTS, joints, joint, local);
        }
        if (!(batch->outputs & (LMB_OUTPUT_MODEL | LMB_OUTPUT_PALETTE))) {
            continue;
        }
        uint32_t parent = block[block[PROGRAM_PARENTS] + joint];
        bool has_parent = parent != NO_PARENT;
        affine model = model_matrix(local, has_parent, lmb_to_op_affine(has_parent ? models[parent] : identity));
        models[joint] = lmb_from_op_affine(model);
        if (batch->outputs & LMB_OUTPUT_PALETTE) {
            affine inverse_bind = load_affine(block, block[PROGRAM_INVERSE_BIND] + joint * MATRIX_COMPONENTS);
            affine palette = palette_matrix(model, inverse_bind);
            memcpy(outputs->stages[LMB_STAGE_PALETTE] + (first_joint + joint) * MATRIX_COMPONENTS, &palette,
                   sizeof palette);
        }
    }
}

void lmb_reference_run(const lmb_batch *batch, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                       uint32_t first, uint32_t count, void *scratch) {
    const lmb_program *program = batch->program;
    uint32_t refused[LMB_REFUSAL_COUNT] = {0};
    const uint32_t *poses[LMB_MAX_POSES] = {0};
    lmb_affine *models = scratch;
    frame f = {.program = program->block,
               .poses = poses,
               .refused = outputs->refused != NULL ? outputs->refused : refused,
               .active = true,
               .now = (prepared *)(models + program->joint_count)};
    for (uint32_t i = 0; i < count; i++) {
        // Rows are found here, with indices as wide as memory; the evaluator sees each character as number 0.
        size_t character = (size_t)first + i;
        if (program->parameter_count > 0) {
            f.parameters = (const uint32_t *)inputs->parameters + character * program->parameter_count;
        }
        for (uint32_t pose = 0; pose < program->pose_count; pose++) {
            poses[pose] = (const uint32_t *)inputs->poses[pose] + character * program->joint_count * POSE_COMPONENTS;
        }
        run_character(batch, outputs, first + i, f, models);
    }
}
