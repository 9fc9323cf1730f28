// A hash table of the elements of a list: entry i belongs to element i. It compares hashes only; its user compares the
// elements.
#ifndef LIMBER_SRC_IMPORT_INDEX_H
#define LIMBER_SRC_IMPORT_INDEX_H

#include "pool.h"

typedef struct lmb_index {
    struct lmb_index_entry *entries;
    size_t capacity;
    uint32_t *buckets; // `capacity` of them, a power of 2
    uint32_t count;
} lmb_index;

uint64_t lmb_index_hash(const void *bytes, size_t size);
uint64_t lmb_index_hash_text(const char *text);
// Adds the next element. Returns false and adds nothing if the pool has no memory.
bool lmb_index_add(lmb_index *index, lmb_pool *pool, uint64_t hash);
// Iterate over the elements with this hash: the first one, and the one after another; LMB_NONE if there is none.
uint32_t lmb_index_first(const lmb_index *index, uint64_t hash);
uint32_t lmb_index_next(const lmb_index *index, uint32_t thing);

#endif
