// Profiles of the host and the device, and their trace.
#include "timing.h"

#include "terminal.h"

#define PROCESS_HOST 1u
#define PROCESS_DEVICE 2u

static lmb_result create_host(timing *timing, lmb_error *error) {
    static const char *const stages[TIMING_HOST_STAGE_COUNT] = {"frame", "wait", "crowd", "record", "submit"};
    const lmb_profile_def def = {.stages = stages, .stage_count = TIMING_HOST_STAGE_COUNT};
    return lmb_profile_create(&def, NULL, &timing->host, error);
}

static lmb_result create_trace(const device *device, const char *path, timing *timing, lmb_error *error) {
    if (path == NULL) {
        return LMB_OK;
    }
    if (trace_open(path, &timing->trace, error)) {
        return error->result;
    }
    trace_name_process(&timing->trace, PROCESS_HOST, "limber-viewer");
    trace_name_tracks(&timing->trace, PROCESS_HOST, 1, "frames", "stages");
    trace_name_process(&timing->trace, PROCESS_DEVICE, device->properties.deviceName);
    trace_name_tracks(&timing->trace, PROCESS_DEVICE, 1, "frames", "stages");
    return LMB_OK;
}

lmb_result timing_create(const device *device, lmb_gpu *gpu, uint32_t frame_count, const char *trace, timing *timing,
                         lmb_error *error) {
    static const char *const stages[] = {"draw"};
    lmb_gpu_profile_def def = lmb_default_gpu_profile_def();
    def.queue_family = device->queue_family;
    def.frame_count = frame_count;
    def.stages = stages;
    def.stage_count = 1;
    *timing = (struct timing){0};
    lmb_result result = lmb_gpu_profile_create(gpu, &def, &timing->profile, error);
    if (result != LMB_OK && result != LMB_ERROR_UNSUPPORTED) {
        return result;
    }
    result = create_host(timing, error);
    return result == LMB_OK ? create_trace(device, trace, timing, error) : result;
}

void timing_destroy(timing *timing) {
    lmb_error ignored; // the error that ended the viewer has already been reported
    trace_close(&timing->trace, &ignored);
    lmb_gpu_profile_destroy(timing->profile);
    lmb_profile_destroy(timing->host);
    *timing = (struct timing){0};
}

void timing_begin(timing *timing) {
    timing->began = timing->before = trace_clock(NULL);
}

void timing_end(timing *timing, timing_host_stage stage) {
    uint64_t now = trace_clock(NULL);
    lmb_profile_add(timing->host, stage, timing->before, now);
    timing->before = now;
}

// The device's clock starts with its first frame. In the trace, it is shifted to the time when that frame was
// submitted.
void timing_end_frame(timing *timing) {
    lmb_profile_add(timing->host, TIMING_FRAME, timing->began, timing->before);
    timing->submitted = timing->submitted == 0 ? timing->before : timing->submitted;
    if (timing->trace.json.stream != NULL) {
        trace_take(&timing->trace, PROCESS_HOST, 1, timing->host, 0);
    }
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
    // Drivers still compile in the first frame. It is counted only if it is the only one.
    lmb_profile *times = lmb_gpu_profile_times(timing->profile);
    if (!timing->warm && lmb_profile_total(times, LMB_GPU_STAGE_FRAME).count == 1) {
        timing->warm = true;
        lmb_profile_clear(times);
    }
    lmb_result result = lmb_gpu_profile_collect(timing->profile, frame, NULL, error);
    if (result == LMB_OK && timing->trace.json.stream != NULL) {
        trace_take(&timing->trace, PROCESS_DEVICE, 1, times, timing->submitted);
    }
    return result;
}

static void print_times(const timing *timing) {
    if (timing->profile == NULL) {
        terminal_print("time per frame: not measured, the queue has no timestamps\n");
        return;
    }
    const lmb_profile *times = lmb_gpu_profile_times(timing->profile);
    terminal_print("time per frame:");
    for (uint32_t stage = 0; stage < lmb_profile_stage_count(times); stage++) {
        const lmb_profile_totals total = lmb_profile_total(times, stage);
        if (total.count > 0) {
            terminal_print("%s %s %.3f ms", stage > 0 ? "," : "", lmb_profile_stage_name(times, stage),
                           (double)total.median * 1e-6);
        }
    }
    terminal_print("\n");
}

lmb_result timing_finish(timing *timing, lmb_error *error) {
    print_times(timing);
    return trace_close(&timing->trace, error);
}
