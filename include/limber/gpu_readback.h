/// @file gpu_readback.h
/// @ingroup device
/// Reads back what the frames of a batch report, a few frames late and without waiting: emitted events, character
/// motions, states (root motion included), words of inertialization, reached targets and refusal counters, or hashes of
/// these, with the number of their frame.
///
/// The copies are in a ring of host memory. Once a frame, for each frame slot in turn:
/// 1. Wait for the fence of the slot, as a host with several frames in flight does anyway. Then call
///    lmb_gpu_readback_completed().
/// 2. Call lmb_gpu_readback_next() until it returns false, here or anywhere else on the same thread.
/// 3. Call lmb_gpu_readback_record() after lmb_gpu_batch_record().
///
/// **Order.** Frames arrive in the order in which they were recorded, each once. A frame waits for those recorded
/// before it. A frame whose place in the ring is needed again before it was returned is lost, and so is one whose
/// commands were never submitted, which the device's own mark shows: lmb_gpu_readback_frame.missed counts both. Nothing
/// is lost if, at least once in `frame_count` frames, the host names the completed slots and calls
/// lmb_gpu_readback_next() until it returns false.
///
/// **Barriers.** The copies read what lmb_gpu_batch_record() has written, and rely on the barrier with which it ends.
/// They begin with a barrier between copies to the ring, and end with one from them to reads of the host. What the host
/// reads is visible to it once it has waited for a fence or a timeline semaphore of that submission; nothing here looks
/// at memory before the host says that this has happened. The next lmb_gpu_batch_record() on the same queue waits for
/// the copies before it overwrites what they read.
///
/// **Queues.** Any queue family that can copy is enough; hashes need one that can compute. If the copies run on another
/// queue than the batch, the host orders them after the batch by a semaphore and, if states are read, before the
/// batch's next frame too; and unless lmb_gpu_def.queue_families names both families, it transfers the ownership of the
/// spans that are copied (lmb_gpu_batch_emitted() and so on) there and back.
///
/// **Spans and lists** change nothing here: the control advances all characters, and their states, events and motions
/// are in one span. Batches have a readback each.
///
/// **Threads.** One thread at a time may use a readback, and not while another one records its batch.
///
/// **Cost.** A frame copies, for each character and as the contents say, `emitted_words`, `motion_floats`,
/// `state_words`, `inertia_words` and `reached_count` words of 4 bytes (lmb_graph_info); or of all its words a hash of
/// 8 bytes, which is computed on the device.
///
/// **Rollback.** With states, words of inertialization and reached targets, as far as the graph has them, a frame has
/// all that the next one continues from: lmb_gpu_readback_save() makes a snapshot of it, and lmb_gpu_batch_restore()
/// goes back to it.
#ifndef LIMBER_GPU_READBACK_H
#define LIMBER_GPU_READBACK_H

#include <limber/gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup device
/// @{

/// A ring of frames that are read back.
typedef struct lmb_gpu_readback lmb_gpu_readback;

/// What is read back, as bits of lmb_gpu_readback_def.contents.
#define LMB_READBACK_EMITTED_BIT 1u  ///< emitted events, if lmb_gpu_batch_def.emits_events
#define LMB_READBACK_MOTIONS_BIT 2u  ///< positions and orientations, if there is a character motion
#define LMB_READBACK_STATES_BIT 4u   ///< all that lmb_state_root_motion(), lmb_state_current() and others read
#define LMB_READBACK_REFUSED_BIT 8u  ///< refusal counters
#define LMB_READBACK_REACHED_BIT 16u ///< which nodes reach their targets (ik.h)
#define LMB_READBACK_INERTIA_BIT 32u ///< what inertialization, chains and feet keep (inertia.h)
#define LMB_READBACK_HASHES_BIT 64u  ///< of the words of each character: states, inertialization, reached targets

#define LMB_MAX_READBACK_FRAMES 64u

/// The batch and the ring. Start from lmb_default_gpu_readback_def().
typedef struct lmb_gpu_readback_def {
    const lmb_gpu_batch *batch; ///< must outlive the readback
    uint32_t contents;          ///< LMB_READBACK_..._BIT bits; at least one
    /// Frames that the ring keeps, from being recorded to being overwritten: at least the batch's frame slots, at most
    /// #LMB_MAX_READBACK_FRAMES. More than the slots let the host come later.
    uint32_t frame_count;
} lmb_gpu_readback_def;

/// No batch and no contents, which are needed; 8 frames.
LMB_API lmb_gpu_readback_def lmb_default_gpu_readback_def(void);

