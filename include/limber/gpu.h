/// @file gpu.h
/// Runs batches as Vulkan compute on the host's device, recorded into the host's command buffers.
///
/// The host stays in charge. Limber creates buffers and pipelines in create calls, submits nothing but the probe (on
/// a queue that the host hands over for that), waits for nothing else, and allocates nothing while it records.
///
/// **The device** must be Vulkan 1.2 or later, created with `bufferDeviceAddress` and `scalarBlockLayout`. Any queue
/// family with compute will do. Instance functions are loaded through the pointer given; Limber links no loader.
///
/// **Threads.** One thread at a time per object; an lmb_gpu may serve several threads once created, as long as each
/// uses graphs and batches of its own. Command buffers are the host's to synchronise.
///
/// **Barriers.** lmb_gpu_graph_record_upload() ends with a barrier that makes the upload visible to compute shaders in
/// later commands of the same queue. lmb_gpu_batch_record() begins with one from earlier transfer and compute writes
/// (the host's, of pose buffers) to its own, and ends with one from its compute writes to memory reads of all later
/// commands. Both are valid on a family with compute alone. A frame slot may be recorded for another submission once the
/// earlier one that used it has completed (the host waits for its fence before it writes new parameters anyway); that
/// also orders a renderer's reads of the slot's outputs before they are written anew.
/// Another queue, queue family, or the CPU needs the host's own semaphore, ownership transfer, or host barrier. Buffers
/// are created with exclusive sharing, unless `queue_families` names several.
#ifndef LIMBER_GPU_H
#define LIMBER_GPU_H

#include <limber/batch.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lmb_gpu lmb_gpu;
typedef struct lmb_gpu_graph lmb_gpu_graph;
typedef struct lmb_gpu_batch lmb_gpu_batch;
typedef struct lmb_gpu_profile lmb_gpu_profile; // gpu_profile.h

/// A piece of device memory that the host's allocator gives. `mapped` points to its first byte, or is NULL where host
/// access was not asked for.
typedef struct lmb_gpu_memory {
    VkDeviceMemory memory;
    VkDeviceSize offset;
    void *mapped;
    void *handle; ///< the host's own, handed back on release
} lmb_gpu_memory;

/// Optional. Without it every buffer is one vkAllocateMemory with VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT; memory from
/// here must be allocated with that flag too. With `host_access` the memory must be host visible and host coherent,
/// otherwise device local.
typedef struct lmb_gpu_memory_hooks {
    VkResult (*allocate)(void *user, const VkMemoryRequirements *requirements, bool host_access,
                         lmb_gpu_memory *memory);
    void (*release)(void *user, const lmb_gpu_memory *memory);
    void *user;
} lmb_gpu_memory_hooks;

/// Start from lmb_default_gpu_def().
typedef struct lmb_gpu_def {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    /// Used by lmb_gpu_create() alone: the probe is submitted to it once and waited for. No other thread may use the
    /// queue meanwhile. VK_NULL_HANDLE: no probe is run then, and the object refuses to record until lmb_gpu_probe()
    /// has passed.
    VkQueue probe_queue;
    uint32_t probe_queue_family;
    /// Families that use Limber's buffers at the same time; 0 or 1 of them for exclusive sharing.
    const uint32_t *queue_families;
    uint32_t queue_family_count;
    const VkAllocationCallbacks *vulkan_allocator; ///< copied; may be NULL
    const lmb_gpu_memory_hooks *memory;            ///< copied; may be NULL
    /// May be VK_NULL_HANDLE. Every pipeline is created with it, those of graphs as well; the host fills it from what it
    /// kept, and keeps what vkGetPipelineCacheData() gives once its graphs exist.
    VkPipelineCache pipeline_cache;
    bool debug_utils; ///< the instance has VK_EXT_debug_utils: name objects, label stages
    /// Accept a device that fails the probe. Its results are then no longer promised to equal the reference.
    bool accept_mismatch;
    /// Run every graph by one interpreting kernel, and a second one for model matrices and palettes, after the one
    /// that finds weights. Otherwise a graph of up to 32 instructions gets a pipeline of its own when its device copy
    /// is created, which takes a moment and makes its frames several times faster: one that does everything after the
    /// weights where a character's matrices (48 bytes a joint) fit the device's workgroup memory, and leaves nothing in
    /// memory but what the batch's outputs ask for. Same bits.
    bool interpret_graphs;
} lmb_gpu_def;

