// The GPU side and its host: invalid arguments and states, failing Vulkan calls and allocations, memory hooks, a manual
// probe, a queue family with compute only.
#include "control_def.h"
#include "gpu_suite.h"

#include <gpu_side.h>

#include "gpu/control.h"
#include "gpu/gpu.h"
#include <inttypes.h>
#include <limber/compare.h>
#include <limber/cpu.h>
#include <limber/gpu_profile.h>
#include <limber/gpu_ragdoll.h>
#include <limber/gpu_readback.h>
#include <limber/gpu_skin.h>
#include <string.h>

#define ALL_OUTPUTS ((1u << LMB_OUTPUT_COUNT) - 1)
#define CHARACTERS 70u
#define JOINTS 3u

// ---- Vulkan functions behind wrappers that count live objects and can fail. ----

#define FALLIBLE(X)                                                                                                    \
    X(CreateBuffer)                                                                                                    \
    X(AllocateMemory)                                                                                                  \
    X(MapMemory)                                                                                                       \
    X(BindBufferMemory)                                                                                                \
    X(CreateShaderModule)                                                                                              \
    X(CreatePipelineLayout)                                                                                            \
    X(CreateComputePipelines)                                                                                          \
    X(CreateCommandPool)                                                                                               \
    X(AllocateCommandBuffers)                                                                                          \
    X(BeginCommandBuffer)                                                                                              \
    X(EndCommandBuffer)                                                                                                \
    X(CreateFence)                                                                                                     \
    X(CreateQueryPool)                                                                                                 \
    X(WaitForFences)                                                                                                   \
    X(QueueSubmit)

static uint32_t calls;          // of the functions above
static uint32_t failing_call;   // the number of the call that fails, from 1; 0 for none
static const char *failed_name; // the function that failed
static int32_t alive;           // Vulkan objects created and not yet destroyed
static bool is_pending;         // nothing has waited for commands since waiting for a fence failed
static uint32_t lookups;        // of function pointers
static uint32_t failing_lookup; // the number of the lookup that returns NULL, from 1; 0 for none

static bool fails(const char *name) {
    if (++calls != failing_call) {
        return false;
    }
    failed_name = name;
    return true;
}

static VkResult created(VkResult result) {
    alive += result == VK_SUCCESS;
    return result;
}

#define OR_FAIL(name) fails(#name) ? VK_ERROR_OUT_OF_DEVICE_MEMORY
#define CREATES(name, type, info_type)                                                                                 \
    static VKAPI_ATTR VkResult VKAPI_CALL door_##name(VkDevice device, const info_type *info,                          \
                                                      const VkAllocationCallbacks *callbacks, type *object) {          \
        return OR_FAIL(vk##name) : created(vk##name(device, info, callbacks, object));                                 \
    }
#define DESTROYS(name, type)                                                                                           \
    static VKAPI_ATTR void VKAPI_CALL door_##name(VkDevice device, type object,                                        \
                                                  const VkAllocationCallbacks *callbacks) {                            \
        assert_false(is_pending);                                                                                      \
        alive -= object != VK_NULL_HANDLE;                                                                             \
        vk##name(device, object, callbacks);                                                                           \
    }

CREATES(CreateBuffer, VkBuffer, VkBufferCreateInfo)
CREATES(AllocateMemory, VkDeviceMemory, VkMemoryAllocateInfo)
CREATES(CreateShaderModule, VkShaderModule, VkShaderModuleCreateInfo)
CREATES(CreatePipelineLayout, VkPipelineLayout, VkPipelineLayoutCreateInfo)
CREATES(CreateCommandPool, VkCommandPool, VkCommandPoolCreateInfo)
CREATES(CreateFence, VkFence, VkFenceCreateInfo)
CREATES(CreateQueryPool, VkQueryPool, VkQueryPoolCreateInfo)
DESTROYS(DestroyBuffer, VkBuffer)
DESTROYS(FreeMemory, VkDeviceMemory)
DESTROYS(DestroyShaderModule, VkShaderModule)
DESTROYS(DestroyPipelineLayout, VkPipelineLayout)
DESTROYS(DestroyPipeline, VkPipeline)
DESTROYS(DestroyCommandPool, VkCommandPool)
DESTROYS(DestroyFence, VkFence)
DESTROYS(DestroyQueryPool, VkQueryPool)

static VkPipelineCache expected_cache;
static uint32_t caches_used, pipelines_created;
static void (*meanwhile)(void *with); // called once while a pipeline is created
static void *meanwhile_with;

static VKAPI_ATTR VkResult VKAPI_CALL door_CreateComputePipelines(VkDevice device, VkPipelineCache cache,
                                                                  uint32_t count,
                                                                  const VkComputePipelineCreateInfo *infos,
                                                                  const VkAllocationCallbacks *callbacks,
                                                                  VkPipeline *pipelines) {
    assert_int_equal(count, 1);
    caches_used += cache != VK_NULL_HANDLE && cache == expected_cache;
    pipelines_created++;
    void (*const once)(void *) = meanwhile;
    meanwhile = NULL;
    if (once != NULL) {
        once(meanwhile_with);
    }
    return OR_FAIL(vkCreateComputePipelines)
        : created(vkCreateComputePipelines(device, cache, count, infos, callbacks, pipelines));
}

static VKAPI_ATTR VkResult VKAPI_CALL door_MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                                     VkDeviceSize size, VkMemoryMapFlags flags, void **mapped) {
    return OR_FAIL(vkMapMemory) : vkMapMemory(device, memory, offset, size, flags, mapped);
}

static VKAPI_ATTR VkResult VKAPI_CALL door_BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                            VkDeviceSize offset) {
    return OR_FAIL(vkBindBufferMemory) : vkBindBufferMemory(device, buffer, memory, offset);
}

static VKAPI_ATTR VkResult VKAPI_CALL door_AllocateCommandBuffers(VkDevice device,
                                                                  const VkCommandBufferAllocateInfo *info,
                                                                  VkCommandBuffer *commands) {
    return OR_FAIL(vkAllocateCommandBuffers) : vkAllocateCommandBuffers(device, info, commands);
}

