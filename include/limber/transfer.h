/// @file transfer.h
/// @ingroup state
/// Hot reload: characters of one graph go on in another one, an edited version of it, by names.
///
/// A transfer is made once for two graphs. It finds for each part of the new graph the same part of the old one:
///
/// | part | by |
/// | --- | --- |
/// | machines, fades | name |
/// | states | name, in the same machine |
/// | motion matching of a machine | there is one; rows that were found or chosen, of an equal database |
/// | transitions that fade | names of both states, and name of the event |
/// | players | names of clip, group, machine and state; what is left, by clip and group |
/// | smoothed parameters, parameters of the host | name |
/// | triggers that wait, in the same machine | name of the event |
/// | the draw of a machine, or of a player that begins at random times | that machine or player; else by the row |
/// | character motion | there is one |
///
/// Parts of equal names, also of no name, are the same in their order. A part of the new graph that the old one does
/// not have begins as in a character's first frame. What the old graph has and the new one does not is lost;
/// lmb_graph_transfer_lost() says it in words.
///
/// A machine whose current state is lost begins anew. If a state or transition of its fade is lost, or its fade has a
/// blend profile, the fade ends at once. A player keeps its position, in ticks if its clip is as long as before, else
/// as a part of the clip. Inertialization, chains, feet and reached targets go on if both graphs keep as many words of
/// a kind, else they begin anew. Phases of updates and numbers of frames go on.
///
/// All that is transferred passes lmb_state_check().
///
/// **On the CPU**, lmb_graph_transfer_run() converts rows. **On a device**, read a frame back
/// (lmb_gpu_readback_save()), convert the snapshot by lmb_graph_transfer_snapshot(), and restore it in the first frame
/// of the new batch (lmb_gpu_batch_restore()).
#ifndef LIMBER_TRANSFER_H
#define LIMBER_TRANSFER_H

#include <limber/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup state
/// @{

/// How characters of one graph go on in another one. Immutable.
typedef struct lmb_graph_transfer lmb_graph_transfer;

/// Compares two graphs, which must outlive the transfer.
///
/// Fails with #LMB_ERROR_ARGUMENT if a pointer is NULL, and with #LMB_ERROR_MEMORY.
LMB_API lmb_result lmb_graph_transfer_create(const lmb_graph *from, const lmb_graph *to, const lmb_host *host,
                                             lmb_graph_transfer **transfer, lmb_error *error);
/// NULL is allowed.
LMB_API void lmb_graph_transfer_destroy(lmb_graph_transfer *transfer);

/// Returns how many parts of the old graph are lost.
LMB_API uint32_t lmb_graph_transfer_lost_count(const lmb_graph_transfer *transfer);
/// Returns what is lost: `machine "body": state "hop"`, `trigger "JUMP" of machine "body"`. "" if there is no such
/// part. It lives as long as the transfer.
LMB_API const char *lmb_graph_transfer_lost(const lmb_graph_transfer *transfer, uint32_t index);

/// Converts characters: the words of `from`, of the old graph, to those of `to`, of the new one, in the order of both.
/// The memory of both must not overlap. Allocates nothing.
///
/// The states of `from` must pass lmb_state_check(), as all that frames wrote do. Fails with
/// #LMB_ERROR_ARGUMENT if a needed pointer is NULL, a character is outside its batch, or both have different counts;
/// and as lmb_state_check() does. Then nothing is written.
LMB_API lmb_result lmb_graph_transfer_run(const lmb_graph_transfer *transfer, const lmb_character_words *from,
                                          const lmb_character_words *to, lmb_error *error);
/// Converts a snapshot of the old graph to one of the new graph, with the same tag, not sealed. `room` is at least
/// lmb_snapshot_size() for the new graph.
///
/// Fails as lmb_snapshot_save() and lmb_graph_transfer_run() do, and with #LMB_ERROR_FORMAT if the snapshot belongs to
/// another graph than the old one.
LMB_API lmb_result lmb_graph_transfer_snapshot(const lmb_graph_transfer *transfer, const void *bytes, size_t size,
                                               void *converted, size_t room, lmb_error *error);
/// Converts rows of parameters, float [count][lmb_graph_info.parameter_count] of each graph: those that the host sets,
/// by their names. All others have their initial values.
LMB_API void lmb_graph_transfer_parameters(const lmb_graph_transfer *transfer, const float *from, float *to,
                                           uint32_t count);

/// @}

#ifdef __cplusplus
}
#endif

#endif
