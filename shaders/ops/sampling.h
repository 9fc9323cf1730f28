// Sampling a clip: the clip's block, and glTF 2.0's step, linear and cubic-spline interpolation of its tracks.
//
// find_key() finds the key position of a time among the key times of a track. Its result is used for all tracks that
// share these times. Then the values of the two neighbouring keys are loaded and interpolated. Tracks in a packed
// section have quantised keys.
#ifndef LMB_OPS_SAMPLING_H
#define LMB_OPS_SAMPLING_H

#include "transform.h"

// A clip block consists of words. Every offset in it counts words from its start. The header:
RECORD(CLIP)
uint magic;         // CLIP_MAGIC_VALUE
uint version;       // CLIP_VERSION_VALUE
uint size;          // words of the whole block
uint joints;        // joint count
FLOAT(duration);    // float, seconds
FLOAT(rate);        // float, 1 / duration, or 0
uint search;        // the largest power of two below the longest track's key count, or 0
uint cubic;         // 1 if any track is a cubic spline
uint tracks;        // offset of the track table
uint authored;      // number of tracks that the author provided
uint authored_keys; // number of their keys
uint name;          // offset of the name: bytes, zero-padded to whole words, with at least one zero
uint name_words;
uint turns_far; // 1 if neighbouring keys of a linear rotation track have a cosine below 0.9
uint packed;    // offset of the packed section, which then replaces the track table; or 0
// Only in a program's copy: the track with the most widely shared key times, as joint * PROPERTIES + property + 1; 0 if
// no track is animated.
uint common_times;
// Offset of the weights of the joints, then of the float channels, four per word, the first in the lowest byte; 0 if
// all are 255.
uint weights;
uint float_count; // float channels of the rig
uint floats;      // offset of their track table, word [channel][field]; 0 if there are none
uint additive;    // 1 if its poses are additives
END_RECORD(CLIP, 20)

#define CLIP_MAGIC_VALUE 0x43424d4cu // "LMBC"
#define CLIP_VERSION_VALUE 4u

// The track table is word [joint][property][field]. Track tables and the values of rotation tracks start at multiples
// of WIDE_LOAD words, so that a GPU loads four words at once.
RECORD(TRACK)
uint mode;   // MODE_..., the interpolation between keys
uint keys;   // 1 or more
uint times;  // offset: key times, then for each key the reciprocal of the interval that follows it
uint values; // offset: values of the keys
END_RECORD(TRACK, 4)

#define MODE_STEP 0u
#define MODE_LINEAR 1u
#define MODE_CUBIC 2u
// Only for float tracks, whose other fields are then 0, and for tracks in a packed section:
#define MODE_REST 3u // the value is that of the rig's rest pose
// Only for tracks in a packed section:
#define MODE_PACKED 4u // linear, over the section's frames

// A packed section. Offsets in it count words from its start. Its packed tracks share key times, the frames, and are
// stored frame by frame, so that sampling a pose reads two contiguous ranges of memory. The header:
RECORD(PACKED)
uint frames;       // number of frames
uint frame_words;  // words per frame
uint frame_times;  // offset: times, in the format of a track's times
uint frame_values; // offset: the frames
WORDS(3, rows);    // for each property, offset of its row: half a word per joint; 0 if all are at rest
END_RECORD(PACKED, 7)

// Half a word per joint: two bits ENTRY_..., and above them an offset.
#define ENTRY_REST 0u
#define ENTRY_CONSTANT 1u // offset of the value, floats
#define ENTRY_KEPT 2u     // offset of the four consecutive fields of a track, whose offsets count from the clip's start
#define ENTRY_PACKED 3u   // offset of a packed track
#define ENTRY_LIMIT 0x4000u

