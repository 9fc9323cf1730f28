// A Vulkan device with Limber's pipelines, as the command and the tests open it. Uses the validation layer if
// LIMBER_VALIDATE=1 is set in the environment.
#ifndef LIMBER_SRC_TOOLS_GPU_DEVICE_H
#define LIMBER_SRC_TOOLS_GPU_DEVICE_H

#include "device.h"

typedef struct gpu_device {
    device device;
    lmb_gpu *gpu;
} gpu_device;

// Returns whether LIMBER_VALIDATE in the environment asks for the validation layer.
bool gpu_device_validates(void);
// `name` is as in device_request. With `accept_mismatch`, a device that fails the probe is opened anyway.
lmb_result gpu_device_open(const char *name, bool accept_mismatch, gpu_device *opened, lmb_error *error);
// Accepts a zeroed one. Closes everything, and then fails with #LMB_ERROR_VULKAN if the validation layer gave any
// messages.
lmb_result gpu_device_close(gpu_device *opened, lmb_error *error);

#endif
