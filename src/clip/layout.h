// Values in a clip's block that the builder writes and the checker expects.
#ifndef LIMBER_SRC_CLIP_LAYOUT_H
#define LIMBER_SRC_CLIP_LAYOUT_H

#include "math/value.h"

#include "../../shaders/ops/sampling.h"

#include <limber/clip.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "clip blocks are little-endian words, read in place"
#endif

static inline uint32_t lmb_property_width(lmb_property property) {
    return property == LMB_PROPERTY_FLOAT ? 1 : property == LMB_PROPERTY_ROTATION ? 4 : 3;
}

// Before the track table: the key time of constant tracks, and its interval rate.
#define CONSTANT_TIME_WORDS 2u

// Returns the next offset from which a GPU loads four words at once.
static inline uint64_t lmb_align_wide(uint64_t at) {
    return (at + WIDE_LOAD - 1) / WIDE_LOAD * WIDE_LOAD;
}

static inline uint32_t lmb_track_mode(lmb_interpolation interpolation) {
    return interpolation == LMB_INTERPOLATION_STEP     ? MODE_STEP
           : interpolation == LMB_INTERPOLATION_LINEAR ? MODE_LINEAR
                                                       : MODE_CUBIC;
}

// Floats per key.
static inline uint32_t lmb_key_stride(lmb_property property, uint32_t mode) {
    return lmb_property_width(property) * (mode == MODE_CUBIC ? 3 : 1);
}

// Returns 1 / (time from this key to the next), or 0 for the last key.
static inline uint32_t lmb_interval_rate(const uint32_t *times, uint32_t count, uint32_t key) {
    return key + 1 < count ? BITS(1.0f / (REAL(times[key + 1]) - REAL(times[key]))) : 0;
}

// Returns the words of a row of weights, four weights per word: those of the joints, then those of the float channels.
static inline uint32_t lmb_weight_words(const uint32_t *clip) {
    return (clip[FIELD(CLIP, joints)] + clip[FIELD(CLIP, float_count)] + 3) / 4;
}

static inline uint32_t lmb_duration_rate(uint32_t duration) {
    return REAL(duration) > 0.0f ? BITS(1.0f / REAL(duration)) : 0;
}

// Returns the first step of the binary search for a key among `count`: the largest power of two below `count`, or 0.
static inline uint32_t lmb_search_step(uint32_t count) {
    uint32_t step = 0;
    for (uint32_t power = 1; power < count; power <<= 1) {
        step = power;
    }
    return step;
}

// Returns whether neighbouring keys are too far apart for the short slerp.
static inline bool lmb_rotation_is_far(quaternion a, quaternion b) {
    return !(magnitude_of(quaternion_dot(a, b)) >= 0.9f);
}

static inline bool lmb_rotations_are_far(const uint32_t *values, uint32_t count) {
    for (uint32_t key = 1; key < count; key++) {
        if (lmb_rotation_is_far(load_quaternion(values, 4 * (key - 1)), load_quaternion(values, 4 * key))) {
            return true;
        }
    }
    return false;
}

#endif
