/// @file gpu.h
/// @ingroup device
/// Runs batches as Vulkan compute on the host's device, recorded into the host's command buffers.
///
/// Once: lmb_gpu_create(), lmb_gpu_graph_create(), lmb_gpu_batch_create(), and lmb_gpu_graph_record_upload() into
/// commands of the host; lmb_gpu_graph_uploaded() when these have completed. In each frame: write the parameters of a
/// frame slot (lmb_gpu_batch_parameters()), send events (lmb_gpu_batch_send()), and call lmb_gpu_batch_record(). The
/// frame's outputs are where lmb_gpu_batch_output() says. A **frame slot** is one of the places that a batch has for
/// frames in flight; a **span** is a buffer with the rows of consecutive characters: large batches have several.
///
/// The host stays in control. Limber creates buffers and pipelines only in create calls, and allocates nothing while it
/// records. It submits and waits for one thing only: the probe, on a queue that the host gives for that.
///
/// **The device** must be Vulkan 1.2 or later, created with `bufferDeviceAddress` and `scalarBlockLayout`; or Vulkan
/// 1.1 with these by VK_KHR_buffer_device_address and VK_EXT_scalar_block_layout. Any queue family with compute is
/// enough. Instance functions are loaded through the pointer given; Limber links no loader.
///
/// **Threads.** Once created, an lmb_gpu may serve several threads. An lmb_gpu_graph and its batches may be used by one
/// thread at a time. The host synchronises command buffers.
///
/// **Pipelines.** Objects of an lmb_gpu share the pipelines that they have in common: batches whose controls need the
/// same features, copies of a graph, graphs whose kernels have the same code, skins, ragdolls, readbacks. When the last
/// user of a pipeline is destroyed, it becomes unused. The last lmb_gpu_def.kept_pipelines unused ones are kept for
/// later objects, until lmb_gpu_destroy(). No create call waits while another thread compiles: two that need the same
/// new pipeline at once both compile it, and one of both is destroyed at once.
///
/// **Lifetimes.** Objects that were created with an lmb_gpu, an lmb_gpu_graph or an lmb_gpu_batch are destroyed before
/// it. Destroying one that others still use does nothing: it logs as #LMB_LOG_ERROR (lmb_host of the lmb_gpu) how many
/// objects of which kind use it, and the object stays valid. Destroy these and call again, before the VkDevice is
/// destroyed. A call whose handles belong to several lmb_gpu objects fails with #LMB_ERROR_ARGUMENT.
///
/// **Barriers.** lmb_gpu_graph_record_upload() ends with a barrier that makes the upload visible to compute shaders in
/// later commands of the same queue. lmb_gpu_batch_record() begins with a barrier from earlier transfers and compute
/// shaders, their reads included, to its own reads and writes, so it sees pose buffers that they have written. It ends
/// with one from its compute writes to memory reads of all later commands. Both are valid on a queue family with
/// compute alone. Another queue, another queue family and the CPU need the host's own semaphore, ownership transfer or
/// host barrier. Buffers are created with exclusive sharing, unless `queue_families` names several.
///
/// **Frame slots.** A frame slot may be recorded for another submission once the earlier one that used it has
/// completed. The host waits for its fence anyway before it writes new parameters. That also orders a renderer's reads
/// of the slot's outputs before the next writes.
///
/// Commands of a graph without a control, recorded without a profile, may also be submitted several times, each after
/// the one before has completed, except for the first frame that was recorded of a batch with
/// lmb_graph_info.inertia_words, and for one that changes characters ("Characters"). They read the slot's parameters
/// each time. With a control, record each frame anew: the step, number and events are those of the recording.
///
/// **Wrong indices.** A function that returns where something is, such as lmb_gpu_batch_output(), returns nothing for a
/// frame slot or span that does not exist. It also logs that as #LMB_LOG_ERROR (lmb_host of the lmb_gpu), with the
/// number that there are.
///
/// **Characters.** lmb_gpu_batch_place(), lmb_gpu_batch_respawn(), lmb_gpu_batch_move() and lmb_gpu_batch_restore()
/// change characters with the next frame recorded for a slot, as lmb_gpu_batch_send() sends events. The host calls them
/// on the thread that records the batch, once earlier commands of the slot have completed. They take effect in the
/// order of the calls, before the frame's events and its step, and are forgotten once recorded. A frame changes at most
/// lmb_gpu_batch_def.changes_a_frame characters, each as often as the host likes. Nothing is allocated and nothing
/// waits.
///
/// A batch that gains and loses characters is created for the most of them, and lmb_gpu_record_info.character_count
/// says how many run. One that joins takes the row after the last, by lmb_gpu_batch_respawn(). When one leaves, the
/// last one takes its row, by lmb_gpu_batch_move():
///
///     lmb_gpu_batch_respawn(batch, slot, count++, &motion, &error); // joins
///     lmb_gpu_batch_move(batch, slot, --count, leaving, &error);    // leaves
#ifndef LIMBER_GPU_H
#define LIMBER_GPU_H

