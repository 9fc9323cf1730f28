// Float tracks of a packed clip are not quantised. A constant one keeps a single key, one at rest keeps none, and
// neighbouring tracks with the same key times share them. One function measures and writes, so both agree.
#include "pack.h"

#include "rig/rig.h"

// Returns whether all keys have the same value and all tangents are 0.
static bool is_constant(const uint32_t *words, const track *t) {
    const uint32_t stride = lmb_key_stride(LMB_PROPERTY_FLOAT, t->mode);
    const uint32_t middle = t->mode == MODE_CUBIC ? 1 : 0;
    for (uint32_t i = 0; i < t->keys * stride; i++) {
        const bool is_value = i % stride == middle;
        if (words[t->values + i] != (is_value ? words[t->values + middle] : 0)) {
            return false;
        }
    }
    return true;
}

// Returns what a packed clip keeps of a channel's track: no track if it is at rest, one key if it is constant.
static track kept_track(const lmb_clip *source, const lmb_rig *rig, uint32_t channel) {
    const uint32_t *words = source->words;
    track t = load_kept_track(words, 0, words[FIELD(CLIP, floats)] + channel * WORDS_OF(TRACK));
    if (t.mode != MODE_REST && is_constant(words, &t)) {
        const uint32_t value = words[t.values + (t.mode == MODE_CUBIC ? 1 : 0)];
        t = value == BITS(rig->def.channels[channel].rest) && !lmb_clip_get_info(source)->is_additive
                ? (track){.mode = MODE_REST}
                : (track){MODE_STEP, 1, t.times, t.values + (t.mode == MODE_CUBIC ? 1 : 0)};
    }
    return t;
}

lmb_kept_floats lmb_keep_floats(const lmb_clip *source, const lmb_rig *rig, uint32_t *words, uint32_t at) {
    const uint32_t count = source->words[FIELD(CLIP, float_count)];
    lmb_kept_floats kept = {.size = WORDS_OF(TRACK) * (uint64_t)count, .longest = 1};
    // Tracks usually share their times. Constant tracks share the time of the first key.
    track before[2] = {{0}};
    uint32_t times_before[2] = {0};
    for (uint32_t channel = 0; channel < count; channel++) {
        const track t = kept_track(source, rig, channel);
        if (t.mode == MODE_REST) {
            if (words != NULL) {
                words[at + channel * WORDS_OF(TRACK)] = MODE_REST; // and no keys
            }
            continue;
        }
        const uint32_t alike = t.keys > 1 ? 1 : 0;
        const bool shares = t.times == before[alike].times && t.keys == before[alike].keys;
        const uint32_t times = shares ? times_before[alike] : at + (uint32_t)kept.size;
        kept.size += shares ? 0 : 2 * (uint64_t)t.keys;
        const uint32_t values = at + (uint32_t)kept.size, stride = lmb_key_stride(LMB_PROPERTY_FLOAT, t.mode);
        kept.size += (uint64_t)t.keys * stride;
        if (words != NULL) {
            uint32_t *fields = words + at + channel * WORDS_OF(TRACK);
            fields[FIELD(TRACK, mode)] = t.mode;
            fields[FIELD(TRACK, keys)] = t.keys;
            fields[FIELD(TRACK, times)] = times;
            fields[FIELD(TRACK, values)] = values;
            memcpy(words + times, source->words + t.times, t.keys * sizeof *words);
            for (uint32_t key = 0; key < t.keys; key++) {
                words[times + t.keys + key] = lmb_interval_rate(words + times, t.keys, key);
            }
            memcpy(words + values, source->words + t.values, (size_t)t.keys * stride * sizeof *words);
        }
        kept.longest = t.keys > kept.longest ? t.keys : kept.longest;
        kept.cubic |= t.mode == MODE_CUBIC;
        before[alike] = t;
        times_before[alike] = times;
    }
    return kept;
}
