// The device of the host: functions, limits, the pipelines that serve all graphs, and the numbers of objects that use
// it.
//
// Before a driver sees a kernel, its module is specialised (spirv.h): code that the constants disable is removed, and
// rounding to nearest even is declared where the device lets it be. A device that cannot declare it is not refused. The
// probe decides, because many of these devices round that way.
#include "gpu.h"

#include "gpu/spirv/spirv.h"
#include "push.h"
#include "specialized.h"

#include <stdio.h>
#include <string.h>

#include "channels.spv.h"
#include "list.spv.h"
#include "model.spv.h"
#include "pose.spv.h"
#include "probe.spv.h"
#include "weights.spv.h"

static const struct {
    const char *name;
    const uint32_t *words;
    size_t count;
} kernels[LMB_KERNEL_COUNT] = {
    [LMB_KERNEL_WEIGHTS] = {"limber weights", kernel_weights, sizeof kernel_weights / sizeof kernel_weights[0]},
    [LMB_KERNEL_POSE] = {"limber pose", kernel_pose, sizeof kernel_pose / sizeof kernel_pose[0]},
    [LMB_KERNEL_CHANNELS] = {"limber channels", kernel_channels, sizeof kernel_channels / sizeof kernel_channels[0]},
    [LMB_KERNEL_LIST] = {"limber list", kernel_list, sizeof kernel_list / sizeof kernel_list[0]},
    [LMB_KERNEL_MODEL] = {"limber model", kernel_model, sizeof kernel_model / sizeof kernel_model[0]},
    [LMB_KERNEL_PROBE] = {"limber probe", kernel_probe, sizeof kernel_probe / sizeof kernel_probe[0]},
};

// Poses that the interpreting kernel has room for, if the device has the memory. Most graphs hold fewer, and the memory
// of a workgroup limits how many of them run at the same time.
#define INTERPRETED_POSES 8u

// Iterations after which lavapipe ends all loops of an invocation (seen in Mesa 22.3).
#define LLVMPIPE_LOOPS 65535u

lmb_gpu_def lmb_default_gpu_def(void) {
    return (lmb_gpu_def){.kept_pipelines = 8};
}

static lmb_result check_def(const lmb_gpu_def *def, lmb_gpu **gpu, lmb_error *error) {
    const char *missing = def == NULL                           ? "the descriptor"
                          : gpu == NULL                         ? "the result"
                          : def->get_instance_proc_addr == NULL ? "get_instance_proc_addr"
                          : def->instance == VK_NULL_HANDLE     ? "the instance"
                          : def->physical_device == NULL        ? "the physical device"
                          : def->device == VK_NULL_HANDLE       ? "the device"
                                                                : NULL;
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu: %s is NULL", missing);
    }
    if (def->queue_family_count > 0 && def->queue_families == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu: the queue families are NULL");
    }
    if (def->memory != NULL && (def->memory->allocate == NULL || def->memory->release == NULL)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu: a memory hook is NULL");
    }
    return LMB_OK;
}

// Checks the features that the host has enabled, if it says which.
static lmb_result check_enabled(const void *chain, lmb_error *error) {
    bool addresses = chain == NULL, scalar = chain == NULL;
    for (const VkBaseInStructure *s = chain; s != NULL; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            const VkPhysicalDeviceVulkan12Features *features = (const void *)s;
            addresses = addresses || features->bufferDeviceAddress;
            scalar = scalar || features->scalarBlockLayout;
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES) {
            addresses = addresses || ((const VkPhysicalDeviceBufferDeviceAddressFeatures *)s)->bufferDeviceAddress;
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES) {
            scalar = scalar || ((const VkPhysicalDeviceScalarBlockLayoutFeatures *)s)->scalarBlockLayout;
        }
    }
    return addresses && scalar ? LMB_OK
                               : lmb_fail(error, LMB_ERROR_DEVICE, "gpu: the device was created without %s",
                                          addresses ? "scalarBlockLayout" : "bufferDeviceAddress");
}

