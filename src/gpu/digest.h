// The digest of a module, by which two that were made for graphs are compared without keeping them.
#ifndef LIMBER_SRC_GPU_DIGEST_H
#define LIMBER_SRC_GPU_DIGEST_H

#include <stddef.h>
#include <stdint.h>

typedef struct lmb_gpu_digest {
    uint32_t words[8];
} lmb_gpu_digest;

// Returns the SHA-256 of words, each with its most significant byte first.
lmb_gpu_digest lmb_gpu_digest_of(const uint32_t *words, size_t count);

#endif
