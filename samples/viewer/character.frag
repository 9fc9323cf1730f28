#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "light.glsl"
#include "shadow.glsl"

layout(location = 0) in vec3 world;
layout(location = 1) in vec3 world_normal;
layout(location = 2) in vec2 uv;
layout(location = 3) flat in vec3 tint;
layout(location = 0) out vec4 color;

layout(set = 0, binding = 0) uniform sampler2D base_texture;

void main() {
    vec3 albedo = push.base_color.rgb * texture(base_texture, uv).rgb * mix(vec3(1.0), tint, push.base_color.a);
    vec3 n = normalize(gl_FrontFacing ? world_normal : -world_normal);
    vec3 eye = normalize(push.frame.eye - world);
    vec3 halfway = normalize(eye + push.frame.sun);
    float facing = dot(n, push.frame.sun);
    float sun = facing > 0.0 ? facing * sunlight(world, n) : 0.0;
    // Light from the sky above and from the ground below; both are weaker between the feet.
    float open = mix(0.62, 1.0, smoothstep(0.0, 0.45, world.y / push.frame.height));
    vec3 ambient = mix(BOUNCE, SKYLIGHT, 0.5 + 0.5 * n.y) * open;
    // A soft terminator: the side facing away from the sun is not flat.
    float wrap = 0.5 + 0.5 * facing;
    vec3 light = ambient + SUNLIGHT * (0.95 * sun + 0.10 * wrap * wrap);
    float gloss = pow(max(dot(n, halfway), 0.0), 48.0) * sun;
    // In a fold the skin's normals turn away from the eye; there is no light from behind.
    float towards = dot(n, eye);
    float rim = pow(1.0 - max(towards, 0.0), 4.0) * smoothstep(-0.1, 0.0, towards);
    vec3 lit = albedo * light + SUNLIGHT * (0.16 * gloss) + SKYLIGHT * (0.28 * rim * open);
    color = encode(fog(lit, world));
}
