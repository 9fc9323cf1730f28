// Memory and hash tables of an import. Every block belongs to a pool, so that all memory is released if the import
// fails. All pools share one budget, so that a small file cannot allocate a large amount of memory.
#ifndef LIMBER_SRC_JSON_POOL_H
#define LIMBER_SRC_JSON_POOL_H

#include "base/host.h"

typedef struct lmb_budget {
    lmb_host host; // resolved
    size_t used;
    size_t limit;
    size_t decoded; // bytes decoded so far; limited by `limit` too
    bool exceeded;  // the budget refused an allocation, not the host
} lmb_budget;

typedef struct lmb_pool_block lmb_pool_block;

typedef struct lmb_pool {
    lmb_budget *budget;
    lmb_pool_block *first;
} lmb_pool;

// Allocates zeroed memory for `count` elements; returns NULL on failure.
LMB_API void *lmb_pool_allocate(lmb_pool *pool, size_t count, size_t size);
// Does nothing if `memory` is NULL.
LMB_API void lmb_pool_release(lmb_pool *pool, void *memory);
// Appends an element to an array of `count` elements, whose pointer is at `array`; returns false if memory ran out. All
// elements of the array must have been added this way.
LMB_API bool lmb_pool_append(lmb_pool *pool, void *array, uint32_t *count, const void *element, size_t size);
// Releases every block.
LMB_API void lmb_pool_clear(lmb_pool *pool);
// Returns a host for objects that own their memory; it counts against the budget. The pool must outlive them.
LMB_API lmb_host lmb_pool_host(lmb_pool *pool);

// A hash table of the elements of a list: entry i belongs to element i. It compares hashes only; its user compares the
// elements.
typedef struct lmb_index {
    struct lmb_index_entry *entries;
    uint32_t count;
    uint32_t *buckets;
    uint32_t bucket_count; // a power of 2, at least `count`
} lmb_index;

LMB_API uint64_t lmb_index_hash(const void *bytes, size_t size);
LMB_API uint64_t lmb_index_hash_text(const char *text);
// Adds the next element. Returns false and adds nothing if the pool has no memory.
LMB_API bool lmb_index_add(lmb_index *index, lmb_pool *pool, uint64_t hash);
// Iterate over the elements with this hash: the first one, and the one after another; LMB_NONE if there is none.
LMB_API uint32_t lmb_index_first(const lmb_index *index, uint64_t hash);
LMB_API uint32_t lmb_index_next(const lmb_index *index, uint32_t thing);

#endif