static VKAPI_ATTR VkResult VKAPI_CALL door_BeginCommandBuffer(VkCommandBuffer commands,
                                                              const VkCommandBufferBeginInfo *info) {
    return OR_FAIL(vkBeginCommandBuffer) : vkBeginCommandBuffer(commands, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL door_EndCommandBuffer(VkCommandBuffer commands) {
    return OR_FAIL(vkEndCommandBuffer) : vkEndCommandBuffer(commands);
}

static VKAPI_ATTR VkResult VKAPI_CALL door_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
                                                       VkFence fence) {
    return OR_FAIL(vkQueueSubmit) : vkQueueSubmit(queue, count, infos, fence);
}

// Does not wait if it fails: what the commands use must not be destroyed then.
static VKAPI_ATTR VkResult VKAPI_CALL door_WaitForFences(VkDevice device, uint32_t count, const VkFence *fences,
                                                         VkBool32 all, uint64_t timeout) {
    const VkResult result = OR_FAIL(vkWaitForFences) : vkWaitForFences(device, count, fences, all, timeout);
    is_pending = result != VK_SUCCESS;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL door_QueueWaitIdle(VkQueue queue) {
    is_pending = false;
    return vkQueueWaitIdle(queue);
}

typedef struct frame_commands {
    uint32_t transfers, dispatches, barriers;
} frame_commands;

static frame_commands recorded; // since it was zeroed

static VKAPI_ATTR void VKAPI_CALL door_CmdCopyBuffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to,
                                                     uint32_t count, const VkBufferCopy *copies) {
    recorded.transfers++;
    vkCmdCopyBuffer(commands, from, to, count, copies);
}

static VKAPI_ATTR void VKAPI_CALL door_CmdUpdateBuffer(VkCommandBuffer commands, VkBuffer to, VkDeviceSize offset,
                                                       VkDeviceSize size, const void *bytes) {
    recorded.transfers++;
    vkCmdUpdateBuffer(commands, to, offset, size, bytes);
}

static VKAPI_ATTR void VKAPI_CALL door_CmdFillBuffer(VkCommandBuffer commands, VkBuffer to, VkDeviceSize offset,
                                                     VkDeviceSize size, uint32_t word) {
    recorded.transfers++;
    vkCmdFillBuffer(commands, to, offset, size, word);
}

static VKAPI_ATTR void VKAPI_CALL door_CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
    recorded.dispatches++;
    vkCmdDispatch(commands, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL door_CmdDispatchIndirect(VkCommandBuffer commands, VkBuffer arguments,
                                                           VkDeviceSize offset) {
    recorded.dispatches++;
    vkCmdDispatchIndirect(commands, arguments, offset);
}

static VKAPI_ATTR void VKAPI_CALL door_CmdPipelineBarrier(VkCommandBuffer commands, VkPipelineStageFlags from,
                                                          VkPipelineStageFlags to, VkDependencyFlags flags,
                                                          uint32_t memory_count, const VkMemoryBarrier *memory,
                                                          uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                                          uint32_t image_count, const VkImageMemoryBarrier *images) {
    recorded.barriers++;
    vkCmdPipelineBarrier(commands, from, to, flags, memory_count, memory, buffer_count, buffers, image_count, images);
}

#define SHADOWED(X)                                                                                                    \
    FALLIBLE(X)                                                                                                        \
    X(CmdCopyBuffer)                                                                                                   \
    X(CmdUpdateBuffer)                                                                                                 \
    X(CmdFillBuffer)                                                                                                   \
    X(CmdDispatch)                                                                                                     \
    X(CmdDispatchIndirect)                                                                                             \
    X(CmdPipelineBarrier)                                                                                              \
    X(QueueWaitIdle)                                                                                                   \
    X(DestroyBuffer)                                                                                                   \
    X(FreeMemory)                                                                                                      \
    X(DestroyShaderModule)                                                                                             \
    X(DestroyPipelineLayout)                                                                                           \
    X(DestroyPipeline)                                                                                                 \
    X(DestroyCommandPool)                                                                                              \
    X(DestroyQueryPool)                                                                                                \
    X(DestroyFence)

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL door_device(VkDevice device, const char *name) {
    // Only devices of Vulkan 1.1 have the second name, and SwiftShader always.
    if (++lookups == failing_lookup || strcmp(name, "vkGetBufferDeviceAddressKHR") == 0) {
        return NULL;
    }
#define SHADOW(function)                                                                                               \
    if (strcmp(name, "vk" #function) == 0) {                                                                           \
        return (PFN_vkVoidFunction)door_##function;                                                                    \
    }
    SHADOWED(SHADOW)
#undef SHADOW
    return vkGetDeviceProcAddr(device, name);
}

static uint32_t storage_range; // that devices say descriptors may bind; 0: their own

static VKAPI_ATTR void VKAPI_CALL door_GetPhysicalDeviceProperties2(VkPhysicalDevice physical,
                                                                    VkPhysicalDeviceProperties2 *properties) {
    vkGetPhysicalDeviceProperties2(physical, properties);
    if (storage_range != 0) {
        properties->properties.limits.maxStorageBufferRange = storage_range;
    }
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL door_instance(VkInstance instance, const char *name) {
    if (++lookups == failing_lookup) {
        return NULL;
    }
    if (strcmp(name, "vkGetPhysicalDeviceProperties2") == 0) {
        return (PFN_vkVoidFunction)door_GetPhysicalDeviceProperties2;
    }
    return strcmp(name, "vkGetDeviceProcAddr") == 0 ? (PFN_vkVoidFunction)door_device
                                                    : vkGetInstanceProcAddr(instance, name);
}

// ---- The host's memory, counted, with failures on request. ----

static uint32_t allocations;        // requested
static uint32_t failing_allocation; // the number of the allocation that fails, from 1; 0 for none
static int32_t blocks;              // allocated and not yet released

static void *counting_allocate(void *user, size_t size) {
    (void)user;
    if (++allocations == failing_allocation) {
        return NULL;
    }
    blocks++;
    return malloc(size);
}

static void counting_release(void *user, void *memory) {
    (void)user;
    assert_non_null(memory);
    blocks--;
    free(memory);
}

static const lmb_host counting_host = {.allocate = counting_allocate, .release = counting_release};

// ---- A device, a rig of three joints, and a program with two clips and one parameter each for time and weight. ----

static device opened;
static lmb_rig *rig;
static lmb_clip *clip;
static lmb_graph *program;
static lmb_graph *inertialized; // the same program, inertialized
static lmb_graph *posed;        // reads a pose buffer
static VkPipelineCache cache;   // shared, because every test creates the same pipelines

static void create_rig_and_clip(void) {
    lmb_joint_def joints[JOINTS];
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = lmb_default_joint_def();
        joints[i].parent = i == 0 ? LMB_NONE : i - 1;
        joints[i].rest.translation[0] = 1.0f;
    }
    const lmb_rig_def rig_def = {.joints = joints, .joint_count = JOINTS};
    static const float times[] = {0.0f, 1.0f};
    static const float values[] = {0, 0, 0, 1, 0.6f, 0, 0, 0.8f};
    const lmb_track_def track = {1, LMB_PROPERTY_ROTATION, LMB_INTERPOLATION_LINEAR, 2, times, values};
    const lmb_clip_def clip_def = {.name = "turn", .tracks = &track, .track_count = 1};
    lmb_error error;
    assert_ok(lmb_rig_create(&rig_def, NULL, &rig, &error), &error);
    assert_ok(lmb_clip_create(rig, &clip_def, NULL, &clip, &error), &error);
}

static lmb_graph *create_program_for(const lmb_host *host, lmb_op op, uint32_t parameters, bool inertializes) {
    lmb_node_def node = lmb_default_node_def();
    node.op = op;
    node.time = lmb_parameter(0);
    const lmb_graph_def def = {.rig = rig,
                               .clips = (const lmb_clip *const *)&clip,
                               .clip_count = 1,
                               .nodes = &node,
                               .node_count = 1,
                               .parameter_count = parameters,
                               .inertialize = inertializes,
                               .inertia_parameters = 1};
    lmb_graph *made = NULL;
    lmb_error error;
    assert_ok(lmb_graph_create(&def, host, &made, &error), &error);
    return made;
}

static lmb_graph *create_program_of(lmb_op op, uint32_t parameters, bool inertializes) {
    return create_program_for(NULL, op, parameters, inertializes);
}

// Plays the clip at the time in parameter 0, or with `pose` reads pose buffer 0.
static lmb_graph *create_program(bool pose) {
    return create_program_of(pose ? LMB_OP_POSE : LMB_OP_CLIP, pose ? 0 : 1, false);
}

static int start(void **state) {
    (void)state;
    open_device(&opened);
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    assert_int_equal(vkCreatePipelineCache(opened.device, &info, NULL, &cache), VK_SUCCESS);
    create_rig_and_clip();
    program = create_program(false);
    inertialized = create_program_of(LMB_OP_CLIP, 1 + LMB_INERTIA_PARAMETERS, true);
    posed = create_program(true);
    return 0;
}

static int finish(void **state) {
    (void)state;
    lmb_graph_destroy(program);
    lmb_graph_destroy(inertialized);
    lmb_graph_destroy(posed);
    lmb_clip_destroy(clip);
    lmb_rig_destroy(rig);
    vkDestroyPipelineCache(opened.device, cache, NULL);
    return device_close(&opened) == 0 ? 0 : -1;
}

static lmb_gpu_def gpu_def(void) {
    lmb_gpu_def def = device_gpu_def(&opened);
    def.pipeline_cache = cache;
    return def;
}

static lmb_gpu *create_gpu(void) {
    const lmb_gpu_def def = gpu_def();
    lmb_gpu *gpu = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    return gpu;
}

static lmb_gpu_batch_def batch_def(lmb_gpu_graph *gpu_program) {
    lmb_gpu_batch_def def = lmb_default_gpu_batch_def();
    def.graph = gpu_program;
    def.character_count = CHARACTERS;
    def.outputs = ALL_OUTPUTS;
    return def;
}

static void expect_error(lmb_result result, const lmb_error *error, lmb_result expected, const char *part) {
    if (result != expected || error->result != expected || strstr(error->message, part) == NULL) {
        fail_msg("%s '%s' instead of %s with '%s'", lmb_result_name(result), result == LMB_OK ? "" : error->message,
                 lmb_result_name(expected), part);
    }
}

// ---- Failures. ----

// No pipeline is kept, so that a step that is repeated creates its pipelines again.
static lmb_gpu_def door_def(void) {
    calls = failing_call = lookups = failing_lookup = allocations = failing_allocation = 0;
    alive = blocks = 0;
    pipelines_created = 0;
    lmb_gpu_def def = gpu_def();
    def.get_instance_proc_addr = door_instance;
    def.kept_pipelines = 0;
    return def;
}

// The objects that a step needs. A step creates something and destroys it again.
typedef struct ground {
    lmb_gpu_def def;
    lmb_gpu *gpu;
    lmb_gpu_graph *program;
    lmb_gpu_graph *inertialized;
    lmb_gpu_batch *batch;
    lmb_gpu_batch *inertialized_batch;
    lmb_graph *control;
} ground;

static lmb_result step_gpu(const ground *on, lmb_error *error) {
    lmb_gpu *gpu = NULL;
    lmb_result result = lmb_gpu_create(&on->def, &counting_host, &gpu, error);
    assert_true((result == LMB_OK) == (gpu != NULL));
    lmb_gpu_destroy(gpu);
    return result;
}

static lmb_result create_graph(const ground *on, const lmb_graph *of, lmb_error *error) {
    lmb_gpu_graph *made = NULL;
    lmb_result result = lmb_gpu_graph_create(on->gpu, of, &made, error);
    assert_true((result == LMB_OK) == (made != NULL));
    lmb_gpu_graph_destroy(made);
    return result;
}

static lmb_result step_program(const ground *on, lmb_error *error) {
    return create_graph(on, posed, error);
}

// Its pipeline exists.
static lmb_result step_program_again(const ground *on, lmb_error *error) {
    return create_graph(on, program, error);
}

// A batch with two spans.
static lmb_result create_batch(const ground *on, lmb_gpu_graph *of, size_t largest, lmb_error *error) {
    lmb_gpu_batch *batch = NULL;
    lmb_gpu_batch_def def = batch_def(of);
    def.slot_count = 1;
    def.span_bytes = CHARACTERS / 2 * largest;
    lmb_result result = lmb_gpu_batch_create(on->gpu, &def, &batch, error);
    assert_true((result == LMB_OK) == (batch != NULL));
    assert_true(batch == NULL || lmb_gpu_batch_span_count(batch) == 2);
    lmb_gpu_batch_destroy(batch);
    return result;
}

static lmb_result step_batch(const ground *on, lmb_error *error) {
    return create_batch(on, on->program, JOINTS * sizeof(lmb_affine), error);
}

// A batch whose memory for inertialization is larger than any output.
static lmb_result step_inertialized_batch(const ground *on, lmb_error *error) {
    return create_batch(on, on->inertialized, lmb_graph_get_info(inertialized)->inertia_words * sizeof(uint32_t),
                        error);
}

static lmb_result step_clip(const ground *on, lmb_error *error) {
    lmb_gpu_clip *made = NULL;
    lmb_result result = lmb_gpu_clip_create(on->gpu, clip, &made, error);
    assert_true((result == LMB_OK) == (made != NULL));
    lmb_gpu_clip_destroy(made);
    return result;
}

static lmb_result step_profile(const ground *on, lmb_error *error) {
    static const char *const own[] = {"draw"};
    lmb_gpu_profile *profile = NULL;
    lmb_gpu_profile_def def = lmb_default_gpu_profile_def();
    def.queue_family = opened.queue_family;
    def.stages = own;
    def.stage_count = 1;
    lmb_result result = lmb_gpu_profile_create(on->gpu, &def, &profile, error);
    assert_true((result == LMB_OK) == (profile != NULL));
    lmb_gpu_profile_destroy(profile);
    return result;
}

static lmb_result step_control(const ground *on, lmb_error *error) {
    lmb_gpu_control *made = NULL;
    lmb_gpu_control_def def = lmb_default_gpu_control_def();
    def.control = on->control->control;
    def.graph = on->program;
    def.character_count = CHARACTERS;
    def.slot_count = lmb_default_gpu_batch_def().slot_count;
    def.emits_events = true;
    lmb_result result = lmb_gpu_control_create(on->gpu, &def, &made, error);
    assert_true((result == LMB_OK) == (made != NULL));
    lmb_gpu_control_destroy(made);
    return result;
}

static lmb_result step_skin(const ground *on, lmb_error *error) {
    lmb_gpu_skin *skin = NULL;
    lmb_result result = lmb_gpu_skin_create(on->gpu, &skin, error);
    assert_true((result == LMB_OK) == (skin != NULL));
    lmb_gpu_skin_destroy(skin);
    return result;
}

static lmb_result step_ragdoll(const ground *on, lmb_error *error) {
    lmb_gpu_ragdoll *ragdoll = NULL;
    lmb_result result = lmb_gpu_ragdoll_create(on->gpu, &ragdoll, error);
    assert_true((result == LMB_OK) == (ragdoll != NULL));
    lmb_gpu_ragdoll_destroy(ragdoll);
    return result;
}

static lmb_result create_readback(const ground *on, const lmb_gpu_batch *batch, uint32_t contents, lmb_error *error) {
    lmb_gpu_readback *readback = NULL;
    lmb_gpu_readback_def def = lmb_default_gpu_readback_def();
    def.batch = batch;
    def.contents = contents;
    lmb_result result = lmb_gpu_readback_create(on->gpu, &def, &readback, error);
    assert_true((result == LMB_OK) == (readback != NULL));
    lmb_gpu_readback_destroy(readback);
    return result;
}

static lmb_result step_readback(const ground *on, lmb_error *error) {
    return create_readback(on, on->batch, LMB_READBACK_REFUSED_BIT, error);
}

static lmb_result step_hashes(const ground *on, lmb_error *error) {
    return create_readback(on, on->inertialized_batch, LMB_READBACK_HASHES_BIT, error);
}

typedef lmb_result (*creating_step)(const ground *on, lmb_error *error);

// Runs a step once for each request that it makes, and lets that request fail: `asked` counts the requests, and the
// request with the number *failing fails. The message must contain `part`, or the name of the failed function. Nothing
// may leak. The step succeeds without up to `spared` requests.
static void fail_each(creating_step step, const ground *on, uint32_t *asked, uint32_t *failing, lmb_result expected,
                      const char *part, uint32_t spared) {
    const VkResult injected = expected != LMB_ERROR_VULKAN ? VK_SUCCESS
                              : part == NULL               ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                                                           : VK_ERROR_TOO_MANY_OBJECTS;
    lmb_error error = {.vulkan_result = 1};
    *asked = 0;
    assert_ok(step(on, &error), &error);
    const uint32_t count = *asked;
    assert_true(count > 0);
    const int32_t alive_before = alive, blocks_before = blocks;
    for (uint32_t i = 1; i <= count; i++) {
        *asked = 0;
        *failing = i;
        lmb_result result = step(on, &error);
        *failing = 0;
        if (result == LMB_OK && spared > 0) {
            spared--;
        } else {
            expect_error(result, &error, expected, part != NULL ? part : failed_name);
            assert_true(expected != LMB_ERROR_VULKAN || part != NULL ||
                        strstr(error.message, "VK_ERROR_OUT_OF_DEVICE_MEMORY") != NULL);
            assert_int_equal(error.vulkan_result, injected);
        }
        assert_int_equal(alive, alive_before);
        assert_int_equal(blocks, blocks_before);
    }
}

static void ground_create(ground *ground) {
    lmb_error error;
    assert_ok(lmb_gpu_create(&ground->def, &counting_host, &ground->gpu, &error), &error);
    assert_ok(lmb_gpu_graph_create(ground->gpu, program, &ground->program, &error), &error);
    assert_ok(lmb_gpu_graph_create(ground->gpu, inertialized, &ground->inertialized, &error), &error);
    const lmb_gpu_batch_def batch = batch_def(ground->program);
    assert_ok(lmb_gpu_batch_create(ground->gpu, &batch, &ground->batch, &error), &error);
    const lmb_gpu_batch_def inertialized_batch = batch_def(ground->inertialized);
    assert_ok(lmb_gpu_batch_create(ground->gpu, &inertialized_batch, &ground->inertialized_batch, &error), &error);
    control_def control = default_control_def();
    const lmb_motion_def character_motion = lmb_default_motion_def();
    control.parameter_count = lmb_graph_get_info(program)->parameter_count;
    control.motion = &character_motion; // and the buffers for it and for the weights
    assert_ok(control_create(&control, program, NULL, &ground->control, &error), &error);
}

static void ground_destroy(ground *ground) {
    lmb_graph_destroy(ground->control);
    lmb_gpu_batch_destroy(ground->inertialized_batch);
    lmb_gpu_batch_destroy(ground->batch);
    lmb_gpu_graph_destroy(ground->program);
    lmb_gpu_graph_destroy(ground->inertialized);
    lmb_gpu_destroy(ground->gpu);
    assert_int_equal(alive, 0);
    assert_int_equal(blocks, 0);
}

// `of_direct` is how many requests a direct buffer takes, without which a batch is created all the same.
static void fail_each_of_all_steps(ground *ground, uint32_t *asked, uint32_t *failing, lmb_result expected,
                                   const char *part, uint32_t of_direct) {
    ground_create(ground);
    fail_each(step_gpu, ground, asked, failing, expected, part, 0);
    fail_each(step_program, ground, asked, failing, expected, part, 0);
    fail_each(step_program_again, ground, asked, failing, expected, part, 0);
    fail_each(step_batch, ground, asked, failing, expected, part, of_direct);
    fail_each(step_inertialized_batch, ground, asked, failing, expected, part, of_direct);
    fail_each(step_control, ground, asked, failing, expected, part, 0);
    fail_each(step_readback, ground, asked, failing, expected, part, 0);
    fail_each(step_hashes, ground, asked, failing, expected, part, 0);
    fail_each(step_clip, ground, asked, failing, expected, part, 0);
    ground_destroy(ground);
}

// These allocate no device memory, so they do not call the memory hooks.
static void fail_each_without_memory(ground *ground, uint32_t *asked, uint32_t *failing, lmb_result expected,
                                     const char *part) {
    ground_create(ground);
    fail_each(step_profile, ground, asked, failing, expected, part, 0);
    fail_each(step_skin, ground, asked, failing, expected, part, 0);
    fail_each(step_ragdoll, ground, asked, failing, expected, part, 0);
    ground_destroy(ground);
}

static void every_vulkan_call_that_fails_is_named_and_leaves_nothing(void **state) {
    (void)state;
    ground ground = {.def = door_def()};
    fail_each_of_all_steps(&ground, &calls, &failing_call, LMB_ERROR_VULKAN, NULL, 4);
    fail_each_without_memory(&ground, &calls, &failing_call, LMB_ERROR_VULKAN, NULL);
}

static void every_allocation_that_fails_is_reported_and_leaves_nothing(void **state) {
    (void)state;
    ground ground = {.def = door_def()};
    fail_each_of_all_steps(&ground, &allocations, &failing_allocation, LMB_ERROR_MEMORY, "memory", 0);
    fail_each_without_memory(&ground, &allocations, &failing_allocation, LMB_ERROR_MEMORY, "memory");
}

// Compiles an interpreted graph while each request fails in turn, until none is left: `asked` and `failing` are as
// above.
static void compile_while_failing(lmb_gpu_graph *graph, uint32_t *asked, uint32_t *failing, lmb_result expected) {
    const int32_t alive_before = alive, blocks_before = blocks;
    lmb_result result = LMB_ERROR_ARGUMENT;
    for (uint32_t i = 1; result != LMB_OK; i++) {
        lmb_error error;
        assert_false(lmb_gpu_graph_use_compiled(graph));
        *asked = 0;
        *failing = i;
        result = lmb_gpu_graph_compile(graph, &error);
        *failing = 0;
        if (result != LMB_OK) {
            expect_error(result, &error, expected, expected == LMB_ERROR_MEMORY ? "memory" : failed_name);
            assert_int_equal(alive, alive_before);
            assert_int_equal(blocks, blocks_before);
        }
    }
    assert_true(*asked > 0 && alive == alive_before + 1 && blocks == blocks_before + 1);
}

static void a_graph_stays_interpreted_if_its_kernel_cannot_be_compiled(void **state) {
    (void)state;
    lmb_gpu_def def = door_def();
    lmb_gpu *gpu = NULL;
    lmb_gpu_graph *graphs[2] = {NULL, NULL};
    lmb_error error;
    def.prepare_interpreter = true;
    assert_ok(lmb_gpu_create(&def, &counting_host, &gpu, &error), &error);
    pipelines_created = 0;
    for (int i = 0; i < 2; i++) {
        assert_ok(lmb_gpu_graph_create_interpreted(gpu, i == 0 ? program : posed, &graphs[i], &error), &error);
    }
    assert_int_equal(pipelines_created, 0); // it shows at once
    compile_while_failing(graphs[0], &calls, &failing_call, LMB_ERROR_VULKAN);
    compile_while_failing(graphs[1], &allocations, &failing_allocation, LMB_ERROR_MEMORY);
    assert_int_equal(pipelines_created, 3); // one of them failed
    for (int i = 0; i < 2; i++) {
        assert_true(lmb_gpu_graph_use_compiled(graphs[i]) && lmb_gpu_graph_use_compiled(graphs[i]));
        assert_ok(lmb_gpu_graph_compile(graphs[i], &error), &error);
        lmb_gpu_graph_destroy(graphs[i]);
    }
    assert_int_equal(pipelines_created, 3);
    assert_ok(lmb_gpu_graph_create(gpu, program, &graphs[0], &error), &error);
    assert_true(lmb_gpu_graph_use_compiled(graphs[0])); // it always had its kernel
    expect_error(lmb_gpu_graph_compile(NULL, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    assert_false(lmb_gpu_graph_use_compiled(NULL));
    lmb_gpu_graph_destroy(graphs[0]);
    lmb_gpu_destroy(gpu);
    assert_int_equal(alive, 0);
    assert_int_equal(blocks, 0);
}

static VkPipeline steps_of(const lmb_gpu_graph *graph) {
    assert_true(graph->steps != VK_NULL_HANDLE);
    return graph->steps;
}

// Two copies of a graph, and one of another graph that has the same kernel.
static void objects_share_pipelines(void **state) {
    (void)state;
    ground ground = {.def = door_def()};
    ground_create(&ground);
    lmb_graph *other = create_program_of(LMB_OP_CLIP, 1, false);
    lmb_gpu_graph *again = NULL, *alike = NULL;
    lmb_gpu_skin *skins[2];
    lmb_error error;
    uint32_t before = pipelines_created;
    assert_ok(lmb_gpu_graph_create(ground.gpu, program, &again, &error), &error);
    assert_ok(lmb_gpu_graph_create(ground.gpu, other, &alike, &error), &error);
    assert_int_equal(pipelines_created, before);
    assert_true(steps_of(again) == steps_of(ground.program) && steps_of(alike) == steps_of(again));
    assert_true(steps_of(again) != steps_of(ground.inertialized));
    assert_ok(lmb_gpu_skin_create(ground.gpu, &skins[0], &error), &error);
    before = pipelines_created;
    const int32_t alive_before = alive;
    assert_ok(lmb_gpu_skin_create(ground.gpu, &skins[1], &error), &error);
    assert_int_equal(pipelines_created, before);
    assert_int_equal(alive, alive_before);
    lmb_gpu_skin_destroy(skins[0]);
    assert_int_equal(alive, alive_before);
    lmb_gpu_skin_destroy(skins[1]);
    assert_int_equal(alive, alive_before - LMB_SKIN_METHOD_COUNT);
    lmb_gpu_graph_destroy(again);
    lmb_gpu_graph_destroy(alike);
    lmb_graph_destroy(other);
    ground_destroy(&ground);
}

// A gpu that keeps two pipelines keeps those of the two graphs that were destroyed last.
static void the_last_unused_pipelines_are_kept(void **state) {
    (void)state;
    static const lmb_graph *const *const order[] = {
        (const lmb_graph *const *)&program, (const lmb_graph *const *)&posed, (const lmb_graph *const *)&inertialized};
    static const struct {
        int graph;
        uint32_t creates;
    } runs[] = {{0, 1}, {0, 0}, {1, 1}, {0, 0}, {2, 1}, {0, 0}, {1, 1}, {0, 0}, {2, 1}, {2, 0}};
    lmb_gpu_def def = door_def();
    def.kept_pipelines = 2;
    lmb_gpu *gpu = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_create(&def, &counting_host, &gpu, &error), &error);
    const int32_t alive_before = alive, blocks_before = blocks;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        const uint32_t before = pipelines_created;
        lmb_gpu_graph *graph = NULL;
        assert_ok(lmb_gpu_graph_create(gpu, *order[runs[i].graph], &graph, &error), &error);
        assert_int_equal(pipelines_created - before, runs[i].creates);
        lmb_gpu_graph_destroy(graph);
        assert_true(alive <= alive_before + 2 && blocks <= blocks_before + 2);
    }
    assert_int_equal(alive, alive_before + 2);
    lmb_gpu_destroy(gpu);
    assert_int_equal(alive, 0);
    assert_int_equal(blocks, 0);
}

static lmb_gpu_ragdoll *made_meanwhile;

static void make_ragdoll(void *gpu) {
    lmb_error error;
    assert_ok(lmb_gpu_ragdoll_create(gpu, &made_meanwhile, &error), &error);
}

// What another thread does while one compiles.
static void threads_that_compile_the_same_share_it(void **state) {
    (void)state;
    const lmb_gpu_def def = door_def();
    lmb_gpu *gpu = NULL;
    lmb_gpu_ragdoll *ragdoll = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_create(&def, &counting_host, &gpu, &error), &error);
    const int32_t alive_before = alive;
    pipelines_created = 0;
    meanwhile = make_ragdoll;
    meanwhile_with = gpu;
    assert_ok(lmb_gpu_ragdoll_create(gpu, &ragdoll, &error), &error);
    assert_int_equal(pipelines_created, 2);
    assert_int_equal(alive, alive_before + 1);
    lmb_gpu_ragdoll_destroy(made_meanwhile);
    assert_int_equal(alive, alive_before + 1);
    lmb_gpu_ragdoll_destroy(ragdoll);
    assert_int_equal(alive, alive_before);
    lmb_gpu_destroy(gpu);
    assert_int_equal(alive, 0);
    assert_int_equal(blocks, 0);
}

static void every_function_that_cannot_be_loaded_is_named(void **state) {
    (void)state;
    ground ground = {.def = door_def()};
    ground.def.debug_utils = false;
    fail_each(step_gpu, &ground, &lookups, &failing_lookup, LMB_ERROR_DEVICE, "cannot be loaded", 0);
}

// A device of an instance of Vulkan 1.1, without extensions.
static VkDevice create_old_device(VkInstance instance, VkPhysicalDevice *physical_device) {
    const PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)vkGetInstanceProcAddr(instance, "vkEnumeratePhysicalDevices");
    const PFN_vkCreateDevice create = (PFN_vkCreateDevice)vkGetInstanceProcAddr(instance, "vkCreateDevice");
    uint32_t count = 1;
    assert_true(enumerate(instance, &count, physical_device) >= VK_SUCCESS && count == 1);
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    VkDevice device = VK_NULL_HANDLE;
    assert_int_equal(create(*physical_device, &info, NULL, &device), VK_SUCCESS);
    return device;
}

static void a_device_of_vulkan_1_1_without_extensions_is_refused(void **state) {
    (void)state;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    VkInstance instance = VK_NULL_HANDLE;
    assert_int_equal(vkCreateInstance(&info, NULL, &instance), VK_SUCCESS);
    lmb_gpu_def def = gpu_def();
    def.instance = instance;
    def.device = create_old_device(instance, &def.physical_device);
    def.debug_utils = false;
    def.pipeline_cache = VK_NULL_HANDLE;
    // An instance does not report its version, and with SwiftShader and NVIDIA's driver its device has all functions of
    // 1.2 even so.
    const bool lacks_functions = vkGetDeviceProcAddr(def.device, "vkGetBufferDeviceAddress") == NULL;
    if (lacks_functions) {
        lmb_gpu *gpu = NULL;
        lmb_error error;
        expect_error(lmb_gpu_create(&def, NULL, &gpu, &error), &error, LMB_ERROR_DEVICE,
                     "VK_KHR_buffer_device_address");
        assert_null(gpu);
    }
    ((PFN_vkDestroyDevice)vkGetInstanceProcAddr(instance, "vkDestroyDevice"))(def.device, NULL);
    ((PFN_vkDestroyInstance)vkGetInstanceProcAddr(instance, "vkDestroyInstance"))(instance, NULL);
    if (!lacks_functions) {
        skip();
    }
}

// ---- The frame loop. ----

// Compares both outputs of one frame on the given GPU with the reference.
static void expect_reference_bits(lmb_gpu *gpu) {
    const lmb_batch_def batch = {program, CHARACTERS, LMB_OUTPUT_PALETTE_BIT};
    float times[CHARACTERS];
    static float expected[CHARACTERS * JOINTS * LMB_MATRIX_COMPONENTS],
        found[CHARACTERS * JOINTS * LMB_MATRIX_COMPONENTS];
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        times[i] = (float)i / CHARACTERS;
    }
    const lmb_batch_inputs inputs = {.parameters = times};
    const lmb_batch_outputs a = {.buffers[LMB_OUTPUT_PALETTE] = expected};
    const lmb_batch_outputs b = {.buffers[LMB_OUTPUT_PALETTE] = found};
    memset(found, 0, sizeof found);
    lmb_error error;
    lmb_cpu *cpu = NULL;
    assert_ok(lmb_cpu_create(program, LMB_CPU_REFERENCE, NULL, &cpu, &error), &error);
    assert_ok(lmb_cpu_run(cpu, &batch, &inputs, &a, &error), &error);
    lmb_cpu_destroy(cpu);
    gpu_side side;
    assert_ok(gpu_side_create(&opened, gpu, &batch, 0, &side, &error), &error);
    assert_ok(gpu_side_run(&side, &inputs, &b, &error), &error);
    gpu_side_destroy(&side);
    assert_memory_equal(expected, found, sizeof expected);
}

