// Reads whole files into memory.
#ifndef LIMBER_SRC_IMPORT_FILE_H
#define LIMBER_SRC_IMPORT_FILE_H

#include "importer.h"

// Reads a file into the scratch pool. `place` begins error messages if the file is not the imported one itself; else it
// is empty.
bool lmb_file_read(lmb_importer *importer, const char *path, const char *place, const uint8_t **bytes, size_t *size);

// Reads a file that an imported file names. It must be a regular file below the folder and not behind a symbolic link,
// so that a name cannot lead elsewhere and no pipe blocks the import.
bool lmb_file_read_below(lmb_importer *importer, const char *directory, const char *relative, const char *place,
                         const uint8_t **bytes, size_t *size);

#endif
