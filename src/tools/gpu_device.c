#include "gpu_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gpu_device_validates(void) {
    const char *value = getenv("LIMBER_VALIDATE");
    return value != NULL && strcmp(value, "1") == 0;
}

lmb_result gpu_device_open(const char *name, bool accept_mismatch, gpu_device *opened, lmb_error *error) {
    *opened = (gpu_device){0};
    const device_request request = {.name = name, .validation = gpu_device_validates()};
    lmb_result result = device_open(&request, &opened->device, error);
    if (result != LMB_OK) {
        *opened = (gpu_device){0};
        return result;
    }
    lmb_gpu_def def = device_gpu_def(&opened->device);
    def.accept_mismatch = accept_mismatch;
    result = lmb_gpu_create(&def, NULL, &opened->gpu, error);
    if (result != LMB_OK) {
        device_close(&opened->device);
        *opened = (gpu_device){0};
    }
    return result;
}

lmb_result gpu_device_close(gpu_device *opened, lmb_error *error) {
    lmb_gpu_destroy(opened->gpu);
    uint32_t messages = device_close(&opened->device);
    *opened = (gpu_device){0};
    if (messages == 0) {
        return LMB_OK;
    }
    if (error != NULL) {
        error->result = LMB_ERROR_VULKAN;
        snprintf(error->message, sizeof error->message, "the validation layer gave %u messages", messages);
    }
    return LMB_ERROR_VULKAN;
}
