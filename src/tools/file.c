// Reads to the end of the stream instead of asking for the size, because a file may grow, and a limit bounds the
// memory. The hash is 64-bit FNV-1a.
#include "file.h"

#include "base/host.h"
#include "base/open_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_at_end(FILE *stream) {
    return fgetc(stream) == EOF && !ferror(stream);
}

// Reads the whole stream into memory that grows.
static lmb_result read_stream(const char *name, size_t largest, FILE *stream, char **bytes, size_t *size,
                              lmb_error *error) {
    size_t capacity = 0;
    for (size_t got = 1; got > 0; *size += got) {
        if (*size == capacity) {
            if (capacity == largest) {
                return is_at_end(stream) ? LMB_OK
                                         : lmb_fail(error, LMB_ERROR_LIMIT, "%s: more than %zu bytes", name, largest);
            }
            capacity = capacity == 0 ? 65536 : capacity * 2;
            capacity = capacity < largest ? capacity : largest;
            char *larger = realloc(*bytes, capacity);
            if (larger == NULL) {
                return lmb_fail(error, LMB_ERROR_MEMORY, "%s: no memory", name);
            }
            *bytes = larger;
        }
        got = fread(*bytes + *size, 1, capacity - *size, stream);
    }
    return ferror(stream) ? lmb_fail(error, LMB_ERROR_FILE, "%s: %s", name, strerror(errno)) : LMB_OK;
}

// Reads a stream that was opened and closes it; NULL if it was not, for the reason `why`.
static lmb_result read_opened(const char *name, size_t largest, FILE *stream, const char *why, char **bytes,
                              size_t *size, lmb_error *error) {
    *bytes = NULL;
    *size = 0;
    if (stream == NULL) {
        return lmb_fail(error, LMB_ERROR_FILE, "%s: %s", name, why);
    }
    lmb_result result = read_stream(name, largest, stream, bytes, size, error);
    fclose(stream);
    if (result != LMB_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return result;
}

lmb_result file_read(const char *name, size_t largest, char **bytes, size_t *size, lmb_error *error) {
    const char *why;
    FILE *stream = lmb_open_file(name, LMB_OPEN_READ, &why);
    return read_opened(name, largest, stream, why, bytes, size, error);
}

lmb_result file_read_below(const char *folder, const char *path, size_t largest, char **bytes, size_t *size,
                           lmb_error *error) {
    const char *why;
    FILE *stream = lmb_open_file_below(folder, path, &why);
    return read_opened(path, largest, stream, why, bytes, size, error);
}

lmb_result file_read_included(void *user, const char *path, const char **text, size_t *size, lmb_error *error) {
    file_folder *folder = user;
    const char *slash = folder->beside != NULL ? strrchr(folder->beside, '/') : NULL;
    const size_t length = slash != NULL ? (size_t)(slash - folder->beside) + 1 : 0, rest = strlen(path) + 1;
    char *name = malloc(length + rest);
    if (name == NULL) {
        return lmb_fail(error, LMB_ERROR_MEMORY, "%s: no memory", path);
    }
    memcpy(name, folder->beside != NULL ? folder->beside : "", length);
    memcpy(name + length, path, rest);
    free(folder->text);
    const lmb_result result = file_read(name, FILE_LARGEST_TEXT, &folder->text, size, error);
    free(name);
    *text = folder->text;
    return result;
}

size_t file_read_head(const char *name, void *bytes, size_t size) {
    const char *why;
    FILE *stream = lmb_open_file(name, LMB_OPEN_READ, &why);
    const size_t got = stream == NULL ? 0 : fread(bytes, 1, size, stream);
    if (stream != NULL) {
        fclose(stream);
    }
    return got;
}

lmb_result file_write(const char *name, const void *bytes, size_t size, lmb_error *error) {
    const char *why;
    FILE *stream = lmb_open_file(name, LMB_OPEN_WRITE, &why);
    if (stream == NULL) {
        return lmb_fail(error, LMB_ERROR_FILE, "%s: %s", name, why);
    }
    bool written = fwrite(bytes, 1, size, stream) == size;
    written = fclose(stream) == 0 && written;
    return written ? LMB_OK : lmb_fail(error, LMB_ERROR_FILE, "%s: %s", name, strerror(errno));
}

uint64_t file_hash(const void *bytes, size_t size) {
    const uint8_t *byte = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}
