/* Encodes meshes by Draco, for tests. */
#ifndef LIMBER_TESTS_IMPORT_DRACO_ENCODE_H
#define LIMBER_TESTS_IMPORT_DRACO_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DRACO_POSITION, DRACO_NORMAL, DRACO_TEXCOORD, DRACO_GENERIC };

typedef struct draco_attribute {
    int kind;
    int component; /* of glTF */
    int width;
    const void *values; /* one element for each vertex, contiguous */
} draco_attribute;

typedef struct draco_options {
    bool is_edgebreaker;
    int speed;         /* 0 to 10 */
    int position_bits; /* 0 for floats as they are */
    bool has_metadata;
} draco_options;

/* Returns the number of bytes; the unique id of an attribute is its index. */
size_t draco_encode(const draco_options *options, const draco_attribute *attributes, int attribute_count,
                    uint32_t vertex_count, const uint32_t *indices, uint32_t index_count, uint8_t *bytes, size_t room);

#ifdef __cplusplus
}
#endif

#endif
