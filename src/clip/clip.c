// Builds a clip's block from a descriptor, and opens blocks. The steps are: check every track, find tracks that share
// their key times (with a hash table), compute the size, then write one allocation from its beginning to its end.
//
// After the header come the name, the track tables, the values of all keys, the key times, and the joint weights. A
// joint's property without a track becomes a track with one key, its rest value, so that sampling needs no special
// case. The key times of such tracks are one pair of words. Behind each row of key times are the reciprocals of its
// intervals, because kernels do not divide.
#include "clip.h"

#include "base/float_environment.h"
#include "layout.h"
#include "rig/rig.h"

#include "../../shaders/ops/number.h"

#include <stdio.h>
#include <string.h>

#define LARGEST_BLOCK (1u << 30) // words

static const char *const property_names[] = {"translation", "rotation", "scale"};

// State of building a clip from its descriptor.
typedef struct builder {
    const lmb_rig *rig;
    const lmb_clip_def *def;
    const lmb_host *host;
    lmb_error *error; // not NULL. Checks return false if they fail, and store it
    float duration;
    uint32_t *track_of; // [property][joint], then [float channel]: index of the descriptor's track + 1, or 0
    uint32_t *times_of; // [track]: the first track with the same times
    uint32_t *table;    // hash table of track indices, + 1
    uint64_t table_size;
} builder;

static const char *name_of(const lmb_clip_def *def) {
    return def->name != NULL ? def->name : "";
}

static bool drives_float(const lmb_track_def *track) {
    return track->property == LMB_PROPERTY_FLOAT;
}

// Returns whether the rig has the joint or float channel that the track drives.
static bool exists(const lmb_rig *rig, const lmb_track_def *track) {
    return track->joint < (drives_float(track) ? rig->def.channel_count : rig->def.joint_count);
}

static bool is_angle(const lmb_rig *rig, const lmb_track_def *track) {
    return drives_float(track) && rig->def.channels[track->joint].angle;
}

// Returns the track's index in builder.track_of.
static size_t slot_of(const lmb_rig *rig, const lmb_track_def *track) {
    return (size_t)track->property * rig->def.joint_count + track->joint;
}

// Unless the condition holds, fails with a message such as "clip 'Walk': track 3 (rotation of joint 'knee'): there are
// no keys". `key` is LMB_NONE if it does not matter.
static bool require(const builder *b, bool condition, uint32_t index, uint32_t key, const char *what) {
    if (condition) {
        return true;
    }
    const lmb_track_def *track = &b->def->tracks[index];
    const char *part = !exists(b->rig, track) ? "?"
                       : drives_float(track)  ? b->rig->def.channels[track->joint].name
                                              : b->rig->def.joints[track->joint].name;
    const char *property = drives_float(track)                      ? "value"
                           : (unsigned)track->property < PROPERTIES ? property_names[track->property]
                                                                    : "?";
    char of_key[sizeof "key 4294967295: "] = "";
    if (key != LMB_NONE) {
        snprintf(of_key, sizeof of_key, "key %u: ", (unsigned)key);
    }
    return lmb_refuse(b->error, LMB_ERROR_ARGUMENT, "clip '%s': track %u (%s of %s '%s'): %s%s", name_of(b->def),
                      (unsigned)index, property, drives_float(track) ? "float channel" : "joint", part, of_key, what);
}

static bool check_times(const builder *b, uint32_t index) {
    const lmb_track_def *track = &b->def->tracks[index];
    bool valid = true;
    for (uint32_t key = 0; key < track->key_count && valid; key++) {
        const float time = track->times[key];
        valid =
            require(b, time >= 0.0f && time <= LMB_LARGEST, index, key, "its time is not a number from 0 to 2^40") &&
            require(b, key == 0 || snap(track->times[key - 1]) < snap(time), index, key,
                    "its time is not after that of the key before");
    }
    return valid;
}

