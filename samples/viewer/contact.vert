#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(location = 0) out vec2 offset;
layout(location = 1) flat out float strength;

vec3 find_foot(uint contact, Placement placement) {
    Contact foot = push.frame.contacts[contact];
    uint row = (placement.character * push.joint_count + foot.joint) * 3;
    vec4 full = vec4(foot.position, 1.0);
    return place(vec3(dot(push.palette.rows[row], full), dot(push.palette.rows[row + 1], full),
                      dot(push.palette.rows[row + 2], full)), placement);
}

// A square on the ground below a foot, whose position is read from the palette. It fades while the foot lifts. The
// first square of each character is a wide one below the body, in the middle of the feet: a clip may move the character
// away from its origin.
void main() {
    uint per_character = push.frame.contact_count + 1;
    uint contact = gl_InstanceIndex % per_character;
    Placement placement = push.placements.items[push.first_placement + gl_InstanceIndex / per_character];
    float height = push.frame.height * placement.scale;
    vec3 center = vec3(placement.position.x, 0.0, placement.position.y);
    float radius = 0.30 * height;
    strength = 0.20;
    if (contact > 0) {
        center = find_foot(contact - 1, placement);
        float planted = push.frame.contacts[contact - 1].planted * placement.scale;
        float lift = clamp((center.y - planted) / (0.16 * height), 0.0, 1.0);
        radius = height * mix(0.085, 0.14, lift);
        strength = 0.62 * (1.0 - lift) * (1.0 - lift);
    } else if (push.frame.contact_count > 0) {
        center = vec3(0.0);
        for (uint i = 0; i < push.frame.contact_count; i++) {
            center += find_foot(i, placement) / float(push.frame.contact_count);
        }
    }
    offset = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
    gl_Position = push.frame.view_projection * vec4(center.x + radius * offset.x, 0.0, center.z + radius * offset.y, 1.0);
}
