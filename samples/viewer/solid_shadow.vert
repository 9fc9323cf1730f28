#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(location = 0) in vec3 position;

void main() {
    gl_Position = push.frame.sun_projection * vec4(position, 1.0);
}
