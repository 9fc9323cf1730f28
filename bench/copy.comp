// Copies rows of four words, for limits_gpu.c.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 64) in;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer From {
    uvec4 at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer To {
    uvec4 at[];
};

// Matches struct copy_push in limits_gpu.c.
layout(push_constant, scalar) uniform Push {
    From from;
    To to;
    uint invocations; // each copies ROWS rows
}
push;

const uint ROWS = 8u; // COPY_BYTES_A_GROUP is 64 invocations times these

void main() {
    const uint index = gl_GlobalInvocationID.x;
    for (uint i = 0u; i < ROWS; i++) {
        push.to.at[index + i * push.invocations] = push.from.at[index + i * push.invocations];
    }
}
