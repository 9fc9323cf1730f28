// Profiles of the host and the device, and their trace.
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "terminal.h"

#define SHOWN_FRAMES 120u
#define MAX_SHOWN_STAGES 8u

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

// Returns whether timestamps are written when the commands before them complete. In a frame that draws, lavapipe writes
// each one only with the next one, so that every stage has the time of the next stage.
static bool has_ordered_timestamps(const device *device) {
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &driver};
    vkGetPhysicalDeviceProperties2(device->physical, &properties);
    return driver.driverID != VK_DRIVER_ID_MESA_LLVMPIPE;
}

lmb_result timing_create(const device *device, lmb_gpu *gpu, uint32_t frame_count, const char *trace, timing *timing,
                         lmb_error *error) {
    static const char *const stages[] = {"draw"};
    lmb_gpu_profile_def def = lmb_default_gpu_profile_def();
    def.queue_family = device->queue_family;
    def.slot_count = frame_count;
    def.stages = stages;
    def.stage_count = 1;
    *timing = (struct timing){.separates_stages = has_ordered_timestamps(device)};
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

static double median_ms(const lmb_profile *times, uint32_t stage) {
    return 1e-6 * (double)lmb_profile_total(times, stage).median;
}

static const char *name_stage(const lmb_profile *times, uint32_t stage) {
    return strcmp(lmb_profile_stage_name(times, stage), "characters") == 0 ? "pose and model"
                                                                           : lmb_profile_stage_name(times, stage);
}

// The stages of a profile that have samples, in their order.
typedef struct shown_stages {
    const lmb_profile *times;
    uint32_t stages[MAX_SHOWN_STAGES];
    uint32_t count;
} shown_stages;

static shown_stages find_stages(const lmb_profile *times, uint32_t first, uint32_t end) {
    shown_stages shown = {.times = times};
    for (uint32_t stage = first; stage < end && shown.count < MAX_SHOWN_STAGES; stage++) {
        if (lmb_profile_total(times, stage).count > 0) {
            shown.stages[shown.count++] = stage;
        }
    }
    return shown;
}

// Rounds a number up to 1, 2 or 5 times a power of ten.
static double round_up(double number) {
    double power = pow(10.0, floor(log10(number)));
    double digit = number / power;
    return power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
}

// Shows a bar for each of the newest frames, the newest at the right.
static void show_bars(const shown_stages *shown, ui *ui) {
    float values[MAX_SHOWN_STAGES * SHOWN_FRAMES] = {0};
    float sums[SHOWN_FRAMES] = {0};
    float longest = 0.001f;
    for (uint32_t i = 0; i < shown->count; i++) {
        uint64_t durations[SHOWN_FRAMES];
        uint32_t count = lmb_profile_history(shown->times, shown->stages[i], durations, SHOWN_FRAMES);
        for (uint32_t j = 0; j < count; j++) {
            const uint32_t frame = SHOWN_FRAMES - count + j;
            values[i * SHOWN_FRAMES + frame] = 1e-6f * (float)durations[j];
            sums[frame] += values[i * SHOWN_FRAMES + frame];
            longest = fmaxf(longest, sums[frame]);
        }
    }
    ui_bars(ui, values, shown->count, SHOWN_FRAMES, (float)round_up((double)longest));
}

static void show_legend(const shown_stages *shown, ui *ui) {
    for (uint32_t i = 0; i < shown->count; i++) {
        char median[32];
        snprintf(median, sizeof median, "%.3f ms", median_ms(shown->times, shown->stages[i]));
        ui_legend(ui, i, name_stage(shown->times, shown->stages[i]), median);
    }
}

// Shows a diagram of the animation, and one of the frame that contains it: compared with drawing, it would hardly be
// visible.
static void show_device(const timing *timing, uint32_t character_count, ui *ui) {
    const lmb_profile *times = lmb_gpu_profile_times(timing->profile);
    const shown_stages animation = find_stages(times, LMB_GPU_STAGE_FRAME + 1, TIMING_DRAW);
    const shown_stages frame = find_stages(times, LMB_GPU_STAGE_FRAME + 1, lmb_profile_stage_count(times));
    char text[64];
    snprintf(text, sizeof text, "animation of %u characters", character_count);
    ui_text(ui, text);
    show_bars(&animation, ui);
    snprintf(text, sizeof text, "frame on the device: %.2f ms", median_ms(times, LMB_GPU_STAGE_FRAME));
    ui_text(ui, text);
    show_bars(&frame, ui);
    show_legend(&frame, ui);
}

static void show_host(const timing *timing, ui *ui) {
    const shown_stages frame = find_stages(timing->host, TIMING_FRAME + 1, TIMING_HOST_STAGE_COUNT);
    ui_text(ui, "frame on the host");
    show_bars(&frame, ui);
    show_legend(&frame, ui);
    if (timing->profile == NULL) {
        ui_text(ui, "The queue has no timestamps: stages on the device are not measured.");
        return;
    }
    char text[128];
    snprintf(text, sizeof text, "On the device: %.2f ms. Lavapipe's timestamps do not separate its stages.",
             median_ms(lmb_gpu_profile_times(timing->profile), LMB_GPU_STAGE_FRAME));
    ui_text(ui, text);
}

void timing_show(const timing *timing, uint32_t character_count, ui *ui) {
    ui_begin_window(ui, "times");
    if (timing->profile != NULL && timing->separates_stages) {
        show_device(timing, character_count, ui);
    } else {
        show_host(timing, ui);
    }
    ui_end_window(ui);
}

static void print_times(const timing *timing) {
    if (timing->profile == NULL) {
        terminal_print("time per frame: not measured, the queue has no timestamps\n");
        return;
    }
    const lmb_profile *times = lmb_gpu_profile_times(timing->profile);
    if (!timing->separates_stages) {
        terminal_print("time per frame: %.3f ms; lavapipe's timestamps do not separate its stages\n",
                       median_ms(times, LMB_GPU_STAGE_FRAME));
        return;
    }
    terminal_print("time per frame:");
    for (uint32_t stage = 0; stage < lmb_profile_stage_count(times); stage++) {
        if (lmb_profile_total(times, stage).count > 0) {
            terminal_print("%s %s %.3f ms", stage > 0 ? "," : "", name_stage(times, stage), median_ms(times, stage));
        }
    }
    terminal_print("\n");
}

lmb_result timing_finish(timing *timing, lmb_error *error) {
    print_times(timing);
    return trace_close(&timing->trace, error);
}
