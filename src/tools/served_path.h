// The path of a request to `limber serve`: a secret token, and below it a file of the site or a part of the interface.
#ifndef LIMBER_SRC_TOOLS_SERVED_PATH_H
#define LIMBER_SRC_TOOLS_SERVED_PATH_H

#define SERVED_TOKEN_LENGTH 32 // hexadecimal digits

typedef enum served_kind {
    SERVED_NOTHING, // another token, no such part, or a path that could lead out of its folder
    SERVED_SITE,    // a file below the folder of the site
    SERVED_GRAPH,
    SERVED_POSITIONS, // of the boxes of the graph
    SERVED_CHARACTER,
    SERVED_INFO,
    SERVED_INCLUDE // a file of JSON below the folder of the graph
} served_kind;

typedef struct served_path {
    served_kind kind;
    const char *file; // of SERVED_SITE and SERVED_INCLUDE: below a folder, for lmb_open_file_below(); else ""
} served_path;

// Reads the path of a request, from its first '/' on and with escapes decoded. `token` has SERVED_TOKEN_LENGTH digits.
// It is compared in a time that does not depend on where a wrong one differs. `file` points into the path, or to a
// constant.
served_path served_path_read(const char *path, const char *token);
// Returns the type of a file by the ending of its name, for the header Content-Type.
const char *served_path_type(const char *file);

#endif
