// Opens files. On POSIX, a file's kind is checked twice: before it is opened, because opening a device may have
// effects, and again on the open file, because the name may mean another file by then. O_NONBLOCK keeps open() from
// waiting for the other end of a pipe.
#define _POSIX_C_SOURCE 200809L
#include "open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#ifdef _WIN32

#include <io.h>
#include <windows.h>

static const char is_link[] = "it is a link, or below one";
static const char is_folder[] = "it is a folder";
static const char is_device[] = "it is a pipe or a device, not a file";

static FILE *take_stream(int file, lmb_open_mode mode, const char **why) {
    const DWORD type = file < 0 ? FILE_TYPE_UNKNOWN : GetFileType((HANDLE)_get_osfhandle(file));
    const bool is_good = type == FILE_TYPE_DISK || (type != FILE_TYPE_UNKNOWN && mode == LMB_OPEN_WRITE);
    FILE *stream = is_good ? _fdopen(file, mode == LMB_OPEN_READ ? "rb" : "wb") : NULL;
    *why = stream != NULL ? NULL : file < 0 || is_good ? strerror(errno) : is_device;
    if (stream == NULL && file >= 0) {
        _close(file);
    }
    return stream;
}

FILE *lmb_open_file(const char *path, lmb_open_mode mode, const char **why) {
    static const int flags[] = {_O_RDONLY, _O_WRONLY | _O_CREAT | _O_TRUNC, _O_WRONLY | _O_CREAT | _O_EXCL};
    const DWORD attributes = GetFileAttributesA(path);
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
        *why = is_folder;
        return NULL;
    }
    if (mode == LMB_OPEN_REPLACE) {
        (void)remove(path);
    }
    return take_stream(_open(path, flags[mode] | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE), mode, why);
}

// Checks every component of the path before the file is opened: on Windows, links are reparse points.
FILE *lmb_open_file_below(const char *directory, const char *relative, const char **why) {
    char path[4096];
    size_t length = (size_t)snprintf(path, sizeof path, "%s/", directory[0] == '\0' ? "." : directory);
    *why = NULL;
    for (const char *part = relative; *why == NULL && *part != '\0';) {
        const size_t size = strcspn(part, "/");
        if (length + size + 2 > sizeof path) {
            *why = "its path is too long";
            break;
        }
        memcpy(path + length, part, size);
        path[length += size] = '\0';
        part += size;
        const DWORD attributes = GetFileAttributesA(path);
        if (attributes == INVALID_FILE_ATTRIBUTES) {
            *why = "there is no such file";
        } else if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
            *why = is_link;
        } else if (*part == '/') {
            path[length++] = *part++;
        }
    }
    return *why == NULL ? lmb_open_file(path, LMB_OPEN_READ, why) : NULL;
}

#else

#include <unistd.h>

// Returns why a file of this kind cannot be opened, or NULL.
static const char *refuse_kind(mode_t kind, lmb_open_mode mode) {
    const bool is_output = mode == LMB_OPEN_WRITE;
    return S_ISREG(kind)    ? NULL
           : S_ISDIR(kind)  ? "it is a folder"
           : S_ISLNK(kind)  ? "it is a link, or below one"
           : S_ISFIFO(kind) ? (is_output ? NULL : "it is a pipe, not a file")
           : S_ISCHR(kind)  ? (is_output ? NULL : "it is a device, not a file")
           : S_ISSOCK(kind) ? "it is a socket, not a file"
                            : "it is a device, not a file";
}

// Takes an open file, or the errno of opening it.
static FILE *take_stream(int file, lmb_open_mode mode, const char **why) {
    struct stat status;
    FILE *stream = NULL;
    *why = NULL;
    if (file >= 0 && fstat(file, &status) == 0) {
        *why = refuse_kind(status.st_mode, mode);
        const bool is_output = mode == LMB_OPEN_WRITE;
        const bool is_ready = *why == NULL && (!is_output || fcntl(file, F_SETFL, 0) == 0) && // writing may wait
                              (!is_output || !S_ISREG(status.st_mode) || ftruncate(file, 0) == 0);
        stream = is_ready ? fdopen(file, mode == LMB_OPEN_READ ? "rb" : "wb") : NULL;
    }
    if (stream == NULL) {
        const int failure = errno;
        if (file >= 0) {
            close(file);
        }
        errno = failure;
        *why = *why == NULL ? strerror(failure) : *why;
    }
    return stream;
}

// Returns why the file that a path names cannot be opened, or NULL if that is not known before it is opened.
static const char *refuse_path(const char *path, lmb_open_mode mode) {
    struct stat status;
    if (stat(path, &status) == 0) {
        return refuse_kind(status.st_mode, mode);
    }
    const bool is_dangling = errno == ENOENT && lstat(path, &status) == 0;
    errno = is_dangling ? ENOENT : errno;
    return is_dangling && mode == LMB_OPEN_READ ? "it is a link to a file that does not exist" : NULL;
}

FILE *lmb_open_file(const char *path, lmb_open_mode mode, const char **why) {
    static const int flags[] = {O_RDONLY, O_WRONLY | O_CREAT, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW};
    if (mode == LMB_OPEN_REPLACE) {
        (void)unlink(path);
    } else if ((*why = refuse_path(path, mode)) != NULL) {
        return NULL;
    }
    const mode_t rights = mode == LMB_OPEN_REPLACE ? S_IRUSR | S_IWUSR : (mode_t)0666;
    const int file = open(path, flags[mode] | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, rights);
    if (file < 0 && errno == ENXIO && mode == LMB_OPEN_WRITE) {
        *why = "it is a pipe that nothing reads";
        return NULL;
    }
    return take_stream(file, mode, why);
}

// Opens the next part of a path, without following a link.
static int open_part(int folder, const char *name, bool is_last, const char **why) {
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return -1;
    }
    *why = is_last || S_ISLNK(status.st_mode) ? refuse_kind(status.st_mode, LMB_OPEN_READ) : NULL;
    return *why != NULL
               ? -1
               : openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (is_last ? O_NONBLOCK : O_DIRECTORY));
}

// Opens folder by folder, so that no link is followed.
FILE *lmb_open_file_below(const char *directory, const char *relative, const char **why) {
    int folder = open(directory[0] == '\0' ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *why = NULL;
    for (const char *part = relative; folder >= 0;) {
        const size_t size = strcspn(part, "/");
        char name[256];
        const bool is_last = part[size] == '\0', fits = size < sizeof name;
        memcpy(name, part, fits ? size : 0);
        name[fits ? size : 0] = '\0';
        const int next = fits ? open_part(folder, name, is_last, why) : -1;
        const int failure = fits ? errno : ENAMETOOLONG;
        close(folder);
        errno = failure;
        if (is_last && next >= 0) {
            return take_stream(next, LMB_OPEN_READ, why);
        }
        folder = next;
        part += size + 1;
    }
    *why = *why == NULL ? strerror(errno) : *why;
    return NULL;
}

#endif
