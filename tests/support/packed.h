// Writes packs into memory.
#ifndef LIMBER_TESTS_SUPPORT_PACKED_H
#define LIMBER_TESTS_SUPPORT_PACKED_H

#include <limber/pack.h>
#include <stdlib.h>

// Returns the bytes of a pack, which the caller frees; NULL if it is not written, or not of the size that was stated.
static inline void *packed(const lmb_pack_def *def, size_t *size) {
    size_t again = 0;
    void *bytes = lmb_pack_write(def, NULL, NULL, 0, size, NULL) == LMB_OK ? malloc(*size) : NULL;
    if (bytes != NULL && (lmb_pack_write(def, NULL, bytes, *size, &again, NULL) != LMB_OK || again != *size)) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

// The same for a pack that has this graph alone.
static inline void *packed_graph(const char *name, const lmb_graph_def *graph, size_t *size) {
    const lmb_pack_graph named = {name, graph};
    lmb_pack_def def = lmb_default_pack_def();
    def.rig = graph->rig;
    def.graphs = &named;
    def.graph_count = 1;
    return packed(&def, size);
}

#endif
