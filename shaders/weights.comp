// Stage 1 computes the weights of each character's nodes, and where its clips are sampled. Later stages read these.
//
// In small crowds several invocations share the sources of a character (`pass` of them), because a device is idle with
// one for each. Each of them computes all weights, which cost less than a source, and stores the same ones. They are in
// different rows of the grid, so that a workgroup finds the same sources for all of its characters.
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
    bool splits = push.pass > 1u;
    uint part = splits ? gl_WorkGroupID.y : 0u;
    uint slot = splits ? gl_GlobalInvocationID.x : grid_index();
    if (slot < slot_count() && slot_character(slot) < span_count()) {
        evaluation e = character_evaluation(slot_character(slot));
        e.counts = part == 0u;
        weigh_nodes(e);
        if (USES_POINTS && part == 0u) {
            find_points(e);
        }
        e.counts = true;
        find_sources(e, part, push.pass);
    }
}
