// Internal view of a clip: its block of words. The layout is in shaders/ops/sampling.h.
#ifndef LIMBER_SRC_CLIP_H
#define LIMBER_SRC_CLIP_H

#include "host.h"

#include <limber/clip.h>

struct lmb_clip {
    lmb_host host;
    uint32_t size; // words
    uint32_t *words;
};

// Checks every word of a block that sampling relies on.
lmb_result lmb_clip_check(const uint32_t *words, size_t size, lmb_error *error);

#endif
