/// @file import.h
/// @ingroup files
/// Reads characters from files: glTF 2.0 as .glb or .gltf, BVH, import blocks (lmb_import_write()), FBX in a build with
/// LIMBER_UFBX or LIMBER_ASSIMP, and Collada (.dae) in one with LIMBER_ASSIMP.
///
///     lmb_import *import = NULL;
///     if (lmb_import_file("fox.glb", NULL, &import, &error) == LMB_OK) {
///         const lmb_rig *rig = lmb_import_get_content(import)->rig;
///         const lmb_clip *walk = lmb_import_get_content(import)->clips[0];
///         // ... create graphs: they copy what they need
///         lmb_import_destroy(import);
///     }
///
/// An import owns one rig, all clips and meshes for it, and the images of their materials. lmb_import_files() adds the
/// clips of further files, and lmb_graph_create_from_file() (graph_json.h) finds clips and joints of an import by their
/// names. lmb_import_content.notes lists in words what was left out or changed: show the notes to who made the file. An
/// error names the file and the place in it. lmb_import_def has the choices; its defaults suit most files. A game that
/// is delivered reads packs instead (pack.h), without this library.
///
/// This is a library of its own (`limber::import`); the core library reads no file format.
///
/// The rest of this comment says what is made of each format, for questions about a certain file: the rig, safety,
/// glTF (flaws that are read, what is refused, morph targets, scale noise, pointers), BVH, FBX, Collada.
///
/// **Rig.** If a file has skins, its rig is the joints of the skins with all their ancestors up to the scene's root, so
/// that model space is the scene's space: the skeleton. Behind them follow, as extra joints (lmb_joint_def.is_extra),
/// the other nodes of the scene that an animation moves or that have a mesh without a skin, with their ancestors:
/// props, objects beside the character, animated cameras. lmb_import_def.skeleton_only leaves them out. If a file has
/// no skin, its rig is the whole node tree. Unnamed nodes are called "node_<index>". Units and axes are metres, Y up,
/// right-handed, as in glTF.
///
/// **Safety.** Nothing in a glTF file, a BVH file, an FBX file that ufbx reads, or an import block is trusted. Every
/// offset, count and value is checked, and an error names the file and the position in it. There is no locale and no
/// global state. Memory comes from the host's allocator. A file takes no more of it than 256 MiB plus 64 times its own
/// size (#LMB_ERROR_LIMIT).
/// The time is in proportion to what a file contains and what is made of it. Data that several parts of a glTF file
/// share, for example the mesh of many nodes, is decoded for each of them; the same limit applies to all bytes decoded,
/// kept or not. Draco allocates with `new`, not from the host; what its data asks for is checked against the same limit
/// before, and freed when the mesh is read.
///
/// **glTF.** Read are nodes, skins, animations of translation, rotation, scale and weights of morph targets, triangles
/// (lists, strips and fans) with any number of influences, of which the 8 largest are kept, tangents, vertex colours
/// (COLOR_0), base colours with PNG and JPEG textures, accessors of every kind, sparse and normalised, and the
/// extensions KHR_mesh_quantization, KHR_texture_transform, KHR_animation_pointer, in a build with LIMBER_DRACO
/// KHR_draco_mesh_compression, in one with LIMBER_MESHOPT EXT_meshopt_compression, and, for materials that have nothing
/// else, KHR_materials_pbrSpecularGlossiness. Meshes are those of the file's scene. Everything else in a file is left
/// out: tracks, meshes and images with a note, cameras, lights and other properties of materials without one. An image
/// whose file is missing, or cannot be read, is left out with a note, too.
///
/// **Flaws of glTF files** that leave no doubt of what is meant are read, with a note that says where they are:
/// - empty arrays, and buffers, views and accessors of no bytes or elements;
/// - of several keys at one time the last one is used; an animation with keys before 0 is moved to 0; of two channels
///   of one property the later one is used; a channel of an unknown path is left out;
/// - the shear of a node's matrix is in the node's mesh and in those of nodes below it, and its joint has none; a
///   matrix that does not end with 1 is divided by that number; a matrix beside translation, rotation or scale replaces
///   them;
/// - a rotation of zero length in a node is no rotation; data that is not aligned is read; indices that make no whole
///   triangle are left out; bytes behind the end of a binary file are ignored;
/// - weights of a vertex that do not sum to 1 are normalised; those from -0.01 to 0 are 0;
/// - required extensions that concern only images, lights, materials, visibility or text about the file.
///
/// **Refused glTF files.** #LMB_ERROR_FORMAT, because nothing says what is meant, or the file is damaged:
/// - JSON that is none, a key twice in one object, a value of another type than glTF's, an index of nothing, data
///   beyond the end of its buffer, a number that is not finite or above 2^40;
/// - nodes that are no tree: a node with two parents, one that is its own ancestor, a root of the scene with a parent;
/// - keys whose times decrease, a number of values that does not fit the keys, a rotation key of zero length;
/// - a skin without joints or with a joint twice; a mesh with a skin that lacks joints or weights, whose vertices hang
///   on joints that the skin lacks, or that has a weight below -0.01.
///
/// #LMB_ERROR_UNSUPPORTED:
/// - a required extension that is not named above: it may change shapes or motion;
/// - compressed data in a build without its library, unless the same data is uncompressed beside it;
/// - a sheared matrix of a skin's joint, or of a node with such joints below it: joints are translation, rotation and
///   scale. Of other nodes below a sheared one, meshes have the shear, and motion is left out with a note;
/// - a matrix whose last row is not a multiple of 0 0 0 1, another version than 2, a file without nodes;
/// - a buffer outside the file's folder, or with another scheme than data: the file may come from anyone.
///
/// #LMB_ERROR_LIMIT: more than #LMB_MAX_JOINTS joints or #LMB_MAX_CHANNELS weights and curves, 256 members of an
/// object, or the memory stated above.
///
/// **Morph targets.** The weights of morph targets become float channels of the rig, for every node of the scene whose
/// mesh has targets. Their names are those in the mesh's `extras.targetNames`, otherwise "<node>_<target>". Their rest
/// values are the `weights` of the node or of its mesh. A file that adds clips finds channels by these names. The
/// displacements of positions, normals and tangents become the targets of the meshes (lmb_mesh.targets), in the bind
/// pose's model space. A mesh of a file without normals is flat, and so are its targets. Displacements of tangents in a
/// mesh without tangents are those of unit tangents. Other attributes of targets are not read.
///
/// **Scale noise.** Exporters write scales that differ from 1 in their last bits. Characters without a scale take less
/// time, so such scales are rounded in all formats, unless lmb_import_def.exact_scales is set:
/// - A scale of the rest pose becomes exactly 1 if each component differs from 1 by less than 1e-4.
/// - A track of scales is left out if each component, at all times, differs by less than 1e-4 of it from that of the
///   rest pose. Between the keys of a spline, its Bézier control points count. A track that animates a scale is kept as
///   it is, as are all other values.
/// - Both hold only if no point moves by more than lmb_import_def.scale_error. A joint moves the points below it by at
///   most the part that its scale is off, times the length of the bones to the point; the displacements of all its
///   ancestors add up. Points are the joints, and those at 2 % of the longest chain from each joint. Lengths are those
///   of the rest pose for its scales, and the longest ones of all keys for the tracks of a clip. From the roots
///   downwards, a joint for which nothing is left of the bound keeps its scale. The rest pose and each clip have this
///   bound for themselves.
///
/// A note of each file states how many are rounded, and how far they are off. Import blocks and packs are not rounded
/// again. Inverse bind matrices and vertices of the file stay as they are.
///
/// **Pointers.** A channel whose KHR_animation_pointer names translation, rotation, scale or weights of a node, or the
/// weights of a mesh, is as one without a pointer. Other numbers of the file become float channels of the rig, behind
/// the weights of morph targets: colours, factors, visibility (0 or 1). Such a channel is called as the pointer, with
/// ".x" to ".w" for each of up to four components, or "[index]" for each of up to 16. It rests at the value in the
/// file, or at glTF's default. A pointer to a number in `extras` is such a channel, too. One that leads to nothing is
/// noted.
///
/// **BVH** files have joints and one clip, called "Motion". The format defines neither unit nor axes: Y is up, and
/// lmb_import_def.bvh_unit is the unit of length. The rig is every joint and every end site ("EndSite_<parent>").
/// - A joint has any of the six channels, in any order. A position channel replaces that component of the joint's
///   OFFSET; the others keep it. Rotations are multiplied in the order of their channels: Z X Y is Rz Rx Ry.
/// - Key k is at k times the frame time. Between frames rotations take the short way.
/// - Read as well: several roots, names with spaces, lower case, comments (# and //), a byte order mark, any line ends.
/// - A joint with the name of another one gets a number behind its name (noted). Numbers behind the frames that the
///   file states are left out (noted). A clip that only repeats the rest pose is left out (noted).
/// - Refused with line and column, as #LMB_ERROR_FORMAT: what is no number, fewer numbers than frames times channels, a
///   channel twice or of another kind, braces that do not fit, a frame time that is not above 0 for several frames.
///
/// **FBX** is read by ufbx in a build with LIMBER_UFBX. No file needs `trusted` then, and all memory is the host's.
/// - Lengths are converted to metres and axes to Y up, right-handed, by the settings of the file. Left-handed files are
///   mirrored in X. Translations and vertices are scaled and roots are turned; no joint contains the conversion.
/// - The skeleton is every bone of a skin, all their descendants and all their ancestors. Extra joints are nodes with a
///   mesh without a skin, and bones that move. Without a skin, the rig is every node. Other nodes that move, such as
///   cameras and controls, are noted.
/// - Rotation orders, pivots, pre- and post-rotations and layers are evaluated as FBX defines them. Geometric
///   transforms move the mesh of a node alone. Constraints are not evaluated (noted).
/// - Where children do not inherit the scale of a node, and that moves or is not uniform, the scale is that of a child
///   of its own, "<node>_scale" (noted).
/// - A clip goes from LocalStart to LocalStop, or over all keys if the file states neither. Tracks are linear, or
///   stepped if their curves are. They have the key times of the file, and as many between them that no point that
///   hangs on a joint is off by more than 2e-5 of the longest chain of joints (a weight by 1e-4). This is checked at
///   three points of each span. Keys are not added at less than 1/8192 s.
/// - Tracks that keep the rest pose are left out. A clip that only repeats it is left out and noted.
/// - Blend shapes are morph targets. Their names are those of their channels, and of the shapes between.
/// - Numbers and booleans that the user has added to nodes, and that an animation moves, become float channels
///   "<node>.<property>", behind the weights of blend shapes.
/// - Nodes, animations and float channels with the name of another one get a number behind their name (noted).
/// - Textures inside the file are read; those beside it are noted. Of more than 8 influences the largest are kept.
///   Skinning by dual quaternions becomes linear (noted).
///
/// **Collada**, and FBX without ufbx, are read by Assimp; the result is then checked and kept as for glTF:
/// - Lengths are converted to metres, Y up. FBX: by UnitScaleFactor and the axes of its settings; left-handed axes are
///   #LMB_ERROR_UNSUPPORTED. Collada: by `unit` and `up_axis`. Translations and vertices are scaled and roots are
///   turned; no joint contains the conversion.
/// - The rig is every bone of a mesh, all their descendants (finger tips move no vertex), and all their ancestors below
///   the scene itself; without bones, every node. FBX pivots and pre-rotations are combined into the joint.
/// - Tracks are linear. Assimp keeps the values at the keys of an FBX or Collada curve and drops its tangents and
///   steps; FBX Euler angles become quaternions at each key.
/// - Of two keys at one time the later one is kept (noted if they differ). An animation that begins before 0 is moved
///   to 0 (noted). Times that decrease are #LMB_ERROR_FORMAT, with three exceptions that Assimp makes. It drops an FBX
///   curve whose key times do not all ascend: an animation without another curve is left out and noted; in any other
///   animation the curve is missing. It drops FBX keys outside the animation's LocalStart and LocalStop. It ignores a
///   Collada key that is not after those before it.
/// - The duration of a clip is the one in the file, or the time of its last key if that is later. A clip that only
///   repeats the rest pose is left out and noted.
/// - Textures inside the file are read; those beside it are noted. Of more than 8 influences the largest are kept.
/// - Assimp allocates with malloc, not from the host, without a limit, until the call returns. It reads one file at a
///   time; other threads wait for it (a lock is the only state there is).
/// - **Its readers are not hardened.** A file of 165 bytes can overflow their stack, and one of 2 KB can take all
///   memory. So they run only if the caller sets lmb_import_def.trusted; otherwise these formats are
///   #LMB_ERROR_UNTRUSTED. Read untrusted files in a separate process with limits, and pass on an import block, as the
///   command and the viewer do.
#ifndef LIMBER_IMPORT_H
#define LIMBER_IMPORT_H