static bool check_values(const builder *b, uint32_t index) {
    const lmb_track_def *track = &b->def->tracks[index];
    const uint32_t width = lmb_property_width(track->property);
    const uint32_t stride = lmb_key_stride(track->property, lmb_track_mode(track->interpolation));
    bool valid = true;
    for (uint32_t key = 0; key < track->key_count && valid; key++) {
        const float *values = track->values + (size_t)key * stride;
        size_t offender;
        float unit[4];
        valid = require(b, lmb_usable(values, stride, &offender), index, key,
                        "a value is not a finite number up to 2^40") &&
                require(b, width != 4 || lmb_normalize_rotation(values + (stride > width ? width : 0), unit), index,
                        key, "the rotation is zero");
    }
    return valid;
}

static bool check_track(const builder *b, uint32_t index) {
    const lmb_track_def *track = &b->def->tracks[index];
    return require(b, exists(b->rig, track), index, LMB_NONE,
                   drives_float(track) ? "there is no such float channel in the rig"
                                       : "there is no such joint in the rig") &&
           require(b, (unsigned)track->property <= (unsigned)LMB_PROPERTY_FLOAT, index, LMB_NONE, "unknown property") &&
           require(b, (unsigned)track->interpolation <= (unsigned)LMB_INTERPOLATION_CUBIC_SPLINE, index, LMB_NONE,
                   "unknown interpolation") &&
           require(b, track->key_count > 0 && track->times != NULL && track->values != NULL, index, LMB_NONE,
                   "there are no keys");
}

static bool refuse_size(const builder *b, uint64_t words) {
    return lmb_refuse(b->error, LMB_ERROR_LIMIT,
                      "clip '%s': its block would take %llu words, and at most 2^30 are possible", name_of(b->def),
                      (unsigned long long)words);
}

// Returns the words of a track's values.
static uint64_t count_values(const lmb_track_def *track) {
    return (uint64_t)track->key_count * lmb_key_stride(track->property, lmb_track_mode(track->interpolation));
}

// Checks what the tracks are, and how long, before anything reads their keys.
static bool check_tracks(const builder *b) {
    uint64_t words = 0;
    for (uint32_t i = 0; i < b->def->track_count; i++) {
        if (!check_track(b, i)) {
            return false;
        }
        words += count_values(&b->def->tracks[i]);
    }
    return words <= LARGEST_BLOCK || refuse_size(b, words);
}

// Checks all tracks, records which joint and property each drives, and finds the duration.
static bool survey(builder *b) {
    if (!check_tracks(b)) {
        return false;
    }
    for (uint32_t i = 0; i < b->def->track_count; i++) {
        const lmb_track_def *track = &b->def->tracks[i];
        if (!check_times(b, i) || !check_values(b, i)) {
            return false;
        }
        uint32_t *slot = &b->track_of[slot_of(b->rig, track)];
        if (!require(b, *slot == 0, i, LMB_NONE, "the property has a track already")) {
            return false;
        }
        *slot = i + 1;
        const float last = snap(track->times[track->key_count - 1]);
        b->duration = last > b->duration ? last : b->duration;
    }
    const float desired = b->def->duration;
    if (desired != 0.0f && !(desired >= b->duration && desired <= LMB_LARGEST)) {
        return lmb_refuse(b->error, LMB_ERROR_ARGUMENT,
                          "clip '%s': duration %g is not a number from the last key's time, %g, to 2^40",
                          name_of(b->def), (double)desired, (double)b->duration);
    }
    b->duration = desired != 0.0f ? snap(desired) : b->duration;
    return true;
}

static bool same_times(const lmb_track_def *a, const lmb_track_def *b) {
    return a->key_count == b->key_count &&
           (a->times == b->times || memcmp(a->times, b->times, a->key_count * sizeof *a->times) == 0);
}

static uint64_t hash_times(const lmb_track_def *track) {
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (uint32_t key = 0; key < track->key_count; key++) {
        hash = (hash ^ BITS(track->times[key])) * 1099511628211u;
    }
    return hash ^ (hash >> 32);
}

