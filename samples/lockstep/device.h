// Runs a world's frames on a Vulkan device. The host keeps all words: each frame restores a snapshot of them, as after
// a rollback, and is read back. A renderer leaves them on the device, and restores only when late input arrives.
#ifndef LOCKSTEP_DEVICE_H
#define LOCKSTEP_DEVICE_H

#include "game.h"

typedef struct gpu_device gpu_device;

// Opens the first device, with a batch for this graph and so many characters.
lmb_result gpu_device_create(const lmb_graph *graph, uint32_t characters, gpu_device **result, lmb_error *error);
void gpu_device_destroy(gpu_device *device);
// An evaluator: its context is the device.
lmb_result gpu_device_run(void *context, const lmb_batch_inputs *inputs, const lmb_batch_outputs *outputs,
                          lmb_error *error);

#endif
