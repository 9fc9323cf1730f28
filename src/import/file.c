#define _POSIX_C_SOURCE 200809L
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

// Offsets into a file must fit 32 bits. A folder, which some systems open, reports a larger size.
#define LARGEST_FILE UINT32_MAX

static bool fail(lmb_importer *importer, const char *place, const char *what, const char *why) {
    return lmb_importer_fail(importer, LMB_ERROR_FILE, "%s%s%s", place, what, why);
}

static bool read_open_file(lmb_importer *importer, FILE *file, const char *place, const uint8_t **bytes, size_t *size) {
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end < 0 || fseek(file, 0, SEEK_SET) != 0) {
        return fail(importer, place, "has no size: ", strerror(errno));
    }
    if ((uint64_t)end >= LARGEST_FILE) {
        return fail(importer, place, "is no file, or one of 4 GiB or more", "");
    }
    lmb_importer_add_source(importer, (size_t)end);
    uint8_t *content = lmb_importer_allocate(importer, &importer->scratch, (size_t)end, 1);
    if (content == NULL) {
        return false;
    }
    if (fread(content, 1, (size_t)end, file) != (size_t)end) {
        return fail(importer, place, "cannot be read to its end", "");
    }
    *bytes = content;
    *size = (size_t)end;
    return true;
}

bool lmb_file_read(lmb_importer *importer, const char *path, const char *place, const uint8_t **bytes, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail(importer, place, "cannot be opened: ", strerror(errno));
    }
    bool read = read_open_file(importer, file, place, bytes, size);
    fclose(file);
    return read;
}

#ifdef _WIN32

// Checks every component of the path before the file is opened: on Windows, links are reparse points.
static FILE *open_below(const char *directory, const char *relative, const char **why) {
    char path[4096];
    size_t length = (size_t)snprintf(path, sizeof path, "%s/", directory[0] == '\0' ? "." : directory);
    for (const char *part = relative; *why == NULL && *part != '\0';) {
        const size_t size = strcspn(part, "/");
        if (length + size + 2 > sizeof path) {
            *why = "has too long a path";
            break;
        }
        memcpy(path + length, part, size);
        path[length += size] = '\0';
        part += size;
        const DWORD attributes = GetFileAttributesA(path);
        if (attributes == INVALID_FILE_ATTRIBUTES) {
            *why = "cannot be opened: there is no such file";
        } else if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
            *why = "is a link, or below one";
        } else if (*part == '\0' && (attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE)) != 0) {
            *why = "is no regular file";
        } else if (*part == '/') {
            path[length++] = *part++;
        }
    }
    FILE *file = *why == NULL ? fopen(path, "rb") : NULL;
    *why = *why == NULL && file == NULL ? "cannot be opened" : *why;
    return file;
}

#else

// Opens folder by folder, so that no link is followed. O_NONBLOCK keeps a pipe from waiting for its writer.
static int open_parts(const char *directory, const char *relative) {
    const int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    int folder = open(directory[0] == '\0' ? "." : directory, folder_flags);
    for (const char *part = relative; folder >= 0;) {
        const size_t size = strcspn(part, "/");
        char name[256];
        if (size >= sizeof name) {
            close(folder);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, part, size);
        name[size] = '\0';
        const bool last = part[size] == '\0';
        const int next = openat(folder, name, (last ? O_RDONLY | O_NONBLOCK | O_CLOEXEC : folder_flags) | O_NOFOLLOW);
        const int failure = errno;
        struct stat status;
        const bool is_link =
            next < 0 && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
        close(folder);
        errno = is_link ? ELOOP : failure;
        if (next < 0 || last) {
            return next;
        }
        folder = next;
        part += size + 1;
    }
    return -1;
}

static FILE *open_below(const char *directory, const char *relative, const char **why) {
    const int opened = open_parts(directory, relative);
    struct stat status;
    if (opened < 0) {
        *why = errno == ELOOP ? "is a link, or below one" : NULL;
        return NULL;
    }
    FILE *file = NULL;
    if (fstat(opened, &status) != 0 || !S_ISREG(status.st_mode)) {
        *why = "is no regular file";
    } else {
        file = fdopen(opened, "rb");
    }
    if (file == NULL) {
        close(opened);
    }
    return file;
}

#endif

bool lmb_file_read_below(lmb_importer *importer, const char *directory, const char *relative, const char *place,
                         const uint8_t **bytes, size_t *size) {
    const char *why = NULL;
    FILE *file = open_below(directory, relative, &why);
    if (file == NULL) {
        return why != NULL ? fail(importer, place, why, "")
                           : fail(importer, place, "cannot be opened: ", strerror(errno));
    }
    const bool read = read_open_file(importer, file, place, bytes, size);
    fclose(file);
    return read;
}
