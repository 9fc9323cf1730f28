// A device in host memory, for a library that gets all Vulkan functions from vkGetInstanceProcAddr. Buffers are
// allocated in host memory, and commands run when they are recorded; rdna.h runs the kernels. A kernel's addresses are
// those of the host, and every access is checked to be inside a buffer.
#ifndef LIMBER_BENCH_KERNELS_EMULATED_H
#define LIMBER_BENCH_KERNELS_EMULATED_H

#include "kernels.h"
#include "rdna_profile.h"

// Returns the function that replaces one of the device, or of the instance for labels; NULL for the device's own
// function.
PFN_vkVoidFunction emulated_function(const char *name);
extern const lmb_gpu_memory_hooks emulated_memory;

// Returns the handle that represents a command buffer.
VkCommandBuffer emulated_commands(void);
// Stores what dispatches of the pipeline need. If there is no memory for it, the dispatches fail.
void emulated_add(VkPipeline pipeline, const kernel *kernel);
void emulated_remove(VkPipeline pipeline);
// Makes memory of the host accessible to kernels until it is hidden. Returns its address, or 0 if there is no memory
// for that.
VkDeviceAddress emulated_show(void *bytes, size_t size);
void emulated_hide(const void *bytes);
// Takes note of a buffer's name, which says whether all characters read it.
void emulated_name_buffer(VkBuffer buffer, const char *name);

// Returns the counts of all kernels since the last call.
rdna_counts emulated_take_counts(void);
// Makes dispatches add to profiles from now on.
void emulated_profile_kernels(void);
void emulated_clear_profiles(void);
// Returns the profile of the kernel with this name since profiles were cleared; NULL if it did not run.
const rdna_profile *emulated_profile(const char *kernel);
// Returns the first error in commands.
lmb_result emulated_result(lmb_error *error);

#endif