#include <limber/batch.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup device
/// @{

/// Limber on one device: lmb_gpu_create().
typedef struct lmb_gpu lmb_gpu;
/// The device's copy of a graph.
typedef struct lmb_gpu_graph lmb_gpu_graph;
/// The buffers of a batch on the device.
typedef struct lmb_gpu_batch lmb_gpu_batch;
/// A clip in host-visible memory, from which it is copied into a slot of a graph.
typedef struct lmb_gpu_clip lmb_gpu_clip;
typedef struct lmb_gpu_profile lmb_gpu_profile; // gpu_profile.h

/// A range of device memory from the host's allocator.
typedef struct lmb_gpu_memory {
    VkDeviceMemory memory;
    VkDeviceSize offset;
    void *mapped; ///< its first byte; NULL for #LMB_GPU_MEMORY_DEVICE
    void *handle; ///< the host's own, passed back on release
} lmb_gpu_memory;

/// What memory is for, and the properties that it must have.
typedef enum lmb_gpu_memory_use {
    LMB_GPU_MEMORY_DEVICE,   ///< device local
    LMB_GPU_MEMORY_UPLOAD,   ///< host visible and host coherent: the host writes it
    LMB_GPU_MEMORY_READBACK, ///< host visible and host coherent, and host cached where possible: the host reads it
    /// Device local, host visible and host coherent: the host writes it and kernels read it. Optional: if a hook fails,
    /// or leaves `mapped` NULL, the host writes #LMB_GPU_MEMORY_UPLOAD memory, which each frame copies.
    LMB_GPU_MEMORY_DIRECT,
} lmb_gpu_memory_use;

/// The host's allocator of device memory. Optional.
///
/// Without it each buffer is one vkAllocateMemory with VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, and a buffer in
/// #LMB_GPU_MEMORY_DIRECT takes at most a sixteenth of its heap. Memory from these functions must be allocated with
/// that flag too.
typedef struct lmb_gpu_memory_hooks {
    VkResult (*allocate)(void *user, const VkMemoryRequirements *requirements, lmb_gpu_memory_use use,
                         lmb_gpu_memory *memory);
    void (*release)(void *user, const lmb_gpu_memory *memory);
    void *user;
} lmb_gpu_memory_hooks;

/// The device to use, and how. Start from lmb_default_gpu_def().
typedef struct lmb_gpu_def {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    /// Used only by lmb_gpu_create(), which submits the probe to it once and waits. No other thread may use the queue
    /// meanwhile. VK_NULL_HANDLE: no probe is run, and the object refuses to record until lmb_gpu_probe() has passed.
    VkQueue probe_queue;
    uint32_t probe_queue_family;
    /// Queue families that use Limber's buffers at the same time; 0 or 1 of them for exclusive sharing.
    const uint32_t *queue_families;
    uint32_t queue_family_count;
    const VkAllocationCallbacks *vulkan_allocator; ///< copied; may be NULL
    const lmb_gpu_memory_hooks *memory;            ///< copied; may be NULL
    /// May be VK_NULL_HANDLE. Every pipeline is created with it, including those of graphs. To use it across runs, the
    /// host fills it with saved data, and saves what vkGetPipelineCacheData() returns once its graphs exist.
    VkPipelineCache pipeline_cache;
    bool debug_utils; ///< the instance has VK_EXT_debug_utils: names objects and labels stages
    /// Accepts a device that fails the probe. Its results are then not guaranteed to equal the reference. Batches are
    /// recorded even if no probe has run.
    bool accept_mismatch;
    /// Runs every graph with three general kernels: one finds weights, one interprets the graph, and one computes model
    /// matrices and palettes.
    ///
    /// Otherwise a graph of up to 128 instructions (32 on a processor) gets a specialised pipeline when its device copy
    /// is created, which takes a moment and makes its frames several times faster. Four or more clips in a row that are
    /// inputs of one sum count as one instruction. If a character's matrices (48 bytes a joint) fit the
    /// device's workgroup memory, this pipeline does everything after the weights in one kernel, and writes nothing to
    /// memory except the batch's outputs. The bits are the same.
    bool interpret_graphs;
    /// Also creates the general kernels if `interpret_graphs` is not set, so that lmb_gpu_graph_create_interpreted()
    /// compiles none.
    bool prepare_interpreter;
    /// The number of pipelines that are kept although no object uses them ("Pipelines"). Default 8; 0 destroys a
    /// pipeline with its last user.
    uint32_t kept_pipelines;
    /// Optional: the `pNext` chain of the VkDeviceCreateInfo with which `device` was created; only read by
    /// lmb_gpu_create(), which then names a feature that the device has and the host did not enable.
    const void *enabled_features;
} lmb_gpu_def;

