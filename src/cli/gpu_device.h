// A Vulkan device with Limber's pipelines on it, as the command and the tests open it: under the validation layer where
// the environment says LIMBER_VALIDATE=1.
#ifndef LIMBER_SRC_CLI_GPU_DEVICE_H
#define LIMBER_SRC_CLI_GPU_DEVICE_H

#include "device.h"

typedef struct gpu_device {
    device device;
    lmb_gpu *gpu;
} gpu_device;

// What LIMBER_VALIDATE in the environment asks for.
bool gpu_device_validates(void);
// `name` as in device_request. With `accept_mismatch` a device that fails the probe is opened all the same.
lmb_result gpu_device_open(const char *name, bool accept_mismatch, gpu_device *opened, lmb_error *error);
// A zeroed one is fine. Fails, after it has closed everything, with #LMB_ERROR_VULKAN where the validation layer had
// something to say.
lmb_result gpu_device_close(gpu_device *opened, lmb_error *error);

#endif
