// Events are written as they are taken from a profile, one object a line, so that a trace of any length needs no
// memory. Times are in thousandths of a microsecond, written as decimal fractions.
#define _POSIX_C_SOURCE 200809L

#include "trace.h"

#include "base/host.h"
#include "base/open_file.h"

#include <errno.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <time.h>
#endif

uint64_t trace_clock(void *unused) {
    (void)unused;
#ifdef _WIN32
    LARGE_INTEGER ticks, rate; // per second
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&rate);
    return (uint64_t)((double)ticks.QuadPart * (1e9 / (double)rate.QuadPart));
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static lmb_result fail(const trace *trace, lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_FILE, "%s: %s", trace->path, strerror(errno));
}

lmb_result trace_open(const char *path, trace *trace, lmb_error *error) {
    const char *why;
    *trace = (struct trace){.path = path, .json.stream = lmb_open_file(path, LMB_OPEN_WRITE, &why)};
    if (trace->json.stream == NULL) {
        return lmb_fail(error, LMB_ERROR_FILE, "%s: %s", path, why);
    }
    json_begin_object(&trace->json, NULL);
    json_text(&trace->json, "displayTimeUnit", "ns");
    json_begin_array(&trace->json, "traceEvents");
    return LMB_OK;
}

lmb_result trace_close(trace *trace, lmb_error *error) {
    FILE *stream = trace->json.stream;
    if (stream == NULL) {
        return LMB_OK;
    }
    json_end_array(&trace->json);
    json_end_object(&trace->json);
    fputc('\n', stream);
    trace->json.stream = NULL;
    const bool whole = fflush(stream) == 0 && !ferror(stream);
    const lmb_result result = whole ? LMB_OK : fail(trace, error);
    return fclose(stream) == 0 || !whole ? result : fail(trace, error);
}

static void begin_event(trace *trace, const char *phase, const char *name, uint32_t process, uint32_t track) {
    fputc('\n', trace->json.stream);
    json_begin_object(&trace->json, NULL);
    json_text(&trace->json, "ph", phase);
    json_text(&trace->json, "name", name);
    json_unsigned(&trace->json, "pid", process);
    json_unsigned(&trace->json, "tid", track);
}

static void name_something(trace *trace, const char *what, uint32_t process, uint32_t track, const char *name) {
    begin_event(trace, "M", what, process, track);
    json_begin_object(&trace->json, "args");
    json_text(&trace->json, "name", name);
    json_end_object(&trace->json);
    json_end_object(&trace->json);
}

void trace_name_process(trace *trace, uint32_t process, const char *name) {
    name_something(trace, "process_name", process, 0, name);
}

void trace_name_tracks(trace *trace, uint32_t process, uint32_t track, const char *whole, const char *stages) {
    name_something(trace, "thread_name", process, track, whole);
    name_something(trace, "thread_name", process, track + 1, stages);
}

void trace_event(trace *trace, uint32_t process, uint32_t track, const char *name, uint64_t begin, uint64_t end) {
    begin_event(trace, "X", name, process, track);
    json_thousandths(&trace->json, "ts", begin);
    json_thousandths(&trace->json, "dur", end - begin);
    json_end_object(&trace->json);
}

void trace_take(trace *trace, uint32_t process, uint32_t track, lmb_profile *profile, uint64_t shift) {
    lmb_profile_event event;
    while (lmb_profile_take(profile, &event, 1) == 1) {
        trace_event(trace, process, event.stage == 0 ? track : track + 1, lmb_profile_stage_name(profile, event.stage),
                    event.begin + shift, event.end + shift);
    }
}
