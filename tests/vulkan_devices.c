// Lists the Vulkan devices that the loader finds, one per line; exits with 1 if there are none. tests/run.sh uses it to
// choose the drivers to test. It is independent of the tested code, so that a bug there cannot look like a missing
// device.
#include <stdio.h>
#include <stdlib.h>

#include <vulkan/vulkan.h>

int main(void) {
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                         .pApplicationInfo = &application};
    VkInstance instance;
    if (vkCreateInstance(&create, NULL, &instance) != VK_SUCCESS) {
        return EXIT_FAILURE;
    }
    VkPhysicalDevice devices[16];
    uint32_t count = sizeof devices / sizeof devices[0];
    if (vkEnumeratePhysicalDevices(instance, &count, devices) < 0) {
        count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(devices[i], &properties);
        printf("%s, Vulkan %u.%u\n", properties.deviceName, VK_API_VERSION_MAJOR(properties.apiVersion),
               VK_API_VERSION_MINOR(properties.apiVersion));
    }
    vkDestroyInstance(instance, NULL);
    return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
