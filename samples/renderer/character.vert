// Draws skinned vertices, and finds where they were in the frame before.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(location = 0) out vec3 world;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec3 color;
layout(location = 3) out vec4 now;
layout(location = 4) out vec4 before;

void main() {
    uint character = scene.list.items[gl_InstanceIndex];
    uint vertex = gl_InstanceIndex * scene.vertex_count + gl_VertexIndex;
    vec4 motion = scene.motions.items[character];
    world = place(scene.positions.items[vertex], motion);
    normal = turn(scene.normals.items[vertex], motion.w);
    color = scene.colors.items[gl_VertexIndex].rgb;
    // The pose of a character that was not in the last frame's list is older: its pose has no motion in this frame.
    bool has_previous = scene.listed_before.items[character] != 0;
    vec3 previous = has_previous ? scene.previous_positions.items[vertex] : scene.positions.items[vertex];
    now = scene.view_projection * vec4(world, 1.0);
    before = scene.previous_view_projection *
             vec4(place(previous, scene.previous_motions.items[character]), 1.0);
    gl_Position = now;
}
