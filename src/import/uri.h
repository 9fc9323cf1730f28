// What a URI in a glTF file refers to: data inside it, or a file in the folder of the glTF file or below.
#ifndef LIMBER_SRC_IMPORT_URI_H
#define LIMBER_SRC_IMPORT_URI_H

#include "importer.h"

// Checks without reading anything: other schemes, absolute paths, and paths that lead out of the folder are refused.
bool lmb_uri_check(lmb_importer *importer, const char *uri, const char *place);
// The bytes of a checked URI, in the scratch pool.
bool lmb_uri_load(lmb_importer *importer, const char *uri, const char *place, const uint8_t **bytes, size_t *size);

#endif
