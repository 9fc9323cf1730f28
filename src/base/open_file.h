// Opens files, for the readers of files and for the programs; the core opens none. Opening never waits, and what is
// read is always a regular file: a pipe, a device, a socket or a folder is refused.
#ifndef LIMBER_SRC_BASE_OPEN_FILE_H
#define LIMBER_SRC_BASE_OPEN_FILE_H

#include <stdio.h>

typedef enum lmb_open_mode {
    LMB_OPEN_READ,  // a regular file
    LMB_OPEN_WRITE, // an output that a user names: replaces a regular file; a device, or a pipe that has a reader, also
    LMB_OPEN_REPLACE // a new file that only its owner can read and write. Removes a file or a link of this name first
} lmb_open_mode;

// Follows links, except for #LMB_OPEN_REPLACE. On failure returns NULL and stores in `why` a phrase that can follow
// "NAME: " or "cannot be opened: ", valid until the next call of strerror().
FILE *lmb_open_file(const char *path, lmb_open_mode mode, const char **why);

// Opens a regular file for reading. `relative` is a path below the folder that `directory` names, with '/' and without
// "." and ".."; a link anywhere in it is refused. An empty `directory` is the current one.
FILE *lmb_open_file_below(const char *directory, const char *relative, const char **why);

#endif
