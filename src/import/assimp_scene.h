// A scene that Assimp has read, while it is converted to an import. Its nodes and skins are stored in the tables of a
// glTF document, in metres and with Y up, so that the same code builds rig and meshes.
#ifndef LIMBER_SRC_IMPORT_ASSIMP_SCENE_H
#define LIMBER_SRC_IMPORT_ASSIMP_SCENE_H

#include "format.h"
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

// assimp_space.c
bool lmb_assimp_find_space(lmb_assimp *assimp);
// Converts a local transform from the file's units; `is_top` is true if the node has no parent.
lmb_transform lmb_assimp_place(const lmb_assimp_space *space, lmb_transform local, bool is_top);
void lmb_assimp_column_major(const struct aiMatrix4x4 *matrix, float result[16]);
// assimp_node.c
bool lmb_assimp_read_nodes(lmb_assimp *assimp);
// Reads the rest pose of one node. It fails if no joint can have the node's matrix.
bool lmb_assimp_read_rest(lmb_assimp *assimp, uint32_t node);
// assimp_skin.c: reads one skin for each mesh with bones of each node, in this order, and marks the nodes that are in
// the rig.
bool lmb_assimp_read_skins(lmb_assimp *assimp);
// assimp_clip.c
bool lmb_assimp_build_clips(lmb_assimp *assimp);
// assimp_stacks.c: notes the animations of an FBX file that Assimp left out.
bool lmb_assimp_note_stacks(const lmb_assimp *assimp, const uint8_t *file, size_t size);
// assimp_mesh.c
bool lmb_assimp_build_meshes(lmb_assimp *assimp);
// assimp_geometry.c: reads triangles and influences of a mesh; `skin` is NULL for a mesh without bones.
bool lmb_assimp_read_geometry(lmb_assimp *assimp, const struct aiMesh *mesh, const char *name,
                              const lmb_gltf_skin *skin, lmb_gltf_geometry *geometry);
// assimp_material.c
bool lmb_assimp_prepare_materials(lmb_assimp *assimp);
bool lmb_assimp_read_material(lmb_assimp *assimp, uint32_t index, lmb_gltf_material *material);

#endif
