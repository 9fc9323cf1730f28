// Untrusted characters in several glTF files: the import refuses one with a message, or gives consistent parts. An
// input contains for each file its length in four bytes, least significant first, and then its bytes; the last file has
// the rest. The mutator changes one file.
#define _POSIX_C_SOURCE 200809L
#include "gltf_fuzzing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 3, ROOM = 1 << 16, PATH = 64 };

typedef struct files {
    const uint8_t *bytes[MOST_FILES];
    size_t sizes[MOST_FILES];
    uint32_t count;
} files;

static char folder[] = "/tmp/limber-files-XXXXXX";
static char paths[MOST_FILES][PATH];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static void remove_files(void) {
    for (int i = 0; i < MOST_FILES; i++) {
        remove(paths[i]);
    }
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    import_require(mkdtemp(folder) != NULL, "no folder");
    for (int i = 0; i < MOST_FILES; i++) {
        snprintf(paths[i], PATH, "%s/%d", folder, i);
    }
    atexit(remove_files);
    return 0;
}

static files split(const uint8_t *data, size_t size) {
    files all = {.count = 0};
    while (all.count < MOST_FILES - 1 && size > 4) {
        const size_t said = (size_t)data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16 | (size_t)data[3] << 24;
        const size_t length = said < size - 4 ? said : size - 4;
        all.bytes[all.count] = data + 4;
        all.sizes[all.count++] = length;
        data += 4 + length;
        size -= 4 + length;
    }
    all.bytes[all.count] = data;
    all.sizes[all.count++] = size;
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const files all = split(data, size);
    const char *listed[MOST_FILES];
    for (uint32_t i = 0; i < all.count; i++) {
        FILE *file = fopen(paths[i], "wb");
        import_require(file != NULL && fwrite(all.bytes[i], 1, all.sizes[i], file) == all.sizes[i] && fclose(file) == 0,
                       "a file cannot be written");
        listed[i] = paths[i];
    }
    lmb_import *import = NULL;
    lmb_error error;
    const lmb_result result = lmb_import_files(listed, all.count, NULL, &import, &error);
    if (result != LMB_OK) {
        import_require_failed(result, import, &error, folder);
        return 0;
    }
    import_require_whole(import);
    lmb_import_destroy(import);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    static uint8_t changed[ROOM], made[MOST_FILES * ROOM];
    const files all = split(data, size);
    const uint32_t chosen = seed % all.count;
    size_t total = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        const uint8_t *bytes = all.bytes[i];
        size_t length = all.sizes[i] < ROOM ? all.sizes[i] : ROOM;
        if (i == chosen) {
            const size_t room = max_size > size ? max_size - size : 0;
            memcpy(changed, bytes, length);
            length = gltf_mutate(changed, length, length + room < ROOM ? length + room : ROOM, seed / MOST_FILES);
            bytes = changed;
        }
        for (int k = 0; k < 4 && i + 1 < all.count; k++) {
            made[total++] = (uint8_t)(length >> (8 * k));
        }
        memcpy(made + total, bytes, length);
        total += length;
    }
    if (total > max_size) {
        return size;
    }
    memcpy(data, made, total);
    return total;
}
