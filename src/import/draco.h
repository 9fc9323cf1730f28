/* Meshes compressed by Draco, whose interface is C++. Nothing here throws. */
#ifndef LIMBER_SRC_IMPORT_DRACO_H
#define LIMBER_SRC_IMPORT_DRACO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A decoded mesh, in memory of the C++ library. */
typedef struct lmb_draco lmb_draco;

/* Decodes a mesh; returns NULL, and why, if the bytes are none. Refuses one that would take more than `limit` bytes,
   before it allocates them; then `exceeded` becomes true. The bytes need not be trusted. */
lmb_draco *lmb_draco_decode(const uint8_t *bytes, size_t size, size_t limit, bool *exceeded, const char **why);
void lmb_draco_destroy(lmb_draco *mesh);
uint32_t lmb_draco_vertex_count(const lmb_draco *mesh);
uint32_t lmb_draco_index_count(const lmb_draco *mesh);
/* Writes three indices for each triangle, each below the number of vertices. Returns false if one is not. */
bool lmb_draco_indices(const lmb_draco *mesh, uint32_t *indices);
/* Writes an attribute's elements of `width` components, whose type is that of a glTF accessor, one for each vertex.
   Returns false if there is no such attribute, or a value does not fit the type. */
bool lmb_draco_attribute(const lmb_draco *mesh, uint32_t id, int component, uint32_t width, void *values);

#ifdef __cplusplus
}
#endif

#endif
