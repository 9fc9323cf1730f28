// Checks of meshes, which come from files.
#ifndef LIMBER_SRC_MESH_H
#define LIMBER_SRC_MESH_H

#include "host.h"

#include <limber/mesh.h>

// Checks everything that a mesh has, for a rig and so many images. Stores what is wrong in `why`.
LMB_API bool lmb_mesh_check(const lmb_mesh *mesh, const lmb_rig *rig, uint32_t image_count, char *why, size_t size);

#endif
