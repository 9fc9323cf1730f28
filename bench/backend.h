// One way to run the workload, for a number of characters, a frame at a time.
#ifndef LIMBER_BENCH_BACKEND_H
#define LIMBER_BENCH_BACKEND_H

#include "limits.h"
#include "workload.h"

#include <trace.h>

typedef struct backend backend;

// Seconds from handing a frame over to having it, and of those the control's and the poses', 0 where they are not known
// apart.
typedef struct frame_time {
    double whole;
    double control;
    double poses;
} frame_time;

struct backend {
    char name[300];
    limits limits;
    const workload *workload;
    uint32_t characters;
    // Runs a frame to its end. Frames follow each other, from 0 on.
    lmb_result (*run)(backend *backend, uint32_t frame, frame_time *taken, lmb_error *error);
    void (*close)(backend *backend);
    // Times the stages of later runs, into `times`; leaves that NULL where the backend cannot.
    lmb_result (*profile)(backend *backend, lmb_error *error);
    void *state;
    lmb_profile *times; // goes with the state
    uint64_t shift;     // to be added to these times for trace_clock()
    trace *trace;       // where they go, as this process, or NULL
    uint32_t process;
};

// Bytes of memory that a backend of this many characters takes, about: of the machine's, or of the device's.
double backend_cpu_bytes(const workload *workload, uint32_t characters);
double backend_gpu_bytes(const workload *workload, uint32_t characters);

// A path of the CPU, on one core; its time is the thread's own, so that a busy machine shows less. `palette` is room
// for one, and may be shared: backends run one at a time. On failure, close what there is.
lmb_result backend_open_cpu(const workload *workload, uint32_t characters, lmb_cpu_path path, float *palette,
                            backend *backend, lmb_error *error);
// A Vulkan device; palettes stay on it. Timed by limits_device_seconds().
lmb_result backend_open_gpu(const workload *workload, uint32_t characters, device *device, backend *backend,
                            lmb_error *error);

#endif
