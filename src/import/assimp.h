// A scene that Assimp has read, while it is converted to an import. Its nodes and skins are stored in the tables of a
// glTF document, in metres and with Y up, so that the same code builds rig and meshes.
#ifndef LIMBER_SRC_IMPORT_ASSIMP_H
#define LIMBER_SRC_IMPORT_ASSIMP_H

#include "file.h"
#include "gltf.h"

#include <assimp/scene.h>

// Converts from a file's space to the import's: all lengths are scaled, and nodes without a parent are also rotated and
// translated.
typedef struct lmb_assimp_space {
    float scale;
    lmb_affine turn; // rotation and, in metres, translation
    lmb_transform turn_parts;
} lmb_assimp_space;

typedef struct lmb_assimp {
    lmb_gltf tables;
    const struct aiScene *scene;
    lmb_format format;
    lmb_assimp_space space;
    const struct aiNode **sources; // source node of each node of the tables
    lmb_name *node_names;          // sorted
    uint32_t *moved;               // for each node: 1 + the index of the last animation that moves it
} lmb_assimp;

// Converts a local transform from the file's units; `is_top` is true if the node has no parent.
lmb_transform lmb_assimp_place(const lmb_assimp_space *space, lmb_transform local, bool is_top);
// assimp_clip.c
bool lmb_assimp_build_clips(lmb_assimp *assimp);
// assimp_mesh.c
bool lmb_assimp_build_meshes(lmb_assimp *assimp);

#endif
