// One way to run the workload for a number of characters, frame by frame.
#ifndef LIMBER_BENCH_BACKEND_H
#define LIMBER_BENCH_BACKEND_H

#include "machine_limits.h"
#include "workload.h"

#include <trace.h>

typedef struct backend backend;

// Seconds that a frame takes, and the parts of the control and of the poses; 0 if these are not known.
typedef struct frame_time {
    double whole;
    double control;
    double poses;
} frame_time;

struct backend {
    char name[300];
    bool is_gpu;   // not a processor
    uint32_t base; // index of the backend that does the same without what is measured, or LMB_NONE
    limits limits;
    const workload *workload;
    uint32_t characters;
    // Runs a frame to completion. Frames must follow each other, starting at 0.
    lmb_result (*run)(backend *backend, uint32_t frame, frame_time *taken, lmb_error *error);
    void (*close)(backend *backend);
    // Starts to time the stages of later runs in `times`; leaves it NULL if the backend cannot.
    lmb_result (*profile)(backend *backend, lmb_error *error);
    void *state;
    lmb_profile *times; // belongs to the state
    uint64_t shift;     // add it to these times to get trace_clock()
    trace *trace;       // receives the times as those of `process`; or NULL
    uint32_t process;
};

// Return the approximate memory of a backend with this many characters: of the machine, or of the device.
double backend_cpu_bytes(const workload *workload, uint32_t characters);
double backend_gpu_bytes(const workload *workload, uint32_t characters);

// Opens a path of the CPU on one core. It is timed by the thread's own clock, which is less sensitive to other load.
// Backends may share the outputs, because they run one at a time. After a failure, close the backend.
lmb_result backend_open_cpu(const workload *workload, uint32_t characters, lmb_cpu_path path,
                            const workload_outputs *outputs, backend *backend, lmb_error *error);
// Opens a Vulkan device; palettes stay on it. See device_timer.h.
lmb_result backend_open_gpu(const workload *workload, uint32_t characters, device *device, backend *backend,
                            lmb_error *error);

#endif
