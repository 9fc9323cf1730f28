// An imported character as one block of bytes: lmb_import_pack() writes it, and any import can read it.
#ifndef LIMBER_SRC_IMPORT_PACK_H
#define LIMBER_SRC_IMPORT_PACK_H

#include "importer.h"

#define LMB_PACK_MAGIC "LIMBER\x01\n" // includes the version of the format

// Checks all content; the bytes need not be trusted.
bool lmb_pack_read(lmb_importer *importer, const uint8_t *bytes, size_t size);

#endif