/// No device and no probe queue; 8 kept pipelines; no optional field is set.
LMB_API lmb_gpu_def lmb_default_gpu_def(void);

/// The result of the probe, which checks that the device computes the bits of the reference.
typedef struct lmb_gpu_probe_result {
    bool done;      ///< a probe has been run
    bool same_bits; ///< every case gave its known answer
    /// The device has shaderRoundingModeRTEFloat32, independent of other widths, and the kernels declare it.
    bool declares_rte;
    uint32_t case_count;    ///< cases run
    uint32_t failure_count; ///< cases that differ
    char failed_case[64];   ///< what the first case that differs tests
    uint32_t input_bits[2]; ///< its operands
    uint32_t expected_bits; ///< its known answer
    uint32_t actual_bits;   ///< the device's answer
} lmb_gpu_probe_result;

/// Creates pipelines and runs the probe. The host must destroy the device after this object.
///
/// Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_MEMORY, #LMB_ERROR_VULKAN, and with #LMB_ERROR_DEVICE if the device lacks
/// Vulkan 1.1, one of the two features or a kind of memory (#lmb_gpu_memory_use), or fails the probe and
/// `accept_mismatch` is not set (the message names what is missing, or the case). It sees what the physical device
/// supports, and what `device` was created with only by lmb_gpu_def.enabled_features.
LMB_API lmb_result lmb_gpu_create(const lmb_gpu_def *def, const lmb_host *host, lmb_gpu **gpu, lmb_error *error);
/// NULL is allowed. All objects created with it must have been destroyed ("Lifetimes"), and no command buffer that uses
/// it may be pending.
LMB_API void lmb_gpu_destroy(lmb_gpu *gpu);

/// Runs the probe (again): submits it once to `queue` and waits.
///
/// lmb_gpu_probed() returns the result. A device that does not give the same bits is not an error here.
LMB_API lmb_result lmb_gpu_probe(lmb_gpu *gpu, VkQueue queue, uint32_t queue_family, lmb_error *error);
/// Returns the result of the last probe.
LMB_API lmb_gpu_probe_result lmb_gpu_probed(const lmb_gpu *gpu);

/// Creates the device's copy of a graph, not yet filled, and its pipeline. The graph must outlive it.
///
/// Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_MEMORY, #LMB_ERROR_VULKAN, and with #LMB_ERROR_DEVICE if the device lacks
/// a kind of memory (#lmb_gpu_memory_use), or its workgroup memory is too small for the poses that the graph holds at
/// once (lmb_graph_info.stack). 32 KiB are always enough. 16 KiB, the minimum that Vulkan guarantees, are enough for 5
/// poses, and for more if a graph has few operations. Also with #LMB_ERROR_DEVICE if the driver limits the iterations
/// of loops, as lavapipe does, and a kernel may need more of them for the graph.
LMB_API lmb_result lmb_gpu_graph_create(lmb_gpu *gpu, const lmb_graph *graph, lmb_gpu_graph **gpu_graph,
                                        lmb_error *error);
/// Creates the device's copy of a graph as lmb_gpu_graph_create() does, without compiling a kernel for it: the general
/// kernels interpret it, with the same bits, and each frame takes longer. So a graph that was just edited shows at
/// once.
///
/// The general kernels are those of lmb_gpu_def.prepare_interpreter. Without it, and for a graph with curves of its own
/// (lmb_graph_def.curves), colliders, reached targets or many poses at once, kernels are compiled for this copy.
LMB_API lmb_result lmb_gpu_graph_create_interpreted(lmb_gpu *gpu, const lmb_graph *graph, lmb_gpu_graph **gpu_graph,
                                                    lmb_error *error);
