// Local transforms from model matrices: one invocation per character processes its joints, parents first.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#define LMB_GLSL
#include "ops/layout.h"

#include "ops/ragdoll.h"

layout(local_size_x = 64) in;

#define PUSH_OF_RAGDOLL
#include "ops/push.h"

#include "grid.glsl"

uvec4 load_wide(uint row) {
    uint at = row * WIDE_LOAD;
    return uvec4(push.program.at[at], push.program.at[at + 1u], push.program.at[at + 2u], push.program.at[at + 3u]);
}

void main() {
    uint character = grid_index();
    if (character >= push.characters) {
        return;
    }
    ragdoll r;
    r.program = push.program;
    r.animated = push.animated;
    r.models = push.models;
    r.poses = push.poses;
    r.is_animated = (push.flags & RAGDOLL_FLAG_ANIMATED) != 0u;
    r.has_mask = (push.flags & RAGDOLL_FLAG_MASK) != 0u;
    r.mask = push.mask;
    r.character = character;
    uint refused = place_bodies(r);
    if (refused > 0u && (push.flags & RAGDOLL_FLAG_COUNTS) != 0u) {
        atomicAdd(push.refused.at[REFUSED_POSE], refused);
    }
}
