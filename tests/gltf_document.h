// Builds glTF documents for tests: binary data with its views and accessors by calls, everything else as JSON text.
#ifndef LIMBER_TESTS_GLTF_DOCUMENT_H
#define LIMBER_TESTS_GLTF_DOCUMENT_H

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
// An accessor over a view of its own; `more` is further JSON, as in ",\"normalized\":true". Returns its index.
uint32_t gltf_accessor(gltf_document *document, int component, const char *shape, uint32_t count, const void *bytes,
                       size_t size, const char *more);
uint32_t gltf_floats(gltf_document *document, const char *shape, uint32_t count, const float *values);
// An accessor given as JSON alone.
uint32_t gltf_raw_accessor(gltf_document *document, const char *json);

// The whole document with its data as a data URI; `sections` is what is beside asset, buffers, bufferViews and
// accessors. To be freed.
char *gltf_text(const gltf_document *document, const char *sections);
// The same as a binary file.
uint8_t *gltf_binary(const gltf_document *document, const char *sections, size_t *size);
// A binary file around any JSON. To be freed.
uint8_t *gltf_wrap(const char *json, const void *binary, size_t binary_size, size_t *size);
// A copy with the one place where `old` stands replaced. To be freed.
char *gltf_replace(const char *text, const char *old, const char *replacement);

// A document that uses every part of glTF that is read: a rig of three joints, a skinned mesh of 8 influences with
// texture, unskinned meshes of strips and lines, one of them mirrored, sparse and normalised accessors, a clip of every
// interpolation, and tracks that are skipped. Fills `document` and returns the sections. To be freed.
char *gltf_complete(gltf_document *document);

#endif
