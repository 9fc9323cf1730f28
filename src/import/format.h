// Which format a file has: told by how it begins, or by its name's ending where that says nothing.
#ifndef LIMBER_SRC_IMPORT_FORMAT_H
#define LIMBER_SRC_IMPORT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

typedef enum lmb_format {
    LMB_FORMAT_GLTF,
    LMB_FORMAT_PACK,
    LMB_FORMAT_FBX,
    LMB_FORMAT_COLLADA,
    LMB_FORMAT_BVH,
    LMB_FORMAT_COUNT
} lmb_format;

// What is neither is glTF, whose reader then says what is wrong with it.
lmb_format lmb_format_of(const char *name, const uint8_t *bytes, size_t size);
// "FBX" and so on.
const char *lmb_format_name(lmb_format format);
// The name's ending, without a dot.
const char *lmb_format_ending(lmb_format format);

#endif