/// Creates the ring.
///
/// Fails with #LMB_ERROR_ARGUMENT (also if the batch does not have the contents: the message says which),
/// #LMB_ERROR_LIMIT (a frame takes more than the device's maxMemoryAllocationSize), #LMB_ERROR_MEMORY,
/// #LMB_ERROR_VULKAN, #LMB_ERROR_DEVICE (the device has no host-visible memory for buffers).
LMB_API lmb_result lmb_gpu_readback_create(lmb_gpu *gpu, const lmb_gpu_readback_def *def, lmb_gpu_readback **readback,
                                           lmb_error *error);
/// NULL is allowed. No command buffer that uses it may be pending.
LMB_API void lmb_gpu_readback_destroy(lmb_gpu_readback *readback);

/// Records the copies of the frame that was recorded last in a frame slot, outside a render pass.
///
/// Makes all pointers invalid that lmb_gpu_readback_next() returned before. Fails with
/// #LMB_ERROR_ARGUMENT if a pointer is NULL or there is no such slot, and with #LMB_ERROR_STATE if the slot has no
/// frame that was recorded after the last one that was read back. Then nothing is recorded.
LMB_API lmb_result lmb_gpu_readback_record(lmb_gpu_readback *readback, uint32_t slot, VkCommandBuffer commands,
                                           lmb_error *error);

/// Call it when all commands into which this slot's frames were recorded have completed: their fence has signalled, or
/// they will never be submitted.
///
/// Fails with #LMB_ERROR_ARGUMENT if the readback is NULL or there is no such slot.
LMB_API lmb_result lmb_gpu_readback_completed(lmb_gpu_readback *readback, uint32_t slot, lmb_error *error);

/// A frame that was read back. Pointers to what the contents do not include are NULL. So are those to emitted events,
/// motions and states of a frame that did not run the control (lmb_gpu_record_info.poses_alone).
typedef struct lmb_gpu_readback_frame {
    uint32_t number;         ///< lmb_gpu_record_info.number
    uint32_t missed;         ///< frames lost since the one returned before
    const uint32_t *emitted; ///< uint32_t [C][lmb_graph_info.emitted_words]
    const float *motions;    ///< float [C][lmb_graph_info.motion_floats]
    const uint32_t *states;  ///< uint32_t [C][lmb_graph_info.state_words], after the frame
    const uint32_t *refused; ///< uint32_t [#LMB_REFUSAL_COUNT]
    const uint32_t *reached; ///< uint32_t [C][lmb_graph_info.reached_count]
    const uint32_t *inertia; ///< uint32_t [C][lmb_graph_info.inertia_words], after the frame
    const uint64_t *hashes;  ///< uint64_t [C]: lmb_characters_hash() of all characters, after the frame
    /// Characters that ran (lmb_gpu_record_info.character_count). Rows of others have older or undefined motions and
    /// emitted events.
    uint32_t character_count;
    uint64_t recorded; ///< which frame was recorded last when this one was returned: its pointers are valid until then
} lmb_gpu_readback_frame;

/// Returns the next frame, without waiting. Its pointers are valid until lmb_gpu_readback_record() is called.
///
/// False, and `frame` stays as it is, if the next one has not completed. In a loop this drains the ring: then `frame`
/// is the newest one that has completed.
LMB_API bool lmb_gpu_readback_next(lmb_gpu_readback *readback, lmb_gpu_readback_frame *frame);

/// Writes a snapshot of characters as they are after a frame that was read back: it equals the one that
/// lmb_snapshot_save() writes for the same frame on the CPU. `frame` is as lmb_gpu_readback_next() returned it.
///
/// `characters` are uint32_t [count], rows in any order; NULL: the first `count` of them. Fails as lmb_snapshot_save()
/// does, with #LMB_ERROR_ARGUMENT also if the readback lacks contents that the graph has: states, words of
/// inertialization, or reached targets. Also if the frame did not run the control. Fails with #LMB_ERROR_STATE if
/// lmb_gpu_readback_record() has made the frame's pointers invalid.
LMB_API lmb_result lmb_gpu_readback_save(const lmb_gpu_readback *readback, const lmb_gpu_readback_frame *frame,
                                         const uint32_t *characters, uint32_t count, uint64_t tag, void *bytes,
                                         size_t room, lmb_error *error);

/// Returns the number of frames lost so far, those included that no returned frame has counted yet.
LMB_API uint64_t lmb_gpu_readback_missed(const lmb_gpu_readback *readback);

/// @}

#ifdef __cplusplus
}
#endif

#endif
