// Shared by the files of the GPU side: the host's device with its functions, buffers and pipelines.
#ifndef LIMBER_SRC_GPU_GPU_H
#define LIMBER_SRC_GPU_GPU_H

#include "base/host.h"
#include "gpu/spirv/spirv.h"
#include "workgroup.h"

#include <limber/gpu.h>
#include <stdatomic.h>

// Every Vulkan function that the library calls, loaded through the host's vkGetInstanceProcAddr.
#define LMB_INSTANCE_FUNCTIONS(X)                                                                                      \
    X(GetDeviceProcAddr)                                                                                               \
    X(GetPhysicalDeviceProperties2)                                                                                    \
    X(GetPhysicalDeviceFeatures2)                                                                                      \
    X(GetPhysicalDeviceMemoryProperties)                                                                               \
    X(GetPhysicalDeviceQueueFamilyProperties)

#define LMB_DEVICE_FUNCTIONS(X)                                                                                        \
    X(CreateBuffer)                                                                                                    \
    X(DestroyBuffer)                                                                                                   \
    X(GetBufferMemoryRequirements)                                                                                     \
    X(AllocateMemory)                                                                                                  \
    X(FreeMemory)                                                                                                      \
    X(MapMemory)                                                                                                       \
    X(BindBufferMemory)                                                                                                \
    X(CreateShaderModule)                                                                                              \
    X(DestroyShaderModule)                                                                                             \
    X(CreatePipelineLayout)                                                                                            \
    X(DestroyPipelineLayout)                                                                                           \
    X(CreateComputePipelines)                                                                                          \
    X(DestroyPipeline)                                                                                                 \
    X(CreateCommandPool)                                                                                               \
    X(DestroyCommandPool)                                                                                              \
    X(AllocateCommandBuffers)                                                                                          \
    X(BeginCommandBuffer)                                                                                              \
    X(EndCommandBuffer)                                                                                                \
    X(CreateFence)                                                                                                     \
    X(DestroyFence)                                                                                                    \
    X(WaitForFences)                                                                                                   \
    X(QueueWaitIdle)                                                                                                   \
    X(QueueSubmit)                                                                                                     \
    X(CmdBindPipeline)                                                                                                 \
    X(CmdPushConstants)                                                                                                \
    X(CmdDispatch)                                                                                                     \
    X(CmdDispatchIndirect)                                                                                             \
    X(CmdPipelineBarrier)                                                                                              \
    X(CmdCopyBuffer)                                                                                                   \
    X(CmdUpdateBuffer)                                                                                                 \
    X(CmdFillBuffer)                                                                                                   \
    X(CmdWriteTimestamp)                                                                                               \
    X(CmdResetQueryPool)                                                                                               \
    X(CreateQueryPool)                                                                                                 \
    X(DestroyQueryPool)                                                                                                \
    X(GetQueryPoolResults)

// Loaded if the host says that the instance has VK_EXT_debug_utils.
#define LMB_DEBUG_FUNCTIONS(X)                                                                                         \
    X(SetDebugUtilsObjectNameEXT)                                                                                      \
    X(CmdBeginDebugUtilsLabelEXT)                                                                                      \
    X(CmdEndDebugUtilsLabelEXT)

typedef struct lmb_gpu_functions {
#define LMB_DECLARE(name) PFN_vk##name name;
    LMB_INSTANCE_FUNCTIONS(LMB_DECLARE)
    LMB_DEVICE_FUNCTIONS(LMB_DECLARE)
    LMB_DEBUG_FUNCTIONS(LMB_DECLARE)
#undef LMB_DECLARE
    PFN_vkGetBufferDeviceAddress GetBufferDeviceAddress; // of Vulkan 1.2, or of VK_KHR_buffer_device_address
    bool has_1_2;                                        // the first of both
} lmb_gpu_functions;

// Kinds of objects that another object creates and that use it, so that they must be destroyed before it.
typedef enum lmb_gpu_child {
    LMB_GPU_CHILD_GRAPH,
    LMB_GPU_CHILD_CLIP,
    LMB_GPU_CHILD_BATCH,
    LMB_GPU_CHILD_PROFILE,
    LMB_GPU_CHILD_READBACK,
    LMB_GPU_CHILD_SKIN,
    LMB_GPU_CHILD_RAGDOLL,
    LMB_GPU_CHILD_COUNT
} lmb_gpu_child;

// The children of an object that exist. Several threads may create and destroy them.
typedef struct lmb_gpu_children {
    atomic_uint counts[LMB_GPU_CHILD_COUNT];
} lmb_gpu_children;

