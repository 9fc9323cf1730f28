// Skins a vertex by the palettes of its character.
uniform sampler2D palettes;
in vec4 jointIndices;
in vec4 jointWeights;
in vec4 motion; // x, y, z, yaw
out vec3 shownNormal;
flat out float marked;
uniform ivec2 marks; // the first character that is marked, and the one behind the last

vec4 row(int joint, int index) {
    return texelFetch(palettes, ivec2(joint * 3 + index, gl_InstanceID), 0);
}

void main() {
    vec3 at = vec3(0.0), turned = vec3(0.0);
    for (int i = 0; i < 4; i++) {
        int joint = int(jointIndices[i]);
        vec4 x = row(joint, 0), y = row(joint, 1), z = row(joint, 2), p = vec4(position, 1.0);
        at += jointWeights[i] * vec3(dot(x, p), dot(y, p), dot(z, p));
        turned += jointWeights[i] * vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal));
    }
    float c = cos(motion.w), s = sin(motion.w);
    mat3 yaw = mat3(c, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, c);
    shownNormal = normalize(yaw * turned);
    marked = gl_InstanceID >= marks.x && gl_InstanceID < marks.y ? 1.0 : 0.0;
    gl_Position = projectionMatrix * viewMatrix * vec4(yaw * at + motion.xyz, 1.0);
}
