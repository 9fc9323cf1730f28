// A glTF 2.0 document while it is read. Indices between its parts are checked when a part is read, so later code can
// rely on them. Every function that returns bool returns false after it has reported an error.
#ifndef LIMBER_SRC_IMPORT_GLTF_H
#define LIMBER_SRC_IMPORT_GLTF_H

#include "importer.h"
#include "json/json.h"
#include "json/text.h"

// The position of an element in the document, such as "meshes[2].primitives[0]".
typedef struct lmb_gltf_place {
    char text[120];
} lmb_gltf_place;

typedef struct lmb_gltf lmb_gltf;

typedef struct lmb_gltf_object {
    lmb_gltf *gltf;
    uint32_t value;
    lmb_gltf_place place;
} lmb_gltf_object;

// The elements of a JSON array.
typedef struct lmb_gltf_list {
    lmb_gltf *gltf;
    uint32_t *values;
    uint32_t count;
    lmb_gltf_place place;
} lmb_gltf_list;

typedef struct lmb_gltf_buffer {
    const uint8_t *bytes;
    size_t size;
} lmb_gltf_buffer;

typedef struct lmb_gltf_uris {
    lmb_name *names;        // sorted; "" without a URI
    lmb_gltf_buffer *files; // stored at the first element of each URI, once it is loaded
    uint32_t count;
} lmb_gltf_uris;

typedef struct lmb_gltf_view {
    const uint8_t *bytes;
    size_t offset; // in its buffer; alignment is relative to the buffer
    size_t size;
    size_t stride; // 0 if elements are contiguous
} lmb_gltf_view;

typedef enum lmb_gltf_component {
    LMB_GLTF_INT8 = 5120,
    LMB_GLTF_UINT8 = 5121,
    LMB_GLTF_INT16 = 5122,
    LMB_GLTF_UINT16 = 5123,
    LMB_GLTF_UINT32 = 5125,
    LMB_GLTF_FLOAT = 5126
} lmb_gltf_component;

typedef enum lmb_gltf_shape {
    LMB_GLTF_SCALAR,
    LMB_GLTF_VEC2,
    LMB_GLTF_VEC3,
    LMB_GLTF_VEC4,
    LMB_GLTF_MAT2,
    LMB_GLTF_MAT3,
    LMB_GLTF_MAT4,
    LMB_GLTF_SHAPE_COUNT
} lmb_gltf_shape;

// The keys of an accessor of times that count: ascending, and moved so that their animation begins at 0.
typedef struct lmb_gltf_keys {
    const float *times;
    const uint32_t *rows; // for each key, its index in the file; NULL if these are the same
    uint32_t count;
    float shift; // how far the keys were moved
} lmb_gltf_keys;

typedef struct lmb_gltf_accessor {
    const uint8_t *bytes; // of the first element; NULL if all elements are zero
    size_t stride;
    uint32_t count;
    lmb_gltf_component component;
    lmb_gltf_shape shape;
    bool normalized;
    uint32_t sparse_count;
    lmb_gltf_component sparse_component;
    const uint8_t *sparse_indices;
    const uint8_t *sparse_values;
    uint32_t draco_view; // 1 + the index of the view from which Draco decoded it; 0 if none
    const float *times;  // its values, if it was read as key times
    lmb_gltf_keys keys;  // made of them for the last animation that used them; its times are NULL before
} lmb_gltf_accessor;

