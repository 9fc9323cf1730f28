// `limber devices`: lists the Vulkan devices, and whether each gives the same bits.
#include "command.h"
#include "device.h"
#include "json.h"
#include "terminal.h"

#include <stdio.h>

typedef struct listed_device {
    uint32_t index;
    VkPhysicalDeviceProperties properties;
    char version[32]; // of Vulkan
    char driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE + 1];
    lmb_gpu_probe_result probe; // `done` is false if the device could not be opened
    char reason[600];           // why it does not give the same bits; empty if it does
} listed_device;

static const char *type_name(VkPhysicalDeviceType type) {
    static const char *const names[] = {[VK_PHYSICAL_DEVICE_TYPE_OTHER] = "other",
                                        [VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU] = "integrated",
                                        [VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU] = "discrete",
                                        [VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU] = "virtual",
                                        [VK_PHYSICAL_DEVICE_TYPE_CPU] = "CPU"};
    return names[(size_t)type < sizeof names / sizeof names[0] ? type : VK_PHYSICAL_DEVICE_TYPE_OTHER];
}

// Gets the driver's name, and its version as the driver writes it.
static void find_driver(VkPhysicalDevice physical, listed_device *listed) {
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &driver};
    if (listed->properties.apiVersion < VK_API_VERSION_1_2) {
        snprintf(listed->driver, sizeof listed->driver, "version %u", listed->properties.driverVersion);
        return;
    }
    vkGetPhysicalDeviceProperties2(physical, &properties);
    snprintf(listed->driver, sizeof listed->driver, "%s%s%s", driver.driverName,
             driver.driverInfo[0] != '\0' ? " " : "", driver.driverInfo);
}

// Opens the device, which runs the probe. Fails if the validation layer gave any messages.
static lmb_result probe(listed_device *listed, lmb_error *error) {
    char index[16];
    snprintf(index, sizeof index, "%u", listed->index);
    gpu_device opened;
    lmb_error refusal;
    if (gpu_device_open(index, true, &opened, &refusal) != LMB_OK) {
        snprintf(listed->reason, sizeof listed->reason, "%s", refusal.message);
        return LMB_OK;
    }
    const lmb_gpu_probe_result result = lmb_gpu_probed(opened.gpu);
    listed->probe = result;
    if (!result.same_bits) {
        snprintf(listed->reason, sizeof listed->reason,
                 "%u of %u probe cases differ; the first, %s of 0x%08x and 0x%08x, is 0x%08x and must be 0x%08x",
                 result.failure_count, result.case_count, result.failed_case, result.input_bits[0],
                 result.input_bits[1], result.actual_bits, result.expected_bits);
    }
    return gpu_device_close(&opened, LMB_OK, error);
}

static lmb_result list(VkPhysicalDevice physical, uint32_t index, listed_device *listed, lmb_error *error) {
    *listed = (listed_device){.index = index};
    vkGetPhysicalDeviceProperties(physical, &listed->properties);
    const uint32_t version = listed->properties.apiVersion;
    snprintf(listed->version, sizeof listed->version, "%u.%u.%u", VK_API_VERSION_MAJOR(version),
             VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
    find_driver(physical, listed);
    const char *lacks = device_lacks(physical);
    if (lacks != NULL) {
        snprintf(listed->reason, sizeof listed->reason, "lacks %s", lacks);
        return LMB_OK;
    }
    return probe(listed, error);
}

// Handles of physical devices are valid only while the instance is open, so all devices are examined here. A failure is
// returned after all are listed.
static lmb_result list_all(const device *instance, listed_device *devices, uint32_t *count, lmb_error *error) {
    VkPhysicalDevice physical[DEVICE_MAX];
    lmb_result result = LMB_OK;
    *count = device_list(instance, physical);
    for (uint32_t i = 0; i < *count; i++) {
        const lmb_result listed = list(physical[i], i, &devices[i], error);
        result = result == LMB_OK ? listed : result;
    }
    return result;
}

static void print_text(const listed_device *devices, uint32_t count) {
    if (count == 0) {
        terminal_print("no Vulkan device\n");
    }
    for (uint32_t i = 0; i < count; i++) {
        const listed_device *listed = &devices[i];
        terminal_print("%u: %s (%s, Vulkan %s)\n", listed->index, listed->properties.deviceName,
                       type_name(listed->properties.deviceType), listed->version);
        terminal_print("   driver: %s\n", listed->driver);
        if (listed->probe.same_bits) {
            terminal_print("   same bits: yes, %u probe cases, round to nearest even %s\n", listed->probe.case_count,
                           listed->probe.declares_rte ? "declared" : "not declared by the device, but done");
        } else {
            terminal_print("   same bits: no, %s\n", listed->reason);
        }
    }
}

static void write_json(const listed_device *devices, uint32_t count) {
    json json = json_begin(stdout);
    json_begin_array(&json, "devices");
    for (uint32_t i = 0; i < count; i++) {
        const listed_device *listed = &devices[i];
        json_begin_object(&json, NULL);
        json_unsigned(&json, "index", listed->index);
        json_text(&json, "name", listed->properties.deviceName);
        json_text(&json, "type", type_name(listed->properties.deviceType));
        json_text(&json, "vulkan", listed->version);
        json_text(&json, "driver", listed->driver);
        json_bool(&json, "same_bits", listed->probe.same_bits);
        json_bool(&json, "declares_rte", listed->probe.declares_rte);
        json_unsigned(&json, "cases", listed->probe.case_count);
        json_unsigned(&json, "failures", listed->probe.failure_count);
        json_text(&json, "reason", listed->probe.same_bits ? NULL : listed->reason);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end(&json);
}

int command_devices(int argc, char **argv) {
    bool as_json = false;
    const option options[] = {OPTION_JSON(&as_json), {0}};
    const usage usage = {
        .command = "limber devices",
        .synopsis = "[--json]",
        .text =
            "Lists the Vulkan devices in the order in which --device counts them, with their drivers, and runs the\n"
            "probe on each: does it give the reference's bits, and if not, why.\n",
        .options = options,
    };
    const int status = command_line_read(&usage, argc, argv, NULL);
    if (status != COMMAND_LINE_GOOD) {
        return status;
    }
    const device_request request = {0};
    device instance;
    listed_device devices[DEVICE_MAX];
    uint32_t count = 0;
    lmb_error error = {0};
    lmb_result result = device_open_instance(&request, &instance, &error);
    if (result == LMB_OK) {
        result = list_all(&instance, devices, &count, &error);
        device_close(&instance);
        (as_json ? write_json : print_text)(devices, count);
    }
    return command_end("devices", result, &error);
}
