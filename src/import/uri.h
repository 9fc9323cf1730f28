// Loads what a URI in a glTF file refers to: data inside the URI, or a file in the folder of the glTF file or below.
#ifndef LIMBER_SRC_IMPORT_URI_H
#define LIMBER_SRC_IMPORT_URI_H

#include "importer.h"

// Checks a URI without reading anything: rejects other schemes, absolute paths, and paths that lead out of the folder.
bool lmb_uri_check(lmb_importer *importer, const char *uri, const char *place);
// Returns the bytes of a checked URI, in the scratch pool.
bool lmb_uri_load(lmb_importer *importer, const char *uri, const char *place, const uint8_t **bytes, size_t *size);

#endif
