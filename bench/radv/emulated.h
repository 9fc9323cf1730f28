// A device in host memory, for a library that takes all of Vulkan through vkGetInstanceProcAddr: buffers are allocated
// here, and commands run as they are recorded, kernels by rdna.h. A kernel's addresses are the host's, and every access
// is checked to be inside of a buffer.
#ifndef LIMBER_BENCH_RADV_EMULATED_H
#define LIMBER_BENCH_RADV_EMULATED_H

#include "kernels.h"
#include "rdna.h"

// The function to be used in place of a device's, or of the instance's for labels; NULL: the device's own.
PFN_vkVoidFunction emulated_function(const char *name);
extern const lmb_gpu_memory_hooks emulated_memory;

// What stands for a command buffer.
VkCommandBuffer emulated_commands(void);
// Keeps what dispatches of the pipeline need; without memory for it they fail.
void emulated_add(VkPipeline pipeline, const kernel *kernel);
void emulated_remove(VkPipeline pipeline);
// What all kernels have run since the last call.
rdna_counts emulated_take_counts(void);
// The first thing that went wrong in commands.
lmb_result emulated_result(lmb_error *error);

#endif
