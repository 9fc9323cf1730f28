// SHA-256 as FIPS 180-4 has it, for messages of whole words. A weaker hash would not do: a kernel that runs for another
// graph than its own reads where it must not, and the graphs may come from anywhere.
#include "digest.h"

#include <string.h>

enum { BLOCK = 16, ROUNDS = 64 }; // words

static const uint32_t round_constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t x, uint32_t bits) {
    return x >> bits | x << (32 - bits);
}

static void add_block(uint32_t state[8], const uint32_t block[BLOCK]) {
    uint32_t w[ROUNDS], v[8];
    memcpy(w, block, BLOCK * sizeof *w);
    for (int i = BLOCK; i < ROUNDS; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[i - 7] +
               (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]),
                       majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        const uint32_t first =
            v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) + choice + round_constants[i] + w[i];
        const uint32_t second = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) + majority;
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

lmb_gpu_digest lmb_gpu_digest_of(const uint32_t *words, size_t count) {
    lmb_gpu_digest digest = {
        {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
    const size_t rest = count % BLOCK;
    const uint64_t bits = (uint64_t)count * 32;
    for (size_t i = 0; i + BLOCK <= count; i += BLOCK) {
        add_block(digest.words, words + i);
    }
    // A one bit, zeros, and the length.
    uint32_t last[2 * BLOCK] = {0};
    const size_t end = rest + 3 <= BLOCK ? BLOCK : 2 * BLOCK;
    for (size_t i = 0; i < rest; i++) {
        last[i] = words[count - rest + i];
    }
    last[rest] = 0x80000000u;
    last[end - 2] = (uint32_t)(bits >> 32);
    last[end - 1] = (uint32_t)bits;
    for (size_t i = 0; i < end; i += BLOCK) {
        add_block(digest.words, last + i);
    }
    return digest;
}
