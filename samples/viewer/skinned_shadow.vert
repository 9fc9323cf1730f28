#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

void main() {
    Placement placement = push.placements.items[push.first_placement + gl_InstanceIndex];
    uint vertex = placement.character * push.character_vertices + gl_VertexIndex;
    gl_Position = push.frame.sun_projection * vec4(place(push.positions.items[vertex], placement), 1.0);
}
