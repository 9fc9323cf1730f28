// The hash of states. Eight lanes of two words each run side by side, in vectors that the compiler makes: control.h has
// the formula. A step is invertible in the lane and in the words that it takes, so words that differ in one step of one
// lane never leave the hash as it is.
#include <limber/control.h>

#include <string.h>

#define LANES 8u
#define BLOCK (2u * LANES) // words that a step of all lanes takes

typedef struct lanes {
    uint32_t a[LANES], b[LANES];
} lanes;

static inline uint32_t rotate(uint32_t x, uint32_t count) {
    return x << count | x >> (32u - count);
}

static inline void step(uint32_t *a, uint32_t *b, uint32_t x, uint32_t y) {
    *a = rotate(*a + x, 13) ^ *b;
    *b = rotate(*b + y, 19) + *a;
}

// Spreads every bit over all, as the last steps of MurmurHash3 do.
static uint32_t spread(uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

static lanes begin(void) {
    lanes l;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        l.a[lane] = (lane + 1) * 0x9e3779b9u;
        l.b[lane] = (lane + 1 + LANES) * 0x9e3779b9u;
    }
    return l;
}

static inline void run_block(lanes *l, const uint32_t *words) {
    for (uint32_t lane = 0; lane < LANES; lane++) {
        step(&l->a[lane], &l->b[lane], words[lane], words[LANES + lane]);
    }
}

static void run_blocks(lanes *all, const uint32_t *words, size_t count) {
    lanes l = *all;
    for (; count > 0; count--, words += BLOCK) {
        run_block(&l, words);
    }
    *all = l;
}

// Two rows side by side: a step waits for the one before it, and the other row runs meanwhile.
static void run_two(lanes all[2], const uint32_t *first, const uint32_t *second, size_t count) {
    lanes l = all[0], m = all[1];
    for (; count > 0; count--, first += BLOCK, second += BLOCK) {
        run_block(&l, first);
        run_block(&m, second);
    }
    all[0] = l;
    all[1] = m;
}

// Returns the hash of `count` words, of which all whole blocks have run.
static uint64_t end(lanes *l, const uint32_t *words, size_t count) {
    const size_t left = count % BLOCK;
    if (left > 0) {
        uint32_t padded[BLOCK] = {0};
        memcpy(padded, words + (count - left), left * sizeof *words);
        run_blocks(l, padded, 1);
    }
    uint32_t a = (uint32_t)count, b = (uint32_t)((uint64_t)count >> 32);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        step(&a, &b, l->a[lane], l->b[lane]);
    }
    step(&a, &b, 0, 0);
    step(&a, &b, 0, 0);
    return (uint64_t)spread(b) << 32 | spread(a);
}

uint64_t lmb_control_hash(const uint32_t *words, size_t count) {
    lanes l = begin();
    run_blocks(&l, words, count / BLOCK);
    return end(&l, words, count);
}

void lmb_control_hash_rows(const uint32_t *words, size_t row_words, size_t row_count, uint64_t *hashes) {
    size_t row = 0;
    for (; row + 1 < row_count; row += 2) {
        const uint32_t *first = words + row * row_words, *second = first + row_words;
        lanes l[2] = {begin(), begin()};
        run_two(l, first, second, row_words / BLOCK);
        hashes[row] = end(&l[0], first, row_words);
        hashes[row + 1] = end(&l[1], second, row_words);
    }
    if (row < row_count) {
        hashes[row] = lmb_control_hash(words + row * row_words, row_words);
    }
}
