// Calls the functions of docs/shaders.md in GLSL for every vertex of a span. The build puts the page's blocks into
// shaders.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders.glsl"

layout(local_size_x = 64) in;

struct Vertex {
    uvec4 joints;
    vec4 weights;
    vec4 position;
};
layout(set = 0, binding = 6, std430) readonly buffer Mesh {
    Vertex mesh[];
};
struct Result {
    vec4 by_address, by_descriptor, by_duals, placed, previous, position, normal;
};
layout(set = 0, binding = 7, std430) writeonly buffer Results {
    Result results[];
};
// Mirrored by shaders.hlsl and shaders_gpu_test.c.
layout(push_constant, scalar) uniform Push {
    Palette palette;
    Spans spans;
    uint joint_count, vertex_count, first_character, character_count, rotates_fully;
};

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= vertex_count * character_count) {
        return;
    }
    uint in_span = i / vertex_count, character = first_character + in_span, first = in_span * joint_count;
    uint at = character * vertex_count + i % vertex_count; // the streams have one buffer for all spans
    Vertex v = mesh[i % vertex_count];
    mat4x3 by_address = matrix_by_address(palette, first, v.joints, v.weights);
    vec3 in_spans = matrix_in_spans(spans, character, joint_count, v.joints, v.weights) * v.position;
    vec3 by_descriptor = matrix_by_descriptor(first, v.joints, v.weights) * v.position;
    vec3 previous = previous_matrix(first, v.joints, v.weights) * v.position;
    vec3 placed = rotates_fully != 0 ? place_fully(character, by_descriptor) : place(character, by_descriptor);
    results[at].by_address = vec4(by_address * v.position, length(by_address * v.position - in_spans));
    results[at].by_descriptor = vec4(by_descriptor, 0.0);
    results[at].by_duals = vec4(move(blend_duals(first, v.joints, v.weights), v.position.xyz), 0.0);
    results[at].placed = vec4(placed, 0.0);
    results[at].previous = vec4(previous, 0.0);
    results[at].position = vec4(skinned_position(at), 0.0);
    results[at].normal = vec4(skinned_normal(at), motion_vector(vec4(3.0, 0.0, 0.0, 2.0), vec4(1.0, 0.0, 0.0, 2.0)).x);
}
