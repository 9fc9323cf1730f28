/// @file snapshot.h
/// @ingroup state
/// Snapshots: everything that the next frame of some characters continues from, in one block of bytes. They serve
/// rollback, saved games, and a server that sends characters to clients.
///
/// **State and input.** A character's state (control.h), its words of inertialization, chains and feet (inertia.h), and
/// those that say which targets were reached (ik.h) are state: a snapshot has all. Parameters, events, steps, frame
/// numbers, lists, points, transforms and pose buffers are input. A host that runs frames again gives them again. What
/// the graph itself writes to a row of parameters follows from the state in every frame.
///
/// **Rollback.** Save the characters before each frame, and keep as many snapshots as frames can come late. When late
/// input arrives, restore the snapshot of its frame, and run that frame and those after it again. Equal input gives
/// equal bits, on any device and by any evaluator:
///
///     lmb_snapshot_save(graph, &characters, tick, saved[tick % KEPT], size, &error);
///     ...
///     lmb_snapshot_restore(graph, saved[late % KEPT], size, &characters, &error);
///
/// **Other graphs.** A snapshot names its graph by lmb_graph_fingerprint(). It is refused by any other graph, also by
/// one of the same size.
///
/// **Trust.** lmb_snapshot_restore() checks the header and all sizes, not what the words mean: that is enough for
/// snapshots of one's own. One that comes from a file or a network is first checked by lmb_snapshot_check(), which
/// trusts nothing. To allow that, its writer seals it (lmb_snapshot_seal()).
///
/// **Fewer bytes.** lmb_snapshot_pack() writes a snapshot for a network or a file: as what differs from an earlier one
/// of the same characters, or from one character to the next. lmb_snapshot_unpack() gives the same snapshot back.
///
/// **Devices.** lmb_gpu_batch_restore() restores a snapshot in a batch on a device. lmb_gpu_readback_save() makes one
/// of a frame that was read back. Words are the same on both sides, in the same order.
///
/// **Format.** Little-endian 32-bit words:
///
///     "LMBSNAP\n", version, characters, words of a state, words of inertialization,
///     fingerprint, tag, hash (two words each), words of reached targets, reserved (0)
///     states of all characters, then words of inertialization, then words of reached targets
///
/// Packed:
///
///     "LMBSNPK\n", the other words of the header, 1 if it is packed against a base or 0, tag of the base (two words)
///     tokens: a byte, of which the upper 5 bits are a number of words to skip, and the lower 3 bits are one of
///         0     nothing more; two bytes with the upper bits of the number follow
///         1-4   a difference follows, in as many bytes, the lowest first
///         5     the last difference again; a byte follows: for as many words, and one more
///         6     the upper two bytes of a difference follow
///
/// The differences are XORs with the same word of the base, or without one with the same word of the character before,
/// which is 0 for the first. Those of skipped words are 0. Tokens have all words and end there.
#ifndef LIMBER_SNAPSHOT_H
#define LIMBER_SNAPSHOT_H

#include <limber/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup state
/// @{

#define LMB_SNAPSHOT_VERSION 1u
#define LMB_SNAPSHOT_HEADER_WORDS 14u

/// Characters of a batch and where their words are. Zeroed: none.
typedef struct lmb_character_words {
    uint32_t *states;           ///< uint32_t [row_count][lmb_graph_info.state_words]; not read if that is 0
    uint32_t *inertia;          ///< uint32_t [row_count][lmb_graph_info.inertia_words]; not read if that is 0
    uint32_t *reached;          ///< uint32_t [row_count][lmb_graph_info.reached_count]; not read if that is 0
    uint32_t row_count;         ///< of the batch
    const uint32_t *characters; ///< rows in any order, each below `row_count`; NULL: `first` and those that follow it
    uint32_t first;             ///< not read with `characters`
    uint32_t count;             ///< characters of the snapshot
} lmb_character_words;