/// Compiles the kernels of a graph that is interpreted, for lmb_gpu_graph_use_compiled(). It takes a moment, so call it
/// on another thread: meanwhile, batches of the graph may be recorded as usual.
///
/// One thread may call it for a graph at a time, and it must have returned before the graph is destroyed. A graph that
/// has its kernels, or is too long for them, stays as it is. Fails with #LMB_ERROR_ARGUMENT, and as
/// lmb_gpu_graph_create() does; the graph is still interpreted then.
LMB_API lmb_result lmb_gpu_graph_compile(lmb_gpu_graph *gpu_graph, lmb_error *error);
/// Lets frames that are recorded from now on run the graph's own kernels, if lmb_gpu_graph_compile() has finished.
/// Frames that were recorded before stay valid, and batches go on. Call it on the thread that records the batches.
///
/// Returns whether these frames run its own kernels. It never waits: call it in each frame until it returns true.
LMB_API bool lmb_gpu_graph_use_compiled(lmb_gpu_graph *gpu_graph);
/// NULL is allowed. Its batches must have been destroyed, and no command buffer that uses it may be pending.
LMB_API void lmb_gpu_graph_destroy(lmb_gpu_graph *gpu_graph);
/// Records the copy from staging memory, outside a render pass. It has the clips that were in the graph's slots when
/// lmb_gpu_graph_create() was called. Fails with #LMB_ERROR_STATE after the staging memory was released, or after a
/// change of a clip was recorded, which it would undo.
LMB_API lmb_result lmb_gpu_graph_record_upload(lmb_gpu_graph *gpu_graph, VkCommandBuffer commands, lmb_error *error);
/// Releases the staging memory. Call it when the recorded upload has completed.
///
/// A second call does nothing. Fails with #LMB_ERROR_STATE if no upload was recorded.
LMB_API lmb_result lmb_gpu_graph_uploaded(lmb_gpu_graph *gpu_graph, lmb_error *error);

/// Copies a clip's block to host-visible memory, for lmb_gpu_graph_record_clip(). The clip need not outlive the call.
///
/// Makes one buffer of the size of the block (lmb_clip_block()), so do not call it within a frame; another thread, such
/// as one that loads files, may call it meanwhile. Fails with #LMB_ERROR_ARGUMENT, #LMB_ERROR_MEMORY,
/// #LMB_ERROR_VULKAN, and with #LMB_ERROR_DEVICE if the device has no host-visible memory for buffers.
LMB_API lmb_result lmb_gpu_clip_create(lmb_gpu *gpu, const lmb_clip *clip, lmb_gpu_clip **gpu_clip, lmb_error *error);
/// NULL is allowed. No command buffer that copies it may be pending. Slots into which it was copied keep their copies.
LMB_API void lmb_gpu_clip_destroy(lmb_gpu_clip *gpu_clip);

/// Records, outside a render pass, that a clip takes the place of what is in its slot of the device's copy of a graph
/// (clip_slot.h); NULL empties the slot. `index` is that of the graph's clip.
///
/// The change is a command like any other. Frames submitted to the queue before it read what was in the slot until they
/// are done, and frames submitted after it the new clip, whenever each was recorded. So frames that are recorded but
/// not yet submitted need not be recorded again, and nobody waits for frames in flight. The commands are:
/// - A barrier from earlier compute shaders and transfers to transfers: the copy starts when all earlier compute work
///   of the queue is done with the slot.
/// - A copy of the clip's block into the slot, none for NULL, and an update of one word, the slot's offset.
/// - A barrier from transfers to compute shaders: later compute work starts when the copy is done.
///
/// So the device's compute work stops for the time of the copy: its bytes, read over the bus. Changes that are recorded
/// one after another stop it once. The slot has one block, in the device's copy of the graph, and no second one while
/// frames are in flight. `gpu_clip` is read when the commands run; destroy it once they have completed. It may be
/// copied into several slots and graphs. Another queue needs the host's own semaphores, as for an upload.
///
/// The graph itself does not change: call lmb_graph_set_clip() too if the CPU runs it, or if other device copies will
/// be made from it. Allocates nothing. Fails with #LMB_ERROR_STATE if the graph's upload has not been recorded, and as
/// lmb_graph_set_clip() does. Then nothing is recorded.
LMB_API lmb_result lmb_gpu_graph_record_clip(lmb_gpu_graph *gpu_graph, uint32_t index, const lmb_gpu_clip *gpu_clip,
                                             VkCommandBuffer commands, lmb_error *error);

