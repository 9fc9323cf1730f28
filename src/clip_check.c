// Checks a clip block from outside, so that sampling does not need to check it again.
#include "clip.h"

#include "clip_layout.h"

static lmb_result fail_word(lmb_error *error, uint64_t index, const char *what) {
    return lmb_fail(error, LMB_ERROR_FORMAT, "clip block: word %llu: %s", (unsigned long long)index, what);
}

static bool range_fits(uint64_t offset, uint64_t count, uint64_t size) {
    return offset <= size && count <= size - offset;
}

// The same for offsets from the start of the block. A graph writes into the header of its copy (CLIP_COMMON), so
// nothing else may be there.
static bool body_fits(uint64_t offset, uint64_t count, uint64_t size) {
    return offset >= CLIP_HEADER_WORDS && range_fits(offset, count, size);
}

// Whether a name ends, and only zeros follow its end.
static bool name_ends(const uint32_t *words, uint32_t count) {
    const char *text = (const char *)words;
    const size_t size = (size_t)count * sizeof *words;
    size_t length = 0;
    while (length < size && text[length] != 0) {
        length++;
    }
    for (size_t i = length; i < size; i++) {
        if (text[i] != 0) {
            return false;
        }
    }
    return length < size;
}

// Whether four words at once can be loaded from it, too.
static bool table_fits(uint64_t offset, uint64_t count, uint64_t size) {
    return body_fits(offset, count, size) && offset % WIDE_LOAD == 0;
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
    uint32_t floats = words[CLIP_FLOAT_COUNT];
    if (words[CLIP_JOINTS] > LMB_MAX_JOINTS || (words[CLIP_JOINTS] == 0 && floats == 0)) {
        return fail_word(error, CLIP_JOINTS, "the joint count is out of range");
    }
    if (floats > LMB_MAX_CHANNELS) {
        return fail_word(error, CLIP_FLOAT_COUNT, "the count of float channels is out of range");
    }
    if (floats == 0 ? words[CLIP_FLOATS] != 0
                    : !table_fits(words[CLIP_FLOATS], TRACK_FIELDS * (uint64_t)floats, size)) {
        return fail_word(error, CLIP_FLOATS,
                         "the track table of the float channels leaves the block or is not aligned");
    }
    float duration = REAL(words[CLIP_DURATION]);
    if (!(duration >= 0.0f && duration <= LMB_LARGEST) || BITS(snap(duration)) != words[CLIP_DURATION]) {
        return fail_word(error, CLIP_DURATION, "the duration is not a number from 0 to 2^40");
    }
    if (words[CLIP_RATE] != lmb_duration_rate(words[CLIP_DURATION])) {
        return fail_word(error, CLIP_RATE, "it is not the reciprocal of the duration");
    }
    uint64_t table = (uint64_t)CHANNELS * TRACK_FIELDS * words[CLIP_JOINTS];
    if (words[CLIP_PACKED] != 0 ? words[CLIP_TRACKS] != 0 : !table_fits(words[CLIP_TRACKS], table, size)) {
        return fail_word(error, CLIP_TRACKS, "the track table leaves the block or is not aligned");
    }
    if (words[CLIP_AUTHORED] > CHANNELS * words[CLIP_JOINTS] + floats) {
        return fail_word(error, CLIP_AUTHORED, "more tracks than channels");
    }
    if (!body_fits(words[CLIP_NAME], words[CLIP_NAME_WORDS], size) ||
        !name_ends(words + words[CLIP_NAME], words[CLIP_NAME_WORDS])) {
        return fail_word(error, CLIP_NAME, "the name leaves the block or does not end");
    }
    if (words[CLIP_WEIGHTS] != 0 && !body_fits(words[CLIP_WEIGHTS], lmb_weight_words(words), size)) {
        return fail_word(error, CLIP_WEIGHTS, "the joints' weights leave the block");
    }
    if (words[CLIP_COMMON] != 0) {
        return fail_word(error, CLIP_COMMON, "reserved, and not 0");
    }
    if (words[CLIP_ADDITIVE] > 1) {
        return fail_word(error, CLIP_ADDITIVE, "it is neither 0 nor 1");
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
        // Only the builder's rounding error is tolerated, because sampling relies on unit length.
        if (unit && !(square > 0.999999f && square < 1.000001f)) {
            return fail_word(error, at, "a rotation is not a unit quaternion");
        }
    }
    return LMB_OK;
}

// Totals over all tracks, for the header words that summarise them.
typedef struct summary {
    // Words of values. Tracks never share them, so their sum must fit the block, which bounds the work of the check.
    uint64_t used;
    uint64_t keys;
    uint32_t longest;
    uint32_t cubic;
    uint32_t far;
} summary;

