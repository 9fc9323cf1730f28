// Quantises keys with the numbers of bits that compress.c chooses, and writes a packed block.
//
// - A translation or scale stores three fields. Each axis has its own range: its minimum and the step between two
//   values.
// - A rotation stores three components. The fourth follows from the length of 1. It is the same component in all keys
//   if one stays far from zero; otherwise each key says in two bits which one it omits. Ranges are in steps of 1/512,
//   so that two words hold those of all three components.
//
// All packed tracks share their key times. The fields of all tracks at one time are one string of bits, a frame, so
// sampling a pose reads two contiguous pieces of memory. Half a word per joint and property says how it is stored: at
// rest, constant, with the source's own keys, or packed.
//
// Entries are written twice by the same code: the first time only to find all offsets. A block that would not be
// smaller than the source is not written.
#include "pack.h"

#include <math.h>

// The minimum of a component that is left out; a smaller one would magnify the errors of the others.
#define MIN_LEFT_OUT 0.25f

static uint32_t quantise(double value, double start, double step, uint32_t bits) {
    const double most = (double)((1u << bits) - 1);
    const double field = step > 0.0 ? floor((value - start) / step) : 0.0;
    return (uint32_t)(field < 0.0 ? 0.0 : field > most ? most : field);
}

// Writes a field into zeroed words.
static void put_bits(uint32_t *words, uint32_t at, uint32_t field, uint32_t bits) {
    const uint64_t shifted = (uint64_t)field << at % 32;
    words[at / 32] |= (uint32_t)shifted;
    if (at % 32 + bits > 32) {
        words[at / 32 + 1] |= (uint32_t)(shifted >> 32);
    }
}

static const float *key_of(const frames *f, uint32_t property, uint32_t joint, uint32_t frame) {
    return lmb_property_in(&f->source[(size_t)joint * f->samples + f->of_sample[frame]], property);
}

static void pack_vectors(const frames *f, uint32_t property, uint32_t joint, uint32_t bits, uint32_t *words) {
    for (uint32_t axis = 0; axis < 3; axis++) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t frame = 0; frame < f->count; frame++) {
            const float value = key_of(f, property, joint, frame)[axis];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        const float step = snap((float)(((double)high - (double)low) / (double)((1u << bits) - 1)));
        words[1 + axis] = BITS(low);
        words[4 + axis] = BITS(step);
        for (uint32_t frame = 0; frame < f->count; frame++) {
            const double value = (double)key_of(f, property, joint, frame)[axis] + 0.5 * (double)step;
            uint32_t *key = words + PACKED_TRACK_HEAD + PACKED_TRACK_FRAME * frame;
            put_bits(key, axis * bits, quantise(value, (double)low, (double)step, bits), bits);
        }
    }
}

static uint32_t largest_component(const float *rotation) {
    uint32_t largest = 0;
    for (uint32_t i = 1; i < 4; i++) {
        largest = fabsf(rotation[i]) > fabsf(rotation[largest]) ? i : largest;
    }
    return largest;
}

// Returns the component that stays farthest from zero, or PACKED_INDEX_PER_KEY if none stays far enough.
static uint32_t choose_left_out(const frames *f, uint32_t joint) {
    float min[4] = {2.0f, 2.0f, 2.0f, 2.0f};
    for (uint32_t frame = 0; frame < f->count; frame++) {
        const float *rotation = key_of(f, PROPERTY_ROTATION, joint, frame);
        for (int i = 0; i < 4; i++) {
            min[i] = fabsf(rotation[i]) < min[i] ? fabsf(rotation[i]) : min[i];
        }
    }
    const uint32_t chosen = largest_component(min);
    return min[chosen] >= MIN_LEFT_OUT ? chosen : PACKED_INDEX_PER_KEY;
}

// Gets the three components that a key stores, after choosing the sign of q that makes the left-out component
// non-negative. Returns the index of the left-out one.
static uint32_t stored_components(const float *rotation, uint32_t left_out, float stored[3]) {
    const uint32_t index = left_out == PACKED_INDEX_PER_KEY ? largest_component(rotation) : left_out;
    for (uint32_t i = 0, field = 0; i < 4; i++) {
        if (i != index) {
            stored[field++] = rotation[index] < 0.0f ? -rotation[i] : rotation[i];
        }
    }
    return index;
}

