/// @file gpu_control.h
/// Runs a control on the device, before the poses of a batch: lmb_gpu_record_info names it. It reads the parameters that
/// the host wrote and writes its own among them, where the batch's programs read them; nothing comes back to the host but
/// what it fetches.
///
/// Every character of the batch is moved on, whether or not a list names it. The state lives in one buffer, which every
/// frame moves on where the one before left it: frames are to be submitted to one queue in the order in which they are to
/// run, or with semaphores that order them so.
#ifndef LIMBER_GPU_CONTROL_H
#define LIMBER_GPU_CONTROL_H

#include <limber/control.h>
#include <limber/gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Start from lmb_default_gpu_control_def().
typedef struct lmb_gpu_control_def {
    /// Must outlive it. Its program is the batch's, or it has none; it has as many parameters. One that inertializes
    /// does so by the same parameters.
    const lmb_control *control;
    lmb_gpu_batch *batch;    ///< whose characters it moves; must outlive it
    uint32_t events_a_frame; ///< events that a frame can send, to all characters together
    bool tells;              ///< keep told events, one buffer for each frame slot
} lmb_gpu_control_def;

/// No control, no batch; 1,024 events a frame; tells nothing.
LMB_API lmb_gpu_control_def lmb_default_gpu_control_def(void);

/// Creates a pipeline and all buffers. Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_LIMIT (a buffer of 2^31 words and more,
/// or more than the device allocates), #LMB_ERROR_MEMORY, #LMB_ERROR_VULKAN.
LMB_API lmb_result lmb_gpu_control_create(lmb_gpu *gpu, const lmb_gpu_control_def *def, lmb_gpu_control **control,
                                          lmb_error *error);
/// NULL is fine. No command buffer that uses it may be pending.
LMB_API void lmb_gpu_control_destroy(lmb_gpu_control *control);

/// Sends an event to a character, with the next frame recorded for that slot; #LMB_EVENT_RESET begins it anew. The commands
/// recorded for the slot before must have completed. Fails with #LMB_ERROR_ARGUMENT where there is no such slot, character
/// or event, #LMB_ERROR_LIMIT past lmb_gpu_control_def.events_a_frame: the event is not sent then.
LMB_API lmb_result lmb_gpu_control_send(lmb_gpu_control *control, uint32_t frame, uint32_t character, uint32_t event,
                                        lmb_error *error);

/// The states, uint32_t [C][lmb_control_state_words()], as one span: a copy from it saves them, a copy to it restores them,
/// between frames, ordered by the host's barriers or semaphores. The first frame recorded begins by zeroing it: that one is
/// to be submitted, once and before all others, and what is to be restored is copied behind it.
LMB_API lmb_gpu_span lmb_gpu_control_state(const lmb_gpu_control *control);
/// What a frame slot's frame told, uint32_t [C][lmb_control_told_words()], as one span; zero where it tells nothing, or
/// there is no such slot.
LMB_API lmb_gpu_span lmb_gpu_control_told(const lmb_gpu_control *control, uint32_t frame);

/// Where a frame slot's frame left the movers, float [C][#LMB_MOVER_FLOATS], as one span; zero where there is no mover, or no such
/// slot. To put a character elsewhere, write the #LMB_MOVER_WORDS of its state.
LMB_API lmb_gpu_span lmb_gpu_control_movers(const lmb_gpu_control *control, uint32_t frame);

#ifdef __cplusplus
}
#endif

#endif