/// Moves a character to a position and orientation, as lmb_state_set_motion() does for its state; nothing else of it
/// changes. lmb_gpu_batch_place() does the same on a device, and the next two have their counterparts there too. In all
/// three, `characters`, `first` and `count` of the words are not read.
///
/// They fail with #LMB_ERROR_ARGUMENT if a needed pointer is NULL, there is no such row, or a motion is given and the
/// graph has no character motion, or lmb_state_set_motion() refuses it. Then nothing changes.
LMB_API lmb_result lmb_characters_place(const lmb_graph *graph, const lmb_character_words *words, uint32_t character,
                                        const lmb_motion *motion, lmb_error *error);
/// Begins a character anew, at a position and orientation. All of its words become 0 first: machines, players, smoothed
/// parameters, inertialization, chains, feet, reached targets, and its phase of updates, which becomes that of its row.
/// So a row may be given to another character. `motion` may be NULL: at the origin.
LMB_API lmb_result lmb_characters_respawn(const lmb_graph *graph, const lmb_character_words *words, uint32_t character,
                                          const lmb_motion *motion, lmb_error *error);
/// Copies all words of row `from` to row `to`, and `from` keeps them: a character that leaves is replaced by the last
/// one, and the batch has one less. The character continues with the same bits in its new row.
///
/// Rows of inputs (parameters, points, world transforms, pose buffers) and of a previous palette are the host's to
/// move.
LMB_API lmb_result lmb_characters_move(const lmb_graph *graph, const lmb_character_words *words, uint32_t from,
                                       uint32_t to, lmb_error *error);

/// Writes a hash of each character's words, for two sides that compare their characters: uint64_t [count]. Those that
/// lmb_gpu_readback_frame.hashes has of a frame on a device are the same.
///
/// It is lmb_hash_words() of six words: the lower and the upper half of lmb_hash_words() of the character's state,
/// then those of its words of inertialization, then those of its reached targets. So it does not depend on the row.
/// Allocates nothing. Fails with #LMB_ERROR_ARGUMENT if a needed pointer is NULL or a character is outside the batch.
LMB_API lmb_result lmb_characters_hash(const lmb_graph *graph, const lmb_character_words *of, uint64_t *hashes,
                                       lmb_error *error);

/// What a snapshot has.
typedef struct lmb_snapshot {
    uint32_t character_count;
    uint64_t fingerprint; ///< of its graph
    uint64_t tag;
    bool is_sealed;
    const uint32_t *states;  ///< uint32_t [character_count][state words], in the snapshot's bytes
    const uint32_t *inertia; ///< uint32_t [character_count][inertia words], in the snapshot's bytes
    const uint32_t *reached; ///< uint32_t [character_count][lmb_graph_info.reached_count], in the snapshot's bytes
} lmb_snapshot;

/// Returns the size of a snapshot of `count` characters.
LMB_API size_t lmb_snapshot_size(const lmb_graph *graph, uint32_t count);

/// Writes a snapshot of characters into `bytes`, aligned to 4. `tag` is any number of the host's, such as that of the
/// frame. Allocates nothing; several threads may save at once.
///
/// Fails with #LMB_ERROR_ARGUMENT if a needed pointer is NULL, `bytes` are not aligned, or a character is outside the
/// batch, and with #LMB_ERROR_LIMIT if `room` is less than lmb_snapshot_size().
LMB_API lmb_result lmb_snapshot_save(const lmb_graph *graph, const lmb_character_words *from, uint64_t tag, void *bytes,
                                     size_t room, lmb_error *error);

/// Writes the hash of a snapshot into it, so that damage is found. It does not protect against words that someone
/// chose. Fails as lmb_snapshot_open() does.
LMB_API lmb_result lmb_snapshot_seal(void *bytes, size_t size, lmb_error *error);

/// Says what a snapshot has. `bytes` are aligned to 4.
///
/// Fails with #LMB_ERROR_ARGUMENT if a pointer is NULL or `bytes` are not aligned, and with #LMB_ERROR_FORMAT if they
/// are no snapshot of this version, or end too early or too late.
LMB_API lmb_result lmb_snapshot_open(const void *bytes, size_t size, lmb_snapshot *snapshot, lmb_error *error);

