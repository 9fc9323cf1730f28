// Many multiplications and additions: their rate limits arithmetic if nothing is contracted.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 64) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Floats {
    float at[];
};

// Matches struct rate_push in limits_gpu.c.
layout(push_constant, scalar) uniform Push {
    Floats sums;
    float factor;
    float term;
    uint turns;
}
push;

// 8 chains, so that none waits for the previous operation, and 16 steps of each per iteration: 256 operations.
#define STEP(x) x = x * factor + term;
#define STEP_ALL STEP(a) STEP(b) STEP(c) STEP(d) STEP(e) STEP(f) STEP(g) STEP(h)
#define STEP_ALL_4 STEP_ALL STEP_ALL STEP_ALL STEP_ALL

void main() {
    float factor = push.factor, term = push.term;
    float a = 0.0, b = 1.0, c = 2.0, d = 3.0, e = 4.0, f = 5.0, g = 6.0, h = 7.0;
    for (uint turn = 0u; turn < push.turns; turn++) {
        STEP_ALL_4 STEP_ALL_4 STEP_ALL_4 STEP_ALL_4
    }
    push.sums.at[gl_GlobalInvocationID.x] = a + b + c + d + e + f + g + h;
}