#include <limber/clip.h>
#include <limber/mesh.h>
#include <limber/pack.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup files
/// @{

/// The content of a file. Immutable once created, so any number of threads may read it. Owns its rig, clips, meshes and
/// images.
typedef struct lmb_import lmb_import;

#define LMB_MAX_IMPORT_FILES 4096u

/// What to read: files, or the bytes of one. Start from lmb_default_import_def().
typedef struct lmb_import_def {
    /// The files of a character. Several, if it is split as by Mixamo's export; their formats may differ.
    ///
    /// The first file gives the rig, the meshes and its clips. Each other file adds only its clips, in order; a block
    /// among them is #LMB_ERROR_UNSUPPORTED. Nodes of these files match joints by name, the first of a name on either
    /// side. Tracks of nodes without a joint are left out. Joints that the file has but does not animate have the rest
    /// pose of the file. Joints that it does not have keep the rig's rest pose. Notes, which begin with the file's
    /// name, report nodes without a joint, joints without a node, joints whose parent differs, and a file without a
    /// clip for the rig. Local transforms are used unchanged: nothing is adapted to a rig of other proportions. If one
    /// file fails, the call fails.
    const char *const *paths;
    uint32_t path_count;   ///< 1 to #LMB_MAX_IMPORT_FILES
    const void *bytes;     ///< if `paths` is NULL: the content of a file
    size_t size;           ///< of these bytes
    const char *name;      ///< for messages; its ending may give the format; NULL means "memory"
    const char *directory; ///< where files that these bytes refer to are searched; NULL refuses them
    bool trusted;          ///< lets Assimp read files in this process; see above
    /// Restricts the rig of a file with skins to their joints with all ancestors: the indices of these joints do not
    /// change. Tracks of other nodes are left out with a note. A mesh without a skin hangs on its nearest ancestor in
    /// the rig, or is left out with a note.
    bool skeleton_only;
    float bvh_unit;    ///< metres of a unit of length in BVH files, 1e-6 to 1e6; 0: 0.01, a centimetre
    bool exact_scales; ///< keeps every scale as it is in the file; see "Scale noise" above
    /// How far rounding scales may move a point, in units of the rig, 0 or more. 0: 0.01 % of the longest chain of
    /// joints.
    float scale_error;
    /// Parts that replace clips, for a long take that contains several motions. A clip that splits name is replaced by
    /// its parts, in their order; each is cut as by lmb_clip_cut(). A split that fails is an #LMB_ERROR_ARGUMENT.
    const lmb_clip_split *splits;
    uint32_t split_count;
} lmb_import_def;