// A packed track begins with a word: bits per field (5 bits), the omitted component of a rotation (3 bits; 4: each key
// has it in two bits of its own), and the position of a key in a frame (24 bits, in bits). Then follows the range of
// the fields. For a translation or scale: three floats that a field of 0 represents, and three floats, the step sizes.
// For a rotation: two words of three times ten bits: the minima in steps of 1/512 from -1, and the extents less 1/512.
#define PACKED_INDEX_PER_KEY 4u
#define PACKED_VECTOR_WORDS 7u
#define PACKED_ROTATION_WORDS 3u
#define PACKED_MOST_VECTOR_BITS 21u
#define PACKED_MOST_ROTATION_BITS 16u // 15 if each key says which component it omits

#define PROPERTY_TRANSLATION 0u
#define PROPERTY_ROTATION 1u
#define PROPERTY_SCALE 2u
#define PROPERTIES 3u

// The key position of a time in a track: the key at or before it, and the fraction of the way to the next key.
STRUCT(key_position)
word key;
word after;       // the next key, or the last one
real fraction;    // 0 to 1; 0 from the last key on
real interval;    // seconds to the next key
slerp_terms from; // of 1 - fraction
slerp_terms to;   // of the fraction
#ifdef LMB_SIMD_WIDTH
// Offsets of the rows of `key` and of `after`, in words from the first row on.
size_t key_rows[LMB_SIMD_WIDTH];
size_t after_rows[LMB_SIMD_WIDTH];
bool followed; // whether `after` is the next key in every lane
#endif
END_STRUCT(key_position)

// How key positions are passed to sampling functions: by address on the CPU, which keeps them for several tracks.
#ifdef LMB_GLSL
#define FOUND key_position
#define AT(found) found
#else
#define FOUND const key_position *
#define AT(found) (*(found))
#endif

// Slerps between two keys, without normalising.
OP quaternion slerp_between_keys(quaternion a, quaternion b, FOUND at, bool near) {
    return quaternion_slerp_unnormalized(a, b, AT(at).from, AT(at).to, near);
}

// Prepares a key position for rotations: once for all that share key times.
OP key_position prepare_rotations(key_position at) {
    at.from = slerp_prepare(1.0f - at.fraction);
    at.to = slerp_prepare(at.fraction);
    return at;
}

// The frame of a packed section in which a key is: its number, or for SIMD code the offset of its row.
#ifdef LMB_SIMD_WIDTH
#define FRAME const size_t *
#define FRAME_OF_KEY(found) (found)->key_rows
#define FRAME_OF_AFTER(found) (found)->after_rows
#else
#define FRAME word
#define FRAME_OF_KEY(found) AT(found).key
#define FRAME_OF_AFTER(found) AT(found).after
#endif

// A property's track: offsets are from the start of memory.
STRUCT(track)
uint mode;
uint keys;
uint times;
uint values;
#ifdef LMB_SIMD_WIDTH
uint row_words; // of a key_position's rows: a rotation, or a frame of a packed section
#endif
END_STRUCT(track)

// The time in seconds within a clip: from 0 to `duration`, and if looped below it. Only for times millions of durations
// away may rounding give the duration itself.
OP real clip_time(real duration, real rate, real time, bool loop) {
    if (loop) {
        time = time - duration * FLOOR(time * rate);
        time = SELECT(time < 0.0f, time + duration, time);
        time = SELECT(time >= duration, time - duration, time);
    }
    time = SELECT(time < 0.0f, SPLAT(0.0f), time);
    return SELECT(time > duration, duration, time);
}

// `at` is a place that track_place() returns: an offset, which a kernel counts in rows.
OP track load_kept_track(memory data, uint clip, address at) {
    track found;
#ifdef LMB_GLSL
    uvec4 fields = load_wide(at);
    found.mode = fields[FIELD(TRACK, mode)];
    found.keys = fields[FIELD(TRACK, keys)];
    found.times = clip + fields[FIELD(TRACK, times)];
    found.values = clip + fields[FIELD(TRACK, values)];
#else
    found.mode = READ(data, at, TRACK, mode);
    found.keys = READ(data, at, TRACK, keys);
    found.times = clip + READ(data, at, TRACK, times);
    found.values = clip + READ(data, at, TRACK, values);
#endif
#ifdef LMB_SIMD_WIDTH
    found.row_words = 4u;
#endif
    return found;
}

