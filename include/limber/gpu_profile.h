/// @file gpu_profile.h
/// @ingroup profiles
/// Times the stages of a frame on the device, and reports the device memory of a batch.
///
/// Times come from timestamps in the host's command buffers. Nothing here waits: if the results of a frame are not
/// available yet, a later call reads them.
///
/// Once a frame, for each slot in turn:
/// 1. Call lmb_gpu_profile_begin() with the command buffer.
/// 2. Call lmb_gpu_batch_record() with the profile in its record info, once for each batch. Add marks around the host's
///    own work.
/// 3. Call lmb_gpu_profile_collect() when the fence of that slot has signalled. A host with several frames in flight
///    waits for it anyway before it records the slot again.
#ifndef LIMBER_GPU_PROFILE_H
#define LIMBER_GPU_PROFILE_H

#include <limber/gpu.h>
#include <limber/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup profiles
/// @{

/// Timestamps of frames. One thread at a time may use it. It must outlive the execution of every command buffer that it
/// was recorded into.
typedef struct lmb_gpu_profile lmb_gpu_profile;

/// Stages of an lmb_gpu_profile. The host's own stages follow them. A stage that a batch does not have gets no samples.
typedef enum lmb_gpu_stage {
    LMB_GPU_STAGE_FRAME,      ///< "frame": from lmb_gpu_profile_begin() to the last mark
    LMB_GPU_STAGE_PARAMETERS, ///< "parameters": the copy of a batch's parameters, and the wait before it
    LMB_GPU_STAGE_CONTROL,    ///< "control": a batch's control, if it has one, and the weights of its nodes
    LMB_GPU_STAGE_CHARACTERS, ///< "characters": a batch's graphs, model matrices and palettes, in one kernel
    LMB_GPU_STAGE_POSE,       ///< "pose": a batch's graphs, if one kernel does not do everything; see lmb_gpu_def
    LMB_GPU_STAGE_MODEL,      ///< "model": that batch's model matrices and palettes
    LMB_GPU_STAGE_COUNT
} lmb_gpu_stage;

/// The slots, marks and stages of a profile. Start from lmb_default_gpu_profile_def().
typedef struct lmb_gpu_profile_def {
    uint32_t queue_family;     ///< that of the command buffers; one with compute is enough
    uint32_t slot_count;       ///< frame slots, that is frames in flight: 1 to 8
    uint32_t mark_count;       ///< marks in a frame, at most 4,096: one for its beginning, five a batch, the host's
    const char *const *stages; ///< names of the host's own stages, copied: stage i is number #LMB_GPU_STAGE_COUNT + i
    uint32_t stage_count;
    uint32_t window;      ///< as in lmb_profile_def
    uint32_t event_count; ///< as in lmb_profile_def
} lmb_gpu_profile_def;

/// Queue family 0, 2 frame slots, 32 marks, no stages of the host's own.
LMB_API lmb_gpu_profile_def lmb_default_gpu_profile_def(void);

/// Creates a profile.
///
/// Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_LIMIT, #LMB_ERROR_MEMORY, #LMB_ERROR_VULKAN, and with
/// #LMB_ERROR_UNSUPPORTED if the queue family has no timestamps (its timestampValidBits are 0).
LMB_API lmb_result lmb_gpu_profile_create(lmb_gpu *gpu, const lmb_gpu_profile_def *def, lmb_gpu_profile **profile,
                                          lmb_error *error);
/// NULL is allowed. No command buffer that uses it may be pending.
LMB_API void lmb_gpu_profile_destroy(lmb_gpu_profile *profile);

/// Begins a frame in a slot whose earlier commands have completed.
///
/// Records a reset of its queries, outside a render pass, and marks the beginning. An earlier frame of the slot that
/// was not collected is counted as missed.
LMB_API lmb_result lmb_gpu_profile_begin(lmb_gpu_profile *profile, uint32_t slot, VkCommandBuffer commands,
                                         lmb_error *error);

/// Marks that all commands before it in the frame have completed: the end of `stage`, which began at the mark before
/// this one.
///
/// With #LMB_NONE it is only a beginning, and the time before it belongs to no stage. Marks are as exact as the driver
/// makes them (lavapipe writes marks late in a frame that also draws). Fails with #LMB_ERROR_STATE if the frame has not
/// begun, #LMB_ERROR_LIMIT beyond the stated number of marks, #LMB_ERROR_ARGUMENT.
LMB_API lmb_result lmb_gpu_profile_mark(lmb_gpu_profile *profile, uint32_t slot, VkCommandBuffer commands,
                                        uint32_t stage, lmb_error *error);

/// Reads a slot's frame, without waiting. Call it when the slot's commands have completed.
///
/// If the results are not available yet, it reads nothing, and a later call may find them. But Vulkan does not allow
/// the call before the commands of the slot's very first frame have begun. `collected`, which may be NULL, reports
/// whether a frame was read. Collect frames in the order in which they ran. Fails with #LMB_ERROR_ARGUMENT and
/// #LMB_ERROR_VULKAN.
LMB_API lmb_result lmb_gpu_profile_collect(lmb_gpu_profile *profile, uint32_t slot, bool *collected, lmb_error *error);

/// Returns the number of frames whose slot began another frame before they were collected.
LMB_API uint64_t lmb_gpu_profile_missed(const lmb_gpu_profile *profile);

/// Returns the times: the time between two marks is a sample of its stage.
///
/// Time 0 is the beginning of the first frame collected. Timestamps are converted to nanoseconds by the device's
/// timestampPeriod, and may wrap.
LMB_API lmb_profile *lmb_gpu_profile_times(lmb_gpu_profile *profile);

/// The buffers of one name.
typedef struct lmb_gpu_bytes {
    const char *name;   ///< "parameters", "palette" and so on; static
    uint32_t count;     ///< number of buffers, in all frame slots and spans
    VkDeviceSize bytes; ///< of all of them together, as requested from Vulkan
    bool host_access;   ///< in memory that the host writes
} lmb_gpu_bytes;

/// Most rows that lmb_gpu_batch_bytes() returns.
#define LMB_MAX_GPU_BYTES_ROWS 32u

/// Reports the device memory of a batch, by buffer. Last are the buffers of its graph, which other batches may share.
///
/// Writes up to `count` rows, and returns how many there are.
LMB_API uint32_t lmb_gpu_batch_bytes(const lmb_gpu_batch *batch, lmb_gpu_bytes *rows, uint32_t count);

/// @}

#ifdef __cplusplus
}
#endif

#endif
