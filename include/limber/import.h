/// @file import.h
/// Reads characters from files: glTF 2.0 as .glb or .gltf, packs (lmb_import_pack()) and, in a build with
/// LIMBER_ASSIMP, FBX, Collada (.dae) and BVH. The core library knows no file format; this part is a library of its own
/// (`limber::import`).
///
/// The rig of a file with skins is its skins' joints with all their ancestors up to the scene's root, so that model space
/// is the scene's space; the rig of a file without a skin is its whole node tree. Unnamed nodes are called
/// "node_<index>". Units and axes are metres, Y up, right-handed, which is how glTF has them.
///
/// Nothing in a glTF file or a pack is trusted: every offset, count and value is checked, and an error names the file
/// and the place in it. No locale, no global state; memory comes from the host's allocator, and a file takes no more of
/// it than 256 MiB and 64 times its own size (#LMB_ERROR_LIMIT). Time is in proportion to what a file holds and what
/// comes out of it. What parts of a glTF file share, say the mesh of many nodes, is decoded for each of them; the same
/// limit holds the bytes that are decoded in all, kept or left out.
///
/// What is read of glTF: nodes, skins, animations of translation, rotation, scale and weights of morph targets, triangles (lists, strips and fans)
/// with up to 8 influences, base colours with PNG and JPEG textures; accessors of every kind, sparse and normalised; the
/// extensions KHR_mesh_quantization and KHR_texture_transform. Meshes are those of the file's scene. What a file has
/// beyond that is left out and noted; an extension that it requires and that is not known here is
/// #LMB_ERROR_UNSUPPORTED, and so is a node `matrix` that is sheared.
///
/// Weights of morph targets become float channels of the rig, for every node of the scene whose mesh has targets: named as
/// the mesh's `extras.targetNames` has it, else "<node>_<target>", at rest as the node's or its mesh's `weights` say. In a
/// file that adds clips they find channels by these names. The targets' geometry is not read.
///
/// FBX, Collada and BVH are read by Assimp, and what it makes of a file is then checked and kept as with glTF:
/// - Lengths come out in metres, Y up. FBX: by UnitScaleFactor and the axes of its settings; left-handed axes are
///   #LMB_ERROR_UNSUPPORTED. Collada: by `unit` and `up_axis`. BVH names neither: Y is up, and a unit is a centimetre.
///   Translations and vertices are scaled, roots are turned: no joint carries the conversion.
/// - The rig is every bone of a mesh, all that hangs on one (finger tips move no vertex), and all its ancestors below the
///   scene itself; without bones, every node. FBX pivots and pre-rotations are folded into the joint.
/// - Tracks are linear. Assimp keeps the values at the keys of an FBX or Collada curve and drops its tangents and
///   steps; FBX Euler angles become quaternions at each key. Of two keys at one time the later one stays (noted where
///   they differ), an animation that begins before 0 is moved to 0 (noted), and times that go back are
///   #LMB_ERROR_FORMAT, with three exceptions that Assimp makes. It drops an FBX curve whose key times do not all
///   ascend: an animation without another curve is left out and noted, in any other the curve is missing. It drops
///   FBX keys outside of the animation's LocalStart and LocalStop. It passes over a Collada key that is not after
///   those before it. A clip lasts as long as the file says, or until its last key where that is later. One that only
///   repeats the rest pose is left out and noted.
/// - Textures inside the file are read, those beside it are noted. Of more than 8 influences the largest stay.
/// - Assimp takes memory by malloc, not from the host, without a limit, until the call returns; it has one file at a time
///   in the works, other threads wait for it (a lock is all the state there is).
/// - **Its readers are not hardened.** A file of 165 bytes can overflow their stack, one of 2 KB can take all memory.
///   So they run only where the caller sets lmb_import_def.trusted; otherwise these formats are #LMB_ERROR_UNTRUSTED.
///   Read files of strangers in a process of its own with limits, and hand over a pack: the command and the viewer do
///   so.
#ifndef LIMBER_IMPORT_H
#define LIMBER_IMPORT_H

#include <limber/clip.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a file held. Immutable once created. Owns its rig, clips, meshes and images.
typedef struct lmb_import lmb_import;

#define LMB_MAX_INFLUENCES 8u

/// One vertex of a mesh: 96 bytes, no padding.
typedef struct lmb_vertex {
    float position[3];                   ///< in the bind pose's model space
    float normal[3];                     ///< unit; each triangle's own where the file has none
    float texcoord[2];                   ///< (0, 0) where the file has none
    uint32_t joints[LMB_MAX_INFLUENCES]; ///< rig indices; 0 where the weight is 0
    float weights[LMB_MAX_INFLUENCES];   ///< sum to 1
} lmb_vertex;