// Returns where the fields of a track are in a table of tracks, as load_kept_track() takes it.
OP address track_place(address table, address index) {
#ifdef LMB_GLSL
    return table / WIDE_LOAD + index;
#else
    return table + index * WORDS_OF(TRACK);
#endif
}

// The place of a joint's track that is not in a packed section.
OP address kept_track_place(memory data, address clip, address property, address joint) {
    return track_place(clip + READ(data, clip, CLIP, tracks), joint * PROPERTIES + property);
}

// The place of a float channel's track.
OP address float_track_place(memory data, address clip, address channel) {
    return track_place(clip + READ(data, clip, CLIP, floats), channel);
}

OP track load_packed_track(memory data, uint clip, uint section, uint property, uint joint) {
    uint row = LOAD(data, section + FIELD(PACKED, rows) + property);
    uint entry = ENTRY_REST;
    if (row != 0u) {
        entry = (LOAD(data, section + row + (joint >> 1u)) >> (16u * (joint & 1u))) & 0xffffu;
    }
    uint at = section + (entry >> 2u);
    track found;
    found.mode = MODE_REST;
    found.keys = 1u;
    found.times = section;
    found.values = at;
#ifdef LMB_SIMD_WIDTH
    found.row_words = READ(data, section, PACKED, frame_words);
#endif
    if ((entry & 3u) == ENTRY_CONSTANT) {
        found.mode = MODE_STEP;
    }
    if ((entry & 3u) == ENTRY_KEPT) {
#ifdef LMB_GLSL
        at = at / WIDE_LOAD;
#endif
        found = load_kept_track(data, clip, at);
    }
    if ((entry & 3u) == ENTRY_PACKED) {
        found.mode = MODE_PACKED;
        found.keys = READ(data, section, PACKED, frames);
        found.times = section + READ(data, section, PACKED, frame_times);
    }
    return found;
}

OP track load_track(memory data, uint clip, uint property, uint joint) {
    uint packed = 0u;
    if (USES_PACKED) {
        packed = READ(data, clip, CLIP, packed);
    }
    if (packed != 0u) {
        return load_packed_track(data, clip, clip + packed, property, joint);
    }
    return load_kept_track(data, clip, kept_track_place(data, clip, property, joint));
}

// Finds the key position of a time in a track by binary search. `largest_step` is that of the clip, so that the number
// of steps is the same for all its tracks. In kernels the caller prepares it for rotations.
OP key_position find_key(memory data, track t, uint largest_step, real time) {
    uint times = t.times;
    uint keys = t.keys;
    key_position at;
    at.key = ALL_WORD(0u);
    for (uint stride = largest_step; stride > 0u; stride >>= 1u) {
        word next = at.key + stride;
        word safe = SELECT(next < keys, next, ALL_WORD(0u));
        real next_time = GATHER_REAL(data, times + safe);
        at.key = SELECT(AND(next < keys, next_time <= time), next, at.key);
    }
    at.after = SELECT(at.key + 1u < keys, at.key + 1u, at.key);
    real key_time = GATHER_REAL(data, times + at.key);
    real fraction = (time - key_time) * GATHER_REAL(data, (times + keys) + at.key);
    // Snapped, so that its powers in a cubic spline do not underflow.
    at.fraction = clamp_real(snap_number(fraction), 0.0f, 1.0f);
    at.interval = GATHER_REAL(data, times + at.after) - key_time;
#ifndef LMB_GLSL
    at = prepare_rotations(at);
#endif
#ifdef LMB_SIMD_WIDTH
    lmb_find_rows(at.key, t.row_words, at.key_rows);
    lmb_find_rows(at.after, t.row_words, at.after_rows);
    at.followed = ALL(at.after > at.key);
#endif
    return at;
}

