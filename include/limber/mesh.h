/// @file mesh.h
/// @ingroup characters
/// Meshes and images as plain arrays, for a renderer, or for lmb_skin_create() (skin.h). Limber does not draw. All
/// arrays and names belong to the import or pack that returned them, or to the host that filled them. A skin here is
/// that of a glTF file.
#ifndef LIMBER_MESH_H
#define LIMBER_MESH_H

#include <limber/skin.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup characters
/// @{

#define LMB_MAX_INFLUENCES 8u

/// One vertex of a mesh: 96 bytes, no padding.
typedef struct lmb_vertex {
    float position[3];                   ///< in the bind pose's model space
    float normal[3];                     ///< unit length; that of the triangle if the file has none
    float texcoord[2];                   ///< (0, 0) is the top left of an image; (0, 0) if the file has none
    uint32_t joints[LMB_MAX_INFLUENCES]; ///< rig indices; 0 if the weight is 0
    float weights[LMB_MAX_INFLUENCES];   ///< sum to 1; those of an import in descending order
} lmb_vertex;

/// Triangles with one material: one primitive of a file. Start from lmb_default_mesh().
///
/// The mesh of a node without a skin is bound to the node's joint with weight 1 (with lmb_import_def.skeleton_only to
/// the nearest ancestor that is in the rig), so one kind of skinning draws all meshes. If two skins bind a joint with
/// different matrices, the rig has the matrix of the first. Meshes of the other skin are moved to match it. Where no
/// single matrix does that for all its joints, the others are joints of their own: children that stay at the identity,
/// called "<joint> (skin <index>)".
typedef struct lmb_mesh {
    const char *name;
    const lmb_vertex *vertices;
    uint32_t vertex_count;
    const uint32_t *indices; ///< triangles, counter-clockwise front
    uint32_t index_count;
    const float *tangents; ///< [vertex_count][4]: unit, and the sign of the bitangent; NULL if the file has none
    const float *colors;   ///< [vertex_count][4]: linear, multiplied with the base colour; NULL if the file has none
    /// Morph targets, named as the float channels that are their weights. They can be those of an lmb_skin_def.
    const lmb_skin_target *targets;
    uint32_t target_count;
    const char *material; ///< name of the material; "" if the file has none
    float base_color[4];  ///< linear
    float metallic;       ///< 0 to 1, multiplied with the texture's blue channel
    float roughness;      ///< 0 to 1, multiplied with the texture's green channel
    float normal_scale;   ///< of the x and y of the texture's normals
    /// Textures: indices into the images of the import or pack, or #LMB_NONE. All use the mesh's texture coordinates.
    uint32_t image;                    ///< base colour and alpha, in sRGB
    uint32_t metallic_roughness_image; ///< metallic in blue, roughness in green
    uint32_t normal_image;             ///< normals in the space of the tangents
    bool double_sided;
    /// How many influences its vertices need: all weights from this one on are 0. 1 to #LMB_MAX_INFLUENCES.
    uint32_t influence_count;
} lmb_mesh;

/// White, metallic 0, roughness 1, without textures or vertices, with #LMB_MAX_INFLUENCES; `name` and `material` are
/// "".
LMB_API lmb_mesh lmb_default_mesh(void);

/// Keeps the largest influences of each vertex, at most `influence_count`, in descending order and normalised to a sum
/// of 1. The others become 0.
///
/// For vertex formats with fewer influences than a mesh needs (lmb_mesh.influence_count), usually 4. Changes the host's
/// own copy of the vertices. Of equal weights those before others stay. `largest_loss`, which may be NULL, becomes the
/// largest part of its weights that a vertex lost: 0 to 1. Fails with #LMB_ERROR_ARGUMENT if `influence_count` is not 1
/// to #LMB_MAX_INFLUENCES, `vertices` is NULL, or weights of a vertex are negative, not finite or all 0. The message
/// names the vertex; those before it are changed.
LMB_API lmb_result lmb_reduce_influences(lmb_vertex *vertices, uint32_t vertex_count, uint32_t influence_count,
                                         float *largest_loss, lmb_error *error);

/// An image that a mesh uses: the bytes of a PNG or JPEG in the file, not decoded.
typedef struct lmb_image {
    const char *name;
    const uint8_t *bytes;
    size_t size;
} lmb_image;

/// @}

#ifdef __cplusplus
}
#endif

#endif