typedef enum lmb_kernel {
    LMB_KERNEL_WEIGHTS,
    LMB_KERNEL_POSE,
    LMB_KERNEL_CHANNELS,
    LMB_KERNEL_LIST,
    LMB_KERNEL_MODEL,
    LMB_KERNEL_PROBE,
    LMB_KERNEL_COUNT
} lmb_kernel;

// The pipelines that objects of a gpu share (pipelines.c).
typedef struct lmb_gpu_pipelines lmb_gpu_pipelines;

struct lmb_gpu {
    lmb_host host;
    lmb_gpu_functions vk;
    VkPhysicalDevice physical_device;
    VkDevice device;
    VkAllocationCallbacks callbacks;
    const VkAllocationCallbacks *allocator; // &callbacks or NULL
    lmb_gpu_memory_hooks hooks;             // allocate is NULL if the host gave none
    uint32_t *queue_families;
    uint32_t queue_family_count;
    bool debug_utils;
    bool accept_mismatch;
    bool interpret_graphs;
    VkPipelineCache pipeline_cache;
    VkPhysicalDeviceMemoryProperties memory;
    VkDeviceSize largest_allocation;
    VkDeviceSize largest_range; // of a storage buffer in a descriptor
    double timestamp_period;    // nanoseconds
    lmb_gpu_limits limits;
    uint32_t interpreted_poses; // room of the kernel that interprets graphs, if it exists
    VkPipelineLayout layout;
    lmb_gpu_pipelines *shared;              // all pipelines, those below too
    VkPipeline pipelines[LMB_KERNEL_COUNT]; // those that interpret graphs only if they are prepared
    VkPipeline full_weights; // with the code that few graphs need, for graphs that are interpreted; or VK_NULL_HANDLE
    lmb_gpu_probe_result probe;
    lmb_gpu_children children;
};

#define LMB_GPU_MOST_SLOTS 8u // of frames
// Kernels index words of a buffer, and joints, with signed 32-bit integers, as SPIR-V does.
#define LMB_GPU_MOST_WORDS ((uint64_t)1 << 31)
#define LMB_GPU_GROUP 64u // invocations per workgroup, except in shaders/character_specialized.comp

// Fails unless `owner` has the frame slot: "OWNER: frame slot 9 is not one of 2".
lmb_result lmb_gpu_check_slot(const char *owner, uint32_t slot, uint32_t count, lmb_error *error);

// Returns LMB_ERROR_VULKAN, with a message that names the call and the result.
lmb_result lmb_gpu_fail(lmb_error *error, const char *call, VkResult result);

// Fails unless an object that `owner` is to use belongs to its gpu: "OWNER: the OBJECT belongs to another gpu".
lmb_result lmb_gpu_check_owner(const lmb_gpu *gpu, const lmb_gpu *of_object, const char *owner, const char *object,
                               lmb_error *error);

// Count a child that was created, or destroyed.
void lmb_gpu_add_child(lmb_gpu_children *children, lmb_gpu_child child);
void lmb_gpu_remove_child(lmb_gpu_children *children, lmb_gpu_child child);
// Returns whether there are no children. If there are some, logs that `object` is not destroyed, and what it has.
bool lmb_gpu_is_childless(const lmb_gpu *gpu, const lmb_gpu_children *children, const char *object);

typedef struct lmb_gpu_buffer {
    VkBuffer buffer;
    lmb_gpu_memory memory;
    bool has_memory;
    VkDeviceSize size;
    VkDeviceAddress address;
    const char *name;
} lmb_gpu_buffer;

// Creates a buffer. One that the host accesses is mapped. One for uploads or readbacks can only be copied from and to.
// Any other has a device address and can be a storage, vertex, indirect, copy source and copy destination buffer.
// `name` must be static; debuggers and byte counts show it. On failure nothing is left allocated.
lmb_result lmb_gpu_buffer_create(lmb_gpu *gpu, VkDeviceSize size, lmb_gpu_memory_use use, const char *name,
                                 lmb_gpu_buffer *buffer, lmb_error *error);

// Creates several buffers. After a failure it creates no more.
typedef struct lmb_gpu_maker {
    lmb_gpu *gpu;
    lmb_error *error;
    lmb_result result;
} lmb_gpu_maker;

// Creates a buffer as lmb_gpu_buffer_create() does, unless the size is 0.
void lmb_gpu_make(lmb_gpu_maker *maker, VkDeviceSize size, lmb_gpu_memory_use use, const char *name,
                  lmb_gpu_buffer *buffer);

// Returns the part of a buffer's description that hosts see.
lmb_gpu_span lmb_gpu_span_of(const lmb_gpu_buffer *buffer, uint32_t first_character, uint32_t character_count);

