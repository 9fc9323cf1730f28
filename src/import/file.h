// Files of an import: their format, their content, and the files that they name.
#ifndef LIMBER_SRC_IMPORT_FILE_H
#define LIMBER_SRC_IMPORT_FILE_H

#include "importer.h"

// Reads a file into the scratch pool. `place` begins error messages if the file is not the imported one itself; else it
// is empty.
bool lmb_file_read(lmb_importer *importer, const char *path, const char *place, const uint8_t **bytes, size_t *size);

// The format of a file is found by its first bytes, or by the ending of its name if these are not conclusive.
// Returns LMB_FORMAT_GLTF if nothing matches: that reader then reports what is wrong with the file.
lmb_format lmb_format_of(const char *name, const uint8_t *bytes, size_t size);
// Returns the name for messages, such as "FBX".
const char *lmb_format_name(lmb_format format);
// Returns the ending of file names, without a dot.
const char *lmb_format_ending(lmb_format format);

// A URI in a glTF file refers to data inside the URI, or to a file in the folder of the glTF file or below.
// Checks a URI without reading anything: rejects other schemes, absolute paths, and paths that lead out of the folder.
bool lmb_uri_check(lmb_importer *importer, const char *uri, const char *place);
// Checks a URI and returns its bytes, in the scratch pool.
bool lmb_uri_load(lmb_importer *importer, const char *uri, const char *place, const uint8_t **bytes, size_t *size);

#endif