typedef struct lmb_gltf_node {
    const char *name;
    uint32_t parent;
    uint32_t mesh;
    uint32_t skin;
    lmb_transform rest;
    bool in_scene;
    bool moves; // an animation moves it
    bool in_rig;
    bool is_extra;                  // in the rig, but not of its skeleton
    uint32_t joint;                 // of the rig, or LMB_NONE
    const lmb_affine *inverse_bind; // of the first skin that has the node, or NULL
    uint32_t bindings;              // the last of its further joints, or LMB_NONE
    uint32_t rigid_binding;         // that of meshes without a skin, or LMB_NONE
    uint32_t anchor;                // the nearest joint: its own or an ancestor's; or LMB_NONE
    lmb_affine to_anchor;           // from the node to that joint, in the file's rest pose
    lmb_affine shear;               // what its matrix has beside its rest pose: matrix = rest * shear
    bool is_sheared;
    uint32_t top_shear; // the topmost sheared node among itself and its ancestors, or LMB_NONE
    uint32_t object;    // its JSON value
    uint32_t last_skin; // 1 + the index of the last skin that names it
    uint32_t first_channel;
    uint32_t channel_count; // morph-target weights of its mesh
} lmb_gltf_node;

typedef struct lmb_gltf_skin {
    uint32_t *nodes;
    lmb_affine *inverse_binds;
    uint32_t joint_count;
    lmb_affine to_model; // from its meshes to the space of the inverse bind matrices; identity in glTF
    bool is_unused;      // by any mesh of the scene
    lmb_affine move;     // from there to the bind pose of the rig
    uint32_t *bindings;  // of its joints, or LMB_NONE where it uses the joint of the node
} lmb_gltf_skin;

// A further joint of a node, for a skin that binds the node differently, or for meshes without a skin.
typedef struct lmb_gltf_binding {
    uint32_t node;
    uint32_t skin; // the first that needs it, or LMB_NONE
    lmb_affine inverse_bind;
    uint32_t next;  // another one of the node, or LMB_NONE
    uint32_t joint; // of the rig
} lmb_gltf_binding;

typedef struct lmb_gltf_material lmb_gltf_material;

typedef enum lmb_gltf_path {
    LMB_GLTF_TRANSLATION,
    LMB_GLTF_ROTATION,
    LMB_GLTF_SCALE,
    LMB_GLTF_WEIGHTS,
    LMB_GLTF_CURVE, // what a pointer names, if that is none of the others
    LMB_GLTF_PATH_COUNT
} lmb_gltf_path;

// What a channel of an animation moves.
typedef struct lmb_gltf_target {
    lmb_gltf_path path;  // LMB_GLTF_PATH_COUNT if it is none of glTF's
    const char *name;    // of the path
    const char *pointer; // NULL if it has none
    uint32_t node;       // or LMB_NONE
    uint32_t mesh;       // whose nodes have the weights, or LMB_NONE
    uint32_t element;    // of the weights, or LMB_NONE for all
    uint32_t curve;      // or LMB_NONE
} lmb_gltf_target;

// Numbers outside nodes that animations move.
typedef struct lmb_gltf_curve {
    const char *pointer;
    uint32_t first_channel;
    uint32_t width;
} lmb_gltf_curve;

// What glTF does not allow, but leaves no doubt of what is meant. Such parts are read, and noted.
typedef enum lmb_gltf_flaw {
    LMB_GLTF_EMPTY_ARRAY,
    LMB_GLTF_EMPTY_DATA,
    LMB_GLTF_UNALIGNED,
    LMB_GLTF_NORMALIZED,
    LMB_GLTF_MATRIX_AND_PARTS,
    LMB_GLTF_SCALED_MATRIX,
    LMB_GLTF_SHEARED_MATRIX,
    LMB_GLTF_ZERO_ROTATION,
    LMB_GLTF_LEFT_OVER_INDICES,
    LMB_GLTF_CHUNK_LENGTH,
    LMB_GLTF_FLAW_COUNT
} lmb_gltf_flaw;

// A track that holds a joint at the rest pose of its node, for a file that adds clips.
typedef struct lmb_gltf_rest {
    uint32_t node;
    lmb_track_def track; // its value is stored in the node
} lmb_gltf_rest;

