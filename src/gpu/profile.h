// Functions of a profile that the recording of a batch calls.
#ifndef LIMBER_SRC_GPU_PROFILE_H
#define LIMBER_SRC_GPU_PROFILE_H

#include "gpu.h"

#include <limber/gpu_profile.h>

// Checks whether a batch of `gpu` can write `marks` more marks in a frame. Accepts any number if the profile is NULL.
lmb_result lmb_gpu_profile_check(const lmb_gpu_profile *profile, const lmb_gpu *gpu, uint32_t slot, uint32_t marks,
                                 lmb_error *error);
// Does what lmb_gpu_profile_mark() does, without checks. Does nothing if the profile is NULL.
void lmb_gpu_profile_write(lmb_gpu_profile *profile, uint32_t slot, VkCommandBuffer commands, uint32_t stage);

// Adds a buffer to the row with its name. A zeroed buffer adds nothing.
void lmb_gpu_bytes_add(const lmb_gpu_buffer *buffer, lmb_gpu_bytes rows[LMB_MAX_GPU_BYTES_ROWS], uint32_t *count);

#endif
