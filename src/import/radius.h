// The spheres about joints that hold what is bound to them.
#ifndef LIMBER_SRC_IMPORT_RADIUS_H
#define LIMBER_SRC_IMPORT_RADIUS_H

#include "importer.h"

// Gives the rig's joints their radii, from the vertices of all meshes.
void lmb_import_find_radii(lmb_import *import);

#endif
