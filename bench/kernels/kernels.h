// Statistics and disassembly of every pipeline that the library creates, from a driver's compiler on a device that runs
// nothing and has no memory: RADV without hardware. The library gets vkGetInstanceProcAddr from its host and is not
// changed for this. Of the functions that it finds there, one asks the driver to keep a pipeline's statistics, and one
// reads them when the library names the pipeline. Buffers and commands are those of emulated.h.
#ifndef LIMBER_BENCH_KERNELS_KERNELS_H
#define LIMBER_BENCH_KERNELS_KERNELS_H

#include "device.h"

typedef struct kernel {
    const char *name; // such as "graph"; valid during the call
    uint32_t invocations;
    uint32_t vgprs;
    uint32_t sgprs;
    uint32_t spills;    // registers of both kinds that are spilled to memory
    uint32_t lds_bytes; // per workgroup
    uint32_t code_bytes;
    uint32_t valu;  // vector instructions
    uint32_t loads; // instructions that load from global memory
    uint32_t waves; // waves per SIMD that the registers allow
    const char *assembly;
} kernel;

typedef void (*kernels_found)(const kernel *kernel);

// Returns a definition for a device that was opened with `executable_properties`. `found` is called for every pipeline.
// Nothing may be submitted. The library chooses workgroups for subgroups of `subgroup_size` lanes, or of as many as the
// driver has if it is 0; the code has the driver's either way.
lmb_gpu_def kernels_gpu_def(const device *device, uint32_t subgroup_size, kernels_found found);

// Returns whether every pipeline so far had statistics and could be disassembled.
bool kernels_are_complete(void);

#endif