static void pack_rotations(const frames *f, uint32_t joint, uint32_t bits, uint32_t left_out, uint32_t *words) {
    double low[3] = {2.0, 2.0, 2.0}, high[3] = {-2.0, -2.0, -2.0};
    float stored[3];
    for (uint32_t frame = 0; frame < f->count; frame++) {
        stored_components(key_of(f, PROPERTY_ROTATION, joint, frame), left_out, stored);
        for (int i = 0; i < 3; i++) {
            low[i] = (double)stored[i] < low[i] ? (double)stored[i] : low[i];
            high[i] = (double)stored[i] > high[i] ? (double)stored[i] : high[i];
        }
    }
    double start[3], step[3];
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t min = quantise(low[i], -1.0, 1.0 / 512.0, 10);
        start[i] = (double)min / 512.0 - 1.0;
        const uint32_t extent = quantise(high[i], start[i], 1.0 / 512.0, 10);
        step[i] = (double)(extent + 1) / 512.0 / (double)(1u << bits);
        words[1] |= min << 10 * i;
        words[2] |= extent << 10 * i;
    }
    const uint32_t index_bits = left_out == PACKED_INDEX_PER_KEY ? 2 : 0;
    for (uint32_t frame = 0; frame < f->count; frame++) {
        uint32_t *key = words + PACKED_TRACK_HEAD + PACKED_TRACK_FRAME * frame;
        const uint32_t index = stored_components(key_of(f, PROPERTY_ROTATION, joint, frame), left_out, stored);
        if (index_bits != 0) {
            put_bits(key, 0, index, index_bits);
        }
        for (uint32_t i = 0; i < 3; i++) {
            put_bits(key, index_bits + i * bits, quantise((double)stored[i], start[i], step[i], bits), bits);
        }
    }
}

packed_place lmb_clip_pack_track(const frames *f, uint32_t property, uint32_t joint, uint32_t bits, uint32_t *words) {
    memset(words, 0, (PACKED_TRACK_HEAD + (size_t)PACKED_TRACK_FRAME * f->count) * sizeof *words);
    uint32_t left_out = 0;
    if (property == PROPERTY_ROTATION) {
        left_out = choose_left_out(f, joint);
        if (left_out == PACKED_INDEX_PER_KEY && bits == PACKED_MOST_ROTATION_BITS) {
            bits--;
        }
        pack_rotations(f, joint, bits, left_out, words);
    } else {
        pack_vectors(f, property, joint, bits, words);
    }
    words[0] = bits | left_out << 5;
    return (packed_place){bits, left_out, PACKED_TRACK_HEAD, 0, PACKED_TRACK_FRAME};
}

// A block that is being written, or only measured if `words` is NULL.
typedef struct writer {
    const lmb_clip *source;
    const frames *frames;
    uint32_t *scratch;
    uint32_t *words;
    uint32_t section;
    uint64_t entry; // where the next entry's data goes, relative to the section
    uint64_t kept;  // where the next kept track's words go, relative to the block
    uint64_t frame_bits;
    uint32_t longest;
    uint32_t cubic;
    uint32_t far; // the source's flag, if a rotation is kept
} writer;

static uint32_t key_bits(uint32_t head) {
    return 3 * (head & 31) + ((head >> 5 & 7) == PACKED_INDEX_PER_KEY ? 2 : 0);
}

static uint32_t write_packed(writer *w, uint32_t property, uint32_t joint, const packing *p) {
    const packed_place place = lmb_clip_pack_track(w->frames, property, joint, p->bits, w->scratch);
    const uint32_t head_words = property == PROPERTY_ROTATION ? PACKED_ROTATION_WORDS : PACKED_VECTOR_WORDS;
    const uint32_t bits = key_bits(w->scratch[0]);
    if (w->words != NULL) {
        uint32_t *section = w->words + w->section;
        memcpy(section + w->entry, w->scratch, head_words * sizeof *section);
        section[w->entry] |= (uint32_t)w->frame_bits << 8;
        uint32_t *values = section + section[FIELD(PACKED, frame_values)];
        for (uint32_t frame = 0; frame < w->frames->count; frame++) {
            const uint32_t *key = w->scratch + place.first + frame * place.frame_words;
            for (uint32_t done = 0; done < bits; done += 16) {
                const uint32_t some = bits - done < 16 ? bits - done : 16;
                const uint32_t field = key[done / 32] >> done % 32 & ((1u << some) - 1);
                put_bits(values + (size_t)frame * section[FIELD(PACKED, frame_words)], (uint32_t)w->frame_bits + done,
                         field, some);
            }
        }
    }
    w->frame_bits += bits;
    return head_words;
}

