// Skinning: one invocation per vertex, which skins it for several characters. The first axis of the grid has the
// vertices, the second divides the characters. LMB_DUAL selects dual quaternions instead of matrices.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#define LMB_GLSL
#include "ops/layout.h"
#include "ops/skin_layout.h"

layout(local_size_x = 64) in;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer PaletteRows {
    vec4 at[];
};

#define PUSH_OF_SKIN
#include "ops/push.h"

// A character's palette: its address, and the row of its first joint.
struct skin_palette {
    PaletteRows rows;
    uint first;
};

affine load_joint_matrix(skin_palette palette, uint joint) {
    uint at = palette.first + joint * 3u;
    vec4 x = palette.rows.at[at];
    vec4 y = palette.rows.at[at + 1u];
    vec4 z = palette.rows.at[at + 2u];
    return affine_of_rows(make_row(x.x, x.y, x.z, x.w), make_row(y.x, y.y, y.z, y.w), make_row(z.x, z.y, z.z, z.w));
}

#include "ops/outputs.h"

dual_quaternion load_joint_dual(skin_palette palette, uint joint) {
    uint at = palette.first + joint * 2u;
    vec4 rotation = palette.rows.at[at];
    vec4 dual = palette.rows.at[at + 1u];
    dual_quaternion q;
    q.rotation = make_quaternion(rotation.x, rotation.y, rotation.z, rotation.w);
    q.dual = make_quaternion(dual.x, dual.y, dual.z, dual.w);
    return q;
}

#include "ops/skin.h"

#ifdef LMB_DUAL
#define PALETTE_ROWS 2u
#else
#define PALETTE_ROWS 3u
#endif

bool has_flag(uint flag) {
    return (push.flags & flag) != 0u;
}

bool writes(uint stream) {
    return has_flag(SKIN_FLAG_WRITES << stream);
}

void count_refusal(uint kind) {
    if (has_flag(SKIN_FLAG_COUNTS)) {
        atomicAdd(push.refused.at[kind], 1u);
    }
}

uint element(uint stream, uint slot, uint vertex) {
    return (slot * push.character_vertices + vertex) * ((push.strides >> (8u * stream)) & 255u);
}

void store_vector(Words to, uint at, vector v) {
    to.at[at] = floatBitsToUint(v.x);
    to.at[at + 1u] = floatBitsToUint(v.y);
    to.at[at + 2u] = floatBitsToUint(v.z);
}

void store_normal(uint slot, uint vertex, vector normal) {
    uint at = element(SKIN_OUTPUT_NORMALS, slot, vertex);
    Words to = push.streams[SKIN_OUTPUT_NORMALS];
    if (has_flag(SKIN_FLAG_SNORM << SKIN_OUTPUT_NORMALS)) {
        to.at[at] = snorm16_pair(normal.x, normal.y);
        to.at[at + 1u] = snorm16_pair(normal.z, 0.0f);
    } else {
        store_vector(to, at, normal);
    }
}

void store_tangent(uint slot, uint vertex, vector tangent, float side) {
    uint at = element(SKIN_OUTPUT_TANGENTS, slot, vertex);
    Words to = push.streams[SKIN_OUTPUT_TANGENTS];
    if (has_flag(SKIN_FLAG_SNORM << SKIN_OUTPUT_TANGENTS)) {
        to.at[at] = snorm16_pair(tangent.x, tangent.y);
        to.at[at + 1u] = snorm16_pair(tangent.z, side);
    } else {
        store_vector(to, at, tangent);
        to.at[at + 3u] = floatBitsToUint(side);
    }
}

skin_palette palette_of(PaletteRows rows, uint character) {
    skin_palette palette;
    palette.rows = rows;
    palette.first = (character - push.first_character) * HEADER(push.block, SKIN, joints) * PALETTE_ROWS;
    return palette;
}

void count_refused_palette(uint refused) {
    if (is_refused(refused)) {
        count_refusal(REFUSED_POSE);
    }
}

void skin_position(uint stream, uint slot, uint vertex, vector position) {
    store_vector(push.streams[stream], element(stream, slot, vertex), position);
}

