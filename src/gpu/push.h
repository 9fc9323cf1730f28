// Push constants of the kernels, which shaders/ops/push.h declares for C and for them.
#ifndef LIMBER_SRC_GPU_PUSH_H
#define LIMBER_SRC_GPU_PUSH_H

#include "../../shaders/ops/layout.h"

#include <limber/skin.h>
#include <vulkan/vulkan_core.h>

#include "../../shaders/ops/push.h"

_Static_assert(LMB_SKIN_OUTPUT_COUNT == 4 && LMB_OUTPUT_COUNT == OUTPUT_COUNT && LMB_MAX_POSES == MOST_POSE_BUFFERS,
               "arrays of addresses");
// The size of the largest push constants. Vulkan guarantees 128 bytes.
#define LMB_PUSH_SIZE sizeof(lmb_skin_push)
_Static_assert(sizeof(lmb_batch_push) <= LMB_PUSH_SIZE && sizeof(lmb_list_push) <= LMB_PUSH_SIZE &&
                   sizeof(lmb_control_push) <= LMB_PUSH_SIZE && sizeof(lmb_ragdoll_push) <= LMB_PUSH_SIZE,
               "the push constants of skinning are not the longest");
_Static_assert(LMB_PUSH_SIZE <= 128, "push constants exceed 128 bytes");

#endif
