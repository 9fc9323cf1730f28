// The hash of states. Eight lanes of two words each run side by side, in vectors that the compiler makes: control.h has
// the formula. A step is invertible in the lane and in the words that it takes, so words that differ in one step of one
// lane never leave the hash as it is.
#include "../../shaders/ops/hash.h"

#include <limber/control.h>

#include <string.h>

typedef struct lanes {
    uint32_t a[HASH_LANES], b[HASH_LANES];
} lanes;

static inline void step(uint32_t *a, uint32_t *b, uint32_t x, uint32_t y) {
    *a = hash_first(*a, *b, x);
    *b = hash_second(*a, *b, y);
}

static lanes begin(void) {
    lanes l;
    for (uint32_t lane = 0; lane < HASH_LANES; lane++) {
        l.a[lane] = (lane + 1) * HASH_BEGIN;
        l.b[lane] = (lane + 1 + HASH_LANES) * HASH_BEGIN;
    }
    return l;
}

static inline void run_block(lanes *l, const uint32_t *words) {
    for (uint32_t lane = 0; lane < HASH_LANES; lane++) {
        step(&l->a[lane], &l->b[lane], words[lane], words[HASH_LANES + lane]);
    }
}

static void run_blocks(lanes *all, const uint32_t *words, size_t count) {
    lanes l = *all;
    for (; count > 0; count--, words += HASH_BLOCK) {
        run_block(&l, words);
    }
    *all = l;
}

// Two rows side by side: a step waits for the one before it, and the other row runs meanwhile.
static void run_two(lanes all[2], const uint32_t *first, const uint32_t *second, size_t count) {
    lanes l = all[0], m = all[1];
    for (; count > 0; count--, first += HASH_BLOCK, second += HASH_BLOCK) {
        run_block(&l, first);
        run_block(&m, second);
    }
    all[0] = l;
    all[1] = m;
}

// Returns the hash of `count` words, of which all whole blocks have run.
static uint64_t end(lanes *l, const uint32_t *words, size_t count) {
    const size_t left = count % HASH_BLOCK;
    if (left > 0) {
        uint32_t padded[HASH_BLOCK] = {0};
        memcpy(padded, words + (count - left), left * sizeof *words);
        run_blocks(l, padded, 1);
    }
    uint32_t a = (uint32_t)count, b = (uint32_t)((uint64_t)count >> 32);
    for (uint32_t lane = 0; lane < HASH_LANES; lane++) {
        step(&a, &b, l->a[lane], l->b[lane]);
    }
    step(&a, &b, 0, 0);
    step(&a, &b, 0, 0);
    return (uint64_t)hash_spread(b) << 32 | hash_spread(a);
}

uint64_t lmb_control_hash(const uint32_t *words, size_t count) {
    lanes l = begin();
    run_blocks(&l, words, count / HASH_BLOCK);
    return end(&l, words, count);
}

void lmb_control_hash_rows(const uint32_t *words, size_t row_words, size_t row_count, uint64_t *hashes) {
    size_t row = 0;
    for (; row + 1 < row_count; row += 2) {
        const uint32_t *first = words + row * row_words, *second = first + row_words;
        lanes l[2] = {begin(), begin()};
        run_two(l, first, second, row_words / HASH_BLOCK);
        hashes[row] = end(&l[0], first, row_words);
        hashes[row + 1] = end(&l[1], second, row_words);
    }
    if (row < row_count) {
        hashes[row] = lmb_control_hash(words + row * row_words, row_words);
    }
}
