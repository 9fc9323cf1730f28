// Push constants of the kernels, as the shaders declare them.
#ifndef LIMBER_SRC_GPU_PUSH_H
#define LIMBER_SRC_GPU_PUSH_H

#include <limber/batch.h>
#include <vulkan/vulkan_core.h>

typedef struct lmb_pose_push {
    VkDeviceAddress program;
    VkDeviceAddress parameters;
    VkDeviceAddress local;
    VkDeviceAddress refused;
    VkDeviceAddress poses[LMB_MAX_POSES];
    uint32_t count; // joints of all characters
    uint32_t unused;
} lmb_pose_push;

typedef struct lmb_model_push {
    VkDeviceAddress program;
    VkDeviceAddress local;
    VkDeviceAddress model;
    VkDeviceAddress palette;
    VkDeviceAddress previous_palette;
    VkDeviceAddress dual_quaternions;
    VkDeviceAddress bounds;
    VkDeviceAddress sockets;
    VkDeviceAddress named_palette; // of the frame before, or this frame's
    uint32_t count;                // characters
    uint32_t outputs;
    uint32_t has_named;
    uint32_t unused;
} lmb_model_push;

typedef struct lmb_probe_push {
    VkDeviceAddress cases;
    uint32_t count;
    uint32_t unused;
} lmb_probe_push;

// What Vulkan guarantees.
_Static_assert(sizeof(lmb_pose_push) <= 128 && sizeof(lmb_model_push) <= sizeof(lmb_pose_push),
               "push constants exceed 128 bytes");

#endif
