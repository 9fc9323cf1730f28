// The model stage: one invocation for each character walks its joints, parents first, and writes model matrices and what
// follows from them, where asked for.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#define LMB_GLSL
#include "ops/layout.h"
#include "ops/model.h"
#include "ops/outputs.h"

layout(local_size_x = 64) in;

// Addresses are those of the span's first character. As struct lmb_model_push in src/gpu_push.h.
layout(push_constant, scalar) uniform Push {
    Words program;
    Words local;
    Words model;
    Words palette;
    Words previous_palette;
    Words dual_quaternions;
    Words bounds;
    Words sockets;
    Words named_palette; // that of the frame before, or this frame's where there is none
    uint count;          // characters
    uint outputs;        // a bit for each stage
    uint has_named;
}
push;

#include "grid.glsl"

void store_affine(Words data, uint at, affine m) {
    data.at[at] = floatBitsToUint(m.xx);
    data.at[at + 1u] = floatBitsToUint(m.xy);
    data.at[at + 2u] = floatBitsToUint(m.xz);
    data.at[at + 3u] = floatBitsToUint(m.xt);
    data.at[at + 4u] = floatBitsToUint(m.yx);
    data.at[at + 5u] = floatBitsToUint(m.yy);
    data.at[at + 6u] = floatBitsToUint(m.yz);
    data.at[at + 7u] = floatBitsToUint(m.yt);
    data.at[at + 8u] = floatBitsToUint(m.zx);
    data.at[at + 9u] = floatBitsToUint(m.zy);
    data.at[at + 10u] = floatBitsToUint(m.zz);
    data.at[at + 11u] = floatBitsToUint(m.zt);
}

#include "outputs.glsl"

bool writes_stage(uint stage) {
    return (push.outputs & (1u << stage)) != 0u;
}

// Before the palette is written, which may be the named one; after it, where there is none.
void copy_palette(uint at) {
    for (uint i = 0u; i < MATRIX_COMPONENTS; i++) {
        push.previous_palette.at[at + i] = push.named_palette.at[at + i];
    }
}

void main() {
    uint character = grid_index();
    if (character >= push.count) {
        return;
    }
    uint joints = push.program.at[PROGRAM_JOINTS];
    uint parents = push.program.at[PROGRAM_PARENTS];
    uint inverse_binds = push.program.at[PROGRAM_INVERSE_BIND];
    uint first_local = character * (POSE_COMPONENTS * joints);
    uint first_matrix = character * (MATRIX_COMPONENTS * joints);
    for (uint joint = 0u; joint < joints; joint++) {
        uint parent = push.program.at[parents + joint];
        bool has_parent = parent != NO_PARENT;
        affine above = load_affine(push.model, first_matrix + (has_parent ? parent : 0u) * MATRIX_COMPONENTS);
        transform local = load_pose(push.local, first_local + joint, joints);
        affine model = model_matrix(local, has_parent, above);
        uint at = first_matrix + joint * MATRIX_COMPONENTS;
        store_affine(push.model, at, model);
        if (writes_stage(STAGE_PREVIOUS_PALETTE) && push.has_named != 0u) {
            copy_palette(at);
        }
        if (writes_stage(STAGE_PALETTE)) {
            affine inverse_bind = load_affine(push.program, inverse_binds + joint * MATRIX_COMPONENTS);
            affine palette = palette_matrix(model, inverse_bind);
            store_affine(push.palette, at, palette);
        }
        if (writes_stage(STAGE_PREVIOUS_PALETTE) && push.has_named == 0u) {
            copy_palette(at);
        }
    }
    if (writes_stage(STAGE_DUAL_QUATERNIONS)) {
        write_dual_quaternions(push.program, push.model, push.dual_quaternions, character);
    }
    if (writes_stage(STAGE_BOUNDS)) {
        write_bounds(push.program, push.model, push.bounds, character);
    }
    if (writes_stage(STAGE_SOCKETS)) {
        write_sockets(push.program, push.model, push.sockets, character);
    }
}
