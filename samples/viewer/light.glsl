// Shared by the fragment shaders: light, fog and colour encoding.
const vec3 HORIZON = vec3(0.70, 0.72, 0.74);
const vec3 ZENITH = vec3(0.14, 0.31, 0.56);
const vec3 SUNLIGHT = vec3(1.16, 0.97, 0.72);
const vec3 SKYLIGHT = vec3(0.27, 0.35, 0.49);
const vec3 BOUNCE = vec3(0.21, 0.175, 0.14);

vec3 sky(vec3 direction) {
    float rise = clamp(direction.y, 0.0, 1.0);
    float glow = max(dot(direction, push.frame.sun), 0.0);
    return mix(HORIZON, ZENITH, 1.0 - exp(-8.0 * rise)) + SUNLIGHT * (0.14 * glow * glow * glow * glow * glow * glow);
}

vec3 fog(vec3 color, vec3 position) {
    vec3 way = position - push.frame.eye;
    float share = length(way) / push.frame.fog_distance;
    vec3 level = normalize(vec3(way.x, 0.0, way.z) + vec3(0.0, 1e-6, 0.0));
    return mix(sky(level), color, exp(-share * share));
}

// Converts linear light to sRGB values for the UNORM picture, with a little noise against banding.
vec4 encode(vec3 color) {
    vec3 shown = clamp(color, 0.0, 1.0);
    vec3 encoded = mix(1.055 * pow(shown, vec3(1.0 / 2.4)) - 0.055, 12.92 * shown, lessThan(shown, vec3(0.0031308)));
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    return vec4(encoded + (noise - 0.5) / 255.0, 1.0);
}
