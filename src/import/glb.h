// Reads the binary container of glTF 2.0, section 4.4 ("GLB File Format Specification").
#ifndef LIMBER_SRC_IMPORT_GLB_H
#define LIMBER_SRC_IMPORT_GLB_H

#include "importer.h"

typedef struct lmb_glb {
    const char *json;
    size_t json_size;
    const uint8_t *binary; // NULL if there is no such chunk
    size_t binary_size;
} lmb_glb;

bool lmb_glb_recognise(const uint8_t *bytes, size_t size);
// The chunks point into `bytes`.
bool lmb_glb_read(lmb_importer *importer, const uint8_t *bytes, size_t size, lmb_glb *glb);

#endif
