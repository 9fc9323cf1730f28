// Lists the characters whose boxes, or shadows on the ground, are in the picture. Limber runs the poses of the listed
// characters (lmb_gpu_record_info.list) and skins them (lmb_gpu_skin_run.list), and both passes draw them.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(local_size_x = 64) in;

const float MARGIN = 0.3; // metres: boxes and positions are those of the last frame

bool is_in_picture(uint character) {
    Box box = scene.boxes.items[character];
    vec4 motion = scene.previous_motions.items[character];
    uint outside[5] = uint[5](0, 0, 0, 0, 0); // corners beyond each plane: left, right, bottom, top, near
    for (uint corner = 0; corner < 8; corner++) {
        bvec3 high = bvec3(corner & 1, corner & 2, corner & 4);
        vec3 world = place(mix(box.low - MARGIN, box.high + MARGIN, high), motion);
        vec3 shadow = world - scene.sun * (world.y / scene.sun.y);
        for (uint end = 0; end < 2; end++) {
            vec4 clip = scene.view_projection * vec4(end == 0 ? world : shadow, 1.0);
            outside[0] += uint(clip.x < -clip.w);
            outside[1] += uint(clip.x > clip.w);
            outside[2] += uint(clip.y < -clip.w);
            outside[3] += uint(clip.y > clip.w);
            outside[4] += uint(clip.z < 0.0);
        }
    }
    return outside[0] < 16 && outside[1] < 16 && outside[2] < 16 && outside[3] < 16 && outside[4] < 16;
}

void main() {
    uint character = gl_GlobalInvocationID.x;
    if (character >= scene.character_count) {
        return;
    }
    bool listed = scene.lists_all != 0 || is_in_picture(character);
    scene.listed.items[character] = uint(listed);
    if (listed) {
        scene.list.items[atomicAdd(scene.draw.instance_count, 1)] = character;
    }
}
