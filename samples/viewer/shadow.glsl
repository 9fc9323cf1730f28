// How much of the sun reaches a point: four filtered taps of the shadow map.
layout(set = 0, binding = 1) uniform sampler2DShadow shadow_map;

float sunlight(vec3 position, vec3 normal) {
    // Away from the surface by about a texel, so that it does not shade itself.
    vec3 from = position + normal * (1.5 * push.frame.shadow_texel);
    vec4 projected = push.frame.sun_projection * vec4(from, 1.0);
    vec3 at = vec3(projected.xy * 0.5 + 0.5, projected.z);
    if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) {
        return 1.0;
    }
    vec2 texel = 0.75 / vec2(textureSize(shadow_map, 0));
    return 0.25 * (textureLod(shadow_map, at + vec3(texel.x, 0.4 * texel.y, 0.0), 0.0) +
                   textureLod(shadow_map, at + vec3(-0.4 * texel.x, texel.y, 0.0), 0.0) +
                   textureLod(shadow_map, at + vec3(-texel.x, -0.4 * texel.y, 0.0), 0.0) +
                   textureLod(shadow_map, at + vec3(0.4 * texel.x, -texel.y, 0.0), 0.0));
}
