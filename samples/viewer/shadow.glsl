// How much of the sun reaches a point: eight filtered taps of the shadow map, on a small spiral.
layout(set = 0, binding = 1) uniform sampler2DShadow shadow_map;

const vec2 TAPS[8] = vec2[8](vec2(0.35, 0.0), vec2(-0.45, 0.41), vec2(0.06, -0.78), vec2(0.56, 0.73), vec2(-1.04, -0.18),
                             vec2(0.95, -0.61), vec2(-0.32, 1.20), vec2(-0.58, -1.18));

float sunlight(vec3 position, vec3 normal) {
    // Away from the surface by about a texel, so that it does not shade itself.
    vec3 from = position + normal * (1.5 * push.frame.shadow_texel);
    vec4 projected = push.frame.sun_projection * vec4(from, 1.0);
    // The ground lies beyond the farthest of those who cast shadows.
    vec3 at = vec3(projected.xy * 0.5 + 0.5, min(projected.z, 1.0));
    if (any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0)))) {
        return 1.0;
    }
    vec2 texel = 1.1 / vec2(textureSize(shadow_map, 0));
    float lit = 0.0;
    for (int i = 0; i < 8; i++) {
        lit += textureLod(shadow_map, at + vec3(TAPS[i] * texel, 0.0), 0.0);
    }
    return 0.125 * lit;
}