static lmb_result load_functions(const lmb_gpu_def *def, lmb_gpu_functions *vk, lmb_error *error) {
    const char *missing = NULL;
#define LMB_LOAD(name)                                                                                                 \
    vk->name = (PFN_vk##name)def->get_instance_proc_addr(def->instance, "vk" #name);                                   \
    missing = missing == NULL && vk->name == NULL ? #name : missing;
    LMB_INSTANCE_FUNCTIONS(LMB_LOAD)
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_DEVICE, "gpu: vk%s cannot be loaded: the instance must be of Vulkan 1.1",
                        missing);
    }
    if (def->debug_utils) {
        LMB_DEBUG_FUNCTIONS(LMB_LOAD)
    }
#undef LMB_LOAD
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "gpu: vk%s cannot be loaded: debug_utils is set, and the instance has no VK_EXT_debug_utils",
                        missing);
    }
#define LMB_LOAD(name)                                                                                                 \
    vk->name = (PFN_vk##name)vk->GetDeviceProcAddr(def->device, "vk" #name);                                           \
    missing = missing == NULL && vk->name == NULL ? #name : missing;
    LMB_DEVICE_FUNCTIONS(LMB_LOAD)
#undef LMB_LOAD
    if (missing != NULL) {
        return lmb_fail(error, LMB_ERROR_DEVICE,
                        "gpu: vk%s cannot be loaded: instance and device must be of Vulkan 1.1", missing);
    }
    const char *const names[] = {"vkGetBufferDeviceAddress", "vkGetBufferDeviceAddressKHR"};
    for (size_t i = 0; i < 2 && vk->GetBufferDeviceAddress == NULL; i++) {
        vk->GetBufferDeviceAddress =
            (PFN_vkGetBufferDeviceAddress)(void (*)(void))vk->GetDeviceProcAddr(def->device, names[i]);
        vk->has_1_2 = i == 0 && vk->GetBufferDeviceAddress != NULL;
    }
    return vk->GetBufferDeviceAddress != NULL
               ? LMB_OK
               : lmb_fail(error, LMB_ERROR_DEVICE,
                          "gpu: vkGetBufferDeviceAddress cannot be loaded: instance and device must be of Vulkan 1.2, "
                          "or the device have VK_KHR_buffer_device_address and VK_EXT_scalar_block_layout");
}

// Returns lmb_gpu_limits.block. Subgroups of these drivers have 32 or 64 invocations. Others may use smaller ones than
// they say; none less than four.
static uint32_t find_block(VkDriverId driver) {
    const bool is_wide = driver == VK_DRIVER_ID_NVIDIA_PROPRIETARY || driver == VK_DRIVER_ID_AMD_PROPRIETARY ||
                         driver == VK_DRIVER_ID_AMD_OPEN_SOURCE || driver == VK_DRIVER_ID_MESA_RADV;
    return is_wide ? 32 : 4;
}

