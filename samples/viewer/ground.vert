#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(location = 0) out vec3 world;

// A square around the eye that extends far beyond the end of the fog.
void main() {
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
    vec2 at = push.frame.eye.xz + corner * (4.0 * push.frame.fog_distance);
    world = vec3(at.x, 0.0, at.y);
    gl_Position = push.frame.view_projection * vec4(world, 1.0);
}
