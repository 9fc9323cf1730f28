// Checks a clip block from outside, so that sampling does not need to check it again.
#include "clip.h"

#include "layout.h"

// Checks return false if they fail, and store the error, which is not NULL.
static bool refuse_word(lmb_error *error, uint64_t index, const char *what) {
    return lmb_refuse(error, LMB_ERROR_FORMAT, "clip block: word %llu: %s", (unsigned long long)index, what);
}

static bool require(lmb_error *error, bool condition, uint64_t index, const char *what) {
    return condition || refuse_word(error, index, what);
}

static bool range_fits(uint64_t offset, uint64_t count, uint64_t size) {
    return offset <= size && count <= size - offset;
}

// The same for offsets from the start of the block. A graph writes into the header of its copy (CLIP.common_times), so
// nothing else may be there.
static bool body_fits(uint64_t offset, uint64_t count, uint64_t size) {
    return offset >= WORDS_OF(CLIP) && range_fits(offset, count, size);
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

static bool is_number(uint32_t bits) {
    return BITS(snap(REAL(bits))) == bits;
}

static bool check_header(const uint32_t *words, uint64_t size, lmb_error *error) {
    const uint32_t floats = words[FIELD(CLIP, float_count)], joints = words[FIELD(CLIP, joints)];
    const float duration = REAL(words[FIELD(CLIP, duration)]);
    const uint64_t table = (uint64_t)PROPERTIES * WORDS_OF(TRACK) * joints;
    return require(error, words[FIELD(CLIP, magic)] == CLIP_MAGIC_VALUE, FIELD(CLIP, magic),
                   "this is not a clip block") &&
           require(error, words[FIELD(CLIP, version)] == CLIP_VERSION_VALUE, FIELD(CLIP, version),
                   "a version that this library does not read") &&
           require(error, words[FIELD(CLIP, size)] == size, FIELD(CLIP, size), "the size is not that of the block") &&
           require(error, joints <= LMB_MAX_JOINTS && (joints != 0 || floats != 0), FIELD(CLIP, joints),
                   "the joint count is out of range") &&
           require(error, floats <= LMB_MAX_CHANNELS, FIELD(CLIP, float_count),
                   "the count of float channels is out of range") &&
           require(error,
                   floats == 0 ? words[FIELD(CLIP, floats)] == 0
                               : table_fits(words[FIELD(CLIP, floats)], WORDS_OF(TRACK) * (uint64_t)floats, size),
                   FIELD(CLIP, floats), "the track table of the float channels leaves the block or is not aligned") &&
           require(error, duration >= 0.0f && duration <= LMB_LARGEST && is_number(words[FIELD(CLIP, duration)]),
                   FIELD(CLIP, duration), "the duration is not a number from 0 to 2^40") &&
           require(error, words[FIELD(CLIP, rate)] == lmb_duration_rate(words[FIELD(CLIP, duration)]),
                   FIELD(CLIP, rate), "it is not the reciprocal of the duration") &&
           require(error,
                   words[FIELD(CLIP, packed)] != 0 ? words[FIELD(CLIP, tracks)] == 0
                                                   : table_fits(words[FIELD(CLIP, tracks)], table, size),
                   FIELD(CLIP, tracks), "the track table leaves the block or is not aligned") &&
           require(error, words[FIELD(CLIP, authored)] <= PROPERTIES * joints + floats, FIELD(CLIP, authored),
                   "more tracks than properties") &&
           require(error,
                   body_fits(words[FIELD(CLIP, name)], words[FIELD(CLIP, name_words)], size) &&
                       name_ends(words + words[FIELD(CLIP, name)], words[FIELD(CLIP, name_words)]),
                   FIELD(CLIP, name), "the name leaves the block or does not end") &&
           require(error,
                   words[FIELD(CLIP, weights)] == 0 ||
                       body_fits(words[FIELD(CLIP, weights)], lmb_weight_words(words), size),
                   FIELD(CLIP, weights), "the joints' weights leave the block") &&
           require(error, words[FIELD(CLIP, common_times)] == 0, FIELD(CLIP, common_times), "reserved, and not 0") &&
           require(error, words[FIELD(CLIP, additive)] <= 1, FIELD(CLIP, additive), "it is neither 0 nor 1");
}

static bool check_times(const uint32_t *words, uint32_t times, uint32_t keys, lmb_error *error) {
    const float duration = REAL(words[FIELD(CLIP, duration)]);
    bool valid = true;
    for (uint32_t key = 0; key < keys && valid; key++) {
        const uint32_t at = times + key;
        const float time = REAL(words[at]);
        valid = require(error, time >= 0.0f && time <= duration && is_number(words[at]), (uint64_t)times + key,
                        "a key's time is not between 0 and the duration") &&
                require(error, key == 0 || REAL(words[at - 1]) < time, (uint64_t)times + key,
                        "a key's time is not after that of the key before");
    }
    for (uint32_t key = 0; key < keys && valid; key++) {
        valid = require(error, words[times + keys + key] == lmb_interval_rate(words + times, keys, key),
                        (uint64_t)times + keys + key, "it is not the reciprocal of its interval");
    }
    return valid;
}

static bool check_values(const uint32_t *words, uint32_t values, uint32_t keys, lmb_property property, uint32_t mode,
                         lmb_error *error) {
    const uint32_t stride = lmb_key_stride(property, mode);
    const bool unit = property == LMB_PROPERTY_ROTATION && mode != MODE_CUBIC;
    bool valid = true;
    for (uint32_t key = 0; key < keys && valid; key++) {
        const uint32_t at = values + key * stride;
        float square = 0.0f;
        for (uint32_t i = 0; i < stride && valid; i++) {
            const float value = REAL(words[at + i]);
            valid = require(error, is_number(words[at + i]), (uint64_t)at + i,
                            "a value is not 0 or a number from 2^-40 to 2^40");
            square += value * value;
        }
        // Only the builder's rounding error is tolerated, because sampling relies on unit length.
        valid = valid && require(error, !unit || (square > 0.999999f && square < 1.000001f), at,
                                 "a rotation is not a unit quaternion");
    }
    return valid;
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
static bool check_track(const uint32_t *words, uint64_t size, lmb_property property, uint32_t track, summary *all,
                        lmb_error *error) {
    const uint32_t mode = words[track + FIELD(TRACK, mode)], keys = words[track + FIELD(TRACK, keys)];
    const uint32_t times = words[track + FIELD(TRACK, times)], values = words[track + FIELD(TRACK, values)];
    const uint64_t used = (uint64_t)keys * lmb_key_stride(property, mode), at = track;
    all->used += used;
    if (!require(error, mode <= MODE_CUBIC, at, "unknown interpolation") ||
        !require(error, keys > 0 && keys <= size, at + FIELD(TRACK, keys), "the key count is out of range") ||
        !require(error, body_fits(times, 2 * (uint64_t)keys, size), at + FIELD(TRACK, times),
                 "the key times leave the block") ||
        !require(error, body_fits(values, used, size) && all->used <= size, at + FIELD(TRACK, values),
                 "the keys' values leave the block") ||
        !require(error, property != LMB_PROPERTY_ROTATION || values % WIDE_LOAD == 0, at + FIELD(TRACK, values),
                 "the rotations are not aligned") ||
        !check_times(words, times, keys, error) || !check_values(words, values, keys, property, mode, error)) {
        return false;
    }
    all->keys += keys;
    all->longest = keys > all->longest ? keys : all->longest;
    all->cubic |= mode == MODE_CUBIC;
    if (property == LMB_PROPERTY_ROTATION && mode == MODE_LINEAR) {
        all->far |= lmb_rotations_are_far(words + values, keys);
    }
    return true;
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

static bool check_section(section *s, summary *all, lmb_error *error) {
    if (!require(error, body_fits(s->at, WORDS_OF(PACKED), s->size), FIELD(CLIP, packed),
                 "the packed section leaves the block")) {
        return false;
    }
    const uint32_t *header = s->words + s->at, frame_words = header[FIELD(PACKED, frame_words)];
    const uint64_t room = s->size - s->at, at = s->at;
    s->frames = header[FIELD(PACKED, frames)];
    bool valid = require(error, s->frames <= s->size, at + FIELD(PACKED, frames), "the frame count is out of range") &&
                 require(error,
                         frame_words <= room &&
                             range_fits(header[FIELD(PACKED, frame_values)], (uint64_t)s->frames * frame_words, room),
                         at + FIELD(PACKED, frame_values), "the frames leave the block") &&
                 require(error, range_fits(header[FIELD(PACKED, frame_times)], 2 * (uint64_t)s->frames, room),
                         at + FIELD(PACKED, frame_times), "the frames' times leave the block");
    for (uint32_t property = 0; property < PROPERTIES && valid; property++) {
        const uint32_t row = header[FIELD(PACKED, rows) + property];
        valid = require(error, row == 0 || range_fits(row, (s->words[FIELD(CLIP, joints)] + 1) / 2, room),
                        at + FIELD(PACKED, rows) + property, "the row leaves the block");
    }
    all->longest = s->frames > all->longest ? s->frames : all->longest;
    return valid && check_times(s->words, s->at + header[FIELD(PACKED, frame_times)], s->frames, error);
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

static bool check_packed_rotations(const section *s, uint32_t track, summary *all, lmb_error *error) {
    packed_place place = find_packed_place(s->words, 0, track);
    packed_range range = rotation_range(s->words, place, track);
    quaternion before = {0};
    for (uint32_t frame = 0; frame < s->frames; frame++) {
        quaternion q = packed_rotation(s->words, place, range, frame);
        float square = quaternion_dot(q, q);
        if (!(square > 0.999999f && square < 1.000001f)) {
            return refuse_word(error, (uint64_t)place.first + (uint64_t)frame * place.frame_words,
                               "a packed rotation is not a unit quaternion");
        }
        if (frame > 0 && lmb_rotation_is_far(before, q)) {
            all->far = 1;
        }
        before = q;
    }
    return true;
}

static bool check_packed_track(section *s, lmb_property property, uint32_t track, summary *all, lmb_error *error) {
    const bool rotation = property == LMB_PROPERTY_ROTATION;
    if (!require(error, range_fits(track, rotation ? PACKED_ROTATION_WORDS : PACKED_VECTOR_WORDS, s->size), track,
                 "the packed track leaves the block")) {
        return false;
    }
    const uint32_t bits = s->words[track] & 31, left_out = s->words[track] >> 5 & 7, first = s->words[track] >> 8;
    const uint32_t index_bits = left_out == PACKED_INDEX_PER_KEY ? 2 : 0, used = 3 * bits + index_bits;
    const uint32_t most = !rotation ? PACKED_MOST_VECTOR_BITS : PACKED_MOST_ROTATION_BITS - (index_bits != 0 ? 1 : 0);
    const uint64_t frame_bits = 32 * (uint64_t)s->words[s->at + FIELD(PACKED, frame_words)];
    s->bits += used;
    return require(error,
                   s->frames != 0 && bits != 0 && bits <= most && left_out <= (rotation ? PACKED_INDEX_PER_KEY : 0),
                   track, "the packing is not one that there is") &&
           require(error, range_fits(first, used, frame_bits) && s->bits <= frame_bits, track,
                   "the packed keys leave their frame") &&
           (rotation ? check_packed_rotations(s, track, all, error)
                     : require(error, packed_vector_is_usable(s->words, track, bits), track,
                               "the range is not of numbers from 2^-40 to 2^40"));
}

static bool check_entry(section *s, lmb_property property, uint32_t joint, summary *all, lmb_error *error) {
    const uint32_t row = s->words[s->at + FIELD(PACKED, rows) + property];
    const uint32_t entry = row == 0 ? ENTRY_REST : s->words[s->at + row + joint / 2] >> 16 * (joint % 2) & 0xffff;
    const uint32_t at = s->at + (entry >> 2);
    const uint64_t word = (uint64_t)s->at + row + joint / 2;
    switch (entry & 3) {
    case ENTRY_CONSTANT:
        return require(error, range_fits(at, lmb_property_width(property), s->size), word,
                       "the constant leaves the block") &&
               require(error, property != LMB_PROPERTY_ROTATION || at % WIDE_LOAD == 0, word,
                       "the constant is not aligned") &&
               check_values(s->words, at, 1, property, MODE_STEP, error);
    case ENTRY_KEPT:
        return require(error, table_fits(at, WORDS_OF(TRACK), s->size), word,
                       "the track leaves the block or is not aligned") &&
               check_track(s->words, s->size, property, at, all, error);
    case ENTRY_PACKED:
        return check_packed_track(s, property, at, all, error);
    default:
        return require(error, entry == ENTRY_REST, word, "a resting joint has a value");
    }
}

static bool check_float(const uint32_t *words, uint64_t size, uint32_t channel, summary *all, lmb_error *error) {
    const uint32_t track = words[FIELD(CLIP, floats)] + channel * WORDS_OF(TRACK);
    if (words[track] != MODE_REST) {
        return check_track(words, size, LMB_PROPERTY_FLOAT, track, all, error);
    }
    bool valid = true;
    for (uint32_t field = FIELD(TRACK, keys); field < WORDS_OF(TRACK) && valid; field++) {
        valid = require(error, words[track + field] == 0, (uint64_t)track + field, "a resting channel has keys");
    }
    return valid;
}

static bool check_tracks(const uint32_t *words, uint64_t size, summary *all, lmb_error *error) {
    const uint32_t joints = words[FIELD(CLIP, joints)];
    section s = {.words = words, .size = size, .at = words[FIELD(CLIP, packed)]};
    bool valid = s.at == 0 || check_section(&s, all, error);
    for (uint32_t property = 0; property < PROPERTIES; property++) {
        for (uint32_t joint = 0; joint < joints && valid; joint++) {
            const uint32_t track = (uint32_t)kept_track_place(words, 0, property, joint);
            valid = s.at != 0 ? check_entry(&s, (lmb_property)property, joint, all, error)
                              : check_track(words, size, (lmb_property)property, track, all, error);
        }
    }
    for (uint32_t channel = 0; channel < words[FIELD(CLIP, float_count)] && valid; channel++) {
        valid = check_float(words, size, channel, all, error);
    }
    return valid;
}

// Checks the header words that summarise the tracks.
static bool check_summary(const uint32_t *words, const summary *all, lmb_error *error) {
    const bool packed = words[FIELD(CLIP, packed)] != 0;
    // The header of a packed clip holds its source's key count.
    return require(error, packed || words[FIELD(CLIP, authored_keys)] <= all->keys, FIELD(CLIP, authored_keys),
                   "more keys than the tracks have") &&
           require(error, words[FIELD(CLIP, search)] == lmb_search_step(all->longest), FIELD(CLIP, search),
                   "it does not fit the longest track") &&
           require(error, words[FIELD(CLIP, cubic)] == all->cubic, FIELD(CLIP, cubic), "it does not fit the tracks") &&
           // A packed clip may keep its source's flag, so that kept tracks are sampled as they were.
           require(error,
                   packed ? words[FIELD(CLIP, turns_far)] <= 1 && words[FIELD(CLIP, turns_far)] >= all->far
                          : words[FIELD(CLIP, turns_far)] == all->far,
                   FIELD(CLIP, turns_far), "it does not fit the tracks");
}

lmb_result lmb_clip_check(const uint32_t *words, size_t size, lmb_error *error) {
    lmb_error unread;
    summary all = {.longest = 1};
    error = error != NULL ? error : &unread;
    return check_header(words, size, error) && check_tracks(words, size, &all, error) &&
                   check_summary(words, &all, error)
               ? LMB_OK
               : error->result;
}
