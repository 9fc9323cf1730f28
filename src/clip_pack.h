// How a track is stored in a packed clip, and the clip's block. The layout is in shaders/ops/sampling.h.
#ifndef LIMBER_SRC_CLIP_PACK_H
#define LIMBER_SRC_CLIP_PACK_H

#include "clip.h"
#include "clip_layout.h"

#include <limber/rig.h>

// What a joint's channel becomes.
typedef struct packing {
    uint32_t kind;     // ENTRY_...
    uint32_t bits;     // a field, where packed
    float constant[4]; // where constant
} packing;

// Key times that packed tracks share, by the source's value at each.
typedef struct frames {
    const lmb_rig *rig;
    const lmb_transform *source; // [joint][sample]
    uint32_t samples;
    uint32_t count;
    const uint32_t *of_sample; // ascending
    const float *times;        // [sample]
} frames;

// Words of a packed track on its own: its head, then its frames, each from its first bit on.
#define PACKED_TRACK_HEAD 8u
#define PACKED_TRACK_FRAME 3u

static inline float *lmb_channel_of(lmb_transform *t, uint32_t channel) {
    return channel == CHANNEL_TRANSLATION ? t->translation : channel == CHANNEL_ROTATION ? t->rotation : t->scale;
}

static inline const float *lmb_channel_in(const lmb_transform *t, uint32_t channel) {
    return channel == CHANNEL_TRANSLATION ? t->translation : channel == CHANNEL_ROTATION ? t->rotation : t->scale;
}

// What a packed clip keeps of the float tracks of a plain one.
typedef struct lmb_kept_floats {
    uint64_t size; // words: the table, then times and values
    uint32_t longest;
    uint32_t cubic;
} lmb_kept_floats;

// Written at offset `at` of a block, zeroed, or only measured where `words` is NULL.
lmb_kept_floats lmb_keep_floats(const lmb_clip *source, const lmb_rig *rig, uint32_t *words, uint32_t at);

// Quantises the keys of a channel into `words`, of PACKED_TRACK_HEAD + PACKED_TRACK_FRAME * count; how they lie there.
packed_place lmb_pack_track(const frames *f, uint32_t channel, uint32_t joint, uint32_t bits, uint32_t *words);

// The block, [channel][joint] packings given, into `words`, or only its size where that is NULL. 0 where it cannot be:
// too much for a section's offsets. `scratch` is for one packed track.
uint64_t lmb_pack_clip(const lmb_clip *source, const frames *f, const packing *packings, uint32_t *scratch,
                       uint32_t *words);

#endif
