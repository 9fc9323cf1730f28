// What a driver's compiler makes of every pipeline that the library creates, on a device that runs nothing and has no
// memory: RADV's without hardware. The library takes vkGetInstanceProcAddr from its host, and needs to know nothing of
// this: of the functions that it finds there, one asks the driver to keep statistics of a pipeline, and one reads them
// once the library names the pipeline. Buffers and commands are those of emulated.h.
#ifndef LIMBER_BENCH_RADV_KERNELS_H
#define LIMBER_BENCH_RADV_KERNELS_H

#include "device.h"

typedef struct kernel {
    const char *name; // "graph"; valid during the call
    uint32_t invocations;
    uint32_t vgprs;
    uint32_t sgprs;
    uint32_t spills;    // registers of both kinds that are kept in memory
    uint32_t lds_bytes; // of a workgroup
    uint32_t code_bytes;
    uint32_t valu;  // vector instructions
    uint32_t loads; // instructions that load from global memory
    uint32_t waves; // a SIMD that its registers leave room for
    const char *assembly;
} kernel;

typedef void (*kernels_found)(const kernel *kernel);

// For a device opened with `executable_properties`: calls `found` for every pipeline. Nothing may be submitted.
lmb_gpu_def kernels_gpu_def(const device *device, kernels_found found);

// Whether every pipeline so far had statistics and could be disassembled.
bool kernels_are_complete(void);

#endif