static void batches_change_over_to_the_kernel_of_their_graph(void **state) {
    (void)state;
    lmb_gpu_def def = gpu_def();
    def.interpret_graphs = true;
    lmb_gpu *gpu = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    const lmb_batch_def batch = {program, CHARACTERS, LMB_OUTPUT_PALETTE_BIT};
    float times[CHARACTERS];
    static float found[2][CHARACTERS * JOINTS * LMB_MATRIX_COMPONENTS];
    for (uint32_t i = 0; i < CHARACTERS; i++) {
        times[i] = (float)i / CHARACTERS;
    }
    const lmb_batch_inputs inputs = {.parameters = times};
    gpu_side side;
    assert_ok(gpu_side_create(&opened, gpu, &batch, 0, &side, &error), &error);
    for (int i = 0; i < 2; i++) {
        const lmb_batch_outputs b = {.buffers[LMB_OUTPUT_PALETTE] = found[i]};
        memset(found[i], 0, sizeof found[i]);
        assert_ok(gpu_side_run(&side, &inputs, &b, &error), &error);
        if (i == 0) {
            assert_ok(lmb_gpu_graph_compile(side.program, &error), &error);
            assert_true(lmb_gpu_graph_use_compiled(side.program));
        }
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    gpu_side_destroy(&side);
    lmb_gpu_destroy(gpu);
}

static void recording_creates_and_allocates_nothing(void **state) {
    (void)state;
    const lmb_gpu_def def = door_def();
    lmb_gpu *gpu = NULL;
    lmb_gpu_graph *gpu_program = NULL;
    lmb_gpu_batch *batch = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_create(&def, &counting_host, &gpu, &error), &error);
    assert_ok(lmb_gpu_graph_create(gpu, program, &gpu_program, &error), &error);
    const lmb_gpu_batch_def with = batch_def(gpu_program);
    assert_ok(lmb_gpu_batch_create(gpu, &with, &batch, &error), &error);
    memset(lmb_gpu_batch_parameters(batch, 0), 0, CHARACTERS * sizeof(float));
    const uint32_t calls_before = calls, allocations_before = allocations;
    VkCommandPool pool;
    VkCommandBuffer commands;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    assert_ok(lmb_gpu_graph_record_upload(gpu_program, commands, &error), &error);
    const lmb_gpu_record_info info = {.commands = commands};
    assert_ok(lmb_gpu_batch_record(batch, &info, &error), &error);
    assert_int_equal(calls, calls_before);
    assert_int_equal(allocations, allocations_before);
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    const int32_t alive_before = alive;
    assert_ok(lmb_gpu_graph_uploaded(gpu_program, &error), &error);
    assert_int_equal(alive, alive_before - 2); // the staging buffer and its memory
    assert_ok(lmb_gpu_graph_uploaded(gpu_program, &error), &error);
    assert_int_equal(alive, alive_before - 2);
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(gpu_program);
    lmb_gpu_destroy(gpu);
    assert_int_equal(alive, 0);
    assert_int_equal(blocks, 0);
}

