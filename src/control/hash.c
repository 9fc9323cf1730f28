// The hash of states. Eight lanes of two words each run side by side: control.h has the formula. A step is invertible
// in the lane and in the words that it takes, so words that differ in one step of one lane never leave the hash as it
// is.
#include "../../shaders/ops/hash.h"

#include <limber/control.h>

#include <string.h>

// A word of each lane. Functions take it by address: how a wide vector is passed by value depends on the processor.
#ifdef __GNUC__
typedef uint32_t lane_words __attribute__((vector_size(HASH_LANES * sizeof(uint32_t))));
#else
typedef uint32_t lane_words[HASH_LANES];
#endif

typedef struct lanes {
    lane_words a, b;
} lanes;

enum { ROWS = 4 }; // that run side by side: a step waits for the one before it, and the other rows run meanwhile

static void begin(lanes *l) {
    for (uint32_t lane = 0; lane < HASH_LANES; lane++) {
        l->a[lane] = (lane + 1) * HASH_BEGIN;
        l->b[lane] = (lane + 1 + HASH_LANES) * HASH_BEGIN;
    }
}

static inline void run_block(lanes *l, const uint32_t *words) {
#ifdef __GNUC__
    lane_words x, y;
    memcpy(&x, words, sizeof x);
    memcpy(&y, words + HASH_LANES, sizeof y);
    l->a = HASH_FIRST(l->a, l->b, x);
    l->b = HASH_SECOND(l->a, l->b, y);
#else
    for (uint32_t lane = 0; lane < HASH_LANES; lane++) {
        l->a[lane] = HASH_FIRST(l->a[lane], l->b[lane], words[lane]);
        l->b[lane] = HASH_SECOND(l->a[lane], l->b[lane], words[HASH_LANES + lane]);
    }
#endif
}

static void run_blocks(lanes *all, const uint32_t *words, size_t count) {
    lanes l = *all;
    for (; count > 0; count--, words += HASH_BLOCK) {
        run_block(&l, words);
    }
    *all = l;
}

static void run_rows(lanes all[ROWS], const uint32_t *words, size_t row_words, size_t count) {
    lanes l = all[0], m = all[1], n = all[2], o = all[3];
    for (; count > 0; count--, words += HASH_BLOCK) {
        run_block(&l, words);
        run_block(&m, words + row_words);
        run_block(&n, words + 2 * row_words);
        run_block(&o, words + 3 * row_words);
    }
    all[0] = l;
    all[1] = m;
    all[2] = n;
    all[3] = o;
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
        a = HASH_FIRST(a, b, l->a[lane]);
        b = HASH_SECOND(a, b, l->b[lane]);
    }
    for (int i = 0; i < 2; i++) {
        a = HASH_FIRST(a, b, 0u);
        b = HASH_SECOND(a, b, 0u);
    }
    return (uint64_t)hash_spread(b) << 32 | hash_spread(a);
}

uint64_t lmb_hash_words(const uint32_t *words, size_t count) {
    lanes l;
    begin(&l);
    run_blocks(&l, words, count / HASH_BLOCK);
    return end(&l, words, count);
}

// Rows without words may have no address.
static const uint32_t *find_row(const uint32_t *words, size_t row_words, size_t row) {
    return row_words > 0 ? words + row * row_words : words;
}

void lmb_hash_rows(const uint32_t *words, size_t row_words, size_t row_count, uint64_t *hashes) {
    size_t row = 0;
    for (; row + ROWS <= row_count; row += ROWS) {
        lanes l[ROWS];
        for (uint32_t i = 0; i < ROWS; i++) {
            begin(&l[i]);
        }
        run_rows(l, find_row(words, row_words, row), row_words, row_words / HASH_BLOCK);
        for (uint32_t i = 0; i < ROWS; i++) {
            hashes[row + i] = end(&l[i], find_row(words, row_words, row + i), row_words);
        }
    }
    for (; row < row_count; row++) {
        hashes[row] = lmb_hash_words(find_row(words, row_words, row), row_words);
    }
}
