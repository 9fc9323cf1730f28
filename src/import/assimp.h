// Reads FBX, Collada and BVH files with Assimp. A build without Assimp has assimp_absent.c instead.
#ifndef LIMBER_SRC_IMPORT_ASSIMP_H
#define LIMBER_SRC_IMPORT_ASSIMP_H

#include "format.h"
#include "importer.h"

bool lmb_assimp_read(lmb_importer *importer, lmb_format format, const uint8_t *bytes, size_t size);

#endif
