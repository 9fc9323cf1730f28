// Measures how long the stages of a frame take on the device and on the host, and writes a trace of them.
#ifndef LIMBER_SAMPLES_VIEWER_TIMING_H
#define LIMBER_SAMPLES_VIEWER_TIMING_H

#include "graphics.h"
#include "trace.h"
#include "ui.h"

#include <limber/gpu_profile.h>

// The viewer's own stage, after those of the batch.
#define TIMING_DRAW ((uint32_t)LMB_GPU_STAGE_COUNT)

// What the host does in a frame.
typedef enum timing_host_stage {
    TIMING_FRAME,
    TIMING_WAIT,  // for the frame slot and the window
    TIMING_CROWD, // moving characters and writing parameters
    TIMING_RECORD,
    TIMING_SUBMIT,
    TIMING_HOST_STAGE_COUNT
} timing_host_stage;

typedef struct timing {
    lmb_gpu_profile *profile; // NULL if the queue has no timestamps
    bool separates_stages;    // its timestamps are in order with the commands
    bool warm;                // the first frame was discarded
    lmb_profile *host;
    uint64_t began;     // when the host's frame began,
    uint64_t before;    // and its stage
    uint64_t submitted; // when the first frame was submitted
    trace trace;
} timing;

// `trace` is the file for a trace, or NULL.
lmb_result timing_create(const device *device, lmb_gpu *gpu, uint32_t frame_count, const char *trace, timing *timing,
                         lmb_error *error);
// The object may be zeroed.
void timing_destroy(timing *timing);

// On the host: begin a frame; end a stage; end a frame, after it was submitted.
void timing_begin(timing *timing);
void timing_end(timing *timing, timing_host_stage stage);
void timing_end_frame(timing *timing);

lmb_result timing_record_begin(const timing *timing, VkCommandBuffer commands, uint32_t frame, lmb_error *error);
lmb_result timing_record_before_draw(const timing *timing, VkCommandBuffer commands, uint32_t frame, lmb_error *error);
lmb_result timing_record_after_draw(const timing *timing, VkCommandBuffer commands, uint32_t frame, lmb_error *error);
// Shows the times of the newest frames as bars, with their medians.
void timing_show(const timing *timing, uint32_t character_count, ui *ui);
// Adds the times of a completed frame.
lmb_result timing_collect(timing *timing, uint32_t frame, lmb_error *error);

// Prints the times in one line, and closes the trace.
lmb_result timing_finish(timing *timing, lmb_error *error);

#endif
