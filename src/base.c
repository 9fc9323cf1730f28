#include "host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t lmb_version(void) {
    return LMB_VERSION;
}

const char *lmb_result_name(lmb_result result) {
    switch (result) {
    case LMB_OK:
        return "LMB_OK";
    case LMB_ERROR_ARGUMENT:
        return "LMB_ERROR_ARGUMENT";
    case LMB_ERROR_MEMORY:
        return "LMB_ERROR_MEMORY";
    case LMB_ERROR_FILE:
        return "LMB_ERROR_FILE";
    case LMB_ERROR_FORMAT:
        return "LMB_ERROR_FORMAT";
    case LMB_ERROR_UNSUPPORTED:
        return "LMB_ERROR_UNSUPPORTED";
    case LMB_ERROR_LIMIT:
        return "LMB_ERROR_LIMIT";
    case LMB_ERROR_STATE:
        return "LMB_ERROR_STATE";
    case LMB_ERROR_VULKAN:
        return "LMB_ERROR_VULKAN";
    case LMB_ERROR_DEVICE:
        return "LMB_ERROR_DEVICE";
    case LMB_ERROR_UNTRUSTED:
        return "LMB_ERROR_UNTRUSTED";
    }
    return "unknown lmb_result";
}

static void *allocate_with_malloc(void *user, size_t size) {
    (void)user;
    return malloc(size);
}

static void release_with_free(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void log_nothing(void *user, lmb_log_level level, const char *message) {
    (void)user;
    (void)level;
    (void)message;
}

lmb_host lmb_host_resolve(const lmb_host *host) {
    lmb_host resolved = {0};
    if (host != NULL) {
        resolved = *host;
    }
    if (resolved.allocate == NULL || resolved.release == NULL) {
        resolved.allocate = allocate_with_malloc;
        resolved.release = release_with_free;
    }
    if (resolved.log == NULL) {
        resolved.log = log_nothing;
    }
    return resolved;
}

void *lmb_host_allocate(const lmb_host *host, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - 16) / size) {
        return NULL;
    }
    size_t bytes = count * size;
    if (bytes == 0) {
        bytes = 16;
    }
    void *memory = host->allocate(host->user, bytes);
    if (memory != NULL) {
        memset(memory, 0, bytes);
    }
    return memory;
}

void lmb_host_release(const lmb_host *host, void *memory) {
    if (memory != NULL) {
        host->release(host->user, memory);
    }
}

void lmb_host_log(const lmb_host *host, lmb_log_level level, const char *format, ...) {
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    host->log(host->user, level, message);
}

lmb_result lmb_fail(lmb_error *error, lmb_result result, const char *format, ...) {
    if (error != NULL) {
        error->result = result;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return result;
}