struct lmb_gltf {
    lmb_importer *importer;
    lmb_json json;
    lmb_gltf_buffer binary; // of the container; its bytes are NULL if there are none
    lmb_gltf_object root;
    lmb_gltf_list scenes;
    lmb_gltf_list meshes;
    lmb_gltf_list materials;
    lmb_gltf_list textures;
    lmb_gltf_list images;
    lmb_gltf_list animations;
    lmb_gltf_list skin_list;
    lmb_gltf_buffer *buffers;
    lmb_gltf_uris buffer_uris;
    uint32_t buffer_count;
    lmb_gltf_view *views;
    uint32_t view_count;
    lmb_gltf_accessor *accessors;
    uint32_t accessor_count;
    lmb_gltf_node *nodes;
    uint32_t node_count;
    uint32_t *node_order; // parents before children
    lmb_gltf_skin *skins;
    uint32_t skin_count;
    lmb_gltf_binding *bindings;
    uint32_t binding_count;
    lmb_channel_def *channels; // of all nodes, then of all curves
    uint32_t channel_count;
    uint32_t *channel_of; // for each channel, its index in the rig, or LMB_NONE
    lmb_gltf_curve *curves;
    uint32_t curve_count;
    lmb_index curve_index; // by their pointers
    lmb_gltf_material *material_cache;
    uint32_t *image_of; // for each image of the file, its index among the import's images, or LMB_NONE
    lmb_gltf_uris image_uris;
    lmb_gltf_rest *rests; // of nodes whose rest pose differs from their joint's, in the order of the nodes
    uint32_t rest_count;
    lmb_name_list flaws[LMB_GLTF_FLAW_COUNT]; // where each occurs
    uint16_t *excused;                        // for each JSON value, a bit for each flaw that is listed
};

// gltf_document.c: reads the text, checks the asset's version and the required extensions, and finds the lists.
bool lmb_gltf_read_document(lmb_gltf *gltf, const uint8_t *bytes, size_t size);
// Reads members of objects. An absent member leaves the output unchanged; a list becomes empty.
bool lmb_gltf_fail(const lmb_gltf_object *object, const char *key, const char *format, ...) LMB_PRINTF(3, 4);
lmb_gltf_place lmb_gltf_place_of(const char *format, ...) LMB_PRINTF(1, 2);
// Lists where the file has a flaw, once. Always returns true, so that reading goes on.
bool lmb_gltf_excuse(const lmb_gltf_object *object, const char *key, lmb_gltf_flaw flaw);
// Notes all flaws.
bool lmb_gltf_note_flaws(lmb_gltf *gltf);
bool lmb_gltf_require(const lmb_gltf_object *object, const char *key);
bool lmb_gltf_read_boolean(const lmb_gltf_object *object, const char *key, bool *result);
// Reads an integer from `smallest` to `largest`.
bool lmb_gltf_read_integer(const lmb_gltf_object *object, const char *key, uint64_t smallest, uint64_t largest,
                           uint64_t *result);
// Reads an index below `count`; `what` names the indexed elements in messages.
bool lmb_gltf_read_index(const lmb_gltf_object *object, const char *key, uint32_t count, const char *what,
                         uint32_t *result);
// Reads an array of indices below `count`.
bool lmb_gltf_read_indices(const lmb_gltf_object *object, const char *key, uint32_t count, const char *what,
                           uint32_t **indices, uint32_t *index_count);
// Reads exactly `count` finite numbers. An empty array is absent.
bool lmb_gltf_read_floats(const lmb_gltf_object *object, const char *key, uint32_t count, float *result, bool *present);
bool lmb_gltf_read_float(const lmb_gltf_object *object, const char *key, float *result);
// Returns a string value, decoded, in scratch memory; NULL without memory.
char *lmb_gltf_copy_string(const lmb_gltf *gltf, uint32_t value, size_t *length);
// Reads a string: decoded, in scratch memory, without zero characters.
bool lmb_gltf_read_string(const lmb_gltf_object *object, const char *key, const char **result);
// Reads a string that is one of `names`, as its index.
bool lmb_gltf_read_choice(const lmb_gltf_object *object, const char *key, const char *const *names, uint32_t count,
                          uint32_t *result);