/// Checks a snapshot that comes from a file or a network.
///
/// Fails as lmb_snapshot_open() does, and with #LMB_ERROR_FORMAT if it belongs to another graph, is not sealed, is
/// damaged, or if lmb_state_check() refuses a state. A snapshot that passes gives finite results with the same
/// bits on every device.
LMB_API lmb_result lmb_snapshot_check(const lmb_graph *graph, const void *bytes, size_t size, lmb_error *error);

/// Writes the words of a snapshot's characters to rows of a batch, in their order. Allocates nothing; several threads
/// may restore different rows at once.
///
/// The rows may be others than those that were saved. A character that had not begun takes its phase of updates from
/// its row, unless one was set. Fails as lmb_snapshot_open() and lmb_snapshot_save() do, and with #LMB_ERROR_FORMAT if
/// the snapshot belongs to another graph or has another number of characters than `to`. Nothing is written then.
LMB_API lmb_result lmb_snapshot_restore(const lmb_graph *graph, const void *bytes, size_t size,
                                        const lmb_character_words *to, lmb_error *error);

/// Returns the most bytes that a snapshot of `size` bytes is packed into.
LMB_API size_t lmb_snapshot_packed_bound(size_t size);

/// Packs a snapshot into fewer bytes. `base` is an earlier snapshot of the same characters in the same order, which the
/// receiver has as well; NULL: none. Every bit is kept, so what is sealed stays sealed. Allocates nothing.
///
/// Stores the number of bytes in `packed_size`, also if `room` is too small. `packed` needs no alignment. Fails as
/// lmb_snapshot_open() does for either snapshot; with #LMB_ERROR_ARGUMENT if a pointer is NULL or both are not of one
/// graph and number of characters; and with #LMB_ERROR_LIMIT if there is not enough room.
LMB_API lmb_result lmb_snapshot_pack(const void *bytes, size_t size, const void *base, size_t base_size, void *packed,
                                     size_t room, size_t *packed_size, lmb_error *error);

/// Writes the snapshot that was packed into `bytes`, aligned to 4, and its size into `size`, also if `room` is too
/// small. `base` is the one it was packed against; it is not read if there was none. It may not overlap `bytes`.
///
/// It trusts nothing in `packed`. The snapshot is still one from elsewhere: check it by lmb_snapshot_check(), which
/// also finds a base with the right tag and other words. Fails with #LMB_ERROR_FORMAT if `packed` is damaged or too
/// short, or the base is missing, has another tag, or other characters; and as lmb_snapshot_pack() does. Words of
/// `bytes` may have been written then.
LMB_API lmb_result lmb_snapshot_unpack(const void *packed, size_t packed_size, const void *base, size_t base_size,
                                       void *bytes, size_t room, size_t *size, lmb_error *error);

/// The words of one character, by what they are for. The first six are lmb_graph_info.state_words, the last two
/// lmb_graph_info.inertia_words.
typedef struct lmb_state_sizes {
    uint32_t character; ///< of every character that has a state
    uint32_t smoothed;
    uint32_t players;
    uint32_t machines; ///< and fades
    uint32_t motion;   ///< position, orientation and root motion
    uint32_t inertialization;
    uint32_t joints; ///< what inertialization keeps of the joints
    uint32_t chains_and_feet;
} lmb_state_sizes;

/// Returns what the words of a character are for.
LMB_API lmb_state_sizes lmb_graph_state_sizes(const lmb_graph *graph);

/// Says where two states of a character differ first, for a person who looks for the cause: `machine "body": state
/// "walk", "hop"`. Machines come before players, smoothed parameters, character motion, and all other words. Writes at
/// most `size` bytes with the final zero. Returns false, and writes "", if the states are equal.
LMB_API bool lmb_graph_state_difference(const lmb_graph *graph, const uint32_t *a, const uint32_t *b, char *text,
                                        size_t size);

/// @}

#ifdef __cplusplus
}
#endif

#endif