/// The size and outputs of a batch. Start from lmb_default_gpu_batch_def().
typedef struct lmb_gpu_batch_def {
    lmb_gpu_graph *graph;     ///< must outlive the batch
    uint32_t character_count; ///< 1 or more
    uint32_t outputs;         ///< LMB_OUTPUT_..._BIT bits
    uint32_t slot_count; ///< frame slots, that is frames in flight: 1 to 8; each has its own parameters and outputs
    /// The largest size in bytes of a buffer of outputs or of inertialization. A batch that needs more is split into
    /// spans of characters. 0 takes 256 MiB, or the device's maxMemoryAllocationSize if that is less.
    ///
    /// The size is rounded down to a multiple of one character's size in the largest of these buffers: an output, model
    /// matrices, inertialization, weights (64 bytes for each use of a clip, and 4 for each weight), or exchange areas
    /// (lmb_graph_info.exchange_count). A size below that of one character is refused.
    VkDeviceSize span_bytes;
    /// The host binds spans as storage buffers: no span of the batch exceeds the device's maxStorageBufferRange.
    /// `span_bytes` is lowered to it. What is always one span, such as lmb_gpu_batch_motions(), must fit into that
    /// limit as well, and `span_bytes` is none for it.
    bool binds_spans;
    /// All characters are in one span, or creation fails. With a `span_bytes` of 0, it may take
    /// maxMemoryAllocationSize.
    bool one_span;
    // Only for a graph that has a control (lmb_graph_info.state_words):
    uint32_t events_a_frame; ///< most events that can be sent in a frame, to all characters together
    bool emits_events;       ///< keeps emitted events, in one buffer for each frame slot
    // For any graph:
    /// The most characters that can be placed, respawned, moved or restored in a frame; a number above
    /// `character_count` counts as that. Each takes scratch memory for all that is kept of a character, palettes
    /// included if there is a previous one.
    uint32_t changes_a_frame;
    /// The most characters that can be restored in a frame, each of which is a change too. Each takes memory for all
    /// that is kept of a character, in each frame slot.
    uint32_t restored_a_frame;
    /// For a graph with a character motion: nodes in world space (ik.h) take each character's transform from its own
    /// motion, of the frame that runs, unless lmb_gpu_batch_bind_transforms() binds others for a slot. The control
    /// writes them, so a frame with lmb_gpu_record_info.poses_alone needs others. lmb_gpu_batch_matrices() has them.
    bool own_transforms;
    /// Optional, for a graph with a character motion: lmb_motion [character_count], where the characters begin. Read
    /// while the batch is created. Otherwise they begin at the origin.
    const lmb_motion *motions;
} lmb_gpu_batch_def;

/// No graph, 0 characters, palette only, 2 frame slots, default span, as many spans as needed, which need not fit a
/// descriptor; 1,024 events a frame, keeps no emitted events; 256 changes a frame, none restored; no transforms of its
/// own; no motions.
LMB_API lmb_gpu_batch_def lmb_default_gpu_batch_def(void);

/// Creates all buffers.
///
/// Fails with #LMB_ERROR_ARGUMENT (also for a motion that lmb_state_set_motion() refuses: the message says which; for
/// `own_transforms` without a character motion; and for `emits_events` without a control),
/// #LMB_ERROR_LIMIT (one character does not fit a span, `one_span` or `binds_spans` cannot be kept, the parameters or
/// changes exceed maxMemoryAllocationSize, or characters times joints are 2^31 or more), #LMB_ERROR_MEMORY,
/// #LMB_ERROR_VULKAN, #LMB_ERROR_DEVICE (the device lacks a kind of memory; or the driver limits the iterations of
/// loops, as lavapipe does, and a part of the graph's control, or `events_a_frame`, may need more).
LMB_API lmb_result lmb_gpu_batch_create(lmb_gpu *gpu, const lmb_gpu_batch_def *def, lmb_gpu_batch **batch,
                                        lmb_error *error);
/// NULL is allowed. Its readbacks must have been destroyed, and no command buffer that uses it may be pending.
LMB_API void lmb_gpu_batch_destroy(lmb_gpu_batch *batch);

/// Returns the batch's description (batch.h), to run the same batch on the CPU and to compare.
LMB_API lmb_batch_def lmb_gpu_batch_description(const lmb_gpu_batch *batch);

/// Returns the parameters of a frame slot: mapped memory, float [C][lmb_graph_info.parameter_count].
///
/// The host fills it before it submits the commands recorded for that slot, and must not change it until they have
/// completed. At first its content is undefined; it keeps what the host writes. The control writes the graph's own
/// parameters elsewhere, so the host need not write them, except with lmb_gpu_record_info.poses_alone. NULL if the slot
/// does not exist, which is logged ("Wrong indices"), or the graph has no parameters.
///
/// It may be memory of the device (#LMB_GPU_MEMORY_DIRECT), which kernels read without a copy. Such memory is slow to
/// read and fast to write in order: write whole rows, one after another, and compute elsewhere what is changed twice.
LMB_API float *lmb_gpu_batch_parameters(lmb_gpu_batch *batch, uint32_t slot);
/// Copies the parameters of characters [first, first + count) to a frame slot. `rows` are float [count][length].
///
/// Unlike memcpy() it checks: it fails with #LMB_ERROR_ARGUMENT if there is no such slot or character, or `length` is
/// not lmb_graph_info.parameter_count. Then nothing is written.
LMB_API lmb_result lmb_gpu_batch_write_parameters(lmb_gpu_batch *batch, uint32_t slot, uint32_t first, uint32_t count,
                                                  const float *rows, uint32_t length, lmb_error *error);

