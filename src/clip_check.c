// Checks a clip block from outside, so that sampling it needs no check of its own.
#include "clip.h"

#include "clip_layout.h"

static lmb_result fail_word(lmb_error *error, uint64_t index, const char *what) {
    return lmb_fail(error, LMB_ERROR_FORMAT, "clip block: word %llu: %s", (unsigned long long)index, what);
}

static bool range_fits(uint64_t offset, uint64_t count, uint64_t size) {
    return offset <= size && count <= size - offset;
}

static lmb_result check_header(const uint32_t *words, uint64_t size, lmb_error *error) {
    if (words[CLIP_MAGIC] != CLIP_MAGIC_VALUE) {
        return fail_word(error, CLIP_MAGIC, "this is not a clip block");
    }
    if (words[CLIP_VERSION] != CLIP_VERSION_VALUE) {
        return fail_word(error, CLIP_VERSION, "a version that this library does not read");
    }
    if (words[CLIP_SIZE] != size) {
        return fail_word(error, CLIP_SIZE, "the size is not that of the block");
    }
    if (words[CLIP_JOINTS] == 0 || words[CLIP_JOINTS] > LMB_MAX_JOINTS) {
        return fail_word(error, CLIP_JOINTS, "the joint count is out of range");
    }
    float duration = REAL(words[CLIP_DURATION]);
    if (!(duration >= 0.0f && duration <= LMB_LARGEST) || BITS(snap(duration)) != words[CLIP_DURATION]) {
        return fail_word(error, CLIP_DURATION, "the duration is not a number from 0 to 2^40");
    }
    if (words[CLIP_RATE] != lmb_duration_rate(words[CLIP_DURATION])) {
        return fail_word(error, CLIP_RATE, "it is not the reciprocal of the duration");
    }
    if (!range_fits(words[CLIP_TRACKS], (uint64_t)CHANNELS * TRACK_FIELDS * words[CLIP_JOINTS], size)) {
        return fail_word(error, CLIP_TRACKS, "the track table leaves the block");
    }
    if (words[CLIP_AUTHORED] > CHANNELS * words[CLIP_JOINTS]) {
        return fail_word(error, CLIP_AUTHORED, "more tracks than channels");
    }
    if (words[CLIP_NAME_WORDS] == 0 || !range_fits(words[CLIP_NAME], words[CLIP_NAME_WORDS], size) ||
        words[words[CLIP_NAME] + words[CLIP_NAME_WORDS] - 1] >> 24 != 0) {
        return fail_word(error, CLIP_NAME, "the name leaves the block or does not end");
    }
    for (uint32_t i = CLIP_FAR + 1; i < CLIP_HEADER_WORDS; i++) {
        if (words[i] != 0) {
            return fail_word(error, i, "reserved, and not 0");
        }
    }
    return LMB_OK;
}

static lmb_result check_times(const uint32_t *words, uint32_t times, uint32_t keys, lmb_error *error) {
    float duration = REAL(words[CLIP_DURATION]);
    for (uint32_t key = 0; key < keys; key++) {
        float time = REAL(words[times + key]);
        if (!(time >= 0.0f && time <= duration) || BITS(snap(time)) != words[times + key]) {
            return fail_word(error, (uint64_t)times + key, "a key's time is not between 0 and the duration");
        }
        if (key > 0 && !(REAL(words[times + key - 1]) < time)) {
            return fail_word(error, (uint64_t)times + key, "a key's time is not after that of the key before");
        }
    }
    for (uint32_t key = 0; key < keys; key++) {
        if (words[times + keys + key] != lmb_interval_rate(words + times, keys, key)) {
            return fail_word(error, (uint64_t)times + keys + key, "it is not the reciprocal of its interval");
        }
    }
    return LMB_OK;
}