// Reads the member "name". If it is absent or empty, the name is `prefix`, an underscore and the index.
bool lmb_gltf_read_name(const lmb_gltf_object *object, const char *prefix, uint32_t index, const char **result);
// If `present` is NULL, the member must exist.
bool lmb_gltf_read_object(const lmb_gltf_object *object, const char *key, lmb_gltf_object *result, bool *present);
// Reads an array whose values all have one type. An absent array is an empty list.
bool lmb_gltf_read_list(const lmb_gltf_object *object, const char *key, lmb_json_type type, lmb_gltf_list *result);
// Reads a list of objects at the top level; returns a zeroed element for each object, or NULL.
void *lmb_gltf_read_table(lmb_gltf *gltf, const char *key, size_t size, lmb_gltf_list *list);
bool lmb_gltf_read_each(const lmb_gltf_list *list, bool (*read)(const lmb_gltf_object *object, uint32_t index));
lmb_gltf_object lmb_gltf_item(const lmb_gltf_list *list, uint32_t index);

// gltf_data.c
// Reads, and if asked checks, the URIs of all elements of a list. Elements with equal URIs load it once. Loading one
// checks it as well.
bool lmb_gltf_read_uris(const lmb_gltf_list *list, bool checks, lmb_gltf_uris *uris);
bool lmb_gltf_load_uri(const lmb_gltf_object *object, const char *uri, const lmb_gltf_uris *uris,
                       lmb_gltf_buffer *file);
