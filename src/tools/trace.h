// Writes a trace in Chrome's JSON format, which chrome://tracing and ui.perfetto.dev show. A trace has processes with
// tracks, and each track has named time spans.
#ifndef LIMBER_SRC_TOOLS_TRACE_H
#define LIMBER_SRC_TOOLS_TRACE_H

#include "json.h"

#include <limber/profile.h>

typedef struct trace {
    json json; // its stream is NULL if the trace is not open
    const char *path;
} trace;

// Creates the file. `path` must outlive the trace. Fails with #LMB_ERROR_FILE.
lmb_result trace_open(const char *path, trace *trace, lmb_error *error);
// Ends the text and closes the file. Fails with #LMB_ERROR_FILE if the file could not be written completely. Accepts a
// zeroed or closed trace.
lmb_result trace_close(trace *trace, lmb_error *error);

// Names a process, and the two tracks that trace_take() writes to: `track` and the one after it.
void trace_name_process(trace *trace, uint32_t process, const char *name);
void trace_name_tracks(trace *trace, uint32_t process, uint32_t track, const char *whole, const char *stages);

// Writes a time span, in nanoseconds.
void trace_event(trace *trace, uint32_t process, uint32_t track, const char *name, uint64_t begin, uint64_t end);

// Takes all events of a profile and writes them `shift` nanoseconds later. Those of stage 0, a whole run or frame, go
// to `track`, and the other stages to the track after it.
void trace_take(trace *trace, uint32_t process, uint32_t track, lmb_profile *profile, uint64_t shift);

// Returns the nanoseconds of a monotonic clock, for lmb_clock and for events.
uint64_t trace_clock(void *unused);

#endif
