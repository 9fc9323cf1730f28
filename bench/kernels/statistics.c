#include "statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATISTICS = 32, MOST_REPRESENTATIONS = 8, MOST_NAMES = 9, LOAD_NAMES = 2 };

typedef struct statistic {
    const char *name;
    kernel_figure figure;
    uint32_t unit; // in which the driver counts what the figure counts in ones; 0 is 1
} statistic;

typedef struct driver {
    const char *name;                 // VkPhysicalDeviceDriverProperties
    const char *assembly;             // the name of the text with instructions
    statistic statistics[MOST_NAMES]; // those of one figure are added
    const char *vector;               // how an instruction of lanes begins, or NULL
    const char *loads[LOAD_NAMES];    // what the text of a load contains, or NULL
    bool compacts;                    // whether code bytes are those of the text: 16 an instruction, or 8
} driver;

static const driver drivers[] = {
    {.name = "radv",
     .assembly = "Assembly",
     .statistics = {{"VGPRs", KERNEL_REGISTERS, 0},
                    {"Spilled VGPRs", KERNEL_SPILLS, 0},
                    {"Spilled SGPRs", KERNEL_SPILLS, 0},
                    {"LDS size", KERNEL_SHARED_BYTES, 0},
                    {"Code size", KERNEL_CODE_BYTES, 0},
                    {"Instructions", KERNEL_INSTRUCTIONS, 0},
                    {"SGPRs", KERNEL_SCALARS, 0},
                    {"Subgroups per SIMD", KERNEL_WAVES, 0}},
     .vector = "v_",
     .loads = {"global_load_", "flat_load_"}},
    {.name = "NVK",
     .assembly = "NAK assembly",
     // Local memory has spilled registers, and arrays that code indexes.
     .statistics = {{"Number of GPRs", KERNEL_REGISTERS, 0},
                    {"SLM Size", KERNEL_SPILLS, sizeof(uint32_t)},
                    {"Code Size", KERNEL_CODE_BYTES, 0},
                    {"Instruction count", KERNEL_INSTRUCTIONS, 0}},
     .loads = {"ld.global"}},
    {.name = "Intel open-source Mesa driver",
     .assembly = "GEN Assembly",
     .statistics = {{"Max live registers", KERNEL_REGISTERS, 0},
                    {"Spill Count", KERNEL_SPILLS, 0},
                    {"Workgroup Memory Size", KERNEL_SHARED_BYTES, 0},
                    {"Instruction Count", KERNEL_INSTRUCTIONS, 0},
                    {"SEND Count", KERNEL_LOADS, 0}},
     .compacts = true},
};

static const driver *current; // global, because the hooks of kernels.h have no argument for user data

lmb_result statistics_open(VkPhysicalDevice physical, lmb_error *error) {
    VkPhysicalDeviceDriverProperties properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &properties};
    vkGetPhysicalDeviceProperties2(physical, &all);
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        if (strcmp(properties.driverName, drivers[i].name) == 0) {
            current = &drivers[i];
            return LMB_OK;
        }
    }
    snprintf(error->message, sizeof error->message, "no names are known for the driver %s", properties.driverName);
    return LMB_ERROR_UNSUPPORTED;
}

static bool read_values(VkDevice device, const VkPipelineExecutableInfoKHR *executable, kernel *kernel) {
    VkPipelineExecutableStatisticKHR values[MOST_STATISTICS];
    uint32_t count = MOST_STATISTICS;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = (VkPipelineExecutableStatisticKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
    }
    if (vkGetPipelineExecutableStatisticsKHR(device, executable, &count, values) < VK_SUCCESS) {
        return false;
    }
    bool complete = true;
    for (const statistic *desired = current->statistics; desired->name != NULL; desired++) {
        uint32_t i = 0;
        while (i < count && strcmp(values[i].name, desired->name) != 0) {
            i++;
        }
        if (i == count) {
            complete = false;
            continue;
        }
        uint32_t *figure = &kernel->figures[desired->figure];
        const uint32_t unit = desired->unit > 0 ? desired->unit : 1;
        *figure = (*figure == KERNEL_UNKNOWN ? 0 : *figure) + ((uint32_t)values[i].value.u64 + unit - 1) / unit;
    }
    return complete;
}

