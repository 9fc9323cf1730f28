#include "text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lmb_result fail(const char *name, lmb_result result, const char *message, lmb_error *error) {
    error->result = result;
    snprintf(error->message, sizeof error->message, "%s: %s", name, message);
    return result;
}

// Reads the whole stream into memory that grows.
static lmb_result read_stream(const char *name, size_t largest, FILE *stream, char **text, size_t *size,
                              lmb_error *error) {
    size_t capacity = 0;
    for (size_t got = 1; got > 0; *size += got) {
        if (*size == capacity) {
            capacity = capacity == 0 ? 65536 : capacity * 2;
            if (capacity > largest) {
                char message[64];
                snprintf(message, sizeof message, "more than %zu MiB", largest >> 20);
                return fail(name, LMB_ERROR_LIMIT, message, error);
            }
            char *larger = realloc(*text, capacity);
            if (larger == NULL) {
                return fail(name, LMB_ERROR_MEMORY, "no memory", error);
            }
            *text = larger;
        }
        got = fread(*text + *size, 1, capacity - *size, stream);
    }
    return ferror(stream) ? fail(name, LMB_ERROR_FILE, strerror(errno), error) : LMB_OK;
}

lmb_result text_file_read(const char *name, size_t largest, char **text, size_t *size, lmb_error *error) {
    *text = NULL;
    *size = 0;
    FILE *stream = fopen(name, "rb");
    if (stream == NULL) {
        return fail(name, LMB_ERROR_FILE, strerror(errno), error);
    }
    lmb_result result = read_stream(name, largest, stream, text, size, error);
    fclose(stream);
    if (result != LMB_OK) {
        free(*text);
        *text = NULL;
    }
    return result;
}