// Finds for each track the first track with the same key times, because tracks usually share them.
static void share_times(builder *b) {
    for (uint32_t i = 0; i < b->def->track_count; i++) {
        uint64_t slot = hash_times(&b->def->tracks[i]) % b->table_size;
        while (b->table[slot] != 0 && !same_times(&b->def->tracks[b->table[slot] - 1], &b->def->tracks[i])) {
            slot = (slot + 1) % b->table_size;
        }
        if (b->table[slot] == 0) {
            b->table[slot] = i + 1;
        }
        b->times_of[i] = b->table[slot] - 1;
    }
}

static uint64_t count_words(const builder *b, uint64_t name_words) {
    uint64_t joints = b->rig->def.joint_count, floats = b->rig->def.channel_count;
    uint64_t words =
        WORDS_OF(CLIP) + name_words + CONSTANT_TIME_WORDS + WORDS_OF(TRACK) * (PROPERTIES * joints + floats);
    for (uint32_t property = 0; property < PROPERTIES; property++) {
        for (uint32_t joint = 0; joint < joints; joint++) {
            bool given = b->track_of[(size_t)property * joints + joint] != 0;
            words += given ? 0 : lmb_property_width((lmb_property)property);
        }
    }
    for (uint32_t channel = 0; channel < floats && b->def->additive; channel++) {
        words += b->track_of[PROPERTIES * joints + channel] != 0 ? 0 : 1;
    }
    for (uint32_t i = 0; i < b->def->track_count; i++) {
        const lmb_track_def *track = &b->def->tracks[i];
        words += count_values(track);
        words += b->times_of[i] == i ? 2 * (uint64_t)track->key_count : 0;
    }
    words += b->def->joint_weights != NULL ? (joints + floats + 3) / 4 : 0;
    return words;
}

static uint32_t write_times(uint32_t *words, uint32_t at, const lmb_track_def *track) {
    uint32_t count = track->key_count;
    for (uint32_t key = 0; key < count; key++) {
        words[at + key] = BITS(snap(track->times[key]));
    }
    for (uint32_t key = 0; key < count; key++) {
        words[at + count + key] = lmb_interval_rate(words + at, count, key);
    }
    return at + 2 * count;
}

static uint32_t write_values(uint32_t *words, uint32_t at, const lmb_track_def *track, bool angle) {
    uint32_t mode = lmb_track_mode(track->interpolation);
    uint32_t stride = lmb_key_stride(track->property, mode);
    for (uint32_t key = 0; key < track->key_count; key++, at += stride) {
        const float *values = track->values + (size_t)key * stride;
        float unit[4];
        if (track->property == LMB_PROPERTY_ROTATION && mode != MODE_CUBIC) {
            lmb_normalize_rotation(values, unit);
            values = unit;
        }
        for (uint32_t i = 0; i < stride; i++) {
            float value = snap(values[i]);
            bool is_value = mode != MODE_CUBIC || i == 1; // the others are tangents
            words[at + i] = BITS(angle && is_value ? wrap_degrees(value) : value);
        }
    }
    return at;
}

static uint32_t write_rest(const builder *b, uint32_t *words, uint32_t at, uint32_t joint, lmb_property property) {
    static const lmb_transform no_change = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    const lmb_transform *rest = b->def->additive ? &no_change : &b->rig->def.joints[joint].rest;
    const float *values = property == LMB_PROPERTY_TRANSLATION ? rest->translation
                          : property == LMB_PROPERTY_ROTATION  ? rest->rotation
                                                               : rest->scale;
    uint32_t width = lmb_property_width(property);
    memcpy(words + at, values, width * sizeof *values);
    return at + width;
}

