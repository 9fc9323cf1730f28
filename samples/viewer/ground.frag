#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "light.glsl"
#include "shadow.glsl"

layout(location = 0) in vec3 world;
layout(location = 0) out vec4 color;

// Returns the coverage of lines of `width`, one per unit, faded out where they are too dense for the pixels.
float lines(vec2 at, float width) {
    vec2 footprint = max(fwidth(at), vec2(1e-5));
    vec2 distance_to_line = abs(fract(at - 0.5) - 0.5);
    vec2 covered = clamp((width * 0.5 - distance_to_line) / footprint + 0.5, 0.0, 1.0);
    vec2 kept = clamp(1.5 - 3.0 * footprint, 0.0, 1.0);
    return max(covered.x * kept.x, covered.y * kept.y);
}

void main() {
    vec3 albedo = vec3(0.42, 0.395, 0.36);
    albedo *= 1.0 - 0.16 * lines(world.xz, 0.03) - 0.14 * lines(world.xz * 0.2, 0.012);
    float sun = push.frame.sun.y * sunlight(world, vec3(0.0, 1.0, 0.0));
    color = encode(fog(albedo * (SKYLIGHT * 0.9 + SUNLIGHT * (1.05 * sun)), world));
}