#ifdef LMB_GLSL
// The key position in a track with a single key, which is not searched.
key_position first_key() {
    key_position at;
    at.key = 0u;
    at.after = 0u;
    at.fraction = 0.0f;
    at.interval = 0.0f;
    return at;
}
#endif

// From a at u = 0 to b at u = 1, with tangents in units per second over an interval of seconds.
OP real cubic_spline(real a, real b, real out_tangent, real in_tangent, real u, real interval) {
    real square = u * u;
    real cube = square * u;
    real weight_b = 3.0f * square - 2.0f * cube;
    real weight_out = (cube - 2.0f * square) + u;
    real weight_in = cube - square;
    real values = a * (1.0f - weight_b) + b * weight_b;
    real tangents = out_tangent * weight_out + in_tangent * weight_in;
    return values + tangents * interval;
}

// One component of a cubic spline between keys of values a and b, which are at `from` and `to`.
OP real sample_cubic(memory data, FOUND at, real a, real b, word from, word to, uint width) {
    real out_tangent = GATHER_REAL(data, from + width);
    real in_tangent = GATHER_REAL(data, to - width);
    return cubic_spline(a, b, out_tangent, in_tangent, AT(at).fraction, AT(at).interval);
}

// Loads three or four consecutive floats. SIMD code always reads four, so a block ends with a spare word.
#ifdef LMB_SIMD_WIDTH
OP vector load_vector(memory data, word at) {
    real v[4];
    lmb_load_rows(data, at, v);
    return make_vector(v[0], v[1], v[2]);
}

OP quaternion load_quaternion(memory data, word at) {
    real v[4];
    lmb_load_rows(data, at, v);
    return make_quaternion(v[0], v[1], v[2], v[3]);
}
#else
OP vector load_vector(memory data, word at) {
    return make_vector(GATHER_REAL(data, at), GATHER_REAL(data, at + 1u), GATHER_REAL(data, at + 2u));
}

// `at` is a multiple of WIDE_LOAD.
OP quaternion load_quaternion(memory data, word at) {
#ifdef LMB_GLSL
    uvec4 q = load_wide(at / WIDE_LOAD);
    return make_quaternion(REAL(q.x), REAL(q.y), REAL(q.z), REAL(q.w));
#else
    return make_quaternion(GATHER_REAL(data, at), GATHER_REAL(data, at + 1u), GATHER_REAL(data, at + 2u),
                           GATHER_REAL(data, at + 3u));
#endif
}
#endif

// The offset of a key's value. A key of a cubic spline is in-tangent, value, out-tangent.
OP word key_value(track t, word key, uint width) {
    word value = key;
    if (USES_CUBIC && t.mode == MODE_CUBIC) {
        value = 3u * key + 1u;
    }
    return t.values + value * width;
}

// The location of a packed track's keys: the same for all lanes except for the frame.
STRUCT(packed_place)
uint bits;        // of a field
uint left_out;    // omitted component, or PACKED_INDEX_PER_KEY
uint first;       // offset, in the first frame, of the word in which the key begins
uint shift;       // bits of that word before the key
uint frame_words; // words per frame
END_STRUCT(packed_place)

// The range of a packed track: what its fields of 0 represent, and the sizes of steps. For a rotation, `start` is the
// lower end of the first step.
STRUCT(packed_range)
float start_x;
float start_y;
float start_z;
float step_x;
float step_y;
float step_z;
END_STRUCT(packed_range)

// Up to 95 bits that contain a key, which begins in the first word.
STRUCT(packed_words)
word low;
word middle;
word high;
END_STRUCT(packed_words)

