// Each block has a header before its memory: its size, and links to the other blocks of its pool, so that any block can
// be released alone. Growing arrays need no capacity field: their room is the next power of two from 16 on. A hash
// table is chained by indices: entry i belongs to element i of a list that its user keeps.
#include "pool.h"

#include <string.h>

struct lmb_pool_block {
    _Alignas(16) lmb_pool_block *previous;
    lmb_pool_block *next;
    size_t size; // header included
};

static void *allocate_bytes(lmb_pool *pool, size_t bytes) {
    lmb_budget *budget = pool->budget;
    if (bytes > budget->limit - budget->used || sizeof(lmb_pool_block) > budget->limit - budget->used - bytes) {
        budget->exceeded = true;
        return NULL;
    }
    size_t size = sizeof(lmb_pool_block) + bytes;
    lmb_pool_block *block = lmb_host_allocate(&budget->host, 1, size);
    if (block == NULL) {
        return NULL;
    }
    budget->used += size;
    block->size = size;
    block->next = pool->first;
    if (pool->first != NULL) {
        pool->first->previous = block;
    }
    pool->first = block;
    return block + 1;
}

void *lmb_pool_allocate(lmb_pool *pool, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) {
        pool->budget->exceeded = true;
        return NULL;
    }
    return allocate_bytes(pool, count * size);
}

void lmb_pool_release(lmb_pool *pool, void *memory) {
    if (memory == NULL) {
        return;
    }
    lmb_pool_block *block = (lmb_pool_block *)memory - 1;
    if (block->previous != NULL) {
        block->previous->next = block->next;
    } else {
        pool->first = block->next;
    }
    if (block->next != NULL) {
        block->next->previous = block->previous;
    }
    pool->budget->used -= block->size;
    lmb_host_release(&pool->budget->host, block);
}

bool lmb_pool_append(lmb_pool *pool, void *array, uint32_t *count, const void *element, size_t size) {
    char *elements;
    memcpy(&elements, array, sizeof elements);
    // There is room for 16, 32, 64 and so on: an array is full if it has as many.
    if (*count == 0 || (*count >= 16 && (*count & (*count - 1)) == 0)) {
        char *larger = lmb_pool_allocate(pool, *count == 0 ? 16 : (size_t)*count * 2, size);
        if (larger == NULL) {
            return false;
        }
        if (*count > 0) {
            memcpy(larger, elements, *count * size);
            lmb_pool_release(pool, elements);
        }
        memcpy(array, &larger, sizeof larger);
        elements = larger;
    }
    memcpy(elements + (*count)++ * size, element, size);
    return true;
}

void lmb_pool_clear(lmb_pool *pool) {
    while (pool->first != NULL) {
        lmb_pool_release(pool, pool->first + 1);
    }
}

static void *host_allocate(void *user, size_t size) {
    return allocate_bytes(user, size);
}

static void host_release(void *user, void *memory) {
    lmb_pool_release(user, memory);
}

static void host_log(void *user, lmb_log_level level, const char *message) {
    lmb_host *host = &((lmb_pool *)user)->budget->host;
    host->log(host->user, level, message);
}

lmb_host lmb_pool_host(lmb_pool *pool) {
    return (lmb_host){.allocate = host_allocate, .release = host_release, .log = host_log, .user = pool};
}

// ---- Hash tables ----

struct lmb_index_entry {
    uint64_t hash;
    uint32_t next; // in its bucket
};

uint64_t lmb_index_hash(const void *bytes, size_t size) {
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
    }
    return hash ^ hash >> 32;
}

uint64_t lmb_index_hash_text(const char *text) {
    return lmb_index_hash(text, strlen(text));
}

static void put(lmb_index *index, uint32_t thing) {
    uint32_t *bucket = &index->buckets[index->entries[thing].hash & (index->bucket_count - 1)];
    index->entries[thing].next = *bucket;
    *bucket = thing;
}

static bool add_buckets(lmb_index *index, lmb_pool *pool) {
    const uint32_t count = index->bucket_count == 0 ? 16 : index->bucket_count * 2;
    uint32_t *buckets = lmb_pool_allocate(pool, count, sizeof *buckets);
    if (buckets == NULL) {
        return false;
    }
    lmb_pool_release(pool, index->buckets);
    index->buckets = buckets;
    index->bucket_count = count;
    memset(buckets, 0xFF, count * sizeof *buckets); // LMB_NONE
    for (uint32_t i = 0; i < index->count; i++) {
        put(index, i);
    }
    return true;
}

bool lmb_index_add(lmb_index *index, lmb_pool *pool, uint64_t hash) {
    const struct lmb_index_entry entry = {.hash = hash};
    if ((index->count == index->bucket_count && !add_buckets(index, pool)) ||
        !lmb_pool_append(pool, &index->entries, &index->count, &entry, sizeof entry)) {
        return false;
    }
    put(index, index->count - 1);
    return true;
}

static uint32_t find(const lmb_index *index, uint32_t thing, uint64_t hash) {
    while (thing != LMB_NONE && index->entries[thing].hash != hash) {
        thing = index->entries[thing].next;
    }
    return thing;
}

uint32_t lmb_index_first(const lmb_index *index, uint64_t hash) {
    return index->count == 0 ? LMB_NONE : find(index, index->buckets[hash & (index->bucket_count - 1)], hash);
}

uint32_t lmb_index_next(const lmb_index *index, uint32_t thing) {
    return find(index, index->entries[thing].next, index->entries[thing].hash);
}
