#include "timing.h"

#include <stdio.h>

lmb_result timing_create(const device *device, lmb_gpu *gpu, uint32_t frame_count, timing *timing, lmb_error *error) {
    static const char *const stages[] = {"draw"};
    lmb_gpu_profile_def def = lmb_default_gpu_profile_def();
    def.queue_family = device->queue_family;
    def.frame_count = frame_count;
    def.stages = stages;
    def.stage_count = 1;
    *timing = (struct timing){0};
    lmb_result result = lmb_gpu_profile_create(gpu, &def, &timing->profile, error);
    return result == LMB_ERROR_UNSUPPORTED ? LMB_OK : result;
}

void timing_destroy(timing *timing) {
    lmb_gpu_profile_destroy(timing->profile);
    *timing = (struct timing){0};
}

lmb_result timing_record_begin(const timing *timing, VkCommandBuffer commands, uint32_t frame, lmb_error *error) {
    return timing->profile != NULL ? lmb_gpu_profile_begin(timing->profile, frame, commands, error) : LMB_OK;
}

lmb_result timing_record_before_draw(const timing *timing, VkCommandBuffer commands, uint32_t frame, lmb_error *error) {
    return timing->profile != NULL ? lmb_gpu_profile_mark(timing->profile, frame, commands, LMB_NONE, error) : LMB_OK;
}

lmb_result timing_record_after_draw(const timing *timing, VkCommandBuffer commands, uint32_t frame, lmb_error *error) {
    return timing->profile != NULL ? lmb_gpu_profile_mark(timing->profile, frame, commands, TIMING_DRAW, error)
                                   : LMB_OK;
}

lmb_result timing_collect(timing *timing, uint32_t frame, lmb_error *error) {
    if (timing->profile == NULL) {
        return LMB_OK;
    }
    // The first frame, in which drivers still compile, counts only where it is the only one.
    lmb_profile *times = lmb_gpu_profile_times(timing->profile);
    if (!timing->warm && lmb_profile_total(times, LMB_GPU_STAGE_FRAME).count == 1) {
        timing->warm = true;
        lmb_profile_clear(times);
    }
    return lmb_gpu_profile_collect(timing->profile, frame, NULL, error);
}

void timing_print(const timing *timing) {
    if (timing->profile == NULL) {
        printf("time per frame: not measured, the queue has no timestamps\n");
        return;
    }
    const lmb_profile *times = lmb_gpu_profile_times(timing->profile);
    printf("time per frame:");
    for (uint32_t stage = 0; stage < lmb_profile_stage_count(times); stage++) {
        const lmb_profile_totals total = lmb_profile_total(times, stage);
        if (total.count > 0) {
            printf("%s %s %.3f ms", stage > 0 ? "," : "", lmb_profile_stage_name(times, stage),
                   (double)total.median * 1e-6);
        }
    }
    printf("\n");
}
