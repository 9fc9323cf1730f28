#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "light.glsl"

layout(location = 0) in vec3 direction;
layout(location = 0) out vec4 color;

void main() {
    color = encode(sky(normalize(direction)));
}
