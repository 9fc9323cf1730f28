// Stage 1: one invocation per character computes the weights of its nodes, and where its clips are sampled. Later
// stages read these.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#define LMB_GLSL
#define LMB_WEIGHTS_KERNEL
#include "ops/weights.h"

#include "ops/points.h"

layout(local_size_x = 64) in;

#include "batch.glsl"

void main() {
    uint slot = grid_index();
    if (slot < slot_count() && slot_character(slot) < span_count()) {
        evaluation e = character_evaluation(slot_character(slot));
        weigh_nodes(e);
        if (USES_POINTS) {
            find_points(e);
        }
        find_sources(e);
    }
}