// The vertex displaced by the morph targets, if the mesh has any.
skin_vertex morph(ReadWords words, uint character, uint vertex, skin_vertex v, bool turns) {
    skin_morphed morphed;
    morphed.v = v;
    if (HEADER(push.block, SKIN, morphs) != 0u) {
        skin_channels channels;
        channels.words = words;
        channels.first = (character - push.first_character) * HEADER(push.block, SKIN, channels);
        morphed = morph_vertex(push.block, vertex, v, channels, turns);
        if (morphed.refused != 0u && has_flag(SKIN_FLAG_COUNTS)) {
            atomicAdd(push.refused.at[REFUSED_WEIGHT], morphed.refused);
        }
    }
    return morphed.v;
}

void skin_previous(uint character, uint slot, uint vertex, skin_vertex bound) {
    skin_vertex v = morph(push.previous_channels, character, vertex, bound, false);
    skin_palette palette = palette_of(push.previous_palette, character);
#ifdef LMB_DUAL
    skin_rigid motion = blend_joint_duals(push.block, vertex, palette);
    vector position = move_rigidly(motion, v.position);
#else
    skin_matrix motion = blend_joint_matrices(push.block, vertex, palette);
    vector position = move_point(motion.m, v.position);
#endif
    count_refused_palette(motion.refused);
    skin_position(SKIN_OUTPUT_PREVIOUS_POSITIONS, slot, vertex, position);
}

void skin_current(uint character, uint slot, uint vertex, skin_vertex bound) {
    bool turns = writes(SKIN_OUTPUT_NORMALS) || writes(SKIN_OUTPUT_TANGENTS);
    skin_vertex v = morph(push.channels, character, vertex, bound, turns);
    skin_palette palette = palette_of(push.palette, character);
    skin_vertex turned = v;
#ifdef LMB_DUAL
    skin_rigid motion = blend_joint_duals(push.block, vertex, palette);
    vector position = move_rigidly(motion, v.position);
    if (turns) {
        turned = turn_rigidly(v, motion);
    }
#else
    skin_matrix motion = blend_joint_matrices(push.block, vertex, palette);
    vector position = move_point(motion.m, v.position);
    if (turns) {
        turned = turn_by_matrix(v, motion.m);
    }
#endif
    count_refused_palette(motion.refused);
    if (writes(SKIN_OUTPUT_POSITIONS)) {
        skin_position(SKIN_OUTPUT_POSITIONS, slot, vertex, position);
    }
    if (writes(SKIN_OUTPUT_NORMALS)) {
        store_normal(slot, vertex, turned.normal);
    }
    if (writes(SKIN_OUTPUT_TANGENTS)) {
        store_tangent(slot, vertex, turned.tangent, turned.side);
    }
}

// The number of characters to skin. The first invocation of all counts a list that is too long.
uint place_count(bool is_first) {
    uint count = push.capacity;
    if (has_flag(SKIN_FLAG_LIST)) {
        uint listed = push.list_count.at[0];
        if (listed > push.capacity && is_first) {
            count_refusal(REFUSED_CHARACTER);
        }
        count = MINIMUM(listed, push.capacity);
    }
    return count;
}

void skin_place(uint place, uint vertex, skin_vertex v) {
    uint character = push.first_character + place;
    if (has_flag(SKIN_FLAG_LIST)) {
        character = push.list.at[place];
    }
    if (character >= push.characters && vertex == 0u && push.first_character == 0u) {
        count_refusal(REFUSED_CHARACTER);
    }
    // An index before the span wraps, so it is not below the count either.
    uint within = character - push.first_character;
    if (character < push.characters && within < push.palette_count) {
        uint slot = has_flag(SKIN_FLAG_PACKED) ? place : within;
        if (has_flag(SKIN_FLAG_CURRENT)) {
            skin_current(character, slot, vertex, v);
        }
        if (writes(SKIN_OUTPUT_PREVIOUS_POSITIONS)) {
            skin_previous(character, slot, vertex, v);
        }
    }
}

void main() {
    uint vertex = gl_GlobalInvocationID.x;
    if (vertex >= HEADER(push.block, SKIN, vertices)) {
        return;
    }
    uint count = place_count(vertex == 0u && gl_WorkGroupID.y == 0u);
    skin_vertex v = load_skin_vertex(push.block, vertex);
    for (uint place = gl_WorkGroupID.y; place < count; place += gl_NumWorkGroups.y) {
        skin_place(place, vertex, v);
    }
}
