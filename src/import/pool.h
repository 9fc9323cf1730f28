// Memory of one import. Every block belongs to a pool, so that leaving early releases all of it, and every pool draws
// on one budget, so that a small file cannot ask for a large amount of memory.
#ifndef LIMBER_SRC_IMPORT_POOL_H
#define LIMBER_SRC_IMPORT_POOL_H

#include "../host.h"

typedef struct lmb_budget {
    lmb_host host; // resolved
    size_t used;
    size_t limit;
    size_t decoded; // bytes decoded so far, which the same limit holds
    bool exceeded;  // an allocation was refused here, not by the host
} lmb_budget;

typedef struct lmb_pool_block lmb_pool_block;

typedef struct lmb_pool {
    lmb_budget *budget;
    lmb_pool_block *first;
} lmb_pool;

// Zeroed memory for `count` elements, or NULL.
void *lmb_pool_allocate(lmb_pool *pool, size_t count, size_t size);
// NULL is fine.
void lmb_pool_release(lmb_pool *pool, void *memory);
// Room for one more element after `count` elements: the array itself, a larger copy, or NULL.
void *lmb_pool_grow(lmb_pool *pool, void *array, size_t count, size_t *capacity, size_t size);
// Releases every block.
void lmb_pool_clear(lmb_pool *pool);
// A host for objects that keep their own memory; it counts against the budget. The pool must outlive them.
lmb_host lmb_pool_host(lmb_pool *pool);

#endif
