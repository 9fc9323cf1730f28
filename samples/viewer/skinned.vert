#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(location = 6) in vec2 texcoord;
layout(location = 0) out vec3 world;
layout(location = 1) out vec3 world_normal;
layout(location = 2) out vec2 uv;
layout(location = 3) flat out vec3 tint;

void main() {
    Placement placement = push.placements.items[push.first_placement + gl_InstanceIndex];
    uint vertex = placement.character * push.character_vertices + gl_VertexIndex;
    world = place(push.positions.items[vertex], placement);
    world_normal = turn(push.normals.items[vertex], placement);
    uv = texcoord;
    tint = placement.tint;
    gl_Position = push.frame.view_projection * vec4(world, 1.0);
}
