// How the characters of a step are divided among threads: lmb_cpu_pool, and the npm package.
#ifndef LIMBER_SRC_CPU_SHARES_H
#define LIMBER_SRC_CPU_SHARES_H

#include <stdint.h>

#define LMB_SHARE_VECTOR 16u // characters: those of the widest vectors
#define LMB_MOST_SHARE 2048u
#define LMB_SHARES_A_THREAD 4u

// Ranges of `size` characters, the last of which may be shorter.
typedef struct lmb_shares {
    uint32_t size, count;
} lmb_shares;

// Returns shares of whole vectors, of many, so that those that play the same clips can be put together, and few enough
// that all threads finish at nearly the same time.
static inline lmb_shares lmb_shares_of(uint32_t characters, uint32_t threads) {
    const uint32_t part = characters / (threads * LMB_SHARES_A_THREAD) / LMB_SHARE_VECTOR * LMB_SHARE_VECTOR;
    const uint32_t size = part > LMB_MOST_SHARE ? LMB_MOST_SHARE : part > LMB_SHARE_VECTOR ? part : LMB_SHARE_VECTOR;
    return (lmb_shares){size, characters / size + (characters % size != 0)};
}

#endif
