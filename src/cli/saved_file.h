// A file that a program edits while others may change it, too: read with a hash, and replaced as a whole only if it
// still has that hash.
#ifndef LIMBER_SRC_CLI_SAVED_FILE_H
#define LIMBER_SRC_CLI_SAVED_FILE_H

#include <limber/base.h>

typedef struct saved_file {
    bool exists;
    char *bytes;
    size_t size;
    uint64_t hash; // file_hash() of the bytes
} saved_file;

// Reads a file. That there is none is no failure. Otherwise as file_read(). The caller frees the bytes.
lmb_result saved_file_read(const char *name, saved_file *file, lmb_error *error);

// Replaces a file, or the file that a link leads to. Who reads it meanwhile reads either the old bytes or the new ones,
// and its mode stays. `expected` is the hash of the old bytes, or NULL if there must be no file yet. Fails with
// #LMB_ERROR_STATE if it is otherwise, and with #LMB_ERROR_FILE; nothing has changed then.
lmb_result saved_file_replace(const char *name, const uint64_t *expected, const void *bytes, size_t size,
                              lmb_error *error);

#endif