OP packed_place find_packed_place(memory data, uint clip, uint at) {
    uint section = clip + READ(data, clip, CLIP, packed);
    uint first = LOAD(data, at);
    packed_place place;
    place.bits = first & 31u;
    place.left_out = (first >> 5u) & 7u;
    place.first = (section + READ(data, section, PACKED, frame_values)) + (first >> 13u);
    place.shift = (first >> 8u) & 31u;
    place.frame_words = READ(data, section, PACKED, frame_words);
    return place;
}

OP packed_words load_packed_words(memory data, packed_place place, FRAME frame, uint bits) {
    packed_words words;
#ifdef LMB_SIMD_WIDTH
    UNUSED(bits);
    real all[4];
    lmb_load_rows_at(data + place.first, frame, all);
    words.low = BITS(all[0]);
    words.middle = BITS(all[1]);
    words.high = BITS(all[2]);
#else
    // Reads only words that contain bits of the key.
    word at = place.first + frame * place.frame_words;
    words.low = GATHER(data, at);
    words.middle = words.low;
    words.high = words.low;
    if (place.shift + bits > 32u) {
        words.middle = GATHER(data, at + 1u);
    }
    if (place.shift + bits > 64u) {
        words.high = GATHER(data, at + 2u);
    }
#endif
    return words;
}

// The field of 1 to 21 bits that begins at bit `from`.
OP real packed_field(packed_words words, uint from, uint bits) {
    word first = words.low;
    word second = words.middle;
    if (from >= 32u) {
        first = words.middle;
        second = words.high;
    }
    if (from >= 64u) {
        first = words.high;
    }
    uint shift = from & 31u;
    word joined = (first >> shift) | ((second << 1u) << (31u - shift));
    return TO_REAL(joined & ((1u << bits) - 1u));
}

#ifdef LMB_SIMD_WIDTH
// The three fields of a key that 64 bits cannot contain. Out of line, because otherwise compilers load the addresses of
// both ways before they choose one.
OP_COLD void load_long_fields(memory data, packed_place place, FRAME frame, uint index_bits, vector *fields) {
    packed_words words = load_packed_words(data, place, frame, 0u);
    uint first = place.shift + index_bits;
    fields->x = packed_field(words, first, place.bits);
    fields->y = packed_field(words, first + place.bits, place.bits);
    fields->z = packed_field(words, first + 2u * place.bits, place.bits);
}
#endif

// Loads the three fields of a key, which follow `index_bits`. SIMD code reads 64 bits if they contain the key, possibly
// from a byte within the first word on; otherwise four words. So a spare word may follow the key.
OP vector load_packed_fields(memory data, packed_place place, FRAME frame, uint index_bits) {
    uint bits = place.bits;
    uint key_bits = index_bits + 3u * bits;
#ifdef LMB_SIMD_WIDTH
    uint bytes = place.shift + key_bits > 64u ? place.shift >> 3u : 0u;
    uint begin = place.shift - 8u * bytes;
    vector fields;
    if (begin + key_bits <= 64u) {
        lmb_doubles key = lmb_load_doubles((const char *)(data + place.first) + bytes, frame);
        uint from = begin + index_bits;
        fields = make_vector(TO_REAL(lmb_bits_of_doubles(key, from, bits)),
                             TO_REAL(lmb_bits_of_doubles(key, from + bits, bits)),
                             TO_REAL(lmb_bits_of_doubles(key, from + 2u * bits, bits)));
    } else {
        vector apart;
        load_long_fields(data, place, frame, index_bits, &apart);
        fields = apart;
    }
    return fields;
#else
    packed_words words = load_packed_words(data, place, frame, key_bits);
    uint first = place.shift + index_bits;
    return make_vector(packed_field(words, first, bits), packed_field(words, first + bits, bits),
                       packed_field(words, first + 2u * bits, bits));
#endif
}

