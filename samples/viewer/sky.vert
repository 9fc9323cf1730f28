#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(location = 0) out vec3 direction;

// One triangle over the whole picture, at the far plane.
void main() {
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;
    direction = push.frame.forward + corner.x * push.frame.right - corner.y * push.frame.up;
    gl_Position = vec4(corner, 1.0, 1.0);
}
