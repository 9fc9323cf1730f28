#include "radius.h"

#include "../rig.h"

#include <math.h>

// Returns the distance of a vertex from the joint, in the joint's space, rounded up.
static float distance_from(const lmb_affine *inverse_bind, const float position[3]) {
    double square = 0.0;
    for (int row = 0; row < 3; row++) {
        double at = (double)inverse_bind->m[row][3];
        for (int column = 0; column < 3; column++) {
            at += (double)inverse_bind->m[row][column] * (double)position[column];
        }
        square += at * at;
    }
    double distance = sqrt(square);
    return distance < (double)LMB_LARGEST ? nextafterf((float)distance, LMB_LARGEST) : LMB_LARGEST;
}

static void hold_vertex(lmb_rig *rig, const lmb_vertex *vertex) {
    for (uint32_t i = 0; i < LMB_MAX_INFLUENCES; i++) {
        if (vertex->weights[i] > 0.0f) {
            uint32_t joint = vertex->joints[i];
            lmb_affine inverse_bind = lmb_rig_joint_inverse_bind(rig, joint);
            lmb_rig_grow_radius(rig, joint, distance_from(&inverse_bind, vertex->position));
        }
    }
}

void lmb_import_find_radii(lmb_import *import) {
    for (size_t i = 0; i < import->mesh_count; i++) {
        const lmb_mesh *mesh = &import->meshes[i];
        for (uint32_t k = 0; k < mesh->vertex_count; k++) {
            hold_vertex(import->rig, &mesh->vertices[k]);
        }
    }
}
