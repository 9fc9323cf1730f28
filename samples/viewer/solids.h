// What a demo's scene shows beside the characters, as triangles in world space: strips of ground, and rails.
#ifndef LIMBER_SAMPLES_VIEWER_SOLIDS_H
#define LIMBER_SAMPLES_VIEWER_SOLIDS_H

#include "play_scene.h"

// Mirrored by solid.vert.
typedef struct solid_vertex {
    float position[3];
    float normal[3];
    float color[3];
} solid_vertex;

#define SOLIDS_VERTICES 24000u

// Writes at most SOLIDS_VERTICES vertices, three for each triangle, and returns their number. The ground is written
// around `z`.
uint32_t solids_write(const play_scene *scene, double seconds, float z, solid_vertex *vertices);

#endif
