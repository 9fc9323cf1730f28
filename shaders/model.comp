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

uint model_place(frame f) {
    return (f.character * push.program.at[PROGRAM_JOINTS] + f.joint) * MATRIX_COMPONENTS;
}

affine load_model(frame f) {
    return load_affine(push.spans.at[f.span].stages[STAGE_MODEL], model_place(f));
}

void store_model(frame f, affine model) {
    store_affine(push.spans.at[f.span].stages[STAGE_MODEL], model_place(f), model);
}

// Loads the result of the pose stage: a joint's local matrix, if the program's result is matrices, or its local
// transform.
affine load_own(frame f) {
    if (push.program.at[PROGRAM_MATRICES] != 0u) {
        return load_model(f);
    }
    uint first = f.character * push.program.at[PROGRAM_POSE_FLOATS];
    return own_matrix(load_pose(push.spans.at[f.span].stages[STAGE_LOCAL], first + f.joint, push.program.at[PROGRAM_JOINTS]));
}

void main() {
    uint slot = grid_index();
    if (slot >= slot_count() || slot_character(slot) >= push.characters) {
        return;
    }
    frame f = character_frame(slot_character(slot));
    uint joints = push.program.at[PROGRAM_JOINTS];
    for (f.joint = 0u; f.joint < joints; f.joint++) {
        finish_joint(f, load_own(f));
    }
    write_outputs(f);
}
