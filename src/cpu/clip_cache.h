// The rows of clips that the SIMD paths keep from run to run, and decoded keys of packed clips:
// shaders/ops/clip_rows.h.
#ifndef LIMBER_SRC_CPU_CLIP_CACHE_H
#define LIMBER_SRC_CPU_CLIP_CACHE_H

#include "base/host.h"

#include <limber/graph.h>

typedef struct clip_cache clip_cache;

// Creates a cache for the clips of a graph. It has room for at most `key_bytes` of decoded keys, which may be 0.
// Returns NULL if there is no memory.
clip_cache *lmb_clip_cache_create(const lmb_graph *graph, size_t key_bytes, const lmb_host *host);
// NULL is allowed.
void lmb_clip_cache_destroy(clip_cache *cache, const lmb_host *host);
// Empties the cache if a clip of the graph has changed since the last call, or if it had no room for one.
void lmb_clip_cache_begin(clip_cache *cache, const lmb_graph *graph);

#endif
