// The tracks and joint weights that a plain clip was given, as its descriptor had them.
#ifndef LIMBER_SRC_CLIP_GIVEN_H
#define LIMBER_SRC_CLIP_GIVEN_H

#include "layout.h"

// Returns the track of a property of a joint, or of a float channel; without keys if the clip was given none.
static inline lmb_track_def lmb_given_track(const uint32_t *words, lmb_property property, uint32_t joint) {
    static const lmb_interpolation interpolations[] = {[MODE_STEP] = LMB_INTERPOLATION_STEP,
                                                       [MODE_LINEAR] = LMB_INTERPOLATION_LINEAR,
                                                       [MODE_CUBIC] = LMB_INTERPOLATION_CUBIC_SPLINE};
    const bool is_float = property == LMB_PROPERTY_FLOAT;
    const track found = is_float ? load_kept_track(words, 0, words[FIELD(CLIP, floats)] + joint * WORDS_OF(TRACK))
                                 : load_track(words, 0, (uint32_t)property, joint);
    // Properties that are left to the rest pose share a key before the track table.
    const uint32_t left_to_rest = words[FIELD(CLIP, tracks)] - CONSTANT_TIME_WORDS;
    const bool rests = found.mode == MODE_REST ||
                       (!is_float && found.mode == MODE_STEP && found.keys == 1 && found.times == left_to_rest);
    const float *floats = (const float *)(const void *)words;
    return rests ? (lmb_track_def){.joint = joint, .property = property}
                 : (lmb_track_def){.joint = joint,
                                   .property = property,
                                   .interpolation = interpolations[found.mode],
                                   .key_count = found.keys,
                                   .times = floats + found.times,
                                   .values = floats + found.values};
}

// Returns the joint weights, which it writes to `weights`, or NULL if all are 255.
static inline const uint8_t *lmb_given_weights(const uint32_t *words, uint8_t *weights) {
    const uint32_t at = words[FIELD(CLIP, weights)];
    for (uint32_t i = 0; at != 0 && i < words[FIELD(CLIP, joints)] + words[FIELD(CLIP, float_count)]; i++) {
        weights[i] = (uint8_t)(words[at + i / 4] >> 8 * (i % 4));
    }
    return at != 0 ? weights : NULL;
}

#endif