// Copies the track's own times and values to the end of the block.
static uint32_t write_kept(writer *w, uint32_t property, uint32_t joint) {
    const uint32_t *source = w->source->words;
    const track t = load_track(source, 0, property, joint);
    const uint32_t times = 2 * t.keys, values = t.keys * lmb_key_stride((lmb_property)property, t.mode);
    const uint32_t values_at = (uint32_t)lmb_align_wide(w->kept + times);
    if (w->words != NULL) {
        const uint32_t fields[WORDS_OF(TRACK)] = {t.mode, t.keys, (uint32_t)w->kept, values_at};
        memcpy(w->words + w->section + w->entry, fields, sizeof fields);
        memcpy(w->words + fields[FIELD(TRACK, times)], source + t.times, times * sizeof *source);
        memcpy(w->words + fields[FIELD(TRACK, values)], source + t.values, values * sizeof *source);
    }
    w->kept = values_at + values;
    w->longest = t.keys > w->longest ? t.keys : w->longest;
    w->cubic |= t.mode == MODE_CUBIC;
    w->far |= property == PROPERTY_ROTATION ? source[FIELD(CLIP, turns_far)] : 0;
    return WORDS_OF(TRACK);
}

static uint32_t write_constant(writer *w, uint32_t property, const packing *p) {
    const uint32_t width = lmb_property_width((lmb_property)property);
    if (w->words != NULL) {
        memcpy(w->words + w->section + w->entry, p->constant, width * sizeof *p->constant);
    }
    return width;
}

// Returns whether all offsets fit.
static bool write_entries(writer *w, const packing *packings) {
    const uint32_t joints = w->source->words[FIELD(CLIP, joints)];
    for (uint32_t property = 0; property < PROPERTIES; property++) {
        for (uint32_t joint = 0; joint < joints; joint++) {
            const packing *p = &packings[property * joints + joint];
            if (p->kind == ENTRY_REST) {
                continue;
            }
            if (p->kind == ENTRY_KEPT || (p->kind == ENTRY_CONSTANT && property == PROPERTY_ROTATION)) {
                w->entry = lmb_align_wide(w->entry);
            }
            if (w->entry >= ENTRY_LIMIT) {
                return false;
            }
            if (w->words != NULL) {
                uint32_t *section = w->words + w->section;
                section[section[FIELD(PACKED, rows) + property] + joint / 2] |= (p->kind | (uint32_t)w->entry << 2)
                                                                                << 16 * (joint % 2);
            }
            w->entry += p->kind == ENTRY_PACKED     ? write_packed(w, property, joint, p)
                        : p->kind == ENTRY_CONSTANT ? write_constant(w, property, p)
                                                    : write_kept(w, property, joint);
        }
    }
    return w->frame_bits < 1u << 24;
}

// Assigns rows to properties in which not all joints are at rest. Returns the offset after the rows.
static uint32_t place_rows(uint32_t joints, const packing *packings, uint32_t rows[PROPERTIES]) {
    uint32_t at = WORDS_OF(PACKED);
    for (uint32_t property = 0; property < PROPERTIES; property++) {
        rows[property] = 0;
        for (uint32_t joint = 0; joint < joints && rows[property] == 0; joint++) {
            rows[property] = packings[property * joints + joint].kind != ENTRY_REST ? at : 0;
        }
        at += rows[property] != 0 ? (joints + 1) / 2 : 0;
    }
    return at;
}

static uint32_t weight_words(const uint32_t *clip) {
    return clip[FIELD(CLIP, weights)] != 0 ? lmb_weight_words(clip) : 0;
}

static void write_header(const writer *w, uint64_t size) {
    const uint32_t *source = w->source->words;
    uint32_t *words = w->words;
    memcpy(words, source, WORDS_OF(CLIP) * sizeof *words);
    words[FIELD(CLIP, size)] = (uint32_t)size;
    words[FIELD(CLIP, tracks)] = 0;
    words[FIELD(CLIP, name)] = WORDS_OF(CLIP);
    words[FIELD(CLIP, packed)] = w->section;
    if (source[FIELD(CLIP, weights)] != 0) {
        words[FIELD(CLIP, weights)] = (uint32_t)size - weight_words(source);
        memcpy(words + words[FIELD(CLIP, weights)], source + source[FIELD(CLIP, weights)],
               weight_words(source) * sizeof *words);
    }
    memcpy(words + WORDS_OF(CLIP), source + source[FIELD(CLIP, name)], source[FIELD(CLIP, name_words)] * sizeof *words);
}

