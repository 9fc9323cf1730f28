// Whole files, opened as ../open_file.h does, and the hash that shows whether one is damaged.
#ifndef LIMBER_SRC_TOOLS_FILE_H
#define LIMBER_SRC_TOOLS_FILE_H

#include <limber/base.h>

#define FILE_LARGEST_TEXT ((size_t)64 << 20) // for files that people write
#define FILE_ANY_SIZE (SIZE_MAX / 2)         // for files that the command writes itself

// Reads the whole file. A text is not terminated, and the caller frees it. Error messages name the file. Fails with
// #LMB_ERROR_FILE, #LMB_ERROR_LIMIT if there are more than `largest` bytes, #LMB_ERROR_MEMORY; nothing is left
// allocated then.
lmb_result file_read(const char *name, size_t largest, char **bytes, size_t *size, lmb_error *error);
// The same for a path below a folder that is not trusted: see lmb_open_file_below(). Messages name the path alone.
lmb_result file_read_below(const char *folder, const char *path, size_t largest, char **bytes, size_t *size,
                           lmb_error *error);
// Reads the first bytes of a file; returns how many there are, 0 if it cannot be read.
size_t file_read_head(const char *name, void *bytes, size_t size);
// Reads the files that a graph includes, for lmb_graph_source.read_file: `user` is a file_folder. Keeps the last text.
typedef struct file_folder {
    const char *beside; // a file in the folder, or NULL for the folder in which the program runs
    char *text;
} file_folder;
lmb_result file_read_included(void *user, const char *path, const char **text, size_t *size, lmb_error *error);
// Writes the whole file. Fails with #LMB_ERROR_FILE; the message names the file.
lmb_result file_write(const char *name, const void *bytes, size_t size, lmb_error *error);

// Returns the 64-bit FNV-1a hash.
uint64_t file_hash(const void *bytes, size_t size);

#endif
