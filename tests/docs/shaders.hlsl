// Calls the functions of docs/shaders.md in HLSL for every vertex of a span. The build puts the page's blocks into
// shaders_blocks.hlsl.
#include "shaders_blocks.hlsl"

struct Vertex {
    uint4 joints;
    float4 weights;
    float4 position;
};
[[vk::binding(6)]] StructuredBuffer<Vertex> mesh;
struct Result {
    float4 by_address, by_descriptor, by_duals, placed, previous, position, normal;
};
[[vk::binding(7)]] RWStructuredBuffer<Result> results;
// Mirrored by shaders.comp and shaders_gpu_test.c.
[[vk::push_constant]] cbuffer Push {
    uint2 palette, spans; // addresses, which this language has no use for
    uint joint_count, vertex_count, first_character, character_count, rotates_fully;
};

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    if (id.x >= vertex_count * character_count) {
        return;
    }
    uint in_span = id.x / vertex_count, first = in_span * joint_count;
    uint character = first_character + in_span;
    uint at = character * vertex_count + id.x % vertex_count; // the streams have one buffer for all spans
    Vertex v = mesh[id.x % vertex_count];
    float3 by_descriptor = mul(matrix_by_descriptor(first, v.joints, v.weights), v.position);
    float3 previous = mul(previous_matrix(first, v.joints, v.weights), v.position);
    float3 placed = by_descriptor;
    if (rotates_fully != 0) {
        placed = place_fully(character, by_descriptor);
    } else {
        placed = place(character, by_descriptor);
    }
    results[at].by_address = float4(by_descriptor, 0.0);
    results[at].by_descriptor = float4(by_descriptor, 0.0);
    results[at].by_duals = float4(move(blend_duals(first, v.joints, v.weights), v.position.xyz), 0.0);
    results[at].placed = float4(placed, 0.0);
    results[at].previous = float4(previous, 0.0);
    results[at].position = float4(skinned_position(at), 0.0);
    results[at].normal =
        float4(skinned_normal(at), motion_vector(float4(3.0, 0.0, 0.0, 2.0), float4(1.0, 0.0, 0.0, 2.0)).x);
}