// Which component a rotation omits, if each key says it. Few tracks need it, so it is loaded again.
OP word packed_index(memory data, packed_place place, FRAME frame) {
    packed_words words = load_packed_words(data, place, frame, 2u);
    return TO_WORD(packed_field(words, place.shift, 2u));
}

OP packed_range vector_range(memory data, uint at) {
    packed_range range;
    range.start_x = LOAD_FLOAT(data, at + 1u);
    range.start_y = LOAD_FLOAT(data, at + 2u);
    range.start_z = LOAD_FLOAT(data, at + 3u);
    range.step_x = LOAD_FLOAT(data, at + 4u);
    range.step_y = LOAD_FLOAT(data, at + 5u);
    range.step_z = LOAD_FLOAT(data, at + 6u);
    return range;
}

OP vector packed_vector(memory data, packed_place place, packed_range range, FRAME frame) {
    vector fields = load_packed_fields(data, place, frame, 0u);
    return make_vector(fields.x * range.step_x + range.start_x, fields.y * range.step_y + range.start_y,
                       fields.z * range.step_z + range.start_z);
}

// One of three components of ten bits.
OP float ten_bits(uint three, uint component) {
    return FLOAT_OF((three >> (10u * component)) & 1023u);
}

OP packed_range rotation_range(memory data, packed_place place, uint at) {
    uint starts = LOAD(data, at + 1u);
    uint extents = LOAD(data, at + 2u);
    float one_step = FLOAT_OF_BITS((118u - place.bits) << 23u); // 2^(-9 - bits)
    packed_range range;
#ifdef LMB_TEN_BITS
    // The same at once: every result is exact.
    float pairs[8];
    lmb_ten_bits(starts, extents, one_step, pairs);
    range.start_x = pairs[0];
    range.step_x = pairs[1];
    range.start_y = pairs[2];
    range.step_y = pairs[3];
    range.start_z = pairs[4];
    range.step_z = pairs[5];
#else
    range.start_x = ten_bits(starts, 0u) * 0.001953125f - 1.0f;
    range.start_y = ten_bits(starts, 1u) * 0.001953125f - 1.0f;
    range.start_z = ten_bits(starts, 2u) * 0.001953125f - 1.0f;
    range.step_x = (ten_bits(extents, 0u) + 1.0f) * one_step;
    range.step_y = (ten_bits(extents, 1u) + 1.0f) * one_step;
    range.step_z = (ten_bits(extents, 2u) + 1.0f) * one_step;
#endif
    return range;
}

OP uint packed_index_bits(packed_place place) {
    return place.left_out == PACKED_INDEX_PER_KEY ? 2u : 0u;
}

// Three components: the values in the middle of the steps that the fields denote. The omitted one, which is never
// negative, follows from the unit length. Returns the three and then the omitted one.
OP quaternion components_of_fields(packed_range range, vector fields) {
    real a = (fields.x + 0.5f) * range.step_x + range.start_x;
    real b = (fields.y + 0.5f) * range.step_y + range.start_y;
    real c = (fields.z + 0.5f) * range.step_z + range.start_z;
    real square = 1.0f - (a * a + (b * b + c * c));
    // Keys written by a builder are far above this bound.
    square = GREATER(square, 0.0009765625f);
    return make_quaternion(a, b, c, square * reciprocal_root(square));
}

OP quaternion packed_components(memory data, packed_place place, packed_range range, FRAME frame) {
    return components_of_fields(range, load_packed_fields(data, place, frame, packed_index_bits(place)));
}

// Puts the omitted component, the fourth one, to its place. It is the same in all keys.
OP quaternion order_components(uint left_out, quaternion found) {
    quaternion q = found;
    if (left_out == 2u) {
        q = make_quaternion(found.x, found.y, found.w, found.z);
    } else if (left_out == 1u) {
        q = make_quaternion(found.x, found.w, found.y, found.z);
    } else if (left_out == 0u) {
        q = make_quaternion(found.w, found.x, found.y, found.z);
    }
    return q;
}

