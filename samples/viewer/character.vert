#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "skinning.glsl"

layout(location = 5) in vec3 normal;
layout(location = 6) in vec2 texcoord;
layout(location = 0) out vec3 world;
layout(location = 1) out vec3 world_normal;
layout(location = 2) out vec2 uv;
layout(location = 3) flat out vec3 tint;

vec3 skin_direction(Skin skin, vec3 direction) {
    return vec3(dot(skin.rows[0].xyz, direction), dot(skin.rows[1].xyz, direction), dot(skin.rows[2].xyz, direction));
}

void main() {
    Placement placement = push.placements.items[push.first_placement + gl_InstanceIndex];
    Skin skin = skin_vertex(placement.character);
    world = place(skin_point(skin, position), placement);
    world_normal = turn(skin_direction(skin, normal), placement);
    uv = texcoord;
    tint = placement.tint;
    gl_Position = push.frame.view_projection * vec4(world, 1.0);
}
