// Hashes rows of words (ops/hash.h). Eight invocations share a row, one for each lane of the hash, so that they load
// neighbouring words. A row is at most 2^20 words: one of the drivers ends longer loops.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#define LMB_GLSL
#include "ops/hash.h"

layout(local_size_x = 64) in;

#define PUSH_OF_HASH
#include "ops/push.h"

#include "grid.glsl"

shared uint lanes_a[gl_WorkGroupSize.x];
shared uint lanes_b[gl_WorkGroupSize.x];

// A word of the row, or 0 after its end.
uint word_of(uint first, uint at) {
    return at < push.row_words ? push.words.at[first + at] : 0u;
}

void main() {
    uint row = grid_index() / HASH_LANES;
    uint lane = gl_LocalInvocationID.x % HASH_LANES;
    bool exists = row < push.rows;
    uint first = row * push.row_words;
    uint blocks = exists ? (push.row_words + HASH_BLOCK - 1u) / HASH_BLOCK : 0u;
    uint a = (lane + 1u) * HASH_BEGIN;
    uint b = (lane + 1u + HASH_LANES) * HASH_BEGIN;
    for (uint block = 0u; block < blocks; block++) {
        uint at = block * HASH_BLOCK + lane;
        a = HASH_FIRST(a, b, word_of(first, at));
        b = HASH_SECOND(a, b, word_of(first, at + HASH_LANES));
    }
    lanes_a[gl_LocalInvocationID.x] = a;
    lanes_b[gl_LocalInvocationID.x] = b;
    barrier();
    if (!exists || lane > 0u) {
        return;
    }
    a = push.row_words;
    b = 0u; // the upper half of the number of words
    for (uint i = 0u; i < HASH_LANES; i++) {
        a = HASH_FIRST(a, b, lanes_a[gl_LocalInvocationID.x + i]);
        b = HASH_SECOND(a, b, lanes_b[gl_LocalInvocationID.x + i]);
    }
    for (uint i = 0u; i < 2u; i++) {
        a = HASH_FIRST(a, b, 0u);
        b = HASH_SECOND(a, b, 0u);
    }
    uint to = (push.first_row + row) * push.stride + push.column;
    push.hashes.at[to] = hash_spread(a);
    push.hashes.at[to + 1u] = hash_spread(b);
}
