// Returns how much sunlight reaches a point: the mean over a square of texels around it, which moves smoothly with it.
// It uses single fetches, because drivers that run on the CPU are slow at filtered ones.
layout(set = 0, binding = 1) uniform sampler2D shadow_map;

// Fetches per side; the square is one texel smaller.
layout(constant_id = 0) const int FETCHES = 4;

float share(int index, float part) {
    return index == 0 ? 1.0 - part : index == FETCHES - 1 ? part : 1.0;
}

float sunlight(vec3 position, vec3 normal) {
    // Starts about a texel away from the surface, so that it does not shade itself.
    vec3 from = position + normal * (1.5 * push.frame.shadow_texel);
    vec4 projected = push.frame.sun_projection * vec4(from, 1.0);
    // The ground is beyond the farthest character that casts a shadow.
    float depth = min(projected.z, 1.0);
    vec2 last = vec2(textureSize(shadow_map, 0) - FETCHES);
    vec2 at = clamp((projected.xy * 0.5 + 0.5) * (last + float(FETCHES)) - 0.5 * float(FETCHES), vec2(0.0), last);
    ivec2 first = ivec2(at);
    vec2 part = at - vec2(first);
    if (any(greaterThan(abs(projected.xy), vec2(1.0)))) {
        return 1.0; // nothing outside of the map casts a shadow
    }
    float lit = 0.0;
    for (int y = 0; y < FETCHES; y++) {
        for (int x = 0; x < FETCHES; x++) {
            lit += texelFetch(shadow_map, first + ivec2(x, y), 0).r < depth ? 0.0 : share(x, part.x) * share(y, part.y);
        }
    }
    return lit / float((FETCHES - 1) * (FETCHES - 1));
}
