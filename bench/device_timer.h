// Times commands on a device.
#ifndef LIMBER_BENCH_DEVICE_TIMER_H
#define LIMBER_BENCH_DEVICE_TIMER_H

#include <device.h>

// A processor is timed by the processor time of all threads of this process, that is, the time of one core, which is
// less sensitive to other load. Other devices are timed by their own timestamps, before and after the commands, so
// that the time in which the host submits and waits does not count; by the wall clock if they have none.
typedef struct device_timer {
    device *device;
    VkQueryPool queries; // VK_NULL_HANDLE without timestamps
    uint64_t valid;      // bits of a timestamp
} device_timer;

lmb_result device_timer_create(device *device, device_timer *timer, lmb_error *error);
void device_timer_destroy(device_timer *timer);

// Begins the timed part of a command buffer.
void device_timer_begin(const device_timer *timer, VkCommandBuffer commands);
// Ends it, submits the commands, waits, and releases them. Returns the seconds of the timed part.
lmb_result device_timer_submit(const device_timer *timer, VkCommandPool pool, VkCommandBuffer commands, double *seconds,
                               lmb_error *error);

#endif
