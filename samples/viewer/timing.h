// How long the stages of a frame take on the device, from timestamps.
#ifndef LIMBER_SAMPLES_VIEWER_TIMING_H
#define LIMBER_SAMPLES_VIEWER_TIMING_H

#include "graphics.h"

typedef enum timing_stage { TIMING_UPLOAD, TIMING_POSE, TIMING_MODEL, TIMING_DRAW, TIMING_STAGE_COUNT } timing_stage;

// Queries of a frame slot: those of lmb_gpu_batch_record(), then before and after drawing.
#define TIMING_QUERIES (LMB_GPU_TIMESTAMPS + 2u)

typedef struct timing {
    VkQueryPool pool; // VK_NULL_HANDLE where the queue has no timestamps
    uint64_t mask;    // the bits of a timestamp that count
    double period;    // nanoseconds
    double sums[TIMING_STAGE_COUNT];
    uint32_t frames;
    bool warm; // the first frame has been left out
} timing;

lmb_result timing_create(const device *device, uint32_t frame_count, timing *timing, lmb_error *error);
// A zeroed object is fine.
void timing_destroy(const device *device, timing *timing);

uint32_t timing_first_query(uint32_t frame);
void timing_record_begin(const timing *timing, VkCommandBuffer commands, uint32_t frame);
void timing_record_before_draw(const timing *timing, VkCommandBuffer commands, uint32_t frame);
void timing_record_after_draw(const timing *timing, VkCommandBuffer commands, uint32_t frame);
// Adds a frame that has completed.
void timing_collect(timing *timing, const device *device, uint32_t frame);

// Prints one line.
void timing_print(const timing *timing);

#endif
