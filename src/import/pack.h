// A character that was read before, as one block of bytes: lmb_import_pack() writes it, and any import reads it again.
#ifndef LIMBER_SRC_IMPORT_PACK_H
#define LIMBER_SRC_IMPORT_PACK_H

#include "importer.h"

#define LMB_PACK_MAGIC "LIMBER\x01\n" // with the version of what follows

// Nothing in it is trusted.
bool lmb_pack_read(lmb_importer *importer, const uint8_t *bytes, size_t size);

#endif