// ---- Invalid states and invalid arguments. ----

// Every pipeline uses the host's cache. The second run loads the cache of the first, and gives the same bits.
static void a_pipeline_cache_goes_in_and_comes_out(void **state) {
    (void)state;
    static char kept[1 << 22];
    size_t size = 0;
    for (int run = 0; run < 2; run++) {
        const VkPipelineCacheCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = size, .pInitialData = kept};
        assert_int_equal(vkCreatePipelineCache(opened.device, &info, NULL, &expected_cache), VK_SUCCESS);
        caches_used = pipelines_created = 0;
        lmb_gpu_def def = gpu_def();
        def.get_instance_proc_addr = door_instance;
        def.pipeline_cache = expected_cache;
        lmb_gpu *gpu = NULL;
        lmb_error error;
        assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
        const uint32_t own = pipelines_created;
        expect_reference_bits(gpu);
        assert_true(own > 0 && pipelines_created > own);
        assert_int_equal(caches_used, pipelines_created);
        lmb_gpu_destroy(gpu);
        assert_int_equal(vkGetPipelineCacheData(opened.device, expected_cache, &size, NULL), VK_SUCCESS);
        assert_true(size > 0 && size <= sizeof kept);
        assert_int_equal(vkGetPipelineCacheData(opened.device, expected_cache, &size, kept), VK_SUCCESS);
        vkDestroyPipelineCache(opened.device, expected_cache, NULL);
    }
}

static void a_gpu_without_a_queue_waits_for_its_probe(void **state) {
    (void)state;
    lmb_gpu_def def = gpu_def();
    def.probe_queue = VK_NULL_HANDLE;
    lmb_gpu *gpu = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    assert_false(lmb_gpu_probed(gpu).done);
    const lmb_batch_def batch = {program, CHARACTERS, LMB_OUTPUT_PALETTE_BIT};
    gpu_side side;
    assert_ok(gpu_side_create(&opened, gpu, &batch, 0, &side, &error), &error);
    float times[CHARACTERS] = {0};
    static float palettes[CHARACTERS * JOINTS * LMB_MATRIX_COMPONENTS];
    const lmb_batch_inputs inputs = {.parameters = times};
    const lmb_batch_outputs outputs = {.buffers[LMB_OUTPUT_PALETTE] = palettes};
    expect_error(gpu_side_run(&side, &inputs, &outputs, &error), &error, LMB_ERROR_STATE, "probe");
    gpu_side_destroy(&side);
    expect_error(lmb_gpu_probe(gpu, VK_NULL_HANDLE, 0, &error), &error, LMB_ERROR_ARGUMENT, "queue");
    assert_ok(lmb_gpu_probe(gpu, opened.queue, opened.queue_family, &error), &error);
    const lmb_gpu_probe_result probe = lmb_gpu_probed(gpu);
    assert_true(probe.done && probe.same_bits && probe.case_count > 0 && probe.failure_count == 0);
    expect_reference_bits(gpu);
    lmb_gpu_destroy(gpu);
}

static void wrong_descriptors_of_a_gpu_are_named(void **state) {
    (void)state;
    const lmb_gpu_def good = gpu_def();
    const lmb_gpu_memory_hooks no_hooks = {0};
    lmb_gpu_def defs[6];
    for (size_t i = 0; i < 6; i++) {
        defs[i] = good;
    }
    defs[0].get_instance_proc_addr = NULL;
    defs[1].instance = VK_NULL_HANDLE;
    defs[2].physical_device = VK_NULL_HANDLE;
    defs[3].device = VK_NULL_HANDLE;
    defs[4].queue_family_count = 2;
    defs[5].memory = &no_hooks;
    static const char *const messages[] = {"get_instance_proc_addr", "instance", "physical device", "device",
                                           "queue families",         "hook"};
    lmb_error error;
    lmb_gpu *gpu = NULL;
    for (size_t i = 0; i < 6; i++) {
        expect_error(lmb_gpu_create(&defs[i], NULL, &gpu, &error), &error, LMB_ERROR_ARGUMENT, messages[i]);
        assert_null(gpu);
    }
    expect_error(lmb_gpu_create(NULL, NULL, &gpu, &error), &error, LMB_ERROR_ARGUMENT, "descriptor");
    expect_error(lmb_gpu_create(&good, NULL, NULL, &error), &error, LMB_ERROR_ARGUMENT, "result");
    assert_int_equal(lmb_gpu_create(NULL, NULL, &gpu, NULL), LMB_ERROR_ARGUMENT);
    lmb_gpu_destroy(NULL);
    lmb_gpu_graph_destroy(NULL);
    lmb_gpu_batch_destroy(NULL);
}

static void wrong_descriptors_of_a_batch_are_named(void **state) {
    (void)state;
    lmb_gpu *gpu = create_gpu();
    lmb_gpu_graph *gpu_program = NULL;
    lmb_gpu_batch *batch = NULL;
    lmb_error error;
    expect_error(lmb_gpu_graph_create(NULL, program, &gpu_program, &error), &error, LMB_ERROR_ARGUMENT, "gpu");
    expect_error(lmb_gpu_graph_create(gpu, NULL, &gpu_program, &error), &error, LMB_ERROR_ARGUMENT, "graph");
    expect_error(lmb_gpu_graph_create(gpu, program, NULL, &error), &error, LMB_ERROR_ARGUMENT, "result");
    assert_ok(lmb_gpu_graph_create(gpu, program, &gpu_program, &error), &error);
    const lmb_gpu_batch_def good = batch_def(gpu_program);
    lmb_gpu_batch_def defs[6];
    for (size_t i = 0; i < 6; i++) {
        defs[i] = good;
    }
    defs[0].graph = NULL;
    defs[1].character_count = 0;
    defs[2].slot_count = 0;
    defs[3].slot_count = 9;
    defs[4].outputs = 0;
    defs[5].outputs = 1u << LMB_OUTPUT_COUNT;
    static const char *const messages[] = {"graph", "characters", "frame slots", "frame slots", "output", "output"};
    for (size_t i = 0; i < 6; i++) {
        expect_error(lmb_gpu_batch_create(gpu, &defs[i], &batch, &error), &error, LMB_ERROR_ARGUMENT, messages[i]);
        assert_null(batch);
    }
    lmb_gpu_batch_def small = good;
    small.span_bytes = JOINTS * sizeof(lmb_affine) - 1;
    expect_error(lmb_gpu_batch_create(gpu, &small, &batch, &error), &error, LMB_ERROR_LIMIT, "span");
    expect_error(lmb_gpu_batch_create(NULL, &good, &batch, &error), &error, LMB_ERROR_ARGUMENT, "gpu");
    expect_error(lmb_gpu_batch_create(gpu, NULL, &batch, &error), &error, LMB_ERROR_ARGUMENT, "descriptor");
    expect_error(lmb_gpu_batch_create(gpu, &good, NULL, &error), &error, LMB_ERROR_ARGUMENT, "result");
    lmb_gpu_graph_destroy(gpu_program);
    lmb_gpu_destroy(gpu);
}

