// A square of ground around the eye.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(location = 0) out vec3 world;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec3 color;
layout(location = 3) out vec4 now;
layout(location = 4) out vec4 before;

void main() {
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
    world = vec3(scene.eye.x + 100.0 * corner.x, 0.0, scene.eye.z + 100.0 * corner.y);
    normal = vec3(0.0, 1.0, 0.0);
    color = vec3(0.30, 0.29, 0.26);
    now = scene.view_projection * vec4(world, 1.0);
    before = scene.previous_view_projection * vec4(world, 1.0);
    gl_Position = now;
}