/// Binds a pose buffer for a frame slot, for commands recorded afterwards.
///
/// `address` is that of float [C][lmb_graph_pose_floats()], laid out as batch.h says, aligned to 4, in a buffer of the
/// host created with VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT and VK_BUFFER_USAGE_STORAGE_BUFFER_BIT. Nothing may
/// write it while the kernels run, so it must not overlap an output of this frame. Fails with #LMB_ERROR_ARGUMENT if
/// the slot does not exist, the graph does not have the pose buffer (lmb_graph_info.pose_count), or the address is 0 or
/// not aligned.
LMB_API lmb_result lmb_gpu_batch_bind_pose(lmb_gpu_batch *batch, uint32_t slot, uint32_t pose, VkDeviceAddress address,
                                           lmb_error *error);

/// Bind the points of targets (ik.h), and the world transforms, for a frame slot, for commands recorded afterwards.
/// lmb_gpu_batch_def.own_transforms needs no transforms from the host.
///
/// The addresses are those of float [C][lmb_graph_info.point_count][4] and of float [C][3][4], laid out as batch.h
/// says, aligned to 16, in buffers of the host created as for lmb_gpu_batch_bind_pose(). The host writes them before it
/// submits, or compute shaders or copies write them, earlier on the same queue; nothing may write them while the
/// kernels run. Fail with #LMB_ERROR_ARGUMENT if the slot does not exist, the graph reads no points or no world
/// transforms (lmb_graph_info.point_count, lmb_graph_info.uses_transforms), or the address is 0 or not aligned.
LMB_API lmb_result lmb_gpu_batch_bind_points(lmb_gpu_batch *batch, uint32_t slot, VkDeviceAddress points,
                                             lmb_error *error);
LMB_API lmb_result lmb_gpu_batch_bind_transforms(lmb_gpu_batch *batch, uint32_t slot, VkDeviceAddress transforms,
                                                 lmb_error *error);

/// What lmb_gpu_batch_record() records. Start from lmb_default_gpu_record_info().
typedef struct lmb_gpu_record_info {
    VkCommandBuffer commands; ///< recording, outside a render pass, on a family with compute
    uint32_t slot;            ///< frame slot
    /// For #LMB_OUTPUT_PREVIOUS_PALETTE_BIT. If set, the previous palette is the one that slot `previous_slot` contains
    /// when the commands run. It may be the same slot: the palette is copied before it is overwritten. That slot must
    /// have been recorded before, in commands that have completed or were submitted to the same queue earlier. If not
    /// set, the previous palette is this frame's palette.
    bool has_previous_slot;
    uint32_t previous_slot;
    /// Optional: runs only the characters in a list. 0: all characters.
    ///
    /// `list` is the address of uint32_t [list_capacity], indices of the batch's characters in any order. `list_count`
    /// is the address of one uint32_t, the number of indices. Both are aligned to 4, in buffers of the host created as
    /// for lmb_gpu_batch_bind_pose(). The host writes them before it submits, or compute shaders or copies write them,
    /// earlier on the same queue; nothing may write them until the commands have completed. Characters that are not
    /// listed cost nothing except for their control, and their outputs stay as they are in the slot.
    /// The order changes no result. Neighbours that weigh the same clips take less time.
    ///
    /// A character that is listed twice is run twice. This is not allowed with a previous palette of the same slot, nor
    /// if lmb_graph_info.inertia_words is not 0, because both runs would change what is kept for the character's
    /// joints: its results would then be undefined. An index outside the batch is ignored and counted as
    /// #LMB_REFUSED_CHARACTER. A count above the capacity is counted so once, and replaced by the capacity.
    VkDeviceAddress list;
    VkDeviceAddress list_count;
    uint32_t list_capacity; ///< at most the batch's characters
    // Only for a graph that has a control, which advances every character before its poses, even if a list does not
    // name it:
    uint64_t step;   ///< ticks, at most #LMB_MAX_STEP_TICKS
    uint32_t number; ///< of the frame; counts up by one, and wraps
    /// Does not run the control: all parameters, including the graph's own, are as the host wrote them. For hosts that
    /// call lmb_control_run() themselves.
    bool poses_alone;
    lmb_gpu_profile *profile; ///< optional: times each stage, in the profile's slot `slot`, which must have begun
    /// Characters [0, character_count) run; 0: all of the batch. What is kept of the others stays as it is, and their
    /// outputs, motions and emitted events in the slot are not written. An event for one of them is lost, and a list
    /// must not have it, as it must not have an index outside the batch.
    uint32_t character_count;
} lmb_gpu_record_info;

