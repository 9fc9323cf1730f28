// A file of the pipelines that a driver has compiled, for the command, the samples, the bench and the tests. The next
// process need not compile them again. A host of the library keeps its own VkPipelineCache.
#ifndef LIMBER_SRC_TOOLS_PIPELINE_CACHE_H
#define LIMBER_SRC_TOOLS_PIPELINE_CACHE_H

#include <vulkan/vulkan_core.h>

#include <stdbool.h>
#include <stddef.h>

#define PIPELINE_CACHE_PATH 1024

// Finds the file for a driver by its pipelineCacheUUID. The file is in the folder $LIMBER_CACHE_DIR, or else in the
// user's cache folder. Returns false if there is no such folder, or if LIMBER_CACHE_DIR is empty, which disables the
// file.
bool pipeline_cache_path(const VkPhysicalDeviceProperties *properties, char path[PIPELINE_CACHE_PATH]);

// Returns the driver's data from the file, which the caller frees, or NULL if there is none. If the file is damaged or
// belongs to another driver, `problem` says so; otherwise it is empty.
void *pipeline_cache_read(const char *path, const VkPhysicalDeviceProperties *properties, size_t *size,
                          char problem[200]);

// Replaces the file, completely or not at all. Creates its folder. Returns false on failure.
bool pipeline_cache_write(const char *path, const void *data, size_t size);

#endif