LMB_API lmb_gpu_def lmb_default_gpu_def(void);

/// One case of the probe whose result differs from the known answer.
typedef struct lmb_gpu_probe_result {
    bool done;
    bool same_bits;         ///< every case came out as it must
    bool declares_rte;      ///< the device offers shaderRoundingModeRTEFloat32 by itself, and the kernels declare it
    uint32_t case_count;    ///< cases run
    uint32_t failure_count; ///< cases that differ
    char failed_case[64];   ///< what the first of them tests
    uint32_t input_bits[2]; ///< its operands
    uint32_t expected_bits; ///< its known answer
    uint32_t actual_bits;   ///< what the device gave
} lmb_gpu_probe_result;

/// Creates pipelines and runs the probe. Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_MEMORY, #LMB_ERROR_VULKAN, and with
/// #LMB_ERROR_DEVICE where the device lacks Vulkan 1.2 or fails the probe and `accept_mismatch` is not set (the message
/// names the case, or the feature). The host destroys the device after this object.
LMB_API lmb_result lmb_gpu_create(const lmb_gpu_def *def, const lmb_host *host, lmb_gpu **gpu, lmb_error *error);
/// NULL is fine. Graphs and batches must be gone, and no command buffer that uses it may be pending.
LMB_API void lmb_gpu_destroy(lmb_gpu *gpu);

/// Runs the probe (again): one submission to `queue`, waited for. What it found is what lmb_gpu_probed() gives: a device
/// that does not give the same bits makes no error here.
LMB_API lmb_result lmb_gpu_probe(lmb_gpu *gpu, VkQueue queue, uint32_t queue_family, lmb_error *error);
/// What the last probe found.
LMB_API lmb_gpu_probe_result lmb_gpu_probed(const lmb_gpu *gpu);

/// Creates the device's copy of a graph, not yet filled, and its pipeline. The graph must outlive it. Fails with
/// #LMB_ERROR_ARGUMENT, #LMB_ERROR_MEMORY, #LMB_ERROR_VULKAN, and with #LMB_ERROR_DEVICE where the device's workgroups lack
/// the memory for as many poses as it holds at once: 32 KiB are always enough, the least, 16 KiB, for 5 poses, and for more
/// where a graph has few operations.
LMB_API lmb_result lmb_gpu_graph_create(lmb_gpu *gpu, const lmb_graph *graph, lmb_gpu_graph **gpu_graph,
                                        lmb_error *error);
/// NULL is fine. No command buffer that uses it may be pending.
LMB_API void lmb_gpu_graph_destroy(lmb_gpu_graph *gpu_graph);
/// Records the copy from staging memory, outside a render pass. Fails with #LMB_ERROR_STATE once the staging is released.
LMB_API lmb_result lmb_gpu_graph_record_upload(lmb_gpu_graph *gpu_graph, VkCommandBuffer commands, lmb_error *error);
/// The host says that the recorded upload has completed: staging memory is released. Calling it again does nothing;
/// before an upload was recorded it fails with #LMB_ERROR_STATE.
LMB_API lmb_result lmb_gpu_graph_uploaded(lmb_gpu_graph *gpu_graph, lmb_error *error);

/// Start from lmb_default_gpu_batch_def().
typedef struct lmb_gpu_batch_def {
    lmb_gpu_graph *graph;     ///< must outlive the batch
    uint32_t character_count; ///< 1 or more
    uint32_t outputs;         ///< LMB_OUTPUT_... bits
    uint32_t frame_count; ///< frame slots, that is frames in flight: 1 to 8; each has its own parameters and outputs
    /// No buffer of outputs, or of what inertialization keeps, is larger than this many bytes: a batch that needs more
    /// is split into spans of characters. 0 takes 256 MiB, or the device's maxMemoryAllocationSize where that is less.
    /// A multiple of one character's size is used, in the largest of these: an output, inertialization, and weights (32
    /// bytes for each use of a clip and 4 for each weight); less than that is refused.
    VkDeviceSize span_bytes;
    // Of a graph that has a lmb_graph_control():
    uint32_t events_a_frame; ///< events that a frame can send, to all characters together
    bool emits_events;       ///< keep emitted events, one buffer for each frame slot
} lmb_gpu_batch_def;

