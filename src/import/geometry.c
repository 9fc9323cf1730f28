// Geometry, as the readers of FBX and Collada need it.
#include "gltf.h"

#include "math/matrix.h"

#include <math.h>

const char *lmb_gltf_base_name(const char *path) {
    const char *base = path;
    for (; *path != '\0'; path++) {
        base = *path == '/' || *path == '\\' ? path + 1 : base;
    }
    return base;
}

float lmb_gltf_linear_of(float value) {
    value = value > 0 ? fminf(value, 1) : 0; // NaN is 0 as well
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

bool lmb_gltf_add_influence(lmb_vertex *vertex, uint32_t joint, float weight) {
    uint32_t smallest = 0;
    for (uint32_t i = 1; i < LMB_MAX_INFLUENCES; i++) {
        smallest = vertex->weights[i] < vertex->weights[smallest] ? i : smallest;
    }
    bool lost = vertex->weights[smallest] > 0;
    if (weight > vertex->weights[smallest]) {
        vertex->weights[smallest] = weight;
        vertex->joints[smallest] = joint;
    }
    return lost;
}

bool lmb_gltf_turn_normals(lmb_gltf *gltf, const char *name, lmb_gltf_geometry *geometry) {
    double facing = 0.0; // twice the area of the triangles times the cosine between their normals and their vertices'
    for (uint32_t i = 0; i < geometry->index_count; i += 3) {
        const lmb_vertex *corners[3];
        double edges[2][3], front[3];
        for (uint32_t k = 0; k < 3; k++) {
            corners[k] = &geometry->vertices[geometry->indices[i + k]];
        }
        for (uint32_t axis = 0; axis < 3; axis++) {
            edges[0][axis] = (double)corners[1]->position[axis] - (double)corners[0]->position[axis];
            edges[1][axis] = (double)corners[2]->position[axis] - (double)corners[0]->position[axis];
        }
        lmb_cross(edges[0], edges[1], front);
        for (uint32_t axis = 0; axis < 9; axis++) {
            facing += front[axis % 3] * (double)corners[axis / 3]->normal[axis % 3];
        }
    }
    if (facing >= 0.0) {
        return true;
    }
    for (uint32_t i = 0; i < geometry->vertex_count; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            geometry->vertices[i].normal[axis] = -geometry->vertices[i].normal[axis];
        }
    }
    return lmb_importer_note(gltf->importer, "mesh '%.200s': normals that point inwards turned round", name);
}
