// One way to run the workload, for a number of characters, a frame at a time.
#ifndef LIMBER_BENCH_BACKEND_H
#define LIMBER_BENCH_BACKEND_H

#include "limits.h"
#include "workload.h"

typedef struct backend backend;

struct backend {
    char name[300];
    limits limits;
    const workload *workload;
    uint32_t characters;
    // Runs a frame to its end; `seconds` is the time from handing it over to having it.
    lmb_result (*run)(backend *backend, uint32_t frame, double *seconds, lmb_error *error);
    void (*close)(backend *backend);
    void *state;
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