/// No graph, 0 characters, palette alone, 2 frame slots, default span; 1,024 events a frame, keeps none that are
/// emitted.
LMB_API lmb_gpu_batch_def lmb_default_gpu_batch_def(void);

/// Creates all buffers. Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_LIMIT (a character that no span holds, or characters
/// times joints of 2^31 and more), #LMB_ERROR_MEMORY, #LMB_ERROR_VULKAN.
LMB_API lmb_result lmb_gpu_batch_create(lmb_gpu *gpu, const lmb_gpu_batch_def *def, lmb_gpu_batch **batch,
                                        lmb_error *error);
/// NULL is fine. No command buffer that uses it may be pending.
LMB_API void lmb_gpu_batch_destroy(lmb_gpu_batch *batch);

/// The batch's description as batch.h has it, for running the same on the CPU and for comparing.
LMB_API lmb_batch lmb_gpu_batch_description(const lmb_gpu_batch *batch);

/// Host memory, float [C][P], that the host fills before it submits the commands recorded for that frame slot, and
/// leaves alone until they have completed. NULL where the slot does not exist or the graph has no parameters.
LMB_API float *lmb_gpu_batch_parameters(lmb_gpu_batch *batch, uint32_t frame);

/// Binds a pose buffer for a frame slot: the address of float [C][10][J] (J: lmb_graph_pose_joint_count()), aligned to 4, in a buffer of the host's
/// created with VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT and VK_BUFFER_USAGE_STORAGE_BUFFER_BIT. Takes effect for
/// what is recorded afterwards.
LMB_API lmb_result lmb_gpu_batch_bind_pose(lmb_gpu_batch *batch, uint32_t frame, uint32_t pose, VkDeviceAddress address,
                                           lmb_error *error);

/// Start from zero.
typedef struct lmb_gpu_record_info {
    VkCommandBuffer commands; ///< recording, outside a render pass, on a family with compute
    uint32_t frame;           ///< frame slot
    /// For #LMB_OUTPUT_PREVIOUS_PALETTE: the previous palette is the palette that slot `previous_frame` holds when the
    /// commands run, which may be the same slot: it is copied before it is overwritten. The slot must have been recorded
    /// before, in commands that complete or were submitted to the same queue earlier. Without, it is this frame's palette.
    bool has_previous_frame;
    uint32_t previous_frame;
    /// Optional: runs only the characters that a list names. `list` is the address of uint32_t [list_capacity], indices of
    /// the batch's characters in any order, `list_count` that of one uint32_t: how many of them there are. Both aligned to
    /// 4, in buffers of the host's made as for lmb_gpu_batch_bind_pose(); the host writes them before it submits, or
    /// compute shaders or copies do, earlier on the same queue, and nobody until the commands have completed. Other
    /// characters cost nothing, and their outputs stay what the slot held. A character listed twice is run twice, which is
    /// not allowed together with a previous palette of the same slot, nor where the graph inertializes (inertia.h): both
    /// runs would change what the character's joints remember. An index outside the batch is passed over and
    /// counted as #LMB_REFUSED_CHARACTER, and so is, once, a count above the capacity, which is then taken. 0: all
    /// characters.
    VkDeviceAddress list;
    VkDeviceAddress list_count;
    uint32_t list_capacity; ///< at most the batch's characters
    // Of a graph that has a lmb_graph_control(), which moves every character on before its poses, whether or not a list
    // names it:
    uint64_t step;   ///< ticks, at most #LMB_MAX_STEP_TICKS
    uint32_t number; ///< of the frame; counts up by one, and wraps
    /// Leaves the control out: parameters, the graph's own among them, are all as the host wrote them. For hosts that run
    /// lmb_control_run() by themselves.
    bool poses_alone;
    lmb_gpu_profile *profile; ///< optional: times each stage in its slot of the same number, which has begun
} lmb_gpu_record_info;