// Accepts a zeroed buffer.
void lmb_gpu_buffer_destroy(lmb_gpu *gpu, lmb_gpu_buffer *buffer);

// Functions that objects call with each of their buffers; `user` of the second one is the gpu.
typedef void lmb_gpu_buffer_visitor(void *user, lmb_gpu_buffer *buffer);
void lmb_gpu_buffer_destroy_visited(void *user, lmb_gpu_buffer *buffer);

// The specialisation constants of pipelines, in the order of their constant_ids. shaders/ops/language.h,
// shaders/ops/control_memory.h and shaders/character_specialized.comp declare them.
typedef struct lmb_kernel_constants {
    VkBool32 cubic;
    VkBool32 scale;
    VkBool32 far;
    VkBool32 packed;
    uint32_t invocations;
    uint32_t joints;
    uint32_t characters;
    VkBool32 walks;
    VkBool32 weights;
    VkBool32 parts;
    VkBool32 lod;
    VkBool32 matrices;
    uint32_t poses;
    VkBool32 inertia;
    VkBool32 spaces;
    VkBool32 exchanges;
    VkBool32 profiles;
    VkBool32 points;
    VkBool32 chains;
    VkBool32 retargets;
    VkBool32 motion;
    VkBool32 warps;
    VkBool32 full_rotation;
    VkBool32 groups;
    VkBool32 interpolates;
    VkBool32 curves;
    VkBool32 motion_rules;
    VkBool32 frame_parts;
    uint32_t weighed;
    uint32_t block;
    VkBool32 travel;
    VkBool32 starts;
    VkBool32 colliders;
    VkBool32 player_options;
    VkBool32 reached;
    VkBool32 user_curves;
    VkBool32 detached;
    VkBool32 decisions;
    VkBool32 matching;
    uint32_t ahead_sources;
    uint32_t ahead_weights;
} lmb_kernel_constants;

// Bytes of workgroup memory for each pose that shaders/pose.comp has room for.
#define LMB_GPU_POSE_BYTES (11u * sizeof(float) * LMB_GPU_GROUP)

// What few graphs need of the kernels that others share.
typedef struct lmb_graph_needs {
    bool spaces; // layers or blend spaces in the plane
    bool points; // points that stage 1 finds
    bool user_curves;
    bool colliders; // of chains
    bool reached;
    bool detached; // ends of limbs
} lmb_graph_needs;

// Creates the weights kernel for a graph with such needs.
lmb_result lmb_gpu_weights_create(lmb_gpu *gpu, lmb_graph_needs needs, VkPipeline *pipeline, lmb_error *error);

// Creates the float channel kernel for a graph that needs no more than the constants say.
lmb_result lmb_gpu_channels_create(lmb_gpu *gpu, lmb_kernel_constants constants, VkPipeline *pipeline,
                                   lmb_error *error);

// Creates the kernel that interprets graphs, with room for `poses` poses. Fails as lmb_gpu_pipeline_create() does.
lmb_result lmb_gpu_interpreter_create(lmb_gpu *gpu, uint32_t poses, lmb_graph_needs needs, VkPipeline *pipeline,
                                      lmb_error *error);

// Returns a copy of a module without the code that the constants disable, for all programs or, if `block` is not NULL,
// for the one with this block. Declares rounding if the device supports that.
lmb_result lmb_gpu_specialize(lmb_gpu *gpu, const uint32_t *words, size_t count, lmb_kernel_constants constants,
                              const lmb_spirv_block *block, lmb_spirv *module, lmb_error *error);

// Creates the table of pipelines. It keeps up to `kept` pipelines that nothing uses.
lmb_result lmb_gpu_pipelines_create(lmb_gpu *gpu, uint32_t kept, lmb_error *error);
// Destroys it with all pipelines. Accepts a gpu that has none.
void lmb_gpu_pipelines_destroy(lmb_gpu *gpu);

// These return a compute pipeline, to which the caller holds a reference until it calls lmb_gpu_pipeline_release(). If
// the gpu has the pipeline already, the caller shares it. Several threads may call them. On failure `pipeline` is
// VK_NULL_HANDLE.

// Returns that of a kernel of the library for all programs: specialises a copy. `words` must be static.
lmb_result lmb_gpu_pipeline_create(lmb_gpu *gpu, const uint32_t *words, size_t count, lmb_kernel_constants constants,
                                   const char *name, VkPipeline *pipeline, lmb_error *error);

// Returns that of a specialised module, which need not outlive the call.
lmb_result lmb_gpu_pipeline_create_from(lmb_gpu *gpu, const lmb_spirv *module, lmb_kernel_constants constants,
                                        const char *name, VkPipeline *pipeline, lmb_error *error);