static void write_times(const writer *w, uint32_t *times) {
    const frames *f = w->frames;
    for (uint32_t frame = 0; frame < f->count; frame++) {
        times[frame] = BITS(f->times[f->of_sample[frame]]);
    }
    for (uint32_t frame = 0; frame < f->count; frame++) {
        times[f->count + frame] = lmb_interval_rate(times, f->count, frame);
    }
}

// Frames that are far apart in rotation need the long slerp even if the source's keys were near each other.
static bool packed_rotations_are_far(const writer *w, const packing *packings) {
    const uint32_t joints = w->source->words[FIELD(CLIP, joints)];
    for (uint32_t joint = 0; joint < joints; joint++) {
        if (packings[PROPERTY_ROTATION * joints + joint].kind != ENTRY_PACKED) {
            continue;
        }
        const track t = load_track(w->words, 0, PROPERTY_ROTATION, joint);
        const packed_place place = find_packed_place(w->words, 0, t.values);
        const packed_range range = rotation_range(w->words, place, t.values);
        quaternion before = packed_rotation(w->words, place, range, 0);
        for (uint32_t frame = 1; frame < t.keys; frame++) {
            const quaternion next = packed_rotation(w->words, place, range, frame);
            if (lmb_rotation_is_far(before, next)) {
                return true;
            }
            before = next;
        }
    }
    return false;
}

uint64_t lmb_clip_pack_write(const lmb_clip *source, const frames *f, const packing *packings, uint32_t *scratch,
                             uint32_t *words) {
    const uint32_t joints = source->words[FIELD(CLIP, joints)];
    uint32_t rows[PROPERTIES];
    const uint32_t first_entry = place_rows(joints, packings, rows);
    writer w = {.source = source, .frames = f, .scratch = scratch, .entry = first_entry, .longest = 1};
    w.section = (uint32_t)lmb_align_wide(WORDS_OF(CLIP) + source->words[FIELD(CLIP, name_words)]);
    if (!write_entries(&w, packings)) {
        return 0;
    }
    const uint32_t frame_count = w.frame_bits != 0 ? f->count : 0;
    const uint64_t frame_words = (w.frame_bits + 31) / 32;
    const uint64_t times = w.entry, values = times + 2 * (uint64_t)frame_count;
    const uint64_t kept = lmb_align_wide(w.section + values + frame_words * frame_count);
    const uint64_t floats = lmb_align_wide(kept + w.kept);
    const lmb_kept_floats floats_kept = lmb_keep_floats(source, f->rig, NULL, 0);
    const uint64_t size = floats + floats_kept.size + weight_words(source->words);
    if (words == NULL || size >= source->size) {
        return size;
    }
    w.words = words;
    uint32_t *section = words + w.section;
    write_header(&w, size);
    section[FIELD(PACKED, frames)] = frame_count;
    section[FIELD(PACKED, frame_words)] = (uint32_t)frame_words;
    section[FIELD(PACKED, frame_times)] = (uint32_t)times;
    section[FIELD(PACKED, frame_values)] = (uint32_t)values;
    memcpy(section + FIELD(PACKED, rows), rows, sizeof rows);
    if (frame_count != 0) {
        write_times(&w, section + times);
    }
    w.entry = first_entry;
    w.kept = kept;
    w.frame_bits = 0;
    write_entries(&w, packings);
    words[FIELD(CLIP, floats)] = source->words[FIELD(CLIP, float_count)] > 0 ? (uint32_t)floats : 0;
    lmb_keep_floats(source, f->rig, words, (uint32_t)floats);
    w.longest = floats_kept.longest > w.longest ? floats_kept.longest : w.longest;
    words[FIELD(CLIP, search)] = lmb_search_step(frame_count > w.longest ? frame_count : w.longest);
    words[FIELD(CLIP, cubic)] = w.cubic | floats_kept.cubic;
    words[FIELD(CLIP, turns_far)] = w.far | packed_rotations_are_far(&w, packings);
    return size;
}