// The fields of the track start at `track`.
static lmb_result check_track(const uint32_t *words, uint64_t size, lmb_channel channel, uint32_t track, summary *all,
                              lmb_error *error) {
    uint32_t mode = words[track + TRACK_MODE];
    uint32_t keys = words[track + TRACK_KEYS];
    uint32_t times = words[track + TRACK_TIMES];
    uint32_t values = words[track + TRACK_VALUES];
    if (mode > MODE_CUBIC) {
        return fail_word(error, track, "unknown interpolation");
    }
    if (keys == 0 || keys > size) {
        return fail_word(error, (uint64_t)track + TRACK_KEYS, "the key count is out of range");
    }
    if (!body_fits(times, 2 * (uint64_t)keys, size)) {
        return fail_word(error, (uint64_t)track + TRACK_TIMES, "the key times leave the block");
    }
    uint64_t used = (uint64_t)keys * lmb_key_stride(channel, mode);
    all->used += used;
    if (!body_fits(values, used, size) || all->used > size) {
        return fail_word(error, (uint64_t)track + TRACK_VALUES, "the keys' values leave the block");
    }
    if (channel == LMB_CHANNEL_ROTATION && values % WIDE_LOAD != 0) {
        return fail_word(error, (uint64_t)track + TRACK_VALUES, "the rotations are not aligned");
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

// A packed section whose header is valid.
typedef struct section {
    const uint32_t *words; // of the clip
    uint64_t size;         // of the clip
    uint32_t at;
    uint32_t frames;
    // Bits per frame that tracks have used so far. They never share bits, which bounds the work of the check.
    uint64_t bits;
} section;

static lmb_result check_section(section *s, summary *all, lmb_error *error) {
    const uint32_t *header = s->words + s->at;
    if (!body_fits(s->at, PACKED_HEADER_WORDS, s->size)) {
        return fail_word(error, CLIP_PACKED, "the packed section leaves the block");
    }
    uint64_t room = s->size - s->at;
    s->frames = header[PACKED_FRAMES];
    if (s->frames > s->size) {
        return fail_word(error, (uint64_t)s->at + PACKED_FRAMES, "the frame count is out of range");
    }
    if (header[PACKED_FRAME_WORDS] > room ||
        !range_fits(header[PACKED_FRAME_VALUES], (uint64_t)s->frames * header[PACKED_FRAME_WORDS], room)) {
        return fail_word(error, (uint64_t)s->at + PACKED_FRAME_VALUES, "the frames leave the block");
    }
    if (!range_fits(header[PACKED_FRAME_TIMES], 2 * (uint64_t)s->frames, room)) {
        return fail_word(error, (uint64_t)s->at + PACKED_FRAME_TIMES, "the frames' times leave the block");
    }
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        uint32_t row = header[PACKED_ROWS + channel];
        if (row != 0 && !range_fits(row, (s->words[CLIP_JOINTS] + 1) / 2, room)) {
            return fail_word(error, (uint64_t)s->at + PACKED_ROWS + channel, "the row leaves the block");
        }
    }
    all->longest = s->frames > all->longest ? s->frames : all->longest;
    return check_times(s->words, s->at + header[PACKED_FRAME_TIMES], s->frames, error);
}

static bool packed_vector_is_usable(const uint32_t *words, uint32_t track, uint32_t bits) {
    for (uint32_t axis = 0; axis < 3; axis++) {
        float start = REAL(words[track + 1 + axis]);
        float step = REAL(words[track + 4 + axis]);
        float end = start + step * (float)((1u << bits) - 1);
        if (BITS(snap(start)) != words[track + 1 + axis] || BITS(snap(step)) != words[track + 4 + axis] ||
            !(magnitude_of(end) <= LMB_LARGEST)) {
            return false;
        }
    }
    return true;
}

static lmb_result check_packed_rotations(const section *s, uint32_t track, summary *all, lmb_error *error) {
    packed_place place = find_packed_place(s->words, 0, track);
    packed_range range = rotation_range(s->words, place, track);
    quaternion before = {0};
    for (uint32_t frame = 0; frame < s->frames; frame++) {
        quaternion q = packed_rotation(s->words, place, range, frame);
        float square = quaternion_dot(q, q);
        if (!(square > 0.999999f && square < 1.000001f)) {
            return fail_word(error, (uint64_t)place.first + (uint64_t)frame * place.frame_words,
                             "a packed rotation is not a unit quaternion");
        }
        if (frame > 0 && lmb_rotation_is_far(before, q)) {
            all->far = 1;
        }
        before = q;
    }
    return LMB_OK;
}

static lmb_result check_packed_track(section *s, lmb_channel channel, uint32_t track, summary *all, lmb_error *error) {
    bool rotation = channel == LMB_CHANNEL_ROTATION;
    if (!range_fits(track, rotation ? PACKED_ROTATION_WORDS : PACKED_VECTOR_WORDS, s->size)) {
        return fail_word(error, track, "the packed track leaves the block");
    }
    uint32_t bits = s->words[track] & 31;
    uint32_t left_out = s->words[track] >> 5 & 7;
    uint32_t first = s->words[track] >> 8;
    uint32_t most =
        !rotation ? PACKED_MOST_VECTOR_BITS : PACKED_MOST_ROTATION_BITS - (left_out == PACKED_INDEX_PER_KEY ? 1 : 0);
    if (s->frames == 0 || bits == 0 || bits > most || left_out > (rotation ? PACKED_INDEX_PER_KEY : 0)) {
        return fail_word(error, track, "the packing is not one that there is");
    }
    uint32_t used = 3 * bits + (left_out == PACKED_INDEX_PER_KEY ? 2 : 0);
    uint64_t frame_bits = 32 * (uint64_t)s->words[s->at + PACKED_FRAME_WORDS];
    s->bits += used;
    if (!range_fits(first, used, frame_bits) || s->bits > frame_bits) {
        return fail_word(error, track, "the packed keys leave their frame");
    }
    if (rotation) {
        return check_packed_rotations(s, track, all, error);
    }
    return packed_vector_is_usable(s->words, track, bits)
               ? LMB_OK
               : fail_word(error, track, "the range is not of numbers from 2^-40 to 2^40");
}

static lmb_result check_entry(section *s, lmb_channel channel, uint32_t joint, summary *all, lmb_error *error) {
    uint32_t row = s->words[s->at + PACKED_ROWS + channel];
    uint32_t entry = row == 0 ? ENTRY_REST : s->words[s->at + row + joint / 2] >> 16 * (joint % 2) & 0xffff;
    uint32_t at = s->at + (entry >> 2);
    switch (entry & 3) {
    case ENTRY_CONSTANT:
        if (!range_fits(at, lmb_channel_width(channel), s->size)) {
            return fail_word(error, (uint64_t)s->at + row + joint / 2, "the constant leaves the block");
        }
        if (channel == LMB_CHANNEL_ROTATION && at % WIDE_LOAD != 0) {
            return fail_word(error, (uint64_t)s->at + row + joint / 2, "the constant is not aligned");
        }
        return check_values(s->words, at, 1, channel, MODE_STEP, error);
    case ENTRY_KEPT:
        if (!table_fits(at, TRACK_FIELDS, s->size)) {
            return fail_word(error, (uint64_t)s->at + row + joint / 2, "the track leaves the block or is not aligned");
        }
        return check_track(s->words, s->size, channel, at, all, error);
    case ENTRY_PACKED:
        return check_packed_track(s, channel, at, all, error);
    default:
        return entry == ENTRY_REST ? LMB_OK
                                   : fail_word(error, (uint64_t)s->at + row + joint / 2, "a resting joint has a value");
    }
}

static lmb_result check_floats(const uint32_t *words, uint64_t size, summary *all, lmb_error *error) {
    uint32_t count = words[CLIP_FLOAT_COUNT];
    lmb_result result = LMB_OK;
    for (uint32_t channel = 0; channel < count && result == LMB_OK; channel++) {
        uint32_t track = words[CLIP_FLOATS] + channel * TRACK_FIELDS;
        if (words[track] != MODE_REST) {
            result = check_track(words, size, LMB_CHANNEL_FLOAT, track, all, error);
            continue;
        }
        for (uint32_t field = TRACK_KEYS; field < TRACK_FIELDS && result == LMB_OK; field++) {
            if (words[track + field] != 0) {
                result = fail_word(error, (uint64_t)track + field, "a resting channel has keys");
            }
        }
    }
    return result;
}

static lmb_result check_tracks(const uint32_t *words, uint64_t size, summary *all, lmb_error *error) {
    uint32_t joints = words[CLIP_JOINTS];
    section s = {.words = words, .size = size, .at = words[CLIP_PACKED]};
    lmb_result result = s.at != 0 ? check_section(&s, all, error) : LMB_OK;
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        for (uint32_t joint = 0; joint < joints && result == LMB_OK; joint++) {
            const uint32_t track = (uint32_t)kept_track_place(words, 0, channel, joint);
            result = s.at != 0 ? check_entry(&s, (lmb_channel)channel, joint, all, error)
                               : check_track(words, size, (lmb_channel)channel, track, all, error);
        }
    }
    return result;
}