static lmb_result check_values(const uint32_t *words, uint32_t values, uint32_t keys, lmb_channel channel,
                               uint32_t mode, lmb_error *error) {
    uint32_t stride = lmb_key_stride(channel, mode);
    for (uint32_t key = 0; key < keys; key++) {
        uint32_t at = values + key * stride;
        float square = 0.0f;
        for (uint32_t i = 0; i < stride; i++) {
            float value = REAL(words[at + i]);
            if (BITS(snap(value)) != words[at + i]) {
                return fail_word(error, (uint64_t)at + i, "a value is not 0 or a number from 2^-40 to 2^40");
            }
            square += value * value;
        }
        bool unit = channel == LMB_CHANNEL_ROTATION && mode != MODE_CUBIC;
        // As near as the builder's rounding leaves it, since sampling relies on it.
        if (unit && !(square > 0.999999f && square < 1.000001f)) {
            return fail_word(error, at, "a rotation is not a unit quaternion");
        }
    }
    return LMB_OK;
}

// What the tracks together come to, for the words of the header that summarise them.
typedef struct summary {
    uint64_t used; // words of values: tracks never share them, so all together fit, which bounds the work done here
    uint64_t keys;
    uint32_t longest;
    uint32_t cubic;
    uint32_t far;
} summary;

static lmb_result check_track(const uint32_t *words, uint64_t size, lmb_channel channel, uint32_t joint, summary *all,
                              lmb_error *error) {
    uint32_t joints = words[CLIP_JOINTS];
    uint32_t track = words[CLIP_TRACKS] + (uint32_t)channel * TRACK_FIELDS * joints + joint;
    uint32_t mode = words[track + TRACK_MODE * joints];
    uint32_t keys = words[track + TRACK_KEYS * joints];
    uint32_t times = words[track + TRACK_TIMES * joints];
    uint32_t values = words[track + TRACK_VALUES * joints];
    if (mode > MODE_CUBIC) {
        return fail_word(error, track, "unknown interpolation");
    }
    if (keys == 0 || keys > size) {
        return fail_word(error, (uint64_t)track + TRACK_KEYS * joints, "the key count is out of range");
    }
    if (!range_fits(times, 2 * (uint64_t)keys, size)) {
        return fail_word(error, (uint64_t)track + TRACK_TIMES * joints, "the key times leave the block");
    }
    uint64_t used = (uint64_t)keys * lmb_key_stride(channel, mode);
    all->used += used;
    if (!range_fits(values, used, size) || all->used > size) {
        return fail_word(error, (uint64_t)track + TRACK_VALUES * joints, "the keys' values leave the block");
    }
    lmb_result result = check_times(words, times, keys, error);
    if (result == LMB_OK) {
        result = check_values(words, values, keys, channel, mode, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    all->keys += keys;
    all->longest = keys > all->longest ? keys : all->longest;
    all->cubic |= mode == MODE_CUBIC;
    if (channel == LMB_CHANNEL_ROTATION && mode == MODE_LINEAR) {
        all->far |= lmb_rotations_are_far(words + values, keys);
    }
    return LMB_OK;
}

lmb_result lmb_clip_check(const uint32_t *words, size_t size, lmb_error *error) {
    lmb_result result = check_header(words, size, error);
    summary all = {.longest = 1};
    for (int channel = 0; channel < (int)CHANNELS && result == LMB_OK; channel++) {
        for (uint32_t joint = 0; joint < words[CLIP_JOINTS] && result == LMB_OK; joint++) {
            result = check_track(words, size, (lmb_channel)channel, joint, &all, error);
        }
    }
    if (result != LMB_OK) {
        return result;
    }
    if (words[CLIP_AUTHORED_KEYS] > all.keys) {
        return fail_word(error, CLIP_AUTHORED_KEYS, "more keys than the tracks have");
    }
    if (words[CLIP_SEARCH] != lmb_search_step(all.longest)) {
        return fail_word(error, CLIP_SEARCH, "it does not fit the longest track");
    }
    if (words[CLIP_CUBIC] != all.cubic) {
        return fail_word(error, CLIP_CUBIC, "it does not fit the tracks");
    }
    if (words[CLIP_FAR] != all.far) {
        return fail_word(error, CLIP_FAR, "it does not fit the tracks");
    }
    return LMB_OK;
}
