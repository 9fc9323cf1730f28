// Untrusted paths of requests to `limber serve`: what is accepted has the token, and leads to a part of the interface
// or to a file below a folder.
#include "tools/served_path.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char token[] = "0123456789abcdef0123456789abcdef";

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "served_path_fuzz: %s\n", what);
        abort();
    }
}

// The names of a path are none that leads out of the folder or is of another system.
static void check_file(const char *file) {
    require(file[0] != '\0' && file[0] != '/', "an absolute path, or none");
    require(file[strlen(file) - 1] != '/' && strstr(file, "//") == NULL, "an empty name");
    for (const char *at = file; *at != '\0'; at++) {
        require((unsigned char)*at >= 0x20 && *at != 0x7f && *at != '\\' && *at != ':', "a character of other systems");
        const bool begins = at == file || at[-1] == '/';
        require(!begins || at[strspn(at, ".")] != '/' || strspn(at, ".") > 2 || *at != '.', "a name of dots");
        require(!begins || (strcmp(at, ".") != 0 && strcmp(at, "..") != 0), "a name of dots at the end");
    }
}

static void check(const char *path) {
    const served_path found = served_path_read(path, token);
    const bool has_file = found.kind == SERVED_SITE || found.kind == SERVED_INCLUDE;
    require(found.kind == SERVED_NOTHING || (path[0] == '/' && strncmp(path + 1, token, SERVED_TOKEN_LENGTH) == 0),
            "a path without the token");
    require(has_file == (found.file[0] != '\0'), "a part with a file, or a file without a name");
    if (has_file) {
        check_file(found.file);
        require(served_path_type(found.file)[0] != '\0', "no type");
    }
    if (found.kind == SERVED_INCLUDE) {
        require(strcmp(served_path_type(found.file), "application/json") == 0, "a file that is not JSON");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const size_t start = SERVED_TOKEN_LENGTH + 2;
    char *path = malloc(start + size + 1); // exact size, for the sanitizer
    require(path != NULL, "no memory");
    snprintf(path, start + 1, "/%s/", token);
    memcpy(path + start, data, size);
    path[start + size] = '\0';
    check(path);
    memmove(path, path + start, size + 1);
    check(path);
    free(path);
    return 0;
}
