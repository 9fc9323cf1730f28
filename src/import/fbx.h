// An FBX scene that ufbx has read, while it is converted to an import. Its nodes and skins are stored in the tables of
// a glTF document, in metres and with Y up, so that the same code builds rig and meshes.
#ifndef LIMBER_SRC_IMPORT_FBX_H
#define LIMBER_SRC_IMPORT_FBX_H

#include "gltf.h"

#include <ufbx.h>

// A number that the user has added to a node, and that animations move.
typedef struct lmb_fbx_number {
    const ufbx_node *node;
    const char *name;
    uint32_t channel; // in the tables
} lmb_fbx_number;

typedef struct lmb_fbx {
    lmb_gltf tables;
    ufbx_scene *scene;
    const ufbx_node **sources; // of each node of the tables
    uint32_t source_count;
    bool *is_moved;       // by an animation: each node of the tables
    uint32_t *node_of;    // for each node of the scene its index in the tables, or LMB_NONE
    uint32_t *channel_at; // for each blend channel of the scene the channel of its first shape in the tables
    lmb_fbx_number *numbers;
    uint32_t number_count;
    lmb_gltf_skin **skin_of; // for each skin of the scene its entry in the tables, or NULL
} lmb_fbx;

lmb_affine lmb_fbx_affine(const ufbx_matrix *matrix);
// Returns the first skin of a mesh that has a bone, or NULL.
const ufbx_skin_deformer *lmb_fbx_skin_of(const ufbx_mesh *mesh);
// Returns whether the user has added a property to a node.
bool lmb_fbx_is_added(const ufbx_node *node, const char *name);
// Returns the weight of one of a blend channel's shapes, if the channel has the given weight.
double lmb_fbx_shape_weight(const ufbx_blend_channel *channel, size_t shape, double weight);
// fbx_clip.c
bool lmb_fbx_build_clips(lmb_fbx *fbx);
// Finds the nodes that animations move.
bool lmb_fbx_find_moved(lmb_fbx *fbx);
// fbx_mesh.c
bool lmb_fbx_build_meshes(lmb_fbx *fbx);

#endif
