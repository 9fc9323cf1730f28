// Internal view of a clip: its block of words. The layout is in shaders/ops/sampling.h.
#ifndef LIMBER_SRC_CLIP_CLIP_H
#define LIMBER_SRC_CLIP_CLIP_H

#include "base/host.h"

#include <limber/clip.h>

struct lmb_clip {
    lmb_host host;
    lmb_clip_info info;
    uint32_t size; // words
    uint32_t *words;
};

// Returns what a valid block says. The name is in it.
lmb_clip_info lmb_clip_read_info(const uint32_t *words);

// Checks every word of a block that sampling relies on.
lmb_result lmb_clip_check(const uint32_t *words, size_t size, lmb_error *error);

// Stores when a float channel becomes greater than a threshold, and when it is not any more, in turns and in the order
// of times (crossings.c). The first one is -FLT_MAX if it is greater at first. `times` may be NULL. Returns the number.
uint32_t lmb_clip_find_turns(const lmb_clip *clip, uint32_t channel, float threshold, float *times);

// Samples a joint's transform from a plain or packed clip, with the same operations that evaluate it at run time.
// motion.c.
LMB_API lmb_transform lmb_clip_sample(const lmb_clip *clip, const lmb_rig *rig, uint32_t joint, float time);

#endif
