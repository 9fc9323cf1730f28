#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(location = 0) out vec2 offset;
layout(location = 1) flat out float strength;

// A square on the ground below a foot, whose position is read from the palette. It fades while the foot lifts. The
// first square of each character is a wide one below the body.
void main() {
    uint per_character = push.frame.contact_count + 1;
    uint contact = gl_InstanceIndex % per_character;
    Placement placement = push.placements.items[push.first_placement + gl_InstanceIndex / per_character];
    float height = push.frame.height * placement.scale;
    vec3 center = vec3(placement.position.x, 0.0, placement.position.y);
    float radius = 0.30 * height;
    strength = 0.20;
    if (contact > 0) {
        Contact foot = push.frame.contacts[contact - 1];
        uint row = (placement.character * push.joint_count + foot.joint) * 3;
        vec4 full = vec4(foot.position, 1.0);
        vec3 model = vec3(dot(push.palette.rows[row], full), dot(push.palette.rows[row + 1], full),
                          dot(push.palette.rows[row + 2], full));
        center = place(model, placement);
        float lift = clamp((center.y - foot.planted * placement.scale) / (0.16 * height), 0.0, 1.0);
        radius = height * mix(0.085, 0.14, lift);
        strength = 0.62 * (1.0 - lift) * (1.0 - lift);
    }
    offset = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
    gl_Position = push.frame.view_projection * vec4(center.x + radius * offset.x, 0.0, center.z + radius * offset.y, 1.0);
}