lmb_result lmb_clip_check(const uint32_t *words, size_t size, lmb_error *error) {
    lmb_result result = check_header(words, size, error);
    summary all = {.longest = 1};
    if (result == LMB_OK) {
        result = check_tracks(words, size, &all, error);
    }
    if (result == LMB_OK) {
        result = check_floats(words, size, &all, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    bool packed = words[CLIP_PACKED] != 0;
    // The header of a packed clip holds its source's key count.
    if (!packed && words[CLIP_AUTHORED_KEYS] > all.keys) {
        return fail_word(error, CLIP_AUTHORED_KEYS, "more keys than the tracks have");
    }
    if (words[CLIP_SEARCH] != lmb_search_step(all.longest)) {
        return fail_word(error, CLIP_SEARCH, "it does not fit the longest track");
    }
    if (words[CLIP_CUBIC] != all.cubic) {
        return fail_word(error, CLIP_CUBIC, "it does not fit the tracks");
    }
    // A packed clip may keep its source's flag, so that kept tracks are sampled as they were.
    if (packed ? words[CLIP_FAR] > 1 || words[CLIP_FAR] < all.far : words[CLIP_FAR] != all.far) {
        return fail_word(error, CLIP_FAR, "it does not fit the tracks");
    }
    return LMB_OK;
}
