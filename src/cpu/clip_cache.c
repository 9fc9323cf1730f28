// The memory of rows and decoded keys: one allocation, whose parts are filled when clips are first sampled.
#include "clip_cache.h"

#include "program/program.h"

#include "../../shaders/ops/clip_rows.h"

#include <string.h>

// Rows of more clips would not fit a processor's caches, and take longer than decoding tracks again.
#define MOST_ROW_BYTES ((size_t)2 << 20)

// The words of all decoded keys of a graph's clips, up to `most`. A slot may get any clip, so a graph with slots has
// all of `most`.
static size_t count_key_words(const lmb_graph *graph, size_t most) {
    size_t words = 0;
    for (uint32_t place = 0; place < graph->program[FIELD(PROGRAM, clip_count)] && words < most; place++) {
        uint32_t clip = graph->program[graph->program[FIELD(PROGRAM, clips)] + place];
        words += clip != 0 && graph->program[clip + FIELD(CLIP, packed)] != 0
                     ? count_decoded_words(graph->program, clip)
                     : 0;
    }
    return words < most && graph->info.clip_slot_count == 0 ? words : most;
}

clip_cache *lmb_clip_cache_create(const lmb_graph *graph, size_t key_bytes, const lmb_host *host) {
    const uint32_t clips = graph->program[FIELD(PROGRAM, clip_count)];
    const size_t set_bytes = sizeof(clip_rows) + graph->info.joint_count * sizeof(clip_row);
    size_t sets = MOST_ROW_BYTES / set_bytes;
    sets = sets < clips ? sets : clips;
    const size_t keys = graph->uses_packed ? count_key_words(graph, key_bytes / sizeof(uint32_t)) : 0;
    const size_t others = sizeof(clip_cache) + sets * set_bytes + clips * sizeof(uint32_t);
    const bool fits = keys <= (SIZE_MAX - others) / sizeof(uint32_t);
    char *memory = fits ? lmb_host_allocate(host, others + keys * sizeof(uint32_t), 1) : NULL;
    if (memory == NULL) {
        return NULL;
    }
    clip_cache *cache = (clip_cache *)memory;
    cache->changes = graph->clip_changes;
    cache->set_count = (uint)sets;
    cache->set_bytes = set_bytes;
    cache->key_words = keys;
    cache->sets = memory + sizeof *cache;
    cache->set_of = (uint32_t *)(cache->sets + sets * set_bytes);
    cache->keys = cache->set_of + clips;
    return cache;
}

void lmb_clip_cache_destroy(clip_cache *cache, const lmb_host *host) {
    lmb_host_release(host, cache);
}

void lmb_clip_cache_begin(clip_cache *cache, const lmb_graph *graph) {
    if (cache->changes != graph->clip_changes || cache->overflows) {
        cache->changes = graph->clip_changes;
        cache->overflows = false;
        cache->set_used = 0;
        cache->key_used = 0;
        memset(cache->set_of, 0, graph->program[FIELD(PROGRAM, clip_count)] * sizeof *cache->set_of);
    }
}
