/// @file gpu_skin.h
/// @ingroup device
/// Skins the vertices of meshes (skin.h) in a compute kernel, recorded into the host's command buffers.
///
/// The host gives device addresses of everything: mesh, palettes, list, streams. Nothing is copied and nothing is
/// allocated while recording. Once for each lmb_gpu: lmb_gpu_skin_create(). Once for each mesh: copy
/// lmb_skin_info.words to a buffer of the host. Each frame, after lmb_gpu_batch_record(): lmb_gpu_skin_record(), with
/// all runs at once: one for each mesh and each span of the batch (lmb_gpu_batch_span_count()).
///
/// **Buffers** are created with VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT and VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, those
/// of streams also as their readers need (VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR,
/// VK_BUFFER_USAGE_VERTEX_BUFFER_BIT). Addresses are multiples of 4, those of palettes of 16, as lmb_gpu_batch_output()
/// returns them.
///
/// **Barriers.** lmb_gpu_skin_record() begins with a barrier from earlier transfer and compute writes to its reads and
/// writes, and ends with one from its writes to memory reads of all later commands, acceleration structure builds and
/// vertex input included. Both are valid on a queue family with compute alone. Another queue, another queue family and
/// the CPU need the host's own. Streams may be overwritten when earlier reads have completed: give each frame in flight
/// its own streams, or record a barrier.
///
/// **Threads.** One thread at a time may record with an lmb_gpu_skin.
#ifndef LIMBER_GPU_SKIN_H
#define LIMBER_GPU_SKIN_H

#include <limber/gpu.h>
#include <limber/skin.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup device
/// @{

/// The kernels for both methods.
typedef struct lmb_gpu_skin lmb_gpu_skin;

/// Creates the pipelines. The gpu must outlive them.
///
/// Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_MEMORY and #LMB_ERROR_VULKAN.
LMB_API lmb_result lmb_gpu_skin_create(lmb_gpu *gpu, lmb_gpu_skin **gpu_skin, lmb_error *error);
/// NULL is allowed. No command buffer that uses it may be pending.
LMB_API void lmb_gpu_skin_destroy(lmb_gpu_skin *gpu_skin);

/// A run of one mesh for one span of a batch. Addresses are those of what lmb_skin_run_info describes. Start from a
/// zeroed one. `first_character` and `palette_count` of the layout are those of the span (lmb_gpu_span). Without
/// `packed` the streams of a span begin with its own first character: in one buffer for all spans that is at
/// first_character * lmb_skin_character_bytes().
typedef struct lmb_gpu_skin_run {
    const lmb_skin *skin;
    VkDeviceAddress words; ///< of a copy of lmb_skin_info.words
    lmb_skin_layout layout;
    VkDeviceAddress palette;          ///< of the span's first character, aligned to 16
    VkDeviceAddress previous_palette; ///< the same of the previous frame, which another frame slot has; 0 without
    VkDeviceAddress channels;         ///< of the span's first character, if lmb_skin_info.has_targets; aligned to 4
    VkDeviceAddress previous_channels;
    /// Optional: only the characters in a list, uint32_t [list_capacity], whose count is one uint32_t at `list_count`.
    /// The host, or compute shaders or copies earlier on the same queue, write both, as for lmb_gpu_record_info.list. A
    /// count above the capacity is replaced by the capacity, and counted as #LMB_REFUSED_CHARACTER. 0: all characters
    /// of the span.
    VkDeviceAddress list;
    VkDeviceAddress list_count;
    uint32_t list_capacity; ///< at most lmb_skin_layout.character_count
    VkDeviceAddress streams[LMB_SKIN_OUTPUT_COUNT];
    VkDeviceAddress refused_sums; ///< uint32_t [#LMB_REFUSAL_COUNT], which are added to; 0: nothing is counted
} lmb_gpu_skin_run;

/// Records runs, outside a render pass. They may overlap on the device, so no two of them may write the same elements.
///
/// `runs` and the meshes are not used after the call; the buffers must live until the commands have completed. Fails as
/// lmb_skin_check_layout() does, with #LMB_ERROR_ARGUMENT if an address is missing or not aligned, and with
/// #LMB_ERROR_STATE if no probe has passed and lmb_gpu_def.accept_mismatch is not set; then nothing is recorded. The
/// message names the run.
LMB_API lmb_result lmb_gpu_skin_record(lmb_gpu_skin *gpu_skin, VkCommandBuffer commands, const lmb_gpu_skin_run *runs,
                                       uint32_t run_count, lmb_error *error);

/// @}

#ifdef __cplusplus
}
#endif

#endif
