// Computes the spheres around joints that contain the vertices bound to them.
#ifndef LIMBER_SRC_IMPORT_RADIUS_H
#define LIMBER_SRC_IMPORT_RADIUS_H

#include "importer.h"

// Sets the radii of the rig's joints from the vertices of all meshes.
void lmb_import_find_radii(lmb_import *import);

#endif