static void features_that_the_host_did_not_enable_are_named(void **state) {
    (void)state;
    VkPhysicalDeviceScalarBlockLayoutFeatures scalar = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES, .scalarBlockLayout = VK_TRUE};
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, .pNext = &scalar};
    VkPhysicalDeviceVulkan12Features all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            .bufferDeviceAddress = VK_TRUE};
    const VkPhysicalDeviceFeatures2 first = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &all};
    lmb_gpu_def def = gpu_def();
    lmb_gpu *gpu = NULL;
    lmb_error error;
    def.enabled_features = &first;
    expect_error(lmb_gpu_create(&def, NULL, &gpu, &error), &error, LMB_ERROR_DEVICE, "without scalarBlockLayout");
    def.enabled_features = &addresses;
    expect_error(lmb_gpu_create(&def, NULL, &gpu, &error), &error, LMB_ERROR_DEVICE, "without bufferDeviceAddress");
    addresses.bufferDeviceAddress = VK_TRUE;
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    lmb_gpu_destroy(gpu);
    all.scalarBlockLayout = VK_TRUE;
    def.enabled_features = &first;
    assert_ok(lmb_gpu_create(&def, NULL, &gpu, &error), &error);
    lmb_gpu_destroy(gpu);
}

// ---- Spans that descriptors bind. ----

static uint32_t spans_of(lmb_gpu *gpu, const lmb_gpu_batch_def *def) {
    lmb_gpu_batch *batch = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_batch_create(gpu, def, &batch, &error), &error);
    const uint32_t count = lmb_gpu_batch_span_count(batch);
    for (uint32_t i = 0; i < count; i++) {
        for (int output = 0; output < LMB_OUTPUT_COUNT; output++) {
            lmb_gpu_span span;
            assert_true(lmb_gpu_batch_output(batch, 1, (lmb_output)output, i, &span));
            assert_true(!def->binds_spans || span.size <= storage_range);
            assert_int_equal(span.offset % opened.properties.limits.minStorageBufferOffsetAlignment, 0);
            assert_int_equal(span.offset % 256, 0);
        }
    }
    lmb_gpu_batch_destroy(batch);
    return count;
}

static void spans_fit_descriptors_where_the_host_binds_them(void **state) {
    (void)state;
    const lmb_gpu_def gpu_def = door_def();
    lmb_gpu *gpu = NULL;
    lmb_gpu_graph *graph = NULL;
    lmb_gpu_batch *batch = NULL;
    lmb_error error;
    storage_range = 10 * JOINTS * sizeof(lmb_affine) + 1;
    assert_ok(lmb_gpu_create(&gpu_def, NULL, &gpu, &error), &error);
    assert_ok(lmb_gpu_graph_create(gpu, program, &graph, &error), &error);
    lmb_gpu_batch_def def = batch_def(graph);
    assert_int_equal(spans_of(gpu, &def), 1);
    def.one_span = true;
    assert_int_equal(spans_of(gpu, &def), 1);
    def.binds_spans = true;
    expect_error(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error, LMB_ERROR_LIMIT,
                 "one_span: a span has room for 10 characters instead of 70");
    def.one_span = false;
    assert_int_equal(spans_of(gpu, &def), CHARACTERS / 10);
    def.span_bytes = 5 * JOINTS * sizeof(lmb_affine);
    assert_int_equal(spans_of(gpu, &def), CHARACTERS / 5);
    def.one_span = true;
    def.binds_spans = false;
    expect_error(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error, LMB_ERROR_LIMIT, "room for 5 characters");
    lmb_gpu_graph_destroy(graph);
    lmb_gpu_destroy(gpu);
    storage_range = 0;
}

// States are always in one span.
static void states_must_fit_a_descriptor_too(void **state) {
    (void)state;
    const lmb_player_def player = lmb_default_player_def();
    const lmb_node_def node = lmb_playing_node(0, &player);
    lmb_graph_def graph_def = lmb_default_graph_def();
    graph_def.rig = rig;
    graph_def.clips = (const lmb_clip *const[]){clip};
    graph_def.clip_count = 1;
    graph_def.nodes = &node;
    graph_def.node_count = 1;
    const lmb_gpu_def gpu_def = door_def();
    lmb_graph *playing = NULL;
    lmb_gpu *gpu = NULL;
    lmb_gpu_graph *graph = NULL;
    lmb_gpu_batch *batch = NULL;
    lmb_error error;
    assert_ok(lmb_graph_create(&graph_def, NULL, &playing, &error), &error);
    const uint32_t size = CHARACTERS * lmb_graph_get_info(playing)->state_words * (uint32_t)sizeof(uint32_t);
    for (uint32_t missing = 0; missing < 2; missing++) {
        storage_range = size - missing;
        assert_ok(lmb_gpu_create(&gpu_def, NULL, &gpu, &error), &error);
        assert_ok(lmb_gpu_graph_create(gpu, playing, &graph, &error), &error);
        lmb_gpu_batch_def def = batch_def(graph);
        def.binds_spans = true;
        if (missing == 0) {
            assert_ok(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error);
            lmb_gpu_batch_destroy(batch);
        } else {
            expect_error(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error, LMB_ERROR_LIMIT,
                         "binds_spans: the states take");
        }
        lmb_gpu_graph_destroy(graph);
        lmb_gpu_destroy(gpu);
    }
    lmb_graph_destroy(playing);
    storage_range = 0;
}

// Objects of each kind on one gpu.
typedef struct family {
    lmb_graph *program;
    lmb_gpu *gpu;
    lmb_gpu_graph *graph;
    lmb_gpu_clip *clip;
    lmb_gpu_batch *batch;
    lmb_gpu_profile *profile;
    lmb_gpu_readback *readback;
    lmb_gpu_skin *skin;
    lmb_gpu_ragdoll *ragdoll;
} family;

static char logged[500];
static uint32_t log_count;

static void keep_log(void *user, lmb_log_level level, const char *message) {
    (void)user;
    assert_int_equal(level, LMB_LOG_ERROR);
    log_count++;
    snprintf(logged, sizeof logged, "%s", message);
}

static family family_create(void) {
    static const lmb_host host = {.log = keep_log};
    const lmb_gpu_def def = gpu_def();
    family f = {0};
    lmb_error error;
    assert_ok(lmb_gpu_create(&def, &host, &f.gpu, &error), &error);
    f.program = create_program_for(&host, LMB_OP_CLIP, 1, false);
    assert_ok(lmb_gpu_graph_create(f.gpu, f.program, &f.graph, &error), &error);
    assert_ok(lmb_gpu_clip_create(f.gpu, clip, &f.clip, &error), &error);
    const lmb_gpu_batch_def batch = batch_def(f.graph);
    assert_ok(lmb_gpu_batch_create(f.gpu, &batch, &f.batch, &error), &error);
    lmb_gpu_profile_def profile = lmb_default_gpu_profile_def();
    profile.queue_family = opened.queue_family;
    assert_ok(lmb_gpu_profile_create(f.gpu, &profile, &f.profile, &error), &error);
    lmb_gpu_readback_def readback = lmb_default_gpu_readback_def();
    readback.batch = f.batch;
    readback.contents = LMB_READBACK_REFUSED_BIT;
    assert_ok(lmb_gpu_readback_create(f.gpu, &readback, &f.readback, &error), &error);
    assert_ok(lmb_gpu_skin_create(f.gpu, &f.skin, &error), &error);
    assert_ok(lmb_gpu_ragdoll_create(f.gpu, &f.ragdoll, &error), &error);
    return f;
}

static void family_destroy(family *f) {
    lmb_gpu_ragdoll_destroy(f->ragdoll);
    lmb_gpu_skin_destroy(f->skin);
    lmb_gpu_readback_destroy(f->readback);
    lmb_gpu_profile_destroy(f->profile);
    lmb_gpu_batch_destroy(f->batch);
    lmb_gpu_clip_destroy(f->clip);
    lmb_gpu_graph_destroy(f->graph);
    lmb_gpu_destroy(f->gpu);
    lmb_graph_destroy(f->program);
}

// Every call that takes several handles, with one of another gpu.
static void handles_of_another_gpu_are_refused(void **state) {
    (void)state;
    family own = family_create(), other = family_create();
    lmb_error error;
    VkCommandPool pool;
    VkCommandBuffer commands;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    assert_ok(lmb_gpu_graph_record_upload(own.graph, commands, &error), &error);
    assert_ok(lmb_gpu_graph_record_upload(other.graph, commands, &error), &error);
    assert_ok(lmb_gpu_profile_begin(other.profile, 0, commands, &error), &error);
#define REFUSED(call, message) expect_error(call, &error, LMB_ERROR_ARGUMENT, message " belongs to another gpu")
    const lmb_gpu_batch_def batch = batch_def(other.graph);
    lmb_gpu_batch *made = NULL;
    REFUSED(lmb_gpu_batch_create(own.gpu, &batch, &made, &error), "gpu batch: the graph");
    const lmb_gpu_record_info info = {.commands = commands, .profile = other.profile};
    REFUSED(lmb_gpu_batch_record(own.batch, &info, &error), "gpu batch: the profile");
    lmb_gpu_readback_def readback_def = lmb_default_gpu_readback_def();
    readback_def.batch = other.batch;
    readback_def.contents = LMB_READBACK_REFUSED_BIT;
    lmb_gpu_readback *readback = NULL;
    REFUSED(lmb_gpu_readback_create(own.gpu, &readback_def, &readback, &error), "gpu readback: the batch");
    REFUSED(lmb_gpu_graph_record_clip(own.graph, 0, other.clip, commands, &error), "gpu graph: the clip");
    const lmb_gpu_ragdoll_info ragdoll = {
        .graph = other.graph, .character_count = 1, .mask = LMB_NONE, .models = 256, .poses = 256};
    REFUSED(lmb_gpu_ragdoll_record(own.ragdoll, commands, &ragdoll, &error), "gpu ragdoll: the graph");
    control_def control = default_control_def();
    control.parameter_count = lmb_graph_get_info(program)->parameter_count;
    lmb_gpu_control_def control_of_gpu = lmb_default_gpu_control_def();
    lmb_graph *controlled = NULL;
    assert_ok(control_create(&control, program, NULL, &controlled, &error), &error);
    control_of_gpu.control = controlled->control;
    control_of_gpu.graph = other.graph;
    control_of_gpu.character_count = control_of_gpu.slot_count = 1;
    lmb_gpu_control *made_control = NULL;
    REFUSED(lmb_gpu_control_create(own.gpu, &control_of_gpu, &made_control, &error), "gpu control: the graph");
#undef REFUSED
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    lmb_graph_destroy(controlled);
    family_destroy(&other);
    family_destroy(&own);
    assert_int_equal(log_count, 0);
}

