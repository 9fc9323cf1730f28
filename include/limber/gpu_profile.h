/// @file gpu_profile.h
/// How long the stages of a frame take on the device, from timestamps in the host's command buffers, without a stall:
/// nothing here waits, and a frame whose results are not there yet is left for a later call. And what a batch takes of
/// the device's memory.
///
/// Once a frame, for each slot in turn: lmb_gpu_profile_begin() in the command buffer, lmb_gpu_batch_record() with the
/// profile in its record info, as often as there are batches, the host's own marks around its own work; and
/// lmb_gpu_profile_collect() once the fence of that slot has signalled, which a host with several frames in flight waits
/// for anyway before it records the slot anew.
#ifndef LIMBER_GPU_PROFILE_H
#define LIMBER_GPU_PROFILE_H

#include <limber/gpu.h>
#include <limber/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One thread at a time uses it. It must outlive every command buffer that it was recorded into.
typedef struct lmb_gpu_profile lmb_gpu_profile;

/// Stages of an lmb_gpu_profile. Those of the host follow. A stage that a batch does not have gets no samples.
typedef enum lmb_gpu_stage {
    LMB_GPU_STAGE_FRAME,      ///< "frame": from lmb_gpu_profile_begin() to the last mark
    LMB_GPU_STAGE_PARAMETERS, ///< "parameters": the copy of a batch's parameters, and what is waited for before it
    LMB_GPU_STAGE_CONTROL,    ///< "control": a batch's control, where it has one, and the weights of its nodes
    LMB_GPU_STAGE_CHARACTERS, ///< "characters": a batch's graphs, model matrices and palettes, in one kernel
    LMB_GPU_STAGE_POSE,       ///< "pose": a batch's graphs, where one kernel does not do it all; see lmb_gpu_def
    LMB_GPU_STAGE_MODEL,      ///< "model": that batch's model matrices and palettes
    LMB_GPU_STAGE_COUNT
} lmb_gpu_stage;

/// Start from lmb_default_gpu_profile_def().
typedef struct lmb_gpu_profile_def {
    uint32_t queue_family; ///< that of the command buffers; one with compute is enough
    uint32_t frame_count;  ///< frame slots, that is frames in flight: 1 to 8
    uint32_t mark_count;   ///< marks in a frame, at most 4,096: one for its beginning, five for each batch, the host's
    const char *const
        *stages; ///< names of stages of the host's own, copied: stage i is number #LMB_GPU_STAGE_COUNT + i
    uint32_t stage_count;
    uint32_t window;      ///< as in lmb_profile_def
    uint32_t event_count; ///< as in lmb_profile_def
} lmb_gpu_profile_def;

/// Queue family 0, 2 frame slots, 32 marks, no stages of the host's own.
LMB_API lmb_gpu_profile_def lmb_default_gpu_profile_def(void);

/// Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_LIMIT, #LMB_ERROR_MEMORY, #LMB_ERROR_VULKAN, and with
/// #LMB_ERROR_UNSUPPORTED where the queue family has no timestamps (its timestampValidBits are 0).
LMB_API lmb_result lmb_gpu_profile_create(lmb_gpu *gpu, const lmb_gpu_profile_def *def, lmb_gpu_profile **profile,
                                          lmb_error *error);
/// NULL is fine. No command buffer that uses it may be pending.
LMB_API void lmb_gpu_profile_destroy(lmb_gpu_profile *profile);

/// Begins a frame in a slot whose earlier commands have completed: its queries are reset in the commands, outside a render
/// pass, and the beginning is marked. An earlier frame of the slot that was not collected is counted as missed.
LMB_API lmb_result lmb_gpu_profile_begin(lmb_gpu_profile *profile, uint32_t frame, VkCommandBuffer commands,
                                         lmb_error *error);

/// Marks that all commands before it in the frame have completed, as exactly as the driver has it (lavapipe writes marks
/// late where it draws as well): the end of `stage`, which began at the mark before this
/// one; or, with #LMB_NONE, a beginning alone, so that what came before belongs to no stage. Fails with #LMB_ERROR_STATE
/// where the frame has not begun, #LMB_ERROR_LIMIT past the stated number of marks, #LMB_ERROR_ARGUMENT.
LMB_API lmb_result lmb_gpu_profile_mark(lmb_gpu_profile *profile, uint32_t frame, VkCommandBuffer commands,
                                        uint32_t stage, lmb_error *error);

/// Reads a slot's frame, without waiting. Call it once the slot's commands have completed. Where the results are not there
/// yet, nothing is read and a later call may find them; but Vulkan does not allow the call before the commands of the
/// slot's very first frame have begun. `collected`, which may be NULL, tells whether a frame was read. Frames are to be
/// collected in the order in which they ran. Fails with #LMB_ERROR_ARGUMENT and #LMB_ERROR_VULKAN.
LMB_API lmb_result lmb_gpu_profile_collect(lmb_gpu_profile *profile, uint32_t frame, bool *collected, lmb_error *error);

/// Frames that were begun anew before they were collected.
LMB_API uint64_t lmb_gpu_profile_missed(const lmb_gpu_profile *profile);

/// What was collected: each stretch between two marks is a sample of its stage. Time 0 is the beginning of the first frame
/// collected; a nanosecond is as the device's timestampPeriod has it, and timestamps may wrap.
LMB_API lmb_profile *lmb_gpu_profile_times(lmb_gpu_profile *profile);

/// Buffers of one name.
typedef struct lmb_gpu_bytes {
    const char *name;   ///< "parameters", "palette" and so on; static
    uint32_t count;     ///< how many: of all frame slots and spans
    VkDeviceSize bytes; ///< of all of them together, as asked of Vulkan
    bool host_access;   ///< in memory that the host writes
} lmb_gpu_bytes;

/// Rows that lmb_gpu_batch_bytes() may give.
#define LMB_GPU_MAX_BYTES_ROWS 24u

/// What a batch takes of the device's memory, by buffer, with those of its graph, which other batches may share, last.
/// Writes up to `count` rows, and returns how many there are.
LMB_API uint32_t lmb_gpu_batch_bytes(const lmb_gpu_batch *batch, lmb_gpu_bytes *rows, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
