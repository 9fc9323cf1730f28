// How long the stages of a frame take, on the device and on the host, and a trace of them.
#ifndef LIMBER_SAMPLES_VIEWER_TIMING_H
#define LIMBER_SAMPLES_VIEWER_TIMING_H

#include "graphics.h"
#include "trace.h"

#include <limber/gpu_profile.h>

// The stage of the viewer's own, after those of the batch.
#define TIMING_DRAW ((uint32_t)LMB_GPU_STAGE_COUNT)

// What the host does in a frame.
typedef enum timing_host_stage {
    TIMING_FRAME,
    TIMING_WAIT,  // for the frame slot, and for the window
    TIMING_CROWD, // moving characters and writing parameters
    TIMING_RECORD,
    TIMING_SUBMIT,
    TIMING_HOST_STAGE_COUNT
} timing_host_stage;

typedef struct timing {
    lmb_gpu_profile *profile; // NULL where the queue has no timestamps
    bool warm;                // the first frame has been left out
    lmb_profile *host;
    uint64_t began;     // the host's frame,
    uint64_t before;    // and its stage
    uint64_t submitted; // the first frame
    trace trace;
} timing;

// `trace` is where a trace goes, or NULL.
lmb_result timing_create(const device *device, lmb_gpu *gpu, uint32_t frame_count, const char *trace, timing *timing,
                         lmb_error *error);
// A zeroed object is fine.
void timing_destroy(timing *timing);

// The host begins a frame; ends a stage; has submitted it.
void timing_begin(timing *timing);
void timing_end(timing *timing, timing_host_stage stage);
void timing_end_frame(timing *timing);

lmb_result timing_record_begin(const timing *timing, VkCommandBuffer commands, uint32_t frame, lmb_error *error);
lmb_result timing_record_before_draw(const timing *timing, VkCommandBuffer commands, uint32_t frame, lmb_error *error);
lmb_result timing_record_after_draw(const timing *timing, VkCommandBuffer commands, uint32_t frame, lmb_error *error);
// Adds a frame that has completed.
lmb_result timing_collect(timing *timing, uint32_t frame, lmb_error *error);

// Prints a line, and ends the trace.
lmb_result timing_finish(timing *timing, lmb_error *error);

#endif
