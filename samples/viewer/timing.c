#include "timing.h"

#include <stdio.h>
#include <string.h>

static uint32_t find_valid_bits(const device *device) {
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    vkGetPhysicalDeviceQueueFamilyProperties(device->physical, &count, families);
    return device->queue_family < count ? families[device->queue_family].timestampValidBits : 0;
}

lmb_result timing_create(const device *device, uint32_t frame_count, timing *timing, lmb_error *error) {
    *timing = (struct timing){0};
    uint32_t bits = find_valid_bits(device);
    if (bits == 0) {
        return LMB_OK;
    }
    timing->mask = bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
    timing->period = device->properties.limits.timestampPeriod;
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = frame_count * TIMING_QUERIES};
    return graphics_check(vkCreateQueryPool(device->device, &info, NULL, &timing->pool), "vkCreateQueryPool", error);
}

void timing_destroy(const device *device, timing *timing) {
    if (timing->pool != VK_NULL_HANDLE) {
        vkDestroyQueryPool(device->device, timing->pool, NULL);
    }
    *timing = (struct timing){0};
}

uint32_t timing_first_query(uint32_t frame) {
    return frame * TIMING_QUERIES;
}

void timing_record_begin(const timing *timing, VkCommandBuffer commands, uint32_t frame) {
    if (timing->pool != VK_NULL_HANDLE) {
        vkCmdResetQueryPool(commands, timing->pool, timing_first_query(frame), TIMING_QUERIES);
    }
}

void timing_record_before_draw(const timing *timing, VkCommandBuffer commands, uint32_t frame) {
    if (timing->pool != VK_NULL_HANDLE) {
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timing->pool,
                            timing_first_query(frame) + LMB_GPU_TIMESTAMPS);
    }
}

void timing_record_after_draw(const timing *timing, VkCommandBuffer commands, uint32_t frame) {
    if (timing->pool != VK_NULL_HANDLE) {
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timing->pool,
                            timing_first_query(frame) + LMB_GPU_TIMESTAMPS + 1);
    }
}

void timing_collect(timing *timing, const device *device, uint32_t frame) {
    uint64_t stamps[TIMING_QUERIES];
    if (timing->pool == VK_NULL_HANDLE ||
        vkGetQueryPoolResults(device->device, timing->pool, timing_first_query(frame), TIMING_QUERIES, sizeof stamps,
                              stamps, sizeof *stamps, VK_QUERY_RESULT_64_BIT) != VK_SUCCESS) {
        return;
    }
    // The first frame, in which drivers still compile, counts only where it is the only one.
    if (!timing->warm && timing->frames == 1) {
        timing->warm = true;
        timing->frames = 0;
        memset(timing->sums, 0, sizeof timing->sums);
    }
    static const uint32_t starts[TIMING_STAGE_COUNT] = {0, 1, 2, LMB_GPU_TIMESTAMPS};
    for (uint32_t stage = 0; stage < TIMING_STAGE_COUNT; stage++) {
        uint64_t ticks = (stamps[starts[stage] + 1] - stamps[starts[stage]]) & timing->mask;
        timing->sums[stage] += (double)ticks * timing->period;
    }
    timing->frames++;
}

void timing_print(const timing *timing) {
    if (timing->frames == 0) {
        printf("time per frame: not measured, the queue has no timestamps\n");
        return;
    }
    static const char *const names[TIMING_STAGE_COUNT] = {"upload", "pose", "model", "draw"};
    printf("time per frame:");
    for (uint32_t stage = 0; stage < TIMING_STAGE_COUNT; stage++) {
        printf("%s %s %.3f ms", stage > 0 ? "," : "", names[stage], timing->sums[stage] / timing->frames * 1e-6);
    }
    printf("\n");
}
