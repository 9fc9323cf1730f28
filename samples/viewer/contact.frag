#version 460

layout(location = 0) in vec2 offset;
layout(location = 1) flat in float strength;
layout(location = 0) out vec4 color;

// The result is multiplied with the ground.
void main() {
    float inside = max(1.0 - dot(offset, offset), 0.0);
    color = vec4(vec3(1.0 - strength * inside * inside), 1.0);
}
