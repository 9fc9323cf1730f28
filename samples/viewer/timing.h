// How long the stages of a frame take on the device.
#ifndef LIMBER_SAMPLES_VIEWER_TIMING_H
#define LIMBER_SAMPLES_VIEWER_TIMING_H

#include "graphics.h"

#include <limber/gpu_profile.h>

// The stage of the viewer's own, after those of the batch.
#define TIMING_DRAW ((uint32_t)LMB_GPU_STAGE_COUNT)

typedef struct timing {
    lmb_gpu_profile *profile; // NULL where the queue has no timestamps
    bool warm;                // the first frame has been left out
} timing;

lmb_result timing_create(const device *device, lmb_gpu *gpu, uint32_t frame_count, timing *timing, lmb_error *error);
// A zeroed object is fine.
void timing_destroy(timing *timing);

lmb_result timing_record_begin(const timing *timing, VkCommandBuffer commands, uint32_t frame, lmb_error *error);
lmb_result timing_record_before_draw(const timing *timing, VkCommandBuffer commands, uint32_t frame, lmb_error *error);
lmb_result timing_record_after_draw(const timing *timing, VkCommandBuffer commands, uint32_t frame, lmb_error *error);
// Adds a frame that has completed.
lmb_result timing_collect(timing *timing, uint32_t frame, lmb_error *error);

// Prints one line.
void timing_print(const timing *timing);

#endif