/// Frame slot 0, all characters, no step, no profile; a command buffer is needed.
LMB_API lmb_gpu_record_info lmb_default_gpu_record_info(void);

/// Records one frame of the batch.
///
/// Fails with #LMB_ERROR_STATE if the graph's upload has not been recorded, a pose buffer, the points or the world
/// transforms are not bound (transforms: unless they are the batch's own), the previous frame's slot has not been
/// recorded, no probe has passed and `accept_mismatch` is not set, the profile's slot has not begun, or a batch of
/// lmb_gpu_batch_reload() begins with another slot than it asked for; with #LMB_ERROR_ARGUMENT if a slot does not
/// exist, there is no command buffer, the characters exceed those of the batch, the address of a list or its count is 0
/// or not aligned, its capacity exceeds the characters, or the step is too long; and with #LMB_ERROR_LIMIT if the
/// profile has too few marks.
LMB_API lmb_result lmb_gpu_batch_record(lmb_gpu_batch *batch, const lmb_gpu_record_info *info, lmb_error *error);

/// Consecutive characters whose outputs are in one buffer.
typedef struct lmb_gpu_span {
    VkBuffer buffer; ///< usable as storage, vertex, transfer source and transfer destination buffer, and by address
    /// Of the first character: a multiple of 256, which fits every minStorageBufferOffsetAlignment.
    VkDeviceSize offset;
    VkDeviceSize size;       ///< bytes
    VkDeviceAddress address; ///< of the first character
    uint32_t first_character;
    uint32_t character_count;
} lmb_gpu_span;

/// Returns the number of spans into which each output is split. All of them but the last have the same number of
/// characters.
LMB_API uint32_t lmb_gpu_batch_span_count(const lmb_gpu_batch *batch);
/// Returns where an output is stored.
///
/// False, and a zero span, if the batch does not request the output, or an index is out of range. For an output without
/// floats (lmb_batch_output_floats()): true, with a size of 0 and no buffer.
LMB_API bool lmb_gpu_batch_output(const lmb_gpu_batch *batch, uint32_t slot, lmb_output output, uint32_t span,
                                  lmb_gpu_span *found);
/// Returns where the words that inertialization keeps for a span's characters are stored: uint32_t
/// [C][lmb_graph_info.inertia_words], see inertia.h.
///
/// It is one buffer for all frame slots; each frame continues from the words of the frame before. So submit frames to
/// one queue in the order in which they are to run, or order them with semaphores. To save the words copy them from the
/// buffer, to restore them copy them to it, between frames, ordered by the host's barriers or semaphores. The first
/// frame recorded begins by zeroing the buffer: submit it once and before all others, and copy what is to be restored
/// after it. False, and a zero span, if lmb_graph_info.inertia_words is 0 or there is no such span.
LMB_API bool lmb_gpu_batch_inertia(const lmb_gpu_batch *batch, uint32_t span, lmb_gpu_span *inertia);
/// Returns where the words are stored that say which nodes reach their targets (ik.h, "Reached"): uint32_t
/// [C][lmb_graph_info.reached_count], as one span.
///
/// It is one buffer for all frame slots, as lmb_gpu_batch_inertia() is, and zeroed likewise. Zero if there are none.
LMB_API lmb_gpu_span lmb_gpu_batch_reached(const lmb_gpu_batch *batch);
/// Sends an event to a character with the next frame recorded for that slot. #LMB_EVENT_RESET begins the character
/// anew.
///
/// Earlier commands of this slot must have completed. Fails with #LMB_ERROR_ARGUMENT if there is no such slot,
/// character or event, or the graph has no control, and with #LMB_ERROR_LIMIT, without sending the event, beyond
/// lmb_gpu_batch_def.events_a_frame.
LMB_API lmb_result lmb_gpu_batch_send(lmb_gpu_batch *batch, uint32_t slot, uint32_t character, uint32_t event,
                                      lmb_error *error);
