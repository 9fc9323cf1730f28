// Statistics and disassembly of every pipeline that the library creates, from a driver's compiler on a device that runs
// nothing and has no memory: see run.sh. The library gets vkGetInstanceProcAddr from its host and is not
// changed for this. Of the functions that it finds there, one asks the driver to keep a pipeline's statistics, and one
// reads them when the library names the pipeline. Buffers and commands are those of emulated.h.
#ifndef LIMBER_BENCH_KERNELS_KERNELS_H
#define LIMBER_BENCH_KERNELS_KERNELS_H

#include "statistics.h"

typedef void (*kernels_found)(const kernel *kernel);

// Returns a definition for a device that was opened with `executable_properties`, and whose driver statistics_open()
// has selected. `found` is called for every pipeline. Nothing may be submitted. The library chooses workgroups for
// subgroups of `subgroup_size` lanes, or of as many as the driver has if it is 0; the code has the driver's either way.
lmb_gpu_def kernels_gpu_def(const device *device, uint32_t subgroup_size, kernels_found found);

// Returns whether every pipeline so far had all statistics and could be disassembled.
bool kernels_are_complete(void);

#endif