/// One primitive: triangles with one material. Meshes of nodes without a skin hang on their node's joint with weight 1
/// (or on its nearest ancestor that is in the rig), so one way of skinning draws them all. Where two skins bind a joint
/// with different matrices, the rig has the first one's, and the other's meshes are moved to suit it, or left out with a
/// note where no one matrix does that for all their joints.
typedef struct lmb_mesh {
    const char *name;
    const lmb_vertex *vertices;
    uint32_t vertex_count;
    const uint32_t *indices; ///< triangles, counter-clockwise front
    uint32_t index_count;
    float base_color[4]; ///< linear
    uint32_t image;      ///< base colour texture, or #LMB_NONE
    bool double_sided;
} lmb_mesh;

/// An image that a mesh uses, as the file has it: the bytes of a PNG or JPEG, not decoded.
typedef struct lmb_image {
    const char *name;
    const uint8_t *bytes;
    size_t size;
} lmb_image;

#define LMB_MAX_IMPORT_FILES 4096u

/// What to read: files, or the bytes of one. Start from lmb_default_import_def().
typedef struct lmb_import_def {
    /// A character in several files, as Mixamo exports it, formats mixed as they come. The first gives the rig, the
    /// meshes and its clips; each other one adds its clips, in order, and nothing else. Its nodes find their joints by
    /// name, the first of a name on either side. Tracks of other nodes are left out; joints that the file has but does
    /// not move rest where it has them; joints that it lacks keep the rig's rest pose. Nodes, joints without one and
    /// joints whose parent is another one are named in notes, which begin with the file's name, and so is a file
    /// without a clip for the rig. Local transforms are taken as they are: nothing is fitted to a rig of other
    /// proportions. One file that fails, fails them all. A pack adds no clips.
    const char *const *paths;
    uint32_t path_count;   ///< 1 to #LMB_MAX_IMPORT_FILES
    const void *bytes;     ///< where `paths` is NULL: what a file holds
    size_t size;           ///< of them
    const char *name;      ///< of these bytes, for messages and, by its ending, the format; NULL means "memory"
    const char *directory; ///< where files beside these bytes are looked for; they are refused where it is NULL
    bool trusted;          ///< lets Assimp read FBX, Collada and BVH files in this process; see above
} lmb_import_def;

/// Nothing to read, and not trusted.
LMB_API lmb_import_def lmb_default_import_def(void);

/// Reads a character and, for glTF, the buffers and images that it refers to beside it. Refuses a URI that leads out of
/// the file's folder, a symbolic link on the way, and what is not a regular file. The first bytes tell the format, or
/// else the file's name; a format that this build does not read is #LMB_ERROR_UNSUPPORTED. Fails with #LMB_ERROR_FILE,
/// #LMB_ERROR_FORMAT, #LMB_ERROR_UNSUPPORTED, #LMB_ERROR_UNTRUSTED, #LMB_ERROR_LIMIT, #LMB_ERROR_MEMORY, and
/// #LMB_ERROR_ARGUMENT where a pointer or a path is NULL, or a count is out of range.
LMB_API lmb_result lmb_import_create(const lmb_import_def *def, const lmb_host *host, lmb_import **import,
                                     lmb_error *error);

/// lmb_import_create() of one file that is not trusted.
LMB_API lmb_result lmb_import_file(const char *path, const lmb_host *host, lmb_import **import, lmb_error *error);
/// lmb_import_create() of several files that are not trusted.
LMB_API lmb_result lmb_import_files(const char *const *paths, uint32_t count, const lmb_host *host, lmb_import **import,
                                    lmb_error *error);
/// lmb_import_create() of bytes that are not trusted.
LMB_API lmb_result lmb_import_memory(const void *bytes, size_t size, const char *name, const char *directory,
                                     const lmb_host *host, lmb_import **import, lmb_error *error);
/// NULL is fine.
LMB_API void lmb_import_destroy(lmb_import *import);

/// Writes all that an import holds as one block of bytes, which an import of the same version of the library reads
/// again, with the same bits, faster than the file that it came from. Returns the block's size. Where `size` is less,
/// or `bytes` is NULL, it writes nothing that is complete: ask for the size first.
LMB_API size_t lmb_import_pack(const lmb_import *import, void *bytes, size_t size);

/// Radii of its joints hold the vertices of all meshes, so bounding boxes hold the skinned meshes.
LMB_API const lmb_rig *lmb_import_rig(const lmb_import *import);
LMB_API uint32_t lmb_import_clip_count(const lmb_import *import);
/// NULL where the index is out of range. Unnamed animations are called "animation_<index>".
LMB_API const lmb_clip *lmb_import_clip(const lmb_import *import, uint32_t index);
LMB_API uint32_t lmb_import_mesh_count(const lmb_import *import);
LMB_API const lmb_mesh *lmb_import_mesh(const lmb_import *import, uint32_t index);
LMB_API uint32_t lmb_import_image_count(const lmb_import *import);
LMB_API const lmb_image *lmb_import_image(const lmb_import *import, uint32_t index);

/// What was left out, each as one line ("animation 'Walk': 2 morph-target tracks skipped"). Also logged as warnings.
LMB_API uint32_t lmb_import_note_count(const lmb_import *import);
LMB_API const char *lmb_import_note(const lmb_import *import, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