static void a_ragdoll_waits_for_the_upload_of_its_graph(void **state) {
    (void)state;
    family f = family_create();
    const lmb_gpu_ragdoll_info info = {
        .graph = f.graph, .character_count = 1, .mask = LMB_NONE, .models = 256, .poses = 256};
    const VkCommandBuffer commands = (VkCommandBuffer)(uintptr_t)16; // not reached
    lmb_error error;
    expect_error(lmb_gpu_ragdoll_record(f.ragdoll, commands, &info, &error), &error, LMB_ERROR_STATE,
                 "gpu ragdoll: the upload of its graph has not been recorded");
    family_destroy(&f);
}

// Destroys parents before their children.
static void what_is_in_use_is_not_destroyed(void **state) {
    (void)state;
    family f = family_create();
    log_count = 0;
    lmb_gpu_destroy(f.gpu);
    assert_string_equal(logged, "gpu: it is not destroyed before what uses it (graphs: 1, clips: 1, batches: 1, "
                                "profiles: 1, readbacks: 1, skins: 1, ragdolls: 1)");
    lmb_gpu_graph_destroy(f.graph);
    assert_string_equal(logged, "gpu graph: it is not destroyed before what uses it (batches: 1)");
    lmb_gpu_batch_destroy(f.batch);
    assert_string_equal(logged, "gpu batch: it is not destroyed before what uses it (readbacks: 1)");
    assert_int_equal(log_count, 3);
    lmb_graph_destroy(f.program);
    assert_string_equal(logged, "graph: it is not destroyed before what uses it (gpu graphs: 1)");
    log_count--;
    // They are as good as before.
    expect_reference_bits(f.gpu);
    const lmb_gpu_batch_def def = batch_def(f.graph);
    lmb_gpu_batch *second = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_batch_create(f.gpu, &def, &second, &error), &error);
    lmb_gpu_batch_destroy(second);
    assert_int_equal(log_count, 3);
    lmb_gpu_ragdoll_destroy(f.ragdoll);
    lmb_gpu_skin_destroy(f.skin);
    lmb_gpu_readback_destroy(f.readback);
    lmb_gpu_profile_destroy(f.profile);
    lmb_gpu_batch_destroy(f.batch);
    lmb_gpu_clip_destroy(f.clip);
    lmb_gpu_destroy(f.gpu);
    assert_string_equal(logged, "gpu: it is not destroyed before what uses it (graphs: 1)");
    lmb_gpu_graph_destroy(f.graph);
    lmb_gpu_destroy(f.gpu);
    lmb_graph_destroy(f.program);
    assert_int_equal(log_count, 4);
}

static void expect_logged(const char *message) {
    assert_string_equal(logged, message);
    logged[0] = '\0';
}

static void what_does_not_exist_is_logged(void **state) {
    (void)state;
    family f = family_create();
    lmb_gpu_span span;
    assert_null(lmb_gpu_batch_parameters(f.batch, 2));
    expect_logged("gpu batch: there is no frame slot 2: there are 2");
    assert_false(lmb_gpu_batch_output(f.batch, 7, LMB_OUTPUT_PALETTE, 0, &span));
    expect_logged("gpu batch: there is no frame slot 7: there are 2");
    assert_false(lmb_gpu_batch_output(f.batch, 0, LMB_OUTPUT_PALETTE, 1, &span));
    expect_logged("gpu batch: there is no span 1: there are 1");
    assert_false(lmb_gpu_batch_inertia(f.batch, 1, &span));
    expect_logged("gpu batch: there is no span 1: there are 1");
    assert_int_equal(lmb_gpu_batch_refused(f.batch, 2).size, 0);
    expect_logged("gpu batch: there is no frame slot 2: there are 2");
    assert_int_equal(lmb_gpu_batch_motions(f.batch, 3).size, 0);
    expect_logged("gpu batch: there is no frame slot 3: there are 2");
    assert_int_equal(lmb_gpu_batch_emitted(f.batch, 4).size, 0);
    expect_logged("gpu batch: there is no frame slot 4: there are 2");
    assert_int_equal(lmb_gpu_batch_matrices(f.batch, 5).size, 0);
    expect_logged("gpu batch: there is no frame slot 5: there are 2");
    assert_int_equal(lmb_gpu_batch_matrices(f.batch, 0).size, 0); // shaders would read address 0
    expect_logged("gpu batch: there are no matrices: own_transforms was not asked for, or the graph has no motion");
    assert_false(lmb_gpu_batch_inertia(f.batch, 0, &span)); // what a graph does not have is no mistake
    assert_string_equal(logged, "");
    family_destroy(&f);
}

static void rows_of_parameters_have_the_length_of_the_graph(void **state) {
    (void)state;
    family f = family_create();
    const uint32_t length = lmb_graph_get_info(program)->parameter_count;
    float rows[3 * 2] = {1, 2, 3, 4, 5, 6};
    lmb_error error;
    assert_int_equal(length, 1);
    float *parameters = lmb_gpu_batch_parameters(f.batch, 1);
    memset(parameters, 0, CHARACTERS * sizeof *parameters);
    assert_ok(lmb_gpu_batch_write_parameters(f.batch, 1, CHARACTERS - 3, 3, rows, length, &error), &error);
    assert_memory_equal(parameters + CHARACTERS - 3, rows, 3 * sizeof *rows);
    assert_true(parameters[CHARACTERS - 4] == 0.0f);
    expect_error(lmb_gpu_batch_write_parameters(f.batch, 1, 0, 3, rows, length + 1, &error), &error, LMB_ERROR_ARGUMENT,
                 "a row has 2 parameters, and the graph has 1");
    expect_error(lmb_gpu_batch_write_parameters(f.batch, 1, CHARACTERS - 2, 3, rows, length, &error), &error,
                 LMB_ERROR_ARGUMENT, "characters 68 to 71: there are 70");
    expect_error(lmb_gpu_batch_write_parameters(f.batch, 1, UINT32_MAX, 3, rows, length, &error), &error,
                 LMB_ERROR_ARGUMENT, "there are 70");
    expect_error(lmb_gpu_batch_write_parameters(f.batch, 2, 0, 3, rows, length, &error), &error, LMB_ERROR_ARGUMENT,
                 "frame slot");
    expect_error(lmb_gpu_batch_write_parameters(f.batch, 1, 0, 1, NULL, length, &error), &error, LMB_ERROR_ARGUMENT,
                 "NULL");
    expect_error(lmb_gpu_batch_write_parameters(NULL, 1, 0, 1, rows, length, &error), &error, LMB_ERROR_ARGUMENT,
                 "NULL");
    assert_true(parameters[0] == 0.0f);
    family_destroy(&f);
}