static void write_header(const builder *b, uint32_t *words, uint32_t size, uint32_t name_words) {
    words[FIELD(CLIP, magic)] = CLIP_MAGIC_VALUE;
    words[FIELD(CLIP, version)] = CLIP_VERSION_VALUE;
    words[FIELD(CLIP, size)] = size;
    words[FIELD(CLIP, joints)] = b->rig->def.joint_count;
    words[FIELD(CLIP, float_count)] = b->rig->def.channel_count;
    words[FIELD(CLIP, duration)] = BITS(b->duration);
    words[FIELD(CLIP, rate)] = lmb_duration_rate(words[FIELD(CLIP, duration)]);
    words[FIELD(CLIP, tracks)] = WORDS_OF(CLIP) + name_words + CONSTANT_TIME_WORDS;
    words[FIELD(CLIP, authored)] = b->def->track_count;
    words[FIELD(CLIP, additive)] = b->def->additive;
    words[FIELD(CLIP, floats)] =
        words[FIELD(CLIP, float_count)] > 0
            ? words[FIELD(CLIP, tracks)] + PROPERTIES * WORDS_OF(TRACK) * words[FIELD(CLIP, joints)]
            : 0;
    words[FIELD(CLIP, name)] = WORDS_OF(CLIP);
    words[FIELD(CLIP, name_words)] = name_words;
    uint32_t longest = 1;
    for (uint32_t i = 0; i < b->def->track_count; i++) {
        const lmb_track_def *track = &b->def->tracks[i];
        longest = track->key_count > longest ? track->key_count : longest;
        words[FIELD(CLIP, authored_keys)] += track->key_count;
        words[FIELD(CLIP, cubic)] |= track->interpolation == LMB_INTERPOLATION_CUBIC_SPLINE;
    }
    words[FIELD(CLIP, search)] = lmb_search_step(longest);
    if (b->def->joint_weights != NULL) {
        words[FIELD(CLIP, weights)] = size - lmb_weight_words(words);
        memcpy(words + words[FIELD(CLIP, weights)], b->def->joint_weights,
               b->rig->def.joint_count + b->rig->def.channel_count);
    }
    memcpy(words + WORDS_OF(CLIP), name_of(b->def), strlen(name_of(b->def)));
}

// Returns the fields of a joint's track, or of a float channel's.
static uint32_t *fields_of(uint32_t *words, lmb_property property, uint32_t joint) {
    return property == LMB_PROPERTY_FLOAT ? words + words[FIELD(CLIP, floats)] + joint * WORDS_OF(TRACK)
                                          : words + kept_track_place(words, 0, property, joint);
}

static uint32_t write_track(const builder *b, uint32_t *words, uint32_t at, const lmb_track_def *track) {
    uint32_t *fields = fields_of(words, track->property, track->joint);
    fields[FIELD(TRACK, mode)] = lmb_track_mode(track->interpolation);
    fields[FIELD(TRACK, keys)] = track->key_count;
    fields[FIELD(TRACK, values)] = at;
    uint32_t end = write_values(words, at, track, is_angle(b->rig, track));
    if (track->property == LMB_PROPERTY_ROTATION && track->interpolation == LMB_INTERPOLATION_LINEAR) {
        words[FIELD(CLIP, turns_far)] |= lmb_rotations_are_far(words + at, track->key_count);
    }
    return end;
}

// Writes the fields of a track with one value, which is at offset `at`.
static void write_constant(uint32_t *fields, uint32_t constant_time, uint32_t at) {
    fields[FIELD(TRACK, mode)] = MODE_STEP;
    fields[FIELD(TRACK, keys)] = 1;
    fields[FIELD(TRACK, times)] = constant_time;
    fields[FIELD(TRACK, values)] = at;
}

// Writes the tracks of the float channels. Returns the offset after them.
static uint32_t write_floats(const builder *b, uint32_t *words, uint32_t at, uint32_t constant_time) {
    uint32_t floats = b->rig->def.channel_count;
    for (uint32_t channel = 0; channel < floats; channel++) {
        uint32_t given = b->track_of[(size_t)PROPERTIES * b->rig->def.joint_count + channel];
        uint32_t *fields = fields_of(words, LMB_PROPERTY_FLOAT, channel);
        fields[FIELD(TRACK, mode)] = MODE_REST;
        if (given != 0) {
            at = write_track(b, words, at, &b->def->tracks[given - 1]);
        } else if (b->def->additive) {
            write_constant(fields, constant_time, at);
            words[at++] = 0;
        }
    }
    return at;
}

