// Timestamps are written at the top of the pipe before the commands and at the bottom after them. Their difference is
// taken modulo their valid bits, because they may wrap in between.
#include "device_timer.h"

#include "clock.h"

static bool is_processor(const device *device) {
    return device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

static uint32_t timestamp_bits(const device *device) {
    VkQueueFamilyProperties families[16];
    uint32_t count = sizeof families / sizeof *families;
    vkGetPhysicalDeviceQueueFamilyProperties(device->physical, &count, families);
    return device->queue_family < count ? families[device->queue_family].timestampValidBits : 0;
}

lmb_result device_timer_create(device *device, device_timer *timer, lmb_error *error) {
    const uint32_t bits = is_processor(device) ? 0 : timestamp_bits(device);
    *timer = (device_timer){.device = device, .valid = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX};
    if (bits == 0) {
        return LMB_OK;
    }
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
    const VkResult made = vkCreateQueryPool(device->device, &info, NULL, &timer->queries);
    return made == VK_SUCCESS ? LMB_OK : device_fail(error, "vkCreateQueryPool", made);
}

void device_timer_destroy(device_timer *timer) {
    if (timer->queries != VK_NULL_HANDLE) {
        vkDestroyQueryPool(timer->device->device, timer->queries, NULL);
    }
    *timer = (device_timer){0};
}

void device_timer_begin(const device_timer *timer, VkCommandBuffer commands) {
    if (timer->queries != VK_NULL_HANDLE) {
        vkCmdResetQueryPool(commands, timer->queries, 0, 2);
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, timer->queries, 0);
    }
}

static double host_seconds(const device_timer *timer) {
    return is_processor(timer->device) ? clock_process_seconds() : clock_seconds();
}

static lmb_result read_timestamps(const device_timer *timer, double *seconds, lmb_error *error) {
    uint64_t times[2];
    const VkResult read = vkGetQueryPoolResults(timer->device->device, timer->queries, 0, 2, sizeof times, times,
                                                sizeof *times, VK_QUERY_RESULT_64_BIT);
    if (read != VK_SUCCESS) {
        return device_fail(error, "vkGetQueryPoolResults", read);
    }
    *seconds = (double)((times[1] - times[0]) & timer->valid) * 1e-9 *
               (double)timer->device->properties.limits.timestampPeriod;
    return LMB_OK;
}

lmb_result device_timer_submit(const device_timer *timer, VkCommandPool pool, VkCommandBuffer commands, double *seconds,
                               lmb_error *error) {
    if (timer->queries != VK_NULL_HANDLE) {
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timer->queries, 1);
    }
    const double start = host_seconds(timer);
    const lmb_result result = device_submit_and_wait(timer->device, pool, commands, error);
    *seconds = host_seconds(timer) - start;
    return result == LMB_OK && timer->queries != VK_NULL_HANDLE ? read_timestamps(timer, seconds, error) : result;
}
