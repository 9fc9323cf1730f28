// Times of stages on a device, from timestamps. Each frame slot has a range of queries. A mark writes a timestamp and
// notes which stage ended there. Collecting turns the marks of a completed frame into durations.
//
// Timestamps may have fewer than 64 bits and wrap. A clock therefore moves from each one to the next by their
// difference modulo these bits, forwards or backwards, whichever is shorter.
#include "profile.h"

#include <string.h>

#define MOST_MARKS 4096u
// The prefix of the names of all buffers.
#define NAME_PREFIX "limber "

// Data of a frame slot. Its queries begin at slot * mark_count in the pool.
typedef struct profile_slot {
    uint32_t *stages; // [mark]: the stage that ended there, or LMB_NONE
    uint32_t count;
    bool begun;          // begun and not yet collected
    bool collected_once; // `first_stamp` is valid: that of the frame collected last
    uint64_t first_stamp;
} profile_slot;

struct lmb_gpu_profile {
    lmb_gpu *gpu;
    lmb_profile *times;
    VkQueryPool pool;
    uint64_t mask;  // the valid bits of a timestamp
    double period;  // nanoseconds
    bool has_clock; // a frame has been collected
    uint64_t stamp; // the timestamp that the clock is at
    int64_t ticks;  // since the clock's start
    uint32_t slot_count;
    uint32_t mark_count;
    uint32_t *stages;
    uint64_t *stamps; // [mark], of the frame being collected
    profile_slot slots[LMB_GPU_MOST_SLOTS];
    uint64_t missed;
};

static const char *const stage_names[LMB_GPU_STAGE_COUNT] = {
    [LMB_GPU_STAGE_FRAME] = "frame",     [LMB_GPU_STAGE_PARAMETERS] = "parameters",
    [LMB_GPU_STAGE_CONTROL] = "control", [LMB_GPU_STAGE_CHARACTERS] = "characters",
    [LMB_GPU_STAGE_POSE] = "pose",       [LMB_GPU_STAGE_MODEL] = "model",
};

lmb_gpu_profile_def lmb_default_gpu_profile_def(void) {
    return (lmb_gpu_profile_def){.slot_count = 2, .mark_count = 32};
}

static lmb_result check_def(const lmb_gpu *gpu, const lmb_gpu_profile_def *def, lmb_gpu_profile **profile,
                            lmb_error *error) {
    if (gpu == NULL || def == NULL || profile == NULL || (def->stage_count > 0 && def->stages == NULL)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu profile: %s is NULL",
                        gpu == NULL       ? "the gpu"
                        : def == NULL     ? "the descriptor"
                        : profile == NULL ? "the result"
                                          : "the list of stages");
    }
    if (def->slot_count == 0 || def->slot_count > LMB_GPU_MOST_SLOTS) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu profile: %u frame slots are not 1 to %u",
                        (unsigned)def->slot_count, LMB_GPU_MOST_SLOTS);
    }
    if (def->mark_count < 2 || def->mark_count > MOST_MARKS) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu profile: %u marks are not 2 to %u", (unsigned)def->mark_count,
                        MOST_MARKS);
    }
    if (def->stage_count > LMB_MAX_PROFILE_STAGES - LMB_GPU_STAGE_COUNT) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "gpu profile: %u stages of the host's own, and at most %u are possible",
                        (unsigned)def->stage_count, LMB_MAX_PROFILE_STAGES - LMB_GPU_STAGE_COUNT);
    }
    return LMB_OK;
}

// Finds the mask of the valid timestamp bits of a queue family.
static lmb_result find_mask(const lmb_gpu *gpu, uint32_t family, uint64_t *mask, lmb_error *error) {
    uint32_t count = 0;
    gpu->vk.GetPhysicalDeviceQueueFamilyProperties(gpu->physical_device, &count, NULL);
    if (family >= count) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu profile: queue family %u is not one of %u", (unsigned)family,
                        (unsigned)count);
    }
    VkQueueFamilyProperties *families = lmb_host_allocate(&gpu->host, count, sizeof *families);
    if (families == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu profile: no memory for %u queue families", (unsigned)count);
    }
    gpu->vk.GetPhysicalDeviceQueueFamilyProperties(gpu->physical_device, &count, families);
    uint32_t bits = families[family].timestampValidBits;
    lmb_host_release(&gpu->host, families);
    if (bits == 0) {
        return lmb_fail(error, LMB_ERROR_UNSUPPORTED, "gpu profile: queue family %u has no timestamps",
                        (unsigned)family);
    }
    *mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    return LMB_OK;
}

static lmb_result create_times(lmb_gpu_profile *profile, const lmb_gpu_profile_def *def, lmb_error *error) {
    const char *names[LMB_MAX_PROFILE_STAGES];
    memcpy(names, stage_names, sizeof stage_names);
    for (uint32_t i = 0; i < def->stage_count; i++) {
        names[LMB_GPU_STAGE_COUNT + i] = def->stages[i];
    }
    const lmb_profile_def times = {.stages = names,
                                   .stage_count = LMB_GPU_STAGE_COUNT + def->stage_count,
                                   .window = def->window,
                                   .event_count = def->event_count};
    return lmb_profile_create(&times, &profile->gpu->host, &profile->times, error);
}