static void write_tracks(const builder *b, uint32_t *words) {
    uint32_t joints = b->rig->def.joint_count;
    uint32_t constant_time = words[FIELD(CLIP, tracks)] - CONSTANT_TIME_WORDS;
    uint32_t at = words[FIELD(CLIP, tracks)] + WORDS_OF(TRACK) * (PROPERTIES * joints + b->rig->def.channel_count);
    // Rotations are first, so that all of them are aligned.
    static const lmb_property order[] = {LMB_PROPERTY_ROTATION, LMB_PROPERTY_TRANSLATION, LMB_PROPERTY_SCALE};
    for (uint32_t i = 0; i < PROPERTIES; i++) {
        for (uint32_t joint = 0; joint < joints; joint++) {
            uint32_t given = b->track_of[(size_t)order[i] * joints + joint];
            if (given == 0) {
                write_constant(fields_of(words, order[i], joint), constant_time, at);
                at = write_rest(b, words, at, joint, order[i]);
                continue;
            }
            at = write_track(b, words, at, &b->def->tracks[given - 1]);
        }
    }
    at = write_floats(b, words, at, constant_time);
    // Times are written after values, so tracks that share times can come in any order.
    for (uint32_t i = 0; i < b->def->track_count; i++) {
        if (b->times_of[i] == i) {
            // The hash table is no longer needed: `table` now holds the offset of each shared row of times.
            b->table[i] = at;
            at = write_times(words, at, &b->def->tracks[i]);
        }
        const lmb_track_def *def = &b->def->tracks[i];
        fields_of(words, def->property, def->joint)[FIELD(TRACK, times)] = b->table[b->times_of[i]];
    }
}

static LMB_NOINLINE bool build(builder *b, lmb_clip **created) {
    if (!survey(b)) {
        return false;
    }
    share_times(b);
    // Padded, so that the track tables are aligned.
    uint64_t name_words = strlen(name_of(b->def)) / 4 + 1;
    name_words = lmb_align_wide(name_words + CONSTANT_TIME_WORDS) - CONSTANT_TIME_WORDS;
    uint64_t size = count_words(b, name_words);
    if (size > LARGEST_BLOCK) {
        return refuse_size(b, size);
    }
    lmb_clip *clip = lmb_host_allocate(b->host, 1, sizeof *clip);
    uint32_t *words = lmb_host_allocate(b->host, size, sizeof *words);
    if (clip == NULL || words == NULL) {
        lmb_host_release(b->host, clip);
        lmb_host_release(b->host, words);
        return lmb_refuse(b->error, LMB_ERROR_MEMORY, "clip '%s': no memory for %llu words", name_of(b->def),
                          (unsigned long long)size);
    }
    write_header(b, words, (uint32_t)size, (uint32_t)name_words);
    write_tracks(b, words);
    *clip = (lmb_clip){.host = *b->host, .info = lmb_clip_read_info(words), .size = (uint32_t)size, .words = words};
    *created = clip;
    return true;
}

lmb_clip_def lmb_default_clip_def(void) {
    return (lmb_clip_def){0};
}

lmb_track_def lmb_default_track_def(void) {
    return (lmb_track_def){.joint = LMB_NONE, .interpolation = LMB_INTERPOLATION_LINEAR};
}

