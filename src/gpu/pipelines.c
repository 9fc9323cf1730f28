// The pipelines of a gpu. Objects that need the same one share it: the first of them creates it, and with the last of
// them it becomes unused. Of the unused, those that were released last are kept for objects that are created later.
//
// Pipelines are the same if they come from the same kernel and constants. A kernel of the library is known by its
// address, before it is specialised. One that was made for a graph is known by its digest, so graphs that differ only
// in what their kernels load share it: rest poses, and clips where no instruction has data behind them.
//
// No thread waits while another one compiles. Two that need the same pipeline at the same time both create it, and the
// second one is destroyed.
#include "gpu.h"

#include "digest.h"

#include <string.h>

// After gpu.h: headers of Windows define `far`.
#include "base/thread.h"

// What a pipeline is created from. Layout, cache and allocator are the same for all of a gpu.
typedef struct pipeline_key {
    const uint32_t *kernel; // of the library, or NULL if a graph has its own
    lmb_gpu_digest digest;  // of the graph's
    lmb_kernel_constants constants;
} pipeline_key;

typedef struct pipeline_entry {
    struct pipeline_entry *next;
    pipeline_key key;
    VkPipeline pipeline;
    uint32_t users;
} pipeline_entry;

struct lmb_gpu_pipelines {
    lmb_mutex mutex;
    uint32_t kept;         // unused pipelines at most
    pipeline_entry *first; // guarded by the mutex; of the unused, those that were released last come first
};

lmb_result lmb_gpu_pipelines_create(lmb_gpu *gpu, uint32_t kept, lmb_error *error) {
    lmb_gpu_pipelines *created = lmb_host_allocate(&gpu->host, 1, sizeof *created);
    if (created == NULL || !lmb_mutex_create(&created->mutex)) {
        lmb_host_release(&gpu->host, created);
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu: no memory for its pipelines");
    }
    created->kept = kept;
    gpu->shared = created;
    return LMB_OK;
}

static void destroy_entry(const lmb_gpu *gpu, pipeline_entry *entry) {
    gpu->vk.DestroyPipeline(gpu->device, entry->pipeline, gpu->allocator);
    lmb_host_release(&gpu->host, entry);
}

void lmb_gpu_pipelines_destroy(lmb_gpu *gpu) {
    lmb_gpu_pipelines *pipelines = gpu->shared;
    if (pipelines == NULL) {
        return;
    }
    while (pipelines->first != NULL) {
        pipeline_entry *entry = pipelines->first;
        pipelines->first = entry->next;
        destroy_entry(gpu, entry);
    }
    lmb_mutex_destroy(&pipelines->mutex);
    lmb_host_release(&gpu->host, pipelines);
    gpu->shared = NULL;
}

// Returns the pipeline with a key, which has one user more then, or VK_NULL_HANDLE. The mutex must be locked.
static VkPipeline use_locked(lmb_gpu_pipelines *pipelines, const pipeline_key *key) {
    for (pipeline_entry *entry = pipelines->first; entry != NULL; entry = entry->next) {
        if (entry->key.kernel == key->kernel && memcmp(&entry->key.digest, &key->digest, sizeof key->digest) == 0 &&
            memcmp(&entry->key.constants, &key->constants, sizeof key->constants) == 0) {
            entry->users++;
            return entry->pipeline;
        }
    }
    return VK_NULL_HANDLE;
}

static bool use_existing(lmb_gpu_pipelines *pipelines, const pipeline_key *key, VkPipeline *pipeline) {
    lmb_mutex_lock(&pipelines->mutex);
    *pipeline = use_locked(pipelines, key);
    lmb_mutex_unlock(&pipelines->mutex);
    return *pipeline != VK_NULL_HANDLE;
}

static lmb_result create_pipeline(lmb_gpu *gpu, const lmb_spirv *used, const lmb_kernel_constants *constants,
                                  const char *name, VkPipeline *pipeline, lmb_error *error) {
    VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = used->count * sizeof *used->words,
                                            .pCode = used->words};
    VkShaderModule module = VK_NULL_HANDLE;
    const char *call = "vkCreateShaderModule";
    VkResult created = gpu->vk.CreateShaderModule(gpu->device, &module_info, gpu->allocator, &module);
    if (created == VK_SUCCESS) {
        VkSpecializationMapEntry entries[sizeof *constants / sizeof(uint32_t)];
        const uint32_t entry_count = sizeof entries / sizeof entries[0];
        for (uint32_t i = 0; i < entry_count; i++) {
            entries[i] = (VkSpecializationMapEntry){i, i * (uint32_t)sizeof(uint32_t), sizeof(uint32_t)};
        }
        VkSpecializationInfo specialization = {entry_count, entries, sizeof *constants, constants};
        VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                      .module = module,
                                                      .pName = "main",
                                                      .pSpecializationInfo = &specialization},
                                            .layout = gpu->layout};
        call = "vkCreateComputePipelines";
        created = gpu->vk.CreateComputePipelines(gpu->device, gpu->pipeline_cache, 1, &info, gpu->allocator, pipeline);
        gpu->vk.DestroyShaderModule(gpu->device, module, gpu->allocator);
    }
    if (created != VK_SUCCESS) {
        return lmb_gpu_fail(error, call, created);
    }
    lmb_gpu_name(gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)*pipeline, name);
    return LMB_OK;
}