bool lmb_gltf_read_buffers(lmb_gltf *gltf);
bool lmb_gltf_read_views(lmb_gltf *gltf);
bool lmb_gltf_read_accessors(lmb_gltf *gltf);
uint32_t lmb_gltf_component_count(lmb_gltf_shape shape);
size_t lmb_gltf_component_size(lmb_gltf_component component); // 0 if it is none of glTF's
// Decode the first `count` elements into memory of the pool; NULL after an error. Floats are normalised if the accessor
// says so; each must be finite and within 2^40. Integers must be unsigned.
float *lmb_gltf_decode_floats(const lmb_gltf *gltf, lmb_pool *pool, uint32_t accessor, uint32_t count);
uint32_t *lmb_gltf_decode_integers(const lmb_gltf *gltf, lmb_pool *pool, uint32_t accessor, uint32_t count);
// gltf_compressed.c
extern const char lmb_gltf_draco[], lmb_gltf_meshopt[]; // the names of the extensions
// Returns the option of the build, and Debian's package, by which an extension would be read; NULL if it is, or is none
// of these.
const char *lmb_gltf_missing_library(const char *extension);
// Returns whether a buffer may lack data, because all its views are compressed.
bool lmb_gltf_is_fallback(const lmb_gltf_object *buffer, bool *is_fallback);
// Decodes a view if it is compressed, into scratch memory. Its bytes may be NULL before.
bool lmb_gltf_decompress_view(const lmb_gltf_object *object, lmb_gltf_view *view, bool *decoded);
// Decodes the data of a compressed primitive into its accessors. Then it is a list of triangles.
bool lmb_gltf_decompress_primitive(const lmb_gltf_object *primitive, bool *decoded);
// decompose.c: decomposes a column-major 4x4 matrix. Returns NULL, or why it has no decomposition. If it is sheared and
// `shear` is not NULL, stores the shear there, to be multiplied from the right.
const char *lmb_gltf_decompose(const float matrix[16], lmb_transform *transform, lmb_affine *shear);
// gltf_rig.c: reads the node tree and the scene.
bool lmb_gltf_read_nodes(lmb_gltf *gltf);
// Reads the float channels of the nodes.
bool lmb_gltf_read_morphs(lmb_gltf *gltf);
bool lmb_gltf_read_skins(lmb_gltf *gltf);
// Needs the nodes with those that move, the float channels and the skins.
bool lmb_gltf_build_rig(lmb_gltf *gltf);
// gltf_bind.c: finds the further joints that skins and meshes need, and sets how each skin is bound.
bool lmb_gltf_find_bindings(lmb_gltf *gltf);
const char *lmb_gltf_binding_name(lmb_gltf *gltf, const lmb_gltf_binding *binding); // in scratch memory, or NULL
// For a file that adds clips, finds the joint of each node and the channel of each weight by name, instead of building
// a rig.
bool lmb_gltf_match_rig(lmb_gltf *gltf);
// Lists tracks for the nodes of such a file whose rest pose differs from their joint's. A clip gets each of them that
// it does not animate itself.
bool lmb_gltf_list_rests(lmb_gltf *gltf);
// Returns whether a value differs from that of a rest pose by more than a tolerance, relative to the larger of 1 and
// the rest pose's. A quaternion and its negation are the same rotation; a value that is not finite differs.
bool lmb_gltf_differs(lmb_property channel, const float *rest, const float *value, double tolerance);
// Returns whether a key of a linear track differs from the joint's rest pose. One that is not finite does, so that
// creating the clip rejects it.
bool lmb_gltf_leaves_rest(const lmb_rig *rig, const lmb_track_def *track, double tolerance);
// Notes the nodes that an animation moves but that are no joints of the rig; does nothing if there are none.
bool lmb_gltf_note_unmatched(const lmb_gltf *gltf, const char *animation, lmb_name_list *names);
// node_list.c: nodes that a reader lists itself, parents before children.
// Adds a node to the tables. `name` must last as long as the tables.
bool lmb_gltf_add_node(lmb_gltf *gltf, const char *name, uint32_t parent);
// Sets the order of the nodes to that of the list.
bool lmb_gltf_order_as_listed(lmb_gltf *gltf);
// Puts the joints of the skins into the rig, all their descendants and all their ancestors. Joints that move no vertex
// themselves, such as the tips of fingers, are thereby in the rig too.
void lmb_gltf_mark_around_bones(lmb_gltf *gltf);
// Names that are given once.
typedef struct lmb_gltf_names {
    lmb_index index;
    struct lmb_gltf_given *given;
    uint32_t count;
    lmb_name_list renamed; // those that were not as asked for
} lmb_gltf_names;
// Returns a name that none before has, in scratch memory: the one asked for, or with a number behind it.
const char *lmb_gltf_make_unique(lmb_importer *importer, lmb_gltf_names *names, const char *name);
// gltf_target.c
extern const char *const lmb_gltf_path_names[LMB_GLTF_PATH_COUNT];
bool lmb_gltf_read_target(const lmb_gltf_object *channel, lmb_gltf_target *target);
// Marks the nodes that animations move. Lists the curves that they move, and adds their channels to those of the nodes.
bool lmb_gltf_read_curves(lmb_gltf *gltf);
// Returns whether a node has weights of morph targets of its own.
bool lmb_gltf_has_weights(const lmb_gltf *gltf, const lmb_gltf_node *node);
// gltf_clip.c
bool lmb_gltf_build_clips(lmb_gltf *gltf);
// gltf_mesh.c
bool lmb_gltf_build_meshes(lmb_gltf *gltf);
// The geometry of a primitive, in the space of its node.
typedef struct lmb_gltf_geometry {
    lmb_vertex *vertices; // in the import's pool; joints are indices into the skin
    uint32_t vertex_count;
    uint32_t *indices; // in the import's pool
    uint32_t index_count;
    float *tangents;          // [vertex][4], in the import's pool, or NULL
    float *colors;            // the same
    lmb_skin_target *targets; // in the import's pool
    uint32_t target_count;
    bool has_normals;
    bool left_out; // there is nothing to draw; a note says why
} lmb_gltf_geometry;
// Which set of texture coordinates a texture uses, and how.
typedef struct lmb_gltf_texcoords {
    uint32_t set;
    float transform[2][3];
} lmb_gltf_texcoords;
struct lmb_gltf_material {
    bool is_read;
    lmb_mesh look;                // the fields of a mesh that the material sets
    lmb_gltf_texcoords texcoords; // of its first texture
    bool has_texcoords;
};
// Sorts the influences of each vertex by weight and normalises them to a sum of 1. A vertex without weights is bound to
// the skin's first joint. Notes that, sums that were off, and whether influences beyond the 8 of a vertex were left
// out.
bool lmb_gltf_normalise_weights(lmb_gltf *gltf, const char *mesh_name, bool left_out, lmb_gltf_geometry *geometry);
// Adds a mesh of a node. Its geometry is bound to the skin, or to the node's anchor if the skin is NULL.
bool lmb_gltf_add_mesh(lmb_gltf *gltf, const lmb_gltf_node *node, const lmb_gltf_skin *skin, const char *name,
                       const char *place, const lmb_gltf_material *material, lmb_gltf_geometry *geometry);
