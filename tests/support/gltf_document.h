// Builds glTF documents for tests. Functions add binary data with its views and accessors; all else is JSON text.
#ifndef LIMBER_TESTS_SUPPORT_GLTF_DOCUMENT_H
#define LIMBER_TESTS_SUPPORT_GLTF_DOCUMENT_H

#include <stddef.h>
#include <stdint.h>

enum { GLTF_INT8 = 5120, GLTF_UINT8, GLTF_INT16, GLTF_UINT16, GLTF_UINT32 = 5125, GLTF_FLOAT };

typedef struct gltf_document {
    uint8_t binary[16384];
    size_t binary_size;
    char views[8192];
    uint32_t view_count;
    char accessors[16384];
    uint32_t accessor_count;
} gltf_document;

// Copies bytes to the next multiple of 4 and returns the index of their view.
uint32_t gltf_view(gltf_document *document, const void *bytes, size_t size);
// Adds an accessor with its own view. `more` is additional JSON, for example ",\"normalized\":true". Returns its index.
uint32_t gltf_accessor(gltf_document *document, int component, const char *shape, uint32_t count, const void *bytes,
                       size_t size, const char *more);
uint32_t gltf_floats(gltf_document *document, const char *shape, uint32_t count, const float *values);
// Adds an accessor given only as JSON.
uint32_t gltf_raw_accessor(gltf_document *document, const char *json);

// Returns the whole document with its data as a data URI. `sections` is everything except asset, buffers, bufferViews
// and accessors. The caller frees the result.
char *gltf_text(const gltf_document *document, const char *sections);
// The same as a binary file.
uint8_t *gltf_binary(const gltf_document *document, const char *sections, size_t *size);
// Returns a binary file that contains any JSON. The caller frees it.
uint8_t *gltf_wrap(const char *json, const void *binary, size_t binary_size, size_t *size);
// Returns a copy in which the single occurrence of `old` is replaced. The caller frees it.
char *gltf_replace(const char *text, const char *old, const char *replacement);

// Builds a document that uses every part of glTF that Limber reads: a rig of three joints, a skinned mesh of 8
// influences with texture, unskinned meshes of strips and lines, one of them mirrored, sparse and normalised accessors,
// a clip of every interpolation, and tracks that are skipped. Fills `document` and returns the sections, which the
// caller frees.
char *gltf_complete(gltf_document *document);

#endif
