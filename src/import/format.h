// Finds a file's format by its first bytes, or by the ending of its name if these are not conclusive.
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

// Returns LMB_FORMAT_GLTF if nothing matches: that reader then reports what is wrong with the file.
lmb_format lmb_format_of(const char *name, const uint8_t *bytes, size_t size);
// Returns the name for messages, such as "FBX".
const char *lmb_format_name(lmb_format format);
// Returns the ending of file names, without a dot.
const char *lmb_format_ending(lmb_format format);

#endif
