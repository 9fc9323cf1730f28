// The new bytes go into a draft beside the file, which then takes its name: rename() replaces a file at once. The old
// bytes are compared right before that.
#define _XOPEN_SOURCE 700
#include "saved_file.h"

#include "base/host.h"
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

lmb_result saved_file_read(const char *name, saved_file *file, lmb_error *error) {
    struct stat status;
    *file = (saved_file){0};
    if (stat(name, &status) != 0 && errno == ENOENT) {
        return LMB_OK;
    }
    file->exists = true;
    if (file_read(name, FILE_LARGEST_TEXT, &file->bytes, &file->size, error)) {
        return error->result;
    }
    file->hash = file_hash(file->bytes, file->size);
    return LMB_OK;
}

static lmb_result fail(const char *name, lmb_error *error) {
    return lmb_fail(error, LMB_ERROR_FILE, "%s: %s", name, strerror(errno));
}

// Fails if a file is not as expected.
static lmb_result compare(const char *name, const uint64_t *expected, lmb_error *error) {
    saved_file file;
    if (saved_file_read(name, &file, error)) {
        return error->result;
    }
    free(file.bytes);
    const bool is_same = expected == NULL ? !file.exists : file.exists && file.hash == *expected;
    return is_same ? LMB_OK : lmb_fail(error, LMB_ERROR_STATE, "%s: it was changed meanwhile", name);
}

// Finds the mode of a file, or of one that is created. Refuses a read-only file, which rename() would replace.
static lmb_result find_mode(const char *name, mode_t *mode, lmb_error *error) {
    struct stat status;
    const bool exists = stat(name, &status) == 0;
    if (exists && (status.st_mode & 0222) == 0) {
        return lmb_fail(error, LMB_ERROR_FILE, "%s: it is read-only", name);
    }
    const mode_t mask = umask(0);
    (void)umask(mask);
    *mode = exists ? status.st_mode & 07777 : 0666 & ~mask;
    return LMB_OK;
}

// Writes and closes the draft. Its bytes are on the disk before it takes the name of the file.
static bool write_draft(int draft, mode_t mode, const void *bytes, size_t size) {
    FILE *stream = fdopen(draft, "wb");
    if (stream == NULL) {
        close(draft);
        return false;
    }
    const bool is_written =
        fwrite(bytes, 1, size, stream) == size && fflush(stream) == 0 && fchmod(draft, mode) == 0 && fsync(draft) == 0;
    const int failure = errno;
    const bool is_closed = fclose(stream) == 0;
    errno = is_written ? errno : failure;
    return is_written && is_closed;
}

// Messages have `name`, `file` is what it leads to, and `draft` is the template of the draft's name.
static lmb_result replace(const char *name, const char *file, char *draft, const uint64_t *expected, const void *bytes,
                          size_t size, lmb_error *error) {
    mode_t mode = 0;
    if (find_mode(name, &mode, error)) {
        return error->result;
    }
    const int opened = mkstemp(draft);
    if (opened < 0) {
        return fail(name, error);
    }
    const bool failed = (!write_draft(opened, mode, bytes, size) && fail(name, error)) ||
                        compare(name, expected, error) || (rename(draft, file) != 0 && fail(name, error));
    if (failed) {
        (void)unlink(draft);
    }
    return failed ? error->result : LMB_OK;
}

lmb_result saved_file_replace(const char *name, const uint64_t *expected, const void *bytes, size_t size,
                              lmb_error *error) {
    static const char ending[] = ".XXXXXX";
    char *target = realpath(name, NULL); // a link stays, and what it leads to is replaced
    const char *file = target != NULL ? target : name;
    const size_t length = strlen(file);
    char *draft = malloc(length + sizeof ending);
    lmb_result result = LMB_ERROR_MEMORY;
    if (draft == NULL) {
        lmb_fail(error, result, "%s: no memory", name);
    } else {
        memcpy(draft, file, length);
        memcpy(draft + length, ending, sizeof ending);
        result = replace(name, file, draft, expected, bytes, size, error);
    }
    free(draft);
    free(target);
    return result;
}
