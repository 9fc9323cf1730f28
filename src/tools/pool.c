#include "pool.h"

#include <stdint.h>
#include <stdlib.h>

typedef struct pool_block {
    struct pool_block *next;
    max_align_t bytes[];
} pool_block;

void *pool_get(pool *pool, size_t count, size_t size) {
    const bool fits = count < (SIZE_MAX / 2 - sizeof(pool_block)) / size;
    pool_block *block = fits ? calloc(1, sizeof *block + count * size + 1) : NULL;
    if (block == NULL) {
        pool->failed = true;
        return NULL;
    }
    block->next = pool->blocks;
    pool->blocks = block;
    return block->bytes;
}

void pool_release(pool *pool) {
    for (pool_block *block = pool->blocks; block != NULL;) {
        pool_block *next = block->next;
        free(block);
        block = next;
    }
    *pool = (struct pool){0};
}