// Checks that the device can run the kernels, and reads its limits and whether it declares its rounding. All structs
// are those of extensions, too, so that an instance of Vulkan 1.1 knows them, or ignores them.
static lmb_result inspect_device(lmb_gpu *gpu, lmb_error *error) {
    VkPhysicalDeviceFloatControlsProperties rounding = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                               .pNext = &rounding};
    VkPhysicalDeviceMaintenance3Properties memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, .pNext = &driver};
    VkPhysicalDeviceSubgroupProperties subgroups = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
                                                    .pNext = &memory};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &subgroups};
    gpu->vk.GetPhysicalDeviceProperties2(gpu->physical_device, &properties);
    if (properties.properties.apiVersion < VK_API_VERSION_1_1) {
        return lmb_fail(error, LMB_ERROR_DEVICE, "gpu: %s has Vulkan %u.%u, and 1.1 is needed",
                        properties.properties.deviceName, VK_API_VERSION_MAJOR(properties.properties.apiVersion),
                        VK_API_VERSION_MINOR(properties.properties.apiVersion));
    }
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
    VkPhysicalDeviceScalarBlockLayoutFeatures scalar = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES, .pNext = &addresses};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &scalar};
    gpu->vk.GetPhysicalDeviceFeatures2(gpu->physical_device, &features);
    if (!addresses.bufferDeviceAddress || !scalar.scalarBlockLayout) {
        return lmb_fail(error, LMB_ERROR_DEVICE, "gpu: %s lacks %s", properties.properties.deviceName,
                        !addresses.bufferDeviceAddress ? "bufferDeviceAddress" : "scalarBlockLayout");
    }
    // Without independence, rounding would have to be declared for widths that the kernels do not use. Then only the
    // probe decides.
    gpu->probe.declares_rte = gpu->vk.has_1_2 && rounding.shaderRoundingModeRTEFloat32 &&
                              rounding.roundingModeIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
    gpu->largest_allocation = memory.maxMemoryAllocationSize;
    gpu->largest_range = properties.properties.limits.maxStorageBufferRange;
    gpu->timestamp_period = (double)properties.properties.limits.timestampPeriod;
    const VkPhysicalDeviceLimits *limits = &properties.properties.limits;
    uint32_t row = limits->maxComputeWorkGroupSize[0];
    const bool ends_loops = driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
    gpu->limits = (lmb_gpu_limits){.workgroup_bytes = limits->maxComputeSharedMemorySize,
                                   .workgroup_invocations = limits->maxComputeWorkGroupInvocations < row
                                                                ? limits->maxComputeWorkGroupInvocations
                                                                : row,
                                   .subgroup = subgroups.subgroupSize,
                                   .block = find_block(driver.driverID),
                                   .is_cpu = properties.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU,
                                   .loops = ends_loops ? LLVMPIPE_LOOPS : UINT32_MAX};
    gpu->limits.instructions = gpu->limits.is_cpu ? LMB_GPU_MOST_SPECIALIZED_ON_CPU : LMB_GPU_MOST_SPECIALIZED;
    uint32_t poses = gpu->limits.workgroup_bytes / (uint32_t)LMB_GPU_POSE_BYTES;
    gpu->interpreted_poses = poses < INTERPRETED_POSES ? poses : INTERPRETED_POSES;
    gpu->vk.GetPhysicalDeviceMemoryProperties(gpu->physical_device, &gpu->memory);
    return LMB_OK;
}

static lmb_result create_layout(lmb_gpu *gpu, lmb_error *error) {
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, LMB_PUSH_SIZE};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &range};
    VkResult created = gpu->vk.CreatePipelineLayout(gpu->device, &info, gpu->allocator, &gpu->layout);
    if (created != VK_SUCCESS) {
        gpu->layout = VK_NULL_HANDLE;
        return lmb_gpu_fail(error, "vkCreatePipelineLayout", created);
    }
    return LMB_OK;
}

lmb_result lmb_gpu_specialize(lmb_gpu *gpu, const uint32_t *words, size_t count, lmb_kernel_constants constants,
                              const lmb_spirv_block *block, lmb_spirv *module, lmb_error *error) {
    uint32_t values[sizeof constants / sizeof(uint32_t)];
    memcpy(values, &constants, sizeof values);
    const lmb_spirv_known known = {values, sizeof values / sizeof values[0], block};
    lmb_result result = lmb_spirv_specialize(&gpu->host, words, count, &known, module, error);
    if (result == LMB_OK && gpu->limits.is_cpu) {
        lmb_spirv_keep_loops(module->words, module->count);
    }
    if (result == LMB_OK && gpu->probe.declares_rte) {
        lmb_spirv rounding = {0};
        result = lmb_spirv_declare_rte(&gpu->host, module->words, module->count, &rounding, error);
        lmb_spirv_release(&gpu->host, module);
        *module = rounding;
    }
    return result;
}

static lmb_result create_kernel(lmb_gpu *gpu, lmb_kernel kernel, uint32_t poses, lmb_graph_needs needs,
                                VkPipeline *pipeline, lmb_error *error) {
    const lmb_kernel_constants all = {.cubic = VK_TRUE,
                                      .curves = VK_TRUE,
                                      .scale = VK_TRUE,
                                      .far = VK_TRUE,
                                      .packed = VK_TRUE,
                                      .weights = VK_TRUE,
                                      .parts = VK_TRUE,
                                      .lod = VK_TRUE,
                                      .matrices = VK_TRUE,
                                      .poses = poses,
                                      .inertia = VK_TRUE,
                                      .spaces = needs.spaces,
                                      .exchanges = VK_TRUE,
                                      .profiles = VK_TRUE,
                                      .points = needs.points,
                                      .user_curves = needs.user_curves,
                                      .chains = VK_TRUE,
                                      .colliders = needs.colliders,
                                      .reached = needs.reached,
                                      .detached = needs.detached,
                                      .retargets = VK_TRUE};
    return lmb_gpu_pipeline_create(gpu, kernels[kernel].words, kernels[kernel].count, all, kernels[kernel].name,
                                   pipeline, error);
}

