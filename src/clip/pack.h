// The storage of tracks in a packed clip, and its block. The layout is in shaders/ops/sampling.h.
#ifndef LIMBER_SRC_CLIP_PACK_H
#define LIMBER_SRC_CLIP_PACK_H

#include "clip.h"
#include "layout.h"

#include <limber/rig.h>

// How a property of a joint is stored.
typedef struct packing {
    uint32_t kind;     // ENTRY_...
    uint32_t bits;     // per component, if packed
    float constant[4]; // if constant
} packing;

// The key times that all packed tracks share, and the source's value at each.
typedef struct frames {
    const lmb_rig *rig;
    const lmb_transform *source; // [joint][sample]
    uint32_t samples;
    uint32_t count;
    const uint32_t *of_sample; // ascending
    const float *times;        // [sample]
} frames;

// Words of a packed track outside of a block: its head, then its frames. Each frame starts at a word of its own.
#define PACKED_TRACK_HEAD 8u
#define PACKED_TRACK_FRAME 3u

static inline float *lmb_property_of(lmb_transform *t, uint32_t property) {
    return property == PROPERTY_TRANSLATION ? t->translation : property == PROPERTY_ROTATION ? t->rotation : t->scale;
}

static inline const float *lmb_property_in(const lmb_transform *t, uint32_t property) {
    return property == PROPERTY_TRANSLATION ? t->translation : property == PROPERTY_ROTATION ? t->rotation : t->scale;
}

// What a packed clip keeps of the float tracks of a plain clip.
typedef struct lmb_kept_floats {
    uint64_t size; // words: the table, then times and values
    uint32_t longest;
    uint32_t cubic;
} lmb_kept_floats;

// Writes the float tracks at offset `at` of a zeroed block. Only measures them if `words` is NULL.
lmb_kept_floats lmb_keep_floats(const lmb_clip *source, const lmb_rig *rig, uint32_t *words, uint32_t at);

// Quantises the keys of a property into `words`, which has PACKED_TRACK_HEAD + PACKED_TRACK_FRAME * count words.
// Returns how the keys are stored in them.
packed_place lmb_clip_pack_track(const frames *f, uint32_t property, uint32_t joint, uint32_t bits, uint32_t *words);

// Writes the block for the packings [property][joint] into `words`, and returns its size in words. Writes nothing if
// `words` is NULL or the block would not be smaller than the source. Returns 0 if an offset is too large for its field.
// `scratch` is memory for one packed track.
uint64_t lmb_clip_pack_write(const lmb_clip *source, const frames *f, const packing *packings, uint32_t *scratch,
                             uint32_t *words);

#endif
