// What the bench measures: one way to run the workload, for a number of characters, a frame at a time.
#ifndef LIMBER_BENCH_BACKEND_H
#define LIMBER_BENCH_BACKEND_H

#include "workload.h"

#include <device.h>

#include <limber/cpu.h>

typedef struct backend backend;

struct backend {
    char name[256];
    const workload *workload;
    uint32_t characters;
    double copy_bandwidth; // bytes copied a second: the floor is palette bytes over it
    // Runs a frame to its end; `seconds` is the time from handing it over to having it.
    lmb_result (*run)(backend *backend, uint32_t frame, double *seconds, lmb_error *error);
    void (*close)(backend *backend);
    void *state;
};

// Seconds on a clock that only goes forward.
double bench_seconds(void);

// Bytes a second that a copy between two buffers too large for a cache moves, the best of several.
double bench_copy_bandwidth(void);
lmb_result bench_device_copy_bandwidth(device *device, double *bandwidth, lmb_error *error);

// A path of the CPU, on one core. On failure, close what there is.
lmb_result backend_open_cpu(const workload *workload, uint32_t characters, lmb_cpu_path path, backend *backend,
                            lmb_error *error);
// A Vulkan device; palettes stay on it.
lmb_result backend_open_gpu(const workload *workload, uint32_t characters, device *device, backend *backend,
                            lmb_error *error);

#endif
