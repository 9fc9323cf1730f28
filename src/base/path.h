// Paths of files that untrusted text or a request names.
#ifndef LIMBER_SRC_BASE_PATH_H
#define LIMBER_SRC_BASE_PATH_H

#include <stdbool.h>
#include <string.h>

// Returns whether a path stays below the folder that it is found in: names with '/' between them, none of them empty,
// "." or "..", without backslashes, colons and control characters. Links are not looked at: see lmb_open_file_below().
static inline bool lmb_path_is_below(const char *path) {
    for (const char *part = path;; part++) {
        const size_t length = strcspn(part, "/");
        const bool is_folder = (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.');
        if (length == 0 || is_folder) {
            return false;
        }
        for (const char *end = part + length; part < end; part++) {
            if (*part == '\\' || *part == ':' || (unsigned char)*part < ' ' || *part == 0x7f) {
                return false;
            }
        }
        if (*part == '\0') {
            return true;
        }
    }
}

#endif