// The same for keys of which each has another one.
OP quaternion order_each(word index, quaternion found) {
    real x = SELECT(index == 0u, found.w, found.x);
    real y = SELECT(index == 1u, found.w, SELECT(index < 1u, found.x, found.y));
    real z = SELECT(index == 2u, found.w, SELECT(index < 2u, found.y, found.z));
    real w = SELECT(index == 3u, found.w, found.z);
    return make_quaternion(x, y, z, w);
}

#ifdef LMB_SIMD_WIDTH
OP_COLD void order_each_apart(memory data, packed_place place, FRAME frame, quaternion *q) {
    *q = order_each(packed_index(data, place, frame), *q);
}

OP quaternion packed_rotation(memory data, packed_place place, packed_range range, FRAME frame) {
    quaternion found = packed_components(data, place, range, frame);
    if (place.left_out == PACKED_INDEX_PER_KEY) {
        quaternion each = found;
        order_each_apart(data, place, frame, &each);
        found = each;
    } else if (place.left_out < 3u) {
        found = order_components(place.left_out, found);
    }
    return found;
}
#else
OP quaternion packed_rotation(memory data, packed_place place, packed_range range, FRAME frame) {
    quaternion found = packed_components(data, place, range, frame);
    quaternion q;
    if (place.left_out == PACKED_INDEX_PER_KEY) {
        q = order_each(packed_index(data, place, frame), found);
    } else {
        q = order_components(place.left_out, found);
    }
    return q;
}
#endif

// Kernels load the two keys of a packed track in a loop, because RADV then needs fewer registers.

OP vector sample_packed_vector(memory data, uint clip, track t, FOUND at) {
    packed_place place = find_packed_place(data, clip, t.values);
    packed_range range = vector_range(data, t.values);
#ifdef LMB_GLSL
    vector a;
    vector b = make_vector(0.0f, 0.0f, 0.0f);
    for (uint i = 0u; i < 2u; i++) {
        a = b;
        b = packed_vector(data, place, range, i == 0u ? at.key : at.after);
    }
#else
    vector a = packed_vector(data, place, range, FRAME_OF_KEY(at));
    vector b = packed_vector(data, place, range, FRAME_OF_AFTER(at));
#endif
    vector sampled = lerp_vectors(a, b, AT(at).fraction);
    return snap_vector(sampled);
}

OP quaternion sample_packed_rotation(memory data, uint clip, track t, FOUND at, bool near) {
    packed_place place = find_packed_place(data, clip, t.values);
    packed_range range = rotation_range(data, place, t.values);
#ifdef LMB_GLSL
    quaternion a;
    quaternion b = make_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
    for (uint i = 0u; i < 2u; i++) {
        a = b;
        b = packed_rotation(data, place, range, i == 0u ? at.key : at.after);
    }
#else
    quaternion a = packed_rotation(data, place, range, FRAME_OF_KEY(at));
    quaternion b = packed_rotation(data, place, range, FRAME_OF_AFTER(at));
#endif
    quaternion sampled = slerp_between_keys(a, b, at, near);
    return snap_rotation(sampled);
}

OP vector sample_vector_track(memory data, track t, FOUND at) {
    word from = key_value(t, AT(at).key, 3u);
    word to = key_value(t, AT(at).after, 3u);
    vector sampled = load_vector(data, from);
    if (t.mode != MODE_STEP) {
        vector b = load_vector(data, to);
        if (USES_CUBIC && t.mode == MODE_CUBIC) {
            sampled = make_vector(sample_cubic(data, at, sampled.x, b.x, from, to, 3u),
                                  sample_cubic(data, at, sampled.y, b.y, from + 1u, to + 1u, 3u),
                                  sample_cubic(data, at, sampled.z, b.z, from + 2u, to + 2u, 3u));
            sampled = snap_vector(sampled);
        } else {
            sampled = snap_between(lerp_vectors(sampled, b, AT(at).fraction));
        }
    }
    return sampled;
}

