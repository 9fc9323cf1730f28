// Casts the shadows of skinned vertices.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

void main() {
    uint character = scene.list.items[gl_InstanceIndex];
    vec3 position = scene.positions.items[gl_InstanceIndex * scene.vertex_count + gl_VertexIndex];
    gl_Position = scene.sun_projection * vec4(place(position, scene.motions.items[character]), 1.0);
}