// Returns the driver's text of this name, which the caller frees; NULL if there is none.
static char *read_representation(VkDevice device, const VkPipelineExecutableInfoKHR *executable, const char *name) {
    VkPipelineExecutableInternalRepresentationKHR all[MOST_REPRESENTATIONS];
    uint32_t count = MOST_REPRESENTATIONS;
    for (uint32_t i = 0; i < count; i++) {
        all[i] = (VkPipelineExecutableInternalRepresentationKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
    }
    char *text = NULL;
    bool has_room = vkGetPipelineExecutableInternalRepresentationsKHR(device, executable, &count, all) == VK_SUCCESS;
    for (uint32_t i = 0; i < count && has_room; i++) {
        all[i].pData = calloc(1, all[i].dataSize + 1);
        has_room = all[i].pData != NULL;
    }
    if (has_room) {
        has_room = vkGetPipelineExecutableInternalRepresentationsKHR(device, executable, &count, all) == VK_SUCCESS;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (has_room && text == NULL && strcmp(all[i].name, name) == 0) {
            text = all[i].pData;
        } else {
            free(all[i].pData);
        }
    }
    return text;
}

static bool has(const char *text, const char *part) {
    return part != NULL && strstr(text, part) != NULL;
}

// Counts instructions by kind. A line is a label, an instruction after white space, or a number of repetitions of the
// previous instruction.
static void count_instructions(kernel *kernel) {
    uint32_t vector = 0, loads = 0, bytes = 0, of_vector = 0, of_load = 0;
    for (char *line = kernel->assembly; *line != '\0';) {
        const char *instruction = line + strspn(line, " \t");
        char *end = line + strcspn(line, "\n");
        const bool is_last = *end == '\0';
        unsigned times = 1;
        *end = '\0';
        if (sscanf(instruction, "(then repeated %u times)", &times) != 1) {
            of_vector = current->vector != NULL && strncmp(instruction, current->vector, strlen(current->vector)) == 0;
            of_load = has(instruction, current->loads[0]) || has(instruction, current->loads[1]);
        }
        vector += times * of_vector;
        loads += times * of_load;
        bytes += has(instruction, "};") ? (has(instruction, "compacted") ? 8 : 16) : 0;
        if (!is_last) {
            *end++ = '\n';
        }
        line = end;
    }
    if (current->vector != NULL) {
        kernel->figures[KERNEL_VECTOR] = vector;
    }
    if (current->loads[0] != NULL) {
        kernel->figures[KERNEL_LOADS] = loads;
    }
    if (current->compacts) {
        kernel->figures[KERNEL_CODE_BYTES] = bytes;
    }
}

// Returns the number of lanes that the kernel was compiled for; 0 if the driver does not say it.
static uint32_t read_lanes(VkDevice device, VkPipeline pipeline) {
    const VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
    VkPipelineExecutablePropertiesKHR properties = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    uint32_t count = 1;
    return vkGetPipelineExecutablePropertiesKHR(device, &info, &count, &properties) >= VK_SUCCESS && count == 1
               ? properties.subgroupSize
               : 0;
}

bool statistics_read(VkDevice device, VkPipeline pipeline, kernel *kernel) {
    const VkPipelineExecutableInfoKHR executable = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                                    .pipeline = pipeline};
    for (uint32_t i = 0; i < KERNEL_FIGURE_COUNT; i++) {
        kernel->figures[i] = KERNEL_UNKNOWN;
    }
    kernel->figures[KERNEL_LANES] = read_lanes(device, pipeline);
    const bool complete = read_values(device, &executable, kernel);
    kernel->assembly = read_representation(device, &executable, current->assembly);
    if (kernel->assembly == NULL) {
        return false;
    }
    count_instructions(kernel);
    return complete && kernel->figures[KERNEL_LANES] > 0 && kernel->figures[KERNEL_CODE_BYTES] > 0;
}
