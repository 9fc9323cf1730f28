// Light from above and from one side.
uniform vec3 color;
in vec3 shownNormal;
flat in float marked;
out vec4 shown;
const vec3 mark = vec3(0.8, 0.2, 0.02);

void main() {
    vec3 n = normalize(shownNormal);
    float light = 0.35 + 0.5 * max(dot(n, normalize(vec3(0.5, 1.0, 0.7))), 0.0) + 0.15 * n.y;
    shown = vec4(pow(mix(color, mark, marked) * light, vec3(1.0 / 2.2)), 1.0);
}
