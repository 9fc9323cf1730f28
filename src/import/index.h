// A hash table of things that a list holds: entry i of the table is thing i of the list. The list compares them itself.
#ifndef LIMBER_SRC_IMPORT_INDEX_H
#define LIMBER_SRC_IMPORT_INDEX_H

#include "pool.h"

typedef struct lmb_index {
    struct lmb_index_entry *entries;
    size_t capacity;
    uint32_t *buckets; // as many as `capacity`, which is a power of 2
    uint32_t count;
} lmb_index;

uint64_t lmb_index_hash(const void *bytes, size_t size);
uint64_t lmb_index_hash_text(const char *text);
// Adds the next thing. False, and nothing is added, where the pool has no memory.
bool lmb_index_add(lmb_index *index, lmb_pool *pool, uint64_t hash);
// Things that may be the same: the first one with this hash, and the one after another. LMB_NONE where there is none.
uint32_t lmb_index_first(const lmb_index *index, uint64_t hash);
uint32_t lmb_index_next(const lmb_index *index, uint32_t thing);

#endif
