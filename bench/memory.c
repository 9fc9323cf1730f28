// Finds the available memory.
#include "memory.h"

#include <stdio.h>

double memory_of_machine(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    double kilobytes = 0.0;
    char line[128];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kilobytes > 0.0 ? kilobytes * 1024.0 : 4e9; // a guess if the system does not report it
}

double memory_of_device(const device *device) {
    VkPhysicalDeviceMemoryProperties memory;
    double largest = 0.0;
    if (device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        return memory_of_machine();
    }
    vkGetPhysicalDeviceMemoryProperties(device->physical, &memory);
    for (uint32_t i = 0; i < memory.memoryHeapCount; i++) {
        if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) &&
            (double)memory.memoryHeaps[i].size > largest) {
            largest = (double)memory.memoryHeaps[i].size;
        }
    }
    return largest;
}
