/// @file pack.h
/// @ingroup files
/// Packs: a whole character in one block of bytes. To read one a program needs only the core library, not the importer.
///
/// A pack has a rig, clips, meshes with their morph targets and images, and graphs with everything that a graph's
/// descriptor holds: nodes, masks, joint limits, joint maps, mirrors, static poses, levels of detail, players with
/// their notifies and motion tracks, machines, fades, character motion and names. A game reads such a file with one
/// read and opens it; it then needs neither importer nor JSON:
///
///     lmb_pack_open(bytes, size, NULL, &pack, &error);
///     lmb_graph_create(lmb_pack_find_graph(pack, "locomotion"), NULL, &graph, &error);
///
/// The bytes must stay as they are until lmb_pack_close(). `limber pack` writes such files, with the ending .lmb
/// (docs/importing.md), and so does lmb_pack_write(). lmb_import_write() writes something else: the content of an
/// import, for another process.
///
/// **Format.** Little-endian 32-bit words without addresses:
///
///     "LMBPACK\n", version, reserved (0), size in bytes (two words), checksum (two words)
///     the rig, the clips, the meshes, the images, the graphs
///
/// Each descriptor is stored as bits that say which of its fields differ from those of its default function, then these
/// fields in their order. Clips are blocks of lmb_clip_block(). The checksum finds damage; it does not prove who wrote
/// a pack.
///
/// **Versions.** A library reads packs of its own #LMB_PACK_VERSION. A later library with the same pack version may
/// know more fields of a descriptor: it gives them their defaults in a pack without them. A pack that uses a field
/// which the library does not know is refused. Keep what a pack was made from: another version needs it written again.
///
/// **Streaming.** A graph's clips that have slots (clip_slot.h) may be NULL when a pack is written. They may come from
/// other packs, which have the same rig and clips alone, while the graph runs:
///
///     lmb_graph_set_clip(graph, lmb_graph_find_clip_slot(graph, "taunt"), lmb_pack_find_clip(more, "taunt"), &error);
///
/// **Safety.** Nothing in a pack is trusted. lmb_pack_open() checks every size, count, index and value, clips as
/// lmb_clip_open() does, and graphs as lmb_graph_check() does. The descriptors take no more memory than 256 MiB plus 64
/// times the size of the pack. A graph that is created from one takes in addition what its clip slots ask for, up to 4
/// GiB: add up lmb_clip_slot_def.bytes first if you do not trust the pack.
///
/// **Threads.** A pack is immutable, so any number of threads may read it.
#ifndef LIMBER_PACK_H
#define LIMBER_PACK_H

#include <limber/graph.h>
#include <limber/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup files
/// @{

#define LMB_PACK_VERSION 1u
#define LMB_MAX_PACK_GRAPHS 4096u

/// A graph with the name under which a pack stores it.
typedef struct lmb_pack_graph {
    const char *name; ///< not empty; unique in a pack
    /// A descriptor that lmb_graph_check() accepts, for the rig of the pack. Its clips become clips of the pack.
    const lmb_graph_def *def;
} lmb_pack_graph;

/// What to write. Start from lmb_default_pack_def().
typedef struct lmb_pack_def {
    const lmb_rig *rig;
    const lmb_clip *const *clips; ///< of any rig; may be NULL if there are none
    uint32_t clip_count;
    const lmb_mesh *meshes; ///< of the rig; may be NULL if there are none
    uint32_t mesh_count;
    const lmb_image *images; ///< each below 4 GiB; may be NULL if there are none
    uint32_t image_count;
    const lmb_pack_graph *graphs; ///< may be NULL if there are none
    uint32_t graph_count;         ///< 0 to #LMB_MAX_PACK_GRAPHS
} lmb_pack_def;

/// Nothing: a rig is needed.
LMB_API lmb_pack_def lmb_default_pack_def(void);