lmb_result lmb_gpu_interpreter_create(lmb_gpu *gpu, uint32_t poses, lmb_graph_needs needs, VkPipeline *pipeline,
                                      lmb_error *error) {
    return create_kernel(gpu, LMB_KERNEL_POSE, poses, needs, pipeline, error);
}

lmb_result lmb_gpu_weights_create(lmb_gpu *gpu, lmb_graph_needs needs, VkPipeline *pipeline, lmb_error *error) {
    return create_kernel(gpu, LMB_KERNEL_WEIGHTS, 1, needs, pipeline, error);
}

lmb_result lmb_gpu_channels_create(lmb_gpu *gpu, lmb_kernel_constants constants, VkPipeline *pipeline,
                                   lmb_error *error) {
    return lmb_gpu_pipeline_create(gpu, kernel_channels, sizeof kernel_channels / sizeof kernel_channels[0], constants,
                                   kernels[LMB_KERNEL_CHANNELS].name, pipeline, error);
}

lmb_result lmb_gpu_check_loops(const lmb_gpu *gpu, const char *kernel, uint64_t loops, lmb_error *error) {
    return loops <= gpu->limits.loops
               ? LMB_OK
               : lmb_fail(error, LMB_ERROR_DEVICE,
                          "gpu graph: an invocation of the %s kernel may run %llu iterations of loops, and the driver "
                          "ends all loops after %u",
                          kernel, (unsigned long long)loops, (unsigned)gpu->limits.loops);
}

lmb_result lmb_gpu_count_loops(const lmb_gpu *gpu, lmb_kernel kernel, uint32_t *loops, lmb_error *error) {
    return lmb_spirv_count_loops(&gpu->host, kernels[kernel].words, kernels[kernel].count, loops, error);
}

static lmb_result copy_families(lmb_gpu *gpu, const lmb_gpu_def *def, lmb_error *error) {
    gpu->queue_families = lmb_host_allocate(&gpu->host, def->queue_family_count, sizeof *gpu->queue_families);
    if (gpu->queue_families == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu: no memory for the queue families");
    }
    for (uint32_t i = 0; i < def->queue_family_count; i++) {
        gpu->queue_families[i] = def->queue_families[i];
    }
    gpu->queue_family_count = def->queue_family_count;
    return LMB_OK;
}

static lmb_result refuse_mismatch(const lmb_gpu *gpu, lmb_error *error) {
    const lmb_gpu_probe_result *probe = &gpu->probe;
    if (probe->same_bits || gpu->accept_mismatch) {
        return LMB_OK;
    }
    return lmb_fail(
        error, LMB_ERROR_DEVICE,
        "gpu: the device does not give the same bits: %s of 0x%08x and 0x%08x gives 0x%08x instead of 0x%08x "
        "(%u of %u cases differ)",
        probe->failed_case, (unsigned)probe->input_bits[0], (unsigned)probe->input_bits[1],
        (unsigned)probe->actual_bits, (unsigned)probe->expected_bits, (unsigned)probe->failure_count,
        (unsigned)probe->case_count);
}

