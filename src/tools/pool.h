// Memory that is released together.
#ifndef LIMBER_SRC_TOOLS_POOL_H
#define LIMBER_SRC_TOOLS_POOL_H

#include <stdbool.h>
#include <stddef.h>

// Begins zeroed.
typedef struct pool {
    struct pool_block *blocks;
    bool failed; // there was no memory for a block; the caller may check once for several blocks
} pool;

// Returns zeroed memory for `count` elements, 0 or more, or NULL.
void *pool_get(pool *pool, size_t count, size_t size);
// Releases all blocks. The pool may be used again.
void pool_release(pool *pool);

#endif
