// Untrusted files that Assimp reads: whatever happens to the child process, the parent gets an answer. The first byte
// selects the format if the rest does not determine it.
#define _POSIX_C_SOURCE 200809L
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    reader_serve(*argc, *argv);
    // With sanitizers, a child has no memory limit of its own, and its leaks do not count.
    setenv("ASAN_OPTIONS", "detect_leaks=0:hard_rss_limit_mb=1500:allocator_may_return_null=1", 1);
    return 0;
}

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "reader_fuzz: %s\n", what);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const endings[] = {"fbx", "dae"};
    if (size == 0) {
        return 0;
    }
    char path[64];
    snprintf(path, sizeof path, "/tmp/reader_fuzz-%ld.%s", (long)getpid(), endings[data[0] % 2]);
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(data + 1, 1, size - 1, file) == size - 1 && fclose(file) == 0,
            "no file to write to");
    const char *paths[] = {path};
    lmb_import *import = NULL;
    lmb_error error = {0};
    const lmb_result result = reader_import(&(lmb_import_def){.paths = paths, .path_count = 1}, &import, &error);
    remove(path);
    require((result == LMB_OK) == (import != NULL), "a result without an import");
    require(result == LMB_OK || strstr(error.message, path) == error.message, "a message that does not name the file");
    require(result != LMB_ERROR_UNTRUSTED && result != LMB_ERROR_ARGUMENT, "a result that is none of a file");
    lmb_import_destroy(import);
    return 0;
}