static lmb_result create_slots(lmb_gpu_profile *profile, lmb_error *error) {
    const lmb_gpu *gpu = profile->gpu;
    uint32_t queries = profile->slot_count * profile->mark_count;
    profile->stages = lmb_host_allocate(&gpu->host, queries, sizeof *profile->stages);
    profile->stamps = lmb_host_allocate(&gpu->host, profile->mark_count, sizeof *profile->stamps);
    if (profile->stages == NULL || profile->stamps == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu profile: no memory for %u marks", (unsigned)queries);
    }
    for (uint32_t i = 0; i < profile->slot_count; i++) {
        profile->slots[i].stages = profile->stages + (size_t)i * profile->mark_count;
    }
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = queries};
    VkResult created = gpu->vk.CreateQueryPool(gpu->device, &info, gpu->allocator, &profile->pool);
    if (created != VK_SUCCESS) {
        profile->pool = VK_NULL_HANDLE;
        return lmb_gpu_fail(error, "vkCreateQueryPool", created);
    }
    lmb_gpu_name(gpu, VK_OBJECT_TYPE_QUERY_POOL, (uint64_t)profile->pool, "limber profile");
    return LMB_OK;
}

lmb_result lmb_gpu_profile_create(lmb_gpu *gpu, const lmb_gpu_profile_def *def, lmb_gpu_profile **profile,
                                  lmb_error *error) {
    if (profile != NULL) {
        *profile = NULL;
    }
    lmb_result result = check_def(gpu, def, profile, error);
    if (result != LMB_OK) {
        return result;
    }
    uint64_t mask = 0;
    result = find_mask(gpu, def->queue_family, &mask, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_gpu_profile *created = lmb_host_allocate(&gpu->host, 1, sizeof *created);
    if (created == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "gpu profile: no memory");
    }
    created->gpu = gpu;
    lmb_gpu_add_child(&gpu->children, LMB_GPU_CHILD_PROFILE);
    created->mask = mask;
    created->period = gpu->timestamp_period;
    created->slot_count = def->slot_count;
    created->mark_count = def->mark_count;
    result = create_times(created, def, error);
    if (result == LMB_OK) {
        result = create_slots(created, error);
    }
    if (result != LMB_OK) {
        lmb_gpu_profile_destroy(created);
        return result;
    }
    *profile = created;
    return LMB_OK;
}

void lmb_gpu_profile_destroy(lmb_gpu_profile *profile) {
    if (profile == NULL) {
        return;
    }
    lmb_gpu *gpu = profile->gpu;
    lmb_gpu_remove_child(&gpu->children, LMB_GPU_CHILD_PROFILE);
    gpu->vk.DestroyQueryPool(gpu->device, profile->pool, gpu->allocator);
    lmb_profile_destroy(profile->times);
    lmb_host_release(&gpu->host, profile->stages);
    lmb_host_release(&gpu->host, profile->stamps);
    lmb_host_release(&gpu->host, profile);
}

static lmb_result check_slot(const lmb_gpu_profile *profile, uint32_t slot, lmb_error *error) {
    return profile == NULL ? lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu profile: it is NULL")
                           : lmb_gpu_check_slot("gpu profile", slot, profile->slot_count, error);
}

lmb_result lmb_gpu_profile_check(const lmb_gpu_profile *profile, const lmb_gpu *gpu, uint32_t slot, uint32_t marks,
                                 lmb_error *error) {
    if (profile == NULL) {
        return LMB_OK;
    }
    lmb_result result = check_slot(profile, slot, error);
    if (result != LMB_OK) {
        return result;
    }
    if (lmb_gpu_check_owner(gpu, profile->gpu, "gpu batch", "profile", error)) {
        return LMB_ERROR_ARGUMENT;
    }
    const profile_slot *queries = &profile->slots[slot];
    if (!queries->begun) {
        return lmb_fail(error, LMB_ERROR_STATE, "gpu profile: frame slot %u has not begun", (unsigned)slot);
    }
    if (marks > profile->mark_count - queries->count) {
        return lmb_fail(error, LMB_ERROR_LIMIT, "gpu profile: a frame has %u marks, and %u more do not fit",
                        (unsigned)profile->mark_count, (unsigned)marks);
    }
    return LMB_OK;
}

void lmb_gpu_profile_write(lmb_gpu_profile *profile, uint32_t slot, VkCommandBuffer commands, uint32_t stage) {
    if (profile != NULL) {
        profile_slot *queries = &profile->slots[slot];
        profile->gpu->vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, profile->pool,
                                           slot * profile->mark_count + queries->count);
        queries->stages[queries->count++] = stage;
    }
}