static void calls_in_the_wrong_state_are_refused(void **state) {
    (void)state;
    lmb_gpu *gpu = create_gpu();
    lmb_graph *of_pose = create_program(true);
    lmb_gpu_graph *gpu_program = NULL;
    lmb_gpu_batch *batch = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_graph_create(gpu, of_pose, &gpu_program, &error), &error);
    lmb_gpu_batch_def def = batch_def(gpu_program);
    def.outputs = LMB_OUTPUT_LOCAL_BIT;
    assert_ok(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error);
    VkCommandPool pool;
    VkCommandBuffer commands;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    lmb_gpu_record_info info = {.commands = commands};
    expect_error(lmb_gpu_graph_uploaded(gpu_program, &error), &error, LMB_ERROR_STATE, "upload");
    expect_error(lmb_gpu_batch_record(batch, &info, &error), &error, LMB_ERROR_STATE, "upload");
    expect_error(lmb_gpu_graph_record_upload(gpu_program, NULL, &error), &error, LMB_ERROR_ARGUMENT, "command buffer");
    expect_error(lmb_gpu_graph_record_upload(NULL, commands, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    assert_ok(lmb_gpu_graph_record_upload(gpu_program, commands, &error), &error);
    expect_error(lmb_gpu_batch_record(batch, &info, &error), &error, LMB_ERROR_STATE, "pose buffer 0");
    expect_error(lmb_gpu_batch_bind_pose(batch, 2, 0, 256, &error), &error, LMB_ERROR_ARGUMENT, "frame slot");
    expect_error(lmb_gpu_batch_bind_pose(batch, 0, 1, 256, &error), &error, LMB_ERROR_ARGUMENT,
                 "there is no pose buffer 1: the graph has 1");
    expect_error(lmb_gpu_batch_bind_pose(batch, 0, LMB_NONE, 256, &error), &error, LMB_ERROR_ARGUMENT, "pose buffer");
    expect_error(lmb_gpu_batch_bind_pose(batch, 0, 0, 0, &error), &error, LMB_ERROR_ARGUMENT, "address");
    expect_error(lmb_gpu_batch_bind_pose(batch, 0, 0, 258, &error), &error, LMB_ERROR_ARGUMENT, "multiple of 4");
    expect_error(lmb_gpu_batch_bind_pose(NULL, 0, 0, 256, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    expect_error(lmb_gpu_batch_bind_points(batch, 2, 256, &error), &error, LMB_ERROR_ARGUMENT, "frame slot");
    expect_error(lmb_gpu_batch_bind_points(batch, 0, 256, &error), &error, LMB_ERROR_ARGUMENT, "has no points");
    expect_error(lmb_gpu_batch_bind_points(NULL, 0, 256, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    expect_error(lmb_gpu_batch_bind_transforms(batch, 0, 256, &error), &error, LMB_ERROR_ARGUMENT, "has no points in");
    const lmb_gpu_record_info lists[] = {{.commands = commands, .list = 258, .list_count = 256, .list_capacity = 1},
                                         {.commands = commands, .list = 256, .list_count = 0, .list_capacity = 1},
                                         {.commands = commands, .list = 256, .list_count = 257, .list_capacity = 1},
                                         {.commands = commands, .list = 256, .list_count = 512, .list_capacity = 71}};
    static const char *const of_lists[] = {"address of the list is", "the list's count", "the list's count",
                                           "a list of 71"};
    for (size_t i = 0; i < 4; i++) {
        expect_error(lmb_gpu_batch_record(batch, &lists[i], &error), &error, LMB_ERROR_ARGUMENT, of_lists[i]);
    }
    info.slot = 2;
    expect_error(lmb_gpu_batch_record(batch, &info, &error), &error, LMB_ERROR_ARGUMENT, "frame slot 2");
    info.slot = 0;
    info.has_previous_slot = true;
    info.previous_slot = 1;
    expect_error(lmb_gpu_batch_record(batch, &info, &error), &error, LMB_ERROR_STATE, "frame slot 1");
    info.previous_slot = 2;
    expect_error(lmb_gpu_batch_record(batch, &info, &error), &error, LMB_ERROR_ARGUMENT, "frame slot 2");
    expect_error(lmb_gpu_batch_record(batch, &(lmb_gpu_record_info){0}, &error), &error, LMB_ERROR_ARGUMENT,
                 "command buffer");
    expect_error(lmb_gpu_batch_record(batch, NULL, &error), &error, LMB_ERROR_ARGUMENT, "record info");
    expect_error(lmb_gpu_batch_record(NULL, &info, &error), &error, LMB_ERROR_ARGUMENT, "NULL");
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    assert_ok(lmb_gpu_graph_uploaded(gpu_program, &error), &error);
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    expect_error(lmb_gpu_graph_record_upload(gpu_program, commands, &error), &error, LMB_ERROR_STATE, "completed");
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(gpu_program);
    lmb_graph_destroy(of_pose);
    lmb_gpu_destroy(gpu);
}

static void points_and_transforms_must_be_bound(void **state) {
    (void)state;
    lmb_node_def nodes[2] = {lmb_default_node_def()};
    const lmb_value target[3] = {lmb_constant(1.0f), lmb_constant(2.0f), lmb_constant(3.0f)};
    const float forward[3] = {1.0f, 0.0f, 0.0f};
    nodes[1] = lmb_aim_node(0, 0, forward, target);
    nodes[1].aim.target_slot = lmb_point(0);
    nodes[1].aim.space = LMB_IK_WORLD;
    const lmb_graph_def graph_def = {.rig = rig, .nodes = nodes, .node_count = 2};
    lmb_gpu *gpu = create_gpu();
    lmb_graph *graph = NULL;
    lmb_gpu_graph *gpu_graph = NULL;
    lmb_gpu_batch *batch = NULL;
    lmb_error error;
    assert_ok(lmb_graph_create(&graph_def, NULL, &graph, &error), &error);
    assert_ok(lmb_gpu_graph_create(gpu, graph, &gpu_graph, &error), &error);
    const lmb_gpu_batch_def def = batch_def(gpu_graph);
    assert_ok(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error);
    VkCommandPool pool;
    VkCommandBuffer commands;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    const lmb_gpu_record_info info = {.commands = commands};
    assert_ok(lmb_gpu_graph_record_upload(gpu_graph, commands, &error), &error);
    expect_error(lmb_gpu_batch_record(batch, &info, &error), &error, LMB_ERROR_STATE, "the points of frame slot 0");
    expect_error(lmb_gpu_batch_bind_points(batch, 0, 0, &error), &error, LMB_ERROR_ARGUMENT, "points is 0");
    expect_error(lmb_gpu_batch_bind_transforms(batch, 0, 8, &error), &error, LMB_ERROR_ARGUMENT, "multiple of 16");
    assert_ok(lmb_gpu_batch_bind_points(batch, 0, 256, &error), &error);
    expect_error(lmb_gpu_batch_record(batch, &info, &error), &error, LMB_ERROR_STATE, "the world transforms of frame");
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(gpu_graph);
    lmb_graph_destroy(graph);
    lmb_gpu_destroy(gpu);
}

static void what_a_batch_does_not_have_is_null(void **state) {
    (void)state;
    lmb_gpu *gpu = create_gpu();
    lmb_graph *of_pose = create_program(true);
    lmb_gpu_graph *programs[2] = {NULL, NULL};
    lmb_gpu_batch *batch = NULL, *without_parameters = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_graph_create(gpu, program, &programs[0], &error), &error);
    assert_ok(lmb_gpu_graph_create(gpu, of_pose, &programs[1], &error), &error);
    lmb_gpu_batch_def def = batch_def(programs[0]);
    def.outputs = LMB_OUTPUT_PALETTE_BIT;
    assert_ok(lmb_gpu_batch_create(gpu, &def, &batch, &error), &error);
    def.graph = programs[1];
    def.outputs = ALL_OUTPUTS;
    assert_ok(lmb_gpu_batch_create(gpu, &def, &without_parameters, &error), &error);
    assert_non_null(lmb_gpu_batch_parameters(batch, 1));
    assert_ptr_not_equal(lmb_gpu_batch_parameters(batch, 0), lmb_gpu_batch_parameters(batch, 1));
    assert_null(lmb_gpu_batch_parameters(batch, 2));
    assert_null(lmb_gpu_batch_parameters(without_parameters, 0));
    lmb_gpu_span span;
    assert_true(lmb_gpu_batch_output(without_parameters, 0, LMB_OUTPUT_SOCKETS, 0, &span)); // the rig has none
    assert_true(span.buffer == VK_NULL_HANDLE && span.size == 0 && span.character_count == CHARACTERS);
    assert_true(lmb_gpu_batch_output(without_parameters, 0, LMB_OUTPUT_BOUNDS, 0, &span));
    assert_int_equal(span.size, CHARACTERS * sizeof(float[6]));
    assert_true(lmb_gpu_batch_output(batch, 1, LMB_OUTPUT_PALETTE, 0, &span));
    assert_int_equal(span.size, CHARACTERS * JOINTS * sizeof(lmb_affine));
    assert_int_equal(span.first_character, 0);
    assert_int_equal(span.character_count, CHARACTERS);
    assert_int_equal(span.offset % 256, 0);
    assert_true(span.buffer != VK_NULL_HANDLE && span.address != 0);
    assert_false(lmb_gpu_batch_output(batch, 2, LMB_OUTPUT_PALETTE, 0, &span));
    assert_true(span.buffer == VK_NULL_HANDLE && span.size == 0);
    assert_false(lmb_gpu_batch_output(batch, 0, LMB_OUTPUT_PALETTE, 1, &span));
    assert_false(lmb_gpu_batch_output(batch, 0, LMB_OUTPUT_MODEL, 0, &span));
    assert_false(lmb_gpu_batch_output(batch, 0, LMB_OUTPUT_COUNT, 0, &span));
    assert_false(lmb_gpu_batch_output(batch, 0, LMB_OUTPUT_SOCKETS, 0, &span));
    assert_int_equal(lmb_gpu_batch_refused(batch, 0).size, LMB_REFUSAL_COUNT * sizeof(uint32_t));
    assert_int_equal(lmb_gpu_batch_refused(batch, 2).size, 0);
    const lmb_batch_def description = lmb_gpu_batch_description(batch);
    assert_ptr_equal(description.graph, program);
    assert_int_equal(description.character_count, CHARACTERS);
    assert_int_equal(description.outputs, LMB_OUTPUT_PALETTE_BIT);
    lmb_gpu_batch_destroy(without_parameters);
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(programs[1]);
    lmb_gpu_graph_destroy(programs[0]);
    lmb_graph_destroy(of_pose);
    lmb_gpu_destroy(gpu);
}

// ---- The host's own device memory allocators. ----

// Two blocks of device memory. Allocations go from the start upwards, and from the start again when nothing is in use.
typedef struct arena {
    VkDeviceMemory memory[2]; // device local, host visible
    void *mapped;
    VkDeviceSize used[2];
    uint32_t asked, failing; // as above
    int32_t pieces;
    bool forget_mapping;
    bool refuse_direct;
} arena;

#define ARENA_SIZE ((VkDeviceSize)16 << 20)

static VkResult arena_allocate(void *user, const VkMemoryRequirements *needs, lmb_gpu_memory_use use,
                               lmb_gpu_memory *memory) {
    const bool host_access = use != LMB_GPU_MEMORY_DEVICE;
    arena *arena = user;
    if (++arena->asked == arena->failing || (use == LMB_GPU_MEMORY_DIRECT && arena->refuse_direct)) {
        return VK_ERROR_TOO_MANY_OBJECTS;
    }
    VkDeviceSize *used = &arena->used[host_access];
    VkDeviceSize offset = (*used + needs->alignment - 1) / needs->alignment * needs->alignment;
    assert_true(offset + needs->size <= ARENA_SIZE);
    *used = offset + needs->size;
    *memory = (lmb_gpu_memory){.memory = arena->memory[host_access], .offset = offset, .handle = arena};
    if (host_access && !arena->forget_mapping) {
        memory->mapped = (char *)arena->mapped + offset;
    }
    arena->pieces++;
    return VK_SUCCESS;
}

static void arena_release(void *user, const lmb_gpu_memory *memory) {
    arena *arena = user;
    assert_ptr_equal(memory->handle, arena);
    if (--arena->pieces == 0) {
        arena->used[0] = arena->used[1] = 0;
    }
}

// Allocates memory of a type that Limber's buffers can use. A test buffer determines the type.
static VkDeviceMemory arena_memory(VkMemoryPropertyFlags flags, VkBufferUsageFlags usage) {
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 256, .usage = usage};
    VkBuffer buffer;
    assert_int_equal(vkCreateBuffer(opened.device, &info, NULL, &buffer), VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(opened.device, buffer, &needs);
    vkDestroyBuffer(opened.device, buffer, NULL);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(opened.physical, &memory);
    uint32_t type = 0;
    while ((needs.memoryTypeBits >> type & 1u) == 0 || (memory.memoryTypes[type].propertyFlags & flags) != flags) {
        type++;
        assert_true(type < memory.memoryTypeCount);
    }
    const VkMemoryAllocateFlagsInfo with = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                            .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                             .pNext = &with,
                                             .allocationSize = ARENA_SIZE,
                                             .memoryTypeIndex = type};
    VkDeviceMemory made;
    assert_int_equal(vkAllocateMemory(opened.device, &allocation, NULL, &made), VK_SUCCESS);
    return made;
}

static void arena_create(arena *arena) {
    const VkBufferUsageFlags copies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    *arena = (struct arena){0};
    const VkBufferUsageFlags all = copies | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
                                   VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    arena->memory[0] = arena_memory(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, all);
    arena->memory[1] = arena_memory(VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, all);
    assert_int_equal(vkMapMemory(opened.device, arena->memory[1], 0, VK_WHOLE_SIZE, 0, &arena->mapped), VK_SUCCESS);
}

static void arena_destroy(arena *arena) {
    vkFreeMemory(opened.device, arena->memory[0], NULL);
    vkFreeMemory(opened.device, arena->memory[1], NULL);
}

// Whether frames copy the parameters, because the kernels do not read the memory that the host writes.
static bool copies_parameters(const lmb_gpu_batch *batch) {
    lmb_gpu_bytes rows[LMB_MAX_GPU_BYTES_ROWS];
    const uint32_t count = lmb_gpu_batch_bytes(batch, rows, LMB_MAX_GPU_BYTES_ROWS);
    bool copies = false;
    for (uint32_t i = 0; i < count; i++) {
        copies = copies || strcmp(rows[i].name, "parameters staging") == 0;
    }
    return copies;
}

static void memory_hooks_take_the_place_of_vulkans_memory(void **state) {
    (void)state;
    arena arena;
    arena_create(&arena);
    const lmb_gpu_memory_hooks hooks = {arena_allocate, arena_release, &arena};
    for (uint32_t refuses = 0; refuses < 2; refuses++) {
        ground ground = {.def = door_def()};
        ground.def.memory = &hooks;
        arena.asked = 0;
        arena.refuse_direct = refuses;
        ground_create(&ground);
        assert_int_equal(copies_parameters(ground.batch), refuses);
        expect_reference_bits(ground.gpu);
        ground_destroy(&ground);
        assert_true(arena.asked > 5);
        assert_int_equal(arena.pieces, 0);
    }
    arena_destroy(&arena);
}

static bool has_direct_memory(void) {
    const VkMemoryPropertyFlags direct = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(opened.physical, &memory);
    bool has = false;
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
        has = has || (memory.memoryTypes[i].propertyFlags & direct) == direct;
    }
    return has;
}

// A graph that moves by itself keeps what the host wrote apart from what the control writes. A small heap is spared.
static void parameters_are_direct_where_memory_allows_it(void **state) {
    (void)state;
    ground ground = {.def = door_def()};
    ground_create(&ground);
    assert_int_equal(copies_parameters(ground.batch), !has_direct_memory());
    expect_reference_bits(ground.gpu);
    for (uint32_t i = 0; i < ground.gpu->memory.memoryHeapCount; i++) {
        ground.gpu->memory.memoryHeaps[i].size = 1024;
    }
    const lmb_gpu_batch_def def = batch_def(ground.program);
    lmb_gpu_batch *copying = NULL;
    lmb_error error;
    assert_ok(lmb_gpu_batch_create(ground.gpu, &def, &copying, &error), &error);
    assert_true(copies_parameters(copying));
    lmb_gpu_batch_destroy(copying);
    expect_reference_bits(ground.gpu);
    ground_destroy(&ground);
}

static void memory_hooks_that_fail_are_reported(void **state) {
    (void)state;
    arena arena;
    arena_create(&arena);
    const lmb_gpu_memory_hooks hooks = {arena_allocate, arena_release, &arena};
    ground ground = {.def = door_def()};
    ground.def.memory = &hooks;
    fail_each_of_all_steps(&ground, &arena.asked, &arena.failing, LMB_ERROR_VULKAN, "hook: VK_ERROR_TOO_MANY_OBJECTS",
                           1);
    assert_int_equal(arena.pieces, 0);
    arena.forget_mapping = true;
    lmb_error error;
    expect_error(step_gpu(&ground, &error), &error, LMB_ERROR_ARGUMENT, "mapped");
    assert_int_equal(arena.pieces, 0);
    arena_destroy(&arena);
}

// Records and runs one frame, and expects these commands of it.
static void expect_commands(lmb_gpu_batch *batch, lmb_gpu_record_info info, frame_commands expected) {
    VkCommandPool pool;
    lmb_error error;
    assert_ok(device_begin(&opened, &pool, &info.commands, &error), &error);
    recorded = (frame_commands){0};
    assert_ok(lmb_gpu_batch_record(batch, &info, &error), &error);
    assert_int_equal(recorded.transfers, expected.transfers);
    assert_int_equal(recorded.dispatches, expected.dispatches);
    assert_int_equal(recorded.barriers, expected.barriers);
    assert_ok(device_submit_and_wait(&opened, pool, info.commands, &error), &error);
}

static void upload(lmb_gpu_graph *graph) {
    VkCommandPool pool;
    VkCommandBuffer commands;
    lmb_error error;
    assert_ok(device_begin(&opened, &pool, &commands, &error), &error);
    assert_ok(lmb_gpu_graph_record_upload(graph, commands, &error), &error);
    assert_ok(device_submit_and_wait(&opened, pool, commands, &error), &error);
}

static void write_parameters(lmb_gpu_batch *batch, const lmb_graph *graph) {
    memset(lmb_gpu_batch_parameters(batch, 0), 0,
           CHARACTERS * lmb_graph_get_info(graph)->parameter_count * sizeof(float));
}

// Transfers: the table of spans with the refusal counters; the parameters, if they are copied. Dispatches: weights, and
// all later stages in one; the list; the control. Barriers: before and after the transfers, after each dispatch.
static void commands_of_a_frame_are_few(void **state) {
    (void)state;
    ground ground = {.def = door_def()};
    ground_create(&ground);
    upload(ground.program);
    lmb_gpu_batch *const batch = ground.batch;
    const uint32_t copy = copies_parameters(batch);
    const uint32_t words[] = {2, 5, 3};
    device_buffer list = suite_buffer(&opened, words, sizeof words);
    write_parameters(batch, program);
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    expect_commands(batch, info, (frame_commands){1 + copy, 2, 4});
    info.has_previous_slot = true;
    expect_commands(batch, info, (frame_commands){1 + copy, 2, 4});
    info.has_previous_slot = false;
    info.list = list.address + sizeof(uint32_t);
    info.list_count = list.address;
    info.list_capacity = 2;
    expect_commands(batch, info, (frame_commands){1 + copy, 3, 5});
    device_buffer_destroy(&opened, &list);
    ground_destroy(&ground);
}

static void commands_of_a_frame_with_a_control_are_few(void **state) {
    (void)state;
    const lmb_player_def player = lmb_default_player_def();
    const lmb_node_def node = lmb_playing_node(0, &player);
    const lmb_graph_def def = {
        .rig = rig, .clips = (const lmb_clip *const *)&clip, .clip_count = 1, .nodes = &node, .node_count = 1};
    const lmb_gpu_def with = door_def();
    lmb_graph *graph = NULL;
    lmb_gpu *gpu = NULL;
    lmb_gpu_graph *gpu_graph = NULL;
    lmb_gpu_batch *batch = NULL;
    lmb_error error;
    assert_ok(lmb_graph_create(&def, NULL, &graph, &error), &error);
    assert_ok(lmb_gpu_create(&with, NULL, &gpu, &error), &error);
    gpu->limits.loops = UINT32_MAX; // else the control may run in parts
    assert_ok(lmb_gpu_graph_create(gpu, graph, &gpu_graph, &error), &error);
    const lmb_gpu_batch_def of = batch_def(gpu_graph);
    assert_ok(lmb_gpu_batch_create(gpu, &of, &batch, &error), &error);
    upload(gpu_graph);
    write_parameters(batch, graph);
    lmb_gpu_record_info info = lmb_default_gpu_record_info();
    expect_commands(batch, info, (frame_commands){1 + 3, 3, 5}); // the first frame: the control's block and states
    info.number++;
    expect_commands(batch, info, (frame_commands){1 + 1, 3, 5});
    info.poses_alone = true;
    expect_commands(batch, info, (frame_commands){1 + 1, 2, 4});
    lmb_gpu_batch_destroy(batch);
    lmb_gpu_graph_destroy(gpu_graph);
    lmb_gpu_destroy(gpu);
    lmb_graph_destroy(graph);
}

static int32_t callback_blocks;
static uint32_t callback_calls;

static void *VKAPI_CALL callback_allocate(void *user, size_t size, size_t alignment, VkSystemAllocationScope scope) {
    (void)scope;
    assert_ptr_equal(user, &callback_blocks);
    callback_blocks++;
    callback_calls++;
    alignment = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void VKAPI_CALL callback_free(void *user, void *memory) {
    (void)user;
    callback_blocks -= memory != NULL;
    free(memory);
}

static void *VKAPI_CALL callback_reallocate(void *user, void *old, size_t size, size_t alignment,
                                            VkSystemAllocationScope scope) {
    (void)scope;
    assert_true(alignment <= 16);
    callback_calls++;
    if (size == 0) {
        callback_free(user, old);
        return NULL;
    }
    callback_blocks += old == NULL;
    return realloc(old, size);
}

static void vulkans_allocation_callbacks_are_passed_on(void **state) {
    (void)state;
    const VkAllocationCallbacks callbacks = {.pUserData = &callback_blocks,
                                             .pfnAllocation = callback_allocate,
                                             .pfnReallocation = callback_reallocate,
                                             .pfnFree = callback_free};
    callback_blocks = 0;
    callback_calls = 0;
    ground ground = {.def = door_def()};
    ground.def.vulkan_allocator = &callbacks;
    lmb_error error;
    ground_create(&ground);
    assert_ok(step_batch(&ground, &error), &error);
    ground_destroy(&ground);
    assert_true(callback_calls > 0);
    assert_int_equal(callback_blocks, 0);
}

// ---- A device of Vulkan 1.1, with the two extensions that have what Limber needs of 1.2. ----

static void a_device_of_vulkan_1_1_gives_the_reference_bits(void **state) {
    (void)state;
    const device newer = opened;
    const VkPipelineCache newer_cache = cache;
    device_request request = suite_request();
    request.vulkan_1_1 = true;
    device old;
    lmb_error error;
    if (device_open(&request, &old, &error) != LMB_OK) { // SwiftShader has the features and no extension
        volkLoadInstance(opened.instance);
        assert_non_null(strstr(error.message, "lacks VK_"));
        skip();
    }
    opened = old;
    cache = VK_NULL_HANDLE;
    lmb_gpu *gpu = create_gpu();
    expect_reference_bits(gpu);
    lmb_gpu_destroy(gpu);
    close_device(&old); // fails on a message of the validation layer
    opened = newer;
    cache = newer_cache;
    volkLoadInstance(opened.instance);
}

// ---- A queue family with compute and no graphics. ----

static bool open_compute_only(device *device) {
    const device_request request = suite_request();
    lmb_error error;
    assert_ok(device_open_instance(&request, device, &error), &error);
    VkPhysicalDevice listed[DEVICE_MAX];
    const uint32_t count = device_list(device, listed);
    for (uint32_t i = 0; i < count; i++) {
        VkQueueFamilyProperties families[16];
        uint32_t family_count = 16;
        vkGetPhysicalDeviceQueueFamilyProperties(listed[i], &family_count, families);
        for (uint32_t family = 0; family < family_count && device_lacks(listed[i]) == NULL; family++) {
            if ((families[family].queueFlags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)) !=
                VK_QUEUE_COMPUTE_BIT) {
                continue;
            }
            const float priority = 1.0f;
            const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                   .queueFamilyIndex = family,
                                                   .queueCount = 1,
                                                   .pQueuePriorities = &priority};
            VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                         .scalarBlockLayout = VK_TRUE,
                                                         .bufferDeviceAddress = VK_TRUE};
            const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                             .pNext = &features,
                                             .queueCreateInfoCount = 1,
                                             .pQueueCreateInfos = &queue};
            assert_int_equal(vkCreateDevice(listed[i], &info, NULL, &device->device), VK_SUCCESS);
            volkLoadDevice(device->device);
            device->physical = listed[i];
            device->queue_family = family;
            vkGetDeviceQueue(device->device, family, 0, &device->queue);
            return true;
        }
    }
    return false;
}

