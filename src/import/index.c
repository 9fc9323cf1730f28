#include "index.h"

#include <string.h>

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
    uint32_t *bucket = &index->buckets[index->entries[thing].hash & (index->capacity - 1)];
    index->entries[thing].next = *bucket;
    *bucket = thing;
}

bool lmb_index_add(lmb_index *index, lmb_pool *pool, uint64_t hash) {
    size_t capacity = index->capacity;
    struct lmb_index_entry *entries =
        lmb_pool_grow(pool, index->entries, index->count, &index->capacity, sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    index->entries = entries;
    if (index->capacity != capacity) {
        uint32_t *buckets = lmb_pool_allocate(pool, index->capacity, sizeof *buckets);
        if (buckets == NULL) {
            index->capacity = capacity;
            return false;
        }
        lmb_pool_release(pool, index->buckets);
        index->buckets = buckets;
        memset(buckets, 0xFF, index->capacity * sizeof *buckets); // LMB_NONE
        for (uint32_t i = 0; i < index->count; i++) {
            put(index, i);
        }
    }
    index->entries[index->count].hash = hash;
    put(index, index->count++);
    return true;
}

static uint32_t find(const lmb_index *index, uint32_t thing, uint64_t hash) {
    while (thing != LMB_NONE && index->entries[thing].hash != hash) {
        thing = index->entries[thing].next;
    }
    return thing;
}

uint32_t lmb_index_first(const lmb_index *index, uint64_t hash) {
    return index->count == 0 ? LMB_NONE : find(index, index->buckets[hash & (index->capacity - 1)], hash);
}

uint32_t lmb_index_next(const lmb_index *index, uint32_t thing) {
    return find(index, index->entries[thing].next, index->entries[thing].hash);
}
