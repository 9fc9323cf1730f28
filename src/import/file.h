// Whole files in memory.
#ifndef LIMBER_SRC_IMPORT_FILE_H
#define LIMBER_SRC_IMPORT_FILE_H

#include "importer.h"

// Reads a file into the scratch pool. `place` opens the message where the file is not the imported one itself, else it
// is empty.
bool lmb_file_read(lmb_importer *importer, const char *path, const char *place, const uint8_t **bytes, size_t *size);

#endif