static void a_queue_with_compute_alone_is_enough(void **state) {
    (void)state;
    const device all = opened;
    const VkPipelineCache all_cache = cache;
    device compute;
    const bool found = open_compute_only(&compute);
    if (found) {
        opened = compute;
        cache = VK_NULL_HANDLE;
        lmb_gpu *gpu = create_gpu();
        expect_reference_bits(gpu);
        lmb_gpu_destroy(gpu);
    }
    close_device(&compute);
    opened = all;
    cache = all_cache;
    volkLoadInstance(opened.instance);
    volkLoadDevice(opened.device);
    if (!found) {
        skip(); // every family with compute also has graphics
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vulkan_call_that_fails_is_named_and_leaves_nothing),
        cmocka_unit_test(every_allocation_that_fails_is_reported_and_leaves_nothing),
        cmocka_unit_test(a_graph_stays_interpreted_if_its_kernel_cannot_be_compiled),
        cmocka_unit_test(objects_share_pipelines),
        cmocka_unit_test(the_last_unused_pipelines_are_kept),
        cmocka_unit_test(threads_that_compile_the_same_share_it),
        cmocka_unit_test(every_function_that_cannot_be_loaded_is_named),
        cmocka_unit_test(a_device_of_vulkan_1_1_without_extensions_is_refused),
        cmocka_unit_test(recording_creates_and_allocates_nothing),
        cmocka_unit_test(batches_change_over_to_the_kernel_of_their_graph),
        cmocka_unit_test(a_pipeline_cache_goes_in_and_comes_out),
        cmocka_unit_test(a_gpu_without_a_queue_waits_for_its_probe),
        cmocka_unit_test(wrong_descriptors_of_a_gpu_are_named),
        cmocka_unit_test(wrong_descriptors_of_a_batch_are_named),
        cmocka_unit_test(features_that_the_host_did_not_enable_are_named),
        cmocka_unit_test(spans_fit_descriptors_where_the_host_binds_them),
        cmocka_unit_test(states_must_fit_a_descriptor_too),
        cmocka_unit_test(handles_of_another_gpu_are_refused),
        cmocka_unit_test(a_ragdoll_waits_for_the_upload_of_its_graph),
        cmocka_unit_test(what_is_in_use_is_not_destroyed),
        cmocka_unit_test(what_does_not_exist_is_logged),
        cmocka_unit_test(rows_of_parameters_have_the_length_of_the_graph),
        cmocka_unit_test(calls_in_the_wrong_state_are_refused),
        cmocka_unit_test(points_and_transforms_must_be_bound),
        cmocka_unit_test(what_a_batch_does_not_have_is_null),
        cmocka_unit_test(memory_hooks_take_the_place_of_vulkans_memory),
        cmocka_unit_test(memory_hooks_that_fail_are_reported),
        cmocka_unit_test(parameters_are_direct_where_memory_allows_it),
        cmocka_unit_test(commands_of_a_frame_are_few),
        cmocka_unit_test(commands_of_a_frame_with_a_control_are_few),
        cmocka_unit_test(vulkans_allocation_callbacks_are_passed_on),
        cmocka_unit_test(a_device_of_vulkan_1_1_gives_the_reference_bits),
        cmocka_unit_test(a_queue_with_compute_alone_is_enough),
    };
    return run_gpu_suite_with("gpu_host", tests, sizeof tests / sizeof tests[0], start, finish);
}
