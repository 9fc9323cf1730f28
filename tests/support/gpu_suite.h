// Functions shared by suites that need a Vulkan device. LIMBER_VALIDATE=1 enables the validation layer; the test that
// closes the device then fails on any message.
#ifndef LIMBER_TESTS_SUPPORT_GPU_SUITE_H
#define LIMBER_TESTS_SUPPORT_GPU_SUITE_H

#include "suite.h"

#include <device.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The SKIP_RETURN_CODE of CTest for suites without a device.
#define SUITE_SKIPPED 77

static inline device_request suite_request(void) {
    const char *validate = getenv("LIMBER_VALIDATE");
    return (device_request){.validation = validate != NULL && validate[0] == '1'};
}

static inline void open_device(device *device) {
    lmb_error error;
    device_request request = suite_request();
    assert_ok(device_open(&request, device, &error), &error);
}

// Creates a buffer that kernels read and write by its address, with this content.
static inline device_buffer suite_buffer(device *device, const void *bytes, size_t size) {
    device_buffer buffer;
    lmb_error error;
    assert_ok(device_buffer_create(device, size,
                                   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, true,
                                   &buffer, &error),
              &error);
    memcpy(buffer.mapped, bytes, size);
    return buffer;
}

static inline void close_device(device *device) {
    assert_int_equal(device_close(device), 0);
}

// Runs the tests between `start` and `finish`, which may be NULL. Without a device, prints this and returns
// SUITE_SKIPPED.
static inline int run_gpu_suite_with(const char *name, const struct CMUnitTest *tests, size_t count,
                                     CMFixtureFunction start, CMFixtureFunction finish) {
    device device;
    lmb_error error;
    device_request request = suite_request();
    if (device_open(&request, &device, &error) != LMB_OK) {
        printf("%s: skipped: %s\n", name, error.message);
        return SUITE_SKIPPED;
    }
    printf("%s: on %s\n", name, device.properties.deviceName);
    device_close(&device);
    suite_filter();
    return _cmocka_run_group_tests(name, tests, count, start, finish);
}

static inline int run_gpu_suite(const char *name, const struct CMUnitTest *tests, size_t count) {
    return run_gpu_suite_with(name, tests, count, NULL, NULL);
}

#endif
