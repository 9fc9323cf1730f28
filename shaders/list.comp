// Computes how many workgroups the following kernels need for a list of characters, and writes these as arguments of
// indirect dispatches.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#define LMB_GLSL
#include "ops/layout.h"

layout(local_size_x = 1) in;

#define PUSH_OF_LIST
#include "ops/push.h"

void store_grid(uint at, uint items, uint of_each) {
    uint groups = (items + of_each - 1u) / of_each;
    uint rows = (groups + LARGEST_GRID - 1u) / LARGEST_GRID;
    rows = rows > 0u ? rows : 1u;
    push.dispatch.at[at] = (groups + rows - 1u) / rows;
    push.dispatch.at[at + 1u] = rows;
    push.dispatch.at[at + 2u] = 1u;
}

void main() {
    uint count = push.list_count.at[0];
    if (count > push.capacity) {
        atomicAdd(push.refused.at[REFUSED_CHARACTER], 1u);
        count = push.capacity;
    }
    push.dispatch.at[FIELD(DISPATCH, count)] = count;
    store_grid(FIELD(DISPATCH, first), count * push.first_joint_maps, push.first_items);
    store_grid(FIELD(DISPATCH, characters), count, push.character_items);
    store_grid(FIELD(DISPATCH, weights), count, push.character_items);
    if (push.weights_parts > 1u) {
        push.dispatch.at[FIELD(DISPATCH, weights) + 1u] = push.weights_parts;
    }
    store_grid(FIELD(DISPATCH, channels), count * push.channels, push.channel_items);
}