lmb_result lmb_gpu_create(const lmb_gpu_def *def, const lmb_host *host, lmb_gpu **gpu, lmb_error *error) {
    if (gpu != NULL) {
        *gpu = NULL;
    }
    lmb_result result = check_def(def, gpu, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_host resolved = lmb_host_resolve(host);
    lmb_gpu *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu: no memory");
    }
    created->host = resolved;
    created->physical_device = def->physical_device;
    created->device = def->device;
    created->debug_utils = def->debug_utils;
    created->accept_mismatch = def->accept_mismatch;
    created->interpret_graphs = def->interpret_graphs;
    created->pipeline_cache = def->pipeline_cache;
    if (def->vulkan_allocator != NULL) {
        created->callbacks = *def->vulkan_allocator;
        created->allocator = &created->callbacks;
    }
    if (def->memory != NULL) {
        created->hooks = *def->memory;
    }
    result = load_functions(def, &created->vk, error);
    if (result != LMB_OK) {
        lmb_host_release(&resolved, created);
        return result;
    }
    result = lmb_gpu_pipelines_create(created, def->kept_pipelines, error);
    if (result == LMB_OK) {
        result = inspect_device(created, error);
    }
    if (result == LMB_OK) {
        result = check_enabled(def->enabled_features, error);
    }
    if (result == LMB_OK) {
        result = copy_families(created, def, error);
    }
    if (result == LMB_OK) {
        result = create_layout(created, error);
    }
    const bool interprets = def->interpret_graphs || def->prepare_interpreter;
    for (lmb_kernel kernel = 0; kernel < LMB_KERNEL_COUNT && result == LMB_OK; kernel++) {
        // These two kernels run any graph.
        if ((kernel == LMB_KERNEL_POSE || kernel == LMB_KERNEL_CHANNELS) && !interprets) {
            continue;
        }
        const lmb_graph_needs needs = {.spaces = def->interpret_graphs, .points = def->interpret_graphs};
        result = create_kernel(created, kernel, created->interpreted_poses, needs, &created->pipelines[kernel], error);
    }
    if (result == LMB_OK && interprets && !def->interpret_graphs) {
        const lmb_graph_needs needs = {.spaces = true, .points = true};
        result = lmb_gpu_weights_create(created, needs, &created->full_weights, error);
    }
    if (result == LMB_OK && def->probe_queue != VK_NULL_HANDLE) {
        result = lmb_gpu_probe(created, def->probe_queue, def->probe_queue_family, error);
        if (result == LMB_OK) {
            result = refuse_mismatch(created, error);
        }
    }
    if (result != LMB_OK) {
        lmb_gpu_destroy(created);
        return result;
    }
    *gpu = created;
    return LMB_OK;
}

lmb_result lmb_gpu_check_owner(const lmb_gpu *gpu, const lmb_gpu *of_object, const char *owner, const char *object,
                               lmb_error *error) {
    return gpu == of_object ? LMB_OK
                            : lmb_fail(error, LMB_ERROR_ARGUMENT, "%s: the %s belongs to another gpu", owner, object);
}

void lmb_gpu_add_child(lmb_gpu_children *children, lmb_gpu_child child) {
    atomic_fetch_add(&children->counts[child], 1);
}

void lmb_gpu_remove_child(lmb_gpu_children *children, lmb_gpu_child child) {
    atomic_fetch_sub(&children->counts[child], 1);
}

bool lmb_gpu_is_childless(const lmb_gpu *gpu, const lmb_gpu_children *children, const char *object) {
    static const char *const names[LMB_GPU_CHILD_COUNT] = {"graphs",    "clips", "batches", "profiles",
                                                           "readbacks", "skins", "ragdolls"};
    char list[200];
    size_t length = 0;
    for (int i = 0; i < LMB_GPU_CHILD_COUNT; i++) {
        const unsigned count = atomic_load(&children->counts[i]);
        if (count > 0) {
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s: %u", length > 0 ? ", " : "",
                                       names[i], count);
        }
    }
    if (length > 0) {
        lmb_host_log(&gpu->host, LMB_LOG_ERROR, "%s: it is not destroyed before what uses it (%s)", object, list);
    }
    return length == 0;
}

void lmb_gpu_destroy(lmb_gpu *gpu) {
    if (gpu == NULL || !lmb_gpu_is_childless(gpu, &gpu->children, "gpu")) {
        return;
    }
    lmb_gpu_pipelines_destroy(gpu);
    gpu->vk.DestroyPipelineLayout(gpu->device, gpu->layout, gpu->allocator);
    lmb_host host = gpu->host;
    lmb_host_release(&host, gpu->queue_families);
    lmb_host_release(&host, gpu);
}

lmb_gpu_probe_result lmb_gpu_probed(const lmb_gpu *gpu) {
    return gpu->probe;
}