// Kinds of components that an attribute may have.
enum { LMB_GLTF_FLOATS = 1, LMB_GLTF_FRACTIONS = 2, LMB_GLTF_WHOLE = 4 };
// Decodes an attribute into an array in the pool; NULL if there is none. Checks its type and count.
bool lmb_gltf_read_array(const lmb_gltf_object *object, const char *key, lmb_gltf_shape shape, int kinds,
                         uint32_t vertex_count, lmb_pool *pool, float **values);
// Sets the normals of a triangle's corners to that of the triangle.
void lmb_gltf_set_flat_normal(lmb_vertex corners[3]);
// geometry.c
// Returns the part of a path after its last slash or backslash.
const char *lmb_gltf_base_name(const char *path);
// Converts an sRGB component to linear light.
float lmb_gltf_linear_of(float value);
// Adds an influence. If the vertex has the maximum number of influences, the new one replaces the smallest if it is
// larger. Returns whether an influence was lost.
bool lmb_gltf_add_influence(lmb_vertex *vertex, uint32_t joint, float weight);
// Some exporters write the normals of a mirrored mesh the wrong way round. Where most of the surface has normals that
// oppose the fronts of its triangles, turns all of them and notes that.
bool lmb_gltf_turn_normals(lmb_gltf *gltf, const char *name, lmb_gltf_geometry *geometry);
// gltf_morph.c
// Reads the morph targets of a primitive. Their weights are the float channels of the node.
bool lmb_gltf_read_targets(lmb_gltf *gltf, const lmb_gltf_object *primitive, const lmb_gltf_node *node,
                           const char *mesh_name, lmb_gltf_geometry *geometry);
void lmb_gltf_release_targets(lmb_gltf *gltf, lmb_gltf_geometry *geometry);
// Transforms displacements as the vertices, whose normals have not been transformed yet. Returns false if one is out of
// range.
struct matrix; // of src/math/matrix.h
bool lmb_gltf_transform_targets(const struct matrix *bind, lmb_gltf_geometry *geometry);
// Makes displacements for flat triangles that share no vertices, whose indices still refer to the shared ones.
bool lmb_gltf_flatten_targets(lmb_gltf *gltf, lmb_gltf_geometry *geometry);
// gltf_material.c: the import's images and materials.
bool lmb_gltf_prepare_materials(lmb_gltf *gltf);
bool lmb_gltf_prepare_cache(lmb_gltf *gltf, uint32_t material_count, uint32_t image_count);
lmb_gltf_material lmb_gltf_default_material(void); // that of glTF
// Adds an image of the file to the import; one that is neither PNG nor JPEG gets a note instead.
bool lmb_gltf_keep_image(lmb_gltf *gltf, uint32_t index, lmb_image image);
// Returns the material of a primitive, which is read on first use; the images that it uses are added to the import.
bool lmb_gltf_read_material(lmb_gltf *gltf, const lmb_gltf_object *primitive, lmb_gltf_material *material);

#endif
