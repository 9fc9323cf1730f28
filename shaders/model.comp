// The model stage: one invocation per character processes its joints, parents first, and writes model matrices and the
// requested outputs computed from them.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#define LMB_GLSL
#include "ops/operations.h"
#include "ops/transform.h"

#include "ops/outputs.h"

layout(local_size_x = 64) in;

#include "batch.glsl"

#include "outputs.glsl"

uint model_place(evaluation e) {
    return (e.character * HEADER(push.program, PROGRAM, joints) + e.joint) * MATRIX_COMPONENTS;
}

affine load_model(evaluation e) {
    return load_affine(output_words(OUTPUT_MODEL), model_place(e));
}

void store_model(evaluation e, affine model) {
    store_affine(output_words(OUTPUT_MODEL), model_place(e), model);
}

// Loads the result of the pose stage: a joint's local matrix, if the program's result is matrices, or its local
// transform.
affine load_own(evaluation e) {
    if (HEADER(push.program, PROGRAM, matrices) != 0u) {
        return load_model(e);
    }
    uint first = e.character * HEADER(push.program, PROGRAM, pose_floats);
    return own_matrix(load_pose(output_words(OUTPUT_LOCAL), first + e.joint, HEADER(push.program, PROGRAM, joints)));
}

void main() {
    uint slot = grid_index();
    if (slot >= slot_count() || slot_character(slot) >= span_count()) {
        return;
    }
    evaluation e = character_evaluation(slot_character(slot));
    uint joints = HEADER(push.program, PROGRAM, joints);
    for (e.joint = 0u; e.joint < joints; e.joint++) {
        finish_joint(e, load_own(e));
    }
    write_outputs(e);
}