/// Records one frame of the batch. Fails with #LMB_ERROR_STATE where the graph's upload has not been recorded, a pose
/// buffer is not bound, the previous frame's slot has not been recorded, the probe has not passed or the profile's slot
/// has not begun; with #LMB_ERROR_ARGUMENT where a
/// slot does not exist, and #LMB_ERROR_LIMIT where the profile's marks do not suffice.
LMB_API lmb_result lmb_gpu_batch_record(lmb_gpu_batch *batch, const lmb_gpu_record_info *info, lmb_error *error);

/// A run of characters whose outputs are in one buffer.
typedef struct lmb_gpu_span {
    VkBuffer buffer;         ///< usable as storage, vertex and transfer source buffer, and by address
    VkDeviceSize offset;     ///< of the first character, a multiple of 256
    VkDeviceSize size;       ///< bytes
    VkDeviceAddress address; ///< of the first character
    uint32_t first_character;
    uint32_t character_count;
} lmb_gpu_span;

LMB_API uint32_t lmb_gpu_batch_span_count(const lmb_gpu_batch *batch);
/// Where a stage's output lies; false, and a zero span, where it is not among the outputs or an index is out of range.
/// Sockets of a rig without any: true, with a size of 0 and no buffer.
LMB_API bool lmb_gpu_batch_output(const lmb_gpu_batch *batch, uint32_t frame, lmb_stage stage, uint32_t span,
                                  lmb_gpu_span *output);
/// What inertialization keeps of a span's characters, uint32_t [C][lmb_graph_inertia_words()], see inertia.h: one buffer for
/// all frame slots, which every frame goes on with where the one before left it. So frames are to be submitted to one
/// queue in the order in which they are to run, or with semaphores that order them so. A copy from it saves it, a copy to it
/// restores it, between frames, ordered by the host's barriers or semaphores. The first frame recorded begins by zeroing
/// it: that one is to be submitted, once and before all others, and what is to be restored is copied behind it. False, and
/// a zero span, where the graph inertializes nothing or there is no such span.
LMB_API bool lmb_gpu_batch_inertia(const lmb_gpu_batch *batch, uint32_t span, lmb_gpu_span *inertia);
/// Sends an event to a character, with the next frame recorded for that slot; #LMB_EVENT_RESET begins it anew. The commands
/// recorded for the slot before must have completed. Fails with #LMB_ERROR_ARGUMENT where there is no such slot, character
/// or event, or the graph has no control, #LMB_ERROR_LIMIT past lmb_gpu_batch_def.events_a_frame: the event is not sent then.
LMB_API lmb_result lmb_gpu_batch_send(lmb_gpu_batch *batch, uint32_t frame, uint32_t character, uint32_t event,
                                      lmb_error *error);
/// States of the control, uint32_t [C][lmb_control_state_words()], as one span: a copy from it saves them, a copy to it
/// restores them, between frames, ordered by the host's barriers or semaphores. Every frame goes on with them where the
/// one before left them, so frames are to be submitted to one queue in the order in which they are to run, or with
/// semaphores that order them so. The first frame recorded begins by zeroing them: that one is to be submitted, once and
/// before all others, and what is to be restored is copied behind it. Zero where the graph has no control.
LMB_API lmb_gpu_span lmb_gpu_batch_state(const lmb_gpu_batch *batch);
/// Events that a frame slot's frame emitted, uint32_t [C][lmb_control_emitted_words()], as one span; zero where none are
/// kept, or there is no such slot.
LMB_API lmb_gpu_span lmb_gpu_batch_emitted(const lmb_gpu_batch *batch, uint32_t frame);
/// Where a frame slot's frame left the character motions, float [C][#LMB_MOTION_FLOATS], as one span; zero where there is no character motion, or no such
/// slot. To put a character elsewhere, write the #LMB_MOTION_WORDS of its state.
LMB_API lmb_gpu_span lmb_gpu_batch_motions(const lmb_gpu_batch *batch, uint32_t frame);
/// The frame slot's refusal counters, uint32_t [#LMB_REFUSAL_COUNT] as one span; zeroed and counted anew each frame.
LMB_API lmb_gpu_span lmb_gpu_batch_refused(const lmb_gpu_batch *batch, uint32_t frame);

#ifdef __cplusplus
}
#endif

#endif
