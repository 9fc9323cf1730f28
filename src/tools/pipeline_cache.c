// The file has the driver's data behind a head with its size and its hash, because a driver need not survive data that
// was damaged. The file's name has the device and the driver's version. Writing goes to a file of this process, which
// is then renamed, so that several processes may write at once.
#define _POSIX_C_SOURCE 200809L
#include "pipeline_cache.h"

#include "file.h"

#include "base/open_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <direct.h>
#include <process.h>
#define make_folder(path) _mkdir(path)
#define process_number() _getpid()
#else
#include <sys/stat.h>
#include <unistd.h>
#define make_folder(path) mkdir(path, 0700)
#define process_number() getpid()
#endif

#define LARGEST_FILE (256u << 20)

// The head before the driver's data. Drivers check their own header but not the data after it.
typedef struct file_head {
    char magic[8];
    uint64_t size; // of the driver's data, bytes
    uint64_t sum;  // of them, FNV-1a
} file_head;

static const char magic[8] = "LMBPIPE";

static bool folder_name(char *path, size_t size) {
    const char *given = getenv("LIMBER_CACHE_DIR");
#ifdef _WIN32
    const char *user = getenv("LOCALAPPDATA"), *home = NULL;
#else
    const char *user = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
#endif
    int length = -1;
    if (given != NULL) {
        length = given[0] != '\0' ? snprintf(path, size, "%s", given) : -1;
    } else if (user != NULL && user[0] != '\0') {
        length = snprintf(path, size, "%s/limber", user);
    } else if (home != NULL && home[0] != '\0') {
        length = snprintf(path, size, "%s/.cache/limber", home);
    }
    return length > 0 && (size_t)length < size;
}

bool pipeline_cache_path(const VkPhysicalDeviceProperties *properties, char path[PIPELINE_CACHE_PATH]) {
    char uuid[2 * VK_UUID_SIZE + 1];
    for (uint32_t i = 0; i < VK_UUID_SIZE; i++) {
        snprintf(uuid + 2 * i, 3, "%02x", properties->pipelineCacheUUID[i]);
    }
    char folder[PIPELINE_CACHE_PATH];
    if (!folder_name(folder, sizeof folder)) {
        return false;
    }
    const int length = snprintf(path, PIPELINE_CACHE_PATH, "%s/pipelines-%04x-%04x-%s.bin", folder,
                                (unsigned)properties->vendorID, (unsigned)properties->deviceID, uuid);
    return length > 0 && length < PIPELINE_CACHE_PATH;
}

// Returns what is wrong with a file's bytes, or NULL.
static const char *check(const char *bytes, size_t size, const VkPhysicalDeviceProperties *properties) {
    file_head head;
    VkPipelineCacheHeaderVersionOne driver;
    if (size < sizeof head + sizeof driver) {
        return "it is damaged";
    }
    memcpy(&head, bytes, sizeof head);
    memcpy(&driver, bytes + sizeof head, sizeof driver);
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.size != size - sizeof head ||
        head.sum != file_hash(bytes + sizeof head, size - sizeof head)) {
        return "it is damaged";
    }
    const bool same = driver.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
                      driver.vendorID == properties->vendorID && driver.deviceID == properties->deviceID &&
                      memcmp(driver.pipelineCacheUUID, properties->pipelineCacheUUID, VK_UUID_SIZE) == 0;
    return same ? NULL : "it is another driver's";
}

void *pipeline_cache_read(const char *path, const VkPhysicalDeviceProperties *properties, size_t *size,
                          char problem[200]) {
    problem[0] = '\0';
    char *bytes = NULL;
    if (file_read(path, LARGEST_FILE, &bytes, size, NULL) != LMB_OK) {
        *size = 0;
        return NULL;
    }
    const char *wrong = check(bytes, *size, properties);
    if (wrong != NULL) {
        snprintf(problem, 200, "the pipeline cache is ignored: %s", wrong);
        free(bytes);
        *size = 0;
        return NULL;
    }
    *size -= sizeof(file_head);
    memmove(bytes, bytes + sizeof(file_head), *size);
    return bytes;
}

// Creates the folders that lead to a file, if they do not exist.
static void make_folders(const char *path) {
    char folder[PIPELINE_CACHE_PATH];
    for (size_t i = 1; path[i] != '\0' && i + 1 < sizeof folder; i++) {
        if (path[i] == '/') {
            memcpy(folder, path, i);
            folder[i] = '\0';
            (void)make_folder(folder);
        }
    }
}

bool pipeline_cache_write(const char *path, const void *data, size_t size) {
    char own[PIPELINE_CACHE_PATH + 32]; // a name unique to this process, so that others find a complete file or none
    snprintf(own, sizeof own, "%s.%ld", path, (long)process_number());
    make_folders(path);
    file_head head = {.size = size, .sum = file_hash(data, size)};
    memcpy(head.magic, magic, sizeof magic);
    const char *why;
    FILE *file = lmb_open_file(own, LMB_OPEN_REPLACE, &why);
    if (file == NULL) {
        return false;
    }
    bool written = fwrite(&head, sizeof head, 1, file) == 1 && fwrite(data, 1, size, file) == size;
    written = fclose(file) == 0 && written;
#ifdef _WIN32
    if (written) {
        (void)remove(path); // there, rename() does not replace a file
    }
#endif
    written = written && rename(own, path) == 0;
    if (!written) {
        (void)remove(own);
    }
    return written;
}
