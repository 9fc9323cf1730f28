// Checks of meshes, which come from files.
#ifndef LIMBER_SRC_SKIN_MESH_H
#define LIMBER_SRC_SKIN_MESH_H

#include "base/host.h"

#include <limber/mesh.h>

// Checks everything that a mesh has, for a rig and so many images. Stores what is wrong in `why`.
LMB_API bool lmb_mesh_check(const lmb_mesh *mesh, const lmb_rig *rig, uint32_t image_count, char *why, size_t size);

// Sorts the influences of a vertex by weight, the largest first; those of one weight stay in their order. The joints of
// weights that are 0 become 0.
LMB_API void lmb_vertex_sort(lmb_vertex *vertex);
// Divides the weights of a vertex by `sum`.
LMB_API void lmb_vertex_divide(lmb_vertex *vertex, double sum);

#endif