lmb_result lmb_gpu_profile_begin(lmb_gpu_profile *profile, uint32_t slot, VkCommandBuffer commands, lmb_error *error) {
    lmb_result result = check_slot(profile, slot, error);
    if (result != LMB_OK) {
        return result;
    }
    if (commands == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu profile: the command buffer is NULL");
    }
    profile_slot *queries = &profile->slots[slot];
    profile->missed += queries->begun;
    queries->begun = true;
    queries->count = 0;
    profile->gpu->vk.CmdResetQueryPool(commands, profile->pool, slot * profile->mark_count, profile->mark_count);
    lmb_gpu_profile_write(profile, slot, commands, LMB_NONE);
    return LMB_OK;
}

lmb_result lmb_gpu_profile_mark(lmb_gpu_profile *profile, uint32_t slot, VkCommandBuffer commands, uint32_t stage,
                                lmb_error *error) {
    if (profile == NULL || commands == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu profile: %s is NULL",
                        profile == NULL ? "it" : "the command buffer");
    }
    if (stage != LMB_NONE && (stage == LMB_GPU_STAGE_FRAME || stage >= lmb_profile_stage_count(profile->times))) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "gpu profile: stage %u cannot be marked", (unsigned)stage);
    }
    lmb_result result = lmb_gpu_profile_check(profile, profile->gpu, slot, 1, error);
    if (result == LMB_OK) {
        lmb_gpu_profile_write(profile, slot, commands, stage);
    }
    return result;
}

// Moves the clock to a timestamp, the short way if its bits wrap. Returns the nanoseconds since the clock's start.
static uint64_t move_clock(lmb_gpu_profile *profile, uint64_t stamp) {
    if (!profile->has_clock) {
        profile->has_clock = true;
        profile->stamp = stamp;
    }
    uint64_t ahead = (stamp - profile->stamp) & profile->mask;
    profile->ticks += ahead > profile->mask / 2 ? (int64_t)(ahead - (profile->mask + 1)) : (int64_t)ahead;
    profile->ticks = profile->ticks > 0 ? profile->ticks : 0;
    profile->stamp = stamp;
    return (uint64_t)((double)profile->ticks * profile->period);
}

static void add_frame(lmb_gpu_profile *profile, const profile_slot *queries) {
    uint64_t begin = move_clock(profile, profile->stamps[0]);
    uint64_t before = begin;
    for (uint32_t i = 1; i < queries->count; i++) {
        uint64_t now = move_clock(profile, profile->stamps[i]);
        if (queries->stages[i] != LMB_NONE) {
            lmb_profile_add(profile->times, queries->stages[i], before, now);
        }
        before = now;
    }
    lmb_profile_add(profile->times, LMB_GPU_STAGE_FRAME, begin, before);
}

lmb_result lmb_gpu_profile_collect(lmb_gpu_profile *profile, uint32_t slot, bool *collected, lmb_error *error) {
    if (collected != NULL) {
        *collected = false;
    }
    lmb_result result = check_slot(profile, slot, error);
    if (result != LMB_OK || !profile->slots[slot].begun) {
        return result;
    }
    profile_slot *queries = &profile->slots[slot];
    VkResult read = profile->gpu->vk.GetQueryPoolResults(
        profile->gpu->device, profile->pool, slot * profile->mark_count, queries->count,
        queries->count * sizeof *profile->stamps, profile->stamps, sizeof *profile->stamps, VK_QUERY_RESULT_64_BIT);
    if (read == VK_NOT_READY) {
        return LMB_OK;
    }
    if (read != VK_SUCCESS) {
        return lmb_gpu_fail(error, "vkGetQueryPoolResults", read);
    }
    // Until the commands reset the queries, they still hold what was collected before.
    if (queries->collected_once && profile->stamps[0] == queries->first_stamp) {
        return LMB_OK;
    }
    queries->first_stamp = profile->stamps[0];
    queries->collected_once = true;
    queries->begun = false;
    add_frame(profile, queries);
    if (collected != NULL) {
        *collected = true;
    }
    return LMB_OK;
}

uint64_t lmb_gpu_profile_missed(const lmb_gpu_profile *profile) {
    return profile->missed;
}

lmb_profile *lmb_gpu_profile_times(lmb_gpu_profile *profile) {
    return profile->times;
}

void lmb_gpu_bytes_add(const lmb_gpu_buffer *buffer, lmb_gpu_bytes rows[LMB_MAX_GPU_BYTES_ROWS], uint32_t *count) {
    if (buffer->buffer == VK_NULL_HANDLE) {
        return;
    }
    const char *name = buffer->name + sizeof NAME_PREFIX - 1;
    uint32_t row = 0;
    while (row < *count && strcmp(rows[row].name, name) != 0) {
        row++;
    }
    if (row == *count && row < LMB_MAX_GPU_BYTES_ROWS) {
        rows[(*count)++] = (lmb_gpu_bytes){.name = name, .host_access = buffer->memory.mapped != NULL};
    }
    if (row < *count) {
        rows[row].count++;
        rows[row].bytes += buffer->size;
    }
}
