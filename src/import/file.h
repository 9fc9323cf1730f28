// Whole files in memory.
#ifndef LIMBER_SRC_IMPORT_FILE_H
#define LIMBER_SRC_IMPORT_FILE_H

#include "importer.h"

// Reads a file into the scratch pool. `place` opens the message where the file is not the imported one itself, else it
// is empty.
bool lmb_file_read(lmb_importer *importer, const char *path, const char *place, const uint8_t **bytes, size_t *size);

// The same for a file that an imported one names: below a folder, through no symbolic link, and a regular file, so that a
// name leads nowhere else and nothing waits for a pipe.
bool lmb_file_read_below(lmb_importer *importer, const char *directory, const char *relative, const char *place,
                         const uint8_t **bytes, size_t *size);

#endif
