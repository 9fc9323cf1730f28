/// @file gpu_ragdoll.h
/// @ingroup device
/// Converts the matrices of ragdolls (ragdoll.h) in a compute kernel, recorded into the host's command buffers: between
/// a physics engine that writes matrices on the device, or a copy of them, and the frame that reads the poses.
///
/// **Buffers** are the host's, with VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT and VK_BUFFER_USAGE_STORAGE_BUFFER_BIT.
/// Addresses are multiples of 4. Bind the result with lmb_gpu_batch_bind_pose().
///
/// **Barriers.** lmb_gpu_ragdoll_record() begins with a barrier from earlier transfers and compute shaders, their reads
/// included, to its own reads and writes, and ends with one from its writes to later compute shaders and transfers,
/// lmb_gpu_batch_record() included. Another queue, another queue family and the CPU need the host's own.
///
/// **Threads.** One thread at a time may record with an lmb_gpu_ragdoll. Recording also uses the lmb_gpu_graph (gpu.h,
/// "Threads").
#ifndef LIMBER_GPU_RAGDOLL_H
#define LIMBER_GPU_RAGDOLL_H

#include <limber/gpu.h>
#include <limber/ragdoll.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup device
/// @{

/// The kernel.
typedef struct lmb_gpu_ragdoll lmb_gpu_ragdoll;

/// Creates the pipeline. The gpu must outlive it.
///
/// Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_MEMORY and #LMB_ERROR_VULKAN.
LMB_API lmb_result lmb_gpu_ragdoll_create(lmb_gpu *gpu, lmb_gpu_ragdoll **ragdoll, lmb_error *error);
/// NULL is allowed. No command buffer that uses it may be pending.
LMB_API void lmb_gpu_ragdoll_destroy(lmb_gpu_ragdoll *ragdoll);

/// Characters whose matrices are converted. Addresses are those of what lmb_ragdoll_info describes.
typedef struct lmb_gpu_ragdoll_info {
    const lmb_gpu_graph *graph; ///< of the same lmb_gpu; uploaded, or its upload is recorded before
    uint32_t character_count;
    uint32_t mask;
    VkDeviceAddress animated; ///< 0: the rest pose
    VkDeviceAddress models;
    VkDeviceAddress poses;
    VkDeviceAddress refused_sums; ///< counters that are added to: zero them before; 0: none
} lmb_gpu_ragdoll_info;

/// As lmb_default_ragdoll_info().
LMB_API lmb_gpu_ragdoll_info lmb_default_gpu_ragdoll_info(void);

/// Records the characters, outside a render pass.
///
/// Nothing that `info` points to is used after the call; the buffers must live until the commands have completed. Fails
/// as lmb_ragdoll_run() does, with #LMB_ERROR_ARGUMENT if the graph belongs to another lmb_gpu, a needed address is 0
/// or one is not a multiple of 4, and with #LMB_ERROR_LIMIT if an array has 2^31 words or more. Fails with
/// #LMB_ERROR_STATE if the graph's upload has not been recorded, or no probe has passed and lmb_gpu_def.accept_mismatch
/// is not set. Then nothing is recorded.
LMB_API lmb_result lmb_gpu_ragdoll_record(lmb_gpu_ragdoll *ragdoll, VkCommandBuffer commands,
                                          const lmb_gpu_ragdoll_info *info, lmb_error *error);

/// @}

#ifdef __cplusplus
}
#endif

#endif