// Adds a pipeline that the caller uses, or if another thread has created the same meanwhile, uses that.
static VkPipeline add_or_use(lmb_gpu *gpu, pipeline_entry *created) {
    lmb_gpu_pipelines *pipelines = gpu->shared;
    lmb_mutex_lock(&pipelines->mutex);
    const VkPipeline other = use_locked(pipelines, &created->key);
    if (other == VK_NULL_HANDLE) {
        created->users = 1;
        created->next = pipelines->first;
        pipelines->first = created;
    }
    lmb_mutex_unlock(&pipelines->mutex);
    if (other == VK_NULL_HANDLE) {
        return created->pipeline;
    }
    destroy_entry(gpu, created);
    return other;
}

static lmb_result create_with_key(lmb_gpu *gpu, const pipeline_key *key, const lmb_spirv *module, const char *name,
                                  VkPipeline *pipeline, lmb_error *error) {
    pipeline_entry *created = lmb_host_allocate(&gpu->host, 1, sizeof *created);
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu: no memory for a pipeline");
    }
    created->key = *key;
    const lmb_result result = create_pipeline(gpu, module, &key->constants, name, &created->pipeline, error);
    if (result != LMB_OK) {
        lmb_host_release(&gpu->host, created);
        return result;
    }
    *pipeline = add_or_use(gpu, created);
    return LMB_OK;
}

lmb_result lmb_gpu_pipeline_create(lmb_gpu *gpu, const uint32_t *words, size_t count, lmb_kernel_constants constants,
                                   const char *name, VkPipeline *pipeline, lmb_error *error) {
    const pipeline_key key = {.kernel = words, .constants = constants};
    if (use_existing(gpu->shared, &key, pipeline)) {
        return LMB_OK;
    }
    lmb_spirv used = {0};
    lmb_result result = lmb_gpu_specialize(gpu, words, count, constants, NULL, &used, error);
    if (result == LMB_OK) {
        result = create_with_key(gpu, &key, &used, name, pipeline, error);
        lmb_spirv_release(&gpu->host, &used);
    }
    return result;
}

lmb_result lmb_gpu_pipeline_create_from(lmb_gpu *gpu, const lmb_spirv *module, lmb_kernel_constants constants,
                                        const char *name, VkPipeline *pipeline, lmb_error *error) {
    const pipeline_key key = {.digest = lmb_gpu_digest_of(module->words, module->count), .constants = constants};
    return use_existing(gpu->shared, &key, pipeline) ? LMB_OK
                                                     : create_with_key(gpu, &key, module, name, pipeline, error);
}

// Removes the pipeline that has been unused for longest, if there is one more than are kept. Returns it or NULL.
static pipeline_entry *remove_surplus(lmb_gpu_pipelines *pipelines) {
    uint32_t unused = 0;
    for (pipeline_entry **at = &pipelines->first; *at != NULL; at = &(*at)->next) {
        unused += (*at)->users == 0;
        if (unused > pipelines->kept) {
            pipeline_entry *surplus = *at;
            *at = surplus->next;
            return surplus;
        }
    }
    return NULL;
}

// Vulkan allows that two pipelines have one handle. Then it does not matter which of them loses a user.
void lmb_gpu_pipeline_release(lmb_gpu *gpu, VkPipeline pipeline) {
    if (pipeline == VK_NULL_HANDLE) {
        return;
    }
    lmb_gpu_pipelines *pipelines = gpu->shared;
    pipeline_entry *surplus = NULL;
    lmb_mutex_lock(&pipelines->mutex);
    pipeline_entry **at = &pipelines->first;
    while ((*at)->pipeline != pipeline || (*at)->users == 0) {
        at = &(*at)->next;
    }
    pipeline_entry *released = *at;
    released->users--;
    if (released->users == 0) {
        *at = released->next;
        released->next = pipelines->first;
        pipelines->first = released;
        surplus = remove_surplus(pipelines);
    }
    lmb_mutex_unlock(&pipelines->mutex);
    if (surplus != NULL) {
        destroy_entry(gpu, surplus);
    }
}
