// The model stage: one invocation for each character walks its joints, parents first, and writes model matrices and what
// follows from them, where asked for.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#define LMB_GLSL
#include "ops/operations.h"
#include "ops/model.h"
#include "ops/outputs.h"

layout(local_size_x = 64) in;

#include "batch.glsl"

#include "outputs.glsl"

affine load_model(frame f) {
    uint joints = push.program.at[PROGRAM_JOINTS];
    return load_affine(push.spans.at[f.span].stages[STAGE_MODEL], (f.character * joints + f.joint) * MATRIX_COMPONENTS);
}

void main() {
    uint slot = grid_index();
    if (slot >= slot_count() || slot_character(slot) >= push.characters) {
        return;
    }
    frame f = character_frame(slot_character(slot));
    Words locals = push.spans.at[f.span].stages[STAGE_LOCAL];
    Words models = push.spans.at[f.span].stages[STAGE_MODEL];
    uint joints = push.program.at[PROGRAM_JOINTS];
    uint parents = push.program.at[PROGRAM_PARENTS];
    uint inverse_binds = push.program.at[PROGRAM_INVERSE_BIND];
    uint first_local = f.character * push.program.at[PROGRAM_POSE_FLOATS];
    uint first_matrix = f.character * (MATRIX_COMPONENTS * joints);
    for (uint joint = 0u; joint < joints; joint++) {
        f.joint = joint;
        uint parent = push.program.at[parents + joint];
        bool has_parent = parent != NO_PARENT;
        uint above_at = first_matrix + (has_parent ? parent : 0u) * MATRIX_COMPONENTS;
        affine above = load_affine(models, above_at);
        affine model;
        if (push.program.at[PROGRAM_MATRICES] != 0u) {
            model = load_affine(models, first_matrix + joint * MATRIX_COMPONENTS);
        } else {
            model = own_matrix(load_pose(locals, first_local + joint, joints));
        }
        if (has_parent) {
            model = matrix_under(above, model);
        }
        store_affine(models, first_matrix + joint * MATRIX_COMPONENTS, model);
        if (writes_stage(STAGE_PALETTE)) {
            affine inverse_bind = load_affine(push.program, inverse_binds + joint * MATRIX_COMPONENTS);
            affine palette = palette_matrix(model, inverse_bind);
            store_palette(f, palette);
        }
    }
    write_outputs(f);
}