/// Moves a character to a position and orientation with the next frame recorded for that slot, also before its first
/// one, and one that does not run; nothing else of it changes. lmb_state_set_motion() does it on the CPU, with the
/// same bits.
///
/// See "Characters" at the top of this file. This and the next two fail with #LMB_ERROR_ARGUMENT if there is no such
/// slot or character, or a motion is given and the graph has no character motion, or lmb_state_set_motion() refuses
/// it; and with #LMB_ERROR_LIMIT beyond lmb_gpu_batch_def.changes_a_frame. Then nothing changes.
LMB_API lmb_result lmb_gpu_batch_place(lmb_gpu_batch *batch, uint32_t slot, uint32_t character,
                                       const lmb_motion *motion, lmb_error *error);
/// Begins a character anew with the next frame recorded for that slot, at a position and orientation, as
/// lmb_characters_respawn() does (snapshot.h). `motion` may be NULL: at the origin. Its previous palette is the one of
/// this frame. #LMB_EVENT_RESET, in contrast, keeps its position, phase of updates, chains and feet.
LMB_API lmb_result lmb_gpu_batch_respawn(lmb_gpu_batch *batch, uint32_t slot, uint32_t character,
                                         const lmb_motion *motion, lmb_error *error);
/// Copies all that is kept of row `from` to row `to` with the next frame recorded for that slot, as
/// lmb_characters_move() does (snapshot.h); `from` keeps it. It takes along the words of lmb_gpu_batch_state(),
/// lmb_gpu_batch_inertia() and lmb_gpu_batch_reached(), and the previous palette of that frame.
///
/// Rows of inputs (parameters, events, lists, points, world transforms, pose buffers) are those of the new row. Outputs
/// of earlier frames, other than the previous palette, stay where they are.
LMB_API lmb_result lmb_gpu_batch_move(lmb_gpu_batch *batch, uint32_t slot, uint32_t from, uint32_t to,
                                      lmb_error *error);
/// Restores a snapshot with the next frame recorded for that slot: all that is kept of its characters, as
/// lmb_snapshot_restore() does, for a rollback. Previous palettes stay: they are what was shown last.
///
/// `bytes`, aligned to 4, are read by the call. `characters` are uint32_t [characters of the snapshot], the row of
/// each; NULL: the first rows. The words are not checked: one that comes from a file or a network first needs
/// lmb_snapshot_check(). Fails as lmb_snapshot_open() does; with #LMB_ERROR_FORMAT if the snapshot belongs to another
/// graph; with #LMB_ERROR_ARGUMENT if there is no such slot or character; and with #LMB_ERROR_LIMIT beyond
/// lmb_gpu_batch_def.restored_a_frame or changes_a_frame. Then nothing changes.
LMB_API lmb_result lmb_gpu_batch_restore(lmb_gpu_batch *batch, uint32_t slot, const void *bytes, size_t size,
                                         const uint32_t *characters, lmb_error *error);
/// Returns where the states of the control are stored, uint32_t [C][lmb_graph_info.state_words], as one span.
///
/// Each frame continues from the states of the frame before. So submit frames to one queue in the order in which they
/// are to run, or order them with semaphores. To save states copy them from the buffer, to restore them copy them to
/// it, between frames, ordered by the host's barriers or semaphores. The first frame recorded begins by zeroing them:
/// submit it once and before all others, and copy what is to be restored after it. Zero if the graph has no control.
LMB_API lmb_gpu_span lmb_gpu_batch_state(const lmb_gpu_batch *batch);
/// Returns where the events emitted by a frame slot's frame are stored, uint32_t [C][lmb_graph_info.emitted_words], as
/// one span. Zero if none are kept, or there is no such slot.
LMB_API lmb_gpu_span lmb_gpu_batch_emitted(const lmb_gpu_batch *batch, uint32_t slot);
/// Returns where the positions and orientations after a frame slot's frame are stored, float
/// [C][lmb_graph_info.motion_floats], as one span.
///
/// Zero if there is no character motion, or no such slot. lmb_gpu_batch_place() moves a character elsewhere.
LMB_API lmb_gpu_span lmb_gpu_batch_motions(const lmb_gpu_batch *batch, uint32_t slot);
/// Returns where the matrices of these positions and orientations are stored, float [C][3][4], as one span: from model
/// space to the world, with the bits of lmb_control_frame.matrices.
///
/// Zero, which is logged, without lmb_gpu_batch_def.own_transforms, or if there is no such slot.
LMB_API lmb_gpu_span lmb_gpu_batch_matrices(const lmb_gpu_batch *batch, uint32_t slot);
/// Returns where the frame slot's refusal counters are stored, uint32_t [#LMB_REFUSAL_COUNT], as one span. They are
/// zeroed and counted anew in each frame.
LMB_API lmb_gpu_span lmb_gpu_batch_refused(const lmb_gpu_batch *batch, uint32_t slot);

/// @}

#ifdef __cplusplus
}
#endif

#endif