lmb_result lmb_clip_create(const lmb_rig *rig, const lmb_clip_def *def, const lmb_host *host, lmb_clip **clip,
                           lmb_error *error) {
    if (clip != NULL) {
        *clip = NULL;
    }
    if (rig == NULL || def == NULL || clip == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "clip: %s is NULL",
                        rig == NULL   ? "the rig"
                        : def == NULL ? "the descriptor"
                                      : "the result");
    }
    size_t slots = (size_t)PROPERTIES * rig->def.joint_count + rig->def.channel_count;
    if (def->track_count > slots || (def->track_count > 0 && def->tracks == NULL)) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT,
                        "clip '%s': %u tracks, and %u joints have at most 3 each, %u float channels one each",
                        name_of(def), (unsigned)def->track_count, (unsigned)rig->def.joint_count,
                        (unsigned)rig->def.channel_count);
    }
    lmb_host resolved = lmb_host_resolve(host);
    lmb_error unread;
    builder b = {.rig = rig, .def = def, .host = &resolved, .error = error != NULL ? error : &unread};
    b.table_size = 2 * (uint64_t)def->track_count + 1;
    lmb_arena memory = {.host = &resolved};
    b.track_of = lmb_arena_allocate(&memory, slots, sizeof *b.track_of);
    b.times_of = lmb_arena_allocate(&memory, def->track_count, sizeof *b.times_of);
    b.table = lmb_arena_allocate(&memory, b.table_size, sizeof *b.table);
    bool built;
    if (memory.failed) {
        built = lmb_refuse(b.error, LMB_ERROR_MEMORY, "clip '%s': no memory for %u tracks", name_of(def),
                           (unsigned)def->track_count);
    } else {
        lmb_environment callers;
        lmb_environment_enter(&callers);
        built = build(&b, clip);
        lmb_environment_leave(&callers);
    }
    lmb_arena_release(&memory);
    return built ? LMB_OK : b.error->result;
}

lmb_result lmb_clip_open(const void *bytes, size_t size, const lmb_host *host, lmb_clip **clip, lmb_error *error) {
    if (clip != NULL) {
        *clip = NULL;
    }
    if (bytes == NULL || clip == NULL) {
        return lmb_fail(error, LMB_ERROR_ARGUMENT, "clip block: %s is NULL", bytes == NULL ? "it" : "the result");
    }
    if (size % 4 != 0 || size / 4 < WORDS_OF(CLIP) || size / 4 > LARGEST_BLOCK) {
        return lmb_fail(error, LMB_ERROR_FORMAT, "clip block: %zu bytes are not %u to 2^30 words", size,
                        WORDS_OF(CLIP));
    }
    lmb_host resolved = lmb_host_resolve(host);
    lmb_clip *created = lmb_host_allocate(&resolved, 1, sizeof *created);
    uint32_t *words = lmb_host_allocate(&resolved, size / 4, sizeof *words);
    lmb_result result;
    if (created == NULL || words == NULL) {
        result = lmb_fail(error, LMB_ERROR_MEMORY, "clip block: no memory for %zu bytes", size);
    } else {
        memcpy(words, bytes, size);
        lmb_environment callers;
        lmb_environment_enter(&callers);
        result = lmb_clip_check(words, size / 4, error);
        lmb_environment_leave(&callers);
    }
    if (result != LMB_OK) {
        lmb_host_release(&resolved, created);
        lmb_host_release(&resolved, words);
        return result;
    }
    *created =
        (lmb_clip){.host = resolved, .info = lmb_clip_read_info(words), .size = (uint32_t)(size / 4), .words = words};
    *clip = created;
    return LMB_OK;
}

void lmb_clip_destroy(lmb_clip *clip) {
    if (clip == NULL) {
        return;
    }
    lmb_host host = clip->host;
    lmb_host_release(&host, clip->words);
    lmb_host_release(&host, clip);
}

const void *lmb_clip_block(const lmb_clip *clip, size_t *size) {
    if (size != NULL) {
        *size = (size_t)clip->size * sizeof *clip->words;
    }
    return clip->words;
}

lmb_clip_info lmb_clip_read_info(const uint32_t *words) {
    return (lmb_clip_info){.name = (const char *)(words + words[FIELD(CLIP, name)]),
                           .duration = REAL(words[FIELD(CLIP, duration)]),
                           .joint_count = words[FIELD(CLIP, joints)],
                           .channel_count = words[FIELD(CLIP, float_count)],
                           .track_count = words[FIELD(CLIP, authored)],
                           .key_count = words[FIELD(CLIP, authored_keys)],
                           .is_additive = words[FIELD(CLIP, additive)] != 0};
}

const lmb_clip_info *lmb_clip_get_info(const lmb_clip *clip) {
    return &clip->info;
}
