#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "light.glsl"
#include "shadow.glsl"

layout(location = 0) in vec3 world;
layout(location = 1) in vec3 world_normal;
layout(location = 2) in vec3 albedo;
layout(location = 0) out vec4 color;

void main() {
    vec3 n = normalize(world_normal);
    float facing = dot(n, push.frame.sun);
    float sun = facing > 0.0 ? facing * sunlight(world, n) : 0.0;
    vec3 ambient = mix(BOUNCE, SKYLIGHT, 0.5 + 0.5 * n.y);
    color = encode(fog(albedo * (ambient * 0.9 + SUNLIGHT * (1.05 * sun)), world));
}
