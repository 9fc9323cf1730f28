// What a driver's compiler says of a pipeline: figures and disassembly. Every driver has other names for them.
#ifndef LIMBER_BENCH_KERNELS_STATISTICS_H
#define LIMBER_BENCH_KERNELS_STATISTICS_H

#include "device.h"

typedef enum kernel_figure {
    KERNEL_LANES,        // of a subgroup
    KERNEL_REGISTERS,    // per lane
    KERNEL_SPILLS,       // registers of all kinds that are spilled to memory; on Intel instructions that spill
    KERNEL_SHARED_BYTES, // workgroup memory
    KERNEL_CODE_BYTES,
    KERNEL_INSTRUCTIONS,
    KERNEL_LOADS,   // instructions that load from global memory; on Intel all messages, also stores and barriers
    KERNEL_VECTOR,  // instructions of lanes, only for Radeons
    KERNEL_SCALARS, // registers per subgroup, only for Radeons
    KERNEL_WAVES,   // subgroups per SIMD that the registers allow, only for Radeons
    KERNEL_FIGURE_COUNT
} kernel_figure;

#define KERNEL_UNKNOWN UINT32_MAX

typedef struct kernel {
    const char *name; // such as "graph"; valid during the call
    uint32_t invocations;
    uint32_t figures[KERNEL_FIGURE_COUNT]; // KERNEL_UNKNOWN where a driver does not say it
    char *assembly;
} kernel;

// Selects the driver of a device. Fails if its names are not known here.
lmb_result statistics_open(VkPhysicalDevice physical, lmb_error *error);

// Reads all figures, but workgroup memory where the driver does not say it, and disassembly, which the caller frees.
// Returns false if anything is missing. The pipeline was created with both flags that capture them.
bool statistics_read(VkDevice device, VkPipeline pipeline, kernel *kernel);

#endif