/// Writes a pack into `bytes`, and stores its size in `size`.
///
/// With `bytes` NULL it only stores the size. Otherwise it fails with #LMB_ERROR_LIMIT, and still stores the size, if
/// `room` is smaller than the pack; the content of `bytes` is then undefined. The same objects give the same bytes.
///
/// - The pack's clips are those of `clips`, in their order, then those that only graphs use, in the order of their use.
///   A clip is stored once, however many graphs use it, and so are clips of graphs with equal content. Entries of
///   `clips` are never merged.
/// - The rig has the same bits when it is read again, but lmb_rig_joint_of_def() then counts the rig's own order as the
///   descriptor's.
/// - Fields that a node's operation does not use are kept, except `player` and `machine`, which become NULL.
///
/// Uses temporary memory of `host`, which may be NULL. Fails with #LMB_ERROR_ARGUMENT if something that is not optional
/// is NULL, a name of a graph is missing or given twice, a graph is for another rig object, or a mesh is not valid: no
/// indices, an index, a joint or the channel of a morph target out of range, indices that are no triangles, a value
/// that is not finite or too large, a normal longer than 1, weights that do not sum to 1, a weight of 0 with a joint
/// that is not 0, displacements whose vertices do not ascend. Fails as lmb_graph_create() does if a graph is not valid.
/// Fails with #LMB_ERROR_LIMIT if there are too many graphs, or if a text, an image or an array has 4 GiB or more, and
/// with #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_pack_write(const lmb_pack_def *def, const lmb_host *host, void *bytes, size_t room, size_t *size,
                                  lmb_error *error);

/// An open pack. Owns its rig and descriptors.
typedef struct lmb_pack lmb_pack;

/// Opens a pack.
///
/// `bytes` must be aligned to 4, as memory from malloc() is, and must stay unchanged until the pack is closed: texts,
/// clips, meshes and other arrays of numbers are read in place. Graphs created from the pack copy what they need, so
/// the pack may be closed, and the bytes released, after lmb_graph_create().
///
/// Fails with #LMB_ERROR_FORMAT if the content is malformed or damaged (the message names the place),
/// #LMB_ERROR_UNSUPPORTED if it is of another version, #LMB_ERROR_LIMIT if it would take too much memory or exceeds a
/// limit of a rig or a graph, #LMB_ERROR_MEMORY, and #LMB_ERROR_ARGUMENT if a pointer is NULL or not aligned.
LMB_API lmb_result lmb_pack_open(const void *bytes, size_t size, const lmb_host *host, lmb_pack **pack,
                                 lmb_error *error);
/// Closes a pack. Everything that the functions below return lives until then. NULL is allowed.
LMB_API void lmb_pack_close(lmb_pack *pack);

/// Returns whether bytes begin as a pack does, so that lmb_pack_open() can say more about them.
LMB_API bool lmb_pack_is_pack(const void *bytes, size_t size);

/// Returns what the pack has, as it was written: give descriptors of graphs to lmb_graph_create(); to change something,
/// change a copy. Arrays of meshes, and bytes of images, are in those of the pack.
LMB_API const lmb_pack_def *lmb_pack_get_def(const lmb_pack *pack);
/// Returns the first clip of that name, or NULL.
LMB_API const lmb_clip *lmb_pack_find_clip(const lmb_pack *pack, const char *name);
/// Returns the descriptor of the graph of that name, or NULL.
LMB_API const lmb_graph_def *lmb_pack_find_graph(const lmb_pack *pack, const char *name);

/// A part of a pack.
typedef enum lmb_pack_part {
    LMB_PACK_RIG,
    LMB_PACK_CLIPS,
    LMB_PACK_MESHES,
    LMB_PACK_IMAGES,
    LMB_PACK_GRAPHS,
    LMB_PACK_PART_COUNT
} lmb_pack_part;

/// Returns the number of the pack's bytes that a part takes; 0 if there is no such part.
LMB_API size_t lmb_pack_part_bytes(const lmb_pack *pack, lmb_pack_part part);

/// @}

#ifdef __cplusplus
}
#endif

#endif
