#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 color;
layout(location = 0) out vec3 world;
layout(location = 1) out vec3 world_normal;
layout(location = 2) out vec3 albedo;

void main() {
    world = position;
    world_normal = normal;
    albedo = color;
    gl_Position = push.frame.view_projection * vec4(position, 1.0);
}