/// Nothing to read, and not trusted; all joints; scale noise is rounded; units of BVH files are centimetres; no splits.
LMB_API lmb_import_def lmb_default_import_def(void);

/// Reads a character and, for glTF, the buffers and images to which it refers.
///
/// Refuses everything that is not a regular file, without waiting for it. It follows no URI of a glTF file that leads
/// out of its folder, or to a file through a symbolic link: a buffer there is refused, an image left out. The first
/// bytes give the format, or else the file's name. Fails with #LMB_ERROR_FILE, #LMB_ERROR_FORMAT,
/// #LMB_ERROR_UNSUPPORTED (also for a format that this build does not read), #LMB_ERROR_UNTRUSTED, #LMB_ERROR_LIMIT,
/// #LMB_ERROR_MEMORY, and #LMB_ERROR_ARGUMENT if a pointer or a path is NULL, or a count is out of range.
LMB_API lmb_result lmb_import_create(const lmb_import_def *def, const lmb_host *host, lmb_import **import,
                                     lmb_error *error);

/// Calls lmb_import_create() with one file that is not trusted.
LMB_API lmb_result lmb_import_file(const char *path, const lmb_host *host, lmb_import **import, lmb_error *error);
/// Calls lmb_import_create() with several files that are not trusted.
LMB_API lmb_result lmb_import_files(const char *const *paths, uint32_t count, const lmb_host *host, lmb_import **import,
                                    lmb_error *error);
