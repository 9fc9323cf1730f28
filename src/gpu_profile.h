// What recording a batch asks of a profile.
#ifndef LIMBER_SRC_GPU_PROFILE_H
#define LIMBER_SRC_GPU_PROFILE_H

#include "gpu.h"

#include <limber/gpu_profile.h>

// Whether `marks` more can be made in a frame by a batch of `gpu`. A profile that is NULL takes any.
lmb_result lmb_gpu_profile_check(const lmb_gpu_profile *profile, const lmb_gpu *gpu, uint32_t frame, uint32_t marks,
                                 lmb_error *error);
// lmb_gpu_profile_mark() once that is checked; does nothing without a profile.
void lmb_gpu_profile_write(lmb_gpu_profile *profile, uint32_t frame, VkCommandBuffer commands, uint32_t stage);

// Adds a buffer to the row of its name. A zeroed buffer adds nothing.
void lmb_gpu_bytes_add(const lmb_gpu_buffer *buffer, lmb_gpu_bytes rows[LMB_GPU_MAX_BYTES_ROWS], uint32_t *count);

#endif