// Accepts VK_NULL_HANDLE. No pending command buffer may use the pipeline, unless others hold it too.
void lmb_gpu_pipeline_release(lmb_gpu *gpu, VkPipeline pipeline);

// Fails if the driver ends loops of an invocation before it has run so many iterations.
lmb_result lmb_gpu_check_loops(const lmb_gpu *gpu, const char *kernel, uint64_t loops, lmb_error *error);

// Counts the loops of a kernel that exists without a graph (lmb_spirv_count_loops()).
lmb_result lmb_gpu_count_loops(const lmb_gpu *gpu, lmb_kernel kernel, uint32_t *loops, lmb_error *error);

// Fails unless the upload of the graph has been recorded.
lmb_result lmb_gpu_check_upload(const lmb_gpu_graph *graph, const char *owner, lmb_error *error);

// Fails unless the probe has passed on the device, or need not.
lmb_result lmb_gpu_check_probe(const lmb_gpu *gpu, const char *owner, lmb_error *error);

// Records a memory barrier from the first stages and accesses to the second ones.
void lmb_gpu_barrier(const lmb_gpu *gpu, VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags from_access,
                     VkPipelineStageFlags to, VkAccessFlags to_access);

// Binds a pipeline, pushes its constants and dispatches at least `groups` workgroups.
void lmb_gpu_dispatch(const lmb_gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline, const void *push,
                      uint32_t size, uint64_t groups);

// Does the same with exactly so many workgroups, in rows.
void lmb_gpu_dispatch_rows(const lmb_gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline, const void *push,
                           uint32_t size, uint32_t columns, uint32_t rows);

// Does the same with the number of workgroups from three words at `offset` of the buffer.
void lmb_gpu_dispatch_indirect(const lmb_gpu *gpu, VkCommandBuffer commands, VkPipeline pipeline, const void *push,
                               uint32_t size, VkBuffer arguments, VkDeviceSize offset);

// For debuggers; does nothing without VK_EXT_debug_utils.
void lmb_gpu_name(const lmb_gpu *gpu, VkObjectType type, uint64_t handle, const char *name);
void lmb_gpu_begin_label(const lmb_gpu *gpu, VkCommandBuffer commands, const char *name);
void lmb_gpu_end_label(const lmb_gpu *gpu, VkCommandBuffer commands);

struct lmb_gpu_graph {
    lmb_gpu *gpu;
    const lmb_graph *graph;
    lmb_gpu_buffer buffer;
    lmb_gpu_buffer staging;
    VkPipeline weights;      // if the gpu has no kernel for the needs of the graph
    VkPipeline channels;     // if the rig has float channels, and the gpu has no kernel for any graph
    VkPipeline steps;        // the specialised kernel of this graph, or VK_NULL_HANDLE if it is interpreted
    VkPipeline interpreter;  // an interpreter of its own, if that of the gpu is missing or too small, or VK_NULL_HANDLE
    lmb_gpu_workgroup shape; // of `steps` if that runs all stages; characters is 0 if it runs the pose only
    bool interprets;         // rather than compile kernels
    // What lmb_gpu_graph_compile() has created, once `is_compiled`. It takes the place of the above when the host says.
    VkPipeline compiled_steps, compiled_channels;
    lmb_gpu_workgroup compiled_shape;
    atomic_bool is_compiled;
    bool recorded;
    bool changed; // a change of a clip was recorded
    lmb_gpu_children children;
};

// Returns the kernel that finds the weights of a graph.
VkPipeline lmb_gpu_graph_weights(const lmb_gpu_graph *gpu_graph);

// The frame that was recorded last in a frame slot of a batch.
typedef struct lmb_gpu_recorded {
    uint64_t serial; // counts the batch's frames from 1; 0 if none was recorded
    uint32_t number; // the host's
    bool ran_control;
    uint32_t character_count; // that ran
} lmb_gpu_recorded;

// These describe a batch to what reads it back, or makes it again (batch.c).
lmb_gpu *lmb_gpu_batch_gpu(const lmb_gpu_batch *batch);
lmb_gpu_children *lmb_gpu_batch_children(const lmb_gpu_batch *batch);
uint32_t lmb_gpu_batch_slot_count(const lmb_gpu_batch *batch);
lmb_gpu_recorded lmb_gpu_batch_recorded(const lmb_gpu_batch *batch, uint32_t slot);
lmb_gpu_batch_def lmb_gpu_batch_made_by(const lmb_gpu_batch *batch); // without motions
// Refuses a first frame of any other slot.
void lmb_gpu_batch_begin_with(lmb_gpu_batch *batch, uint32_t slot);

#endif
