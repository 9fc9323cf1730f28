// Colour, and the motion vector in pixels: where this point is, minus where it was in the frame before.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 color;
layout(location = 3) in vec4 now;
layout(location = 4) in vec4 before;
layout(location = 0) out vec4 shown;
layout(location = 1) out vec2 motion;

layout(set = 0, binding = 0) uniform sampler2DShadow shadow_map;

const vec3 SKY = vec3(0.55, 0.62, 0.70);

float sunlight() {
    vec4 projected = scene.sun_projection * vec4(world + 0.02 * normal, 1.0);
    vec3 at = vec3(projected.xy * 0.5 + 0.5, projected.z);
    if (any(greaterThan(abs(at - 0.5), vec3(0.5)))) {
        return 1.0;
    }
    float lit = 0.0;
    for (int i = 0; i < 9; i++) {
        vec2 texel = vec2(i % 3 - 1, i / 3 - 1) / vec2(textureSize(shadow_map, 0));
        lit += texture(shadow_map, at + vec3(texel, 0.0)) / 9.0;
    }
    return lit;
}

void main() {
    vec3 n = normalize(normal);
    float facing = max(dot(n, scene.sun), 0.0);
    vec3 light = vec3(1.1, 1.0, 0.85) * (facing > 0.0 ? facing * sunlight() : 0.0) + SKY * (0.35 + 0.15 * n.y);
    float distance = length(world - scene.eye) / 45.0;
    shown = vec4(mix(SKY, color * light, exp(-distance * distance)), 1.0);
    motion = (now.xy / now.w - before.xy / before.w) * 0.5 * scene.size;
}
