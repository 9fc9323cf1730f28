#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "skinning.glsl"

void main() {
    Placement placement = push.placements.items[push.first_placement + gl_InstanceIndex];
    vec3 world = place(skin_point(skin_vertex(placement.character), position), placement);
    gl_Position = push.frame.sun_projection * vec4(world, 1.0);
}
