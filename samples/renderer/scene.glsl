// The data of a frame, which all shaders read by its address, and where characters are.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Points {
    vec3 items[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Colors {
    vec4 items[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Indices {
    uint items[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Draw { // VkDrawIndexedIndirectCommand
    uint index_count;
    uint instance_count; // also the number of indices in the list
    uint first_index, vertex_offset, first_instance;
};
struct Box { // of a character, in its model space
    vec3 low, high;
};
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Boxes {
    Box items[];
};

// Mirrored by renderer.cpp.
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Scene {
    mat4 view_projection, previous_view_projection, sun_projection;
    vec3 eye, sun; // `sun` points towards it
    vec2 size;     // of the picture
    uint character_count, vertex_count;
    uint lists_all; // characters have no boxes yet
    // Of the listed characters, [position in the list][vertex], and of the mesh.
    Points positions, previous_positions, normals;
    Colors colors;
    Draw draw;
    Indices list, listed, listed_before; // the others: whether a character is in this list, and was in the last
    Colors motions, previous_motions;    // x, y, z and yaw of all characters, after this frame and after the last one
    Boxes boxes;                         // after the last frame
};
layout(push_constant, scalar) uniform Push {
    Scene scene;
};

// From model space to the world. Yaw takes z to x.
vec3 turn(vec3 direction, float yaw) {
    float c = cos(yaw), s = sin(yaw);
    return vec3(c * direction.x + s * direction.z, direction.y, c * direction.z - s * direction.x);
}
vec3 place(vec3 point, vec4 motion) {
    return turn(point, motion.w) + motion.xyz;
}
