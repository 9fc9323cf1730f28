// Command buffers of frames in flight, each with a fence that says when its frame has completed.
#ifndef LIMBER_TESTS_SUPPORT_FLIGHT_H
#define LIMBER_TESTS_SUPPORT_FLIGHT_H

#include "gpu_suite.h"

enum { FLIGHT_SLOTS = 3 };

typedef struct flight {
    const device *on;
    VkCommandPool pool;
    VkCommandBuffer commands[FLIGHT_SLOTS];
    VkFence fences[FLIGHT_SLOTS];
} flight;

static inline void flight_open(flight *f, const device *on) {
    f->on = on;
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = on->queue_family};
    assert_int_equal(vkCreateCommandPool(on->device, &pool, NULL, &f->pool), VK_SUCCESS);
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = f->pool,
                                              .commandBufferCount = FLIGHT_SLOTS};
    assert_int_equal(vkAllocateCommandBuffers(on->device, &info, f->commands), VK_SUCCESS);
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                     .flags = VK_FENCE_CREATE_SIGNALED_BIT};
    for (uint32_t i = 0; i < FLIGHT_SLOTS; i++) {
        assert_int_equal(vkCreateFence(on->device, &fence, NULL, &f->fences[i]), VK_SUCCESS);
    }
}

// Waits for all frames.
static inline void flight_close(flight *f) {
    vkDeviceWaitIdle(f->on->device);
    for (uint32_t i = 0; i < FLIGHT_SLOTS; i++) {
        vkDestroyFence(f->on->device, f->fences[i], NULL);
    }
    vkDestroyCommandPool(f->on->device, f->pool, NULL);
}

// Waits until the last frame of a slot has completed. The first time there is none.
static inline void flight_wait(const flight *f, uint32_t slot) {
    assert_int_equal(vkWaitForFences(f->on->device, 1, &f->fences[slot], VK_TRUE, UINT64_MAX), VK_SUCCESS);
}

// Waits for the slot, and begins its commands.
static inline VkCommandBuffer flight_begin(const flight *f, uint32_t slot) {
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    flight_wait(f, slot);
    assert_int_equal(vkBeginCommandBuffer(f->commands[slot], &begin), VK_SUCCESS);
    return f->commands[slot];
}

static inline void flight_submit(const flight *f, uint32_t slot) {
    assert_int_equal(vkEndCommandBuffer(f->commands[slot]), VK_SUCCESS);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &f->commands[slot]};
    assert_int_equal(vkResetFences(f->on->device, 1, &f->fences[slot]), VK_SUCCESS);
    assert_int_equal(vkQueueSubmit(f->on->queue, 1, &submit, f->fences[slot]), VK_SUCCESS);
}

#endif
