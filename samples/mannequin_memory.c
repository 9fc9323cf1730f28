#include "mannequin_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate_with_malloc(void *user, size_t size) {
    (void)user;
    return malloc(size);
}

static void release_with_free(void *user, void *memory) {
    (void)user;
    free(memory);
}

lmb_host memory_host(const lmb_host *host) {
    lmb_host resolved = {0};
    if (host != NULL) {
        resolved = *host;
    }
    if (resolved.allocate == NULL || resolved.release == NULL) {
        resolved.allocate = allocate_with_malloc;
        resolved.release = release_with_free;
    }
    return resolved;
}

void *memory_take(const lmb_host *host, size_t count, size_t size) {
    void *memory = host->allocate(host->user, count * size + 1);
    if (memory != NULL) {
        memset(memory, 0, count * size);
    }
    return memory;
}

void memory_give(const lmb_host *host, void *memory) {
    if (memory != NULL) {
        host->release(host->user, memory);
    }
}

lmb_result memory_missing(lmb_error *error) {
    if (error != NULL) {
        error->result = LMB_ERROR_MEMORY;
        snprintf(error->message, sizeof error->message, "mannequin: the host has no memory");
    }
    return LMB_ERROR_MEMORY;
}
