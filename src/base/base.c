// The host's memory and log, arenas, and error messages. Without a host, calloc() and free() provide memory, and
// messages to the log are dropped.
//
// An arena is a list: each of its blocks begins with a pointer to the one before it. A message about an unknown name
// lists the names that exist. If they are many, it lists those with the shortest edit distance. The work is bounded,
// because names may come from a file that is not trusted.
#include "host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t lmb_version(void) {
    return LMB_VERSION;
}

const char *lmb_result_name(lmb_result result) {
#define NAME(code) [code] = #code
    static const char *const names[] = {NAME(LMB_OK),           NAME(LMB_ERROR_ARGUMENT), NAME(LMB_ERROR_MEMORY),
                                        NAME(LMB_ERROR_FILE),   NAME(LMB_ERROR_FORMAT),   NAME(LMB_ERROR_UNSUPPORTED),
                                        NAME(LMB_ERROR_LIMIT),  NAME(LMB_ERROR_STATE),    NAME(LMB_ERROR_VULKAN),
                                        NAME(LMB_ERROR_DEVICE), NAME(LMB_ERROR_UNTRUSTED)};
#undef NAME
    return (size_t)result < sizeof names / sizeof names[0] ? names[result] : "unknown lmb_result";
}

static void *allocate_with_calloc(void *user, size_t size) {
    (void)user;
    return calloc(1, size);
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
        resolved.allocate = allocate_with_calloc;
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
    // calloc() knows which pages are zero already, and does not touch them.
    if (memory != NULL && host->allocate != allocate_with_calloc) {
        memset(memory, 0, bytes);
    }
    return memory;
}

void lmb_host_release(const lmb_host *host, void *memory) {
    if (memory != NULL) {
        host->release(host->user, memory);
    }
}

#define ARENA_HEAD 16u // bytes before an arena's memory, so that it is aligned as the host's is

static lmb_host host_of(const lmb_arena *arena) {
    return arena->host != NULL ? *arena->host : lmb_host_resolve(NULL);
}

void *lmb_arena_allocate(lmb_arena *arena, size_t count, size_t size) {
    const bool fits = size == 0 || count <= (SIZE_MAX - ARENA_HEAD) / size;
    const lmb_host host = host_of(arena);
    char *memory = fits && !arena->failed ? lmb_host_allocate(&host, 1, ARENA_HEAD + count * size) : NULL;
    if (memory == NULL) {
        arena->failed = true;
        return NULL;
    }
    memcpy(memory, &arena->newest, sizeof arena->newest);
    arena->newest = memory;
    return memory + ARENA_HEAD;
}

void lmb_arena_release(lmb_arena *arena) {
    const lmb_host host = host_of(arena);
    while (arena->newest != NULL) {
        void *memory = arena->newest;
        memcpy(&arena->newest, memory, sizeof arena->newest);
        lmb_host_release(&host, memory);
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

static void set_error(lmb_error *error, lmb_result result, const char *format, va_list arguments) {
    error->result = result;
    error->vulkan_result = 0;
    vsnprintf(error->message, sizeof error->message, format, arguments);
}

lmb_result lmb_fail(lmb_error *error, lmb_result result, const char *format, ...) {
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        set_error(error, result, format, arguments);
        va_end(arguments);
    }
    return result;
}

bool lmb_refuse(lmb_error *error, lmb_result result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set_error(error, result, format, arguments);
    va_end(arguments);
    return false;
}

bool lmb_check_count(lmb_error *error, const char *owner, const char *items, uint32_t count, uint32_t most) {
    return count <= most || lmb_refuse(error, LMB_ERROR_LIMIT, "%s: %u %s, and at most %u are possible", owner,
                                       (unsigned)count, items, (unsigned)most);
}

bool lmb_check_list(lmb_error *error, const char *owner, const char *items, const void *list, uint32_t count,
                    uint32_t most) {
    return count == 0 || list != NULL ? lmb_check_count(error, owner, items, count, most)
                                      : lmb_refuse(error, LMB_ERROR_ARGUMENT, "%s: the %s are NULL", owner, items);
}

// All names are listed if there are at most this many, else so many of the nearest.
#define FEW_NAMES 8u
#define NEAREST_NAMES 3u
// Of longer lists and names only the beginning is compared.
#define COMPARED_NAMES 4096u
#define COMPARED_BYTES 63u

// Returns the number of bytes to insert, delete or replace to get from one text to the other, which are both cut off.
static size_t distance_between(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t row[COMPARED_BYTES + 1];
    a_length = a_length < COMPARED_BYTES ? a_length : COMPARED_BYTES;
    b_length = b_length < COMPARED_BYTES ? b_length : COMPARED_BYTES;
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (size_t i = 0; i < a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b_length; j++) {
            const size_t replaced = diagonal + (a[i] != b[j]);
            const size_t shifted = 1 + (row[j] < row[j + 1] ? row[j] : row[j + 1]);
            diagonal = row[j + 1];
            row[j + 1] = replaced < shifted ? replaced : shifted;
        }
    }
    return row[b_length];
}

void lmb_append_names(char *message, size_t size, const char *name, size_t length, lmb_name_at *at, const void *of,
                      uint32_t count) {
    const bool are_few = count <= FEW_NAMES;
    const uint32_t compared = count < COMPARED_NAMES ? count : COMPARED_NAMES;
    const uint32_t listed = are_few ? count : NEAREST_NAMES;
    uint64_t last = 0;
    for (uint32_t shown = 0; shown < listed; shown++) {
        // Finds the next name in the order of distances and indices.
        uint64_t next = UINT64_MAX;
        for (uint32_t i = 0; i < compared; i++) {
            const uint64_t distance = are_few ? 0 : distance_between(name, length, at(of, i), strlen(at(of, i)));
            const uint64_t order = distance * compared + i + 1;
            next = order > last && order < next ? order : next;
        }
        last = next;
        const char *before = shown > 0    ? ","
                             : !are_few   ? "; the nearest are"
                             : count == 1 ? "; there is only"
                                          : "; there are";
        const size_t used = strlen(message);
        snprintf(message + used, size - used, "%s %s", before, at(of, (uint32_t)((next - 1) % compared)));
    }
}
