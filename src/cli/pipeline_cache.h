// A file of the pipelines that a driver has compiled, for the command, the samples, the bench and the tests: the next
// process need not compile them again. A host of the library keeps its own VkPipelineCache.
#ifndef LIMBER_SRC_CLI_PIPELINE_CACHE_H
#define LIMBER_SRC_CLI_PIPELINE_CACHE_H

#include <vulkan/vulkan_core.h>

#include <stdbool.h>
#include <stddef.h>

#define PIPELINE_CACHE_PATH 1024

// The file for a driver, by its pipelineCacheUUID: in the folder $LIMBER_CACHE_DIR, or else in the user's cache folder. False
// where there is no such folder, or LIMBER_CACHE_DIR is empty, which keeps everything off the disk.
bool pipeline_cache_path(const VkPhysicalDeviceProperties *properties, char path[PIPELINE_CACHE_PATH]);

// The driver's data in the file, which the caller frees; NULL where there is none. Where the file is damaged, or another
// driver's, `problem` says so; it is empty otherwise.
void *pipeline_cache_read(const char *path, const VkPhysicalDeviceProperties *properties, size_t *size,
                          char problem[200]);

// Writes the file anew, whole or not at all; creates its folder. False where that fails.
bool pipeline_cache_write(const char *path, const void *data, size_t size);

#endif