OP quaternion sample_cubic_rotation(memory data, track t, FOUND at) {
    word from = key_value(t, AT(at).key, 4u);
    word to = key_value(t, AT(at).after, 4u);
    quaternion a = load_quaternion(data, from);
    quaternion b = load_quaternion(data, to);
    quaternion cubic = make_quaternion(sample_cubic(data, at, a.x, b.x, from, to, 4u),
                                       sample_cubic(data, at, a.y, b.y, from + 1u, to + 1u, 4u),
                                       sample_cubic(data, at, a.z, b.z, from + 2u, to + 2u, 4u),
                                       sample_cubic(data, at, a.w, b.w, from + 3u, to + 3u, 4u));
    cubic = snap_quaternion(cubic);
    quaternion identity = all_quaternion(0.0f, 0.0f, 0.0f, 1.0f);
    return quaternion_normalize_or(cubic, QUATERNION_VANISHED, identity);
}

#ifdef LMB_SIMD_WIDTH
// Loads the rotations of both keys at once. `first` has that of key 0.
OP void load_rotation_pair(const uint32_t *first, FOUND at, quaternion *from, quaternion *to) {
    real a[4], b[4];
    if (AT(at).followed) {
        lmb_load_row_pairs(first, AT(at).key_rows, a, b);
    } else {
        real apart[8];
        lmb_load_rows_apart(first, AT(at).key_rows, AT(at).after_rows, apart);
        for (int i = 0; i < 4; i++) {
            a[i] = apart[i];
            b[i] = apart[4 + i];
        }
    }
    *from = make_quaternion(a[0], a[1], a[2], a[3]);
    *to = make_quaternion(b[0], b[1], b[2], b[3]);
}

// For a step track the second key is not used.
OP quaternion sample_between_rotations(memory data, track t, FOUND at, bool near) {
    quaternion sampled, after;
    load_rotation_pair(data + t.values, at, &sampled, &after);
    if (t.mode == MODE_LINEAR) {
        sampled = slerp_between_keys(sampled, after, at, near);
    }
    return sampled;
}
#else
// The rotation of a key of a track.
OP quaternion load_rotation_key(memory data, track t, word key) {
#ifdef LMB_GLSL
    uvec4 q = load_wide(t.values / WIDE_LOAD + key);
    return make_quaternion(REAL(q.x), REAL(q.y), REAL(q.z), REAL(q.w));
#else
    return load_quaternion(data, t.values + key * 4u);
#endif
}

OP quaternion sample_between_rotations(memory data, track t, FOUND at, bool near) {
    quaternion sampled = load_rotation_key(data, t, AT(at).key);
    if (t.mode == MODE_LINEAR) {
        quaternion b = load_rotation_key(data, t, AT(at).after);
        sampled = slerp_between_keys(sampled, b, at, near);
    }
    return sampled;
}
#endif

OP quaternion sample_rotation_track(memory data, track t, FOUND at, bool near) {
    quaternion sampled;
    if (USES_CUBIC && t.mode == MODE_CUBIC) {
        sampled = sample_cubic_rotation(data, t, at);
    } else {
        sampled = sample_between_rotations(data, t, at, near);
    }
    return snap_rotation(sampled);
}

// The value of a track with a single key that is not a cubic spline: what interpolation would give.
OP vector constant_vector(memory data, track t) {
    return all_vector(LOAD_FLOAT(data, t.values), LOAD_FLOAT(data, t.values + 1u), LOAD_FLOAT(data, t.values + 2u));
}

OP quaternion constant_rotation(memory data, track t) {
    return all_quaternion(LOAD_FLOAT(data, t.values), LOAD_FLOAT(data, t.values + 1u), LOAD_FLOAT(data, t.values + 2u),
                          LOAD_FLOAT(data, t.values + 3u));
}

#endif
