// Runs the probe's cases: word [case][4]: kind, a, b, and the result, which is written.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#define LMB_GLSL
#include "ops/probe.h"

layout(local_size_x = 64) in;

#define PUSH_OF_PROBE
#include "ops/push.h"

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index >= push.count) {
        return;
    }
    uint at = index * 4u;
    push.cases.at[at + 3u] = probe_case(push.cases.at[at], push.cases.at[at + 1u], push.cases.at[at + 2u]);
}