/// Calls lmb_import_create() with bytes that are not trusted.
LMB_API lmb_result lmb_import_memory(const void *bytes, size_t size, const char *name, const char *directory,
                                     const lmb_host *host, lmb_import **import, lmb_error *error);
/// NULL is allowed.
LMB_API void lmb_import_destroy(lmb_import *import);

/// Writes everything in an import as one block of bytes, and returns the size of the block.
///
/// This hands an import over to another process. For files that a game loads without this importer, see pack.h.
///
/// lmb_import_create() of the same version of the library reads the block, with the same bits, faster than the original
/// file. If `bytes` is NULL or `size` is too small, the block is incomplete: call it with NULL to get the size. Returns
/// 0 if the host has no memory.
LMB_API size_t lmb_import_write(const lmb_import *import, void *bytes, size_t size);

/// What an import has.
typedef struct lmb_import_content {
    /// The radii of its joints contain the vertices of all meshes, so bounding boxes contain the skinned meshes,
    /// without what morph targets displace.
    const lmb_rig *rig;
    const lmb_clip *const *clips; ///< unnamed animations are called "animation_<index>"
    uint32_t clip_count;
    const lmb_mesh *meshes;
    uint32_t mesh_count;
    const lmb_image *images;
    uint32_t image_count;
    /// For each node of the first file, by its index in the file's `nodes`, the rig's joint that it became, or
    /// #LMB_NONE if it is no joint. For hosts that read other parts of the file themselves: cameras, lights,
    /// extensions, extras.
    const uint32_t *node_joints;
    uint32_t node_count; ///< if the first file is glTF or a block of one, else 0
    /// A note is one line about something that was left out ("animation 'Walk': tracks of nodes outside the rig
    /// skipped: scale of node 'Camera'"). Notes are also logged as warnings.
    const char *const *notes;
    uint32_t note_count;
} lmb_import_content;

/// Returns what an import has. It lives as long as the import.
LMB_API const lmb_import_content *lmb_import_get_content(const lmb_import *import);

/// Describes a pack of what an import has, for lmb_pack_write(): rig, clips, meshes and images. Add graphs to it.
///
/// What it points to lives as long as the import.
LMB_API lmb_pack_def lmb_import_pack_def(const lmb_import *import);

/// @}

#ifdef __cplusplus
}
#endif

#endif
