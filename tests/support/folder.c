#define _XOPEN_SOURCE 700
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#ifdef _WIN32

#include <direct.h>
#include <io.h>

bool folder_create_temporary(char path[FOLDER_PATH]) {
    const char *parent = getenv("TEMP");
    snprintf(path, FOLDER_PATH, "%s\\limber-test-XXXXXX", parent == NULL ? "." : parent);
    return _mktemp(path) != NULL && folder_create(path);
}

bool folder_create(const char *path) {
    return _mkdir(path) == 0;
}

bool folder_remove(const char *path) {
    return _rmdir(path) == 0;
}

#else

#include <unistd.h>

bool folder_create_temporary(char path[FOLDER_PATH]) {
    const char *parent = getenv("TMPDIR");
    snprintf(path, FOLDER_PATH, "%s/limber-test-XXXXXX", parent == NULL ? "/tmp" : parent);
    return mkdtemp(path) != NULL;
}

bool folder_create(const char *path) {
    return mkdir(path, 0700) == 0;
}

bool folder_remove(const char *path) {
    return rmdir(path) == 0;
}

#endif
